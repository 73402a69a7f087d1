"""A row of numbers as a curve, such as a learning rate over its steps: the positions of points, axes and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...explain.document import Curve
from ..math import speech
from ..math.mathml import clean
from ..math.single_line import number
from .geometry import ends, height_range, line, positions, size

ACROSS, DOWN = 460, 200
LETTER, LINE = 7.8, 20  # the width of a letter, and from one line to the next


def layout(curve: Curve) -> dict[str, Any]:
    """Return the positions of a curve as a picture of its own."""
    picture = chart_layout(curve, 10, 4)
    clear = {
        "columns": [(clean(label), x) for label, x in picture["columns"]],
        "upward": clean(picture["upward"]),
        "dots": [(clean(tooltip), x, y) for tooltip, x, y in picture["dots"]],
    }
    return {"curve": picture | clear, "width": picture["width"] + 4, "height": picture["height"] + 10}


def alt_text(curve: Curve) -> str:
    """Return the alternative text of the curve."""
    ends = f"from {curve.across[0]} to {curve.across[-1]}"
    return clean(
        f"the curve of {speech.formula(curve.name)} {ends}; its numbers stand in the table and in the row above"
    )


def chart_layout(curve: Curve, top: float, margin: float) -> dict[str, Any]:
    """Return the layout of a curve with its upper edge at `top`: points, labels that have room, axis ends."""
    texts, labels = curve.heights, curve.across
    sizes = list(map(size, texts))
    run = line(curve)
    low, high = height_range(curve)
    end_texts = tuple(number(text) for text in ends(texts))
    left = margin + LETTER * max(map(len, (*end_texts, curve.upward))) + 8

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * ACROSS, top + (high - y) / ((high - low) or 1.0) * DOWN

    upper = at(0, max(0.0, *sizes))[1]
    places = [at(x, y) for x, y in zip(positions(labels), sizes, strict=True)]
    return {
        "left": left, "first": top, "across": ACROSS, "down": DOWN, "ends": end_texts, "upper": upper,
        "line": " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in run),
        "dots": [(f"{label}: {number(text)}", x, y) for label, text, (x, y) in zip(labels, texts, places, strict=True)],
        "columns": _with_room(labels, [x for x, _ in places]),
        "width": left + ACROSS + LETTER * len(labels[-1]) / 2, "height": DOWN + 30 + 20 * bool(curve.along),
        "along": curve.along, "upward": curve.upward, "halfway": _apart(upper, top + DOWN / 2),
    }  # fmt: skip


def _apart(upper: float, middle: float) -> float:
    """Return the height of a label of the axis that does not overlap the number of the highest point."""
    return middle if abs(middle - upper) > LINE else upper + LINE


def _with_room(labels: Sequence[str], places: Sequence[float]) -> list[tuple[str, float]]:
    """Return the labels that do not overlap the one before, the last one always."""
    kept: list[tuple[str, float]] = []
    for label, x in [(labels[-1], places[-1]), *zip(labels[:-1], places[:-1], strict=True)]:
        width = LETTER * len(label) / 2 + 5
        if all(abs(x - other) > width + LETTER * len(word) / 2 for word, other in kept):
            kept.append((label, x))
    return kept
