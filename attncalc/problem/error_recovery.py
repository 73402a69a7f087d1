"""Replaces the formulas of faulty steps by suggestions, so that errors in later steps are reported in the same run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from ..errors import FormulaError
from ..formula.compat.library_syntax import MODULES
from ..formula.elaboration import check
from ..formula.operations import needed
from ..formula.parser import RESERVED, Reading, as_pasted, proposal_of, warnings_of
from ..formula.syntax_tree import Call, Name, Tree, is_condition, names, substitute, walk
from ..formula.typed_formula import Entry, Node, is_fractional
from .formula_sizes import Context, Known, Part, operands

MOST_PROPOSALS = 200  # the largest number of suggestions in a part
MOST_STEPS = 4  # names in a mask are replaced by the formulas of steps at most this many times
MOST_EVALUATED = 100_000  # limit on entries times operations of a formula that is evaluated for a suggestion


Doubts = Callable[[Tree, "Supposed"], list[str]]  # returns warnings about a formula that may have another meaning
# Returns warnings about other meanings of the author's trees, which the suggested formula no longer has
OtherMeanings = Callable[[Sequence[Tree], Tree, "Supposed"], list[str]]


class Supposed(Context):
    """Finds suggestions for faulty formulas, by the names and shapes of earlier steps.

    A faulty step gets the suggested formula, and later steps are checked with this formula. If a later step has an
    error, the error is reported only with a suggestion, because the first suggestion may be wrong.
    """

    left = MOST_PROPOSALS

    def __init__(self, part: Part, spend: Callable[[Node], None], other_meanings: OtherMeanings):
        super().__init__(part, spend)
        self.other_meanings = other_meanings

    @property
    def module_names(self) -> frozenset[str]:
        """The names of library modules, such as F, that are also names of givens or steps in this part."""
        return frozenset(name for name in MODULES if self.part.find(name) is not None)

    def readings(self, trees: Sequence[Tree], written: str = "") -> list[Reading]:
        """Return the readings of a formula in a form that authors can paste, with warnings about other meanings.
        `written` is the author's text if it is not in Python's syntax.
        """
        return [
            Reading(as_pasted(tree), shape, tuple(self.other_meanings(trees, tree, self)))
            for tree, shape, _ in self.fitting(trees, written)
        ]

    def fitting(self, trees: Sequence[Tree], written: str = "") -> list[Reading]:
        """Return the readings of a formula that the formula language allows, and that have a value."""
        from .suggestions import readings  # only needed for an error

        self.left -= 1
        meant = readings(trees, self, written) if self.left >= 0 else []
        return [
            reading
            for reading in meant
            if reading.shape is None or self.accepts(reading.tree) and self.has_value(reading.tree)
        ]

    def has_value(self, tree: Tree) -> bool:
        """Return whether a formula has a value, by the numbers in the file. Return True also if the formula uses steps
        or is large. A division by zero, and an id such as 1 + tanh(x), have no value.
        """
        ids = (part.arguments[1] for part in walk(tree) if isinstance(part, Call) and part.function == "lookup")
        if any(node is not None and not is_fractional(node) for node in map(self.node, ids)):
            return False
        try:
            _, remarks = self.evaluated(tree) or (None, [])
        except FormulaError:
            return False
        return all("divide by zero encountered in log" in remark for remark in remarks)  # log(0) is -inf

    def evaluated(self, tree: Tree) -> tuple[Sequence[Sequence[float]], list[str]] | None:
        """Return the entries of a formula over numbers in the file as floats, and NumPy's warnings.

        Return None if the formula is large, or uses values that are not numbers in the file. Raises FormulaError if an
        entry has no value.
        """
        node, values = self.node(tree), {}
        if node is None or node.size * node.unfolded > MOST_EVALUATED:
            return None
        for name in names(tree) - RESERVED:
            entries = self.numbers(Name(name)) if self.is_name(name) else ()
            if entries is None:
                return None
            if entries:
                values.update(dict.fromkeys(needed(self.resolve(name, 0)), entries))
        import numpy as np  # imported here, because few formulas are evaluated

        from ..arithmetic import float64

        with warnings.catch_warnings(record=True) as noted, np.errstate(divide="warn", invalid="warn"):
            warnings.simplefilter("always")
            value = float64.evaluate(node, {key: float64.array(rows) for key, rows in values.items()})
        return np.atleast_2d(value).tolist(), [str(remark.message) for remark in noted]

    def is_added(self, mask: Tree) -> bool:
        """Return whether a mask in the file has −∞ or other negative entries. Such masks are added to the scores, and
        do not fit `keep`.
        """
        return any(entry < 0 for row in self.entries(mask) for entry in row)

    def entries(self, tree: Tree) -> Sequence[Sequence[Entry]]:
        """Return the entries of a formula, also if it uses steps. Return an empty list if numbers in the file do not
        determine them. Return an empty list also for a condition or a softmax, whose entries need no check.
        """
        for _ in range(MOST_STEPS):
            tree = substitute(tree, {n: formula for n in names(tree) if (formula := self.definition(n)) is not None})
        if is_condition(tree) or isinstance(tree, Call) and tree.function == "softmax":
            return []
        if (rows := self.numbers(tree)) is not None:
            return rows
        try:  # needs NumPy
            return (self.evaluated(tree) or ([], []))[0]
        except FormulaError:
            return []

    def accepts(self, tree: Tree) -> bool:
        """Return whether an author may write a formula. Some formulas are allowed only in lessons."""
        try:
            check(tree, self.resolve, self.spend, typed=True)
        except Known:
            return True
        except FormulaError:
            return False
        return True

    def suppose(self, name: str, tree: Tree | None) -> None:
        """From now on, use this formula for a faulty step, unless the formula also has an error."""
        from .dimensions import dimensions  # only needed for an error

        try:
            if tree is not None:
                self.nodes[name] = check(tree, self.resolve, self.spend)
                self.one_dimensional[name] = dimensions(tree, self).kind
        except (Known, FormulaError):
            pass

    def checked(self, tree: Tree) -> Node:
        """Check the shapes of an author's formula. Raises FormulaError with a suggestion."""
        try:
            return self.part.check(tree)
        except FormulaError as error:
            raise self.proposed("", tree, error) from None

    def proposed(self, name: str, tree: Tree, error: FormulaError) -> FormulaError:
        """Return the error with a suggestion, if there is one. If `name` is given, the suggestion becomes the formula
        of this faulty step.
        """
        try:
            meant = self.readings([tree])
        except FormulaError as named:  # an unknown name is the more useful error
            return FormulaError(named.description, error.at)
        readings = [reading for reading in meant if reading.shape is not None and reading.tree != tree]
        proposal = proposal_of(readings)
        if not proposal:
            return error
        if name and len({reading.shape for reading in readings}) == 1:
            self.suppose(name, readings[0].tree)
        return FormulaError(error.description, error.at, proposal=proposal, warnings=warnings_of(readings))

    def behind(self, name: str, tree: Tree, doubts: Doubts) -> FormulaError | None:
        """Return the error of a formula after faulty steps; None if there is neither a suggestion nor an unknown
        name.
        """
        try:
            self.nodes[name] = check(tree, self.resolve, self.spend, typed=True)
            doubted = doubts(tree, self)
            return self.proposed(name, tree, FormulaError(doubted[0])) if doubted else None
        except Known:
            return self.undefined(tree)
        except FormulaError as error:
            proposal = self.proposed(name, tree, error)
            return self.undefined(tree) if proposal is error else proposal

    def undefined(self, tree: Tree) -> FormulaError | None:
        """Return the error of the first unknown name in a formula; None if all names are known or belong to faulty
        steps.
        """
        for name in (part for part in walk(tree, operands) if isinstance(part, Name)):
            try:
                check(name, self.resolve)
            except Known:
                continue
            except FormulaError as error:
                return error
        return None
