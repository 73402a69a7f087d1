"""A checked problem: its plan, the steps that students must answer, and the points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ..arithmetic.rounding import Rounding
from ..errors import Diagnostic, Location
from ..formula.typed_formula import Node
from ..plan import PartPlan, Plan

if TYPE_CHECKING:
    from .random_givens import Draws


class Asked(NamedTuple):
    """A step, or a part of a step such as `Z[0]`, that the student must answer."""

    text: str
    step: str
    rows: tuple[int, ...] | None = None
    columns: tuple[int, ...] | None = None


METHOD = Fraction(3, 4)  # the default share of a step's points


class Rubric(NamedTuple):
    """The division of a step's points.

    `method` is the share for the method; the remaining share is for accuracy. `mistakes` contains the share that
    remains after a mistake, by its code in the catalogue, and `places` the location of each code. The points of a whole
    script are rounded to a multiple of `round_to`; 0 means no rounding.
    """

    method: Fraction = METHOD
    mistakes: Mapping[str, Fraction] = MappingProxyType({})
    places: Mapping[str, Location] = MappingProxyType({})
    round_to: Fraction = Fraction(0)


@dataclass(eq=False, repr=False, slots=True)
class Part:
    """A part of a problem: its plan, its texts and its marking."""

    name: str | None
    plan: PartPlan
    ask: str = ""
    title: str = ""
    note: str = ""
    source: str = ""
    tags: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    asked_stated: bool = False
    points: Fraction | dict[str, Fraction] | None = None
    rounding: Rounding = Rounding()
    carry: str = "full"
    rounding_stated: bool = False
    # Accepted codes of mistakes in the catalogue, with their locations
    accept: dict[str, Location] = field(default_factory=dict)
    # Other correct formulas, by the names of steps
    alternatives: dict[str, list[Node]] = field(default_factory=dict)
    rubric: Rubric = Rubric()
    answer: str = ""

    @property
    def total_points(self) -> Fraction | None:
        return sum(self.points.values(), Fraction(0)) if isinstance(self.points, dict) else self.points


@dataclass(eq=False, repr=False, slots=True)
class Problem:
    """A whole problem file."""

    name: str
    title: str
    plan: Plan
    parts: list[Part]
    columns: bool = False
    rounded_givens: bool = False
    ask: str = ""
    note: str = ""
    source: str = ""
    license: str = ""
    tags: list[str] = field(default_factory=list)
    accept: dict[str, Location] = field(default_factory=dict)
    # Warnings for the author about a problem that can be solved nevertheless
    warnings: list[Diagnostic] = field(default_factory=list)
    draws: Draws | None = None  # set if the file draws its numbers; the numbers of this problem are then an example

    @property
    def carries_rounded(self) -> bool:
        """Whether the file states `carry: printed`, which applies to all of its parts."""
        return any(part.carry == "printed" for part in self.parts)

    @property
    def round_to(self) -> Fraction:
        """The multiple to which a script's points are rounded: the smallest of all parts; 0 means no rounding."""
        return min((part.rubric.round_to for part in self.parts), default=Fraction(0))
