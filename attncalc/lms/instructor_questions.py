"""Multiple-choice and free-text questions of a key as questions of a quiz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..exam.translations import Words
from ..gradebook.instructor_questions import OwnKey
from .quiz import Matrix, Option, Question


def instructor_question(key: OwnKey, drawn: Question | None, words: Words) -> Question:
    """Return an instructor's question; if its choices are matrices, `drawn` holds its task and givens. `words`
    translates.
    """
    record: Mapping[str, Any] = key.held or {}
    texts = tuple(str(record[word]) for word in ("ask", "note") if record.get(word))
    title = str(record.get("title") or (drawn.title if drawn else "") or key.name)
    question = drawn or Question(key.name, title, (), (), (), ())
    question = replace(
        question, name=key.name, title=title, ask=texts or question.ask, worth=key.points, solution=question.solution
    )
    question.model_answer = str(record.get("solution") or "")
    if not key.is_ticked:
        return replace(question, essay=True)
    step = str(record.get("step") or "")
    options = tuple(_option(choice, key, step) for choice in record.get("choices") or () if isinstance(choice, Mapping))
    instruction = words["tick_several" if record.get("several") else "tick_one"]
    instruction = words.fill("which", step=step) if step else instruction
    return replace(question, options=options, several=bool(record.get("several")), facts=(*question.facts, instruction))


def _option(choice: Mapping[str, Any], key: OwnKey, step: str) -> Option:
    """Return a choice: text, or the matrix of a step without labels."""
    letter, feedback = str(choice.get("letter") or ""), str(choice.get("because") or "")
    rows = choice.get("matrix")
    matrix = Matrix(step, tuple(tuple(map(str, row)) for row in rows)) if isinstance(rows, list) and rows else None
    return Option(letter in key.right, str(choice.get("text") or ""), matrix, feedback)
