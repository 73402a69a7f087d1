"""Correctly rounded decimals (rule R8) of exact numbers and of balls.

A printed decimal of k places is the whole number sgn(x)·⌊10ᵏ·|x| + ½⌋: half up means away from zero. Half-even and
truncation are available too. For a ball there is a result only if all its numbers have the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from flint import arb, fmpq, fmpz

from .. import limits
from ..errors import AttncalcError, did_you_mean, shorten
from ..rounding_modes import MODES
from . import budget

_HALF = fmpq(1, 2)
_ZERO = arb(0)
LARGEST_POWER = 10_000  # exponent; larger powers of ten are balls
MOST_BITS_PRINTED = limits.PRINTED.most * 3_322 // 1_000  # bits of a whole number
LARGEST_EXPONENT = 1_000_000_000  # exponent of a number in scientific notation


class Rounding:
    """The number of decimals and the rounding mode."""

    __slots__ = ("digits", "mode")

    def __init__(self, digits: int = 4, mode: str = "half_up"):
        require_mode(mode)
        self.digits: Final = digits
        self.mode: Final = mode

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rounding) and (self.digits, self.mode) == (other.digits, other.mode)

    def __hash__(self) -> int:
        return hash((self.digits, self.mode))


def require_mode(mode: object) -> None:
    if not isinstance(mode, str) or mode not in MODES:
        near = did_you_mean(mode, list(MODES)) if isinstance(mode, str) else ""
        raise AttncalcError(f"expected a rounding mode, one of {', '.join(MODES)}, found {shorten(repr(mode))}{near}")


@lru_cache(maxsize=64)
def power_of_ten(digits: int) -> fmpz:
    return fmpz(10) ** digits


@lru_cache(maxsize=64)
def _shift(mode: str) -> fmpq:
    return fmpq(*MODES[mode].shift.as_integer_ratio())


def round_rational(x: fmpq, digits: int, mode: str) -> fmpz:
    """Return the whole number n for which n/10ᵏ is x, rounded. Raises AttncalcError for an unknown mode.

    >>> [int(round_rational(fmpq(1, 8), 2, mode)) for mode in ("half_up", "half_even", "truncate")]
    [13, 12, 12]
    """
    require_mode(mode)
    if x.denominator == 1:
        return x.numerator * power_of_ten(digits)
    scaled = x * power_of_ten(digits)
    if scaled.denominator == 1:
        return scaled.numerator  # x has no further digits
    shifted = abs(scaled) + _shift(mode)
    n = shifted.floor()
    if shifted == n:
        n = MODES[mode].tie(n)
    return -n if x < 0 else n


def round_ball(x: arb, digits: int, mode: str) -> fmpz | None:
    """Return 10ᵏ·x rounded to an integer if all numbers of the ball give the same integer; otherwise None."""
    require_mode(mode)
    return ball_rounder(digits, mode)(x)


@lru_cache(maxsize=64)
def ball_rounder(digits: int, mode: str, most_bits: int | None = None) -> Callable[[arb], fmpz | None]:
    """Return a function that rounds balls as `round_ball` does. Work that depends only on digits and mode is done once.

    The function also returns None for numbers that may have more bits before the point than `most_bits`.
    """
    unit, shift = arb(power_of_ten(digits)), arb(_shift(mode))  # exact: wholes and halves are binary numbers
    keeps, moves = MODES[mode].keeps_tie, MODES[mode].moves_ties
    limit = budget.limit(budget.MOST_BITS if most_bits is None else most_bits) * unit

    def rounded(x: arb) -> fmpz | None:
        shifted = abs(x) * unit + shift
        n = budget.floor_below(shifted, limit)
        if moves and n is not None and not shifted > n and not keeps(n):
            n = MODES[mode].tie(n) if shifted.is_exact() else None  # an exact ball is certainly a tie
        return -n if n and x < _ZERO else n

    return rounded


def round_number(x: fmpq | arb, digits: int, mode: str) -> fmpz | None:
    """Return 10ᵏ·x rounded to an integer, for an exact number or a ball; None if the ball does not decide it."""
    return round_rational(x, digits, mode) if isinstance(x, fmpq) else round_ball(x, digits, mode)


def rounding_boundary(x: arb, digits: int, mode: str) -> fmpq | None:
    """Return the boundary of rounding that is nearest to a ball; None if the ball does not decide which it is.

    A boundary is a tie, or for truncation a multiple of the unit.
    """
    require_mode(mode)
    scaled = x * power_of_ten(digits)
    shift = _shift(mode)
    nearest = budget.floor(scaled + shift + _HALF)
    if nearest is None:
        return None
    return (nearest - shift) / power_of_ten(digits)


def quarter_unit(digits: int) -> fmpq:
    """Return a quarter of the last decimal's unit, which is less than the distance between two boundaries."""
    return fmpq(1, 4) / power_of_ten(digits)


def decimal_text(n: fmpz, digits: int) -> str:
    """Return n/10ᵏ as text, never −0.000."""
    return decimal_texts(digits)(n)


@lru_cache(maxsize=64)
def decimal_texts(digits: int) -> Callable[[fmpz], str]:
    """Return a function that converts integers to texts as `decimal_text` does."""
    shortest = digits + 2  # characters of n with a sign; a longer text needs no zeros

    def as_text(n: fmpz) -> str:
        text: str = n.str()
        if len(text) < shortest:
            text = text.zfill(digits + 1 + text.startswith("-"))
        return f"{text[:-digits]}.{text[-digits:]}"

    return as_text if digits else fmpz.str


def scientific_text(x: fmpq | arb, figures: int = 2) -> str | None:
    """Return |x| to some significant figures in scientific notation (`8.3e-32`); None if the ball does not decide
    them.
    """
    magnitude = abs(x)
    exponent = _exponent(magnitude)
    if exponent is None or abs(exponent) > LARGEST_EXPONENT:
        return None
    large = abs(exponent) > LARGEST_POWER
    if large:
        magnitude = arb(magnitude)
    for guess in (exponent, exponent + 1):
        shift = figures - 1 - guess
        power = arb(10) ** abs(shift) if large else power_of_ten(abs(shift))
        scaled = magnitude * power if shift >= 0 else magnitude / power
        n = round_number(scaled, 0, "half_up")
        if n is None:
            return None
        digits = n.str()
        if len(digits) == figures:
            return f"{digits[0]}.{digits[1:]}e{guess:+03d}"
    return None


def significant_boundary(x: arb, figures: int = 2) -> fmpq | None:
    """Return the number in the ball that lies halfway between two numbers of `figures` significant figures.

    Returns None if the ball has no such number, or if the exponent is too large.
    """
    magnitude = abs(x)
    exponent = _exponent(magnitude)
    if exponent is None or abs(exponent) > LARGEST_POWER:
        return None
    power = fmpq(10) ** (figures - 1 - exponent)
    edge = rounding_boundary(magnitude * power, 0, "half_up")
    return edge / power if edge is not None and (magnitude * power).contains(edge) else None


def _exponent(magnitude: fmpq | arb) -> int | None:
    """Return ⌊log₁₀ x⌋, possibly one too small; None if x may be 0 or infinite."""
    ball = arb(magnitude)
    if not ball.is_finite() or not ball > 0:
        return None
    floor = (ball.log() / arb(10).log()).floor().mid()  # just above the smaller of two possible integers
    return int(budget.floor(floor) or 0)
