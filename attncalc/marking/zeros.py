"""Entries that may be 0 behind a logarithm: one that led to a finite number was not 0, and then it was not tiny.

A positive x may be kept as 0: it prints as 0, or is noted so on the way. The logarithm of 0 is −∞, so where a finite
number was typed behind it, x was not kept as 0. What is kept of x to some digits is then at least a unit of the last,
and x is less than a unit away (where it is rounded, half a unit): so it lies between x / 2 and 2 x.
"""

from __future__ import annotations

from functools import cached_property, partial

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import ZERO, Box, End, Interval, clip, point
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..formula.typed_formula import Node, Where, needs
from ..plan import Step
from .follow import Follow
from .legality import is_hidden
from .line import CarriedValues, CarryScenario, Line
from .precision import value
from .uses import has

NEAR = 2  # steps before a logarithm, whose entries may stand in it as they are

Entry = tuple[str, Where]  # of a step


class Zeros(Follow):
    """The lines of a script, of which none is refused or accepted on a zero that cannot have been there."""

    @cached_property
    def logarithms(self) -> set[str]:
        """The steps that a logarithm leads to, where −∞ is the logarithm of 0."""
        steps: set[str] = set()
        for step in self.plan.steps():
            if has(step.node, "log") or not steps.isdisjoint(self.plan.dependencies[step.key]):
                steps.add(step.key)
        return steps

    @cached_property
    def in_logarithms(self) -> set[str]:
        """The steps whose entries may stand in a logarithm."""
        near = {key for step in self.plan.steps() for logarithm in _logarithms(step.node) for key in needs([logarithm])}
        keys = set(near)
        for _ in range(NEAR - 1):
            near = set().union(*(self.plan.dependencies[key] for key in near))
            keys |= near
        return keys

    def worlds_of(self, line: Line) -> list[CarryScenario]:
        """Return the scenarios for a line's inputs; before a logarithm, scenarios with an impossible zero are
        excluded.
        """
        worlds = self.worlds(line.key)
        if line.key not in self.logarithms:
            return worlds
        return [self.without_zeros(world, line) for world in worlds]

    def without_zeros(self, world: CarryScenario, line: Line) -> CarryScenario:
        """The world where entries are not 0 whose zero would lead to an infinite number where a finite one stands."""
        with self.within(world):
            typed = {zero: near for zero, near in self.typed_zeros(line.key) if self.is_infinite_after(zero, line)}
        boxes: dict[str, Box] = {}
        for (key, (i, j)), near in typed.items():
            box = boxes.setdefault(key, [list(row) for row in world.values[key]])
            box[i][j] = clip(box[i][j], *near)
        scenario = (
            CarryScenario(CarriedValues(world.values.carried | {key: [box] for key, box in boxes.items()}))
            if boxes
            else world
        )
        with self.within(scenario):
            noted = frozenset(zero for zero in self.noted_zeros(line) if self.is_infinite_after(zero, line))
        return CarryScenario(scenario.values, positive=noted) if noted else scenario

    def typed_zeros(self, key: str) -> list[tuple[Entry, tuple[End, End]]]:
        """The entries right before a line that were typed as 0 and are positive, with what they are else."""
        zeros: list[tuple[Entry, tuple[End, End]]] = []
        for before in sorted(self.adjacent_written_lines(key) & self.in_logarithms, key=self.plan.order.__getitem__):
            box, near = self.carried_values[before], getattr(self.carried[before], "near", {})
            zeros += [((before, at), cell) for at, cell in near.items() if cell and _may_be_zero(box[at[0]][at[1]])]
        return zeros

    def noted_zeros(self, line: Line) -> list[Entry]:
        """The positive entries of steps that were left out before a line that may have been noted as 0."""
        unit, source = 1 / fmpq(power_of_ten(line.readings[0].working)), self.source("own")
        zeros: list[Entry] = []
        for key in sorted(self.unwritten_behind(line.key) & self.in_logarithms, key=self.plan.order.__getitem__):
            if not isinstance(entry := self.plan.entries[key], Step) or entry.given:
                continue
            rows = enumerate(source(key, FULL))
            cells = (((i, j), cell) for i, row in rows for j, cell in enumerate(row) if cell is not None)
            zeros += [(key, at) for at, cell in cells if 0 < cell[0] < unit]
        return zeros

    def is_infinite_after(self, zero: Entry, line: Line) -> bool:
        """Whether a line is infinite, by each of its orders, where a finite number was typed, if an entry before it
        is 0.
        """
        numbers = [at for at, typed in line.filled.cells.items() if not is_infinite(value(typed))]
        boxes = (self.after(zero, node) for node in self.orders(line.step))
        return all(any(is_hidden(box[i][j]) for i, j in numbers) for box in boxes)

    def after(self, zero: Entry, node: Node) -> Box:
        """What a formula comes to in full from the student's own lines, with an entry of one, or on the way, as 0."""
        (changed, (i, j)), source = zero, self.source("own")
        held = {changed: [list(row) for row in source(changed, FULL)]}
        held[changed][i][j] = point(ZERO)

        return evaluate(node, partial(self.zeroed, changed, held))

    def zeroed(self, changed: str, held: dict[str, Box], key: str) -> Box:
        """A given or a step in full, worked on from one that is changed."""
        if key not in held:
            same = key in self.carried_values or changed not in self.behind(key)
            formula, student_source = self.plan.entries[key].node, self.source("own")
            held[key] = student_source(key, FULL) if same else evaluate(formula, partial(self.zeroed, changed, held))
        return held[key]


def _logarithms(node: Node) -> list[Node]:
    """The logarithms in a formula."""
    logarithms = [logarithm for part in node.args for logarithm in _logarithms(part)]
    return [node, *logarithms] if node.operation == "log" else logarithms


def _may_be_zero(cell: Interval) -> bool:
    return cell is not None and bool(cell[0] <= 0 < cell[1])
