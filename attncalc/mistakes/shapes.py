"""The lessons' own formulas as patterns (shapes.json, drawn off the lessons by a tool), and where an author's formulas
have their shape.

A pattern's names that end in `_` stand for any formula; `adam:m_` for one that has the shape of the step `m` of the
lesson `adam`, or for a given; `number_` for a single number. What follows a double underscore only tells variables
apart. A shape counts where enough operations agree, through the names of all steps, and where no other lesson's step
explains more of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from ..formula.parse import parse
from ..formula.tree import Index, Name, Transpose, Tree, rewrite
from ..plan import Given, Plan
from .matching import MAX_DEPTH, Bindings, Matching
from .spots import TreePath, head_operation, operands

MIN_OPERATIONS = 4  # operations that must agree, so that a sum of two matrices is no residual
_HELPER_KINDS = ("each_", "chain_")  # kinds that are no step


@dataclass(slots=True)
class LessonMatch:
    """A formula as one step of a lesson: the operations that agree, the names of what stands around it there, and its
    own steps.
    """

    step: str
    codes: frozenset[str]  # the mistakes that hang on this shape
    spot: TreePath
    size: int
    given_count: int  # steps of the lesson in whose place a given stands
    names: Bindings
    inner: list[LessonMatch] = field(default_factory=list)

    def rank(self) -> tuple[int, int]:
        """The reading that explains most first, then the one that needs the fewest givens for it."""
        return -self.size, self.given_count

    def keys(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The places of this formula and of those that it is made of."""
        yield self.spot.key
        for inner_match in self.inner:
            yield from inner_match.keys()


class LessonPatterns(Matching):
    """The shapes of the lessons in one plan."""

    def __init__(self, plan: Plan):
        super().__init__(plan, _KINDS)
        self.readings: dict[tuple[str, str, tuple[int, ...]], LessonMatch | None] = {}

    def largest_matches(self, spots: dict[str, list[TreePath]]) -> Iterator[LessonMatch]:
        """The largest readings of an author's own formulas, each formula as one step of one lesson."""
        claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        author_spots = (spot for group in spots.values() for spot in group if not (spot.step.lesson or spot.step.given))
        # The larger formulas first
        for spot in sorted(author_spots, key=lambda spot: (-self.plan.order[spot.step.key], len(spot.path))):
            if spot.key not in claimed_keys and (best := self.best(spot)) is not None:
                claimed_keys.update(best.keys())
                yield best

    def best(self, spot: TreePath) -> LessonMatch | None:
        """The reading that explains most of a formula, None where two that differ explain as much."""
        lesson_matches = [self.read(kind, spot) for kind in _table()["beginnings"].get(head_operation(spot.tree), ())]
        ranked = sorted(
            (match for match in lesson_matches if match is not None and match.size >= MIN_OPERATIONS),
            key=LessonMatch.rank,
        )
        if not ranked or any(match.rank() == ranked[0].rank() and match.step != ranked[0].step for match in ranked):
            return None
        return ranked[0]

    def may_bind(self, name: str, spot: TreePath) -> bool:
        """Whether a spot may stand for a name: for a lesson's step a formula of its shape, or what the author gives in
        its place.
        """
        kind = name.partition("__")[0]
        if kind not in self.kinds:
            return super().may_bind(kind, spot)
        return self.is_given(spot) or self.parse_as(kind, spot) is not None

    def is_given(self, spot: TreePath) -> bool:
        """Whether a given stands there, or a part of one."""
        tree = self.dereference(spot).tree
        while isinstance(tree, Index | Transpose):
            tree = tree.operand
        return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)

    def read(self, kind: str, spot: TreePath, depth: int = 0) -> LessonMatch | None:
        """A formula as a step of a lesson, with the steps that it is made of; None where a given of the lesson would be
        two matrices.
        """
        key = (kind, *spot.key)
        if key not in self.readings:
            self.readings[key] = None
            parse_result = self.parse_as(kind, spot) if depth <= MAX_DEPTH else None
            self.readings[key] = parse_result and self.build_match(kind, *parse_result, depth)
        return self.readings[key]

    def build_match(self, kind: str, role: str, root: TreePath, holes: Bindings, depth: int) -> LessonMatch | None:
        """The reading of a formula whose pattern is found, with what its names stand for."""
        size, codes = (
            self.operations(root, {hole.key for hole in holes.values()}),
            _table()["mistakes"][kind.partition(":")[0]].get(role, ()),
        )
        match = LessonMatch(role, frozenset(codes), root, size, 0, {})
        if not role.startswith(_HELPER_KINDS):
            match.names[role] = root
        around: Bindings = {}
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_").partition("__")[0]
            if inner != "number":
                match.names.setdefault(inner.rpartition(":")[2], hole)
            if inner in self.kinds:
                inner_match = self.read(inner, hole, depth + 1)
                if inner_match is None:
                    match.given_count += 1
                    continue
                match.inner.append(inner_match)
                match.size, match.given_count = (
                    match.size + inner_match.size,
                    match.given_count + inner_match.given_count,
                )
                around = inner_match.names | around
            elif "__" not in name and not self.agrees(inner, hole, around):
                return None
            else:
                around.setdefault(inner, hole)
        for name, spot in around.items():
            if name not in match.names:
                match.names[name] = spot
        return match

    def agrees(self, name: str, hole: TreePath, around: Bindings) -> bool:
        """Whether a given stands for the same as elsewhere in the lesson."""
        return name not in around or self.is_same_formula(around[name], hole)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """The mistakes that hang on shapes and the shapes themselves, by lesson and step, and which of them begin with an
    operation.
    """
    with open(os.path.join(os.path.dirname(__file__), "shapes.json"), encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return table


class _Kinds(dict[str, dict[str, list[tuple[str, Tree]]]]):
    """The patterns of each lesson's steps, by the operation that they begin with, the largest first; read when they are
    asked for.
    """

    def __contains__(self, kind: object) -> bool:
        lesson, separator, base = str(kind).partition(":")
        return bool(separator) and base in _table()["shapes"].get(lesson, ())

    def __missing__(self, kind: str) -> dict[str, list[tuple[str, Tree]]]:
        lesson, _, base = kind.partition(":")
        steps = _table()["shapes"][lesson]
        trees = sorted((_pattern(lesson, parse(text), steps) for text in steps[base]), key=_size, reverse=True)
        heads = [*dict.fromkeys(map(head_operation, trees)), ""]
        self[kind] = {head: [(base, tree) for tree in trees if head_operation(tree) in (head, "")] for head in heads}
        return self[kind]


_KINDS = _Kinds()


def _pattern(lesson: str, tree: Tree, steps: dict[str, list[str]]) -> Tree:
    """A pattern whose names of steps say whose steps they are; every number, and each of several, may be another."""
    numbers = count(1)

    def change(node: Tree) -> Tree | None:
        if not isinstance(node, Name):
            return None
        if node.name == "number_":
            return Name(f"number__{next(numbers)}_")
        name, separator, rest = node.name.partition("__of__")
        if separator:
            return Name(f"{name}:{rest}")
        base = node.name.rstrip("_").partition("__")[0]
        if base.startswith(_HELPER_KINDS) and base in steps:
            return Name(f"{lesson}:{base}__{next(numbers)}_")
        return Name(f"{lesson}:{node.name}") if base in steps else node

    return rewrite(tree, change)


def _size(tree: Tree) -> int:
    """How many operations a pattern holds."""
    return bool(head_operation(tree)) + sum(map(_size, operands(tree)))
