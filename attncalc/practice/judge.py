"""Answers judged by the marker, step by step, and hints as a ladder: where, what was done, what to do, one entry, the numbers."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import lru_cache
from typing import Any

from ..answers.bind import bind
from ..answers.entry import entry
from ..answers.read import read
from ..answers.written import Written
from ..errors import AttncalcError, Location, shorten
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
from .show import Json, made_from, numbers, result_of, scope_of, show, step_of, steps_of, worked_entry
from .tasks import Data, part_of, problem_of

Answers = dict[str, list[list[str]]]

GOOD = ("right", "truncated")


def judge(data: Data, part_name: str | None, level: int, answers: Answers) -> tuple[Json, Report]:
    """The marker's verdict on each step that was to do, with the first error and what is left."""
    report = _marked(data, part_name, level, answers)
    part = part_of(report.problem, part_name)
    blank = [step for step in show(data, part.name, level)["steps"] if step["blank"]]
    first = report.first_wrong
    verdicts = [_verdict(step_of(part, one["name"]), answers, _found(report, part, one["name"]), first) for one in blank]
    left = sum(one["verdict"] == "missing" for one in verdicts)
    done = all(one["verdict"] in GOOD for one in verdicts)
    said = texts.ALL_RIGHT if done else texts.BROKE.format(step=first.step.name) if first else texts.CARRY_ON.format(left=left)
    if not first and not left and not done:
        said = next(one["label"] for one in verdicts if one["verdict"] not in GOOD)
    return {"steps": verdicts, "done": done, "said": said, "first": first.step.name if first else None}, report


def codes_of(report: Report, name: str) -> list[str]:
    """The mistake of the catalogue that the marker named alone in a step; in any step where none is named."""
    return [step.causes[0].code for step in report.steps if len(step.causes) == 1 and name in ("", step.step.name)]


def _marked(data: Data, part_name: str | None, level: int, answers: Answers) -> Report:
    """The report on the answers and the steps that were worked out already, whose numbers count as written down."""
    problem = problem_of(data)
    part = part_of(problem, part_name)
    given: Answers = {step["name"]: step["cells"] for step in show(data, part.name, level)["steps"] if not step["blank"]}
    known = {step.name for step in steps_of(part)}
    typed = {name: _padded(part, name, rows) for name, rows in {**given, **answers}.items() if name in known and any(map(any, rows))}
    body = {part.name: typed} if part.name else typed
    script = read(json.dumps({"answers": body}), "answers.json", lenient=True)
    return mark(problem, bind(script, problem, lenient=True), _memory(json.dumps(data)))


@lru_cache(maxsize=4)
def _memory(text: str) -> Memory:
    """What attempts at one task have in common: the report is the same without, and comes later."""
    return Memory()


def _padded(part: Part, name: str, rows: list[list[str]]) -> list[list[str]]:
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
    """What is said of one step: an entry that is no number first, then the marker's verdict, whole lines only being right."""
    rows = answers.get(step.name, [])
    odd = next((text.strip() for row in rows for text in row if text.strip() and not _is_number(text)), "")
    line = found.line if found else None
    kind = "wrong" if odd else found.verdict if found and (line or found.shape) else "missing"
    if kind in GOOD and (line is None or len(line.filled.cells) < step.node.size):  # masked entries may stay empty
        kind = "missing"
    label = texts.FIRST if found is not None and found is first else report_texts.VERDICTS[kind]
    if odd:
        label = texts.UNREAD.format(text=f"“{shorten(odd, 20)}”", why=texts.NUMBERS)
    elif kind == "missing":
        label = texts.PARTLY if any(text.strip() for row in rows for text in row) else texts.UNANSWERED
    cause = " ".join(one.done for one in found.causes) if found and kind == "wrong" and not odd else ""
    return {"name": step.name, "verdict": kind, "label": label, "notes": list(line.filled.notes) if line else [], "cause": cause}


# -- hints --------------------------------------------------------------------------------------------------------------------


