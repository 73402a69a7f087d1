"""Which formula of a plan plays which role: the grammar's patterns held against every step, through the names of other
steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from ..formula.parse import parse
from ..formula.tree import Name, Tree
from ..plan import Plan, Step
from .grammar import BEGINNINGS, KINDS
from .matching import MAX_DEPTH, Bindings, Kinds, Matching
from .pattern import mirror
from .shapes import LessonMatch, LessonPatterns
from .spots import TreePath, head_operation


@dataclass(frozen=True, slots=True)
class Part:
    """A role with its place; `names` are the formulas around it, by the names that mistakes give them, shared by all
    that belong together.

    `codes` are the mistakes that it may have; none are all of its role.
    """

    role: str
    spot: TreePath
    names: Bindings = field(default_factory=dict, compare=False)
    codes: frozenset[str] = frozenset()


class Recogniser(Matching):
    """The roles in one plan."""

    def __init__(self, plan: Plan, columns: bool):
        super().__init__(plan, _kinds(columns))
        self.columns = columns
        self.parts: dict[str, list[Part]] = {step.key: [] for step in plan.steps()}
        self.sites: dict[str, Any] = {}  # a `Site` for each step that was asked for
        self.claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        spots = self.spots()
        for kind in BEGINNINGS:
            for spot in (spot for head in self.kinds[kind] for spot in spots.get(head, ())):
                if spot.key not in self.claimed_keys and self.is_match(kind, spot):
                    self.record(kind, spot, {})
        if any(not (step.lesson or step.given) for step in plan.steps()):
            for reading in LessonPatterns(plan).largest_matches(spots):
                self.add(reading, {})

    @cached_property
    def lines(self) -> dict[str | None, dict[Tree, list[tuple[str, Step]]]]:
        """The steps that have a formula, by the names that each part has for them."""
        steps_by_formula: dict[str | None, dict[Tree, list[tuple[str, Step]]]] = {
            part: {} for part in self.names.scopes
        }
        for part, names in self.names.scopes.items():
            for name, entry in names.items():
                if isinstance(entry, Step) and not isinstance(entry.tree, Name):
                    steps_by_formula[part].setdefault(entry.tree, []).append((name, entry))
        return steps_by_formula

    @cached_property
    def families(self) -> dict[tuple[str | None, str], list[Step]]:
        """The lessons' steps of one part under one prefix: `attention.` for `attention.A_1`."""
        families: dict[tuple[str | None, str], list[Step]] = {}
        for step in self.plan.steps():
            if step.lesson:
                prefix = step.name.rpartition(".")[0]
                families.setdefault((step.part, prefix and prefix + "."), []).append(step)
        return families

    def spots(self) -> dict[str, list[TreePath]]:
        """Every place in the formulas by its operation, that of the last step first: the larger formulas, then those
        within.
        """
        spots_by_operation: dict[str, list[TreePath]] = {}
        for step in reversed(list(self.plan.steps())):
            stack = [TreePath(step, (), self.names.tree(step))]
            while stack:
                spot = stack.pop(0)
                spots_by_operation.setdefault(head_operation(spot.tree), []).append(spot)
                stack += spot.children()
        spots_by_operation.pop("", None)
        return spots_by_operation

    def is_match(self, kind: str, spot: TreePath) -> bool:
        """Whether a spot is of a kind; of a projection, no part of it may have another role: the sum of two gradients
        has no bias.
        """
        parse_result = self.parse_as(kind, spot)
        if parse_result is None or kind != "projection":
            return parse_result is not None
        _, root, holes = parse_result
        child_keys = {child.key: self.dereference(child).key for child in root.children()}
        return not any(
            target_key in self.claimed_keys
            for key, target_key in child_keys.items()
            if key not in {hole.key for hole in holes.values()}
        )

    def record(self, kind: str, spot: TreePath, names: Bindings, depth: int = 0) -> None:
        """Notes the role of a spot and those of its parts; all of them share their names."""
        parse_result = self.parse_as(kind, spot)
        if parse_result is None or depth > MAX_DEPTH:
            return
        role, root, holes = parse_result
        if holes:
            self.claim(root, {hole.key for hole in holes.values()})
        if role:
            names.setdefault(role, spot)
            parts = self.parts[root.step.key]
            if not any(p.role == role and p.spot.path == root.path for p in parts):
                parts.append(Part(role, root, names))
        for name, hole in holes.items():
            names.setdefault(name.rstrip("_"), hole)
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_")
            if inner in self.kinds:
                self.record(inner, hole, {} if role == "H" else names, depth + 1)

    def add(self, reading: LessonMatch, around: Bindings) -> None:
        """The roles that a lesson's formulas give to those of an author, each for the mistakes that the grammar does
        not find there.
        """
        names, parts = around | reading.names, self.parts[reading.spot.step.key]
        same_roles = [part for part in parts if part.role == reading.step and part.spot.path == reading.spot.path]
        if reading.codes and not reading.spot.step.lesson and all(part.codes != reading.codes for part in same_roles):
            known_names = same_roles[0].names if same_roles else {}
            parts.append(Part(reading.step, reading.spot, known_names | names, reading.codes))
        for inner in reading.inner:
            self.add(inner, names)

    def claim(self, spot: TreePath, holes: set[tuple[str, tuple[int, ...]]]) -> None:
        """A pattern's own operations, down to what its names stand for, begin nothing else."""
        self.claimed_keys.add(spot.key)
        for inner in spot.children():
            if inner.key not in holes:
                self.claim(inner, holes)


@lru_cache(maxsize=16)
def recogniser_of(plan: Plan, columns: bool) -> Recogniser:
    """The roles in a plan, worked out once; `columns` where tokens are columns."""
    return Recogniser(plan, columns)


@lru_cache(maxsize=2)
def _kinds(columns: bool) -> Kinds:
    """The patterns of each kind by the operation that they begin with; under "" those that fit whatever it is."""
    patterns_by_kind: Kinds = {}
    for kind, rows in KINDS.items():
        patterns = [(role, mirror(parse(text)) if columns else parse(text)) for role, text in rows]
        # in their order, so that all runs say the same
        heads = [*dict.fromkeys(head_operation(pattern) for _, pattern in patterns), ""]
        patterns_by_kind[kind] = {
            head: [(role, pattern) for role, pattern in patterns if head_operation(pattern) in (head, "")]
            for head in heads
        }
    return patterns_by_kind
