"""Feedback pages: a name for each student's file that is safe on every system, and never the same twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .feedback import FORMS, feedback_line
from .graded_script import Row

LONGEST = 80
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


class Names:
    """A file's name for each student's page of one form."""

    def __init__(self, form: str = "markdown"):
        self.ending = FORMS.get(form, ".md")
        self.taken: set[str] = set()

    def of(self, student: str) -> str:
        """`s-0417.md`; the next student of that name gets `s-0417-2.md`."""
        stem, k = file_stem(student), 1
        name = stem
        while name.casefold() in self.taken:
            k += 1
            name = f"{stem}-{k}"
        self.taken.add(name.casefold())
        return name + self.ending


def pages(rows: Iterable[Row], form: str = "markdown") -> dict[str, str | bytes]:
    """The page of each student by its file's name."""
    names = Names(form)
    return {
        names.of(row.student): row.feedback if isinstance(row.feedback, str | bytes) else f"{feedback_line(row)}\n"
        for row in rows
    }


def file_stem(student: str) -> str:
    """`s-0417`; what is no letter, digit, dot, hyphen or underscore becomes an underscore."""
    plain = re.sub(r"[^\w.\-]", "_", student).strip(".-")[:LONGEST].rstrip(".")
    return f"_{plain}" if _RESERVED.fullmatch(plain) else plain or "_"
