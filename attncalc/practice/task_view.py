"""A task in the form that the page shows: givens, and steps with shapes and formulas. Some steps are already worked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import AttncalcError
from ..explain import solution_messages as explain_texts
from ..explain import stated_conventions
from ..explain.document import Choices, Formula, Grid
from ..explain.number_display import given_grid, is_weights, step_grid
from ..explain.part_document import another_name, meaning
from ..explain.part_scope import Scope, readable_formula
from ..explain.step_pictures import arcs
from ..explain.textbook_formulas import entry_formulas, is_defined
from ..explain.worked.entry import work_entry, worked_example
from ..explain.worked.entry_provenance import sources
from ..explain.worked.equality_signs import sides
from ..formula.parser import parse
from ..formula.syntax_tree import Call, Name, unparse
from ..lessons import LESSONS
from ..plan import Given, Step
from ..render.html_rich_text import HtmlText
from ..render.math import mathml, single_line
from ..render.pictures.flow import role
from . import messages
from .questions import question
from .task import Data, ExerciseTask, softmax_of


def show(task: ExerciseTask, level: int) -> Data:
    """Return a task without the numbers of its open steps. The other steps are worked."""
    problem, part, open_steps, known = task.problem, task.part, task.open_steps(level), task.example_steps(level)
    givens = [_given(task, given) for given in [*problem.plan.givens, *part.plan.givens] if given.name in task.needed]
    steps = [_step(task, step) | {"blank": step in open_steps} for step in task.steps]
    for step, shown in zip(task.steps, steps, strict=True):
        if step in known:
            shown |= {"line": worked_entry(task, step), **numbers(task, step)}
    return {
        "title": part.title or problem.title or problem.name,
        "ask": HtmlText().prose(" ".join(filter(None, (problem.ask, part.ask)))),
        "level": level,
        "minutes": task.minutes(open_steps),
        "digits": part.rounding.digits,
        "stated": part.rounding_stated,
        "conventions": mathml.sentence("; ".join(_conventions(task.scope))),
        "givens": [*givens, *({**_name_fields(step), **numbers(task, step)} for step in task.earlier)],
        "stages": [messages.STAGE.format(first=stage[0].name, last=stage[-1].name) for stage in task.stages],
        "steps": steps,
    }


def _conventions(scope: Scope) -> Iterator[str]:
    """Yield the conventions that a student must know: choices that differ from the default, and the scale."""
    hidden = {convention.option for convention in scope.part.part.plan.conventions if convention.is_default} - {"scale"}
    all_choices = stated_conventions.choices(scope.solution, scope).items
    choices = Choices(tuple(choice for choice in all_choices if choice.option not in hidden | {"decimals"}))
    for choice in stated_conventions.without_program_names(choices).items:
        value = choice.value if isinstance(choice.value, str) else single_line.formula(choice.value)
        text = f"{choice.option}: {value}" + (f" ({choice.words})" if choice.words else "")
        yield text if choice.option else choice.words
    if worth := explain_texts.points(scope.part.part.total_points):
        yield worth


def _given(task: ExerciseTask, given: Given) -> Data:
    cells = _cells(given_grid(given, task.scope.shown(given.name)))
    return {**_name_fields(given), "typed": given.texts, "cells": cells}


def _step(task: ExerciseTask, step: Step) -> Data:
    return {
        **_name_fields(step),
        "formula": ""
        if is_defined(step) or step.states_result
        else mathml.math(mathml.formula(readable_formula(task.scope, step.tree))),
        "definition": [_equation(formula) for formula in entry_formulas(step)],
        "meaning": mathml.sentence(another_name(step) if isinstance(step.tree, Name) else meaning(step)),
        "uses": _inputs(task, step),
        "question": question(task, step),
        "arcs": _queries(task, step),
        "exam": _in_exam(task, step),
    }


def _queries(task: ExerciseTask, step: Step) -> str:
    """Return whether the queries of a step are its rows or its columns; empty if it has no picture of attention."""
    has_picture = any(arcs(task.scope, task.scope.part[step.name]))
    return ("columns" if task.scope.columns else "rows") if has_picture else ""


def _equation(formula: Formula) -> str:
    sides = (mathml.infix("=") + mathml.formula(side.tree) for side in formula.stages)
    return " ".join(map(mathml.math, [mathml.formula(formula.name), *sides]))


def _inputs(task: ExerciseTask, step: Step) -> list[str]:
    """Return the inputs of a step. If the exponentials of a softmax are a separate step, return only this step."""
    exponentials = Call("exp", softmax_of(step))
    return [candidate.name for candidate in task.steps if candidate.tree == exponentials] or task.uses(step)


def _in_exam(task: ExerciseTask, step: Step) -> str:
    """Return the points of a step in an exam, or a note that the step is not asked."""
    if not task.is_asked(step):
        return messages.NOT_ASKED
    shared = task.part.points if isinstance(task.part.points, dict) else {}
    points = sum((value for name, value in shared.items() if name.partition("[")[0] == step.name), Fraction(0))
    return explain_texts.points(points or None)


def _name_fields(entry: Given | Step) -> Data:
    math = mathml.math(mathml.formula(Name(entry.name)))
    if kind := role(entry.name):
        math = f'<span class="{kind}">{math}</span>'
    rows, columns = entry.display_labels if entry.shape != (1, 1) else (None, None)  # a label could be the answer
    return {"name": entry.name, "math": math, "shape": entry.shape, "rows": rows, "columns": columns}


def numbers(task: ExerciseTask, step: Step) -> Data:
    """Return a step's matrix with proven digits. `heat` holds weights for shading, `hidden` the masked entries."""
    grid = step_grid(Name(step.name), task.scope.shown(step.name), is_weights(step))
    return {
        "cells": _cells(grid),
        "heat": [[None if cell.shade is None else round(cell.shade, 4) for cell in row] for row in grid.cells],
        "hidden": [[i, j] for i, row in enumerate(grid.cells) for j, cell in enumerate(row) if cell.mark == "masked"],
    }


