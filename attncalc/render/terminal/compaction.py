"""Long solutions in the terminal: a step like an earlier one is reduced to its matrices, several of them in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...explain.document import (
    Arcs,
    Block,
    Document,
    Flow,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Reason,
    Section,
    Worked,
)
from ...explain.outline import FEW
from ...explain.worked.entry_provenance import without_tints
from ...formula.syntax_tree import Name, Transpose, unparse


class Short(NamedTuple):
    """Several steps in a row: their formulas, and the matrices that are new."""

    formulas: tuple[Formula, ...]
    grids: tuple[Grid, ...]


ADVICE = "Steps that repeat earlier ones show only matrices; --step NAME shows one in full."
Step = list[Block]  # a formula, and the blocks below it
Texts = tuple[tuple[str, ...], ...]

_INDEX = r"_?\d+(?=$|[.\W])|\w+\."


def compact(document: Document) -> list[Block | Short]:
    """Return the blocks; of many steps, none of them worked entry by entry, repeated ones merge into Short blocks."""
    flat = list(document.flat())
    steps = [block for block in flat if isinstance(block, Formula)]
    is_full = any(isinstance(a, Worked) and isinstance(b, Worked) for a, b in pairwise(flat))
    if len(steps) <= FEW or is_full:
        return list(document.blocks)
    blocks = list(_Compactor().blocks(document.blocks))
    start = next((k for k, block in enumerate(blocks) if k and isinstance(block, Heading)), 1)
    return [*blocks[:start], Paragraph(ADVICE, "advice"), *blocks[start:]]


class _Compactor:
    """The kinds of steps and the matrices, with their numbers, that have been shown."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.shown: set[tuple[str, Texts]] = set()
        self.latest: dict[str, Texts] = {}  # the last numbers of each name

    def blocks(self, blocks: Iterable[Block]) -> Iterator[Block | Short]:
        short: list[Step] = []
        for step in _steps(blocks):
            if isinstance(step[0], Formula) and _is_known(step, self.known):
                short.append(step)
                continue
            yield from self.merge(short)
            short = []
            for block in step:
                if isinstance(block, Matrices):
                    self.new_grids([item for item in block.items if isinstance(item, Grid)])
                yield self.section(block) if isinstance(block, Section) else block
        yield from self.merge(short)

    def section(self, section: Section) -> Section:
        """Return a nested lesson without its flow diagram."""
        inside = (block for block in self.blocks(section.blocks) if not isinstance(block, Flow))
        return section._replace(blocks=tuple(inside))  # type: ignore[arg-type]

    def merge(self, steps: Sequence[Step]) -> Iterator[Block | Short]:
        """Yield some steps as one Short block, then their warnings."""
        if steps:
            heads = tuple(head for head, *_ in steps if isinstance(head, Formula))
            grids = [item for step in steps for item in _grids(step)]
            new = self.new_grids(grids)
            self.record_alias(heads)
            yield Short(heads, tuple(map(without_tints, new)))
            yield from (
                block for step in steps for block in step if isinstance(block, Paragraph) and block.role == "warning"
            )

    def record_alias(self, heads: Iterable[Formula]) -> None:
        """Record the new names of known numbers, Y = normed, so that they are not shown again."""
        for head in heads:
            source = head.stages[0].tree if len(head.stages) == 1 else None
            if isinstance(source, Name) and source.name in self.latest:
                self.shown.add((unparse(head.name), self.latest[source.name]))

    def new_grids(self, grids: Sequence[Grid]) -> list[Grid]:
        """Return the matrices that have not been shown, not even transposed."""
        unseen = []
        for grid in grids:
            key = unparse(grid.name), tuple(tuple(cell.text for cell in row) for row in grid.cells)
            self.latest[key[0]] = key[1]
            if key not in self.shown and not isinstance(grid.name, Transpose):
                unseen.append(grid)
            self.shown.add(key)
        return unseen


def _grids(step: Step) -> list[Grid]:
    return [item for block in step if isinstance(block, Matrices) for item in block.items if isinstance(item, Grid)]


def _steps(blocks: Iterable[Block]) -> Iterator[Step]:
    """Yield formulas with the blocks that belong to them; every other block by itself."""
    step: Step = []
    for block in blocks:
        if isinstance(block, Arcs | Reason):  # the terminal omits them
            continue
        if step and isinstance(step[0], Formula) and isinstance(block, Matrices | Worked | Paragraph):
            step.append(block)
            continue
        if step:
            yield step
        step = [block]
    if step:
        yield step


def _is_known(step: Step, known: set[str]) -> bool:
    """True if a step of this kind has been shown: equal meaning, or formula except for heads and lessons."""
    head = step[0]
    assert isinstance(head, Formula)
    formula = unparse(head.stages[0].tree) if head.stages else ""
    kind = head.doc or re.sub(_INDEX, "", f"{unparse(head.name)} = {formula}")
    seen = kind in known
    known.add(kind)
    return seen and len(head.stages) < 2 and (len(step) == 1 or any(isinstance(block, Matrices) for block in step))
