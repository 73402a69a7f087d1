"""Speculative decoding and quantisation."""

from __future__ import annotations

from ..errors import FormulaError, size
from ..formula.syntax_tree import Name
from .lesson import Input, Lesson, Option, Recipe, Setting


def _speculative(s: Setting) -> list[Recipe]:
    """Return the steps that accept or reject drafted tokens, and the distribution of the next token. If p has an
    additional last row, this row is for the token after the last drafted token.
    """
    s.refuse_columns("one vector per row")
    s.check_probabilities("p")
    s.check_probabilities("q")
    drafted = max(s.shape("ids"))
    bonus = s.shape("p")[0] == drafted + 1
    p = "p" if not bonus else "p[0]" if drafted == 1 else f"p[0:{drafted}]"
    steps: list[Recipe] = [
        ("p_drafted", f"pick({p}, ids)"),
        ("q_drafted", "pick(q, ids)"),
        ("accept", "minimum(1, p_drafted / q_drafted)"),
    ]
    if s.has("u"):
        if sorted(s.shape("u")) != [1, drafted]:
            message = f"u: expected a number for each of {drafted} drafted tokens, as a row or a column, found"
            raise FormulaError(f"{message} {size(s.shape('u'))}", about="u")
        upright = ".T" if s.shape("u")[0] == 1 and s.shape("u")[1] > 1 else ""
        steps.append(("accepted", f"where(u{upright} {_TIES[s.word('tie')]} accept, 1, 0)"))
        if s.say_word("tie") == "refuse" and any(1 in row for row in s.numbers_of(s.trees.get("u", Name("u"))) or ()):
            s.warn("u is 1, which rejects even a token with p ≥ q; the source draws u below 1")
    steps += [
        ("rate", f"row_sum(minimum({p}, q))"),
        ("left", f"maximum({p} - q, 0)"),
        ("residual", 'normalize(left, empty="zeros")'),
    ]
    if bonus and s.has("u"):
        steps += [
            ("kept", "where(cumsum_rows(1 - accepted.T).T < 1, 1, 0)"),
            ("count", "total(kept)"),
            ("next", f"lookup(vstack(residual, p[{drafted}]), count)"),
        ]
    return [*steps, ("recovered", f"minimum({p}, q) + (1 - rate) * residual")]


_TIES = {"accept": "<=", "refuse": "<"}


SPECULATIVE_DECODING = Lesson(
    "speculative_decoding",
    "A small model drafts tokens from q. The large model accepts each with probability min(1, p/q). After a "
    "rejection, the token is drawn from max(0, p − q), divided by its sum.",
    (
        Input("p", "the large model's probabilities, one row per drafted token, and optionally one more for the "
        "token after them"),
        Input("q", "the small model's probabilities, one row per drafted token"),
        Input("ids", "the token IDs of the drafted tokens"),
        Input("u", "the random number from 0 to 1 that decides about each drafted token", optional=True,
            demand="probabilities"),
    ),
    (
        Option("tie", "word", "accept", "if the random number equals p/q, the token is accepted (Leviathan et al.) "
        "or rejected (Chen et al.)", tuple(_TIES)),
    ),
    {
        "p_drafted": "the probability of each drafted token under the large model",
        "q_drafted": "the probability of each drafted token under the small model",
        "accept": "for each drafted token, the probability that it is accepted",
        "accepted": "1 if the random number is at most the probability of acceptance (or below it, with tie: "
        "refuse): the token is accepted",
        "rate": "the probability that a token drawn from q is accepted",
        "left": "max(0, p − q): what p has more than q",
        "residual": "max(0, p − q), divided by its sum: after a rejection the token is drawn from it",
        "kept": "1 for the drafted tokens before the first rejection",
        "count": "how many drafted tokens are kept",
        "next": "the probabilities of the token after the kept drafts: the residual of the rejected token, or p's "
        "last row if all are accepted",
        "recovered": "the distribution of accepted drafts and replacements together: the same as p",
    },
    _speculative,
    zero={"accept": "a token with probability 0 in q is never drafted"},
    counts=("count",),
    source="Leviathan et al. 2023, Algorithm 1: a token is accepted unless u > p/q, as in Transformers. Chen et "
    "al. 2023, Algorithm 2, whose letters p and q are swapped, accept a token if u < min(1, p/q) (`tie: refuse`).",
)  # fmt: skip


