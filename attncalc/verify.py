#!/usr/bin/env python3
"""Proves again a certificate of `attncalc solve PROBLEM --certificate FILE`. Usage: python verify.py FILE

This file needs only Python's standard library and shares no code with attncalc. It computes the certificate's formulas
again from its givens, in intervals whose ends are fractions. Series with bounds of their remainders enclose roots,
exponentials, logarithms, sines, tanh, erf and π.

A printed entry is proven if all numbers of its interval round to the printed decimal, and if they all have the decimals
of the stated enclosure, no more and no fewer.

You must trust the givens and the formulas, which are printed, and this file. Exit codes:

    0  nothing is wrong (entries that could not be verified are listed)
    1  a decimal, an enclosure or the checksum is wrong
    2  the file is not a certificate
"""

from __future__ import annotations

import ast
import hashlib
import json
import operator
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cmp_to_key, lru_cache, reduce, wraps
from itertools import count, islice
from math import isqrt
from types import NoneType
from typing import Any, NamedTuple, ParamSpec, TypeGuard, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
End = Fraction | float  # the end of an interval; the only floats are ±∞
INF = float("inf")
# Numbers between 0 and 2^−TINY are enclosed by these two; numbers above 2^TINY are refused
TINY = 1 << 17
LARGEST_EXPONENT = 90_900  # e^LARGEST_EXPONENT is just above 2^TINY
LONGEST_EXACT = 8_000  # bits; a longer fraction becomes an interval
LONGEST_ROOT = 2_000  # bits; a longer fraction gets no exact form as a root
LARGEST_FILE = 16_000_000  # bytes
NESTED = (
    "a formula can have at most 200 nested brackets or 1,000 nested operations; found more in {!r}; split it into "
    "several steps"
)
MOST_WORK = 4_000_000  # units of work, each about a microsecond or 60 bytes
OPERATION, CELL, TERM, COPY = 10, 5, 6, 0.25  # units: of an operation, an entry, a term of a product, a copied entry
LARGEST_SIDE, MOST_CELLS = 4_096, 262_144  # of a matrix
LONGEST_FORMULA = 50_000  # characters
LONGEST_INTEGER = 18  # digits of a whole number of the file itself
LEVELS = 4  # levels of precision; the bits double while an entry is undecided
MOST_TERMS, HIGHEST = 64, 8  # of a number's form: products in the sum, factors of a product
MORE_DIGITS = 12  # digits of an enclosure after the printed digits
FORMAT = "attncalc 2"
# Modes of rounding: True if n + rest/of units, with n ≥ 0 and 0 ≤ rest < of, round to n + 1.
MODES: dict[str, Callable[[int, int, int], bool]] = {
    "half_up": lambda n, rest, of: 2 * rest >= of,
    "half_even": lambda n, rest, of: 2 * rest + n % 2 > of,
    "truncate": lambda n, rest, of: False,
}


class Bad(Exception):
    """The error of a file that is not a certificate, or is too large. `path` is the place: a part, a step, a key."""

    def __init__(self, reason: str):
        self.path: list[str] = []
        self.reason = reason

    def __str__(self) -> str:
        return f"{', '.join(self.path)}: {self.reason}" if self.path else self.reason


class TooMuch(Bad):
    """The error of a certificate that needs more work than MOST_WORK."""


@contextmanager
def within(*path: str) -> Iterator[None]:
    """Put a place in front of the place of an error."""
    try:
        yield
    except Bad as error:
        error.path[:0] = path
        raise


class Invalid(Exception):
    """The error of a formula without a value or without a meaning."""


class Open(Exception):
    """The error of a question that the intervals do not decide at this precision."""


class Work:
    """The precision in bits, the results at this precision, and the work that remains."""

    bits = 192
    left: float = MOST_WORK
    known: dict[object, Any] = {}  # noqa: RUF012
    forms = False  # whether numbers have forms, which takes longer
    atoms: dict[int, Number] = {}  # noqa: RUF012
    roots: dict[int, Fraction] = {}  # noqa: RUF012
    waves: dict[Number, list[Number | None]] = {}  # noqa: RUF012
    cosines: dict[int, Number] = {}  # noqa: RUF012

    @classmethod
    def begin(cls, bits: int, forms: bool) -> None:
        """Start a new level of precision, without results."""
        cls.bits, cls.forms = bits, forms
        cls.known, cls.atoms, cls.roots, cls.waves, cls.cosines = {}, {}, {}, {}, {}

    @classmethod
    def spend(cls, units: float, times: float = 1, bits: int = 0) -> None:
        """Count work before it is done: `times` times the units and the cost of a product of numbers of `bits` bits.

        Raises TooMuch if the certificate needs more than MOST_WORK in total.
        """
        cls.left -= times * (units + (bits * bits >> 19))
        if cls.left < 0:
            raise TooMuch(
                f"the certificate needs more than the {MOST_WORK:,} units of work that verify.py allows; use smaller "
                f"matrices, or certify some steps in a separate file"
            )


def memoize(function: Callable[P, T]) -> Callable[P, T]:
    """Compute an operation on the same numbers once, so that equal formulas give the same Number object."""

    @wraps(function)
    def memoized(*arguments: P.args, **options: P.kwargs) -> T:
        key = (function, *arguments)
        if key not in Work.known:
            Work.spend(OPERATION, bits=Work.bits)
            Work.known[key] = function(*arguments, **options)
        result: T = Work.known[key]
        return result

    return memoized


# -- numbers -----------------------------------------------------------------------------------------------------------


class Number:
    """A number between two fractions. If they are equal it is exact, perhaps ±∞. `==` means: proven equal.

    `kind` and `of` describe the origin of an inexact number, if it says more than the ends:

    - ("root", r) is sign(r)·√|r| of a fraction r, and ("pi", r) is r·π.
    - ("sqrt", x), ("log", x), ("exp", x), ("neg", x) and ("square", x) are functions of a number x.

    `form` is the number as a sum of products, if that is known.
    """

    __slots__ = ("exact", "form", "hi", "kind", "lo", "of")

    def __init__(self, lo: End, hi: End | None = None, kind: str = "", of: Fraction | Number | None = None):
        self.lo, self.hi, self.kind, self.of = lo, lo if hi is None else hi, kind, of
        self.exact: bool = self.lo == self.hi
        self.form: Form | None = None

    @property
    def fraction(self) -> Fraction | None:
        """Return the value if it is exact and finite."""
        return self.lo if self.exact and not isinstance(self.lo, float) else None

    @property
    def fractions(self) -> Bounds | None:
        """Return both ends if they are finite."""
        return None if isinstance(self.lo, float) or isinstance(self.hi, float) else (self.lo, self.hi)

    def multiple(self, kind: str) -> Fraction | None:
        """Return r if the number is of this kind: a root of r, or r·π; otherwise None."""
        return self.of if self.kind == kind and not isinstance(self.of, Number) else None

    def argument(self, kind: str) -> Number | None:
        """Return x if the number is this function of x; otherwise None."""
        return self.of if self.kind == kind and isinstance(self.of, Number) else None

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Number) and self.exact and other.exact and self.lo == other.lo

    def __hash__(self) -> int:
        return hash(self.lo) if self.exact else id(self)

    def __neg__(self) -> Number:
        return Number(-self.lo) if self.exact else negative(self)

    def __add__(self, other: Number) -> Number:
        if self.exact and other.exact:
            return exact_result(operator.add, self, other)
        return other if self == ZERO else self if other == ZERO else add(*in_fixed_order(self, other))

    def __sub__(self, other: Number) -> Number:
        return ZERO if self is other and not self.exact else self + -other

    def __mul__(self, other: Number) -> Number:
        if self.exact and other.exact:
            return exact_result(operator.mul, self, other)
        if ZERO in (self, other):
            return ZERO
        return other if self == ONE else self if other == ONE else multiply(*in_fixed_order(self, other))

    def __truediv__(self, other: Number) -> Number:
        if other == ZERO:
            raise Invalid("division by zero")
        if self.exact and other.exact:
            return exact_result(operator.truediv, self, other)
        return self * exact_result(operator.truediv, ONE, other) if other.exact else divide(self, other)

    def __pow__(self, other: Number) -> Number:
        return power(self, other)


