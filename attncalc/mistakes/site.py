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
from .matching import Bindings
from .pattern import Substitution as Trees
from .roles import Part, Recogniser, recogniser_of
from .spots import TreePath, replace_subtree, subtree


class StepAnalysis:
    """A step of a plan with the roles that its formula and the parts of it play."""

    def __init__(self, plan: Plan, step: Step, columns: bool = False, parts: list[Part] | None = None):
        self.plan = plan
        self.step = step
        self.columns = columns
        self.nodes_by_code: dict[str, list[Node]] = {}  # by the codes of mistakes that were asked for before
        self.applicable: Any = None  # the mistakes of the catalogue that fit, once they were asked for
        self.orders: list[Node] | None = None  # equal formulas, likewise
        self.inner_steps: frozenset[str] | None = None  # the steps whose formulas are parts of this one's, likewise
        self.formulas_by_lines: dict[frozenset[str], list[Node]] = {}  # formulas that lead through some of them
        self.pairs: Any = None  # two mistakes at once, likewise
        self._parts = parts

    @property
    def recogniser(self) -> Recogniser:
        """The roles in the site's plan."""
        return recogniser_of(self.plan, self.columns)

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
        here = TreePath(self.step, (), self.tree)
        if isinstance(self.step.tree, Name):  # another step by one more name
            target = self.recogniser.dereference(here)
            return [replace(p, spot=here) for p in self.recogniser.parts[target.step.key] if not p.spot.path]
        parts = [*self.recogniser.parts[self.step.key]]
        if self.step.lesson and not any(part.spot.path == () for part in parts):
            parts.append(Part(self.step.base, here))
        return parts

    @cached_property
    def names(self) -> dict[str, Given | Step]:
        """Every name that a formula of this step may use, and every other step of the part."""
        return self.recogniser.names.scopes[self.step.part]

    @cached_property
    def prefix(self) -> str:
        """The lesson's own prefix: `attention.` in `attention.A_1`."""
        return self.step.name.rpartition(".")[0] + "." if "." in self.step.name else ""

    @cached_property
    def lesson_names(self) -> Trees:
        """What the plain names of a lesson's formulas stand for here: its givens, and its other steps, of the same head
        where there are heads.
        """
        trees: Trees = {name: Name(name) for name, entry in self.names.items() if isinstance(entry, Given)}
        if not self.step.lesson:
            return trees
        step_name = self.step.name.rpartition(".")[2]
        head = step_name[len(self.step.base) :] if step_name.startswith(self.step.base) else ""
        for step in self.recogniser.families.get((self.step.part, self.prefix), ()):
            if step.name[len(self.prefix) :] in (step.base + head, step.base):
                trees[step.base] = Name(step.name)
        return trees

    @cached_property
    def roles(self) -> Trees:
        """The formulas around this step by their names: Q, K, S, mask and the rest."""
        trees = dict(self.lesson_names)
        for part in reversed(self.parts):
            trees |= self.trees(part.names)
        return trees

    def trees(self, names: Bindings) -> Trees:
        """Spots as they would be written in this step."""
        translated_trees = (
            (name, self.recogniser.names.translate(spot, self.step.part)) for name, spot in names.items()
        )
        return {name: tree for name, tree in translated_trees if tree is not None}

    def around(self, part: Part) -> Bindings:
        """The formulas around a role, those that were recognised before those that merely go by a lesson's name."""
        lesson_paths = {
            name: TreePath(self.step, (-1, *name.encode()), tree) for name, tree in self.lesson_names.items()
        }
        return lesson_paths | part.names

    def rewrite_role(self, part: Part, find: Tree, put: Tree) -> Iterator[Tree]:
        """A role's formula with one part of it that fits `find` replaced by `put`, for every such part but those with
        roles of their own.
        """
        around = self.around(part)
        role_paths = {other.spot.path for other in self.parts}
        stack = [part.spot]
        while stack:
            spot = stack.pop(0)
            # In the order that was written, where both would fit
            bindings = next(self.recogniser.matches(find, spot, around), None)
            if bindings is not None:
                new = substitute(put, self.trees(bindings))
                yield replace_subtree(part.spot.tree, spot.path[len(part.spot.path) :], _keep_options(spot.tree, new))
            stack += [
                inner for inner in spot.children() if inner.path not in role_paths and not isinstance(inner.tree, Name)
            ]

    def replace_part(self, part: Part, new: Tree) -> Tree:
        """The step's formula with a part of it replaced."""
        return replace_subtree(self.tree, part.spot.path, new)

    def with_rewrite(self, part: Part, step: Step) -> StepAnalysis:
        """The site once a part of its formula was rewritten; what stood inside that part is gone."""
        depth = len(part.spot.path)
        parts = [p for p in self.parts if p.spot.path == part.spot.path or p.spot.path[:depth] != part.spot.path]
        return StepAnalysis(
            self.plan,
            step,
            self.columns,
            [
                replace(p, spot=TreePath(step, p.spot.path, subtree(self.recogniser.names.tree(step), p.spot.path)))
                for p in parts
            ],
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
        entry = self.names.get(name)
        if entry is None or not self.is_before(entry):
            raise FormulaError(f"{name} is not known here", at)
        return entry.reference(name, at)


def step_analysis(plan: Plan, step: Step, columns: bool = False) -> StepAnalysis:
    """The site of a step, made once for all scripts of all variants: that of the plan's model."""
    model = plan.model
    sites = recogniser_of(model, columns).sites
    if step.key not in sites:
        model_step = model.entries[step.key]
        assert isinstance(model_step, Step)
        sites[step.key] = StepAnalysis(model, model_step, columns)
    site: StepAnalysis = sites[step.key]
    return site


def _keep_options(old: Tree, new: Tree) -> Tree:
    """The options of a function that a rewrite says nothing about stay as they were."""
    if not (isinstance(old, Call) and isinstance(new, Call) and old.function == new.function):
        return new
    option_names = {name for name, _ in new.options}
    return Call(new.function, new.arguments, (*new.options, *((n, v) for n, v in old.options if n not in option_names)))
