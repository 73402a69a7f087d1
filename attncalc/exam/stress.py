"""The stress test of a sheet: statistics of many drawn variants, before students get a variant, and a report."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from statistics import median, pstdev

from flint import arb

from ..arithmetic.matrix_types import is_infinite
from ..errors import AttncalcError, counted
from ..explain.document import Block, Cell, Curve, Document, Grid, Heading, Matrices, Paragraph
from ..formula.syntax_tree import Name
from ..generator.distinguishability import Certificate
from ..generator.distractors import AnswerCues, choices_of, guess_rate
from ..generator.lint import Lint, lint
from ..generator.numeric_view import NumericView
from ..generator.rejection_search import Search
from ..generator.requirements import SINGLE_REQUIREMENTS, findings
from ..generator.search_result import DrawnVariant, canonical
from ..generator.workload import Cost
from ..problem.loader import build_problem
from .secret import secret_number
from .sheet.model import Question, Sheet

CHOICES = 4  # options of a multiple-choice question in the guessing test
MOST_UNSCREENED = 200  # draws without screening, which show how much variants would differ
MOST_GUESSED = 200  # variants of the guessing test
MARGIN = 0.1  # allowed relative difference in work between alternatives, if no alternative is generated
GIVEN_AWAY = 0.6  # share of right guesses from which a warning is given
MEASURES = {"work": "total", "predicted difficulty": "difficulty"}
BINS = 12  # of a histogram
QUARTILES = {  # names in JSON, and names for people
    "least": "minimum", "quarter": "lower quartile", "middle": "median", "three quarters": "upper quartile",
    "most": "maximum",
}  # fmt: skip
MOST_RULES = 3  # rules for guessing that the report lists, the best first

Start = Callable[[int], Callable[[], None]]  # start(total) begins a progress bar and returns its advance function


@dataclass(slots=True)
class QuestionStress:
    """The statistics of one question."""

    label: str
    lesson: str
    count: int = 0
    draws: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    costs: list[float] = field(default_factory=list)
    screened: list[Cost] = field(default_factory=list)
    unscreened: list[Cost] = field(default_factory=list)  # costs of draws without screening
    magnitudes: dict[str, list[float]] = field(default_factory=dict)
    disputes: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    alike: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    guesses: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))  # by rule
    guessed: int = 0

    @property
    def share(self) -> float:
        return self.count / self.draws if self.draws else 0.0

    @property
    def best_guesses(self) -> list[tuple[str, float]]:
        """Return each rule for guessing with its number of right answers, the best rule first."""
        return sorted(self.guesses.items(), key=lambda rule: -rule[1])

    @property
    def sound(self) -> bool:
        """True if no rounding is in dispute and every mistake changes a number."""
        return not self.disputes and not self.hidden


@dataclass(frozen=True, slots=True)
class FixedQuestion:
    """A question with fixed numbers: its problem's name, the number of findings of `attncalc lint`, and its work."""

    label: str
    problem: str
    findings: int
    cost: float
    unworkable: tuple[str, ...] = ()  # reasons why steps cannot be computed


@dataclass(frozen=True, slots=True)
class UnevenQuestion:
    """A question whose alternatives differ in work by more than the margin: the label and the median work of each
    alternative.
    """

    margin: float
    costs: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Stress:
    """The statistics of a sheet: drawn questions, fixed questions, and questions with uneven alternatives."""

    sheet: Sheet
    questions: list[QuestionStress]
    fixed: list[FixedQuestion]
    uneven: list[UnevenQuestion]

    @property
    def sound(self) -> bool:
        """True if every step can be computed, no rounding is in dispute, and every mistake changes a number."""
        is_workable = not any(question.unworkable for question in self.fixed)
        return is_workable and all(question.sound for question in self.questions)


def stress(sheet: Sheet, count: int, start: Start = lambda total: lambda: None) -> Stress:
    """Return the statistics of `count` variants of every generated question. `start` gets the total, and returns a
    function that is called after each variant.

    Raises AttncalcError if a question cannot be generated.
    """
    labelled = (pair for pairs in _label_questions(sheet) for pair in pairs)
    searches = [(label, question.search) for label, question in labelled if question.search is not None]
    alike: dict[object, list[tuple[str, Search]]] = {}
    for label, search in searches:
        alike.setdefault(_kind(search), []).append((label, search))
    advance = start(count * len(alike))
    of_kinds = {kind: _question(sheet, *group[0], count, advance) for kind, group in alike.items()}
    questions = [replace(of_kinds[_kind(search)], label=label) for label, search in searches]
    fixed = fixed_questions(sheet)
    return Stress(sheet, questions, fixed, uneven_questions(sheet, questions, fixed))


