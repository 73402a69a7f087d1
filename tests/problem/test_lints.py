"""Where tokens are columns, what works on rows is warned of, and the proposal works on columns: the transposed formula of
a file whose tokens are rows has the transposed value."""

from __future__ import annotations

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

# Matrices of a file whose tokens are rows; the other file has the transposed ones.
ROWS = {
    "X": [[1, 0], [2, 1], [0, 3]], "Q": [[1, 1], [0, 1], [2, 0]], "K": [[2, 0], [1, 1], [0, 1]], "E": [[1, 2], [3, 5], [0, 1]],
    "P": [[0.5, 0.25, 0.25], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]],
}  # fmt: skip
IDS = {"ids": [1, 0, 1], "n": 3}
# The formula with tokens as rows, and what is typed with tokens as columns.
FORMULAS = {
    "softmax(keep(Q @ K.T, causal(3, 3)))": "softmax(keep(K.T @ Q, causal(3, 3)))", "argmax_rows(P)": "argmax_rows(P)",
    "softmax(Q @ K.T + alibi(3, 3, 0.5))": "softmax(K.T @ Q + alibi(3, 3, 0.5))", "top_k(P, 2)": "top_k(P, 2)",
    "softmax(keep(Q @ K.T, M))": "softmax(keep(K.T @ Q, M))", "softmax(Q @ K.T + N)": "softmax(K.T @ Q + N)",
    "keep(P, top_k(P, 2))": "keep(P, top_k(P, 2))", "pick(P, ids)": "pick(P, ids)", "cross_entropy(P, ids)": "cross_entropy(P, ids)",
    "pick(softmax(P), ids)": "pick(softmax(P), ids)", "cross_entropy(softmax(P), ids)": "F.cross_entropy(P, ids)",
    "lookup(E, ids)": "lookup(E, ids)", "sinusoidal(3, 2)": "sinusoidal(3, 2)", "rope(E)": "rope(E)", "sort_rows(P)": "sort_rows(P)",
    "P + sinusoidal(3, 3)": "P + sinusoidal(3, 3)", "order_rows(P, 2)": "order_rows(P, 2)", "top_p(P, 0.7)": "top_p(P, 0.7)",
    "layer_norm(X)": "layer_norm(X)", "one_hot(ids, n)": "one_hot(ids, n)", "P - one_hot(ids, n)": "P - F.one_hot(ids, n)",
    "softmax(P) - one_hot(ids, 3)": 'softmax(P, axis="columns") - one_hot(ids, 3)',
}  # fmt: skip


def file(columns: bool, formula: str) -> dict:
    givens = {name: np.array(rows).T.tolist() if columns else rows for name, rows in ROWS.items()}
    steps = {"M": "causal(3, 3)", "N": "where(causal(3, 3) == 0, -2, 0)", "Z": formula}
    return {"vectors": "columns" if columns else "rows", "given": givens | IDS, "steps": steps}


def value(columns: bool, formula: str) -> np.ndarray:
    return np.array(solve(load(file(columns, formula)))["Z"].decimals(9), float)


def warned(columns: bool, formula: str) -> list[str]:
    problem = load(file(columns, formula))
    return [each.message for each in problem.warnings if each.message.startswith("warning: Z:")]


@for_each("rows", FORMULAS)
def test_what_works_on_rows_is_warned_of_where_tokens_are_columns(rows):
    assert not warned(False, rows)
    try:
        messages = warned(True, FORMULAS[rows])
    except Exception as error:  # rope, whose pairs do not fit
        messages = [str(error)]
    shown = {proposal for message in messages for proposal in proposals(message)}
    assert len(shown) == 1, messages
    (proposal,) = shown
    assert not warned(True, proposal)
    assert np.allclose(value(True, proposal), value(False, rows).T)


NUMBERED = {"P.mean(axis=1)": "col_mean(P)", "exp(P) / row_sum(exp(P))": 'softmax(P, axis="columns")', "P / P.sum(1, keepdims=True)": "col_sum(P)",
            "np.std(P, axis=-1)": "col_std(P)"}  # fmt: skip


@for_each("formula", NUMBERED)
def test_a_mean_of_each_row_is_warned_of_where_tokens_are_columns(formula):
    assert any(
        message.endswith(f"for a result per token, write {NUMBERED[formula]}") for message in warned(True, formula)
    )
    assert not any("for a result per token" in message for message in warned(False, formula))


@for_each("formula", [
    "softmax(P.T).T", "lookup(E.T, ids).T", "argmax_rows(P.T)", "top_k(Q.T @ K, 2)", "X + sinusoidal(3, 2).T", "row_mean(X)",
    "P.mean(axis=0)", "exp(P.T) / row_sum(exp(P.T))", 'softmax(P, axis="columns")', 'softmax(P, axis="rows")', "causal(3, 3)",
    "keep(K.T @ Q, causal(3, 3).T)", "keep(K.T @ Q, M.T)", "one_hot(ids, n).T",
])  # fmt: skip
def test_what_works_on_tokens_gives_no_warning(formula):
    assert not warned(True, formula)


