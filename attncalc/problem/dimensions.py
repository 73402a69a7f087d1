"""Detects formulas that are one-dimensional in NumPy and PyTorch, and a row or a column of a matrix in attncalc.

In NumPy, a flat list, `C[:, 0]` and `C.sum(axis=1)` are one-dimensional and broadcast as rows. If a formula has other
numbers in attncalc than in NumPy, the author gets a warning.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import shorten, size
from ..formula.parser import pasted
from ..formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Slice,
    Text,
    Transpose,
    Tree,
    places,
    transposed,
    unparse,
    walk,
)
from .formula_sizes import BY_ENTRY, Context, Size, Sizes, operands

# Kinds of one-dimensional values: a flat list of the file, a part of a matrix, and a transposed flat list such as x.T.
LISTED, TAKEN, UPRIGHT = "listed", "taken", "upright"

_FLAT_HERE = ("flat", "arange", "hstack", "diag")
_OF_TWO = ("outer", "one_hot", "vstack")  # functions with two-dimensional values
_ALONG = {"0": 0, "-2": 0, "1": 1, "-1": 1}
_ROWS, _COLUMNS = 0, 1
# Functions that join one-dimensional values: whether the library makes them rows or columns, and the function here.
_JOINS = {
    **dict.fromkeys(("hstack", "concatenate", "concat", "cat"), (_ROWS, "hstack")),
    **dict.fromkeys(("vstack", "row_stack", "stack", "array"), (_ROWS, "vstack")),
    "column_stack": (_COLUMNS, "hstack"),
    "matrix": (_ROWS, "vstack"),  # a nested list such as [[1, 2]]
}
_NEW_DIMENSION = ("stack", "array")


class Dimensions(NamedTuple):
    """The kind of a formula (whether and how it is one-dimensional), and the warnings about its parts."""

    kind: str
    warnings: list[str]


def dimensions(tree: Tree, scope: Context) -> Dimensions:
    """Return a formula's kind, and a warning for each part that has other numbers in NumPy because of
    its dimensions.
    """
    reader = _Reader(tree, scope)
    for part in reversed([*walk(tree, operands)]):  # parts come before the whole formula
        kind = reader.worked_out(part)
        reader.kinds[id(part)] = kind if max(reader.shape(part)) > 1 else ""
        reader.note_axis(part)
    return Dimensions(reader.kind(tree), list(dict.fromkeys(reader.warnings)))


class _Reader:
    def __init__(self, tree: Tree, scope: Context):
        self.scope = scope
        self.sizes = Sizes(scope)
        self.copies = any(part.source.library for part in walk(tree))
        self.kinds: dict[int, str] = {}
        self.warnings: list[str] = []

    def shape(self, tree: Tree) -> Size:
        return self.sizes.shape(tree) or (1, 1)

    def kind(self, tree: Tree) -> str:
        """Return LISTED, TAKEN or UPRIGHT for a one-dimensional formula; "" for a matrix or a number."""
        return self.kinds[id(tree)]

    def worked_out(self, tree: Tree) -> str:
        """Return the kind of a formula, from the kinds of its parts."""
        if tree.source.called == "einsum":
            return TAKEN if tree.source.flat else ""
        match tree:
            case Name(name):
                if name in self.scope.one_dimensional or self.scope.definition(name) is not None:
                    return self.scope.one_dimensional.get(name, "")
                return LISTED if self.shape(tree)[0] == 1 else ""
            case Call("zeros" | "ones", (Call("rows", (a,)), Call("cols", (b,)))) if a == b and tree.source.library:
                return self.kind(a)
            case Negate(a):
                return self.kind(a)
            case Transpose(Call("flat") as a) if not a.source.library:  # reshape(-1, 1) is a column in NumPy too
                return ""
            case Transpose(a) if tree.source.flat:
                return TAKEN
            case Transpose(a) if self.kind(a) and not self.copies:
                return UPRIGHT if self.shape(tree)[1] == 1 else TAKEN
            case Transpose(a):  # in NumPy, .T does not change a one-dimensional value
                return self.kind(a)
            case Binary("@", a, b):
                return self.product(tree, a, b)
            case Binary(_, a, b):
                return self.stretched(tree, [a, b])
            case Index(a, rows, columns):
                return self.taken(tree, self.kind(a), rows, columns)
            case Call(_, arguments):
                return self.called(tree, [self.kind(a) for a in arguments])
        return ""

    def called(self, call: Call, kinds: list[str]) -> str:
        if call.source.flat:
            return "" if kinds[0] else TAKEN
        if call.source.joined:
            return self.joined(call, kinds)
        if call.function in BY_ENTRY:
            return self.stretched(call, list(call.arguments))
        if call.arguments:
            self.note_argument(call, call.arguments[0], kinds)
        if call.function in _FLAT_HERE:
            return LISTED if self.shape(call)[0] == 1 else ""
        if call.function == "dot" and len(call.arguments) == 2:
            return self.product(call, *call.arguments)
        if call.function == "solve":
            return kinds[-1]
        if call.function in ("cumsum", "cumprod") and call.source.library and not call.source.axis:
            return TAKEN  # a function of all entries
        if call.function in _OF_TWO:
            return ""
        are_flat = all(kind or max(self.shape(a)) == 1 for a, kind in zip(call.arguments, kinds, strict=True))
        return next(filter(None, kinds), "") if are_flat and 1 in self.shape(call) else ""

    def stretched(self, tree: Tree, parts: list[Tree]) -> str:
        """Return the kind of an entrywise operation. Warn if an operand is a column here, and NumPy broadcasts it as a
        row.
        """
        large = [(part, self.kind(part), self.shape(part)) for part in parts if max(self.shape(part)) > 1]
        if any(kind == UPRIGHT for _, kind, _ in large):  # b.T next to W @ x.T is intended as a column
            large = [(part, kind or UPRIGHT * (columns == 1), (rows, columns)) for part, kind, (rows, columns) in large]
        # If tokens are columns, the author wants b.T as a column
        standing = [
            part
            for part, kind, (_, columns) in large
            if kind and columns == 1 and not (kind == UPRIGHT and self.scope.columns)
        ]
        lying = [part for part, kind, (_, columns) in large if not kind or columns > 1]
        lengths = {max(extent) if kind else extent[1] for _, kind, extent in large} - {1}
        if standing and lying and len(lengths) == 1:
            meant = _with(tree, {id(part): transposed(part) for part in standing})
            self.warn(tree, standing[0], meant)
        if any(not kind for _, kind, _ in large):
            return ""
        return next((kind for kind in (UPRIGHT, TAKEN, LISTED) if any(kind == other for _, other, _ in large)), "")

    def product(self, tree: Binary | Call, a: Tree, b: Tree) -> str:
        """Return the kind of a matrix product. The product of two one-dimensional operands is the inner product."""
        first, second = self.kind(a), self.kind(b)
        if tree.source.called == "inner" and self.shape(a) == (1, 1) and isinstance(b, Transpose):
            there = Binary("*", a, b.operand)
            if self.shape(tree) != self.shape(b.operand):
                shown = f"{pasted(there)} ({size(self.shape(there))})"
                self.warnings.append(
                    f"inner gives {size(self.shape(tree))}; NumPy multiplies by the single number, which is {shown}"
                )
        if first and second:
            if self.shape(tree) != (1, 1):
                meant = _with(tree, {id(a): transposed(a), id(b): transposed(b)})
                ours = f", {pasted(Call('outer', (a.operand, b)))}" if isinstance(a, Transpose) else ""
                self.warn(tree, a, meant, ours)
            return ""
        return UPRIGHT if second == UPRIGHT else TAKEN if second else first

    def joined(self, call: Call, kinds: list[str]) -> str:
        """Return the kind of a join. Warn if a library joins one-dimensional parts differently."""
        along, function = _JOINS[call.source.joined]
        parts = [(a, kind, self.shape(a)) for a, kind in zip(call.arguments, kinds, strict=True)]
        sizes = {extent for *_, extent in parts}
        are_matrices = len(parts) > 1 == len(sizes) and (1, 1) not in sizes
        if call.source.joined in _NEW_DIMENSION and not any(kinds) and are_matrices:
            listed = shorten(", ".join(map(unparse, call.arguments)))
            how = "side by side" if call.function == "hstack" else "below each other"
            self.warnings.append(
                f"[{listed}] has three dimensions in a library; attncalc puts the matrices {how}: write one "
                f"step for each matrix"
            )
        if not any(kinds):
            is_list = call.function == "hstack" and call.source.joined not in ("matrix", "column_stack")
            return LISTED if is_list and all(extent == (1, 1) for *_, extent in parts) else ""
        turned = [transposed(a) if kind and extent[along] > 1 else a for a, kind, extent in parts]
        meant = call.but(function=function, arguments=tuple(turned))
        if meant != call and (all(kinds) or function == "vstack" or along == _COLUMNS):
            self.warn(call, next(a for a, kind, _ in parts if kind), meant)
        is_flat = all(kind or extent == (1, 1) for _, kind, extent in parts)
        return LISTED if is_flat and function == "hstack" and along == _ROWS else ""

    def taken(self, tree: Index, kind: str, rows: Tree | Slice, columns: Tree | Slice | None) -> str:
        single = [item is not None and not isinstance(item, Slice | Text) and places(item) is None
                  for item in (rows, columns)]  # fmt: skip
        if columns is None and kind:
            self.note_entry(tree, rows)
            return kind
        return kind if kind and single[0] else TAKEN if single[0] != single[1] else ""

    def note_entry(self, tree: Index, rows: Tree | Slice) -> None:
        """Warn about an index that selects an entry in NumPy, but a whole row here."""
        extent = self.shape(tree.operand)
        if isinstance(rows, Slice | Text) or extent[0] > 1 or extent[1] == 1:
            return
        if isinstance(tree.operand, Name) and rows == Number("0"):  # whole_rows has a warning for this case
            return
        x, at = shorten(unparse(tree.operand)), unparse(rows)
        listed = places(rows)
        which = {"0": "the first entry", "-1": "the last entry"}.get(at, "one entry")
        entry = f"for {which}, write {pasted(Index(tree.operand, Number('0'), rows))}"
        if listed is not None:
            entry = f"for entries, write {unparse(Index(tree.operand, Slice(None, None), rows))}"
            what = f"selects rows of {x} ({size(extent)})"
        else:
            what = f"selects the whole {x} ({size(extent)})"
        self.warnings.append(f"{shorten(unparse(tree))} {what}; {entry}")

    def note_argument(self, call: Call, a: Tree, kinds: list[str]) -> None:
        """Warn about a function whose result for one dimension differs from its result for a row or a column."""
        x, extent, library = shorten(unparse(a)), self.shape(a), call.source.library
        match call.function:
            case "lookup" if kinds[0] and extent[0] == 1:
                entries = pasted(Index(a, Slice(None, None), call.arguments[1]))
                self.warnings.append(f"lookup selects rows of {x} ({size(extent)}); to select entries, write {entries}")
            case "tile" if kinds[0] and extent[1] == 1 < extent[0]:
                self.warnings.append(
                    f"{x} is a column in attncalc, but has one dimension in NumPy; for NumPy's result, write {x}.T"
                )
            case "tril" | "triu" if kinds[0]:
                self.warnings.append(
                    f"{x} is {size(extent)} in attncalc; NumPy's {call.function} makes a square matrix from this list"
                )
            case "diag" if library and not kinds[0] and 1 in extent and extent != (1, 1):
                self.warnings.append(f"{x} is {size(extent)}, so its diagonal in {library} is only the first entry")
            case "dot" if library and not any(kinds) and extent[1] == 1 < extent[0]:
                product = Binary("@", *call.arguments) if len(call.arguments) == 2 else call
                if (there := self.sizes.shape(product)) not in (None, self.shape(call)):
                    shown = f"{pasted(product)} ({size(there or (1, 1))})"
                    self.warnings.append(
                        f"dot is the inner product in attncalc; {library} multiplies the matrices, which is {shown}"
                    )

    def note_axis(self, tree: Tree) -> None:
        """Warn about a numbered axis with a single entry here, if the operand is one-dimensional in NumPy."""
        a = _worked_on(tree)
        if a is None or tree.source.joined or tree.source.axis not in _ALONG or _is_reduction(tree):
            return
        along, extent = _ALONG[tree.source.axis], self.shape(a)
        if extent[along] != 1 or max(extent) == 1 or not self.kind(a) or tree.source.axis == "1":
            return
        each, other = ("column", "-1") if along == 0 else ("row", "0")
        x = shorten(unparse(a))
        here = f"in attncalc, each {each} has one entry, so write axis {other} to use all entries"
        message = f"{x} has one dimension in NumPy; {here}"
        self.warnings.append(message)

    def warn(self, tree: Tree, part: Tree, meant: Tree, ours: str = "") -> None:
        """Warn that a row or column is one-dimensional in NumPy, with NumPy's formula and its size."""
        other = self.sizes.shape(meant)
        if other is None:
            return
        shown, there = shorten(unparse(part)), pasted(meant)
        here = f"{pasted(tree)} is {size(self.shape(tree))}{ours}"
        what = "row" if self.shape(part)[0] == 1 else "column"
        numpy = "without keepdims, NumPy has" if part.source.flat else "NumPy has"
        self.warnings.append(
            f"{shown} is a {what} in attncalc, so {here}; "
            f"{numpy} one dimension, and its result is {there} ({size(other)})"
        )


def _is_reduction(tree: Tree) -> bool:
    """Return whether the name of a function contains its axis, as in row_sum and argmax_rows."""
    match tree:
        case Transpose(Call(function, (_,))) | Call(function, (_,)):
            return function.startswith(("row_", "col_")) or function.endswith("_rows") or function == "norm"
    return False


def _worked_on(tree: Tree) -> Tree | None:
    """Return the matrix operand of a function with an axis."""
    match tree:
        case Transpose(Call(_, (Transpose(a), *_))) | Call("log", (Call("softmax", (a, *_)),)) | Call(_, (a, *_)):
            return a
    return None


def _with(tree: Tree, changed: dict[int, Tree]) -> Tree:
    """Return the tree with some operands replaced."""
    match tree:
        case Binary(_, a, b):
            return tree.but(left=changed.get(id(a), a), right=changed.get(id(b), b))
        case Call(_, arguments):
            return tree.but(arguments=tuple(changed.get(id(a), a) for a in arguments))
    return tree
