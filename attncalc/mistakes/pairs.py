"""Two mistakes within one step: the formulas that they make of it together, found once for a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log2

from ..formula.node import Node
from ..formula.tree import Tree
from .model import Mistake, fitting
from .site import Site

MOST_PAIRS = 600


@dataclass(frozen=True, slots=True)
class Pair:
    """Two mistakes and the formula with both in it; `bits` is what they cost among all pairs of the step."""

    first: Mistake
    second: Mistake
    node: Node
    bits: float


class Pairs:
    """The pairs of a step; `least` is what the likeliest two would cost, known before any formula is made."""

    def __init__(self, site: Site, mistakes: list[Mistake]):
        self.site = site
        self.mistakes = fitting(site, mistakes)
        self.singles = [(m, part, tree) for m in self.mistakes for part, tree in m.changes(site)]
        self.total = sum(m.weight for m, _, _ in self.singles) ** 2 / 2
        most = max((m.weight for m in mistakes), default=1)
        self.least = log2(self.total / most**2) if self.singles else float("inf")
        self._found: list[Pair] | None = None

    @property
    def found(self) -> list[Pair]:
        """The pairs that differ, worked out once."""
        if self._found is None:
            self._found = list(self.different())
        return self._found

    def different(self) -> Iterator[Pair]:
        """Each two with each formula once, in either order; not what one mistake makes alone, or what is right after
        all.
        """
        site = self.site
        nodes: dict[Tree, Node | None] = {site.whole(part, tree): None for _, part, tree in self.singles}
        nodes[site.step.tree] = None
        seen: set[tuple[frozenset[str], Tree]] = set()
        for first, part, tree in self.singles:
            again = site.changed(part, replace(site.step, tree=site.whole(part, tree)))
            for second in fitting(again, self.mistakes):
                for both in second.trees(again) if second.code != first.code else ():
                    if both not in nodes:
                        nodes[both] = again.node(both)
                    node, two = nodes[both], (frozenset((first.code, second.code)), both)
                    if node is None or two in seen:
                        continue
                    seen.add(two)
                    yield Pair(first, second, node, log2(self.total / (first.weight * second.weight)))
                    if len(seen) > MOST_PAIRS:
                        return
