"""A table in the terminal: rows under dim heads, at most as wide as the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len

from ...explain.document import Table
from ...formula.syntax_tree import Tree
from .styled_text import Styled, plain, run, strip, width, wrap
from .theme import STYLES

COLUMN, NARROWEST_COLUMN = 3, 8  # cells between columns, and in the narrowest broken column


def table_lines(
    table: Table, room: int, entry: Callable[[str | tuple[Tree, ...]], Styled], clean: Callable[[str], str]
) -> Iterator[Styled]:
    """Yield the rows under dim heads; on a narrow screen the widest columns shrink, and on a narrower one the last
    columns follow below.
    """
    count = len(table.heads)
    least = [min(NARROWEST_COLUMN, max(width(entry(row[k])) for row in table.rows)) for k in range(count)]
    if sum(least) + COLUMN * (count - 1) > room and count > 2:
        half = (count + 1) // 2
        yield from table_lines(_select_columns(table, range(half)), room, entry, clean)
        yield ()
        table = _select_columns(table, [0, *range(half, count)])
    heads = [[run(clean(head), STYLES["dim"]) for head in table.heads]] if any(table.heads) else []
    rows = [*heads, *([entry(content) for content in row] for row in table.rows)]
    columns = [[plain(row[k]) for row in rows] for k in range(len(table.heads))]
    widths = _narrow([max(map(cell_len, texts)) for texts in columns], list(map(_longest_word, columns)), room)
    for row in rows:
        cells = [wrap(text, wide) for text, wide in zip(row, widths, strict=True)]
        for k in range(max(map(len, cells))):
            yield _line([cell[k] if k < len(cell) else () for cell in cells], widths, table.right)


def _line(parts: list[Styled], widths: list[int], right: frozenset[int]) -> Styled:
    line: Styled = ()
    for column, (part, wide) in enumerate(zip(parts, widths, strict=True)):
        room = run(" " * (wide - width(part)))
        line += (room + part if column in right else part + room) + run(" " * COLUMN)
    return strip(line)


def _select_columns(table: Table, chosen: Sequence[int]) -> Table:
    """Return some columns of a table."""
    rows = tuple(tuple(row[k] for k in chosen) for row in table.rows)
    return Table(
        tuple(table.heads[k] for k in chosen), rows, frozenset(n for n, k in enumerate(chosen) if k in table.right)
    )


def _longest_word(texts: list[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _narrow(widths: list[int], words: list[int], room: int) -> list[int]:
    """Return the widths of columns that fit, by narrowing the widest. Words are broken only if needed, those of the
    first column last.
    """
    widths, broken = list(widths), [0] * (len(widths) - 1)
    for least in (words, [words[0], *broken], [0, *broken]):
        while sum(widths) + COLUMN * (len(widths) - 1) > room:
            wide = [k for k, width in enumerate(widths) if width > max(least[k], NARROWEST_COLUMN)]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths
