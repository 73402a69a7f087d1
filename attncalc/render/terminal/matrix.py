"""A matrix in the terminal: its name, column labels, rows between brackets, and shaded weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from ...explain.document import Cell, Grid
from ...formula.syntax_tree import unparse
from ..matrix_truncation import GAP
from ..pictures.flow_text import role
from ..wrap import centred, clean, left, right, shorten_labels
from .styled_text import Styled, merge_styles, run
from .theme import STYLES, Signs, shade

MOST_LISTED = 64
OUTSTANDING = "bold underline"  # for cells with a background


class Piece(NamedTuple):
    """Lines set as a block, and the index of the line for signs next to it."""

    lines: tuple[Styled, ...]
    width: int
    axis: int = 0


class Fit(NamedTuple):
    """The widths of labels, and the number of known matrices printed by name."""

    rows: int
    columns: int
    named: int = 0
    headed: bool = True  # whether matrices have their names; a single one under its formula needs none


class GridPrinter:
    """Prints one matrix; `fit` shortens its labels, `width` is known before its lines are made."""

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
        """Return the cells from bracket to bracket."""
        return sum(self.widths) + 2 * len(self.widths) + 2

    @property
    def width(self) -> int:
        """Return the cells in a line, labels included."""
        if self.is_number:
            return max(cell_len(self.name), self.numbers[0])
        return self.side + max(self.body, cell_len(self.name) if self.named else 0)

    @property
    def shift(self) -> int:
        """Return the indentation of a matrix under a wider name."""
        return max(0, cell_len(self.name) - self.body) // 2 if self.named else 0

    @property
    def is_number(self) -> bool:
        """True for a matrix of one entry without labels, which has no brackets."""
        return self.grid.shape == (1, 1) and not self.labels and not self.heads

    def clean(self, labels: Sequence[str] | None) -> list[str]:
        """Return labels without control characters."""
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
        """Return the number of columns that fit side by side, by the widest of them."""
        return max(0, (room - self.side - 2) // (max(self.widths) + 2))

    # -- in brackets ---------------------------------------------------------------------------------------------------

    def piece(self) -> Piece:
        """Return the matrix as lines under its name."""
        if self.is_number:
            number = centred(self.texts[0][0], self.width)
            return Piece((run(self.name, STYLES["name"]), run(number)), self.width, 1)
        style = STYLES[role(unparse(self.grid.name).removesuffix(".T")) or "name"]
        lines = [run(" " * self.side + centred(self.name, self.body), style)] if self.named else []
        if self.heads:
            heads = "".join(f" {right(head, width)} " for head, width in zip(self.heads, self.widths, strict=True))
            lines.append(run(" " * (self.shift + self.side + 1) + heads, STYLES["label"]))
        axis = len(lines) + (len(self.texts) - 1) // 2
        return Piece((*lines, *(self.row(i) for i in range(len(self.texts)))), self.width, axis)

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

    # -- entry by entry, for numbers too long for a row ----------------------------------------------------------------

    def entry_list(self, room: int) -> Piece:
        """Return the matrix as a list of entries, a line each, if it is wider than the page."""
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
        return Piece((run(self.name, STYLES["name"]), *lines), room)
