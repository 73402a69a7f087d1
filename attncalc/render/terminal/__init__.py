"""A Document in the terminal, at any width, with and without colour, in Unicode and in ASCII."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TextIO

from rich.cells import cell_len

from ...explain.document import (
    Arcs,
    Bars,
    Beam,
    Block,
    Choice,
    Choices,
    Curve,
    Document,
    EquationSide,
    Flow,
    Formula,
    Grid,
    Heading,
    Matrices,
    Paragraph,
    Reason,
    Section,
    Table,
    Worked,
)
from ...explain.outline import FEW
from ...explain.rich_text import Emphasis, Inline, Maths, Plain, Strong, prose
from ...explain.worked.entry_provenance import without_tints
from ...explain.worked.equality_signs import sides
from ...formula.syntax_tree import Name, Number, Transpose, Tree, unparse
from ..math import sentence_markup
from ..pictures.flow import flow_columns, role
from ..wrap import clean, equation
from .matrices import lines_of, rows_of
from .styled_text import PLAIN, PRETTY, STYLES, Signs, Styled, merge_runs, merge_styles, plain, run, strip, width, wrap

if TYPE_CHECKING:
    from rich.console import Console

USUAL = 80  # columns by default
NARROWEST = 40
COLUMN, NARROWEST_COLUMN = 3, 8  # cells: the gap between columns of a table, and the least width of a narrowed column
MARGIN, INDENT, INNER = 1, 2, 4  # indentation of texts, of steps, and of the blocks of a step
BETWEEN = "    "  # two formulas on a line
HANGING = 2  # indentation of the second line of a flow diagram
DEEPER = 2  # additional indentation of a section
_GROUPS = {"answer": "answer", "warning": "warning", "cause": "cause", "done": "short", "left": "short"}


def write(document: Document, screen: PlainConsole | Console) -> None:
    """Print a document on a console of any width, with or without colour."""
    is_unicode = (screen.encoding or "").lower().replace("-", "").startswith("utf")
    written = lines(document, screen.width, PRETTY if is_unicode else PLAIN)
    if isinstance(screen, PlainConsole) or screen.color_system is None and not screen.record:
        screen.file.write("".join(f"{plain(line)}\n" for _, line in written))
    else:
        from rich.segment import Segment, Segments
        from rich.style import Style

        shown = [
            Segment(text, Style.parse(style)) for _, line in written for text, style in (*line, ("\n", "")) if text
        ]
        screen.print(Segments(shown), soft_wrap=True)


def lines(document: Document, width: int, signs: Signs) -> list[tuple[str, Styled]]:
    """Return the lines of a document, each with the kind of its block: `formula`, `matrices`, a paragraph's role ..."""
    writer = _Writer(width, signs)
    writer.document(document)
    return writer.lines


