"""Formal numbers of single entries: what is proven equal agrees in 200 digits, and whatever is rational is
found to be.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.arithmetic.budget import GiveUp
from attncalc.arithmetic.exact import exact_evaluator, exponential_sums, quotient_form
from attncalc.arithmetic.exact.exact_evaluator import ExactCells
from attncalc.arithmetic.exact.quotient_form import Exact
from attncalc.arithmetic.exact.sign_decision import ball
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.operations import literal
from attncalc.formula.typed_formula import OPERATIONS
from tests.arithmetic import oracle
from tests.arithmetic.cases import draw_case
from tests.arithmetic.ends import fraction, is_value
from tests.support.laws import each_case, examples
from tests.support.sweeps import for_each

UNSETTLED = {"top_k", "top_p", "argmax_rows"}  # decided by the enclosures alone
BEYOND = UNSETTLED | {"round", "floor", "sqrt", "log", "pow"}  # may be beyond the bounds
# Of an infinite operand nothing is proven
FINITE = {"sub", "mul", "neg", "abs", "tanh", "erf", "round", "maximum", "row_sum"}
IRRATIONAL = {"exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "softmax", "pow", "pi"}


def agrees(cell, value) -> bool:
    """Whether a formal number is the oracle's value to 200 digits."""
    if isinstance(cell, str):
        return cell == ("inf" if value > 0 else "-inf") and oracle.infinite(value)
    with ctx.workprec(760):
        return is_value(ball(cell), value)


@pytest.mark.parametrize("operation", OPERATIONS)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_a_formal_number_agrees_with_200_digits(operation, r):
    case = draw_case(operation, r)
    try:
        expected = case.expected()
    except (oracle.Undefined, oracle.Unclear):
        assume(False)
    cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
    plain = all(x.kind in ("rational", "infinite") for m in case.operands.values() for row in m for x in row)
    for i, row in enumerate(expected):
        for j, value in enumerate(row):
            found = cells.find(case.node, i, j)
            if found is None:
                assert operation in BEYOND or not plain or not case.rational and operation in FINITE, (case, i, j)
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
@each_case()
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


def cells_of(*row):
    """A row of formal numbers, and the node that names it."""
    return ExactCells(lambda key, i, j: row[j]), op.Ref("x", (1, len(row)), name="x")


@given(
    st.lists(st.fractions(-5, 5, max_denominator=6), min_size=1, max_size=5),
    st.fractions(-5, 5, max_denominator=6),
    st.booleans(),
)
def test_a_sum_is_proven_and_compared(row, other, same):
    """Of irrational entries, whose roots fall out of the sum."""
    exponential_sums.METER.left = exponential_sums.MOST_WORK
    root = exact_evaluator.square_root(quotient_form.number(fmpq(2)))
    numbers = [quotient_form.add(quotient_form.number(fmpq(x.numerator, x.denominator)), root) for x in row]
    back = quotient_form.multiply(quotient_form.number(fmpq(-len(row))), root)
    cells, node = cells_of(*numbers, back)
    total = sum(row) if same else other
    q = fmpq(total.numerator, total.denominator)
    places = [(0, j) for j in range(len(row) + 1)]
    assert cells.sums_to(node, places, q) == (sum(row) == total)
    assert not cells.sums_to(node, places[:-1], q)
    order = cells.compare_sum(node, 0, [j for _, j in places], literal(((total,),)))
    assert order == (sum(row) > total) - (sum(row) < total)


def test_what_is_beyond_the_bounds_is_not_proven():
    """Neither equal nor summed nor compared: no proof is no answer."""
    roots = [
        exact_evaluator.square_root(quotient_form.number(fmpq(p)))
        for p in range(2, 400)
        if all(p % d for d in range(2, p))
    ]
    left, right = (Exact(dict(item for x in some for item in x.top.items())) for some in (roots[:70], roots[3:75]))
    cells, node = cells_of(left, right)
    assert cells.find(node, 0, 0) is left and not cells.same(node, (0, 0), (0, 1)) and cells.same(node, (0, 0), (0, 0))
    spent = ExactCells(cells.step_cell, in_all=0)
    assert spent.find(node, 0, 0) is None and not spent.same(node, (0, 0), (0, 0))
    assert (
        not spent.sums_to(node, [(0, 0)], fmpq(0))
        and spent.compare_sum(node, 0, [0], literal(((Fraction(1),),))) is None
    )
    apart = [quotient_form.atom(quotient_form.OPAQUE, ("x", 0, k)) for k in range(2)]
    cells, node = cells_of(*apart)
    assert not cells.same(node, (0, 0), (0, 1)) and cells.compare_sum(node, 0, [0], literal(((Fraction(1),),))) is None
    assert not cells.sums_to(node, [(0, 0)], fmpq(0))


