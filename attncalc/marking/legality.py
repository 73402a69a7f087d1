"""Acceptance of one line: the rule, the theorem, and its proof.

**Legal** (R1). Let d be the decimals of a line. Let w be its working decimals: the larger of d and what the sheet asks,
or of d and one if the sheet asks nothing. A line y = f(x) is legal if there are three things:

- numbers x that earlier lines may have carried on;
- a way of working (`IntermediateRounding`) and an equal order of the formula, and of each omitted step on the way;
- one habit h of printing: rounding with any tie rule, truncation, or floor.

Every entry must be t = h(f̃(x)). Of weights, t = h(f̃(x) − ε) is legal as well if h truncates; ε is as small as a
calculator's last figure. An equal order may use a written line that the formula does not name, such as the mean for a
variance.

Here f̃ is f with its unwritten values and constants kept to at least w decimals and w significant figures. If a divisor
may then be 0 only because of rounding, its values are kept to more decimals, until it is not 0. An omitted step is kept
to w decimals, since it may have been a line on scratch paper. For a program's print, every operation of f̃ is off by
one relative rounding error of its type. Then h is the shortest text, or so many digits (R1a).

A line carries on one of three values: t itself, the full value f̃(x), or the full value rounded or truncated to at
least max(d + 1, w) decimals. If d = w, each entry has its own choice. If d < w, the whole line carries t, or no entry
does.

**Theorem.** A script whose lines are all legal is never refused.

**Proof**, by induction over the lines. *Hypothesis*: for each earlier line, one of its boxes (`carried`) holds the
values that it carried on, all entries together. A line is tried on every choice of one box for each line before it
(`MarkingContext.scenarios_of`). If there are many choices, some lines have one box, the hull of theirs. So some choice
of boxes holds x.

(i) Interval evaluation is inclusive. Let F be the enclosure of f over these boxes, for the way of working that was
used. Each unwritten value lies within one unit of its last place of the true one, which `IntermediateRounding.keep`
adds. Each operation of a program lies within its error, which `FloatFormat.with_error` adds. So F holds f̃(x).

(ii) f̃(x) prints as t by habit h. So it lies in the preimage t ⊖ U of h, which is closed where ε counts. Hence F meets
t ⊖ U in every entry. A line is refused only if, for every choice, way of working and habit, some entry's F is proven to
miss t ⊖ U. So this line is not refused.

(iii) The carried value is t, or it lies in (t ⊖ U) ∩ [⌊F⌋ₖ, ⌈F⌉ₖ]. These are the ends of F, moved outwards to the
nearest numbers of k = max(d + 1, w) decimals. Rounding or truncating f̃(x) to k decimals or more never moves it past
such a number. Nor does it leave the closed t ⊖ U, whose ends are such numbers (of weights, an ε more below). `carried`
uses the widest way of working over all equal orders, and joins all habits that it allows. If d = w the box is the hull
of t and the other values; if d < w there are two boxes. So one of the line's boxes holds what was carried on, which is
the hypothesis for the next line. Of several choices, `carried_enclosures` keeps the boxes of each, or their hull.

A number typed for −∞ makes two boxes: with the number, and with −∞ (`stands_for_minus_infinity`). The score that should
be hidden is no such number, except a filler. A program's carried number is within its error of t, and the box is all of
that.

(iv) If a finite number stands after a logarithm of a positive x that may have been kept as 0, only x / 2 to 2 x is
tried (`zeros_under_logarithms`). From 0 the number would be infinite, and x kept to some digits is 0 or lies there. ∎

If an entry has no bound (a logarithm of an interval around 0), F is unbounded and refuses nothing: the line is `weak`.
To refuse what is not legal, F must be thin. So the marker tries a union of thin boxes over ways of working and choices,
never one wide hull (R4). With d instead of w, a line of whole numbers would let √3 be 1 and every weight be one more or
less, and would accept a forgotten scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from typing import Protocol

from flint import arb, fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding, round_outward
from ..arithmetic.intervals.scalar import Box, End, Interval, approximate, clip, hull
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..formula.typed_formula import Where
from .precision import EXACTLY, HABITS, Reading

# A finite number this low counts as −∞ in every line; in a masked score a higher one may
MASK_FILLER_LIMIT = fmpq(-1_000)
CALCULATOR_ERROR_UNITS = fmpq(1, 10**6)  # units of the guard digits by which a calculator's weight may be too small
SHARP = fmpq(1, 2)  # units by which a mistake may miss an entry where nothing on the way is rounded
WEAK_UNITS, WEAK_SHARE = 20, 20  # the enclosure of a weak line: 20 units, and a twentieth of the size of the line
OPEN_UNITS, OPEN_SHARE = 2, 2  # the enclosure of an open line: 2 units, and half of the size of the line


@dataclass(frozen=True, slots=True)
class LegalDerivation:
    """A legal derivation of a line: its reading, printing habit, working and enclosure."""

    reading: Reading
    habit: str
    working: IntermediateRounding
    box: Box
    weak: bool = False


@dataclass(slots=True)
class Refutation:
    """A proof that no derivation is legal: the incompatible entries of the working that has the fewest, and its
    enclosure.
    """

    reading: Reading
    cells: list[Where] = field(default_factory=list)
    box: Box = field(default_factory=list)


class Enclosures(Protocol):
    """Enclosures of a line, one per equal order; `possible` omits some that cannot print as the line."""

    def boxes(self, working: IntermediateRounding) -> Iterator[Box]:
        """Yield a box, with an interval per entry, for each equal order of working."""

    def possible(self, reading: Reading, working: IntermediateRounding) -> Iterator[Box]:
        """Yield the boxes, except some that no habit prints as the line."""


def rounding_schemes(reading: Reading, exponentials: bool, products: bool) -> Iterator[IntermediateRounding]:
    """Yield the ways to keep values that are not written down, the likeliest first; a program has one."""
    if reading.program is not None:
        yield IntermediateRounding(program=reading.program)
        return
    yield FULL
    for one_by_one in (False, True) if products else (False,):
        for habit in HABITS:
            for shifted in (False, True) if exponentials else (False,):
                yield IntermediateRounding(reading.working, habit, shifted, products=one_by_one)


def accept(
    readings: list[Reading], ways: Enclosures, exponentials: bool, products: bool
) -> LegalDerivation | Refutation:
    """Return the first legal derivation of the whole line, or a refutation of all."""
    refused: Refutation | None = None
    for reading in readings:
        for working in rounding_schemes(reading, exponentials, products):
            for box in ways.boxes(working):
                for habit in reading.habits:
                    failing = incompatible_entries(reading, habit, box, None if refused is None else len(refused.cells))
                    if not failing:
                        return LegalDerivation(reading, habit, working, box, is_weak(reading, box))
                    if refused is None or len(failing) < len(refused.cells):
                        refused = Refutation(reading, failing, box)
            if working is FULL and not may_print(reading, ways.possible(reading, widest_rounding(reading, products))):
                break  # not even the widest rounding scheme, which contains all others, can produce the line
    assert refused is not None
    return refused


def nearest(reading: Reading, boxes: Iterable[Box]) -> Refutation:
    """Return the refutation that has the fewest incompatible entries, by one box and one habit."""
    tried = (
        Refutation(reading, incompatible_entries(reading, habit, box), box) for box in boxes for habit in reading.habits
    )
    return min(tried, key=lambda refutation: len(refutation.cells))


def widest_rounding(reading: Reading, products: bool) -> IntermediateRounding:
    """Return the working whose enclosure contains those of all others."""
    return (
        IntermediateRounding(reading.working, "any", products=products)
        if reading.program is None
        else IntermediateRounding(program=reading.program)
    )


def incompatible_entries(reading: Reading, habit: str, box: Box, most: int | None = None) -> list[Where]:
    """Return the entries that the box proves to print differently, at most the first `most`."""
    return list(islice((at for at in reading.values if not entry_is_compatible(reading, habit, box, at)), most))


def line_is_compatible(reading: Reading, habit: str, box: Box, slack: fmpq = EXACTLY) -> bool:
    """Return whether every entry of the box may print as typed; with `slack`, up to so many units away."""
    return all(entry_is_compatible(reading, habit, box, at, slack) for at in reading.values)


def may_print(reading: Reading, boxes: Iterable[Box]) -> bool:
    """Return whether some box may print as the line, by one habit."""
    return any(line_is_compatible(reading, habit, box) for box in boxes for habit in reading.habits)


def entry_is_compatible(reading: Reading, habit: str, box: Box, at: Where, slack: fmpq = EXACTLY) -> bool:
    """Return whether a typed entry may be the result of honest work (rules R3 to R6): a value of the box, rounded by
    the habit.
    """
    cell, typed = box[at[0]][at[1]], reading.values[at]
    if cell is not None and type(cell[0]) is arb and is_hidden(cell):
        return bool(typed == cell[0]) or bool(cell[0] < 0) and stands_for_minus_infinity(reading, box, at)
    return not reading.preimage(at, habit, slack).refuses(cell)


def stands_for_minus_infinity(reading: Reading, box: Box, at: Where) -> bool:
    """Return whether a finite number counts as −∞: in a masked score, e^(number − largest score) is less than half a
    unit of the working decimals.

    The weight that follows is smaller still, so it prints as 0. The largest score is that of the row or column along
    which the weights are taken (of either, if that is unknown); of an enclosure, its lower end.
    """
    typed = reading.values[at]
    if is_infinite(typed) or at in reading.shown:
        return False
    if typed <= MASK_FILLER_LIMIT or not reading.scores:
        return bool(typed <= MASK_FILLER_LIMIT)
    lines = [box[at[0]] if axis == "rows" else [row[at[1]] for row in box] for axis in reading.scores]
    seen = [[arb(cell[0]) for cell in line if cell is not None and not is_infinite(cell[0])] for line in lines]
    return all(
        any((arb(typed) - score).exp() * 2 * power_of_ten(reading.working) < 1 for score in line)
        for line in seen
        if line or not any(seen)
    )


def is_weak(reading: Reading, box: Box) -> bool:
    """Return whether the digits of some entry say little: its enclosure is open, or many units wide and not small
    relative to the line.
    """

    def is_wide(width: End, unit: fmpq, size: float) -> bool:
        return not width < WEAK_UNITS * unit and not approximate(width) <= size / WEAK_SHARE

    return _some_entry(reading, box, is_wide) or is_open(reading, box)


def is_open(reading: Reading, box: Box) -> bool:
    """Return whether some entry would be accepted with almost any digits: its enclosure has no bound, or is wider than
    half of the line's largest entry.
    """

    def is_wide(width: End, unit: fmpq, size: float) -> bool:
        return bool(width > OPEN_UNITS * unit and approximate(width) > size / OPEN_SHARE)

    return _some_entry(reading, box, is_wide)


def _some_entry(reading: Reading, box: Box, is_wide: Callable[[End, fmpq, float], bool]) -> bool:
    """Return whether some enclosure has no bound, or a wide one by its width, its unit and the line's largest entry."""
    sizes = [abs(approximate(value)) for value in reading.values.values() if not is_infinite(value)]
    size = max(sizes, default=0.0)
    for (i, j), unit in reading.units.items():
        cell, typed = box[i][j], reading.values[i, j]
        if cell is None or is_infinite(typed) and not is_infinite(cell[0]):
            return True
        if unit and not is_infinite(cell[0]) and is_wide(cell[1] - cell[0], unit, size):
            return True
    return False


