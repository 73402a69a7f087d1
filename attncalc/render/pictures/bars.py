"""Probabilities as bars, in the terminal and as a picture. The length approximates the printed number."""

from __future__ import annotations

from typing import TypedDict

from rich.cells import cell_len

from ...explain.document import Bars
from ..math.mathml import clean
from ..math.single_line import number
from ..terminal.styled_text import STYLES, Signs, Styled
from ..wrap import clean as cleaned
from ..wrap import left, right, shorten_labels
from .geometry import size

WIDEST, LONGEST = 40, 14  # cells of the longest bar and of a label
EIGHTHS = "▏▎▍▌▋▊▉█"
# Pixels: height of a row, length of the longest bar, width of a letter, margin
HIGH, ACROSS, LETTER, MARGIN = 20, 300, 8.6, 4


def lines_of(bars: Bars, room: int, signs: Signs) -> list[Styled]:
    """Return a line for each word: its name, its probability and its bar, at most `room` cells wide."""
    labels = [cleaned(label, signs.plain) for label in bars.labels]
    labels = shorten_labels(labels, [LONGEST] * len(labels), signs.cut)
    texts = [signs.notation.number(text) for text in bars.texts]
    label_width, text_width = max(map(cell_len, labels)), max(map(cell_len, texts))
    wide = max(1, min(WIDEST, room - label_width - text_width - 4))
    lines: list[Styled] = []
    for label, text, share in zip(labels, texts, _shares(bars), strict=True):
        bar = _bar(share * wide, signs.plain)
        after = left(text, text_width) + "  " if bar else text
        lines.append(((right(label, label_width), STYLES["label"]), (f"  {after}", ""), (bar, STYLES["name"])))
    return lines


def _shares(bars: Bars) -> list[float]:
    """Return the length of each bar as a share of the bar for the probability 1."""
    return [min(1.0, max(0.0, size(text))) for text in bars.texts]


def _bar(long: float, plain: bool) -> str:
    eighths = round(long * 8)
    if plain:
        return "#" * round(long)
    return "█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")


def alt_text(bars: Bars) -> str:
    return clean("; ".join(f"{label} {number(text)}" for label, text in zip(bars.labels, bars.texts, strict=True)))


class Row(TypedDict):
    """A word and its bar."""

    label: str
    text: str
    y: float
    wide: float


class Layout(TypedDict):
    """The position of each row, the width of its bar, and the size of the picture, in pixels."""

    rows: list[Row]
    side: float
    high: float
    width: float
    height: float


def layout(bars: Bars) -> Layout:
    """Return the position of each row, the width of its bar, and the size of the picture, in pixels."""
    side = MARGIN + LETTER * max(map(cell_len, bars.labels)) + 8
    rows: list[Row] = [
        {"label": clean(label), "text": number(text), "y": MARGIN + k * HIGH, "wide": share * ACROSS}
        for k, (label, text, share) in enumerate(zip(bars.labels, bars.texts, _shares(bars), strict=True))
    ]
    width = side + ACROSS + 12 + LETTER * max(len(number(text)) for text in bars.texts)
    return {"rows": rows, "side": side, "high": HIGH, "width": width, "height": 2 * MARGIN + HIGH * len(rows)}
