"""The questions of a key that are ticked, or answered in words: from what the key holds of them to a question of a
quiz.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..exam.words import Words
from ..gradebook.own import OwnKey
from .model import Matrix, Option, Question


def own_question(own: OwnKey, drawn: Question | None, words: Words) -> Question:
    """A question of its own words, or one whose matrices stand among choices: then `drawn` says what is asked and
    given. `words` are those of the paper.
    """
    held: Mapping[str, Any] = own.held or {}
    said = tuple(str(held[word]) for word in ("ask", "note") if held.get(word))
    title = str(held.get("title") or (drawn.title if drawn else "") or own.name)
    made = drawn or Question(own.name, title, (), (), (), ())
    made = replace(made, name=own.name, title=title, ask=said or made.ask, worth=own.points, solution=made.solution)
    made.model_answer = str(held.get("solution") or "")
    if not own.is_ticked:
        return replace(made, essay=True)
    step = str(held.get("step") or "")
    options = tuple(_option(one, own, step) for one in held.get("choices") or () if isinstance(one, Mapping))
    asked = words["tick_several" if held.get("several") else "tick_one"]
    asked = words.filled("which", step=step) if step else asked
    return replace(made, options=options, several=bool(held.get("several")), facts=(*made.facts, asked))


def _option(held: Mapping[str, Any], own: OwnKey, step: str) -> Option:
    """A choice: words, or the matrix of a step, which keeps no labels."""
    letter, because = str(held.get("letter") or ""), str(held.get("because") or "")
    rows = held.get("matrix")
    matrix = Matrix(step, tuple(tuple(map(str, row)) for row in rows)) if isinstance(rows, list) and rows else None
    return Option(letter in own.right, str(held.get("text") or ""), matrix, because)
