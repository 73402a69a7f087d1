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
from .matching import DEEPEST, Found, Matching
from .spots import Spot, beginning, operands

LEAST = 4  # operations that must agree, so that a sum of two matrices is no residual
_PLAIN = ("each_", "chain_")  # kinds that are no step


@dataclass(slots=True)
class Reading:
    """A formula as one step of a lesson: the operations that agree, the names of what stands around it there, and its
    own steps.
    """

    step: str
    codes: frozenset[str]  # the mistakes that hang on this shape
    spot: Spot
    size: int
    lent: int  # steps of the lesson in whose place a given stands
    names: Found
    inner: list[Reading] = field(default_factory=list)

    def rank(self) -> tuple[int, int]:
        """The reading that explains most first, then the one that needs the fewest givens for it."""
        return -self.size, self.lent

    def covered(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The places of this formula and of those that it is made of."""
        yield self.spot.key
        for one in self.inner:
            yield from one.covered()


class Shapes(Matching):
    """The shapes of the lessons in one plan."""

    def __init__(self, plan: Plan):
        super().__init__(plan, _KINDS)
        self.readings: dict[tuple[str, str, tuple[int, ...]], Reading | None] = {}

    def found(self, spots: dict[str, list[Spot]]) -> Iterator[Reading]:
        """The largest readings of an author's own formulas, each formula as one step of one lesson."""
        taken: set[tuple[str, tuple[int, ...]]] = set()
        own = (spot for there in spots.values() for spot in there if not (spot.step.lesson or spot.step.given))
        # The larger formulas first
        for spot in sorted(own, key=lambda one: (-self.plan.order[one.step.key], len(one.path))):
            if spot.key not in taken and (best := self.best(spot)) is not None:
                taken.update(best.covered())
                yield best

    def best(self, spot: Spot) -> Reading | None:
        """The reading that explains most of a formula, None where two that differ explain as much."""
        read = [self.read(kind, spot) for kind in _table()["beginnings"].get(beginning(spot.tree), ())]
        found = sorted((one for one in read if one is not None and one.size >= LEAST), key=Reading.rank)
        if not found or any(one.rank() == found[0].rank() and one.step != found[0].step for one in found):
            return None
        return found[0]

    def suits(self, name: str, spot: Spot) -> bool:
        """Whether a spot may stand for a name: for a lesson's step a formula of its shape, or what the author gives in
        its place.
        """
        kind = name.partition("__")[0]
        if kind not in self.kinds:
            return super().suits(kind, spot)
        return self.is_given(spot) or self.parsed(kind, spot) is not None

    def is_given(self, spot: Spot) -> bool:
        """Whether a given stands there, or a part of one."""
        tree = self.see(spot).tree
        while isinstance(tree, Index | Transpose):
            tree = tree.operand
        return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)

    def read(self, kind: str, spot: Spot, deep: int = 0) -> Reading | None:
        """A formula as a step of a lesson, with the steps that it is made of; None where a given of the lesson would be
        two matrices.
        """
        held = (kind, *spot.key)
        if held not in self.readings:
            self.readings[held] = None
            found = self.parsed(kind, spot) if deep <= DEEPEST else None
            self.readings[held] = found and self.made(kind, *found, deep)
        return self.readings[held]

    def made(self, kind: str, role: str, root: Spot, holes: Found, deep: int) -> Reading | None:
        """The reading of a formula whose pattern is found, with what its names stand for."""
        size, codes = (
            self.operations(root, {hole.key for hole in holes.values()}),
            _table()["mistakes"][kind.partition(":")[0]].get(role, ()),
        )
        one = Reading(role, frozenset(codes), root, size, 0, {})
        if not role.startswith(_PLAIN):
            one.names[role] = root
        around: Found = {}
        for name, hole in holes.items():
            inner = name.partition("#")[0].rstrip("_").partition("__")[0]
            if inner != "number":
                one.names.setdefault(inner.rpartition(":")[2], hole)
            if inner in self.kinds:
                below = self.read(inner, hole, deep + 1)
                if below is None:
                    one.lent += 1
                    continue
                one.inner.append(below)
                one.size, one.lent = one.size + below.size, one.lent + below.lent
                around = below.names | around
            elif "__" not in name and not self.agrees(inner, hole, around):
                return None
            else:
                around.setdefault(inner, hole)
        for name, spot in around.items():
            if name not in one.names:
                one.names[name] = spot
        return one

    def agrees(self, name: str, hole: Spot, around: Found) -> bool:
        """Whether a given stands for the same as elsewhere in the lesson."""
        return name not in around or self.same(around[name], hole)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """The mistakes that hang on shapes and the shapes themselves, by lesson and step, and which of them begin with an
    operation.
    """
    with open(os.path.join(os.path.dirname(__file__), "shapes.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


class _Kinds(dict[str, dict[str, list[tuple[str, Tree]]]]):
    """The patterns of each lesson's steps, by the operation that they begin with, the largest first; read when they are
    asked for.
    """

    def __contains__(self, kind: object) -> bool:
        lesson, of, base = str(kind).partition(":")
        return bool(of) and base in _table()["shapes"].get(lesson, ())

    def __missing__(self, kind: str) -> dict[str, list[tuple[str, Tree]]]:
        lesson, _, base = kind.partition(":")
        steps = _table()["shapes"][lesson]
        trees = sorted((_pattern(lesson, parse(text), steps) for text in steps[base]), key=_size, reverse=True)
        heads = [*dict.fromkeys(map(beginning, trees)), ""]
        self[kind] = {head: [(base, tree) for tree in trees if beginning(tree) in (head, "")] for head in heads}
        return self[kind]


_KINDS = _Kinds()


def _pattern(lesson: str, tree: Tree, steps: dict[str, list[str]]) -> Tree:
    """A pattern whose names of steps say whose steps they are; every number, and each of several, may be another."""
    numbers = count(1)

    def change(one: Tree) -> Tree | None:
        if not isinstance(one, Name):
            return None
        if one.name == "number_":
            return Name(f"number__{next(numbers)}_")
        name, of, rest = one.name.partition("__of__")
        if of:
            return Name(f"{name}:{rest}")
        base = one.name.rstrip("_").partition("__")[0]
        if base.startswith(_PLAIN) and base in steps:
            return Name(f"{lesson}:{base}__{next(numbers)}_")
        return Name(f"{lesson}:{one.name}") if base in steps else one

    return rewrite(tree, change)


def _size(tree: Tree) -> int:
    """How many operations a pattern holds."""
    return bool(beginning(tree)) + sum(map(_size, operands(tree)))
