"""Does a line show work, so that later lines may be judged given it (follow-through)?

A wrong line is no ground for later marks if all of it could be written down without the problem. It shows work in three
cases:

- Most of the entries that could be wrong are right (a slip).
- Its cause is named.
- Its numbers are not one number, two, or one row repeated, unless they should be.

Otherwise lines that follow from it earn nothing, unless they are right. So it is, in every case, if its rows are zeros
or copy a row of what follows (one 1 among zeros). Columns that do so show no work unless a cause is named: weights down
the columns may be 1 and 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..arithmetic.intervals.scalar import ONE, ZERO, Box, End, Interval
from ..arithmetic.matrix_types import is_infinite
from ..formula.typed_formula import Where
from .legality import entry_is_compatible
from .line import Line
from .precision import HABITS, Reading, at_working_precision

Entry = TypeVar("Entry")
TWO_VALUES = 4  # entries from which on two different values are few


def shows_work(line: Line, follows: Callable[[], Box], explained: bool) -> bool:
    """Return whether later lines may be judged given this one.

    `follows` calculates the expected entries from the lines before. `explained` is true if a cause is named.
    """
    reading = line.reading
    if reading is None or line.verdict != "wrong" and not line.is_uninformative:
        return True
    if selects_rows(reading) or selects_rows_or_columns(reading) and not explained:
        return False
    if explained or line.verdict != "wrong":
        return True
    should = follows()
    if _is_mostly_right(reading, should):
        return True
    return not _is_poor(_rows(reading), lambda a, b: bool(a == b)) or _is_poor(should, _is_alike)


def incorrect_entries(reading: Reading, should: Box) -> list[Where]:
    """Return the entries that are not right to the working decimals."""
    fine = at_working_precision(reading)
    return [at for at in fine.values if not any(entry_is_compatible(fine, habit, should, at) for habit in HABITS)]


def all_incorrect_entries(line: Line, should: Box) -> list[Where]:
    """Return the wrong entries of a line whose entries all follow from a mistake; entries with too few digits count as
    wrong.
    """
    splits = line.reading is not None and line.reading.has_coarse_entries
    return splits and incorrect_entries(line.reading, should) or line.cells  # type: ignore[arg-type]  # it was read


def _is_mostly_right(reading: Reading, should: Box) -> bool:
    """Return whether most entries are right to the working decimals. Entries that are 0, 1 or hidden in any work do not
    count.
    """
    telling = {(i, j) for i, j in reading.values if not _is_sure(should[i][j])}
    return 2 * len(telling.difference(incorrect_entries(reading, should))) > len(telling)


def _is_sure(cell: Interval) -> bool:
    return cell is not None and (is_infinite(cell[0]) or bool(cell[0] == cell[1]) and cell[0] in (0, 1))


def selects_rows(reading: Reading) -> bool:
    """Return whether multiplication by a line gives zeros, or selects rows."""
    return _picks(_rows(reading))


def selects_rows_or_columns(reading: Reading) -> bool:
    """Return whether multiplication by a line gives zeros, or selects rows or columns."""
    rows = _rows(reading)
    return _picks(rows) or _picks(list(zip(*rows, strict=False)))


def gives_result_away(box: Box) -> bool:
    """Return whether calculated numbers may be such a line: zeros, or a selection of rows or columns."""
    rows = [list(map(_trivial, row)) for row in box]
    return _picks(rows) or _picks(list(zip(*rows, strict=True)))


def _trivial(cell: Interval) -> End:
    """Return 0 or 1 if an entry may be that number, else its lower end."""
    if cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
        return ZERO
    return next((x for x in (ZERO, ONE) if cell[0] <= x <= cell[1]), cell[0])


def _rows(reading: Reading) -> list[list[End]]:
    height, width = (1 + max(at[axis] for at in reading.values) for axis in (0, 1))
    return [[reading.values[i, j] for j in range(width) if (i, j) in reading.values] for i in range(height)]


def _picks(rows: Sequence[Sequence[End]]) -> bool:
    """Return whether all is 0, or every row is zeros or one 1 among zeros."""
    plain = [[0 if is_infinite(value) else value for value in row] for row in rows]
    zeros = all(value == 0 for row in plain for value in row)
    return zeros or all(
        len(row) > 1 and all(value in (0, 1) for value in row) and sum(value == 1 for value in row) <= 1
        for row in plain
    )


def _is_poor(rows: Sequence[Sequence[Entry]], same: Callable[[Entry, Entry], bool]) -> bool:
    """Return whether a matrix has but one number, or two in many places, or one row (or column) over and over."""
    values: list[Entry] = []
    count = sum(map(len, rows))
    for value in (value for row in rows for value in row):
        if not any(same(value, known) for known in values):
            values.append(value)
    if count > 1 and len(values) == 1 or count >= TWO_VALUES and len(values) == 2:
        return True
    return _repeats(rows, same) or _repeats(list(zip(*rows, strict=False)), same)


def _repeats(rows: Sequence[Sequence[Entry]], same: Callable[[Entry, Entry], bool]) -> bool:
    """Return whether all rows, of more than one entry, are the same."""
    return len(rows) > 1 and len(rows[0]) > 1 and all(all(map(same, rows[0], row)) for row in rows[1:])


def _is_alike(a: Interval, b: Interval) -> bool:
    """Return whether two entries cannot be told apart."""
    return a is None or b is None or not (a[1] < b[0] or b[1] < a[0])
