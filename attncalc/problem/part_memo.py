"""Parts that are alike: one that says what a part read before said, and finds the same shapes, takes over the steps of
that one.

Variants of a sheet differ in the numbers of their matrices and in the words of their rows. What lessons and formulas
come to does not hang on such numbers, so it is read once for each set of words. Not remembered is what looks at numbers
(probabilities that must sum to 1, decoding to the end token), what has a fault, and what has pinned values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from operator import le, sub
from typing import NamedTuple, TypeAlias

from ..errors import Location
from ..plan import Convention, Given, Step
from .plan_builder import Lookups, PartBuilder
from .unused_givens import Opened
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml

MOST_STEPS = 2_000  # that are remembered in all

Work: TypeAlias = list[tuple[Scalar, Yaml]]  # a part's lesson and steps, as it states them
Look: TypeAlias = tuple[object, ...] | None


class Read(NamedTuple):
    """What a part's work came to; `looks` are the names that it looked up outside its own steps, each with what it
    found.
    """

    looks: dict[str, Look]
    steps: list[Step]
    conventions: list[Convention]
    lessons: dict[str, str]
    opened: list[Opened]
    used: set[str]
    cost: tuple[float, float]


class Reading:
    """A part whose work is about to be read. `before` is a part like it that was read before, None where
    there is none.
    """

    def __init__(self, work: Work, builder: PartBuilder, opened: list[Opened]):
        self.work = work
        self.builder = builder
        self.opened = opened
        self.key = (
            builder.plan.name, builder.columns, tuple(builder.givens), tuple(builder.outer), tuple(builder.earlier),
            *map(_content, _nodes(work)),
        )  # fmt: skip
        self.before = next(filter(self.suits, _READ.get(self.key, ())), None)
        self.began = builder.budget.left, len(opened)
        builder.lookups = Lookups()

    def suits(self, read: Read) -> bool:
        """Return whether a part that says the same finds the same here, and fits into what is left of the budget."""
        find, left = self.builder.find, self.builder.budget.left
        return all(_look(find(name)) == seen for name, seen in read.looks.items()) and all(map(le, read.cost, left))

    def take_over(self, read: Read) -> None:
        """Give the builder the steps of a part like it, each with its place in this file."""
        builder = self.builder
        places = {(place.line, place.column): place for node in _nodes(self.work) for place in _places(node)}
        builder.plan.steps += [replace(step, place=places[step.place.line, step.place.column]) for step in read.steps]
        builder.steps |= {step.name: step for step in builder.plan.steps}
        builder.plan.conventions += read.conventions
        builder.plan.lessons |= read.lessons
        builder.used |= read.used
        builder.budget.take(*read.cost)
        self.opened += read.opened

    def remember(self) -> None:
        """Keep what was read, for parts like it; not where its author is warned, for each such file is warned of."""
        plan, asked, budget = self.builder.plan, self.builder.lookups, self.builder.budget
        if asked.numbers or self.builder.warnings or len(plan.steps) > MOST_STEPS:
            return
        looks = {name: _look(entry) for name, entry in asked.names.items()}
        steps, seconds = map(sub, self.began[0], budget.left)
        read = Read(
            looks,
            plan.steps[:],
            plan.conventions[:],
            dict(plan.lessons),
            self.opened[self.began[1] :],
            asked.used,
            (steps, seconds),
        )
        _READ.setdefault(self.key, []).append(read)
        while sum(len(part.steps) for part in chain(*_READ.values())) > MOST_STEPS:
            del _READ[next(iter(_READ))]


_READ: dict[tuple[object, ...], list[Read]] = {}  # by what the parts say


def _nodes(work: Work) -> Iterator[Yaml]:
    """All that stands in a part's work, in an order that tells its structure together with `_content`."""
    stack: list[Yaml] = [node for pair in reversed(work) for node in reversed(pair)]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Sequence):
            stack += reversed(node.items)
        elif isinstance(node, Mapping):
            stack += [inner for pair in reversed(node.pairs.values()) for inner in reversed(pair)]


def _content(node: Yaml) -> tuple[object, ...]:
    """What stands there and where: a text, or how many nodes are inside."""
    if isinstance(node, Scalar):
        return node.text, node.style, node.place.line, node.place.column
    count = len(node.items) if isinstance(node, Sequence) else len(node.pairs)
    return type(node), count, node.place.line, node.place.column


def _places(node: Yaml) -> list[Location]:
    """Where it stands and, of a text, where that begins."""
    return [node.place, node.inside] if isinstance(node, Scalar) else [node.place]


def _look(entry: Given | Step | None) -> Look:
    """All that formulas see of a given or a step but its numbers."""
    if entry is None:
        return None
    node = entry.node
    return (
        entry.key,
        type(entry),
        node.operation == "literal",
        node.shape,
        node.rows,
        node.columns,
        node.static,
        node.bits,
    )
