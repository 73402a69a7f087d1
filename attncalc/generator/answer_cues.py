"""Cues of test-wiseness: features of the options of a multiple-choice question, each a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

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
    "rows that miss the sum of 1": lambda table: sum(
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
        cue_values: dict[str, Values] = {
            name: [values[k] for k in chosen] for name, values in self.single_values.items()
        }
        return cue_values | {
            name: [sum(values[k][j] for j in chosen if j != k) for k in chosen]
            for name, values in self.pair_values.items()
        }


def double_rank(values: Values, k: int) -> int:
    """Return twice the rank of option k, from 0 to twice the number of the others; ties share their rank."""
    return sum((x < values[k]) * 2 + (x == values[k]) for x in values) - 1


def guess_rate(values: Values, right: int) -> float:
    """Return the probability of the right answer for a student who takes an option with the largest value."""
    best = [k for k, value in enumerate(values) if value == max(values)]
    return (right in best) / len(best)
