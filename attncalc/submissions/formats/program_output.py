"""Prints of other programs, in signs that the readers know: Wolfram's braces, tuples, SymPy's tall brackets, R, pandas,
Julia.

Every change keeps the length of a line, so that each entry stays at its place.
"""

from __future__ import annotations

import re

from ..located_text import Written, joined
from ..number_parser import looks_like_entry
from ..text_grid import Grid

TALL = "⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠│"
_TALL = re.compile(rf"\s*[{TALL}]")
_R_HEADER = re.compile(r"\s*(?:\[,[0-9]+\]\s*)+")
_R_ROW = re.compile(r"\s*\[[0-9]+,\]")
# [1] 0.27 0.73, and [3] 0.5 where it goes on
_R_VECTOR = re.compile(r"\s*\[[0-9]+\](?=(?:\s+(?:-?Inf|[-+]?[0-9.][0-9.eE+-]*))+\s*$)")
_JULIA = re.compile(r"\s*[0-9]+×[0-9]+ (?:Matrix|Array)\{\w+(?:, ?2)?\}:\s*")
_FACTOR = re.compile(r"\s*(?:Columns [0-9].*|[0-9.]+[eE][+-]?[0-9]+\s*\*)\s*")  # MATLAB: 1.0e+03 *
_ALL = re.compile(".+")
_NO_ENTRY = re.compile(rf"\A(?:{_R_VECTOR.pattern}|{_R_ROW.pattern})|[{TALL}]")
_WORD = re.compile(r"\S+")
_ROWS = re.compile(r"\([^()\n]*,[^()\n]*\)(?:\s*,?\s*\([^()\n]*,[^()\n]*\))+")  # tuples behind each other

_SEMICOLONS = re.compile(r"\((?>[^();\n0-9]*[0-9][^();\n]*)(?>;[^();\n0-9]*[0-9][^();\n]*)++;?\s*\)")


def begins_print(line: str) -> bool:
    """Return whether a line is the beginning of such a print."""
    whole = _R_HEADER.fullmatch(line) or _JULIA.fullmatch(line) or _FACTOR.fullmatch(line)
    return bool(whole or _TALL.match(line) or _R_VECTOR.match(line))


def is_part(line: str) -> bool:
    """Return whether a line goes on with a print whose lines are its rows."""
    return bool(_TALL.match(line) or _R_ROW.match(line) or _R_VECTOR.match(line) or _R_HEADER.fullmatch(line))


def is_frame(header: str, row: str) -> bool:
    """Return whether two lines begin a pandas print with names: its header of words begins further right."""
    names = header.split()
    return (
        is_frame_row(row, len(names))
        and not any(map(looks_like_entry, names))
        and len(header) - len(header.lstrip()) > len(row) - len(row.lstrip())
    )


def is_indented(text: str) -> bool:
    """Return whether a text may be a pandas print: its header begins further right than the rows, which have a name."""
    lines = [line for line in text.splitlines() if line.strip()][:2]
    header, row = lines if len(lines) == 2 else ("", "")
    is_right = len(header) - len(header.lstrip()) > len(row) - len(row.lstrip())
    return is_right and len(header.split()) + 1 == len(row.split())


def is_frame_row(line: str, count: int) -> bool:
    """Return whether a line is a name and so many entries."""
    words = line.split()
    named = len(words) == count + 1 > 1 and (words[0].isdigit() or not looks_like_entry(words[0]))
    return named and all(map(looks_like_entry, words[1:]))


def in_brackets(written: Written) -> Written | None:
    """Return `{{1, 2}, {3, 4}}`, `((1, 2), (3, 4))` and `(1 2; 3 4)` as lists; None for anything else."""
    text = written.text.strip()
    if text.startswith("{") and text.endswith("}") and "\\" not in text:
        return Written(written.text.translate(str.maketrans("{}", "[]")), written.at)
    if _ROWS.fullmatch(text) or _SEMICOLONS.fullmatch(text):  # (1, 2), (3, 4), and (1 2; 3 4)
        return Written(written.text.translate(str.maketrans("()", "[]")), written.at)
    if text.startswith("(") and text.endswith(")") or text.startswith("[") and text[1:].lstrip().startswith("("):
        return _tuples(written)
    return None


def _tuples(written: Written) -> Written | None:
    """Return tuples with brackets for those that hold rows: the outer one, and those between commas."""
    text, signs, stack = written.text, list(written.text), list[int]()
    rows: list[tuple[int, int, int]] = []
    for k, sign in enumerate(text):
        if sign == "(":
            stack.append(k)
        elif sign == ")":
            if not stack:
                return None
            start = stack.pop()
            rows.append((start, k, len(stack)))
    outer = [(a, b) for a, b, depth in rows if depth == 0] if text.lstrip().startswith("(") else []
    if stack or len(outer) > 1 or "," not in text:
        return None
    lists = [(a, b) for a, b, depth in rows if depth == len(outer) and _stands_alone(text, a, b)]
    for a, b in [*outer, *lists]:
        signs[a], signs[b] = "[", "]"
    return Written("".join(signs), written.at)


def _stands_alone(text: str, start: int, stop: int) -> bool:
    return (
        text[:start].rstrip()[-1:] in ("(", "[", ",")
        and text[stop + 1 :].lstrip()[:1] in (")", "]", ",")
        and "," in text[start:stop]
    )


def as_rows(written: Written) -> Written | None:
    """Return SymPy's tall brackets, R's and Julia's matrices as rows of numbers; None for anything else."""
    lines = [line for line in written.lines() if line.text.strip()]
    if lines and all(_R_VECTOR.match(line.text) for line in lines):
        return joined([_plain(line) for line in lines], " ")
    if any(_FACTOR.fullmatch(line.text) for line in lines):
        raise written.fault(
            "this output has a common factor or is split into columns; print it without either (format long g)"
        )
    headers = [k for k, line in enumerate(lines) if _R_HEADER.fullmatch(line.text)]
    tall = bool(lines) and all(_TALL.match(line.text) for line in lines)
    if headers and headers != [0]:
        second = lines[headers[headers[0] == 0]]
        raise second.fault("this output is split into columns; print the whole matrix: options(width = 1000)")
    if tall and any(set(line.text) & set("─—/") and not re.search("[0-9]", line.text) for line in lines):
        raise written.fault(
            "attncalc does not read fractions over several lines; print the matrix on one line, "
            "such as Matrix([[1/2, 1]])"
        )
    if not (headers or tall or lines and _JULIA.fullmatch(lines[0].text)):
        return None
    return joined([_plain(line) for line in lines])


def _plain(line: Written) -> Written:
    """Return the line with blanks for everything but entries."""
    is_header = _R_HEADER.fullmatch(line.text) or _JULIA.fullmatch(line.text)
    return line.without(_ALL if is_header else _NO_ENTRY)


def data_frame(written: Written) -> Grid | None:
    """Return the grid of a pandas print: a header of column names that begins further right, and the rows' names before
    them; None for anything else.
    """
    lines = [line for line in written.lines() if line.text.strip()]
    if len(lines) < 2:
        return None
    header, *rows = [[line.part(*word.span()) for word in _WORD.finditer(line.text)] for line in lines]
    is_right = is_indented(written.text) or header[0].place.column > rows[0][0].place.column
    if any(len(row) != len(header) + 1 for row in rows) or not is_right:
        return None
    names, across = tuple(row[0].text for row in rows), tuple(cell.text for cell in header)
    counted = (tuple(map(str, range(len(rows)))), tuple(map(str, range(len(header)))))
    labels = [None if label == plain else label for label, plain in zip((names, across), counted, strict=True)]
    if any(label is not None and any(name[:1] in "-+.0123456789" for name in label) for label in labels):
        return None
    return Grid([row[1:] for row in rows], labels[0], labels[1], printed=True)
