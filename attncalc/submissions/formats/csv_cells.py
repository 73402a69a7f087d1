"""Answers in columns: a cell a column (`masked.Q[0,1]`) and a student a row, or rows of step, row, column and value."""

from __future__ import annotations

import re
from functools import partial

from ...errors import Diagnostics, Location, counted, shorten
from ...formula.syntax_tree import Index, Name, Negate, Number, Text, Tree
from ..answer_file import arithmetic
from ..located_text import Stored, Written, whole
from ..number_parser import BLANKS
from ..step_names import step_name
from ..submission import Answer, Losses, Script
from ..tables.table_reader import delimiter, first_line, lines
from ..tables.xml_stream import MOST_COLUMNS
from .detect import read_matrix

ABOUT = ("student", "problem", "computed", "note")
LONG = {"part", "step", "row", "column", "col", "value", *ABOUT}
_CELL = re.compile(r"[A-Za-z_Α-Ωα-ω][\w.']*(\[[^\]]*\])?")


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
    return {"step", "value"} <= {cell.text.strip().lower() for cell in header}


def check_widths(header: list[Written], body: list[list[Written]]) -> None:
    """Raise AttncalcError for every row with more cells than the header."""
    faults = Diagnostics()
    for row in body:
        if len(row) > len(header) and any(cell.text.strip() for cell in row[len(header) :]):
            message = (
                f"the header has {counted(len(header), 'column')}, but this line has {len(row)} cells; is it a "
                f"decimal comma, or are quotes missing?"
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
    names = [cell.text.strip().lower() for cell in header]
    names = ["column" if name == "col" else name for name in names]
    faults = Diagnostics()
    for cell, name in zip(header, names, strict=True):
        if name not in LONG:
            faults.add(f"expected one of the columns {', '.join(sorted(LONG))}; found {shorten(name)!r}", cell.place)
    faults.raise_any()
    about = {name: cell for name, cell in zip(names, body[0], strict=False) if name in ABOUT}
    answers: list[Answer | None] = []
    for row in body:
        cells = dict(zip(names, row, strict=False))
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
                "expected only the name of a step in a line with a row and a column, found a slice"
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
