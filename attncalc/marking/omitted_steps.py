"""The steps that a script omits, and what its lines imply about them.

A right line implies the steps that it needs. So does a wrong one with most of its entries right, and one whose mistake
is named, as far as the mistaken formula needs them.

If the mistake of a wrong line was made in an omitted step, the line earns what it would earn if that step had been
written with its mistake. If the step has points, the mistake is charged there and nowhere else. The steps between the
two are implied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

from ..arithmetic.intervals.interval_evaluator import evaluate, is_arrangement
from ..arithmetic.intervals.scalar import Box
from ..formula.operations import needed
from ..plan import Step
from .alternatives import unwritten_behind
from .context import MarkingContext
from .credit import DIGITS, Because, Mark, Reason, answered, because, by_rubric, points_of
from .diagnosis.cause import Cause
from .diagnosis.search import different
from .follow_through import accept_line, student_sources
from .informativeness import is_mostly_right, numbers_of, selects_rows_or_columns
from .legality import LegalDerivation, may_print
from .line import Line
from .masked_entries import is_softmax
from .precision import at_working_precision, zeros

IMPLYING = ("right", "truncated", "last_digit", "carried")
TELLING = 3.0  # evidence (bits) from which a named mistake implies earlier steps
NOTHING_ELSE: Mapping[str, frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class Origin:
    """The step that was left out in which the mistake of a wrong line was made, and that line with its causes."""

    step: Step
    line: Line
    causes: list[Cause]

    @property
    def is_complete(self) -> bool:
        """Return whether the line has the decimals that it should have."""
        reading, boxes = self.line.reading, [cause.box for cause in self.causes if cause.box]
        if reading is None or not boxes:
            return reading is None or not reading.has_coarse_entries
        return may_print(at_working_precision(reading), boxes)


class OmittedSteps:
    """The steps that the lines of a script imply; if everything is answered, nothing needs to be implied.

    `named` are the causes of the wrong lines. `nothing` are the lines that show no work, or follow from such lines.
    """

    def __init__(self, context: MarkingContext, named: Mapping[str, list[Cause]], nothing: set[str]):
        self.context = context
        self.nothing = nothing
        self.named = named
        acts = {key: _telling(context, context.lines[key], causes) for key, causes in named.items()}
        self.acts = {key: mistakes for key, mistakes in acts.items() if mistakes}
        self.made = {
            key: origin
            for key, mistakes in self.acts.items()
            if (origin := _origin(context, context.lines[key], mistakes))
        }

    @cached_property
    def implied_by_correct_lines(self) -> set[str]:
        """The steps that right lines imply."""
        right = (line for line in self.context.lines.values() if line.verdict in IMPLYING and not line.is_uninformative)
        return _behind(self.context, right, self.nothing)

    @cached_property
    def all_origins(self) -> dict[str, Origin]:
        """The steps in which the mistakes of wrong lines were made, by the lines' keys."""
        return {
            key: origin for key, origin in self.made.items() if origin.step.key not in self.implied_by_correct_lines
        }

    @cached_property
    def origins(self) -> dict[str, Origin]:
        """Those of the lines that show work."""
        return {key: origin for key, origin in self.all_origins.items() if key not in self.nothing}

    @cached_property
    def implied_by_mistaken_lines(self) -> set[str]:
        """The steps that only mistaken lines imply, of a mistake in the line itself those that its formula needs."""
        origins = self.all_origins.values()
        lines = [origin.line for origin in origins if origin.is_complete]
        here = {key: uses for key, mistakes in self.acts.items() if (uses := _uses(self.context.lines[key], mistakes))}
        lines += [self.context.lines[key] for key in here]
        lines += [line for line in self.context.lines.values() if line.key not in self.acts and self._has_slips(line)]
        before = {origin.step.key: _needs(origin.causes, origin.step) for origin in origins}
        return _behind(self.context, lines, self.nothing, before | here) - before.keys()

    def _has_slips(self, line: Line) -> bool:
        """Return whether a wrong line has most of its entries right, with the decimals that they should have."""
        if line.verdict != "wrong" or line.reading is None or line.reading.has_coarse_entries:
            return False
        return is_mostly_right(line, self.context.expected(line.step, self.context.likeliest))

    def implies(self, key: str) -> bool:
        return key in self.implied_by_correct_lines or key in self.implied_by_mistaken_lines

    def made_in(self, step: Step) -> Step | None:
        """Return the omitted step in which the mistake of a wrong line was made."""
        return self.origins[step.key].step if step.key in self.origins else None

    def charged(self, given: Mark, step: Step) -> Mark:
        """Return the points of a step, after each mistake is charged where it was made."""
        if (origin := self.made_in(step)) is not None:
            reasons = because(Reason.MADE_BEFORE, step=origin.name)
            return _but_for_digits(given.out_of, reasons, self.origins[step.key])
        here = next((other for other in self.origins.values() if other.step.key == step.key), None)
        if here is not None:
            nothing = Mark(Fraction(0), given.out_of, because(Reason.MADE_HERE, line=here.line.step.name))
            return by_rubric(nothing, here.line, (cause.code for cause in self.named[here.line.key]))
        if (
            given.reasons == because(Reason.IMPLIED)
            and step.key in self.implied_by_mistaken_lines
            and step.key not in self.implied_by_correct_lines
        ):
            return Mark(given.earned, given.out_of, because(Reason.IMPLIED_MISTAKEN))
        return given


def _but_for_digits(points: Fraction, reasons: tuple[Because, ...], origin: Origin) -> Mark:
    """All the points of a line that is right but for an earlier mistake; the share for the method where it has fewer
    decimals than it should.
    """
    if origin.is_complete:
        return Mark(points, points, reasons)
    return Mark(points * origin.line.part.rubric.method, points, reasons + DIGITS["too_coarse"])


