"""The report on a script: a verdict for each step, the first error and its cause, and marks with their reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from .. import limits
from ..arithmetic.budget import MOST_SECONDS, GiveUp, Meter, spending
from ..arithmetic.intervals.scalar import Box
from ..arithmetic.working_precision import working_precision
from ..errors import Diagnostic, Location, OverBudget, shorten
from ..formula.typed_formula import Where
from ..plan import Step
from ..problem.problem import Part, Problem
from ..solution import PAGES
from ..submissions.step_matching import Bound
from .alternatives import prints_right, with_fewer_alternatives
from .context import PRECISION, MarkingContext, Memory
from .credit import Mark, Reason, because, by_rubric, mark, points_of, rounded
from .diagnosis.cause import Cause, slip_cause
from .diagnosis.search import causes, different, mistaken_boxes
from .diagnosis.slips import is_transposed
from .expected_values import CellReport, differing, expected_matrices
from .follow_through import accept_line
from .informativeness import all_incorrect_entries, copies_rows, is_ground
from .judge import is_complete_line, judge_lines, memo_key
from .legality import LegalDerivation
from .line import Line, Verdict
from .masked_entries import is_softmax
from .omitted_steps import OmittedSteps, is_certain
from .precision import at_working_precision

NO_NUMBER = "{entry}: expected a number, found “{text}”"


def word_of(bound: Bound, step: Step, read: Collection[Where] = ()) -> str:
    """Return the message about the first word in the answer to a step; empty if there is none.

    A cell that was `read` although it has a word is masked, and its word crosses it out.
    """
    words = sorted(bound.words.get(step.key, {}).items())
    messages = (NO_NUMBER.format(entry=step.entry(*at), text=shorten(text, 40)) for at, text in words if at not in read)
    return next(messages, "")


FAILS = ("wrong", "carried", "missing")
FOR_VERDICTS, FOR_MISTAKES = MOST_SECONDS, MOST_SECONDS / 2  # of work on intervals: on verdicts, and on causes


@dataclass(slots=True)
class StepReport:
    """One step: its verdict, entries that differ, causes (best first) and marks. `line` is None where nothing was
    answered.

    `right` and `from_own` are the whole matrices beside the typed one: the right one, and what follows from the
    student's own lines. `shape` says both shapes where the answer has the wrong one.
    """

    step: Step
    verdict: Verdict | Literal["granted"]  # granted: all points by hand, so it is no error
    mark: Mark
    line: Line | None = None
    cells: list[CellReport] = field(default_factory=list)
    right: list[list[str]] = field(default_factory=list)
    from_own: list[list[str]] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    shape: str = ""
    word: str = ""  # an entry that is no number
    untried: bool = False  # mistakes were not tried, or not all, since the budget was spent
    made_in: Step | None = None  # a step that was left out, in which the mistake of this one was made

    @property
    def acts(self) -> list[Cause]:
        """The causes that are different acts; a copy of a typed line may be just that."""
        acts = different(self.causes, self.step)
        return [cause for cause in self.causes if cause.copies or cause in acts]

    @property
    def digits(self) -> int:
        """The decimals that the line is read with, 0 where there is none."""
        reading = self.line.reading if self.line else None
        return reading.digits if reading else 0

    @property
    def shows_nothing(self) -> bool:
        """Whether a line earns nothing although nothing in it is wrong.

        It has too few digits to show a mistake, or follows from a line that shows no work.
        """
        return self.verdict not in ("wrong", "missing") and not self.mark.earned and self.mark.out_of > 0


def total(steps: Iterable[StepReport]) -> tuple[Fraction, Fraction]:
    """Return the marks that some steps have, and those that could be had."""
    marks = [step.mark for step in steps]
    return sum((mark.earned for mark in marks), Fraction(0)), sum((mark.out_of for mark in marks), Fraction(0))


@dataclass(slots=True)
class PartReport:
    """The verdicts on one part, in the order of its steps."""

    part: Part
    steps: list[StepReport] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """A whole script. `context` holds what each line was worked out from."""

    problem: Problem
    bound: Bound
    context: MarkingContext
    parts: list[PartReport] = field(default_factory=list)

    @property
    def steps(self) -> list[StepReport]:
        return [step for part in self.parts for step in part.steps]

    @property
    def first_wrong(self) -> StepReport | None:
        """The first step that is wrong by itself, None where none is."""
        return next((s for s in self.steps if s.verdict == "wrong"), None)

    @property
    def exact(self) -> Fraction:
        """The marks of all parts, not rounded."""
        return total(self.steps)[0]

    @property
    def earned(self) -> Fraction:
        """The marks of all parts, rounded last."""
        return rounded(self.exact, self.problem.round_to, self.out_of)

    @property
    def out_of(self) -> Fraction:
        """The marks that could be had."""
        return total(self.steps)[1]

    @property
    def passed(self) -> bool:
        """Return whether no step is wrong, carried or missing."""
        return not any(s.verdict in FAILS for s in self.steps)

    @property
    def undecided(self) -> list[str]:
        """The steps with points that almost any numbers would have earned (R5), and whose numbers are not right."""
        lines = [(s.step.key, s.line) for s in self.steps if s.mark.earned and s.line and s.line.open]
        return [key for key, line in lines if not prints_right(self.context, line)]

    def _repr_html_(self) -> str | None:
        return PAGES.html(self)

    @property
    def habit(self) -> dict[str, object]:
        """The digits that the lines have in common, and whether they are rounded or truncated."""
        lines = [
            s.line
            for s in self.steps
            if s.line and s.line.accepted and s.line.reading and any(s.line.reading.units.values())
        ]
        if not lines:
            return {"digits": None, "habit": None}
        digits = [line.reading.digits for line in lines if line.reading]
        habits = [line.accepted.habit for line in lines if line.accepted]
        common = habits[0] if len(set(habits)) == 1 else "cut" if "round" not in habits else "mixed"
        return {"digits": max(digits, key=digits.count), "habit": common}


def check(problem: Problem, bound: Bound, memory: Memory | None = None) -> Report:
    """Mark a script that is bound to its problem. `memory` is that of a class with one problem: the report is the same
    without.
    """
    verdicts, mistakes = Meter(FOR_VERDICTS), Meter(FOR_MISTAKES)
    choices = list(with_fewer_alternatives(problem))
    if choices and memory is None:
        memory = Memory()  # most lines are judged alike by several choices
    best = _checked(problem, bound, memory, verdicts, mistakes)
    for less in choices:
        if best.exact == best.out_of:
            break
        best = _better(best, _checked(less, bound, memory, verdicts, mistakes), memory)
    first = best.first_wrong
    if first is not None and first.line is not None and is_transposed(best.context, first.line):
        kept = {step.step.key for step in best.steps if step.verdict == "right"}
        turned = _transposed(bound, first, problem, kept)
        other = _checked(best.problem, turned, None, Meter(FOR_VERDICTS), mistakes)
        _charge_once(other, first, kept)
        best = _better(best, other, memory)
    best.problem = problem
    return best


def _better(best: Report, other: Report, memory: Memory | None) -> Report:
    """Return the report with more points, and release the lines of the other if no other script uses them."""
    best, worse = (other, best) if other.exact > best.exact else (best, other)
    if memory is None:
        worse.context.release()
    return best


def _transposed(bound: Bound, first: StepReport, problem: Problem, kept: Collection[str]) -> Bound:
    """Return a script with its square matrices transposed, from one step on, without those of the kept steps."""
    steps, order = list(bound.steps), problem.plan.order
    for k, filled in enumerate(steps):
        n, m = filled.step.shape
        is_later = order[filled.step.key] >= order[first.step.key]
        if n == m and is_later and filled.step.key not in kept:
            steps[k] = replace(filled, cells={(j, i): typed for (i, j), typed in filled.cells.items()})
    return replace(bound, steps=tuple(steps))


def _charge_once(report: Report, first: StepReport, kept: Collection[str]) -> None:
    """Charge the transposed matrices of a script in the first of them; the others follow from it."""
    cause, nothing = slip_cause("transposed", first.step), Mark(Fraction(0), first.mark.out_of)
    for part in report.parts:
        for k, step in enumerate(part.steps):
            n, m = step.step.shape
            if step.step.key == first.step.key:
                part.steps[k] = replace(first, mark=nothing, causes=[cause], made_in=None)
            elif step.verdict == "right" and step.line and n == m > 1 and step.step.key not in kept:
                step.verdict, step.mark = "carried", replace(step.mark, reasons=because(Reason.CARRIED))


def _checked(problem: Problem, bound: Bound, memory: Memory | None, verdicts: Meter, mistakes: Meter) -> Report:
    """Return the report by all alternatives of a problem; verdicts and the search for causes have a meter each."""
    context = MarkingContext(problem, bound, memory=memory)
    report = Report(problem, context.bound, context)
    try:
        with working_precision(PRECISION), spending(verdicts):
            judged = _judged(context, mistakes)
            for part in problem.parts:
                report.parts.append(_part(context, part, judged))
    except GiveUp:
        at = next((filled.step for key, filled in context.typed.items() if key not in context.lines), None)
        name = f"{at.key}: " if at else ""
        message = f"{name}{limits.SECONDS.exceeded('more for marking this answer')}"
        raise OverBudget(Diagnostic(message, at.place if at else Location())) from None
    return report


@dataclass(slots=True)
class _Judged:
    """The conclusions from all lines of a script: causes, idle lines, which show no work or follow from such lines,
    omitted steps, and lines for which the budget did not suffice to try all mistakes.
    """

    causes: dict[str, list[Cause]]
    idle: set[str]
    left_out: OmittedSteps
    untried: set[str]


def _judged(context: MarkingContext, mistakes: Meter) -> _Judged:
    """Judge the lines in order. Of a wrong line the causes are found before the next is judged, which may follow."""
    named: dict[str, list[Cause]] = {}
    untried: set[str] = set()

    def explain(line: Line) -> None:
        if line.verdict == "wrong":
            try:
                with spending(mistakes):
                    named[line.key] = _causes(context, line, named)
            except GiveUp:
                named[line.key] = []
                untried.add(line.key)
                context.memory = None  # what is judged from here on depends on the budget
            line.incorrect_entries = all_incorrect_entries(line, context.expected(line.step, context.likeliest))
            if any(cause.node is not None for cause in named[line.key]):
                line.cells = line.incorrect_entries
            context.keep_mistaken(line, _mistaken_boxes(context, line, named[line.key], mistakes))
        else:
            line.like_mistakes = _mistakes_of_coarse_line(context, line, mistakes)
        if prints_right(context, line):
            context.right_lines.add(line.key)
        if not is_ground(context, line, bool(named.get(line.key))):
            context.groundless.add(line.key)

    judge_lines(context, explain)
    fillers = set() if _shows_work(context) else {key for key, line in context.lines.items() if line.verdict == "wrong"}
    context.groundless |= fillers
    after = {key for key, line in context.lines.items() if not context.has_ground(key) and not _is_right(context, line)}
    idle = fillers | after
    return _Judged(named, idle, OmittedSteps(context, named, context.groundless | idle), untried)


def _shows_work(context: MarkingContext) -> bool:
    """Return whether the lines of a script have other numbers than 0 and 1; indices aside."""
    lines = [line for line in context.lines.values() if line.reading and not line.is_index_valued]
    return not lines or any(typed not in (0, 1) for line in lines for typed in line.reading.values.values())  # type: ignore[union-attr]


def _is_right(context: MarkingContext, line: Line) -> bool:
    """Return whether a line is right whatever the lines before it are.

    It prints right numbers, or honest work leads to it from the right lines in full.
    """
    if line.key in context.right_lines:
        return True
    return line.verdict != "wrong" and isinstance(accept_line(context, line, context.right), LegalDerivation)


def _part(context: MarkingContext, part: Part, judged: _Judged) -> PartReport:
    worth = points_of(part)
    part_report = PartReport(part)
    for step in part.plan.steps:
        line = context.lines.get(step.key)
        asked = step.name in worth
        unfit = line is None and (step.key in context.bound.shapes or step.key in context.bound.words)
        if line is None and not asked and not unfit:
            continue
        points = worth.get(step.name, Fraction(0))
        if unfit:
            part_report.steps.append(_unfit(context, step, points))
            continue
        named = judged.causes.get(step.key, [])
        accuracy_reason = next((cause.accuracy_reason for cause in named if cause.accuracy_reason), None)
        is_open = (
            line is None or not line.filled.cells or line.is_uninformative
        )  # else nobody asks what other lines say of it
        implied = is_open and judged.left_out.implies(step.key)
        works, mistaken = line is not None and not copies_rows(line), any(cause.node is not None for cause in named)
        given = mark(line, points, implied, step.key in judged.idle, accuracy_reason, works, mistaken)
        if line is not None:
            given = by_rubric(given, line, (cause.code for cause in named))
        given = judged.left_out.charged(given, step)
        verdict = line.verdict if line else "missing"
        if (line is None or not line.filled.cells) and implied:  # left out, and what needs it is right
            if points:
                part_report.steps.append(StepReport(step, "right", given))
            continue
        report = StepReport(step, verdict, given, line, made_in=judged.left_out.made_in(step))
        report.untried = step.key in judged.untried
        if line is not None and (messages := _unusable(context, step, line)) != ("", ""):
            report.verdict, (report.shape, report.word) = "wrong", messages
            report.mark = replace(given, reasons=because(Reason.UNUSABLE, message="".join(messages)))
        if line is not None and verdict in ("wrong", "carried", "last_digit", "truncated"):
            report.right, report.from_own = expected_matrices(context, line)
            report.cells = differing(context, line, report.right, report.from_own)
        report.causes = named
        part_report.steps.append(report)
    return part_report


def _unusable(context: MarkingContext, step: Step, line: Line | None = None) -> tuple[str, str]:
    """Return the message about an answer of another shape, and the message about a word in the place of a number."""
    shape = context.bound.shapes.get(step.key, "")
    return shape, "" if shape else word_of(context.bound, step, line.filled.cells if line else ())


def _unfit(context: MarkingContext, step: Step, points: Fraction) -> StepReport:
    """Report a step whose answer has another shape, or words alone: it is wrong, with the reason."""
    shape, word = _unusable(context, step)
    return StepReport(
        step,
        "wrong",
        Mark(Fraction(0), points, because(Reason.UNUSABLE, message=shape or word)),
        shape=shape,
        word=word,
    )


def _causes(context: MarkingContext, line: Line, named: Mapping[str, list[Cause]]) -> list[Cause]:
    """Return the causes of a line; two mistakes at once only after explained lines, since they take the longest. The
    memory of a class keeps them by its numbers, those before it, and the written lines.
    """
    in_pairs = not any(key in context.upstream[line.key] and not line_causes for key, line_causes in named.items())
    if context.memory is None:
        return causes(context, line, in_pairs)
    tag = (in_pairs, *memo_key(context, line.key), *sorted(context.typed))
    if tag not in context.memory.causes:
        context.memory.causes[tag] = causes(context, line, in_pairs)
    return context.memory.causes[tag]


def _mistaken_boxes(context: MarkingContext, line: Line, named: list[Cause], meter: Meter) -> list[Box]:
    """Return the values of a line by the formulas of the named mistakes. If the budget ends, return only the values
    that explain the line.
    """
    try:
        with spending(meter):
            return [box for cause in named for box in mistaken_boxes(context, line, cause)]
    except GiveUp:
        context.memory = None
        return [cause.box for cause in named if cause.node is not None and cause.box]


def _mistakes_of_coarse_line(context: MarkingContext, line: Line, meter: Meter) -> tuple[str, ...]:
    """Return the mistakes that give the numbers of an accepted line to the working decimals (R1c).

    Return none if the right formula gives these numbers as well, if no other line has more decimals, or if the line has
    weights that only copy rows.
    """
    reading = line.reading
    if not line.accepted or reading is None or not reading.has_coarse_entries or is_complete_line(context, line):
        return ()
    if context.most_decimals <= reading.digits or is_softmax(line.step) and copies_rows(line):
        return ()
    fine = at_working_precision(reading)
    try:
        with spending(meter):
            explanations = causes(context, replace(line, reading=fine, readings=[fine]), in_pairs=False)
    except GiveUp:
        context.memory = None
        return ()
    return tuple(cause.code for cause in explanations if cause.node is not None and is_certain(cause))
