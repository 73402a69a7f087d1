"""Numbers of students, of which a spreadsheet takes the zeros at the front: 417 is 00417 where no other student is
called so.
"""

from __future__ import annotations

from collections.abc import Iterable


class StudentNumbers:
    """The students that are known, each by its number."""

    def __init__(self, students: Iterable[str]):
        self._known = {*students}
        self._bare: dict[str, list[str]] = {}
        for number in sorted(filter(str.isdigit, self._known)):
            self._bare.setdefault(number.lstrip("0"), []).append(number)

    def resolve(self, student: str) -> str:
        """The known student who is meant; empty where there is none, or several could be."""
        if student in self._known:
            return student
        candidates = self._bare.get(student.lstrip("0"), []) if student.isdigit() else []
        return candidates[0] if len(candidates) == 1 else ""


def match_students(first: Iterable[str], second: Iterable[str]) -> dict[str, str]:
    """Who of the first each student of the second is; the same name where nobody is, or several could be."""
    second = [*second]
    known, theirs = StudentNumbers(first), StudentNumbers(second)
    return {
        student: match if theirs.resolve(match := known.resolve(student)) == student else student for student in second
    }
