"""What the enclosures leave open is decided by formal proof, at once, and never without one: zeros, signs, orders,
ties, sums that reach.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic.balls import Certified, NeedsPrecision
from attncalc.arithmetic.exact.exact_evaluator import ExactCells
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, Mixed, entries, pack
from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.operations import literal
from attncalc.formula.typed_formula import OPERATIONS, Node
from tests.arithmetic import oracle
from tests.arithmetic.cases import Case, Number, draw_case
from tests.arithmetic.ends import is_value, width
from tests.support.laws import each_case
from tests.support.sweeps import for_each

THIN, BITS = 2.0**-60, 128
DECIDED = [name for name in OPERATIONS if name != "one_hot"]  # that takes numbers which are whole for all to see


def hide(case: Case, r: Random, radius: float) -> Case:
    """The same case, of some of whose rational operands flint knows a ball alone."""

    def one(x: Number) -> Number:
        return Number("hidden", x.of, radius) if x.kind == "rational" and r.random() < 0.7 else x

    return replace(case, operands={name: [[one(x) for x in row] for row in m] for name, m in case.operands.items()})


def evaluated(case: Case) -> list:
    with ctx.workprec(BITS):
        values = {name: pack([[x.flint for x in row] for row in m]) for name, m in case.operands.items()}
        cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
        return entries(Certified(cells).evaluate(case.node, values, BITS))


def has_one_hot(node: Node) -> bool:
    return node.word == "one_hot" or any(map(has_one_hot, node.args))


@pytest.mark.parametrize("operation", DECIDED)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_what_thin_balls_leave_open_is_proven(operation, r):
    case = draw_case(operation, r)
    assume(
        not has_one_hot(case.node)
        and all(x.kind in ("rational", "infinite") for m in case.operands.values() for row in m for x in row)
    )
    hidden = hide(case, r, THIN)
    try:
        expected = case.expected()
    except oracle.Undefined:
        with pytest.raises(FormulaError):
            evaluated(hidden)
        return
    except oracle.Unclear:
        assume(False)
    for x, value in zip(itertools.chain(*evaluated(hidden)), itertools.chain(*expected), strict=True):
        assert is_value(x, value), (hidden, expected)


@pytest.mark.parametrize("operation", DECIDED)
@each_case()
@given(r=st.randoms(use_true_random=True), radius=st.sampled_from([0.25, 1.0, 4.0]))
def test_what_wide_balls_leave_open_is_not_guessed(operation, r, radius):
    case = draw_case(operation, r)
    hidden = hide(case, r, radius)
    try:
        expected = case.expected()
        found = evaluated(hidden)
    except (oracle.Unclear, oracle.Undefined, NeedsPrecision):
        assume(False)
    except FormulaError:
        assert has_one_hot(case.node), hidden
        return
    for x, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        # a ball of nothing tells nothing
        assert isinstance(x, arb) and x.is_nan() or is_value(x, value), (hidden, expected)


# -- fractions stay fractions ------------------------------------------------------------------------------------------


def refs(*matrices: list[list]) -> tuple[list[Node], dict]:
    nodes = [op.Ref(f"x{k}", (len(m), len(m[0])), name=f"x{k}") for k, m in enumerate(matrices)]
    return nodes, {f"x{k}": pack(m) for k, m in enumerate(matrices)}


def result(node: Node, values: dict, bits: int = BITS) -> list:
    return entries(Certified(ExactCells()).evaluate(node, values, bits))


SPECIAL = {"exp": (0, 1), "log": (1, 0), "sqrt": (0, 0), "sin": (0, 0), "cos": (0, 1), "tanh": (0, 0), "erf": (0, 0)}


@for_each("operation", SPECIAL)
def test_a_function_is_a_fraction_where_its_value_is_one(operation):
    at, value = SPECIAL[operation]
    (a,), values = refs([[fmpq(at)]])
    found = result(do.unary(OPERATIONS[operation], a), values)[0][0]
    assert isinstance(found, fmpq) and found == value


@given(r=st.randoms(use_true_random=True))
def test_what_is_taken_from_itself_is_0_and_divided_by_itself_1(r):
    n, m = r.randint(1, 3), r.randint(1, 3)
    rows = [[arb(r.randint(2, 30)).sqrt() + 1 for _ in range(m)] for _ in range(n)]
    (a,), values = refs(rows)
    again = op.Ref("x0", (n, m), name="x0")
    for operation, value in (("sub", 0), ("div", 1)):
        for other in (a, again):
            assert result(do.entrywise(OPERATIONS[operation], a, other), values) == [[fmpq(value)] * m] * n


@given(r=st.randoms(use_true_random=True))
def test_weights_of_equal_scores_and_of_a_lonely_one_are_fractions(r):
    n, hidden = r.randint(1, 4), r.randint(0, 3)
    for seen in ([fmpq(r.randint(-9, 9), 7)] * n, [arb(2).sqrt()]):
        row = [*seen, *[MINUS_INFINITY] * hidden]
        order = r.sample(range(len(row)), len(row))
        (a,), values = refs([[row[k] for k in order]])
        for axis in ("rows", "all"):
            found = result(do.softmax(a, axis, "error"), values)[0]
            assert all(isinstance(x, fmpq) for x in found)
            assert found == [fmpq(1, len(seen)) if k < len(seen) else fmpq(0) for k in order]


@given(st.lists(st.fractions(-30, 30, max_denominator=8), min_size=2, max_size=4), st.integers(0, 60), st.booleans())
def test_weights_do_not_change_when_all_scores_are_moved_however_far(row, power, down):
    """Scores that are known exactly lose no digits by it."""
    moved = [(x + Fraction(-1 if down else 1) * (10**power)) for x in row]
    (a,), values = refs([[fmpq(x.numerator, x.denominator) for x in moved]])
    for x, value in zip(result(do.softmax(a, "rows", "error"), values)[0], oracle.weights(row, "error"), strict=True):
        assert is_value(x, value) and width((x, x)) < Fraction(1, 2**90)


def test_a_row_that_has_nothing_left_is_named():
    (a,), values = refs([[fmpq(1), fmpq(2)], [MINUS_INFINITY, MINUS_INFINITY]])
    with pytest.raises(FormulaError, match="row 2"):
        result(do.softmax(a, "rows", "error"), values)
    (a,), values = refs([[MINUS_INFINITY, MINUS_INFINITY]] * 2)
    with pytest.raises(FormulaError, match="the matrix is fully masked"):
        result(do.softmax(a, "all", "error"), values)


# -- long fractions ----------------------------------------------------------------------------------------------------

PRIMES = (10**9 + 7, 10**9 + 9, 998_244_353, 10**9 + 21)


def long(r: Random, digits: int) -> Fraction:
    """A fraction of about so many digits above and below."""
    return Fraction(r.randint(10 ** (digits - 1), 10**digits) * 2 + 1, r.choice(PRIMES) ** (digits // 9))


@pytest.mark.parametrize("operation", ["add", "mul", "matmul"])
@given(r=st.randoms(use_true_random=True), digits=st.sampled_from([20, 700]))
def test_results_of_long_fractions_hold_and_short_ones_stay_fractions(operation, r, digits):
    n = 2
    operands = [[[long(r, digits) for _ in range(n)] for _ in range(n)] for _ in range(2)]
    nodes, values = refs(*[[[fmpq(x.numerator, x.denominator) for x in row] for row in m] for m in operands])
    for one in nodes:
        one.bits = 8 * digits
    node = do.matmul(*nodes) if operation == "matmul" else do.entrywise(OPERATIONS[operation], *nodes)
    expected = oracle.evaluate(node, {"x0": operands[0], "x1": operands[1]})
    for x, value in zip(itertools.chain(*result(node, values)), itertools.chain(*expected), strict=True):
        assert is_value(x, value) and (isinstance(x, fmpq) or digits > 20)


@given(r=st.randoms(use_true_random=True), n=st.integers(-40, 40), digits=st.sampled_from([3, 2_000]))
def test_a_power_that_is_too_long_for_a_fraction_is_a_ball(r, n, digits):
    base = r.choice((Fraction(10**digits + 1, 7), Fraction(7, 10**digits + 1), Fraction(-(10**digits) - 1, 3)))
    (x, y), values = refs([[fmpq(base.numerator, base.denominator)]], [[fmpq(n)]])
    found = result(do.entrywise(op.Pow, x, y), values)[0][0]
    bits = abs(n) * max(abs(base.numerator).bit_length(), base.denominator.bit_length())
    assert isinstance(found, fmpq) == (bits <= 60_000)
    assert is_value(found, base**n)


# -- single decisions --------------------------------------------------------------------------------------------------


def test_ids_are_whole_numbers_and_a_fault_says_what_stands_there():
    for row, told in (
        ([0, 3], ", found 3"),
        ([0, fmpq(1, 2)], ", found 1/2"),
        ([2, -1], ", found -1"),
        ([arb(2).sqrt()], "not whole"),
    ):
        (ids,), values = refs([[fmpq(x) if isinstance(x, int) else x for x in row]])
        with pytest.raises(FormulaError, match=f"id {len(row) - 1} of x0: expected a whole number from 0 to 2.*{told}"):
            result(do.one_hot(ids, 3, ignore=None), values)


def test_sums_reach_by_proof():
    """1/3 and √2·√2/3 are 1 together; 0.7 is reached by the first two, and 1 by all, no more."""
    (row,), values = refs([[arb(fmpq(1, 3), THIN), arb(fmpq(2, 3), THIN)]])
    formal = {0: fmpq(1, 3), 1: fmpq(2, 3)}
    cells = ExactCells(
        lambda key, i, j: Number("hidden", Fraction(int(formal[j].numerator), int(formal[j].denominator))).formal
    )
    for p, expected in (
        (Fraction(2, 3), [0, 1]),
        (Fraction(1), [1, 1]),
        (Fraction(3, 5), [0, 1]),
        (Fraction(7, 10), [1, 1]),
    ):
        node = do.top_p(row, literal(((p,),)))
        assert entries(Certified(cells).evaluate(node, values, BITS)) == [[fmpq(x) for x in expected]]
    with pytest.raises(NeedsPrecision, match="sum to at least"):
        result(do.top_p(row, literal(((Fraction(2, 3),),))), values)


def test_an_infinite_entry_in_a_product_is_told():
    for left, right in (([[MINUS_INFINITY]], [[fmpq(1)]]), ([[fmpq(1)]], [[MINUS_INFINITY]])):
        (a, b), values = refs(left, right)
        with pytest.raises(FormulaError, match="infinite entry"):
            result(do.matmul(a, b), values)
        assert isinstance(Certified(ExactCells()).evaluate(do.entrywise(op.Mul, a, b), values, BITS), Mixed)
