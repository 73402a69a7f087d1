"""Numbers as course systems write them."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

LARGEST_WEIGHT = 1_000


def decimal(x: Fraction, places: int = 12) -> str:
    """A decimal without an exponent: exact where it ends within the places, else rounded half up."""
    whole = (2 * abs(x) * 10**places + 1) // 2
    text = f"{whole // 10**places}.{whole % 10**places:0{places}}".rstrip("0").rstrip(".") if places else str(whole)
    return f"-{text}" if x < 0 and whole else text


def weights(points: list[Fraction]) -> tuple[list[int], bool]:
    """Small whole numbers in the ratio of the points, and whether the ratio is kept exactly."""
    scale = lcm(*(x.denominator for x in points))
    whole = [int(x * scale) for x in points]
    common = gcd(*whole) or 1
    exact = [x // common for x in whole]
    if max(exact) <= LARGEST_WEIGHT:
        return exact, True
    return [max(1, round(x * LARGEST_WEIGHT / max(points))) for x in points], False
