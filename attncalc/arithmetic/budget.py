"""The cost of numbers and operations, which is known before they are computed.

- This module measures work, and estimates the time of operations.
- Only this module converts balls to whole numbers and fractions.
- Only this module computes exact powers and roots.

A ball needs little memory even if its number is large: 2^(10^12) takes a few words. The whole number 2^(10^12) takes
10^12 bits, and python-flint ends the process if memory is too small. The functions of this module therefore first bound
the bits of the result, and return None if there are more than `most`. No other module lets flint convert a ball to a
whole number (`tests/properties/test_budget.py` checks this).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from flint import arb, fmpq, fmpz

from .. import limits
from ..formula.operations import Literal, MatMul, Ref, RowReduction, Softmax
from ..formula.typed_formula import Node

MOST_BITS = 1 << 18  # limit for a whole number, a numerator or a denominator; twice the highest precision
LARGEST_GUESSED, LARGEST_DENOMINATOR = 1 << 64, 1_000_000  # limits for fractions that may be proven equal to a number
LARGEST_INDEX, LARGEST_POWER = 64, 1_000  # limits for exact roots and powers of fractions
_LEAST = arb(fmpq(1, 4 * LARGEST_DENOMINATOR))  # the fraction nearest to a smaller number is 0

MOST_SECONDS = limits.SECONDS.most  # limit on the work of a problem, and on the work to settle its digits
USUAL_BITS = 256  # most problems need no more bits for their digits
_PRICED = 2_048  # bits at which the times below were measured
_SHORT = 300  # bits of fractions up to which the times of intervals hold; for longer fractions the time is proportional


class GiveUp(Exception):
    """Raised if a task needs more work than a meter has left."""


class Meter:
    """The remaining work, in a unit that the owner of the meter chooses. Work is spent before it is done.

    Work is also spent from the meter `whole`, of which this meter is a part.
    """

    def __init__(self, most: float, whole: Meter | None = None):
        self.left = most
        self.whole = whole

    def take(self, work: float) -> bool:
        """Spend some work. Return False if the meter is exhausted."""
        self.left -= work
        remains = self.whole is None or self.whole.take(work)
        return remains and self.left >= 0

    def spend(self, work: float) -> None:
        """Spend some work. Raises GiveUp if the meter is exhausted."""
        if not self.take(work):
            raise GiveUp


_SPENT: ContextVar[Meter | None] = ContextVar("spent", default=None)


@contextmanager
def spending(meter: Meter) -> Iterator[None]:
    """In the block, interval arithmetic spends work from this meter. It raises GiveUp if the meter is exhausted."""
    token = _SPENT.set(meter)
    try:
        yield
    finally:
        _SPENT.reset(token)


def spend_intervals(
    node: Node, are_points: bool, rounded: bool = False, rounded_products: bool = False, bits: int = 0
) -> None:
    """Spend the work of an operation on intervals. Outside a block `spending`, this has no effect.

    `are_points` is True if the operands of a matrix product are single numbers. `bits` is the length of the longest
    fraction in the operands.
    """
    meter = _SPENT.get()
    if meter is not None:
        seconds = interval_seconds(node, are_points) + rounding_seconds(node, rounded, rounded_products)
        meter.spend(seconds * max(1.0, bits / _SHORT))


@lru_cache(maxsize=10_000)
def interval_seconds(node: Node, are_points: bool) -> float:
    """Return an upper estimate of the time that an operation on intervals takes."""
    spent = work(node)
    length = node.args[0].shape[1] if node.args else 0
    compared = node.args[0].size * length * node.comparisons if node.comparisons else 0
    products = node.size * length if isinstance(node, MatMul) else 0
    summed = node.args[0].size if isinstance(node, RowReduction) and not node.comparisons else 0
    return (
        2e-5
        + (8e-6 if isinstance(node, Literal) else 2e-6) * (spent.entries + summed)
        + 5e-6 * min(spent.functions, 2 * spent.entries)
        + (1e-6 if are_points else 4e-6) * products
        + 2e-6 * compared
    )


def spend_planning(node: Node) -> None:
    """Spend the work of checking an operation of a formula that attncalc makes, such as the formula of a mistake.
    Outside a block `spending`, this has no effect.
    """
    meter = _SPENT.get()
    if meter is not None:
        meter.spend(work(node).planning)


def rounding_seconds(node: Node, rounded: bool, rounded_products: bool) -> float:
    """Return an upper estimate of the time that enclosures of rounded intermediate results take."""
    if not rounded:
        return 0.0
    length = node.args[0].shape[1] if node.args else 0
    weights = (1.5e-5 + 3e-7 * length) * node.size if isinstance(node, Softmax) else 0.0  # for exponentials and sums
    products = 1.5e-5 * node.size * length if rounded_products and isinstance(node, MatMul) else 0.0
    return 1.2e-5 * node.size + weights + products


class Work(NamedTuple):
    """The work of a formula: operations, entries, entries of functions, and products of two numbers."""

    operations: int = 0
    entries: int = 0
    functions: int = 0
    products: float = 0

    def seconds(self, bits: int) -> float:
        """Return an upper estimate of the time, in seconds, at a precision."""
        longer = bits / _PRICED
        seconds: float = (
            1e-4 * self.operations
            + (3e-6 + 5e-7 * longer**1.5) * self.entries
            + 1.3e-5 * longer**1.75 * self.functions
            + (2e-8 + 4e-7 * longer**1.5) * self.products
        )
        return seconds

    @property
    def planning(self) -> float:
        """An upper estimate of the time, in seconds, for checking the formula."""
        return 5e-5 * self.operations + 1e-6 * self.entries


def work(node: Node) -> Work:
    """Return the work of a single operation, by its shapes. A reference to a step needs no work."""
    if isinstance(node, Ref):
        return Work()
    functions = node.size * node.cost if node.irrational else 0
    products = 0.0
    if isinstance(node, MatMul):  # long fractions take longer than balls
        products = node.size * node.args[0].shape[1] * (1 + min(node.bits, 4_000) / 500)
    return Work(1, node.size, functions, products)


@lru_cache(maxsize=5_000)
def total_work(node: Node) -> Work:
    """Return the work of a formula. A shared subformula counts once."""
    work_list, seen, stack = [], {id(node)}, [node]
    while stack:
        current = stack.pop()
        work_list.append(work(current))
        stack += [a for a in current.args if id(a) not in seen]
        seen |= {id(a) for a in current.args}
    return Work(*map(sum, zip(*work_list, strict=True)))


@lru_cache(maxsize=64)
def limit(bits: int) -> arb:
    """Return 2^bits. Numbers below it have at most `bits` bits before their point."""
    return arb(2) ** bits


def is_longer(x: fmpq | arb, most: int = MOST_BITS) -> bool:
    """Return whether a number certainly has more than `most` bits before its point."""
    return bool(abs(x) > limit(most))


def floor(x: fmpq | arb, most: int = MOST_BITS) -> fmpz | None:
    """Return ⌊x⌋; None if the ball contains numbers with different ⌊x⌋, or if ⌊x⌋ may have more bits than `most`.

    >>> floor(arb("2.5")), floor(arb(2) ** 10**12)
    (2, None)
    """
    if isinstance(x, fmpq):
        return x.floor()
    return floor_below(x, limit(most)) if x > -limit(most) else None


def floor_below(x: arb, limit: arb) -> fmpz | None:
    """Return ⌊x⌋ of a ball below `limit`; None if the ball contains numbers with different ⌊x⌋."""
    return x.floor().unique_fmpz() if x < limit else None


def ceil(x: arb) -> fmpz | None:
    """Return ⌈x⌉, or None in the cases of `floor`."""
    below = floor(-x)
    return None if below is None else -below


def fraction(x: arb, most: int = MOST_BITS) -> fmpq | None:
    """Return the value of a ball whose radius is 0; None for other balls, and for fractions longer than `most`."""
    if x.is_zero():
        return fmpq(0)
    if not x.is_exact() or not x.is_finite():
        return None
    mantissa, exponent = x.man_exp()
    if abs(exponent) > most:
        return None
    return fmpq(mantissa << int(exponent)) if exponent >= 0 else fmpq(mantissa, fmpz(1) << int(-exponent))


def guess_fraction(x: arb) -> fmpq | None:
    """Return the fraction with a small denominator nearest to a ball's midpoint; None for large numbers."""
    if not x.is_finite() or abs(x) > LARGEST_GUESSED:
        return None
    middle = x.mid()
    if abs(middle) < _LEAST:
        return fmpq(0)
    exact = fraction(middle)
    if exact is None:
        return None
    near = Fraction(int(exact.numerator), int(exact.denominator)).limit_denominator(LARGEST_DENOMINATOR)
    return fmpq(near.numerator, near.denominator)


def power(x: fmpq, n: int, most: int = MOST_BITS) -> fmpq | None:
    """Return x^n for a fraction x; None if it may be longer than `most` bits. Raises ZeroDivisionError for a negative
    power of 0.

    >>> power(fmpq(2, 3), 2), power(fmpq(2), 10**12)
    (4/9, None)
    """
    return x**n if x.height_bits() * abs(n) <= most else None


def root(x: fmpq, y: fmpq, most: int = MOST_BITS) -> fmpq | None:
    """Return x^y if it is a fraction, otherwise None. Return None also beyond LARGEST_INDEX and LARGEST_POWER."""
    if y.denominator > LARGEST_INDEX or abs(y.numerator) > LARGEST_POWER:
        return None
    index = int(y.denominator)
    parts = []
    for part in (x.numerator, x.denominator):
        base = part.root(index)
        if base**index != part:
            return None
        parts.append(base)
    return power(fmpq(*parts), int(y.numerator), most)


def square_root(x: fmpq) -> fmpq | None:
    """Return √x for a fraction x ≥ 0 if √x is a fraction; otherwise None."""
    above, below = x.numerator, x.denominator
    return fmpq(above.isqrt(), below.isqrt()) if above.is_square() and below.is_square() else None
