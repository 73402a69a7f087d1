"""Gradients through an encoder layer: forward, then back through each norm, sublayer and residual."""

from __future__ import annotations

from collections.abc import Callable

from ..formula.syntax_tree import Tree
from .gradients import MULTI_HEAD_ATTENTION_GRADIENTS
from .layer_gradients import FEED_FORWARD_GRADIENTS, LAYER_NORM_GRADIENTS
from .lesson import Input, Lesson, Recipe, Setting, Sub
from .positional_encoding import ROTARY_OPTIONS
from .transformer_layers import (
    ENCODER_LAYER,
    attention_of_layer,
    encoder_layer_steps,
    feed_forward_of_layer,
    norm_of_layer,
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
    """Return the backward steps of Norm(x + f(x)): through the norm, then through f and past it."""
    tokens = "norm1" if k == 2 else "X"
    norm = _backward(norm_of_layer(s, k, f"norm{k}.sum"), LAYER_NORM_GRADIENTS, "dY", gradient)
    return [
        (f"back_norm{k}", norm),
        (f"back_{name}", back(tokens, f"back_norm{k}")),
        ("dresidual1" if k == 2 else "dX", f"back_norm{k} + back_{name}"),
    ]


def _before(s: Setting, k: int, name: str, back: Back, gradient: str) -> list[Recipe]:
    """Return the backward steps of x + f(Norm(x)): through f, then through its norm, and past both."""
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
    "One encoder layer and the way back through it: from dY through norms, feed-forward network and attention "
    "to the tokens.",
    (*ENCODER_LAYER.inputs, Input("dY", "the gradient of the loss with respect to the output, the same size as Y")),
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
        "dresidual1": "the gradient between the two sublayers: through the second one and past it",
        "back_norm1": "the gradient at the input of the first norm",
        "back_attention": "the gradient at the input of attention",
        "dX": "∂L/∂X: through attention and past it",
    },
    _recipes,
)
