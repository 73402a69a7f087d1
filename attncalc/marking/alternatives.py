"""The formulas that a problem file accepts as well, in a written line and in the omitted steps before it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, islice, product
from math import prod

from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..formula import operations as op
from ..formula.operations import needs
from ..formula.typed_formula import Node
from ..mistakes.catalogue import nodes_of
from ..mistakes.equivalent_formulas import equal_orders, formulas_through_lines
from ..plan import Step
from ..problem.problem import Problem
from .context import MarkingContext, StudentValues
from .formula_properties import has
from .legality import line_is_compatible
from .line import CarryScenario, FormulaChoices, Line, Source
from .precision import HABITS

MOST_ORDERS = 16  # of unwritten steps before a line, each tried alone
MOST_TRIED_IN_FULL = 3  # conventions and formulas of which every choice is tried
MOST_CHOICES = 256  # among accepted formulas that are looked at, of which the simplest are tried

# The part, None for all of them; a code, or a step and which of its formulas
Convention = tuple[int | None, str, int | None]


def accepted_formulas(context: MarkingContext, step: Step) -> list[Node]:
    """Return the other formulas that the problem file accepts for a step, from conventions and from `accept:`."""
    codes = context.problem.accept | context.parts[step.key].accept
    return [*(nodes_of(codes, context.site(step)) if codes else ()), *alternative_formulas(context, step)]


def alternative_formulas(context: MarkingContext, step: Step) -> list[Node]:
    """Return the other formulas that the problem file writes for a step."""
    return context.parts[step.key].alternatives.get(step.name, [])


def lines_used_by_alternatives(context: MarkingContext, key: str) -> set[str]:
    """Return the typed lines that accepted alternatives of a step, or of omitted steps before it, may use."""
    entries = (context.plan.entries[step_key] for step_key in (key, *unwritten_behind(context, key)))
    used = needs(
        [node for entry in entries if isinstance(entry, Step) for node in alternative_formulas(context, entry)]
    )
    return {k for step_key in used for k in context.behind(step_key) if k in context.typed}


def lines_before(context: MarkingContext, key: str) -> set[str]:
    """Return the typed lines that the verdict on a line depends on, by its own formulas and by accepted ones."""
    seen: set[str] = set()
    stack = [key] if context.has_alternatives else []
    while stack:
        current = stack.pop()
        nearer = (context.upstream[current] | lines_used_by_alternatives(context, current)) - seen
        seen |= nearer
        stack.extend(nearer)
    return seen or context.upstream[key]


def sources_by_convention(context: MarkingContext, scenario: CarryScenario, step: Step) -> Iterator[Source]:
    """Yield the student's own lines with accepted formulas in the omitted steps: in one step first, then in several."""
    for choice in convention_choices(context, unwritten_behind(context, step.key)):
        yield StudentValues(context, scenario, other_formulas=tuple((key, (node,)) for key, node in choice.items()))


def convention_choices(context: MarkingContext, keys: Iterable[str]) -> list[dict[str, Node]]:
    """Return the choices of accepted formulas for some steps: for one step alone first, then for several together."""
    entries = ((key, context.plan.entries[key]) for key in sorted(keys, key=context.plan.order.__getitem__))
    allowed = [
        (key, accepted_formulas(context, entry))
        for key, entry in entries
        if isinstance(entry, Step) and not entry.given
    ]
    several = product(*([(key, node) for node in (None, *nodes)] for key, nodes in allowed if nodes))
    combinations = [
        {key: node for key, node in choice if node is not None} for choice in islice(several, 1, MOST_CHOICES)
    ]
    return sorted(combinations, key=len)[:MOST_ORDERS]


def right_values(context: MarkingContext, step: Step) -> Iterator[Box]:
    """Yield the right line in full, then its values by the accepted formulas of it and of all steps before it."""
    yield context.right(step.key)
    for choice in convention_choices(context, context.behind(step.key)):
        changed: dict[str, Box] = {}
        for key, node in choice.items():
            changed[key] = evaluate(node, partial(context.recalculated, context.right, changed, ()))
        yield context.recalculated(context.right, changed, (), step.key)


