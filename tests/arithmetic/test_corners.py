"""Corners that are seldom drawn, in all four arithmetics: each agrees with 200 digits, and has a value where there is one.

A number is written as itself, `r2` for √2, `e2` for e², `l2` for ln 2, `h2` for a 2 of which flint knows a ball alone.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from attncalc.arithmetic import float64
from attncalc.arithmetic.balls import Certified
from attncalc.arithmetic.budget import GiveUp
from attncalc.arithmetic.exact import sign_decision
from attncalc.arithmetic.exact.exact_evaluator import ExactCells
from attncalc.arithmetic.intervals import interval_evaluator
from attncalc.arithmetic.intervals.scalar import point
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY, entries, is_infinite, pack
from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.elaboration import check
from attncalc.formula.operations import literal
from attncalc.formula.parser import parse
from attncalc.formula.typed_formula import Node
from tests.arithmetic import oracle
from tests.arithmetic.cases import MINUS_INF, PLUS_INF, Case, Number, rational
from tests.arithmetic.ends import ends, fraction, holds, is_value, width
from tests.arithmetic.test_balls import certified
from tests.arithmetic.test_exact_evaluator import agrees
from tests.support.sweeps import for_each

KINDS = {"r": "sqrt", "e": "exp", "l": "log"}


def number(text: str) -> Number:
    if text in ("inf", "-inf"):
        return PLUS_INF if text == "inf" else MINUS_INF
    if text[0] == "h":
        return Number("hidden", Fraction(text[1:]), 2.0**-40)
    return Number(KINDS[text[0]], Fraction(text[1:])) if text[0] in KINDS else rational(Fraction(text))


def case_of(formula: str, operands: dict[str, str]) -> Case:
    made = {key: [[number(x) for x in row.split()] for row in rows.split(";")] for key, rows in operands.items()}

    def named(name: str, at: int) -> Node:
        return op.Ref(name, (len(made[name]), len(made[name][0])), name=name, bits=40)

    return Case(check(parse(formula), named), made)


SCORES = "-inf 0; 1 -inf; -inf -inf"
CORNERS = [
    # a table looked up by its row, with infinities in the others, and an id that stands for none
    ("one_hot(I, 3) @ T", {"I": "0; 2; 1", "T": "1 2; -inf 3; r2 -inf"}),
    ("one_hot(I, 3, ignore=9) @ T", {"I": "0; 9; 2", "T": "1 2; -inf 3; r2 -inf"}),
    ("one_hot(I, 3, ignore=9) @ T", {"I": "9 9", "T": "1 2; 4 3; 1/2 5"}),
    ("one_hot(I, 1, ignore=9) @ T", {"I": "9; 0", "T": "1 -inf"}), ("one_hot(I, 1, ignore=9) @ T", {"I": "9; 0", "T": "1 2"}),
    ("one_hot(I, 3, ignore=1)", {"I": "0 1 2"}), ("one_hot(I, 3, ignore=-1)", {"I": "-1; 2; 0"}),
    ("one_hot(I, 3)", {"I": "2 0"}), ("one_hot(I, 3)", {"I": "0; 2"}),
    # nothing left, everything left, one left, far away
    ('softmax(S, empty="zeros")', {"S": SCORES}), ('softmax(S, empty="uniform")', {"S": SCORES}),
    ('softmax(S, axis="all", empty="zeros")', {"S": SCORES}), ('softmax(S, axis="all")', {"S": "l2 l3; 0 l5"}),
    ('softmax(S, axis="all", empty="uniform")', {"S": "-inf -inf; -inf -inf"}),
    ('softmax(S, axis="all", empty="zeros")', {"S": "-inf -inf; -inf -inf"}),
    ("softmax(S)", {"S": "100000 100001 99999"}), ("softmax(S)", {"S": "-100000 -100001 -99999"}),
    ("softmax(S)", {"S": "3000 -inf 3001; -3000 -3001 -inf"}), ("softmax(S)", {"S": "r2 3 -inf; r2 -inf -inf"}),
    ("softmax(S)", {"S": "-100000 3 100000"}), ("softmax(S)", {"S": "1/2 1/2 -inf; l2 0 -inf"}),
    # the mean of equal values, however they are weighed
    ("softmax(S) @ V", {"S": "r2 1 0; 1 2 r3", "V": "r5 1; r5 2; r5 3"}),
    ("V.T @ softmax(S).T", {"S": "r2 1 0; 1 2 r3", "V": "r5 1; r5 2; r5 3"}),
    ('softmax(S, axis="columns") @ V', {"S": "1 1; 1 r2", "V": "r5; r5"}),
    ('softmax(S, axis="all") @ V', {"S": "1 1; 1 r2", "V": "r5; r5"}),
    ('softmax(S, empty="zeros") @ V', {"S": "-inf -inf; 1 2", "V": "3; 3"}),
    ("softmax(keep(S, causal(2, 2))) @ V", {"S": "r2 1; 1 r3", "V": "r5 1; r7 1"}),
    ("softmax(keep(S, causal(2, 2), 0)) @ V", {"S": "r2 1; 1 r3", "V": "r5 1; r7 1"}),
    ("softmax(keep(S, M)) @ V", {"S": "r2 1; 1 r3", "M": "1 0", "V": "r5 1; r7 1"}),
    ("row_sum(softmax(S))", {"S": "r2 1 0; 1 -inf r3"}), ('row_sum(softmax(S, empty="zeros"))', {"S": "-inf -inf; 1 r3"}),
    # 0 · log 0, infinities times and by numbers
    ("P * log(Q)", {"P": "3 -2", "Q": "0 0"}), ("P * Q", {"P": "3 -2 r2 -3", "Q": "inf inf -inf -inf"}),
    ("P / Q", {"P": "inf -inf inf -inf", "Q": "2 2 -3 -1/3"}), ("P + Q", {"P": "inf -inf 1/3", "Q": "inf -inf -inf"}),
    ("P - Q", {"P": "inf -inf 9/10", "Q": "-inf inf inf"}), ("P * 0", {"P": "r2 3"}), ("P * Q", {"P": "1", "Q": "r2 3; 1 5"}),
    ("P * Q", {"P": "r2 3; 1 5", "Q": "1"}), ("P + Q", {"P": "3", "Q": "0 0"}), ("P + Q", {"P": "r2 1", "Q": "0"}),
    ("P / Q", {"P": "r2 1; 3 4", "Q": "2; r3"}), ("P / Q", {"P": "2", "Q": "r2 4; 1 5"}), ("P / P", {"P": "r2 3"}),
    # powers: stretched both ways, of 0, negative, whole in fact alone
    ("P ** Q", {"P": "2; r3", "Q": "1/2 r2 -3"}), ("P ** Q", {"P": "2 r3 4", "Q": "r2; -1/2"}),
    ("P ** Q", {"P": "0 2; 4 0", "Q": "r2 1/2"}), ("P ** Q", {"P": "0 0 2", "Q": "r2; 3; l2"}),
    ("P ** Q", {"P": "-2 3; -3 -1", "Q": "h2 h3"}), ("P ** Q", {"P": "-2; 3", "Q": "h3; h2"}),
    ("P ** Q", {"P": "-2; -2; -2", "Q": "h1; h2; h3"}), ("P ** Q", {"P": "-2 -2 -2", "Q": "h1 h2 h3"}),
    ("P ** Q", {"P": "-2 -3; -2 -1", "Q": "h2; h3"}), ("P ** Q", {"P": "0 0 0", "Q": "h0 h1 h0"}),
    ("P ** Q", {"P": "0; 0; 0", "Q": "h0; h1; h0"}), ("P ** Q", {"P": "0 0; 0 0", "Q": "h0 h1"}),
    ("P ** Q", {"P": "0 0; 0 0", "Q": "h0; h1"}), ("P ** Q", {"P": "r2 r3", "Q": "3"}), ("P ** Q", {"P": "r2 r3", "Q": "200"}),
    ("P ** Q", {"P": "h0; 2", "Q": "1/2 r2"}), ("P ** Q", {"P": "-2 0 5", "Q": "0"}), ("P ** Q", {"P": "r2 3", "Q": "-2"}), ("P ** Q", {"P": "r2 9", "Q": "1/2"}),
    ("P ** Q", {"P": "r2 9", "Q": "-1/2"}), ("P ** Q", {"P": "4 8", "Q": "2/3"}), ("P ** Q", {"P": "r2 3", "Q": "17"}),
    ("P ** Q", {"P": "r2 e1", "Q": "-16"}), ("P ** Q", {"P": "r2", "Q": "16"}),
    # choices among equals, and sums that reach a share exactly
    ("top_k(P, 2)", {"P": "h2 1 2 h2; 1 1 1 0"}), ("argmax_rows(P)", {"P": "r2 h3 3"}),
    ("sort_rows(P)", {"P": "r2 -inf 3 r3; 1 1 2 0"}), ("order_rows(P, 3)", {"P": "1 h2 2 1"}),
    ("top_p(P, p)", {"P": "1/2 1/4 1/4", "p": "3/4"}), ("top_p(P, p)", {"P": "1/2 1/4 1/4", "p": "1/2"}),
    ("top_p(softmax(P), p)", {"P": "l2 l1 l3", "p": "2/5"}), ("top_p(softmax(P), p)", {"P": "l2 l1 l3", "p": "3/5"}),
    ("top_p(P, p)", {"P": "h3/2 1 h1/2", "p": "5/2"}), ("top_p(P, p)", {"P": "h3/2 1 h1/2", "p": "h3/2"}), ("top_p(P, p)", {"P": "h1 r2", "p": "5/2"}),
    # what is exactly whole though only a ball is known of it, and the larger of two
    ("floor(P)", {"P": "h2 r5 -1/2 h0"}), ("round(P, 1)", {"P": "r2 1/4 -1/4 0"}), ("round(P, 0)", {"P": "h2 5/2 -inf inf"}),
    ("maximum(P, 0)", {"P": "r2 -1 -inf"}), ("maximum(P, Q)", {"P": "r2 -1 3", "Q": "-inf"}),
    ("maximum(P, Q)", {"P": "r2 -1 -inf", "Q": "r3"}), ("maximum(P, Q)", {"P": "r2 r3", "Q": "inf"}),
    ("round(P, 1)", {"P": "1/20 3/20 -1/20"}), ("round(P, 1)", {"P": "-inf inf 1/3"}), ("round(P, 100)", {"P": "r2"}), ("P[0]", {"P": "1 2 3"}), ("P[:, 1]", {"P": "1 2 3"}), ("maximum(P, Q)", {"P": "1 2; r2 0", "Q": "0 3; r3 -1"}),
    ("exp(P)", {"P": "-inf 0 l3 1"}), ("log(P)", {"P": "0 1 e2 3"}), ("sqrt(P)", {"P": "0 4 2 1/9"}),
    ("tanh(P)", {"P": "0 -inf inf 1"}), ("erf(P)", {"P": "0 -inf inf -1"}), ("abs(P)", {"P": "-inf inf -3 r2"}),
    ("keep(S, causal(2, 2), 0) @ V", {"S": "1 2; 3 4", "V": "1; 2"}), ("keep(S, causal(1, 2))", {"S": "1 2; 3 4"}),
    ("keep(S, M)", {"S": "1 2; 3 4", "M": "1; 0"}), ("keep(S, M)", {"S": "r1 2; 3 r4", "M": "r2 h0"}),
    ("keep(S, M, fill)", {"S": "1 2; 3 4", "M": "0 1; 1 1", "fill": "r2"}), ("keep(S, M)", {"S": "-inf 2", "M": "1 1"}),
    ("row_max(P)", {"P": "-inf -inf; r2 inf; 1 2"}), ("row_sum(P)", {"P": "-inf 9/10; 1/3 inf; r2 1"}),
]  # fmt: skip


@for_each(("formula", "operands"), CORNERS)
def test_every_arithmetic_has_the_value_in_the_corners(formula, operands):
    case = case_of(formula, operands)
    expected = case.expected()
    flat = list(itertools.chain(*expected))
    found, _ = certified(case, 200)
    thin = not any(x.kind == "hidden" for rows in case.operands.values() for line in rows for x in line)
    for x, value in zip(itertools.chain(*found), flat, strict=True):
        assert is_value(x, value)
        assert not oracle.infinite(value) or x is (PLUS_INFINITY if value > 0 else MINUS_INFINITY)
        assert not thin or oracle.infinite(value) or width((x, x)) <= max(abs(ends(x)[0]), 1) * Fraction(1, 2**100)
    box = {key: [[point(x.flint) for x in row] for row in rows] for key, rows in case.operands.items()}
    for cell, value in zip(
        itertools.chain(*interval_evaluator.evaluate(case.node, box.__getitem__)), flat, strict=True
    ):
        assert holds(cell, value)
        assert not (thin and oracle.infinite(value)) or cell is None or cell[0] is cell[1] and is_infinite(cell[0])
        assert not (thin and case.node.word == "softmax") or cell is not None and cell[0] is cell[1]
    values = {key: np.array([[float(x.value) for x in row] for row in rows]) for key, rows in case.operands.items()}
    with np.errstate(all="ignore"):
        near = float64.evaluate(case.node, values)
    np.testing.assert_allclose(near.ravel(), [float(x) for x in flat], rtol=1e-9, atol=1e-12)
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    for (i, row), j in itertools.product(enumerate(expected), range(len(expected[0]))):
        exact = cells.find(case.node, i, j)
        if not any(oracle.infinite(x.value) for rows in case.operands.values() for line in rows for x in line):
            assert exact is not None or "**" in formula, (i, j)
        assert exact is None or agrees(exact, row[j])


@for_each(("formula", "operands", "said"), [
    ("P ** Q", {"P": "2 0", "Q": "3; -1"}, "0 has no negative power|is 0, which has no negative power"),
    ("P ** Q", {"P": "0 3", "Q": "1 1; -2 1"}, "has no negative power"),
    ("P ** Q", {"P": "-2 3", "Q": "r2"}, "row 0, column 0 of P is negative|P\\[0, 0\\] is negative|is negative, so it can be raised only to integer powers"),
    ("P ** Q", {"P": "-2 3", "Q": "1/2"}, "only to integer powers"), ("P ** Q", {"P": "3; -2", "Q": "r2 1/2"}, "^row 2 of P is negative"),
    ("P ** Q", {"P": "3; -2", "Q": "2 1/2"}, "^row 2 of P is negative"), ("P ** Q", {"P": "3 -2", "Q": "1/2; r2"}, "^column 2 of P is negative"), ("P * log(Q)", {"P": "inf", "Q": "1"}, "xlogy"),
    ("P * Q", {"P": "inf", "Q": "0"}, "P \\* Q has no value, because it contains ∞ − ∞ or 0 · ∞$"),
    ("P + log(Q)", {"P": "inf", "Q": "0"}, "P \\+ log\\(Q\\) has no value, because"), ("P / Q", {"P": "1 2", "Q": "1 0"}, "division by zero"),
    ("one_hot(I, 3)", {"I": "3"}, "expected a whole number from 0 to 2, found 3"), ("softmax(S)", {"S": "1 2; -inf -inf"}, "row 2"),
])  # fmt: skip
def test_what_has_no_value_is_said(formula, operands, said):
    with pytest.raises(FormulaError, match=said):
        certified(case_of(formula, operands), 200)


@for_each(("formula", "operands"), [
    ("top_p(P, p)", {"P": "r2 1 1/3", "p": "3/2"}), ("top_p(P, p)", {"P": "1/2 1/4 1/4", "p": "3/4"}),
    ("top_p(P, p)", {"P": "r2 1 1/3", "p": "5/2"}), ("sort_rows(P)", {"P": "1 2 1 r3"}), ("top_k(P, 2)", {"P": "1 2 2 r3"}),
    ("order_rows(P, 3)", {"P": "1 1 1"}),
])  # fmt: skip
def test_what_enclosures_show_needs_no_proof(formula, operands):
    case = case_of(formula, operands)
    values = {key: pack([[x.flint for x in row] for row in rows]) for key, rows in case.operands.items()}
    found = entries(Certified(ExactCells()).evaluate(case.node, values, 64))
    assert all(map(is_value, itertools.chain(*found), itertools.chain(*case.expected())))


@for_each(("formula", "operands", "proven"), [
    ("softmax(S) @ V", {"V": "r5; r5"}, "r5 r5"), ("V.T @ softmax(S).T", {"V": "r5; r5"}, "r5 r5"),
    ("softmax(S) @ V", {"V": "r5; r7"}, "? ?"), ('softmax(S, axis="all") @ V', {"V": "r5; r5"}, "? ?"),
    ('softmax(S, empty="zeros") @ V', {"V": "r5; r5"}, "? ?"), ('softmax(S, empty="uniform") @ V', {"V": "r5; r5"}, "r5 r5"),
    ("softmax(keep(S, causal(2, 2))) @ V", {"V": "r5; r7"}, "r5 ?"), ("softmax(keep(S, causal(2, 2), 0)) @ V", {"V": "r5; r7"}, "? ?"),
    ("softmax(keep(S, causal(1, 2))) @ V", {"V": "r5; r7"}, "? ?"), ("softmax(keep(S, M)) @ V", {"M": "1 0; 1 0", "V": "r5; r7"}, "? ?"),
    ("softmax(S + M) @ V", {"M": "1 0; 1 0", "V": "r5; r7"}, "? ?"), ("row_sum(softmax(S))", {}, "1 1"),
    ("row_sum(softmax(S.T))", {}, "1 1"),
])  # fmt: skip
def test_weights_sum_to_1_whatever_the_scores_are(formula, operands, proven):
    """Of S nothing is known: what is weighed is proven all the same where all that may have a weight is equal."""
    case = case_of(formula, {**operands, "S": "0 0; 0 0"})

    def known(key: str, i: int, j: int):
        if key == "S":
            raise GiveUp
        return case.operands[key][i][j].formal

    cells = ExactCells(known)
    n, m = case.node.shape
    found = [cells.find(case.node, i, j) for i in range(n) for j in range(m)]
    for exact, text in zip(found, proven.split(), strict=True):
        if text == "?":
            with pytest.raises(GiveUp):  # it stands for itself
                sign_decision.ball(exact)
        else:
            assert agrees(exact, number(text).value)


@for_each(("formula", "operands", "value"), [
    ("P + Q", {"P": "inf", "Q": "inf"}, "inf"), ("P + Q", {"P": "inf", "Q": "-inf"}, None), ("P - Q", {"P": "-inf", "Q": "inf"}, "-inf"),
    ("P * log(Q)", {"P": "0", "Q": "0"}, 0), ("P * Q", {"P": "0", "Q": "-inf"}, None), ("P * Q", {"P": "inf", "Q": "0"}, None),
    ("P * Q", {"P": "inf", "Q": "-2"}, "-inf"), ("P / Q", {"P": "-inf", "Q": "-2"}, "inf"), ("exp(P)", {"P": "inf"}, "inf"),
    ("exp(P)", {"P": "-inf"}, 0), ("(1 + P) ** (1/2) - sqrt(1 + P)", {"P": "r2"}, 0), ("one_hot(P, 3)[:, 0]", {"P": "3"}, None),
    ("one_hot(P, 3)[:, 0]", {"P": "2"}, 0), ("P ** 0", {"P": "r2"}, 1), ("P ** (-2)", {"P": "r2"}, Fraction(1, 2)),
])  # fmt: skip
def test_what_is_proven_of_infinities_and_roots(formula, operands, value):
    case = case_of(formula, operands)
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    found = cells.find(case.node, 0, 0)
    if isinstance(value, (int, Fraction)):
        assert fraction(cells.rational(case.node, 0, 0)) == value == fraction(found.rational)
    else:
        assert found == value and cells.rational(case.node, 0, 0) is None and cells.side(case.node, 0, 0, 0) is None


@for_each(("formula", "sign"), [
    ("1 - erf(P) / 2", 1), ("erf(P) / 2 - 1", -1), ("1 - 2 * erf(P)", None), ("1 - erf(P) * 3/5 - erf(2 * P) * 3/5", None),
    ("R / 4 - erf(P) * 9/10", None), ("R - 1 + erf(P) / 2", None), ("R + 1 - erf(P) / 2", 1),
])  # fmt: skip
def test_a_sign_is_told_by_terms_where_no_error_function_can_turn_it(formula, sign):
    """|erf x| is below 1; 1 − 2·erf 1 is below 0, and of 1 − 2·erf x nothing is told."""
    case = case_of(formula, {"P": "1", "R": "r2"})
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    assert cells.side(case.node, 0, 0, fmpq(0)) == sign


def test_products_with_0_and_choices_of_open_masks():
    p, q = (op.Ref(key, (1, 1), name=key) for key in "PQ")
    with np.errstate(all="ignore"):
        found = float64.evaluate(do.entrywise(op.Mul, p, q), {"P": np.zeros((1, 1)), "Q": np.full((1, 1), -np.inf)})
    assert np.isnan(found[0, 0])  # no entropy is meant
    box = {"P": [[point(fmpq(3))]], "Q": [[(fmpq(-1), fmpq(0))]]}
    kept = interval_evaluator.evaluate(do.keep(p, q, literal(((Fraction(1),),))), box.__getitem__)
    assert kept == [[(1, 3)]]
    large = interval_evaluator.evaluate(check(parse("zeros(40, 30) + 1"), lambda name, at: p), box.__getitem__)
    assert large == [[point(fmpq(1))] * 30] * 40
