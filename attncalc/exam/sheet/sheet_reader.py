"""Read and check an exam sheet in YAML; report every fault at once, with its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...api import read_bytes, resolve_file
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, listed, shorten
from ...explain.inline_math import COMMANDS
from ...explain.rich_text import unreadable_formulas
from ...problem.file_kinds import refuse_large, refuse_others
from ...problem.warning_listener import warn
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml
from ...resources import custom_templates
from ...submissions.located_text import Written
from ..images import WIDEST, read_figure
from ..problem_assembly import combine_questions, other_roundings
from ..roster import Entry, read_roster, unique_students
from ..secret import LEAST_BITS, Secret, bits_to_guess, is_phrase, kept_secret, secret_path
from ..sheet_files import MEDIA, SHEETS, resolve_sheet_file
from ..translations import USUAL, Tables, Words, languages, languages_of, read_words, words_of
from .field_reader import FLAGS, Fields, without_nulls
from .instructor_question import LETTERS
from .model import Layout, Question, Sheet, Student
from .question import QuestionReader, first_tree
from .sheet_keys import KEYS, MOST_VARIANTS, MOST_VERSIONS

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
            message = f"header: expected at most {MOST_LINES} lines, found {len(header)}"
            self.faults.add(message, tree.pairs["header"][1].place)
        if (node := tree.get("logo")) is not None:
            width = self.centimetres(node.get("width") if isinstance(node, Mapping) else None, "width", WIDEST, LOGO)
            logo = self.attempt(read_figure, node, "logo", self.source, width, self.faults)
        words, tables = self.words()
        return Layout(words, logo, tuple(header), self.large_print(), self.flag(tree, "names", True), tables)

    def large_print(self) -> bool:
        """True if all papers are enlarged; a list under large_print: names single students instead."""
        node = self.tree.get("large_print")
        return not isinstance(node, Sequence) and self.flag(self.tree, "large_print", False)

    def mark_large_print(self, students: list[Student]) -> list[Student]:
        """Return the students, with `large` set for those listed by number, name, email address or login."""
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

    def words(self) -> tuple[Words, Tables | None]:
        """Return the paper's words in the sheet's language, and the instructor's table of words."""
        language, node = self.text(self.tree, "language") or USUAL, self.tree.get("words")
        table = None
        if node is not None:
            name = node.text.strip() if isinstance(node, Scalar) else ""
            table = self.attempt(read_words, name, node.place, self.source)
        elif language not in languages():
            near = (
                did_you_mean(language, languages())
                or "; for a different language, write the name of a file with its words under words:"
            )
            message = f"language: expected one of {', '.join(languages())}{near}"
            self.faults.add(message, self.tree.pairs["language"][1].place)
        if not re.fullmatch("[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?", language):
            self.faults.add("language: expected a code such as en or de", self.tree.pairs["language"][1].place)
            language = USUAL
        return words_of(language, table), table

    def purpose(self, command_purpose: str) -> str:
        """Return the purpose of the papers: the command's, else the sheet's."""
        purpose = self.text(self.tree, "purpose") or EXAM
        if purpose not in PURPOSES:
            message = f"purpose: expected one of {', '.join(PURPOSES)}{did_you_mean(purpose, PURPOSES)}"
            self.faults.add(message, self.tree.pairs["purpose"][1].place)
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
                raise AttncalcError("seats: needs the key versions: in the same sheet", seats.place)
            return students
        count = self.whole(node, "versions", 2, MOST_VERSIONS, 2)
        if "students" not in self.tree and "variants" not in self.tree:
            return [Student(k + 1, version=LETTERS[k]) for k in range(count)]
        row = row if seats is not None else 0
        return [_assign_version(student, k, count, row) for k, student in enumerate(students)]


def _names_of(student: Student) -> list[str]:
    """Return all names of a student: number, email address, login, and the name in both orders."""
    last, _, first = student.name.partition(", ")
    return [name for name in (student.number, *student.aliases, student.name, f"{first} {last}" * bool(first)) if name]


