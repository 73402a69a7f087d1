"""Where the points and lines of a picture lie: about how large printed numbers are, as far as a picture tells, and how
labels stand apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..explain.document import Curve


def size(text: str) -> float:
    """About how large a printed number is."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if abs(value) < 1e300 else 0.0


def ends(texts: Sequence[str]) -> tuple[str, str]:
    """The printed numbers at the lower and the upper end of a picture that starts from 0: 0, or the smallest and the
    largest entry.
    """
    sizes = list(map(size, texts))
    low, high = min(sizes), max(sizes)
    return texts[sizes.index(low)] if low < 0 else "0", texts[sizes.index(high)] if high > 0 else "0"


def height_range(curve: Curve) -> tuple[float, float]:
    """The lowest and the highest place of a picture that holds 0, the curve's numbers and its line."""
    heights = [*map(size, curve.heights), *(y for _, y in line(curve))]
    return min(0.0, *heights), max(0.0, *heights)


def positions(labels: Sequence[str]) -> list[float]:
    """Where each point stands from 0 to 1: by its label where these are numbers that rise, else one beside
    the other.
    """
    try:
        at = [float(label) for label in labels]
    except ValueError:
        at = []
    if not at or not all(a < b < 1e300 for a, b in pairwise(at)) or at[0] < -1e300:
        at = [float(k) for k in range(len(labels))]
    return [(x - at[0]) / (at[-1] - at[0]) for x in at]


def line(curve: Curve) -> list[tuple[float, float]]:
    """Where the line of a curve runs: from 0 to 1 across, and as high as its numbers are; straight between points where
    no more is known.
    """
    if not curve.between:
        return list(zip(positions(curve.across), map(size, curve.heights), strict=True))
    first, last = curve.between[0][0], curve.between[-1][0]
    return [((x - first) / (last - first), y) for x, y in curve.between]


def bezier_path(start: tuple[float, float], end: tuple[float, float]) -> str:
    """The path of a line that leaves one place and reaches the other sideways."""
    (x, y), (right, down) = start, end
    middle = (x + right) / 2
    return f"M{x:.1f},{y:.1f} C{middle:.1f},{y:.1f} {middle:.1f},{down:.1f} {right:.1f},{down:.1f}"
