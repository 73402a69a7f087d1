"""The work of a problem on paper, so that variants ask for the same: products, exponentials and digits to write.

    cost = products of two numbers that are neither 0 nor ±1  +  3 · exponentials, roots, logarithms and quotients
           +  0.2 · digits written down
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq

from ..arithmetic.interval import evaluate
from ..formula.node import Node
from .view import View

HARD = ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "softmax", "div", "pow")
WEIGHTS = {"products": 1.0, "hard": 3.0, "digits": 0.2}


@dataclass(frozen=True, slots=True)
class Cost:
    """The work of a problem: products of two numbers, hard operations (roots, exponentials, quotients), digits to write
    down.
    """

    products: int
    hard: int
    digits: int

    @property
    def total(self) -> float:
        """All of it in the units of WEIGHTS."""
        return WEIGHTS["products"] * self.products + WEIGHTS["hard"] * self.hard + WEIGHTS["digits"] * self.digits


@lru_cache(maxsize=1)  # a draw is held to it, and then told by it
def cost(view: View) -> Cost:
    """The work of a problem as it is printed."""
    products = hard = digits = 0
    for step in view.steps:
        a, b = _operations(view, step.node)
        products, hard = products + a, hard + b
        digits += sum(sum(c.isdigit() for c in text.rstrip("0") if "." in text) or len(text) for row in view.printed(step) for text in row)
    return Cost(products, hard, digits)


def _operations(view: View, node: Node) -> tuple[int, int]:
    products = hard = 0
    if node.operation == "matmul":
        left, right = (evaluate(a, view.full) for a in node.args)
        factors = zip(zip(*left, strict=True), right, strict=True)  # column k meets row k
        products = sum(sum(map(_real, column)) * sum(map(_real, row)) for column, row in factors)
    elif node.operation in HARD:
        hard = node.size
    for argument in node.args:
        more = _operations(view, argument)
        products, hard = products + more[0], hard + more[1]
    return products, hard


def _real(cell: object) -> bool:
    """Whether a factor asks for a product."""
    x = cell[0] if isinstance(cell, tuple) else None
    return not (isinstance(x, fmpq) and x in (0, 1, -1))


