"""Formulas of MATLAB: one that only MATLAB has is refused, and a proposal has the numbers of MATLAB."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from tests.support.laws import examples
from tests.support.proposed import proposals

GIVENS = {
    "A": [[1, 2, 4], [3, -1, 2], [2, 5, -3]], "C": [[1, -2, 3], [4, 5, -6]], "x": [1, -2, 3], "c": [[1], [-2], [4]],
}  # fmt: skip
FORMULAS = {  # what MATLAB makes of two operands
    "{}' * {}": lambda a, b: a.T @ b, "{} .* {}": lambda a, b: a * b, "[{}; {}]": lambda a, b: np.vstack([a, b]),
    "{}.^2 * {}": lambda a, b: a**2 @ b, "{} * {}'": lambda a, b: a @ b.T,
    "diag({}^2) + {}'": lambda a, b: np.diag(a @ a).reshape(-1, 1) + b.T,
    "sum({}.^2, 1) - {}": lambda a, b: (a**2).sum(0, keepdims=True) - b,
    "sum(sum({}, 2), 1) * {}": lambda a, b: a.sum() * b,
    "sum({}^2) - {}": lambda a, b: _down(np.sum, np.linalg.matrix_power(a, 2)) - b,
    "max({}^2) - {}": lambda a, b: _down(np.max, np.linalg.matrix_power(a, 2)) - b,
    "sum(max({}), 2) * {}": lambda a, b: _down(np.max, a).sum(1, keepdims=True) * b,
    "max({}, [], 2) * sum({})": lambda a, b: _product(a.max(1, keepdims=True), _down(np.sum, b)),
    "exp({} - max({}, [], 1))": lambda a, b: np.exp(a - b.max(0, keepdims=True)),
    "std({}', 0) * sum({})": lambda a, b: _product(_down(partial(np.std, ddof=1), a.T), _down(np.sum, b)),
    "var({}', 1) + {}'": lambda a, b: _down(np.var, a.T) + b.T,
    "{0}' * {1} / size({1}, 1)": lambda a, b: a.T @ b / b.shape[0],
    "{0} * {1}' + size({0}', 1)": lambda a, b: a @ b.T + a.shape[1],
    "{0} * {1}' / size({1}, 2)": lambda a, b: a @ b.T / b.shape[1],
    "{0}' * {1} + size({0}', 2)": lambda a, b: a.T @ b + a.shape[0],
    "normalize({}.^2) * 2 - {}": lambda a, b: _down(_standardized, a**2) * 2 - b,
    "mean({}') - {}": lambda a, b: _down(np.mean, a.T) - b,
    "normalize({}') + {}'": lambda a, b: _down(_standardized, a.T) + b.T,
    "normalize({}', 1) .* {}": lambda a, b: _standardized(a.T, 0, True) * b,
    "normalize({}, 2) - {}'": lambda a, b: _standardized(a, 1, True) - b.T,
    "prod({}', 1) + {}": lambda a, b: a.T.prod(0, keepdims=True) + b,
    "std({}', 0, 2) - {}": lambda a, b: a.T.std(1, ddof=1, keepdims=True) - b,
    "std({}') + {}'": lambda a, b: _down(partial(np.std, ddof=1), a.T) + b.T,
}  # fmt: skip


def _down(function, a):
    return function(a, axis=0 if a.shape[0] > 1 else 1, keepdims=True)


def _standardized(a, axis, keepdims):
    return (a - a.mean(axis, keepdims=keepdims)) / a.std(axis, ddof=1, keepdims=keepdims)


def _product(a, b):
    return a * b if 1 in (a.size, b.size) else a @ b


def _numbers(formula: str) -> np.ndarray:
    steps = solve(load({"given": GIVENS, "steps": {"R": formula}}))
    return np.array([[float(entry) for entry in row] for row in steps["R"].decimals(9)])


@pytest.mark.filterwarnings("ignore:Degrees of freedom")
@examples(200)
@given(st.sampled_from([*FORMULAS]), st.sampled_from([*GIVENS]), st.sampled_from([*GIVENS]))
def test_law_a_formula_of_matlab_gets_the_numbers_of_matlab(form, a, b):
    try:
        with np.errstate(all="raise"):
            meant = FORMULAS[form](*(np.atleast_2d(np.array(GIVENS[name], float)) for name in (a, b)))
    except (ValueError, FloatingPointError, np.linalg.LinAlgError):
        assume(False)
    try:
        load({"given": GIVENS, "steps": {"R": form.format(a, b)}})
    except AttncalcError as error:
        found = [_numbers(formula) for formula in proposals(str(error))]
        assert any(value.shape == meant.shape and np.allclose(value, meant) for value in found), str(error)
    else:
        raise AssertionError("it is accepted")


def test_what_selects_or_joins_bits_has_no_proposal():
    """A condition as an index selects entries in NumPy, and & of numbers joins their bits: no formula here does so."""
    for formula in ("x[x > 0]", "A[x == 1]", "A[(x > 0) * (x < 3)] @ A", "A > 2 | x", "x <= 3 & C", "(~x)[1]"):
        try:
            load({"given": GIVENS, "steps": {"R": formula}})
        except AttncalcError as error:
            assert not proposals(str(error)), str(error)
        else:
            raise AssertionError(formula)
