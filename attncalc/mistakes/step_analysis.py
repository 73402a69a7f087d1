"""The analysis of a step for mistakes: the roles of its parts, related formulas, and checks of rewritten formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..arithmetic.budget import spend_planning
from ..errors import AttncalcError, FormulaError
from ..formula.elaboration import check
from ..formula.syntax_tree import Call, Name, Tree, substitute
from ..formula.typed_formula import Node
from ..plan import Given, Plan, Step
from .recognition.matcher import Bindings
from .recognition.roles import Recogniser, RoleMatch, recogniser_of
from .tree_rewriting import Substitution as Trees
from .tree_rewriting import TreePath, replace_subtree, subtree

P = ParamSpec("P")
T = TypeVar("T")


def once(make: Callable[Concatenate[StepAnalysis, P], T]) -> Callable[Concatenate[StepAnalysis, P], T]:
    """Cache the results of a function of a step and other parameters in the analysis of the step."""

    @wraps(make)
    def recall(site: StepAnalysis, /, *parameters: P.args, **options: P.kwargs) -> T:
        key = make, parameters
        if key not in site.results:
            site.results[key] = make(site, *parameters, **options)
        result: T = site.results[key]
        return result

    return recall


class StepAnalysis:
    """A step of a plan, with the roles of its formula and of the parts of the formula."""

    def __init__(
        self,
        plan: Plan,
        step: Step,
        columns: bool = False,
        parts: list[RoleMatch] | None = None,
        recogniser: Recogniser | None = None,
        known: dict[Tree, Node] | None = None,
    ):
        self.plan = plan
        self.step = step
        self.columns = columns
        self._parts = parts
        self._recogniser = recogniser
        self.results: dict[object, Any] = {}  # the cached results of functions, see `once`
        # Checked parts of formulas; the formulas of the mistakes in a step have most parts in common
        self.known: dict[Tree, Node] = {} if known is None else known

    @property
    def recogniser(self) -> Recogniser:
        """The recogniser of the plan: the constructor's argument, or a recogniser from the cache."""
        return self._recogniser or recogniser_of(self.plan, self.columns)

    def of_step(self, step: Step) -> StepAnalysis:
        return StepAnalysis(self.plan, step, self.columns, recogniser=self._recogniser)

    @property
    def tree(self) -> Tree:
        return self.recogniser.names.tree(self.step)

    @cached_property
    def parts(self) -> list[RoleMatch]:
        """The roles in this step, by the form of its formula. In a step of a lesson, the whole formula always has a
        role.
        """
        if self._parts is not None:
            return self._parts
        root_path = TreePath(self.step, (), self.tree)
        if isinstance(self.step.tree, Name):  # the step is another name for an earlier step
            target = self.recogniser.dereference(root_path)
            return [replace(p, spot=root_path) for p in self.recogniser.parts[target.step.key] if not p.spot.path]
        parts = [*self.recogniser.parts[self.step.key]]
        if self.step.lesson and not any(part.spot.path == () for part in parts):
            parts.append(RoleMatch(self.step.base, root_path))
        return parts

    @cached_property
    def names(self) -> dict[str, Given | Step]:
        """The givens and steps that formulas of this part can use, by name."""
        return self.recogniser.names.scopes[self.step.part]

    @cached_property
    def prefix(self) -> str:
        """The prefix of the lesson: `attention.` for `attention.A_1`."""
        return self.step.name.rpartition(".")[0] + "." if "." in self.step.name else ""

    @cached_property
    def lesson_names(self) -> Trees:
        """The names of givens and of the lesson's steps, by their short names in the lesson. If there are several
        heads, the steps are from this head.
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
        """The formulas that are related to this step, by role, such as Q, K, S and mask."""
        trees = dict(self.lesson_names)
        for part in reversed(self.parts):
            trees |= self.trees(part.names)
        return trees

    def trees(self, names: Bindings) -> Trees:
        """Return the formulas of bindings, with the names that this step's part uses."""
        translated_trees = (
            (name, self.recogniser.names.translate(spot, self.step.part)) for name, spot in names.items()
        )
        return {name: tree for name, tree in translated_trees if tree is not None}

    def around(self, part: RoleMatch) -> Bindings:
        """Return the bindings of formulas related to a role. Recognised formulas have priority over names of the
        lesson.
        """
        lesson_paths = {
            name: TreePath(self.step, (-1, *name.encode()), tree) for name, tree in self.lesson_names.items()
        }
        return lesson_paths | part.names

    def rewrite_role(self, part: RoleMatch, find: Tree, put: Tree) -> Iterator[Tree]:
        """Yield, for each match of `find`, the formula of a role in which `put` replaces this match. Parts with other
        roles are not searched.
        """
        around = self.around(part)
        role_paths = {other.spot.path for other in self.parts}
        stack = [part.spot]
        while stack:
            spot = stack.pop(0)
            # if both orders of operands match, the first match is used
            bindings = next(self.recogniser.matches(find, spot, around), None)
            if bindings is not None:
                new = substitute(put, self.trees(bindings))
                yield replace_subtree(part.spot.tree, spot.path[len(part.spot.path) :], _keep_options(spot.tree, new))
            stack += [
                inner for inner in spot.children() if inner.path not in role_paths and not isinstance(inner.tree, Name)
            ]

    def replace_part(self, part: RoleMatch, new: Tree) -> Tree:
        return replace_subtree(self.tree, part.spot.path, new)

    def with_rewrite(self, part: RoleMatch, step: Step) -> StepAnalysis:
        """Return the analysis of the rewritten step. The roles inside the rewritten part are removed."""
        depth = len(part.spot.path)
        parts = [p for p in self.parts if p.spot.path == part.spot.path or p.spot.path[:depth] != part.spot.path]
        tree = self.recogniser.names.tree(step)
        moved = [replace(p, spot=TreePath(step, p.spot.path, subtree(tree, p.spot.path))) for p in parts]
        return StepAnalysis(self.plan, step, self.columns, moved, self._recogniser, self.known)

    def is_before(self, entry: Given | Step) -> bool:
        return self.plan.order[entry.key] < self.plan.order[self.step.key]

    def node(self, tree: Tree) -> Node | None:
        """Return a formula with checked shapes; None if it is invalid, or if its shape is not the shape of the step."""
        node = self.node_of(tree)
        return node if node is not None and node.shape == self.step.shape else None

    def node_of(self, tree: Tree) -> Node | None:
        """Return a formula with checked shapes; None if it is invalid. Raises GiveUp if the work is above the limit."""
        try:
            return check(tree, self._resolve, spend_planning, known=self.known)
        except (FormulaError, AttncalcError):
            return None

    def _resolve(self, name: str, at: int) -> Node:
        entry = self.names.get(name)
        if entry is None or not self.is_before(entry):
            raise FormulaError(f"{name} is not supported here", at)
        return entry.reference(name, at)


def step_analysis(plan: Plan, step: Step, columns: bool = False) -> StepAnalysis:
    """Return the analysis of a step in the plan's prototype, which all variants share."""
    model = plan.prototype
    sites = recogniser_of(model, columns).sites
    if step.key not in sites:
        model_step = model.entries[step.key]
        assert isinstance(model_step, Step)
        sites[step.key] = StepAnalysis(model, model_step, columns)
    site: StepAnalysis = sites[step.key]
    return site


def _keep_options(old: Tree, new: Tree) -> Tree:
    """Return the new call with the options of the old call that the new call does not state."""
    if not (isinstance(old, Call) and isinstance(new, Call) and old.function == new.function):
        return new
    option_names = {name for name, _ in new.options}
    return Call(new.function, new.arguments, (*new.options, *((n, v) for n, v in old.options if n not in option_names)))
