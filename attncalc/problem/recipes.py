"""Recipes of a lesson: which names they use, and which of them a problem needs."""

from __future__ import annotations

import re

from ..formula.parser import parse
from ..formula.syntax_tree import Tree, names
from ..lessons.lesson import Recipe, Sub
from ..lessons.recipe_helpers import STEP_PREFIX


def used_names(recipe: str | Sub) -> set[str]:
    """The names in a recipe's formulas, those of sub-lessons without what stands inside them."""
    if isinstance(recipe, str):
        return {name.split(".")[0] for name in names(parse(recipe))}
    return {name for value in recipe.arguments.values() if isinstance(value, str) for name in used_names(value)}


def needed(recipes: list[Recipe], supplied: dict[str, Tree]) -> list[Recipe]:
    """The recipes on the way to the last one that a supplied step does not make needless."""
    if not supplied:
        return recipes
    known = dict(recipes)
    wanted: set[str] = set()
    stack = [recipes[-1][0]]
    while stack:
        name = stack.pop()
        if name in wanted or name not in known:
            continue
        wanted.add(name)
        if name not in supplied:
            stack.extend(used_names(known[name]))
            stack.extend(used.removeprefix(STEP_PREFIX) for used in used_names(known[name]))
    return [recipe for recipe in recipes if recipe[0] in wanted or recipe[0] in supplied]


def without_heads(name: str) -> str:
    """`A` for `A_1`: the step's name without its head."""
    return re.sub(r"_\d+$", "", name)
