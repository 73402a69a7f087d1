"""One question of understanding for each step: one of `explain/reasons/questions.ini`, or why the step is there."""

from __future__ import annotations

import re

from ..explain.part import own_name
from ..explain.reasons import reason, sections
from ..formula.counting import counted_place
from ..lessons import LESSONS
from ..local.request import Json
from ..plan import Step
from ..problem.stream import Stream
from .texts import WHY

MODEL = "self_attention"  # a step of another lesson has the question of its name where it is there for the same reason
WRONG = 3  # answers
_END = re.compile(r"(?<=[.?]) (?=[A-Z√γβεI0-9−(])")  # of a reason's first sentence; the second is often misunderstood


def question(step: Step) -> Json:
    """The question with its answers in an order of their own, which of them is right, and why."""
    text, *answers, why = _of(step)
    shuffled = Stream("practice", "question", step.key).shuffled(answers)
    return {"text": text, "answers": shuffled, "right": answers[0], "why": why}


def _of(step: Step) -> list[str]:
    """The question, its right answer, wrong ones, and why."""
    table, name = sections("questions"), own_name(step)
    base, told = re.sub(r"_\d+$", "", name), reason(step.lesson or "", name)
    if told and told == reason(MODEL, base) and base in table:
        return _filled(step, table[base])
    if told and step.node.operation != "softmax":
        return _why(step, told)
    return _filled(step, table.get(step.node.operation, table["size"]))


def _filled(step: Step, said: dict[str, str]) -> list[str]:
    """A question of the table with the step's name, size and labels."""
    n, m = step.shape
    row = f"“{step.rows[0]}”" if step.rows else counted_place(0)
    column = f"“{step.columns[-1]}”" if step.columns else counted_place(m - 1)
    places = {"n": n, "m": m, "n1": n + 1, "m1": m + 1, "m2": m + 2, "name": step.name, "row": row, "column": column}
    return [text.format(**places) for text in said.values()]


def _why(step: Step, told: str) -> list[str]:
    """The reason of a step among those of others: of its lesson first."""
    right, why = _END.split(told, 1)
    own, model = (
        dict.fromkeys(_END.split(reason(lesson, name))[0] for name in LESSONS[lesson].steps)
        for lesson in (step.lesson or MODEL, MODEL)
    )
    others = dict.fromkeys([*Stream("practice", "reasons", step.key).shuffled(list(own)), *model])
    wrong = [one for one in others if one != right]
    return [WHY.format(name=step.name), right, *wrong[:WRONG], why]
