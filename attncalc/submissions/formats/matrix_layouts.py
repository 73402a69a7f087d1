"""Matrices laid out by lines and signs: LaTeX environments, Markdown tables, blocks of rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...errors import shorten
from ..answer_examples import ONLY_MATRIX, no_end
from ..located_text import Written, line_bounds
from ..number_parser import CROSSED, entry, is_spoiled, looks_like_entry
from ..text_grid import Grid, are_counted, in_cells, in_one_line, is_signed, pieces, require_rows, with_points

BEGIN = re.compile(r"\\begin\{((?:[bpvBV]|small)?matrix\*?|array|tabular)\}(?:\[[^\]]{0,40}\])?(?:\{[^{}]{0,200}\})?")
_BEFORE = re.compile(
    r"(?:\s|\$|\\\[|\\\(|\\left\s*(?:[\[(|.]|\\\{|\\lbrack)|\\displaystyle|\\begin\{(?:equation|align|displaymath)\*?\}|[\[(])*"
)
# S = Q K^T = before a matrix
_NAMED = re.compile(r"[^&\[\]\n]{0,200}(?:=|≈|\\approx|\\simeq)(?:\s|\\left\s*(?:[\[(|.]|\\lbrack))*")
_AFTER = re.compile(
    r"(?:\s|\$|\\\\|\\\]|\\\)|\\right\s*(?:[\])|.]|\\\}|\\rbrack)|\\end\{(?:equation|align|displaymath)\*?\}|[\]),.;])*"
)
_ROW_END = re.compile(r"\\\\(?: ?\[[^\]&\\]{0,20}\])?|\\tabularnewline|\\cr\b")
_RULES = re.compile(r"\\hline|\\toprule|\\midrule|\\bottomrule")
_DASHES = re.compile(r"\s*:?-+:?\s*")
_TABULAR = re.compile(r"[\s$]*\\begin\{(?:tabular|array)\}")
_GRID_RULE = re.compile(r"(?=[^+]*\+)\s*[+|](?:[-=:]{3,}[+|])*[-=:]{3,}[+|]\s*")  # of other table formats: +---+---+
_LABEL = re.compile(r"[^\W\d][\w'’.-]*")
_LETTER, _NUMERIC = re.compile(r"[^\W\d_]"), re.compile(r"[0-9.,√∞]")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_BULLET = re.compile(r"\s*[-+−–]\s+([0-9.√\\][^\s,;]*)")
# `(1)`, `1)`, `1:` and `row 1` in front of a row; the number in `1.` may be an entry
_ROW_NUMBER = re.compile(r"(?i)(?:row|line|token|zeile|ligne)\s+([0-9]{1,3})(?:\s*:)?\s+|\(?([0-9]{1,3})\s*[:)]:?\s+")
_IN_ROUND = re.compile(r"\([^(),;]*[^\s(),;]\s+[^\s(),;][^(),;]*\)")  # a row of several entries in round brackets
_COMMAS = re.compile(r"[^\s,]+(?:\s*,\s*[^\s,]+)+,?")
_TWO_NUMBERS = re.compile(r"[-+−–]?[0-9.]+(?:\s+[-+−–]?[0-9.]+)+")
_THIN_SPACE = re.compile(r"\\,")  # of LaTeX
_BLANK = re.compile(r"\S\s+\S")
_ALONE = (
    "expected entries without spaces, found {!r}: does a factor belong to this entry or to the whole row? Write an "
    "expression without spaces, such as 3/4 or 3e-2"
)
_CONSTANTS = {"e", "pi", "inf", "infinity"}


# -- LaTeX -------------------------------------------------------------------------------------------------------------


def is_latex_matrix(text: str) -> bool:
    """Return whether a text looks like a matrix in LaTeX: an environment, ends of rows, or columns."""
    return bool(BEGIN.search(text)) or bool(_ROW_END.search(text)) or "&" in text


def read_latex(written: Written) -> Grid:
    """Return the grid of a `bmatrix`, `pmatrix`, `array` ..., or of its rows alone."""
    text = written.text
    require_rows(written, text.count("\\\\"))
    begin = BEGIN.search(text)
    body = written
    if begin:
        end = text.find(f"\\end{{{begin[1]}}}", begin.end())
        if end < 0:
            raise written.fault(no_end(begin[1]), begin.start())
        behind = end + len(f"\\end{{{begin[1]}}}")
        if not _BEFORE.fullmatch(text[: begin.start()]) and not _NAMED.fullmatch(text[: begin.start()]):
            raise written.fault(ONLY_MATRIX.format("before"))
        if not (rest := _AFTER.match(text, behind)) or rest.end() < len(text):
            raise written.fault(ONLY_MATRIX.format("after"), rest.end() if rest else behind)
        body = written.part(begin.end(), end)
    rows = [[in_one_line(cell) for cell in row] for row in _latex_rows(body)]
    return _labelled(in_cells(rows), rule=False)


def _latex_rows(body: Written) -> list[list[Written]]:
    """Return the cells of the rows that an environment holds."""
    rows = []
    for row in _rows_of(body):
        if (shown := row.without(_RULES).trimmed()).text:
            rows.append([cell.trimmed() for cell in pieces(shown, "&")])
    return rows


def _rows_of(written: Written) -> list[Written]:
    starts, pieces = 0, []
    for match in _ROW_END.finditer(written.text):
        pieces.append(written.part(starts, match.start()))
        starts = match.end()
    return [*pieces, written.part(starts, len(written.text))]


def is_tabular(text: str) -> bool:
    return bool(_TABULAR.match(text))


def table_rows(written: Written) -> list[list[Written]]:
    """Return the cells of a table of Markdown or LaTeX by its rows; none for other texts, and tables of matrices."""
    text = written.text
    if begin := BEGIN.search(text) if is_tabular(text) else None:
        end = text.find("\\end{", begin.end())
        is_plain = text.startswith(begin[1], end + len("\\end{")) and not BEGIN.search(text, begin.end())
        return _latex_rows(written.part(begin.end(), end)) if is_plain else []
    lines = [line.trimmed() for line in written.lines() if line.text.strip()]
    is_table = all(is_table_line(line.text) for line in lines)
    return [_cells(line) for line in lines if not _is_rule(line.text)] if is_table else []


def without_first_row(written: Written) -> Written:
    """Return such a table with blanks for its first row, and for the line of dashes below it."""
    text = written.text
    if is_tabular(text):
        begin, row_end = BEGIN.search(text), _ROW_END.search(text)
        first, stop = begin.end() if begin else 0, row_end.end() if row_end else 0
    else:
        starts, stops = line_bounds(text)
        filled = [k for k, (start, end) in enumerate(zip(starts, stops, strict=True)) if text[start:end].strip()][:2]
        has_rule = len(filled) > 1 and _is_rule(text[starts[filled[1]] : stops[filled[1]]])
        first, stop = 0, stops[filled[has_rule]]
    return written.blanked([(first, stop)])


# -- Markdown ----------------------------------------------------------------------------------------------------------


def is_table_line(text: str) -> bool:
    """Return whether a line looks like one of a Markdown table."""
    return text.strip().startswith("|") or text.count("|") > 1 or _is_rule(text)


def _is_rule(text: str) -> bool:
    """Return whether it is the line of dashes below a table's header."""
    if _GRID_RULE.fullmatch(text):
        return True
    return "|" in text and "-" in text and all(_DASHES.fullmatch(cell) for cell in text.strip().strip("|").split("|"))


