"""Reports givens that no formula or lesson uses. This is an error if a lesson has an option with this name, because the
values of options never come from givens. Otherwise it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..errors import Diagnostic, did_you_mean, shorten
from ..formula.syntax_tree import Tree
from ..lessons.lesson import Lesson, Option
from ..plan import Given

_COUNTS_ALL = ("*",)  # a size that a counting lesson may not need, such as the number of heads


class Opened(NamedTuple):
    """A call of a lesson in the file: its part and its arguments."""

    lesson: Lesson
    part: str | None
    arguments: Mapping[str, Tree]


def unused_givens(
    givens: Iterable[Given], used: set[str], opened: Iterable[Opened]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the errors and the warnings about givens whose keys are not in `used`."""
    errors, warnings, calls = [], [], list(opened)
    for given in givens:
        if given.key in used:
            continue
        there = [call for call in calls if given.part in (None, call.part)]
        missed = next(
            (call for call in there if call.lesson.option(given.name) and given.name not in call.arguments), None
        )
        if missed:
            errors.append(Diagnostic(_as_option(missed.lesson, given), given.place))
        elif not any(call.lesson.counts == _COUNTS_ALL and call.lesson.input(given.name) for call in there):
            warnings.append(Diagnostic(_unused(given, there), given.place, code="unused-given"))
    return errors, warnings


def _as_option(lesson: Lesson, given: Given) -> str:
    option = lesson.option(given.name)
    assert option is not None
    return (
        f"{given.name} is an option of {lesson.name}, and a given does not set an option; write {lesson.name}: "
        f"{{{given.name}: {_stated(option, given)}}}, or rename the given"
    )


def _stated(option: Option, given: Given) -> str:
    """Return the option's value for the suggestion: the name of the given, or a word or number."""
    if option.kind in ("formula", "mask"):
        return given.name
    text = given.texts[0][0] if given.texts and given.node.size == 1 else ""
    words = {"flag": ("true", "false"), "word": option.words}.get(option.kind)
    if words:
        return text if text in words else " or ".join(words)
    return shorten(text) or "..."


def _unused(given: Given, there: list[Opened]) -> str:
    lessons = [call.lesson for call in there]
    taking = next((lesson.name for lesson in lessons if (source := lesson.input(given.name)) and source.named), "")
    if taking:
        named = f"{given.name}: {given.name}"
        return f"warning: {taking} uses the given {given.name} only if you write {named}"
    known = [i.name for lesson in lessons for i in lesson.inputs] + [
        o.name for lesson in lessons for o in lesson.options
    ]
    near = did_you_mean(given.name, [name for name in dict.fromkeys(known) if name != given.name])
    return f"warning: no lesson and no step uses the given {shorten(given.name)}{near}"
