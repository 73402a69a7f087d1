"""What intervals print as: decimals on which every number between their ends agrees."""

from __future__ import annotations

from flint import fmpz

from .cells import Box, Interval
from .matrices import is_infinite
from .rounding import decimal_text, of_interval

Units = tuple[tuple[int | str, ...], ...]
OPEN = "?"


def prints(box: Box, digits: int, mode: str = "half_up") -> list[list[str]]:
    """A box as decimals, n × m; `?` where an interval does not decide them, or has no value."""
    return [[_text(_rounded(cell, digits, mode), digits) for cell in row] for row in box]


def units(box: Box, digits: int) -> Units:
    """The same in whole units of the last decimal, but for what is no number; `texts` makes decimals of them."""
    found = ((_rounded(cell, digits, "half_up") for cell in row) for row in box)
    return tuple(tuple(n if type(n) is str else int(n) for n in row) for row in found)


def texts(found: Units, digits: int) -> list[list[str]]:
    """Units as decimals."""
    return [[_text(n if isinstance(n, str) else fmpz(n), digits) for n in row] for row in found]


def _rounded(cell: Interval, digits: int, mode: str) -> fmpz | str:
    if cell is None:
        return OPEN
    n = of_interval(cell, digits, mode)
    if n is not None:
        return n
    low, high = cell
    is_decided = is_infinite(low) and is_infinite(high) and (low < 0) == (high < 0)
    return ("-inf" if low < 0 else "inf") if is_decided else OPEN


def _text(n: fmpz | str, digits: int) -> str:
    return n if isinstance(n, str) else decimal_text(n, digits)
