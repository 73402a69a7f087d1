"""A script from text in any of the formats that people and programs write."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from ..errors import AttncalcError, Diagnostic, Location, counted
from ..problem.text import read_text
from .csvfile import StudentRows, is_table_of_cells, read_scripts, read_students
from .freetext import read_free
from .identity import told
from .model import Script
from .written import Written, whole
from .yamlfile import read_script

_YAML = re.compile(r"^(?:answers|\"answers\"|'answers')[ \t]*:|^\s*\{\s*\"", re.MULTILINE)
_KIND = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".csv": "cells", ".tsv": "cells", ".md": "free", ".markdown": "free", ".tex": "free",
    ".py": "free",
}  # fmt: skip


def read(text: str | bytes, source: str, lenient: bool = False, words: frozenset[str] = frozenset()) -> Script:
    """The script in a text; the file's name, then its form, says which format it is in.

    Formats: the answers file in YAML (or JSON), a table of cells in CSV or TSV, and free text (Markdown, LaTeX, a
    program's output) in which `S =`, `S:` or a heading names the step. Raises AttncalcError with every fault and its place; a
    lenient reader keeps the rest of a script whose steps or entries cannot all be read, and lists what it left out. `words` are questions
    that are ticked or answered in words: what stands for them is kept as it is.
    """
    text = read_text(text, source).removeprefix("\ufeff")
    match _format(text, source):
        case "yaml":
            return read_script(text, source, lenient, words)
        case "cells":
            scripts = read_scripts(text, source, lenient, words)
            if len(scripts) > 1:
                said = f"expected one student's answers, found those of {counted(len(scripts), 'student')}"
                raise AttncalcError(Diagnostic(said, Location(source, 1, 1)))
            return scripts[0]
    rest, taken = _taken(text, source, words)
    try:
        return replace(read_free(rest, source, lenient), words=taken)
    except AttncalcError:
        if not taken:
            raise
    about = told(text.encode())
    return Script(about.get("problem"), about.get("student"), None, (), source, words=taken)


def _taken(text: str, source: str, words: frozenset[str]) -> tuple[str, dict[str, Written]]:
    """A free text without the lines that answer one of these questions (`q3: B`), and what stands in them."""
    if not words:
        return text, {}
    pattern = re.compile(rf"^[ \t]*[-*]?[ \t]*\**({'|'.join(sorted(words, key=len, reverse=True))})\**[ \t]*[:=][ \t]*(.*)$", re.MULTILINE)
    file = whole(text, source)
    said = {line[1]: file.part(line.start(2), line.end(2)) for line in pattern.finditer(text)}
    return pattern.sub("", text), said


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
