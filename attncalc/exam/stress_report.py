"""What stress found about a sheet, told to people (a Document) and to programs (JSON)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median, pstdev
from typing import Any

from ..errors import counted
from ..explain.document import Block, Cell, Curve, Document, Grid, Heading, Matrices, Paragraph
from ..formula.tree import Name
from .stress import CHOICES, Stress, Stressed

GIVEN_AWAY = 0.6  # how often a look may find the right choice before that is a warning
MEASURES = {"work": "total", "predicted difficulty": "difficulty"}
BINS = 12  # of a histogram
QUARTILES = {  # in figures for programs, and as people call them
    "least": "minimum", "quarter": "lower quartile", "middle": "median", "three quarters": "upper quartile",
    "most": "maximum",
}  # fmt: skip
MOST_RULES = 3  # ways to guess that people are told, the best first


def spread(values: list[float]) -> dict[str, float]:
    """Minimum, quartiles, median and maximum."""
    ordered = sorted(values)
    at = {"least": 0, "quarter": len(ordered) // 4, "three quarters": 3 * len(ordered) // 4, "most": len(ordered) - 1}
    return {name: round(ordered[min(k, len(ordered) - 1)], 3) for name, k in at.items()} | {
        "middle": round(median(ordered), 3)
    }


def as_data(found: Stress) -> dict[str, Any]:
    """The report for programs."""
    return {
        "format": 1, "kind": "attncalc stress", "title": found.sheet.title, "sheet": found.sheet.file,
        "questions": [_data(one) for one in found.questions],
        "fixed": [{"question": one.label, "problem": one.problem, "findings": one.findings, "work": round(one.cost, 3),
                   "unworkable": list(one.unworkable)} for one in found.fixed],
        "uneven": [{"margin": one.margin, "work": {name: round(cost, 3) for name,
            cost in one.costs}} for one in found.uneven],
    }  # fmt: skip


def _data(one: Stressed) -> dict[str, Any]:
    guesses = {name: round(times / one.guessed, 3) for name, times in one.guesses.most_common()}
    return {
        "screening": {name: _screened(one, measure) for name, measure in MEASURES.items()},
        "question": one.label, "lesson": one.lesson, "variants": one.count, "draws": one.draws,
        "kept": round(one.share, 5),
        "failed": dict(one.failed.most_common()), "work": spread(one.costs),
        "largest": {name: spread(values) for name, values in one.magnitudes.items()},
        "disputes": dict(one.disputes.most_common()),
        "hidden": dict(one.hidden.most_common()), "same": dict(one.same.most_common()),
        "alike": dict(one.alike.most_common(20)),
        "repeated": one.repeated, "choices": CHOICES, "guessed": guesses,
    }  # fmt: skip


def document(found: Stress) -> Document:
    """The report for people."""
    blocks: list[Block] = [
        Heading(f"{found.sheet.title}: {sum(one.count for one in found.questions):,} questions drawn", 1)
    ]
    for one in found.questions:
        blocks += [
            Heading(f"{one.label}. {one.lesson}", 2, f"{100 * one.share:.1f} % of {one.draws:,} draws kept"),
            *_told(one),
        ]
    if not found.questions:
        blocks.append(Paragraph("No question of this sheet is drawn; `attncalc lint` judges fixed problems.", "note"))
    return Document([*blocks, *_whole(found)])


def _whole(found: Stress) -> list[Block]:
    """What is to be said of problems that are not drawn, and of questions that stand for each other."""
    told = [
        f"{one.label}. {one.problem} cannot be computed: {why}" for one in found.fixed for why in one.unworkable
    ] + [
        f"{one.label}. {one.problem} is not drawn and misses {counted(one.findings, 'requirement')}; `attncalc "
        f"lint {one.problem}` lists them"
        for one in found.fixed if one.findings
    ] + [
        f"It matters which of these a student gets: their median work differs by more than {100 * one.margin:g} % "
        f"({', '.join(f'{name} {cost:.1f}' for name, cost in one.costs)})"
        for one in found.uneven
    ]  # fmt: skip
    return [Heading("The sheet as a whole", 2), *(Paragraph(f"{one}.", "warning") for one in told)] if told else []


def _told(one: Stressed) -> Iterator[Block]:
    failed = ", ".join(f"{code} {count:,}" for code, count in one.failed.most_common(5))
    if failed:
        yield Paragraph(f"The other draws missed these requirements: {failed}.", "note")
    lines = {"work": spread(one.costs)} | {f"largest {name}": spread(values) for name, values in one.magnitudes.items()}
    cells = tuple(tuple(Cell(f"{values[name]:.2f}") for name in QUARTILES) for values in lines.values())
    yield Matrices((Grid(Name("spread"), cells, tuple(lines), tuple(QUARTILES.values())),))
    yield from _screening(one)
    yield _judged("rounding disputes", "no rounding disputes", one.disputes, one.count)
    yield _judged("mistakes that change numbers, but no printed number",
                  "every mistake that changes a number changes a printed number", one.hidden, one.count)  # fmt: skip
    if one.same:
        yield Paragraph(
            f"Mistakes that do not change any number, whatever the decimals: {_counts(one.same, one.count)}.", "note"
        )
    if one.alike:
        yield Paragraph(f"Sets of mistakes that print the same numbers: {_counts(one.alike, one.count)}.", "note")
    if one.repeated:
        yield Paragraph(
            f"{one.repeated} of {one.count} variants repeat an earlier one; an exam draws those again.", "note"
        )
    if one.guessed:
        best = one.guesses.most_common(MOST_RULES)
        told = ", ".join(f"{100 * times / one.guessed:.0f} % ({name})" for name, times in best)
        kind = "warning" if best[0][1] > GIVEN_AWAY * one.guessed else "note"
        yield Paragraph(
            f"If the question were multiple choice with {CHOICES} options, guessing from how the options look would "
            f"find the right one in {told}; chance is {100 / CHOICES:.0f} %.",
            kind,
        )


def _screened(one: Stressed, measure: str) -> dict[str, float | None]:
    """The standard deviation of a measure without and with screening, and the second over the first."""
    before, after = (
        round(pstdev([getattr(cost, measure) for cost in costs] or [0.0]), 3) for costs in (one.unscreened, one.kept)
    )
    return {"before": before, "after": after, "ratio": round(after / before, 3) if before else None}


def _screening(one: Stressed) -> Iterator[Block]:
    """How far screening brings the variants together, in numbers and pictures: how many percent of the
    draws lie where.
    """
    for name, measure in MEASURES.items():
        told = _screened(one, measure)
        if not told["before"]:
            continue
        left = f" ({100 * told['ratio']:.0f} % of the original)" if told["ratio"] is not None else ""
        spread = f"{told['before']:.2f} before screening and {told['after']:.2f} after it"
        yield Paragraph(f"The standard deviation of the {name} is {spread}{left}.", "note")
        before, after = ([getattr(cost, measure) for cost in costs] for costs in (one.unscreened, one.kept))
        for word, values in (("before", before), ("after", after)):
            yield Paragraph(f"{name}, {word} screening: percent of the draws", "fine")
            yield _histogram(f"{word}_screening", values, min(before + after), max(before + after))


def _histogram(name: str, values: list[float], low: float, high: float) -> Curve:
    """The share of the values in each of BINS equal parts from the lowest to the highest, in percent."""
    wide = (high - low) / BINS or 1.0
    counts = Counter(min(int((value - low) / wide), BINS - 1) for value in values)
    shares = tuple(f"{100 * counts[k] / len(values):.0f}" for k in range(BINS))
    return Curve(Name(name), tuple(f"{low + (k + 0.5) * wide:.1f}" for k in range(BINS)), shares)


def _judged(what: str, nothing: str, found: Counter[str], count: int) -> Paragraph:
    return Paragraph(f"{what}: {_counts(found, count)}", "warning") if found else Paragraph(nothing, "check")


def _counts(found: Counter[str], count: int) -> str:
    more = f" and {len(found) - 6} more" if len(found) > 6 else ""
    return ", ".join(f"{name} ({100 * times / count:.0f} %)" for name, times in found.most_common(6)) + more
