"""A document: a short list of blocks that every writer can set. Solutions become documents once; writers know no
attention.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..formula.tree import Name, Tree, unparse

# A call of this name in a formula is a product entry by entry, which `*` between two matrices means.
ENTRYWISE = "entrywise"

# Blocks that hold values and nothing else are named tuples: a dataclass takes five times as long to make, at every
# start. Annotations are not put off here, since a named tuple would compile the text of each.


class Cell(NamedTuple):
    """One printed number. `shade` from 0 to 1 is a weight's share; `mark` says what the text alone does not.

    `tree` is the same number as a formula (√2, 1/3), where that says it better than the text. Marks: `masked` (hidden
    by the mask), `nearly` (prints as a round number without being it), `rounded` (a decimal among closed forms),
    `undecided`; in a report `wrong` (typed so), and `should` (what belongs in that place). `lit` says what the cell is
    to the entry that is worked out beside its matrix: the `entry` itself, or one of its `source`s.
    """

    text: str
    shade: float | None = None
    mark: str = ""
    tree: Tree | None = None
    lit: str = ""


class Grid(NamedTuple):
    """A matrix with its name and labels. A writer short of room may set a `seen` one by its name alone.

    `explained` works out any entry of it, for a page that shows this where one points. `full` is the size of a matrix
    of which some rows and columns are left out.
    """

    name: Tree
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    seen: bool = False
    explained: "Callable[[int, int], Worked | None] | None" = None
    full: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.cells), len(self.cells[0])


class Sign(NamedTuple):
    """What stands between two matrices: `·`, `+`, `=`."""

    text: str


class Stage(NamedTuple):
    """One side of an equation; `exact` where it equals what the equation is about, and not only nearly."""

    tree: Tree
    exact: bool = True


class Heading(NamedTuple):
    """A title (level 1) or a subtitle; `aside` stands beside it in small print."""

    text: str
    level: int = 1
    aside: str = ""


class Paragraph(NamedTuple):
    """Text for people. Roles: `ask`, `source`, `note`, `warning`, `check`, `hidden` (what the mask hides), `fine`
    (small print), `advice` (how to see more, of use only at the command line). In a report: `done` and `left` (steps of
    which no more is to be said, and those to do), `cause` (why the step before it went wrong). What an author wrote may
    have emphasis and formulas (prose.py); behind our own words `formulas` may stand, with commas between them.
    """

    text: str
    role: str = "note"
    authored: bool = False
    formulas: tuple[Tree, ...] = ()


class Reason(NamedTuple):
    """Why a step is there, and what is often thought or done wrong; a medium that cannot fold leaves a `folded` one
    out.
    """

    text: str
    folded: bool = True


class Formula(NamedTuple):
    """The line of a step: its name and the sides that are equal to it. A scalar step is worked out here, to
    its value.
    """

    name: Tree
    stages: tuple[Stage, ...]
    doc: str = ""
    aside: str = ""


class Matrices(NamedTuple):
    """Matrices side by side with signs between them, broken between blocks where the medium is narrow."""

    items: tuple[Grid | Sign, ...]


class Worked(NamedTuple):
    """One entry worked out in full: its step and its place there, `[the, cat]`, then stages that are equal (or, where
    prints are rounded, nearly).

    `lead` is a word before it where an entry is worked in more than one way: yours, right.
    """

    name: Name
    place: str
    stages: tuple[Stage, ...]
    lead: str = ""

    @property
    def entry(self) -> str:
        """The entry by its name: `A[the, cat]`."""
        return self.name.name + self.place


class Choice(NamedTuple):
    """A convention in force: the option as it is set in the file, its value, and what that means; without an option its
    words alone.
    """

    option: str
    value: Tree | str
    words: str = ""


class Choices(NamedTuple):
    """The conventions in force, in a row."""

    items: tuple[Choice, ...]


class Table(NamedTuple):
    """Rows under heads. An entry is a text, or formulas with commas between them; the columns `right` keep to the
    right, what stands in the columns `typed` is set as it is typed in a file, `d_k` and not dₖ.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str | tuple[Tree, ...], ...], ...]
    right: frozenset[int] = frozenset()
    typed: frozenset[int] = frozenset()


class Curve(NamedTuple):
    """Numbers over others, such as a learning rate over its steps, both as they are printed; labels that are no numbers
    stand evenly.

    `between` is about where the curve runs from the first of the labels to the last, where its formula tells; else
    lines are straight. `along` is what the labels count.
    """

    name: Tree
    across: tuple[str, ...]
    heights: tuple[str, ...]
    between: tuple[tuple[float, float], ...] = ()
    along: str = ""

    @property
    def upward(self) -> str:
        """What the heights are called, without the lesson that they belong to."""
        return unparse(self.name).rpartition(".")[2]


class Bars(NamedTuple):
    """Probabilities of words as they are printed, to be drawn as bars."""

    name: Tree
    labels: tuple[str, ...]
    texts: tuple[str, ...]


class Arcs(NamedTuple):
    """Attention weights as they are printed, a row for each query, to be drawn as lines from the queries to
    the keys.
    """

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]


class Twig(NamedTuple):
    """A word in the tree of a beam search: the score with it as printed, and which word of the level before it
    continues.

    `kept` ones are continued; the `best` are the words of the sentence that is found.
    """

    word: str
    score: str
    parent: int
    kept: bool
    best: bool


class Beam(NamedTuple):
    """A beam search as a tree: what stands before the first word, and a level of words for each time."""

    start: str
    levels: tuple[tuple[Twig, ...], ...]


class Box(NamedTuple):
    """A matrix of a map, made from those before it at the places `uses`; a `lesson` is one that has steps
    of its own.
    """

    name: Name
    shape: tuple[int, int]
    uses: tuple[int, ...] = ()
    lesson: bool = False


class Flow(NamedTuple):
    """A map: which matrices become which."""

    boxes: tuple[Box, ...]

    @property
    def levels(self) -> list[list[int]]:
        """The boxes by how far they are from the start; one that needs nothing stands just before the first that needs
        it.
        """
        level: dict[int, int] = {}
        for k, box in enumerate(self.boxes):
            level[k] = 1 + max((level[index] for index in box.uses), default=-1)
        for k, box in enumerate(self.boxes):
            after = [level[index] for index, user in enumerate(self.boxes) if k in user.uses]
            level[k] = min(after) - 1 if not box.uses and after else level[k]
        return [[k for k in level if level[k] == step] for step in sorted(set(level.values()))]


class Section(NamedTuple):
    """A lesson inside a lesson: its steps, or, where it is `folded`, its result alone.

    `unfolded` works out the steps of a folded one, so many as `steps` says, for a page on which it can be opened.
    """

    title: str
    doc: str
    blocks: "tuple[Block, ...]"
    folded: bool = False
    steps: int = 0
    unfolded: "Callable[[], tuple[Block, ...]] | None" = None


# What a medium draws or leaves out: its numbers stand in a matrix or a table as well
Picture = Arcs | Bars | Beam | Curve
Block = Heading | Paragraph | Reason | Formula | Matrices | Worked | Choices | Table | Picture | Flow | Section


class Document:
    """What every writer sets: blocks in order."""

    def __init__(self, blocks: list[Block]):
        self.blocks = blocks

    @property
    def titles(self) -> list[str]:
        """The title of each problem: one, or several that are bound together."""
        return [block.text for block in self.blocks if isinstance(block, Heading) and block.level == 1]

    def flat(self) -> Iterator[Block]:
        """Every block, those inside sections as well."""
        return _flat(self.blocks)


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _flat(block.blocks)
