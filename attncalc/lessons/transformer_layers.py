"""Encoder and decoder layers, and stacks of layers, with attention, Add & Norm and feed-forward as inner lessons."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Number, Tree
from .attention import ATTENTION_OPTIONS, D_K, projection
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting, Sub
from .multi_head import MULTI_HEAD_ATTENTION
from .normalization import ADD_NORM, LAYER_NORM, LAYER_NORM_OPTIONS, RMS_NORM
from .positional_encoding import ROTARY_OPTIONS

_ACTIVATIONS = {
    "relu": "relu({0})",
    "gelu": "gelu({0})",
    "gelu_tanh": 'gelu({0}, form="tanh")',
    "gelu_sigmoid": 'gelu({0}, form="sigmoid")',
    "silu": "silu({0})",
    "tanh": "tanh({0})",
    "sigmoid": "sigmoid({0})",
    "none": "{0}",
}


def feed_forward_steps(s: Setting) -> list[Recipe]:
    """Return the steps `hidden`, `active` and `Y`, and the step of the gate if there is a gate."""
    word = s.say_word("activation")
    hidden, last = ("hidden", projection(s, "X", "W_1", "b_1")), ("Y", projection(s, "active", "W_2", "b_2"))
    ends = [] if "W_2" in s.arguments and not s.has("W_2") else [last]  # `W_2: none` means a single layer
    if not s.has("W_gate"):
        return [hidden, ("active", _ACTIVATIONS[word].format("hidden")), *ends]
    gate = ("gate", projection(s, "X", "W_gate", "b_gate"))
    return [hidden, gate, ("active", f"{_ACTIVATIONS[word].format('gate')} * hidden"), *ends]


FEED_FORWARD = Lesson(
    "feed_forward",
    "Two layers with an activation between them, applied to each token in the same way: f(X W_1 + b_1) W_2 + b_2.",
    (
        Input("X", "the tokens, one per row"),
        Input("W_1", "the weights of the first layer"),
        Input("b_1", "the bias of the first layer", optional=True, shape=FEATURES),
        Input("W_2", "the weights of the second layer; none: no second layer"),
        Input("b_2", "the bias of the second layer", optional=True, shape=FEATURES),
        Input(
            "W_gate",
            "the weights of a gate, which multiplies the hidden layer (SwiGLU with activation: silu)",
            optional=True,
        ),
        Input("b_gate", "the bias of the gate", optional=True, shape=FEATURES),
    ),
    (Option("activation", "word", "relu", "the function between the layers", tuple(_ACTIVATIONS)),),
    {
        "hidden": "the first layer, before its activation",
        "gate": "the gate, which scales each feature of the hidden layer",
        "active": "the values after the activation",
        "Y": "the second layer",
    },
    feed_forward_steps,
    source="Vaswani et al. 2017; with a gate: Shazeer 2020.",
)


# -- feed-forward network ----------------------------------------------------------------------------------------------


_ATTENTION = tuple(o.name for o in ATTENTION_OPTIONS)
_ROTARY = tuple(o.name for o in ROTARY_OPTIONS)
_NORM = tuple(o.name for o in LAYER_NORM_OPTIONS)
_ARGUMENT_ONLY = ("Q", "K", "V", "memory")  # inputs whose values are arguments, never givens

_LAYER_OPTIONS = (
    Option("norm", "word", "after", "LayerNorm after each sublayer (the paper) or before it, or RMSNorm before it "
           "(rms, as in LLaMA)",
           ("after", "before", "rms")),
    Option("heads", "whole", "1", "the number of heads; if each head has its own matrix, "
    "attncalc counts the heads", examples=("2",)),
    Option("kv_heads", "whole", "none", "the number of key/value heads; by default, the number of heads",
           examples=("1",)),
    *ATTENTION_OPTIONS,
    *ROTARY_OPTIONS,
    *FEED_FORWARD.options,
    *LAYER_NORM_OPTIONS,
    Option("dropout", "formula", "none", "the rate in training; here, as always at test time, dropout changes nothing",
        examples=("0.1",)),
)  # fmt: skip
_RMS_EPS: dict[str, str | Tree] = {"eps": parse("1e-5")}
_INNER_DEFAULTS = ("rotary", "silu")  # defaults of LLaMA that differ from the defaults of inner lessons
_LAYERS = Option("layers", "whole", "1", "the number of consecutive layers", examples=("2",))


def _weights(kind: str, prefix: str = "") -> tuple[Input, ...]:
    names = [
        (f"W_{n}", f"{kind}: the {w} weights", False) for n, w in zip("QKV", ("query", "key", "value"), strict=True)
    ]
    names += [(f"b_{n}", f"{kind}: the {w} bias", True) for n, w in zip("QKV", ("query", "key", "value"), strict=True)]
    names += [
        ("W_O", f"{kind}: the weights that mix the heads", True),
        ("b_O", f"{kind}: the bias that is added after W_O", True),
    ]
    return tuple(
        Input(
            prefix + name, doc, optional, numbered=name not in ("W_O", "b_O"), shape=FEATURES if name[0] == "b" else ""
        )
        for name, doc, optional in names
    )


_FFN = tuple(i for i in FEED_FORWARD.inputs if i.name != "X")


_STRETCH = (("gamma", "the factor of each feature"), ("beta", "the number that is added to each feature"))


def _gammas(count: int) -> tuple[Input, ...]:
    numbered = tuple(
        Input(f"{name}_{k}", f"LayerNorm {k}: {doc}", optional=True, shape=FEATURES)
        for k in range(1, count + 1)
        for name, doc in _STRETCH
    )
    return (
        *numbered,
        *(
            Input(name, f"{doc}, in every LayerNorm that has none of its own", optional=True, shape=FEATURES)
            for name, doc in _STRETCH
        ),
    )


def attention_of_layer(
    s: Setting, tokens: str, memory: str = "", cross: bool = False, mask: Tree | str | None = None
) -> Sub:
    """Return the multi-head attention of a layer. Queries are from `tokens`, and keys and values from `memory` if
    given.

    With `cross`, weights with the prefix `cross_` have priority, and options of self-attention do not apply. `mask` is
    the default mask. The default number of heads is 1.
    """
    arguments: dict[str, str | Tree] = {
        "X": tokens,
        **s.pass_on("heads", "kv_heads", *_ATTENTION),
        **_inner_options(s, *_ROTARY),
    }
    if cross:  # masks, biases and rotations apply only to self-attention
        arguments = {
            k: v
            for k, v in arguments.items()
            if k == "mask_at" or not k.startswith(("mask", "bias", "positions", "rotary"))
        }
    if memory:
        arguments["memory"] = memory
    if mask is not None:
        arguments.setdefault("mask", mask)
    if s.has("d_k"):
        arguments["d_k"] = "d_k"
    weights_name = "cross_W_Q_1" if cross else "W_Q_1"
    if not s.has(weights_name) or ("cross_W_Q" if cross else "W_Q") in s.arguments:
        arguments.setdefault("heads", Number("1"))
    return Sub(MULTI_HEAD_ATTENTION, arguments, ("cross_",) if cross else ("",), _ARGUMENT_ONLY)


def _norm(s: Setting, lesson: Lesson, k: int, arguments: dict[str, str | Tree]) -> Sub:
    """Return norm `k` with gamma_k and beta_k if they exist, otherwise with gamma and beta."""
    rms = lesson is RMS_NORM
    for name in ("gamma",) if rms else ("gamma", "beta"):
        if s.has(f"{name}_{k}"):
            arguments[name] = f"{name}_{k}"
    return Sub(lesson, {**arguments, **(_RMS_EPS | s.pass_on("eps") if rms else s.pass_on(*_NORM))})


def norm_of_layer(s: Setting, k: int, tokens: str) -> Sub:
    """Return LayerNorm `k` of `tokens`."""
    return _norm(s, LAYER_NORM, k, {"X": tokens})


def _inner_options(s: Setting, *options: str) -> dict[str, str | Tree]:
    """Return the options for an inner lesson, including defaults of the outer lesson that the inner lesson does not
    have.
    """
    stated = {
        name: parse(option.default)
        for name in options
        if (option := s.lesson.option(name)) is not None and option.default in _INNER_DEFAULTS
    }
    return stated | s.pass_on(*options)


def feed_forward_of_layer(s: Setting, tokens: str) -> Sub:
    return Sub(FEED_FORWARD, {"X": tokens, **_inner_options(s, "activation")})


def sublayers(s: Setting, parts: dict[str, Callable[[str], Sub]]) -> list[Recipe]:
    """Return the steps of the sublayers in order, each with its residual, and with a norm after or before it."""
    steps: list[Recipe] = []
    current = "X"
    norm_first = s.word("norm") != "after"
    norm = RMS_NORM if s.word("norm") == "rms" else LAYER_NORM
    for k, (name, build) in enumerate(parts.items(), 1):
        if norm_first:
            steps.append((f"norm{k}", _norm(s, norm, k, {"X": current})))
            steps.append((name, build(f"norm{k}")))
            residual = "Y" if k == len(parts) else f"residual{k}"
            steps.append((residual, f"{current} + {name}"))
            current = residual
        else:
            steps.append((name, build(current)))
            steps.append((f"norm{k}", _norm(s, ADD_NORM, k, {"X": current, "sublayer": name})))
            current = f"norm{k}"
    s.say_word("norm")
    if s.lesson.option("dropout") and "dropout" in s.arguments:
        s.say("dropout", "off, as always at test time")
    return steps


def encoder_layer_steps(s: Setting, mask: str | None = None) -> list[Recipe]:
    """Return the steps of self-attention (`mask` is the default mask) and of the feed-forward network."""
    return sublayers(
        s, {"attention": lambda x: attention_of_layer(s, x, mask=mask), "ffn": lambda x: feed_forward_of_layer(s, x)}
    )


def _llama_layer(s: Setting) -> list[Recipe]:
    if not s.has("W_gate"):
        raise FormulaError("llama_layer needs W_gate, the weights of the gate (SwiGLU)")
    return encoder_layer_steps(s, "causal")


def _decoder_layer(s: Setting) -> list[Recipe]:
    cross_mask = s.arguments.get("memory_mask")
    return sublayers(
        s,
        {
            "masked": lambda x: attention_of_layer(s, x, mask="causal"),
            "cross": lambda x: attention_of_layer(s, x, "memory", cross=True, mask=cross_mask),
            "ffn": lambda x: feed_forward_of_layer(s, x),
        },
    )


def _stack(
    layer: Lesson, prefix: str, more_arguments: dict[str, str | Tree] | None = None
) -> Callable[[Setting], list[Recipe]]:
    """Return the function of a stack of layers. The first layer uses `enc1_W_Q` if it exists, otherwise `W_Q`.
    LayerNorm after the last layer is optional.
    """

    def recipes(s: Setting) -> list[Recipe]:
        steps: list[Recipe] = []
        current = "X"
        options = s.pass_on(*(o.name for o in layer.options))
        count = s.integer("layers") or 1  # `none` means 1
        _refuse_missing_layers(s, prefix, count)
        for k in range(1, count + 1):
            steps.append(
                (
                    f"layer{k}",
                    Sub(
                        layer, {"X": current, **(more_arguments or {}), **options}, (f"{prefix}{k}_", f"{prefix}_", "")
                    ),
                )
            )
            current = f"layer{k}"
        if s.has("gamma_final") or s.has("beta_final") or s.flag("final_norm"):
            arguments: dict[str, str | Tree] = {"X": current, **s.pass_on(*_NORM)}
            arguments |= {name: f"{name}_final" for name in ("gamma", "beta") if s.has(f"{name}_final")}
            if s.word("norm") == "rms":
                rms = {name: tree for name, tree in arguments.items() if name in ("X", "gamma", "eps")}
                steps.append(("norm", Sub(RMS_NORM, _RMS_EPS | rms, hidden=("gamma",))))
            else:
                steps.append(("norm", Sub(LAYER_NORM, arguments, hidden=("gamma", "beta"))))
        s.say("layers", str(count))
        return steps

    return recipes


def _refuse_missing_layers(s: Setting, prefix: str, count: int) -> None:
    for name, tree in s.arguments.items():
        layer = re.match(rf"{prefix}(\d+)_", name)
        if layer and not 1 <= int(layer[1]) <= count:
            raise FormulaError(f"{name} is for layer {layer[1]}; layers is {count}", tree.at, name)


_FINAL = (
    Input("gamma_final", "the LayerNorm after the last layer: gamma", optional=True, shape=FEATURES),
    Input("beta_final", "the LayerNorm after the last layer: beta", optional=True, shape=FEATURES),
)
_FINAL_NORM = Option("final_norm", "flag", "false", "true adds a LayerNorm after the last layer")
_TOKENS = Input("X", "the tokens, one per row")
_MEMORY = Input("memory", "the encoder's output")
_CROSS_MASK = Option(
    "memory_mask",
    "mask",
    "none",
    "which of the encoder's tokens each query may attend to, query × key",
    examples=("causal",),
)
_DECODER_OPTIONS = tuple(o._replace(default="causal") if o.name == "mask" else o for o in _LAYER_OPTIONS)

ENCODER_LAYER = Lesson(
    "encoder_layer",
    "One encoder layer: self-attention and the feed-forward network, each with its residual and LayerNorm.",
    (_TOKENS, *_weights("self-attention"), D_K, *_FFN, *_gammas(2)),
    _LAYER_OPTIONS,
    {
        "attention": "each token attends to tokens of its own sentence",
        "norm1": "LayerNorm of the attention sublayer",
        "ffn": "the same small network for each token separately",
        "norm2": "LayerNorm of the feed-forward sublayer",
        "residual1": "the tokens plus the result of attention",
        "Y": "the layer's result",
    },
    encoder_layer_steps,
    source="Vaswani et al. 2017; residual connections: He et al. 2016. With norm: before, Xiong et al. 2020; with "
    "norm: rms, Touvron et al. 2023 (LLaMA).",
)
_LLAMA_DEFAULTS = {"norm": "rms", "positions": "rotary", "activation": "silu", "mask": "causal"}
LLAMA_LAYER = Lesson(
    "llama_layer",
    "One layer of LLaMA: RMSNorm before each sublayer, causal attention with rotary positions, and a gated "
    "feed-forward network (SwiGLU).",
    tuple(i._replace(optional=i.optional and i.name != "W_gate") for i in ENCODER_LAYER.inputs),
    tuple(o._replace(default=_LLAMA_DEFAULTS.get(o.name, o.default)) for o in _LAYER_OPTIONS),
    {
        "norm1": "RMSNorm before attention",
        "attention": "every token attends to itself and the tokens before it",
        "residual1": "the tokens plus the result of attention",
        "norm2": "RMSNorm before the feed-forward network",
        "ffn": "the same small gated network applied to each token separately",
        "Y": "the layer's result",
    },
    _llama_layer,
    source="Touvron et al. 2023 (LLaMA); norms before the sublayers: Xiong et al. 2020.",
)
DECODER_LAYER = Lesson(
    "decoder_layer",
    "One decoder layer: masked self-attention, cross-attention to the encoder, and the feed-forward network.",
    (_TOKENS, _MEMORY, *_weights("self-attention"), *_weights("cross-attention", "cross_"), D_K, *_FFN, *_gammas(3)),
    (*_DECODER_OPTIONS, _CROSS_MASK),
    {
        "masked": "every token attends to itself and the tokens before it",
        "norm1": "LayerNorm of the masked-attention sublayer",
        "cross": "every token attends to the encoder's tokens",
        "norm2": "LayerNorm of the cross-attention sublayer",
        "ffn": "the same small network for each token separately",
        "norm3": "LayerNorm of the feed-forward sublayer",
        "residual1": "the tokens plus the result of masked attention",
        "residual2": "the tokens plus the result of cross-attention",
        "Y": "the layer's result",
    },
    _decoder_layer,
    source="Vaswani et al. 2017; residual connections: He et al. 2016. With norm: before, Xiong et al. 2020; with "
    "norm: rms, Touvron et al. 2023 (LLaMA).",
)
ENCODER = Lesson(
    "encoder",
    "Encoder layers one after the other.",
    (*ENCODER_LAYER.inputs, *_FINAL),
    (_LAYERS, *_LAYER_OPTIONS, _FINAL_NORM),
    {"layer1": "the first layer", "layer2": "the next layer", "norm": "the LayerNorm after the last layer"},
    _stack(ENCODER_LAYER, "enc"),
    prefixes=r"enc\d*_",
    source="Vaswani et al. 2017; residual connections: He et al. 2016. With norm: before, Xiong et al. 2020; with "
    "norm: rms, Touvron et al. 2023 (LLaMA).",
)
DECODER = Lesson(
    "decoder",
    "Decoder layers one after the other, each attending to the same encoder output.",
    (*DECODER_LAYER.inputs, *_FINAL),
    (_LAYERS, *_DECODER_OPTIONS, _CROSS_MASK, _FINAL_NORM),
    {"layer1": "the first layer", "layer2": "the next layer", "norm": "the LayerNorm after the last layer"},
    _stack(DECODER_LAYER, "dec", {"memory": "memory"}),
    prefixes=r"dec\d*_",
    source="Vaswani et al. 2017; residual connections: He et al. 2016. With norm: before, Xiong et al. 2020; with "
    "norm: rms, Touvron et al. 2023 (LLaMA).",
)
