"""Prefilter: rejects draws in floating point before they are judged exactly.

Most givens are drawn in vain, nearly all of them for a tie or for a weight near 1. The steps of each stage are compiled
once to a Python function, which returns the first failed requirement if that is certain. Values near a bound, and
everything the function does not cover, are left to the exact judgement, so accepted draws and failures are unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from flint import fmpq

from ..arithmetic.intervals.scalar import Box, approximate
from ..arithmetic.matrix_types import is_infinite
from ..formula import operations as op
from ..formula.typed_formula import Entry, Node
from ..plan import Given, Step
from .draw_order import Stage
from .numeric_view import NumericView
from .requirements import LARGEST, SATURATED, STEEP, TIE
from .search_result import Texts, number

MIN_DIVISOR = 1e-3
MAX_LINES = 2_000
HIDDEN = "-inf"  # a masked score
ZERO_WEIGHT = "0.0"  # the weight of a masked score

Entries = list[list[str]]  # each a name, a number or HIDDEN
_SUM = "{} + {}"
_FORMS: dict[type[Node], str] = {
    op.Add: _SUM, op.Sub: "{} - {}", op.Mul: "{} * {}", op.Div: "{} / {}", op.Maximum: "max({}, {})", op.Neg: "-{}",
    op.Exp: "exp({})", op.Sqrt: "sqrt({})", op.Log: "log({})", op.Tanh: "tanh({})", op.Abs: "abs({})",
}  # fmt: skip
_GUARDED = (op.Div, op.Sqrt, op.Log)  # without a verdict if the last operand is nearly 0
_LIBRARY = ("exp", "log", "sqrt", "tanh")


class NotPrinted(Exception):
    """Raised for an operation without a rule here, and for a function that becomes too long."""


class Lines:
    """Lines of a function, with common subexpressions computed once."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.inputs: dict[str, list[str]] = {}
        self.lines: list[str] = []

    def name(self, expression: str) -> str:
        """Return the name of an expression's value."""
        if expression not in self.names:
            name = f"x{len(self.names)}"
            self.write(f"{name} = {expression}")
            self.names[expression] = name
        return self.names[expression]

    def write(self, line: str) -> None:
        """Append a line. Raises NotPrinted beyond MAX_LINES."""
        if len(self.lines) == MAX_LINES:
            raise NotPrinted
        self.lines.append(line)

    def matrix(self, source: str, shape: tuple[int, int]) -> Entries:
        """Return names, n × m, for the next numbers of a list parameter."""
        names, (n, m) = self.inputs.setdefault(source, []), shape
        first = len(names)
        names += [f"{source}{first + k}" for k in range(n * m)]
        return [names[k : k + m] for k in range(first, first + n * m, m)]

    def function(self, *sources: str) -> Callable[..., str | None]:
        """Compile the function of these list parameters."""
        heads = [f"[{', '.join(self.inputs.get(source, []))}] = {source}" for source in sources]
        space: dict[str, Any] = {name: getattr(math, name) for name in _LIBRARY}
        exec("\n    ".join([f"def function({', '.join(sources)}):", *heads, *self.lines, "return None"]), space)
        function: Callable[..., str | None] = space["function"]
        return function


def formula(node: Node, values: Callable[[str], Entries], lines: Lines) -> Entries:
    """Return the entries of a formula, given the entries of its names. Raises NotPrinted."""
    return _Printer(values, lines).entries(node)


