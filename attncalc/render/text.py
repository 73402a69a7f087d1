"""A Document as plain text of 80 columns: the output of the terminal without colour, inside templates/text/."""

from __future__ import annotations

from pathlib import Path

from ..explain.document import Document
from .template_renderer import render
from .terminal import lines
from .terminal.styled_text import PRETTY, plain

WIDTH = 80


def write(document: Document, template: Path | None = None) -> str:
    """Return the lines of the terminal, inside templates/text/solution.txt."""
    styled_lines = [{"kind": kind, "text": plain(line)} for kind, line in lines(document, WIDTH, PRETTY)]
    return render(
        "text", "solution.txt", {"lines": styled_lines[1:]}, template
    )  # the first line is the empty line above the title
