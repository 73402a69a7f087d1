"""Certified values of a plan's steps, computed with the precision that a caller needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from flint import arb_mat, fmpq, fmpq_mat

from . import limits
from .arithmetic.balls import Certified, NeedsPrecision, Run
from .arithmetic.budget import MOST_SECONDS, USUAL_BITS, Meter, total_work
from .arithmetic.exact.exact_evaluator import ExactCells
from .arithmetic.exact.quotient_form import INFINITY, Formal, number
from .arithmetic.matrix_types import Matrix, Mixed, Rows, entries, exact_value, is_exact, is_infinite
from .arithmetic.working_precision import working_precision
from .errors import AttncalcError, Diagnostic, DivisionByZero, FormulaError, Location
from .formula import operations as op
from .formula.typed_formula import Node
from .lessons import fault_message
from .plan import Given, Plan, Step

MOST_BITS = limits.BITS.most
MOST_BITS_TIMES_ENTRIES = 1 << 24
BITS_OF_A_STEP = 8  # bits that each step may lose
ROUNDED_TO_ZERO = "rounding can turn a small number into 0; keep more digits (rounding: {digits: ...}, or --digits)"
WORD = 64  # bits
QUICK_PROOF = 500  # most term operations of a proof that is tried before the precision is raised
QUICK_PROOFS = 20_000  # most term operations of all these proofs together


def shared_precision(bits: int) -> int:
    """Round a precision in bits up to a multiple of 64: at least 128, and about four different values per power of two.

    Steps with the same precision share values, so a stack of layers is not computed again for each step.
    """
    unit = max(WORD, 1 << max(0, bits.bit_length() - 3))
    return max(2 * WORD, -(-bits // unit) * unit)


class Values:
    """The values of a plan's givens and steps, computed on demand with any precision.

    `cells` proves values of single entries. `quick_cells` does this with a small limit of work. `before` holds values
    of the plan's first steps, which are reused.
    """

    def __init__(
        self,
        plan: Plan,
        round_step: Callable[[Values, Step, Matrix], Matrix] | None = None,
        before: Values | None = None,
    ):
        self.plan = plan
        self.round_step = round_step
        self.exact: dict[str, Matrix] = {
            given.key: plan.literals.matrix(given.node) for given in plan.numbers if isinstance(given.node, op.Literal)
        }
        self.levels: dict[int, dict[str, Matrix]] = {}
        self.paid: set[str] = set()  # steps that were computed once; the plan's budget includes their first evaluation
        if before is not None:
            self.exact, self.levels, self.paid = {**before.exact, **self.exact}, before.levels, before.paid
        self.latest = dict(self.exact)
        self.faults: dict[str, AttncalcError] = {}
        self.work = Meter(plan.seconds)
        known = _KnownEntries(plan, self.latest, round_step is not None)
        self.cells = ExactCells(known.cell, definition=known.definition)
        self.quick_cells = ExactCells(known.cell, QUICK_PROOF, QUICK_PROOFS, known.definition)
        self.arithmetic = Certified(self.cells, plan.literals)

    @cached_property
    def most_bits(self) -> int:
        """The highest working precision."""
        deepest = max(self.plan.depths.values(), default=0)
        return max(512, BITS_OF_A_STEP * deepest, min(MOST_BITS, MOST_BITS_TIMES_ENTRIES // max(1, self.plan.size)))

    def enclosure(self, key: str, bits: int) -> Matrix:
        """Return an enclosure of a step's value, computed with a precision of at least `bits`."""
        if key in self.exact:
            return self.exact[key]
        bits = shared_precision(bits)
        while True:
            try:
                return self._level(key, bits)
            except NeedsPrecision:
                bits *= 2

    def within(self, bits: Sequence[int]) -> list[int]:
        """Return the first precision, and those of the others that are at most `most_bits`. Use it for optional
        queries.
        """
        return [precision for k, precision in enumerate(bits) if not k or precision <= self.most_bits]

    def rows(self, step: Step, bits: int) -> Rows:
        """Return the entries of a step as rows.

        A row of a product is exact if the left operand's row is exact, for example if a token attends only to itself.
        """
        value = self.enclosure(step.key, bits)
        rows = entries(value)
        node = step.node
        if isinstance(node, op.MatMul) and type(value) is arb_mat:
            left_operand, right_operand = node.args
            if isinstance(left_operand, op.Ref) and isinstance(right_operand, op.Ref):
                left, right = self.latest[left_operand.key], self.latest[right_operand.key]
                if type(left) is arb_mat and type(right) is fmpq_mat:
                    self.make_exact(rows, left, right)
        return rows

    def make_exact(self, rows: Rows, left: arb_mat, right: fmpq_mat) -> None:
        """Replace ball rows of a matrix product by exact rows if the left operand's row is exact."""
        m = left.ncols()
        for i in range(len(rows)):
            if left[i, 0].is_exact():  # most rows are not exact
                weights = [exact_value(left[i, k]) for k in range(m)]
                if None not in weights:
                    rows[i] = (fmpq_mat(1, m, weights) * right).entries()

    def _level(self, key: str, bits: int) -> Matrix:
        level = self.levels.setdefault(bits, {})
        if key in level:
            return level[key]
        known = {**level, **self.exact}
        run = self.arithmetic.run(known)
        with working_precision(bits):
            for ancestor in self.plan.ancestors(key):
                if ancestor not in known:
                    known[ancestor] = level[ancestor] = self.latest[ancestor] = self._work_out(ancestor, run, bits)
        return known[key]

    def _work_out(self, key: str, run: Run, bits: int) -> Matrix:
        """Return a step's value, computed with a precision of `bits`. An error is stored, and raised again at the next
        call.
        """
        if key in self.faults:
            raise self.faults[key]
        entry = self.plan.entries[key]
        work = total_work(entry.node)
        seconds = work.seconds(bits) - (0 if key in self.paid else work.seconds(USUAL_BITS))
        self.paid.add(key)
        if not self.work.take(max(0, seconds)):
            message = limits.SECONDS.exceeded(
                f"{MOST_SECONDS - self.work.left:,.1f} s, because its digits need {bits:,} bits"
            )
            raise AttncalcError(Diagnostic(f"{entry.name}: {message}; or ask for fewer digits", entry.place))
        try:
            value = run.value(entry.node)
            if self.round_step is not None and isinstance(entry, Step):
                value = self.round_step(self, entry, value)
        except FormulaError as error:
            message = f"{entry.name}: {_fault_message(entry, error)}"
            if self.round_step is not None and isinstance(error, DivisionByZero):
                message += f"; {ROUNDED_TO_ZERO}"
            self.faults[key] = AttncalcError(Diagnostic(message, _place_in(entry, error.at)))
            raise self.faults[key] from None
        except NeedsPrecision as question:
            if 2 * bits <= self.most_bits:
                raise
            self.faults[key] = AttncalcError(
                Diagnostic(
                    f"{entry.name}: it could not be decided with {bits:,} bits {question}; {limits.BITS.remedy}",
                    entry.place,
                )
            )
            raise self.faults[key] from None
        if type(value) is fmpq_mat or is_exact(value):
            self.exact[key] = value
        return value


