"""A Document as LaTeX. This module makes formulas, matrices and pictures, and templates/latex/ makes the page around
them.

Pictures use LaTeX's picture environment, which needs no package: arcs, bars, beam trees and curves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import dist
from pathlib import Path

from ..explain.document import Arcs, Bars, Beam, Block, Cell, Curve, Document, Grid, Picture, Sign
from ..formula.syntax_tree import Tree
from . import template_renderer
from .math.inline import TexTerms
from .math.tex import SIGNS, TEX, escape, sentence
from .math.tex import number as decimal
from .matrix_truncation import cell_kind
from .pictures import arcs, bars, beam_tree, curve
from .pictures.flow import PRINTED

Location = tuple[float, float]
PIXEL = 0.7  # points per pixel of the web page's picture
THIN, HEAVY = 0.5, 1.4  # points
LABEL = r"\footnotesize "
MOST_DOTS = 30_000  # dots of all arcs together; more dots would exhaust LaTeX's memory
DOT, APART = 3.0, 4.0  # pixels: the radius of a point, and the distance between points of a curve


class _Picture:
    """Commands of the picture environment. Positions are pixels from the upper left corner, as on web pages."""

    def __init__(self, width: float, height: float):
        self.size, self.lines = (width, height), list[str]()

    def text(self, place: Location, text: str, side: str = "l", colour: str = "black") -> None:
        """Add a vertically centred text. Its left end (`l`), right end (`r`) or centre is at `place`."""
        self.put(place, rf"\makebox(0,0)[{side}]{{\color{{{colour}}}{LABEL}{text}}}")

    def block(self, place: Location, wide: float, high: float) -> None:
        """Add a filled rectangle. `place` is its lower left corner."""
        self.put(place, rf"\color{{heat}}\rule{{{wide:.1f}\unitlength}}{{{high:.1f}\unitlength}}")

    def frame(self, place: Location, wide: float, high: float, colour: str, thick: float) -> None:
        """Add the outline of a rectangle. `place` is its lower left corner."""
        self.put(place, rf"\color{{{colour}}}\linethickness{{{thick}pt}}\framebox({wide:.1f},{high:.1f}){{}}")

    def bent(
        self, start: Location, control: Location, end: Location, colour: str, thick: float, share: float = 1
    ) -> None:
        """Add a quadratic Bézier curve. `share` is the fraction of its dots that is drawn."""
        places = "".join(f"({x:.1f},{self.size[1] - y:.1f})" for x, y in (start, control, end))
        dots = 2 + int(_dots(start, control, end, thick) * share)  # with 0 dots, LaTeX would choose the number
        self.lines.append(rf"{{\color{{{colour}}}\linethickness{{{thick}pt}}\qbezier[{dots}]{places}}}")

    def straight(self, start: Location, end: Location, colour: str, thick: float = THIN) -> None:
        """Add a straight line in any direction."""
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        self.bent(start, middle, end, colour, thick)

    def put(self, place: Location, what: str) -> None:
        self.lines.append(rf"\put({place[0]:.1f},{self.size[1] - place[1]:.1f}){{{what}}}")

    def __str__(self) -> str:
        wide, high = self.size
        inside = "%\n".join(self.lines)  # without the %, each line end would be a space
        return f"\\begin{{picture}}({wide:.1f},{high:.1f})%\n{inside}%\n\\end{{picture}}%"


def _dots(start: Location, control: Location, end: Location, thick: float) -> float:
    """Return the number of dots for a curve without gaps."""
    return (dist(start, control) + dist(control, end)) * PIXEL / thick * 2


def latex_picture(block: Arcs | Bars | Beam | Curve) -> str:
    """Return the commands of a picture. The unit is a pixel."""
    match block:
        case Arcs():
            picture = _arcs(block)
        case Bars():
            picture = _bars(block)
        case Beam():
            picture = _beam(block)
        case Curve():
            picture = _curve(block)
    return f"\\setlength{{\\unitlength}}{{{PIXEL}pt}}%\n{picture}"


def _number(text: str) -> str:
    return f"${decimal(text)}$"


# Thick lines are paler, because thin lines are drawn over them
_WIDE = ((0.5, "heat!45"), (0.2, "heat!70"), (0, "heat"))


def _arcs(block: Arcs) -> _Picture:
    layout = arcs.layout(block)
    picture = _Picture(layout["width"], layout["height"])
    lines = sorted((line for query in layout["queries"] for line in query["lines"]), key=lambda line: -line["thick"])
    halves = [(*half, *_line(line["thick"])) for line in lines for half in _halves(_places(line["path"]))]
    total = sum(_dots(start, control, end, thick) for start, control, end, _, thick in halves)
    for half in halves:
        picture.bent(*half, share=min(1, MOST_DOTS / max(1, total)))
    left, right = layout["left"] - 8, layout["right"] + 8
    for head, words, place, side in (("query", layout["queries"], left, "r"), ("key", layout["keys"], right, "l")):
        picture.text((place, 12), rf"\emph{{{head}}}", side, "quiet")
        for word in words:
            picture.text((place, word["y"]), escape(word["label"]), side)
    for k, mark in enumerate(layout["scale"]):
        start = layout["left"] + 60 * k
        picture.straight((start, layout["foot"]), (start + 22, layout["foot"]), *_line(mark["thick"]))
        picture.text((start + 26 + mark["thick"] / 2, layout["foot"]), rf"\emph{{{mark['text']}}}", "l", "quiet")
    return picture


def _line(thick: float) -> tuple[str, float]:
    """Return the colour of an arc and its thickness in points."""
    return next(colour for share, colour in _WIDE if thick >= share * arcs.THICK), round(thick * PIXEL, 2)


def _bars(block: Bars) -> _Picture:
    layout = bars.layout(block)
    picture = _Picture(layout["width"], layout["height"])
    for row, label, text in zip(layout["rows"], block.labels, block.texts, strict=True):
        middle, end = row["y"] + layout["high"] / 2, layout["side"] + row["wide"]
        picture.text((layout["side"] - 8, middle), escape(label), "r", "quiet")
        picture.block((layout["side"], middle + 6), row["wide"], 12)
        picture.text((end + 6, middle), _number(text))
    return picture


_LOOKS = {"best": ("heat", HEAVY), "kept": ("quiet", THIN), "root": ("quiet", THIN), "dropped": ("quiet!45", THIN)}


def _beam(block: Beam) -> _Picture:
    layout = beam_tree.layout(block)
    picture = _Picture(layout["width"], layout["height"])
    for edge in layout["edges"]:
        for start, control, end in _halves(_places(edge["path"])):
            picture.bent(start, control, end, *_LOOKS[edge["looks"]])
    for box in layout["boxes"]:
        _word(picture, box)
    for k, (words, looks) in enumerate(layout["legend"]):
        picture.straight((6 + 115 * k, layout["foot"]), (30 + 115 * k, layout["foot"]), *_LOOKS[looks])
        picture.text((36 + 115 * k, layout["foot"]), words)
    return picture


def _word(picture: _Picture, box: beam_tree.Box) -> None:
    """Add a word of the tree with its score. A kept word has a frame."""
    colour = "quiet" if box["looks"] == "dropped" else "black"
    if box["looks"] != "dropped":
        picture.frame((box["x"], box["y"] + beam_tree.BOX / 2), box["wide"], beam_tree.BOX, *_LOOKS[box["looks"]])
    picture.text((box["x"] + 7, box["y"]), escape(box["word"]), "l", colour)
    if box["score"]:
        picture.text((box["x"] + box["wide"] - 7, box["y"]), _number(box["score"].replace("−", "-")), "r", colour)


def _curve(block: Curve) -> _Picture:
    layout = curve.chart_layout(block, 10, 4)
    picture = _Picture(layout["width"] + 4, layout["height"] + 10)
    left, right, foot = layout["left"], layout["left"] + layout["across"], layout["first"] + layout["down"]
    picture.frame((left, foot), layout["across"], layout["down"], "quiet!45", THIN)
    for start, end in pairwise(_apart(_places(layout["line"]))):
        picture.straight(start, end, "heat", HEAVY)
    for _, x, y in layout["dots"]:
        picture.put((x, y), rf"\color{{heat}}\circle*{{{2 * DOT}}}")
    for label, x in layout["columns"]:
        picture.text((x, foot + 14), escape(label), "", "quiet")
    for text, y in zip(layout["ends"], (foot, layout["upper"]), strict=True):
        picture.text((left - 8, y), escape(text), "r", "quiet")
    picture.text((left - 8, layout["halfway"]), rf"\emph{{{escape(layout['upward'])}}}", "r")
    if layout["along"]:
        picture.text(((left + right) / 2, foot + 34), rf"\emph{{{escape(layout['along'])}}}", "")
    return picture


def _apart(run: list[Location]) -> Iterator[Location]:
    """Yield points of a line at distances of at least APART, and the last point."""
    before = run[0]
    yield before
    for place in run[1:-1]:
        if dist(before, place) >= APART:
            before = place
            yield place
    yield run[-1]


def _places(path: str) -> list[Location]:
    numbers = list(map(float, re.findall(r"-?\d+(?:\.\d+)?", path)))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _halves(places: Iterable[Location]) -> Iterator[tuple[Location, Location, Location]]:
    """Yield both halves of a cubic curve, each approximated by a quadratic curve."""
    a, b, c, d = places
    ab, bc, cd = _middle(a, b), _middle(b, c), _middle(c, d)
    abc, bcd = _middle(ab, bc), _middle(bc, cd)
    middle = _middle(abc, bcd)
    for start, first, second, end in ((a, ab, abc, middle), (middle, bcd, cd, d)):
        yield start, (_control(start, first, second, end, 0), _control(start, first, second, end, 1)), end


def _middle(a: Location, b: Location) -> Location:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _control(a: Location, b: Location, c: Location, d: Location, axis: int) -> float:
    return (3 * b[axis] + 3 * c[axis] - a[axis] - d[axis]) / 4


_MARKED = {"rounded": r"\approx {}", "undecided": r"\underline{{}}", "wrong": r"\wrong{{}}", "should": r"\should{{}}"}
ROOM = 80  # digits on a line
_FULL = (217, 95, 14)  # the background of a weight of 1; black and grey text is legible on it


def write(document: Document, template: Path | None = None, fragment: bool = False) -> str:
    """Return the document, made with templates/latex/solution.tex, or with fragment.tex as a fragment to paste."""
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
        return escape(text)

    def sentence(self, text: str) -> str:
        return sentence(text)

    def in_colour(self, text: str, colour: str) -> str:
        return rf"{{\color[HTML]{{{colour}}}{text}}}"

    def formula_list(self, trees: tuple[Tree, ...]) -> str:
        """Return one formula, shrunk to its column, or several formulas with line breaks at the commas."""
        return rf"\fit{{\textstyle {self.formula(trees[0])}}}" if len(trees) == 1 else super().formula_list(trees)

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, object]:
        """Return matrices in pieces between which a line may break."""
        pieces = []
        for sign, grid in template_renderer.signed_grids(items, self.room):
            lead = rf"\;{SIGNS.get(sign, sign)}\; " if sign else ""
            pieces.append(lead + self.grid(grid, named=len(items) > 1))
        return {"pieces": pieces}

    def block(self, block: Block) -> dict[str, object]:
        """Return a block for the template. LaTeX draws the pictures."""
        if isinstance(block, Picture):
            return {"kind": "picture", "text": latex_picture(block)}
        return super().block(block)

    def grid(self, grid: Grid, named: bool) -> str:
        """Return a matrix in brackets with its labels, and its name below it. A single matrix needs no name."""
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
