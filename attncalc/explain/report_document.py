"""A report on a script as a Document: summary, wrong steps with causes, follow-through, and points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from ..formula.syntax_tree import Name, Negate, Number, Tree
from ..marking.diagnosis.cause import happened_together
from ..marking.expected_values import LEAST_DIGITS, CellReport, right_texts
from ..marking.report import PartReport, Report, StepReport, total
from ..plan import Step
from ..solution import PartSolution, Solution
from . import report_messages as texts
from .document import Block, Cell, Document, EquationSide, Formula, Grid, Heading, Matrices, Paragraph, Sign, Table
from .number_display import parse_entry
from .part_scope import FAILURES, Scope, readable_formula
from .worked.entry import substitute_entry, work_entry

LARGEST_SHOWN = 144  # entries of a matrix that is shown next to another matrix
FEW = 3  # steps in one row of the table of points
MORE_DIGITS = 8  # additional digits in the explanation of a wrong last digit
MOST_DIGITS = 16  # decimals of a worked entry
POINTS = 2  # the index of the column with the points


def report_document(report: Report, solution: Solution, hints: bool = False, counts: bool = False) -> Document:
    """Return the report as blocks. `hints` hides the right numbers. `counts` adds the list of steps with points."""
    document = Document([Heading(report.problem.title or report.problem.name, 1)])
    document.blocks.append(Paragraph(texts.summary(report, report.bound.script.student), "ask"))
    if counts and (counted_text := texts.counted_steps(report)):
        document.blocks.append(Paragraph(counted_text, "fine"))
    document.blocks += [Paragraph(note, "note") for note in texts.notes(report)]
    for part_report, solved in zip(report.parts, solution.parts, strict=True):
        document.blocks += _part(part_report, solved, solution, report, hints)
    document.blocks += _marks(report)
    return document


def _part(
    part_report: PartReport, solved: PartSolution, solution: Solution, report: Report, hints: bool
) -> Iterator[Block]:
    if not part_report.steps:
        return
    if title := part_report.part.title or part_report.part.name:
        yield Heading(title, 2, texts.score(*total(part_report.steps)))
    scope = Scope(solution, solved)
    steps = [_ReportStep(step, scope, report, hints) for step in part_report.steps]
    for line, group in groupby(steps, key=_ReportStep.summary_line):
        if line is not None:
            yield Paragraph(texts.shared_remark([step.step.name for step in group], line[1]), line[0])
            continue
        for step in group:
            yield from step.blocks()
    if (coming := _next(part_report)) is not None:
        sides = () if coming.states_result else (EquationSide(readable_formula(scope, coming.tree)),)
        yield Formula(Name(coming.name), sides, texts.NEXT)


def step_blocks(report: Report, solution: Solution, key: str) -> Iterator[Block]:
    """Yield the blocks of the step with this key; nothing if the report has no such step."""
    for part_report, solved in zip(report.parts, solution.parts, strict=True):
        for step in part_report.steps:
            if step.step.key == key:
                yield from _ReportStep(step, Scope(solution, solved), report, False).blocks()


def _next(part_report: PartReport) -> Step | None:
    """Return the first unanswered step; None if a step is wrong."""
    if any(step.verdict == "wrong" for step in part_report.steps):
        return None
    return next((step.step for step in part_report.steps if step.verdict == "missing"), None)


# -- marks -------------------------------------------------------------------------------------------------------------


def _marks(report: Report) -> Iterator[Block]:
    """Yield a table of the points of each step with reasons; nothing if no point is lost or nothing is answered."""
    if report.exact == report.out_of or (not report.exact and all(step.verdict == "missing" for step in report.steps)):
        return
    rows = []
    for _, group in groupby(
        report.steps, key=lambda step: (step.step.part, step.verdict, texts.reason_text(step.mark.reasons))
    ):
        steps = list(group)
        names = [Name(f"{step.step.part}.{step.step.name}" if step.step.part else step.step.name) for step in steps]
        if len(names) > FEW:
            names = [names[0], Name("…"), names[-1]]
        rows.append((tuple(names), texts.mark_reason(steps[0]), texts.score(*total(steps))))
    yield Heading(texts.MARKS, 2, texts.score(report.earned, report.out_of))
    yield Table(texts.MARKS_HEADS, tuple(rows), frozenset({POINTS}))


# -- one step ----------------------------------------------------------------------------------------------------------


class _ReportStep:
    """A step of the report."""

    def __init__(self, step_report: StepReport, scope: Scope, report: Report, hints: bool):
        self.step_report = step_report
        self.scope = scope
        self.report = report
        self.hints = hints
        self.step: Step = step_report.step

    def summary_line(self) -> tuple[str, str] | None:
        """Return a role and a phrase, which steps may share, for a step without separate blocks; otherwise None."""
        step_report = self.step_report
        if step_report.verdict == "missing" or step_report.shows_nothing:
            return "left", texts.reason_text(step_report.mark.reasons)
        if step_report.verdict == "right" and step_report.line is None:
            return "done", texts.reason_text(step_report.mark.reasons)
        if (
            self.notes
            or step_report.verdict == "wrong"
            or (step_report.cells and not (self.hints and step_report.verdict == "carried"))
        ):
            return None
        return "done", texts.VERDICTS[step_report.verdict]

    @property
    def verdict(self) -> str:
        """The verdict in words. The first wrong step has special words."""
        if self.step_report is self.report.first_wrong:
            return texts.FIRST_ERROR
        return texts.VERDICTS[self.step_report.verdict]

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the reader, such as a transposed matrix or a missing row."""
        return tuple(self.step_report.line.filled.notes) if self.step_report.line else ()

    def blocks(self) -> Iterator[Block]:
        step_report = self.step_report
        yield Formula(Name(self.step.name), (EquationSide(readable_formula(self.scope, self.step.tree)),), self.verdict)
        if self.differing and step_report.line is not None:
            yield Matrices(tuple(self.grids()))
        for note in self.notes:
            yield Paragraph(note, "fine")
        if step_report.verdict == "wrong":
            yield from self.explanation()
        elif step_report.verdict == "last_digit":
            mode = self.scope.rounding.mode
            cells = step_report.cells
            digits = texts.last_digits(self.differing, cells, self.place, self.unrounded, self.hints, mode)
            yield Paragraph(digits, "fine")

    # -- typed and right entries ---------------------------------------------------------------------------------------

    def grids(self) -> Iterator[Grid | Sign]:
        n, m = self.step.shape
        yield self.grid(texts.YOURS, self.typed)
        if self.hints or n * m > LARGEST_SHOWN:
            return
        yield Sign("")
        name = (
            texts.FOLLOWS if self.follows else texts.SOLUTION if self.step_report.verdict == "carried" else texts.RIGHT
        )
        yield self.grid(name, self.right)

    @cached_property
    def follows(self) -> bool:
        """True if the line is wrong and uses wrong lines. Expected entries then follow from these lines."""
        return self.step_report.verdict == "wrong" and self.follows_wrong_lines()

    def grid(self, name: str, cell: Callable[[int, int], Cell]) -> Grid:
        n, m = self.step.shape
        cells = tuple(tuple(cell(i, j) for j in range(m)) for i in range(n))
        return Grid(Name(name), cells, *self.step.display_labels)

    def difference_at(self, i: int, j: int) -> CellReport | None:
        return self.by_place.get((i, j))

    @cached_property
    def by_place(self) -> dict[tuple[int, int], CellReport]:
        return {(cell.row, cell.column): cell for cell in reversed(self.differing)}

    @cached_property
    def differing(self) -> list[CellReport]:
        """The entries to mark. If all values are right, these are the entries with other digits."""
        cells = self.step_report.cells
        if self.step_report.verdict in texts.NEARLY:
            return [cell for cell in cells if not texts.is_same_number(cell.typed, cell.right)]
        return cells

    def typed(self, i: int, j: int) -> Cell:
        line = self.step_report.line
        assert line is not None
        text = line.filled.cells[i, j].text if (i, j) in line.filled.cells else texts.EMPTY
        blamed = self.step_report.verdict in ("wrong", "last_digit", "truncated") and self.difference_at(i, j)
        return Cell(text, None, "wrong" if blamed else "")

    def right(self, i: int, j: int) -> Cell:
        cell = self.difference_at(i, j)
        if cell and self.follows:
            return Cell(cell.from_own, None, "should")
        return Cell(self.shortest(cell), None, "should") if cell else self.accepted(i, j)

    def accepted(self, i: int, j: int) -> Cell:
        """Return an entry without a mark, or a missing entry with the mark `should`."""
        typed = self.typed(i, j).text
        right = (self.step_report.from_own if self.follows else self.step_report.right)[i][j]
        if typed == texts.EMPTY and right != "?":
            return Cell(right, None, "should")
        return Cell(typed if right == "?" or texts.is_same_number(typed, right) else right)

    def shortest(self, cell: CellReport) -> str:
        """Return the right entry for a wrong entry: 2 instead of 2.00 if the value is exact and the student wrote 3."""
        shown = self.scope.shown(self.step.name)
        typed = max(len(other.typed.partition(".")[2]) for other in self.step_report.cells)
        return shown.text(cell.row, cell.column) if shown.terminates and typed <= shown.digits else cell.right

    def unrounded(self, cell: CellReport) -> str:
        """Return the right value with enough digits to see why it rounds to the right entry; otherwise ""."""
        digits, mode = _decimals(cell.right), self.scope.rounding.mode
        for more in range(2, MORE_DIGITS):
            text = right_texts(self.report.context.true, self.step, digits + more, mode)[cell.row][cell.column]
            if texts.round_again(text, digits, mode) == cell.right:
                return text.rstrip("0") if "." in text else text
        return ""

    def place(self, i: int, j: int) -> str:
        return self.step.entry(i, j)

    # -- why it is wrong -----------------------------------------------------------------------------------------------

    def explanation(self) -> Iterator[Block]:
        """Yield the named cause or the positions of the wrong entries, then an entry with both calculations."""
        step_report = self.step_report
        if len(step_report.acts) > 1:
            yield Paragraph(texts.several_causes(step_report.acts, happened_together(step_report.acts)), "fine")
        for cause in step_report.acts:
            where = (
                "" if cause.at is None or cause.at is self.step else texts.IN_EARLIER_STEP.format(name=cause.at.name)
            )
            yield Paragraph(f"{cause.done.removesuffix('.')}{where}. {cause.advice} ({cause.code})", "cause")
        if step_report.word:
            yield Paragraph(f"{step_report.word}.", "cause")
        if step_report.shape:
            yield Paragraph(texts.WRONG_SHAPE.format(shape=step_report.shape), "cause")
        elif not step_report.causes and not step_report.word:
            yield Paragraph(texts.where_to_look(step_report, self.place, self.hints), "cause")
        if step_report.untried:
            yield Paragraph(texts.UNTRIED, "fine")
        yield from self.worked_both_ways()

    def worked_both_ways(self) -> Iterator[Block]:
        """Yield the probable calculation of a wrong entry by the student, and the right calculation. Nothing is yielded
        if the step uses wrong lines, because the right calculation then has other numbers than the student's.
        """
        if self.hints or not self.step_report.cells or self.follows_wrong_lines():
            return
        cell = self.example_cell()
        scope = self.scope.with_digits(min(MOST_DIGITS, self.decimals(cell)))
        right = work_entry(scope, self.scope.part[self.step.name], cell.row, cell.column)
        if right is None:
            return
        yield right._replace(stages=self.as_typed(cell, scope), lead=texts.YOURS)
        yield right._replace(lead=texts.RIGHT)

    def decimals(self, cell: CellReport) -> int:
        """Return the decimals of a worked entry: the line's decimals, or LEAST_DIGITS for integers without rounding."""
        stated = self.scope.part.part.rounding_stated
        return max(map(_decimals, (cell.typed, cell.right))) or (0 if stated else LEAST_DIGITS)

    def example_cell(self) -> CellReport:
        """Return a wrong entry for the worked example: a finite number, if possible not 0."""
        cells = [
            cell for cell in self.step_report.cells if "inf" not in cell.right + cell.typed
        ] or self.step_report.cells
        return next((cell for cell in cells if cell.right.strip("-0.") and cell.typed.strip("-0.")), cells[0])

    def as_typed(self, cell: CellReport, scope: Scope) -> tuple[EquationSide, ...]:
        """Return the student's number, after the mistaken calculation if the cause is a formula of this step."""
        typed: Tree = parse_entry(cell.typed) or Number(cell.typed)
        cause = self.step_report.acts[0] if self.step_report.causes else None
        if cause is None or cause.tree is None or cause.at is not self.step:
            return (EquationSide(typed),)
        done = substitute_entry(scope, cause.tree, cell.row, cell.column, cell.typed)
        if done is None or isinstance(done.tree.operand if isinstance(done.tree, Negate) else done.tree, Number):
            return (EquationSide(typed),)
        return (done, EquationSide(typed, done.exact and self.equal(done.tree, cell.typed)))

    def equal(self, tree: Tree, typed: str) -> bool:
        """Return whether the value of the calculation is exactly the student's number."""
        try:
            return self.scope.is_exactly(self.scope.rows(tree)[0][0], str(Fraction(typed)), tree)
        except (ValueError, *FAILURES):
            return False

    def follows_wrong_lines(self) -> bool:
        return self.report.context.is_broken_before(self.step.key)


def _decimals(text: str) -> int:
    """Return the number of decimals of a written number; 0 for other texts."""
    whole, _, decimals = text.partition(".")
    return len(decimals) if whole.lstrip("-").isdigit() and decimals.isdigit() else 0
