"""Whether scripts are those of the key's papers: where a class answered other papers, the first line of nearly every
question is wrong throughout, and no mistake explains it. Of a weak class some have these lines right, or nearly, or
with a mistake that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import counted
from ..marking.report import PartReport, Report, StepReport
from .answer_key import Key
from .graded_script import GradedScript

LEAST_LINES = 6  # first lines of all scripts together
LEAST_SHARE = 9, 10  # of them, that are not of these papers


def plausible_first_lines(report: Report) -> list[bool]:
    """Of the first answered line of each part: whether anything in it speaks for this paper."""
    firsts = (next(_answered_steps(part), None) for part in report.parts)
    return [_is_plausible(step) for step in firsts if step is not None]


def _answered_steps(part: PartReport) -> Iterator[StepReport]:
    return (step for step in part.steps if step.shape or step.line and step.line.filled.cells)


def _is_plausible(step: StepReport) -> bool:
    if step.verdict != "wrong" or step.causes:
        return True
    entries = len(step.line.filled.cells) if step.line and not step.shape else 0
    return 2 * len(step.cells) <= entries if entries else False


def wrong_key_warning(rows: Sequence[GradedScript], key: Key) -> str:
    """What is asked where the class as a whole does not answer this key's papers; empty where it does."""
    answered = [row for row in rows if row.plausible_first_lines]
    lines = [line for row in answered for line in row.plausible_first_lines]
    least, of = LEAST_SHARE
    if len(lines) < LEAST_LINES or lines.count(False) * of < least * len(lines):
        return ""
    check = "its exam, and whose answers stand beside whom (a column problem with the papers' codes tells both)"
    if not key.variants[0].code:
        check = "whether it is the problem which they answer"
    scripts, wrong = counted(len(answered), "script"), f"{lines.count(False)} of {counted(len(lines), 'question')}"
    evidence = f"In {scripts}, {wrong} begin with wrong numbers that no mistake explains; check {check}"
    return f"{key.source}: is this the key of these papers? {evidence}"
