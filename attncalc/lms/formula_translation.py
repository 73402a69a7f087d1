"""Translation of the formulas of a plan into the language of a course system."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..formula.typed_formula import Node
from ..plan import Plan


class NotInLanguage(Exception):
    """Raised for an operation that the language cannot express."""


def formulas(
    plan: Plan, formula: Callable[[Node, Callable[[str], str]], str], names: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield (key, expression) for givens and steps; skip those with an operation that the language cannot express."""
    for key, entry in plan.entries.items():
        try:
            yield key, formula(entry.node, names.__getitem__)
        except NotInLanguage:
            continue
