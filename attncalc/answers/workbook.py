"""A workbook (.xlsx, or .ods by way of `opendocument`) as tables of texts: what was typed as text stays as it was
typed, a number comes with the digits that the spreadsheet keeps.

A spreadsheet keeps a number as a float64 and shows at most 15 significant digits of it; these are what is read, and
never more, so that no digit of the binary number is taken for one of the student's. Zeros that were typed at the end
are lost in a number (0.50 is kept as 0.5): such a cell is a `Stored`, and where the cell's format shows decimals they
are filled up.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from ..errors import AttncalcError, Diagnostic, Location, shorten
from .numbers import as_shown
from .opendocument import read_opendocument
from .written import Stored, Written

if TYPE_CHECKING:
    from openpyxl import Workbook

LARGEST_INSIDE = 40_000_000  # bytes, unpacked
MOST_CELLS = 2_000_000
OTHERS = ((b"\xd0\xcf\x11\xe0", "an old or encrypted Excel file (.xls)"), (b"%PDF", "a PDF"))


def is_workbook(data: bytes) -> bool:
    """Whether these are the bytes of a workbook, or of another file of an office program, which is told when it is
    read.
    """
    return data.startswith((b"PK\3\4", *(mark for mark, _ in OTHERS)))


def is_opendocument(data: bytes) -> bool:
    """Whether an archive is of LibreOffice: its kind stands uncompressed at its beginning."""
    return b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet" in data[:200]


def read_workbook(data: bytes, source: str) -> list[tuple[str, list[list[Written]]]]:
    """The tables of a workbook in their order, each its name and its rows, those without a cell left out. Raises
    AttncalcError for what is none.
    """
    other = next((what for mark, what in OTHERS if data.startswith(mark)), None) or _other_archive(data, source)
    if other == "":
        return read_opendocument(data, source)
    if other:
        raise AttncalcError(
            Diagnostic(f"expected a table as .xlsx or .csv, found {other}; save it as .xlsx", Location(source))
        )
    try:
        return _tables(data, source)
    except AttncalcError:
        raise
    except Exception as error:  # whatever a damaged file makes of a reader
        why = shorten(f"{type(error).__name__}: {error}", 100)
        said = f"expected a workbook (.xlsx), found a damaged file ({why}); open it and save it again, or as CSV"
        raise AttncalcError(Diagnostic(said, Location(source))) from None


def _tables(data: bytes, source: str) -> list[tuple[str, list[list[Written]]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what openpyxl leaves out: colours, pictures
        shown, formulas = _opened(data, True), _formulas(data, source)
        found = []
        for sheet in shown.worksheets:
            place = source if len(shown.worksheets) == 1 else f"{source}, {shorten(sheet.title)}"
            rows = list(_rows(sheet, place, formulas.get(sheet.title, {})))
            found += [(sheet.title, rows)] if rows else []
    return found


def _other_archive(data: bytes, source: str) -> str | None:
    """What an archive is that is no workbook of Excel; empty for one of LibreOffice, None for Excel's."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names, size = archive.namelist(), sum(info.file_size for info in archive.infolist())
            if size > LARGEST_INSIDE:
                said = f"expected a workbook of at most {LARGEST_INSIDE // 10**6} MB unpacked, found {size // 10**6} MB"
                raise AttncalcError(Diagnostic(said, Location(source)))
            if "xl/workbook.xml" in names or any(name.startswith("xl/") for name in names):
                return None
            return "" if is_opendocument(data) else "an archive of another kind"
    except (zipfile.BadZipFile, OSError, ValueError):
        return "a damaged archive"


def _opened(data: bytes, values: bool) -> Workbook:
    from openpyxl import load_workbook

    return load_workbook(io.BytesIO(data), read_only=True, data_only=values)


def _formulas(data: bytes, source: str) -> dict[str, dict[tuple[int, int], str]]:
    """The formulas of each table: one that was never worked out has no value to read."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        if not any(re.search(b"<(?:[a-z]+:)?f[ >/]", archive.read(name)) for name in sheets):
            return {}
    found: dict[str, dict[tuple[int, int], str]] = {}
    for sheet in _opened(data, False).worksheets:
        cells = (cell for row in _cells(sheet, source) for cell in row if cell.data_type == "f")
        found[sheet.title] = {(cell.row, cell.column): str(cell.value) for cell in cells}
    return found


def _cells(sheet: Any, source: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, so many cells at most."""
    count = 0
    sheet.reset_dimensions()  # a file may state a million rows
    for row in sheet.iter_rows():
        count += len(row) + 1
        if count > MOST_CELLS:
            raise AttncalcError(
                Diagnostic(f"expected a table of at most {MOST_CELLS:,} cells, found more", Location(source))
            )
        yield row


def _rows(sheet: Any, source: str, formulas: dict[tuple[int, int], str]) -> Iterator[list[Written]]:
    """The rows that are not blank."""
    for k, row in enumerate(_cells(sheet, source), 1):
        cells = [_written(cell, Location(source, k, j), formulas.get((k, j))) for j, cell in enumerate(row, 1)]
        while cells and not cells[-1].text.strip():
            cells.pop()
        if cells:
            yield cells


def _written(cell: Any, place: Location, formula: str | None) -> Written:
    value, style = cell.value, cell.number_format or "" if cell.value is not None else ""

    def at(character: int) -> Location:  # a cell is one place
        return place

    if value is None:
        return Written(formula or "", at)
    if isinstance(value, bool):
        return Written(str(value).upper(), at)
    if isinstance(value, int | float):
        return Stored(as_shown(value, style), at)
    if isinstance(value, datetime | date | time | timedelta):
        return Written(str(value).removesuffix(" 00:00:00"), at)
    return Written(str(value), at)
