"""The operations of formulas. Each operation is a class, with its parameters and properties.

The properties that other modules need are attributes of the class (see `Node`). An interpreter is a subclass of
`Rules`, with a method for each operation. mypy reports missing methods.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import ClassVar, Concatenate, Final, Protocol, TypeVar, Unpack

from .typed_formula import MOST_BITS, OPERATIONS, Entry, Form, Labels, Node, Shape

Entries = tuple[tuple[Entry, ...], ...]
Indices = tuple[int, ...] | None  # indices of rows or columns, in this order; None for all

LONGEST_DENOMINATOR = 100_000  # bits; for a longer common denominator, the bound on bits is MOST_BITS
FEWEST_BITS = 8  # the smallest bound on bits for a matrix of numbers
LIBRARY_ROUNDINGS = 4  # the greatest number of rounding errors in a result of a library function


# -- operands ----------------------------------------------------------------------------------------------------------


class Literal(Node, word="literal"):
    """Numbers in the problem file or in a formula."""

    __slots__ = ("entries",)
    arranges, roundings = True, 0

    def __init__(self, entries: Entries, **form: Unpack[Form]):
        super().__init__((), (len(entries), len(entries[0])), **form)
        self.entries: Final = entries


class Pi(Node, word="pi"):
    """The number π."""

    irrational = True


class Matrix(Node, word="matrix"):
    """A matrix whose entries are formulas of single numbers, row by row."""

    arranges, roundings, carries_indices = True, 0, True


class Ref(Node, word="ref"):
    """A reference to a given or another step, by its key."""

    __slots__ = ("key",)
    arranges, roundings, keeps_integers, cost = True, 0, True, 0

    def __init__(self, key: str, shape: Shape, **form: Unpack[Form]):
        super().__init__((), shape, **form)
        self.key: Final = key


# -- entry by entry ----------------------------------------------------------------------------------------------------


class Entrywise(Node):
    """An operation in which an entry depends only on the same entry of each operand."""

    along_rows, by_entries = True, True


class Unary(Entrywise):
    """A function of each entry."""


class Neg(Unary, word="neg"):
    """−a"""

    arranges, roundings, keeps_integers = True, 0, True


class Abs(Unary, word="abs"):
    """The absolute value of each entry."""

    arranges, roundings = True, 0


class Floor(Unary, word="floor"):
    """Each entry rounded down to a whole number."""

    carries_indices = True


class Round(Unary, word="round"):
    """Each entry rounded to `digits` decimals, by a mode of `rounding_modes`."""

    __slots__ = ("digits", "mode")

    def __init__(self, digits: int, mode: str, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]):
        super().__init__(args, shape, **form)
        self.digits: Final = digits
        self.mode: Final = mode


class Function(Unary):
    """A function whose values may be irrational. Programs compute it with a numerical library."""

    irrational, hard, roundings = True, True, LIBRARY_ROUNDINGS


class Exp(Function, word="exp"):
    """e to the power of each entry."""


class Log(Function, word="log"):
    """The natural logarithm."""


class Sqrt(Function, word="sqrt"):
    """The square root."""

    roundings = 1


class Sin(Function, word="sin"):
    """The sine."""


class Cos(Function, word="cos"):
    """The cosine."""


class Tanh(Function, word="tanh"):
    """The hyperbolic tangent."""


class Erf(Function, word="erf"):
    """The error function."""

    cost = 16


class Binary(Entrywise):
    """An operation on two matrices. A row, a column or a single number is broadcast. `sign` is the sign
    in a formula.
    """

    sign: ClassVar[str]

    @staticmethod
    def of_numbers(x: Fraction, y: Fraction, /) -> Fraction | None:
        """Return the value for two numbers; None if it is not a fraction, or not needed."""
        return None

    @staticmethod
    def bound(a: Node, b: Node) -> int:
        """Return an upper bound on the bits of exact entries of the result."""
        return a.bits + b.bits + 1


class Add(Binary, word="add"):
    """a + b"""

    sign = "+"
    of_numbers = staticmethod(operator.add)
    keeps_integers, carries_indices = True, True


class Sub(Binary, word="sub"):
    """a − b"""

    sign = "-"
    of_numbers = staticmethod(operator.sub)
    keeps_integers, carries_indices = True, True


class Mul(Binary, word="mul"):
    """a · b"""

    sign = "*"
    of_numbers = staticmethod(operator.mul)
    keeps_integers = True


class Div(Binary, word="div"):
    """a / b"""

    sign, hard = "/", True

    @staticmethod
    def of_numbers(x: Fraction, y: Fraction, /) -> Fraction | None:
        """Return x / y; None for y = 0."""
        return x / y if y else None

    @staticmethod
    def bound(a: Node, b: Node) -> int:
        return a.bits + b.bits * b.size


class Pow(Binary, word="pow"):
    """a to the power of b."""

    sign, cost = "**", 2
    irrational, hard, roundings = True, True, LIBRARY_ROUNDINGS

    @staticmethod
    def of_numbers(x: Fraction, y: Fraction, /) -> Fraction | None:
        return x ** int(y) if y.denominator == 1 and (x or y > 0) else None

    @staticmethod
    def bound(a: Node, b: Node) -> int:
        """Return an upper bound on the bits of exact entries of the result.

        The power n multiplies the bits of the base by n. For a negative power, the common denominator contains every
        entry.
        """
        if isinstance(b, Literal):
            powers = [x for row in b.entries for x in row if isinstance(x, Fraction)]
        else:
            powers = [b.static] if b.static is not None else []
        largest = max((abs(x) for x in powers), default=Fraction(MOST_BITS))
        return a.bits * (int(largest) + 1) * (a.size if any(x < 0 for x in powers) else 1)


class Maximum(Binary, word="maximum"):
    """The larger of two entries."""

    sign, arranges, roundings = "maximum", True, 0


class Keep(Node, word="keep"):
    """The entries of a matrix where a mask is not 0, and a number elsewhere. Operands: matrix, mask, number."""

    along_rows, by_entries, arranges, roundings = True, True, True, 0


# -- rows and matrices -------------------------------------------------------------------------------------------------


class MatMul(Node, word="matmul"):
    """The matrix product."""

    keeps_integers = True


class Transpose(Node, word="transpose"):
    """The transpose."""

    arranges, roundings, keeps_integers, carries_indices = True, 0, True, True


class Take(Node, word="take"):
    """Selected rows and columns of a matrix, in this order."""

    __slots__ = ("taken_columns", "taken_rows")
    arranges, roundings, keeps_integers, carries_indices = True, 0, True, True

    def __init__(
        self, taken_rows: Indices, taken_columns: Indices, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]
    ):
        super().__init__(args, shape, **form)
        self.taken_rows: Final = taken_rows
        self.taken_columns: Final = taken_columns


class Stack(Node):
    """Matrices that are concatenated."""

    arranges, roundings, keeps_integers, carries_indices = True, 0, True, True


class HStack(Stack, word="hstack"):
    """Matrices side by side."""

    along_rows = True


class VStack(Stack, word="vstack"):
    """Matrices below each other."""


class RowReduction(Node):
    """A number for each row."""

    along_rows = True


class RowSum(RowReduction, word="row_sum"):
    """The sum of each row."""

    keeps_integers = True


class RowMax(RowReduction, word="row_max"):
    """The largest entry of each row."""

    roundings = 0


class Softmax(Node, word="softmax"):
    """The exponentials divided by their sum: the sum of each row (`axis` "rows"), or of all entries ("all").

    `empty` is the rule if all scores are −∞: "error", or weights that are "zeros" or "uniform".
    """

    __slots__ = ("axis", "empty")
    irrational, hard = True, True

    def __init__(self, axis: str, empty: str, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]):
        super().__init__(args, shape, **form)
        self.axis: Final = axis
        self.empty: Final = empty


# -- choices -----------------------------------------------------------------------------------------------------------


class OneHot(Node, word="one_hot"):
    """A row for each id, with 1 in the column of the id; zeros for the id `ignore`."""

    __slots__ = ("classes", "ignore")
    arranges, roundings, gives_indices = True, 0, True

    def __init__(self, classes: int, ignore: int | None, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]):
        super().__init__(args, shape, **form)
        self.classes: Final = classes
        self.ignore: Final = ignore


class Ranking(Node):
    """An operation that compares the entries of a row with each other."""

    along_rows, arranges, roundings = True, True, 0

    @property
    def comparisons(self) -> int:
        """The number of comparisons of each entry with its row."""
        return 1


class TopK(Ranking, word="top_k"):
    """1 at the k largest entries of each row, 0 elsewhere."""

    __slots__ = ("k",)
    gives_indices = True

    def __init__(self, k: int, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]):
        super().__init__(args, shape, **form)
        self.k: Final = k


class TopP(Ranking, word="top_p"):
    """1 at the largest entries of each row, as few as possible, whose sum is at least p; 0 elsewhere.

    The operands are the matrix and p.
    """


class ArgmaxRows(RowReduction, Ranking, word="argmax_rows"):
    """The column of each row's largest entry."""

    gives_indices = True


