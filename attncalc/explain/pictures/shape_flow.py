"""The flow diagram of a part or of a nested lesson: the data flow between matrices, with their shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...formula.syntax_tree import Name
from ...formula.typed_formula import needs
from ...plan import Given
from ...solution import StepResult
from ..document import Box, Flow
from ..outline import Group, Outline
from ..part_scope import Scope

# Least and most boxes of a diagram, most columns, and most boxes in a column
FEWEST, MOST, LONGEST, HIGHEST = 5, 40, 12, 7
# Givens without a box: X → Q implies W_Q
_PARAMETER = re.compile(r"(.*_)?(W|b|gamma|beta|mask|ahead)(_|\d|$)")


def flow(scope: Scope, outline: Outline) -> Iterator[Flow]:
    """Yield the flow diagram of an outline: a box for each step, each nested lesson, and each given that is no
    parameter.
    """
    plan, owner, boxes = scope.solution.problem.plan, dict[str, int](), list[Box]()
    for item in outline:
        steps = item.steps if isinstance(item, Group) else [item]
        needed = needs([result.step.node for result in steps]) - {result.step.key for result in steps}
        used = sorted(needed, key=plan.order.__getitem__)
        for key in used:
            entry = plan.entries[key]
            inside = scope.entries.get(entry.name) is entry
            if (
                key not in owner
                and inside
                and entry.shape != (1, 1)
                and not (isinstance(entry, Given) and _PARAMETER.match(entry.name))
            ):
                owner[key] = len(boxes)
                boxes.append(Box(Name(entry.name), entry.shape))
        name = item.name if isinstance(item, StepResult) or item.folded else item.inner
        uses = tuple(dict.fromkeys(owner[key] for key in used if key in owner))
        owner |= {result.step.key: len(boxes) for result in steps}
        boxes.append(Box(Name(name), steps[-1].shape, uses, isinstance(item, Group)))
    diagram = Flow(tuple(boxes))
    numbers = sum(box.shape == (1, 1) for box in boxes)
    if FEWEST <= len(boxes) <= MOST and 2 * numbers < len(boxes):
        levels = diagram.levels
        if 2 < len(levels) <= LONGEST and max(map(len, levels)) <= HIGHEST:
            yield diagram