@for_each("norm", ["rms_norm", "layer_norm"])
@for_each(("rest", "number"), [("1e-6", "1e-6"), ("2", "2"), ("gamma", ""), ("eps=1e-6", "")])
def test_a_gain_that_is_one_number_is_warned_of(norm, rest, number):
    givens = {"X": [[1, 2, -1], [0, 1, 2]], "gamma": [1, 2, 1]}
    messages = [w.message for w in load({"given": givens, "steps": {"Y": f"{norm}(X, {rest})"}}).warnings]
    assert [message.endswith(f"eps={number}") for message in messages if "γ" in message] == [True] * bool(number)


@for_each("columns", [False, True])
@for_each("entries", [[[1, 2, 3], [2, 1, 1]], [[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]], [[0.33, 0.33, 0.33], [1, 0, 0]]])
@for_each(("call", "is_softmax"), [
    ("cross_entropy(P{}, y)", False), ("entropy(P{})", False), ("entropy(P{0} * P{0})", False), ("entropy(S{})", False),
    ("cross_entropy(softmax(P{}), y)", True), ("entropy(softmax(S{}))", True), ("F.cross_entropy(P{}, y)", True),
])  # fmt: skip
def test_law_an_entropy_of_numbers_that_are_no_probabilities_is_warned_of(call, is_softmax, entries, columns):
    matrix = np.array(entries)
    given = {"P": (matrix.T if columns else matrix).tolist(), "y": [1, 0]}
    steps = {"S": "P * 1", "R": call.format(".T" if columns else "")}
    read = load({"given": given, "steps": steps, "vectors": "columns" if columns else "rows"})
    warned = [each.message for each in read.warnings if "takes probabilities" in each.message]
    are_shares = abs((matrix**2 if " * " in call else matrix).sum(axis=1) - 1).max() <= 1 / 50
    assert len(warned) == (not is_softmax and not are_shares)
    for message in warned:
        again = load({"given": given, "steps": steps | {"R": message.partition("; for scores, write ")[2]}})
        assert not [each for each in again.warnings if "takes probabilities" in each.message]


