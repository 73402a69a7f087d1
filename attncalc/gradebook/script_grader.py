"""Grader of one script. Results are plain numbers and texts for other processes; every failure becomes a row."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from flint import arb, fmpq

from ..api import content_of, solve
from ..arithmetic.matrix_types import Entry, Rows, entries, is_infinite
from ..errors import AttncalcError, Diagnostic, Location, counted, listed, shorten
from ..exam.sheet.grading_scale import Scale, grade_of
from ..explain import report_messages as texts
from ..explain.document import Document, Heading, Paragraph
from ..explain.point_format import points
from ..marking.context import Memory
from ..marking.credit import points_of
from ..marking.diagnosis.cause import Cause, happened_together
from ..marking.report import Report, StepReport, check, total
from ..problem.problem import Problem
from ..processor_limit import Allowance
from ..submissions.nearby_words import NEARBY
from ..submissions.script_reader import identity_lines, read, words_of
from ..submissions.step_matching import MOST_LEFT, Bound, bind
from ..submissions.submission import Script, Typed, Unread
from .answer_key import Key, KeyVariant, split_title
from .class_table_scripts import ClassRows, restore_zeros
from .feedback import LOOK, TOGETHER, Feedback, add_questions, short_document, write_page
from .graded_script import ABSENT, EMPTY, GradedScript, NamedMistakes
from .instructor_questions import mark_questions, merge_foreign_answers, question_number, questions_of
from .overrides import GRANTED, Override, apply_manual_marks, change_note
from .script_discovery import Task
from .wrong_key_check import plausible_first_lines

MOST_PAPERS = 26  # different ones: versions, and not a variant for each of a large class
TELLING = 4  # entries that are those of another paper, and not of this one
UNSUSPICIOUS = ("right", "missing", "granted")  # verdicts that make nobody suspicious


class CopiedVariants:
    """Detection of answers copied from another variant; each paper is solved on first use."""

    def __init__(self, key: Key):
        self.key = key
        papers: dict[str | bytes, KeyVariant] = {}
        for variant in key.variants:
            if len(papers) <= MOST_PAPERS:
                papers.setdefault(split_title(variant.text)[1], variant)
        self.papers = papers if 1 < len(papers) <= MOST_PAPERS else {}
        self._values: dict[str, dict[str, Rows]] = {}  # by the paper's code, then by the step's key

    def warning(self, report: Report, mine: KeyVariant) -> str:
        """Return a warning if the first wrong lines are those of another paper; else the empty string."""
        body = split_title(mine.text)[1]
        answered = [step for step in report.steps if step.line and step.verdict not in UNSUSPICIOUS]
        if body not in self.papers or not answered or answered[0].verdict != "wrong":
            return ""
        for paper in self.papers:
            if paper != body and self._matches(answered, self.papers[paper], mine):
                other = self.papers[paper]
                name = f"version {other.version}" if other.version else f"the paper {other.code}"
                return f"{answered[0].step.key}: these are the numbers of {name}, not of this paper"
        return ""

    def _matches(self, answered: list[StepReport], other: KeyVariant, mine: KeyVariant) -> bool:
        """True if the first line is entirely the other paper's and enough entries distinguish the papers."""
        telling = 0
        for k, step in enumerate(answered):
            other_entries, mine_entries = (self._entries(paper, step.step.key) for paper in (other, mine))
            for (i, j), typed in step.line.filled.cells.items() if step.line else ():
                fits = _fits(typed, other_entries, i, j)
                if k == 0 and not fits:
                    return False
                telling += fits and not _fits(typed, mine_entries, i, j)
        return telling >= TELLING

    def _entries(self, paper: KeyVariant, step: str) -> Rows:
        """Return the entries of a step; empty if the paper has no such step, or no value."""
        if paper.code not in self._values:
            values = self._values[paper.code] = {}
            with suppress(AttncalcError):  # an unsolvable paper has no entries
                for result in (result for part in solve(self.key.problem(paper)).parts for result in part):
                    with suppress(AttncalcError):
                        values[result.step.key] = entries(result.enclosure())
        return self._values[paper.code].get(step, [])


def _fits(typed: Typed, rows: Rows, i: int, j: int) -> bool:
    """True if an entry is some rounding of entry (i, j)."""
    if i >= len(rows) or j >= len(rows[i]):
        return False
    x: Entry = rows[i][j]
    if is_infinite(x) or typed.infinite or typed.value is None:
        return bool(is_infinite(x) and typed.infinite and (typed.infinite > 0) == (x > 0))
    unit = fmpq(10) ** -(typed.decimals or 0) if typed.decimals is not None else fmpq(0)
    return not abs(arb(x) - arb(typed.value)) > unit


