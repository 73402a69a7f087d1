"""Helpers for the formulas of recipes."""

from __future__ import annotations

from collections.abc import Sequence

from ..formula.syntax_tree import Call, Name, Text, Tree, rewrite, unparse

STEP_PREFIX = "own step:"


def lesson_step(name: str) -> Name:
    """Return the name of a lesson's step for use inside an argument, where plain names are the author's."""
    return Name(STEP_PREFIX + name)


def word_of(tree: Tree) -> str:
    """Return the text of an argument that is a word, quoted or not."""
    return tree.value if isinstance(tree, Text) else unparse(tree)


def formula_call(function: str, arguments: Sequence[str], options: dict[str, str | None]) -> str:
    """Return the text of a call such as `softmax(S, base=base)`, without options that are None."""
    words = [*arguments, *(f"{name}={value}" for name, value in options.items() if value is not None)]
    return f"{function}({', '.join(words)})"


def fill_slope(tree: Tree, slope: Tree) -> Tree:
    """Return a bias with the slope filled in: for the word `alibi`, and for `alibi(sides="both")`."""

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name == "alibi":
            return Call("alibi", (slope,), (), part.at)
        if isinstance(part, Call) and part.function == "alibi" and not part.arguments:
            return Call("alibi", (slope,), part.options, part.at)
        return None

    return rewrite(tree, fill)


def fill_size(tree: Tree, rows: Tree, columns: Tree) -> Tree:
    """Return a mask with its sizes filled in: `causal` becomes causal(n, m), `band(1)` becomes band(n, m, 1)."""
    max_arguments = {"causal": 1, "causal_strict": 0, "band": 2, "alibi": 1, "links": 1, "global_tokens": 1}

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name in ("causal", "causal_strict"):
            return Call(part.name, (rows, columns), (), part.at)
        if (
            isinstance(part, Call)
            and part.function in max_arguments
            and len(part.arguments) <= max_arguments[part.function]
        ):
            return Call(part.function, (rows, columns, *part.arguments), part.options, part.at)
        return None

    return rewrite(tree, fill)
