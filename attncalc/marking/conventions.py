"""What a problem file accepts beside its own formulas, in a written line and in the steps that were left
out before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, product
from math import prod

from ..arithmetic.intervals.intermediate_rounding import FULL
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..formula.typed_formula import Node, needs
from ..mistakes.catalogue import nodes_of
from ..mistakes.equivalent_formulas import equal_orders, formulas_through_lines
from ..plan import Step
from .legality import line_is_compatible
from .line import Line, Otherwise, Source
from .precision import HABITS
from .sources import EnclosureContext
from .uses import has

MOST_ORDERS = 16  # of unwritten steps before a line, each tried alone
MOST_CHOICES = 256  # among accepted formulas that are looked at, of which the simplest are tried


class Conventions(EnclosureContext):
    """The lines of a script, with the formulas that are right as well."""

    @cached_property
    def others_of(self) -> dict[str, list[Otherwise]]:
        """Cache of `orders_of_omitted_steps`, by step."""
        return {}

    def allowed(self, step: Step) -> list[Node]:
        """What the problem file accepts beside a step's own formula: conventions by their codes, and other formulas."""
        codes = self.problem.accept | self.parts[step.key].accept
        return [*(nodes_of(codes, self.site(step)) if codes else ()), *self.alternatives(step)]

    def alternatives(self, step: Step) -> list[Node]:
        """Other formulas of a step that the problem file accepts."""
        return self.parts[step.key].alternatives.get(step.name, [])

    @cached_property
    def has_alternatives(self) -> bool:
        """Whether the problem file accepts another formula of any step."""
        return any(part.alternatives for part in self.problem.parts)

    def lines_used_by_alternatives(self, key: str) -> set[str]:
        """Return the typed lines that accepted alternatives of a step, or of omitted steps before it, may use."""
        entries = (self.plan.entries[step_key] for step_key in (key, *self.unwritten_behind(key)))
        used = needs([node for entry in entries if isinstance(entry, Step) for node in self.alternatives(entry)])
        return {k for step_key in used for k in self.behind(step_key) if k in self.typed}

    def before(self, key: str) -> set[str]:
        """The typed lines that the verdict on one hangs on: all before it, by its own formulas and by others."""
        seen: set[str] = set()
        stack = [key] if self.has_alternatives else []
        while stack:
            current = stack.pop()
            nearer = (self.upstream[current] | self.lines_used_by_alternatives(current)) - seen
            seen |= nearer
            stack.extend(nearer)
        return seen or self.upstream[key]

    def conventions(self, step: Step) -> Iterator[Source]:
        """The student's own lines, with the steps that were left out as the problem file accepts them: one of them so
        first, then several.
        """
        for choice in self.choices(self.unwritten_behind(step.key)):
            yield self.source("own", instead=tuple((key, (node,)) for key, node in choice.items()))

    def choices(self, keys: Iterable[str]) -> list[dict[str, Node]]:
        """What the problem file accepts in some steps beside their own formulas: of one step alone first, then of
        several together.
        """
        entries = ((key, self.plan.entries[key]) for key in sorted(keys, key=self.plan.order.__getitem__))
        allowed = [(key, self.allowed(entry)) for key, entry in entries if isinstance(entry, Step) and not entry.given]
        several = product(*([(key, node) for node in (None, *nodes)] for key, nodes in allowed if nodes))
        combinations = [
            {key: node for key, node in choice if node is not None} for choice in islice(several, 1, MOST_CHOICES)
        ]
        return sorted(combinations, key=len)[:MOST_ORDERS]

    def right_by_any(self, step: Step) -> Iterator[Box]:
        """The right line in full, then by what the problem file accepts in it and in all steps before it."""
        yield self.right(step.key, FULL, False)
        for choice in self.choices(self.behind(step.key)):
            held: dict[str, Box] = {}
            yield self.worked_by(step.key, choice, held)

    def prints_right(self, line: Line) -> bool:
        """Whether a line prints the right numbers, or others that the problem file accepts."""
        reading = line.reading
        return reading is not None and any(
            line_is_compatible(reading, habit, right) for right in self.right_by_any(line.step) for habit in HABITS
        )

    def worked_by(self, key: str, choice: dict[str, Node], held: dict[str, Box]) -> Box:
        """A step worked out from the givens in full, some steps by other formulas than their own."""
        if choice.keys().isdisjoint(self.behind(key)):
            return self.right(key, FULL, False)
        if key not in held:
            node = choice.get(key) or self.plan.entries[key].node
            held[key] = evaluate(node, lambda input_key: self.worked_by(input_key, choice, held))
        return held[key]

    @cached_property
    def unwritten(self) -> dict[tuple[str, str], frozenset[str]]:
        """What `unwritten_behind` has found."""
        return {}

    def unwritten_behind(self, key: str, back_to: str = "") -> frozenset[str]:
        """What was not written down on the way to a line, back to the lines that were, and to those that use an
        operation.
        """
        if (key, back_to) not in self.unwritten:
            seen: set[str] = set()
            stack = [key]
            while stack:
                nearer = self.plan.dependencies[stack.pop()] - self.typed.keys() - seen
                stack.extend(
                    step_key for step_key in nearer if not back_to or not has(self.plan.entries[step_key].node, back_to)
                )
                seen |= nearer
            self.unwritten[key, back_to] = frozenset(seen)
        return self.unwritten[key, back_to]

    def uses(self, step: Step, operation: str) -> bool:
        """Whether the line, or one that was not written down on the way to it, uses an operation."""
        return any(has(self.plan.entries[key].node, operation) for key in (step.key, *self.unwritten_behind(step.key)))

    def orders_of_omitted_steps(self, step: Step) -> list[Otherwise]:
        """Return the equal orders of the omitted steps on the way to a step. Cached."""
        if step.key not in self.others_of:
            self.others_of[step.key] = self.orders_before(step)
        return self.others_of[step.key]

    def equal(self, left_out: Step) -> list[Node]:
        """The equal orders of a step that was left out, also those through written lines that it does not name."""
        site = self.site(left_out)
        return list(dict.fromkeys([*equal_orders(site), *formulas_through_lines(site, self.typed)]))

    def orders_before(self, step: Step) -> list[Otherwise]:
        """The equal orders of what was not written down on the way to a step: each choice of one for each, or all of
        them together.

        Behind weights that were left out as well their rounding drowns in that of the exponentials.
        """
        orders_by_key: list[tuple[str, list[Node]]] = []
        for key in sorted(self.unwritten_behind(step.key, "softmax"), key=self.plan.order.__getitem__):
            entry = self.plan.entries[key]
            if isinstance(entry, Step) and not entry.given and (orders := self.equal(entry)):
                orders_by_key.append((key, [entry.node, *orders]))
        if prod(len(orders) for _, orders in orders_by_key) > MOST_ORDERS:
            return [tuple((key, tuple(orders)) for key, orders in orders_by_key)]
        choices = product(*([(key, (node,)) for node in orders] for key, orders in orders_by_key))
        return list(islice(choices, 1, None))  # without the first, which is every step's own formula
