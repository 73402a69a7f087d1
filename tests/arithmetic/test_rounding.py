"""Rounding agrees with the decimal module in every mode, on fractions and, where one answer is proven, on balls."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic import rounding
from attncalc.arithmetic.rounding import LARGEST_EXPONENT
from attncalc.modes import MODES

from .ends import ends, fraction

DECIMAL = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
EXACT = Context(prec=400)

decimals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-(10**12), 10**12), st.integers(0, 14))
ties = st.builds(lambda n, k: Fraction(2 * n + 1, 2 * 10**k), st.integers(-(10**6), 10**6), st.integers(0, 8))
digits_ = st.integers(0, 12)


def expected(x: Fraction, digits: int, mode: str) -> Decimal:
    exact = EXACT.divide(Decimal(x.numerator), Decimal(x.denominator))
    return exact.quantize(Decimal(1).scaleb(-digits), rounding=DECIMAL[mode], context=EXACT)


def test_every_mode_has_its_law():
    assert set(MODES) == set(DECIMAL)


@pytest.mark.parametrize("mode", MODES)
@given(st.one_of(decimals, ties), digits_)
def test_a_fraction_rounds_as_decimal_does(mode, x, digits):
    n = rounding.of_rational(fmpq(x.numerator, x.denominator), digits, mode)
    want = expected(x, digits, mode)
    assert Decimal(int(n)).scaleb(-digits, context=EXACT) == want
    assert rounding.of_number(fmpq(x.numerator, x.denominator), digits, mode) == n
    assert rounding.decimal_text(n, digits) == f"{want if want else abs(want):f}"


@pytest.mark.parametrize("mode", MODES)
@given(st.one_of(decimals, ties), st.fractions(0, Fraction(1, 10), max_denominator=10**9), digits_)
def test_a_ball_rounds_where_all_its_numbers_do(mode, x, radius, digits):
    with ctx.workprec(200):
        ball = arb(fmpq(x.numerator, x.denominator)) + arb(0, float(radius))
        n = rounding.of_ball(ball, digits, mode)
        assert rounding.of_number(ball, digits, mode) == n
    low, high = ends(ball)
    answers = {expected(y, digits, mode) for y in (low, x, high)}
    if n is not None:
        assert answers == {Decimal(int(n)).scaleb(-digits, context=EXACT)}
    elif not low <= 0 <= high:  # it allows two answers, or an end lies within the ball's own accuracy of a change
        room = (high - low) / 1000 + Fraction(1, 10**3 * 10**digits)
        assert len({expected(y, digits, mode) for y in (low - room, low, high, high + room)}) > 1


@pytest.mark.parametrize("mode", MODES)
@given(st.integers(-(10**6), 10**6), st.integers(0, 6), st.fractions(-1, 1, max_denominator=10**6))
def test_the_boundary_is_where_the_answer_changes(mode, n, digits, away):
    unit = Fraction(1, 10**digits)
    edge = n * unit + (0 if mode == "truncate" else unit / 2)
    x = edge + away * unit / 1000
    ball = arb(fmpq(x.numerator, x.denominator), float(unit / 100))
    found = rounding.boundary(ball, digits, mode)
    assert found is not None and fraction(found) == edge
    wide = arb(fmpq(x.numerator, x.denominator), float(unit * 3))
    assert rounding.boundary(wide, digits, mode) is None


@given(st.integers(-(10**9), 10**9), st.integers(0, 15))
def test_a_decimal_text_is_its_number(n, digits):
    text = rounding.decimal_text(fmpz(n), digits)
    assert Fraction(text) == Fraction(n, 10**digits)
    assert len(text.partition(".")[2]) == digits and ("-" in text) == (n < 0)
    assert len(text.lstrip("-").split(".")[0]) == max(1, len(str(abs(n))) - digits)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), st.integers(1, 6), st.integers(-40, 40), st.booleans())
def test_significant_figures(x, figures, power, as_ball):
    x = x * Fraction(10) ** power
    q = fmpq(x.numerator, x.denominator)
    text = rounding.significant(arb(q) if as_ball else -q, figures)
    if as_ball and text is None:
        return
    mantissa, _, exponent = text.partition("e")
    assert len(mantissa.replace(".", "")) == figures and exponent[0] in "+-" and len(exponent) > 2
    assert 1 <= Fraction(mantissa) < 10
    unit = Fraction(10) ** (int(exponent) - figures + 1)
    assert abs(Fraction(mantissa) * Fraction(10) ** int(exponent) - x) <= unit / 2


def test_figures_of_what_is_huge_tiny_or_unknown():
    assert rounding.significant(arb(10) ** 20_000 * 3) == "3.0e+20000"
    assert rounding.significant(arb(10) ** -20_000 * 3) == "3.0e-20000"
    assert rounding.significant(arb(10) ** (LARGEST_EXPONENT + 10)) is None
    assert rounding.significant(arb(0, 1)) is None and rounding.significant(arb(0)) is None
    assert rounding.significant(arb(1, 0.5)) is None
    assert rounding.significant(fmpq(999, 1000)) == "1.0e+00" and rounding.significant(fmpq(1, 3), 4) == "3.333e-01"