def _normalize(name: str) -> str:
    return " ".join(name.split()).casefold()


def _name_fault(text: str, matches: set[int], students: list[Student]) -> str:
    """Return why a name under large_print: fits no student, or several."""
    if matches:
        numbers = ", ".join(students[k].number for k in sorted(matches))
        return f"several students are called {shorten(text)!r}; write the student's number instead: {shorten(numbers)}"
    if not any(student.number for student in students):
        return "expected true or false, because the sheet does not list students"
    if not text:
        return "expected a student's number, name or email address"
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


if TYPE_CHECKING:
    from pathlib import Path

TRIAL = b"seed 1"  # what variants are drawn from that are tried, and never written
# What an author writes for people, with emphasis and formulas
PROSE = ("ask", "note", "hint", "instructions", "header", "right", "wrong", "because", "free_text", "solution")


def load_sheet(name: str) -> Sheet:
    """Return the sheet of a file (`-`: standard input) or a bundled name, with its secret if there is one. Raises
    AttncalcError with all its faults.
    """
    data, source = sheet_data(name)
    return read_sheet(data, source, secret=kept_secret(secret_path(source), source))


def sheet_data(name: str) -> tuple[bytes, str]:
    """Return the bytes of a sheet and the name of their source."""
    if name == "-":
        return read_bytes(name), "<stdin>"
    if not name:
        raise AttncalcError("expected an exam sheet, found nothing", Location("SHEET"))
    path = resolve_file(name, SHEETS, "an exam sheet", "there is no exam sheet with this name")
    return read_bytes(path), name if path == name else os.path.basename(path)


def read_sheet(data: bytes | str, source: str, purpose: str = "", secret: Secret | None = None) -> Sheet:
    """Return the sheet in a YAML text; fixed problems are sought in its folder, then among the bundled ones.

    `purpose` is exam, practice or resit; without it what the sheet says. `secret` is what the papers of a sheet without
    seed: and secret: are drawn from; without it they are for trial.
    """
    faults = Diagnostics()
    if not data.strip():
        raise AttncalcError("expected an exam sheet; the file is empty", Location(source, 1, 1))
    refuse_large(data, "sheet", source)
    tree = read_yaml(data, source, faults)
    if not isinstance(tree, Mapping):
        faults.add(f"expected an exam sheet (a mapping with title:, questions:, ...), found {kind(tree)}", tree.place)
        faults.raise_any()
    assert isinstance(tree, Mapping)
    refuse_others(tree, "sheet")
    return _Reader(without_nulls(tree), source, faults).sheet(purpose, secret)


def questions_of(tree: Mapping, source: str) -> list[Question]:
    """Return the questions of a tree in the form of a sheet; other keys are ignored. Raises AttncalcError."""
    faults = Diagnostics()
    questions = QuestionReader(tree, source, faults).read()
    faults.raise_any()
    return questions


