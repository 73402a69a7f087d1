"""Matrices that are too large to read, by their first rows and columns and their last."""

from __future__ import annotations

from collections.abc import Sequence

from ..explain.document import Cell, Grid

MOST, FIRST = 24, 5  # of more rows or columns, only the first ones and the last are shown
GAP = "gap"  # the mark of a cell that stands for those left out


def truncate_matrix(grid: Grid, below: str, more: str, by: str) -> Grid:
    """The matrix, or its first and last rows and columns with `below` and `more` between them where it is too large."""
    n, m = grid.shape
    if grid.full or max(n, m) <= MOST:
        return grid
    grid = grid._replace(explained=None, full=f" ({n} {by} {m})")
    if n > MOST:
        grid = some_rows(grid, [*range(FIRST), -1, n - 1], below)
    return some_columns(grid, [*range(FIRST), -1, m - 1], more) if m > MOST else grid


def some_rows(grid: Grid, order: Sequence[int], gap: str) -> Grid:
    """Some rows of a matrix, a gap where −1 stands."""
    empty = tuple(Cell(gap, mark=GAP) for _ in grid.cells[0])
    cells = tuple(grid.cells[i] if i >= 0 else empty for i in order)
    labels = grid.rows and tuple(grid.rows[i] if i >= 0 else gap for i in order)
    return grid._replace(cells=cells, rows=labels)


def some_columns(grid: Grid, order: Sequence[int], gap: str = "") -> Grid:
    """The columns of a matrix in an order; −1 stands for a gap, in which `gap` is printed."""
    transposed = grid._replace(cells=tuple(zip(*grid.cells, strict=True)), rows=grid.columns, columns=grid.rows)
    kept = some_rows(transposed, order, gap)
    return kept._replace(cells=tuple(zip(*kept.cells, strict=True)), rows=grid.rows, columns=kept.rows)


def cell_kind(cell: Cell) -> str:
    """What a cell stands for: `gap`, `hidden` (a weight that the mask hides), `tree` (a closed form) or `number`."""
    if cell.mark == GAP:
        return "gap"
    if cell.mark == "masked" and cell.shade is not None:
        return "hidden"
    return "number" if cell.tree is None else "tree"
