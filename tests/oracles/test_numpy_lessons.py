"""Lessons of what came after the first Transformer, against NumPy written separately (numpy_lessons.py)."""

from __future__ import annotations

import numpy as np
import pytest

from attncalc import load, solve
from tests.support import numpy_lessons as oracle
from tests.support.sweeps import for_each

DRAW = np.random.default_rng(17)


def draw(n, m, low=-2, high=2):
    return DRAW.integers(low, high, size=(n, m), endpoint=True).tolist()


def held(lesson, given, options, expected, more=None):
    """Solves the lesson and compares its steps with what NumPy has for them."""
    solution = solve(load({"given": given, lesson: options} | (more or {})))
    for step, numbers in expected.items():
        np.testing.assert_allclose(
            solution[step].numpy(), np.atleast_2d(numbers), 1e-10, 1e-12, err_msg=f"{lesson}: {step}"
        )


def arrays(given):
    return {name: np.array(value, float) for name, value in given.items()}


# -- heads with rotary positions, RMSNorm, caches ----------------------------------------------------------------------

SHARED = {"X": draw(3, 4), "W_Q": draw(4, 8), "W_K": draw(4, 4), "W_V": draw(4, 4), "W_O": draw(8, 4)}
LLAMA = SHARED | {
    "W_gate": draw(4, 5),
    "W_1": draw(4, 5),
    "W_2": draw(5, 4),
    "gamma_1": [[1, 2, 1, 3]],
    "gamma_2": [[2, 1, 1, 1]],
}
ROTARY = [
    ({}, {}),
    ({"rotary_base": 100, "rotary_start": 2}, {"base": 100, "start": 2}),
    ({"rotary_layout": "halves"}, {"halves": True}),
]


@for_each(("options", "rotary"), ROTARY, quick=2)
@for_each(
    ("lesson", "written"),
    [
        ("llama_layer", {}),
        ("encoder_layer", {"norm": "rms", "positions": "rotary", "mask": "causal", "activation": "silu"}),
    ],
)
def test_a_llama_layer(lesson, written, options, rotary):
    held(
        lesson,
        LLAMA,
        {"heads": 4, "kv_heads": 2} | written | options,
        oracle.llama_layer(arrays(LLAMA), 4, 2, **rotary),
    )


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("options", "rotary"), ROTARY)
def test_heads_turned_by_their_places(options, rotary):
    expected = oracle.decoded(arrays(SHARED), 4, 2, **rotary)
    held(
        "multi_head_attention",
        SHARED,
        {"heads": 4, "kv_heads": 2, "mask": "causal", "positions": "rotary"} | options,
        expected,
    )


@for_each("prompt", [1, 2], quick=0)
@for_each("layout", ["interleaved", "halves"])
def test_a_cache_gives_what_causal_attention_gives(prompt, layout):
    options = {
        "heads": 4,
        "kv_heads": 2,
        "positions": "rotary",
        "rotary_layout": layout,
        "prompt": prompt,
        "compare": "true",
    }
    solution = solve(load({"given": SHARED, "prefill_and_decode": options}))
    np.testing.assert_allclose(
        solution["Z"].numpy(), oracle.decoded(arrays(SHARED), 4, 2, halves=layout == "halves")["Z"], 1e-10
    )
    assert solution["difference"].numpy().any() == 0
    assert solution["cached"].numpy().tolist() == [[8 * t for t in range(prompt, 4)]]


def test_column_vectors_decode_to_the_transposed_result():
    options = {"heads": 4, "kv_heads": 2, "positions": "rotary", "prompt": 2}
    turned = {name: np.array(value).T.tolist() for name, value in SHARED.items()}
    one = solve(load({"given": SHARED, "prefill_and_decode": options}))["Z"].numpy()
    other = solve(load({"given": turned, "prefill_and_decode": options, "vectors": "columns"}))["Z"].numpy()
    np.testing.assert_allclose(one, other.T, 1e-12)


# -- attention before the Transformer, and in tiles --------------------------------------------------------------------

STATES = {"s": draw(3, 4), "h": draw(4, 4)}


def test_additive_attention():
    given = STATES | {"W_s": draw(4, 3), "W_h": draw(4, 3), "v": draw(1, 3), "b": draw(1, 3)}
    held("additive_attention", given, {}, oracle.additive(arrays(given)))
    one = given | {"s": given["s"][:1]}
    held("additive_attention", one, {}, oracle.additive(arrays(one)))
    held("additive_attention", one | {"v": [[x] for x in one["v"][0]]}, {}, oracle.additive(arrays(one)))


@pytest.mark.parametrize("weights", [True, False])
def test_multiplicative_attention(weights):
    given = STATES | {"W_c": draw(8, 3), "W_a": draw(4, 4)}
    held(
        "multiplicative_attention",
        given,
        {} if weights else {"score": "dot"},
        oracle.multiplicative(arrays(given), weights),
    )


