"""A Document on a page of templates/: the common base of the media with templates.

A writer is a Medium: it prints texts, formulas and matrices. The template arranges the blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from types import UnionType
from typing import TYPE_CHECKING, NotRequired, TypedDict

from ..api import read_bytes
from ..errors import AttncalcError, Location
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
from ..explain.inline_math import Terms
from ..explain.rich_text import Emphasis, Inline, Maths, Plain, Strong, prose
from ..explain.worked.equality_signs import sides as sides
from ..formula.index_base import counted_places
from ..formula.syntax_tree import Name, Tree, unparse
from ..problem.yaml_file.nodes import read_text
from ..processor_limit import RENDERED, limited
from ..resources import folder
from ..safe_files import is_inside
from .math.printer import FormulaPrinter, fill
from .math.sentence_markup import names
from .matrix_truncation import some_columns, truncate_matrix
from .pictures.flow import flow_columns, role

if TYPE_CHECKING:
    from jinja2 import Environment

    from .math.inline import TermPrinter

Sides = list[tuple[bool, Tree]]

MORE = "{}, and {} more"
LARGEST_PAGE = 20_000_000  # characters of a page that a user's template makes
REASONS: dict[type[Exception] | tuple[type[Exception], ...], str] = {
    ArithmeticError: "it divides by zero, or computes a number that is too large",
    (LookupError, AttributeError): "it asks for something that does not exist",
    TypeError: "it uses a value of the wrong type",
    ValueError: "it uses a value that is not allowed here, such as a number that is too large",
}  # why a template fails, by the type of Python's error
SMALLER = 1.4  # width relative to the page; a wider matrix is not shrunk but divided

# Jinja's usual braces clash with those of TeX and of Typst.
SHARP = {
    "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
}  # fmt: skip
ROUND = {
    "block_start_string": "((*", "block_end_string": "*))", "variable_start_string": "(((",
    "variable_end_string": ")))", "comment_start_string": "((#", "comment_end_string": "#))",
}  # fmt: skip


def render(
    medium: str, file: str, values: Mapping[str, object], template: Path | None = None, of: str = "", **marks: object
) -> str:
    """Return a rendered template of templates/`medium`. Jinja's sandbox renders it. Files in a user's folder `template`
    replace built-in files. Files in templates/`of` replace files of the medium.
    """
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    ours = [folder("templates") / name for name in (of, medium) if name]
    place = template or ours[0]
    places = tuple(str(path) for path in [*([template] if template else []), *ours])
    whole = Location(str(place / file))
    try:
        with limited(whole, RENDERED) if template else nullcontext():
            text = _environment(places, **marks).get_template(file).render(values)
    except TemplateNotFound as error:  # a template that the user's template includes
        raise AttncalcError(f"expected a template {error.name}, found none", Location(str(place))) from None
    except TemplateSyntaxError as error:
        raise AttncalcError(str(error.message), Location(error.filename or str(place), error.lineno, 1)) from None
    except AttncalcError:
        raise
    except Exception as error:  # an error of any kind while a user's template runs
        if template is None:
            raise
        raise AttncalcError(f"the template fails: {_reason(error)}", _line(error, places) or whole) from None
    if template and len(text) > LARGEST_PAGE:
        message = f"expected a page of at most {LARGEST_PAGE:,} characters, found {len(text):,}; {RENDERED.remedy}"
        raise AttncalcError(message, whole)
    return text


def _reason(error: Exception) -> str:
    """Return the reason why a template fails: Jinja's message, or without a message a text of REASONS."""
    from jinja2 import TemplateError

    if isinstance(error, TemplateError) and str(error):
        return str(error)
    known = (words for kind, words in REASONS.items() if isinstance(error, kind))
    return next(known, "it asks for something impossible")


def _line(error: Exception, places: tuple[str, ...]) -> Location | None:
    """Return the line of the template that caused an error. Jinja adds this line to the frames of the error."""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    lines = [Location(file, line, 1) for file, line in frames if file.startswith(places)]
    return lines[-1] if lines else None