@dataclass(slots=True)
class Carried:
    """The values that a line may carry forward: its `full` values or, if these are finer than the line, all of its
    `prints`.

    `near` maps a positive entry typed as 0 to what is carried of it if that is not 0.
    """

    full: Box
    prints: Box | None = None
    near: dict[Where, Interval] = field(default_factory=dict)

    def boxes(self) -> list[Box]:
        """Return the enclosures for later lines: only the prints if they contain the full values, else both."""
        if self.prints is None or all(
            _inside(p, f) for ps, fs in zip(self.prints, self.full, strict=True) for p, f in zip(ps, fs, strict=True)
        ):
            return [self.full]
        return [self.prints, self.full]

    def with_other(self, other: Carried) -> Carried:
        """Return the hull of two alternatives."""
        prints = [box for box in (self.prints, other.prints) if box is not None]
        near = {at: hull(cell, other.near[at]) for at, cell in self.near.items() if at in other.near}
        return Carried(box_hull(self.full, other.full), box_hull(prints[0], prints[-1]) if prints else None, near)


def carried(reading: Reading, boxes: list[Box], weights: bool) -> Carried | None:
    """Return the values that a line may carry forward by one reading, None if no habit fits; `boxes` are the widest
    enclosures, one per equal order.
    """
    explained = [(box, habit) for box in boxes for habit in reading.habits if line_is_compatible(reading, habit, box)]
    if not explained:
        return None
    habits = list(dict.fromkeys(habit for _, habit in explained))
    # a box that leads elsewhere would make of −∞ beside a number neither
    fat = reduce(box_hull, (box for box, _ in explained))
    full, prints, splits = [list(row) for row in fat], [list(row) for row in fat], reading.has_coarse_entries
    for i, j in reading.values:
        full[i][j] = _entry(reading, habits, (i, j), fat[i][j], weights, splits)
        prints[i][j] = (reading.values[i, j],) * 2
    fills = {
        at: typed
        for at, typed in reading.values.items()
        if not is_infinite(typed) and typed > MASK_FILLER_LIMIT and _stands_for_infinity(fat, at)
    }
    if fills and not splits:
        prints = [list(row) for row in full]
    for (i, j), typed in fills.items():  # carried on is the number that stands for −∞, or −∞ itself
        prints[i][j] = typed, typed
    return Carried(full, prints if splits or fills else None, _near(reading, fat))


