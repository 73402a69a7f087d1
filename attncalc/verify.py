#!/usr/bin/env python3
"""Checks a certificate that `attncalc solve PROBLEM --certificate FILE` wrote:  python verify.py FILE

This file needs Python's standard library alone and shares no code with attncalc. It reads the givens and the formulas of the
certificate, works every step out again in fractions and in intervals whose ends are fractions, and says of every printed entry
whether it is proven: the interval that holds the value lies in the certificate's enclosure, and all its numbers round to the
printed decimal. Roots, exponentials, logarithms, sines, tanh, erf and π are bounded by series with their remainders.

Trusted are the givens and the formulas, which it prints, and this file. Exit code 0: nothing is wrong (what could not be verified is
listed); 1: a decimal, an enclosure or the checksum is wrong; 2: the file is no certificate.
"""

from __future__ import annotations

import ast
import hashlib
import json
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cmp_to_key, lru_cache, reduce, wraps
from itertools import product
from math import isqrt
from typing import Any, NamedTuple

ZERO, ONE = Fraction(0), Fraction(1)
INF = float("inf")  # ±∞ are symbols; no other float occurs
TINY = 1 << 17  # numbers nearer to 0 than 2^−TINY are enclosed by 0 and that; larger ones than 2^TINY are not worked with
LARGEST_EXPONENT = 90_900  # e to it is just above 2^TINY
LONGEST_EXACT = 8_000  # bits at which fractions become intervals
LONGEST_ROOT = 2_000  # bits of a fraction whose root is known as a root
LARGEST_FILE = 100_000_000  # bytes
MOST_WORK = 8_000_000  # operations on short numbers: about a minute
LEVELS = 4  # the precision is doubled for what is open, so many levels in all
MODES = ("half_up", "half_even", "truncate")


class Bad(Exception):
    """The file is no certificate, or too large a one."""


class Invalid(Exception):
    """A formula without a value or without a meaning."""


class Open(Exception):
    """A question that the intervals leave open at this precision."""


# -- numbers: fractions, intervals of fractions, and ±∞ -------------------------------------------------------------------


class Interval:
    """A number between two fractions. `kind` and `of` say how it came about where that tells more than its ends: ("root", r) is
    sign(r)·√|r|, ("log", x) the logarithm of x, and so on. Equal formulas give the very same Interval (see `once`)."""

    __slots__ = ("hi", "kind", "lo", "of")

    def __init__(self, lo: Fraction, hi: Fraction, kind: str = "", of: Any = None):
        self.lo, self.hi, self.kind, self.of = lo, hi, kind, of


Number = Fraction | Interval | float
Matrix = list[list[Any]]
Bounds = tuple[Fraction, Fraction]


