"""Diagnosability: whether `check` would name each visible mistake of a problem.

The marker judges counterfactual answers to single lines of a marked script. It does so only for doubtful mistakes:
those with numbers near the right ones or near another mistake's, and those with few informative entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import inf

from ..arithmetic.intervals.decimals import Units
from ..arithmetic.intervals.scalar import Box
from ..arithmetic.working_precision import working_precision
from ..errors import AttncalcError, Location
from ..formula import operations as op
from ..formula.typed_formula import Node
from ..marking.context import PRECISION, MarkingContext
from ..marking.diagnosis.cause import Cause
from ..marking.diagnosis.search import NAMED, Search, causes
from ..marking.judge import judge, judge_lines, read_line
from ..marking.line import Line
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import Mistake
from ..mistakes.slip_catalogue import SLIPS
from ..plan import Step
from ..submissions.located_text import Written
from ..submissions.number_parser import entry
from ..submissions.step_matching import Bound, Filled
from ..submissions.submission import Script, Typed
from .distinguishability import Verdict, certify, is_equal
from .numeric_view import NumericView

ENOUGH = 2.0  # bits to spare that rounded lines before a mistake seldom use up
NEAR = 3  # units of the last digit: the effect of legal rounding, with some reserve
FAR = 2 * NEAR  # units of the last digit between mistakes of which neither explains the other
Flat = tuple[int | str, ...]  # units, row after row
FEW = 3  # informative entries that leave no doubt; a masked or unmasked entry counts twice


def mark_counterfactual(
    context: MarkingContext, filled: Filled, tried: Container[str] | None = None
) -> tuple[Line, list[Cause]]:
    """Return one line of a marked script with a different answer, and the causes that would be named, among those
    `tried`.
    """
    line = judge(context, filled).line
    return line, causes(context, line, tried=tried) if line.verdict == "wrong" else []


def causes_of_wrong_counterfactual(context: MarkingContext, filled: Filled, tried: Container[str]) -> list[Cause]:
    """Return the causes of a line that is certainly refused, for instance one far from the right numbers after right
    lines.
    """
    line = read_line(context, filled)
    is_read = line.reading is not None and bool(line.reading.values)  # longer numbers than a person types are not
    return causes(context, line, tried=tried) if is_read else []


def evidence_margin(context: MarkingContext, filled: Filled, mistake: Mistake, node: Node, box: Box) -> float:
    """Return the evidence, in bits, beyond what naming a mistake requires in a line of a marked script; negative if the
    mistake would not be named.

    The evidence is that of the entries that the mistake changes; other causes are ignored. `box` holds the line's
    numbers, sharper than the marker knows them. If the margin is small, it is calculated from the rounded lines.
    """
    line = read_line(context, filled)
    site = context.site(filled.step)
    search = Search(context, line, context.likeliest, context.expected(line.step, context.likeliest))
    if all(map(search.may_be, search.reading.values)):
        return inf  # masked scores of −10 that do as −∞ does are no mistake
    asked = search.price(mistake, search.candidates([site])) + NAMED
    spare = search.evidence(box) - asked
    if not 0 <= spare < ENOUGH:
        return spare
    by_lines = search.explains(site, node)
    return -1.0 if by_lines is None else search.evidence(by_lines) - asked


@dataclass(frozen=True, slots=True)
class DiagnosisDoubt:
    """A mistake that is not diagnosed uniquely: accepted, unnamed, or named together with others."""

    verdict: Verdict
    accepted: bool
    named: tuple[str, ...]


def step_answer(step: Step, printed: Sequence[Sequence[str]]) -> Filled:
    """Return a complete answer to a step with these texts; `?` is left out."""
    texts = {(i, j): text for i, row in enumerate(printed) for j, text in enumerate(row) if text != "?"}
    cells = {at: typed for at, text in texts.items() if (typed := _typed(text))}
    return Filled(step.part, step, cells)


@lru_cache(maxsize=4096)  # most are a few small numbers
def _typed(text: str) -> Typed | None:
    try:
        return entry(Written(text, lambda k: Location()))
    except AttncalcError:  # longer than an answer may be
        return None


def right_script(view: NumericView) -> Bound:
    """Return a script of the right answers as they print."""
    steps = [step_answer(step, view.printed(step)) for step in view.steps]
    return Bound(Script(None, None, None, (), ""), view.problem, tuple(steps))


@lru_cache(maxsize=1)  # several requirements ask for it
def right_walk(view: NumericView) -> MarkingContext:
    """Return the marking of the right answers."""
    context = MarkingContext(view.problem, right_script(view), view.sites)
    context.rights.update({step.key: view.full(step.key) for step in view.steps})
    judge_lines(context)
    return context


def undiagnosable_mistakes(view: NumericView) -> Iterator[DiagnosisDoubt]:
    """Yield the visible mistakes that `check` does not name uniquely. Mistakes with equal numbers at any precision
    count as one.
    """
    visible = _visible(view)
    with_twins: set[Verdict] = set()
    for verdicts in visible.values():
        for verdict in verdicts:
            if others := _twins(verdict, verdicts):
                with_twins.add(verdict)
                yield DiagnosisDoubt(verdict, False, (verdict.code, *others))
    candidates: list[tuple[int, Step, Verdict, list[Verdict]]] = []
    for step in view.steps:
        verdicts, right = visible.get(step.key, []), view.units(step)
        close = _close_verdicts(verdicts, right)
        for verdict in verdicts:
            if verdict in with_twins:
                continue
            if verdict in close:
                candidates.append((close[verdict], step, verdict, verdicts))
            elif _evidence_margin(view, step, verdict, right) >= 0:
                continue
            elif (verdict.code, verdict.step) not in view.nameless():
                yield DiagnosisDoubt(verdict, False, ())
    # Slow checks last, the likeliest doubts first, since one doubt rejects a draw
    for _, step, verdict, verdicts in sorted(candidates, key=lambda candidate: -candidate[0]):
        yield from _marker_doubts(view, step, verdict, verdicts)


def evidence(view: NumericView) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield (code, step) of each visible mistake, and whether the entries that it changes suffice to name it."""
    visible = _visible(view)
    for step in view.steps:
        for verdict in visible.get(step.key, []):
            yield (verdict.code, verdict.step), _evidence_margin(view, step, verdict, view.units(step)) >= 0


