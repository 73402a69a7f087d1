"""The marks of a class as CSV, in the format of attncalc or of a course system; cells are safe to open in a
spreadsheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..csv_writer import as_csv
from ..errors import counted, listed, shorten
from ..explain.point_format import points
from .feedback import feedback_line
from .graded_script import GradedScript


def marks_table(rows: list[GradedScript], steps: list[str]) -> str:
    """Return a CSV with a row for each student and a column for each step; with names if the class table has them."""
    named = ["name"] if any(row.name for row in rows) else []
    grade = ["grade"] if any(row.grade for row in rows) else []
    head = ["student", *named, "file", "variant", "status", "marks", "out_of", *grade, *steps, "first_wrong", "codes",
        "remarks"]  # fmt: skip
    return as_csv([head, *(_marks_row(row, steps, bool(named), bool(grade)) for row in rows)])


def _marks_row(row: GradedScript, steps: list[str], named: bool, graded: bool) -> list[str]:
    earned = [points(row.marks[step]) if step in row.marks else "" for step in steps]
    totals = ["", ""] if not row.out_of else [points(row.earned), points(row.most)]
    totals += [row.grade] if graded else []
    codes = "; ".join(f"{step}: {' | '.join(codes)}" for step, codes in row.codes)
    who = [row.student, row.name] if named else [row.student]
    return [*who, row.file, row.variant, row.status, *totals, *earned, row.first_wrong, codes, remarks(row)]


def remarks(row: GradedScript) -> str:
    """Return the remarks on a script as one cell."""
    return "; ".join([f"not graded: {row.error}"] * bool(row.error) + row.remarks)


# Course systems take an empty mark for one that is to be cleared, and Moodle stops at the first student it does not
# know: scripts that could not be read, or whose points by hand are still missing, are not in these tables.
# docs/courses.md says what each system does with them.


def moodle(rows: list[GradedScript], title: str) -> str:
    """Return a CSV for Grades > Import > CSV file: map `ID number` (or `Email address`), the mark and its feedback."""
    head = ["ID number", "Email address", title, f"{title} (feedback)"]
    return as_csv([head, *([*_student_columns(row), points(row.earned), feedback_line(row)] for row in _graded(rows))])


def canvas(rows: list[GradedScript], title: str) -> str:
    """Return a CSV for Grades > Import. Canvas finds students by `SIS User ID` or `SIS Login ID`; `Points Possible` is
    in the second line.
    """
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    first = ["Points Possible", "", "", "", "", points(_most(rows))]
    return as_csv(
        [head, first, *([row.student, "", *_student_columns(row), "", points(row.earned)] for row in _graded(rows))]
    )


def gradescope(rows: list[GradedScript], title: str) -> str:
    """Return a CSV with the columns of a gradebook downloaded from Gradescope, which itself imports no marks."""
    head = [
        "SID",
        "Email",
        title,
        *(f"{title} - {what}" for what in ("Max Points", "Submission Time", "Lateness (H:M:S)")),
    ]
    most = points(_most(rows))
    return as_csv([head, *([*_student_columns(row), points(row.earned), most, "", ""] for row in _graded(rows))])


def _graded(rows: list[GradedScript]) -> list[GradedScript]:
    return [row for row in rows if row.out_of and not row.unmarked]


def export_warnings(rows: list[GradedScript], system: str) -> list[str]:
    """Return a warning for each student without complete marks, and a warning if Moodle needs two files."""
    left_out = [
        f"{row.file}: {shorten(row.student)} is left out of the table for {system}: {_unmarked_questions(row)}"
        for row in rows
        if row.unmarked
    ]
    return [*left_out, *(_moodle_warning(_graded(rows)) if system == "moodle" else ())]


def _moodle_warning(rows: list[GradedScript]) -> Iterator[str]:
    """Warn if students are known by number and by mail address, since Moodle matches one column of a file."""
    by_mail = [row.student for row in rows if _is_mail(row.student)]
    if by_mail and len(by_mail) < len(rows):
        numbers, mails = counted(len(rows) - len(by_mail), "student"), counted(len(by_mail), "student")
        first = shorten(by_mail[0]) + (" ..." if len(by_mail) > 1 else "")
        yield (
            f"the table for moodle has {numbers} by number and {mails} by mail address ({first}): Moodle finds all of "
            "a file by one column and stops at the first whom it does not know; make two files of it, one mapped by ID "
            "number, one by Email address"
        )


def _unmarked_questions(row: GradedScript) -> str:
    return f"{listed(row.unmarked)} {'is' if len(row.unmarked) == 1 else 'are'} not yet marked"


def _most(rows: list[GradedScript]) -> Fraction:
    return max((row.most for row in rows), default=Fraction(0))


def _student_columns(row: GradedScript) -> list[str]:
    """Return the student as [number, ""] or ["", mail address]."""
    return ["", row.student] if _is_mail(row.student) else [row.student, ""]


def _is_mail(student: str) -> bool:
    return "@" in student[1:]


SYSTEMS = {"moodle": moodle, "canvas": canvas, "gradescope": gradescope}
