"""Multiple choice: the right result of a step among distractors, the results of named mistakes with their feedback. No
two options print alike.

The right answer must not be recognisable by cues of test-wiseness, such as the largest numbers. A cue is a number for
each option. Each variant draws a target rank of the right answer for every cue, and takes the distractors that come
nearest to these ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TypedDict

from ..errors import AttncalcError
from ..mistakes.catalogue import catalogue
from ..problem.random_stream import Stream
from .distinguishability import certify
from .rejection_search import Search
from .search_result import DrawnVariant

Numbers = Sequence[Sequence[Fraction | None]]  # None where a text is infinite
Values = list[Fraction | int]


def _finite(table: Numbers) -> list[Fraction]:
    return [x for row in table for x in row if x is not None]


# cues of a single option
SINGLE_CUES: dict[str, Callable[[Numbers], Fraction | int]] = {
    "size of its numbers": lambda table: sum(map(abs, _finite(table)), Fraction(0)),
    "zeros": lambda table: _finite(table).count(Fraction(0)),
    "whole numbers": lambda table: sum(x.denominator == 1 for x in _finite(table)),
    "negative numbers": lambda table: sum(x < 0 for x in _finite(table)),
    "different numbers": lambda table: len(set(_finite(table))),
    "rows that do not sum to 1": lambda table: sum(
        (abs(sum(_finite([row]), Fraction(-1))) for row in table), Fraction(0)
    ),
}
# cues of a pair of options, summed over all others
PAIR_CUES: dict[str, Callable[[Numbers, Numbers], Fraction | int]] = {
    "entries shared with the others": lambda a, b: sum(
        x == y for row, line in zip(a, b, strict=False) for x, y in zip(row, line, strict=False)
    ),
    "distance from the others": lambda a, b: sum(
        (abs(x - y) for x, y in zip(_finite(a), _finite(b), strict=False)), Fraction(0)
    ),
}


class AnswerCues:
    """Cue values of all options, computed once for every choice among them."""

    def __init__(self, tables: Sequence[Sequence[Sequence[str]]]):
        self.tables = tables
        self.numbers = [
            [[None if "inf" in text else Fraction(text) for text in row] for row in table] for table in tables
        ]

    @cached_property
    def single_values(self) -> dict[str, Values]:
        """By cue of a single option: its value for every option."""
        lengths: Values = [sum(len(text) for row in table for text in row) for table in self.tables]
        return {name: [cue(table) for table in self.numbers] for name, cue in SINGLE_CUES.items()} | {"length": lengths}

    @cached_property
    def pair_values(self) -> dict[str, list[Values]]:
        """By cue of two options: its value for every pair."""
        return {name: [[cue(a, b) for b in self.numbers] for a in self.numbers] for name, cue in PAIR_CUES.items()}

    def values_among(self, chosen: Sequence[int]) -> dict[str, Values]:
        """Return the values of every cue for the chosen options."""
        cue_values: dict[str, Values] = {}
        for name, singles in self.single_values.items():
            cue_values[name] = [singles[k] for k in chosen]
        for name, pairs in self.pair_values.items():
            cue_values[name] = [sum(pairs[k][j] for j in chosen if j != k) for k in chosen]
        return cue_values


def double_rank(values: Values, k: int) -> int:
    """Return twice the rank of option k, from 0 to twice the number of the others; ties share their rank."""
    return sum((x < values[k]) * 2 + (x == values[k]) for x in values) - 1


def guess_rate(values: Values, right: int) -> float:
    """Return the probability of the right answer for a student who takes an option with the largest value."""
    best = [k for k, value in enumerate(values) if value == max(values)]
    return (right in best) / len(best)


MAX_CANDIDATES = 12  # the commonest mistakes, from which distractors are chosen
Table = tuple[tuple[str, ...], ...]


class Option(TypedDict):
    """An option: the right answer or the numbers of a mistake."""

    matrix: list[list[str]]
    right: bool
    code: str | None
    feedback: str


class Choices(TypedDict):
    """A step and its options."""

    step: str
    answers: list[Option]


def choices_of(search: Search, variant: DrawnVariant, count: int, step: str = "") -> Choices:
    """Return `count` options for a step (by default the step with the most distractors), shuffled by the variant's
    stream.
    """
    view = search.fill(variant.entries)
    by_step: dict[str, dict[Table, str]] = {}
    for verdict in certify(view).verdicts:
        if verdict.kind == "separated" and step in ("", verdict.step):
            by_step.setdefault(verdict.step, {}).setdefault(verdict.printed, verdict.code)
    name = max(by_step, key=lambda step: len(by_step[step]), default=None)
    if name is None or len(by_step[name]) < count - 1:
        available = len(by_step[name]) if name else 0
        only = f"only {available} mistakes give different numbers in this problem"
        raise AttncalcError(f"--choices: expected {count}, but {only}")
    right = view.printed(next(s for s in view.steps if s.key == name))
    stream = Stream("attncalc", search.spec.seed, "choices", variant.number)
    answers: list[Option] = [{"matrix": right, "right": True, "code": None, "feedback": "Right."}]
    for printed, code in _distractors(tuple(map(tuple, right)), by_step[name], count, stream):
        matrix, feedback = list(map(list, printed)), f"{catalogue()[code].done} {catalogue()[code].advice}"
        answers.append({"matrix": matrix, "right": False, "code": code, "feedback": feedback})
    return {"step": name, "answers": stream.shuffled(answers)}


def _distractors(right: Table, wrong: dict[Table, str], count: int, stream: Stream) -> list[tuple[Table, str]]:
    """Choose `count` − 1 distractors, of the right answer's shape if there are enough, with the least deviation from
    the target ranks.
    """
    ranked = sorted(wrong.items(), key=lambda item: -catalogue()[item[1]].weight)
    same_shape = [item for item in ranked if (len(item[0]), len(item[0][0])) == (len(right), len(right[0]))]
    candidates = (same_shape if len(same_shape) >= count - 1 else ranked)[: max(MAX_CANDIDATES, count - 1)]
    cues = AnswerCues([right, *(printed for printed, _ in candidates)])
    targets = {cue: 2 * stream.below(count) for cue in cues.values_among(range(len(candidates) + 1))}

    def deviation(chosen: tuple[int, ...]) -> int:
        values = cues.values_among((0, *chosen)).items()
        return sum((double_rank(cue_values, 0) - targets[cue]) ** 2 for cue, cue_values in values)

    return [candidates[k - 1] for k in min(combinations(range(1, len(candidates) + 1), count - 1), key=deviation)]
