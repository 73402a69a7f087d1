"""Matrices side by side in the terminal: truncated labels, matrices by name, and row breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from ...explain.document import Grid, Sign
from ...formula.index_base import counted_places
from ..matrix_truncation import some_columns, truncate_matrix
from .matrix import Fit, GridPrinter, Piece
from .styled_text import Styled, run, strip
from .theme import STYLES, Signs

GENEROUS, USUAL, NARROW = 24, 14, 8  # cells of labels
SHORTEST = 5  # cells of column labels, if that fits an equation on one line
LARGE = 8  # matrices of more rows or columns are not repeated in a broken row

Items = Sequence[Grid | Sign]
Row = list[Piece]


def lines_of(items: Items, room: int, signs: Signs) -> Iterator[Styled]:
    """Yield an equation of matrices in lines of at most `room` cells."""
    for row in _Layout(items, room, signs).rows():
        yield from _side_by_side(row)


def rows_of(grids: Sequence[Grid], room: int, signs: Signs) -> Iterator[Styled]:
    """Yield unrelated matrices side by side, as many as fit."""
    gap, row = _piece("  ", "sign"), list[Piece]()
    for grid in grids:
        setter = GridPrinter(truncate_matrix(grid, signs.below, signs.more, signs.by), signs).fit(Fit(USUAL, USUAL))
        if setter.width > room:
            yield from _side_by_side(row) if row else ()
            yield from lines_of([grid], room, signs)
            row = []
            continue
        if row and _width(row) + gap.width + setter.width > room:
            yield from _side_by_side(row)
            row = []
        row += [gap, setter.piece()] if row else [setter.piece()]
    yield from _side_by_side(row) if row else ()


def _side_by_side(row: Row) -> Iterator[Styled]:
    """Yield the lines of pieces with aligned axes, so that signs are halfway up the matrices."""
    above = max(piece.axis for piece in row)
    below = max(len(piece.lines) - piece.axis for piece in row)
    for k in range(above + below):
        parts: list[tuple[str, str]] = []
        for piece in row:
            at = k - above + piece.axis
            inside = piece.lines[at] if 0 <= at < len(piece.lines) else ()
            room = piece.width - sum(cell_len(text) for text, _ in inside)
            parts += [*inside, (" " * room, "")]
        yield strip(tuple(parts))


class _Layout:
    def __init__(self, items: Items, room: int, signs: Signs):
        self.signs = signs
        self.room = room
        self.items = [
            truncate_matrix(item, signs.below, signs.more, signs.by) if isinstance(item, Grid) else item
            for item in items
        ]
        self.setters = {k: GridPrinter(item, signs) for k, item in enumerate(self.items) if isinstance(item, Grid)}
        self.headed = len(items) > 1

    def rows(self) -> list[Row]:
        """Return one row if some fit of the equation is narrow enough, else several, broken between matrices."""
        for fit in _fits(self.items, self.headed):
            row = self.row(fit)
            if sum(part.width for part in row) <= self.room:
                return [[part.piece() if isinstance(part, GridPrinter) else part for part in row]]
        operands = [item for item in self.items[:-1] if isinstance(item, Grid)]
        if operands and all(grid.seen for grid in operands):
            # The formula names the operands, and they are on the page: the result is enough.
            return _Layout(self.items[-1:], self.room, self.signs).rows()
        return self.broken()

    def row(self, fit: Fit) -> list[GridPrinter | Piece]:
        by_name = _by_name(self.items, fit.named)
        return [
            self.sign(item) if isinstance(item, Sign) else self.name(item) if by_name[k] else self.setters[k].fit(fit)
            for k, item in enumerate(self.items)
        ]

    def broken(self) -> list[Row]:
        """Return rows as full as possible; a sign belongs to the matrix after it."""
        large = any(isinstance(item, Grid) and max(item.shape) > LARGE for item in self.items)
        rows: list[Row] = []
        lead: Row = []
        for item, named in zip(self.items, _by_name(self.items, len(self.items) if large else 0), strict=True):
            if isinstance(item, Sign):
                lead = [self.sign(item)]
                continue
            blocks = [self.name(item)] if named else self.blocks(item, self.room - _width(lead))
            if rows and _width([*rows[-1], *lead, *blocks]) <= self.room:
                rows[-1] += [*lead, *blocks]
            else:
                rows += [[*lead, block] if k == 0 else [_blank(lead), block] for k, block in enumerate(blocks)]
            lead = []
        return rows

    def blocks(self, grid: Grid, room: int) -> list[Piece]:
        """Return a matrix in one piece, or in blocks of columns if it is too wide."""
        setter = GridPrinter(grid, self.signs)
        for fit in (Fit(USUAL, USUAL), Fit(USUAL, SHORTEST), Fit(NARROW, SHORTEST)):
            if setter.fit(fit._replace(headed=self.headed)).width <= room:
                return [setter.piece()]
        fit, count = Fit(NARROW, SHORTEST, headed=self.headed), grid.shape[1]
        grid = grid._replace(columns=grid.columns or counted_places(count))
        setter = GridPrinter(grid, self.signs).fit(fit)
        widest = setter.columns_that_fit(room)
        if widest == 0:
            return [setter.entry_list(room)]
        spans = (range(k, min(k + widest, count)) for k in range(0, count, widest))
        return [GridPrinter(some_columns(grid, span), self.signs).fit(fit).piece() for span in spans]

    def sign(self, sign: Sign) -> Piece:
        shown = self.signs.between.get(sign.text, sign.text)
        return _piece(f" {shown} " if shown else "  ", "sign")

    def name(self, grid: Grid) -> Piece:
        return _piece(self.signs.notation.formula(grid.name), "name")


def _piece(text: str, style: str) -> Piece:
    return Piece((run(text, STYLES[style]),), cell_len(text))


def _fits(items: Items, headed: bool) -> Iterator[Fit]:
    """Yield the fits of an equation, from the widest to the tightest; one operand is printed in full in all of them."""
    grids = [item for item in items if isinstance(item, Grid)]
    seen = sum(grid.seen for grid in grids)
    some = min(seen, max(0, len(grids) - 2))
    least = min(some, sum(grid.seen and bool(grid.full) for grid in grids))
    yield Fit(GENEROUS, GENEROUS, least, headed)
    for named in range(least, some + 1):
        yield from (Fit(USUAL, USUAL, named, headed), Fit(USUAL, SHORTEST, named, headed))
    for named in range(least, some + 1):
        yield Fit(NARROW, SHORTEST, named, headed)


def _by_name(items: Items, count: int) -> list[bool]:
    """Return for each item whether it is printed by name: the `count` widest of the matrices seen before."""
    seen = [(item.shape[1], -k) for k, item in enumerate(items) if isinstance(item, Grid) and item.seen]
    chosen = {-k for _, k in sorted(seen, reverse=True)[:count]}
    return [k in chosen for k in range(len(items))]


def _width(row: Row) -> int:
    return sum(piece.width for piece in row)


def _blank(lead: Row) -> Piece:
    return _piece(" " * _width(lead), "")
