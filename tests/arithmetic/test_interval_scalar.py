"""Cells: the ends of intervals, and what is read from them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import floor

import pytest
from flint import arb, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc.arithmetic.intervals import scalar
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY
from tests.arithmetic import oracle
from tests.arithmetic.ends import ends, holds
from tests.support.sweeps import for_each

rational = st.fractions(-9, 9, max_denominator=32)
radius = st.sampled_from([0.0, 0.125, 1.0])
end = st.one_of(
    rational.map(lambda q: fmpq(q.numerator, q.denominator)),
    st.builds(lambda q, r: arb(fmpq(q.numerator, q.denominator), r), rational, radius),
)


@given(st.lists(end, min_size=1, max_size=4))
def test_the_least_and_the_most_of_ends(chosen):
    """Of numbers one in each end, the least lies in `least` and the most in `most`."""
    lows, highs = [ends(x)[0] for x in chosen], [ends(x)[1] for x in chosen]
    for found, pick in ((scalar.least(chosen), min), (scalar.most(chosen), max)):
        low, high = ends(found)
        room = Fraction(1, 10**8)
        assert isinstance(found, fmpq) or not all(isinstance(x, fmpq) for x in chosen)
        assert pick(lows) - room <= low <= pick(lows) + room
        assert pick(highs) - room <= high <= pick(highs) + room


@given(end, end, end, end)
def test_a_hull_holds_both_and_what_has_no_bound_none(a, b, c, d):
    hull = scalar.hull((a, b), (c, d))
    for x in (a, c):
        assert ends(hull[0])[0] <= ends(x)[0] + Fraction(1, 10**8)
    for x in (b, d):
        assert ends(hull[1])[1] >= ends(x)[1] - Fraction(1, 10**8)
    assert scalar.hull(None, (a, b)) is None and scalar.hull((a, b), None) is None


@example(Fraction(0), Fraction(1), Fraction(1), Fraction(2))
@example(Fraction(1), Fraction(2), Fraction(0), Fraction(1))
@given(rational, rational, rational, rational)
def test_the_part_between_two_bounds(a, b, c, d):
    (a, b), (c, d) = sorted((a, b)), sorted((c, d))
    as_flint = [fmpq(x.numerator, x.denominator) for x in (a, b, c, d)]
    found = scalar.clip((as_flint[0], as_flint[1]), as_flint[2], as_flint[3])
    for x in (a, b, (a + b) / 2, c, d):
        if a <= x <= b and c <= x <= d:
            assert holds(found, x)
    assert c <= ends(found[0])[0] <= ends(found[1])[1] <= d
    assert (ends(found[0])[0], ends(found[1])[1]) == ((max(a, c), min(b, d)) if max(a, c) <= min(b, d) else (c, d))
    assert scalar.clip(None, as_flint[2], as_flint[3]) == (as_flint[2], as_flint[3])


@given(rational)
def test_a_size_as_a_float(q):
    assert scalar.approximate(fmpq(q.numerator, q.denominator)) == pytest.approx(float(q))
    assert scalar.approximate(arb(fmpq(q.numerator, q.denominator))) == pytest.approx(float(q))


def test_sizes_beyond_floats_are_the_largest():
    huge = fmpq(10) ** 400
    for x in (huge, arb(huge)):
        assert scalar.approximate(x) == scalar.LARGEST_FLOAT and scalar.approximate(-x) == -scalar.LARGEST_FLOAT
    assert (
        scalar.approximate(fmpq(10) ** 305) == scalar.LARGEST_FLOAT
        and scalar.approximate(-(fmpq(10) ** 305)) == -scalar.LARGEST_FLOAT
    )
    assert scalar.approximate(fmpq(10) ** 299) == pytest.approx(1e299)


def test_what_is_no_number_has_no_bound():
    nothing = arb("nan")
    assert scalar.make_interval(nothing, fmpq(1)) is None and scalar.make_interval(fmpq(1), nothing) is None
    assert (
        scalar.make_interval(fmpq(1), fmpq(2)) == (1, 2)
        and scalar.make_interval(MINUS_INFINITY, PLUS_INFINITY) is not None
    )


@given(rational, rational)
def test_points_stay_points(x, y):
    a, b = scalar.point(fmpq(x.numerator, x.denominator)), scalar.point(fmpq(y.numerator, y.denominator))
    found = [
        scalar.negative(a),
        scalar.add(a, b),
        scalar.product(a, b),
        scalar.magnitude(a),
        scalar.power(a, scalar.point(fmpq(3))),
    ]
    found += [scalar.total([a, b]), scalar.total([a]), scalar.total([])] + ([scalar.quotient(a, b)] if y else [])
    assert found[5] == scalar.point(a[0] + b[0]) == found[1]
    assert all(cell[0] is cell[1] for cell in found)


def test_powers_beyond_reach_have_no_bound():
    two = scalar.point(fmpq(2))
    assert scalar.power(two, scalar.point(fmpq(1_000))) == scalar.point(fmpq(2) ** 1_000)
    assert scalar.power(two, scalar.point(fmpq(1_001))) is None
    assert scalar.power((fmpq(-1), fmpq(1)), scalar.point(fmpq(-2))) is None
    assert scalar.power((fmpq(-1), fmpq(1)), scalar.point(fmpq(1, 2))) is None
    assert scalar.power((fmpq(0), fmpq(1)), scalar.point(fmpq(-1, 2))) is None
    assert scalar.power((fmpq(0), fmpq(4)), scalar.point(fmpq(1, 2))) == (0, 2)
    assert scalar.power((fmpq(1), fmpq(4)), scalar.point(fmpq(-1, 2))) == (fmpq(1, 2), 1)


def q(*pair):
    return tuple(fmpq(x.numerator, x.denominator) for x in map(Fraction, pair))


@for_each(("base", "exponent", "expected"), [
    ((2, 4), (-2, -2), ("1/16", "1/4")), ((-4, -2), (-3, -3), ("-1/8", "-1/64")), ((-3, 1), (2, 2), (0, 9)),
    ((-3, 1), (3, 3), (-27, 1)),
    ((1, 4), ("3/2", "3/2"), (1, 8)), ((1, 4), ("-1/2", "-1/2"), ("1/2", 1)), ((0, 4), ("1/2", "1/2"), (0, 2)),
    ((-1, 0), (-1, -1), None),
    ((0, 1), (-2, -2), None), ((2, 3), (-1_001, -1_001), None), ((-1, 4), ("1/2", "1/2"), None),
    ((0, 2), ("1/2", 1), None), ((-2, -1), (1, 2), None),
])  # fmt: skip
def test_powers_of_intervals(base, exponent, expected):
    """Rational ones stay fractions."""
    power = scalar.point(q(exponent[0])[0]) if exponent[0] == exponent[1] else q(*exponent)
    found = scalar.power(q(*base), power)
    assert found == (expected and q(*expected)) and all(isinstance(x, fmpq) for x in found or ())


@given(rational, rational, rational, rational)
def test_irrational_powers_hold_their_corners(a, b, c, d):
    (a, b), (c, d) = sorted((abs(a) + Fraction(1, 8), abs(b) + Fraction(1, 8))), sorted((c, d))
    found = scalar.power(q(a, b), (arb(q(c)[0]), arb(q(d)[0])))
    corners = [oracle.exactly(oracle.mp.power(oracle.real(x), oracle.real(y))) for x in (a, b) for y in (c, d)]
    assert all(holds(found, x) for x in corners)
    room = max(corners) * Fraction(1, 10**8)
    assert min(corners) - room <= ends(found[0])[0] and ends(found[1])[1] <= max(corners) + room


def test_what_is_divided_by_an_interval_with_zero_has_no_bound():
    for below in ((-1, 0), (0, 1), (-1, 1)):
        assert scalar.quotient(q(1, 2), q(*below)) is None
    assert scalar.quotient(q(1, 2), scalar.point(fmpq(0))) is None
    assert scalar.quotient(q(1, 2), scalar.point(fmpq(-2))) == q(-1, "-1/2") and scalar.quotient(
        q(1, 2), q(-4, -2)
    ) == q(-1, "-1/4")


@given(rational, st.sampled_from([0.0, 0.125, 1.5]))
def test_the_floor_of_an_end_goes_outwards(x, radius):
    ball = arb(q(x)[0], radius)
    low, high = (ends(end) for end in (scalar.floor_of(ball, down=True), scalar.floor_of(ball, down=False)))
    (least, most), room = ends(ball), Fraction(1, 10**6)
    assert (
        floor(least) - room <= low[0] <= low[1] <= floor(least) + room
        and floor(most) - room <= high[0] <= high[1] <= floor(most) + room
    )
    assert scalar.floor_of(q(x)[0], down=True) == floor(x)
    assert scalar.floor_of(MINUS_INFINITY, down=True) is MINUS_INFINITY


def test_a_point_stays_one_under_every_power():
    for exponent in (fmpq(2), fmpq(-3), fmpq(1, 2), fmpq(-1, 2), fmpq(2, 3)):
        found = scalar.power(scalar.point(fmpq(5)), scalar.point(exponent))
        assert found is not None and found[0] is found[1]


# -- the question of cells --------------------------------------------------------------------------------------------

few = st.sampled_from([Fraction(x, 4) for x in (-8, -5, -4, -1, 0, 0, 1, 4, 5, 8)])
KINDS = st.sampled_from(["fractions", "balls", "mixed"])


def as_kind(kind: str, low: Fraction, high: Fraction):
    """A cell of two ends, exact all of them: fractions, balls, or one of each; a point where they are equal."""
    exact = q(low, high)
    made = {"fractions": exact, "balls": tuple(map(arb, exact)), "mixed": (exact[0], arb(exact[1]))}[kind]
    return scalar.point(made[0]) if low == high else made


INTERVALS = list(itertools.combinations_with_replacement([Fraction(x, 4) for x in (-8, -3, 0, 1, 5)], 2))


@for_each("one", ["fractions", "balls", "mixed"])
@for_each("other", ["fractions", "balls", "mixed"])
def test_a_product_and_a_quotient_reach_from_their_least_corner_to_their_largest(one, other):
    """Whatever the signs; of numbers without a radius the ends of a product are exact."""
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        left, right = as_kind(one, a, b), as_kind(other, c, d)
        corners = [x * y for x in (a, b) for y in (c, d)]
        found = scalar.product(left, right)
        assert [ends(end) for end in found] == [(min(corners),) * 2, (max(corners),) * 2]
        if one == other == "fractions":
            assert all(isinstance(end, fmpq) for end in found)
        found = scalar.quotient(left, right)
        if c <= 0 <= d:
            assert found is None
            continue
        corners = [x / y for x in (a, b) for y in (c, d)]
        for end, best in zip(found, (min(corners), max(corners)), strict=True):
            assert all(abs(x - best) <= Fraction(1, 10**8) for x in ends(end))


@for_each("base", [(0, 0), (2, 2), (-3, -3), (-1, 2), ("1/2", 4)])
def test_the_power_0_is_1(base):
    cell = scalar.point(q(base[0])[0]) if base[0] == base[1] else q(*base)
    assert scalar.power(cell, scalar.point(fmpq(0))) == (1, 1)


def test_a_power_that_may_be_anything_has_no_bound():
    anything = MINUS_INFINITY, PLUS_INFINITY
    assert ends(scalar.power((fmpq(1, 2), PLUS_INFINITY), (fmpq(0), fmpq(1, 2)))[1])[1] == float("inf")
    assert scalar.power((fmpq(1), fmpq(2)), anything) is None


@given(rational, st.sampled_from([0, 1, "ball"]), st.integers(0, 2))
def test_what_is_whole_and_what_ends_within_some_digits(x, room, digits):
    exact = q(x)[0]
    cell = (arb(exact),) * 2 if room == "ball" else scalar.point(exact) if not room else (exact, exact + 1)
    is_number = room == 0
    assert scalar.is_whole(cell[0]) == (room != "ball" and x.denominator == 1)
    assert scalar.is_whole_point(cell) == (is_number and x.denominator == 1)
    assert scalar.has_decimals(cell, digits) == (is_number and (x * 10**digits).denominator == 1)


def test_a_masked_entry_ends_and_one_without_bound_does_not():
    assert scalar.has_decimals(scalar.HIDDEN, 2) and not scalar.has_decimals(None, 2)
    assert not scalar.has_decimals((fmpq(1), PLUS_INFINITY), 2)
    assert not scalar.is_whole_point((fmpq(1), fmpq(2))) and scalar.is_whole_point(scalar.point(fmpq(2)))
    assert scalar.has_decimals(scalar.point(fmpq(1, 100)), 2) and not scalar.has_decimals(scalar.point(fmpq(1, 100)), 1)


@given(few, few, KINDS, KINDS)
def test_of_two_ends_that_are_apart_one_is_taken_as_it_is(a, b, one, other):
    x, y = as_kind(one, a, a)[0], as_kind(other, b, b)[0]
    if a != b:
        assert scalar.least([x, y]) is (x if a < b else y) and scalar.most([x, y]) is (x if a > b else y)
    wide = arb(q(a)[0], 4)
    for pick, choose in ((scalar.least, min), (scalar.most, max)):
        for pair in ([wide, q(b)[0]], [q(b)[0], wide]):
            assert all(
                abs(end - choose(b, edge)) <= Fraction(1, 10**6)
                for end, edge in zip(ends(pick(pair)), (a - 4, a + 4), strict=True)
            )
