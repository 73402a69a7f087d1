"""Certified arithmetic on whole matrices: exact rationals as long as they last, then balls that hold the true value.

A value is an `fmpq_mat`, an `arb_mat`, or a `Mixed` where some entries are infinite: −∞ is a symbol, never a wide ball.
Whatever cannot be decided at the working precision (is this divisor 0? which entry is larger?) is first tried by formal
proof (`exact.py`) and then raised as NeedsPrecision, so that the caller can come back with more bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz

from ..errors import DivisionByZero, FormulaError
from ..formula.node import OPERATIONS, Node, place
from ..formula.operations import nothing_left
from . import rounding
from .exact import ExactCells
from .matrices import (
    LONGEST_EXACT,
    MINUS_INFINITY,
    PLUS_INFINITY,
    Entry,
    Literals,
    Matrix,
    Mixed,
    Rows,
    alike,
    entries,
    from_literal,
    is_infinite,
    is_number,
    pack,
    repeated,
    repeated_rows,
    stretched,
)

LONGEST_IN_PRODUCTS = 2_000  # and at which they do where there are ever so many
MOST_EXACT_BITS = 100_000_000  # in all the products of an operation
LARGEST_POWER_BITS = 60_000
LARGEST_TAME = 1_000
_ZERO, _ONE, _TWO = fmpq(0), fmpq(1), fmpq(2)


class NeedsPrecision(Exception):
    """A decision that this working precision cannot make; the message says which, for when no precision can."""


class Certified:
    """Evaluates checked formulas at a working precision. `cells` gives formal proofs about single entries.

    `literals` holds the numbers of the formulas in flint's form, each with its node, so that no other node can get its id.
    """

    def __init__(self, cells: ExactCells, literals: Literals | None = None):
        self.cells = cells
        self.literals: Literals = {} if literals is None else literals

    def evaluate(self, node: Node, values: dict[str, Matrix], bits: int) -> Matrix:
        with ctx.workprec(bits):
            return Run(self, values).value(node)

    def run(self, values: dict[str, Matrix]) -> Run:
        """For many formulas in turn at flint's working precision; what is worked out may be added to `values`."""
        return Run(self, values)

    def literal(self, node: Node) -> Matrix:
        found = self.literals.get(id(node))
        if found is None:
            found = self.literals[id(node)] = node, from_literal(node.params[0])
        return found[1]


