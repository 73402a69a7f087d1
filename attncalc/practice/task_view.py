"""A task in the form that the page shows: givens, and steps with shapes and formulas. Some steps are already worked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from ..arithmetic.budget import GiveUp
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Interval, point
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError
from ..explain import solution_messages as explain_texts
from ..explain import stated_conventions
from ..explain.document import Choices, Formula, Grid
from ..explain.number_display import given_grid, is_weights, step_grid
from ..explain.part_document import another_name, local_name, meaning
from ..explain.part_scope import Scope, readable_formula
from ..explain.reasons import reason, sections
from ..explain.step_pictures import arcs
from ..explain.textbook_formulas import entry_formulas, is_defined
from ..explain.worked.entry import work_entry, worked_example
from ..explain.worked.entry_provenance import sources
from ..explain.worked.equality_signs import sides
from ..formula import operations as op
from ..formula.index_base import counted_place
from ..formula.operations import needs
from ..formula.parser import parse
from ..formula.syntax_tree import Call, Name, unparse
from ..generator.numeric_view import BITS
from ..lessons import LESSONS
from ..lessons.lesson import without_head
from ..plan import Given, Step
from ..problem.random_stream import Stream
from ..render.html_rich_text import HtmlText
from ..render.math import mathml, single_line
from ..render.pictures.flow import role
from . import messages
from .task import Data, ExerciseTask, softmax_of

MODEL = "self_attention"  # its questions also apply to steps of other lessons with the same name and reason
NEEDED = {"S_masked": "-inf", "A_masked": "0"}  # the entry that a step must contain for its question


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


def question(task: ExerciseTask, step: Step) -> Data | None:
    """Return the question with its answers in random order, the feedback to each answer, and the right answer; None if
    no question has exactly one right answer.
    """
    asked = _question_parts(task, step)
    if asked is None:
        return None
    text, right, wrong, why = asked
    comments = {right: f"Right. {why}"} | {
        answer: messages.NOT_QUITE.format(why=comment) for answer, comment in wrong.items()
    }
    feedback = {mathml.sentence(answer): mathml.sentence(comment) for answer, comment in comments.items()}
    shuffled = Stream("practice", "question", step.key).shuffled([*feedback])
    return {"text": mathml.sentence(text), "answers": shuffled, "right": next(iter(feedback)), "feedback": feedback}


def _question_parts(task: ExerciseTask, step: Step) -> Question | None:
    """Return a question of the table, or a question about the sources of the step; None if neither is suitable."""
    table, name = sections("questions"), local_name(step)
    base, purpose = without_head(name), reason(step.lesson or "", name, task.problem.columns)
    is_model = purpose and purpose == reason(MODEL, base) and base in table and not task.problem.columns
    kind = base if is_model else "" if purpose and not isinstance(step.node, op.Softmax) else step.node.word
    row = _row(task, step, kind) if kind in table else None
    if row is None:
        return dependency_question(task, step)
    labels = {"name": step.name, "row": _label(step, 0, row), "column": _label(step, 1, step.shape[1] - 1)}
    text, *answers = (template.format(**labels) for template in table[kind].values())
    (right, why), *wrong = (entry.split(" | ") for entry in answers)
    return text, right, dict(wrong), why


def _row(task: ExerciseTask, step: Step, kind: str) -> int | None:
    """Return the index of the row in a question; None if the question would have no right answer, or two. A product of
    single entries, or of a row and a column, can be calculated in only one way. A mean with one visible weight equals a
    single value.
    """
    (n, m), is_product = step.shape, isinstance(step.node, op.MatMul)
    if is_product and not (step.node.args[0].shape[1] > 1 and n * m > 1):
        return None
    if kind == "softmax" and not softmax_of(step) or kind == "S_scaled" and "√d_k" not in meaning(step):
        return None
    printed = task.scope.shown(step.name).printed.texts
    if kind in NEEDED and not any(NEEDED[kind] in row for row in printed):
        return None
    if kind == "S_scaled" and printed == task.scope.shown(task.uses(step)[0]).printed.texts:
        return None  # the divisor is 1
    if kind not in ("softmax", "Z"):
        return 0
    weights = task.scope.shown(step.name if kind == "softmax" else task.uses(step)[0]).printed.texts
    several = [i for i in range(n) if sum(not {*text} <= {*"0."} for text in weights[i]) > 1]
    return several[-1] if several else None


# -- a question without words ------------------------------------------------------------------------------------------


# Changes of a row or column. They are multiplied by 10 to 20, so that no sum cancels them. Several, because of relu
SHIFTS = (fmpq(1, 30), fmpq(-31, 70), fmpq(31, 70))
Place = tuple[int, int]
Places = frozenset[Place]
# The question, its right answer, wrong answers with feedback, and the reason
Question = tuple[str, str, dict[str, str], str]


def dependency_question(task: ExerciseTask, step: Step) -> Question | None:
    """Return a question about a row or column of a source; None if no row or column is suitable. A row or column is
    suitable if all entries, one row or one column are computed from it.
    """
    for name, axis, k in Stream("practice", "dependency", step.key).shuffled([*_lines(task, step)]):
        right = affected(task, step, name, axis, k)
        answers = _answers(step, right)
        if right and right in answers and len(answers) > 2:
            wrong = {text: _why_wrong(step, places, right) for places, text in answers.items() if places != right}
            line = messages.LINES[axis].format(label=_label(task.scope.entries[name], axis, k))
            asked = messages.COPIED_WRONGLY.format(line=line, source=single_line.formula(Name(name)), name=step.name)
            return asked, answers[right], wrong, messages.ONLY_THESE
    return None


def affected(task: ExerciseTask, step: Step, name: str, axis: int, k: int) -> Places:
    """Return the entries of a step that change with row k (axis 0) or column k of a source; none if impossible."""
    key, now, places = task.scope.entries[name].key, task.view.full(step.key), set[Place]()
    for turn, shift in enumerate(SHIFTS):
        boxes = {source: task.view.full(source) for source in needs([step.node])}
        boxes[key] = [[_shifted(cell, shift, turn, (i, j)) if (i, j)[axis] == k else cell for j, cell in enumerate(row)]
                      for i, row in enumerate(boxes[key])]  # fmt: skip
        try:
            with working_precision(BITS):
                after = evaluate(step.node, boxes.__getitem__)
        except (AttncalcError, ArithmeticError, ValueError, IndexError, GiveUp):  # an id cannot change
            return frozenset()
        for i, j in product(range(step.shape[0]), range(step.shape[1])):
            old, new = now[i][j], after[i][j]
            if old is None or new is None:
                return frozenset()
            if old[1] < new[0] or new[1] < old[0]:  # disjoint enclosures prove that the entry changed
                places.add((i, j))
    return frozenset(places)


def _shifted(cell: Interval, shift: fmpq, turn: int, place: Place) -> Interval:
    i, j = place
    times = 10 + (7 * i * i + 3 * j * j + 5 * turn * (i + j)) % 11
    return cell if cell is None or not arb(cell[0]).is_finite() else point(cell[0] + shift * times)


def _lines(task: ExerciseTask, step: Step) -> Iterator[tuple[str, int, int]]:
    """Yield the first and the last row and column of each source with several rows or columns."""
    for name in dict.fromkeys(task.uses(step)):
        for axis, length in enumerate(task.scope.entries[name].shape):
            if length > 1:
                yield from ((name, axis, k) for k in (0, length - 1))


def _answers(step: Step, right: Places) -> dict[Places, str]:
    """Return the possible answers by their entries: all entries, one row, one column, none."""
    (n, m), at = step.shape, max(right, default=(0, 0))
    rows = {frozenset((at[0], j) for j in range(m)): (0, at[0])} if n > 1 else {}
    columns = {frozenset((i, at[1]) for i in range(n)): (1, at[1])} if m > 1 else {}
    lines = {places: messages.ONLY.format(line=messages.LINES[axis].format(label=_label(step, axis, k)))
             for places, (axis, k) in (rows | columns).items()}  # fmt: skip
    return {frozenset(): messages.NO_ENTRY} | lines | {frozenset(product(range(n), range(m))): messages.ALL_ENTRIES}


def _why_wrong(step: Step, places: Places, right: Places) -> str:
    """Return why an answer is wrong, with an entry as an example."""
    missing = min(right - places, default=None)
    if missing is None:
        return messages.UNUSED.format(entry=step.entry(*min(places - right)))
    side = messages.SIDES[missing[0] in {i for i, _ in places}]
    return (messages.USED_TOO if places else messages.USED).format(entry=step.entry(*missing), side=side)


def _label(entry: Step | Given, axis: int, k: int) -> str:
    labels = entry.display_labels[axis]
    return f"“{labels[k]}”" if labels else counted_place(k)
