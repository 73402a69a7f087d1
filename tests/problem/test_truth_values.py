"""Where NumPy has truth values or bits: what a formula comes to there is what is worked out here, or is warned of."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from tests.support.sweeps import for_each

GIVENS = {"A": [[1, 2], [-3, 5]], "x": [6, -2], "M": [[1, 0], [1, 1]], "m": [0, 1], "a": 2}
OPERANDS = ("A", "x", "M", "m", "a", "(A > 0)", "(x > 0)", "(A > 0).T", "(M & m)", "(x > 0)[0]", "B", "S")
STEPS = {"B": "A > 1", "S": "2 * A"}


def warned(formula: str) -> list[str]:
    problem = load({"given": GIVENS, "steps": {**STEPS, "Z": formula}})
    return [str(one.message) for one in problem.warnings if one.message.startswith("warning: Z:")]


def of_numpy(formula: str):
    """What NumPy makes of a formula; None where it refuses it."""
    names = {name: np.array(value) for name, value in GIVENS.items()}
    try:
        names |= {name: eval(step, names) for name, step in STEPS.items()}
        return np.atleast_2d(np.asarray(eval(formula, names), float))
    except (TypeError, ValueError):
        return None


def here(formula: str):
    return np.array(solve(load({"given": GIVENS, "steps": {**STEPS, "Z": formula}}))["Z"].numpy(), float)


FORMULAS = [f"{a} {sign} {b}" for sign in "&|+*@" for a, b in product(OPERANDS, OPERANDS)]
FORMULAS += [f"~{a}" for a in OPERANDS if "M" not in a and "m" not in a] + [
    f"{a} {sign} {b}" for sign in ("and", "or") for a, b in product("am", "am")
]
# ~ of a mask of 0 and 1, which is Boolean in a library, is left out.
FORMULAS += ["(x > 0) + (x < 9) + (x > 1)", "(A > 0) @ (A > 0) + B", "((A > 0) + B).T", "2 * ((A > 0) + B)", "B + B"]


def test_a_formula_comes_to_what_numpy_makes_of_it_or_is_warned_of():
    wrong, equal = [], 0
    for formula in FORMULAS:
        value = of_numpy(formula)
        try:
            if value is None or warned(formula):
                continue
            found = here(formula)
            if found.shape == value.shape and np.allclose(found, value):
                equal += 1
            else:
                wrong.append(formula)
        except AttncalcError:
            continue
    assert wrong == [] and equal > 100


@for_each("formula", [
    "(x > 0) + (x < 9)", "(A > 0) @ (A > 0)", "(x > 0) + (x < 9) + (x > 1)", "B + (A < 5)", "B @ (B + (A < 5))",
])  # fmt: skip
def test_a_sum_of_comparisons_is_warned_of_with_both_readings(formula):
    (message,) = warned(formula)
    counts, boolean = message.partition(" counts true comparisons, like ")[2].split(
        "; NumPy's result is Boolean, like "
    )
    assert not warned(counts) and not warned(boolean)
    assert np.array_equal(here(counts), here(formula)) and np.array_equal(of_numpy(counts), here(formula))
    assert np.array_equal(here(boolean), of_numpy(formula))


@for_each(("formula", "meant"), [
    ("x & A", "x != 0"), ("x | A", "x != 0"), ("~x", "x == 0; for whole numbers, NumPy computes -1 - x"),
    ("~(2 * A)", "-1 - 2 * A"), ("a and a", "one of the two operands"), ("a or m", "one of the two operands"), ("~S", "S == 0"),
])  # fmt: skip
def test_operators_on_bits_are_warned_of(formula, meant):
    assert any(meant in message for message in warned(formula))


@for_each("formula", [
    "M & (x > 0)", "~M", "~(x > 0)", "(x > 0) & (A > 0)", "(x > 0) | B", "not a", "0 < x < 2", "causal(2, 2) & M",
    "1 * (x > 0) + (x < 9)", "(A > 0) @ A", "sum(A > 0)", "(x != 0) & (A != 0)", "(A > 0) - (A < 3)", "~B",
])  # fmt: skip
def test_conditions_and_masks_are_not_warned_of(formula):
    assert not warned(formula)


@pytest.mark.parametrize("formula", ["torch.equal(A, M)", "torch.equal(A, A)", "np.array_equal(A, M)"])
def test_an_equality_of_whole_matrices_is_a_single_truth_value(formula):
    assert here(formula).tolist() == [[float("A, A" in formula)]] and not warned(formula)
