"""Interval arithmetic on whole matrices: all values that hand work may have come to, as [low, high] for each entry.

Two things make a value uncertain: the numbers that the hand started from (boxes around what it wrote down) and the values that
it never wrote (`Working`: exponentials, sums, means, constants, each kept to so many digits). Every operation answers an
enclosure: it holds each value that the operation has on numbers of its boxes. Ends are exact fractions where they can be,
thin balls elsewhere; an entry that has no bound is None, and −∞ is the symbol (−∞, −∞).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10
from typing import Any, TypeAlias

from flint import arb, fmpq

from ..errors import FormulaError
from ..formula.check import check
from ..formula.node import Node, needs
from ..formula.tree import Tree
from ..records import dataclass
from .certified import MINUS_INFINITY, _exact_root, entries, from_literal, is_infinite
from .rounding import of_ball, of_rational, power_of_ten

End: TypeAlias = Any  # fmpq | arb
Cell: TypeAlias = tuple[End, End] | None
Box: TypeAlias = list[list[Cell]]

_ZERO, _ONE = fmpq(0), fmpq(1)
HIDDEN: Cell = (MINUS_INFINITY, MINUS_INFINITY)  # a masked score
_STRUCTURE = frozenset((  # what only picks or arranges values
    "ref", "literal", "matrix", "neg", "transpose", "take", "hstack", "vstack", "keep", "maximum", "abs",
    "one_hot", "top_k", "top_p", "argmax_rows", "sort_rows",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Working:
    """How values that are not written down are kept: to `digits` decimals and as many significant figures, or more.

    `habit` is what happens to the rest: `full` (nothing is dropped), `round`, `cut` (towards 0), `floor`, or `any` of these. With
    `shifted` the largest score of a row is subtracted before the exponentials (`any` habit: perhaps), and with `products` each
    product of a sum is kept so too.
    """

    digits: int = 0
    habit: str = "full"
    shifted: bool = False
    products: bool = False
    constants: int | None = None  # decimals of constants (√3), where they are rounded to so many, which is not legal

    def unit(self, low: End, high: End) -> fmpq:
        """The last place that is kept of a value between low and high."""
        size = max(abs(float(low)), abs(float(high)))
        if size == 0.0:
            return _ZERO
        exponent = floor(log10(size) + 1e-9) if size < 1 else 0
        return 1 / fmpq(power_of_ten(max(self.digits, max(self.digits, 1) - 1 - exponent)))

    def kept(self, cell: Cell) -> Cell:
        """What the value may be once it is kept."""
        if self.habit == "full" or cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
            return cell
        low, high = cell
        unit = self.unit(low, high)
        if low is high and isinstance(low, fmpq) and (unit == 0 or (low / unit).denominator == 1):
            return cell  # it ends within these digits
        if self.habit == "any":
            return low - unit, high + unit
        if self.habit == "round":
            return low - unit / 2, high + unit / 2
        if self.habit == "floor":
            return low - unit, high
        return (low - unit if low >= 0 else low), (high + unit if high <= 0 else high)  # towards 0

    def share(self, low: End, high: End) -> End:
        """By what part of itself a positive value between low and high may change when it is kept, at most all of it."""
        if self.habit == "full":
            return _ZERO
        unit = self.unit(high, high)
        change = unit / 2 if self.habit == "round" else unit
        return change / low if low > change else _ONE


FULL = Working()


def point(x: End) -> Cell:
    return x, x


def from_matrix(value: Any) -> Box:
    """An exact or certified matrix as a box."""
    return [[(x, x) for x in row] for row in entries(value)]


def hull(a: Cell, b: Cell) -> Cell:
    if a is None or b is None:
        return None
    return _least((a[0], b[0])), _most((a[1], b[1]))


def within(cell: Cell, low: End, high: End) -> Cell:
    """The part of a cell between two bounds; the bounds where they do not meet for certain."""
    if cell is None:
        return low, high
    return (cell[0] if cell[0] >= low else low), (cell[1] if cell[1] <= high else high)


def evaluate(node: Node, values: Callable[[str], Box], working: Working = FULL) -> Box:
    """The enclosure of a checked formula, its names' boxes told by `values`."""
    return _Run(values, working).result(node)


