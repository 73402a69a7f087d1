"""Styled lines of a terminal as plain tuples, so that a console without colours needs no rich."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from rich.cells import cell_len, chop_cells

# A line: texts with their styles in rich's notation ("bold #1f8a96").
Styled = tuple[tuple[str, str], ...]


def run(text: str, style: str = "") -> Styled:
    return ((text, style),)


def merge_runs(pieces: Iterable[tuple[str, str]]) -> Styled:
    """Return a line of pieces, with neighbours of equal style merged."""
    return tuple(("".join([text for text, _ in alike]), style) for style, alike in groupby(pieces, itemgetter(1)))


def plain(line: Styled) -> str:
    """Return the texts of a line without styles."""
    return "".join([text for text, _ in line])


def width(line: Styled) -> int:
    return cell_len(plain(line))


def merge_styles(*styles: str) -> str:
    """Return styles combined; the last colour counts."""
    return " ".join(filter(None, styles))


def strip(line: Styled) -> Styled:
    """Return the line without trailing spaces."""
    for k in range(len(line) - 1, -1, -1):
        text, style = line[k]
        if kept := text.rstrip():
            return (*line[:k], (kept, style))
    return ()


def slice_line(line: Styled, start: int, stop: int) -> Styled:
    """Return the characters of a line from `start` up to `stop`."""
    runs, at = [], 0
    for text, style in line:
        if part := text[max(0, start - at) : max(0, stop - at)]:
            runs.append((part, style))
        at += len(text)
    return tuple(runs)


def truncate(line: Styled, room: int) -> Styled:
    return line if width(line) <= room else slice_line(line, 0, len(chop_cells(plain(line), room)[0]))


def wrap(line: Styled, room: int) -> list[Styled]:
    """Return the line broken between words, and inside a word that is wider than the room."""
    text = plain(line)
    if cell_len(text) <= room:
        return [strip(line)]
    places = [0, *_breaks(text, room), len(text)]
    return [strip(slice_line(line, start, stop)) for start, stop in pairwise(places)]


def _breaks(text: str, room: int) -> Iterator[int]:
    """Yield the places at which new lines begin."""
    filled = 0
    for match in re.finditer(r"\s*\S+\s*", text):
        word, start = match[0], match.start()
        wide = cell_len(word.rstrip())
        if wide <= room - filled:
            filled += cell_len(word)
            continue
        parts = chop_cells(word, room) if wide > room else [word]
        for part in parts:
            if start:
                yield start
            start += len(part)
        filled = cell_len(parts[-1])
