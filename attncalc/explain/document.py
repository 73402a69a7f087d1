"""A document: a short list of blocks that every writer can set. Solutions become documents once; writers know no attention."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..formula.tree import Tree


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number. `shade` from 0 to 1 is a weight's share; `mark` says what the text alone does not.

    Marks: `masked` (hidden by the mask), `nearly` (prints as a round number without being it), `undecided`, `worked`.
    """

    text: str
    shade: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix with its name and labels."""

    name: Tree
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sign:
    """What stands between two matrices: `·`, `+`, `=`."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 1
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text for people. Roles: `ask`, `source`, `note`, `doc`, `warning`, `check`, `fine` (small print)."""

    text: str
    role: str = "note"


@dataclass(frozen=True, slots=True)
class Formula:
    """`name = tree`, the line that a step works out; `given` where its value stands in the problem instead."""

    name: Tree
    tree: Tree
    doc: str = ""
    given: bool = False


@dataclass(frozen=True, slots=True)
class Matrices:
    """Matrices side by side with signs between them, broken between blocks where the medium is narrow."""

    items: tuple[Grid | Sign, ...]


@dataclass(frozen=True, slots=True)
class Worked:
    """One entry worked out in full: its name, then stages that are equal (or, where prints are rounded, nearly)."""

    entry: str
    stages: tuple[Tree, ...]
    result: str
    rounded: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The conventions in force: pairs of an option and its value, the defaults marked."""

    pairs: tuple[tuple[str, str, bool], ...]


Block = Heading | Paragraph | Formula | Matrices | Worked | Choices


@dataclass(slots=True)
class Document:
    blocks: list[Block] = field(default_factory=list)