CHAINS = {
    "long": (1_900, lambda k, before: [(f"Y{k}", before)], lambda last: f"softmax({last})"),
    "doubled": (300, lambda k, before: [(f"Y{k}", f"{before} * M + {before}")], lambda last: f"softmax({last} * M)"),
    "searched": (800, lambda k, before: [(f"Y{k}", f"{before} / 2"), (f"A{k}", f"softmax(Y{k})")], "exp({})".format),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_law_a_chain_of_names_is_searched_once(chain):
    """Warnings about masks look through the names of steps: neither their depth nor their number refuses a file."""
    count, steps_of, last = CHAINS[chain]
    steps, name = {}, "X"
    for k in range(count):
        steps |= dict(steps_of(k, name))
        name = f"Y{k}"
    problem = load({"given": {"X": [[1, 2], [3, 4]], "M": [[1, 0], [1, 1]]}, "steps": steps | {"Z": last(name)}})
    assert problem.plan.order


# A softmax with exp: {0} is the axis, {1} the other axis, and S the scores
POWERS = ["exp({})", "np.exp({})", "e ** ({})", "exp(2 * ({})) / exp({})"]
SHIFTED = ["S", "S - S.max(axis={0}, keepdims=True)", "S - max(S)"]
DIVIDED = [
    "E / E.sum(axis={0}, keepdims=True)", "E * (1 / E.sum({0}, keepdims=True))", "E / (E.sum({0}, keepdims=True) + 1e-9)",
    "(E.T / E.T.sum(axis={1}, keepdims=True)).T", "0.5 * E / (E / 2).sum(axis={0}, keepdims=True)",
]  # fmt: skip


@for_each("columns", [False, True])
@for_each("axis", [0, 1])
@for_each("is_long", [False, True])
@for_each("power", POWERS, quick=1, ci=4)
@for_each("shifted", SHIFTED, quick=2, ci=3)
@for_each("divided", DIVIDED, quick=2, ci=5)
def test_law_a_softmax_with_exp_is_warned_of_if_its_axis_is_not_the_axis_of_the_tokens(
    columns, axis, is_long, power, shifted, divided
):
    shifted, divided = shifted.format(axis), divided.format(axis, 1 - axis)
    exp = power.format(*[shifted] * power.count("{}"))
    whole = {"E": exp, "Z": "E.sum()", "A": divided} if is_long else {"A": divided.replace("E", f"({exp})")}
    given = {"X": ROWS["P"][:2], "Y": [[3, 1, 0], [1, 0, 1], [0, 0, 2]]}
    read = load({"given": given, "steps": {"S": "X @ Y", **whole}, "vectors": "columns" if columns else "rows"})
    messages = [each.message for each in read.warnings if "this softmax sums to 1" in each.message]
    assert len(messages) == (columns == (axis == 1)), whole
    for message in messages:
        proposal = message.partition("write ")[2]
        assert proposal == ('softmax(S, axis="columns")' if columns else "softmax(S)")


@for_each("steps", [
    {"A": 'softmax(S, axis="columns")', "B": "A * exp(0)", "C": "A * exp(0 * S)"},  # the author chose the axis
    {"A": "exp(S.T) / col_sum(exp(S.T))"}, {"D": "S.T", "E": "exp(D)", "A": "E / col_sum(E)"},
    {"A": "exp(S) / total(exp(S))"}, {"A": "S / col_sum(S)"}, {"A": "sigmoid(S)"}, {"A": "exp(-S) / (1 + exp(-S))"},
    {"L": "K @ Q.T", "E": "exp(L)", "A": "E / col_sum(E)"}, {"L": "(Q @ K.T).T", "A": "exp(L) / col_sum(exp(L))"},
])  # fmt: skip
def test_other_quotients_of_exp_give_no_warning(steps):
    read = load({"given": {"S": ROWS["P"], "Q": ROWS["Q"], "K": ROWS["K"]}, "steps": steps})
    assert not [each.message for each in read.warnings if "this softmax" in each.message]


@for_each(("scores", "axis", "is_right"), [
    ("Q @ K.T", 1, True), ("Q @ K.T", 0, False), ("K @ Q.T", 0, True), ("K @ Q.T", 1, False), ("(K @ Q.T).T", 1, True),
    ("(Q @ K.T).T", 1, False),
])  # fmt: skip
@for_each("columns", [False, True])
def test_the_names_of_queries_and_keys_decide_the_axis_of_a_softmax_with_exp(scores, axis, is_right, columns):
    steps = {"L": scores, "E": "exp(L)", "A": f"E / E.sum(axis={axis}, keepdims=True)"}
    read = load(
        {"given": {"Q": ROWS["Q"], "K": ROWS["K"]}, "steps": steps, "vectors": "columns" if columns else "rows"}
    )
    assert bool([each.message for each in read.warnings if "of this softmax sums" in each.message]) != is_right


@for_each("columns", [False, True])
@for_each(("formula", "each"), [
    ("softmax_j(S_{ij})", "row"), ("softmax_i(S_{ij})", "column"), (r"\sum_j softmax_j(S_{ij}) V_{jk}", "row"),
    (r"\sum_j softmax_i(S_{ij}) V_{jk}", "column"), ("softmax_j(S_{ji})", ""), (r"softmax_j(\sum_d Q_{id} K_{jd})", "row Q"),
    (r"softmax_i(\sum_d Q_{id} K_{jd})", "column Q"), (r"\frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}}", "row"),
    (r"\frac{\exp(S_{ij})}{\sum_k \exp(S_{kj})}", "column"),
])  # fmt: skip
def test_law_a_softmax_with_an_index_is_warned_of_if_it_is_not_the_index_of_the_keys(formula, each, columns):
    given = {"S": ROWS["P"], "V": ROWS["X"], "Q": ROWS["Q"], "K": ROWS["K"]}
    try:
        load({"given": given, "steps": {"Y": formula}, "vectors": "columns" if columns else "rows"})
    except AttncalcError as error:
        messages = str(error)
    assert proposals(messages)
    axis, _, queries = each.partition(" ")
    is_wrong = each and axis != ("row" if queries or not columns else "column")
    assert ("for a result per token" in messages) == bool(is_wrong)


@for_each("columns", [False, True])
@for_each(("scores", "is_column"), [("K @ q.T", True), ("q @ K.T", False)])
@for_each(("quotient", "axis"), [
    ("E / row_sum(E)", 1), ("E / col_sum(E)", 0), ("E * (1 / E.sum(1, keepdims=True))", 1), ("E / E.sum(0, keepdims=True)", 0),
    ("E / sum(E)", None), ("exp(s - row_max(s)) / row_sum(exp(s - row_max(s)))", 1),
])  # fmt: skip
def test_law_a_softmax_with_exp_of_single_entries_is_warned_of(scores, is_column, quotient, axis, columns):
    given = {"K": ROWS["P"], "q": [1, 2, 0]}
    steps = {"s": scores, "E": "exp(s)", "A": quotient}
    read = load({"given": given, "steps": steps, "vectors": "columns" if columns else "rows"})
    messages = [each.message for each in read.warnings if "every result is 1" in each.message]
    is_lone = axis is not None and (axis == 1) == is_column
    assert [text.partition("write ")[2] for text in messages] == [
        'softmax(s, axis="columns")' if is_column else "softmax(s)"
    ] * is_lone
