"""Pairs of mistakes within one step, and the formulas that they produce together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log2

from ..formula.syntax_tree import Tree
from ..formula.typed_formula import Node
from .mistake import Mistake, with_role_in
from .step_analysis import StepAnalysis

MAX_PAIRS = 600


@dataclass(frozen=True, slots=True)
class Pair:
    """Two mistakes and the formula with both; `bits` is the pair's code length among all pairs of the step."""

    first: Mistake
    second: Mistake
    node: Node
    bits: float


class Pairs:
    """Pairs of mistakes in a step; `min_bits` bounds their code length before any formula is built."""

    def __init__(self, site: StepAnalysis, mistakes: list[Mistake]):
        self.site = site
        self.mistakes = with_role_in(site, mistakes)
        self.singles = [(m, part, tree) for m in self.mistakes for part, tree in m.changes(site)]
        self.total = sum(m.weight for m, _, _ in self.singles) ** 2 / 2
        max_weight = max((m.weight for m in mistakes), default=1)
        self.min_bits = log2(self.total / max_weight**2) if self.singles else float("inf")
        self._pairs: list[Pair] | None = None

    @property
    def pairs(self) -> list[Pair]:
        """The distinct pairs, computed once."""
        if self._pairs is None:
            self._pairs = list(self.distinct_pairs())
        return self._pairs

    def distinct_pairs(self) -> Iterator[Pair]:
        """Yield each formula that two mistakes together produce, once; skip those equal to a single mistake or to the
        correct formula.
        """
        site = self.site
        nodes: dict[Tree, Node | None] = {site.replace_part(part, tree): None for _, part, tree in self.singles}
        nodes[site.step.tree] = None
        seen: set[tuple[frozenset[str], Tree]] = set()
        for first, part, tree in self.singles:
            first_site = site.with_rewrite(part, replace(site.step, tree=site.replace_part(part, tree)))
            for second in with_role_in(first_site, self.mistakes):
                for combined in second.trees(first_site) if second.code != first.code else ():
                    if combined not in nodes:
                        nodes[combined] = first_site.node(combined)
                    node, key = nodes[combined], (frozenset((first.code, second.code)), combined)
                    if node is None or key in seen:
                        continue
                    seen.add(key)
                    yield Pair(first, second, node, log2(self.total / (first.weight * second.weight)))
                    if len(seen) > MAX_PAIRS:
                        return
