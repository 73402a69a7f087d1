"""Records the files that a command reads, so that no output replaces one of them.

A file is identified by its path and by its inode, so a link and its target are the same file. Nothing is recorded for
programs that call functions of attncalc.
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
    """The files that were read, and the paths of those that the command may replace."""

    read: set[Identity] = field(default_factory=set)
    replaceable: set[str] = field(default_factory=set)


_INPUTS: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def noting_inputs() -> Iterator[None]:
    """Record the files that this thread reads, until the end of the block."""
    before = _INPUTS.set(_Inputs())
    try:
        yield
    finally:
        _INPUTS.reset(before)


def note_input(path: str) -> None:
    if inputs := _INPUTS.get():
        inputs.read |= _identities(path)


def allow_replacing(path: str) -> None:
    """Allow the command to replace a file that it reads, because its purpose is to change this file."""
    if inputs := _INPUTS.get():
        inputs.replaceable.add(os.path.realpath(path))


def refuse_input(path: str) -> None:
    """Raise AttncalcError if the output file is an input that may not be replaced."""
    inputs = _INPUTS.get()
    if inputs and os.path.realpath(path) not in inputs.replaceable and _identities(path) & inputs.read:
        raise AttncalcError(Diagnostic("expected a different file; this one is the input", Location(path)))


def _identities(path: str) -> set[Identity]:
    """Return the path and the inode of a regular file. Return nothing for pipes, devices and missing files."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            return {os.path.realpath(path), (status.st_dev, status.st_ino)}
    return set()
