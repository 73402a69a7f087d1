"""Answers judged by the marker, step by step, and hints as a ladder from where to look to the numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

from ..answers.bind import bind
from ..answers.entry import entry
from ..answers.read import read
from ..answers.written import whole
from ..errors import AttncalcError, listed
from ..explain import report_texts
from ..explain.fading import LEVELS
from ..explain.part import meaning
from ..explain.written import written
from ..formula.tree import Name
from ..local.request import Json
from ..mark.inaccurate import MOST_UNITS
from ..mark.report import Report, StepReport
from ..mark.report import check as mark
from ..plan import Step
from ..write.formulas import mathml
from . import texts
from .progress import title
from .show import numbers, worked_entry
from .task import Rows, Task, softmax_of

Answers = dict[str, Rows]

GOOD = ("right", "truncated")


def judge(task: Task, level: int, answers: Answers, before: Answers, step: str = "") -> Json:
    """The marker's verdict on each step that was to do, the first error, whether what is asked is done, what is said
    beside a step of all, and the mistakes that are named alone in a line without a gap, as of a few entries almost
    anything can be said. A line as it was judged `before` makes none: one that went on from an error is wrong as soon
    as that is corrected.
    """
    report, left = _marked(task, level, answers), task.left(level)
    first = report.first_wrong
    verdicts = [_verdict(report, one, answers.get(one.name, [])) for one in left]
    asked = {one.name for one in left if task.is_asked(one)} or {one.name for one in left}
    missing = sum(one["verdict"] == "missing" and one["name"] in asked for one in verdicts)
    off = sum(one["verdict"] not in (*GOOD, "missing") for one in verdicts)
    if first:
        said = " ".join([texts.BROKE.format(step=first.step.name), texts.LATER][first.step.name == step : off])
    else:
        is_begun = any(one["verdict"] in GOOD for one in verdicts)
        carry_on = (texts.CARRY_ON if is_begun else texts.BEGIN).format(left=missing)
        said = "" if off else carry_on if missing else texts.ALL_RIGHT
    codes = [one.acts[0].code for one in report.steps
             if len(one.acts) == 1 and _is_whole(one) and not _is_swapped(one)
             and answers.get(one.step.name) != before.get(one.step.name)]  # fmt: skip
    return {
        "steps": verdicts,
        "done": not missing + off,
        "said": mathml.sentence(said),
        "first": first.step.name if first else None,
        "mistakes": {code: title(code) for code in codes},
    }


def named_in(task: Task, code: str) -> Step | None:
    """The first step whose numbers show a mistake, if it is named where somebody makes it there and goes on from it."""
    if made := task.made(code):
        step, rows = made
        with suppress(AttncalcError, ArithmeticError):
            after = task.with_more("pin", {step.name: rows})
            lines = {one.name: numbers(after, one)["cells"] for one in task.steps}
            return step if code in judge(task, LEVELS, lines | {step.name: rows}, {})["mistakes"] else None
    return None


def _marked(task: Task, level: int, answers: Answers) -> Report:
    """The report on the answers and the steps that were worked out already, whose numbers count as written down."""
    lines = {step.name: answers.get(step.name, []) for step in task.left(level)}
    lines |= {step.name: numbers(task, step)["cells"] for step in task.worked_out(level)}
    typed = {name: rows for name, rows in lines.items() if any(text.strip() for row in rows for text in row)}
    part = task.part.name
    script = read(json.dumps({"answers": {part: typed} if part else typed}), "answers.json", lenient=True)
    return mark(task.problem, bind(script, task.problem, lenient=True), task.memory)


def _found(report: Report, step: Step) -> StepReport | None:
    return next((one for one in report.steps if one.step.key == step.key), None)


def _verdict(report: Report, step: Step, rows: Rows) -> Json:
    """What is said of a step: an entry that is no number, else the marker's verdict; only whole lines are right."""
    found = _found(report, step)
    odd = next((_odd(step, rows, one.fault.message) for one in report.bound.unread if one.step == step.key), "")
    line = found.line if found else None
    kind = "wrong" if odd else found.verdict if found and (line or found.shape) else "missing"
    if kind in GOOD and not (found and _is_whole(found)):
        kind = "missing"
    label = texts.FIRST if found is not None and found is report.first_wrong else report_texts.VERDICTS[kind]
    if odd:
        label = odd
    elif kind == "missing":
        label = texts.PARTLY if any(text.strip() for row in rows for text in row) else texts.UNANSWERED
    cause = _done(found) if found and kind == "wrong" and not odd else ""
    notes = list(line.filled.notes) if line else []
    return {"name": step.name, "verdict": kind, "label": label, "notes": notes, "cause": mathml.sentence(cause)}


def _odd(step: Step, rows: Rows, why: str) -> str:
    """Which entry of a step cannot be read, and why; in a box nothing stands for a blank."""
    for i, j, text in ((i, j, text) for i, row in enumerate(rows) for j, text in enumerate(row)):
        try:
            entry(whole(text, ""))
        except AttncalcError as error:
            why = f"{step.entry(i, j)}: {error.faults[0].message}"
            break
    return re.sub(texts.BLANK, texts.EMPTY_BOX, why)


def _done(found: StepReport) -> str:
    """What was probably done: two entries that changed places, else the marker's causes."""
    return texts.SWAPPED if _is_swapped(found) else " ".join(cause.done for cause in found.acts)


