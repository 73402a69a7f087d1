"""The statement of a question as plain HTML that every course system keeps: headings, paragraphs and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape as _escape
from typing import TYPE_CHECKING

from ..explain.prose import Emphasis, Inline, Maths, Plain, Strong, prose
from ..formula.node import Labels
from .model import AskedStep, Blank, Matrix, Option, PriorPart, Question

if TYPE_CHECKING:
    from ..explain.maths import Terms

Field = Callable[[AskedStep, Blank], str]
# What begins or ends a blank of Moodle's ({1:NUMERICAL:...}), a place of Canvas's ([name]), an emoticon that Moodle
# makes of text ((y), 8-)) or a formula ($$, \\().
_SIGNS = {c: f"&#{ord(c)};" for c in "{}[]()~`@:;^|-\\$"}


def escape(text: str) -> str:
    """Text that is nothing else, in an attribute too: neither HTML, nor a blank, nor a formula, nor an emoticon. A
    minus at its start stays.
    """
    clean = "".join(c if c.isprintable() or c in "\n\t " else "\N{REPLACEMENT CHARACTER}" for c in text)
    return "".join(_sign(c, k) for k, c in enumerate(clean))


def _sign(character: str, at: int) -> str:
    return character if character == "-" and not at else _SIGNS.get(character) or _escape(character)


def words(text: str) -> str:
    """The same between tags, safe from MathJax in Canvas, which decodes entities: MathJax reads each piece of text
    between tags by itself.
    """
    return re.sub("(&#92;|&#36;)", r"<span>\1</span>", escape(text))


def authored(text: str) -> str:
    """What an author wrote for people: strong and emphasised words, formulas between dollars as a line of text, all
    else as words.
    """
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
    """A formula of an author."""
    from ..write.formulas.lines import UNICODE
    from ..write.formulas.maths import Line  # slow to import, and few problems have formulas in their words

    return f"<code>{words(Line(UNICODE).set(terms))}</code>"


def name(text: str) -> str:
    """S_scaled with its index set low."""
    base, _, index = text.partition("_")
    return f"<i>{words(base)}</i><sub>{words(index)}</sub>" if index else f"<i>{words(base)}</i>"


def statement(question: Question) -> str:
    """What is asked and given, without the blanks."""
    prior_parts = [_prior_part(prior) for prior in question.prior_parts]
    formulas = [f"<p><code>{words(formula)}</code></p>" for formula in question.formulas]
    return "\n".join([*prior_parts, *_task(question.ask, question.facts), *map(matrix, question.givens), *formulas])


def _prior_part(prior: PriorPart) -> str:
    """What another part does, so that its results can be worked out here too."""
    formulas = [f"<p><code>{words(formula)}</code></p>" for formula in prior.formulas]
    lead = f"<p>{words(prior.lead)}</p>"
    return "\n".join([lead, *_task(prior.ask, prior.facts), *map(matrix, prior.givens), *formulas, "<hr/>"])


def _task(ask: tuple[str, ...], facts: tuple[str, ...]) -> list[str]:
    lines = [f"<p>{authored(text)}</p>" for text in ask]
    return [*lines, "<ul>", *(f"<li>{words(fact)}</li>" for fact in facts), "</ul>"] if facts else lines


def blanks(asked: AskedStep, field: Field) -> str:
    """A table with a field in each cell that is asked."""
    n, m = asked.shape
    cells = [[field(asked, blank) if (blank := asked.at(i, j)) else "" for j in range(m)] for i in range(n)]
    formula = f"<p><code>{words(asked.formula)}</code></p>\n" if asked.formula else ""
    return formula + table(name(asked.name), cells, asked.rows, asked.columns)


def matrix(matrix: Matrix) -> str:
    """A matrix with its name, a number alone as one line."""
    if len(matrix.cells) == len(matrix.cells[0]) == 1:
        return f"<p>{name(matrix.name)} = {words(matrix.cells[0][0])}</p>"
    return table(
        name(matrix.name), [[words(text) for text in row] for row in matrix.cells], matrix.rows, matrix.columns
    )


def option(choice: Option) -> str:
    """An answer to choose, words or a matrix."""
    return f"<p>{authored(choice.text)}</p>" * bool(choice.text) + (matrix(choice.matrix) if choice.matrix else "")


def table(caption: str, cells: list[list[str]], rows: Labels, columns: Labels) -> str:
    """A table with its labels as headers, which screen readers say with each cell."""
    head = "".join(f'<th scope="col">{words(label)}</th>' for label in columns or ())
    lines = [f"<tr>{'<td></td>' if rows else ''}{head}</tr>"] if head else []
    for k, row in enumerate(cells):
        label = f'<th scope="row">{words(rows[k])}</th>' if rows else ""
        lines.append(f"<tr>{label}{''.join(f'<td>{cell}</td>' for cell in row)}</tr>")
    return "\n".join([f'<table border="1" cellpadding="4"><caption>{caption}</caption>', *lines, "</table>"])
