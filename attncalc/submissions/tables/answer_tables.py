"""The answers of one student in a table.

Either a cell holds an entry or an answer, and the header names it, or steps are one below the other: a step's name is
in a line of its own, in front of each row, or in the corner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile

from ...errors import AttncalcError, Diagnostics, Location, counted, shorten
from ...formula.syntax_tree import Index, Name, Negate, Number, Text, Tree
from ..answer_file import arithmetic
from ..formats.detect import read_matrix
from ..formats.matrix_headings import NAME, as_tree
from ..formats.matrix_layouts import commas_part, is_label
from ..located_text import Stored, Written, whole
from ..number_parser import BLANKS, CROSSED, looks_like_entry
from ..remarks import headed, is_remark, remark_in
from ..step_names import step_name
from ..submission import Answer, Losses, Script
from ..text_grid import Grid, are_counted, with_points
from .table_reader import Sheet, delimiter, first_line, lines
from .xml_stream import MOST_COLUMNS

# -- a cell for each entry, or for each answer -------------------------------------------------------------------------

ABOUT = ("student", "problem", "computed", "note")
LONG = {"part", "step", "row", "column", "value", *ABOUT}
_OTHER_HEADS = {"col": "column", "entry": "step", "answer": "value"}
_CELL = re.compile(r"[A-Za-z_Α-Ωα-ω][\w.']*(\[[^\]]*\]){0,2}")
_NUMBER = "[ ]*([0-9]{1,4})[ ]*"
_ENTRY = re.compile(rf"\s*([^\W\d][\w.']*)\s*(?:\[{_NUMBER}\]\s*\[{_NUMBER}\]|\({_NUMBER},{_NUMBER}\))\s*")


def is_table_of_cells(text: str) -> bool:
    """Return whether the first line is a header of this kind."""
    first = first_line(text)
    if first.count(delimiter(first)) >= MOST_COLUMNS:
        return False
    header = next(lines(whole(first, ""), delimiter(first), header=True), [])
    names = [cell.text.strip() for cell in header]
    is_wide = len(names) > 1 and any("[" in name for name in names) and all(map(_CELL.fullmatch, names))
    return is_long(header) or is_wide


def is_long(header: list[Written]) -> bool:
    """Return whether each row names a step and its value."""
    return {"step", "value"} <= {*long_names(header)}


def long_names(header: list[Written]) -> list[str]:
    """Return the columns of such a table by their names here: `entry` is that of steps."""
    names = (cell.text.strip().lower() for cell in header)
    return [_OTHER_HEADS.get(name, name) for name in names]


def in_brackets(cells: list[Written]) -> list[Written]:
    """Return names of entries with both indices in one pair of brackets: S[0,1] for S[0][1], and for S(0,1) if some
    index there is 0. If none is, they may be counted from 1, as in MATLAB.
    """
    matches = [_ENTRY.fullmatch(cell.text) for cell in cells]
    is_from_0 = any(match and match[4] and "0" in (match[4], match[5]) for match in matches)
    return [
        Written(f"{match[1]}[{match[2] or match[4]},{match[3] or match[5]}]", cell.at)
        if match and (match[2] or is_from_0)
        else cell
        for cell, match in zip(cells, matches, strict=True)
    ]


def check_widths(header: list[Written], body: list[list[Written]]) -> None:
    """Raise AttncalcError for every row with more cells than the header."""
    faults = Diagnostics()
    for row in body:
        if len(row) > len(header) and any(cell.text.strip() for cell in row[len(header) :]):
            message = (
                f"the header has {counted(len(header), 'column')}, but this line has more cells; "
                "is it a decimal comma, or are quotes missing?"
            )
            faults.add(message, row[len(header)].place)
    faults.raise_any()


def read_wide(header: list[Written], row: list[Written], source: str, losses: Losses, words: frozenset[str]) -> Script:
    """Return the script in a row, an entry a column; the columns called as one of `words` are kept as they are."""
    about: dict[str, Written] = {}
    answers: list[Answer | None] = []
    seen: set[str] = set()
    for k, head in enumerate(header):
        name, cell = head.text.strip(), row[k] if k < len(row) else None
        if name in seen:
            losses.extend(name, head.fault(f"expected each column once, found {shorten(name)!r} again"))
        elif name.lower() in ABOUT or name.lower() in words:
            about |= {} if cell is None else {name.lower(): cell}
        elif cell is None and name:  # only a fault of the name is reported
            losses.guarded(name, partial(step_name, head))
        elif cell is not None and (name or cell.text.strip()):
            answers.append(losses.guarded(name, partial(_wide_answer, head, cell, losses)))
        seen.add(name)
    return _script(about, answers, source, losses)


def _wide_answer(head: Written, cell: Written, losses: Losses) -> Answer | None:
    return _answer(None, *step_name(head), cell, losses, head.text.strip())


def read_long(
    header: list[Written], body: list[list[Written]], source: str, losses: Losses, words: frozenset[str]
) -> Script:
    """Return the script in the rows of a student, an answer a row. Raises AttncalcError for unknown columns."""
    names = long_names(header)
    faults = Diagnostics()
    for cell, name in zip(header, names, strict=True):
        if name not in LONG:
            faults.add(f"expected one of the columns {', '.join(sorted(LONG))}; found {shorten(name)!r}", cell.place)
    faults.raise_any()
    about = {name: cell for name, cell in zip(names, body[0], strict=False) if name in ABOUT}
    answers: list[Answer | None] = []
    steps = in_brackets([dict(zip(names, row, strict=False)).get("step", row[0]) for row in body])
    for row, step in zip(body, steps, strict=True):
        cells = dict(zip(names, row, strict=False)) | {"step": step}
        name = ".".join(filter(None, (cells[key].text.strip() for key in ("part", "step") if key in cells)))
        if name.lower() in words:
            about[name.lower()] = cells.get("value", row[0].part(0, 0))
        else:
            answers.append(losses.guarded(name, partial(_long_answer, cells, row[0], losses, name)))
    return _script(about, answers, source, losses)


def _long_answer(cells: dict[str, Written], first: Written, losses: Losses, name: str) -> Answer | None:
    if "step" not in cells or not cells["step"].text.strip():
        raise first.fault("expected a step in this line, found none")
    if "value" not in cells:
        return None
    step, where = step_name(cells["step"])
    rows, columns = (_position(cells[axis]) if axis in cells else None for axis in ("row", "column"))
    if (rows is None) != (columns is None):
        raise cells["step"].fault("expected a row and a column, or neither; found only one of them")
    if rows is not None:
        if where is not None:
            raise cells["step"].fault(
                "this line has a row and a column, so expected only the name of a step, such as Z; found a slice"
            )
        where = Index(Name(step), rows, columns)
    part = cells["part"].text.strip() or None if "part" in cells else None
    return _answer(part, step, where, cells["value"], losses, name, cells["step"].place)


def _position(cell: Written) -> Tree | None:
    text = cell.text.strip()
    if re.fullmatch("-?[0-9]{1,9}", text):
        return Negate(Number(text[1:])) if text.startswith("-") else Number(text)
    return Text(text) if text else None


def _answer(
    part: str | None,
    step: str,
    where: Index | None,
    cell: Written,
    losses: Losses,
    name: str,
    place: Location | None = None,
) -> Answer | None:
    if cell.text.strip() in BLANKS:
        return None
    grid = read_matrix(cell)
    printed = grid.printed or isinstance(cell, Stored)  # zeros may be missing at its end
    rows = grid.read(cell, losses, name)
    return grid.answer(part, step, where, rows, place or cell.place, printed=printed)


def _script(about: dict[str, Written], answers: list[Answer | None], source: str, losses: Losses) -> Script:
    text = {name: cell.text.strip() or None for name, cell in about.items()}
    computed = losses.guarded("", partial(arithmetic, text.get("computed"), about.get("computed")))
    words = {name: cell for name, cell in about.items() if name not in ABOUT}
    problem, student, note = (text.get(name) for name in ("problem", "student", "note"))
    answered = tuple(filter(None, answers))
    return Script(problem, student, computed, answered, source, note or "", tuple(losses.unread), words)


# -- steps one below the other -----------------------------------------------------------------------------------------

_FORM = "expected the name of a step in a line of its own, such as S, and its rows of numbers below; found {}"
_TORN = "expected the rows of a step together, found numbers below a blank line; write a name above them, such as S"
_NAMED = re.compile(
    rf"\s*(?:(?i:step|part|question|schritt|teil)\s+\w{{1,3}}\s*[:.)]\s*)?({NAME})"
    r"\s*(?:=\s*([^=]+?)|\((.+)\))?\s*[=:]?\s*"
)
_TWO_COLUMNS = (
    "expected a header above each column, found one header too few; are the numbers in the first column "
    "labels or entries?"
)
_STATED = re.compile(rf"\s*({NAME})\s*(?::=|[=≈:])\s*(\S.*)")  # a name and its answer in a cell
_LIST = re.compile(r"\s*[\[(]\s*[\[(]?\s*[-+−]?(?:[0-9.√∞]|inf\b|oo\b)")
_SPOILED = re.compile(r"=.|#[A-Z]")  # a formula without a value, an error
_SIGNS = ("=", ":", "≈", ":=")
_CORNERS = ("", "row", "rows", "col", "cols", "column", "columns", "index", "#", "i")


@dataclass(slots=True)
class _Step:
    """A step's name, its rows, and the labels of both sides where the name is in the corner."""

    name: Written
    rows: list[list[Written]] = field(default_factory=list)
    columns: tuple[str, ...] | None = None
    labels: list[str] = field(default_factory=list)
    is_repeated: bool = False  # the name is in front of each row
    is_lost: bool = False  # the name cannot be read
    bands: list[int] = field(default_factory=list)  # the rows above which a blank line is
    remarks: list[str] = field(default_factory=list)  # words beside the rows


