"""Work by the right method that is not legal (R6): constants or intermediate results that were rounded too early, and
−∞ for a weight of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flint import fmpq

from ...arithmetic.intervals.intermediate_rounding import IntermediateRounding, to_decimals
from ...arithmetic.intervals.interval_evaluator import evaluate
from ...arithmetic.intervals.scalar import Box, has_decimals
from ...arithmetic.matrix_types import is_infinite
from ...plan import Step
from ..alternatives import exponentials_and_products
from ..context import StudentValues
from ..legality import SHARP, line_is_compatible, provably_differ, rounding_schemes
from .evidence import Evidence

FEWEST_DIGITS = 2  # with fewer, rounding too early explains almost anything
MOST_DIGITS = 6  # with more, a program rounded, not a hand
MOST_UNITS = 3  # of the last digit, by which work that only rounds too early may be off


def inaccuracies(search: Evidence) -> Iterator[str]:
    """Yield the codes that explain a wrong line. They are tried last, since they would explain many lines."""
    if _keeps_infinity(search):
        yield "infinity-kept"
        return
    digits = search.reading.digits
    if not FEWEST_DIGITS <= digits <= MOST_DIGITS or all(
        has_decimals(search.right[i][j], digits) for i, j in search.wrong
    ):
        return  # there was nothing to round, or a program rounded it
    if any(map(search.reproduced, _by_decimals_alone(search))):
        yield "rounded-too-early"
    if any(_by_rounded_constants(search, decimals) for decimals in range(digits - 1, 0, -1)):
        yield "constant-rounded"
    near = line_is_compatible(search.reading, "round", search.right, fmpq(MOST_UNITS))
    early = (
        box for kept in range(digits - 1, 0, -1) for box in _rounded_early(search, kept, plainly=kept < digits - 1)
    )
    if near and any(_is_bounded(search, box) and search.reproduced(box) for box in early):
        yield "rounded-too-early"


def _by_decimals_alone(search: Evidence) -> Iterator[Box]:
    """Yield the boxes of work in which every value is kept to the line's decimals alone: e^−4.95 as 0.01.

    Each box is one way of working. Some give no number (0 / 0).
    """
    context, node, reading = search.context, search.line.step.node, search.reading
    student_source = StudentValues(context, search.scenario)
    exponentials, _ = exponentials_and_products(context, search.line.step)
    for habit in ("round", "cut"):
        for shifted in (False, True) if exponentials else (False,):
            hand = IntermediateRounding(reading.digits, habit, shifted, exactly=True, fixed=True)
            for source in (context.printed_values, context.right, lambda key, w=hand: student_source(key, w)):  # type: ignore[misc]
                box = evaluate(node, source, hand)
                cells = {at: box[at[0]][at[1]] for at in search.wrong}
                if all(cell is not None and reading.left_open(at, cell) < 1 for at, cell in cells.items()):
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


def _rounded_early(search: Evidence, digits: int, plainly: bool) -> Iterator[Box]:
    """Yield the boxes of work that keeps too few digits in all unwritten values, or that rounds lines once more.

    Each way of working has its own box: the hull of all would hold numbers that no rounding gives, such as powers of 3
    instead of e.

    `plainly` leaves one way: start from the numbers on paper and round each value. With very few digits, the many ways
    would give almost every number near the right one, which is no evidence.
    """
    context = search.context

    def coarse(boxes: Callable[[str], Box]) -> Callable[[str], Box]:
        def box(key: str) -> Box:
            is_line = isinstance(context.plan.entries[key], Step)
            return [[to_decimals(cell, digits) if is_line else cell for cell in row] for row in boxes(key)]

        return box

    exponentials, products = exponentials_and_products(context, search.line.step)
    if plainly:
        yield evaluate(
            search.line.step.node, context.printed_values, IntermediateRounding(digits, "round", exactly=True)
        )
        return
    for source in (context.printed_values, coarse(context.printed_values), coarse(context.right)):
        for way in rounding_schemes(digits, exponentials, products):
            yield evaluate(search.line.step.node, source, way._replace(exactly=True))
