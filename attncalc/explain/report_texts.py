"""Every sentence that a report says to people, in one place: encouraging and exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..mark.report import Report, StepReport

YOURS = "yours"
RIGHT = "right"
RIGHT_FROM_START = "from right lines"
RIGHT_ENTRY = "right: {place}"
MOST_PLACES = 4

VERDICTS = {
    "right": "right",
    "truncated": "right, but cut instead of rounded",
    "last_digit": "right but for the last digit",
    "too_coarse": "right as far as it goes; more digits are asked",
    "carried": "follows from what went wrong before, and is right from there",
    "wrong": "here something went wrong",
    "missing": "not answered",
}


def number(points: Fraction) -> str:
    """`7`, `2.5`, `0.33`"""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def score(earned: Fraction, out_of: Fraction) -> str:
    return f"{number(earned)} of {number(out_of)}" if out_of else ""


def summary(report: Report, student: str | None) -> str:
    """The first sentence: how it went."""
    who = f"{student}: " if student else ""
    marks = f"{number(report.earned)} of {number(report.out_of)} points"
    first = report.first_wrong
    steps = [s for s in report.steps if s.verdict != "missing"]
    missing = len(report.steps) - len(steps)
    if first is not None:
        right = sum(s.verdict not in ("wrong", "carried") for s in steps)
        carried = sum(s.verdict == "carried" for s in steps)
        follows = f" {_steps(carried)} after it {'is' if carried == 1 else 'are'} right from there on." if carried else ""
        where = f"{first.step.part}.{first.step.name}" if first.step.part else first.step.name
        return f"{who}{marks}. {right} of {_steps(len(steps))} right; the first break is at {where}.{follows}"
    if not steps:
        return f"{who}{marks}. Nothing is answered yet."
    left = f" {_steps(missing)} not answered." if missing else ""
    return f"{who}{marks}. Everything that is answered is right.{left}" if missing else f"{who}{marks}. Everything is right."


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def together(steps: Sequence[StepReport], what: str) -> str:
    """Steps of which the same is to be said, in one line."""
    names = ", ".join(s.step.name for s in steps)
    earned, out_of = (sum((getattr(s.mark, kind) for s in steps), Fraction(0)) for kind in ("earned", "out_of"))
    points = f" ({score(earned, out_of)})" if out_of else ""
    return f"{names}: {what}{points}"


def several(count: int) -> str:
    return f"These numbers fit {count} explanations alike:"


def before(name: str) -> str:
    return f" (in {name}, which is not written down)"


def places(found: StepReport, place: Callable[[int, int], str], hints: bool) -> str:
    """Where to look, when the evidence for a cause is thin."""
    cells = found.cells
    shown = [_distance(c.typed, c.from_own, place(c.row, c.column), hints) for c in cells[:MOST_PLACES]]
    more = f", and {len(cells) - MOST_PLACES} more" if len(cells) > MOST_PLACES else ""
    return f"Look again at {'; '.join(shown)}{more}."


def _distance(typed: str, right: str, where: str, hints: bool) -> str:
    try:
        gap = Fraction(typed) - Fraction(right)
    except ValueError:
        return where
    if hints or not gap:
        return f"{where}, which is too {'large' if gap > 0 else 'small'}" if gap else where
    decimals = max(len(typed.partition(".")[2]), len(right.partition(".")[2]))
    return f"{where}, which is {abs(float(gap)):.{min(decimals, 12)}f} too {'large' if gap > 0 else 'small'}"


def last_digits(found: StepReport, place: Callable[[int, int], str], hints: bool) -> str:
    cells = found.cells[:MOST_PLACES]
    if hints:
        return f"Check the last digit of {', '.join(place(c.row, c.column) for c in cells)}."
    return "; ".join(f"{place(c.row, c.column)}: {c.typed}, rounded {c.right}" for c in cells)
