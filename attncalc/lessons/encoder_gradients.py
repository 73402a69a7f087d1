"""Gradients of an encoder layer: forward steps, then backward steps through each norm, sublayer and residual."""

from __future__ import annotations

from collections.abc import Callable

from ..formula.syntax_tree import Tree
from .attention import product
from .feedforward import FEED_FORWARD, feed_forward_steps
from .gradients import MULTI_HEAD_ATTENTION_GRADIENTS, bias_gradient, to_weights
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting, Sub
from .logits_and_loss import CROSS_ENTROPY, distributions
from .normalization import LAYER_NORM, RMS_NORM, layer_norm_steps, rms_norm_steps
from .positional_encoding import ROTARY_OPTIONS
from .transformer_layers import (
    ENCODER_LAYER,
    attention_of_layer,
    encoder_layer_steps,
    feed_forward_of_layer,
    norm_of_layer,
)

_BY_OUTPUT = Input("dY", "the gradient of the loss with respect to the output, of the same shape as Y", shape="X")


# -- the loss ----------------------------------------------------------------------------------------------------------


def _cross_entropy(s: Setting) -> list[Recipe]:
    s.refuse_columns("one prediction per row", "transpose")
    s.check_probabilities("P_true")
    reduction = s.say_word("reduction")
    ignored = s.text("ignore") is not None and not s.has("P_true")
    steps: list[Recipe] = (
        [("logits", "X @ W_out" + (" + b_out" if s.has("b_out") else ""))] if s.has("X") and s.has("W_out") else []
    )
    steps += [("P", "softmax(logits)"), *distributions(s)]
    expected = "P * row_sum(P_true)" if ignored else "P"  # ignored rows are zero
    count = "total(P_true)" if ignored else "rows(P)"
    steps.append(("dlogits", f"{expected} - P_true" if reduction == "sum" else f"({expected} - P_true) / {count}"))
    if s.has("X") and s.has("W_out"):
        steps.append(("dW_out", "X.T @ dlogits"))
        steps += [("db_out", "col_sum(dlogits)")] if s.has("b_out") else []
        steps.append(("dX", "dlogits @ W_out.T"))
    return steps


CROSS_ENTROPY_GRADIENTS = Lesson(
    "cross_entropy_gradients",
    "The backward pass from the loss: the gradient of softmax and cross-entropy is (P − P_true) / n, and from "
    "there it goes to the last layer.",
    (
        Input("logits", "the logits, one prediction per row; needed only if X and W_out are not given", optional=True),
        Input("targets", "the indices of the target words, counted from 0", optional=True),
        Input(
            "P_true", "the targets as probabilities, one prediction per row", optional=True, named=True, shape="logits"
        ),
        Input("X", "the last layer's output", optional=True),
        Input("W_out", "the weights of the output layer", optional=True),
        Input("b_out", "the bias of the output layer", optional=True, shape=FEATURES),
    ),
    (
        Option("reduction", "word", "mean", "the mean over counted rows, or the sum", ("mean", "sum")),
        *(o for o in CROSS_ENTROPY.options if o.name in ("ignore", "smoothing", "smooth_over")),
    ),
    {
        "logits": "one logit per token of the vocabulary",
        "P": "the probability of each word",
        "right": "1 at each target",
        "P_true": "the target probabilities",
        "dlogits": "∂L/∂logits: predicted probability minus target",
        "dW_out": "∂L/∂W_out: how the loss changes with each weight",
        "db_out": "∂L/∂b_out: the sum over the tokens",
        "dX": "∂L/∂X: the gradient passed back to the last layer",
    },
    _cross_entropy,
    source="Calculus: the chain rule; smoothing: Szegedy et al. 2016.",
)


# -- LayerNorm ---------------------------------------------------------------------------------------------------------


def _upright(s: Setting, name: str) -> str:
    """Return `.T` if tokens are columns and the parameter is a row, otherwise an empty string."""
    return ".T" if s.has(name) and s.columns and s.shape(name)[0] == 1 < s.shape(name)[1] else ""


def _layer_norm(s: Setting) -> list[Recipe]:
    line, across = ("col", "row") if s.columns else ("row", "col")
    upright = {name: _upright(s, name) for name in ("gamma", "beta")}
    steps = layer_norm_steps(s, "X")
    if s.has("beta"):
        steps.append(("dbeta", f"{across}_sum(dY){upright['beta']}"))
    if s.has("gamma"):
        steps.append(("dgamma", f"{across}_sum(dY * normed){upright['gamma']}"))
    gradient = f"dY * gamma{upright['gamma']}" if s.has("gamma") else "dY"
    features = "rows(X)" if s.columns else "cols(X)"
    count = features if s.word("ddof") == "0" else f"({features} - 1)"
    outside = s.text("eps") is not None and s.word("eps_in") == "std"
    deviation = _formula(steps, "normed").partition(" / ")[2]
    along = f"normed * {line}_sum(dnormed * normed) / {count}"
    return [
        *steps,
        ("dnormed", gradient),
        ("dcentred", f"dnormed - {line}_mean(dnormed)"),
        ("dX", f"dcentred / {deviation} - {along} / sqrt(var)" if outside else f"(dcentred - {along}) / {deviation}"),
    ]


