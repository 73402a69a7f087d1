"""A sheet under stress: what many drawn variants are like, before a student sees one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from flint import arb

from ..arithmetic.matrices import is_infinite
from ..errors import AttncalcError
from ..generator.certificate import Certificate
from ..generator.choices import choices_of
from ..generator.cost import Cost
from ..generator.lint import lint
from ..generator.looks import AnswerCues, guess_rate
from ..generator.quality import DEMANDS, findings
from ..generator.search import Search
from ..generator.texts import canonical
from ..generator.view import NumericView
from ..problem.file import build_problem
from .codes import number
from .model import Question, Sheet

CHOICES = 4  # answers of a question with choices, when it is asked how well they can be guessed
MOST_UNSCREENED = 200  # draws that show how different variants would be without screening
MOST_GUESSED = 200  # variants for which choices are made
MARGIN = 0.1  # of work between questions of which none is drawn

Start = Callable[[int], Callable[[], None]]  # how a bar begins, of so many, and what moves it on


@dataclass(slots=True)
class Stressed:
    """What was found about one question."""

    label: str
    lesson: str
    count: int = 0
    draws: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    costs: list[float] = field(default_factory=list)
    kept: list[Cost] = field(default_factory=list)
    unscreened: list[Cost] = field(default_factory=list)  # of draws that are held to no work
    magnitudes: dict[str, list[float]] = field(default_factory=dict)
    disputes: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    alike: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    guesses: Counter[str] = field(default_factory=Counter)
    guessed: int = 0

    @property
    def share(self) -> float:
        """The share of draws that was kept."""
        return self.count / self.draws if self.draws else 0.0

    @property
    def sound(self) -> bool:
        """Whether nothing was found that would lead to a dispute."""
        return not self.disputes and not self.hidden


@dataclass(frozen=True, slots=True)
class Fixed:
    """A question that is not drawn: the problem's name, how much `attncalc lint` finds in it, and its work."""

    label: str
    problem: str
    findings: int
    cost: float
    unworkable: tuple[str, ...] = ()  # why steps cannot be worked out


@dataclass(frozen=True, slots=True)
class Uneven:
    """A question whose alternatives differ in work by more than the margin: the median work of each by its label and
    name.
    """

    margin: float
    costs: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Stress:
    """What was found about a sheet: its questions that are drawn, those that are fixed, and those that differ in work
    from their others.
    """

    sheet: Sheet
    questions: list[Stressed]
    fixed: list[Fixed]
    uneven: list[Uneven]

    @property
    def sound(self) -> bool:
        """Whether every step can be worked out and nothing was found that would lead to a dispute."""
        return all(one.sound for one in self.questions) and not any(one.unworkable for one in self.fixed)


def stress(sheet: Sheet, count: int, start: Start = lambda total: lambda: None) -> Stress:
    """So many variants of every question that is drawn; `start` is told how many in all, and answers what is called
    after each.

    Raises AttncalcError where a question cannot be drawn.
    """
    drawn = [(label, one.search) for labelled in _labelled(sheet) for label, one in labelled if one.search is not None]
    advance = start(count * len(drawn))
    questions = [_question(sheet, label, search, count, advance) for label, search in drawn]
    fixed = fixed_questions(sheet)
    return Stress(sheet, questions, fixed, uneven_questions(sheet, questions, fixed))


def _labelled(sheet: Sheet) -> Iterator[list[tuple[str, Question]]]:
    """For every question itself, or those that stand for it in one_of, each by its label."""
    for k, question in enumerate(sheet.questions, 1):
        others = [(f"{k}{'abcdefghijklmnopqrstuvwxyz'[j % 26]}", other) for j, other in enumerate(question.others)]
        yield others or [(f"{k}", question)]


