"""Certified arithmetic on whole matrices: exact rationals as long as they last, then balls that hold the true value.

A value is an `fmpq_mat`, an `arb_mat`, or a `Mixed` where some entries are infinite: −∞ is a symbol, never a wide ball.
Whatever cannot be decided at the working precision (is this divisor 0? which entry is larger?) is first tried by formal
proof (`evaluator.py`) and then raised as NeedsPrecision, so that the caller can come back with more bits.
"""

from __future__ import annotations

from itertools import chain, islice

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from ...errors import FormulaError
from ...formula.index_base import counted_place, row_and_column
from ...formula.shape_rules import nothing_left
from ...formula.typed_formula import Node, place, rules
from ..exact.evaluator import ExactCells
from ..matrix_types import (
    LONGEST_IN_PRODUCTS,
    MINUS_INFINITY,
    PLUS_INFINITY,
    Entry,
    Literals,
    Matrix,
    Mixed,
    Rows,
    entries,
    from_flat,
    longest_exact,
    pack,
    repeated_rows,
    scaled_rows,
    shorten,
)
from .comparisons import NeedsPrecision
from .elementwise import Entrywise, larger

MORE_BITS = 16  # of exact scores: the exponential of one that is less than 2^16 then loses none
MOST_LOST = 12  # bits in the exponentials of larger ones
_ZERO, _ONE, _UNIT = fmpq(0), fmpq(1), arb(1)


class Certified:
    """Evaluates checked formulas at a working precision. `cells` gives formal proofs about single entries.

    `literals` holds the numbers of the formulas in flint's form.
    """

    def __init__(self, cells: ExactCells, literals: Literals | None = None):
        self.cells = cells
        self.literals = literals or Literals()

    def evaluate(self, node: Node, values: dict[str, Matrix], bits: int) -> Matrix:
        """The value of a formula, names by `values`, at a precision in bits: exact where it is rational, else balls
        that hold it.

        Raises FormulaError where it has no value (a division by zero), NeedsPrecision where these bits do not decide
        which case holds.
        """
        with ctx.workprec(bits):
            return Run(self, values).value(node)

    def run(self, values: dict[str, Matrix]) -> Run:
        """For many formulas in turn at flint's working precision; what is worked out may be added to `values`."""
        return Run(self, values)


