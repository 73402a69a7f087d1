"""The formula of one entry, derived from the formula of the step. For Q @ K.T, S[0, 1] is Q[0, 0]·K[1, 0] + Q[0,
1]·K[1, 1] + ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from flint import fmpq

from ...arithmetic.matrix_types import is_infinite
from ...formula.functions import functions
from ...formula.operations import taken
from ...formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, is_comparison
from ..part_scope import Scope

Options = dict[str, Tree]
Location = tuple[int, int]

_ENTRYWISE = {
    "exp", "log", "ln", "log2", "log10", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor", "ceil", "relu", "sigmoid",
    "silu", "gelu", "maximum", "minimum",
}  # fmt: skip
MOST_COMPARED = 8
MOST_PARTS = 4_000  # parts of one calculation


class NoWorking(Exception):
    """The error of a formula whose calculation does not fit in a line, or would show nothing."""


class EntryWriter:
    """A writer for the formulas of entries: trees of numbers and entries of matrices (`Index` of a name)."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.parts = 0
        self.inside = 0  # depth of expanded shorthands

    def entry(self, tree: Tree, i: int, j: int) -> Tree:
        """Return the formula of entry (i, j). Rows, columns and 1 × 1 matrices are broadcast. Raises NoWorking."""
        self.parts += 1
        if self.parts > MOST_PARTS or self.scope.is_exhausted:
            raise NoWorking
        n, m = self.scope.shape(tree)
        i, j = min(i, n - 1), min(j, m - 1)
        written = isinstance(tree, Call) and tree.function in _WRITERS
        if not written and (shorthand := self.scope.expansion(tree)) is not None:
            return self.shorthand(tree, shorthand, i, j)
        match tree:
            case Number() | Name("e" | "pi" | "inf") if not self.scope.knows(tree):
                return tree
            case Name():
                return Index(tree, Number(str(i)), Number(str(j)))
            case Negate(a):
                return Negate(self.entry(a, i, j))
            case Transpose(a):
                return self.entry(a, j, i)
            case Binary("@", a, b):
                return self.product(a, b, i, j)
            case Binary(operator, a, b):
                return Binary(operator, self.entry(a, i, j), self.entry(b, i, j))
            case Index(a):
                rows, columns = taken(self.scope.node(tree))
                return self.entry(a, rows[i] if rows else i, columns[j] if columns else j)
            case Call():
                return self.call(tree, i, j)
        raise NoWorking

    def shorthand(self, tree: Tree, opened: Tree, i: int, j: int) -> Tree:
        """Return the entry of a shorthand's formula, or of a branch of `where`. Raises NoWorking for a comparison."""
        if is_comparison(tree):
            raise NoWorking
        if isinstance(tree, Call) and tree.function == "where":
            mask, a, b = tree.arguments
            seen = self.scope.rows(mask)
            x = seen[min(i, len(seen) - 1)][min(j, len(seen[0]) - 1)]
            if not isinstance(x, fmpq):
                raise NoWorking
            return self.entry(a if x else b, i, j)
        self.inside += 1
        formula = self.entry(opened, i, j)
        self.inside -= 1
        return formula

    def value(self, tree: Tree, i: int, j: int) -> Tree:
        """Return entry (i, j) of a formula as a leaf, which is printed as its value."""
        return Index(tree, Number(str(i)), Number(str(j)))

    def product(self, a: Tree, b: Tree, i: int, j: int) -> Tree:
        """Return the sum over the inner index, without masked terms."""
        inner = range(self.scope.shape(a)[1])
        seen = [k for k in inner if not self.scope.is_hidden(a, i, k) and not self.scope.is_hidden(b, k, j)]
        return sum_of([Binary("*", self.entry(a, i, k), self.entry(b, k, j)) for k in seen or inner])

    def call(self, tree: Call, i: int, j: int) -> Tree:
        """Return entry (i, j) of a function. Raises NoWorking if a calculation would show nothing."""
        if tree.function in ("rows", "cols"):
            return Number(str(self.scope.node(tree).static))
        if (
            tree.function in ("hstack", "vstack") and self.inside
        ):  # at the top level, selecting a block is not a calculation
            return self.block_entry(tree, i, j)
        if tree.function in _ENTRYWISE:
            return Call(tree.function, tuple(self.entry(a, i, j) for a in tree.arguments), tree.options)
        if tree.function in _WRITERS:
            return _WRITERS[tree.function](self, tree.function, _arguments_by_name(tree), i, j)
        raise NoWorking

    def block_entry(self, tree: Call, i: int, j: int) -> Tree:
        """Return the entry of the block that contains (i, j) in a concatenation."""
        axis = 0 if tree.function == "vstack" else 1
        place = [i, j]
        for part in tree.arguments:
            size = self.scope.shape(part)[axis]
            if place[axis] < size:
                return self.entry(part, *place)
            place[axis] -= size
        raise NoWorking

    def line(self, tree: Tree, axis: str, i: int, j: int) -> list[Location]:
        """Return the positions of the row, the column or the matrix that a function uses for entry (i, j)."""
        n, m = self.scope.shape(tree)
        if axis.startswith("row"):
            return [(i, k) for k in range(m)]
        if axis.startswith("col"):
            return [(k, j) for k in range(n)]
        return [(p, q) for p in range(n) for q in range(m)]

    def along(self, tree: Tree, axis: str, i: int, j: int) -> list[Tree]:
        return [self.entry(tree, *place) for place in self.line(tree, axis, i, j)]

    # -- one writer for each function: its name, and its arguments by name ------------------------

    def softmax(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return e^x divided by the sum over the unmasked entries. Raises NoWorking for a masked entry."""
        scores, base = given["A"], given.get("base")

        def power(p: int, q: int) -> Tree:
            x = self.entry(scores, p, q)
            return Binary("**", base, x) if base else Call("exp", (x,))

        rows = self.scope.rows(scores)
        seen = [
            place
            for place in self.line(scores, _axis(function, given), i, j)
            if not is_infinite(rows[place[0]][place[1]])
        ]
        if (i, j) not in seen:
            raise NoWorking
        return Binary("/", power(i, j), sum_of([power(*place) for place in seen]))

    def normalize(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the entry divided by the sum of its row, its column or the matrix."""
        total = sum_of(self.along(given["A"], _axis(function, given), i, j))
        return Binary("/", self.entry(given["A"], i, j), total)

    def sum(self, function: str, given: Options, i: int, j: int) -> Tree:
        return sum_of(self.along(given["A"], function, i, j))

    def mean(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the sum divided by the number of entries."""
        terms = self.along(given["A"], function, i, j)
        return Binary("/", sum_of(terms), Number(str(len(terms))))

    def variance(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the sum of squared deviations divided by n − ddof. Raises NoWorking if ddof is not constant."""
        a, ddof = given["A"], self.scope.node(given.get("ddof", Number("0"))).static
        mean = Call(function.replace("var", "mean"), (a,))
        n, m = self.scope.shape(mean)
        middle = self.value(mean, min(i, n - 1), min(j, m - 1))
        squares: list[Tree] = [Binary("**", Binary("-", x, middle), Number("2")) for x in self.along(a, function, i, j)]
        if ddof is None:
            raise NoWorking
        return Binary("/", sum_of(squares), Number(str(len(squares) - ddof)))

    def deviation(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the square root of the variance."""
        return Call("sqrt", (self.variance(function.replace("std", "var"), given, i, j),))

    def extreme(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the maximum or minimum as nested calls of `maximum` or `minimum`. Raises NoWorking for more than
        MOST_COMPARED entries.
        """
        entries = self.along(given["A"], function, i, j)
        if len(entries) > MOST_COMPARED:
            raise NoWorking
        larger = {"max": "maximum", "min": "minimum"}[function[-3:]]
        return reduce(lambda x, y: Call(larger, (x, y)), entries)

    def pick(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return the entry of P in the column of the row's id."""
        ids = [x for row in self.scope.rows(given["ids"]) for x in row]
        x = ids[min(i, len(ids) - 1)]  # a single id is for every row
        return self.entry(given["P"], i, int(x.numerator))

    def cross_entropy(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return −(log p₁ + … + log p_n)/n, where p is the probability of the id in each row."""
        n = self.scope.shape(given["P"])[0]
        logs: list[Tree] = [Call("log", (self.pick("pick", given, k, 0),)) for k in range(n)]
        mean = Binary("/", Negate(sum_of(logs)), Number(str(n)))
        return Binary("/", mean, Call("log", (given["base"],))) if "base" in given else mean

    def turn(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return a·cos θ − b·sin θ, or b·cos θ + a·sin θ, for the pair (a, b)."""
        a, half = given["A"], self.scope.shape(given["A"])[1] // 2
        if _word(given.get("layout")) == "halves":
            pair, partner, first = j % half, (j + half) % (2 * half), j < half
        else:
            pair, partner, first = j // 2, j + 1 - 2 * (j % 2), j % 2 == 0
        cos_term, sin_term = (
            Binary("*", self.entry(a, i, k), self.entry(given[f], i, pair)) for k, f in ((j, "C"), (partner, "S"))
        )
        return Binary("-" if first else "+", cos_term, sin_term)

    def sinusoid(self, function: str, given: Options, i: int, j: int) -> Tree:
        """Return sin(position / base^exponent), or its cosine."""
        d, start = (self.scope.node(given.get(name, Number("0"))).static for name in ("d", "start"))
        if d is None or start is None:
            raise NoWorking
        pairs = int(d + 1) // 2
        concatenated = _word(given.get("layout")) == "concatenated"
        pair, cosine = (j % pairs, j >= pairs) if concatenated else (j // 2, j % 2 == 1)
        top, below = _exponent(_word(given.get("exponent")) or "2i/d", pair, cosine, int(d))
        angle: Tree = Number(str(start + i))
        if top:
            power = Binary("/", Number(str(top)), Number(str(below)))
            angle = Binary("/", angle, Binary("**", given.get("base", Number("10000")), power))
        return Call("cos" if cosine else "sin", (angle,))


def _arguments_by_name(tree: Call) -> Options:
    return dict(zip((p.name for p in functions()[tree.function].parameters), tree.arguments, strict=False)) | dict(
        tree.options
    )


def _word(tree: Tree | None) -> str:
    return tree.value if isinstance(tree, Text) else tree.name if isinstance(tree, Name) else ""


def _axis(function: str, given: Options) -> str:
    return _word(given.get("axis")) or {"softmax_cols": "columns", "softmax_all": "all"}.get(function, "rows")


def _exponent(word: str, pair: int, cosine: bool, d: int) -> tuple[int, int]:
    column = 2 * pair + cosine
    return {"2i/d": (2 * pair, d), "j/d": (column, d), "2j/d": (2 * column, d), "i/(d/2-1)": (pair, (d + 1) // 2 - 1)}[
        word
    ]


def sum_of(terms: list[Tree]) -> Tree:
    """Return the sum of the terms. Nested sums are flattened."""
    return reduce(lambda x, y: Binary("+", x, y), [summand for term in terms for summand in terms_of(term)])


def terms_of(tree: Tree) -> list[Tree]:
    """Return the terms a, b and c of a + b + c."""
    terms = []
    while isinstance(tree, Binary) and tree.operator == "+":
        terms.append(tree.right)
        tree = tree.left
    return [tree, *reversed(terms)]


_WRITERS: dict[str, Callable[[EntryWriter, str, Options, int, int], Tree]] = {
    **dict.fromkeys(("softmax", "softmax_rows", "softmax_cols", "softmax_all"), EntryWriter.softmax),
    **dict.fromkeys(("row_sum", "col_sum", "total", "sum"), EntryWriter.sum),
    **dict.fromkeys(("row_mean", "col_mean", "mean"), EntryWriter.mean),
    **dict.fromkeys(("row_var", "col_var", "var"), EntryWriter.variance),
    **dict.fromkeys(("row_std", "col_std", "std"), EntryWriter.deviation),
    **dict.fromkeys(("row_max", "row_min", "col_max", "col_min", "max", "min"), EntryWriter.extreme),
    "normalize": EntryWriter.normalize,
    "pick": EntryWriter.pick,
    "cross_entropy": EntryWriter.cross_entropy,
    "turn": EntryWriter.turn,
    "sinusoidal": EntryWriter.sinusoid,
}
