"""One entry of a step with its numbers put in, from the step's own formula: S[0, 1] = 3·9.3 + 1.5·5.1 + 3.4·4.7 = 51.53."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ..arithmetic.certified import entries, is_infinite, is_zero
from ..errors import AttncalcError, FormulaError
from ..formula.check import check
from ..formula.node import Node
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Slice, Text, Transpose, Tree, children
from ..solve import Values

MOST_TERMS = 8

_ENTRYWISE = {
    "exp", "log", "ln", "log2", "log10", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor", "ceil", "relu", "sigmoid",
    "silu", "maximum", "minimum",
}  # fmt: skip
_SUMS = {"row_sum", "row_mean", "col_sum", "col_mean", "total", "mean"}


class NoWorking(Exception):
    """The formula has no entry that fits a line."""


class Worker:
    """Writes entries of formulas as trees over entries of their operands, and evaluates such trees.

    `resolve` finds a name's node in the step's scope; leaves are `Index` nodes over names, shown as numbers later.
    """

    def __init__(self, values: Values, resolve: Callable[[str, int], Node]):
        self.values = values
        self.resolve = resolve

    def node(self, tree: Tree) -> Node:
        return check(tree, self.resolve)

    def shape(self, tree: Tree) -> tuple[int, int]:
        return self.node(tree).shape

    def hidden(self, tree: Tree, i: int, j: int) -> bool:
        """Whether an entry is −∞."""
        try:
            x = entries(self.evaluate(self.node(tree)))[i][j]
        except (AttncalcError, FormulaError):
            return False
        return is_infinite(x)

    def zero(self, tree: Tree, i: int, j: int) -> bool:
        return is_zero(entries(self.evaluate(self.node(tree)))[i][j])

    def evaluate(self, node: Node, bits: int = 128):  # type: ignore[no-untyped-def]
        from ..formula.node import needs

        known = {key: self.values.at(key, bits) for key in needs([node])}
        return self.values.arithmetic.evaluate(node, known, bits)

    def entry(self, tree: Tree, i: int, j: int) -> Tree:
        """The formula of one entry."""
        match tree:
            case Number():
                return tree
            case Name("e" | "pi" | "inf"):
                return tree
            case Name():
                n, m = self.shape(tree)
                return Index(tree, Number(str(min(i, n - 1))), Number(str(min(j, m - 1))))
            case Negate(a):
                return Negate(self.entry(a, i, j))
            case Transpose(a):
                return self.entry(a, j, i)
            case Binary("@", a, b):
                return self.product(a, b, i, j)
            case Binary(operator, a, b):
                return Binary(operator, self.stretched(a, i, j), self.stretched(b, i, j))
            case Index(a, rows, columns):
                return self.indexed(tree, i, j)
            case Call(function, args, options):
                return self.call(tree, function, args, options, i, j)
        raise NoWorking

    def stretched(self, tree: Tree, i: int, j: int) -> Tree:
        n, m = self.shape(tree)
        return self.entry(tree, min(i, n - 1), min(j, m - 1))

    def indexed(self, tree: Index, i: int, j: int) -> Tree:
        node = self.node(tree)
        rows, columns = node.params
        return self.entry(tree.operand, rows[i] if rows else i, columns[j] if columns else j)

    def product(self, a: Tree, b: Tree, i: int, j: int) -> Tree:
        inner = self.shape(a)[1]
        terms = [Binary("*", self.entry(a, i, k), self.entry(b, k, j)) for k in range(inner)]
        return self.sum_of(terms)

    def sum_of(self, terms: list[Tree]) -> Tree:
        if len(terms) > MOST_TERMS:
            left = len(terms) - 4
            terms = [*terms[:3], Name(f"… {left} more …"), terms[-1]]
        return reduce(lambda x, y: Binary("+", x, y), terms)

    def call(self, tree: Call, function: str, args: tuple[Tree, ...], options: tuple[tuple[str, Tree], ...], i: int, j: int) -> Tree:
        if function in ("rows", "cols"):
            return Number(str(self.node(tree).static))
        if function in _ENTRYWISE:
            return Call(function, tuple(self.stretched(a, i, j) for a in args))
        if function == "gelu" and not options:
            return Call(function, (self.entry(args[0], i, j),))
        if function in ("softmax", "softmax_rows", "softmax_cols"):
            return self.softmax(args[0], dict(options), i, j, function == "softmax_cols")
        if function in _SUMS:
            return self.sum_or_mean(function, args[0], i, j)
        if function == "sinusoidal":
            return self.sinusoid(tree, args, dict(options), i, j)
        if function in ("row_max", "row_min") and self.shape(args[0])[1] <= MOST_TERMS:
            return Call(function[4:], tuple(self.entry(args[0], i, k) for k in range(self.shape(args[0])[1])))
        raise NoWorking

    def softmax(self, scores: Tree, options: dict[str, Tree], i: int, j: int, by_column: bool) -> Tree:
        axis = options.get("axis")
        if isinstance(axis, Text) and axis.value == "columns":
            by_column = True
        elif isinstance(axis, Text) and axis.value == "all":
            raise NoWorking
        n, m = self.shape(scores)
        line = [(k, j) for k in range(n)] if by_column else [(i, k) for k in range(m)]
        base = options.get("base")

        def power(p: int, q: int) -> Tree:
            x = self.entry(scores, p, q)
            return Binary("**", base, x) if base else Call("exp", (x,))

        seen = [power(p, q) for p, q in line if not self.hidden(scores, p, q)]
        if not seen or self.hidden(scores, i, j):
            raise NoWorking
        return Binary("/", power(i, j), self.sum_of(seen))

    def sum_or_mean(self, function: str, a: Tree, i: int, j: int) -> Tree:
        n, m = self.shape(a)
        if function.startswith("row"):
            cells = [(i, k) for k in range(m)]
        elif function.startswith("col"):
            cells = [(k, j) for k in range(n)]
        else:
            cells = [(p, q) for p in range(n) for q in range(m)]
        total = self.sum_of([self.entry(a, p, q) for p, q in cells])
        return Binary("/", total, Number(str(len(cells)))) if function.endswith("mean") else total

    def sinusoid(self, tree: Call, args: tuple[Tree, ...], options: dict[str, Tree], i: int, j: int) -> Tree:
        """sin(position / base^exponent)"""
        d = self.node(tree).shape[1]
        names = ("n", "d", "base", "start", "exponent", "layout")
        given = dict(zip(names, args, strict=False)) | options
        start = self.node(given["start"]).static if "start" in given else 0
        base = given.get("base", Number("10000"))
        word = given.get("exponent")
        exponent = word.value if isinstance(word, Text) else "2i/d"
        layout = given.get("layout")
        if start is None:
            raise NoWorking
        pairs = (d + 1) // 2
        if isinstance(layout, Text) and layout.value == "concatenated":
            pair, cosine = (j, False) if j < pairs else (j - pairs, True)
        else:
            pair, cosine = j // 2, j % 2 == 1
        column = 2 * pair + cosine
        top, below = {
            "2i/d": (2 * pair, d), "j/d": (column, d), "2j/d": (2 * column, d), "i/(d/2-1)": (pair, pairs - 1),
        }[exponent]  # fmt: skip
        position = Number(str(start + i))
        angle: Tree = position
        if top:
            angle = Binary("/", position, Binary("**", base, Binary("/", Number(str(top)), Number(str(below)))))
        return Call("cos" if cosine else "sin", (angle,))


def is_leaf(tree: Tree) -> bool:
    """A number, or one entry of a matrix."""
    return isinstance(tree, Number) or (isinstance(tree, Index) and isinstance(tree.operand, Name) and not isinstance(tree.rows, Slice))


def depth(tree: Tree) -> int:
    return 0 if is_leaf(tree) else 1 + max((depth(c) for c in children(tree)), default=0)
