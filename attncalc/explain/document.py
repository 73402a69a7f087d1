"""The document model. A document is a list of blocks, which each writer prints in its format."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..formula.syntax_tree import Name, Tree, unparse

# The name of a call that represents the entrywise product of two matrices.
ENTRYWISE = "entrywise"

# Blocks are named tuples, because dataclasses would make every start slower. Annotations are evaluated here, because a
# named tuple would compile the text of each annotation.


class Cell(NamedTuple):
    """A printed number. `shade` is the weight from 0 to 1 for the background.

    - `tree` is the number as a formula (√2, 1/3), if a formula is more precise than the text.
    - `mark` in a solution: `masked`, `nearly` (printed as a round number, but not equal to it), `rounded` (a decimal
      among closed forms) or `undecided`. In a report: `wrong` (the student's entry) or `should` (the expected entry).
    - `lit` is the role of the cell in a worked entry: `entry`, or `source` if the entry is computed from the cell.
    """

    text: str
    shade: float | None = None
    mark: str = ""
    tree: Tree | None = None
    lit: str = ""


class Grid(NamedTuple):
    """A matrix with its name and labels.

    - `seen` is True if the matrix was shown before. A writer may then print only its name.
    - `explained(i, j)` returns the worked entry, for pages that show it on hover.
    - `full` is the size of a matrix of which some rows and columns are omitted.
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
    """A side of an equation. `exact` is False if the side is rounded."""

    tree: Tree
    exact: bool = True


class Heading(NamedTuple):
    """A title (level 1) or a subtitle. `aside` is printed next to it in small print."""

    text: str
    level: int = 1
    aside: str = ""


class Paragraph(NamedTuple):
    """A text for people, with a role.

    Roles: `ask`, `source`, `note`, `warning`, `check`, `hidden` (masked entries), `fine` (small print), `advice` (only
    for the command line). In a report: `done` (steps without remarks), `left` (steps to do), `cause` (why the previous
    step is wrong). An `authored` text may have emphasis and formulas (rich_text.py). `formulas` are printed after other
    texts.
    """

    text: str
    role: str = "note"
    authored: bool = False
    formulas: tuple[Tree, ...] = ()


class Reason(NamedTuple):
    """The purpose of a step and a common mistake. A medium without folding omits a `folded` reason."""

    text: str
    folded: bool = True


class Formula(NamedTuple):
    """The equation of a step: its name, and the sides after the first sign. A 1 × 1 step ends with its value."""

    name: Tree
    stages: tuple[EquationSide, ...]
    doc: str = ""
    aside: str = ""


class Matrices(NamedTuple):
    """Matrices side by side with signs between them. A narrow medium uses several lines."""

    items: tuple[Grid | Sign, ...]


class Worked(NamedTuple):
    """A worked entry: its step, its row and column such as `[the, cat]`, and the sides of its calculation. `lead` is a
    label if there are several calculations: yours, correct.
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
    """A convention: its option, its value, its meaning, and the description of the option.

    `option` is empty for a convention without an option.
    """

    option: str
    value: Tree | str
    words: str = ""
    doc: str = ""


class Choices(NamedTuple):
    """The conventions of a part."""

    items: tuple[Choice, ...]


class Table(NamedTuple):
    """Rows below column heads. A cell is a text or several formulas. `right` are the right-aligned columns. `typed` are
    columns with the notation of problem files: `d_k` instead of dₖ.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str | tuple[Tree, ...], ...], ...]
    right: frozenset[int] = frozenset()
    typed: frozenset[int] = frozenset()


class Curve(NamedTuple):
    """A curve of numbers, such as the learning rate over steps, as printed texts. `across` are the labels of the
    horizontal axis; labels that are not numbers are evenly spaced. `between` are approximate points of the curve.
    Without them the lines are straight. `along` is the quantity on the horizontal axis.
    """

    name: Tree
    across: tuple[str, ...]
    heights: tuple[str, ...]
    between: tuple[tuple[float, float], ...] = ()
    along: str = ""

    @property
    def upward(self) -> str:
        """The name of the quantity on the vertical axis, without the lesson's prefix."""
        return unparse(self.name).rpartition(".")[2]


class Bars(NamedTuple):
    """Probabilities of words as printed texts, for a bar chart."""

    name: Tree
    labels: tuple[str, ...]
    texts: tuple[str, ...]


class Arcs(NamedTuple):
    """Attention weights as printed texts, with a row for each query. They are drawn as lines from queries to keys."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]


class Twig(NamedTuple):
    """A word in the tree of a beam search, with its printed score. `parent` is the index of the previous word in the
    level before. `kept` words are continued. `best` words form the result.
    """

    word: str
    score: str
    parent: int
    kept: bool
    best: bool


class Beam(NamedTuple):
    """A beam search as a tree: the start token, and a level of words for each time step."""

    start: str
    levels: tuple[tuple[Twig, ...], ...]


class Box(NamedTuple):
    """A matrix in a flow diagram. `uses` are the indices of its sources. `lesson` is True for a box of a lesson."""

    name: Name
    shape: tuple[int, int]
    uses: tuple[int, ...] = ()
    lesson: bool = False


class Flow(NamedTuple):
    """A flow diagram of matrices."""

    boxes: tuple[Box, ...]

    @property
    def levels(self) -> list[list[int]]:
        """The box indices by distance from the start. A box without sources is one level before its first user."""
        level: dict[int, int] = {}
        for k, box in enumerate(self.boxes):
            level[k] = 1 + max((level[index] for index in box.uses), default=-1)
        for k, box in enumerate(self.boxes):
            after = [level[index] for index, user in enumerate(self.boxes) if k in user.uses]
            level[k] = min(after) - 1 if not box.uses and after else level[k]
        return [[k for k in level if level[k] == step] for step in sorted(set(level.values()))]


class Section(NamedTuple):
    """A lesson inside a lesson: its steps, or only its result if it is `folded`. `steps` counts the folded steps.
    `unfolded()` returns their blocks, for a page on which the reader can open them.
    """

    title: str
    doc: str
    blocks: "tuple[Block, ...]"
    folded: bool = False
    steps: int = 0
    unfolded: "Callable[[], tuple[Block, ...]] | None" = None


# Blocks that a medium may omit, because their numbers are also in a matrix or a table
Picture = Arcs | Bars | Beam | Curve
Block = Heading | Paragraph | Reason | Formula | Matrices | Worked | Choices | Table | Picture | Flow | Section


class Document:
    """A list of blocks."""

    def __init__(self, blocks: list[Block]):
        self.blocks = blocks

    @property
    def titles(self) -> list[str]:
        return [block.text for block in self.blocks if isinstance(block, Heading) and block.level == 1]

    def flat(self) -> Iterator[Block]:
        """Yield every block, including the blocks inside sections."""
        return _flat(self.blocks)


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _flat(block.blocks)
