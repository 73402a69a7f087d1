"""Recipes of the lessons: the givens of generated problems, their sizes, and the labels of their rows."""

from __future__ import annotations

import os

from ..recipe import Matrix, Recipe
from .recent_models import MODERN

# Short sentences, by their number of words.
SENTENCES = {
    1: ("Attention",),
    2: ("cats sleep", "birds sing", "we learn", "rain falls"),
    3: ("the cat sleeps", "we like tea", "birds can fly", "she reads books", "stars shine brightly"),
    4: ("the dog chased him", "we met last summer", "it rains in spring", "they sing old songs"),
    5: ("the small bird flew away", "we all learn by doing", "she found a golden ring"),
    6: ("the old man walked to town", "they wrote a letter to us"),
}
SECOND = {1: ("Oui",), 2: ("for sure", "of course"), 3: ("that is true", "so it goes"), 4: ("das ist ganz leicht",)}
MAX_SORTED_ROWS = 6


_HEAD = {"tokens": 3, "d_model": 4, "d_k": 3, "d_v": 0}
_SMALL = "sparse -1..1"  # weights that keep scores small, unless other entries are asked for
_WEIGHTS = {
    "W_Q": Matrix("d_model", "d_k", entries=_SMALL),
    "W_K": Matrix("d_model", "d_k", entries=_SMALL),
    "W_V": Matrix("d_model", "d_v"),
}
_ATTENTION = ("mask", "scale", "mask_at", "fill", "softcap", "softmax_steps")

