"""A workbook of LibreOffice (.ods) as tables of texts, read as those of Excel are: texts as they were typed, numbers
with at most 15 digits.

The tables of OpenDocument 1.3, part 3, section 9: rows and cells may be repeated, which is how a sheet says that a
million rows are empty.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from ..errors import AttncalcError, Diagnostic, Location, shorten
from .numbers import as_shown
from .written import Stored, Written

MOST_CELLS = 2_000_000
_TABLE, _TEXT, _OFFICE = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("table", "text", "office")
)
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_NUMBERS = ("float", "percentage", "currency")
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def read_opendocument(data: bytes, source: str) -> list[tuple[str, list[list[Written]]]]:
    """The tables in their order, each its name and its rows, those without a cell left out. Raises AttncalcError for
    what is none.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            content = archive.read("content.xml")
        if b"<!DOCTYPE" in content:
            raise ValueError("a document type")
        tables = ElementTree.fromstring(content).findall(f".//{_TABLE}table")
    except Exception as error:  # whatever a damaged file makes of a reader
        why = shorten(f"{type(error).__name__}: {error}", 100)
        said = f"expected a workbook (.ods), found a damaged file ({why}); open it and save it again"
        raise AttncalcError(Diagnostic(said, Location(source))) from None
    found = []
    for table in tables:
        name = table.get(f"{_TABLE}name", "")
        rows = list(_rows(table, source if len(tables) == 1 else f"{source}, {shorten(name)}", source))
        found += [(name, rows)] if rows else []
    return found


def _rows(table: ElementTree.Element, place: str, source: str) -> Iterator[list[Written]]:
    """The rows that are not blank."""
    at, count = 1, 0
    for row in table.iter(f"{_TABLE}table-row"):
        repeated = _repeated(row, "rows")
        cells = list(_cells(row))
        while cells and not cells[-1][0].strip():
            cells.pop()
        for k in range(repeated if cells else 0):
            count += len(cells)
            if count > MOST_CELLS:
                raise AttncalcError(
                    Diagnostic(f"expected a table of at most {MOST_CELLS:,} cells, found more", Location(source))
                )
            yield [
                _written(text, is_number, Location(place, at + k, j)) for j, (text, is_number) in enumerate(cells, 1)
            ]
        at += repeated


def _cells(row: ElementTree.Element) -> Iterator[tuple[str, bool]]:
    """The texts of a row, and which of them are numbers; what is empty up to the end is left out."""
    empty = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        text, is_number = _content(cell)
        if not text.strip():
            empty += _repeated(cell, "columns")
            continue
        if empty > MOST_CELLS:
            return
        yield from [("", False)] * empty
        yield from [(text, is_number)] * min(_repeated(cell, "columns"), MOST_CELLS)
        empty = 0


def _repeated(element: ElementTree.Element, what: str) -> int:
    text = element.get(f"{_TABLE}number-{what}-repeated", "1")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 1


def _content(cell: ElementTree.Element) -> tuple[str, bool]:
    """What stands in a cell, and whether it is a number."""
    shown = "\n".join(_line(paragraph) for paragraph in cell.findall(f"{_TEXT}p"))
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind in _NUMBERS:
        text = _number(cell.get(f"{_OFFICE}value", ""), shown)
        return (text, True) if text else (shown, False)
    return cell.get(f"{_OFFICE}{kind}-value", "") or shown, False


def _line(paragraph: ElementTree.Element) -> str:
    """A paragraph with its blanks, without comments and links around it."""
    found = paragraph.text or ""
    for child in paragraph:
        if child.tag == f"{_TEXT}s":
            count = child.get(f"{_TEXT}c", "1")
            found += " " * min(int(count) if count.isdigit() else 1, 100)
        elif child.tag != f"{_OFFICE}annotation":
            found += _line(child)
        found += child.tail or ""
    return found


def _number(value: str, shown: str) -> str:
    """The number, with the zeros with which it is shown; empty where it is none."""
    try:
        text = as_shown(float(value))
    except (ValueError, OverflowError):
        return ""
    pointed = shown.strip().replace("−", "-").replace(",", ".")
    return pointed if _PLAIN.fullmatch(pointed) and float(pointed) == float(text) else text


def _written(text: str, is_number: bool, place: Location) -> Written:
    return (Stored if is_number else Written)(text, lambda _: place)
