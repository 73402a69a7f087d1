"""The boxes that a line may have come from: one for each equal order of it and of the unwritten steps before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, Interval
from ..arithmetic.matrix_types import is_infinite
from ..formula import operations as op
from ..formula.operations import entry_of, row_of
from ..formula.typed_formula import Node, Where
from .legality import entry_is_compatible, is_hidden
from .line import Source
from .precision import EXACTLY, Reading

Finish = Callable[[Node, Box, Source, IntermediateRounding], Box]


class LineEnclosures:
    """The formulas of a line, each with the boxes that it starts from. Calculated boxes are cached."""

    def __init__(self, formulas: list[Node], sources: Iterable[Source], finish: Finish | None = None):
        self.ways = [(node, source) for source in sources for node in formulas]
        # Without rounding on the way, all sources of a line that were left open say the same
        self.in_full = len(formulas)
        self.finish = finish
        self.known: dict[tuple[IntermediateRounding, int], Box] = {}
        self.rows: dict[tuple[IntermediateRounding, int, int], list[Interval]] = {}
        self.entries: dict[tuple[IntermediateRounding, int, Where], Interval] = {}

    def boxes(self, working: IntermediateRounding) -> Iterator[Box]:
        """Yield the line's box by each route; it is calculated when it is asked for."""
        for k in range(self.in_full if working is FULL else len(self.ways)):
            yield self.box(working, k)

    def box(self, working: IntermediateRounding, k: int) -> Box:
        """Return the box by route k and this working. Cached."""
        if (working, k) not in self.known:
            node, source = self.ways[k]
            box = evaluate(node, lambda key: source(key, working), working)
            self.known[working, k] = box if self.finish is None else self.finish(node, box, source, working)
        return self.known[working, k]

    def possible(self, reading: Reading, working: IntermediateRounding) -> Iterator[Box]:
        """Yield the enclosures whose first row is compatible with the line; the others cannot match."""
        for k in range(len(self.ways)):
            if (working, k) in self.known or not self.first_row_misses(reading, working, k):
                yield self.box(working, k)

    def row(self, working: IntermediateRounding, k: int, i: int) -> list[Interval]:
        """Return one row of the box by route k. Cached."""
        if (working, k, i) not in self.rows:
            node, source = self.ways[k]
            self.rows[working, k, i] = evaluate(row_of(node, i), lambda key: source(key, working), working)[0]
        return self.rows[working, k, i]

    def entry(self, working: IntermediateRounding, k: int, at: Where) -> Interval:
        """Return one entry of the box by route k. Cached."""
        if (row := self.rows.get((working, k, at[0]))) is not None:
            return row[at[1]]
        if (working, k, at) not in self.entries:
            node, source = self.ways[k]
            if isinstance(alone := entry_of(node, *at), op.Take):  # it takes the whole row, as a weight does
                return self.row(working, k, at[0])[at[1]]
            self.entries[working, k, at] = evaluate(alone, lambda key: source(key, working), working)[0][0]
        return self.entries[working, k, at]

    def is_far(self, reading: Reading, working: IntermediateRounding, slack: fmpq, k: int = 0) -> bool:
        """Return whether the first answered row proves that a route misses the line by more than `slack` units, by any
        habit.
        """
        if isinstance(self.ways[k][0], op.ArgmaxRows):
            return False
        places = self.telling(reading)
        if places and self.misses(reading, places[0], self.entry(working, k, places[0]), slack):
            return True
        row = self.row(working, k, min(at[0] for at in reading.values))
        return any(self.misses(reading, at, row[at[1]], slack) for at in places)

    def telling(self, reading: Reading) -> list[Where]:
        """Return the places of the first answered row that can show that a number differs."""
        first = min(at[0] for at in reading.values)
        row = (at for at in reading.values if at[0] == first and reading.units[at] <= 1)
        return [at for at in row if not is_infinite(reading.values[at])]

    def misses(self, reading: Reading, at: Where, cell: Interval, slack: fmpq = EXACTLY) -> bool:
        """Return whether an entry that is not hidden is another than was typed, by more than so many units."""
        return not is_hidden(cell) and reading.is_far(at, cell, slack)

    def first_row_misses(self, reading: Reading, working: IntermediateRounding, k: int) -> bool:
        """Return whether the first answered row alone shows that a route does not lead to the line.

        A hidden score is judged by the rest of its column, and a program's error bound takes the whole matrix, so they
        show nothing.
        """
        node, _ = self.ways[k]
        if node.shape[0] == 1 or isinstance(node, op.ArgmaxRows) or reading.program is not None:
            return False
        if self.is_far(reading, working, EXACTLY, k):
            return True
        first = min(at[0] for at in reading.values)
        row = self.row(working, k, first)
        places = [(i, j) for i, j in reading.values if i == first and not is_hidden(row[j])]
        box = [row] * (first + 1)
        return not any(all(entry_is_compatible(reading, habit, box, at) for at in places) for habit in reading.habits)
