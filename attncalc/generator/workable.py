"""Whether every step of a problem has a value: solved as it will be printed, before anybody is asked to work it out."""

from __future__ import annotations

from ..api import solve
from ..errors import AttncalcError, Diagnostic
from ..problem.model import Problem
from .view import NumericView


def faults(problem: Problem) -> dict[str, list[Diagnostic]]:
    """The steps that cannot be worked out, by their keys, each with why; none where the problem is workable."""
    step_faults: dict[str, list[Diagnostic]] = {}
    for part in solve(problem).parts:
        for result in part.steps:
            try:
                result.printed()
            except AttncalcError as error:
                step_faults[result.step.key] = list(error.faults)
    return step_faults


def has_missing_entry(view: NumericView) -> bool:
    """Whether some entry has no value even in the bounds by which draws are judged: a quicker look than solving."""
    return any(None in row for step in view.steps for row in view.full(step.key))
