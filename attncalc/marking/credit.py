"""Marks for the lines of a script, each with its reason.

A line's points are its own (`points: {S: 2}`), else an equal share of its part's, else 1. Of these `METHOD` is for the
method (right from the student's own lines) and the rest for accuracy (right in value, to the digits asked). What
follows from an earlier mistake keeps its points: a mistake is charged once. Where the earlier line shows no work
(`informativeness.py`), nothing is earned by what follows from it. A `rubric:` may say another share for the method,
and what a mistake of the catalogue leaves of the points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..formula.typed_formula import Where
from ..plan import Step
from ..problem.problem import Part
from .line import Line

MOSTLY = Fraction(3, 4)  # so many entries right earn half of the method


@dataclass(frozen=True, slots=True)
class Mark:
    """The marks for a step, and why."""

    earned: Fraction
    out_of: Fraction
    reason: str = ""


REASONS = {
    "right": "",
    "truncated": "",
    "truncated_asked": "the method is right, but the digits are truncated where rounding is required",
    "last_digit": "the method is right, but the last digit is not",
    "inaccurate": "the method is right, but the result is not accurate enough",
    "slip": "the method is right, but for a slip",
    "zeros": "only zeros, where the right numbers are not all 0",
    "untold": "so few digits that a mistake would look the same",
    "shown_later": "so few digits that a mistake would look the same; a later line shows the method",
    "too_coarse": "the method is right, but more decimals are required",
    "carried": "correct, given your earlier numbers; the earlier mistake is charged only once",
    "trivial": "an earlier error made this step trivial",
    "mostly": "most entries are right",
    "picked": "{right} of {count} are right; each counts by itself",
    "wrong": "",
    "rubric": "this mistake leaves {share} of the points",
    "missing": "not answered",
    "partial": "{there} of {asked} entries are answered",
    "implied": "not shown, but implied by your later correct steps",
    "implied_mistaken": "not shown, but implied by a later line, whose mistake was made elsewhere",
    "made_here": "not shown; the mistake that shows in {line} was made here",
    "made_before": "correct but for the mistake in {step}, which is charged only there",
}


DIGITS = {
    "truncated": "the digits are truncated where rounding is required",
    "too_coarse": "more decimals are required",
}


def points_of(part: Part) -> dict[str, Fraction]:
    """Return the points of each asked step of a part."""
    asked = list(dict.fromkeys(request.step for request in part.asked))
    if isinstance(part.points, dict):
        worth = dict.fromkeys(asked, Fraction(0))
        for name, points in part.points.items():
            step = next((a.step for a in part.asked if name in (a.text, a.step)), name)
            worth[step] = worth.get(step, Fraction(0)) + points
        return worth
    total = part.points if part.points is not None else Fraction(len(asked))
    return dict.fromkeys(asked, total / len(asked)) if asked else {}


def mark(
    line: Line | None, worth: Fraction, implied: bool, trivial: bool, stands: str = "", works: bool = True
) -> Mark:
    """Return the points of one step.

    `implied` means that a right later line needs the step, `trivial` that it follows from a line without work. `stands`
    is a key of `REASONS` that says why only the accuracy of a wrong line is lost. `works` means that the line shows
    work.
    """
    if line is None or not line.filled.cells:
        return Mark(worth, worth, REASONS["implied"]) if implied else Mark(Fraction(0), worth, REASONS["missing"])
    share = answered(line)
    if line.is_uninformative:  # R1c: its method is shown by a later line, or not at all
        if not implied:
            return Mark(Fraction(0), worth, REASONS["zeros" if line.verdict == "missing" else "untold"])
        return Mark(worth * share * line.part.rubric.method, worth, REASONS["shown_later"])
    if trivial:  # nor is most of it right by work
        return Mark(Fraction(0), worth, REASONS["wrong" if line.verdict == "wrong" else "trivial"])
    if share < 1:
        whole = _of_line(line, worth, stands, works)
        return Mark(whole.earned * share, worth, "; ".join(filter(None, (whole.reason, _part_of(line)))))
    return _of_line(line, worth, stands, works)


def _part_of(line: Line) -> str:
    asked = asked_cells(line.part, line.step)
    return REASONS["partial"].format(there=len(asked & set(line.filled.cells)), asked=len(asked))


def _of_line(line: Line, worth: Fraction, stands: str, works: bool) -> Mark:
    method = line.part.rubric.method
    match line.verdict:
        case "right":
            return Mark(worth, worth)
        case "truncated":
            asked = line.part.rounding_stated
            return Mark(worth * method if asked else worth, worth, REASONS["truncated_asked" if asked else "truncated"])
        case "last_digit" | "too_coarse":
            return Mark(worth * method, worth, REASONS[line.verdict])
        case "carried":
            digits = _of_line(replace(line, verdict=line.digit_verdict), worth, stands, works)
            return Mark(
                digits.earned, worth, "; ".join(filter(None, (REASONS["carried"], DIGITS.get(line.digit_verdict))))
            )
    if stands:
        return Mark(worth * method, worth, REASONS[stands])
    count = len(line.reading.values) if line.reading else 0
    if (
        line.is_index_valued and 0 < len(line.cells) < count
    ):  # R1b: another index or id is wrong, however near its number
        right = count - len(line.cells)
        return Mark(worth * right / count, worth, REASONS["picked"].format(right=right, count=count))
    if (
        count
        and works
        and not line.is_index_valued
        and Fraction(count - len(line.incorrect_entries or line.cells), count) >= MOSTLY
    ):
        return Mark(worth * method / 2, worth, REASONS["mostly"])
    return Mark(Fraction(0), worth)


def by_rubric(given: Mark, line: Line, codes: Iterable[str]) -> Mark:
    """Return the points that the part's rubric leaves to a wrong line with a named cause; of several causes the mildest
    counts.
    """
    shares = [line.part.rubric.mistakes[code] for code in codes if code in line.part.rubric.mistakes]
    if not shares or line.verdict != "wrong":
        return given
    return Mark(given.out_of * answered(line) * max(shares), given.out_of, REASONS["rubric"].format(share=max(shares)))


def asked_cells(part: Part, step: Step) -> set[Where]:
    """Return the asked entries of a step; all if it is asked as a whole, or not by name."""
    n, m = step.shape
    slices = [request for request in part.asked if request.step == step.name]
    cells = {
        (i, j)
        for request in slices
        for i in (range(n) if request.rows is None else request.rows)
        for j in (range(m) if request.columns is None else request.columns)
    }
    return cells or {(i, j) for i in range(n) for j in range(m)}


def answered(line: Line) -> Fraction:
    """Return the share of the asked entries that are answered."""
    asked = asked_cells(line.part, line.step)
    return Fraction(len(asked & set(line.filled.cells)), len(asked))
