"""Writes CSV whose cells no spreadsheet evaluates as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

LONGEST = 2_000  # characters of a cell
# Texts that a spreadsheet may evaluate, also if it splits cells at a semicolon
_FORMULA_START = re.compile(r"(?:^|(?<=[;\t]))(?=\s*[=+\-@|%＝＋－＠])")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def safe_cell(text: str) -> str:
    """Return a cell in one line that every spreadsheet shows as text. An apostrophe precedes a possible formula.
    Numbers are unchanged.
    """
    clean = " ".join(
        "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text[:LONGEST]).split()
    )
    return clean if _NUMBER.fullmatch(clean) else _FORMULA_START.sub("'", clean)


def as_csv(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV. `safe_cell` changes every cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe_cell(cell) for cell in row] for row in rows)
    return out.getvalue()
