"""Entries of checked formulas as formal numbers, only those that are asked for and within bounds of effort
(rule R9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar

from flint import fmpq

from ...formula.typed_formula import Node, rules
from . import (
    METER,
    MOST_WORK,
    MOST_WORK_IN_ALL,
    ZERO,
    Exact,
    Formal,
    GiveUp,
    add,
    compared,
    equal_sums,
    number,
    same,
    same_number,
    scale,
    sign_of_terms,
    vanishes,
)
from .row_operations import Rows

T = TypeVar("T")


class ExactCells(Rows):
    """Proofs about single entries of checked formulas. `effort` bounds the term operations for one entry, `in_all`
    those for all.

    `step_cell` tells an entry of a given or a step where it is known, `definition` its formula where its value is that.
    """

    def __init__(
        self,
        step_cell: Callable[[str, int, int], Formal | None] | None = None,
        effort: int = MOST_WORK,
        in_all: int = MOST_WORK_IN_ALL,
        definition: Callable[[str], Node | None] = lambda key: None,
    ):
        super().__init__(step_cell, definition)
        self.effort = effort
        self.left = in_all

    def bounded(self, work: Callable[[], T], otherwise: T) -> T:
        """What `work` finds within the effort for one entry; `otherwise` where no proof comes of it."""
        METER.left = granted = max(0, min(self.effort, self.left))
        try:
            return work()
        except (GiveUp, RecursionError, OverflowError, MemoryError):
            return otherwise
        finally:
            self.left -= granted - METER.left

    def equals(self, node: Node, i: int, j: int, value: fmpq) -> bool:
        """Whether entry (i, j) is proven to be `value`."""
        x = self.find(node, i, j)
        return isinstance(x, Exact) and equal_sums(x.top, scale(x.bottom, value))

    def side(self, node: Node, i: int, j: int, value: fmpq) -> int | None:
        """1 or −1: whether entry (i, j) is above or below `value`, where its terms show that; None where
        they do not.
        """
        x = self.find(node, i, j)
        return self.bounded(lambda: sign_of_terms(add(x, number(-value))), None) if isinstance(x, Exact) else None

    def rational(self, node: Node, i: int, j: int) -> fmpq | None:
        """Entry (i, j) as the fraction that it is proven to be; None without a proof."""
        x = self.find(node, i, j)
        return x.rational if isinstance(x, Exact) else None

    def same(self, node: Node, first: tuple[int, int], second: tuple[int, int]) -> bool:
        """Whether two entries of one matrix are proven equal."""
        x, y = self.find(node, *first), self.find(node, *second)
        if not isinstance(x, Exact) or not isinstance(y, Exact):
            return False
        try:
            return same(x, y) or same_number(x, y)
        except GiveUp:
            return False

    def sum_compared(self, node: Node, i: int, columns: list[int], value: Node) -> int | None:
        """1, 0 or −1: whether the sum of some entries of a row is more than a number, that number, or less; None
        without a proof.
        """
        places = [(i, j) for j in columns]
        return self.bounded(lambda: compared(self.total(node, places, ZERO), self.value(value, 0, 0)), None)

    def sums_to(self, node: Node, places: Sequence[tuple[int, int]], value: fmpq) -> bool:
        """Whether some entries of a matrix are proven to sum to a number."""
        return self.bounded(lambda: vanishes(self.total(node, places, number(-value))), False)

    def total(self, node: Node, places: Sequence[tuple[int, int]], start: Exact) -> Exact:
        """A number and some entries of a matrix, added up in this order."""
        return reduce(add, (self.value(node, i, j) for i, j in places), start)

    def find(self, node: Node, i: int, j: int) -> Formal | None:
        """Entry (i, j), or None where it is beyond the bounds."""
        return self.bounded(lambda: self.cell(node, i, j), None)


ExactCells.rules = rules(ExactCells)
