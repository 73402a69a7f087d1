"""A Solution as a Document: title and source, then the parts, then the warnings."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import size
from ..formula.syntax_tree import Name, Tree, unparse
from ..solution import PartSolution, Solution
from . import solution_messages as messages
from .document import Choices, Document, Formula, Heading, Paragraph, Table
from .part_document import part_blocks
from .part_scope import Scope, readable_formula
from .quality_notices import notices

# The other notices are only for authors, in JSON and in `lint`
FOR_STUDENTS = ("saturated",)


def solution_document(
    solution: Solution,
    parts: list[PartSolution],
    steps: set[str] | None = None,
    exact: bool = False,
    depth: int | None = None,
    explain: str = "steps",
    folding: bool = True,
) -> Document:
    """Return the solution, or the given parts and steps of it. `depth` is the level to which nested lessons are
    unfolded.

    `explain` is the amount of detail. `brief`: formula and matrix; `steps`: also one worked entry; `full`: every entry
    is worked, with its closed form. Without `folding`, folded reasons are omitted.
    """
    problem = solution.problem
    document = Document([Heading(problem.title, 1)])
    paragraphs = ((problem.source, "source"), (problem.ask, "ask"), (problem.note, "note"))
    document.blocks += [Paragraph(text, role, role != "source") for text, role in paragraphs if text]
    if problem.rounded_givens:
        document.blocks.append(Paragraph(messages.GIVENS_ROUNDED, "note"))
    known: set[str] = set()
    stated: dict[str, Choices] = {}
    for part in parts:
        document.blocks += part_blocks(solution, part, steps, exact, known, depth, explain, stated, folding)
    shown = {unparse(block.name) for block in document.flat() if isinstance(block, Formula)}
    document.blocks += _warnings(solution, parts, shown)
    return document


def _warnings(solution: Solution, parts: list[PartSolution], shown: set[str]) -> list[Paragraph]:
    """Return each warning for students once, with the visible steps to which it applies."""
    steps_by_message: dict[str, list[str]] = {}
    for notice in notices(solution, parts):
        if notice.code in FOR_STUDENTS and notice.step in shown:
            step = f"{notice.part}.{notice.step}" if notice.part else notice.step
            steps_by_message.setdefault(notice.message.removeprefix(notice.step), []).append(step)
    return [Paragraph(messages.about_steps(where, message), "warning") for message, where in steps_by_message.items()]


HEADS = ("name", "shape", "formula")
SHAPES = 1  # the index of the column with the shapes
GIVEN = "given"


def plan_document(solution: Solution, parts: list[PartSolution]) -> Document:
    """Return a table for each part, without values: the givens that the part uses, then its steps."""
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
