"""float64: every operation is near the exact result, and the same choice is made."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc.arithmetic import float64
from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.typed_formula import OPERATIONS
from tests.arithmetic import oracle
from tests.arithmetic.cases import draw_case
from tests.support.laws import each_case

# Functions that jump: float64 may stand on the other side of the jump.
JUMPS = {"floor", "round", "top_k", "top_p", "argmax_rows", "order_rows"}


@pytest.mark.parametrize("operation", OPERATIONS)
@each_case()
@given(r=st.randoms(use_true_random=True))
def test_every_result_is_near(operation, r):
    case = draw_case(operation, r)
    try:
        expected = case.expected()
    except (oracle.Unclear, oracle.Undefined):
        assume(False)
    values = {name: np.array([[float(x.value) for x in row] for row in m]) for name, m in case.operands.items()}
    assume(operation not in JUMPS or all(v == x.value for m,
                                         a in zip(case.operands.values(), values.values(), strict=True)
                                         for row, line in zip(m, a, strict=True) for x,
                                         v in zip(row, line, strict=True)))  # fmt: skip
    with np.errstate(all="ignore"):
        found = float64.evaluate(case.node, values)
    if operation == "top_p":
        assume(np.isfinite(values["x0"]).all())
        reached = np.cumsum(-np.sort(-values["x0"], axis=1), axis=1)
        assume(np.abs(reached - values["x1"][0, 0]).min() > 1e-9)
    if operation == "round":
        assume(case.node.digits < 2)  # a binary fraction that is a tie in decimals is one in float64 too
    np.testing.assert_allclose(found, np.array([[float(x) for x in row] for row in expected]), rtol=1e-9, atol=1e-12)


def test_a_softmax_of_nothing_is_a_fault_or_what_is_asked_for():
    hidden = {"S": np.array([[-math.inf, -math.inf], [0.0, 0.0]])}
    for axis, empty, expected in (
        ("rows", "zeros", [[0, 0], [0.5, 0.5]]),
        ("rows", "uniform", [[0.5, 0.5], [0.5, 0.5]]),
    ):
        node = do.softmax(op.Ref("S", (2, 2)), axis, empty)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(float64.evaluate(node, hidden), expected)
    with np.errstate(all="ignore"), pytest.raises(FormulaError, match="row 1 is fully masked"):
        float64.evaluate(do.softmax(op.Ref("S", (2, 2), name="S"), "rows", "error"), hidden)


@given(st.fractions())
def test_the_nearest_float(x):
    assert float64.nearest(x) == x.numerator / x.denominator


def test_beyond_floats_is_infinite():
    assert float64.nearest(Fraction(10) ** 400) == math.inf and float64.nearest(-(Fraction(10) ** 400)) == -math.inf


@pytest.mark.parametrize("mode", ["half_up", "half_even", "truncate"])
def test_infinities_stay_when_they_are_rounded(mode):
    node = do.round_to(op.Ref("x", (1, 3)), 1, mode)
    with np.errstate(all="ignore"):
        found = float64.evaluate(node, {"x": np.array([[-math.inf, 0.0, math.inf]])})
    np.testing.assert_array_equal(found, [[-math.inf, 0.0, math.inf]])


def test_what_formulas_share_is_worked_out_once(monkeypatch):
    node = do.entrywise(op.Add, op.Ref("x", (1, 1)), op.Ref("x", (1, 1)))
    for _ in range(12):
        node = do.entrywise(op.Add, node, node)
    worked: list[int] = []
    add = float64._RULES[op.Add]
    monkeypatch.setitem(
        float64._RULES, op.Add, lambda numpy, node, a, b: worked.append(id(node)) or add(numpy, node, a, b)
    )
    assert float64.evaluate(node, {"x": np.array([[1.0]])})[0, 0] == 2.0**13
    assert len(worked) == len(set(worked)) == 13
