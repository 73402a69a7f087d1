"""Proven facts about the entries of a step: zeros, equalities and sums. Printed decimals are never evidence."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from ..arithmetic.exact.exact_evaluator import ExactCells
from ..arithmetic.matrix_types import Entry, Rows
from ..arithmetic.working_precision import working_precision
from ..formula import operations as op
from ..formula.typed_formula import Node
from ..plan import Step
from ..solution import StepResult
from ..step_values import Values

Location = tuple[int, int]
BITS = (128, 512, 2048)  # precisions in bits with which a sum is computed
_ZERO = fmpq(0)
_TRANSPOSED = {"row": "column", "column": "row"}


def is_proven_zero(cells: ExactCells, node: Node, x: Entry, i: int, j: int) -> bool:
    """Return whether entry (i, j) of a formula is proven to be 0. `x` is its enclosure."""
    if isinstance(x, fmpq):
        return bool(x == 0)
    return bool(x.contains(0)) and (bool(x.is_zero()) or cells.equals(node, i, j, _ZERO))


def all_equal(result: StepResult, lines: Sequence[Sequence[Location]]) -> list[bool]:
    """Return for each line (a list of entries) whether its entries are proven to be equal."""
    rows, node = result.values.rows(result.step, BITS[0]), result.step.node
    return [_all_equal(result.values.cells, node, rows, line) for line in lines]


def _all_equal(cells: ExactCells, node: Node, rows: Rows, places: Sequence[Location]) -> bool:
    (i, j), *others = places
    first = rows[i][j]
    for p, q in others:
        x = rows[p][q]
        if isinstance(x, fmpq) and isinstance(first, fmpq):
            if x != first:
                return False
        elif x < first or x > first or not cells.same(node, (i, j), (p, q)):
            return False
    return True


def sums_to_1(result: StepResult, lines: Sequence[Sequence[Location]]) -> list[bool | None]:
    """Return for each line (a list of entries) whether its sum is 1; None if undecided."""
    verdicts: list[bool | None] = [None] * len(lines)
    for bits in result.values.within(BITS):
        open_lines = [k for k, verdict in enumerate(verdicts) if verdict is None]
        rows = result.values.rows(result.step, bits) if open_lines else []
        with working_precision(bits):
            for k in open_lines:
                verdicts[k] = _sums_to_1(result, rows, lines[k], bits)
    return verdicts


def _sums_to_1(result: StepResult, rows: Rows, places: Sequence[Location], bits: int) -> bool | None:
    total = sum((rows[i][j] for i, j in places), _ZERO)
    if isinstance(total, fmpq):
        return bool(total == 1)
    if not total.contains(1):
        return False
    return bits == BITS[0] and result.values.cells.sums_to(result.step.node, places, fmpq(1)) or None


def normalized_axis(result: StepResult) -> str:
    """Return the axis along which the formula of a step makes sums 1: `row`, `column` or `all`; otherwise ""."""
    if result.step.given or result.values.round_step is not None:
        return ""  # the values are given or rounded
    axis = _normalized_axis(result.values, result.step.node)
    if axis == "all" and 1 in result.shape:
        return "row" if result.shape[0] == 1 else "column"
    return axis


def _normalized_axis(values: Values, node: Node) -> str:
    match node:
        case op.Softmax():
            return "all" if node.axis == "all" else "row"
        case op.Transpose():
            axis = _normalized_axis(values, node.args[0])
            return _TRANSPOSED.get(axis, axis)
        case op.Ref():
            entry = values.plan.entries[node.key]
            return _normalized_axis(values, entry.node) if isinstance(entry, Step) and not entry.given else ""
        case op.Div() if isinstance(node.args[1], op.RowSum):
            above, below = node.args[0], node.args[1].args[0]
            return "row" if values.cells.structure(above) == values.cells.structure(below) else ""
    return ""
