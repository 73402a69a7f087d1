"""Formulas with checked shapes. Each part has a shape and labels. A part that is a single number also has a value, if
numbers in the file determine it.

Each arithmetic implements only the operations of `operations.py`. All other functions of the formula language have
defining formulas (see `functions.py`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Self, TypedDict

from .. import limits
from ..errors import FormulaError, did_you_mean, shorten
from .index_base import counted_place
from .syntax_tree import Call, Number, Tree, rewrite, unparse

Shape = tuple[int, int]
Labels = tuple[str, ...] | None
Where = tuple[int, int]  # a row and a column
Entry = Fraction | float  # a float only for the symbols inf and -inf

LARGEST_SIDE, LARGEST_MATRIX = limits.SIDE.most, limits.ENTRIES.most
MOST_BITS = 1 << 60
LONGEST_WRITTEN = 120

OPERATIONS: dict[str, type[Node]] = {}  # operations by their attribute `word`


class Form(TypedDict, total=False):
    """The attributes of a node that have a default. See `Node`."""

    rows: Labels
    columns: Labels
    static: Fraction | None
    bits: int
    name: str
    at: int
    shared: bool
    tree: Tree | None


class Node:
    """An operation on matrices. Each operation is a subclass, which adds its parameters.

    - `static` is the value of a 1 × 1 matrix if numbers in the file determine it.
    - `bits` is an upper bound on the bits of exact entries that have a common denominator.
    - `name` or `tree` is the text of the formula, for messages.
    - `at` is the offset of the part in the text of the formula.

    The class of an operation states its properties:

    - `word` is its name in tables, and in the names of interpreters' methods.
    - `irrational`: entries may be irrational although the entries of the operands are fractions.
    - `keeps_integers`: if the operands are integers, the result is an integer, which students never round.
    - `arranges`: the operation only selects or arranges existing numbers.
    - `gives_indices`: entries are indices, or a 1 marks selected entries.
    - `carries_indices`: entries are indices if the operands' entries are.
    - `along_rows`: each row depends on the same row of the operands, or on the only row of an operand.
    - `by_entries`: in addition, each column depends only on the same column of the operands.
    - `hard`: a student needs a calculator.
    - `roundings`: the number of rounding errors in a program's result, relative to its size.
    - `cost`: the cost of an entry; an exponential costs 1.
    """

    word: ClassVar[str] = ""
    irrational: ClassVar[bool] = False
    keeps_integers: ClassVar[bool] = False
    arranges: ClassVar[bool] = False
    gives_indices: ClassVar[bool] = False
    carries_indices: ClassVar[bool] = False
    along_rows: ClassVar[bool] = False
    by_entries: ClassVar[bool] = False
    hard: ClassVar[bool] = False
    roundings: ClassVar[int] = 1
    cost: ClassVar[int] = 1

    depth: int
    size: int
    unfolded: int

    _held = ("args", "shape", "rows", "columns", "static", "bits", "name", "at", "shared", "tree")
    __slots__ = (*_held, "depth", "size", "unfolded")

    _parameter_names: ClassVar[tuple[str, ...]] = ()  # the names of the operation's parameters

    def __init_subclass__(cls, word: str = "") -> None:
        cls.word, cls._parameter_names = word, cls.__dict__.get("__slots__", ())
        if word:
            OPERATIONS[word] = cls

    def __init__(  # the attributes of a node
        self,
        args: tuple[Node, ...],
        shape: Shape,
        rows: Labels = None,
        columns: Labels = None,
        static: Fraction | None = None,
        bits: int = 0,
        name: str = "",
        at: int = 0,
        shared: bool = False,
        tree: Tree | None = None,
    ):
        self.args, self.shape, self.rows, self.columns = args, shape, rows, columns
        self.static, self.bits = static, bits
        self.name, self.at, self.shared, self.tree = name, at, shared, tree
        self._measure()

    def _measure(self) -> None:
        self.depth = 1 + max([a.depth for a in self.args], default=0)
        self.size = self.shape[0] * self.shape[1]  # entries
        # the number of operations; a shared operation counts at each use, because a recursion visits it each time
        self.unfolded = 1 + sum([a.unfolded for a in self.args])

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of the operation that are not matrices."""
        return {name: getattr(self, name) for name in self._parameter_names}

    @property
    def comparisons(self) -> int:
        """The number of comparisons of each entry with its row."""
        return 0

    def but(self, **changes: object) -> Self:
        """Return a copy with changed attributes."""
        made = object.__new__(type(self))
        for name in (*self._held, *self._parameter_names):
            setattr(made, name, changes[name] if name in changes else getattr(self, name))
        made._measure()
        return made

    @property
    def written(self) -> str:
        """The text of the formula, for messages."""
        return self.name or (shorten(unparse(rewrite(self.tree, _public)), LONGEST_WRITTEN) if self.tree else "")

    def entry(self, i: int, j: int) -> str:
        """Return the name of an entry for messages: `row 2 ("cat"), column 1 of S`. A single row or
        column is omitted.
        """
        axes = (("row", i, self.shape[0], self.rows), ("column", j, self.shape[1], self.columns))
        places = [
            f"{axis} {counted_place(k)}" + (f' ("{shorten(labels[k])}")' if labels else "")
            for axis, k, count, labels in axes
            if count > 1
        ]
        return f"{', '.join(places)} of {self.written}" if places else self.written


