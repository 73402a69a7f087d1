"""A task as the page shows it: givens, steps with shapes and formulas, a map of what uses what, and how much is worked
out already.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import AttncalcError, Diagnostic
from ..explain import texts as explain_texts
from ..explain.conventions import choices
from ..explain.document import Worked
from ..explain.equal import sides
from ..explain.fading import blanks
from ..explain.part import meaning
from ..explain.scope import Scope
from ..explain.shown import given_grid, is_weights, step_grid
from ..explain.sources import sources
from ..explain.worked import worked, worked_at
from ..explain.written import written
from ..formula.node import Labels, needs
from ..formula.tree import Name, Tree
from ..plan import Given, Plan, Step
from ..problem.model import Part
from ..solution import StepResult
from ..write.formulas import lines, mathml
from . import texts
from .questions import question
from .tasks import Data, part_of, problem_of, solution_of

MOST_STEPS = 24  # in one exercise; of a longer part the outer steps are practised, or those that are asked

Json = dict[str, Any]


@lru_cache(maxsize=8)
def _scope(text: str, name: str | None) -> Scope:
    solution = solution_of(json.loads(text))
    part = part_of(solution.problem, name)
    return Scope(solution, next(one for one in solution.parts if one.part is part))


def scope_of(data: Data, part: str | None) -> Scope:
    """A part of a task's problem, as pages read its names; worked out once."""
    return _scope(json.dumps(data), part)


def steps_of(part: Part) -> list[Step]:
    """The steps that are practised."""
    steps = [step for step in part.plan.steps if not step.given]
    if len(steps) <= MOST_STEPS:
        return steps
    asked = {one.step for one in part.asked} if part.asked_stated else set()
    outer = [step for step in steps if step.name in asked] or [step for step in steps if "." not in step.name]
    return outer[:MOST_STEPS] or steps[-MOST_STEPS:]


def step_of(part: Part, name: str) -> Step:
    """The step of that name. Raises AttncalcError where there is none."""
    for step in steps_of(part):
        if step.name == name:
            return step
    raise AttncalcError(Diagnostic(texts.NO_STEP.format(name=name)))


def blank_steps(part: Part, level: int) -> list[Step]:
    """The steps that are left to do at a level of fading."""
    steps = steps_of(part)
    return steps[len(steps) - blanks(len(steps), level) :]


def is_asked(part: Part, step: Step) -> bool:
    """Whether a step must be answered; where nothing is stated, every one."""
    return not part.asked_stated or step.name in {one.step for one in part.asked}


def show(data: Data, part_name: str | None, level: int) -> Json:
    """Everything of a task but the numbers that are to be found: steps before those left to do are worked out."""
    problem = problem_of(data)
    part = part_of(problem, part_name)
    scope, blank = scope_of(data, part.name), blank_steps(part, level)
    used = {name for step in part.plan.steps for name in made_from(problem.plan, step)}
    return {
        "title": part.title or problem.title or problem.name,
        "ask": " ".join(filter(None, (problem.ask, part.ask))),
        "digits": part.rounding.digits,
        "stated": part.rounding_stated,
        "conventions": list(_conventions(scope)),
        "givens": [given(scope, one) for one in [*problem.plan.givens, *part.plan.givens] if one.name in used],
        "steps": [_step(scope, problem.plan, step, step in blank) for step in steps_of(part)],
    }


def _conventions(scope: Scope) -> Iterator[str]:
    """What a student must know of how the part is calculated: every choice that is no default, and the scale."""
    usual = {one.option for one in scope.part.part.plan.conventions if one.is_default and one.option != "scale"}
    for choice in choices(scope.solution, scope).items:
        if choice.option not in usual and choice.option != "decimals":
            value = choice.value if isinstance(choice.value, str) else lines.formula(choice.value)
            yield f"{choice.option}: {value}" + (f" ({choice.words})" if choice.words else "")
    if worth := explain_texts.points(scope.part.part.total_points):
        yield worth