class _Run:
    def __init__(self, values: Callable[[str], Box], working: Working):
        self.values = values
        self.working = working
        self.shared: dict[int, Box] = {}

    def result(self, node: Node) -> Box:
        """The value as it is then written down: not yet rounded."""
        if node.operation == "ref":
            return self.values(node.params[0])
        if node.operation == "literal":
            return from_matrix(from_literal(node.params[0]))
        if node.operation == "pi":
            return [[point(arb.pi())]]
        arguments = [self.argument(a) for a in node.args]
        return getattr(self, "_" + node.operation)(node, *arguments)  # type: ignore[no-any-return]

    def argument(self, node: Node) -> Box:
        """A value on the way, which is not written down."""
        if node.shared and id(node) in self.shared:
            return self.shared[id(node)]
        box = self.result(node)
        working = self.working
        if working.constants is not None and node.size == 1 and not needs([node]):
            return [[_to_decimals(box[0][0], working.constants)]]
        if node.operation not in _STRUCTURE and working.habit != "full":
            box = [[working.kept(cell) for cell in row] for row in box]
        if node.shared:
            self.shared[id(node)] = box
        return box

    # -- entry by entry ---------------------------------------------------------------------------------------------

    def rising(self, a: Box, function: Callable[[End], End]) -> Box:
        def image(cell: tuple[End, End]) -> Cell:
            low = function(cell[0])
            return _sound(low, low if cell[0] is cell[1] else function(cell[1]))

        return _each(a, image)

    def pairs(self, node: Node, a: Box, b: Box, function: Callable[[tuple[End, End], tuple[End, End]], Cell]) -> Box:
        n, m = node.shape
        rows_a, rows_b, columns_a, columns_b = len(a) > 1, len(b) > 1, len(a[0]) > 1, len(b[0]) > 1
        result: Box = []
        for i in range(n):
            left, right = a[i if rows_a else 0], b[i if rows_b else 0]
            line: list[Cell] = []
            for j in range(m):
                x, y = left[j if columns_a else 0], right[j if columns_b else 0]
                line.append(None if x is None or y is None else function(x, y))
            result.append(line)
        return result

    def _neg(self, node: Node, a: Box) -> Box:
        return _each(a, _negative)

    def _add(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, _sum)

    def _sub(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, lambda x, y: _sum(x, _negative(y)))

    def _mul(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, _product)

    def _div(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, _quotient)

    def _pow(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, _power)

    def _exp(self, node: Node, a: Box) -> Box:
        return self.rising(a, lambda x: _ZERO if x == MINUS_INFINITY else _ONE if x == 0 else arb(x).exp())

    def _log(self, node: Node, a: Box) -> Box:
        def logarithm(cell: tuple[End, End]) -> Cell:
            if not cell[1] > 0:
                return HIDDEN if cell[1] == 0 else None
            low = (_ZERO if cell[0] == 1 else arb(cell[0]).log()) if cell[0] > 0 else MINUS_INFINITY
            return low, (_ZERO if cell[1] == 1 else arb(cell[1]).log())

        return _each(a, logarithm)

    def _sqrt(self, node: Node, a: Box) -> Box:
        def root(x: End) -> End:
            exact = _exact_root(x, fmpq(1, 2)) if isinstance(x, fmpq) and x >= 0 else None
            return exact if exact is not None else arb(x).sqrt()

        def image(cell: tuple[End, End]) -> Cell:
            if cell[1] < 0:
                return None
            high = root(cell[1]) if cell[1] >= 0 else arb(0, abs(cell[1]).upper()).sqrt()
            if cell[0] is cell[1]:
                return _sound(high, high)
            return _sound(root(cell[0]) if cell[0] > 0 else _ZERO, high)

        return _each(a, image)

    def ball(self, a: Box, function: Callable[[arb], arb], at_zero: fmpq) -> Box:
        """A function that rises and falls, on the whole interval at once."""

        def whole(cell: tuple[End, End]) -> Cell:
            if cell[0] is cell[1] and cell[0] == 0:
                return point(at_zero)
            image = function(arb(cell[0]).union(arb(cell[1])))
            return _sound(image.lower(), image.upper())

        return _each(a, whole)

    def _sin(self, node: Node, a: Box) -> Box:
        return self.ball(a, arb.sin, _ZERO)

    def _cos(self, node: Node, a: Box) -> Box:
        return self.ball(a, arb.cos, _ONE)

    def saturating(self, a: Box, function: Callable[[arb], arb]) -> Box:
        return self.rising(a, lambda x: fmpq(1 if x > 0 else -1) if is_infinite(x) else _ZERO if x == 0 else function(arb(x)))

    def _tanh(self, node: Node, a: Box) -> Box:
        return self.saturating(a, arb.tanh)

    def _erf(self, node: Node, a: Box) -> Box:
        return self.saturating(a, arb.erf)

    def _abs(self, node: Node, a: Box) -> Box:
        return _each(a, _magnitude)

    def _floor(self, node: Node, a: Box) -> Box:
        return _each(a, lambda cell: (_floor_of(cell[0], down=True), _floor_of(cell[1], down=False)))

    def _round(self, node: Node, a: Box) -> Box:
        unit = 1 / fmpq(power_of_ten(node.params[0]))
        slack = unit if node.params[1] == "truncate" else unit / 2
        return _each(a, lambda cell: cell if is_infinite(cell[0]) else (cell[0] - slack, cell[1] + slack))

    def _maximum(self, node: Node, a: Box, b: Box) -> Box:
        return self.pairs(node, a, b, lambda x, y: (_most((x[0], y[0])), _most((x[1], y[1]))))

    # -- rows and matrices ---------------------------------------------------------------------------------------------

    def _matmul(self, node: Node, a: Box, b: Box) -> Box:
        columns = [list(column) for column in zip(*b, strict=True)]
        return [[dot(row, column, self.working) for column in columns] for row in a]

    def _transpose(self, node: Node, a: Box) -> Box:
        return [list(column) for column in zip(*a, strict=True)]

    def _take(self, node: Node, a: Box) -> Box:
        rows = node.params[0] or range(len(a))
        columns = node.params[1] or range(len(a[0]))
        return [[a[i][j] for j in columns] for i in rows]

    def _matrix(self, node: Node, *parts: Box) -> Box:
        flat = [p[0][0] for p in parts]
        m = node.shape[1]
        return [flat[k : k + m] for k in range(0, len(flat), m)]

    def _hstack(self, node: Node, *parts: Box) -> Box:
        return [[cell for part in parts for cell in part[i]] for i in range(node.shape[0])]

    def _vstack(self, node: Node, *parts: Box) -> Box:
        return [row for part in parts for row in part]

    def _row_sum(self, node: Node, a: Box) -> Box:
        return [[_total(row)] for row in a]

    def _row_max(self, node: Node, a: Box) -> Box:
        return [[None if None in row else (_most([c[0] for c in row if c]), _most([c[1] for c in row if c]))] for row in a]

    def _softmax(self, node: Node, a: Box) -> Box:
        axis, empty = node.params
        if axis == "all":
            m = len(a[0])
            flat = self.weights([cell for row in a for cell in row], empty)
            return [flat[k : k + m] for k in range(0, len(flat), m)]
        return [self.weights(row, empty) for row in a]

    def weights(self, row: list[Cell], empty: str) -> list[Cell]:
        """e^x/Σe^x: largest where its own score is high and all others low. Each exponential may be off by a share of itself."""
        seen = [cell for cell in row if cell is None or not (is_infinite(cell[0]) and is_infinite(cell[1]))]
        if not seen:
            return [point(fmpq(1, len(row)) if empty == "uniform" else _ZERO) if empty != "error" else None for _ in row]
        if any(cell is None or is_infinite(cell[0]) for cell in seen):
            return [(_ZERO, _ONE) if cell is None or not is_infinite(cell[1]) else point(_ZERO) for cell in row]
        equal = all(c is not None and c[0] is c[1] and isinstance(c[0], fmpq) and c[0] == seen[0][0] for c in seen)  # type: ignore[index]
        if len(seen) == 1 or equal and self.working.habit == "full":
            return [point(_ZERO) if cell is not None and is_infinite(cell[1]) else point(fmpq(1, len(seen))) for cell in row]
        top = _most([c[1] for c in seen if c])
        least = [arb(c[0] - top).exp() for c in seen if c]
        most = [_ONE if c[1] is top else arb(c[1] - top).exp() for c in seen if c]
        shares = self.shares(seen, least, most, top)
        either_way = self.working.habit in ("round", "any")  # a cut one is off only downwards
        under = [1 - s for s in shares]
        over = [1 + s if either_way else _ONE for s in shares]
        low = [x * s for x, s in zip(least, under, strict=True)]
        high = [x * s for x, s in zip(most, over, strict=True)]
        all_low, all_high = sum(low[1:], low[0]), sum(high[1:], high[0])
        of_sum = self.working.share(all_low, all_high) if self.working.shifted or self.working.habit == "any" else _ZERO
        if not self.working.shifted:
            scale = arb(top).exp()
            of_sum = _most((of_sum, self.working.share(all_low * scale, all_high * scale)))
        found = []
        for x, y in zip(low, high, strict=True):
            rest_high, rest_low = all_high - y, all_low - x
            least_weight = x / ((x + rest_high) * (1 + of_sum if either_way else _ONE)) if x else _ZERO
            below = (y + rest_low) * (1 - of_sum)
            found.append((least_weight, _least((y / below, 1 + of_sum)) if below > 0 else _ONE))
        each = iter(found)
        return [point(_ZERO) if cell is not None and is_infinite(cell[1]) else next(each) for cell in row]

    def shares(self, seen: list[Cell], least: list[End], most: list[End], top: End) -> list[End]:
        """How far each exponential may be off: as it is, or with the largest score subtracted, which makes that one exactly 1."""
        working = self.working
        shares: list[End] = [_ZERO] * len(seen)
        if working.habit == "full":
            return shares
        if working.shifted or working.habit == "any":
            drift = arb(top - _most([c[0] for c in seen if c])).exp()  # the largest score may lie below its upper end
            alone = sum(1 for c in seen if c and not c[1] < top) == 1
            exact = [alone and c is not None and c[1] is top for c in seen]
            shares = [_ZERO if one else working.share(x, y * drift) for one, x, y in zip(exact, least, most, strict=True)]
        if not working.shifted:
            raw = [working.share(arb(c[0]).exp(), arb(c[1]).exp()) for c in seen if c]
            shares = [_most(pair) for pair in zip(shares, raw, strict=True)]
        return shares

    def _keep(self, node: Node, a: Box, mask: Box, fill: Box) -> Box:
        other = fill[0][0]
        rows, columns = len(mask) > 1, len(mask[0]) > 1

        def choose(cell: Cell, kept: Cell) -> Cell:
            if kept is None or (not kept[0] > 0 and not kept[1] < 0 and kept[0] is not kept[1]):
                return hull(cell, other)
            return other if kept[0] == 0 else cell

        return [[choose(cell, mask[i if rows else 0][j if columns else 0]) for j, cell in enumerate(row)] for i, row in enumerate(a)]

    # -- choices ---------------------------------------------------------------------------------------------------------

    def _one_hot(self, node: Node, ids: Box) -> Box:
        classes, ignore = node.params
        result: Box = []
        for cell in (cell for row in ids for cell in row):
            if cell is None or cell[0] is not cell[1] or not isinstance(cell[0], fmpq):
                result.append([(_ZERO, _ONE)] * classes)
            else:
                chosen = cell[0] if ignore is None or cell[0] != ignore else None
                result.append([point(_ONE if chosen is not None and chosen == c else _ZERO) for c in range(classes)])
        return result

    def _top_k(self, node: Node, a: Box) -> Box:
        return [[_rank(row, j, node.params[0]) for j in range(len(row))] for row in a]

    def _top_p(self, node: Node, a: Box, p: Box) -> Box:
        return [[_reach(row, j, p[0][0]) for j in range(len(row))] for row in a]

    def _argmax_rows(self, node: Node, a: Box) -> Box:
        result: Box = []
        for row in a:
            chosen = [j for j in range(len(row)) if _rank(row, j, 1) != point(_ZERO)]
            result.append([(fmpq(chosen[0]), fmpq(chosen[-1])) if len(chosen) > 1 else point(fmpq(chosen[0]))])
        return result

    def _sort_rows(self, node: Node, a: Box) -> Box:
        result: Box = []
        for row in a:
            if None in row:
                result.append([None] * len(row))
                continue
            lows = _falling([c[0] for c in row if c])
            highs = _falling([c[1] for c in row if c])
            result.append(list(zip(lows, highs, strict=True)))
        return result


