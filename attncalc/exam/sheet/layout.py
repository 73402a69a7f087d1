"""Layout of a sheet's papers and seating: logo, header, language, large print, names, versions."""

from __future__ import annotations

import re
from dataclasses import replace

from ...errors import AttncalcError, Diagnostic, did_you_mean, shorten
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence
from ..images import WIDEST, read_figure
from ..translations import USUAL, Words, languages, read_words, words_of
from .field_reader import Fields
from .instructor_question import LETTERS
from .model import Layout, Student
from .sheet_keys import KEYS, MOST_VERSIONS

PURPOSES = EXAM, PRACTICE, RESIT = ("exam", "practice", "resit")
MOST_LINES = 6  # of a header
LOGO = 3.0  # centimetres, by default
MOST_SEATS = 200


class LayoutReader(Fields):
    """Reader of the layout keys of a sheet."""

    def read(self) -> Layout:
        """Return the layout of a sheet's papers."""
        tree, logo = self.tree, None
        header = self.texts(tree, "header")
        if len(header) > MOST_LINES:
            self.faults.add(
                f"header: expected at most {MOST_LINES} lines, found {len(header)}", tree.pairs["header"][1].place
            )
        if (node := tree.get("logo")) is not None:
            width = self.centimetres(node.get("width") if isinstance(node, Mapping) else None, "width", WIDEST, LOGO)
            logo = self.attempt(read_figure, node, "logo", self.source, width, self.faults)
        return Layout(self.words(), logo, tuple(header), self.large_print(), self.flag(tree, "names", True))

    def large_print(self) -> bool:
        """True if all papers are enlarged; a list under large_print: names single students instead."""
        node = self.tree.get("large_print")
        return not isinstance(node, Sequence) and self.flag(self.tree, "large_print", False)

    def mark_large_print(self, students: list[Student]) -> list[Student]:
        """Return the students, with `large` set for those listed by number, name, mail address or login."""
        node = self.tree.get("large_print")
        if not isinstance(node, Sequence) or not students:  # a missing class list is already a fault
            return students
        known: dict[str, set[int]] = {}
        for k, student in enumerate(students):
            for name in _names_of(student):
                known.setdefault(_normalize(name), set()).add(k)
        chosen: set[int] = set()
        for item in node.items:
            text = item.text.strip() if isinstance(item, Scalar) else ""
            matches = known.get(_normalize(text), set()) if text else set()
            if len(matches) != 1:
                self.faults.add(f"large_print: {_name_fault(text, matches, students)}", item.place)
            chosen |= matches
        return [replace(student, large=k in chosen) for k, student in enumerate(students)]

    def words(self) -> Words:
        """Return the paper's words in the sheet's language."""
        language, node = self.text(self.tree, "language") or USUAL, self.tree.get("words")
        table = None
        if node is not None:
            name = node.text.strip() if isinstance(node, Scalar) else ""
            table = self.attempt(read_words, name, node.place, self.source)
        elif language not in languages():
            near = did_you_mean(language, languages()) or "; words: names a file with the words of another language"
            self.faults.add(
                f"language: expected one of {', '.join(languages())}{near}", self.tree.pairs["language"][1].place
            )
        if not re.fullmatch("[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?", language):
            self.faults.add("language: expected a code such as en or de", self.tree.pairs["language"][1].place)
            language = USUAL
        return words_of(language, table)

    def purpose(self, command_purpose: str) -> str:
        """Return the purpose of the papers: the command's, else the sheet's."""
        purpose = self.text(self.tree, "purpose") or EXAM
        if purpose not in PURPOSES:
            self.faults.add(
                f"purpose: expected one of {', '.join(PURPOSES)}{did_you_mean(purpose, PURPOSES)}",
                self.tree.pairs["purpose"][1].place,
            )
            return EXAM
        return command_purpose or purpose

    def assign_versions(self, students: list[Student]) -> list[Student]:
        """Return the students with their versions, in seating order."""
        node, seats = self.tree.get("versions"), self.tree.get("seats")
        row = self.whole(seats, "seats", 1, MOST_SEATS, 1)
        if node is None:
            unknown = self.tree.pairs.keys() - {*KEYS.at("sheet")}
            misspelt = any(did_you_mean(name, ["versions"]) for name in unknown)
            if seats is not None and not misspelt:  # a misspelt key is reported already
                raise AttncalcError(
                    Diagnostic(
                        "seats: how many sit in a row is of use with versions:, which does not stand here", seats.place
                    )
                )
            return students
        count = self.whole(node, "versions", 2, MOST_VERSIONS, 2)
        if "students" not in self.tree and "variants" not in self.tree:
            return [Student(k + 1, version=LETTERS[k]) for k in range(count)]
        return [
            _assign_version(student, k, count, row if seats is not None else 0) for k, student in enumerate(students)
        ]


def _names_of(student: Student) -> list[str]:
    """Return all names of a student: number, mail address, login, and the name in both orders."""
    last, _, first = student.name.partition(", ")
    return [name for name in (student.number, *student.aliases, student.name, f"{first} {last}" * bool(first)) if name]


def _normalize(name: str) -> str:
    return " ".join(name.split()).casefold()


def _name_fault(text: str, matches: set[int], students: list[Student]) -> str:
    """Return why a name under large_print: fits no student, or several."""
    if matches:
        numbers = ", ".join(students[k].number for k in sorted(matches))
        return f"several students are called {shorten(text)!r}; write one's number: {shorten(numbers)}"
    if not any(student.number for student in students):
        return "expected true or false, since the sheet names no students"
    if not text:
        return "expected a student's number, name or mail address"
    near = did_you_mean(text, [name for student in students for name in _names_of(student)])
    return f"no student of this sheet is called {shorten(text)!r}{near}"


def _assign_version(student: Student, k: int, count: int, seats: int) -> Student:
    """Return the k-th student, from 0, with a version and a seat."""
    row, seat = divmod(k, seats) if seats else (0, k)
    place = (row + 1, seat + 1) if seats else None
    return replace(student, version=LETTERS[version_at(row, seat, count)], seat=place)


def version_at(row: int, seat: int, count: int) -> int:
    """Return the version at a seat, from 0. Neighbours beside, before and behind have other versions; with four or
    more versions, diagonal neighbours too.

    >>> [[version_at(row, seat, 4) for seat in range(4)] for row in range(3)]
    [[0, 1, 2, 3], [2, 3, 0, 1], [0, 1, 2, 3]]
    """
    return (seat + row * (2 if count > 3 else 1)) % count
