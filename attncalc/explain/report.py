"""A report on a script as a Document: what broke, why, what followed from it, and the marks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..formula.tree import Name, Number, unparse
from ..mark.report import PartReport, Report, StepReport
from ..plan import Step
from ..solution import PartSolution, Solution
from . import report_texts as texts
from .document import Block, Cell, Document, Formula, Grid, Heading, Matrices, Paragraph, Sign, Stage, Worked
from .scope import Scope
from .worked import entry_name, substituted, worked_at

LARGEST_SHOWN = 144  # entries of a matrix that is set beside another


def report_document(report: Report, solution: Solution, hints: bool = False) -> Document:
    """The report as blocks; with `hints` it says where and why, and keeps the right numbers to itself."""
    document = Document()
    student = report.bound.script.student
    document.blocks.append(Heading(report.problem.title or report.problem.name, 1))
    document.blocks.append(Paragraph(texts.summary(report, student), "ask"))
    document.blocks += [Paragraph(note, "note") for note in report.bound.notes]
    for found, solved in zip(report.parts, solution.parts, strict=True):
        document.blocks += _part(found, solved, solution, report, hints)
    return document


def _part(found: PartReport, solved: PartSolution, solution: Solution, report: Report, hints: bool) -> Iterator[Block]:
    if not found.steps:
        return
    yield Heading(found.part.title or found.part.name or "", 2, texts.score(found.earned, found.out_of))
    scope = Scope(solution, solved)
    for said, group in groupby(found.steps, key=_said_together):
        if said is not None:
            yield Paragraph(texts.together(list(group), said[1]), said[0])
            continue
        for step in group:
            yield from _Step(step, scope, report, hints).blocks()


def _said_together(step: StepReport) -> tuple[str, str] | None:
    """The role and the words of steps that need one line together; None for a step that needs its own."""
    if step.verdict == "missing":
        return "fine", texts.VERDICTS["missing"]
    if step.verdict == "right" and step.line is None:
        return "check", step.mark.reason
    if step.verdict == "right" and not _remarks(step):
        return "check", texts.VERDICTS["right"]
    return None


def _remarks(step: StepReport) -> list[str]:
    notes = list(step.line.filled.notes) if step.line else []
    return [*notes, *([step.mark.reason] if step.mark.reason else [])]


class _Step:
    """One step of the report that needs words."""

    def __init__(self, found: StepReport, scope: Scope, report: Report, hints: bool):
        self.found = found
        self.scope = scope
        self.report = report
        self.hints = hints
        self.step: Step = found.step
        self.first = report.first_wrong is found

    def blocks(self) -> Iterator[Block]:
        found = self.found
        points = texts.score(found.mark.earned, found.mark.out_of)
        yield Formula(Name(self.step.name), (Stage(self.step.tree),), texts.VERDICTS[found.verdict], points)
        if found.cells and found.line is not None:
            yield Matrices(tuple(self.grids()))
        for remark in _remarks(found):
            yield Paragraph(remark, "fine")
        if found.verdict == "wrong":
            yield from self.why()
        elif found.verdict == "last_digit":
            yield Paragraph(texts.last_digits(found, self.place, self.hints), "fine")

    def grids(self) -> Iterator[Grid | Sign]:
        """What was typed, wrong entries marked, beside what should stand there."""
        line = self.found.line
        assert line is not None
        wrong = {(c.row, c.column) for c in self.found.cells if self.found.verdict in ("wrong", "last_digit")}
        n, m = self.step.shape
        typed = [
            [Cell(line.filled.cells[i, j].text if (i, j) in line.filled.cells else "_", None, "wrong" if (i, j) in wrong else "") for j in range(m)]
            for i in range(n)
        ]
        yield self.grid(texts.YOURS, typed)
        if self.hints or n * m > LARGEST_SHOWN:
            return
        shown = [[self.right(i, j) for j in range(m)] for i in range(n)]
        yield Sign("")
        yield self.grid(texts.RIGHT if self.found.verdict != "carried" else texts.RIGHT_FROM_START, shown)

    def right(self, i: int, j: int) -> Cell:
        found = next((c for c in self.found.cells if (c.row, c.column) == (i, j)), None)
        line = self.found.line
        assert line is not None
        if found is None:
            return Cell(line.filled.cells[i, j].text if (i, j) in line.filled.cells else "_")
        return Cell(found.right, None, "should")

    def grid(self, name: str, cells: list[list[Cell]]) -> Grid:
        return Grid(Name(name), tuple(tuple(row) for row in cells), self.step.rows, self.step.columns)

    def place(self, i: int, j: int) -> str:
        return entry_name(self.scope.part[self.step.name], i, j)

    def why(self) -> Iterator[Block]:
        """The cause where one is named, else the place; then one entry worked out both ways."""
        found = self.found
        if len(found.causes) > 1:
            yield Paragraph(texts.several(len(found.causes)), "warning")
        for cause in found.causes:
            where = "" if cause.at is None or cause.at is self.step else texts.before(cause.at.name)
            yield Paragraph(f"{cause.done}{where}", "warning")
            yield Paragraph(f"{cause.advice} ({cause.code})", "fine")
        if not found.causes:
            yield Paragraph(texts.places(found, self.place, self.hints), "warning")
        yield from self.both_ways()

    def both_ways(self) -> Iterator[Block]:
        """One wrong entry: how it was probably worked out, and how it is right."""
        if not self.found.cells or self.hints:
            return
        cell = next((c for c in self.found.cells if "inf" not in c.right + c.typed), self.found.cells[0])
        i, j = cell.row, cell.column
        cause = self.found.causes[0] if self.found.causes else None
        if cause is not None and cause.tree is not None and cause.at is self.step:
            done = substituted(self.scope, cause.tree, i, j)
            if done is not None and not isinstance(done.tree, Number):
                yield Worked(texts.YOURS, (done, *_end(done, cell.typed)))
        if not self.follows_wrong_lines() and (right := worked_at(self.scope, self.scope.part[self.step.name], i, j)):
            yield Worked(texts.RIGHT_ENTRY.format(place=self.place(i, j)), right.stages)

    def follows_wrong_lines(self) -> bool:
        walk = self.report.walk
        return any(walk.lines[k].verdict in ("wrong", "carried") for k in walk.upstream[self.step.key] if k in walk.lines)


def _end(done: Stage, typed: str) -> list[Stage]:
    """What was typed, unless the working is that number already."""
    try:
        value = Number(typed)
        return [] if unparse(done.tree) == unparse(value) else [Stage(value, False)]
    except ValueError:
        return []
