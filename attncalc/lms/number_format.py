"""The number formats of course systems."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .quiz import AcceptedAnswer

LARGEST_WEIGHT = 1_000  # the largest weight of a field, if the weights are not exactly proportional
LARGEST_SUM = 99_999  # Moodle keeps five digits before the decimal point of a question's marks
POINT_PLACES = 12  # decimals of points
BINARY_SLACK = Fraction(1, 10**14)
# Additional tolerance for systems with binary arithmetic, relative to numbers above 1
SLACK_PLACES = 14


def decimal(x: Fraction, places: int = 12) -> str:
    """Return a decimal without an exponent: exact if it has at most `places` decimals, otherwise rounded half up."""
    scaled = (2 * abs(x) * 10**places + 1) // 2
    text = f"{scaled // 10**places}.{scaled % 10**places:0{places}}".rstrip("0").rstrip(".") if places else str(scaled)
    return f"-{text}" if x < 0 and scaled else text


def weights(points: list[Fraction]) -> tuple[list[int], bool]:
    """Return integers in proportion to the points, with a sum below 100,000, and whether the proportion is exact."""
    scale = lcm(*(x.denominator for x in points))
    scaled = [int(x * scale) for x in points]
    common = gcd(*scaled) or 1
    exact = [x // common for x in scaled]
    if sum(exact) <= LARGEST_SUM:
        return exact, True
    largest = min(Fraction(LARGEST_WEIGHT), (LARGEST_SUM - len(points)) * max(points) / sum(points))
    return [max(1, round(x * largest / max(points))) for x in points], False


def margin(answer: AcceptedAnswer) -> str:
    """Return the tolerance of a number plus the error of binary arithmetic, so that its ends are accepted."""
    slack = max(Fraction(1), abs(answer.value)) / 10**SLACK_PLACES
    return decimal(max(answer.tolerance, answer.binary) + slack, max(SLACK_PLACES, answer.places + 1) + 1)


def round_keeping_sum(points: list[Fraction], places: int) -> list[Fraction]:
    """Round the points to `places` decimals. Their sum does not change if it has at most `places` decimals."""
    unit = Fraction(1, 10**places)
    floors = [x // unit * unit for x in points]
    missing = round((sum(points, Fraction(0)) - sum(floors, Fraction(0))) / unit)
    for k in sorted(range(len(points)), key=lambda k: floors[k] - points[k])[:missing]:
        floors[k] += unit
    return floors
