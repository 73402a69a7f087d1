"""A Document as Typst source. This module makes formulas and matrices, and templates/typst/ makes the page
around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..explain.document import Block, Cell, Choice, Document, Flow, Grid, Picture, Sign
from ..explain.inline_math import Terms
from ..formula.syntax_tree import Number, Tree
from . import template_renderer
from .math import single_line, speech
from .math.inline import LineTerms, TypstTerms
from .math.typst_formula import TYPST, quoted, sentence
from .matrix_truncation import cell_kind
from .pictures.dispatch import alt_text, svg
from .pictures.flow import PRINTED

TemplateData = dict[str, object]

ROOM = 86  # digits on a line
_SIGNS = {"·": "dot", "∘": "compose", "−": "-", "/": "slash.o", "|": "|", ";": "\\;", "given": '"given"', " ": "quad"}

# Kinds of blocks that may be next to a matrix, and their layout in the template
_COMPANIONS = {"worked": "line", "picture": "picture", **dict.fromkeys(("hidden", "check", "note", "fine"), "text")}


def write(document: Document, template: Path | None = None, first_page: int = 1) -> str:
    """Return the Typst source of a document. Its page numbers begin at `first_page`."""
    page = template_renderer.page(TypstMedium(), document) | {"first_page": first_page}
    return template_renderer.render("typst", "solution.typ", page, template, **template_renderer.SHARP)


class TypstMedium(template_renderer.Medium):
    """The Typst medium."""

    dialect, almost, line_break = TYPST, "approx", " \\ "
    strong_form, emphasis_form = "strong({})", "emph({})"
    pictures = (Picture,)
    colours = PRINTED

    def __init__(self, decimal_comma: bool = False, times: float = 1):
        super().__init__(decimal_comma)
        self.room = int(ROOM / times)
        self.plain = single_line.UNICODE.with_comma() if decimal_comma else single_line.UNICODE

    def text(self, text: str) -> str:
        return quoted(text)

    def sentence(self, text: str) -> str:
        return sentence(text)

    def inline(self, tree: Tree) -> str:
        return _maths(speech.formula(tree), self.formula(tree))

    def in_colour(self, text: str, colour: str) -> str:
        return f'text(fill: #rgb("{colour}"), {text})'

    def join(self, pieces: list[str]) -> str:
        return " + ".join(pieces) or '""'

    def maths(self, terms: Terms) -> str:
        return _maths(LineTerms(self.plain).set(terms), TypstTerms(self.formulas).set(terms))

    def formula_list(self, trees: tuple[Tree, ...]) -> str:
        return ' + ", " + '.join(map(self.inline, trees))

    def choice(self, choice: Choice) -> object:
        """Return a convention: the option, its value, and its meaning."""
        if not choice.option:
            return super().choice(choice)
        value = self.text(choice.value) if isinstance(choice.value, str) else self.inline(choice.value)
        return f"{self.text(choice.option + ' ')} + {value}" + (
            f" + {self.sentence(f' ({choice.words})')}" if choice.words else ""
        )

    def written_equation(
        self, name: Tree, sides: template_renderer.Sides, place: str = ""
    ) -> template_renderer.Equation:
        """Return a name and its sides, with their alternative text."""
        alt_text = quoted(speech.equation(speech.entry(name, place), sides))
        return {"said": alt_text, **super().written_equation(name, sides, place)}

    def matrices(self, items: tuple[Grid | Sign, ...]) -> TemplateData:
        """Return matrices in pieces between which a line may break."""
        grids = template_renderer.signed_grids(items, self.room)
        return {"pieces": [self.piece(sign, grid, len(items) > 1) for sign, grid in grids]}

    def piece(self, sign: str, grid: Grid, named: bool) -> TemplateData:
        """Return the arguments of the template's function `matrix`, with the sign before the matrix."""
        size = grid.full
        shown = self.in_role_colour(self.formula(grid.name), grid.name)
        name = _maths(speech.formula(grid.name), shown + (f" {quoted(size)}" if size else ""))
        return {
            "sign": _maths(speech.SIGNS.get(sign, sign), _SIGNS.get(sign, sign)) if sign else "",
            "said": quoted(speech.matrix(grid)),
            "name": name if named or size else "",
            "seen": grid.seen,
            "bare": grid.shape == (1, 1) and not grid.rows and not grid.columns,
            "tall": any(cell.tree is not None for row in grid.cells for cell in row),
            "rows": _labels(grid.rows),
            "columns": _labels(grid.columns),
            "cells": [array_literal(map(self.cell, row)) for row in grid.cells],
        }

    def blocks(self, blocks: Iterable[Block], level: int = 2) -> Iterator[TemplateData]:
        """Yield the blocks for the template. A matrix and its companion are between blocks of the kinds `beside` and
        `besides`.
        """
        return pair_blocks(super().blocks(blocks, level))

    def block(self, block: Block) -> TemplateData:
        return {"kind": "picture", "text": _picture(block)} if isinstance(block, Picture) else super().block(block)

    def flow(self, flow: Flow) -> str:
        return _picture(flow)

    def cell(self, cell: Cell) -> str:
        """Return a cell with its shade and its mark."""
        match cell_kind(cell):
            case "gap":
                return f"gap({quoted(cell.text)})"
            case "hidden":
                return "hidden"
        shown = self.number(cell)
        if cell.mark == "rounded":
            shown = f'"≈ " + {shown}'
        elif cell.mark == "undecided":
            shown = f"underline({shown})"
        elif cell.mark in ("wrong", "should"):
            shown = f"{cell.mark}({shown})"
        shown = f"{cell.lit}({shown})" if cell.lit else shown
        return shown if cell.shade is None else f"weight({cell.shade:.3f}, {shown})"

    def number(self, cell: Cell) -> str:
        """Return a plain decimal as text, and powers, roots and fractions as a formula."""
        if cell.tree is None and "e" not in cell.text:
            return quoted(self.plain.number(cell.text))
        return _maths(speech.formula(cell.tree or Number(cell.text)), self.value(cell))


