"""Parser of points that a person enters in a class table, an override or another grader's table."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import shorten
from ..explain.point_format import points

_DECIMAL = re.compile(r"[0-9]{1,6}[.,]?|[0-9]{0,6}[.,][0-9]{1,6}")
_FRACTION = re.compile(r"(?:([0-9]{1,6})\s+)?([0-9]{1,6})\s*[/⁄]\s*([1-9][0-9]{0,5})")


def parse_points(text: str) -> Fraction | None:
    """Parse `2.5`, `2,5`, `5/2` or `2 1/2`; return None for other texts."""
    if _DECIMAL.fullmatch(text):
        return Fraction(text.replace(",", "."))
    match = _FRACTION.fullmatch(text)
    return Fraction(match[1] or 0) + Fraction(int(match[2]), int(match[3])) if match else None


def parse_points_up_to(text: str, most: Fraction) -> Fraction | str:
    """Parse points from 0 to `most`; return a message for other texts."""
    given = parse_points(text)
    if given is not None and given <= most:
        return given
    why = " such as 1.5 or 3/2" if given is None else ""
    return f"expected points from 0 to {points(most)}{why}, found {shorten(text)!r}"
