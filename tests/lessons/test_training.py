"""Training and cost: the learning rate, gradients against finite differences and PyTorch's autograd, cheaper attention,
counts.
"""

import io
import json
import random
import re
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.cli import cli
from attncalc.explain.solution_document import solution_document
from attncalc.render import terminal
from tests.support.sweeps import for_each

getcontext().prec = 120
DRAW = random.Random(8)


def draw(n, m):
    return [[DRAW.choice([-1, -0.5, 0.25, 0.5, 1, 1.5, 2]) for _ in range(m)] for _ in range(n)]


def step(problem, name, digits=20):
    return [[Decimal(x) for x in row] for row in solve(load(problem))[name].decimals(digits)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]


# -- gradients: exact finite differences -------------------------------------------------------------------------------

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


@for_each(
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
    quick=1,
)
def test_the_way_back_through_attention(options):
    agrees({"given": QKV, "attention_gradients": options}, {"Q": "dQ", "K": "dK", "V": "dV"}, LOSS)


@for_each(
    "options",
    [{}, {"mask": "causal"}, {"mask": "causal", "mask_at": "weights"}, {"bias": "alibi(1)", "mask": "band(1)"}],
)
def test_column_vectors_give_the_transposed_gradients(options):
    columns = {name: transposed(value) for name, value in TOKENS.items()}
    turned, straight = (
        {"vectors": v, "given": g, "self_attention_gradients": options}
        for v, g in (("columns", columns), ("rows", TOKENS))
    )
    one, other = solve(load(turned)), solve(load(straight))
    for name in ("dA", "dS", "dQ", "dK", "dV", "dW_Q", "dW_K", "dW_V", "dX"):
        assert transposed(one[name].decimals(20)) == other[name].decimals(20), name


@pytest.mark.sweep(quick=0)
def test_the_way_back_to_the_weights_and_the_tokens():
    givens = TOKENS | {"b_Q": draw(1, 2), "b_V": draw(1, 2)}
    wanted = {"W_Q": "dW_Q", "W_K": "dW_K", "W_V": "dW_V", "X": "dX", "b_Q": "db_Q", "b_V": "db_V"}
    agrees({"given": givens, "self_attention_gradients": {"mask": "causal"}}, wanted, LOSS)


def test_the_way_back_to_both_sequences():
    givens = TOKENS | {"encoded": draw(2, 3)}
    wanted = {"X": "dX", "encoded": "dmemory", "W_Q": "dW_Q", "W_K": "dW_K"}
    agrees({"given": givens, "cross_attention_gradients": {"memory": "encoded"}}, wanted, LOSS)


@pytest.mark.parametrize("options", [{}, {"eps": "1/8"}])
def test_the_way_back_through_rms_norm(options):
    given = {"X": draw(2, 3), "gamma": draw(1, 3), "dY": draw(2, 3)}
    agrees({"given": given, "rms_norm_gradients": options}, {"X": "dX", "gamma": "dgamma"}, "total(dY * Y)")
    turned, straight = (
        {"vectors": v, "given": g, "rms_norm_gradients": options}
        for v, g in (("columns", {name: transposed(value) for name, value in given.items()}), ("rows", given))
    )
    assert transposed(solve(load(turned))["dX"].decimals(20)) == solve(load(straight))["dX"].decimals(20)


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(("options", "output"), [({}, "norm2.Y"), ({"norm": "before", "mask": "causal"}, "Y")])
def test_the_way_back_through_an_encoder_layer(options, output):
    square = {f"W_{x}": draw(2, 2) for x in "QKVO"} | {
        "W_1": draw(2, 3),
        "W_2": draw(3, 2),
        "gamma_1": draw(1, 2),
        "beta_2": draw(1, 2),
    }
    given = {"X": draw(2, 2), "dY": draw(2, 2)} | square
    problem = {"given": given, "encoder_layer_gradients": {"heads": 2, "eps": "1/4", "activation": "tanh"} | options}
    agrees(
        problem,
        {"X": "dX", "W_1": "back_ffn.dW_1", "W_Q": "back_attention.dW_Q", "gamma_1": "back_norm1.dgamma"},
        f"total(dY * {output})",
    )


LINE = {"scores": [[1, 0, 2]], "dp": [[1, -1, 0.5]]}


def test_the_jacobian_of_a_softmax():
    agrees({"given": LINE, "softmax_jacobian": {}}, {"scores": "dscores"}, "total(p * dp)")
    upright = {name: transposed(value) for name, value in LINE.items()}
    one, other = (solve(load({"given": g, "softmax_jacobian": {}})) for g in (LINE, upright))
    assert one["J"].decimals(20) == other["J"].decimals(20)
    assert transposed(one["dscores"].decimals(20)) == other["dscores"].decimals(20)
    assert [sum(row) for row in step({"given": LINE, "softmax_jacobian": {}}, "J", 30)] == pytest.approx(
        [0] * 3, abs=1e-28
    )