class Run(Entrywise):
    """Evaluations at one precision: a table of operations over the values of the steps before."""

    def __init__(self, arithmetic: Certified, values: dict[str, Matrix]):
        super().__init__(arithmetic.cells)
        self.literals = arithmetic.literals
        self.values = values
        self.shared: dict[int, Matrix] = {}

    def value(self, node: Node) -> Matrix:
        """The value of a formula, n × m as its node says; what formulas share is worked out once. Raises as
        `Certified.evaluate`.
        """
        operation = node.operation
        if operation == "ref":
            return self.values[node.params[0]]
        if operation == "literal":
            return self.literals.matrix(node)
        if node.size == 1 and (constant := self.literals.constant(node)) is not None:
            return constant
        if node.shared and id(node) in self.shared:
            return self.shared[id(node)]
        values = self.values
        arguments = [values[a.params[0]] if a.operation == "ref" else self.value(a) for a in node.args]
        if node.bits > LONGEST_IN_PRODUCTS:
            most = longest_exact(node)
            arguments = [shorten(x, most) if a.bits > most else x for a, x in zip(node.args, arguments, strict=True)]
        result: Matrix = _RULES[operation](self, node, *arguments)
        if node.size == 1:
            self.literals.keep_constant(node, result)
        if node.shared:
            self.shared[id(node)] = result
        return result

    # -- rows and matrices ---------------------------------------------------------------------------------------------

    def _matmul(self, node: Node, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, fmpq_mat) and node.args[0].operation == "one_hot" and isinstance(b, Mixed):
            return pack([_looked_up(row, b.rows) for row in entries(a)])
        if isinstance(a, Mixed) or isinstance(b, Mixed):
            raise FormulaError(f"an infinite entry stands in the product {node.written}", node.at)
        return self.literals.product(a, b, node)

    def _transpose(self, node: Node, a: Matrix) -> Matrix:
        if isinstance(a, Mixed):
            return Mixed([list(column) for column in zip(*a.rows, strict=True)])
        return a.transpose()

    def _take(self, node: Node, a: Matrix) -> Matrix:
        n, m = node.args[0].shape
        rows, columns = node.params[0] or range(n), node.params[1] or range(m)
        if isinstance(a, Mixed):
            return pack([[a.rows[i][j] for j in columns] for i in rows])
        return self.literals.part(node, a, rows, columns)

    def _row_sum(self, node: Node, a: Matrix) -> Matrix:
        if not isinstance(a, Mixed):
            return a * type(a)(a.ncols(), 1, [1] * a.ncols())
        sums: Rows = []
        for i, row in enumerate(a.rows):
            total = sum(row[1:], row[0])
            if isinstance(total, arb) and total.is_nan():
                raise FormulaError(f"row {counted_place(i)} of {node.args[0].written}: ∞ − ∞ has no value", node.at)
            sums.append([total])
        return pack(sums)

    def _row_max(self, node: Node, a: Matrix) -> Matrix:
        maxima: Rows = []
        for row in entries(a):
            best = row[0]
            for x in row[1:]:
                best = larger(best, x)
            maxima.append([best])
        return pack(maxima)

    def _softmax(self, node: Node, a: Matrix) -> Matrix:
        axis, empty = node.params
        if axis == "rows" and not isinstance(a, Mixed) and (quick := self.usual_weights(a)) is not None:
            return quick
        rows, mixed = entries(a), isinstance(a, Mixed)
        if axis == "all":
            rows = [[x for row in rows for x in row]]
        weights = (self.weights(row, node, i, empty, mixed) for i, row in enumerate(rows))
        return from_flat(*node.shape, list(chain.from_iterable(weights)))

    def usual_weights(self, a: fmpq_mat | arb_mat) -> arb_mat | None:
        """The softmax of each row, all rows at once; None where a row may be exact, or loses precision."""
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

    def weights(self, row: list[Entry], node: Node, i: int, empty: str, mixed: bool) -> list[Entry]:
        """e^x/Σe^x over the finite entries; −∞ weighs exactly 0, and a lonely or uniform row is exact."""
        seen = row
        if mixed:
            seen = [x for x in row if x is not MINUS_INFINITY]
            if any(x is PLUS_INFINITY for x in seen):
                said = f"{row_and_column(i, row.index(PLUS_INFINITY))} of {node.args[0].written} is +∞"
                raise FormulaError(f"{said}; the softmax has no value", node.at)
        if len(seen) < 2 or type(seen[0]) is fmpq:
            exact = self.exact_weights(row, seen, node, i, empty)
            if exact is not None:
                return exact
        with ctx.extraprec(MORE_BITS):
            scores = [x if type(x) is arb else arb(x) for x in seen]
        exponentials = [x.exp() for x in scores]
        total = sum(exponentials[1:], exponentials[0])
        if type(seen[0]) is fmpq and total.rel_accuracy_bits() < ctx.prec - MOST_LOST and arb not in map(type, seen):
            largest = max(seen)  # exact and so large that their exponentials lose precision
            exponentials = [arb(x - largest).exp() for x in seen]
            total = sum(exponentials[1:], exponentials[0])
        share = _UNIT / total
        if len(seen) == len(row):
            return [e * share for e in exponentials]
        each = iter(exponentials)
        return [_ZERO if x is MINUS_INFINITY else next(each) * share for x in row]

    def exact_weights(self, row: list[Entry], seen: list[Entry], node: Node, i: int, empty: str) -> list[Entry] | None:
        """The weights of row i where they are fractions: one score left (1), all equal (1/k), none left (as `empty`
        says). Else None.

        Raises FormulaError where none is left and `empty` is "error".
        """
        if not seen and empty == "error":
            raise nothing_left(node, i)
        if not seen:
            return [_ZERO if empty == "zeros" else fmpq(1, len(row))] * len(row)
        if len(seen) == 1 or type(seen[0]) is fmpq and seen.count(seen[0]) == len(seen):
            return [_ZERO if x is MINUS_INFINITY else fmpq(1, len(seen)) for x in row]
        return None

    def _keep(self, node: Node, a: Matrix, mask: Matrix, fill: Matrix) -> Matrix:
        if isinstance(mask, fmpq_mat):
            kept = self.literals.of(mask).kept()
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
            for row, line in zip(entries(a), repeated_rows(kept, *node.shape), strict=True)
        ]
        return Mixed(rows) if isinstance(fill, Mixed) else pack(rows)

    def _hstack(self, node: Node, *parts: Matrix) -> Matrix:
        if any(isinstance(p, Mixed) for p in parts):
            return pack([list(chain.from_iterable(line)) for line in zip(*map(entries, parts), strict=True)])
        flats = [(p.entries(), p.ncols()) for p in parts]  # type: ignore[union-attr]
        rows = range(node.shape[0])
        return from_flat(*node.shape, [x for i in rows for flat, m in flats for x in flat[i * m : i * m + m]])

    def _vstack(self, node: Node, *parts: Matrix) -> Matrix:
        return pack([row for p in parts for row in entries(p)])

    # -- choices -------------------------------------------------------------------------------------------------------

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
                raise FormulaError(
                    f"id {k} of {node.args[0].written}: expected a whole number from 0 to {classes - 1}, found {shown}",
                    node.at,
                )
            rows.append([_ONE if x == c else _ZERO for c in range(classes)])
        return pack(rows)

    def _top_k(self, node: Node, a: Matrix) -> Matrix:
        result: Rows = []
        for i, row in enumerate(entries(a)):
            best = set(islice(self.descending(node.args[0], row, i), node.params[0]))
            result.append([_ONE if j in best else _ZERO for j in range(len(row))])
        return pack(result)

    def _top_p(self, node: Node, a: Matrix, p: Matrix) -> Matrix:
        """Counts entries from the largest down until their sum reaches p; a sum that only may reach it asks for
        precision.
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
        """Whether the sum of the kept entries of row i is at least `enough`, by the enclosures or else by
        formal proof.
        """
        if total >= enough or total < enough:
            return bool(total >= enough)
        sign = self.cells.sum_compared(node.args[0], i, kept, node.args[1])
        if sign is None:
            taken, least = (one.written for one in node.args[:2])
            raise NeedsPrecision(f"whether the largest entries of row {counted_place(i)} of {taken} reach {least}")
        return sign >= 0

    def _argmax_rows(self, node: Node, a: Matrix) -> Matrix:
        return pack([[fmpq(next(self.descending(node.args[0], row, i)))] for i, row in enumerate(entries(a))])

    def _order_rows(self, node: Node, a: Matrix) -> Matrix:
        first = [islice(self.descending(node.args[0], row, i), node.params[0]) for i, row in enumerate(entries(a))]
        return pack([[fmpq(place(node, j)) for j in row] for row in first])

    def _sort_rows(self, node: Node, a: Matrix) -> Matrix:
        return pack([[row[j] for j in self.descending(node.args[0], row, i)] for i, row in enumerate(entries(a))])


_RULES = rules(Run)


def _looked_up(one_hot: list[fmpq], rows: Rows) -> list[Entry]:
    """The row whose number a row of `one_hot` is, zeros for an ignored one; −∞ in the other rows is not multiplied."""
    return rows[one_hot.index(_ONE)] if _ONE in one_hot else [_ZERO] * len(rows[0])
