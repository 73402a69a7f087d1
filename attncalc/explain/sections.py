"""An outline as blocks. Nested lessons are sections, in which the names of steps are short. A folded lesson is shown as
its last step with the lesson's name: `logits = decoder · W_out`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial

from ..formula.syntax_tree import Name, Tree, rewrite, unparse
from ..lessons import LESSONS
from ..lessons.lesson import without_head
from ..solution import StepResult
from . import solution_messages as messages
from .document import Block, EquationSide, Flow, Formula, Grid, Matrices, Paragraph, Section, Worked
from .outline import Group, Outline, groups
from .part_scope import Scope
from .step_pictures import flow

_NAME = r"[A-Za-z_Α-Ωα-ω][\w.]*\w'*|[A-Za-z_Α-Ωα-ω]'*"


class Sections:
    """A writer for an outline. `in_full` and `result` write the blocks of one step."""

    def __init__(
        self,
        scope: Scope,
        outline: Outline,
        in_full: Callable[[StepResult], Iterator[Block]],
        result: Callable[[StepResult], Iterator[Block]],
        mapped: bool = True,
    ):
        self.scope = scope
        self.outline = outline
        self.in_full = in_full
        self.result = result
        self.mapped = mapped
        self.lessons = scope.part.part.plan.lessons
        self.known = set(scope.entries)
        self.dotted = {name for name in self.known if "." in name}
        folded = [group for group in groups(outline) if group.folded and group.name not in self.known]
        self.folded = {group.steps[-1].name: group.name for group in folded}

    def blocks(self) -> Iterator[Block]:
        """Yield a flow diagram of the outline, then the blocks in order. Each nested lesson is a section."""
        yield from self.maps(self.outline, "")
        yield from self._set(self.outline, "")

    def _set(self, outline: Outline, inside: str) -> Iterator[Block]:
        for item in outline:
            if isinstance(item, StepResult):
                yield from (self.rename(block, inside) for block in self.in_full(item))
            elif item.folded:
                blocks = tuple(self.rename(block, inside) for block in self.result(item.steps[-1]))
                yield Section(
                    item.name, self.summary(item), blocks, True, len(item.steps), partial(self.unfolded, item)
                )
            else:
                inside_it = (*self.maps(item.items, item.inner), *self._set(item.items, item.inner))
                yield Section(item.inner, self.doc(item.inner), inside_it)

    def maps(self, outline: Outline, inside: str) -> Iterator[Block]:
        """Yield the flow diagram of a lesson's steps."""
        if self.mapped:
            yield from (self.rename(block, inside) for block in flow(self.scope, outline))

    def unfolded(self, group: Group) -> tuple[Block, ...]:
        """Return the steps of a folded lesson. Its last step has its full name."""
        inside = copy(self)
        inside.folded = {step: name for step, name in self.folded.items() if name != group.name}
        return tuple(inside._set(group.items, group.inner))

    def summary(self, group: Group) -> str:
        """Return the description of a folded lesson, and its number of steps."""
        return messages.folded_summary(self.doc(group.name), len(group.steps))

    def doc(self, name: str) -> str:
        """Return the purpose of a nested lesson in the outer lesson, or its general description."""
        outer, _, local = name.rpartition(".")
        lesson = LESSONS.get(self.lessons.get(name, ""))
        return purpose(self.lessons.get(outer, ""), local) or (lesson.doc if lesson else "")

    # -- names ---------------------------------------------------------------------------------------------------------

    def name(self, name: str, inside: str) -> str:
        """Return the short name of a step inside a section; the full name if the short name is ambiguous."""
        name = self.folded.get(name, name)
        short = name.removeprefix(f"{inside}.") if inside else name
        return name if short in self.known or short in self.folded.values() else short

    def tree(self, tree: Tree, inside: str) -> Tree:
        return rewrite(
            tree, lambda part: Name(self.name(part.name, inside), part.at) if isinstance(part, Name) else None
        )

    def text(self, text: str, inside: str) -> str:
        """Return a sentence with the short names of a section."""
        if not any(name in text for name in self.dotted):
            return text
        return re.sub(_NAME, lambda m: self.name(m[0], inside) if m[0] in self.dotted else m[0], text)

    def rename(self, block: Block, inside: str) -> Block:
        """Return a block with the short names of a section."""
        match block:
            case Formula() | Matrices() | Worked():
                return with_trees(block, lambda tree: self.tree(tree, inside))
            case Flow(boxes):
                return Flow(tuple(box._replace(name=Name(self.name(box.name.name, inside))) for box in boxes))
            case Paragraph(text, role):
                return Paragraph(self.text(text, inside), role)
        return block


def with_trees(block: Block, change: Callable[[Tree], Tree]) -> Block:
    """Return a formula, matrices or a worked entry with `change` applied to every name and side."""
    match block:
        case Formula(name, stages):
            return block._replace(name=change(name), stages=_stages(stages, change))
        case Matrices(items):
            return Matrices(
                tuple(item._replace(name=change(item.name)) if isinstance(item, Grid) else item for item in items)
            )
        case Worked(name, _, stages):
            return block._replace(name=Name(unparse(change(name))), stages=_stages(stages, change))
    return block


def _stages(stages: tuple[EquationSide, ...], change: Callable[[Tree], Tree]) -> tuple[EquationSide, ...]:
    return tuple(stage._replace(tree=change(stage.tree)) for stage in stages)


def purpose(lesson: str, step: str) -> str:
    """Return the purpose of a step or a nested lesson in its lesson. `Q_2` has the purpose of `Q_1` or `Q`."""
    table = LESSONS[lesson].steps if lesson in LESSONS else {}
    base = without_head(step)
    return next((table[name] for name in (step, f"{base}_1", base) if name in table), "")
