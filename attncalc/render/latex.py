"""A Document as LaTeX: formulas and matrices are made here, the page around them in templates/latex/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..explain.document import Block, Cell, Document, Grid, Picture, Sign
from ..formula.syntax_tree import Tree
from . import template_renderer
from .math.inline import TexTerms
from .math.tex import SIGNS, TEX, escape, sentence
from .matrix_truncation import cell_kind
from .pictures.flow_text import PRINTED

_MARKED = {"rounded": r"\approx {}", "undecided": r"\underline{{}}", "wrong": r"\wrong{{}}", "should": r"\should{{}}"}
ROOM = 80  # digits on a line
_FULL = (217, 95, 14)  # background of a weight of 1, on which black and grey print are legible


def write(document: Document, template: Path | None = None, fragment: bool = False) -> str:
    """Return the document by templates/latex/solution.tex, or as a fragment to paste by fragment.tex."""
    file = "fragment.tex" if fragment else "solution.tex"
    return template_renderer.render(
        "latex", file, template_renderer.page(LatexMedium(), document), template, **template_renderer.ROUND
    )


class LatexMedium(template_renderer.Medium):
    """The LaTeX medium."""

    dialect, terms, almost, line_break, arrow = TEX, TexTerms, r"\approx", r" \\ ", r"$\rightarrow$"
    in_sentence, strong_form, emphasis_form = "${}$", r"\textbf{{}}", r"\emph{{}}"
    pictures = (Picture,)
    colours = PRINTED

    def __init__(self, decimal_comma: bool = False, times: float = 1):
        super().__init__(decimal_comma)
        self.room = int(ROOM / times)

    def text(self, text: str) -> str:
        """Return a user's text with LaTeX's signs escaped."""
        return escape(text)

    def sentence(self, text: str) -> str:
        return sentence(text)

    def in_colour(self, text: str, colour: str) -> str:
        return rf"{{\color[HTML]{{{colour}}}{text}}}"

    def formula_list(self, trees: tuple[Tree, ...]) -> str:
        """Return one formula shrunk to its column, or several with breaks at the commas."""
        return rf"\fit{{\textstyle {self.formula(trees[0])}}}" if len(trees) == 1 else super().formula_list(trees)

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, Any]:
        """Return matrices in pieces between which a line may break."""
        pieces = []
        for sign, grid in template_renderer.signed_grids(items, self.room):
            lead = rf"\;{SIGNS.get(sign, sign)}\; " if sign else ""
            pieces.append(lead + self.grid(grid, named=len(items) > 1))
        return {"pieces": pieces}

    def block(self, block: Block) -> dict[str, Any]:
        """Return a block, for the template; pictures are drawn by LaTeX."""
        if isinstance(block, Picture):
            from .pictures.picture_environment import latex_picture

            return {"kind": "picture", "text": latex_picture(block)}
        return super().block(block)

    def grid(self, grid: Grid, named: bool) -> str:
        """Return a matrix in brackets over its name, with row and column labels; a single one needs no name."""
        size = rf"\text{{\scriptsize {escape(grid.full)}}}" if grid.full else ""
        name = self.in_role_colour(self.formula(grid.name), grid.name) + size if named or size else ""
        rows = [list(map(self.cell, row)) for row in grid.cells]
        if grid.columns:
            return _under(_bordered(grid, rows), name)
        body = r" \\ ".join(" & ".join(row) for row in rows)
        matrix = _under(
            rows[0][0] if grid.shape == (1, 1) and not grid.rows else rf"\begin{{bmatrix}} {body} \end{{bmatrix}}", name
        )
        if not grid.rows:
            return matrix
        labels = r" \\ ".join(map(_label, grid.rows))
        return rf"\begin{{array}}{{@{{}}l@{{}}}} {labels} \end{{array}}\,{matrix}"

    def cell(self, cell: Cell) -> str:
        """Return a cell with its shade and its mark."""
        match cell_kind(cell):
            case "gap":
                return escape(cell.text)
            case "hidden":
                return r"\hidden"
        text = _MARKED.get(cell.mark, "{}").replace("{}", self.value(cell))
        text = rf"\lit{cell.lit}{{{text}}}" if cell.lit else text
        if cell.shade is None:
            return text
        mixed = [round(255 + (c - 255) * cell.shade * 0.75) for c in _FULL]
        return rf"\weight{{{','.join(map(str, mixed))}}}{{{text}}}"


def _bordered(grid: Grid, rows: list[list[str]]) -> str:
    heads = [_label(c) for c in grid.columns or ()]
    labels = [_label(r) for r in grid.rows] if grid.rows else [""] * len(rows)
    lines = [" & ".join(["", *heads])] + [" & ".join([label, *row]) for label, row in zip(labels, rows, strict=True)]
    body = r" \cr ".join(lines)
    return rf"\bordered{{ {body} \cr }}"


def _under(matrix: str, name: str) -> str:
    return rf"\underset{{\textstyle {name}}}{{{matrix}}}" if name else matrix


def _label(text: str) -> str:
    return rf"\text{{\scriptsize {escape(text)}}}"