def test_a_jacobian_is_that_of_one_row():
    with pytest.raises(AttncalcError, match=r"one row of scores, found 2 × 2"):
        load({"given": {"scores": [[1, 2], [3, 4]]}, "softmax_jacobian": {}})


LAST = {"X": draw(2, 2), "W_out": draw(2, 3), "b_out": draw(1, 3), "targets": [2, 0]}


@for_each(
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


@for_each(
    "options",
    [{}, {"eps": 0}, {"eps": 0.5, "ddof": 1}, {"eps": 0.5, "eps_in": "std"}, {"eps_in": "std", "ddof": 1}],
    quick=1,
)
def test_the_way_back_through_a_norm(options):
    agrees(
        {"given": LAYER, "layer_norm_gradients": options},
        {"X": "dX", "gamma": "dgamma", "beta": "dbeta"},
        "total(dY * Y)",
    )
    columns = {name: transposed(value) if name in ("X", "dY") else value for name, value in LAYER.items()}
    one = solve(load({"vectors": "columns", "given": columns, "layer_norm_gradients": options}))
    other = solve(load({"given": LAYER, "layer_norm_gradients": options}))
    assert transposed(one["dX"].decimals(20)) == other["dX"].decimals(20)
    assert one["dgamma"].decimals(20) == other["dgamma"].decimals(20)


# No hidden unit at the kink
FFN = {
    "X": draw(2, 2),
    "W_1": draw(2, 3),
    "b_1": [[0.3, -0.7, 0.1]],
    "W_2": draw(3, 2),
    "b_2": draw(1, 2),
    "dY": draw(2, 2),
}
GATE = {"W_gate": draw(2, 3), "b_gate": draw(1, 3)}
FFN_STEPS = {"X": "dX", "W_1": "dW_1", "b_1": "db_1", "W_2": "dW_2", "b_2": "db_2"}


@for_each("activation", ["relu", "gelu", "gelu_tanh", "gelu_sigmoid", "silu", "tanh", "sigmoid", "none"], quick=1)
def test_the_way_back_through_the_feed_forward_layer(activation):
    agrees({"given": FFN, "feed_forward_gradients": {"activation": activation}}, FFN_STEPS, "total(dY * Y)")


def test_the_way_back_through_a_gate():
    wanted = FFN_STEPS | {"W_gate": "dW_gate", "b_gate": "db_gate"}
    agrees({"given": FFN | GATE, "feed_forward_gradients": {"activation": "silu"}}, wanted, "total(dY * Y)")


HEADS = {"X": draw(2, 4)} | {f"W_{n}": draw(4, 4) for n in "QKVO"} | {"dZ": draw(2, 4)}
OF_HEADS = {"X": "dX"} | {f"W_{n}": f"dW_{n}" for n in "QKVO"}
OWN = {f"W_{n}_{i}": draw(3, 1 + (n == "V")) for n in "QKV" for i in (1, 2)} | {
    "X": draw(2, 3),
    "W_O": draw(4, 3),
    "dZ": draw(2, 3),
}
SPLIT = {"Q": draw(2, 4), "K": draw(3, 2), "V": draw(3, 2), "dZ": draw(2, 4)}


@for_each(
    ("given", "options", "gradients"),
    [
        (HEADS, {"heads": 2}, OF_HEADS),
        (HEADS | {"b_Q": draw(1, 4), "b_V": draw(1, 4), "b_O": draw(1, 4)}, {"heads": 2, "mask": "causal"},
         {"b_Q": "db_Q", "b_V": "db_V", "b_O": "db_O", "X": "dX"}),
        (HEADS, {"heads": 2, "mask_2": "causal", "bias": "alibi", "softcap": 2},
         {"X": "dX", "W_K": "dW_K", "W_O": "dW_O"}),
        (HEADS, {"heads": 4, "mask": "band(0)", "mask_at": "weights"}, {"X": "dX", "W_V": "dW_V", "W_Q": "dW_Q"}),
        (HEADS, {"heads": 2, "mask": "causal_strict", "empty_row": "zeros", "scale": "none"},
         {"X": "dX", "W_K": "dW_K"}),
        (HEADS | {"M": draw(3, 4)}, {"heads": 2, "memory": "M"},
         {"X": "dX", "M": "dmemory", "W_K": "dW_K", "W_V": "dW_V"}),
        (HEADS | {"W_K": draw(4, 2), "W_V": draw(4, 2)}, {"heads": 2, "kv_heads": 1},
         {"X": "dX", "W_K": "dW_K", "W_V": "dW_V", "W_Q": "dW_Q"}),
        (OWN, {}, {"X": "dX", "W_O": "dW_O", "W_Q_2": "dW_Q_2", "W_K_1": "dW_K_1", "W_V_2": "dW_V_2"}),
        (SPLIT, {"heads": 2, "kv_heads": 1}, {"Q": "dQ", "K": "dK", "V": "dV"}),
    ],
quick=0)  # fmt: skip
def test_the_way_back_through_several_heads(given, options, gradients):
    result = "Z" if "W_O" in given else "H"
    agrees({"given": given, "multi_head_attention_gradients": options}, gradients, f"total(dZ * {result})")


@pytest.mark.parametrize("options", [{"heads": 2}, {"heads": 2, "mask": "causal", "mask_at": "weights"}, {"heads": 4}])
def test_several_heads_of_column_vectors_give_the_transposed_gradients(options):
    columns = {name: transposed(value) for name, value in HEADS.items()}
    one = solve(load({"vectors": "columns", "given": columns, "multi_head_attention_gradients": options}))
    other = solve(load({"given": HEADS, "multi_head_attention_gradients": options}))
    for name in ("dW_O", "dH", "dZ_2", "dA_1", "dS_2", "dQ_1", "dK_2", "dV_1", "dW_Q", "dW_K", "dW_V", "dX"):
        assert transposed(one[name].decimals(20)) == other[name].decimals(20), name


def test_one_head_is_attention_itself():
    given = {name: value for name, value in HEADS.items() if name != "W_O"}
    one, other = (
        solve(load({"given": given, lesson: o}))
        for lesson, o in (("multi_head_attention_gradients", {"heads": 1}), ("self_attention_gradients", {}))
    )
    for name in ("dW_Q", "dW_K", "dW_V", "dX"):
        assert one[name].decimals(30) == other[name].decimals(30)


def test_gradients_go_to_the_tokens_or_to_what_is_split():
    with pytest.raises(
        AttncalcError,
        match="for X and memory, or for Q, K and V that are only split into heads; here, Q is also projected",
    ):
        load({"given": HEADS | {"Y": draw(2, 4)}, "multi_head_attention_gradients": {"heads": 2, "Q": "Y"}})


# -- gradients: PyTorch's autograd -------------------------------------------------------------------------------------

DATA = Path(__file__).parents[1] / "data"
AUTOGRAD = {
    name: case
    for file in ("gradients.json", "head_gradients.json")
    for name, case in json.loads((DATA / file).read_text(encoding="utf-8"))["cases"].items()
}
OTHER_NAMES = {"encoded": "dmemory"}


@for_each("how", [{}, {"arithmetic": "floating"}], ids=["certified", "floating"], quick=6)
@for_each("name", AUTOGRAD)
def test_autograd_finds_the_same(name, how):
    case = AUTOGRAD[name]
    solution = solve(load({"given": case["given"], case["lesson"]: case["options"]}), **how)
    for given, numbers in case["gradients"].items():
        found = solution[OTHER_NAMES.get(given, f"d{given}")].numpy()
        np.testing.assert_allclose(found, np.array(numbers, dtype=float), 1e-11, 1e-14, err_msg=given)


def test_weights_of_another_part_are_shown_by_their_own_name():
    result = CliRunner().invoke(cli, ["solve", "a-scale-that-sharpens"])
    assert result.exit_code == 0 and "plain.A" in result.output


# -- the learning rate -------------------------------------------------------------------------------------------------

SCHEDULES = json.loads(
    (Path(__file__).parents[1] / "data" / "torch" / "noam_schedule.json").read_text(encoding="utf-8")
)["rows"]


@for_each("row", SCHEDULES, ids=lambda row: f"d{row['d_model']} warm-up {row['warmup']} factor {row['factor']}")
def test_the_learning_rate_is_that_of_a_scheduler(row):
    points = row["points"] + row["lambdalr"]
    given = {
        "step": [[n for n, _ in points]],
        "d_model": row["d_model"],
        "warmup": row["warmup"],
        "factor": row["factor"],
    }
    found = solve(load({"given": given, "learning_rate": {}}))["lr"].numpy()
    np.testing.assert_allclose(found[0], [float(x) for _, x in points], 1e-12)


def rate(step_0, *steps):
    return solve(
        load({"given": {"step": [list(steps)], "d_model": 16, "warmup": 4}, "learning_rate": {"step_0": step_0}})
    )["lr"].decimals(12)[0]


def test_step_0():
    assert rate("as_1", 0, 1, 2) == rate("none", 1, 1, 2)  # the Annotated Transformer
    assert rate("plus_1", 0, 1, 2) == rate("none", 1, 2, 3)  # tensor2tensor
    with pytest.raises(
        AttncalcError,
        match="column 1 of step is 0, which has no negative power; steps are counted from 1; step_0: as_1",
    ):
        rate("none", 0, 1)


def test_the_rate_is_largest_at_the_end_of_the_warm_up():
    rates = [Decimal(x) for x in rate("none", 1, 2, 3, 4, 5, 6, 7)]
    assert rates.index(max(rates)) == 3 and rates[3] == Decimal("0.125")


def test_warm_up_and_factor_have_defaults():
    given = {"step": [[1, 4000, 9000]], "d_model": 512}
    stated = given | {"warmup": 4000, "factor": 1}
    assert step({"given": given, "learning_rate": {}}, "lr") == step({"given": stated, "learning_rate": {}}, "lr")


def curve_of(*words):
    result = CliRunner().invoke(cli, ["solve", "learning-rate-warm-up", "--step", "lr", "--to", "svg", *words])
    assert result.exit_code == 0, result.output
    return ElementTree.fromstring(result.stdout)


def test_the_learning_rate_is_drawn_as_a_curve():
    picture = curve_of("--part", "paper")
    points = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in picture.findall(".//{*}circle")]
    assert len(points) == 8
    heights = [y for _, y in points]
    assert heights.index(min(heights)) == 4, "the highest point is the end of the warm-up, step 4000"
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    right = points[-1][0] - points[0][0]
    assert (points[4][0] - points[0][0]) / right == pytest.approx(3999 / 19999, abs=1e-3), "steps keep their distances"
    assert "4000: 0.00069877" in {title.text for title in picture.findall(".//{*}title")}


