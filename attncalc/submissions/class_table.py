"""The table of a class: a row for each student, in one table, or in several tabs that belong together by student."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from ..errors import AttncalcError, Diagnostic, Location, counted, shorten
from .answer_examples import NO_ANSWERS, beyond
from .column_names import NOBODY, plain
from .located_text import MINUS, Crossed, Unsure, Written
from .submission import Losses, Script, crossed_out
from .tables.answer_tables import ABOUT, LONG, check_widths, in_brackets, is_long, long_names, read_long, read_wide
from .tables.table_reader import WORKBOOKS, Sheet, delimiter
from .text_grid import shows_commas, with_points

ENTRY = re.compile(r"\s*[^\W\d][\w.']*\s*(?:\[[^\]]*\](?:\[[^\]]*\])?|\([ 0-9]+,[ 0-9]+\))\s*")  # q1.S[0,1]
OWN = re.compile(r"\s*q[1-9][0-9]{0,2}\s*")  # a question that is ticked or marked by hand
_NOBODY = "expected a student, found {!r}; this line is ignored"
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def is_place(cell: Written) -> bool:
    """Return whether a cell names a column of entries, or of a question that is ticked or marked."""
    return bool(ENTRY.fullmatch(cell.text) or OWN.fullmatch(cell.text))


def refuse_askew(header: list[Written], body: list[list[Written]]) -> None:
    """Raise AttncalcError where students stand in columns, or the header has another sign between its cells."""
    if not is_long(header) and not any(map(is_place, header)):
        aside = [row[0] for row in body if is_place(row[0])]
        if 2 * len(aside) > len(body):
            layout = f"one column per student, and lines such as {shorten(aside[0].text.strip())}"
            advice = "transpose the table (in a spreadsheet: copy, then Paste special > Transpose)"
            raise header[0].fault(f"expected one line per student, found {layout}; {advice}")
    sign = delimiter(header[0].text)
    if len(header) == 1 and sign in header[0].text and any(len(row) > 1 for row in body):
        layout = f"{_SIGNS[sign]} in the header and a different one below it"
        raise header[0].fault(f"expected one separator in the whole file, found {layout}")


Rows = list[list[Written]]
MOST_STUDENTS = 10_000
CLASS_TABLES = (".csv", ".tsv", *WORKBOOKS)  # endings of files that may hold a class
HEADER_WITHIN = 12  # lines: headings for people may stand above the header
_POINTED = re.compile(rf"{MINUS}?[0-9]*\.([0-9]+)")
_WHOLE = re.compile(rf"{MINUS}?[0-9]{{1,3}}")
_ONE_ENTRY = re.compile(r"[^\[\]]*\[\s*[0-9]+\s*,\s*[0-9]+\s*\]")


def crossed_cells(cells: Iterable[Written]) -> tuple[Diagnostic, ...]:
    """Return a note for each cell in which something is crossed out."""
    return tuple(crossed_out(cell.struck, cell.place) for cell in cells if isinstance(cell, Crossed))


@dataclass(frozen=True, slots=True)
class Piece:
    """One tab's rows of a student."""

    tab: str
    header: list[Written]
    body: Rows

    def names(self) -> list[str]:
        """Return the heads of the columns, in small letters."""
        return [cell.text.strip().lower() for cell in self.header]

    def find(self, name: str) -> str:
        """Return the text in the first row below this head; empty if there is no such column."""
        texts = (
            self.body[0][k].text.strip()
            for k, column in enumerate(self.names())
            if column == name and k < len(self.body[0])
        )
        return next(texts, "")


