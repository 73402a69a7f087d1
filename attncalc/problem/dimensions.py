"""Detects formulas that are one-dimensional in NumPy and PyTorch, and a row or a column of a matrix in attncalc.

In NumPy, a flat list, `C[:, 0]` and `C.sum(axis=1)` are one-dimensional, and are broadcast as rows. If a formula gives
other numbers in attncalc than in NumPy, the author gets a warning. If a formula of NumPy has an error in attncalc, it
is translated into a formula that gives NumPy's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeGuard

from ..errors import Diagnostic, FormulaError, counted, shorten, size
from ..formula.compat.library_calls import ROW
from ..formula.elaboration import removed_axis
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
    is_condition,
    places,
    transposed,
    unparse,
    walk,
)
from .formula_sizes import BY_ENTRY, BY_ROWS, Context, Size, Sizes, is_column, operands

# Kinds of one-dimensional values: a flat list in the file, a part of a matrix, and a transposed flat list such as x.T.
LISTED, TAKEN, UPRIGHT = "listed", "taken", "upright"

_FLAT_HERE = ("flat", "arange", "hstack", "diag")
_OF_TWO = ("outer", "one_hot", "vstack")  # functions with two-dimensional values
_ALONG = {"0": 0, "-2": 0, "1": 1, "-1": 1}
_ROWS, _COLUMNS = 0, 1
# Functions that concatenate one-dimensional values. For each: whether the library makes them rows or columns, and the
# function of the formula language.
_JOINS = {
    **dict.fromkeys(("hstack", "concatenate", "concat", "cat"), (_ROWS, "hstack")),
    **dict.fromkeys(("vstack", "row_stack", "stack", "array"), (_ROWS, "vstack")),
    "column_stack": (_COLUMNS, "hstack"),
    "matrix": (_ROWS, "vstack"),  # a nested list such as [[1, 2]]
}
_NEW_DIMENSION = ("stack", "array")


class Dimensions(NamedTuple):
    """The kind of a formula (LISTED, TAKEN, UPRIGHT, or "" if not one-dimensional), and the warnings about its
    parts.
    """

    kind: str
    warnings: list[str]


def dimensions(tree: Tree, scope: Context) -> Dimensions:
    """Return a formula's kind, and a warning for each part that gives other numbers in NumPy because of its
    dimensions.
    """
    reader = _Reader(tree, scope)
    for part in reversed([*walk(tree, operands)]):  # parts are before the whole formula
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
            case Transpose(Call() as a) if not a.source.library and removed_axis(a) == "columns":
                return TAKEN  # like the other form of a one-dimensional value
            case Transpose(a) if self.kind(a) and not self.copies:
                return UPRIGHT if self.shape(tree)[1] == 1 and self.kind(a) != TAKEN else TAKEN
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
        if not call.source.library and removed_axis(call) == "rows":
            return TAKEN  # a row here, like a one-dimensional value; but the author of row_sum wants its column
        if call.source.joined:
            return self.joined(call, kinds)
        if call.function in BY_ENTRY:
            return self.stretched(call, list(call.arguments))
        if call.arguments:
            self.note_argument(call, call.arguments[0], kinds)
        if call.source.called == ROW:
            return ""
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
        """Return the kind of an entrywise operation. Warn if an operand is a column here, but NumPy broadcasts it as a
        row.
        """
        large = [(part, self.kind(part), self.shape(part)) for part in parts if max(self.shape(part)) > 1]
        # If tokens are columns, the author wants b.T as a column next to a matrix
        is_bias = self.scope.columns and not any(kind and columns > 1 for _, kind, (_, columns) in large)
        standing = [
            part for part, kind, (_, columns) in large if kind and columns == 1 and not (kind == UPRIGHT and is_bias)
        ]
        lying = [part for part, kind, (_, columns) in large if not kind or columns > 1]
        lengths = {max(extent) if kind else extent[1] for _, kind, extent in large} - {1}
        if standing and lying and len(lengths) == 1:
            meant = _with(tree, {id(part): transposed(part) for part in standing})
            self.warn(tree, standing[0], meant, remedy=_with_two_dimensions(standing[0]))
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
                    f"`inner` gives {size(self.shape(tree))}; for the product with the single number, as in NumPy, "
                    f"write {shown}"
                )
        if first and second:
            if self.shape(tree) != (1, 1):
                meant = _with(tree, {id(a): transposed(a), id(b): transposed(b)})
                ours = f", {pasted(Call('outer', (a.operand, b)))}" if isinstance(a, Transpose) else ""
                self.warn(tree, a, meant, ours)
            return ""
        return UPRIGHT if second == UPRIGHT else TAKEN if second else first

    def joined(self, call: Call, kinds: list[str]) -> str:
        """Return the kind of a concatenation. Warn if a library concatenates one-dimensional parts differently."""
        along, function = _JOINS[call.source.joined]
        parts = [(a, kind, self.shape(a)) for a, kind in zip(call.arguments, kinds, strict=True)]
        sizes = {extent for *_, extent in parts}
        are_matrices = len(parts) > 1 == len(sizes) and (1, 1) not in sizes
        if call.source.joined in _NEW_DIMENSION and not any(kinds) and are_matrices:
            listed = shorten(", ".join(map(unparse, call.arguments)))
            how = "side by side" if call.function == "hstack" else "below each other"
            self.warnings.append(
                f"[{listed}] has three dimensions in a library; attncalc puts the matrices {how}; write one "
                f"step for each matrix"
            )
        if not any(kinds):
            if call.source.joined in ("matrix", "column_stack", "vstack", "row_stack"):
                return ""
            of_numbers = all(extent == (1, 1) for *_, extent in parts)
            return "" if not of_numbers else LISTED if call.function == "hstack" else TAKEN
        turned = [transposed(a) if kind and extent[along] > 1 else a for a, kind, extent in parts]
        meant = call.but(function=function, arguments=tuple(turned))
        if meant != call and (all(kinds) or function == "vstack" or along == _COLUMNS):
            self.warn(call, next(a for a, kind, _ in parts if kind), meant)
        is_flat = all(kind or extent == (1, 1) for _, kind, extent in parts)
        return LISTED if is_flat and function == "hstack" and along == _ROWS else ""

    def taken(self, tree: Index, kind: str, rows: Tree | Slice, columns: Tree | Slice | None) -> str:
        single = [item is not None and not isinstance(item, Text) and _is_single(item) for item in (rows, columns)]
        if columns is None and kind:
            self.note_entry(tree, rows)
            return kind
        return kind if kind and single[0] else TAKEN if single[0] != single[1] else ""

    def note_entry(self, tree: Index, rows: Tree | Slice) -> None:
        """Warn about an index that selects an entry in NumPy, but the whole row in attncalc."""
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
        """Warn about a function whose result for a one-dimensional value differs from its result for a row or a
        column.
        """
        x, extent, library = shorten(unparse(a)), self.shape(a), call.source.library
        match call.function:
            case "lookup" if kinds[0] and extent[0] == 1:
                entries = pasted(Index(a, Slice(None, None), call.arguments[1]))
                self.warnings.append(
                    f"`lookup` selects rows of {x} ({size(extent)}); to select entries, write {entries}"
                )
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
                        f"`dot` is the inner product in attncalc; {library} multiplies the matrices, which is {shown}"
                    )

    def note_axis(self, tree: Tree) -> None:
        """Warn about an axis number if the operand is one-dimensional in NumPy, and has a single entry along this axis
        here.
        """
        a = _worked_on(tree)
        if a is None or tree.source.joined or tree.source.axis not in _ALONG or _is_reduction(tree):
            return
        along, extent = _ALONG[tree.source.axis], self.shape(a)
        if extent[along] != 1 or max(extent) == 1 or not self.kind(a) or tree.source.axis == "1":
            return
        each, other = ("column", "-1") if along == 0 else ("row", "0")
        x = shorten(unparse(a))
        here = f"in attncalc, each {each} has only one entry, so write axis {other} to use all entries"
        message = f"{x} has one dimension in NumPy; {here}"
        self.warnings.append(message)

    def warn(self, tree: Tree, part: Tree, meant: Tree, ours: str = "", remedy: Tree | None = None) -> None:
        """Warn that a row or column is one-dimensional in NumPy. The warning contains NumPy's formula and its size, and
        `remedy`, a part that gives the same numbers in both.
        """
        other = self.sizes.shape(meant)
        if other is None:
            return
        shown, there = shorten(unparse(part)), pasted(meant)
        here = f"{pasted(tree)} is {size(self.shape(tree))}{ours}"
        what = "row" if self.shape(part)[0] == 1 else "column"
        numpy = (
            "in NumPy, it has one dimension without keepdims" if part.source.flat else "in NumPy, it has one dimension"
        )
        both = f"; for a {what} in both, write {unparse(remedy)}" if remedy else ""
        self.warnings.append(
            f"{shown} is a {what}{_HERE}{here}; {numpy}, and the result is {there} ({size(other)}){both}"
        )


_HERE = " in attncalc, so "


def merged(warnings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the warnings of a file. Of the warnings about one-dimensional parts, keep the first, with the number of
    the others.
    """
    merged_warnings: list[Diagnostic] = []
    first, further = -1, 0
    for warning in warnings:
        if _HERE not in warning.message:
            merged_warnings.append(warning)
        elif first < 0:
            first = len(merged_warnings)
            merged_warnings.append(warning)
        else:
            further += 1
    if further:
        more = f"; the same applies to {counted(further, 'more place')} in this file"
        merged_warnings[first] = merged_warnings[first]._replace(message=merged_warnings[first].message + more)
    return merged_warnings


