"""The interval arithmetic encloses: whatever the operands are within their intervals, the result lies in the enclosure."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

import pytest
from flint import arb, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic import interval
from attncalc.arithmetic.cells import point
from attncalc.arithmetic.matrices import MINUS_INFINITY, PLUS_INFINITY
from attncalc.formula.node import OPERATIONS

from . import oracle
from .cases import Case, Number, draw_case
from .ends import holds

ROOM = (Fraction(0), Fraction(0), Fraction(1, 64), Fraction(1, 2), Fraction(5, 2))
KINDS = ("point", *["interval"] * 5, "below", "above", "unbounded")


def as_end(r: Random, q: Fraction):
    """An end as a fraction or as a ball that holds it."""
    exact = fmpq(q.numerator, q.denominator)
    return exact if r.random() < 0.5 else arb(exact)


def around(r: Random, number: Number):
    """A cell that holds the number: a point, an interval of fractions or balls, one that has no end on a side, or no bound at all."""
    kind = "point" if number.kind == "infinite" else r.choice(KINDS)
    if kind == "point":
        return point(number.flint)
    if kind == "unbounded":
        return None
    below = above = number.of
    if number.kind != "rational":
        below = Fraction(math.floor(oracle.exactly(number.value) * 64), 64)
        above = below + Fraction(1, 64)
    low = MINUS_INFINITY if kind == "below" else as_end(r, below - r.choice(ROOM))
    high = PLUS_INFINITY if kind == "above" else as_end(r, above + r.choice(ROOM))
    return low, high


def boxes(r: Random, case: Case):
    return {name: [[around(r, x) for x in row] for row in m] for name, m in case.operands.items()}


def meaning(case: Case):
    """The oracle's values; a case without any, or that 200 digits leave open, is no case."""
    try:
        return case.expected()
    except (oracle.Undefined, oracle.Unclear):
        assume(False)


@pytest.mark.parametrize("operation", OPERATIONS)
@given(r=st.randoms(use_true_random=True))
def test_an_enclosure_holds_every_result(operation, r):
    case = draw_case(operation, r)
    box = boxes(r, case)
    expected = meaning(case)
    found = interval.evaluate(case.node, box.__getitem__)
    assert [len(row) for row in found] == [len(row) for row in expected]
    for cell, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        assert holds(cell, value), (box, found, expected)