class _Writer:
    def __init__(self, width: int, signs: Signs):
        self.signs = signs
        self.width = max(NARROWEST, width)
        self.shift = 0  # indentation of the section
        self.kind = ""
        self.lines: list[tuple[str, Styled]] = []

    def document(self, document: Document) -> None:
        before: Block | Short | None = None
        for block in compact(document):
            if _group(block) and _group(block) != _group(before):
                self.line()
            self.block(block)
            before = block

    def block(self, block: Block | Short) -> None:
        self.kind = block.role if isinstance(block, Paragraph) else type(block).__name__.lower()
        match block:
            case Heading():
                self.heading(block)
            case Paragraph():
                self.text(block)
            case Reason(text, folded):
                if not folded:
                    self.paragraph(run(self.math(text), STYLES["dim"]), INNER)
            case Choices():
                self.choices(block)
            case Formula():
                self.formula(block)
            case Matrices():
                for line in lines_of(block.items, self.width - INDENT, self.signs):
                    self.line(line, INDENT)
            case Worked():
                lead = f"{self.clean(block.lead)}: " if block.lead else ""
                entry = self.clean(self.signs.notation.entry_named(block.name, block.place))
                self.equation(lead + entry, "", block.stages, INNER)
            case Table():
                if self.lines and self.lines[-1][0] in ("worked", "matrices"):
                    self.line()
                self.table(block)
            case Curve() | Bars() | Beam():
                self.picture(block)
            case Flow():
                self.flow(block)
            case Section():
                self.section(block)
            case Short():
                self.short(block)

    def picture(self, block: Curve | Bars | Beam) -> None:
        """Write a picture drawn with characters. Its modules are imported here, because few problems have a picture of
        this kind.
        """
        from ..pictures import bars, beam_tree, curve

        if isinstance(block, Curve):
            self.line()
        drawn: list[Styled] = {Curve: curve, Bars: bars, Beam: beam_tree}[type(block)].lines_of(
            block, self.width - INNER, self.signs
        )
        for line in drawn:
            self.line(line, INNER)

    # -- lines ---------------------------------------------------------------------------------------------------------

    def line(self, text: Styled = (), indent: int = 0) -> None:
        self.lines.append((self.kind, run(" " * (self.shift + indent)) + text if plain(text) else ()))

    def gap(self) -> None:
        """Write an empty line, except below the heading of a nested lesson."""
        if self.lines and self.lines[-1][0] != "section":
            self.line()

    def paragraph(self, text: Styled, indent: int, hanging: int = 0) -> None:
        """Write a text with line breaks between words. Lines after the first are indented by `hanging` more cells."""
        for k, line in enumerate(wrap(text, self.width - indent - hanging)):
            self.line(line, indent if k == 0 else indent + hanging)

    def clean(self, text: str) -> str:
        return clean(text, self.signs.plain)

    def math(self, text: str) -> str:
        """Return a sentence with numbers and entries in the notation of the medium: −0.5, 7.9·10⁻³², S₁,₂. Names do not
        change.
        """
        notation = self.signs.notation
        return self.clean(
            "".join(
                piece
                if isinstance(piece, str)
                else piece.name
                if isinstance(piece, Name)
                else sentence_markup.formula(notation, piece)
                for piece in sentence_markup.pieces(text)
            )
        )

    # -- blocks --------------------------------------------------------------------------------------------------------

    def heading(self, block: Heading) -> None:
        self.line()
        title = self.clean(block.text)
        if block.level == 1:
            self.paragraph(run(title, STYLES["title"]), MARGIN)
        else:
            self.rule(title, self.clean(block.aside))

    def rule(self, title: str, aside: str) -> None:
        left = f"{self.signs.rule * 2} {title} " if title else ""
        right = f" {aside} " + self.signs.rule * 2 if aside else ""
        room = self.width - MARGIN - cell_len(left) - cell_len(right)
        if room < 2:
            self.paragraph(run(f"{title} {aside}".strip(), STYLES["part"]), MARGIN)
        else:
            self.line(((left, STYLES["part"]), (self.signs.rule * room + right, STYLES["dim"])))

    def section(self, block: Section) -> None:
        """Write a nested lesson: its name, and its indented steps. If it is folded, write its result instead of the
        steps.
        """
        self.line()
        mark = self.signs.folded if block.folded else self.signs.unfolded
        name = run(f"{mark} {self.clean(block.title)}", STYLES["name" if block.folded else "lesson"])
        self.describe(wrap(name, self.width - MARGIN), self.math(block.doc), MARGIN, cell_len(mark) + 1)
        step = DEEPER if self.width - DEEPER >= NARROWEST else 0
        self.shift, self.width = self.shift + step, self.width - step
        for inside in block.blocks:
            self.block(inside)
        self.shift, self.width = self.shift - step, self.width + step

    def text(self, block: Paragraph) -> None:
        mark, style, indent = self.role_style(block.role)
        if block.authored:
            text = merge_runs(self.prose(prose(block.text), style))
        else:
            formulas = ", ".join(map(self.side, block.formulas))
            text = run(f"{self.math(block.text)} {formulas}".rstrip(), style)
        if mark:
            text = run(f"{mark} ", STYLES.get(block.role, STYLES["dim"])) + text
        self.paragraph(text, indent, cell_len(mark) + 1 if mark else 0)

    def prose(self, pieces: Iterable[Inline], style: str = "") -> Iterator[tuple[str, str]]:
        """Yield the pieces of an author's text with their styles. Formulas are single lines."""
        for piece in pieces:
            match piece:
                case Plain(text):
                    yield self.clean(text), style
                case Maths(terms):
                    from ..math import inline  # slow to import, and few problems have formulas in their words

                    yield inline.LineTerms(self.signs.notation).set(terms), style
                case Strong(inside):
                    yield from self.prose(inside, merge_styles(style, "bold"))
                case Emphasis(inside):
                    yield from self.prose(inside, merge_styles(style, "italic"))

    def role_style(self, role: str) -> tuple[str, str, int]:
        """Return the mark, the style and the indentation of a role."""
        return {
            "ask": ("", STYLES[""], MARGIN),
            "answer": ("", STYLES[""], MARGIN),
            "warning": (self.signs.warning, STYLES[""], MARGIN),
            "cause": (self.signs.warning, STYLES[""], INDENT),
            "done": (self.signs.check, STYLES[""], INDENT),
            "left": (self.signs.hidden, STYLES["dim"], INDENT),
            "check": (self.signs.check, STYLES["dim"], INNER),
            "hidden": (self.signs.hidden, STYLES["dim"], INNER),
            "fine": ("", STYLES["dim"], INNER),
        }.get(role, ("", STYLES["dim"], MARGIN))

    def choices(self, block: Choices) -> None:
        """Write the conventions. If possible, lines break between conventions."""
        line: Styled = ()
        for choice in map(self.choice, block.items):
            joined = line + run(self.signs.separator, STYLES["dim"]) + choice if line else choice
            if line and width(joined) > self.width - 2 * MARGIN:
                self.paragraph(line, MARGIN)
                joined = choice
            line = joined
        if line:
            self.paragraph(line, MARGIN)

    def choice(self, choice: Choice) -> Styled:
        if not choice.option:
            return run(self.math(choice.words), STYLES["dim"])
        value = choice.value if isinstance(choice.value, str) else self.signs.notation.formula(choice.value)
        words = f" ({self.math(choice.words)})" if choice.words else ""
        return (choice.option, STYLES["label"]), (f" {self.clean(value)}{words}", STYLES["dim"])

    def formula(self, block: Formula) -> None:
        self.gap()
        name, style = self.signs.notation.formula(block.name), STYLES[role(unparse(block.name)) or "name"]
        aside = f"({block.aside})" if block.aside else ""
        self.equation(name, style, block.stages, INDENT, self.math(f"{block.doc} {aside}".strip()))

    def short(self, block: Short) -> None:
        """Write several steps together: their formulas in a line, and their matrices next to each other."""
        self.gap()
        line: Styled = ()
        for formula in block.formulas:
            name, style = self.side(formula.name), STYLES[role(unparse(formula.name)) or "name"]
            sides = [("=", self.side(stage.tree)) for stage in formula.stages[:1]]
            *broken, last_part = [
                self.style_equation(style, parts, sides) for parts in equation(name, sides, self.width - INDENT)
            ]
            joined = line + run(BETWEEN) + last_part if line else last_part
            if line and (broken or width(joined) > self.width - INDENT):
                self.line(line, INDENT)
                joined = last_part
            for part in broken:
                self.line(part, INDENT)
            line = last_part if broken else joined
        self.line(line, INDENT)
        for row in rows_of(block.grids, self.width - INDENT, self.signs):
            self.line(row, INDENT)

    def flow(self, block: Flow) -> None:
        """Write a flow diagram, X 4×3 → Q, K, V 4×3 → S 4×4. Lines break between matrices."""
        self.gap()
        line, hanging = Styled(), 0
        ending = cell_len(f" {self.signs.arrow}")  # width of the sign at the end of a broken line
        for column in flow_columns(block, by=self.signs.by):
            for k, (name, size) in enumerate(column):
                sign, style = (", ", STYLES["dim"]) if k else (f" {self.signs.arrow} ", STYLES["sign"])
                named = run(self.side(Name(name)), STYLES[role(name) or "name"])
                named += run(f" {size}" if size else "", STYLES["dim"])
                joined = line + run(sign, style) + named if line else named
                if line and width(joined) + ending > self.width - INDENT - hanging:
                    self.line(line + run(sign.rstrip(), style), INDENT + hanging)
                    joined, hanging = named, HANGING
                line = joined
        self.line(line, INDENT + hanging)

    def table(self, block: Table) -> None:
        for line in table_lines(block, self.width - INDENT, self.entry, self.clean):
            self.line(line, INDENT)

    def entry(self, entry: str | tuple[Tree, ...]) -> Styled:
        if isinstance(entry, str):
            return run(self.math(entry))
        style = "" if all(isinstance(tree, Number) for tree in entry) else "name"
        return run(self.clean(", ".join(self.signs.notation.formula(tree) for tree in entry)), STYLES[style])

    def side(self, tree: Tree) -> str:
        return self.clean(self.signs.notation.formula(tree))

    def equation(self, head: str, style: str, stages: tuple[EquationSide, ...], indent: int, doc: str = "") -> None:
        """Write `head = side ≈ side   doc`."""
        signed = [("=" if equal else self.signs.notation.almost, self.side(tree)) for equal, tree in sides(stages)]
        lines = [self.style_equation(style, parts, signed) for parts in equation(head, signed, self.width - indent)]
        self.describe(lines, doc, indent)

    def describe(self, lines: list[Styled], doc: str, indent: int, hanging: int = 0) -> None:
        """Write lines with a description. It follows the first line, or is below the lines if there is no room."""
        on_same_line = doc and width(lines[0]) + 3 + cell_len(doc) <= self.width - indent
        if on_same_line:
            lines[0] += run(f"   {doc}", STYLES["dim"])
        for line in lines:
            self.line(line, indent)
        if doc and not on_same_line:
            self.paragraph(run(doc, STYLES["dim"]), indent + hanging)

    def style_equation(self, style: str, parts: list[str], sides: list[tuple[str, str]]) -> Styled:
        line = [(parts[0], style)]
        for sign, side in zip(parts[1::2], parts[2::2], strict=True):
            strong = bool(style) or (len(sides) > 1 and side == sides[-1][1])
            line += [(f" {sign} ", STYLES["sign"]), (side, STYLES["strong" if strong else ""])]
        return tuple(line)


