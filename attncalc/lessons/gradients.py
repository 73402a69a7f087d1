"""Gradients through attention: the forward steps, then their reverse. dM = ∂L/∂M.

Formulas are for tokens as rows; `product` transposes them for tokens as columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FormulaError
from .attention import (
    ATTENTION,
    ATTENTION_OPTIONS,
    ATTENTION_STEPS,
    ATTENTION_ZERO,
    CROSS_ATTENTION,
    PROJECTION_STEPS,
    SELF_ATTENTION,
    attention_steps,
    mask_of,
    product,
    projection,
    scale_of,
)
from .lesson import Input, Lesson, Recipe, Setting

INCOMING = Input("dZ", "the gradient of the loss with respect to the output, the same size as Z")
_SUMS = {"rows": "row_sum({0})", "columns": "col_sum({0})", "all": "total({0})"}


def _jacobian(s: Setting) -> list[Recipe]:
    n, m = s.shape("scores")
    if 1 not in (n, m):
        raise FormulaError(
            f"softmax_jacobian takes one row of scores; found {n} × {m}, a row of them is scores[0]", about="scores"
        )
    upright = m == 1 and n > 1
    steps: list[Recipe] = [
        ("p", "softmax_cols(scores)" if upright else "softmax(scores)"),
        ("J", f"identity({max(n, m)}) * p - {'p @ p.T' if upright else 'p.T @ p'}"),
    ]
    if s.has("dp"):
        steps.append(("dscores", "J @ dp" if upright else "dp @ J"))
    return steps


def _attention_back(s: Setting, forward: list[Recipe]) -> list[Recipe]:
    """Return the steps from dZ to dV, dQ and dK."""
    back = Head(s, [name for name, _ in forward])
    return [
        ("dV", back.value_gradient()),
        *back.score_gradient_steps(),
        ("dQ", back.query_gradient()),
        ("dK", back.key_gradient()),
    ]


class Head:
    """Backward steps of one head. `made` are the names of the forward steps; `head` is their suffix, `kv` that of keys
    and values.
    """

    def __init__(self, s: Setting, forward_names: list[str], head: str = "", kv: str = ""):
        self.s, self.head, self.kv = s, head, kv
        self.forward_names = [name.removesuffix(head) for name in forward_names if name.endswith(head)]

    def value_gradient(self) -> str:
        """Return dV = Aᵀ · dZ, m × d_v, with A after masking."""
        return product(
            self.s, f"{'A_masked' if 'A_masked' in self.forward_names else 'A'}{self.head}.T", f"dZ{self.head}"
        )

    def query_gradient(self) -> str:
        """Return dQ = dS · K, n × d_k (before the scale)."""
        return product(self.s, f"dS{self.head}", f"K{self.kv}")

    def key_gradient(self) -> str:
        """Return dK = dSᵀ · Q, m × d_k (before the scale)."""
        return product(self.s, f"dS{self.head}.T", f"Q{self.head}")

    def score_gradient_steps(self) -> list[Recipe]:
        """Return the steps from dZ to dS, in reverse order of the forward steps."""
        s, head, steps = self.s, self.head, list[Recipe]()
        by_weights = product(s, f"dZ{head}", f"V{self.kv}.T")
        if "A_masked" in self.forward_names:
            steps.append((f"dA_masked{head}", by_weights))
            by_weights = self.renormalization_gradient()
        scores = [name for name in self.forward_names if name.startswith("S")]
        base = "" if s.is_unset("base") else "log(base) * "
        mean = _SUMS[_axis(s)].format(f"A{head} * dA{head}")
        steps += [(f"dA{head}", by_weights), (f"d{scores[-1]}{head}", f"{base}A{head} * (dA{head} - {mean})")]
        for name, before in zip(scores[:0:-1], scores[-2::-1], strict=True):
            steps.append((f"d{before}{head}", self.input_gradient(name, f"d{name}{head}")))
        return steps

    def renormalization_gradient(self) -> str:
        """Return the gradient through A · mask / row sum; an empty row passes none."""
        s, head, mask = self.s, self.head, mask_of(self.s, self.head)
        total = _SUMS["columns" if s.columns else "rows"].format
        below = total(f"A{head} * {mask}")
        if s.word("empty_row") != "error":
            below = f"keep({below}, {below}, fill=1)"
        return f"{mask} * (dA_masked{head} - {total(f'A_masked{head} * dA_masked{head}')}) / {below}"

    def input_gradient(self, name: str, gradient: str) -> str:
        """Return the gradient with respect to a step's input. Masked entries are constants, so they pass none."""
        return {
            "S_scaled": f"{gradient} / {scale_of(self.s, f'K{self.kv}')}",
            "S_capped": f"{gradient} * (1 - (S_capped{self.head} / softcap) ** 2)",
            "S_biased": gradient,
            "S_masked": f"keep({gradient}, {mask_of(self.s, self.head)}, fill=0)",
        }[name]


def _axis(s: Setting) -> str:
    return "columns" if s.columns and s.is_unset("axis") else s.word("axis")