class _KnownEntries:
    """The known entries of givens and steps, for proofs. In work on paper, the values of steps are rounded."""

    def __init__(self, plan: Plan, latest: dict[str, Matrix], rounds_steps: bool):
        self.plan = plan
        self.latest = latest
        self.rounds_steps = rounds_steps

    def definition(self, key: str) -> Node | None:
        """Return the formula of a given or a step; None if its value is rounded."""
        entry = self.plan.entries[key]
        return None if self.rounds_steps and isinstance(entry, Step) else entry.node

    def cell(self, key: str, i: int, j: int) -> Formal | None:
        """Return the exact value of an entry; None if only its formula can prove the value."""
        value = self.latest.get(key)
        if value is None:
            return None
        x = value.rows[i][j] if isinstance(value, Mixed) else value[i, j]
        if isinstance(x, fmpq):
            return number(x)
        if is_infinite(x):
            return INFINITY[1 if x > 0 else -1]
        q = exact_value(x)
        return None if q is None else number(q)


def _fault_message(entry: Given | Step, error: FormulaError) -> str:
    return fault_message(error, entry.lesson, entry.base) if isinstance(entry, Step) else error.message


def _place_in(entry: Given | Step, at: int) -> Location:
    """Return the location of the character `at` in a step's formula; for a lesson's formula, the step's location."""
    return entry.place.shifted(at) if isinstance(entry, Step) and entry.lesson is None else entry.place
