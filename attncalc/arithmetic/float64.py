"""NumPy float64 over the same plan: an independent check, and the numbers that a student's program will print."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import erf
from typing import Any

import numpy as np

from ..errors import AttncalcError, Diagnostic, FormulaError
from ..formula.shape_rules import nothing_left
from ..formula.typed_formula import Node, place
from ..plan import Plan, Step
from ..rounding_modes import MODES

Array = Any
MOST_FLOAT_DECIMALS = 300  # beyond them every float64 is its own rounding, or too small to be scaled


def solve_floating(plan: Plan) -> dict[str, Array]:
    """Return every given and step as a float64 array, by key."""
    values: dict[str, Array] = {}
    with np.errstate(all="ignore"):
        for key, entry in plan.entries.items():
            try:
                values[key] = evaluate(entry.node, values)
            except FormulaError as error:
                raise AttncalcError(Diagnostic(f"{entry.name}: {error.message}", entry.place)) from None
    return values


def evaluate(node: Node, values: dict[str, Array]) -> Array:
    """Return the float64 value of a formula over named values, n × m as its node says; shared subformulas are computed
    once.
    """
    known: dict[int, Array] = {}

    def value(node: Node) -> Array:
        if node.operation == "ref":
            return values[node.params[0]]
        if id(node) not in known:
            known[id(node)] = _TABLE[node.operation](node, *map(value, node.args))
        return known[id(node)]

    return value(node)


def _literal(node: Node) -> Array:
    return np.array([[nearest(x) if isinstance(x, Fraction) else x for x in row] for row in node.params[0]])


def nearest(x: Fraction) -> float:
    """Return the float64 nearest to a fraction, infinite beyond the range of float64."""
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def _matrix(node: Node, *entries: Array) -> Array:
    return np.array([float(e[0, 0]) for e in entries]).reshape(node.shape)


def _take(node: Node, a: Array) -> Array:
    rows, columns = node.params
    a = a if rows is None else a[list(rows)]
    return a if columns is None else a[:, list(columns)]


def _matmul(node: Node, a: Array, b: Array) -> Array:
    if node.args[0].operation == "one_hot":  # selects rows: infinities in other rows are not multiplied
        return np.where(a.any(axis=1, keepdims=True), b[a.argmax(axis=1)], 0.0)
    return a @ b


def _round(node: Node, a: Array) -> Array:
    digits, mode = node.params
    if digits > MOST_FLOAT_DECIMALS:
        return a
    scaled = np.abs(a) * 10.0**digits
    shifted = scaled + float(MODES[mode].shift)
    whole = np.floor(shifted)
    tie = np.isfinite(a) & (shifted == whole)
    return np.sign(a) * np.where(tie, MODES[mode].tie(whole), whole) / 10.0**digits


def _softmax(node: Node, a: Array) -> Array:
    axis, empty = node.params
    over = 1 if axis == "rows" else None
    top = a.max(axis=over, keepdims=True)
    exponentials = np.exp(a - np.where(np.isfinite(top), top, 0.0))
    weights = exponentials / exponentials.sum(axis=over, keepdims=True)
    lost = np.isneginf(top)
    if lost.any() and empty == "error":
        raise nothing_left(node, int(lost[:, 0].argmax()))
    count = a.shape[1] if axis == "rows" else a.size
    return np.where(lost, 0.0 if empty == "zeros" else 1.0 / count, weights)


def _keep(node: Node, a: Array, mask: Array, fill: Array) -> Array:
    return np.where(mask != 0, a, fill)


def _one_hot(node: Node, ids: Array) -> Array:
    classes, ignore = node.params
    return ((ids.reshape(-1, 1) == np.arange(classes)) & (ids.reshape(-1, 1) != ignore)).astype(float)


def _top_p(node: Node, a: Array, p: Array) -> Array:
    order = np.argsort(-a, axis=1, kind="stable")
    ranked = np.take_along_axis(a, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    result = np.zeros_like(a)
    np.put_along_axis(result, order, (before < p[0, 0]).astype(float), axis=1)
    return result


def _top_k(node: Node, a: Array) -> Array:
    chosen = np.argsort(-a, axis=1, kind="stable")[:, : node.params[0]]
    result = np.zeros_like(a)
    np.put_along_axis(result, chosen, 1.0, axis=1)
    return result


_TABLE: dict[str, Callable[..., Array]] = {
    "literal": _literal,
    "pi": lambda node: np.array([[np.pi]]),
    "matrix": _matrix,
    "neg": lambda node, a: -a,
    "add": lambda node, a, b: a + b,
    "sub": lambda node, a, b: a - b,
    "mul": lambda node, a, b: (
        np.where((a == 0) & np.isneginf(b), 0, a * b) if node.args[1].operation == "log" else a * b
    ),
    "div": lambda node, a, b: a / b,
    "pow": lambda node, a, b: np.power(a, b),
    "matmul": _matmul,
    "transpose": lambda node, a: a.T,
    "take": _take,
    **{
        name: (lambda node, a, f=getattr(np, name): f(a))
        for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "abs", "floor")
    },
    "erf": lambda node, a: np.vectorize(erf)(a),
    "maximum": lambda node, a, b: np.maximum(a, b),
    "round": _round,
    "row_sum": lambda node, a: a.sum(axis=1, keepdims=True),
    "row_max": lambda node, a: a.max(axis=1, keepdims=True),
    "softmax": _softmax,
    "keep": _keep,
    "hstack": lambda node, *parts: np.hstack(parts),
    "vstack": lambda node, *parts: np.vstack(parts),
    "one_hot": _one_hot,
    "top_k": _top_k,
    "top_p": _top_p,
    "argmax_rows": lambda node, a: a.argmax(axis=1).reshape(-1, 1).astype(float),
    "order_rows": lambda node, a: place(node, np.argsort(-a, axis=1, kind="stable")[:, : node.params[0]]).astype(float),
    "sort_rows": lambda node, a: -np.sort(-a, axis=1),
}


class FloatStep:
    """A step computed in float64, with the interface of a StepResult as far as it applies to floats."""

    def __init__(self, step: Step, value: Array):
        self.step = step
        self.name = step.name
        self.formula = step.formula
        self.shape = step.shape
        self.rows = step.rows
        self.columns = step.columns
        self.given = step.given
        self.value = value

    def numpy(self) -> Array:
        """Return the value, n × m of float64."""
        return self.value

    def tolist(self) -> list[list[float]]:
        """Return the value as lists of Python floats, a list for each row."""
        return self.value.tolist()  # type: ignore[no-any-return]