def _from_qkv(s: Setting) -> list[Recipe]:
    refuse_softmax_steps(s)
    forward = attention_steps(s)
    return [*forward, *_attention_back(s, forward)]


def _from_tokens(s: Setting) -> list[Recipe]:
    refuse_softmax_steps(s)
    answers = "memory" if s.lesson.name.startswith("cross") else "X"
    sources = {"Q": "X", "K": answers, "V": answers}
    forward = attention_steps(s)
    steps: list[Recipe] = [(name, projection(s, tokens, f"W_{name}", f"b_{name}")) for name, tokens in sources.items()]
    back = to_weights(s, [(name, name, tokens) for name, tokens in sources.items()])
    return [*steps, *forward, *_attention_back(s, forward), *back]


def to_weights(s: Setting, projections: Sequence[tuple[str, str, str]]) -> list[Recipe]:
    """Return the gradients of each W and b, and of the tokens, summed over all projections of them.

    A projection is the name of its weights, of its output, and of its input tokens.
    """
    steps: list[Recipe] = []
    ways: dict[str, list[str]] = {}
    for name, out, tokens in projections:
        steps.append((f"dW_{name}", product(s, f"{tokens}.T", f"d{out}")))
        if s.has(f"b_{name}"):
            steps.append((f"db_{name}", bias_gradient(s, f"d{out}", f"b_{name}")))
        ways.setdefault(tokens, []).append(product(s, f"d{out}", f"W_{name}.T"))
    return [*steps, *((f"d{tokens}", " + ".join(parts)) for tokens, parts in reversed(ways.items()))]


def bias_gradient(s: Setting, gradient: str, bias: str) -> str:
    """Return the gradient of a bias: the sum over the tokens, in the shape of the bias."""
    if not s.columns:
        return f"col_sum({gradient})"
    return f"row_sum({gradient})" + (".T" if s.shape(bias)[0] == 1 and s.shape(bias)[1] > 1 else "")


def refuse_softmax_steps(s: Setting) -> None:
    """Raise FormulaError if the softmax is requested in steps."""
    if s.flag("softmax_steps"):
        raise FormulaError(
            "gradients go through the softmax in one step; leave out softmax_steps", about="softmax_steps"
        )


BACK_STEPS = {
    "dV": (
        "∂L/∂V: how the loss changes with each value; each query passes its gradient back in proportion to its weights"
    ),
    "dA_masked": "∂L/∂A_masked: how the loss changes with each weight that the mask leaves",
    "dA": "∂L/∂A: how the loss changes with each weight",
    "dS_masked": "∂L/∂S_masked: each weight times (its own gradient minus the row's weighted mean gradient)",
    "dS_biased": "∂L/∂S_biased: how the loss changes with each score with its bias",
    "dS_capped": "∂L/∂S_capped: how the loss changes with each capped score",
    "dS_scaled": "∂L/∂S_scaled: how the loss changes with each scaled score",
    "dS": "∂L/∂S: how the loss changes with each score",
    "dQ": "∂L/∂Q: how the loss changes with each query",
    "dK": "∂L/∂K: how the loss changes with each key",
}
WEIGHT_STEPS = {
    f"{kind}_{name}": (
        f"∂L/∂{kind[1:]}_{name}: how the loss changes with each {what} {'weight' if kind == 'dW' else 'bias'}"
    )
    for name, what in (("Q", "query"), ("K", "key"), ("V", "value"))
    for kind in ("dW", "db")
}
TOKEN_STEPS = {
    "dmemory": "∂L/∂memory: how the loss changes with each token of the memory, through its key and its value",
    "dX": "∂L/∂X: how the loss changes with each token, through everything computed from it",
}

SOFTMAX_JACOBIAN = Lesson(
    "softmax_jacobian",
    "How each weight of a softmax moves with each score: the Jacobian diag(p) − pᵀ p, and a gradient sent through it.",
    (Input("scores", "one row of scores"), Input("dp", "the gradient with respect to the weights", optional=True)),
    (),
    {
        "p": "the softmax of the scores",
        "J": "entry (i, j): how weight i changes with score j; each row and each column sums to 0",
        "dscores": "∂L/∂scores: how the loss changes with each score",
    },
    _jacobian,
)
ATTENTION_GRADIENTS = Lesson(
    "attention_gradients",
    "Attention from Q, K and V and the way back through it: from dZ to dV, dA, dS, dQ and dK.",
    (*ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    ATTENTION_STEPS | BACK_STEPS,
    _from_qkv,
    zero=ATTENTION_ZERO,
)
SELF_ATTENTION_GRADIENTS = Lesson(
    "self_attention_gradients",
    "Self-attention and the way back through it: from dZ to the gradients of the three weight matrices and of "
    "the tokens.",
    (*SELF_ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS | ATTENTION_STEPS | BACK_STEPS | WEIGHT_STEPS | TOKEN_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
)
CROSS_ATTENTION_GRADIENTS = Lesson(
    "cross_attention_gradients",
    "Cross-attention and the way back through it: from dZ to the gradients of the weight matrices and of both "
    "sequences.",
    (*CROSS_ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS | ATTENTION_STEPS | BACK_STEPS | WEIGHT_STEPS | TOKEN_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
)
