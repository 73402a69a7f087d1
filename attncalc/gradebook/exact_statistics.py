"""Means, deviations and correlations of shares, exact until they are printed."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, lcm

DIGITS = 30  # of a root that is no fraction; truncated, so that half of the last printed digit stays on its side


def mean(xs: list[Fraction]) -> Fraction:
    """Return the arithmetic mean."""
    return sum(xs, Fraction(0)) / len(xs)


def deviation(xs: list[Fraction]) -> Fraction:
    """Return the standard deviation of a sample."""
    integers, scale = _as_integers(xs)
    return _root(Fraction(_scatter(integers, integers), len(xs) * (len(xs) - 1) * scale**2))


def correlation(xs: list[Fraction], ys: list[Fraction]) -> Fraction | None:
    """Return Pearson's r; None if one variable is constant."""
    (integers_x, _), (integers_y, _) = _as_integers(xs), _as_integers(ys)
    covariance, variance_x, variance_y = (
        _scatter(integers_x, integers_y),
        _scatter(integers_x, integers_x),
        _scatter(integers_y, integers_y),
    )
    if not variance_x or not variance_y:
        return None
    r = _root(Fraction(covariance**2, variance_x * variance_y))
    return -r if covariance < 0 else r


def _as_integers(xs: list[Fraction]) -> tuple[list[int], int]:
    """Return the numbers times a common denominator, and that denominator."""
    scale = lcm(*{x.denominator for x in xs})
    return [x.numerator * (scale // x.denominator) for x in xs], scale


def _scatter(xs: list[int], ys: list[int]) -> int:
    """n Σ xy − Σ x Σ y"""
    return len(xs) * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)


def _root(x: Fraction) -> Fraction:
    return Fraction(isqrt(x.numerator * 10 ** (2 * DIGITS) // x.denominator), 10**DIGITS)
