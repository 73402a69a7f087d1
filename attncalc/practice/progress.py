"""Progress as plain data: mistakes met, fixed and kept, exercises done, what is due, and how much of an exercise is
left to do.

    {"version": 1, "mistakes": {code: {"met": 2, "item": ..., "last": day, "fixed": day, "kept": day}},
     "items": {id: {"done": 3, "level": 2, "last": day, "task": ...}}}

A mistake is fixed by an exercise, another than the one in which it was met, that reveals it (a slip: other numbers of
the same exercise) and is right without a hint; it is kept when that happens again on a later day. Days are ISO dates.
Counts are told, never a percentage of mastery.
"""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from typing import Any

from ..explain.fading import LEVELS
from ..mistakes.catalogue import catalogue
from ..mistakes.model import Mistake
from ..mistakes.slips import SLIPS, Slip

Progress = dict[str, Any]
MOST = 1000  # mistakes and exercises that are remembered


def empty() -> Progress:
    """The progress of somebody who has done nothing yet."""
    return {"version": 1, "mistakes": {}, "items": {}}


def known() -> dict[str, Mistake | Slip]:
    """What the marker names: the mistakes of the catalogue, and slips."""
    return {**catalogue(), **SLIPS}


def title(code: str) -> str:
    """What was done, as a heading: `You took the softmax down the columns`."""
    done = known()[code].done.replace("{detail}", "").removeprefix("It looks as if ").removesuffix(".")
    return done[0].upper() + done[1:]


def cleaned(data: Any) -> Progress:
    """What of some data is progress: whatever else stands there is dropped, since the file may come from anywhere."""
    found = empty()
    if not isinstance(data, dict) or data.get("version") != 1:
        return found
    for code, one in _pairs(data.get("mistakes")):
        if code in known() and isinstance(one, dict):
            found["mistakes"][code] = {"met": _count(one.get("met")), "item": str(one.get("item", ""))[:80],
                                       "task": str(one.get("task", ""))[:80],
                                       **{word: day_of(one.get(word)) for word in ("last", "fixed",
                                          "kept")}}  # fmt: skip
    for name, one in _pairs(data.get("items")):
        if isinstance(one, dict):
            level = min(max(_count(one.get("level")), 1), LEVELS)
            found["items"][str(name)[:80]] = {"done": _count(one.get("done")), "level": level,
                                                "last": day_of(one.get("last")),
                                                "task": str(one.get("task", ""))[:80]}  # fmt: skip
    return found


def _pairs(data: Any) -> list[tuple[str, Any]]:
    return list(data.items())[:MOST] if isinstance(data, dict) else []


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6 else 0


def day_of(value: Any) -> str | None:
    """A day as an ISO date; None for anything else."""
    try:
        return date.fromisoformat(value).isoformat() if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        return None


def met(progress: Progress, codes: list[str], item: str, task: str, day: str) -> Progress:
    """After mistakes were made: each is to be fixed, also one that was kept before. The same one in the same task
    counts once.
    """
    new = deepcopy(progress)
    for code in codes:
        one = new["mistakes"].setdefault(code, {"met": 0, "fixed": None, "kept": None, "task": "", "last": None})
        again = one.get("task") == task and one["last"] == day
        one.update(met=one["met"] + (not again), item=item, task=task, last=day, fixed=None, kept=None)
    return new


def done(progress: Progress, traps: list[str], item: str, task: str, day: str, hinted: bool, level: int) -> Progress:
    """After an exercise was finished: what it shows of mistakes, and how much of the next one is left to do. The same
    task counts once a day.
    """
    new = deepcopy(progress)
    entry = new["items"].setdefault(item, {"done": 0, "level": 1, "last": None, "task": ""})
    if (entry["task"], entry["last"]) == (task, day):
        return new
    for code in traps:
        one = new["mistakes"].get(code)
        if one is None or hinted or one["task"] == task:
            continue
        if code in SLIPS and one["item"] != item:
            continue
        if one["fixed"] is None:
            one["fixed"] = day
        elif one["kept"] is None and day > one["fixed"]:
            one["kept"] = day
    clean = not hinted and all(one["task"] != task for one in new["mistakes"].values())
    entry.update(
        done=entry["done"] + 1, last=day, task=task, level=min(LEVELS, level + 1) if clean else max(1, level - hinted)
    )
    return new


def due(progress: Progress, day: str) -> list[str]:
    """The mistakes to practise today: those not fixed yet, and those fixed on an earlier day and not kept yet; the
    oldest first.
    """
    open_ = [(one["fixed"] or one["last"] or "", code) for code, one in progress["mistakes"].items()
             if one["fixed"] is None or (one["kept"] is None and day > one["fixed"])]  # fmt: skip
    return [code for _, code in sorted(open_)]


def overview(progress: Progress, day: str) -> dict[str, Any]:
    """The progress as the page shows it."""
    waiting = due(progress, day)
    mistakes = [
        {"code": code, "title": title(code), "says": known()[code].advice, "due": code in waiting, **one}
        for code, one in progress["mistakes"].items()
    ]
    counts = {
        word: sum(1 for one in progress["mistakes"].values() if word == "met" or one[word])
        for word in ("met", "fixed", "kept")
    }
    return {"mistakes": mistakes, "due": waiting, "counts": counts}
