"""A sheet under stress: what many drawn variants are like, before a student sees one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from flint import arb

from ..arithmetic.matrices import is_infinite
from ..errors import AttncalcError
from ..explain.document import Block, Cell, Document, Grid, Heading, Matrices, Paragraph
from ..formula.tree import Name
from ..generate.certificate import Certificate
from ..generate.choices import choices_of
from ..generate.looks import Looks, guessed
from ..generate.quality import DEMANDS, findings
from ..generate.search import Search, canonical
from ..generate.view import View
from ..records import dataclass, field
from .codes import number
from .model import Question, Sheet

CHOICES = 4  # answers of a question with choices, when it is asked how well they can be guessed
MOST_GUESSED = 200  # variants for which choices are made
GIVEN_AWAY = 0.6  # how often a look may find the right choice before that is a warning
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
    for k, question in enumerate(sheet.questions, 1):
        if question.search is not None:
            yield f"{k}", question
        for j, other in enumerate(question.others):
            if other.search is not None:
                yield f"{k}{'abcdefghijklmnopqrstuvwxyz'[j % 26]}", other


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


# -- reports ---------------------------------------------------------------------------------------------------------------


def spread(values: list[float]) -> dict[str, float]:
    """Smallest, middle, largest, and the quarters between."""
    ordered = sorted(values)
    at = {"least": 0, "quarter": len(ordered) // 4, "three quarters": 3 * len(ordered) // 4, "most": len(ordered) - 1}
    return {name: round(ordered[min(k, len(ordered) - 1)], 3) for name, k in at.items()} | {"middle": round(median(ordered), 3)}


def as_data(sheet: Sheet, found: list[Stressed]) -> dict[str, Any]:
    """The report for programs."""
    return {"format": 1, "kind": "attncalc stress", "title": sheet.title, "sheet": sheet.file, "questions": [_data(one) for one in found]}


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
    return Document(blocks)


def _told(one: Stressed) -> Iterator[Block]:
    failed = ", ".join(f"{code} {count:,}" for code, count in one.failed.most_common(5))
    if failed:
        yield Paragraph(f"The other draws failed: {failed}.", "note")
    lines = {"work": spread(one.costs)} | {f"largest {name}": spread(values) for name, values in one.magnitudes.items()}
    columns = ("least", "quarter", "middle", "three quarters", "most")
    cells = tuple(tuple(Cell(f"{values[name]:.2f}") for name in columns) for values in lines.values())
    yield Matrices((Grid(Name("spread"), cells, tuple(lines), columns),))
    yield _judged("rounding disputes", one.disputes, one.count)
    yield _judged("mistakes that a variant hides", one.hidden, one.count)
    if one.same:
        yield Paragraph(f"The same numbers whatever the digits: {_counts(one.same, one.count)}.", "note")
    if one.alike:
        yield Paragraph(f"Mistakes that print alike among themselves: {_counts(one.alike, one.count)}.", "note")
    if one.repeated:
        yield Paragraph(f"{one.repeated} of {one.count} variants are like an earlier one; the exam draws those again.", "note")
    if one.guessed:
        best = one.guesses.most_common(MOST_RULES)
        told = ", ".join(f"{100 * times / one.guessed:.0f} % by the {name}" for name, times in best)
        kind = "warning" if best[0][1] > GIVEN_AWAY * one.guessed else "note"
        yield Paragraph(f"The right one of {CHOICES} choices is guessed, {100 / CHOICES:.0f} % by chance: {told}.", kind)


def _judged(what: str, found: Counter[str], count: int) -> Paragraph:
    return Paragraph(f"{what}: {_counts(found, count)}", "warning") if found else Paragraph(f"no {what}", "check")


def _counts(found: Counter[str], count: int) -> str:
    more = f" and {len(found) - 6} more" if len(found) > 6 else ""
    return ", ".join(f"{name} ({100 * times / count:.0f} %)" for name, times in found.most_common(6)) + more
