"""Manual marks that replace computed ones, in a separate file, so that they survive regrading."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, listed, shorten, warn
from ..explain.point_format import parse_points_up_to, points
from ..explain.report_messages import reason_text
from ..marking.credit import Because, Mark, Reason, because
from ..marking.report import Report
from ..problem.yaml_file.nodes import Mapping, Scalar, Sequence, kind, read_text
from ..problem.yaml_file.yaml_reader import read_yaml
from ..submissions.located_text import Written
from ..submissions.submission import Losses
from ..submissions.tables.table_reader import sheets_of

YAML = (".yaml", ".yml", ".json")
ANY = Fraction(10**6)  # points of a step that was dropped
COLUMNS = ("student", "step", "marks", "reason")

Rows = list[list[Written]]
Line = dict[str, tuple[str, Location]]


@dataclass(slots=True)
class Override:
    """Manual marks for one step of one student, and the reason. `out_of` is 0 if the step was dropped."""

    student: str
    step: str
    marks: Fraction
    out_of: Fraction
    reason: str
    where: str


def read_overrides(
    path: str,
    steps: dict[str, Fraction],
    meant: Callable[[str], str] = lambda student: student,
    others: Collection[str] = (),
) -> list[Override]:
    """Read the overrides in a file: a CSV with the columns student, step, marks and reason, or a YAML list of the same.

    `steps` has the points of each step; a dropped step has 0 points, and its marks may be any number. `meant` resolves
    a student's name, and `others` are steps without points. Raises AttncalcError with every fault and its place.
    """
    faults = Diagnostics()
    lines = list(_yaml(path, faults) if path.lower().endswith(YAML) else _csv(path, faults))
    faults.raise_any()
    losses = Losses()
    overrides = [
        override for line in lines if (override := losses.guarded("", partial(_override, line, steps, meant, others)))
    ]
    losses.done()
    seen: set[tuple[str, str]] = set()
    for (student, step), line in zip(((override.student, override.step) for override in overrides), lines, strict=True):
        if (student.casefold(), step) in seen:
            faults.add(f"the marks of {shorten(student)} for {step} are set twice", line["step"][1])
        seen.add((student.casefold(), step))
    faults.raise_any()
    return overrides


def table_of(path: str) -> Rows:
    """Return the lines of the first non-empty table in a spreadsheet file."""
    sheets = sheets_of(read_bytes(path), path)
    warn(sheet.note for sheet in sheets[:1] if sheet.note)
    return next((sheet.rows for sheet in sheets if sheet.rows), [])


def text_of(path: str) -> str:
    """Return the text of a YAML file without a byte-order mark."""
    return read_text(read_bytes(path), path).removeprefix("\ufeff")


def _csv(path: str, faults: Diagnostics) -> Iterator[Line]:
    table = table_of(path)
    if not table:
        return
    header = [cell.text.strip().lower() for cell in table[0]]
    missing = [name for name in COLUMNS if name not in header and name != "reason"]
    if missing:
        columns, absent = shorten(", ".join(header), 60), " and no ".join(missing)
        message = f"expected the columns {', '.join(COLUMNS)}, found {columns}; there is no {absent}"
        faults.add(message, table[0][0].place)
    faults.raise_any()
    for row in table[1:]:
        yield {name: (cell.text.strip(), cell.place) for name, cell in zip(header, row, strict=False)}


def _yaml(path: str, faults: Diagnostics) -> Iterator[Line]:
    text = text_of(path)
    tree = read_yaml(text, path) if text.strip() else Sequence([], Location(path))
    if not isinstance(tree, Sequence):
        raise AttncalcError(
            f"expected a list of overrides, each with the keys {listed(COLUMNS)}, found {kind(tree)}", tree.place
        )
    for item in tree.items:
        if not isinstance(item, Mapping):
            faults.add(f"expected an override with the keys {listed(COLUMNS)}, found {kind(item)}", item.place)
            continue
        item.reject_unknown(list(COLUMNS), "an override", faults)
        yield {
            name: (value.text.strip(), value.place) for name in COLUMNS if isinstance(value := item.get(name), Scalar)
        }


def _override(line: Line, steps: dict[str, Fraction], meant: Callable[[str], str], others: Collection[str]) -> Override:
    place = next((place for _, place in line.values()), Location())
    for name in COLUMNS[:3]:
        if not line.get(name, ("", place))[0]:
            message = f"expected a student, a step and marks, found no {name}"
            raise AttncalcError(message, line.get(name, ("", place))[1])
    (student, _), (step, at), (marks, written) = (line[name] for name in COLUMNS[:3])
    full = [key for key in steps if step in (key, key.rpartition(".")[2])]
    full = [key for key in full if steps[key]] or full
    key = step if step in steps else full[0] if len(full) == 1 else None
    if key is None:
        raise AttncalcError(_no_step(step, full, steps, others), at)
    given = parse_points_up_to(marks, steps[key] or ANY)
    if isinstance(given, str):
        raise AttncalcError(given, written)
    return Override(meant(student), key, given, steps[key], line.get("reason", ("", place))[0], str(at))


def _no_step(step: str, full: list[str], steps: dict[str, Fraction], others: Iterable[str]) -> str:
    """Return the reason why a step of this name has no points to set."""
    counting = [name for name, worth in steps.items() if worth]
    if full:
        return f"several steps are called {shorten(step)!r}: did you mean {' or '.join(full)}?"
    there = f"the steps with points are {shorten(', '.join(counting), 200)}"
    if without := [name for name in others if step in (name, name.rpartition(".")[2])]:
        return f"{listed(without, 3)} {'has' if len(without) == 1 else 'have'} no points; {there}"
    return f"no step is called {shorten(step)!r}{did_you_mean(step, counting) or f'; {there}'}"


def unused_overrides(overrides: Iterable[Override], students: Iterable[str]) -> list[str]:
    """Return a line for each override whose student has no script."""
    known_students = list(students)
    known = {student.casefold() for student in known_students}
    return [
        f"{override.where}: there is no script from {shorten(override.student)!r}, so this override has no effect"
        f"{did_you_mean(override.student, known_students)}"
        for override in overrides
        if override.student.casefold() not in known
    ]


def overrides_of_dropped_steps(overrides: Iterable[Override]) -> list[str]:
    return [
        f"{override.where}: {override.step} has no points; the override is ignored"
        for override in overrides
        if not override.out_of
    ]


GRANTED: Final = "granted"  # all points by a person's decision: no error, and no mistake


def apply_manual_marks(report: Report, overrides: Iterable[Override]) -> None:
    """Replace computed marks by manual ones. A step with full marks then counts as right."""
    steps = {step.step.key: step for step in report.steps}
    for override in overrides:
        step = steps.get(override.step)
        if step is None or not override.marks <= step.mark.out_of != 0:
            continue
        before, worth = step.mark.earned, step.mark.out_of
        if before < override.marks == worth:
            step.verdict, step.causes, step.cells, step.shape = GRANTED, [], [], ""
        step.mark = Mark(override.marks, worth, _by_hand(override, points(before)))


def _by_hand(override: Override, before: str) -> tuple[Because, ...]:
    return because(Reason.BY_HAND, marks=points(override.marks), before=before, why=reason_suffix(override))


def reason_suffix(override: Override) -> str:
    """Return the reason as `: unclear slide`; empty without a reason."""
    return f": {override.reason}" if override.reason else ""


def student_note(override: Override) -> str:
    """Return the change as a note to the student: `A: 2.5 points (unclear slide)`."""
    reason = f" ({override.reason})" if override.reason else ""
    return f"{override.step}: {points(override.marks)} of {points(override.out_of)}{reason}"


def change_note(override: Override, before: str | None) -> str:
    """Return the change as a remark: `A: 2.5 instead of 0, set by hand: unclear slide`."""
    if before is None:
        return f"{override.step}: {points(override.marks)}, set by hand{reason_suffix(override)}"
    return f"{override.step}: {reason_text(_by_hand(override, before))}"
