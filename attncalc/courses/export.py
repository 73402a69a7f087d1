"""A problem, or every variant of a key, as the file that a course system imports."""

from __future__ import annotations

from importlib import import_module

from ..gradebook.key import read_key
from .model import Quiz
from .quiz import quizzes

Content = str | bytes


def export(key: str, system: str) -> tuple[Content, list[str]]:
    """The file (a zip as bytes, others as a text) and a line for each thing that the system cannot carry.

    `key` is an exam's key.json, a problem file or the name of a problem. Raises AttncalcError for what cannot be read or asked.
    """
    return write(system, list(quizzes(read_key(key))))


def write(system: str, quizzes: list[Quiz]) -> tuple[Content, list[str]]:
    """What the writer of a system (see systems.py), which stands in a file of its name, makes of quizzes, and what it could not carry."""
    content, lost = import_module(f".{system}", __package__).write(quizzes)
    return content, lost