def _cells(grid: Grid) -> list[list[str]]:
    return [[cell.text for cell in row] for row in grid.cells]


def choices(task: ExerciseTask) -> dict[str, str]:
    """Return the current values of the lesson's options for which the page has sliders."""
    options = LESSONS[task.lesson].options if task.lesson else ()
    values = {option.name: option.default for option in options if option.name in messages.CHANGED}
    chosen = {convention.option: convention.value for convention in task.part.plan.conventions}
    values |= {name: chosen[name] for name in values if name in chosen}
    # Sizes become numbers, because an option cannot use names of steps inside a lesson
    if values.get("scale", "none") != "none":
        values["scale"] = unparse(readable_formula(task.scope, parse(values["scale"])))
    return values


# -- one entry ---------------------------------------------------------------------------------------------------------


def worked_entry(task: ExerciseTask, step: Step, at: tuple[int, int] | None = None) -> str:
    """Return the calculation of an entry, by default of the most instructive entry; empty if there is none."""
    result = task.scope.part[step.name]
    entry = work_entry(task.scope, result, *at) if at else worked_example(task.scope, result)
    if entry is None:
        return ""
    equalities = [(mathml.infix("=" if exact else "≈"), mathml.formula(tree)) for exact, tree in sides(entry.stages)]
    pieces = [mathml.MATHML.entry_named(entry.name, entry.place), *(sign + side for sign, side in equalities)]
    return " ".join(map(mathml.math, pieces))


def explain_cell(task: ExerciseTask, step: Step, row: int, column: int) -> Data:
    """Return the calculation of an entry and its sources. Raises AttncalcError if the entry does not exist."""
    if not (row < step.shape[0] and column < step.shape[1]):
        raise AttncalcError(messages.NO_CELL.format(name=step.name, row=row, column=column))
    source_entries = sources(task.scope, task.scope.part[step.name], row, column)
    places = {name: [list(place) for place in places] for name, places in source_entries.items()}
    return {"line": worked_entry(task, step, (row, column)), "sources": places}
