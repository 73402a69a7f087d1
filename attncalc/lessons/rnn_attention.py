"""Attention before the Transformer: a small network or a product gives the scores of decoder states and encoder
states.
"""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.syntax_tree import Number
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting, fill_size

_STATES = (
    Input("s", "the decoder's states, one per row: the queries"),
    Input("h", "the encoder's states, one per row: the keys and also the values"),
)
_MASK = Option(
    "mask",
    "mask",
    "none",
    "a query × key matrix: 1 if the decoder's state may attend to the encoder's state",
    examples=("causal",),
)
_WEIGHTS = {
    "S": "the scores: how well each state of the encoder matches each state of the decoder",
    "S_masked": "the scores with masked entries set to −∞",
    "A": "the weights: how much each state of the encoder counts in the context",
    "Z": "the context: for each state of the decoder, the weighted mean of the encoder's states",
}
MOST_STATES = 64


def _to_context(s: Setting) -> list[Recipe]:
    if s.text("mask") is None:
        return [("A", "softmax(S)"), ("Z", "A @ h")]
    (n, _), (m, _) = s.shape("s"), s.shape("h")
    s.trees["mask"] = fill_size(s.trees["mask"], Number(str(n)), Number(str(m)))
    s.say("mask", s.option_text("mask"))
    return [("S_masked", "keep(S, mask)"), ("A", "softmax(S_masked)"), ("Z", "A @ h")]


def _additive(s: Setting) -> list[Recipe]:
    s.refuse_columns("one vector per row")
    (count, _), upright = s.shape("s"), s.shape("v")[1] == 1
    if count > MOST_STATES:
        raise FormulaError(f"additive_attention takes at most {MOST_STATES} decoder states; found {count}", about="s")
    v = "v" if upright else "v.T"
    steps: list[Recipe] = [("asked", "s @ W_s"), ("offered", "h @ W_h" + (" + b" if s.has("b") else ""))]
    if count == 1:
        steps += [("active", "tanh(asked + offered)"), ("S", f"(active @ {v}).T")]
    else:
        steps += [(f"active_{i}", f"tanh(asked[{i - 1}] + offered)") for i in range(1, count + 1)]
        steps.append(("S", f"vstack({', '.join(f'(active_{i} @ {v}).T' for i in range(1, count + 1))})"))
    return [*steps, *_to_context(s)]


ADDITIVE_ATTENTION = Lesson(
    "additive_attention",
    "Additive attention (Bahdanau): the scores come from a small network, v · tanh(s W_s + h W_h).",
    (
        *_STATES,
        Input("W_s", "the matrix that multiplies the decoder's states"),
        Input("W_h", "the matrix that multiplies the encoder's states"),
        Input("v", "the weights that turn the network's hidden vector into one score"),
        Input("b", "the bias inside the tanh", optional=True, shape=FEATURES),
    ),
    (_MASK,),
    {
        "asked": "the projected decoder states",
        "offered": "the projected encoder states",
        "active": "one hidden vector for each pair of a decoder state and an encoder state",
        "active_1": "one hidden vector for each encoder state, computed from it and from this decoder state",
    }
    | _WEIGHTS,
    _additive,
    repeated=("asked",),
    source="Bahdanau et al. 2015.",
)


def _multiplicative(s: Setting) -> list[Recipe]:
    s.refuse_columns("one vector per row")
    word = s.word("score") if s.has("W_a") or s.word("score") == "scaled" else "dot"
    s.say("score", word)
    scores = {"dot": "s @ h.T", "scaled": "s @ h.T / sqrt(cols(h))", "general": "keys_of @ h.T"}[word]
    steps: list[Recipe] = [("keys_of", "s @ W_a")] if word == "general" else []
    steps += [("S", scores), *_to_context(s)]
    if s.has("W_c"):
        steps += [("joined", "hstack(Z, s)"), ("attended", "tanh(joined @ W_c" + (" + b_c)" if s.has("b_c") else ")"))]
    return steps


MULTIPLICATIVE_ATTENTION = Lesson(
    "multiplicative_attention",
    "Multiplicative attention (Luong): the scores are products of states, s · h or s W_a h; then context and "
    "state are combined.",
    (
        *_STATES,
        Input("W_a", "the weights between both states (score: general)", optional=True),
        Input("W_c", "the weights that turn context and state into the attentional vector", optional=True),
        Input("b_c", "the bias that is added after W_c", optional=True, shape=FEATURES),
    ),
    (
        Option("score", "word", "general", "the product of both states: with W_a between them if it is given "
        "(general), without W_a (dot), or without W_a and divided by the square root of their dimension (scaled)",
        ("general", "dot", "scaled")),
        _MASK,
    ),
    {"keys_of": "each state of the decoder, projected into the space of the encoder's states"}
    | _WEIGHTS
    | {
        "joined": "the context and the state, concatenated",
        "attended": "the attentional vector, from which the next word is predicted",
    },
    _multiplicative,
    source="Luong et al. 2015; score: scaled follows Vaswani et al. 2017.",
)  # fmt: skip
