"""A Document on a page of templates/: what is common to every medium that is set through a template.

A writer is a Medium: it says how its medium writes texts, formulas and matrices. The template decides how blocks stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import AttncalcError, Diagnostic, Location
from ..explain.document import (
    Block,
    Cell,
    Choice,
    Choices,
    Document,
    Flow,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Picture,
    Reason,
    Section,
    Sign,
    Table,
    Worked,
)
from ..explain.equal import sides as sides
from ..explain.maths import Terms
from ..explain.prose import Emphasis, Inline, Maths, Plain, Strong, prose
from ..files import is_inside
from ..formula.counting import counted_places
from ..formula.tree import Name, Tree, unparse
from ..resources import folder
from .abridge import some_columns, truncate_matrix
from .flow import flow_columns, role
from .formulas.sentences import names
from .formulas.setter import FormulaPrinter

Sides = list[tuple[bool, Tree]]

MORE = "{}, and {} more"
SMALLER = 1.4  # how much a matrix may be wider than the page, and is made smaller

# Jinja's own braces clash with those of TeX and of Typst.
SHARP = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip
ROUND = {
    "block_start_string": "((*", "block_end_string": "*))", "variable_start_string": "(((",
    "variable_end_string": ")))", "comment_start_string": "((#", "comment_end_string": "#))",
}  # fmt: skip


def render(
    medium: str, file: str, values: dict[str, Any], template: Path | None = None, of: str = "", **marks: Any
) -> str:
    """A template of templates/`medium` in Jinja's sandbox; files in a user's own folder stand in place of ours, and
    those of templates/`of` before the medium's.
    """
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    ours = [folder("templates") / name for name in (of, medium) if name]
    place = template or ours[0]
    places = tuple(str(path) for path in [*([template] if template else []), *ours])
    try:
        return _environment(places, **marks).get_template(file).render(values)
    except TemplateNotFound as error:  # one that a user's template includes
        raise AttncalcError(Diagnostic(f"expected a template {error.name}, found none", Location(str(place)))) from None
    except TemplateSyntaxError as error:
        raise AttncalcError(
            Diagnostic(str(error.message), Location(error.filename or str(place), error.lineno))
        ) from None
    except AttncalcError:
        raise
    except Exception as error:  # whatever a user's template does wrong while it runs
        if template is None:
            raise
        raise AttncalcError(Diagnostic(f"the template fails: {error}", Location(str(place / file)))) from None


@lru_cache(maxsize=16)
def _environment(places: tuple[str, ...], autoescape: bool = False, **marks: str) -> Any:
    """Jinja's sandbox over both folders; it keeps what it has compiled, since a class has a page for each student."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    class Inside(FileSystemLoader):
        """Jinja's own loader, which does not look where links lead."""

        def get_source(self, environment: Any, template: str) -> Any:
            source = super().get_source(environment, template)
            if not any(is_inside(source[1], place) for place in places):
                raise AttncalcError(
                    Diagnostic("expected a template inside its folder; this link leads out of it", Location(source[1]))
                )
            return source

    return SandboxedEnvironment(
        loader=Inside(places), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=autoescape, **marks,
    )  # fmt: skip