def test_equal_numbers_of_different_forms_are_the_same():
    one, root = quotient_form.number(fmpq(1)), exact_evaluator.square_root(quotient_form.number(fmpq(2)))
    cells, node = cells_of(
        quotient_form.divide(one, quotient_form.add(one, root)),
        quotient_form.add(root, quotient_form.number(fmpq(-1))),
        root,
    )
    assert cells.same(node, (0, 0), (0, 1)) and not cells.same(node, (0, 0), (0, 2))


def test_each_question_costs_what_it_takes_and_no_more():
    half = quotient_form.number(fmpq(1, 2))
    cells, node = cells_of(half, half, half)
    everything = cells.left
    cells.find(node, 0, 0)
    cells.sums_to(node, [(0, 0), (0, 1)], fmpq(1))
    cells.compare_sum(node, 0, [0, 1], literal(((Fraction(1),),)))
    assert everything - 50 < cells.left < everything
    tight, node = cells_of(half, half)
    tight.effort = 1
    assert (
        not tight.sums_to(node, [(0, 0), (0, 1)], fmpq(1))
        and tight.compare_sum(node, 0, [0, 1], literal(((Fraction(1),),))) is None
    )


@given(st.integers(-16, 16))
def test_powers_to_the_sixteenth_are_multiplied_out(n):
    """(1 + √2)ⁿ (√2 − 1)ⁿ = 1."""
    exponential_sums.METER.left = exponential_sums.MOST_WORK
    one, root = quotient_form.number(fmpq(1)), exact_evaluator.square_root(quotient_form.number(fmpq(2)))
    cells, row = cells_of(quotient_form.add(one, root), quotient_form.add(root, quotient_form.negative(one)))
    first, second = (do.entrywise(op.Pow, do.take(row, None, [j]), literal(((Fraction(n),),))) for j in (0, 1))
    product = do.entrywise(op.Mul, first, second)
    assert cells.equals(product, 0, 0, fmpq(1)) and not cells.equals(product, 0, 0, fmpq(-1))


# -- the weights of a row sum to 1, however they come about ------------------------------------------------------------


@for_each(
    "scores",
    ["X @ W @ X.T / 3", "keep(X @ X.T, causal(6, 6))", "layer_norm(softmax(X @ X.T) @ X) @ W @ X.T", "tanh(X @ X.T)"],
)
@for_each("total, places", [
    ("cumsum_rows({A})", [(i, 5) for i in range(6)]), ("row_sum({A})", [(i, 0) for i in range(6)]),
    ("{A} @ ones(6, 2)", [(5, 0), (5, 1)]),
    ("ones(2, 6) @ {A}.T", [(0, 0), (1, 5)]), ("{A} @ (0 * X + sqrt(2) ** 2 / 2)", [(0, 0), (5, 2)]),
])  # fmt: skip
@for_each("named", [True, False])
def test_weights_of_a_row_sum_to_1(scores, total, places, named):
    """Also where the scores are too deep for a proof of their own, and where the weights are no step."""
    X = [[(3 * i * j + i + 2 * j) % 7 - 3 for j in range(3)] for i in range(6)]
    steps = (
        {"A": f"softmax({scores})", "Y": total.format(A="A")} if named else {"Y": total.format(A=f"softmax({scores})")}
    )
    found = solve(
        load(
            {
                "given": {"X": X, "W": [[1, 2, 0], [-1, 1, 1], [0, 2, 1]]},
                "rounding": {"digits": 2, "mode": "truncate"},
                "steps": steps,
            }
        )
    )["Y"]
    printed = found.printed()
    assert all(printed.texts[i][j] == "1.00" and (i, j) not in printed.undecided for i, j in places)
    assert all(found.fractions()[i][j] == 1 for i, j in places)


@examples(20)
@given(n=st.integers(129, 150), masked=st.booleans())
def test_wide_rows_of_weights_sum_to_1(n, masked):
    scores = f"keep(S, causal(1, {n}, offset={n // 2}))" if masked else "S"
    problem = {
        "given": {"S": [[f"0.1 * {k % 9}" for k in range(n)]]},
        "steps": {"A": f"softmax({scores})", "C": "cumsum_rows(A)"},
    }
    found = solve(load(problem | {"rounding": {"digits": 1, "mode": "truncate"}}))["C"].printed()
    assert (found.texts[0][-1], found.undecided) == ("1.0", [])


def test_on_paper_and_with_empty_rows_they_may_not():
    """Rounded weights 0.33, 0.33, 0.33 sum to 0.99, and those of an empty row to 0."""
    given = {"given": {"S": [["0", "0", "0"]]}, "rounding": {"digits": 2}}
    assert solve(load(given | {"steps": {"A": "softmax(S)", "C": "cumsum_rows(A)"}}), paper=True)["C"].decimals() == [
        ["0.33", "0.66", "0.99"]
    ]
    empty = {"A": "softmax(keep(S, zeros(1, 3)), empty=zeros)", "C": "row_sum(A)"}
    assert solve(load(given | {"steps": empty}))["C"].decimals() == [["0.00"]]
