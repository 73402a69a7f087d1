"""Whole models: embeddings with positions, and the encoder–decoder from tokens to next-word probabilities."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Name, Tree
from .attention import projection
from .lesson import FEATURES, Ask, Input, Lesson, Option, Recipe, Setting, Sub, Trace
from .positional_encoding import POSITION_OPTIONS, ROTARY_OPTIONS, position_table
from .transformer_layers import DECODER, ENCODER

_EMBED_SCALE = Option(
    "embed_scale",
    "formula",
    "none",
    "the factor by which the embeddings are multiplied, such as sqrt(d_model)",
    examples=("2",),
)
_PLACES = ("sinusoidal", "given", "none")
_POSITIONS = Option("positions", "word", "sinusoidal", "the sinusoidal table, your own table (PE), or none", _PLACES)


def _embedding(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = [("embedded", "lookup(E.T, ids).T" if s.columns else "lookup(E, ids)")]
    _label_words(s)
    current = "embedded"
    if s.text("embed_scale"):
        steps.append(("scaled", "embedded * embed_scale"))
        s.say("embed_scale", s.option_text("embed_scale"))
        current = "scaled"
    kind = "given" if "PE" in s.arguments else s.word("positions")
    s.say("positions", kind)
    if kind == "none":
        return steps
    if kind == "sinusoidal":
        steps.append(("PE", position_table(s, f"rows({current})", f"cols({current})")))
        steps.append(("X_pe", f"{current} + PE"))
    else:
        steps.append(("X_pe", f"{current} + PE{_first_places(s)}"))
    return steps


def _label_words(s: Setting) -> None:
    """Label the embedded tokens with the words of the embedding table, unless the tokens have labels."""
    table, ids = (s.trees.get(name, Name(name)) for name in ("E", "ids"))
    words, has_labels = s.labels_of(table)[s.columns], any(s.labels_of(ids))
    numbers = s.numbers_of(ids) if words and not has_labels else None
    if words is None or numbers is None:
        return
    flat = [x for row in numbers for x in row]
    if all(isinstance(x, Fraction) and x.denominator == 1 and 0 <= x < len(words) for x in flat):
        labels = tuple(words[int(x)] for x in flat)
        s.label("embedded", *((None, labels) if s.columns else (labels, None)))


def _first_places(s: Setting) -> str:
    """Return the slice that selects the first positions of a given table; an empty string if the sizes agree."""
    count, axis = max(s.shape("ids")), 1 if s.columns else 0
    if s.shape("PE")[axis] == count:
        return ""
    return f"[{':, ' if s.columns else ''}0:{count}]"


EMBEDDING = Lesson(
    "embedding",
    "Words to vectors: each token's row of the embedding table plus its positional encoding.",
    (
        Input("E", "the embedding table, one token per row (with column vectors: a column)"),
        Input("ids", "the IDs of the tokens"),
        Input("PE", "your own table of position vectors", optional=True, named=True),
    ),
    (_EMBED_SCALE, _POSITIONS, *POSITION_OPTIONS),
    {
        "embedded": "each token's row of the table",
        "scaled": "the embeddings times a factor, usually √d_model",
        "PE": "the position table: the encoding of each position in the sentence",
        "X_pe": "embeddings plus positions",
    },
    _embedding,
    source="Vaswani et al. 2017; embeddings with the standard deviation 1/√d_model: Tensor2Tensor, the authors' "
    "program.",
)


def _transformer(s: Setting) -> list[Recipe]:
    steps = [*_encode(s), *_decode(s, "tgt", "encoder")]
    if s.has("W_out"):
        steps.append(("P", "softmax_cols(logits)" if s.columns else "softmax(logits)"))
    return steps


def _encode(s: Setting) -> list[Recipe]:
    options = {
        name: tree for name, tree in _layer_options(s).items() if name == "mask_at" or not name.startswith("mask")
    }
    if "src_mask" in s.arguments:
        options["mask"] = s.arguments["src_mask"]
    source: dict[str, str | Tree] = {"E": _table(s, "E_src"), "ids": "src", **_word_options(s)}
    return [
        ("source", Sub(EMBEDDING, source, hidden=("PE",))),
        ("encoder", Sub(ENCODER, {"X": "source", **options, **_layer_arguments(s, "enc")}, ("encoder_", "enc_", ""))),
    ]


def _decode(s: Setting, ids: str, memory: str, suffix: str = "") -> list[Recipe]:
    """Return the steps for the embedding of the target, the decoder and the logits."""
    target: dict[str, str | Tree] = {"E": _table(s, "E_tgt"), "ids": ids, **_word_options(s)}
    options = {**_layer_options(s), **s.pass_on("memory_mask"), **_layer_arguments(s, "dec")}
    steps: list[Recipe] = [
        (f"target{suffix}", Sub(EMBEDDING, target, hidden=("PE",))),
        (
            f"decoder{suffix}",
            Sub(DECODER, {"X": f"target{suffix}", "memory": memory, **options}, ("decoder_", "dec_", "")),
        ),
    ]
    if s.has("W_out"):
        steps.append((f"logits{suffix}", projection(s, f"decoder{suffix}", "W_out", "b_out")))
    return steps


def _word_options(s: Setting) -> dict[str, str | Tree]:
    return s.pass_on("PE", "embed_scale", "positions", *(o.name for o in POSITION_OPTIONS))


def _layer_arguments(s: Setting, side: str) -> dict[str, str | Tree]:
    """Return the arguments for single layers of the encoder or the decoder, such as `enc2_W_Q`."""
    return {name: tree for name, tree in s.arguments.items() if re.match(rf"{side}\d+_", name)}


def _layer_options(s: Setting) -> dict[str, str | Tree]:
    options = s.pass_on("layers", *(o.name for o in ENCODER.options if o.name != "base" and o not in ROTARY_OPTIONS))
    return options | ({"base": s.arguments["softmax_base"]} if "softmax_base" in s.arguments else {})


def _greedy_decode(s: Setting) -> Trace:
    """Yield the encoder's steps, then for each time step the decoder's steps and the most probable next word."""
    start, end, max_words = s.id("start_token"), s.id("end_token"), s.integer("most") or 10
    if start is None or not s.has("W_out"):
        raise FormulaError(f"greedy_decode needs {'start_token' if start is None else 'W_out'}")
    s.say("end_token", "none" if end is None else str(end))
    yield from _encode(s)
    words = [start]
    for t in range(1, max_words + 1):
        s.trees["so_far"] = parse(f"hstack({', '.join(map(str, words))})")
        yield (f"tgt_{t}", "so_far")
        yield from _decode(s, f"tgt_{t}", "encoder", f"_{t}")
        yield (f"P_{t}", f"softmax_cols(logits_{t}[:, {t - 1}])" if s.columns else f"softmax(logits_{t}[{t - 1}])")
        yield (f"next_{t}", f"argmax_rows(P_{t}{'.T' if s.columns else ''})")
        words.append((yield Ask(f"next_{t}")))
        if words[-1] == end:
            break
    yield ("ids", f"hstack({', '.join(f'next_{t}' for t in range(1, len(words)))})")


def _table(s: Setting, name: str) -> str:
    return name if s.has(name) else "E"


# The option `base` belongs to the position table, so the base of the softmax has another name.
_SOFTMAX_BASE = Option(
    "softmax_base", "formula", "e", "the base of every softmax in attention", demand="positive", examples=("2",)
)
_LAYER_OPTIONS = tuple(_SOFTMAX_BASE if o.name == "base" else o for o in DECODER.options if o not in ROTARY_OPTIONS)
_STACKS = (*ENCODER.inputs, *(i for i in DECODER.inputs if i.name not in {e.name for e in ENCODER.inputs} | {"memory"}))

TRANSFORMER = Lesson(
    "transformer",
    "The encoder–decoder Transformer: from the token IDs to the probabilities of the next words.",
    (
        Input("src", "the IDs of the source tokens"),
        Input("tgt", "the IDs of the target tokens so far, shifted right: the start token first"),
        Input("E", "the embedding table of both languages", optional=True),
        Input("E_src", "the embedding table of the source", optional=True),
        Input("E_tgt", "the embedding table of the target", optional=True),
        *(i for i in _STACKS if i.name != "X"),
        Input("PE", "your own table of position vectors", optional=True, named=True),
        Input("W_out", "the weights of the output layer", optional=True),
        Input("b_out", "the bias of the output layer", optional=True, shape=FEATURES),
    ),
    (
        *_LAYER_OPTIONS,
        Option(
            "src_mask",
            "mask",
            "none",
            "which source tokens each source token may attend to, query × key",
            examples=("causal",),
        ),
        _EMBED_SCALE,
        _POSITIONS,
        *POSITION_OPTIONS,
    ),
    {
        "source": "the source words: embeddings plus positions",
        "encoder": "the encoded source sentence: each word in its context",
        "target": "the target words so far: embeddings plus positions",
        "decoder": "the decoder's state after each target word",
        "logits": "one logit per token of the vocabulary, after each token",
        "P": "the probability of each next word, after each token",
    },
    _transformer,
    prefixes=r"(?:enc|dec)\d*_|(?:encoder|decoder)_",
    source="Vaswani et al. 2017.",
)

_WORDS = tuple(i for i in TRANSFORMER.inputs if i.name != "tgt")

GREEDY_DECODE = Lesson(
    "greedy_decode",
    "Translation word by word: at each step the most probable next word is appended, until the end token is reached.",
    _WORDS,
    (
        Option("start_token", "formula", "none", "the ID of the token that every target begins with", examples=("1",)),
        Option("end_token", "formula", "none", "the ID of the token that ends the target", examples=("2",), ends=True),
        Option("most", "whole", "10", "the largest number of words", largest=50, ends=True),
        *TRANSFORMER.options,
    ),
    {
        "source": "the source words: embeddings plus positions",
        "encoder": "the encoded source sentence: each word in its context",
        "tgt_1": "the target words so far",
        "target_1": "embeddings plus positions",
        "decoder_1": "the decoder's state after each target word",
        "logits_1": "one logit per token of the vocabulary, after each token",
        "P_1": "the probability of each next word",
        "next_1": "the index of the most probable word",
        "ids": "the decoded words",
    },
    lambda s: [],
    prefixes=TRANSFORMER.prefixes,
    trace=_greedy_decode,
    source="Vaswani et al. 2017.",
)
