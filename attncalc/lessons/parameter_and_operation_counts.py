"""Counts of parameters and multiply–adds, and a comparison of layers (for bytes, see memory_and_training_cost.py).
Sources count differently. Therefore each choice is a word option, and each kind of parameter is a step.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import FormulaError
from ..formula.syntax_tree import Name
from .lesson import Input, Lesson, Option, Recipe, Setting

_TRUTH = ("true", "false")
_ALL = ("*",)

# -- published models: common options of each family, then the sizes of each model -------------------------------------
_BERT = {
    "model": "encoder_only",
    "vocabulary": "30522",
    "positions": "512",
    "types": "2",
    "embedding_norm": "true",
    "pooler": "true",
}
_GPT_2 = {"model": "decoder_only", "vocabulary": "50257", "positions": "1024", "final_norm": "true"}
_LLAMA = {
    "model": "decoder_only", "attention_biases": "false", "biases": "false", "norm_weights": "gamma",
    "final_norm": "true", "tied": "none", "gated": "true",
}  # fmt: skip
_VIT = {"model": "encoder_only", "patch_inputs": "768", "positions": "197", "classes": "1000", "final_norm": "true"}


class Preset(NamedTuple):
    """A published model: its options, and its total number of parameters."""

    options: dict[str, str]
    total: int


def _family_member(
    family: dict[str, str], d_model: int, d_ff: int, layers: int, heads: int, **other_options: str
) -> dict[str, str]:
    return (
        family
        | {"d_model": str(d_model), "d_ff": str(d_ff), "layers": str(layers), "heads": str(heads)}
        | other_options
    )


PRESETS = {
    "transformer_base": Preset(_family_member({"vocabulary": "37000"}, 512, 2048, 6, 8), 63_082_496),
    "transformer_big": Preset(_family_member({"vocabulary": "37000"}, 1024, 4096, 6, 16), 214_245_376),
    "bert_base": Preset(_family_member(_BERT, 768, 3072, 12, 12), 109_482_240),
    "bert_large": Preset(_family_member(_BERT, 1024, 4096, 24, 16), 335_141_888),
    "gpt2": Preset(_family_member(_GPT_2, 768, 3072, 12, 12), 124_439_808),
    "gpt2_medium": Preset(_family_member(_GPT_2, 1024, 4096, 24, 16), 354_823_168),
    "gpt2_large": Preset(_family_member(_GPT_2, 1280, 5120, 36, 20), 774_030_080),
    "gpt2_xl": Preset(_family_member(_GPT_2, 1600, 6400, 48, 25), 1_557_611_200),
    "llama_7b": Preset(_family_member(_LLAMA, 4096, 11008, 32, 32, vocabulary="32000"), 6_738_415_616),
    "llama3_8b": Preset(_family_member(_LLAMA, 4096, 14336, 32, 32, vocabulary="128256", kv_heads="8"), 8_030_261_248),
    "vit_b16": Preset(_family_member(_VIT, 768, 3072, 12, 12), 86_567_656),
}


def _record_words(s: Setting, *options: str) -> dict[str, str]:
    return {name: s.say_word(name) for name in options}


# -- parameters --------------------------------------------------------------------------------------------------------

_MODELS = ("transformer", "encoder_only", "decoder_only", "encoder_layer", "decoder_layer", "attention")


def _parameters(s: Setting) -> list[Recipe]:
    if (preset := s.word("preset")) != "none":
        s.say("preset", preset)
        for name, value in PRESETS[preset].options.items():
            s.assume(name, value)
    options = _record_words(s, "model", "attention_biases")
    model = options["model"]
    steps = _attention_parameters(s, options["attention_biases"] == "true")
    if model == "attention":
        return steps
    options |= _record_words(s, "biases", "norm_weights")
    steps += _layer_parameters(s, model, options["biases"] == "true", options["norm_weights"])
    if model.endswith("_layer"):
        return steps
    _record_words(s, "tied", "final_norm")
    return [*steps, *_table_parameters(s, model), *_total_parameters(s, model, options["norm_weights"])]


def _head_widths(s: Setting) -> tuple[str, str] | None:
    """Return the formulas of the head width and of the number of key/value heads; None if neither is given."""
    if not (s.has("kv_heads") or s.has("d_k")):
        return None
    if not s.has("heads"):
        raise FormulaError(f"{s.lesson.name} needs heads if kv_heads or d_k is given")
    _refuse_uneven(s, "heads", "kv_heads")
    if not s.has("d_k"):
        _refuse_uneven(s, "d_model", "heads")
    return "d_k" if s.has("d_k") else "d_model / heads", "kv_heads" if s.has("kv_heads") else "heads"


def _refuse_uneven(s: Setting, dividend: str, divisor: str) -> None:
    if s.has(dividend) and s.has(divisor):
        dividend_value, divisor_value = (s.static_of(s.trees.get(name, Name(name))) for name in (dividend, divisor))
        if dividend_value is not None and divisor_value and (dividend_value / divisor_value).denominator != 1:
            raise FormulaError(
                f"{divisor} must divide {dividend}; {dividend} is {dividend_value} and {divisor} is {divisor_value}",
                about=divisor,
            )


def _attention_parameters(s: Setting, biases: bool) -> list[Recipe]:
    """Return the steps that count the parameters of W_Q, W_K, W_V and W_O. Heads may have another width or shared
    keys.
    """
    projections, flat = "4 * d_model ** 2", "4 * d_model"
    if heads := _head_widths(s):
        width, shared = heads
        projections = f"2 * d_model * heads * {width} + 2 * d_model * {shared} * {width}"
        flat = f"heads * {width} + 2 * {shared} * {width} + d_model"
    return [("projections", projections), ("attention", f"projections + {flat}" if biases else "projections")]


def _layer_parameters(s: Setting, model: str, biases: bool, norm: str) -> list[Recipe]:
    matrices = 3 if s.flag("gated") else 2
    inner = f"{matrices} * d_model * d_ff" + (f" + {'2 * ' if matrices == 3 else ''}d_ff + d_model" if biases else "")
    steps: list[Recipe] = [("feed_forward", inner)]
    if norm != "none":
        steps.append(("norm", "2 * d_model" if norm == "both" else "d_model"))

    def layer(name: str, attentions: int) -> Recipe:
        parts = ["attention" if attentions == 1 else f"{attentions} * attention", "feed_forward"]
        return (name, " + ".join([*parts, f"{attentions + 1} * norm"] if norm != "none" else parts))

    if model in ("transformer", "encoder_only", "encoder_layer"):
        steps.append(layer("encoder_layer", 1))
    if model in ("transformer", "decoder_layer"):
        steps.append(layer("decoder_layer", 2))
    return [*steps, layer("decoder_layer", 1)] if model == "decoder_only" else steps


def _table_parameters(s: Setting, model: str) -> list[Recipe]:
    """Return the steps that count the parameters of embeddings and output layer. The option `tied` selects which of
    them share a matrix.
    """
    if s.has("patch_inputs"):
        return [
            ("patch_projection", "patch_inputs * d_model + d_model"),
            ("class_token", "d_model"),
            *_position_parameters(s),
        ]
    tables = (
        {"all": "1", "output": "2", "none": "3"}[s.word("tied")]
        if model == "transformer"
        else {"none": "2"}.get(s.word("tied"), "1")
    )
    if tables != "1" and s.has("src_vocabulary"):
        sizes = "(src_vocabulary + vocabulary)" if tables == "2" else "(src_vocabulary + 2 * vocabulary)"
    else:
        sizes = "vocabulary" if tables == "1" else f"{tables} * vocabulary"
    return [("tables", f"{sizes} * d_model"), *_position_parameters(s)]


def _position_parameters(s: Setting) -> list[Recipe]:
    steps: list[Recipe] = [("position_table", "positions * d_model")] if s.has("positions") else []
    return [*steps, *([("type_table", "types * d_model")] if s.has("types") else [])]


def _total_parameters(s: Setting, model: str, norm: str) -> list[Recipe]:
    layers = {
        "transformer": "layers * (encoder_layer + decoder_layer)",
        "encoder_only": "layers * encoder_layer",
        "decoder_only": "layers * decoder_layer",
    }[model]
    total = f"{layers} + " + ("patch_projection + class_token" if s.has("patch_inputs") else "tables")
    total += "".join(
        f" + {table}" for table, size in (("position_table", "positions"), ("type_table", "types")) if s.has(size)
    )
    if s.flag("embedding_norm") and norm != "none":
        total += " + norm"
    if s.word("final_norm") == "true" and norm != "none":
        total += " + 2 * norm" if model == "transformer" else " + norm"
    if s.word("output_bias") == "true":
        s.say("output_bias", "true")
        total += " + vocabulary"
    last: list[Recipe] = []
    if s.flag("pooler"):
        last.append(("pooler", "d_model ** 2 + d_model"))
    if s.has("classes"):
        last.append(("head", "classes * d_model + classes"))
    return [*last, ("total", " + ".join([total, *(name for name, _ in last)]))]


COUNT_PARAMETERS = Lesson(
    "count_parameters",
    "How many numbers a model learns: attention, feed-forward layer, norms, layers, embeddings, and all together.",
    (
        Input("d_model", "the dimension of the model", demand="count"),
        Input("d_ff", "the hidden dimension of the feed-forward network", demand="count"),
        Input("layers", "the number of layers, or of layers on each side", demand="count"),
        Input("vocabulary", "the number of tokens of the vocabulary", demand="count"),
        Input("src_vocabulary", "the number of tokens of the source vocabulary, "
        "if this is a different vocabulary", optional=True, demand="count"),
        Input("heads", "the number of heads; without kv_heads and d_k it does not change the count",
            optional=True, demand="count"),
        Input("kv_heads", "the number of key/value heads, "
        "if query heads share keys and values", optional=True, demand="count"),
        Input("d_k", "the dimension of a head, if it is not d_model / heads", optional=True, demand="count"),
        Input("positions", "the number of learned positions; sinusoids are not learned", optional=True, demand="count"),
        Input("types", "the number of segment types, each with its own vector (BERT: 2)", optional=True,
            demand="count"),
        Input("patch_inputs", "the number of entries of a flattened patch, if the tokens are patches (ViT)",
            optional=True, demand="count"),
        Input("classes", "the number of classes of the output layer", optional=True, demand="count"),
    ),
    (
        Option("preset", "word", "none", "the sizes and options of a published model; settings in the file "
        "override them",
               ("none", *PRESETS)),
        Option("model", "word", "transformer", "the part of a model that is counted, up to the whole model", _MODELS),
        Option("attention_biases", "word", "true", "whether the four projections of attention have biases", _TRUTH),
        Option("biases", "word", "true", "whether the feed-forward networks have biases", _TRUTH),
        Option("norm_weights", "word", "both", "the parameters of each norm: gamma and beta, only gamma, or none",
            ("both", "gamma", "none")),
        Option("final_norm", "word", "false", "whether a norm follows the last layer of each side", _TRUTH),
        Option("tied", "word", "all", "which tables are shared: all tables (all), the embeddings of the target and "
        "the output layer (output), or none (none)",
            ("all", "output", "none")),
        Option("output_bias", "word", "false", "whether the output layer has a bias", _TRUTH),
        Option("gated", "flag", "false", "true also counts a third matrix in the feed-forward network (SwiGLU)"),
        Option("embedding_norm", "flag", "false", "true also counts a norm after the embeddings (BERT)"),
        Option("pooler", "flag", "false", "true also counts BERT's pooler, a dense layer on the first token"),
    ),
    {
        "projections": "the entries of W_Q, W_K, W_V and W_O of all heads together",
        "attention": "one attention block, including biases if any",
        "feed_forward": "one feed-forward layer, including biases if any",
        "norm": "one norm: gamma, and beta if it has one",
        "encoder_layer": "one attention block, the feed-forward layer, and one norm for each of them",
        "decoder_layer": "its attention blocks, the feed-forward layer, and one norm for each of them",
        "tables": "the embeddings and the output layer; shared tables are counted once",
        "position_table": "the learned positions",
        "type_table": "the vectors of the segment types",
        "patch_projection": "the projection of flattened patches to tokens, with its bias",
        "class_token": "the class token before the patches",
        "pooler": "the pooler, a dense layer on the first token",
        "head": "the output layer over the classes, with its bias",
        "total": "the whole model",
    },
    _parameters,
    counts=_ALL,
    source="The papers of the presets: Vaswani et al. 2017, Devlin et al. 2019 (BERT), Radford et al. 2019 "
    "(GPT-2), Touvron et al. 2023 (LLaMA), Llama team 2024 (Llama 3), Dosovitskiy et al. 2021 (ViT).",
)  # fmt: skip


# -- multiply-adds -----------------------------------------------------------------------------------------------------


def _operations(s: Setting) -> list[Recipe]:
    projections, joined = "4 * tokens * d_model ** 2", "d_model"
    if heads := _head_widths(s):
        width, shared = heads
        projections = f"tokens * (2 * d_model * heads * {width} + 2 * d_model * {shared} * {width})"
        joined = "heads * d_k" if s.has("d_k") else "d_model"
    steps: list[Recipe] = [
        ("projections", projections),
        ("scores", f"tokens ** 2 * {joined}"),
        ("weighted", f"tokens ** 2 * {joined}"),
        ("attention", "projections + scores + weighted"),
        ("feed_forward", f"{3 if s.flag('gated') else 2} * tokens * d_model * d_ff"),
        ("layer", "attention + feed_forward"),
    ]
    if s.has("layers"):
        steps.append(("total", "layers * layer"))
    last = "total" if s.has("layers") else "layer"
    return [
        *steps,
        ("share", f"(scores + weighted){' * layers' if last == 'total' else ''} / {last}"),
        ("flops", f"2 * {last}"),
    ]


COUNT_OPERATIONS = Lesson(
    "count_operations",
    "How many multiply–adds the matrix products of encoder layers take for one sentence: one part grows with n, and "
    "the other with n².",
    (
        Input("tokens", "the length of the sentence; a file may also call it n", demand="count", also=("n",)),
        Input("d_model", "the dimension of the model", demand="count"),
        Input("d_ff", "the hidden dimension of the feed-forward network", demand="count"),
        Input("layers", "the number of layers; 1 by default", optional=True, demand="count"),
        Input(
            "heads",
            "the number of heads; without kv_heads and d_k it does not change the count",
            optional=True,
            demand="count",
        ),
        Input(
            "kv_heads",
            "the number of key/value heads, if query heads share keys and values",
            optional=True,
            demand="count",
        ),
        Input("d_k", "the dimension of a head, if it is not d_model / heads", optional=True, demand="count"),
    ),
    (Option("gated", "flag", "false", "true also counts a third matrix in the feed-forward network (SwiGLU)"),),
    {
        "projections": "the products with W_Q, W_K, W_V and W_O",
        "scores": "Q Kᵀ of all heads together: n² times the sum of their dimensions",
        "weighted": "A V of all heads together: as many multiply–adds as for the scores",
        "attention": "one attention block",
        "feed_forward": "the products of the feed-forward network",
        "layer": "one layer",
        "total": "all layers",
        "share": "the share of the multiply–adds that grows with n²",
        "flops": "floating-point operations: two per multiply–add",
    },
    _operations,
    counts=_ALL,
    source="Kaplan et al. 2020.",
)


# -- layers compared ---------------------------------------------------------------------------------------------------


def _compare(s: Setting) -> list[Recipe]:
    stacked = s.word("stacking")
    steps: list[Recipe] = [("self_attention", "hstack(n ** 2 * d, 1, 1)"), ("recurrence", "hstack(n * d ** 2, n, n)")]
    rows = ["self_attention", "recurrence"]
    if s.has("kernel"):
        s.say("stacking", stacked)
        reach = "ceil(log(n) / log(kernel))" if stacked == "dilated" else "ceil(n / kernel)"
        steps += [("convolution_path", reach), ("convolution", "hstack(kernel * n * d ** 2, 1, convolution_path)")]
        rows.append("convolution")
    if s.has("reach"):
        steps.append(("restricted", "hstack(reach * n * d, 1, ceil(n / reach))"))
        rows.append("restricted")
    return [*steps, ("table", f"vstack({', '.join(rows)})")]


COMPARE_LAYERS = Lesson(
    "compare_layers",
    "Self-attention compared with recurrence and convolution, as in the paper's table: operations per layer, "
    "sequential steps, longest path.",
    (
        Input("n", "the length of the sentence", demand="count"),
        Input("d", "the dimension of the vectors", demand="count"),
        Input("kernel", "the width of the kernel of the convolution", optional=True, demand="count"),
        Input("reach", "the number of neighbours in restricted self-attention", optional=True, demand="count"),
    ),
    (
        Option("stacking", "word", "dilated", "dilated convolutions (n words are connected after log_k(n) layers) or "
        "contiguous ones (after n/k layers)",
               ("dilated", "contiguous")),
    ),
    {
        "self_attention": "n²·d operations, 1 sequential step, and one step between any two words",
        "recurrence": "n·d² operations, n sequential steps, and a path of n steps from the first word to the last",
        "convolution_path": "how many layers connect the first and the last word",
        "convolution": "k·n·d² operations, 1 sequential step, and the longest path: the number of layers "
        "needed to connect any two words",
        "restricted": "r·n·d operations, 1 sequential step, and a path of n/r steps",
        "table": "one layer per row: operations, sequential steps, longest path",
    },
    _compare,
    zero={"convolution_path": "a kernel of width 1 connects no two words"},
    counts=_ALL,
    source="Vaswani et al. 2017, Table 1. Linear recurrences in parallel: Martin and Cundy 2018.",
)  # fmt: skip
