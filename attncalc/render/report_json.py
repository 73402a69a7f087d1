"""A report as JSON, for programs: the output of `attncalc check --to json`."""

from __future__ import annotations

from fractions import Fraction

from ..explain.report_messages import UNTRIED, notes, reason_text
from ..marking.diagnosis.cause import happened_together
from ..marking.expected_values import CellReport
from ..marking.report import PartReport, Report, StepReport, total
from ..safe_files import as_json


def write(report: Report, hints: bool = False) -> str:
    """Return the report as JSON: problem, first wrong step, points and parts. With `hints`, right numbers are null."""
    first = report.first_wrong
    data = {
        "problem": report.problem.name,
        "student": report.bound.script.student,
        "first_wrong": first.step.key if first else None,
        "marks": _points(report.earned),
        "out_of": _points(report.out_of),
        "habit": report.habit,
        "parts": [_part(part, hints) for part in report.parts],
        "notes": [*notes(report), *(str(words.fault) for words in report.bound.unread if words.is_nearby)],
        "counted": [step.step.key for step in report.steps if step.mark.out_of],
        "unread": [
            {
                "step": unread.step or None,
                "message": unread.fault.message,
                "line": unread.fault.place.line,
                "column": unread.fault.place.column,
            }
            for unread in report.bound.lost
        ],
    }
    return as_json(data)


def _part(part: PartReport, hints: bool) -> dict[str, object]:
    earned, out_of = total(part.steps)
    steps = [_step(step, hints) for step in part.steps]
    return {"name": part.part.name, "marks": _points(earned), "out_of": _points(out_of), "steps": steps}


def _step(step_report: StepReport, hints: bool) -> dict[str, object]:
    return {
        "name": step_report.step.name,
        "verdict": step_report.verdict,
        "weak": bool(step_report.line and step_report.line.weak),
        "cells": [
            {"row": c.row, "column": c.column, "typed": c.typed} | _expected_entry(c, hints) for c in step_report.cells
        ],
        "mistakes": [
            {"code": cause.code, "message": f"{cause.done} {cause.advice}", "step": cause.at.name if cause.at else None}
            for cause in step_report.causes
        ],
        "together": happened_together(step_report.causes),
        "marks": _points(step_report.mark.earned),
        "out_of": _points(step_report.mark.out_of),
        "reason": reason_text(step_report.mark.reasons),
        "reasons": [
            {"code": each.reason.value, "parameters": {name: _plain(value) for name, value in each.parameters.items()}}
            for each in step_report.mark.reasons
        ],
        "notes": [
            *(step_report.line.filled.notes if step_report.line else ()),
            *([UNTRIED] if step_report.untried else ()),
        ],
    }


def _expected_entry(cell: CellReport, hints: bool) -> dict[str, str | None]:
    return {"right": None, "from_own": None} if hints else {"right": cell.right, "from_own": cell.from_own}


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Fraction) else value


def _points(points: Fraction) -> int | float:
    return points.numerator if points.denominator == 1 else round(float(points), 6)
