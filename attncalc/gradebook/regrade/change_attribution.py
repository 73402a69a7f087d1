"""Which changes of a key moved a mark: those without which it would be another one.

Where several would each do, there are none of these; then it is each that moves the mark alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property

from ...errors import AttncalcError
from ..answer_key import Key
from ..graded_script import Row
from ..instructor_questions import question_number
from ..script_grader import worth_of_variant
from .key_changes import Change
from .key_rewriting import rekeyed

Again = Callable[[Key], Callable[[str], Row]]  # marks the script of a file by another key


class Trial:
    """A key with some of the changes."""

    def __init__(self, key: Key, again: Again):
        self.key = key
        self._again = again
        self._worth: dict[str, dict[str, Fraction]] = {}
        self._rows: dict[str, Row] = {}

    def worth(self, code: str) -> dict[str, Fraction]:
        """What each step of a paper is worth; nothing where no paper has this code."""
        if code not in self._worth:
            variant = next((one for one in self.key.variants if one.code == code), None)
            self._worth[code] = worth_of_variant(self.key, variant) if variant else {}
        return self._worth[code]

    def row(self, file: str) -> Row:
        """What the script of a file has by this key."""
        if file not in self._rows:
            self._rows[file] = self._grade(file)
        return self._rows[file]

    @cached_property
    def _grade(self) -> Callable[[str], Row]:
        return self._again(self.key)


class Trials:
    """Each change left out, and each alone."""

    def __init__(self, old: Key, changes: list[Change], again: Again):
        self.old = old
        self.changes = changes
        self.again = again

    def behind(
        self, code: str, step: str, before: object, after: object, value: Callable[[Trial], object]
    ) -> list[Change]:
        """The changes behind a value of a paper's step that was one thing by the old key and is another by the new
        one.
        """
        near = [k for k, one in enumerate(self.changes) if _concerns(one, code, step)]
        if len(near) > 1:
            said = ((k, self.without[k]) for k in near)
            found = [k for k, trial in said if trial is None or value(trial) != after]
            said = ((k, self.alone[k]) for k in near if not found)
            near = found or [k for k, trial in said if trial is not None and value(trial) != before] or near
        return [self.changes[k] for k in near] or self.changes

    @cached_property
    def without(self) -> list[Trial | None]:
        """The key without each of the changes; None where the others could not be made then."""
        return [self._trial(other for other in self.changes if other is not one) for one in self.changes]

    @cached_property
    def alone(self) -> list[Trial | None]:
        """The key with each of the changes alone."""
        return [self._trial([one]) for one in self.changes]

    def _trial(self, changes: Iterable[Change]) -> Trial | None:
        try:
            return Trial(rekeyed(self.old, [*changes]).key, self.again)
        except AttncalcError:
            return None


def _concerns(one: Change, code: str, step: str) -> bool:
    """Whether a change is one of this paper and of the question of this step."""
    is_near = not one.part or question_number(one.part) == question_number(step)
    return is_near and one.code.casefold() in ("", code.casefold())
