"""The unreadable pieces of a script: a strict reader refuses the script for one, a lenient one loses that piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..errors import MOST_FAULTS, AttncalcError, Diagnostics, shorten
from .submission import Unread

Result = TypeVar("Result")
LONGEST_NAME = 100  # characters of a name that is shown


class Losses:
    """The faults that a reader finds, by the step that they belong to."""

    def __init__(self, lenient: bool = False):
        self.lenient = lenient
        self.faults = Diagnostics()
        self.unread: list[Unread] = []

    def guarded(self, step: str, action: Callable[[], Result]) -> Result | None:
        """Return the result of the action, None if it raised a fault, which is kept."""
        try:
            return action()
        except AttncalcError as error:
            self.extend(step, error)
            return None

    def extend(self, step: str, error: AttncalcError) -> None:
        """Note the faults of a step: as faults, or, where losses are allowed, as entries that could not be read."""
        if not self.lenient:
            self.faults.extend(error)
        elif len(self.unread) < MOST_FAULTS:
            self.unread += [Unread(shorten(step, LONGEST_NAME), fault) for fault in error.faults]

    def done(self) -> tuple[Unread, ...]:
        """Return all losses. Raises AttncalcError if none is allowed."""
        self.faults.raise_any()
        return tuple(self.unread)
