"""Training and cost: the learning rate, gradients against finite differences and PyTorch's autograd, cheaper attention, counts."""

import json
import random
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve

getcontext().prec = 120
DRAW = random.Random(8)


def draw(n, m):
    return [[DRAW.choice([-1, -0.5, 0.25, 0.5, 1, 1.5, 2]) for _ in range(m)] for _ in range(n)]


def step(problem, name, digits=20):
    return [[Decimal(x) for x in row] for row in solve(load(problem))[name].decimals(digits)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


# -- gradients: exact finite differences -------------------------------------------------------------------------------------

H = Fraction(1, 10**20)  # the error of a central difference goes with its square


def nudged(matrix, i, j, by):
    moved = [[str(Fraction(str(x))) for x in row] for row in matrix]
    moved[i][j] = str(Fraction(moved[i][j]) + by)
    return moved


def differences(problem, name, loss):
    """The gradient of a loss, a formula over a problem's steps, by each entry of a given."""

    def at(i, j, by):
        given = problem["given"] | {name: nudged(problem["given"][name], i, j, by)}
        return step(problem | {"given": given, "steps": {"finite": loss}}, "finite", 90)[0][0]

    rows, columns = len(problem["given"][name]), len(problem["given"][name][0])
    span = Decimal(2 * H.numerator) / H.denominator
    return [[(at(i, j, H) - at(i, j, -H)) / span for j in range(columns)] for i in range(rows)]


def agrees(problem, gradients, loss):
    solution = solve(load(problem))
    for given, step_name in gradients.items():
        found = [[Decimal(x) for x in row] for row in solution[step_name].decimals(40)]
        for row, other in zip(found, differences(problem, given, loss), strict=True):
            for x, y in zip(row, other, strict=True):
                assert abs(x - y) < Decimal("1e-30"), (given, found)


QKV = {"Q": draw(3, 2), "K": draw(3, 2), "V": draw(3, 2), "dZ": draw(3, 2)}
TOKENS = {"X": draw(3, 3)} | {f"W_{x}": draw(3, 2) for x in "QKV"} | {"dZ": draw(3, 2)}
LOSS = "total(dZ * Z)"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scale": 3},
        {"scale": "none"},
        {"mask": "causal"},
        {"mask": "causal", "mask_at": "scores", "fill": -2},
        {"mask": "band(1)", "mask_at": "weights"},
        {"mask": "causal_strict", "empty_row": "zeros"},
        {"mask": "causal_strict", "empty_row": "uniform"},
        {"mask": "causal_strict", "mask_at": "weights", "empty_row": "uniform"},
        {"softcap": 2, "bias": "alibi(1/2)", "mask": "causal"},
        {"base": 2},
        {"axis": "columns"},
        {"axis": "all"},
    ],
)
def test_the_way_back_through_attention(options):
    agrees({"given": QKV, "attention_gradients": options}, {"Q": "dQ", "K": "dK", "V": "dV"}, LOSS)


@pytest.mark.parametrize("options", [{}, {"mask": "causal"}, {"mask": "causal", "mask_at": "weights"}, {"bias": "alibi(1)", "mask": "band(1)"}])
def test_column_vectors_give_the_transposed_gradients(options):
    columns = {name: transposed(value) for name, value in TOKENS.items()}
    turned, straight = ({"vectors": v, "given": g, "self_attention_gradients": options} for v, g in (("columns", columns), ("rows", TOKENS)))
    one, other = solve(load(turned)), solve(load(straight))
    for name in ("dA", "dS", "dQ", "dK", "dV", "dW_Q", "dW_K", "dW_V", "dX"):
        assert transposed(one[name].decimals(20)) == other[name].decimals(20), name


def test_the_way_back_to_the_weights_and_the_tokens():
    givens = TOKENS | {"b_Q": draw(1, 2), "b_V": draw(1, 2)}
    wanted = {"W_Q": "dW_Q", "W_K": "dW_K", "W_V": "dW_V", "X": "dX", "b_Q": "db_Q", "b_V": "db_V"}
    agrees({"given": givens, "self_attention_gradients": {"mask": "causal"}}, wanted, LOSS)


def test_the_way_back_to_both_sequences():
    givens = TOKENS | {"encoded": draw(2, 3)}
    wanted = {"X": "dX", "encoded": "dmemory", "W_Q": "dW_Q", "W_K": "dW_K"}
    agrees({"given": givens, "cross_attention_gradients": {"memory": "encoded"}}, wanted, LOSS)


LINE = {"scores": [[1, 0, 2]], "dp": [[1, -1, 0.5]]}


