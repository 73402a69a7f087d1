"""The values of a plan's steps as certified matrices, at as many bits as a question needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from flint import arb_mat, ctx, fmpq, fmpq_mat

from .arithmetic.certified import Certified, Run
from .arithmetic.decisions import NeedsPrecision
from .arithmetic.exact import ExactCells
from .arithmetic.formal import INFINITY, Formal, number
from .arithmetic.matrices import Matrix, Mixed, Rows, entries, exactly, is_exact, is_infinite
from .errors import AttncalcError, Diagnostic, DivisionByZero, FormulaError, Location
from .formula.node import Node
from .lessons import fault_message
from .plan import Given, Plan, Step

MOST_BITS = 1 << 17
MOST_BITS_TIMES_ENTRIES = 1 << 24
BITS_OF_A_STEP = 8  # that a stack may lose in each step
ROUNDED_TO_ZERO = (
    "on paper a small number may be rounded to 0; with more digits it is kept (rounding: {digits: ...}, or --digits)"
)
WORD = 64  # bits
GLANCE = 500  # term operations of a formal proof that is tried before more bits are
GLANCES = 20_000  # and of all of them


def shared_level(bits: int) -> int:
    """The next of the working precisions that steps share: whole words of 64 bits, two at least (one is hardly faster),
    and four between a power of two and the next.

    With a precision of its own for each step, a stack of layers would be worked out from its beginning for every step.
    """
    unit = max(WORD, 1 << max(0, bits.bit_length() - 3))
    return max(2 * WORD, -(-bits // unit) * unit)


class Values:
    """The values of a plan's givens and steps, worked out when asked for, at as many bits as the question needs.

    `cells` proves single entries formally; `glance` does so where it takes next to nothing.
    """

    def __init__(self, plan: Plan, settle: Callable[[Values, Step, Matrix], Matrix] | None = None):
        self.plan = plan
        self.settle = settle
        self.exact: dict[str, Matrix] = {one.key: plan.literals.matrix(one.node) for one in plan.numbers}
        self.levels: dict[int, dict[str, Matrix]] = {}
        self.latest = dict(self.exact)
        self.failed: dict[str, AttncalcError] = {}
        known = _Known(plan, self.latest, settle is not None)
        self.cells = ExactCells(known.cell, definition=known.definition)
        self.glance = ExactCells(known.cell, GLANCE, GLANCES, known.definition)
        self.arithmetic = Certified(self.cells, plan.literals)

    @cached_property
    def most_bits(self) -> int:
        """The precision beyond which nothing is worked out."""
        deepest = max(self.plan.depths.values(), default=0)
        return max(512, BITS_OF_A_STEP * deepest, min(MOST_BITS, MOST_BITS_TIMES_ENTRIES // max(1, self.plan.size)))

    def at(self, key: str, bits: int) -> Matrix:
        """An enclosure of a step's value, worked out with at least so many bits."""
        if key in self.exact:
            return self.exact[key]
        bits = shared_level(bits)
        while True:
            try:
                return self._level(key, bits)
            except NeedsPrecision:
                bits *= 2

    def rows(self, step: Step, bits: int) -> Rows:
        """The entries of a step. A row of a product is exact where its row on the left is: a token that sees itself
        alone.
        """
        value = self.at(step.key, bits)
        rows = entries(value)
        node = step.node
        if node.operation == "matmul" and type(value) is arb_mat:
            one, other = node.args
            if one.operation == other.operation == "ref":
                left, right = self.latest[one.params[0]], self.latest[other.params[0]]
                if type(left) is arb_mat and type(right) is fmpq_mat:
                    self.make_exact(rows, left, right)
        return rows

    def make_exact(self, rows: Rows, left: arb_mat, right: fmpq_mat) -> None:
        """Puts exact rows into those of a product where the rows on the left are exact."""
        m = left.ncols()
        for i in range(len(rows)):
            if left[i, 0].is_exact():  # most rows are not
                weights = [exactly(left[i, k]) for k in range(m)]
                if None not in weights:
                    rows[i] = (fmpq_mat(1, m, weights) * right).entries()

    def _level(self, key: str, bits: int) -> Matrix:
        level = self.levels.setdefault(bits, {})
        if key in level:
            return level[key]
        known = {**level, **self.exact}
        run = self.arithmetic.run(known)
        with ctx.workprec(bits):
            for one in self.plan.behind(key):
                if one not in known:
                    known[one] = level[one] = self.latest[one] = self._work_out(one, run, bits)
        return known[key]

    def _work_out(self, key: str, run: Run, bits: int) -> Matrix:
        """A step's value at so many bits. A step that has none is remembered with its fault, which later
        steps share.
        """
        if key in self.failed:
            raise self.failed[key]
        entry = self.plan.entries[key]
        try:
            value = run.value(entry.node)
            if self.settle is not None and isinstance(entry, Step):
                value = self.settle(self, entry, value)
        except FormulaError as error:
            said = f"{entry.name}: {_said(entry, error)}"
            if self.settle is not None and isinstance(error, DivisionByZero):
                said += f"; {ROUNDED_TO_ZERO}"
            self.failed[key] = AttncalcError(Diagnostic(said, _within(entry, error.at)))
            raise self.failed[key] from None
        except NeedsPrecision as question:
            if 2 * bits <= self.most_bits:
                raise
            self.failed[key] = AttncalcError(
                Diagnostic(f"{entry.name}: it could not be decided with {bits} bits {question}", entry.place)
            )
            raise self.failed[key] from None
        if type(value) is fmpq_mat or is_exact(value):
            self.exact[key] = value
        return value


class _Known:
    """What formal proofs are told of givens and steps. On paper a step is its rounded value, not its formula's."""

    def __init__(self, plan: Plan, latest: dict[str, Matrix], on_paper: bool):
        self.plan = plan
        self.latest = latest
        self.on_paper = on_paper

    def definition(self, key: str) -> Node | None:
        """The formula of a given or a step, where its value is that."""
        entry = self.plan.entries[key]
        return None if self.on_paper and isinstance(entry, Step) else entry.node

    def cell(self, key: str, i: int, j: int) -> Formal | None:
        """One entry's exact value, None where it is not known: its formula then tells it. A ball without a radius is
        exact as well.
        """
        value = self.latest.get(key)
        if value is None:
            return None
        x = value.rows[i][j] if isinstance(value, Mixed) else value[i, j]
        if isinstance(x, fmpq):
            return number(x)
        if is_infinite(x):
            return INFINITY[1 if x > 0 else -1]
        q = exactly(x)
        return None if q is None else number(q)


def _said(entry: Given | Step, error: FormulaError) -> str:
    return fault_message(error, entry.lesson, entry.base) if isinstance(entry, Step) else error.message


def _within(entry: Given | Step, at: int) -> Location:
    """The place of a step's formula; `at` counts only where the author wrote that formula in the file."""
    return entry.place.shifted(at) if isinstance(entry, Step) and entry.lesson is None else entry.place