def _each(a: Box, function: Callable[[tuple[End, End]], Cell]) -> Box:
    return [[None if cell is None else function(cell) for cell in row] for row in a]


def _same(x: End) -> Cell:
    return None if isinstance(x, arb) and x.is_nan() else (x, x)


def _sound(low: End, high: End) -> Cell:
    """The interval, or None where arithmetic on infinities has left no bound."""
    if isinstance(low, arb) and low.is_nan() or isinstance(high, arb) and high.is_nan():
        return None
    return low, high


def _least(ends: Sequence[End]) -> End:
    best = ends[0]
    for x in ends[1:]:
        if x <= best:
            best = x
        elif not best <= x:
            best = arb(best).min(arb(x))
    return best


def _most(ends: Sequence[End]) -> End:
    best = ends[0]
    for x in ends[1:]:
        if x >= best:
            best = x
        elif not best >= x:
            best = arb(best).max(arb(x))
    return best


def _negative(x: tuple[End, End]) -> tuple[End, End]:
    high = -x[0]
    return (high, high) if x[0] is x[1] else (-x[1], high)


def _sum(x: tuple[End, End], y: tuple[End, End]) -> Cell:
    low = x[0] + y[0]
    return _sound(low, low if x[0] is x[1] and y[0] is y[1] else x[1] + y[1])


