"""What an entry is made from: the entries of givens and steps that stand in its formula, tinted where their matrices
stand beside it.
"""

from __future__ import annotations

from ..formula.tree import Index, Name, Number, Transpose, Tree, children, names
from ..solution import StepResult
from .document import Cell, Grid, Sign
from .entry import EntryWriter, NoWorking
from .scope import FAILURES, Scope

Location = tuple[int, int]
MOST = 64  # rows and columns of a block whose entries are looked for
Sources = dict[str, list[Location]]


def sources(scope: Scope, result: StepResult, i: int, j: int) -> Sources:
    """The places that make an entry, by the names of their matrices; the same place in each where the formula has no
    more to say.
    """
    try:
        return _named(EntryWriter(scope).entry(result.step.tree, i, j))
    except (NoWorking, *FAILURES):
        same = (name for name in names(result.step.tree) if name in scope.entries)
        return {name: [(i, j)] for name in same if scope.entries[name].shape == result.shape}


def _named(tree: Tree) -> Sources:
    """The entries that a formula names."""
    found: dict[str, dict[Location, None]] = {}
    stack = [tree]
    while stack:
        match stack.pop():
            case Index(Name(name), Number(i), Number(j)):
                found.setdefault(name, {})[int(i), int(j)] = None
            case other:
                stack.extend(children(other))
    return {name: sorted(places) for name, places in found.items()}


def tinted(scope: Scope, items: list[Grid | Sign], found: Sources, at: Location) -> list[Grid | Sign]:
    """Matrices in a row with the entry in the last one tinted, and what it is made from in those before."""
    *before, last = items
    assert isinstance(last, Grid)
    return [
        *(_tinted(scope, item, found) if isinstance(item, Grid) else item for item in before),
        _lit(last, [at], "entry"),
    ]


def _tinted(scope: Scope, grid: Grid, found: Sources) -> Grid:
    match grid.name:
        case Name(name):
            return _lit(grid, found.get(name, []), "source")
        case Transpose(Name(name)):
            return _lit(grid, [(j, i) for i, j in found.get(name, [])], "source")
        case Index(Name(name)):
            rows, columns = ({k: i for i, k in enumerate(kept or range(MOST))} for kept in scope.node(grid.name).params)
            return _lit(
                grid, [(rows[i], columns[j]) for i, j in found.get(name, []) if i in rows and j in columns], "source"
            )
    return grid


def _lit(grid: Grid, places: list[Location], word: str) -> Grid:
    def cell(i: int, j: int, one: Cell) -> Cell:
        return one._replace(lit=word) if (i, j) in places else one

    cells = tuple(tuple(cell(i, j, one) for j, one in enumerate(row)) for i, row in enumerate(grid.cells))
    return grid._replace(cells=cells)


def plain(grid: Grid) -> Grid:
    """The matrix without tints."""
    return grid._replace(
        cells=tuple(tuple(cell._replace(lit="") for cell in row) for row in grid.cells), explained=None
    )
