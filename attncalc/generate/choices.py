"""Multiple choice: the right result of a step among the results of named mistakes, no two alike in print, each with its feedback."""

from __future__ import annotations

from typing import Any

from ..errors import AttncalcError
from ..mistakes.catalogue import catalogue
from .certificate import certify
from .search import Search, Variant
from .stream import Stream


def choices_of(search: Search, variant: Variant, count: int) -> dict[str, Any]:
    """So many answers to the step that most mistakes can reach, shuffled by the variant's own stream."""
    view = search.fill(variant.entries)
    by_step: dict[str, dict[tuple[tuple[str, ...], ...], str]] = {}
    for verdict in certify(view).verdicts:
        if verdict.kind == "separated":
            by_step.setdefault(verdict.step, {}).setdefault(verdict.printed, verdict.code)
    name = max(by_step, key=lambda step: len(by_step[step]), default=None)
    if name is None or len(by_step[name]) < count - 1:
        there = len(by_step[name]) if name else 0
        raise AttncalcError(f"--choices: {count} are asked for, but only {there} mistakes come to other numbers here")
    step = next(s for s in view.steps if s.key == name)
    ranked = sorted(by_step[name].items(), key=lambda item: -catalogue()[item[1]].weight)[: count - 1]
    answers = [{"matrix": view.printed(step), "right": True, "code": None, "feedback": "Right."}]
    for printed, code in ranked:
        mistake = catalogue()[code]
        answers.append({"matrix": [list(row) for row in printed], "right": False, "code": code, "feedback": f"{mistake.done} {mistake.advice}"})
    return {"step": name, "answers": Stream("attncalc", search.spec.seed, "choices", variant.number).shuffled(answers)}
