"""Options that stand for one peer's way, held against that peer's own formula, written in NumPy as its source writes
it.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from attncalc import load, solve
from attncalc.lessons import LESSONS
from tests.oracles import test_onnx
from tests.support import torch_cases

DOC = Path(__file__).parents[2] / "docs" / "oracles.md"
DEFINITIONS = json.loads((Path(__file__).parents[1] / "oracles" / "definitions.json").read_text(encoding="utf-8"))[
    "cases"
]

DRAW = np.random.default_rng(1)


def draw(*shape):
    return DRAW.integers(-8, 9, shape) / 4


def exactly(problem, step, expected):
    np.testing.assert_allclose(solve(load(problem))[step].numpy(), expected, rtol=1e-12, atol=1e-15)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_annotated_transformer_layer_norm():
    x, a_2, b_2, eps = draw(3, 5), draw(5), draw(5), 1e-6
    mean, std = x.mean(-1, keepdims=True), x.std(-1, ddof=1, keepdims=True)
    problem = {"given": {"X": x, "gamma": a_2, "beta": b_2}, "layer_norm": {"eps": eps, "eps_in": "std", "ddof": 1}}
    exactly(problem, "Y", a_2 * (x - mean) / (std + eps) + b_2)


def test_annotated_transformer_positions():
    x, d_model, length = draw(4, 6), 6, 4
    pe = np.zeros((length, d_model))
    position = np.arange(length)[:, None]
    div_term = np.exp(np.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe[:, 0::2], pe[:, 1::2] = np.sin(position * div_term), np.cos(position * div_term)
    exactly(
        {"given": {"X": x}, "positional_encoding": {"embed_scale": "sqrt(cols(X))"}},
        "X_pe",
        x * math.sqrt(d_model) + pe,
    )


@pytest.mark.parametrize("start", [0, 1])
def test_tensor2tensor_positions(start):
    x, length, channels = draw(4, 6), 4, 6
    num_timescales = channels // 2
    log_timescale_increment = math.log(1.0e4 / 1.0) / max(num_timescales - 1, 1)
    inv_timescales = 1.0 * np.exp(np.arange(num_timescales) * -log_timescale_increment)
    scaled_time = (np.arange(length) + start)[:, None] * inv_timescales[None]
    signal = np.concatenate([np.sin(scaled_time), np.cos(scaled_time)], axis=1)
    options = {"start": start, "exponent": "i/(d/2-1)", "layout": "concatenated"}
    exactly({"given": {"X": x}, "positional_encoding": options}, "X_pe", x + signal)


def test_annotated_transformer_learning_rate():
    def rate(step, model_size, factor, warmup):
        if step == 0:
            step = 1
        return factor * (model_size ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5)))

    steps = [0, 1, 2, 400, 401, 9000]
    problem = {
        "given": {"step": steps, "d_model": 512, "warmup": 400, "factor": 2},
        "learning_rate": {"step_0": "as_1"},
    }
    exactly(problem, "lr", [[rate(step, 512, 2, 400) for step in steps]])


def test_tensor2tensor_learning_rate():
    step, hidden_size, warmup_steps = np.array([0.0, 1, 2, 399, 400, 9000]), 256, 400
    expected = 5000.0 * hidden_size**-0.5 * np.minimum((step + 1) * warmup_steps**-1.5, (step + 1) ** -0.5)
    given = {"step": step, "d_model": hidden_size, "warmup": warmup_steps, "factor": 5000}
    exactly({"given": given, "learning_rate": {"step_0": "plus_1"}}, "lr", expected[None])


def test_annotated_transformer_mask():
    """Masked scores become −1e9, so a query that may look at nothing weighs all keys alike."""
    Q, K, V = draw(3, 4), draw(5, 4), draw(5, 2)
    mask = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 1, 0, 1]])
    weights = softmax(np.where(mask == 0, -1e9, Q @ K.T / math.sqrt(4)))
    problem = {"given": {"Q": Q, "K": K, "V": V, "M": mask}}
    exactly(problem | {"attention": {"mask": "M", "fill": -1e9}}, "Z", weights @ V)
    exactly(problem | {"attention": {"mask": "M", "empty_row": "uniform"}}, "Z", weights @ V)


@pytest.mark.parametrize(("n", "m"), [(2, 5), (5, 3)])
def test_flash_attention_causal_mask(n, m):
    """Aligned at the bottom right; a query before the first key gives zeros."""
    Q, K, V = draw(n, 4), draw(m, 4), draw(m, 2)
    keep = np.arange(m)[None] <= np.arange(n)[:, None] + m - n
    weights = np.where(keep, softmax(np.where(keep, Q @ K.T / 2, -1e30)), 0)
    lesson = {"mask": f"causal(offset={m - n})", "empty_row": "zeros"}
    exactly({"given": {"Q": Q, "K": K, "V": V}, "attention": lesson}, "Z", weights @ V)


@pytest.mark.parametrize("heads", [4, 6])
def test_alibi_slopes(heads):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    def get_slopes(n):
        if math.log2(n).is_integer():
            return get_slopes_power_of_2(n)
        closest_power_of_2 = 2 ** math.floor(math.log2(n))
        more = get_slopes(2 * closest_power_of_2)[0::2][: n - closest_power_of_2]
        return get_slopes_power_of_2(closest_power_of_2) + more

    x = draw(3, 2 * heads)
    problem = {
        "given": {"Q": x, "K": x, "V": x},
        "multi_head_attention": {"heads": heads, "bias": "alibi", "mask": "causal"},
    }
    for i, slope in enumerate(get_slopes(heads), start=1):
        own = x[:, 2 * i - 2 : 2 * i]
        scores = own @ own.T / math.sqrt(2) + slope * np.arange(3)  # equal up to a constant of each row
        exactly(problem, f"A_{i}", softmax(np.where(np.tri(3) > 0, scores, -1e30)))


def rotate_half(x):
    return np.concatenate([-x[:, x.shape[1] // 2 :], x[:, : x.shape[1] // 2]], axis=1)


def rotate_every_two(x):
    return np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape)


@pytest.mark.parametrize(("layout", "rotate", "spread"), [
    ("halves", rotate_half, lambda angles: np.concatenate([angles, angles], axis=1)),
    ("interleaved", rotate_every_two, lambda angles: np.repeat(angles, 2, axis=1)),
])  # fmt: skip
def test_rotary_of_llama_and_gpt_j(layout, rotate, spread):
    x = draw(4, 6)
    angles = spread(np.arange(4)[:, None] / 10000 ** (np.arange(0, 6, 2) / 6))
    exactly({"given": {"X": x}, "rotary": {"layout": layout}}, "X_rot", x * np.cos(angles) + rotate(x) * np.sin(angles))


def test_llama_feed_forward():
    x, w1, w2, w3 = draw(3, 4), draw(6, 4), draw(4, 6), draw(6, 4)  # as nn.Linear stores them
    silu = x @ w1.T / (1 + np.exp(-(x @ w1.T)))
    lesson = {"W_gate": "w1.T", "W_1": "w3.T", "W_2": "w2.T", "activation": "silu"}
    exactly({"given": {"X": x, "w1": w1, "w2": w2, "w3": w3}, "feed_forward": lesson}, "Y", (silu * (x @ w3.T)) @ w2.T)


def test_annotated_transformer_label_smoothing():
    """The target keeps 1 − ε, the other words but the padding share ε, and a row of padding counts nothing."""
    logits, target, size, padding_idx, smoothing = draw(4, 6), np.array([2, 0, 5, 1]), 6, 0, 0.4
    true_dist = np.full(logits.shape, smoothing / (size - 2))
    true_dist[np.arange(4), target] = 1 - smoothing
    true_dist[:, padding_idx] = 0
    true_dist[target == padding_idx] = 0
    options = {"smoothing": smoothing, "smooth_over": "words", "ignore": padding_idx}
    problem = {"given": {"logits": logits, "targets": target}, "cross_entropy": options}
    exactly(problem, "P_true", true_dist)
    losses = -(true_dist * np.log(softmax(logits))).sum(-1)
    exactly(problem, "loss", losses.sum().reshape(1, 1) / (target != padding_idx).sum())


def test_transformers_top_p():
    logits, top_p = np.array([[2.0, 1.0, 0.5, 0.1, -3.0]]), 0.8
    order = np.argsort(logits[0])
    remove = order[np.cumsum(softmax(logits)[0][order]) <= 1 - top_p]
    kept = logits.copy()
    kept[0, remove] = -np.inf
    exactly({"given": {"logits": logits}, "next_word": {"top_p": top_p}}, "P_kept", softmax(kept))


def test_transformers_temperature_and_top_k():
    logits, temperature, top_k = np.array([[2.0, 1.0, 0.5, 0.1, -3.0]]), 0.7, 2
    scores = logits / temperature
    kept = np.where(scores < np.sort(scores)[:, -top_k], -np.inf, scores)
    exactly(
        {"given": {"logits": logits}, "next_word": {"temperature": temperature, "top_k": top_k}}, "P", softmax(kept)
    )


TABLES = re.findall(r"^\| option \|.*\n\|.*\n((?:\|.*\n)+)", DOC.read_text(encoding="utf-8"), re.M)
ROWS = [line.split(" | ") for rows in TABLES for line in rows.splitlines()]


def test_the_table_names_options_and_tests_that_exist():
    known = {one.name for lesson in LESSONS.values() for one in (*lesson.inputs, *lesson.options)}
    tests = (
        {entry["name"] for entry in torch_cases.INDEX} | set(test_onnx.CASES) | set(vars(test_onnx)) | set(globals())
    )
    tests |= {case["name"] for case in DEFINITIONS}
    assert len(ROWS) >= 60
    for option, _, shown in ROWS:
        named = {text.partition(":")[0] for text in re.findall(r"`([^`]+)`", option) if re.match(r"\w+:", text)}
        assert {re.sub(r"_\d+$", "", name) for name in named - known} <= known, option
        assert set(re.findall(r"`([^`]+)`", shown)) <= tests, shown
        assert "`" in shown
