"""A list of students from a file, as spreadsheets and course systems write it: CSV with commas, semicolons or tabs, or a student a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..answers.csvfile import cells_of
from ..answers.written import Written
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, counted, shorten
from ..problem.text import read_text
from .model import Student

# What course systems and registries call the columns; the first that is there counts.
NUMBER = ("number", "student number", "student id", "id number", "matriculation number", "matriculation", "matrikelnummer", "matrikelnr",
          "matrikel nr", "matrikel", "registration number", "registration no", "roll number", "roll no", "candidate number", "sis user id",
          "sid", "student", "sis login id", "username", "user name", "login", "benutzername", "kennung", "id", "email address",
          "e mail address", "email", "e mail")  # fmt: skip
NAME = ("full name", "student name", "vollständiger name", "display name", "name", "student")
FIRST = ("first name", "first name(s)", "first names", "firstname", "given name", "given names", "forename", "vorname", "vornamen")
LAST = ("last name", "lastname", "surname", "family name", "nachname", "familienname", "zuname")
SHORT = "name"  # the last name, where a first name stands beside it and no other last name
KNOWN = ("number, student number, matriculation number, Matrikelnummer, ID number or username for the numbers, "
         "name, first name, last name, Vorname or Nachname for the names")  # fmt: skip
LONGEST_NUMBER, LONGEST_NAME = 100, 200
_CUT = re.compile(r"[0-9][.,][0-9]+E\+[0-9]+", re.IGNORECASE)  # 1.23457E+11: what a spreadsheet makes of a long number


def read_roster(data: bytes, source: str, most: int) -> list[Student]:
    """The students of a list, each a number and perhaps a name. Raises AttncalcError with every fault and its place."""
    if data.startswith(b"PK") or b"\0" in data[:4096]:
        said = "a list of students as CSV or text is required, another kind of file stands there; spreadsheets export CSV"
        raise AttncalcError(Diagnostic(said, Location(source)))
    lines = cells_of(read_text(data, source).removeprefix("\ufeff"), source)
    if not lines:
        raise AttncalcError(Diagnostic("students are required, the file is empty", Location(source, 1, 1)))
    header = [" ".join(re.split(r"[\s_.:-]+", cell.text.casefold())).strip() for cell in lines[0]]
    named = set(header) & {*NUMBER, *NAME, *FIRST, *LAST}
    number, name_of = _by_header(header, lines[0][0]) if named else _without_header(lines)
    body = lines[1:] if named else lines
    if not body:
        raise lines[0][0].fault("students are required below the header, there are none")
    if len(body) > most:
        raise AttncalcError(Diagnostic(f"at most {most:,} students are required, {len(body):,} stand there", Location(source)))
    return checked((_cell(row, number), name_of(row)) for row in body)


NameOf = Callable[[list[Written]], str]


def _by_header(header: list[str], first: Written) -> tuple[int, NameOf]:
    number = _column(header, NUMBER)
    if number is None:
        there = shorten(", ".join(header), 100)
        raise first.fault(f"a column of the students' numbers is required, {there} stand there; known are {KNOWN}")
    columns = _names([*header[:number], "", *header[number + 1 :]])
    return number, lambda row: " ".join(row[k].text.strip() for k in columns if k < len(row)).strip()


def _names(header: list[str]) -> list[int]:
    """The columns that make a name, in its order: one of whole names, or a first and a last name."""
    whole, first, last = (_column(header, names) for names in (NAME, FIRST, LAST))
    if first is not None and last is None and whole is not None and header[whole] == SHORT:
        last, whole = whole, None
    return [k for k in ([whole] if whole is not None else [first, last]) if k is not None]


def _column(header: list[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _without_header(lines: list[list[Written]]) -> tuple[int, NameOf]:
    """Numbers alone, or a number and a name in each line."""
    width, first = max(map(len, lines)), lines[0][0]
    if width > 2:
        columns = counted(width, "column")
        raise first.fault(f"the first line names the columns, {columns} stand there without names that are known; known are {KNOWN}")
    digits = [any(re.search(r"\d", cell.text) for cell in row) for row in lines]
    if not digits[0] and (width > 1 or len(lines) > 1 and all(digits[1:])):
        raise first.fault(f"is {shorten(first.text.strip())!r} the name of a column? Known are {KNOWN}")
    return 0, lambda row: row[1].text.strip() if len(row) > 1 else ""


def _cell(row: list[Written], k: int) -> Written:
    return row[k].trimmed() if k < len(row) else row[-1].part(len(row[-1].text), len(row[-1].text))


def checked(students: Iterator[tuple[Written, str]]) -> list[Student]:
    """Everybody once, each with a number. Raises AttncalcError with every fault."""
    faults = Diagnostics()
    found: list[Student] = []
    first: dict[str, int] = {}
    for written, name in students:
        number = written.text
        place = written.place
        if not number:
            faults.add(f"a student's number is required{f' for {shorten(name)!r}' if name else ''}, nothing stands there", place)
        elif number.casefold() in first:
            faults.add(f"the student {shorten(number)!r} stands here a second time; the first is in line {first[number.casefold()]}", place)
        elif len(number) > LONGEST_NUMBER or len(name) > LONGEST_NAME:
            said = f"a student's number of at most {LONGEST_NUMBER} and a name of at most {LONGEST_NAME} characters are required"
            faults.add(said, place)
        elif _CUT.fullmatch(number):
            faults.add(f"a student's number is required, {number!r} stands there; a spreadsheet has cut it: export the column as text", place)
        first.setdefault(number.casefold(), place.line)
        found.append(Student(len(found) + 1, number, name))
    faults.raise_any()
    return found
