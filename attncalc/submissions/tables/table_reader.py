"""The tables in a file, whatever saved it: CSV of every kind, or sheets of a workbook. Every cell knows its place.

CSV is read as spreadsheets write it: commas, semicolons or tabs, quotes, and Excel's line that names the sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ...errors import AttncalcError, Diagnostic, Location
from ...problem.yaml_file.nodes import MOST_NODES
from ..answer_examples import beyond
from ..located_text import MINUS, Written, whole
from ..text_encoding import decoded_table, seen
from .xml_stream import MOST_COLUMNS

WORKBOOKS = (".xlsx", ".xlsm", ".ods")


_NO_WORKBOOK = (
    "expected a workbook, found a different kind of file; save it as .xlsx, or give a text file an ending such "
    "as .csv or .txt"
)


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
        if source.lower().endswith(WORKBOOKS):
            raise AttncalcError(_NO_WORKBOOK, Location(source))
    text_read = decoded_table(data, source)
    sign = delimiter(text_read.text)
    rows = cells_of(whole(text_read.text, source), sign)
    if rows and len(rows[0]) > MOST_COLUMNS:  # a longer line below the header costs only its student
        raise rows[0][MOST_COLUMNS].fault(beyond(f"a table of at most {MOST_COLUMNS:,} columns"))
    return [Sheet("", rows, sign, text_read.note)] if rows else []


def cells_of(written: Written, sign: str) -> list[list[Written]]:
    """Return the cells of every line that is not blank, which a sign separates. The first line is the header.

    If a table has many cells, of a line that is longer than the header only the cells are kept that show this. Such a
    line costs only its student.
    """
    rows: list[list[Written]] = []
    count = 0
    for row in lines(written, sign, header=True):
        if rows and count + len(row) > MOST_NODES:
            row = _shortened(row, len(rows[0]))
        count += len(row)
        if count > MOST_NODES:
            raise row[0].fault(beyond(f"at most {MOST_NODES:,} cells"))
        if any(cell.text.strip() for cell in row):
            rows.append(row)
    return rows


def _shortened(row: list[Written], most: int) -> list[Written]:
    """Return the cells of a row up to the first one beyond `most` that is not blank."""
    return row[: next((k + 1 for k in range(most, len(row)) if row[k].text.strip()), most)]


# -- CSV ---------------------------------------------------------------------------------------------------------------


SIGNS = ("\t", ";", ",")
SAMPLE = 20  # lines from which the sign is told
# S[0,1], [[1, 2], [3, 4]], "a, b"
_HELD = re.compile(r"\([ 0-9]+,[ 0-9]+\)|\[(?:[^\[\]\r\n]++|\[[^\[\]\r\n]*+\])*+\]|\"[^\"]*+\"")
_SEP = re.compile(r"\s*\"?sep=([\t;,|])\"?[ \t;,]*(?:\r\n|[\r\n]|$)", re.IGNORECASE)
_WITH_COMMAS = re.compile(  # 0,5;1,5
    rf"(?>[^,;]*;|\s*{MINUS}?[0-9]+(?:,[0-9]+)?(?:[eE][+-]?[0-9]+)?%?\s*(?:;|$))++[^,;]*"
)
_GUARDED = re.compile(r"'(?:[=+\-@|%]|\.?[0-9][^']*\Z)")
_AS_TEXT = re.compile(r'\s*="(.*)"\s*', re.DOTALL)  # ="00417", which keeps its zeros


def first_line(text: str) -> str:
    """Return the first line that is neither blank nor names the separator."""
    stated = _SEP.match(text)
    return next((line for line in text[stated.end() if stated else 0 :].splitlines() if line.strip()), "")


def delimiter(text: str) -> str:
    """Return the separator: the one that the first line names, else the one in most of the first lines."""
    if stated := _SEP.match(text):
        return stated[1]
    lines = [line for line in _HELD.sub("", text)[:100_000].splitlines() if line.strip()][:SAMPLE]
    first = lines[0] if lines else ""
    parted = [line for line in lines if ";" in line]
    others = [line for line in lines if ";" not in line and "," in line]
    is_shown = any("," in line for line in parted) and all(map(_WITH_COMMAS.fullmatch, others))  # 0,5 below 0,5;1,5
    commas = (2 * len(parted) > len(lines) or is_shown) and all(map(_WITH_COMMAS.fullmatch, parted))
    return max(
        SIGNS,
        key=lambda sign: (
            commas and sign == ";", sum(sign in line for line in lines), sign == "\t", first.count(sign), sign == ",",
        ),
    )  # fmt: skip


def lines(written: Written, sign: str, header: bool) -> Iterator[list[Written]]:
    """Yield the cells of each line; quotes may hold anything, and in the header so may square brackets."""
    for row in spans(written, sign, header):
        yield [cell for cell, _, _ in row]


def spans(written: Written, sign: str, header: bool) -> Iterator[list[tuple[Written, int, int]]]:
    """Yield the cells of each line, each with the characters of the text from which and up to which it is written."""
    stated = _SEP.match(written.text)
    text, k, row = written.text, stated.end() if stated else 0, list[tuple[Written, int, int]]()
    while k <= len(text):
        start = k
        cell, k = _cell(written, k, sign, header)
        # Of a line that is too long, the first cell beyond the limit that is not blank is enough to refuse it
        if len(row) < MOST_COLUMNS or len(row) == MOST_COLUMNS and cell.text.strip():
            row.append((cell, start, k))
        if k < len(text) and text[k] == sign:
            k += 1
            continue
        yield row
        header = header and not any(cell.text.strip() for cell, _, _ in row)
        row = []
        k += 2 if text.startswith("\r\n", k) else 1


def _cell(written: Written, start: int, sign: str, header: bool) -> tuple[Written, int]:
    """Return the cell that begins there, and where it ends."""
    text = written.text
    quoted = re.compile(r'[ ]*"((?:[^"]|"")*)"[ ]*').match(text, start)
    if quoted and (quoted.end() == len(text) or text[quoted.end()] in sign + "\r\n"):
        inside, first = quoted[1].replace('""', '"'), quoted.start(1)
        return _bare(Written(inside, lambda k: written.at(first + k))), quoted.end()
    plain = re.compile(
        rf"(?:\[[^\[\]\r\n]*\]|(?<=\w)\([ 0-9]+,[ 0-9]+\)|[^{sign}\r\n])*" if header else rf"[^{sign}\r\n]*"
    ).match(text, start)
    stop = plain.end() if plain else start
    return _bare(written.part(start, stop)), stop


def _bare(cell: Written) -> Written:
    """Return a cell without the formula around a text that a spreadsheet is to keep as it is, and without an apostrophe
    before what it would take for one, or for a number.
    """
    if cell.text.startswith("'") and _GUARDED.match(cell.text):
        return cell.part(1, len(cell.text))
    held = _AS_TEXT.fullmatch(cell.text) if cell.text.lstrip().startswith('="') else None
    return cell.part(*held.span(1)) if held else cell