class Run:
    """Evaluations at one precision: a table of operations over the values of the steps before."""

    def __init__(self, arithmetic: Certified, values: dict[str, Matrix]):
        self.arithmetic = arithmetic
        self.values = values
        self.shared: dict[int, Matrix] = {}

    def value(self, node: Node) -> Matrix:
        operation = node.operation
        if operation == "ref":
            return self.values[node.params[0]]
        if operation == "literal":
            return self.arithmetic.literal(node)
        if node.shared and id(node) in self.shared:
            return self.shared[id(node)]
        arguments = [self.value(a) for a in node.args]
        if node.bits > LONGEST_IN_PRODUCTS:
            most = _longest_exact(node)
            arguments = [_shorten(x, most) if a.bits > most else x for a, x in zip(node.args, arguments, strict=True)]
        result: Matrix = _OPERATIONS[operation](self, node, *arguments)
        if node.shared:
            self.shared[id(node)] = result
        return result

    # -- decisions ---------------------------------------------------------------------------------------------------

    def vanishes(self, x: Entry, node: Node, i: int, j: int) -> bool:
        """Whether entry (i, j) of `node`, here x, is 0."""
        if isinstance(x, fmpq):
            return x == 0
        if not x.contains(0):
            return False
        if x.is_zero() or self.arithmetic.cells.equals(node, i, j, _ZERO):
            return True
        raise NeedsPrecision(f"whether {_entry(node, i, j)} is 0")

    def sign(self, x: Entry, node: Node, i: int, j: int) -> int:
        if x > 0:
            return 1
        if x < 0:
            return -1
        if self.vanishes(x, node, i, j):
            return 0
        raise NeedsPrecision(f"the sign of {_entry(node, i, j)}")

    def descending(self, node: Node, row: list[Entry], i: int) -> Iterator[int]:
        """The columns of a row from the largest entry down, equal entries by column; each place proven when it is asked for."""
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
        if row[p] == row[q] or self.arithmetic.cells.same(node, (i, p), (i, q)):
            return True
        raise NeedsPrecision(f"which of {_entry(node, i, p)} and {_entry(node, i, q)} is larger")

    # -- constants -----------------------------------------------------------------------------------------------------

    def _pi(self, node: Node) -> Matrix:
        return arb_mat(1, 1, [arb.pi()])

    def _matrix(self, node: Node, *parts: Matrix) -> Matrix:
        flat = [entries(p)[0][0] for p in parts]
        m = node.shape[1]
        return pack([flat[k : k + m] for k in range(0, len(flat), m)])

    # -- entry by entry --------------------------------------------------------------------------------------------------

    def each(self, node: Node, a: Matrix, function: Callable[[Entry, int, int], Entry]) -> Matrix:
        return pack([[function(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(entries(a))])

    def pairs(self, node: Node, a: Matrix, b: Matrix, function: Callable[[Any, Any], Entry]) -> Matrix:
        """`function` of every pair of entries, single rows and columns stretched."""
        n, m = node.shape
        result = [list(map(function, one, other)) for one, other in zip(repeated(a, n, m), repeated(b, n, m), strict=True)]
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            for i, row in enumerate(result):
                for j, x in enumerate(row):
                    if isinstance(x, arb) and x.is_nan():
                        raise FormulaError(f"row {i}, column {j}: ∞ − ∞ or 0 · ∞ has no value in {node.written}", node.at)
        return pack(result)

    def _neg(self, node: Node, a: Matrix) -> Matrix:
        return pack([[-x for x in row] for row in a.rows]) if isinstance(a, Mixed) else -a

    def _add(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if is_number(b, _ZERO) and node.args[0].shape == node.shape:
            return a
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.add)
        a, b = alike(stretched(a, node), stretched(b, node))
        return a + b

    def _sub(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            return self.pairs(node, a, b, operator.sub)
        a, b = alike(stretched(a, node), stretched(b, node))
        return a - b

    def _mul(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if is_number(b, _ONE) and node.args[0].shape == node.shape:
            return a
        if not isinstance(a, Mixed) and not isinstance(b, Mixed):
            a, b = alike(a, b)
            if node.args[1].shape == (1, 1):
                return a * b[0, 0]
            if node.args[0].shape == (1, 1):
                return b * a[0, 0]
        return self.pairs(node, a, b, operator.mul)

    def _div(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        below = node.args[1]
        for i, row in enumerate(entries(b)):
            for j, y in enumerate(row):
                if self.vanishes(y, below, i, j):
                    raise DivisionByZero(f"division by zero: {below.entry(i, j)} is 0", node.at)
        if below.shape == (1, 1) and not isinstance(a, Mixed) and not isinstance(b, Mixed):
            a, b = alike(a, b)
            return a / b[0, 0]
        return self.pairs(node, a, b, operator.truediv)

    def _pow(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        base = node.args[0]
        if isinstance(a, arb_mat) and is_number(b, _TWO):
            return arb_mat(*node.shape, [_square(x) for x in a.entries()])
        n, m = node.shape

        def power(x: Entry, y: Entry, i: int, j: int) -> Entry:
            at = (min(i, base.shape[0] - 1), min(j, base.shape[1] - 1))
            if isinstance(y, fmpq):
                return self.rational_power(node, x, y, at)
            if self.sign(x, base, *at) < 0:
                raise FormulaError(f"{_entry(base, *at)} is negative; only whole powers of it exist", node.at)
            if self.vanishes(x, base, *at):
                return _ZERO
            return arb(x) ** y

        pairs = [zip(one, other, strict=True) for one, other in zip(repeated(a, n, m), repeated(b, n, m), strict=True)]
        return pack([[power(x, y, i, j) for j, (x, y) in enumerate(pair)] for i, pair in enumerate(pairs)])

    def rational_power(self, node: Node, x: Entry, y: fmpq, at: tuple[int, int]) -> Entry:
        base = node.args[0]
        if y < 0 and self.vanishes(x, base, *at):
            raise DivisionByZero(f"division by zero: {_entry(base, *at)} is 0 and its power is negative", node.at)
        if y.denominator == 1:
            return _whole_power(x, int(y.numerator), min(LARGEST_POWER_BITS, _longest_exact(node)))
        if self.sign(x, base, *at) < 0:
            raise FormulaError(f"{_entry(base, *at)} is negative; only whole powers of it exist", node.at)
        if self.vanishes(x, base, *at):
            return _ZERO
        if isinstance(x, fmpq):
            exact = exact_root(x, y)
            if exact is not None:
                return exact
        if y.denominator == 2:
            return arb(x).sqrt() ** int(y.numerator)
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
                raise FormulaError(f"{_entry(node.args[0], i, j)} is negative; it has no logarithm", node.at)
            if sign == 0:
                return MINUS_INFINITY
            return _ZERO if x == 1 else arb(x).log()

        return self.each(node, a, logarithm)

    def _sqrt(self, node: Node, a: Matrix) -> Matrix:
        def root(x: Entry, i: int, j: int) -> Entry:
            sign = self.sign(x, node.args[0], i, j)
            if sign < 0:
                raise FormulaError(f"{_entry(node.args[0], i, j)} is negative; it has no square root", node.at)
            if isinstance(x, fmpq):
                exact = exact_root(x, fmpq(1, 2))
                return arb(x).sqrt() if exact is None else exact
            return x.sqrt() if sign else _ZERO

        return self.each(node, a, root)

    def at_zero(self, node: Node, a: Matrix, function: Callable[[arb], arb], zero: fmpq) -> Matrix:
        return self.each(node, a, lambda x, i, j: zero if x == 0 else function(arb(x)))

    def periodic(self, node: Node, a: Matrix, function: Callable[[arb], arb], zero: fmpq) -> Matrix:
        if isinstance(a, Mixed):
            raise FormulaError(f"{node.args[0].written} has an infinite entry; it has no {node.operation}", node.at)
        return self.at_zero(node, a, function, zero)

    def _sin(self, node: Node, a: Matrix) -> Matrix:
        return self.periodic(node, a, arb.sin, _ZERO)

    def _cos(self, node: Node, a: Matrix) -> Matrix:
        return self.periodic(node, a, arb.cos, _ONE)

    def saturating(self, node: Node, a: Matrix, function: Callable[[arb], arb]) -> Matrix:
        return self.each(node, a, lambda x, i, j: fmpq(1 if x > 0 else -1) if is_infinite(x) else _ZERO if x == 0 else function(arb(x)))

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
            whole = x.floor().unique_fmpz()
            if whole is None:
                nearest = rounding.boundary(x, 0, "truncate")
                if nearest is None or not self.arithmetic.cells.equals(node.args[0], i, j, nearest):
                    raise NeedsPrecision(f"which whole number is below {_entry(node.args[0], i, j)}")
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
            n = decide(self.arithmetic.cells, node.args[0], i, j, x, digits, mode)
            if n is None:
                raise NeedsPrecision(f"how {_entry(node.args[0], i, j)} is rounded")
            return fmpq(n) / fmpq(10) ** digits

        return self.each(node, a, settle)

    def _maximum(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if node.args[1].shape != (1, 1):
            return self.pairs(node, a, b, _larger)
        bound = entries(b)[0][0]
        if isinstance(a, arb_mat):
            ball = arb(bound)
            if ball.is_exact():  # flint compares balls with balls the fastest
                return arb_mat(*node.shape, [x if x > ball else ball if x < ball else _larger(x, ball) for x in a.entries()])
        return pack([[x if x > bound else bound if x < bound else _larger(x, bound) for x in row] for row in entries(a)])

    # -- rows and matrices ------------------------------------------------------------------------------------------------

    def _matmul(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, fmpq_mat) and isinstance(b, fmpq_mat):
            return a * b
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            raise FormulaError(f"an infinite entry stands in the product {node.written}", node.at)
        a, b = alike(a, b)
        return a * b

    def _transpose(self, node: Node, a: Matrix) -> Matrix:
        if isinstance(a, Mixed):
            return Mixed([list(column) for column in zip(*a.rows, strict=True)])
        return a.transpose()

    def _take(self, node: Node, a: Matrix) -> Matrix:
        n, m = node.args[0].shape
        rows, columns = node.params[0] or range(n), node.params[1] or range(m)
        if isinstance(a, Mixed):
            return pack([[a.rows[i][j] for j in columns] for i in rows])
        return type(a)(*node.shape, [a[i, j] for i in rows for j in columns])

    def _row_sum(self, node: Node, a: Matrix) -> Matrix:
        if not isinstance(a, Mixed):
            return a * type(a)(a.ncols(), 1, [1] * a.ncols())
        sums: Rows = []
        for i, row in enumerate(a.rows):
            total = sum(row[1:], row[0])
            if isinstance(total, arb) and total.is_nan():
                raise FormulaError(f"row {i} of {node.args[0].written}: ∞ − ∞ has no value", node.at)
            sums.append([total])
        return pack(sums)

    def _row_max(self, node: Node, a: Matrix) -> Matrix:
        maxima: Rows = []
        for row in entries(a):
            best = row[0]
            for x in row[1:]:
                best = _larger(best, x)
            maxima.append([best])
        return pack(maxima)

    def _softmax(self, node: Node, a: Matrix) -> Matrix:
        axis, empty = node.params
        rows = entries(a)
        if axis == "all":
            m = len(rows[0])
            flat = self.weights([x for row in rows for x in row], node, 0, empty, isinstance(a, Mixed))
            return pack([flat[k : k + m] for k in range(0, len(flat), m)])
        return pack([self.weights(row, node, i, empty, isinstance(a, Mixed)) for i, row in enumerate(rows)])

    def weights(self, row: list[Entry], node: Node, i: int, empty: str, mixed: bool) -> list[Entry]:
        """e^x/Σe^x over the finite entries; −∞ weighs exactly 0, and a lonely or uniform row is exact."""
        seen = row
        if mixed:
            for j, x in enumerate(row):
                if x is PLUS_INFINITY:
                    raise FormulaError(f"row {i}, column {j} of {node.args[0].written} is +∞; the softmax has no value", node.at)
            seen = [x for x in row if x is not MINUS_INFINITY]
        if len(seen) < 2 or seen[0] == seen[-1]:
            exact = self.exact_weights(row, seen, node, i, empty)
            if exact is not None:
                return exact
        exponentials = list(map(arb.exp, _tame(seen)))
        total = sum(exponentials[1:], exponentials[0])
        weights = [e / total for e in exponentials]
        if len(weights) == len(row):
            return weights
        each = iter(weights)
        return [_ZERO if x is MINUS_INFINITY else next(each) for x in row]

    def exact_weights(self, row: list[Entry], seen: list[Entry], node: Node, i: int, empty: str) -> list[Entry] | None:
        if not seen and empty == "error":
            raise nothing_left(node, i)
        if not seen:
            return [_ZERO if empty == "zeros" else fmpq(1, len(row))] * len(row)
        if len(seen) == 1 or all(isinstance(x, fmpq) and x == seen[0] for x in seen):
            return [_ZERO if x is MINUS_INFINITY else fmpq(1, len(seen)) for x in row]
        return None

    def _keep(self, node: Node, a: Matrix, mask: Matrix, fill: Matrix) -> Matrix:
        other = entries(fill)[0][0]
        if isinstance(mask, fmpq_mat):
            kept = [list(map(bool, row)) for row in mask.tolist()]
        else:
            kept = [[not self.vanishes(y, node.args[1], i, j) for j, y in enumerate(row)] for i, row in enumerate(entries(mask))]
        if all(map(all, kept)):
            return a
        rows = [
            [x if keep else other for x, keep in zip(row, line, strict=True)]
            for row, line in zip(entries(a), repeated_rows(kept, *node.shape), strict=True)
        ]
        return Mixed(rows) if other is MINUS_INFINITY else pack(rows)

    def _hstack(self, node: Node, *parts: Matrix) -> Matrix:
        rows = [entries(p) for p in parts]
        return pack([[x for part in rows for x in part[i]] for i in range(node.shape[0])])

    def _vstack(self, node: Node, *parts: Matrix) -> Matrix:
        return pack([row for p in parts for row in entries(p)])

    # -- choices ----------------------------------------------------------------------------------------------------------

    def _one_hot(self, node: Node, ids: Matrix) -> Matrix:
        classes, ignore = node.params
        flat = [x for row in entries(ids) for x in row]
        rows: Rows = []
        for k, x in enumerate(flat):
            if ignore is not None and x == ignore:
                rows.append([_ZERO] * classes)
                continue
            if not isinstance(x, fmpq) or x.denominator != 1 or not 0 <= x < classes:
                shown = str(x) if isinstance(x, fmpq) else "a number that is not whole"
                raise FormulaError(f"id {k} of {node.args[0].written} is a whole number from 0 to {classes - 1}; {shown} stands there", node.at)
            rows.append([_ONE if x == c else _ZERO for c in range(classes)])
        return pack(rows)

    def _top_k(self, node: Node, a: Matrix) -> Matrix:
        result: Rows = []
        for i, row in enumerate(entries(a)):
            best = set(islice(self.descending(node.args[0], row, i), node.params[0]))
            result.append([_ONE if j in best else _ZERO for j in range(len(row))])
        return pack(result)

    def _top_p(self, node: Node, a: Matrix, p: Matrix) -> Matrix:
        """Counts entries from the largest down until their sum reaches p; a sum that only may reach it asks for precision."""
        enough = entries(p)[0][0]
        result: Rows = []
        for i, row in enumerate(entries(a)):
            total: Entry = _ZERO
            kept = set()
            for j in self.descending(node.args[0], row, i):
                if total >= enough:
                    break
                if not total < enough:
                    raise NeedsPrecision(f"whether the largest entries of row {i} of {node.args[0].written} reach {node.args[1].written}")
                kept.add(j)
                total = total + row[j]
            result.append([_ONE if j in kept else _ZERO for j in range(len(row))])
        return pack(result)

    def _argmax_rows(self, node: Node, a: Matrix) -> Matrix:
        return pack([[fmpq(next(self.descending(node.args[0], row, i)))] for i, row in enumerate(entries(a))])

    def _order_rows(self, node: Node, a: Matrix) -> Matrix:
        first = [islice(self.descending(node.args[0], row, i), node.params[0]) for i, row in enumerate(entries(a))]
        return pack([[fmpq(place(node, j)) for j in row] for row in first])

    def _sort_rows(self, node: Node, a: Matrix) -> Matrix:
        return pack([[row[j] for j in self.descending(node.args[0], row, i)] for i, row in enumerate(entries(a))])


_OPERATIONS: dict[str, Callable[..., Matrix]] = {name: getattr(Run, f"_{name}") for name in OPERATIONS if hasattr(Run, f"_{name}")}


def decide(cells: ExactCells, node: Node, i: int, j: int, x: Entry, digits: int, mode: str) -> fmpz | None:
    """10ᵏ·x rounded to a whole number, proven; None where this precision and the formal proof leave it open."""
    if isinstance(x, fmpq):
        return rounding.of_rational(x, digits, mode)
    n = rounding.of_ball(x, digits, mode)
    if n is None:
        edge = rounding.boundary(x, digits, mode)
        if edge is not None and cells.equals(node, i, j, edge):
            n = rounding.of_rational(edge, digits, mode)
    return n


def _entry(node: Node, i: int, j: int) -> str:
    return node.entry(i, j)


def _larger(x: Any, y: Any) -> Entry:
    if x >= y:
        return x
    if y >= x:
        return y
    return arb(x).max(arb(y))


def _tame(scores: list[Entry]) -> list[arb]:
    """The scores as balls, moved down to 0 where they are exact and so large that their exponentials would lose precision."""
    kinds = set(map(type, scores))
    if arb in kinds:
        return scores if len(kinds) == 1 else list(map(arb, scores))
    balls = list(map(arb, scores))
    if -LARGEST_TAME < max(balls) < LARGEST_TAME:
        return balls
    largest = max(scores)
    return [arb(x - largest) for x in scores]


def _square(x: arb) -> arb:
    magnitude = abs(x)
    return magnitude * magnitude


def _whole_power(x: Entry, n: int, most_bits: int) -> Entry:
    if isinstance(x, fmpq):
        height = max(int(x.numerator).bit_length(), int(x.denominator).bit_length())
        if height * abs(n) <= most_bits:
            return x**n
        return arb(x) ** n
    return abs(x) ** n if n % 2 == 0 else x**n


def exact_root(x: fmpq, y: fmpq) -> fmpq | None:
    """x^y for a rational y, where that is rational."""
    index, power = int(y.denominator), int(y.numerator)
    if index > 64 or abs(power) > 1_000:
        return None
    parts = []
    for part in (x.numerator, x.denominator):
        root = fmpz(part).root(index)
        if root**index != part:
            return None
        parts.append(root)
    root_of_x = fmpq(parts[0], parts[1])
    return root_of_x**power


def _longest_exact(node: Node) -> int:
    """How many bits the exact entries that go into an operation may have, over one denominator."""
    products = node.size * (node.args[0].shape[1] if node.operation == "matmul" else 1)
    return max(LONGEST_IN_PRODUCTS, min(LONGEST_EXACT, MOST_EXACT_BITS // products))


def _shorten(value: Matrix, most_bits: int) -> Matrix:
    """Balls instead of exact entries that are too long."""
    if isinstance(value, arb_mat):
        return value
    exact = [x for row in entries(value) for x in row if isinstance(x, fmpq)]
    common = fmpz(1)
    for denominator in {x.denominator for x in exact}:
        common = common.lcm(denominator)
        if int(common.bit_length()) > most_bits:
            break
    if int(common.bit_length()) + max((int(x.numerator.bit_length()) for x in exact), default=0) <= most_bits:
        return value
    if isinstance(value, fmpq_mat):
        return arb_mat(value)
    return Mixed([[arb(x) if isinstance(x, fmpq) else x for x in row] for row in value.rows])
