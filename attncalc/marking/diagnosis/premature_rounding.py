"""Work by the right method that is not legal (R6): constants or intermediate results that were rounded too early, and
−∞ for a weight of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ...arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding, to_decimals
from ...arithmetic.intervals.interval_evaluator import evaluate
from ...arithmetic.intervals.scalar import Box, has_decimals
from ...arithmetic.matrix_types import is_infinite
from ...plan import Step
from ..alternatives import exponentials_and_products
from ..context import StudentValues
from ..legality import SHARP, line_is_compatible, provably_differ
from .evidence import Evidence

FEWEST_DIGITS = 2  # with fewer, rounding too early explains almost anything
MOST_DIGITS = 6  # with more, a program rounded, not a hand


def inaccuracies(search: Evidence) -> Iterator[tuple[str, bool]]:
    """Yield the codes that explain a wrong line, and whether that takes fewer decimals than the line has.

    They are tried last, since they would explain many lines; with fewer decimals also lines that a mistake of the
    catalogue gives.
    """
    if _keeps_infinity(search):
        yield "infinity-kept", False
        return
    digits = search.reading.digits
    if not FEWEST_DIGITS <= digits <= MOST_DIGITS or all(
        has_decimals(search.right[i][j], digits) for i, j in search.wrong
    ):
        return  # there was nothing to round, or a program rounded it
    if any(map(search.reproduced, _rounded_early(search, digits))):
        yield "rounded-too-early", False
    if any(_by_rounded_constants(search, decimals) for decimals in range(digits - 1, 0, -1)):
        yield "constant-rounded", True
    early = (box for kept in range(digits - 1, 0, -1) for box in _rounded_early(search, kept))
    if any(map(search.reproduced, early)):
        yield "rounded-too-early", True


def _rounded_early(search: Evidence, digits: int) -> Iterator[Box]:
    """Yield the boxes of work in which every value is kept to so many decimals alone: e^−4.95 as 0.01; with a decimal
    less than the line has, also of full work from lines that are rounded once more.

    Each box is one way of working: the hull of all would hold numbers that no rounding gives, such as powers of 3
    instead of e. Some give no number (0 / 0).
    """
    context, node = search.context, search.line.step.node
    student_values = StudentValues(context, search.scenario)
    exponentials, _ = exponentials_and_products(context, search.line.step)
    lines: list[Callable[[str], Box]] = [context.printed_values, context.right]
    ways: list[tuple[Callable[[str], Box], IntermediateRounding]] = []

    def once_more(line: Callable[[str], Box], key: str) -> Box:
        box = line(key)
        is_line = isinstance(context.plan.entries[key], Step)
        return [[to_decimals(cell, digits) for cell in row] for row in box] if is_line else box

    if digits == search.reading.digits - 1:
        ways += [(partial(once_more, line), FULL) for line in lines]
    for habit in ("round", "cut"):
        for shifted in (False, True) if exponentials else (False,):
            hand = IntermediateRounding(digits, habit, shifted, exactly=True, fixed=True)
            by_hand: list[Callable[[str], Box]] = [*lines, partial(student_values, working=hand)]
            ways += [(line, hand) for line in by_hand]
    for line, hand in ways:
        box = evaluate(node, line, hand)
        cells = {at: box[at[0]][at[1]] for at in search.wrong}
        if all(cell is not None and search.reading.left_open(at, cell) < 1 for at, cell in cells.items()):
            yield box


def _keeps_infinity(search: Evidence) -> bool:
    """Return whether −∞ stands for nothing but weights that are 0, whatever the scores."""
    pairs = [(search.reading.values[i, j], search.right[i][j]) for i, j in search.wrong]
    zeros = (cell is not None and cell[0] == 0 == cell[1] for _, cell in pairs)
    return bool(pairs) and all(zeros) and all(is_infinite(typed) and typed < 0 for typed, _ in pairs)


def _by_rounded_constants(search: Evidence, decimals: int) -> bool:
    """Return whether the line is what comes of constants kept to so many decimals, and that is not what is right."""
    student_source = StudentValues(search.context, search.scenario)
    fat, sharp = (IntermediateRounding(search.reading.digits, habit, constants=decimals) for habit in ("any", "full"))
    rough, exact = (evaluate(search.line.step.node, lambda key, w=w: student_source(key, w), w) for w in (fat, sharp))  # type: ignore[misc]
    if not (_is_bounded(search, rough) and _is_bounded(search, exact)):
        return False
    moved = any(provably_differ(exact[i][j], search.right[i][j]) for i, j in search.wrong)
    return moved and search.reproduced(rough) and line_is_compatible(search.reading, "round", exact, SHARP)


def _is_bounded(search: Evidence, box: Box) -> bool:
    """Return whether something is known of every wrong entry: 1 / (1 − 0.999) with 0.999 kept as 1.00 explains
    nothing.
    """
    cells = (box[i][j] for i, j in search.wrong)
    return all(cell is not None and (cell[0] == cell[1] or not any(map(is_infinite, cell))) for cell in cells)