class OrderRows(Ranking, word="order_rows"):
    """The indices of the k largest entries of each row.

    The row may be a flattened matrix of `width` columns. Then `counts` is "rows" or "columns", and the result contains
    the rows or the columns of these entries.
    """

    __slots__ = ("counts", "k", "width")
    gives_indices = True

    def __init__(self, k: int, counts: str, width: int, args: tuple[Node, ...], shape: Shape, **form: Unpack[Form]):
        super().__init__(args, shape, **form)
        self.k: Final = k
        self.counts: Final = counts
        self.width: Final = width

    @property
    def comparisons(self) -> int:
        """The number of comparisons of each entry with its row."""
        return 2 * self.k + 1

    def place(self, j: int) -> int:
        """Return the row or the column of the entry with index j in the flattened matrix."""
        return j // self.width if self.counts == "rows" else j % self.width


class SortRows(Ranking, word="sort_rows"):
    """Each row in descending order."""


# -- interpreters ------------------------------------------------------------------------------------------------------

N = TypeVar("N")
V = TypeVar("V")
E = TypeVar("E")
Rule = Callable[Concatenate[N, ...], V]  # the arguments are the node and the values of its operands


class Rules(Protocol[V]):
    """The methods of an interpreter, one for each operation. V is the type of the interpreter's values."""

    _literal: Rule[Literal, V]
    _pi: Rule[Pi, V]
    _matrix: Rule[Matrix, V]
    _ref: Rule[Ref, V]
    _neg: Rule[Neg, V]
    _abs: Rule[Abs, V]
    _floor: Rule[Floor, V]
    _round: Rule[Round, V]
    _exp: Rule[Exp, V]
    _log: Rule[Log, V]
    _sqrt: Rule[Sqrt, V]
    _sin: Rule[Sin, V]
    _cos: Rule[Cos, V]
    _tanh: Rule[Tanh, V]
    _erf: Rule[Erf, V]
    _add: Rule[Add, V]
    _sub: Rule[Sub, V]
    _mul: Rule[Mul, V]
    _div: Rule[Div, V]
    _pow: Rule[Pow, V]
    _maximum: Rule[Maximum, V]
    _keep: Rule[Keep, V]
    _matmul: Rule[MatMul, V]
    _transpose: Rule[Transpose, V]
    _take: Rule[Take, V]
    _hstack: Rule[HStack, V]
    _vstack: Rule[VStack, V]
    _row_sum: Rule[RowSum, V]
    _row_max: Rule[RowMax, V]
    _softmax: Rule[Softmax, V]
    _one_hot: Rule[OneHot, V]
    _top_k: Rule[TopK, V]
    _top_p: Rule[TopP, V]
    _argmax_rows: Rule[ArgmaxRows, V]
    _order_rows: Rule[OrderRows, V]
    _sort_rows: Rule[SortRows, V]


