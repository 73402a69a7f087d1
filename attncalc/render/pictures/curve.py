"""A row of numbers as a curve, such as a learning rate over its steps. It is a picture, or in the terminal Braille dots
or ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypedDict

from rich.cells import cell_len

from ...explain.document import Curve
from ..math import speech
from ..math.mathml import clean
from ..math.single_line import number
from ..terminal.styled_text import STYLES, Signs, Styled, run, strip
from ..wrap import centred
from .geometry import ends, height_range, line, positions, size

HIGH, WIDEST, NARROWEST, LONGEST = 9, 64, 16, 12  # rows, most and fewest columns in cells, and characters of a label
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bits of a Braille sign, by row and column
BRAILLE = 0x2800


class Marks(NamedTuple):
    """The signs of a curve: a point, the sides and the corner of its frame, and a tick."""

    point: str
    side: str
    top: str
    corner: str
    floor: str
    tick: str


PRETTY = Marks("●", "│", "┤", "└", "─", "┴")
PLAIN = Marks("*", "|", "+", "+", "-", "+")


def lines_of(curve: Curve, room: int, signs: Signs) -> list[Styled]:
    """Return a curve in lines of at most `room` cells: the lowest and highest numbers, the curve, and the
    labels below.
    """
    heights = [size(text) for text in curve.heights]
    track = line(curve)
    low, high = height_range(curve)
    bottom, upper = (signs.notation.number(text) for text in ends(curve.heights))
    side = max(cell_len(bottom), cell_len(upper), cell_len(curve.upward))
    wide = max(NARROWEST, min(WIDEST, room - side - 3 - min(LONGEST, cell_len(curve.across[-1])) // 2))
    marks = PLAIN if signs.plain else PRETTY

    def dot(x: float, y: float) -> tuple[int, int]:
        return round(x * (2 * wide - 1)), round((high - y) / ((high - low) or 1.0) * (4 * HIGH - 1))

    points = list(map(dot, positions(curve.across), heights))
    at = [x for x, _ in points]
    drawn = _points(points, marks, _trace([dot(x, y) for x, y in track], wide, signs.plain))
    lines, top = [], dot(0, max(0.0, *heights))[1] // 4  # the row of the largest number; the line may be higher
    for k, row in enumerate(drawn):
        label = upper if k == top else curve.upward if k == max(HIGH // 2, top + 1) else ""
        frame = marks.top if k == top else marks.side
        lines.append(((f"{label:>{side}} ", STYLES["label"]), (frame, STYLES["bracket"]), *row))
    labels, ticks = _below(curve.across, [x // 2 for x in at], wide, marks)
    lines.append(((f"{bottom:>{side}} ", STYLES["label"]), (marks.corner + ticks, STYLES["bracket"])))
    lines.append(run(" " * (side + 2) + labels, STYLES["label"]))
    if curve.along:
        lines.append(run((" " * (side + 2) + centred(curve.along, wide)).rstrip(), STYLES["label"]))
    return lines


def _trace(line: Sequence[tuple[int, int]], wide: int, plain: bool) -> list[list[str]]:
    """Return the cells of the terminal, with straight lines between neighbouring points."""
    bits = [[0] * wide for _ in range(HIGH)]
    for (x0, y0), (x1, y1) in pairwise(line):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for n in range(steps + 1):
            x, y = (round(a + (b - a) * n / steps) for a, b in ((x0, x1), (y0, y1)))
            bits[y // 4][x // 2] |= DOTS[y % 4][x % 2]
    return [[" " if not cell else "." if plain else chr(BRAILLE + cell) for cell in row] for row in bits]


def _points(places: Sequence[tuple[int, int]], marks: Marks, cells: list[list[str]]) -> list[Styled]:
    points = {(y // 4, x // 2) for x, y in places}
    rows = []
    for i, row in enumerate(cells):
        signs = [
            (marks.point, STYLES["name"]) if (i, j) in points else (cell, STYLES["sign"]) for j, cell in enumerate(row)
        ]
        rows.append(strip(tuple(signs)))
    return rows


def _below(labels: Sequence[str], at: Sequence[int], wide: int, marks: Marks) -> tuple[str, str]:
    """Return the labels that fit below the axis, and the axis with ticks. The first and the last label have
    priority.
    """
    text, floor = [" "] * (wide + max(map(cell_len, labels))), [marks.floor] * wide
    order = [0, len(labels) - 1, *range(1, len(labels) - 1)]
    for k in dict.fromkeys(order):
        wanted = len(labels[k])
        start = max(0, at[k] - wanted // 2)
        around = text[max(0, start - 1) : start + wanted + 1]
        if wanted == cell_len(labels[k]) <= LONGEST and all(sign == " " for sign in around):
            text[start : start + wanted] = labels[k]
            floor[min(at[k], wide - 1)] = marks.tick
    return "".join(text).rstrip(), "".join(floor)


ACROSS, DOWN = 460, 200
LETTER, LINE = 7.8, 20  # the width of a letter, and the height of a line


class Chart(TypedDict):
    """The positions of a curve in a picture: points, labels that fit, ends of the axes."""

    left: float
    first: float
    across: float
    down: float
    ends: tuple[str, str]
    upper: float
    line: str
    dots: list[tuple[str, float, float]]
    columns: list[tuple[str, float]]
    width: float
    height: float
    along: str
    upward: str
    halfway: float


class Layout(TypedDict):
    """A curve as a separate picture."""

    curve: Chart
    width: float
    height: float


def layout(curve: Curve) -> Layout:
    """Return the layout of a curve as a separate picture."""
    chart = chart_layout(curve, 10, 4)
    chart["columns"] = [(clean(label), x) for label, x in chart["columns"]]
    chart["upward"] = clean(chart["upward"])
    chart["dots"] = [(clean(tooltip), x, y) for tooltip, x, y in chart["dots"]]
    return {"curve": chart, "width": chart["width"] + 4, "height": chart["height"] + 10}


def alt_text(curve: Curve) -> str:
    """Return the alternative text of the curve."""
    ends = f"from {curve.across[0]} to {curve.across[-1]}"
    return clean(f"the curve of {speech.formula(curve.name)} {ends}; its numbers are in the table and in the row above")


def chart_layout(curve: Curve, top: float, margin: float) -> Chart:
    """Return the layout of a curve with its upper edge at `top`."""
    texts, labels = curve.heights, curve.across
    sizes = list(map(size, texts))
    run = line(curve)
    low, high = height_range(curve)
    lower_end, upper_end = map(number, ends(texts))
    left = margin + LETTER * max(map(len, (lower_end, upper_end, curve.upward))) + 8

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * ACROSS, top + (high - y) / ((high - low) or 1.0) * DOWN

    upper = at(0, max(0.0, *sizes))[1]
    places = [at(x, y) for x, y in zip(positions(labels), sizes, strict=True)]
    return {
        "left": left, "first": top, "across": ACROSS, "down": DOWN, "ends": (lower_end, upper_end), "upper": upper,
        "line": " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in run),
        "dots": [(f"{label}: {number(text)}", x, y) for label, text, (x, y) in zip(labels, texts, places, strict=True)],
        "columns": _with_room(labels, [x for x, _ in places]),
        "width": left + ACROSS + LETTER * len(labels[-1]) / 2, "height": DOWN + 30 + 20 * bool(curve.along),
        "along": curve.along, "upward": curve.upward, "halfway": _apart(upper, top + DOWN / 2),
    }  # fmt: skip


def _apart(upper: float, middle: float) -> float:
    """Return a vertical position for the label of the axis, so that it does not overlap the number of the highest
    point.
    """
    return middle if abs(middle - upper) > LINE else upper + LINE


def _with_room(labels: Sequence[str], places: Sequence[float]) -> list[tuple[str, float]]:
    """Return the labels that do not overlap another label. The last label is always included."""
    kept: list[tuple[str, float]] = []
    for label, x in [(labels[-1], places[-1]), *zip(labels[:-1], places[:-1], strict=True)]:
        width = LETTER * len(label) / 2 + 5
        if all(abs(x - other) > width + LETTER * len(word) / 2 for word, other in kept):
            kept.append((label, x))
    return kept
