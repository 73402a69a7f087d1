"""Answers judged by the marker, step by step, and hints as a ladder from where to look to the numbers."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from ..answers.bind import bind
from ..answers.entry import entry
from ..answers.read import read
from ..answers.written import whole
from ..errors import AttncalcError, listed, shorten
from ..explain import report_texts
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
from .show import numbers, softmax_of, worked_entry
from .task import Rows, Task

Answers = dict[str, Rows]

GOOD = ("right", "truncated")


def judge(task: Task, level: int, answers: Answers) -> tuple[Json, Report]:
    """The marker's verdict on each step that was to do, the first error, and whether what is asked is done."""
    report, left = _marked(task, level, answers), task.left(level)
    first = report.first_wrong
    verdicts = [_verdict(step, answers.get(step.name, []), _found(report, step), first) for step in left]
    asked = {step.name for step in left if task.is_asked(step)} or {step.name for step in left}
    missing = sum(one["verdict"] == "missing" and one["name"] in asked for one in verdicts)
    off = sum(one["verdict"] not in (*GOOD, "missing") for one in verdicts)
    if first:
        said = " ".join([texts.BROKE.format(step=first.step.name), texts.LATER][:off])
    else:
        said = "" if off else texts.CARRY_ON.format(left=missing) if missing else texts.ALL_RIGHT
    name = first.step.name if first else None
    return {"steps": verdicts, "done": not missing + off, "said": mathml.sentence(said), "first": name}, report


def codes_of(report: Report, name: str) -> list[str]:
    """The mistake of the catalogue that the marker named alone in a step; in any step where none is named."""
    steps = [step for step in report.steps if name in ("", step.step.name) and not _is_swapped(step)]
    return [step.acts[0].code for step in steps if len(step.acts) == 1]


def _marked(task: Task, level: int, answers: Answers) -> Report:
    """The report on the answers and the steps that were worked out already, whose numbers count as written down."""
    lines = {step.name: _readable(answers.get(step.name, [])) for step in task.left(level)}
    lines |= {step.name: numbers(task, step)["cells"] for step in task.worked_out(level)}
    typed = {name: rows for name, rows in lines.items() if any(text != "_" for row in rows for text in row)}
    part = task.part.name
    script = read(json.dumps({"answers": {part: typed} if part else typed}), "answers.json", lenient=True)
    return mark(task.problem, bind(script, task.problem, lenient=True), task.memory)


def _readable(rows: Rows) -> Rows:
    """Empty cells as blanks of an answer file; what cannot be read as a number is left blank, and told in its step."""
    return [[text if _is_number(text) else "_" for text in row] for row in rows]


def _is_number(text: str) -> bool:
    with suppress(AttncalcError):
        return bool(text.strip()) and entry(whole(text.strip(), "")) is not None
    return False


def _found(report: Report, step: Step) -> StepReport | None:
    return next((one for one in report.steps if one.step.key == step.key), None)


def _verdict(step: Step, rows: Rows, found: StepReport | None, first: StepReport | None) -> Json:
    """What is said of a step: an entry that is no number, else the marker's verdict; only whole lines are right."""
    typed = [text.strip() for row in rows for text in row if text.strip()]
    odd = next((text for text in typed if not _is_number(text)), "")
    line = found.line if found else None
    kind = "wrong" if odd else found.verdict if found and (line or found.shape) else "missing"
    if kind in GOOD and (line is None or len(line.filled.cells) < step.node.size):  # masked entries may stay empty
        kind = "missing"
    label = texts.FIRST if found is not None and found is first else report_texts.VERDICTS[kind]
    if odd:
        label = texts.UNREAD.format(text=f"“{shorten(odd, 20)}”", why=texts.NUMBERS)
    elif kind == "missing":
        label = texts.PARTLY if typed else texts.UNANSWERED
    cause = _done(found) if kind == "wrong" and not odd else ""
    notes = list(line.filled.notes) if line else []
    return {"name": step.name, "verdict": kind, "label": label, "notes": notes, "cause": mathml.sentence(cause)}


def _done(found: StepReport | None) -> str:
    """What was probably done: two entries that changed places, else the marker's causes."""
    if found is None:
        return ""
    return texts.SWAPPED if _is_swapped(found) else " ".join(cause.done for cause in found.acts)


def _is_swapped(found: StepReport) -> bool:
    """Whether two entries alone are wrong, each with the number of the other."""
    pairs = list(zip(found.cells, reversed(found.cells), strict=True))
    return len(pairs) == 2 and all(report_texts.same(one.typed, other.from_own) for one, other in pairs)


def _name(text: str) -> str:
    return mathml.math(mathml.formula(Name(text)))


# -- hints -------------------------------------------------------------------------------------------------------------


