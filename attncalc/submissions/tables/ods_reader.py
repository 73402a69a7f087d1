"""A workbook of LibreOffice (.ods) as lines of cells: texts as they were typed, numbers with at most 15 digits.

The tables of OpenDocument 1.3, part 3, section 9: rows and cells may be repeated, which is how a sheet says that a
million rows are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .xml_stream import Cell, Line, Parts, Table, Xml, as_shown, number, require_column

CONTENT = "content.xml"
MOST_REPEATED = 2**20  # as many rows as a spreadsheet has
_GROUPS = ("table-row-group", "table-header-rows", "table-rows")
_CELLS = ("table-cell", "covered-table-cell")
_NUMBERS = ("float", "percentage", "currency")
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def read_opendocument(parts: Parts) -> Iterator[Table]:
    """Yield the tables in their order. Raises what `Parts` raises."""
    xml = parts.xml(CONTENT)
    for _ in xml.children():
        for body, _ in xml.children():
            for kind, _ in xml.children() if body == "body" else ():
                for name, attributes in xml.children() if kind == "spreadsheet" else ():
                    if name == "table":
                        yield attributes.get("name", ""), _rows(xml)


def _rows(xml: Xml) -> Iterator[Line]:
    """Yield the rows with content, each with its number; rows of groups as well, which may be in other groups."""
    at, open_groups = 1, [xml.children()]
    while open_groups:
        name, attributes = next(open_groups[-1], ("", {}))
        if not name:
            open_groups.pop()
        elif name in _GROUPS:
            open_groups.append(xml.children())
        elif name == "table-row":
            cells = _cells(xml)
            repeated = number(attributes.get("number-rows-repeated", ""), MOST_REPEATED, 1)
            for k in range(repeated if cells else 0):
                yield at + k, cells
            at += repeated


def _cells(xml: Xml) -> dict[int, Cell]:
    """Return the cells of a row that hold something, by their columns from 1."""
    cells: dict[int, Cell] = {}
    at = 1
    for name, attributes in xml.children():
        if name not in _CELLS:
            continue
        spans = (number(attributes.get(f"number-{axis}-spanned", ""), MOST_REPEATED, 1) for axis in ("rows", "columns"))
        cell = _content(xml, attributes)._replace(is_merged=max(spans) > 1)
        repeated = number(attributes.get("number-columns-repeated", ""), MOST_REPEATED, 1)
        if cell.text.strip():
            require_column(at + repeated - 1)
            cells |= dict.fromkeys(range(at, at + repeated), cell)
        at += repeated
    return cells


def _content(xml: Xml, attributes: dict[str, str]) -> Cell:
    shown = "\n".join(xml.text(without=("annotation",), blanks="s") for name, _ in xml.children() if name == "p")
    kind = attributes.get("value-type", "")
    if kind in _NUMBERS:
        text = _number(attributes.get("value", ""), shown)
        return Cell(text, True) if text else Cell(shown)
    return Cell(attributes.get(f"{kind}-value", "") or shown)


def _number(value: str, shown: str) -> str:
    """Return the number, with the zeros with which it is shown; empty if it is none."""
    try:
        text = as_shown(float(value))
    except (ValueError, OverflowError):
        return ""
    pointed = shown.strip().replace("−", "-").replace(",", ".")
    return pointed if _PLAIN.fullmatch(pointed) and float(pointed) == float(text) else text