class StructuralOperations(Rules[list[list[E]]], Protocol[E]):
    """The methods for operations that only arrange entries. The values of the interpreter are lists of rows."""

    def _transpose(self, node: Transpose, a: list[list[E]]) -> list[list[E]]:
        return [list(column) for column in zip(*a, strict=True)]

    def _take(self, node: Take, a: list[list[E]]) -> list[list[E]]:
        rows = node.taken_rows or range(len(a))
        columns = node.taken_columns or range(len(a[0]))
        return [[a[i][j] for j in columns] for i in rows]

    def _matrix(self, node: Matrix, *parts: list[list[E]]) -> list[list[E]]:
        flat = [p[0][0] for p in parts]
        m = node.shape[1]
        return [flat[k : k + m] for k in range(0, len(flat), m)]

    def _hstack(self, node: HStack, *parts: list[list[E]]) -> list[list[E]]:
        return [[entry for part in parts for entry in part[i]] for i in range(node.shape[0])]

    def _vstack(self, node: VStack, *parts: list[list[E]]) -> list[list[E]]:
        return [row for part in parts for row in part]


def rules(interpreter: type[Rules[V]]) -> dict[type[Node], Callable[..., V]]:
    """Return the methods of an interpreter, by operation."""
    return {operation: getattr(interpreter, f"_{word}") for word, operation in OPERATIONS.items()}


# -- numbers and names -------------------------------------------------------------------------------------------------


def scalar(value: Fraction, at: int = 0) -> Literal:
    """Return a number as a 1 × 1 matrix."""
    return literal(((value,),), at=at)