def _with_two_dimensions(tree: Tree) -> Tree | None:
    """Return `Q[:, 0:1]` for a column such as `Q[:, 0]`: it has two dimensions also in NumPy. Return None for other
    parts.
    """
    match tree:
        case Index(a, Slice() as rows, Number(column)) if column.isdecimal():
            return Index(a, rows, Slice(Number(column), Number(str(int(column) + 1))))
        case Index(a, Slice() as rows, Negate(Number("1"))):
            return Index(a, rows, Slice(Negate(Number("1")), None))
    return None


def _is_reduction(tree: Tree) -> bool:
    """Return whether the name of a function contains its axis, as in row_sum and argmax_rows."""
    match tree:
        case Transpose(Call(function, (_,))) | Call(function, (_,)):
            return function.startswith(("row_", "col_")) or function.endswith("_rows") or function == "norm"
    return False


def _worked_on(tree: Tree) -> Tree | None:
    """Return the matrix to which a function with an axis is applied."""
    match tree:
        case Transpose(Call(_, (Transpose(a), *_))) | Call("log", (Call("softmax", (a, *_)),)) | Call(_, (a, *_)):
            return a
    return None


def _with(tree: Tree, changed: dict[int, Tree]) -> Tree:
    """Return a tree whose operands are replaced if `changed` contains them."""
    match tree:
        case Binary(_, a, b):
            return tree.but(left=changed.get(id(a), a), right=changed.get(id(b), b))
        case Call(_, arguments):
            return tree.but(arguments=tuple(changed.get(id(a), a) for a in arguments))
    return tree


