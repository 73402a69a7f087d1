"""Figures of a class: first errors, mistakes, and the difficulty and discrimination of each step.

Facility of a step: the mean share of its marks, over the scripts in which it is marked. Discrimination: the correlation
of a step's marks with the marks of the rest of the paper (corrected point-biserial: Pearson's r, which is the
point-biserial coefficient where a step is all or nothing). A count from 1 to 4 is hidden, and where only one count of a
list that adds up is hidden, the next smallest is hidden with it, since the sum would reveal it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from statistics import median

from .graded_script import PARTLY, UNREAD, WRONG, GradedScript, NamedMistakes
from .group_statistics import (
    LEAST,
    Bin,
    GroupFigures,
    by_question,
    by_variant,
    counted_mistakes,
    deviation,
    histogram,
    mean,
    shares_and_discrimination,
)

RIGHT, MISSING = "without a wrong step", "nothing answered"


@dataclass(slots=True)
class StepFigures:
    """Statistics of one step; None for fewer than five scripts, or if all marks are equal."""

    step: str
    out_of: Fraction
    facility: Fraction | None = None
    discrimination: Fraction | None = None
    first_errors: int | None = 0  # a step alone can be the first error, not a question that is ticked or marked by hand
    wrong_ticks: int | None = 0  # wholly or in part; of a question with options
    answered: bool = True  # in some script: of what nobody answers, or no column holds, nobody knows how hard it is


@dataclass(slots=True)
class ClassFigures:
    """Statistics of a class. A count of None is hidden: it is from 1 to 4, or would reveal such a count."""

    title: str
    scripts: int
    failed: int
    needs_review: int = 0  # graded, and to be looked at by a person
    absent: int = 0  # students whose rows are empty, or who are excused
    round_to: Fraction = Fraction(0)  # the step to which the points of a script are rounded
    unmarked: int = 0  # graded, and points by hand are still missing: the figures are of the rest
    mean: Fraction | None = None
    median: Fraction | None = None
    spread: Fraction | None = None
    steps: list[StepFigures] = field(default_factory=list)
    ends: dict[str, int | None] = field(default_factory=dict)
    mistakes: list[tuple[NamedMistakes, int | None]] = field(default_factory=list)
    questions: list[GroupFigures] = field(default_factory=list)
    variants: list[GroupFigures] = field(default_factory=list)
    bins: list[Bin] = field(default_factory=list)
    grades: dict[str, int | None] = field(default_factory=dict)


def figures(rows: list[GradedScript], steps: list[str], title: str, grades: Iterable[str] = ()) -> ClassFigures:
    """Return the statistics of a class; ungraded scripts only count as failed, and absent students
    are only counted. `grades` are those of a scale."""
    there = [row for row in rows if not row.absence]
    graded = [row for row in there if not row.error]
    class_figures = ClassFigures(title, len(there), len(there) - len(graded), sum(row.needs_review for row in graded))
    class_figures.absent = len(rows) - len(there)
    class_figures.round_to = max((row.round_to for row in graded), default=Fraction(0))
    class_figures.unmarked = sum(bool(row.unmarked) for row in graded)
    totals = [(row.earned, row.marked) for row in graded]  # sums over all steps, which every step is held against
    shares = [earned / marked for earned, marked in totals if marked]
    if len(shares) >= LEAST:
        class_figures.mean, class_figures.median, class_figures.spread = mean(shares), median(shares), deviation(shares)
    first_errors = Counter(_end(row) for row in graded)
    ticks = Counter(name for row in graded for name, state in row.question_states.items() if state in (WRONG, PARTLY))
    counts = hidden({name: first_errors[name] for name in [*dict.fromkeys([*steps, *first_errors])]})
    class_figures.ends = {name: counts[name] for name in (RIGHT, MISSING) if name in counts}
    class_figures.steps = [
        _step(step, graded, totals, counts.get(step, 0), None if 0 < ticks[step] < LEAST else ticks[step])
        for step in [*steps, *(s for s in first_errors if s not in (*steps, RIGHT, MISSING))]
    ]
    class_figures.mistakes = mistakes_of(graded)
    class_figures.questions, class_figures.variants = by_question(graded), by_variant(graded)
    class_figures.bins = histogram(shares)
    given = Counter(row.grade for row in graded if row.grade)
    class_figures.grades = hidden({grade: given[grade] for grade in dict.fromkeys([*grades, *given])}) if given else {}
    return class_figures


def _end(row: GradedScript) -> str:
    """Return the step of the first error; RIGHT or MISSING if there is none."""
    answered = any(verdict != "missing" for verdict in row.verdicts.values())
    return row.first_wrong or (RIGHT if answered else MISSING)


def hidden(counts: dict[str, int]) -> dict[str, int | None]:
    """Hide counts from 1 to 4; if only one is hidden, hide the next smallest too, since the sum would reveal it."""
    small = {name for name, count in counts.items() if 0 < count < LEAST}
    if len(small) == 1 and (rest := [name for name, count in counts.items() if count and name not in small]):
        small.add(min(rest, key=lambda name: counts[name]))
    return {name: None if name in small else count for name, count in counts.items()}


def _step(
    step: str,
    graded: list[GradedScript],
    totals: list[tuple[Fraction, Fraction]],
    first_errors: int | None,
    ticks: int | None,
) -> StepFigures:
    worth = next((most for row in graded if (most := row.out_of.get(step))), Fraction(0))
    having = [
        (*total, row.marks.get(step, Fraction(0)), row.out_of[step])
        for row, total in zip(graded, totals, strict=True)
        if row.out_of.get(step) and step not in row.unmarked
    ]
    there = any(map(partial(_is_answered, step=step), graded))
    step_figures = StepFigures(step, worth, first_errors=first_errors, wrong_ticks=ticks, answered=there)
    if len(having) >= LEAST:
        shares, step_figures.discrimination = shares_and_discrimination(having)
        step_figures.facility = mean(shares)
    return step_figures


def _is_answered(row: GradedScript, step: str) -> bool:
    """True if a script contains an answer to a step, or has points for it."""
    unread = {name.partition("[")[0] for name in row.unreadable_steps}
    is_unread = row.question_states.get(step) == UNREAD or step in unread
    return is_unread or row.verdicts.get(step, "missing") != "missing" or bool(row.marks.get(step))


def mistakes_of(graded: Iterable[GradedScript]) -> list[tuple[NamedMistakes, int | None]]:
    """Return each mistake, or set of indistinguishable mistakes, with its number of scripts."""
    seen = counted_mistakes(row.codes for row in graded)
    return [(name, count if count >= LEAST else None) for name, count in sorted(seen.items(), key=_most_first)]


def _most_first(item: tuple[NamedMistakes, int]) -> tuple[int, NamedMistakes]:
    """Return a sort key: frequent mistakes first, hidden counts alphabetically so that order does not reveal them."""
    named, count = item
    return (-count if count >= LEAST else 0, named)


def steps_of(rows: Iterable[GradedScript], first: Iterable[str]) -> list[str]:
    """Return all steps with points, those of the first variant first."""
    steps = dict.fromkeys(first)
    for row in rows:
        steps |= dict.fromkeys(row.out_of)
    return list(steps)
