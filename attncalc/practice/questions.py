"""One question of understanding for each step: one of `explain/reasons/questions.ini`, or why the step is there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..explain.part import meaning, own_name
from ..explain.reasons import reason, sections
from ..formula.counting import counted_place
from ..lessons import LESSONS
from ..local.request import Json
from ..plan import Step
from ..problem.stream import Stream
from ..write.formulas import mathml
from .task import Task, softmax_of
from .texts import ABOUT, ABOUT_ANOTHER, NOT_QUITE

MODEL = "self_attention"  # a step of another lesson has the question of its name where it is there for the same reason
WRONG = 3  # answers
_END = re.compile(r"(?<=[.?]) (?=[A-Z√γβεI0-9−(])")  # of a reason's first sentence; the second is often misunderstood


def question(task: Task, step: Step) -> Json:
    """The question with its answers in an order of their own, each with what is said of it, and which is right."""
    text, right, wrong, why = _question_parts(task, step)
    feedback = {
        mathml.sentence(answer): mathml.sentence(comment)
        for answer, comment in {right: f"Right. {why}", **wrong}.items()
    }
    shuffled = Stream("practice", "question", step.key).shuffled([*feedback])
    return {"text": mathml.sentence(text), "answers": shuffled, "right": next(iter(feedback)), "said": feedback}


def _question_parts(task: Task, step: Step) -> tuple[str, str, dict[str, str], str]:
    """The question, its right answer, wrong ones with what is said of them, and why."""
    table, name = sections("questions"), own_name(step)
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


def _row(task: Task, step: Step, kind: str) -> int | None:
    """The row that a question names; None where it would have no right answer, or two: of single entries, or of a row
    and a column, a product is made in one way, and a mean in which one weight shows is that value.
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
    """A question of the table with the step's name, size and labels."""
    n, m = step.shape
    row = f"“{step.rows[at]}”" if step.rows else counted_place(at)
    column = f"“{step.columns[-1]}”" if step.columns else counted_place(m - 1)
    places = {"n": n, "m": m, "n1": n + 1, "m1": m + 1, "m2": m + 2, "name": step.name, "row": row, "column": column}
    return [text.format(**places) for text in templates]


def _which(task: Task, step: Step, reason_text: str) -> tuple[str, str, dict[str, str], str]:
    """Which sentence is about a step, among the reasons of others: of its lesson first. One that names it, or is of a
    step beside it on the plan, may be about it as well.
    """
    right, why = _END.split(reason_text, 1)
    base_name = _base(own_name(step))
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
