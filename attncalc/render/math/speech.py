"""Formulas, numbers and matrices in words for screen readers, such as the alternative text of formulas in a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from ...explain.document import ENTRYWISE, Cell, Grid
from ...formula.index_base import counted_places
from ...formula.syntax_tree import Name, Tree
from ..matrix_truncation import cell_kind
from .common import is_scientific
from .single_line import LinePrinter

SIGNS = {"=": "equals", "·": "times", "∘": "times entry by entry", "+": "plus", "−": "minus",
         "/": "divided entry by entry by", "|": "beside", ";": "above"}  # fmt: skip
_NO_NUMBERS = {"gap": "and so on", "hidden": "hidden"}
_MARKED = {"rounded": "about", "wrong": "wrong", "should": "should be"}


class _Speech(LinePrinter):
    operators = {"+": "{0} plus {1}", "-": "{0} minus {1}", "@": "{0} times {1}", "*": "{0} times {1}",
                 "/": "{0} over {1}", "%": "{0} modulo {1}",
                 ENTRYWISE: "{0} times entry by entry {1}"}  # fmt: skip
    compared = {"<": "{0} is less than {1}", "<=": "{0} is at most {1}", ">": "{0} is greater than {1}",
                ">=": "{0} is at least {1}",
                "==": "{0} is {1}", "!=": "{0} is not {1}"}  # fmt: skip
    holds, matrix, rows_apart, entries_apart = "(1 where {})", "the matrix with the rows ({})", "; ", ", "
    minus, infinity, almost, dots = "minus ", "infinity", "about", "and so on,"
    negative, transposed, caret = "minus {}", "{} transposed", " to the power of "
    at_most, below, not_zero = " at most ", " less than ", " is not 0"
    letters, prime = {"inf": "infinity"}, " prime"
    forms = {"sqrt": "the square root of ({})", "exp": "the exponential of ({})", "abs": "the size of ({})",
             "norm": "the norm of ({})",
             "log": "the natural logarithm of ({})", "ln": "the natural logarithm of ({})",
             "hstack": "({}) side by side", "vstack": "({}) one below the other", "multiple": "{}",
             "sum_i": "sum over i of {}", "sum_j": "sum over j of {}", "sum_k": "sum over k of {}"}  # fmt: skip
    separators = {"hstack": " and ", "vstack": " and ", "multiple": " "}

    def scientific(self, mantissa: str, exponent: str) -> str:
        return f"{mantissa} times 10 to the power of {int(exponent)}"

    def word_with_index(self, word: str, index: Tree) -> str:
        index_text = self.formula(index)
        return f"{word} over {index_text} of " if isinstance(index, Name) else f"the {word} {index_text} of "

    def entry_at(self, matrix: Tree, places: Sequence[str]) -> str:
        return f"{self.inner(matrix, 5)} at {', '.join(places)}"

    def table_rows(self, table: Tree, *places: str) -> str:
        return f"the {'columns' if len(places) > 1 else 'rows'} of {self.inner(table, 5)} at {places[-1]}"

    def entry_by_id(self, table: Tree, ids: Tree) -> str:
        return f"the entry in each row of {self.inner(table, 5)} at {self.inner(ids, 5)}"

    def strength(self, tree: Tree) -> int:
        return 2 if is_scientific(tree) else super().strength(tree)

    @property
    def small(self) -> LinePrinter:
        return self


SPEECH = _Speech()
number = SPEECH.number


def formula(tree: Tree) -> str:
    """Return `Q times K transposed over the square root of (d k)`."""
    return SPEECH.formula(tree).replace("_", " ")


def entry(name: Tree, place: str) -> str:
    """Return `S scaled at the, cat`."""
    return SPEECH.entry_named(name, place).replace("_", " ") if place else formula(name)


def equation(left: str, sides: list[tuple[bool, Tree]]) -> str:
    """Return `S equals Q times K transposed, about 3`."""
    return left + "".join(f" {'equals' if exact else 'is about'} {formula(tree)}" for exact, tree in sides)


def matrix(grid: Grid) -> str:
    """Return every entry of a matrix, row by row, with the visible labels."""
    n, m = grid.shape
    head = f"{formula(grid.name)}{grid.full or f' ({n} × {m})'}".replace("×", "by")
    over = f"columns {', '.join(grid.columns)}; " if grid.columns else ""
    rows = grid.rows or tuple(f"row {i}" for i in counted_places(n))
    return f"{head}: {over}" + "; ".join(
        f"{label}: {', '.join(map(_cell, row))}" for label, row in zip(rows, grid.cells, strict=True)
    )


def _cell(cell: Cell) -> str:
    if cell_kind(cell) in _NO_NUMBERS:
        return _NO_NUMBERS[cell_kind(cell)]
    text = formula(cell.tree) if cell.tree is not None else number(cell.text)
    return f"{_MARKED[cell.mark]} {text}" if cell.mark in _MARKED else text