@for_each("tile", [1, 2, 3, 5])
@for_each("causal", [True, False])
def test_a_softmax_in_tiles_is_the_plain_one(tile, causal):
    given = {"Q": draw(5, 3), "K": draw(5, 3), "V": draw(5, 2)}
    g = arrays(given)
    solution = solve(
        load({"given": given, "flash_attention": {"tile": tile, "causal": str(causal).lower(), "compare": "true"}})
    )
    expected = oracle.attend(g["Q"], g["K"], g["V"], np.tri(5, dtype=bool) if causal else None)
    np.testing.assert_allclose(solution["Z"].numpy(), expected, 1e-10)
    assert {text for row in solution["difference"].decimals(30) for text in row} == {"0." + "0" * 30}


# -- adapters, experts, shortcuts, updates -----------------------------------------------------------------------------


def test_lora():
    given = {"X": draw(3, 4), "W": draw(4, 5), "A": draw(4, 2), "B": draw(2, 5), "alpha": 3}
    held("lora", given, {"compare": "true"}, oracle.lora(arrays(given)) | {"difference": np.zeros((3, 5))})
    turned = {name: np.array(value).T.tolist() for name, value in given.items()}
    held("lora", turned, {}, {"Y": oracle.lora(arrays(given))["Y"].T}, {"vectors": "columns"})


@for_each("k", [1, 2, 4])
@for_each("gates", ["kept", "plain"])
def test_a_mixture_of_experts(k, gates):
    given = {"X": draw(3, 3), "W_g": draw(3, 4)} | {f"W_{n}_{e}": draw(3, 3) for e in (1, 2, 3, 4) for n in (1, 2)}
    given["W_g"] = (np.array(given["W_g"]) + np.arange(12).reshape(3, 4) / 10).tolist()  # no ties
    held("mixture_of_experts", given, {"k": k, "gating": gates}, oracle.experts(arrays(given), k, gates == "kept"))


def test_accepted_drafts_and_what_follows_refusals_are_distributed_as_p():
    given = {
        "p": [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6], [0.25, 0.5, 0.25]],
        "q": [[0.3, 0.6, 0.1], [0.2, 0.2, 0.6], [0.25, 0.5, 0.25]],
    }
    given |= {"ids": [1, 0, 2], "u": [0.4, 0.6, 0.99]}
    held("speculative_decoding", given, {}, oracle.speculative(arrays(given)))


@for_each(("axis", "number"), [("all", None), ("rows", 1), ("columns", 0)])
@for_each("zero", ["symmetric", "affine"])
@for_each("bits", [4, 8])
def test_whole_numbers_for_weights(axis, number, zero, bits):
    X = [[0.31, -1.27, 0.72], [1.13, 0.24, -0.95]]
    expected = oracle.quantised(np.array(X), bits, number, zero == "affine")
    held("quantization", {"X": X}, {"axis": axis, "zero": zero, "bits": bits}, expected)


@pytest.mark.parametrize(
    "options", [{}, {"decay": "l2", "lr": 0.1}, {"decay": "decoupled", "weight_decay": 0.1, "beta_1": 0.5, "first": 3}]
)
def test_updates_by_adam(options):
    gradients = [draw(2, 3, 1, 4) for _ in range(3)]
    given = {"theta": draw(2, 3)} | {f"g_{t}": g for t, g in enumerate(gradients, 1)}
    held(
        "adam",
        given,
        options,
        {"theta_3": oracle.adam(np.array(given["theta"], float), [np.array(g, float) for g in gradients], **options)},
    )


def test_a_dropout_mask_and_its_scale():
    X, M = draw(3, 4), draw(3, 4, 0, 1)
    held("dropout", {"X": X, "M": M}, {"rate": 0.2}, {"Y": np.array(X) * M / 0.8})
    held("dropout", {"X": X, "M": M}, {"rate": 0.2, "scaled": "test"}, {"test": np.array(X) * 0.8})


@pytest.mark.parametrize("channels", [1, 3])
def test_patches_of_an_image(channels):
    images = np.array([draw(4, 6) for _ in range(channels)])
    given = (
        {"image": images[0].tolist()}
        if channels == 1
        else {f"image_{k}": image.tolist() for k, image in enumerate(images, 1)}
    )
    given |= {"W_E": draw(4 * channels, 3), "cls": draw(1, 3), "PE": draw(7, 3)}
    cut = oracle.patches(images, 2)
    expected = np.vstack([given["cls"], cut @ given["W_E"]]) + given["PE"]
    held("patch_embedding", given, {}, {"patches": cut, "X_pe": expected})


# -- relative positions, latent vectors, states ------------------------------------------------------------------------


@pytest.mark.parametrize("queries", [1, 4])
def test_vectors_for_distances(queries):
    given = {"Q": draw(queries, 3), "K": draw(4, 3), "V": draw(4, 2), "P_K": draw(5, 3), "P_V": draw(5, 2)}
    held("relative_attention", given, {}, oracle.shaw(arrays(given)))


