"""What a line of a script may have been worked out from: the student's own lines, the right ones, or the numbers as they stand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from flint import fmpq

from ..answers.bind import Bound, Filled
from ..arithmetic.cells import Box, Cell, from_matrix
from ..arithmetic.interval import evaluate
from ..arithmetic.rounding import power_of_ten
from ..arithmetic.working import FULL, Working, to_decimals
from ..formula.node import Node
from ..mistakes.site import Site
from ..plan import Given, Step
from ..problem.model import Part, Problem
from ..records import dataclass, field, replace
from ..values import Values
from .accept import Accepted, Refused
from .reading import Reading, Where
from .unseen import with_masked_cells

PRECISION = 128


@dataclass(slots=True)
class Line:
    """One answered step: its verdict and what explains it."""

    step: Step
    part: Part
    filled: Filled
    verdict: str = "wrong"
    reading: Reading | None = None
    accepted: Accepted | None = None
    refused: Refused | None = None
    weak: bool = False
    cells: list[Where] = field(default_factory=list)

    @property
    def key(self) -> str:
        return self.step.key


Source = Callable[[str, Working], Box]


class Sources:
    """The lines of a script that are known so far. `own` holds what each may carry on, `lines` what was found of them."""

    def __init__(self, problem: Problem, bound: Bound, sites: dict[str, Site] | None = None):
        self.problem = problem
        self.plan = problem.plan
        self.true = Values(self.plan)
        self.bound = with_masked_cells(bound, self.true, PRECISION)
        self.typed = {filled.step.key: filled for filled in self.bound.steps}
        self.parts = {step.key: part for part in problem.parts for step in part.plan.steps}
        self.own: dict[str, Box] = {}
        self.lines: dict[str, Line] = {}
        self.unwritten: dict[tuple[str, str, Working], Box] = {}
        self.paper: dict[str, Box] = {}
        self.sites: dict[str, Site] = {} if sites is None else sites
        self.supposed: dict[tuple[int, str, Working], tuple[Node, Box]] = {}  # lines with a mistake's formula, by its identity

    @cached_property
    def upstream(self) -> dict[str, set[str]]:
        """For each step, every typed line that it depends on."""
        found: dict[str, set[str]] = {}
        for key in self.plan.order:
            direct = self.plan.uses[key]
            found[key] = {k for k in direct if k in self.typed} | {k for one in direct for k in found.get(one, ())}
        return found

    def is_broken_before(self, key: str) -> bool:
        """Whether a line that this one depends on is wrong, or follows from a wrong one."""
        return any(self.lines[k].verdict in ("wrong", "carried") for k in self.upstream[key] if k in self.lines)

    def site(self, step: Step) -> Site:
        if step.key not in self.sites:
            self.sites[step.key] = Site(self.plan, step, self.problem.columns)
        return self.sites[step.key]

    def source(self, name: str, again: frozenset[str] = frozenset()) -> Source:
        """The boxes of earlier lines: `own` as typed (those in `again` worked out anew), `right` in full or as `printed`."""

        def boxes(key: str, working: Working) -> Box:
            if name != "own":
                return self.right(key, working, name == "printed")
            if key in self.own and key not in again:
                return self.own[key]
            tag = f"{name}:{','.join(sorted(again & (self.upstream[key] | {key})))}"
            held = (tag, key, working)
            if held not in self.unwritten:
                self.unwritten[held] = self.worked(key, boxes, working)
            return self.unwritten[held]

        return boxes

    def worked(self, key: str, boxes: Source, working: Working) -> Box:
        """A given, or a step that was not written down."""
        entry = self.plan.entries[key]
        if isinstance(entry, Given):
            return self.given(entry, lambda k: boxes(k, working))
        if key in self.lines:  # a written line, worked out again: kept to its own digits
            working = replace(working, digits=self.lines[key].reading.digits)  # type: ignore[union-attr]
        box = evaluate(entry.node, lambda k: boxes(k, working), working)
        if entry.given or entry.node.operation == "ref" or working.habit == "full":
            return box
        return [[working.kept(cell, as_line=True) for cell in row] for row in box]

    def given(self, entry: Given, boxes: Callable[[str], Box]) -> Box:
        """A given; its formula may use earlier givens, and steps of earlier parts."""
        box = evaluate(entry.node, boxes)
        if not self.problem.rounded_givens or entry.texts is None:
            return box
        return [
            [_widened(cell, text) for cell, text in zip(row, texts, strict=True)]
            for row, texts in zip(box, entry.texts, strict=True)
        ]

    def right(self, key: str, working: Working, printed: bool) -> Box:
        """A right line: its full value, or that rounded to the digits that the student gave it."""
        entry = self.plan.entries[key]
        if isinstance(entry, Given) or self.problem.rounded_givens:
            return self.worked(key, lambda k, w: self.right(k, w, printed), working)
        held = ("printed" if printed else "right", key, FULL)
        if held not in self.unwritten:
            box = from_matrix(self.true.at(key, PRECISION))
            if printed and key in self.lines:
                digits = self.lines[key].reading.digits  # type: ignore[union-attr]
                box = [[to_decimals(cell, digits) for cell in row] for row in box]
            self.unwritten[held] = box
        return self.unwritten[held]

    def prints(self, key: str) -> Box:
        """A line as it stands on the paper; what was not written down is worked out from these numbers in full."""
        if key not in self.paper:
            entry, line = self.plan.entries[key], self.lines.get(key)
            box = self.given(entry, self.prints) if isinstance(entry, Given) else evaluate(entry.node, self.prints)
            typed = line.reading.values if line and line.reading else {}
            self.paper[key] = [[(typed[i, j],) * 2 if (i, j) in typed else cell for j, cell in enumerate(row)] for i, row in enumerate(box)]
        return self.paper[key]

    def boxes(self, line: Line, working: Working) -> Box:
        """What a line should be, from the student's own lines."""
        own = self.source("own")
        return evaluate(line.step.node, lambda key: own(key, working), working)

    def place(self, line: Line, at: Where) -> str:
        """An entry by its labels, or by row and column."""
        step, (i, j) = line.step, at
        if step.node.size == 1:
            return line.step.name
        row = step.rows[i] if step.rows else f"row {i}"
        return f"{row}, {step.columns[j] if step.columns else f'column {j}'}"


def _widened(cell: Cell, text: str) -> Cell:
    """A given that is itself a rounded print: half a unit of its last digit either way; whole numbers are exact."""
    places = len(text.partition(".")[2]) if "." in text and text.replace(".", "").lstrip("+-").isdigit() else 0
    if not places or cell is None:
        return cell
    half = 1 / fmpq(2 * power_of_ten(places))
    return cell[0] - half, cell[1] + half
