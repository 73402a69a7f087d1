"""The tables in a file, whatever program saved it: CSV of every kind, or the sheets of a workbook. Every cell knows its
place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ...errors import AttncalcError, Diagnostic, Location
from ...problem.yaml_file.nodes import MOST_NODES
from ..located_text import Written, whole
from ..text_encoding import decoded
from .csv_reader import delimiter, lines

WORKBOOKS = (".xlsx", ".xlsm", ".ods")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: its name, and its lines that are not blank. `sign` stands between its cells; it is empty in a
    workbook.
    """

    name: str
    rows: list[list[Written]]
    sign: str
    note: Diagnostic | None = None


def sheets_of(data: bytes | str, source: str) -> list[Sheet]:
    """The tables of a file, none where it is blank; `note` says how a text was read that is not UTF-8.

    Everything that reads a table comes through here. Raises AttncalcError for a file that is too large, before it is
    taken apart, for what is no table, and for an encoding that cannot be told.
    """
    found = _sheets(data, source)
    if isinstance(found, AttncalcError):
        raise found
    return found


@lru_cache(maxsize=1)
def _sheets(data: bytes | str, source: str) -> list[Sheet] | AttncalcError:
    """Remembered, also why a file is refused: what is no table of a class is read as the script of one student next."""
    try:
        return _taken_apart(data, source)
    except AttncalcError as error:
        return error


def _taken_apart(data: bytes | str, source: str) -> list[Sheet]:
    if isinstance(data, bytes):
        from .workbook import is_workbook, read_workbook

        if is_workbook(data):
            return [Sheet(name, rows, "") for name, rows in read_workbook(data, source)]
    found = decoded(data, source)
    if sum(found.text.count(sign) for sign in ",;\t\n") > MOST_NODES:
        raise AttncalcError(Diagnostic(f"a file has at most {MOST_NODES:,} cells; this one has more", Location(source)))
    rows = cells_of(found.text, source)
    return [Sheet("", rows, delimiter(found.text), found.note)] if rows else []


def cells_of(text: str, source: str) -> list[list[Written]]:
    """The cells of every line that is not blank; the first is the header."""
    found = lines(whole(text, source), delimiter(text), header=True)
    return [row for row in found if any(cell.text.strip() for cell in row)]
