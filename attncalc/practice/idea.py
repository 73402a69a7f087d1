"""The idea before an exercise: its question, the formulas for each entry, and a worked example with reasons. It
consists of the same blocks as a solution, so that colours, diagrams and reasons are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from ..errors import listed
from ..explain.document import Block, Choices, Document, Heading, Paragraph, Reason, Table
from ..explain.outline import group_steps, visible
from ..explain.part_document import meaning, part_blocks
from ..explain.textbook_formulas import entry_formulas, textbook_formulas
from ..formula import operations as op
from ..formula.syntax_tree import Tree
from ..local_server.json_requests import Json
from ..plan import Step
from . import messages
from .exercise_drawing import draw_data, example_data
from .exercise_list import Item
from .task import ExerciseTask, task_of

DEPTH = 1  # nested lessons are folded, because they have separate exercises


def idea(item: Item) -> Json:
    """Return the idea of an exercise as HTML, and its style. The example has other numbers than the exercise."""
    return dict(_idea(json.dumps(item)))


@lru_cache(maxsize=8)
def _idea(text: str) -> Json:
    from ..render.html import fragment  # imported here, because its templates are slow to load

    item = json.loads(text)
    example, part = example_data(item["source"]), item["source"].get("part")
    task = task_of(example or draw_data(item["source"], "1", 0), part)
    page = fragment(Document([*_overview(item, task), *(_example(task) if example else ())]))
    before, _, rest = page.partition("<style>")
    style, _, after = rest.partition("</style>")
    return {"title": item["title"], "style": style, "html": (before + after).replace(' style="', ' data-style="')}


def _overview(item: Item, task: ExerciseTask) -> Iterator[Block]:
    """Yield the question, and the formulas of the steps outside nested lessons."""
    last = task.part.plan.steps[-1]
    givens = [given.name for given in (*task.problem.plan.givens, *task.part.plan.givens) if given.name in task.needed]
    question = messages.QUESTION.format(name=last.name, givens=listed(givens) or messages.THE_TEXT)
    yield Paragraph(item.get("question") or question, "ask", True)
    if item["about"]:
        yield Paragraph(item["about"], "note", True)
    outline = group_steps(task.scope.part.steps, DEPTH)
    if rows := [*_formulas([result.step for result in visible(outline) if not result.step.given])]:
        yield Heading(messages.FORMULAS, 2)
        yield Table(messages.FORMULA_HEADS, tuple(rows))


def _formulas(steps: list[Step]) -> Iterator[tuple[str | tuple[Tree, ...], ...]]:
    """Yield name, formula and meaning of each step, and for the first matrix product the formula of an entry."""
    product = next((step for step in steps if isinstance(step.node, op.MatMul)), None)
    for step in steps:
        for formula in (*textbook_formulas(step, meaning(step)), *(entry_formulas(step) if step is product else ())):
            yield (formula.name,), tuple(side.tree for side in formula.stages), formula.doc


def _example(task: ExerciseTask) -> Iterator[Block]:
    yield Heading(messages.EXAMPLE, 2)
    for block in part_blocks(task.scope.solution, task.scope.part, None, False, set(), DEPTH, "steps"):
        if isinstance(block, Reason):
            yield block._replace(folded=False)
        elif isinstance(block, Choices):
            yield Choices(tuple(choice for choice in block.items if choice.option != "decimals"))
        elif not isinstance(block, Heading) and getattr(block, "role", "") != "ask":
            yield block
