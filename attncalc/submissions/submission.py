"""A script as a student typed it: every entry keeps its text, so that its decimals say how far it was rounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flint import fmpq

from ..errors import MOST_FAULTS, AttncalcError, Diagnostic, Diagnostics, Location, shorten
from ..formula.syntax_tree import Index, Tree
from .located_text import UNREADABLE, Written
from .nearby_words import NEARBY, NearbyText


@dataclass(frozen=True, slots=True)
class Typed:
    """One entry.

    - `value` is set if the text is a rational number (decimal, fraction, scientific), `tree` if it is a constant of
      another kind (`sqrt(2)/2`, `e/(2*e + 1)`).
    - `infinite` is the sign of ±∞, and 0 for every finite number.
    - `decimals` is the place of the last digit: 2 for `0.50`, 4 for `1.5e-3`, −2 for `1.5e3`, which is rounded to
      hundreds. It is None if the text is exact (fractions, closed forms, ±∞).
    - `significant` counts the digits from the first that is not 0. It is None for zero, and if `decimals` is None.
    - `word` says that a word or NaN is in the place of a number.
    - `is_expression` says that it is worked out from decimals, which may be rounded.
    """

    text: str
    value: fmpq | None = None
    tree: Tree | None = None
    infinite: int = 0
    decimals: int | None = None
    significant: int | None = None
    place: Location = Location()
    word: bool = False
    is_expression: bool = False


Rows = tuple[tuple[Typed | None, ...], ...]
Names = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The entries for one step, or for a slice of it: `where` is `A[2]` as a tree. A cell that was left blank is None.

    - `printed` says that a program printed the matrix (dropped zeros are filled up to the longest entry).
    - `computed` is the arithmetic that its print shows (`tensor` is float32, `array` float64).
    - `flat` is a list without rows.
    - `loose` is an answer from free text: a heading may name a part or nothing, and `d_k = 2` may be only a remark.
    - `formula` is in the place of a step's name: `X W_Q` for Q.
    - `rivals` are names and formulas of the same chain of equalities, which must not be those of another step.
    - `factors` are names behind a value of the chain and a sign of a product, which may be a bullet instead.
    - `chained` counts the matrices before this one in its chain.
    - `doubt` is why the entries are not read, and counts if the name is that of a step.
    - `remark` are words behind the matrix.
    - `single` is the one number that the text is if it is an expression, `7 / 4`, and no row with a crossed-out cell.
    - `filled` are the first and the last row, and the first and the last column, of a block that may be the whole
      matrix: around it are empty cells, or rows below a blank line.
    - `commas` says that commas were read as decimal commas, which may be signs between entries.
    - `explains` is of a doubt that may be why the matrix has another shape.
    - `nearby` are texts near the answer that may change it.
    """

    part: str | None
    step: str
    where: Index | None
    rows: Rows
    row_labels: Names = None
    column_labels: Names = None
    printed: bool = False
    place: Location = Location()
    computed: str | None = None
    flat: bool = False
    loose: bool = False
    formula: Tree | None = None
    rivals: tuple[str | Tree, ...] = ()
    factors: tuple[str, ...] = ()
    chained: int = 0
    doubt: Diagnostic | None = None
    remark: str = ""
    explains: bool = False
    single: Typed | None = None
    filled: tuple[int, int, int, int] | None = None
    commas: bool = False
    nearby: tuple[NearbyText, ...] = ()

    def with_nearby(self, *texts: NearbyText) -> Answer:
        """Return the answer with more texts near it."""
        return replace(self, nearby=(*self.nearby, *texts))


@dataclass(frozen=True, slots=True)
class Unread:
    """A piece that a lenient reader could not read: its step, empty if that is not known, and why."""

    step: str
    fault: Diagnostic

    @property
    def is_nearby(self) -> bool:
        """Whether it is beside an answer that counts as it is, so that only a person can tell whether it changes it."""
        return self.fault.code == NEARBY


def crossed_out(text: str, place: Location, what: str = "crossed out") -> Diagnostic:
    """Return a note on a text that is crossed out, a comment, or hidden from those who read the document."""
    return Diagnostic(f"{shorten(' '.join(text.split()), 60)!r} is {what}, so it is not read as an answer", place)


_UNREADABLE = (
    f"expected text, found {{!r}}, in which {UNREADABLE} is a picture, drawing, hidden text or unknown sign; if it "
    "is an answer, type it, such as `S = 0.5`"
)


@dataclass(frozen=True, slots=True)
class Left:
    """A line with numbers of which nothing was made. `doubts` are the script's doubts about this line."""

    text: str
    place: Location
    doubts: tuple[Answer, ...] = ()

    @property
    def note(self) -> Diagnostic:
        """The line, and that it is not read."""
        if UNREADABLE in self.text:
            return Diagnostic(_UNREADABLE.format(shorten(" ".join(self.text.split()), 60)), self.place)
        text = shorten(" ".join(self.text.split()), 60)
        return Diagnostic(f"{text!r} contains numbers, but is not read as an answer", self.place)


@dataclass(frozen=True, slots=True)
class Script:
    """All answers of one student. `source` is the file's name; `computed` is float32 or float64 where the file says so;
    `unread` is what a lenient reader left out.
    """

    problem: str | None
    student: str | None
    computed: str | None
    answers: tuple[Answer, ...]
    source: str
    note: str = ""
    unread: tuple[Unread, ...] = ()
    # What stands for questions that are ticked or answered in words
    words: dict[str, Written] = field(default_factory=dict)
    doubts: tuple[Answer, ...] = ()  # what is not read, and is a fault if it names a step
    crossed: tuple[Diagnostic, ...] = ()  # what is crossed out or stands for a blank, and is no answer
    left: tuple[Left, ...] = ()
    nearby: tuple[NearbyText, ...] = ()  # comments, notes and cells that take an answer back
    may_answer: tuple[Diagnostic, ...] = ()  # unread lines that may answer a question with a letter


# -- unreadable pieces -------------------------------------------------------------------------------------------------


Result = TypeVar("Result")
LONGEST_NAME = 100  # characters of a name that is shown


class Losses:
    """The faults that a reader finds, by the step that they belong to."""

    def __init__(self, lenient: bool = False):
        self.lenient = lenient
        self.faults = Diagnostics()
        self.unread: list[Unread] = []

    def guarded(self, step: str, action: Callable[[], Result]) -> Result | None:
        """Return the result of the action, None if it raised a fault, which is kept."""
        try:
            return action()
        except AttncalcError as error:
            self.extend(step, error)
            return None

    def extend(self, step: str, error: AttncalcError) -> None:
        """Note the faults of a step: as faults, or, where losses are allowed, as entries that could not be read."""
        if not self.lenient:
            self.faults.extend(error)
        elif len(self.unread) < MOST_FAULTS:
            self.unread += [Unread(shorten(step, LONGEST_NAME), fault) for fault in error.faults]

    def note(self, step: str, fault: Diagnostic) -> None:
        """Note a fault that leaves the answer of the step as it is, so that no answer is refused for it."""
        if len(self.unread) < MOST_FAULTS:
            self.unread.append(Unread(shorten(step, LONGEST_NAME), fault))

    def done(self) -> tuple[Unread, ...]:
        """Return all losses. Raises AttncalcError if none is allowed."""
        self.faults.raise_any()
        return tuple(self.unread)
