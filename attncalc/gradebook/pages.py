"""Feedback pages: a name for each student's file that is safe on every system, and never the same twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .feedback import feedback_line
from .script import Row

LONGEST = 80
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def pages(rows: Iterable[Row]) -> dict[str, str]:
    """The text of each page by its file's name."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for row in rows:
        stem, k = file_stem(row.student), 1
        name = stem
        while name.casefold() in taken:
            k += 1
            name = f"{stem}-{k}"
        taken.add(name.casefold())
        found[f"{name}.md"] = row.feedback or f"{feedback_line(row)}\n"
    return found


def file_stem(student: str) -> str:
    """`s-0417`; what is no letter, digit, dot, hyphen or underscore becomes an underscore."""
    plain = re.sub(r"[^\w.\-]", "_", student).strip(".-")[:LONGEST].rstrip(".")
    return f"_{plain}" if _RESERVED.fullmatch(plain) else plain or "_"
