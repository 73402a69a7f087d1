"""Masks of attention: what a mask may hold, and sentences about masked scores, empty rows and sums that hold."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.formula.syntax_tree import unparse
from tests.support.laws import examples
from tests.support.sweeps import for_each

X = [[1, 0], [0, 1], [1, 2]]
M = [[0, 0, 0], [1, 1, 0], [1, 1, 1]]
ENTRIES = st.sampled_from(["0", "1", "-inf", "-1e9", "-1", "2", "0.5"])


def attention(**options: str) -> dict:
    return {"given": {"X": X, "M": M}, "attention": {"Q": "X", "K": "X", "V": "X"} | options}


@examples(60)
@given(st.lists(st.lists(ENTRIES, min_size=3, max_size=3), min_size=3, max_size=3))
def test_law_a_mask_holds_0_and_1_alone(rows):
    mask = str(rows).replace("'", "")
    others = {entry for row in rows for entry in row} - {"0", "1"}
    try:
        load(attention(mask=mask))
    except AttncalcError as error:
        assert ("mask: expected 1 where" in str(error)) == bool(others), str(error)
        assert "vstack" not in str(error) or "…" not in str(error)  # the proposed bias is whole
    else:
        assert not others


@for_each("mask", ["(1 - causal(3, 3)) * -1e9", "where(M == 0, -inf, 0)", "M - 1", "P", "log(M)"])
def test_a_formula_that_is_added_to_scores_is_no_mask(mask):
    problem = attention(mask=mask)
    problem = {"given": problem["given"], "steps": {"P": "log(M)", "Z": {"attention": problem["attention"]}}}
    with pytest.raises(AttncalcError, match="did you mean bias: ") as error:
        load(problem)
    assert f"bias: {mask}" in str(error.value)
    kept = {"given": problem["given"], "steps": {"P": "log(M)", "Z": f"keep(X @ X.T, {mask})"}}
    assert any("has negative numbers; to add the mask, write X @ X.T + " in one.message for one in load(kept).warnings)


@for_each("mask", ["M", "1 - M.T", "M * causal(3, 3)", "M > 0", "causal", "band(1)", "M * 2"])
def test_a_formula_that_keeps_entries_is_one(mask):
    load(attention(mask=mask, empty_row="zeros"))


@pytest.mark.parametrize("mask", ["causal(3)", "causal(2) * band(1)", "links([0, 1]) * causal(3)"])
def test_a_single_number_of_causal_is_refused(mask):
    with pytest.raises(AttncalcError, match=r"may be a size or an offset; write causal, or causal\(offset="):
        load(attention(mask=mask))


@for_each("columns", [False, True])
@for_each("mask_at", ["scaled", "scores", "weights"])
@for_each("mask", ["causal", "causal_strict", "causal(offset=1)", "causal(offset=2)", "band(1)", "band(2)",
                                  "[1, 1, 1]", "[1, 0, 1]", "1"])  # fmt: skip
def test_law_masking_without_effect_is_warned_of(mask, mask_at, columns):
    problem = attention(mask=mask, mask_at=mask_at, empty_row="zeros") | ({"vectors": "columns"} if columns else {})
    if columns:
        problem["given"] = {name: np.transpose(rows).tolist() for name, rows in problem["given"].items()}
    messages = [warning.message for warning in load(problem).warnings]
    keeps = {
        "causal": np.tri(3), "causal_strict": np.tri(3, k=-1), "causal(offset=1)": np.tri(3, k=1),
        "band(1)": np.tri(3, k=1) * np.tri(3, k=1).T, "[1, 0, 1]": np.array([[1, 0, 1]]),
    }.get(mask, np.ones(1))  # fmt: skip
    is_idle, is_full = bool(keeps.all()), bool(keeps.any(axis=-1).all())
    assert any("no score is masked" in message for message in messages) == is_idle
    assert any("no query has all its keys masked" in message for message in messages) == (is_full and not is_idle)


OPTIONS = {
    "mask": ["M", "causal", "none"], "fill": ["-inf", "-99", "0"], "mask_at": ["scaled", "scores", "weights"],
    "empty_row": ["zeros", "uniform"], "axis": ["rows", "columns", "all"],
}  # fmt: skip


@for_each("chosen", [*product(*OPTIONS.values())], ids=str, quick=20)
def test_law_what_a_page_states_of_masks_holds(chosen):
    options = dict(zip(OPTIONS, chosen, strict=True))
    problem = load(attention(**options))
    steps = {step.name: step for step in solve(problem).parts[0].steps}
    formulas = {name: unparse(step.tree) for name, step in problem.plan.entries.items() if hasattr(step, "tree")}
    stated = {c.option: c.value for part in problem.plan.parts for c in part.conventions}
    assert ("fill" in stated) == ("S_masked" in steps)
    assert ("empty_row" in stated) == any(f'empty="{options["empty_row"]}"' in text for text in formulas.values())
    weights = steps["A_masked" if "A_masked" in steps else "A"].numpy()
    axis = {"rows": 1, "columns": 0, "all": None}[options["axis"]]
    sums = weights.sum(axis=axis)
    assert np.all(np.isclose(sums, 1) | np.isclose(sums, 0) & (options["empty_row"] == "zeros"))
    ignored = {
        one.message.split(" has no effect")[0].split()[-1] for one in problem.warnings if "no effect" in one.message
    }
    assert ("empty_row" in ignored) == ("empty_row" not in stated)


@for_each("axis", ["rows", "columns", "all"])
@for_each("empty", ["error", "zeros"])
def test_the_way_back_divides_along_the_axis_of_the_way_forward(axis, empty):
    options = {"mask": "causal", "mask_at": "weights", "axis": axis, "empty_row": empty}
    given = {"Q": X, "K": [[1, 1], [0, 2], [1, 0]], "V": [[1], [2], [3]], "dZ": [[1], [-1], [2]]}
    problem = {"given": given, "attention_gradients": options}
    steps = {step.name: step.numpy() for step in solve(load(problem)).parts[0].steps}
    forward, eps = {"given": {**given}, "attention": options}, 1e-3
    for i, j in product(range(3), range(2)):
        moved = []
        for sign in (1, -1):
            q = [list(row) for row in X]
            q[i][j] += sign * eps
            there = {"given": {name: value for name, value in forward["given"].items() if name != "dZ"} | {"Q": q}}
            z = solve(load(there | {"attention": options})).parts[0]["Z"].numpy()
            moved.append(float((z * np.array(given["dZ"])).sum()))
        assert steps["dQ"][i, j] == pytest.approx((moved[0] - moved[1]) / (2 * eps), abs=1e-5)


@for_each("columns", [False, True])
@for_each("new", [1, 2])
@for_each(
    "option",
    ["mask: causal", "mask: causal_strict", "mask: band(1)", "mask: band(2, 0)", "mask: causal * band(1)",
     'mask: links("3-0 4-4 3-3")', 'mask: global_tokens("0")', "bias: alibi(1/2)"],
)  # fmt: skip
def test_law_a_cache_gives_the_last_rows_of_the_whole_sentence(option, new, columns):
    name, value = option.split(": ")
    tokens = [[1, 0], [0, 1], [2, 1], [1, -1], [1, 2]]
    first = len(tokens) - new

    def matrix(rows):
        return [list(column) for column in zip(*rows)] if columns else rows

    def solved(lesson, x, **caches):
        givens = {"X": matrix(x), "W_Q": [[1, 1], [0, 1]], "W_K": [[1, 0], [1, 2]], "W_V": [[1, 0], [0, 1]]} | caches
        problem = {"vectors": "columns" if columns else "rows", "given": givens}
        return solve(load(problem | {lesson: {name: value, "empty_row": "zeros"}}))

    whole = solved("self_attention", tokens)
    caches = {f"{side}_cache": matrix(matrix(whole[side].decimals())[:first]) for side in "KV"}
    part = solved("cached_attention", tokens[first:], **caches)
    assert matrix(part["Z"].decimals()) == matrix(whole["Z"].decimals())[first:]


@pytest.mark.parametrize("new", [1, 2])
def test_the_last_token_has_no_later_key_but_the_one_before_it_has(new):
    cached = {"X": X[:new], "K_cache": X, "V_cache": X} | {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
    problem = {"given": cached, "cached_attention": {"bias": 'alibi(1/2, sides="both")'}}
    if new == 1:
        with pytest.raises(AttncalcError, match="no key comes after the query here"):
            load(problem)
    else:
        assert solve(load(problem))["S_biased"].shape == (2, 5)
