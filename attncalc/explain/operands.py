"""The operands of a step as matrices with signs between them: Q · Kᵀ, [Z₁ | Z₂]."""

from __future__ import annotations

from ..formula.syntax_tree import Binary, Call, Index, Name, Transpose, Tree, unparse
from ..plan import Given, Step
from ..solution import StepResult
from .document import Grid, Sign
from .formula_text import readable_formula
from .number_display import given_grid, is_weights, step_grid
from .part_scope import Scope

Items = list[Grid | Sign]

MOST_OPERANDS = 4
LARGE = 8  # a matrix of more rows or columns is not shown again, not even transposed
_SIGNS = {"@": "·", "+": "+", "-": "−", "*": "∘", "/": "/"}


class Operands:
    """Finds the operands of steps, and records which matrices a part has shown."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.shown: set[str] = set()
        self._grids: dict[str, Grid] = {}

    def of(self, result: StepResult) -> Items:
        """Return the grids and signs of a step's formula; empty if they would add nothing to it."""
        tree = result.step.tree
        if result.step.given:
            return []
        if isinstance(tree, Call) and tree.function in ("hstack", "vstack"):
            return self._side_by_side(tree)
        items = self._chain(tree) or []
        shapes = [item.shape for item in items if isinstance(item, Grid)]
        return items if 2 <= len(shapes) <= MOST_OPERANDS and max(shapes) != (1, 1) else []

    def remember(self, items: Items) -> None:
        """Record the matrices that are on the page from now on."""
        self.shown |= {unparse(item.name) for item in items if isinstance(item, Grid)}

    def _side_by_side(self, tree: Call) -> Items:
        grids = [self._grid(a) for a in tree.arguments]
        if len(grids) > MOST_OPERANDS or any(g is None for g in grids):
            return []
        sign = Sign("|" if tree.function == "hstack" else ";")
        return [item for grid in grids if grid is not None for item in (sign, grid)][1:]

    def _chain(self, tree: Tree) -> Items | None:
        if not isinstance(tree, Binary) or tree.operator not in _SIGNS:
            grid = self._grid(tree)
            return None if grid is None else [grid]
        left, right = self._chain(tree.left), self._chain(tree.right)
        if left is None or right is None or _needs_brackets(tree):
            return None
        with_number = tree.operator == "*" and (1, 1) in (self.scope.shape(tree.left), self.scope.shape(tree.right))
        return [*left, Sign("·" if with_number else _SIGNS[tree.operator]), *right]

    def _grid(self, tree: Tree) -> Grid | None:
        """Return a named matrix, its transpose or a block of it; None for other formulas."""
        inside = tree.operand if isinstance(tree, Transpose | Index) else tree
        if not isinstance(inside, Name) or inside.name not in self.scope.entries:
            return None
        grid = self._named(inside)
        if isinstance(tree, Transpose):
            transposed = tuple(zip(*grid.cells, strict=True))
            return Grid(
                tree, transposed, grid.columns, grid.rows, self._seen(tree) or (max(grid.shape) > LARGE and grid.seen)
            )
        if isinstance(tree, Index):
            node = self.scope.node(tree)
            rows, columns = node.params
            kept = [grid.cells[i] for i in rows] if rows else list(grid.cells)
            cells = tuple(tuple(row[j] for j in columns) if columns else row for row in kept)
            name = readable_formula(self.scope, tree)
            return Grid(name, cells, node.rows, node.columns, self._seen(name))
        return grid

    def _named(self, name: Name) -> Grid:
        if name.name not in self._grids:
            entry, shown = self.scope.entries[name.name], self.scope.shown(name.name)
            weights = isinstance(entry, Step) and is_weights(entry)
            self._grids[name.name] = (
                given_grid(entry, shown) if isinstance(entry, Given) else step_grid(name, shown, weights)
            )
        return self._grids[name.name]._replace(seen=self._seen(name))

    def _seen(self, tree: Tree) -> bool:
        return unparse(tree) in self.shown


def _needs_brackets(tree: Binary) -> bool:
    """True if the operands in a row, without brackets, would mean another formula."""
    right_is_chain = isinstance(tree.right, Binary) and tree.operator != "+"
    left_is_sum = isinstance(tree.left, Binary) and tree.operator in "@*/" and tree.left.operator != tree.operator
    return right_is_chain or left_is_sum
