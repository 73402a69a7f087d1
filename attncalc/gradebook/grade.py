"""`attncalc.grade`: mark a class, from the files that students handed in to the table, the figures and the pages.

A checkpoint keeps each graded script in a file, so that `attncalc grade --resume FILE` goes on where a run stopped. It
has a line of JSON for each script, under a digest of all that its marks depend on: the script, the key, the overrides,
the scale, the form of the pages and the version of attncalc. A line with another digest, or one that was cut off, is
not used.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from ..errors import AttncalcError, Diagnostic, counted, listed, shorten
from ..exam.sheet.grading_scale import Scale, read_scale, unreachable_grade
from ..explain.document import Document
from ..explain.point_format import points
from ..safe_files import as_csv
from ..worker_processes import worker_pool
from .answer_key import NO_CODE, NO_VARIANT, OTHER_PROBLEM, Key, exam_files, read_key
from .feedback import FORMS, feedback_line, write_page
from .graded_script import ABSENT, EXCUSED, GradedScript
from .item_analysis import ClassFigures, figures, steps_of
from .overrides import Override, overrides_of_dropped_steps, read_overrides, unused_overrides
from .script_discovery import Task, collect
from .script_grader import Grader, dropped_steps, worth_of_variant
from .student_numbers import StudentNumbers
from .wrong_key_check import wrong_key_warning

if TYPE_CHECKING:
    from .remediation import Drill
import csv
import json
from base64 import b64decode, b64encode
from dataclasses import fields
from functools import cache
from hashlib import file_digest, sha256
from typing import Any, BinaryIO, get_args, get_origin, get_type_hints

from ..errors import Location
from ..output_journal import lock
from ..version import __version__
from .graded_script import NamedMistakes

HEADER = {"kind": "attncalc grading", "format": 1}
_NUMBER = re.compile(r"-?[0-9]{1,40}(/[0-9]{1,40})?")
BYTES = "base64"


class Checkpoint:
    """The checkpoint of a class. `seal` is a digest of all but the scripts. Raises AttncalcError for another file."""

    def __init__(self, path: str, key: Key, *others: object):
        self.path = path
        self.seal = sha256(repr((__version__, key.title, key.variants, others)).encode()).hexdigest()
        self._files: dict[str, bytes | None] = {}
        self._places: dict[str, int] = {}
        try:
            self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115 - open until all scripts are graded
            self._read()
        except OSError as error:
            raise AttncalcError(f"the file cannot be written: {error.strerror}", Location(path)) from None

    def rows(self, tasks: list[Task], grade: Callable[[list[Task]], Iterator[GradedScript]]) -> Iterator[GradedScript]:
        """Yield a row for each task, in order: from the checkpoint, else from `grade`, and then it is stored."""
        digests = [self._digest(task) for task in tasks]
        new = grade([task for task, digest in zip(tasks, digests, strict=True) if digest not in self._places])
        with self._file:
            for digest in digests:
                if digest in self._places:
                    self._file.seek(self._places[digest])
                    stored = _row(json.loads(self._file.readline())["row"])
                    assert stored is not None
                    yield stored
                else:
                    row = next(new)
                    if digest:
                        values = {row_field.name: getattr(row, row_field.name) for row_field in fields(row)}
                        self._put({"of": digest, "row": _as_json_value(values)})
                    yield row

    def _read(self) -> None:
        """Index the lines of the file; write the header into an empty file."""
        if not lock(self._file.fileno()):
            raise AttncalcError("another run is already saving its progress in this file", Location(self.path))
        self._file.seek(0)
        header = self._file.readline()
        if not header:
            self._put(HEADER)
        elif _parse_line(header) != HEADER:
            message = (
                "expected a file that `attncalc grade --resume` wrote, found a different file; choose the name "
                "of a new file"
            )
            raise AttncalcError(message, Location(self.path))
        place = self._file.tell()
        for line in iter(self._file.readline, b""):
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            record = _parse_line(line)
            if isinstance(record, dict) and isinstance(record.get("of"), str) and _row(record.get("row")) is not None:
                self._places[record["of"]] = place
            place += len(line)

    def _put(self, data: object) -> None:
        try:
            self._file.write(json.dumps(data).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            message = f"the file cannot be written: {error.strerror}"
            raise AttncalcError(message, Location(self.path)) from None

    def _digest(self, task: Task) -> str:
        """Return the digest under which a script's row is stored; empty for an unreadable file, never stored."""
        if task.path not in self._files:
            self._files = {task.path: _digest_of(task.path)}  # the lines of a table come together
        content = self._files[task.path]
        text = repr((self.seal, task.path, task.row, task.name, content))
        return sha256(text.encode()).hexdigest() if content else ""


