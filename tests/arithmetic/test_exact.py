"""Formal numbers of single entries: what is proven equal agrees in 200 digits, and whatever is rational is found to be."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic.exact import ExactCells
from attncalc.arithmetic.formal import Exact, GiveUp, ball
from attncalc.formula.node import OPERATIONS

from . import oracle
from .cases import draw_case
from .ends import fraction, is_value

UNSETTLED = {"top_k", "top_p", "argmax_rows"}  # decided by the enclosures alone
IRRATIONAL = {"exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "softmax", "pow", "pi"}


def agrees(cell, value) -> bool:
    """Whether a formal number is the oracle's value to 200 digits."""
    if isinstance(cell, str):
        return cell == ("inf" if value > 0 else "-inf") and oracle.infinite(value)
    with ctx.workprec(760):
        return is_value(ball(cell), value)


@pytest.mark.parametrize("operation", OPERATIONS)
@given(r=st.randoms(use_true_random=True))
def test_a_formal_number_agrees_with_200_digits(operation, r):
    case = draw_case(operation, r)
    try:
        expected = case.expected()
    except (oracle.Undefined, oracle.Unclear):
        assume(False)
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    for i, row in enumerate(expected):
        for j, value in enumerate(row):
            found = cells.find(case.node, i, j)
            if found is None:
                assert operation in UNSETTLED | {"round", "floor", "sqrt", "log", "pow"} or not case.rational, (case, i, j)
                continue
            try:
                assert agrees(found, value), (case, i, j, value)
            except GiveUp:
                continue  # an entry out of reach stands for itself
            if isinstance(value, Fraction) and case.rational and operation not in IRRATIONAL:
                assert fraction(found.rational) == value
                q = fmpq(value.numerator, value.denominator)
                assert cells.equals(case.node, i, j, q) and not cells.equals(case.node, i, j, q + fmpq(1, 10**30))


@pytest.mark.parametrize("operation", sorted(set(OPERATIONS) - UNSETTLED - {"pi"}))
@given(r=st.randoms(use_true_random=True))
def test_entries_that_are_proven_equal_agree(operation, r):
    case = draw_case(operation, r)
    try:
        flat = [(i, j, x) for i, row in enumerate(case.expected()) for j, x in enumerate(row)]
    except (oracle.Undefined, oracle.Unclear):
        assume(False)
    assume(len(flat) > 1)
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    (i, j, x), (k, m, y) = r.sample(flat, 2)
    if oracle.infinite(x) or oracle.infinite(y):
        return
    if cells.same(case.node, (i, j), (k, m)):
        assert abs(oracle.real(x) - oracle.real(y)) < oracle.mp.mpf(10) ** -oracle.DIGITS
    elif isinstance(x, Fraction) and isinstance(y, Fraction) and case.rational and operation not in IRRATIONAL:
        assert x != y


def test_effort_is_bounded_for_an_entry_and_for_all():
    case = draw_case("matmul", Random(3))
    formal = lambda key, i, j: case.operands[key][i][j].formal  # noqa: E731
    assert isinstance(ExactCells(formal).find(case.node, 0, 0), Exact)
    assert ExactCells(formal, effort=1).find(case.node, 0, 0) is None
    assert ExactCells(formal, in_all=0).find(case.node, 0, 0) is None
    spent = ExactCells(formal)
    before = spent.left
    spent.find(case.node, 0, 0)
    assert spent.left < before
