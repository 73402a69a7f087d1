"""The outline of a part: its steps in groups, one for each nested lesson. Deeply nested groups are folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..solution import StepResult

FEW = 30  # with at most this number of steps, nothing is folded


class Group(NamedTuple):
    """The steps of a nested lesson. `name` is its path, such as `encoder`. If the lesson contains only one other group,
    `inner` is the path of the innermost group.
    """

    name: str
    inner: str
    items: Outline
    folded: bool = False

    @property
    def steps(self) -> list[StepResult]:
        return [step for item in self.items for step in (item.steps if isinstance(item, Group) else [item])]


Outline = tuple[Group | StepResult, ...]


def group_steps(results: Sequence[StepResult], depth: int | None = None) -> Outline:
    """Return the steps in groups. Groups below the level `depth` are folded. If `depth` is None and there are many
    steps, groups are folded at the first level that has several of them.
    """
    outline = _group_level(results, 1)
    if depth is None:
        if len(results) <= FEW:
            return outline
        depth = 2 if len(outline) == 1 else 1
    return tuple(_fold(item, depth) for item in outline)


def visible(outline: Outline) -> Iterator[StepResult]:
    for item in outline:
        if isinstance(item, StepResult):
            yield item
        elif not item.folded:
            yield from visible(item.items)


def groups(outline: Outline) -> Iterator[Group]:
    """Yield the visible groups, outer groups first."""
    for item in outline:
        if isinstance(item, Group):
            yield item
            if not item.folded:
                yield from groups(item.items)


def first_folded(outline: Outline, level: int = 1) -> tuple[str, int] | None:
    """Return the name and the level (from 1) of the first folded group; None if no group is folded."""
    for item in outline:
        if isinstance(item, Group):
            folded = (item.name, level) if item.folded else first_folded(item.items, level + 1)
            if folded is not None:
                return folded
    return None


def _group_level(results: Sequence[StepResult], level: int) -> Outline:
    items: list[Group | StepResult] = []
    for name, together in groupby(results, key=lambda result: _under(result.name, level)):
        steps = list(together)
        items += [_group(name, _group_level(steps, level + 1))] if name else steps
    return tuple(items)


def _under(name: str, level: int) -> str:
    """Return the first `level` words of a longer name: `encoder.layer1` for `encoder.layer1.norm1.Y`; otherwise ""."""
    words = name.split(".")
    return ".".join(words[:level]) if len(words) > level else ""


def _group(name: str, items: Outline) -> Group:
    only = items[0] if len(items) == 1 else None
    return Group(name, only.inner, only.items) if isinstance(only, Group) else Group(name, name, items)


def _fold(item: Group | StepResult, depth: int) -> Group | StepResult:
    if isinstance(item, StepResult) or len(item.steps) == 1:
        return item
    if depth <= 1:
        return Group(item.name, item.inner, item.items, True)
    return Group(item.name, item.inner, tuple(_fold(child, depth - 1) for child in item.items))
