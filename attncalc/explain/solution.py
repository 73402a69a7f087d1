"""A Solution as a Document: title and source, then part after part, then the warnings."""

from __future__ import annotations

from ..formula.tree import unparse
from ..solution import PartSolution, Solution
from . import texts
from .document import Choices, Document, Formula, Heading, Paragraph
from .notices import notices
from .part import part_blocks

# The other notices tell an author what the problem cannot test: JSON and `lint` have them
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
    """The whole solution, or some parts and steps of it; `depth` says how deep lessons inside lessons are unfolded.

    `explain` says how much stands at a step: `brief`, its formula and its matrix; `steps`, one entry worked as well;
    `full`, every entry worked, with its closed form. Without `folding`, what a page would fold away is left out.
    """
    problem = solution.problem
    document = Document([Heading(problem.title, 1)])
    paragraphs = ((problem.source, "source"), (problem.ask, "ask"), (problem.note, "note"))
    document.blocks += [Paragraph(text, role, role != "source") for text, role in paragraphs if text]
    if problem.rounded_givens:
        document.blocks.append(Paragraph(texts.GIVENS_ROUNDED, "note"))
    known: set[str] = set()
    stated: dict[str, Choices] = {}
    for part in parts:
        document.blocks += part_blocks(solution, part, steps, exact, known, depth, explain, stated, folding)
    shown = {unparse(block.name) for block in document.flat() if isinstance(block, Formula)}
    document.blocks += _warnings(solution, parts, shown)
    return document


def _warnings(solution: Solution, parts: list[PartSolution], shown: set[str]) -> list[Paragraph]:
    """Each warning that helps a student, once, with the steps on the page that it is about."""
    steps_by_message: dict[str, list[str]] = {}
    for notice in notices(solution, parts):
        if notice.code in FOR_STUDENTS and notice.step in shown:
            step = f"{notice.part}.{notice.step}" if notice.part else notice.step
            steps_by_message.setdefault(notice.message.removeprefix(notice.step), []).append(step)
    return [Paragraph(texts.about(where, message), "warning") for message, where in steps_by_message.items()]
