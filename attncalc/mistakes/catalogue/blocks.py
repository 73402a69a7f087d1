"""Mistakes in residual connections and the feed-forward layer."""

from ..mistake import MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "residual-missing", "block", ("sum",),
        "It looks as if you left out one of the two terms of the residual sum.",
        "The residual connection adds the sublayer's input to its output: x + f(x).",
        (("x_ + f_", "f_"), ("x_ + f_", "x_")), MEDIUM,
    ),
    Mistake(
        "relu-forgotten", "feed-forward", ("active",),
        "It looks as if you left out the activation function.",
        "Apply the activation between the two layers; ReLU turns every negative number into 0.",
        (("relu(h_)", "h_"), ("gelu(h_)", "h_"), ("silu(h_)", "h_")), MEDIUM, "no entry is negative",
    ),
    Mistake(
        "relu-as-absolute-value", "feed-forward", ("active",),
        "It looks as if you dropped the minus signs instead of setting negative numbers to 0.",
        "ReLU turns negative numbers into 0, not into positive ones.",
        (("relu(h_)", "abs(h_)"),), same="no entry is negative",
    ),
    Mistake(
        "relu-of-negatives", "feed-forward", ("active",),
        "It looks as if you kept the negative numbers and set the positive ones to 0.",
        "ReLU turns negative numbers into 0 and leaves the others as they are: max(0, x).",
        (("relu(h_)", "minimum(h_, 0)"),), same="every entry is 0",
    ),
    Mistake(
        "leaky-relu-for-relu", "feed-forward", ("active",),
        "It looks as if you kept a small share of the negative numbers, as leaky ReLU does.",
        "ReLU turns every negative number into 0.",
        tuple(("relu(h_)", f"maximum(h_, {slope} * h_)") for slope in ("0.01", "0.1", "0.2")),
        same="no entry is negative",
    ),
    Mistake(
        "sigmoid-for-relu", "feed-forward", ("active",),
        "It looks as if you used a sigmoid (or tanh) as the activation function.",
        "ReLU turns negative numbers into 0 and leaves the others as they are.",
        (("relu(h_)", "sigmoid(h_)"), ("relu(h_)", "tanh(h_)")),
    ),
    Mistake(
        "relu-for-gelu", "feed-forward", ("active",),
        "It looks as if you used ReLU instead of the smooth activation function.",
        "This layer has a smooth activation function; use the formula that the problem gives.",
        (("gelu(h_)", "relu(h_)"), ("silu(h_)", "relu(h_)")),
    ),
    Mistake(
        "gelu-other-form", "feed-forward", ("active",),
        "It looks as if you used another form of GELU.",
        "Use the form that the problem gives: with erf, with tanh, or x·σ(1.702 x).",
        (("gelu(h_)", 'gelu(h_, form="tanh")'), ("gelu(h_)", 'gelu(h_, form="sigmoid")'),
         ("gelu(h_)", 'gelu(h_, form="erf")')),
    ),
    Mistake(
        "relu-after-second-layer", "feed-forward", ("Y",),
        "It looks as if you applied the activation function after the second layer too.",
        "The activation function comes between the two layers; do not apply it to the result of the second layer.",
        (("active @ w_ + b_", "relu(active @ w_ + b_)"), ("active @ w_", "relu(active @ w_)")), MEDIUM,
    ),
    Mistake(
        "hidden-without-activation", "feed-forward", ("Y",),
        "It looks as if you skipped the activation function: the second layer got the hidden values as they were.",
        "The input of the second layer is the result of the activation function.",
        (("active @ w_", "hidden @ w_"),),
    ),
)  # fmt: skip