MOST_REASONS = 3
MOST_REMEMBERED = 2_000  # lines, of all papers together: some 70 MB
MOST_LOST = 20  # steps of a script of which nothing more is said
_TAB = re.compile(r"\.(?:xlsx|xlsm|ods), (.+)$", re.IGNORECASE)  # of a workbook, whose tabs have the same lines
FAILED = "attncalc had an internal error with this script; please report it"


def worth_of(problem: Problem) -> dict[str, Fraction]:
    """Return the points of each step that counts, in the order of the plan."""
    worths: dict[str, Fraction] = {}
    for part in problem.parts:
        worth = points_of(part)
        worths |= {step.key: worth[step.name] for step in part.plan.steps if worth.get(step.name)}
    return worths


def worth_of_variant(key: Key, variant: KeyVariant) -> dict[str, Fraction]:
    """Return the points of each step and instructor question, in the order of the paper."""
    worth = worth_of(key.problem(variant)) | {
        question.name: question.points for question in variant.questions if question.points
    }
    return dict(sorted(worth.items(), key=lambda item: question_number(item[0]))) if variant.questions else worth


def dropped_steps(key: Key, variant: KeyVariant) -> list[str]:
    """Return the steps and instructor questions with 0 points, as after `drop:`."""
    steps = (
        step for part in key.problem(variant).parts for step in part.plan.steps if points_of(part).get(step.name) == 0
    )
    return [*(step.key for step in steps), *(question.name for question in variant.questions if not question.points)]


