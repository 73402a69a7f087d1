"""Speculative decoding and quantisation."""

from __future__ import annotations

from ..errors import FormulaError
from ..formula.syntax_tree import Name
from .lesson import Input, Lesson, Option, Recipe, Setting


def _speculative(s: Setting) -> list[Recipe]:
    """Return the steps of accepting drafted tokens, and of the distribution of the token after them.

    An additional last row of p is for the token after the last draft.
    """
    s.refuse_columns("one vector a row")
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
        upright = ".T" if s.shape("u")[0] == 1 and s.shape("u")[1] > 1 else ""
        steps.append(("accepted", f"where(u{upright} {_TIES[s.word('tie')]} accept, 1, 0)"))
        if s.say_word("tie") == "refuse" and any(1 in row for row in s.numbers_of(s.trees.get("u", Name("u"))) or ()):
            s.warn("u is 1, which refuses even a token with p ≥ q; the source draws u below 1")
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
    "A small model drafts tokens by q, the large one accepts each with min(1, p/q); after a refusal the token comes "
    "from max(0, p − q).",
    (
        Input("p", "the large model's probabilities, a row for each drafted token, and one more for the token after "
            "them all where it is wanted"),
        Input("q", "the small model's probabilities, a row for each drafted token"),
        Input("ids", "the numbers of the drafted tokens"),
        Input("u", "a random number from 0 to 1 for each drafted token, which decides", optional=True,
            demand="probabilities"),
    ),
    (
        Option("tie", "word", "accept", "a random number that equals p/q accepts the token (Leviathan et al.) or "
            "refuses it (Chen et al.)", tuple(_TIES)),
    ),
    {
        "p_drafted": "the probability of each drafted token under the large model",
        "q_drafted": "the probability of each drafted token under the small model",
        "accept": "the probability that each drafted token is accepted",
        "accepted": "1 where the random number is at most accept (tie: refuse: below it): the token is accepted",
        "rate": "how often a token that is drawn from q is accepted",
        "left": "max(0, p − q): what p has more than q",
        "residual": "left, rescaled to sum to 1: after a refusal the token is drawn from it",
        "kept": "1 for the drafted tokens before the first refusal",
        "count": "how many drafted tokens are kept",
        "next": "the probabilities of the token after them: the residual of the refused one, or p's last row if all "
                "are accepted",
        "recovered": "accepted drafts and tokens after refusals together: p again",
    },
    _speculative,
    zero={"accept": "a token that q gives 0 is never drafted"},
    counts=("count",),
    source="Leviathan et al. 2023, Algorithm 1: a token is accepted unless u > p/q, and so in Transformers; Chen et "
    "al. 2023, Algorithm 2, accept if u < min(1, p/q) (tie: refuse).",
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
            "bits: expected 2 to 16 with whole numbers on both sides of 0, found 1, which leaves the number 0 alone; "
            "one bit needs zero: affine",
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
    "Weights as small whole numbers: X ≈ step · whole, with one step for all, for each row or for each column.",
    (Input("X", "the weights (or activations)"),),
    (
        Option("bits", "whole", "8", "how many bits a whole number has; 1 with zero: affine alone",
            largest=16, examples=("4",)),
        Option("axis", "word", "all", "one step for all entries, for each row, or for each column",
            ("all", "rows", "columns")),
        Option("zero", "word", "symmetric", "whole numbers on both sides of 0 (absmax), or from 0 with a zero point "
               "(affine)",
               ("symmetric", "affine")),
        Option("ties", "word", "half_even", "how halves are rounded: to the even number (NumPy, PyTorch) or away from "
            "0", ("half_even", "half_up")),
    ),
    {
        "largest": "the largest size of an entry",
        "low": "the smallest entry, 0 at most",
        "high": "the largest entry, 0 at least",
        "step": "what one whole number is worth",
        "zero_point": "the whole number that stands for 0",
        "whole": "the whole numbers that are stored",
        "X_back": "the weights that the whole numbers stand for",
        "error": "the rounding error that remains",
    },
    _quantise,
    digits=6,
    counts=("whole", "zero_point"),
    zero={"whole": "all entries there are 0, so that no step is needed",
        "zero_point": "all entries there are 0, so that no step is needed"},
    source="Symmetric: absmax of Dettmers et al. 2022 (LLM.int8), from −127 to 127; affine: Jacob et al. 2018 and "
    "PyTorch's quantize_per_channel.",
)  # fmt: skip
