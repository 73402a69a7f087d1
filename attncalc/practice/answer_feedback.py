"""Checks answers step by step with the marker, and gives hints, from the position of an error to the right numbers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from ..errors import AttncalcError, listed
from ..explain import report_messages
from ..explain.faded_examples import LEVELS
from ..explain.part_document import meaning
from ..explain.part_scope import readable_formula
from ..formula.syntax_tree import Name
from ..marking.diagnosis.cause import happened_together
from ..marking.report import Report, StepReport
from ..marking.report import check as mark
from ..mistakes.slip_catalogue import SLIPS
from ..plan import Step
from ..render.math import mathml
from ..submissions.located_text import whole
from ..submissions.number_parser import entry
from ..submissions.script_reader import read
from ..submissions.step_matching import bind
from . import messages
from .learner_model import title
from .task import Data, ExerciseTask, Rows, softmax_of
from .task_view import numbers, worked_entry

Answers = dict[str, Rows]

GOOD = ("right", "truncated")


def judge(task: ExerciseTask, level: int, answers: Answers, before: Answers, step: str = "") -> Data:
    """Return the verdict on each open step, the first error, whether the exercise is done, a message, and the named
    mistakes with their headings.

    A mistake counts only if it is the only cause of a complete line, because a few entries fit almost any mistake. A
    line that equals its answer in `before` does not count: if it followed from an earlier error, it becomes wrong when
    the student corrects this error.
    """
    report, open_steps = _mark_answers(task, level, answers), task.open_steps(level)
    first = report.first_wrong
    verdicts = [_verdict(report, open_step, answers.get(open_step.name, [])) for open_step in open_steps]
    kinds = {verdict["name"]: verdict["verdict"] for verdict in verdicts}
    asked = [open_step for open_step in open_steps if task.is_asked(open_step)] or open_steps
    missing = sum(kinds[open_step.name] == "missing" for open_step in asked)
    off = sum(kind not in (*GOOD, "missing") for kind in kinds.values())
    if first:
        message = " ".join([messages.BROKE.format(step=first.step.name), messages.LATER][first.step.name == step : off])
    elif missing and not off:
        message = (messages.CARRY_ON if {*GOOD} & {*kinds.values()} else messages.BEGIN).format(left=missing)
    else:
        message = "" if off else messages.ALL_RIGHT
    codes = [line.acts[0].code for line in report.steps
             if len(line.acts) == 1 and _is_complete(line) and not _is_swapped(line)
             and answers.get(line.step.name) != before.get(line.step.name)]  # fmt: skip
    return {
        "steps": verdicts, "done": not missing + off, "message": mathml.sentence(message),
        "first": first and first.step.name, "mistakes": {code: title(code) for code in codes},
    }  # fmt: skip


def revealing_step(task: ExerciseTask, code: str) -> Step | None:
    """Return the first step whose numbers reveal a mistake, if the marker names it there when later steps follow."""
    if made := task.mistaken_rows(code):
        step, rows = made
        task = task.at_step(step)
        with suppress(AttncalcError, ArithmeticError):
            after = task.with_values("pin", {step.name: rows})
            lines = {line_step.name: numbers(after, line_step)["cells"] for line_step in task.steps}
            return step if code in judge(task, LEVELS, lines | {step.name: rows}, {})["mistakes"] else None
    return None


def _mark_answers(task: ExerciseTask, level: int, answers: Answers) -> Report:
    """Return the report on the answers and on the worked steps, whose numbers count as answers."""
    lines = {step.name: answers.get(step.name, []) for step in task.open_steps(level)}
    earlier = [step for step in task.earlier if not step.given and step.part == task.part.name]
    known = [*task.example_steps(level), *earlier]
    lines |= {step.name: numbers(task, step)["cells"] for step in known}
    typed = {name: rows for name, rows in lines.items() if any(text.strip() for row in rows for text in row)}
    part = task.part.name
    script = read(json.dumps({"answers": {part: typed} if part else typed}), "answers.json", lenient=True)
    return mark(task.problem, bind(script, task.problem, lenient=True), task.memory)


def _step_report(report: Report, step: Step) -> StepReport | None:
    return next((step_report for step_report in report.steps if step_report.step.key == step.key), None)


def _verdict(report: Report, step: Step, rows: Rows) -> Data:
    """Return the verdict on a step: an unreadable entry, or the marker's verdict. Only complete lines are right."""
    step_report = _step_report(report, step)
    line = step_report and step_report.line
    kind: str = step_report.verdict if step_report and (line or step_report.shape) else "missing"
    if kind in GOOD and not _is_complete(step_report):
        kind = "missing"
    is_first = step_report is not None and step_report is report.first_wrong
    label = messages.FIRST if is_first else report_messages.VERDICTS.get(kind, "")
    if kind == "missing":
        label = messages.PARTLY if any(text.strip() for row in rows for text in row) else messages.UNANSWERED
    if unread := [entry.fault.message for entry in report.bound.unread if entry.step == step.key]:
        kind, label = "unread", _unread_entry(step, rows, unread[0])
    cause = _cause_text(step_report) if step_report and kind == "wrong" else ""
    notes = list(line.filled.notes) if line else []
    return {"name": step.name, "verdict": kind, "label": label, "notes": notes, "cause": mathml.sentence(cause)}


