"""Formulas for a single row, column or entry of a formula."""

from __future__ import annotations

from functools import lru_cache

from .typed_formula import Node

_BY_ROWS = frozenset((  # each row of the value depends on the same row of the operands, or on an operand's only row
    "neg", "add", "sub", "mul", "div", "pow", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor",
    "maximum", "round", "row_sum", "row_max", "keep", "hstack", "top_k", "top_p", "argmax_rows", "order_rows",
    "sort_rows",
))  # fmt: skip
_BY_ENTRIES = frozenset((  # so does each column
    "neg", "add", "sub", "mul", "div", "pow", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor",
    "maximum", "round", "keep",
))  # fmt: skip


@lru_cache(maxsize=5_000)
def entry_of(node: Node, i: int, j: int) -> Node:
    """Return a formula for the entry in row `i` and column `j` of a formula's value."""
    return column_of(row_of(node, i), j)


def column_of(node: Node, j: int) -> Node:
    """Return a formula for column `j` of a formula's value, with as few operations as possible."""
    if node.shape[1] == 1:
        return node
    shape = (node.shape[0], 1)
    if node.operation in _BY_ENTRIES:
        args = tuple(column_of(operand, j) for operand in node.args)
        return node.but(args=args, shape=shape, columns=None, shared=False)
    match node.operation:
        case "matmul":
            args = (node.args[0], column_of(node.args[1], j))
            return node.but(args=args, shape=shape, columns=None, shared=False)
        case "transpose":
            return node.but(args=(row_of(node.args[0], j),), shape=shape, columns=None, shared=False)
        case "take":
            columns = node.params[1] or range(node.args[0].shape[1])
            args, params = (column_of(node.args[0], columns[j]),), (node.params[0], None)
            return node.but(args=args, shape=shape, columns=None, params=params, shared=False)
        case "hstack":
            for part in node.args:
                if j < part.shape[1]:
                    return column_of(part, j)
                j -= part.shape[1]
    return Node("take", (node,), shape, node.rows, None, (None, (j,)))


@lru_cache(maxsize=2_000)
def row_of(node: Node, i: int) -> Node:
    """Return a formula for row `i` of a formula's value, with as few operations as possible."""
    if node.shape[0] == 1:
        return node
    shape = (1, node.shape[1])
    if node.operation in _BY_ROWS or node.operation == "softmax" and node.params[0] == "rows":
        return node.but(args=tuple(row_of(operand, i) for operand in node.args), shape=shape, rows=None, shared=False)
    match node.operation:
        case "matmul":
            return node.but(args=(row_of(node.args[0], i), node.args[1]), shape=shape, rows=None, shared=False)
        case "take":
            rows = node.params[0] or range(node.args[0].shape[0])
            return node.but(
                args=(row_of(node.args[0], rows[i]),),
                shape=shape,
                rows=None,
                params=(None, node.params[1]),
                shared=False,
            )
        case "vstack":
            for part in node.args:
                if i < part.shape[0]:
                    return row_of(part, i)
                i -= part.shape[0]
    return Node("take", (node,), shape, None, node.columns, ((i,), None))