def _digest_of(path: str) -> bytes | None:
    if not os.path.isfile(path):
        return None  # a pipe would be waited for
    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").digest()
    except OSError:
        return None


def _parse_line(line: bytes) -> object:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data


def _as_json_value(value: object) -> object:
    match value:
        case Fraction():
            return str(value)
        case NamedMistakes():
            return [list(value.codes), value.together]
        case bytes():
            return {BYTES: b64encode(value).decode()}
        case dict():
            return {name: _as_json_value(element) for name, element in value.items()}
        case list() | tuple():
            return list(map(_as_json_value, value))
    return value


@cache
def _kinds() -> dict[str, object]:
    return get_type_hints(GradedScript)


def _row(data: Any) -> GradedScript | None:
    """Return the row in a line of JSON; None if it is invalid."""
    try:
        return GradedScript(**{name: _value(_kinds()[name], value) for name, value in data.items()})
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _value(kind: object, value: object) -> Any:
    """Convert a JSON value to a type. Raises ValueError or TypeError if it does not fit."""
    inner = get_args(kind)
    match get_origin(kind) or kind:
        case origin if origin is dict and isinstance(value, dict):
            return {name: _value(inner[1], element) for name, element in value.items()}
        case origin if origin is list and isinstance(value, list):
            return [_value(inner[0], element) for element in value]
        case origin if origin is tuple and isinstance(value, list):
            kinds = [inner[0]] * len(value) if inner[-1] is ... else inner
            return tuple(_value(element_kind, element) for element_kind, element in zip(kinds, value, strict=True))
        case origin if origin is NamedMistakes and isinstance(value, list):
            codes, together = value
            return NamedMistakes(_value(tuple[str, ...], codes), _value(bool, together))
        case origin if origin is Fraction and isinstance(value, str) and _NUMBER.fullmatch(value):
            return Fraction(value)
        case origin if origin in (str, bool) and isinstance(value, origin):
            return value
    if bytes in inner:  # a page, which may also be text, or none
        return b64decode(value[BYTES]) if isinstance(value, dict) else _value(str, value) if value is not None else None
    raise ValueError(kind)


MOST_NAMED = 3  # of the other files
SEVERAL = "this student has several scripts"
CHUNK = 8  # scripts that a process takes at a time
WORTH_A_PROCESS = 60  # scripts below which another process costs more than it brings


def mark_duplicates(rows: list[GradedScript], key: Key) -> list[str]:
    """Add a remark to each duplicate script. Return a message for each student, or code, with several scripts."""
    messages = []
    rows = _present(rows)
    for _, group in _duplicate_groups((row.student.casefold(), row) for row in rows):
        messages.append(f"{shorten(group[0].student)} has several scripts: {_files(group)}")
        _remark(group, SEVERAL)
    owned = {v.code for v in key.variants if v.student}
    for code, group in _duplicate_groups((row.variant, row) for row in rows):
        # Else papers of one variant went to several students
        is_unique = code in owned or len(rows) <= len(key.variants)
        if is_unique and len({row.student.casefold() for row in group}) > 1:
            messages.append(
                f"the paper {shorten(code)} is answered in {counted(len(group), 'script')}: {_files(group)}"
            )
            _remark(group, f"several scripts answer the paper {code}")
    return messages