def read_table(written: Written) -> Grid:
    """Return the grid of a Markdown table; a header and a first column of words are labels."""
    require_rows(written, written.text.count("\n"))
    lines = [line.trimmed() for line in written.lines() if line.text.strip()]
    lines = _without_grid(lines)
    rules = [k for k, line in enumerate(lines) if _is_rule(line.text)]
    if rules and rules[0] > 1:
        raise lines[rules[0]].fault(
            f"expected one header line above the separator line of a table, found {rules[0]} lines"
        )
    rows = [_cells(line) for k, line in enumerate(lines) if k not in rules]
    between = [row[0].text.split() for row in rows if len(row) == 1]
    is_cut = len(between) == len(rows) > 1 and min(map(len, between)) > 1
    if is_cut and all(looks_like_entry(word) for line in between for word in line):
        return Grid([pieces(row[0], " ") for row in rows])  # bars in the place of brackets
    return _labelled(in_cells(rows), rule=rules == [1])


def _without_grid(lines: list[Written]) -> list[Written]:
    """Return the lines of a table without the rules around it and between its rows; one of `=` is below a header."""
    while lines and _GRID_RULE.fullmatch(lines[0].text):
        lines = lines[1:]
    while len(lines) > 2 and _GRID_RULE.fullmatch(lines[-1].text):
        lines = lines[:-1]
    rules = [line for line in lines if _GRID_RULE.fullmatch(line.text)]
    dropped = [line for line in rules if "=" not in line.text] if len(rules) > 1 else []
    return [line for line in lines if line not in dropped]


