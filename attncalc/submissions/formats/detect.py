"""One text, one matrix: which format it is in is seen from its signs."""

from __future__ import annotations

import re

from ..located_text import Written
from ..number_parser import BLANKS
from ..remarks import without_remark
from ..text_grid import Grid, is_row
from . import bracketed_lists, matrix_layouts, program_output

_NAMED = re.compile(r"\s*[A-Za-z][\w.' ]{0,40}(?:=|:=|≈)\s*(?=[\[a-z])")  # `A = [[...]]`, `Z ≈ tensor(...)`


def read_matrix(written: Written, block: bool = False) -> Grid:
    """Return the grid of a text. `block` says that its lines are rows even if there is one line only."""
    written = without_remark(written)
    if (named := _NAMED.match(written.text)) and (
        written.text[named.end()] == "[" or bracketed_lists.CALL.match(written.text[named.end() :])
    ):
        written = written.part(named.end(), len(written.text))
    written = program_output.in_brackets(written) or program_output.as_rows(written) or written
    text = written.text.strip()
    if matrix_layouts.BEGIN.search(text):
        return matrix_layouts.read_latex(written)
    if text.startswith("[") or bracketed_lists.CALL.match(text):
        return bracketed_lists.read_brackets(written.trimmed())
    if matrix_layouts.is_latex_matrix(text) and ("\n" in text or "&" in text or text.endswith("\\\\")):
        return matrix_layouts.read_latex(written)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(matrix_layouts.is_table_line(line) for line in lines):
        return matrix_layouts.read_table(written)
    if len(lines) > 1 and "\t" not in text and (frame := program_output.data_frame(written)):
        return frame
    if text not in BLANKS and (block or len(lines) > 1):
        return matrix_layouts.read_block(written)
    if is_row(written) or matrix_layouts.commas_part(text) and "(" not in text:
        return matrix_layouts.read_block(written)
    return Grid([[written.trimmed()]], printed=bool(bracketed_lists.NUMBER.match(text)), spaced=True)