def hints(data: Data, part_name: str | None, level: int, answers: Answers, name: str, rung: int, most: int) -> Json:
    """The rungs of the ladder up to one, for a step: each with its title and what it says; of all rungs the first `most` are allowed."""
    report = _marked(data, part_name, level, answers)
    part = part_of(report.problem, part_name)
    step, found = step_of(part, name), _found(report, part, name)
    ladder = [one for one in texts.RUNGS[:most] if one != "done" or (found is not None and found.verdict == "wrong")]
    if not ladder:
        raise AttncalcError(texts.NOT_ALLOWED)
    own = _from_own(data, part, answers, step)
    makers = {"where": _where, "done": _done, "advice": _advice, "entry": _entry, "numbers": _numbers}
    found_rungs = [{"rung": one, "title": texts.RUNG_TITLES[one], **makers[one](own, part, step, found)} for one in ladder[: rung + 1]]
    return {"hints": found_rungs, "more": rung + 1 < len(ladder)}


def _from_own(data: Data, part: Part, answers: Answers, step: Step) -> Data:
    """The task with the student's earlier lines in place of the right ones: hints go on from these. Without them where that has no value."""
    before = [one.name for one in steps_of(part)]
    earlier = [one for one in steps_of(part) if one.name in before[: before.index(step.name)] and _is_whole(answers.get(one.name), one.shape)]
    if not earlier:
        return data
    new = deepcopy(data)
    home = new["parts"][part.name] if part.name is not None else new
    home["pin"] = {**home.get("pin", {}), **{one.name: answers[one.name] for one in earlier}}
    try:
        result_of(scope_of(new, part.name), step_of(part_of(problem_of(new), part.name), step.name)).printed()
    except (AttncalcError, ArithmeticError):
        return data
    return new


def _is_whole(rows: list[list[str]] | None, shape: tuple[int, int]) -> bool:
    return rows is not None and len(rows) == shape[0] and all(len(row) == shape[1] and all(map(_is_number, row)) for row in rows)


def _wrong(found: StepReport | None) -> list[list[int]]:
    return [[cell.row, cell.column] for cell in found.cells] if found and found.verdict not in ("right", "missing", "carried") else []


def _where(data: Data, part: Part, step: Step, found: StepReport | None) -> Json:
    n, m = step.shape
    if found is not None and found.shape:
        return {"text": texts.SHAPE.format(shape=found.shape), "cells": []}
    if found is None or found.line is None or found.verdict == "missing":
        uses = ", ".join(made_from(problem_of(data).plan, step_of(part_of(problem_of(data), part.name), step.name)))
        return {"text": texts.EMPTY.format(n=n, m=m, uses=uses), "cells": []}
    if not _wrong(found):
        return {"text": texts.PARTLY if len(found.line.filled.cells) < n * m else texts.SOUND, "cells": []}
    return {"text": report_texts.places(found, step.entry, True), "cells": _wrong(found)}


def _done(data: Data, part: Part, step: Step, found: StepReport | None) -> Json:
    return {"text": " ".join(cause.done for cause in found.causes) if found and found.causes else texts.NO_CAUSE}


def _advice(data: Data, part: Part, step: Step, found: StepReport | None) -> Json:
    advice = " ".join(cause.advice for cause in found.causes) if found else ""
    if not advice and found and found.verdict in ("last_digit", "truncated", "too_coarse"):
        advice = texts.DIGITS.format(label=report_texts.VERDICTS[found.verdict].capitalize())
    scope = scope_of(data, part.name)
    formula = mathml.math(mathml.formula(written(scope, step.tree)))
    said = mathml.escape(meaning(step)).partition(":")[2].strip() or mathml.escape(meaning(step))
    line = texts.DO.format(name=mathml.escape(step.name), meaning=said, formula=formula) if said else texts.DO_PLAIN.format(formula=formula)
    return {"text": advice, "html": line}


def _entry(data: Data, part: Part, step: Step, found: StepReport | None) -> Json:
    """One entry: the first wrong one, else the one that tells most. A pinned step is worked out from the right plan's formula."""
    wrong = _wrong(found)
    scope = scope_of(data, part.name)
    html = worked_entry(scope, step, (wrong[0][0], wrong[0][1]) if wrong else None)
    return {"html": html, "text": texts.FROM_YOURS if _is_own(data, part) else ""}


def _numbers(data: Data, part: Part, step: Step, found: StepReport | None) -> Json:
    return {"text": texts.FROM_YOURS if _is_own(data, part) else "", "cells": numbers(scope_of(data, part.name), step)["cells"]}


def _is_own(data: Data, part: Part) -> bool:
    home: dict[str, Any] = data["parts"][part.name] if part.name is not None else data
    return "pin" in home