def prints_right(context: MarkingContext, line: Line) -> bool:
    """Return whether a line prints the right numbers, or others that the problem file accepts."""
    reading = line.reading
    return reading is not None and any(
        line_is_compatible(reading, habit, right) for right in right_values(context, line.step) for habit in HABITS
    )


def unwritten_behind(context: MarkingContext, key: str, back_to: type[Node] | None = None) -> frozenset[str]:
    """Return the unwritten steps on the way to a line, back to the written lines and to steps that use an operation."""
    if (key, back_to) not in context.unwritten_steps:
        seen: set[str] = set()
        stack = [key]
        while stack:
            nearer = context.plan.dependencies[stack.pop()] - context.typed.keys() - seen
            stack.extend(
                step_key
                for step_key in nearer
                if back_to is None or not has(context.plan.entries[step_key].node, back_to)
            )
            seen |= nearer
        context.unwritten_steps[key, back_to] = frozenset(seen)
    return context.unwritten_steps[key, back_to]


def exponentials_and_products(context: MarkingContext, step: Step, *nodes: Node) -> tuple[bool, bool]:
    """Return whether a line, an omitted step on the way to it, or a formula has a softmax; and a matrix product."""
    keys = (step.key, *unwritten_behind(context, step.key))
    formulas = (*nodes, *(context.plan.entries[key].node for key in keys))
    return any(has(node, op.Softmax) for node in formulas), any(has(node, op.MatMul) for node in formulas)


def orders_of_omitted_steps(context: MarkingContext, step: Step) -> list[FormulaChoices]:
    """Return the equal orders of the omitted steps on the way to a step. Cached."""
    if step.key not in context.omitted_orders:
        context.omitted_orders[step.key] = orders_before(context, step)
    return context.omitted_orders[step.key]


def orders_before(context: MarkingContext, step: Step) -> list[FormulaChoices]:
    """Return each choice of one equal order for each omitted step on the way to a step, or all orders together.

    Steps before omitted weights have no orders: their rounding is small beside that of the exponentials.
    """
    orders_by_key: list[tuple[str, list[Node]]] = []
    for key in sorted(unwritten_behind(context, step.key, op.Softmax), key=context.plan.order.__getitem__):
        entry = context.plan.entries[key]
        if isinstance(entry, Step) and not entry.given:
            site = context.site(entry)
            orders = dict.fromkeys([*equal_orders(site), *formulas_through_lines(site, context.typed)])
            if orders:
                orders_by_key.append((key, [entry.node, *orders]))
    if prod(len(orders) for _, orders in orders_by_key) > MOST_ORDERS:
        return [tuple((key, tuple(orders)) for key, orders in orders_by_key)]
    choices = product(*([(key, (node,)) for node in orders] for key, orders in orders_by_key))
    return list(islice(choices, 1, None))  # without the first, which is every step's own formula


def with_fewer_alternatives(problem: Problem) -> Iterator[Problem]:
    """Yield the problem with each proper subset of its alternatives; if they are many, with none, one, and all but one.

    A script is marked under each and the best mark counts, so that accepting an alternative never lowers a mark. A
    wrong entry may be so near to an alternative that it counts as that, with too few decimals. A line that follows from
    the entry then no longer does.
    """
    conventions = list(_accepted(problem))
    counts = range(len(conventions)) if len(conventions) <= MOST_TRIED_IN_FULL else (0, 1, len(conventions) - 1)
    for chosen in chain.from_iterable(combinations(conventions, count) for count in counts):
        yield _accepting(problem, chosen)


def _accepted(problem: Problem) -> Iterator[Convention]:
    yield from ((None, code, None) for code in problem.accept)
    for k, part in enumerate(problem.parts):
        yield from ((k, code, None) for code in part.accept)
        yield from ((k, step, i) for step, nodes in part.alternatives.items() for i in range(len(nodes)))


def _accepting(problem: Problem, chosen: Collection[Convention]) -> Problem:
    parts = [
        replace(
            part,
            accept={code: place for code, place in part.accept.items() if (k, code, None) in chosen},
            alternatives={
                step: [node for i, node in enumerate(nodes) if (k, step, i) in chosen]
                for step, nodes in part.alternatives.items()
            },
        )
        for k, part in enumerate(problem.parts)
    ]
    accept = {code: place for code, place in problem.accept.items() if (None, code, None) in chosen}
    return replace(problem, accept=accept, parts=parts)
