"""Recipes of the lessons: the givens of generated problems, their sizes, and the labels of their rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

Sizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A given to draw: the names of its sizes, the labels of its rows, and its kind of entries where it differs from
    the others.

    `fixed` entries stay whatever entries are requested, such as the indices of target words.
    """

    rows: str
    columns: str
    words: str = ""
    entries: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Recipe of one lesson: default sizes, matrices to draw, the lesson's arguments, and the question.

    `relaxed` names requirements that problems with so many numbers cannot meet; marking accepts both sides of a
    rounding tie.
    """

    sizes: Sizes
    matrices: dict[str, Matrix]
    ask: str
    arguments: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    fixed: Callable[[Sizes], dict[str, str]] | None = None
    digits: int = 2  # the default number of decimals
    relaxed: tuple[str, ...] = ()


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
# Files with `draw:` of the other lessons, each in one size.
DRAWN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "draws")

SMALL = "sparse -1..1"  # weights that keep scores small, unless other entries are asked for
GAMMA = "halves 0.5..2"
_LONG = ("ties",)
_ROTARY = ("rotary_base", "rotary_layout")
_HEAD = {"tokens": 3, "d_model": 4, "d_k": 3, "d_v": 0}
_WEIGHTS = {
    "W_Q": Matrix("d_model", "d_k", entries=SMALL),
    "W_K": Matrix("d_model", "d_k", entries=SMALL),
    "W_V": Matrix("d_model", "d_v"),
}
_ATTENTION = ("mask", "scale", "mask_at", "fill", "softcap", "softmax_steps")
_GIVEN_HEAD = {
    "Q": Matrix("tokens", "d_k", "sentence"), "K": Matrix("tokens", "d_k", "sentence"),
    "V": Matrix("tokens", "d_v", "sentence"),
}  # fmt: skip


def _weights(width: str, key_width: str, out: str = "d_model") -> dict[str, Matrix]:
    """Return W_Q, W_K, W_V and W_O; keys and values may be narrower."""
    return {
        "W_Q": Matrix("d_model", width, entries=SMALL),
        "W_K": Matrix("d_model", key_width, entries=SMALL),
        "W_V": Matrix("d_model", key_width, entries=SMALL),
        "W_O": Matrix(width, out, entries=SMALL),
    }


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
            entries=SMALL) for n in "QKVO"},
        "Calculate multi-head attention for the sentence.", options=_ATTENTION,
        fixed=lambda s: {"heads": str(s["heads"])},
    ),
    "positional_encoding": Recipe(
        {"tokens": 3, "d_model": 4}, {"X": Matrix("tokens", "d_model", "sentence")},
        "Calculate the position table and add it to the token embeddings.",
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
        "Calculate the loss and the perplexity; targets are the indices of the target words, counted from 0.",
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
        "Calculate the Jacobian of the softmax and the gradient with respect to the scores.",
    ),
    "attention_gradients": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0},
        {"Q": Matrix("tokens", "d_k", "sentence"), "K": Matrix("tokens", "d_k", "sentence"),
         "V": Matrix("tokens", "d_v", "sentence"),
         "dZ": Matrix("tokens", "d_v", "sentence")},
        "Calculate attention, then the gradients with respect "
        "to the queries, the keys and the values.", options=_ATTENTION,
    ),
    "cross_entropy_gradients": Recipe(
        {"tokens": 2, "words": 4},
        {"logits": Matrix("tokens", "words", "sentence"),
         "targets": Matrix("one", "tokens", entries="ids words", fixed=True)},
        "Calculate ∂L/∂logits, the gradient of the loss; targets are the indices of the target words, counted from 0.",
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
    "llama_layer": Recipe(
        {"tokens": 3, "d_model": 2, "d_ff": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence"), "gamma_1": Matrix("one", "d_model", entries=GAMMA, fixed=True),
         "gamma_2": Matrix("one", "d_model", entries=GAMMA, fixed=True)}
        | _weights("d_model", "d_model")
        | {"W_gate": Matrix("d_model", "d_ff"), "W_1": Matrix("d_model", "d_ff"), "W_2": Matrix("d_ff", "d_model")},
        "Calculate the layer: RMSNorm, attention with rotated queries and keys, RMSNorm, and the gated feed-forward "
        "network.",
        {"eps": "0"}, _ROTARY, lambda s: {"heads": str(s["heads"])}, relaxed=_LONG,
    ),
    "cached_multi_head_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 4, "heads": 2},
        {"X": Matrix("asking", "d_model"), "K_cache": Matrix("tokens", "d_model", "sentence"),
         "V_cache": Matrix("tokens", "d_model", "sentence")}
        | _weights("d_model", "d_model"),
        "Calculate the attention for one more token with the cached keys and values.",
        options=("scale", "positions", *_ROTARY),
        fixed=lambda s: {"heads": str(s["heads"])},
    ),
    "prefill_and_decode": Recipe(
        {"tokens": 4, "d_model": 2, "heads": 1},
        {"X": Matrix("tokens", "d_model", "sentence")} | _weights("d_model", "d_model"),
        "Calculate the attention for the prompt, then decode the last token with the cached keys and values.",
        options=("scale", "prompt", "positions", *_ROTARY), fixed=lambda s: {"heads": str(s["heads"])},
    ),
    # -- before the Transformer, and in tiles
    "additive_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 2, "d_k": 2},
        {"s": Matrix("asking", "d_model", "second"), "h": Matrix("tokens", "d_model", "sentence"),
         "W_s": Matrix("d_model", "d_k", entries=SMALL),
         "W_h": Matrix("d_model", "d_k", entries=SMALL), "v": Matrix("one", "d_k")},
        "Calculate the context vector for the decoder state by additive attention, with the scores "
        "v · tanh(s W_s + h W_h).",
    ),
    "multiplicative_attention": Recipe(
        {"asking": 1, "tokens": 3, "d_model": 2},
        {"s": Matrix("asking", "d_model", "second"), "h": Matrix("tokens", "d_model", "sentence"),
         "W_a": Matrix("d_model", "d_model", entries=SMALL)},
        "Calculate the context vector for the decoder state by multiplicative attention.", options=("score",),
    ),
    "flash_attention": Recipe(
        {"asking": 2, "tokens": 4, "d_k": 2, "d_v": 0},
        {"Q": Matrix("asking", "d_k", "second", "integers -1..2"),
         "K": Matrix("tokens", "d_k", "sentence", "integers -1..2"),
         "V": Matrix("tokens", "d_v", "sentence")},
        "Calculate attention tile by tile, with a running maximum and a running sum.",
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
        {"tokens": 3, "d_k": 2, "d_v": 0}, _GIVEN_HEAD | {"P_K": Matrix("3", "d_k", entries=SMALL)},
        "Calculate attention in which each key gets a vector for its offset from the query. Offsets below −1 count as "
        "−1, and offsets above 1 count as 1.",
    ),
    "t5_attention": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _GIVEN_HEAD | {"b": Matrix("one", "4")},
        "Calculate attention with four buckets of distances. The bias of each bucket is added to the scores, which are "
        "not scaled.", options=("sides",),
    ),
    "retention": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _GIVEN_HEAD | {"gamma": Matrix("one", "one", entries="tenths 0.5..0.9",
            fixed=True)},
        "Calculate retention.", options=("form",),
    ),
    "delta_rule": Recipe(
        {"tokens": 3, "d_k": 2, "d_v": 0}, _GIVEN_HEAD | {"beta": Matrix("one", "tokens", entries="tenths 0.2..0.9",
            fixed=True)},
        "Calculate the output of the layer with the delta rule.", {"form": "recurrent"}, ("form",), relaxed=_LONG,
    ),
    "selective_state_space": Recipe(
        {"tokens": 3, "d_model": 1, "d_k": 2},
        {"X": Matrix("tokens", "d_model", "sentence"),
         "A": Matrix("d_model", "d_k", entries="halves -2..-0.5", fixed=True),
         "B": Matrix("tokens", "d_k"), "C": Matrix("tokens", "d_k"),
         "delta": Matrix("tokens", "d_model", entries="tenths 0.2..1.2", fixed=True)},
        "Calculate the output of the selective state space model.", {"form": "recurrent"},
        ("form", "discretization"), relaxed=_LONG,
    ),
    # -- adapters, experts, shortcuts
    "lora": Recipe(
        {"tokens": 2, "d_model": 3, "rank": 1},
        {"X": Matrix("tokens", "d_model", "sentence"), "W": Matrix("d_model", "d_model"),
         "A": Matrix("d_model", "rank", entries="halves -1..1"),
         "B": Matrix("rank", "d_model"), "alpha": Matrix("one", "one", entries="integers 2..8", fixed=True)},
        "Calculate the output of the frozen weights and the low-rank adapter, and the merged weights.",
    ),
    "mixture_of_experts": Recipe(
        {"tokens": 3, "d_model": 2},
        {"X": Matrix("tokens", "d_model", "sentence"), "W_g": Matrix("d_model", "3", entries="halves -1..1")}
        | {f"W_1_{e}": Matrix("d_model", "d_model") for e in (1, 2, 3)},
        "Choose the experts for each token, mix their outputs, and calculate the balance loss.", {"k": "2"},
        ("k", "gating", "share_of"),
    ),
    # -- updates, images
    "adam": Recipe(
        {"tokens": 1, "d_model": 2},
        {"theta": Matrix("tokens", "d_model"), "g_1": Matrix("tokens", "d_model"), "g_2": Matrix("tokens", "d_model")},
        "Calculate two updates of the weights with Adam.", {"lr": "0.1"},
        ("lr", "beta_1", "beta_2", "eps", "weight_decay", "decay"), digits=4,
    ),
    "momentum": Recipe(
        {"tokens": 1, "d_model": 2},
        {"theta": Matrix("tokens", "d_model"), "g_1": Matrix("tokens", "d_model"), "g_2": Matrix("tokens", "d_model")},
        "Calculate two updates of the weights by gradient descent with momentum.", {"lr": "0.1"},
        ("lr", "mu", "nesterov", "rate", "weight_decay", "decay"), digits=4,
    ),
    "dropout": Recipe(
        {"tokens": 2, "d_model": 4},
        {"X": Matrix("tokens", "d_model", "sentence", "integers 1..9"),
         "M": Matrix("tokens", "d_model", entries="integers 0..1", fixed=True)},
        "Apply dropout with the given mask.", {"rate": "0.2"},
        ("rate", "scaled"),
    ),
    "patch_embedding": Recipe(
        {"pixels": 4, "patch": 2, "d_model": 2},
        {"image": Matrix("pixels", "pixels", entries="integers 0..3", fixed=True),
         "W_E": Matrix("patch*patch", "d_model"),
         "cls": Matrix("one", "d_model")},
        "Divide the image into patches and project them; the class token comes first.",
        fixed=lambda s: {"patch": str(s["patch"])},
    ),
}  # fmt: skip


def drawn_lessons() -> list[str]:
    """Return the names of the lessons with a bundled file in DRAWN."""
    return sorted(file.removesuffix(".yaml") for file in os.listdir(DRAWN) if file.endswith(".yaml"))


def sentence(table: dict[int, tuple[str, ...]], count: int, pick: int) -> list[str] | None:
    """Return the words of a sentence of length `count`, or None if the table has none."""
    sentences = table.get(count)
    return sentences[pick % len(sentences)].split() if sentences else None
