"""Intervals [low, high] for the values of entries, and sums, products and powers of intervals.

A cell is the interval of one entry, and a box is a matrix of cells. Ends are exact fractions if possible, otherwise
thin balls. A cell without a bound is None, and −∞ is the symbol (−∞, −∞). If both ends of a cell are the same object,
the cell is a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from flint import arb, fmpq

from .. import budget
from ..matrix_types import MINUS_INFINITY, Matrix, entries, is_infinite, symbol
from ..rounding import power_of_ten

End: TypeAlias = fmpq | arb
Interval: TypeAlias = tuple[End, End] | None
Box: TypeAlias = list[list[Interval]]

ZERO, ONE = fmpq(0), fmpq(1)
LARGEST_FLOAT = 1e300
HIDDEN: Interval = (MINUS_INFINITY, MINUS_INFINITY)  # a masked score


def approximate(x: End) -> float:
    """Return the value as a float, clipped to the float range. Use it only for decisions about size."""
    try:
        size = float(x) if isinstance(x, arb) else int(x.numerator) / int(x.denominator)
    except OverflowError:
        return LARGEST_FLOAT if x > 0 else -LARGEST_FLOAT
    return size if abs(size) <= LARGEST_FLOAT else -LARGEST_FLOAT if size < 0 else LARGEST_FLOAT


def is_whole(x: End) -> bool:
    return isinstance(x, fmpq) and x.denominator == 1


def is_whole_point(cell: tuple[End, End]) -> bool:
    return cell[0] is cell[1] and is_whole(cell[0])


def point(x: End) -> tuple[End, End]:
    """Return the interval [x, x]. Both ends are one object, which marks a point."""
    return x, x


def from_matrix(value: Matrix) -> Box:
    """Return an exact or certified matrix as a box."""
    return [[(x, x) for x in row] for row in entries(value)]


def hull(a: Interval, b: Interval) -> Interval:
    """Return the smallest interval that contains both; None if one is unbounded."""
    if a is None or b is None:
        return None
    if a is b:
        return a
    return least((a[0], b[0])), most((a[1], b[1]))


def clip(cell: Interval, low: End, high: End) -> Interval:
    """Return the part of a cell between two bounds. If the cell is None or certainly lies outside, return the
    bounds.
    """
    if cell is None or cell[0] > high or cell[1] < low:
        return low, high
    return (cell[0] if cell[0] >= low else low), (cell[1] if cell[1] <= high else high)


def make_interval(low: End, high: End) -> Interval:
    """Return [low, high]; an infinite ball becomes the symbol ∞ or −∞. Return None if an end is undefined."""
    if type(low) is arb and not low.is_finite() or type(high) is arb and not high.is_finite():
        is_undefined = any(isinstance(end, arb) and end.is_nan() for end in (low, high))
        return None if is_undefined else (symbol(low), symbol(high))
    return low, high


def least(ends: Sequence[End]) -> End:
    """Return the least of some ends; if balls overlap, a ball that contains the least end."""
    best = ends[0]
    for x in ends:
        if x is best:
            continue
        if x <= best:
            best = x
        elif (type(x) is arb or type(best) is arb) and not best <= x:
            best = arb(best).min(arb(x))
    return best


def most(ends: Sequence[End]) -> End:
    """Return the largest of some ends; if balls overlap, a ball that contains the largest end."""
    best = ends[0]
    for x in ends:
        if x is best:
            continue
        if x >= best:
            best = x
        elif (type(x) is arb or type(best) is arb) and not best >= x:
            best = arb(best).max(arb(x))
    return best


def shorten_ends(x: tuple[End, End], most_bits: int) -> Interval:
    """Replace ends that are long fractions by balls; a point remains a point."""
    low, high = (arb(end) if isinstance(end, fmpq) and end.height_bits() > most_bits else end for end in x)
    return (low, low) if x[0] is x[1] else (low, high)


def negative(x: tuple[End, End]) -> tuple[End, End]:
    """Return −x, which is [−high, −low]. If x is a point, the result is a point."""
    high = -x[0]
    return (high, high) if x[0] is x[1] else (-x[1], high)


def add(x: tuple[End, End], y: tuple[End, End]) -> Interval:
    """Return x + y, which is [low + low, high + high]; None for ∞ − ∞."""
    low = x[0] + y[0]
    return make_interval(low, low if x[0] is x[1] and y[0] is y[1] else x[1] + y[1])


def product(x: tuple[End, End], y: tuple[End, End]) -> Interval:
    """Return x · y: from the least to the largest of the four products of ends. 0 · x is 0 for every finite x.

    Returns None if an end has the product 0 · ∞.

    >>> product((fmpq(-1), fmpq(2)), (fmpq(3), fmpq(4)))
    (-4, 8)
    """
    if x[0] is x[1]:
        x, y = y, x
    if y[0] is y[1]:
        c = y[0]
        if x[0] is x[1]:
            value = x[0] * c
            return make_interval(value, value)
        if c == 0:
            return point(ZERO)  # an entry without a bound is still finite
        if c > 0:
            return make_interval(x[0] * c, x[1] * c)
    if x[0] >= 0 and y[0] >= 0:
        return make_interval(x[0] * y[0], x[1] * y[1])
    if type(x[0]) is type(x[1]) is type(y[0]) is type(y[1]) is fmpq:
        return _exact_product(x, y)
    corners = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    if any(isinstance(c, arb) and c.is_nan() for c in corners):
        return None
    return least(corners), most(corners)


def _exact_product(x: tuple[fmpq, fmpq], y: tuple[fmpq, fmpq]) -> Interval:
    """Return the product of two intervals of fractions, from the signs of their ends. At least one interval has a
    negative end.
    """
    (low, high), (other_low, other_high) = (x, y) if x[0] < 0 else (y, x)
    if high <= 0:
        return (low if other_high >= 0 else high) * other_high, (low if other_low <= 0 else high) * other_low
    if other_low >= 0:
        return low * other_high, high * other_high
    if other_high <= 0:
        return high * other_low, low * other_low
    return min(low * other_high, high * other_low), max(low * other_low, high * other_high)


def excludes_zero(cell: Interval) -> bool:
    """Return whether a cell certainly is not 0."""
    return cell is not None and bool(cell[0] > 0 or cell[1] < 0)


def has_no_zero(box: Box) -> bool:
    return all(excludes_zero(cell) for row in box for cell in row)


def quotient(x: tuple[End, End], y: tuple[End, End]) -> Interval:
    """Return x / y; None if y may be 0.

    >>> quotient((fmpq(1), fmpq(2)), (fmpq(4), fmpq(4))), quotient((fmpq(1), fmpq(2)), (fmpq(-1), fmpq(1)))
    ((1/4, 1/2), None)
    """
    if not excludes_zero(y):
        return None
    if y[0] is y[1]:
        if x[0] is x[1]:
            value = x[0] / y[0]
            return make_interval(value, value)
        return make_interval(x[0] / y[0], x[1] / y[0]) if y[0] > 0 else make_interval(x[1] / y[0], x[0] / y[0])
    return product(x, (1 / y[1], 1 / y[0]))


def total(row: list[Interval]) -> Interval:
    """Return the sum of some entries; a point if all are points."""
    low: End = ZERO
    high: End = ZERO
    is_point = True
    for cell in row:
        if cell is None:
            return None
        is_point = is_point and cell[0] is cell[1]
        low = low + cell[0]
        high = low if is_point else high + cell[1]
    return make_interval(low, high)


def magnitude(cell: tuple[End, End]) -> Interval:
    """Return |x|: [0, the larger end] if x may be 0."""
    low, high = cell
    if low >= 0:
        return cell
    if high <= 0:
        return negative(cell)
    return ZERO, most((-low, high))


def power(x: tuple[End, End], y: tuple[End, End]) -> Interval:
    """Return x ** y; None if the power may be undefined.

    If y is an integer, x may be any interval. Otherwise x must be at least 0, and above 0 for a negative or uncertain
    y.
    """
    if y[0] is y[1] and isinstance(y[0], fmpq):
        exponent = y[0]
        if exponent.denominator == 1:
            n = int(exponent.numerator)
            if n < 0:
                below = power(x, point(-exponent))
                return None if below is None else quotient((ONE, ONE), below)
            base = magnitude(x) if n % 2 == 0 else x
            if base is None or abs(n) > 1_000:
                return None
            low = _whole_power(base[0], n)
            return (low, low) if base[0] is base[1] else make_interval(low, _whole_power(base[1], n))
        if not x[0] >= 0:
            return None
        if exponent < 0 and not x[0] > 0:
            return None

        def raised(base: End) -> End:
            if base == 0:
                return ZERO
            exact = budget.root(base, exponent) if isinstance(base, fmpq) else None
            return exact if exact is not None else arb(base) ** arb(exponent)

        ends = (raised(x[0]), raised(x[1])) if x[0] is not x[1] else (raised(x[0]),) * 2
        return make_interval(*ends) if exponent > 0 else make_interval(ends[1], ends[0])
    if not x[0] > 0:
        return None
    if x[0] is x[1] and y[0] is y[1]:
        value = arb(x[0]) ** arb(y[0])
        return None if value.is_nan() else point(value)
    corners = [arb(a) ** arb(b) for a in x for b in y]
    return None if any(c.is_nan() for c in corners) else (least(corners), most(corners))


def _whole_power(x: End, n: int) -> End:
    exact = budget.power(x, n) if isinstance(x, fmpq) else None
    return arb(x) ** n if exact is None else exact


def floor_of(x: End, down: bool) -> End:
    """Return ⌊x⌋ of an end. If a ball contains several integers, return the lowest (`down`) or the highest
    candidate.
    """
    if isinstance(x, fmpq):
        return fmpq(x.floor())
    if is_infinite(x):
        return x
    ball = x.floor()
    return ball.lower() if down else ball.upper()


def has_decimals(cell: Interval, digits: int) -> bool:
    """Return whether an entry needs no rounding: it is infinite, or a number with at most `digits` decimals."""
    if cell is None:
        return False
    return (
        is_infinite(cell[0])
        or cell[0] is cell[1]
        and isinstance(cell[0], fmpq)
        and (cell[0] * power_of_ten(digits)).denominator == 1
    )
