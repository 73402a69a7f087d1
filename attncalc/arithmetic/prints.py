"""What intervals print as: decimals on which every number between their ends agrees."""

from __future__ import annotations

from .cells import Box, Interval
from .matrices import is_infinite
from .rounding import decimal_text, of_interval


def prints(box: Box, digits: int, mode: str = "half_up") -> list[list[str]]:
    """A box as decimals, n × m; `?` where an interval does not decide them, or has no value."""
    return [[_text(cell, digits, mode) for cell in row] for row in box]


def _text(cell: Interval, digits: int, mode: str) -> str:
    if cell is None:
        return "?"
    infinite = [is_infinite(end) for end in cell]
    if any(infinite):
        is_decided = all(infinite) and (cell[0] < 0) == (cell[1] < 0)
        return ("-inf" if cell[0] < 0 else "inf") if is_decided else "?"
    n = of_interval(cell, digits, mode)
    return "?" if n is None else decimal_text(n, digits)
