"""What certified arithmetic has to decide on the way: whether an entry is 0, its sign, and which of two is larger."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb, fmpq, fmpz

from ...errors import FormulaError
from ...formula.typed_formula import Node
from .. import budget, rounding
from ..exact.evaluator import ExactCells
from ..matrix_types import Entry

_ZERO = fmpq(0)


class NeedsPrecision(Exception):
    """A decision that this working precision cannot make; the message says which, for when no precision can."""


class Decisions:
    """Decided by the enclosures, else by formal proof; what neither settles is raised as NeedsPrecision."""

    def __init__(self, cells: ExactCells):
        self.cells = cells

    def vanishes(self, x: Entry, node: Node, i: int, j: int) -> bool:
        """Whether entry (i, j) of `node`, here x, is 0."""
        if isinstance(x, fmpq):
            return x == 0
        if x > 0 or x < 0:
            return False
        if x.is_zero() or self.cells.equals(node, i, j, _ZERO):
            return True
        raise NeedsPrecision(f"whether {node.entry(i, j)} is 0")

    def sign(self, x: Entry, node: Node, i: int, j: int) -> int:
        """The sign of entry (i, j): 1, 0 where that is proven, −1. Raises NeedsPrecision where the ball holds 0 and no
        proof is found.
        """
        if x > 0:
            return 1
        if x < 0:
            return -1
        if self.vanishes(x, node, i, j):
            return 0
        raise NeedsPrecision(f"the sign of {node.entry(i, j)}")

    def descending(self, node: Node, row: list[Entry], i: int) -> Iterator[int]:
        """The columns of a row from the largest entry down, equal entries by column; each place proven when it is asked
        for.
        """
        columns = sorted(range(len(row)), key=lambda j: arb(row[j]).mid(), reverse=True)
        equal: list[int] = []
        for column in columns:
            if equal and not self.equal_or_less(node, row, i, equal[-1], column):
                yield from sorted(equal)
                equal = []
            equal.append(column)
        yield from sorted(equal)

    def equal_or_less(self, node: Node, row: list[Entry], i: int, p: int, q: int) -> bool:
        """Whether entries p and q of a row are equal (true) or q is smaller (false)."""
        if row[q] < row[p]:
            return False
        if row[p] == row[q] or self.cells.same(node, (i, p), (i, q)):
            return True
        raise NeedsPrecision(f"which of {node.entry(i, p)} and {node.entry(i, q)} is larger")


def require_shorter(x: Entry, most: int, node: Node, i: int, j: int) -> None:
    """Raises FormulaError where entry (i, j), here x, has more bits before its point than may be written out."""
    if isinstance(x, arb) and budget.is_longer(x, most):
        digits = most * 3 // 10
        raise FormulaError(
            f"{node.entry(i, j)} has more than {digits:,} digits before its point, and whole numbers that long are not "
            "written out; make its size smaller, or work with its logarithm",
            node.at,
        )


def decide(cells: ExactCells, node: Node, i: int, j: int, x: Entry, digits: int, mode: str) -> fmpz | None:
    """10ᵏ·x rounded to a whole number, proven; None where this precision and the formal proof leave it open."""
    if isinstance(x, fmpq):
        return rounding.of_rational(x, digits, mode)
    n = rounding.of_ball(x, digits, mode)
    if n is not None:
        return n
    edge = rounding.boundary(x, digits, mode)
    if edge is None:
        return None
    if cells.equals(node, i, j, edge):
        return rounding.of_rational(edge, digits, mode)
    side = cells.side(node, i, j, edge)  # the ball holds no other edge
    return None if side is None else rounding.of_rational(edge + side * rounding.a_quarter(digits), digits, mode)
