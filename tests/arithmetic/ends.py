"""flint's numbers against the oracle's: the exact ends of balls, and whether a cell, a ball or a fraction holds a
value.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from tests.arithmetic import oracle


def fraction(q: fmpq) -> Fraction:
    return Fraction(int(q.numerator), int(q.denominator))


def _dyadic(x: arb) -> Fraction | float:
    if not x.is_finite():
        return math.inf if x > 0 else -math.inf
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def ends(x: Any) -> tuple[Fraction | float, Fraction | float]:
    """The exact lower and upper end of a fraction or a ball."""
    if isinstance(x, fmpq):
        return fraction(x), fraction(x)
    assert not x.is_nan(), "a ball of nothing"
    middle, radius = _dyadic(x.mid()), _dyadic(x.rad())
    if radius == math.inf:
        return -math.inf, math.inf
    return (middle, middle) if isinstance(middle, float) else (middle - radius, middle + radius)


def _exact(value: Any) -> tuple[Fraction | float, Fraction]:
    """A value of the oracle with the error that it may have itself."""
    if isinstance(value, (Fraction, float)):
        return value, Fraction(0)
    q = oracle.exactly(value)
    return q, abs(q) * oracle.NEAR + Fraction(1, 10**220)


def holds(cell: Any, value: Any) -> bool:
    """Whether a cell (low, high), or None for no bound, holds the value."""
    if cell is None:
        return True
    q, error = _exact(value)
    return ends(cell[0])[0] - error <= q <= ends(cell[1])[1] + error


def is_value(x: Any, value: Any) -> bool:
    """Whether a fraction is the value, or a ball holds it."""
    if isinstance(x, fmpq) and isinstance(value, Fraction):
        return fraction(x) == value
    return holds((x, x), value)


def width(cell: Any) -> Fraction | float:
    low, high = ends(cell[0])[0], ends(cell[1])[1]
    return 0.0 if low == high else high - low
