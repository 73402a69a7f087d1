"""The evidence of a line's numbers for an explanation, in bits (rule R10)."""

from __future__ import annotations

from functools import cached_property
from math import inf, log2

from flint import fmpq

from ...arithmetic.intervals.scalar import Box, Interval, approximate, is_whole, is_whole_point
from ...arithmetic.matrix_types import is_infinite
from ...formula import operations as op
from ...formula.typed_formula import Where
from ..context import MarkingContext
from ..informativeness import incorrect_entries
from ..legality import entry_is_compatible, is_hidden, line_is_compatible
from ..line import CarryScenario, Line
from ..precision import HABITS, Reading

SATURATED_BITS = 1.7  # an entry that prints as 0 or 1
HIDDEN_BITS = 6.0  # an entry that was hidden and should not be


class Evidence:
    """The bits of evidence in the entries of one line. `right` are the expected entries, from the student's own lines
    in a scenario.
    """

    def __init__(self, context: MarkingContext, line: Line, scenario: CarryScenario, right: Box):
        self.context = context
        self.line = line
        self.scenario = scenario
        self.right = right
        self.reading: Reading = line.reading  # type: ignore[assignment]
        wrong = [at for at in self.reading.values if not self.may_be(at)]
        self.wrong = wrong or incorrect_entries(line, self.reading, right)
        # The bits of an entry that an explanation reproduces
        self.worth = {
            at: HIDDEN_BITS if is_infinite(typed) else self.range_of(at) for at, typed in self.reading.values.items()
        }

    def may_be(self, at: Where) -> bool:
        """Return whether an entry may be the right number, rounded or truncated."""
        return any(entry_is_compatible(self.reading, habit, self.right, at) for habit in HABITS)

    def reproduced(self, box: Box) -> bool:
        """Return whether a box holds every number of the line, kept by one of the habits."""
        return any(line_is_compatible(self.reading, habit, box) for habit in HABITS)

    def range_of(self, at: Where) -> float:
        """Return log₂ of the count of numbers that the entry could be, in units of its last digit; a weight lies from 0
        to 1.
        """
        typed, unit = self.reading.values[at], self.reading.units[at]
        if self.line.is_index_valued:  # one of a few
            return log2(max(1.0, 2 * self.spread))
        finest = self.finest(at)
        if isinstance(self.line.step.node, op.Softmax) and -unit <= typed <= 1 + unit:
            return log2(max(1.0, 1 / finest)) * (1 - 1 / max(2, self.line.step.shape[1]))
        return log2(max(1.0, 2 * self.spread / finest))

    def finest(self, at: Where) -> float:
        """Return the unit of the last digit that is evidence: decimals after the sixth add none."""
        return approximate(max(self.reading.units[at], fmpq(1, 10**6)))

    @cached_property
    def rows_not_summing_to_1(self) -> set[int]:
        """The rows of weights that do not add up to 1, however they were rounded."""
        if not isinstance(self.line.step.node, op.Softmax) or self.reading.program is not None:
            return set()
        rows: dict[int, list[Where]] = {}
        for at, typed in self.reading.values.items():
            if not is_infinite(typed):
                rows.setdefault(at[0], []).append(at)
        whole = (row for row in rows.values() if len(row) == self.line.step.shape[1])
        values, units = self.reading.values, self.reading.units
        return {row[0][0] for row in whole if abs(sum(values[at] for at in row) - 1) > sum(units[at] for at in row)}

    @cached_property
    def spread(self) -> float:
        """The largest size of an entry of the line, typed or expected."""
        sizes = [abs(approximate(v)) for v in self.reading.values.values() if not is_infinite(v)]
        sizes += [abs(approximate(c[0])) for row in self.right for c in row if c is not None and not is_infinite(c[0])]
        return max(sizes)

    @cached_property
    def most_of_whole(self) -> float:
        """The bits that an entry of a line of whole numbers is worth at most, however many zeros were typed behind."""
        cells = [self.right[i][j] for i, j in self.reading.values]
        right = all(cell is not None and is_whole_point(cell) for cell in cells)
        return log2(2 * self.spread + 1) if right and all(map(is_whole, self.reading.values.values())) else inf

    def evidence(self, box: Box) -> float:
        """Return the bits of the wrong entries that the explanation reproduces; a wide enclosure is worth less."""
        pairs = [(at, cell) for at in self.wrong if (cell := box[at[0]][at[1]]) is not None]
        saturated = {at for at, cell in pairs if self.is_saturated(at, cell)}
        total = sum(self.bits_of_saturated(at) if at in saturated else self.bits_within(at, cell) for at, cell in pairs)
        # Weights of 0 and 1 alone that do not add up to 1 come of no softmax along the row
        return total + HIDDEN_BITS * len(
            {i for i, _ in saturated if self.has_zeros_and_ones(i)} & self.rows_not_summing_to_1
        )

    def is_saturated(self, at: Where, cell: Interval) -> bool:
        """Return whether an entry is a weight that prints as 0 or as 1, as typed or by an explanation."""
        values, units = self.reading.values, self.reading.units
        weight = isinstance(self.line.step.node, op.Softmax) and not is_hidden(cell)
        return weight and (values[at] in (0, 1) or _saturated(cell, units[at]))

    def has_zeros_and_ones(self, row: int) -> bool:
        return all(typed in (0, 1) for (i, _), typed in self.reading.values.items() if i == row)

    def bits_of_saturated(self, at: Where) -> float:
        """Return the bits of a weight that prints as 0 or as 1. It has many where it should be hidden, whatever the
        scores are.
        """
        right, typed = self.right[at[0]][at[1]], self.reading.values[at]
        shown = right is not None and right[0] == right[1] == 0 and typed != 0
        return HIDDEN_BITS if shown else min(SATURATED_BITS, self.worth[at])

    def bits_within(self, at: Where, cell: Interval) -> float:
        """Return the bits of another entry, less the width of the explanation's enclosure."""
        assert cell is not None  # `evidence` leaves out entries without a value
        if is_hidden(cell) or is_infinite(self.reading.values[at]):
            return self.worth[at]
        return max(0.0, self.range_of(at) - log2(1 + approximate(cell[1] - cell[0]) / self.finest(at)))


def _saturated(cell: Interval, unit: fmpq) -> bool:
    """Return whether an entry prints as 0 or as 1; what is far below or above is no weight, and says much."""
    assert cell is not None
    return bool(-unit <= cell[0] and cell[1] <= unit or 1 - unit <= cell[0] and cell[1] <= 1 + unit)