class Grader:
    """Grader of scripts against one key; problems and solutions are computed once. `unconfirmed` has the number of
    scanned entries of each paper that nobody has confirmed. If the class `shares_papers`, the first script of a paper
    already stores what it has in common with the next.
    """

    def __init__(
        self,
        key: Key,
        overrides: list[Override],
        feedback: str = "",
        scale: Scale = (),
        absent_zero: bool = False,
        unconfirmed: Mapping[str, int] | None = None,
        shares_papers: bool = False,
    ):
        self.key = key
        self.absent_zero = absent_zero
        self.unconfirmed = unconfirmed or {}
        self.scale = scale
        self.overrides: dict[str, list[Override]] = {}
        for override in overrides:
            self.overrides.setdefault(override.student.casefold(), []).append(override)
        self.pages = Feedback() if feedback else None
        self.form = feedback
        self._memories: dict[str | bytes, Memory] = {}  # by the texts of the papers
        self._shares_papers = shares_papers
        self._papers_with_scripts: set[str | bytes] = set()  # the papers with a script
        self._class = ClassRows(key)
        self._copied_variants = CopiedVariants(key)

    def grade(self, task: Task) -> GradedScript:
        """Return the script's row. Never raises: a failure becomes the row's error."""
        row = GradedScript(task.name, task.path)
        row.error = _failure(task.path, self._grade, task, row)
        if row.error:
            row.marks, row.out_of, row.verdicts, row.question_states = {}, {}, {}, {}
            row.first_wrong, row.codes, row.lost_points, row.notices = "", [], [], []
        if failure := _failure(task.path, self._complete, row):
            row = GradedScript(row.student, row.file, row.variant, error=row.error or failure)
        return row

    def _complete(self, row: GradedScript) -> None:
        """Add manual marks, what nobody has confirmed, the grade and the student's page."""
        if count := self.unconfirmed.get(row.variant, 0):
            row.remarks.append(f"{counted(count, 'scanned entry')} not confirmed")
            row.needs_review = True
        self._override(row)
        if row.out_of and not row.error and not row.unmarked:
            row.grade = grade_of(self.scale, row.earned, row.most)
        if self.pages:
            self._page(row)

    def bound(self, task: Task) -> Bound:
        """Return a script matched to its problem, without its student. Raises AttncalcError if it cannot be read."""
        script, variant = self._read(task, GradedScript(task.name, task.path), Allowance(Location(task.path)))
        return bind(replace(script, problem=None, student=None), self.key.problem(variant), lenient=True)

    def _grade(self, task: Task, row: GradedScript) -> None:
        allowance = Allowance(Location(task.path), spent=task.spent)
        script, variant = self._read(task, row, allowance)
        problem = self.key.problem(variant)
        row.version, row.round_to = variant.version, problem.round_to
        row.variant, row.out_of = variant.code, worth_of_variant(self.key, variant)
        with allowance.limited():
            named_script = replace(script, problem=None, student=row.student)  # the variant has been found
            bound = bind(named_script, problem, lenient=True)
        questions = questions_of(
            [*(part.name or "" for part in problem.parts), *(question.name for question in variant.questions)]
        )
        by_hand = self.key.question_names - {question.name for question in variant.questions if question.is_ticked}
        unread = (entry for entry in bound.unread if entry.step not in by_hand)  # a person reads their words
        bound = replace(bound, unread=merge_foreign_answers(unread, questions))
        if task.row is not None:
            bound = self._class.without_prefill(bound, variant)
        if task.row is not None and self._is_absent(row, bound, script):
            return
        if bound.unread and not bound.steps and not script.words:
            raise AttncalcError([answer.fault for answer in bound.unread])
        memory = self._memory(variant)
        report = check(problem, bound, memory)
        row.marks = {step.step.key: step.mark.earned for step in report.steps if step.step.key in row.out_of}
        remarks = list(_remarks(report, {step for step, _, _ in _unreadable_steps(bound.unread)}))
        row.plausible_first_lines = plausible_first_lines(report)
        mine = self._overrides_of(row.student)
        apply_manual_marks(report, mine)
        for step in report.steps:
            row.verdicts[step.step.key] = step.verdict
            if step.causes:
                row.codes.append((step.step.key, _named_mistakes(step.causes)))
            if step.verdict == "wrong":
                row.wrong_entries[step.step.key] = [f"{step.step.key}[{at.row},{at.column}]" for at in step.cells]
        row.first_wrong = report.first_wrong.step.key if report.first_wrong else ""
        row.first_error = _loss_reason(report.first_wrong) if report.first_wrong else ""
        row.lost_points = list(_lost_points(report, {override.step for override in mine}))
        self._note_unread(row, bound)
        for key, doubt in texts.doubts(report).items():
            if not self._is_marked_manually(row.student, key):
                row.unread.append(f"{row.file}: {doubt}")
                row.needs_review = True
        row.remarks += remarks
        self._mark_questions(variant, task.row is not None, row, bound)
        if variant.student and script.student and variant.student != row.student:
            row.remarks.append(f"the variant {variant.code} belongs to {shorten(variant.student)}")
            row.needs_review = True
        copied = self._copied_variants.warning(report, variant)
        if copied and not self._is_marked_manually(row.student, copied.partition(":")[0]):
            row.remarks.append(copied)
            row.unread.append(f"{row.file}: {copied}")
            row.needs_review = True
        if self.pages:
            row.feedback = self.pages.document(report, variant.code, mine, row.notices, row.question_states)
        if memory is None:  # else other scripts go on with its lines
            report.context.release()

    def _note_unread(self, row: GradedScript, bound: Bound) -> None:
        """Note what could not be read, and what may be the answers that points are lost for; a person checks both."""
        lost = list(_unreadable_steps(bound.unread))
        left = [str(fault) for fault in bound.left] if row.lost_points else []
        row.notices = [_unread(*loss) for loss in lost if not self._is_marked_manually(row.student, loss[0])]
        row.needs_review |= bool(row.notices or left)
        if row.needs_review:
            row.unread = [
                str(Diagnostic(f"{step}: {reason}" if step else reason, fault.place)) for step, reason, fault in lost
            ]
        row.unread += left
        unreadable = (step or texts.THE_FILE for step, _, fault in lost if fault.code != NEARBY)
        row.unreadable_steps = list(dict.fromkeys(unreadable))
        row.remarks += [_unread(*loss) for loss in lost]

    def _mark_questions(self, variant: KeyVariant, by_person: bool, row: GradedScript, bound: Bound) -> None:
        """Mark the questions, and note the lines that may answer one without a tick; a person checks them."""
        mark_questions(variant.questions, bound.script.words, by_person, row, self._overrides_of(row.student))
        if EMPTY not in row.question_states.values():
            return
        places = {fault.place for fault in bound.left}
        others = [str(fault) for fault in bound.script.may_answer if fault.place not in places]
        lines = [*map(str, bound.left), *others]
        row.remarks += others[:MOST_LEFT]
        row.unread += [line for line in lines if line not in row.unread]
        row.needs_review |= bool(lines)

    def _overrides_of(self, student: str) -> list[Override]:
        """Return the points that a person set for a student, whose name may be written in capitals."""
        return self.overrides.get(student.casefold(), [])

    def _is_absent(self, row: GradedScript, bound: Bound, script: Script) -> bool:
        """Return whether a row is empty, and nobody set points by hand. An absent student gets no points, or 0."""
        is_typed = bound.steps or bound.unread or any(cell.text.strip() for cell in script.words.values())
        is_empty = not is_typed and not self.unconfirmed.get(row.variant)
        if is_empty and not self._overrides_of(row.student):
            row.absence = row.absence or ABSENT
            row.out_of = row.out_of if self.absent_zero and row.absence == ABSENT else {}
            row.marks = dict.fromkeys(row.out_of, Fraction(0))
            return True
        if row.absence and not is_empty:
            row.remarks.append(f"marked as {row.absence}, but there are also answers")
            row.needs_review = True
        row.absence = ""
        return False

    def _is_marked_manually(self, student: str, step: str) -> bool:
        """True if a manual mark exists for an unreadable step."""
        name = step.partition("[")[0]
        return any(
            name in (override.step, override.step.rpartition(".")[2]) for override in self._overrides_of(student)
        )

    def _memory(self, variant: KeyVariant) -> Memory | None:
        """Return the cache shared by the scripts of a paper; cleared when too large. None for the first script of a
        paper that may be the only one.
        """
        paper = split_title(variant.text)[1]
        if not self._shares_papers and paper not in self._papers_with_scripts:
            self._papers_with_scripts.add(paper)
            return None
        if sum(memory.size for memory in self._memories.values()) > MOST_REMEMBERED:
            self._memories.clear()
            gc.collect()  # lines that were kept for long name each other, and nothing else would look for them
        return self._memories.setdefault(paper, Memory())

    def _read(self, task: Task, row: GradedScript, allowance: Allowance) -> tuple[Script, KeyVariant]:
        if task.row is None:
            return self._file(task, row, allowance)
        return self._class.script(task.path, task.row, row)

    def _file(self, task: Task, row: GradedScript, allowance: Allowance) -> tuple[Script, KeyVariant]:
        """Return a file's script and variant; if it is unreadable, note both from its header or name."""
        file_variant = self.key.variant_of_words(words_of(task.name))
        if file_variant and file_variant.student:
            row.student = file_variant.student
        raw, header = b"", {}
        try:
            if task.missing:
                raise AttncalcError(task.fault())
            raw = content_of(task.path)
            script = read(raw, task.path, lenient=True, words=self.key.question_names, allowance=allowance)
            header = {} if script.student and script.problem else identity_lines(raw)
            row.student = script.student or header.get("student") or row.student
            named, student = script.problem or header.get("problem"), script.student or header.get("student")
            if student:
                restore_zeros(row, self.key)
                student = row.student
            variant = self.key.variant(named, student, Location(task.path), file_variant)
        except AttncalcError:
            header = identity_lines(raw)
            named, student = header.get("problem"), header.get("student")
            row.student = student or row.student
            restore_zeros(row, self.key)
            with suppress(AttncalcError):  # probably
                row.variant = self.key.variant(named, student, Location(), file_variant).code
            raise
        if not named and variant is file_variant:
            row.remarks.append(f"the variant {variant.code} is taken from the file's name")
        row.student = student or variant.student or row.student
        return script, variant

    def _override(self, row: GradedScript) -> None:
        """Apply manual marks to the row; an unreadable script has the points of its variant."""
        mine = self._overrides_of(row.student)
        if mine and row.error:
            row.out_of = self._worth(row.variant)
            row.marks = dict.fromkeys(row.out_of, Fraction(0))
        for override in mine:
            if override.marks > row.out_of.get(override.step, Fraction(-1)):
                why = (
                    f"the step is worth {points(row.out_of[override.step])}"
                    if override.step in row.out_of
                    else "this variant does not have this step"
                    if override.out_of
                    else "the step is worth no points"
                )
                message = f"{override.step}: the override at {override.where} is ignored: {why} here"
                row.remarks.append(message)
                row.unread += [message] * (override.step in row.out_of)
                row.needs_review |= override.step in row.out_of
                continue
            before = None if row.error or override.step not in row.marks else points(row.marks[override.step])
            row.marks[override.step] = override.marks
            row.manual_changes.append(change_note(override, before))
        row.remarks += row.manual_changes
        if row.error and row.out_of and {override.step for override in mine} >= set(row.out_of):
            row.remarks.insert(0, f"marked by hand, because it could not be read: {row.error}")
            row.error = ""
            row.verdicts = {
                step: GRANTED if row.marks[step] == worth else "wrong" for step, worth in row.out_of.items()
            }
            wrong = (step for step, verdict in row.verdicts.items() if verdict == "wrong")
            row.first_wrong = next((step for step in wrong if step not in self.key.question_names), "")

    def _page(self, row: GradedScript) -> None:
        """Render the student's page; as part of a page for all it stays a document under the student's name."""
        whole = isinstance(row.feedback, Document) and not row.error and not row.is_blank
        document = row.feedback if whole and isinstance(row.feedback, Document) else short_document(row, self.key.title)
        if row.question_states and whole:
            add_questions(document, row)
        if row.status == "look" and whole and not row.notices:
            document.blocks.insert(2, Paragraph(LOOK, "warning"))
        if row.grade and whole:
            document.blocks.insert(2, Paragraph(f"Grade: {row.grade}", "ask"))
        if self.form == TOGETHER:
            document.blocks[0] = Heading(f"{row.student}: {self.key.title}")
            row.feedback = document
            return
        try:
            row.feedback = write_page(document, self.form)
        except AttncalcError as error:  # the marks do not hang on it
            row.feedback = None
            row.needs_review = True
            row.remarks.append(f"the page could not be typeset: {error.faults[0].message}")

    def _worth(self, code: str) -> dict[str, Fraction]:
        """Return the points of a variant's steps; of an unknown variant those of the only one, else {}."""
        known = [v for v in self.key.variants if v.code == code] or self.key.variants
        try:
            return worth_of_variant(self.key, known[0]) if len(known) == 1 else {}
        except AttncalcError:
            return {}