# -- translations: a one-dimensional part has two forms, a row and a column, and NumPy's rules select one of them ------


NUMBER, FLAT, MATRIX = 0, 1, 2  # the number of dimensions of a value

_LAST = ("", "0", "-1", "none")  # the axes that are valid for a one-dimensional value
_WHOLE = frozenset(
    {"sum", "total", "mean", "max", "min", "var", "std", "prod", "any", "all", "norm", "argmax", "argmin"}
)
_OF_MATRICES = frozenset({"det", "trace", "inverse", "tril", "triu", "rows", "cols", "identity", "one_hot", "causal"})
_ALL = Slice(None, None)
_BESIDE = ("hstack", "concatenate", "concat", "cat")  # the result has one dimension too


_NORMS = {  # norms of a matrix
    "2": "the spectral norm ‖A‖_2, the largest singular value,",
    "1": "the norm ‖A‖_1, the largest column sum of absolute values,",
    "inf": "the norm ‖A‖_∞, the largest row sum of absolute values,",
}  # fmt: skip


class Unknown(Exception):
    """Raised for a formula whose value in NumPy this module cannot determine."""


class Value(NamedTuple):
    """A value with its number of dimensions in NumPy. A one-dimensional value has two forms, a row and a column."""

    dimensions: int
    row: Tree  # for a number or a matrix, its only form
    column: Tree


def translations(tree: Tree, sizes: Sizes) -> list[Tree]:
    """Return the forms that give NumPy's numbers, the shortest first. Return an empty list if NumPy does not accept the
    formula, or if its value there is unknown.
    """
    try:
        value = _Translation(sizes).value(tree)
    except Unknown:
        return []
    return sorted((value.column, value.row), key=_length) if value.dimensions == FLAT else [value.row]


