"""One answered line, the values that it may carry forward, and scenarios, which choose among these values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..arithmetic.intervals.intermediate_rounding import IntermediateRounding
from ..arithmetic.intervals.scalar import Box, Interval
from ..formula.typed_formula import Node, Where
from ..plan import Step
from ..problem.problem import Part
from ..submissions.step_matching import Filled
from .legality import LegalDerivation, is_open
from .precision import Reading

Verdict = Literal["right", "truncated", "last_digit", "too_coarse", "carried", "wrong", "missing"]


@dataclass(slots=True)
class Line:
    """One answered step: its verdict and what explains it."""

    step: Step
    part: Part
    filled: Filled
    verdict: Verdict = "wrong"
    reading: Reading | None = None
    readings: list[Reading] = field(default_factory=list)  # the ways to read it
    accepted: LegalDerivation | None = None
    digit_verdict: Verdict = "right"  # of an accepted line: right, truncated (where rounding is asked) or too_coarse
    is_uninformative: bool = False  # the step decides too few of its digits (C), or none (U)
    like_mistakes: tuple[str, ...] = ()  # mistakes that also give the numbers of an accepted, coarse line (R1c)
    is_undefined: bool = False  # the lines before have no value here, so that any number would follow (U)
    is_index_valued: bool = False  # indices or ids, each of which is right or wrong by itself (R1b)
    cells: list[Where] = field(default_factory=list)
    incorrect_entries: list[Where] = field(default_factory=list)  # `cells`, and entries that are right but too coarse
    near: dict[Where, Interval] = field(default_factory=dict)  # what is carried of an entry typed as 0 if it is not 0

    @property
    def key(self) -> str:
        return self.step.key

    @property
    def weak(self) -> bool:
        """Return whether the accepted numbers say little: see `is_weak`."""
        return self.accepted is not None and self.accepted.weak

    @property
    def open(self) -> bool:
        """Return whether almost any number would have been accepted: see `is_open`."""
        return self.accepted is not None and is_open(self.accepted.reading, self.accepted.box)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judged line with the enclosures that it may carry forward, the likeliest first; None for a blank line."""

    line: Line
    carried: Sequence[Box] | None = None


Source = Callable[[str, IntermediateRounding], Box]
# Replacement formulas of steps; several formulas of a step stand for the hull of their results
FormulaChoices = tuple[tuple[str, tuple[Node, ...]], ...]


@dataclass(slots=True, eq=False)
class CarryScenario:
    """One assignment of carried-forward enclosures to the lines of a script, with memoised values derived from it.
    Equality is identity.
    """

    values: dict[str, Box] = field(default_factory=dict)  # of each written line
    # Entries that were left out and were not noted as 0 where they are positive (`zeros_under_logarithms.py`)
    positive: frozenset[tuple[str, Where]] = frozenset()
    unwritten: dict[tuple[str, FormulaChoices, str, IntermediateRounding], Box] = field(default_factory=dict)
    expected: dict[str, Box] = field(default_factory=dict)  # what a line should be