def is_certain(cause: Cause) -> bool:
    """Return whether the evidence for a cause is enough to imply steps, and to be ground for later lines."""
    return cause.node is None or cause.bits >= TELLING


def _origin(context: MarkingContext, line: Line, acts: list[Cause]) -> Origin | None:
    """Return the omitted step with points in which the mistake of a wrong line was made, if there is one: the step of
    the cause, or the only one that the mistaken formula does without.
    """
    step = acts[0].at
    if step is None or answered(line) < 1:
        return None
    if step is line.step:
        skipped = _skipped(context, line, acts)
        if len(skipped) != 1:
            return None
        step = skipped[0]
    return Origin(step, line, acts)


def _skipped(context: MarkingContext, line: Line, acts: list[Cause]) -> list[Step]:
    """Return the omitted steps with points that the formula of a wrong line needs and its mistaken formula does not."""
    needs, points = _needs(acts, line.step), points_of(line.part)
    if not needs or all(cause.node is not None and is_arrangement(cause.node) for cause in acts):  # they copy
        return []
    steps = (context.plan.entries[key] for key in context.plan.dependencies[line.key] - needs - context.typed.keys())
    return [step for step in steps if isinstance(step, Step) and step.part == line.step.part and step.name in points]


def _telling(context: MarkingContext, line: Line, causes: list[Cause]) -> list[Cause]:
    """Return the causes that a wrong line may have in the earliest step, if they show work.

    Return none if a cause has no step of this part, or too little evidence.
    """
    points = points_of(line.part)
    acts = [cause for cause in different(causes, line.step) if cause.at is not None]
    steps = [cause.at for cause in acts if cause.at is not None]
    charged = (step is line.step or step.name in points and step.key not in context.lines for step in steps)
    if not steps or not all(charged) or any(step.part != line.step.part for step in steps):
        return []
    at = min(steps, key=lambda step: context.plan.order[step.key])
    acts = [cause for cause in acts if cause.at is at] if all(map(is_certain, acts)) else []
    return [] if _is_free(context, line, acts) else acts


def _uses(line: Line, acts: list[Cause]) -> frozenset[str]:
    """Return the steps that a wrong line needs if its mistake was made in itself; none if it shows too little."""
    if acts[0].at is not line.step or not Origin(line.step, line, acts).is_complete:
        return frozenset()
    return _needs(acts, line.step)


def _needs(causes: list[Cause], step: Step) -> frozenset[str]:
    """Return the needs of each formula by which a mistaken step may have been calculated.

    If the method is right it is the step's own formula, else those of the named mistakes; none if another step was
    mistaken.
    """
    nodes = [step.node if cause.accuracy_reason else cause.node for cause in causes if cause.at is step]
    if not nodes or len(nodes) < len(causes) or None in nodes:
        return frozenset()
    return frozenset.intersection(*map(needed, nodes))  # type: ignore[arg-type]


def _is_free(context: MarkingContext, line: Line, causes: list[Cause]) -> bool:
    """Return whether the mistaken step, or omitted weights beside it, print as zeros or copy rows: such a line shows no
    work.
    """
    digits = line.reading.working if line.reading else 0
    boxes = chain.from_iterable(_mistaken(context, line, cause) for cause in causes)
    return any(selects_rows_or_columns(numbers_of(box, digits)) for box in boxes)


def _mistaken(context: MarkingContext, line: Line, cause: Cause) -> Iterator[Box]:
    """Yield a mistaken step, and the omitted weights that it uses, or that are between it and a line."""
    if cause.node is None or cause.at is None:
        return
    for key in needed(cause.node) - context.typed.keys():
        if isinstance(used := context.plan.entries[key], Step) and is_softmax(used):
            yield context.printed_values(key)
    at = cause.at.key
    changed = {at: evaluate(cause.node, context.printed_values)}
    yield changed[at]
    for key in set(context.plan.ancestors(line.key)[:-1]) - context.typed.keys():
        step = context.plan.entries[key]
        if isinstance(step, Step) and is_softmax(step) and at in unwritten_behind(context, key):
            yield context.recalculated(context.printed_values, changed, context.typed, key)


def _behind(
    context: MarkingContext,
    lines: Iterable[Line],
    nothing: set[str],
    mistaken: Mapping[str, frozenset[str]] = NOTHING_ELSE,
) -> set[str]:
    """Return the steps that some of these lines need. Such a line is complete, shows work and is informative (`tells`).

    `mistaken` are wrong steps, each with the needs of its mistaken formula. All lines before must be right, except
    those before a wrong line, which shows nothing about them.
    """
    telling = (line for line in lines if line.key not in nothing and not zeros(line.reading))
    stack = [(line.key, line) for line in telling if answered(line) == 1]
    seen: set[str] = set()
    while stack:
        key, later = stack.pop()
        later = context.lines.get(key, later)
        needs = mistaken.get(key, context.plan.dependencies[key])
        nearer = {near for near in needs - seen if _shows(context, later, near)}
        seen |= nearer
        stack.extend((k, later) for k in nearer if k not in context.lines or context.lines[k].verdict != "wrong")
    return seen


def _shows(context: MarkingContext, later: Line, near: str) -> bool:
    """Return whether a later line shows how an uninformative one was calculated: only its full values lead there."""
    line = context.lines.get(near)
    if line is None or later.reading is None or not line.is_uninformative or len(context.carried[near]) == 1:
        return True
    scenario = context.scenario(((near, len(context.carried[near]) - 1),))
    sources = student_sources(context, scenario, later.step)
    return isinstance(accept_line(context, replace(later, readings=[later.reading]), *sources), LegalDerivation)
