"""A workbook (.xlsx, .ods) as tables of texts: what was typed as text stays as it was typed, a number comes with the
digits that the spreadsheet keeps.

A spreadsheet keeps a number as a float64 and shows at most 15 significant digits of it; these are what is read, and
never more, so that no digit of the binary number is taken for one of the student's. Zeros that were typed at the end
are lost in a number (0.50 is kept as 0.5): such a cell is a `Stored`, and where the cell's format shows decimals they
are filled up.

Every reader of workbooks comes through here: `parts` limits what is unpacked, and cells are counted while they are
read. What a file takes is limited before it is taken.

The rules of .xlsx are in ECMA-376, part 1, section 18, for both of its namespaces: cells (18.3.1.4), shared strings
(18.4.8), formats of numbers (18.8.30). Those of .ods are in OpenDocument 1.3, part 3, section 9: rows and cells may be
repeated, which is how a sheet says that a million rows are empty.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...errors import AttncalcError, Location, shorten
from ...problem.yaml_file.nodes import MOST_NODES, ZIP
from ..answer_examples import beyond
from ..located_text import UNREADABLE, Crossed, Stored, Unsure, Written
from ..number_parser import looks_like_entry
from .xml_stream import Cell, Limit, Line, Parts, Start, Table, Xml, as_shown, number, reason, require_column

MOST_CELLS = MOST_NODES  # with the empty ones before the last of a line
MOST_CHARACTERS = 5_000_000  # of all cells
MOST_SHEETS = 1_000
OTHERS = ((b"\xd0\xcf\x11\xe0", "an old or encrypted Excel file (.xls)"), (b"%PDF", "a PDF"))
_INSIDE = {  # what archives hold that are no workbooks
    "Index/Document.iwa": "a document of Numbers, Pages or Keynote (in Numbers: File > Export To > Excel)",
    "xl/workbook.bin": "a binary Excel file (.xlsb)",
    "word/document.xml": "a Word document",
}
_MERGED = (
    "in merged cells, so it could belong to each of them; split the cells, and type a number into each, such as 0.5"
)
_OPENDOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def is_workbook(data: bytes) -> bool:
    """Return whether these are the bytes of a workbook, or of another office program's file, refused later."""
    return data.startswith((ZIP, *(mark for mark, _ in OTHERS)))


def read_workbook(data: bytes, source: str) -> list[tuple[str, list[list[Written]]]]:
    """Return the tables of a workbook in their order, each its name and its rows, those without a cell left out.

    Raises AttncalcError for anything else, and for a workbook that is too large.
    """
    ending = ".ods" if _OPENDOCUMENT in data[:200] or source.lower().endswith(".ods") else ".xlsx"
    try:
        tables = [(name, list(lines)) for name, lines in _counted(_tables(data))]
    except (Limit, _Other) as error:
        raise AttncalcError(str(error), Location(source)) from None
    except Exception as error:  # whatever a damaged file makes of a reader
        why = reason(error)
        message = (
            f"expected a workbook ({ending}), found a damaged file ({why}); open it and save it again, or save "
            f"it as CSV"
        )
        raise AttncalcError(message, Location(source)) from None
    places = [source if len(tables) == 1 else f"{source}, {shorten(name)}" for name, _ in tables]
    return [
        (name, [_row(line, place) for line in lines])
        for (name, lines), place in zip(tables, places, strict=True)
        if lines
    ]


class _Other(ValueError):
    def __init__(self, what: str):
        super().__init__(f"expected a table as .xlsx or .csv, found {what}; save it as .xlsx")


def _tables(data: bytes) -> Iterator[Table]:
    for mark, what in OTHERS:
        if data.startswith(mark):
            raise _Other(what)
    try:
        parts = Parts(data, "a workbook")
    except Limit:
        raise
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError):
        raise _Other("a damaged archive") from None
    if other := next((what for name, what in _INSIDE.items() if name in parts.names), ""):
        raise _Other(other)
    if any(name.startswith("xl/") for name in parts.names):
        return read_spreadsheetml(parts)
    if parts.kind == _OPENDOCUMENT:
        return read_opendocument(parts)
    raise _Other("a different kind of archive")


def _counted(tables: Iterator[Table]) -> Iterator[Table]:
    """Yield the tables. Raises Limit if they hold more than anybody types."""
    cells = characters = 0

    def counted(lines: Iterator[Line]) -> Iterator[Line]:
        nonlocal cells, characters
        for line in lines:
            cells += max(line[1])
            characters += sum(len(cell.text) + len(cell.struck) for cell in line[1].values())
            if cells > MOST_CELLS:
                raise Limit(
                    beyond(f"a table of at most {MOST_CELLS:,} cells, including empty cells to the left of other cells")
                )
            if characters > MOST_CHARACTERS:
                raise Limit(beyond(f"a table of at most {MOST_CHARACTERS:,} characters"))
            yield line

    for count, (name, lines) in enumerate(tables, 1):
        if count > MOST_SHEETS:
            raise Limit(beyond(f"a workbook of at most {MOST_SHEETS:,} sheets"))
        yield name, counted(lines)


def _row(line: Line, place: str) -> list[Written]:
    number, cells = line
    return [_written(cells.get(k, Cell("")), Location(place, number, k)) for k in range(1, max(cells) + 1)]


def _written(cell: Cell, place: Location) -> Written:
    if cell.struck:
        return Crossed(cell.text, lambda _: place, cell.struck)
    if cell.is_merged and looks_like_entry(cell.text.strip()):
        return Unsure(cell.text, lambda _: place, f"{shorten(cell.text)} {_MERGED}")
    return (Stored if cell.is_number else Written)(cell.text, lambda _: place)  # a cell is one place


# -- Excel (.xlsx) -----------------------------------------------------------------------------------------------------


# Formats without a text in the file; of the others only dates matter here (18.8.30, numFmtId)
_FORMATS = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00"} | dict.fromkeys(
    (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)), "d"
)
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
                return self.strings[index] if index < most else Cell(UNREADABLE)  # its text is not in the file
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


# -- OpenDocument (.ods) -----------------------------------------------------------------------------------------------


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
