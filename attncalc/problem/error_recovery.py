"""What steps with a fault would be by the formulas proposed for them: so the faults behind them are told as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import FormulaError
from ..formula.elaboration import Resolve, check
from ..formula.parser import Reading, proposal_of
from ..formula.syntax_tree import Name, Tree, walk
from ..formula.typed_formula import Node

MOST_PROPOSALS = 200  # in a part


class Known(Exception):
    """A formula uses a step whose own fault has been told already."""


class Supposed:
    """Proposals for formulas with a fault, by the names and shapes that stand before them.

    A step whose formula was answered with another one counts as that one from then on. What follows is checked against
    it, and told only where there is a formula to propose as well: a wrong guess says nothing of steps that are right.
    """

    def __init__(
        self,
        known: Resolve,
        broken: Callable[[str], bool],
        definition: Callable[[str], Tree | None],
        columns: bool,
        check: Callable[[Tree], Node],
        doubts: Callable[[Tree, Supposed], list[str]],
        spend: Callable[[Node], None],
    ):
        self.known = known
        self.definition = definition
        self.columns = columns
        self.check = check
        self.doubts = doubts
        self.spend = spend  # raises Known where no more may be tried
        self.inner: set[str] = set()
        self.one_dimensional: dict[str, str] = {}
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
        node = self.node(tree)
        return None if node is None else node.shape

    def node(self, tree: Tree) -> Node | None:
        """A formula with its shapes checked; None where it has a fault."""
        try:
            return check(tree, self.resolve, self.spend)
        except (Known, FormulaError):
            return None

    def readings(self, trees: Sequence[Tree], written: str = "") -> list[Reading]:
        """What a formula can have been meant to be; `written` is its text where that is none of Python's."""
        from .suggestions import readings  # only a fault needs it

        self.left -= 1
        return readings(trees, self, written) if self.left >= 0 else []

    def suppose(self, name: str, tree: Tree | None) -> None:
        """From now on a broken step is this formula, where that has no fault itself."""
        try:
            if tree is not None:
                self.nodes[name] = check(tree, self.resolve, self.spend)
        except (Known, FormulaError):
            pass

    def checked(self, tree: Tree) -> Node:
        """A formula with its shapes checked, as an author typed it. Raises FormulaError with what was meant."""
        try:
            return self.check(tree)
        except FormulaError as error:
            raise self.proposed("", tree, error) from None

    def proposed(self, name: str, tree: Tree, error: FormulaError) -> FormulaError:
        """The fault, with what can have been meant; a broken step of this name then counts as that."""
        try:
            meant = self.readings([tree])
        except FormulaError as named:  # what is written has a name, and is not known here
            return FormulaError(named.description, error.at)
        readings = [reading for reading in meant if reading.shape is not None and reading.tree != tree]
        proposal = proposal_of(readings)
        if not proposal:
            return error
        if name and len({reading.shape for reading in readings}) == 1:
            self.suppose(name, readings[0].tree)
        return FormulaError(error.description, error.at, proposal=proposal)

    def behind(self, name: str, tree: Tree) -> FormulaError | None:
        """The fault of a formula over steps that have one of their own; None where nothing can be proposed."""
        try:
            self.nodes[name] = check(tree, self.resolve, self.spend, typed=True)
            doubts = self.doubts(tree, self)
            return self.proposed(name, tree, FormulaError(doubts[0])) if doubts else None
        except Known:
            return self.undefined(tree)
        except FormulaError as error:
            proposal = self.proposed(name, tree, error)
            return self.undefined(tree) if proposal is error else proposal

    def undefined(self, tree: Tree) -> FormulaError | None:
        """The first name in a formula that nothing has, whatever the faulty steps are; None where all are known."""
        from .suggestions import operands

        for name in (part for part in walk(tree, operands) if isinstance(part, Name)):
            try:
                check(name, self.resolve)
            except Known:
                continue
            except FormulaError as error:
                return error
        return None