class _Reader(Fields):
    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        super().__init__(tree, source, faults)
        self.questions = QuestionReader(tree, source, faults)
        self.layout = LayoutReader(tree, source, faults)
        self.languages: list[str] = []  # that a student's paper can have

    def sheet(self, purpose: str, secret: Secret | None) -> Sheet:
        tree = self.tree
        tree.reject_unknown(KEYS.at("sheet"), "an exam sheet", self.faults)
        if (version := tree.get("format")) is not None and (not isinstance(version, Scalar) or version.text != "1"):
            self.faults.add(f"format: expected 1, found {kind(version)}", version.place)
        purpose, layout = self.layout.purpose(purpose), self.layout.read()
        is_repeat = purpose != EXAM
        draw_source, key = self.key(secret)
        suffix = f" {purpose}".encode() * is_repeat
        title = self.text(tree, "title") or "Exam"
        self.languages = languages_of(layout.tables)
        students = self.layout.mark_large_print(self.attempt(self.layout.assign_versions, self.students()) or [])
        usual = layout.words.language
        students = [replace(student, language="") if student.language == usual else student for student in students]
        if purpose == PRACTICE:  # which is done at home
            students = [replace(student, seat=None) for student in students]
        sheet = Sheet(
            os.path.basename(self.source), f"{title} ({layout.words[purpose]})" if is_repeat else title, students,
            self.questions.read(), key + suffix,
            b"" if draw_source or secret is None else secret.codes.encode() + suffix,
            draw_source, self.weakness(draw_source, secret),
            self.text(tree, "course"), self.text(tree, "date"), self.texts(tree, "instructions"),
            self.flag(tree, "formula_sheet", False), self.flag(tree, "decimal_comma", False),
            self.scan(), self.template(), layout,
        )  # fmt: skip
        self.faults.raise_any()
        questions = enumerate(sheet.questions, 1)
        numbered = [(k, other) for k, question in questions for other in question.alternatives or [question]]
        problem_tree = combine_questions("check", [(question, first_tree(question)) for _, question in numbered])
        sheet.notes = [
            *other_roundings(sheet.questions),
            *_questions_without_task(problem_tree, [k for k, _ in numbered]),
            *_undrawn_questions(sheet, is_repeat),
        ]
        warn(_formula_warnings(tree))
        return sheet

    def key(self, stored_secret: Secret | None) -> tuple[str, bytes]:
        """Return the sheet's key (seed, secret or empty) from which variants are drawn, and the bytes to draw from."""
        secret, seed = self.tree.pairs.get("secret"), self.tree.pairs.get("seed")
        if secret and seed:
            self.faults.add("expected only one of the keys seed: and secret:, found both", secret[0].place)
        if not secret and not seed:
            return "", f"secret {stored_secret.papers}".encode() if stored_secret else TRIAL
        word = "secret" if secret else "seed"
        words = self.text(self.tree, word)
        if secret and len(words) < 8:
            self.faults.add(
                "secret: expected at least 8 characters, so that students cannot guess the secret", secret[1].place
            )
        is_flag = seed and isinstance(seed[1], Scalar) and seed[1].style == "plain" and words.casefold() in FLAGS
        if seed and (is_flag or not words):
            expected = f"expected a number or a word, found {words or 'nothing'}"
            self.faults.add(
                f"seed: {expected}; if you remove this line, `attncalc exam` stores a random secret", seed[0].place
            )
        return word, f"{word} {words}".encode()

    def weakness(self, word: str, stored_secret: Secret | None) -> str:
        """Return why others could guess the seed or the secret; empty if they cannot."""
        if word:
            text, where, remedy = self.text(self.tree, word), f"{word}:", f"remove {word}:"
        elif stored_secret is not None:
            text, where, remedy = stored_secret.papers, "the secret in its file:", "remove this file"
        else:
            return ""
        most = bits_to_guess(text)
        if most < LEAST_BITS:
            reason = (
                f"this text has at most {most} bits, fewer than {LEAST_BITS}, so a program can guess it from the papers"
            )
        elif is_phrase(text):
            reason = "a program can guess this phrase from the papers if the phrase is in a book"
        else:
            return ""
        return (
            f"{where} {reason}. For an exam, {remedy}; `attncalc exam` then stores a "
            f"random secret of 128 bits in a file"
        )

    def scan(self) -> Location | None:
        return self.tree.pairs["scan"][0].place if self.flag(self.tree, "scan", False) else None

    def template(self) -> Path | None:
        name, node = self.text(self.tree, "template"), self.tree.get("template")
        if node is None or not name:
            return None
        return self.attempt(
            lambda: custom_templates(
                resolve_sheet_file(self.source, name, "template", node.place), MEDIA, node.place, "template: "
            )
        )

    # -- who gets a variant --------------------------------------------------------------------------------------------

    def students(self) -> list[Student]:
        node, count = self.tree.get("students"), self.tree.get("variants")
        if node is not None and count is not None:
            self.faults.add(
                "expected only one of the keys variants: and students:, found both",
                self.tree.pairs["variants"][0].place,
            )
        if node is None:
            return [Student(k) for k in range(1, self.whole(count, "variants", 1, MOST_VARIANTS, 1) + 1)]
        if isinstance(node, Scalar) and node.text.strip():
            return self.attempt(self.roster, node) or []
        if not isinstance(node, Sequence) or not node.items:
            expected = "expected a list of student numbers, or a file with student numbers (CSV or text)"
            self.faults.add(f"students: {expected}, found {kind(node)}", node.place)
            return []
        if len(node.items) > MOST_VARIANTS:
            self.faults.add(f"expected at most {MOST_VARIANTS:,} students, found {len(node.items):,}", node.place)
            return []
        return self.attempt(unique_students, map(self.student, node.items), self.languages) or []

    def student(self, item: Yaml) -> Entry:
        if isinstance(item, Mapping):
            item.reject_unknown(["number", "name", "language"], "a student", self.faults)
            number, name, language = (self.text(item, key) for key in ("number", "name", "language"))
        else:
            number, name, language = item.text.strip() if isinstance(item, Scalar) else "", "", ""
        return Entry(Written(number, item.place.shifted), name, (), language)

    def roster(self, node: Scalar) -> list[Student]:
        """Return the students of a file."""
        name = node.text.strip()
        path = resolve_sheet_file(self.source, name, "students", node.place)
        if not os.path.isfile(path):
            expected = "expected a list of student numbers, or a file with student numbers"
            raise AttncalcError(f"students: {expected}; there is no file {shorten(name)!r}", node.place)
        return read_roster(read_bytes(path), path, MOST_VARIANTS, self.languages)