def _product(x: tuple[End, End], y: tuple[End, End]) -> Cell:
    if x[0] is x[1]:
        x, y = y, x
    if y[0] is y[1]:
        c = y[0]
        if x[0] is x[1]:
            return _same(x[0] * c)
        if c == 0:
            return point(_ZERO) if not is_infinite(x[0]) and not is_infinite(x[1]) else None
        return _sound(x[0] * c, x[1] * c) if c > 0 else _sound(x[1] * c, x[0] * c)
    if x[0] >= 0 and y[0] >= 0:
        return _sound(x[0] * y[0], x[1] * y[1])
    corners = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    if any(isinstance(c, arb) and c.is_nan() for c in corners):
        return None
    return _least(corners), _most(corners)


def _quotient(x: tuple[End, End], y: tuple[End, End]) -> Cell:
    if not (y[0] > 0 or y[1] < 0):
        return None
    if y[0] is y[1]:
        if x[0] is x[1]:
            return _same(x[0] / y[0])
        return _sound(x[0] / y[0], x[1] / y[0]) if y[0] > 0 else _sound(x[1] / y[0], x[0] / y[0])
    return _product(x, (1 / y[1], 1 / y[0]))


def _magnitude(cell: tuple[End, End]) -> Cell:
    low, high = cell
    if low >= 0:
        return cell
    if high <= 0:
        return _negative(cell)
    return _ZERO, _most((-low, high))


