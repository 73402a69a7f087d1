"""The result of grading one script, as plain numbers and texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..explain.document import Document
from ..marking.credit import rounded

# What is said of an own question.
RIGHT, PARTLY, WRONG = "right", "partly right", "wrong"
ABSENT, EXCUSED = "absent", "excused"  # states of a student whose row in a class table is empty
EMPTY, UNREAD, OPEN, BY_PERSON = "not answered", "could not be read", "not yet marked", "marked by a person"


@dataclass(frozen=True, slots=True, order=True)
class NamedMistakes:
    """The codes of the mistakes that explain a step: one of them was made, or all of them `together`."""

    codes: tuple[str, ...]
    together: bool = False

    def __str__(self) -> str:
        return (" and " if self.together else " or ").join(self.codes)


@dataclass(slots=True)
class GradedScript:
    """The result of grading one script. `error`: why it was not graded. Steps are named by keys (`masked.S`)."""

    student: str
    file: str
    variant: str = ""
    marks: dict[str, Fraction] = field(default_factory=dict)
    out_of: dict[str, Fraction] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    first_wrong: str = ""
    codes: list[tuple[str, NamedMistakes]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    error: str = ""
    feedback: str | bytes | Document | None = None  # the student's page, or a part of one page for all
    unread: list[str] = field(default_factory=list)  # what was left out, with its places
    unreadable_steps: list[str] = field(default_factory=list)  # the steps that could not be read completely
    manual_changes: list[str] = field(default_factory=list)  # what a person changed, and why
    table_warnings: list[str] = field(default_factory=list)  # what is wrong with the table that it stands in
    plausible_first_lines: list[bool] = field(default_factory=list)  # whether each part's first line is of this paper
    needs_review: bool = False  # a person should look at it
    question_states: dict[str, str] = field(default_factory=dict)  # how questions without steps went: RIGHT, EMPTY ...
    question_feedback: dict[str, list[str]] = field(default_factory=dict)  # to those who ticked something wrong
    grade: str = ""  # by a scale
    version: str = ""  # that the paper has in common with others
    name: str = ""  # of the student, where the table of the class has it
    round_to: Fraction = Fraction(0)  # the step to which the points of the script are rounded; 0 rounds nothing
    absence: str = ""  # ABSENT or EXCUSED: nothing is marked
    notices: list[str] = field(default_factory=list)  # what a person should still look at, in words for the student
    first_error: str = ""  # the reason for the verdict on the first wrong step
    wrong_entries: dict[str, list[str]] = field(default_factory=dict)  # of each wrong step, by their columns
    lost_points: list[str] = field(default_factory=list)  # each step without all its points, and the reason

    @property
    def status(self) -> str:
        """`graded`, `look` (a person should review it), `not graded`, `absent` or `excused`."""
        return "not graded" if self.error else self.absence or ("look" if self.needs_review else "graded")

    @property
    def is_blank(self) -> bool:
        """True if nothing is answered and nothing is unreadable."""
        is_empty = {*self.verdicts.values()} == {"missing"} and {*self.question_states.values()} <= {EMPTY, OPEN}
        return not self.error and not self.unreadable_steps and is_empty

    @property
    def unmarked(self) -> list[str]:
        """Questions that still need points from a person."""
        return [name for name, state in self.question_states.items() if state == OPEN]

    @property
    def exact(self) -> Fraction:
        """Sum of the marks of all steps, not rounded."""
        return sum(self.marks.values(), Fraction(0))

    @property
    def earned(self) -> Fraction:
        """Sum of the marks of all steps, rounded last."""
        return rounded(self.exact, self.round_to, self.most)

    @property
    def most(self) -> Fraction:
        return sum(self.out_of.values(), Fraction(0))

    @property
    def marked(self) -> Fraction:
        return self.most - sum((self.out_of[name] for name in self.unmarked), Fraction(0))
