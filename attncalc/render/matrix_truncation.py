"""Truncated matrices: the first rows and columns, and the last row and column, of a large matrix."""

from __future__ import annotations

from collections.abc import Sequence

from ..explain.document import Cell, Grid

MOST, FIRST = 24, 5  # the most rows or columns, and how many of the first rows or columns a truncated matrix keeps
GAP = "gap"  # the mark of a cell that replaces omitted cells


def truncate_matrix(grid: Grid, below: str, more: str, by: str) -> Grid:
    """Return the matrix. If it is too large, return its first and last rows and columns, with the gaps `below` and
    `more`.
    """
    n, m = grid.shape
    if grid.full or max(n, m) <= MOST:
        return grid
    grid = grid._replace(explained=None, full=f" ({n} {by} {m})")
    if n > MOST:
        grid = some_rows(grid, [*range(FIRST), -1, n - 1], below)
    return some_columns(grid, [*range(FIRST), -1, m - 1], more) if m > MOST else grid


def some_rows(grid: Grid, order: Sequence[int], gap: str) -> Grid:
    """Return some rows of a matrix, with a gap for each −1 in `order`."""
    empty = tuple(Cell(gap, mark=GAP) for _ in grid.cells[0])
    cells = tuple(grid.cells[i] if i >= 0 else empty for i in order)
    labels = grid.rows and tuple(grid.rows[i] if i >= 0 else gap for i in order)
    return grid._replace(cells=cells, rows=labels)


def some_columns(grid: Grid, order: Sequence[int], gap: str = "") -> Grid:
    """Return some columns of a matrix, with a gap for each −1 in `order`."""
    transposed = grid._replace(cells=tuple(zip(*grid.cells, strict=True)), rows=grid.columns, columns=grid.rows)
    kept = some_rows(transposed, order, gap)
    return kept._replace(cells=tuple(zip(*kept.cells, strict=True)), rows=grid.rows, columns=kept.rows)


def cell_kind(cell: Cell) -> str:
    """Return the kind of a cell: `gap`, `hidden` (a masked weight), `tree` (a closed form) or `number`."""
    if cell.mark == GAP:
        return "gap"
    if cell.mark == "masked" and cell.shade is not None:
        return "hidden"
    return "number" if cell.tree is None else "tree"