def _power(x: tuple[End, End], y: tuple[End, End]) -> Cell:
    if y[0] is y[1] and isinstance(y[0], fmpq):
        exponent = y[0]
        if exponent.denominator == 1:
            n = int(exponent.numerator)
            if n < 0:
                below = _power(x, (-exponent, -exponent))
                return None if below is None else _quotient((_ONE, _ONE), below)
            base = _magnitude(x) if n % 2 == 0 else x
            if base is None or abs(n) > 1_000:
                return None
            low = base[0] ** n
            return (low, low) if base[0] is base[1] else _sound(low, base[1] ** n)
        if not x[0] >= 0:
            return None
        if exponent < 0 and not x[0] > 0:
            return None

        def raised(base: End) -> End:
            if base == 0:
                return _ZERO
            exact = _exact_root(base, exponent) if isinstance(base, fmpq) else None
            return exact if exact is not None else arb(base) ** arb(exponent)

        ends = (raised(x[0]), raised(x[1])) if x[0] is not x[1] else (raised(x[0]),) * 2
        return ends if exponent > 0 else (ends[1], ends[0])
    if not x[0] > 0:
        return None
    corners = [arb(a) ** arb(b) for a in x for b in y]
    return _least(corners), _most(corners)


def _floor_of(x: End, down: bool) -> End:
    if isinstance(x, fmpq):
        return fmpq(x.floor())
    ball = x.floor()
    return ball.lower() if down else ball.upper()


