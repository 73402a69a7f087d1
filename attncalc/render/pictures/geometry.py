"""Geometry of pictures: approximate sizes of printed numbers, curves, and spacing of labels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...explain.document import Curve


def size(text: str) -> float:
    """Return the approximate value of a printed number."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if abs(value) < 1e300 else 0.0


def ends(texts: Sequence[str]) -> tuple[str, str]:
    """Return the printed numbers at the lower and the upper end of a picture that includes 0."""
    sizes = list(map(size, texts))
    low, high = min(sizes), max(sizes)
    return texts[sizes.index(low)] if low < 0 else "0", texts[sizes.index(high)] if high > 0 else "0"


def height_range(curve: Curve) -> tuple[float, float]:
    """Return the lowest and the highest value of a picture that includes 0, the curve's numbers and its line."""
    heights = [*map(size, curve.heights), *(y for _, y in line(curve))]
    return min(0.0, *heights), max(0.0, *heights)


def positions(labels: Sequence[str]) -> list[float]:
    """Return each point's position from 0 to 1: by its label if the labels are increasing numbers, otherwise evenly
    spaced.
    """
    try:
        at = [float(label) for label in labels]
    except ValueError:
        at = []
    if not at or not all(a < b < 1e300 for a, b in pairwise(at)) or at[0] < -1e300:
        at = [float(k) for k in range(len(labels))]
    return [(x - at[0]) / (at[-1] - at[0]) for x in at]


def line(curve: Curve) -> list[tuple[float, float]]:
    """Return the points of a curve: positions from 0 to 1, and heights. Without `between`, the points are the printed
    numbers.
    """
    if not curve.between:
        return list(zip(positions(curve.across), map(size, curve.heights), strict=True))
    first, last = curve.between[0][0], curve.between[-1][0]
    return [((x - first) / (last - first), y) for x, y in curve.between]


def bezier_path(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return the path of a curved line that is horizontal at both ends."""
    (x, y), (right, down) = start, end
    middle = (x + right) / 2
    return f"M{x:.1f},{y:.1f} C{middle:.1f},{y:.1f} {middle:.1f},{down:.1f} {right:.1f},{down:.1f}"