def _public(part: Tree) -> Tree | None:
    """Return the operand of an internal function such as softmax_weights, which messages must not show; None for
    others.
    """
    return (
        rewrite(part.arguments[0], _public)
        if isinstance(part, Call) and part.function in ("pick_columns", "softmax_weights")
        else None
    )


def is_fractional(node: Node) -> bool:
    """Return whether all entries of a formula are fractions if the entries of its operands are."""
    seen: set[int] = set()  # each shared formula is visited once; otherwise nested inverses would take hours
    stack = [node]
    while stack:
        node = stack.pop()
        if id(node) in seen or node.static is not None:
            continue
        if node.irrational:
            return False
        seen.add(id(node))
        stack.extend(node.args)
    return True


# -- names of rows, columns and entries --------------------------------------------------------------------------------


LONGEST_LABEL = 24
STARTS_AT = 3  # the index of the argument `start` of a position table


def shortened(label: str) -> str:
    """Shorten a label for a sentence or an entry's name."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"


def entry_place(shape: Shape, rows: Labels, columns: Labels, i: int, j: int) -> str:
    """Return the row and the column of an entry, such as `[our, lives]`: labels if they are unique, otherwise numbers.

    A single row or column without a label is omitted. The result for a 1 × 1 matrix is empty.
    """
    if shape == (1, 1):
        return ""
    row, column = _place(rows, i), _place(columns, j)
    if shape[0] == 1 and not rows:
        return f"[{column}]"
    return f"[{row}]" if shape[1] == 1 and not columns else f"[{row}, {column}]"


def position_labels(tree: Tree, count: int) -> Labels:
    """Return `pos 0`, `pos 1` for the rows of a position table; None if the formula does not contain the first
    position.

    >>> from .parser import parse
    >>> position_labels(parse("sinusoidal(2, 4, start=1)"), 2)
    ('pos 1', 'pos 2')
    """
    if not isinstance(tree, Call) or tree.function != "sinusoidal":
        return None
    given = tree.arguments[STARTS_AT:] or (Number("0"),)
    start = dict(tree.options).get("start", given[0])
    if not isinstance(start, Number) or not start.text.isdecimal():
        return None
    return tuple(f"pos {int(start.text) + i}" for i in range(count))


def labelled(label: str, labels: Labels, what: str, word: str, at: int) -> int:
    """Return the index of the row or column with this label. Raises FormulaError unless exactly one label matches."""
    if labels is None:
        raise FormulaError(f"the {word}s of {what} have no labels; use a number as the index", at)
    count = labels.count(label)
    if count == 0:
        message = f"{what} has no {word} with the label {shorten(label)!r}"
        raise FormulaError(message, at, proposal=did_you_mean(label, labels))
    if count > 1:
        numbers = ", ".join(str(i) for i, candidate in enumerate(labels) if candidate == label)
        raise FormulaError(
            f"{count} {word}s of {what} have the label {shorten(label)!r} ({numbers}); use a number as the index", at
        )
    return labels.index(label)


def _place(labels: Labels, i: int) -> str:
    short = list(map(shortened, labels or ()))
    return short[i] if short and short.count(short[i]) == 1 else counted_place(i)
