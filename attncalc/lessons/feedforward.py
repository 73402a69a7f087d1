"""The position-wise feed-forward network: the same two layers for every token."""

from __future__ import annotations

from .attention import projection
from .base import Input, Lesson, Option, Recipe, Setting

_ACTIVATIONS = {
    "relu": "relu(hidden)",
    "gelu": "gelu(hidden)",
    "gelu_tanh": 'gelu(hidden, form="tanh")',
    "gelu_sigmoid": 'gelu(hidden, form="sigmoid")',
    "silu": "silu(hidden)",
    "tanh": "tanh(hidden)",
    "sigmoid": "sigmoid(hidden)",
    "none": "hidden",
}


def _recipes(s: Setting) -> list[Recipe]:
    word = s.word("activation")
    s.say("activation", word)
    return [
        ("hidden", projection(s, "X", "W_1", "b_1")),
        ("active", _ACTIVATIONS[word]),
        ("Y", projection(s, "active", "W_2", "b_2")),
    ]


FEED_FORWARD = Lesson(
    "feed_forward",
    "Two layers with an activation between them, applied to every token alike: f(X W_1 + b_1) W_2 + b_2.",
    (
        Input("X", "the tokens, one a row"),
        Input("W_1", "the weights of the first layer"),
        Input("b_1", "its bias", optional=True),
        Input("W_2", "the weights of the second layer"),
        Input("b_2", "its bias", optional=True),
    ),
    (Option("activation", "word", "relu", "the function between the layers", tuple(_ACTIVATIONS)),),
    {
        "hidden": "the first layer, before its activation",
        "active": "what the activation lets through",
        "Y": "the second layer",
    },
    _recipes,
)
