"""The class table on disk during data entry: each save is atomic, locked, and changes only the typed cells."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, counted, shorten
from ..problem.yaml_file.nodes import LARGEST_FILE, MARKED
from ..safe_files import Hold, allow_replacing, as_csv, refuse_unwritable, safe_cell, write_file
from ..submissions.class_table import StudentRows
from ..submissions.located_text import Unsure, Written, whole
from ..submissions.script_reader import read_rows
from ..submissions.tables.table_reader import delimiter, sheets_of, spans
from ..submissions.tables.workbook import is_workbook
from ..submissions.text_encoding import decoded
from .class_table_scripts import CALLED
from .entry_form import Form
from .student_numbers import StudentNumbers

GONE = "{file} was {how}: it is written again with its earlier contents"
LOST = "{file}: {count} of {student} had been saved and were missing; they are written again"
CHANGED = (
    "{file}: {name} of {student} was saved as {was}, but another program has changed it to {now}; the entry stays {now}"
)
LINKED = (
    "{file} has got a second name (a hard link); the file with that name keeps the table as it was before this save"
)
CONVERTED = "{file} is now UTF-8, because its earlier encoding lacks a character of this save"
UTF_8 = ("utf-8", "utf-8-sig")
STUDENT, NAME, CODE = "student", "name", "problem"
_DECIMAL_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")
Table = tuple[list[str], list[list[str]]]  # the header and the rows
Cell = tuple[str | None, str, bool]  # the name of its column, its text, and whether it may be two numbers


class Saved(NamedTuple):
    """The entries of a row after a save, what another program did to the table before it, and the row as `grade` reads
    it; None for a table that `grade` cannot read. `kept` are the entries that somebody else typed meanwhile, and that
    were not replaced.
    """

    cells: dict[str, str]
    notes: list[str]
    row: StudentRows | None
    kept: dict[str, str]


class RowEdit(NamedTuple):
    """Entries for a student's row, or for a new row with the prefilled entries of `blank`. `before` is the student
    number in the file, `seen` the texts of these entries when the person typed: others are not replaced.
    """

    student: str
    name: str
    code: str
    cells: Mapping[str, str]
    before: str = ""
    blank: Mapping[str, str] = {}
    seen: Mapping[str, str] = {}


class _Change(NamedTuple):
    """The cells to write into row `at`, those of them that were typed, and the entries of others, which stay."""

    at: int
    wanted: dict[str, str]
    typed: dict[str, str]
    kept: dict[str, str]


class SavedRow(NamedTuple):
    """A row that was saved: all its cells, and those that were typed."""

    cells: dict[str, str]
    typed: dict[str, str]


@dataclass(slots=True)
class TypedTable:
    """The CSV file of a form. It is read before each save, so that several people or a spreadsheet can edit
    it in turn. What was saved and is no longer there is written again, and reported.
    """

    path: str
    form: Form
    numbers: StudentNumbers = field(init=False)
    _seen: bytes = field(init=False, default=b"")  # the file when it was there last
    _written: bytes = field(init=False, default=b"")  # the file after the last save
    _saved: dict[tuple[str, str], SavedRow] = field(init=False, default_factory=dict)  # by student and code

    def __post_init__(self) -> None:
        self.numbers = StudentNumbers(line.student for line in self.form.lines)

    @property
    def hold(self) -> Hold:
        """Lock of the table for one process, and within it for one thread."""
        return Hold(self.path)

    def check(self) -> None:
        """Raise AttncalcError if the file cannot be written or has other columns than the form."""
        self._rows(self._text())
        allow_replacing(self.path)
        refuse_unwritable(self.path, force=True)
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.path.isdir(folder):
            raise AttncalcError("the file cannot be written: this folder does not exist", Location(self.path))
        if self._has_links():
            message = (
                "the file has a second name (a hard link), and saving would separate the two names; "
                "copy the file and use the copy"
            )
            raise AttncalcError(message, Location(self.path))

    def _has_links(self) -> bool:
        return os.path.isfile(self.path) and os.stat(self.path).st_nlink > 1

    def cells(self, student: str, code: str) -> dict[str, str]:
        """Return the typed entries of a student and paper by column name; empty without a row."""
        return self._cells(self._rows(self._text()), student, code)

    def _cells(self, table: Table, student: str, code: str) -> dict[str, str]:
        head, body = table
        row = next((row for row in body if self._is_of(head, row, student, code)), [])
        known = self.form.keys
        return {name: text for name, text in zip(head, row, strict=False) if name in known and text.strip()}

    def entries(self) -> dict[tuple[str, str], dict[str, str]]:
        """Return the entries of each row by (student, code), and by column name."""
        head, body = self._rows(self._text())
        keys = self.form.keys
        known = {k: name for k, name in enumerate(head) if name in keys}
        return {
            (self._student(head, row), _text(head, row, CODE)): {
                name: row[k] for k, name in known.items() if row[k].strip()
            }
            for row in body
        }

    def typed(self) -> dict[tuple[str, str], int]:
        """Return the number of typed entries of each row by (student, code), without prefilled ones."""
        filled = {(line.student.casefold(), line.code.casefold()): line.cells for line in self.form.lines}
        counts = {}
        for (student, code), cells in self.entries().items():
            prefilled = filled.get((student.casefold(), code.casefold()), {})
            counts[student, code] = sum(not prefilled.get(name) for name in cells)
        return counts

    def save(
        self,
        student: str,
        name: str,
        code: str,
        cells: Mapping[str, str],
        before: str = "",
        blank: Mapping[str, str] = {},
        seen: Mapping[str, str] = {},
    ) -> Saved:
        """Write entries into a student's row, or into a new row, as `save_rows` does."""
        return self.save_rows([RowEdit(student, name, code, cells, before, blank, seen)])[0]

    def save_rows(self, edits: Sequence[RowEdit]) -> list[Saved]:
        """Write the entries of several rows at once.

        Raises AttncalcError where another row has the number of one, or the file cannot be written.
        """
        with self.hold:
            is_gone = bool(self._seen) and not self._is_there()
            how = "empty" if os.path.exists(self.path) else "not there"
            notes = [GONE.format(file=self.path, how=how)] if is_gone else []
            raw, text = self._read()
            text, changed = self._with_saved(text, notes) if raw != self._written else (text, {})
            notes += [LINKED.format(file=self.path)] if self._has_links() else []
            table = self._rows(text)
            count = len(table[1])
            changes = [self._change(table, edit) for edit in edits]
            edited = self._edited(text, count, {change.at: change.wanted for change in changes})
            raw = self._encoded(raw, text, edited, notes)
            write_file(self.path, raw, force=True)
            self._seen = self._written = raw
            for key, texts in changed.items():
                self._saved[key].typed.update(texts)
            graded = _graded_rows(edited, self.path)
            table = self._rows(edited)
            return [
                Saved(
                    self._remember(table, edit, change.typed),
                    notes,
                    next(iter(graded[change.at : change.at + 1]), None),
                    change.kept,
                )
                for edit, change in zip(edits, changes, strict=True)
            ]

    def _change(self, table: Table, edit: RowEdit) -> _Change:
        """Return what an edit changes. A new row is added to the table."""
        head, body = table
        student, code = edit.student, edit.code
        before = edit.before
        at = next((k for k, row in enumerate(body) if before and self._is_of(head, row, before, code)), None)
        taken = (row for k, row in enumerate(body) if k != at and self._is_student(head, row, student))
        if (at is None or before.casefold() != student.casefold()) and (row := next(taken, None)):
            other = _text(head, row, CODE)
            paper = f", for the paper {shorten(other)}" if other.casefold() not in ("", code.casefold()) else ""
            raise AttncalcError(f"the student {shorten(student)!r} already has a row in this table{paper}")
        kept = {} if at is None else _typed_by_others(dict(zip(head, body[at], strict=False)), edit.cells, edit.seen)
        cells = {column: value for column, value in edit.cells.items() if column not in kept}
        wanted = {STUDENT: student, **({CODE: code} if code else {}), **cells}
        if at is None:
            wanted = {**({NAME: edit.name} if edit.name else {}), **edit.blank, **wanted}
            body.append([wanted.get(column, "") for column in head])
            return _Change(len(body) - 1, wanted, cells, kept)
        wanted = {  # a number or a code in other letters stays
            column: value
            for column, value in wanted.items()
            if column in cells or _text(head, body[at], column).casefold() != value.casefold()
        }
        return _Change(at, wanted, cells, kept)

    def _with_saved(self, text: str, notes: list[str]) -> tuple[str, dict[tuple[str, str], dict[str, str]]]:
        """Return the table with all rows and entries that were saved and that it lacks; and entries that another
        program has changed, which stay. Add a note for each.
        """
        changed = {}
        for (student, code), saved in self._saved.items():
            head, body = self._rows(text)
            at = next((k for k, row in enumerate(body) if self._is_of(head, row, student, code)), len(body))
            now = {name: _text(head, row, name) for row in body[at : at + 1] for name in saved.typed}
            lost = {name: value for name, value in saved.typed.items() if value and not now.get(name)}
            if lost:
                text = self._edited(text, len(body), {at: lost if at < len(body) else saved.cells})
                notes.append(LOST.format(file=self.path, student=student, count=counted(len(lost), "entry")))
            other = {name: value for name, value in now.items() if name not in lost and value != saved.typed[name]}
            for name, value in other.items():
                was = shorten(saved.typed[name]) or "nothing"
                notes.append(CHANGED.format(file=self.path, student=student, name=name, was=was, now=shorten(value)))
            changed[student, code] = other
        return text, changed

    def _remember(self, table: Table, edit: RowEdit, typed: Iterable[str]) -> dict[str, str]:
        """Remember a row that was saved, and return its entries."""
        head, body = table
        student, code = edit.student, edit.code
        row = next(row for row in body if self._is_of(head, row, student, code))
        cells = {name: cell for name, cell in zip(head, row, strict=False) if name and cell}
        earlier = self._saved.pop((edit.before or student, code), self._saved.pop((student, code), SavedRow({}, {})))
        now = {name: cells.get(name, "") for name in typed}
        self._saved[student, code] = SavedRow(cells, earlier.typed | now)
        return self._cells(table, student, code)

    def _edited(self, text: str, count: int, changes: Mapping[int, Mapping[str, str]]) -> str:
        """Return the table with changed cells, by row; rows from `count` on are new. If possible, with a decimal
        mark with which `grade` reads the typed numbers. Raises AttncalcError if it would read any other cell
        differently.
        """
        changes = {at: wanted for at, wanted in sorted(changes.items()) if wanted or at >= count}
        if not changes:
            return text
        before, possible = self._as_graded(text), []
        new = sum(at >= count for at in changes)
        for mark in ".,":  # where semicolons part cells, a decimal point can make thousands of other numbers' commas
            marked = {
                at: {name: _with_mark(name, value, mark) for name, value in wanted.items()}
                for at, wanted in changes.items()
            }
            edited = self._edit(text, marked)
            self._rows(edited)
            after = self._as_graded(edited)
            if _without(before, changes) == _without(after[: len(after) - new], changes):
                possible.append(edited)
                rows = {at: after[at - count - new if at >= count else at] if after else [] for at in changes}
                if all(
                    (name, value, False) in rows[at]
                    for at, wanted in changes.items()
                    for name, value in wanted.items()
                    if value
                ):
                    return edited
        if possible:
            return possible[0]
        message = (
            "this entry would change how other cells of this table are read; save the table as CSV UTF-8, or choose a "
            "different table"
        )
        raise AttncalcError(message, Location(self.path))

    def _as_graded(self, text: str) -> list[list[Cell]]:
        """Return the cells of each row as `grade` reads them. A cell to the right of the header has no name."""
        return [
            [
                (name, cell.text.strip(), isinstance(cell, Unsure))
                for head, row in [([cell.text.strip() for cell in piece.header], piece.body[0])]
                for name, cell in zip_longest(head, row)
                if cell is not None and cell.text.strip()
            ]
            for piece in (row.pieces[0] for row in _graded_rows(text, self.path))
        ]

    def _edit(self, text: str, changes: Mapping[int, Mapping[str, str]]) -> str:
        """Return the text of the file with changed cells in rows, or with new rows; other cells stay unchanged.
        Rows are counted below the header, without blank ones.
        """
        sign, end = delimiter(text), "\r\n" if "\r\n" in text else "\n"
        lines = [
            row for row in spans(whole(text, self.path), sign, True) if any(cell.text.strip() for cell, _, _ in row)
        ]
        columns = [cell.text.strip() for cell, _, _ in lines[0]]
        if missing := [name for name in dict.fromkeys(chain(*changes.values())) if name not in columns]:
            header, *body = ([cell for cell, _, _ in row] for row in lines)
            _refuse_unnamed(header, body, missing[0])
        columns += missing
        index = {name: k for k, name in reversed([*enumerate(columns)])}
        cells_of_line = {0: dict(enumerate(columns))} | {
            at + 1: {index[name]: value for name, value in wanted.items()} for at, wanted in changes.items()
        }
        for k in sorted((k for k in cells_of_line if k < len(lines)), reverse=True):
            row = lines[k]
            cells = [text[start:stop] for _, start, stop in row]
            cells += [""] * (max(cells_of_line[k]) + 1 - len(row))
            for column, value in cells_of_line[k].items():
                if column >= len(row) or row[column][0].text.strip() != value:
                    cells[column] = _quote(value, sign)
            text = text[: row[0][1]] + sign.join(cells) + text[row[-1][2] :]
        for at, wanted in changes.items():
            if at + 1 >= len(lines):
                new = sign.join(_quote(wanted.get(name, ""), sign) for name in columns)
                text += ("" if text.endswith(("\n", "\r")) else end) + new + end
        return text

    def _is_there(self) -> bool:
        """Return whether the file exists. A table that was emptied counts as deleted."""
        return os.path.exists(self.path) and not (self._seen and os.path.getsize(self.path) == 0)

    def _text(self) -> str:
        """Return the text of the file, or the form's header if there is no file yet."""
        return self._read()[1]

    def _read(self) -> tuple[bytes, str]:
        """Return the bytes and the text of the file; if it is gone as it was last, and else the form's header."""
        if is_there := self._is_there():
            raw = read_bytes(self.path, LARGEST_FILE)
        else:
            raw = self._seen or as_csv([self._head()]).encode()
        if is_workbook(raw):
            raise AttncalcError("expected a table as .csv", Location(self.path))
        text = decoded(raw, self.path).text
        if is_there:
            self._seen = raw
        return raw, text

    def _encoded(self, raw: bytes, text: str, edited: str, notes: list[str]) -> bytes:
        """Return the bytes of an edited table in the encoding of the file. If it lacks a character, return UTF-8, and
        add a note.
        """
        encoding = decoded(raw, self.path).encoding
        if encoding in UTF_8:
            return edited.encode(_marked_if_needed(raw, text, edited))
        mark = next((mark for mark, _ in MARKED if raw.startswith(mark)), b"")
        codec = f"{encoding}-{'le' if mark[0] == 0xFF else 'be'}" if mark else encoding
        with suppress(UnicodeEncodeError, AttncalcError):
            new = mark + edited.encode(codec)
            if decoded(new, self.path).text == edited:
                return new
        notes.append(CONVERTED.format(file=self.path))
        return edited.encode("utf-8-sig")

    def _rows(self, text: str) -> Table:
        """Return the header and the rows, padded to its length."""
        sheets = sheets_of(text, self.path)
        if not sheets:
            raise AttncalcError("expected a class table, found an empty file", Location(self.path))
        head, *body = [[cell.text.strip() for cell in row] for row in sheets[0].rows]
        if STUDENT not in head or not any("[" in name or name.startswith("q") for name in head):
            message = (
                "expected a class table, with the columns student and q1.S[0,0] ..., found a different table; choose "
                "a different file"
            )
            raise AttncalcError(message, Location(self.path, 1, 1))
        used = {*self._head(), STUDENT, NAME, CODE}
        if twice := next((name for k, name in enumerate(head) if name in used and name in head[:k]), None):
            message = f"expected each column once, found {shorten(twice)} twice"
            raise AttncalcError(message, sheets[0].rows[0][0].place)
        return head, [[*row, *[""] * (len(head) - len(row))] for row in body]

    def _student(self, head: list[str], row: list[str]) -> str:
        """Return the student of a row, with leading zeros restored."""
        student = _text(head, row, STUDENT)
        return self.numbers.resolve(student) or student

    def _is_student(self, head: list[str], row: list[str], student: str) -> bool:
        meant = self.numbers.resolve(student) or student
        return bool(student) and self._student(head, row).casefold() == meant.casefold()

    def _is_of(self, head: list[str], row: list[str], student: str, code: str) -> bool:
        return self._is_student(head, row, student) and _text(head, row, CODE).casefold() in ("", code.casefold())

    def _head(self) -> list[str]:
        about = [*([NAME] if self.form.has_names else []), *([CODE] if self.form.has_codes else [])]
        return [STUDENT, *about, *self.form.keys]