def hints(task: Task, level: int, answers: Answers, step: Step, rung: int, most: int) -> Json:
    """The rungs of the ladder up to one, for a step: each with its title and what it says; of all rungs the first
    `most` are allowed. Raises AttncalcError where none is.
    """
    found = _found(_marked(task, level, answers), step)
    typed = {one.name: answers[one.name] for one in task.left(level) if one.name in answers}
    own = _Ladder(*_from_own(task, typed, step), step, found)
    ladder = [one for one in texts.RUNGS[:most] if own.says(one)]
    if not ladder:
        raise AttncalcError(texts.NOT_ALLOWED)
    told = [{"rung": one, "title": texts.RUNG_TITLES[one], **getattr(own, one)()} for one in ladder[: rung + 1]]
    return {"hints": told, "more": rung + 1 < len(ladder)}


def _from_own(task: Task, answers: Answers, step: Step) -> tuple[Task, bool]:
    """The task with the student's earlier lines in place of the right ones, as hints go on from these, and whether the
    step is made from one; the task as it is where the step has no value with them.
    """
    before = task.steps[: task.steps.index(step)]
    earlier = {one.name: answers[one.name] for one in before if _is_whole(answers.get(one.name, []), one.shape)}
    with suppress(AttncalcError, ArithmeticError):
        own = task.with_more("pin", earlier)
        own.scope.part[step.name].printed()
        return own, not earlier.keys().isdisjoint(task.goes_on_from(step))
    return task, False


def _is_whole(rows: Rows, shape: tuple[int, int]) -> bool:
    return [len(row) for row in rows] == [shape[1]] * shape[0] and all(_is_number(text) for row in rows for text in row)


@dataclass(frozen=True, slots=True)
class _Ladder:
    """What each rung of RUNGS says of a step; `task` goes on from the student's lines, if `is_own` with some that the
    step is made from.
    """

    task: Task
    is_own: bool
    step: Step
    found: StepReport | None

    def says(self, rung: str) -> bool:
        """Whether there is something to say on a rung."""
        if rung == "done":
            return self.found is not None and self.found.verdict == "wrong"
        return rung != "entry" or bool(self.entry()["line"])

    @property
    def wrong(self) -> list[list[int]]:
        """The places of wrong entries."""
        is_wrong = self.found and self.found.verdict not in ("right", "missing", "carried")
        return [[cell.row, cell.column] for cell in self.found.cells] if self.found and is_wrong else []

    def where(self) -> Json:
        found, (n, m) = self.found, self.step.shape
        if found is not None and found.shape:
            return {"says": mathml.sentence(texts.SHAPE.format(shape=found.shape)), "cells": []}
        if found is None or found.line is None or found.verdict == "missing":
            uses = listed([_name(one) for one in self.task.uses(self.task.step(self.step.name))])
            return {"says": texts.EMPTY.format(n=n, m=m, uses=uses), "cells": []}
        if not self.wrong:
            return {"says": texts.PARTLY if len(found.line.filled.cells) < n * m else texts.SOUND, "cells": []}
        return {"says": mathml.sentence(report_texts.places(found, self.step.entry, True)), "cells": self.wrong}

    def done(self) -> Json:
        return {"says": mathml.sentence(_done(self.found) or (texts.NEAR if self.is_near() else texts.NO_CAUSE))}

    def is_near(self) -> bool:
        """Whether every wrong entry is off by a few units of the last digit."""
        most = Fraction(MOST_UNITS, 10**self.task.part.rounding.digits)
        with suppress(ValueError):
            cells = self.found.cells if self.found else []
            return all(abs(Fraction(cell.typed) - Fraction(cell.from_own)) <= most for cell in cells)
        return False

    def advice(self) -> Json:
        found = self.found
        advice = " ".join(cause.advice for cause in found.acts) if found and not _is_swapped(found) else ""
        if not advice and found and found.verdict in report_texts.NEARLY:
            advice = texts.DIGITS.format(label=report_texts.VERDICTS[found.verdict].capitalize())
        formula = mathml.math(mathml.formula(written(self.task.scope, self.step.tree)))
        about = mathml.sentence(meaning(self.step).partition(": ")[2] or meaning(self.step))
        name = f"{_name(self.step.name)}: {about}. " if about else ""
        words = (texts.DO_FROM_YOURS if self.is_own else texts.DO).format(formula=formula)
        line = f"{name}{words}{texts.SOFTMAX if softmax_of(self.step) else ''}"
        return {"says": mathml.sentence(advice), "line": line}

    def entry(self) -> Json:
        """One entry: the first wrong one, else the one that tells most."""
        at = (self.wrong[0][0], self.wrong[0][1]) if self.wrong else None
        line, known = worked_entry(self.task, self.step, at), json.dumps(self.task.data)
        finer = re.findall(rf"\d+\.\d{{{self.task.part.rounding.digits + 1},}}", line)
        is_finer = any(number not in known for number in finer)
        return {"line": line, "says": f"{self._whose} {texts.MORE_DIGITS if is_finer else ''}".strip()}

    def numbers(self) -> Json:
        return {"says": self._whose, "cells": numbers(self.task, self.step)["cells"]}

    @property
    def _whose(self) -> str:
        return texts.FROM_YOURS if self.is_own else ""
