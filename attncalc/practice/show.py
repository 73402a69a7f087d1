"""A task as the page shows it: givens, and steps with shapes and formulas, of which some are worked out already."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import AttncalcError
from ..explain import conventions
from ..explain import texts as explain_texts
from ..explain.document import Choices, Grid
from ..explain.equal import sides
from ..explain.part import another_name, meaning
from ..explain.scope import Scope
from ..explain.shown import given_grid, is_weights, step_grid
from ..explain.sources import sources
from ..explain.worked import worked, worked_at
from ..explain.written import written
from ..formula.parse import parse
from ..formula.tree import Call, Name, unparse
from ..lessons import LESSONS
from ..local.request import Json
from ..plan import Given, Step
from ..write.authored import Authored
from ..write.formulas import lines, mathml
from . import texts
from .questions import question
from .task import Task, softmax_of


def show(task: Task, level: int) -> Json:
    """Everything of a task but the numbers that are to be found: steps before those left to do are worked out."""
    problem, part, left, known = task.problem, task.part, task.left(level), task.worked_out(level)
    used = {name for step in part.plan.steps for name in task.uses(step)}
    return {
        "title": part.title or problem.title or problem.name,
        "ask": Authored().prose(" ".join(filter(None, (problem.ask, part.ask)))),
        "level": level,
        "digits": part.rounding.digits,
        "stated": part.rounding_stated,
        "conventions": mathml.sentence("; ".join(_conventions(task.scope))),
        "givens": [_given(task, one) for one in [*problem.plan.givens, *part.plan.givens] if one.name in used],
        "steps": [
            _step(task, step, step in left) | (_worked(task, step) if step in known else {}) for step in task.steps
        ],
    }


def _conventions(scope: Scope) -> Iterator[str]:
    """What a student must know of how the part is calculated: every choice that is no default, and the scale."""
    usual = {one.option for one in scope.part.part.plan.conventions if one.is_default and one.option != "scale"}
    found = [one for one in conventions.choices(scope.solution, scope).items if one.option not in usual]
    for choice in conventions.in_words(Choices(tuple(one for one in found if one.option != "decimals"))).items:
        value = choice.value if isinstance(choice.value, str) else lines.formula(choice.value)
        told = f"{choice.option}: {value}" + (f" ({choice.words})" if choice.words else "")
        yield told if choice.option else choice.words
    if worth := explain_texts.points(scope.part.part.total_points):
        yield worth


def _given(task: Task, one: Given) -> Json:
    """A given: its entries as they are shown and as they were typed."""
    cells = _cells(given_grid(one, task.scope.shown(one.name)))
    return {**_named(one), "typed": one.texts, "cells": cells}


def _step(task: Task, step: Step, blank: bool) -> Json:
    return {
        **_named(step),
        "formula": mathml.math(mathml.formula(written(task.scope, step.tree))),
        "meaning": mathml.sentence(another_name(step) if isinstance(step.tree, Name) else meaning(step)),
        "uses": _beside(task, step),
        "question": question(task, step),
        "exam": _in_exam(task, step),
        "blank": blank,
    }


def _beside(task: Task, step: Step) -> list[str]:
    """What a step is made of; where the exponentials of a softmax are a step of their own, these alone."""
    exponentials = Call("exp", softmax_of(step))
    return [one.name for one in task.steps if one.tree == exponentials] or task.uses(step)


def _worked(task: Task, step: Step) -> Json:
    return {"line": worked_entry(task, step), **numbers(task, step)}


def _in_exam(task: Task, step: Step) -> str:
    """What a sheet says of a step: its points, or that it is not asked."""
    if not task.is_asked(step):
        return texts.NOT_ASKED
    shared = task.part.points if isinstance(task.part.points, dict) else {}
    points = sum((value for name, value in shared.items() if name.partition("[")[0] == step.name), Fraction(0))
    return explain_texts.points(points or None)


def _named(one: Given | Step) -> Json:
    math = mathml.math(mathml.formula(Name(one.name)))
    return {"name": one.name, "math": math, "shape": one.shape, "rows": one.rows, "columns": one.columns}


def numbers(task: Task, step: Step) -> Json:
    """A step's matrix, each digit proven; `heat` is a weight's share, `hidden` what a mask put to nothing."""
    grid = step_grid(Name(step.name), task.scope.shown(step.name), is_weights(step))
    return {
        "cells": _cells(grid),
        "heat": [[None if cell.shade is None else round(cell.shade, 4) for cell in row] for row in grid.cells],
        "hidden": [[i, j] for i, row in enumerate(grid.cells) for j, cell in enumerate(row) if cell.mark == "masked"],
    }


def _cells(grid: Grid) -> list[list[str]]:
    return [[cell.text for cell in row] for row in grid.cells]


def choices(task: Task) -> Json:
    """The options of the part's lesson that the page has sliders for, as they are."""
    options = LESSONS[task.lesson].options if task.lesson else ()
    usual = {one.name: one.default for one in options if one.name in texts.CHANGED}
    found = usual | {one.option: one.value for one in task.part.plan.conventions if one.option in usual}
    # Sizes as numbers: the names of steps inside a lesson mean nothing in an option
    if found.get("scale", "none") != "none":
        found["scale"] = unparse(written(task.scope, parse(found["scale"])))
    return found


# -- one entry ---------------------------------------------------------------------------------------------------------


def worked_entry(task: Task, step: Step, at: tuple[int, int] | None = None) -> str:
    """One entry worked out, at a place or where it tells most; empty where a formula says nothing about entries."""
    result = task.scope.part[step.name]
    found = worked_at(task.scope, result, *at) if at else worked(task.scope, result)
    if found is None:
        return ""
    told = [(mathml.infix("=" if exact else "≈"), mathml.formula(tree)) for exact, tree in sides(found.stages)]
    pieces = [mathml.MATHML.entry_named(found.name, found.place), *(sign + side for sign, side in told)]
    return " ".join(map(mathml.math, pieces))


def explain_cell(task: Task, step: Step, row: int, column: int) -> Json:
    """What made an entry: its worked line, and the entries that stand in it. Raises AttncalcError where none is."""
    if not (row < step.shape[0] and column < step.shape[1]):
        raise AttncalcError(texts.NO_CELL.format(name=step.name, row=row, column=column))
    found = sources(task.scope, task.scope.part[step.name], row, column)
    places = {name: [list(place) for place in places] for name, places in found.items()}
    return {"line": worked_entry(task, step, (row, column)), "sources": places}