def _visible(view: NumericView) -> dict[str, list[Verdict]]:
    visible: dict[str, list[Verdict]] = {}
    for verdict in certify(view).verdicts:
        if verdict.kind == "separated":
            visible.setdefault(verdict.step, []).append(verdict)
    return visible


def _twins(verdict: Verdict, verdicts: list[Verdict]) -> list[str]:
    """Return the mistakes of the step that print equal numbers without being equal."""
    others = (v for v in verdicts if v.units == verdict.units and v.code != verdict.code)
    return [v.code for v in others if not is_equal(v.box, verdict.box)]


def _close_verdicts(verdicts: list[Verdict], right: Units) -> Counter[Verdict]:
    """Return the mistakes of a step that are near the right numbers or near another mistake, with the number of near
    ones.
    """
    right_units, units = _flat(right), [(verdict, _flat(verdict.units)) for verdict in verdicts]
    counts = Counter(verdict for verdict, flat in units if _is_close(flat, right_units))
    for (first, first_units), (second, second_units) in combinations(units, 2):
        if _is_close(first_units, second_units) and first.code != second.code:
            counts.update((first, second))
    return counts


def _flat(units: Units) -> Flat:
    return tuple(chain(*units))


def _evidence_margin(view: NumericView, step: Step, verdict: Verdict, right: Units) -> float:
    """Return the evidence of the differing entries in bits beyond what a name requires; negative if insufficient."""
    if _informative_entries(verdict, step, right) >= FEW:
        return inf
    with working_precision(PRECISION):
        mistake, line = catalogue()[verdict.code], step_answer(step, verdict.printed)
        return evidence_margin(right_walk(view), line, mistake, verdict.node or step.node, verdict.box)


def _informative_entries(verdict: Verdict, step: Step, right: Units) -> int:
    """Return the number of informative entries, at most FEW. Intermediate rounding seldom moves an entry by more than a
    unit.
    """
    saturated = (0, 10**verdict.digits) if isinstance(step.node, op.Softmax) else ()
    count = 0
    for unit, right_unit in zip(chain(*verdict.units), chain(*right), strict=True):
        if unit != right_unit and unit not in saturated:
            if isinstance(unit, str) or isinstance(right_unit, str):
                count += 2
            elif abs(unit - right_unit) > 1:
                count += 1
            if count >= FEW:
                break
    return count


def _marker_doubts(view: NumericView, step: Step, verdict: Verdict, others: list[Verdict]) -> Iterator[DiagnosisDoubt]:
    codes = {other.code for other in certify(view).verdicts if other.step == step.key and not _is_far(other, verdict)}
    answer, accepted = step_answer(step, verdict.printed), False
    with working_precision(PRECISION):
        if _is_close(_flat(verdict.units), _flat(view.units(step)), FAR):
            line, causes = mark_counterfactual(right_walk(view), answer, codes)
            accepted = line.verdict != "wrong"
        else:
            causes = causes_of_wrong_counterfactual(right_walk(view), answer, codes)
    named = tuple(cause.code for cause in causes)
    alike = {v.code for v in others if v.units == verdict.units and is_equal(v.box, verdict.box)}
    # a slip may be named as well
    if accepted or not named or named[0] not in alike or not set(named) - set(SLIPS) <= alike:
        yield DiagnosisDoubt(verdict, accepted, named)


def _is_far(verdict: Verdict, other: Verdict) -> bool:
    """True if the numbers of two mistakes in a step are so far apart that neither explains the other's."""
    return verdict.kind == "separated" and not _is_close(_flat(verdict.units), _flat(other.units), FAR)


def _is_close(left: Flat, right: Flat, most: int = NEAR) -> bool:
    """True if no entry differs by more than `most` units of its last digit."""
    for a, b in zip(left, right, strict=True):
        if a != b and (isinstance(a, str) or isinstance(b, str) or abs(a - b) > most):
            return False
    return True
