"""Mistakes in residual connections and the feed-forward layer."""

from ..catalogue import MEDIUM, Mistake

MISTAKES = (
    Mistake(
        "residual-missing", "block", ("sum",),
        "The input of the sublayer seems not to have been added back.",
        "The residual connection adds the sublayer's input to its output.",
        (("x_ + f_", "f_"), ("x_ + f_", "x_")), MEDIUM,
    ),
    Mistake(
        "relu-forgotten", "feed-forward", ("active",),
        "The activation seems to have been left out.",
        "Apply the activation between the two layers; ReLU turns every negative number into 0.",
        (("relu(h_)", "h_"), ("gelu(h_)", "h_"), ("silu(h_)", "h_")), MEDIUM, "no entry is negative",
    ),
    Mistake(
        "relu-as-absolute-value", "feed-forward", ("active",),
        "The minus signs seem to have been dropped.",
        "ReLU turns negative numbers into 0, not into positive ones.",
        (("relu(h_)", "abs(h_)"),), same="no entry is negative",
    ),
    Mistake(
        "relu-for-gelu", "feed-forward", ("active",),
        "A ReLU seems to have been used.",
        "This layer's activation is a smooth one; use the formula that the problem gives.",
        (("gelu(h_)", "relu(h_)"), ("silu(h_)", "relu(h_)")),
    ),
    Mistake(
        "gelu-other-form", "feed-forward", ("active",),
        "Another form of GELU seems to have been used.",
        "Use the form that the problem gives: by erf, by tanh, or x·σ(1.702 x).",
        (("gelu(h_)", 'gelu(h_, form="tanh")'), ("gelu(h_)", 'gelu(h_, form="sigmoid")'), ("gelu(h_)", 'gelu(h_, form="erf")')),
    ),
    Mistake(
        "relu-after-second-layer", "feed-forward", ("Y",),
        "The activation seems to have been applied after the second layer too.",
        "The activation stands between the layers; the second layer's result stays as it is.",
        (("active @ w_ + b_", "relu(active @ w_ + b_)"), ("active @ w_", "relu(active @ w_)")), MEDIUM,
    ),
    Mistake(
        "hidden-without-activation", "feed-forward", ("Y",),
        "The second layer seems to have been given the first one before its activation.",
        "The second layer takes what the activation lets through.",
        (("active @ w_", "hidden @ w_"),),
    ),
)  # fmt: skip
