"""A formula as people write it."""

from __future__ import annotations

from ..formula.tree import Binary, Call, Index, Number, Slice, Text, Tree, rewrite
from .document import ENTRYWISE
from .scope import FAILURES, Scope


def written(scope: Scope, tree: Tree) -> Tree:
    """Sizes as numbers, √2 for sqrt(cols(K)), and products entry by entry told apart from matrix products."""

    def change(part: Tree) -> Tree | None:
        match part:
            case Call("rows" | "cols"):
                return Number(str(scope.node(part).static))
            case Index(a, rows, columns):
                n, m = scope.shape(a)
                chosen = columns and _decided(scope, columns, m)
                return Index(rewrite(a, change), _decided(scope, rows, n), chosen, part.at)
            case Binary("*", a, b) if (1, 1) not in (scope.shape(a), scope.shape(b)):
                return Call(ENTRYWISE, (rewrite(a, change), rewrite(b, change)))
        return None

    try:
        return rewrite(tree, change)
    except FAILURES:
        return tree


def _decided(scope: Scope, place: Tree | Slice, count: int) -> Tree | Slice:
    """A row, a column or a span of them with its numbers worked out: `X[-1]` takes row 2 where there are 3."""
    match place:
        case Slice(start, stop):
            return Slice(start and _number(scope, start, count), stop and _number(scope, stop, count))
        case Text():
            return place
    return _number(scope, place, count)


def _number(scope: Scope, place: Tree, count: int) -> Tree:
    static = scope.node(place).static
    return place if static is None else Number(str(static + count if static < 0 else static))