def given(scope: Scope, one: Given) -> Json:
    """A given for the page: its name, labels, and entries as they are shown and as they were typed."""
    grid = given_grid(one, scope.shown(one.name))
    typed = [list(row) for row in one.texts] if one.texts else None
    return {"name": one.name, "math": mathml.math(mathml.formula(Name(one.name))), **_sides(one), "typed": typed,
            "cells": [[cell.text for cell in row] for row in grid.cells]}  # fmt: skip


def _step(scope: Scope, plan: Plan, step: Step, blank: bool) -> Json:
    found = {
        "name": step.name,
        "math": mathml.math(mathml.formula(Name(step.name))),
        "formula": mathml.math(mathml.formula(written(scope, step.tree))),
        "meaning": meaning(step),
        "uses": made_from(plan, step),
        "blank": blank,
        "question": question(step),
        "exam": _in_exam(scope.part.part, step),
        **_sides(step),
    }
    return found if blank else found | numbers(scope, step) | {"line": worked_entry(scope, step, None)}


def _in_exam(part: Part, step: Step) -> str:
    """What a sheet says of a step: its points, or that it is not asked."""
    if not is_asked(part, step):
        return texts.NOT_ASKED
    shared = part.points if isinstance(part.points, dict) else {}
    points = sum((value for name, value in shared.items() if name.partition("[")[0] == step.name), Fraction(0))
    return explain_texts.points(points or None)


def _sides(one: Given | Step) -> Json:
    return {"shape": list(one.shape), "rows": _labels(one.rows), "columns": _labels(one.columns)}


def _labels(labels: Labels) -> list[str] | None:
    return None if labels is None else list(labels)


def made_from(plan: Plan, step: Step) -> list[str]:
    """The names of the givens and steps that a step uses directly."""
    return [plan.entries[key].name for key in sorted(needs([step.node]), key=plan.order.__getitem__)]


def numbers(scope: Scope, step: Step) -> Json:
    """A step's matrix, each digit proven; `heat` is a weight's share, `hidden` what a mask put to nothing."""
    grid = step_grid(Name(step.name), scope.shown(step.name), is_weights(step))
    return {
        "cells": [[cell.text for cell in row] for row in grid.cells],
        "heat": [[None if cell.shade is None else round(cell.shade, 4) for cell in row] for row in grid.cells],
        "hidden": [[i, j] for i, row in enumerate(grid.cells) for j, cell in enumerate(row) if cell.mark == "masked"],
        "undecided": [
            [i, j] for i, row in enumerate(grid.cells) for j, cell in enumerate(row) if cell.mark == "undecided"
        ],
    }


# -- one entry ---------------------------------------------------------------------------------------------------------


def result_of(scope: Scope, step: Step) -> StepResult:
    """The right result of a step."""
    return scope.part[step.name]


def worked_entry(scope: Scope, step: Step, at: tuple[int, int] | None) -> str:
    """One entry worked out as MathML: that place, or the one that tells most; empty where a formula says nothing about
    entries.
    """
    result = result_of(scope, step)
    found = worked_at(scope, result, *at) if at else worked(scope, result)
    return "" if found is None else equation(found)


def equation(line: Worked) -> str:
    """A worked line, broken only between its sides."""
    name, _, place = line.entry.partition("[")
    left = mathml.formula(Name(name)) + (mathml.words(f"[{place}") if place else "")
    return " ".join([mathml.math(left), *(_side(exact, tree) for exact, tree in sides(line.stages))])


def _side(exact: bool, tree: Tree) -> str:
    return mathml.math(f'<mo form="infix" lspace="0">{"=" if exact else "≈"}</mo>{mathml.formula(tree)}')


def explain_cell(data: Data, part_name: str | None, name: str, row: int, column: int) -> Json:
    """What made an entry: its worked line, and the entries of givens and steps that stand in it."""
    part = part_of(problem_of(data), part_name)
    scope, step = scope_of(data, part.name), step_of(part, name)
    if not (0 <= row < step.shape[0] and 0 <= column < step.shape[1]):
        raise AttncalcError(texts.NO_CELL.format(name=name, row=row, column=column))
    found = sources(scope, result_of(scope, step), row, column)
    return {
        "line": worked_entry(scope, step, (row, column)),
        "sources": {key: list(map(list, places)) for key, places in found.items()},
    }
