"""A workbook of Excel (.xlsx) as lines of cells: texts as they were typed, a number with the digits and the zeros that
its cell's format shows.

SpreadsheetML of ECMA-376, part 1, section 18, in both of its namespaces: cells (18.3.1.4), shared strings (18.4.8),
formats of numbers (18.8.30).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from .xml_stream import Cell, Line, Parts, Table, Xml, as_shown, number, require_column

# Formats without a text in the file; of the others only dates matter here (18.8.30, numFmtId)
_FORMATS = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00"} | dict.fromkeys(
    (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)), "d"
)
MISSING_TEXT = "\N{REPLACEMENT CHARACTER}"  # of a cell whose text is not in the file
LONGEST_FORMAT = 255  # characters, as many as Excel keeps
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_DATE = re.compile(r"[dmhsy]", re.IGNORECASE)
_COLUMN = re.compile(r"[A-Za-z]{1,3}(?=[0-9])")
_CORNER = re.compile(r"([A-Za-z]{1,3})([0-9]{1,9}):")  # the first cell of those that are merged
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(E[+-]?[0-9]{1,3})?", re.IGNORECASE)
_CODED = re.compile(r"_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")  # a character as Excel writes those that XML has not


def read_spreadsheetml(parts: Parts) -> Iterator[Table]:
    """Yield the tables in their order. Raises what `Parts` raises."""
    book = next((path for kind, path in _related(parts, "").values() if kind == "officeDocument"), "xl/workbook.xml")
    related = _related(parts, book)
    sheets, epoch = _sheets(parts.xml(book))
    by_kind = dict(related.values())
    strings = _strings(parts.xml(by_kind["sharedStrings"])) if by_kind.get("sharedStrings") in parts.names else []
    formats = _formats(parts.xml(by_kind["styles"])) if by_kind.get("styles") in parts.names else []
    reader = _Reader(strings, formats, epoch)
    for name, key in sheets:
        kind, path = related.get(key, ("", ""))
        if kind == "worksheet":
            yield name, reader.rows(parts.xml(path))


def _related(parts: Parts, path: str) -> dict[str, tuple[str, str]]:
    """Return the relations of a file: their kinds and paths, by their keys. Those of the archive go by no path."""
    folder, name = posixpath.split(path)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    if relations not in parts.names:
        return {}
    xml, targets = parts.xml(relations), {}
    for attributes in xml.find("*", "*"):
        target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
        targets[attributes.get("Id", "")] = attributes.get("Type", "").rpartition("/")[2], target
    return targets


def _sheets(xml: Xml) -> tuple[list[tuple[str, str]], datetime]:
    """Return the names of the tables with the keys of their relations, and day 0."""
    sheets, epoch = [], datetime(1899, 12, 30)
    for _ in xml.children():
        for name, attributes in xml.children():
            if name == "workbookPr" and attributes.get("date1904") in ("1", "true"):
                epoch = datetime(1904, 1, 1)
            for sheet, about in xml.children() if name == "sheets" else ():
                sheets += [(about.get("name", ""), about.get("id", ""))] if sheet == "sheet" else []
    return sheets, epoch


def _strings(xml: Xml) -> list[Cell]:
    """Return the shared strings. Two loops are faster than `find`, and a workbook can have very many strings."""
    return [_plain(xml) for _ in xml.children() for name, _ in xml.children() if name == "si"]


def _plain(xml: Xml) -> Cell:
    """Return the text of the element that has begun, as it was typed."""
    kept: list[str] = []
    struck: list[str] = []
    for name, _ in xml.children():
        is_struck = False
        for inner, _ in xml.children() if name == "r" else ():
            if inner == "rPr":
                is_struck = _is_struck(xml)
            elif inner == "t":
                (struck if is_struck else kept).append(xml.text())
        if name == "t":
            kept.append(xml.text())
    return Cell(_decoded("".join(kept)), struck=_decoded("".join(struck)))


def _decoded(text: str) -> str:
    return _CODED.sub(lambda code: chr(int(code[1], 16)), text)


def _is_struck(xml: Xml) -> bool:
    """Return whether the font that has begun is crossed out."""
    return any(name == "strike" and about.get("val") not in ("0", "false") for name, about in xml.children())


def _formats(xml: Xml) -> list[tuple[str, bool]]:
    """Return the format of a number in each style, `d` for dates and times, and whether its text is crossed out."""
    codes, styles, fonts = dict(_FORMATS), [], []
    for _ in xml.children():
        for group, _ in xml.children():
            fonts += [_is_struck(xml) for _ in xml.children()] if group == "fonts" else []
            for name, attributes in xml.children() if group in ("numFmts", "cellXfs") else ():
                key = number(attributes.get("numFmtId", ""), 10**9, 0)
                if name == "numFmt":
                    code = attributes.get("formatCode", "")[:LONGEST_FORMAT]
                    codes[key] = "d" if _DATE.search(_QUOTED.sub("", code)) else code
                elif name == "xf":
                    styles.append((key, number(attributes.get("fontId", ""), 10**9, 0)))
    return [(codes.get(key, ""), font < len(fonts) and fonts[font]) for key, font in styles]


@dataclass(frozen=True, slots=True)
class _Reader:
    strings: list[Cell]
    formats: list[tuple[str, bool]]  # by the number of a style
    epoch: datetime

    def rows(self, xml: Xml) -> Iterator[Line]:
        """Yield the rows of a table that hold something."""
        row = 0
        lines: dict[int, dict[int, Cell]] = {}
        for _ in xml.children():
            for part, _ in xml.children():
                for name, attributes in xml.children() if part in ("sheetData", "mergeCells") else ():
                    if name == "mergeCell" and (corner := _CORNER.match(attributes.get("ref", ""))):
                        cells = lines.get(int(corner[2]), {})
                        if cell := cells.get(_column(corner[1])):
                            cells[_column(corner[1])] = cell._replace(is_merged=True)
                    if name == "row":
                        row = number(attributes.get("r", ""), 2**31, row + 1)
                        if cells := self._cells(xml):
                            lines[row] = cells
                            yield row, cells

    def _cells(self, xml: Xml) -> dict[int, Cell]:
        cells, column = {}, 0
        for name, attributes in xml.children():
            if name == "c":
                letters = _COLUMN.match(attributes.get("r", ""))
                column = _column(letters[0]) if letters else column + 1
                cell = self._cell(xml, attributes)
                if cell.text.strip() and self._style(attributes)[1]:
                    cell = Cell("", struck=f"{cell.struck}{cell.text}")
                if cell.text.strip() or cell.struck.strip():
                    require_column(column)
                    cells[column] = cell
        return cells

    def _cell(self, xml: Xml, attributes: dict[str, str]) -> Cell:
        """Return the text of a cell, and whether it is a number. A formula without a value is returned itself."""
        kind, value, formula = attributes.get("t", "n"), "", ""
        for name, _ in xml.children():
            if name == "v":
                value = xml.text()
            elif name == "is":
                return _plain(xml)
            elif name == "f":
                formula = f"={xml.text()}"
        if not value.strip():
            return Cell(formula)
        match kind:
            case "s":
                most = len(self.strings)
                index = number(value.strip(), most, most)
                return self.strings[index] if index < most else Cell(MISSING_TEXT)
            case "b":
                return Cell("FALSE" if value.strip() == "0" else "TRUE")
            case "n":
                return self._number(value.strip(), self._style(attributes)[0])
            case "d":
                return Cell(value.replace("T", " ").removesuffix(" 00:00:00"))
        return Cell(_decoded(value))

    def _style(self, attributes: dict[str, str]) -> tuple[str, bool]:
        style = number(attributes.get("s", ""), len(self.formats), 0)
        return self.formats[style] if style < len(self.formats) else ("", False)

    def _number(self, text: str, form: str) -> Cell:
        if not _REAL.fullmatch(text):
            return Cell(text)
        if form == "d":
            return Cell(self._date(float(text)))
        return Cell(as_shown(int(text) if _WHOLE.fullmatch(text) else float(text), form), True)

    def _date(self, days: float) -> str:
        """Return a day and a time as ISO 8601 writes them; a time alone if there is no day."""
        try:
            if 0 <= days < 1:
                return str((datetime.min + timedelta(seconds=round(days * 86_400))).time())
            if 1 <= days < 60 and self.epoch.year < 1900:  # Excel has a 29th of February 1900
                days += 1
            return str(self.epoch + timedelta(seconds=round(days * 86_400))).removesuffix(" 00:00:00")
        except OverflowError:
            return as_shown(days)


def _column(letters: str) -> int:
    """Return the number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number