def line_of(picture, first, last):
    """The line of a curve as steps and heights, which rise from 0 to 1."""
    (box,) = picture.findall(".//{*}rect[@class='line']")
    left, top, wide, high = (float(box.get(name)) for name in ("x", "y", "width", "height"))
    points = [map(float, point.split(",")) for point in picture.find(".//{*}polyline").get("points").split()]
    return [(first + (x - left) / wide * (last - first), (top + high - y) / high) for x, y in points]


def test_the_curve_is_the_formulas_between_the_steps():
    line = line_of(curve_of("--part", "paper"), 1, 20000)
    assert len(line) > 100
    for at, height in line:
        assert height == pytest.approx(min(at**-0.5, at * 4000**-1.5) * 4000**0.5 if at else 0, abs=0.01)


@pytest.mark.parametrize("lesson", [
    {"learning_rate": {}},
    {"steps": {"lr": "d_model ** (-1/2) * minimum(step ** (-1/2), step * warmup ** (-3/2))"}},
])  # fmt: skip
def test_a_curve_has_its_steps_in_order_and_each_once(lesson, tmp_path):
    """Step 5, where the rate is largest, is not asked for: the line rises above every point."""
    (tmp_path / "p.yaml").write_text(
        json.dumps({"given": {"step": [[20, 7, 20, 2]], "d_model": 8, "warmup": 5}} | lesson)
    )
    result = CliRunner().invoke(cli, ["solve", str(tmp_path / "p.yaml"), "--step", "lr", "--to", "svg"])
    picture = ElementTree.fromstring(result.stdout)
    assert [title.text.partition(":")[0] for title in picture.findall(".//{*}circle/{*}title")] == ["2", "7", "20"]
    line = line_of(picture, 2, 20)
    assert [at for at, _ in line] == sorted(at for at, _ in line)
    for at, height in line:
        assert height == pytest.approx(min(at**-0.5, at * 5**-1.5) * 5**0.5, abs=0.02)
    texts = {text.text: float(text.get("y")) for text in picture.findall(".//{*}text")}
    (largest,) = (dot for dot in picture.findall(".//{*}circle") if dot.find("{*}title").text.startswith("7:"))
    label = largest.find("{*}title").text.partition(": ")[2]
    assert texts[label] == pytest.approx(float(largest.get("cy")) + 4.5, abs=0.1), (
        "the number stands where its point stands"
    )