def literal(entries: Entries, rows: Labels = None, columns: Labels = None, at: int = 0) -> Literal:
    """Return a matrix of exact numbers (and the symbols ±inf)."""
    single = entries[0][0]
    static = single if len(entries) == len(entries[0]) == 1 and isinstance(single, Fraction) else None
    bits = _height([x for row in entries for x in row if isinstance(x, Fraction)])
    if static is None:  # rounded up to a power of two, so that similar matrices have equal bounds
        bits = max(FEWEST_BITS, 1 << (bits - 1).bit_length())
    return Literal(entries, rows=rows, columns=columns, static=static, bits=bits, at=at)


def reference(key: str, node: Node, name: str, at: int) -> Ref:
    """Return a reference to the given or step with this key, whose formula is `node`."""
    return Ref(
        key, node.shape, rows=node.rows, columns=node.columns, static=node.static, bits=node.bits, name=name, at=at
    )


def _height(numbers: list[Fraction]) -> int:
    """Return a bound on the bits of the largest numerator plus the bits of the common denominator."""
    common = 1
    for denominator in {x.denominator for x in numbers}:
        common = lcm(common, denominator)
        if common.bit_length() > LONGEST_DENOMINATOR:
            return MOST_BITS
    larger = max((x.numerator.bit_length() - x.denominator.bit_length() for x in numbers), default=0)
    return max(1, larger + 1 + 2 * common.bit_length())


def needs(nodes: list[Node]) -> set[str]:
    """Return the keys of the givens and steps that these formulas use directly."""
    names: set[str] = set()
    seen: set[int] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Ref):
            names.add(node.key)
        stack.extend(node.args)
    return names


def taken(node: Node) -> tuple[Indices, Indices]:
    """Return the rows and the columns that a `Take` selects."""
    assert isinstance(node, Take)
    return node.taken_rows, node.taken_columns


def needed(node: Node) -> frozenset[str]:
    """Return the keys of the givens and steps that a formula uses directly. The result is cached, because variants of a
    problem share formulas.
    """
    return _needed(node) if node.args else frozenset(needs([node]))


@lru_cache(maxsize=5_000)
def _needed(node: Node) -> frozenset[str]:
    return frozenset(needs([node]))


# -- a row, a column or an entry of a formula --------------------------------------------------------------------------


@lru_cache(maxsize=5_000)
def entry_of(node: Node, i: int, j: int) -> Node:
    """Return a formula for the entry in row `i` and column `j` of a formula's value."""
    return column_of(row_of(node, i), j)


def column_of(node: Node, j: int) -> Node:
    """Return a formula for column `j` of a formula's value, with as few operations as possible."""
    if node.shape[1] == 1:
        return node
    shape = (node.shape[0], 1)
    if node.by_entries:
        args = tuple(column_of(operand, j) for operand in node.args)
        return node.but(args=args, shape=shape, columns=None, shared=False)
    match node:
        case MatMul():
            args = (node.args[0], column_of(node.args[1], j))
            return node.but(args=args, shape=shape, columns=None, shared=False)
        case Transpose():
            return node.but(args=(row_of(node.args[0], j),), shape=shape, columns=None, shared=False)
        case Take():
            columns = node.taken_columns or range(node.args[0].shape[1])
            args = (column_of(node.args[0], columns[j]),)
            return node.but(args=args, shape=shape, columns=None, taken_columns=None, shared=False)
        case HStack():
            for part in node.args:
                if j < part.shape[1]:
                    return column_of(part, j)
                j -= part.shape[1]
    return Take(None, (j,), (node,), shape, rows=node.rows)


@lru_cache(maxsize=2_000)
def row_of(node: Node, i: int) -> Node:
    """Return a formula for row `i` of a formula's value, with as few operations as possible."""
    if node.shape[0] == 1:
        return node
    shape = (1, node.shape[1])
    if node.along_rows or isinstance(node, Softmax) and node.axis == "rows":
        return node.but(args=tuple(row_of(operand, i) for operand in node.args), shape=shape, rows=None, shared=False)
    match node:
        case MatMul():
            return node.but(args=(row_of(node.args[0], i), node.args[1]), shape=shape, rows=None, shared=False)
        case Take():
            rows = node.taken_rows or range(node.args[0].shape[0])
            args = (row_of(node.args[0], rows[i]),)
            return node.but(args=args, shape=shape, rows=None, taken_rows=None, shared=False)
        case VStack():
            for part in node.args:
                if i < part.shape[0]:
                    return row_of(part, i)
                i -= part.shape[0]
    return Take((i,), None, (node,), shape, columns=node.columns)
