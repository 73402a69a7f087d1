"""Workload of a problem on paper, to make variants comparable.

    cost = products of two numbers that are neither 0 nor ±1  +  3 · exponentials, roots, logarithms and quotients
           +  0.2 · digits written down

Predicted difficulty depends on signs and on the digits of factors instead; its weights are fitted to no class:

    difficulty = products  +  ½ · products with a negative factor  +  ¼ · digits of their factors beyond the first
                 +  2 · hard operations

The minutes of problems/syllabus.yml are the cost divided by COST_OF_A_MINUTE, rounded to 5 minutes.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import NamedTuple

from flint import fmpq

from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Interval
from ..formula import operations as op
from ..formula.typed_formula import Node
from ..plan import Step
from .numeric_view import NumericView

COST_OF_A_MINUTE = 4.8
WEIGHTS = {"products": 1.0, "hard": 3.0, "digits": 0.2}
SLIPS = {"products": 1.0, "negative": 0.5, "figures": 0.25, "hard": 2.0}
LONGEST_FACTOR = 1_000  # bits of a factor whose digits are counted
ROUNDED_FIGURES = 2  # digits beyond the first of a rounded factor


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of operations: products of two numbers, hard operations (roots, exponentials, quotients), digits to write,
    products with a negative factor, and digits of factors beyond the first.
    """

    products: int
    hard: int
    digits: int
    negative: int = 0
    figures: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def total(self) -> float:
        return WEIGHTS["products"] * self.products + WEIGHTS["hard"] * self.hard + WEIGHTS["digits"] * self.digits

    @property
    def difficulty(self) -> float:
        """Predicted difficulty, weighted by SLIPS."""
        counts = {"products": self.products, "negative": self.negative, "figures": self.figures, "hard": self.hard}
        return sum(SLIPS[name] * count for name, count in counts.items())


@lru_cache(maxsize=1)  # the search and then the report ask for it
def cost(view: NumericView) -> Cost:
    """Return the workload of a problem at its printed precision."""
    return sum((step_cost(view, step) for step in view.steps), Cost(0, 0, 0))


def step_cost(view: NumericView, step: Step) -> Cost:
    """Return the workload of one step."""
    products, hard, negative, figures = _operations(view, step.node)
    digits = sum(_digit_count(n, view.digits(step)) for row in view.units(step) for n in row)
    return Cost(products, hard, digits, negative, figures)


def _operations(view: NumericView, node: Node) -> tuple[int, int, int, int]:
    """Return the counts of products, hard operations, products with a negative factor, and digits of factors beyond the
    first.
    """
    products = hard = negative = figures = 0
    if isinstance(node, op.MatMul):
        left, right = (evaluate(a, view.full) for a in node.args)
        for left_column, right_row in zip(zip(*left, strict=True), right, strict=True):  # column k meets row k
            left_factors, right_factors = (
                [x for x in map(_factor, cells) if x is not None] for cells in (left_column, right_row)
            )
            products += len(left_factors) * len(right_factors)
            negative += len(left_factors) * len(right_factors) - _positive(left_factors) * _positive(right_factors)
            figures += sum(x.figures for x in left_factors) * len(right_factors)
            figures += sum(x.figures for x in right_factors) * len(left_factors)
    elif node.hard:
        hard = node.size
    for argument in node.args:
        counts = _operations(view, argument)
        products, hard = products + counts[0], hard + counts[1]
        negative, figures = negative + counts[2], figures + counts[3]
    return products, hard, negative, figures


class _Factor(NamedTuple):
    """Sign of a factor, and the number of its digits beyond the first."""

    is_positive: bool
    figures: int


def _factor(cell: Interval) -> _Factor | None:
    """Return the factor of an entry; None for 0, ±1 and masked entries. A factor that is no short decimal counts as
    rounded.
    """
    if cell is None:
        return None
    x = cell[0]
    is_short = isinstance(x, fmpq) and x.height_bits() <= LONGEST_FACTOR
    return _fraction_factor(int(x.p), int(x.q)) if is_short else _Factor(bool(x > 0), ROUNDED_FIGURES)


@lru_cache(maxsize=4096)  # most are small whole numbers
def _fraction_factor(numerator: int, denominator: int) -> _Factor | None:
    """Return the factor of a fraction: no digit beyond the first in 7, one in 0.25; None for 0 and ±1."""
    if denominator == 1 and abs(numerator) <= 1:
        return None
    figures = (
        len(str(abs(numerator) * 1000 // denominator).rstrip("0")) - 1 if 1000 % denominator == 0 else ROUNDED_FIGURES
    )
    return _Factor(numerator > 0, max(0, figures))


def _positive(factors: list[_Factor]) -> int:
    return sum(x.is_positive for x in factors)


@lru_cache(maxsize=4096)
def _digit_count(units: int | str, digits: int) -> int:
    """Return the number of digits of a printed number, without trailing zeros."""
    if isinstance(units, str) or not digits:
        return len(str(units))
    text = str(abs(units)).zfill(digits + 1)
    return max(len(text) - digits, len(text.rstrip("0")))
