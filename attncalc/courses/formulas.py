"""The formulas of a plan in the language of a course system."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..formula.node import Node
from ..plan import Plan


class NotInLanguage(Exception):
    """An operation that this language has no formula for."""


def formulas(
    plan: Plan, formula: Callable[[Node, Callable[[str], str]], str], names: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Every given and step by its key, except what calls for an operation that the language does not have."""
    for key, entry in plan.entries.items():
        try:
            yield key, formula(entry.node, names.__getitem__)
        except NotInLanguage:
            continue
