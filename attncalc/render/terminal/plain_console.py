"""A console without colours: a file, or standard output that is not a terminal."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

USUAL = 80  # columns by default


class PlainConsole:
    """A destination of plain lines; the console with colours is rich's, which is slow to import."""

    def __init__(self, file: TextIO, width: int):
        self.file = file
        self.width = width

    @property
    def encoding(self) -> str:
        """Return the encoding of the output, by default UTF-8."""
        return self.file.encoding or "utf-8"


def is_plain(file: TextIO) -> bool:
    """True if a file takes no colours, by rich's rules: it is no terminal, and no setting makes it one."""
    is_forced = os.environ.get("TTY_COMPATIBLE", "") == "1" or os.environ.get("FORCE_COLOR", "") != ""
    return not is_forced and not file.isatty()


def columns() -> int:
    """Return the line width outside of a terminal, by rich's rules: that of the terminal that runs the command."""
    if (setting := os.environ.get("COLUMNS", "")).isdigit():
        return int(setting)
    for stream in range(3):
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or USUAL
    return USUAL
