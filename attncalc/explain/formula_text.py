"""Formulas in readable notation."""

from __future__ import annotations

from fractions import Fraction

from ..formula.syntax_tree import Binary, Call, Index, Number, Slice, Text, Tree, places, rewrite
from .document import ENTRYWISE
from .part_scope import FAILURES, Scope

LONGEST_RUN = 6  # whole numbers in a row that are written one by one


def readable_formula(scope: Scope, tree: Tree) -> Tree:
    """Return a formula with sizes as numbers, √2 for sqrt(cols(K)), and marked entrywise products."""

    def change(part: Tree) -> Tree | None:
        match part:
            case Call("rows" | "cols"):
                return Number(str(scope.node(part).static))
            case Call("hstack", (Number() as only,), ()):
                return only
            case Call("arange", (_, _)):
                return _run(scope, part, 0)
            case Binary("+", a, Call("arange", (_, _)) as counted) if (first := scope.node(a).static) is not None:
                return _run(scope, counted, first)
            case Index(a, rows, columns):
                n, m = scope.shape(a)
                chosen = columns and _resolve_indices(scope, columns, m)
                return Index(rewrite(a, change), _resolve_indices(scope, rows, n), chosen, part.at)
            case Binary("*", a, b) if (1, 1) not in (scope.shape(a), scope.shape(b)):
                return Call(ENTRYWISE, (rewrite(a, change), rewrite(b, change)))
        return None

    try:
        return rewrite(tree, change)
    except FAILURES:
        return tree


def _run(scope: Scope, counted: Call, first: Fraction | int) -> Tree:
    """Return consecutive whole numbers, `first` added to each, listed if they are few."""
    start, stop = (scope.node(end).static for end in counted.arguments)
    if start is None or stop is None or first.denominator != 1:
        return Binary("+", Number(str(first)), counted) if first else counted
    if 1 < stop - start <= LONGEST_RUN:
        return Call("hstack", tuple(Number(str(start + first + k)) for k in range(int(stop - start))))
    return Call("arange", (Number(str(start + first)), Number(str(stop + first))))


def _resolve_indices(scope: Scope, place: Tree | Slice, count: int) -> Tree | Slice:
    """Return an index or a span with its numbers computed: `X[-1]` is row 2 of 3."""
    match place:
        case Slice(start, stop, step):
            return Slice(start and _number(scope, start, count), stop and _number(scope, stop, count), step)
        case Text():
            return place
        case Call() if (listed := places(place)) is not None:
            return place.but(arguments=tuple(_resolve_indices(scope, index, count) for index in listed))
    return _number(scope, place, count)


def _number(scope: Scope, place: Tree, count: int) -> Tree:
    static = scope.node(place).static
    return place if static is None else Number(str(static + count if static < 0 else static))
