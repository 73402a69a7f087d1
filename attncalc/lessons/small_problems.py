"""A small problem for each lesson: givens and arguments, which tests combine with each option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import LESSONS

TOKENS = [[1, 0, 2, -1], [0, 1, 1, 2], [2, 1, 0, 1]]
SQUARE = [[1, 0, 2, 1], [0, 1, -1, 0], [1, 1, 0, 2], [-1, 0, 1, 1]]
WEIGHTS = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), SQUARE)
CROSS = {f"cross_{name}": SQUARE for name in ("W_Q", "W_K", "W_V")}
QKV = {"Q": TOKENS, "K": [[1, 1, 0, 0], [0, 1, 2, 1], [1, 0, 1, 1]], "V": [[0, 2], [1, 1], [2, 0]]}
FFN = {"W_1": SQUARE, "W_2": SQUARE, "b_1": [1, 0, -1, 0]}
DECODER = {"X": TOKENS, "M": TOKENS[:2]} | WEIGHTS | CROSS | FFN
THIN = {"W_1": [[1, 0], [0, 1], [1, -1], [2, 1]], "W_2": [[1, 0, 1, -1], [0, 1, 1, 2]]}
WORDS = {"E": [*TOKENS, [0, 0, 1, 1]], "src": [0, 2], "W_out": SQUARE} | WEIGHTS | CROSS | THIN
LOGITS = {"logits": [[1, 0, 2, -1], [0, 1, 1, 3]], "targets": [2, 1]}
GRADIENT = [[1, 0, 2, -1], [0, 1, -1, 0], [1, -1, 1, 0]]
STATES = {"s": TOKENS[:2], "h": TOKENS}
EXPERTS = {"X": TOKENS, "W_g": [[1, 0, -1], [0, 1, 1], [1, 1, 0], [2, -1, 1]]} | {
    f"{name}_{i}": value for i in (1, 2, 3) for name, value in THIN.items()
}
LATENT = {
    "X": TOKENS,
    "W_DKV": [row[:2] for row in SQUARE],
    "W_UK": SQUARE[:2],
    "W_UV": SQUARE[2:],
    "W_Q": SQUARE,
    "W_QR": SQUARE,
} | {"W_KR": [row[1:3] for row in SQUARE], "W_O": SQUARE}
MODEL = {"d_model": 8, "d_ff": 16, "layers": 2, "vocabulary": 10, "heads": 4}

# the givens and the arguments of each lesson
CASES: dict[str, tuple[Mapping[str, object], dict[str, str]]] = {
    "attention": (QKV, {}),
    "self_attention": ({"X": TOKENS} | WEIGHTS, {}),
    "cross_attention": ({"X": TOKENS, "M": TOKENS[:2]} | WEIGHTS, {"memory": "M"}),
    "cached_attention": ({"X": [TOKENS[0]], "K_cache": TOKENS, "V_cache": TOKENS} | WEIGHTS, {}),
    "multi_head_attention": ({"X": TOKENS} | WEIGHTS, {"heads": "2"}),
    "cached_multi_head_attention": ({"X": [TOKENS[0]], "K_cache": TOKENS, "V_cache": TOKENS} | WEIGHTS, {"heads": "2"}),
    "prefill_and_decode": ({"X": TOKENS} | WEIGHTS, {"heads": "2"}),
    "embedding": ({"E": TOKENS, "ids": [0, 2]}, {}),
    "positional_encoding": ({"X": TOKENS}, {}),
    "rotary": ({"X": TOKENS}, {}),
    "layer_norm": ({"X": TOKENS, "gamma": [1, 2, 1, 2], "beta": [0, 1, 0, 1]}, {}),
    "rms_norm": ({"X": TOKENS, "gamma": [1, 2, 1, 2]}, {}),
    "add_norm": ({"X": TOKENS, "F": GRADIENT}, {"sublayer": "F"}),
    "feed_forward": ({"X": TOKENS} | FFN, {}),
    "encoder_layer": ({"X": TOKENS} | WEIGHTS | FFN, {}),
    "llama_layer": ({"X": TOKENS, "W_gate": SQUARE} | WEIGHTS | FFN, {}),
    "encoder": ({"X": TOKENS} | WEIGHTS | FFN, {}),
    "decoder_layer": (DECODER, {"memory": "M"}),
    "decoder": (DECODER, {"memory": "M"}),
    "transformer": (WORDS | {"tgt": [1, 3]}, {}),
    "greedy_decode": (WORDS, {"start_token": "1", "most": "1"}),
    "beam_search": (
        {"P": [["1/2", "1/4", "1/4"], ["1/8", "3/4", "1/8"], ["1/3", "1/3", "1/3"]]},
        {"width": "2", "start_token": "0", "most": "2"},
    ),
    "next_word": ({"X": TOKENS, "W_out": SQUARE}, {}),
    "cross_entropy": (LOGITS, {}),
    "learning_rate": ({"step": [1, 4, 9], "d_model": 16, "warmup": 4}, {}),
    "softmax_jacobian": ({"scores": [1, 2, 0], "dp": [1, 0, -1]}, {}),
    "attention_gradients": (QKV | {"dZ": [[1, 0], [0, 1], [1, -1]]}, {}),
    "self_attention_gradients": ({"X": TOKENS, "dZ": GRADIENT} | WEIGHTS, {}),
    "cross_attention_gradients": ({"X": TOKENS, "M": TOKENS[:2], "dZ": GRADIENT} | WEIGHTS, {"memory": "M"}),
    "multi_head_attention_gradients": ({"X": TOKENS, "dZ": GRADIENT} | WEIGHTS, {"heads": "2"}),
    "cross_entropy_gradients": (LOGITS, {}),
    "layer_norm_gradients": ({"X": TOKENS, "dY": GRADIENT}, {}),
    "rms_norm_gradients": ({"X": TOKENS, "dY": GRADIENT, "gamma": [1, 2, 1, 2]}, {}),
    "encoder_layer_gradients": ({"X": TOKENS, "dY": GRADIENT} | WEIGHTS | FFN, {}),
    "feed_forward_gradients": ({"X": TOKENS, "dY": GRADIENT} | FFN, {}),
    "sparse_attention": (QKV, {"window": "1"}),
    "linformer": (QKV | {"E": [[1, 0, 1], [0, 1, 1]]}, {}),
    "linear_attention": (QKV, {}),
    "count_parameters": (MODEL, {}),
    "count_operations": ({"tokens": 6} | MODEL, {}),
    "weight_memory": ({"parameters": 1000, "bytes": 2}, {}),
    "cache_memory": ({"layers": 2, "heads": 4, "d_k": 8, "tokens": 6, "bytes": 2}, {}),
    "training_operations": (
        {"parameters": 1000, "tokens": 20000, "speed": 1000, "devices": 2, "utilization": "1/2"},
        {},
    ),
    "training_memory": ({"parameters": 1000, "layers": 2, "tokens": 8, "d_model": 16, "heads": 2, "batch": 4}, {}),
    "byte_pair_merges": ({}, {"words": "low low lower newest"}),
    "bleu": ({}, {"candidate": "the cat the cat sat", "reference": "the cat sat down | a cat sat there"}),
    "ngram_perplexity": ({}, {"text": "the cat sat | the dog sat | a cat ran", "sentence": "the cat sat"}),
    "flash_attention": (QKV, {}),
    "additive_attention": (STATES | {"W_s": SQUARE, "W_h": [row[:4] for row in SQUARE], "v": [1, -1, 1, 2]}, {}),
    "multiplicative_attention": (STATES | {"W_a": SQUARE, "W_c": [*SQUARE, *SQUARE]}, {}),
    "relative_attention": (QKV | {"P_K": TOKENS, "P_V": [[1, 0], [0, 1], [1, 1]]}, {}),
    "t5_attention": (QKV | {"b": [1, 0, "1/2", -1]}, {}),
    "latent_attention": (LATENT, {"heads": "2"}),
    "retention": (QKV | {"gamma": "1/2"}, {}),
    "delta_rule": (QKV | {"beta": ["1/2", 1, "1/4"]}, {}),
    "selective_state_space": (
        {
            "X": [[1, 2], [0, 1], [1, -1]],
            "A": [[-1, -2], ["-1/2", -1]],
            "W_B": [[1, 0], [1, 1]],
            "W_C": [[0, 1], [1, 1]],
            "W_delta": [[1, 0], [0, 1]],
        },
        {},
    ),
    "lora": ({"X": TOKENS, "W": SQUARE, "A": THIN["W_1"], "B": THIN["W_2"], "alpha": 4}, {}),
    "mixture_of_experts": (EXPERTS, {}),
    "speculative_decoding": (
        {"p": [["1/2", "1/4", "1/4"]] * 2, "q": [["1/4", "1/2", "1/4"]] * 2, "ids": [1, 0], "u": ["1/3", "9/10"]},
        {},
    ),
    "quantization": ({"X": [[1, -2, "1/3"], ["1/2", 3, -1]]}, {}),
    "adam": ({"theta": [[1, 2], [0, 1]], "g_1": [[1, -1], [2, 1]], "g_2": [[1, 1], [-1, 2]]}, {}),
    "momentum": ({"theta": [[1, 2], [0, 1]], "g_1": [[1, -1], [2, 1]], "g_2": [[1, 1], [-1, 2]]}, {}),
    "dropout": ({"X": TOKENS, "M": [[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]}, {}),
    "patch_embedding": ({"image": SQUARE, "W_E": SQUARE, "cls": [1, 0, 1, 0], "PE": [*SQUARE, [1, 1, 0, 0]]}, {}),
    "compare_layers": ({"n": 10, "d": 8, "kernel": 3, "reach": 4}, {}),
}

# by (lesson, option, value): the other arguments that this value needs; `*` means all lessons
NEEDED: dict[tuple[str, str, str], dict[str, str]] = {
    ("*", "mask", "causal_strict"): {"empty_row": "zeros"},
    ("*", "empty_row", "zeros"): {"mask": "causal_strict"},
    ("*", "empty_row", "uniform"): {"mask": "causal_strict"},
    ("*", "fill", "-99"): {"mask": "causal"},
    ("*", "mask_at", "weights"): {"mask": "causal"},
    ("*", "rotary_base", "100"): {"positions": "rotary"},
    ("*", "rotary_start", "1"): {"positions": "rotary"},
    ("*", "rotary_layout", "halves"): {"positions": "rotary"},
    ("*", "kv_heads", "1"): {"heads": "2", "W_K": "W_K[:, 0:2]", "W_V": "W_V[:, 0:2]"},
    ("cached_multi_head_attention", "kv_heads", "1"): {
        "heads": "2",
        "W_K": "W_K[:, 0:2]",
        "W_V": "W_V[:, 0:2]",
        "K_cache": "K_cache[:, 0:2]",
        "V_cache": "V_cache[:, 0:2]",
    },
    ("embedding", "positions", "given"): {"PE": "zeros(3, 4)"},
    ("transformer", "positions", "given"): {"PE": "zeros(4, 4)"},
    ("greedy_decode", "positions", "given"): {"PE": "zeros(4, 4)"},
    ("count_parameters", "preset", "llama3_8b"): {"heads": "32", "d_model": "4096"},
    ("rotary", "degrees", "true"): {"theta": "arange(1, 3)"},
    ("rotary", "factor", "4"): {"scaling": "linear"},
    ("rotary", "trained", "64"): {"scaling": "yarn"},
    ("rotary", "fast", "4"): {"scaling": "yarn"},
    ("rotary", "ramp", "pairs"): {"scaling": "yarn"},
    ("rotary", "ramp", "pairs_unrounded"): {"scaling": "yarn"},
    ("llama_layer", "eps_in", "std"): {"norm": "after"},
    ("llama_layer", "ddof", "1"): {"norm": "after"},
    ("beam_search", "length", "gnmt"): {"alpha": "0.7"},
    ("linear_attention", "scale", "3"): {"compare": "true"},
    ("linear_attention", "base", "2"): {"compare": "true"},
    ("adam", "weight_decay", "0.1"): {"decay": "l2"},
    ("adam", "first", "3"): {"m": "g_1 / 10", "v": "abs(g_1) / 100"},
    ("momentum", "weight_decay", "0.1"): {"decay": "l2"},
    ("patch_embedding", "channels", "last"): {
        "image": "none",
        "image_1": "image",
        "image_2": "2 * image",
        "W_E": "vstack(W_E, W_E)",
    },
    ("latent_attention", "heads", "1"): {"W_QR": "W_QR[:, 0:2]"},
    ("patch_embedding", "patch", "1"): {"W_E": "W_E[0:1]", "PE": "none"},
    ("sparse_attention", "window", "none"): {"global_tokens": "0"},
    ("cross_entropy", "smooth_over", "words"): {"ignore": "0", "smoothing": "0.1"},
    ("cross_entropy_gradients", "smooth_over", "words"): {"ignore": "0", "smoothing": "0.1"},
}


for _decoder in ("decoder_layer", "decoder", "transformer", "greedy_decode"):
    NEEDED[_decoder, "kv_heads", "1"] = NEEDED["*", "kv_heads", "1"] | {
        "cross_W_K": "cross_W_K[:, 0:2]",
        "cross_W_V": "cross_W_V[:, 0:2]",
    }


def needed(lesson: str, option: str, value: str) -> dict[str, str]:
    """Return the other arguments that a value of an option needs. Arguments that the lesson does not have are
    omitted.
    """
    arguments = NEEDED.get((lesson, option, value)) or NEEDED.get(("*", option, value), {})
    known = LESSONS[lesson]
    return {name: text for name, text in arguments.items() if known.input(name) or known.option(name)}


def problem(lesson: str, more: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the small problem of a lesson with `more` arguments, for `attncalc.load`."""
    givens, arguments = CASES[lesson]
    return {"given": givens, lesson: arguments | (more or {})}
