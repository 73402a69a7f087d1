"""The catalogue for people and programs."""

from __future__ import annotations

import textwrap
from typing import Any

from .catalogue import HIGH, MEDIUM, Mistake, catalogue
from .slips import SLIPS

WIDTH = 80
_OFTEN = {HIGH: "reported often", MEDIUM: "reported now and then"}


def listed() -> str:
    """Every mistake by group: its code and what was done."""
    lines: list[str] = []
    group = ""
    known = catalogue().values()
    wide = max(len(m.code) for m in known) + 2
    for mistake in known:
        if mistake.group != group:
            group = mistake.group
            lines += ["", group]
        lines += _hanging(mistake.code, mistake.done, wide)
    lines += ["", "slips of the pen, in any step"]
    for slip in SLIPS.values():
        lines += _hanging(slip.code, slip.done.replace("{detail}", ""), wide)
    return "\n".join(lines[1:])


def _hanging(code: str, text: str, wide: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {code.ljust(wide)}", subsequent_indent=" " * (wide + 2))


def one(mistake: Mistake) -> str:
    """One mistake: what was done, what to do, where, when it cannot be seen, and its formulas."""
    lines = [mistake.code, *textwrap.wrap(f"{mistake.done} {mistake.advice}", WIDTH, initial_indent="  ", subsequent_indent="  "), ""]
    lines.append(f"  at          {', '.join(mistake.steps)}")
    if mistake.same:
        lines.append(f"  unseen when {mistake.same}")
    if mistake.weight in _OFTEN:
        lines.append(f"  how often   {_OFTEN[mistake.weight]}")
    lines += [f"  instead of  {find}\n  this        {put}" for find, put in mistake.rewrites]
    return "\n".join(lines)


def as_data(mistake: Mistake) -> dict[str, Any]:
    return {
        "code": mistake.code,
        "group": mistake.group,
        "steps": list(mistake.steps),
        "done": mistake.done,
        "advice": mistake.advice,
        "unseen_when": mistake.same or None,
        "rewrites": [{"find": find, "put": put} for find, put in mistake.rewrites],
    }
