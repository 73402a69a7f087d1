"""What a student reads: a page with the whole report, and one line for the column of a course system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..api import solve
from ..errors import counted
from ..explain.document import Document, Heading, Paragraph
from ..explain.report import report_document
from ..mark.report import Report
from ..solution import Solution
from . import by_hand
from .overrides import Override
from .points import points

if TYPE_CHECKING:
    from .script import Row

MOST_SOLUTIONS = 100  # that are kept: scripts of one variant often come one after another
ASK = "Please ask your instructor to look at it."
CHANGED = "Marks changed by your instructor"
BLANK = "The script is blank: no step is answered."


TOGETHER = "together"  # no form of its own: the documents of all become one page
FORMS = {"markdown": ".md", "html": ".html", "pdf": ".pdf"}  # modules of attncalc.write, and the endings of their files


def written(document: Document, form: str) -> str | bytes:
    """The document as a page of one form."""
    if form == "pdf":
        from ..write import pdf

        return pdf.write(document)
    if form == "html":
        from ..write import html

        return html.write(document)
    from ..write import markdown

    return markdown.write(document)


class Feedback:
    """The pages of a class; solutions are worked out once for the variants that are in use."""

    def __init__(self) -> None:
        self._solutions: dict[str, Solution] = {}

    def document(
        self, report: Report, code: str, overrides: Iterable[Override], unread: Iterable[str], own: Iterable[str] = ()
    ) -> Document:
        """The report on one script, with what a person changed and what nobody could read before everything else."""
        document = report_document(report, self._solution(report, code))
        said = [by_hand.said(one) for one in overrides if any(one.step == step.step.key for step in report.steps)]
        note = [Paragraph(f"{CHANGED}: {'; '.join(said)}.", "note")] if said else []
        document.blocks[2:2] = [*note, *(Paragraph(f"{line}. {ASK}", "warning") for line in unread)]
        document.blocks += [Paragraph(line, "note", True) for line in own]
        return document

    def _solution(self, report: Report, code: str) -> Solution:
        if code not in self._solutions:
            if len(self._solutions) >= MOST_SOLUTIONS:
                del self._solutions[next(iter(self._solutions))]
            self._solutions[code] = solve(report.problem)
        return self._solutions[code]


def short_document(row: Row, title: str) -> Document:
    """The page of a script on which there is no report."""
    return Document([Heading(title), Paragraph(f"{row.student}: {feedback_line(row)}", "ask")])


def feedback_line(row: Row) -> str:
    """A few words for a column of a course system: how it went, and what a person changed."""
    score = f"{points(row.earned)} of {points(row.most)} points. " if row.out_of else ""
    score += f"Grade: {row.grade}. " if row.grade else ""
    changed = f" {CHANGED}: {'; '.join(row.by_hand)}." if row.by_hand else ""
    return f"{score}{_went(row)}{changed}"


def _went(row: Row) -> str:
    if row.error:
        reason = row.error.replace(f"{row.file}: ", "").replace(f"{row.file}:", "line ")
        return f"This script could not be read: {reason}"
    if row.is_blank:
        return BLANK
    missing = sum(verdict == "missing" and not named(step, row.lost) for step, verdict in row.verdicts.items())
    left = f" {counted(missing, 'step')} {'is' if missing == 1 else 'are'} not answered." * bool(missing)
    lost = f" {', '.join(row.lost)} could not be read completely." * bool(row.lost)
    first = f"The first error is in {row.first_wrong}." if row.first_wrong else NO_ERROR[bool(row.lost)]
    return f"{first}{lost}{left}"


NO_ERROR = {False: "No step is wrong.", True: "No step that could be read is wrong."}


def named(step: str, names: Iterable[str]) -> bool:
    """Whether a step is among names such as `S[0,1]` or `masked.S`."""
    plain = {name.partition("[")[0] for name in names}
    return step in plain or step.rpartition(".")[2] in plain
