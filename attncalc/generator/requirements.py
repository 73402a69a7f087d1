"""Requirements on problems, each with its reason and its remedy; `--relax` drops one by its code.

Cheap requirements come first, because a draw is rejected at the first failure. `lint` reports all failures of a problem
that a person wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from flint import arb, fmpq, fmpz

from ..api import solve
from ..arithmetic import budget
from ..arithmetic.intervals.scalar import Box, End, Interval
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..errors import AttncalcError, Diagnostic
from ..formula import operations as op
from ..formula.index_base import counted_place
from ..formula.syntax_tree import Binary, Call, Tree
from ..lessons import LESSONS
from ..plan import Step
from ..problem.entry_distributions import NOTHING, has_empty_line
from ..problem.problem import Problem
from .diagnosability import right_walk, undiagnosable_mistakes
from .distinguishability import certify
from .numeric_view import NumericView

TIE = fmpq(1, 20)  # in units of the last digit
HALF = fmpq(1, 2)
MORE = "different entries, or one more decimal"
SATURATED, STEEP = fmpq(99, 100), fmpq(9, 10)
SATURATED_TEXT, STEEP_TEXT = "0.99", "0.9"
SMALLER = "smaller entries or a larger d_k, for smaller scores"
LARGEST = 99


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure of a requirement: its code, the step and entry, a sentence, and a suggestion."""

    demand: str
    step: str
    says: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement on problems. `find` yields its failures."""

    code: str
    says: str
    reason: str
    find: Callable[[NumericView], Iterator[Finding]]


def _first_poor(step: Step, box: Box, is_poor: Callable[[Interval], bool]) -> str | None:
    for i, row in enumerate(box):
        for j, cell in enumerate(row):
            if is_poor(cell):
                return step.key + step.entry_place(i, j)
    return None


def _degenerate(view: NumericView) -> Iterator[Finding]:
    """Yield equal tokens, and weights or values with an empty row or column."""
    for given in view.givens:
        if given.texts is None or given.node.size == 1:
            continue
        rows = [tuple(row) for row in given.texts]
        if given.rows and len(set(rows)) < len(rows):
            says = f"two rows of {given.name} are equal, so two tokens can get the same result"
            yield Finding("degenerate", given.name, says, "different entries")
        entries = [[NOTHING if text in _ZEROS else text for text in row] for row in rows]
        if has_empty_line(given.name, entries):
            says = f"{given.name} has a row or column of zeros, which makes part of the calculation trivial"
            yield Finding("degenerate", given.name, says, "different entries")
    for step in view.steps:
        place = _first_poor(step, view.full(step.key), _is_zero) if _is_a_spread(step.tree) else None
        if place:
            says = f"{place} is 0, so the norm divides by 0 or by √ε"
            yield Finding("degenerate", step.key, says, "different entries")


def _is_a_spread(tree: Tree) -> bool:
    """True if the formula is the divisor of a norm: a variance, or a mean of squares."""
    match tree:
        case Call("row_var" | "col_var", _, _) | Call("row_mean" | "col_mean", (Binary("**", _, _),), _):
            return True
    return False


def _is_zero(x: Interval) -> bool:
    return x is not None and not is_infinite(x[0]) and bool(x[0] == 0) and bool(x[1] == 0)


_ZEROS = ("0", "0.0", "-0")


def _large(view: NumericView) -> Iterator[Finding]:
    for step in view.steps:
        place = _first_poor(step, view.full(step.key), _is_large)
        if place and not _counts(step):
            says = f"{place} is above {LARGEST} or below −{LARGEST}, which is tedious by hand"
            yield Finding("large", step.key, says, "smaller entries in the givens")


def _is_large(x: Interval) -> bool:
    return x is not None and bool(abs(x[0]) > LARGEST) and (isinstance(x[0], fmpq) or x[0].is_finite())


def _counts(step: Step) -> bool:
    """True if a step counts parameters, bytes or products, which are large numbers."""
    counts = LESSONS[step.lesson].counts if step.lesson else ()
    return "*" in counts or step.base in counts


def _saturated(view: NumericView) -> Iterator[Finding]:
    largest: dict[str, list[End]] = {}
    for step, label, weights in _weight_rows(view):
        if len(weights) > 1:
            largest.setdefault(step.key, []).append(max(weights, key=arb))
            if largest[step.key][-1] > SATURATED:
                sentence = f"one weight is above {SATURATED_TEXT}, so the other weights in this row are almost 0"
                says = f"{label} of {step.key}: {sentence}"
                yield Finding("saturated", step.key, says, SMALLER)
                return
    for key, tops in largest.items():
        if all(top > STEEP for top in tops):
            steep = f"every row of {key} has a weight above {STEEP_TEXT}"
            says = f"{steep}, which can hide a wrong base or a missing scale"
            yield Finding("saturated", key, says, SMALLER)


def _uniform(view: NumericView) -> Iterator[Finding]:
    for step, label, weights in _weight_rows(view):
        unit = fmpq(1) / power_of_ten(view.digits(step))
        if len(weights) > 1 and not arb(max(weights, key=arb)) - arb(min(weights, key=arb)) > arb(unit):
            equal = "all weights are equal or nearly equal, which can hide mistakes in earlier steps"
            says = f"{label} of {step.key}: {equal}"
            yield Finding("uniform", step.key, says, "different entries, so that the scores of this row differ")
            break


def _weight_rows(view: NumericView) -> Iterator[tuple[Step, str, list[End]]]:
    """Yield the rows of every softmax that sum to 1, restricted to unmasked entries."""
    for step in view.steps:
        if not isinstance(step.node, op.Softmax):
            continue
        for i, row in enumerate(view.full(step.key)):
            weights = [cell[0] for cell in row if cell is not None and not (isinstance(cell[0], fmpq) and cell[0] == 0)]
            yield step, f"row {step.rows[i] if step.rows else counted_place(i)}", weights


def _negative_zero(view: NumericView) -> Iterator[Finding]:
    for step in view.steps:
        if view.is_whole(step.key):
            continue
        half = HALF / power_of_ten(view.digits(step))

        def is_poor(x: Interval, half: fmpq = half) -> bool:
            return x is not None and bool(-half < x[0]) and bool(x[1] < 0)

        place = _first_poor(step, view.full(step.key), is_poor)
        if place:
            yield Finding("negative-zero", step.key, f"{place} is negative and prints as 0", MORE)


def _ties(view: NumericView) -> Iterator[Finding]:
    for step in view.steps:
        place = None if view.is_whole(step.key) else _tie(step, view, view.full(step.key))
        if not place and (paper := view.before_rounding(step.key)) is not view.full(step.key):
            place = _tie(step, view, paper)
        if place:
            says = f"{place} is next to a rounding tie: correct work can give two answers"
            yield Finding("ties", step.key, says, MORE)


def _tie(step: Step, view: NumericView, box: Box) -> str | None:
    scale = power_of_ten(view.digits(step))
    return _first_poor(step, box, lambda cell: _near_tie(cell, scale))


def _near_tie(cell: Interval, scale: fmpz) -> bool:
    if cell is None:
        return False
    value = cell[0]
    if isinstance(value, fmpq):
        denominator = value.denominator
        rest = abs(value.numerator) * scale % denominator
        return bool(denominator != 1 and abs(40 * rest - 20 * denominator) < 2 * denominator)  # TIE, in integers
    if is_infinite(value):
        return False
    scaled = abs(value) * scale
    floor = budget.floor(scaled)
    return floor is not None and not abs(scaled - floor - HALF) > TIE


def _weak(view: NumericView) -> Iterator[Finding]:
    for line in right_walk(view).lines.values():
        if line.weak or line.verdict not in ("right", "too_coarse"):
            open_units = (
                "the rounding of earlier steps allows a range of more than 20 units of the last digit, "
                "so almost any number would be accepted"
            )
            says = f"{line.step.key}: {open_units}"
            yield Finding("weak", line.step.key, says, "more decimals, or divisors further from 0")


def _separation(view: NumericView) -> Iterator[Finding]:
    for verdict in certify(view).verdicts:
        if verdict.kind == "hidden":
            says = f"the mistake {verdict.code} in {verdict.step} gives the same printed numbers as the right answer"
            yield Finding("separation", verdict.step, says, verdict.suggestion)


def _undiagnosable(view: NumericView) -> Iterator[Finding]:
    for doubt in undiagnosable_mistakes(view):
        code, step = doubt.verdict.code, doubt.verdict.step
        others = [other for other in doubt.named if other != code]
        if doubt.accepted:
            says = (
                f"the mistake {code} in {step} gives the same numbers as an accepted rounding, "
                f"so the answer would be accepted"
            )
        elif others:
            says = f"the mistake {code} in {step} could be confused with {', '.join(others)}"
        else:
            says = f"the mistake {code} in {step} changes the printed numbers too little, so attncalc cannot name it"
        yield Finding("named", step, says, MORE)


SINGLE_REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement("degenerate", "no two tokens are equal, and weight matrices, gradients, Q, K and V have no row or "
        "column of zeros",
        "equal tokens and rows of zeros make the calculation trivial", _degenerate),
    Requirement("saturated", f"no weight is above {SATURATED_TEXT}, and in at least one row no weight is above "
    f"{STEEP_TEXT}; rows with a single unmasked key are ignored", "weights near 0 and 1 can "
    "hide mistakes in earlier steps", _saturated),
    Requirement("uniform", "no row consists of equal or nearly equal weights", "equal weights can hide mistakes in "
        "earlier steps", _uniform),
    Requirement("large", f"no number is above {LARGEST} or below −{LARGEST}",
        "people should be able to work with intermediate numbers by hand", _large),
    Requirement("negative-zero", "no negative number is printed as 0", "students and graders could "
    "disagree about −0.00", _negative_zero),
    Requirement("ties",
           "no number is closer than 0.05 units of its last digit to a rounding tie, whether the earlier steps "
           "are exact or rounded",
           "close to a tie, correct work can give two different answers", _ties),
    Requirement("separation", "every known mistake that changes a number also changes a printed number",
        "otherwise, a student who makes the mistake gets all points",
        _separation),
    Requirement("named", "`attncalc check` can name each mistake that changes a printed number",
        "if two mistakes are confused, the student gets a wrong explanation", _undiagnosable),
    Requirement("weak", "there is no step in which almost any number would be accepted",
           "attncalc cannot mark such a step", _weak),
)  # fmt: skip
# Requirements on a set of variants: code, sentence and reason
BETWEEN_VARIANTS = {
    "work": ("the work of each variant is close to the median (--margin)", "variants should be equally hard"),
    "duplicates": (
        "no two variants are equal; variants that differ only in the order of their rows count as equal",
        "neighbours could copy from each other",
    ),
}
# Requirements on single givens and steps
EARLY = frozenset({"degenerate", "saturated", "uniform", "large", "negative-zero", "ties"})
LATE = frozenset(demand.code for demand in SINGLE_REQUIREMENTS) - EARLY


def findings(view: NumericView, relaxed: frozenset[str] = frozenset(), all_of_them: bool = True) -> list[Finding]:
    """Return the failures of all requirements that are not relaxed; without `all_of_them` only the first."""
    all_findings = (finding for find in _finders(relaxed) for finding in find(view))
    return list(all_findings if all_of_them else islice(all_findings, 1))


@lru_cache(maxsize=100)
def _finders(relaxed: frozenset[str]) -> list[Callable[[NumericView], Iterator[Finding]]]:
    return [demand.find for demand in SINGLE_REQUIREMENTS if demand.code not in relaxed]


def unsolvable_steps(problem: Problem) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of the steps without a value, by key; empty if the problem is solvable."""
    step_faults: dict[str, list[Diagnostic]] = {}
    for part in solve(problem).parts:
        for result in part.steps:
            try:
                result.printed()
            except AttncalcError as error:
                step_faults[result.step.key] = list(error.faults)
    return step_faults


def has_missing_entry(view: NumericView) -> bool:
    """True if some entry has no value even in the enclosures of the view; faster than solving."""
    return any(None in row for step in view.steps for row in view.full(step.key))
