"""Scaled dot-product attention: softmax(Q Kᵀ / √d_k) V, from Q, K and V, or from tokens."""

from __future__ import annotations

from ..errors import FormulaError, shorten
from ..formula.syntax_tree import Call, Index, Name, Number, Tree, names, substitute, unparse, walk
from .lesson import (
    FEATURES,
    NUMBER,
    Input,
    Lesson,
    Option,
    Recipe,
    Setting,
    fill_size,
    fill_slope,
    formula_call,
    lesson_step,
    word_of,
)
from .positional_encoding import ROTARY_OPTIONS, ROTARY_STEPS, is_rotary, rotary_table, rotation

ATTENTION_OPTIONS = (
    Option("scale", "formula", "sqrt(d_k)", "the divisor of the scores; with none, the scores are not scaled",
        examples=("none", "3")),
    Option("softcap", "formula", "none", "c in c·tanh(S/c), which keeps scores between −c and c", examples=("2",)),
    Option("bias", "formula", "none", "a query × key matrix added to the scores; alibi(slope), or alibi for all heads; "
           'without a causal mask alibi(slope, sides="both")',
           numbered=True,
           shape="",
           examples=("alibi(1/2)", 'alibi(1/2, sides="both")')),
    Option("mask", "mask", "none", "causal, causal_strict, band(1), or a query × key matrix where 1 = may attend",
           numbered=True,
           examples=("causal", "causal(offset=1)", "band(1)", "causal * band(1)")),
    Option("fill", "formula", "-inf", "the value of masked scores", examples=("-99",)),
    Option("mask_at", "word", "scaled", "where the mask is applied: before the scale (scores), after it (scaled), or "
           "after the softmax (weights)",
           ("scaled", "scores", "weights")),
    Option("empty_row", "word", "error", "the weights of a query whose keys are all masked",
        ("error", "zeros", "uniform")),
    Option("axis", "word", "rows", "the entries that sum to 1: each row, each column or all; with column "
        "vectors the default is each column",
        ("rows", "columns", "all")),
    Option("base", "formula", "e", "the base of the softmax", demand="positive", examples=("2",)),
    Option("softmax_steps", "flag", "false", "true shows the exponentials E and their sums E_sum"),
)  # fmt: skip

ATTENTION_STEPS = {
    "S": "the scores: how well each query matches each key",
    "S_scaled": "the scores divided by √d_k, so that the softmax does not saturate",
    "S_capped": "the scores, limited smoothly to the range from −cap to cap",
    "S_biased": "the scores plus a bias for each pair of positions",
    "S_masked": "the scores with masked entries set to −∞",
    "E": "the exponential of each score",
    "E_sum": "the sum of the exponentials, by which each of them is divided",
    "A": "the attention weights: how strongly each query attends to each key",
    "A_masked": "the weights that the mask leaves, rescaled to sum to 1 again",
    "Z": "the output: for each query the weighted mean of the values",
}
ATTENTION_ZERO = {
    "A_masked": ("the mask leaves no key to attend to; empty_row: zeros or empty_row: uniform defines the weights")
}
PROJECTION_STEPS = {
    "Q": "the queries: what each token looks for",
    "K": "the keys: what each token offers for comparison with the queries",
    "V": "the values: what each token passes on when attended to",
}


SUMS = {"rows": "row_sum", "columns": "col_sum", "all": "total"}  # the functions that sum along the axis of a softmax

D_K = Input(
    "d_k",
    "the dimension d_k of a head: the scores are divided by √d_k; if it is not given, the number of columns of K",
    optional=True,
    shape=NUMBER,
)


def product(s: Setting, left: str, right: str) -> str:
    """Return the formula X W if tokens are rows, and W X if tokens are columns."""
    return f"{right} @ {left}" if s.columns else f"{left} @ {right}"


def projection(s: Setting, tokens: str, weight: str, bias: str) -> str:
    """Return the formula X W + b, or W X + b with b as a column if tokens are columns."""
    formula = product(s, tokens, weight)
    if not s.has(bias):
        return formula
    flat = s.shape(bias)[0] == 1
    return f"{formula} + {bias}.T" if s.columns and flat else f"{formula} + {bias}"


