"""The names that a part can use, their displayed numbers, and the values and readable forms of formulas."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from flint import arb, fmpq

from ..arithmetic import rounding
from ..arithmetic.balls import Certified, NeedsPrecision
from ..arithmetic.budget import Meter
from ..arithmetic.matrix_types import Entry, Rows, entries
from ..arithmetic.rounding import Rounding
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError, FormulaError
from ..formula.elaboration import check, opened
from ..formula.operations import needs
from ..formula.syntax_tree import Binary, Call, Index, Name, Number, Slice, Text, Tree, places, rewrite
from ..formula.typed_formula import Node, Shape
from ..plan import Given, Step
from ..solution import PartSolution, Solution, StepResult
from .document import ENTRYWISE
from .number_display import DisplayedNumbers, is_weights

FAILURES = (AttncalcError, FormulaError, NeedsPrecision)
LARGE, LARGEST_WHOLE, FIGURES = fmpq(10) ** 7, fmpq(10) ** 12, 5
BITS = (128, 512, 2048)
LONGEST_RUN = 6  # consecutive integers that are written one by one
MOST_OPERATIONS = 50_000  # operations in all calculations of a part, which take some seconds


class Scope:
    """The names and values of one part. `digits` is the number of displayed decimals (default: the part's rounding)."""

    def __init__(self, solution: Solution, part: PartSolution, exact: bool = False, digits: int | None = None):
        self.solution = solution
        self.values = solution.values
        self.rounds_steps = solution.paper
        self.columns = solution.problem.columns
        self.part = part
        self.exact = exact
        self.entries = _entries(solution, part)
        asked: Rounding = part.steps[0].shown if part.steps else part.part.rounding
        self.rounding = Rounding(asked.digits if digits is None else digits, asked.mode)
        rounding = self.rounding
        results = (r if rounding == r.shown else StepResult(r.step, r.values, rounding) for r in part.steps)
        self._results = {result.step.key: result for result in results}
        self._arithmetic = Certified(self.values.cells)
        self._nodes: dict[Tree, Node] = {}
        self._expansions: dict[Tree, Tree | None] = {}
        self._rows: dict[tuple[Tree, int], Rows] = {}
        self._shown: dict[str, DisplayedNumbers] = {}
        self._tries = Meter(MOST_OPERATIONS)

    @cached_property
    def in_closed_form(self) -> Scope:
        """This scope with closed forms, if they fit in a line."""
        return self if self.exact else Scope(self.solution, self.part, True)

    def with_digits(self, digits: int) -> Scope:
        return self if digits == self.rounding.digits else Scope(self.solution, self.part, self.exact, digits)

    def given(self, name: str) -> Given | None:
        """Return the given with this name; None if the name belongs to a step or is unknown."""
        entry = self.entries.get(name)
        return entry if isinstance(entry, Given) else None

    def shown(self, name: str) -> DisplayedNumbers:
        """Return the displayed numbers of a given or a step."""
        entry = self.entries[name]
        if entry.key not in self._shown:
            result = self._results.get(entry.key) or StepResult(_as_step(entry), self.values, self.rounding)
            self.values.enclosure(entry.key, 128)  # raises the error if the value cannot be computed
            unsettled = (
                self._evaluated(entry.node, 128)
                if self.rounds_steps and isinstance(entry, Step) and not entry.given
                else None
            )
            self._shown[entry.key] = DisplayedNumbers(result, self._in_closed_form(entry), unsettled)
        return self._shown[entry.key]

    def _in_closed_form(self, entry: Given | Step) -> bool:
        """Return whether to try closed forms for a step: all steps that it uses are exact or have closed forms."""
        if not self.exact or isinstance(entry, Given):
            return self.exact
        keys = needs([entry.node])
        behind = [
            self.shown(name) for name, other in self.entries.items() if isinstance(other, Step) and other.key in keys
        ]
        return all(shown.terminates or shown.closed for shown in behind)

    def is_hidden(self, tree: Tree, i: int, j: int) -> bool:
        """Return whether an entry is an attention weight that is exactly 0."""
        entry = self.entries.get(tree.name) if isinstance(tree, Name) else None
        return (
            isinstance(tree, Name)
            and isinstance(entry, Step)
            and is_weights(entry)
            and self.shown(tree.name).is_zero(i, j)
        )

    def knows(self, tree: Tree) -> bool:
        """Return whether the tree is the name of a given or a step. This name may also be the name of a constant, such
        as e.
        """
        return isinstance(tree, Name) and tree.name in self.entries

    def node(self, tree: Tree) -> Node:
        """Return a formula with checked shapes. Raises FormulaError if it is invalid in this part."""
        node = self._nodes.get(tree)
        if node is None:
            node = self._nodes[tree] = check(tree, self._resolve, self._count)
        return node

    def _count(self, node: Node) -> None:
        self._tries.take(1)

    @property
    def is_exhausted(self) -> bool:
        """True if the calculations of this part have used up their limit of operations."""
        return self._tries.left < 0

    def _resolve(self, name: str, at: int) -> Node:
        entry = self.entries.get(name)
        if entry is None:
            raise FormulaError(f"{name} is not defined", at)
        return entry.reference(name, at)

    def expansion(self, tree: Tree) -> Tree | None:
        """Return the formula that a shorthand abbreviates; None for other formulas."""
        if tree not in self._expansions:
            self._expansions[tree] = opened(tree, self._resolve)
        return self._expansions[tree]

    def shape(self, tree: Tree) -> Shape:
        return self.node(tree).shape

    def rows(self, tree: Tree, bits: int = 128) -> Rows:
        """Return enclosures of the entries of a formula."""
        key = (tree, bits)
        rows = self._rows.get(key)
        if rows is None:
            rows = self._rows[key] = self._evaluated(self.node(tree), bits)
        return rows

    def _evaluated(self, node: Node, bits: int) -> Rows:
        known = {key: self.values.enclosure(key, bits) for key in needs([node])}
        try:
            return entries(self._arithmetic.evaluate(node, known, bits))
        except NeedsPrecision:
            if 4 * bits > self.values.most_bits:
                raise
            return self._evaluated(node, 4 * bits)

    def decimal(self, tree: Tree, extra: int = 0) -> tuple[str, bool] | None:
        """Return the value of a 1 × 1 formula as a proven decimal, and whether the decimal is exact; None if undecided.
        Large and small values have five figures. `extra` is added to the number of decimals, and may be negative.
        """
        for bits in self.values.within(BITS):
            x = self.rows(tree, bits)[0][0]
            with working_precision(bits):
                text = _text(
                    x, Rounding(max(0, self.rounding.digits + extra), self.rounding.mode), FIGURES + max(-2, extra)
                )
            if text is not None:
                exact = self.is_exactly(x, text, tree)
                return (_without_zeros(text) if exact else text), exact
        return None

    def with_more_digits(self, name: Name, i: int, j: int, text: str, extra: int) -> str:
        """Return an entry with `extra` more digits than `text`. Return `text` if the digits cannot be proven."""
        mantissa, e, _ = text.partition("e")
        for bits in self.values.within(BITS):
            x = self.rows(name, bits)[i][j]
            with working_precision(bits):
                if e:
                    decimal = _in_figures(x, len(mantissa.strip("-").replace(".", "")) + extra)
                else:
                    decimal = _in_decimals(x, Rounding(len(mantissa.partition(".")[2]) + extra, self.rounding.mode))
            if decimal is not None:
                return decimal
        return text

    def is_exactly(self, x: Entry, text: str, tree: Tree) -> bool:
        """Return whether a 1 × 1 formula is proven to be equal to the number in `text`. `x` is its enclosure."""
        if abs(int(text.partition("e")[2] or 0)) > rounding.LARGEST_POWER:
            return False
        value = fmpq(*Fraction(text).as_integer_ratio())
        if isinstance(x, fmpq):
            return bool(x == value)
        return bool(x.contains(value)) and self.values.cells.equals(self.node(tree), 0, 0, value)


def is_leaf(tree: Tree) -> bool:
    """Return whether a formula is a number or an entry of a matrix."""
    return isinstance(tree, Number) or (
        isinstance(tree, Index) and not isinstance(tree.rows, Slice) and tree.columns is not None
    )


def _text(x: Entry, how: Rounding, figures: int) -> str | None:
    """Return the decimal to which every number in the ball rounds; None if the ball is too wide or infinite."""
    if isinstance(x, arb) and not x.is_finite():
        return None
    if _needs_figures(x, how.digits):
        decimal = _in_figures(x, figures)
        return None if decimal is None else _tidy(decimal)
    return _in_decimals(x, how)


def _in_figures(x: Entry, figures: int) -> str | None:
    decimal = rounding.scientific_text(x, figures)
    return None if decimal is None else ("-" if x < 0 else "") + decimal


def _in_decimals(x: Entry, how: Rounding) -> str | None:
    n = rounding.round_number(x, how.digits, how.mode)
    return None if n is None else rounding.decimal_text(n, how.digits)


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _needs_figures(x: Entry, digits: int) -> bool:
    whole = isinstance(x, fmpq) and x.denominator == 1
    tiny = x != 0 and abs(x) < fmpq(1, rounding.power_of_ten(digits))
    return bool(tiny or abs(x) > (LARGEST_WHOLE if whole else LARGE))


def _tidy(figures: str) -> str:
    """Remove trailing zeros before the exponent: 5e-03 for 5.0000e-03."""
    mantissa, e, exponent = figures.partition("e")
    return _without_zeros(mantissa) + e + exponent


def _entries(solution: Solution, part: PartSolution) -> dict[str, Given | Step]:
    """Return the visible givens and steps by name. A step replaces a given with the same name."""
    plan = solution.problem.plan
    entries_by_name: dict[str, Given | Step] = {f"{s.part}.{s.name}": s for s in plan.steps() if s.part}
    entries_by_name |= {g.name: g for g in plan.givens}
    entries_by_name |= {g.name: g for g in part.part.plan.givens}
    return entries_by_name | {s.name: s for s in part.part.plan.steps}


def _as_step(entry: Given | Step) -> Step:
    """Return a given as a step, so that its numbers are displayed like the numbers of steps."""
    if isinstance(entry, Step):
        return entry
    return Step(entry.key, entry.name, entry.part, Name(entry.name), entry.name, entry.node, True)


def readable_formula(scope: Scope, tree: Tree) -> Tree:
    """Return a formula in which sizes are numbers, sqrt(cols(K)) is √2, and entrywise products are marked."""

    def change(part: Tree) -> Tree | None:
        match part:
            case Call("rows" | "cols"):
                return Number(str(scope.node(part).static))
            case Call("hstack", (Number() as only,), ()):
                return only
            case Call("arange", (_, _)):
                return _run(scope, part, 0)
            case Binary("+", a, Call("arange", (_, _)) as counted) if (first := scope.node(a).static) is not None:
                return _run(scope, counted, first)
            case Index(a, rows, columns):
                n, m = scope.shape(a)
                chosen = columns and _resolve_indices(scope, columns, m)
                return Index(rewrite(a, change), _resolve_indices(scope, rows, n), chosen, part.at)
            case Binary("*", a, b) if (1, 1) not in (scope.shape(a), scope.shape(b)):
                return Call(ENTRYWISE, (rewrite(a, change), rewrite(b, change)))
        return None

    try:
        return rewrite(tree, change)
    except FAILURES:
        return tree


def _run(scope: Scope, counted: Call, first: Fraction | int) -> Tree:
    """Return consecutive integers with `first` added to each. A few integers are written one by one."""
    start, stop = (scope.node(end).static for end in counted.arguments)
    if start is None or stop is None or first.denominator != 1:
        return Binary("+", Number(str(first)), counted) if first else counted
    if 1 < stop - start <= LONGEST_RUN:
        return Call("hstack", tuple(Number(str(start + first + k)) for k in range(int(stop - start))))
    return Call("arange", (Number(str(start + first)), Number(str(stop + first))))


def _resolve_indices(scope: Scope, place: Tree | Slice, count: int) -> Tree | Slice:
    """Return an index or a slice with computed numbers: for 3 rows, `X[-1]` becomes `X[2]`."""
    match place:
        case Slice(start, stop, step):
            return Slice(start and _number(scope, start, count), stop and _number(scope, stop, count), step)
        case Text():
            return place
        case Call() if (listed := places(place)) is not None:
            return place.but(arguments=tuple(_resolve_indices(scope, index, count) for index in listed))
    return _number(scope, place, count)


def _number(scope: Scope, place: Tree, count: int) -> Tree:
    static = scope.node(place).static
    return place if static is None else Number(str(static + count if static < 0 else static))
