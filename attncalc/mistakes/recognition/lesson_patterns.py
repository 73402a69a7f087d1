"""Recognises steps of lessons in an author's formulas. The patterns are the formulas of lessons, in
lesson_patterns.json (see pattern_file.py).

A name that ends in `_` is a variable. `adam:m_` matches a formula with the form of step `m` of the lesson `adam`, or a
given. `number_` matches a single number. A suffix after `__` only distinguishes variables. A match counts if enough
operations agree, and no step of another lesson explains more of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from ...formula.parser import parse
from ...formula.syntax_tree import Index, Name, Transpose, Tree, rewrite
from ...plan import Given, Plan
from ..tree_rewriting import TreePath, head_operation, operands
from .matcher import MAX_DEPTH, Bindings, Matching

MIN_OPERATIONS = 4  # fewest operations that agree, so that a sum of two matrices is not taken for a residual
_HELPER_KINDS = ("each_", "chain_")  # beginnings of kinds that are not steps


@dataclass(slots=True)
class LessonMatch:
    """An author's formula as a step of a lesson: operations that agree, bindings, and matches inside."""

    step: str
    codes: frozenset[str]  # the mistakes that are possible in this pattern
    spot: TreePath
    size: int
    given_count: int  # number of steps of the lesson that are givens here
    names: Bindings
    inner: list[LessonMatch] = field(default_factory=list)

    def rank(self) -> tuple[int, int]:
        """Return a sort key: more operations first, then fewer givens instead of steps."""
        return -self.size, self.given_count

    def keys(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the keys of this formula and of the matches inside."""
        yield self.spot.key
        for inner_match in self.inner:
            yield from inner_match.keys()


class LessonPatterns(Matching):
    """Matches the formulas of lessons with the formulas of one plan."""

    def __init__(self, plan: Plan):
        super().__init__(plan, _KINDS)
        self.readings: dict[tuple[str, str, tuple[int, ...]], LessonMatch | None] = {}

    def largest_matches(self, spots: dict[str, list[TreePath]]) -> Iterator[LessonMatch]:
        """Yield the largest matches of an author's formulas, at most one for each formula."""
        claimed_keys: set[tuple[str, tuple[int, ...]]] = set()
        author_spots = (spot for group in spots.values() for spot in group if not (spot.step.lesson or spot.step.given))
        # Larger formulas first
        for spot in sorted(author_spots, key=lambda spot: (-self.plan.order[spot.step.key], len(spot.path))):
            if spot.key not in claimed_keys and (best := self.best(spot)) is not None:
                claimed_keys.update(best.keys())
                yield best

    def best(self, spot: TreePath) -> LessonMatch | None:
        """Return the match that explains most of a formula; None if two different steps explain the same amount."""
        lesson_matches = [self.read(kind, spot) for kind in _table()["beginnings"].get(head_operation(spot.tree), ())]
        large = (match for match in lesson_matches if match is not None and match.size >= MIN_OPERATIONS)
        ranked = sorted(large, key=LessonMatch.rank)
        if not ranked or any(match.rank() == ranked[0].rank() and match.step != ranked[0].step for match in ranked):
            return None
        return ranked[0]

    def may_bind(self, name: str, spot: TreePath) -> bool:
        """Return whether a variable can be bound to a path. A step's variable needs its form, or a given."""
        kind = name.partition("__")[0]
        if kind not in self.kinds:
            return super().may_bind(kind, spot)
        return self.is_given(spot) or self.parse_as(kind, spot) is not None

    def is_given(self, spot: TreePath) -> bool:
        """Return whether the formula is a given, or a block of a given."""
        tree = self.dereference(spot).tree
        while isinstance(tree, Index | Transpose):
            tree = tree.operand
        return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)

    def read(self, kind: str, spot: TreePath, depth: int = 0) -> LessonMatch | None:
        """Return the match of a formula with a lesson's step, including matches inside; otherwise None."""
        key = (kind, *spot.key)
        if key not in self.readings:
            self.readings[key] = None
            parse_result = self.parse_as(kind, spot) if depth <= MAX_DEPTH else None
            self.readings[key] = parse_result and self.build_match(kind, *parse_result, depth)
        return self.readings[key]

    def build_match(self, kind: str, role: str, root: TreePath, holes: Bindings, depth: int) -> LessonMatch | None:
        """Return the match of a parsed formula; None if one given would be two different matrices."""
        size = self.operations(root, {hole.key for hole in holes.values()})
        codes = _table()["mistakes"][kind.partition(":")[0]].get(role, ())
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
                match.size += inner_match.size
                match.given_count += inner_match.given_count
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
        """Return whether a given has the same matrix as elsewhere in the lesson."""
        return name not in around or self.is_same_formula(around[name], hole)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """Return lesson_patterns.json: patterns by lesson and step, their mistakes, and steps by head operation."""
    with open(os.path.join(os.path.dirname(__file__), "lesson_patterns.json"), encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return table


class _Kinds(dict[str, dict[str, list[tuple[str, Tree]]]]):
    """The patterns of each step of a lesson by head operation, largest first. They are parsed on first use."""

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
    """Return a pattern whose variables contain the lesson, with different names for numbers and repeated helpers."""
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
    return bool(head_operation(tree)) + sum(map(_size, operands(tree)))