class Work:
    """The precision in bits, what has been worked out at it, and how much more may be."""

    bits, left = 192, MOST_WORK
    known: dict[Any, Any] = {}  # noqa: RUF012
    used: set[str] = set()  # noqa: RUF012 — the names that a formula has used

    @classmethod
    def spend(cls, bits: int) -> None:
        cls.left -= 1 + (bits * bits >> 20)
        if cls.left < 0:
            raise Bad("the certificate asks for more work than verify.py does")


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Works the same operation on the same numbers out once, so that equal formulas give the very same interval."""

    @wraps(function)
    def found(*arguments: Any) -> Any:
        key = (function, *arguments)
        if key not in Work.known:
            Work.known[key] = function(*arguments)
        return Work.known[key]

    return found


def cut(x: Fraction, up: bool) -> Fraction:
    """x to the working precision, moved down or up."""
    n, d = x.numerator, x.denominator
    size = n.bit_length() - d.bit_length()
    if n.bit_length() + d.bit_length() <= Work.bits:
        return x
    if size < -TINY:
        return Fraction((n > 0) if up else -(n < 0), 1 << TINY)
    if size > TINY:
        raise Open("a number is too large")
    shift = Work.bits - size
    above, below = (n << shift, d) if shift >= 0 else (n, d << -shift)
    whole = -(-above // below) if up else above // below
    return Fraction(whole, 1 << shift) if shift >= 0 else Fraction(whole << -shift)


def interval(lo: Fraction, hi: Fraction, kind: str = "", of: Any = None) -> Number:
    Work.spend(Work.bits)
    lo, hi = cut(lo, False), cut(hi, True)
    return lo if lo == hi else Interval(lo, hi, kind, of)


def exact(x: Fraction) -> Number:
    bits = x.numerator.bit_length() + x.denominator.bit_length()
    Work.spend(bits)
    return x if bits <= LONGEST_EXACT else interval(x, x)


def ends(x: Number) -> tuple[Any, Any]:
    return (x.lo, x.hi) if isinstance(x, Interval) else (x, x)


def kind(x: Number) -> str:
    return x.kind if isinstance(x, Interval) else ""


def same(x: Number, y: Number) -> bool:
    """Whether two numbers are proven equal."""
    return x is y or not isinstance(x, Interval) and not isinstance(y, Interval) and x == y


def sign(x: Number) -> int:
    lo, hi = ends(x)
    if lo <= 0 <= hi and lo != hi:
        raise Open("whether a number is 0, or its sign")
    return int(hi > 0) - int(lo < 0)


def boundless(operation: Callable[[float, float], float], x: Number, y: Number) -> Number:
    """An operation where a number is ±∞: of the other one the sign decides."""
    result = operation(*(n if isinstance(n, float) else float(sign(n)) for n in (x, y)))
    if result != result:
        raise Invalid("∞ − ∞ or 0 · ∞ has no value")
    return result


def ordered(x: Number, y: Number) -> list[Any]:
    return sorted((x, y), key=lambda n: (isinstance(n, Interval), id(n)))


def add(x: Any, y: Any) -> Number:
    if isinstance(x, float) or isinstance(y, float):
        return boundless(operator.add, x, y)
    if isinstance(x, Interval) or isinstance(y, Interval):
        return y if x == 0 else x if y == 0 else _sum(*ordered(x, y))
    return exact(x + y)


@once
def _sum(x: Any, y: Interval) -> Number:
    if kind(x) == y.kind == "root" and (ratio := exact_root(y.of / x.of, 2)) is not None:
        return mul(1 + ratio, x)
    if kind(x) == y.kind == "log" and isinstance(x.of, Fraction) and isinstance(y.of, Fraction):
        return log(x.of * y.of)
    if y.kind == "neg" and y.of is x or kind(x) == "neg" and x.of is y:
        return ZERO
    return interval(ends(x)[0] + y.lo, ends(x)[1] + y.hi)


def neg(x: Number) -> Number:
    return _negative(x) if isinstance(x, Interval) else -x


@once
def _negative(x: Interval) -> Number:
    if x.kind == "root":
        return root(-x.of)
    if x.kind == "log" and isinstance(x.of, Fraction):
        return log(1 / x.of)
    return x.of if x.kind == "neg" else Interval(-x.hi, -x.lo, "neg", x)


def sub(x: Number, y: Number) -> Number:
    return ZERO if x is y and isinstance(x, Interval) else add(x, neg(y))


def radicand(x: Number) -> Fraction | None:
    """r where x is known to be sign(r)·√|r|."""
    r = x * abs(x) if isinstance(x, Fraction) else x.of if isinstance(x, Interval) and x.kind == "root" else None
    return r if r is not None and r.numerator.bit_length() + r.denominator.bit_length() <= LONGEST_ROOT else None


def mul(x: Any, y: Any) -> Number:
    if isinstance(x, float) or isinstance(y, float):
        return boundless(operator.mul, x, y)
    if isinstance(x, Interval) or isinstance(y, Interval):
        return ZERO if x == 0 or y == 0 else y if x == 1 else x if y == 1 else _product(*ordered(x, y))
    return exact(x * y)


@once
def _product(x: Any, y: Interval) -> Number:
    if (r := radicand(x)) is not None and (s := radicand(y)) is not None:
        return root(r * s)
    if x is y and y.kind == "sqrt":
        return y.of
    corners = [a * b for a, b in product(ends(x), ends(y))]
    return interval(ZERO if x is y and y.lo < 0 < y.hi else min(corners), max(corners))


def div(x: Any, y: Any) -> Number:
    if y == 0:
        raise Invalid("division by zero")
    if isinstance(x, float) or isinstance(y, float):
        return boundless(operator.truediv, x, y) if isinstance(x, float) else ZERO
    return mul(x, 1 / y) if isinstance(y, Fraction) else ONE if x is y else _quotient(x, y)


@once
def _quotient(x: Any, y: Interval) -> Number:
    if (r := radicand(x)) is not None and (s := radicand(y)) is not None:
        return root(r / s)
    if kind(x) == y.kind == "log" and (n := next((n for n in range(-32, 33) if y.of in (2, 10) and y.of**n == x.of), None)):
        return Fraction(n)
    sign(y)
    corners = [a / b for a, b in product(ends(x), ends(y))]
    return interval(min(corners), max(corners))


def exact_root(q: Fraction, index: int) -> Fraction | None:
    """The root of a fraction where it is a fraction; it keeps the sign."""
    n, d = (whole_root(part, index) for part in (abs(q.numerator), q.denominator))
    return Fraction(-n if q < 0 else n, d) if Fraction(n, d) ** index == abs(q) else None


def whole_root(n: int, index: int) -> int:
    """⌊n^(1/index)⌋, for other roots than the second bit by bit."""
    found = isqrt(n) if index == 2 else 0
    for k in reversed(range(n.bit_length() // index + 1 if index > 2 else 0)):
        found |= (1 << k) * ((found | 1 << k) ** index <= n)
    return found


@once
def root(r: Fraction) -> Number:
    """sign(r)·√|r|."""
    if (found := exact_root(r, 2)) is not None:
        return found
    lo, hi = root_bounds(abs(r), abs(r))
    return interval(lo, hi, "root", r) if r > 0 else interval(-hi, -lo, "root", r)


def root_bounds(lo: Fraction, hi: Fraction) -> Bounds:
    k = max(0, Work.bits + (lo.denominator.bit_length() - lo.numerator.bit_length()) // 2)
    a, b = (isqrt((x.numerator << 2 * k) // x.denominator) for x in (lo, hi))
    return Fraction(a, 1 << k), Fraction(b + 1, 1 << k)


def sqrt(x: Any) -> Number:
    if sign(x) < 0:
        raise Invalid("a negative number has no square root")
    return root(x) if isinstance(x, Fraction) else _square_root(x) if isinstance(x, Interval) else x


@once
def _square_root(x: Interval) -> Number:
    return interval(*root_bounds(x.lo, x.hi), "sqrt", x)


def power(x: Any, y: Any) -> Number:
    if isinstance(x, float) or isinstance(y, float):
        raise Open("a power with an infinite number")
    if isinstance(y, Fraction) and y < 0:
        return div(ONE, power(x, -y))
    if isinstance(y, Fraction) and y.denominator == 1:
        return whole_power(x, int(y))
    if sign(x) < 0 or x == 0 and sign(y) < 0:
        raise Invalid("a negative number has only whole powers, 0 only positive ones")
    if x == 0 or x == 1:
        return x  # type: ignore[no-any-return]
    if isinstance(y, Fraction) and y.denominator == 2:
        return whole_power(sqrt(x), y.numerator)
    if isinstance(x, Fraction) and isinstance(y, Fraction) and y.denominator <= 64 and (r := exact_root(x, y.denominator)):
        return whole_power(r, y.numerator)
    return exp(mul(y, log(x)))


def whole_power(x: Number, n: int) -> Number:
    if n < 2:
        return x if n else ONE
    half = whole_power(x, n // 2)
    return mul(mul(half, half), x) if n % 2 else mul(half, half)


# -- bounds of functions: series in fixed point, every term rounded down and up ---------------------------------------------


def terms(first: Fraction, x: Fraction, bits: int, count: int, ratio: Callable[[int], tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Bounds, in units of 2^−bits, of positive terms; each is the one before times x·p/q, with (p, q) = ratio(i), i = 1, 2, ..."""
    Work.spend(bits * count >> 3)
    (lo, hi), (a, b) = ((n // d, -(-n // d)) for n, d in ((y.numerator << bits, y.denominator) for y in (first, x)))
    for i in range(1, count + 1):
        yield lo, hi
        p, q = ratio(i)
        lo, hi = lo * a * p // (q << bits), -(-hi * b * p // (q << bits))


def series(found: Iterable[tuple[int, int]], bits: int, alternate: bool = False) -> Bounds:
    """Bounds of the sum of all terms, or of t₀ − t₁ + t₂ − ...; what follows the last one here is in all at most as large as it."""
    low = high = i = b = 0
    for i, (a, b) in enumerate(found):
        low, high = (low - b, high - a) if alternate and i % 2 else (low + a, high + b)
    return Fraction(low - (b if alternate else 0), 1 << bits), Fraction(high + b, 1 << bits)


@once
def exp_bounds(x: Fraction) -> Bounds:
    """e^x: the series at x/2^k < 1/256, squared k times."""
    if x < -LARGEST_EXPONENT:
        return ZERO, Fraction(1, 1 << TINY)
    if x > LARGEST_EXPONENT:
        raise Open("an exponential is too large")
    if x < 0:
        lo, hi = exp_bounds(-x)
        return 1 / hi, 1 / lo
    k = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 9)
    bits = Work.bits + 2 * k + 32
    lo, hi = series(terms(ONE, x / (1 << k), bits, bits // 8 + 4, lambda i: (1, i)), bits)
    a, b = (int(end * (1 << bits)) for end in (lo, hi))
    for _ in range(k):
        a, b = a * a >> bits, -(-b * b >> bits)
    return Fraction(a, 1 << bits), Fraction(b, 1 << bits)


def exp(x: Any) -> Number:
    if isinstance(x, float):
        return INF if x > 0 else ZERO
    return ONE if x == 0 else x.of if kind(x) == "log" else _exponential(x)


@once
def _exponential(x: Number) -> Number:
    lo, hi = ends(x)
    return interval(exp_bounds(lo)[0], exp_bounds(hi)[1], "exp", x)


@once
def artanh_bounds(z: Fraction) -> Bounds:
    """Σ z^(2i+1)/(2i+1) for |z| ≤ 1/3."""
    if z <= 0:
        lo, hi = artanh_bounds(-z) if z else (ZERO, ZERO)
        return -hi, -lo
    bits = Work.bits + 64 + z.denominator.bit_length() - z.numerator.bit_length()
    return series(terms(z, z * z, bits, bits // 3 + 4, lambda i: (2 * i - 1, 2 * i + 1)), bits)


@once
def log_bounds(x: Fraction) -> Bounds:
    """ln x = 2 artanh((m − 1)/(m + 1)) + k·ln 2 with x = m·2^k, m from 2/3 to 4/3."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    k += (x / Fraction(2) ** k > Fraction(4, 3)) - (x / Fraction(2) ** k < Fraction(2, 3))
    m, two = x / Fraction(2) ** k, artanh_bounds(Fraction(1, 3))
    lo, hi = (artanh_bounds(cut((m - 1) / (m + 1), up))[up] for up in (False, True))
    return 2 * (lo + k * two[k < 0]), 2 * (hi + k * two[k > 0])


def log(x: Any) -> Number:
    if sign(x) < 0:
        raise Invalid("a negative number has no logarithm")
    if x == 0 or isinstance(x, float):
        return x or -INF
    return ZERO if x == 1 else x.of if kind(x) == "exp" else _logarithm(x)


@once
def _logarithm(x: Number) -> Number:
    lo, hi = ends(x)
    return interval(log_bounds(lo)[0], log_bounds(hi)[1], "log", x)


@once
def pi_bounds(bits: int) -> Bounds:
    """π = 16 arctan(1/5) − 4 arctan(1/239)."""
    (a, b), (c, d) = (
        series(terms(Fraction(1, n), Fraction(1, n * n), bits, bits // 4 + 4, lambda i: (2 * i - 1, 2 * i + 1)), bits, alternate=True)
        for n in (5, 239)
    )
    return 16 * a - 4 * d, 16 * b - 4 * c


@once
def pi() -> Number:
    return interval(*pi_bounds(Work.bits + 32))


@once
def wave(x: Number, quarter: int) -> Number:
    """sin(x + quarter·π/2): the middle of x brought near 0 by quarters of a turn; as far as x may stray, the sine may."""
    lo, hi = ends(x)
    if isinstance(x, float) or abs(lo) > 1 << 4_000:
        raise Invalid("a number is too large for a sine") if isinstance(x, float) else Open("a number is too large for a sine")
    middle, stray = (lo + hi) / 2, (hi - lo) / 2
    bits = Work.bits + 64 + max(0, middle.numerator.bit_length() - middle.denominator.bit_length())
    low, high = pi_bounds(bits)
    turns = round(2 * middle / low)
    near, far = middle - turns * low / 2, middle - turns * high / 2
    rest, stray = (near + far) / 2, stray + abs(near - far) / 2
    odd = 1 - (turns + quarter) % 2  # the sine of the rest, else its cosine
    first, turn = abs(rest) if odd else ONE, (-1 if rest < 0 and odd else 1) * (-1 if (turns + quarter) % 4 > 1 else 1)
    a, b = series(terms(first, rest * rest, bits, bits // 3 + 4, lambda i: (1, 2 * i * (2 * i - 1 + 2 * odd))), bits, alternate=True)
    a, b = (a, b) if turn > 0 else (-b, -a)
    return interval(max(a - stray, -ONE), min(b + stray, ONE))


def rising(bounds: Callable[[Fraction], Bounds]) -> Callable[[Any], Number]:
    """A rising odd function that goes to ±1, from its bounds at positive fractions."""

    def at(x: Fraction, up: bool) -> Fraction:
        return bounds(x)[up] if x > 0 else -bounds(-x)[not up] if x else ZERO

    @once
    def function(x: Any) -> Number:
        return Fraction(sign(x)) if isinstance(x, float) else interval(at(ends(x)[0], False), at(ends(x)[1], True))

    return function


@rising
def tanh(x: Fraction) -> Bounds:
    """1 − 2/(e^2x + 1)"""
    lo, hi = exp_bounds(min(2 * x, Fraction(LARGEST_EXPONENT)))
    return 1 - 2 / (lo + 1), ONE if 2 * x > LARGEST_EXPONENT else 1 - 2 / (hi + 1)


@rising
def erf(x: Fraction) -> Bounds:
    """2/√π · e^(−x²) · Σ 2^i x^(2i+1)/(1·3·…·(2i+1)), whose terms at last halve; for large x, 1 − erf x is below e^(−x²)."""
    if x * x > Work.bits:
        return 1 - exp_bounds(-x * x)[1], ONE
    bits = Work.bits + 64 + 2 * int(x * x)
    lo, hi = series(terms(x, x * x, bits, 4 * int(x * x) + bits + 8, lambda i: (2, 2 * i + 1)), bits)
    (a, b), (c, d) = exp_bounds(-x * x), root_bounds(*pi_bounds(bits))
    return 2 * a * lo / d, 2 * b * hi / c


def sin(x: Any) -> Number:
    return ZERO if x == 0 else wave(x, 0)


def cos(x: Any) -> Number:
    return ONE if x == 0 else wave(x, 1)


def absolute(x: Any) -> Number:
    lo, hi = ends(x)
    return x if lo >= 0 else neg(x) if hi <= 0 else interval(ZERO, max(-lo, hi))


def larger(x: Number, y: Number) -> Number:
    (a, b), (c, d) = ends(x), ends(y)
    return x if a >= d else y if c >= b else interval(max(a, c), max(b, d))


def whole(x: Fraction, digits: int, mode: str) -> int:
    """x·10^digits rounded to a whole number."""
    size = abs(x) * 10**digits
    n, rest = divmod(size.numerator, size.denominator)
    twice = 2 * rest - size.denominator
    n += mode == "half_up" and twice >= 0 or mode == "half_even" and (twice > 0 or twice == 0 and n % 2 == 1)
    return -n if x < 0 else n


def rounded(x: Any, digits: int, mode: str) -> Number:
    if not 0 <= digits <= 1_000 or mode not in MODES:
        raise Invalid(f"rounding to {digits} digits, {mode[:40]}")
    if isinstance(x, float):
        return x
    lo, hi = (whole(end, digits, mode) for end in ends(x))
    if lo != hi:
        raise Open("how a number is rounded")
    return Fraction(lo, 10**digits)


def floor(x: Any) -> Number:
    if isinstance(x, float):
        raise Invalid("no whole number is next to ∞")
    lo, hi = (end.numerator // end.denominator for end in ends(x))
    if lo != hi:
        raise Open("which whole number is below")
    return Fraction(lo)


def descending(row: list[Any]) -> list[int]:
    """The columns from the largest entry down, equal entries by column."""

    def compare(i: int, j: int) -> int:
        (a, b), (c, d) = ends(row[i]), ends(row[j])
        if same(row[i], row[j]):
            return i - j
        if a <= d and c <= b:
            raise Open("which of two numbers is larger")
        return -1 if a > d else 1

    return sorted(range(len(row)), key=cmp_to_key(compare))


# -- matrices and the functions of the formula language ----------------------------------------------------------------------


def shape(A: Matrix) -> tuple[int, int]:
    return len(A), len(A[0])


def grid(n: int, m: int, entry: Callable[[int, int], Any]) -> Matrix:
    if not (0 < n <= 4_096 and 0 < m <= 4_096 and n * m <= 262_144):
        raise Invalid(f"a matrix of {n} × {m}")
    return [[Fraction(x) if isinstance(x := entry(i, j), int) else x for j in range(m)] for i in range(n)]


def each(function: Callable[..., Number], *parts: Matrix) -> Matrix:
    """Entry by entry; single rows, columns and numbers stretch."""
    n, m = (max(sizes) for sizes in zip(*map(shape, parts), strict=True))
    if any(a not in (1, n) or b not in (1, m) for a, b in map(shape, parts)):
        raise Invalid("the sizes of matrices do not agree")
    return grid(n, m, lambda i, j: function(*(A[i % len(A)][j % len(A[0])] for A in parts)))


def turned(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def flat(A: Matrix) -> Matrix:
    return [[x for row in A for x in row]]


def stack(*parts: Matrix) -> Matrix:
    if len({len(A[0]) for A in parts}) != 1:
        raise Invalid("matrices that do not fit together")
    return [list(row) for A in parts for row in A]


def total(numbers: Iterable[Any]) -> Number:
    start: Number = ZERO
    return reduce(add, sorted(numbers, key=lambda x: (isinstance(x, Interval), ends(x))), start)


def dot(row: list[Any], column: list[Any]) -> Number:
    """Σ x·y; where the x are all weights of one softmax, which sum to 1, and the y are equal, it is y."""
    seen = [(x, y) for x, y in zip(row, column, strict=True) if not same(x, ZERO)]
    if all(same(y, seen[0][1]) for _, y in seen) and family(x for x, _ in seen) in Work.known:
        return seen[0][1]  # type: ignore[no-any-return]
    return total(map(mul, row, column))


def family(numbers: Iterable[Any]) -> tuple[Any, ...]:
    return (family, *sorted(map(id, numbers)))


def matmul(A: Matrix, B: Matrix) -> Matrix:
    if len(A[0]) != len(B):
        raise Invalid("the sizes of matrices do not agree")
    columns = turned(B)
    return grid(len(A), len(columns), lambda i, j: dot(A[i], columns[j]))


def softmax(A: Matrix, axis: str, base: Matrix, empty: str) -> Matrix:
    if axis == "columns":
        return turned(softmax(turned(A), "rows", base, empty))
    scaled = each(mul, A, [[log(base[0][0])]])
    found = [weights(row, empty) for row in (flat(scaled) if axis == "all" else scaled)]
    return grid(*shape(A), lambda i, j: found[0][i * len(A[0]) + j] if axis == "all" else found[i][j])


def weights(row: list[Any], empty: str) -> list[Number]:
    """e^x/Σe^x, exactly where all e^x are fractions or equal; else all x are moved by a whole number, so that no e^x is large."""
    seen = [x for x in row if x != -INF]
    if INF in seen or not seen and empty == "error":
        raise Invalid("a softmax of +∞, or of −∞ alone")
    if not seen:
        return [ZERO if empty == "zeros" else Fraction(1, len(row))] * len(row)
    if all(same(x, seen[0]) for x in seen):
        seen = row = [ZERO if x != -INF else x for x in row]
    fractions = all(x == 0 or kind(x) == "log" and isinstance(exp(x), Fraction) for x in seen if x != -INF)
    most = ZERO if fractions else Fraction(max(int(ends(x)[0]) for x in seen))
    powers = {id(x): ZERO if x == -INF else exp(sub(x, most)) for x in row}
    below = total(powers[id(x)] for x in row)
    found = [div(powers[id(x)], below) for x in row]
    Work.known[family(x for x in found if x != 0)] = found
    return found


def whole_numbers(ids: Matrix) -> list[int]:
    if 1 not in shape(ids) or not all(isinstance(x, Fraction) and x.denominator == 1 for x in flat(ids)[0]):
        raise Invalid("ids are a row or a column of whole numbers")
    return [int(x) for x in flat(ids)[0]]


def one_hot(ids: Matrix, n: int, ignore: int | None = None) -> Matrix:
    wanted = whole_numbers(ids)
    if any(not 0 <= k < n and k != ignore for k in wanted):
        raise Invalid(f"an id is not between 0 and {n - 1}")
    return grid(len(wanted), n, lambda i, j: wanted[i] == j and wanted[i] != ignore)


def top_p(row: list[Any], p: Number) -> list[Number]:
    order, kept = descending(row), 0
    while kept < len(row) and sign(sub(total(row[j] for j in order[:kept]), p)) < 0:
        kept += 1
    return [Fraction(j in order[:kept]) for j in range(len(row))]


def best(A: Matrix, k: int, said: Callable[[int], Number]) -> Matrix:
    return [[said(j)] for j in descending(flat(A)[0])[:k]]


@lru_cache(maxsize=256)
def numbers_in(text: str, size: int) -> set[tuple[int, ...]]:
    if not re.fullmatch(r"(\s*\d{1,6}(-\d{1,6})?)*\s*", text, re.ASCII):
        raise Invalid(f"tokens or pairs of them are required, {text[:40]!r} stands there")
    return {tuple(map(int, word.split("-"))) for word in text.split() if word.count("-") == size - 1}


def choice(word: str, **choices: Any) -> Any:
    if word not in choices:
        raise Invalid(f"one of {', '.join(choices)} is required, {word[:40]!r} stands there")
    return choices[word]


def angle(start: Matrix, i: int, base: Matrix, share: Fraction) -> Number:
    return div(add(start[0][0], Fraction(i)), power(base[0][0], share))


def sinusoidal(n: int, d: int, base: Matrix, start: Matrix, exponent: str, layout: str) -> Matrix:
    pairs = (d + 1) // 2

    def entry(i: int, j: int) -> Number:
        pair, second = choice(layout, interleaved=divmod(j, 2), concatenated=(j % pairs, j // pairs))
        column = 2 * pair + second
        shares = {"2i/d": (2 * pair, d), "j/d": (column, d), "2j/d": (2 * column, d), "i/(d/2-1)": (pair, max(1, pairs - 1))}
        return (cos if second else sin)(angle(start, i, base, Fraction(*choice(exponent, **shares))))

    return grid(n, d, entry)


def turn(A: Matrix, C: Matrix, S: Matrix, layout: str) -> Matrix:
    d, half = len(A[0]), len(A[0]) // 2
    if d % 2:
        raise Invalid("pairs of columns are turned; one is left over")

    def entry(i: int, j: int) -> Number:
        pair, second = choice(layout, interleaved=divmod(j, 2), halves=(j % half, j // half))
        other = A[i][j + choice(layout, interleaved=1, halves=half) * (-1 if second else 1)]
        c, s = C[i % len(C)][pair], S[i % len(S)][pair]
        return add(mul(A[i][j], c), mul(other, s if second else neg(s)))

    return grid(*shape(A), entry)


def rope(A: Matrix, base: Matrix, start: Matrix, layout: str) -> Matrix:
    angles = grid(len(A), len(A[0]) // 2, lambda i, k: angle(start, i, base, Fraction(2 * k, len(A[0]))))
    return turn(A, each(cos, angles), each(sin, angles), layout)


def alibi_slopes(h: int) -> Matrix:
    """2^(−8k/n) for the power of two n ≤ h, k = 1, ..., n, then every second one of 2n."""
    n = 1 << h.bit_length() - 1 if h > 0 else 0
    shares = [Fraction(8 * k, n) for k in range(1, n + 1)] + [Fraction(4 * k, n) for k in range(1, 2 * (h - n), 2)]
    return grid(1, h, lambda i, j: power(Fraction(1, 2), shares[j]))


def along(axis: str) -> str:
    return choice(axis, rows="row_", columns="col_", all="")  # type: ignore[no-any-return]


def layer_norm(A: Matrix, gamma: Matrix, beta: Matrix, eps: Matrix, ddof: int, eps_in: str, axis: str) -> Matrix:
    below = choice(eps_in, variance="sqrt({}var(A, ddof) + eps)", std="({}std(A, ddof) + eps)").format(along(axis))
    names = {"A": A, "gamma": gamma, "beta": beta, "eps": eps, "ddof": [[Fraction(ddof)]]}
    return calculate(f"(A - {along(axis)}mean(A)) / {below} * gamma + beta", names)


def normalize(A: Matrix, axis: str, empty: str) -> Matrix:
    sums = calculate(choice(axis, rows="row_sum(A)", columns="col_sum(A)", all="total(A)"), {"A": A})
    count = len(A) * len(A[0]) // (len(sums) * len(sums[0]))
    instead = choice(empty, error=None, zeros=ZERO, uniform=Fraction(1, count))
    return each(lambda x, s: instead if instead is not None and sign(s) == 0 else div(x, s), A, sums)


def by_rows(function: Callable[[list[Any]], Iterable[Any]]) -> Callable[[Matrix], Matrix]:
    return lambda A: [list(function(row)) for row in A]


Functions = dict[str, Any]
# name(parameters): a matrix, `n#` a whole number, `w:` a word; with = they may be left out. Then a function or a formula.
FUNCTIONS: Functions = {
    "exp(A)": lambda A: each(exp, A), "log(A)": lambda A: each(log, A), "sqrt(A)": lambda A: each(sqrt, A),
    "sin(A)": lambda A: each(sin, A), "cos(A)": lambda A: each(cos, A), "tanh(A)": lambda A: each(tanh, A),
    "erf(A)": lambda A: each(erf, A), "abs(A)": lambda A: each(absolute, A), "floor(A)": lambda A: each(floor, A),
    "maximum(A, B)": lambda A, B: each(larger, A, B),
    "round(A, digits#, mode:=half_up)": lambda A, digits, mode: each(lambda x: rounded(x, digits, mode), A),
    "row_sum(A)": by_rows(lambda row: [dot(row, [ONE] * len(row))]), "row_max(A)": by_rows(lambda row: [reduce(larger, row)]),
    "keep(S, M, fill=-inf)": lambda S, M, fill: each(lambda x, m: x if sign(m) else fill[0][0], S, M),
    "causal(n#, m#, offset#=0)": lambda n, m, offset: grid(n, m, lambda i, j: j <= i + offset),
    "causal_strict(n#, m#)": lambda n, m: grid(n, m, lambda i, j: j < i),
    "band(n#, m#, left#, right#=none)": lambda n, m, left, right:
        grid(n, m, lambda i, j: -left <= j - i <= (left if right is None else right)),
    "links(n#, m#, pairs:)": lambda n, m, pairs: grid(n, m, lambda i, j: (i, j) in numbers_in(pairs, 2)),
    "global_tokens(n#, m#, tokens:)": lambda n, m, tokens: grid(n, m, lambda i, j: bool({(i,), (j,)} & numbers_in(tokens, 1))),
    "zeros(n#, m#)": lambda n, m: grid(n, m, lambda i, j: 0), "ones(n#, m#)": lambda n, m: grid(n, m, lambda i, j: 1),
    "identity(n#)": lambda n: grid(n, n, lambda i, j: i == j), "arange(a#, b#)": lambda a, b: grid(1, b - a, lambda i, j: a + j),
    "rows(A)": lambda A: [[Fraction(len(A))]], "cols(A)": lambda A: [[Fraction(len(A[0]))]], "flat(A)": flat,
    "hstack(*)": lambda *parts: turned(stack(*map(turned, parts))), "vstack(*)": stack,
    "one_hot(ids, n#, ignore#=none)": one_hot, "lookup(E, ids)": lambda E, ids: matmul(one_hot(ids, len(E)), E),
    "pick(P, ids)": lambda P, ids: [[total(row)] for row in each(mul, P, one_hot(ids, len(P[0])))],
    "top_p(P, p)": lambda P, p: [top_p(row, p[0][0]) for row in P],
    "top_k(A, k#)": lambda A, k: [[Fraction(j in kept) for j in range(len(row))] for row in A for kept in [descending(row)[:k]]],
    "argmax_rows(A)": by_rows(lambda row: [Fraction(descending(row)[0])]),
    "order_rows(A, k#)": lambda A, k: [[Fraction(j) for j in descending(row)[:k]] for row in A],
    "sort_rows(A)": by_rows(lambda row: [row[j] for j in descending(row)]),
    "best(A, k#)": lambda A, k: best(A, k, lambda j: flat(A)[0][j]),
    "best_rows(A, k#)": lambda A, k: best(A, k, lambda j: Fraction(j // len(A[0]))),
    "best_columns(A, k#)": lambda A, k: best(A, k, lambda j: Fraction(j % len(A[0]))),
    "cumsum_rows(A)": by_rows(lambda row: (total(row[: j + 1]) for j in range(len(row)))),
    "softmax(A, axis:=rows, base=e, empty:=error)": softmax, "normalize(A, axis:=rows, empty:=error)": normalize,
    "softmax_rows(A, base=e, empty:=error)": lambda A, base, empty: softmax(A, "rows", base, empty),
    "softmax_cols(A, base=e, empty:=error)": lambda A, base, empty: softmax(A, "columns", base, empty),
    "softmax_all(A, base=e, empty:=error)": lambda A, base, empty: softmax(A, "all", base, empty),
    "sinusoidal(n#, d#, base=10000, start=0, exponent:=2i/d, layout:=interleaved)": sinusoidal, "alibi_slopes(h#)": alibi_slopes,
    "turn(A, C, S, layout:=interleaved)": turn, "rope(A, base=10000, start=0, layout:=interleaved)": rope,
    "layer_norm(A, gamma=1, beta=0, eps=1e-5, ddof#=0, eps_in:=variance, axis:=rows)": layer_norm,
    "rms_norm(A, gamma=1, eps=0, axis:=rows)": lambda A, gamma, eps, axis:
        calculate(f"A / sqrt({along(axis)}mean(A * A) + eps) * gamma", {"A": A, "gamma": gamma, "eps": eps}),
    "gelu(A, form:=erf)": lambda A, form: calculate(choice(
        form, erf="A * (1 + erf(A / sqrt(2))) / 2", sigmoid="A * sigmoid(1.702 * A)",
        tanh="A * (1 + tanh(sqrt(2 / pi) * (A + 0.044715 * A ** 3))) / 2"), {"A": A}),
    "alibi(n#, m#, slope)": lambda n, m, slope: each(mul, slope, grid(n, m, lambda i, j: j - i)),
    "rotation(theta)": "vstack(hstack(cos(theta), -sin(theta)), hstack(sin(theta), cos(theta)))",
    "ln(A)": "log(A)", "log2(A)": "log(A) / log(2)", "log10(A)": "log(A) / log(10)", "ceil(A)": "-floor(-A)",
    "minimum(A, B)": "-maximum(-A, -B)", "relu(A)": "maximum(A, 0)", "elu(A)": "maximum(A, 0) + exp(minimum(A, 0)) - 1",
    "sigmoid(A)": "1 / (1 + exp(-A))", "silu(A)": "A / (1 + exp(-A))",
    "cross_entropy(P, ids, base=e)": "mean(-log(pick(P, ids))) / log(base)",
    "total(A)": "row_sum(flat(A))", "mean(A)": "row_mean(flat(A))", "var(A, ddof#=0)": "row_var(flat(A), ddof)",
    "row_min(A)": "-row_max(-A)", "row_mean(A)": "row_sum(A) / cols(A)", "row_std(A, ddof#=0)": "sqrt(row_var(A, ddof))",
    "row_var(A, ddof#=0)": "row_sum((A - row_mean(A)) ** 2) / (cols(A) - ddof)", "std(A, ddof#=0)": "sqrt(var(A, ddof))",
    **{f"col_{what}(A)": f"row_{what}(A.T).T" for what in ("sum", "max", "min", "mean")},
    **{f"col_{what}(A, ddof#=0)": f"row_{what}(A.T, ddof).T" for what in ("var", "std")},
}  # fmt: skip
PARAMETER = re.compile(r"(\w+|\*)([#:]?)(?:=(.*))?")
SIGNATURES = {text[: (k := text.index("("))]: ([PARAMETER.fullmatch(p).groups() for p in text[k + 1 : -1].split(", ")], how)  # type: ignore[union-attr]
              for text, how in FUNCTIONS.items()}  # fmt: skip
OPERATORS: dict[Any, Any] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: div, ast.Pow: power}
CONSTANTS: Functions = {"e": lambda: exp(ONE), "pi": pi, "inf": lambda: INF}


# -- formulas: Python's expressions, read and never run -----------------------------------------------------------------------

Names = dict[Any, Any]  # matrices by name, and their labels by (name, 0) for rows and (name, 1) for columns


@lru_cache(maxsize=4096)
def parsed(text: str) -> tuple[ast.expr, bytes]:
    try:
        source = " ".join(text.split("\n")).strip()
        return ast.parse(source if len(source) < 50_000 else "", mode="eval").body, source.encode()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Bad(f"a formula is required, {text[:60]!r} stands there") from None


def calculate(text: str, names: Names) -> Matrix:
    tree, source = parsed(text)
    try:
        return Formula(source, names).value(tree)
    except RecursionError:
        raise Bad(f"a formula is nested too deeply: {text[:60]!r}") from None


class Formula:
    """One formula's text, with the names that it may use."""

    def __init__(self, source: bytes, names: Names):
        self.source, self.names = source, names

    def text(self, tree: ast.expr) -> str:
        return self.source[tree.col_offset : tree.end_col_offset].decode()

    def value(self, tree: ast.expr) -> Matrix:
        match tree:
            case ast.Constant(value=int() | float()):
                return [[fraction(self.text(tree))]]
            case ast.Attribute(value=inside, attr="T"):
                return turned(self.value(inside))
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return each(neg, self.value(inside))
            case ast.BinOp(left=a, op=ast.MatMult(), right=b):
                return matmul(self.value(a), self.value(b))
            case ast.BinOp(left=a, op=sign_between, right=b) if type(sign_between) in OPERATORS:
                return each(OPERATORS[type(sign_between)], self.value(a), self.value(b))
            case ast.Subscript(value=inside, slice=index):
                return self.chosen(inside, index.elts if isinstance(index, ast.Tuple) else [index])
            case ast.Call(func=ast.Name(id=name)) if name in SIGNATURES:
                return self.call(name, tree)
            case ast.Name() | ast.Attribute() if (name := self.text(tree)) in self.names:
                Work.used.add(name)
                return self.names[name]
            case ast.Name(id=name) if name in CONSTANTS:
                return [[CONSTANTS[name]()]]
        raise Invalid(f"{self.text(tree)[:60]!r} is not defined, or not part of the formula language")

    def chosen(self, inside: ast.expr, index: list[ast.expr]) -> Matrix:
        A = self.value(inside)
        for axis, item in enumerate(index[:2]):
            places = self.places(item, inside, axis, shape(A)[axis])
            A = [[row[j] for j in places] for row in A] if axis else [A[i] for i in places]
        return A

    def places(self, item: ast.expr, inside: ast.expr, axis: int, count: int) -> list[int]:
        if isinstance(item, ast.Slice):
            start, stop = (None if end is None else self.whole(end) for end in (item.lower, item.upper))
            found = list(range(count))[start:stop]
        elif isinstance(item, ast.Constant) and isinstance(item.value, str):
            while isinstance(inside, ast.Attribute) and inside.attr == "T":
                inside, axis = inside.value, 1 - axis
            found = [k for k, label in enumerate(self.names.get((self.text(inside), axis)) or ()) if label == item.value][:2]
        else:
            found = list(range(count))[(k := self.whole(item)) : k + 1 or None]
        if not found or len(found) > 1 and not isinstance(item, ast.Slice):
            raise Invalid(f"{self.text(item)[:40]!r} names no row or column of {self.text(inside)[:40]!r}, or several")
        return found

    def whole(self, tree: ast.expr) -> int:
        value = self.value(tree)
        if shape(value) != (1, 1) or not isinstance(value[0][0], Fraction) or value[0][0].denominator != 1 or abs(value[0][0]) > 10**9:
            raise Invalid(f"a whole number is required, {self.text(tree)[:40]!r} stands there")
        return int(value[0][0])

    def call(self, name: str, tree: ast.Call) -> Matrix:
        parameters, how = SIGNATURES[name]
        if parameters[0][0] == "*":
            return how(*map(self.value, tree.args))
        given = {p[0]: a for p, a in zip(parameters, tree.args, strict=False)} | {k.arg or "": k.value for k in tree.keywords}
        if len(tree.args) > len(parameters) or not {p[0] for p in parameters if p[2] is None} <= set(given) <= {p[0] for p in parameters}:
            raise Invalid(f"{name} takes other arguments")
        bound = {p[0]: self.argument(p[1], p[2], given.get(p[0])) for p in parameters}
        if not isinstance(how, str):
            return how(*bound.values())
        return calculate(how, {k: [[Fraction(v)]] if isinstance(v, int) else v for k, v in bound.items()})

    def argument(self, kind: str, default: str, tree: ast.expr | None) -> Any:
        if tree is None:
            return None if default == "none" else default if kind == ":" else int(default) if kind else calculate(default, {})
        if kind == ":":
            return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, str) else self.text(tree)
        return self.whole(tree) if kind else self.value(tree)


NUMBER = re.compile(r"-?(?:\d{1,20000}/\d{1,20000}|(?:\d{1,20000}\.?\d{0,40000}|\.\d{1,20000})(?:[eE]([+-]?\d{1,5}))?)", re.ASCII)


def fraction(text: Any) -> Fraction:
    """A decimal (`0.1`, `1.5e-7`) or `p/q`, exactly."""
    found = NUMBER.fullmatch(text) if isinstance(text, str) else None
    if not found or abs(int(found[1] or 0)) > 45_000 or re.search("/0+$", text):
        raise Bad(f"a number is required, {str(text)[:40]!r} stands there")
    return Fraction(text)


# -- the certificate ----------------------------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """An entry that is not proven: `wrong`, or `open` where it could not be told."""

    place: str
    verdict: str
    reason: str

    def __str__(self) -> str:
        return f"{'WRONG' if self.verdict == 'wrong' else 'not verified'}: {self.place}: {self.reason}"


class Report(NamedTuple):
    """What was read, a line each, and for every step its name, its entries and how many of them are proven."""

    stated: list[str]
    steps: list[tuple[str, int, int]]
    findings: list[Finding]


def need(value: Any, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise Bad(f"{what[:60]}: {kind.__name__} is required, {type(value).__name__} stands there")
    return value


def table(value: Any, what: str) -> list[list[Any]]:
    rows = need(value, list, what)
    if not rows or not all(isinstance(row, list) and row and len(row) == len(rows[0]) for row in rows):
        raise Bad(f"{what[:60]}: a matrix is required")
    return rows


def rounding_of(part: Any) -> tuple[int, str]:
    digits, mode = (need(need(part, dict, "parts").get("rounding"), dict, "rounding").get(key) for key in ("digits", "mode"))
    if type(digits) is not int or not 0 <= digits <= 1_000 or mode not in MODES:
        raise Bad(f"rounding: up to 1000 digits and one of {', '.join(MODES)} are required")
    return digits, mode


class Check:
    """One run over a certificate at one precision."""

    def __init__(self, data: dict[str, Any]):
        self.carried = need(data.get("carried"), bool, "carried")
        self.report = Report([], [], [])
        self.outer: Names = {}
        self.givens(data.get("givens"), self.outer, "")
        for part in need(data.get("parts"), list, "parts"):
            self.part(part)

    def givens(self, stated: Any, names: Names, before: str) -> None:
        for name, given in need(stated, dict, "givens").items():
            values = need(given, dict, name).get("values")
            try:
                self.define(names, name, self.stated(values, names, name), given)
            except (Invalid, Open) as error:
                raise Bad(f"the given {before}{name}: {error}") from None
            self.say(before + name, values, given)

    def say(self, name: str, values: Any, labels: dict[str, Any]) -> None:
        rows = [" ".join(row) for row in values] if isinstance(values, list) else [values]
        named = need(labels.get("rows") or [], list, "rows")
        self.report.stated.append(f"{name} = " + "; ".join(f"{named[i]}: {row}" if i < len(named) else row for i, row in enumerate(rows)))

    def define(self, names: Names, name: str, value: Matrix, labels: dict[str, Any], assumed: str = "") -> None:
        names[name], names[name, "assumed"] = value, assumed
        for axis, which in enumerate(("rows", "columns")):
            names[name, axis] = need(labels.get(which) or [], list, which)

    def stated(self, values: Any, names: Names, what: str) -> Matrix:
        """A matrix that is written out, or a formula."""
        if isinstance(values, str):
            return calculate(values, names)
        return [[calculate(need(x, str, what), names)[0][0] for x in row] for row in table(values, what)]

    def part(self, part: dict[str, Any]) -> None:
        digits, mode = rounding_of(part)
        before = f"{need(part['name'], str, 'name')}." if part.get("name") is not None else ""
        names = dict(self.outer)
        self.givens(part.get("givens"), names, before)
        for step in need(part.get("steps"), list, "steps"):
            name = need(need(step, dict, "steps").get("name"), str, "name")
            value, assumed = self.step(before + name, step, names, digits, mode)
            for scope, known in ((names, name), (self.outer, before + name)):
                self.define(scope, known, value, step, assumed)

    def step(self, place: str, step: dict[str, Any], names: Names, digits: int, mode: str) -> tuple[Matrix, str]:
        """A step's value, and the step that it rests on where that one is taken as it is claimed: there the formula told no value."""
        formula, printed = need(step.get("formula"), str, f"{place}: formula"), table(step.get("printed"), f"{place}: printed")
        claims = [[claimed(x) for x in row] for row in table(step.get("enclosures"), f"{place}: enclosures")]
        if shape(claims) != shape(printed):
            raise Bad(f"{place}: an enclosure of each printed entry is required")
        stated = step.get("pinned", formula)
        self.say(place, stated, {} if stated is formula else step)
        places, Work.used = [(i, j) for i in range(len(printed)) for j in range(len(printed[0]))], set()
        try:
            value = [list(row) for row in self.stated(stated, names, place)]
            if shape(value) != shape(printed):
                raise Invalid("the formula gives a matrix of another size")
            assumed = next(filter(None, (names.get((name, "assumed")) for name in sorted(Work.used))), "")
            found = {(i, j): self.entry(value[i], j, claims[i][j], printed[i][j], digits, mode) for i, j in places}
        except (Invalid, Open) as error:
            value, assumed = claims, place
            found = dict.fromkeys(places, ("open" if isinstance(error, Open) else "wrong", str(error)))
        if assumed not in ("", place):
            found = {at: verdict or ("open", f"it rests on {assumed}") for at, verdict in found.items()}
        findings = [Finding(f"{place}[{i},{j}]", *verdict) for (i, j), verdict in found.items() if verdict]
        self.report.steps.append((place, len(places), len(places) - len(findings)))
        self.report.findings.extend(findings)
        return value, assumed

    def entry(self, row: list[Any], j: int, claim: Number, printed: Any, digits: int, mode: str) -> tuple[str, str] | None:
        """What is wrong or open at an entry; where the printed decimals are carried on, it becomes what is printed."""
        lo, hi = ends(row[j])
        if isinstance(lo, float):
            return None if printed == str(lo) == str(claim) else ("wrong", f"{printed!s:.40} is printed, the formula gives {lo}")
        low, high = (whole(end, digits, mode) for end in (lo, hi))
        n = int(printed.replace(".", "")) if isinstance(printed, str) and re.fullmatch(r"-?\d{1,9000}(\.\d+)?", printed, re.ASCII) else None
        if n is None or printed != decimal(n, digits) or not low <= n <= high:
            return "wrong", f"{printed!s:.40} is printed, the formula gives {decimal(low, digits):.40}"
        if low != high:
            return "open", f"{decimal(low, digits):.40} or {decimal(high, digits):.40}: no precision tells which"
        if self.carried:
            row[j] = Fraction(n, 10**digits)
        return enclosed(row[j], claim, digits)


def enclosed(x: Number, claim: Number, digits: int) -> tuple[str, str] | None:
    (lo, hi), (a, b) = ends(x), ends(claim)
    if hi < a or b < lo:
        return "wrong", "the value lies outside of its enclosure"
    if lo < a or b < hi:
        return "open" if 1000 * (hi - lo) > b - a else "wrong", "the value is not proven to lie in its enclosure"
    if b - a > Fraction(1, 10 ** (digits + 10)):
        return "wrong", "the enclosure is wider than a certificate's are"
    return None


def claimed(x: Any) -> Number:
    if x in ("inf", "-inf"):
        return float(x)
    if not isinstance(x, list) or len(x) != 2:
        return fraction(x)
    lo, hi = map(fraction, x)
    if lo >= hi:
        raise Bad(f"the lower end of an enclosure is below its upper one; {x[0]:.40} and {x[1]:.40} stand there")
    return Interval(lo, hi)


def decimal(n: int, digits: int) -> str:
    text = str(abs(n)).rjust(digits + 1, "0")
    point = len(text) - digits
    return ("-" if n < 0 else "") + (f"{text[:point]}.{text[point:]}" if digits else text)


def checksum(data: dict[str, Any]) -> str:
    """Of all but itself. It tells that a file was changed; the proofs do not rest on it."""
    rest = {key: value for key, value in data.items() if key != "checksum"}
    return "sha256:" + hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def verify(data: Any) -> Report:
    """The report on a certificate, with ever more precision as long as something is open. Raises Bad."""
    if need(data, dict, "the file").get("certificate") != "attncalc 1":
        raise Bad('"certificate": "attncalc 1" is required')
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(50_000)
    Work.left = MOST_WORK
    Work.bits = 192 + 4 * max((rounding_of(part)[0] for part in need(data.get("parts"), list, "parts")), default=0)
    try:
        for _ in range(LEVELS):
            Work.known = {}
            report = Check(data).report
            if all(finding.verdict == "wrong" for finding in report.findings):
                break
            Work.bits *= 2
    except (RecursionError, MemoryError):
        raise Bad("the certificate is too large, or nested too deeply") from None
    if data.get("checksum") != checksum(data):
        report.findings.insert(0, Finding("the file", "wrong", "its checksum differs; it is not as attncalc wrote it"))
    return report


def read(path: str) -> Any:
    try:
        with open(0 if path == "-" else path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise Bad("the file is too large")
        return json.loads(raw)
    except (OSError, ValueError, RecursionError) as error:
        raise Bad(getattr(error, "strerror", None) or f"JSON is required: {error}") from None


def told(report: Report) -> Iterator[str]:
    yield "Worked out again from these givens and formulas:"
    yield from (f"  {line}" for line in report.stated)
    yield from map(str, report.findings)
    entries, proven = sum(step[1] for step in report.steps), sum(step[2] for step in report.steps)
    unknown = sum(finding.verdict == "open" for finding in report.findings)
    yield f"{entries:,} printed entries: {proven:,} proven, {entries - proven - unknown:,} wrong, {unknown:,} not verified"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        report = verify(read(arguments[0]))
    except Bad as error:
        print(plain(f"{arguments[0]}: {error}"), file=sys.stderr)
        return 2
    for line in told(report):
        print(plain(line))
    return 1 if any(finding.verdict == "wrong" for finding in report.findings) else 0


def plain(text: str) -> str:
    """Text that commands no terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
