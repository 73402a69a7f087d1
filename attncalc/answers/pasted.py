"""What is pasted into the grid of a page, read as answer files are: a print, LaTeX, cells of a spreadsheet."""

from __future__ import annotations

from typing import Annotated, Any

from ..errors import AttncalcError, Diagnostic, counted, size
from ..local.request import LARGEST, Field, Json, whole
from .losses import Losses
from .matrix import read_matrix
from .written import whole as whole_text

MOST = 10**6
LEFT_OUT = "{found} are pasted into {size} from row {row}, column {column} on: {left} have no place and are left out."
Pasted = Annotated[Any, Field("a text", None, lambda text: isinstance(text, str) and len(text) <= LARGEST)]
Shape = Annotated[list[int], Field("two sizes", None, lambda sides: len(sides) == 2 and min(sides) > 0)]
Place = Annotated[int, whole(0, MOST)]


def paste(text: Pasted, shape: Shape, row: Place, column: Place) -> Json:
    """The entries that a text fills, from a place on, and what is said of numbers without a place. Raises
    AttncalcError where it is no matrix.
    """
    rows, (n, m) = _rows(text), shape
    flat = [one for line in rows for one in line]
    if len(rows) == 1 and len(flat) > m:
        rows, row, column = [flat[k : k + m] for k in range(0, len(flat), m)], 0, 0
    elif n == 1 and len(rows) == len(flat):
        rows = [flat]
    places = [(row + i, column + j, one) for i, line in enumerate(rows) for j, one in enumerate(line)]
    cells = [place for place in places if place[0] < n and place[1] < m]
    told = {"found": counted(len(flat), "number"), "size": size((n, m)), "row": row + 1, "column": column + 1}
    left = len(places) - len(cells)
    return {"cells": cells, "said": LEFT_OUT.format(left=left, **told) if left else ""}


def _rows(text: str) -> list[list[str]]:
    """The entries as texts. Rows that semicolons part need no brackets around them."""
    try:
        return _read(text)
    except AttncalcError as error:
        if ";" in text and "[" not in text:
            return _rows(f"[{text}]")
        raise AttncalcError(
            [Diagnostic(fault.message) for fault in error.faults]
        ) from None  # the text has no lines here


def _read(text: str) -> list[list[str]]:
    losses, written = Losses(), whole_text(text.strip("\r\n "), "")
    rows = read_matrix(written, block=True).read(written, losses, "")
    losses.done()
    return [[cell.text if cell else "" for cell in line] for line in rows]
