"""Library functions that the formula language does not have: their names, and formulas for some of them.

`near_function` suggests no similar name for these functions, because the similar name has another meaning.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from itertools import starmap
from typing import NamedTuple

from ...errors import did_you_mean
from ..functions import functions
from ..parser import read
from ..syntax_tree import Binary, Call, Name, Source, Tree, rewrite, substitute
from .library_calls import ALIASES, RULES
from .meanings import MEANINGS

SHORTEST_RESPELLED = 3  # characters; shorter names get no suggestion


class Meaning(NamedTuple):
    """A call, with patterns for its arguments and options, and the formulas that give the same numbers."""

    arguments: tuple[Tree, ...] | None  # None for `...`
    options: tuple[tuple[str, Tree], ...]
    formulas: tuple[str, ...]


@lru_cache(maxsize=256)
def _meaning(inside: str, formulas: str) -> Meaning:
    """Read a line of the table, from its arguments and its formulas."""
    pattern = None if inside == "..." else read(f"pattern({inside})")
    arguments, options = (pattern.arguments, pattern.options) if isinstance(pattern, Call) else (None, ())
    return Meaning(arguments, options, tuple(formulas.split(" or ")))


def meanings(call: Call, is_row: Callable[[Tree], bool]) -> list[Tree]:
    """Return formulas that give the same numbers as a call that the formula language does not have."""
    for line in starmap(_meaning, MEANINGS.get(call.function, ())):
        if line.arguments is None and not call.options:
            return [read(formula.partition("(")[0] + "(A)").but(arguments=call.arguments) for formula in line.formulas]
        bound: dict[str, Tree] = {}
        if line.arguments is None or len(line.arguments) != len(call.arguments):
            continue
        named, given = dict(line.options), dict(call.options)
        if named.keys() != given.keys():
            continue
        pairs = [*zip(line.arguments, call.arguments, strict=True), *((named[key], given[key]) for key in named)]
        fits = all(_fits(pattern, part, bound) for pattern, part in pairs)
        if fits and all(is_row(part) for name, part in bound.items() if name.islower()):
            return [substitute(_by_entry(read(formula)), bound) for formula in line.formulas]
    return []


def _by_entry(tree: Tree) -> Tree:
    """Mark the operators of a formula as entrywise, so that `*` is not a matrix product in MATLAB's notation."""

    def change(part: Tree) -> Tree | None:
        match part:
            case Binary(sign, a, b) if sign != "@":
                return part.but(left=_by_entry(a), right=_by_entry(b)).copied_from(Source(entries=True))
        return None

    return rewrite(tree, change)


def _fits(pattern: Tree, tree: Tree, bound: dict[str, Tree]) -> bool:
    """Return whether a formula fits a pattern. Add the formulas for the pattern's letters to `bound`."""
    match pattern, tree:
        case Name(letter), _ if len(letter) == 1:
            return bound.setdefault(letter, tree) == tree
        case Binary(sign, a, b), Binary(other, c, d):
            return sign == other and _fits(a, c, bound) and _fits(b, d, bound)
        case Call(name, parts, ()), Call(other, others, ()):
            return (
                name == other
                and len(parts) == len(others)
                and all(_fits(a, b, bound) for a, b in zip(parts, others, strict=True))
            )
    return pattern == tree


@lru_cache(maxsize=1)
def foreign_functions() -> frozenset[str]:
    """Return the names of functions that libraries have and the language does not."""
    lines = resources.files(__package__).joinpath("foreign_functions.txt").read_text(encoding="utf-8").splitlines()
    listed = {name for line in lines if not line.startswith("#") for name in line.split()}
    return frozenset(listed | MEANINGS.keys()) - functions().keys()


def near_function(name: str) -> str:
    """Return a suggestion such as `; did you mean softmax?` for a misspelt function. Return an empty string for short
    names and for names of library functions.
    """
    if len(name) < SHORTEST_RESPELLED or name in foreign_functions() or name in RULES or hasattr(builtins, name):
        return ""
    return did_you_mean(name, [*functions(), *ALIASES])