def _near(reading: Reading, box: Box) -> dict[Where, Interval]:
    """Return what is carried of positive entries typed as 0, if it is not 0."""
    if reading.program is not None:
        return {}
    hair = CALCULATOR_ERROR_UNITS / power_of_ten(reading.working) if reading.weights else EXACTLY
    cells = {(i, j): box[i][j] for (i, j), typed in reading.values.items() if typed == 0 and reading.units[i, j]}
    return {at: kept_of((cell[0] - hair, cell[1])) for at, cell in cells.items() if cell is not None and cell[0] > hair}


def kept_of(cell: tuple[End, End]) -> tuple[End, End]:
    """Return the range of a positive value after rounding to some digits, if it is not 0: more than half and less than
    twice the value.

    The rounded value is at least one unit of the last digit, and less than one unit away.
    """
    return cell[0] / 2, cell[1] * 2


def _stands_for_infinity(box: Box, at: Where) -> bool:
    """Return whether an entry is −∞ next to finite scores, so that weights also follow from a number in its place."""
    i, j = at
    return is_hidden(box[i][j]) and not all(map(is_hidden, box[i])) and not all(is_hidden(row[j]) for row in box)


def is_hidden(cell: Interval) -> bool:
    """Return whether an entry is −∞ or +∞."""
    return cell is not None and is_infinite(cell[0]) and is_infinite(cell[1])


