"""Export of problems, or of all variants of a key, as a file for a course system."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from ..errors import AttncalcError
from .question_splitting import split
from .quiz import Quiz
from .quiz_sources import read_quizzes
from .registry import SYSTEMS

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