def _unread_entry(step: Step, rows: Rows, why: str) -> str:
    """Return which entry of a step cannot be read and why, with words for an input field instead of a file."""
    for i, j, text in ((i, j, text) for i, row in enumerate(rows) for j, text in enumerate(row)):
        try:
            entry(whole(text, ""))
        except AttncalcError as error:
            why = f"{step.entry(i, j)}: {error.faults[0].message}"
            if (plain := unicodedata.normalize("NFKC", text).replace("⁄", "/")) != text:
                why = messages.MEANT.format(place=step.entry(i, j), text=text, plain=plain)
            break
    return re.sub(messages.BLANK, messages.EMPTY_BOX, why)


def _cause_text(step_report: StepReport) -> str:
    """Return the probable cause of an error: the causes that the marker names, or two exchanged entries."""
    acts = step_report.acts
    several = [report_messages.several_causes(acts, happened_together(acts))] if len(acts) > 1 else []
    return messages.SWAPPED if _is_swapped(step_report) else " ".join([*several, *(cause.done for cause in acts)])


def _is_complete(report: StepReport | None) -> bool:
    """Return whether all entries of a step are filled, except masked entries."""
    return report is not None and report.line is not None and len(report.line.filled.cells) == report.step.node.size


def _is_swapped(step_report: StepReport) -> bool:
    """Return whether only two entries are wrong, each has the other's number, and no known mistake explains this."""
    pairs = list(zip(step_report.cells, reversed(step_report.cells), strict=True))
    is_slip = len(pairs) == 2 and {cause.code for cause in step_report.acts} <= SLIPS.keys()
    return is_slip and all(report_messages.is_same_number(cell.typed, other.from_own) for cell, other in pairs)


# -- hints -------------------------------------------------------------------------------------------------------------


def hints(task: ExerciseTask, level: int, answers: Answers, step: Step, hint_level: int, most: int) -> Data:
    """Return the hints for a step up to this level, of the first `most`. Raises AttncalcError if there is none."""
    answers = {name: answers[name] for name in (open_.name for open_ in task.open_steps(level)) if name in answers}
    report = _mark_answers(task, level, answers)
    applicable = _applicable_hints(*_with_student_lines(task, report, answers, step), step, _step_report(report, step))
    allowed_hints = (hint for hint in applicable if hint["kind"] in messages.HINT_KINDS[:most])
    shown_hints = list(islice(allowed_hints, hint_level + 2))
    if not shown_hints:
        raise AttncalcError(messages.NOT_ALLOWED)
    return {"hints": shown_hints[: hint_level + 1], "more": hint_level + 1 < len(shown_hints)}