class _Printer(op.StructuralOperations[str]):
    def __init__(self, values: Callable[[str], Entries], lines: Lines):
        self.values = values
        self.lines = lines

    def entries(self, node: Node) -> Entries:
        if isinstance(node, op.Ref):
            return self._ref(node)
        rule = _RULES[type(node)]
        if rule is _Printer._not_printed:
            raise NotPrinted
        return rule(self, node, *map(self.entries, node.args))

    def broadcast(self, expression: str, node: Node, *operands: Entries) -> Entries:
        n, m = node.shape
        wide = ([row * (m // len(row)) for row in operand * (n // len(operand))] for operand in operands)
        return [[self.emit(expression, *x) for x in zip(*rows, strict=True)] for rows in zip(*wide, strict=True)]

    def emit(self, expression: str, *entries: str) -> str:
        if HIDDEN not in entries:
            return self.lines.name(expression.format(*entries))
        if expression != _SUM:
            raise NotPrinted
        return HIDDEN

    def guard_small(self, a: Entries) -> None:
        for x in chain(*a):
            self.lines.write(f"if {-MIN_DIVISOR} < {x} < {MIN_DIVISOR}: return None")

    def _not_printed(self, node: Node, *operands: Entries) -> Entries:
        raise NotPrinted

    _pi = _sin = _cos = _erf = _floor = _round = _not_printed
    _one_hot = _top_k = _top_p = _argmax_rows = _order_rows = _sort_rows = _not_printed

    def _ref(self, node: op.Ref) -> Entries:
        return self.values(node.key)

    def _literal(self, node: op.Literal) -> Entries:
        return [[_number(x) for x in row] for row in node.entries]

    def _each(self, node: Node, *operands: Entries) -> Entries:
        if isinstance(node, _GUARDED):
            self.guard_small(operands[-1])
        return self.broadcast(_FORMS[type(node)], node, *operands)

    _neg = _add = _sub = _mul = _div = _maximum = _exp = _sqrt = _log = _tanh = _abs = _each

    def _pow(self, node: op.Pow, a: Entries, b: Entries) -> Entries:
        if b != [["2.0"]]:
            raise NotPrinted
        return self.broadcast("{0} * {0}", node, a)

    def _matmul(self, node: op.MatMul, a: Entries, b: Entries) -> Entries:
        products = " + ".join(["{} * {}"] * len(b))
        columns = list(zip(*b, strict=True))
        return [[self.emit(products, *chain(*zip(row, column, strict=True))) for column in columns] for row in a]

    def _row_sum(self, node: op.RowSum, a: Entries) -> Entries:
        return [[self.total(row)] for row in a]

    def total(self, row: list[str]) -> str:
        return self.emit(" + ".join(["{}"] * len(row)), *row)

    def _row_max(self, node: op.RowMax, a: Entries) -> Entries:
        return [[self.emit(f"max({', '.join(['{}'] * len(row))}, {row[0]})", *row)] for row in a]

    def _softmax(self, node: op.Softmax, a: Entries) -> Entries:
        if node.axis != "rows":
            raise NotPrinted
        return [self.weights(row) for row in a]

    def weights(self, row: list[str]) -> list[str]:
        visible = [x for x in row if x != HIDDEN]
        powers = {x: self.emit("exp({})", x) for x in visible}
        total = self.total([powers[x] for x in visible]) if visible else ZERO_WEIGHT
        return [ZERO_WEIGHT if x == HIDDEN else self.emit("{} / {}", powers[x], total) for x in row]

    def _keep(self, node: op.Keep, a: Entries, mask: Entries, fill: Entries) -> Entries:
        if any(map(is_name, chain(*mask))):
            raise NotPrinted
        n, m = node.shape
        wide = [row * (m // len(row)) for row in mask * (n // len(mask))]
        pairs = (zip(*rows, strict=True) for rows in zip(a, wide, strict=True))
        return [[x if float(bit) else fill[0][0] for x, bit in row] for row in pairs]


_RULES = op.rules(_Printer)


def is_name(entry: str) -> bool:
    """True if an entry is a variable, and no known number."""
    return entry[0].isalpha()


def _number(x: Entry) -> str:
    """Return a number as Python writes it. Raises NotPrinted beyond the range of floats."""
    try:
        approximation = float(x)
    except OverflowError:
        raise NotPrinted from None
    if approximation == math.inf:
        raise NotPrinted
    return repr(approximation)


MARGIN = 1e-4  # in weights and in units of the last digit: far above the floating-point error
MAX_DIGITS = 4  # beyond it a unit approaches the floating-point error


class Prefilter:
    """Prefilter of one stage: a function of the drawn texts and of the numbers of earlier stages."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        code = _PrefilterCode(view, stages, turn, relaxed)
        self.known = code.known
        self.labelled = [given.name for given in code.drawn if given.rows]
        self.function = code.function()
        self.last: tuple[NumericView | None, list[float] | None] = None, []  # the latest view and its earlier numbers

    def fault(self, drawn: Texts, before: NumericView | None) -> str | None:
        """Return the first requirement that a draw certainly fails, or None if that is undecided."""
        if self.function is None or any(len(set(map(tuple, drawn[name]))) < len(drawn[name]) for name in self.labelled):
            return None  # equal tokens are reported first
        if before is not None and before is not self.last[0]:
            self.last = before, self.numbers(before)
        numbers, known = [_float(text) for rows in drawn.values() for row in rows for text in row], self.last[1]
        if known is None or None in numbers:
            return None
        try:
            return self.function(numbers, known)
        except (ArithmeticError, ValueError):
            return None

    def numbers(self, view: NumericView) -> list[float] | None:
        """Return the numbers of earlier stages, or None if one is not finite."""
        boxes = [view.paper(key) if on_paper else view.full(key) for key, on_paper in self.known]
        floats = {id(box): _floats(box) for box in boxes}  # unrounded steps share one box
        values = [floats[id(box)] for box in boxes]
        finite = [value for value in values if value is not None]
        return list(chain(*finite)) if len(finite) == len(values) else None


class _PrefilterCode:
    """Code of a stage's function: its steps, up to the first that cannot be printed."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        self.view, self.relaxed, self.stage = view, relaxed, stages[turn]
        self.known: list[tuple[str, bool]] = []  # inputs from earlier stages: key, and whether rounded step by step
        self.lines = Lines()
        self.values: dict[tuple[str, bool], Entries] = {}
        self.names = {name for stage in stages for name in stage.drawn}
        givens = {given.name: given for given in view.plan.givens}
        self.drawn = [givens[name] for name in self.stage.drawn]
        for given in self.drawn:
            self.values[given.key, False] = self.lines.matrix("drawn", given.shape)
        earlier: Set[str] = stages[turn - 1].keys if turn else frozenset()
        self.can_reject = False  # True once the code can reject a draw
        with suppress(NotPrinted):
            for entry in view.plan.entries.values():
                if isinstance(entry, Step) and entry.key in self.stage.keys and entry.key not in earlier:
                    self.print(entry)

    def function(self) -> Callable[[list[float | None], list[float]], str | None] | None:
        """Compile the function; None if it could never reject a draw."""
        return self.lines.function("drawn", "known") if self.can_reject else None

    def value(self, on_paper: bool, key: str) -> Entries:
        """Return the entries of a given or a step, exact or rounded step by step."""
        entry = self.view.plan.entries[key]
        if isinstance(entry, Given):
            on_paper = False
        if (key, on_paper) not in self.values:
            if isinstance(entry, Given) and (entry.part is not None or entry.name not in self.names):
                self.values[key, on_paper] = formula(entry.node, partial(self.value, False), self.lines)
            else:
                self.known.append((key, on_paper))
                self.values[key, on_paper] = self.lines.matrix("known", entry.shape)
        return self.values[key, on_paper]

    def print(self, step: Step) -> None:
        """Emit a step's numbers with its requirements, both exact and rounded step by step."""
        digits, asked = self.view.digits(step), step in self.stage.steps
        if digits > MAX_DIGITS:
            raise NotPrinted
        exact = self.values[step.key, False] = formula(step.node, partial(self.value, False), self.lines)
        if asked and isinstance(step.node, op.Softmax):
            self.weights(exact, digits)
        if asked:
            self.sizes(exact, digits)
            self.ties(exact, digits)
        paper = formula(step.node, partial(self.value, True), self.lines)
        if asked and paper != exact:
            self.ties(paper, digits)
        self.values[step.key, True] = paper if step.given else self.rounded(paper, digits)

    def weights(self, rows: Entries, digits: int) -> None:
        """Emit the checks for weights near 1 in rows with two entries or more; leave rows of nearly equal weights
        undecided.
        """
        maxima = []
        for row in rows:
            visible = ", ".join(x for x in row if x != ZERO_WEIGHT)
            if "," in visible:
                maxima.append(self.lines.name(f"max({visible})"))
                self.bound(maxima[-1], SATURATED)
                self.leave_undecided([f"{maxima[-1]} - min({visible}) < {0.1**digits + MARGIN}"])
        if maxima:
            self.bound(self.lines.name(f"min({', '.join(maxima)}, 1)"), STEEP)

    def bound(self, name: str, limit: fmpq) -> None:
        if "saturated" not in self.relaxed:
            self.reject([f"{name} > {approximate(limit) + MARGIN}"], "saturated")
            self.leave_undecided([f"{name} > {approximate(limit) - MARGIN}"])

    def sizes(self, rows: Entries, digits: int) -> None:
        """Emit code that leaves the prefilter (undecided) for entries that are large or may print as −0."""
        upper, lower = LARGEST - MARGIN, -(0.1**digits)
        names = filter(is_name, chain(*rows))
        self.leave_undecided([f"not {-upper} < {x} < {upper} or {lower} < {x} < 0" for x in names])

    def ties(self, rows: Entries, digits: int) -> None:
        """Emit the check for numbers next to a rounding tie."""
        tolerance = approximate(TIE) - MARGIN
        if "ties" not in self.relaxed:
            parts = self.fractional_part(rows, digits)
            self.reject([f"{0.5 - tolerance} < {x} < {0.5 + tolerance}" for x in parts], "ties")

    def fractional_part(self, rows: Entries, digits: int) -> list[str]:
        """Return the part of each entry beyond its last digit, in units of that digit."""
        return [self.lines.name(f"abs({x}) * {10.0**digits} % 1") for x in filter(is_name, chain(*rows))]

    def rounded(self, rows: Entries, digits: int) -> Entries:
        """Return the entries as they print; leave the prefilter (undecided) near a tie."""
        self.leave_undecided([f"{0.5 - MARGIN} < {x} < {0.5 + MARGIN}" for x in self.fractional_part(rows, digits)])
        rule = f"({{}} * {10.0**digits} + 0.5) // 1 / {10.0**digits}"
        return [[self.lines.name(rule.format(x)) if is_name(x) else x for x in row] for row in rows]

    def reject(self, conditions: list[str], demand: str) -> None:
        """Emit a rejection if any of the conditions holds."""
        if conditions:
            self.can_reject = True
            self.lines.write(f"if {' or '.join(conditions)}: return {demand!r}")

    def leave_undecided(self, conditions: list[str]) -> None:
        """Emit a return without verdict if any of the conditions holds."""
        if conditions:
            self.lines.write(f"if {' or '.join(conditions)}: return None")


@lru_cache(maxsize=4096)
def _float(text: str) -> float | None:
    fraction = number(text)
    with suppress(OverflowError):
        return None if fraction is None else float(fraction)
    return None


def _floats(box: Box) -> list[float] | None:
    """Return the entries of a box as floats, or None if one is not finite."""
    ends = [cell[0] for row in box for cell in row if cell is not None]
    return None if any(map(is_infinite, ends)) else list(map(approximate, ends))