def _question(sheet: Sheet, label: str, search: Search, count: int, advance: Callable[[], None]) -> Stressed:
    found = Stressed(label, search.spec.lesson)
    before = Counter(search.tally.failed)
    seen: set[int] = set()
    for k in range(count):
        search.seen.clear()
        variant = search.variant(number(sheet.key, "stress", label, k))
        found.count += 1
        found.draws += variant.draws
        found.costs.append(variant.cost.total)
        found.kept.append(variant.cost)
        _certified(found, variant.certificate)
        view = search.fill(variant.entries)
        _magnitudes(found, view)
        _disputes(found, view)
        alike = canonical(variant.entries)
        found.repeated += alike in seen
        seen.add(alike)
        if k < MOST_GUESSED:
            _guess(found, search, variant)
        advance()
    found.failed = search.tally.failed - before
    found.unscreened = list(search.sample_costs(min(count, MOST_UNSCREENED)))
    return found


def _certified(found: Stressed, certificate: Certificate) -> None:
    found.hidden.update(certificate.codes("hidden"))
    found.same.update(certificate.codes("same"))
    found.alike.update(" = ".join(codes) for codes in certificate.alike)


def _magnitudes(found: Stressed, view: NumericView) -> None:
    """The largest number of every step."""
    for step in view.steps:
        sizes = [
            float(arb(abs(cell[0])))
            for row in view.full(step.key)
            for cell in row
            if cell is not None and not is_infinite(cell[0])
        ]
        found.magnitudes.setdefault(step.name, []).append(max(sizes, default=0.0))


def _disputes(found: Stressed, view: NumericView) -> None:
    """Numbers next to a rounding tie, exact or rounded step by step, whatever the sheet lets go."""
    relaxed = frozenset(demand.code for demand in DEMANDS if demand.code != "ties")
    found.disputes.update(finding.step for finding in findings(view, relaxed))


# -- guessing ----------------------------------------------------------------------------------------------------------


def _guess(found: Stressed, search: Search, variant: Any) -> None:
    """How often those who know nothing find the right one of the choices, by what they look at alone."""
    try:
        answers = choices_of(search, variant, CHOICES)["answers"]
    except AttncalcError:
        return  # too few mistakes come to other numbers
    found.guessed += 1
    right = next(k for k, one in enumerate(answers) if one["right"])
    for name, values in AnswerCues([one["matrix"] for one in answers]).values_among(range(len(answers))).items():
        found.guesses[f"most {name}"] += guess_rate(values, right)  # type: ignore[assignment]
        found.guesses[f"least {name}"] += guess_rate([-x for x in values], right)  # type: ignore[assignment]


# -- the sheet as a whole ----------------------------------------------------------------------------------------------


def fixed_questions(sheet: Sheet) -> list[Fixed]:
    """What `attncalc lint` says of the problems that are not drawn."""
    found = []
    for label, question in (one for labelled in _labelled(sheet) for one in labelled):
        if question.fixed is not None:
            source = question.fixed.place.source
            name = source if os.path.isfile(source) else os.path.splitext(source)[0]
            report = lint(build_problem(question.fixed, source, name))
            unworkable = tuple(dict.fromkeys(one.says for one in report.findings if one.demand == "workable"))
            found.append(Fixed(label, name, len(report.findings), report.cost.total, unworkable))
    return found


def uneven_questions(sheet: Sheet, found: list[Stressed], fixed: list[Fixed]) -> list[Uneven]:
    """Where it is luck which of several questions a student gets."""
    costs = {one.label: (f"{one.label} {one.lesson}", median(one.costs)) for one in found if one.costs}
    costs |= {one.label: (f"{one.label} {one.problem}", one.cost) for one in fixed}
    uneven = []
    for labelled in _labelled(sheet):
        margin = max((one.search.spec.margin for _, one in labelled if one.search is not None), default=MARGIN)
        there = tuple(costs[label] for label, _ in labelled if label in costs)
        if len(there) > 1 and max(cost for _, cost in there) > (1 + margin) * min(cost for _, cost in there):
            uneven.append(Uneven(margin, there))
    return uneven