def test_each_part_has_its_own_curve_and_the_givens_none():
    assert len(list(curve_of().findall(".//{*}polyline"))) == 3


# -- cheaper attention -------------------------------------------------------------------------------------------------

LONG = {"Q": draw(5, 2), "K": draw(5, 2), "V": draw(5, 3)}


@for_each(
    ("options", "mask"),
    [
        ({"window": 1}, "band(5, 5, 1)"),
        ({"window": 2, "causal": True}, "band(5, 5, 2, 0)"),
        ({"window": 1, "global_tokens": "0"}, "maximum(band(5, 5, 1), maximum(identity(5)[0], identity(5)[:, 0]))"),
        (
            {"window": 1, "links": "0-3 4-1"},
            "band(5, 5, 1) + hstack(0, 0, 0, 1, 0) * identity(5)[:, 0] + hstack(0, 1, 0, 0, 0) * identity(5)[:, 4]",
        ),
        ({"global_tokens": "1 3", "links": "0-0 2-2 4-4"}, 'maximum(global_tokens(5, 5, "1 3"), identity(5))'),
    ],
)
def test_sparse_attention_is_attention_under_its_mask(options, mask):
    solution = solve(load({"given": LONG, "sparse_attention": options | {"compare": True}}))
    written = solve(
        load(
            {
                "given": LONG,
                "steps": {
                    "M": mask,
                    "Z": f"softmax(keep(Q @ K.T / sqrt(2), {mask})) @ V",
                    "Z_full": "softmax(Q @ K.T / sqrt(2)) @ V",
                },
            }
        )
    )
    assert solution["mask"].fractions() == written["M"].fractions()
    assert solution["sparse.Z"].decimals(20) == written["Z"].decimals(20)
    assert solution["full.Z"].decimals(20) == written["Z_full"].decimals(20)
    seen = sum(map(sum, written["M"].fractions()))
    assert solution["products"].fractions() == [[seen * 5]] and solution["saved"].fractions() == [[1 - seen / 25]]


