"""Recognition of roles: matches the grammar against every step of a plan, through the names of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from ...formula.parser import parse
from ...formula.syntax_tree import Name, Tree
from ...plan import Plan, Step
from ..tree_paths import TreePath, head_operation
from ..tree_rewriting import mirror
from .grammar import BEGINNINGS, KINDS
from .lesson_patterns import LessonMatch, LessonPatterns
from .matcher import MAX_DEPTH, Bindings, Kinds, Matching


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """A formula with its role.

    `names` are the bindings that related parts share; `codes` restricts the mistakes (empty: all of the role).
    """

    role: str
    spot: TreePath
    names: Bindings = field(default_factory=dict, compare=False)
    codes: frozenset[str] = frozenset()


class Recogniser(Matching):
    """Recogniser of the roles in one plan."""

    def __init__(self, plan: Plan, columns: bool, with_lesson_patterns: bool = True):
        super().__init__(plan, _kinds(columns))
        self.columns = columns
        self.parts: dict[str, list[RoleMatch]] = {step.key: [] for step in plan.steps()}
        self.sites: dict[str, Any] = {}  # analyses of steps, by key
        self.claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        spots = self.spots()
        for kind in BEGINNINGS:
            for spot in (spot for head in self.kinds[kind] for spot in spots.get(head, ())):
                if spot.key not in self.claimed_keys and self.is_match(kind, spot):
                    self.record(kind, spot, {})
        if with_lesson_patterns and any(not (step.lesson or step.given) for step in plan.steps()):
            for reading in LessonPatterns(plan).largest_matches(spots):
                self.add(reading, {})

    @cached_property
    def lines(self) -> dict[str | None, dict[Tree, list[tuple[str, Step]]]]:
        """By part: (name, step) of the steps with a formula, by that formula."""
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
        """Lesson steps by part and prefix: `attention.` for `attention.A_1`."""
        families: dict[tuple[str | None, str], list[Step]] = {}
        for step in self.plan.steps():
            if step.lesson:
                prefix = step.name.rpartition(".")[0]
                families.setdefault((step.part, prefix and prefix + "."), []).append(step)
        return families

    def spots(self) -> dict[str, list[TreePath]]:
        """Return all paths by head operation, later steps and larger formulas first."""
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
        """True if the formula is of a kind; no operand of a projection may have another role."""
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
        """Record the role of a formula and those of its parts, with shared names."""
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
                parts.append(RoleMatch(role, root, names))
        for name, hole in holes.items():
            names.setdefault(name.rstrip("_"), hole)
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_")
            if inner in self.kinds:
                self.record(inner, hole, {} if role == "H" else names, depth + 1)

    def add(self, reading: LessonMatch, around: Bindings) -> None:
        """Add the roles of a lesson's formulas in an author's, for mistakes that the grammar cannot place."""
        names, parts = around | reading.names, self.parts[reading.spot.step.key]
        same_roles = [part for part in parts if part.role == reading.step and part.spot.path == reading.spot.path]
        if reading.codes and not reading.spot.step.lesson and all(part.codes != reading.codes for part in same_roles):
            known_names = same_roles[0].names if same_roles else {}
            parts.append(RoleMatch(reading.step, reading.spot, known_names | names, reading.codes))
        for inner in reading.inner:
            self.add(inner, names)

    def claim(self, spot: TreePath, holes: set[tuple[str, tuple[int, ...]]]) -> None:
        """Mark the operations of a match, down to its bindings, so that recognition does not start at them."""
        self.claimed_keys.add(spot.key)
        for inner in spot.children():
            if inner.key not in holes:
                self.claim(inner, holes)


@lru_cache(maxsize=16)
def recogniser_of(plan: Plan, columns: bool) -> Recogniser:
    """Return the recogniser of a plan, cached; `columns` if tokens are columns."""
    return Recogniser(plan, columns)


@lru_cache(maxsize=2)
def _kinds(columns: bool) -> Kinds:
    """Return the patterns of each kind by head operation; under "" those that match any operation."""
    patterns_by_kind: Kinds = {}
    for kind, rows in KINDS.items():
        patterns = [(role, mirror(parse(text)) if columns else parse(text)) for role, text in rows]
        # ordered, so that runs are reproducible
        heads = [*dict.fromkeys(head_operation(pattern) for _, pattern in patterns), ""]
        patterns_by_kind[kind] = {
            head: [(role, pattern) for role, pattern in patterns if head_operation(pattern) in (head, "")]
            for head in heads
        }
    return patterns_by_kind
