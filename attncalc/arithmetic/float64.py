"""NumPy float64 over the same plan: an independent check, and the numbers that a student's program will print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erf
from typing import Any

import numpy as np

from ..errors import AttncalcError, Diagnostic, FormulaError
from ..formula import operations as op
from ..formula.shape_rules import nothing_left
from ..formula.typed_formula import Entry, Node
from ..plan import Plan, Step
from ..rounding_modes import MODES

Array = Any
MOST_FLOAT_DECIMALS = 300  # with more decimals nothing is rounded, because 10.0**digits may overflow
_EACH: dict[type[Node], Callable[..., Array]] = {  # the operations on each entry or pair of entries
    op.Neg: np.negative, op.Add: np.add, op.Sub: np.subtract, op.Div: np.divide, op.Pow: np.power,
    op.Maximum: np.maximum, op.Abs: np.abs, op.Floor: np.floor, op.Exp: np.exp, op.Log: np.log, op.Sqrt: np.sqrt,
    op.Sin: np.sin, op.Cos: np.cos, op.Tanh: np.tanh, op.Erf: np.vectorize(erf),
}  # fmt: skip


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
    """Return the n × m matrix of a formula's float64 values. Each shared subformula is computed once."""
    return _NumPy(values).value(node)


def nearest(x: Fraction) -> float:
    """Return the float64 nearest to a fraction, or an infinity beyond the range of float64."""
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def array(rows: Sequence[Sequence[Entry]]) -> Array:
    """Return the float64 numbers nearest to the entries of a matrix."""
    return np.array([[nearest(x) if isinstance(x, Fraction) else x for x in row] for row in rows], float)


class _NumPy(op.Rules[Array]):
    """The operations in NumPy; shared subformulas are computed once."""

    def __init__(self, values: dict[str, Array]):
        self.values = values
        self.known: dict[int, Array] = {}

    def value(self, node: Node) -> Array:
        if isinstance(node, op.Ref):
            return self._ref(node)
        if id(node) not in self.known:
            self.known[id(node)] = _RULES[type(node)](self, node, *map(self.value, node.args))
        return self.known[id(node)]

    def _literal(self, node: op.Literal) -> Array:
        return array(node.entries)

    def _pi(self, node: op.Pi) -> Array:
        return np.array([[np.pi]])

    def _matrix(self, node: op.Matrix, *entries: Array) -> Array:
        return np.array([float(e[0, 0]) for e in entries]).reshape(node.shape)

    def _ref(self, node: op.Ref) -> Array:
        return self.values[node.key]

    def _each(self, node: Node, *operands: Array) -> Array:
        return _EACH[type(node)](*operands)

    _neg = _add = _sub = _div = _pow = _maximum = _abs = _floor = _each
    _exp = _log = _sqrt = _sin = _cos = _tanh = _erf = _each

    def _mul(self, node: op.Mul, a: Array, b: Array) -> Array:
        return np.where((a == 0) & np.isneginf(b), 0, a * b) if isinstance(node.args[1], op.Log) else a * b

    def _round(self, node: op.Round, a: Array) -> Array:
        digits, mode = node.digits, node.mode
        if digits > MOST_FLOAT_DECIMALS:
            return a
        scaled = np.abs(a) * 10.0**digits
        shifted = scaled + float(MODES[mode].shift)
        whole = np.floor(shifted)
        tie = np.isfinite(a) & (shifted == whole)
        return np.sign(a) * np.where(tie, MODES[mode].tie(whole), whole) / 10.0**digits

    def _keep(self, node: op.Keep, a: Array, mask: Array, fill: Array) -> Array:
        return np.where(mask != 0, a, fill)

    def _matmul(self, node: op.MatMul, a: Array, b: Array) -> Array:
        if isinstance(node.args[0], op.OneHot):  # selects rows: infinities in other rows are not multiplied
            return np.where(a.any(axis=1, keepdims=True), b[a.argmax(axis=1)], 0.0)
        return a @ b

    def _transpose(self, node: op.Transpose, a: Array) -> Array:
        return a.T

    def _take(self, node: op.Take, a: Array) -> Array:
        rows, columns = node.taken_rows, node.taken_columns
        a = a if rows is None else a[list(rows)]
        return a if columns is None else a[:, list(columns)]

    def _row_sum(self, node: op.RowSum, a: Array) -> Array:
        return a.sum(axis=1, keepdims=True)

    def _row_max(self, node: op.RowMax, a: Array) -> Array:
        return a.max(axis=1, keepdims=True)

    def _softmax(self, node: op.Softmax, a: Array) -> Array:
        axis, empty = node.axis, node.empty
        over = 1 if axis == "rows" else None
        top = a.max(axis=over, keepdims=True)
        exponentials = np.exp(a - np.where(np.isfinite(top), top, 0.0))
        weights = exponentials / exponentials.sum(axis=over, keepdims=True)
        lost = np.isneginf(top)
        if lost.any() and empty == "error":
            raise nothing_left(node, int(lost[:, 0].argmax()))
        count = a.shape[1] if axis == "rows" else a.size
        return np.where(lost, 0.0 if empty == "zeros" else 1.0 / count, weights)

    def _hstack(self, node: op.HStack, *parts: Array) -> Array:
        return np.hstack(parts)

    def _vstack(self, node: op.VStack, *parts: Array) -> Array:
        return np.vstack(parts)

    def _one_hot(self, node: op.OneHot, ids: Array) -> Array:
        classes, ignore = node.classes, node.ignore
        return ((ids.reshape(-1, 1) == np.arange(classes)) & (ids.reshape(-1, 1) != ignore)).astype(float)

    def _top_k(self, node: op.TopK, a: Array) -> Array:
        chosen = np.argsort(-a, axis=1, kind="stable")[:, : node.k]
        result = np.zeros_like(a)
        np.put_along_axis(result, chosen, 1.0, axis=1)
        return result

    def _top_p(self, node: op.TopP, a: Array, p: Array) -> Array:
        order = np.argsort(-a, axis=1, kind="stable")
        ranked = np.take_along_axis(a, order, axis=1)
        before = np.cumsum(ranked, axis=1) - ranked
        result = np.zeros_like(a)
        np.put_along_axis(result, order, (before < p[0, 0]).astype(float), axis=1)
        return result

    def _argmax_rows(self, node: op.ArgmaxRows, a: Array) -> Array:
        return a.argmax(axis=1).reshape(-1, 1).astype(float)

    def _order_rows(self, node: op.OrderRows, a: Array) -> Array:
        return np.vectorize(node.place)(np.argsort(-a, axis=1, kind="stable")[:, : node.k]).astype(float)

    def _sort_rows(self, node: op.SortRows, a: Array) -> Array:
        return -np.sort(-a, axis=1)


_RULES = op.rules(_NumPy)


class FloatStep:
    """A step computed in float64. Its attributes have the same names as those of a StepResult."""

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
        """Return the value as an n × m array of float64."""
        return self.value

    def tolist(self) -> list[list[float]]:
        """Return the rows of the value."""
        rows: list[list[float]] = self.value.tolist()
        return rows
