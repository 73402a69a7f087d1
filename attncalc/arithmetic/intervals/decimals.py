"""Print intervals: the decimals on which all numbers between the ends agree."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from flint import arb, fmpz

from ..budget import is_longer
from ..matrix_types import is_infinite
from ..rounding import MOST_BITS_PRINTED, ball_rounder, decimal_text, require_mode, round_rational
from .scalar import Box, End, Interval

Units = tuple[tuple[int | str, ...], ...]
OPEN = "?"
LONG = 1_000  # bits of a fraction above which its size is checked


def interval_decimals(box: Box, digits: int, mode: str = "half_up") -> list[list[str]]:
    """Return a box as decimals, n × m; `?` if an interval does not decide them, has no value, or is too long to
    print.
    """
    rounded = _rounding(digits, mode)
    return [[_text(rounded(cell), digits) for cell in row] for row in box]


def units(box: Box, digits: int) -> Units:
    """Return a box in whole units of the last decimal, or a text if there is no number; `texts` makes decimals
    of them.
    """
    rounded = _rounding(digits, "half_up")
    return tuple(tuple(n if type(n) is str else int(n) for n in map(rounded, row)) for row in box)


def texts(values: Units, digits: int) -> list[list[str]]:
    return [[_text(n if isinstance(n, str) else fmpz(n), digits) for n in row] for row in values]


@lru_cache(maxsize=64)
def _rounding(digits: int, mode: str) -> Callable[[Interval], fmpz | str]:
    """Return the function that rounds entries, with the work that depends only on digits and mode done once."""
    require_mode(mode)
    of_ball = ball_rounder(digits, mode, MOST_BITS_PRINTED)

    def end(x: End) -> fmpz | None:
        if type(x) is arb:
            return of_ball(x)
        return None if x.height_bits() > LONG and is_longer(x, MOST_BITS_PRINTED) else round_rational(x, digits, mode)

    def rounded(cell: Interval) -> fmpz | str:
        if cell is None:
            return OPEN
        low, high = cell
        n = end(low)
        if n is not None and (low is high or n == end(high)):
            return n
        is_decided = is_infinite(low) and is_infinite(high) and (low < 0) == (high < 0)
        return ("-inf" if low < 0 else "inf") if is_decided else OPEN

    return rounded


def _text(n: fmpz | str, digits: int) -> str:
    return n if isinstance(n, str) else decimal_text(n, digits)
