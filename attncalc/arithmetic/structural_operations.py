"""Operations that arrange existing entries of lists of rows, for any type of entries."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ..formula import operations as op

E = TypeVar("E")


class StructuralOperations(op.Rules[list[list[E]]], Protocol[E]):
    """The rules of these operations, for an interpreter whose arguments are lists of rows."""

    def _transpose(self, node: op.Transpose, a: list[list[E]]) -> list[list[E]]:
        return [list(column) for column in zip(*a, strict=True)]

    def _take(self, node: op.Take, a: list[list[E]]) -> list[list[E]]:
        rows = node.taken_rows or range(len(a))
        columns = node.taken_columns or range(len(a[0]))
        return [[a[i][j] for j in columns] for i in rows]

    def _matrix(self, node: op.Matrix, *parts: list[list[E]]) -> list[list[E]]:
        flat = [p[0][0] for p in parts]
        m = node.shape[1]
        return [flat[k : k + m] for k in range(0, len(flat), m)]

    def _hstack(self, node: op.HStack, *parts: list[list[E]]) -> list[list[E]]:
        return [[entry for part in parts for entry in part[i]] for i in range(node.shape[0])]

    def _vstack(self, node: op.VStack, *parts: list[list[E]]) -> list[list[E]]:
        return [row for part in parts for row in part]
