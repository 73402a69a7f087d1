"""Questions and solutions as simple HTML that every course system accepts: headings, paragraphs and tables. Formulas in
solutions are one line of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape as _escape
from typing import TYPE_CHECKING, Any

from ..explain.document import Document, Grid, Sign
from ..explain.rich_text import Emphasis, Inline, Maths, Plain, Strong, prose
from ..formula.syntax_tree import Tree
from ..formula.typed_formula import Labels
from ..render import template_renderer
from ..render.math.single_line import UNICODE
from ..render.matrix_truncation import cell_kind
from .quiz import AskedStep, Blank, Definition, Matrix, Option, PriorPart, Question

if TYPE_CHECKING:
    from ..explain.inline_math import Terms

Field = Callable[[AskedStep, Blank], str]
# Signs with which a Moodle answer field ({1:NUMERICAL:...}), a Canvas placeholder ([name]), an emoticon of
# Moodle ((y), 8-)) or a formula ($$, \\().
_SIGNS = {c: f"&#{ord(c)};" for c in "{}[]()~`@:;^|-\\$"}


def escape(text: str) -> str:
    """Escape text for elements and attributes, so that it contains no HTML, answer field, formula or emoticon. A minus
    sign at the start stays.
    """
    clean = "".join(c if c.isprintable() or c in "\n\t " else "\N{REPLACEMENT CHARACTER}" for c in text)
    return "".join(_sign(c, k) for k, c in enumerate(clean))


def _sign(character: str, at: int) -> str:
    return character if character == "-" and not at else _SIGNS.get(character) or _escape(character)


def words(text: str) -> str:
    """Escape text between tags. In Canvas, MathJax reads decoded text nodes, so \\ and $ get separate elements."""
    return re.sub("(&#92;|&#36;)", r"<span>\1</span>", escape(text))


def author_html(text: str) -> str:
    """Return an author's text as HTML: strong and emphasised words, formulas, and escaped text."""
    return "".join(map(_piece, prose(text)))


def _piece(piece: Inline) -> str:
    match piece:
        case Plain(text):
            return words(text)
        case Strong(inside):
            return f"<b>{''.join(map(_piece, inside))}</b>"
        case Emphasis(inside):
            return f"<i>{''.join(map(_piece, inside))}</i>"
        case Maths(terms):
            return formula(terms)


def formula(terms: Terms) -> str:
    """Return an author's formula as one line of code."""
    from ..render.math.inline import LineTerms  # slow to import, and rarely needed

    return f"<code>{words(LineTerms(UNICODE).set(terms))}</code>"


def name(text: str) -> str:
    """Return a name such as S_scaled with its index as a subscript."""
    base, _, index = text.partition("_")
    return f"<i>{words(base)}</i><sub>{words(index)}</sub>" if index else f"<i>{words(base)}</i>"


def statement(question: Question) -> str:
    """Return the task and the givens, without answer fields. The earlier parts that the question uses come first."""
    prior_parts = (
        line for prior in question.prior_parts for line in (f"<p>{words(prior.lead)}</p>", *_task(prior), "<hr/>")
    )
    return "\n".join([*prior_parts, *_task(question)])


def _task(about: Question | PriorPart) -> list[str]:
    ask = [f"<p>{author_html(text)}</p>" for text in about.ask]
    facts = ["<ul>", *(f"<li>{words(fact)}</li>" for fact in about.facts), "</ul>"] if about.facts else []
    return [*ask, *facts, *map(matrix, about.givens), *map(_definition, about.formulas)]


def _definition(line: Definition) -> str:
    """Return the description of an author's step, its formula, or both."""
    about = f"{name(line.name)}: {words(line.means)}" * bool(line.means)
    equation = f"<code>{words(line.equation)}</code>" * bool(line.formula)
    return "".join(f"<p>{text}</p>" for text in (about, equation) if text)


def blanks(asked: AskedStep, field: Field) -> str:
    """Return a table with an answer field in each asked entry."""
    n, m = asked.shape
    cells = [[field(asked, blank) if (blank := asked.at(i, j)) else "" for j in range(m)] for i in range(n)]
    definition = f"{_definition(asked.definition)}\n" if asked.definition else ""
    return definition + table(name(asked.name), cells, asked.rows, asked.columns)


def matrix(matrix: Matrix) -> str:
    """Return a matrix with its name. A 1 × 1 matrix is one line."""
    if len(matrix.cells) == len(matrix.cells[0]) == 1:
        return f"<p>{name(matrix.name)} = {words(matrix.cells[0][0])}</p>"
    cells = [[words(text) for text in row] for row in matrix.cells]
    return table(name(matrix.name), cells, matrix.rows, matrix.columns)


def option(choice: Option) -> str:
    return f"<p>{author_html(choice.text)}</p>" * bool(choice.text) + (matrix(choice.matrix) if choice.matrix else "")


def table(caption: str, cells: list[list[str]], rows: Labels, columns: Labels) -> str:
    """Return a table. Its labels are headers, so that screen readers read them with each cell. The class puts the
    caption above the table in systems with Bootstrap, such as PrairieLearn and Moodle.
    """
    head = "".join(f'<th scope="col">{words(label)}</th>' for label in columns or ())
    lines = [f"<tr>{'<td></td>' if rows else ''}{head}</tr>"] if head else []
    for k, row in enumerate(cells):
        label = f'<th scope="row">{words(rows[k])}</th>' if rows else ""
        lines.append(f"<tr>{label}{''.join(f'<td>{cell}</td>' for cell in row)}</tr>")
    head_line = f'<table class="caption-top" border="1" cellpadding="4"><caption>{caption}</caption>'
    return "\n".join([head_line, *lines, "</table>"])


HEADING = "Worked solution"
_BEFORE = {"check": "✓ ", "hidden": "· "}


def solution(document: Document) -> str:
    """Return the blocks of a solution in order."""
    return "\n".join([f"<h5>{HEADING}</h5>", *filter(None, map(_block, _Plain().blocks(document.blocks)))])


class _Plain(template_renderer.Medium):
    """Plain text. Formulas look as in the terminal."""

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
        """Return the matrices and the signs between them."""
        pairs = ((words(sign), self.grid(grid)) for sign, grid in template_renderer.signed_grids(items))
        return {"text": [cell for pair in pairs for cell in pair if cell]}

    def grid(self, grid: Grid) -> str:
        """Return a matrix. Masked entries are points."""
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
            cells = "".join(f"<td>{cell}</td>" for cell in block["text"])
            return f'<table role="presentation"><tr>{cells}</tr></table>'
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