def _is_whole(found: StepReport) -> bool:
    """Whether no entry of a step is empty but masked ones."""
    return found.line is not None and len(found.line.filled.cells) == found.step.node.size


def _is_swapped(found: StepReport) -> bool:
    """Whether two entries alone are wrong, each with the number of the other."""
    pairs = list(zip(found.cells, reversed(found.cells), strict=True))
    return len(pairs) == 2 and all(report_texts.same(one.typed, other.from_own) for one, other in pairs)


# -- hints -------------------------------------------------------------------------------------------------------------


def hints(task: Task, level: int, answers: Answers, step: Step, rung: int, most: int) -> Json:
    """The rungs of the ladder up to one, for a step: each with its title and what it says; of all rungs the first
    `most` are allowed. Raises AttncalcError where none is.
    """
    answers = {one.name: answers[one.name] for one in task.left(level) if one.name in answers}
    report = _marked(task, level, answers)
    ladder = _ladder(*_from_own(task, report, answers, step), step, _found(report, step))
    allowed = (one for one in ladder if one["rung"] in texts.RUNGS[:most])
    told = list(islice(allowed, rung + 2))
    if not told:
        raise AttncalcError(texts.NOT_ALLOWED)
    return {"hints": told[: rung + 1], "more": rung + 1 < len(told)}


def _from_own(task: Task, report: Report, answers: Answers, step: Step) -> tuple[Task, bool]:
    """The task with the student's whole earlier lines in place of the right ones, as hints go on from these, and
    whether the step is made from one; the task as it is where the step has no value with them.
    """
    typed = {one.step.name for one in report.steps if _is_whole(one)}
    before = {one.name for one in task.steps[: task.steps.index(step)]}
    earlier = {name: rows for name, rows in answers.items() if name in before & typed}
    with suppress(AttncalcError, ArithmeticError):
        own = task.with_more("pin", earlier)
        own.scope.part[step.name].printed()
        return own, not earlier.keys().isdisjoint(task.goes_on_from(step))
    return task, False


def _ladder(task: Task, is_own: bool, step: Step, found: StepReport | None) -> Iterator[Json]:
    """Each rung that says something of a step; `task` goes on from the student's lines, if `is_own` with some that the
    step is made from.
    """

    def rung(name: str, says: str, **more: Any) -> Json:
        return {"rung": name, "title": texts.RUNG_TITLES[name], "says": says, **more}

    is_wrong = found is not None and found.verdict not in ("right", "missing", "carried")
    wrong = [(cell.row, cell.column) for cell in found.cells] if found and is_wrong else []
    whose, digits = texts.FROM_YOURS if is_own else "", task.part.rounding.digits
    if len(wrong) < step.node.size:
        yield rung("where", _where(task, step, found, bool(wrong)), cells=wrong)
    if found and found.verdict == "wrong":
        cause = _done(found) or (texts.NEAR if _is_near(found, digits) else texts.NO_CAUSE)
        yield rung("done", mathml.sentence(cause))
    yield rung("advice", mathml.sentence(_advice(found)), line=_to_do(task, is_own, step))
    if line := worked_entry(task, step, wrong[0] if wrong else None):
        known, finer = json.dumps(task.data), re.findall(rf"\d+\.\d{{{digits + 1},}}", line)
        more = texts.MORE_DIGITS if any(number not in known for number in finer) else ""
        yield rung("entry", f"{whose} {more}".strip(), line=line)
    yield rung("numbers", whose, cells=numbers(task, step)["cells"])


def _where(task: Task, step: Step, found: StepReport | None, is_wrong: bool) -> str:
    if found is not None and found.shape:
        return mathml.sentence(texts.SHAPE.format(shape=found.shape))
    if found is None or found.line is None or found.verdict == "missing":
        uses = listed([mathml.math(mathml.formula(Name(one))) for one in task.uses(task.step(step.name))])
        return texts.EMPTY.format(n=step.shape[0], m=step.shape[1], uses=uses)
    if is_wrong:
        return mathml.sentence(report_texts.places(found, step.entry, True))
    return texts.SOUND if _is_whole(found) else texts.GAPS


def _is_near(found: StepReport, digits: int) -> bool:
    """Whether every wrong entry is off by a few units of the last digit."""
    with suppress(ValueError):
        most = Fraction(MOST_UNITS, 10**digits)
        gaps = [abs(Fraction(cell.typed) - Fraction(cell.from_own)) for cell in found.cells]
        return bool(gaps) and max(gaps) <= most
    return False


def _advice(found: StepReport | None) -> str:
    if found is None:
        return ""
    advice = "" if _is_swapped(found) else " ".join(cause.advice for cause in found.acts)
    if not advice and found.verdict in report_texts.NEARLY:
        return texts.DIGITS.format(label=report_texts.VERDICTS[found.verdict].capitalize())
    return advice


def _to_do(task: Task, is_own: bool, step: Step) -> str:
    """What a step is, and the formula to calculate."""
    formula = mathml.math(mathml.formula(written(task.scope, step.tree)))
    about = mathml.sentence(meaning(step).partition(": ")[2] or meaning(step))
    name = f"{mathml.math(mathml.formula(Name(step.name)))}: {about}. " if about else ""
    words = (texts.DO_FROM_YOURS if is_own else texts.DO).format(formula=formula)
    return f"{name}{words}{texts.SOFTMAX if softmax_of(step) else ''}"
