"""Cells: the ends of intervals, and what is read from them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import floor

import pytest
from flint import arb, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc.arithmetic import cells
from attncalc.arithmetic.matrices import MINUS_INFINITY, PLUS_INFINITY

from . import oracle
from .ends import ends, holds

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
    for found, pick in ((cells.least(chosen), min), (cells.most(chosen), max)):
        low, high = ends(found)
        room = Fraction(1, 10**8)
        assert isinstance(found, fmpq) or not all(isinstance(x, fmpq) for x in chosen)
        assert pick(lows) - room <= low <= pick(lows) + room
        assert pick(highs) - room <= high <= pick(highs) + room


@given(end, end, end, end)
def test_a_hull_holds_both_and_what_has_no_bound_none(a, b, c, d):
    hull = cells.hull((a, b), (c, d))
    for x in (a, c):
        assert ends(hull[0])[0] <= ends(x)[0] + Fraction(1, 10**8)
    for x in (b, d):
        assert ends(hull[1])[1] >= ends(x)[1] - Fraction(1, 10**8)
    assert cells.hull(None, (a, b)) is None and cells.hull((a, b), None) is None


@example(Fraction(0), Fraction(1), Fraction(1), Fraction(2))
@example(Fraction(1), Fraction(2), Fraction(0), Fraction(1))
@given(rational, rational, rational, rational)
def test_the_part_between_two_bounds(a, b, c, d):
    (a, b), (c, d) = sorted((a, b)), sorted((c, d))
    as_flint = [fmpq(x.numerator, x.denominator) for x in (a, b, c, d)]
    found = cells.within((as_flint[0], as_flint[1]), as_flint[2], as_flint[3])
    for x in (a, b, (a + b) / 2, c, d):
        if a <= x <= b and c <= x <= d:
            assert holds(found, x)
    assert c <= ends(found[0])[0] <= ends(found[1])[1] <= d
    assert (ends(found[0])[0], ends(found[1])[1]) == ((max(a, c), min(b, d)) if max(a, c) <= min(b, d) else (c, d))
    assert cells.within(None, as_flint[2], as_flint[3]) == (as_flint[2], as_flint[3])


@given(rational)
def test_a_size_as_a_float(q):
    assert cells.approximate(fmpq(q.numerator, q.denominator)) == pytest.approx(float(q))
    assert cells.approximate(arb(fmpq(q.numerator, q.denominator))) == pytest.approx(float(q))


def test_sizes_beyond_floats_are_the_largest():
    huge = fmpq(10) ** 400
    for x in (huge, arb(huge)):
        assert cells.approximate(x) == cells.LARGEST_FLOAT and cells.approximate(-x) == -cells.LARGEST_FLOAT
    assert (
        cells.approximate(fmpq(10) ** 305) == cells.LARGEST_FLOAT
        and cells.approximate(-(fmpq(10) ** 305)) == -cells.LARGEST_FLOAT
    )
    assert cells.approximate(fmpq(10) ** 299) == pytest.approx(1e299)


def test_what_is_no_number_has_no_bound():
    nothing = arb("nan")
    assert cells.sound(nothing, fmpq(1)) is None and cells.sound(fmpq(1), nothing) is None
    assert cells.sound(fmpq(1), fmpq(2)) == (1, 2) and cells.sound(MINUS_INFINITY, PLUS_INFINITY) is not None


@given(rational, rational)
def test_points_stay_points(x, y):
    a, b = cells.point(fmpq(x.numerator, x.denominator)), cells.point(fmpq(y.numerator, y.denominator))
    found = [
        cells.negative(a),
        cells.add(a, b),
        cells.product(a, b),
        cells.magnitude(a),
        cells.power(a, cells.point(fmpq(3))),
    ]
    found += [cells.total([a, b]), cells.total([a]), cells.total([])] + ([cells.quotient(a, b)] if y else [])
    assert found[5] == cells.point(a[0] + b[0]) == found[1]
    assert all(cell[0] is cell[1] for cell in found)


def test_powers_beyond_reach_have_no_bound():
    two = cells.point(fmpq(2))
    assert cells.power(two, cells.point(fmpq(1_000))) == cells.point(fmpq(2) ** 1_000)
    assert cells.power(two, cells.point(fmpq(1_001))) is None
    assert cells.power((fmpq(-1), fmpq(1)), cells.point(fmpq(-2))) is None
    assert cells.power((fmpq(-1), fmpq(1)), cells.point(fmpq(1, 2))) is None
    assert cells.power((fmpq(0), fmpq(1)), cells.point(fmpq(-1, 2))) is None
    assert cells.power((fmpq(0), fmpq(4)), cells.point(fmpq(1, 2))) == (0, 2)
    assert cells.power((fmpq(1), fmpq(4)), cells.point(fmpq(-1, 2))) == (fmpq(1, 2), 1)


def q(*pair):
    return tuple(fmpq(x.numerator, x.denominator) for x in map(Fraction, pair))


@pytest.mark.parametrize(("base", "exponent", "expected"), [
    ((2, 4), (-2, -2), ("1/16", "1/4")), ((-4, -2), (-3, -3), ("-1/8", "-1/64")), ((-3, 1), (2, 2), (0, 9)),
    ((-3, 1), (3, 3), (-27, 1)),
    ((1, 4), ("3/2", "3/2"), (1, 8)), ((1, 4), ("-1/2", "-1/2"), ("1/2", 1)), ((0, 4), ("1/2", "1/2"), (0, 2)),
    ((-1, 0), (-1, -1), None),
    ((0, 1), (-2, -2), None), ((2, 3), (-1_001, -1_001), None), ((-1, 4), ("1/2", "1/2"), None),
    ((0, 2), ("1/2", 1), None), ((-2, -1), (1, 2), None),
])  # fmt: skip
def test_powers_of_intervals(base, exponent, expected):
    """Rational ones stay fractions."""
    power = cells.point(q(exponent[0])[0]) if exponent[0] == exponent[1] else q(*exponent)
    found = cells.power(q(*base), power)
    assert found == (expected and q(*expected)) and all(isinstance(x, fmpq) for x in found or ())


@given(rational, rational, rational, rational)
def test_irrational_powers_hold_their_corners(a, b, c, d):
    (a, b), (c, d) = sorted((abs(a) + Fraction(1, 8), abs(b) + Fraction(1, 8))), sorted((c, d))
    found = cells.power(q(a, b), (arb(q(c)[0]), arb(q(d)[0])))
    corners = [oracle.exactly(oracle.mp.power(oracle.real(x), oracle.real(y))) for x in (a, b) for y in (c, d)]
    assert all(holds(found, x) for x in corners)
    room = max(corners) * Fraction(1, 10**8)
    assert min(corners) - room <= ends(found[0])[0] and ends(found[1])[1] <= max(corners) + room


def test_what_is_divided_by_an_interval_with_zero_has_no_bound():
    for below in ((-1, 0), (0, 1), (-1, 1)):
        assert cells.quotient(q(1, 2), q(*below)) is None
    assert cells.quotient(q(1, 2), cells.point(fmpq(0))) is None
    assert cells.quotient(q(1, 2), cells.point(fmpq(-2))) == q(-1, "-1/2") and cells.quotient(q(1, 2), q(-4, -2)) == q(
        -1, "-1/4"
    )


@given(rational, st.sampled_from([0.0, 0.125, 1.5]))
def test_the_floor_of_an_end_goes_outwards(x, radius):
    ball = arb(q(x)[0], radius)
    low, high = (ends(end) for end in (cells.floor_of(ball, down=True), cells.floor_of(ball, down=False)))
    (least, most), room = ends(ball), Fraction(1, 10**6)
    assert (
        floor(least) - room <= low[0] <= low[1] <= floor(least) + room
        and floor(most) - room <= high[0] <= high[1] <= floor(most) + room
    )
    assert cells.floor_of(q(x)[0], down=True) == floor(x)
    assert cells.floor_of(MINUS_INFINITY, down=True) is MINUS_INFINITY


def test_a_point_stays_one_under_every_power():
    for exponent in (fmpq(2), fmpq(-3), fmpq(1, 2), fmpq(-1, 2), fmpq(2, 3)):
        found = cells.power(cells.point(fmpq(5)), cells.point(exponent))
        assert found is not None and found[0] is found[1]


# -- what is asked of cells --------------------------------------------------------------------------------------------

few = st.sampled_from([Fraction(x, 4) for x in (-8, -5, -4, -1, 0, 0, 1, 4, 5, 8)])
KINDS = st.sampled_from(["fractions", "balls", "mixed"])


def as_kind(kind: str, low: Fraction, high: Fraction):
    """A cell of two ends, exact all of them: fractions, balls, or one of each; a point where they are equal."""
    exact = q(low, high)
    made = {"fractions": exact, "balls": tuple(map(arb, exact)), "mixed": (exact[0], arb(exact[1]))}[kind]
    return cells.point(made[0]) if low == high else made


INTERVALS = list(itertools.combinations_with_replacement([Fraction(x, 4) for x in (-8, -3, 0, 1, 5)], 2))


@pytest.mark.parametrize("one", ["fractions", "balls", "mixed"])
@pytest.mark.parametrize("other", ["fractions", "balls", "mixed"])
def test_a_product_and_a_quotient_reach_from_their_least_corner_to_their_largest(one, other):
    """Whatever the signs; of numbers without a radius the ends of a product are exact."""
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        left, right = as_kind(one, a, b), as_kind(other, c, d)
        corners = [x * y for x in (a, b) for y in (c, d)]
        found = cells.product(left, right)
        assert [ends(end) for end in found] == [(min(corners),) * 2, (max(corners),) * 2]
        if one == other == "fractions":
            assert all(isinstance(end, fmpq) for end in found)
        found = cells.quotient(left, right)
        if c <= 0 <= d:
            assert found is None
            continue
        corners = [x / y for x in (a, b) for y in (c, d)]
        for end, best in zip(found, (min(corners), max(corners)), strict=True):
            assert all(abs(x - best) <= Fraction(1, 10**8) for x in ends(end))


@pytest.mark.parametrize("base", [(0, 0), (2, 2), (-3, -3), (-1, 2), ("1/2", 4)])
def test_the_power_0_is_1(base):
    cell = cells.point(q(base[0])[0]) if base[0] == base[1] else q(*base)
    assert cells.power(cell, cells.point(fmpq(0))) == (1, 1)


def test_a_power_that_may_be_anything_has_no_bound():
    anything = MINUS_INFINITY, PLUS_INFINITY
    assert ends(cells.power((fmpq(1, 2), PLUS_INFINITY), (fmpq(0), fmpq(1, 2)))[1])[1] == float("inf")
    assert cells.power((fmpq(1), fmpq(2)), anything) is None


@given(rational, st.sampled_from([0, 1, "ball"]), st.integers(0, 2))
def test_what_is_whole_and_what_ends_within_some_digits(x, room, digits):
    exact = q(x)[0]
    cell = (arb(exact),) * 2 if room == "ball" else cells.point(exact) if not room else (exact, exact + 1)
    is_number = room == 0
    assert cells.is_whole(cell[0]) == (room != "ball" and x.denominator == 1)
    assert cells.is_whole_point(cell) == (is_number and x.denominator == 1)
    assert cells.ends_within(cell, digits) == (is_number and (x * 10**digits).denominator == 1)


def test_a_masked_entry_ends_and_one_without_bound_does_not():
    assert cells.ends_within(cells.HIDDEN, 2) and not cells.ends_within(None, 2)
    assert not cells.ends_within((fmpq(1), PLUS_INFINITY), 2)
    assert not cells.is_whole_point((fmpq(1), fmpq(2))) and cells.is_whole_point(cells.point(fmpq(2)))
    assert cells.ends_within(cells.point(fmpq(1, 100)), 2) and not cells.ends_within(cells.point(fmpq(1, 100)), 1)


def test_rows_are_apart_where_two_of_their_entries_do_not_meet():
    apart, unknown = [], []
    for (a, b), (c, d) in itertools.product(INTERVALS, repeat=2):
        pair = q(a, b), q(c, d)
        assert cells.are_apart([pair[0]], [pair[1]]) == (b < c or d < a)
        (apart if b < c or d < a else unknown).append(pair)
    unknown += [(None, q(1, 2)), (q(1, 2), None)]
    assert not cells.are_apart(*map(list, zip(*unknown, strict=True)))
    assert all(cells.are_apart(*map(list, zip(*unknown, pair, strict=True))) for pair in apart)


@given(few, few, KINDS, KINDS)
def test_of_two_ends_that_are_apart_one_is_taken_as_it_is(a, b, one, other):
    x, y = as_kind(one, a, a)[0], as_kind(other, b, b)[0]
    if a != b:
        assert cells.least([x, y]) is (x if a < b else y) and cells.most([x, y]) is (x if a > b else y)
    wide = arb(q(a)[0], 4)
    for pick, choose in ((cells.least, min), (cells.most, max)):
        for pair in ([wide, q(b)[0]], [q(b)[0], wide]):
            assert all(
                abs(end - choose(b, edge)) <= Fraction(1, 10**6)
                for end, edge in zip(ends(pick(pair)), (a - 4, a + 4), strict=True)
            )
