"""Every sentence that a report says to people, in one place: encouraging and exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import counted, shorten

if TYPE_CHECKING:
    from ..mark.report import CellReport, Report, StepReport

# The names of matrices and of workings side by side: one word each.
YOURS = "yours"
RIGHT = "right"
SOLUTION = "solution"
FOLLOWS = "from your own"
EMPTY = "_"  # an entry that was not typed
NEXT = "comes next"
MARKS = "Marks"
MARKS_HEADS = ("step", "", "points")
ROWS = "Look again at the {} {} of {}."
MIXED = "Each of these numbers is right, but not all are rounded in the same way."
UNREAD = "Not all of {} could be read."
THE_FILE = "the file"
MOST_PLACES = 4
MOST_NAMED = 8  # steps of which the same is said

VERDICTS = {
    "right": "right",
    "truncated": "right, but cut instead of rounded",
    "last_digit": "right but for the last digit",
    "too_coarse": "right as far as it goes; more digits are asked",
    "carried": "right from your own numbers",
    "wrong": "here something went wrong",
    "missing": "not answered",
}
MARKED = {"wrong": "not right yet"}  # in the table of marks
NEARLY = ("last_digit", "truncated", "too_coarse")


def number(points: Fraction) -> str:
    """`7`, `2.5`, `0.33`"""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def score(earned: Fraction, out_of: Fraction) -> str:
    return f"{number(earned)} of {number(out_of)}" if out_of else ""


def summary(report: Report, student: str | None) -> str:
    """The first sentence: how it went."""
    who = f"{student}: " if student else ""
    points = f"{score(report.earned, report.out_of)} point{'s' * (report.out_of != 1)}. " if report.out_of else ""
    return f"{who}{points}{_went(report)}"


def _went(report: Report) -> str:
    unread = list(dict.fromkeys(shorten(one.step) or THE_FILE for one in report.bound.unread))
    more = f" and {len(unread) - MOST_NAMED} more" if len(unread) > MOST_NAMED else ""
    lost = f" {UNREAD.format(', '.join(unread[:MOST_NAMED]) + more)}" if unread else ""
    answered = [s for s in report.steps if s.verdict != "missing"]
    named = {name.partition("[")[0] for name in unread}
    missing = sum(s.verdict == "missing" and not {s.step.key, s.step.name} & named for s in report.steps)
    if not answered:
        return f"{'Nothing could be read.' if unread else 'Nothing is answered yet.'}{lost}"
    left = f"{lost}{f' {_steps(missing)} {_are(missing)} still to do.' if missing else ''}"
    if report.first_wrong is not None:
        return _broke(report, answered) + left
    nearly = sum(s.verdict in NEARLY for s in answered)
    said = "Everything that could be read is right" if unread else "Everything that is answered is right" if missing else "Everything is right"
    digits = f", but for the digits of {_steps(nearly)}" if nearly else ""
    return f"{said}{digits}.{left}"


def _broke(report: Report, answered: Sequence[StepReport]) -> str:
    first = report.first_wrong
    assert first is not None
    wrong = sum(s.verdict == "wrong" for s in answered)
    carried = sum(s.verdict == "carried" for s in answered)
    right = len(answered) - wrong
    where = f"{first.step.part}.{first.step.name}" if first.step.part else first.step.name
    own = f", {carried} of them from your own numbers" if 0 < carried < right else " from your own numbers" if carried else ""
    told = f"{right} of {_steps(len(answered))} {_are(right)} right{own}. " if right else ""
    later = f"; {wrong - 1} later {'step needs' if wrong == 2 else 'steps need'} another look" if wrong > 1 else ""
    return f"{told}The first break is at {where}{later}."


def _steps(count: int) -> str:
    return counted(count, "step")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def together(names: Sequence[str], what: str) -> str:
    """Steps of which the same is to be said, in one line."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}: {what}"


def several(count: int) -> str:
    return f"These numbers fit {count} explanations alike:"


def before(name: str) -> str:
    return f" (in {name}, which is not written down)"


def places(found: StepReport, place: Callable[[int, int], str], hints: bool) -> str:
    """Where to look, when the evidence for a cause is thin: whole rows, else entries and how far off they are."""
    cells, columns = found.cells, found.step.shape[1]
    rows = sorted({c.row for c in cells})
    if columns > 1 and len(cells) == columns * len(rows):
        names = [f"“{found.step.rows[i]}”" if found.step.rows else str(i) for i in rows]
        return ROWS.format("row" if len(rows) == 1 else "rows", _listed(names), found.step.name)
    shown = [_distance(c.typed, c.from_own, place(c.row, c.column), hints) for c in cells[:MOST_PLACES]]
    more = f", and {len(cells) - MOST_PLACES} more" if len(cells) > MOST_PLACES else ""
    return f"Look again at {'; '.join(shown)}{more}."


def _listed(names: Sequence[str]) -> str:
    """`the, cat and sat`"""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


FAR = 10**12  # a distance that nobody reads


def _distance(typed: str, right: str, where: str, hints: bool) -> str:
    try:
        gap = Fraction(typed) - Fraction(right)
    except ValueError:
        return where
    if hints or not gap:
        return f"{where}, which is too {'large' if gap > 0 else 'small'}" if gap else where
    if abs(gap) > FAR:
        return f"{where}, which is far too {'large' if gap > 0 else 'small'}"
    decimals = max(len(typed.partition(".")[2]), len(right.partition(".")[2]))
    size = f"{abs(float(gap)):.{min(decimals, 12)}f}"
    return f"{where}, which is {size.rstrip('0').rstrip('.') if '.' in size else size} too {'large' if gap > 0 else 'small'}"


def same(typed: str, right: str) -> bool:
    """Whether two texts are one number: 2 and 2.00."""
    try:
        return Fraction(typed.replace("−", "-")) == Fraction(right)
    except (ValueError, ZeroDivisionError):
        return typed == right


def last_digits(differing: Sequence[CellReport], cells: Sequence[CellReport], place: Callable[[int, int], str], hints: bool) -> str:
    """The entries whose last digit is another; where none is, those that the lines before lead to otherwise."""
    if hints:
        return f"Check the last digit of {', '.join(place(c.row, c.column) for c in (differing or cells)[:MOST_PLACES])}."
    if differing:
        said = (f"{place(c.row, c.column)} is {c.right} when it is rounded, and {c.typed} stands there" for c in differing[:MOST_PLACES])
        return "; ".join(said)
    led = [c for c in cells if not same(c.typed, c.from_own)][:MOST_PLACES]
    if led:
        return "; ".join(f"{c.typed} is right for {place(c.row, c.column)}, but the lines before it lead to {c.from_own}" for c in led)
    return MIXED
