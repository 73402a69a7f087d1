"""What a program in binary arithmetic makes of the operations: how far each is off."""

from __future__ import annotations

from flint import arb, fmpq

from ...formula.typed_formula import Node
from ..matrix_types import is_infinite
from .intermediate_rounding import Program, dot
from .scalar import ONE, ZERO, Box, End, Interval, least, most, point

STRUCTURE = frozenset((  # what only picks or arranges values
    "ref", "literal", "matrix", "neg", "transpose", "take", "hstack", "vstack", "keep", "maximum", "abs",
    "one_hot", "top_k", "top_p", "argmax_rows", "order_rows", "sort_rows",
))  # fmt: skip
# Functions of a library, which are a few roundings off
_LIBRARY = frozenset(("exp", "log", "sin", "cos", "tanh", "erf", "pow"))
_ROUNDINGS = 4  # at most so many


def is_arrangement(node: Node) -> bool:
    """Whether an operation makes no new number, but picks or arranges those that are there."""
    return (
        node.operation in STRUCTURE or node.operation == "mul" and any(one.operation == "one_hot" for one in node.args)
    )


def off(program: Program, node: Node, arguments: list[Box], box: Box) -> Box:
    """What a program makes of it: one relative rounding error for each operation; a sum of n terms has n of their sizes
    together.

    Softmax: x − max is one off, which moves the exponential by as much of x − max; then the sum, and a quotient. Where
    the largest is not subtracted, low scores have exponentials that are off by the least number.
    """
    match node.operation:
        case operation if operation in STRUCTURE or operation == "row_max":
            return box
        case "matmul" | "row_sum":
            left = [[_size(cell) for cell in row] for row in arguments[0]]
            right = (
                [[_size(cell) for cell in row] for row in arguments[1]]
                if node.operation == "matmul"
                else [[point(ONE)]] * len(left[0])
            )
            columns = list(zip(*right, strict=True))
            sizes = [[dot(row, column) for column in columns] for row in left]
            times = fmpq(len(left[0]))
            return [
                [size and program.off(c, times, size[1]) for c, size in zip(*two, strict=True)]
                for two in zip(box, sizes, strict=True)
            ]
        case "softmax":
            ends = [
                abs(end)
                for row in arguments[0]
                for cell in row
                if cell is not None
                for end in cell
                if not is_infinite(end)
            ]
            times = 2 * (_ROUNDINGS + 2 * most(ends or [ZERO])) + len(arguments[0][0]) * len(arguments[0]) + 1
            return [
                [_out(program.off(cell, times), lost) for cell in row]
                for row, lost in zip(box, _underflow(program, node, arguments[0]), strict=True)
            ]
        case "add" | "sub" | "mul" if all(
            _is_held(program, cell) for rows in arguments for row in rows for cell in row
        ):
            # 1 − mask is 0 and 1 as it stands
            return [[cell if _is_held(program, cell) else program.off(cell) for cell in row] for row in box]
        case operation:
            times = fmpq(_ROUNDINGS if operation in _LIBRARY else 1)
    return [[program.off(cell, times) for cell in row] for row in box]


def _is_held(program: Program, cell: Interval) -> bool:
    """Whether an entry is one number, which the program keeps as it is."""
    return cell is not None and program.holds(cell[0]) and bool(cell[0] == cell[1])


def _underflow(program: Program, node: Node, scores: Box) -> list[End]:
    """How far the weights of each row may be off because e^x is nearly 0, or 0, in all of it."""
    lines = [[cell for row in scores for cell in row]] * len(scores) if node.params[0] == "all" else scores
    return [
        _lost(program, [cell[0] for cell in line if cell is not None and not is_infinite(cell[0])]) for line in lines
    ]


def _lost(program: Program, ends: list[End]) -> End:
    top = most(ends) if ends else ZERO
    return least((2 * len(ends) * program.smallest * arb(-top).exp(), ONE)) if top < 0 else ZERO


def _out(cell: Interval, by: End) -> Interval:
    return None if cell is None else (cell[0] - by, cell[1] + by)


def _size(cell: Interval) -> Interval:
    """The largest magnitude in a cell."""
    return None if cell is None else point(most((abs(cell[0]), abs(cell[1]))))