def _cells(line: Written) -> list[Written]:
    start = line.text.startswith("|")
    stop = len(line.text) - (line.text.endswith("|") and len(line.text) > 1)
    return pieces(line.part(start, stop), "|")


_NUMBERED = re.compile(r"(?!(?i:minus|plus|about|ca)\b)([^\W\d_]{2,}) ([0-9]{1,3})")  # Input 1


def _label(cell: Written) -> str:
    text = cell.text.strip()
    for mark in ("**", "`", "$", "*", '"'):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)].strip()
    return text.replace("\\_", "_").replace("\\|", "|")


def is_label(text: str) -> bool:
    """Return whether a text can only be a label: it is no entry and no constant."""
    return (
        bool(text)
        and not looks_like_entry(text)
        and not (len(text) > 1 and is_spoiled(text))
        and bool(_LABEL.fullmatch(text))
        and text.casefold() not in _CONSTANTS
    )


def _are_no_labels(cells: list[Written]) -> bool:
    """Return whether several cells are all crossed out, or all badly typed numbers; a single x may be a label."""
    return len(cells) > 1 and (
        all(cell.text in CROSSED for cell in cells) or all(is_spoiled(cell.text) for cell in cells)
    )


def _are_numbered(cells: list[Written]) -> bool:
    """Return whether cells are one word with different numbers, `Input 1` and `Input 2`."""
    matches = [_NUMBERED.fullmatch(_label(cell)) for cell in cells]
    words = {match[1].casefold() for match in matches if match}
    return all(matches) and len(words) == 1 < len(matches) == len({match[2] for match in matches if match})


def _are_words(cells: list[Written]) -> bool:
    """Return whether cells are words, maybe with signs and blanks, and none can be an entry: `<sos>`, `the cat`."""
    labels = [_label(cell) for cell in cells]
    are_plain = all(
        _LETTER.search(text) and not looks_like_entry(text) and (is_label(text) or not _NUMERIC.search(text))
        for text in labels
    )
    return are_plain and any(len(text) > 2 and not is_spoiled(text) for text in labels)


