"""From request to response, both plain data: `{"do": "check", ...}` in, `{...}` or `{"faults": [...]}` out. No HTTP, no
files, no clock.

A request names an exercise of the course by its id; a task travels as the problem's own data. Progress and the day come
with the request, and the new progress goes back: who stores it is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ..errors import AttncalcError, did_you_mean, shorten
from ..explain.fading import LEVELS
from ..explain.written import written
from ..formula.parse import parse
from ..formula.tree import unparse
from ..lessons import LESSONS
from ..local.request import LARGEST, TEXT, TOO_LARGE, Field, Json, answered, is_text, listed, named, read, whole
from . import progress as records
from . import texts
from .course import Course, Item, items_of
from .draw import drawn, with_trap
from .judge import codes_of, hints, judge
from .questions import judged
from .show import explain_cell, numbers, show
from .task import Rows, Task, task_of, with_given

MOST_NUMBER = 10**6
MOST_DUE = 3  # mistakes that are due for which numbers are looked for at once


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and isinstance(value.get("part"), str | None)


OPTIONAL = TEXT._replace(default="")
MATRICES = Field("rows of texts by the names of matrices", named(listed(listed(is_text))), {})
FIELDS = {
    "item": TEXT,
    "after": OPTIONAL,
    "seed": TEXT._replace(default="1"),
    "number": whole(0, MOST_NUMBER, 0),
    "trap": OPTIONAL,
    "level": whole(1, LEVELS, LEVELS),
    "task": Field("a task as an earlier response held it", _is_task),
    "step": OPTIONAL,
    "row": whole(0, MOST_NUMBER),
    "column": whole(0, MOST_NUMBER),
    "rung": whole(0, len(texts.RUNGS) - 1),
    "answer": TEXT,
    "answers": MATRICES,
    "given": MATRICES,
    "options": Field("texts by their names", named(is_text), {}),
    "hinted": Field("true or false", lambda value: isinstance(value, bool), False),
    "progress": Field("progress, of which what is none is left out", lambda value: True),
    "day": Field("a date", lambda value: value == "" or records.day_of(value) is not None, ""),
}


def respond_text(course: Course, text: str | bytes) -> str:
    """The same from JSON to JSON, to the byte the same on every machine."""
    if len(text) > LARGEST:
        return compact({"faults": [TOO_LARGE.format(most=LARGEST)]})
    return compact(respond(course, read(text)))


def respond(course: Course, request: Any) -> Json:
    """The response; what cannot be answered is told under `faults`."""
    operations = {one.__name__.removeprefix("_"): partial(one, course) for one in _OPERATIONS}
    return answered(request, operations, FIELDS)


def prepared(course: Course) -> dict[str, str]:
    """Responses by requests as the page writes them: the course, and each exercise with its first numbers."""
    how = {"seed": "1", "number": 0, "trap": "", "level": 1}
    first = [{"do": "new", "item": item, **how} for item in items_of(course)]
    return {text: respond_text(course, text) for text in map(compact, ({"do": "course"}, *first))}


def compact(data: object) -> str:
    """JSON as the page writes it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


# -- operations, by their names in requests: each gets the course, and the fields that are its parameters --------------


def _course(course: Course) -> Json:
    """What there is to choose from, without its numbers."""
    groups = [
        {**group, "items": [{key: value for key, value in item.items() if key != "source"} for item in group["items"]]}
        for group in course["groups"]
    ]
    return {**course, "groups": groups}


def _new(course: Course, item: str, seed: str, number: int, trap: str, level: int) -> Json:
    """A task of an exercise; with `trap`, one whose numbers reveal that mistake."""
    items = items_of(course)
    if item not in items:
        raise AttncalcError(texts.NO_ITEM.format(name=shorten(item)) + did_you_mean(item, list(items)))
    return _opened(items[item], seed, number, trap, level)


def _opened(item: Item, seed: str, number: int, trap: str, level: int) -> Json:
    source = item["source"]
    number, data = with_trap(source, seed, number, trap) if trap else (number, drawn(source, seed, number))
    data.setdefault("title", item["title"])
    task = {"item": item["id"], "seed": seed, "number": number, "part": source.get("part"), "data": data}
    return {"task": task, **show(_task(task), level)}


def _task(task: Json) -> Task:
    return task_of(task["data"], task.get("part"))


def _show(course: Course, task: Json, level: int) -> Json:
    return show(_task(task), level)


