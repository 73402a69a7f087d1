"""The table of a class: a row for each student, in one table or in several tabs of a workbook, which belong together by
the student.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..errors import AttncalcError, Diagnostic, Location, counted
from ..problem.text import MOST_NODES
from .columns import plain
from .csvfile import ABOUT, LONG, check_widths, is_long, read_long, read_wide
from .grid import pointed, shows_commas
from .losses import Losses
from .model import Script
from .sheets import Sheet
from .written import Written

Rows = list[list[Written]]
MOST_STUDENTS = 10_000
HEADER_WITHIN = 12  # lines: headings for people may stand above the header
_ENTRY = re.compile(r"\s*[^\W\d][\w.']*\s*\[[^\]]*\]\s*")  # q1.S[0,1]
_OWN = re.compile(r"\s*q[1-9][0-9]{0,2}\s*")  # a question that is ticked or marked by hand
_ONE_ENTRY = re.compile(r"[^\[\]]*\[\s*[0-9]+\s*,\s*[0-9]+\s*\]")


@dataclass(frozen=True, slots=True)
class Piece:
    """What one tab holds of a student."""

    tab: str
    header: list[Written]
    body: Rows

    def names(self) -> list[str]:
        """The heads of the columns, in small letters."""
        return [cell.text.strip().lower() for cell in self.header]

    def find(self, name: str) -> str:
        """What stands in the first row below this head; nothing where there is no such column."""
        found = (
            self.body[0][k].text.strip() for k, own in enumerate(self.names()) if own == name and k < len(self.body[0])
        )
        return next(found, "")


@dataclass(frozen=True, slots=True)
class StudentRows:
    """The rows of one student, each student read alone: one that is unclear does not stop the others. `without` are
    tabs with no row for them.
    """

    pieces: list[Piece]
    source: str
    without: list[str] = field(default_factory=list)
    note: Diagnostic | None = None  # how the file was read, where a person should know

    @property
    def place(self) -> Location:
        """Where the student's first cell stands."""
        return self.pieces[0].body[0][0].place

    @property
    def head(self) -> Location:
        """Where the header begins."""
        return self.pieces[0].header[0].place

    def about(self, name: str) -> str:
        """What stands for the student in this column (student, problem); nothing where there is none."""
        return next(filter(None, (piece.find(name) for piece in self.pieces)), "")

    def heads(self) -> list[Written] | None:
        """The heads of all columns; None where the rows name the steps themselves."""
        return (
            None
            if any(is_long(piece.header) for piece in self.pieces)
            else [cell for piece in self.pieces for cell in piece.header]
        )

    def foreign(self, known: Callable[[str], bool]) -> list[Written]:
        """The heads of columns of entries that are not known, and below which something is typed."""
        return [
            cell
            for piece in self.pieces
            if not is_long(piece.header)
            for k, cell in enumerate(piece.header)
            if _ENTRY.fullmatch(cell.text)
            and not known(cell.text.strip())
            and any(k < len(row) and row[k].text.strip() for row in piece.body)
        ]

    def script(self, known: Callable[[str], bool], words: frozenset[str] = frozenset()) -> Script:
        """The student's script, read leniently, from the columns whose names are known, and those of `words` as they
        are; others (name, email) are left aside.
        """
        scripts = [self._script(piece, known, words) for piece in self.pieces]
        if len(scripts) == 1:
            return scripts[0]
        answers = tuple(answer for script in scripts for answer in script.answers)
        unread = tuple(one for script in scripts for one in script.unread)
        said = {name: cell for script in scripts for name, cell in script.words.items()}
        return replace(scripts[0], problem=self.about("problem") or None, answers=answers, unread=unread, words=said)

    def _script(self, piece: Piece, known: Callable[[str], bool], words: frozenset[str]) -> Script:
        losses = Losses(lenient=True)
        check_widths(piece.header, piece.body)
        names, long = piece.names(), is_long(piece.header)
        always = LONG if long else {*ABOUT, *words}
        kept = [k for k, cell in enumerate(piece.header) if names[k] in always or not long and known(cell.text.strip())]
        header = [piece.header[k] for k in kept]
        body = [[row[k] for k in kept if k < len(row)] for row in piece.body]
        (script,) = (read_long if long else read_wide)(header, body, self.source, losses, words)
        return script