def _failure(path: str, act: Callable[..., None], *about: object) -> str:
    """Return the message of a failed call for the script in a file; empty on success."""
    try:
        act(*about)
    except AttncalcError as error:
        more = len(error.faults) - MOST_REASONS
        return "; ".join(map(str, error.faults[:MOST_REASONS])) + (f"; and {more} more" if more > 0 else "")
    except (RecursionError, MemoryError, OverflowError):
        return f"{path}: too large, or nested too deeply, to be graded"
    except Exception as error:  # a bug in one script's way must not cost the class its marks
        return f"{FAILED}: {type(error).__name__}: {shorten(str(error), 200)}"
    return ""


def _unreadable_steps(unread: Iterable[Unread]) -> Iterator[tuple[str, str, Diagnostic]]:
    """Yield (step, first reason and number of others, fault) for each step that could not be read."""
    faults_of_step: dict[tuple[str, bool], list[Diagnostic]] = {}
    for entry in unread:
        faults_of_step.setdefault((entry.step, entry.is_nearby), []).append(entry.fault)
    for (step, _), faults in list(faults_of_step.items())[:MOST_LOST]:
        more = f"; and {len(faults) - 1} more" if len(faults) > 1 else ""
        yield shorten(step), faults[0].message + more, faults[0]


def _unread(step: str, reason: str, fault: Diagnostic) -> str:
    tab = _TAB.search(fault.place.source)
    line = f"line {fault.place.line}, column {fault.place.column}"
    place = f" ({tab[1] + ', ' if tab else ''}{line})" if fault.place.line else ""
    if fault.code == NEARBY:
        return f"{step + ': ' if step else ''}{reason}{place}"
    return f"{step + ' ' if step else ''}could not be read: {reason}{place}"