def is_step_table(sheets: Sequence[Sheet]) -> bool:
    """Return whether the first line names a step and rows follow it, and the lines are not one for each student."""
    rows = [cells for sheet in sheets for cells in _lines(sheet.rows)]
    about = list(takewhile(_is_about, rows))
    rows = rows[len(about) :]
    heads_class = not rows or len(rows[0]) > 1 or any(_is_name(cells[1]) for cells in about)
    if about and heads_class and not _begins_step(rows):
        return False
    first = [cell.text.strip() for cell in rows[0]] if rows else []
    while len(first) == 1 and len(rows) > 1 and not (_is_number(first[0]) or _is_name(rows[0][0])):  # a title
        rows = rows[1:]
        first = [cell.text.strip() for cell in rows[0]]
    if not first or {text.lower() for text in first} & LONG or is_long(rows[0]):
        return False
    if _is_number(first[0]):
        return all(_is_number(cell.text) for row in rows for cell in row)
    if not _is_name(rows[0][0]):
        return False
    if len(first) == 1:  # no column of students is beside it
        return len(rows) > 1
    if all(map(_is_number, first[1:])) or _is_stated(rows[0]):
        return True
    return (
        (len(rows) > 2 or len(rows) == 2 and len(rows[1]) == len(first) - 1)
        and all(is_label(text) for text in first[1:])
        and all(_is_number(cell.text) or cell is row[0] and len(row) == len(first) for row in rows[1:3] for cell in row)
        and all(len(row) in (len(first), len(first) - 1) for row in rows[1:3])
    )