def dot(row: Sequence[Cell], column: Sequence[Cell], working: Working = FULL) -> Cell:
    """A row times a column, the products added up."""
    low: End = _ZERO
    high: End = _ZERO
    same = True
    for x, y in zip(row, column, strict=True):
        if x is None or y is None:
            return None
        if x[0] is x[1] and y[0] is y[1]:
            term: Cell = point(x[0] * y[0])
        else:
            term = _product(x, y)
        if working.products:
            term = working.kept(term)
        if term is None:
            return None
        same = same and term[0] is term[1]
        low = low + term[0]
        high = low if same else high + term[1]
    return _sound(low, high)


def _total(row: list[Cell]) -> Cell:
    low: End = _ZERO
    high: End = _ZERO
    same = True
    for cell in row:
        if cell is None:
            return None
        same = same and cell[0] is cell[1]
        low = low + cell[0]
        high = low if same else high + cell[1]
    return _sound(low, high)


def _to_decimals(cell: Cell, digits: int) -> Cell:
    """The decimal that a constant is rounded to."""
    if cell is None or is_infinite(cell[0]):
        return cell
    n = of_rational(cell[0], digits, "half_up") if isinstance(cell[0], fmpq) else of_ball(cell[0], digits, "half_up")
    return cell if n is None else point(fmpq(n) / power_of_ten(digits))


def _rank(row: list[Cell], j: int, k: int) -> Cell:
    """1 where entry j is surely among the k largest, 0 where it surely is not; of equals the first comes first."""
    own = row[j]
    if own is None or None in row:
        return _ZERO, _ONE
    others = [(i, c) for i, c in enumerate(row) if c and i != j]
    above = sum(1 for i, c in others if c[0] > own[1] or i < j and _equal(c, own))
    maybe = sum(1 for i, c in others if not (c[1] < own[0] or i > j and _equal(c, own)))
    return point(_ZERO) if above >= k else point(_ONE) if maybe < k else (_ZERO, _ONE)


def _equal(x: tuple[End, End], y: tuple[End, End]) -> bool:
    return x[0] is x[1] and y[0] is y[1] and bool(x[0] == y[0])


def _reach(row: list[Cell], j: int, p: Cell) -> Cell:
    """1 where the larger entries before j surely stay below p, 0 where they surely reach it."""
    own = row[j]
    if own is None or p is None or None in row:
        return _ZERO, _ONE
    sure = sum((c[0] for i, c in enumerate(row) if c and i != j and c[0] > own[1]), _ZERO)
    maybe = sum((c[1] for i, c in enumerate(row) if c and i != j and not c[1] < own[0]), _ZERO)
    return point(_ZERO) if sure >= p[1] else point(_ONE) if maybe < p[0] else (_ZERO, _ONE)


def _falling(ends: list[End]) -> list[End]:
    left = list(ends)
    found = []
    while left:
        best = _most(left)
        at = next((i for i, x in enumerate(left) if x is best), max(range(len(left)), key=lambda i: float(left[i])))
        found.append(best)
        left.pop(at)
    return found


def constant(tree: Tree) -> End:
    """The value of a formula without names: an exact fraction or a thin ball."""

    def nothing(name: str, at: int) -> Node:
        raise FormulaError(f"{name} is not a number", at)

    cell = evaluate(check(tree, nothing), lambda key: [])[0][0]
    if cell is None:
        return arb.nan()
    return cell[0] if cell[0] is cell[1] else arb(cell[0]).union(arb(cell[1]))
