"""The catalogue for people and programs."""

from __future__ import annotations

import textwrap
from typing import Any

from .catalogue import Mistake, catalogue
from .slips import SLIPS

WIDTH = 80


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
    lines += ["", "slips (sign, copying, digits), in any step"]
    for slip in SLIPS.values():
        lines += _hanging(slip.code, slip.done.replace("{detail}", ""), wide)
    return "\n".join(lines[1:])


def _hanging(code: str, text: str, wide: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {code.ljust(wide)}", subsequent_indent=" " * (wide + 2))


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