def _group(block: Block | Short | None) -> str:
    """Return the group of a paragraph: warnings, short steps or a cause. An empty line precedes each group."""
    return _GROUPS.get(block.role, "") if isinstance(block, Paragraph) else ""


def table_lines(
    table: Table, room: int, entry: Callable[[str | tuple[Tree, ...]], Styled], clean: Callable[[str], str]
) -> Iterator[Styled]:
    """Yield the rows below dim heads. If there is no room, the widest columns are narrowed. If this is not enough, the
    last columns follow below the first.
    """
    count = len(table.heads)
    least = [min(NARROWEST_COLUMN, max(width(entry(row[k])) for row in table.rows)) for k in range(count)]
    if sum(least) + COLUMN * (count - 1) > room and count > 2:
        half = (count + 1) // 2
        yield from table_lines(_select_columns(table, range(half)), room, entry, clean)
        yield ()
        table = _select_columns(table, [0, *range(half, count)])
    heads = [[run(clean(head), STYLES["dim"]) for head in table.heads]] if any(table.heads) else []
    rows = [*heads, *([entry(content) for content in row] for row in table.rows)]
    columns = [[plain(row[k]) for row in rows] for k in range(len(table.heads))]
    widths = _narrow([max(map(cell_len, texts)) for texts in columns], list(map(_longest_word, columns)), room)
    for row in rows:
        cells = [wrap(text, wide) for text, wide in zip(row, widths, strict=True)]
        for k in range(max(map(len, cells))):
            yield _line([cell[k] if k < len(cell) else () for cell in cells], widths, table.right)


