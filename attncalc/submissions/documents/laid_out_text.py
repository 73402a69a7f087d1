"""The text of a document in lines that know where they are from; a table becomes one of Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import Diagnostic, Location
from ..answer_examples import beyond
from ..located_text import Written, fixed, joined
from ..submission import Answer
from ..tables.xml_stream import Limit
from ..text_encoding import decoded_script

MOST_LINES = 50_000
CAPTION, NEAR = "Table:", "Table 0:"  # begin the line of a caption: of the next table, or of the one before it
MERGED = "expected a table of single cells, found merged cells; split them, or write `S =` and rows of numbers"


@dataclass(slots=True)
class Relaid:
    """A text in lines, and what could not be laid out."""

    source: str
    lines: list[Written] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    crossed: list[Diagnostic] = field(default_factory=list)
    doubts: list[Answer] = field(default_factory=list)
    is_exact: bool = False  # whether the file contains the text in this layout

    def add(self, text: str, place: Location) -> None:
        """Append some lines, which begin there."""
        for k, line in enumerate(text.split("\n")):
            self.put(self.at(line, Location(place.source, place.line + k * self.is_exact, 1)))

    def at(self, text: str, place: Location) -> Written:
        """Return a text that begins there; its characters are there as well if it is not exact."""
        return Written(text, place.shifted) if self.is_exact else fixed(text, place)

    def put(self, line: Written) -> None:
        """Append a line."""
        if len(self.lines) >= MOST_LINES:
            raise Limit(beyond(f"at most {MOST_LINES:,} lines"))
        self.lines.append(line)

    def append(self, other: Relaid) -> None:
        """Append all of another document."""
        for line in other.lines:
            self.put(line)
        self.faults += other.faults
        self.crossed += other.crossed

    def table(self, rows: list[list[Written]], place: Location, has_header: bool, caption: str = "") -> None:
        """Append a table of Markdown; the line of dashes is below its first row if that is a header."""
        if not rows:
            return
        self.add("", place)
        if caption.strip():
            self.add(f"{CAPTION} {' '.join(caption.split())}", place)
        for k, row in enumerate(rows):
            cells = [Written(cell.text.replace("|", "\\|"), cell.at) for cell in row]
            self.put(joined(cells, " | ").framed("| ", " |"))
            if k == 0 and has_header:
                self.add("|" + "---|" * len(row), place)
        self.add("", place)

    def quote(self, first: int) -> None:
        """Put the sign of a quotation in front of the lines from there on."""
        self.lines[first:] = [line.framed("> ") for line in self.lines[first:]]

    def written(self) -> Written:
        """Return the text; a character of it is at the place of its line."""
        return joined(self.lines or [fixed("", Location(self.source))])


def text_of(data: str | bytes, document: Relaid) -> str:
    """Return the text of a file, and note how it was read."""
    text = decoded_script(data, document.source)
    document.crossed += [text.note] if text.note else []
    return text.text
