"""A question without words about a step: which entries are computed from a given row or column of a source?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from flint import arb, fmpq

from ..arithmetic.budget import GiveUp
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, Interval, point
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError
from ..formula.index_base import counted_place
from ..generator.numeric_view import BITS
from ..plan import Given, Step
from ..problem.random_stream import Stream
from . import messages
from .task import ExerciseTask

# Changes of a row or column. They are multiplied by 10 to 20, so that no sum cancels them. Several, because of relu
SHIFTS = (fmpq(1, 30), fmpq(-31, 70), fmpq(31, 70))
Place = tuple[int, int]
Places = frozenset[Place]
Question = tuple[str, str, dict[str, str], str]


def dependency_question(task: ExerciseTask, step: Step, reason_text: str) -> Question | None:
    """Return a question, its right answer, wrong answers with feedback, and the reason; None if no row or column is
    suitable. A row or column is suitable if all entries, one row or one column are computed from it.
    """
    for name, axis, k in Stream("practice", "dependency", step.key).shuffled([*_lines(task, step)]):
        right = affected(task, step, name, axis, k)
        answers = _answers(step, right)
        if right and right in answers and len(answers) > 2:
            wrong = {text: _why_wrong(step, places, right) for places, text in answers.items() if places != right}
            line = messages.LINES[axis].format(label=_label(task.scope.entries[name], axis, k))
            asked = messages.COPIED_WRONGLY.format(line=line, source=name, name=step.name)
            return asked, answers[right], wrong, reason_text
    return None


def affected(task: ExerciseTask, step: Step, name: str, axis: int, k: int) -> Places:
    """Return the entries of a step that change with row k (axis 0) or column k of a source; none if impossible."""
    key, now, places = task.scope.entries[name].key, task.view.full(step.key), set[Place]()
    for turn, shift in enumerate(SHIFTS):
        box = [[_shifted(cell, shift, turn, (i, j)) if (i, j)[axis] == k else cell for j, cell in enumerate(row)]
               for i, row in enumerate(task.view.full(key))]  # fmt: skip
        values = partial(_with_box, task, key, box)
        try:
            with working_precision(BITS):
                after = evaluate(step.node, values)
        except (AttncalcError, ArithmeticError, ValueError, IndexError, GiveUp):  # an id cannot change
            return frozenset()
        if any(cell is None for row in (*now, *after) for cell in row):
            return frozenset()
        places |= {(i, j) for i, row in enumerate(after) for j, cell in enumerate(row) if _is_apart(now[i][j], cell)}
    return frozenset(places)


def _shifted(cell: Interval, shift: fmpq, turn: int, place: Place) -> Interval:
    i, j = place
    times = 10 + (7 * i * i + 3 * j * j + 5 * turn * (i + j)) % 11
    return cell if cell is None or not arb(cell[0]).is_finite() else point(cell[0] + shift * times)


def _with_box(task: ExerciseTask, key: str, box: Box, asked: str) -> Box:
    return box if asked == key else task.view.full(asked)


def _is_apart(before: Interval, after: Interval) -> bool:
    """Return whether two enclosures of an entry are disjoint. This proves that the entry changed."""
    return bool(before and after and (before[1] < after[0] or after[1] < before[0]))


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
        return messages.NOT_QUITE.format(why=messages.UNUSED.format(entry=step.entry(*min(places - right))))
    text = messages.USED_TOO if places else messages.USED
    side = messages.SIDES[len({i for i, _ in places}) > 1]
    return messages.NOT_QUITE.format(why=text.format(entry=step.entry(*missing), side=side))


def _label(entry: Step | Given, axis: int, k: int) -> str:
    labels = (entry.rows, entry.columns)[axis]
    return f"“{labels[k]}”" if labels else counted_place(k)
