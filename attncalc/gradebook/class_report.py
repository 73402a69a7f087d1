"""The figures of a class for people (a Document) and for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import counted, listed
from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..explain.point_format import decimal, points
from ..safe_files import as_json
from .graded_script import NamedMistakes
from .group_statistics import BINS as ALL_BINS
from .group_statistics import LEAST, Bin, GroupFigures
from .item_analysis import MISSING, RIGHT, ClassFigures, StepFigures

if TYPE_CHECKING:
    from .remediation import Drill

HARD, EASY = Fraction(1, 2), Fraction(9, 10)  # facility
APART = Fraction(1, 10)  # between the means of two variants, as a share of the points, that is worth a word
ENOUGH = 30  # scripts from which on a discrimination says something
MOST_NAMED = 6  # steps in a sentence
TELLING = Fraction(3, 10)  # discrimination below which a step tells little of the rest


def percent(x: Fraction | None) -> str:
    """Return a share as `62 %`; a dash for None."""
    return "–" if x is None else f"{decimal(100 * x, 0)} %"


def sentences(figures: ClassFigures) -> list[str]:
    """Return a summary of the class in a few sentences, the most informative first; empty with too few scripts."""
    if figures.mean is None:
        return []
    graded, blank = counted(figures.scripts - figures.failed, "script"), figures.ends.get(MISSING)
    mean, median = percent(figures.mean), percent(figures.median)
    averages = f"{graded} earned {mean} of the points on average. The median is {median}."
    blanks = [f"{counted(blank, 'script')} are blank."] if blank is not None and blank >= LEAST else []
    return [averages, *_steps(figures), *_errors(figures), *_variants(figures), *blanks]


def _steps(figures: ClassFigures) -> Iterator[str]:
    rated = [
        (step.facility, step) for step in figures.steps if step.facility is not None and step.out_of and step.answered
    ]
    if len(rated) > 1:
        low, hardest = min(rated, key=lambda pair: pair[0])
        high, easiest = max(rated, key=lambda pair: pair[0])
        if low < high:
            yield (
                f"The hardest step was {hardest.step} ({percent(low)} of its points earned), and the easiest was "
                f"{easiest.step} ({percent(high)})."
            )
    never = [step.step for step in figures.steps if step.out_of and step.facility is not None and not step.answered]
    if never and rated:
        yield f"{listed(never, MOST_NAMED)} {'is' if len(never) == 1 else 'are'} not answered in any script."
    enough = figures.scripts - figures.failed >= ENOUGH
    weak = [step.step for step in figures.steps if _is_weak(step)] if enough else []
    if weak:
        verb, its = ("distinguishes", "its") if len(weak) == 1 else ("distinguish", "their")
        yield f"{listed(weak)} hardly {verb} strong scripts from weak ones: check {its} wording."


def _is_weak(step: StepFigures) -> bool:
    middling = step.facility is not None and HARD / 2 < step.facility < EASY
    return middling and step.discrimination is not None and step.discrimination < TELLING


def _errors(figures: ClassFigures) -> Iterator[str]:
    counts = [(step.first_errors, step.step) for step in figures.steps if step.first_errors]
    if counts:
        most, step = max(counts, key=lambda pair: pair[0])
        yield f"The first error was most often in {step} ({counted(most, 'script')})."
    if right := figures.ends.get(RIGHT):
        yield f"{counted(right, 'script')} {'has' if right == 1 else 'have'} no wrong step."
    counts = [(step.wrong_ticks, step.step) for step in figures.steps if step.wrong_ticks]
    if counts:
        most, question = max(counts, key=lambda pair: pair[0])
        yield f"The multiple-choice question with the most wrong answers was {question} ({counted(most, 'script')})."
    for name, count in [(name, count) for name, count in figures.mistakes if count is not None][:1]:
        share = percent(Fraction(count, figures.scripts - figures.failed))
        yield f"The most frequent mistake was {name}: {counted(count, 'script')}, {share}."


def _variants(figures: ClassFigures) -> Iterator[str]:
    means = [(variant.mean, variant.name) for variant in figures.variants if variant.mean is not None]
    if len(means) > 1 and max(means)[0] - min(means)[0] >= APART:
        (low, hard), (high, easy) = min(means), max(means)
        yield (
            f"Variant {hard} was harder than {easy}: {percent(low)} and {percent(high)} on average. With few "
            f"scripts, this difference can be due to chance."
        )


HIDDEN = "hidden"
OTHERS = {RIGHT: "scripts without a wrong step", MISSING: "scripts without any answer"}
WORDS = {
    "facility": "facility: the mean share of a step's points that students earned",
    "discrimination": (
        "discrimination: how strongly a step's points correlate with the other points of a script (corrected "
        "point-biserial correlation)"
    ),
    "hidden": f"{HIDDEN}: a count from 1 to {LEAST - 1}, or one that would reveal such a count",
}


def count_text(count: int | None) -> str:
    """Return a count as text; `hidden` for None."""
    return HIDDEN if count is None else str(count)


def number(x: Fraction | None) -> str:
    """Return a number with two decimals, `0.41`; a dash for None."""
    return "–" if x is None else decimal(x, 2)


def summary(figures: ClassFigures) -> list[str]:
    """Return the first lines of the report: the number of scripts and their marks."""
    failed = f", {figures.failed} of them not graded" if figures.failed else ""
    look = (
        f", {figures.needs_review} to be checked by a person (see the column status of the table)"
        if figures.needs_review
        else ""
    )
    absent = [f"{counted(figures.absent, 'student')} absent or excused"] if figures.absent else []
    how = [f"the points of each script are rounded to a multiple of {figures.round_to}"] if figures.round_to else []
    lines = [counted(figures.scripts, "script") + failed + look, *absent, *how]
    if figures.unmarked:
        lines.append(
            f"{counted(figures.unmarked, 'script')} with answers that a person has not marked yet; the figures cover "
            f"only marked answers"
        )
    if figures.mean is not None:
        lines.append(
            f"mean {percent(figures.mean)}, median {percent(figures.median)}, "
            f"standard deviation {percent(figures.spread)}"
        )
    elif figures.scripts:
        graded = figures.failed < figures.scripts
        lines.append(f"statistics need at least {LEAST} graded scripts" if graded else "no script was graded")
    return lines


def step_rows(figures: ClassFigures) -> Iterable[tuple[str, str, str, str, str]]:
    """Yield (step, points, facility, discrimination, number of first errors) for each step."""
    for step in figures.steps:
        rates = percent(step.facility), number(step.discrimination)
        yield step.step, points(step.out_of), *rates, count_text(step.first_errors)


def mistake_rows(figures: ClassFigures) -> Iterable[tuple[str, str, str]]:
    """Yield each mistake with its number of scripts and its share of the graded scripts."""
    total = figures.scripts - figures.failed
    for named, count in figures.mistakes:
        if count is not None:
            yield str(named), count_text(count), percent(Fraction(count, total))


def rare_mistakes(figures: ClassFigures) -> str:
    """Return one line that lists the mistakes of fewer than five scripts."""
    names = [str(named) for named, count in figures.mistakes if count is None]
    return f"in fewer than {LEAST} scripts each: {', '.join(names)}" if names else ""


STEPS, MISTAKES = ("step", "points", "facility", "discrimination", "first error here"), ("mistake", "scripts", "share")
QUESTIONS = ("question", "points", "facility", "discrimination", "most frequent mistakes")
VARIANTS = ("variant", "scripts", "mean", "standard deviation", "most frequent mistakes")
BINS, GRADES = ("points", "scripts", ""), ("grade", "scripts")
LONGEST_BAR = 32
JOINED = f"a range with 1 to {LEAST - 1} scripts is merged with its neighbour"


def class_document(figures: ClassFigures, drills: Iterable[Drill] = ()) -> Document:
    """Return the class report as a Document."""
    blocks: list[Block] = [Heading(figures.title), *(Paragraph(line, "ask") for line in summary(figures))]
    blocks += [Paragraph(line) for line in sentences(figures)]
    blocks += _section("Distribution of the points", BINS, bin_rows(figures.bins), 1)
    blocks += [Paragraph(JOINED, "fine")] if 0 < len(figures.bins) < ALL_BINS else []
    blocks += _section("Grades", GRADES, _counts(figures.grades), 1)
    blocks += _section("Questions", QUESTIONS, map(_question, figures.questions), 3)
    blocks += _section("Steps", STEPS, step_rows(figures), 4)
    blocks += [Paragraph(f"{OTHERS.get(name, name)}: {count}", "ask") for name, count in _counts(figures.ends)]
    blocks += _section("Variants", VARIANTS, map(_variant, figures.variants), 3)
    rows, few = tuple(mistake_rows(figures)), rare_mistakes(figures)
    blocks += [Heading("Mistakes", 2)] if rows or few else []
    blocks += [Table(MISTAKES, rows, frozenset({1, 2}))] if rows else []
    blocks += [Paragraph(few, "ask")] if few else []
    for drill in drills:
        blocks += drill_blocks(drill)
    return Document([*blocks, *(Paragraph(line, "fine") for line in WORDS.values())])


def _section(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], numbers: int) -> list[Block]:
    """Return a heading and a table with right-aligned columns 1 to `numbers`; nothing without rows."""
    cells = tuple(rows)
    return [Heading(title, 2), Table(heads, cells, frozenset(range(1, numbers + 1)))] if cells else []


def bin_rows(bins: list[Bin]) -> Iterable[tuple[str, str, str]]:
    """Yield the rows of a horizontal histogram: range, count and bar."""
    most = max((interval.count for interval in bins), default=1) or 1
    for interval in bins:
        bar = "■" * -(-LONGEST_BAR * interval.count // most)
        yield f"{100 * interval.low} to {100 * interval.high} %", str(interval.count), bar


def _counts(counts: dict[str, int | None]) -> Iterable[tuple[str, str]]:
    return ((name, count_text(count)) for name, count in counts.items())


def _question(question: GroupFigures) -> tuple[str, ...]:
    rates = percent(question.mean), number(question.discrimination)
    return question.name, points(question.out_of), *rates, _frequent_mistakes(question)


def _variant(variant: GroupFigures) -> tuple[str, ...]:
    rates = percent(variant.mean), percent(variant.spread)
    return variant.name, str(variant.scripts), *rates, _frequent_mistakes(variant)


def _frequent_mistakes(group: GroupFigures) -> str:
    return ", ".join(f"{name} ({count})" for name, count in group.mistakes)


def drill_blocks(drill: Drill) -> list[Block]:
    """Return the section on a frequent mistake: description, one script with it, and exercises."""
    blocks: list[Block] = [Heading(str(drill.named), 2, counted(drill.count, "script"))]
    blocks += [Paragraph(f"{drill.done} {drill.advice}")] if drill.done else []
    blocks += [Paragraph(f"One script, in {drill.step}:", "fine"), *drill.blocks] if drill.blocks else []
    blocks += [Paragraph(f"Exercises on this mistake: {drill.command}", "ask")] if drill.command else []
    return blocks


def figures_as_json(figures: ClassFigures, drills: Iterable[Drill] = ()) -> str:
    """Return the class report as JSON; a hidden count is null. Two decimals, since more could reveal hidden counts."""
    total = figures.scripts - figures.failed
    data = {
        "title": figures.title,
        "scripts": figures.scripts,
        "not_graded": figures.failed,
        "to_look_at": figures.needs_review,
        "absent": figures.absent,
        "mean": _rounded(figures.mean),
        "median": _rounded(figures.median),
        "standard_deviation": _rounded(figures.spread),
        "steps": [
            {
                "step": step.step,
                "out_of": float(step.out_of),
                "facility": _rounded(step.facility),
                "discrimination": _rounded(step.discrimination),
                "first_wrong": step.first_errors,
                "ticked_wrongly": step.wrong_ticks,
            }
            for step in figures.steps
        ],
        "others": figures.ends,
        "mistakes": [
            _mistake(named, count) | {"share": _rounded(Fraction(count, total) if count else None)}
            for named, count in figures.mistakes
        ],
        "sentences": sentences(figures),
        "histogram": [
            {"from": float(interval.low), "to": float(interval.high), "scripts": interval.count}
            for interval in figures.bins
        ],
        "grades": figures.grades,
        "questions": [_group(group) for group in figures.questions],
        "variants": [_group(group) for group in figures.variants],
        "drills": [_mistake(drill.named, drill.count) | {"command": drill.command or None} for drill in drills],
        "hidden_below": LEAST,
        "discrimination": "corrected point-biserial correlation",
    }
    return as_json(data)


def _group(group: GroupFigures) -> dict[str, object]:
    return {
        "name": group.name,
        "scripts": group.scripts,
        "out_of": float(group.out_of),
        "mean": _rounded(group.mean),
        "standard_deviation": _rounded(group.spread),
        "discrimination": _rounded(group.discrimination),
        "mistakes": [_mistake(named, count) for named, count in group.mistakes],
    }


def _mistake(named: NamedMistakes, count: int | None) -> dict[str, object]:
    return {"codes": named.codes, "together": named.together, "scripts": count}


def _rounded(x: Fraction | None) -> float | None:
    return None if x is None else float(decimal(x, 2).replace("−", "-"))