def _kind(search: Search) -> object:
    """Return the settings that decide how problems are drawn. Questions with equal settings have the same
    statistics.
    """
    spec = search.spec
    return (spec.draws, spec.margin, tuple(search.windows.items())) if type(search) is Search else id(search)


def _label_questions(sheet: Sheet) -> Iterator[list[tuple[str, Question]]]:
    """Yield, for every question, the question or its alternatives, each with a label."""
    for k, question in enumerate(sheet.questions, 1):
        others = [
            (f"{k}{'abcdefghijklmnopqrstuvwxyz'[j % 26]}", other) for j, other in enumerate(question.alternatives)
        ]
        yield others or [(f"{k}", question)]


def _question(sheet: Sheet, label: str, search: Search, count: int, advance: Callable[[], None]) -> QuestionStress:
    statistics = QuestionStress(label, search.spec.lesson)
    earlier_failures = Counter(search.tally.failed)
    seen: set[int] = set()
    for k in range(count):
        search.accepted_keys.clear()
        variant = search.variant(secret_number(sheet.key, "stress", label, k))
        statistics.count += 1
        statistics.draws += variant.draws
        statistics.costs.append(variant.cost.total)
        statistics.screened.append(variant.cost)
        _count_certificate(statistics, variant.certificate)
        view = search.fill(variant.entries)
        _magnitudes(statistics, view)
        _disputes(statistics, view)
        fingerprint = canonical(variant.entries)
        statistics.repeated += fingerprint in seen
        seen.add(fingerprint)
        if k < MOST_GUESSED:
            _guess(statistics, search, variant)
        advance()
    statistics.failed = search.tally.failed - earlier_failures
    statistics.unscreened = list(search.sample_costs(min(count, MOST_UNSCREENED)))
    return statistics


def _count_certificate(statistics: QuestionStress, certificate: Certificate) -> None:
    statistics.hidden.update(certificate.codes("hidden"))
    statistics.same.update(certificate.codes("same"))
    statistics.alike.update(" = ".join(codes) for codes in certificate.alike)


def _magnitudes(statistics: QuestionStress, view: NumericView) -> None:
    """Record the largest number of every step."""
    for step in view.steps:
        cells = (cell for row in view.full(step.key) for cell in row)
        sizes = [float(arb(abs(cell[0]))) for cell in cells if cell is not None and not is_infinite(cell[0])]
        statistics.magnitudes.setdefault(step.name, []).append(max(sizes, default=0.0))


def _disputes(statistics: QuestionStress, view: NumericView) -> None:
    """Record numbers close to a rounding tie, in exact work or with rounded steps, even if the sheet relaxes this
    requirement.
    """
    relaxed = frozenset(demand.code for demand in SINGLE_REQUIREMENTS if demand.code != "ties")
    statistics.disputes.update(finding.step for finding in findings(view, relaxed))


# -- guessing ----------------------------------------------------------------------------------------------------------


def _guess(statistics: QuestionStress, search: Search, variant: DrawnVariant) -> None:
    """Record how often simple rules about the look of the options find the right option."""
    try:
        answers = choices_of(search, variant, CHOICES)["answers"]
    except AttncalcError:
        return  # too few mistakes give other numbers
    statistics.guessed += 1
    right = next(k for k, answer in enumerate(answers) if answer["right"])
    for name, values in AnswerCues([answer["matrix"] for answer in answers]).values_among(range(len(answers))).items():
        statistics.guesses[f"most {name}"] += guess_rate(values, right)
        statistics.guesses[f"least {name}"] += guess_rate([-x for x in values], right)


# -- the whole sheet ----------------------------------------------------------------------------------------------


def fixed_questions(sheet: Sheet) -> list[FixedQuestion]:
    """Return the questions with fixed numbers, with the findings of `attncalc lint`."""
    questions = []
    reports: dict[int, Lint] = {}  # by the tree, because questions from the same file share it
    for label, question in (pair for labelled in _label_questions(sheet) for pair in labelled):
        if question.fixed is not None:
            source = question.fixed.place.source
            name = source if os.path.isfile(source) else os.path.splitext(source)[0]
            if id(question.fixed) not in reports:
                reports[id(question.fixed)] = lint(build_problem(question.fixed, source, name))
            report = reports[id(question.fixed)]
            reasons = dict.fromkeys(finding.says for finding in report.findings if finding.demand == "workable")
            questions.append(
                FixedQuestion(
                    label, name, len(report.findings), report.cost.total if report.cost else 0.0, tuple(reasons)
                )
            )
    return questions