def attention_steps(
    s: Setting, head: str = "", key_head: str | None = None, heads: int = 0, rotated: tuple[str, str] | None = None
) -> list[Recipe]:
    """Return the steps from S to Z of one head.

    `head` is the suffix of the names of its steps, and `key_head` the suffix of its keys and values. `rotated` contains
    the names of the rotated queries and keys, if there are any.
    """
    kv = head if key_head is None else key_head
    (query, key), value = rotated or (f"Q{head}", f"K{kv}"), f"V{kv}"
    steps: list[Recipe] = [(f"S{head}", f"{key}.T @ {query}" if s.columns else f"{query} @ {key}.T")]

    def then(name: str, formula: str) -> None:
        steps.append((f"{name}{head}", formula.format(steps[-1][0])))

    def masked_scores() -> None:
        hidden = mask_of(s, head, steps[-1][0])
        if hidden:
            if isinstance(fill := s.arguments.get("fill"), Number) and head in ("", "_1"):
                s.warn(f"fill: a masked score of {fill.text} still gets a weight; only a score of −∞ gets the weight 0")
            then(
                "S_masked",
                formula_call("keep", ["{0}", hidden], {"fill": None if s.is_unset("fill") else s.text("fill")}),
            )

    place = s.word("mask_at")
    if place == "scores":
        masked_scores()
    scale = scale_of(s, key)
    if scale:
        then("S_scaled", "{0} / " + scale)
    if cap := s.text("softcap"):
        then("S_capped", f"{cap} * tanh({{0}} / {cap})")
    if bias := s.text("bias", head):
        tree = _slope_of_head(s.trees[bias], head, heads)
        if head in ("", "_1"):
            _check_sides(s, tree, head)
            _check_effect(s, tree)
        s.trees[bias + head] = _sized(s, tree, steps[-1][0])
        then("S_biased", f"{{0}} + {bias}{head}" + (".T" if s.columns else ""))
    if place == "scaled":
        masked_scores()
    steps += _weights(s, steps[-1][0], head)
    if place == "weights" and (hidden := mask_of(s, head, steps[-1][0])):
        empty = s.word("empty_row")
        axis = axis_of(s)
        formula = f"A{head} * {hidden}"
        if empty == "error":
            steps.append((f"A_masked{head}", f"{formula} / {SUMS[axis]}({formula})"))
        else:
            steps.append((f"A_masked{head}", f'normalize({formula}, axis="{axis}", empty="{empty}")'))
    last = steps[-1][0]
    steps.append((f"Z{head}", f"{value} @ {last}" if s.columns else f"{last} @ {value}"))
    if not head or head == "_1":
        _conventions(s, scale)
    return steps


def cache_length(s: Setting) -> int:
    """Return the number of cached tokens, which is also the position of the first new token."""
    cache = next((name for name in ("K_cache", "K_cache_1") if s.lesson.input(name) and s.has(name)), "")
    return s.shape(cache)[1 if s.columns else 0] if cache else 0


def _sized(s: Setting, tree: Tree, step: str) -> Tree:
    """Return a mask or a bias with the size of the scores in a step."""
    scores = lesson_step(step)
    rows, columns = Call("rows", (scores,)), Call("cols", (scores,))
    return fill_size(tree, *((columns, rows) if s.columns else (rows, columns)), cache_length(s))


def _slope_of_head(bias: Tree, head: str, heads: int) -> Tree:
    """Return a bias with the slope of the head inserted into the word `alibi`."""
    if heads:
        slopes = Call("alibi_slopes", (Number(str(heads)),))
        return fill_slope(bias, Index(slopes, Number("0"), Number(str(int(head[1:]) - 1))))
    if unparse(fill_slope(bias, Number("1"))) != unparse(bias):
        raise FormulaError(
            "alibi needs its slope here, such as alibi(1/2); only multi_head_attention takes alibi without a slope",
            bias.at,
            "bias",
        )
    return bias


def _check_effect(s: Setting, bias: Tree) -> None:
    """Warn about a bias that adds one number to all scores of a softmax, because it does not change the weights."""
    try:
        rows, columns = s.shape_of(bias)
    except FormulaError:  # the size of the bias depends on the scores, as for alibi
        return
    alike = {"rows": columns == 1, "columns": rows == 1, "all": rows == columns == 1}
    if alike[s.word("axis")] and s.is_unset("fill"):
        what = f"bias: {shorten(unparse(bias))} adds one number to all scores of a softmax"
        s.warn(f"{what}, so the weights are the same without it")


