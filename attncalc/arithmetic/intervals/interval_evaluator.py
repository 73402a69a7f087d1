"""Interval arithmetic on whole matrices: [low, high] encloses each value that a student's calculation can give.

A value is uncertain for two reasons:

- The calculation started from rounded numbers. Each of them becomes an interval around the written number.
- Intermediate values were rounded, but not written down: exponentials, sums, means, constants. `IntermediateRounding`
  bounds their errors.

Every operation returns an enclosure of all values that it has on numbers of its boxes. Ends are exact fractions if
possible, otherwise thin balls. An entry without a bound is None, and −∞ is the symbol (−∞, −∞).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce

from flint import arb, fmpq, fmpq_mat

from ...formula import operations as op
from ...formula.operations import needed
from ...formula.typed_formula import Node
from .. import budget
from ..matrix_types import MINUS_INFINITY, from_literal, is_infinite, longest_exact
from .intermediate_rounding import FULL, FloatFormat, IntermediateRounding, dot, to_decimals
from .scalar import (
    HIDDEN,
    ONE,
    ZERO,
    Box,
    End,
    Interval,
    add,
    excludes_zero,
    floor_of,
    from_matrix,
    has_no_zero,
    hull,
    least,
    magnitude,
    make_interval,
    most,
    negative,
    point,
    power,
    product,
    quotient,
    shorten_ends,
    total,
)


def weights(row: list[Interval], empty: str, working: IntermediateRounding) -> list[Interval]:
    """Return enclosures of e^x/Σe^x. Each exponential may have the rounding error of `working`.

    A weight is largest if its score is high and all other scores are low.
    """
    if working is FULL and (shares := _point_weights(row)):
        return shares
    hidden = [_hidden(cell) for cell in row]
    seen = [cell for cell, gone in zip(row, hidden, strict=True) if not gone] if any(hidden) else row
    if not seen:
        return [point(fmpq(1, len(row)) if empty == "uniform" else ZERO) if empty != "error" else None for _ in row]
    if any(cell is None or is_infinite(cell[0]) or is_infinite(cell[1]) for cell in seen):
        return [point(ZERO) if gone else (ZERO, ONE) for gone in hidden]
    ends = [cell for cell in seen if cell is not None]
    equal = all(low is high and isinstance(low, fmpq) and low == ends[0][0] for low, high in ends)
    if len(seen) == 1 or equal and working.habit == "full":
        return [point(ZERO) if gone else point(fmpq(1, len(seen))) for gone in hidden]
    top = most([c[1] for c in seen if c])
    small = [arb(c[0] - top).exp() for c in seen if c]
    large = [ONE if c[1] is top else arb(c[1] - top).exp() for c in seen if c]
    calculations = _exponentials(seen, small, large, top, working)
    factors = [[working.factors(*cell) for cell in cells] for cells in calculations]
    low = [x * least([under for under, _ in each]) for x, *each in zip(small, *factors, strict=True)]
    high = [y * most([over for _, over in each]) for y, *each in zip(large, *factors, strict=True)]
    all_low, all_high = sum(low[1:], low[0]), sum(high[1:], high[0])
    kept = [total([working.keep(cell) for cell in cells]) for cells in calculations]
    sums = [working.factors(*cell) if cell and cell[1] > 0 else (ZERO, ONE) for cell in kept]  # or all are 0
    sum_under, sum_over = least([under for under, _ in sums]), most([over for _, over in sums])
    shares = []
    for x, y in zip(low, high, strict=True):
        rest_high, rest_low = all_high - y, all_low - x
        above, below = (x + rest_high) * sum_over, (y + rest_low) * sum_under
        shares.append((x / above if above > 0 else ZERO, least((y / below, 1 / sum_under)) if below > 0 else ONE))
    each = iter(shares)
    return [point(ZERO) if gone else next(each) for gone in hidden]


def _point_weights(row: list[Interval]) -> list[Interval]:
    """Return the weights of a row of exact scores, some of which may be masked.

    Returns an empty list for other rows, for fewer than two scores, and for equal scores.
    """
    seen: list[End] = []
    for cell in row:
        if cell is None or cell[0] is not cell[1] and not _hidden(cell):
            return []
        if type(cell[1]) is not arb or cell[1].is_finite():
            seen.append(cell[1])
        elif not _hidden(cell):
            return []
    if len(seen) < 2 or all(type(x) is fmpq and x == seen[0] for x in seen):
        return []
    top = most(seen)
    shares = [ONE if x is top else arb(x - top).exp() for x in seen]
    whole = sum(shares[1:], shares[0])
    if len(shares) == len(row):
        return [point(x / whole) for x in shares]
    each = iter(shares)
    return [point(ZERO) if _hidden(cell) else point(next(each) / whole) for cell in row]


def _exponentials(
    seen: list[Interval], small: list[End], large: list[End], top: End, working: IntermediateRounding
) -> list[list[tuple[End, End]]]:
    """Return the exponentials before they are rounded, by each possible calculation.

    Two calculations are possible: the exponential of a score, and the exponential of a score minus the largest score.
    In the second, the exponential of the largest score is exactly 1.
    """
    calculations: list[list[tuple[End, End]]] = []
    if working.shifted or working.habit == "any":
        drift = arb(top - most([c[0] for c in seen if c])).exp()  # the largest score may be smaller than `top`
        exact = [
            all(i == j or c and other and other[1] <= c[0] for j, other in enumerate(seen)) for i, c in enumerate(seen)
        ]
        calculations.append(
            [(ONE, ONE) if is_exact else (x, y * drift) for is_exact, x, y in zip(exact, small, large, strict=True)]
        )
    if not working.shifted:
        calculations.append([(arb(c[0]).exp(), arb(c[1]).exp()) for c in seen if c])
    return calculations


def _hidden(cell: Interval) -> bool:
    """Return whether a score is certainly −∞."""
    return cell is not None and isinstance(cell[1], arb) and bool(cell[1] == MINUS_INFINITY)


def is_arrangement(node: Node) -> bool:
    """Return whether an operation only selects or arranges existing numbers."""
    return node.arranges or isinstance(node, op.Mul) and any(isinstance(a, op.OneHot) for a in node.args)


def with_float_error(program: FloatFormat, node: Node, arguments: list[Box], box: Box) -> Box:
    """Widen a box by the rounding errors of a program.

    - A sum of n terms has n errors, each relative to the sum of the terms' absolute values.
    - A softmax has the absolute error of x − max, which is a relative error of the exponential, and the errors of the
      sum and the quotient.
    - If the largest score is not subtracted, the exponentials of low scores underflow.
    """
    match node:
        case _ if not node.roundings:
            return box
        case op.MatMul() | op.RowSum():
            left = [[_size(cell) for cell in row] for row in arguments[0]]
            right = (
                [[_size(cell) for cell in row] for row in arguments[1]]
                if isinstance(node, op.MatMul)
                else [[point(ONE)]] * len(left[0])
            )
            columns = list(zip(*right, strict=True))
            sizes = [[dot(row, column) for column in columns] for row in left]
            times = fmpq(len(left[0]))
            return [
                [size and program.with_error(c, times, size[1]) for c, size in zip(*two, strict=True)]
                for two in zip(box, sizes, strict=True)
            ]
        case op.Softmax():
            ends = [
                abs(end)
                for row in arguments[0]
                for cell in row
                if cell is not None
                for end in cell
                if not is_infinite(end)
            ]
            times = 2 * (op.LIBRARY_ROUNDINGS + 2 * most(ends or [ZERO])) + len(arguments[0][0]) * len(arguments[0]) + 1
            return [
                [_widen(program.with_error(cell, times), lost) for cell in row]
                for row, lost in zip(box, _underflow(program, node, arguments[0]), strict=True)
            ]
        case op.Add() | op.Sub() | op.Mul() if all(
            _is_representable(program, cell) for rows in arguments for row in rows for cell in row
        ):
            # an exact result has no error: 1 − mask is 0 and 1
            return [
                [cell if _is_representable(program, cell) else program.with_error(cell) for cell in row] for row in box
            ]
    times = fmpq(node.roundings)
    return [[program.with_error(cell, times) for cell in row] for row in box]


def _is_representable(program: FloatFormat, cell: Interval) -> bool:
    """Return whether a cell is a single number that the float format stores exactly."""
    return cell is not None and program.holds(cell[0]) and bool(cell[0] == cell[1])


def _underflow(program: FloatFormat, node: op.Softmax, scores: Box) -> list[End]:
    """Return, for each row, a bound on the error of its weights that underflow of e^x causes."""
    lines = [[cell for row in scores for cell in row]] * len(scores) if node.axis == "all" else scores
    return [
        _underflow_bound(program, [cell[0] for cell in line if cell is not None and not is_infinite(cell[0])])
        for line in lines
    ]


def _underflow_bound(program: FloatFormat, ends: list[End]) -> End:
    top = most(ends) if ends else ZERO
    return least((2 * len(ends) * program.smallest * arb(-top).exp(), ONE)) if top < 0 else ZERO


def _widen(cell: Interval, by: End) -> Interval:
    return None if cell is None else (cell[0] - by, cell[1] + by)


def _size(cell: Interval) -> Interval:
    return None if cell is None else point(most((abs(cell[0]), abs(cell[1]))))


def _saturating(function: Callable[[arb], arb]) -> Callable[[End], End]:
    return lambda x: fmpq(1 if x > 0 else -1) if is_infinite(x) else ZERO if x == 0 else function(arb(x))


SMALL = 1_000  # entries
LONGEST_WIDE = 512  # bits of a fraction at an end of an interval; no printed number is longer
DIVISOR_DIGITS = 12  # additional digits that are tried for a divisor that may be rounded to 0
_PAIRS: dict[type[Node], Callable[[tuple[End, End], tuple[End, End]], Interval]] = {
    op.Add: add,
    op.Sub: lambda x, y: add(x, negative(y)),
    op.Mul: product,
    op.Div: quotient,
    op.Pow: power,
    op.Maximum: lambda x, y: (most((x[0], y[0])), most((x[1], y[1]))),
}
_MONOTONE: dict[type[Node], Callable[[End], End]] = {
    op.Exp: lambda x: ZERO if x == MINUS_INFINITY else ONE if x == 0 else arb(x).exp(),
    op.Tanh: _saturating(arb.tanh),
    op.Erf: _saturating(arb.erf),
}
_PERIODIC: dict[type[Node], tuple[Callable[[arb], arb], fmpq]] = {op.Sin: (arb.sin, ZERO), op.Cos: (arb.cos, ONE)}


def evaluate(node: Node, values: Callable[[str], Box], working: IntermediateRounding = FULL) -> Box:
    """Return the enclosure of a formula with checked shapes; `values` gives the boxes of its names."""
    return _Run(values, working).result(node)


class _Run(op.StructuralOperations[Interval]):
    def __init__(self, values: Callable[[str], Box], working: IntermediateRounding):
        self.values = values
        self.working = working
        self.shared: dict[int, Box] = {}

    def result(self, node: Node) -> Box:
        """Return the value of a line that a student writes, before it is rounded."""
        if isinstance(node, op.Ref):
            return self._ref(node)
        if not node.args:
            if node.size > SMALL:
                budget.spend_intervals(node, True)
            box = _RULES[type(node)](self, node)
            return box if self.working.program is None else self.working.program.store(box)
        values = self.values
        arguments = [values(a.key) if isinstance(a, op.Ref) else self.argument(a) for a in node.args]
        lengths = [_longest(box) for box in arguments]
        most_bits = longest_exact(node)
        for k, a in enumerate(node.args):
            if lengths[k] > most_bits and a.bits > most_bits:
                arguments[k] = _map_entries(arguments[k], lambda cell: shorten_ends(cell, most_bits))
                lengths[k] = _longest(arguments[k])
        working = self.working
        if isinstance(node, op.Div) and working.habit != "full":
            arguments[1] = self.divisor(node.args[1], arguments[1])
            lengths[1] = _longest(arguments[1])
        if max(lengths) > LONGEST_WIDE:
            arguments = [_map_entries(box, _shortened) for box in arguments]
            lengths = [_longest(box) for box in arguments]
        is_rounded = working.habit != "full" or working.exactly
        are_points = isinstance(node, op.MatMul) and all(map(_seems_exact, arguments))
        budget.spend_intervals(node, are_points, is_rounded, working.products, max(lengths))
        box = _RULES[type(node)](self, node, *arguments)
        return box if working.program is None else with_float_error(working.program, node, arguments, box)

    def argument(self, node: Node) -> Box:
        """Return an intermediate value with the rounding of `working`."""
        if node.shared and id(node) in self.shared:
            return self.shared[id(node)]
        box = self.result(node)
        working = self.working
        if working.constants is not None and node.size == 1 and not needed(node):
            return [[to_decimals(box[0][0], working.constants)]]
        if working.habit != "full" and not is_arrangement(node):
            box = [[working.keep(cell) for cell in row] for row in box]
        if node.shared:
            self.shared[id(node)] = box
        return box

    def divisor(self, node: Node, box: Box) -> Box:
        """Return the divisor of a quotient. An entry that is 0 only after rounding is rounded to more digits, because
        nobody divides by this 0.
        """
        working = self.working
        if has_no_zero(box) or not has_no_zero(_Run(self.values, FULL).argument(node)):
            return box
        if working.habit == "any":
            runs = [_Run(self.values, working._replace(habit=habit)) for habit in ("round", "cut", "floor")]
            boxes = [run.divisor(node, run.argument(node)) for run in runs]
            return [[reduce(hull, cells) for cells in zip(*rows, strict=True)] for rows in zip(*boxes, strict=True)]
        for digits in range(working.digits + 1, working.digits + DIVISOR_DIGITS + 1):
            finer = _Run(self.values, working._replace(digits=digits)).argument(node)
            box = [
                [x if excludes_zero(x) else y for x, y in zip(*rows, strict=True)]
                for rows in zip(box, finer, strict=True)
            ]
            if has_no_zero(box):
                break
        return box

    # -- entry by entry ---------------------------------------------------------------------------------------------

    def _monotone(self, node: Node, a: Box) -> Box:
        function = _MONOTONE[type(node)]

        def image(cell: tuple[End, End]) -> Interval:
            low = function(cell[0])
            return make_interval(low, low if cell[0] is cell[1] else function(cell[1]))

        return _map_entries(a, image)

    _exp = _tanh = _erf = _monotone

    def _pair(self, node: Node, a: Box, b: Box) -> Box:
        function, (n, m) = _PAIRS[type(node)], node.shape
        rows_a, rows_b, columns_a, columns_b = len(a) > 1, len(b) > 1, len(a[0]) > 1, len(b[0]) > 1
        result: Box = []
        for i in range(n):
            left, right = a[i if rows_a else 0], b[i if rows_b else 0]
            line: list[Interval] = []
            for j in range(m):
                x, y = left[j if columns_a else 0], right[j if columns_b else 0]
                line.append(None if x is None or y is None else function(x, y))
            result.append(line)
        return result

    _add = _sub = _mul = _div = _pow = _maximum = _pair

    def _ref(self, node: op.Ref) -> Box:
        return self.values(node.key)

    def _literal(self, node: op.Literal) -> Box:
        return _literal(node)

    def _pi(self, node: op.Pi) -> Box:
        return [[point(arb.pi())]]

    def _neg(self, node: op.Neg, a: Box) -> Box:
        return _map_entries(a, negative)

    def _log(self, node: op.Log, a: Box) -> Box:
        def logarithm(cell: tuple[End, End]) -> Interval:
            if not cell[1] > 0:
                return HIDDEN if cell[1] == 0 else None
            low = (ZERO if cell[0] == 1 else arb(cell[0]).log()) if cell[0] > 0 else MINUS_INFINITY
            return low, (ZERO if cell[1] == 1 else arb(cell[1]).log())

        return _map_entries(a, logarithm)

    def _sqrt(self, node: op.Sqrt, a: Box) -> Box:
        def root(x: End) -> End:
            exact = budget.square_root(x) if isinstance(x, fmpq) and x >= 0 else None
            return exact if exact is not None else arb(x).sqrt()

        def image(cell: tuple[End, End]) -> Interval:
            if cell[1] < 0:
                return None
            if cell[0] is cell[1] and cell[0] >= 0:
                value = root(cell[0])
                return make_interval(value, value)
            high = root(cell[1]) if cell[1] >= 0 else arb(cell[1]).abs_upper().sqrt()
            return make_interval(root(cell[0]) if cell[0] > 0 else ZERO, high)

        return _map_entries(a, image)

    def _periodic(self, node: Node, a: Box) -> Box:
        """Apply a function that is not monotone to a ball that contains the interval."""
        function, at_zero = _PERIODIC[type(node)]

        def enclosure(cell: tuple[End, End]) -> Interval:
            if cell[0] is cell[1] and cell[0] == 0:
                return point(at_zero)
            image = function(arb(cell[0]).union(arb(cell[1])))
            return make_interval(image.lower(), image.upper())

        return _map_entries(a, enclosure)

    _sin = _cos = _periodic

    def _abs(self, node: op.Abs, a: Box) -> Box:
        return _map_entries(a, magnitude)

    def _floor(self, node: op.Floor, a: Box) -> Box:
        return _map_entries(a, lambda cell: (floor_of(cell[0], down=True), floor_of(cell[1], down=False)))

    def _round(self, node: op.Round, a: Box) -> Box:
        return _map_entries(a, lambda cell: to_decimals(cell, node.digits, node.mode))

    # -- rows and matrices ---------------------------------------------------------------------------------------------

    def _matmul(self, node: op.MatMul, a: Box, b: Box) -> Box:
        if isinstance(node.args[0], op.OneHot):
            return [_lookup_row(row, b) for row in a]
        if not self.working.products and (exact := _points(a)) and (others := _points(b)):
            return from_matrix(fmpq_mat(exact) * fmpq_mat(others))  # the same, only faster
        columns = [list(column) for column in zip(*b, strict=True)]
        return [[dot(row, column, self.working) for column in columns] for row in a]

    def _row_sum(self, node: op.RowSum, a: Box) -> Box:
        return [[total(row)] for row in a]

    def _row_max(self, node: op.RowMax, a: Box) -> Box:
        return [
            [None if None in row else (most([c[0] for c in row if c]), most([c[1] for c in row if c]))] for row in a
        ]

    def _softmax(self, node: op.Softmax, a: Box) -> Box:
        if node.axis == "all":
            m = len(a[0])
            flat = weights([cell for row in a for cell in row], node.empty, self.working)
            return [flat[k : k + m] for k in range(0, len(flat), m)]
        return [weights(row, node.empty, self.working) for row in a]

    def _keep(self, node: op.Keep, a: Box, mask: Box, fill: Box) -> Box:
        other = fill[0][0]
        rows, columns = len(mask) > 1, len(mask[0]) > 1

        def choose(cell: Interval, kept: Interval) -> Interval:
            if excludes_zero(kept):
                return cell
            return other if kept is not None and kept[0] == kept[1] == 0 else hull(cell, other)

        return [
            [choose(cell, mask[i if rows else 0][j if columns else 0]) for j, cell in enumerate(row)]
            for i, row in enumerate(a)
        ]

    # -- choices -------------------------------------------------------------------------------------------------------

    def _one_hot(self, node: op.OneHot, ids: Box) -> Box:
        classes, ignore = node.classes, node.ignore
        result: Box = []
        for cell in (cell for row in ids for cell in row):
            if cell is None or cell[0] is not cell[1] or not isinstance(cell[0], fmpq):
                result.append([(ZERO, ONE)] * classes)
            else:
                chosen = cell[0] if ignore is None or cell[0] != ignore else None
                result.append([point(ONE if chosen is not None and chosen == c else ZERO) for c in range(classes)])
        return result

    def _top_k(self, node: op.TopK, a: Box) -> Box:
        return [[top_k_indicator(row, j, node.k, in_order=False) for j in range(len(row))] for row in a]

    def _top_p(self, node: op.TopP, a: Box, p: Box) -> Box:
        return [[top_p_indicator(row, j, p[0][0]) for j in range(len(row))] for row in a]

    def _argmax_rows(self, node: op.ArgmaxRows, a: Box) -> Box:
        result: Box = []
        for row in a:
            chosen = argmax_candidates(row)
            result.append([(fmpq(chosen[0]), fmpq(chosen[-1])) if len(chosen) > 1 else point(fmpq(chosen[0]))])
        return result

    def _order_rows(self, node: op.OrderRows, a: Box) -> Box:
        """Return an interval for each position: from the first to the last column that may have this position."""
        result: Box = []
        for row in a:
            line: list[Interval] = []
            for rank in range(node.k):
                within = (j for j in range(len(row)) if top_k_indicator(row, j, rank + 1) != point(ZERO))
                chosen = [node.place(j) for j in within if not rank or top_k_indicator(row, j, rank) != point(ONE)]
                first, last = min(chosen), max(chosen)
                line.append((fmpq(first), fmpq(last)) if first < last else point(fmpq(first)))
            result.append(line)
        return result

    def _sort_rows(self, node: op.SortRows, a: Box) -> Box:
        result: Box = []
        for row in a:
            if None in row:
                result.append([None] * len(row))
                continue
            lows = sort_descending([c[0] for c in row if c])
            highs = sort_descending([c[1] for c in row if c])
            result.append(list(zip(lows, highs, strict=True)))
        return result


_RULES = op.rules(_Run)


def _literal(node: op.Literal) -> Box:
    """Return the numbers of a literal as a box. The boxes of small literals are cached."""
    if node.size == 1:
        return _number(node)
    return _small_literal(node) if node.size <= SMALL else from_matrix(from_literal(node.entries))


@lru_cache(maxsize=2_000)
def _number(node: op.Literal) -> Box:
    return from_matrix(from_literal(node.entries))


@lru_cache(maxsize=200)
def _small_literal(node: op.Literal) -> Box:
    return from_matrix(from_literal(node.entries))


def _map_entries(a: Box, function: Callable[[tuple[End, End]], Interval]) -> Box:
    return [[None if cell is None else function(cell) for cell in row] for row in a]


def _seems_exact(a: Box) -> bool:
    """Return whether the first and the last entry are points. Then most other entries are points too."""
    return all(cell is None or cell[0] is cell[1] for cell in (a[0][0], a[-1][-1]))


def _shortened(cell: tuple[End, End]) -> Interval:
    """Replace long fractions at the ends of an interval by balls. A point remains exact, because it may be a tie."""
    return cell if cell[0] is cell[1] else shorten_ends(cell, LONGEST_WIDE)


def _longest(a: Box) -> int:
    """Return the length of the longest fraction in bits."""
    longest = 0
    for row in a:
        for cell in row:
            if cell is not None:
                low, high = cell
                if type(low) is fmpq:
                    longest = max(longest, low.height_bits())
                if high is not low and type(high) is fmpq:
                    longest = max(longest, high.height_bits())
    return longest


def _points(a: Box) -> list[list[fmpq]] | None:
    """Return the entries of a box of exact points; None for other boxes."""
    rows = [
        [cell[0] for cell in row if cell is not None and cell[0] is cell[1] and isinstance(cell[0], fmpq)] for row in a
    ]
    return rows if all(len(row) == len(a[0]) for row in rows) else None


def _lookup_row(one_hot: list[Interval], b: Box) -> list[Interval]:
    """Return the row of b that a row of `one_hot` selects, or zeros for an ignored id. This avoids 0 · (−∞) in other
    rows.
    """
    if point(ONE) in one_hot:
        return b[one_hot.index(point(ONE))]
    if all(cell == point(ZERO) for cell in one_hot):
        return [point(ZERO)] * len(b[0])
    return [dot(one_hot, column) for column in zip(*b, strict=True)]


# -- ranks of entries --------------------------------------------------------------------------------------------------


def argmax_candidates(row: list[Interval]) -> list[int]:
    """Return the columns that may hold a row's largest entry."""
    return [j for j in range(len(row)) if top_k_indicator(row, j, 1, in_order=False) != point(ZERO)]


