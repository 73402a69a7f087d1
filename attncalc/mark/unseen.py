"""Masked cells that a student left blank or crossed out: they say what they should, −∞ among scores and 0 among weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flint import fmpq

from ..answers.bind import Bound, Filled
from ..answers.model import Typed
from ..arithmetic.matrices import Entry, entries, is_infinite, is_zero
from ..errors import AttncalcError
from ..formula.node import Node
from ..plan import Step
from ..values import Values

HIDDEN_SCORE = Typed("-inf", infinite=-1)
HIDDEN_WEIGHT = Typed("0", fmpq(0))


def with_masked_cells(bound: Bound, values: Values, bits: int) -> Bound:
    """The same answers; in a step that was answered, a blank cell that the right answer masks is read as masked."""
    steps = tuple(_filled(filled, values, bits) if filled.kind == "partial" else filled for filled in bound.steps)
    return replace(bound, steps=steps)


def _filled(filled: Filled, values: Values, bits: int) -> Filled:
    step = filled.step
    try:
        rows = entries(values.at(step.key, bits))
    except AttncalcError:  # a step without a value masks nothing
        return filled
    weights = is_softmax(step)
    places = [(i, j) for i in range(step.shape[0]) for j in range(step.shape[1])]
    cells = {(i, j): filled.cells.get((i, j)) or _masked(rows[i][j], weights) for i, j in places}
    known = {at: typed for at, typed in cells.items() if typed is not None}
    return replace(filled, cells=known, kind="whole" if len(known) == step.node.size else "partial")


def _masked(right: Entry, weights: bool) -> Typed | None:
    if is_infinite(right):
        return HIDDEN_SCORE if right < 0 else None
    return HIDDEN_WEIGHT if weights and is_zero(right) else None


def is_softmax(step: Step) -> bool:
    """Whether a step's entries are weights: a softmax, or one written out as its exponentials over their sum."""
    node = step.node
    while node.operation in ("transpose", "ref") and node.args:
        node = node.args[0]
    return node.operation == "softmax" or step.lesson is not None and step.base in ("A", "A_masked", "E")


def softmax_axes(node: Node, key: str) -> Iterator[str]:
    """Along which lines of a step a formula takes weights: for `softmax(S)` the rows of S, for `softmax(S.T).T` its columns."""
    for argument in node.args:
        yield from softmax_axes(argument, key)
    if node.operation == "softmax":
        inside, flipped = node.args[0], False
        while inside.operation == "transpose":
            inside, flipped = inside.args[0], not flipped
        if inside.operation == "ref" and inside.params[0] == key:
            yield from ("rows", "columns") if node.params[0] == "all" else ("columns",) if flipped else ("rows",)