def _remarks(report: Report, unread: set[str]) -> Iterator[str]:
    """Yield remarks for the instructor: how a line was read, and the reason of its marks."""
    yield from texts.notes(report)
    for step in report.steps:
        if step.verdict == "missing" and {step.step.key, step.step.name} & unread:
            continue  # told already
        is_news = step.mark.reasons and step.verdict not in ("carried", "right") and step.mark.out_of
        remarks = [
            *(step.line.filled.notes if step.line else ()),
            *([texts.reason_text(step.mark.reasons)] if is_news else []),
        ]
        if remarks:
            yield f"{step.step.key}: {'; '.join(remarks)}"


def _named_mistakes(causes: Sequence[Cause]) -> NamedMistakes:
    return NamedMistakes(tuple(cause.code for cause in causes), happened_together(causes))


def _lost_points(report: Report, by_hand: set[str]) -> Iterator[str]:
    """Yield the steps without all their points, and the reason as the table of marks on a page has it."""
    losses = (s for s in report.steps if s.mark.earned < s.mark.out_of and s.step.key not in by_hand)
    for reason, group in groupby(losses, key=_loss_reason):
        steps = list(group)
        yield f"{listed([step.step.key for step in steps])}: {texts.score(*total(steps))} ({reason})"


def _loss_reason(step: StepReport) -> str:
    causes = [cause.done for cause in step.causes[:1]] if step.verdict == "wrong" else []
    return ": ".join([texts.mark_reason(step), *(f"{done[:1].lower()}{done[1:].rstrip('.')}" for done in causes)])
