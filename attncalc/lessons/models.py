"""Whole models: words to vectors with their places, and the encoder–decoder from tokens to next-word probabilities."""

from __future__ import annotations

from ..formula.tree import Tree
from .attention import projection
from .base import Input, Lesson, Option, Recipe, Setting, Sub
from .layers import DECODER, ENCODER
from .position import POSITION_OPTIONS, position_table

_EMBED_SCALE = Option("embed_scale", "formula", "none", "what the embeddings are multiplied by, such as sqrt(d_model)")
_POSITIONS = Option("positions", "word", "sinusoidal", "the sinusoidal table, a table of your own (PE), or none", ("sinusoidal", "given", "none"))


def _embedding(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = [("embedded", "lookup(E, ids)")]
    current = "embedded"
    if s.text("embed_scale"):
        steps.append(("scaled", "embedded * embed_scale"))
        s.say("embed_scale", s.shown("embed_scale"))
        current = "scaled"
    kind = "given" if "PE" in s.arguments else s.word("positions")
    s.say("positions", kind)
    if kind == "none":
        return steps
    if kind == "sinusoidal":
        steps.append(("PE", position_table(s, f"rows({current})", f"cols({current})")))
        steps.append(("X_pe", f"{current} + PE"))
    else:
        steps.append(("X_pe", f"{current} + PE[0:{max(s.shape('ids'))}]"))
    return steps


EMBEDDING = Lesson(
    "embedding",
    "Words to vectors: each token's row of the embedding table, with its place added.",
    (
        Input("E", "the embedding table, one word a row"),
        Input("ids", "the numbers of the tokens"),
        Input("PE", "a position table of your own", optional=True, named=True),
    ),
    (_EMBED_SCALE, _POSITIONS, *POSITION_OPTIONS),
    {
        "embedded": "each token's row of the table",
        "scaled": "the embeddings, brought to the size of the positions",
        "PE": "the position table: a row for each place in the sentence",
        "X_pe": "the tokens with their places added",
    },
    _embedding,
)


def _transformer(s: Setting) -> list[Recipe]:
    words = s.pass_on("embed_scale", "positions", *(o.name for o in POSITION_OPTIONS))
    layers = s.pass_on("layers", *(o.name for o in ENCODER.options))
    source: dict[str, str | Tree] = {"E": _table(s, "E_src"), "ids": "src", **words}
    target: dict[str, str | Tree] = {"E": _table(s, "E_tgt"), "ids": "tgt", **words}
    decoder_options = {**layers, **s.pass_on("memory_mask")}
    encoder_options = {name: tree for name, tree in layers.items() if not name.startswith("mask")}
    if "src_mask" in s.arguments:
        encoder_options["mask"] = s.arguments["src_mask"]
    steps: list[Recipe] = [
        ("source", Sub(EMBEDDING, source, hidden=("PE",))),
        ("encoder", Sub(ENCODER, {"X": "source", **encoder_options}, ("encoder_", "enc_", ""))),
        ("target", Sub(EMBEDDING, target, hidden=("PE",))),
        ("decoder", Sub(DECODER, {"X": "target", "memory": "encoder", **decoder_options}, ("decoder_", "dec_", ""))),
    ]
    result = "decoder"
    if s.has("W_out"):
        steps.append(("logits", projection(s, "decoder", "W_out", "b_out")))
        result = "logits"
        steps.append(("P", f"softmax({result})"))
    return steps


def _table(s: Setting, name: str) -> str:
    return name if s.has(name) else "E"


_STACKS = (*ENCODER.inputs, *(i for i in DECODER.inputs if i.name not in {e.name for e in ENCODER.inputs} | {"memory"}))

TRANSFORMER = Lesson(
    "transformer",
    "The encoder–decoder Transformer: from the numbers of the tokens to the probabilities of the next words.",
    (
        Input("src", "the numbers of the source tokens"),
        Input("tgt", "the numbers of the target tokens so far, shifted right: the start token first"),
        Input("E", "the embedding table of both languages", optional=True),
        Input("E_src", "the embedding table of the source", optional=True),
        Input("E_tgt", "the embedding table of the target", optional=True),
        *(i for i in _STACKS if i.name != "X"),
        Input("W_out", "the weights to the vocabulary", optional=True),
        Input("b_out", "their bias", optional=True),
    ),
    (
        *ENCODER.options,
        *(o for o in DECODER.options if o.name == "memory_mask"),
        Option("src_mask", "mask", "none", "which source tokens may be seen, query × key"),
        _EMBED_SCALE,
        _POSITIONS,
        *POSITION_OPTIONS,
    ),
    {
        "source": "the source words as vectors with their places",
        "encoder": "the source sentence, understood",
        "target": "the target words so far as vectors with their places",
        "decoder": "what the target so far asks for next",
        "logits": "a score for each word of the vocabulary, after each token",
        "P": "the probability of each next word, after each token",
    },
    _transformer,
    prefixes=r"(?:enc|dec|encoder|decoder)\d*_",
)
