"""The class table on disk during data entry: each save is atomic, locked, and changes only the typed cells."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from ..api import read_bytes
from ..csv_writer import as_csv, safe_cell
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, counted, shorten
from ..problem.yaml_file.nodes import LARGEST_FILE
from ..safe_files import Hold, refuse_unwritable, write_file
from ..submissions.located_text import Written, whole
from ..submissions.script_reader import read_rows
from ..submissions.tables.csv_reader import delimiter, spans
from ..submissions.tables.table_reader import sheets_of
from ..submissions.tables.workbook import is_workbook
from ..submissions.text_encoding import decoded
from .class_table_scripts import CALLED
from .entry_form import Form
from .student_numbers import StudentNumbers

STUDENT, NAME, CODE = "student", "name", "problem"
_DECIMAL_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")
Table = tuple[list[str], list[list[str]]]  # the header and the rows


@dataclass(slots=True)
class TypedTable:
    """The CSV file of a form. It is read before each save, so that several people or a spreadsheet can edit
    it in turn.
    """

    path: str
    form: Form
    numbers: StudentNumbers = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = StudentNumbers(line.student for line in self.form.lines)

    @property
    def hold(self) -> Hold:
        """Lock of the table for one process, and within it for one thread."""
        return Hold(self.path)

    def check(self) -> None:
        """Raise AttncalcError if the file cannot be written or has other columns than the form."""
        self._rows(self._text())
        refuse_unwritable(self.path, force=True)
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.path.isdir(folder):
            raise AttncalcError(Diagnostic("the file cannot be written: there is no such folder", Location(self.path)))

    def cells(self, student: str, code: str) -> dict[str, str]:
        """Return the typed entries of a student and paper by column name; empty without a row."""
        return self._cells(self._rows(self._text()), student, code)

    def _cells(self, table: Table, student: str, code: str) -> dict[str, str]:
        head, body = table
        row = next((row for row in body if self._is_of(head, row, student, code)), [])
        known = {entry.key for tab in self.form.tabs for entry in tab.entries}
        return {name: text for name, text in zip(head, row, strict=False) if name in known and text.strip()}

    def typed(self) -> dict[tuple[str, str], int]:
        """Return the number of typed entries of each row by (student, code), without prefilled ones."""
        head, body = self._rows(self._text())
        filled = {(line.student.casefold(), line.code.casefold()): line.cells for line in self.form.lines}
        known = {
            k: name
            for k, name in enumerate(head)
            if any(name == entry.key for tab in self.form.tabs for entry in tab.entries)
        }
        counts = {}
        for row in body:
            who = self._student(head, row), _text(head, row, CODE)
            prefilled = filled.get((who[0].casefold(), who[1].casefold()), {})
            counts[who] = sum(bool(row[k].strip()) and not prefilled.get(name) for k, name in known.items())
        return counts

    def save(
        self,
        student: str,
        name: str,
        code: str,
        cells: Mapping[str, str],
        before: str = "",
        blank: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        """Write entries into a student's row, or into a new row with the prefilled entries of `blank`. `before` is the
        student number in the file. Return the row's entries.

        Raises AttncalcError where another row has this number, or the file cannot be written.
        """
        with self.hold:
            raw, text = self._read()
            head, body = self._rows(text)
            is_taken = any(self._is_of(head, row, student, code) for row in body)
            if is_taken and before.casefold() != student.casefold():
                raise AttncalcError(f"the student {shorten(student)!r} has a row in this table already")
            at = next((k for k, row in enumerate(body) if self._is_of(head, row, before or student, code)), None)
            wanted = {STUDENT: student, **({CODE: code} if code else {}), **cells}
            if at is None:
                wanted = {**({NAME: name} if name else {}), **(blank or {}), **wanted}
            else:  # a number or a code in other letters stays
                wanted = {
                    column: value
                    for column, value in wanted.items()
                    if column in cells or _text(head, body[at], column).casefold() != value.casefold()
                }
            edited = self._edited(text, at, wanted)
            write_file(self.path, edited.encode(_encoding(raw, text, edited)), force=True)
            return self._cells(self._rows(edited), student, code)

    def _edited(self, text: str, at: int | None, wanted: Mapping[str, str]) -> str:
        """Return the table with changed cells in row `at`, or in a new row. Raises AttncalcError if `grade` would read
        any other cell differently.
        """
        before = self._as_graded(text, at, wanted)
        for mark in ".,":  # where semicolons part cells, a decimal point can make thousands of other numbers' commas
            edited = self._edit(text, at, {name: _with_mark(name, value, mark) for name, value in wanted.items()})
            self._rows(edited)
            found = self._as_graded(edited, at, wanted)
            if before == (found if at is not None else found[:-1]):
                return edited
        message = "the table cannot be changed without changing other cells; save it as CSV UTF-8 or name another"
        raise AttncalcError(Diagnostic(message, Location(self.path)))

    def _as_graded(self, text: str, at: int | None, wanted: Iterable[str]) -> list[list[tuple[str | None, str]]]:
        """Return the cells of each row as `grade` reads them, with the names of their columns; without the columns
        `wanted` in row `at`. A cell to the right of the header has no name.
        """
        try:
            pieces = [piece for rows in read_rows(text, self.path, CALLED) for piece in rows.pieces]
        except AttncalcError:  # no row yet
            return []
        pairs = [(row, [cell.text.strip() for cell in piece.header]) for piece in pieces for row in piece.body]
        pairs.sort(key=lambda pair: (pair[0][0].place.line, pair[0][0].place.column))
        named = [[*zip_longest(head, (cell.text.strip() for cell in row))] for row, head in pairs]
        return [
            [(name, cell) for name, cell in row if cell and not (k == at and name in {*wanted})]
            for k, row in enumerate(named)
        ]

    def _edit(self, text: str, at: int | None, wanted: Mapping[str, str]) -> str:
        """Return the text of the file with changed cells in a row, or with a new row; other cells stay unchanged.
        Rows are counted below the header, without blank ones.
        """
        sign, end = delimiter(text), "\r\n" if "\r\n" in text else "\n"
        lines = [
            row for row in spans(whole(text, self.path), sign, True) if any(cell.text.strip() for cell, _, _ in row)
        ]
        columns = [cell.text.strip() for cell, _, _ in lines[0]]
        if missing := [name for name in wanted if name not in columns]:
            header, *body = ([cell for cell, _, _ in row] for row in lines)
            _refuse_unnamed(header, body, missing[0])
        columns += missing
        changes = {0: dict(enumerate(columns))}
        if at is not None:
            changes[at + 1] = {columns.index(name): value for name, value in wanted.items()}
        for k in sorted(changes, reverse=True):
            row = lines[k]
            cells = [text[start:stop] for _, start, stop in row]
            cells += [""] * (max(changes[k]) + 1 - len(row))
            for column, value in changes[k].items():
                if column >= len(row) or row[column][0].text.strip() != value:
                    cells[column] = _quote(value, sign)
            text = text[: row[0][1]] + sign.join(cells) + text[row[-1][2] :]
        if at is None:
            new = sign.join(_quote(wanted.get(name, ""), sign) for name in columns)
            text += ("" if text.endswith(("\n", "\r")) else end) + new + end
        return text

    def _text(self) -> str:
        """Return the text of the file, or the form's header if there is no file yet."""
        return self._read()[1]

    def _read(self) -> tuple[bytes, str]:
        """Return the bytes and the text of the file, or of the form's header if there is no file yet."""
        if not os.path.exists(self.path):
            text = as_csv([self._head()])
            return text.encode(), text
        raw = read_bytes(self.path, LARGEST_FILE)
        if is_workbook(raw):
            raise AttncalcError(Diagnostic("expected a table as .csv", Location(self.path)))
        return raw, decoded(raw, self.path).text

    def _rows(self, text: str) -> Table:
        """Return the header and the rows, padded to its length."""
        sheets = sheets_of(text, self.path)
        if not sheets:
            raise AttncalcError(Diagnostic("expected the table of a class, found an empty file", Location(self.path)))
        head, *body = [[cell.text.strip() for cell in row] for row in sheets[0].rows]
        if STUDENT not in head or not any("[" in name or name.startswith("q") for name in head):
            message = (
                "expected the table of a class, with the columns student and q1.S[0,0] ..., found another one; "
                "name another file"
            )
            raise AttncalcError(Diagnostic(message, Location(self.path, 1, 1)))
        used = {*self._head(), STUDENT, NAME, CODE}
        if twice := next((name for k, name in enumerate(head) if name in used and name in head[:k]), None):
            message = f"expected each column once, found {shorten(twice)} twice"
            raise AttncalcError(Diagnostic(message, sheets[0].rows[0][0].place))
        return head, [[*row, *[""] * (len(head) - len(row))] for row in body]

    def _student(self, head: list[str], row: list[str]) -> str:
        """Return the student of a row, with leading zeros restored."""
        student = _text(head, row, STUDENT)
        return self.numbers.resolve(student) or student

    def _is_of(self, head: list[str], row: list[str], student: str, code: str) -> bool:
        is_student = bool(student) and self._student(head, row).casefold() == student.casefold()
        return is_student and _text(head, row, CODE).casefold() in ("", code.casefold())

    def _head(self) -> list[str]:
        entries = [entry.key for tab in self.form.tabs for entry in tab.entries]
        return [STUDENT, *([NAME] if self.form.has_names else []), *([CODE] if self.form.has_codes else []), *entries]