@dataclass(frozen=True, slots=True)
class StudentRows:
    """The rows of one student, each student read alone: one that is unclear does not stop the others. `without` are
    tabs with no row for them, `aside` those in which no line names columns that are known.
    """

    pieces: list[Piece]
    source: str
    without: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    notes: tuple[Diagnostic, ...] = ()  # how the file was read, where a person should know

    @property
    def place(self) -> Location:
        return self.pieces[0].body[0][0].place

    @property
    def head(self) -> Location:
        return self.pieces[0].header[0].place

    def head_of(self, step: str) -> Location:
        """Return the place of the header in the tab of the step, or else of its question; the file if there is none."""
        if len(self.pieces) == 1 and not self.aside:
            return self.head
        for begins in (f"{step}[", f"{step.partition('.')[0]}."):
            for piece in self.pieces:
                if any(name.startswith(begins.lower()) for name in piece.names()):
                    return piece.header[0].place
        return Location(self.source)

    def about(self, name: str) -> str:
        """Return the student's text in this column (student, problem); empty if there is none."""
        return next(filter(None, (piece.find(name) for piece in self.pieces)), "")

    def heads(self) -> list[Written] | None:
        """Return the heads of all columns; None if the rows name the steps themselves."""
        return (
            None
            if any(is_long(piece.header) for piece in self.pieces)
            else [cell for piece in self.pieces for cell in piece.header]
        )

    @property
    def has_entries(self) -> bool:
        """Return whether some column is called as an entry, or as a question that is ticked or marked by hand."""
        heads = self.heads()
        return heads is None or any(is_place(cell) for cell in heads)

    def foreign(self, known: Callable[[str], bool]) -> list[Written]:
        """Return the heads of columns of entries that are not known, and below which something is typed."""
        return [
            cell
            for piece in self.pieces
            if not is_long(piece.header)
            for k, cell in enumerate(piece.header)
            if ENTRY.fullmatch(cell.text)
            and not known(cell.text.strip())
            and any(k < len(row) and row[k].text.strip() for row in piece.body)
        ]

    def script(self, known: Callable[[str], bool], words: frozenset[str] = frozenset()) -> Script:
        """Return the student's script, read leniently, from the columns whose names are known. The columns of `words`
        are kept as they are; others (name, email) are left aside.
        """
        scripts = [self._script(piece, known, words) for piece in self.pieces]
        if len(scripts) == 1:
            return scripts[0]
        answers = tuple(answer for script in scripts for answer in script.answers)
        unread = tuple(fault for script in scripts for fault in script.unread)
        texts = {name: cell for script in scripts for name, cell in script.words.items()}
        crossed = tuple(fault for script in scripts for fault in script.crossed)
        return replace(
            scripts[0],
            problem=self.about("problem") or None,
            answers=answers,
            unread=unread,
            words=texts,
            crossed=crossed,
        )

    def _script(self, piece: Piece, known: Callable[[str], bool], words: frozenset[str]) -> Script:
        losses = Losses(lenient=True)
        check_widths(piece.header, piece.body)
        long = is_long(piece.header)
        names = long_names(piece.header) if long else piece.names()
        always = LONG if long else {*ABOUT, *words}
        kept = [k for k, cell in enumerate(piece.header) if names[k] in always or not long and known(cell.text.strip())]
        header = [piece.header[k] for k in kept]
        body = [[row[k] for k in kept if k < len(row)] for row in piece.body]
        read = partial(read_long, header, body) if long else partial(read_wide, header, body[0])
        script = read(self.source, losses, words)
        return replace(script, crossed=crossed_cells(cell for row in body for cell in row))


def read_students(sheets: Sequence[Sheet], source: str, called: Sequence[str] = ("student",)) -> list[StudentRows]:
    """Return the rows of each student, not yet read. `called` are names for the column `student`; the first that is
    there counts.

    Tabs without a header are left aside. Raises AttncalcError for a table without answers.
    """
    tables = list(_tables(sheets, source, called))
    _require_one_name(tables, called)
    lines = [row for table in tables for row in table.body]
    is_comma = shows_commas(lines, any(sheet.sign == ";" for sheet in sheets))
    several = len(tables) > 1
    students: dict[tuple[str, int], list[Piece]] = {}
    for sheet, header, body, _ in tables:
        for who, rows in _of_students(header, body):
            students.setdefault(who, []).append(Piece(sheet.name, header, [list(row) for row in rows]))
    single = {sheet.name: _single(header, sheet.sign) for sheet, header, _, _ in tables}
    for pieces in students.values():
        _set_points(pieces, single, is_comma)
    for sheet, header, *_ in tables:
        if sheet.sign == "," and not is_long(header):
            pieces = [piece for listed in students.values() for piece in listed if piece.tab == sheet.name]
            _doubt_commas([row for piece in pieces for row in piece.body], single[sheet.name])
    if len(students) > MOST_STUDENTS:
        raise AttncalcError(
            beyond(f"at most {MOST_STUDENTS:,} students", f"{len(students):,}", "split the class into several files"),
            Location(source),
        )
    names = [table.sheet.name for table in tables] if several else []
    aside = [sheet.name for sheet in sheets if _header(sheet.rows, called) is None and sheet.rows]
    notes = (*(sheet.note for sheet in sheets[:1] if sheet.note), *_without_footers(students))
    read = []
    for pieces in students.values():
        there = {piece.tab for piece in pieces}
        read.append(StudentRows(pieces, source, [name for name in names if name not in there], aside, notes))
    return read


def _without_footers(students: dict[tuple[str, int], list[Piece]]) -> list[Diagnostic]:
    """Take away the lines of nobody, such as `mean`, if there are students as well. Return a note on each."""
    footers = [who for who in students if plain(who[0]) in NOBODY]
    if len(footers) == len(students):
        return []
    cells = (students.pop(who)[0].body[0] for who in footers)
    named = (next(cell for cell in row if plain(cell.text) in NOBODY) for row in cells)
    return [Diagnostic(_NOBODY.format(shorten(cell.text.strip())), cell.place) for cell in named]


class _Table(NamedTuple):
    """A tab: its header, in which the students' column is called `student`, and the lines below; `called` is how the
    file calls that column, empty where there is none.
    """

    sheet: Sheet
    header: list[Written]
    body: Rows
    called: str


