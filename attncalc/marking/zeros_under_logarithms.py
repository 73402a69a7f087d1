"""Zeros under logarithms: a positive entry that led to a finite logarithm was not kept as 0.

A positive x may be kept as 0: it prints as 0, or is noted as 0 on scratch paper. The logarithm of 0 is −∞. So if a
finite number was typed after it, x was not kept as 0. Then x rounded to some digits is at least one unit of the last
digit. It is less than one unit away from x (rounded, half a unit): so it lies between x / 2 and 2 x.
"""

from __future__ import annotations

from functools import partial

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import ZERO, Box, End, Interval, clip, point
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..formula.typed_formula import Node, Where
from ..plan import Step
from .alternatives import unwritten_behind
from .context import MarkingContext, StudentValues
from .follow_through import line_formulas
from .legality import is_hidden
from .line import CarryScenario, Line
from .precision import value

Entry = tuple[str, Where]  # of a step


def scenarios_before(context: MarkingContext, line: Line) -> list[CarryScenario]:
    """Return the scenarios for a line's inputs; before a logarithm, scenarios with an impossible zero are
    excluded.
    """
    scenarios = context.scenarios_of(line.key)
    if line.key not in context.behind_logarithms:
        return scenarios
    return [without_impossible_zeros(context, scenario, line) for scenario in scenarios]


def without_impossible_zeros(context: MarkingContext, scenario: CarryScenario, line: Line) -> CarryScenario:
    """Return a scenario in which entries are not 0 whose zero would lead to an infinite number where a finite one
    stands.
    """
    boxes: dict[str, Box] = {}
    for zero, near in typed_zeros(context, scenario, line.key):
        if is_infinite_after(context, scenario, zero, line):
            key, (i, j) = zero
            box = boxes.setdefault(key, [list(row) for row in scenario.values[key]])
            box[i][j] = clip(box[i][j], *near)
    if boxes:
        scenario = CarryScenario(scenario.values | boxes)
    noted = (zero for zero in noted_zeros(context, scenario, line) if is_infinite_after(context, scenario, zero, line))
    positive = frozenset(noted)
    return CarryScenario(scenario.values, positive=positive) if positive else scenario


def typed_zeros(context: MarkingContext, scenario: CarryScenario, key: str) -> list[tuple[Entry, tuple[End, End]]]:
    """Return the positive entries right before a line that were typed as 0, each with its range if it is not 0."""
    zeros: list[tuple[Entry, tuple[End, End]]] = []
    for before in sorted(
        context.adjacent_written_lines(key) & context.in_logarithms, key=context.plan.order.__getitem__
    ):
        box, near = scenario.values[before], context.lines[before].near
        zeros += [((before, at), cell) for at, cell in near.items() if cell and _may_be_zero(box[at[0]][at[1]])]
    return zeros


def noted_zeros(context: MarkingContext, scenario: CarryScenario, line: Line) -> list[Entry]:
    """Return the positive entries of omitted steps before a line that may have been noted as 0."""
    unit, source = 1 / fmpq(power_of_ten(line.readings[0].working)), StudentValues(context, scenario)
    zeros: list[Entry] = []
    for key in sorted(unwritten_behind(context, line.key) & context.in_logarithms, key=context.plan.order.__getitem__):
        if not isinstance(entry := context.plan.entries[key], Step) or entry.given:
            continue
        rows = enumerate(source(key, FULL))
        cells = (((i, j), cell) for i, row in rows for j, cell in enumerate(row) if cell is not None)
        zeros += [(key, at) for at, cell in cells if 0 < cell[0] < unit]
    return zeros


def is_infinite_after(context: MarkingContext, scenario: CarryScenario, zero: Entry, line: Line) -> bool:
    """Return whether a line is infinite, by each of its orders, where a finite number was typed, if an entry before it
    is 0.
    """
    numbers = [at for at, typed in line.filled.cells.items() if not is_infinite(value(typed))]
    boxes = (value_with_zero(context, scenario, zero, node) for node in line_formulas(context, line.step))
    return all(any(is_hidden(box[i][j]) for i, j in numbers) for box in boxes)


def value_with_zero(context: MarkingContext, scenario: CarryScenario, zero: Entry, node: Node) -> Box:
    """Calculate a formula in full from the student's own lines, with one entry of them, or of an omitted step, as 0."""
    (changed, (i, j)), source = zero, StudentValues(context, scenario)

    def in_full(key: str) -> Box:
        return source(key, FULL)

    box = [list(row) for row in in_full(changed)]
    box[i][j] = point(ZERO)
    return evaluate(node, partial(context.recalculated, in_full, {changed: box}, scenario.values))


def _may_be_zero(cell: Interval) -> bool:
    return cell is not None and bool(cell[0] <= 0 < cell[1])
