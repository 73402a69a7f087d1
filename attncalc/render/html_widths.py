"""Approximate widths in characters, for a page that cannot measure them."""

from __future__ import annotations

from ..explain.document import Cell, Grid, Table
from ..formula.syntax_tree import Binary, Tree
from .math import single_line

LONGEST = 13  # characters of a label on a phone


def grid_width(grid: Grid) -> int:
    """Approximate width of a grid in characters, with labels truncated as on a phone."""
    heads = [min(len(label), LONGEST) for label in grid.columns or [""] * len(grid.cells[0])]
    label_width = min(LONGEST, max(map(len, grid.rows))) if grid.rows else 0
    columns = zip(heads, zip(*grid.cells, strict=True), strict=True)
    return label_width + sum(max(head, *map(_cell_width, column)) + 2 for head, column in columns)


def table_width(table: Table) -> int:
    """Approximate least width of a table in characters: words may be broken apart, formulas not."""
    columns = zip(table.heads, zip(*table.rows, strict=True), strict=True)
    return sum(max(map(_longest_word, (head, *column))) + 3 for head, column in columns)


def _cell_width(cell: Cell) -> int:
    return len(cell.text) if cell.tree is None else _formula_width(cell.tree)


def _formula_width(tree: Tree) -> int:
    """Return the width of a formula; a fraction is as wide as its wider side."""
    if isinstance(tree, Binary) and tree.operator == "/":
        return max(_formula_width(tree.left), _formula_width(tree.right))
    return len(single_line.formula(tree))


def _longest_word(entry: str | tuple[Tree, ...]) -> int:
    words = entry.split() if isinstance(entry, str) else map(single_line.formula, entry)
    return max(map(len, words), default=0)
