"""Recipes of the lessons on models after the first Transformer."""

from __future__ import annotations

from ..recipe import Matrix, Recipe

SMALL = "sparse -1..1"  # weights that keep scores small, unless other entries are asked for
GAMMA = "halves 0.5..2"
_LONG = ("ties",)
_ROTARY = ("rotary_base", "rotary_layout")


def _weights(width: str, key_width: str, out: str = "d_model") -> dict[str, Matrix]:
    """Return W_Q, W_K, W_V and W_O; keys and values may be narrower."""
    return {
        "W_Q": Matrix("d_model", width, entries=SMALL),
        "W_K": Matrix("d_model", key_width, entries=SMALL),
        "W_V": Matrix("d_model", key_width, entries=SMALL),
        "W_O": Matrix(width, out, entries=SMALL),
    }


_HEAD = {
    "Q": Matrix("tokens", "d_k", "sentence"), "K": Matrix("tokens", "d_k", "sentence"),
    "V": Matrix("tokens", "d_v", "sentence"),
}  # fmt: skip

MODERN: dict[str, Recipe] = {
    "llama_layer": Recipe(
        {"tokens": 3, "d_model": 2, "d_ff": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence"), "gamma_1": Matrix("one", "d_model", entries=GAMMA, fixed=True),
         "gamma_2": Matrix("one", "d_model", entries=GAMMA, fixed=True)}
        | _weights("d_model", "d_model")
        | {"W_gate": Matrix("d_model", "d_ff"), "W_1": Matrix("d_model", "d_ff"), "W_2": Matrix("d_ff", "d_model")},
        "Work out the layer: RMSNorm, attention with rotated queries and keys, RMSNorm, and the gated feed-forward "
        "network.",
        {"eps": "0"}, _ROTARY, lambda s: {"heads": str(s["heads"])}, relaxed=_LONG,
    ),
    "cached_multi_head_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 4, "heads": 2},
        {"X": Matrix("asking", "d_model"), "K_cache": Matrix("tokens", "d_model", "sentence"),
         "V_cache": Matrix("tokens", "d_model", "sentence")}
        | _weights("d_model", "d_model"),
        "Calculate the attention of one more token with the keys and values that are kept.",
        options=("scale", "positions", *_ROTARY),
        fixed=lambda s: {"heads": str(s["heads"])},
    ),
    "prefill_and_decode": Recipe(
        {"tokens": 4, "d_model": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence")} | _weights("d_model", "d_model"),
        "Calculate the attention of the prompt, then decode the last token with the keys and values that are kept.",
        options=("scale", "prompt", "positions", *_ROTARY), fixed=lambda s: {"heads": str(s["heads"])},
    ),
    # -- before the Transformer, and in tiles
    "additive_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 2, "d_k": 2},
        {"s": Matrix("asking", "d_model", "second"), "h": Matrix("tokens", "d_model", "sentence"),
         "W_s": Matrix("d_model", "d_k", entries=SMALL),
         "W_h": Matrix("d_model", "d_k", entries=SMALL), "v": Matrix("one", "d_k")},
        "Calculate the context of the decoder's state by additive attention, v · tanh(s W_s + h W_h).",
    ),
    "multiplicative_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 2},
        {"s": Matrix("asking", "d_model", "second"), "h": Matrix("tokens", "d_model", "sentence"),
         "W_a": Matrix("d_model", "d_model", entries=SMALL)},
        "Calculate the context of the decoder's state by multiplicative attention, s · W_a · h.", options=("score",),
    ),
    "flash_attention": Recipe(
        {"asking": 2, "tokens": 4, "d_k": 2, "d_v": 0},
        {"Q": Matrix("asking", "d_k", "second", "integers -1..2"),
         "K": Matrix("tokens", "d_k", "sentence", "integers -1..2"),
         "V": Matrix("tokens", "d_v", "sentence")},
        "Calculate attention tile by tile, two keys at a time, with a running maximum and a running sum.",
        {"tile": "2"},
        ("scale", "tile"), digits=3, relaxed=_LONG,
    ),
    # -- gradients
    "rms_norm_gradients": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence"), "gamma": Matrix("one", "d_model", entries=GAMMA, fixed=True),
         "dY": Matrix("tokens", "d_model", "sentence")},
        "Normalise each token by its root mean square, then calculate the gradients.", options=("eps",),
    ),
    # -- relative positions, states
    "relative_attention": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _HEAD | {"P_K": Matrix("3", "d_k", entries=SMALL)},
        "Calculate attention in which the keys get a vector for their distance from the query, from −1 to 1; what is "
        "further off counts as 1.",
    ),
    "t5_attention": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _HEAD | {"b": Matrix("one", "4")},
        "Calculate attention with the numbers of four buckets of distances, two to each side, added to the scores; "
        "there is no scale.",
        {"furthest": "8"}, ("sides",),
    ),
    "retention": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _HEAD | {"gamma": Matrix("one", "one", entries="tenths 0.5..0.9",
            fixed=True)},
        "Calculate retention token by token and all at once.", options=("form",),
    ),
    "delta_rule": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _HEAD | {"beta": Matrix("one", "tokens", entries="tenths 0.2..0.9",
            fixed=True)},
        "Calculate the output of the delta rule token by token.", {"form": "recurrent"}, ("form",), relaxed=_LONG,
    ),
    "selective_state_space": Recipe(
        {"tokens": 3, "d_model": 1, "d_k": 2},
        {"X": Matrix("tokens", "d_model", "sentence"),
         "A": Matrix("d_model", "d_k", entries="halves -2..-0.5", fixed=True),
         "B": Matrix("tokens", "d_k"), "C": Matrix("tokens", "d_k"),
         "delta": Matrix("tokens", "d_model", entries="tenths 0.2..1.2", fixed=True)},
        "Calculate the output of the selective state space token by token.", {"form": "recurrent"},
        ("form", "discretization"), relaxed=_LONG,
    ),
    # -- adapters, experts, shortcuts
    "lora": Recipe(
        {"tokens": 2, "d_model": 3, "rank": 1},
        {"X": Matrix("tokens", "d_model", "sentence"), "W": Matrix("d_model", "d_model"),
         "A": Matrix("d_model", "rank", entries="halves -1..1"),
         "B": Matrix("rank", "d_model"), "alpha": Matrix("one", "one", entries="integers 2..8", fixed=True)},
        "Calculate the output of the frozen weights with the low-rank adapter beside them, and the merged weights.",
    ),
    "mixture_of_experts": Recipe(
        {"tokens": 3, "d_model": 2},
        {"X": Matrix("tokens", "d_model", "sentence"), "W_g": Matrix("d_model", "3", entries="halves -1..1")}
        | {f"W_1_{e}": Matrix("d_model", "d_model") for e in (1, 2, 3)},
        "Choose two experts for each token, mix their outputs, and calculate the balance loss.", {"k": "2"},
        ("k", "gating", "share_of"),
    ),
    # -- updates, images
    "adam": Recipe(
        {"tokens": 1, "d_model": 2},
        {"theta": Matrix("tokens", "d_model"), "g_1": Matrix("tokens", "d_model"), "g_2": Matrix("tokens", "d_model")},
        "Calculate two updates of the weights by Adam.", {"lr": "0.1"},
        ("lr", "beta_1", "beta_2", "eps", "weight_decay", "decay"), digits=4,
    ),
    "momentum": Recipe(
        {"tokens": 1, "d_model": 2},
        {"theta": Matrix("tokens", "d_model"), "g_1": Matrix("tokens", "d_model"), "g_2": Matrix("tokens", "d_model")},
        "Calculate two updates of the weights by descent with momentum.", {"lr": "0.1"},
        ("lr", "mu", "nesterov", "rate", "weight_decay", "decay"), digits=4,
    ),
    "dropout": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence", "integers 1..9"),
         "M": Matrix("tokens", "d_model", entries="integers 0..1", fixed=True)},
        "Apply dropout with the given mask; the others grow so that the mean stays.", {"rate": "0.2"},
        ("rate", "scaled"),
    ),
    "patch_embedding": Recipe(
        {"pixels": 4, "patch": 2, "d_model": 2},
        {"image": Matrix("pixels", "pixels", entries="integers 0..3", fixed=True),
         "W_E": Matrix("patch*patch", "d_model"),
         "cls": Matrix("one", "d_model")},
        "Cut the image into patches and project them; the class token comes first.",
        fixed=lambda s: {"patch": str(s["patch"])},
    ),
}  # fmt: skip
