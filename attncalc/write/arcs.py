"""Attention weights as lines from queries to keys. How thick a line is shows about how large a printed weight is, no
more.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.cells import cell_len

from ..explain.document import Arcs
from .formulas.lines import number
from .formulas.mathml import clean
from .page import render
from .places import bezier_path, size
from .wrap import shorten_labels

HIGH, ACROSS, LETTER, MARGIN = 26, 170, 8.6, 4  # the picture: a row, the way from query to key, a letter and the edge
LONGEST = 14  # letters of a word
THICK, THIN, LEAST = 10, 0.8, 0.002  # the line of a weight of 1, the thinnest, and the weight below which there is none
HEAD, FOOT = 24, 30  # the rooms of the two heads and of the scale
SCALE = ("1", "0.5", "0.1")


def alt_text(arcs: Arcs) -> str:
    """The thickest lines in words."""
    phrases = (f"{query} to {' and '.join(_largest(arcs, i))}" for i, query in enumerate(arcs.queries))
    return clean(f"lines from queries to keys, as thick as the weights; the thickest: {'; '.join(phrases)}")


def _largest(arcs: Arcs, i: int) -> list[str]:
    weights = list(map(Fraction, arcs.texts[i]))
    return [
        f"{key} {number(text)}"
        for key, text, x in zip(arcs.keys, arcs.texts[i], weights, strict=True)
        if x == max(weights)
    ]


def svg(arcs: Arcs, alone: bool = True) -> str:
    """The picture; one that is not `alone` takes its colours from the page around it."""
    return render("svg", "arcs.svg", {**layout(arcs), "said": alt_text(arcs), "alone": alone}, None, autoescape=True)


def layout(arcs: Arcs) -> dict[str, Any]:
    """Where words and lines stand in the picture, in pixels from its upper left corner."""
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
    """Where a word stands; the shorter column stands in the middle of the longer one."""
    return HEAD + HIGH * (i + (rows - count) / 2 + 0.5)


def _lines(arcs: Arcs, i: int, left: float, rows: int) -> list[dict[str, Any]]:
    """The lines of a query, the thickest first, so that thin ones lie above them."""
    lines = []
    for j, (key, text) in enumerate(zip(arcs.keys, arcs.texts[i], strict=True)):
        if size(text) >= LEAST:
            path = bezier_path(
                (left, _middle(i, len(arcs.queries), rows)), (left + ACROSS, _middle(j, len(arcs.keys), rows))
            )
            lines.append(
                {"path": path, "thick": thickness(text), "told": clean(f"{arcs.queries[i]} → {key}: {number(text)}")}
            )
    return sorted(lines, key=lambda line: -line["thick"])


def thickness(text: str) -> float:
    """How thick the line of a printed weight is."""
    return max(THIN, round(THICK * min(1.0, size(text)), 1))