def _quote(text: str, sign: str) -> str:
    """Return a CSV cell that is safe to open in a spreadsheet."""
    cell = safe_cell(text)
    return '"' + cell.replace('"', '""') + '"' if {*cell} & {*'",;\t', sign} else cell


def _refuse_unnamed(header: list[Written], body: list[list[Written]], column: str) -> None:
    """Raise AttncalcError for each row with more cells than the header: a new column would name them."""
    expected = f"expected at most {counted(len(header), 'cell')}, as the header has"
    remedy = f"the new column {shorten(column)} would name it: name its column, or remove it"
    faults = Diagnostics()
    for row in body:
        if further := [cell for cell in row[len(header) :] if cell.text.strip()]:
            faults.add(f"{expected}, found {shorten(further[0].text.strip())!r}; {remedy}", further[0].place)
    faults.raise_any()


def _with_mark(name: str, text: str, mark: str) -> str:
    """Return a number with this decimal mark, if it is the entry of a column."""
    return _DECIMAL_POINT.sub(mark, text) if "[" in name and _DECIMAL_POINT.search(text) else text


def _encoding(raw: bytes, text: str, edited: str) -> str:
    """Return UTF-8 with a byte-order mark if the table had one, or if a spreadsheet needs one for its first letter
    beyond ASCII.
    """
    is_unmarked = edited.isascii() or (not text.isascii() and raw == text.encode())
    return "utf-8" if is_unmarked and not raw.startswith(BOM_UTF8) else "utf-8-sig"


def _text(head: list[str], row: list[str], column: str) -> str:
    return row[head.index(column)] if column in head else ""
