"""The position-wise feed-forward network: two layers, applied to every token separately."""

from __future__ import annotations

from .attention import projection
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting

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
    """Return the steps hidden, active and Y, and the gate if there is a gate."""
    word = s.say_word("activation")
    hidden, last = ("hidden", projection(s, "X", "W_1", "b_1")), ("Y", projection(s, "active", "W_2", "b_2"))
    ends = [] if "W_2" in s.arguments and not s.has("W_2") else [last]  # with W_2: none there is a single layer
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
