"""A script line by line, in the plan's order: what each line was worked out from, and whether it follows.

Rule R7: a line is held against the student's own lines, the right lines, and the student's lines with the line before
worked out again; any one suffices. The first line that follows from none of them is where the work broke.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import IntermediateRounding
from ..arithmetic.intervals.scalar import Box, has_decimals
from ..arithmetic.working_precision import working_precision
from ..formula import operations as op
from ..formula.typed_formula import Where
from ..plan import Step
from ..submissions.step_matching import Filled
from .alternatives import lines_before, sources_by_convention, unwritten_behind
from .context import PRECISION, MarkingContext, StudentValues
from .follow_through import accept_line, carried_enclosures, line_enclosures, student_sources
from .formula_properties import is_index_valued
from .informativeness import COARSE, copies_rows, decided_share, decimals_of, has_no_value
from .legality import (
    LegalDerivation,
    Refutation,
    enclosure_after_wrong_line,
    entry_is_compatible,
    line_is_compatible,
    may_print,
)
from .line import CarryScenario, Judgement, Line, Source, Verdict
from .masked_entries import is_softmax, softmax_axes, unmasked_cells
from .precision import HABITS, Reading, as_exact, at_working_precision, readings, zeros
from .zeros_under_logarithms import scenarios_before

GUARD_DIGITS = 1  # more than the line has, with which a constant or an unwritten value is often kept


def judge_lines(context: MarkingContext, then: Callable[[Line], None] | None = None) -> None:
    """Judge all lines, in the order of the plan, and do something with each before the next is judged."""
    with working_precision(PRECISION):
        for key in context.plan.order:
            if key in context.typed:
                context.record(key, judge_or_recall(context, key))
                if then is not None:
                    then(context.lines[key])


def judge_or_recall(context: MarkingContext, key: str) -> Judgement:
    """Return the judgement of a line; that of an earlier script of the class which is the same up to it, if any."""
    if context.memory is None:
        return judge(context, context.typed[key])
    judgements = context.memory.judgements
    if (tag := memo_key(context, key)) not in judgements:
        judgements[tag] = judge(context, context.typed[key])
    return replace(judgements[tag], line=replace(judgements[tag].line, filled=context.typed[key]))


def memo_key(context: MarkingContext, key: str) -> tuple[object, ...]:
    """Return the texts of a line and of all lines that it depends on, and the most decimals of the script."""
    return (
        context.bound.script.computed,
        context.most_decimals,
        *(context.line_texts[k] for k in (key, *sorted(lines_before(context, key)))),
    )


def softmax_axes_of_users(context: MarkingContext, step: Step) -> tuple[str, ...]:
    """Return the axes of a step along which weights are taken: rows, columns, or none that is known."""
    users = (
        user_step.node for user_step in context.plan.steps() if step.key in context.plan.dependencies[user_step.key]
    )
    return tuple(sorted({axis for node in users for axis in softmax_axes(node, step.key)}))


def read_line(context: MarkingContext, filled: Filled) -> Line:
    """Return a line with the ways to read it."""
    step, part = filled.step, context.parts[filled.step.key]
    line = Line(step, part, filled, is_index_valued=is_index_valued(step.node, context.plan))
    asked = part.rounding.digits if part.rounding_stated else None
    ways = readings(filled.cells, asked, filled.computed or context.bound.script.computed)
    if line.is_index_valued:
        ways = [as_exact(ways[0])]  # R1b: another one is wrong, however near its number
    options: dict[str, Any] = {}
    if step.key not in context.behind_logarithms:
        # −∞ hides a score
        options["scores"] = softmax_axes_of_users(context, step) or ("rows", "columns")
    if is_softmax(step):
        options["weights"] = True
    line.readings = [replace(reading, **options) for reading in ways] if options else ways
    if filled.cells and isinstance(step.node, op.Keep | op.Add):  # masked entries may hold their own score
        masked, values = step.node, context.printed_values
        line.readings = [replace(reading, shown=unmasked_cells(masked, reading, values)) for reading in line.readings]
    line.reading = line.readings[0]
    return line


def judge(context: MarkingContext, filled: Filled) -> Judgement:
    """Return the judgement of one line, given those of the lines before it; the context records nothing of it.

    The line may follow from the student's lines in one of the scenarios; from these if omitted steps went as the
    problem file accepts; from the right lines; or from the lines before, calculated again.
    """
    line = read_line(context, filled)
    if not filled.cells:
        line.verdict = "missing"
        return Judgement(line)
    broken, scenarios = context.is_broken_before(line.key), scenarios_before(context, line)
    sources = {scenario: student_sources(context, scenario, line.step) for scenario in scenarios}
    tried = [(scenario, accept_line(context, line, *sources[scenario])) for scenario in scenarios]
    legal = [(scenario, outcome) for scenario, outcome in tried if isinstance(outcome, LegalDerivation)]
    if legal:
        scenario, derivation = min(legal, key=lambda attempt: (attempt[1].reading.coarse, attempt[1].habit != "round"))
        return accepted(context, scenario, line, derivation, broken, [sources[scenario] for scenario, _ in legal])
    for scenario in scenarios:
        for source in sources_by_convention(context, scenario, line.step):
            if isinstance(outcome := accept_line(context, line, source), LegalDerivation):
                return accepted(context, scenario, line, outcome, broken, [[source]])
    refuted = [(scenario, outcome) for scenario, outcome in tried if isinstance(outcome, Refutation)]
    scenario, refutation = min(refuted, key=lambda attempt: len(attempt[1].cells))
    if isinstance(right := accept_line(context, line, context.right), LegalDerivation):
        return accepted(context, scenario, line, right, False, [[context.right]])
    direct = frozenset(k for k in context.plan.dependencies[line.key] if k in scenario.values)
    if broken or any(context.lines[k].verdict == "last_digit" for k in direct):
        again = StudentValues(context, scenario, direct)
        if isinstance(outcome := accept_line(context, line, again), LegalDerivation):
            return accepted(context, scenario, line, outcome, broken, [[again]])
    return refused(context, scenario, line, refutation, broken)


def accepted(
    context: MarkingContext,
    scenario: CarryScenario,
    line: Line,
    derivation: LegalDerivation,
    broken: bool,
    sources: list[list[Source]],
) -> Judgement:
    """Return the judgement of an accepted line, and whether it is uninformative.

    If it follows from wrong lines (`broken`), it is carried, unless its value is right; its digits are judged as usual.
    """
    first = line.readings[0]
    line.digit_verdict = digit_verdict(context, scenario, line, derivation, broken)
    coarse = any(reading.coarse and reading.digits < first.digits for reading in line.readings)
    if broken and coarse and not may_print(first, context.point_expectations(line.step)):
        line.digit_verdict = "too_coarse"  # a coarse line that is wrong leaves room for any digits behind it
    line.verdict = "carried" if broken and not is_near_right(context, line) else line.digit_verdict
    line.accepted, line.reading = derivation, derivation.reading
    reading, box = derivation.reading, derivation.box
    if has_no_value(reading, box):
        line.is_uninformative = not is_complete_line(context, line)
        line.is_undefined = line.is_uninformative and bool(context.upstream[line.key])  # by typed numbers
    elif (reading.has_coarse_entries or zeros(reading)) and not is_complete_line(context, line):
        tells_nothing = zeros(reading) or is_softmax(line.step) and copies_rows(line)
        share = 0.0 if tells_nothing else decided_share(context, line, box)
        line.is_uninformative = share < COARSE
        if line.is_uninformative:
            line.verdict = "missing" if zeros(reading) else "too_coarse"  # zeros for what is not 0 are no answer at all
    carried, line.near = carried_enclosures(context, line, sources)
    return Judgement(line, carried)


def refused(
    context: MarkingContext, scenario: CarryScenario, line: Line, refutation: Refutation, broken: bool
) -> Judgement:
    """Return the judgement of a line that follows from no lines."""
    line.reading, line.cells = refutation.reading, refutation.cells
    line.verdict = verdict_of_refused(context, scenario, line, broken)
    expected = context.expected(line.step, scenario)
    most = refutation.reading.digits + 1
    exact = all(  # an entry that needs no more decimals than the right one was probably not rounded
        decimals_of((value, value), most) <= decimals_of(expected[i][j], most) < most
        for (i, j), value in refutation.reading.values.items()
    )
    carried = enclosure_after_wrong_line(refutation.reading, expected, line.verdict == "wrong" and not exact)
    return Judgement(line, [carried])


def is_complete_line(context: MarkingContext, line: Line) -> bool:
    """Return whether a coarse line is right to the working decimals too: it lacks only zeros behind its numbers."""
    fine = at_working_precision(line.reading)  # type: ignore[arg-type]
    paper, right = context.point_expectations(line.step)
    accepted: Box = line.accepted.box  # type: ignore[union-attr]
    if not context.has_ground(line.key):
        boxes = [right]
    else:
        boxes = [paper, right] if line.accepted.weak else [paper, right, accepted]  # type: ignore[union-attr]
    return may_print(fine, [box for box in boxes if not has_no_value(fine, box)])


def is_near_right(context: MarkingContext, line: Line) -> bool:
    """Return whether a line that follows from wrong ones is right in value all the same, within a unit of its
    last digit.
    """
    tried = accept_line(context, line, context.right)
    return isinstance(tried, LegalDerivation) or all(is_within_a_unit(tried, at) for at in tried.reading.values)


def is_within_a_unit(refused: Refutation, at: Where) -> bool:
    """Return whether an entry is at most one unit of its last digit off. Of a coarse line a unit is much: some habit
    must print its entry.
    """
    reading = refused.reading
    if reading.has_coarse_entries:
        return any(entry_is_compatible(reading, habit, refused.box, at) for habit in HABITS)
    return entry_is_compatible(reading, "round", refused.box, at, fmpq(1))


def verdict_of_refused(context: MarkingContext, scenario: CarryScenario, line: Line, broken: bool) -> Verdict:
    """Return the verdict on a refused line: wrong, or at most a unit of the last digit off what it should be.

    It should be what follows from the numbers on paper, or what is right. In a coarse line a unit is everything, and an
    exact entry is never rounded.
    """
    box, reading = context.expected(line.step, scenario), line.reading
    assert reading is not None
    if reading.has_coarse_entries or not any(reading.units.values()):
        return "wrong"
    if any(has_decimals(box[i][j], reading.digits) for i, j in line.cells):
        return "wrong"
    if all(any(entry_is_compatible(reading, habit, box, at) for habit in HABITS[:2]) for at in reading.values):
        digits: Verdict = "truncated"  # some entries are truncated, and others rounded
    elif any(line_is_compatible(reading, "round", box, fmpq(1)) for box in context.point_expectations(line.step)):
        digits = "last_digit"
    else:
        return "wrong"
    return "carried" if broken and not is_near_right(context, line) else digits


def digit_verdict(
    context: MarkingContext, scenario: CarryScenario, line: Line, accepted: LegalDerivation, broken: bool
) -> Verdict:
    """Return right, truncated (cut although rounding is asked) or too_coarse. Exact numbers have no further decimals;
    after wrong lines (`broken`) the right numbers are not what the student should have written.
    """
    if accepted.reading.coarse:
        boxes = [accepted.box] if broken else [accepted.box, context.right(line.key)]
        return "right" if any(map(accepted.reading.is_exactly, boxes)) else "too_coarse"
    if accepted.habit == "round" or line.part.rounding.mode == "truncate":
        return "right"
    reading = accepted.reading
    cut = (
        all(
            entry_is_compatible(reading, "round", box, at) or entry_is_compatible(reading, accepted.habit, box, at)
            for at in reading.values
        )
        for box in context.point_expectations(line.step)
    )
    if not any(cut) or is_rounded_line(context, scenario, line, reading):
        return "right"  # something on the way was cut or rounded, not the line
    return "truncated"


def is_rounded_line(context: MarkingContext, scenario: CarryScenario, line: Line, reading: Reading) -> bool:
    """Return whether the line is explained by rounding alone.

    Either constants and unwritten values are rounded in one certain way from the numbers on paper, or each omitted step
    is rounded as a line.
    """
    digits = range(reading.working, reading.working + GUARD_DIGITS + 1)
    hands = [
        *(IntermediateRounding(kept, constants=kept) for kept in digits),
        *(
            IntermediateRounding(kept, "round", exactly=True, products=each)
            for kept in digits
            for each in (False, True)
        ),
    ]
    paper = line_enclosures(context, line.step, lambda key, working: context.printed_values(key))
    if any(line_is_compatible(reading, "round", box) for working in hands for box in paper.boxes(working)):
        return True
    enclosures = line_enclosures(context, line.step, StudentValues(context, scenario))
    left_out = unwritten_behind(context, line.key)
    return bool(left_out) and any(
        line_is_compatible(reading, "round", box)
        for box in enclosures.boxes(IntermediateRounding(reading.working, "round"))
    )
