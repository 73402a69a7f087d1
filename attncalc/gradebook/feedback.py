"""Feedback to a student: a page with the whole report, and one line for the column of a course system."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING

from ..api import solve
from ..errors import counted
from ..explain import report_messages as texts
from ..explain.document import Block, Document, Heading, Paragraph, Table
from ..explain.report_document import report_document
from ..formula.syntax_tree import Name, Tree
from ..marking.report import Report
from ..solution import Solution
from .instructor_questions import question_lines, question_number, question_summary
from .overrides import Override, student_note

if TYPE_CHECKING:
    from .graded_script import GradedScript

MOST_SOLUTIONS = 100  # that are kept: scripts of one variant often come one after another
ASK = "Please ask your instructor to check it."
CHANGED = "Points changed by your instructor"
LOOK = "Your instructor will look at this script again."
ABSENCE = "{}: nothing is marked."
ABSENCE_WITH_ZERO = "{}."
BLANK = "The script is blank: no step is answered."
EVERYTHING = "Everything is right."
TOGETHER = "together"  # no form of its own: the documents of all become one page
FORMS = {
    "markdown": ".md",
    "html": ".html",
    "pdf": ".pdf",
}  # modules of attncalc.render, and the endings of their files


def write_page(document: Document, form: str) -> str | bytes:
    """Return the document in one of FORMS."""
    page: str | bytes = import_module(f"attncalc.render.{form}").write(document)
    return page


class Feedback:
    """The students' pages of a class; the solution of each recent variant is cached."""

    def __init__(self) -> None:
        self._solutions: dict[str, Solution] = {}

    def document(
        self,
        report: Report,
        code: str,
        overrides: Iterable[Override],
        unread: Iterable[str],
        stepless_questions: Collection[str] = (),
    ) -> Document:
        """Return the report on one script, with manual changes and unreadable entries first. With questions in
        `stepless_questions` the first line reports steps only, and `add_questions` adds the rest.
        """
        document = report_document(report, self._solution(report, code))
        if stepless_questions:
            document.blocks[1] = Paragraph(texts.steps_summary(report), "ask")
        there = {step.step.key for step in report.steps} | {*stepless_questions}
        changes = [student_note(override) for override in overrides if override.step in there]
        note = [Paragraph(f"{CHANGED}: {'; '.join(changes)}.", "note")] if changes else []
        document.blocks[2:2] = [*note, *(Paragraph(f"{line}. {ASK}", "warning") for line in unread)]
        return document

    def _solution(self, report: Report, code: str) -> Solution:
        if code not in self._solutions:
            if len(self._solutions) >= MOST_SOLUTIONS:
                del self._solutions[next(iter(self._solutions))]
            self._solutions[code] = solve(report.problem)
        return self._solutions[code]


def add_questions(document: Document, row: GradedScript) -> None:
    """Add the questions without steps to a page: to its first line, to the table of marks, and as notes below."""
    steps = document.blocks[1]
    assert isinstance(steps, Paragraph)
    rest = question_summary(row)
    went = EVERYTHING if steps.text in (texts.ALL_STEPS, "") and not rest else f"{steps.text} {rest}".strip()
    document.blocks[1] = Paragraph(
        f"{row.student}: {texts.total_score(row.exact, row.most, row.round_to)}. {went}", "ask"
    )
    at = next((k for k, block in enumerate(document.blocks) if getattr(block, "heads", ()) == texts.MARKS_HEADS), None)
    if at is not None:
        document.blocks[at - 1 : at + 1] = _complete_marks_table(document.blocks[at], row)
    questions = row.question_states if at is None else row.question_feedback
    document.blocks += [Paragraph(line, "note", True) for line in question_lines(row, questions)]


def _complete_marks_table(table: Block, row: GradedScript) -> list[Block]:
    """Return the table of marks including the questions without steps, in the order of the paper, under the total."""
    assert isinstance(table, Table)
    question_rows: list[tuple[str | tuple[Tree, ...], ...]] = [
        ((Name(name),), state, texts.score(row.marks.get(name, Fraction(0)), row.out_of[name]))
        for name, state in row.question_states.items()
    ]
    rows = sorted([*table.rows, *question_rows], key=_question)
    heading = Heading(texts.MARKS, 2, texts.score(row.earned, row.most))
    return [heading, table._replace(rows=tuple(rows))]


def _question(cells: tuple[str | tuple[Tree, ...], ...]) -> int:
    first = cells[0][0]
    return question_number(first.name) if isinstance(first, Name) else 0


def short_document(row: GradedScript, title: str) -> Document:
    """Return the page of a script without a report."""
    return Document([Heading(title), Paragraph(f"{row.student}: {feedback_line(row)}", "ask")])


def feedback_line(row: GradedScript) -> str:
    """Return a one-line result for a column of a course system, with manual changes."""
    score = f"{texts.total_score(row.exact, row.most, row.round_to)}. " if row.out_of else ""
    score += f"Grade: {row.grade}. " if row.grade else ""
    changed = [f"{CHANGED}: {'; '.join(row.manual_changes)}."] if row.manual_changes else []
    lost = [f"{'; '.join(row.lost_points)}."] if row.lost_points and not row.is_blank else []
    look = [f"{line}. {ASK}" for line in row.notices] or [LOOK] * (row.status == "look")
    return score + " ".join([_outcome(row), *look, *lost, *changed])


def _outcome(row: GradedScript) -> str:
    if row.error:
        reason = row.error.replace(f"{row.file}: ", "").replace(f"{row.file}:", "line ")
        return f"This script could not be read: {reason}"
    if row.absence:
        return (ABSENCE_WITH_ZERO if row.out_of else ABSENCE).format(row.absence.capitalize())
    if row.is_blank and not row.question_states:
        return BLANK
    steps = {step: verdict for step, verdict in row.verdicts.items() if step not in row.question_states}
    sentences = [_steps_outcome(row, steps)] if steps or row.first_wrong else []
    return " ".join([*sentences, *filter(None, [question_summary(row)])]) or EVERYTHING


def _steps_outcome(row: GradedScript, steps: dict[str, str]) -> str:
    if row.is_blank:
        return "No step is answered."
    missing = sum(verdict == "missing" and not named(step, row.unreadable_steps) for step, verdict in steps.items())
    left = f" {counted(missing, 'step')} {'is' if missing == 1 else 'are'} not answered." * bool(missing)
    is_unread = bool(row.unreadable_steps) and not row.notices
    lost = f" {texts.unread_sentence(row.unreadable_steps)}" * is_unread
    first = f"The first error is in {row.first_wrong}." if row.first_wrong else NO_ERROR[bool(row.unreadable_steps)]
    if (
        row.question_states
        and not row.unreadable_steps
        and not row.first_wrong
        and not {"missing", *texts.NEARLY} & {*steps.values()}
    ):
        first = texts.ALL_STEPS  # "No step is wrong. q3 is wrong." reads as if it were a contradiction
    return f"{first}{lost}{left}"


NO_ERROR = {False: "No step is wrong.", True: "No mistake was found in the steps that could be read."}


def named(step: str, names: Iterable[str]) -> bool:
    """True if a step is among names such as `S[0,1]` or `masked.S`."""
    steps = {name.partition("[")[0] for name in names}
    return step in steps or step.rpartition(".")[2] in steps
