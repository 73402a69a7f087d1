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
from ..errors import AttncalcError, counted
from ..explain.document import Block, Cell, Document, Grid, Heading, Matrices, Paragraph
from ..formula.tree import Name
from ..generator.certificate import Certificate
from ..generator.choices import choices_of
from ..generator.lint import lint
from ..generator.looks import Looks, guessed
from ..generator.quality import DEMANDS, findings
from ..generator.search import Search, canonical
from ..generator.view import View
from ..problem.file import build_problem
from .codes import number
from .model import Question, Sheet

CHOICES = 4  # answers of a question with choices, when it is asked how well they can be guessed
MOST_GUESSED = 200  # variants for which choices are made
GIVEN_AWAY = 0.6  # how often a look may find the right choice before that is a warning
MARGIN = 0.1  # of work between questions of which none is drawn
MOST_RULES = 3  # ways to guess that people are told, the best first


@dataclass(slots=True)
class Stressed:
    """What was found about one question."""

    label: str
    lesson: str
    count: int = 0
    draws: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    costs: list[float] = field(default_factory=list)
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
        return self.count / self.draws if self.draws else 0.0

    @property
    def sound(self) -> bool:
        """Whether nothing was found that would lead to a dispute."""
        return not self.disputes and not self.hidden


def stress(sheet: Sheet, count: int, advance: Callable[[], None]) -> list[Stressed]:
    """So many variants of every question that is drawn. Raises AttncalcError where a question cannot be drawn."""
    found = []
    for label, question in drawn_questions(sheet):
        assert question.search is not None
        found.append(_question(sheet, label, question.search, count, advance))
    return found


def drawn_questions(sheet: Sheet) -> Iterator[tuple[str, Question]]:
    yield from ((label, one) for labelled in _labelled(sheet) for label, one in labelled if one.search is not None)


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
    return found


def _certified(found: Stressed, certificate: Certificate) -> None:
    found.hidden.update(certificate.codes("hidden"))
    found.same.update(certificate.codes("same"))
    found.alike.update(" = ".join(codes) for codes in certificate.alike)


def _magnitudes(found: Stressed, view: View) -> None:
    """The largest number of every step."""
    for step in view.steps:
        sizes = [float(arb(abs(cell[0]))) for row in view.full(step.key) for cell in row if cell is not None and not is_infinite(cell[0])]
        found.magnitudes.setdefault(step.name, []).append(max(sizes, default=0.0))


def _disputes(found: Stressed, view: View) -> None:
    """Numbers next to a rounding tie, exact or rounded step by step, whatever the sheet lets go."""
    relaxed = frozenset(demand.code for demand in DEMANDS if demand.code != "ties")
    found.disputes.update(finding.step for finding in findings(view, relaxed))


# -- guessing --------------------------------------------------------------------------------------------------------------


def _guess(found: Stressed, search: Search, variant: Any) -> None:
    """How often those who know nothing find the right one of the choices, by what they look at alone."""
    try:
        answers = choices_of(search, variant, CHOICES)["answers"]
    except AttncalcError:
        return  # too few mistakes come to other numbers
    found.guessed += 1
    right = next(k for k, one in enumerate(answers) if one["right"])
    for name, values in Looks([one["matrix"] for one in answers]).among(range(len(answers))).items():
        found.guesses[f"most {name}"] += guessed(values, right)  # type: ignore[assignment]
        found.guesses[f"least {name}"] += guessed([-x for x in values], right)  # type: ignore[assignment]


# -- the sheet as a whole --------------------------------------------------------------------------------------------------


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
    """A question whose alternatives differ in work by more than the margin: the median work of each by its label and name."""

    margin: float
    costs: tuple[tuple[str, float], ...]


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


# -- reports ---------------------------------------------------------------------------------------------------------------