def _check(course: Course, task: Json, level: int, answers: dict[str, Rows], step: str, hinted: bool,
           progress: Any, day: str) -> Json:  # fmt: skip
    """The verdicts; and the progress after them, where it came with the request."""
    found, report = judge(_task(task), level, answers)
    codes = codes_of(report, step)
    if course["hints"] <= texts.RUNGS.index("done"):
        found["steps"] = [{**one, "cause": ""} for one in found["steps"]]
    answer = {**found, "mistakes": {code: records.title(code) for code in codes}}
    if progress is None:
        return answer
    item = shorten(str(task.get("item")), 80)
    name = shorten(f"{task.get('item')} {task.get('seed')} {task.get('number')}", 80)
    after = records.met(records.cleaned(progress), codes, item, name, day)
    if found["done"]:
        after = records.done(after, _task(task).traps, item, name, day, hinted, level)
    return {**answer, "progress": after}


def _hint(course: Course, task: Json, level: int, answers: dict[str, Rows], step: str, rung: int) -> Json:
    """The rungs of the ladder up to `rung`, counted from 0; the course says how many there are."""
    opened = _task(task)
    return hints(opened, level, answers, opened.step(step), rung, course["hints"])


def _explain(course: Course, task: Json, given: dict[str, Rows], options: dict[str, str], step: str, row: int,
             column: int) -> Json:  # fmt: skip
    changed = _changed(task, given, options)
    return explain_cell(changed, changed.step(step), row, column)


def _change(course: Course, task: Json, given: dict[str, Rows], options: dict[str, str]) -> Json:
    """Everything worked out again after givens and options were changed: the playground."""
    changed = _changed(task, given, options)
    shown = show(changed, LEVELS)
    steps = [{**one, **numbers(changed, step)} for one, step in zip(shown["steps"], changed.steps, strict=True)]
    return {**shown, "steps": steps, "choices": _choices(changed)}


def _changed(task: Json, given: dict[str, Rows], options: dict[str, str]) -> Task:
    opened, data = _task(task), task["data"]
    for name, rows in given.items():
        data = with_given(data, opened.given(name), rows)
    known = {name: text for name, text in options.items() if name in texts.CHANGED}
    return task_of(data, opened.part.name).with_more(opened.lesson, known)


def _choices(task: Task) -> Json:
    """The options of the part's lesson that the page has sliders for, as they are."""
    options = LESSONS[task.lesson].options if task.lesson else ()
    usual = {one.name: one.default for one in options if one.name in texts.CHANGED}
    found = usual | {one.option: one.value for one in task.part.plan.conventions if one.option in usual}
    # Sizes as numbers: the names of steps inside a lesson mean nothing in an option
    if found.get("scale", "none") != "none":
        found["scale"] = unparse(written(task.scope, parse(found["scale"])))
    return found


def _question(course: Course, task: Json, step: str, answer: str) -> Json:
    return judged(_task(task).step(step), answer)


def _progress(course: Course, progress: Any, day: str) -> Json:
    kept = records.cleaned(progress)
    return {"progress": kept, **records.overview(kept, day)}


def _next(course: Course, seed: str, after: str, progress: Any, day: str) -> Json:
    """What to practise next: numbers that reveal a mistake that is due; where none do, other numbers of the exercise in
    which it was met; else the first exercise not done yet, after one if there is any.
    """
    kept, items = records.cleaned(progress), items_of(course)
    due = [(kept["mistakes"][code]["item"], code) for code in records.due(kept, day)]
    here = [one for one in due if one[0] in items][:MOST_DUE]
    names = list(items)
    start = names.index(after) + 1 if after in items else 0
    order = [*names[start:], *names[:start]]
    fresh = next((one for one in order if not kept["items"].get(one, {}).get("done")), order[0])
    ways = [*((name, 1, code) for name, code in here), *((name, 1, "") for name, _ in here), (fresh, 0, "")]
    for name, number, code in ways:
        with suppress(AttncalcError):
            found = _opened(items[name], seed, number, code, kept["items"].get(name, {}).get("level", 1))
            return {**found, "said": texts.NOT_REVEALED if due and not code else ""}
    raise AttncalcError(texts.NO_DRAW)


_OPERATIONS: tuple[Callable[..., Json], ...] = (
    _course, _new, _show, _check, _hint, _explain, _change, _question, _progress, _next,
)  # fmt: skip
