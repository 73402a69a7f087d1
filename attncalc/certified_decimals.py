"""The decimals, significant figures and float64 numbers of a step's values. Rounding is correct, and each digit is
proven.

If a digit is undecided, a short proof is tried first, then a higher precision, then long proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil as next_whole
from typing import TypeVar

from flint import arb, fmpq, fmpz

from . import limits
from .arithmetic import rounding
from .arithmetic.balls import decide
from .arithmetic.budget import ceil, fraction, is_longer, limit
from .arithmetic.exact.exact_evaluator import ExactCells
from .arithmetic.matrix_types import Entry, Rows, entries, is_infinite
from .arithmetic.working_precision import working_precision
from .errors import AttncalcError, Diagnostic
from .formula.index_base import row_and_column
from .formula.typed_formula import Where
from .plan import Step
from .step_values import Values, shared_precision

BITS_OF_A_DIGIT = 3.322  # log₂ 10
BITS_OF_A_STEP = 1.6  # bits that each step may lose
GUARD_BITS = 4  # additional bits, so that few steps need a second computation
TOO_LARGE = limit(rounding.MOST_BITS_PRINTED)
BITS = 128  # the first precision for float64 and significant figures
MOST_EXPONENT = 1_100  # the float64 of a number above 2^1100 is infinite, and below 2^−1100 it is 0

Answer = TypeVar("Answer")
Query = Callable[[Entry, int, int], Answer | None]


class PrecisionEscalation:
    """Queries about the entries of a step. They are repeated with more precision and longer proofs for undecided
    entries.
    """

    def __init__(self, values: Values, step: Step, bits: int):
        self.values = values
        self.step = step
        self.bits = bits
        self.cells = values.quick_cells

    def answers(self, query: Query[Answer]) -> list[list[Answer | None]]:
        """Return the answer to the query for every entry; None if no precision and no proof decides it."""
        rows = self.values.rows(self.step, self.bits)
        with working_precision(self.bits):
            results = [[query(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        self.retry(
            [(i, j) for i, row in enumerate(results) for j, answer in enumerate(row) if answer is None], results, query
        )
        return results

    def retry(self, cells: list[Where], results: list[list[Answer | None]], query: Query[Answer]) -> list[Where]:
        """Repeat the query with more effort for the entries `cells`, and store the answers in `results`. Return the
        entries without an answer.
        """
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
        """Yield a precision in bits and the prover of each attempt: first twice the precision with short proofs, then
        rising precisions with full proofs.
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


class Decimals:
    """The entries of a step as decimals, and the indices of undecided entries."""

    def __init__(self, printer: Printer, rows: Rows, scaled: list[list[fmpz | None]], undecided: list[Where]):
        decimal_text = rounding.decimal_texts(printer.digits)
        self.texts = [
            [("inf" if x > 0 else "-inf") if n is None else decimal_text(n) for x, n in zip(row, ns, strict=True)]
            if None in ns
            else [decimal_text(n) for n in ns]
            for row, ns in zip(rows, scaled, strict=True)
        ]
        self.undecided = undecided
        self._distances: list[list[str | None]] | None = None
        self._deferred = printer, scaled

    @property
    def distances(self) -> list[list[str | None]]:
        """The distance of each entry from its printed round number (`+1.2e-7`); None if they are equal. Computed on
        first use.
        """
        if self._distances is None:
            printer, scaled = self._deferred
            with working_precision(printer.bits):
                self._distances = printer.distances(printer.values.rows(printer.step, printer.bits), scaled, self.texts)
            del self._deferred
        return self._distances


