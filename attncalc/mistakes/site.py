"""Where a mistake may happen: one step of a plan with the formulas around it, so that rewritten formulas can be
checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..errors import AttncalcError, FormulaError
from ..formula.check import check
from ..formula.node import Node
from ..formula.tree import Call, Name, Tree, substitute
from ..plan import Given, Plan, Step
from .matching import Found
from .pattern import Found as Trees
from .roles import Part, Recogniser, recognised
from .spots import Spot, at, put_at


class Site:
    """A step of a plan with the roles that its formula and the parts of it play."""

    def __init__(self, plan: Plan, step: Step, columns: bool = False, parts: list[Part] | None = None):
        self.plan = plan
        self.step = step
        self.columns = columns
        self.found: dict[str, list[Node]] = {}  # by the codes of mistakes that were asked for before
        self.usual: Any = None  # the mistakes of the catalogue that fit, once they were asked for
        self.orders: list[Node] | None = None  # equal formulas, likewise
        self.within: frozenset[str] | None = None  # the steps whose formulas are parts of this one's, likewise
        self.through: dict[frozenset[str], list[Node]] = {}  # formulas that lead through some of them
        self.pairs: Any = None  # two mistakes at once, likewise
        self._parts = parts

    @property
    def recogniser(self) -> Recogniser:
        """The roles in the site's plan."""
        return recognised(self.plan, self.columns)

    @property
    def tree(self) -> Tree:
        """The step's formula as roles are found in it."""
        return self.recogniser.names.tree(self.step)

    @cached_property
    def parts(self) -> list[Part]:
        """The roles in this step, by the shape of its formula; a lesson's step has the role that the lesson gives it as
        well.
        """
        if self._parts is not None:
            return self._parts
        here = Spot(self.step, (), self.tree)
        if isinstance(self.step.tree, Name):  # another step by one more name
            behind = self.recogniser.see(here)
            return [replace(p, spot=here) for p in self.recogniser.parts[behind.step.key] if not p.spot.path]
        found = [*self.recogniser.parts[self.step.key]]
        if self.step.lesson and not any(part.spot.path == () for part in found):
            found.append(Part(self.step.base, here))
        return found

    @cached_property
    def names(self) -> dict[str, Given | Step]:
        """Every name that a formula of this step may use, and every other step of the part."""
        return self.recogniser.names.scopes[self.step.part]

    @cached_property
    def before(self) -> str:
        """The lesson's own prefix: `attention.` in `attention.A_1`."""
        return self.step.name.rpartition(".")[0] + "." if "." in self.step.name else ""

    @cached_property
    def written(self) -> Trees:
        """What the plain names of a lesson's formulas stand for here: its givens, and its other steps, of the same head
        where there are heads.
        """
        found: Trees = {name: Name(name) for name, entry in self.names.items() if isinstance(entry, Given)}
        if not self.step.lesson:
            return found
        own = self.step.name.rpartition(".")[2]
        head = own[len(self.step.base) :] if own.startswith(self.step.base) else ""
        for step in self.recogniser.families.get((self.step.part, self.before), ()):
            if step.name[len(self.before) :] in (step.base + head, step.base):
                found[step.base] = Name(step.name)
        return found

    @cached_property
    def roles(self) -> Trees:
        """The formulas around this step by their names: Q, K, S, mask and the rest."""
        found = dict(self.written)
        for part in reversed(self.parts):
            found |= self.trees(part.names)
        return found

    def trees(self, names: Found) -> Trees:
        """Spots as they would be written in this step."""
        written = ((name, self.recogniser.names.written(spot, self.step.part)) for name, spot in names.items())
        return {name: tree for name, tree in written if tree is not None}

    def around(self, part: Part) -> Found:
        """The formulas around a role, those that were recognised before those that merely go by a lesson's name."""
        named = {name: Spot(self.step, (-1, *name.encode()), tree) for name, tree in self.written.items()}
        return named | part.names

    def rewritten(self, part: Part, find: Tree, put: Tree) -> Iterator[Tree]:
        """A role's formula with one part of it that fits `find` replaced by `put`, for every such part but those with
        roles of their own.
        """
        around = self.around(part)
        taken = {other.spot.path for other in self.parts}
        stack = [part.spot]
        while stack:
            spot = stack.pop(0)
            # In the order that was written, where both would fit
            found = next(self.recogniser.fits(find, spot, around), None)
            if found is not None:
                new = substitute(put, self.trees(found))
                yield put_at(part.spot.tree, spot.path[len(part.spot.path) :], _with_options(spot.tree, new))
            stack += [inner for inner in spot.below() if inner.path not in taken and not isinstance(inner.tree, Name)]

    def whole(self, part: Part, new: Tree) -> Tree:
        """The step's formula with a part of it replaced."""
        return put_at(self.tree, part.spot.path, new)

    def changed(self, part: Part, step: Step) -> Site:
        """The site once a part of its formula was rewritten; what stood inside that part is gone."""
        deep = len(part.spot.path)
        kept = [p for p in self.parts if p.spot.path == part.spot.path or p.spot.path[:deep] != part.spot.path]
        return Site(
            self.plan,
            step,
            self.columns,
            [replace(p, spot=Spot(step, p.spot.path, at(self.recogniser.names.tree(step), p.spot.path))) for p in kept],
        )

    def is_before(self, entry: Given | Step) -> bool:
        """Whether a given or a step comes before this one."""
        return self.plan.order[entry.key] < self.plan.order[self.step.key]

    def node(self, tree: Tree) -> Node | None:
        """The checked formula with the step's own shape; None where it has none here."""
        node = self.node_of(tree)
        return node if node is not None and node.shape == self.step.shape else None

    def node_of(self, tree: Tree) -> Node | None:
        """A checked formula of any shape."""
        try:
            return check(tree, self._resolve)
        except (FormulaError, AttncalcError):
            return None

    def _resolve(self, name: str, at: int) -> Node:
        found = self.names.get(name)
        if found is None or not self.is_before(found):
            raise FormulaError(f"{name} is not known here", at)
        return found.reference(name, at)


def site_of(plan: Plan, step: Step, columns: bool = False) -> Site:
    """The site of a step, made once for all scripts of all variants: that of the plan's model."""
    model = plan.model
    sites = recognised(model, columns).sites
    if step.key not in sites:
        own = model.entries[step.key]
        assert isinstance(own, Step)
        sites[step.key] = Site(model, own, columns)
    found: Site = sites[step.key]
    return found


def _with_options(old: Tree, new: Tree) -> Tree:
    """The options of a function that a rewrite says nothing about stay as they were."""
    if not (isinstance(old, Call) and isinstance(new, Call) and old.function == new.function):
        return new
    named = {name for name, _ in new.options}
    return Call(new.function, new.arguments, (*new.options, *((n, v) for n, v in old.options if n not in named)))
