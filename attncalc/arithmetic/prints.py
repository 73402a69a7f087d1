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
    n = of_interval(cell, digits, mode)
    if n is not None:
        return decimal_text(n, digits)
    low, high = cell
    is_decided = is_infinite(low) and is_infinite(high) and (low < 0) == (high < 0)
    return ("-inf" if low < 0 else "inf") if is_decided else "?"