def norm_with_p(a: Tree, p: Tree, size: Size | None, of_matrices: bool, at: int) -> Tree | None:
    """Return the formula of a norm with its p; None if p is unknown. Raises FormulaError if the formula language does
    not have this norm of a matrix.

    If `of_matrices` is True, p selects a norm of matrices: p = 1 means the largest sum of absolute values in a column.
    """
    absolute = Call("abs", (a,))
    is_matrix = size is not None and min(size) > 1
    match p:
        case Text("fro" | "F") | Name("fro"):
            return Call("norm", (a,), (), at)
        case Number("1") if of_matrices:
            return Call("max", (Call("col_sum", (absolute,)),), (), at)
        case Name("inf" | "Inf") if of_matrices:
            return Call("max", (Call("row_sum", (absolute,)),), (), at)
        case _ if is_matrix:
            known = f"norm({unparse(a)}) is the Frobenius norm, √Σa² of all entries"
            raise FormulaError(
                f"{_NORMS.get(unparse(p), 'this matrix norm')} is not in the formula language; {known}", at
            )
        case Number("1"):
            return Call("sum", (absolute,), (), at)
        case Number("2"):
            return Call("norm", (a,), (), at)
        case Name("inf" | "Inf"):
            return Call("max", (absolute,), (), at)
    return None


def _length(tree: Tree) -> int:
    return sum(isinstance(part, Transpose) for part in walk(tree))


def _with_source(form: Tree, tree: Tree) -> Tree:
    """Return a form with the source of the translated formula. If the form is a transpose, its operand gets the
    source.
    """
    if isinstance(form, Transpose) and not isinstance(tree, Transpose):
        return form.but(operand=_with_source(form.operand, tree))
    return form.keeping(tree.source)


