"""A Document as plain text of 80 columns, without colour: what the terminal shows, through templates/text/."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from ..explain.document import Document
from .page import render
from .palette import PRETTY
from .terminal import lines

WIDTH = 80


def write(document: Document, template: Path | None = None) -> str:
    """The blocks as the terminal sets them; templates/text/solution.txt says what stands around them."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, legacy_windows=False)
    told = [{"kind": kind, "text": text.plain} for kind, text in lines(document, console, PRETTY)]
    return render("text", "solution.txt", {"lines": told[1:]}, template)  # the first is the empty one above the title
