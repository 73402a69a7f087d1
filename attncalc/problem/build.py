"""From names and trees to a plan: scopes, steps, lessons and pinned values of one part after another."""

from __future__ import annotations

from ..arithmetic.certified import entries
from ..errors import AttncalcError, Fault, FormulaError, Place, did_you_mean, shorten, size
from ..formula.check import check
from ..formula.node import Node
from ..formula.parse import RESERVED, is_name, parse
from ..formula.tree import Name, Tree, unparse
from ..plan import Given, PartPlan, Plan, Step
from ..solve import Values

MOST_STEPS = 2_000
MOST_ENTRIES = 4_000_000
MOST_PRODUCTS = 200_000_000


class Budget:
    """How much a whole problem may ask for; what goes beyond is refused before anything is worked out."""

    def __init__(self) -> None:
        self.steps = 0
        self.entries = 0
        self.products = 0

    def spend(self, node: Node) -> None:
        self.steps += 1
        stack, seen = [node], set()
        while stack:
            one = stack.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            self.entries += one.size
            if one.operation == "matmul":
                self.products += one.size * one.args[0].shape[1]
            stack.extend(one.args)
        if self.steps > MOST_STEPS:
            raise FormulaError(f"a problem has at most {MOST_STEPS:,} steps")
        if self.entries > MOST_ENTRIES or self.products > MOST_PRODUCTS:
            raise FormulaError(
                f"this problem is too large: at most {MOST_ENTRIES:,} entries and {MOST_PRODUCTS:,} products in all its steps"
            )


class PartBuilder:
    """Builds the plan of one part. `outer` are the problem's givens, `earlier` the steps of earlier parts by `part.step`."""

    def __init__(
        self,
        name: str | None,
        outer: dict[str, Given],
        earlier: dict[str, Step],
        pins: dict[str, tuple[Node, Place]],
        columns: bool,
        budget: Budget,
    ):
        self.plan = PartPlan(name)
        self.outer = outer
        self.earlier = earlier
        self.pins = pins
        self.columns = columns
        self.budget = budget
        self.own: dict[str, Given] = {}
        self.steps: dict[str, Step] = {}
        self.later: set[str] = set()
        self.broken: set[str] = set()

    # -- scope -------------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Given | Step | None:
        return self.steps.get(name) or self.own.get(name) or self.outer.get(name) or self.earlier.get(name)

    def find_given(self, name: str) -> bool:
        return name in self.own or name in self.outer or name in self.steps

    def known(self) -> list[str]:
        return [*self.steps, *self.own, *self.outer, *self.earlier]

    def resolve(self, name: str, at: int) -> Node:
        found = self.find(name)
        if found is not None:
            return Node(
                "ref", (), found.shape, found.rows, found.columns, (found.key,), found.node.static, found.node.bits, name, at
            )
        if name in self.broken:
            raise Known
        shown = shorten(name)
        if name in self.later:
            raise FormulaError(f"{shown} is used before it is defined; a formula uses only what stands before it", at)
        if name.split(".")[0] in {"np", "torch", "math"}:
            raise FormulaError(f"{shown}: the formula language has functions of its own, such as exp, sqrt and softmax", at)
        raise FormulaError(f"{shown} is not defined{did_you_mean(name, self.known())}", at)

    def check(self, tree: Tree) -> Node:
        return check(tree, self.resolve)

    # -- givens and steps ------------------------------------------------------------------------------------------------

    def add_given(self, given: Given) -> None:
        self.own[given.name] = given
        self.plan.givens.append(given)
        self.budget.spend(given.node)

    def add_step(self, name: str, tree: Tree, place: Place, lesson: str | None = None, base: str = "", given: bool = False) -> None:
        """One step; a fault in it is raised with the step's name, and names the step as broken so that later ones keep quiet."""
        try:
            self._name_is_free(name, tree)
            node = self.check(tree)
            if name in self.pins:
                node, given = self._pinned(name, node), True
            self.budget.spend(node)
        except Known:
            self.broken.add(name)
            return
        except FormulaError as error:
            self.broken.add(name)
            where = place if lesson else place.shifted(error.at)
            raise AttncalcError(Fault(f"{name}: {error.message}", where)) from None
        key = f"{self.plan.name}.{name}" if self.plan.name else name
        step = Step(key, name, self.plan.name, tree, unparse(tree), node, given, lesson, base or name, place)
        self.steps[name] = step
        self.plan.steps.append(step)

    def _name_is_free(self, name: str, tree: Tree) -> None:
        if name in self.steps:
            raise FormulaError("a step of this name stands before; names are used once in a part")
        clash = self.own.get(name) or self.outer.get(name)
        if clash and not (isinstance(tree, Name) and tree.name == name):
            raise FormulaError("a given of this name stands in the file; a step needs a name of its own")

    def _pinned(self, name: str, node: Node) -> Node:
        pinned, place = self.pins[name]
        if pinned.shape != node.shape:
            raise AttncalcError(
                Fault(f"pin: {name} is {size(node.shape)}, the pinned value is {size(pinned.shape)}", place)
            )
        pinned.rows, pinned.columns = node.rows, node.columns
        return pinned


    def whole_value(self, name: str) -> int:
        """What a step has come to, for traces whose next step depends on it."""
        if name not in self.steps:
            raise AttncalcError([])
        before = PartPlan(None, list(dict.fromkeys(self.earlier.values())))
        values = Values(Plan([*self.outer.values(), *self.own.values()], [before, self.plan]))
        return int(entries(values.at(self.steps[name].key, 128))[0][0].numerator)


class Known(Exception):
    """A formula uses a step whose own fault has been told already."""


def name_fault(name: str, what: str) -> str | None:
    """Why a given, a step or a part cannot be called so, or None."""
    if is_name(name):
        return None
    if name in RESERVED:
        return f"{name} is taken: {'the transpose' if name == 'T' else 'a constant'}; another name is required for this {what}"
    return f"a {what}'s name has ASCII letters, digits and underscores and is no Python keyword; {shorten(name)!r} stands there"