Matrix = list[list[Number]]
Argument = Matrix | int | str  # of a function: a matrix, a whole number or an option's word
Names = Mapping[str, Matrix | str]  # names to values; without a value, the name of the step that has none
Bounds = tuple[Fraction, Fraction]
Ends = tuple[End, End]
Product = tuple[tuple[int, int], ...]  # of atoms, each with its exponent
Form = dict[Product, Fraction]  # a sum of products, each with its multiple
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def round_to_precision(x: Fraction, up: bool) -> Fraction:
    """Round x down or up to the working precision."""
    if length(x) <= Work.bits:
        return x
    n, d = x.numerator, x.denominator
    size = n.bit_length() - d.bit_length()
    if size < -TINY:
        return Fraction((n > 0) if up else -(n < 0), 1 << TINY)
    if size > TINY:
        raise Open("a number is too large")
    shift = Work.bits - size
    above, below = (n << shift, d) if shift >= 0 else (n, d << -shift)
    whole = -(-above // below) if up else above // below
    return Fraction(whole, 1 << shift) if shift >= 0 else Fraction(whole << -shift)


def between(lo: End, hi: End, kind: str = "", of: Fraction | Number | None = None) -> Number:
    """Return the number between two ends, which are rounded outward to the working precision."""
    low = lo if isinstance(lo, float) else round_to_precision(lo, False)
    high = hi if isinstance(hi, float) else round_to_precision(hi, True)
    return Number(low, high, kind, of)


def apply_to_ends(operation: Callable[[End, End], End], a: End, b: End, error: type[Exception] = Open) -> End:
    """Apply an operation to two ends; if one end is ±∞, only the sign of the other counts."""
    if not (isinstance(a, float) or isinstance(b, float)):
        return operation(a, b)
    result = operation(*(x if isinstance(x, float) else float((x > 0) - (x < 0)) for x in (a, b)))
    if result != result:
        raise error("∞ − ∞, 0 · ∞ and ∞ / ∞ have no value")
    return result or Fraction(0)


def exact_result(operation: Callable[[End, End], End], x: Number, y: Number) -> Number:
    """Apply an operation to two exact numbers; the result is an interval if the fraction has over LONGEST_EXACT bits.

    Raises Invalid for ∞ − ∞, 0 · ∞ and ∞ / ∞.
    """
    Work.spend(OPERATION, bits=length(x.lo) + length(y.lo))
    return exact_or_interval(apply_to_ends(operation, x.lo, y.lo, Invalid))


def length(q: End) -> int:
    """Return the bits of a fraction's numerator and denominator together; 0 for ±∞."""
    return 0 if isinstance(q, float) else q.numerator.bit_length() + q.denominator.bit_length()


def exact_or_interval(q: End) -> Number:
    """Return a fraction as an exact number, or as an interval if it has more than LONGEST_EXACT bits."""
    return Number(q) if length(q) <= LONGEST_EXACT else between(q, q)


def corners(operation: Callable[[End, End], End], x: Number, y: Number, least: End = -INF) -> Number:
    """Return the interval of a product or quotient, whose extremes are at the ends; `least` is a known lower bound."""
    ends = [apply_to_ends(operation, a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    return between(max(min(ends), least), max(ends))


def sign(x: Number) -> int:
    """Return −1, 0 or 1. Raises Open if the interval contains 0 and other numbers."""
    if x.lo <= 0 <= x.hi and not x.exact:
        raise Open("it is not decided whether a number is negative, 0 or positive")
    return int(x.hi > 0) - int(x.lo < 0)


def in_fixed_order(x: Number, y: Number) -> list[Number]:
    """Return both numbers in a fixed order, the exact one first, so that x + y and y + x are computed once."""
    return sorted((x, y), key=lambda n: (not n.exact, id(n)))


def radicand(x: Number) -> Fraction | None:
    """Return r if x is known to be sign(r)·√|r|, otherwise None."""
    r = q * abs(q) if (q := x.fraction) is not None else x.multiple("root")
    return r if r is not None and length(r) <= LONGEST_ROOT else None


def logarithm_of(x: Number) -> Fraction | None:
    """Return r if x is known to be the logarithm of the fraction r, otherwise None."""
    return y.fraction if (y := x.argument("log")) else None


@memoize
def negative(x: Number) -> Number:
    """Return −x; a root, a logarithm or a negated number keeps its kind."""
    if r := x.multiple("root"):
        return root(-r)
    if r := x.multiple("pi"):
        return pi_times(-r)
    if r := logarithm_of(x):
        return log(Number(1 / r))
    return x.argument("neg") or number_of_form(
        lambda: form_product({(): Fraction(-1)}, form_of(x)), lambda: Number(-x.hi, -x.lo, "neg", x)
    )


@memoize
def add(x: Number, y: Number) -> Number:
    """Return x + y: √2 + √8 is 3·√2, ln a + ln b is ln ab, x + −x is 0; for other numbers the interval of the sum."""
    if (r := x.multiple("root")) and (s := y.multiple("root")) and (ratio := exact_root(s / r, 2)) is not None:
        return Number(1 + ratio) * x
    if (r := logarithm_of(x)) and (s := logarithm_of(y)):
        return log(Number(r * s))
    if (r := x.multiple("pi")) and (s := y.multiple("pi")):
        return pi_times(r + s)
    if y.argument("neg") is x or x.argument("neg") is y:
        return ZERO
    return number_of_form(
        lambda: form_sum(form_of(x), form_of(y)),
        lambda: between(apply_to_ends(operator.add, x.lo, y.lo), apply_to_ends(operator.add, x.hi, y.hi)),
    )


@memoize
def multiply(x: Number, y: Number) -> Number:
    """Return x·y: √a·√b is √ab, the square of √x is x; for other numbers the interval of the product, for a
    square ≥ 0.
    """
    if (r := radicand(x)) is not None and (s := radicand(y)) is not None:
        return root(r * s)
    if (s := y.multiple("pi")) and (q := x.fraction) is not None and length(q) <= LONGEST_ROOT:
        return pi_times(q * s)
    if x is y and (inside := y.argument("sqrt")):
        return inside
    least = Fraction(0) if x is y and y.lo < 0 < y.hi else -INF
    product = number_of_form(lambda: form_product(form_of(x), form_of(y)), lambda: corners(operator.mul, x, y, least))
    if x is y and not product.exact and not product.kind:
        product.kind, product.of = "square", x
    return product


@memoize
def divide(x: Number, y: Number) -> Number:
    """Return x/y: x/x is 1, √a/√b is √(a/b), ln 8/ln 2 is 3; for other numbers the interval of the quotient.

    Raises Open if y may be 0.
    """
    sign(y)
    if x is y:
        return ONE
    if (r := radicand(x)) is not None and (s := radicand(y)) is not None:
        return root(r / s)
    if (r := x.multiple("pi")) and (s := y.multiple("pi")):
        return exact_or_interval(r / s)
    if (
        (r := logarithm_of(x))
        and (s := logarithm_of(y)) in (2, 10)
        and (n := next((n for n in range(-32, 33) if s**n == r), None))
    ):
        return Number(Fraction(n))
    return number_of_form(lambda: form_quotient(form_of(x), form_of(y)), lambda: corners(operator.truediv, x, y))


# -- forms: facts that no interval shows -------------------------------------------------------------------------------
#
# A number is written as a sum of products of atoms: opaque numbers. Squares of roots, sin² of an angle whose cosine is
# known, and the last weight of each softmax are replaced by their values. If all atoms cancel, the number is exact.
# Numbers of the same form are the same Number object.


def number_of_form(form: Callable[[], Form | None], interval: Callable[[], Number]) -> Number:
    """Return the number of a form: exact if the form has no atoms, otherwise an interval that keeps the form."""
    sum_form = form() if Work.forms else None
    if sum_form is None:
        return interval()
    if not sum_form.keys() - {()}:
        return exact_or_interval(sum_form.get((), Fraction(0)))
    key = (number_of_form, frozenset(sum_form.items()))
    if key not in Work.known:
        ((product, multiple), *more) = sum_form.items()
        alone = not more and len(product) == 1 and product[0][1] == 1
        if alone and product[0][0] in Work.roots:
            Work.known[key] = root(multiple * abs(multiple) * Work.roots[product[0][0]])
        elif alone and multiple == 1:
            Work.known[key] = Work.atoms[product[0][0]]
        else:
            number = interval()
            if (square := square_of_quotient(sum_form)) is not None and number.lo * number.hi > 0:
                number = root(square if number.lo > 0 else -square)
            elif not number.exact:
                number.form = sum_form
            Work.known[key] = number
    known: Number = Work.known[key]
    return known


def square_of_quotient(form: Form) -> Fraction | None:
    """Return q if the form is f/√u with f² = q·u for a sum f, as in a normalized row; otherwise None."""
    for atom, exponent in set.intersection(*map(set, form)):
        inside = Work.atoms[atom].argument("sqrt")
        if inside is not None and exponent == -1:
            above = {tuple(x for x in product if x[0] != atom): multiple for product, multiple in form.items()}
            quotient = form_quotient(form_product(above, above), form_of(inside))
            if quotient is not None and not quotient.keys() - {()}:
                return quotient[()]
    return None


def form_of(x: Number) -> Form | None:
    """Return the form of a number; None for ±∞."""
    if x.exact:
        return None if (q := x.fraction) is None else {(): q} if q else {}
    if x.form is not None:
        return x.form
    if r := x.multiple("root"):
        atom, ratio = root_atom(abs(r))
        return {((atom, 1),): ratio if r > 0 else -ratio}
    opposite = log(Number(1 / r)) if (r := logarithm_of(x)) and r < 1 else x.argument("neg")
    if opposite is not None:
        return form_product({(): Fraction(-1)}, form_of(opposite))
    if (r := x.multiple("pi")) and r != 1:
        return form_product({(): r}, form_of(pi_times(Fraction(1))))
    Work.atoms[id(x)] = x
    return {((id(x), 1),): Fraction(1)}


def root_atom(r: Fraction) -> tuple[int, Fraction]:
    """Return √r, for r that is not a square, as an atom and a multiple of it.

    The atom is the first root of which √r is a multiple.
    """
    for atom, known in Work.roots.items():
        if (ratio := exact_root(r / known, 2)) is not None:
            return atom, ratio
    number = root(r)
    Work.atoms[id(number)], Work.roots[id(number)] = number, r
    return id(number), Fraction(1)


def form_sum(left: Form | None, right: Form | None) -> Form | None:
    """Return the sum of two forms; None if it is too long."""
    if left is None or right is None:
        return None
    total = dict(left)
    for product, multiple in right.items():
        total[product] = total.get(product, Fraction(0)) + multiple
    return simplify_form(total)


def form_product(left: Form | None, right: Form | None) -> Form | None:
    """Return the product of two forms; None if it is too long."""
    if left is None or right is None or len(left) * len(right) > MOST_TERMS:
        return None
    total: Form = {}
    for a, p in left.items():
        for b, q in right.items():
            exponents = dict(a)
            for atom, exponent in b:
                exponents[atom] = exponents.get(atom, 0) + exponent
            for product, multiple in reduce_product(exponents):
                total[product] = total.get(product, Fraction(0)) + p * q * multiple
    return simplify_form(total)


def form_quotient(left: Form | None, right: Form | None) -> Form | None:
    """Return the quotient of two forms if they are multiples of each other, or if the divisor is a single product.

    Returns None for other forms.
    """
    if left is None or right is None:
        return None
    if left.keys() == right.keys() and len(ratios := {left[product] / right[product] for product in left}) == 1:
        return {(): ratios.pop()}
    if len(right) != 1:
        return None
    ((product, multiple),) = right.items()
    return form_product(left, {tuple((atom, -exponent) for atom, exponent in product): 1 / multiple})


def simplify_form(form: Form) -> Form | None:
    """Remove the terms that cancel; return None if the form is still too long."""
    Work.spend(OPERATION, len(form))
    terms = {product: multiple for product, multiple in form.items() if multiple}
    fits = all(
        length(multiple) <= LONGEST_ROOT and sum(abs(exponent) for _, exponent in product) <= HIGHEST
        for product, multiple in terms.items()
    )
    return terms if fits and len(terms) <= MOST_TERMS else None


def reduce_product(exponents: dict[int, int]) -> Iterator[tuple[Product, Fraction]]:
    """Write a product as products without squares of roots and of sines, and with at most one exponential."""
    multiple, radical = Fraction(1), Fraction(1)
    powers = {atom: x for atom in exponents if (x := Work.atoms[atom].argument("exp"))}
    if len(powers) > 1 or any(exponents[atom] != 1 for atom in powers):  # eˣ·eʸ is eˣ⁺ʸ
        joined = exp(total(Number(Fraction(exponents[atom])) * x for atom, x in powers.items()))
        if joined.kind == "exp" or joined.fraction is not None:
            exponents = {atom: exponent for atom, exponent in exponents.items() if atom not in powers}
            if joined.fraction is not None:
                multiple = joined.fraction
            else:
                Work.atoms[id(joined)], exponents[id(joined)] = joined, 1
    for atom in [atom for atom in exponents if atom in Work.roots]:
        exponent = exponents.pop(atom)
        multiple *= Work.roots[atom] ** (exponent // 2)
        radical *= Work.roots[atom] ** (exponent % 2)
    if (ratio := exact_root(radical, 2)) is None:
        atom, ratio = root_atom(radical)
        exponents[atom] = 1
    multiple *= ratio
    sine = next((atom for atom, exponent in exponents.items() if exponent > 1 and atom in Work.cosines), None)
    if sine is None:
        yield tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent)), multiple
        return
    without = exponents | {sine: exponents[sine] - 2}
    cosine = id(Work.cosines[sine])
    for product, more in reduce_product(dict(without)):
        yield product, multiple * more
    for product, more in reduce_product(without | {cosine: without.get(cosine, 0) + 2}):
        yield product, -multiple * more


def relate_waves(x: Number, quarter: int, wave: Number) -> None:
    """Record that sin² x is 1 − cos² x after both are known."""
    pair = Work.waves.setdefault(x, [None, None])
    pair[quarter] = wave
    sine, cosine = pair
    if sine and cosine and not sine.exact and not cosine.exact:
        Work.atoms[id(cosine)] = cosine
        Work.cosines[id(sine)] = cosine


def relate_weights(numbers: list[Number]) -> None:
    """Record that the weights of a softmax sum to 1: the last weight is 1 minus the others."""
    inexact = {id(x): x for x in numbers if not x.exact}
    if not inexact or (last := list(inexact.values())[-1]).form is not None:
        return
    times_last, form = sum(x is last for x in numbers), form_of(ONE)
    for x in numbers:
        if x is not last:
            form = form_sum(form, form_product({(): Fraction(-1)}, form_of(x)))
    last.form = form_product(form, {(): Fraction(1, times_last)})


def whole_root(n: int, index: int) -> int:
    """Return ⌊n^(1/index)⌋, by Newton's method from above."""
    Work.spend(OPERATION, 16, n.bit_length())
    if index == 2 or n == 0:
        return isqrt(n)
    above = 1 << -(-n.bit_length() // index)
    while (lower := ((index - 1) * above + n // above ** (index - 1)) // index) < above:
        above = lower
    return above


def exact_root(q: Fraction, index: int) -> Fraction | None:
    """Return the root of a fraction, with the sign of the fraction, if the root is a fraction; otherwise None."""
    n, d = (whole_root(part, index) for part in (abs(q.numerator), q.denominator))
    return Fraction(-n if q < 0 else n, d) if Fraction(n, d) ** index == abs(q) else None


def root_bounds(lo: Fraction, hi: Fraction) -> Bounds:
    """Return fractions below √lo and above √hi, for 0 ≤ lo ≤ hi, to the working precision."""
    k = max(0, Work.bits + (lo.denominator.bit_length() - lo.numerator.bit_length()) // 2)
    a, b = (isqrt((x.numerator << 2 * k) // x.denominator) for x in (lo, hi))
    return Fraction(a, 1 << k), Fraction(b + 1, 1 << k)


@memoize
def root(r: Fraction) -> Number:
    """Return sign(r)·√|r|."""
    if (exact := exact_root(r, 2)) is not None:
        return Number(exact)
    lo, hi = root_bounds(abs(r), abs(r))
    return between(lo, hi, "root", r) if r > 0 else between(-hi, -lo, "root", r)


@memoize
def sqrt(x: Number) -> Number:
    """Return √x, exact if x is the square of a fraction. Raises Invalid for x < 0, and Open if x may be negative."""
    if sign(x) < 0:
        raise Invalid("a negative number has no square root")
    if inside := x.argument("square"):
        return absolute(inside)
    if (ends := x.fractions) is None:
        return x
    return root(ends[0]) if x.exact else between(*root_bounds(*ends), "sqrt", x)


def power(x: Number, y: Number) -> Number:
    """Return x^y: by products for whole y, by roots for fractions with known roots, otherwise as e^(y·ln x).

    Raises Invalid if it has no value. Raises Open for ∞, and if the intervals do not decide whether it has a value.
    """
    q, base = y.fraction, x.fraction
    if INF in (abs(x.lo), abs(x.hi), abs(y.lo)):
        raise Open("a power with an infinite base or exponent cannot be verified")
    if q is not None and q < 0:
        return ONE / power(x, -y)
    if q is not None and q.denominator == 1:
        return whole_power(x, int(q))
    if sign(x) < 0 or x == ZERO and sign(y) < 0:
        raise Invalid("a negative number can be raised only to integer powers, and 0 not to negative powers")
    if x in (ZERO, ONE):
        return x
    if q is not None and q.denominator == 2:
        return whole_power(sqrt(x), q.numerator)
    if q is not None and base is not None and q.denominator <= 64 and (r := exact_root(base, q.denominator)):
        return whole_power(Number(r), q.numerator)
    return exp(y * log(x))


def whole_power(x: Number, n: int) -> Number:
    """Return x^n for n ≥ 0, by squaring."""
    product = ONE
    for digit in f"{n:b}":
        product = product * product
        product = product * x if digit == "1" else product
    return product


# -- bounds of functions: series in fixed point, every term rounded down and up ----------------------------------------


def taylor(
    first: Fraction, x: Fraction, bits: int, count: int, ratio: Callable[[int], tuple[int, int]], sign: int = 1
) -> Bounds:
    """Return bounds of t₀ + t₁ + t₂ + ... or, for sign −1, of t₀ − t₁ + t₂ − ..., in units of 2^−bits.

    The terms are positive: tᵢ is tᵢ₋₁·x·p/q with (p, q) = ratio(i). The sum of all later terms must be at most as large
    as the last of the first `count` terms.
    """
    Work.spend(2, count, bits)
    (lo, hi), (a, b) = ((n // d, -(-n // d)) for n, d in ((y.numerator << bits, y.denominator) for y in (first, x)))
    low, high = lo, hi
    for i in range(1, count):
        p, q = ratio(i)
        lo, hi = lo * a * p // (q << bits), -(-hi * b * p // (q << bits))
        low, high = (low - hi, high - lo) if sign**i < 0 else (low + lo, high + hi)
    return Fraction(low - (hi if sign < 0 else 0), 1 << bits), Fraction(high + hi, 1 << bits)


@memoize
def exp_bounds(x: End) -> Ends:
    """Return bounds of e^x: the series at x/2^k < 1/256, squared k times."""
    if isinstance(x, float) or abs(x) > LARGEST_EXPONENT:
        return (Fraction(1 << TINY), INF) if x > 0 else (Fraction(0), Fraction(1, 1 << TINY))
    if x < 0:
        lo, hi = exp_bounds(-x)
        return 1 / hi, 1 / lo
    k = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 9)
    bits = Work.bits + 2 * k + 32
    lo, hi = taylor(Fraction(1), x / (1 << k), bits, bits // 8 + 4, lambda i: (1, i))
    a, b = (int(end * (1 << bits)) for end in (lo, hi))
    for _ in range(k):
        a, b = a * a >> bits, -(-b * b >> bits)
    return Fraction(a, 1 << bits), Fraction(b, 1 << bits)


@memoize
def artanh_bounds(z: Fraction) -> Bounds:
    """Return bounds of Σ z^(2i+1)/(2i+1) for |z| ≤ 1/3."""
    if z <= 0:
        lo, hi = artanh_bounds(-z) if z else (z, z)
        return -hi, -lo
    bits = Work.bits + 64 + z.denominator.bit_length() - z.numerator.bit_length()
    return taylor(z, z * z, bits, bits // 3 + 4, lambda i: (2 * i - 1, 2 * i + 1))


@memoize
def log_bounds(x: End) -> Ends:
    """Return bounds of ln x = 2 artanh((m − 1)/(m + 1)) + k·ln 2 with x = m·2^k, m from 2/3 to 4/3."""
    if isinstance(x, float):
        return x, x
    k = x.numerator.bit_length() - x.denominator.bit_length()
    k += (x / Fraction(2) ** k > Fraction(4, 3)) - (x / Fraction(2) ** k < Fraction(2, 3))
    m, two = x / Fraction(2) ** k, artanh_bounds(Fraction(1, 3))
    lo, hi = (artanh_bounds(round_to_precision((m - 1) / (m + 1), up))[up] for up in (False, True))
    return 2 * (lo + k * two[k < 0]), 2 * (hi + k * two[k > 0])


@memoize
def pi_bounds(bits: int) -> Bounds:
    """Return bounds of π = 16 arctan(1/5) − 4 arctan(1/239)."""
    (a, b), (c, d) = (
        taylor(Fraction(1, n), Fraction(1, n * n), bits, bits // 4 + 4, lambda i: (2 * i - 1, 2 * i + 1), -1)
        for n in (5, 239)
    )
    return 16 * a - 4 * d, 16 * b - 4 * c


@memoize
def pi_times(r: Fraction) -> Number:
    """Return r·π, with π to 32 bits more than the working precision."""
    lo, hi = sorted(r * end for end in pi_bounds(Work.bits + 32))
    return between(lo, hi, "pi", r) if r else ZERO


def erf_bounds(x: End) -> Ends:
    """Return bounds of erf x = 2/√π · e^(−x²) · Σ 2^i x^(2i+1)/(1·3·…·(2i+1)), whose later terms halve at each step.

    For large x, 1 − erf x is below e^(−x²).
    """
    if x <= 0:
        lo, hi = erf_bounds(-x) if x else (x, x)
        return -hi, -lo
    if isinstance(x, float) or x * x > Work.bits:
        return 1 - exp_bounds(-x * x)[1], Fraction(1)
    bits = Work.bits + 64 + 2 * int(x * x)
    lo, hi = taylor(x, x * x, bits, 4 * int(x * x) + bits + 8, lambda i: (2, 2 * i + 1))
    (a, b), (c, d) = exp_bounds(-x * x), root_bounds(*pi_bounds(bits))
    return 2 * a * lo / d, 2 * b * hi / c


def rising(bounds: Callable[[End], Ends], kind: str = "") -> Callable[[Number], Number]:
    """Return an increasing function of a number, from its bounds at fractions."""

    def rise(x: Number) -> Number:
        return between(bounds(x.lo)[0], bounds(x.hi)[1], kind, x)

    return memoize(rise)


exponential, logarithm, erf_of = rising(exp_bounds, "exp"), rising(log_bounds, "log"), rising(erf_bounds)


def exp(x: Number) -> Number:
    """Return e^x: for ln y it is y, for ∞ it is ∞, for −∞ it is 0."""
    if x.exact and abs(x.lo) == INF:
        return x if x.lo > 0 else ZERO
    return ONE if x == ZERO else x.argument("log") or exponential(x)


def sigmoid(x: Number) -> Number:
    """Return 1/(1 + e^−x). The values for x and −x sum to 1, as the weights of a softmax do."""
    value = ONE / (ONE + exp(-x))
    if Work.forms and x.hi < 0:
        relate_weights([sigmoid(-x), value])
    return value


def erf(x: Number) -> Number:
    """Return erf x: for a negative number it is −erf(−x)."""
    return -erf_of(-x) if x.hi < 0 else erf_of(x)


def log(x: Number) -> Number:
    """Return the natural logarithm: for 0 it is −∞, for e^y it is y. Raises Invalid for x < 0, and Open if x may be
    negative.
    """
    if sign(x) < 0:
        raise Invalid("a negative number has no logarithm")
    return Number(-INF) if x == ZERO else ZERO if x == ONE else x.argument("exp") or logarithm(x)


# sin²(r·π) by r, from 0 to a quarter of a turn
SQUARES = {Fraction(n, 12): Fraction(m, 4) for n, m in ((0, 0), (2, 1), (3, 2), (4, 3), (6, 4))}


@memoize
def wave(x: Number, quarter: int) -> Number:
    """Return sin(x + quarter·π/2), with the midpoint of x reduced near 0 by multiples of π/2.

    The sine varies at most as much as x.
    """
    if (r := Fraction(0) if x == ZERO else x.multiple("pi")) is not None:
        of = r + Fraction(quarter, 2)
        square = SQUARES.get(min(of % 1, 1 - of % 1))
        if square is not None:
            return root(-square if of % 2 > 1 else square)
    if (ends := x.fractions) is None or abs(ends[0]) > 1 << 4_000:
        raise Open("a number is too large for a sine")
    lo, hi = ends
    middle, stray = (lo + hi) / 2, (hi - lo) / 2
    bits = Work.bits + 64 + max(0, middle.numerator.bit_length() - middle.denominator.bit_length())
    low, high = pi_bounds(bits)
    turns = round(2 * middle / low)
    near, far = middle - turns * low / 2, middle - turns * high / 2
    rest, stray = (near + far) / 2, stray + abs(near - far) / 2
    sine = 1 - (turns + quarter) % 2  # 1 for the sine of the rest, 0 for its cosine
    first, turn = (
        abs(rest) if sine else Fraction(1),
        (-1 if rest < 0 and sine else 1) * (-1 if (turns + quarter) % 4 > 1 else 1),
    )
    a, b = taylor(first, rest * rest, bits, bits // 3 + 4, lambda i: (1, 2 * i * (2 * i - 1 + 2 * sine)), -1)
    a, b = (a, b) if turn > 0 else (-b, -a)
    sine_value = between(max(a - stray, Fraction(-1)), min(b + stray, Fraction(1)))
    if Work.forms:
        relate_waves(x, quarter, sine_value)
    return sine_value


def sin(x: Number) -> Number:
    return wave(x, 0)


def cos(x: Number) -> Number:
    return wave(x, 1)


def xlogy(p: Number, logarithm: Number) -> Number:
    """Return p·log q, where 0·log 0 is 0."""
    return ZERO if p == ZERO and logarithm == Number(-INF) else p * logarithm


def absolute(x: Number) -> Number:
    return x if x.lo >= 0 else -x if x.hi <= 0 else between(Fraction(0), max(-x.lo, x.hi))


def larger(x: Number, y: Number) -> Number:
    """Return max(x, y): x or y itself if the order is decided."""
    return x if x == y or x.lo >= y.hi else y if y.lo >= x.hi else between(max(x.lo, y.lo), max(x.hi, y.hi))


def whole(x: Fraction, digits: int, mode: str) -> int:
    """Return x·10^digits rounded to a whole number."""
    size: Fraction = abs(x) * 10**digits
    n, rest = divmod(size.numerator, size.denominator)
    n += MODES[mode](n, rest, size.denominator)
    return -n if x < 0 else n


def round_number(x: Number, digits: int, mode: str) -> Number:
    """Round x to `digits` decimals in one of MODES. Raises Open if the interval rounds in two ways, Invalid for other
    modes.
    """
    if not 0 <= digits <= 1_000 or mode not in MODES:
        raise Invalid(f"expected up to 1,000 decimals and one of {', '.join(MODES)}; found {digits} and {mode[:40]}")
    if x.exact and abs(x.lo) == INF:
        return x
    decimal_value = printable(x, digits, mode)
    if not decimal_value.exact:
        raise Open("it is not decided how a number is rounded")
    return decimal_value


def printable(x: Number, digits: int, mode: str) -> Number:
    """Return the interval of all roundings of x. Rounding is monotone, so the ends of x decide it."""
    Work.spend(OPERATION, bits=4 * digits)
    lo, hi = (end if isinstance(end, float) else Fraction(whole(end, digits, mode), 10**digits) for end in (x.lo, x.hi))
    return Number(lo, hi)


def floor(x: Number) -> Number:
    """Return the largest whole number that is not above x. Raises Open if the interval has several, Invalid for ±∞."""
    if x.exact and abs(x.lo) == INF:
        raise Invalid("∞ cannot be rounded to a whole number")
    if (ends := x.fractions) is None or ends[0] // 1 != ends[1] // 1:
        raise Open("it is not decided to which whole number a number is rounded down")
    return exact_or_interval(Fraction(ends[0] // 1))


# -- matrices and the functions of the formula language ----------------------------------------------------------------


def shape(A: Sequence[Sequence[object]]) -> tuple[int, int]:
    return len(A), len(A[0])


def reserve(n: int, m: int, units: float = CELL) -> None:
    """Count the work of a matrix before it is made. Raises Invalid for an empty matrix, and Open for one that is too
    large.
    """
    if n < 1 or m < 1:
        raise Invalid(f"expected a matrix with at least one entry, found {n} × {m}")
    if max(n, m) > LARGEST_SIDE or n * m > MOST_CELLS:
        raise Open(
            f"a matrix has the size {n} × {m}; verify.py accepts at most {LARGEST_SIDE:,} rows or columns, and "
            f"{MOST_CELLS:,} entries"
        )
    Work.spend(units, n * m)


def grid(n: int, m: int, entry: Callable[[int, int], Number | Fraction | int]) -> Matrix:
    """Return the n × m matrix of `entry(i, j)`, which is a Number or a value that converts to a fraction."""
    reserve(n, m)
    return [[x if isinstance(x := entry(i, j), Number) else Number(Fraction(x)) for j in range(m)] for i in range(n)]


def entrywise(function: Callable[..., Number]) -> Callable[..., Matrix]:
    """Return a function that works on matrices entry by entry; single rows, columns and numbers are broadcast."""

    def of(*parts: Matrix) -> Matrix:
        n, m = (max(sizes) for sizes in zip(*map(shape, parts), strict=True))
        if any(a not in (1, n) or b not in (1, m) for a, b in map(shape, parts)):
            raise Invalid("the sizes of matrices do not agree")
        return grid(n, m, lambda i, j: function(*(A[i % len(A)][j % len(A[0])] for A in parts)))

    return of


def by_rows(function: Callable[[list[Number]], list[Number]]) -> Callable[[Matrix], Matrix]:
    """Return a function of matrices that applies a function to each row: (n, m) → (n, length of the function's
    result).
    """

    def of(A: Matrix) -> Matrix:
        reserve(*shape(A))
        return stack(*([function(row)] for row in A))

    return of


def transpose(A: Matrix) -> Matrix:
    """Return Aᵀ: (n, m) → (m, n)."""
    reserve(len(A[0]), len(A), COPY)
    return [list(column) for column in zip(*A, strict=True)]


def flat(A: Matrix) -> Matrix:
    """Return all entries in a row: (n, m) → (1, n·m)."""
    reserve(1, len(A) * len(A[0]), COPY)
    return [[x for row in A for x in row]]


def stack(*parts: Matrix) -> Matrix:
    """Put matrices below each other: (n₁, m), (n₂, m), ... → (n₁ + n₂ + ..., m). Raises Invalid for other widths."""
    if len({len(A[0]) for A in parts}) != 1:
        raise Invalid("matrices with different numbers of columns cannot be stacked")
    reserve(sum(map(len, parts)), len(parts[0][0]), COPY)
    return [list(row) for A in parts for row in A]


def total(numbers: Iterable[Number]) -> Number:
    """Return the sum of numbers in sorted order, so that the same numbers in any order have the same sum."""
    return reduce(operator.add, sorted(numbers, key=lambda x: (not x.exact, x.lo, x.hi)), ZERO)


def dot_product(row: list[Number], column: list[Number]) -> Number:
    """Return Σ x·y. If the x are all weights of a softmax, which sum to 1, and all y are equal, the result is y."""
    seen = [(x, y) for x, y in zip(row, column, strict=True) if x != ZERO]
    if all(y == seen[0][1] for _, y in seen) and family(x for x, _ in seen) in Work.known:
        return seen[0][1]
    return total(map(operator.mul, row, column))


def family(numbers: Iterable[Number]) -> tuple[object, ...]:
    """Return the key in Work.known which records that these numbers are all weights of a softmax."""
    return (family, *sorted(map(id, numbers)))


def matmul(A: Matrix, B: Matrix) -> Matrix:
    """Return A·B: (n, k), (k, m) → (n, m). Raises Invalid if the sizes do not agree."""
    if len(A[0]) != len(B):
        raise Invalid("the sizes of matrices do not agree")
    Work.spend(TERM, len(A) * len(B) * len(B[0]))
    columns = transpose(B)
    return grid(len(A), len(columns), lambda i, j: dot_product(A[i], columns[j]))


def descending(row: list[Number], count: int | None = None) -> list[int]:
    """Return the indices of the `count` largest entries, from the largest down; equal entries are in column order.

    Raises Open if the order is not decided, and Invalid for other counts.
    """
    if count is not None and not 1 <= count <= len(row):
        raise Invalid(f"expected a whole number from 1 to {len(row)}, found {count}")
    Work.spend(CELL, len(row) * len(row).bit_length())

    def compare(i: int, j: int) -> int:
        x, y = row[i], row[j]
        if x == y:
            return i - j
        if x.lo <= y.hi and y.lo <= x.hi:
            raise Open("it is not decided which of two numbers is larger")
        return -1 if x.lo > y.hi else 1

    return sorted(range(len(row)), key=cmp_to_key(compare))[:count]


def softmax(A: Matrix, axis: str, base: Matrix, empty: str) -> Matrix:
    """Return base^x over its sum along the rows, the columns or all of A, with A's shape.

    `empty` decides the weights of a row or column of −∞.
    """
    if choice(axis, rows=False, columns=True, all=False):
        return transpose(softmax(transpose(A), "rows", base, empty))
    rows = entrywise(operator.mul)(A, [[log(positive(base))]])
    shares = [x for row in (flat(rows) if axis == "all" else rows) for x in weights(row, empty)]
    return grid(*shape(A), lambda i, j: shares[i * len(A[0]) + j])


def weights(row: list[Number], empty: str) -> list[Number]:
    """Return e^x/Σe^x, exact if all e^x are fractions or all x are equal.

    Otherwise all x are shifted by a whole number, so that no e^x is large.
    """
    Work.spend(OPERATION, len(row))
    instead = choice(empty, error=None, zeros=ZERO, uniform=Number(Fraction(1, len(row))))
    seen = [x for x in row if x != Number(-INF)]
    if Number(INF) in seen or not seen and instead is None:
        raise Invalid("the softmax of +∞, or of only −∞, has no value")
    if any(abs(x.lo) == INF or x.hi == INF for x in seen):
        raise Open("a number is too large for a softmax")
    if not seen and instead is not None:
        return [instead] * len(row)
    equal = all(x == seen[0] for x in seen)
    fractions = all(x == ZERO or logarithm_of(x) for x in seen)
    most = seen[0] if equal else ZERO if fractions else Number(Fraction(max(int(x.lo) for x in seen)))
    powers = [ZERO if x == Number(-INF) else exp(x - most) for x in row]
    below = total(powers)
    shares = [x / below for x in powers]
    Work.known[family(x for x in shares if x != ZERO)] = shares
    if Work.forms:
        relate_weights(shares)
    return shares


def one_hot(ids: Matrix, n: int, ignore: int | None = None) -> Matrix:
    """Return a row for each id, 1 in its column and 0 elsewhere, all 0 for `ignore`: (1, k) or (k, 1) → (k, n).

    Raises Invalid for an id that is not a whole number below n.
    """
    wanted = flat(ids)[0]
    if not all(x.exact for x in wanted):
        raise Open("it is not decided which whole number an id is")
    if 1 not in shape(ids) or not all(x.lo == ignore or 0 <= x.lo < n and x.lo % 1 == 0 for x in wanted):
        raise Invalid(f"ids must be a row or a column of whole numbers from 0 to {n - 1}")
    return grid(len(wanted), n, lambda i, j: wanted[i].lo == j and wanted[i].lo != ignore)


def pick(P: Matrix, ids: Matrix) -> Matrix:
    """Return the entry of each row that its id names: (n, k) and n ids → (n, 1). Raises Invalid for another number of
    ids.
    """
    if len(flat(ids)[0]) != len(P):
        raise Invalid("expected one id per row")
    return calculate("row_sum(P * one_hot(ids, cols(P)))", {"P": P, "ids": ids})


def top_p(row: list[Number], p: Number) -> list[Number]:
    """Return 1 for the fewest largest entries that sum to at least p, and 0 for the others. Raises Open if
    undecided.
    """
    Work.spend(TERM, len(row) * len(row))
    order, kept = descending(row), 0
    while kept < len(row) and sign(total(row[j] for j in order[:kept]) - p) < 0:
        kept += 1
    return [Number(Fraction(j in order[:kept])) for j in range(len(row))]


@lru_cache(maxsize=256)
def numbers_in(text: str, size: int) -> set[tuple[int, ...]]:
    """Return the tokens (size 1) or the pairs (size 2) in a text such as `0 2 1-3`. Raises Invalid for other texts."""
    if not all(re.fullmatch(r"\d{1,6}(-\d{1,6})?", word, re.ASCII) for word in text.split()):
        raise Invalid(f"expected tokens or pairs of tokens, found {text[:40]!r}")
    return {tuple(map(int, word.split("-"))) for word in text.split() if word.count("-") == size - 1}


def choice(word: str, **choices: T) -> T:
    """Return the meaning of an option's word. Raises Invalid if the word is not among the choices."""
    if word not in choices:
        raise Invalid(f"expected one of {', '.join(choices)}, found {word[:40]!r}")
    return choices[word]


def positive(A: Matrix) -> Number:
    """Return a single number above 0. Raises Invalid for other numbers."""
    if sign(A[0][0]) != 1:
        raise Invalid("expected a number above 0")
    return A[0][0]


def angle(start: Matrix, i: int, base: Matrix, share: Fraction) -> Number:
    """Return the angle (start + i) / base^share of row i, in radians."""
    return (start[0][0] + Number(Fraction(i))) / positive(base) ** Number(share)


def sinusoidal(n: int, d: int, base: Matrix, start: Matrix, exponent: str, layout: str) -> Matrix:
    """Return sines and cosines of positions, (n, d), with several exponents and layouts.

    Source: Vaswani et al. (2017), section 3.5.
    """
    pairs = (d + 1) // 2

    def entry(i: int, j: int) -> Number:
        pair, second = choice(layout, interleaved=divmod(j, 2), concatenated=(j % pairs, j // pairs))
        column = 2 * pair + second
        shares = {
            "2i/d": (2 * pair, d),
            "j/d": (column, d),
            "2j/d": (2 * column, d),
            "i/(d/2-1)": (pair, max(1, pairs - 1)),
        }
        return wave(angle(start, i, base, Fraction(*choice(exponent, **shares))), second)

    return grid(n, d, entry)


def turn(A: Matrix, C: Matrix, S: Matrix, layout: str) -> Matrix:
    """Rotate each pair (a, b) of A's columns to (a·c − b·s, b·c + a·s): (n, d), (n, d/2), (n, d/2) → (n, d);
    a single row serves all n.
    """
    d, half, rows = len(A[0]), len(A[0]) // 2, {len(A), len(C), len(S)}
    if d % 2:
        raise Invalid("pairs of columns are rotated, but the number of columns is odd")
    if len(rows - {1}) > 1:
        raise Invalid("the sizes of matrices do not agree")

    def entry(i: int, j: int) -> Number:
        pair, second = choice(layout, interleaved=divmod(j, 2), halves=(j % half, j // half))
        row, c, s = A[i % len(A)], C[i % len(C)][pair], S[i % len(S)][pair]
        other = row[j + choice(layout, interleaved=1, halves=half) * (-1 if second else 1)]
        return row[j] * c + other * (s if second else -s)

    return grid(max(rows), d, entry)


def rope(A: Matrix, base: Matrix, start: Matrix, layout: str) -> Matrix:
    """Rotate row i of A by the angles (start + i)/base^(2k/d): (n, d) → (n, d). Source: Su et al. (2021),
    section 3.2.
    """
    angles = grid(len(A), len(A[0]) // 2, lambda i, k: angle(start, i, base, Fraction(2 * k, len(A[0]))))
    return turn(A, entrywise(cos)(angles), entrywise(sin)(angles), layout)


def alibi_slopes(h: int) -> Matrix:
    """Return the slopes 2^(−8k/n), k = 1, ..., n, for the largest power of two n ≤ h, then every second slope of 2n."""
    reserve(1, h)
    n = 1 << h.bit_length() - 1
    shares = [Fraction(8 * k, n) for k in range(1, n + 1)] + [Fraction(4 * k, n) for k in range(1, 2 * (h - n), 2)]
    return grid(1, h, lambda i, j: Number(Fraction(1, 2)) ** Number(shares[j]))


def normalize(A: Matrix, axis: str, empty: str) -> Matrix:
    """Divide A by the sums of its rows, its columns or all of it; `empty` decides the entries if a sum is 0."""
    sums = calculate(fill_options("{axis}sum(A)", {"axis": axis}), {"A": A})
    share = Number(Fraction(len(sums) * len(sums[0]), len(A) * len(A[0])))
    instead = choice(empty, error=None, zeros=ZERO, uniform=share)
    return entrywise(lambda x, s: instead if instead is not None and sign(s) == 0 else x / s)(A, sums)


def pi() -> Number:
    return pi_times(Fraction(1))


# The meanings of option words. A formula below names the option in braces.
WORDS: dict[str, dict[str, str]] = {
    "axis": {"rows": "row_", "columns": "col_", "all": ""},
    "empty": {word: word for word in ("error", "zeros", "uniform")},
    "sides": {"one": "slope * (arange(0, m) - arange(0, n).T)",
              "both": "-(slope * maximum(arange(0, m) - arange(0, n).T, arange(0, n).T - arange(0, m)))"},
    "eps_in": {"variance": "sqrt({axis}var(A, ddof) + eps)", "std": "({axis}std(A, ddof) + eps)"},
    "form": {"erf": "A * (1 + erf(A / sqrt(2))) / 2", "sigmoid": "A * sigmoid(1.702 * A)",
             "tanh": "A * (1 + tanh(sqrt(2 / pi) * (A + 0.044715 * A ** 3))) / 2"},
}  # fmt: skip


def fill_options(formula: str, bound: Mapping[str, Argument | None]) -> str:
    """Insert the meanings of option words (WORDS) into a defining formula. Raises Invalid for an unknown word."""
    words = {name: choice(str(bound[name]), **meanings) for name, meanings in WORDS.items() if name in bound}
    return formula.format(**words).format(**words)


# name(parameters): function or formula. `A` is a matrix, `x!` a single number, `n#` a whole number, `w:` a word.
# With = a parameter is optional.
FUNCTIONS: dict[str, str | Callable[..., Matrix]] = {
    "exp(A)": entrywise(exp), "log(A)": entrywise(log), "sqrt(A)": entrywise(sqrt), "erf(A)": entrywise(erf),
    "sin(A)": entrywise(sin), "cos(A)": entrywise(cos), "abs(A)": entrywise(absolute), "floor(A)": entrywise(floor),
    "maximum(A, B)": entrywise(larger), "flat(A)": flat, "vstack(*)": stack,
    "hstack(*)": lambda *parts: transpose(stack(*map(transpose, parts))),
    "round(A, digits#, mode:=half_up)": lambda A, digits, mode: entrywise(lambda x: round_number(x, digits, mode))(A),
    "row_sum(A)": by_rows(lambda row: [dot_product(row, [ONE] * len(row))]),
    "row_max(A)": by_rows(lambda row: [reduce(larger, row)]),
    "keep(S, M, fill!=-inf)": lambda S, M, fill: entrywise(lambda x, m: x if sign(m) else fill[0][0])(S, M),
    "causal(n#, m#, offset#=0)": lambda n, m, offset: grid(n, m, lambda i, j: j <= i + offset),
    "causal_strict(n#, m#)": lambda n, m: grid(n, m, lambda i, j: j < i),
    "band(n#, m#, left#, right#=none)": lambda n, m, left, right:
        grid(n, m, lambda i, j: -left <= j - i <= (left if right is None else right)),
    "links(n#, m#, pairs:)": lambda n, m, pairs: grid(n, m, lambda i, j: (i, j) in numbers_in(pairs, 2)),
    "global_tokens(n#, m#, tokens:)":
        lambda n, m, tokens: grid(n, m, lambda i, j: bool({(i,), (j,)} & numbers_in(tokens, 1))),
    "zeros(n#, m#)": lambda n, m: grid(n, m, lambda i, j: 0), "ones(n#, m#)": lambda n, m: grid(n, m, lambda i, j: 1),
    "identity(n#)": lambda n: grid(n, n, lambda i, j: i == j),
    "arange(a#, b#)": lambda a, b: grid(1, b - a, lambda i, j: a + j),
    "rows(A)": lambda A: grid(1, 1, lambda i, j: len(A)), "cols(A)": lambda A: grid(1, 1, lambda i, j: len(A[0])),
    "one_hot(ids, n#, ignore#=none)": one_hot, "top_p(P, p!)": lambda P, p: [top_p(row, p[0][0]) for row in P],
    "top_k(A, k#)":
      lambda A, k: [[Number(Fraction(j in on)) for j in range(len(row))] for row in A for on in [descending(row, k)]],
    "order_rows(A, k#)": lambda A, k: [[Number(Fraction(j)) for j in descending(row, k)] for row in A],
    "sort_rows(A)": by_rows(lambda row: [row[j] for j in descending(row)]),
    "softmax(A, axis:=rows, base!=e, empty:=error)": softmax, "normalize(A, axis:=rows, empty:=error)": normalize,
    **{f"softmax_{end}(A, base!=e, empty:=error)": f"softmax(A, {axis}, base, {{empty}})"
       for end, axis in (("rows", "rows"), ("cols", "columns"), ("all", "all"))},
    "sinusoidal(n#, d#, base!=10000, start!=0, exponent:=2i/d, layout:=interleaved)": sinusoidal,
    "alibi_slopes(h#)": alibi_slopes, "turn(A, C, S, layout:=interleaved)": turn,
    "rope(A, base!=10000, start!=0, layout:=interleaved)": rope,
    "layer_norm(A, gamma=1, beta=0, eps!=1e-5, ddof#=0, eps_in:=variance, axis:=rows)":
        "(A - {axis}mean(A)) / {eps_in} * gamma + beta",
    "rms_norm(A, gamma=1, eps!=0, axis:=rows)": "A / sqrt({axis}mean(A * A) + eps) * gamma",
    "gelu(A, form:=erf)": "{form}",
    "lookup(E, ids)": "one_hot(ids, rows(E)) @ E", "pick(P, ids)": pick,
    "argmax_rows(A)": "order_rows(A, 1)", "best(A, k#)": "sort_rows(flat(A))[:, 0:k].T",
    "best_rows(A, k#)": "floor(order_rows(flat(A), k) / cols(A)).T",
    "best_columns(A, k#)": "order_rows(flat(A), k).T - cols(A) * best_rows(A, k)",
    "cumsum_rows(A)": "A @ causal(cols(A), cols(A)).T",
    "alibi(n#, m#, slope!, sides:=one)": "{sides}",
    "rotation(theta!)": "vstack(hstack(cos(theta), -sin(theta)), hstack(sin(theta), cos(theta)))", "ln(A)": "log(A)",
    "log2(A)": "log(A) / log(2)", "log10(A)": "log(A) / log(10)", "ceil(A)": "-floor(-A)",
    "minimum(A, B)": "-maximum(-A, -B)", "relu(A)": "maximum(A, 0)", "elu(A)": "maximum(A, 0) + exp(minimum(A, 0)) - 1",
    "sigmoid(A)": entrywise(sigmoid), "tanh(A)": "1 - 2 * sigmoid(-2 * A)", "silu(A)": "A * sigmoid(A)",
    "cross_entropy(P, ids, base!=e)": "mean(-log(pick(P, ids))) / log(base)", "sum(A)": "row_sum(flat(A))",
    "total(A)": "sum(A)", "mean(A)": "row_mean(flat(A))", "var(A, ddof#=0)": "row_var(flat(A), ddof)",
    "row_min(A)": "-row_max(-A)", "row_mean(A)": "row_sum(A) / cols(A)",
    "row_std(A, ddof#=0)": "sqrt(row_var(A, ddof))",
    "row_var(A, ddof#=0)": "row_sum((A - row_mean(A)) ** 2) / (cols(A) - ddof)",
    "std(A, ddof#=0)": "sqrt(var(A, ddof))",
    **{f"col_{what}(A)": f"row_{what}(A.T).T" for what in ("sum", "max", "min", "mean")},
    **{f"col_{what}(A, ddof#=0)": f"row_{what}(A.T, ddof).T" for what in ("var", "std")},
}  # fmt: skip
AXIS_SECOND = {"layer_norm", "rms_norm", "std", "var"}  # as the second argument, a number is the axis
PARAMETER = re.compile(r"(\w+|\*)([#:!]?)=?([^,)]*)")  # a name, a kind and a default
SIGNATURES: dict[str, tuple[list[tuple[str, str, str]], str | Callable[..., Matrix]]] = {
    name: (PARAMETER.findall(parameters), how)
    for signature, how in FUNCTIONS.items()
    for name, _, parameters in [signature.partition("(")]
}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: power,
}
CONSTANTS: dict[str, Callable[[], Number]] = {"e": lambda: exp(ONE), "pi": pi, "inf": lambda: Number(INF)}


# -- formulas: Python's expressions, read and never run ----------------------------------------------------------------


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[ast.expr, bytes]:
    """Return a formula as Python's tree, which is never executed, and its bytes. Raises Bad if the text is not a
    formula.
    """
    Work.spend(COPY * OPERATION, len(text))
    if hidden := next((c for c in text if not c.isprintable() or c == "#"), None):
        raise Bad(f"expected a formula in one line of printable characters, found {hidden!r} in {text[:60]!r}")
    try:
        if len(text) >= LONGEST_FORMULA:
            raise Bad(f"expected a formula of fewer than {LONGEST_FORMULA:,} characters, found {len(text):,}")
        source = text.strip()
        return ast.parse(source, mode="eval").body, source.encode()
    except (RecursionError, MemoryError):
        raise Bad(NESTED.format(text[:60])) from None
    except (SyntaxError, ValueError) as error:
        if "too many nested" in str(error):
            raise Bad(NESTED.format(text[:60])) from None
        raise Bad(f"expected a formula, found {text[:60]!r}") from None


def calculate(text: str, names: Names) -> Matrix:
    """Return the value of a formula. Raises Open if it uses a name without a value."""
    tree, source = parse(text)
    try:
        return Formula(source, names).value(tree)
    except RecursionError:
        raise Bad(NESTED.format(text[:60])) from None


class Formula(NamedTuple):
    """A formula during its calculation: its text, and the values of names."""

    source: bytes
    names: Names

    def text(self, tree: ast.expr) -> str:
        return self.source[tree.col_offset : tree.end_col_offset].decode()

    def value(self, tree: ast.expr) -> Matrix:
        """Return the value of a part of the tree, a number as 1 × 1. Raises Invalid for syntax that the language does
        not have.
        """
        Work.spend(CELL)
        match tree:
            case ast.Constant(value=int() | float()):
                return [[exact_or_interval(fraction(self.text(tree)))]]
            case ast.Attribute(value=inside, attr="T"):
                return transpose(self.value(inside))
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return entrywise(operator.neg)(self.value(inside))
            case ast.BinOp(left=a, op=ast.MatMult(), right=b):
                return matmul(self.value(a), self.value(b))
            case ast.BinOp(left=a, op=ast.Mult(), right=ast.Call(func=ast.Name(id="log" | "ln")) as b):
                return entrywise(xlogy)(self.value(a), self.value(b))
            case ast.BinOp(left=a, op=between, right=b) if type(between) in OPERATORS:
                return entrywise(OPERATORS[type(between)])(self.value(a), self.value(b))
            case ast.Subscript(value=inside, slice=ast.Tuple(elts=[row, column])):
                A = self.value(inside)
                return transpose(self.select_rows(transpose(self.select_rows(A, row)), column))
            case ast.Subscript(value=inside, slice=row):
                return self.select_rows(self.value(inside), row)
            case ast.Call(func=ast.Name(id=name) as function) if name in SIGNATURES and self.text(function) == name:
                return self.call(name, tree)
            case ast.Name() | ast.Attribute() if (name := self.text(tree)) in self.names:
                value = self.names[name]
                if isinstance(value, str):
                    raise Open(f"it depends on {value}")
                return value
            case ast.Name(id=name) if name in CONSTANTS and self.text(tree) == name:
                return [[CONSTANTS[name]()]]
        raise Invalid(f"{self.text(tree)[:60]!r} is not defined, or not part of the formula language")

    def select_rows(self, A: Matrix, item: ast.expr) -> Matrix:
        """Return the rows that an index, a list or a slice names, from 0; negative numbers count from the end.

        Raises Invalid if no row is named.
        """
        if isinstance(item, ast.Slice):
            ends = [None if end is None else self.whole(end) for end in (item.lower, item.upper, item.step)]
            if any(end is not None and end > last for end, last in zip(ends, (len(A) - 1, len(A)), strict=False)):
                raise Invalid(f"{self.text(item)[:40]!r} refers to an entry that does not exist")
            try:
                rows = A[slice(*ends)]
            except ValueError:
                raise Invalid("the step of a slice is 0") from None
        elif isinstance(item, ast.List):
            rows = [row for index in item.elts for row in self.select_rows(A, index)]
        else:
            rows = A[(k := self.whole(item)) : k + 1 or None]
        if not rows:
            raise Invalid(f"{self.text(item)[:40]!r} selects no row or column")
        reserve(len(rows), len(rows[0]), COPY)
        return rows

    def whole(self, tree: ast.expr) -> int:
        """Return the whole number that a part is proven to be. Raises Invalid for other values."""
        value = self.value(tree)
        x = value[0][0]
        if shape(value) == (1, 1) and not x.exact:
            raise Open(f"it is not decided which whole number {self.text(tree)[:40]!r} is")
        if shape(value) != (1, 1) or (q := x.fraction) is None or abs(q) > 10**9 or q.denominator != 1:
            raise Invalid(f"expected a whole number, found {self.text(tree)[:40]!r}")
        return int(q)

    def call(self, name: str, tree: ast.Call) -> Matrix:
        """Return the value of a function of SIGNATURES. Raises Invalid if its arguments do not fit the signature."""
        parameters, how = SIGNATURES[name]
        if parameters[0][0] == "*" and not tree.keywords and not isinstance(how, str):
            return how(*map(self.value, tree.args))
        pairs = [(p[0], a) for p, a in zip(parameters, tree.args, strict=False)]
        pairs += [(k.arg or "", k.value) for k in tree.keywords]
        given = dict(pairs)
        if name in AXIS_SECOND and any(map(is_literal, tree.args[1:])):
            raise Invalid(
                f"the second argument of {name} cannot be a number, because a number would be read as an axis"
            )
        if len(given) < len(tree.args) + len(tree.keywords) or not {p[0] for p in parameters if not p[2]} <= set(
            given
        ) <= {p[0] for p in parameters}:
            raise Invalid(f"{name} does not take these arguments")
        bound = {p[0]: self.argument(p[1], p[2], given.get(p[0])) for p in parameters}
        if not isinstance(how, str):
            return how(*bound.values())
        return calculate(
            fill_options(how, bound),
            {k: [[Number(Fraction(v))]] if isinstance(v, int) else v for k, v in bound.items() if v is not None},
        )

    def argument(self, kind: str, default: str, tree: ast.expr | None) -> Argument | None:
        """Return an argument by its kind (a word, a whole or single number, or a matrix), or its default if it is
        absent.
        """
        if tree is None:
            return (
                None
                if default == "none"
                else default
                if kind == ":"
                else int(default)
                if kind == "#"
                else calculate(default, {})
            )
        if kind == ":":
            return self.text(tree).strip("\"'")
        if kind == "#":
            return self.whole(tree)
        value = self.value(tree)
        if kind and shape(value) != (1, 1):
            raise Invalid(f"expected a single number, found {self.text(tree)[:40]!r}")
        return value


def is_literal(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) or isinstance(tree, ast.UnaryOp) and is_literal(tree.operand)


NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,5}))?", re.ASCII)
LONGEST_NUMBER, LARGEST_POWER = 50_000, 45_000  # characters, and the exponent of ten


def fraction(text: str) -> Fraction:
    """Return a decimal (`0.1`, `1.5e-7`) exactly. Raises Bad for other texts."""
    match = NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    exponent = abs(int(match[1] or 0)) if match else 0
    if not match or exponent > LARGEST_POWER:
        raise Bad(f"expected a number, found {text[:40]!r}")
    Work.spend(CELL, bits=4 * (len(text) + exponent))
    return Fraction(text)


# -- the certificate ---------------------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """An entry that is not proven: `wrong`, or `open` if it could not be decided."""

    place: str
    verdict: str
    reason: str

    def __str__(self) -> str:
        return f"{'WRONG' if self.verdict == 'wrong' else 'not verified'}: {self.place}: {self.reason}"


class Report(NamedTuple):
    """The givens and formulas in lines; each step's name, entries and proven entries; and the entries that are not
    proven.
    """

    stated: list[str]
    steps: list[tuple[str, int, int]]
    findings: list[Finding]


LETTER = "A-Za-z_Α-Ωα-ω"
NAME = re.compile(rf"[{LETTER}][{LETTER}0-9ʹ]*")  # W, λ, Wʹ_Q
STEP_NAME = re.compile(rf"{NAME.pattern}(?:\.{NAME.pattern})*")  # norm1.Y
MOST_DIGITS = 1_000
RESERVED = ("pi", "inf")
TYPES: dict[type, str] = {
    str: "a text", bool: "true or false", dict: "a mapping", list: "a list", int: "a whole number", type(None): "null"
}  # fmt: skip
Formulas = str | list[list[str]]  # a formula for a matrix, or for each of its entries
Claim = str | list[str]  # an enclosure: a number, or its lower end and its upper end


class Rounding(NamedTuple):
    """The decimals of a part's printed entries, and the mode that rounds them (MODES)."""

    digits: int
    mode: str


class Given(NamedTuple):
    """A given, with the labels of its rows and columns."""

    values: Formulas
    rows: list[str] | None
    columns: list[str] | None


class Step(NamedTuple):
    """A step: its formula, the values that replace the formula's, its printed entries and their enclosures."""

    name: str
    formula: str
    pinned: Formulas | None
    printed: list[list[str]]
    enclosures: list[list[Claim]]
    path: str  # as in `step 2 (Z)`


class Part(NamedTuple):
    """A part of the problem, with its own givens."""

    name: str | None
    rounding: Rounding
    givens: dict[str, Given]
    steps: list[Step]
    path: str  # as in `part 1 (one)`

    @property
    def prefix(self) -> str:
        """Return the text before a step's name by which other parts use it."""
        return f"{self.name}." if self.name is not None else ""


class Certificate(NamedTuple):
    """The content of a certificate, each field checked."""

    carried: bool
    givens: dict[str, Given]
    parts: list[Part]
    is_unchanged: bool  # by its checksum


class Fields:
    """A mapping of the file, read field by field. An absent key has the value None."""

    def __init__(self, value: object, what: str, keys: str):
        self.expected = f"expected {what} with only the keys {keys}; found {brief(value)}"
        if not isinstance(value, dict) or not value.keys() <= set(keys.split(", ")):
            raise Bad(self.expected)
        self.values: dict[str, object] = value

    def read(self, key: str, *kinds: type[T]) -> T:
        """Return the value of a key. Raises Bad if its type is not one of `kinds`."""
        value = self.values.get(key)
        if isinstance(value, kinds) and type(value) in kinds:  # True is not a whole number
            return value
        if key not in self.values:
            raise Bad(self.expected)
        with within(key):
            raise Bad(f"expected {' or '.join(TYPES[kind] for kind in kinds)}, found {brief(value)}")


class Refused(NamedTuple):
    """A value that every reader of a field refuses. The reader's error adds the place of the field."""

    what: str


def brief(value: object) -> str:
    """Return the beginning of a value in the file."""
    if isinstance(value, Refused):
        return value.what
    if not isinstance(value, list | dict):
        return repr(value)[:60]
    items = ", ".join(map(str, islice(value, 8)))[:60] or "without entries"
    return items if isinstance(value, dict) else f"list {items}"


def table(value: Sequence[object], key: str, is_entry: Callable[[object], TypeGuard[T]]) -> list[list[T]]:
    """Return rows of equal length, at least one, whose entries are all of a kind. Raises Bad for other values."""
    rows = [row for row in value if isinstance(row, list) and row and all(map(is_entry, row))]
    if not rows or len(rows) < len(value) or any(len(row) != len(rows[0]) for row in rows):
        with within(key):
            raise Bad("expected a matrix")
    return rows


def formulas(value: Sequence[object], key: str) -> Formulas:
    return value if isinstance(value, str) else table(value, key, is_text)


def is_text(x: object) -> TypeGuard[str]:
    return isinstance(x, str)


def is_claim(x: object) -> TypeGuard[Claim]:
    """Return whether a value is an enclosure: a text, or two texts, the lower end and the upper end."""
    return is_text(x) or isinstance(x, list) and len(x) == 2 and all(map(is_text, x))


class Check:
    """A run over a certificate at one precision."""

    def __init__(self, certificate: Certificate):
        self.carried, self.report = certificate.carried, Report([], [], [])
        self.open: dict[int, tuple[str, Matrix]] = {}  # values that are not verified, and their places, by identity
        self.outer: dict[str, Matrix | str] = {}  # the problem's givens, and the steps of earlier parts
        self.parts: set[str] = set()  # the names of earlier parts
        self.givens(certificate.givens, self.outer, "")
        for part in certificate.parts:
            with within(part.path):
                self.part(part)

    def part(self, part: Part) -> None:
        """Compute a part; later parts use its steps under the part's name. Raises Bad for a duplicate name."""
        prefix, names, part_names = part.prefix, dict(self.outer), set(part.givens)
        self.note_rounding(prefix, part.rounding)
        if not prefix and (duplicates := part_names & self.outer.keys()):
            with within(given_path(min(duplicates))):
                raise Bad("this name occurs twice")
        self.givens(part.givens, names, prefix)
        for step in part.steps:
            name = step.name
            with within(step.path):
                if name in part_names or prefix + name in self.outer:
                    raise Bad("this name occurs twice")
                if name.partition(".")[0] in self.parts and "." in name or name == "T" and prefix[:-1] in self.outer:
                    raise Bad(f"{prefix}{name[:40]} could also be the name of a different step")
                part_names.add(name)
                names[name] = self.outer[prefix + name] = self.step(prefix + name, step, names, part.rounding)
        self.parts.add(prefix[:-1])

    def note_rounding(self, before: str, rounding: Rounding) -> None:
        """Add the rounding of a part to the report."""
        part = f"part {before[:-1]}, " if before else ""
        carried = (
            "each rounded and carried forward as printed" if self.carried else "with unrounded numbers carried forward"
        )
        self.report.stated.append(f"{part}{rounding.digits} decimals, {rounding.mode}, {carried}:")

    def givens(self, givens: dict[str, Given], names: dict[str, Matrix | str], before: str) -> None:
        """Compute givens into `names` and add them to the report.

        A given that uses an unverified value has no value. Raises Bad for a given that is not a matrix, or whose labels
        do not fit.
        """
        for name, stated in givens.items():
            line = given_line(before + name, stated)
            with within(given_path(name), "values"):
                try:
                    names[name] = value = stated_value(stated.values, names)
                    if source := self.unverified(stated.values, names):
                        self.open[id(value)] = source, value
                except Invalid as error:
                    raise Bad(str(error)) from None
                except Open as error:
                    names[name] = before + name
                    self.report.stated.append(f"{line}  (not verified: {error})")
                    continue
            for key, labels, side in zip(("rows", "columns"), (stated.rows, stated.columns), shape(value), strict=True):
                if labels is not None and len(labels) != side:
                    with within(given_path(name), key):
                        raise Bad(f"expected {side} labels, found {len(labels)}")
            self.report.stated.append(line)

    def unverified(self, stated: Formulas, names: Names) -> str:
        """Return the first unverified step or given that a formula, or a matrix of formulas, uses; an empty string if
        none.
        """
        texts = [x for row in stated for x in row] if isinstance(stated, list) else [stated]
        used = (name for text in texts for name in STEP_NAME.findall(text) if name in names)
        return next((self.open[id(names[name])][0] for name in used if id(names[name]) in self.open), "")

    def step(self, place: str, step: Step, names: Names, rounding: Rounding) -> Matrix | str:
        """Return a step's value, or its name if its formula gives no value; then no formula that uses it is
        verified.
        """
        printed, claims = step.printed, step.enclosures
        stated, pinned = (step.formula, "") if step.pinned is None else (step.pinned, "  (pinned)")
        self.report.stated.append(f"{place} = {one_line(stated)}{pinned}")
        places = [(i, j) for i in range(len(printed)) for j in range(len(printed[0]))]
        value: Matrix | str = place
        try:
            with within("formula" if step.pinned is None else "pinned"):
                exact = stated_value(stated, names)
            if shape(exact) != shape(printed):
                raise Invalid("the formula gives a matrix of a different size")
            carried = entrywise(lambda x: printable(x, *rounding))(exact) if self.carried else exact
            verdicts = {
                (i, j): judge(exact[i][j], carried[i][j], printed[i][j], claims[i][j], *rounding) for i, j in places
            }
            value = carried
            if source := self.unverified(stated, names):
                verdicts = {at: verdict or ("open", f"it depends on {source}") for at, verdict in verdicts.items()}
            if any(verdict and verdict[0] == "open" for verdict in verdicts.values()):
                self.open[id(value)] = place, value
        except (Invalid, Open) as error:
            verdict = "open" if isinstance(error, Open) else "wrong", str(error)
            verdicts = {(i, j): misprint(printed[i][j], claims[i][j], rounding.digits) or verdict for i, j in places}
        findings = [Finding(f"{place}[{i},{j}]", *verdict) for (i, j), verdict in verdicts.items() if verdict]
        self.report.steps.append((place, len(verdicts), len(verdicts) - len(findings)))
        self.report.findings.extend(findings)
        return value


def stated_value(values: Formulas, names: Names) -> Matrix:
    """Return the value of a formula, or of a matrix of formulas."""
    if isinstance(values, str):
        return calculate(values, names)
    return [[single_number(x, names) for x in row] for row in values]


def single_number(text: str, names: Names) -> Number:
    """Return the value of an entry. Raises Invalid if its formula gives a matrix."""
    value = calculate(text, names)
    if shape(value) != (1, 1):
        raise Invalid(f"expected a number, found the matrix {text[:40]!r}")
    return value[0][0]


PLAIN_ENTRY, PLAIN_LABEL = re.compile(r"[-+]?[\w./∞ʹ]+"), re.compile(r'[^\s;:,()="]+')


def shown(text: str, plain: re.Pattern[str]) -> str:
    """Return a text for the listing, in quotes if it could be read as several texts or as a part of the listing."""
    return text if plain.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def one_row(row: list[str]) -> str:
    return " ".join(shown(entry, PLAIN_ENTRY) for entry in row)


def one_line(values: Formulas) -> str:
    """Write a matrix or a formula in one line. A formula that looks like a row of a matrix is in quotes."""
    if isinstance(values, list):
        return "; ".join(map(one_row, values))
    words = values.split()
    is_like_a_row = len(words) > 1 and all(map(PLAIN_ENTRY.fullmatch, words))
    return json.dumps(values, ensure_ascii=False) if is_like_a_row else values


def given_line(name: str, given: Given) -> str:
    """Write a given with its labels, which the reader has to trust."""
    rows, columns = ([shown(label, PLAIN_LABEL) for label in labels or ()] for labels in (given.rows, given.columns))
    line = one_line(given.values)
    if rows and isinstance(given.values, list):
        line = "; ".join(f"{label}: {one_row(row)}" for label, row in zip(rows, given.values, strict=False))
    elif rows:
        line += f"  (rows {', '.join(rows)})"
    return f"{name} = {line}" + (f"  (columns {', '.join(columns)})" if columns else "")


def misprint(printed: str, claim: Claim, digits: int) -> tuple[str, str] | None:
    """Return an error if a printed entry is not a decimal of `digits` digits within its enclosure, otherwise None."""
    stated, enclosed = parse_claims(printed, claim)
    if abs(stated.lo) == INF:
        return None if printed == claim else ("wrong", f"{printed} is printed, but a different enclosure is stated")
    if printed != decimal(int(stated.lo * 10**digits), digits):
        return "wrong", f"{shortened(printed)} is printed, which is not a number with {digits} decimals"
    if not enclosed.lo - Fraction(1, 10**digits) <= stated.lo <= enclosed.hi + Fraction(1, 10**digits):
        return "wrong", f"{shortened(printed)} is printed, which is more than one unit away from its enclosure"
    return None


def shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


def judge(x: Number, carried: Number, printed: str, claim: Claim, digits: int, mode: str) -> tuple[str, str] | None:
    """Return the error or the open question at an entry; None if its decimal and its enclosure are proven.

    The enclosure belongs to the number that later steps use (`carried`).
    """
    Work.spend(OPERATION, bits=4 * digits)
    if x.exact and abs(x.lo) == INF:
        return (
            None
            if printed == claim == str(x.lo)
            else ("wrong", f"{printed:.40} is printed, but the formula gives {x.lo}")
        )
    stated, enclosed = parse_claims(printed, claim)
    ends, carried_ends = x.fractions, carried.fractions
    if ends is None or carried_ends is None:
        return misprint(printed, claim, digits) or ("open", "the number is too large")
    low, high = (whole(end, digits, mode) for end in ends)
    units = None if stated.fraction is None else stated.fraction * 10**digits
    if units is None or printed != decimal(int(units), digits) or not low <= units <= high:
        return "wrong", f"{shortened(printed)} is printed, but the formula gives {shortened(decimal(low, digits))}"
    first, last = (whole(end, digits + MORE_DIGITS, "half_up") for end in carried_ends)
    if low != high:
        places = digits + MORE_DIGITS
        if last - first <= 1 and claim not in [enclosure(n, places, wide) for n in (first, last) for wide in (5, 15)]:
            return "wrong", "no number rounds to the stated enclosure"
        lower, upper = shortened(decimal(low, digits)), shortened(decimal(high, digits))
        return misprint(printed, claim, digits) or (
            "open",
            f"{lower} or {upper}: even the highest precision cannot decide which",
        )
    if (
        first == last
        and claim != enclosure(first, digits + MORE_DIGITS)
        or enclosed.hi < carried.lo
        or carried.hi < enclosed.lo
    ):
        return (
            "wrong",
            f"{' to '.join(enclosure(first, digits + MORE_DIGITS)):.200} is its enclosure, but a different one is "
            f"stated",
        )
    return None if first == last else ("open", "even the highest precision does not prove its enclosure")


def enclosure(n: int, places: int, wide: int = 5) -> list[str]:
    """Return the ends between which all numbers round to n·10^−places; with `wide` 15 also to the neighbours n ± 1."""
    return [decimal(10 * n - wide, places + 1), decimal(10 * n + wide, places + 1)]


def parse_claims(printed: str, claim: Claim) -> tuple[Number, Number]:
    """Return a printed decimal and its enclosure as numbers."""
    with within("printed"):
        stated = parse_claim(printed)
    with within("enclosures"):
        return stated, parse_claim(claim)


def parse_claim(x: Claim) -> Number:
    """Return a printed decimal or an enclosure as a number."""
    if x == "inf" or x == "-inf":
        return Number(float(x))
    lower, upper = x if isinstance(x, list) else (x, x)
    lo, hi = fraction(lower), fraction(upper)
    if lo > hi:
        raise Bad(f"the lower end of an enclosure must not be above its upper end; found {lower:.40} and {upper:.40}")
    return Number(lo, hi)


def decimal(n: int, digits: int) -> str:
    """Return n·10^−digits as a decimal: n = 5 and digits = 2 give 0.05."""
    text = str(abs(n)).rjust(digits + 1, "0")
    point = len(text) - digits
    return ("-" if n < 0 else "") + (f"{text[:point]}.{text[point:]}" if digits else text)


def checksum(data: Mapping[str, object]) -> str:
    """Return the checksum of all content except the checksum itself.

    It detects accidental changes. A person who changes the file on purpose can compute it again.
    """
    rest = {key: value for key, value in data.items() if key != "checksum"}
    return "sha256:" + hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_certificate(data: object) -> Certificate:
    """Return the content of a certificate.

    Raises Bad for unknown keys, duplicate names of parts, no parts, an unnamed part among several, or an invalid name.
    """
    if not isinstance(data, dict) or data.get("certificate") != FORMAT:
        raise Bad(f'expected "certificate": "{FORMAT}", found {brief(data)}')
    fields = Fields(data, "a certificate", "certificate, title, carried, givens, parts, checksum")
    fields.read("title", str, NoneType)
    carried, givens, parts = fields.read("carried", bool), fields.read("givens", dict), fields.read("parts", list)
    stated = fields.read("checksum", str)
    read = list(map(read_part, parts, count(1)))
    certificate = Certificate(carried, read_givens(givens), read, stated == checksum(data))
    if not read:
        raise Bad("parts: expected at least one part")
    names = Counter(part.name for part in read)
    for part in read:
        if names[part.name] > 1 or part.name is None and len(read) > 1:
            with within(part.path):
                raise Bad("expected each of several parts to have its own name")
    return certificate


def numbered(what: str, data: object, number: int) -> str:
    """Return the place of a part or a step: its number, and its name if it has one."""
    name = data.get("name") if isinstance(data, dict) else None
    return f"{what} {number}" + (f" ({name[:40]})" if isinstance(name, str) and name else "")


def read_part(data: object, number: int) -> Part:
    """Return a part. Raises Bad if it has no steps, or if a name or the rounding is invalid."""
    path = numbered("part", data, number)
    with within(path):
        fields = Fields(data, "a part", "name, rounding, givens, steps")
        name, stated = fields.read("name", str, NoneType), fields.read("rounding", dict)
        givens, steps = fields.read("givens", dict), fields.read("steps", list)
        if name is not None:
            require_name(name, "a part", NAME)
        if not steps:
            raise Bad("expected a part with steps")
        with within("rounding"):
            rounding = Fields(stated, "rounding", "digits, mode")
            digits, mode = rounding.read("digits", int), rounding.read("mode", str)
            if not 0 <= digits <= MOST_DIGITS or mode not in MODES:
                raise Bad(f"expected up to {MOST_DIGITS:,} digits and one of {', '.join(MODES)}")
        return Part(name, Rounding(digits, mode), read_givens(givens), list(map(read_step, steps, count(1))), path)


def read_step(data: object, number: int) -> Step:
    """Return a step. Raises Bad for an invalid name or formula, and for values that are not a matrix."""
    path = numbered("step", data, number)
    with within(path):
        fields = Fields(data, "a step", "name, formula, pinned, printed, enclosures")
        name, formula = fields.read("name", str), fields.read("formula", str)
        pinned = fields.read("pinned", str, list, NoneType)
        rows, claims = fields.read("printed", list), fields.read("enclosures", list)
        require_name(name, "a step", STEP_NAME)
        with within("formula"):
            parse(formula)
        printed, enclosures = table(rows, "printed", is_text), table(claims, "enclosures", is_claim)
        if shape(enclosures) != shape(printed):
            raise Bad("enclosures: expected an enclosure for each printed entry")
        return Step(name, formula, None if pinned is None else formulas(pinned, "pinned"), printed, enclosures, path)


def read_givens(givens: dict[str, object]) -> dict[str, Given]:
    """Return givens. Raises Bad for a name with a dot, which could be a given or a step of a part."""
    return {name: read_given(given, name) for name, given in givens.items()}


def given_path(name: str) -> str:
    return f"the given {name[:40]}"


def read_given(data: object, name: str) -> Given:
    """Return a given. Raises Bad for values that are not a matrix, and for labels that are not texts."""
    with within(given_path(name)):
        require_name(name, "a given", NAME)
        fields = Fields(data, "a given", "values, rows, columns")
        values = formulas(fields.read("values", str, list), "values")
        rows, columns = (fields.read(key, list, NoneType) for key in ("rows", "columns"))
        for key, labels in (("rows", rows), ("columns", columns)):
            if labels is not None and not (labels and all(map(is_text, labels))):
                with within(key):
                    raise Bad("expected labels, which are texts")
        return Given(values, rows, columns)


def require_name(name: str, what: str, form: re.Pattern[str]) -> None:
    """Raise Bad for a text that is not a name, for a constant, and for a name that reads as a transpose."""
    if not form.fullmatch(name) or name in RESERVED or name.endswith(".T"):
        raise Bad(f"expected the name of {what}, found {name[:40]!r}")


def verify(data: object) -> Report:
    """Return the report on a certificate. The precision increases while something is open. Raises Bad."""
    report: Report | None = None
    digits_limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(LONGEST_NUMBER)
    try:
        Work.left = MOST_WORK
        content = read_certificate(data)
        bits = 192 + 4 * max(part.rounding.digits for part in content.parts)
        for level in range(LEVELS):
            Work.begin(bits << level, forms=level > 0)
            report = Check(content).report
            if all(finding.verdict == "wrong" for finding in report.findings):
                break
    except TooMuch:
        if report is None:
            raise
    except (RecursionError, MemoryError):
        raise Bad(
            "expected a certificate that fits into memory, found a larger one or one with deeper nesting"
        ) from None
    finally:
        Work.begin(192, forms=False)
        sys.set_int_max_str_digits(digits_limit)
    assert report is not None
    if not content.is_unchanged:
        report.findings.insert(
            0,
            Finding("the file", "wrong", "the checksum is wrong, because the file was changed after attncalc wrote it"),
        )
    return report


def unique_keys(pairs: list[tuple[str, object]]) -> object:
    """Return a JSON object as a dictionary. An object with a key twice is refused, because programs differ on the value
    they use.
    """
    keys = [key for key, _ in pairs]
    if len(set(keys)) == len(keys):
        return dict(pairs)
    return Refused(f"the key {Counter(keys).most_common(1)[0][0][:40]!r} twice")


def integer(digits: str) -> object:
    """Return a whole number of the file. A number with more digits than any number of a certificate is refused."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else Refused(f"a number with {len(digits):,} digits")


def read(path: str) -> object:
    """Return the JSON of a file; `-` is standard input. Raises Bad if it cannot be read."""
    try:
        with open(0 if path == "-" else path, "rb") as file:
            return loads(file.read(LARGEST_FILE + 1))
    except IsADirectoryError:
        raise Bad("expected a certificate, found a folder") from None
    except OSError as error:
        raise Bad(error.strerror or "the file cannot be read") from None
    except MemoryError:
        raise Bad("expected a certificate that fits into memory, found a larger file") from None


def loads(raw: bytes) -> object:
    """Return the JSON of a file's content. Raises Bad if it cannot be read."""
    if len(raw) > LARGEST_FILE:
        raise Bad(f"a certificate can have at most {LARGEST_FILE:,} bytes; found more; split its problem into several")
    try:
        data: object = json.loads(raw, object_pairs_hook=unique_keys, parse_int=integer)
        return data
    except RecursionError:
        raise Bad("expected a certificate, found lists that are nested about 1,000 levels deep") from None
    except json.JSONDecodeError as error:
        content = "something else" if raw.strip() else "an empty file"
        raise Bad(
            f"line {error.lineno}, column {error.colno}: expected a certificate in JSON, found {content}"
        ) from None
    except ValueError:
        raise Bad("expected a certificate in JSON, found a file that is not text") from None


def report_lines(report: Report) -> Iterator[str]:
    """Yield a report in lines: the givens and formulas to trust, wrong and open entries, and the number of proven
    entries.
    """
    yield "Recomputed from these givens and formulas:"
    yield from (f"  {line}" for line in report.stated)
    yield from map(str, report.findings)
    entries, proven = sum(step[1] for step in report.steps), sum(step[2] for step in report.steps)
    unknown = sum(finding.verdict == "open" for finding in report.findings)
    yield (
        f"{entries:,} printed entries: {proven:,} proven, {entries - proven - unknown:,} wrong, {unknown:,} not "
        "verified"
    )


def main(arguments: list[str]) -> int:
    """Verify the named file. Return the exit code: 0; 1 if a value is wrong; 2 if the file is not a certificate."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        report = verify(read(arguments[0]))
    except Bad as error:
        print(remove_control_characters(f"{arguments[0]}: {error}"), file=sys.stderr)
        return 2
    try:
        for line in report_lines(report):
            print(remove_control_characters(line))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has stopped
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if any(finding.verdict == "wrong" for finding in report.findings) else 0


def remove_control_characters(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
