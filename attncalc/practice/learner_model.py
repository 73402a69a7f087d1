"""Progress as plain data: mistakes met, fixed and kept, finished exercises, due mistakes, and levels.

    {"version": 1, "mistakes": {code: {"met": 2, "item": ..., "last": day, "fixed": day, "kept": day}},
     "items": {id: {"done": 3, "level": 2, "last": day, "task": ...}}}

A mistake is fixed if a different exercise that reveals it is right without a hint (for a slip: the same exercise with
different numbers). It is kept if that happens again on a later day. Days are ISO dates. Progress has counts, never a
percentage of mastery.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import date
from typing import Any

from ..explain.faded_examples import LEVELS
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import Mistake
from ..mistakes.slip_catalogue import SLIPS, Slip
from ..render.math import mathml

Progress = dict[str, Any]
Fields = Mapping[str, Callable[[Any], Any]]
MOST = 1000  # mistakes, and exercises, that are stored


def named_mistakes() -> dict[str, Mistake | Slip]:
    """Return the mistakes that the marker names: those of the catalogue, and slips."""
    return {**catalogue(), **SLIPS}


def title(code: str) -> str:
    """Return a mistake as a heading: `You took the softmax down the columns`, but `dS looks transposed`."""
    done = named_mistakes()[code].done.replace("{detail}", "").removeprefix("It looks as if ").removesuffix(".")
    return mathml.sentence(done[0].upper() + done[1:] if done.split()[0].islower() else done)


# -- what is stored ----------------------------------------------------------------------------------------------------


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


MISTAKE: Fields = {"met": _count, "item": _name, "task": _name, "last": day_of, "fixed": day_of, "kept": day_of}
ITEM: Fields = {"done": _count, "level": _level, "last": day_of, "task": _name}


def clean(data: object) -> Progress:
    """Return the valid progress in `data`, which may come from any file; drop everything else."""
    document = data if isinstance(data, dict) and data.get("version") == 1 else {}
    mistakes, names = _records(document.get("mistakes"), MISTAKE), named_mistakes()
    return {
        "version": 1,
        "mistakes": {code: record for code, record in mistakes.items() if code in names},
        "items": _records(document.get("items"), ITEM),
    }


def is_progress(data: object) -> bool:
    """Return whether `data` has the form of exported progress."""
    kinds = ("mistakes", "items")
    return (
        isinstance(data, dict) and data.get("version") == 1 and all(isinstance(data.get(kind), dict) for kind in kinds)
    )


def merge(progress: Progress, other: Progress) -> Progress:
    """Return two progresses as one: of two records of one name the later, with the larger counts."""
    merged = deepcopy(progress)
    for kind, counts in (("mistakes", ("met",)), ("items", ("done",))):
        for name, record in other[kind].items():
            mine = merged[kind].get(name, record)
            later = max(mine, record, key=lambda entry: (entry["last"] or "", json.dumps(entry)))
            merged[kind][name] = {**later, **{count: max(mine[count], record[count]) for count in counts}}
    return merged


def _records(data: object, fields: Fields) -> dict[str, Any]:
    pairs = list(data.items())[:MOST] if isinstance(data, dict) else []
    return {_name(name): _record(record, fields) for name, record in pairs if isinstance(record, dict)}


def _record(data: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    return {word: read(data.get(word)) for word, read in fields.items()}


def empty() -> Progress:
    return clean(None)


# -- what happens ------------------------------------------------------------------------------------------------------


def record_mistakes(progress: Progress, codes: list[str], item: str, task: str, day: str) -> Progress:
    """Return the progress after mistakes, which become due even if kept before; a mistake counts once per task."""
    new = deepcopy(progress)
    for code in codes:
        record = new["mistakes"].setdefault(code, _record({}, MISTAKE))
        again = (record["task"], record["last"]) == (task, day)
        record.update(met=record["met"] + (not again), item=item, task=task, last=day, fixed=None, kept=None)
    return new


def record_exercise(
    progress: Progress, traps: list[str], item: str, task: str, day: str, hinted: bool, level: int, is_last: bool = True
) -> Progress:
    """Return the progress after a stage of an exercise: fixed and kept mistakes, and after the last one the count and
    the next level. A task counts once a day.
    """
    new = deepcopy(progress)
    mistakes, entry = new["mistakes"], new["items"].get(item) or _record({}, ITEM)
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
    new["items"][item] = entry
    entry.update(done=entry["done"] + 1, last=day, task=task, level=level)
    return new


def due(progress: Progress, day: str) -> list[str]:
    """Return the mistakes to practise today, oldest first: not fixed, or fixed earlier and not kept yet."""
    open_ = [(record["fixed"] or record["last"] or "", code) for code, record in progress["mistakes"].items()
             if record["fixed"] is None or (record["kept"] is None and day > record["fixed"])]  # fmt: skip
    return [code for _, code in sorted(open_)]


def overview(progress: Progress, day: str) -> dict[str, Any]:
    """Return the progress as the page shows it."""
    waiting, names, records = due(progress, day), named_mistakes(), progress["mistakes"]
    mistakes = []
    for code, record in records.items():
        advice = mathml.sentence(names[code].advice)
        mistakes.append({"code": code, "title": title(code), "says": advice, "due": code in waiting, **record})
    counts = {word: sum(bool(record[word]) for record in records.values()) for word in ("fixed", "kept")}
    return {"mistakes": mistakes, "due": waiting, "counts": {"met": len(records), **counts}}
