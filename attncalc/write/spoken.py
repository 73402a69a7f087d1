"""Formulas and matrices in words, for those who hear a page: the alternative text of every formula in a PDF."""

from __future__ import annotations

from ..explain.document import Cell, Grid
from ..formula.tree import Tree
from . import page
from .notation import CALLS, Notation, formula, number

WORDS = Notation(
    product=" times ",
    times=" times ",
    entrywise=" times entry by entry ",
    divided=" over ",
    minus="minus ",
    plus="plus",
    less="minus",
    power=" to the power of ",
    ten=" times 10 to the power of ",
    transposed=" transposed",
    root="sqrt",
    infinity="infinity",
    almost="about",
    at_most="at most",
    below="less than",
    dots="and so on,",
    not_zero=" is not 0",
    calls=CALLS
    | {
        "sqrt": "the square root of ({})",
        "exp": "the exponential of ({})",
        "abs": "the size of ({})",
        "hstack": "({}) side by side",
        "vstack": "({}) one below the other",
        "log": "the natural logarithm of ({})",
        "ln": "the natural logarithm of ({})",
    },
    names={"inf": "infinity"},
    separators={"hstack": " and ", "vstack": " and ", "multiple": " "},
)
SIGNS = {"=": "equals", "·": "times", "∘": "times entry by entry", "+": "plus", "−": "minus", "/": "divided entry by entry by", "|": "beside",
         ";": "above"}  # fmt: skip
HIDDEN = "hidden"
LEFT_OUT = "and so on"
_MARKED = {"rounded": "about", "wrong": "wrong", "should": "should be"}


def said(tree: Tree) -> str:
    """`Q times K transposed over the square root of (d k)`"""
    return formula(tree, WORDS).replace("_", " ")


def equation(left: str, sides: list[tuple[bool, Tree]]) -> str:
    """`S equals Q times K transposed, about 3`"""
    return left + "".join(f" {'equals' if exact else 'is about'} {said(tree)}" for exact, tree in sides)


def decimal(text: str) -> str:
    """`7.9 times 10 to the power of minus 32`"""
    return number(text, WORDS)


def matrix(grid: Grid) -> str:
    """Every entry of a matrix by rows, with the labels that people see."""
    n, m = grid.shape
    head = f"{said(grid.name)}{page.size(grid) or f' ({n} × {m})'}".replace("×", "by")
    over = f"columns {', '.join(grid.columns)}; " if grid.columns else ""
    rows = grid.rows or tuple(f"row {i}" for i in range(n))
    return f"{head}: {over}" + "; ".join(f"{label}: {', '.join(map(_cell, row))}" for label, row in zip(rows, grid.cells, strict=True))


def _cell(cell: Cell) -> str:
    match page.looks(cell):
        case "gap":
            return LEFT_OUT
        case "hidden":
            return HIDDEN
    text = said(cell.tree) if cell.tree is not None else decimal(cell.text)
    return f"{_MARKED[cell.mark]} {text}" if cell.mark in _MARKED else text