def _require_one_name(tables: list[_Table], called: Sequence[str]) -> None:
    """Raise AttncalcError for a tab that calls the students' column otherwise than others do, or has none."""
    usual = min((table.called for table in tables if table.called), key=[*called].index, default="")
    if odd := next((table for table in tables if table.called != usual), None):
        column = f"the students in the column {shorten(odd.called)!r}" if odd.called else "no column of students"
        raise odd.header[0].fault(
            f"expected the column {usual!r} in every tab, found {column} in the tab {shorten(odd.sheet.name)!r}; "
            f"call that column {usual!r}"
        )


def _tables(sheets: Sequence[Sheet], source: str, called: Sequence[str]) -> Iterable[_Table]:
    if not sheets:
        raise AttncalcError(NO_ANSWERS, Location(source, 1, 1))
    headed = [(sheet, at) for sheet in sheets if (at := _header(sheet.rows, called)) is not None] or [(sheets[0], 0)]
    empty = [sheet.rows[at][0] for sheet, at in headed if len(sheet.rows) == at + 1]
    if len(empty) == len(headed):
        raise empty[0].fault("expected answers below the header, found none")
    for sheet, at in headed:
        refuse_askew(sheet.rows[at], sheet.rows[at + 1 :])
        header, name = in_brackets(sheet.rows[at]), ""
        if (k := _student(header, called)) is not None:
            name = plain(header[k].text)
            header[k] = Written("student", header[k].at)
        if len(sheet.rows) > at + 1:
            yield _Table(sheet, header, sheet.rows[at + 1 :], name)


def _header(rows: Rows, called: Sequence[str]) -> int | None:
    """Return the line that names the columns, a student beside entries or steps; headings for people may be above."""
    for k, row in enumerate(rows[:HEADER_WITHIN]):
        is_named = _student(row, called) is not None and (
            k == 0 and len(row) > 1 or any(OWN.fullmatch(cell.text) for cell in row)
        )
        if is_named or is_long(row) or any(ENTRY.fullmatch(cell.text) for cell in row):
            return k
    return None


def _student(header: list[Written], called: Sequence[str]) -> int | None:
    heads = ["" if ENTRY.fullmatch(cell.text) else plain(cell.text) for cell in header]
    return next((heads.index(name) for name in called if name in heads), None)


def _single(header: list[Written], sign: str) -> list[int]:
    """Return the columns of a student's single entries. If commas separate cells, others may hold several entries."""
    heads = {cell.text.strip().lower() for cell in header}
    names = long_names(header)
    is_by_entry = is_long(header) and ("entry" in heads or {"row", "column"} <= {*names})
    return [
        k
        for k, name in enumerate(names)
        if not (name in ABOUT or OWN.fullmatch(name))
        and (sign != "," or _ONE_ENTRY.fullmatch(name) or is_by_entry and name == "value")
    ]


def _set_points(pieces: list[Piece], single: dict[str, list[int]], is_comma: bool) -> None:
    """Put decimal points for decimal commas. All single entries of a student together show which sign is which."""
    places = [(row, k) for piece in pieces for row in piece.body for k in single[piece.tab] if k < len(row)]
    (cells,) = with_points([[row[k] for row, k in places]], is_comma)
    for (row, k), cell in zip(places, cells, strict=True):
        row[k] = cell


def _doubt_commas(rows: Rows, single: list[int]) -> None:
    """Put in doubt what may be a number that its decimal comma cut in two, and all entries behind it in its row: `0`
    and `731` in two columns where the others have 0.731 and 0.269.
    """
    decimals = {
        k: [len(match[1]) for row in rows if k < len(row) and (match := _POINTED.fullmatch(row[k].text.strip()))]
        for k in single
    }
    for row in rows:
        there = [k for k in single if k < len(row)]
        for first, second in pairwise(there):
            a, b = (row[k].text.strip() for k in (first, second))
            others = min(len(decimals[first]), len(decimals[second]))
            is_cut = second == first + 1 and _WHOLE.fullmatch(a) and b.isdecimal() and len(b) in decimals[first]
            if is_cut and len(b) > 1 and 2 * others > len(rows):
                doubt = (
                    f'{a} and {b}, which may be one number; write "{a},{b}" or {a}.{b}, and leave the missing entry '
                    "blank"
                )
                for k in there[there.index(first) :]:
                    row[k] = Unsure(row[k].text, row[k].at, doubt)
                break


def _of_students(header: list[Written], body: Rows) -> Iterable[tuple[tuple[str, int], Rows]]:
    """Yield the rows of each student, and how often the student came before. A row without one goes by its paper."""
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
    """Return the rows of the only student. Raises AttncalcError if there are several."""
    if len(rows) > 1:
        message = f"expected one student's answers, found the answers of {counted(len(rows), 'student')}"
        if not any(row.about("student") for row in rows):
            message = (
                f"expected one line of answers below the header, found {len(rows)}; write a matrix below the name of "
                "its step, such as S, or add a column student"
            )
            raise AttncalcError(message, Location(source, 1, 1))
        if not source.lower().endswith(CLASS_TABLES):
            message += f"; a class table ends in {', '.join(CLASS_TABLES)}"
        raise AttncalcError(message, Location(source, 1, 1))
    return rows[0]
