"""Closed forms as formulas to be read: 1/(1 + exp(2·√3)); those too long for a line are never built."""

from __future__ import annotations

from ..arithmetic.formal import OPAQUE, Exact, Sum, form
from ..errors import FormulaError
from ..formula.parse import parse
from ..formula.tree import Tree
from ..solution import StepResult

LONGEST = 76  # characters
MOST_PARTS = 40  # numbers and functions, counted before SymPy is asked to build them


class _TooLong(Exception):
    pass


def closed_form(result: StepResult, i: int, j: int) -> Tree | None:
    """The closed form of an entry; None where there is none, or none that fits a line."""
    from ..arithmetic import closed

    cell = result.values.cells.find(result.step.node, i, j)
    try:
        if isinstance(cell, Exact):
            _count(cell.bottom, _count(cell.top, MOST_PARTS))
    except _TooLong:
        return None
    expression = closed.expression(cell)
    return None if expression is None else readable(closed.text(expression))


def readable(text: str) -> Tree | None:
    """A formula of the file's language as a tree, where it is one and not too long."""
    try:
        return parse(text) if len(text) <= LONGEST else None
    except FormulaError:
        return None


def _count(terms: Sum, left: int) -> int:
    """What is left of an allowance after every part of a sum has taken one from it."""
    for _, alpha, atoms in terms:
        left = _count(dict(alpha), left - 1)
        for (kind, argument), _ in atoms:
            if kind == OPAQUE:
                raise _TooLong
            if kind not in ("pi", "ln"):
                inside = form(argument)
                left = _count(inside.bottom, _count(inside.top, left))
    if left < 0:
        raise _TooLong
    return left
