"""What operations on rows and matrices make of formal numbers: products, sums, softmax, masks."""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from ...formula.typed_formula import Node
from ..budget import GiveUp
from .elementary_functions import exponential
from .exponential_sums import Sum, add_sums
from .quotient_form import ONE, ZERO, Exact, Formal, add, multiply, number, quotient, same
from .selection import Choices
from .sign_decision import larger, sign_of


class Rows(Choices):
    """A rule for each operation on rows and matrices."""

    def _matmul(self, node: Node, i: int, j: int) -> Formal:
        a, b = node.args
        if a.operation == "one_hot" and (row := self.named(a, i)) is not None:
            return self.cell(b, row, j)
        mean = self.mean_of_equals(a, i, lambda k: self.value(b, k, j)) or self.mean_of_equals(
            self.turned(b), j, lambda k: self.value(a, i, k)
        )
        if mean is not None:
            return mean
        total = ZERO
        for k in range(a.shape[1]):
            left = self.value(a, i, k)
            if left.top:
                total = add(total, multiply(left, self.value(b, k, j)))
        return total

    def mean_of_equals(self, weights: Node | None, i: int, value: Callable[[int], Exact]) -> Exact | None:
        """What all values are that row i of a softmax weighs, where all are the same: its weights sum to 1, however
        they come about.
        """
        node = weights and self.defined(weights)
        if node is None or node.operation != "softmax" or node.params[0] != "rows" or node.params[1] == "zeros":
            return None
        found: Exact | None = None
        for k in range(node.shape[1]):
            if self.is_hidden(node.args[0], i, k):
                continue
            x = value(k)
            if found is not None and not same(x, found):
                return None
            found = x
        return found

    def defined(self, node: Node) -> Node:
        """The formula behind a name, as far as its value is what the formula says."""
        while node.operation == "ref" and (behind := self.definition(node.params[0])) is not None:
            node = behind
        return node

    def turned(self, node: Node) -> Node | None:
        """What a matrix is the transpose of."""
        node = self.defined(node)
        return node.args[0] if node.operation == "transpose" else None

    def is_hidden(self, scores: Node, i: int, k: int) -> bool:
        """Whether a mask that is written out hides an entry; scores are not worked out for it, which may be long."""
        scores = self.defined(scores)
        if scores.operation != "keep" or scores.args[2].params != (((float("-inf"),),),):
            return False
        mask = self.defined(scores.args[1])
        return mask.operation == "literal" and mask.shape == scores.shape and mask.params[0][i][k] == 0

    def _transpose(self, node: Node, i: int, j: int) -> Formal:
        return self.cell(node.args[0], j, i)

    def _take(self, node: Node, i: int, j: int) -> Formal:
        rows, columns = node.params
        return self.cell(node.args[0], rows[i] if rows else i, columns[j] if columns else j)

    def _hstack(self, node: Node, i: int, j: int) -> Formal:
        for part in node.args:
            if j < part.shape[1]:
                return self.cell(part, i, j)
            j -= part.shape[1]
        raise GiveUp

    def _vstack(self, node: Node, i: int, j: int) -> Formal:
        for part in node.args:
            if i < part.shape[0]:
                return self.cell(part, i, j)
            i -= part.shape[0]
        raise GiveUp

    def _keep(self, node: Node, i: int, j: int) -> Formal:
        a, mask, fill = node.args
        if mask.operation == "literal" and mask.shape == node.shape:
            kept = mask.params[0][i][j]
        else:
            kept = sign_of(self.stretched(mask, i, j))
        return self.cell(a, i, j) if kept else self.cell(fill, 0, 0)

    def _row_sum(self, node: Node, i: int, j: int) -> Formal:
        if self.mean_of_equals(node.args[0], i, lambda k: ONE) is not None:
            return ONE
        total = ZERO
        for k in range(node.args[0].shape[1]):
            total = add(total, self.value(node.args[0], i, k))
        return total

    def _row_max(self, node: Node, i: int, j: int) -> Formal:
        best: Exact | None = None
        for k in range(node.args[0].shape[1]):
            x = self.cell(node.args[0], i, k)
            if isinstance(x, Exact):
                best = x if best is None else larger(best, x)
            elif x == "inf":
                return x
        return best or "-inf"

    def _softmax(self, node: Node, i: int, j: int) -> Formal:
        axis, empty = node.params
        a = node.args[0]
        mine = self.cell(a, i, j)
        lines = range(a.shape[0]) if axis == "all" else [i]
        key = (node, None if axis == "all" else i)
        if key not in self.lines:
            self.lines[key] = [
                x for r in lines for c in range(a.shape[1]) if isinstance(x := self.cell(a, r, c), Exact)
            ]
        weights = self.lines[key]
        if not weights:
            return ZERO if empty == "zeros" else number(fmpq(1, len(lines) * a.shape[1]))
        if isinstance(mine, str):
            return ZERO
        if len(weights) == 1:
            return ONE
        if key not in self.totals:
            total: Sum = {}
            for x in weights:
                total = add_sums(total, self.simple_exponential(x))
            self.totals[key] = total  # weights of one line keep one denominator, which `add` then knows at a glance
        return quotient(self.simple_exponential(mine), self.totals[key])

    def simple_exponential(self, x: Exact) -> Sum:
        """e^x as a sum over the bottom 1."""
        return exponential(x).top
