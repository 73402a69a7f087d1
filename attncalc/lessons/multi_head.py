"""Multi-head attention: attention with several narrow projections, whose outputs are concatenated."""

from __future__ import annotations

import re

from ..errors import FormulaError, fold
from ..formula.syntax_tree import Name
from .attention import (
    ATTENTION_OPTIONS,
    ATTENTION_STEPS,
    ATTENTION_ZERO,
    D_K,
    PROJECTION_STEPS,
    attention_steps,
    cache_length,
    product,
    projection,
)
from .lesson import FEATURES, Input, Lesson, Option, Recipe, Setting
from .positional_encoding import ROTARY_OPTIONS, ROTARY_STEPS, is_rotary, rotary_table, rotation


def head_steps(s: Setting, cached: bool = False) -> list[Recipe]:
    """Return the steps of all heads and of the concatenation. With `cached`, cached keys and values come first."""
    per_head = s.has("W_Q_1") and "W_Q" not in s.arguments
    heads, kv_heads = head_counts(s, per_head)
    _refuse_missing_heads(s, heads)
    source = {"Q": "Q" if "Q" in s.arguments else "X", "K": key_source(s, "K"), "V": key_source(s, "V")}
    split = not per_head and not s.has("W_Q")
    if split:
        missing = [name for name in "QKV" if not s.has(name)]
        if missing:
            raise FormulaError(
                "multi_head_attention needs W_Q, W_K and W_V (or W_Q_1, W_K_1, ...), or Q, K and V to split; "
                f"{missing[0]} is missing"
            )
    group = heads // kv_heads
    rotary = is_rotary(s)
    steps = _angles(s, source, heads, per_head, cached) if rotary else []
    for i in range(1, heads + 1):
        kv = (i - 1) // group + 1
        names = [("Q", i, heads)]
        if (i - 1) % group == 0:
            names += [("K", kv, kv_heads), ("V", kv, kv_heads)]
        for name, number, count in names:
            new = cached and name != "Q"
            step_name = f"{name}_new_{number}" if new else f"{name}_{number}"
            steps.append((step_name, _head(s, name, number, count, source[name], per_head, split)))
            if rotary and name != "V":
                steps.append((f"{name}{'_new' * new}_rot_{number}", rotation(s, step_name, _places(s, source, name))))
            if new:
                joined = "hstack" if s.columns else "vstack"
                steps.append((f"{name}_{number}", f"{joined}({_cache(s, name, number, count)}, {steps[-1][0]})"))
        keys = f"K_{kv}" if cached else f"K_rot_{kv}"
        steps += attention_steps(s, f"_{i}", f"_{kv}", heads, (f"Q_rot_{i}", keys) if rotary else None)
    parts = ", ".join(f"Z_{i}" for i in range(1, heads + 1))
    steps.append(("H", f"{'vstack' if s.columns else 'hstack'}({parts})"))
    if s.has("W_O"):
        steps.append(("Z", projection(s, "H", "W_O", "b_O")))
    s.say("heads", str(heads))
    if kv_heads != heads:
        s.say("kv_heads", str(kv_heads))
    if rotary:
        s.say("positions", "rotary")
    return steps


def _cache(s: Setting, name: str, number: int, count: int) -> str:
    """Return the cached keys or values of one head: a separate matrix, or a block of columns."""
    head_cache = f"{name}_cache_{number}"
    return head_cache if s.has(head_cache) else f"{name}_cache" + _block(s, f"{name}_cache", number, count)