def _present(rows: list[GradedScript]) -> list[GradedScript]:
    """Return the rows of students who were there. An empty row counts for nothing beside another of its student."""
    present = [row for row in rows if not row.absence]
    seen = {row.student.casefold() for row in present}
    for row in rows:
        if row.absence and row.student.casefold() in seen:
            row.marks, row.out_of = {}, {}
            row.remarks.append("a different row of this student is used")
        seen.add(row.student.casefold() if row.absence else "")
    return present


def _duplicate_groups(pairs: Iterable[tuple[str, GradedScript]]) -> list[tuple[str, list[GradedScript]]]:
    groups: dict[str, list[GradedScript]] = {}
    for name, row in pairs:
        groups.setdefault(name, []).append(row)
    return sorted((name, rows) for name, rows in groups.items() if name and len(rows) > 1)


def _remark(rows: list[GradedScript], remark: str) -> None:
    for row in rows:
        row.needs_review = True
        row.remarks.append(f"{remark}: also {_files(other for other in rows if other is not row)}")


def _files(rows: Iterable[GradedScript]) -> str:
    names = [row.file for row in rows]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


LONGEST = 80
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def feedback_file_names(students: Sequence[str], form: str = "markdown") -> list[str]:
    """Return a different file name for each page. A student whose number can be a file name gets it: `s-0417.md`. The
    second page of this student gets `s-0417-2.md`, or a higher number if another student is called `s-0417-2`.
    """
    stems = list(map(file_stem, students))
    names = [""] * len(stems)
    taken: set[str] = set()
    for is_first_choice in (True, False):
        for k, (student, stem) in enumerate(zip(students, stems, strict=True)):
            if not names[k] and (student == stem or not is_first_choice) and stem.casefold() not in taken:
                names[k] = stem
                taken.add(stem.casefold())
    numbers: Counter[str] = Counter()
    for k, stem in enumerate(stems):
        while not names[k]:
            numbers[stem.casefold()] += 1
            name = f"{stem}-{numbers[stem.casefold()] + 1}"
            if name.casefold() not in taken:
                names[k] = name
                taken.add(name.casefold())
    return [name + FORMS.get(form, ".md") for name in names]


def pages(rows: Iterable[GradedScript], form: str = "markdown") -> dict[str, str | bytes]:
    """Return the students' pages by file name."""
    rows = list(rows)
    contents = (row.feedback if isinstance(row.feedback, str | bytes) else f"{feedback_line(row)}\n" for row in rows)
    return dict(zip(feedback_file_names([row.student for row in rows], form), contents, strict=True))


def file_stem(student: str) -> str:
    """Return a student's name as a file stem: characters other than letters, digits, dot, hyphen become underscores."""
    stem = re.sub(r"[^\w.\-]", "_", student).strip(".-")[:LONGEST].rstrip(".")
    return f"_{stem}" if _RESERVED.fullmatch(stem) else stem or "_"


OTHER_KEY_ERRORS = (NO_VARIANT, NO_CODE, OTHER_PROBLEM)  # how a script of another key is told
Watch = Callable[[Iterator[GradedScript], int], Iterable[GradedScript]]  # shows how far the rows have come, of so many


