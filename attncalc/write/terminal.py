"""A Document in the terminal: matrices side by side in brackets, weights shaded, wrapped between blocks where it is narrow."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.style import Style
from rich.text import Text

from ..explain.document import Block, Cell, Choices, Document, Formula, Grid, Heading, Matrices, Paragraph, Sign, Worked
from .notation import ASCII, UNICODE, Notation, formula, number

WIDEST_LABEL = 14
MOST_ROWS = 16
INDENT = 2


@dataclass(frozen=True, slots=True)
class Signs:
    """The box of signs of a terminal: brackets, rules and marks, for Unicode and for plain ASCII."""

    notation: Notation
    top: tuple[str, str]
    middle: tuple[str, str]
    bottom: tuple[str, str]
    single: tuple[str, str]
    rule: str
    check: str
    warning: str
    dots: str
    product: str
    star: str


PRETTY = Signs(UNICODE, ("⎡", "⎤"), ("⎢", "⎥"), ("⎣", "⎦"), ("[", "]"), "─", "✓", "!", "…", "·", "∘")
PLAIN = Signs(ASCII, ("|", "|"), ("|", "|"), ("|", "|"), ("|", "|"), "-", "ok:", "!", "...", ".", "*")

STYLES = {
    "title": "bold",
    "part": "bold cyan",
    "name": "bold yellow",
    "label": "cyan",
    "sign": "magenta",
    "bracket": "dim",
    "masked": "dim",
    "nearly": "italic",
    "undecided": "bold red",
    "check": "green",
    "warning": "bold yellow",
    "dim": "dim",
}
_SCIENTIFIC = re.compile(r"\d\.\d+e[+-]?\d+")
# Weights from 0 to 1 go from a pale to a deep orange; the text on them is black or white by their luminance.
_PALE, _DEEP = (253, 240, 230), (200, 72, 12)


def write(document: Document, console: Console) -> None:
    """Prints a document on a console of any width, with or without colour."""
    signs = PRETTY if _unicode(console) else PLAIN
    writer = _Writer(console, signs)
    warned = False
    for block in document.blocks:
        if isinstance(block, Paragraph) and block.role == "warning" and not warned:
            writer.line()
            warned = True
        writer.block(block)


def _unicode(console: Console) -> bool:
    return (console.encoding or "").lower().replace("-", "").startswith("utf")


class _Writer:
    def __init__(self, console: Console, signs: Signs):
        self.console = console
        self.signs = signs
        self.width = max(40, console.width)

    def line(self, text: Text | str = "") -> None:
        self.console.print(text if isinstance(text, Text) else Text(text), soft_wrap=True, highlight=False)

    def paragraph(self, text: Text, indent: int = INDENT) -> None:
        for part in text.wrap(self.console, self.width - indent):
            part.rstrip()
            self.line(Text(" " * indent) + part)

    def clean(self, text: str) -> str:
        """Text of the file without control characters, and in the terminal's encoding."""
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.replace("\n", " "))
        if self.signs is PLAIN:
            for fancy, plain in (("√", "sqrt "), ("·", "."), ("−", "-"), ("∞", "inf"), ("ᵀ", "^T"), ("≈", "~"), ("–", "-"), ("Σ", "sum ")):
                shown = shown.replace(fancy, plain)
            shown = shown.encode("ascii", "replace").decode()
        return shown

    def block(self, block: Block) -> None:
        match block:
            case Heading():
                self.heading(block)
            case Paragraph():
                self.text(block)
            case Choices():
                self.choices(block)
            case Formula():
                self.formula(block)
            case Matrices():
                self.matrices(block)
            case Worked():
                self.worked(block)

    def heading(self, block: Heading) -> None:
        title = self.clean(block.text)
        if block.level == 1:
            self.line()
            self.paragraph(Text(title, STYLES["title"]), 1)
            return
        self.line()
        aside = f" {block.aside} " if block.aside else ""
        left = f"{self.signs.rule * 2} {title} " if title else ""
        room = self.width - cell_len(left) - cell_len(aside) - 2
        rule = Text(left, STYLES["part"]) + Text(self.signs.rule * max(room, 2), STYLES["dim"]) + Text(aside, STYLES["dim"])
        self.line(rule + Text(self.signs.rule * 2 if aside else "", STYLES["dim"]))

    def text(self, block: Paragraph) -> None:
        text = self.clean(block.text)
        match block.role:
            case "ask":
                self.paragraph(Text(text), 1)
            case "check":
                self.paragraph(Text(f"{self.signs.check} ", STYLES["check"]) + Text(text, STYLES["dim"]), INDENT + 2)
            case "warning":
                self.paragraph(Text(f"{self.signs.warning} ", STYLES["warning"]) + Text(text), 1)
            case "fine":
                text = _SCIENTIFIC.sub(lambda m: number(m[0], self.signs.notation), text)
                self.paragraph(Text(text, STYLES["dim"]), INDENT + 2)
            case _:
                self.paragraph(Text(text, STYLES["dim"]), 1)

    def choices(self, block: Choices) -> None:
        words = [f"{option} {self.clean(self.math(value))}" for option, value, _ in block.pairs]
        if words:
            separator = " . " if self.signs is PLAIN else " · "
            self.paragraph(Text(separator.join(words), STYLES["dim"]), 1)

    def math(self, value: str) -> str:
        """An option's value, which is a formula's text, in notation."""
        from ..errors import FormulaError
        from ..formula.parse import parse

        try:
            return formula(parse(value), self.signs.notation)
        except FormulaError:
            return value

    def formula(self, block: Formula) -> None:
        self.line()
        name = formula(block.name, self.signs.notation)
        right = "given" if block.given else formula(block.tree, self.signs.notation)
        head = Text(name, STYLES["name"]) + Text(f" = {self.clean(right)}", "bold")
        doc = self.clean(block.doc)
        if doc and cell_len(head.plain) + cell_len(doc) + 4 <= self.width - INDENT:
            self.line(Text(" " * INDENT) + head + Text("   " + doc, STYLES["dim"]))
            return
        self.paragraph(head)
        if doc:
            self.paragraph(Text(doc, STYLES["dim"]))

    def worked(self, block: Worked) -> None:
        notation = self.signs.notation
        parts = [formula(stage, notation) for stage in block.stages] + [number(block.result, notation)]
        text = f"{self.clean(block.entry)} = {parts[0]}"
        for part in parts[1:-1]:
            text += f" {notation.almost} {part}"
        text += f" {notation.almost if block.rounded else '='} {parts[-1]}"
        self.paragraph(Text(text), INDENT + 2)

    # -- matrices --------------------------------------------------------------------------------------------------------

    def matrices(self, block: Matrices) -> None:
        room = self.width - INDENT
        row: list[Grid | Sign] = []
        # A sign belongs to the matrix behind it, so that a broken line starts with its sign.
        for group in _with_their_signs(block.items):
            if row and sum(_width(p) for p in self.pieces([*row, *group])) > room:
                self.row(self.pieces(row))
                row = []
            row += group
        if row:
            self.row(self.pieces(row))

    def pieces(self, items: list[Grid | Sign]) -> list[list[Text]]:
        headed = any(item.columns for item in items if isinstance(item, Grid))
        return [self.grid(item, self.width - INDENT - 3, headed) if isinstance(item, Grid) else self.sign(item) for item in items]

    def row(self, pieces: list[list[Text]]) -> None:
        height = max(len(p) for p in pieces)
        for k in range(height):
            line = Text(" " * INDENT)
            for piece in pieces:
                width = _width(piece)
                # Signs are centred on the tallest matrix; matrices hang from the top.
                offset = height // 2 if len(piece) == 1 else 0
                inside = piece[k - offset] if 0 <= k - offset < len(piece) else Text("")
                line += inside + Text(" " * (width - cell_len(inside.plain)))
            line.rstrip()
            self.line(line)

    def sign(self, sign: Sign) -> list[Text]:
        shown = {"·": self.signs.product, "∘": self.signs.star, "−": self.signs.notation.minus}.get(sign.text, sign.text)
        return [Text(f" {shown} " if shown else "  ", STYLES["sign"])]

    def grid(self, grid: Grid, room: int, headed: bool) -> list[Text]:
        """The lines of a matrix; `headed` leaves a line for column labels, so that neighbours stand level."""
        rows, columns = len(grid.cells), len(grid.cells[0])
        label_width = 0
        labels: list[str] = []
        if grid.rows:
            labels = [self.label(x) for x in grid.rows]
            label_width = max(cell_len(x) for x in labels) + 1
        shown_rows = list(range(rows)) if rows <= MOST_ROWS else [*range(MOST_ROWS - 2), -1, rows - 1]
        texts = [[self.number(c.text) for c in row] for row in grid.cells]
        heads = [self.label(x) for x in grid.columns] if grid.columns else [""] * columns
        widths = [max(cell_len(heads[j]), *(cell_len(row[j]) for row in texts)) for j in range(columns)]
        shown_columns = self.fitting(widths, room - label_width - 3)
        lines = []
        name = formula(grid.name, self.signs.notation)
        body = sum(widths[j] + 2 if j >= 0 else 3 for j in shown_columns)
        lines.append(Text(" " * label_width) + Text(_centred(name, body + 2), STYLES["name"]))
        if headed:
            line = Text(" " * (label_width + 1))
            for j in shown_columns:
                head = self.signs.dots[:1] if j < 0 else heads[j].rjust(_pad(heads[j], widths[j]))
                line += Text(f" {head} ", STYLES["label"])
            lines.append(line)
        for k, i in enumerate(shown_rows):
            left, right = self.brackets(k, len(shown_rows))
            label = labels[i] if labels and i >= 0 else ""
            line = Text(label.ljust(_pad(label, label_width)), STYLES["label"]) + Text(left, STYLES["bracket"])
            for j in shown_columns:
                if i < 0 or j < 0:
                    line += Text(f" {self.signs.dots[:1].rjust(widths[j] if j >= 0 else 1)} ", STYLES["dim"])
                else:
                    line += self.cell(grid.cells[i][j], texts[i][j], widths[j])
            lines.append(line + Text(right, STYLES["bracket"]))
        if rows > MOST_ROWS or len(shown_columns) < columns:
            lines.append(Text(f"{rows} {'x' if self.signs is PLAIN else '×'} {columns}", STYLES["dim"]))
        return lines

    def fitting(self, widths: list[int], room: int) -> list[int]:
        """The columns that fit, with −1 where some are left out before the last one."""
        if sum(w + 2 for w in widths) <= room:
            return list(range(len(widths)))
        used, kept = widths[-1] + 2 + 3, []
        for j, w in enumerate(widths[:-1]):
            used += w + 2
            if used > room:
                break
            kept.append(j)
        return [*kept, -1, len(widths) - 1]

    def brackets(self, k: int, count: int) -> tuple[str, str]:
        if count == 1:
            return self.signs.single
        return self.signs.top if k == 0 else self.signs.bottom if k == count - 1 else self.signs.middle

    def number(self, text: str) -> str:
        return self.clean(text).replace("-", self.signs.notation.minus).replace("inf", self.signs.notation.infinity)

    def label(self, label: str) -> str:
        text = self.clean(label)
        return text if cell_len(text) <= WIDEST_LABEL else set_cell_size(text, WIDEST_LABEL - 1).rstrip() + self.signs.dots[:1]

    def cell(self, cell: Cell, text: str, width: int) -> Text:
        padded = f" {text.rjust(_pad(text, width))} "
        if cell.shade is not None and cell.mark != "masked":
            return Text(padded, _shade(cell.shade))
        return Text(padded, STYLES.get(cell.mark, ""))


def _with_their_signs(items: tuple[Grid | Sign, ...]) -> list[list[Grid | Sign]]:
    groups: list[list[Grid | Sign]] = []
    pending: list[Grid | Sign] = []
    for item in items:
        pending.append(item)
        if isinstance(item, Grid):
            groups.append(pending)
            pending = []
    return groups


def _width(lines: list[Text]) -> int:
    return max(cell_len(line.plain) for line in lines)


def _pad(text: str, width: int) -> int:
    """The length in characters that fills so many cells, where wide characters take two."""
    return width - (cell_len(text) - len(text))


def _centred(text: str, width: int) -> str:
    left = max(0, (width - cell_len(text)) // 2)
    return " " * left + text


def _shade(share: float) -> Style:
    mixed = [round(p + (d - p) * share) for p, d in zip(_PALE, _DEEP, strict=True)]
    luminance = (0.2126 * mixed[0] + 0.7152 * mixed[1] + 0.0722 * mixed[2]) / 255
    ink = "#ffffff" if luminance < 0.45 else "#1a1a1a"
    return Style(color=ink, bgcolor=f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}")

