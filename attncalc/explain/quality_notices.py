"""Quality notices for instructors: saturated or uniform weights, and a scale or a step that tests nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..arithmetic.matrix_types import entries, is_zero
from ..formula import operations as op
from ..formula.index_base import counted_place
from ..formula.operations import needs
from ..lessons import LESSONS
from ..plan import Step
from ..solution import PartSolution, Solution, StepResult
from .entry_facts import all_equal
from .number_display import is_weights

FILLED_IN = ("mask", "tgt", "lengths", "cos", "sin")  # steps whose values are constants of a lesson
FEWEST = 2  # a weight that prints as 0 or 1 with this number of decimals shows a saturated softmax


class Notice(NamedTuple):
    """A warning about one step, with a stable code."""

    part: str | None
    step: str
    code: str
    message: str


def notices(solution: Solution, parts: list[PartSolution] | None = None) -> list[Notice]:
    """Return every notice about the steps of these parts."""
    notices = []
    for part in solution.parts if parts is None else parts:
        for result in part.steps:
            notices += [
                Notice(part.name, result.name, code, message) for code, message in _about(solution, part, result)
            ]
    return notices


def _about(solution: Solution, part: PartSolution, result: StepResult) -> list[tuple[str, str]]:
    about = []
    if is_weights(result.step):
        about += _weights(result)
    if result.step.base == "S_scaled" and _scale_is_one(solution, result.step):
        about.append(("scale-is-one", f"{result.name}: the scale is 1, so a forgotten scale cannot be detected"))
    if _is_constant(solution, part, result.step):
        about.append(
            ("constant-step", f"{result.name}: does not depend on the givens, so it is the same in every variant")
        )
    return about


def _weights(result: StepResult) -> list[tuple[str, str]]:
    printed = result.printed(max(result.shown.digits, FEWEST))
    rows = entries(result.enclosure())
    seen = [[(i, j) for j, x in enumerate(row) if not is_zero(x)] for i, row in enumerate(rows)]
    # If a ball contains 1 and other numbers, it is undecided whether the value is 1
    soft = [(i, j) for line in seen for i, j in line if not bool(rows[i][j] == 1)]
    about = []
    if soft and all(Fraction(printed.texts[i][j]) in (0, 1) for i, j in soft):
        reason = "every weight rounds to 0 or 1, because one score dominates (a saturated softmax)"
        about.append(("saturated", f"{result.name}: {reason}"))
    several = [i for i, line in enumerate(seen) if len(line) > 1]
    equal = all_equal(result, [seen[i] for i in several])
    uniform = [
        f"{counted_place(i)} ({result.rows[i]})" if result.rows else counted_place(i)
        for i, is_equal in zip(several, equal, strict=True)
        if is_equal
    ]
    if uniform:
        which = f"row {uniform[0]} has" if len(uniform) == 1 else f"rows {', '.join(uniform)} have"
        about.append(("uniform-row", f"{result.name}: {which} equal weights"))
    return about


def _scale_is_one(solution: Solution, step: Step) -> bool:
    node = step.node
    if not isinstance(node, op.Div) or node.args[1].shape != (1, 1):
        return False
    below = node.args[1]
    known = {key: solution.values.enclosure(key, 128) for key in needs([below])}
    return bool(entries(solution.values.arithmetic.evaluate(below, known, 128))[0][0] == 1)


def _fills_in(step: Step) -> bool:
    """Return whether a step is not a question: the mask of a lesson, or a count whose numbers may all be arguments."""
    return step.lesson is not None and (step.base in FILLED_IN or "*" in LESSONS[step.lesson].counts)


def _is_constant(solution: Solution, part: PartSolution, step: Step) -> bool:
    """Return whether an asked step uses no given, although other steps of the part use givens."""
    plan = solution.problem.plan
    asked = {asked.step for asked in part.part.asked}
    if step.name not in asked or step.given or _fills_in(step) or step.key in plan.varying:
        return False
    return any(other.step.key in plan.varying for other in part.steps)
