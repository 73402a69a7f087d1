"""A plan as a Document: the formula and the shape of every name."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import size
from ..formula.syntax_tree import Name, Tree
from ..solution import PartSolution, Solution
from .document import Document, Heading, Table
from .formula_text import readable_formula
from .part_scope import Scope

HEADS = ("name", "shape", "formula")
SHAPES = 1  # the column of shapes
GIVEN = "given"


def plan_document(solution: Solution, parts: list[PartSolution]) -> Document:
    """Return a table for each part: the givens that it uses, then its steps, without values."""
    document = Document([Heading(solution.problem.title or solution.problem.name, 1)])
    for part in parts:
        if title := part.part.title or part.name:
            document.blocks.append(Heading(title, 2))
        document.blocks.append(Table(HEADS, tuple(_rows(solution, part)), frozenset({SHAPES})))
    return document


def _rows(solution: Solution, solved: PartSolution) -> Iterator[tuple[str | tuple[Tree, ...], ...]]:
    scope, plan, steps = Scope(solution, solved), solution.problem.plan, solved.part.plan.steps
    used = set().union(*(plan.dependencies[step.key] for step in steps))
    for given in (*plan.givens, *solved.part.plan.givens):
        if given.key in used:
            yield (Name(given.name),), size(given.shape), GIVEN
    for step in steps:
        is_input = step.given and step.tree == Name(step.name)
        yield (Name(step.name),), size(step.shape), GIVEN if is_input else (readable_formula(scope, step.tree),)
