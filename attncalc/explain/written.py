"""A formula as people write it."""

from __future__ import annotations

from ..formula.tree import Binary, Call, Number, Tree, rewrite
from .document import ENTRYWISE
from .scope import FAILURES, Scope


def written(scope: Scope, tree: Tree) -> Tree:
    """Sizes as numbers, √2 for sqrt(cols(K)), and products entry by entry told apart from matrix products."""

    def change(part: Tree) -> Tree | None:
        match part:
            case Call("rows" | "cols"):
                return Number(str(scope.node(part).static))
            case Binary("*", a, b) if (1, 1) not in (scope.shape(a), scope.shape(b)):
                return Call(ENTRYWISE, (rewrite(a, change), rewrite(b, change)))
        return None

    try:
        return rewrite(tree, change)
    except FAILURES:
        return tree