class Printer(PrecisionEscalation):
    """The calculation of the decimals of a step. It raises the precision only for entries that need more."""

    def __init__(self, values: Values, step: Step, digits: int, mode: str):
        self.values = values
        self.step = step
        self.digits = digits
        self.mode = mode
        rounding.require_mode(mode)
        self.scale_ball = rounding.ball_rounder(digits, mode, rounding.MOST_BITS_PRINTED)
        guard_bits = BITS_OF_A_STEP * values.plan.depths[step.key] + step.node.size.bit_length() + GUARD_BITS
        self.bits = shared_precision(next_whole(digits * BITS_OF_A_DIGIT + guard_bits))
        self.cells = values.quick_cells

    def decimals(self) -> Decimals:
        """Return the entries as decimals, each proven or listed as undecided."""
        with working_precision(self.bits):
            return self._decimals(entries(self.values.enclosure(self.step.key, self.bits)))

    def _decimals(self, rows: Rows) -> Decimals:
        scale_ball = self.scale_ball
        scaled = [[scale_ball(x) if type(x) is arb else None for x in row] for row in rows]
        open_cells = [(i, j) for i, row in enumerate(scaled) if None in row for j, n in enumerate(row) if n is None]
        if open_cells:
            rows = self.values.rows(self.step, self.bits)
        for i, j in open_cells:
            scaled[i][j] = self.scaled_integer(rows[i][j], i, j)
        open_cells = [(i, j) for i, j in open_cells if scaled[i][j] is None and not is_infinite(rows[i][j])]
        undecided = self.retry(open_cells, scaled, self.scaled_integer)
        finest_rows = self.finest_rows() if undecided else []
        for i, j in undecided:
            scaled[i][j] = self.likelier_integer(finest_rows[i][j], i, j)
        return Decimals(self, rows, scaled, undecided)

    def scaled_integer(self, x: Entry, i: int, j: int) -> fmpz | None:
        """Return 10ᵏ·x rounded to an integer; None if undecided, and for ±∞. Raises AttncalcError if x is too large
        to print.
        """
        if not abs(x) < TOO_LARGE:
            if is_infinite(x):
                return None
            if abs(x) > TOO_LARGE:
                where = f" in {row_and_column(i, j)}" if self.step.node.size > 1 else ""
                what = limits.PRINTED.exceeded(f"more{where}")
                raise AttncalcError(Diagnostic(f"{self.step.name}: {what}", self.step.place))
        return decide(self.cells, self.step.node, i, j, x, self.digits, self.mode)

    def likelier_integer(self, x: Entry, i: int, j: int) -> fmpz:
        """Return the likelier integer for an undecided entry. Raises AttncalcError if its enclosure is too wide."""
        if isinstance(x, arb) and not (x.is_finite() and x.rad() * rounding.power_of_ten(self.digits) * 2 < 1):
            what = f"the digits of {row_and_column(i, j)}" if self.step.node.size > 1 else "its digits"
            raise AttncalcError(
                Diagnostic(
                    f"{self.step.name}: {what} cannot be proven with {self.highest_precision():,} bits; "
                    f"{limits.BITS.remedy}",
                    self.step.place,
                )
            )
        return rounding.round_rational(midpoint(x), self.digits, "half_up")

    def distances(self, rows: Rows, scaled: list[list[fmpz | None]], texts: list[list[str]]) -> list[list[str | None]]:
        """Return the distance of each entry from its printed round number (`+1.2e-7`). None if they are equal, or if
        the printed number is not round.
        """
        unit = rounding.power_of_ten(self.digits)
        distances: list[list[str | None]] = [[None] * len(row) for row in rows]
        round_cells = {
            (i, j): n
            for i, row in enumerate(texts)
            for j, text in enumerate(row)
            if (text[-1] == "0" or not self.digits) and (n := scaled[i][j]) is not None
        }
        if not round_cells:
            return distances
        for (i, j), n in round_cells.items():
            distances[i][j] = self.distance(rows[i][j], i, j, n, unit)
        open_cells = [(i, j) for i, j in round_cells if distances[i][j] is None]
        still_open = self.retry(open_cells, distances, lambda x, i, j: self.distance(x, i, j, round_cells[i, j], unit))
        finest_rows = self.finest_rows() if still_open else []
        for i, j in still_open:
            distances[i][j] = self.upper_bound(finest_rows[i][j], round_cells[i, j], unit)
        return [[answer or None for answer in row] for row in distances]

    def distance(self, x: Entry, i: int, j: int, n: fmpz, unit: fmpz) -> str | None:
        """Return the distance of x from the round number n/unit: "" if they are equal or far apart, None if
        undecided.
        """
        printed = fmpq(n, unit)
        if type(x) is fmpq and x == printed:
            return ""
        gap = abs(x - printed)
        if not (n % unit == 0 and (self.digits or n == 0)) and not gap * unit * 100 < 1:
            return ""
        if isinstance(x, fmpq):
            return str(rounding.scientific_text(gap))
        if gap.contains(0):
            return "" if gap.is_zero() or self.cells.equals(self.step.node, i, j, printed) else None
        return rounding.scientific_text(gap) or self.halfway(gap, i, j, printed)

    def halfway(self, gap: arb, i: int, j: int, printed: fmpq) -> str | None:
        """Return the text of a distance that is proven to be a tie, such as 1.25e-8 for two significant figures;
        otherwise None.
        """
        edge = rounding.significant_boundary(gap)
        if edge is None or not any(self.cells.equals(self.step.node, i, j, printed + side) for side in (edge, -edge)):
            return None
        return rounding.scientific_text(edge)

    def upper_bound(self, x: Entry, n: fmpz, unit: fmpz) -> str:
        """Return an upper bound such as `<1e-4000` for the distance of an entry from a round number, if no precision in
        reach separates them. If they are separate, but the distance may be a tie of two figures, return an approximate
        distance.
        """
        gap = abs(x - fmpq(n, unit))
        if (arb(gap) > 0) and (text := rounding.scientific_text(arb(gap).mid())) is not None:
            return text
        exponent = ceil((arb(gap).abs_upper().log() / arb(10).log()).upper())
        return f"<1e{max(int(exponent or 0), -rounding.LARGEST_EXPONENT)}"