def top_k_indicator(row: list[Interval], j: int, k: int, in_order: bool = True) -> Interval:
    """Return 1 if entry j is certainly among the k largest, 0 if it certainly is not, otherwise [0, 1].

    Of equal entries, the first ranks higher. Without `in_order`, each of them may rank higher.
    """
    entry = row[j]
    if entry is None or None in row:
        return ZERO, ONE
    others = [(i, c) for i, c in enumerate(row) if c and i != j]
    above = sum(1 for i, c in others if c[0] > entry[1] or in_order and i < j and _equal(c, entry))
    candidates = sum(1 for i, c in others if not (c[1] < entry[0] or in_order and i > j and _equal(c, entry)))
    return point(ZERO) if above >= k else point(ONE) if candidates < k else (ZERO, ONE)


def _equal(x: tuple[End, End], y: tuple[End, End]) -> bool:
    return x[0] is x[1] and y[0] is y[1] and bool(x[0] == y[0])


def top_p_indicator(row: list[Interval], j: int, p: Interval) -> Interval:
    """Return 1 if the entries that rank before j certainly sum to less than p, 0 if they certainly reach p, otherwise
    [0, 1].
    """
    entry = row[j]
    if entry is None or p is None or None in row:
        return ZERO, ONE
    others = [(i, c) for i, c in enumerate(row) if c and i != j]
    certain = sum((c[0] for i, c in others if c[0] > entry[1] or i < j and _equal(c, entry)), ZERO)
    candidates = sum(
        (most((ZERO, c[1])) for i, c in others if not (c[1] < entry[0] or i > j and _equal(c, entry))), ZERO
    )
    return point(ZERO) if certain >= p[1] else point(ONE) if candidates < p[0] else (ZERO, ONE)


def sort_descending(ends: list[End]) -> list[End]:
    """Sort ends from the largest down. If balls overlap, the results are enclosures: maxima and minima of
    neighbours.
    """
    ordered: list[End] = []
    for end in ends:
        for k, place_value in enumerate(ordered):
            ordered[k], end = most((place_value, end)), least((place_value, end))
        ordered.append(end)
    return ordered
