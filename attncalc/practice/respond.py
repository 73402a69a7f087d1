"""From request to response, both plain data: `{"do": "check", ...}` in, `{...}` or `{"faults": [...]}` out. No HTTP, no
files, no clock.

A request names an exercise of the course by its id; a task travels as the problem's own data. Progress and the day come
with the request, and the new progress goes back: who stores it is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..errors import AttncalcError, did_you_mean, shorten
from ..explain.fading import LEVELS
from ..explain.written import written
from ..formula.parse import parse
from ..formula.tree import unparse
from ..lessons import LESSONS
from ..plan import Given
from ..problem.model import Part
from . import progress as records
from . import texts
from .course import Course
from .judge import codes_of, hints, judge
from .questions import judged
from .show import Json, explain_cell, numbers, scope_of, show, step_of, steps_of
from .tasks import (
    Data,
    drawn,
    find_given,
    lesson_of,
    part_of,
    problem_of,
    traps_of,
    with_given,
    with_options,
    with_trap,
)

LARGEST = 400_000  # characters of a request
LARGEST_ENTRY = 200  # characters of one number
MOST_NUMBER = 10**6

Answer = Callable[[Course, "Request"], Json]


class Request:
    """A request whose fields are checked when they are asked for."""

    def __init__(self, data: Json):
        self.data = data

    def _taken(self, name: str, default: Any, what: str, is_right: Callable[[Any], bool]) -> Any:
        value = self.data.get(name, default)
        if not is_right(value):
            raise AttncalcError(texts.EXPECTED.format(field=name, what=what))
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text of the request. Raises AttncalcError where it is none, or too long."""
        return str(self._taken(name, default, "a text", _is_text))

    def whole(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number between two others. Raises AttncalcError for anything else."""
        return int(
            self._taken(
                name, default, f"a whole number from {least} to {most}", lambda x: type(x) is int and least <= x <= most
            )
        )

    def level(self) -> int:
        """How much is left to do, all of it where nothing is said. Raises AttncalcError for anything else."""
        return self.whole("level", 1, LEVELS, LEVELS)

    def flag(self, name: str) -> bool:
        """true or false, false where it is missing. Raises AttncalcError for anything else."""
        return bool(self._taken(name, False, "true or false", lambda x: isinstance(x, bool)))

    def day(self) -> str:
        """The date that the browser says it is. Raises AttncalcError for anything else."""
        return str(self._taken("day", None, "a date", lambda x: records.day_of(x) is not None))

    def matrices(self, name: str) -> dict[str, list[list[str]]]:
        """Rows of texts by the names of matrices. Raises AttncalcError for anything else."""
        found: dict[str, list[list[str]]] = self._taken(
            name, {}, "rows of texts by the names of matrices", _are_matrices
        )
        return found

    def texts(self, name: str) -> dict[str, str]:
        """Texts by their names. Raises AttncalcError for anything else."""
        found: dict[str, str] = self._taken(
            name, {}, "texts by their names", lambda x: isinstance(x, dict) and all(map(_is_text, x.values()))
        )
        return found

    def task(self) -> tuple[Data, str | None]:
        """The problem's data and the part that is practised. Raises AttncalcError for anything else."""
        task = self._taken("task", None, "a task as an earlier response held it", _is_task)
        return task["data"], task.get("part")

    def task_name(self) -> str:
        """The task's name for messages."""
        task = self.data["task"]
        return shorten(f"{task.get('item')} {task.get('seed')} {task.get('number')}", 80)

    def progress(self) -> records.Progress:
        """The progress that the browser keeps, with what is no progress left out."""
        return records.cleaned(self.data.get("progress"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LARGEST_ENTRY


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and isinstance(value.get("part"), str | None)


def _are_matrices(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(rows, list) and all(map(_is_row, rows)) for rows in value.values()
    )


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def respond_text(course: Course, text: str | bytes) -> str:
    """The same from JSON to JSON, to the byte the same on every machine."""
    try:
        data = json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        data = None
    found = respond(course, data) if len(text) <= LARGEST else {"faults": [texts.TOO_LARGE.format(most=LARGEST)]}
    return compact(found)


def prepared(course: Course) -> dict[str, str]:
    """Responses by their requests, as the page writes them, so that it need not wait for them: the course, and each
    exercise with its first numbers.
    """
    how = {"seed": "1", "number": 0, "trap": "", "level": 1}
    first = [{"do": "new", "item": item["id"], **how} for group in course["groups"] for item in group["items"]]
    return {text: respond_text(course, text) for text in map(compact, ({"do": "course"}, *first))}


def compact(data: object) -> str:
    """JSON as the page writes it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def respond(course: Course, request: Any) -> Json:
    """The response; what cannot be answered is told under `faults`."""
    if not isinstance(request, dict) or not isinstance(request.get("do"), str):
        return {"faults": [texts.NOT_JSON]}
    name = request["do"]
    if name not in OPERATIONS:
        found = shorten(repr(name)) + did_you_mean(name, list(OPERATIONS))
        return {"faults": [texts.NO_OPERATION.format(known=", ".join(OPERATIONS), found=found)]}
    try:
        return OPERATIONS[name](course, Request(request))
    except AttncalcError as error:
        return {"faults": [fault.message for fault in error.faults]}
    except RecursionError:
        return {"faults": [texts.NOT_JSON]}


# -- operations --------------------------------------------------------------------------------------------------------


def _course(course: Course, request: Request) -> Json:
    """What there is to choose from, without its numbers."""
    groups = [
        {**group, "items": [{k: v for k, v in item.items() if k != "source"} for item in group["items"]]}
        for group in course["groups"]
    ]
    return {"title": course["title"], "hints": course["hints"], "groups": groups}


def _item(course: Course, name: str) -> Json:
    items: dict[str, Json] = {item["id"]: item for group in course["groups"] for item in group["items"]}
    if name not in items:
        raise AttncalcError(texts.NO_ITEM.format(name=shorten(name)) + did_you_mean(name, list(items)))
    return items[name]


def _new(course: Course, request: Request) -> Json:
    """A task of an exercise; with `trap`, one whose numbers reveal that mistake."""
    item = _item(course, request.text("item"))
    source, seed, number = item["source"], request.text("seed", "1"), request.whole("number", 0, MOST_NUMBER, 0)
    code = request.text("trap", "")
    number, data = with_trap(source, seed, number, code) if code else (number, drawn(source, seed, number))
    data.setdefault("title", item["title"])
    task = {"item": item["id"], "seed": seed, "number": number, "part": source.get("part"), "data": data}
    return {"task": task, **show(data, source.get("part"), request.level())}


def _show(course: Course, request: Request) -> Json:
    return show(*request.task(), request.level())


def _check(course: Course, request: Request) -> Json:
    """The verdicts; and the progress after them, where it came with the request."""
    data, part = request.task()
    level = request.level()
    found, report = judge(data, part, level, request.matrices("answers"))
    codes = codes_of(report, request.text("step", ""))
    if course["hints"] <= texts.RUNGS.index("done"):
        found["steps"] = [{**one, "cause": ""} for one in found["steps"]]
    answer = {**found, "mistakes": codes}
    if "progress" not in request.data:
        return answer
    task, item, day = request.task_name(), str(request.data["task"].get("item"))[:80], request.day()
    after = records.met(request.progress(), codes, item, task, day)
    if found["done"]:
        after = records.done(after, traps_of(data), item, task, day, request.flag("hinted"), level)
    return {**answer, "progress": after}


def _hint(course: Course, request: Request) -> Json:
    """The rungs of the ladder up to `rung`, counted from 0; the course says how many there are."""
    data, part = request.task()
    rung = request.whole("rung", 0, len(texts.RUNGS) - 1)
    return hints(data, part, request.level(), request.matrices("answers"), request.text("step"), rung, course["hints"])


def _explain(course: Course, request: Request) -> Json:
    data, part = _changed(request)
    return explain_cell(
        data, part, request.text("step"), request.whole("row", 0, MOST_NUMBER), request.whole("column", 0, MOST_NUMBER)
    )


def _change(course: Course, request: Request) -> Json:
    """Everything worked out again after givens and options were changed: the playground."""
    data, part_name = _changed(request)
    problem = problem_of(data)
    part = part_of(problem, part_name)
    scope = scope_of(data, part.name)
    shown = show(data, part.name, LEVELS)
    steps = [
        {**one, **numbers(scope, step), "blank": False}
        for one, step in zip(shown["steps"], steps_of(part), strict=True)
    ]
    return {
        **shown,
        "steps": steps,
        "choices": _choices(data, part),
        "task": {"data": request.task()[0], "part": part_name},
    }


def _changed(request: Request) -> tuple[Data, str | None]:
    data, part_name = request.task()
    part = part_of(problem_of(data), part_name)
    for name, rows in request.matrices("given").items():
        found: Given | None = find_given(problem_of(data), part, name)
        if found is None:
            raise AttncalcError(texts.NO_GIVEN.format(name=shorten(name)))
        data = with_given(data, found, rows)
    known = {name: text for name, text in request.texts("options").items() if name in texts.CHANGED}
    return (with_options(data, part_name, known) if known else data), part_name


def _choices(data: Data, part: Part) -> Json:
    """The options of the part's lesson that the page has sliders for, as they are."""
    lesson = lesson_of(data, part.name)
    usual = {one.name: one.default for one in LESSONS[lesson].options if one.name in texts.CHANGED} if lesson else {}
    found = usual | {one.option: one.value for one in part.plan.conventions if one.option in usual}
    # Sizes as numbers: the names of steps inside a lesson mean nothing in an option
    if found.get("scale", "none") != "none":
        found["scale"] = unparse(written(scope_of(data, part.name), parse(found["scale"])))
    return found


def _question(course: Course, request: Request) -> Json:
    data, part = request.task()
    step = step_of(part_of(problem_of(data), part), request.text("step"))
    return judged(step, request.text("answer"))


def _overview(course: Course, request: Request) -> Json:
    progress = request.progress()
    return {"progress": progress, **records.overview(progress, request.day())}


def _next(course: Course, request: Request) -> Json:
    """What to practise next: a mistake that is due where its exercise is still there, else the first exercise not done
    yet.
    """
    progress, day = request.progress(), request.day()
    items = [item["id"] for group in course["groups"] for item in group["items"]]
    for code in records.due(progress, day):
        item = progress["mistakes"][code]["item"]
        if item in items:
            return {"item": item, "trap": code, "level": progress["items"].get(item, {}).get("level", 1)}
    item = next((one for one in items if not progress["items"].get(one, {}).get("done")), items[0])
    return {"item": item, "trap": "", "level": progress["items"].get(item, {}).get("level", 1)}


OPERATIONS: dict[str, Answer] = {
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
