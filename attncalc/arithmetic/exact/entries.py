"""Entries of checked formulas as formal numbers, each worked out once and only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...formula.typed_formula import Node
from ..budget import GiveUp
from .exponential_sums import METER, Sum
from .quotient_form import OPAQUE, Exact, Formal, atom
from .sign_decision import settled


class Cells:
    """Works out single entries of checked formulas formally, each once; an operation's rule is called `_` and its name.

    `step_cell` tells an entry of a given or a step where it is known, `definition` its formula where its value is that.
    """

    rules: ClassVar[dict[str, Callable[..., Formal]]] = {}  # filled where the last of them is known

    def __init__(
        self,
        step_cell: Callable[[str, int, int], Formal | None] | None = None,
        definition: Callable[[str], Node | None] = lambda key: None,
    ):
        self.step_cell = step_cell
        self.definition = definition
        self.known: dict[tuple[Node, int, int], Formal | None] = {}
        self.lines: dict[tuple[Node, int | None], list[Exact]] = {}
        self.totals: dict[tuple[Node, int | None], Sum] = {}
        self.orders: dict[tuple[Node, int], list[int]] = {}
        self.structures: dict[Node, int] = {}
        self.numbers: dict[Any, int] = {}

    def cell(self, node: Node, i: int, j: int) -> Formal:
        """Entry (i, j) of a formula, worked out once. Raises GiveUp where it is out of reach, also when it was
        before.
        """
        key = (node, i, j)
        if key in self.known:
            found = self.known[key]
        else:
            METER.spend(1)
            self.known[key] = None  # a failure is remembered too
            found = self.rules[node.operation](self, node, i, j)
            found = self.known[key] = settled(found) if isinstance(found, Exact) else found
        if found is None:
            raise GiveUp
        return found

    def value(self, node: Node, i: int, j: int) -> Exact:
        """A finite entry; one that is out of reach stands for itself, which still proves equal what is
        formally equal.
        """
        try:
            found = self.cell(node, i, j)
        except GiveUp:
            return atom(OPAQUE, (self.structure(node), i, j))
        if isinstance(found, str):
            raise GiveUp
        return found

    def structure(self, node: Node) -> int:
        """The number of a formula: formulas that are written alike get one number, so s − s is 0 whatever s is."""
        if node not in self.structures:
            written = node.operation, node.params, tuple(map(self.structure, node.args))
            self.structures[node] = self.numbers.setdefault(written, len(self.numbers))
        return self.structures[node]

    def finite_or_not(self, node: Node, i: int, j: int) -> Formal:
        """As `stretched`, for an entry that may be infinite."""
        i, j = min(i, node.shape[0] - 1), min(j, node.shape[1] - 1)
        try:
            return self.cell(node, i, j)
        except GiveUp:
            return self.value(node, i, j)

    def stretched(self, node: Node, i: int, j: int) -> Exact:
        """A finite entry; of a single row or column the one that stands in for all."""
        return self.value(node, min(i, node.shape[0] - 1), min(j, node.shape[1] - 1))
