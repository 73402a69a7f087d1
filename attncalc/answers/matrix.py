"""One text, one matrix: which format it is in is seen from its signs."""

from __future__ import annotations

import re

from . import brackets, layouts, programs
from .entry import BLANKS
from .grid import Grid, is_row
from .written import Written

_NAMED = re.compile(r"\s*[A-Za-z][\w.' ]{0,40}(?:=|:=|≈)\s*(?=[\[a-z])")  # `A = [[...]]`, `Z ≈ tensor(...)`


def read_matrix(written: Written, block: bool = False) -> Grid:
    """The grid of a text. `block` says that its lines are rows even if there is one line only."""
    if (named := _NAMED.match(written.text)) and (
        written.text[named.end()] == "[" or brackets.CALL.match(written.text[named.end() :])
    ):
        written = written.part(named.end(), len(written.text))
    written = programs.in_brackets(written) or programs.as_rows(written) or written
    text = written.text.strip()
    if layouts.BEGIN.search(text):
        return layouts.read_latex(written)
    if text.startswith("[") or brackets.CALL.match(text):
        return brackets.read_brackets(written.trimmed())
    if layouts.is_latex_matrix(text) and ("\n" in text or "&" in text or text.endswith("\\\\")):
        return layouts.read_latex(written)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(layouts.is_table_line(line) for line in lines):
        return layouts.read_table(written)
    if len(lines) > 1 and "\t" not in text and (frame := programs.data_frame(written)):
        return frame
    if text not in BLANKS and (block or len(lines) > 1):
        return layouts.read_block(written)
    if is_row(written) or layouts.commas_part(text) and "(" not in text:
        return layouts.read_block(written)
    return Grid([[written.trimmed()]], printed=bool(brackets.NUMBER.match(text)))