def pair_blocks(blocks: Iterable[TemplateData]) -> Iterator[TemplateData]:
    """Yield the blocks. If there is room, a matrix has a companion: its picture, or the line or sentence after it."""
    rest = list(blocks)
    while rest:
        block = rest.pop(0)
        companion = _companion_index(rest) if block["kind"] == "matrices" else None
        if companion is None:
            yield block
        else:
            other = rest.pop(companion)
            first: TemplateData = {"kind": "beside", "with": _COMPANIONS[str(other["kind"])]}
            between: TemplateData = {"kind": "between"}
            after: TemplateData = {"kind": "besides"}
            yield from (first, block, between, other, after)


def _companion_index(blocks: list[TemplateData]) -> int | None:
    """Return the index of the block that may be next to a matrix, among the blocks after it; None if there is none."""
    for k, block in enumerate(blocks):
        if block["kind"] == "picture":
            return k
        if block["kind"] not in _COMPANIONS:
            break
    kinds = [block["kind"] for block in blocks[:2]]
    # Several worked entries stay together
    return 0 if kinds and kinds[0] in _COMPANIONS and kinds != ["worked", "worked"] else None


def _picture(block: Picture | Flow) -> str:
    return f"bytes({quoted(svg(block))}), {quoted(alt_text(block))}"


def _maths(alt_text: str, text: str) -> str:
    return f"maths({quoted(alt_text)}, ${text}$)"


def _labels(labels: tuple[str, ...] | None) -> str:
    return array_literal(map(quoted, labels)) if labels else ""


def array_literal(items: Iterable[str]) -> str:
    """Return `("a", "b")`. An array with one item ends with a comma: `("a",)`."""
    words = list(items)
    return f"({', '.join(words)}{',' * (len(words) == 1)})"
