"""Solvability: whether every step of a problem has a value at its printed precision."""

from __future__ import annotations

from ..api import solve
from ..errors import AttncalcError, Diagnostic
from ..problem.problem import Problem
from .numeric_view import NumericView


def faults(problem: Problem) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of the steps without a value, by key; empty if the problem is solvable."""
    step_faults: dict[str, list[Diagnostic]] = {}
    for part in solve(problem).parts:
        for result in part.steps:
            try:
                result.printed()
            except AttncalcError as error:
                step_faults[result.step.key] = list(error.faults)
    return step_faults


def has_missing_entry(view: NumericView) -> bool:
    """True if some entry has no value even in the enclosures of the view; faster than solving."""
    return any(None in row for step in view.steps for row in view.full(step.key))
