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
from ..local.request import LARGEST, TEXT, TOO_LARGE, Field, Json, Request, answered, is_text, named_texts, read, whole
from . import progress as records
from . import texts
from .course import Course, Item, items_of
from .draw import drawn, with_trap
from .judge import codes_of, hints, judge
from .questions import judged
from .show import explain_cell, numbers, show
from .task import Task, task_of, with_given

MOST_NUMBER = 10**6
MOST_DUE = 3  # mistakes that are due for which numbers are looked for at once


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and isinstance(value.get("part"), str | None)


def _is_list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _are_matrices(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_list(rows, lambda row: _is_list(row, is_text)) for rows in value.values()
    )


MATRICES = Field("rows of texts by the names of matrices", _are_matrices, {})
FIELDS = {
    "item": TEXT,
    "after": TEXT._replace(default=""),
    "seed": TEXT._replace(default="1"),
    "number": whole(0, MOST_NUMBER, 0),
    "trap": TEXT._replace(default=""),
    "level": whole(1, LEVELS, LEVELS),
    "task": Field("a task as an earlier response held it", _is_task),
    "step": TEXT._replace(default=""),
    "row": whole(0, MOST_NUMBER),
    "column": whole(0, MOST_NUMBER),
    "rung": whole(0, len(texts.RUNGS) - 1),
    "answer": TEXT,
    "answers": MATRICES,
    "given": MATRICES,
    "options": named_texts("texts by their names"),
    "hinted": Field("true or false", lambda value: isinstance(value, bool), False),
    "day": Field("a date", lambda value: records.day_of(value) is not None),
}


def respond_text(course: Course, text: str | bytes) -> str:
    """The same from JSON to JSON, to the byte the same on every machine."""
    if len(text) > LARGEST:
        return compact({"faults": [TOO_LARGE.format(most=LARGEST)]})
    return compact(respond(course, read(text)))


def respond(course: Course, request: Any) -> Json:
    """The response; what cannot be answered is told under `faults`."""
    return answered(request, {name: partial(action, course) for name, action in OPERATIONS.items()}, FIELDS)


def prepared(course: Course) -> dict[str, str]:
    """Responses by their requests, as the page writes them, so that it need not wait for them: the course, and each
    exercise with its first numbers.
    """
    how = {"seed": "1", "number": 0, "trap": "", "level": 1}
    first = [{"do": "new", "item": item["id"], **how} for item in items_of(course)]
    return {text: respond_text(course, text) for text in map(compact, ({"do": "course"}, *first))}


