"""A quiz for course systems in a common form: tasks, and answer fields with their accepted answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from ..explain.document import Document
from ..formula.typed_formula import Labels, entry_place
from ..plan import Plan

BINARY = 15  # decimal digits that a 64-bit float keeps
_INFINITE = ("inf", "∞", "infinity", "oo", "infty")
_MINUS = ("-", "−", "- ", "− ", "minus ")
# Accepted spellings of infinite numbers. Students see the first. Course systems ignore case.
WORDS = {
    "-inf": tuple(sign + word for sign in _MINUS for word in _INFINITE),
    "inf": tuple(sign + word for sign in ("", "+", "+ ", "plus ") for word in _INFINITE),
}


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """A number that a field recognises: its tolerance (including the ends), its share of the points, and feedback."""

    text: str
    tolerance: Fraction
    share: Fraction
    feedback: str = ""

    @property
    def value(self) -> Fraction:
        return Fraction(self.text)

    @property
    def places(self) -> int:
        """The decimals of the number. Its tolerance has at most one more."""
        return len(self.text.partition(".")[2])

    @property
    def binary(self) -> Fraction:
        """The error of the number in a system with binary arithmetic, which keeps fifteen digits."""
        return abs(self.value) * Fraction(1, 10**BINARY)


@dataclass(frozen=True, slots=True)
class Blank:
    """The answer field of one entry. The first answer that fits is used. `word` is set for an infinite entry."""

    row: int
    column: int
    points: Fraction
    answers: tuple[AcceptedAnswer, ...] = ()
    word: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix whose numbers are texts."""

    name: str
    cells: tuple[tuple[str, ...], ...]
    rows: Labels = None
    columns: Labels = None

    @property
    def entries(self) -> int:
        return sum(map(len, self.cells))


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of an author's step: its formula, its description, or both."""

    name: str
    formula: str = ""
    means: str = ""

    @property
    def text(self) -> str:
        """The whole line."""
        words = f"{self.name}: {self.means}" if self.means else self.name
        return f"{words}; {self.equation}" if self.means and self.formula else self.equation or words

    @property
    def equation(self) -> str:
        """The equation with the name and the formula; empty if the formula is hidden."""
        return f"{self.name} = {self.formula}" if self.formula else ""


@dataclass(frozen=True, slots=True)
class AskedStep:
    """The answer fields of one step. `key` is its key in the plan. Entries without a field are empty."""

    name: str
    shape: tuple[int, int]
    blanks: tuple[Blank, ...]
    rows: Labels = None
    columns: Labels = None
    definition: Definition | None = None
    key: str = ""

    def at(self, i: int, j: int) -> Blank | None:
        """Return the field of entry (i, j), or None if the entry has no field."""
        return next((b for b in self.blanks if (b.row, b.column) == (i, j)), None)

    def place(self, i: int, j: int) -> str:
        """Return the name of an entry, such as `S[the, cat]`."""
        return self.name + entry_place(self.shape, self.rows, self.columns, i, j)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question with choices: a text or a matrix. Students who choose it see `feedback`."""

    right: bool
    text: str = ""
    matrix: Matrix | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class PriorPart:
    """An earlier part that a question uses, with everything that is necessary to calculate it. `lead` is its
    introduction, and `used` are the names of its steps in formulas (`a.Z`).
    """

    name: str
    lead: str
    used: tuple[str, ...]
    ask: tuple[str, ...]
    facts: tuple[str, ...]
    givens: tuple[Matrix, ...]
    formulas: tuple[Definition, ...]


@dataclass(slots=True)
class Question:
    """One part of a problem: answer fields, `options` (if `several`, more than one can be right), or an `essay`.

    - `worth` are the points of a choice or an essay.
    - `prior_parts` are the earlier parts that the question uses.
    - `solution` returns the worked solution of all steps, or of some.
    - `model_answer` is for people who mark an essay.
    - `formulas` define the steps that are used but not asked.
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
    formulas: tuple[Definition, ...] = ()

    @property
    def blanks(self) -> list[Blank]:
        return [blank for step in self.asked for blank in step.blanks]

    @property
    def points(self) -> Fraction:
        """The points of all fields, or of the choice or essay."""
        return sum((blank.points for blank in self.blanks), self.worth)

    @property
    def entries(self) -> int:
        """The number of answer fields and given entries."""
        options = (option.matrix for option in self.options if option.matrix)
        shown = (*self.givens, *options, *(given for prior in self.prior_parts for given in prior.givens))
        return len(self.blanks) + sum(matrix.entries for matrix in shown)


@dataclass(slots=True)
class Quiz:
    """One problem, or one variant of an exam. `limitations` lists content that no course system supports. `plan` holds
    the formulas for systems that calculate. With `together`, all questions are one, so that a student gets the same
    variant in all of them.
    """

    title: str
    code: str
    questions: list[Question] = field(default_factory=list)
    limitations: list[str] = field(default_factory=list)
    together: bool = False
    plan: Plan | None = None


def blanks_of(quizzes: list[Quiz]) -> list[Blank]:
    """Return the answer fields of all questions."""
    return [blank for quiz in quizzes for question in quiz.questions for blank in question.blanks]


def has_variants(quizzes: list[Quiz]) -> bool:
    """Return whether two quizzes have the same title, so that they are variants of one problem."""
    return len({quiz.title for quiz in quizzes}) < len(quizzes)
