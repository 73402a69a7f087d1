"""A question of understanding about a step: a prediction, a question of the table `questions.ini`, or a question about
its sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from flint import arb, fmpq

from ..arithmetic.budget import GiveUp
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Interval, point
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError
from ..explain.part_document import local_name, meaning
from ..explain.reasons import reason, sections
from ..formula import operations as op
from ..formula.index_base import counted_place
from ..formula.operations import needs
from ..formula.syntax_tree import Name
from ..generator.numeric_view import BITS
from ..lessons.lesson import without_head
from ..plan import Given, Step
from ..problem.random_stream import Stream
from ..render.math import mathml, single_line
from . import messages
from .task import Data, ExerciseTask, softmax_of

MODEL = "self_attention"  # its questions also apply to steps of other lessons with the same name and reason
UNSCALED = "S_scaled 2"  # the question about the weights without the scale
NEEDED = {"S_masked": "-inf", "A_masked": "0"}  # the entry that a step must contain for its question
MOST_WRONG = 4  # wrong answers to a question about the largest weight
Place = tuple[int, int]
Places = frozenset[Place]
# The question, its right answer, wrong answers with feedback, and the reason
Question = tuple[str, str, dict[str, str], str]
Asker = Callable[[ExerciseTask, Step], Question | None]


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
    """Return a prediction, a question of the table, or a question about the sources of the step; None if none is
    suitable. Exercises and their numbers differ in the question that they ask about a step.
    """
    askers: list[Asker] = [_largest_weight, dependency_question]
    askers += (partial(_of_table, kind=kind) for kind in _kinds(task, step))
    stream = Stream("practice", "question", json.dumps(task.data), step.key)
    return next((parts for ask in stream.shuffled(askers) if (parts := ask(task, step))), None)


def _kinds(task: ExerciseTask, step: Step) -> list[str]:
    """Return the sections of the table for the name of the step in its lesson, or for its operation."""
    table, name = sections("questions"), local_name(step)
    base, purpose = without_head(name), reason(step.lesson or "", name, task.problem.columns)
    is_model = purpose and purpose == reason(MODEL, base) and base in table and not task.problem.columns
    kind = base if is_model else "" if purpose and not isinstance(step.node, op.Softmax) else step.node.word
    return [section for section in table if section.partition(" ")[0] == kind]


def _of_table(task: ExerciseTask, step: Step, kind: str) -> Question | None:
    row = _row(task, step, kind)
    if row is None:
        return None
    labels = {"name": step.name, "row": _label(step, 0, row), "column": _label(step, 1, step.shape[1] - 1)}
    text, *answers = (template.format(**labels) for template in sections("questions")[kind].values())
    (right, why), *wrong = (entry.split(" | ") for entry in answers)
    return text, right, dict(wrong), why


def _largest_weight(task: ExerciseTask, step: Step) -> Question | None:
    """Return a question about the largest entry in a row of a softmax; None if no row has a single largest entry."""
    match softmax_of(step):
        case (Name(),):
            scores, weights = (task.scope.shown(name).printed.texts for name in (task.uses(step)[0], step.name))
        case _:
            return None
    labels = [messages.LINES[1].format(label=_label(step, 1, k)) for k in range(step.shape[1])]
    for i in Stream("practice", "row", step.key).shuffled(range(step.shape[0])):
        masked = {k for k, text in enumerate(scores[i]) if text == "-inf"}
        largest = [k for k, text in enumerate(weights[i]) if text == max(weights[i], key=Fraction)]
        others = [k for k in range(len(labels)) if k not in largest]
        if len(largest) == 1 and not masked.issuperset(others) and 1 < len(others) < len({*labels}):
            wrong = {labels[k]: (messages.HIDDEN if k in masked else messages.SMALLER).format(column=labels[k])
                     for k in others[:MOST_WRONG]}  # fmt: skip
            return messages.LARGEST.format(row=_label(step, 0, i)), labels[largest[0]], wrong, messages.GROWS
    return None


def _row(task: ExerciseTask, step: Step, kind: str) -> int | None:
    """Return the index of the row in a question; None if the question would have no right answer, or two. A product of
    single entries, or of a row and a column, can be calculated in only one way. A mean with one visible weight equals a
    single value.
    """
    (n, m), is_product, base = step.shape, isinstance(step.node, op.MatMul), kind.partition(" ")[0]
    if is_product and not (step.node.args[0].shape[1] > 1 and n * m > 1):
        return None
    if kind == "softmax" and not softmax_of(step) or base == "S_scaled" and "√d_k" not in meaning(step):
        return None
    printed = task.scope.shown(step.name).printed.texts
    if kind in NEEDED and not any(NEEDED[kind] in row for row in printed):
        return None
    if base == "S_scaled" and printed == task.scope.shown(task.uses(step)[0]).printed.texts:
        return None  # the divisor is 1
    if kind == UNSCALED:
        return next((i for i in reversed(range(n)) if len({*printed[i]}) > 1), None)  # equal scores have equal weights
    if kind not in ("softmax", "Z"):
        return 0
    weights = task.scope.shown(step.name if kind == "softmax" else task.uses(step)[0]).printed.texts
    several = [i for i in range(n) if sum(not {*text} <= {*"0."} for text in weights[i]) > 1]
    return several[-1] if several else None


# -- a question without words ------------------------------------------------------------------------------------------


# Changes of a row or column. They are multiplied by 10 to 20, so that no sum cancels them.
# There are several changes, because relu may hide some of them
SHIFTS = (fmpq(1, 30), fmpq(-31, 70), fmpq(31, 70))


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
