"""Lines that are exact matches: they are right, and this is seen without the enclosures of all lines before them.

A line is *sure* if all lines that it depends on are sure, and each of its entries is the expected number rounded to the
line's digits. Expected is what follows from these lines as printed; or the right number, if they all print the right
ones.

**Lemma.** By the rule of acceptance (`accept`) such a line is right, by its first reading, calculated in full and
rounded.

**Proof.** The print and the full value are among the values that a line may carry on (R1). So by the theorem the boxes
of the lines before hold all their prints together. They also hold all their full values, where those print so. `accept`
first tries the enclosure of the line's own formula over these boxes. It holds the expected number, which rounds to the
typed one. So it meets the preimage of `round`, the first habit, in every entry. ∎

Such a line has one box: no reading of it is coarser than its working digits, and its hidden entries should be hidden.
So the values that it carries on are calculated when a later line asks for them. Likewise `is_weak`, where another step
depends on it; it is first asked of a box that holds more: all numbers that print so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import overload

from flint import arb, fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL
from ..arithmetic.intervals.scalar import ONE, ZERO, Box, Interval
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.working_precision import working_precision
from ..formula import operations as op
from ..formula.operations import needs
from ..formula.typed_formula import Node, Where
from ..mistakes.equivalent_formulas import equal_orders
from ..plan import Given, Step
from .context import PRECISION, MarkingContext
from .follow_through import carried_enclosures, line_formulas, student_sources
from .legality import LegalDerivation, is_weak
from .line import CarriedEnclosures, CarryScenario, DeferredAcceptance, Judgement, Line
from .precision import Reading


class LazyEnclosure(Sequence[Box]):
    """The only box of a line, calculated on demand."""

    def __init__(self, find: Callable[[], CarriedEnclosures]):
        self.find = find

    @cached_property
    def kept(self) -> CarriedEnclosures:
        """The box itself, and what is carried of zeros."""
        return self.find()

    @property
    def is_known(self) -> bool:
        """True once the box is calculated."""
        return "kept" in self.__dict__

    @property
    def near(self) -> dict[Where, Interval]:
        """The carried values of entries typed as 0, if they are not 0."""
        return self.kept.near

    def __len__(self) -> int:
        return 1

    @overload
    def __getitem__(self, index: int) -> Box: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Box]: ...

    def __getitem__(self, index: int | slice) -> Box | Sequence[Box]:
        return self.kept[index]


def accept_if_exact_match(context: MarkingContext, line: Line) -> Judgement | None:
    """Accept a line that is an exact match; None if it is not."""
    first = line.readings[0]
    if not may_match_exactly(context, line):
        return None
    if not (_prints(first, context.on_paper(line.step)) or is_right_so_far(context, line.key, first)):
        return None
    line.sure, line.verdict = True, "right"
    line.whole = is_whole_numbered(context, line.key)
    if line.whole:
        box = _box(line.step, lambda i, j: (first.values[i, j],) * 2)
        line.accepted = LegalDerivation(first, "round", FULL, box)
        return Judgement(line, [box], [box])
    line.accepted = DeferredAcceptance(first, partial(derivation_by_lemma, context, line.step, first))
    prints = LazyEnclosure(lambda: CarriedEnclosures([box_of_print(context, line, first)], {}))
    return Judgement(line, LazyEnclosure(lambda: carried_later(context, line)), prints)


def may_match_exactly(context: MarkingContext, line: Line) -> bool:
    """Return whether a line is sure if it prints the expected numbers.

    It is complete, has at least its working digits, and depends on sure lines alone.
    """
    first = line.readings[0]
    return (
        not (line.is_index_valued or context.problem.rounded_givens or first.coarse or first.program)
        and first.digits >= first.working
        and len(first.values) == line.step.node.size
        and all(context.lines[key].sure for key in context.upstream[line.key])
        and (not any(reading.has_coarse_entries for reading in line.readings) or is_whole_numbered(context, line.key))
    )


def is_right_so_far(context: MarkingContext, key: str, reading: Reading) -> bool:
    """Return whether a line that is read so prints the right numbers, and all lines before it do."""
    return all(map(partial(was_right_so_far, context), context.upstream[key])) and _prints(reading, context.right(key))


def was_right_so_far(context: MarkingContext, key: str) -> bool:
    """Return whether an earlier line prints the right numbers, and so do all lines before it. Cached."""
    if key not in context.right_so_far:
        context.right_so_far[key] = is_right_so_far(context, key, context.lines[key].readings[0])
    return context.right_so_far[key]


def calculate_before(context: MarkingContext, key: str, scenario: CarryScenario) -> None:
    """Calculate what the lines before one carry in a scenario, in their order, however many they are."""
    carried = scenario.values.carried

    def is_known(k: str) -> bool:
        boxes = carried.get(k)
        return boxes is not None and (not isinstance(boxes, LazyEnclosure) or boxes.is_known)

    for before in context.plan.unknown_before(key, is_known):
        if before in carried:
            scenario.values[before]


def derivation_by_lemma(context: MarkingContext, step: Step, reading: Reading) -> LegalDerivation:
    """Return the derivation that the lemma gives."""
    with working_precision(PRECISION):
        calculate_before(context, step.key, context.print_scenario)
        box = context.calculate(step.node, context.print_scenario)
        weak = is_weak(reading, box)
        if weak:
            calculate_before(context, step.key, context.likeliest)
            box = context.calculate(step.node, context.likeliest)
            weak = is_weak(reading, box)
    return LegalDerivation(reading, "round", FULL, box, weak)


def box_of_print(context: MarkingContext, line: Line, reading: Reading) -> Box:
    """Return a box that holds what a sure line may carry on: all numbers that print so; of weights, those from 0 to 1.

    A weight is 0 or 1 by any way of working if the others are hidden.
    """
    node, box = line.step.node, line.accepted.box  # type: ignore[union-attr]
    weights = isinstance(node, op.Softmax)
    alone = weights and len(line_formulas(context, line.step)) == 1

    def cell(i: int, j: int) -> Interval:
        typed = reading.values[i, j]
        if is_infinite(typed) or alone and typed in (0, 1) and box[i][j] == (typed, typed):
            return typed, typed
        image = reading.widest((i, j))
        return (max(image.low, ZERO), min(image.high, ONE)) if weights else (image.low, image.high)

    return _box(line.step, cell)


def carried_later(context: MarkingContext, line: Line) -> CarriedEnclosures:
    """Return the enclosures of what a sure line may carry on."""
    with working_precision(PRECISION):
        calculate_before(context, line.key, context.likeliest)
        return carried_enclosures(context, line, [student_sources(context, context.likeliest, line.step)])


def is_whole_numbered(context: MarkingContext, key: str) -> bool:
    """Return whether a step that is right, or a given, is made of whole numbers alone by each of its orders."""
    entry = context.plan.entries[key]
    if isinstance(entry, Given):
        return _is_whole_literal(entry.node)
    if key in context.lines:
        return context.lines[key].whole
    orders = line_formulas(context, entry) if key in context.typed else [entry.node, *equal_orders(context.site(entry))]
    return all(map(_makes_whole, orders)) and all(map(partial(is_whole_numbered, context), needs(orders)))


def _box(step: Step, cell: Callable[[int, int], Interval]) -> Box:
    n, m = step.shape
    return [[cell(i, j) for j in range(m)] for i in range(n)]


def _prints(reading: Reading, box: Box) -> bool:
    """Return whether each entry is what was typed, once it is rounded."""
    return all(_rounds_to(reading, at, box[at[0]][at[1]]) for at in reading.values)


def _rounds_to(reading: Reading, at: Where, cell: Interval) -> bool:
    """Return whether an exact or certified entry surely is what was typed, rounded to the nearest."""
    if cell is None or cell[0] is not cell[1]:
        return False
    typed, x = reading.values[at], cell[0]
    if type(typed) is type(x) is fmpq:
        return bool(x == typed or abs(x - typed) * 2 <= reading.units[at])
    if is_infinite(typed) or is_infinite(x):
        return is_infinite(typed) and is_infinite(x) and bool(typed == x)
    if type(typed) is arb:
        return False
    image = reading.preimage(at, "round")
    return bool(image.low <= x <= image.high)


@lru_cache(maxsize=5_000)
def _makes_whole(node: Node) -> bool:
    if isinstance(node, op.Literal):
        return _is_whole_literal(node)
    return node.keeps_integers and all(map(_makes_whole, node.args))


def _is_whole_literal(node: Node) -> bool:
    return isinstance(node, op.Literal) and all(getattr(x, "denominator", 0) == 1 for row in node.entries for x in row)
