"""Entries that a mask decides, −∞ among scores and 0 among weights: whoever types a class's numbers finds them filled
in.

An entry that was filled in says nothing of a student who wrote nothing beside it: in a row of a matrix in which nothing
else was typed it counts as blank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..api import solve
from ..arithmetic.matrix_types import Entry, entries, is_infinite, is_zero
from ..errors import AttncalcError
from ..explain.number_display import is_weights
from ..formula.typed_formula import Where
from ..problem.problem import Problem
from ..submissions.step_matching import Bound, Filled
from ..submissions.submission import Typed

MINUS_INFINITY, ZERO = "−∞", "0"  # with signs that no spreadsheet takes for a formula
Hidden = dict[str, dict[Where, str]]  # by the step's key, then by row and column


def hidden_entries(problem: Problem) -> Hidden:
    """Return the entries that a mask determines, by step; empty if the problem has no value."""
    hidden: Hidden = {}
    for part in solve(problem).parts:
        for result in part:
            try:
                rows = entries(result.enclosure())
            except AttncalcError:
                continue
            weights = is_weights(result.step)
            cells = {
                (i, j): text for i, row in enumerate(rows) for j, x in enumerate(row) if (text := _prefill(x, weights))
            }
            if cells:
                hidden[result.step.key] = cells
    return hidden


def _prefill(x: Entry, weights: bool) -> str:
    if is_infinite(x):
        return MINUS_INFINITY if x < 0 else ""
    return ZERO if weights and is_zero(x) else ""


def without_prefill(bound: Bound, hidden: Hidden) -> Bound:
    """Return the answers without prefilled entries in rows that contain nothing else."""
    steps = (_without_prefilled_rows(filled, hidden.get(filled.step.key, {})) for filled in bound.steps)
    return replace(bound, steps=tuple(filled for filled in steps if filled.cells))


def may_hold_prefill(bound: Bound) -> bool:
    """True if some row of an answer contains only values that a mask may have determined."""
    return any(all(map(_is_mask_value, row)) for filled in bound.steps for row in _rows(filled).values())


def _rows(filled: Filled) -> dict[int, list[Typed]]:
    rows: dict[int, list[Typed]] = {}
    for (i, _), typed in filled.cells.items():
        rows.setdefault(i, []).append(typed)
    return rows


def _is_mask_value(typed: Typed) -> bool:
    return typed.infinite < 0 or typed.text == ZERO


def _without_prefilled_rows(filled: Filled, hidden: Mapping[Where, str]) -> Filled:
    touched_rows = {i for (i, j), typed in filled.cells.items() if not (_is_mask_value(typed) and (i, j) in hidden)}
    if len(touched_rows) == len(_rows(filled)):
        return filled
    return replace(
        filled, cells={(i, j): typed for (i, j), typed in filled.cells.items() if i in touched_rows}, kind="partial"
    )
