"""One comprehension question per step, from `explain/reasons/questions.ini` or from the reason of the step."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..explain.part_document import local_name, meaning
from ..explain.reasons import reason, sections
from ..formula.index_base import counted_place
from ..lessons import LESSONS
from ..local_server.json_requests import Json
from ..plan import Step
from ..problem.random_stream import Stream
from ..render.math import mathml
from .messages import ABOUT, ABOUT_ANOTHER, NOT_QUITE
from .task import ExerciseTask, softmax_of

MODEL = "self_attention"  # lesson whose questions apply to steps of other lessons with the same name and reason
WRONG = 3  # answers
_END = re.compile(
    r"(?<=[.?]) (?=[A-Z√γβεI0-9−(])"
)  # end of the first sentence of a reason; the second is often misunderstood


def question(task: ExerciseTask, step: Step) -> Json:
    """Return the question with its shuffled answers, the feedback to each, and the right answer."""
    text, right, wrong, why = _question_parts(task, step)
    feedback = {
        mathml.sentence(answer): mathml.sentence(comment)
        for answer, comment in {right: f"Right. {why}", **wrong}.items()
    }
    shuffled = Stream("practice", "question", step.key).shuffled([*feedback])
    return {"text": mathml.sentence(text), "answers": shuffled, "right": next(iter(feedback)), "feedback": feedback}


def _question_parts(task: ExerciseTask, step: Step) -> tuple[str, str, dict[str, str], str]:
    """Return the question, its right answer, wrong answers with feedback, and the reason."""
    table, name = sections("questions"), local_name(step)
    base, reason_text = _base(name), reason(step.lesson or "", name, task.problem.columns)
    is_model = reason_text and reason_text == reason(MODEL, base) and base in table and not task.problem.columns
    if reason_text and not is_model and step.node.operation != "softmax":
        return _which(task, step, reason_text)
    kind = base if is_model else step.node.operation
    row = _row(task, step, kind) if kind in table else None
    text, *answers = _fill(step, row or 0, table["size" if row is None else kind].values())
    (right, why), *wrong = (entry.split(" | ") for entry in answers)
    return text, right, {answer: NOT_QUITE.format(why=comment) for answer, comment in wrong}, why


def _base(name: str) -> str:
    return re.sub(r"_\d+$", "", name)


def _row(task: ExerciseTask, step: Step, kind: str) -> int | None:
    """Return the row that a question names, or None if it would have no right answer or two.

    A product of single entries, or of a row and a column, can be calculated in only one way; a mean with one visible
    weight equals that value.
    """
    (n, m), is_product = step.shape, step.node.operation == "matmul"
    if is_product and not (step.node.args[0].shape[1] > 1 and n * m > 1):
        return None
    if kind == "softmax" and not softmax_of(step) or kind == "S_scaled" and "√d_k" not in meaning(step):
        return None
    if kind not in ("softmax", "Z"):
        return 0
    weights = task.scope.shown(step.name if kind == "softmax" else task.uses(step)[0]).printed.texts
    several = [i for i in range(n) if sum(not {*text} <= {*"0."} for text in weights[i]) > 1]
    return several[-1] if several else None


def _fill(step: Step, at: int, templates: Iterable[str]) -> list[str]:
    """Return the texts of a question with the step's name, size and labels."""
    n, m = step.shape
    row = f"“{step.rows[at]}”" if step.rows else counted_place(at)
    column = f"“{step.columns[-1]}”" if step.columns else counted_place(m - 1)
    places = {"n": n, "m": m, "n1": n + 1, "m1": m + 1, "m2": m + 2, "name": step.name, "row": row, "column": column}
    return [text.format(**places) for text in templates]


def _which(task: ExerciseTask, step: Step, reason_text: str) -> tuple[str, str, dict[str, str], str]:
    """Return a question for the sentence about a step, among reasons of other steps, first from its lesson.

    Reasons that name the step, or belong to its neighbours in the plan, are excluded, since they may be about it too.
    """
    right, why = _END.split(reason_text, 1)
    base_name = _base(local_name(step))
    neighbours = [*task.uses(step), *(user.name for user in task.part.plan.steps if step.name in task.uses(user))]
    related = {base_name, *(_base(name.rpartition(".")[2]) for name in neighbours)}
    others: dict[str, str] = {}
    for lesson in (step.lesson or MODEL, MODEL):
        docs = LESSONS[lesson].steps
        for name in Stream("practice", "reasons", step.key).shuffled(
            [key for key in docs if _base(key) not in related]
        ):
            about = ABOUT_ANOTHER.format(name=_base(name), meaning=docs[name])
            others.setdefault(_END.split(reason(lesson, name, task.problem.columns))[0], about)
    wrong = [
        sentence
        for sentence in others
        if sentence and sentence != right and not re.search(rf"\b{re.escape(base_name)}\b", sentence)
    ][:WRONG]
    return ABOUT.format(name=step.name), right, {sentence: others[sentence] for sentence in wrong}, why