LAYER_NORM_GRADIENTS = Lesson(
    "layer_norm_gradients",
    "LayerNorm and its backward pass: neither shifting nor scaling a token changes the output, so dX has no "
    "part in these directions (if ε = 0).",
    (*LAYER_NORM.inputs, _BY_OUTPUT),
    LAYER_NORM.options,
    LAYER_NORM.steps
    | {
        "dbeta": "∂L/∂β: the sum over the tokens",
        "dgamma": "∂L/∂γ: the sum over the tokens",
        "dnormed": "∂L/∂normed: how the loss changes with each normalised feature",
        "dcentred": "dnormed minus its mean, because adding one number to all features changes nothing",
        "dX": "∂L/∂X: dcentred without its part along the normalised token, divided by the standard deviation",
    },
    _layer_norm,
    zero=LAYER_NORM.zero,
    source="Calculus: the chain rule; invariance to shifts and scaling: Ba et al. 2016.",
)


def _formula(steps: list[Recipe], name: str) -> str:
    """Return the formula of a step that is not an inner lesson."""
    recipe = dict(steps)[name]
    assert isinstance(recipe, str)
    return recipe


def _rms_norm(s: Setting) -> list[Recipe]:
    line, across = ("col", "row") if s.columns else ("row", "col")
    upright = _upright(s, "gamma")
    steps = rms_norm_steps(s)
    if s.has("gamma"):
        steps.append(("dgamma", f"{across}_sum(dY * normed){upright}"))
    root = _formula(steps, "normed").partition(" / ")[2]
    return [
        *steps,
        ("dnormed", f"dY * gamma{upright}" if s.has("gamma") else "dY"),
        ("along", f"{line}_mean(dnormed * normed)"),
        ("dX", f"(dnormed - normed * along) / {root}"),
    ]


RMS_NORM_GRADIENTS = Lesson(
    "rms_norm_gradients",
    "RMSNorm and its backward pass: multiplying a token by a number changes nothing, so dX is orthogonal to the "
    "token (if ε = 0).",
    (*RMS_NORM.inputs, _BY_OUTPUT),
    RMS_NORM.options,
    RMS_NORM.steps
    | {
        "dgamma": "∂L/∂γ: the sum over the tokens",
        "dnormed": "∂L/∂normed: how the loss changes with each normalised feature",
        "along": "the part of dnormed along the normalised token",
        "dX": "∂L/∂X: dnormed without its part along the token, divided by the root mean square",
    },
    _rms_norm,
    zero=RMS_NORM.zero,
    source="Calculus: the chain rule; invariance to scaling: Zhang and Sennrich 2019.",
)


# -- the feed-forward layer --------------------------------------------------------------------------------------------

_TANH = "tanh(sqrt(2 / pi) * ({0} + 0.044715 * {0} ** 3))"
# Gradients with respect to the activation's input: `{0}` is the input, `{1}` the gradient with respect to the output,
# `{2}` the output.
_SLOPES = {
    "relu": "keep({1}, relu({0}), fill=0)",
    "gelu": "{1} * ((1 + erf({0} / sqrt(2))) / 2 + {0} * exp(-{0} ** 2 / 2) / sqrt(2 * pi))",
    "gelu_tanh": (
        f"{{1}} * ((1 + {_TANH}) / 2 + {{0}} * (1 - {_TANH} ** 2) * sqrt(2 / pi) * (1 + 0.134145 * {{0}} ** 2) / 2)"
    ),
    "gelu_sigmoid": "{1} * sigmoid(1.702 * {0}) * (1 + 1.702 * {0} * (1 - sigmoid(1.702 * {0})))",
    "silu": "{1} * sigmoid({0}) * (1 + {0} * (1 - sigmoid({0})))",
    "tanh": "{1} * (1 - {2} ** 2)",
    "sigmoid": "{1} * {2} * (1 - {2})",
    "none": "{1}",
}


def _feed_forward(s: Setting) -> list[Recipe]:
    word = s.word("activation")
    steps = feed_forward_steps(s)
    steps.append(("dW_2", product(s, "active.T", "dY")))
    if s.has("b_2"):
        steps.append(("db_2", bias_gradient(s, "dY", "b_2")))
    steps.append(("dactive", product(s, "dY", "W_2.T")))
    if s.has("W_gate"):
        let_through = _formula(steps, "active").removesuffix(" * hidden")
        steps.append(("dhidden", f"dactive * {let_through}"))
        steps.append(("dgate", _SLOPES[word].format("gate", "dactive * hidden", f"({let_through})")))
    else:
        steps.append(("dhidden", _SLOPES[word].format("hidden", "dactive", "active")))
    layers = [("1", "hidden", "X"), *([("gate", "gate", "X")] if s.has("W_gate") else [])]
    return [*steps, *to_weights(s, layers)]


