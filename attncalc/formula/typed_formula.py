"""A checked formula: every part has its shape, its labels and, if the file alone decides it, its value.

An arithmetic implements only the operations of `operations.py`. A formula over them defines every other function of the
language (see `functions.py`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Self, TypedDict

from .. import limits
from ..errors import shorten
from .index_base import counted_place
from .syntax_tree import Call, Tree, rewrite, unparse

Shape = tuple[int, int]
Labels = tuple[str, ...] | None
Where = tuple[int, int]  # a row and a column
Entry = Fraction | float  # a float only for the symbols inf and -inf

LARGEST_SIDE, LARGEST_MATRIX = limits.SIDE.most, limits.ENTRIES.most
MOST_BITS = 1 << 60
LONGEST_WRITTEN = 120

OPERATIONS: dict[str, type[Node]] = {}  # by the words of the operations


class Form(TypedDict, total=False):
    """The attributes of a node that have a default, see `Node`."""

    rows: Labels
    columns: Labels
    static: Fraction | None
    bits: int
    name: str
    at: int
    shared: bool
    tree: Tree | None


class Node:
    """An operation on whole matrices; each operation is a class of its own, which adds its parameters.

    - `static` is the value of a 1 × 1 that the file alone decides.
    - `bits` is a bound on the size of the exact entries, brought to one denominator.
    - `name` or `tree` is the text that was written, for messages.
    - `at` is its offset in the formula.

    The class of an operation states its traits:

    - `word` names it in tables and in the methods of interpreters.
    - `irrational`: entries may be irrational although those of the operands are fractions.
    - `keeps_integers`: whole operands have whole results, and no way of working rounds these.
    - `arranges`: it only selects or arranges existing numbers.
    - `gives_indices`: entries are indices or mark some.
    - `carries_indices`: entries are indices if those of the operands are.
    - `along_rows`: each row depends on the same row of the operands, or on an operand's only row.
    - `by_entries`: so does each column.
    - `hard`: a hand needs a calculator for it.
    - `roundings`: how many rounding errors a program's result has, relative to its size.
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

    def __init_subclass__(cls, word: str = "") -> None:
        cls.word = word
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
        # operations, with shared operations counted once for each use: a bound on the work of a walk over the formula
        self.unfolded = 1 + sum([a.unfolded for a in self.args])

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of the operation, which are not matrices."""
        return {name: getattr(self, name) for name in type(self).__slots__}

    @property
    def comparisons(self) -> int:
        """How often each entry of the operand is compared with its whole row."""
        return 0

    def but(self, **changes: object) -> Self:
        """Return a copy with other values under these names."""
        made = object.__new__(type(self))
        for name in (*self._held, *type(self).__slots__):
            setattr(made, name, changes[name] if name in changes else getattr(self, name))
        made._measure()
        return made

    @property
    def written(self) -> str:
        """The text in the formula, for messages."""
        return self.name or (shorten(unparse(rewrite(self.tree, _public)), LONGEST_WRITTEN) if self.tree else "")

    def entry(self, i: int, j: int) -> str:
        """Return the name of an entry for messages: `row 2 ("cat"), column 1 of S`.

        A single row or a single column is not named.
        """
        axes = (("row", i, self.shape[0], self.rows), ("column", j, self.shape[1], self.columns))
        places = [
            f"{axis} {counted_place(k)}" + (f' ("{shorten(labels[k])}")' if labels else "")
            for axis, k, count, labels in axes
            if count > 1
        ]
        return f"{', '.join(places)} of {self.written}" if places else self.written


def _public(part: Tree) -> Tree | None:
    """Return the operand of an internal function, such as softmax_weights, for messages; None for other formulas."""
    return (
        rewrite(part.arguments[0], _public)
        if isinstance(part, Call) and part.function in ("pick_columns", "softmax_weights")
        else None
    )


def is_fractional(node: Node) -> bool:
    """Return whether all entries of a formula are fractions whenever the entries of its operands are."""
    seen: set[int] = set()  # shared formulas are visited once: otherwise nested inverses would take hours
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