def _labelled(rows: list[list[Written]], rule: bool) -> Grid:
    """Return a grid with its labels apart: the header above a rule, or a first row or a first column of words."""
    if not rows or not all(rows):
        return Grid(rows)
    # Markdown has no other way to write one row than as a header
    is_all = len(rows) == 1 and any(looks_like_entry(cell.text) for cell in rows[0])
    header = rows[0] if rule and not is_all else None
    if (
        header is None
        and len(rows) > 1
        and all(not c.text or is_label(_label(c)) for c in rows[0])
        and any(c.text for c in rows[0])
        and not _are_no_labels(rows[0])
    ):
        header = rows[0]
    if header is None and len(rows) > 1 and not rows[0][0].text:  # an empty corner above and beside numbers that count
        down, across = (tuple(cell.text for cell in side) for side in ((row[0] for row in rows[1:]), rows[0][1:]))
        if across and are_counted(down) and are_counted(across):
            return Grid([row[1:] for row in rows[1:]], down, across)
    body = rows[1:] if header else rows
    if not body or not all(body):
        return Grid(body)
    corner = header is not None and not header[0].text and any(c.text for c in header[1:])
    names = [row[0] for row in body]
    if header and corner and len(header) > 1 and not any(name.text for name in names):  # an empty first column
        return Grid([row[1:] for row in body], None, tuple(map(_label, header[1:])))
    are_labels = all(name.text and (corner or is_label(_label(name))) for name in names)
    are_labels = are_labels and (corner or not _are_no_labels(names))
    named = len(body[0]) > 1 and (are_labels or header is not None and (_are_numbered(names) or _are_words(names)))
    columns = None
    if header:
        columns = tuple(_label(cell) for cell in header[1 if named else 0 :])
        if columns and not named and all(looks_like_entry(label) for label in columns):
            for cell in header:
                entry(cell)  # a decimal comma is a fault of its own
            raise header[0].fault(
                "expected a header of labels or of empty cells, found numbers; is this the first row? "
                f"Write {'|'.join(['', *('   ' for _ in header), ''])} above it, and the line of dashes between them"
            )
    labels = tuple(_label(row[0]) for row in body) if named else None
    return Grid([row[named:] for row in body], labels, columns if columns and any(columns) else None)


# -- blocks of rows ----------------------------------------------------------------------------------------------------


def read_block(written: Written) -> Grid:
    """Return the grid of rows, a line each, parted by blanks, tabs, commas or semicolons. Words in front are labels."""
    require_rows(written, written.text.count("\n"))
    lines = _without_outer_tabs([line for line in written.lines() if line.text.strip()])
    in_line = pieces(lines[0], ";") if len(lines) == 1 else []
    if len(in_line) > 1 and all(commas_part(row.text) for row in in_line):
        return Grid([words(row) for row in in_line])  # 1, 2; 3, 4
    if len(lines) > 1 and all(_IN_ROUND.fullmatch(line.text) for line in lines):
        lines = [line.part(1, len(line.text) - 1).trimmed() for line in lines]
    numbers = [_ROW_NUMBER.match(line.text) for line in lines]
    labels = tuple(number[1] or number[2] for number in numbers if number)
    if len(labels) == len(lines) > 1 and are_counted(labels):
        lines = [line.part(number.end(), len(line.text)) for line, number in zip(lines, numbers, strict=True) if number]
    else:
        labels = ()
    signed = [is_signed(line.text) for line in lines]
    one_column = (
        any(signed)
        and not all(signed)
        and all(
            is_signed_line or len(line.text.split()) == 1 for line, is_signed_line in zip(lines, signed, strict=True)
        )
    )
    cut = _without_last_of(";") if ";" in written.text and "\t" not in written.text else words
    if cut is words and _commas_part_all([line.text for line in lines]):
        cut = _without_last_of(",")
    rows = [[line] if one_column else cut(line) for line in lines]
    _require_entries_alone(rows)
    if ";" in written.text or "\t" in written.text:
        rows = with_points(rows)
    for line, row in zip(lines, rows, strict=True):
        if len(row) > 1 and (bullet := _BULLET.match(line.text)):
            raise line.fault(f"is it a minus sign or a bullet point? Write -{bullet[1]}, or rows without bullets")
    parts = [part.split() for part in lines[0].text.split(" / ")] if len(lines) == 1 else []
    if len(parts) > 1 and len(parts[0]) > 1 and len({len(part) for part in parts}) == 1:
        raise lines[0].fault("expected each row on its own line, found / between numbers")
    grid = _labelled([row for row in rows if row], rule=False)
    spaced = cut is words and not {";", "\t"} & {*written.text}
    return replace(grid, row_labels=labels or grid.row_labels, flat=len(grid.rows) == 1, spaced=spaced)