@for_each(
    ("options", "message"),
    [
        ({}, "window, global_tokens or links"),
        ({"links": "0-9"}, "there are 5 tokens, with the indices 0 to 4; found 9 in '0-9'"),
        ({"links": "0 3"}, 'pairs of query and key, such as "0-3 1-4"'),
        ({"links": '0-1"); zeros("'}, "pairs of query and key"),
        ({"global_tokens": "first"}, "write the indices of the global tokens"),
        ({"window": 1, "link": "0-1"}, "did you mean links?"),
    ],
)
def test_what_no_query_can_see(options, message):
    with pytest.raises(AttncalcError, match=re.escape(message)):
        load({"given": LONG, "sparse_attention": options})


def test_linformer_is_attention_over_mixed_rows():
    givens = LONG | {"E": draw(2, 5), "F": draw(2, 5)}
    solution = solve(load({"given": givens, "linformer": {"compare": True}}))
    written = {
        "Z": "softmax(Q @ (E @ K).T / sqrt(2)) @ (F @ V)",
        "far": "sqrt(total((Z - softmax(Q @ K.T / sqrt(2)) @ V) ** 2))",
    }
    expected = solve(load({"given": givens, "steps": written}))
    assert solution["low.Z"].decimals(20) == expected["Z"].decimals(20)
    assert solution["distance"].decimals(20) == expected["far"].decimals(20)
    # E K, F V, Q K_lowᵀ, A V_low
    assert solution["products"].fractions() == [[2 * 5 * 2 + 2 * 5 * 3 + 5 * 2 * 2 + 5 * 2 * 3]]


def test_linformer_with_as_many_rows_as_tokens_is_attention():
    givens = LONG | {"E": [[int(i == j) for j in range(5)] for i in range(5)]}
    assert step({"given": givens, "linformer": {"compare": True}}, "distance") == [[0]]


@pytest.mark.parametrize("feature", ["elu+1", "exp"])
def test_linear_attention_is_a_softmax_with_another_kernel(feature):
    phi = {
        "elu+1": "keep({0} + 1, relu({0}), fill=0) + keep(exp({0}), 1 - minimum(1, 8 * relu({0})), fill=0)",
        "exp": "exp({0})",
    }[feature]
    kernel = f"({phi.format('Q')}) @ ({phi.format('K')}).T"
    for causal, mask in ((False, "1"), (True, "causal(5, 5)")):
        written = {"W": f"{kernel} * {mask}", "Z": "W / row_sum(W) @ V"}
        solution = solve(load({"given": LONG, "linear_attention": {"feature": feature, "causal": causal}}))
        assert solution["Z"].decimals(20) == solve(load({"given": LONG, "steps": written}))["Z"].decimals(20)


def test_the_last_token_of_linear_attention_sees_the_whole_state():
    at_once, one_by_one = (
        solve(load({"given": LONG, "linear_attention": {"causal": causal}})) for causal in (False, True)
    )
    assert at_once["state"].decimals(20) == one_by_one["state_5"].decimals(20)
    assert at_once["Z"].decimals(20)[-1] == one_by_one["Z"].decimals(20)[-1]


def test_a_query_that_shares_no_feature_is_told():
    with pytest.raises(AttncalcError, match="no key has a feature in common"):
        solve(load({"given": LONG | {"Q": [[-1, -1]] * 5}, "linear_attention": {"feature": "relu"}}))["Z"].decimals(2)


@pytest.mark.parametrize("lesson", ["sparse_attention", "linformer", "linear_attention"])
def test_cheaper_attention_reads_rows(lesson):
    with pytest.raises(AttncalcError, match="one token per row"):
        load({"vectors": "columns", "given": LONG | {"E": draw(2, 5)}, lesson: {}})


# -- counts ------------------------------------------------------------------------------------------------------------


def count(lesson, wanted, options, **given):
    (row,) = solve(load({"given": given, lesson: options}))[wanted].fractions()
    return row[0]


BASE = {"d_model": 512, "d_ff": 2048, "layers": 6, "vocabulary": 37000}
GPT_2 = {"d_model": 768, "d_ff": 3072, "layers": 12, "vocabulary": 50257, "positions": 1024}
LLAMA = {"d_model": 4096, "d_ff": 14336, "layers": 32, "vocabulary": 128256, "heads": 32, "kv_heads": 8}
LLAMA_OPTIONS = {
    "model": "decoder_only",
    "attention_biases": False,
    "biases": False,
    "norm_weights": "gamma",
    "gated": True,
    "tied": "none",
}


@for_each(
    ("options", "given", "total"),
    [
        ({}, BASE, 63_082_496),
        ({"attention_biases": False}, BASE, 63_045_632),
        ({"final_norm": True}, BASE, 63_084_544),  # torch.nn.Transformer has these norms: 44,140,544 and the table
        ({"model": "decoder_only", "final_norm": True}, GPT_2, 124_439_808),  # GPT-2 small
        (LLAMA_OPTIONS | {"final_norm": True}, LLAMA, 8_030_261_248),  # Llama 3 8B
    ],
)
def test_published_totals(options, given, total):
    assert count("count_parameters", "total", options, **given) == total


