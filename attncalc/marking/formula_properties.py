"""Properties of formulas: the operations and constants in them, and whether they give indices."""

from __future__ import annotations

from functools import lru_cache

from ..formula import operations as op
from ..formula.operations import needed
from ..formula.typed_formula import Node
from ..plan import Plan


def is_index_valued(node: Node, plan: Plan) -> bool:
    """Return whether a formula gives indices or ids, or rearranges or shifts them."""
    stack, seen = [node], set[str]()
    while stack:
        current = stack.pop()
        if current.gives_indices:
            return True
        if isinstance(current, op.Ref) and current.key not in seen:
            seen.add(current.key)
            stack.append(plan.entries[current.key].node)
        elif current.carries_indices:
            stack.extend(current.args)
    return False


@lru_cache(maxsize=5_000)
def has_constants(node: Node) -> bool:
    """Return whether a formula has a number of its own that a hand would round: √3, 10000^(1/2), 1/3; a whole one it
    keeps.
    """
    if node.size == 1 and not needed(node):
        return not isinstance(node, op.Literal) or getattr(node.entries[0][0], "denominator", 1) != 1
    return any(map(has_constants, node.args))


def has(node: Node, operation: type[Node]) -> bool:
    return operation in _operations(node)


@lru_cache(maxsize=10_000)
def _operations(node: Node) -> frozenset[type[Node]]:
    used: set[type[Node]] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        used.add(type(current))
        stack.extend(current.args)
    return frozenset(used)
