"""The work of a problem on paper, so that variants ask for the same: products, exponentials and digits to write.

    cost = products of two numbers that are neither 0 nor ±1  +  3 · exponentials, roots, logarithms and quotients
           +  0.2 · digits written down

What students slip at is not the same: a sign and every further digit of a factor make a product harder, however long
the numbers are that are written down. The predicted difficulty is a formula too, and is fitted to no class:

    difficulty = products  +  ½ · products with a negative factor  +  ¼ · digits of their factors beyond the first  +  2
    · hard operations
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import fmpq

from ..arithmetic.interval import evaluate
from ..formula.node import Node
from .view import View

HARD = ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "softmax", "div", "pow")
WEIGHTS = {"products": 1.0, "hard": 3.0, "digits": 0.2}
SLIPS = {"products": 1.0, "negative": 0.5, "figures": 0.25, "hard": 2.0}
ROUNDED = 2  # digits beyond the first of a factor that is rounded


@dataclass(frozen=True, slots=True)
class Cost:
    """The work of a problem: products of two numbers, hard operations (roots, exponentials, quotients), digits to write
    down; how many of the products have a negative factor, and digits that their factors have beyond the first.
    """

    products: int
    hard: int
    digits: int
    negative: int = 0
    figures: int = 0

    @property
    def total(self) -> float:
        """All of it in the units of WEIGHTS."""
        return WEIGHTS["products"] * self.products + WEIGHTS["hard"] * self.hard + WEIGHTS["digits"] * self.digits

    @property
    def difficulty(self) -> float:
        """What may go wrong, in the units of SLIPS."""
        counts = {"products": self.products, "negative": self.negative, "figures": self.figures, "hard": self.hard}
        return sum(SLIPS[name] * count for name, count in counts.items())


@lru_cache(maxsize=1)  # a draw is held to it, and then told by it
def cost(view: View) -> Cost:
    """The work of a problem as it is printed."""
    found = [_operations(view, step.node) for step in view.steps]
    products, hard, negative, figures = (sum(counts) for counts in zip(*found, strict=True)) if found else (0, 0, 0, 0)
    digits = 0
    for step in view.steps:
        digits += sum(
            sum(c.isdigit() for c in text.rstrip("0") if "." in text) or len(text)
            for row in view.printed(step)
            for text in row
        )
    return Cost(products, hard, digits, negative, figures)


def _operations(view: View, node: Node) -> tuple[int, int, int, int]:
    """Products, hard operations, products with a negative factor, and digits of factors beyond the first."""
    products = hard = negative = figures = 0
    if node.operation == "matmul":
        left, right = (evaluate(a, view.full) for a in node.args)
        for column, row in zip(zip(*left, strict=True), right, strict=True):  # column k meets row k
            one, other = (list(filter(_real, cells)) for cells in (column, row))
            products += len(one) * len(other)
            negative += len(one) * len(other) - sum(map(_positive, one)) * sum(map(_positive, other))
            figures += sum(map(_figures, one)) * len(other) + sum(map(_figures, other)) * len(one)
    elif node.operation in HARD:
        hard = node.size
    for argument in node.args:
        more = _operations(view, argument)
        products, hard, negative, figures = products + more[0], hard + more[1], negative + more[2], figures + more[3]
    return products, hard, negative, figures


def _real(cell: object) -> bool:
    """Whether a factor asks for a product."""
    x = cell[0] if isinstance(cell, tuple) else None
    return not (isinstance(x, fmpq) and x in (0, 1, -1))


def _positive(cell: tuple[Any, Any]) -> bool:
    return bool(cell[0] > 0)


def _figures(cell: tuple[Any, Any]) -> int:
    """The digits of a factor beyond the first: 0 of 7, 1 of 0.25; a factor that is no such number is
    written rounded.
    """
    x = cell[0]
    if not isinstance(x, fmpq) or 1000 % int(x.q):
        return ROUNDED
    return max(0, len(str(abs(int(x * 1000))).rstrip("0")) - 1)