@lru_cache(maxsize=16)
def _environment(places: tuple[str, ...], autoescape: bool = False, **marks: str) -> Environment:
    """Return Jinja's sandbox for the folders. It is cached, because a class has a page for each student."""
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.loaders import split_template_path
    from jinja2.sandbox import SandboxedEnvironment

    def source(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        """Return the text of a template, its file, and a test that the file is unchanged. Return None for a missing
        template.
        """
        files = [os.path.join(place, *split_template_path(name)) for place in places]
        path = next(filter(os.path.isfile, files), None)
        if path is None:
            return None
        if not any(is_inside(path, place) for place in places):
            raise AttncalcError("expected a template inside its folder; this link leads outside", Location(path))
        changed = os.path.getmtime(path)
        return read_text(read_bytes(path), path), path, lambda: changed == os.path.getmtime(path)

    return SandboxedEnvironment(
        loader=FunctionLoader(source), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=autoescape, **marks,
    )  # fmt: skip


# An equation on one line, and with a line for each side; in Typst also its alternative text
Equation = TypedDict("Equation", {"text": str, "lines": str, "said": NotRequired[str]})  # noqa: UP013 (keys of templates)


class Medium:
    """A printer for the contents of blocks in a medium. Numbers look like 0.5 or, with `decimal_comma`, like 0,5."""

    dialect: FormulaPrinter
    terms: type[TermPrinter]  # an author's formulas
    almost: str
    line_break: str
    in_sentence = "{}"  # a formula between words
    strong_form, emphasis_form = "<strong>{}</strong>", "<em>{}</em>"
    arrow = "→"
    pictures: tuple[type | UnionType, ...] = ()  # optional blocks that this medium draws
    colours: Mapping[str, str] = {}  # of queries, keys and values, by role
    at_the_command_line = False  # whether the reader can use advice about the command line

    def __init__(self, decimal_comma: bool = False):
        self.formulas = self.dialect.with_comma() if decimal_comma else self.dialect

    def text(self, text: str) -> str:
        """Return a user's text without commands."""
        raise NotImplementedError

    def sentence(self, text: str) -> str:
        """Return a sentence of the program, with formatted numbers."""
        return self.text(text)

    def inline(self, tree: Tree) -> str:
        return fill(self.in_sentence, self.formula(tree))

    # -- authored text, with emphasis and formulas ---------------------------------------------------------------------

    def prose(self, text: str) -> str:
        """Return an author's text with strong words, emphasised words, and formulas between dollars."""
        return self.join([self.piece_of(piece) for piece in prose(text)])

    def piece_of(self, piece: Inline) -> str:
        match piece:
            case Plain(words):
                return self.join(
                    [self.words(word) if isinstance(word, str) else self.inline(word) for word in names(words)]
                )
            case Maths(terms):
                return self.maths(terms)
            case Strong(inside):
                return self.strong(self.join([self.piece_of(part) for part in inside]))
            case Emphasis(inside):
                return self.emphasis(self.join([self.piece_of(part) for part in inside]))

    def words(self, text: str) -> str:
        """Return an author's plain words, with the spaces around them."""
        return self.text(text)

    def join(self, pieces: list[str]) -> str:
        return "".join(pieces)

    def maths(self, terms: Terms) -> str:
        return fill(self.in_sentence, self.terms(self.formulas).set(terms))

    def strong(self, text: str) -> str:
        return fill(self.strong_form, text)

    def emphasis(self, text: str) -> str:
        return fill(self.emphasis_form, text)

    def formula(self, tree: Tree) -> str:
        return self.formulas.formula(tree)

    def value(self, cell: Cell) -> str:
        return self.formulas.number(cell.text) if cell.tree is None else self.formula(cell.tree)

    def head(self, name: Tree, place: str) -> str:
        """Return the left side of an equation: a name, or an entry of a matrix."""
        return self.formulas.entry_named(name, place)

    def in_role_colour(self, text: str, name: Tree) -> str:
        """Return a name in the colour of its role (query, key, value), if the medium has this colour."""
        colour = self.colours.get(role(unparse(name).removesuffix(".T")))
        return self.in_colour(text, colour) if colour else text

    def in_colour(self, text: str, colour: str) -> str:
        """Return a part of a formula in a colour, given as hexadecimal RGB."""
        raise NotImplementedError

    def equation(self, name: Tree, sides: Sides, place: str = "") -> Mapping[str, object]:
        """Return an equation for the template."""
        return self.written_equation(name, sides, place)

    def written_equation(self, name: Tree, sides: Sides, place: str = "") -> Equation:
        """Return an equation on one line, and with a line for each side. The signs are = or ≈."""
        head = self.head(name, place) if place else self.in_role_colour(self.head(name, place), name)
        signed_sides = [("=" if exact else self.almost, self.formula(tree)) for exact, tree in sides]
        lines = self.line_break.join(f" &{sign} {side}" for sign, side in signed_sides)
        return {"text": head + "".join(f" {sign} {side}" for sign, side in signed_sides), "lines": head + lines}

    def matrices(self, items: tuple[Grid | Sign, ...]) -> dict[str, object]:
        raise NotImplementedError

    def flow(self, flow: Flow) -> str:
        """Return a flow diagram in one line."""
        columns = (
            [f"{self.inline(Name(name))} {self.text(size)}".strip() for name, size in column]
            for column in flow_columns(flow)
        )
        return f" {self.arrow} ".join(map(", ".join, columns))

    # -- blocks, common to all media -----------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block], level: int = 2) -> Iterator[dict[str, object]]:
        """Yield the blocks for a template. The blocks of a section are between `section` and `end`. No level of
        headings is left out.
        """
        for block in blocks:
            if isinstance(block, Section):
                texts = {"text": self.text(block.title), "doc": self.sentence(block.doc)}
                yield {"kind": "section", "level": level, **texts, "folded": block.folded}
                yield from self.blocks(block.blocks, level + 1)
                yield {"kind": "end"}
                continue
            is_foreign = isinstance(block, Picture) and not isinstance(block, self.pictures)
            if is_foreign or isinstance(block, Reason) and block.folded:
                continue
            if isinstance(block, Heading):
                level = block.level + 1
            if self.at_the_command_line or not (isinstance(block, Paragraph) and block.role == "advice"):
                yield self.block(block)

    def block(self, block: Block) -> dict[str, object]:
        """Return a block for the template."""
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
                entries = [[self.entry(entry, k in typed) for k, entry in enumerate(row)] for row in rows]
                return {"kind": "table", "heads": list(map(self.text, heads)), "rows": entries, "right": sorted(right)}
        raise TypeError(block)

    def paragraph(self, block: Paragraph) -> str:
        """Return an author's paragraph, or a paragraph of the program with the formulas after it."""
        if block.authored:
            return self.prose(block.text)
        pieces = [self.sentence(block.text)]
        for k, tree in enumerate(block.formulas):
            pieces += [self.words(", " if k else " "), self.inline(tree)]
        return self.join(pieces)

    def entry(self, entry: str | tuple[Tree, ...], typed: bool) -> str:
        """Return an entry of a table: formulas separated by commas, a sentence, or a text that the reader can type."""
        if not isinstance(entry, str):
            return self.formula_list(entry)
        return self.text(entry) if typed else self.sentence(entry)

    def formula_list(self, trees: tuple[Tree, ...]) -> str:
        return ", ".join(map(self.inline, trees))

    def choice(self, choice: Choice) -> object:
        """Return a convention: the option, its value and its meaning, or a sentence with the value in it."""
        value = self.text(choice.value) if isinstance(choice.value, str) else self.inline(choice.value)
        if not choice.option:
            before, slot, after = choice.words.partition("{value}")
            return self.join([self.sentence(before), value, self.sentence(after)]) if slot else self.sentence(before)
        return f"{self.text(choice.option)} {value}" + (f" ({self.sentence(choice.words)})" if choice.words else "")


def signed_grids(items: tuple[Grid | Sign, ...], room: int = 0) -> Iterator[tuple[str, Grid]]:
    """Yield each matrix with the sign before it. A line may break between them. Large matrices are truncated, and wide
    matrices are in blocks.
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
    """Return a matrix in one piece, or in blocks of columns if it is too wide to be shrunk. `room` is the width of the
    page in digits.
    """
    widths = [max(len(cell.text) for cell in column) + 2 for column in zip(*grid.cells, strict=True)]
    if not room or sum(widths) <= SMALLER * room:
        return [grid]
    count = max(1, room // max(widths))
    grid = grid._replace(columns=grid.columns or counted_places(len(widths)))
    return [some_columns(grid, range(k, min(k + count, len(widths)))) for k in range(0, len(widths), count)]


def title(document: Document) -> str:
    """Return the title of the document: `Two heads, concatenated`, or `Two heads, concatenated, and 3 more`."""
    titles = document.titles or [""]
    return titles[0] if len(titles) == 1 else MORE.format(titles[0], len(titles) - 1)


def page(medium: Medium, document: Document) -> dict[str, object]:
    return {"title": medium.text(title(document)), "blocks": list(medium.blocks(document.blocks))}
