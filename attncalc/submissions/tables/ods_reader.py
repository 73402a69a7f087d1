"""A workbook of LibreOffice (.ods) as lines of cells: texts as they were typed, numbers with at most 15 digits.

The tables of OpenDocument 1.3, part 3, section 9: rows and cells may be repeated, which is how a sheet says that a
million rows are empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .xml_stream import Cell, Line, Parts, Start, Table, Xml, as_shown, number, require_column

CONTENT, STYLES = "content.xml", "styles.xml"
MOST_REPEATED = 2**20  # as many rows as a spreadsheet has
_GROUPS = (
    "table-row-group", "table-header-rows", "table-rows", "table-column-group", "table-header-columns", "table-columns"
)  # fmt: skip
_CELLS = ("table-cell", "covered-table-cell")
_NUMBERS = ("float", "percentage", "currency")
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_THROUGH = ("text-line-through-style", "text-line-through-type")

_Struck = dict[tuple[str, str], bool]  # whether text is crossed out, by the family and the name of its style


def read_opendocument(parts: Parts) -> Iterator[Table]:
    """Yield the tables in their order. Raises what `Parts` raises."""
    struck: _Struck = {}
    if STYLES in parts.names:
        named = parts.xml(STYLES)
        for _ in named.children():
            for group, _ in named.children():
                _read_styles(named, group, struck)
    xml = parts.xml(CONTENT)
    for _ in xml.children():
        for body, _ in xml.children():
            _read_styles(xml, body, struck)
            for table in xml.find("spreadsheet", "table") if body == "body" else ():
                yield table.get("name", ""), _Rows(xml, struck).rows()


def _read_styles(xml: Xml, group: str, struck: _Struck) -> None:
    """Note of each style of a group whether it crosses text out; a style that does not say so is as its parent."""
    for name, style in xml.children() if group in ("styles", "automatic-styles") else ():
        family = style.get("family", "")
        is_struck = struck.get((family, style.get("parent-style-name", "")), False)
        for part, about in xml.children() if name == "style" else ():
            if part == "text-properties" and (through := [about[key] for key in _THROUGH if key in about]):
                is_struck = any(value != "none" for value in through)
        struck[family, style.get("name", "")] = is_struck


class _Rows:
    """The rows of one table. A cell without a style has that of its row, or else of its column."""

    def __init__(self, xml: Xml, struck: _Struck):
        self.xml = xml
        self.struck = struck
        self.columns: list[tuple[int, str]] = []  # the last column of each style, and the style

    def rows(self) -> Iterator[Line]:
        """Yield the rows with content, each with its number; rows of groups as well, which may be in other groups."""
        at, open_groups = 1, [self.xml.children()]
        while open_groups:
            name, attributes = next(open_groups[-1], ("", {}))
            repeated = number(attributes.get("number-rows-repeated", ""), MOST_REPEATED, 1)
            if not name:
                open_groups.pop()
            elif name in _GROUPS:
                open_groups.append(self.xml.children())
            elif name == "table-column":
                count = number(attributes.get("number-columns-repeated", ""), MOST_REPEATED, 1)
                last = self.columns[-1][0] if self.columns else 0
                self.columns.append((last + count, attributes.get("default-cell-style-name", "")))
            elif name == "table-row":
                cells = self.cells(attributes.get("default-cell-style-name", ""))
                for k in range(repeated if cells else 0):
                    yield at + k, cells
                at += repeated

    def cells(self, style_of_row: str) -> dict[int, Cell]:
        """Return the cells of a row that hold something, by their columns from 1."""
        cells: dict[int, Cell] = {}
        at = 1
        for name, attributes in self.xml.children():
            if name not in _CELLS:
                continue
            spans = (
                number(attributes.get(f"number-{axis}-spanned", ""), MOST_REPEATED, 1) for axis in ("rows", "columns")
            )
            style = (
                attributes.get("style-name")
                or style_of_row
                or next((style for last, style in self.columns if at <= last), "")
            )
            cell = self.content(attributes)._replace(is_merged=max(spans) > 1)
            if self.struck.get(("table-cell", style)) and cell.text.strip():
                cell = Cell("", struck=f"{cell.struck}{cell.text}")
            repeated = number(attributes.get("number-columns-repeated", ""), MOST_REPEATED, 1)
            if cell.text.strip() or cell.struck.strip():
                require_column(at + repeated - 1)
                cells |= dict.fromkeys(range(at, at + repeated), cell)
            at += repeated
        return cells

    def content(self, attributes: dict[str, str]) -> Cell:
        """Return what a cell holds. If a part of it is crossed out, the rest of its text is read."""
        paragraphs = [
            self.xml.parted_text(self.is_struck, without=("annotation",), blanks="s") for _ in self.xml.find("p")
        ]
        shown, struck = (
            ("\n".join(filter(None, texts)) for texts in zip(*paragraphs, strict=True)) if paragraphs else ("", "")
        )
        kind = attributes.get("value-type", "")
        if struck:
            return Cell(shown, struck=struck)
        if kind in _NUMBERS:
            text = _number(attributes.get("value", ""), shown)
            return Cell(text, True) if text else Cell(shown)
        return Cell(attributes.get(f"{kind}-value", "") or shown)

    def is_struck(self, element: Start) -> bool:
        return element[0] == "span" and self.struck.get(("text", element[1].get("style-name", "")), False)


def _number(value: str, shown: str) -> str:
    """Return the number, with the zeros with which it is shown; empty if it is none."""
    try:
        text = as_shown(float(value))
    except (ValueError, OverflowError):
        return ""
    pointed = shown.strip().replace("−", "-").replace(",", ".")
    return pointed if _PLAIN.fullmatch(pointed) and float(pointed) == float(text) else text
