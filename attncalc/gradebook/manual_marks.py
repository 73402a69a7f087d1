"""Marks that a person set, put into the report on a script, so that its page, its sentence and its figures all say the
same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..explain.point_format import points
from ..marking.report import Report, StepReport
from .overrides import Override

GRANTED = "granted"  # a step that earns all its points because a person says so: no error any more, and no mistake


def settle(report: Report, overrides: Iterable[Override]) -> None:
    """Puts the marks of a person in the place of ours. A step that now earns all its points counts as right."""
    found = {step.step.key: step for step in report.steps}
    for one in overrides:
        if one.step in found and fits(one, found[one.step]):
            _set(found[one.step], one)


def fits(one: Override, step: StepReport) -> bool:
    """Whether the step is worth anything in this variant, and as much as the person gives."""
    return one.marks <= step.mark.out_of != 0


def _set(step: StepReport, one: Override) -> None:
    before, worth = step.mark.earned, step.mark.out_of
    if before < one.marks == worth:
        step.verdict, step.causes, step.cells, step.shape = GRANTED, [], [], ""
    step.mark = replace(step.mark, earned=one.marks, reason=f"{_instead(one, points(before))}{because(one)}")


def _instead(one: Override, before: str) -> str:
    return f"{points(one.marks)} instead of {before}, set by hand"


def because(one: Override) -> str:
    """`: unclear slide`; nothing where no reason was given."""
    return f": {one.reason}" if one.reason else ""


def said(one: Override) -> str:
    """`A: 2.5 points (unclear slide)`, for the student."""
    return f"{one.step}: {points(one.marks)} of {points(one.out_of)}{f' ({one.reason})' if one.reason else ''}"


def told(one: Override, before: str | None) -> str:
    """`A: 2.5 instead of 0, set by hand: unclear slide`"""
    said = f"{points(one.marks)}, set by hand" if before is None else _instead(one, before)
    return f"{one.step}: {said}{because(one)}"
