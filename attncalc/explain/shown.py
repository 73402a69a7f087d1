"""How a step's numbers are shown: as few decimals as are exact, else the asked ones; what a print hides is marked."""

from __future__ import annotations

from flint import arb, fmpq

from ..arithmetic import rounding
from ..arithmetic.certified import Entry, entries, is_infinite, is_zero
from ..formula.tree import Name, Tree
from ..plan import Given, Step
from ..solve import StepResult
from .document import Cell, Grid

LARGEST_PLAIN = fmpq(10) ** 9


def decimals_needed(rows: list[list[Entry]], digits: int) -> int:
    """The fewest decimals that show every entry exactly, or `digits` where some entry needs more."""
    for k in range(digits + 1):
        unit = rounding.power_of_ten(k)
        if all(is_infinite(x) or isinstance(x, fmpq) and (x * unit).denominator == 1 for row in rows for x in row):
            return k
    return digits


class Shown:
    """The numbers of one step as a reader sees them."""

    def __init__(self, result: StepResult, exact: bool = False):
        self.result = result
        self.rows = entries(result.enclosure())
        self.digits = decimals_needed(self.rows, result.shown.digits)
        self.terminates = all(isinstance(x, fmpq) or is_infinite(x) for row in self.rows for x in row) and self.all_exact()
        self.printed = result.printed(self.digits)
        self.closed = closed_texts(result) if exact else None

    def all_exact(self) -> bool:
        unit = rounding.power_of_ten(self.digits)
        return all(is_infinite(x) or isinstance(x, fmpq) and (x * unit).denominator == 1 for row in self.rows for x in row)

    def text(self, i: int, j: int) -> str:
        if self.closed and self.closed[i][j] is not None:
            return str(self.closed[i][j])
        return self.printed.texts[i][j]

    def number(self, i: int, j: int) -> tuple[str, bool]:
        """An entry inside a worked line, and whether it is exact there; tiny and huge ones in scientific notation."""
        x = self.rows[i][j]
        text = self.printed.texts[i][j]
        if is_infinite(x):
            return text, True
        if self.printed.nearly[i][j] and text.strip("-0.") == "":
            figures = rounding.significant(x, 2)
            return (("-" if x < 0 else "") + figures if figures else text), False
        return text, isinstance(x, fmpq) and x * rounding.power_of_ten(self.digits) == (x * rounding.power_of_ten(self.digits)).floor()


MOST_CLOSED = 28


def closed_texts(result: StepResult) -> list[list[str | None]]:
    """Closed forms that fit a cell; None keeps the decimals."""
    from ..arithmetic import closed

    def fit(expression: object) -> str | None:
        text = None if expression is None else closed.text(expression)
        return text if text is not None and len(text) <= MOST_CLOSED else None

    return [[fit(x) for x in row] for row in result.closed()]


def step_grid(name: Tree, shown: Shown, weights: bool) -> Grid:
    """A step's matrix. Weights are shaded; a weight that is exactly 0 shows as a bare 0, a tiny one with its decimals."""
    cells = []
    for i, row in enumerate(shown.rows):
        line = []
        for j, x in enumerate(row):
            text = shown.text(i, j)
            mark = ""
            if (i, j) in shown.printed.undecided:
                mark = "undecided"
            elif is_infinite(x):
                mark = "masked"
            elif weights and is_zero(x):
                mark, text = "masked", "0"
            elif shown.printed.nearly[i][j] and not shown.closed:
                mark = "nearly"
            line.append(Cell(text, _share(x) if weights else None, mark))
        cells.append(tuple(line))
    return Grid(name, tuple(cells), shown.result.rows, shown.result.columns)


def _share(x: Entry) -> float:
    if isinstance(x, arb) and not x.is_finite():
        return 0.0
    share = float(arb(x)) if isinstance(x, arb) else int(x.numerator) / int(x.denominator)
    return min(1.0, max(0.0, share))


def given_grid(given: Given, shown: Shown) -> Grid:
    """A given as its author wrote it."""
    if given.texts is None or not shown.terminates:
        texts = given.texts or tuple(tuple(row) for row in shown.printed.texts)
    else:
        texts = tuple(tuple(row) for row in shown.printed.texts)
    cells = tuple(tuple(Cell(t, mark="masked" if t.strip("-−+") in ("inf", "∞") else "") for t in row) for row in texts)
    return Grid(Name(given.name), cells, given.rows, given.columns)


def is_weights(step: Step) -> bool:
    """Whether a step's entries are attention weights."""
    node = step.node
    while node.operation in ("transpose", "ref") and node.args:
        node = node.args[0]
    return node.operation == "softmax" or (step.lesson is not None and step.base in ("A", "A_masked"))
