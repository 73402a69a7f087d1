"""The shape rules of the operations. Each function checks its arguments, and returns a node or raises FormulaError."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import TypeVar

from .. import limits
from ..errors import DivisionByZero, FormulaError, counted, shorten, size
from . import operations as op
from .index_base import counted_place
from .operations import literal
from .typed_formula import MOST_BITS, Labels, Node, Shape

STATIC_BITS = 4_096


def guard(shape: Shape, at: int = 0) -> None:
    """Raise FormulaError for an empty matrix, and for a matrix with too many rows, columns or entries."""
    if min(shape) < 1:
        raise FormulaError(
            f"a matrix needs at least one row and one column; the size of this matrix is {size(shape)}", at
        )
    if max(shape) > limits.SIDE.most:
        raise FormulaError(limits.SIDE.exceeded(size(shape)), at)
    if shape[0] * shape[1] > limits.ENTRIES.most:
        raise FormulaError(limits.ENTRIES.exceeded(f"{size(shape)}, which is {shape[0] * shape[1]:,}"), at)


N = TypeVar("N", bound=Node)


def _checked(node: N) -> N:
    """Return the node. Raises FormulaError if the node is above a limit."""
    guard(node.shape, node.at)
    node.bits = min(MOST_BITS, node.bits)
    if node.depth > limits.NESTED_OPERATIONS.most:
        raise FormulaError(limits.NESTED_OPERATIONS.exceeded("more"), node.at)
    if node.unfolded > limits.OPERATIONS.most:
        raise FormulaError(limits.OPERATIONS.exceeded(node.unfolded), node.at)
    return node


def negate(a: Node, at: int = 0) -> Node:
    """Return −a: (n, m) → (n, m)."""
    static = None if a.static is None else -a.static
    return _checked(op.Neg((a,), a.shape, a.rows, a.columns, static=static, at=at, bits=a.bits))


def entrywise(operation: type[op.Binary], a: Node, b: Node, at: int = 0) -> Node:
    """Apply an operation entry by entry: (n, m) ∘ (n, m) → (n, m). A row, a column or a single number is broadcast."""
    shape = (max(a.shape[0], b.shape[0]), max(a.shape[1], b.shape[1]))
    if any(n not in (1, full) or m not in (1, full) for n, m, full in zip(a.shape, b.shape, shape, strict=True)):
        raise FormulaError(
            f"{a.written} is {size(a.shape)} and {b.written} is {size(b.shape)}; {operation.sign} needs "
            "two matrices of equal size, or one of them must be a row, a column or a single number that fits",
            at,
        )
    if operation is op.Div and b.static == 0:
        raise DivisionByZero("division by zero" + ("" if isinstance(b, op.Literal) else f": {b.written} is 0"), at)
    bits = operation.bound(a, b)
    static = None
    if a.static is not None and b.static is not None and bits < STATIC_BITS:
        static = operation.of_numbers(a.static, b.static)
    rows = next((x.rows for x in (a, b) if x.rows and x.shape[0] == shape[0]), None)
    columns = next((x.columns for x in (a, b) if x.columns and x.shape[1] == shape[1]), None)
    return _checked(operation((a, b), shape, rows, columns, static=static, at=at, bits=bits))


def matmul(a: Node, b: Node, at: int = 0) -> Node:
    """Return the matrix product: (n, k) · (k, m) → (n, m)."""
    if a.shape[1] != b.shape[0]:
        raise FormulaError(
            f"{a.written} is {size(a.shape)} and {b.written} is {size(b.shape)}; the inner sizes {a.shape[1]} and "
            f"{b.shape[0]} must agree",
            at,
        )
    bits = a.bits + b.bits + a.shape[1].bit_length()
    return _checked(op.MatMul((a, b), (a.shape[0], b.shape[1]), a.rows, b.columns, at=at, bits=bits))


def transpose(a: Node, at: int = 0) -> Node:
    """Return the transpose: (n, m) → (m, n)."""
    shape = (a.shape[1], a.shape[0])
    return _checked(op.Transpose((a,), shape, a.columns, a.rows, static=a.static, at=at, bits=a.bits))


def take(a: Node, rows: Sequence[int] | None, columns: Sequence[int] | None, at: int = 0) -> Node:
    """Select rows and columns, in this order. None selects all."""

    def pick(labels: Labels, chosen: Sequence[int] | None) -> Labels:
        return labels if labels is None or chosen is None else tuple(labels[i] for i in chosen)

    for axis, chosen in (("row", rows), ("column", columns)):
        count = a.shape[axis == "column"]
        if chosen and max(chosen) >= count:
            raise FormulaError(f"{a.written} has {counted(count, axis)}, so the index {max(chosen)} is too large", at)
    shape = (a.shape[0] if rows is None else len(rows), a.shape[1] if columns is None else len(columns))
    guard(shape, at)
    static = None
    if shape == (1, 1) and isinstance(a, op.Literal) and rows is not None and columns is not None:
        entry = a.entries[rows[0]][columns[0]]
        static = entry if isinstance(entry, Fraction) else None
    taken_rows, taken_columns = (None if chosen is None else tuple(chosen) for chosen in (rows, columns))
    kept, across = pick(a.rows, rows), pick(a.columns, columns)
    node = op.Take(taken_rows, taken_columns, (a,), shape, rows=kept, columns=across, at=at, bits=a.bits, static=static)
    return _checked(node)


def unary(operation: type[op.Function | op.Abs | op.Floor], a: Node, at: int = 0) -> Node:
    """Apply a function to each entry: (n, m) → (n, m)."""
    return _checked(operation((a,), a.shape, a.rows, a.columns, at=at, bits=a.bits))


def round_to(a: Node, digits: int, mode: str, at: int = 0) -> Node:
    """Round each entry to `digits` decimals: (n, m) → (n, m). Raises FormulaError for an invalid number of decimals."""
    if digits < 0:
        raise FormulaError(f"`round` needs at least 0 decimals; found {digits}", at)
    if digits > limits.DECIMALS.most:
        raise FormulaError(limits.DECIMALS.exceeded(digits), at)
    bits = a.bits + 7 * abs(digits)
    return _checked(op.Round(digits, mode, (a,), a.shape, rows=a.rows, columns=a.columns, at=at, bits=bits))


def reduce_rows(operation: type[op.RowReduction], a: Node, at: int = 0) -> Node:
    """Reduce each row to one value: (n, m) → (n, 1)."""
    bits = a.bits + a.shape[1].bit_length()
    return _checked(operation((a,), (a.shape[0], 1), a.rows, None, at=at, bits=bits))


def softmax(a: Node, axis: str, empty: str, at: int = 0) -> Node:
    """Return e^a over its sum, for each row or for all entries: (n, m) → (n, m). An entry −∞ has weight 0."""
    bits = a.size.bit_length() if axis == "all" else 3 * a.shape[1]  # exact entries are 0, or 1/n in a uniform row
    return _checked(op.Softmax(axis, empty, (a,), a.shape, rows=a.rows, columns=a.columns, at=at, bits=2 * bits))


def nothing_left(node: op.Softmax, i: int) -> FormulaError:
    """Return the error for a softmax whose scores in row i are all −∞.

    If the scores are a transposed matrix, the message names column i.
    """
    scores, axis = node.args[0], node.axis
    what = "column" if isinstance(scores, op.Transpose) else "row"
    token = f' ("{shorten(scores.rows[i])}")' if scores.rows else ""
    where = f"{what} {counted_place(i)}{token}" if axis == "rows" else "the matrix"
    return FormulaError(
        f"{where} is fully masked (all −∞), so its softmax is undefined; "
        f"to define the weights of {f'such a {what}' if axis == 'rows' else 'the matrix'}, "
        f"write empty_row: zeros or empty_row: uniform",
        node.at,
    )


def keep(a: Node, mask: Node, fill: Node, at: int = 0) -> Node:
    """Return `a` where the mask is not 0, and `fill` elsewhere: (n, m), (n, m) → (n, m)."""
    if not all(m in (1, n) for n, m in zip(a.shape, mask.shape, strict=True)):
        raise FormulaError(
            f"{a.written} is {size(a.shape)} and the mask {mask.written} is {size(mask.shape)}; both must have "
            f"the same shape",
            at,
        )
    if fill.shape != (1, 1):
        raise FormulaError(f"fill must be a single number; {fill.written} is {size(fill.shape)}", at)
    rows = a.rows or (mask.rows if mask.shape[0] == a.shape[0] else None)
    columns = a.columns or (mask.columns if mask.shape[1] == a.shape[1] else None)
    return _checked(op.Keep((a, mask, fill), a.shape, rows, columns, at=at, bits=a.bits + fill.bits))


def _constant(part: Node) -> op.Entries | None:
    """Return the entries of a formula of numbers, such as -1 and 1/2; None for other formulas."""
    if isinstance(part, op.Literal):
        return part.entries
    if part.static is None or isinstance(part, op.Ref) or not all(isinstance(a, op.Literal) for a in part.args):
        return None
    return ((part.static,),)


def stack(operation: type[op.Stack], parts: Sequence[Node], at: int = 0) -> Node:
    """Concatenate matrices side by side (hstack) or below each other (vstack)."""
    along = 1 if operation is op.HStack else 0
    across = 1 - along
    if len({p.shape[across] for p in parts}) > 1:
        shapes = " and ".join(f"{p.written} is {size(p.shape)}" for p in parts[:4])
        what = "rows" if along else "columns"
        message = f"{operation.word} needs matrices with the same number of {what}; {shapes}"
        raise FormulaError(message, at)
    total = sum(p.shape[along] for p in parts)
    shape = (parts[0].shape[0], total) if along else (total, parts[0].shape[1])
    guard(shape, at)
    labels = [p.columns if along else p.rows for p in parts]
    joined = tuple(x for part_labels in labels for x in part_labels or ()) if all(labels) else None
    kept = next((part_labels for p in parts if (part_labels := p.rows if along else p.columns)), None)
    rows, columns = (kept, joined) if along else (joined, kept)
    node = _checked(operation(tuple(parts), shape, rows, columns, at=at, bits=sum(p.bits for p in parts) + 1))
    numbers = [constant for constant in map(_constant, parts) if constant is not None]
    if len(numbers) < len(parts):
        return node
    if along:
        return literal(
            tuple(tuple(x for row in line for x in row) for line in zip(*numbers, strict=True)), rows, columns, at
        )
    return literal(tuple(row for constant in numbers for row in constant), rows, columns, at)


def flat(A: Node, at: int = 0) -> Node:
    """Put all entries into one row, row after row: (n, m) → (1, n·m). The labels of the rows are dropped."""
    guard((1, A.size), at)
    return stack(op.HStack, [take(A, [i], None, at) for i in range(A.shape[0])], at).but(rows=None)


def from_entries(entries: list[list[Node]], rows: Labels, columns: Labels, at: int = 0) -> Node:
    """Return a matrix whose entries are formulas of single numbers."""
    flat = tuple(e for row in entries for e in row)
    bits = sum(e.bits for e in flat) + 1
    return _checked(op.Matrix(flat, (len(entries), len(entries[0])), rows, columns, at=at, bits=bits))


def one_hot(ids: Node, classes: int, at: int = 0, ignore: int | None = None) -> Node:
    """Return a row for each id, with 1 in the column of the id, and zeros for the id `ignore`: n ids → (n, classes)."""
    if 1 not in ids.shape:
        raise FormulaError(f"ids must be a row or a column of whole numbers; {ids.written} is {size(ids.shape)}", at)
    labels = ids.columns if ids.shape[0] == 1 else ids.rows
    return _checked(op.OneHot(classes, ignore, (ids,), (ids.size, classes), rows=labels, at=at, bits=2))


def lookup(E: Node, ids: Node, at: int = 0) -> Node:
    """Return the rows of E with these ids: (v, d), n ids → (n, d).

    The rows keep their labels if the ids are numbers in the file.
    """
    node = matmul(one_hot(ids, E.shape[0], at), E, at)
    if isinstance(ids, op.Literal) and E.rows:
        flat = [x for row in ids.entries for x in row]
        if all(isinstance(x, Fraction) and x.denominator == 1 and 0 <= x < len(E.rows) for x in flat):
            return node.but(rows=tuple(E.rows[int(x)] for x in flat))
    return node


def pick(P: Node, ids: Node, at: int = 0) -> Node:
    """Return one entry of each row, in the column of its id: (n, m), n ids → (n, 1)."""
    if 1 in ids.shape and ids.size != P.shape[0]:
        raise FormulaError(
            f"expected one id per row; {P.written} has {counted(P.shape[0], 'row')}, {ids.written} is "
            f"{size(ids.shape)}",
            at,
        )
    return reduce_rows(op.RowSum, entrywise(op.Mul, P, one_hot(ids, P.shape[1], at), at), at)


def top_p(a: Node, p: Node, at: int = 0) -> Node:
    """Mark with 1 the largest entries of each row, as few as possible, whose sum is at least p: (n, m) → (n, m)."""
    if p.static is not None and not 0 < p.static <= 1:
        raise FormulaError(f"top_p needs a probability above 0 and up to 1; found {p.written}", at)
    return _checked(op.TopP((a, p), a.shape, a.rows, a.columns, at=at, bits=2))


def top_k(a: Node, k: int, at: int = 0) -> Node:
    """Mark with 1 the k largest entries of each row: (n, m) → (n, m). Of equal entries, the first ranks higher."""
    if not 1 <= k <= a.shape[1]:
        raise FormulaError(
            f"top_k needs a whole number from 1 to {a.shape[1]}, the number of columns of {a.written}; found {k}", at
        )
    return _checked(op.TopK(k, (a,), a.shape, rows=a.rows, columns=a.columns, at=at, bits=2))


def order_rows(a: Node, k: int, at: int = 0) -> Node:
    """Return the columns of the k largest entries of each row, largest first: (n, m) → (n, k). Equal entries keep their
    order.
    """
    return _ordered(a, k, "columns", a.shape[1], at)


def best_places(A: Node, k: int, what: str, at: int = 0) -> Node:
    """Return the rows, or the columns, of the k largest entries of the whole matrix: (n, m) → (k, 1).

    Equal entries keep their order.
    """
    return transpose(_ordered(flat(A, at), k, what, A.shape[1], at), at)


def _ordered(a: Node, k: int, counts: str, width: int, at: int) -> Node:
    if not 1 <= k <= a.shape[1]:
        raise FormulaError(
            f"expected a whole number from 1 to {a.shape[1]}, the number of entries in a row of {a.written}; found {k}",
            at,
        )
    bits = a.shape[1].bit_length()
    return _checked(op.OrderRows(k, counts, width, (a,), (a.shape[0], k), rows=a.rows, at=at, bits=bits))


def sort_rows(a: Node, at: int = 0) -> Node:
    """Sort each row in descending order: (n, m) → (n, m). The columns lose their labels."""
    return _checked(op.SortRows((a,), a.shape, a.rows, None, at=at, bits=a.bits))


def grid(n: int, m: int, entry: Callable[[int, int], int], at: int = 0) -> Node:
    """Return a constant matrix with `entry(i, j)` in row i, column j."""
    guard((n, m), at)
    number = cache(Fraction)
    return literal(tuple(tuple([number(int(entry(i, j))) for j in range(m)]) for i in range(n)), at=at)
