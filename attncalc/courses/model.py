"""A quiz for a course system: statements and blanks, before any system's own format. What a blank accepts is worked out
once for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from ..explain.document import Document
from ..formula.labels import entry_place
from ..formula.node import Labels
from ..plan import Plan

BINARY = 15  # digits that every binary number of 64 bits holds
_INFINITE = ("inf", "∞", "infinity", "oo", "infty")
_MINUS = ("-", "−", "- ", "− ", "minus ")
# How the infinite numbers may be typed; the first of each is what students are told. Systems ignore whether letters are
# small.
WORDS = {
    "-inf": tuple(sign + word for sign in _MINUS for word in _INFINITE),
    "inf": tuple(sign + word for sign in ("", "+", "+ ", "plus ") for word in _INFINITE),
}


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """One number that a blank knows: what share of its points it earns within the tolerance (inclusive), and what is
    said to it.
    """

    text: str
    tolerance: Fraction
    share: Fraction
    feedback: str = ""

    @property
    def value(self) -> Fraction:
        """The number as a fraction."""
        return Fraction(self.text)

    @property
    def places(self) -> int:
        """Decimals of the number; its tolerance has at most one more."""
        return len(self.text.partition(".")[2])

    @property
    def binary(self) -> Fraction:
        """What the systems' binary arithmetic cannot tell apart about it, which holds fifteen digits."""
        return abs(self.value) * Fraction(1, 10**BINARY)


@dataclass(frozen=True, slots=True)
class Blank:
    """One cell that is asked for. `answers` in the order in which the first that fits counts; `word` where it is
    infinite.
    """

    row: int
    column: int
    points: Fraction
    answers: tuple[AcceptedAnswer, ...] = ()
    word: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A given matrix with its numbers as text."""

    name: str
    cells: tuple[tuple[str, ...], ...]
    rows: Labels = None
    columns: Labels = None


@dataclass(frozen=True, slots=True)
class AskedStep:
    """The blanks of one step, which is called `key` in the plan. Cells that are not asked stay empty."""

    name: str
    shape: tuple[int, int]
    blanks: tuple[Blank, ...]
    rows: Labels = None
    columns: Labels = None
    formula: str = ""
    key: str = ""

    def at(self, i: int, j: int) -> Blank | None:
        """The blank of entry (i, j), None where that is not asked."""
        return next((b for b in self.blanks if (b.row, b.column) == (i, j)), None)

    def place(self, i: int, j: int) -> str:
        """`S[the, cat]`"""
        return self.name + entry_place(self.shape, self.rows, self.columns, i, j)


@dataclass(frozen=True, slots=True)
class Option:
    """One answer of a question with choices, words or a matrix; `feedback` is said to whoever takes it."""

    right: bool
    text: str = ""
    matrix: Matrix | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class PriorPart:
    """A part that a question builds on, so far that one can work it out there: `lead` says which, and `used` are the
    names that stand in the formulas (`a.Z`).
    """

    name: str
    lead: str
    used: tuple[str, ...]
    ask: tuple[str, ...]
    facts: tuple[str, ...]
    givens: tuple[Matrix, ...]
    formulas: tuple[str, ...]


@dataclass(slots=True)
class Question:
    """One part of a problem: its blanks; or `options` to choose from (of which `several` may be right); or an `essay`
    that people mark.

    `worth` are the points of what is chosen or written, `before` the parts it builds on; `solution` works its steps
    out, or some of them; `model_answer` is what those who mark words by hand look for, `formulas` define the steps that
    the blanks use and that are not asked here.
    """

    name: str
    title: str
    ask: tuple[str, ...]
    facts: tuple[str, ...]
    givens: tuple[Matrix, ...]
    asked: tuple[AskedStep, ...]
    prior_parts: tuple[PriorPart, ...] = ()
    options: tuple[Option, ...] = ()
    several: bool = False
    essay: bool = False
    worth: Fraction = Fraction(0)
    solution: Callable[[set[str] | None], Document] | None = None
    model_answer: str = ""
    formulas: tuple[str, ...] = ()

    @property
    def blanks(self) -> list[Blank]:
        """Every blank of the question."""
        return [blank for step in self.asked for blank in step.blanks]

    @property
    def points(self) -> Fraction:
        """The points of all its blanks, or of what is chosen or written."""
        return sum((blank.points for blank in self.blanks), self.worth)


@dataclass(slots=True)
class Quiz:
    """One problem, or one variant of an exam. `lost` says what no course system of this kind can carry.

    `plan` holds the formulas, for systems that calculate.
    `together` asks that a student gets the same variant in all questions, where a system would draw one for each.
    """

    title: str
    code: str
    questions: list[Question] = field(default_factory=list)
    limitations: list[str] = field(default_factory=list)
    together: bool = False
    plan: Plan | None = None


def has_variants(quizzes: list[Quiz]) -> bool:
    """Whether some of them are variants of one problem, which have one title."""
    return len({quiz.title for quiz in quizzes}) < len(quizzes)
