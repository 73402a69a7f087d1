"""A wrong matrix or a wrong moment in place of the right one is named, whatever the numbers are."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.api import check
from tests.support.laws import examples
from tests.support.sweeps import for_each


def matrices(n, m):
    return st.lists(st.lists(st.integers(-2, 3), min_size=m, max_size=m), min_size=n, max_size=n)


def codes(problem, **lines):
    """The codes of the causes of the last line, None if it is not wrong."""
    step = check(problem, {"answers": lines}).steps[-1]
    return {cause.code for cause in step.causes} if step.verdict == "wrong" else None


@pytest.mark.parametrize("ddof", ["0", "1"])
@pytest.mark.parametrize(("code", "moment"), [
    ("square-of-the-mean", lambda row: (sum(row) / len(row)) ** 2),
    ("variance-without-mean", lambda row: sum(x * x for x in row) / len(row)),
])  # fmt: skip
@examples(40)
@given(x=matrices(3, 4))
def test_law_another_moment_for_the_variance_is_named(ddof, code, moment, x):
    assume(len({round(moment(row), 2) for row in x}) == 3)
    problem = load({"given": {"X": x}, "rounding": {"digits": 2}, "layer_norm": {"ddof": ddof}})
    found = codes(problem, var=[[f"{moment(row):.4f}"] for row in x])
    assert found is None or code in found


BACK = {
    "gradient-weights-swapped": [
        "dQ @ W_K.T + dK @ W_Q.T + dV @ W_V.T", "dQ @ W_K.T + dK @ W_K.T + dV @ W_V.T",
        "dQ @ W_Q.T + dK @ W_V.T + dV @ W_K.T",
    ],
    "gradient-not-transposed": ["dQ @ W_Q + dK @ W_K + dV @ W_V", "dQ @ W_Q + dK @ W_K.T + dV @ W_V.T"],
}  # fmt: skip
WEIGHTS = {"W_Q": [[1, 3, 2], [0, 1, 1], [-2, 1, 0]], "W_K": [[0, 1, 1], [1, 2, 0], [0, 1, 0]],
    "W_V": [[1, 1, 0], [0, 2, 1], [1, 0, 1]]}  # fmt: skip


@for_each(("code", "formula"), [(code, one) for code, formulas in BACK.items() for one in formulas])
def test_another_matrix_of_weights_on_the_way_back_is_named(code, formula):
    given_ = {"X": [[1, 0, 2], [0, 1, 1]], "dZ": [[10, 0, 5], [0, 20, 3]], **WEIGHTS}
    problem = load({"given": given_, "rounding": {"digits": 2}, "self_attention_gradients": {"scale": "6"}})
    steps = {step.step.name: step.decimals(2) for step in solve(problem).parts[0].steps}
    before = {name: steps[name] for name in ("dQ", "dK", "dV")}
    wrong = solve(load({"given": before | WEIGHTS, "steps": {"dX": formula}})).parts[0].steps[0].decimals(2)
    assert code in (codes(problem, **before, dX=wrong) or ())
