"""Rounding agrees with the decimal module in every mode, on fractions and, where one answer is proven, on balls."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc.arithmetic import rounding
from attncalc.arithmetic.intervals.decimals import interval_decimals
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY
from attncalc.arithmetic.rounding import LARGEST_EXPONENT, LARGEST_POWER
from attncalc.errors import AttncalcError
from attncalc.rounding_modes import MODES
from tests.arithmetic.ends import ends, fraction
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.sweeps import for_each

EXACT = Context(prec=400)

decimals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-(10**12), 10**12), st.integers(0, 14))
ties = st.builds(lambda n, k: Fraction(2 * n + 1, 2 * 10**k), st.integers(-(10**6), 10**6), st.integers(0, 8))
digits_ = st.integers(0, 12)


def expected(x: Fraction, digits: int, mode: str) -> Decimal:
    exact = EXACT.divide(Decimal(x.numerator), Decimal(x.denominator))
    return exact.quantize(Decimal(1).scaleb(-digits), rounding=DECIMAL_MODES[mode], context=EXACT)


def test_every_mode_has_its_law():
    assert set(MODES) == set(DECIMAL_MODES)


@pytest.mark.parametrize("mode", MODES)
@given(st.one_of(decimals, ties), digits_)
def test_a_fraction_rounds_as_decimal_does(mode, x, digits):
    n = rounding.round_rational(fmpq(x.numerator, x.denominator), digits, mode)
    want = expected(x, digits, mode)
    assert Decimal(int(n)).scaleb(-digits, context=EXACT) == want
    assert rounding.round_number(fmpq(x.numerator, x.denominator), digits, mode) == n
    assert rounding.decimal_text(n, digits) == f"{want if want else abs(want):f}"


@pytest.mark.parametrize("mode", MODES)
@given(st.one_of(decimals, ties), st.fractions(0, Fraction(1, 10), max_denominator=10**9), digits_)
def test_a_ball_rounds_where_all_its_numbers_do(mode, x, radius, digits):
    with ctx.workprec(200):
        ball = arb(fmpq(x.numerator, x.denominator)) + arb(0, float(radius))
        n = rounding.round_ball(ball, digits, mode)
        assert rounding.round_number(ball, digits, mode) == n
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
    edge = (n + MODES[mode].shift) * unit
    x = edge + away * unit / 1000
    ball = arb(fmpq(x.numerator, x.denominator), float(unit / 100))
    found = rounding.rounding_boundary(ball, digits, mode)
    assert found is not None and fraction(found) == edge
    wide = arb(fmpq(x.numerator, x.denominator), float(unit * 3))
    assert rounding.rounding_boundary(wide, digits, mode) is None


@given(st.integers(-(10**9), 10**9), st.integers(0, 15))
def test_a_decimal_text_is_its_number(n, digits):
    text = rounding.decimal_text(fmpz(n), digits)
    assert Fraction(text) == Fraction(n, 10**digits)
    assert len(text.partition(".")[2]) == digits and ("-" in text) == (n < 0)
    assert len(text.lstrip("-").split(".")[0]) == max(1, len(str(abs(n))) - digits)


def in_figures(x: Fraction, figures: int) -> str:
    """What the decimal module makes of it."""
    found = Context(prec=figures, rounding=ROUND_HALF_UP, Emax=10**6, Emin=-(10**6)).divide(
        Decimal(x.numerator), Decimal(x.denominator)
    )
    digits = "".join(map(str, found.as_tuple().digits)).ljust(figures, "0")
    return f"{digits[0]}.{digits[1:]}e{found.adjusted():+03d}"


scaled = st.builds(
    lambda x, power: x * Fraction(10) ** power, st.fractions(Fraction(1, 10**9), 10**9), st.integers(-40, 40)
)
halfway = st.builds(
    lambda n, power: Fraction(2 * n + 1, 2) * Fraction(10) ** power, st.integers(0, 10**6), st.integers(-20, 20)
)
near_a_power = st.builds(
    lambda n, k, power: (10**k + n) * Fraction(10) ** power,
    st.integers(-9, 9),
    st.integers(2, 30),
    st.integers(-40, 40),
)


@given(st.one_of(scaled, halfway, near_a_power), st.integers(1, 32))
@example(Fraction(5), 1)
@example(Fraction(10**30 - 1, 10**27), 30)
def test_significant_figures_are_those_of_decimal(x, figures):
    q = fmpq(x.numerator, x.denominator)
    assert rounding.scientific_text(q, figures) == rounding.scientific_text(-q, figures) == in_figures(x, figures)
    assert rounding.scientific_text(arb(q), figures) in (None, in_figures(x, figures))


def last_place(x: Fraction, figures: int) -> Fraction:
    """The unit of the last of so many figures."""
    return Fraction(10) ** (EXACT.divide(Decimal(x.numerator), Decimal(x.denominator)).adjusted() - figures + 1)


def edges_near(x: Fraction, figures: int, radius: Fraction) -> set[Fraction]:
    """The numbers halfway between two of so many figures that are within a small radius of x; below a power of ten they
    lie closer.
    """
    unit = last_place(x, figures)
    power = unit * 10 ** (figures - 1)
    return {edge for edge in ((x // unit + Fraction(1, 2)) * unit, power - unit / 20) if abs(edge - x) <= radius}


@given(st.one_of(scaled, halfway, near_a_power), st.integers(1, 6), st.integers(-10, 10), st.integers(0, 20_000))
def test_an_edge_of_figures_is_halfway_between_two(x, figures, away, millionths):
    """A ball that holds one such number has it, one that holds none has none."""
    unit = last_place(x, figures)
    x, radius = x + away * unit / 10**6, unit * (millionths + Fraction(1, 7)) / 10**6
    with ctx.workprec(900):
        found = rounding.significant_boundary(-arb(fmpq(x.numerator, x.denominator), float(radius)), figures)
    assert (set() if found is None else {fraction(found)}) == edges_near(x, figures, radius)


def test_figures_of_what_is_huge_tiny_or_unknown():
    assert rounding.scientific_text(arb(10) ** 20_000 * 3) == "3.0e+20000"
    assert rounding.scientific_text(arb(10) ** -20_000 * 3) == "3.0e-20000"
    last = arb(10) ** LARGEST_EXPONENT * 5
    assert (rounding.scientific_text(last), rounding.scientific_text(last * 10)) == (f"5.0e+{LARGEST_EXPONENT}", None)
    assert (rounding.scientific_text(25 / last), rounding.scientific_text(2 / last)) == (
        f"5.0e-{LARGEST_EXPONENT}",
        None,
    )
    ten = fmpq(10) ** LARGEST_POWER
    # Ties
    assert [rounding.scientific_text(x, 2) for x in (ten * 65 / 20, 65 / ten / 20)] == [
        f"3.3e+{LARGEST_POWER}",
        f"3.3e-{LARGEST_POWER}",
    ]
    assert [rounding.significant_boundary(arb(x)) for x in (ten * 65 / 20, ten * 65 / 2)] == [ten * 65 / 20, None]
    for unknown in (arb(0, 1), arb(1, 1), arb.pos_inf(), arb("nan"), fmpq(0)):
        assert rounding.scientific_text(unknown, 1) is None and rounding.significant_boundary(arb(unknown)) is None
    assert rounding.scientific_text(arb(1, 0.5)) is None
    assert LARGEST_EXPONENT == 10**9 and rounding.Rounding() == rounding.Rounding(4, "half_up")  # as the documents tell


@pytest.mark.parametrize("mode", MODES)
@given(st.integers(-40, 40), st.integers(0, 6), st.integers(-1, 1))
def test_balls_that_end_at_a_tie(mode, halves, bits, side):
    """A ball without a radius, or one that begins or ends at a half or a whole number: all its numbers have the answer,
    or there is none.
    """
    radius = Fraction(side * side, 2 ** (bits + 3))
    x = Fraction(halves, 2) + side * radius
    n = rounding.round_ball(arb(fmpq(x.numerator, x.denominator), float(radius)), 0, mode)
    answers = {int(expected(y, 0, mode)) for y in (x - radius, x, x + radius)}
    assert n == answers.pop() if not radius else n is None or answers == {int(n)}


def test_a_mode_is_one_of_the_table():
    for mode in MODES:
        rounding.require_mode(mode)
        assert rounding.Rounding(2, mode).mode == mode
    for mode in ("half-up", "", "HALF_EVEN", None, 3, ["half_up"]):
        with pytest.raises(AttncalcError, match=f"one of {', '.join(MODES)}, found .*") as raised:
            rounding.Rounding(2, mode)
        assert ("did you mean half_up?" in str(raised.value)) == (mode == "half-up"), str(raised.value)


@pytest.mark.parametrize("mode", MODES)
@given(st.integers(-60, 60), st.sampled_from([0, 1, 3, 10]), st.integers(0, 2), st.booleans())
def test_an_interval_prints_where_both_its_ends_do(mode, low, room, digits, as_balls):
    low, high = Fraction(low, 8 * 10**digits), Fraction(low + room, 8 * 10**digits)
    cell = tuple((arb if as_balls else fmpq)(fmpq(x.numerator, x.denominator)) for x in (low, high))
    cell = (cell[0], cell[0]) if not room else cell
    with ctx.workprec(200):
        text = interval_decimals([[cell]], digits, mode)[0][0]
    both = {expected(x, digits, mode) for x in (low, high)}
    if len(both) > 1:
        assert text == "?"
    elif text != "?" or not as_balls:  # a ball may leave a tie open
        assert Decimal(text) == both.pop()


def test_what_has_no_number_prints_as_infinite_or_not_at_all():
    up, down = PLUS_INFINITY, MINUS_INFINITY
    row = [None, (down, down), (up, up), (down, up), (down, fmpq(-1)), (fmpq(1), up), (fmpq(1), fmpq(1))]
    assert interval_decimals([row], 1) == [["?", "-inf", "inf", "?", "?", "?", "1.0"]]


@for_each("mode", MODES)
@for_each("n", range(-5, 6))
def test_a_ball_without_a_radius_at_a_tie_rounds_as_its_fraction(mode, n):
    with ctx.workprec(200):
        found = rounding.round_ball(arb(fmpq(n, 2)), 0, mode)
    assert found == rounding.round_rational(fmpq(n, 2), 0, mode)


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_a_quarter_is_nearer_to_its_edge_than_to_any_other(digits):
    assert rounding.quarter_unit(digits) * 4 * 10**digits == 1


@for_each("mode", MODES)
@for_each("way", [-1, 0, 1])
@for_each("n", [-3, 0, 2])
def test_the_boundary_in_a_ball_is_found_where_the_next_one_is_outside(mode, way, n):
    edge = n + MODES[mode].shift
    found = rounding.rounding_boundary(arb(fmpq(int(8 * edge) + way, 8), 0.25), 0, mode)
    assert fraction(found) == edge
