"""Gradients through multi-head attention: back through W_O, through each head, and to the weights."""

from __future__ import annotations

from ..errors import FormulaError
from .attention import product
from .gradients import (
    BACK_STEPS,
    INCOMING,
    TOKEN_STEPS,
    WEIGHT_STEPS,
    Head,
    bias_gradient,
    refuse_softmax_steps,
    to_weights,
)
from .lesson import Lesson, Recipe, Setting
from .multi_head import MULTI_HEAD_ATTENTION, head_counts, head_steps
from .positional_encoding import ROTARY_OPTIONS

_NAMES = ("Q", "K", "V")


def _recipes(s: Setting) -> list[Recipe]:
    """Return the forward steps, then the backward steps through each head to weights and tokens."""
    refuse_softmax_steps(s)
    forward = head_steps(s)
    per_head = s.has("W_Q_1") and "W_Q" not in s.arguments
    split = not per_head and not s.has("W_Q")
    if not split and (given := [name for name in _NAMES if name in s.arguments]):
        raise FormulaError(
            f"the gradients go to X and memory, or to Q, K and V that are split; {given[0]} is projected here",
            about=given[0],
        )
    heads, kv_heads = head_counts(s, per_head)
    steps = [*forward, *_from_output(s)]
    steps += _through_heads(s, [name for name, _ in forward], heads, kv_heads, per_head, split)
    return steps + (_joined(s, heads, kv_heads) if split else _to_weights(s, heads, kv_heads, per_head))


def _from_output(s: Setting) -> list[Recipe]:
    """Return the steps through W_O to the concatenated heads; without W_O these are the output."""
    if not s.has("W_O"):
        return [("dH", "dZ")]
    bias = [("db_O", bias_gradient(s, "dZ", "b_O"))] if s.has("b_O") else []
    return [("dW_O", product(s, "H.T", "dZ")), *bias, ("dH", product(s, "dZ", "W_O.T"))]


def _through_heads(
    s: Setting, forward_names: list[str], heads: int, kv_heads: int, per_head: bool, split: bool
) -> list[Recipe]:
    """Return the backward steps of each head; gradients of shared keys and values add up."""
    group, at, steps = heads // kv_heads, 0, list[Recipe]()
    for kv in range(1, kv_heads + 1):
        members = [Head(s, forward_names, f"_{i}", f"_{kv}") for i in range((kv - 1) * group + 1, kv * group + 1)]
        width = _width(s, kv, kv_heads, per_head, split)
        for member in members:
            span, at = f"{at}:{at + width}", at + width
            steps.append((f"dZ{member.head}", "dH" if heads == 1 else f"dH[{span}]" if s.columns else f"dH[:, {span}]"))
            steps += member.score_gradient_steps()
            steps.append((f"dQ{member.head}", member.query_gradient()))
        steps.append((f"dK_{kv}", " + ".join(member.key_gradient() for member in members)))
        steps.append((f"dV_{kv}", " + ".join(member.value_gradient() for member in members)))
    return steps


def _width(s: Setting, kv: int, kv_heads: int, per_head: bool, split: bool) -> int:
    """Return the width of a head's values."""
    along = 0 if s.columns else 1
    if per_head:
        return s.shape(f"W_V_{kv}")[along]
    return s.shape("V" if split else "W_V")[along] // kv_heads


def _stacked(s: Setting, name: str, count: int) -> str:
    parts = [f"d{name}_{i}" for i in range(1, count + 1)]
    return parts[0] if count == 1 else f"{'vstack' if s.columns else 'hstack'}({', '.join(parts)})"


def _joined(s: Setting, heads: int, kv_heads: int) -> list[Recipe]:
    """Return the gradients of Q, K and V, concatenated from the heads."""
    return [(f"d{name}", _stacked(s, name, heads if name == "Q" else kv_heads)) for name in _NAMES]


def _to_weights(s: Setting, heads: int, kv_heads: int, per_head: bool) -> list[Recipe]:
    """Return the gradients of the weight matrices, per head or for all heads, and of the tokens."""
    answers = "memory" if "memory" in s.arguments else "X"
    projections = []
    for name in _NAMES:
        ends = [f"_{i}" for i in range(1, (heads if name == "Q" else kv_heads) + 1)] if per_head else [""]
        projections += [(name + end, name + end, "X" if name == "Q" else answers) for end in ends]
    return [*([] if per_head else _joined(s, heads, kv_heads)), *to_weights(s, projections)]


_OF_HEADS = {f"{name}_1": doc for name, doc in (BACK_STEPS | WEIGHT_STEPS).items()}

MULTI_HEAD_ATTENTION_GRADIENTS = Lesson(
    "multi_head_attention_gradients",
    "Multi-head attention and the way back through it: from dZ through W_O and every head to all weight "
    "matrices and the tokens.",
    (*MULTI_HEAD_ATTENTION.inputs, INCOMING),
    tuple(o for o in MULTI_HEAD_ATTENTION.options if o not in ROTARY_OPTIONS),
    MULTI_HEAD_ATTENTION.steps
    | {
        "dW_O": "∂L/∂W_O: how the loss changes with each weight of W_O",
        "db_O": "∂L/∂b_O: the sum over the tokens",
        "dH": "∂L/∂H: how the loss changes with each concatenated output",
        "dZ_1": "∂L/∂Z of this head: its block of dH",
    }
    | _OF_HEADS
    | {
        "dQ": "∂L/∂Q: the heads' gradients side by side",
        "dK": "∂L/∂K: the heads' gradients side by side",
        "dV": "∂L/∂V: the heads' gradients side by side",
    }
    | WEIGHT_STEPS
    | TOKEN_STEPS,
    _recipes,
    zero=MULTI_HEAD_ATTENTION.zero,
)
