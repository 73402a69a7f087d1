"""Students as people and spreadsheets write them: 417 is 00417, and Ada is ada, if no other student matches."""

from __future__ import annotations

from collections.abc import Iterable


class StudentNumbers:
    """The numbers or names of all known students."""

    def __init__(self, students: Iterable[str]):
        self._known = {*students}
        self._similar: dict[str, list[str]] = {}
        for student in sorted(self._known):
            self._similar.setdefault(_core(student), []).append(student)

    def resolve(self, student: str) -> str:
        """Return the known student of this number or name; empty if none or several match."""
        if student in self._known:
            return student
        candidates = self._similar.get(_core(student), [])
        return candidates[0] if len(candidates) == 1 else ""


def _core(student: str) -> str:
    """Return a number without leading zeros, and a name without case."""
    return student.lstrip("0") if student.isdigit() else student.casefold()


def match_students(first: Iterable[str], second: Iterable[str]) -> dict[str, str]:
    """Map each student of `second` to the same student of `first`; to itself without a unique match."""
    second = [*second]
    known, theirs = StudentNumbers(first), StudentNumbers(second)
    return {
        student: match if theirs.resolve(match := known.resolve(student)) == student else student for student in second
    }
