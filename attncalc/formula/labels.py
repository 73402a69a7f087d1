"""The labels of rows and columns, and the names of entries."""

from __future__ import annotations

from .node import Labels, Shape

LONGEST_LABEL = 24


def shortened(label: str) -> str:
    """A label inside a sentence or an entry's name."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def entry_place(shape: Shape, rows: Labels, columns: Labels, i: int, j: int) -> str:
    """`[our, lives]`, by labels where they tell rows and columns apart, elsewhere by numbers from 0; nothing for a
    single number.
    """
    if shape == (1, 1):
        return ""
    row, column = _place(rows, i), _place(columns, j)
    return f"[{column}]" if shape[0] == 1 and not rows else f"[{row}, {column}]"


def _place(labels: Labels, i: int) -> str:
    short = list(map(shortened, labels or ()))
    return short[i] if short and short.count(short[i]) == 1 else str(i)
