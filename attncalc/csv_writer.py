"""CSV whose cells no spreadsheet runs as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

LONGEST = 2_000  # characters of a cell
# Where a spreadsheet may see a formula, also if it splits cells at ;
_FORMULA_START = re.compile(r"(?:^|(?<=[;\t]))(?=\s*[=+\-@|%＝＋－＠])")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(text: str) -> str:
    """Return a cell that stays text in every spreadsheet, in one line: an apostrophe precedes a possible formula.
    Numbers are unchanged.
    """
    clean = " ".join(
        "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text[:LONGEST]).split()
    )
    return clean if _NUMBER.fullmatch(clean) else _FORMULA_START.sub("'", clean)


def as_csv(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV, every cell safe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