FEED_FORWARD_GRADIENTS = Lesson(
    "feed_forward_gradients",
    "The feed-forward network and its backward pass: from dY to the gradients of both layers and of the tokens.",
    (*FEED_FORWARD.inputs, _BY_OUTPUT._replace(shape="")),
    FEED_FORWARD.options,
    FEED_FORWARD.steps
    | {
        "dW_2": "∂L/∂W_2: how the loss changes with each weight of the second layer",
        "db_2": "∂L/∂b_2: the sum over the tokens",
        "dactive": "∂L/∂active: how the loss changes with the activated values",
        "dhidden": "∂L/∂hidden: how the loss changes with the output of the first layer before its activation",
        "dgate": "∂L/∂gate: how the loss changes with the gate",
        "dW_1": "∂L/∂W_1: how the loss changes with each weight of the first layer",
        "db_1": "∂L/∂b_1: the sum over the tokens",
        "dW_gate": "∂L/∂W_gate: how the loss changes with each weight of the gate",
        "db_gate": "∂L/∂b_gate: the sum over the tokens",
        "dX": "∂L/∂X: how the loss changes with each token",
    },
    _feed_forward,
    source="Calculus: the chain rule; with a gate: Shazeer 2020.",
)


Back = Callable[[str, str], Sub]


def _recipes(s: Setting) -> list[Recipe]:
    backward: list[tuple[str, Back]] = [
        ("ffn", lambda x, d: _backward(feed_forward_of_layer(s, x), FEED_FORWARD_GRADIENTS, "dY", d)),
        ("attention", lambda x, d: _backward(attention_of_layer(s, x), MULTI_HEAD_ATTENTION_GRADIENTS, "dZ", d)),
    ]
    steps = list(encoder_layer_steps(s))
    gradient = "dY"
    for k, (name, back) in zip((2, 1), backward, strict=True):
        steps += (
            _before(s, k, name, back, gradient) if s.word("norm") == "before" else _after(s, k, name, back, gradient)
        )
        gradient = f"dresidual{k - 1}" if k > 1 else "dX"
    return steps


def _after(s: Setting, k: int, name: str, back: Back, gradient: str) -> list[Recipe]:
    """Return the backward steps of Norm(x + f(x)): through the norm, then through f and the residual."""
    tokens = "norm1" if k == 2 else "X"
    norm = _backward(norm_of_layer(s, k, f"norm{k}.sum"), LAYER_NORM_GRADIENTS, "dY", gradient)
    return [
        (f"back_norm{k}", norm),
        (f"back_{name}", back(tokens, f"back_norm{k}")),
        ("dresidual1" if k == 2 else "dX", f"back_norm{k} + back_{name}"),
    ]


def _before(s: Setting, k: int, name: str, back: Back, gradient: str) -> list[Recipe]:
    """Return the backward steps of x + f(Norm(x)): through f and its norm, and through the residual."""
    tokens = "residual1" if k == 2 else "X"
    return [
        (f"back_{name}", back(f"norm{k}", gradient)),
        (f"back_norm{k}", _backward(norm_of_layer(s, k, tokens), LAYER_NORM_GRADIENTS, "dY", f"back_{name}")),
        ("dresidual1" if k == 2 else "dX", f"{gradient} + back_norm{k}"),
    ]


def _backward(forward: Sub, lesson: Lesson, incoming: str, gradient: str) -> Sub:
    """Return the gradient lesson of an inner lesson: equal arguments, and the gradient with respect to its output."""
    arguments: dict[str, str | Tree] = {**forward.arguments, incoming: gradient}
    return Sub(lesson, arguments, forward.prefixes, forward.hidden)


ENCODER_LAYER_GRADIENTS = Lesson(
    "encoder_layer_gradients",
    "One encoder layer and its backward pass: from dY through norms, feed-forward network and attention to the tokens.",
    (*ENCODER_LAYER.inputs, _BY_OUTPUT),
    tuple(
        o._replace(words=("after", "before"), doc="LayerNorm after each sublayer (the paper) or before it")
        if o.name == "norm"
        else o
        for o in ENCODER_LAYER.options
        if o not in ROTARY_OPTIONS and o.name not in ("softmax_steps", "dropout")
    ),
    ENCODER_LAYER.steps
    | {
        "back_norm2": "the gradient at the input of the second norm",
        "back_ffn": "the gradient at the input of the feed-forward network",
        "dresidual1": "the gradient between the two sublayers: through the second one and its residual path",
        "back_norm1": "the gradient at the input of the first norm",
        "back_attention": "the gradient at the input of attention",
        "dX": "∂L/∂X: through attention and the residual path",
    },
    _recipes,
    source="Calculus: the chain rule through the formulas of Vaswani et al. 2017. norm: before is that of Xiong "
    "et al. 2020.",
)
