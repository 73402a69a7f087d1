"""CSV that a spreadsheet opens as it was written: no cell is one that it would run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

LONGEST = 2_000  # characters of a cell
# What a spreadsheet may take for a formula, also when it splits at ;
_FORMULA_START = re.compile(r"(?:^|(?<=[;\t]))(?=\s*[=+\-@|%＝＋－＠])")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(text: str) -> str:
    """A cell that stays text in every spreadsheet, on one line: an apostrophe stands before what would be a formula.
    Numbers stay.
    """
    clean = " ".join(
        "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text[:LONGEST]).split()
    )
    return clean if _NUMBER.fullmatch(clean) else _FORMULA_START.sub("'", clean)


def as_csv(rows: Iterable[Iterable[str]]) -> str:
    """Rows as CSV, every cell safe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
