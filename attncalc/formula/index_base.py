"""The number of the first row and of the first column in output: 1 for readers, or 0 for programmers (`--index 0`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_FIRST: ContextVar[int] = ContextVar("first", default=1)


@contextmanager
def counting_from(first: int) -> Iterator[None]:
    """In the block, count rows and columns from `first` in all texts for people. Files and JSON always count from 0.

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
    """Return the number of the first row and the first column."""
    return _FIRST.get()


def counted_place(i: int) -> str:
    """Return the displayed number of the row or column with index i, such as `1` for i = 0.

    >>> counted_place(0)
    '1'
    """
    return str(i + _FIRST.get())


def counted_places(count: int) -> tuple[str, ...]:
    """Return the displayed numbers of the first `count` rows or columns.

    >>> counted_places(3)
    ('1', '2', '3')
    """
    return tuple(map(counted_place, range(count)))


def row_and_column(i: int, j: int) -> str:
    """Return the row and the column of an entry for messages.

    >>> row_and_column(0, 2)
    'row 1, column 3'
    """
    return f"row {counted_place(i)}, column {counted_place(j)}"