@dataclass(slots=True)
class Grades:
    """A marked class: a row for each script, in the order of the files, and the steps that count.

    `doubled` tells of students with several scripts, `unused` of overrides for students without one, `absent` of
    students of the key for whom the table of the class has no row.
    """

    title: str
    rows: list[GradedScript]
    steps: list[str]
    doubled: list[str]
    unused: list[str]
    absent: list[str]
    form: str = "markdown"  # of the students' pages
    scale: Scale = ()
    key: Key | None = None
    tasks: list[Task] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)  # overrides of steps that were dropped

    @property
    def failed(self) -> list[str]:
        """One line for each script that could not be graded, with its file."""
        return [
            row.error if row.error.startswith(row.file.rstrip("0123456789").rstrip(":")) else f"{row.file}: {row.error}"
            for row in self.rows
            if row.error
        ]

    @property
    def count(self) -> int:
        """The number of scripts, without those of absent students."""
        return sum(not row.absence for row in self.rows)

    @property
    def to_look_at(self) -> int:
        """Number of scripts that a person should review."""
        return sum(row.status == "look" for row in self.rows)

    @property
    def tables(self) -> list[str]:
        """Faults of the class tables: missing columns, and columns of another exam."""
        return _counted_lines((line for row in self.rows for line in row.table_warnings), 1)

    @property
    def messages(self) -> list[str]:
        """Messages for the instructor: failed and duplicate scripts, unreadable entries, unused overrides."""
        unread = [line for row in self.rows for line in row.unread]
        another = self._other_exam_warning()
        # Of a table of something else nobody is absent
        absent = [*_absence_lines(self.rows), *self.absent] if len(self.failed) < len(self.rows) else []
        return [
            *(another or _counted_lines(self.failed)),
            *filter(None, [self.other_papers]),
            *self.doubled,
            *unread,
            *self.unused,
            *self.idle,
            *self.tables,
            *absent,
        ]

    @property
    def other_papers(self) -> str:
        """Warning if the class seems to have answered a different exam; else the empty string."""
        return "" if self.key is None else wrong_key_warning(self.rows, self.key)

    def _other_exam_warning(self) -> list[str]:
        """Return a warning if no script's code is in the key, which then is probably the key of another exam."""
        whys = [next((marker for marker in OTHER_KEY_ERRORS if marker in row.error), "") for row in self.rows]
        if len(whys) < 2 or not all(whys) or self.key is None:
            return []
        first = self.rows[0]
        why = first.error[first.error.index(whys[0]) :]
        return [
            f"{self.key.source}: none of the scripts names a paper of this key; is it the key of a different exam? "
            f"{shorten(first.student) or 'The first script'}: {shorten(why, 100)}"
        ]

    def csv(self, system: str | None = None, look: bool = False) -> str:
        """Return the table of marks as CSV, or in the format that a course system imports: moodle, canvas, gradescope.
        That one omits scripts that a person should look at, unless `look` is set.
        """
        if not system:
            return marks_table(self.rows, self.steps)
        return SYSTEMS[system](_exported(self.rows, look, _with_several(self.rows)), self.title)

    def messages_for(self, system: str | None, look: bool = False) -> list[str]:
        """Return messages on the table for a course system: which students it omits, and how to import it."""
        return export_warnings(self.rows, system, look) if system else []

    def figures(self) -> ClassFigures:
        return figures(self.rows, self.steps, self.title, [threshold.grade for threshold in self.scale])

    def drills(self) -> list[Drill]:
        """Return an anonymous script and an exercise command for each frequent mistake."""
        from .remediation import drills

        return [] if self.key is None else drills(self.key, self.rows, self.tasks)

    def pages(self) -> dict[str, str | bytes]:
        return pages(self.rows, self.form)

    def page_for_all(self, form: str) -> str | bytes:
        """Return the pages of all students as one document: markdown, html or pdf."""
        documents = [row.feedback for row in self.rows if isinstance(row.feedback, Document)]
        return write_page(Document([block for document in documents for block in document.blocks]), form)