# -- quantisation ------------------------------------------------------------------------------------------------------

_AXES = {"all": "max(abs(X))", "rows": "row_max(abs(X))", "columns": "col_max(abs(X))"}
_ENDS = {"all": ("min(X)", "max(X)"), "rows": ("row_min(X)", "row_max(X)"), "columns": ("col_min(X)", "col_max(X)")}


def _quantise(s: Setting) -> list[Recipe]:
    bits, axis, zero, mode = s.integer("bits", 16) or 8, s.word("axis"), s.word("zero"), s.word("ties")
    for name, word in (("bits", str(bits)), ("axis", axis), ("zero", zero), ("ties", mode)):
        s.say(name, word)
    if bits == 1 and zero == "symmetric":
        raise FormulaError(
            "bits: expected 2 to 16 for integers on both sides of 0, found 1, which leaves only the number 0; "
            "one bit needs `zero: affine`",
            about="bits",
        )
    rounded = f'round({{0}}, 0, mode="{mode}")'
    if zero == "symmetric":
        max_value = 2 ** (bits - 1) - 1
        steps: list[Recipe] = [
            ("largest", _AXES[axis]),
            ("step", f"largest / {max_value}"),
            ("whole", rounded.format("X / step")),
            ("X_back", "step * whole"),
        ]
        return [*steps, ("error", "X_back - X")]
    max_value = 2**bits - 1
    low, high = _ENDS[axis]
    return [
        ("low", f"minimum({low}, 0)"),
        ("high", f"maximum({high}, 0)"),
        ("step", f"(high - low) / {max_value}"),
        ("zero_point", rounded.format("-low / step")),
        ("whole", f"clip({rounded.format('X / step')} + zero_point, 0, {max_value})"),
        ("X_back", "step * (whole - zero_point)"),
        ("error", "X_back - X"),
    ]


QUANTIZATION = Lesson(
    "quantization",
    "Weights as small integers: X ≈ step · whole, with one scale (step) for all, per row or per column.",
    (Input("X", "the weights (or activations)"),),
    (
        Option("bits", "whole", "8", "the number of bits of an integer; 1 only with zero: affine",
            largest=16, examples=("4",)),
        Option("axis", "word", "all", "one scale for all entries, per row, or per column",
            ("all", "rows", "columns")),
        Option("zero", "word", "symmetric", "integers on both sides of 0 (absmax), or from 0 with a zero point "
        "(affine)",
               ("symmetric", "affine")),
        Option("ties", "word", "half_even", "how halves are rounded: to the even number (NumPy, PyTorch) or away from "
            "0", ("half_even", "half_up")),
    ),
    {
        "largest": "the largest absolute value of an entry",
        "low": "the smallest entry, at most 0",
        "high": "the largest entry, at least 0",
        "step": "the scale: the value of one integer step",
        "zero_point": "the integer that represents 0",
        "whole": "the integers that are stored",
        "X_back": "the weights that the integers represent",
        "error": "the rounding error that remains",
    },
    _quantise,
    digits=6,
    counts=("whole", "zero_point"),
    zero={"whole": "all entries there are 0, so the scale is 0 too, and nothing can be divided by it",
        "zero_point": "all entries there are 0, so the scale is 0 too, and nothing can be divided by it"},
    source="Symmetric: absmax of Dettmers et al. 2022 (LLM.int8), from −127 to 127; affine: Jacob et al. 2018 and "
    "PyTorch's quantize_per_channel.",
)  # fmt: skip
