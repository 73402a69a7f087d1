"""The figures of a class for people (a Document) and for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import counted
from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..explain.point_format import decimal, points
from ..safe_files import as_json
from .group_statistics import BINS as ALL_BINS
from .group_statistics import LEAST, Bin, GroupFigures
from .item_analysis import MISSING, RIGHT, ClassFigures

if TYPE_CHECKING:
    from .remediation import Drill
from collections.abc import Iterator

from ..errors import listed
from .item_analysis import StepFigures

HARD, EASY = Fraction(1, 2), Fraction(9, 10)  # facility
APART = Fraction(1, 10)  # between the means of two variants, as a share of the points, that is worth a word
ENOUGH = 30  # scripts from which on a discrimination says something
MOST_NAMED = 6  # steps in a sentence
TELLING = Fraction(3, 10)  # discrimination below which a step tells little of the rest


def percent(x: Fraction | None) -> str:
    """`62 %`; a dash where there is no figure."""
    return "–" if x is None else f"{decimal(100 * x, 0)} %"


def sentences(found: ClassFigures) -> list[str]:
    """The class in a few sentences, the most telling ones first; nothing where there are too few scripts."""
    if found.mean is None:
        return []
    every = (_how, _steps, _broke, _ticks, _mistakes, _variants, _blank)
    return [one for some in every for one in some(found)]


def _how(found: ClassFigures) -> Iterator[str]:
    graded = counted(found.scripts - found.failed, "script")
    mean, median = percent(found.mean), percent(found.median)
    yield f"{graded} earned {mean} of the points on average, half of them {median} or more."


def _steps(found: ClassFigures) -> Iterator[str]:
    rated = [(one.facility, one) for one in found.steps if one.facility is not None and one.out_of and one.answered]
    if len(rated) > 1:
        low, hardest = min(rated, key=lambda pair: pair[0])
        high, easiest = max(rated, key=lambda pair: pair[0])
        if low < high:
            yield (
                f"The hardest step was {hardest.step} ({percent(low)} of its points), the easiest {easiest.step} "
                f"({percent(high)})."
            )
    never = [one.step for one in found.steps if one.out_of and one.facility is not None and not one.answered]
    if never and rated:
        yield f"{listed(never, MOST_NAMED)} {'is' if len(never) == 1 else 'are'} not answered in any script."
    enough = found.scripts - found.failed >= ENOUGH
    weak = [one.step for one in found.steps if _tells_little(one)] if enough else []
    if weak:
        tell, ask = ("tells", "it asks") if len(weak) == 1 else ("tell", "they ask")
        yield f"{listed(weak)} hardly {tell} strong scripts from weak ones: look at what {ask}."


def _tells_little(one: StepFigures) -> bool:
    middling = one.facility is not None and HARD / 2 < one.facility < EASY
    return middling and one.discrimination is not None and one.discrimination < TELLING


def _broke(found: ClassFigures) -> Iterator[str]:
    counts = [(one.broke, one.step) for one in found.steps if one.broke]
    if counts:
        most, step = max(counts, key=lambda pair: pair[0])
        yield f"The first error was most often in {step} ({counted(most, 'script')})."
    right = found.ends.get(RIGHT)
    if right:
        yield f"{counted(right, 'script')} {'has' if right == 1 else 'have'} no wrong step."


def _ticks(found: ClassFigures) -> Iterator[str]:
    counts = [(one.ticked_wrongly, one.step) for one in found.steps if one.ticked_wrongly]
    if counts:
        most, question = max(counts, key=lambda pair: pair[0])
        yield f"Of the questions to tick, {question} was most often not right ({counted(most, 'script')})."


def _mistakes(found: ClassFigures) -> Iterator[str]:
    total = found.scripts - found.failed
    told = [(name, count) for name, count in found.mistakes if count is not None]
    if told:
        name, count = told[0]
        yield f"The most frequent mistake was {name}: {counted(count, 'script')}, {percent(Fraction(count, total))}."


def _variants(found: ClassFigures) -> Iterator[str]:
    means = [(one.mean, one.name) for one in found.variants if one.mean is not None]
    if len(means) > 1 and max(means)[0] - min(means)[0] >= APART:
        (low, hard), (high, easy) = min(means), max(means)
        yield (
            f"Variant {hard} came out harder than {easy}: {percent(low)} and {percent(high)} on average. "
            "Chance may do that with few scripts."
        )


def _blank(found: ClassFigures) -> Iterator[str]:
    blank = found.ends.get(MISSING)
    if blank is not None and blank >= LEAST:
        yield f"{counted(blank, 'script')} are blank."


HIDDEN = "hidden"
OTHERS = {RIGHT: "scripts without a wrong step", MISSING: "scripts without any answer"}
WORDS = {
    "facility": "facility: the mean share of a step's points",
    "discrimination": (
        "discrimination: how strongly a step's points correlate with the rest (corrected point-biserial correlation)"
    ),
    "hidden": f"{HIDDEN}: a count from 1 to {LEAST - 1}, or one that would reveal such a count",
}


def count_text(count: int | None) -> str:
    """A count; a dash where it is too small to be shown."""
    return HIDDEN if count is None else str(count)


def number(x: Fraction | None) -> str:
    """`0.41`; a dash where there is no figure."""
    return "–" if x is None else decimal(x, 2)


def summary(found: ClassFigures) -> list[str]:
    """The first lines: how many scripts, how they went."""
    failed = f", {found.failed} of them not graded" if found.failed else ""
    look = f", {found.look} to be checked by a person (see the column status of the table)" if found.look else ""
    lines = [counted(found.scripts, "script") + failed + look]
    if found.unmarked:
        lines.append(
            f"points by hand are still missing in {counted(found.unmarked, 'script')}; the figures are of "
            "what is marked"
        )
    if found.mean is not None:
        lines.append(
            f"mean {percent(found.mean)}, median {percent(found.median)}, standard deviation {percent(found.spread)}"
        )
    elif found.scripts:
        graded = found.failed < found.scripts
        lines.append(f"statistics need at least {LEAST} graded scripts" if graded else "no script was graded")
    return lines


def step_rows(found: ClassFigures) -> Iterable[tuple[str, str, str, str, str]]:
    """For each step its points, its facility, its discrimination, and how many scripts broke there."""
    for one in found.steps:
        yield one.step, points(one.out_of), percent(one.facility), number(one.discrimination), count_text(one.broke)


def other_rows(found: ClassFigures) -> Iterable[tuple[str, str]]:
    """How many scripts ended in other ways than by a mistake."""
    return ((OTHERS.get(name, name), count_text(count)) for name, count in found.ends.items())


def mistake_rows(found: ClassFigures) -> Iterable[tuple[str, str, str]]:
    """How many scripts made a mistake, and their share of those that were graded."""
    total = found.scripts - found.failed
    for name, count in found.mistakes:
        if count is not None:
            yield name, count_text(count), percent(Fraction(count, total))


def rare(found: ClassFigures) -> str:
    """The mistakes of a few in one line."""
    names = [name for name, count in found.mistakes if count is None]
    return f"in fewer than {LEAST} scripts each: {', '.join(names)}" if names else ""


STEPS, MISTAKES = ("step", "points", "facility", "discrimination", "first error here"), ("mistake", "scripts", "share")
QUESTIONS = ("question", "points", "facility", "discrimination", "most frequent mistakes")
VARIANTS = ("variant", "scripts", "mean", "standard deviation", "most frequent mistakes")
BINS, GRADES = ("points", "scripts", ""), ("grade", "scripts")
LONGEST_BAR = 32
JOINED = f"a range with 1 to {LEAST - 1} scripts is joined with the one beside it"


def class_document(found: ClassFigures, drills: Iterable[Drill] = ()) -> Document:
    """The report on a class as a Document, for every medium."""
    blocks: list[Block] = [Heading(found.title), *(Paragraph(line, "ask") for line in summary(found))]
    blocks += [Paragraph(line) for line in sentences(found)]
    blocks += (
        [Heading("How the points are spread", 2), Table(BINS, tuple(bin_rows(found.bins)), frozenset({1}))]
        if found.bins
        else []
    )
    blocks += [Paragraph(JOINED, "fine")] if 0 < len(found.bins) < ALL_BINS else []
    blocks += (
        [Heading("Grades", 2), Table(GRADES, tuple(_counts(found.grades)), frozenset({1}))] if found.grades else []
    )
    blocks += (
        [Heading("Questions", 2), Table(QUESTIONS, tuple(map(_question, found.questions)), frozenset({1, 2, 3}))]
        if found.questions
        else []
    )
    blocks += (
        [Heading("Steps", 2), Table(STEPS, tuple(step_rows(found)), frozenset({1, 2, 3, 4}))] if found.steps else []
    )
    blocks += [Paragraph(f"{name}: {count}", "ask") for name, count in other_rows(found)]
    blocks += (
        [Heading("Variants", 2), Table(VARIANTS, tuple(map(_variant, found.variants)), frozenset({1, 2, 3}))]
        if found.variants
        else []
    )
    rows, few = tuple(mistake_rows(found)), rare(found)
    blocks += [Heading("Mistakes", 2)] if rows or few else []
    blocks += [Table(MISTAKES, rows, frozenset({1, 2}))] if rows else []
    blocks += [Paragraph(few, "ask")] if few else []
    for one in drills:
        blocks += drill_blocks(one)
    return Document([*blocks, *(Paragraph(line, "fine") for line in WORDS.values())])


def bin_rows(bins: list[Bin]) -> Iterable[tuple[str, str, str]]:
    """The histogram, lying: a bar a line."""
    most = max((one.count for one in bins), default=1) or 1
    for one in bins:
        bar = "■" * -(-LONGEST_BAR * one.count // most)
        yield f"{100 * one.low} to {100 * one.high} %", str(one.count), bar


def _counts(counts: dict[str, int | None]) -> Iterable[tuple[str, str]]:
    return ((name, count_text(count)) for name, count in counts.items())


def _question(one: GroupFigures) -> tuple[str, str, str, str, str]:
    return one.name, points(one.out_of), percent(one.mean), number(one.discrimination), _often(one)


def _variant(one: GroupFigures) -> tuple[str, str, str, str, str]:
    return one.name, str(one.scripts), percent(one.mean), percent(one.spread), _often(one)


def _often(one: GroupFigures) -> str:
    return ", ".join(f"{name} ({count})" for name, count in one.mistakes)


def drill_blocks(one: Drill) -> list[Block]:
    """A frequent mistake: what was done, one script with it, and exercises against it."""
    blocks: list[Block] = [Heading(one.name, 2, counted(one.count, "script"))]
    blocks += [Paragraph(f"{one.done} {one.advice}")] if one.done else []
    blocks += [Paragraph(f"One script, in {one.step}:", "fine"), *one.blocks] if one.blocks else []
    blocks += [Paragraph(f"Exercises on this: {one.command}", "ask")] if one.command else []
    return blocks


def figures_as_json(found: ClassFigures, drills: Iterable[Drill] = ()) -> str:
    """The same for programs; a hidden count is null. Figures have two decimals: more would tell hidden counts."""
    total = found.scripts - found.failed
    data = {
        "title": found.title,
        "scripts": found.scripts,
        "not_graded": found.failed,
        "to_look_at": found.look,
        "mean": _rounded(found.mean),
        "median": _rounded(found.median),
        "standard_deviation": _rounded(found.spread),
        "steps": [
            {
                "step": one.step,
                "out_of": float(one.out_of),
                "facility": _rounded(one.facility),
                "discrimination": _rounded(one.discrimination),
                "first_wrong": one.broke,
                "ticked_wrongly": one.ticked_wrongly,
            }
            for one in found.steps
        ],
        "others": found.ends,
        "mistakes": [
            {"codes": name.split(" or "), "scripts": count, "share": _rounded(_share(count, total))}
            for name, count in found.mistakes
        ],
        "sentences": sentences(found),
        "histogram": [{"from": float(one.low), "to": float(one.high), "scripts": one.count} for one in found.bins],
        "grades": found.grades,
        "questions": [_group(one) for one in found.questions],
        "variants": [_group(one) for one in found.variants],
        "drills": [
            {"codes": one.name.split(" or "), "scripts": one.count, "command": one.command or None} for one in drills
        ],
        "hidden_below": LEAST,
        "discrimination": "corrected point-biserial correlation",
    }
    return as_json(data)


def _group(one: GroupFigures) -> dict[str, object]:
    return {
        "name": one.name,
        "scripts": one.scripts,
        "out_of": float(one.out_of),
        "mean": _rounded(one.mean),
        "standard_deviation": _rounded(one.spread),
        "discrimination": _rounded(one.discrimination),
        "mistakes": [{"codes": name.split(" or "), "scripts": count} for name, count in one.mistakes],
    }


def _share(count: int | None, total: int) -> Fraction | None:
    return None if count is None else Fraction(count, total)


def _rounded(x: Fraction | None) -> float | None:
    return None if x is None else float(decimal(x, 2).replace("−", "-"))