def read_steps(sheets: Sequence[Sheet], source: str, lenient: bool) -> Script:
    """Return the script of such a table. Raises AttncalcError with all faults."""
    losses, about = Losses(lenient), {}
    nothing: list[Written] = []
    steps: list[_Step] = []
    for sheet in sheets:
        lines, before = _lines(sheet.rows), nothing
        for cells, behind in zip(lines, [*lines[1:], nothing], strict=True):
            if _is_about(cells):
                about[_about_what(cells)] = cells[1].text.strip()
            else:
                is_apart = bool(before) and cells[0].place.line != before[0].place.line + 1
                last = steps[-1].name.text.strip() if steps and not steps[-1].is_lost else ""
                row = _without_remark(cells, behind, steps)
                losses.guarded(last, partial(_row, row, behind, steps, is_apart))
            before = cells
    if all(sheet.sign in (";", "\t", "") for sheet in sheets):
        _set_points(steps)
    answers = [
        answer
        for step in steps
        if step.rows
        and not step.is_lost
        and (answer := losses.guarded(step.name.text.strip(), partial(_answer_of, step, losses)))
    ]
    torn = {step.name.text.strip(): step.rows[step.bands[0]][0] for step in steps if step.bands and not step.is_lost}
    doubts = [
        replace(answer, rows=((None,),), doubt=torn[answer.step].fault(_TORN).faults[0], explains=True)
        for answer in answers
        if answer.step in torn
    ]
    unread = losses.done()
    if not answers and not unread:
        raise AttncalcError(_FORM.format("no numbers"), Location(source, 1, 1))
    return Script(
        about.get("problem"), about.get("student"), about.get("computed"), tuple(answers), source,
        about.get("note", ""), unread, doubts=tuple(doubts),
    )  # fmt: skip


