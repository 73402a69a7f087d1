"""Student numbers without leading zeros, which spreadsheets drop: 417 is 00417 if no other student matches."""

from __future__ import annotations

from collections.abc import Iterable


class StudentNumbers:
    """The numbers of all known students."""

    def __init__(self, students: Iterable[str]):
        self._known = {*students}
        self._bare: dict[str, list[str]] = {}
        for number in sorted(filter(str.isdigit, self._known)):
            self._bare.setdefault(number.lstrip("0"), []).append(number)

    def resolve(self, student: str) -> str:
        """Return the known student of this number; empty if none or several match."""
        if student in self._known:
            return student
        candidates = self._bare.get(student.lstrip("0"), []) if student.isdigit() else []
        return candidates[0] if len(candidates) == 1 else ""


def match_students(first: Iterable[str], second: Iterable[str]) -> dict[str, str]:
    """Map each student of `second` to the same student of `first`; to itself without a unique match."""
    second = [*second]
    known, theirs = StudentNumbers(first), StudentNumbers(second)
    return {
        student: match if theirs.resolve(match := known.resolve(student)) == student else student for student in second
    }
