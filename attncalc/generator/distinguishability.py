"""Certificate of a problem: which mistakes of the catalogue print other numbers than the right answer, and which do
not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from .. import limits
from ..arithmetic.budget import GiveUp
from ..arithmetic.intervals.decimals import OPEN, Units, interval_decimals, texts
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..arithmetic.working_precision import working_precision
from ..errors import counted, listed
from ..formula import operations as op
from ..formula.typed_formula import Node
from ..mistakes.catalogue import applicable_mistakes
from ..mistakes.mistake import Mistake
from ..plan import Step
from ..problem.problem import Problem
from .numeric_view import BITS, NumericView

KINDS = ("separated", "same", "hidden", "impossible", "untried")
SCORE_TOLERANCE = 0.1  # tolerance of a score, for its own rounding
MOST_LISTED = 8  # mistakes in one sentence
SAME_DIGITS = 20  # decimals at which two results count as the same number


@dataclass(eq=False, slots=True)
class Verdict:
    """Verdict on one mistake at one step.

    `kind` is `separated` (other numbers are printed), `same` (equal at any number of digits, or a mask filler),
    `hidden` (different, but equal in print), `impossible` (no value) or `untried` (the budget was spent before).
    `units` are the printed numbers.
    """

    code: str
    step: str
    kind: str
    digits: int
    units: Units = ()
    suggestion: str = ""
    box: Box = field(default_factory=list)
    node: Node | None = None

    @property
    def printed(self) -> tuple[tuple[str, ...], ...]:
        """The printed numbers as texts, n × m."""
        return tuple(map(tuple, texts(self.units, self.digits)))


@dataclass(frozen=True, slots=True)
class Certificate:
    """Verdicts on every mistake that the lessons of a problem allow."""

    verdicts: tuple[Verdict, ...]

    def codes(self, kind: str) -> list[str]:
        """Return the codes of a kind, each once; a mistake that is separated at a step is separated."""
        separated = {v.code for v in self.verdicts if v.kind == "separated"}
        codes = dict.fromkeys(v.code for v in self.verdicts if v.kind == kind)
        return [code for code in codes if kind == "separated" or code not in separated]

    @property
    def alike(self) -> list[tuple[str, ...]]:
        """Sets of mistakes that print equal numbers at their step."""
        groups: dict[tuple[str, Units], dict[str, None]] = {}
        for verdict in self.verdicts:
            if verdict.kind == "separated":
                groups.setdefault((verdict.step, verdict.units), {})[verdict.code] = None
        return list(dict.fromkeys(tuple(codes) for codes in groups.values() if len(codes) > 1))


def codes_of_unasked_steps(certificate: Certificate, problem: Problem) -> list[str]:
    """Return the mistakes that are distinguishable only in steps that are not asked; they show in later lines."""
    asked: set[str] = set()
    for part in problem.parts:
        stated = {question.step for question in part.asked}
        asked |= {step.key for step in part.plan.steps if not part.asked_stated or step.name in stated}
    visible = {v.code for v in certificate.verdicts if v.kind == "separated" and v.step in asked}
    return [code for code in certificate.codes("separated") if code not in visible]


def untried_note(certificate: Certificate) -> str:
    """Return the sentence about mistakes that were not tried; empty if all were.

    >>> untried_note(Certificate((Verdict("scale-forgotten", "S", "untried", 2),)))
    '1 mistake was not tried, because the estimated time for a problem is limited to 10 s: scale-forgotten'
    """
    codes = certificate.codes("untried")
    were = "was" if len(codes) == 1 else "were"
    listing = f"{limits.SECONDS}: {listed(codes, MOST_LISTED)}"
    return f"{counted(len(codes), 'mistake')} {were} not tried, because {listing}" if codes else ""


def unasked_steps_note(count: int) -> str:
    """Return the clause about `count` mistakes in steps that are not asked."""
    them = "this mistake is visible only in later steps, where `attncalc check` cannot always name it"
    if count > 1:
        them = "these mistakes are visible only in later steps, where `attncalc check` cannot name all of them"
    return f"{count} in steps that students do not answer: {them}"


@lru_cache(maxsize=1)  # the search and then the report ask for it
def certify(view: NumericView) -> Certificate:
    """Return the verdict on every mistake at every step that it fits."""
    return Certificate(tuple(_verdicts(view)))


def _verdicts(view: NumericView) -> Iterator[Verdict]:
    for step in view.steps:
        site = view.site(step)
        mistakes = applicable_mistakes(site)
        for k, mistake in enumerate(mistakes):
            try:
                yield from _verdicts_on(view, step, mistake)
            except GiveUp:
                yield from (Verdict(untried.code, step.key, "untried", view.digits(step)) for untried in mistakes[k:])
                break


def _verdicts_on(view: NumericView, step: Step, mistake: Mistake) -> list[Verdict]:
    site = view.site(step)
    nodes = mistake.nodes(site)
    with working_precision(BITS):
        boxes = [evaluate(node, view.full) for node in nodes]
    right = view.units(step) if nodes else ()
    return [_verdict(view, step, mistake, node, box, right) for node, box in zip(nodes, boxes, strict=True)]


def _verdict(view: NumericView, step: Step, mistake: Mistake, node: Node, box: Box, right: Units) -> Verdict:
    digits = view.digits(step)
    printed = view.decide_units(node, box, digits)
    if any(OPEN in row for row in printed):
        return Verdict(mistake.code, step.key, "impossible", digits)
    if printed != right and not (_fills_mask(node) and _is_negligible(printed, right, digits)):
        return Verdict(mistake.code, step.key, "separated", digits, printed, box=box, node=node)
    kind = "same" if printed != right or is_equal(box, view.full(step.key)) else "hidden"
    another = f"a problem in which this is not true: {mistake.same}"
    suggestion = another if mistake.same else "different entries, or one more decimal"
    return Verdict(mistake.code, step.key, kind, digits, printed, suggestion)


def _fills_mask(node: Node) -> bool:
    """True if a formula puts a number where scores are masked."""
    return isinstance(node, op.Keep) and node.args[2].static is not None


def _is_negligible(printed: Units, right: Units, digits: int) -> bool:
    """True if the entries differ only where −∞ belongs, and each is so far below its row's maximum that its weight
    prints as 0 or nearly so. Marking accepts these lines.
    """
    unit = 10**digits
    margin = (log(2 * unit) - SCORE_TOLERANCE) * unit
    for row, right_row in zip(printed, right, strict=True):
        largest = max((x for x in right_row if not isinstance(x, str)), default=0)
        changed = [(a, b) for a, b in zip(row, right_row, strict=True) if a != b]
        if any(b != "-inf" or isinstance(a, str) or largest - a < margin for a, b in changed):
            return False
    return True


def is_equal(a: Box, b: Box) -> bool:
    """True if two boxes agree to SAME_DIGITS decimals."""
    return interval_decimals(a, SAME_DIGITS) == interval_decimals(b, SAME_DIGITS)