def uneven_questions(sheet: Sheet, questions: list[QuestionStress], fixed: list[FixedQuestion]) -> list[UnevenQuestion]:
    """Return the questions whose alternatives differ in work, so that some students get harder questions."""
    drawn = [question for question in questions if question.costs]
    costs = {question.label: (f"{question.label} {question.lesson}", median(question.costs)) for question in drawn}
    costs |= {question.label: (f"{question.label} {question.problem}", question.cost) for question in fixed}
    uneven = []
    for labelled in _label_questions(sheet):
        margins = (question.search.spec.margin for _, question in labelled if question.search is not None)
        margin = max(margins, default=MARGIN)
        alternatives = tuple(costs[label] for label, _ in labelled if label in costs)
        works = [cost for _, cost in alternatives]
        if len(works) > 1 and max(works) > (1 + margin) * min(works):
            uneven.append(UnevenQuestion(margin, alternatives))
    return uneven


# -- for people and for programs ---------------------------------------------------------------------------------------


def spread(values: list[float]) -> dict[str, float]:
    """Return minimum, quartiles, median and maximum."""
    ordered = sorted(values)
    last = len(ordered) - 1
    ranks = {"least": 0, "quarter": len(ordered) // 4, "three quarters": 3 * len(ordered) // 4, "most": last}
    figures = {name: ordered[min(k, last)] for name, k in ranks.items()} | {"middle": median(ordered)}
    return {name: round(value, 3) for name, value in figures.items()}


def as_data(stress: Stress) -> dict[str, object]:
    return {
        "format": 1, "kind": "attncalc stress", "title": stress.sheet.title, "sheet": stress.sheet.file,
        "questions": [_data(question) for question in stress.questions],
        "fixed": [{"question": question.label, "problem": question.problem, "findings": question.findings,
                   "work": round(question.cost, 3), "unworkable": list(question.unworkable)}
                  for question in stress.fixed],
        "uneven": [{"margin": question.margin, "work": {name: round(cost, 3) for name,
            cost in question.costs}} for question in stress.uneven],
    }  # fmt: skip


def _data(question: QuestionStress) -> dict[str, object]:
    guesses = {name: round(times / question.guessed, 3) for name, times in question.best_guesses}
    return {
        "screening": {name: _standard_deviations(question, measure) for name, measure in MEASURES.items()},
        "question": question.label, "lesson": question.lesson, "variants": question.count, "draws": question.draws,
        "kept": round(question.share, 5),
        "failed": dict(question.failed.most_common()), "work": spread(question.costs),
        "largest": {name: spread(values) for name, values in question.magnitudes.items()},
        "disputes": dict(question.disputes.most_common()),
        "hidden": dict(question.hidden.most_common()), "same": dict(question.same.most_common()),
        "alike": dict(question.alike.most_common(20)),
        "repeated": question.repeated, "choices": CHOICES, "guessed": guesses,
    }  # fmt: skip


def document(stress: Stress) -> Document:
    """Return the report for people."""
    count = sum(question.count for question in stress.questions)
    blocks: list[Block] = [Heading(f"{stress.sheet.title}: {count:,} questions drawn", 1)]
    for question in stress.questions:
        kept = f"{100 * question.share:.1f} % of {question.draws:,} random problems met all requirements"
        blocks += [Heading(f"{question.label}. {question.lesson}", 2, kept), *_question_blocks(question)]
    if not stress.questions:
        blocks.append(
            Paragraph("No question of this sheet has random numbers; use `attncalc lint` for fixed problems.", "note")
        )
    return Document([*blocks, *_sheet_warnings(stress)])


def _sheet_warnings(stress: Stress) -> list[Block]:
    """Return warnings about fixed questions and uneven alternatives."""
    warnings = [
        f"{question.label}. {question.problem} cannot be computed: {why}"
        for question in stress.fixed for why in question.unworkable
    ] + [
        f"{question.label}. {question.problem} has fixed numbers and does not meet "
        f"{counted(question.findings, 'requirement')}; `attncalc lint {question.problem}` lists them"
        for question in stress.fixed if question.findings
    ] + [
        f"These alternatives are not equally hard: their median work differs by more than {100 * question.margin:g} % "
        f"({', '.join(f'{name} {cost:.1f}' for name, cost in question.costs)})"
        for question in stress.uneven
    ]  # fmt: skip
    paragraphs = [Paragraph(f"{warning}.", "warning") for warning in warnings]
    return [Heading("The whole exam sheet", 2), *paragraphs] if paragraphs else []


def _question_blocks(question: QuestionStress) -> Iterator[Block]:
    failed = ", ".join(f"{code} {count:,}" for code, count in question.failed.most_common(5))
    if failed:
        yield Paragraph(f"The other random problems did not meet these requirements: {failed}.", "note")
    lines = {"work": spread(question.costs)}
    lines |= {f"largest {name}": spread(values) for name, values in question.magnitudes.items()}
    cells = tuple(tuple(Cell(f"{values[name]:.2f}") for name in QUARTILES) for values in lines.values())
    yield Matrices((Grid(Name("spread"), cells, tuple(lines), tuple(QUARTILES.values())),))
    yield from _screening(question)
    yield _judgement(
        "numbers close to a rounding tie", "no number is close to a rounding tie", question.disputes, question.count
    )
    yield _judgement("mistakes that change numbers, but no printed number",
                  "every known mistake that changes a number also changes a printed number",
                  question.hidden, question.count)  # fmt: skip
    if question.same:
        counts = _counts(question.same, question.count)
        yield Paragraph(f"Mistakes that change no number, at any precision: {counts}.", "note")
    if question.alike:
        counts = _counts(question.alike, question.count)
        yield Paragraph(f"Sets of mistakes that give the same printed numbers: {counts}.", "note")
    if question.repeated:
        repeated = f"{question.repeated} of {question.count} variants"
        yield (
            Paragraph(f"{repeated} are equal to earlier variants; `attncalc exam` would give them new numbers.", "note")
        )
    if question.guessed:
        best = question.best_guesses[:MOST_RULES]
        rules = ", ".join(f"{100 * times / question.guessed:.0f} % ({name})" for name, times in best)
        kind = "warning" if best[0][1] > GIVEN_AWAY * question.guessed else "note"
        yield Paragraph(
            f"If this is a multiple-choice question with {CHOICES} options, a guess by appearance is right in these "
            f"shares of the variants: {rules}. By chance, {100 / CHOICES:.0f} % are right.",
            kind,
        )


def _standard_deviations(question: QuestionStress, measure: str) -> dict[str, float | None]:
    """Return the standard deviation of a measure without screening and with screening, and their ratio."""
    before, after = (
        round(pstdev([getattr(cost, measure) for cost in costs] or [0.0]), 3)
        for costs in (question.unscreened, question.screened)
    )
    return {"before": before, "after": after, "ratio": round(after / before, 3) if before else None}


def _screening(question: QuestionStress) -> Iterator[Block]:
    """Yield the effect of screening on the variants: standard deviations, and histograms in percent of the draws."""
    for name, measure in MEASURES.items():
        deviations = _standard_deviations(question, measure)
        if not deviations["before"]:
            continue
        ratio = f" ({100 * deviations['ratio']:.0f} % of the original)" if deviations["ratio"] is not None else ""
        spread = f"{deviations['before']:.2f} before screening and {deviations['after']:.2f} after it"
        yield Paragraph(f"The standard deviation of the {name} is {spread}{ratio}.", "note")
        before, after = (
            [getattr(cost, measure) for cost in costs] for costs in (question.unscreened, question.screened)
        )
        for word, values in (("before", before), ("after", after)):
            yield Paragraph(f"{name}, {word} screening: percent of the draws", "fine")
            yield _histogram(f"{word}_screening", values, min(before + after), max(before + after))


def _histogram(name: str, values: list[float], low: float, high: float) -> Curve:
    """Return the share of the values in each of BINS equal intervals, in percent."""
    width = (high - low) / BINS or 1.0
    counts = Counter(min(int((value - low) / width), BINS - 1) for value in values)
    shares = tuple(f"{100 * counts[k] / len(values):.0f}" for k in range(BINS))
    return Curve(Name(name), tuple(f"{low + (k + 0.5) * width:.1f}" for k in range(BINS)), shares)


def _judgement(what: str, nothing: str, counts: Counter[str], count: int) -> Paragraph:
    return Paragraph(f"{what}: {_counts(counts, count)}", "warning") if counts else Paragraph(nothing, "check")


def _counts(counts: Counter[str], count: int) -> str:
    more = f" and {len(counts) - 6} more" if len(counts) > 6 else ""
    return ", ".join(f"{name} ({100 * times / count:.0f} %)" for name, times in counts.most_common(6)) + more