def midpoint(x: Entry) -> fmpq:
    """Return the midpoint of a ball as a fraction. Return a fraction unchanged."""
    if isinstance(x, fmpq):
        return x
    return fraction(x.mid()) or fmpq(0)  # a number that is too long for a fraction is too small to change a digit


def float64(values: Values, step: Step) -> list[list[float]]:
    """Return the float64 nearest to each entry, ties to even. Return ±inf for infinite entries and for those beyond the
    largest float64. If neither precision nor proof decides between two neighbours, return either.
    """
    escalation = PrecisionEscalation(values, step, BITS)

    def nearest_float(x: Entry, i: int, j: int) -> float | None:
        if isinstance(x, fmpq) or is_infinite(x):
            return _float_of(x)
        low, high = _float_of(x.lower()), _float_of(x.upper())
        if low == high:
            return low
        edge = fmpq(0) if x.contains(0) else (_fraction(low) + _fraction(high)) / 2
        return _float_of(edge) if escalation.cells.equals(step.node, i, j, edge) else None

    floats = escalation.answers(nearest_float)
    finest_rows = escalation.finest_rows() if any(x is None for row in floats for x in row) else []
    return [
        [_float_of(finest_rows[i][j].mid()) if x is None else x for j, x in enumerate(row)]
        for i, row in enumerate(floats)
    ]


def significant(values: Values, step: Step, figures: int) -> list[list[str | None]]:
    """Return each entry correctly rounded to `figures` significant figures, such as `-8.3e-32`; None if undecided."""

    def round_entry(x: Entry, i: int, j: int) -> str | None:
        text = None if is_infinite(x) else rounding.scientific_text(x, figures)
        return None if text is None else ("-" if x < 0 else "") + text

    return PrecisionEscalation(values, step, BITS + 4 * figures).answers(round_entry)


def _fraction(x: float) -> fmpq:
    return fmpq(*min(max(x, -(2.0**1023)), 2.0**1023).as_integer_ratio()) * (2 if abs(x) == float("inf") else 1)


def _float_of(x: Entry) -> float:
    """Return the float64 nearest to an exact number."""
    if isinstance(x, arb):
        if not x.is_finite():
            return float(x)
        if is_longer(x, MOST_EXPONENT):
            return _infinite(x)
        if not x.is_zero() and is_longer(1 / x, MOST_EXPONENT):
            return 0.0
        x = fraction(x) or fmpq(0)
    try:
        return int(x.numerator) / int(x.denominator)
    except OverflowError:
        return _infinite(x)


def _infinite(x: Entry) -> float:
    return float("inf") if x > 0 else float("-inf")
