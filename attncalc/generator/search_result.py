"""Results of a search: variants, the tally of their draws, and the calibration of a kind of problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from ..formula import shape_rules as do
from ..formula.elaboration import check
from ..formula.operations import literal
from ..formula.parser import parse
from ..formula.syntax_tree import Name
from ..formula.typed_formula import Node
from ..plan import Given
from .distinguishability import Certificate
from .lesson_recipes import MAX_SORTED_ROWS
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
    seconds: float = 0.0  # of estimated work, which every variant spends that uses the calibration


def literal_of(given: Given, rows: list[list[str]]) -> Node:
    """Return the matrix of a given as a node."""
    entries = [[number(text) for text in row] for row in rows]
    if all(isinstance(x, Fraction) for row in entries for x in row):
        exact = tuple(tuple(x for x in row if isinstance(x, Fraction)) for row in entries)
        return literal(exact, given.rows, given.columns)
    nodes = [[check(parse(text), _refuse_name) for text in row] for row in rows]
    return do.from_entries(nodes, given.rows, given.columns)


@lru_cache(maxsize=4096)
def number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


def _refuse_name(name: str, at: int) -> Node:
    raise KeyError(Name(name))


def canonical(entries: Texts) -> int:
    """Return a key that is equal for problems which differ only in the order of tokens or features of a matrix."""
    matrices = ((name, list(map(tuple, rows))) for name, rows in sorted(entries.items()))
    parts = [(name, tuple(sorted(rows) if len(rows) <= MAX_SORTED_ROWS else rows)) for name, rows in matrices]
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:8], "big")
