"""Texts that are pasted into the grid of a page, read as answer files are: a print, LaTeX, cells of a spreadsheet."""

from __future__ import annotations

import re
from typing import Annotated

from ..errors import AttncalcError, counted, size
from ..local_server.json_requests import LARGEST, Json, RequestField, integer_field
from .formats.detect import read_matrix
from .located_text import whole as whole_text
from .submission import Losses

MOST = 10**6
NOTHING = "Nothing was pasted: {why}"
COMMAS = "commas are both decimal marks and separators here; write the decimals with a point, as in 0.5"
LEFT_OUT = "{found} are pasted into {size} from row {row}, column {column}: {left} do not fit and are left out."
_PAIRS = re.compile(r"(?<![\d.,])[-−+]?\d+,\d+(?:,\s+[-−+]?\d+,\d+)+(?!\d|,\s*[-−+]?\d)")  # 1,00, 0,50
_DASHES = re.compile(r"(?m)^[|:\s]*-{3}[-|:\s]*$\n?")  # below a header
Pasted = Annotated[str, RequestField("a text", longest=LARGEST)]
Shape = Annotated[list[int], RequestField("two sizes", None, lambda sides: len(sides) == 2 and min(sides) > 0)]
Place = Annotated[int, integer_field(0, MOST)]


def paste(text: Pasted, shape: Shape, row: Place, column: Place) -> Json:
    """Return the entries that a text fills, from a place on, and a note on numbers without a place. Raises
    AttncalcError if it is not a matrix.
    """
    rows, (n, m) = _rows(text), shape
    flat = [text_of_entry for line in rows for text_of_entry in line]
    if len(rows) == 1 and len(flat) > m:
        rows, row, column = [flat[k : k + m] for k in range(0, len(flat), m)], 0, 0
    elif n == 1 and len(rows) == len(flat):
        rows = [flat]
    places = [
        (row + i, column + j, text_of_entry) for i, line in enumerate(rows) for j, text_of_entry in enumerate(line)
    ]
    cells = [place for place in places if place[0] < n and place[1] < m]
    details = {"found": counted(len(flat), "number"), "size": size((n, m)), "row": row + 1, "column": column + 1}
    left = len(places) - len(cells)
    return {"cells": cells, "message": LEFT_OUT.format(left=left, **details) if left else ""}


def _rows(text: str) -> list[list[str]]:
    """Return the entries as texts, empty if one is not a number. Rows that semicolons part need no
    brackets, and a table of Markdown needs no header."""
    if _PAIRS.search(text):
        raise AttncalcError(NOTHING.format(why=COMMAS))
    ways = [text, _DASHES.sub("", text), *([f"[{text}]"] if ";" in text and "[" not in text else [])]
    messages = []
    for way in ways:
        try:
            return _read(way)
        except AttncalcError as error:
            messages.append(error.faults[0].message)
    raise AttncalcError(NOTHING.format(why=messages[0]))  # the text has no lines here


def _read(text: str) -> list[list[str]]:
    losses, written = Losses(lenient=True), whole_text(text.strip("\r\n "), "")
    rows = read_matrix(written, block=True).read(written, losses, "")
    if unread := losses.done():
        raise AttncalcError(unread[0].fault)
    return [[cell.text if cell else "" for cell in line] for line in rows]
