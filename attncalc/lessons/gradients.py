"""Gradients of attention and of an encoder layer. A lesson has the forward steps, then the backward steps. dM means
∂L/∂M. The formulas are for tokens as rows. For tokens as columns, `product` transposes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import FormulaError
from ..formula.syntax_tree import Tree
from .attention import (
    ATTENTION,
    ATTENTION_OPTIONS,
    ATTENTION_STEPS,
    ATTENTION_ZERO,
    CROSS_ATTENTION,
    PROJECTION_STEPS,
    SELF_ATTENTION,
    SUMS,
    attention_steps,
    axis_of,
    mask_of,
    product,
    projection,
    scale_of,
)
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting, Sub
from .logits_and_loss import CROSS_ENTROPY, distributions
from .multi_head import MULTI_HEAD_ATTENTION, head_counts, head_steps
from .normalization import LAYER_NORM, RMS_NORM, layer_norm_steps, rms_norm_steps
from .positional_encoding import ROTARY_OPTIONS
from .transformer_layers import (
    ENCODER_LAYER,
    FEED_FORWARD,
    attention_of_layer,
    encoder_layer_steps,
    feed_forward_of_layer,
    feed_forward_steps,
    norm_of_layer,
)

INCOMING = Input("dZ", "the gradient of the loss with respect to the output, of the same shape as Z")
_BY_OUTPUT = Input("dY", "the gradient of the loss with respect to the output, of the same shape as Y", shape="X")
_NAMES = ("Q", "K", "V")


def _jacobian(s: Setting) -> list[Recipe]:
    n, m = s.shape("scores")
    if 1 not in (n, m):
        raise FormulaError(
            f"softmax_jacobian takes one row of scores, found {n} × {m}; use a single row, such as scores[0]",
            about="scores",
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
    """The backward steps of one head. `head` is the suffix of its steps, and `kv` the suffix of its keys and values."""

    def __init__(self, s: Setting, forward_names: list[str], head: str = "", kv: str = ""):
        self.s, self.head, self.kv = s, head, kv
        self.forward_names = [name.removesuffix(head) for name in forward_names if name.endswith(head)]

    def value_gradient(self) -> str:
        """Return dV = Aᵀ · dZ, m × d_v. If weights are masked after the softmax, A contains the masked weights."""
        return product(
            self.s, f"{'A_masked' if 'A_masked' in self.forward_names else 'A'}{self.head}.T", f"dZ{self.head}"
        )

    def query_gradient(self) -> str:
        """Return dQ = dS · K, n × d_k. dS is the gradient before the scale."""
        return product(self.s, f"dS{self.head}", f"K{self.kv}")

    def key_gradient(self) -> str:
        """Return dK = dSᵀ · Q, m × d_k. dS is the gradient before the scale."""
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
        mean = f"{SUMS[axis_of(s)]}(A{head} * dA{head})"
        steps += [(f"dA{head}", by_weights), (f"d{scores[-1]}{head}", f"{base}A{head} * (dA{head} - {mean})")]
        for name, before in zip(scores[:0:-1], scores[-2::-1], strict=True):
            steps.append((f"d{before}{head}", self.input_gradient(name, f"d{name}{head}")))
        return steps

    def renormalization_gradient(self) -> str:
        """Return dA, the gradient through A_masked = A · mask / row sum. It is 0 for a fully masked row."""
        s, head, mask, total = self.s, self.head, mask_of(self.s, self.head), SUMS[axis_of(self.s)]
        below = f"{total}(A{head} * {mask})"
        if s.word("empty_row") != "error":
            below = f"keep({below}, {below}, fill=1)"
        return f"{mask} * (dA_masked{head} - {total}(A_masked{head} * dA_masked{head})) / {below}"

    def input_gradient(self, name: str, gradient: str) -> str:
        """Return the gradient with respect to a step's input; 0 for masked entries, because they are constants."""
        return {
            "S_scaled": f"{gradient} / {scale_of(self.s, f'K{self.kv}')}",
            "S_capped": f"{gradient} * (1 - (S_capped{self.head} / softcap) ** 2)",
            "S_biased": gradient,
            "S_masked": f"keep({gradient}, {mask_of(self.s, self.head)}, fill=0)",
        }[name]


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
    """Return the gradients of each W and b, and of the tokens, summed over all projections of the tokens. A projection
    is a tuple of three names: the suffix of W and b, the output, and the tokens.
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
    """Return the gradient of a bias: the sum over the tokens, with the shape of the bias."""
    if not s.columns:
        return f"col_sum({gradient})"
    return f"row_sum({gradient})" + (".T" if s.shape(bias)[0] == 1 and s.shape(bias)[1] > 1 else "")


def refuse_softmax_steps(s: Setting) -> None:
    if s.flag("softmax_steps"):
        raise FormulaError(
            "gradients go through the softmax in one step; leave out softmax_steps", about="softmax_steps"
        )


BACK_STEPS = {
    "dV": (
        "∂L/∂V: how the loss changes with each value; each query passes its gradient back in proportion to its weights"
    ),
    "dA_masked": "∂L/∂A_masked: how the loss changes with each weight that the mask keeps",
    "dA": "∂L/∂A: how the loss changes with each weight",
    "dS_masked": "∂L/∂S_masked: each weight times (its own gradient minus the row's weighted mean gradient)",
    "dS_biased": "∂L/∂S_biased: how the loss changes with each score after its bias is added",
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
    "dX": "∂L/∂X: how the loss changes with each token, through all results that depend on it",
}

SOFTMAX_JACOBIAN = Lesson(
    "softmax_jacobian",
    "How each weight of a softmax changes with each score: the Jacobian diag(p) − pᵀ p, and a gradient "
    "multiplied by it.",
    (Input("scores", "one row of scores"), Input("dp", "the gradient with respect to the weights", optional=True)),
    (),
    {
        "p": "the softmax of the scores",
        "J": "entry (i, j): how weight i changes with score j; each row and each column sums to 0",
        "dscores": "∂L/∂scores: how the loss changes with each score",
    },
    _jacobian,
    source="Calculus: the chain rule.",
)
ATTENTION_GRADIENTS = Lesson(
    "attention_gradients",
    "Attention from Q, K and V and its backward pass: from dZ to dV, dA, dS, dQ and dK.",
    (*ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    ATTENTION_STEPS | BACK_STEPS,
    _from_qkv,
    zero=ATTENTION_ZERO,
    source="Calculus: the chain rule, applied to the formulas of Vaswani et al. 2017.",
)
SELF_ATTENTION_GRADIENTS = Lesson(
    "self_attention_gradients",
    "Self-attention and its backward pass: from dZ to the gradients of the three weight matrices and of the tokens.",
    (*SELF_ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS | ATTENTION_STEPS | BACK_STEPS | WEIGHT_STEPS | TOKEN_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
    source="Calculus: the chain rule, applied to the formulas of Vaswani et al. 2017.",
)
CROSS_ATTENTION_GRADIENTS = Lesson(
    "cross_attention_gradients",
    "Cross-attention and its backward pass: from dZ to the gradients of the weight matrices and of both sequences.",
    (*CROSS_ATTENTION.inputs, INCOMING),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS | ATTENTION_STEPS | BACK_STEPS | WEIGHT_STEPS | TOKEN_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
    source="Calculus: the chain rule, applied to the formulas of Vaswani et al. 2017.",
)


# -- multi-head attention: backward through W_O and through each head, to the weights ----------------------------------


def _multi_head(s: Setting) -> list[Recipe]:
    """Return the forward steps, then the backward steps through each head to weights and tokens."""
    refuse_softmax_steps(s)
    forward = head_steps(s)
    per_head = s.has("W_Q_1") and "W_Q" not in s.arguments
    split = not per_head and not s.has("W_Q")
    if not split and (given := [name for name in _NAMES if name in s.arguments]):
        raise FormulaError(
            f"gradients are supported for X and memory, or for Q, K and V that are only split into heads; here, "
            f"{given[0]} is also projected",
            about=given[0],
        )
    heads, kv_heads = head_counts(s, per_head)
    steps = [*forward, *_from_output(s)]
    steps += _through_heads(s, [name for name, _ in forward], heads, kv_heads, per_head, split)
    return steps + (_joined(s, heads, kv_heads) if split else _to_weights(s, heads, kv_heads, per_head))


def _from_output(s: Setting) -> list[Recipe]:
    """Return the backward steps from the output to the concatenated heads. Without W_O, these are the output."""
    if not s.has("W_O"):
        return [("dH", "dZ")]
    bias = [("db_O", bias_gradient(s, "dZ", "b_O"))] if s.has("b_O") else []
    return [("dW_O", product(s, "H.T", "dZ")), *bias, ("dH", product(s, "dZ", "W_O.T"))]


def _through_heads(
    s: Setting, forward_names: list[str], heads: int, kv_heads: int, per_head: bool, split: bool
) -> list[Recipe]:
    """Return the backward steps of each head. Gradients of keys and values that heads share are added."""
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
    """Return the gradients of the weights (for each head or for all heads) and of the tokens."""
    answers = "memory" if "memory" in s.arguments else "X"
    projections = []
    for name in _NAMES:
        ends = [f"_{i}" for i in range(1, (heads if name == "Q" else kv_heads) + 1)] if per_head else [""]
        projections += [(name + end, name + end, "X" if name == "Q" else answers) for end in ends]
    return [*([] if per_head else _joined(s, heads, kv_heads)), *to_weights(s, projections)]


_OF_HEADS = {f"{name}_1": doc for name, doc in (BACK_STEPS | WEIGHT_STEPS).items()}

MULTI_HEAD_ATTENTION_GRADIENTS = Lesson(
    "multi_head_attention_gradients",
    "Multi-head attention and its backward pass: from dZ through W_O and every head to all weight "
    "matrices and the tokens.",
    (*MULTI_HEAD_ATTENTION.inputs, INCOMING),
    tuple(o for o in MULTI_HEAD_ATTENTION.options if o not in ROTARY_OPTIONS),
    MULTI_HEAD_ATTENTION.steps
    | {
        "dW_O": "∂L/∂W_O: how the loss changes with each weight of W_O",
        "db_O": "∂L/∂b_O: the gradient of the output, summed over the tokens",
        "dH": "∂L/∂H: how the loss changes with the concatenated outputs of the heads",
        "dZ_1": "∂L/∂Z of this head: its block of dH",
    }
    | _OF_HEADS
    | {
        "dQ": "∂L/∂Q: the heads' gradients, concatenated",
        "dK": "∂L/∂K: the heads' gradients, concatenated",
        "dV": "∂L/∂V: the heads' gradients, concatenated",
    }
    | WEIGHT_STEPS
    | TOKEN_STEPS,
    _multi_head,
    zero=MULTI_HEAD_ATTENTION.zero,
    source="Calculus: the chain rule, applied to the formulas of Vaswani et al. 2017.",
)

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
    "The backward pass from the loss: the gradient of the logits is P − P_true (divided by n for the mean loss), and "
    "the gradient of the last layer follows from it.",
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
        "db_out": "∂L/∂b_out: the gradient of the logits, summed over the tokens",
        "dX": "∂L/∂X: the gradient for the last layer",
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
        "dbeta": "∂L/∂β: the gradient of the output, summed over the tokens",
        "dgamma": "∂L/∂γ: the gradient of the output times the normalised features, summed over the tokens",
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
    "RMSNorm and its backward pass: multiplying a token by a positive number does not change the output, so dX is "
    "orthogonal to the token (if ε = 0).",
    (*RMS_NORM.inputs, _BY_OUTPUT),
    RMS_NORM.options,
    RMS_NORM.steps
    | {
        "dgamma": "∂L/∂γ: the gradient of the output times the normalised features, summed over the tokens",
        "dnormed": "∂L/∂normed: how the loss changes with each normalised feature",
        "along": "how much of dnormed is along the normalised token, one number per token",
        "dX": "∂L/∂X: dnormed without its part along the normalised token, divided by the root mean square",
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
        "db_2": "∂L/∂b_2: the gradient of the output, summed over the tokens",
        "dactive": "∂L/∂active: how the loss changes with the activated values",
        "dhidden": "∂L/∂hidden: how the loss changes with the output of the first layer before its activation",
        "dgate": "∂L/∂gate: how the loss changes with the gate",
        "dW_1": "∂L/∂W_1: how the loss changes with each weight of the first layer",
        "db_1": "∂L/∂b_1: the gradient of the hidden layer, summed over the tokens",
        "dW_gate": "∂L/∂W_gate: how the loss changes with each weight of the gate",
        "db_gate": "∂L/∂b_gate: the gradient of the gate, summed over the tokens",
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
    """Return the inner lesson with the gradients of `forward`: the same arguments, and the gradient with respect to the
    output.
    """
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
        "dX": "∂L/∂X: the gradient through attention and through the residual path",
    },
    _recipes,
    source="Calculus: the chain rule through the formulas of Vaswani et al. 2017. `norm: before` follows Xiong et "
    "al. 2020.",
)
