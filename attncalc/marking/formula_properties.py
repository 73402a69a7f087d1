"""Properties of formulas: the operations and constants in them, and whether they give indices."""

from __future__ import annotations

from functools import lru_cache

from ..formula.typed_formula import Node, needed
from ..plan import Plan

CHOICES = ("argmax_rows", "order_rows", "one_hot", "top_k")
REARRANGED = ("take", "transpose", "hstack", "vstack", "matrix", "floor", "add", "sub")


def is_index_valued(node: Node, plan: Plan) -> bool:
    """Return whether a formula gives indices or ids, or rearranges or shifts them."""
    stack, seen = [node], set[str]()
    while stack:
        current = stack.pop()
        if current.operation in CHOICES:
            return True
        if current.operation == "ref" and current.params[0] not in seen:
            seen.add(current.params[0])
            stack.append(plan.entries[current.params[0]].node)
        elif current.operation in REARRANGED:
            stack.extend(current.args)
    return False


@lru_cache(maxsize=5_000)
def has_constants(node: Node) -> bool:
    """Return whether a formula has a number of its own that a hand would round: √3, 10000^(1/2), 1/3; a whole one it
    keeps.
    """
    if node.size == 1 and not needed(node):
        return node.operation != "literal" or getattr(node.params[0][0][0], "denominator", 1) != 1
    return any(map(has_constants, node.args))


@lru_cache(maxsize=10_000)
def has(node: Node, operation: str) -> bool:
    """Return whether a formula uses an operation."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.operation == operation:
            return True
        stack.extend(current.args)
    return False
