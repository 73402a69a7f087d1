"""Two scripts where one is expected: of one student, or of one variant that is one student's. Which of them counts, a
person says.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import counted, shorten
from .answer_key import Key
from .graded_script import Row

MOST_NAMED = 3  # of the other files


def mark_doubles(rows: list[Row], key: Key) -> list[str]:
    """A remark on each such row, and a line for each student and code that has several."""
    told = []
    for _, found in _alike((row.student.casefold(), row) for row in rows):
        told.append(f"{shorten(found[0].student)} has several scripts: {_files(found)}")
        _remark(found, "this student has several scripts")
    owned = {v.code for v in key.variants if v.student}
    for code, found in _alike((row.variant, row) for row in rows):
        # Else papers of one variant went to several students
        one_each = code in owned or len(rows) <= len(key.variants)
        if one_each and len({row.student.casefold() for row in found}) > 1:
            told.append(f"{shorten(code)} is answered in {counted(len(found), 'script')}: {_files(found)}")
            _remark(found, f"several scripts answer {code}")
    return told


def _alike(pairs: Iterable[tuple[str, Row]]) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for name, row in pairs:
        found.setdefault(name, []).append(row)
    return sorted((name, rows) for name, rows in found.items() if name and len(rows) > 1)


def _remark(rows: list[Row], said: str) -> None:
    for row in rows:
        row.look = True
        row.remarks.append(f"{said}: also {_files(one for one in rows if one is not row)}")


def _files(rows: Iterable[Row]) -> str:
    names = [row.file for row in rows]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
