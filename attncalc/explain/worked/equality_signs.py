"""The signs between the sides of an equation: `=` or `≈`, by the same rule on every page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, isqrt

from flint import fmpq

from ...arithmetic.budget import power
from ...formula.syntax_tree import Binary, Call, Negate, Number, Tree
from ..document import EquationSide

LARGEST_POWER = 8
_FEW_DIGITS = re.compile(r"-?[\d.]{1,400}(?:e[+-]?\d{1,3})?")


def sides(stages: Sequence[EquationSide]) -> list[tuple[bool, Tree]]:
    """Return (is_equal, tree) for each side. `is_equal` compares the side with the previous side.

    Up to the first inexact side, all sides are equal to the entry. After it, two sides are equal if their printed
    numbers give equal values: x ≈ 0.8839 · 1 + (−0.8839) · 1 = 0.
    """
    exact, pairs = True, list[tuple[bool, Tree]]()
    before: Fraction | None = None
    for stage in stages:
        exact, value = exact and stage.exact, exact_value(stage.tree)
        pairs.append((exact or (value is not None and value == before), stage.tree))
        before = value
    return pairs


def exact_value(tree: Tree) -> Fraction | None:
    """Return the value of a formula of numbers as a fraction. Return None if it needs more than +, −, ·, /, integer
    powers, roots of squares, and functions with integer values.
    """
    match tree:
        case Number(text):
            return tree.value if _FEW_DIGITS.fullmatch(text) else None
        case Negate(a):
            x = exact_value(a)
            return None if x is None else -x
        case Binary(operator, a, b):
            x, y = exact_value(a), exact_value(b)
            return None if x is None or y is None else _combine(operator, x, y)
        case Call("floor" | "ceil", (a,)):
            x = exact_value(a)
            return None if x is None else Fraction(floor(x) if tree.function == "floor" else ceil(x))
        case Call("sqrt", (a,)):
            x = exact_value(a)
            return None if x is None or x < 0 else _root(x)
        case Call("relu" | "abs", (a,)):
            x = exact_value(a)
            return None if x is None else abs(x) if tree.function == "abs" else max(x, Fraction(0))
        case Call("maximum" | "minimum", (a, b)):
            x, y = exact_value(a), exact_value(b)
            return None if x is None or y is None else max(x, y) if tree.function == "maximum" else min(x, y)
        case Call(function, (a,)) if function in _EASY:
            at, value = _EASY[function]
            return Fraction(value) if exact_value(a) == at else None
    return None


# The only rational argument at which the function is rational, and its value there.
_EASY = {"exp": (0, 1), "log": (1, 0), "cos": (0, 1), "sin": (0, 0), "tanh": (0, 0), "erf": (0, 0)}


def _root(x: Fraction) -> Fraction | None:
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return root if root * root == x else None


def _combine(operator: str, x: Fraction, y: Fraction) -> Fraction | None:
    match operator:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*" | "@":
            return x * y
        case "/":
            return x / y if y else None
        case "**" if y.denominator == 1 and abs(y) <= LARGEST_POWER and (x or y > 0):
            power_value = power(fmpq(x.numerator, x.denominator), int(y))
            return None if power_value is None else Fraction(int(power_value.numerator), int(power_value.denominator))
    return None
