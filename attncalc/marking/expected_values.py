"""The numbers that a report shows next to a line: the right ones, and those that follow from the student's earlier
lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from ..arithmetic.intervals.scalar import Interval
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import decimal_text, power_of_ten, round_rational, rounding_boundary
from ..certified_decimals import Printer, midpoint
from ..plan import Step
from ..step_values import Values
from .context import MarkingContext
from .legality import entry_is_compatible
from .line import Line
from .precision import HABITS

LEAST_DIGITS = 2  # of a right entry beside one that was typed as a fraction
THIN = 10**6  # an enclosure so much thinner than a unit of the last digit, which holds a tie, is that tie


@dataclass(frozen=True, slots=True)
class CellReport:
    """One entry that differs: the typed text, the right number, and the number that follows from the student's earlier
    lines.
    """

    row: int
    column: int
    typed: str
    right: str
    from_own: str


def expected_matrices(context: MarkingContext, line: Line) -> tuple[list[list[str]], list[list[str]]]:
    """Return the right matrix, and the one that follows from the student's lines, rounded as the sheet asks to the
    digits of the line or sheet.
    """
    mode, digits = line.part.rounding.mode, line.reading.digits  # type: ignore[union-attr]  # it was read
    if line.is_index_valued:
        digits = 0
    elif line.part.rounding_stated:
        digits = max(digits, line.part.rounding.digits)
    elif not digits:
        digits = 0 if _is_whole(right_texts(context.true, line.step, LEAST_DIGITS, mode)) else LEAST_DIGITS
    values = context.solution if digits == line.part.rounding.digits else context.true
    return right_texts(values, line.step, digits, mode), _from_prints(context, line, digits)


def _is_whole(texts: list[list[str]]) -> bool:
    return all(text.endswith(("." + "0" * LEAST_DIGITS, "inf")) for row in texts for text in row)


def differing(
    context: MarkingContext, line: Line, right: list[list[str]], from_own: list[list[str]]
) -> list[CellReport]:
    """Return the entries that differ from the right ones, with the corresponding entries of both matrices."""
    reading = line.reading
    if reading is None:
        return []
    box = context.right(line.step.key)
    reports = []
    for at in line.cells or list(reading.values):
        i, j = at
        if line.verdict == "carried" and any(entry_is_compatible(reading, habit, box, at) for habit in HABITS):
            continue
        reports.append(CellReport(i, j, line.filled.cells[at].text, right[i][j], from_own[i][j]))
    return reports


def right_texts(values: Values, step: Step, digits: int, mode: str) -> list[list[str]]:
    """Return the right entries to so many decimals, rounded by the problem's mode, every digit proven."""
    return Printer(values, step, digits, mode).decimals().texts


def _from_prints(context: MarkingContext, line: Line, digits: int) -> list[list[str]]:
    """Return what follows from the numbers that the student wrote, taken as exact."""
    box = context.on_paper(line.step)
    return [[middle(cell, digits, line.part.rounding.mode) for cell in row] for row in box]


def middle(cell: Interval, digits: int, mode: str) -> str:
    """Return the middle of an enclosure as a decimal, for people; it is not proven.

    If the print changes at one number in the enclosure, return that number: an enclosure of 1/2 is cut to 0.50, not to
    0.49.
    """
    if cell is None:
        return "?"
    if cell[0] is cell[1] and is_infinite(cell[0]):
        return "-inf" if cell[0] < 0 else "inf"
    if not all(isinstance(end, fmpq) or end.is_finite() for end in cell):
        return "?"
    exact = cell[0] if isinstance(cell[0], fmpq) and cell[0] == cell[1] else None
    x = _middle(arb(cell[0]).union(arb(cell[1])), digits, mode) if exact is None else exact
    return decimal_text(round_rational(x, digits, mode), digits)


def _middle(ball: arb, digits: int, mode: str) -> fmpq:
    center, edge = midpoint(ball), rounding_boundary(ball, digits, mode)
    near = edge is not None and ball.contains(edge) and abs(center - edge) * power_of_ten(digits) * THIN < 1
    return edge if near and edge is not None else center
