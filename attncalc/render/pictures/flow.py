"""A flow diagram in one line of text, and the roles of matrices in attention."""

from __future__ import annotations

from itertools import pairwise
from typing import TypedDict

from ...explain.document import Flow
from ..math.mathml import clean
from ..math.single_line import formula

ROLES = {"Q": "query", "K": "key", "V": "value"}
PRINTED = {"query": "0072B2", "key": "B84C00", "value": "007A5A"}  # colours on white paper, as in flow.svg


def role(name: str) -> str:
    """Return the role of a matrix in attention by its name: Q, Q_1, head.Q and dQ are queries."""
    word = name.rpartition(".")[2].removeprefix("d").partition("_")
    return ROLES.get(word[0], "") if not word[2] or word[2].isdecimal() else ""


def flow_columns(flow: Flow, by: str = "×") -> list[list[tuple[str, str]]]:
    """Return the columns of a flow diagram as (name, size). The size is empty if the next box has an equal size."""
    columns: list[list[tuple[str, str]]] = []
    for level in flow.levels:
        sizes = [f"{flow.boxes[k].shape[0]}{by}{flow.boxes[k].shape[1]}" for k in level]
        after = [*sizes[1:], ""]
        differing = (size if size != next_size else "" for size, next_size in zip(sizes, after, strict=True))
        columns.append([(flow.boxes[k].name.name, size) for k, size in zip(level, differing, strict=True)])
    return columns


Node = tuple[int, int]  # the index of a box, and the column of the box or of its passing arrow
HIGH, LOW, GAP = 42, 14, 12  # heights of a box and of a passing arrow, and the gap between them
BETWEEN, LETTER, MARGIN = 34, 8.4, 4


def alt_text(flow: Flow) -> str:
    return clean(
        "; ".join(", ".join(f"{name} {size}".strip() for name, size in column) for column in flow_columns(flow))
    )


class Label(TypedDict):
    """The texts of a box, and the width that they need."""

    name: str
    base: str
    low: str
    size: str
    lesson: bool
    role: str
    given: bool
    width: float


class Box(Label):
    """A box and its position."""

    x: float
    y: float
    wide: float


class Arrow(TypedDict):
    """A path, and the position of its head."""

    path: str
    x: float
    y: float


class Layout(TypedDict):
    """The positions of boxes and arrows, in pixels."""

    width: float
    height: float
    high: float
    boxes: list[Box]
    arrows: list[Arrow]


def layout(flow: Flow) -> Layout:
    """Return the positions of boxes and arrows, in pixels."""
    columns = _order_columns(flow)
    labels = [_label(flow, k) for k in range(len(flow.boxes))]
    places: dict[Node, tuple[float, float, float]] = {}
    x = float(MARGIN)
    heights = [sum(_height(flow, node) + GAP for node in column) for column in columns]
    for column, height in zip(columns, heights, strict=True):
        wide = max(labels[k]["width"] for k, at in column)
        y = MARGIN + (max(heights) - height) / 2
        for node in column:
            y += _height(flow, node) + GAP
            places[node] = (x, wide, y - GAP / 2 - _height(flow, node) / 2)
        x += wide + BETWEEN
    homes = {k: (k, level) for level, column in enumerate(flow.levels) for k in column}
    boxes: list[Box] = [
        {**labels[k], "x": places[homes[k]][0], "y": places[homes[k]][2] - HIGH / 2, "wide": places[homes[k]][1]}
        for k in homes
    ]
    arrows = [
        _arrow([places[node] for node in _route(homes, k, user)])
        for user, box in enumerate(flow.boxes)
        for k in box.uses
    ]
    wide, high = x - BETWEEN + MARGIN, max(heights) + 2 * MARGIN
    return {"width": wide, "height": high, "high": HIGH, "boxes": boxes, "arrows": arrows}


def _label(flow: Flow, k: int) -> Label:
    box = flow.boxes[k]
    base, _, low = formula(box.name).partition("_") if not box.lesson else (box.name.name, "", "")
    width = LETTER * (1.18 if box.lesson else 1) * (len(base) + 0.72 * len(low)) + 20
    size = f"{box.shape[0]} × {box.shape[1]}"
    return {"name": box.name.name, "base": clean(base), "low": clean(low.replace("_", ",")), "size": size,
            "lesson": box.lesson,
            "role": role(box.name.name), "given": not box.uses, "width": max(width, 58)}  # fmt: skip


def _height(flow: Flow, node: Node) -> int:
    return HIGH if node[0] in flow.levels[node[1]] else LOW


def _route(homes: dict[int, Node], k: int, user: int) -> list[Node]:
    """Return the positions on the path of an arrow from one box to another."""
    return [*((k, level) for level in range(homes[k][1], homes[user][1])), homes[user]]


def _order_columns(flow: Flow) -> list[list[Node]]:
    """Return the columns with the arrows that pass through them. Each arrow is near its source."""
    levels = flow.levels
    homes = {k: level for level, column in enumerate(levels) for k in column}
    last = {
        k: max((homes[user] for user, box in enumerate(flow.boxes) if k in box.uses), default=homes[k]) for k in homes
    }
    columns: list[list[Node]] = []
    for level, column in enumerate(levels):
        nodes = [(k, level) for k in column] + [(k, level) for k in homes if homes[k] < level < last[k]]
        before = {k: i - (len(columns[-1]) - 1) / 2 for i, (k, _) in enumerate(columns[-1])} if columns else {}

        def near(node: Node, before: dict[int, float] = before, column: list[int] = column) -> tuple[float, int]:
            near_to = [
                before[k] for k in (flow.boxes[node[0]].uses if node[0] in column else (node[0],)) if k in before
            ]
            return (sum(near_to) / len(near_to) if near_to else len(before), node[0])

        columns.append(sorted(nodes, key=near))
    return columns


def _arrow(places: list[tuple[float, float, float]]) -> Arrow:
    """Return the path of an arrow, from the right side of the first position to the left side of the last, and its
    head.
    """
    x, wide, y = places[0]
    path = f"M{x + wide:.0f},{y:.0f}"
    for (x, wide, y), (right, across, down) in pairwise(places):
        middle = (x + wide + right) / 2
        end = right - 5 if (right, across, down) == places[-1] else right
        path += f" C{middle:.0f},{y:.0f} {middle:.0f},{down:.0f} {end:.0f},{down:.0f}"
        path += "" if (right, across, down) == places[-1] else f" H{right + across:.0f}"
    return {"path": path, "x": places[-1][0], "y": places[-1][2]}
