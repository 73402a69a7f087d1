"""Normalisation: LayerNorm, also after a residual connection, and RMSNorm."""

from __future__ import annotations

from collections.abc import Sequence

from ..formula.syntax_tree import Number
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting

LAYER_NORM_OPTIONS = (
    Option("eps", "formula", "1e-5", "the small number that keeps the square root from being 0; it is 0 in many "
    "exercises",
           demand="not negative",
           examples=("0", "0.001")),
    Option("eps_in", "word", "variance", "where eps is added: to the variance, or to the standard deviation (std)",
        ("variance", "std")),
    Option("ddof", "word", "0", "0 divides by d (population), 1 by d − 1 (sample)", ("0", "1")),
)  # fmt: skip
_LAYER_NORM_STEPS = {
    "mean": "the mean of each token's features",
    "var": "the variance of each token's features",
    "normed": "the features minus their mean, divided by their standard deviation (with ε)",
    "Y": "the normalised features, multiplied by γ and shifted by β",
}
_CONSTANT = {
    "var": "with ddof: 1 it needs two entries or more",
    "normed": "the entries there are all equal, so their deviation is 0; set eps above 0",
}


def layer_norm_steps(s: Setting, tokens: str) -> list[Recipe]:
    """Return the steps mean, var, normed and Y. Without gamma and beta, Y equals normed."""
    line = "col" if s.columns else "row"
    ddof = s.word("ddof")
    variance = f"{line}_var({tokens})" if ddof == "0" else f"{line}_var({tokens}, ddof={ddof})"
    below = "sqrt(var)"
    if _eps(s):
        below = "sqrt(var + eps)" if s.word("eps_in") == "variance" else "(sqrt(var) + eps)"
    s.say_word("eps_in")
    s.say("ddof", ddof)
    return [
        ("mean", f"{line}_mean({tokens})"),
        ("var", variance),
        ("normed", f"({tokens} - mean) / {below}"),
        ("Y", scale_and_shift(s)),
    ]


def _eps(s: Setting) -> bool:
    tree = s.trees["eps"] if s.text("eps") else None
    visible = tree is not None and not (isinstance(tree, Number) and tree.value == 0)
    s.say("eps", s.option_text("eps") if visible else "0")
    return visible


def scale_and_shift(s: Setting, by: Sequence[str] = ("gamma", "beta")) -> str:
    """Return normed · gamma + beta, without gamma or beta if it does not exist."""
    formula = "normed"
    for name in by:
        sign = {"gamma": "*", "beta": "+"}[name]
        if s.has(name):
            upright = s.columns and s.shape(name)[0] == 1 and s.shape(name)[1] > 1
            formula = f"{formula} {sign} {name}{'.T' if upright else ''}"
    return formula


def rms_norm_steps(s: Setting) -> list[Recipe]:
    """Return the steps mean_square, normed and Y."""
    line = "col" if s.columns else "row"
    below = "sqrt(mean_square + eps)" if _eps(s) else "sqrt(mean_square)"
    return [("mean_square", f"{line}_mean(X ** 2)"), ("normed", f"X / {below}"), ("Y", scale_and_shift(s, ("gamma",)))]


_GAMMA_BETA = (
    Input("gamma", "the factor of each feature", optional=True, shape=FEATURES),
    Input("beta", "the number that is added to each feature", optional=True, shape=FEATURES),
)

LAYER_NORM = Lesson(
    "layer_norm",
    "Each token's features are normalised to mean 0 and standard deviation 1 (about 1 if ε > 0), then multiplied by "
    "γ and shifted by β.",
    (Input("X", "the tokens, one per row"), *_GAMMA_BETA),
    LAYER_NORM_OPTIONS,
    _LAYER_NORM_STEPS,
    lambda s: layer_norm_steps(s, "X"),
    zero=_CONSTANT,
    source="Ba et al. 2016.",
)
ADD_NORM = Lesson(
    "add_norm",
    "A residual connection, then LayerNorm: LayerNorm(X + sublayer).",
    (Input("X", "the input of the sublayer"), Input("sublayer", "the output of the sublayer", shape="X"), *_GAMMA_BETA),
    LAYER_NORM_OPTIONS,
    {"sum": "the sublayer's output plus its input"} | _LAYER_NORM_STEPS,
    lambda s: [("sum", "X + sublayer"), *layer_norm_steps(s, "sum")],
    zero=_CONSTANT,
    source="Vaswani et al. 2017; the residual connection: He et al. 2016; the norm: Ba et al. 2016.",
)
RMS_NORM = Lesson(
    "rms_norm",
    "Each token's features are divided by their root mean square, without centring.",
    (Input("X", "the tokens, one per row"), _GAMMA_BETA[0]),
    (
        Option(
            "eps", "formula", "0", "the small number under the square root", demand="not negative", examples=("1e-5",)
        ),
    ),
    {
        "mean_square": "the mean of the squares of each token's features",
        "normed": "the features, divided by their root mean square (with ε)",
        "Y": "the normalised features, multiplied by γ",
    },
    rms_norm_steps,
    zero={"normed": "the entries there are all 0; set eps above 0"},
    source="Zhang and Sennrich 2019.",
)
