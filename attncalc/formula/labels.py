"""The labels of rows and columns, and the names of entries. Rows and columns without labels have numbers."""

from __future__ import annotations

from ..errors import FormulaError, did_you_mean, shorten
from .index_base import counted_place
from .syntax_tree import Call, Number, Tree
from .typed_formula import Labels, Shape

LONGEST_LABEL = 24
STARTS_AT = 3  # the index of the argument `start` of a position table


def shortened(label: str) -> str:
    """Shorten a label for a sentence or an entry's name."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def entry_place(shape: Shape, rows: Labels, columns: Labels, i: int, j: int) -> str:
    """Return the row and the column of an entry, such as `[our, lives]`: labels if they are unique, otherwise numbers.

    A single row or column without a label is omitted. The result for a 1 × 1 matrix is empty.
    """
    if shape == (1, 1):
        return ""
    row, column = _place(rows, i), _place(columns, j)
    if shape[0] == 1 and not rows:
        return f"[{column}]"
    return f"[{row}]" if shape[1] == 1 and not columns else f"[{row}, {column}]"


def position_labels(tree: Tree, count: int) -> Labels:
    """Return `pos 0`, `pos 1` for the rows of a position table; None if the formula does not contain the first
    position.

    >>> from .parser import parse
    >>> position_labels(parse("sinusoidal(2, 4, start=1)"), 2)
    ('pos 1', 'pos 2')
    """
    if not isinstance(tree, Call) or tree.function != "sinusoidal":
        return None
    given = tree.arguments[STARTS_AT:] or (Number("0"),)
    start = dict(tree.options).get("start", given[0])
    if not isinstance(start, Number) or not start.text.isdecimal():
        return None
    return tuple(f"pos {int(start.text) + i}" for i in range(count))


def labelled(label: str, labels: Labels, what: str, word: str, at: int) -> int:
    """Return the index of the row or column with this label. Raises FormulaError unless exactly one label matches."""
    if labels is None:
        raise FormulaError(f"the {word}s of {what} have no labels; use a number as the index", at)
    count = labels.count(label)
    if count == 0:
        message = f"{what} has no {word} with the label {shorten(label)!r}"
        raise FormulaError(message, at, proposal=did_you_mean(label, labels))
    if count > 1:
        numbers = ", ".join(str(i) for i, candidate in enumerate(labels) if candidate == label)
        raise FormulaError(
            f"{count} {word}s of {what} have the label {shorten(label)!r} ({numbers}); use a number as the index", at
        )
    return labels.index(label)


def _place(labels: Labels, i: int) -> str:
    short = list(map(shortened, labels or ()))
    return short[i] if short and short.count(short[i]) == 1 else counted_place(i)
