"""Detection of a wrong key: most first lines are wrong throughout without a known mistake. In a weak class, some are
right, nearly right, or have a known mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import counted
from ..marking.report import Report, StepReport
from .answer_key import Key
from .graded_script import GradedScript

LEAST_LINES = 6  # first lines of all scripts together
LEAST_SHARE = 9, 10  # of them, that are not of these papers


def plausible_first_lines(report: Report) -> list[bool]:
    """Return, for the first answered line of each part, whether it may answer the question of this paper."""
    firsts = (
        next((step for step in part.steps if step.shape or step.line and step.line.filled.cells), None)
        for part in report.parts
    )
    return [_is_plausible(step) for step in firsts if step is not None]


def _is_plausible(step: StepReport) -> bool:
    if step.verdict != "wrong" or step.causes:
        return True
    entries = len(step.line.filled.cells) if step.line and not step.shape else 0
    return 2 * len(step.cells) <= entries if entries else False


def wrong_key_warning(rows: Sequence[GradedScript], key: Key) -> str:
    """Return a warning if the class seems to have answered a different exam; else the empty string."""
    answered = [row for row in rows if row.plausible_first_lines]
    lines = [line for row in answered for line in row.plausible_first_lines]
    least, of = LEAST_SHARE
    if len(lines) < LEAST_LINES or lines.count(False) * of < least * len(lines):
        return ""
    check = (
        "that the key belongs to this exam and that each row has the right student's answers (a column "
        "problem with the papers' codes identifies both)"
    )
    if not key.variants[0].code:
        check = "whether this is the problem that they answer"
    scripts, wrong = counted(len(answered), "script"), f"{lines.count(False)} of {counted(len(lines), 'question')}"
    evidence = f"In {scripts}, {wrong} start with wrong numbers that no known mistake explains; check {check}"
    return f"{key.source}: is this the key of these papers? {evidence}"
