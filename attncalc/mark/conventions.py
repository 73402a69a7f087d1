"""What a problem file accepts beside its own formulas, in a written line and in the steps that were left out before it."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula.node import Node, needs
from ..mistakes.catalogue import nodes_of
from ..plan import Step
from .sources import Source, Sources
from .uses import has


class Conventions(Sources):
    """The lines of a script, with the formulas that are right as well."""

    def allowed(self, step: Step) -> list[Node]:
        """What the problem file accepts beside a step's own formula: conventions by their codes, and other formulas."""
        codes = self.problem.accept | self.parts[step.key].accept
        return [*(nodes_of(codes, self.site(step)) if codes else ()), *self.alternatives(step)]

    def alternatives(self, step: Step) -> list[Node]:
        """Other formulas of a step that the problem file accepts."""
        return self.parts[step.key].alternatives.get(step.name, [])

    def beside(self, key: str) -> set[str]:
        """The typed lines that other formulas of a step may start from, and those of steps that were left out before it."""
        entries = (self.plan.entries[one] for one in (key, *self.unwritten_behind(key)))
        used = needs([node for entry in entries if isinstance(entry, Step) for node in self.alternatives(entry)])
        return {k for one in used for k in self.behind(one) if k in self.typed}

    def conventions(self, step: Step) -> Iterator[Source]:
        """The student's own lines, with each step that was left out as the problem file accepts it, one at a time."""
        for key in sorted(self.unwritten_behind(step.key), key=self.plan.order.__getitem__):
            entry = self.plan.entries[key]
            if isinstance(entry, Step) and not entry.given:
                for node in self.allowed(entry):
                    yield self.source("own", instead=((key, (node,)),))

    def unwritten_behind(self, key: str, back_to: str = "") -> set[str]:
        """What was not written down on the way to a line, back to the lines that were, and to those that use an operation."""
        seen: set[str] = set()
        stack = [key]
        while stack:
            nearer = self.plan.uses[stack.pop()] - self.typed.keys() - seen
            stack.extend(one for one in nearer if not back_to or not has(self.plan.entries[one].node, back_to))
            seen |= nearer
        return seen

    def uses(self, step: Step, operation: str) -> bool:
        """Whether the line, or one that was not written down on the way to it, uses an operation."""
        return any(has(self.plan.entries[key].node, operation) for key in (step.key, *self.unwritten_behind(step.key)))