class Medium:
    """How a medium writes what stands in blocks, with numbers like 0.5 or, where that is asked for, 0,5."""

    dialect: FormulaPrinter
    almost: str
    line_break: str
    arrow = "→"
    pictures: tuple[Any, ...] = ()  # blocks that this medium draws and others leave out
    colours: Mapping[str, str] = {}  # those of queries, keys and values, by what a matrix is
    at_the_command_line = False  # whether advice on the command line is of use

    def __init__(self, decimal_comma: bool = False):
        self.formulas = self.dialect.with_comma() if decimal_comma else self.dialect

    def text(self, text: str) -> str:
        """A user's text as text: no character of it is a command."""
        raise NotImplementedError

    def sentence(self, text: str) -> str:
        """A sentence of our own, with its numbers as numbers."""
        return self.text(text)

    def inline(self, tree: Tree) -> str:
        """A formula inside a sentence."""
        raise NotImplementedError

    # -- what authors write, with emphasis and formulas ----------------------------------------------------------------

    def prose(self, text: str) -> str:
        """An author's text: strong and emphasised words, and formulas between dollars; all else as text."""
        return self.joined([self.piece_of(piece) for piece in prose(text)])

    def piece_of(self, piece: Inline) -> str:
        """One piece of an author's text."""
        match piece:
            case Plain(words):
                return self.joined(
                    [self.words(word) if isinstance(word, str) else self.inline(word) for word in names(words)]
                )
            case Maths(terms):
                return self.maths(terms)
            case Strong(inside):
                return self.strong(self.joined([self.piece_of(part) for part in inside]))
            case Emphasis(inside):
                return self.emphasis(self.joined([self.piece_of(part) for part in inside]))

    def words(self, text: str) -> str:
        """Plain words of an author, with the spaces around them."""
        return self.text(text)

    def joined(self, pieces: list[str]) -> str:
        """Pieces of a sentence one behind the other."""
        return "".join(pieces)

    def maths(self, terms: Terms) -> str:
        """A formula of an author in a sentence."""
        raise NotImplementedError

    def strong(self, text: str) -> str:
        """Words that stand out."""
        raise NotImplementedError

    def emphasis(self, text: str) -> str:
        """Emphasised words."""
        raise NotImplementedError

    def formula(self, tree: Tree) -> str:
        """A formula in the medium's dialect."""
        return self.formulas.formula(tree)

    def value(self, cell: Cell) -> str:
        """A cell's number as a formula."""
        return self.formulas.number(cell.text) if cell.tree is None else self.formula(cell.tree)

    def head(self, name: Tree, place: str) -> str:
        """What an equation is about: a name, or an entry at its place."""
        return self.formulas.entry_named(name, place)

    def coloured(self, text: str, name: Tree) -> str:
        """A name in the colour that queries, keys and values have, where the medium prints it."""
        colour = self.colours.get(role(unparse(name).removesuffix(".T")))
        return self.in_colour(text, colour) if colour else text

    def in_colour(self, text: str, colour: str) -> str:
        """A part of a formula in a colour; red, green and blue in hexadecimal digits."""
        raise NotImplementedError

    def equation(self, name: Tree, sides: Sides, place: str = "") -> dict[str, Any]:
        """An equation of a name, or of an entry at its place, and sides that are equal or, from some on, nearly: on one
        line, and with a line for each side.
        """
        head = self.head(name, place) if place else self.coloured(self.head(name, place), name)
        signed_sides = [("=" if exact else self.almost, self.formula(tree)) for exact, tree in sides]
        lines = self.line_break.join(f" &{sign} {side}" for sign, side in signed_sides)
        return {"text": head + "".join(f" {sign} {side}" for sign, side in signed_sides), "lines": head + lines}

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, Any]:
        """Matrices in a row, for the template. Each medium has its own way."""
        raise NotImplementedError

    def flow(self, flow: Flow) -> str:
        """A map in one line."""
        columns = (
            [f"{self.inline(Name(name))} {self.text(size)}".strip() for name, size in column]
            for column in flow_columns(flow)
        )
        return f" {self.arrow} ".join(map(", ".join, columns))

    # -- blocks, the same in every medium ------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block], level: int = 2) -> Iterator[dict[str, Any]]:
        """The blocks as a template reads them; a section's stand between `section` and `end`. Headings skip
        no level.
        """
        for block in blocks:
            if isinstance(block, Section):
                texts = {"text": self.text(block.title), "doc": self.sentence(block.doc)}
                yield {"kind": "section", "level": level, **texts, "folded": block.folded}
                yield from self.blocks(block.blocks, level + 1)
                yield {"kind": "end"}
                continue
            if (
                isinstance(block, Picture)
                and not isinstance(block, self.pictures)
                or isinstance(block, Reason)
                and block.folded
            ):
                continue
            if isinstance(block, Heading):
                level = block.level + 1
            if self.at_the_command_line or not (isinstance(block, Paragraph) and block.role == "advice"):
                yield self.block(block)

    def block(self, block: Block) -> dict[str, Any]:
        """A block, for the template."""
        match block:
            case Heading(text, level, aside):
                return {"kind": "title" if level == 1 else "part", "text": self.text(text), "aside": self.text(aside)}
            case Paragraph():
                return {"kind": block.role, "text": self.paragraph(block)}
            case Reason(text):
                return {"kind": "fine", "text": self.sentence(text)}
            case Choices(items):
                return {"kind": "choices", "items": [self.choice(c) for c in items]}
            case Formula(name, stages, doc, aside):
                remarks = {"doc": self.sentence(doc), "aside": self.sentence(aside)}
                return {"kind": "formula", **self.equation(name, sides(stages)), **remarks}
            case Matrices(items):
                return {"kind": "matrices", **self.matrices(items)}
            case Flow():
                return {"kind": "flow", "text": self.flow(block)}
            case Worked(name, place, stages):
                remarks = {"lead": block.lead and self.text(block.lead), "doc": "", "aside": ""}
                return {"kind": "worked", **self.equation(name, sides(stages), place), **remarks}
            case Table(heads, rows, right, typed):
                return {
                    "kind": "table",
                    "heads": [self.text(head) for head in heads],
                    "rows": [[self.entry(entry, k in typed) for k, entry in enumerate(row)] for row in rows],
                    "right": sorted(right),
                }
        raise TypeError(block)

    def paragraph(self, block: Paragraph) -> str:
        """A paragraph in the words of an author, or in ours with the formulas behind them."""
        if block.authored:
            return self.prose(block.text)
        pieces = [self.sentence(block.text)]
        for k, tree in enumerate(block.formulas):
            pieces += [self.words(", " if k else " "), self.inline(tree)]
        return self.joined(pieces)

    def entry(self, entry: str | tuple[Tree, ...], typed: bool) -> Any:
        """What stands in a table: formulas with commas between them, a sentence, or what is to be typed."""
        if not isinstance(entry, str):
            return self.listed(entry)
        return self.text(entry) if typed else self.sentence(entry)

    def listed(self, trees: tuple[Tree, ...]) -> str:
        """Formulas with commas between them."""
        return ", ".join(map(self.inline, trees))

    def choice(self, choice: Choice) -> Any:
        """A convention in force: the option, its value, and what that means."""
        if not choice.option:
            return self.sentence(choice.words)
        value = self.text(choice.value) if isinstance(choice.value, str) else self.inline(choice.value)
        return f"{self.text(choice.option)} {value}" + (f" ({self.sentence(choice.words)})" if choice.words else "")


