"""Pieces of formulas that lessons write."""

from __future__ import annotations

from collections.abc import Sequence

from ..formula.tree import Call, Name, Tree, rewrite

STEP_PREFIX = "own step:"


def lesson_step(name: str) -> Name:
    """A lesson's own step inside an argument's tree, where plain names are the author's."""
    return Name(STEP_PREFIX + name)


def formula_call(function: str, arguments: Sequence[str], options: dict[str, str | None]) -> str:
    """`softmax(S, base=base)`: options that are None are left out."""
    words = [*arguments, *(f"{name}={value}" for name, value in options.items() if value is not None)]
    return f"{function}({', '.join(words)})"


def fill_slope(tree: Tree, slope: Tree) -> Tree:
    """The word `alibi`, and the call `alibi(sides="both")`, with a slope filled in."""

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name == "alibi":
            return Call("alibi", (slope,), (), part.at)
        if isinstance(part, Call) and part.function == "alibi" and not part.arguments:
            return Call("alibi", (slope,), part.options, part.at)
        return None

    return rewrite(tree, fill)


def fill_size(tree: Tree, rows: Tree, columns: Tree) -> Tree:
    """A mask word with its sizes filled in: `causal` → causal(n, m), `band(1)` → band(n, m, 1)."""
    most = {"causal": 1, "causal_strict": 0, "band": 2, "alibi": 1, "links": 1, "global_tokens": 1}

    def fill(part: Tree) -> Tree | None:
        if isinstance(part, Name) and part.name in ("causal", "causal_strict"):
            return Call(part.name, (rows, columns), (), part.at)
        if isinstance(part, Call) and part.function in most and len(part.arguments) <= most[part.function]:
            return Call(part.function, (rows, columns, *part.arguments), part.options, part.at)
        return None

    return rewrite(tree, fill)
