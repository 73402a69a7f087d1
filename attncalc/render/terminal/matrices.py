"""Matrices in the terminal, with labels, brackets and shaded weights. Several matrices are next to each other in rows
that fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from ...explain.document import Cell, Grid, Sign
from ...formula.index_base import counted_places
from ...formula.syntax_tree import unparse
from ..matrix_truncation import GAP, some_columns, truncate_matrix
from ..pictures.flow import role
from ..wrap import centred, clean, left, right, shorten_labels
from .styled_text import STYLES, Signs, Styled, merge_styles, run, shade, strip

MOST_LISTED = 64
OUTSTANDING = "bold underline"  # for cells with a background


class LineBlock(NamedTuple):
    """A block of lines, and the index of the line in which signs next to the block are printed."""

    lines: tuple[Styled, ...]
    width: int
    axis: int = 0


class Fit(NamedTuple):
    """The widths of labels, and the number of known matrices of which only the name is printed."""

    rows: int
    columns: int
    named: int = 0
    headed: bool = True  # whether matrices have names; a single matrix below its formula needs none


class GridPrinter:
    """A printer for one matrix. `fit` shortens its labels. `width` is known before its lines are made."""

    def __init__(self, grid: Grid, signs: Signs):
        self.grid = grid
        self.signs = signs
        self.size = grid.full
        self.name = signs.notation.formula(grid.name) + self.size
        self.texts = [[self.text(cell) for cell in row] for row in grid.cells]
        self.numbers = [max(map(cell_len, column)) for column in zip(*self.texts, strict=True)]
        self.row_labels, self.column_labels = self.clean(grid.rows), self.clean(grid.columns)

    def fit(self, fit: Fit) -> GridPrinter:
        """Shorten the labels to the widths of `fit`; return self."""
        rows, columns, cut = self.row_labels, self.column_labels, self.signs.cut
        self.labels = shorten_labels(rows, [fit.rows] * len(rows), cut)
        self.heads = shorten_labels(columns, [max(fit.columns, width) for width in self.numbers[: len(columns)]], cut)
        self.widths = [
            max(n, cell_len(head)) for n, head in zip(self.numbers, self.heads or [""] * len(self.numbers), strict=True)
        ]
        self.side = max(map(cell_len, self.labels), default=-1) + 1
        self.named = fit.headed or bool(self.size)
        return self

    @property
    def body(self) -> int:
        """The width in cells from bracket to bracket."""
        return sum(self.widths) + 2 * len(self.widths) + 2

    @property
    def width(self) -> int:
        """The width of a line in cells, including the labels."""
        if self.is_number:
            return max(cell_len(self.name), self.numbers[0])
        return self.side + max(self.body, cell_len(self.name) if self.named else 0)

    @property
    def shift(self) -> int:
        """The indentation of a matrix below a wider name."""
        return max(0, cell_len(self.name) - self.body) // 2 if self.named else 0

    @property
    def is_number(self) -> bool:
        """True for a matrix of one entry without labels, which has no brackets."""
        return self.grid.shape == (1, 1) and not self.labels and not self.heads

    def clean(self, labels: Sequence[str] | None) -> list[str]:
        return [clean(label, self.signs.plain) for label in labels or ()]

    def text(self, cell: Cell) -> str:
        """Return a cell's text."""
        if cell.mark == GAP:
            return cell.text
        if cell.mark == "masked" and cell.shade is not None:
            return self.signs.hidden
        if cell.tree is not None:
            return self.signs.notation.small.formula(cell.tree)
        text = self.signs.notation.number(clean(cell.text, self.signs.plain))
        if cell.mark in ("wrong", "should"):
            return (self.signs.wrong if cell.mark == "wrong" else self.signs.should) + text
        return f"{self.signs.notation.almost} {text}" if cell.mark == "rounded" else text

    def columns_that_fit(self, room: int) -> int:
        return max(0, (room - self.side - 2) // (max(self.widths) + 2))

    # -- in brackets ---------------------------------------------------------------------------------------------------

    def piece(self) -> LineBlock:
        """Return the lines of the matrix below its name."""
        if self.is_number:
            number = centred(self.texts[0][0], self.width)
            return LineBlock((run(self.name, STYLES["name"]), run(number)), self.width, 1)
        style = STYLES[role(unparse(self.grid.name).removesuffix(".T")) or "name"]
        lines = [run(" " * self.side + centred(self.name, self.body), style)] if self.named else []
        if self.heads:
            heads = "".join(f" {right(head, width)} " for head, width in zip(self.heads, self.widths, strict=True))
            lines.append(run(" " * (self.shift + self.side + 1) + heads, STYLES["label"]))
        axis = len(lines) + (len(self.texts) - 1) // 2
        return LineBlock((*lines, *(self.row(i) for i in range(len(self.texts)))), self.width, axis)

    def row(self, i: int) -> Styled:
        """Return row i with its label and its brackets."""
        opening, closing = self.brackets(i)
        label = " " * self.shift + left(self.labels[i] if self.labels else "", self.side)
        cells = [
            self.cell(*arguments) for arguments in zip(self.grid.cells[i], self.texts[i], self.widths, strict=True)
        ]
        return (label, STYLES["label"]), (opening, STYLES["bracket"]), *cells, (closing, STYLES["bracket"])

    def brackets(self, i: int) -> tuple[str, str]:
        """Return the opening and the closing bracket of row i."""
        if len(self.texts) == 1:
            return self.signs.single
        return self.signs.top if i == 0 else self.signs.bottom if i == len(self.texts) - 1 else self.signs.middle

    def cell(self, cell: Cell, text: str, width: int) -> tuple[str, str]:
        """Return a cell's padded text and its style."""
        if cell.shade is None and not cell.mark and not cell.lit:  # most cells
            return f" {right(text, width)} ", ""
        hidden = cell.mark == "masked" and cell.shade is not None
        padded = f" {centred(text, width) if hidden or cell.mark == GAP else right(text, width)} "
        if cell.shade is not None and not hidden:
            return padded, merge_styles(shade(cell.shade), STYLES.get(cell.mark, ""), OUTSTANDING if cell.lit else "")
        return padded, merge_styles(STYLES.get(cell.mark, ""), STYLES[cell.lit])

    # -- entry by entry, if the numbers are too long for a row -----------------------------------------------------

    def entry_list(self, room: int) -> LineBlock:
        """Return the matrix as a list with a line for each entry, for a matrix that is wider than the page."""
        lines: list[Styled] = []
        for i, row in enumerate(self.texts):
            for j, text in enumerate(row):
                place = f"{self.labels[i] if self.labels else i}, {self.heads[j] if self.heads else j}: "
                start = min(cell_len(place), room // 2)
                for k, part in enumerate(chop_cells(text, room - start) or [""]):
                    before = place[:start] if k == 0 else " " * start
                    lines.append(((before, STYLES["label"]), (part, "")))
        if len(lines) > MOST_LISTED:
            lines = [*lines[:MOST_LISTED], run(self.signs.below, STYLES["dim"])]
        return LineBlock((run(self.name, STYLES["name"]), *lines), room)


GENEROUS, USUAL, NARROW = 24, 14, 8  # cells of labels
SHORTEST = 5  # cells of column labels, if the equation then fits on one line
LARGE = 8  # matrices with more rows or columns are not repeated in an equation of several rows

Items = Sequence[Grid | Sign]
Row = list[LineBlock]


def lines_of(items: Items, room: int, signs: Signs) -> Iterator[Styled]:
    """Yield an equation of matrices in lines of at most `room` cells."""
    for row in _Layout(items, room, signs).rows():
        yield from _side_by_side(row)


def rows_of(grids: Sequence[Grid], room: int, signs: Signs) -> Iterator[Styled]:
    """Yield the lines of unrelated matrices. As many as fit are next to each other."""
    gap, row = _piece("  ", "sign"), list[LineBlock]()
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
    """Yield the lines of a row of pieces. Their axes are aligned, so that signs are at half the height of
    the matrices.
    """
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
        """Return the equation as one row if a fit is narrow enough, otherwise as several rows that break between
        matrices.
        """
        for fit in _fits(self.items, self.headed):
            row = self.row(fit)
            if sum(part.width for part in row) <= self.room:
                return [[part.piece() if isinstance(part, GridPrinter) else part for part in row]]
        operands = [item for item in self.items[:-1] if isinstance(item, Grid)]
        if operands and all(grid.seen for grid in operands):
            # The formula names the operands, which are already on the page, so the result is enough
            return _Layout(self.items[-1:], self.room, self.signs).rows()
        return self.broken()

    def row(self, fit: Fit) -> list[GridPrinter | LineBlock]:
        by_name = _by_name(self.items, fit.named)
        return [
            self.sign(item) if isinstance(item, Sign) else self.name(item) if by_name[k] else self.setters[k].fit(fit)
            for k, item in enumerate(self.items)
        ]

    def broken(self) -> list[Row]:
        """Return rows with as many matrices as possible. A sign is in the row of the matrix after it."""
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
                rows += [
                    [*lead, block] if k == 0 else [_piece(" " * _width(lead), ""), block]
                    for k, block in enumerate(blocks)
                ]
            lead = []
        return rows

    def blocks(self, grid: Grid, room: int) -> list[LineBlock]:
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

    def sign(self, sign: Sign) -> LineBlock:
        shown = self.signs.between.get(sign.text, sign.text)
        return _piece(f" {shown} " if shown else "  ", "sign")

    def name(self, grid: Grid) -> LineBlock:
        return _piece(self.signs.notation.formula(grid.name), "name")


def _piece(text: str, style: str) -> LineBlock:
    return LineBlock((run(text, STYLES[style]),), cell_len(text))


def _fits(items: Items, headed: bool) -> Iterator[Fit]:
    """Yield the fits of an equation, from the widest to the narrowest. In each, at least one operand is printed in
    full.
    """
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
    """Return for each item whether only its name is printed: true for the `count` widest matrices that were shown
    before.
    """
    seen = [(item.shape[1], -k) for k, item in enumerate(items) if isinstance(item, Grid) and item.seen]
    chosen = {-k for _, k in sorted(seen, reverse=True)[:count]}
    return [k in chosen for k in range(len(items))]


def _width(row: Row) -> int:
    return sum(piece.width for piece in row)
