"""Worked solutions in the plain HTML that course systems keep: formulas as one line of text, matrices as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..explain.document import Document, Grid, Sign
from ..formula.syntax_tree import Tree
from ..render import template_renderer
from ..render.math.single_line import UNICODE
from ..render.matrix_truncation import cell_kind
from .question_html import formula, table, words

if TYPE_CHECKING:
    from ..explain.inline_math import Terms

HEADING = "Worked solution"
_BEFORE = {"check": "✓ ", "hidden": "· "}


def solution(document: Document) -> str:
    """Return the blocks of a solution in sequence."""
    return "\n".join([f"<h5>{HEADING}</h5>", *filter(None, map(_block, _Plain().blocks(document.blocks)))])


class _Plain(template_renderer.Medium):
    """Plain text, with formulas as in the terminal."""

    dialect, almost, line_break = UNICODE, "≈", " "

    def text(self, text: str) -> str:
        return words(text)

    def inline(self, tree: Tree) -> str:
        return self.formula(tree)

    def formula(self, tree: Tree) -> str:
        return words(super().formula(tree))

    def head(self, name: Tree, place: str) -> str:
        return words(super().head(name, place))

    def maths(self, terms: Terms) -> str:
        return formula(terms)

    def strong(self, text: str) -> str:
        return f"<b>{text}</b>"

    def emphasis(self, text: str) -> str:
        return f"<i>{text}</i>"

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, Any]:
        """Return a row of matrices with the signs between them."""
        cells = [
            cell
            for sign, grid in template_renderer.signed_grids(items)
            for cell in (words(sign), self.grid(grid))
            if cell
        ]
        return {"text": cells}

    def grid(self, grid: Grid) -> str:
        """Return a matrix, with a point for each masked entry."""
        rows = [["·" if cell_kind(cell) == "hidden" else words(self.value(cell)) for cell in row] for row in grid.cells]
        return table(self.formula(grid.name), rows, grid.rows, grid.columns)


def _block(block: dict[str, Any]) -> str:
    match block["kind"]:
        case "section":
            return f"<h6>{block['text']}{': ' if block['doc'] else ''}{block['doc']}</h6>"
        case "formula":
            return f"<p><code>{block['text']}</code>{'<br/>' if block['doc'] else ''}{block['doc']}</p>"
        case "worked":
            return f"<p><code>{block['text']}</code></p>"
        case "matrices":
            return (
                f'<table role="presentation"><tr>{"".join(f"<td>{cell}</td>" for cell in block["text"])}</tr></table>'
            )
        case "table":
            return "\n".join(_table(block))
        case "end" | "flow" | "choices" | "title" | "part":
            return ""
        case kind:
            return f"<p>{_BEFORE.get(kind, '')}{block['text']}</p>"


def _table(block: dict[str, Any]) -> Iterator[str]:
    yield '<table border="1" cellpadding="4">'
    yield f"<tr>{''.join(f'<th>{head}</th>' for head in block['heads'])}</tr>"
    yield from (f"<tr>{''.join(f'<td>{entry}</td>' for entry in row)}</tr>" for row in block["rows"])
    yield "</table>"
