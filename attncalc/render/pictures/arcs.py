"""Attention weights as lines from queries to keys. The thickness approximates the printed weight."""

from __future__ import annotations

from fractions import Fraction
from typing import TypedDict

from rich.cells import cell_len

from ...explain.document import Arcs
from ..math.mathml import clean
from ..math.single_line import number
from ..wrap import shorten_labels
from .geometry import bezier_path, size

# Pixels: height of a row, distance from query to key, width of a letter, margin
HIGH, ACROSS, LETTER, MARGIN = 26, 170, 8.6, 4
LONGEST = 14  # letters of a word
THICK, THIN = 10, 0.8  # thickness for a weight of 1, and the least thickness
LEAST = 0.002  # the least weight with a line
HEAD, FOOT = 24, 30  # heights of the heads and of the scale
SCALE = ("1", "0.5", "0.1")


class Line(TypedDict):
    """A line from a query to a key."""

    path: str
    thick: float
    tooltip: str


class Word(TypedDict):
    """A key, and its vertical position."""

    label: str
    y: float


class Query(Word):
    """A query, its vertical position, and its lines."""

    lines: list[Line]


class Mark(TypedDict):
    """A mark of the scale: a weight and its thickness."""

    text: str
    thick: float


class Layout(TypedDict):
    """The positions of words and lines, in pixels from the upper left corner."""

    queries: list[Query]
    keys: list[Word]
    scale: list[Mark]
    left: float
    right: float
    foot: float
    width: float
    height: float


def alt_text(arcs: Arcs) -> str:
    """Return the alternative text: the thickest lines."""
    phrases = (f"{query} to {' and '.join(_largest(arcs, i))}" for i, query in enumerate(arcs.queries))
    return clean(f"lines from queries to keys; the width shows the weight. The thickest: {'; '.join(phrases)}")


def _largest(arcs: Arcs, i: int) -> list[str]:
    weights = list(map(Fraction, arcs.texts[i]))
    return [
        f"{key} {number(text)}"
        for key, text, x in zip(arcs.keys, arcs.texts[i], weights, strict=True)
        if x == max(weights)
    ]


def layout(arcs: Arcs) -> Layout:
    """Return the positions of words and lines, in pixels from the upper left corner."""
    queries, keys = (
        shorten_labels(list(map(clean, words)), [LONGEST] * len(words), "…") for words in (arcs.queries, arcs.keys)
    )
    left = MARGIN + LETTER * max(map(cell_len, [*queries, "query"])) + 8
    right = left + ACROSS
    rows = max(len(queries), len(keys))
    foot = HEAD + HIGH * rows
    return {
        "queries": [{"label": word, "y": _middle(i, len(queries), rows), "lines": _lines(arcs, i, left, rows)} for i,
            word in enumerate(queries)],
        "keys": [{"label": word, "y": _middle(j, len(keys), rows)} for j, word in enumerate(keys)],
        "scale": [{"text": text, "thick": thickness(text)} for text in SCALE],
        "left": left, "right": right, "foot": foot + FOOT / 2,
        "width": right + 8 + LETTER * max(map(cell_len, [*keys, "key"])) + MARGIN, "height": foot + FOOT,
    }  # fmt: skip


def _middle(i: int, count: int, rows: int) -> float:
    """Return the vertical position of a word. The shorter column is centred relative to the longer column."""
    return HEAD + HIGH * (i + (rows - count) / 2 + 0.5)


def _lines(arcs: Arcs, i: int, left: float, rows: int) -> list[Line]:
    """Return the lines of a query, the thickest first, so that thin lines are drawn over thick lines."""
    lines: list[Line] = []
    for j, (key, text) in enumerate(zip(arcs.keys, arcs.texts[i], strict=True)):
        if size(text) >= LEAST:
            path = bezier_path(
                (left, _middle(i, len(arcs.queries), rows)), (left + ACROSS, _middle(j, len(arcs.keys), rows))
            )
            lines.append(
                {"path": path, "thick": thickness(text), "tooltip": clean(f"{arcs.queries[i]} → {key}: {number(text)}")}
            )
    return sorted(lines, key=lambda line: -line["thick"])


def thickness(text: str) -> float:
    """Return the thickness of a printed weight's line in pixels."""
    return max(THIN, round(THICK * min(1.0, size(text)), 1))