def grade(
    key: str | os.PathLike[str],
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    overrides: str | os.PathLike[str] | None = None,
    scale: str | os.PathLike[str] | None = None,
    feedback: bool | str = False,
    jobs: int | None = None,
    into: Callable[[str, str | bytes], None] | None = None,
    resume: str | os.PathLike[str] | None = None,
    apart: Iterable[str] = (),
    absent_zero: bool = False,
    watch: Watch = lambda rows, count: rows,
) -> Grades:
    """Mark a class. `key` is an exam's key.json, a problem file or the name of a problem; `files` are answer files,
    folders, patterns, or a CSV with a row for each student, or a single one of them.

    `scale` is a YAML file with a grading scale. `feedback` makes the students' pages as well (True: in Markdown; or
    html, pdf, together); `into` takes each page with its file name, in place of keeping all. The file `resume` stores
    graded scripts for the next run. `jobs` is the number of processes, by default as many as are worth it; files
    `apart` are no scripts. A student whose row in a class table is empty is absent, and is marked only if `absent_zero`
    is set, with 0 points. Raises AttncalcError if the key, the overrides or a path cannot be read; an unreadable
    script is a row with its error.
    """
    answers = read_key(os.fspath(key))  # before the scripts: what is no key is told as that
    named = [os.fspath(path) for path in (key, overrides, scale, resume, *apart) if path and path != "-"]
    tasks = scripts(os.fspath(key), [files] if isinstance(files, str | os.PathLike) else files, named)
    return grade_tasks(
        answers,
        tasks,
        overrides=overrides,
        scale=scale,
        feedback=feedback,
        jobs=jobs,
        into=into,
        resume=resume,
        absent_zero=absent_zero,
        watch=watch,
    )


def scripts(key: str, files: Sequence[str | os.PathLike[str]], apart: Sequence[str]) -> list[Task]:
    """Return the scripts in these files, without the key's papers and the files `apart`."""
    return collect([os.fspath(file) for file in files], [*apart, *exam_files(key)])


KILLED = (
    "the process that graded this script ended unexpectedly, perhaps because memory ran out; grade this script "
    "separately"
)


def _killed(task: Task) -> GradedScript:
    return GradedScript(task.name, task.path, error=KILLED)


