"""Large questions in several pieces: at their steps, and a step that is too large by itself at its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from ..explain.document import Document
from .model import Asked, Blank, Question, Quiz

PIECE = "{title} ({number} of {all})"


def split(quiz: Quiz, most: int) -> None:
    """Makes pieces of at most so many blanks of each question of a quiz that has more."""
    quiz.questions = [piece for question in quiz.questions for piece in pieces(question, most)]


def pieces(question: Question, most: int) -> list[Question]:
    """The question, or its pieces; each says the formulas of the steps that stand in earlier ones."""
    if len(question.blanks) <= most:
        return [question]
    found = list(_packed(question.asked, most))
    return [_piece(question, found, k) for k in range(len(found))]


def _piece(question: Question, found: list[list[Asked]], k: int) -> Question:
    """One piece. A step's solution stands behind its last cells, so that it tells none that are still to come."""
    later = {asked.name for piece in found[k + 1 :] for asked in piece}
    ended = {asked.name for asked in found[k]} - later
    earlier = {asked.formula: None for piece in found[:k] for asked in piece if asked.formula}
    solution = question.solution

    def worked(only: set[str] | None) -> Document:
        assert solution is not None
        return solution(ended if only is None else ended & only)

    title = PIECE.format(title=question.title, number=k + 1, all=len(found))
    name = f"{question.name} {k + 1}".strip()
    formulas = (*question.formulas, *earlier)
    return replace(
        question,
        name=name,
        title=title,
        asked=tuple(found[k]),
        formulas=formulas,
        solution=worked if solution and ended else None,
    )


def _packed(steps: tuple[Asked, ...], most: int) -> Iterator[list[Asked]]:
    """Steps, in order, as many in each piece as fit."""
    piece: list[Asked] = []
    for step in (part for asked in steps for part in _parts(asked, most)):
        if piece and sum(len(one.blanks) for one in piece) + len(step.blanks) > most:
            yield piece
            piece = []
        piece.append(step)
    yield piece


def _parts(asked: Asked, most: int) -> Iterator[Asked]:
    """A step that fits, or its rows, as many together as fit; a row that is too long by itself, in pieces."""
    held: list[Blank] = []
    for _, row in groupby(asked.blanks, key=lambda blank: blank.row):
        blanks = list(row)
        for start in range(0, len(blanks), most):
            cells = blanks[start : start + most]
            if held and len(held) + len(cells) > most:
                yield replace(asked, blanks=tuple(held))
                held = []
            held += cells
    yield replace(asked, blanks=tuple(held))
