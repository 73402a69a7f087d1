"""What a formula uses: an operation, or a choice of which ones."""

from __future__ import annotations

from ..formula.node import Node
from ..plan import Plan, Step

CHOICES = ("argmax_rows", "order_rows", "one_hot", "top_k")
REARRANGED = ("take", "transpose", "hstack", "vstack", "matrix", "floor", "add", "sub")


def picks(node: Node, plan: Plan) -> bool:
    """Whether a formula tells which ones: indices and ids, or such numbers rearranged and counted on."""
    if node.operation in CHOICES:
        return True
    if node.operation == "ref":
        return (
            picks(plan.entries[node.params[0]].node, plan) if isinstance(plan.entries[node.params[0]], Step) else False
        )
    return node.operation in REARRANGED and any(picks(one, plan) for one in node.args)


def has(node: Node, operation: str) -> bool:
    """Whether a formula uses an operation."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one.operation == operation:
            return True
        stack.extend(one.args)
    return False
