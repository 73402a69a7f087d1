"""The lessons: exactly the promised step names for every option, and equal numbers by different ways."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError, load, solve
from tests.support.sweeps import for_each

QKV = {"Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 1], [0, 1], [1, 0]], "V": [[0, 2], [1, 1], [2, 0]]}
TOKENS = {
    "X": [[1, 0, 1], [0, 2, 1]],
    "W_Q": [[1, 0], [0, 1], [1, 1]],
    "W_K": [[0, 1], [1, 0], [1, 1]],
    "W_V": [[1, 2], [3, 4], [5, 6]],
}
HEADS = {f"W_{n}": [[1, 0, 2, 1], [0, 1, 1, 0], [1, 1, 0, 2], [2, 0, 1, 1]] for n in "QKV"} | {
    "X": [[1, 0, 1, 2], [0, 1, 2, 1]]
}


def names(problem: dict) -> list[str]:
    return [step.name for step in solve(load(problem)).parts[0].steps]


# lesson, its arguments, the givens, the step names that other programs read
STEPS = [
    ("attention", {}, QKV, "S S_scaled A Z"),
    ("attention", {"scale": "none"}, QKV, "S A Z"),
    ("attention", {"mask": "causal"}, QKV, "S S_scaled S_masked A Z"),
    ("attention", {"mask": "causal", "mask_at": "scores"}, QKV, "S S_masked S_scaled A Z"),
    ("attention", {"mask": "causal", "mask_at": "weights"}, QKV, "S S_scaled A A_masked Z"),
    ("attention", {"softcap": "2", "bias": "alibi(1/2)", "mask": "causal"}, QKV,
     "S S_scaled S_capped S_biased S_masked A Z"),
    ("attention", {"softmax_steps": "true"}, QKV, "S S_scaled E E_sum A Z"),
    ("attention", {"S": "Q @ K.T"}, QKV, "S S_scaled A Z"),
    ("attention", {"A": "identity(3)"}, QKV, "A Z"),
    ("self_attention", {}, TOKENS, "Q K V S S_scaled A Z"),
    ("self_attention", {"mask": "causal"}, TOKENS, "Q K V S S_scaled S_masked A Z"),
    ("self_attention", {"Q": "X[:, 0:2]"}, TOKENS, "Q K V S S_scaled A Z"),
    ("self_attention", {"S": "identity(2)", "scale": "none"}, TOKENS, "V S A Z"),
    ("cross_attention", {"memory": "X"}, TOKENS, "Q K V S S_scaled A Z"),
    ("multi_head_attention", {"heads": 2}, HEADS,
     "Q_1 K_1 V_1 S_1 S_scaled_1 A_1 Z_1 Q_2 K_2 V_2 S_2 S_scaled_2 A_2 Z_2 H"),
    ("multi_head_attention", {"heads": 2, "W_O": "identity(4)", "mask": "causal"}, HEADS,
     "Q_1 K_1 V_1 S_1 S_scaled_1 S_masked_1 A_1 Z_1 Q_2 K_2 V_2 S_2 S_scaled_2 S_masked_2 A_2 Z_2 H Z"),
    ("multi_head_attention", {"heads": 2, "kv_heads": 1, "W_K": "X.T @ X", "W_V": "X.T @ X"},
     {"X": HEADS["X"], "W_Q": [[1] * 8] * 4}, "Q_1 K_1 V_1 S_1 S_scaled_1 A_1 Z_1 Q_2 S_2 S_scaled_2 A_2 Z_2 H"),
    ("positional_encoding", {}, TOKENS, "PE X_pe"),
    ("layer_norm", {}, TOKENS, "mean var normed Y"),
    ("rms_norm", {}, TOKENS, "mean_square normed Y"),
    ("add_norm", {"sublayer": "X * 2"}, TOKENS, "sum mean var normed Y"),
    ("feed_forward", {"W_1": "W_Q", "W_2": "W_Q.T"}, TOKENS, "hidden active Y"),
]  # fmt: skip


@for_each(("lesson", "arguments", "givens", "expected"), STEPS)
def test_step_names(lesson, arguments, givens, expected):
    assert names({"given": givens, lesson: arguments}) == expected.split()


# formulas that must give the same numbers as the lesson's last step
SAME = [
    ("attention", {"mask": "causal"}, QKV, "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3))) @ V"),
    ("attention", {"mask": "band(1)"}, QKV, "softmax(keep(Q @ K.T / sqrt(2), band(3, 3, 1))) @ V"),
    ("attention", {"mask": "causal * band(1)"}, QKV,
     "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3) * band(3, 3, 1))) @ V"),
    ("attention", {"mask": "causal(offset=1)"}, QKV, "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3, offset=1))) @ V"),
    ("attention", {"mask": "causal", "mask_at": "weights"}, QKV, "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3))) @ V"),
    ("attention", {"mask": "causal", "mask_at": "scores"}, QKV, "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3))) @ V"),
    ("attention", {"mask": "causal_strict", "empty_row": "zeros"}, QKV,
     "vstack(zeros(1, 2), softmax(keep(Q @ K.T / sqrt(2), causal(3, 3, offset=-1))[1:3]) @ V)"),
    ("attention", {"mask": "causal_strict", "empty_row": "uniform"}, QKV,
     "vstack(col_mean(V), softmax(keep(Q @ K.T / sqrt(2), causal(3, 3, offset=-1))[1:3]) @ V)"),
    ("attention", {"mask": "causal_strict", "empty_row": "zeros", "mask_at": "weights"}, QKV,
     "vstack(zeros(1, 2), softmax(keep(Q @ K.T / sqrt(2), causal(3, 3, offset=-1))[1:3]) @ V)"),
    ("attention", {"mask": "causal", "fill": "-99"}, QKV,
     "softmax(keep(Q @ K.T / sqrt(2), causal(3, 3), fill=-99)) @ V"),
    ("attention", {"softcap": "1/2"}, QKV, "softmax(tanh(Q @ K.T / sqrt(2) / 0.5) / 2) @ V"),
    ("attention", {"bias": "alibi(0.5)"}, QKV, "softmax(Q @ K.T / sqrt(2) + alibi(3, 3, 0.5)) @ V"),
    ("attention", {"base": "2"}, QKV, "softmax(Q @ K.T / sqrt(2), base=2) @ V"),
    ("attention", {"base": "2", "softmax_steps": "true"}, QKV, "softmax(Q @ K.T / sqrt(2) * ln(2)) @ V"),
    ("attention", {"axis": "columns"}, QKV, "softmax_cols(Q @ K.T / sqrt(2)) @ V"),
    ("attention", {"axis": "all"}, QKV, "softmax_all(Q @ K.T / sqrt(2)) @ V"),
    ("attention", {"scale": "3"}, QKV, "softmax(Q @ K.T / 3) @ V"),
    ("attention", {}, QKV | {"d_k": 9}, "softmax(Q @ K.T / 3) @ V"),
    ("self_attention", {}, TOKENS | {"b_Q": [1, 2], "b_V": [[3, 4]]},
     "softmax((X @ W_Q + b_Q) @ (X @ W_K).T / sqrt(2)) @ (X @ W_V + b_V)"),
    ("self_attention", {"b_Q": "none"}, TOKENS | {"b_Q": [1, 2]},
     "softmax((X @ W_Q) @ (X @ W_K).T / sqrt(2)) @ (X @ W_V)"),
    ("multi_head_attention", {"heads": 1}, HEADS, "softmax(X @ W_Q @ (X @ W_K).T / 2) @ (X @ W_V)"),
    ("multi_head_attention", {"heads": 2, "bias_1": "alibi(1)", "mask_2": "causal"}, HEADS,
     "hstack(softmax(X @ W_Q[:, 0:2] @ (X @ W_K[:, 0:2]).T / sqrt(2) + alibi(2, 2, 1)) @ (X @ W_V[:, 0:2]), "
     "softmax(keep(X @ W_Q[:, 2:4] @ (X @ W_K[:, 2:4]).T / sqrt(2), causal(2, 2))) @ (X @ W_V[:, 2:4]))"),
    ("positional_encoding", {"base": "100", "start": "1", "layout": "concatenated", "embed_scale": "sqrt(3)"}, TOKENS,
     'X * sqrt(3) + sinusoidal(2, 3, base=100, start=1, layout="concatenated")'),
    ("layer_norm", {"eps": "0", "ddof": "1"}, TOKENS | {"gamma": [1, 2, 3], "beta": [4, 5, 6]},
     "layer_norm(X, gamma=gamma, beta=beta, eps=0, ddof=1)"),
    ("layer_norm", {"eps": "1/10", "eps_in": "std"}, TOKENS, 'layer_norm(X, eps=0.1, eps_in="std")'),
    ("rms_norm", {"eps": "1/10"}, TOKENS, "rms_norm(X, eps=0.1)"),
    ("add_norm", {"sublayer": "X @ X.T @ X"}, TOKENS, "layer_norm(X + X @ X.T @ X)"),
    ("feed_forward", {"W_1": "W_Q", "W_2": "W_Q.T", "activation": "gelu_tanh"}, TOKENS,
     'gelu(X @ W_Q, form="tanh") @ W_Q.T'),
]  # fmt: skip


@for_each(("lesson", "arguments", "givens", "formula"), SAME)
def test_lessons_are_their_formulas(lesson, arguments, givens, formula):
    solution = solve(load({"given": givens, "steps": {"lesson": {lesson: arguments}, "formula": formula}}))
    steps = solution.parts[0].steps
    assert steps[-2].decimals(25) == steps[-1].decimals(25)


@pytest.mark.parametrize("argument", ["[[1], [2, 3]]", "[1, ]2", "[]"])
def test_an_argument_that_is_no_formula_is_told(argument):
    with pytest.raises(AttncalcError, match="b_Q"):
        load({"given": TOKENS, "self_attention": {"b_Q": argument}})


def transposed(matrix: list) -> list:
    return [list(column) for column in zip(*matrix, strict=True)]


@for_each(
    ("lesson", "arguments", "givens"),
    [
        ("attention", {"mask": "causal"}, QKV),
        ("attention", {"mask": "M", "bias": "B"},
         QKV | {"M": [[1, 0, 1], [1, 1, 0], [1, 1, 1]], "B": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}),
        ("attention", {"mask": "causal", "mask_at": "weights"}, QKV),
        ("attention", {"softmax_steps": "true"}, QKV),
        ("self_attention", {}, TOKENS | {"b_Q": [1, 2]}),
        ("multi_head_attention", {"heads": 2}, HEADS | {"W_O": [[1, 2, 0, 1], [0, 1, 1, 0], [2, 1, 0, 1], [1, 0, 1, 1]],
         "b_K": [1, 2, 3, 4]}),
        ("positional_encoding", {}, TOKENS),
        ("layer_norm", {}, TOKENS | {"gamma": [1, 2, 3]}),
        ("feed_forward", {"W_1": "W_Q", "W_2": "W_Q.T"}, TOKENS | {"b_1": [1, -3]}),
    ],
)  # fmt: skip
def test_column_vectors_give_the_transposed_result(lesson, arguments, givens):
    rows = solve(load({"given": givens, lesson: arguments})).parts[0].steps[-1].decimals(20)
    keep_flat = {"M", "B", "b_Q", "b_K", "b_1", "gamma"}
    columns = {k: v if k in keep_flat else transposed(v) for k, v in givens.items()}
    turned = solve(load({"vectors": "columns", "given": columns, lesson: arguments})).parts[0].steps[-1].decimals(20)
    assert transposed(turned) == rows


def test_one_convention_line_names_what_was_chosen():
    part = load({"given": QKV, "attention": {"mask": "causal"}}).parts[0]
    said = {c.option: (c.value, c.is_default) for c in part.plan.conventions}
    assert said["mask"] == ("causal", False)
    assert said["scale"] == ("sqrt(cols(K))", True)
    assert said["mask_at"] == ("scaled", True)
