"""Precision escalation: queries about single entries of a step, repeated with more bits and longer proofs until each
is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .arithmetic.exact.exact_evaluator import ExactCells
from .arithmetic.matrix_types import Entry, Rows
from .arithmetic.working_precision import working_precision
from .formula.typed_formula import Where
from .plan import Step
from .step_values import Values

Query = Callable[[Entry, int, int], Any]


class PrecisionEscalation:
    """Precision and proof effort spent on queries about a step; raises both until the queries are decided."""

    def __init__(self, values: Values, step: Step, bits: int):
        self.values = values
        self.step = step
        self.bits = bits
        self.cells = values.quick_cells

    def answers(self, query: Query) -> list[list[Any]]:
        """Return the query's answer for every entry; None if no effort decides it."""
        rows = self.values.rows(self.step, self.bits)
        with working_precision(self.bits):
            results = [[query(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        self.retry(
            [(i, j) for i, row in enumerate(results) for j, answer in enumerate(row) if answer is None], results, query
        )
        return results

    def retry(self, cells: list[Where], results: list[list[Any]], query: Query) -> list[Where]:
        """Repeat the query with more effort until every cell has an answer; return the cells without one."""
        start = self.bits, self.cells
        for effort in self.escalation_steps() if cells else ():
            self.bits, self.cells = effort
            rows = self.values.rows(self.step, self.bits)
            with working_precision(self.bits):
                for i, j in cells:
                    results[i][j] = query(rows[i][j], i, j)
            cells = [(i, j) for i, j in cells if results[i][j] is None]
            if not cells:
                break
        self.bits, self.cells = start
        return cells

    def escalation_steps(self) -> Iterator[tuple[int, ExactCells]]:
        """Yield bits and prover: double precision with quick proofs, then repeatedly doubled precision with full
        proofs.
        """
        bits, most = self.bits, self.values.most_bits
        if bits * 4 <= most:
            yield bits * 2, self.values.quick_cells
            bits *= 4
        yield bits, self.values.cells
        while bits * 2 <= most:
            bits *= 2
            yield bits, self.values.cells

    def highest_precision(self) -> int:
        """Return the highest precision, in bits, that `retry` uses."""
        bits = self.bits
        while bits * 2 <= self.values.most_bits:
            bits *= 2
        return bits

    def finest_rows(self) -> Rows:
        """Return the entries at the highest precision."""
        return self.values.rows(self.step, self.highest_precision())
