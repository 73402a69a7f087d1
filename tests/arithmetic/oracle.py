"""An independent evaluator: what each operation means, on single real numbers, in fractions and mpmath. It shares no
code with attncalc.

A value is a Fraction where it is rational by the operation's own definition, an mpf of some 230 digits elsewhere, or ±∞
as a float. An operation without a value raises Undefined; a comparison that 200 digits leave open raises Unclear.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

from mpmath import MPContext

mp = MPContext()
mp.dps = 230
DIGITS = 200
NEAR = Fraction(1, 10**DIGITS)
INFINITY = math.inf

Value = Any  # Fraction | mpf | float ±inf
Values = list[list[Value]]


class Undefined(Exception):
    """The operation has no value here."""


class Unclear(Exception):
    """Two numbers agree in 200 digits, which is no proof that they are equal."""


def real(x: Value) -> Any:
    """The number as an mpf."""
    return mp.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mp.mpf(x)


def exactly(x: Any) -> Fraction:
    """The binary number that an mpf is."""
    sign, mantissa, exponent, _ = x._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def infinite(x: Value) -> bool:
    return isinstance(x, float)


def _joined(function: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def both(x: Value, y: Value) -> Value:
        if infinite(x) or infinite(y):
            found = function(float(x), float(y))
            if math.isnan(found):
                raise Undefined
            return found
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return function(x, y)
        return function(real(x), real(y))

    return both


plus, minus, times = _joined(operator.add), _joined(operator.sub), _joined(operator.mul)


def compare(x: Value, y: Value) -> int:
    """1, 0, −1: whether x is larger, equal, smaller."""
    if infinite(x) or infinite(y) or isinstance(x, Fraction) and isinstance(y, Fraction):
        return (x > y) - (x < y)
    gap = real(x) - real(y)
    if abs(gap) < mp.mpf(10) ** -DIGITS:
        raise Unclear
    return 1 if gap > 0 else -1


def sign(x: Value) -> int:
    return compare(x, Fraction(0))


def over(x: Value, y: Value) -> Value:
    if sign(y) == 0 or infinite(x) and infinite(y):
        raise Undefined
    if infinite(y):
        return Fraction(0)
    return (
        x * sign(y)
        if infinite(x)
        else x / y
        if isinstance(x, Fraction) and isinstance(y, Fraction)
        else real(x) / real(y)
    )


def to_the(x: Value, y: Value) -> Value:
    """x^y as the language has it: whole powers of everything but 0^−n, other powers of what is not negative."""
    if infinite(x) or infinite(y):
        raise Undefined
    if sign(x) == 0 and sign(y) < 0:
        raise Undefined
    if isinstance(y, Fraction) and y.denominator == 1:
        return x ** int(y)
    if sign(x) < 0:
        raise Undefined
    return Fraction(0) if sign(x) == 0 else real(x) ** real(y)


def natural_log(x: Value) -> Value:
    if sign(x) < 0 or x == INFINITY:
        raise Undefined
    return -INFINITY if sign(x) == 0 else mp.log(real(x))


def square_root(x: Value) -> Value:
    if infinite(x) or sign(x) < 0:
        raise Undefined
    if isinstance(x, Fraction):
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if root * root == x:
            return root
    return mp.sqrt(real(x))


def _finite(function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def one(x: Value) -> Value:
        if infinite(x):
            raise Undefined
        return function(real(x))

    return one


def _saturating(function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    return lambda x: Fraction(int(math.copysign(1, x))) if infinite(x) else function(real(x))


def exponential(x: Value) -> Value:
    return Fraction(0) if x == -INFINITY else mp.exp(real(x))


def whole_below(x: Value) -> Value:
    if infinite(x):
        raise Undefined
    if isinstance(x, Fraction):
        return Fraction(math.floor(x))
    compare(x, Fraction(int(mp.nint(x))))
    return Fraction(int(mp.floor(x)))


def rounded(x: Value, digits: int, mode: str) -> Value:
    """sgn(x)·⌊10ᵏ|x| + ½⌋/10ᵏ; half to even; towards 0."""
    if infinite(x):
        return x
    size = abs(x) * 10**digits
    whole = whole_below(size)
    if mode != "truncate":
        above = compare(minus(size, whole), Fraction(1, 2))
        whole += above > 0 or above == 0 and (mode == "half_up" or whole % 2 == 1)
    return (-1 if x < 0 else 1) * Fraction(whole, 10**digits)


def ranked(row: list[Value]) -> list[int]:
    """The columns from the largest entry down, of equals the first first."""
    left, order = list(range(len(row))), []
    while left:
        best = left[0]
        for j in left[1:]:
            best = j if compare(row[j], row[best]) > 0 else best
        order.append(best)
        left.remove(best)
    return order


def largest(row: list[Value]) -> Value:
    return row[ranked(row)[0]]


def weights(row: list[Value], empty: str) -> list[Value]:
    """e^x/Σe^x; −∞ weighs nothing."""
    if INFINITY in row:
        raise Undefined
    if all(infinite(x) for x in row):
        if empty == "error":
            raise Undefined
        return [Fraction(0) if empty == "zeros" else Fraction(1, len(row))] * len(row)
    parts = [mp.mpf(0) if infinite(x) else mp.exp(real(x)) for x in row]
    return [Fraction(0) if infinite(x) else part / mp.fsum(parts) for x, part in zip(row, parts, strict=True)]


def each(function: Callable[[Value], Value]) -> Callable[..., Values]:
    return lambda node, a: [[function(x) for x in row] for row in a]


def pairwise(function: Callable[[Value, Value], Value]) -> Callable[..., Values]:
    def stretched(node: Any, a: Values, b: Values) -> Values:
        def at(m: Values, i: int, j: int) -> Value:
            return m[i if len(m) > 1 else 0][j if len(m[0]) > 1 else 0]

        n, m = max(len(a), len(b)), max(len(a[0]), len(b[0]))
        return [[function(at(a, i, j), at(b, i, j)) for j in range(m)] for i in range(n)]

    return stretched


def _product(node: Any, a: Values, b: Values) -> Values:
    if node.args[0].word == "one_hot":  # looks rows up: what stands in the others does not count
        return [b[row.index(1)] if 1 in row else [Fraction(0)] * len(b[0]) for row in a]
    if any(infinite(x) for m in (a, b) for row in m for x in row):
        raise Undefined
    return [[total([times(x, b[k][j]) for k, x in enumerate(row)]) for j in range(len(b[0]))] for row in a]


def total(row: list[Value]) -> Value:
    return list(accumulate(row, plus))[-1]


def _softmax(node: Any, a: Values) -> Values:
    axis, empty = node.axis, node.empty
    if axis == "rows":
        return [weights(row, empty) for row in a]
    found = weights([x for row in a for x in row], empty)
    return [found[i * len(a[0]) : (i + 1) * len(a[0])] for i in range(len(a))]


def _one_hot(node: Any, ids: Values) -> Values:
    classes, ignore = node.classes, node.ignore
    chosen = [x for row in ids for x in row]
    if any(not isinstance(x, Fraction) or x != ignore and x not in range(classes) for x in chosen):
        raise Undefined
    return [[Fraction(int(x == c and x != ignore)) for c in range(classes)] for x in chosen]


def _top_p(node: Any, a: Values, p: Values) -> Values:
    result = []
    for row in a:
        reached, line = Fraction(0), [Fraction(0)] * len(row)
        for j in ranked(row):
            if compare(reached, p[0][0]) >= 0:
                break
            line[j] = Fraction(1)
            reached = plus(reached, row[j])
        result.append(line)
    return result


def _top_k(node: Any, a: Values) -> Values:
    chosen = [set(ranked(row)[: node.k]) for row in a]
    return [[Fraction(int(j in best)) for j in range(len(row))] for row, best in zip(a, chosen, strict=True)]


def _order(node: Any, a: Values) -> Values:
    k, what, width = node.k, node.counts, node.width
    return [[Fraction(j // width if what == "rows" else j % width) for j in ranked(row)[:k]] for row in a]


def _take(node: Any, a: Values) -> Values:
    rows, columns = node.taken_rows, node.taken_columns
    return [
        [a[i][j] for j in (range(len(a[0])) if columns is None else columns)]
        for i in (range(len(a)) if rows is None else rows)
    ]


def _keep(node: Any, a: Values, mask: Values, fill: Values) -> Values:
    return pairwise(lambda x, m: x if sign(m) else fill[0][0])(node, a, mask)


MEANING: dict[str, Callable[..., Values]] = {
    "pi": lambda node: [[+mp.pi]],
    "literal": lambda node: [list(row) for row in node.entries],
    "matrix": lambda node,
    *parts: [[parts[i * node.shape[1] + j][0][0] for j in range(node.shape[1])] for i in range(node.shape[0])],
    "neg": each(lambda x: -x), "abs": each(abs),
    "add": pairwise(plus), "sub": pairwise(minus), "mul": pairwise(times), "div": pairwise(over),
    "pow": pairwise(to_the),
    "maximum": pairwise(lambda x, y: x if compare(x, y) >= 0 else y),
    "matmul": _product, "transpose": lambda node, a: [list(column) for column in zip(*a, strict=True)], "take": _take,
    "exp": each(exponential), "log": each(natural_log), "sqrt": each(square_root),
    "sin": each(_finite(mp.sin)), "cos": each(_finite(mp.cos)),
    "tanh": each(_saturating(mp.tanh)), "erf": each(_saturating(mp.erf)),
    "floor": each(whole_below), "round": lambda node, a: each(lambda x: rounded(x, node.digits, node.mode))(node, a),
    "row_sum": lambda node, a: [[total(row)] for row in a], "row_max": lambda node, a: [[largest(row)] for row in a],
    "softmax": _softmax, "keep": _keep,
    "hstack": lambda node, *parts: [[x for part in parts for x in part[i]] for i in range(len(parts[0]))],
    "vstack": lambda node, *parts: [row for part in parts for row in part],
    "one_hot": _one_hot, "top_k": _top_k, "top_p": _top_p,
    "argmax_rows": lambda node, a: [[Fraction(ranked(row)[0])] for row in a],
    "order_rows": _order, "sort_rows": lambda node, a: [[row[j] for j in ranked(row)] for row in a],
}  # fmt: skip


def evaluate(node: Any, values: dict[str, Values]) -> Values:
    """The value of a checked formula over the values of its names."""
    if node.word == "ref":
        return values[node.key]
    return MEANING[node.word](node, *[evaluate(a, values) for a in node.args])
