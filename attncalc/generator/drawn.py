"""What a search finds: a problem, how its draws ended, and what variants may cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .certificate import Certificate
from .cost import Cost

Texts = dict[str, list[list[str]]]


@dataclass(slots=True)
class DrawnVariant:
    """One problem that meets the demands: its entries as texts, its words, certificate and cost."""

    number: int
    entries: Texts
    words: dict[str, list[str]]
    certificate: Certificate
    cost: Cost
    draws: int


@dataclass(slots=True)
class Tally:
    """How whole problems ended: kept, or by the first demand that failed; `again` counts the givens drawn again on the
    way to them.
    """

    accepted: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    redraws: Counter[str] = field(default_factory=Counter)

    @property
    def draws(self) -> int:
        """How many whole problems were drawn."""
        return self.accepted + self.failed.total()

    @property
    def faults(self) -> int:
        """How often something was drawn that fails a demand: a whole problem, or a given on the way to one."""
        return self.failed.total() + self.redraws.total()

    @property
    def share(self) -> float:
        """The share of draws that was kept, 0 before the first."""
        return self.accepted / self.draws if self.draws else 0.0


class Calibration(NamedTuple):
    """What the first draws of a kind of problem tell, which are held to no work."""

    target: float  # the middle of what they cost, from which a variant may differ by the margin
    sample: tuple[Cost, ...] = ()
    # Mistakes that never change enough for a name, which is then asked of no variant: two tokens under a causal mask
    # have only one row of weights to tell anything.
    nameless: frozenset[tuple[str, str]] = frozenset()