@for_each(
    ("count", "furthest", "sides", "tokens"),
    [(4, 8, "both", 5), (8, 16, "both", 20), (8, 20, "one", 24), (4, 16, "one", 1)],
)
def test_buckets_for_distances(count, furthest, sides, tokens):
    given = {"Q": draw(tokens, 2, 0, 1), "K": draw(tokens + 1, 2, 0, 1), "V": draw(tokens + 1, 1), "b": draw(1, count)}
    g, buckets = arrays(given), oracle.t5_buckets(tokens, tokens + 1, count, furthest, sides == "both")
    expected = {"buckets": buckets, "Z": oracle.softmax(g["Q"] @ g["K"].T + g["b"][0][buckets]) @ g["V"]}
    held("t5_attention", given, {"furthest": furthest, "sides": sides}, expected)


def test_buckets_are_those_of_the_published_program_as_far_as_1000_tokens():
    from attncalc.lessons.relative_positions import bucket

    for both in (True, False):
        expected = oracle.t5_buckets(1, 1000, 32, 128, both)[0]
        assert [bucket(j, 32, 128, both) for j in range(1000)] == expected.tolist()
        expected = oracle.t5_buckets(1000, 1, 32, 128, both)[:, 0]
        assert [bucket(-i, 32, 128, both) for i in range(1000)] == expected.tolist()


@for_each("scaling", ["linear", "ntk", "yarn"])
@for_each("width", [4, 8])
def test_rotary_positions_for_longer_texts(scaling, width):
    given, more = {"X": draw(5, width)}, {"factor": 4, "base": 100, "trained": 64, "slow": 1, "fast": 4}
    expected = oracle.turned(arrays(given)["X"], speeds=oracle.speeds(width, scaling, **more))
    grown = 0.1 * np.log(4) + 1 if scaling == "yarn" else 1
    options = more if scaling == "yarn" else {"factor": 4, "base": 100}
    held("rotary", given, {"scaling": scaling} | options, {"X_rot": grown * expected})


@pytest.mark.parametrize("absorbed", ["true", "false"])
def test_latent_attention(absorbed):
    given = {
        "X": draw(3, 4),
        "W_DKV": draw(4, 2),
        "W_DQ": draw(4, 3),
        "W_UK": draw(2, 6),
        "W_UV": draw(2, 4),
        "W_Q": draw(3, 6),
    }
    given |= {"W_QR": draw(3, 4), "W_KR": draw(4, 2), "W_O": draw(4, 4)}
    expected = oracle.latent(arrays(given), 2) | {"cached": 4, "cached_full": 10}
    held("latent_attention", given, {"heads": 2, "mask": "causal", "absorbed": absorbed}, expected)


STATE = {"Q": draw(4, 2), "K": draw(4, 2), "V": draw(4, 3)}


@for_each(("lesson", "given", "worked"), [
    ("retention", STATE | {"gamma": 0.75}, oracle.retention),
    ("delta_rule", STATE | {"beta": [[0.5, 1, 0.25, 0.75]]}, oracle.delta_rule),
    ("delta_rule", STATE | {"beta": [[0.5], [1], [0.25], [0.75]]}, oracle.delta_rule),
    ("selective_state_space", {"X": draw(4, 2), "A": draw(2, 3, -2, -1), "B": draw(4, 3), "C": draw(4, 3),
     "delta": draw(4, 2, 1, 2)}, oracle.mamba),
    ("selective_state_space", {"X": draw(3, 2), "A": draw(2, 2, -2, -1), "W_B": draw(2, 2), "W_C": draw(2, 2),
                               "W_delta": draw(2, 2),
                               "b_delta": draw(1, 2), "D": draw(1, 2)}, oracle.mamba),
    ("selective_state_space", {"X": draw(3, 1), "A": [[-1]], "B": draw(3, 1), "C": draw(3, 1),
     "delta": draw(3, 1, 1, 2)}, oracle.mamba),
], quick=2)  # fmt: skip
def test_a_recurrence_and_its_parallel_form(lesson, given, worked):
    held(lesson, given, {}, worked(arrays(given)))
    difference = solve(load({"given": given, lesson: {}}))["difference"].decimals(20)
    assert {text for row in difference for text in row} == {"0." + "0" * 20}


def test_one_token_needs_no_memory():
    held(
        "retention",
        {"Q": [[1, 2]], "K": [[3, 1]], "V": [[2, 5]], "gamma": "1/2"},
        {},
        {"Z": [[10, 25]], "difference": [[0, 0]]},
    )
    held(
        "delta_rule",
        {"Q": [[1, 2]], "K": [[3, 1]], "V": [[2, 5]], "beta": "1/2"},
        {},
        {"Z": [[5, 12.5]], "difference": [[0, 0]]},
    )
