"""Export of problems, or of all variants of a key, as a file for a course system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import groupby

from ..errors import AttncalcError
from ..explain.document import Document
from .quiz import AskedStep, Blank, Question, Quiz
from .quiz_sources import read_quizzes
from .registry import SYSTEMS

PIECE = "{title} ({number} of {all})"


def split(quiz: Quiz, most: int) -> None:
    """Split each question of a quiz with more than `most` answer fields."""
    quiz.questions = [piece for question in quiz.questions for piece in pieces(question, most)]


def pieces(question: Question, most: int) -> list[Question]:
    """Return the question, or its pieces; each piece lists the formulas of the steps in earlier pieces."""
    if len(question.blanks) <= most:
        return [question]
    groups = list(_pack(question.asked, most))
    return [_piece(question, groups, k) for k in range(len(groups))]


def _piece(question: Question, groups: list[list[AskedStep]], k: int) -> Question:
    """Return one piece. The solution of a step follows its last entries, so that it reveals none that are still to
    come.
    """
    later = {asked.name for piece in groups[k + 1 :] for asked in piece}
    ended = {asked.name for asked in groups[k]} - later
    earlier = {asked.formula: None for piece in groups[:k] for asked in piece if asked.formula}
    solution = question.solution

    def worked(only: set[str] | None) -> Document:
        assert solution is not None
        return solution(ended if only is None else ended & only)

    title = PIECE.format(title=question.title, number=k + 1, all=len(groups))
    name = f"{question.name} {k + 1}".strip()
    formulas = (*question.formulas, *earlier)
    return replace(
        question,
        name=name,
        title=title,
        asked=tuple(groups[k]),
        formulas=formulas,
        solution=worked if solution and ended else None,
    )


def _pack(steps: tuple[AskedStep, ...], most: int) -> Iterator[list[AskedStep]]:
    """Yield the steps in order, as many per piece as fit."""
    piece: list[AskedStep] = []
    for step in (part for asked in steps for part in _parts(asked, most)):
        if piece and sum(len(asked.blanks) for asked in piece) + len(step.blanks) > most:
            yield piece
            piece = []
        piece.append(step)
    yield piece


def _parts(asked: AskedStep, most: int) -> Iterator[AskedStep]:
    """Yield a step that fits, or groups of its rows that fit; a row that is too long is split."""
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


Content = str | bytes


def export(
    names: str | Iterable[str], system: str, most: int | None = None, together: bool = False, solutions: bool = True
) -> tuple[Content, list[str]]:
    """Return the file (bytes for a zip, else text) and the limitations of the course system.

    `names` are key.json files of exams, problem files, names of problems, outputs of `attncalc generate`, or folders of
    these. Questions with more than `most` fields are split. `together` joins all parts in one question, so that a
    student gets one variant. Without `solutions` the file has no worked solutions. Raises AttncalcError for input that
    cannot be read or asked.
    """
    quizzes = read_quizzes([names] if isinstance(names, str) else names)
    titles = dict.fromkeys(quiz.title for quiz in quizzes)
    if len(titles) > 1 and not SYSTEMS[system].several:
        raise AttncalcError(
            f"{system}: expected one problem, or the variants of one, found {len(titles)} different ones; "
            "export them one by one"
        )
    for quiz in quizzes:
        if most is not None:
            split(quiz, most)
        if together:
            _join(quiz)
        for question in quiz.questions:
            question.solution = question.solution if solutions else None
    return write(system, quizzes)


def _join(quiz: Quiz) -> None:
    """Mark a quiz to be one question, in which no part repeats the facts of another."""
    quiz.together = True
    asked_names = {question.name for question in quiz.questions if question.asked}
    for question in quiz.questions:
        question.prior_parts = tuple(prior for prior in question.prior_parts if prior.name not in asked_names)


def write(system: str, quizzes: list[Quiz]) -> tuple[Content, list[str]]:
    """Return the file that the writer of a system produces, and its limitations; the module is named like the
    system.
    """
    content, limitations = import_module(f".{system}", __package__).write(quizzes)
    return content, limitations
