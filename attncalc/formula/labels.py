"""The labels of rows and columns, and the names of entries. What has no label is counted from 1, as on paper."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .node import Labels, Shape

LONGEST_LABEL = 24
_FIRST: ContextVar[int] = ContextVar("first", default=1)


@contextmanager
def counting_from(first: int) -> Iterator[None]:
    """Inside, the first row and the first column have this number wherever people read; files and JSON count from 0.

    >>> with counting_from(0):
    ...     counted_place(0)
    '0'
    """
    before = _FIRST.set(first)
    try:
        yield
    finally:
        _FIRST.reset(before)


def first_place() -> int:
    """The number of the first row and the first column."""
    return _FIRST.get()


def counted_place(i: int) -> str:
    """The number of the row or column i, which is 0 for the first: `1` for it, as people count.

    >>> counted_place(0)
    '1'
    """
    return str(i + _FIRST.get())


def counted_places(count: int) -> tuple[str, ...]:
    """The numbers of so many rows or columns.

    >>> counted_places(3)
    ('1', '2', '3')
    """
    return tuple(map(counted_place, range(count)))


def shortened(label: str) -> str:
    """A label inside a sentence or an entry's name."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def entry_place(shape: Shape, rows: Labels, columns: Labels, i: int, j: int) -> str:
    """`[our, lives]`, by labels where they tell rows and columns apart, elsewhere by numbers from 1; of a single row or
    column without a label only where in it, and nothing for a single number.
    """
    if shape == (1, 1):
        return ""
    row, column = _place(rows, i), _place(columns, j)
    if shape[0] == 1 and not rows:
        return f"[{column}]"
    return f"[{row}]" if shape[1] == 1 and not columns else f"[{row}, {column}]"


def _place(labels: Labels, i: int) -> str:
    short = list(map(shortened, labels or ()))
    return short[i] if short and short.count(short[i]) == 1 else counted_place(i)
