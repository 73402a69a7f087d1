"""Matrices, attention maps and position tables as pictures. This module computes positions, and
templates/svg/ draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from ..errors import AttncalcError
from ..explain.document import Block, Cell, Curve, Document, Formula, Grid, Heading, Matrices, Section
from ..formula.index_base import counted_places
from ..formula.typed_formula import shortened
from .math.mathml import clean
from .math.single_line import formula, number
from .pictures.curve import chart_layout
from .pictures.geometry import size
from .template_renderer import render
from .template_renderer import title as title_of

TemplateData = dict[str, Any]
# Pixels: width and height of a cell with a number, and the least side of a cell without a number
CELL, LOW, SMALLEST = 64, 34, 9
MOST_READ = 16  # columns; in a wider matrix, the numbers are tooltips
MOST_DRAWN = 512
LETTER, BOLD = 7.8, 9.4  # the width of a letter of a label, and of a title
MARGIN, HEAD, GAP = 20, 34, 36
SCALE, STEPS = 96, 24  # the width of the scale of colours, and the number of its steps


@dataclass(frozen=True)
class Map:
    """A matrix to draw: its formula, its purpose, and its cells."""

    part: str
    title: str
    doc: str
    grid: Grid
    curve: Curve | None = None

    @cached_property
    def weights(self) -> bool:
        return any(cell.shade is not None for row in self.grid.cells for cell in row)


def write(document: Document, template: Path | None = None) -> str:
    """Return the weights of a document as pictures, one below the other. Without weights, return the matrix of every
    step.
    """
    maps = _with_curves(_maps(document.blocks))
    chosen = [picture for picture in maps if picture.weights] or maps
    if not chosen:
        raise AttncalcError(
            "a picture needs a step with a matrix, and the chosen steps have none; choose other steps with --step"
        )
    title = clean(title_of(document))
    panels, y = [], float(MARGIN)
    for picture in chosen:
        panels.append(_curve(picture, y, picture.curve) if picture.curve else _panel(picture, y))
        y += panels[-1]["height"] + GAP
    width = max(panel["width"] for panel in panels) + 2 * MARGIN
    context = {"title": title, "panels": panels, "width": width, "height": y - GAP + MARGIN}
    return render("svg", "maps.svg", context, template, autoescape=True)


def _with_curves(blocks: Iterable[Map | Curve]) -> list[Map]:
    """Return the pictures. A matrix that is followed by a curve is drawn as this curve."""
    maps: list[Map] = []
    for block in blocks:
        if isinstance(block, Map):
            maps.append(block)
        elif maps:
            maps[-1] = replace(maps[-1], curve=block)
    return maps


def _maps(blocks: Iterable[Block], part: str = "", title: str = "", doc: str = "") -> Iterator[Map | Curve]:
    """Yield the result of each step and of each folded lesson. The result is the last matrix after the formula."""
    for block in blocks:
        match block:
            case Heading(text, level):
                part = clean(text) if level > 1 else ""
                title = doc = ""  # givens of a part are not the result of a step
            case Section(name, description, inside, folded):
                yield from _maps(inside, part, *((clean(name), clean(description)) if folded else ()))
            case Formula(name, stages, description):
                title = clean(" = ".join(map(formula, [name, *(stage.tree for stage in stages[:1])])))
                doc = clean(description)
            case Matrices((*_, Grid() as grid)) if title and max(grid.shape) > 1:
                yield Map(part, title, doc, grid)
            case Curve():
                yield block


# -- one picture -------------------------------------------------------------------------------------------------------


def _curve(picture: Map, top: float, drawn_as: Curve) -> TemplateData:
    head = HEAD + 18 * bool(picture.doc)
    panel = chart_layout(drawn_as, top + head, MARGIN)
    text_width = max(
        BOLD * cell_len(picture.title) + LETTER * cell_len(picture.part + "  "), LETTER * cell_len(picture.doc)
    )
    height, width = head + panel["height"], max(panel["width"] - MARGIN, text_width)
    texts = {"part": picture.part, "title": picture.title, "doc": picture.doc}
    return panel | texts | {"top": top, "height": height, "width": width}


def _panel(picture: Map, top: float) -> TemplateData:
    """Return the layout of a matrix. Column labels that are wider than their column are rotated."""
    grid = picture.grid
    n, m = grid.shape
    if max(n, m) > MOST_DRAWN:
        expected = f"expected a matrix of at most {MOST_DRAWN} rows and columns for a picture"
        raise AttncalcError(f"{picture.title}: {expected}, found {n} × {m}")
    read = m <= MOST_READ
    digits = max(len(cell.text) for row in grid.cells for cell in row)
    small = max(SMALLEST, CELL * MOST_READ / m)
    wide, high = (max(CELL, 14 + LETTER * digits), LOW) if read else (small, small)
    rows, columns = (
        counted_places(k) if labels is None else labels for labels, k in ((grid.rows, n), (grid.columns, m))
    )
    longest = max(map(_length, columns))
    turned = longest > wide - 6
    left = MARGIN + max(map(_length, rows)) + 8
    first = top + HEAD + 18 * bool(picture.doc) + (longest * 0.72 + 14 if turned else 22)
    largest = 1.0 if picture.weights else max(abs(size(cell.text)) for row in grid.cells for cell in row) or 1.0
    ends = ("0", "1") if picture.weights else (number(f"-{largest:g}"), number(f"{largest:g}"))
    scale = left + _length(ends[0]) + 8
    title_width = BOLD * cell_len(picture.title) + LETTER * cell_len(picture.part + "  ")
    slanted = max((j + 0.5) * wide + _length(label) * 0.72 for j, label in enumerate(columns)) if turned else 0
    right = max(
        MARGIN + title_width,
        MARGIN + LETTER * cell_len(picture.doc),
        left + m * wide,
        left + slanted,
        scale + SCALE + 6 + _length(ends[1]),
    )
    return {
        "part": picture.part, "title": picture.title, "doc": picture.doc, "top": top, "left": left, "first": first,
        "wide": wide, "high": high, "read": read,
        "cells": [
            _cell(cell, picture.weights, largest) | {"x": left + j * wide, "y": first + i * high,
                "told": f"{clean(rows[i])}, {clean(columns[j])}"}
            for i, row in enumerate(grid.cells)
            for j, cell in enumerate(row)
        ],
        "rows": [(shown, first + (i + 0.5) * high) for i, shown in _some(rows, high)],
        "columns": [(shown, left + (j + 0.5) * wide) for j, shown in _some(columns, wide)],
        "turned": turned, "across": m * wide, "down": n * high, "ends": ends, "scale": scale,
        "colours": [_colour(k / (STEPS - 1) if picture.weights else k / (STEPS - 1) * 2 - 1) for k in range(STEPS)],
        "width": right - MARGIN, "height": first - top + n * high + 30,
    }  # fmt: skip


def _some(labels: Sequence[str], room: float) -> list[tuple[int, str]]:
    step = max(1, round(13 / room))
    return [(i, shortened(clean(label))) for i, label in enumerate(labels) if i % step == 0]


def _length(label: str) -> float:
    return cell_len(shortened(clean(label))) * LETTER


def _cell(cell: Cell, weights: bool, largest: float) -> TemplateData:
    """Return the number of a cell, its colour (warm for numbers from 0, cold for negative numbers), and its opacity."""
    hidden = cell.mark == "masked"
    text = number(cell.text) if cell.tree is None else formula(cell.tree)
    share = cell.shade or 0.0 if weights else size(cell.text) / largest
    return {"text": "·" if hidden and weights else text, "hidden": hidden, **_colour(share)}


def _colour(size: float) -> TemplateData:
    return {"warm": size >= 0, "share": f"{abs(size) ** 0.7:.3f}"}