def grade_tasks(
    answers: Key,
    tasks: list[Task],
    *,
    overrides: str | os.PathLike[str] | list[Override] | None = None,
    scale: str | os.PathLike[str] | Scale | None = None,
    feedback: bool | str = False,
    jobs: int | None = None,
    into: Callable[[str, str | bytes], None] | None = None,
    resume: str | os.PathLike[str] | list[GradedScript | None] | None = None,
    absent_zero: bool = False,
    unconfirmed: Mapping[str, int] | None = None,
    watch: Watch = lambda rows, count: rows,
) -> Grades:
    """Grade the scripts of a class against a key that has been read. `unconfirmed` has the number of scanned entries of
    each paper that nobody has confirmed; a person should look at these papers. `resume` may also be a list with a row
    for each script that need not be graded, and None for the others. Other parameters as for `grade`.
    """
    by_hand = overrides or []
    if not isinstance(by_hand, list):
        by_hand = overrides_of(os.fspath(by_hand), answers, tasks)
    processes = jobs or min(os.cpu_count() or 1, len(tasks) // WORTH_A_PROCESS)
    form = feedback if isinstance(feedback, str) else "markdown" if feedback else ""
    given = scale if isinstance(scale, tuple) else scale_of(os.fspath(scale), answers) if scale else ()

    def grading(some: list[Task]) -> Iterator[GradedScript]:
        how = (by_hand, form, given, absent_zero, unconfirmed, len(tasks) > len(answers.variants))
        unread = Key(answers.source, answers.title, answers.variants)  # small to send: without problems
        fresh, here = partial(Grader, unread, *how), Grader(answers, *how)
        with worker_pool(min(processes, -(-len(some) // CHUNK)), fresh, CHUNK, here, _killed) as ordered_map:
            yield from ordered_map(Grader.grade, some)

    results = (
        grading(tasks)
        if resume is None
        else with_known_rows(tasks, resume, grading)
        if isinstance(resume, list)
        else Checkpoint(os.fspath(resume), answers, by_hand, given, form, absent_zero).rows(tasks, grading)
    )
    idle = overrides_of_dropped_steps(by_hand)
    rows = list(watch(results if into is None else _hand_over_pages(results, form, into), len(tasks)))
    doubled = mark_duplicates(rows, answers)
    steps = steps_of(rows, worth_of_variant(answers, answers.variants[0]))
    there = {row.student for row in rows}
    absent = _absent(answers, there) if any(task.row is not None for task in tasks) else []
    lost = unused_overrides(by_hand, there)
    return Grades(answers.title, rows, steps, doubled, lost, absent, form or "markdown", given, answers, tasks, idle)


def with_known_rows(
    tasks: list[Task], known: list[GradedScript | None], grade: Callable[[list[Task]], Iterator[GradedScript]]
) -> Iterator[GradedScript]:
    """Yield a row for each task, in order: the known row, else the row from `grade`."""
    new = grade([task for task, row in zip(tasks, known, strict=True) if row is None])
    return (next(new) if row is None else row for row in known)


def _counted_lines(lines: Iterable[str], least: int = 2) -> list[str]:
    """Return the distinct lines, each with its number of students if that is at least `least`."""
    counts = Counter(lines).items()
    return [f"{line} ({counted(count, 'student')})" if count >= least else line for line, count in counts]


def _hand_over_pages(
    rows: Iterator[GradedScript], form: str, into: Callable[[str, str | bytes], None]
) -> Iterator[GradedScript]:
    """Yield the rows; pass each page to `into` instead of keeping it."""
    students: list[str] = []
    waiting: dict[int, str | bytes] = {}  # pages whose names depend on the other students
    sure: set[str] = set()
    for row in rows:
        if isinstance(row.feedback, str | bytes):
            stem = file_stem(row.student)
            if row.student == stem and stem.casefold() not in sure:
                sure.add(stem.casefold())
                into(stem + FORMS.get(form, ".md"), row.feedback)
            else:
                waiting[len(students)] = row.feedback
            students.append(row.student)
            row.feedback = None
        yield row
    names = feedback_file_names(students, form)
    for k, page in waiting.items():
        into(names[k], page)


def _absence_lines(rows: Iterable[GradedScript]) -> Iterator[str]:
    """Yield a line that lists the absent students, and one for the excused."""
    for absence in (ABSENT, EXCUSED):
        students = [row.student for row in rows if row.absence == absence]
        if students:
            is_marked = f", and {'has' if len(students) == 1 else 'have'} 0 points"
            marked = is_marked * any(row.out_of for row in rows if row.absence == absence)
            are = "is" if len(students) == 1 else "are"
            yield f"{counted(len(students), 'student')} {are} {absence}{marked}: {shorten(', '.join(students), 200)}"


def _absent(answers: Key, there: set[str]) -> list[str]:
    """Return a line that lists the students of the key who have no row in the class tables."""
    missing = [variant.student for variant in answers.variants if variant.student and variant.student not in there]
    listed = shorten(", ".join(missing), 200)
    return [f"the table has no row for {counted(len(missing), 'student')} of the key: {listed}"] if missing else []


def scale_of(path: str, answers: Key) -> Scale:
    """Read a grading scale. Raises AttncalcError also if nobody can reach its best grade."""
    scale = read_scale(path)
    if fault := unreachable(scale, answers):
        raise AttncalcError(fault)
    return scale


def unreachable(scale: Scale, answers: Key) -> Diagnostic | None:
    """Return the fault of a scale whose best grade needs more points than any paper has; else None."""
    worths = (worth_of_variant(answers, variant).values() for variant in answers.variants)
    return unreachable_grade(scale, (sum(worth, Fraction(0)) for worth in worths))


def overrides_of(path: str, answers: Key, tasks: Iterable[Task]) -> list[Override]:
    """Read manual marks for steps of all variants, with the most points of each step; 0 if it was dropped. Students are
    matched as in class tables, also without leading zeros.
    """
    handed_in = StudentNumbers(task.name for task in tasks if task.row is not None)
    worth: dict[str, Fraction] = {}
    for variant in answers.variants:
        dropped = dict.fromkeys(dropped_steps(answers, variant), Fraction(0))
        for step, most in (dropped | worth_of_variant(answers, variant)).items():
            worth[step] = max(most, worth.get(step, most))
    problems = map(answers.problem, answers.variants)
    others = dict.fromkeys(step.key for problem in problems for step in problem.plan.steps() if step.key not in worth)
    return read_overrides(
        path, worth, lambda student: answers.numbers.resolve(student) or handed_in.resolve(student) or student, others
    )


MARKS_COLUMNS, LAST_COLUMNS = ("file", "variant", "status", "marks", "out_of"), ("first_wrong", "codes", "remarks")
MOODLE_COLUMNS = "ID number", "Email address"
CANVAS_COLUMNS = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"
CANVAS_MOST = "Points Possible"
GRADESCOPE_COLUMNS = "SID", "Email"
GRADESCOPE_MORE = "Max Points", "Submission Time", "Lateness (H:M:S)"
LONGEST_HEADER = 100_000  # characters; a field of csv can have 131,072


def marks_table(rows: list[GradedScript], steps: list[str]) -> str:
    """Return a CSV with a row for each student and a column for each step; with names if the class table has them."""
    named = ["name"] if any(row.name for row in rows) else []
    grade = ["grade"] if any(row.grade for row in rows) else []
    head = ["student", *named, *MARKS_COLUMNS, *grade, *steps, *LAST_COLUMNS]
    return as_csv([head, *(_marks_row(row, steps, bool(named), bool(grade)) for row in rows)])


def is_own_table(path: str) -> bool:
    """Return whether a file begins as a table of marks, an export for a course system, or a checkpoint does.

    A class table can have the first columns of a course system, so the header must be complete.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            line, second = file.readline(LONGEST_HEADER), file.readline(LONGEST_HEADER)
    except (OSError, UnicodeDecodeError):
        return False
    head, below = (tuple(next(csv.reader([text]), [])) for text in (line, second))
    return (
        _parse_line(line.encode()) == HEADER
        or (head[:1] == ("student",) and {*MARKS_COLUMNS} <= {*head} and head[-3:] == LAST_COLUMNS)
        or (len(head) == 4 and head == _moodle_header(head[2]))
        or (len(head) == 6 and head == _canvas_header(head[5]) and below[:1] == (CANVAS_MOST,))
        or (len(head) == 6 and head == _gradescope_header(head[2]))
    )


def _moodle_header(title: str) -> tuple[str, ...]:
    return *MOODLE_COLUMNS, title, f"{title} (feedback)"


def _canvas_header(title: str) -> tuple[str, ...]:
    return *CANVAS_COLUMNS, title


def _gradescope_header(title: str) -> tuple[str, ...]:
    return *GRADESCOPE_COLUMNS, title, *(f"{title} - {what}" for what in GRADESCOPE_MORE)


def _marks_row(row: GradedScript, steps: list[str], named: bool, graded: bool) -> list[str]:
    earned = [points(row.marks[step]) if step in row.marks else "" for step in steps]
    totals = ["", ""] if not row.out_of else [points(row.earned), points(row.most)]
    totals += [row.grade] if graded else []
    codes = "; ".join(f"{step}: {(' + ' if named.together else ' | ').join(named.codes)}" for step, named in row.codes)
    who = [row.student, row.name] if named else [row.student]
    return [*who, row.file, row.variant, row.status, *totals, *earned, row.first_wrong, codes, remarks(row)]


def remarks(row: GradedScript) -> str:
    """Return the remarks on a script as one cell."""
    return "; ".join([f"not graded: {row.error}"] * bool(row.error) + row.remarks)


# Course systems take an empty mark for one that is to be cleared, and Moodle stops at the first student it does not
# know: scripts that could not be read, or whose points by hand are still missing, are not in these tables. Neither are
# scripts that a person should look at, unless they are asked for, and students who were not there.
# docs/courses.md says what each system does with them.


def moodle(rows: list[GradedScript], title: str) -> str:
    """Return a CSV for Grades > Import > CSV file: map `ID number` (or `Email address`), the mark and its feedback."""
    return as_csv(
        [
            _moodle_header(title),
            *([*_student_columns(row), points(row.earned), feedback_line(row)] for row in _graded(rows)),
        ]
    )


def canvas(rows: list[GradedScript], title: str) -> str:
    """Return a CSV for Grades > Import. Canvas finds students by `SIS User ID` or `SIS Login ID`; `Points Possible` is
    in the second line.
    """
    first = [CANVAS_MOST, "", "", "", "", points(_most(rows))]
    return as_csv(
        [
            _canvas_header(title),
            first,
            *([row.student, "", *_student_columns(row), "", points(row.earned)] for row in _graded(rows)),
        ]
    )


def gradescope(rows: list[GradedScript], title: str) -> str:
    """Return a CSV with the columns of a gradebook downloaded from Gradescope, which itself imports no marks."""
    most = points(_most(rows))
    return as_csv(
        [
            _gradescope_header(title),
            *([*_student_columns(row), points(row.earned), most, "", ""] for row in _graded(rows)),
        ]
    )


def _graded(rows: list[GradedScript]) -> list[GradedScript]:
    return [row for row in rows if row.out_of and not row.unmarked]


def _exported(rows: list[GradedScript], look: bool, several: set[str]) -> list[GradedScript]:
    """Return the rows for a course system, without the students who have several."""
    return [row for row in _graded(rows) if row.student.casefold() not in several and (look or row.status != "look")]


def _with_several(rows: list[GradedScript]) -> set[str]:
    """Return the students, in small letters, of whom several scripts are marked."""
    return {student for student, _ in _duplicate_groups((row.student.casefold(), row) for row in _graded(rows))}


def export_warnings(rows: list[GradedScript], system: str, look: bool) -> list[str]:
    """Return a warning for each student who is left out, and a warning if Moodle needs two files."""
    several = _with_several(rows)
    exported = _exported(rows, look, several)
    missing = {id(row) for row in rows if row.out_of and not row.error} - {id(row) for row in exported}
    left_out = [
        f"{row.file}: {shorten(row.student)} is left out of the table for {system}: {_why_left_out(row, several)}"
        for row in rows
        if id(row) in missing
    ]
    return [*left_out, *(_moodle_warning(exported) if system == "moodle" else ())]


def _moodle_warning(rows: list[GradedScript]) -> Iterator[str]:
    """Warn if students are known by number and by email address, since Moodle matches one column of a file."""
    by_mail = [row.student for row in rows if _is_mail(row.student)]
    if by_mail and len(by_mail) < len(rows):
        numbers, mails = counted(len(rows) - len(by_mail), "student"), counted(len(by_mail), "student")
        first = shorten(by_mail[0]) + (" ..." if len(by_mail) > 1 else "")
        yield (
            f"the table for moodle has {numbers} with a number and {mails} with an email address ({first}): Moodle "
            f"uses only one column to identify students, and stops at the first unknown student; make two files, one "
            f"mapped by ID number and one by Email address"
        )


def _why_left_out(row: GradedScript, several: set[str]) -> str:
    if row.student.casefold() in several:
        return f"{SEVERAL}; keep one of them"
    if not row.unmarked:
        return f"a person should check it first (--with-look exports it): {remarks(row)}"
    return f"{listed(row.unmarked)} {'is' if len(row.unmarked) == 1 else 'are'} not yet marked"


def _most(rows: list[GradedScript]) -> Fraction:
    return max((row.most for row in rows), default=Fraction(0))


def _student_columns(row: GradedScript) -> list[str]:
    """Return the student as [number, ""] or ["", email address]."""
    return ["", row.student] if _is_mail(row.student) else [row.student, ""]


def _is_mail(student: str) -> bool:
    return "@" in student[1:]


SYSTEMS = {"moodle": moodle, "canvas": canvas, "gradescope": gradescope}
