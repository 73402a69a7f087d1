"""Formulas for a single row, column or entry of a formula."""

from __future__ import annotations

from functools import lru_cache

from . import operations as op
from .typed_formula import Node


@lru_cache(maxsize=5_000)
def entry_of(node: Node, i: int, j: int) -> Node:
    """Return a formula for the entry in row `i` and column `j` of a formula's value."""
    return column_of(row_of(node, i), j)


def column_of(node: Node, j: int) -> Node:
    """Return a formula for column `j` of a formula's value, with as few operations as possible."""
    if node.shape[1] == 1:
        return node
    shape = (node.shape[0], 1)
    if node.by_entries:
        args = tuple(column_of(operand, j) for operand in node.args)
        return node.but(args=args, shape=shape, columns=None, shared=False)
    match node:
        case op.MatMul():
            args = (node.args[0], column_of(node.args[1], j))
            return node.but(args=args, shape=shape, columns=None, shared=False)
        case op.Transpose():
            return node.but(args=(row_of(node.args[0], j),), shape=shape, columns=None, shared=False)
        case op.Take():
            columns = node.taken_columns or range(node.args[0].shape[1])
            args = (column_of(node.args[0], columns[j]),)
            return node.but(args=args, shape=shape, columns=None, taken_columns=None, shared=False)
        case op.HStack():
            for part in node.args:
                if j < part.shape[1]:
                    return column_of(part, j)
                j -= part.shape[1]
    return op.Take(None, (j,), (node,), shape, rows=node.rows)


@lru_cache(maxsize=2_000)
def row_of(node: Node, i: int) -> Node:
    """Return a formula for row `i` of a formula's value, with as few operations as possible."""
    if node.shape[0] == 1:
        return node
    shape = (1, node.shape[1])
    if node.along_rows or isinstance(node, op.Softmax) and node.axis == "rows":
        return node.but(args=tuple(row_of(operand, i) for operand in node.args), shape=shape, rows=None, shared=False)
    match node:
        case op.MatMul():
            return node.but(args=(row_of(node.args[0], i), node.args[1]), shape=shape, rows=None, shared=False)
        case op.Take():
            rows = node.taken_rows or range(node.args[0].shape[0])
            args = (row_of(node.args[0], rows[i]),)
            return node.but(args=args, shape=shape, rows=None, taken_rows=None, shared=False)
        case op.VStack():
            for part in node.args:
                if i < part.shape[0]:
                    return row_of(part, i)
                i -= part.shape[0]
    return op.Take((i,), None, (node,), shape, columns=node.columns)
