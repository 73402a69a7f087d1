"""Manual marks in the report on a script, so that its page, its summary and its figures agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..explain.point_format import points
from ..marking.report import Report, StepReport
from .overrides import Override

GRANTED = "granted"  # a step that earns all its points because a person says so: no error any more, and no mistake


def apply_manual_marks(report: Report, overrides: Iterable[Override]) -> None:
    """Replace computed marks by manual ones. A step with full marks then counts as right."""
    steps = {step.step.key: step for step in report.steps}
    for override in overrides:
        if override.step in steps and is_applicable(override, steps[override.step]):
            _apply(steps[override.step], override)


def is_applicable(override: Override, step: StepReport) -> bool:
    """True if the step has points in this variant, at least as many as the override gives."""
    return override.marks <= step.mark.out_of != 0


def _apply(step: StepReport, override: Override) -> None:
    before, worth = step.mark.earned, step.mark.out_of
    if before < override.marks == worth:
        step.verdict, step.causes, step.cells, step.shape = GRANTED, [], [], ""
    step.mark = replace(
        step.mark, earned=override.marks, reason=f"{_comparison(override, points(before))}{reason_suffix(override)}"
    )


def _comparison(override: Override, before: str) -> str:
    return f"{points(override.marks)} instead of {before}, set by hand"


def reason_suffix(override: Override) -> str:
    """Return the reason as `: unclear slide`; empty without a reason."""
    return f": {override.reason}" if override.reason else ""


def student_note(override: Override) -> str:
    """Return the change as a note to the student: `A: 2.5 points (unclear slide)`."""
    reason = f" ({override.reason})" if override.reason else ""
    return f"{override.step}: {points(override.marks)} of {points(override.out_of)}{reason}"


def change_note(override: Override, before: str | None) -> str:
    """Return the change as a remark: `A: 2.5 instead of 0, set by hand: unclear slide`."""
    change = f"{points(override.marks)}, set by hand" if before is None else _comparison(override, before)
    return f"{override.step}: {change}{reason_suffix(override)}"
