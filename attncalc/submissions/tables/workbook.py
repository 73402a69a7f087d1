"""A workbook (.xlsx, .ods) as tables of texts: what was typed as text stays as it was typed, a number comes with the
digits that the spreadsheet keeps.

A spreadsheet keeps a number as a float64 and shows at most 15 significant digits of it; these are what is read, and
never more, so that no digit of the binary number is taken for one of the student's. Zeros that were typed at the end
are lost in a number (0.50 is kept as 0.5): such a cell is a `Stored`, and where the cell's format shows decimals they
are filled up.

Every reader of workbooks comes through here: `parts` limits what is unpacked, and cells are counted while they are
read. What a file takes is limited before it is taken.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

from ...errors import AttncalcError, Location, shorten
from ...problem.yaml_file.nodes import MOST_NODES
from ..answer_examples import beyond
from ..foreign_errors import reason
from ..located_text import Crossed, Stored, Unsure, Written
from ..number_parser import looks_like_entry
from .ods_reader import read_opendocument
from .xlsx_reader import read_spreadsheetml
from .xml_stream import Cell, Limit, Line, Parts, Table

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
    return data.startswith((b"PK\3\4", *(mark for mark, _ in OTHERS)))


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
        message = f"expected a workbook ({ending}), found a damaged file ({why}); open it and save it again, or as CSV"
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
    raise _Other("an archive of another kind")


def _counted(tables: Iterator[Table]) -> Iterator[Table]:
    """Yield the tables. Raises Limit if they hold more than anybody types."""
    cells = characters = 0

    def counted(lines: Iterator[Line]) -> Iterator[Line]:
        nonlocal cells, characters
        for line in lines:
            cells += max(line[1])
            characters += sum(len(cell.text) + len(cell.struck) for cell in line[1].values())
            if cells > MOST_CELLS:
                raise Limit(beyond(f"a table of at most {MOST_CELLS:,} cells, including the empty cells before others"))
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
