"""The responses to requests. A request is `{"do": "check", ...}`, and a response is `{...}` or `{"faults": [...]}`,
without HTTP, files and a clock. The idea before an exercise is here as well.

A request names an exercise of the course by its id. It contains the data of a task, the progress and the day. The
response contains the new progress, which the caller stores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from ..errors import AttncalcError, did_you_mean, listed, shorten
from ..explain.document import Block, Choices, Document, Heading, Paragraph, Reason, Table
from ..explain.faded_examples import LEVELS
from ..explain.outline import group_steps, visible
from ..explain.part_document import meaning, part_blocks
from ..explain.textbook_formulas import entry_formulas, textbook_formulas
from ..formula import operations as op
from ..formula.syntax_tree import Tree
from ..local_server.json_requests import Json, RequestField, Text, dispatch, integer_field, read
from ..plan import Step
from ..problem.random_stream import Stream
from ..submissions.clipboard import paste
from . import learner_model as records
from . import messages
from .answer_feedback import hints, judge
from .exercise_drawing import draw_data, example_data, with_trap
from .exercise_list import Course, Item, items_of
from .task import Data, ExerciseTask, Rows, is_task, parse_task, task_of, with_given
from .task_view import choices, explain_cell, numbers, show

MOST_NUMBER = 10**6
PUBLIC = ("id", "title", "about")  # keys of an exercise in the list of exercises
REHEARSAL, MOST_REHEARSED = 30, 12  # minutes, and exercises
MOST_DUE = 3  # most due mistakes, and most due exercises, for which a request tries to find numbers


Name = Annotated[str, RequestField("a text", "")]
Names = Annotated[list[str], RequestField("the ids of exercises", [])]
Seed = Annotated[str, RequestField("a text", "1")]
Number = Annotated[int, integer_field(0, MOST_NUMBER, 0)]
Place = Annotated[int, integer_field(0, MOST_NUMBER)]
Level = Annotated[int, integer_field(1, LEVELS, LEVELS)]
HintLevel = Annotated[int, integer_field(0, len(messages.HINT_KINDS) - 1)]
TaskField = Annotated[dict[str, object], RequestField("a task from an earlier response", None, is_task)]
Lines = Annotated[dict[str, Rows], RequestField("a mapping from the names of matrices to rows of texts", {})]
Options = Annotated[dict[str, str], RequestField("a mapping from the names of options to texts", {})]
Flag = Annotated[bool, RequestField("true or false", False)]
ProgressField = Annotated[object, RequestField("the progress, without keys whose value is none")]
Day = Annotated[str, RequestField("a date", "", lambda value: value == "" or records.day_of(value) is not None)]


def respond_text(course: Course, text: str | bytes) -> str:
    """Return the response to a JSON request as JSON. It is the same on every machine, byte for byte."""
    return compact(respond(course, read(text)))


def respond(course: Course, request: object) -> Json:
    """Return the response. Errors of the request are under `faults`."""
    operations = _Operations(course, items_of(course))
    return dispatch(request, {name: getattr(operations, name) for name in vars(_Operations) if name[0] != "_"})


def prepare_responses(course: Course) -> dict[str, str]:
    """Return the responses to the first requests of the page: the course, and each exercise with its first numbers."""
    defaults = {"seed": "1", "number": 0, "trap": "", "level": 1}
    first = [{"do": "new", "item": item, **defaults} for item in items_of(course)]
    return {text: respond_text(course, text) for text in map(compact, ({"do": "course"}, *first))}


def compact(data: object) -> str:
    """Return JSON in the same form as the page writes it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class _Operations:
    """The operations of requests. The parameters of a method are the fields of the request."""

    full_course: Course
    items: dict[str, Item]
    paste = staticmethod(paste)

    def course(self) -> Json:
        """Return the course without the sources of its exercises."""
        public = {name: {key: item[key] for key in PUBLIC} for name, item in self.items.items()}
        groups = self.full_course["groups"]
        shown = [{**group, "items": [public[item["id"]] for item in group["items"]]} for group in groups]
        return {**self.full_course, "groups": shown}

    def idea(self, item: Text) -> Json:
        """Return the idea of an exercise, which the page shows before the exercise."""
        return idea(self._item(item))

    def _item(self, name: str) -> Item:
        if name not in self.items:
            raise AttncalcError(messages.NO_ITEM.format(name=shorten(name)) + did_you_mean(name, list(self.items)))
        return self.items[name]

    def new(self, item: Text, seed: Seed, number: Number, trap: Name, level: Level) -> Data:
        """Return a task of an exercise. With `trap`, its numbers reveal this mistake in an open step."""
        source = self._item(item)["source"]
        variant = with_trap(source, seed, number, trap) if trap else (number, draw_data(source, seed, number), None)
        number, data, step = variant
        data.setdefault("title", self.items[item]["title"])
        part = source.get("part")
        task = {"item": item, "seed": seed, "number": number, "part": part, "stage": 0, "data": data}
        opened = parse_task(task)
        if step:
            opened = opened.at_step(step)
            task["stage"] = opened.stage
        levels = (k for k in range(level, LEVELS) if not step or step.key in {s.key for s in opened.open_steps(k)})
        return {"task": task, **show(opened, next(levels, LEVELS))}

    def rehearse(self, items: Names, seed: Seed) -> Json:
        """Return exercises with new numbers and with all steps to do, in the order of the course. The seed selects some
        of the exercises. Together they take at most 30 minutes. If each takes longer, return the shortest.
        """
        if not items:
            raise AttncalcError(messages.NOTHING_CHOSEN)
        names = [item["id"] for item in map(self._item, items)]
        drawn: dict[str, Data] = {}
        for name in Stream("rehearsal", seed).shuffled(names)[:MOST_REHEARSED]:
            with suppress(AttncalcError):
                drawn[name] = self.new(name, seed, 1, "", LEVELS)
        if not drawn:
            raise AttncalcError(messages.NO_DRAW)
        time = max(REHEARSAL, min(task["minutes"] for task in drawn.values()))
        left, taken = time, set[str]()
        for name, task in drawn.items():
            if task["minutes"] <= left:
                taken.add(name)
                left -= task["minutes"]
        return {"tasks": [drawn[name] for name in dict.fromkeys(names) if name in taken], "minutes": time}

    def show(self, task: TaskField, level: Level) -> Json:
        return show(parse_task(task), level)

    def check(self, task: TaskField, level: Level, answers: Lines, before: Lines, step: Name, hinted: Flag,
              progress: ProgressField, day: Day) -> Json:  # fmt: skip
        """Return verdicts, a message, and new progress if progress is given. `before`: answers of the last check."""
        opened = parse_task(task)
        judgement = judge(opened, level, answers, before, step)
        if progress is None:
            return judgement
        item = shorten(str(task.get("item")), 80)
        name = shorten(" ".join(str(task.get(key)) for key in ("item", "seed", "number")), 80)
        after = records.record_mistakes(records.clean(progress), list(judgement["mistakes"]), item, name, day)
        if judgement["done"]:
            traps, is_last = opened.traps(opened.open_steps(level)), opened.stage + 1 == len(opened.stages)
            after = records.record_exercise(after, traps, item, name, day, hinted, level, is_last)
        return {**judgement, "progress": after}

    def hint(self, task: TaskField, level: Level, answers: Lines, step: Name, hint_level: HintLevel) -> Json:
        """Return the hints up to level `hint_level`, counted from 0. The course limits their number."""
        opened = parse_task(task)
        return hints(opened, level, answers, opened.step(step), hint_level, self.full_course["hints"])

    def explain(self, task: TaskField, given: Lines, options: Options, step: Name, row: Place, column: Place) -> Json:
        """Return the calculation and the sources of an entry in the playground."""
        changed = _change_task(task, given, options)
        return explain_cell(changed, changed.step(step), row, column)

    def change(self, task: TaskField, given: Lines, options: Options) -> Json:
        """Return all steps with changed givens and options, for the playground."""
        changed = _change_task(task, given, options)
        shown = show(changed, LEVELS)
        pairs = zip(shown["steps"], changed.steps, strict=True)
        steps = [{**step_data, **numbers(changed, step)} for step_data, step in pairs]
        return {**shown, "steps": steps, "choices": choices(changed)}

    def progress(self, progress: ProgressField, imported: ProgressField, day: Day) -> Json:
        """Return the valid progress, and its overview for the page. The progress of an imported file is added."""
        kept = records.clean(progress)
        if imported is not None:
            if not records.is_progress(imported):
                raise AttncalcError(messages.NO_PROGRESS)
            kept = records.merge(kept, records.clean(imported))
        return {"progress": kept, **records.overview(kept, day)}

    def next(self, seed: Seed, after: Name, progress: ProgressField, day: Day) -> Json:
        """Return the next task. If possible, its numbers reveal a due mistake, or it is the exercise with the due
        mistake. Otherwise it is an exercise that is due again, or the first unfinished exercise after `after`.
        """
        kept = records.clean(progress)
        due = [(kept["mistakes"][code]["item"], code) for code in records.due(kept, day)]
        available = [pair for pair in due if pair[0] in self.items][:MOST_DUE]
        names = list(self.items)
        start = names.index(after) + 1 if after in names else 0
        order = [*names[start:], *names[:start]]
        levels = {name: record["level"] for name, record in kept["items"].items()}
        again = [name for name in records.due_exercises(kept, day) if name in self.items][:MOST_DUE]
        fresh = next((name for name in order if name not in levels or not kept["items"][name]["done"]), order[0])
        tries = [(name, 1, code, messages.REVEALED) for name, code in available]
        tries += [(name, 1, "", messages.NOT_REVEALED) for name, _ in available]
        tries += [(name, kept["items"][name]["done"], "", messages.DUE_AGAIN) for name in again]
        for name, number, code, message in [*tries, (fresh, 0, "", messages.NOT_REVEALED if due else "")]:
            with suppress(AttncalcError):
                return {**self.new(name, seed, number, code, levels.get(name, 1)), "message": message}
        raise AttncalcError(messages.NO_DRAW)


