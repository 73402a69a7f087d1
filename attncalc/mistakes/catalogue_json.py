"""JSON data of the catalogue."""

from __future__ import annotations

from typing import Any

from .mistake import Mistake


def as_data(mistake: Mistake) -> dict[str, Any]:
    """Return a mistake as JSON data."""
    return {
        "code": mistake.code,
        "group": mistake.group,
        "steps": list(mistake.steps),
        "done": mistake.done,
        "advice": mistake.advice,
        "unseen_when": mistake.same or None,
        "rewrites": [{"find": find, "put": put} for find, put in mistake.rewrites],
    }