def test_the_jacobian_of_a_softmax():
    agrees({"given": LINE, "softmax_jacobian": {}}, {"scores": "dscores"}, "total(p * dp)")
    upright = {name: transposed(value) for name, value in LINE.items()}
    one, other = (solve(load({"given": g, "softmax_jacobian": {}})) for g in (LINE, upright))
    assert one["J"].decimals(20) == other["J"].decimals(20)
    assert transposed(one["dscores"].decimals(20)) == other["dscores"].decimals(20)
    assert [sum(row) for row in step({"given": LINE, "softmax_jacobian": {}}, "J", 30)] == pytest.approx([0] * 3, abs=1e-28)


def test_a_jacobian_is_that_of_one_row():
    with pytest.raises(AttncalcError, match=r"one row of scores; 2 × 2 stand there"):
        load({"given": {"scores": [[1, 2], [3, 4]]}, "softmax_jacobian": {}})


LAST = {"X": draw(2, 2), "W_out": draw(2, 3), "b_out": draw(1, 3), "targets": [2, 0]}


@pytest.mark.parametrize(
    ("options", "loss"),
    [
        ({}, "cross_entropy(P, targets)"),
        ({"reduction": "sum"}, "2 * cross_entropy(P, targets)"),
        ({"smoothing": 0.25}, "-total(P_true * log(P)) / 2"),
        ({"ignore": 0}, "-log(P[0, 2])"),
    ],
)
def test_the_way_back_from_the_loss(options, loss):
    agrees({"given": LAST, "cross_entropy_gradients": options}, {"W_out": "dW_out", "b_out": "db_out", "X": "dX"}, loss)


LAYER = {"X": draw(2, 3), "gamma": draw(1, 3), "beta": draw(1, 3), "dY": draw(2, 3)}


@pytest.mark.parametrize("options", [{}, {"eps": 0}, {"eps": 0.5, "ddof": 1}, {"eps": 0.5, "eps_in": "std"}, {"eps_in": "std", "ddof": 1}])
def test_the_way_back_through_a_norm(options):
    agrees({"given": LAYER, "layer_norm_gradients": options}, {"X": "dX", "gamma": "dgamma", "beta": "dbeta"}, "total(dY * Y)")
    columns = {name: transposed(value) if name in ("X", "dY") else value for name, value in LAYER.items()}
    one = solve(load({"vectors": "columns", "given": columns, "layer_norm_gradients": options}))
    other = solve(load({"given": LAYER, "layer_norm_gradients": options}))
    assert transposed(one["dX"].decimals(20)) == other["dX"].decimals(20)
    assert one["dgamma"].decimals(20) == other["dgamma"].decimals(20)


FFN = {"X": draw(2, 2), "W_1": draw(2, 3), "b_1": [[0.3, -0.7, 0.1]], "W_2": draw(3, 2), "b_2": draw(1, 2), "dY": draw(2, 2)}  # no hidden unit at the kink
GATE = {"W_gate": draw(2, 3), "b_gate": draw(1, 3)}
FFN_STEPS = {"X": "dX", "W_1": "dW_1", "b_1": "db_1", "W_2": "dW_2", "b_2": "db_2"}


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "gelu_sigmoid", "silu", "tanh", "sigmoid", "none"])
def test_the_way_back_through_the_feed_forward_layer(activation):
    agrees({"given": FFN, "feed_forward_gradients": {"activation": activation}}, FFN_STEPS, "total(dY * Y)")


def test_the_way_back_through_a_gate():
    wanted = FFN_STEPS | {"W_gate": "dW_gate", "b_gate": "db_gate"}
    agrees({"given": FFN | GATE, "feed_forward_gradients": {"activation": "silu"}}, wanted, "total(dY * Y)")


# -- gradients: PyTorch's autograd -------------------------------------------------------------------------------------------

AUTOGRAD = json.loads((Path(__file__).parent / "data" / "gradients.json").read_text(encoding="utf-8"))["cases"]
OTHER_NAMES = {"encoded": "dmemory"}


@pytest.mark.parametrize("how", [{}, {"arithmetic": "floating"}], ids=["certified", "floating"])
@pytest.mark.parametrize("name", AUTOGRAD)
def test_autograd_finds_the_same(name, how):
    case = AUTOGRAD[name]
    solution = solve(load({"given": case["given"], case["lesson"]: case["options"]}), **how)
    for given, numbers in case["gradients"].items():
        found = solution[OTHER_NAMES.get(given, f"d{given}")].numpy()
        np.testing.assert_allclose(found, np.array(numbers, dtype=float), 1e-11, 1e-14, err_msg=given)
