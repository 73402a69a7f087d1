"""A problem, or every variant of a key, as the file that a course system imports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..gradebook.key import read_key
from . import canvas, moodle
from .quiz import quizzes

SYSTEMS: dict[str, Callable[..., tuple[Any, list[str]]]] = {"moodle": moodle.write, "canvas": canvas.write}


def export(key: str, system: str) -> tuple[str | bytes, list[str]]:
    """The file (Moodle XML as a text, Canvas's zip as bytes) and a line for each thing that the system cannot carry.

    `key` is an exam's key.json, a problem file or the name of a problem. Raises AttncalcError for what cannot be read or asked.
    """
    return SYSTEMS[system](list(quizzes(read_key(key))))
