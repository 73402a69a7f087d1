"""Follow-through: does a line follow from others, by which equal order, and what does it carry on?"""

from __future__ import annotations

from functools import reduce

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import IntermediateRounding
from ..arithmetic.intervals.interval_evaluator import argmax_candidates, evaluate
from ..arithmetic.intervals.scalar import ONE, ZERO, Box, Interval, hull, point
from ..formula import operations as op
from ..formula.typed_formula import Node, Where
from ..mistakes.equivalent_formulas import equal_orders, reassociate
from ..plan import Step
from .alternatives import accepted_formulas, exponentials_and_products, orders_of_omitted_steps
from .context import MOST_BOXES, MarkingContext, StudentValues
from .legality import Carried, LegalDerivation, Refutation, accept, box_hull, carried, rounding_schemes, widest_rounding
from .line import CarryScenario, Line, Source
from .line_enclosures import LineEnclosures
from .precision import Reading


def student_sources(context: MarkingContext, scenario: CarryScenario, step: Step) -> list[Source]:
    """Return the student's lines in a scenario: as they are, and for each equal order of the omitted steps before."""
    orders = orders_of_omitted_steps(context, step)
    return [
        StudentValues(context, scenario),
        *(StudentValues(context, scenario, equal_orders=order) for order in orders),
    ]


def carried_enclosures(
    context: MarkingContext, line: Line, by_scenario: list[list[Source]]
) -> tuple[list[Box], dict[Where, Interval]]:
    """Return what an accepted line may carry on: by any reading and habit that fits, in each accepting scenario; and
    what is carried of an entry typed as 0 if it is not 0.
    """
    if line.key in context.last_steps:
        return [line.accepted.box], {}  # type: ignore[union-attr]
    alternatives = [
        alternative for sources in by_scenario if (alternative := carried_from(context, line, sources)) is not None
    ]
    boxes: list[Box] = []
    for alternative in alternatives:
        boxes += [box for box in alternative.boxes() if box not in boxes]
    common = (
        set[Where].intersection(*(set(alternative.near) for alternative in alternatives)) if alternatives else set()
    )
    near = {at: reduce(hull, (alternative.near[at] for alternative in alternatives)) for at in common}
    return boxes if len(boxes) <= MOST_BOXES else [boxes[0], reduce(box_hull, boxes[1:])], near


def carried_from(context: MarkingContext, line: Line, sources: list[Source]) -> Carried | None:
    """Return what a line carries on from these sources; None if no reading follows from them."""
    combined: Carried | None = None
    # Readings of the same digits share their boxes
    routes, (_, products) = line_enclosures(context, line.step, *sources), exponentials_and_products(context, line.step)
    weights = isinstance(line.step.node, op.Softmax)
    for reading in line.readings:
        alternative = carried(reading, list(routes.boxes(widest_rounding(reading, products))), weights)
        if alternative is not None:
            combined = alternative if combined is None else combined.with_other(alternative)
    return combined


def accept_line(context: MarkingContext, line: Line, *sources: Source) -> LegalDerivation | Refutation:
    """Accept a line by the first source or, if it does not follow from that, by the others."""
    step, kinds = line.step, exponentials_and_products(context, line.step)
    outcome = accept(line.readings, line_enclosures(context, step, *sources[:1]), *kinds)
    if isinstance(outcome, LegalDerivation) or len(sources) == 1:
        return outcome
    other = accept(line.readings, line_enclosures(context, step, *sources[1:]), *kinds)
    return other if isinstance(other, LegalDerivation) else outcome


def legal_boxes(context: MarkingContext, scenario: CarryScenario, step: Step, reading: Reading) -> list[Box]:
    """Return the boxes of a line in a scenario, one per way of working and equal order."""
    routes = line_enclosures(context, step, *student_sources(context, scenario, step))
    schemes = rounding_schemes(reading, *exponentials_and_products(context, step))
    return [box for working in schemes for box in routes.boxes(working)]


def line_enclosures(context: MarkingContext, step: Step, *sources: Source) -> LineEnclosures:
    """Return the line's boxes by each of its equal orders, from each of some sources."""
    return LineEnclosures(
        line_formulas(context, step), sources, lambda *arguments: with_typed_maximum(context, step, *arguments)
    )


def with_typed_maximum(
    context: MarkingContext, step: Step, node: Node, box: Box, source: Source, working: IntermediateRounding
) -> Box:
    """Return a box in which, if several columns may hold the maximum, the typed one is used when it is among them.

    An index between two candidates is not a candidate. For the k largest, the typed ones are used likewise.
    """
    if not isinstance(node, op.ArgmaxRows | op.TopK) or step.key not in context.typed:
        return box
    if isinstance(node, op.TopK):
        ones = {at for at, cell in context.typed[step.key].cells.items() if cell.value == 1}
        return [_chosen(row, node.k, {j for k, j in ones if k == i}) for i, row in enumerate(box)]
    result = [list(row) for row in box]
    rows = evaluate(node.args[0], lambda key: source(key, working), working)
    for (i, j), cell in context.typed[step.key].cells.items():
        columns = argmax_candidates(rows[i])
        result[i][j] = point(fmpq(next((column for column in columns if column == cell.value), columns[0])))
    return result


def line_formulas(context: MarkingContext, step: Step) -> list[Node]:
    """Return the step's own formula, its equal orders, and the formulas that the instructor accepts as well."""
    if step.key not in context.formulas:
        site = context.site(step)
        context.formulas[step.key] = [
            step.node,
            *equal_orders(site),
            *context.formulas_through_written_lines(step),
            *reassociate(site, context.typed),
            *accepted_formulas(context, step),
        ]
    return context.formulas[step.key]


def _chosen(row: list[Interval], count: int, typed: set[int]) -> list[Interval]:
    """Return `count` ones in a row of the k largest: the certain ones, then the typed ones among the possible, then the
    first.
    """
    perhaps = [j for j, cell in enumerate(row) if cell != point(ZERO)]
    ranked = sorted(perhaps, key=lambda j: (row[j] != point(ONE), j not in typed, j))
    return [point(ONE if j in ranked[:count] else ZERO) for j in range(len(row))]
