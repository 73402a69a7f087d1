"""Computes single entries of checked formulas as formal numbers, on request and within limits on work (rule R9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key, reduce
from typing import TypeVar

from flint import fmpq, fmpz

from ...formula import operations as op
from ...formula.typed_formula import Node
from .. import budget
from ..budget import GiveUp
from ..rounding import round_number
from ..working_precision import working_precision
from .exponential_sums import (
    METER,
    MOST_WORK,
    MOST_WORK_IN_ALL,
    ONE_TERM,
    Sum,
    add_sums,
    equal_sums,
    scale,
    tidy_exponent,
)
from .quotient_form import (
    INFINITY,
    ONE,
    OPAQUE,
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
    quotient,
    same,
    sine,
    to_fmpq,
)
from .sign_decision import absolute, ball, compare, larger, same_number, sign_of, sign_of_terms, simplify, vanishes

LARGEST_FACTORED = 96  # bits


def exponential(x: Exact) -> Exact:
    """Return e^x, with e^(q ln p) = p^q for whole and half q."""
    if not x.top:
        return ONE
    if list(x.bottom) == [ONE_TERM]:
        alpha = tuple(sorted(x.top.items()))
    else:
        alpha = (((1, (), ((("quotient", canonical(x)), 1),)), fmpq(1)),)
    factor, root, rest = tidy_exponent(alpha)
    return Exact({(root, rest, ()): factor})


def square_part(m: int) -> tuple[int, int]:
    """Return (s, f) with m = s²·f and f squarefree."""
    if m.bit_length() > LARGEST_FACTORED:
        raise GiveUp
    square, free = 1, 1
    for prime, power in fmpz(m).factor():
        square *= int(prime) ** (power // 2)
        free *= int(prime) ** (power % 2)
    return square, free


def square_root(x: Exact) -> Exact:
    """Return √x for x ≥ 0. It is √c·|r| for c·r², a root for a single rational term, and an atom for other numbers."""
    if x.root and x.root[0] > 0:
        c, r = x.root
        return multiply(square_root(number(c)), absolute(r))
    if not x.top:
        return ZERO
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        (root, alpha, atoms), q = next(iter(x.top.items()))
        if root == 1 and q > 0 and all(p % 2 == 0 for _, p in atoms):
            square, free = square_part(int(q.numerator * q.denominator))
            halved = tuple((t, c / 2) for t, c in alpha)
            factor, pulled, rest = tidy_exponent(halved)
            more, free = square_part(free * pulled)
            coefficient = fmpq(square * more) / q.denominator * factor
            root_of_x = Exact({(free, rest, tuple((a, p // 2) for a, p in atoms)): coefficient})
            return absolute(root_of_x) if atoms else root_of_x  # √(log(x)²) is −log(x) for x below 1
    return atom("sqrt", canonical(x))


def logarithm(x: Exact) -> Exact:
    """Return ln x. A fraction is factored (ln 12 is 2 ln 2 + ln 3), q·√m·e^α gives a sum, and other numbers an atom.

    Raises GiveUp for x ≤ 0.
    """
    q = x.rational
    if q is not None:
        if q <= 0:
            raise GiveUp
        if q.height_bits() > LARGEST_FACTORED:
            return atom("log", canonical(x))
        total: Sum = {}
        for part, sign in ((q.numerator, 1), (q.denominator, -1)):
            for prime, power in fmpz(part).factor():
                term = next(iter(atom("ln", int(prime)).top))
                total[term] = total.get(term, fmpq(0)) + sign * power
        return Exact(total)
    if len(x.top) == 1 and list(x.bottom) == [ONE_TERM]:
        (root, alpha, atoms), c = next(iter(x.top.items()))
        if not atoms and c > 0:
            base = add(logarithm(number(c)), multiply(number(fmpq(1, 2)), logarithm(number(fmpq(root)))))
            return add(base, Exact(dict(alpha)))
    if sign_of(x) <= 0:
        raise GiveUp
    return atom("log", canonical(x))


# -- exponentials, roots and logarithms --------------------------------------------------------------------------------


def _negate(x: Formal) -> Formal:
    return negative(x) if isinstance(x, Exact) else INFINITY[-compare(x, ZERO)]


def _plus(x: Formal, y: Formal) -> Formal:
    if isinstance(x, Exact) and isinstance(y, Exact):
        return add(x, y)
    if isinstance(x, str) and isinstance(y, str) and x != y:
        raise GiveUp
    return x if isinstance(x, str) else y


T = TypeVar("T")
_UNARY: dict[type[Node], Callable[[Exact], Exact]] = {
    op.Sqrt: square_root, op.Sin: sine, op.Cos: cosine, op.Abs: absolute,
}  # fmt: skip


class ExactCells(op.Rules[Formal]):
    """Proofs about single entries of checked formulas.

    - `effort` is the limit on term operations for an entry, and `in_all` the limit for all entries.
    - `step_cell` returns the entry of a given or a step; None if it is not known.
    - `definition` returns the formula of a step if the step's value is exactly the formula's value.
    """

    def __init__(
        self,
        step_cell: Callable[[str, int, int], Formal | None] | None = None,
        effort: int = MOST_WORK,
        in_all: int = MOST_WORK_IN_ALL,
        definition: Callable[[str], Node | None] = lambda key: None,
    ):
        self.step_cell = step_cell
        self.definition = definition
        self.known: dict[tuple[Node, int, int], Formal | None] = {}
        self.lines: dict[tuple[Node, int | None], list[Exact]] = {}
        self.totals: dict[tuple[Node, int | None], Sum] = {}
        self.orders: dict[tuple[Node, int], list[int]] = {}
        self.structures: dict[Node, int] = {}
        self.numbers: dict[tuple[object, ...], int] = {}
        self.effort = effort
        self.left = in_all

    def within_effort(self, work: Callable[[], T], otherwise: T) -> T:
        """Return the result of `work`, or `otherwise` if `work` exceeds the effort for an entry."""
        METER.left = granted = max(0, min(self.effort, self.left))
        try:
            return work()
        except (GiveUp, RecursionError, OverflowError, MemoryError):
            return otherwise
        finally:
            self.left -= granted - METER.left

    def equals(self, node: Node, i: int, j: int, value: fmpq) -> bool:
        """Return whether entry (i, j) is proven to be `value`."""
        x = self.find(node, i, j)
        return isinstance(x, Exact) and self.within_effort(lambda: equal_sums(x.top, scale(x.bottom, value)), False)

    def side(self, node: Node, i: int, j: int, value: fmpq) -> int | None:
        """Return 1 if entry (i, j) is proven to be above `value`, −1 if below, and None if its terms prove neither."""
        x = self.find(node, i, j)
        return self.within_effort(lambda: sign_of_terms(add(x, number(-value))), None) if isinstance(x, Exact) else None

    def rational(self, node: Node, i: int, j: int) -> fmpq | None:
        """Return the fraction that is proven equal to entry (i, j); None without a proof."""
        x = self.find(node, i, j)
        return x.rational if isinstance(x, Exact) else None

    def same(self, node: Node, first: tuple[int, int], second: tuple[int, int]) -> bool:
        """Return whether two entries of one matrix are proven equal."""
        x, y = self.find(node, *first), self.find(node, *second)
        if not isinstance(x, Exact) or not isinstance(y, Exact):
            return False
        return self.within_effort(lambda: same(x, y) or same_number(x, y), False)

    def compare_sum(self, node: Node, i: int, columns: list[int], value: Node) -> int | None:
        """Return 1 if the sum of some entries of a row is larger than a number, 0 if equal, −1 if smaller; None without
        a proof.
        """
        places = [(i, j) for j in columns]
        return self.within_effort(lambda: compare(self.total(node, places, ZERO), self.value(value, 0, 0)), None)

    def sums_to(self, node: Node, places: Sequence[tuple[int, int]], value: fmpq) -> bool:
        """Return whether some entries of a matrix are proven to sum to a number."""
        return self.within_effort(lambda: vanishes(self.total(node, places, number(-value))), False)

    def total(self, node: Node, places: Sequence[tuple[int, int]], start: Exact) -> Exact:
        """Add a number and some entries of a matrix, in this order."""
        return reduce(add, (self.value(node, i, j) for i, j in places), start)

    def find(self, node: Node, i: int, j: int) -> Formal | None:
        """Return entry (i, j), or None if it needs more work than the limit."""
        return self.within_effort(lambda: self.cell(node, i, j), None)

    def cell(self, node: Node, i: int, j: int) -> Formal:
        """Return entry (i, j) of a formula. Results and failures are cached. Raises GiveUp if the entry cannot be
        computed.
        """
        key = (node, i, j)
        if key in self.known:
            entry = self.known[key]
        else:
            METER.spend(1)
            self.known[key] = None  # failures are cached too
            entry = _RULES[type(node)](self, node, i, j)
            entry = self.known[key] = simplify(entry) if isinstance(entry, Exact) else entry
        if entry is None:
            raise GiveUp
        return entry

    def value(self, node: Node, i: int, j: int) -> Exact:
        """Return a finite entry. Raises GiveUp for an infinite entry.

        An entry that cannot be computed becomes an atom. Formally equal entries become the same atom.
        """
        try:
            entry = self.cell(node, i, j)
        except GiveUp:
            return atom(OPAQUE, (self.structure(node), i, j))
        if isinstance(entry, str):
            raise GiveUp
        return entry

    def structure(self, node: Node) -> int:
        """Return the identification number of a formula. Equal formulas have the same number, so s − s is 0 for any
        s.
        """
        if node not in self.structures:
            written = type(node), *node.parameters.values(), *map(self.structure, node.args)
            self.structures[node] = self.numbers.setdefault(written, len(self.numbers))
        return self.structures[node]

    def finite_or_not(self, node: Node, i: int, j: int) -> Formal:
        """Return an entry after broadcasting, as `broadcast_value` does, but the entry may be infinite."""
        i, j = min(i, node.shape[0] - 1), min(j, node.shape[1] - 1)
        try:
            return self.cell(node, i, j)
        except GiveUp:
            return self.value(node, i, j)

    def broadcast_value(self, node: Node, i: int, j: int) -> Exact:
        """Return a finite entry of a matrix after broadcasting its single row or column."""
        return self.value(node, min(i, node.shape[0] - 1), min(j, node.shape[1] - 1))

    def _literal(self, node: op.Literal, i: int, j: int) -> Formal:
        entry = node.entries[i][j]
        return number(to_fmpq(entry)) if isinstance(entry, Fraction) else INFINITY[1 if entry > 0 else -1]

    def _pi(self, node: op.Pi, i: int, j: int) -> Formal:
        return atom("pi")

    def _matrix(self, node: op.Matrix, i: int, j: int) -> Formal:
        return self.cell(node.args[i * node.shape[1] + j], 0, 0)

    def _ref(self, node: op.Ref, i: int, j: int) -> Formal:
        key = node.key
        if self.step_cell is not None and (entry := self.step_cell(key, i, j)) is not None:
            return entry
        if (formula := self.definition(key)) is None:
            raise GiveUp
        return self.cell(formula, i, j)

    def _neg(self, node: op.Neg, i: int, j: int) -> Formal:
        return _negate(self.finite_or_not(node.args[0], i, j))

    def _add(self, node: op.Add, i: int, j: int) -> Formal:
        return _plus(*(self.finite_or_not(a, i, j) for a in node.args))

    def _sub(self, node: op.Sub, i: int, j: int) -> Formal:
        left, right = (self.finite_or_not(a, i, j) for a in node.args)
        return _plus(left, _negate(right))

    def _mul(self, node: op.Mul, i: int, j: int) -> Formal:
        left, right = (self.finite_or_not(a, i, j) for a in node.args)
        if isinstance(node.args[1], op.Log) and isinstance(left, Exact) and not left.top:
            return ZERO  # 0·log 0 as well
        if isinstance(left, Exact) and isinstance(right, Exact):
            return multiply(left, right)
        side = compare(left, ZERO) * compare(right, ZERO)
        if not side:
            raise GiveUp
        return INFINITY[side]

    def _div(self, node: op.Div, i: int, j: int) -> Formal:
        left = self.finite_or_not(node.args[0], i, j)
        below = self.broadcast_value(node.args[1], i, j)
        if isinstance(left, str):
            return INFINITY[compare(left, ZERO) * (sign_of(below) or 1)]
        return divide(left, below)

    def _pow(self, node: op.Pow, i: int, j: int) -> Formal:
        x, power = self.broadcast_value(node.args[0], i, j), self.broadcast_value(node.args[1], i, j).rational
        if power is None:
            return exponential(multiply(self.broadcast_value(node.args[1], i, j), logarithm(x)))
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

    def _exp(self, node: op.Exp, i: int, j: int) -> Formal:
        x = self.cell(node.args[0], i, j)
        if isinstance(x, str):
            return ZERO if x == "-inf" else x
        return exponential(x)

    def _log(self, node: op.Log, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        return logarithm(x) if x.top else "-inf"

    def _unary(self, node: Node, i: int, j: int) -> Formal:
        return _UNARY[type(node)](self.value(node.args[0], i, j))

    _sqrt = _sin = _cos = _abs = _unary

    def _tanh(self, node: op.Tanh, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        if not x.top:
            return ZERO
        power = exponential(multiply(number(fmpq(2)), x))
        return divide(add(power, negative(ONE)), add(power, ONE))

    def _erf(self, node: op.Erf, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        if not x.top:
            return ZERO
        sign, positive = positive_part(x)
        return multiply(number(fmpq(sign)), atom("erf", canonical(positive)))

    def _floor(self, node: op.Floor, i: int, j: int) -> Formal:
        x = self.value(node.args[0], i, j)
        q = x.rational
        if q is not None:
            return number(fmpq(q.floor()))
        with working_precision(256):
            whole = budget.floor(ball(x))
        if whole is None:
            raise GiveUp
        return number(fmpq(whole))

    def _round(self, node: op.Round, i: int, j: int) -> Formal:
        x, digits, mode = self.value(node.args[0], i, j), node.digits, node.mode
        with working_precision(256 + 4 * digits):
            n = round_number(ball(x) if x.rational is None else x.rational, digits, mode)
        if n is None:
            raise GiveUp
        return number(n / fmpq(10) ** digits)

    def _maximum(self, node: op.Maximum, i: int, j: int) -> Formal:
        return larger(self.broadcast_value(node.args[0], i, j), self.broadcast_value(node.args[1], i, j))

    def _one_hot(self, node: op.OneHot, i: int, j: int) -> Formal:
        return ONE if self.one_hot_column(node, i) == j else ZERO

    def one_hot_column(self, node: op.OneHot, i: int) -> int | None:
        """Return the column of the 1 in row i of a `one_hot`; None if the row is zero."""
        ids, classes, ignore = node.args[0], node.classes, node.ignore
        q = self.value(ids, *((0, i) if ids.shape[0] == 1 else (i, 0))).rational
        if q is None or q.denominator != 1 or not 0 <= q < classes and q != ignore:
            raise GiveUp
        return None if ignore is not None and q == ignore else int(q.numerator)

    def _top_k(self, node: op.TopK, i: int, j: int) -> Formal:
        return ONE if j in self.descending(node.args[0], i)[: node.k] else ZERO

    def _top_p(self, node: op.TopP, i: int, j: int) -> Formal:
        a, enough = node.args[0], self.value(node.args[1], 0, 0)
        total = ZERO
        for column in self.descending(a, i):
            if compare(total, enough) >= 0:
                break
            if column == j:
                return ONE
            total = add(total, self.value(a, i, column))
        return ZERO

    def _argmax_rows(self, node: op.ArgmaxRows, i: int, j: int) -> Formal:
        return number(fmpq(self.descending(node.args[0], i)[0]))

    def _order_rows(self, node: op.OrderRows, i: int, j: int) -> Formal:
        return number(fmpq(node.place(self.descending(node.args[0], i)[j])))

    def _sort_rows(self, node: op.SortRows, i: int, j: int) -> Formal:
        return self.cell(node.args[0], i, self.descending(node.args[0], i)[j])

    def descending(self, a: Node, i: int) -> list[int]:
        """Return the columns of a row from the largest entry down; equal entries keep their order."""
        if (a, i) not in self.orders:
            row = [self.cell(a, i, j) for j in range(a.shape[1])]

            def order(p: int, q: int) -> int:
                return compare(row[q], row[p])

            self.orders[a, i] = sorted(range(len(row)), key=cmp_to_key(order))  # the sort is stable
        return self.orders[a, i]

    def _matmul(self, node: op.MatMul, i: int, j: int) -> Formal:
        a, b = node.args
        if isinstance(a, op.OneHot) and (row := self.one_hot_column(a, i)) is not None:
            return self.cell(b, row, j)
        mean = self.mean_of_equals(a, i, lambda k: self.value(b, k, j)) or self.mean_of_equals(
            self.transposed_operand(b), j, lambda k: self.value(a, i, k)
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
        """Return the value of all entries that have a weight in row i of a softmax; None if the values differ.

        The weights sum to 1, so the weighted mean of equal values is their common value.
        """
        node = weights and self.resolve(weights)
        if not isinstance(node, op.Softmax) or node.axis != "rows" or node.empty == "zeros":
            return None
        common: Exact | None = None
        for k in range(node.shape[1]):
            if self.is_hidden(node.args[0], i, k):
                continue
            x = value(k)
            if common is not None and not same(x, common):
                return None
            common = x
        return common

    def resolve(self, node: Node) -> Node:
        """Return the formula of a name, as long as the value of the name is exactly the value of its formula."""
        while isinstance(node, op.Ref) and (behind := self.definition(node.key)) is not None:
            node = behind
        return node

    def transposed_operand(self, node: Node) -> Node | None:
        """Return the operand of a transpose; None for other formulas."""
        node = self.resolve(node)
        return node.args[0] if isinstance(node, op.Transpose) else None

    def is_hidden(self, scores: Node, i: int, k: int) -> bool:
        """Return whether a mask of numbers masks an entry. The score is not computed, because this may take long."""
        scores = self.resolve(scores)
        fill = scores.args[2] if isinstance(scores, op.Keep) else None
        if not isinstance(fill, op.Literal) or fill.entries != ((float("-inf"),),):
            return False
        mask = self.resolve(scores.args[1])
        return isinstance(mask, op.Literal) and mask.shape == scores.shape and mask.entries[i][k] == 0

    def _transpose(self, node: op.Transpose, i: int, j: int) -> Formal:
        return self.cell(node.args[0], j, i)

    def _take(self, node: op.Take, i: int, j: int) -> Formal:
        rows, columns = node.taken_rows, node.taken_columns
        return self.cell(node.args[0], rows[i] if rows else i, columns[j] if columns else j)

    def _stack(self, node: op.Stack, i: int, j: int) -> Formal:
        for part in node.args:
            if i < part.shape[0] and j < part.shape[1]:
                return self.cell(part, i, j)
            i, j = (i, j - part.shape[1]) if isinstance(node, op.HStack) else (i - part.shape[0], j)
        raise GiveUp

    _hstack = _vstack = _stack

    def _keep(self, node: op.Keep, i: int, j: int) -> Formal:
        a, mask, fill = node.args
        if isinstance(mask, op.Literal) and mask.shape == node.shape:
            kept = mask.entries[i][j] != 0
        else:
            kept = sign_of(self.broadcast_value(mask, i, j)) != 0
        return self.cell(a, i, j) if kept else self.cell(fill, 0, 0)

    def _row_sum(self, node: op.RowSum, i: int, j: int) -> Formal:
        if self.mean_of_equals(node.args[0], i, lambda k: ONE) is not None:
            return ONE
        total = ZERO
        for k in range(node.args[0].shape[1]):
            total = add(total, self.value(node.args[0], i, k))
        return total

    def _row_max(self, node: op.RowMax, i: int, j: int) -> Formal:
        best: Exact | None = None
        for k in range(node.args[0].shape[1]):
            x = self.cell(node.args[0], i, k)
            if isinstance(x, Exact):
                best = x if best is None else larger(best, x)
            elif x == "inf":
                return x
        return best or "-inf"

    def _softmax(self, node: op.Softmax, i: int, j: int) -> Formal:
        axis, empty = node.axis, node.empty
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
            self.totals[key] = total  # weights of a row have one denominator, which `add` recognises fast
        return quotient(self.simple_exponential(mine), self.totals[key])

    def simple_exponential(self, x: Exact) -> Sum:
        return exponential(x).top


_RULES = op.rules(ExactCells)
