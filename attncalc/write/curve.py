"""A row of numbers as a curve, such as a learning rate over its steps: where its points, its axes and their labels stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..explain.document import Grid
from .notation import UNICODE, number

ACROSS, DOWN = 460, 200
LETTER, FEWEST = 7.8, 3  # the width of a letter; of fewer points there is no curve


def is_curve(name: str, grid: Grid) -> bool:
    """Whether a step's result is drawn as a curve: a learning rate, at a few steps or more."""
    return name.rpartition(".")[2] == "lr" and min(grid.shape) == 1 and max(grid.shape) >= FEWEST


def curve(grid: Grid, top: float, margin: float) -> dict[str, Any]:
    """The places of a curve whose upper edge is at `top`: its points, a label for each that has room, and the ends of its height."""
    texts = [cell.text for row in grid.cells for cell in row]
    sizes = [_size(text) for text in texts]
    low, high = min(0.0, *sizes), max(0.0, *sizes)
    labels = (grid.columns if grid.shape[0] == 1 else grid.rows) or tuple(map(str, range(len(sizes))))
    ends = tuple(number(f"{end:.3g}", UNICODE) for end in (low, high))
    left = margin + LETTER * max(map(len, ends)) + 8
    across = _spread(labels)
    places = [(left + x * ACROSS, top + (high - size) / ((high - low) or 1.0) * DOWN) for x, size in zip(across, sizes, strict=True)]
    return {
        "left": left, "first": top, "across": ACROSS, "down": DOWN, "ends": ends,
        "line": " ".join(f"{x:.1f},{y:.1f}" for x, y in places),
        "dots": [(f"{label}: {number(text, UNICODE)}", x, y) for label, text, (x, y) in zip(labels, texts, places, strict=True)],
        "columns": _with_room(labels, [x for x, _ in places]),
        "width": left + ACROSS + LETTER * len(labels[-1]) / 2, "height": DOWN + 30,
    }  # fmt: skip


def _size(text: str) -> float:
    """About how large an entry is, as far as a picture tells."""
    try:
        size = float(text)
    except ValueError:
        return 0.0
    return size if abs(size) < 1e300 else 0.0


def _spread(labels: Sequence[str]) -> list[float]:
    """Where each point stands from 0 to 1: by its label where these are numbers that rise, else one beside the other."""
    try:
        at = [float(label) for label in labels]
    except ValueError:
        at = []
    if not at or not all(a < b < 1e300 for a, b in pairwise(at)) or at[0] < -1e300:
        at = [float(k) for k in range(len(labels))]
    return [(x - at[0]) / (at[-1] - at[0]) for x in at]


def _with_room(labels: Sequence[str], places: Sequence[float]) -> list[tuple[str, float]]:
    """The labels that do not run into the one before, the last one always."""
    kept: list[tuple[str, float]] = []
    for label, x in [(labels[-1], places[-1]), *zip(labels[:-1], places[:-1], strict=True)]:
        width = LETTER * len(label) / 2 + 5
        if all(abs(x - other) > width + LETTER * len(word) / 2 for word, other in kept):
            kept.append((label, x))
    return kept
