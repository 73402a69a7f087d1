"""The files that a command has read: no output takes the place of one of them.

A file is known by its path and by its place on the disk, so that a link to it is the same file. Programs that call
functions of attncalc note nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field

from .errors import AttncalcError, Diagnostic, Location

Identity = str | tuple[int, int]


@dataclass(slots=True)
class _Inputs:
    """The files that were read, and the paths of those that the command may replace all the same."""

    read: set[Identity] = field(default_factory=set)
    replaceable: set[str] = field(default_factory=set)


_INPUTS: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def noting_inputs() -> Iterator[None]:
    """Note, until the end, the files that are read in this thread."""
    before = _INPUTS.set(_Inputs())
    try:
        yield
    finally:
        _INPUTS.reset(before)


def note_input(path: str) -> None:
    if inputs := _INPUTS.get():
        inputs.read |= _identities(path)


def allow_replacing(path: str) -> None:
    """Let the command replace one of the files that it reads, since its purpose is to change it."""
    if inputs := _INPUTS.get():
        inputs.replaceable.add(os.path.realpath(path))


def refuse_input(path: str) -> None:
    """Raise AttncalcError if a file that is about to be written is one that was read."""
    inputs = _INPUTS.get()
    if inputs and os.path.realpath(path) not in inputs.replaceable and _identities(path) & inputs.read:
        raise AttncalcError(Diagnostic("expected a different file; this one is the input", Location(path)))


def _identities(path: str) -> set[Identity]:
    """Return path and place of an ordinary file; nothing for pipes, devices and what is not there."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            return {os.path.realpath(path), (status.st_dev, status.st_ino)}
    return set()