def _change_task(task: Data, given: dict[str, Rows], options: dict[str, str]) -> ExerciseTask:
    opened, data = parse_task(task), task["data"]
    for name, rows in given.items():
        data = with_given(data, opened.given(name), rows)
    known = {name: text for name, text in options.items() if name in messages.CHANGED}
    return task_of(data, opened.part.name).at(opened.stage).with_values(opened.lesson, known)


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
    """Yield the question, and the formulas of the steps outside nested lessons, or else the formulas of the steps that
    join nested lessons.
    """
    last = task.part.plan.steps[-1]
    givens = [given.name for given in (*task.problem.plan.givens, *task.part.plan.givens) if given.name in task.needed]
    question = messages.QUESTION.format(name=last.name, givens=listed(givens) or messages.THE_TEXT)
    yield Paragraph(item.get("question") or question, "ask", True)
    if item["about"]:
        yield Paragraph(item["about"], "note", True)
    outline = group_steps(task.scope.part.steps, DEPTH)
    steps = [result.step for result in visible(outline) if not result.step.given]
    if rows := [*_formulas(steps or [step for step in task.part.plan.steps if _joins_sublayers(task, step)])]:
        yield Heading(messages.FORMULAS, 2)
        yield Table(messages.FORMULA_HEADS, tuple(rows))


def _joins_sublayers(task: ExerciseTask, step: Step) -> bool:
    """Return whether a step uses the result of another nested lesson."""
    return not {name.rpartition(".")[0] for name in task.uses(step)} <= {"", step.name.rpartition(".")[0]}


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
