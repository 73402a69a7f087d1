"""Translates a formula of NumPy that has an error here into a formula with NumPy's numbers.

In NumPy a flat list, `A[0]` and `A.sum(axis=1)` are one-dimensional. Here such a value is a row or a column. Each
one-dimensional part gets both forms, and NumPy's broadcasting rules select one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeGuard

from ..errors import FormulaError
from ..formula.entries import is_condition
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
from .formula_sizes import BY_ENTRY, BY_ROWS, Size, Sizes, is_column

NUMBER, FLAT, MATRIX = 0, 1, 2  # the number of dimensions of a value

_LAST = ("", "0", "-1", "none")  # the axes that a one-dimensional value accepts
_WHOLE = frozenset(
    {"sum", "total", "mean", "max", "min", "var", "std", "prod", "any", "all", "norm", "argmax", "argmin"}
)
_OF_MATRICES = frozenset({"det", "trace", "inverse", "tril", "triu", "rows", "cols", "identity", "one_hot", "causal"})
_ALL = Slice(None, None)
_BESIDE = ("hstack", "concatenate", "concat", "cat")  # functions that join one-dimensional values to a longer one


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
    row: Tree  # also the form of a number or a matrix
    column: Tree


def translations(tree: Tree, sizes: Sizes) -> list[Tree]:
    """Return the forms with NumPy's numbers, the shortest first. Return an empty list if NumPy refuses the formula, or
    if its value is unknown.
    """
    try:
        value = _Translation(sizes).value(tree)
    except Unknown:
        return []
    return sorted((value.column, value.row), key=_length) if value.dimensions == FLAT else [value.row]


def norm_with_p(a: Tree, p: Tree, size: Size | None, of_matrices: bool, at: int) -> Tree | None:
    """Return the formula of a norm with its p; None if p is unknown. Raises FormulaError if the formula language does
    not have this norm of a matrix.

    If `of_matrices` is True, the notation means norms of matrices: p = 1 is the largest sum of a column.
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
                f"{_NORMS.get(unparse(p), 'this norm of a matrix')} is not in the formula language; {known}", at
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


class _Translation:
    def __init__(self, sizes: Sizes):
        self.shape = sizes.shape
        self.context = sizes.context

    def value(self, tree: Tree) -> Value:
        """Translate a formula. Raises Unknown."""
        value = self.worked_out(tree)
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
        """Return a one-dimensional value. The transpose of the shortest form replaces missing and longer forms."""
        forms = [form for form in (row, column) if form is not None]
        shortest = min(forms, key=_length)
        turned = transposed(shortest)
        if row is None or _length(turned) < _length(row):
            row = turned
        if column is None or _length(turned) < _length(column):
            column = turned
        return Value(FLAT, row, column)

    def same(self, dimensions: int, form: Tree) -> Value:
        """Return a number or a matrix, for which both forms are equal."""
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
        """Translate an entrywise operation, whose operands are broadcast."""
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
        if call.source.joined or function in ("hstack", "vstack"):
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
            case "diag" if flat == [True]:
                return self.same(MATRIX, made)
            case "zeros" | "ones":
                return self.flat(made) if source.flat else self.same(MATRIX, made)
            case "cumsum" | "cumprod" if flat == [True]:
                return self.flat(made)
            case "arange":
                return self.flat(made)
            case "flat" if source.library and source.axis == "":
                return self.flat(made)
            case _ if function in _OF_MATRICES and not any(flat):
                return self.same(NUMBER if size == (1, 1) else MATRIX, made)
        raise Unknown

    def by_rows(self, call: Call, values: list[Value]) -> Value:
        """Translate a softmax or a similar function."""
        a, options = values[0], dict(call.options)
        others = [(name, value) for name, value in call.options if name != "axis"]
        axis = options.get("axis")
        if a.dimensions == FLAT and axis != Text("all"):
            if call.source.axis not in _LAST or axis is not None and not call.source.axis or len(values) > 1:
                raise Unknown
            row = call.but(arguments=(a.row,), options=tuple(others))
            if self.size(row) == (1, 1):
                return self.same(NUMBER, row)
            column = call.but(arguments=(a.column,), options=(*others, ("axis", Text("columns"))))
            return self.flat(row, column)
        first = self.context.queries_first(call.arguments[0])
        tokens = first is True if self.context.columns else first is not False
        if axis is None and (not tokens or is_column(self.size(a.row))):  # the author wants another axis
            raise Unknown
        return self.reduced(call.but(arguments=tuple(value.row for value in values)), call.source.flat)

    def summed(self, call: Call, values: list[Value]) -> Value:
        """Translate a function that works along an axis, or on all entries."""
        a = values[0] if len(values) == 1 else None
        if a is None:
            raise Unknown
        if a.dimensions == FLAT and call.source.axis:
            return self.along(call, a)
        made = call.but(arguments=(a.row,))
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
        """Translate a function of a one-dimensional value along its only axis, with the name for a whole matrix."""
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
        """Translate a join. One-dimensional parts are joined differently from matrices."""
        values = [self.value(a) for a in call.arguments]
        kinds = {value.dimensions for value in values}
        how = call.source.joined
        rows, columns = [value.row for value in values], [value.column for value in values]

        def put(function: str, parts: list[Tree]) -> Tree:
            return Call(function, tuple(parts), call.options, call.at)

        adds_dimension = how in ("array", "stack")
        if kinds == {NUMBER} and (adds_dimension or not how and call.function == "hstack"):
            return self.flat(put("hstack", rows))
        if kinds == {FLAT} and how in _BESIDE:
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
