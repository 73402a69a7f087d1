"""What a YAML reader says of a text that is no YAML, and what it means for people who write problems."""

from __future__ import annotations

import re
from typing import Any

from ...errors import Diagnostic, Location, shorten
from .flow_formulas import unclosed
from .nodes import BREAK


def unbroken(text: str, place: Location) -> str:
    """The formula that YAML broke at a comma, in quotes: `"band(2, 1)"`."""
    line = _lines(text)[place.line - 1]
    for match in re.finditer(r"[A-Za-z_]\w*\([^()]*\)", line):
        if match.start() < place.column <= match.end() + 1 and "," in match[0]:
            return _quoted(match[0])
    return '"..."'


def _lines(text: str) -> list[str]:
    return re.split(BREAK, text)


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


# What a YAML reader says, and what it means for people who write problems. `{sign}` is the character that stands there.
_SAID = (
    (
        "expected comment or line break",
        "a value that begins with | needs quotes; of a matrix, abs(A) is what |A| means",
    ),
    ("alias", "{problem}; an alias names an anchor that stands before it"),
    (
        "mapping values are not allowed",
        "a colon stands where none can be; is the indentation right, or does a text need quotes?",
    ),
    ("could not find expected ':'", "expected a key and a colon here"),
    ("cannot start any token", "a text that begins with {sign} needs quotes"),
    ("unexpected end of stream", "a quote is opened and not closed"),
    ("invalid Unicode character escape", "this escape stands for no character; write the character itself"),
    ("unknown escape", "{sign} means nothing inside double quotes; inside single quotes a backslash is itself"),
    ("block sequence entries are not allowed", "a list stands where none can be; is the indentation right?"),
    ("expected ',' or", "expected a comma or the closing bracket here"),
    ("document start", "nothing more can stand here; is a bracket or a quote missing before it?"),
    ("expected key", "expected the next key here; is the indentation right, or does the whole text need quotes?"),
)


def syntax_fault(error: Any, text: str, source: str) -> Diagnostic:
    """The fault of a text that is no YAML: where it is, and what to do."""
    problem = str(error.problem or "this cannot be read")
    # Where it began says more than where it ended
    begun = "end of stream" in problem or "could not find expected ':'" in problem
    mark = begun and error.context_mark or error.problem_mark or error.context_mark
    if mark is None:
        return Diagnostic("expected a text file in YAML, found something else", Location(source))
    lines = _lines(text)
    if "flow" in str(error.context) and _is_end(mark, lines) and (open_ := unclosed(text)) is not None:
        above = _lines(text[:open_])
        return Diagnostic("this bracket is opened and not closed", Location(source, len(above), len(above[-1]) + 1))
    if mark.line < len(lines):
        line, place = lines[mark.line], Location(source, mark.line + 1, mark.column + 1)
    else:  # behind the end
        line, place = "", Location(source, len(lines), len(lines[-1]) + 1)
    if "\t" in line[: mark.column + 1]:
        return Diagnostic("YAML is indented with spaces; found a tab", place)
    bare = re.search(r"""(?<![\w"'])([A-Za-z_][\w.]*\[[^\]]*\])""", line)
    if bare and re.search(r"[\[{].*" + re.escape(bare[1]), line):
        return Diagnostic(f"commas and brackets inside [...] and {{...}} need quotes: {_quoted(bare[1])}", place)
    said = next((words for key, words in _SAID if key in problem), None)
    if said is None and "flow" in str(error.context):
        said = "expected a comma or the closing bracket here"
    sign = f"'{shorten(line[mark.column : mark.column + (2 if line[mark.column :].startswith(chr(92)) else 1)])}'"
    return Diagnostic((said or "this is not YAML: {problem}").format(problem=problem, sign=sign), place)


def _is_end(mark: Any, lines: list[str]) -> bool:
    """Whether nothing more stands behind a place."""
    return not "".join([line[mark.column * (k == 0) :] for k, line in enumerate(lines[mark.line :])]).strip()
