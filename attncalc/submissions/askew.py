"""The heads of a class's table, and tables that stand askew: on their side, or with several signs between cells."""

from __future__ import annotations

import re

from ..errors import shorten
from .formats.csv_cells import is_long
from .located_text import Written
from .tables.csv_reader import delimiter

ENTRY = re.compile(r"\s*[^\W\d][\w.']*\s*\[[^\]]*\]\s*")  # q1.S[0,1]
OWN = re.compile(r"\s*q[1-9][0-9]{0,2}\s*")  # a question that is ticked or marked by hand
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def is_place(cell: Written) -> bool:
    """Whether a cell is the head of a column for an entry, or for a question that is ticked or marked by hand."""
    return bool(ENTRY.fullmatch(cell.text) or OWN.fullmatch(cell.text))


def refuse_askew(header: list[Written], body: list[list[Written]]) -> None:
    """Raises AttncalcError where students stand in columns, or the header has another sign between its cells."""
    if not is_long(header) and not any(map(is_place, header)):
        aside = [row[0] for row in body if is_place(row[0])]
        if 2 * len(aside) > len(body):
            found = f"a column for each, and lines such as {shorten(aside[0].text.strip())}"
            advice = "transpose the table (in a spreadsheet: copy, then Paste special > Transpose)"
            raise header[0].fault(f"expected a line for each student, found {found}; {advice}")
    sign = delimiter(header[0].text)
    if len(header) == 1 and sign in header[0].text and any(len(row) > 1 for row in body):
        found = f"{_SIGNS[sign]} in the header and another sign below it"
        raise header[0].fault(f"expected one sign between the cells of the whole file, found {found}")
