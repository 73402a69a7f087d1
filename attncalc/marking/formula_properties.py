"""Properties of formulas: the operations and constants in them, and whether they give indices."""

from __future__ import annotations

from functools import lru_cache

from ..formula.typed_formula import Node, needed
from ..plan import Plan

CHOICES = ("argmax_rows", "order_rows", "one_hot", "top_k")
REARRANGED = ("take", "transpose", "hstack", "vstack", "matrix", "floor", "add", "sub")


def is_index_valued(node: Node, plan: Plan) -> bool:
    """Return whether a formula gives indices or ids, or rearranges or shifts them."""
    if node.operation in CHOICES:
        return True
    if node.operation == "ref":
        return is_index_valued(plan.entries[node.params[0]].node, plan)
    return node.operation in REARRANGED and any(is_index_valued(argument, plan) for argument in node.args)


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
