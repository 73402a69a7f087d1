"""The report of a stress test, for people (a Document) and for programs (JSON)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median, pstdev

from ..errors import counted
from ..explain.document import Block, Cell, Curve, Document, Grid, Heading, Matrices, Paragraph
from ..formula.syntax_tree import Name
from .stress import CHOICES, QuestionStress, Stress

GIVEN_AWAY = 0.6  # how often a look may find the right choice before that is a warning
MEASURES = {"work": "total", "predicted difficulty": "difficulty"}
BINS = 12  # of a histogram
QUARTILES = {  # in figures for programs, and as people call them
    "least": "minimum", "quarter": "lower quartile", "middle": "median", "three quarters": "upper quartile",
    "most": "maximum",
}  # fmt: skip
MOST_RULES = 3  # ways to guess in the report, the best first


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
    return [Heading("The sheet as a whole", 2), *paragraphs] if paragraphs else []


def _question_blocks(question: QuestionStress) -> Iterator[Block]:
    failed = ", ".join(f"{code} {count:,}" for code, count in question.failed.most_common(5))
    if failed:
        yield Paragraph(f"The other random problems did not meet these requirements: {failed}.", "note")
    lines = {"work": spread(question.costs)}
    lines |= {f"largest {name}": spread(values) for name, values in question.magnitudes.items()}
    cells = tuple(tuple(Cell(f"{values[name]:.2f}") for name in QUARTILES) for values in lines.values())
    yield Matrices((Grid(Name("spread"), cells, tuple(lines), tuple(QUARTILES.values())),))
    yield from _screening(question)
    yield _judgement("rounding disputes", "no rounding disputes", question.disputes, question.count)
    yield _judgement("mistakes that change numbers, but no printed number",
                  "every mistake that changes a number changes a printed number",
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
            Paragraph(
                f"{repeated} are equal to earlier variants; `attncalc exam` would generate these variants again.",
                "note",
            )
        )
    if question.guessed:
        best = question.best_guesses[:MOST_RULES]
        rules = ", ".join(f"{100 * times / question.guessed:.0f} % ({name})" for name, times in best)
        kind = "warning" if best[0][1] > GIVEN_AWAY * question.guessed else "note"
        yield Paragraph(
            f"As a multiple-choice question with {CHOICES} options, students could guess the answer by its "
            f"appearance, with this share of right guesses: {rules}. By chance it is {100 / CHOICES:.0f} %.",
            kind,
        )


def _standard_deviations(question: QuestionStress, measure: str) -> dict[str, float | None]:
    """Return the standard deviation of a measure without and with screening, and the ratio of the second to the
    first.
    """
    before, after = (
        round(pstdev([getattr(cost, measure) for cost in costs] or [0.0]), 3)
        for costs in (question.unscreened, question.screened)
    )
    return {"before": before, "after": after, "ratio": round(after / before, 3) if before else None}


def _screening(question: QuestionStress) -> Iterator[Block]:
    """Yield how far screening narrows the variants: standard deviations and histograms in percent of the draws."""
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