def _line(parts: list[Styled], widths: list[int], right: frozenset[int]) -> Styled:
    line: Styled = ()
    for column, (part, wide) in enumerate(zip(parts, widths, strict=True)):
        room = run(" " * (wide - width(part)))
        line += (room + part if column in right else part + room) + run(" " * COLUMN)
    return strip(line)


def _select_columns(table: Table, chosen: Sequence[int]) -> Table:
    rows = tuple(tuple(row[k] for k in chosen) for row in table.rows)
    return Table(
        tuple(table.heads[k] for k in chosen), rows, frozenset(n for n, k in enumerate(chosen) if k in table.right)
    )


def _longest_word(texts: list[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _narrow(widths: list[int], words: list[int], room: int) -> list[int]:
    """Return widths of columns that fit. The widest columns are narrowed. Words break only if necessary, and last in
    the first column.
    """
    widths, broken = list(widths), [0] * (len(widths) - 1)
    for least in (words, [words[0], *broken], [0, *broken]):
        while sum(widths) + COLUMN * (len(widths) - 1) > room:
            wide = [k for k, width in enumerate(widths) if width > max(least[k], NARROWEST_COLUMN)]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


class PlainConsole:
    """A console for plain lines. For colours, the console of rich is used, which is slow to import."""

    def __init__(self, file: TextIO, width: int):
        self.file = file
        self.width = width

    @property
    def encoding(self) -> str:
        return self.file.encoding or "utf-8"


def is_plain(file: TextIO) -> bool:
    """Return whether a file gets plain lines, by the rules of rich: it is not a terminal, and no setting forces
    colours.
    """
    is_forced = os.environ.get("TTY_COMPATIBLE", "") == "1" or os.environ.get("FORCE_COLOR", "") != ""
    return not is_forced and not file.isatty()


def console_width() -> int:
    """Return the line width for plain lines, by the rules of rich: the width of the terminal that runs the command."""
    if (setting := os.environ.get("COLUMNS", "")).isdigit():
        return int(setting)
    for stream in range(3):
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or USUAL
    return USUAL


# -- long solutions: a step like an earlier step is reduced to its matrices -------------------


class Short(NamedTuple):
    """Several consecutive steps: their formulas, and their new matrices."""

    formulas: tuple[Formula, ...]
    grids: tuple[Grid, ...]


ADVICE = "Steps that repeat earlier ones show only matrices; --step NAME shows one in full."
Step = list[Block]  # a formula, and the blocks below it
Texts = tuple[tuple[str, ...], ...]

_INDEX = r"_?\d+(?=$|[.\W])|\w+\."


def compact(document: Document) -> list[Block | Short]:
    """Return the blocks. If there are many steps, and no step has all entries worked, repeated steps merge into Short
    blocks.
    """
    flat = list(document.flat())
    steps = [block for block in flat if isinstance(block, Formula)]
    is_full = any(isinstance(a, Worked) and isinstance(b, Worked) for a, b in pairwise(flat))
    if len(steps) <= FEW or is_full:
        return list(document.blocks)
    blocks = list(_Compactor().blocks(document.blocks))
    start = next((k for k, block in enumerate(blocks) if k and isinstance(block, Heading)), 1)
    return [*blocks[:start], Paragraph(ADVICE, "advice"), *blocks[start:]]


class _Compactor:
    """A filter that shortens repeated steps. It remembers the kinds of steps and the matrices that were shown."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.shown: set[tuple[str, Texts]] = set()
        self.latest: dict[str, Texts] = {}  # the last numbers of each name

    def blocks(self, blocks: Iterable[Block]) -> Iterator[Block | Short]:
        short: list[Step] = []
        for step in _steps(blocks):
            if isinstance(step[0], Formula) and _is_known(step, self.known):
                short.append(step)
                continue
            yield from self.merge(short)
            short = []
            for block in step:
                if isinstance(block, Matrices):
                    self.new_grids([item for item in block.items if isinstance(item, Grid)])
                yield self.section(block) if isinstance(block, Section) else block
        yield from self.merge(short)

    def section(self, section: Section) -> Section:
        """Return a nested lesson without its flow diagram."""
        inside = (block for block in self.blocks(section.blocks) if not isinstance(block, Flow))
        return section._replace(blocks=tuple(inside))  # type: ignore[arg-type]

    def merge(self, steps: Sequence[Step]) -> Iterator[Block | Short]:
        """Yield the steps as one Short block, and then their warnings."""
        if steps:
            heads = tuple(head for head, *_ in steps if isinstance(head, Formula))
            grids = [item for step in steps for item in _grids(step)]
            new = self.new_grids(grids)
            self.record_alias(heads)
            yield Short(heads, tuple(map(without_tints, new)))
            yield from (
                block for step in steps for block in step if isinstance(block, Paragraph) and block.role == "warning"
            )

    def record_alias(self, heads: Iterable[Formula]) -> None:
        """Record new names of known matrices, such as Y = normed, so that their numbers are not shown again."""
        for head in heads:
            source = head.stages[0].tree if len(head.stages) == 1 else None
            if isinstance(source, Name) and source.name in self.latest:
                self.shown.add((unparse(head.name), self.latest[source.name]))

    def new_grids(self, grids: Sequence[Grid]) -> list[Grid]:
        """Return the matrices that were not shown before. A transposed matrix is never new."""
        unseen = []
        for grid in grids:
            key = unparse(grid.name), tuple(tuple(cell.text for cell in row) for row in grid.cells)
            self.latest[key[0]] = key[1]
            if key not in self.shown and not isinstance(grid.name, Transpose):
                unseen.append(grid)
            self.shown.add(key)
        return unseen


def _grids(step: Step) -> list[Grid]:
    return [item for block in step if isinstance(block, Matrices) for item in block.items if isinstance(item, Grid)]


def _steps(blocks: Iterable[Block]) -> Iterator[Step]:
    """Yield each formula with the blocks that belong to it, and every other block alone."""
    step: Step = []
    for block in blocks:
        if isinstance(block, Arcs | Reason):  # the terminal omits them
            continue
        if step and isinstance(step[0], Formula) and isinstance(block, Matrices | Worked | Paragraph):
            step.append(block)
            continue
        if step:
            yield step
        step = [block]
    if step:
        yield step


def _is_known(step: Step, known: set[str]) -> bool:
    """Return whether a similar step was shown: a step with the same meaning, or with the same formula except for
    numbers of heads.
    """
    head = step[0]
    assert isinstance(head, Formula)
    formula = unparse(head.stages[0].tree) if head.stages else ""
    kind = head.doc or re.sub(_INDEX, "", f"{unparse(head.name)} = {formula}")
    seen = kind in known
    known.add(kind)
    return seen and len(head.stages) < 2 and (len(step) == 1 or any(isinstance(block, Matrices) for block in step))
