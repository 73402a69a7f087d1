"""The displayed numbers of a step: the fewest decimals that are exact, or rounded decimals with marks."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from flint import arb, fmpq

from ..arithmetic import rounding
from ..arithmetic.intervals.scalar import approximate
from ..arithmetic.matrix_types import Entry, Rows, entries, is_infinite, is_zero
from ..errors import FormulaError
from ..formula import operations as op
from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Name, Number, Tree, unparse
from ..plan import Given, Step
from ..solution import StepResult
from .document import Cell, Grid

LONGEST_WRITTEN = 76  # characters of an entry that is shown as a formula
MOST_CLOSED = 36  # characters of a closed form in a cell
ENOUGH_TRIES = 4
LONGEST_WHOLE = 18
FIRST_FIGURES = 3
MOST_CLOSED_CELLS = 256  # entries of a matrix with closed forms


class DisplayedNumbers:
    """The displayed numbers of one step or given."""

    def __init__(self, result: StepResult, exact: bool = False, formula: Rows | None = None):
        self.result = result
        self.rows = entries(result.enclosure())
        # Values before the rounding of work on paper. A 0 in them is exact.
        self.formula = self.rows if formula is None else formula
        self.digits = decimals_needed(self.formula, result.shown.digits)
        self.printed = result.printed(self.digits)
        self.terminates = all(_has_decimals(x, self.digits) for row in self.rows for x in row)
        self._trees: dict[tuple[int, int], Tree | None] = {}
        self._wanted = exact and not self.terminates and len(self.rows) * len(self.rows[0]) <= MOST_CLOSED_CELLS

    @cached_property
    def closed(self) -> bool:
        """True if closed forms are displayed: they are wanted, and one of the first entries has a closed form."""
        first = [(i, j) for i in range(len(self.rows)) for j in range(len(self.rows[0]))][:ENOUGH_TRIES]
        return self._wanted and any(self.tree(i, j) is not None for i, j in first)

    def tree(self, i: int, j: int) -> Tree | None:
        """Return the closed form of an entry; None if there is none that fits in a line."""
        if (i, j) not in self._trees:
            from .closed_form_tree import closed_form  # imported here, because it is rarely needed

            self._trees[i, j] = closed_form(self.result, i, j)
        return self._trees[i, j]

    def text(self, i: int, j: int) -> str:
        return self.printed.texts[i][j]

    def is_zero(self, i: int, j: int) -> bool:
        """Return whether an entry is exactly 0 before the rounding of work on paper."""
        return is_zero(self.formula[i][j])

    def is_tiny(self, i: int, j: int) -> bool:
        """Return whether an entry is printed as 0 but is not 0."""
        return self.printed.distances[i][j] is not None and is_zero_text(self.text(i, j))

    def number(self, i: int, j: int) -> tuple[Tree, bool]:
        """Return an entry for a calculation, and whether it is exact. Tiny numbers have scientific notation."""
        x, text = self.rows[i][j], self.text(i, j)
        if self.closed and (tree := self.tree(i, j)) is not None:
            return tree, True
        if is_infinite(x):
            return Number(text), True
        if is_zero(x) and not self.terminates:
            return Number("0"), True
        text = self.figures(i, j)
        exact = self.equals(i, j, text)
        return Number("0" if exact and is_zero_text(text) and not self.terminates else text), exact

    def figures(self, i: int, j: int) -> str:
        """Return the printed entry. If it would be printed as 0 or be too long, return it in scientific notation."""
        x, text = self.rows[i][j], self.text(i, j)
        wanted = 2 if self.is_tiny(i, j) else 5 if is_long(text) else 0
        figures = rounding.scientific_text(x, wanted) if wanted else None
        return ("-" if x < 0 else "") + figures if figures else text

    def first_figures(self, i: int, j: int) -> str:
        """Return the leading digits of an entry whose decimals show only one digit; otherwise an empty string."""
        seen = self.text(i, j).replace(".", "").replace("-", "").lstrip("0")
        if len(seen) != 1 or self.equals_print(i, j) or self.closed:
            return ""
        figures = rounding.scientific_text(self.rows[i][j], FIRST_FIGURES)
        return ("-" if self.text(i, j).startswith("-") else "") + figures if figures else ""

    def equals_print(self, i: int, j: int) -> bool:
        return self.equals(i, j, self.text(i, j))

    def equals(self, i: int, j: int, text: str) -> bool:
        """Return whether an entry is proven to be equal to the number in `text`."""
        if self.printed.distances[i][j] is not None:
            return False
        x, value = self.rows[i][j], fmpq(*Fraction(text).as_integer_ratio())
        if isinstance(x, fmpq):
            return bool(x == value)
        return bool(x.contains(value)) and self.result.values.cells.equals(self.result.step.node, i, j, value)


def is_long(text: str) -> bool:
    """Return whether a number has too many digits before the decimal point."""
    return len(text.partition(".")[0]) > LONGEST_WHOLE


def decimals_needed(rows: list[list[Entry]], digits: int) -> int:
    """Return the smallest number of decimals that shows every entry exactly; `digits` if an entry needs more."""
    fits = (k for k in range(digits) if all(_has_decimals(x, k) for row in rows for x in row))
    return next(fits, digits)


def _has_decimals(x: Entry, digits: int) -> bool:
    return is_infinite(x) or (isinstance(x, fmpq) and (x * rounding.power_of_ten(digits)).denominator == 1)


def is_zero_text(text: str) -> bool:
    return text.strip("-0.") == ""


def step_grid(name: Tree, shown: DisplayedNumbers, weights: bool) -> Grid:
    """Return the matrix of a step. Weights have a shade."""
    cells = tuple(tuple(_cell(shown, i, j, weights) for j in range(len(row))) for i, row in enumerate(shown.rows))
    return Grid(name, cells, *shown.result.step.display_labels)


def _cell(shown: DisplayedNumbers, i: int, j: int, weights: bool) -> Cell:
    x, text = shown.rows[i][j], shown.text(i, j)
    share = _share(x) if weights else None
    if (i, j) in shown.printed.undecided:
        return Cell(text, share, "undecided")
    if is_infinite(x):
        return Cell(text, share, "masked")
    if weights and shown.is_zero(i, j):
        return Cell("0", share, "masked")
    if shown.closed:
        tree = shown.tree(i, j)
        if tree is not None and len(unparse(tree)) <= MOST_CLOSED:
            return Cell(text, share, "", tree)
        return Cell(text, share, "" if shown.equals_print(i, j) else "rounded")
    return Cell(text, share, "nearly" if shown.printed.distances[i][j] else "")


def _share(x: Entry) -> float:
    if isinstance(x, arb) and not x.is_finite():
        return 0.0
    return min(1.0, max(0.0, approximate(x)))


def given_grid(given: Given, shown: DisplayedNumbers) -> Grid:
    """Return a given with the decimals that show it exactly, otherwise as its author wrote it."""
    printed = shown.printed.texts
    written = printed if given.texts is None or shown.terminates else given.texts
    cells = tuple(tuple(_given_cell(text) for text in row) for row in written)
    return Grid(Name(given.name), cells, given.rows, given.columns)


def _given_cell(text: str) -> Cell:
    if text.strip("-−+ ") in ("inf", "∞"):
        return Cell("-inf" if text.strip()[0] in "-−" else "inf", mark="masked")
    tree = parse_entry(text)
    return Cell(text, tree=None if isinstance(tree, Number) else tree)


def parse_entry(text: str) -> Tree | None:
    """Return an entry of a given as a formula such as 1/3 or sqrt(2); None for other texts."""
    text = text.strip().replace("−", "-").replace("∞", "inf")
    try:
        return parse(text) if len(text) <= LONGEST_WRITTEN else None
    except FormulaError:
        return None


def is_weights(step: Step) -> bool:
    """Return whether the entries of a step are attention weights."""
    node = step.node
    while isinstance(node, op.Transpose | op.Ref) and node.args:
        node = node.args[0]
    if isinstance(node, op.Softmax) or (step.lesson is not None and step.base in ("A", "A_masked")):
        return True
    match step.tree:
        case Binary("/", Binary("*", _, _) as above, Call("row_sum" | "col_sum" | "total" | "sum", (below,))):
            return above == below  # masked weights, divided by their sum
    return False
