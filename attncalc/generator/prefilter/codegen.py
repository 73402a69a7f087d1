"""Code generation for the prefilter: formulas as lines of Python in floating point, entry by entry.

The function returns None where floating point could be inaccurate: at small divisors, and at roots or logarithms of
small numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Any

from ...arithmetic.structural_operations import StructuralOperations
from ...formula.typed_formula import Entry, Node, rules

MIN_DIVISOR = 1e-3
MAX_LINES = 2_000
HIDDEN = "-inf"  # a masked score
ZERO_WEIGHT = "0.0"  # the weight of a masked score

Entries = list[list[str]]  # each a name, a number or HIDDEN
_SUM = "{} + {}"
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

    def function(self, *sources: str) -> Callable[..., Any]:
        """Compile the function of these list parameters."""
        heads = [f"[{', '.join(self.inputs.get(source, []))}] = {source}" for source in sources]
        space: dict[str, Any] = {name: getattr(math, name) for name in _LIBRARY}
        exec("\n    ".join([f"def function({', '.join(sources)}):", *heads, *self.lines, "return None"]), space)
        function: Callable[..., Any] = space["function"]
        return function


def formula(node: Node, values: Callable[[str], Entries], lines: Lines) -> Entries:
    """Return the entries of a formula, given the entries of its names. Raises NotPrinted."""
    return _Printer(values, lines).entries(node)


class _Printer(StructuralOperations):
    def __init__(self, values: Callable[[str], Entries], lines: Lines):
        self.values = values
        self.lines = lines

    def entries(self, node: Node) -> Entries:
        if node.operation == "ref":
            return self.values(node.params[0])
        if node.operation not in _RULES:
            raise NotPrinted
        entries: Entries = _RULES[node.operation](self, node, *map(self.entries, node.args))
        return entries

    def map_entries(self, expression: str, a: Entries) -> Entries:
        return [[self.emit(expression, x) for x in row] for row in a]

    def broadcast(self, expression: str, node: Node, *operands: Entries) -> Entries:
        n, m = node.shape
        wide = ([row * (m // len(row)) for row in operand * (n // len(operand))] for operand in operands)
        return [[self.emit(expression, x, y) for x, y in zip(*rows, strict=True)] for rows in zip(*wide, strict=True)]

    def emit(self, expression: str, *entries: str) -> str:
        if HIDDEN not in entries:
            return self.lines.name(expression.format(*entries))
        if expression != _SUM:
            raise NotPrinted
        return HIDDEN

    def guard_small(self, a: Entries) -> None:
        for x in chain(*a):
            self.lines.write(f"if {-MIN_DIVISOR} < {x} < {MIN_DIVISOR}: return None")

    def _literal(self, node: Node) -> Entries:
        return [[_number(x) for x in row] for row in node.params[0]]

    def _neg(self, node: Node, a: Entries) -> Entries:
        return self.map_entries("-{}", a)

    def _add(self, node: Node, a: Entries, b: Entries) -> Entries:
        return self.broadcast(_SUM, node, a, b)

    def _sub(self, node: Node, a: Entries, b: Entries) -> Entries:
        return self.broadcast("{} - {}", node, a, b)

    def _mul(self, node: Node, a: Entries, b: Entries) -> Entries:
        return self.broadcast("{} * {}", node, a, b)

    def _div(self, node: Node, a: Entries, b: Entries) -> Entries:
        self.guard_small(b)
        return self.broadcast("{} / {}", node, a, b)

    def _pow(self, node: Node, a: Entries, b: Entries) -> Entries:
        if b != [["2.0"]]:
            raise NotPrinted
        return self.map_entries("{0} * {0}", a)

    def _exp(self, node: Node, a: Entries) -> Entries:
        return self.map_entries("exp({})", a)

    def _sqrt(self, node: Node, a: Entries) -> Entries:
        self.guard_small(a)
        return self.map_entries("sqrt({})", a)

    def _log(self, node: Node, a: Entries) -> Entries:
        self.guard_small(a)
        return self.map_entries("log({})", a)

    def _tanh(self, node: Node, a: Entries) -> Entries:
        return self.map_entries("tanh({})", a)

    def _abs(self, node: Node, a: Entries) -> Entries:
        return self.map_entries("abs({})", a)

    def _maximum(self, node: Node, a: Entries, b: Entries) -> Entries:
        return self.broadcast("max({}, {})", node, a, b)

    def _matmul(self, node: Node, a: Entries, b: Entries) -> Entries:
        products = " + ".join(["{} * {}"] * len(b))
        columns = list(zip(*b, strict=True))
        return [[self.emit(products, *chain(*zip(row, column, strict=True))) for column in columns] for row in a]

    def _row_sum(self, node: Node, a: Entries) -> Entries:
        return [[self.total(row)] for row in a]

    def total(self, row: list[str]) -> str:
        return self.emit(" + ".join(["{}"] * len(row)), *row)

    def _row_max(self, node: Node, a: Entries) -> Entries:
        return [[self.emit(f"max({', '.join(['{}'] * len(row))}, {row[0]})", *row)] for row in a]

    def _softmax(self, node: Node, a: Entries) -> Entries:
        if node.params[0] != "rows":
            raise NotPrinted
        return [self.weights(row) for row in a]

    def weights(self, row: list[str]) -> list[str]:
        visible = [x for x in row if x != HIDDEN]
        powers = {x: self.emit("exp({})", x) for x in visible}
        total = self.total([powers[x] for x in visible]) if visible else ZERO_WEIGHT
        return [ZERO_WEIGHT if x == HIDDEN else self.emit("{} / {}", powers[x], total) for x in row]

    def _keep(self, node: Node, a: Entries, mask: Entries, fill: Entries) -> Entries:
        if any(map(is_name, chain(*mask))):
            raise NotPrinted
        n, m = node.shape
        wide = [row * (m // len(row)) for row in mask * (n // len(mask))]
        return [
            [x if float(bit) else fill[0][0] for x, bit in zip(*rows, strict=True)]
            for rows in zip(a, wide, strict=True)
        ]


_RULES = rules(_Printer)


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
