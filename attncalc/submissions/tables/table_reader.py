"""The tables in a file, whatever saved it: CSV of every kind, or sheets of a workbook. Every cell knows its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ...errors import AttncalcError, Diagnostic, Location
from ...problem.yaml_file.nodes import MOST_NODES
from ..answer_examples import beyond
from ..located_text import Written, whole
from ..text_encoding import decoded, seen
from .csv_reader import delimiter, lines
from .xml_stream import MOST_COLUMNS

WORKBOOKS = (".xlsx", ".xlsm", ".ods")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: its name, and its lines that are not blank. `sign` parts its cells; it is empty in a workbook."""

    name: str
    rows: list[list[Written]]
    sign: str
    note: Diagnostic | None = None


def sheets_of(data: bytes | str, source: str, hidden: bool = False) -> list[Sheet]:
    """Return the tables of a file, none where it is blank; `note` says how a text was read that is not UTF-8.

    Cells are as a reader sees them; with `hidden` they keep characters without width. Everything that reads a table
    comes through here. Raises AttncalcError for a file that is too large, for what is no table, and for an unknown
    encoding.
    """
    sheets = _sheets(data, source)
    if isinstance(sheets, AttncalcError):
        raise sheets
    return sheets if hidden else list(map(_seen, sheets))


def _seen(sheet: Sheet) -> Sheet:
    """Return a sheet with its cells as a reader sees them."""
    rows = [
        [cell if cell.text.isascii() else replace(cell, text=seen(cell.text)) for cell in row] for row in sheet.rows
    ]
    return replace(sheet, rows=rows)


@lru_cache(maxsize=1)
def _sheets(data: bytes | str, source: str) -> list[Sheet] | AttncalcError:
    """Return the tables of a file, or why it is refused. Both are remembered: what is no table of a class is read as
    the script of one student next.
    """
    try:
        return _taken_apart(data, source)
    except AttncalcError as error:
        return error


def _taken_apart(data: bytes | str, source: str) -> list[Sheet]:
    if isinstance(data, bytes):
        from .workbook import is_workbook, read_workbook

        if is_workbook(data):
            return [Sheet(name, rows, "") for name, rows in read_workbook(data, source)]
    text_read = decoded(data, source)
    if (cells := sum(text_read.text.count(sign) for sign in ",;\t\n")) > MOST_NODES:
        raise AttncalcError(beyond(f"at most {MOST_NODES:,} cells", f"{cells:,}"), Location(source))
    rows = cells_of(text_read.text, source)
    if (wide := next((row for row in rows if len(row) > MOST_COLUMNS), None)) is not None:
        raise wide[MOST_COLUMNS].fault(beyond(f"a table of at most {MOST_COLUMNS:,} columns", f"{len(wide):,}"))
    return [Sheet("", rows, delimiter(text_read.text), text_read.note)] if rows else []


def cells_of(text: str, source: str) -> list[list[Written]]:
    """Return the cells of every line that is not blank; the first is the header."""
    rows = list(lines(whole(text, source), delimiter(text), header=True))
    return [row for row in rows if any(cell.text.strip() for cell in row)]
