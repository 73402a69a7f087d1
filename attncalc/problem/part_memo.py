"""Reuses the steps of an earlier part for a part with the same text and the same shapes.

Variants of an exam sheet differ in the numbers of matrices and in the labels of rows. The steps do not depend on these
numbers, so they are read once for each set of labels. Three kinds of parts are not stored:

- parts that depend on numbers (probabilities that must sum to 1, decoding to the end token)
- parts with an error
- parts with pinned values
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from operator import le, sub
from typing import NamedTuple, TypeAlias

from ..errors import Location
from ..formula import operations as op
from ..plan import Convention, Given, Step
from .plan_builder import Lookups, PartBuilder
from .unused_givens import Opened
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml

MOST_STEPS = 2_000  # steps that are stored in total

Work: TypeAlias = list[tuple[Scalar, Yaml]]  # the lesson and the steps of a part, as in the file
Look: TypeAlias = tuple[object, ...] | None


class Read(NamedTuple):
    """The result of reading a part. `looks` holds the names outside its steps that it used, and their properties."""

    looks: dict[str, Look]
    steps: list[Step]
    conventions: list[Convention]
    lessons: dict[str, str]
    opened: list[Opened]
    used: set[str]
    cost: tuple[float, float]


class Reading:
    """A part before its steps are read. `before` is the stored result of an equal part, or None."""

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
        """Return whether the stored result fits this part: equal properties of all names, and enough budget."""
        find, left = self.builder.find, self.builder.budget.left
        return all(_look(find(name)) == seen for name, seen in read.looks.items()) and all(map(le, read.cost, left))

    def take_over(self, read: Read) -> None:
        """Add the steps of the stored result to the builder, with their locations in this file."""
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
        """Store the result for equal parts. A part with warnings is not stored, so that each file gets its warnings."""
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


_READ: dict[tuple[object, ...], list[Read]] = {}  # stored results by the content of parts


def _nodes(work: Work) -> Iterator[Yaml]:
    """Yield all nodes of a part's lesson and steps. Their order and `_content` determine the structure."""
    stack: list[Yaml] = [node for pair in reversed(work) for node in reversed(pair)]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Sequence):
            stack += reversed(node.items)
        elif isinstance(node, Mapping):
            stack += [inner for pair in reversed(node.pairs.values()) for inner in reversed(pair)]


def _content(node: Yaml) -> tuple[object, ...]:
    """Return the text of a node, or the number of nodes inside, and its location."""
    if isinstance(node, Scalar):
        return node.text, node.style, node.place.line, node.place.column
    count = len(node.items) if isinstance(node, Sequence) else len(node.pairs)
    return type(node), count, node.place.line, node.place.column


def _places(node: Yaml) -> list[Location]:
    return [node.place, node.inside] if isinstance(node, Scalar) else [node.place]


def _look(entry: Given | Step | None) -> Look:
    """Return the properties of a given or a step on which formulas depend, without its numbers."""
    if entry is None:
        return None
    node = entry.node
    return (
        entry.key,
        type(entry),
        isinstance(node, op.Literal),
        node.shape,
        node.rows,
        node.columns,
        node.static,
        node.bits,
    )
