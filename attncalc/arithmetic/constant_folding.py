"""The value of a formula without names."""

from __future__ import annotations

from flint import arb

from ..errors import FormulaError
from ..formula.elaboration import check
from ..formula.syntax_tree import Tree
from ..formula.typed_formula import Node
from .intervals.evaluator import evaluate
from .intervals.scalar import End


def constant(tree: Tree) -> End:
    """The value of a formula without names: an exact fraction or a thin ball."""

    def nothing(name: str, at: int) -> Node:
        raise FormulaError(f"{name} is not a number", at)

    cell = evaluate(check(tree, nothing), lambda key: [])[0][0]
    if cell is None:
        return arb.nan()
    return cell[0] if cell[0] is cell[1] else arb(cell[0]).union(arb(cell[1]))
