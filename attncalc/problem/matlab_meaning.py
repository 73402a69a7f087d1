"""MATLAB's functions and indices. Functions of a matrix work along its columns, and indices count from 1."""

from __future__ import annotations

from collections.abc import Callable

from ..formula.compat.index_notation import Unreadable
from ..formula.compat.library_calls import REDUCED
from ..formula.parser import read
from ..formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Number,
    Slice,
    Transpose,
    Tree,
    names,
    places,
    substitute,
    walk,
    whole,
)
from .formula_sizes import Shape, Size

Value = Callable[[Tree], int | None]  # returns the value of a formula if it is a known integer, otherwise None

_OF_SAMPLES = ("var", "std")  # functions whose second argument is the weight in MATLAB
# The meaning of MATLAB's functions for matrices: they work along the columns
_MATLAB = {name: f"col_{name}(A)" for name in REDUCED} | {
    "var": "col_var(A, ddof=1)", "std": "col_std(A, ddof=1)", "dot": "col_sum(A * B)",
    "softmax": 'softmax(A, axis="columns")', "normalize": "(A - col_mean(A)) / col_std(A, ddof=1)",
}  # fmt: skip
_OF_DIMENSION = {*REDUCED, "normalize"} - {*_OF_SAMPLES}  # functions whose second argument is the dimension in MATLAB
_OF_VECTORS = ("var", "std", "normalize")  # functions whose meaning differs also for vectors


def along_dimension(call: Call) -> Tree | None:
    """Return the formula for MATLAB's `sum(A, 2)`, `normalize(A, 2)` or `std(A, 0, 2)`; None for other calls.
    Dimensions count from 1.
    """
    match call:
        case Call("std" | "var", (a, Number("0"), Number("1" | "2" as dimension)), ()):
            pass
        case Call(name, (a, Number("1" | "2" as dimension)), ()) if name in _OF_DIMENSION:
            pass
        case _:
            return None
    formula = _MATLAB[call.function].replace("col_", "col_" if dimension == "1" else "row_")
    return substitute(read(formula), {"A": a})


def matlab_meaning(call: Call, shape: Callable[[Tree], Size | None]) -> Tree | None:
    """Return a formula with MATLAB's value of a function. Return None if the formula language has the same value."""
    formula, sizes = _MATLAB.get(call.function), [shape(a) or (1, 1) for a in call.arguments]
    if formula is None or call.options:
        return None
    if call.function == "normalize" and call.source.axis == "1":  # along columns, also for vectors
        return substitute(read(formula), {"A": call.arguments[0]})
    if call.source.axis:
        return None
    if all(min(size) > 1 for size in sizes):
        meaning = read(formula)
        is_whole = names(meaning) == {*"AB"[: len(sizes)]}
        return substitute(meaning, dict(zip("AB", call.arguments, strict=False))) if is_whole else None
    is_of_vectors = call.function in _OF_VECTORS and len(sizes) == 1 and sizes[0] != (1, 1)
    return substitute(read(formula.replace("col_", "")), {"A": call.arguments[0]}) if is_of_vectors else None


def matlab_call(call: Call, shape: Shape) -> Tree | None:
    """Return a formula for a call whose arguments have another meaning in MATLAB, such as `zeros(2)` and `sum(A,
    1)`.
    """
    match call:
        case Call(
            "zeros" | "ones", (Number("1"), Binary("*", Call("rows", (a,)) as rows, Call("cols", (b,)) as columns))
        ):
            return call.but(arguments=(rows, columns)) if a == b and call.source.flat else None
        case Call("zeros" | "ones", (Number("1"), n)) if call.source.flat:
            return call.but(arguments=(n, n))
        case Call("cols", (a,)) if call.source.called == "size" and call.source.axis == "1":
            return call.but(function="rows")
        case Call(name, (a,), ()) if name.partition("_")[2] in _OF_SAMPLES and call.source.bare:
            options = (("ddof", Number("1")),) if call.source.axis == "0" else ()  # the weight, not an axis
            function = name.partition("_")[2]
            return Call(function if 1 in (shape(a) or ()) else f"col_{function}", (a,), options, call.at)
        case Call(name, (a,)) if name.startswith("row_") and call.source.axis == "1" and call.source.bare:
            return call.but(function=f"col_{name.removeprefix('row_')}")
        case Call("diag", (a,), ()) if min(shape(a) or (1,)) > 1:
            return Transpose(call, call.at)
    return None


# -- indices -----------------------------------------------------------------------------------------------------------


def index_from_one(
    a: Tree, size: Size, rows: Tree | Slice, columns: Tree | Slice | None, value: Value
) -> Index | Transpose:
    """Convert an index that counts from 1 and may contain `end` to an index from 0. Raises Unreadable if a row or
    column does not exist.
    """
    if columns is not None:
        return Index(a, _place(rows, size[0], value), _place(columns, size[1], value))
    if min(size) > 1:  # a single index counts down the first column, then the next
        a, size = Call("flat", (Transpose(a),)), (1, size[0] * size[1])
    is_row = size[0] == 1
    place = _place(rows, max(size), value)
    if rows == Slice(None, None):
        return Transpose(a) if is_row else Index(a, place, None)
    if isinstance(place, Slice) or places(place) is not None:
        return Index(a, Slice(None, None), place) if is_row else Index(a, place, None)
    return Index(a, Number("0"), place) if is_row else Index(a, place, Number("0"))


def _place(item: Tree | Slice, size: int, value: Value) -> Tree | Slice:
    """Return the index from 0 for an index from 1. Raises Unreadable if the row or column does not exist."""

    def number(item: Tree | None) -> int:
        whole = None if item is None else value(substitute(item, {"end": Number(str(size))}))
        if whole is None:
            raise Unreadable
        return whole

    if item == Slice(None, None):
        return item
    if isinstance(item, Slice):  # start:stop or start:step:stop, with the stop
        step, last = (number(item.stop), number(item.step)) if item.step else (1, number(item.stop))
        chosen = [*range(number(item.start), last + (1 if step > 0 else -1), step)] if step else []
        if not chosen or not all(1 <= place <= size for place in chosen):
            raise Unreadable
        return _slice_of([place - 1 for place in chosen], size)
    if (listed := places(item)) is not None:
        counted = [_place(place, size, value) for place in listed]
        return Call("hstack", tuple(place for place in counted if not isinstance(place, Slice)))
    if not 1 <= (place := number(item)) <= size:
        raise Unreadable
    return Binary("-", item, Number("1")) if names(item) - {"end"} else Number(str(place - 1))


def parts_of_index(item: Tree | Slice | None) -> list[Tree]:
    """Return the formula of an index, or the three parts of a slice, with all their parts."""
    ends = item if isinstance(item, Slice) else [item]
    return [part for end in ends if end is not None for part in walk(end)]


def _slice_of(chosen: list[int], size: int) -> Tree | Slice:
    """Return the shortest index that selects these rows or columns, whose distances are equal."""
    if len(chosen) == 1:
        return Slice(Number(str(chosen[0])), Number(str(chosen[0] + 1)))
    step = chosen[1] - chosen[0]
    first, last = (0, size - 1) if step > 0 else (size - 1, 0)
    start = None if chosen[0] == first else Number(str(chosen[0]))
    stop = chosen[-1] + (1 if step > 0 else -1)
    end = None if abs(last - chosen[-1]) < abs(step) else Number(str(stop))
    if step == 1 or start is end is None:
        return Slice(start, end, None if step == 1 else whole(step))
    return Call("hstack", tuple(Number(str(place)) for place in chosen))
