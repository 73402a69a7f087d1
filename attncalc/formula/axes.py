"""Translate the axis numbers of NumPy and PyTorch into the words "rows", "columns" and "all"."""

from __future__ import annotations

from ..errors import FormulaError
from .syntax_tree import Call, Name, Negate, Number, Source, Text, Tree

Options = dict[str, Tree]

OURS = {
    "dim": "axis",
    "dims": "axis",
    "ord": "p",
    "unbiased": "ddof",
    "correction": "ddof",
    "approximate": "form",
    "epsilon": "eps",
    "decimals": "digits",
    "diagonal": "k",
    "γ": "gamma",
    "weight": "gamma",
    "β": "beta",
    "bias": "beta",
    "ε": "eps",
}
AXES = {"1": "rows", "-1": "rows", "0": "columns", "-2": "columns", "none": "all"}
PREFIXES = {"rows": "row_", "columns": "col_", "all": ""}


def option(name: str, value: Tree) -> tuple[str, Tree]:
    """Return the formula language's name for an option, and its word for an axis."""
    name = OURS.get(name, name)
    if name == "axis" and (text := written(value)) in AXES:
        value = Text(AXES[text], value.at)
    return name, value


def written(value: Tree) -> str:
    """Return the text of a whole number or a name, and an empty string for other formulas."""
    match value:
        case Number(text) | Name(text):
            return text
        case Negate(Number(text)):
            return f"-{text}"
    return ""


def is_number(tree: Tree) -> bool:
    return not isinstance(tree, Name) and written(tree) in AXES and not tree.source.truth


def is_axis(tree: Tree) -> bool:
    """Return whether a formula can be an axis: a number, None, or a word such as "rows"."""
    word = option("axis", tree)[1]
    return isinstance(word, Text) and word.value in PREFIXES and not tree.source.truth


def axis(options: Options, default: str) -> str:
    """Return the axis in the options: "rows", "columns" or "all". Raises FormulaError for other values."""
    match options.get("axis"):
        case None:
            return default
        case Text(word) | Name(word) if word in PREFIXES:
            return word
        case value:
            raise FormulaError('expected axis="rows", "columns" or "all" (-1, 0 or None in NumPy)', value.at)


def side(a: Tree, which: Tree, at: int) -> Tree:
    """Read `K.shape[-1]` as cols(K), and `K.shape[0]` as rows(K)."""
    word = option("axis", which)[1]
    if word not in (Text("rows"), Text("columns")):
        raise FormulaError("expected A.shape[0], which is rows(A), or A.shape[1], which is cols(A)", at)
    return Call("rows" if word == Text("columns") else "cols", (a,), (), at).copied_from(Source(called=".shape"))
