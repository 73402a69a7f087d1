"""A script line by line, in the plan's order: what each line was worked out from, and whether it follows.

Rule R7: a line is held against the student's own lines, the right lines, and the student's lines with the line before worked
out again; any one suffices. The first line that follows from none of them is where the work broke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from flint import ctx, fmpq

from ..answers.bind import Bound, Filled
from ..arithmetic.cells import Box, Cell
from ..arithmetic.interval import evaluate
from ..arithmetic.matrices import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..arithmetic.working import FULL, Working
from ..formula.node import Node
from ..mistakes.catalogue import nodes_of
from ..mistakes.orders import equal_orders
from ..mistakes.site import Site
from ..plan import Step
from ..problem.model import Problem
from ..records import dataclass, field, replace
from .accept import Accepted, Refused, accept, carried, fits, joined, restart
from .reading import HABITS, Reading, Where, readings
from .sources import PRECISION, Line, Source, Sources

RELATIVE = {"float32": fmpq(1, 1 << 19), "float64": fmpq(1, 1 << 44)}  # a few roundings of a program's arithmetic
TWO_FIGURES = 10
FEW = 4  # at most every fourth entry may be one unit off


@dataclass(slots=True)
class Memory:
    """What the scripts of one problem have in common: lines and their causes, by what they and all lines before them say."""

    lines: dict[tuple[object, ...], tuple[Line, Box]] = field(default_factory=dict)
    causes: dict[tuple[object, ...], list[Any]] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)


class Walk(Sources):
    """All lines of a script, each with its verdict."""

    def __init__(self, problem: Problem, bound: Bound, sites: dict[str, Site] | None = None, memory: Memory | None = None):
        super().__init__(problem, bound, sites if sites is not None or memory is None else memory.sites)
        self.memory = memory
        self.formulas: dict[str, list[Node]] = {}

    def run(self) -> None:
        with ctx.workprec(PRECISION):
            for key in self.plan.order:
                if key in self.typed:
                    self.lines[key] = self.remembered(key)

    def remembered(self, key: str) -> Line:
        """A line, as in an earlier script of the class that is the same up to it."""
        if self.memory is None:
            return self.line(self.typed[key])
        if (tag := self.tag(key)) not in self.memory.lines:
            self.memory.lines[tag] = self.line(self.typed[key]), self.own[key]
        line, self.own[key] = self.memory.lines[tag]
        return replace(line, filled=self.typed[key])

    def tag(self, key: str) -> tuple[object, ...]:
        """What a line and all that it depends on say, as texts."""
        lines = (self.typed[k] for k in (key, *sorted(self.upstream[key])))
        return (self.bound.script.computed, *((f.step.key, f.computed, *((at, c.text) for at, c in f.cells.items())) for f in lines))

    @cached_property
    def last(self) -> set[str]:
        """The last step of each part, where no other part uses it: what it carries on is nobody's matter."""
        used = set().union(*self.plan.uses.values())
        return {part.steps[-1].key for part in self.plan.parts if part.steps} - used

    def line(self, filled: Filled) -> Line:
        step, part = filled.step, self.parts[filled.step.key]
        line = Line(step, part, filled)
        computed = filled.computed or self.bound.script.computed
        asked = part.rounding.digits if part.rounding_stated else None
        ways = readings(filled.cells, asked, RELATIVE.get(computed or "", fmpq(0)))
        line.reading = ways[0]
        own = self.source("own")
        if not filled.cells:
            line.verdict = "missing"
            return line
        broken = self.is_broken_before(step.key)
        tried, source = self.accept(line, ways, own), own
        if isinstance(tried, Accepted):
            line.verdict = self.after_a_break(line, ways) if broken else self.shade(line, tried)
        else:
            tried, line.verdict, source = self.elsewhere(line, ways, broken, tried)
        if isinstance(tried, Accepted):
            line.accepted, line.weak, line.reading = tried, tried.weak, tried.reading
            self.own[step.key] = tried.box if step.key in self.last else self.carried(step, ways, source)
        else:
            line.refused, line.reading, line.cells = tried, tried.reading, tried.cells
            otherwise = self.boxes(line, FULL)
            exact = all(ends_within(cell, tried.reading.digits) for row in otherwise for cell in row)
            self.own[step.key] = restart(tried.reading, otherwise, line.verdict == "wrong" and not exact)
        return line

    def carried(self, step: Step, ways: list[Reading], source: Source) -> Box:
        """What an accepted line may carry on, by any reading and any habit that fits it."""
        found: Box | None = None
        enclose, products = self.enclosures(step, source), self.uses(step, "matmul")  # readings of the same digits share their boxes
        for reading in ways:
            fat = list(enclose(Working(reading.digits, "any", products=products)))
            box = carried(reading, fat, step.node.operation == "softmax")
            if box is not None:
                found = box if found is None else joined(found, box)
        assert found is not None
        return found

    def accept(self, line: Line, ways: list[Reading], source: Source) -> Accepted | Refused:
        step = line.step
        return accept(ways, self.enclosures(step, source), self.uses(step, "softmax"), self.uses(step, "matmul"))

    def uses(self, step: Step, operation: str) -> bool:
        """Whether the line, or one that was not written down on the way to it, uses an operation."""
        return any(has(self.plan.entries[key].node, operation) for key in (step.key, *self.unwritten_behind(step.key)))

    def unwritten_behind(self, key: str) -> set[str]:
        """What was not written down on the way to a line, back to the lines that were."""
        seen: set[str] = set()
        stack = [key]
        while stack:
            nearer = self.plan.uses[stack.pop()] - self.typed.keys() - seen
            stack.extend(nearer)
            seen |= nearer
        return seen

    def enclosures(self, step: Step, source: Source) -> Callable[[Working], Iterable[Box]]:
        """The line's boxes for one way of working, one for each equal order, worked out when they are asked for."""
        known: dict[Working, list[Box]] = {}

        def enclose(working: Working) -> Iterator[Box]:
            boxes = known.setdefault(working, [])
            for k, node in enumerate(self.orders(step)):
                if k == len(boxes):
                    boxes.append(evaluate(node, lambda key: source(key, working), working))
                yield boxes[k]

        return enclose

    def orders(self, step: Step) -> list[Node]:
        """The step's own formula, its equal orders, and what the instructor accepts as well."""
        if step.key not in self.formulas:
            site = self.site(step)
            allowed = self.problem.accept | self.parts[step.key].accept
            self.formulas[step.key] = [*equal_orders(site), *nodes_of(allowed, site)]
        return self.formulas[step.key]

    def from_right(self, line: Line, ways: list[Reading]) -> tuple[Accepted, Source] | None:
        """Whether the line follows from the right lines, in full or as printed."""
        for name in ("right", "printed"):
            source = self.source(name)
            tried = self.accept(line, ways, source)
            if isinstance(tried, Accepted):
                return tried, source
        return None

    def after_a_break(self, line: Line, ways: list[Reading]) -> str:
        """The verdict on a line that follows from wrong ones: right where its value is right all the same."""
        return "right" if self.near_right(line, ways) else "carried"

    def near_right(self, line: Line, ways: list[Reading]) -> bool:
        """Whether a line that follows from wrong ones is right in value all the same, within a unit of its last digit."""
        tried = self.accept(line, ways, self.source("right"))
        near = isinstance(tried, Accepted) or all(self.within_a_unit(tried, at) for at in tried.reading.values)
        return near or isinstance(self.accept(line, ways, self.source("printed")), Accepted)

    def within_a_unit(self, refused: Refused, at: Where) -> bool:
        """Whether an entry is at most one unit of its last digit off; where there is nothing to round, not even that."""
        slack = fmpq(0) if ends_within(refused.box[at[0]][at[1]], refused.reading.digits) else fmpq(1)
        return fits(refused.reading, "round", refused.box, at, slack)

    def elsewhere(self, line: Line, ways: list[Reading], broken: bool, tried: Refused) -> tuple[Accepted | Refused, str, Source]:
        """A line that does not follow from the lines as typed: from the right ones, or from the lines before, worked out again?"""
        if right := self.from_right(line, ways):
            return right[0], "right" if broken else self.shade(line, right[0]), right[1]
        direct = frozenset(k for k in self.plan.uses[line.step.key] if k in self.own)
        if broken or any(self.lines[k].verdict == "last_digit" for k in direct):
            source = self.source("own", direct)
            again = self.accept(line, ways, source)
            if isinstance(again, Accepted):
                return again, self.after_a_break(line, ways) if broken else self.shade(line, again), source
        box = self.boxes(line, FULL)
        if all(fits(tried.reading, "round", box, at) or fits(tried.reading, "cut", box, at) for at in tried.reading.values):
            return tried, self.after_a_break(line, ways) if broken else "truncated", self.source("own")  # some cut, others rounded
        rounded = not any(ends_within(box[i][j], tried.reading.digits) for i, j in tried.cells)  # else there is nothing to round
        if not (rounded and self.one_unit_off(line, tried)):
            return tried, "wrong", self.source("own")
        return tried, "last_digit" if not broken or self.near_right(line, ways) else "carried", self.source("own")

    def one_unit_off(self, line: Line, refused: Refused) -> bool:
        """Few entries fail, each by no more than one unit of its last digit against the numbers on the paper or the right ones."""
        count = len(refused.reading.values)
        if len(refused.cells) > max(1, min(count - 1, max(2, count // FEW))):
            return False
        paper, right = self.sharp(line)
        ways = (paper, refused.cells), (right, list(refused.reading.values))  # not some entries by one and some by the other
        return any(all(fits(refused.reading, "round", box, at, fmpq(1)) for at in cells) for box, cells in ways)

    def shade(self, line: Line, accepted: Accepted) -> str:
        """right, truncated (cut where rounding is asked) or too_coarse."""
        if accepted.reading.coarse or not accepted.reading.digits and not self.says_enough(line, accepted):
            return "too_coarse"  # whole numbers that only rounding on the way explains: √2 may be kept as 1, which hides the scale
        if accepted.habit == "round" or line.part.rounding.mode == "truncate":
            return "right"
        reading = accepted.reading
        cut = (all(fits(reading, "round", box, at) or fits(reading, accepted.habit, box, at) for at in reading.values) for box in self.sharp(line))
        return "truncated" if any(cut) else "right"  # else something on the way was cut, not the line

    def says_enough(self, line: Line, accepted: Accepted) -> bool:
        """Whether a line of whole numbers is what its own values print; two figures and more say enough by themselves."""
        reading = accepted.reading
        boxes = [*self.sharp(line), *([accepted.box] if all(cell and cell[0] is cell[1] for row in accepted.box for cell in row) else [])]
        few = [at for at, typed in reading.values.items() if is_infinite(typed) or abs(typed) < TWO_FIGURES]
        return any(all(fits(reading, habit, box, at) for at in few) for box in boxes for habit in HABITS)

    def sharp(self, line: Line) -> tuple[Box, Box]:
        """What a line should be from the numbers on the paper, and from the right ones."""
        return evaluate(line.step.node, self.prints), self.right(line.key, FULL, False)


def ends_within(cell: Cell, digits: int) -> bool:
    """Whether an entry is a number of so many decimals, or hidden: a wrong one in its place was then worked out exactly too."""
    if cell is None:
        return False
    return is_infinite(cell[0]) or cell[0] is cell[1] and isinstance(cell[0], fmpq) and (cell[0] * power_of_ten(digits)).denominator == 1


def has(node: Node, operation: str) -> bool:
    """Whether a formula uses an operation."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one.operation == operation:
            return True
        stack.extend(one.args)
    return False
