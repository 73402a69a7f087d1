"""The document model: a document is a list of blocks that every writer can print. Writers know nothing of attention."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..formula.syntax_tree import Name, Tree, unparse

# A call of this name in a formula is a product entry by entry, which `*` between two matrices means.
ENTRYWISE = "entrywise"

# Blocks are named tuples: a dataclass takes five times as long to define, at every start. Annotations are evaluated
# here, since a named tuple would compile the text of each.


class Cell(NamedTuple):
    """A printed number. `shade` from 0 to 1 is the share of a weight.

    `tree` is the number as a formula (√2, 1/3), if that says more than the text. Values of `mark`: `masked` (hidden by
    the mask), `nearly` (prints as a round number without being it), `rounded` (a decimal among closed forms),
    `undecided`; in a report `wrong` (as typed) and `should` (the expected entry). `lit` is the role of the cell in a
    worked entry: the `entry` itself or a `source` of it.
    """

    text: str
    shade: float | None = None
    mark: str = ""
    tree: Tree | None = None
    lit: str = ""


class Grid(NamedTuple):
    """A matrix with its name and labels. If there is little room, a writer may print a `seen` matrix by its name only.

    `explained(i, j)` returns the worked entry, for pages that show it on hover. `full` is the size of a matrix of which
    some rows and columns are omitted.
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
        return len(self.cells), len(self.cells[0])


class Sign(NamedTuple):
    """A sign between two matrices: `·`, `+`, `=`."""

    text: str


class EquationSide(NamedTuple):
    """A side of an equation; `exact` if it equals the left-hand side, and is not only close to it."""

    tree: Tree
    exact: bool = True


class Heading(NamedTuple):
    """A title (level 1) or a subtitle; `aside` is printed next to it in small print."""

    text: str
    level: int = 1
    aside: str = ""


class Paragraph(NamedTuple):
    """A text for people, with a role.

    Roles: `ask`, `source`, `note`, `warning`, `check`, `hidden` (masked entries), `fine` (small print), `advice` (for
    the command line only). In a report: `done` and `left` (steps without remarks, and steps to do), `cause` (why the
    step before it is wrong). An `authored` text may have emphasis and formulas (rich_text.py); `formulas` follow other
    texts, separated by commas.
    """

    text: str
    role: str = "note"
    authored: bool = False
    formulas: tuple[Tree, ...] = ()


class Reason(NamedTuple):
    """The purpose of a step and a common error in it. A medium that cannot fold omits a `folded` one."""

    text: str
    folded: bool = True


class Formula(NamedTuple):
    """The equation of a step: its name and the sides equal to it, for a scalar step up to its value."""

    name: Tree
    stages: tuple[EquationSide, ...]
    doc: str = ""
    aside: str = ""


class Matrices(NamedTuple):
    """Matrices side by side with signs between them; narrow media break the row between items."""

    items: tuple[Grid | Sign, ...]


class Worked(NamedTuple):
    """A worked entry: its step, its place such as `[the, cat]`, and stages that are equal (or, if rounded, nearly
    equal).

    `lead` labels one of several ways to work the entry: yours, right.
    """

    name: Name
    place: str
    stages: tuple[EquationSide, ...]
    lead: str = ""

    @property
    def entry(self) -> str:
        """Return the name of the entry: `A[the, cat]`."""
        return self.name.name + self.place


class Choice(NamedTuple):
    """A convention in force: the option as in the file, its value, and its meaning; or words without an option."""

    option: str
    value: Tree | str
    words: str = ""


class Choices(NamedTuple):
    """The conventions in force."""

    items: tuple[Choice, ...]


class Table(NamedTuple):
    """Rows under heads. An entry is a text or several formulas.

    `right` are the right-aligned columns; `typed` are the columns printed as typed in a file, `d_k` instead of dₖ.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str | tuple[Tree, ...], ...], ...]
    right: frozenset[int] = frozenset()
    typed: frozenset[int] = frozenset()


class Curve(NamedTuple):
    """Numbers over others, such as a learning rate over steps, as printed texts. Labels that are not numbers are evenly
    spaced.

    `between` are approximate points of the curve between the first and the last label, if its formula gives them; else
    lines are straight. `along` is the quantity of the labels.
    """

    name: Tree
    across: tuple[str, ...]
    heights: tuple[str, ...]
    between: tuple[tuple[float, float], ...] = ()
    along: str = ""

    @property
    def upward(self) -> str:
        """Return the name of the heights, without the lesson's prefix."""
        return unparse(self.name).rpartition(".")[2]


class Bars(NamedTuple):
    """Probabilities of words as printed texts, to be drawn as bars."""

    name: Tree
    labels: tuple[str, ...]
    texts: tuple[str, ...]


class Arcs(NamedTuple):
    """Attention weights as printed texts, one row for each query, to be drawn as lines from queries to keys."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]


class Twig(NamedTuple):
    """A word in the tree of a beam search: its printed score, and the index in the level before of the word that it
    continues.

    `kept` words are continued; `best` words form the resulting sentence.
    """

    word: str
    score: str
    parent: int
    kept: bool
    best: bool


class Beam(NamedTuple):
    """A beam search as a tree: the start token, and a level of words for each time."""

    start: str
    levels: tuple[tuple[Twig, ...], ...]


class Box(NamedTuple):
    """A matrix of a flow diagram; `uses` are the indices of its sources, `lesson` marks one for several steps."""

    name: Name
    shape: tuple[int, int]
    uses: tuple[int, ...] = ()
    lesson: bool = False


class Flow(NamedTuple):
    """A flow diagram: the data flow between matrices."""

    boxes: tuple[Box, ...]

    @property
    def levels(self) -> list[list[int]]:
        """Return the indices of the boxes by distance from the start; a box without sources precedes its first user."""
        level: dict[int, int] = {}
        for k, box in enumerate(self.boxes):
            level[k] = 1 + max((level[index] for index in box.uses), default=-1)
        for k, box in enumerate(self.boxes):
            after = [level[index] for index, user in enumerate(self.boxes) if k in user.uses]
            level[k] = min(after) - 1 if not box.uses and after else level[k]
        return [[k for k in level if level[k] == step] for step in sorted(set(level.values()))]


class Section(NamedTuple):
    """A lesson inside a lesson: its steps or, if `folded`, its result only.

    `unfolded()` returns the blocks of a folded lesson's `steps` steps, for a page on which it can be opened.
    """

    title: str
    doc: str
    blocks: "tuple[Block, ...]"
    folded: bool = False
    steps: int = 0
    unfolded: "Callable[[], tuple[Block, ...]] | None" = None


# Blocks that a medium may omit: their numbers are in a matrix or a table as well
Picture = Arcs | Bars | Beam | Curve
Block = Heading | Paragraph | Reason | Formula | Matrices | Worked | Choices | Table | Picture | Flow | Section


class Document:
    """Blocks in order, as every writer prints them."""

    def __init__(self, blocks: list[Block]):
        self.blocks = blocks

    @property
    def titles(self) -> list[str]:
        return [block.text for block in self.blocks if isinstance(block, Heading) and block.level == 1]

    def flat(self) -> Iterator[Block]:
        """Yield every block, those inside sections included."""
        return _flat(self.blocks)


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _flat(block.blocks)