class _Translation:
    def __init__(self, sizes: Sizes):
        self.shape = sizes.shape
        self.context = sizes.context

    def value(self, tree: Tree) -> Value:
        """Translate a formula. Its forms get the source of the formula. Raises Unknown."""
        dimensions, *forms = self.worked_out(tree)
        value = Value(dimensions, *(_with_source(form, tree) for form in forms))
        rows, columns = self.size(value.row)
        if value.dimensions == NUMBER and (rows, columns) != (1, 1) or value.dimensions == FLAT and rows != 1:
            raise Unknown
        return value

    def size(self, tree: Tree) -> Size:
        size = self.shape(tree)
        if size is None:
            raise Unknown
        return size

    def flat(self, row: Tree | None = None, column: Tree | None = None) -> Value:
        """Return a one-dimensional value. A missing form is the transpose of the other form. Shorter transposes replace
        forms.
        """
        forms = [form for form in (row, column) if form is not None]
        shortest = min(forms, key=_length)
        turned = transposed(shortest)
        if row is None or _length(turned) < _length(row):
            row = turned
        if column is None or _length(turned) < _length(column):
            column = turned
        return Value(FLAT, row, column)

    def same(self, dimensions: int, form: Tree) -> Value:
        """Return the value of a number or a matrix, whose two forms are equal."""
        return Value(dimensions, form, form)

    def worked_out(self, tree: Tree) -> Value:
        """Translate a formula by its outermost operation. Raises Unknown."""
        if tree.source.called == "einsum":
            return self.reduced(tree, tree.source.flat)
        match tree:
            case Number():
                return self.same(NUMBER, tree)
            case Name(name):
                return self.named(tree, name)
            case Negate(a):
                return self.each([a], lambda parts: Negate(parts[0], tree.at))
            case Binary("@", a, b):
                return self.product(self.value(a), self.value(b), tree.at)
            case Binary(sign, a, b):
                return self.each([a, b], lambda parts: Binary(sign, parts[0], parts[1], tree.at))
            case Transpose(a):
                return self.transposed(tree, a)
            case Index(a, rows, columns):
                return self.taken(self.value(a), rows, columns, tree.at)
            case Call():
                return self.called(tree)
        raise Unknown

    def named(self, tree: Name, name: str) -> Value:
        size = self.size(tree)
        if size == (1, 1):
            return self.same(NUMBER, tree)
        is_step = name in self.context.one_dimensional or self.context.definition(name) is not None
        if 1 not in size or not (self.context.one_dimensional.get(name) if is_step else size[0] == 1):
            return self.same(MATRIX, tree)
        return self.flat(row=tree) if size[0] == 1 else self.flat(column=tree)

    def each(self, parts: list[Tree], made: Callable[[list[Tree]], Tree]) -> Value:
        """Translate an entrywise operation, which broadcasts its operands."""
        values = [self.value(part) for part in parts]
        row = made([value.row for value in values])
        dimensions = max((value.dimensions for value in values), default=NUMBER)
        if dimensions != FLAT:
            return self.same(dimensions, row)
        return Value(FLAT, row, made([value.column for value in values]))

    def product(self, a: Value, b: Value, at: int) -> Value:
        match a.dimensions, b.dimensions:
            case (2, 2):
                return self.same(MATRIX, Binary("@", a.row, b.row, at))
            case (2, 1):
                return self.flat(column=Binary("@", a.row, b.column, at))
            case (1, 2):
                return self.flat(row=Binary("@", a.row, b.row, at))
            case (1, 1):
                return self.same(NUMBER, Binary("@", a.row, b.column, at))
        raise Unknown

    def transposed(self, tree: Transpose, a: Tree) -> Value:
        match a:
            case Call(function, (Transpose(inside),)) if tree.source.axis and function.endswith("_rows"):  # axis 0
                value = self.value(inside)
                if value.dimensions == FLAT:
                    return self.along(Call(function, (value.row,), (), a.at), value)
                return self.reduced(tree.but(operand=a.but(arguments=(Transpose(value.row),))), tree.source.flat)
            case Call("flat", (inside,)):  # reshape(-1, 1)
                return self.same(MATRIX, tree.but(operand=a.but(arguments=(self.value(inside).row,))))
        value = self.value(a)
        return value if value.dimensions == FLAT else self.same(value.dimensions, transposed(value.row))

    # -- indices -------------------------------------------------------------------------------------------------------

    def taken(self, a: Value, rows: Tree | Slice, columns: Tree | Slice | None, at: int) -> Value:
        items = [item for item in (rows, columns) if item is not None]
        if any(isinstance(item, Text) for item in items) or a.dimensions == NUMBER:
            raise Unknown
        if a.dimensions == FLAT:
            return self.of_flat(a, items, at)
        if Name("none") in items:
            raise Unknown
        if any(self.is_matrix(item) for item in items):
            return self.looked_up(a, items, at)
        part = Index(a.row, rows, columns, at)
        match [_is_single(item) for item in items]:
            case [True] | [True, False]:
                return self.flat(row=part)
            case [True, True]:
                return self.same(NUMBER, part)
            case [False, True]:
                return self.flat(column=part)
        if len(items) == 2 and all(places(item) for item in items):
            raise Unknown
        return self.same(MATRIX, part)

    def of_flat(self, a: Value, items: list[Tree | Slice], at: int) -> Value:
        """Translate an index of a one-dimensional value: `x[1]`, `x[1:]`, `x[:, None]`."""
        match items:
            case [Name("none")]:
                return self.same(MATRIX, a.row)
            case [Name("none"), Slice() as item]:
                return self.same(MATRIX, self.of_flat(a, [item], at).row)
            case [Slice() as item, Name("none")]:
                return self.same(MATRIX, self.of_flat(a, [item], at).column)
            case [Slice() as item] if item == _ALL:
                return a
            case [Slice() as row, item] if row == _ALL:  # from a meaning such as flip(x) = x[:, ::-1]
                return self.of_flat(a, [item], at)
            case [item] if self.is_matrix(item):
                return self.flat(column=Call("lookup", (a.column, item), (), at))
            case [item] if _is_single(item):
                return self.same(NUMBER, Index(a.row, Number("0"), item, at))
            case [item]:
                return self.flat(Index(a.row, _ALL, item, at))
        raise Unknown

    def looked_up(self, a: Value, items: list[Tree | Slice], at: int) -> Value:
        match items:
            case [item] if not isinstance(item, Slice) and self.value(item).dimensions == FLAT:
                return self.same(MATRIX, Call("lookup", (a.row, item), (), at))
        raise Unknown

    def is_matrix(self, item: Tree | Slice) -> TypeGuard[Tree]:
        """Return whether an index is a matrix of indices, not a number, a list or a slice. Raises Unknown for a
        condition, which selects entries.
        """
        if isinstance(item, Slice) or item == Name("none") or places(item) is not None:
            return False
        if self.size(item) == (1, 1):
            return False
        if is_condition(item):
            raise Unknown
        return True

    # -- functions -----------------------------------------------------------------------------------------------------

    def called(self, call: Call) -> Value:
        function, source = call.function, call.source
        if call.source.joined or function in ("hstack", "vstack", "stack"):
            return self.joined(call)
        if function in BY_ENTRY:
            return self.each([*call.arguments], lambda parts: call.but(arguments=tuple(parts)))
        if function == "dot" and source.library and len(call.arguments) == 2:
            a, b = map(self.value, call.arguments)
            if NUMBER in (a.dimensions, b.dimensions):
                return self.worked_out(Binary("*", *call.arguments, call.at))
            return self.product(a, b, call.at)
        values = [self.value(a) for a in call.arguments]
        if function == "norm" and not dict(call.options).keys().isdisjoint({"p", "ord"}):
            return self.normed(call, values[0])
        if function in BY_ROWS and values:
            return self.by_rows(call, values)
        if function.startswith(("row_", "col_")) or function.endswith("_rows") or function in _WHOLE:
            return self.summed(call, values)
        return self.of_matrices(call, values)

    def of_matrices(self, call: Call, values: list[Value]) -> Value:
        """Translate a function of a whole one-dimensional value or matrix."""
        function, source = call.function, call.source
        made = call.but(arguments=tuple(value.row for value in values))
        flat = [value.dimensions == FLAT for value in values]
        if function in ("cumsum", "cumprod") and flat == [False] and source.library:  # a function of all entries
            return self.flat(call.but(arguments=(Call("flat", (values[0].row,)),)))
        if function == "solve" and flat == [False, True]:
            return self.flat(column=call.but(arguments=(values[0].row, values[1].column)))
        if function == "rows" and flat == [True] and source.called:
            return self.same(NUMBER, Call("cols", made.arguments))
        size = self.size(made)
        match function:
            case "solve" if not any(flat):
                return self.same(MATRIX, made)
            case "outer" if all(value.dimensions != MATRIX for value in values):
                return self.same(MATRIX, made)
            case "diag" if flat == [False] and values[0].dimensions == MATRIX:
                return self.flat(made) if size[0] == 1 else self.flat(column=made)
            case "lookup" if flat == [False, True] and source.library:
                return self.same(MATRIX, made)
            case "tile" if "down" in dict(call.options):
                return self.same(MATRIX, made)
            case "diag" if flat == [True]:
                return self.same(MATRIX, made)
            case "zeros" | "ones":
                return self.flat(made) if source.flat else self.same(MATRIX, made)
            case "cumsum" | "cumprod" if flat == [True]:
                return self.flat(made)
            case "arange":
                return self.flat(made)
            case "flat":
                return self.same(MATRIX, made) if source.called == ROW else self.flat(made)
            case _ if function in _OF_MATRICES and not any(flat):
                return self.same(NUMBER if size == (1, 1) else MATRIX, made)
        raise Unknown

    def by_rows(self, call: Call, values: list[Value]) -> Value:
        """Translate a softmax or a similar function."""
        a, options = values[0], dict(call.options)
        axis = options.pop("axis", None)
        gains = {name: self.value(options[name]) for name in ("gamma", "beta") if name in options}
        across = options | {name: gain.row for name, gain in gains.items()}
        down = options | {name: gain.column for name, gain in gains.items()} | {"axis": Text("columns")}
        if a.dimensions == FLAT and axis != Text("all"):
            if call.source.axis not in _LAST or axis is not None and not call.source.axis or len(values) > 1:
                raise Unknown
            row = call.but(arguments=(a.row,), options=tuple(across.items()))
            if self.size(row) == (1, 1):
                return self.same(NUMBER, row)
            return self.flat(row, call.but(arguments=(a.column,), options=tuple(down.items())))
        first = self.context.queries_first(call.arguments[0])
        tokens = first is True if self.context.columns else first is not False
        if axis is None and (not tokens or is_column(self.size(a.row))):  # the author means another axis
            raise Unknown
        stated = tuple((name, across.get(name, value)) for name, value in call.options)
        return self.reduced(call.but(arguments=tuple(value.row for value in values), options=stated), call.source.flat)

    def summed(self, call: Call, values: list[Value]) -> Value:
        """Translate a function that works along an axis, or on all entries."""
        a = values[0] if len(values) == 1 else None
        if a is None:
            raise Unknown
        if a.dimensions == FLAT and call.source.axis:
            return self.along(call, a)
        is_index = call.function in ("argmax", "argmin") and a.dimensions == MATRIX and call.source.library != ""
        made = call.but(arguments=(Call("flat", (a.row,)) if is_index else a.row,))
        if call.function in _WHOLE and "axis" not in dict(call.options):
            return self.same(NUMBER, made)
        if a.dimensions == FLAT:
            raise Unknown
        return self.reduced(made, call.source.flat)

    def normed(self, call: Call, a: Value) -> Value:
        """Translate a norm with its p: of a one-dimensional value, of a matrix (`ord`), of all entries (`p`), or along
        an axis.
        """
        options = dict(call.options)
        of_matrices = "ord" in options and a.dimensions == MATRIX
        p = options.pop("ord" if "ord" in options else "p")
        axis = options.pop("axis", Text("all"))
        if options:
            raise Unknown
        if a.dimensions == MATRIX and axis != Text("all"):
            prefix, absolute = "row_" if axis == Text("rows") else "col_", Call("abs", (a.row,))
            match p:
                case Number("1"):
                    return self.reduced(Call(f"{prefix}sum", (absolute,)), call.source.flat)
                case Name("inf"):
                    return self.reduced(Call(f"{prefix}max", (absolute,)), call.source.flat)
                case Number("2"):
                    return self.reduced(call.but(options=(("axis", axis),)), call.source.flat)
            raise Unknown
        entries = a.row if of_matrices or a.dimensions != MATRIX else Call("flat", (a.row,))
        made = norm_with_p(entries, p, self.size(entries), of_matrices, call.at)
        if made is None:
            raise Unknown
        return self.same(NUMBER, made)

    def along(self, call: Call, a: Value) -> Value:
        """Translate a function of a one-dimensional value along its only axis. It becomes the function of a whole
        matrix.
        """
        options = tuple((name, value) for name, value in call.options if name != "axis")
        name = call.function.removeprefix("row_").removeprefix("col_").removesuffix("_rows")
        if call.source.axis not in _LAST:
            raise Unknown
        if name in _WHOLE:
            whole = Call(name, (a.row,), options, call.at)
            return self.same(NUMBER, whole)
        row = Call(f"{name}_rows", (a.row,), options, call.at)
        return self.flat(row) if self.size(row) == self.size(a.row) else self.same(NUMBER, row)

    def reduced(self, made: Tree, is_flat: bool) -> Value:
        rows, columns = self.size(made)
        if not is_flat:
            return self.same(MATRIX, made)
        if (rows, columns) == (1, 1):
            return self.same(NUMBER, made)
        return self.flat(made) if rows == 1 else self.flat(column=made)

    def joined(self, call: Call) -> Value:
        """Translate a concatenation. One-dimensional parts are concatenated differently from matrices."""
        values = [self.value(a) for a in call.arguments]
        kinds = {value.dimensions for value in values}
        how = call.source.joined
        rows, columns = [value.row for value in values], [value.column for value in values]

        def put(function: str, parts: list[Tree]) -> Tree:
            return Call(function, tuple(parts), call.options, call.at)

        if call.function == "stack":  # along an axis other than the first
            if kinds != {FLAT} or call.options != (("axis", Text("rows")),):
                raise Unknown
            return self.same(MATRIX, Call("hstack", tuple(columns), (), call.at))
        adds_dimension = how in ("array", "stack")
        if kinds == {NUMBER} and (adds_dimension or not how and call.function == "hstack"):
            return self.flat(put("hstack", rows))
        if kinds == {FLAT} and how in _BESIDE or kinds == {FLAT, NUMBER} and not how and call.function == "hstack":
            return self.flat(put("hstack", rows), put("vstack", columns))
        if kinds == {NUMBER} and how == "matrix" or kinds == {MATRIX} and how in _BESIDE:
            return self.same(MATRIX, put(call.function, rows))
        if kinds <= {FLAT, MATRIX} and how == "column_stack":
            return self.same(MATRIX, put("hstack", columns))
        is_below = adds_dimension or not how and call.function == "vstack"
        if kinds <= {FLAT, MATRIX} and how in ("vstack", "row_stack") or kinds == {FLAT} and is_below:
            return self.same(MATRIX, put("vstack", rows))
        raise Unknown


def _is_single(item: Tree | Slice) -> bool:
    return not isinstance(item, Slice) and places(item) is None
