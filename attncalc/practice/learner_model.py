"""Progress as plain data: mistakes that were met, fixed and kept, finished exercises, due mistakes, and levels.

    {"version": 1, "mistakes": {code: {"met": 2, "item": ..., "last": day, "fixed": day, "kept": day}},
     "items": {id: {"done": 3, "streak": 1, "level": 2, "last": day, "task": ...}}}

A mistake is fixed if the student solves a different exercise that reveals it without a hint (for a slip: the same
exercise with different numbers). It is kept if this happens again on a later day. Days are ISO dates. Progress has
counts, never a percentage.

A finished exercise is due again after an interval that grows with its streak: the number of days in a row on which it
was right without a hint. The interval is 1 day, then 6 days, then 2.5 times the previous interval, as in SM-2 with its
first easiness factor (P. A. Wozniak, "Optimization of learning", 1990, https://super-memory.com/english/ol/sm2.htm).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import date
from typing import TypedDict, TypeVar

from ..explain.faded_examples import LEVELS
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import Mistake
from ..mistakes.slip_catalogue import SLIPS, Slip
from ..render.math import mathml


class MistakeRecord(TypedDict):
    """A mistake that was met `met` times, the last time in a task of an exercise `item`; the rest are days."""

    met: int
    item: str
    task: str
    last: str | None
    fixed: str | None
    kept: str | None


class ExerciseRecord(TypedDict):
    """An exercise that was finished `done` times, the last time with a task on the day `last`."""

    done: int
    streak: int
    level: int
    last: str | None
    task: str


class Progress(TypedDict):
    """All stored progress, by the codes of mistakes and the ids of exercises."""

    version: int
    mistakes: dict[str, MistakeRecord]
    items: dict[str, ExerciseRecord]


Record = TypeVar("Record", MistakeRecord, ExerciseRecord)


MOST = 1000  # most stored mistakes, and most stored exercises
SECOND_INTERVAL, GROWTH, LONGEST = 6, 2.5, 365  # days, factor, days


def named_mistakes() -> dict[str, Mistake | Slip]:
    """Return the mistakes that the marker names: the mistakes of the catalogue, and slips."""
    return {**catalogue(), **SLIPS}


def title(code: str) -> str:
    """Return the heading of a mistake, such as `You took the softmax down the columns` or `The sign looks wrong`."""
    done = named_mistakes()[code].done.replace("{detail}", "").removeprefix("It looks as if ").removesuffix(".")
    return mathml.sentence(done[0].upper() + done[1:] if done.split()[0].islower() else done)


# -- stored data -------------------------------------------------------------------------------------------------------


def _count(value: object) -> int:
    return value if type(value) is int and 0 <= value < 10**6 else 0


def _level(value: object) -> int:
    return min(max(_count(value), 1), LEVELS)


def _name(value: object) -> str:
    return value[:80] if isinstance(value, str) else ""


def day_of(value: object) -> str | None:
    try:
        return date.fromisoformat(value).isoformat() if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


# A missing or invalid value becomes that of a new record


def _mistake(data: Mapping[str, object]) -> MistakeRecord:
    return {
        "met": _count(data.get("met")), "item": _name(data.get("item")), "task": _name(data.get("task")),
        "last": day_of(data.get("last")), "fixed": day_of(data.get("fixed")), "kept": day_of(data.get("kept")),
    }  # fmt: skip


def _exercise(data: Mapping[str, object]) -> ExerciseRecord:
    return {
        "done": _count(data.get("done")), "streak": _count(data.get("streak")), "level": _level(data.get("level")),
        "last": day_of(data.get("last")), "task": _name(data.get("task")),
    }  # fmt: skip


def _stored(data: object) -> Iterator[tuple[str, dict[str, object]]]:
    pairs = list(data.items())[:MOST] if isinstance(data, dict) else []
    return ((_name(name), record) for name, record in pairs if isinstance(record, dict))


def clean(data: object) -> Progress:
    """Return the valid progress in `data`, which may come from any file. Drop all other data."""
    document = data if isinstance(data, dict) and data.get("version") == 1 else {}
    names = named_mistakes()
    mistakes = {code: _mistake(record) for code, record in _stored(document.get("mistakes")) if code in names}
    items = {name: _exercise(record) for name, record in _stored(document.get("items"))}
    return {"version": 1, "mistakes": mistakes, "items": items}


def is_progress(data: object) -> bool:
    """Return whether `data` has the form of exported progress."""
    if not isinstance(data, dict) or data.get("version") != 1:
        return False
    return isinstance(data.get("mistakes"), dict) and isinstance(data.get("items"), dict)


def merge(progress: Progress, other: Progress) -> Progress:
    """Return the union of two records of progress. Of two entries with the same name, keep the later, with the larger
    count.
    """
    mistakes, items = progress["mistakes"] | other["mistakes"], progress["items"] | other["items"]
    for code in progress["mistakes"].keys() & other["mistakes"].keys():
        met = max(progress["mistakes"][code]["met"], other["mistakes"][code]["met"])
        mistakes[code] = {**_later(progress["mistakes"][code], other["mistakes"][code]), "met": met}
    for name in progress["items"].keys() & other["items"].keys():
        done = max(progress["items"][name]["done"], other["items"][name]["done"])
        items[name] = {**_later(progress["items"][name], other["items"][name]), "done": done}
    return {"version": 1, "mistakes": mistakes, "items": items}


def _later(*records: Record) -> Record:
    return max(records, key=lambda record: (record["last"] or "", json.dumps(record)))


# -- changes -----------------------------------------------------------------------------------------------------------


def record_mistakes(progress: Progress, codes: list[str], item: str, task: str, day: str) -> Progress:
    """Return the progress after mistakes. They become due, even if kept before, and count once for each task."""
    new = deepcopy(progress)
    for code in codes:
        record = new["mistakes"].get(code) or _mistake({})
        met = record["met"] + ((record["task"], record["last"]) != (task, day))
        new["mistakes"][code] = _mistake({"met": met, "item": item, "task": task, "last": day})
    return new


def record_exercise(
    progress: Progress, traps: list[str], item: str, task: str, day: str, hinted: bool, level: int, is_last: bool = True
) -> Progress:
    """Return the progress after a stage of an exercise: mistakes become fixed or kept. After the last stage, the count
    and the level also change. A task counts once a day.
    """
    new = deepcopy(progress)
    mistakes, entry = new["mistakes"], new["items"].get(item) or _exercise({})
    if (entry["task"], entry["last"]) == (task, day):
        return new
    for code in traps:
        record = mistakes.get(code)
        if record is None or hinted or record["task"] == task or (code in SLIPS and record["item"] != item):
            continue
        if record["fixed"] is None:
            record["fixed"] = day
        elif record["kept"] is None and day > record["fixed"]:
            record["kept"] = day
    if not is_last:
        return new
    is_clean = not hinted and all(record["task"] != task for record in mistakes.values())
    level = _level(level + 1 if is_clean else level - hinted)
    streak = entry["streak"] + (day != entry["last"]) if is_clean else 0
    new["items"][item] = {"done": entry["done"] + 1, "streak": streak, "level": level, "last": day, "task": task}
    return new


def due(progress: Progress, day: str) -> list[str]:
    """Return the mistakes to practise today, oldest first: not fixed, or fixed on an earlier day and not kept."""
    open_ = [(record["fixed"] or record["last"] or "", code) for code, record in progress["mistakes"].items()
             if record["fixed"] is None or (record["kept"] is None and day > record["fixed"])]  # fmt: skip
    return [code for _, code in sorted(open_)]


def due_exercises(progress: Progress, day: str) -> list[str]:
    """Return the exercises to practise again today. The exercise that has been due for the longest time comes first."""
    finished = [(name, record) for name, record in progress["items"].items() if record["done"]]
    days = ((_due_day(record, record["last"]), name) for name, record in finished if record["last"])
    return [name for due_day, name in sorted(days) if due_day <= day]


def _due_day(record: ExerciseRecord, last: str) -> str:
    """Return the day on which a finished exercise is due again."""
    repetitions = min(record["streak"], 10)  # from then on, the interval is LONGEST
    days = 1 if repetitions < 2 else min(LONGEST, round(SECOND_INTERVAL * GROWTH ** (repetitions - 2)))
    due_day = date.fromisoformat(last).toordinal() + days
    return date.fromordinal(min(due_day, date.max.toordinal())).isoformat()


def overview(progress: Progress, day: str) -> dict[str, object]:
    """Return the progress in the form that the page shows."""
    waiting, names, mistakes = due(progress, day), named_mistakes(), []
    for code, record in progress["mistakes"].items():
        advice = mathml.sentence(names[code].advice)
        mistakes.append({"code": code, "title": title(code), "says": advice, "due": code in waiting, **record})
    return {"mistakes": mistakes, "due": waiting, "again": due_exercises(progress, day)}