def _check_sides(s: Setting, bias: Tree, head: str) -> None:
    """Warn about a one-sided bias without a causal mask, because it favours later keys. Raises FormulaError for a
    two-sided bias if all keys are earlier than the queries.
    """
    sides = {
        "both" if any(name == "sides" and word_of(value) == "both" for name, value in part.options) else "one"
        for part in walk(bias)
        if isinstance(part, Call) and part.function == "alibi"
    }
    is_last = bool(cache_length(s)) and s.shape("X")[1 if s.columns else 0] == 1
    if "both" in sides and is_last:
        raise FormulaError('no key comes after the query here; leave out sides="both"', bias.at, "bias")
    if "one" in sides and not is_last and _later_keys(s, head):
        s.warn(
            "alibi(slope) adds −slope·(i − j), which is meant for a causal mask and favours later keys without one; "
            'use mask: causal, or alibi(slope, sides="both"), which is −slope·|i − j|'
        )


def _later_keys(s: Setting, head: str) -> bool:
    """Return whether a query may attend to a later key: without a mask, with a band of later keys, or by the entries of
    a given mask.
    """
    name = s.text("mask", head)
    if name is None:
        return True
    mask = s.trees[name]
    if isinstance(mask, Call) and mask.function == "band":
        return mask.arguments[1:] != (Number("0"),)
    rows = s.numbers_of(mask) if isinstance(mask, Name) else None
    return rows is not None and any(x != 0 for i, row in enumerate(rows) for x in row[i + 1 :])


def mask_of(s: Setting, head: str, scores: str = "") -> str | None:
    """Return the formula of a head's mask for recipes, or None. The mask gets the size of the step `scores`."""
    name = s.text("mask", head)
    if name is None:
        return None
    if scores:
        s.trees[name + head] = _sized(s, s.trees[name], scores)
    return name + head + (".T" if s.columns else "")


def scale_of(s: Setting, key: str) -> str | None:
    """Return the divisor of the scores; None if the option `scale` is `none`. In this option, d_k is the width of the
    keys.
    """
    if s.has("d_k") and s.is_unset("scale"):
        return "sqrt(d_k)"
    if s.is_unset("scale") or s.repeats_default("scale") and not s.has("d_k"):
        return f"sqrt(rows({key}))" if s.columns else f"sqrt(cols({key}))"
    divisor = s.text("scale")
    if divisor is None:
        return None
    if "d_k" in names(s.trees[divisor]) and not s.has("d_k"):
        keys = s.trees.get(key, Name(key)) if s.lesson.input(key) else lesson_step(key)
        width = Call("rows" if s.columns else "cols", (keys,))
        s.trees[f"scale_{key}"] = substitute(s.trees[divisor], {"d_k": width})
        divisor = f"scale_{key}"
    s.divisors.append(divisor)
    return divisor


def axis_of(s: Setting) -> str:
    """Return the axis along which the weights sum to 1."""
    return "columns" if s.columns and s.is_unset("axis") else s.word("axis")


def _may_be_empty(s: Setting, head: str = "") -> bool:
    """Return whether a mask that sets scores to −∞, or a bias, may make all scores of a query −∞."""
    at_weights = s.word("mask_at") == "weights"
    fills = s.is_default("fill") or at_weights
    return s.text("mask", head) is not None and fills or s.text("bias", head) is not None and not at_weights


def _weights(s: Setting, scores: str, head: str) -> list[Recipe]:
    axis = axis_of(s)
    base = None if s.is_unset("base") else s.text("base")
    if not s.flag("softmax_steps"):
        empty = s.word("empty_row")
        function = {"rows": "softmax", "columns": "softmax_cols", "all": "softmax_all"}[axis]
        is_here = s.word("mask_at") != "weights" and _may_be_empty(s, head)
        spoken = f'"{empty}"' if empty != "error" and is_here else None
        return [(f"A{head}", formula_call(function, [scores], {"base": base, "empty": spoken}))]
    if s.word("empty_row") != "error":
        raise FormulaError(
            "softmax_steps shows E / E_sum, which is undefined in an empty row; leave out empty_row or softmax_steps",
            about="empty_row",
        )
    return [
        (f"E{head}", f"{base} ** {scores}" if base else f"exp({scores})"),
        (f"E_sum{head}", f"{SUMS[axis]}(E{head})"),
        (f"A{head}", f"E{head} / E_sum{head}"),
    ]


