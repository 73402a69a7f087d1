"""Rows of intervals against every choice of numbers in them: their softmax, which are the largest, and how they are
sorted.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic.intervals import interval_evaluator
from attncalc.arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding
from attncalc.arithmetic.intervals.interval_evaluator import weights
from attncalc.arithmetic.intervals.scalar import HIDDEN, Interval, point
from attncalc.arithmetic.matrix_types import PLUS_INFINITY
from tests.arithmetic import oracle
from tests.arithmetic.ends import ends, holds
from tests.support.laws import examples

mp = oracle.mp
THIN = Fraction(1, 10**9)


def some_row(r: Random, hidden: bool = True, most: int = 4) -> list[Interval]:
    """Points, intervals and scores of −∞ in any mixture; points that are equal are seldom one object."""
    row: list[Interval] = []
    for _ in range(r.randint(1, most)):
        low, width = r.randint(-3, 3), r.choice((0, 0, 1, 2))
        row.append(
            HIDDEN if hidden and r.random() < 0.2 else point(fmpq(low)) if not width else (fmpq(low), fmpq(low + width))
        )
    return row


def shares(chosen: list[int | None]) -> list[Fraction]:
    parts = [mp.mpf(0) if x is None else mp.exp(x) for x in chosen]
    return [oracle.exactly(part / mp.fsum(parts)) for part in parts]


@examples(100)
@given(r=st.randoms(use_true_random=True))
def test_weights_hold_every_choice_and_no_more(r):
    row = some_row(r)
    if all(cell is HIDDEN for cell in row):
        row[0] = point(fmpq(1))
    found = weights(row, "error", FULL)
    corners = [
        shares(choice)
        for choice in product(
            *[[None] if cell is HIDDEN else sorted({int(cell[0].numerator), int(cell[1].numerator)}) for cell in row]
        )
    ]
    for cell, values, own in zip(found, zip(*corners, strict=True), row, strict=True):
        low, high = ends(cell[0])[0], ends(cell[1])[1]
        assert all(holds(cell, value) for value in values)
        assert low >= min(values) - THIN and high <= max(values) + THIN
        assert own is not HIDDEN or cell == point(fmpq(0))
        assert (cell[0] is cell[1]) == (len(corners) == 1 or own is HIDDEN or sum(x is not HIDDEN for x in row) == 1)


@pytest.mark.parametrize("scores", [[0, 0], [1, 1, 1], [0.5, 0.5, 0.5, 0.5]])
def test_weights_of_equal_scores_are_fractions(scores):
    row = [point(fmpq(int(2 * x), 2)) for x in scores]
    assert weights(row, "error", FULL) == [point(fmpq(1, len(row)))] * len(row)
    assert weights([*row, HIDDEN], "error", FULL) == [point(fmpq(1, len(row)))] * len(row) + [point(fmpq(0))]
    assert weights(row[:1], "error", IntermediateRounding(2, "any")) == [point(fmpq(1))]


@examples(200)
@given(
    below=st.lists(st.integers(-60, -1), min_size=1, max_size=4),
    digits=st.integers(1, 4),
    habit=st.sampled_from(["cut", "floor"]),
    shifted=st.booleans(),
)
def test_the_sum_of_truncated_exponentials_is_truncated_from_what_it_is(below, digits, habit, shifted):
    kept, full = [Fraction(1)], [Fraction(1)]
    for score in below:
        exponential = oracle.exactly(mp.exp(mp.mpf(score) / 10))
        full.append(exponential)
        places = next(p for p in range(digits, 99) if exponential * 10**p >= 10 ** (digits - 1))
        kept.append(Fraction(int(exponential * 10**places), 10**places))
    least = Fraction(int(sum(kept) * 10**digits), 10**digits)
    row = [point(fmpq(0)), *(point(fmpq(score, 10)) for score in below)]
    largest = ends(weights(row, "error", IntermediateRounding(digits, habit, shifted))[0][1])[1]
    assert largest <= sum(full) / (sum(kept) * least) + THIN  # truncation divides the sum by at most full / least


def test_weights_of_what_has_no_bound():
    unknown, one, anything = (fmpq(1), PLUS_INFINITY), point(fmpq(1)), (fmpq(0), fmpq(1))
    assert (
        weights([None, one, HIDDEN], "error", FULL)
        == [anything, anything, point(fmpq(0))]
        == weights([unknown, one, HIDDEN], "error", FULL)
    )
    nothing = [HIDDEN, HIDDEN]
    assert (
        weights(nothing, "uniform", FULL) == [point(fmpq(1, 2))] * 2
        and weights(nothing, "zeros", FULL) == [point(fmpq(0))] * 2
    )
    assert weights(nothing, "error", FULL) == [None, None]


def choices(row: list[Interval]) -> list[list[Fraction]]:
    """Numbers from each entry: its ends, and halves between."""
    return [
        list(choice)
        for choice in product(
            *[
                [Fraction(int(cell[0].numerator) + k, 1) for k in range(int((cell[1] - cell[0]).numerator) + 1)]
                for cell in row
            ]
        )
    ]


def certain(truths: list[bool]) -> Interval:
    return (fmpq(0), fmpq(1)) if len(set(truths)) > 1 else point(fmpq(int(truths[0])))


@examples(200)
@given(r=st.randoms(use_true_random=True))
def test_which_are_among_the_largest(r):
    """Told where every choice says the same; of equals the first comes first."""
    row = some_row(r, hidden=False)
    lows_and_highs = [x for cell in row for x in set(cell)]
    for k in range(1, len(row) + 1):
        orders = [oracle.ranked(choice)[:k] for choice in choices(row)]
        for j in range(len(row)):
            found, want = interval_evaluator.top_k_indicator(row, j, k), certain([j in order for order in orders])
            assert found in (want, (fmpq(0), fmpq(1)))
            if len(set(lows_and_highs)) == len(lows_and_highs) or all(cell[0] is cell[1] for cell in row):
                assert found == want
    assert set(interval_evaluator.argmax_candidates(row)) >= {oracle.ranked(choice)[0] for choice in choices(row)}
    assert (
        interval_evaluator.top_k_indicator([None, *row], 1, 1)
        == (fmpq(0), fmpq(1))
        == interval_evaluator.top_k_indicator([None, *row], 0, 1)
    )


@examples(200)
@given(r=st.randoms(use_true_random=True), p=st.integers(0, 6))
def test_which_come_before_a_sum_is_reached(r, p):
    row = [cell if cell[0] >= 0 else point(-cell[0]) for cell in some_row(r, hidden=False)]
    bound = point(fmpq(p)) if r.random() < 0.5 else (fmpq(p), fmpq(p + 1))
    for j in range(len(row)):
        truths = []
        for choice in choices(row):
            order = oracle.ranked(choice)
            before = sum((choice[i] for i in order[: order.index(j)]), Fraction(0))
            truths += [before < one for one in ({p} if bound[0] is bound[1] else {p, p + 1})]
        found = interval_evaluator.top_p_indicator(row, j, bound)
        assert found in (certain(truths), (fmpq(0), fmpq(1)))
        if all(cell[0] is cell[1] for cell in row):
            assert found == certain(truths)
    assert (
        interval_evaluator.top_p_indicator(row, 0, None)
        == interval_evaluator.top_p_indicator([None, *row], 1, bound)
        == interval_evaluator.top_p_indicator([None, *row], 0, bound)
        == (fmpq(0), fmpq(1))
    )


@given(st.lists(st.integers(-5, 5), max_size=6))
def test_ends_fall(numbers):
    found = interval_evaluator.sort_descending([fmpq(x) for x in numbers])
    assert found == sorted(numbers, reverse=True) and all(isinstance(x, fmpq) for x in found)