@for_each(
    ("wanted", "options", "number"),
    [
        ("attention", {"model": "attention"}, 1_050_624),  # torch.nn.MultiheadAttention(512, 8)
        ("encoder_layer", {"model": "encoder_layer"}, 3_152_384),  # torch.nn.TransformerEncoderLayer(512, 8)
        ("decoder_layer", {"model": "decoder_layer"}, 4_204_032),  # torch.nn.TransformerDecoderLayer(512, 8)
        ("tables", {"tied": "output"}, 2 * 37000 * 512),
        ("tables", {"tied": "none"}, 3 * 37000 * 512),
        ("total", {"output_bias": True}, 63_082_496 + 37000),
        ("encoder_layer", {"norm_weights": "none"}, 3_152_384 - 2048),
    ],
)
def test_parts_of_a_model(wanted, options, number):
    assert count("count_parameters", wanted, options, **BASE) == number


def test_two_vocabularies():
    assert count("count_parameters", "tables", {"tied": "output"}, **BASE, src_vocabulary=1000) == 38000 * 512
    assert count("count_parameters", "tables", {"tied": "none"}, **BASE, src_vocabulary=1000) == 75000 * 512


@pytest.mark.parametrize("heads", [1, 8])
def test_the_number_of_heads_does_not_matter_where_they_share_the_width(heads):
    assert count("count_parameters", "attention", {}, **BASE, heads=heads, kv_heads=heads) == 1_050_624
    assert count("count_parameters", "attention", {}, **BASE, heads=heads, d_k=512 // heads) == 1_050_624


def test_operations_are_the_products_of_the_matrices():
    given = {"tokens": 10, "d_model": 4, "d_ff": 16, "layers": 3}
    assert count("count_operations", "total", {}, **given) == 3 * (4 * 10 * 16 + 2 * 100 * 4 + 2 * 10 * 4 * 16)
    assert count("count_operations", "flops", {}, **given) == 2 * count("count_operations", "total", {}, **given)
    assert count("count_operations", "share", {}, **given) == Fraction(800, 640 + 800 + 1280)


@for_each("gated", [False, True])
@for_each(
    ("heads", "kv_heads", "d_k"),
    [(1, None, None), (4, None, None), (4, 2, None), (4, 1, None), (4, None, 3), (6, 2, 5)],
)
def test_operations_and_parameters_are_those_of_the_shapes_themselves(heads, kv_heads, d_k, gated):
    """Every matrix is written down with its shape, head by head; products and entries are counted from the shapes
    alone.
    """
    n, d_model, d_ff = 7, 12, 20
    width = d_k or d_model // heads
    keys = kv_heads or heads
    weights = [(d_model, width)] * heads + [(d_model, width)] * (2 * keys) + [(heads * width, d_model)]
    inner = [(d_model, d_ff)] * (2 if gated else 1) + [(d_ff, d_model)]
    products = sum(n * rows * columns for rows, columns in weights + inner) + sum(
        2 * n * width * n for _ in range(heads)
    )
    given = (
        {"d_model": d_model, "d_ff": d_ff, "heads": heads}
        | ({"kv_heads": kv_heads} if kv_heads else {})
        | ({"d_k": d_k} if d_k else {})
    )
    options = {"gated": "true"} if gated else {}
    assert count("count_operations", "layer", options, tokens=n, **given) == products
    kept = options | {"model": "encoder_layer", "attention_biases": "false", "biases": "false", "norm_weights": "none"}
    assert count("count_parameters", "encoder_layer", kept, **given) == sum(
        rows * columns for rows, columns in weights + inner
    )


@for_each("lesson", ["count_operations", "count_parameters"])
@for_each(("given", "fault"), [
    ({"heads": 5, "kv_heads": 2, "d_k": 4}, "kv_heads must divide heads; heads is 5 and kv_heads is 2"),
    ({"heads": 5, "kv_heads": 1}, "heads must divide d_model; d_model is 12 and heads is 5"),
    ({"kv_heads": 2}, "needs heads"),
])  # fmt: skip
def test_heads_that_do_not_come_out_even_are_refused(lesson, given, fault):
    with pytest.raises(AttncalcError, match=fault):
        load({"given": {"tokens": 3, "d_model": 12, "d_ff": 20, "layers": 1, "vocabulary": 9} | given, lesson: {}})


def test_bytes():
    cache = {"layers": 32, "heads": 32, "kv_heads": 8, "d_k": 128, "bytes": 2, "tokens": 8192}
    assert count("cache_memory", "per_token", {}, **cache) == 131_072
    # As printed, with the query heads
    assert count("cache_memory", "per_token", {"kv_heads": "heads"}, **cache) == 524_288
    assert count("cache_memory", "GiB", {}, **cache) == 1
    assert count("cache_memory", "GiB", {}, **cache, batch=3) == 3
    assert count("cache_memory", "GB", {}, **cache) == Fraction(2**30, 10**9)
    assert count("weight_memory", "GB", {}, parameters=7 * 10**9, bytes=2) == 14


def test_layers_compared():
    given = {"n": 81, "d": 16, "kernel": 3, "reach": 10}
    table = solve(load({"given": given, "compare_layers": {}}))["table"].fractions()
    assert table == [[81 * 81 * 16, 1, 1], [81 * 256, 81, 81], [3 * 81 * 256, 1, 4], [10 * 81 * 16, 1, 9]]
    assert count("compare_layers", "convolution_path", {"stacking": "contiguous"}, **given) == 27
    assert len(solve(load({"given": {"n": 2, "d": 3}, "compare_layers": {}}))["table"].fractions()) == 2
    with pytest.raises(AttncalcError, match="connects no two words"):
        count("compare_layers", "table", {}, n=8, d=2, kernel=1)


# -- symmetries --------------------------------------------------------------------------------------------------------


def test_the_order_of_the_tokens_is_not_seen():
    solution = solve(load("order-of-the-tokens"))
    assert {x for row in solution["man_bites_dog.difference"].decimals(60) for x in row} == {"0." + 60 * "0"}
    assert any(Decimal(x) for row in solution["with_a_mask.difference"].decimals(4) for x in row)


def test_a_constant_in_a_row_is_not_seen():
    solution = solve(load("a-constant-in-a-row-of-scores"))
    assert solution["A"].decimals(60) == solution["A_shifted"].decimals(60) == solution["A_by_hand"].decimals(60)
    assert solution["A"].decimals(4) != solution["A_louder"].decimals(4)


def test_a_larger_scale_sharpens():
    solution = solve(load("a-scale-that-sharpens"))
    scores, entropies = (
        [Decimal(solution[f"{part}.{name}"].decimals(9)[0][0]) for part in ("flat", "plain", "sharp")]
        for name in ("score", "entropy")
    )
    assert scores == sorted(scores) and entropies == sorted(entropies, reverse=True)
    (variance,), (nearly,) = (solution[f"derivative.{name}"].decimals(6)[0] for name in ("variance", "nearly"))
    assert variance == nearly


def test_the_misprint_of_the_lecture_notes_differs_once_the_step_is_not_the_width():
    solution = solve(load("learning-rate-warm-up"))
    right, printed = (solution[name].decimals(8)[0] for name in ("paper.lr", "misprint.lr"))
    assert right[:5] == printed[:5] and right[5:] != printed[5:] and printed[-1] == "0.00195313"


# -- marking -----------------------------------------------------------------------------------------------------------


@for_each(
    ("name", "wrong", "code"),
    [
        ("dV", "A @ dZ", "gradient-not-transposed"),
        ("dS_scaled", "A * (1 - A) * dA", "softmax-jacobian-diagonal"),
        ("dS", "dS_scaled", "gradient-scale-forgotten"),
        ("dK", "dS @ Q", "gradient-not-transposed"),
        ("dQ", "dS.T @ K", "scores-gradient-transposed"),
    ],
)
def test_check_names_the_usual_mistakes_of_gradients(name, wrong, code):
    problem = {"given": QKV, "attention_gradients": {}}
    solution = solve(load(problem | {"steps": {"mistaken": wrong}}))
    steps = [one.name for one in solve(load(problem)).parts[0].steps]
    written = {one: solution[one].decimals(3) for one in steps[: steps.index(name)]} | {
        name: solution["mistaken"].decimals(3)
    }
    report = check(load(problem), {"answers": written})
    assert report.first_wrong.step.name == name
    assert report.first_wrong.causes[0].code == code


def test_check_names_a_cache_of_the_query_heads():
    """The published 524,288 bytes a token of Llama 3 8B: its 32 query heads counted for its 8 key/value heads."""
    given = {"layers": 32, "heads": 32, "kv_heads": 8, "d_k": 128, "bytes": 2, "tokens": 1}
    report = check(load({"given": given, "cache_memory": {}}), {"answers": {"per_token": 524288}})
    assert report.first_wrong.causes[0].code == "kv-heads-as-query-heads"


# -- the table and the curve in the terminal ---------------------------------------------------------------------------


def drawn(width=80, unicode=True, colour=False, problem="learning-rate-warm-up", part="paper"):
    """What the terminal shows of a schedule, without and with its colours."""
    solution = solve(load(problem))
    file = io.TextIOWrapper(io.BytesIO(), "utf-8" if unicode else "ascii")
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    terminal.write(solution_document(solution, [p for p in solution.parts if p.name == part]), console)
    file.seek(0)
    return file.read()


@for_each("width", [40, 60, 80, 120], quick=3)
@for_each("unicode", [True, False])
def test_the_terminal_draws_the_curve_within_its_width(width, unicode):
    text = drawn(width, unicode)
    assert max(map(len, text.splitlines())) <= width
    *lines, axis = text.rstrip().splitlines()[-12:]  # nine rows, the floor, the labels, and what they count
    point, top = ("●", "┤") if unicode else ("*", "+")
    assert sum(line.count(point) for line in lines) >= 7, "points on one cell are one"
    assert lines[0].split(top)[0].strip() == "0.00069877" and lines[-2].split()[0] == "0"
    assert lines[-1].split()[0] == "1" and lines[-1].split()[-1] == "20000" and axis.strip() == "step"
    assert unicode or text.isascii()


def test_colours_change_nothing_of_what_is_drawn():
    plain, coloured = drawn(), drawn(colour=True)
    assert "\x1b[" in coloured and re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_every_number_of_the_table_and_the_curve_is_certified():
    solution = solve(load("learning-rate-warm-up"))
    columns = {
        name: [x for row in solution[f"paper.{name}"].decimals(8) for x in row] for name in ("decay", "rise", "lr")
    }
    rows = [line.split() for line in drawn().splitlines() if re.match(r"\s+\d+\s+0\.\d{8}\s|\s+1\s+1\.0{8}\s", line)]
    assert [row[0] for row in rows] == ["1", "500", "1000", "2000", "4000", "8000", "12000", "20000"]
    assert [row[1:4] for row in rows] == [list(row) for row in zip(*columns.values(), strict=True)]
    assert rows[0][4] == "1.747·10⁻⁷", "0.00000017 alone says little"
    rate = Decimal(1) / Decimal(512).sqrt() * Decimal(4000) ** Decimal("-1.5")
    assert f"{rate:.3e}" == "1.747e-7"


def test_a_schedule_of_many_steps_keeps_its_largest_rate_in_a_short_table():
    text = drawn(
        problem={"given": {"step": [list(range(1, 201))], "d_model": 64, "warmup": 37}, "learning_rate": {}}, part=None
    )
    rows = [line.split() for line in text.splitlines() if re.match(r"  \d+\s+\d\.\d{8}\s+\d\.\d{8}\s+\d\.\d{8}", line)]
    assert len(rows) <= 25 and {"1", "37", "200"} <= {row[0] for row in rows}


def test_two_steps_are_no_curve():
    text = drawn(problem={"given": {"step": [[1, 2]], "d_model": 64}, "learning_rate": {}}, part=None)
    assert "●" not in text and "step " not in text.split("lr =")[1]


def test_eight_decimals_where_no_rounding_is_stated():
    given = {"step": [[1, 4000]], "d_model": 512}
    lesson = {"given": given, "learning_rate": {}}
    assert solve(load(lesson))["lr"].decimals() == [["0.00000017", "0.00069877"]]
    assert solve(load(lesson | {"rounding": {"digits": 3}}))["lr"].decimals() == [["0.000", "0.001"]]
    assert solve(load({"given": given, "steps": {"x": "step / 3"}}))["x"].decimals() == [["0.3333", "1333.3333"]]


def test_a_step_is_a_whole_number_from_0_whatever_step_0_means():
    for step_0 in ("none", "as_1", "plus_1"):
        for step, said in ((-1, "-1"), (0.5, "0.5"), ("1/3", "1/3")):
            with pytest.raises(
                AttncalcError, match=re.escape(f"step: expected a whole number of at least 0, found {said} in column 2")
            ):
                rate(step_0, 1, step)
    assert rate("as_1", 0) == rate("none", 1) and rate("plus_1", 0) == rate("none", 1)


# -- what is said of problems, and what cannot be asked for together ---------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_counts_may_be_large_and_a_lessons_own_mask_is_no_question():
    from attncalc.explain.quality_notices import notices
    from attncalc.generator.lint import lint

    for name in ("cost-of-a-layer", "cache-memory", "sparse-attention", "beam-search"):
        assert "large" not in {finding.demand for finding in lint(load(name)).findings}, name
    plain = {"given": {"S": [[120, 0], [0, 1]]}, "steps": {"A": "softmax(S * 2)"}, "asked": ["A"]}
    scores = plain | {"steps": {"S_2": "S * 2", "A": "softmax(S_2)"}, "asked": ["S_2", "A"]}
    assert "large" in {finding.demand for finding in lint(load(scores)).findings}
    beam = solve(load("beam-search"))
    assert "constant-step" not in {notice.code for notice in notices(beam)}
    mixed = solve(load({"given": {"S": [[1, 2]]}, "steps": {"A": "softmax(S)", "B": "identity(2)"}}))
    assert [notice.step for notice in notices(mixed) if notice.code == "constant-step"] == ["B"]


def test_a_mask_of_the_lessons_own_is_no_convention():
    problem = {"given": LONG, "sparse_attention": {"window": 1}}
    assert "mask" not in {said.option for said in load(problem).parts[0].plan.conventions}
    assert "mask_at" in {said.option for said in load(problem).parts[0].plan.conventions}


def test_paper_has_no_closed_forms():
    result = CliRunner().invoke(cli, ["solve", "linformer", "--exact", "--paper"])
    assert isinstance(result.exception, AttncalcError) and "cannot be combined" in str(result.exception)