def _angles(s: Setting, source: dict[str, str], heads: int, per_head: bool, cached: bool) -> list[Recipe]:
    """Return the steps of the rotary table, with enough rows for queries and keys."""
    along, across = (1, 0) if s.columns else (0, 1)
    widths = s.shape("W_Q_1" if per_head else "W_Q" if s.has("W_Q") else "Q")
    tokens = max(s.shape(source[name])[along] for name in "QK")
    return rotary_table(s, tokens, widths[across] // (1 if per_head else heads), str(cache_length(s)) if cached else "")


def _places(s: Setting, source: dict[str, str], name: str) -> str:
    """Return the slice of the rotary table for queries or keys; an empty string if they need all rows."""
    counts = {matrix_name: s.shape(source[matrix_name])[1 if s.columns else 0] for matrix_name in "QK"}
    return f"[0:{counts[name]}]" if counts[name] < max(counts.values()) else ""


def key_source(s: Setting, name: str) -> str:
    """Return the tokens from which keys or values are projected.

    They are the argument K or V if given, otherwise `memory` (cross-attention), otherwise X.
    """
    if name in s.arguments:
        return name
    return "memory" if "memory" in s.arguments else "X"


def _head(s: Setting, name: str, number: int, count: int, tokens: str, per_head: bool, split: bool) -> str:
    """Return the queries, keys or values of one head: from separate weights, or from the head's block of columns."""
    if per_head:
        return projection(s, tokens, f"W_{name}_{number}", f"b_{name}_{number}")
    if split:
        return name + _block(s, name, number, count)
    formula = product(s, tokens, f"W_{name}" + _block(s, f"W_{name}", number, count))
    bias = f"b_{name}"
    if not s.has(bias):
        return formula
    flat = s.shape(bias)[0] == 1
    if not s.columns:
        return f"{formula} + {bias}{_slice(s, s.shape(bias)[1], number, count, bias, True)}"
    block = _slice(s, max(s.shape(bias)), number, count, bias, flat)
    return f"{formula} + {bias}{block}{'.T' if flat else ''}"


def _block(s: Setting, name: str, number: int, count: int) -> str:
    shape = s.shape(name)
    return _slice(s, shape[0] if s.columns else shape[1], number, count, name, not s.columns)


def _slice(s: Setting, width: int, number: int, count: int, name: str, of_columns: bool) -> str:
    if width % count:
        what = "columns" if of_columns else "rows"
        shared = name[-1] != "Q" and "kv_heads" in s.arguments
        raise FormulaError(
            f"{name} has {width} {what}; this number must be divisible by {count}, the number of heads",
            about="kv_heads" if shared else "heads",
        )
    if count == 1:
        return ""
    size = width // count
    span = f"{(number - 1) * size}:{number * size}"
    return f"[:, {span}]" if of_columns else f"[{span}]"


def head_counts(s: Setting, per_head: bool) -> tuple[int, int]:
    """Return the number of query heads and of key/value heads."""
    heads, kv_heads = s.integer("heads"), s.integer("kv_heads")
    if per_head:
        matrix_count = _numbered_inputs(s, "W_Q")
        if heads is not None and heads != matrix_count:
            description = (
                f"are {matrix_count} matrices W_Q_1 ... W_Q_{matrix_count}"
                if matrix_count > 1
                else "is one matrix W_Q_1"
            )
            raise FormulaError(f"heads is {heads}, but there {description}", s.arguments["heads"].at, "heads")
        heads, kv_heads = matrix_count, kv_heads or _numbered_inputs(s, "W_K")
    if heads is None:
        raise FormulaError(
            "multi_head_attention needs the number of heads (heads:), or one matrix per head (W_Q_1, W_Q_2, ...)"
        )
    kv_heads = kv_heads or heads
    if heads % kv_heads:
        raise FormulaError(
            f"kv_heads must divide heads; {kv_heads} key/value heads cannot serve {heads} query heads equally",
            s.arguments["kv_heads"].at if "kv_heads" in s.arguments else 0,
            "kv_heads",
        )
    return heads, kv_heads


def _refuse_missing_heads(s: Setting, heads: int) -> None:
    for name, tree in s.arguments.items():
        number = re.fullmatch(r".*_(\d+)", name)
        if isinstance(tree, Name) and tree.name != name and fold(tree.name) == fold(name):
            continue  # a given with another spelling: W_q4 may be a matrix with four columns
        if number and not 1 <= int(number[1]) <= heads and (s.lesson.input(name) or s.lesson.option(name)):
            raise FormulaError(f"{name} is for head {int(number[1])}; heads is {heads}", about=name)


def _numbered_inputs(s: Setting, name: str) -> int:
    count = 0
    while s.has(f"{name}_{count + 1}"):
        count += 1
    return max(count, 1)


MULTI_HEAD_ATTENTION = Lesson(
    "multi_head_attention",
    "Attention is computed several times on narrower projections: the outputs of the heads are "
    "concatenated (H) and projected by W_O (Z).",
    (
        Input("X", "the tokens, one per row"),
        Input("memory", "the tokens of keys and values, if these "
        "come from a different sequence", optional=True, named=True),
        Input("Q", "the queries; they are multiplied by W_Q if it is given, and split into heads", optional=True),
        Input("K", "the keys; they are multiplied by W_K if it is given, and split into heads", optional=True),
        Input("V", "the values; they are multiplied by W_V if it is given, and split into heads", optional=True),
        *(Input(f"W_{n}", f"the {w} weights: one matrix that is split into heads, or one matrix per head",
                numbered=True) for n, w in
          zip("QKV", ("query", "key", "value"), strict=True)),
        *(Input(f"b_{n}", f"the {w} bias", optional=True, numbered=True, shape=FEATURES) for n, w in
          zip("QKV", ("query", "key", "value"), strict=True)),
        Input("W_O", "the weights that mix the concatenated heads", optional=True),
        Input("b_O", "the bias that is added after W_O", optional=True, shape=FEATURES),
        D_K,
    ),
    (
        Option("heads", "whole", "none", "the number of heads; if each head has its own matrix, "
        "attncalc counts the heads",
            examples=("1", "2")),
        Option("kv_heads", "whole", "none", "the number of key/value heads, each shared by consecutive query heads; "
        "by default, the number of heads",
               examples=("1",)),
        *ATTENTION_OPTIONS,
        *ROTARY_OPTIONS,
    ),
    ROTARY_STEPS
    | {f"{name}_1": doc for name, doc in (PROJECTION_STEPS | ROTARY_STEPS | ATTENTION_STEPS).items()}
    | {"H": "the heads' outputs, concatenated", "Z": "the concatenated heads, projected by W_O"},
    head_steps,
    zero=ATTENTION_ZERO,
    source="Vaswani et al. 2017. kv_heads: Shazeer 2019 and Ainslie et al. 2023.",
)  # fmt: skip
