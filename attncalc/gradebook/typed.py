"""The table of a class on disk while somebody types into it: every save writes it whole or not at all, and keeps what
others put there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ..answers.sheets import sheets_of
from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..files import write_file
from ..problem.text import LARGEST_FILE
from ..spreadsheet import as_csv
from .form import Form

STUDENT, NAME, CODE = "student", "name", "problem"


@dataclass(slots=True)
class TypedTable:
    """A CSV of a form. It is read again before each save, so that two people, or a spreadsheet, may work on it in
    turns.
    """

    path: str
    form: Form

    def check(self) -> None:
        """Raises AttncalcError where the file cannot be written, or is no table of this form's columns."""
        self._read()
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.path.isdir(folder):
            raise AttncalcError(Diagnostic("the file cannot be written: there is no such folder", Location(self.path)))

    def cells(self, student: str, code: str) -> dict[str, str]:
        """What is typed for a student and a paper, by the names of the columns; nothing where there is no row yet."""
        head, body = self._read()
        row = next((row for row in body if _is_of(head, row, student, code)), None)
        known = {entry.key for tab in self.form.tabs for entry in tab.entries}
        return {name: row[k] for k, name in enumerate(head) if name in known and row[k].strip()} if row else {}

    def typed(self) -> dict[tuple[str, str], int]:
        """How many entries are typed in each row, by student and code; those that were filled in are not counted."""
        head, body = self._read()
        filled = {(line.student.casefold(), line.code.casefold()): line.cells for line in self.form.lines}
        known = {
            k: name
            for k, name in enumerate(head)
            if any(name == entry.key for tab in self.form.tabs for entry in tab.entries)
        }
        found = {}
        for row in body:
            who = _text(head, row, STUDENT), _text(head, row, CODE)
            own = filled.get((who[0].casefold(), who[1].casefold()), {})
            found[who] = sum(bool(row[k].strip()) and not own.get(name) for k, name in known.items())
        return found

    def save(self, student: str, name: str, code: str, cells: Mapping[str, str], before: str = "") -> None:
        """Puts a student's entries into their row, or into a new one; `before` is the number under which it stands
        until now.

        Raises AttncalcError where another row has this number, or the file cannot be written.
        """
        head, body = self._read()
        is_taken = any(_is_of(head, row, student, code) for row in body)
        if is_taken and before.casefold() != student.casefold():
            raise AttncalcError(f"the student {shorten(student)!r} has a row in this table already")
        wanted = {STUDENT: student, **({NAME: name} if name else {}), **({CODE: code} if code else {}), **cells}
        head += [column for column in wanted if column not in head]
        body = [[*row, *[""] * (len(head) - len(row))] for row in body]
        row = next((row for row in body if _is_of(head, row, before or student, code)), None)
        if row is None:
            row = [""] * len(head)
            body.append(row)
        for column, text in wanted.items():
            row[head.index(column)] = text
        text = as_csv([head, *body])
        write_file(self.path, text if text.isascii() else "\ufeff" + text, force=True)

    def _read(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows as they are; those of the form where there is no file yet."""
        if not os.path.exists(self.path):
            return self._head(), []
        sheets = sheets_of(read_bytes(self.path, LARGEST_FILE), self.path)
        if not sheets or sheets[0].sign == "":
            said = "expected a table as .csv" if sheets else "expected the table of a class, found an empty file"
            raise AttncalcError(Diagnostic(said, Location(self.path)))
        head, *body = [[cell.text.strip() for cell in row] for row in sheets[0].rows]
        if STUDENT not in head or not any("[" in name or name.startswith("q") for name in head):
            said = (
                "expected the table of a class, with the columns student and q1.S[0,0] ..., found another one; "
                "name another file"
            )
            raise AttncalcError(Diagnostic(said, Location(self.path, 1, 1)))
        return head, [[*row, *[""] * (len(head) - len(row))] for row in body]

    def _head(self) -> list[str]:
        entries = [entry.key for tab in self.form.tabs for entry in tab.entries]
        return [STUDENT, *([NAME] if self.form.has_names else []), *([CODE] if self.form.has_codes else []), *entries]


def _is_of(head: list[str], row: list[str], student: str, code: str) -> bool:
    is_student = bool(student) and _text(head, row, STUDENT).casefold() == student.casefold()
    return is_student and _text(head, row, CODE).casefold() in ("", code.casefold())


def _text(head: list[str], row: list[str], column: str) -> str:
    return row[head.index(column)] if column in head else ""
