"""The format of points and shares, shared by all tables, pages and course systems."""

from __future__ import annotations

from fractions import Fraction

PLACES = 4  # decimals of marks such as 1/3


def points(x: Fraction) -> str:
    """Return a number of points rounded half up: `7`, `2.5`, `0.3333`."""
    return at_most(x, PLACES).replace("−", "-")


def decimal(x: Fraction, places: int) -> str:
    """Return a number with `places` decimals, rounded half away from zero, without a negative zero.

    >>> decimal(Fraction(2, 3), 2), decimal(Fraction(-1, 2), 0), decimal(Fraction(-1, 300), 2)
    ('0.67', '−1', '0.00')
    """
    units = (2 * abs(x.numerator) * 10**places + x.denominator) // (2 * x.denominator)
    integer, part = divmod(units, 10**places)
    return f"{'−' if x < 0 and units else ''}{integer}" + (f".{part:0{places}}" if places else "")


def at_most(x: Fraction, places: int) -> str:
    """Return a number with at most `places` decimals, without trailing zeros: `77.9`, `78`."""
    text = decimal(x, places)
    return text.rstrip("0").rstrip(".") if "." in text else text
