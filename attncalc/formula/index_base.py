"""The number of a row or of a column where people read: 1 for the first, or 0 for programmers (`--index 0`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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


def row_and_column(i: int, j: int) -> str:
    """The place of an entry in messages.

    >>> row_and_column(0, 2)
    'row 1, column 3'
    """
    return f"row {counted_place(i)}, column {counted_place(j)}"
