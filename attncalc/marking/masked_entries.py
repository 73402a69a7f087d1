"""Masked cells that a student left blank or crossed out: they say what they should, −∞ among scores and 0 among
weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from flint import fmpq

from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..arithmetic.matrix_types import Entry, entries, is_infinite, is_zero
from ..errors import AttncalcError
from ..formula import operations as op
from ..formula.typed_formula import Node, Where
from ..plan import Step
from ..step_values import Values
from ..submissions.step_matching import Bound, Filled
from ..submissions.submission import Typed
from .legality import is_hidden
from .precision import Reading

HIDDEN_SCORE = Typed("-inf", infinite=-1)
HIDDEN_WEIGHT = Typed("0", fmpq(0))
ONE_UNIT = fmpq(1)


def with_masked_cells(bound: Bound, values: Values, bits: int) -> Bound:
    """Return the same answers, with blank cells read as masked where the right answer masks them."""
    steps = tuple(_filled(filled, values, bits) if filled.kind == "partial" else filled for filled in bound.steps)
    return replace(bound, steps=steps)


def _filled(filled: Filled, values: Values, bits: int) -> Filled:
    step = filled.step
    try:
        rows = entries(values.enclosure(step.key, bits))
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


def unmasked_cells(node: Node, reading: Reading, values: Callable[[str], Box]) -> frozenset[Where]:
    """Return the cells that should be hidden but hold the score itself: the mask was not applied.

    One whole number in all of them is a filler, such as −100, whatever the scores are.
    """
    before = node.args[0] if isinstance(node, op.Keep) else _unmasked(node, values)
    finite = {at: typed for at, typed in reading.values.items() if isinstance(typed, fmpq)}
    if before is None or not finite:
        return frozenset()
    box, scores = evaluate(node, values), evaluate(before, values)
    fills = {at: typed for at, typed in finite.items() if is_hidden(box[at[0]][at[1]])}
    if len(set(fills.values())) == 1 and all(typed.denominator == 1 for typed in fills.values()):
        return frozenset()
    return frozenset(at for at in fills if not reading.preimage(at, "round", ONE_UNIT).refuses(scores[at[0]][at[1]]))


def _unmasked(node: Node, values: Callable[[str], Box]) -> Node | None:
    """Return the scores in a sum of scores and a mask of 0 and −∞."""
    masks = [
        argument
        for argument in node.args
        if isinstance(argument, op.Ref) and any(map(is_hidden, chain.from_iterable(values(argument.key))))
    ]
    scores = [argument for argument in node.args if argument not in masks and argument.shape == node.shape]
    return scores[0] if isinstance(node, op.Add) and masks and scores else None


def is_softmax(step: Step) -> bool:
    """Return whether a step's entries are weights: a softmax, or one written out as its exponentials over their sum."""
    node = step.node
    while isinstance(node, op.Transpose | op.Ref) and node.args:
        node = node.args[0]
    return isinstance(node, op.Softmax) or step.lesson is not None and step.base in ("A", "A_masked", "E")


def softmax_axes(node: Node, key: str) -> Iterator[str]:
    """Return the lines of a step along which a formula takes weights.

    `softmax(S)` takes them along the rows of S, `softmax(S.T).T` along its columns.
    """
    for argument in node.args:
        yield from softmax_axes(argument, key)
    if isinstance(node, op.Softmax):
        inside, flipped = node.args[0], False
        while isinstance(inside, op.Transpose):
            inside, flipped = inside.args[0], not flipped
        if isinstance(inside, op.Ref) and inside.key == key:
            yield from ("rows", "columns") if node.axis == "all" else ("columns",) if flipped else ("rows",)
