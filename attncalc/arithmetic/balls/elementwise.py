"""Certified operations that work on each entry by itself: sums and products of entries, powers, exponentials, sines."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from ...errors import DivisionByZero, FormulaError
from ...formula.index_base import row_and_column
from ...formula.typed_formula import Node
from .. import budget, rounding
from ..matrix_types import (
    MINUS_INFINITY,
    Entry,
    Literals,
    Matrix,
    Mixed,
    entries,
    exactly,
    is_infinite,
    is_number,
    longest_exact,
    pack,
    pack_finite,
    repeated,
    scaled_rows,
    stretched,
)
from .comparisons import Decisions, NeedsPrecision, decide, require_shorter

LARGEST_POWER_BITS = 60_000
_ZERO, _ONE, _TWO = fmpq(0), fmpq(1), fmpq(2)
_WAVES = {"sin": "sine", "cos": "cosine"}


def share_of_surprise(p: Entry, logarithm: Entry) -> Entry:
    """p·log q, where 0·log 0 is 0, as information theory has it: what never happens surprises nobody."""
    return _ZERO if is_infinite(logarithm) and p == 0 else p * logarithm


def _no_power(base: str) -> str:
    return "division by zero: " + (
        "0 has no negative power" if base == "0" else f"{base} is 0, which has no negative power"
    )


class Entrywise(Decisions):
    """Constants and operations entry by entry, a method each, called `_` and the operation's name. `literals` holds
    the numbers of the formulas.
    """

    literals: Literals

    def _pi(self, node: Node) -> Matrix:
        return arb_mat(1, 1, [arb.pi()])

    def _matrix(self, node: Node, *parts: Matrix) -> Matrix:
        flat = [entries(p)[0][0] for p in parts]
        m = node.shape[1]
        return pack([flat[k : k + m] for k in range(0, len(flat), m)])

    # -- entry by entry ------------------------------------------------------------------------------------------------

    def each(self, node: Node, a: Matrix, function: Callable[[Entry, int, int], Entry]) -> Matrix:
        """The n × m matrix of `function(entry, i, j)`."""
        return pack([[function(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(entries(a))])

    def pairs(self, node: Node, a: Matrix, b: Matrix, function: Callable[[Any, Any], Entry]) -> Matrix:
        """`function` of every pair of entries, single rows and columns stretched."""
        n, m = node.shape
        result = [
            list(map(function, one, other)) for one, other in zip(repeated(a, n, m), repeated(b, n, m), strict=True)
        ]
        if not isinstance(a, Mixed) and not isinstance(b, Mixed):
            return pack_finite(result)
        for i, row in enumerate(result):
            for j, x in enumerate(row):
                if isinstance(x, arb) and x.is_nan():
                    said = f"{row_and_column(i, j)}: ∞ − ∞ or 0 · ∞ has no value in {node.written}"
                    raise FormulaError(said + _of_logarithms(node), node.at)
        return pack(result)

    def _neg(self, node: Node, a: Matrix) -> Matrix:
        return pack([[-x for x in row] for row in a.rows]) if isinstance(a, Mixed) else -a

    def _add(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.add)
        if is_number(b, _ZERO):
            return a
        a, b = (stretched(x, node) for x in self.literals.alike(a, b))
        return a + b

    def _sub(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.sub)
        if _is_itself(node):
            return fmpq_mat(*node.shape)
        a, b = (stretched(x, node) for x in self.literals.alike(a, b))
        return a - b

    def _mul(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if not isinstance(a, Mixed) and not isinstance(b, Mixed):
            if is_number(b, _ONE):
                return a
            a, b = self.literals.alike(a, b)
            if node.args[1].shape == (1, 1):
                return a * b[0, 0]
            if node.args[0].shape == (1, 1):
                return b * a[0, 0]
        return self.pairs(node, a, b, share_of_surprise if node.args[1].operation == "log" else operator.mul)

    def _div(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        below = node.args[1]
        for i, row in enumerate(entries(b)):
            for j, y in enumerate(row):
                if not y > 0 and self.vanishes(y, below, i, j):
                    raise DivisionByZero(f"division by zero: {below.entry(i, j)} is 0", node.at)
        if _is_itself(node) and not isinstance(a, Mixed):
            return fmpq_mat(*node.shape, [1] * node.size)
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.truediv)
        if below.shape == (1, 1):
            a, b = self.literals.alike(a, b)
            return a / b[0, 0]
        if isinstance(a, arb_mat) and below.shape == (node.args[0].shape[0], 1):
            return scaled_rows(a, [1 / arb(y) for y in b.entries()])
        return self.pairs(node, a, b, operator.truediv)

    def _pow(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        base, exponent = node.args
        if isinstance(a, arb_mat) and is_number(b, _TWO):
            return arb_mat(*node.shape, [x * x for x in a.entries()])
        n, m = node.shape

        def power(x: Entry, y: Entry, i: int, j: int) -> Entry:
            at = (min(i, base.shape[0] - 1), min(j, base.shape[1] - 1))
            known = y if isinstance(y, fmpq) else exactly(y)  # among balls a whole exponent is one too
            if known is not None:
                return self.rational_power(node, x, known, at)
            if self.sign(x, base, *at) < 0:
                proven = self.cells.rational(exponent, min(i, exponent.shape[0] - 1), min(j, exponent.shape[1] - 1))
                if proven is None:
                    raise FormulaError(f"{base.entry(*at)} is negative; only whole powers of it exist", node.at)
                return self.rational_power(node, x, proven, at)
            if self.vanishes(x, base, *at):
                return self.power_of_zero(node, y, i, j)
            return arb(x) ** y

        pairs = [zip(one, other, strict=True) for one, other in zip(repeated(a, n, m), repeated(b, n, m), strict=True)]
        return pack([[power(x, y, i, j) for j, (x, y) in enumerate(pair)] for i, pair in enumerate(pairs)])

    def power_of_zero(self, node: Node, y: Entry, i: int, j: int) -> Entry:
        """0^y: 0, or 1 for y = 0; a negative one is a division by zero."""
        base, exponent = node.args
        sign = self.sign(y, exponent, min(i, exponent.shape[0] - 1), min(j, exponent.shape[1] - 1))
        if sign < 0:
            raise DivisionByZero(_no_power(base.written), node.at)
        return _ZERO if sign else _ONE

    def rational_power(self, node: Node, x: Entry, y: fmpq, at: tuple[int, int]) -> Entry:
        """x^y for a fraction y. Raises DivisionByZero for 0 to a negative power, FormulaError for a root of a negative
        number.
        """
        base = node.args[0]
        if y < 0 and self.vanishes(x, base, *at):
            raise DivisionByZero(_no_power(base.entry(*at)), node.at)
        if y.denominator == 1:
            return _whole_power(x, int(y.numerator), min(LARGEST_POWER_BITS, longest_exact(node)))
        if self.sign(x, base, *at) < 0:
            raise FormulaError(f"{base.entry(*at)} is negative; only whole powers of it exist", node.at)
        if self.vanishes(x, base, *at):
            return _ZERO
        if isinstance(x, fmpq):
            exact = budget.root(x, y, min(LARGEST_POWER_BITS, longest_exact(node)))
            if exact is not None:
                return exact
        return arb(x) ** arb(y)

    def _exp(self, node: Node, a: Matrix) -> Matrix:
        def exponential(x: Entry, i: int, j: int) -> Entry:
            if x == MINUS_INFINITY:
                return _ZERO
            return _ONE if x == 0 else arb(x).exp()

        return self.each(node, a, exponential)

    def _log(self, node: Node, a: Matrix) -> Matrix:
        def logarithm(x: Entry, i: int, j: int) -> Entry:
            sign = self.sign(x, node.args[0], i, j)
            if sign < 0:
                raise FormulaError(f"{node.args[0].entry(i, j)} is negative; it has no logarithm", node.at)
            if sign == 0:
                return MINUS_INFINITY
            return _ZERO if x == 1 else arb(x).log()

        return self.each(node, a, logarithm)

    def _sqrt(self, node: Node, a: Matrix) -> Matrix:
        def root(x: Entry, i: int, j: int) -> Entry:
            if type(x) is arb and x > 0:
                return x.sqrt()
            sign = self.sign(x, node.args[0], i, j)
            if sign < 0:
                raise FormulaError(f"{node.args[0].entry(i, j)} is negative; it has no square root", node.at)
            if isinstance(x, fmpq):
                exact = budget.square_root(x)
                return arb(x).sqrt() if exact is None else exact
            return x.sqrt() if sign else _ZERO

        rows = entries(a)
        roots = [[root(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        return pack(roots) if isinstance(a, Mixed) else pack_finite(roots)

    def at_zero(self, node: Node, a: Matrix, function: Callable[[arb], arb], zero: fmpq) -> Matrix:
        """`function` of every entry; of an exact 0 it is exactly `zero`."""
        return self.each(node, a, lambda x, i, j: zero if x == 0 else function(arb(x)))

    def periodic(self, node: Node, a: Matrix, function: Callable[[arb], arb], zero: fmpq) -> Matrix:
        """As `at_zero`, for functions without a value at ±∞. Raises FormulaError where an entry is infinite."""
        if isinstance(a, Mixed):
            raise FormulaError(
                f"{node.args[0].written} has an infinite entry; it has no {_WAVES.get(node.operation, node.operation)}",
                node.at,
            )
        return self.at_zero(node, a, function, zero)

    def _sin(self, node: Node, a: Matrix) -> Matrix:
        return self.periodic(node, a, arb.sin, _ZERO)

    def _cos(self, node: Node, a: Matrix) -> Matrix:
        return self.periodic(node, a, arb.cos, _ONE)

    def saturating(self, node: Node, a: Matrix, function: Callable[[arb], arb]) -> Matrix:
        """`function` of every entry, for one that is 0 at 0 and ±1 at ±∞."""
        return self.each(
            node,
            a,
            lambda x, i, j: fmpq(1 if x > 0 else -1) if is_infinite(x) else _ZERO if x == 0 else function(arb(x)),
        )

    def _tanh(self, node: Node, a: Matrix) -> Matrix:
        return self.saturating(node, a, arb.tanh)

    def _erf(self, node: Node, a: Matrix) -> Matrix:
        return self.saturating(node, a, arb.erf)

    def _abs(self, node: Node, a: Matrix) -> Matrix:
        return self.each(node, a, lambda x, i, j: abs(x))

    def _floor(self, node: Node, a: Matrix) -> Matrix:
        def down(x: Entry, i: int, j: int) -> Entry:
            if isinstance(x, fmpq):
                return fmpq(x.floor())
            require_shorter(x, longest_exact(node), node.args[0], i, j)
            whole = budget.floor(x)
            if whole is None:
                nearest = rounding.boundary(x, 0, "truncate")
                if nearest is None or not self.cells.equals(node.args[0], i, j, nearest):
                    raise NeedsPrecision(f"which whole number is below {node.args[0].entry(i, j)}")
                return nearest
            return fmpq(whole)

        if isinstance(a, Mixed):
            raise FormulaError(f"{node.args[0].written} has an infinite entry; no whole number is next to it", node.at)
        return self.each(node, a, down)

    def _round(self, node: Node, a: Matrix) -> Matrix:
        digits, mode = node.params

        def settle(x: Entry, i: int, j: int) -> Entry:
            if is_infinite(x):
                return x
            require_shorter(x, longest_exact(node), node.args[0], i, j)
            n = decide(self.cells, node.args[0], i, j, x, digits, mode)
            if n is None:
                raise NeedsPrecision(f"how {node.args[0].entry(i, j)} is rounded")
            return fmpq(n) / fmpq(10) ** digits

        return self.each(node, a, settle)

    def _maximum(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if node.args[1].shape != (1, 1):
            return self.pairs(node, a, b, larger)
        bound = entries(b)[0][0]
        if isinstance(a, arb_mat) and not is_infinite(bound):
            ball = arb(bound)
            if ball.is_exact():  # not a rounded number: what is smaller becomes this number itself
                result, m = arb_mat(a), a.ncols()
                for k, x in enumerate(a.entries()):
                    if not x > ball:
                        result[k // m, k % m] = ball if x < ball else x.max(ball)
                return result
        return pack([[larger(x, bound) for x in row] for row in entries(a)])


def _is_itself(node: Node) -> bool:
    """Whether both operands are the same step: s − s, s / s."""
    a, b = node.args
    return a is b or a.operation == b.operation == "ref" and a.params == b.params


def larger(x: Any, y: Any) -> Entry:
    """The larger of two entries; where balls overlap, a ball that holds it."""
    if x >= y:
        return x
    if y >= x:
        return y
    return arb(x).max(arb(y))


def _whole_power(x: Entry, n: int, most_bits: int) -> Entry:
    exact = budget.power(x, n, most_bits) if isinstance(x, fmpq) else None
    return arb(x) ** n if exact is None else exact


def _of_logarithms(node: Node) -> str:
    """How 0 · log 0 is written as what it stands for in an entropy."""
    logarithms = node.operation == "mul" and "log" in node.written
    return "; where 0 · log 0 is to count as 0, write xlogy(A, B) for A * log(B), or entropy(P)" if logarithms else ""
