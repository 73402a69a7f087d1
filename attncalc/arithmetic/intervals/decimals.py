"""Converts intervals to decimals. A decimal is known if all numbers of the interval round to it."""

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
LONG = 1_000  # bits; the size of a longer fraction is checked before rounding


def interval_decimals(box: Box, digits: int, mode: str = "half_up") -> list[list[str]]:
    """Return an n × m box as decimals. An entry is `?` if its decimal is not known, or too long to print."""
    rounded = _rounding(digits, mode)
    return [[_text(rounded(cell), digits) for cell in row] for row in box]


def units(box: Box, digits: int) -> Units:
    """Return each entry of a box as a multiple of the last decimal's unit, or as a text if there is no number. `texts`
    converts them to decimals.
    """
    rounded = _rounding(digits, "half_up")
    return tuple(tuple(n if type(n) is str else int(n) for n in map(rounded, row)) for row in box)


def texts(values: Units, digits: int) -> list[list[str]]:
    return [[_text(n if isinstance(n, str) else fmpz(n), digits) for n in row] for row in values]


@lru_cache(maxsize=64)
def _rounding(digits: int, mode: str) -> Callable[[Interval], fmpz | str]:
    """Return a function that rounds entries. Work that depends only on digits and mode is done once, here."""
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
