"""A Document as LaTeX: formulas and matrices are set here, the page around them in templates/latex/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..explain.document import (
    Block,
    Cell,
    Choice,
    Choices,
    Document,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Section,
    Sign,
    Stage,
    Worked,
)
from ..formula.tree import Name
from ..resources import folder
from .abridge import GAP, Abridged, abridged
from .tex import escape, formula, number, sentence

_SIGNS = {"·": r"\cdot", "∘": r"\circ", "−": "-", "/": r"\oslash", "|": r"\mid", "given": r"\text{given}", "": r"\quad"}
_FULL = (217, 95, 14)  # the ground of a weight of 1, on which black and the grey of print stay legible


def write(document: Document, template: Path | None = None) -> str:
    """The document through templates/latex/solution.tex, or a template of the user's own in Jinja's sandbox."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=FileSystemLoader(str(template or folder("templates") / "latex")),
        block_start_string="((*", block_end_string="*))", variable_start_string="(((", variable_end_string=")))",
        comment_start_string="((#", comment_end_string="#))",
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    return environment.get_template("solution.tex").render(blocks=list(_set(document.blocks)))


def _set(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    """The blocks as the template reads them; a section's stand between `section` and `end`."""
    for block in blocks:
        if isinstance(block, Section):
            yield {"kind": "section", "text": escape(block.title), "doc": escape(block.doc), "folded": block.folded}
            yield from _set(block.blocks)
            yield {"kind": "end"}
        elif not (isinstance(block, Paragraph) and block.role == "advice"):
            yield _block(block)


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading(text, level, aside):
            return {"kind": "title" if level == 1 else "part", "text": escape(text), "aside": escape(aside)}
        case Paragraph(text, role):
            return {"kind": role, "text": sentence(text)}
        case Choices(items):
            return {"kind": "choices", "items": [_choice(c) for c in items]}
        case Formula(name, stages, doc, aside):
            return {"kind": "formula", **_equation(formula(name), stages), "doc": escape(doc), "aside": escape(aside)}
        case Matrices(items):
            return {"kind": "matrices", "pieces": _pieces(items)}
        case Worked(entry, stages):
            return {"kind": "worked", **_equation(_entry(entry), stages)}
    raise TypeError(block)


def _entry(entry: str) -> str:
    """`S_1[the, cat]`"""
    step, bracket, place = entry.partition("[")
    return formula(Name(step)) + (rf"\text{{{escape(bracket + place)}}}" if place else "")


def _equation(left: str, stages: tuple[Stage, ...]) -> dict[str, str]:
    """An equation on one line, and with a line for each side; from the first side that is not exact, all is only nearly equal."""
    sides, exact = [], True
    for stage in stages:
        exact = exact and stage.exact
        sides.append(("=" if exact else r"\approx", formula(stage.tree)))
    one_line = left + "".join(f" {sign} {side}" for sign, side in sides)
    return {"text": one_line, "lines": left + r" \\ ".join(f" &{sign} {side}" for sign, side in sides)}


def _choice(choice: Choice) -> str:
    value = escape(choice.value) if isinstance(choice.value, str) else f"${formula(choice.value)}$"
    return f"{escape(choice.option)} {value}" + (f" ({escape(choice.words)})" if choice.words else "")


# -- matrices --------------------------------------------------------------------------------------------------------------


def _pieces(items: tuple[Grid | Sign, ...]) -> list[str]:
    """Each matrix with the sign before it, so that a line breaks between them."""
    pieces, sign = [], ""
    for item in items:
        if isinstance(item, Sign):
            sign = rf"\;{_SIGNS.get(item.text, item.text)}\; "
        else:
            pieces.append(sign + _grid(abridged(item, "⋮", "…", "×"), named=len(items) > 1))
            sign = ""
    return pieces


def _grid(grid: Grid, named: bool) -> str:
    """A matrix in brackets over its name, its labels beside and above it; one that stands alone needs no name."""
    size = rf"\text{{\scriptsize {escape(grid.full)}}}" if isinstance(grid, Abridged) else ""
    name = formula(grid.name) + size if named or size else ""
    rows = [[_cell(c) for c in row] for row in grid.cells]
    if grid.columns:
        return _under(_bordered(grid, rows), name)
    body = r" \\ ".join(" & ".join(row) for row in rows)
    matrix = _under(rows[0][0] if grid.shape == (1, 1) and not grid.rows else rf"\begin{{bmatrix}} {body} \end{{bmatrix}}", name)
    if not grid.rows:
        return matrix
    beside = r" \\ ".join(map(_label, grid.rows))
    return rf"\begin{{array}}{{@{{}}l@{{}}}} {beside} \end{{array}}\,{matrix}"


def _bordered(grid: Grid, rows: list[list[str]]) -> str:
    heads = [_label(c) for c in grid.columns or ()]
    labels = [_label(r) for r in grid.rows] if grid.rows else [""] * len(rows)
    lines = [" & ".join(["", *heads])] + [" & ".join([label, *row]) for label, row in zip(labels, rows, strict=True)]
    body = r" \cr ".join(lines)
    return rf"\bordermatrix{{ {body} \cr }}"


def _under(matrix: str, name: str) -> str:
    return rf"\underset{{\textstyle {name}}}{{{matrix}}}" if name else matrix


def _label(text: str) -> str:
    return rf"\text{{\scriptsize {escape(text)}}}"


def _cell(cell: Cell) -> str:
    if cell.mark == GAP:
        return escape(cell.text)
    if cell.mark == "masked" and cell.shade is not None:
        return r"\hidden"
    text = formula(cell.tree) if cell.tree is not None else number(cell.text)
    text = rf"\approx {text}" if cell.mark == "rounded" else rf"\underline{{{text}}}" if cell.mark == "undecided" else text
    if cell.shade is None:
        return text
    mixed = [round(255 + (c - 255) * cell.shade * 0.75) for c in _FULL]
    return rf"\weight{{{','.join(map(str, mixed))}}}{{{text}}}"