def read_students(sheets: Sequence[Sheet], source: str, called: Sequence[str] = ("student",)) -> list[StudentRows]:
    """The rows of each student, not yet read; `called` are names for the column `student`, the first that is there
    counts.

    Tabs without a header are left aside. Raises AttncalcError for a table without answers.
    """
    tables = list(_tables(sheets, source, called))
    is_comma = shows_commas([row for _, _, body in tables for row in body], any(sheet.sign == ";" for sheet in sheets))
    several = len(tables) > 1
    students: dict[tuple[str, int], list[Piece]] = {}
    for sheet, header, body in tables:
        for who, rows in _of_students(header, _pointed(header, body, sheet.sign, is_comma)):
            students.setdefault(who, []).append(Piece(sheet.name, header, rows))
    if len(students) > MOST_STUDENTS:
        raise AttncalcError(
            Diagnostic(f"expected at most {MOST_STUDENTS:,} students, found {len(students):,}", Location(source))
        )
    names = [sheet.name for sheet, _, _ in tables] if several else []
    return [
        StudentRows(
            pieces, source, [name for name in names if name not in {piece.tab for piece in pieces}], sheets[0].note
        )
        for pieces in students.values()
    ]


def _tables(sheets: Sequence[Sheet], source: str, called: Sequence[str]) -> Iterable[tuple[Sheet, list[Written], Rows]]:
    if not sheets:
        raise AttncalcError(Diagnostic("expected answers, found an empty file", Location(source, 1, 1)))
    if sum(len(row) for sheet in sheets for row in sheet.rows) > 2 * MOST_NODES:
        raise AttncalcError(Diagnostic(f"a file has at most {MOST_NODES:,} cells; this one has more", Location(source)))
    found = [(sheet, at) for sheet in sheets if (at := _header(sheet.rows, called)) is not None] or [(sheets[0], 0)]
    empty = [sheet.rows[at][0] for sheet, at in found if len(sheet.rows) == at + 1]
    if len(empty) == len(found):
        raise empty[0].fault("expected answers below the header, found none")
    for sheet, at in found:
        header = list(sheet.rows[at])
        if (k := _student(header, called)) is not None:
            header[k] = Written("student", header[k].at)
        if len(sheet.rows) > at + 1:
            yield sheet, header, sheet.rows[at + 1 :]


def _header(rows: Rows, called: Sequence[str]) -> int | None:
    """The line that names the columns: a student beside entries or steps, at the top or below headings for people."""
    for k, row in enumerate(rows[:HEADER_WITHIN]):
        is_named = _student(row, called) is not None and (
            k == 0 and len(row) > 1 or any(_OWN.fullmatch(cell.text) for cell in row)
        )
        if is_named or is_long(row) or any(_ENTRY.fullmatch(cell.text) for cell in row):
            return k
    return None


def _student(header: list[Written], called: Sequence[str]) -> int | None:
    """The column of the students."""
    heads = ["" if "[" in cell.text else plain(cell.text) for cell in header]
    return next((heads.index(name) for name in called if name in heads), None)


def _pointed(header: list[Written], body: Rows, sign: str, is_comma: bool) -> Rows:
    """Decimal points for decimal commas; where commas part cells, in columns of single entries alone, since elsewhere
    they part entries.
    """
    names = [cell.text.strip().lower() for cell in header]
    single = [name not in ABOUT and (sign != "," or bool(_ONE_ENTRY.fullmatch(name))) for name in names]
    if sign == "," and {"step", "value", "row", "column"} <= set(names):
        single[names.index("value")] = True
    return [
        [
            pointed(cell, is_comma) if k < len(header) and single[k] and "," in cell.text else cell
            for k, cell in enumerate(row)
        ]
        for row in body
    ]


def _of_students(header: list[Written], body: Rows) -> Iterable[tuple[tuple[str, int], Rows]]:
    """The rows of each student, with how often the student has come before; a row that names none goes by its paper, or
    is alone.
    """
    at = {name: k for k, name in reversed(list(enumerate(cell.text.strip().lower() for cell in header)))}

    def text(row: list[Written], name: str) -> str:
        k = at.get(name, -1)
        return row[k].text.strip().casefold() if 0 <= k < len(row) else ""

    if is_long(header):
        students: dict[str, Rows] = {}
        for row in body:
            students.setdefault(text(row, "student"), []).append(row)
        for name, rows in students.items():
            yield (name, 0), rows
        return
    count: dict[str, int] = {}
    for row in body:
        who = text(row, "student") or f"\0{text(row, 'problem')}"
        count[who] = count.get(who, -1) + 1
        yield (who, count[who]), [row]


def only_student(rows: list[StudentRows], source: str) -> StudentRows:
    """The rows of the one student there is. Raises AttncalcError where there are several."""
    if len(rows) > 1:
        said = f"expected one student's answers, found those of {counted(len(rows), 'student')}"
        raise AttncalcError(Diagnostic(said, Location(source, 1, 1)))
    return rows[0]
