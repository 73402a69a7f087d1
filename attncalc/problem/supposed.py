"""What steps with a fault would be by the formulas proposed for them: so the faults behind them are told as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import FormulaError, meant
from ..formula.check import Resolve, check
from ..formula.node import Node
from ..formula.parse import LONGEST_PROPOSED
from ..formula.tree import Call, Index, Name, Tree, children, unparse, walk

MOST_PROPOSALS = 200  # in a part


class Known(Exception):
    """A formula uses a step whose own fault has been told already."""


class Supposed:
    """Proposals for formulas with a fault, by the names and shapes that stand before them.

    A step whose formula was answered with another one counts as that one from then on. What follows is checked against
    it, and told only where there is a formula to propose as well: a wrong guess says nothing of steps that are right.
    """

    def __init__(self, known: Resolve, broken: Callable[[str], bool]):
        self.known = known
        self.broken = broken
        self.nodes: dict[str, Node] = {}
        self.left = MOST_PROPOSALS

    def resolve(self, name: str, at: int) -> Node:
        """A reference to what a name stands for, or is supposed to.

        Raises FormulaError for unknown names, Known for broken ones.
        """
        try:
            return self.known(name, at)
        except Known:
            if (node := self.nodes.get(name)) is None:
                raise
            return Node("ref", (), node.shape, node.rows, node.columns, (name,), node.static, node.bits, name, at)

    def shape(self, tree: Tree) -> tuple[int, int] | None:
        """The shape of a formula; None where it has a fault."""
        try:
            return check(tree, self.resolve).shape
        except (Known, FormulaError):
            return None

    def fitted(self, tree: Tree, written: str = "") -> Tree:
        """What a formula was meant to be; `written` is its text where that is none of Python's."""
        from .meant import fitted  # only a fault needs it

        self.left -= 1
        return fitted(tree, self.shape, written, self.broken) if self.left >= 0 else tree

    def suppose(self, name: str, tree: Tree | None) -> None:
        """From now on a broken step is this formula, where that has no fault itself."""
        try:
            if tree is not None:
                self.nodes[name] = check(tree, self.resolve)
        except (Known, FormulaError):
            pass

    def proposed(self, name: str, tree: Tree, error: FormulaError) -> FormulaError:
        """The fault, with a formula that fits where there is one; the step then counts as that formula."""
        found = self.fitted(tree)
        if found == tree or self.shape(found) is None or len(proposed := unparse(found)) > LONGEST_PROPOSED:
            return error
        self.suppose(name, found)
        return FormulaError(error.said, error.at, proposal=meant(proposed))

    def behind(self, name: str, tree: Tree) -> FormulaError | None:
        """The fault of a formula over steps that have one of their own; None where nothing can be proposed."""
        from .advised import crossed, lone_columns, whole_rows

        try:
            self.nodes[name] = check(tree, self.resolve, typed=True)
            said = [one for tell in (lone_columns, crossed, whole_rows) for one in tell(tree, self.shape)]
            return self.proposed(name, tree, FormulaError(said[0])) if said else None
        except Known:
            return self.undefined(tree)
        except FormulaError as error:
            found = self.proposed(name, tree, error)
            return self.undefined(tree) if found is error else found

    def undefined(self, tree: Tree) -> FormulaError | None:
        """The first name in a formula that nothing has, whatever the faulty steps are; None where all are known."""
        for name in (part for part in walk(tree, _operands) if isinstance(part, Name)):
            try:
                check(name, self.resolve)
            except Known:
                continue
            except FormulaError as error:
                return error
        return None


def _operands(tree: Tree) -> Sequence[Tree]:
    """The parts of a formula that are matrices: no options, and no places."""
    return [tree.operand] if isinstance(tree, Index) else tree.arguments if isinstance(tree, Call) else children(tree)
