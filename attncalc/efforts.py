"""Questions about single entries of a step, asked again with more bits and longer proofs until each has its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import ctx

from .arithmetic.exact import ExactCells
from .arithmetic.matrices import Entry, Rows
from .formula.node import Where
from .plan import Step
from .values import Values

Query = Callable[[Entry, int, int], Any]


class PrecisionEscalation:
    """The bits and the formal proofs that a question about a step has been given so far."""

    def __init__(self, values: Values, step: Step, bits: int):
        self.values = values
        self.step = step
        self.bits = bits
        self.cells = values.quick_cells

    def answers(self, query: Query) -> list[list[Any]]:
        """What `ask` says of every entry; None for those that no effort answers."""
        rows = self.values.rows(self.step, self.bits)
        with ctx.workprec(self.bits):
            results = [[query(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        self.retry(
            [(i, j) for i, row in enumerate(results) for j, answer in enumerate(row) if answer is None], results, query
        )
        return results

    def retry(self, cells: list[Where], results: list[list[Any]], query: Query) -> list[Where]:
        """Asks again with ever more effort until every cell has an answer; the cells that never get one come back."""
        start = self.bits, self.cells
        for effort in self.escalation_steps() if cells else ():
            self.bits, self.cells = effort
            rows = self.values.rows(self.step, self.bits)
            with ctx.workprec(self.bits):
                for i, j in cells:
                    results[i][j] = query(rows[i][j], i, j)
            cells = [(i, j) for i, j in cells if results[i][j] is None]
            if not cells:
                break
        self.bits, self.cells = start
        return cells

    def escalation_steps(self) -> Iterator[tuple[int, ExactCells]]:
        """Twice the bits with a glance at the formula, then ever twice the bits again with proofs to their bound."""
        bits, most = self.bits, self.values.most_bits
        if bits * 4 <= most:
            yield bits * 2, self.values.quick_cells
            bits *= 4
        yield bits, self.values.cells
        while bits * 2 <= most:
            bits *= 2
            yield bits, self.values.cells

    def highest_precision(self) -> int:
        """The most bits that `retry` came to."""
        bits = self.bits
        while bits * 2 <= self.values.most_bits:
            bits *= 2
        return bits

    def finest_rows(self) -> Rows:
        """The entries at the most bits that `retry` came to."""
        return self.values.rows(self.step, self.highest_precision())
