"""What operations entry by entry make of formal numbers, and constants."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx, fmpq

from ...formula.typed_formula import Node
from .. import budget
from ..budget import GiveUp
from ..rounding import of_number
from .elementary_functions import exponential, logarithm, square_root
from .entries import Cells
from .quotient_form import (
    INFINITY,
    ONE,
    ZERO,
    Exact,
    Formal,
    add,
    atom,
    canonical,
    cosine,
    divide,
    multiply,
    negative,
    number,
    positive_part,
    sine,
    to_fmpq,
)
from .sign_decision import absolute, ball, compared, larger, sign_of


def _opposite(x: Formal) -> Formal:
    return negative(x) if isinstance(x, Exact) else INFINITY[-compared(x, ZERO)]


def _plus(x: Formal, y: Formal) -> Formal:
    if isinstance(x, Exact) and isinstance(y, Exact):
        return add(x, y)
    if isinstance(x, str) and isinstance(y, str) and x != y:
        raise GiveUp
    return x if isinstance(x, str) else y


class Entrywise(Cells):
    """A rule for each operation that works on entries by themselves."""

    def _literal(self, node: Node, i: int, j: int) -> Formal:
        entry = node.params[0][i][j]
        return number(to_fmpq(entry)) if isinstance(entry, Fraction) else INFINITY[1 if entry > 0 else -1]

    def _pi(self, node: Node, i: int, j: int) -> Formal:
        return atom("pi")

    def _matrix(self, node: Node, i: int, j: int) -> Formal:
        return self.cell(node.args[i * node.shape[1] + j], 0, 0)

    def _ref(self, node: Node, i: int, j: int) -> Formal:
        key = node.params[0]
        if self.step_cell is not None and (found := self.step_cell(key, i, j)) is not None:
            return found
        if (formula := self.definition(key)) is None:
            raise GiveUp
        return self.cell(formula, i, j)

    def _neg(self, node: Node, i: int, j: int) -> Formal:
        return _opposite(self.finite_or_not(node.args[0], i, j))

    def _add(self, node: Node, i: int, j: int) -> Formal:
        return _plus(*(self.finite_or_not(a, i, j) for a in node.args))

    def _sub(self, node: Node, i: int, j: int) -> Formal:
        left, right = (self.finite_or_not(a, i, j) for a in node.args)
        return _plus(left, _opposite(right))

    def _mul(self, node: Node, i: int, j: int) -> Formal:
        left, right = (self.finite_or_not(a, i, j) for a in node.args)
        if node.args[1].operation == "log" and isinstance(left, Exact) and not left.top:
            return ZERO  # 0·log 0 as well
        if isinstance(left, Exact) and isinstance(right, Exact):
            return multiply(left, right)
        side = compared(left, ZERO) * compared(right, ZERO)
        if not side:
            raise GiveUp
        return INFINITY[side]

    def _div(self, node: Node, i: int, j: int) -> Formal:
        left = self.finite_or_not(node.args[0], i, j)
        below = self.stretched(node.args[1], i, j)
        if isinstance(left, str):
            return INFINITY[compared(left, ZERO) * (sign_of(below) or 1)]
        return divide(left, below)

    def _pow(self, node: Node, i: int, j: int) -> Formal:
        x, power = self.stretched(node.args[0], i, j), self.stretched(node.args[1], i, j).rational
        if power is None:
            return exponential(multiply(self.stretched(node.args[1], i, j), logarithm(x)))
        if power.denominator == 1 and abs(power) <= 16:
            result = ONE
            for _ in range(abs(int(power.numerator))):
                result = multiply(result, x)
            if power == 2:
                result = Exact(result.top, result.bottom, (fmpq(1), x))
            return result if power >= 0 else divide(ONE, result)
        if power * 2 == 1:
            return square_root(x)
        return exponential(multiply(number(power), logarithm(x)))

    def _exp(self, node: Node, i: int, j: int) -> Formal:
        x = self.cell(node.args[0], i, j)
        if isinstance(x, str):
            return ZERO if x == "-inf" else x
        return exponential(x)

    def _log(self, node: Node, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        return logarithm(x) if x.top else "-inf"

    def _sqrt(self, node: Node, i: int, j: int) -> Formal:
        return square_root(self.value(node.args[0], i, j))

    def _sin(self, node: Node, i: int, j: int) -> Formal:
        return sine(self.value(node.args[0], i, j))

    def _cos(self, node: Node, i: int, j: int) -> Formal:
        return cosine(self.value(node.args[0], i, j))

    def _tanh(self, node: Node, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        if not x.top:
            return ZERO
        power = exponential(multiply(number(fmpq(2)), x))
        return divide(add(power, negative(ONE)), add(power, ONE))

    def _erf(self, node: Node, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        if not x.top:
            return ZERO
        sign, positive = positive_part(x)
        return multiply(number(fmpq(sign)), atom("erf", canonical(positive)))

    def _abs(self, node: Node, i: int, j: int) -> Formal:
        return absolute(self.value(node.args[0], i, j))

    def _floor(self, node: Node, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        q = x.rational
        if q is not None:
            return number(fmpq(q.floor()))
        with ctx.workprec(256):
            whole = budget.floor(ball(x))
        if whole is None:
            raise GiveUp
        return number(fmpq(whole))

    def _round(self, node: Node, i: int, j: int) -> Formal:
        x, (digits, mode) = self.value(node.args[0], i, j), node.params
        with ctx.workprec(256 + 4 * digits):
            n = of_number(ball(x) if x.rational is None else x.rational, digits, mode)
        if n is None:
            raise GiveUp
        return number(n / fmpq(10) ** digits)

    def _maximum(self, node: Node, i: int, j: int) -> Formal:
        return larger(self.stretched(node.args[0], i, j), self.stretched(node.args[1], i, j))
