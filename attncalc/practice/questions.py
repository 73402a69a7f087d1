"""One question of understanding for each step: one of the table, or why its lesson has the step."""

from __future__ import annotations

import re
from typing import Any

from ..explain.part import own_name
from ..explain.reasons import reason
from ..formula.counting import counted_place
from ..lessons import LESSONS
from ..plan import Step
from ..problem.stream import Stream
from .texts import QUESTIONS, WHY

MODEL = "self_attention"  # a step of another lesson has the question of its name where it is there for the same reason
WRONG = 3  # answers
_END = re.compile(
    r"(?<=[.?]) (?=[A-Z√γβεI0-9−(])"
)  # of a reason's first sentence; the second is what is often misunderstood

Question = tuple[str, str, tuple[str, ...], str]  # with its right answer, wrong ones, and why


def question(step: Step) -> dict[str, Any]:
    """The question with its answers in an order of their own."""
    text, right, wrong, _ = _of(step)
    return {"text": text, "answers": Stream("practice", "question", step.key).shuffled([right, *wrong])}


def judged(step: Step, answer: str) -> dict[str, Any]:
    """Whether an answer is right, and why."""
    _, right, _, why = _of(step)
    return {"right": answer == right, "why": why}


def _of(step: Step) -> Question:
    base, told = re.sub(r"_\d+$", "", own_name(step)), reason(step.lesson or "", own_name(step))
    if told and told == reason(MODEL, base) and base in QUESTIONS:
        return _filled(step, base)
    if told and step.node.operation != "softmax":
        return _why(step, told)
    return _filled(step, step.node.operation if step.node.operation in QUESTIONS else "")


def _filled(step: Step, key: str) -> Question:
    """A question of the table with the step's name, size and labels."""
    text, right, wrong, why = QUESTIONS[key]
    n, m = step.shape
    places = {"n": n, "m": m, "n1": n + 1, "m1": m + 1, "m2": m + 2, "name": step.name,
              "row": f"“{step.rows[0]}”" if step.rows else counted_place(0),
              "column": f"“{step.columns[-1]}”" if step.columns else counted_place(m - 1)}  # fmt: skip
    right, why, text, *others = (one.format(**places) for one in (right, why, text, *wrong))
    return text, right, tuple(others), why


def _why(step: Step, told: str) -> Question:
    """The reason of a step among those of others: of its lesson first."""
    right, why = _END.split(told, 1)
    own, model = (
        dict.fromkeys(_END.split(reason(lesson, name))[0] for name in LESSONS[lesson].steps)
        for lesson in (step.lesson or MODEL, MODEL)
    )
    wrong = [one for one in Stream("practice", "reasons", step.key).shuffled(list(own)) + list(model) if one != right]
    return WHY.format(name=step.name), right, tuple(dict.fromkeys(wrong))[:WRONG], why
