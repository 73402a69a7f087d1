"""Values with a fixed number of significant figures: float64 for NumPy, long decimals for SymPy."""

from __future__ import annotations

from flint import arb, fmpq

from .arithmetic import rounding
from .arithmetic.budget import fraction, is_longer
from .arithmetic.matrix_types import Entry, is_infinite
from .plan import Step
from .precision_escalation import PrecisionEscalation
from .step_values import Values

BITS = 128
MOST_EXPONENT = 1_100  # of 2: beyond it a float64 is infinite or 0


def float64(values: Values, step: Step) -> list[list[float]]:
    """Return the float64 nearest to each entry, ties to even; ±inf for infinite entries and beyond the largest
    float64.

    Where no precision in reach and no proof tells which of two neighbours is nearest, one of them.
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
    """Return each entry correctly rounded to `figures` significant figures, as `-8.3e-32`; None if out of reach."""

    def round_entry(x: Entry, i: int, j: int) -> str | None:
        text = None if is_infinite(x) else rounding.scientific_text(x, figures)
        return None if text is None else ("-" if x < 0 else "") + text

    return PrecisionEscalation(values, step, BITS + 4 * figures).answers(round_entry)


def _fraction(x: float) -> fmpq:
    """Return a float64 as a fraction; ±inf as ±2¹⁰²⁴."""
    return fmpq(*min(max(x, -(2.0**1023)), 2.0**1023).as_integer_ratio()) * (2 if abs(x) == float("inf") else 1)


def _float_of(x: Entry) -> float:
    """Return the float64 nearest to a number without a radius."""
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
