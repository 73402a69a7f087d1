"""One question of understanding for each step: the first of the table that fits what the step is, or what it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..formula.labels import counted_place
from ..formula.node import Node
from ..plan import Step
from ..problem.stream import Stream
from .texts import QUESTIONS

# Steps of lessons that have a question by their name
NAMED = ("S_scaled", "S_masked", "A_masked", "Z", "S", "Q", "K", "V")
BY_OPERATION = {"row_mean": "mean", "col_mean": "mean", "mean": "mean", "relu": "maximum"}


def question(step: Step) -> dict[str, Any]:
    """The question with its answers in an order of their own."""
    text, right, wrong, _ = _filled(step)
    return {"text": text, "answers": Stream("practice", "question", step.key).shuffled([right, *wrong])}


def judged(step: Step, answer: str) -> dict[str, Any]:
    """Whether an answer is right, and why."""
    _, right, _, why = _filled(step)
    return {"right": answer == right, "why": why}


def _filled(step: Step) -> tuple[str, str, tuple[str, ...], str]:
    text, right, wrong, why = QUESTIONS[next(one for one in _candidates(step) if one in QUESTIONS)]
    n, m = step.shape
    places = {"n": n, "m": m, "n1": n + 1, "m1": m + 1, "m2": m + 2, "name": step.name,
              "row": step.rows[0] if step.rows else counted_place(0),
              "column": step.columns[-1] if step.columns else counted_place(m - 1)}  # fmt: skip
    return (
        text.format(**places),
        right.format(**places),
        tuple(one.format(**places) for one in wrong),
        why.format(**places),
    )


def _candidates(step: Step) -> Iterator[str]:
    """What the step is called in its lesson, then what it does, the outermost first; the general question
    at the end.
    """
    base = step.base.rpartition(".")[2].partition("_head")[0]
    plain = base.rstrip("0123456789").rstrip("_") if base not in NAMED else base
    if step.lesson and plain in NAMED:
        yield plain
    node: Node = step.node
    for _ in range(3):
        yield BY_OPERATION.get(node.operation, node.operation)
        if len(node.args) != 1:
            break
        node = node.args[0]
    yield ""
