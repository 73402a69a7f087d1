"""Numbers as course systems write them."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import AcceptedAnswer

LARGEST_WEIGHT = 1_000  # of a blank, where the ratio is not kept
LARGEST_SUM = 99_999  # Moodle keeps five digits of the marks of a question before the point
POINT_PLACES = 12  # decimals of points
BINARY_SLACK = Fraction(1, 10**14)
# a system that calculates in binary needs so much more room at the ends of a tolerance, relative to numbers above 1
SLACK_PLACES = 14


def decimal(x: Fraction, places: int = 12) -> str:
    """A decimal without an exponent: exact where it ends within the places, else rounded half up."""
    scaled = (2 * abs(x) * 10**places + 1) // 2
    text = f"{scaled // 10**places}.{scaled % 10**places:0{places}}".rstrip("0").rstrip(".") if places else str(scaled)
    return f"-{text}" if x < 0 and scaled else text


def weights(points: list[Fraction]) -> tuple[list[int], bool]:
    """Whole numbers in the ratio of the points, which add up to less than 100,000, and whether the ratio is kept
    exactly.
    """
    scale = lcm(*(x.denominator for x in points))
    scaled = [int(x * scale) for x in points]
    common = gcd(*scaled) or 1
    exact = [x // common for x in scaled]
    if sum(exact) <= LARGEST_SUM:
        return exact, True
    largest = min(Fraction(LARGEST_WEIGHT), (LARGEST_SUM - len(points)) * max(points) / sum(points))
    return [max(1, round(x * largest / max(points))) for x in points], False


def margin(answer: AcceptedAnswer) -> str:
    """The tolerance of a number, widened by what binary arithmetic may lose of it, so that its ends still
    lie within.
    """
    slack = max(Fraction(1), abs(answer.value)) / 10**SLACK_PLACES
    return decimal(max(answer.tolerance, answer.binary) + slack, max(SLACK_PLACES, answer.places + 1) + 1)


def round_keeping_sum(points: list[Fraction], places: int) -> list[Fraction]:
    """The points rounded to so many decimals, in such a way that they still add up to the whole, as far as that has
    such decimals.
    """
    unit = Fraction(1, 10**places)
    floors = [x // unit * unit for x in points]
    missing = round((sum(points, Fraction(0)) - sum(floors, Fraction(0))) / unit)
    for k in sorted(range(len(points)), key=lambda k: floors[k] - points[k])[:missing]:
        floors[k] += unit
    return floors
