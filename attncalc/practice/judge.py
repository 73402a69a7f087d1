"""Answers judged by the marker, step by step, and hints as a ladder: where, what was done, what to do, one entry, the
numbers.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import lru_cache

from ..answers.bind import bind
from ..answers.entry import entry
from ..answers.read import read
from ..answers.written import Written
from ..errors import AttncalcError, Location, listed, shorten
from ..explain import report_texts
from ..explain.part import meaning
from ..explain.written import written
from ..mark.report import Report, StepReport
from ..mark.report import check as mark
from ..mark.walk import Memory
from ..plan import Step
from ..problem.model import Part
from ..write.formulas import mathml
from . import texts
from .show import Json, blank_steps, is_asked, made_from, numbers, result_of, scope_of, step_of, steps_of, worked_entry
from .tasks import Data, part_of, problem_of

Answers = dict[str, list[list[str]]]

GOOD = ("right", "truncated")


def judge(data: Data, part_name: str | None, level: int, answers: Answers) -> tuple[Json, Report]:
    """The marker's verdict on each step that was to do, with the first error and what is left; steps that are not asked
    may stay empty.
    """
    report = _marked(data, part_name, level, answers)
    part = part_of(report.problem, part_name)
    blank = blank_steps(part, level)
    first = report.first_wrong
    verdicts = [_verdict(step, answers, _found(report, part, step.name), first) for step in blank]
    asked = {step.name for step in blank if is_asked(part, step)} or {step.name for step in blank}
    left = sum(one["verdict"] == "missing" and one["name"] in asked for one in verdicts)
    off = next((one for one in verdicts if one["verdict"] not in (*GOOD, "missing")), None)
    if first or off:
        said = texts.BROKE.format(step=first.step.name) if first else ""
    else:
        said = texts.CARRY_ON.format(left=left) if left else texts.ALL_RIGHT
    return {
        "steps": verdicts,
        "done": not left and not off,
        "said": said,
        "first": first.step.name if first else None,
    }, report


def codes_of(report: Report, name: str) -> list[str]:
    """The mistake of the catalogue that the marker named alone in a step; in any step where none is named."""
    return [step.causes[0].code for step in report.steps if len(step.causes) == 1 and name in ("", step.step.name)]


def _marked(data: Data, part_name: str | None, level: int, answers: Answers) -> Report:
    """The report on the answers and the steps that were worked out already, whose numbers count as written down."""
    problem = problem_of(data)
    part = part_of(problem, part_name)
    scope, blank = scope_of(data, part.name), blank_steps(part, level)
    given: Answers = {step.name: numbers(scope, step)["cells"] for step in steps_of(part) if step not in blank}
    known = {step.name for step in steps_of(part)}
    typed = {
        name: _readable(rows) for name, rows in {**answers, **given}.items() if name in known and any(map(any, rows))
    }
    script = read(json.dumps({"answers": {part.name: typed} if part.name else typed}), "answers.json", lenient=True)
    return mark(problem, bind(script, problem, lenient=True), _memory(json.dumps(data)))


@lru_cache(maxsize=4)
def _memory(text: str) -> Memory:
    """What attempts at one task have in common: the report is the same without, and comes later."""
    return Memory()


def _readable(rows: list[list[str]]) -> list[list[str]]:
    """Empty cells as blanks of an answers file; what cannot be read as a number is left blank, and told in its step."""
    return [[text if text.strip() and _is_number(text) else "_" for text in row] for row in rows]


def _is_number(text: str) -> bool:
    try:
        return entry(Written(text.strip(), lambda k: Location())) is not None
    except AttncalcError:
        return False


def _found(report: Report, part: Part, name: str) -> StepReport | None:
    return next((one for one in report.steps if one.step.part == part.name and one.step.name == name), None)


def _verdict(step: Step, answers: Answers, found: StepReport | None, first: StepReport | None) -> Json:
    """What is said of one step: an entry that is no number first, then the marker's verdict, whole lines only being
    right.
    """
    typed = [text.strip() for row in answers.get(step.name, []) for text in row if text.strip()]
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
    cause = " ".join(one.done for one in found.causes) if found and kind == "wrong" and not odd else ""
    return {
        "name": step.name,
        "verdict": kind,
        "label": label,
        "notes": list(line.filled.notes) if line else [],
        "cause": cause,
    }


# -- hints -------------------------------------------------------------------------------------------------------------


def hints(data: Data, part_name: str | None, level: int, answers: Answers, name: str, rung: int, most: int) -> Json:
    """The rungs of the ladder up to one, for a step: each with its title and what it says; of all rungs the first
    `most` are allowed.
    """
    report = _marked(data, part_name, level, answers)
    part = part_of(report.problem, part_name)
    step, found = step_of(part, name), _found(report, part, name)
    ladder = [one for one in texts.RUNGS[:most] if one != "done" or (found is not None and found.verdict == "wrong")]
    if not ladder:
        raise AttncalcError(texts.NOT_ALLOWED)
    own, is_own = _from_own(
        data, part, {one.name: answers[one.name] for one in blank_steps(part, level) if one.name in answers}, step
    )
    makers = {"where": _where, "done": _done, "advice": _advice, "entry": _entry, "numbers": _numbers}
    found_rungs = [
        {"rung": one, "title": texts.RUNG_TITLES[one], **makers[one](own, part, step, found, is_own)}
        for one in ladder[: rung + 1]
    ]
    return {"hints": found_rungs, "more": rung + 1 < len(ladder)}


def _from_own(data: Data, part: Part, answers: Answers, step: Step) -> tuple[Data, bool]:
    """The task with the student's earlier lines in place of the right ones, as hints go on from these, and whether the
    step is made from one.

    The task as it is where there are no such lines, or the step has no value with them.
    """
    steps = steps_of(part)
    earlier = {
        one.name: answers[one.name] for one in steps[: steps.index(step)] if _is_whole(answers.get(one.name), one.shape)
    }
    if not earlier:
        return data, False
    new = deepcopy(data)
    home = new["parts"][part.name] if part.name is not None else new
    home["pin"] = {**home.get("pin", {}), **earlier}
    try:
        result_of(scope_of(new, part.name), step_of(part_of(problem_of(new), part.name), step.name)).printed()
    except (AttncalcError, ArithmeticError):
        return data, False
    return new, not earlier.keys().isdisjoint(made_from(problem_of(data).plan, step))


def _is_whole(rows: list[list[str]] | None, shape: tuple[int, int]) -> bool:
    return (
        rows is not None
        and len(rows) == shape[0]
        and all(len(row) == shape[1] and all(map(_is_number, row)) for row in rows)
    )


def _wrong(found: StepReport | None) -> list[list[int]]:
    return (
        [[cell.row, cell.column] for cell in found.cells]
        if found and found.verdict not in ("right", "missing", "carried")
        else []
    )


def _where(data: Data, part: Part, step: Step, found: StepReport | None, is_own: bool) -> Json:
    n, m = step.shape
    if found is not None and found.shape:
        return {"text": texts.SHAPE.format(shape=found.shape), "cells": []}
    if found is None or found.line is None or found.verdict == "missing":
        uses = listed(made_from(problem_of(data).plan, step_of(part_of(problem_of(data), part.name), step.name)))
        return {"text": texts.EMPTY.format(n=n, m=m, uses=uses), "cells": []}
    if not _wrong(found):
        return {"text": texts.PARTLY if len(found.line.filled.cells) < n * m else texts.SOUND, "cells": []}
    return {"text": report_texts.places(found, step.entry, True), "cells": _wrong(found)}


def _done(data: Data, part: Part, step: Step, found: StepReport | None, is_own: bool) -> Json:
    return {"text": " ".join(cause.done for cause in found.causes) if found and found.causes else texts.NO_CAUSE}


def _advice(data: Data, part: Part, step: Step, found: StepReport | None, is_own: bool) -> Json:
    advice = " ".join(cause.advice for cause in found.causes) if found else ""
    if not advice and found and found.verdict in ("last_digit", "truncated", "too_coarse"):
        advice = texts.DIGITS.format(label=report_texts.VERDICTS[found.verdict].capitalize())
    formula = mathml.math(mathml.formula(written(scope_of(data, part.name), step.tree)))
    about = mathml.escape(meaning(step).partition(": ")[2] or meaning(step))
    name = f"{mathml.escape(step.name)}: {about}. " if about else ""
    return {"text": advice, "html": name + (texts.DO_FROM_YOURS if is_own else texts.DO).format(formula=formula)}


def _entry(data: Data, part: Part, step: Step, found: StepReport | None, is_own: bool) -> Json:
    """One entry: the first wrong one, else the one that tells most. A pinned step is worked out from the right plan's
    formula.
    """
    wrong = _wrong(found)
    html = worked_entry(scope_of(data, part.name), step, (wrong[0][0], wrong[0][1]) if wrong else None)
    return {"html": html, "text": texts.FROM_YOURS if is_own else ""}


def _numbers(data: Data, part: Part, step: Step, found: StepReport | None, is_own: bool) -> Json:
    return {"text": texts.FROM_YOURS if is_own else "", "cells": numbers(scope_of(data, part.name), step)["cells"]}
