"""What an answer of a multiple choice looks like to one who knows nothing: each look gives every answer a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

Numbers = Sequence[Sequence[Fraction | None]]  # None where a text is infinite
Values = list[Fraction | int]


def _known(table: Numbers) -> list[Fraction]:
    return [x for row in table for x in row if x is not None]


# of one answer
OWN: dict[str, Callable[[Numbers], Fraction | int]] = {
    "size of its numbers": lambda table: sum(map(abs, _known(table)), Fraction(0)),
    "zeros": lambda table: _known(table).count(Fraction(0)),
    "whole numbers": lambda table: sum(x.denominator == 1 for x in _known(table)),
    "negative numbers": lambda table: sum(x < 0 for x in _known(table)),
    "different numbers": lambda table: len(set(_known(table))),
    "rows that miss the sum of 1": lambda table: sum(
        (abs(sum(_known([row]), Fraction(-1))) for row in table), Fraction(0)
    ),
}
# of one answer beside another; what counts is the sum over all others
BESIDE: dict[str, Callable[[Numbers, Numbers], Fraction | int]] = {
    "entries shared with the others": lambda a, b: sum(
        x == y for row, line in zip(a, b, strict=False) for x, y in zip(row, line, strict=False)
    ),
    "distance from the others": lambda a, b: sum(
        (abs(x - y) for x, y in zip(_known(a), _known(b), strict=False)), Fraction(0)
    ),
}


class Looks:
    """The looks of answers, each worked out once for all choices among them."""

    def __init__(self, tables: Sequence[Sequence[Sequence[str]]]):
        self.tables = tables
        self.numbers = [
            [[None if "inf" in text else Fraction(text) for text in row] for row in table] for table in tables
        ]

    @cached_property
    def own(self) -> dict[str, Values]:
        """For each look at one choice its value for every choice."""
        lengths: Values = [sum(len(text) for row in table for text in row) for table in self.tables]
        return {name: [look(table) for table in self.numbers] for name, look in OWN.items()} | {"length": lengths}

    @cached_property
    def beside(self) -> dict[str, list[Values]]:
        """For each look at two choices its value for every pair."""
        return {name: [[look(a, b) for b in self.numbers] for a in self.numbers] for name, look in BESIDE.items()}

    def among(self, chosen: Sequence[int]) -> dict[str, Values]:
        """Each look of the chosen answers, beside each other."""
        own: dict[str, Values] = {name: [values[k] for k in chosen] for name, values in self.own.items()}
        return own | {
            name: [sum(values[k][j] for j in chosen if j != k) for k in chosen] for name, values in self.beside.items()
        }


def place(values: Values, k: int) -> int:
    """Twice the place of one among the others, from 0 to twice their number; alike ones share theirs."""
    return sum((x < values[k]) * 2 + (x == values[k]) for x in values) - 1


def guessed(values: Values, right: int) -> float:
    """How often one who takes the answer with the most of a look, or any of those with as much, takes the right one."""
    best = [k for k, value in enumerate(values) if value == max(values)]
    return (right in best) / len(best)