def _about_what(cells: list[Written]) -> str:
    key = cells[0].text.strip().lower()
    return "student" if key == "name" else key


def _is_about(cells: list[Written]) -> bool:
    """Return whether a line tells something about the script, such as `student,Bob`."""
    return len(cells) == 2 and _about_what(cells) in ABOUT


def _begins_step(rows: list[list[Written]]) -> bool:
    """Return whether a step's name is alone in its line, and numbers follow."""
    return (
        len(rows) > 1 and len(rows[0]) == 1 and _is_name(rows[0][0]) and all(_is_number(cell.text) for cell in rows[1])
    )


def _lines(rows: Sequence[list[Written]]) -> list[list[Written]]:
    """Return the lines of a sheet with something in them: of tables beside each other, one after the other, if each
    begins with a step's name above its numbers.
    """
    lines = [_parted(cells) for row in rows if (cells := _cells(row))]
    if len(lines) > 1 and len(lines[0]) > 1 and _is_name(lines[1][0]) and _heads_steps(*lines[0][:2]):
        lines = lines[1:]
    filled = {k for cells in lines for k, cell in enumerate(cells) if cell.text.strip()}
    begins = [k for k in sorted(filled) if k - 1 not in filled]
    tables = [
        [part for cells in lines if (part := _cells(cells[start:stop]))]
        for start, stop in zip(begins, [*begins[1:], None], strict=True)
    ]
    if len(tables) == 1 or all(map(_begins_step, tables)):
        return [cells for table in tables for cells in table]
    return lines


def _heads_steps(first: Written, second: Written) -> bool:
    """Return whether two cells are the header of names and answers of steps; `name` may be that of students."""
    words = {cell.text.strip().lower() for cell in (first, second)}
    return [headed(first.text), headed(second.text)] == ["step", "answer"] and "name" not in words and not words <= LONG


