"""Problems, or every variant of a key, as the file that a course system imports."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from ..errors import AttncalcError
from .model import Quiz
from .sources import read_quizzes
from .split import split
from .systems import SYSTEMS

Content = str | bytes


def export(
    names: str | Iterable[str], system: str, most: int | None = None, together: bool = False, solutions: bool = True
) -> tuple[Content, list[str]]:
    """The file (a zip as bytes, others as a text) and a line for each thing that the system cannot carry.

    `names` are exams' key.json, problem files, names of problems, what `attncalc generate` wrote, or folders of these.
    Questions of more than `most` blanks are split; `together` makes one question of all parts, where a system would
    draw another variant for each; without `solutions` nothing is worked out. Raises AttncalcError for what cannot be
    read or asked.
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
    """Asks for all parts in one question, where none has to repeat what another part starts from."""
    quiz.together = True
    asked_names = {question.name for question in quiz.questions if question.asked}
    for question in quiz.questions:
        question.prior_parts = tuple(prior for prior in question.prior_parts if prior.name not in asked_names)


def write(system: str, quizzes: list[Quiz]) -> tuple[Content, list[str]]:
    """What the writer of a system (see systems.py), which stands in a file of its name, makes of quizzes, and what it
    could not carry.
    """
    content, limitations = import_module(f".{system}", __package__).write(quizzes)
    return content, limitations