def _formula_warnings(tree: Yaml, is_prose: bool = False) -> Iterator[Diagnostic]:
    """Yield a warning for each formula in the author's prose that is printed as typed."""
    match tree:
        case Scalar(text) if is_prose:
            for offset, command in unreadable_formulas(text):
                near = did_you_mean(command, sorted(COMMANDS)).replace("mean ", "mean \\")
                what = f"\\{command} is unknown" if command else "the formula cannot be read"
                message = f"warning: {what}, so it is printed as typed{near}"
                yield Diagnostic(message, tree.inside.shifted(offset))
        case Sequence(items):
            for item in items:
                yield from _formula_warnings(item, is_prose)
        case Mapping():
            for key, value in tree.items():
                yield from _formula_warnings(value, key.text in PROSE)


def _questions_without_task(problem_tree: Mapping, numbers: list[int]) -> Iterator[str]:
    """Yield a line for each question without a task; `numbers` are the sheet's numbers of questions."""
    parts = problem_tree.get("parts")
    tasks: dict[int, list[bool]] = {}
    for name, part in parts.items() if isinstance(parts, Mapping) else ():
        k = int(name.text.partition("_")[0][1:])
        tasks.setdefault(k, []).append(isinstance(part, Mapping) and bool(part.get("ask")))
    for number in dict.fromkeys(numbers[k - 1] for k, has_task in tasks.items() if not any(has_task)):
        yield f"question {number}: the question has no task; add ask: to the question or to the problem file"


def _undrawn_questions(sheet: Sheet, is_repeat: bool) -> Iterator[str]:
    """Yield a line for the questions without random numbers: practice papers and resits repeat them, and in an exam
    their numbers are the same on all papers.
    """
    if is_repeat:
        drawn = (all(other.search for other in question.alternatives or [question]) for question in sheet.questions)
        where = "in the exam"
    elif len({student.draw_key for student in sheet.students}) > 1:
        drawn = (question.fixed is None for question in sheet.questions)
        where = "on all papers"
    else:
        return
    numbers = [str(number) for number, is_drawn in enumerate(drawn, 1) if not is_drawn]
    if len(numbers) == 1:
        yield f"question {numbers[0]} has no random numbers, so it is the same {where}"
    elif numbers:
        yield f"questions {listed(numbers)} have no random numbers, so they are the same {where}"