def _parted(cells: list[Written]) -> list[Written]:
    """Return a line with the name and the answer in cells of their own, and without a sign of equality between them or
    remarks behind them.
    """
    while len(cells) > 2 and is_remark(cells[-1].text.strip()) and any(map(_begins_number, cells[:-1])):
        cells = cells[:-1]
    if len(cells) > 2 and cells[1].text.strip() in _SIGNS:
        return [cells[0], *cells[2:]]
    stated = _STATED.fullmatch(cells[0].text) if len(cells) == 1 else None
    if stated is None or not (_is_number(stated[2]) or _LIST.match(stated[2])):
        return cells
    return [cells[0].part(*stated.span(k)) for k in (1, 2)]


def _is_stated(cells: list[Written]) -> bool:
    """Return whether a line is a name and a matrix in one cell."""
    return len(cells) == 2 and _is_list(cells[1].text) and not _is_number(cells[0].text)


def _is_list(text: str) -> bool:
    """Return whether a cell has a matrix in brackets, or numbers that commas part."""
    words = map(str.strip, text.split(","))
    return bool(_LIST.match(text)) or commas_part(text) and all(map(looks_like_entry, words))


def _cells(row: list[Written]) -> list[Written]:
    """Return the cells up to the last one that is not blank."""
    stop = max((k for k, cell in enumerate(row, 1) if cell.text.strip()), default=0)
    return row[:stop]


def _row(cells: list[Written], behind: list[Written], steps: list[_Step], is_apart: bool) -> None:
    """Put a line where it belongs, as the one behind it shows. Raises AttncalcError if that is not known. A line that
    is apart from the one before begins a step of its own below a table with labels.
    """
    first, others = cells[0], cells[1:]
    last = steps[-1] if steps else None
    is_of_last = last is not None and not (is_apart and last.rows)
    if last is not None and not last.rows and last.columns is None and _is_header(cells):
        last.columns = tuple(cell.text.strip() for cell in others)
    elif (
        _counts(others) and not _is_number(first.text) and len(behind) == len(cells)
        and behind[0].text.strip() in ("0", "1") and all(_is_number(cell.text) for cell in behind)
    ):  # fmt: skip
        step_name(_bare_name(first))
        steps.append(_Step(_bare_name(first), columns=tuple(cell.text.strip() for cell in others)))
    elif all(_is_number(cell.text) for cell in cells):
        if last is not None and last.is_repeated and not first.text.strip() and len(others) == len(last.rows[-1]):
            last.rows.append(others)
        elif last is None or last.is_repeated:
            raise first.fault(_FORM.format("numbers without a name"))
        elif last.columns is not None and (
            len(cells) == len(last.columns) + 1 or last.labels and not first.text.strip()
        ):
            last.labels.append(first.text.strip())
            last.rows.append(others)
        else:
            last.bands += [len(last.rows)] if is_apart and last.rows else []
            last.rows.append(cells)
    elif last is not None and is_of_last and _is_spoiled(cells, last):
        last.rows.append(cells)
    elif _is_stated(cells):
        step_name(_bare_name(first))
        steps.append(_Step(_bare_name(first), read_matrix(others[0].trimmed()).rows, is_repeated=True))
    elif others and all(_is_number(cell.text) for cell in others):
        if last is not None and last.columns is not None and is_of_last and len(others) <= len(last.columns):
            last.labels.append(first.text.strip())
            last.rows.append(others)
        elif last is not None and last.is_repeated and last.name.text.strip() == first.text.strip():
            last.rows.append(others)
        else:
            step_name(_bare_name(first))
            steps.append(_Step(_bare_name(first), [others], is_repeated=True))
    elif not others or all(is_label(cell.text.strip()) for cell in others if cell.text.strip()):
        columns = tuple(cell.text.strip() for cell in others) if others else None
        steps.append(_Step(_bare_name(first), columns=columns, is_lost=True))  # the rows below are of no other step
        step_name(_bare_name(first))
        steps[-1].is_lost = False
    else:
        odd = next(cell for cell in cells if not _is_number(cell.text))
        raise odd.fault(_FORM.format(repr(odd.text.strip()[:40])))


