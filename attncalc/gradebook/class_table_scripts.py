"""The rows of a class's table against its key: whose paper each is, what the table lacks, and what is not asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..api import content_of
from ..errors import AttncalcError, Diagnostic, Location, counted, shorten, size
from ..submissions.class_table import CLASS_TABLES, StudentRows
from ..submissions.column_names import STUDENT
from ..submissions.located_text import Written
from ..submissions.script_reader import read_rows
from ..submissions.step_matching import Bound
from ..submissions.submission import Script
from .answer_key import Key, KeyVariant
from .entry_form import places
from .graded_script import ABSENT, EXCUSED
from .masked_prefill import Hidden, hidden_entries, may_hold_prefill, without_prefill

if TYPE_CHECKING:
    from .graded_script import GradedScript

TABLES = CLASS_TABLES
MOST_NAMED = 6  # columns in a message
NAMELESS = (
    "no student of this table is in the key, so students are found by the codes of their papers; "
    "is the column student missing?"
)
CHANGED = "this table was changed while it was being graded; run the command again"
CALLED = ("student", *STUDENT)
ABSENCES = {"absent": ABSENT, "excused": EXCUSED, "abwesend": ABSENT, "entschuldigt": EXCUSED}  # what may be typed


def rows_of(path: str) -> list[StudentRows]:
    """Return the rows of each student in a table; empty for another file. Raises AttncalcError if unreadable."""
    try:
        status = os.stat(path)
        rows = _read(path, status.st_mtime_ns, status.st_size)
    except OSError:
        rows = _read(path, 0, 0)
    if isinstance(rows, Exception):
        raise rows
    return rows


@lru_cache(maxsize=1)
def _read(path: str, changed: int, size: int) -> list[StudentRows] | Exception:
    """Return the rows, or the error that reading raised. Cached for discovery and grading of an unchanged file."""
    try:
        return read_rows(content_of(path), path, CALLED)
    except Exception as error:  # reported by who grades it
        return error


@dataclass(slots=True)
class ClassRows:
    """The tables of a class during grading; the last table is cached."""

    key: Key
    path: str = ""
    students: list[StudentRows] = field(default_factory=list)
    refused: Diagnostic | None = None  # why the table is none of answers
    nameless: bool = False  # whether the table names none of the key's students
    hidden: dict[str, Hidden] = field(default_factory=dict)
    # The shapes of steps by all names, and the columns, by the paper's code
    asked: dict[str, tuple[dict[str, tuple[int, int]], list[str]]] = field(default_factory=dict)

    def script(self, path: str, number: int, row: GradedScript) -> tuple[Script, KeyVariant]:
        """Return a student's answers and paper. Raises AttncalcError if the paper is unknown or no column belongs to
        this key.
        """
        if self.path != path:
            self.path, self.students = path, rows_of(path)
            self.refused = self._refused(self.students[min(number, len(self.students) - 1)]) if self.students else None
            self.nameless = self._is_nameless()
        if number >= len(self.students) or self.students[number].about("student") not in ("", row.student):
            raise AttncalcError(CHANGED, Location(path))
        lines = self.students[number]
        row.file = f"{path}:{lines.place.line}"
        named = lines.about("problem")
        row.student, row.name = lines.about("student"), lines.about("name")
        if (owner := self._owner(named)) and (self.nameless or not row.student):
            row.table_warnings += [str(Diagnostic(NAMELESS, lines.head))] if row.student else []
            row.student = owner
        if self.refused:
            raise AttncalcError(self.refused)
        lines, row.absence = without_absence(lines)
        if not row.student:
            raise AttncalcError(f"{lines.place}: expected a student in every line, found none")
        restore_zeros(row, self.key)
        variant = self.key.variant(named or None, row.student, lines.place)
        row.variant = variant.code
        self._check_columns(lines, variant, _question_names(variant), row)
        return replace(self.script_of(lines, variant), student=row.student), variant

    def script_of(self, lines: StudentRows, variant: KeyVariant) -> Script:
        """Return the answers of a row to a paper."""
        names, _ = self._paper_columns(variant)
        return lines.script(
            lambda head: _step(head) in names and not _beyond(head, names[_step(head)]), _question_names(variant)
        )

    def without_prefill(self, bound: Bound, variant: KeyVariant) -> Bound:
        """Return the answers without prefilled entries, in rows that contain nothing else."""
        if not may_hold_prefill(bound):
            return bound
        if variant.code not in self.hidden:
            self.hidden[variant.code] = hidden_entries(self.key.problem(variant))
        return without_prefill(bound, self.hidden[variant.code])

    def _paper_columns(self, variant: KeyVariant) -> tuple[dict[str, tuple[int, int]], list[str]]:
        if variant.code not in self.asked:
            problem = self.key.problem(variant)
            names = {name: step.shape for step in problem.plan.steps() for name in (step.key, step.name)}
            self.asked[variant.code] = names, places(problem)
        return self.asked[variant.code]

    def _owner(self, code: str) -> str:
        """Return the student to whom the key assigns a code; empty if there is none."""
        return next(
            (v.student for v in self.key.variants if v.student and code and v.code.casefold() == code.casefold()), ""
        )

    def _is_nameless(self) -> bool:
        """True if no student of the table is in the key, as when the column of student numbers is missing."""
        known = {v.student.casefold().lstrip("0") for v in self.key.variants if v.student}
        named = [lines.about("student").casefold().lstrip("0") for lines in self.students]
        return len(named) > 1 and not known & {*named}  # one alone may be somebody with another's paper

    def _refused(self, lines: StudentRows) -> Diagnostic | None:
        """Return the fault of a table of marks or a list of students; None for a table of answers."""
        heads = [cell.text.strip() for cell in lines.heads() or ()]
        if {"status", "marks", "out_of"} <= {*heads}:
            return Diagnostic("expected answers, found a table of marks from attncalc grade", lines.head)
        if heads and not {"student", "problem"} & {*map(str.lower, heads)}:
            return Diagnostic(
                f"expected a column student, or a column problem with the code of each paper, found {_listed(heads)}",
                lines.head,
            )
        if lines.has_entries or "problem" in map(str.lower, heads):
            return None
        if any(_step(head) in self._paper_columns(variant)[0] for variant in self.key.variants for head in heads):
            return None
        command = f"attncalc answers KEY --students {os.path.basename(self.path)} -o class.xlsx"
        message = (
            f"expected columns of answers, found {_listed(heads)}; to turn a list of students into a table to "
            f"fill in, run {command}"
        )
        return Diagnostic(message, lines.head)

    def _check_columns(
        self, lines: StudentRows, variant: KeyVariant, questions: frozenset[str], row: GradedScript
    ) -> None:
        """Note columns that are missing, and columns that the paper does not ask for."""
        names, columns = self._paper_columns(variant)
        for tab in lines.without:
            row.remarks.append(f"{shorten(tab)}: this tab of the workbook has no row for this student")
            row.needs_review = True
        heads = lines.heads()
        there = {head for cell in heads or [] if _step(head := cell.text.strip()) in names or head.lower() in questions}
        if heads is not None and not there:
            first = next(iter([*columns, *sorted(questions)]), "S[0,0]")
            names_here = [cell.text.strip() for cell in heads] or ["none"]
            raise AttncalcError(
                f"expected columns such as {first}, found {_listed(names_here)}: is this the table of a "
                f"different exam?",
                lines.head,
            )
        if foreign := lines.foreign(lambda head: _step(head) in names):
            listed = _listed([cell.text.strip() for cell in foreign])
            message = f"this paper does not ask for {listed}, which is ignored; is this the table of a different exam?"
            row.table_warnings.append(str(Diagnostic(message, foreign[0].place)))
            row.needs_review = True
        for cell in lines.foreign(lambda head: not _beyond(head, names.get(_step(head)))):
            head = cell.text.strip()
            message = f"{shorten(_step(head))} has {size(names[_step(head)])} entries, found {shorten(head)}"
            row.table_warnings.append(str(Diagnostic(message, cell.place)))
            row.needs_review = True
        missing = [*_missing_columns(columns, there), *sorted(questions - {head.lower() for head in there})]
        if heads is not None and missing and not lines.without:
            row.table_warnings += [str(fault) for fault in _missing_column_warnings(lines, missing)]


def without_absence(lines: StudentRows) -> tuple[StudentRows, str]:
    """Return the rows of a student without cells that say `absent` or `excused`, and what they say."""
    typed: set[str] = set()

    def change(name: str, cell: Written) -> Written:
        word = ABSENCES.get(cell.text.strip().casefold(), "")
        if not word or name in (*CALLED, "problem"):
            return cell
        typed.add(word)
        return cell.part(0, 0)

    pieces = [
        replace(piece, body=[[*map(change, piece.names(), row), *row[len(piece.header) :]] for row in piece.body])
        for piece in lines.pieces
    ]
    return (replace(lines, pieces=pieces), max(typed)) if typed else (lines, "")  # excused, if both are typed


def restore_zeros(row: GradedScript, key: Key) -> None:
    """Restore leading zeros of a student number, which spreadsheets drop: 417 is the student 00417 of the key."""
    meant = key.numbers.resolve(row.student)
    if meant not in ("", row.student):
        row.remarks.append(f"the number {row.student} was read as {meant}: spreadsheets drop leading zeros")
        row.student = meant


def _question_names(variant: KeyVariant) -> frozenset[str]:
    return frozenset(question.name for question in variant.questions)


def _step(head: str) -> str:
    return head.partition("[")[0].strip()


def _beyond(head: str, shape: tuple[int, int] | None) -> bool:
    """Return whether a column is called as an entry that its step does not have."""
    index = _index(head)
    pairs = zip(index, shape, strict=True) if shape and len(index) == 2 else ()
    return any(at.strip().isdecimal() and int(at) >= side for at, side in pairs)


def _missing_columns(columns: list[str], heads: set[str]) -> list[str]:
    """Return the required entries without a column, unless a column holds several entries of their step."""
    present = {_step(head) for head in heads}
    bare = {"".join(head.split()) for head in heads}
    slices = {
        _step(head)
        for head in heads
        if not head.endswith("]") or not all(part.strip().isdigit() for part in _index(head))
    }

    def is_there(key: str) -> bool:
        step = _step(key)
        called = (step, step.rpartition(".")[2], step.partition(".")[2])
        return any(name in slices or f"{name}{key[len(step) :]}" in bare for name in called if name in present)

    return [key for key in columns if not is_there(key)]


def _missing_column_warnings(lines: StudentRows, missing: list[str]) -> Iterator[Diagnostic]:
    """Yield one warning for each tab with missing columns, located at its header."""
    places: dict[Location, list[str]] = {}
    for name in missing:
        places.setdefault(lines.head_of(_step(name)), []).append(name)
    for place, names in places.items():
        message = f"the table has no column for {_listed(names)}, which the paper asks for (counted as not answered)"
        if not place.line and lines.aside:
            message += f"; ignored because there is no header row: {_listed(lines.aside)}"
        yield Diagnostic(message, place)


def _index(head: str) -> list[str]:
    index = head.partition("[")[2].removesuffix("]").split(",")
    return index if len(index) == 2 else ["whole"]


def _listed(names: list[str]) -> str:
    more = f" and {counted(len(names) - MOST_NAMED, 'more column')}" if len(names) > MOST_NAMED else ""
    return ", ".join(shorten(name) for name in names[:MOST_NAMED]) + more
