"""Points and shares as texts for all tables, pages and course systems: prints them, and parses what people enter."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import shorten

PLACES = 4  # decimals of points such as 1/3
PLACES_ON_PAGES = 2  # decimals on pages for students


def points(x: Fraction) -> str:
    """Return points as text, rounded half up: `7`, `2.5`, `0.3333`."""
    return at_most(x, PLACES).replace("−", "-")


def points_on_pages(x: Fraction) -> str:
    """Return points as text for a student: up to four decimals if they are exact, otherwise two: `1.375`, `17.89`."""
    return points(x) if x * 10**PLACES % 1 == 0 else at_most(x, PLACES_ON_PAGES).replace("−", "-")


def decimal(x: Fraction, places: int) -> str:
    """Return a number with `places` decimals, rounded half away from zero, without a minus sign before zero.

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


_DECIMAL = re.compile(r"[0-9]{1,6}[.,]?|[0-9]{0,6}[.,][0-9]{1,6}")
_FRACTION = re.compile(r"(?:([0-9]{1,6})\s+)?([0-9]{1,6})\s*[/⁄]\s*([1-9][0-9]{0,5})")


def parse_points(text: str) -> Fraction | None:
    """Parse `2.5`, `2,5`, `5/2` or `2 1/2`. Return None for other texts."""
    if _DECIMAL.fullmatch(text):
        return Fraction(text.replace(",", "."))
    match = _FRACTION.fullmatch(text)
    return Fraction(match[1] or 0) + Fraction(int(match[2]), int(match[3])) if match else None


def parse_points_up_to(text: str, most: Fraction) -> Fraction | str:
    """Parse points from 0 to `most`. Return an error message for other texts."""
    given = parse_points(text)
    if given is not None and given <= most:
        return given
    why = " such as 1.5 or 3/2" if given is None else ""
    return f"expected points from 0 to {points(most)}{why}, found {shorten(text)!r}"
