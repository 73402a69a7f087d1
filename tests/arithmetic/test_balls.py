"""The certified arithmetic: a fraction is the result, a ball holds it and is as thin as its precision; faults stand
where there is none.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic.balls import Certified, NeedsPrecision, larger
from attncalc.arithmetic.budget import root as exact_root
from attncalc.arithmetic.exact.exact_evaluator import ExactCells
from attncalc.arithmetic.matrix_types import (
    MINUS_INFINITY,
    PLUS_INFINITY,
    Mixed,
    broadcast,
    broadcast_matrix,
    entries,
    exact_value,
    is_exact,
    pack,
    shorten,
)
from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula.typed_formula import OPERATIONS
from tests.arithmetic import oracle
from tests.arithmetic.cases import Case, draw_case
from tests.arithmetic.ends import ends, fraction, is_value, width
from tests.support.laws import each_case

MOST_BITS = 4_096


def certified(case: Case, bits: int):
    """The result at so many bits or more, formal proofs included; a decision must not need more than 4,096."""
    while True:
        with ctx.workprec(bits):
            values = {name: pack([[x.flint for x in row] for row in m]) for name, m in case.operands.items()}
            cells = ExactCells(lambda key, i, j: case.operands[key][i][j].formal)
            try:
                return entries(Certified(cells).evaluate(case.node, values, bits)), bits
            except NeedsPrecision:
                assert bits < MOST_BITS, "a decision that no precision makes"
                bits *= 2


@pytest.mark.parametrize("operation", OPERATIONS)
@each_case()
@given(r=st.randoms(use_true_random=True), bits=st.integers(64, 300))
def test_every_result_is_held(operation, r, bits):
    case = draw_case(operation, r)
    try:
        expected = case.expected()
    except oracle.Unclear:
        assume(False)
    except oracle.Undefined:
        with pytest.raises(FormulaError):
            certified(case, bits)
        return
    found, bits = certified(case, bits)
    assert [len(row) for row in found] == [len(row) for row in expected]
    exact = (
        case.rational
        and operation != "softmax"
        and all(isinstance(x, (Fraction, float)) for row in expected for x in row)
    )
    for x, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        assert is_value(x, value), (case, found, expected)
        if isinstance(value, float):
            assert x is (PLUS_INFINITY if value > 0 else MINUS_INFINITY)
        elif exact:
            assert isinstance(x, fmpq)  # fractions stay fractions as long as the operation has them
        else:
            assert width((x, x)) <= max(abs(ends(x)[0]), 1) * Fraction(1, 2 ** (bits - 40))


@given(r=st.randoms(use_true_random=True))
def test_wide_balls_hold_every_number_of_their_operands(r):
    """Balls as operands: the result holds what the operation makes of the numbers in them."""
    operation = r.choice(
        [
            "add",
            "sub",
            "mul",
            "matmul",
            "exp",
            "sin",
            "cos",
            "tanh",
            "erf",
            "abs",
            "row_sum",
            "softmax",
            "transpose",
            "neg",
            "hstack",
        ]
    )
    case = draw_case(operation, r)
    assume(case.rational)
    wide = {
        name: pack([[arb(x.flint, Fraction(1, 64).__float__()) for x in row] for row in m])
        for name, m in case.operands.items()
    }
    values = {
        name: [[x.value + Fraction(r.randint(-64, 64), 4096) for x in row] for row in m]
        for name, m in case.operands.items()
    }
    try:
        expected = oracle.evaluate(case.node, values)
        found = entries(Certified(ExactCells()).evaluate(case.node, wide, 100))
    except (oracle.Undefined, FormulaError, NeedsPrecision):
        assume(False)
    for x, value in zip(itertools.chain(*found), itertools.chain(*expected), strict=True):
        assert is_value(x, value)


@given(st.fractions(min_value=0, max_denominator=50), st.integers(1, 5), st.integers(-4, 4))
def test_an_exact_root_is_the_power(base, index, power):
    assume(base or power > 0)
    x = base**index
    found = exact_root(fmpq(x.numerator, x.denominator), fmpq(power, index))
    assert found is not None and fraction(found) == base**power


def test_an_exact_root_is_none_where_there_is_none():
    assert exact_root(fmpq(2), fmpq(1, 2)) is None
    assert exact_root(fmpq(4, 3), fmpq(1, 2)) is None
    assert exact_root(fmpq(8, 27), fmpq(2, 3)) == fmpq(4, 9)
    # a bound on the effort
    assert exact_root(fmpq(2) ** 64, fmpq(1, 64)) == 2 and exact_root(fmpq(2) ** 65, fmpq(1, 65)) is None
    assert exact_root(fmpq(2), fmpq(1000)) == fmpq(2) ** 1000 and exact_root(fmpq(2), fmpq(1001)) is None


def test_the_larger_of_two_balls_that_overlap_holds_both():
    x, y = arb(1, 0.5), arb(1.25, 0.5)
    both = larger(x, y)
    assert both.contains(arb(1.25)) and both.contains(arb(1.75)) and not both.contains(arb(0.6))
    assert larger(fmpq(1), fmpq(2)) == 2 and larger(fmpq(3), fmpq(2)) == 3


@given(
    st.lists(
        st.lists(st.sampled_from(["q", "ball", "inf", "-inf", "inf ± 1"]), min_size=2, max_size=2),
        min_size=1,
        max_size=2,
    )
)
def test_packing_keeps_every_entry(kinds):
    made = {
        "q": fmpq(1, 3),
        "ball": arb(2).sqrt(),
        "inf": PLUS_INFINITY,
        "-inf": MINUS_INFINITY,
        "inf ± 1": PLUS_INFINITY + arb(2).sqrt(),
    }
    rows = [[made[kind] for kind in row] for row in kinds]
    packed = pack(rows)
    infinite = any("inf" in kind for row in kinds for kind in row)
    assert isinstance(packed, Mixed) == infinite
    for x, y in zip(itertools.chain(*entries(packed)), itertools.chain(*rows), strict=True):
        assert (x is PLUS_INFINITY if not isinstance(y, fmpq) and not y.is_finite() and y.mid() > 0 else
                x is MINUS_INFINITY if y is MINUS_INFINITY else arb(x).overlaps(arb(y)))  # fmt: skip
    exact = all(kind in ("q", "inf", "-inf", "inf ± 1") for row in kinds for kind in row)
    assert is_exact(packed) == exact


@given(st.integers(-(2**70), 2**70), st.integers(-80, 80))
def test_a_ball_without_radius_is_its_fraction(mantissa, exponent):
    x = arb(mantissa) * arb(2) ** exponent
    found = exact_value(x)
    assert found is None if not x.is_exact() else fraction(found) == Fraction(ends(x)[0])
    assert (
        exact_value(arb(2).sqrt()) is None
        and exact_value(PLUS_INFINITY) is None
        and exact_value(arb(2) ** 100_001) is None
    )
    assert exact_value(arb(2) ** 99_999) == fmpq(2) ** 99_999


@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["row", "column", "one", "whole"]))
def test_stretching_repeats_rows_and_columns(n, m, kind):
    shape = {"row": (1, m), "column": (n, 1), "one": (1, 1), "whole": (n, m)}[kind]
    a = pack([[fmpq(10 * i + j) for j in range(shape[1])] for i in range(shape[0])])
    expected = [
        [fmpq(10 * (i if shape[0] > 1 else 0) + (j if shape[1] > 1 else 0)) for j in range(m)] for i in range(n)
    ]
    assert broadcast(a, n, m) == expected
    assert entries(broadcast_matrix(a, op.Add((), (n, m)))) == expected


def test_long_fractions_become_balls_and_short_ones_stay():
    short, long = pack([[fmpq(1, 3), fmpq(1, 7)]]), pack([[fmpq(1, 3**100), fmpq(1, 7**100)]])
    assert shorten(short, 40) is short and shorten(long, 1_000) is long
    for x, y in zip(shorten(long, 400).entries(), long.entries(), strict=True):
        assert isinstance(x, arb) and x.contains(arb(y))
    mixed = Mixed([[fmpq(1, 3**100), MINUS_INFINITY]])
    assert entries(shorten(mixed, 20))[0][1] is MINUS_INFINITY and isinstance(entries(shorten(mixed, 20))[0][0], arb)
    assert shorten(mixed, 400) is mixed
    assert shorten(pack([[fmpq(2) ** 50]]), 40) is not None and not is_exact(shorten(pack([[fmpq(2) ** 50]]), 40))
