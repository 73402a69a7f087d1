"""Formulas of recipes put into a part: arguments and names in their places, sizes as numbers."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import FormulaError
from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Name, Number, Tree, rewrite, substitute, unparse, walk
from ..lessons.lesson import Setting
from ..lessons.synonyms import MASK_NAMES, call_hint
from .error_recovery import Known
from .plan_builder import PartBuilder

SIZED = {"causal", "causal_strict", "band", "alibi", "sinusoidal", "ones", "zeros", "identity", "alibi_slopes",
    "links", "global_tokens"}  # fmt: skip


def place(formula: str, local: dict[str, Tree], own: dict[str, Tree]) -> Tree:
    """A recipe's formula with the arguments and the full names of its own steps put in."""
    return substitute(substitute(parse(formula), local), own)


def variants(name: str, numbered: bool, setting: Setting, before: tuple[str, ...]) -> list[str]:
    """`W_Q`, and where they are there `W_Q_1`, `W_Q_2`, ..."""
    found = [name]
    if numbered:
        k = 1
        while any(f"{b}{name}_{k}" in setting.arguments or setting.find_given(f"{b}{name}_{k}") for b in before):
            found.append(f"{name}_{k}")
            k += 1
    return found


def fold_sizes(builder: PartBuilder, tree: Tree) -> Tree:
    """causal(rows(S), cols(S)) as causal(4, 4): people read sizes more easily than formulas for them."""

    def number(part: Tree) -> Tree:
        if isinstance(part, Call) and part.function in ("rows", "cols"):
            static = builder.check(part).static
            return part if static is None else Number(str(static), part.at)
        return part

    def fold(part: Tree) -> Tree | None:
        if isinstance(part, Call) and part.function in SIZED:
            options = tuple((name, rewrite(value, fold)) for name, value in part.options)
            return Call(part.function, tuple(number(a) for a in part.arguments), options, part.at)
        return None

    try:
        return rewrite(tree, fold)
    except (FormulaError, Known):
        return tree


def names_tokens(tree: Tree) -> bool:
    """Whether a mask names tokens by their numbers."""
    return any(isinstance(part, Call) and part.function in ("links", "global_tokens") for part in walk(tree))


def mask_fault(tree: Tree, find: Callable[[str], object]) -> str:
    """What is wrong with a mask that is none of ours, and which is meant: `look_ahead`, `look-ahead`, `true`,
    `sliding_window(2)`; nothing for others.
    """
    match tree:
        case Name() | Binary() if word := MASK_NAMES.get(unparse(tree).replace(" - ", "-"), ""):
            return "" if find(unparse(tree)) else f"{unparse(tree)} is no mask; did you mean {word}?"
        case Call(function, (width,), ()) if near := call_hint(function, unparse(width)):
            return f"there is no function {function}{near}"
    return ""
