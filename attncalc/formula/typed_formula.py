"""A checked formula: every part has its shape, its labels and, if the file alone decides it, its value.

An arithmetic implements only the operations below. A formula over them defines every other function of the language
(see `functions.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from .. import limits
from ..errors import shorten
from .index_base import counted_place
from .syntax_tree import Call, Tree, rewrite, unparse

Shape = tuple[int, int]
Labels = tuple[str, ...] | None
Where = tuple[int, int]  # a row and a column
Entry = Fraction | float  # a float only for the symbols inf and -inf

LARGEST_SIDE, LARGEST_MATRIX = limits.SIDE.most, limits.ENTRIES.most
LONGEST_DENOMINATOR = 100_000  # bits; beyond it the bound on exact entries is MOST_BITS
MOST_BITS = 1 << 60
FEWEST_BITS = 8  # the least bound for a matrix of numbers
LONGEST_WRITTEN = 120

OPERATIONS = (
    "literal", "pi", "matrix", "ref",                            # given numbers, π, given expressions, another step
    "neg", "add", "sub", "mul", "div", "pow", "matmul", "transpose", "take",
    "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "floor", "maximum", "round",
    "row_sum", "row_max", "softmax", "keep", "hstack", "vstack",
    "one_hot", "top_k", "top_p", "argmax_rows", "order_rows", "sort_rows",
)  # fmt: skip
PERHAPS_IRRATIONAL = frozenset({"pi", "pow", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "softmax"})


def rules(interpreter: type) -> dict[str, Callable[..., Any]]:
    """Return the table of an interpreter, from an operation to its method: `_` and the operation's name."""
    return {name: getattr(interpreter, f"_{name}") for name in OPERATIONS if hasattr(interpreter, f"_{name}")}


class Node:
    """An operation on whole matrices.

    - `params` holds arguments that are not matrices: indices, axes, words.
    - `static` is the value of a 1 × 1 that the file alone decides.
    - `bits` is a bound on the size of the exact entries, brought to one denominator.
    - `name` or `tree` is the text that was written, for messages.
    - `at` is its offset in the formula.
    """

    _held = (
        "operation", "args", "shape", "rows", "columns", "params", "static", "bits", "name", "at", "shared", "tree",
    )  # fmt: skip
    __slots__ = (*_held, "depth", "size", "unfolded")

    def __init__(  # noqa: PLR0913  # the attributes of a node
        self,
        operation: str,
        args: tuple[Node, ...],
        shape: Shape,
        rows: Labels = None,
        columns: Labels = None,
        params: tuple[Any, ...] = (),
        static: Fraction | None = None,
        bits: int = 0,
        name: str = "",
        at: int = 0,
        shared: bool = False,
        tree: Tree | None = None,
    ):
        self.operation, self.args, self.shape, self.rows, self.columns = operation, args, shape, rows, columns
        self.params, self.static, self.bits = params, static, bits
        self.name, self.at, self.shared, self.tree = name, at, shared, tree
        self.depth: int = 1 + max([a.depth for a in args], default=0)
        self.size: int = shape[0] * shape[1]  # entries
        # operations, with shared operations counted once for each use: a bound on the work of a walk over the formula
        self.unfolded: int = 1 + sum([a.unfolded for a in args])

    def but(self, **changes: Any) -> Node:
        """Return a copy with other values under these names."""
        return Node(**{name: getattr(self, name) for name in self._held} | changes)

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


def scalar(value: Fraction, at: int = 0) -> Node:
    """Return a number as a 1 × 1 matrix."""
    return literal(((value,),), at=at)


def literal(entries: tuple[tuple[Entry, ...], ...], rows: Labels = None, columns: Labels = None, at: int = 0) -> Node:
    """Return a matrix of exact numbers (and the symbols ±inf)."""
    shape = (len(entries), len(entries[0]))
    single = entries[0][0]
    static = single if shape == (1, 1) and isinstance(single, Fraction) else None
    bits = _height([x for row in entries for x in row if isinstance(x, Fraction)])
    if static is None:  # a coarse bound is equal for matrices of numbers of similar length
        bits = max(FEWEST_BITS, 1 << (bits - 1).bit_length())
    return Node("literal", (), shape, rows, columns, (entries,), static, bits, "", at)


def _height(numbers: list[Fraction]) -> int:
    """Return the bits of the largest numerator and of the denominator, after all numbers have one denominator."""
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
        if node.operation == "ref":
            names.add(node.params[0])
        stack.extend(node.args)
    return names


def needed(node: Node) -> frozenset[str]:
    """Return the keys of the givens and steps that a formula uses directly, from a cache.

    Variants of a problem share their formulas, except for the numbers of their givens.
    """
    return _needed(node) if node.args else frozenset(needs([node]))


@lru_cache(maxsize=5_000)
def _needed(node: Node) -> frozenset[str]:
    return frozenset(needs([node]))


def is_fractional(node: Node) -> bool:
    """Return whether all entries of a formula are fractions whenever the entries of its operands are."""
    seen: set[int] = set()  # shared formulas are visited once: otherwise nested inverses would take hours
    stack = [node]
    while stack:
        node = stack.pop()
        if id(node) in seen or node.static is not None:
            continue
        if node.operation in PERHAPS_IRRATIONAL:
            return False
        seen.add(id(node))
        stack.extend(node.args)
    return True


def place(node: Node, j: Any) -> Any:
    """Return the row or the column that entry j of `order_rows` names, in a matrix that was flattened to a row."""
    _, what, width = node.params
    return j // width if what == "rows" else j % width
