"""Lessons of what came after the first Transformer, against NumPy written separately (numpy_lessons.py)."""

from __future__ import annotations

import numpy as np
import numpy_lessons as oracle
import pytest

from attncalc import load, solve

DRAW = np.random.default_rng(17)


def draw(n, m, low=-2, high=2):
    return DRAW.integers(low, high, size=(n, m), endpoint=True).tolist()


def held(lesson, given, options, expected, more=None):
    """Solves the lesson and compares its steps with what NumPy has for them."""
    solution = solve(load({"given": given, lesson: options} | (more or {})))
    for step, numbers in expected.items():
        np.testing.assert_allclose(solution[step].numpy(), np.atleast_2d(numbers), 1e-10, 1e-12, err_msg=f"{lesson}: {step}")


def arrays(given):
    return {name: np.array(value, float) for name, value in given.items()}


# -- heads with rotary positions, RMSNorm, caches ----------------------------------------------------------------------------

SHARED = {"X": draw(3, 4), "W_Q": draw(4, 8), "W_K": draw(4, 4), "W_V": draw(4, 4), "W_O": draw(8, 4)}
LLAMA = SHARED | {"W_gate": draw(4, 5), "W_1": draw(4, 5), "W_2": draw(5, 4), "gamma_1": [[1, 2, 1, 3]], "gamma_2": [[2, 1, 1, 1]]}
ROTARY = [
    ({}, {}),
    ({"rotary_base": 100, "rotary_start": 2}, {"base": 100, "start": 2}),
    ({"rotary_layout": "halves"}, {"halves": True}),
]


@pytest.mark.parametrize(("options", "rotary"), ROTARY)
@pytest.mark.parametrize(("lesson", "written"), [("llama_layer", {}), ("encoder_layer", {"norm": "rms", "positions": "rotary", "mask": "causal", "activation": "silu"})])
def test_a_llama_layer(lesson, written, options, rotary):
    held(lesson, LLAMA, {"heads": 4, "kv_heads": 2} | written | options, oracle.llama_layer(arrays(LLAMA), 4, 2, **rotary))


@pytest.mark.parametrize(("options", "rotary"), ROTARY)
def test_heads_turned_by_their_places(options, rotary):
    expected = oracle.decoded(arrays(SHARED), 4, 2, **rotary)
    held("multi_head_attention", SHARED, {"heads": 4, "kv_heads": 2, "mask": "causal", "positions": "rotary"} | options, expected)


@pytest.mark.parametrize("prompt", [1, 2])
@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_cache_gives_what_causal_attention_gives(prompt, layout):
    options = {"heads": 4, "kv_heads": 2, "positions": "rotary", "rotary_layout": layout, "prompt": prompt, "compare": "true"}
    solution = solve(load({"given": SHARED, "prefill_and_decode": options}))
    np.testing.assert_allclose(solution["Z"].numpy(), oracle.decoded(arrays(SHARED), 4, 2, halves=layout == "halves")["Z"], 1e-10)
    assert solution["difference"].numpy().any() == 0
    assert solution["cached"].numpy().tolist() == [[8 * t for t in range(prompt, 4)]]


def test_column_vectors_decode_to_the_transposed_result():
    options = {"heads": 4, "kv_heads": 2, "positions": "rotary", "prompt": 2}
    turned = {name: np.array(value).T.tolist() for name, value in SHARED.items()}
    one = solve(load({"given": SHARED, "prefill_and_decode": options}))["Z"].numpy()
    other = solve(load({"given": turned, "prefill_and_decode": options, "vectors": "columns"}))["Z"].numpy()
    np.testing.assert_allclose(one, other.T, 1e-12)