def _with_student_lines(task: ExerciseTask, report: Report, answers: Answers, step: Step) -> tuple[ExerciseTask, bool]:
    """Return the task with the student's complete earlier lines, and whether the step uses one of them. If the step has
    no value with these lines, the task does not change.
    """
    typed = {step_report.step.name for step_report in report.steps if _is_complete(step_report)}
    before = {previous.name for previous in task.steps[: task.steps.index(step)]}
    earlier = {name: rows for name, rows in answers.items() if name in before & typed}
    with suppress(AttncalcError, ArithmeticError):
        student_task = task.with_values("pin", earlier)
        student_task.scope.part[step.name].printed()
        return student_task, not earlier.keys().isdisjoint(task.sources(step))
    return task, False


def _applicable_hints(
    task: ExerciseTask, from_student: bool, step: Step, step_report: StepReport | None
) -> Iterator[Data]:
    """Yield each hint that applies to a step. `from_student` is True if the step uses the student's lines."""

    def hint(name: str, says: str, **more: object) -> Data:
        return {"kind": name, "title": messages.HINT_TITLES[name], "says": says, **more}

    is_wrong = step_report is not None and step_report.verdict not in ("right", "missing", "carried")
    wrong = [(cell.row, cell.column) for cell in step_report.cells] if step_report and is_wrong else []
    origin, digits = messages.FROM_YOURS if from_student else "", task.part.rounding.digits
    if len(wrong) < step.node.size:
        yield hint("where", _where(task, step, step_report, bool(wrong)), cells=wrong)
    if step_report and step_report.verdict == "wrong":
        yield hint("done", mathml.sentence(_cause_text(step_report) or messages.NO_CAUSE))
    yield hint("advice", mathml.sentence(_advice(step_report)), line=_to_do(task, from_student, step))
    if line := worked_entry(task, step, wrong[0] if wrong else None):
        known, finer = json.dumps(task.data), re.findall(rf"\d+\.\d{{{digits + 1},}}", line)
        more = messages.MORE_DIGITS if any(number not in known for number in finer) else ""
        yield hint("entry", f"{origin} {more}".strip(), line=line)
    yield hint("numbers", origin, cells=numbers(task, step)["cells"])


def _where(task: ExerciseTask, step: Step, step_report: StepReport | None, is_wrong: bool) -> str:
    if step_report is not None and step_report.shape:
        return mathml.sentence(messages.SHAPE.format(shape=step_report.shape))
    if step_report is None or step_report.line is None or step_report.verdict == "missing":
        uses = listed([mathml.math(mathml.formula(Name(name))) for name in task.uses(task.step(step.name))])
        return messages.EMPTY.format(n=step.shape[0], m=step.shape[1], uses=uses)
    if is_wrong:
        return mathml.sentence(report_messages.where_to_look(step_report, step.entry, True))
    return messages.SOUND if _is_complete(step_report) else messages.GAPS


def _advice(step_report: StepReport | None) -> str:
    if step_report is None:
        return ""
    advice = "" if _is_swapped(step_report) else " ".join(cause.advice for cause in step_report.acts)
    if not advice and step_report.verdict in report_messages.NEARLY:
        return messages.DIGITS.format(label=report_messages.VERDICTS[step_report.verdict].capitalize())
    return advice


def _to_do(task: ExerciseTask, from_student: bool, step: Step) -> str:
    shown = Name(step.name) if step.states_result else readable_formula(task.scope, step.tree)
    formula = mathml.math(mathml.formula(shown))
    about = mathml.sentence(meaning(step).partition(": ")[2] or meaning(step))
    name = f"{mathml.math(mathml.formula(Name(step.name)))}: {about}. " if about else ""
    words = (messages.DO_FROM_YOURS if from_student else messages.DO).format(formula=formula)
    return f"{name}{words}{messages.SOFTMAX if softmax_of(step) else ''}"
