"""What generated problems start from, for the lessons on models after the first Transformer."""

from __future__ import annotations

from .matrix import Matrix, Recipe

SMALL = "sparse -1..1"  # weights that keep scores small, unless other entries are asked for
GAMMA = "halves 0.5..2"
_LONG = ("ties",)
_ROTARY = ("rotary_base", "rotary_layout")


def _weights(width: str, kept: str, out: str = "d_model") -> dict[str, Matrix]:
    """W_Q, W_K, W_V and W_O of heads; keys and values may be narrower."""
    return {
        "W_Q": Matrix("d_model", width, entries=SMALL), "W_K": Matrix("d_model", kept, entries=SMALL),
        "W_V": Matrix("d_model", kept, entries=SMALL), "W_O": Matrix(width, out, entries=SMALL),
    }


MODERN: dict[str, Recipe] = {
    "llama_layer": Recipe(
        {"tokens": 3, "d_model": 2, "d_ff": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence"), "gamma_1": Matrix("one", "d_model", entries=GAMMA, fixed=True),
         "gamma_2": Matrix("one", "d_model", entries=GAMMA, fixed=True)}
        | _weights("d_model", "d_model")
        | {"W_gate": Matrix("d_model", "d_ff"), "W_1": Matrix("d_model", "d_ff"), "W_2": Matrix("d_ff", "d_model")},
        "Work out the layer: RMSNorm, attention with turned queries and keys, RMSNorm, and the gated feed-forward network.",
        {"eps": "0"}, _ROTARY, lambda s: {"heads": str(s["heads"])}, relaxed=_LONG,
    ),
    "cached_multi_head_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 4, "heads": 2},
        {"X": Matrix("asking", "d_model"), "K_cache": Matrix("tokens", "d_model", "sentence"), "V_cache": Matrix("tokens", "d_model", "sentence")}
        | _weights("d_model", "d_model"),
        "Calculate the attention of one more token with the keys and values that are kept.", options=("scale", "positions", *_ROTARY),
        fixed=lambda s: {"heads": str(s["heads"])},
    ),
    "prefill_and_decode": Recipe(
        {"tokens": 4, "d_model": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence")} | _weights("d_model", "d_model"),
        "Calculate the attention of the prompt, then decode the last token with the keys and values that are kept.",
        options=("scale", "prompt", "positions", *_ROTARY), fixed=lambda s: {"heads": str(s["heads"])},
    ),
}  # fmt: skip
