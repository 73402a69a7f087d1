"""Certified arithmetic on whole matrices: short exact fractions, otherwise balls that contain the true value.

A value is an `fmpq_mat`, an `arb_mat`, or a `Mixed` if some entries are infinite. −∞ is a symbol, never a wide ball.

Some decisions need more precision, for example whether a divisor is 0, or which entry is larger. A formal proof
(`exact`) is tried first. If there is none, NeedsPrecision is raised, and the caller can try again with more bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import chain, islice

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz

from ..errors import DivisionByZero, FormulaError
from ..formula import operations as op
from ..formula.index_base import counted_place, row_and_column
from ..formula.shape_rules import nothing_left
from ..formula.typed_formula import Node
from . import budget, rounding
from .exact.exact_evaluator import ExactCells
from .matrix_types import (
    LONGEST_IN_PRODUCTS,
    MINUS_INFINITY,
    PLUS_INFINITY,
    Entry,
    Literals,
    Matrix,
    Mixed,
    Rows,
    broadcast,
    broadcast_matrix,
    broadcast_rows,
    entries,
    exact_value,
    from_flat,
    is_infinite,
    is_number,
    longest_exact,
    pack,
    pack_finite,
    scaled_rows,
    shorten,
)
from .working_precision import working_precision


class NeedsPrecision(Exception):
    """Raised for a decision that the working precision cannot make. The message names the decision."""


def require_shorter(x: Entry, most: int, node: Node, i: int, j: int) -> None:
    """Raise FormulaError if entry (i, j), whose value is x, has more than `most` bits before its point."""
    if isinstance(x, arb) and budget.is_longer(x, most):
        digits = most * 3 // 10
        raise FormulaError(
            f"{node.entry(i, j)} has more than {digits:,} digits before the decimal point, which is too long to "
            f"print; use smaller numbers, or print its logarithm",
            node.at,
        )


def decide(cells: ExactCells, node: Node, i: int, j: int, x: Entry, digits: int, mode: str) -> fmpz | None:
    """Return 10ᵏ·x rounded to a whole number, with proof. Return None if neither the ball nor a formal proof
    decides.
    """
    if isinstance(x, fmpq):
        return rounding.round_rational(x, digits, mode)
    n = rounding.round_ball(x, digits, mode)
    if n is not None:
        return n
    edge = rounding.rounding_boundary(x, digits, mode)
    if edge is None:
        return None
    if cells.equals(node, i, j, edge):
        return rounding.round_rational(edge, digits, mode)
    side = cells.side(node, i, j, edge)  # the ball contains no other boundary
    return None if side is None else rounding.round_rational(edge + side * rounding.quarter_unit(digits), digits, mode)


LARGEST_POWER_BITS = 60_000


def xlogy(p: Entry, logarithm: Entry) -> Entry:
    """Return p·log q, where 0·log 0 is 0 as in information theory."""
    return _ZERO if is_infinite(logarithm) and p == 0 else p * logarithm


def _zero_power_message(base: str) -> str:
    return "division by zero: " + (
        "0 has no negative power" if base == "0" else f"{base} is 0, which has no negative power"
    )


def _has_equal_operands(node: Node) -> bool:
    """Return whether both operands are the same step: s − s, s / s."""
    a, b = node.args
    return a is b or isinstance(a, op.Ref) and isinstance(b, op.Ref) and a.key == b.key


def larger(x: Entry, y: Entry) -> Entry:
    """Return the larger of two entries; if the balls overlap, a ball that contains the larger one."""
    if x >= y:
        return x
    if y >= x:
        return y
    return arb(x).max(arb(y))


def _whole_power(x: Entry, n: int, most_bits: int) -> Entry:
    exact = budget.power(x, n, most_bits) if isinstance(x, fmpq) else None
    return arb(x) ** n if exact is None else exact


def _xlogy_hint(node: Node) -> str:
    """Return a suggestion to write `xlogy` or `entropy` for a product with a logarithm; otherwise an empty string."""
    logarithms = isinstance(node, op.Mul) and "log" in node.written
    return "; to count 0 · log 0 as 0, write xlogy(A, B) instead of A * log(B), or entropy(P)" if logarithms else ""


MORE_BITS = 16  # additional bits for exact scores; the exponential of a score below 2^16 then loses no bits
MOST_LOST = 12  # bits that the exponentials of larger scores may lose
_ZERO, _ONE, _TWO, _UNIT = fmpq(0), fmpq(1), fmpq(2), arb(1)
_PERIODIC: dict[type[Node], tuple[Callable[[arb], arb], fmpq, str]] = {  # the function, its value at 0, and its name
    op.Sin: (arb.sin, _ZERO, "sine"), op.Cos: (arb.cos, _ONE, "cosine"),
}  # fmt: skip
_SATURATING: dict[type[Node], Callable[[arb], arb]] = {op.Tanh: arb.tanh, op.Erf: arb.erf}


class Certified:
    """Evaluates formulas with checked shapes at a working precision.

    `cells` gives formal proofs about single entries. `literals` contains the numbers of the formulas as matrices of
    flint.
    """

    def __init__(self, cells: ExactCells, literals: Literals | None = None):
        self.cells = cells
        self.literals = literals or Literals()

    def evaluate(self, node: Node, values: dict[str, Matrix], bits: int) -> Matrix:
        """Return the value of a formula over named values, at a precision in bits. It is exact if rational, otherwise
        balls.

        Raises FormulaError if the formula has no value (a division by zero), and NeedsPrecision if the precision is too
        low for a decision.
        """
        with working_precision(bits):
            return Run(self, values).value(node)

    def run(self, values: dict[str, Matrix]) -> Run:
        """Return a `Run` for several formulas at flint's working precision. The caller may add their results to
        `values`.
        """
        return Run(self, values)


class Run(op.Rules[Matrix]):
    """Evaluates operations at one precision, over the values of earlier steps."""

    def __init__(self, arithmetic: Certified, values: dict[str, Matrix]):
        self.cells = arithmetic.cells
        self.literals = arithmetic.literals
        self.values = values
        self.shared: dict[int, Matrix] = {}

    def vanishes(self, x: Entry, node: Node, i: int, j: int) -> bool:
        """Return whether entry (i, j) of `node`, whose value is x, is 0. Raises NeedsPrecision if this is not
        decided.
        """
        if isinstance(x, fmpq):
            return bool(x == 0)
        if x > 0 or x < 0:
            return False
        if x.is_zero() or self.cells.equals(node, i, j, _ZERO):
            return True
        raise NeedsPrecision(f"whether {node.entry(i, j)} is 0")

    def sign(self, x: Entry, node: Node, i: int, j: int) -> int:
        """Return the sign of entry (i, j): 1, −1, or 0 if the entry is proven to be 0.

        Raises NeedsPrecision if the ball contains 0 and there is no proof.
        """
        if x > 0:
            return 1
        if x < 0:
            return -1
        if self.vanishes(x, node, i, j):
            return 0
        raise NeedsPrecision(f"the sign of {node.entry(i, j)}")

    def descending(self, node: Node, row: list[Entry], i: int) -> Iterator[int]:
        """Yield the columns of a row from the largest entry down. Equal entries keep their order.

        Each column is proven only when the caller requests it.
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
        """Return True if entries p and q of a row are equal, and False if q is smaller. Raises NeedsPrecision if
        neither is proven.
        """
        if row[q] < row[p]:
            return False
        if row[p] == row[q] or self.cells.same(node, (i, p), (i, q)):
            return True
        raise NeedsPrecision(f"which of {node.entry(i, p)} and {node.entry(i, q)} is larger")

    def _literal(self, node: op.Literal) -> Matrix:
        return self.literals.matrix(node)

    def _ref(self, node: op.Ref) -> Matrix:
        return self.values[node.key]

    def _pi(self, node: op.Pi) -> Matrix:
        return arb_mat(1, 1, [arb.pi()])

    def _matrix(self, node: op.Matrix, *parts: Matrix) -> Matrix:
        flat = [entries(p)[0][0] for p in parts]
        m = node.shape[1]
        return pack([flat[k : k + m] for k in range(0, len(flat), m)])

    # -- entry by entry ------------------------------------------------------------------------------------------------

    def each(self, node: Node, a: Matrix, function: Callable[[Entry, int, int], Entry]) -> Matrix:
        """Return the n × m matrix of `function(entry, i, j)`."""
        return pack([[function(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(entries(a))])

    def pairs(self, node: Node, a: Matrix, b: Matrix, function: Callable[[Entry, Entry], Entry]) -> Matrix:
        """Apply `function` to every pair of entries, with single rows and columns repeated."""
        n, m = node.shape
        result = [
            list(map(function, left, right)) for left, right in zip(broadcast(a, n, m), broadcast(b, n, m), strict=True)
        ]
        if not isinstance(a, Mixed) and not isinstance(b, Mixed):
            return pack_finite(result)
        for i, row in enumerate(result):
            for j, x in enumerate(row):
                if isinstance(x, arb) and x.is_nan():
                    message = f"{row_and_column(i, j)}: {node.written} has no value, because it contains ∞ − ∞ or 0 · ∞"
                    raise FormulaError(message + _xlogy_hint(node), node.at)
        return pack(result)

    def _neg(self, node: op.Neg, a: Matrix) -> Matrix:
        return pack([[-x for x in row] for row in a.rows]) if isinstance(a, Mixed) else -a

    def _add(self, node: op.Add, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.add)
        if is_number(b, _ZERO):
            return a
        a, b = (broadcast_matrix(x, node) for x in self.literals.promote(a, b))
        return a + b

    def _sub(self, node: op.Sub, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.sub)
        if _has_equal_operands(node):
            return fmpq_mat(*node.shape)
        a, b = (broadcast_matrix(x, node) for x in self.literals.promote(a, b))
        return a - b

    def _mul(self, node: op.Mul, a: Matrix, b: Matrix) -> Matrix:
        if not isinstance(a, Mixed) and not isinstance(b, Mixed):
            if is_number(b, _ONE):
                return a
            a, b = self.literals.promote(a, b)
            if node.args[1].shape == (1, 1):
                return a * b[0, 0]
            if node.args[0].shape == (1, 1):
                return b * a[0, 0]
        return self.pairs(node, a, b, xlogy if isinstance(node.args[1], op.Log) else operator.mul)

    def _div(self, node: op.Div, a: Matrix, b: Matrix) -> Matrix:
        below = node.args[1]
        for i, row in enumerate(entries(b)):
            for j, y in enumerate(row):
                if not y > 0 and self.vanishes(y, below, i, j):
                    raise DivisionByZero(f"division by zero: {below.entry(i, j)} is 0", node.at)
        if _has_equal_operands(node) and not isinstance(a, Mixed):
            return fmpq_mat(*node.shape, [1] * node.size)
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.truediv)
        if below.shape == (1, 1):
            a, b = self.literals.promote(a, b)
            return a / b[0, 0]
        if isinstance(a, arb_mat) and below.shape == (node.args[0].shape[0], 1):
            return scaled_rows(a, [1 / arb(y) for y in b.entries()])
        return self.pairs(node, a, b, operator.truediv)

    def _pow(self, node: op.Pow, a: Matrix, b: Matrix) -> Matrix:
        base, exponent = node.args
        if isinstance(a, arb_mat) and is_number(b, _TWO):
            return arb_mat(*node.shape, [x * x for x in a.entries()])
        n, m = node.shape

        def power(x: Entry, y: Entry, i: int, j: int) -> Entry:
            at = (min(i, base.shape[0] - 1), min(j, base.shape[1] - 1))
            known = y if isinstance(y, fmpq) else exact_value(y)  # in a matrix of balls, whole exponents are balls too
            if known is not None:
                return self.rational_power(node, x, known, at)
            if self.sign(x, base, *at) < 0:
                proven = self.cells.rational(exponent, min(i, exponent.shape[0] - 1), min(j, exponent.shape[1] - 1))
                if proven is None:
                    raise FormulaError(
                        f"{base.entry(*at)} is negative, so it can be raised only to integer powers", node.at
                    )
                return self.rational_power(node, x, proven, at)
            if self.vanishes(x, base, *at):
                return self.power_of_zero(node, y, i, j)
            return arb(x) ** y

        pairs = [
            zip(left, right, strict=True) for left, right in zip(broadcast(a, n, m), broadcast(b, n, m), strict=True)
        ]
        return pack([[power(x, y, i, j) for j, (x, y) in enumerate(pair)] for i, pair in enumerate(pairs)])

    def power_of_zero(self, node: Node, y: Entry, i: int, j: int) -> Entry:
        """Return 0^y: 0, or 1 if y = 0. Raises DivisionByZero for a negative y."""
        base, exponent = node.args
        sign = self.sign(y, exponent, min(i, exponent.shape[0] - 1), min(j, exponent.shape[1] - 1))
        if sign < 0:
            raise DivisionByZero(_zero_power_message(base.written), node.at)
        return _ZERO if sign else _ONE

    def rational_power(self, node: Node, x: Entry, y: fmpq, at: tuple[int, int]) -> Entry:
        """Return x^y for a fraction y.

        Raises DivisionByZero for a negative power of 0, and FormulaError for a root of a negative number.
        """
        base = node.args[0]
        if y < 0 and self.vanishes(x, base, *at):
            raise DivisionByZero(_zero_power_message(base.entry(*at)), node.at)
        if y.denominator == 1:
            return _whole_power(x, int(y.numerator), min(LARGEST_POWER_BITS, longest_exact(node)))
        if self.sign(x, base, *at) < 0:
            raise FormulaError(f"{base.entry(*at)} is negative, so it can be raised only to integer powers", node.at)
        if self.vanishes(x, base, *at):
            return _ZERO
        if isinstance(x, fmpq):
            exact = budget.root(x, y, min(LARGEST_POWER_BITS, longest_exact(node)))
            if exact is not None:
                return exact
        return arb(x) ** arb(y)

    def _exp(self, node: op.Exp, a: Matrix) -> Matrix:
        def exponential(x: Entry, i: int, j: int) -> Entry:
            if x == MINUS_INFINITY:
                return _ZERO
            return _ONE if x == 0 else arb(x).exp()

        return self.each(node, a, exponential)

    def _log(self, node: op.Log, a: Matrix) -> Matrix:
        def logarithm(x: Entry, i: int, j: int) -> Entry:
            sign = self.sign(x, node.args[0], i, j)
            if sign < 0:
                raise FormulaError(f"{node.args[0].entry(i, j)} is negative; it has no logarithm", node.at)
            if sign == 0:
                return MINUS_INFINITY
            return _ZERO if x == 1 else arb(x).log()

        return self.each(node, a, logarithm)

    def _sqrt(self, node: op.Sqrt, a: Matrix) -> Matrix:
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

    def _periodic(self, node: Node, a: Matrix) -> Matrix:
        function, at_zero, noun = _PERIODIC[type(node)]
        if isinstance(a, Mixed):
            raise FormulaError(f"{node.args[0].written} has an infinite entry, which has no {noun}", node.at)
        return self.each(node, a, lambda x, i, j: at_zero if x == 0 else function(arb(x)))

    _sin = _cos = _periodic

    def _saturating(self, node: Node, a: Matrix) -> Matrix:
        """Apply a function that is 0 at 0 and ±1 at ±∞."""
        function = _SATURATING[type(node)]
        return self.each(
            node,
            a,
            lambda x, i, j: fmpq(1 if x > 0 else -1) if is_infinite(x) else _ZERO if x == 0 else function(arb(x)),
        )

    _tanh = _erf = _saturating

    def _abs(self, node: op.Abs, a: Matrix) -> Matrix:
        return self.each(node, a, lambda x, i, j: abs(x))

    def _floor(self, node: op.Floor, a: Matrix) -> Matrix:
        def down(x: Entry, i: int, j: int) -> Entry:
            if isinstance(x, fmpq):
                return fmpq(x.floor())
            require_shorter(x, longest_exact(node), node.args[0], i, j)
            whole = budget.floor(x)
            if whole is None:
                nearest = rounding.rounding_boundary(x, 0, "truncate")
                if nearest is None or not self.cells.equals(node.args[0], i, j, nearest):
                    raise NeedsPrecision(f"to which whole number {node.args[0].entry(i, j)} is rounded down")
                return nearest
            return fmpq(whole)

        if isinstance(a, Mixed):
            raise FormulaError(
                f"{node.args[0].written} has an infinite entry, which cannot be rounded to a whole number", node.at
            )
        return self.each(node, a, down)

    def _round(self, node: op.Round, a: Matrix) -> Matrix:
        digits, mode = node.digits, node.mode

        def settle(x: Entry, i: int, j: int) -> Entry:
            if is_infinite(x):
                return x
            require_shorter(x, longest_exact(node), node.args[0], i, j)
            n = decide(self.cells, node.args[0], i, j, x, digits, mode)
            if n is None:
                raise NeedsPrecision(f"how {node.args[0].entry(i, j)} is rounded")
            return fmpq(n) / fmpq(10) ** digits

        return self.each(node, a, settle)

    def _maximum(self, node: op.Maximum, a: Matrix, b: Matrix) -> Matrix:
        if node.args[1].shape != (1, 1):
            return self.pairs(node, a, b, larger)
        bound = entries(b)[0][0]
        if isinstance(a, arb_mat) and not is_infinite(bound):
            ball = arb(bound)
            if ball.is_exact():  # the bound is exact, so smaller entries become the bound
                result, m = arb_mat(a), a.ncols()
                for k, x in enumerate(a.entries()):
                    if not x > ball:
                        result[k // m, k % m] = ball if x < ball else x.max(ball)
                return result
        return pack([[larger(x, bound) for x in row] for row in entries(a)])

    def value(self, node: Node) -> Matrix:
        """Return the value of a formula as a matrix of the node's shape. Shared subformulas are computed once.

        Raises the errors of `Certified.evaluate`.
        """
        if not node.args:
            return _RULES[type(node)](self, node)
        if node.size == 1 and (constant := self.literals.constant(node)) is not None:
            return constant
        if node.shared and id(node) in self.shared:
            return self.shared[id(node)]
        values = self.values
        arguments = [values[a.key] if isinstance(a, op.Ref) else self.value(a) for a in node.args]
        if node.bits > LONGEST_IN_PRODUCTS:
            most = longest_exact(node)
            arguments = [shorten(x, most) if a.bits > most else x for a, x in zip(node.args, arguments, strict=True)]
        result = _RULES[type(node)](self, node, *arguments)
        if node.size == 1:
            self.literals.keep_constant(node, result)
        if node.shared:
            self.shared[id(node)] = result
        return result

    # -- rows and matrices ---------------------------------------------------------------------------------------------

    def _matmul(self, node: op.MatMul, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, fmpq_mat) and isinstance(node.args[0], op.OneHot) and isinstance(b, Mixed):
            return pack([_lookup_row(row, b.rows) for row in entries(a)])
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            raise FormulaError(f"a factor of the product {node.written} has an infinite entry", node.at)
        return self.literals.product(a, b, node)

    def _transpose(self, node: op.Transpose, a: Matrix) -> Matrix:
        if isinstance(a, Mixed):
            return Mixed([list(column) for column in zip(*a.rows, strict=True)])
        return a.transpose()

    def _take(self, node: op.Take, a: Matrix) -> Matrix:
        n, m = node.args[0].shape
        rows, columns = node.taken_rows or range(n), node.taken_columns or range(m)
        if isinstance(a, Mixed):
            return pack([[a.rows[i][j] for j in columns] for i in rows])
        return self.literals.part(node, a, rows, columns)

    def _row_sum(self, node: op.RowSum, a: Matrix) -> Matrix:
        if not isinstance(a, Mixed):
            return a * type(a)(a.ncols(), 1, [1] * a.ncols())
        sums: Rows = []
        for i, row in enumerate(a.rows):
            total = sum(row[1:], row[0])
            if isinstance(total, arb) and total.is_nan():
                raise FormulaError(f"row {counted_place(i)} of {node.args[0].written}: ∞ − ∞ has no value", node.at)
            sums.append([total])
        return pack(sums)

    def _row_max(self, node: op.RowMax, a: Matrix) -> Matrix:
        maxima: Rows = []
        for row in entries(a):
            best = row[0]
            for x in row[1:]:
                best = larger(best, x)
            maxima.append([best])
        return pack(maxima)

    def _softmax(self, node: op.Softmax, a: Matrix) -> Matrix:
        axis, empty = node.axis, node.empty
        if axis == "rows" and not isinstance(a, Mixed) and (quick := self.batch_weights(a)) is not None:
            return quick
        rows, mixed = entries(a), isinstance(a, Mixed)
        if axis == "all":
            rows = [[x for row in rows for x in row]]
        weights = (self.weights(row, node, i, empty, mixed) for i, row in enumerate(rows))
        return from_flat(*node.shape, list(chain.from_iterable(weights)))

    def batch_weights(self, a: fmpq_mat | arb_mat) -> arb_mat | None:
        """Return the softmax of all rows, computed together; None if a row may be exact, or loses precision."""
        n, m = a.nrows(), a.ncols()
        are_exact = isinstance(a, fmpq_mat)
        if m == 1 or are_exact and any(a[i, 0] == a[i, 1] for i in range(n)):
            return None
        if are_exact:
            with ctx.extraprec(MORE_BITS):
                a = arb_mat(a)
        exponentials = arb_mat(n, m, [x.exp() for x in a.entries()])
        totals = (exponentials * arb_mat(m, 1, [1] * m)).entries()
        if are_exact and any(total.rel_accuracy_bits() < ctx.prec - MOST_LOST for total in totals):
            return None
        return scaled_rows(exponentials, [_UNIT / total for total in totals])

    def weights(self, row: list[Entry], node: op.Softmax, i: int, empty: str, mixed: bool) -> list[Entry]:
        """Return e^x/Σe^x over the finite entries. −∞ has weight 0. The weights of one score or of equal scores are
        exact.
        """
        seen = row
        if mixed:
            seen = [x for x in row if x is not MINUS_INFINITY]
            if any(x is PLUS_INFINITY for x in seen):
                message = f"{row_and_column(i, row.index(PLUS_INFINITY))} of {node.args[0].written} is +∞"
                raise FormulaError(f"{message}; the softmax has no value", node.at)
        if len(seen) < 2 or type(seen[0]) is fmpq:
            exact = self.exact_weights(row, seen, node, i, empty)
            if exact is not None:
                return exact
        with ctx.extraprec(MORE_BITS):
            scores = [x if type(x) is arb else arb(x) for x in seen]
        exponentials = [x.exp() for x in scores]
        total = sum(exponentials[1:], exponentials[0])
        if type(seen[0]) is fmpq and total.rel_accuracy_bits() < ctx.prec - MOST_LOST and arb not in map(type, seen):
            largest = max(seen)  # exponentials of such large exact scores would lose precision
            exponentials = [arb(x - largest).exp() for x in seen]
            total = sum(exponentials[1:], exponentials[0])
        share = _UNIT / total
        if len(seen) == len(row):
            return [e * share for e in exponentials]
        each = iter(exponentials)
        return [_ZERO if x is MINUS_INFINITY else next(each) * share for x in row]

    def exact_weights(
        self, row: list[Entry], seen: list[Entry], node: op.Softmax, i: int, empty: str
    ) -> list[Entry] | None:
        """Return the weights of row i if they are fractions, otherwise None.

        They are fractions for a single finite score (1), for equal scores (1/k), and for no finite score (by `empty`).
        Raises FormulaError for no finite score if `empty` is "error".
        """
        if not seen and empty == "error":
            raise nothing_left(node, i)
        if not seen:
            return [_ZERO if empty == "zeros" else fmpq(1, len(row))] * len(row)
        if len(seen) == 1 or type(seen[0]) is fmpq and seen.count(seen[0]) == len(seen):
            return [_ZERO if x is MINUS_INFINITY else fmpq(1, len(seen)) for x in row]
        return None

    def _keep(self, node: op.Keep, a: Matrix, mask: Matrix, fill: Matrix) -> Matrix:
        if isinstance(mask, fmpq_mat):
            kept = self.literals.forms_of(mask).mask_entries()
        else:
            kept = [
                [not self.vanishes(y, node.args[1], i, j) for j, y in enumerate(row)]
                for i, row in enumerate(entries(mask))
            ]
        if all(map(all, kept)):
            return a
        other = entries(fill)[0][0]
        rows = [
            [x if keep else other for x, keep in zip(row, line, strict=True)]
            for row, line in zip(entries(a), broadcast_rows(kept, *node.shape), strict=True)
        ]
        return Mixed(rows) if isinstance(fill, Mixed) else pack(rows)

    def _hstack(self, node: op.HStack, *parts: Matrix) -> Matrix:
        if any(isinstance(p, Mixed) for p in parts):
            return pack([list(chain.from_iterable(line)) for line in zip(*map(entries, parts), strict=True)])
        flats = [(p.entries(), p.ncols()) for p in parts if not isinstance(p, Mixed)]
        rows = range(node.shape[0])
        return from_flat(*node.shape, [x for i in rows for flat, m in flats for x in flat[i * m : i * m + m]])

    def _vstack(self, node: op.VStack, *parts: Matrix) -> Matrix:
        return pack([row for p in parts for row in entries(p)])

    # -- choices -------------------------------------------------------------------------------------------------------

    def _one_hot(self, node: op.OneHot, ids: Matrix) -> Matrix:
        classes, ignore = node.classes, node.ignore
        flat = [x for row in entries(ids) for x in row]
        rows: Rows = []
        for k, x in enumerate(flat):
            if ignore is not None and x == ignore:
                rows.append([_ZERO] * classes)
                continue
            if not isinstance(x, fmpq) or x.denominator != 1 or not 0 <= x < classes:
                shown = str(x) if isinstance(x, fmpq) else "a number that is not whole"
                raise FormulaError(
                    f"id {k} of {node.args[0].written}: expected a whole number from 0 to {classes - 1}, found {shown}",
                    node.at,
                )
            rows.append([_ONE if x == c else _ZERO for c in range(classes)])
        return pack(rows)

    def _top_k(self, node: op.TopK, a: Matrix) -> Matrix:
        result: Rows = []
        for i, row in enumerate(entries(a)):
            best = set(islice(self.descending(node.args[0], row, i), node.k))
            result.append([_ONE if j in best else _ZERO for j in range(len(row))])
        return pack(result)

    def _top_p(self, node: op.TopP, a: Matrix, p: Matrix) -> Matrix:
        """Mark entries from the largest down until their sum reaches p. Raises NeedsPrecision if a sum may or may not
        reach p.
        """
        enough = entries(p)[0][0]
        result: Rows = []
        for i, row in enumerate(entries(a)):
            total: Entry = _ZERO
            kept: list[int] = []
            for j in self.descending(node.args[0], row, i):
                if self.reaches(node, total, enough, i, kept):
                    break
                kept.append(j)
                total = total + row[j]
            result.append([_ONE if j in kept else _ZERO for j in range(len(row))])
        return pack(result)

    def reaches(self, node: Node, total: Entry, enough: Entry, i: int, kept: list[int]) -> bool:
        """Return whether the sum of the kept entries of row i is at least `enough`, by enclosures or by formal proof.

        Raises NeedsPrecision if neither decides.
        """
        if total >= enough or total < enough:
            return bool(total >= enough)
        sign = self.cells.compare_sum(node.args[0], i, kept, node.args[1])
        if sign is None:
            values, least = (argument.written for argument in node.args[:2])
            raise NeedsPrecision(
                f"whether the largest entries of row {counted_place(i)} of {values} sum to at least {least}"
            )
        return sign >= 0

    def _argmax_rows(self, node: op.ArgmaxRows, a: Matrix) -> Matrix:
        return pack([[fmpq(next(self.descending(node.args[0], row, i)))] for i, row in enumerate(entries(a))])

    def _order_rows(self, node: op.OrderRows, a: Matrix) -> Matrix:
        first = [islice(self.descending(node.args[0], row, i), node.k) for i, row in enumerate(entries(a))]
        return pack([[fmpq(node.place(j)) for j in row] for row in first])

    def _sort_rows(self, node: op.SortRows, a: Matrix) -> Matrix:
        return pack([[row[j] for j in self.descending(node.args[0], row, i)] for i, row in enumerate(entries(a))])


_RULES = op.rules(Run)


def _lookup_row(one_hot: list[fmpq], rows: Rows) -> list[Entry]:
    """Return the row that a row of `one_hot` selects, or zeros for an ignored id. This avoids 0 · (−∞) in other
    rows.
    """
    return rows[one_hot.index(_ONE)] if _ONE in one_hot else [_ZERO] * len(rows[0])