def _conventions(s: Setting, scale: str | None) -> None:
    s.say("scale", unparse(s.trees["scale"]) if scale in s.trees else scale or "none")
    for option in ("softcap", "bias", "mask"):
        if option in s.arguments and (value := unparse(s.arguments[option])).rpartition(".")[2] != option:
            s.say(option, value)  # the name of a matrix says nothing about the mask
    if s.text("mask") is not None:
        if s.word("mask_at") != "weights":
            s.say("fill", unparse(s.arguments["fill"]) if "fill" in s.arguments else "-inf")
        if scale or "mask_at" in s.arguments:
            s.say_word("mask_at")
    for option in ("empty_row", "axis", "base"):
        if option in s.arguments and (option != "empty_row" or _may_be_empty(s)):
            s.say(option, word_of(s.arguments[option]))


def _from_tokens(s: Setting) -> list[Recipe]:
    answers = "memory" if s.lesson.name == "cross_attention" else "X"
    rotations = [*_angles(s), ("Q_rot", rotation(s, "Q")), ("K_rot", rotation(s, "K"))] if is_rotary(s) else []
    return [
        ("Q", projection(s, "X", "W_Q", "b_Q")),
        ("K", projection(s, answers, "W_K", "b_K")),
        ("V", projection(s, answers, "W_V", "b_V")),
        *rotations,
        *attention_steps(s, rotated=("Q_rot", "K_rot") if rotations else None),
    ]


def _angles(s: Setting) -> list[Recipe]:
    along, across = (1, 0) if s.columns else (0, 1)
    return rotary_table(s, s.shape("X")[along], s.shape("W_Q")[across])


_WEIGHTS = (
    Input("W_Q", "the query weights"),
    Input("W_K", "the key weights"),
    Input("W_V", "the value weights"),
    Input("b_Q", "the query bias", optional=True, shape=FEATURES),
    Input("b_K", "the key bias", optional=True, shape=FEATURES),
    Input("b_V", "the value bias", optional=True, shape=FEATURES),
    D_K,
)

ATTENTION = Lesson(
    "attention",
    "Scaled dot-product attention from queries, keys and values: Z = softmax(Q Kᵀ / √d_k) V.",
    (Input("Q", "the queries, one per row"), Input("K", "the keys"), Input("V", "the values"), D_K),
    ATTENTION_OPTIONS,
    ATTENTION_STEPS,
    attention_steps,
    zero=ATTENTION_ZERO,
    source="Vaswani et al. 2017, section 3.2.1. softcap: Gemma 2, 2024; bias: alibi(slope) is the form of Press et al. "
    '2022 for causal attention, and sides="both" is their form for encoders '
    "(github.com/ofirpress/attention_with_linear_biases, issue 5).",
)
SELF_ATTENTION = Lesson(
    "self_attention",
    "Every token attends to every token of its own sentence: queries, keys and values all come from X.",
    (Input("X", "the tokens, one per row"), *_WEIGHTS),
    (*ATTENTION_OPTIONS, *ROTARY_OPTIONS),
    PROJECTION_STEPS | ROTARY_STEPS | ATTENTION_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
    source="Vaswani et al. 2017.",
)
CROSS_ATTENTION = Lesson(
    "cross_attention",
    "Queries come from X, keys and values from a different sequence (memory).",
    (
        Input("X", "the tokens from which the queries are computed"),
        Input("memory", "the tokens from which keys and values are computed"),
        *_WEIGHTS,
    ),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS | ATTENTION_STEPS,
    _from_tokens,
    zero=ATTENTION_ZERO,
    source="Vaswani et al. 2017.",
)


def _cached(s: Setting) -> list[Recipe]:
    steps = [("Q", projection(s, "X", "W_Q", "b_Q"))]
    join = "hstack" if s.columns else "vstack"
    for name in "KV":
        steps.append((f"{name}_new", projection(s, "X", f"W_{name}", f"b_{name}")))
        steps.append((name, f"{join}({name}_cache, {name}_new)"))
    return [*steps, *attention_steps(s)]


CACHED_ATTENTION = Lesson(
    "cached_attention",
    "One more token with a key/value cache: only its own query, key and value are computed; earlier keys and "
    "values come from the cache.",
    (
        Input("X", "the new token (or tokens), one per row"),
        Input("K_cache", "the keys of the earlier tokens"),
        Input("V_cache", "the values of the earlier tokens"),
        *_WEIGHTS,
    ),
    ATTENTION_OPTIONS,
    PROJECTION_STEPS
    | {
        "K_new": "the key of the new token",
        "V_new": "the value of the new token",
        "K": "all keys so far",
        "V": "all values so far",
    }
    | ATTENTION_STEPS,
    _cached,
    zero=ATTENTION_ZERO,
    source="Shazeer 2019 (incremental decoding) and Pope et al. 2022.",
)
