"""A row of a class's table as `grade` reads it: the page on which answers are typed reports what this reader cannot
read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from ..errors import AttncalcError, Location
from ..submissions.class_table import StudentRows
from ..submissions.step_matching import bind
from .answer_key import Key, KeyVariant
from .class_table_scripts import ClassRows, without_absence
from .instructor_questions import question_fault

ABSENCE = "This student is {}."
UNREADABLE = "{place}: `grade` cannot read this row: {reason}"


class Reading(NamedTuple):
    """Why entries cannot be read, by the names of their columns; and notes on the whole row."""

    faults: dict[str, str]
    notes: list[str]


def read_row(key: Key, variant: KeyVariant, row: StudentRows | None, names: Collection[str]) -> Reading:
    """Return what `grade` cannot read in a row. `names` are the columns of the paper."""
    if row is None:
        return Reading({}, [])
    row, absence = without_absence(row)
    try:
        script = ClassRows(key).script_of(row, variant)
        bound = bind(replace(script, problem=None, student=None), key.problem(variant), lenient=True)
    except AttncalcError as error:
        fault = error.faults[0]
        return Reading({}, [UNREADABLE.format(place=fault.place, reason=fault.message)])
    faults: dict[str, str] = {}
    for unread in bound.unread:
        name = unread.step if unread.step in names else _column(row, unread.fault.place)
        faults.setdefault(name, unread.fault.message)
    for question in variant.questions:
        written = script.words.get(question.name)
        if fault_of_question := question_fault(question, written.text.strip() if written else ""):
            faults[question.name] = fault_of_question
    return Reading(faults, [ABSENCE.format(absence)] if absence else [])


def _column(row: StudentRows, place: Location) -> str:
    piece = row.pieces[0]
    cells = [(cell.place.line, cell.place.column, k) for k, cell in enumerate(piece.body[0][: len(piece.header)])]
    k = max((cell for cell in cells if cell[:2] <= (place.line, place.column)), default=(0, 0, 0))[2]
    return piece.header[k].text.strip()
