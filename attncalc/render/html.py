"""A Document as a web page. This module makes formulas and cells, and templates/html/ makes the page around them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..explain.document import (
    Block,
    Cell,
    Choice,
    Document,
    Flow,
    Formula,
    Grid,
    Matrices,
    Paragraph,
    Picture,
    Reason,
    Section,
    Sign,
    Table,
    Worked,
)
from ..formula.index_base import counted_places
from ..formula.syntax_tree import Binary, Tree, unparse
from ..resources import folder
from . import template_renderer
from .html_rich_text import HtmlText
from .math import single_line, speech
from .math.mathml import clean, escape, formula, infix, math, number, sentence, sign
from .matrix_truncation import GAP, truncate_matrix
from .pictures import dispatch
from .pictures.flow import role

LONGEST = 13  # characters of a label on a phone


def grid_width(grid: Grid) -> int:
    """Return the approximate width of a grid in characters, with labels truncated as on a phone."""
    heads = [min(len(label), LONGEST) for label in grid.columns or [""] * len(grid.cells[0])]
    label_width = min(LONGEST, max(map(len, grid.rows))) if grid.rows else 0
    columns = zip(heads, zip(*grid.cells, strict=True), strict=True)
    return label_width + sum(max(head, *map(_cell_width, column)) + 2 for head, column in columns)


def table_width(table: Table) -> int:
    """Return the approximate minimum width of a table in characters. Lines break between words, but not inside
    formulas.
    """
    columns = zip(table.heads, zip(*table.rows, strict=True), strict=True)
    return sum(max(map(_longest_word, (head, *column))) + 3 for head, column in columns)


def _cell_width(cell: Cell) -> int:
    return len(cell.text) if cell.tree is None else single_line.formula_width(cell.tree)


def _longest_word(entry: str | tuple[Tree, ...]) -> int:
    words = entry.split() if isinstance(entry, str) else map(single_line.formula, entry)
    return max(map(len, words), default=0)


TemplateData = dict[str, Any]

MOST_EXPLAINED = 600  # entries of a page with worked lines
MOST_POINTED = 12  # rows and columns of a matrix with worked lines
MOST_UNFOLDED = 60  # steps of folded lessons on a page, so that it stays small
LONG = 24  # characters; a longer side of an equation is divided into pieces that fit on a phone
WIDE = 28  # characters of a matrix row that fits on a phone; a wider matrix can be scrolled with the keyboard
PHONE = 260  # pixels; the largest width of a picture that fits on a phone
LEAST = 0.002  # the least weight with a colour
_IN_A_STEP = {"fine", "check", "hidden", "note", "cause"}  # roles of paragraphs that belong to the step above


def write(document: Document, template: Path | None = None) -> str:
    """Return the page of a document, made with templates/html/solution.html."""
    font = b64encode((folder("templates") / "html" / "mathematics.woff2").read_bytes()).decode()
    blocks = list(Html(_is_short(document)).set(document.blocks))
    several = len(document.titles) > 1
    entries = [block for block in blocks if block["kind"] == ("title" if several else "part")]
    for k, entry in enumerate(entries, 1):
        entry["id"] = f"{'problem' if several else 'part'}-{k}"
    contents = {"heard": "Problems" if several else "Parts", "entries": entries if len(entries) > 1 else []}
    title = clean(template_renderer.title(document))
    return _render("solution.html", template, title=title, font=font, blocks=blocks, contents=contents)


def fragment(document: Document) -> str:
    """Return the document as a part of a page for notebooks, with its style but without a font."""
    return _render("fragment.html", None, blocks=list(Html().set(document.blocks)))


def _render(name: str, template: Path | None, **values: object) -> str:
    return template_renderer.render("html", name, values, template, autoescape=True)


def _is_short(document: Document) -> bool:
    """Return whether the page has room for all folded steps."""
    return sum(block.steps for block in document.flat() if isinstance(block, Section)) <= MOST_UNFOLDED


# -- blocks ------------------------------------------------------------------------------------------------------------


class Html(HtmlText):
    """The HTML medium. With `opens`, the page contains all steps of folded lessons."""

    def __init__(self, opens: bool = False):
        super().__init__()
        self.opens = opens
        self.at_the_command_line = not opens  # if the page lacks the folded steps, it advises how to see them
        self.room = MOST_EXPLAINED
        self.places = 0

    def text(self, text: str) -> str:
        return clean(text)

    def sentence(self, text: str) -> Markup:
        return Markup(sentence(text))

    def inline(self, tree: Tree) -> Markup:
        return Markup(math(self.formula(tree)))

    def formula_list(self, trees: tuple[Tree, ...]) -> Markup:
        return Markup(", ").join(map(self.inline, trees))

    def choice(self, choice: Choice) -> TemplateData:
        """Return a convention for the template."""
        value = Markup(escape(choice.value)) if isinstance(choice.value, str) else self.inline(choice.value)
        return {"option": clean(choice.option), "value": value, "words": self.sentence(choice.words)}

    def equation(self, name: Tree, sides: template_renderer.Sides, place: str = "") -> TemplateData:
        """Return an equation in pieces between which a line may break; long formulas are several pieces."""
        pieces, wide = [self.formulas.entry_named(name, place)], False
        for exact, tree in sides:
            terms = _terms(tree) if _is_long(tree) else [tree]
            wide = wide or any(map(_is_long, terms))
            signs = ["=" if exact else self.almost, *["+"] * (len(terms) - 1)]
            shown = (self.formulas.formula(term, k == 0) for k, term in enumerate(terms))
            pieces += [infix(sign) + term for sign, term in zip(signs, shown, strict=True)]
        return {"equation": [Markup(math(piece)) for piece in pieces], "wide": wide}

    def matrices(self, items: tuple[Grid | Sign, ...]) -> TemplateData:
        """Return each matrix with the sign before it. A line can break between these pieces."""
        pieces, before = [], ""
        for item in items:
            if isinstance(item, Sign):
                before = (
                    f"<i>{escape(item.text)}</i>" if item.text.isalpha() else math(sign(item.text)) if item.text else ""
                )
            else:
                pieces.append({"sign": Markup(before), "grid": _grid(item, len(items) > 1, self.worked_lines(item))})
                before = ""
        return {"pieces": pieces, "product": _is_product(items)}

    def worked_lines(self, grid: Grid) -> list[list[TemplateData | None]]:
        """Return the worked line of each entry. The result is empty if the matrix has no worked lines or the page has
        no room.
        """
        n, m = grid.shape
        if grid.explained is None or n * m == 1 or n * m > self.room or max(n, m) > MOST_POINTED:
            return []
        self.room -= n * m
        worked_lines = [[grid.explained(i, j) for j in range(m)] for i in range(n)]
        return [
            [line and self.equation(line.name, template_renderer.sides(line.stages), line.place) for line in row]
            for row in worked_lines
        ]

    def set(self, blocks: Iterable[Block]) -> Iterator[TemplateData]:
        """Yield the blocks for the template. A formula contains the blocks that follow, up to the next step."""
        step: TemplateData | None = None
        blocks = list(blocks)
        places = self.number_steps(blocks)
        for k, block in enumerate(blocks):
            if isinstance(block, Flow):
                yield {"kind": "flow", "picture": Markup(dispatch.svg(block, False, _after(blocks, places, k)))}
                continue
            if isinstance(block, Paragraph) and block.role == "advice":
                continue
            made = self.block(block)
            if k in places:
                made["id"] = places[k]
            if isinstance(block, Formula):
                step = made
                yield made
            elif step is not None and _is_in_a_step(block):
                step["blocks"].append(made)
            else:
                step = None
                yield made

    def number_steps(self, blocks: list[Block]) -> dict[int, str]:
        """Return the link targets of the flow diagram: steps and nested lessons."""
        ids = {}
        for k, block in enumerate(blocks):
            if isinstance(block, Formula | Section) and any(isinstance(other, Flow) for other in blocks):
                self.places += 1
                ids[k] = f"step-{self.places}"
        return ids

    def block(self, block: Block) -> TemplateData:
        """Return a block for the template."""
        if isinstance(block, Picture):
            drawn = dispatch.svg(block, False)
            return {"kind": "picture", "picture": Markup(drawn), "wide": dispatch.width(drawn) > PHONE}
        match block:
            case Paragraph():
                return {"kind": "paragraph", "role": block.role, "text": Markup(self.paragraph(block))}
            case Reason(text, folded):
                return {"kind": "reason", "text": self.sentence(text), "folded": folded}
            case Formula(name, stages):
                heard = speech.equation(speech.formula(name), template_renderer.sides(stages)[:1])
                step = {"kind": "step", "role": role(unparse(name)), "id": "", "heard": clean(heard)}
                return {**super().block(block), **step, "blocks": []}
            case Table():
                return {**super().block(block), "id": "", "wide": table_width(block) > WIDE}
            case Section(title, doc, blocks, folded):
                steps = block.unfolded() if self.opens and block.unfolded else ()
                inside = {"blocks": list(self.set(blocks)), "unfolded": list(self.set(steps))}
                section = {"kind": "section", "id": "", "text": clean(title), "doc": self.sentence(doc)}
                return {**section, "folded": folded, **inside}
        return {**super().block(block), "id": ""}


def _after(blocks: list[Block], places: dict[int, str], start: int) -> dict[str, str]:
    """Return the link targets of the steps and lessons up to the next flow diagram, by name."""
    links: dict[str, str] = {}
    for k, block in enumerate(blocks[start + 1 :], start + 1):
        if isinstance(block, Flow):
            break
        if isinstance(block, Formula | Section):
            links.setdefault(block.title if isinstance(block, Section) else unparse(block.name), places[k])
    return links


def _is_in_a_step(block: Block) -> bool:
    return isinstance(block, Matrices | Worked | Reason | Table | Picture) or (
        isinstance(block, Paragraph) and block.role in _IN_A_STEP
    )


def _terms(tree: Tree) -> list[Tree]:
    return [*_terms(tree.left), tree.right] if isinstance(tree, Binary) and tree.operator == "+" else [tree]


def _is_long(tree: Tree) -> bool:
    return len(single_line.formula(tree)) > LONG


# -- matrices ----------------------------------------------------------------------------------------------------------


def _is_product(items: tuple[Grid | Sign, ...]) -> bool:
    """True the equation is A · B = C, or A · B + b = C with a row b. A row of A and a column of B and b then give an
    entry.
    """
    signs = "".join(item.text for item in items if isinstance(item, Sign))
    grids = [item for item in items if isinstance(item, Grid)]
    return signs in ("·=", "·+=") and all(grid.shape[0] == 1 for grid in grids[2:-1])


def _grid(grid: Grid, named: bool, why: list[list[TemplateData | None]]) -> TemplateData:
    """Return a matrix as a table. Screen readers speak the numbers of rows and columns with the labels; they are not
    visible.
    """
    shown, heard = _abridged(grid), _abridged(_numbered(grid))
    size = shown.full
    rows = zip(_labels(heard.rows, shown.rows), shown.cells, why or repeat([]), strict=False)
    return {
        "name": Markup(math(formula(grid.name))),
        "role": role(unparse(grid.name).removesuffix(".T")),
        "heard": clean(speech.formula(grid.name)) + size,
        "size": size,
        "named": named or bool(size),
        "above": bool(grid.columns),
        "beside": bool(grid.rows),
        "columns": _labels(heard.columns, shown.columns),
        "rows": [
            {"heard": heard_label, "seen": seen, "cells": [_cell(*c) for c in zip_longest(cells, lines)]}
            for (heard_label, seen), cells, lines in rows
        ],
        "single": grid.shape == (1, 1) and not grid.rows and not grid.columns,
        "weights": any(c.shade is not None for row in shown.cells for c in row),
        "wide": grid_width(shown) > WIDE,
    }


def _abridged(grid: Grid) -> Grid:
    return truncate_matrix(grid, "⋮", "…", "×")


def _numbered(grid: Grid) -> Grid:
    n, m = grid.shape
    rows, columns = (f"row {i}" for i in counted_places(n)), (f"column {j}" for j in counted_places(m))
    return grid._replace(rows=tuple(rows), columns=tuple(columns))


def _labels(heard: Sequence[str] | None, seen: Sequence[str] | None) -> list[tuple[str, str]]:
    labels = map(clean, seen or [""] * len(heard or ()))
    return [(f"{place}: {label}" if label else place, label) for place, label in zip(heard or (), labels, strict=True)]


def _cell(cell: Cell, why: TemplateData | None = None) -> TemplateData:
    """Return a cell for the template. `share` is the opacity of its background: a root, so that small weights are
    visible.
    """
    if cell.mark == GAP:
        return {"text": cell.text, "mark": "gap", "share": "", "lit": "", "why": None}
    if cell.mark == "masked" and cell.shade is not None:
        return {"text": "·", "mark": "hidden", "share": "", "lit": cell.lit, "why": None}
    is_plain = cell.tree is None and re.fullmatch(r"-?([\d.]+|inf)", cell.text)
    shown = formula(cell.tree) if cell.tree is not None else number(cell.text)
    text = cell.text.replace("-", "−").replace("inf", "∞") if is_plain else Markup(math(shown))
    share = f"{cell.shade**0.7:.2f}" if cell.shade and cell.shade > LEAST else ""
    text = "≈ " + text if cell.mark == "rounded" else text
    return {"text": text, "mark": cell.mark, "share": share, "lit": cell.lit, "why": why}