def _inside(a: Interval, b: Interval) -> bool:
    """Return whether one interval is proven to lie within another."""
    return b is None or a is not None and bool(b[0] <= a[0] and a[1] <= b[1])


def box_hull(a: Box, b: Box) -> Box:
    return [[hull(x, y) for x, y in zip(left, right, strict=True)] for left, right in zip(a, b, strict=True)]


def _entry(reading: Reading, habits: list[str], at: Where, cell: Interval, weights: bool, splits: bool) -> Interval:
    typed, unit = reading.values[at], reading.units[at]
    if is_hidden(cell):
        return cell
    if is_infinite(typed) or unit == 0:
        return typed, typed
    if cell is not None and cell[0] == typed and cell[1] == typed:
        return typed, typed  # it ends within these digits: print, full value and guard digits are one
    images = [reading.preimage(at, habit) for habit in habits]
    low, high = min(p.low for p in images), max(p.high for p in images)
    if weights:
        low, high = max(low, min(fmpq(0), typed)), min(high, max(fmpq(1), typed))
    entry = clip(None if reading.program is not None else _guarded(cell, unit, reading), low, high)
    return entry if splits else hull(entry, (typed, typed))


def _guarded(cell: Interval, unit: fmpq, reading: Reading) -> Interval:
    """Return the values that may be carried of a value rounded or cut to guard digits, or kept in full."""
    if cell is None:
        return None
    guard = min(unit / 10, 1 / fmpq(power_of_ten(reading.working)))
    return round_outward((cell[0] - guard * CALCULATOR_ERROR_UNITS if reading.weights else cell[0], cell[1]), guard)


def enclosure_after_wrong_line(reading: Reading, expected: Box, wide: bool) -> Box:
    """Return what a wrong line may carry forward: its print or, if `wide`, all that prints so; for missing entries,
    what is expected.
    """
    result = [list(row) for row in expected]
    for i, j in reading.values:
        typed = reading.values[i, j]
        images = [reading.preimage((i, j), habit) for habit in HABITS] if wide and not is_infinite(typed) else []
        result[i][j] = (min(p.low for p in images), max(p.high for p in images)) if images else (typed, typed)
    return result


def provably_differ(x: Interval, y: Interval) -> bool:
    """Return whether two entries are proven to differ."""
    return x is None or y is None or bool(x[1] < y[0] or x[0] > y[1])