def _typed_by_others(row: Mapping[str, str], cells: Mapping[str, str], seen: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of a row that are neither what the person saw nor what the person typed."""
    return {
        name: now
        for name, typed in cells.items()
        if (now := row.get(name, "").strip())
        and name in seen
        and now not in (seen[name], *(_with_mark(name, typed, mark) for mark in ".,"))
    }


def _without(rows: list[list[Cell]], changes: Mapping[int, Mapping[str, str]]) -> list[list[Cell]]:
    """Return the cells without those that are typed. A save may bring the others of their rows into doubt."""
    return [
        [(name, text, False) for name, text, _ in cells if name not in changes[k]] if k in changes else cells
        for k, cells in enumerate(rows)
    ]


@lru_cache(maxsize=2)  # before and after a save
def _graded_rows(text: str, path: str) -> list[StudentRows]:
    """Return the rows as `grade` reads them, in the order of the table; empty if it cannot read any."""
    try:
        rows = [row for row in read_rows(text, path, CALLED) if len(row.pieces) == len(row.pieces[0].body) == 1]
    except AttncalcError:  # no row yet
        return []
    return sorted(rows, key=lambda row: (row.place.line, row.place.column))


def _quote(text: str, sign: str) -> str:
    """Return a CSV cell that is safe to open in a spreadsheet."""
    cell = safe_cell(text)
    return '"' + cell.replace('"', '""') + '"' if {*cell} & {*'",;\t', sign} else cell


def _refuse_unnamed(header: list[Written], body: list[list[Written]], column: str) -> None:
    """Raise AttncalcError for each row with more cells than the header: a new column would name them."""
    expected = f"expected at most {counted(len(header), 'cell')}, as in the header"
    remedy = (
        f"the new column {shorten(column)} would become the header of this cell: write a header above it, or remove it"
    )
    faults = Diagnostics()
    for row in body:
        if further := [cell for cell in row[len(header) :] if cell.text.strip()]:
            faults.add(f"{expected}, found {shorten(further[0].text.strip())!r}; {remedy}", further[0].place)
    faults.raise_any()


def _with_mark(name: str, text: str, mark: str) -> str:
    """Return a number with this decimal mark, if it is the entry of a column."""
    return _DECIMAL_POINT.sub(mark, text) if "[" in name and _DECIMAL_POINT.search(text) else text


def _marked_if_needed(raw: bytes, text: str, edited: str) -> str:
    """Return UTF-8, with a byte-order mark if the table had one or a spreadsheet needs one beyond ASCII."""
    is_unmarked = edited.isascii() or (not text.isascii() and raw == text.encode())
    return "utf-8" if is_unmarked and not raw.startswith(BOM_UTF8) else "utf-8-sig"


def _text(head: list[str], row: list[str], column: str) -> str:
    return row[head.index(column)] if column in head else ""