def _without_outer_tabs(lines: list[Written]) -> list[Written]:
    """Return rows without the blanks around them. A tab around a row parts an empty entry from it, unless all rows have
    such a tab and are of equal length only without it. The first row has lost its indent, and the last row its end.
    """
    bare = [line.trimmed() for line in lines]
    if not any("\t" in line.text for line in lines):
        return bare
    is_indented = {line.text.startswith("\t") for line in lines[1:]}
    is_ended = {line.text.endswith("\t") for line in lines[:-1]}
    widths, bare_widths = ({line.text.count("\t") for line in rows} for rows in (lines, bare))
    if len(is_indented) == len(is_ended) == len(bare_widths) == 1 < len(widths):
        return bare
    return [line if "\t" in line.text else line.trimmed() for line in lines]


def _require_entries_alone(rows: list[list[Written]]) -> None:
    """Raise AttncalcError for an entry that is an expression with blanks in it, at an end of a row: in `1; 2; 3 * 10`,
    10 may multiply the row or the matrix. If other entries have such blanks too, it is an expression.
    """
    spaced = [(row, cell.trimmed()) for row in rows for cell in row if _is_spaced(cell.trimmed())]
    ends = [cell for row, cell in spaced if len(row) > 1 and cell.text in (row[0].text.strip(), row[-1].text.strip())]
    if spaced and len(ends) == len(spaced) and (len(spaced) < len(rows) or len(rows) == 1):
        raise ends[0].fault(_ALONE.format(shorten(ends[0].text)))


def _is_spaced(cell: Written) -> bool:
    """Return whether an entry has a blank inside, also one that was left out of a power of ten."""
    there, text = cell.at(max(len(cell.text) - 1, 0)), cell.text
    is_wide = there.line == cell.place.line and there.column - cell.place.column >= len(text) > 0
    return (is_wide or bool(_BLANK.search(text))) and not is_signed(text)


def _without_last_of(sign: str) -> Callable[[Written], list[Written]]:
    """Return a function that cuts a line at a sign, which may also end it."""
    return lambda line: _without_last(pieces(line, sign))


def _commas_part_all(lines: list[str]) -> bool:
    """Return whether commas part the entries of all lines, and one shows it: `1,2` above `3.01,4.58`."""
    counts = {line.count(",") for line in lines}
    return (
        len(counts) == 1
        and all(_COMMAS.fullmatch(line.strip()) for line in lines)
        and any(commas_part(line) for line in lines)
    )


def words(line: Written) -> list[Written]:
    """Return the entries of a line."""
    if "\t" in line.text.strip():
        return pieces(line, "\t")
    if ";" in line.text:
        return _without_last(pieces(line, ";"))
    if commas_part(line.text):
        return _without_last(pieces(line, ","))
    return pieces(line, " ")


def _without_last(cells: list[Written]) -> list[Written]:
    return cells[:-1] if len(cells) > 1 and not cells[-1].text else cells


def commas_part(text: str) -> bool:
    """Return whether commas separate entries. Those of `0,67 0,33` and `1,2` may be decimal, and are refused."""
    text = _THIN_SPACE.sub("", text)
    if "," not in text or any(_THOUSANDS.fullmatch(word) for word in text.split()):
        return False
    if any(_TWO_NUMBERS.fullmatch(piece.strip()) for piece in text.split(",")):
        return False  # `2.5 0,8`
    if all(sign.isspace() for sign in re.findall(r",(.|\n)", text)) or "." in text:
        return True
    return any(word.count(",") > 1 for word in text.split())