def spread(values: list[float]) -> dict[str, float]:
    """Smallest, middle, largest, and the quarters between."""
    ordered = sorted(values)
    at = {"least": 0, "quarter": len(ordered) // 4, "three quarters": 3 * len(ordered) // 4, "most": len(ordered) - 1}
    return {name: round(ordered[min(k, len(ordered) - 1)], 3) for name, k in at.items()} | {"middle": round(median(ordered), 3)}


def as_data(sheet: Sheet, found: list[Stressed]) -> dict[str, Any]:
    """The report for programs."""
    fixed = fixed_questions(sheet)
    return {
        "format": 1, "kind": "attncalc stress", "title": sheet.title, "sheet": sheet.file, "questions": [_data(one) for one in found],
        "fixed": [{"question": one.label, "problem": one.problem, "findings": one.findings, "work": round(one.cost, 3),
                   "unworkable": list(one.unworkable)} for one in fixed],
        "uneven": [{"margin": one.margin, "work": {name: round(cost, 3) for name, cost in one.costs}}
                   for one in uneven_questions(sheet, found, fixed)],
    }  # fmt: skip


def _data(one: Stressed) -> dict[str, Any]:
    guesses = {name: round(times / one.guessed, 3) for name, times in one.guesses.most_common()}
    return {
        "question": one.label, "lesson": one.lesson, "variants": one.count, "draws": one.draws, "kept": round(one.share, 5),
        "failed": dict(one.failed.most_common()), "work": spread(one.costs),
        "largest": {name: spread(values) for name, values in one.magnitudes.items()}, "disputes": dict(one.disputes.most_common()),
        "hidden": dict(one.hidden.most_common()), "same": dict(one.same.most_common()), "alike": dict(one.alike.most_common(20)),
        "repeated": one.repeated, "choices": CHOICES, "guessed": guesses,
    }  # fmt: skip


def document(sheet: Sheet, found: list[Stressed]) -> Document:
    """The report for people."""
    blocks: list[Block] = [Heading(f"{sheet.title}: {sum(one.count for one in found):,} questions drawn", 1)]
    for one in found:
        blocks += [Heading(f"{one.label}. {one.lesson}", 2, f"{100 * one.share:.1f} % of {one.draws:,} draws kept"), *_told(one)]
    if not found:
        blocks.append(Paragraph("Nothing on this sheet is drawn; `attncalc lint` says what a fixed problem is like.", "note"))
    return Document([*blocks, *_whole(sheet, found)])


def _whole(sheet: Sheet, found: list[Stressed]) -> list[Block]:
    """What is to be said of problems that are not drawn, and of questions that stand for each other."""
    fixed = fixed_questions(sheet)
    told = [f"{one.label}. {one.problem} cannot be worked out: {why}" for one in fixed for why in one.unworkable] + [
        f"{one.label}. {one.problem} is not drawn, and {counted(one.findings, 'thing')} could be better; `attncalc lint {one.problem}` says what"
        for one in fixed if one.findings
    ] + [
        f"Which of these a student gets is not even: their median work differs by more than {100 * one.margin:g} % "
        f"({', '.join(f'{name} {cost:.1f}' for name, cost in one.costs)})"
        for one in uneven_questions(sheet, found, fixed)
    ]  # fmt: skip
    return [Heading("The sheet as a whole", 2), *(Paragraph(f"{one}.", "warning") for one in told)] if told else []


def _told(one: Stressed) -> Iterator[Block]:
    failed = ", ".join(f"{code} {count:,}" for code, count in one.failed.most_common(5))
    if failed:
        yield Paragraph(f"The other draws failed: {failed}.", "note")
    lines = {"work": spread(one.costs)} | {f"largest {name}": spread(values) for name, values in one.magnitudes.items()}
    columns = ("least", "quarter", "middle", "three quarters", "most")
    cells = tuple(tuple(Cell(f"{values[name]:.2f}") for name in columns) for values in lines.values())
    yield Matrices((Grid(Name("spread"), cells, tuple(lines), columns),))
    yield _judged("rounding disputes", "no rounding disputes", one.disputes, one.count)
    yield _judged("mistakes that change numbers, but nothing that is printed", "every mistake that changes a number changes what is printed",
                  one.hidden, one.count)  # fmt: skip
    if one.same:
        yield Paragraph(f"Mistakes that change no number at all, which no digits would show: {_counts(one.same, one.count)}.", "note")
    if one.alike:
        yield Paragraph(f"Mistakes that print alike among themselves: {_counts(one.alike, one.count)}.", "note")
    if one.repeated:
        yield Paragraph(f"{one.repeated} of {one.count} variants are like an earlier one; the exam draws those again.", "note")
    if one.guessed:
        best = one.guesses.most_common(MOST_RULES)
        told = ", ".join(f"{100 * times / one.guessed:.0f} % by the {name}" for name, times in best)
        kind = "warning" if best[0][1] > GIVEN_AWAY * one.guessed else "note"
        yield Paragraph(f"The right one of {CHOICES} choices is guessed, {100 / CHOICES:.0f} % by chance: {told}.", kind)


def _judged(what: str, nothing: str, found: Counter[str], count: int) -> Paragraph:
    return Paragraph(f"{what}: {_counts(found, count)}", "warning") if found else Paragraph(nothing, "check")


def _counts(found: Counter[str], count: int) -> str:
    more = f" and {len(found) - 6} more" if len(found) > 6 else ""
    return ", ".join(f"{name} ({100 * times / count:.0f} %)" for name, times in found.most_common(6)) + more