def signed_grids(items: tuple[Grid | Sign, ...], room: int = 0) -> Iterator[tuple[str, Grid]]:
    """Each matrix with the sign before it, so that a line breaks between them; large ones abridged, wide ones in blocks
    of columns.
    """
    sign = ""
    for item in items:
        if isinstance(item, Sign):
            sign = item.text or " "
            continue
        for block in _blocks(truncate_matrix(item, "⋮", "…", "×"), room):
            yield sign, block
            sign = ""


def _blocks(grid: Grid, room: int) -> list[Grid]:
    """A matrix in one piece, or in blocks of columns where it is far too wide to be made smaller; `room`
    counts digits.
    """
    widths = [max(len(cell.text) for cell in column) + 2 for column in zip(*grid.cells, strict=True)]
    if not room or sum(widths) <= SMALLER * room:
        return [grid]
    count = max(1, room // max(widths))
    grid = grid._replace(columns=grid.columns or counted_places(len(widths)))
    return [some_columns(grid, range(k, min(k + count, len(widths)))) for k in range(0, len(widths), count)]


def title(document: Document) -> str:
    """The title of the whole: `Two heads, concatenated`, `Two heads, concatenated, and 3 more`."""
    titles = document.titles or [""]
    return titles[0] if len(titles) == 1 else MORE.format(titles[0], len(titles) - 1)


def page(medium: Medium, document: Document) -> dict[str, Any]:
    """What a template is given."""
    return {"title": medium.text(title(document)), "blocks": list(medium.blocks(document.blocks))}
