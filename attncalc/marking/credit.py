"""Marks for the lines of a script, each with its reason.

A line's points are its own (`points: {S: 2}`), else an equal share of its part's, else 1. Of these `METHOD` is for the
method (right from the student's own lines) and the rest for accuracy (right in value, to the digits asked). What
follows from an earlier mistake keeps its points: a mistake is charged once. Where the earlier line shows no work
(`informativeness.py`), nothing is earned by what follows from it. A `rubric:` may say another share for the method,
and what a mistake of the catalogue leaves of the points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from ..formula.typed_formula import Where
from ..plan import Step
from ..problem.problem import Part
from .line import Line

MOSTLY = Fraction(3, 4)  # so many entries right earn half of the method


class Reason(StrEnum):
    """Why a step has its points. `explain.report_messages.REASON_SENTENCES` has a sentence for each."""

    TRUNCATED = "truncated"
    TRUNCATED_CARRIED = "truncated_carried"
    LAST_DIGIT = "last_digit"
    INACCURATE = "inaccurate"
    SLIP = "slip"
    ZEROS = "zeros"
    UNINFORMATIVE = "uninformative"
    UNDEFINED = "undefined"
    SHOWN_LATER = "shown_later"
    TOO_COARSE = "too_coarse"
    TOO_COARSE_CARRIED = "too_coarse_carried"
    CARRIED = "carried"
    TRIVIAL = "trivial"
    MOSTLY = "mostly"
    PICKED = "picked"
    RUBRIC = "rubric"
    MISSING = "missing"
    PARTIAL = "partial"
    IMPLIED = "implied"
    IMPLIED_MISTAKEN = "implied_mistaken"
    MADE_HERE = "made_here"
    MADE_BEFORE = "made_before"
    UNUSABLE = "unusable"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Because:
    """A reason for the points of a step, with the parameters of its sentence."""

    reason: Reason
    parameters: dict[str, object] = field(default_factory=dict)


def because(reason: Reason, **parameters: object) -> tuple[Because, ...]:
    return (Because(reason, parameters),)


@dataclass(frozen=True, slots=True)
class Mark:
    """The marks for a step, and why."""

    earned: Fraction
    out_of: Fraction
    reasons: tuple[Because, ...] = ()


def rounded(x: Fraction, step: Fraction, most: Fraction) -> Fraction:
    """Return points rounded half up to a multiple of `step`, and at most `most`; a step of 0 rounds nothing.

    >>> rounded(Fraction(161, 9), Fraction(1, 2), Fraction(20)), rounded(Fraction(29, 4), Fraction(1), Fraction(29, 4))
    (Fraction(18, 1), Fraction(7, 1))
    """
    return min(most, (x / step + Fraction(1, 2)) // 1 * step) if step else x


# The reasons why a line that follows from a wrong one loses points for its digits
DIGITS = {"truncated": because(Reason.TRUNCATED_CARRIED), "too_coarse": because(Reason.TOO_COARSE_CARRIED)}


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


def shares_left(part: Part) -> dict[Reason, Fraction]:
    """Return the share of a step's points that remains for each reason that takes a share of them."""
    method = part.rubric.method
    whole = dict.fromkeys((Reason.LAST_DIGIT, Reason.TOO_COARSE, Reason.INACCURATE, Reason.SLIP), method)
    return {Reason.TRUNCATED: method if part.rounding_stated else Fraction(1), **whole, Reason.MOSTLY: method / 2}


def mark(
    line: Line | None,
    worth: Fraction,
    implied: bool,
    trivial: bool,
    accuracy_reason: Reason | None = None,
    works: bool = True,
    mistaken: bool = False,
) -> Mark:
    """Return the points of one step.

    `implied` means that a right later line needs the step, `trivial` that it follows from a line without work.
    `accuracy_reason` is the reason why a wrong line loses only its accuracy. `works` means that the line shows work,
    `mistaken` that a mistake of the catalogue explains it.
    """
    if line is None or not line.filled.cells:
        return (
            Mark(worth, worth, because(Reason.IMPLIED))
            if implied
            else Mark(Fraction(0), worth, because(Reason.MISSING))
        )
    share = answered(line)
    if line.is_uninformative:  # R1c: a later line shows its method, or none does
        if not implied or line.verdict == "missing":  # zeros are no answer
            return Mark(Fraction(0), worth, because(_little(line)))
        return Mark(worth * share * line.part.rubric.method, worth, because(Reason.SHOWN_LATER))
    if trivial:  # nor is most of it right by work
        return Mark(Fraction(0), worth, () if line.verdict == "wrong" else because(Reason.TRIVIAL))
    if share < 1:
        whole = _of_line(line, worth, accuracy_reason, works, mistaken)
        return Mark(whole.earned * share, worth, whole.reasons + _part_of(line))
    return _of_line(line, worth, accuracy_reason, works, mistaken)


def _little(line: Line) -> Reason:
    """Return why a line tells nothing."""
    if line.is_undefined:
        return Reason.UNDEFINED
    return Reason.ZEROS if line.verdict == "missing" else Reason.UNINFORMATIVE


def _part_of(line: Line) -> tuple[Because, ...]:
    asked = asked_cells(line.part, line.step)
    return because(Reason.PARTIAL, there=len(asked & set(line.filled.cells)), asked=len(asked))


def _of_line(line: Line, worth: Fraction, accuracy_reason: Reason | None, works: bool, mistaken: bool) -> Mark:
    shares = shares_left(line.part)
    match line.verdict:
        case "right":
            return Mark(worth, worth)
        case "truncated" | "last_digit" | "too_coarse":
            if line.verdict == "truncated" and not line.part.rounding_stated:
                return Mark(worth, worth)
            reason = Reason(line.verdict)
            return Mark(worth * shares[reason], worth, because(reason))
        case "carried":
            digits = _of_line(replace(line, verdict=line.digit_verdict), worth, accuracy_reason, works, mistaken)
            return Mark(digits.earned, worth, because(Reason.CARRIED) + DIGITS.get(line.digit_verdict, ()))
    count = len(line.reading.values) if line.reading else 0
    right = count - len(line.incorrect_entries or line.cells)
    if accuracy_reason is None and line.is_index_valued and 0 < right < count:
        # R1b: another index or id is wrong, however near its number
        return Mark(worth * right / count, worth, because(Reason.PICKED, right=right, count=count))
    if accuracy_reason is None and count and works and not line.is_index_valued and Fraction(right, count) >= MOSTLY:
        # Whether a slip has a name or not, it costs the same; a mistake of the method costs half of it
        accuracy_reason = Reason.MOSTLY if mistaken else Reason.SLIP
    if accuracy_reason is None:
        return Mark(Fraction(0), worth)
    return Mark(worth * shares[accuracy_reason], worth, because(accuracy_reason))


def by_rubric(given: Mark, line: Line, codes: Iterable[str]) -> Mark:
    """Return the points that the rubric leaves to a wrong line with a named cause; the mildest of several counts."""
    shares = line.part.rubric.mistakes
    priced = [code for code in codes if code in shares]
    if not priced or line.verdict != "wrong":
        return given
    mildest = max(priced, key=lambda code: shares[code])
    earned = given.out_of * answered(line) * shares[mildest]
    return Mark(earned, given.out_of, because(Reason.RUBRIC, mistake=mildest, share=shares[mildest]))


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
