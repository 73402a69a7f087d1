"""A Document as Markdown with GitHub's formulas. Matrices with column labels are tables, and others are in brackets."""

from __future__ import annotations

import re
from pathlib import Path

from ..explain.document import Beam, Block, Cell, Document, Grid, Sign
from ..explain.rich_text import Plain, prose
from ..formula.index_base import counted_places
from ..formula.syntax_tree import Tree
from . import template_renderer
from .math import single_line
from .math.github_markdown import (
    GITHUB,
    escape,
    formula,
    inline,
    number,
    sentence,
    sentence_part,
    sentence_start,
    words,
)
from .math.inline import GitHubTerms
from .math.sentence_markup import names
from .math.tex import SIGNS
from .matrix_truncation import cell_kind
from .pictures.beam_tree import lines_of
from .terminal.styled_text import PRETTY, plain

_MARKED = {"rounded": r"\approx {}", "undecided": r"\underline{{}}", "wrong": r"\boxed{{}}", "should": r"\mathbf{{}}"}
_MARKED_IN_A_TABLE = {"rounded": "≈ {}", "wrong": "✗ {}", "should": "**{}**"}
WIDE = 80  # characters of a line in a tree
LONGEST = 160  # characters of an equation on one line
_SIGNS = SIGNS | {"given": r"\text{given}\;"}


def write(document: Document, template: Path | None = None) -> str:
    """Return the document, made with templates/markdown/solution.md."""
    text = template_renderer.render("markdown", "solution.md", template_renderer.page(_Markdown(), document), template)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


class _Markdown(template_renderer.Medium):
    dialect, terms, almost, line_break = GITHUB, GitHubTerms, r"\approx", " \\\\\n"
    in_sentence = inline("{}")
    pictures = (Beam,)

    def text(self, text: str) -> str:
        return escape(text)

    def sentence(self, text: str) -> str:
        return sentence(text)

    def prose(self, text: str) -> str:
        """Return an author's text. Only its first words are escaped for the start of a line, where a hyphen begins a
        list.
        """
        first, *rest = prose(text)
        first_text = self.piece_of(first)
        if isinstance(first, Plain) and isinstance(start := next(names(first.text)), str):
            first_text = sentence_start(start) + self.piece_of(Plain(first.text[len(start) :]))
        return first_text + "".join(map(self.piece_of, rest))

    def words(self, text: str) -> str:
        return sentence_part(text)

    def equation(self, name: Tree, sides: template_renderer.Sides, place: str = "") -> dict[str, object]:
        """Return an equation on one line. If it is long, `lines` has a line for each side."""
        equation = self.written_equation(name, sides, place)
        return {"text": inline(equation["text"]), "lines": equation["lines"] if len(equation["text"]) > LONGEST else ""}

    def block(self, block: Block) -> dict[str, object]:
        """Return a block for the template. A tree of words looks as in the terminal."""
        if isinstance(block, Beam):
            return {"kind": "tree", "lines": [plain(line).replace("`", "'") for line in lines_of(block, WIDE, PRETTY)]}
        return super().block(block)

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, object]:
        """Return the matrices of a formula, and the tables after it: the result, or all matrices if no signs are
        between them.
        """
        has_no_signs = not any(isinstance(item, Sign) and item.text for item in items)
        pieces: list[str] = []
        tables: list[dict[str, object]] = []
        for sign, grid in template_renderer.signed_grids(items):
            lead = f"{_SIGNS.get(sign, sign)} " if sign else ""
            if grid.columns and (has_no_signs or grid is items[-1]):
                tables.append(_table(grid))
                pieces += [lead + formula(grid.name)] if pieces else []
            else:
                pieces.append(lead + _matrix(grid, len(items) > 1))
        return {"pieces": pieces, "tables": tables}


def _matrix(grid: Grid, named: bool) -> str:
    """Return a matrix in brackets with its row labels, and its name below it."""
    size = words(grid.full) if grid.full else ""
    rows = [[_cell(c) for c in row] for row in grid.cells]
    body = r" \\ ".join(" & ".join(row) for row in rows)
    bare = grid.shape == (1, 1) and not grid.rows
    matrix = rows[0][0] if bare else rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
    if named or size:
        matrix = rf"\underset{{{formula(grid.name)}{size}}}{{{matrix}}}"
    if not grid.rows:
        return matrix
    labels = r" \\ ".join(map(words, grid.rows))
    return rf"\begin{{matrix}} {labels} \end{{matrix}} {matrix}"


def _cell(cell: Cell) -> str:
    match cell_kind(cell):
        case "gap":
            return {"⋮": r"\vdots", "…": r"\dots"}.get(cell.text, words(cell.text))
        case "hidden":
            return r"\cdot"
    text = formula(cell.tree) if cell.tree is not None else number(cell.text)
    return _MARKED.get(cell.mark, "{}").replace("{}", text)


def _table(grid: Grid) -> dict[str, object]:
    """Return a matrix as a table: the column labels, and the rows with their labels."""
    name = inline(formula(grid.name)) + escape(grid.full)
    labels = grid.rows or counted_places(len(grid.cells))
    rows = [[escape(label), *map(_entry_of_a_table, row)] for label, row in zip(labels, grid.cells, strict=True)]
    return {"name": name, "columns": list(map(escape, grid.columns or ())), "rows": rows}


def _entry_of_a_table(cell: Cell) -> str:
    if cell_kind(cell) == "tree" or "e" in cell.text:
        return inline(_cell(cell).replace("|", r"\vert "))
    if cell_kind(cell) == "hidden":
        return "·"
    return _MARKED_IN_A_TABLE.get(cell.mark, "{}").replace("{}", single_line.number(cell.text))
