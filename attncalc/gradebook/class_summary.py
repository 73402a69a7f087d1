"""A class in sentences: how it went, where work broke, what to talk about. No count from one to four is told, nor what
would tell it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import counted, listed
from ..explain.point_format import decimal
from .group_statistics import LEAST
from .item_analysis import MISSING, RIGHT, ClassFigures, StepFigures

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
