"""Operations that arrange existing entries of lists of rows, for any type of entries."""

from __future__ import annotations

from typing import TypeVar

from ..formula.typed_formula import Node

E = TypeVar("E")


class StructuralOperations:
    """The rules of these operations, for an interpreter whose arguments are lists of rows."""

    def _transpose(self, node: Node, a: list[list[E]]) -> list[list[E]]:
        return [list(column) for column in zip(*a, strict=True)]

    def _take(self, node: Node, a: list[list[E]]) -> list[list[E]]:
        rows = node.params[0] or range(len(a))
        columns = node.params[1] or range(len(a[0]))
        return [[a[i][j] for j in columns] for i in rows]

    def _matrix(self, node: Node, *parts: list[list[E]]) -> list[list[E]]:
        flat = [p[0][0] for p in parts]
        m = node.shape[1]
        return [flat[k : k + m] for k in range(0, len(flat), m)]

    def _hstack(self, node: Node, *parts: list[list[E]]) -> list[list[E]]:
        return [[entry for part in parts for entry in part[i]] for i in range(node.shape[0])]

    def _vstack(self, node: Node, *parts: list[list[E]]) -> list[list[E]]:
        return [row for part in parts for row in part]