def compact(data: object) -> str:
    """JSON as the page writes it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


# -- operations --------------------------------------------------------------------------------------------------------


def _course(course: Course, request: Request) -> Json:
    """What there is to choose from, without its numbers."""
    groups = [
        {**group, "items": [{key: value for key, value in item.items() if key != "source"} for item in group["items"]]}
        for group in course["groups"]
    ]
    return {**course, "groups": groups}


def _new(course: Course, request: Request) -> Json:
    """A task of an exercise; with `trap`, one whose numbers reveal that mistake."""
    items = {item["id"]: item for item in items_of(course)}
    name = request["item"]
    if name not in items:
        raise AttncalcError(texts.NO_ITEM.format(name=shorten(name)) + did_you_mean(name, list(items)))
    return _opened(items[name], request["seed"], request["number"], request["trap"], request["level"])


def _opened(item: Item, seed: str, number: int, code: str, level: int) -> Json:
    source = item["source"]
    number, data = with_trap(source, seed, number, code) if code else (number, drawn(source, seed, number))
    data.setdefault("title", item["title"])
    task = {"item": item["id"], "seed": seed, "number": number, "part": source.get("part"), "data": data}
    return {"task": task, **show(task_of(data, source.get("part")), level)}


def _task(request: Request) -> Task:
    return task_of(request["task"]["data"], request["task"].get("part"))


def _show(course: Course, request: Request) -> Json:
    return show(_task(request), request["level"])


def _check(course: Course, request: Request) -> Json:
    """The verdicts; and the progress after them, where it came with the request."""
    task, told, level = _task(request), request["task"], request["level"]
    found, report = judge(task, level, request["answers"])
    codes = codes_of(report, request["step"])
    if course["hints"] <= texts.RUNGS.index("done"):
        found["steps"] = [{**one, "cause": ""} for one in found["steps"]]
    answer = {**found, "mistakes": {code: records.title(code) for code in codes}}
    if "progress" not in request.data:
        return answer
    item, day = shorten(str(told.get("item")), 80), request["day"]
    name = shorten(f"{told.get('item')} {told.get('seed')} {told.get('number')}", 80)
    after = records.met(_progress(request), codes, item, name, day)
    if found["done"]:
        after = records.done(after, task.traps, item, name, day, request["hinted"], level)
    return {**answer, "progress": after}


def _hint(course: Course, request: Request) -> Json:
    """The rungs of the ladder up to `rung`, counted from 0; the course says how many there are."""
    task = _task(request)
    step = task.step(request["step"])
    return hints(task, request["level"], request["answers"], step, request["rung"], course["hints"])


def _explain(course: Course, request: Request) -> Json:
    task = _changed(request)
    return explain_cell(task, task.step(request["step"]), request["row"], request["column"])


def _change(course: Course, request: Request) -> Json:
    """Everything worked out again after givens and options were changed: the playground."""
    task = _changed(request)
    shown = show(task, LEVELS)
    steps = [{**one, **numbers(task, step)} for one, step in zip(shown["steps"], task.steps, strict=True)]
    return {**shown, "steps": steps, "choices": _choices(task)}


def _changed(request: Request) -> Task:
    task, data = _task(request), request["task"]["data"]
    for name, rows in request["given"].items():
        given = task.given(name)
        if given is None:
            raise AttncalcError(texts.NO_GIVEN.format(name=shorten(name)))
        data = with_given(data, given, rows)
    changed = task_of(data, task.part.name)
    known = {name: text for name, text in request["options"].items() if name in texts.CHANGED}
    return changed.with_options(known) if known else changed


def _choices(task: Task) -> Json:
    """The options of the part's lesson that the page has sliders for, as they are."""
    options = LESSONS[task.lesson].options if task.lesson else ()
    usual = {one.name: one.default for one in options if one.name in texts.CHANGED}
    found = usual | {one.option: one.value for one in task.part.plan.conventions if one.option in usual}
    # Sizes as numbers: the names of steps inside a lesson mean nothing in an option
    if found.get("scale", "none") != "none":
        found["scale"] = unparse(written(task.scope, parse(found["scale"])))
    return found


def _question(course: Course, request: Request) -> Json:
    return judged(_task(request).step(request["step"]), request["answer"])


def _progress(request: Request) -> records.Progress:
    """The progress that the browser keeps, with what is no progress left out."""
    return records.cleaned(request.data.get("progress"))


def _overview(course: Course, request: Request) -> Json:
    progress = _progress(request)
    return {"progress": progress, **records.overview(progress, request["day"])}


def _next(course: Course, request: Request) -> Json:
    """What to practise next: numbers that reveal a mistake that is due; where none do, other numbers of the exercise in
    which it was met; else the first exercise not done yet, after one if there is any.
    """
    progress, items = _progress(request), {item["id"]: item for item in items_of(course)}
    due = [(progress["mistakes"][code]["item"], code) for code in records.due(progress, request["day"])]
    here = [one for one in due if one[0] in items][:MOST_DUE]
    names = list(items)
    start = names.index(request["after"]) + 1 if request["after"] in items else 0
    order = [*names[start:], *names[:start]]
    fresh = next((one for one in order if not progress["items"].get(one, {}).get("done")), order[0])
    for name, number, code in [
        *((name, 1, code) for name, code in here), *((name, 1, "") for name, _ in here), (fresh, 0, "")
    ]:  # fmt: skip
        with suppress(AttncalcError):
            level = progress["items"].get(name, {}).get("level", 1)
            found = _opened(items[name], request["seed"], number, code, level)
            return {**found, "said": texts.NOT_REVEALED if due and not code else ""}
    raise AttncalcError(texts.NO_DRAW)


OPERATIONS: dict[str, Callable[[Course, Request], Json]] = {
    "course": _course,
    "new": _new,
    "show": _show,
    "check": _check,
    "hint": _hint,
    "explain": _explain,
    "change": _change,
    "question": _question,
    "progress": _overview,
    "next": _next,
}