RECIPES: dict[str, Recipe] = {
    "self_attention": Recipe(
        _HEAD, {"X": Matrix("tokens", "d_model", "sentence")} | _WEIGHTS,
        "Calculate self-attention for the sentence.", options=_ATTENTION,
    ),
    "cross_attention": Recipe(
        _HEAD | {"asking": 2},
        {"Y": Matrix("asking", "d_model", "second"), "X": Matrix("tokens", "d_model", "sentence")} | _WEIGHTS,
        "Calculate cross-attention: the queries come from the first sentence (Y), keys and values from the second (X).",
        {"X": "Y", "memory": "X"}, options=_ATTENTION,
    ),
    "attention": Recipe(
        {"tokens": 3, "d_k": 3, "d_v": 0},
        {"Q": Matrix("tokens", "d_k", "sentence"), "K": Matrix("tokens", "d_k", "sentence"),
         "V": Matrix("tokens", "d_v", "sentence")},
        "Calculate scaled dot-product attention.", options=_ATTENTION,
    ),
    "multi_head_attention": Recipe(
        {"tokens": 3, "d_model": 4, "heads": 2},
        {"X": Matrix("tokens", "d_model", "sentence")} | {f"W_{n}": Matrix("d_model", "d_model",
            entries=_SMALL) for n in "QKVO"},
        "Calculate multi-head attention for the sentence.", options=_ATTENTION,
        fixed=lambda s: {"heads": str(s["heads"])},
    ),
    "positional_encoding": Recipe(
        {"tokens": 3, "d_model": 4}, {"X": Matrix("tokens", "d_model", "sentence")},
        "Calculate the position table and add it to the tokens.",
        options=("base", "start", "exponent", "layout", "embed_scale"),
    ),
    "rotary": Recipe(
        {"tokens": 3, "d_model": 4}, {"X": Matrix("tokens", "d_model", "sentence")},
        "Rotate the queries by their positions.", options=("base", "start", "layout", "sign"),
    ),
    "layer_norm": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence"),
         "gamma": Matrix("one", "d_model", entries="halves 0.5..2", fixed=True),
         "beta": Matrix("one", "d_model")},
        "Normalise each token.", options=("eps", "ddof", "eps_in"),
    ),
    "rms_norm": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence"),
         "gamma": Matrix("one", "d_model", entries="halves 0.5..2", fixed=True)},
        "Normalise each token by its root mean square.", options=("eps",),
    ),
    "add_norm": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence"), "F": Matrix("tokens", "d_model", "sentence")},
        "Add the sublayer's output to its input and normalise.", {"sublayer": "F"}, ("eps", "ddof", "eps_in"),
    ),
    "feed_forward": Recipe(
        {"tokens": 2, "d_model": 3, "d_ff": 4},
        {"X": Matrix("tokens", "d_model", "sentence"), "W_1": Matrix("d_model", "d_ff"), "b_1": Matrix("one", "d_ff"),
         "W_2": Matrix("d_ff", "d_model"), "b_2": Matrix("one", "d_model")},
        "Apply the feed-forward network to each token.", options=("activation",),
    ),
    "cross_entropy": Recipe(
        {"tokens": 3, "words": 4},
        {"logits": Matrix("tokens", "words", "sentence"),
         "targets": Matrix("one", "tokens", entries="ids words", fixed=True)},
        "Calculate the loss and the perplexity; targets are the indices of the right words, counted from 0.",
        options=("base", "reduction", "smoothing"),
    ),
    "next_word": Recipe(
        {"tokens": 2, "d_model": 3, "words": 4},
        {"X": Matrix("tokens", "d_model", "sentence"), "W_out": Matrix("d_model", "words")},
        "Calculate the probabilities of the next word.", options=("temperature", "top_k", "top_p", "rows"),
    ),
    # -- training
    "learning_rate": Recipe(
        {"steps": 4},
        {"step": Matrix("one", "steps", entries="rising 1..20", fixed=True),
         "d_model": Matrix("one", "one", entries="integers 4..16", fixed=True),
         "warmup": Matrix("one", "one", entries="integers 4..12", fixed=True)},
        "Calculate the learning rate at these steps.", options=("step_0",), digits=4,
    ),
    "softmax_jacobian": Recipe(
        {"words": 3}, {"scores": Matrix("one", "words"), "dp": Matrix("one", "words")},
        "Calculate the Jacobian of the softmax and the gradient by the scores.",
    ),
    "attention_gradients": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0},
        {"Q": Matrix("tokens", "d_k", "sentence"), "K": Matrix("tokens", "d_k", "sentence"),
         "V": Matrix("tokens", "d_v", "sentence"),
         "dZ": Matrix("tokens", "d_v", "sentence")},
        "Calculate attention, then the gradients by the queries, the keys and the values.", options=_ATTENTION,
    ),
    "cross_entropy_gradients": Recipe(
        {"tokens": 2, "words": 4},
        {"logits": Matrix("tokens", "words", "sentence"),
         "targets": Matrix("one", "tokens", entries="ids words", fixed=True)},
        "Calculate ∂L/∂logits, the gradient of the loss; targets are the indices of the right words, counted from 0.",
        options=("reduction", "smoothing"),
    ),
    "layer_norm_gradients": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence"),
         "gamma": Matrix("one", "d_model", entries="halves 0.5..2", fixed=True),
         "beta": Matrix("one", "d_model"), "dY": Matrix("tokens", "d_model", "sentence")},
        "Normalise each token, then calculate the gradients.", options=("eps", "ddof", "eps_in"),
    ),
    "feed_forward_gradients": Recipe(
        {"tokens": 2, "d_model": 2, "d_ff": 3},
        {"X": Matrix("tokens", "d_model", "sentence"), "W_1": Matrix("d_model", "d_ff"), "b_1": Matrix("one", "d_ff"),
         "W_2": Matrix("d_ff", "d_model"), "b_2": Matrix("one", "d_model"),
         "dY": Matrix("tokens", "d_model", "sentence")},
        "Apply the feed-forward network, then calculate the gradients.", options=("activation",),
    ),
} | MODERN  # fmt: skip


# Files with `draw:` of the other lessons, each in one size.
DRAWN = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "draws")


def drawn_lessons() -> list[str]:
    """Return the names of the lessons with a bundled file in DRAWN."""
    return sorted(file.removesuffix(".yaml") for file in os.listdir(DRAWN) if file.endswith(".yaml"))


def sentence(table: dict[int, tuple[str, ...]], count: int, pick: int) -> list[str] | None:
    """Return the words of a sentence of length `count`, or None if the table has none."""
    sentences = table.get(count)
    return sentences[pick % len(sentences)].split() if sentences else None