def _without_remark(cells: list[Written], behind: list[Written], steps: list[_Step]) -> list[Written]:
    """Return a row without the words beside it, which are kept for a note. By the other rows it is as wide as that."""
    last = steps[-1] if steps else None
    width = 0 if last is None or last.is_repeated else len((last.rows or [behind])[0])
    if last is None or not 0 < width < len(cells) or not all(_is_number(cell.text) for cell in cells[:width]):
        return cells
    texts = [text for cell in cells[width:] if (text := cell.text.strip())]
    if not all(map(remark_in, texts)):
        return cells
    last.remarks += texts
    return cells[:width]


def _bare_name(cell: Written) -> Written:
    """Return a name without the signs and words around it: A for `A =`, `Step 2: A` and `A = softmax(S)`."""
    if (named := _NAMED.fullmatch(cell.text)) and (formula := named[2] or named[3]):
        return cell.part(*named.span(1)) if re.search(r"[^\W\d]", formula) and as_tree(formula) is not None else cell
    return cell.part(*named.span(1)) if named else cell.part(0, len(cell.text.rstrip(" =:"))).trimmed()


def _set_points(steps: Sequence[_Step]) -> None:
    """Put decimal points for decimal commas. All steps together show which sign is which."""
    rows = iter(with_points([row for step in steps for row in step.rows]))
    for step in steps:
        step.rows = [next(rows) for _ in step.rows]


def _answer_of(step: _Step, losses: Losses) -> Answer:
    name, where = step_name(step.name)
    width = max(len(row) for row in step.rows)
    blank = step.name.part(0, 0)
    rows = [[*row, *[blank] * (width - len(row))] for row in step.rows]
    labels = tuple(step.labels) if step.columns is not None and len(step.labels) == len(rows) else None
    if labels and all(map(_is_number, labels)) and not are_counted(labels):
        raise step.name.fault(_TWO_COLUMNS)
    if step.labels and labels is None:
        raise step.name.fault("expected a label before each row or no labels, found labels before only some rows")
    grid = Grid(rows, labels, step.columns, flat=len(rows) == 1 and step.columns is None)
    filled = grid.filled()
    if filled is not None and step.bands:  # the rows above the first blank line may be all of the matrix
        filled = (filled[0], min(filled[1], step.bands[0] - 1), *filled[2:])
    entries, remark = grid.read(step.name, losses, name), "; ".join(step.remarks)
    return grid.answer(None, name, where, entries, step.name.place, filled=filled, remark=remark)


def _is_spoiled(cells: list[Written], step: _Step) -> bool:
    """Return whether a line is a row of a step's matrix with an unreadable cell, which costs itself alone."""
    is_as_wide = not step.rows or len(cells) == len(step.rows[0])
    is_plain = step.columns is None and not step.is_repeated and len(cells) > 1 and not _is_name(cells[0])
    return is_plain and is_as_wide and any(_is_number(cell.text) for cell in cells)


def _is_header(cells: list[Written]) -> bool:
    """Return whether a line has labels of columns behind an empty corner, or behind a word such as `row`."""
    corner, others = cells[0].text.strip().lower(), cells[1:]
    is_named = not any(looks_like_entry(cell.text.strip()) for cell in others)
    return bool(others) and corner in _CORNERS and (_counts(others) or is_named and all(c.text.strip() for c in others))


def _counts(cells: list[Written]) -> bool:
    return bool(cells) and are_counted([cell.text.strip() for cell in cells])


def _is_number(text: str) -> bool:
    text = text.strip()
    if _SPOILED.match(text):
        return True
    return text in BLANKS or text in CROSSED or looks_like_entry(text)


def _begins_number(cell: Written) -> bool:
    return looks_like_entry(cell.text.strip()) or bool(_LIST.match(cell.text))


def _is_name(cell: Written) -> bool:
    try:
        step_name(_bare_name(cell))
    except AttncalcError:
        return False
    return cell.text.strip().lower() not in LONG
