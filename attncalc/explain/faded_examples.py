"""Faded worked examples: solutions whose last steps the student must do, at four levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple, Self

from ..formula.syntax_tree import Name, is_table, names, unparse
from ..formula.typed_formula import Labels
from ..plan import Step
from ..solution import PartSolution, Solution
from . import solution_messages as messages
from .document import Block, Cell, Document, Formula, Grid, Heading, Matrices, Paragraph, Section, Sign, Worked
from .part_document import part_blocks
from .part_scope import Scope
from .solution_document import solution_document
from .worked.entry_provenance import without_tints

LEVELS = 4
ROOM = "____"  # a gap for a number


def steps_left(count: int, level: int) -> int:
    """Return the number of steps that the student must do at a level: 1, a third, two thirds, or all."""
    return count if level >= LEVELS else max(1, -(-count * (level - 1) // (LEVELS - 1)))


def steps_to_do(steps: list[Step], level: int) -> list[Step]:
    """Return the steps that the student must do at a level, if possible without steps that only rename a matrix."""
    questions = [step for step in steps if not isinstance(step.tree, Name)] or steps
    return questions[len(questions) - steps_left(len(questions), level) :]


def level_of(number: int, count: int) -> int:
    """Return the level of exercise `number` of `count`: 1 for the first exercise, the highest level for the last."""
    return 1 + (number - 1) * (LEVELS - 1) // max(1, count - 1)


def faded_document(
    solution: Solution, parts: list[PartSolution], level: int, exact: bool = False, explain: str = "steps"
) -> Document:
    """Return the problem with gaps in its last steps, then its solution."""
    document = Document(list(solution_document(solution, [], set()).blocks))
    known: set[str] = set()
    for part in parts:
        left = steps_to_do([result.step for result in part.steps if not result.given], level)
        document.blocks += _fade(
            part_blocks(solution, part, None, exact, known, 99, explain),
            _Gaps.of(left, set(Scope(solution, part).entries)),
        )
    first, *others = solution_document(solution, parts, None, exact, 99, explain).blocks
    assert isinstance(first, Heading)
    document.blocks += [first._replace(text=messages.SOLUTION_OF.format(title=first.text)), *others]
    return document


class _Gaps(NamedTuple):
    """The results that the student must find: steps, by the names that a section shows, and labels."""

    names: Set[str]
    labels: set[Labels]
    steps: frozenset[str]
    known: set[str]  # all givens and steps

    @classmethod
    def of(cls, steps: list[Step], known: set[str]) -> Self:
        labels = {step.rows for step in steps if step.omits_rows} | {x.columns for x in steps if x.omits_columns}
        full = frozenset(step.name for step in steps)
        return cls(full, labels, full, known)

    def inside(self, section: str) -> Self:
        """Return these gaps, with the short names of the section's steps added. A name that is already used is not
        added.
        """
        inner = {name.removeprefix(f"{section}.") for name in self.steps if name.startswith(f"{section}.")}
        return self._replace(names=self.steps | inner - self.known)


def _fade(blocks: Iterable[Block], left: _Gaps) -> Iterator[Block]:
    """Yield the blocks with gaps in the matrices to compute, and without remarks on their numbers."""
    name = ""
    for block in blocks:
        match block:
            case Section():
                yield block._replace(blocks=tuple(_fade(block.blocks, left.inside(block.title))), unfolded=None)
            case Formula():
                name = unparse(block.name)
                shown = tuple(side for side in block.stages[:1] if not is_table(side.tree))
                yield block._replace(stages=shown) if name in left.names else block
                if name in left.names and len(block.stages) > 1:
                    yield Paragraph(f"{name} = {ROOM}", "ask")
            case Matrices() if name in left.names:
                yield block._replace(items=tuple(_blank_operand(item, left) for item in block.items))
            case Paragraph(_, "answer"):
                continue
            case Heading() | Paragraph(_, "ask" | "note" | "source"):
                name = "" if isinstance(block, Heading) else name
                yield block
            case Worked() | Paragraph() if name in left.names:
                continue
            case _ if name not in left.names:
                yield block


def _blank_operand(item: Grid | Sign, left: _Gaps) -> Grid | Sign:
    """Return a matrix with gaps if it, or a matrix in its name such as K in Kᵀ, must be computed."""
    if not isinstance(item, Grid):
        return item
    if not names(item.name) & left.names:
        return without_tints(item)
    rows, columns = (None if labels in left.labels else labels for labels in (item.rows, item.columns))
    cells = tuple(tuple(Cell(ROOM) for _ in row) for row in item.cells)
    return item._replace(cells=cells, rows=rows, columns=columns, seen=False, explained=None)
