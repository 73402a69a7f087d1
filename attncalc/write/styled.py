"""Lines of a terminal: texts with their looks, in plain tuples, so that a screen without colours needs no rich."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from rich.cells import cell_len, chop_cells

# A text and its looks, as rich writes them ("bold #1f8a96"); a line is some of them one after another.
Styled = tuple[tuple[str, str], ...]


def run(text: str, style: str = "") -> Styled:
    """A line of one text."""
    return ((text, style),)


def merge_runs(pieces: Iterable[tuple[str, str]]) -> Styled:
    """A line of pieces, neighbours of the same looks as one."""
    return tuple(("".join([text for text, _ in alike]), style) for style, alike in groupby(pieces, itemgetter(1)))


def plain(line: Styled) -> str:
    """The texts of a line without their looks."""
    return "".join([text for text, _ in line])


def width(line: Styled) -> int:
    """How many cells it takes."""
    return cell_len(plain(line))


def merge_styles(*styles: str) -> str:
    """Looks one upon another; the last colour holds."""
    return " ".join(filter(None, styles))


def strip(line: Styled) -> Styled:
    """The line without spaces at its end."""
    for k in range(len(line) - 1, -1, -1):
        text, style = line[k]
        if kept := text.rstrip():
            return (*line[:k], (kept, style))
    return ()


def slice_line(line: Styled, start: int, stop: int) -> Styled:
    """The signs of a line from one place up to another."""
    runs, at = [], 0
    for text, style in line:
        if part := text[max(0, start - at) : max(0, stop - at)]:
            runs.append((part, style))
        at += len(text)
    return tuple(runs)


def truncate(line: Styled, room: int) -> Styled:
    """The line, no wider than so many cells."""
    return line if width(line) <= room else slice_line(line, 0, len(chop_cells(plain(line), room)[0]))


def wrap(line: Styled, room: int) -> list[Styled]:
    """The line broken between its words, and inside a word that is wider than the room."""
    text = plain(line)
    if cell_len(text) <= room:
        return [strip(line)]
    places = [0, *_breaks(text, room), len(text)]
    return [strip(slice_line(line, start, stop)) for start, stop in pairwise(places)]


def _breaks(text: str, room: int) -> Iterator[int]:
    """The places before which a new line begins."""
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
