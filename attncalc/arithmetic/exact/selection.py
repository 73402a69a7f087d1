"""What operations that choose make of formal numbers: ids, the largest entries, orders."""

from __future__ import annotations

from functools import cmp_to_key

from flint import fmpq

from ...formula.typed_formula import Node, place
from ..budget import GiveUp
from .elementwise import Entrywise
from .quotient_form import ONE, ZERO, Formal, add, number
from .sign_decision import compared


class Choices(Entrywise):
    """A rule for each operation that chooses among entries."""

    def _one_hot(self, node: Node, i: int, j: int) -> Formal:
        return ONE if self.named(node, i) == j else ZERO

    def named(self, node: Node, i: int) -> int | None:
        """The column of the 1 in row i of a `one_hot`; None where there is none."""
        ids, (classes, ignore) = node.args[0], node.params
        q = self.value(ids, *((0, i) if ids.shape[0] == 1 else (i, 0))).rational
        if q is None or q.denominator != 1 or not 0 <= q < classes and q != ignore:
            raise GiveUp
        return None if ignore is not None and q == ignore else int(q.numerator)

    def _top_k(self, node: Node, i: int, j: int) -> Formal:
        return ONE if j in self.falling(node.args[0], i)[: node.params[0]] else ZERO

    def _top_p(self, node: Node, i: int, j: int) -> Formal:
        a, enough = node.args[0], self.value(node.args[1], 0, 0)
        total = ZERO
        for column in self.falling(a, i):
            if compared(total, enough) >= 0:
                break
            if column == j:
                return ONE
            total = add(total, self.value(a, i, column))
        return ZERO

    def _argmax_rows(self, node: Node, i: int, j: int) -> Formal:
        return number(fmpq(self.falling(node.args[0], i)[0]))

    def _order_rows(self, node: Node, i: int, j: int) -> Formal:
        return number(fmpq(place(node, self.falling(node.args[0], i)[j])))

    def _sort_rows(self, node: Node, i: int, j: int) -> Formal:
        return self.cell(node.args[0], i, self.falling(node.args[0], i)[j])

    def falling(self, a: Node, i: int) -> list[int]:
        """The columns of a row from the largest entry down, equal ones in their order."""
        if (a, i) not in self.orders:
            row = [self.cell(a, i, j) for j in range(a.shape[1])]

            def order(p: int, q: int) -> int:
                return compared(row[q], row[p])

            self.orders[a, i] = sorted(range(len(row)), key=cmp_to_key(order))  # which keeps equal ones in their order
        return self.orders[a, i]
