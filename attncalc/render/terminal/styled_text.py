"""Styled lines of a terminal as plain tuples, so that a console without colours does not import rich. The theme is here
too: signs in Unicode and in ASCII, colours, and the shades of weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from ..math.single_line import ASCII, UNICODE, LinePrinter


class Signs(NamedTuple):
    """Brackets, rules and marks."""

    notation: LinePrinter
    top: tuple[str, str]
    middle: tuple[str, str]
    bottom: tuple[str, str]
    single: tuple[str, str]
    rule: str
    check: str
    warning: str
    separator: str
    cut: str  # the end of a truncated label
    more: str  # instead of omitted columns
    below: str  # instead of omitted rows
    wrong: str  # before an entry that is wrong
    should: str  # before an expected entry
    hidden: str  # a masked weight
    by: str
    arrow: str
    folded: str  # before the name of a lesson of which only the result is shown
    unfolded: str
    between: dict[str, str]

    @property
    def plain(self) -> bool:
        return self.notation is ASCII


PRETTY = Signs(
    UNICODE, ("⎡", "⎤"), ("⎢", "⎥"), ("⎣", "⎦"), ("[", "]"),
    rule="─", check="✓", warning="!", separator=" · ", cut="…", more="…", below="⋮", wrong="✗", should="→", hidden="·",
    by="×", arrow="→",
    folded="▸", unfolded="▾", between={},
)  # fmt: skip
PLAIN = Signs(
    ASCII, ("|", "|"), ("|", "|"), ("|", "|"), ("|", "|"),
    rule="-", check="ok:", warning="!", separator="; ", cut=".", more="...", below=":", wrong="!", should=">",
    hidden=".", by="x", arrow="->",
    folded="+", unfolded="-", between={"·": ".", "∘": "*", "−": "-", "|": ","},
)  # fmt: skip

# Styles in rich's notation. Colours are of medium lightness, for contrast on white and on black; a terminal with fewer
# colours takes the nearest.
STYLES = {
    "title": "bold",
    "part": "bold #1f8a96",
    "lesson": "#1f8a96",
    "name": "bold #b5701a",
    "label": "#1f8a96",
    "sign": "#a060c8",
    "bracket": "dim",
    "masked": "dim",
    "gap": "dim",
    "wrong": "bold #d04040",
    "should": "bold #3c9140",
    "undecided": "bold #d04040",
    "check": "#3c9140",
    "done": "#3c9140",
    "warning": "bold #c0702a",
    "cause": "bold #d04040",
    # The worked entry, and its sources
    "entry": "bold #ffffff on #2a6fa8",
    "source": "bold #3a8fd0",
    "query": "bold #3888d8",  # a name has the same colour everywhere
    "key": "bold #d2691e",
    "value": "bold #209850",
    "strong": "bold",
    "dim": "dim",
    "": "",
}

# Weights from grey to orange of similar lightness, so that small weights do not dazzle on any background.
_NONE, _ALL = (168, 162, 153), (255, 140, 44)
_TINY = 0.005


def shade(share: float) -> str:
    """Return the style of a weight: its background, and a legible text colour. A tiny weight has no style."""
    if share < _TINY:
        return STYLES[""]
    red, green, blue = (round(a + (b - a) * share**0.6) for a, b in zip(_NONE, _ALL, strict=True))
    luminance = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    ink = "#ffffff" if luminance < 0.42 else "#101010"
    return f"{ink} on #{red:02x}{green:02x}{blue:02x}"


# A line: texts with their styles in rich's notation ("bold #1f8a96").
Styled = tuple[tuple[str, str], ...]


def run(text: str, style: str = "") -> Styled:
    return ((text, style),)


def merge_runs(pieces: Iterable[tuple[str, str]]) -> Styled:
    """Return a line of pieces. Neighbours with the same style are merged."""
    return tuple(("".join([text for text, _ in alike]), style) for style, alike in groupby(pieces, itemgetter(1)))


def plain(line: Styled) -> str:
    return "".join([text for text, _ in line])


def width(line: Styled) -> int:
    return cell_len(plain(line))


def merge_styles(*styles: str) -> str:
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
    """Return the line in lines that fit. They break between words, and inside a word that is wider than `room`."""
    text = plain(line)
    if cell_len(text) <= room:
        return [strip(line)]
    places = [0, *_breaks(text, room), len(text)]
    return [strip(slice_line(line, start, stop)) for start, stop in pairwise(places)]


def _breaks(text: str, room: int) -> Iterator[int]:
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
