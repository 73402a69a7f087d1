"""A report as JSON, for programs: the contract of `attncalc check --to json`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..files import as_json
from ..mark.beside import CellReport
from ..mark.report import Report, StepReport


def write(report: Report, hints: bool = False) -> str:
    """`{"problem": ..., "first_wrong": ..., "marks": ..., "parts": [{"steps": [...]}]}`; with `hints` the right numbers
    are null.
    """
    first = report.first_wrong
    data = {
        "problem": report.problem.name,
        "student": report.bound.script.student,
        "first_wrong": first.step.key if first else None,
        "marks": _points(report.earned),
        "out_of": _points(report.out_of),
        "habit": report.habit,
        "parts": [
            {
                "name": part.part.name,
                "marks": _points(part.earned),
                "out_of": _points(part.out_of),
                "steps": [_step(step, hints) for step in part.steps],
            }
            for part in report.parts
        ],
        "notes": list(report.bound.notes),
        "counted": [step.step.key for step in report.steps if step.mark.out_of],
        "unread": [
            {
                "step": one.step or None,
                "message": one.fault.message,
                "line": one.fault.place.line,
                "column": one.fault.place.column,
            }
            for one in report.bound.unread
        ],
    }
    return as_json(data)


def _step(found: StepReport, hints: bool) -> dict[str, Any]:
    return {
        "name": found.step.name,
        "verdict": found.verdict,
        "weak": bool(found.line and found.line.weak),
        "cells": [{"row": c.row, "column": c.column, "typed": c.typed} | _told(c, hints) for c in found.cells],
        "mistakes": [
            {"code": cause.code, "message": f"{cause.done} {cause.advice}", "step": cause.at.name if cause.at else None}
            for cause in found.causes
        ],
        "marks": _points(found.mark.earned),
        "out_of": _points(found.mark.out_of),
        "reason": found.mark.reason,
        "notes": list(found.line.filled.notes) if found.line else [],
    }


def _told(cell: CellReport, hints: bool) -> dict[str, str | None]:
    return {"right": None, "from_own": None} if hints else {"right": cell.right, "from_own": cell.from_own}


def _points(points: Fraction) -> int | float:
    """A number of points: whole where it is."""
    return points.numerator if points.denominator == 1 else round(float(points), 6)
