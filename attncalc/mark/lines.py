"""One answered line, what it may carry on, and the choices among that: worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..answers.bind import Filled
from ..arithmetic.cells import Box, Interval
from ..arithmetic.working import FULL, Working
from ..formula.node import Node, Where
from ..plan import Step
from ..problem.model import Part
from .accept import LegalDerivation, Refutation
from .reading import Reading


class DeferredAcceptance:
    """A line that is right at a glance, by its first reading, worked in full and rounded (`sure.py`). Its box, and
    whether it is weak, are worked out when they are asked for, which is seldom.
    """

    habit = "round"
    working = FULL

    def __init__(self, reading: Reading, find: Callable[[], LegalDerivation]):
        self.reading = reading
        self.find = find

    @cached_property
    def acceptance(self) -> LegalDerivation:
        """The line accepted in full."""
        return self.find()

    @property
    def box(self) -> Box:
        """The enclosure of the line's own formula."""
        return self.acceptance.box

    @property
    def weak(self) -> bool:
        """Whether almost any number would have been accepted."""
        return self.acceptance.weak


@dataclass(slots=True)
class Line:
    """One answered step: its verdict and what explains it."""

    step: Step
    part: Part
    filled: Filled
    verdict: str = "wrong"
    reading: Reading | None = None
    readings: list[Reading] = field(default_factory=list)  # to read it
    accepted: LegalDerivation | DeferredAcceptance | None = None
    refused: Refutation | None = None
    digit_verdict: str = "right"  # of an accepted line: right, truncated (where rounding is asked) or too_coarse
    is_uninformative: bool = False  # coarse, and a mistake would print the same (R1c)
    is_index_valued: bool = False  # indices or ids, each of which is right or wrong by itself (R1b)
    cells: list[Where] = field(default_factory=list)
    incorrect_entries: list[Where] = field(default_factory=list)  # those, and entries that are right but too coarse
    sure: bool = False  # see `sure.py`

    @property
    def key(self) -> str:
        """The step's key in the plan."""
        return self.step.key

    @property
    def weak(self) -> bool:
        """Whether almost any number would have been accepted."""
        return self.accepted is not None and self.accepted.weak


Source = Callable[[str, Working], Box]
# Steps with formulas in the place of their own; of several, what any of them leads to
Otherwise = tuple[tuple[str, tuple[Node, ...]], ...]


class CarriedEnclosures(list[Box]):
    """The boxes of what a line may carry on; of an entry typed as 0 `near` tells what, where it is not 0."""

    near: dict[Where, Interval]

    def __init__(self, boxes: Iterable[Box], near: dict[Where, Interval]):
        super().__init__(boxes)
        self.near = near


class CarriedValues:
    """A box for each line that was written: the first of those that it may have carried on."""

    def __init__(self, carried: dict[str, Sequence[Box]] | None = None):
        self.carried = {} if carried is None else carried

    def __contains__(self, key: str) -> bool:
        return key in self.carried

    def __getitem__(self, key: str) -> Box:
        return self.carried[key][0]

    def __setitem__(self, key: str, boxes: Sequence[Box]) -> None:
        self.carried[key] = boxes


@dataclass(slots=True)
class CarryScenario:
    """One choice among what the lines of a script may have carried on: a box for each, and what is worked out from
    them.
    """

    values: CarriedValues = field(default_factory=CarriedValues)
    # Entries that were left out and were not noted as 0 where they are positive (`zeros.py`)
    positive: frozenset[tuple[str, Where]] = frozenset()
    unwritten: dict[tuple[str, Otherwise, str, Working], Box] = field(default_factory=dict)
    expected: dict[str, Box] = field(default_factory=dict)  # what a line should be
    # The `Routes` of lines with a mistake's formula, by its identity
    supposed: dict[tuple[int, str], Any] = field(default_factory=dict)
