"""The sources of an entry: the entries from which it is computed. They are tinted in the operands."""

from __future__ import annotations

from ...formula.operations import taken
from ...formula.syntax_tree import Index, Name, Number, Transpose, Tree, children, names
from ...solution import StepResult
from ..document import Cell, Grid, Sign
from ..part_scope import FAILURES, Scope
from .entry_formula import EntryWriter, NoWorking

Location = tuple[int, int]
MOST = 64  # rows and columns of a block that are searched for sources
Sources = dict[str, list[Location]]


def sources(scope: Scope, result: StepResult, i: int, j: int) -> Sources:
    """Return the positions of the sources of an entry, by matrix. Without a calculation, return its position in each
    matrix of the same shape.
    """
    try:
        return _entry_places(EntryWriter(scope).entry(result.step.tree, i, j))
    except (NoWorking, *FAILURES):
        same = (name for name in names(result.step.tree) if name in scope.entries)
        return {name: [(i, j)] for name in same if scope.entries[name].shape == result.shape}


def _entry_places(tree: Tree) -> Sources:
    """Return the positions of the entries in a formula, by matrix."""
    locations: dict[str, dict[Location, None]] = {}
    stack = [tree]
    while stack:
        match stack.pop():
            case Index(Name(name), Number(i), Number(j)):
                locations.setdefault(name, {})[int(i), int(j)] = None
            case other:
                stack.extend(children(other))
    return {name: sorted(places) for name, places in locations.items()}


def tint(scope: Scope, items: list[Grid | Sign], entry_sources: Sources, at: Location) -> list[Grid | Sign]:
    """Return the matrices with a tint at the entry in the last matrix, and at its sources in the others."""
    *before, last = items
    assert isinstance(last, Grid)
    return [
        *(_tint_sources(scope, item, entry_sources) if isinstance(item, Grid) else item for item in before),
        _mark_cells(last, [at], "entry"),
    ]


def _tint_sources(scope: Scope, grid: Grid, entry_sources: Sources) -> Grid:
    match grid.name:
        case Name(name):
            return _mark_cells(grid, entry_sources.get(name, []), "source")
        case Transpose(Name(name)):
            return _mark_cells(grid, [(j, i) for i, j in entry_sources.get(name, [])], "source")
        case Index(Name(name)):
            rows, columns = ({k: i for i, k in enumerate(kept or range(MOST))} for kept in taken(scope.node(grid.name)))
            return _mark_cells(
                grid,
                [(rows[i], columns[j]) for i, j in entry_sources.get(name, []) if i in rows and j in columns],
                "source",
            )
    return grid


def _mark_cells(grid: Grid, places: list[Location], word: str) -> Grid:
    def cell(i: int, j: int, old: Cell) -> Cell:
        return old._replace(lit=word) if (i, j) in places else old

    cells = tuple(tuple(cell(i, j, old) for j, old in enumerate(row)) for i, row in enumerate(grid.cells))
    return grid._replace(cells=cells)


def without_tints(grid: Grid) -> Grid:
    return grid._replace(
        cells=tuple(tuple(cell._replace(lit="") for cell in row) for row in grid.cells), explained=None
    )
