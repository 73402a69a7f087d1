"""A script from text in any of the formats that people and programs write."""

from __future__ import annotations

import re
from pathlib import PurePath

from ..errors import AttncalcError, Diagnostic, Location, counted
from ..problem.text import read_text
from .csvfile import StudentRows, is_table_of_cells, read_scripts, read_students
from .freetext import read_free
from .model import Script
from .yamlfile import read_script

_YAML = re.compile(r"^(?:answers|\"answers\"|'answers')[ \t]*:|^\s*\{\s*\"", re.MULTILINE)
_KIND = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".csv": "cells", ".tsv": "cells", ".md": "free", ".markdown": "free", ".tex": "free",
    ".py": "free",
}  # fmt: skip


def read(text: str | bytes, source: str, lenient: bool = False) -> Script:
    """The script in a text; the file's name, then its form, says which format it is in.

    Formats: the answers file in YAML (or JSON), a table of cells in CSV or TSV, and free text (Markdown, LaTeX, a
    program's output) in which `S =`, `S:` or a heading names the step. Raises AttncalcError with every fault and its place; a
    lenient reader keeps the rest of a script whose steps or entries cannot all be read, and lists what it left out.
    """
    text = read_text(text, source).removeprefix("\ufeff")
    match _format(text, source):
        case "yaml":
            return read_script(text, source, lenient)
        case "cells":
            scripts = read_scripts(text, source, lenient)
            if len(scripts) > 1:
                said = f"expected one student's answers, found those of {counted(len(scripts), 'student')}"
                raise AttncalcError(Diagnostic(said, Location(source, 1, 1)))
            return scripts[0]
    return read_free(text, source, lenient)


def read_rows(text: str | bytes, source: str, called: tuple[str, ...] = ("student",)) -> list[StudentRows]:
    """The lines of each student in a table of cells, each to be read alone; nothing where the text is in another format."""
    text = read_text(text, source).removeprefix("\ufeff")
    return read_students(text, source, called) if _format(text, source) == "cells" else []


def _format(text: str, source: str) -> str:
    known = _KIND.get(PurePath(source).suffix.lower())
    if known:
        return known
    if _YAML.search(text):
        return "yaml"
    return "cells" if is_table_of_cells(text) else "free"
