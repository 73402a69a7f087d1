"""A screen without colours: a file, or standard output that no terminal shows."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

USUAL = 80  # columns, where nothing says how many there are


class PlainConsole:
    """Where lines go as plain texts; what shows colours is a console of rich, which is slow to import."""

    def __init__(self, file: TextIO, width: int):
        self.file = file
        self.width = width

    @property
    def encoding(self) -> str:
        """The encoding of what is written, UTF-8 where there is none."""
        return self.file.encoding or "utf-8"


def is_plain(file: TextIO) -> bool:
    """Whether a file takes no colours, as rich decides: it is no terminal, and nothing says to take it for one."""
    is_forced = os.environ.get("TTY_COMPATIBLE", "") == "1" or os.environ.get("FORCE_COLOR", "") != ""
    return not is_forced and not file.isatty()


def columns() -> int:
    """The columns of lines that no terminal shows, as rich finds them: those of the terminal that the command stands
    in.
    """
    if (setting := os.environ.get("COLUMNS", "")).isdigit():
        return int(setting)
    for stream in range(3):
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or USUAL
    return USUAL
