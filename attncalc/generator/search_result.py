"""Results of a search: variants, the tally of their draws, and the calibration of a kind of problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .distinguishability import Certificate
from .workload import Cost

Texts = dict[str, list[list[str]]]


@dataclass(slots=True)
class DrawnVariant:
    """A problem that meets the requirements: entries as texts, labels, certificate and cost."""

    number: int
    entries: Texts
    words: dict[str, list[str]]
    certificate: Certificate
    cost: Cost
    draws: int


@dataclass(slots=True)
class Tally:
    """Outcomes of drawn problems: accepted, or failed by the first requirement that was not met.

    `redraws` counts givens that were drawn again on the way.
    """

    accepted: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    redraws: Counter[str] = field(default_factory=Counter)

    @property
    def draws(self) -> int:
        return self.accepted + self.failed.total()

    @property
    def faults(self) -> int:
        """Number of rejected draws, of complete problems and of single givens."""
        return self.failed.total() + self.redraws.total()

    @property
    def share(self) -> float:
        return self.accepted / self.draws if self.draws else 0.0


class Calibration(NamedTuple):
    """Statistics of a sample of draws without a work limit."""

    target: float  # median cost; a variant may differ from it by the margin
    sample: tuple[Cost, ...] = ()
    # Mistakes that never change enough entries to be named; variants need not name them: two tokens under a causal mask
    # have only one row of weights with information.
    nameless: frozenset[tuple[str, str]] = frozenset()
