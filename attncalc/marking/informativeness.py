"""How much work a line shows, in bits: how long a description of its numbers is that knows nothing of the step.

Zeros, one number throughout, rows of one 1 among zeros and copies of the lines above have short descriptions; numbers
that were worked out need their digits. Two rules of marking compare such lengths:

- **G**: a wrong line is ground for the lines after it if its cause is named, most of its entries are right, or its
  description is at least `GROUND` of the digits that the right line needs, or `SHOWN` of the right line's description.
  After other lines only right numbers earn.
  A line that copies rows of lines above is ground if the right one does so too.
- **C**: a line with too few decimals tells too little if the digits that the step decides are less than `COARSE` of
  what the line should have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

from flint import fmpq

from ..arithmetic.budget import fraction
from ..arithmetic.intervals.intermediate_rounding import to_decimals
from ..arithmetic.intervals.scalar import Box, Interval, approximate, has_decimals
from ..arithmetic.matrix_types import is_infinite
from ..arithmetic.rounding import power_of_ten, round_rational
from ..formula.typed_formula import Where
from ..plan import Given, Step
from .context import MarkingContext
from .legality import entry_is_compatible, is_hidden, may_print
from .line import Line
from .masked_entries import is_softmax
from .precision import HABITS, Reading, at_working_precision

MOST_DIGITS = 20  # of a number; with more its digits are a program's
FLOAT_DIGITS, LARGEST_SIZE = 100, 1e200  # a float holds the product of a number of this size and this power of ten
GROUND = 0.6  # of as many free numbers with the digits of the right line; of a coarse line, with its own digits
SHOWN = 0.5  # of the shortest description of the right line
COARSE = 0.3
ANOTHER_WAY = 1.6  # bits: one way of three
Row = Sequence[fmpq | None]  # None: hidden, or not answered; it costs nothing
Numbers = Sequence[Row]


@dataclass(frozen=True)
class Description:
    """The facts about a line without its step: the size of its numbers, and the lines above, which may be copied."""

    spread: float
    weights: bool
    sources: Sequence[Numbers] = ()

    def cost(self, x: fmpq) -> float:
        """Return the bits of one free number with the digits of x."""
        return self.cost_of_digits(decimals_of((x, x), MOST_DIGITS))

    def cost_of_digits(self, digits: int) -> float:
        """Return the bits of one free number with so many decimals."""
        size = 2 * (1.0 if self.weights else self.spread)
        if digits > FLOAT_DIGITS or size > LARGEST_SIZE:
            return 1 + (max(0.0, log2(size) + digits * log2(10)) if size else 0.0)
        return 1 + log2(size * 10.0**digits + 1)

    def bits(self, numbers: Numbers) -> float:
        """Return the length of the shortest description."""
        known = [x for row in numbers for x in row if x is not None]
        if all(x == 0 for x in known):
            return 1.0
        ways = [2 + sum(map(self.cost, known)), self._mixture(numbers), self._mixture(_transposed(numbers))]
        different = set(known)
        if len(different) == 1:
            ways.append(2 + (0 if known[0] == 1 else self.cost(known[0])))
        ways.append(3 + sum(map(self.cost, different)) + len(known) * log2(len(different)))
        same_height = (source for source in self._whole_sources if len(source) == len(numbers))
        if any(all(map(_same, numbers, source)) for source in same_height):
            ways.append(2 + log2(len(self._whole_sources)))
        for source in self.sources:
            if _takes_from_each_row(numbers, source):
                ways.append(2 + log2(len(self.sources)) + len(source) * log2(len(source[0])))
        return min(ways)

    def copies(self, numbers: Numbers) -> bool:
        """Return whether each row is a row of a line above, or one entry of the row there."""
        picked = any(_takes_from_each_row(numbers, source) for source in self.sources)
        return picked or all(any(_same(row, other) for other in self._rows_of_sources) for row in numbers)

    @cached_property
    def _whole_sources(self) -> list[Numbers]:
        return [turned for source in self.sources for turned in (source, _transposed(source))]

    @cached_property
    def _rows_of_sources(self) -> list[Row]:
        return [row for source in self._whole_sources for row in source]

    def _mixture(self, rows: Numbers) -> float:
        """Return the bits of rows that are described one by one."""
        total, seen = 3.0, list[Row]()
        for row in rows:
            total += self._row(row, seen)
            seen.append(row)
        return total

    def _row(self, row: Row, seen: Sequence[Row]) -> float:
        known = [x for x in row if x is not None]
        costs = sorted(map(self.cost, known))
        implied = _implied_by_sum(known) if self.weights and len(known) == len(row) > 1 else []
        ways = [2 + sum(costs) - max(map(self.cost, implied), default=0)]
        if all(x == 0 for x in known):
            return 1.0
        if len(known) > 1 and sorted(known) == [0] * (len(known) - 1) + [1]:
            ways.append(log2(len(row)) + (not self.weights))  # of weights one expects zeros and ones
        if len(set(known)) == 1:
            ways.append(2 + (0 if known[0] == 1 or self.weights and _is_share(known[0], len(known)) else costs[0]))
        if any(_same(row, other) for other in seen):
            ways.append(1 + log2(len(set(map(tuple, seen)))))
        if any(_same(row, other) for other in self._rows_of_sources):
            ways.append(2 + log2(len(self._rows_of_sources)))
        return min(ways)


class Lengths:
    """The descriptions of one line: as it is typed, as it should be by the lines before, and as it is right."""

    def __init__(self, context: MarkingContext, line: Line):
        assert line.reading is not None
        self.context, self.step, self.reading = context, line.step, line.reading
        plan, key = context.plan, line.key
        givens = [k for k in plan.ancestors(key) if isinstance(plan.entries[k], Given)]
        written = [k for k in plan.dependencies[key] if k in context.nearest[key]]  # an omitted line cannot be copied
        self.sources = list(dict.fromkeys([*givens, *written]))

    @cached_property
    def right_box(self) -> Box:
        return self.context.right(self.step.key)

    @cached_property
    def hidden(self) -> set[Where]:
        """The entries that the sheet masks: they cost nothing."""
        weights = is_softmax(self.step)
        cells = (((i, j), cell) for i, row in enumerate(self.right_box) for j, cell in enumerate(row))
        return {at for at, cell in cells if cell and (is_infinite(cell[0]) or weights and cell[0] == 0 == cell[1])}

    @cached_property
    def spread(self) -> float:
        """The largest size of a typed or a right number."""
        cells = (cell for row in self.right_box for cell in row if cell is not None)
        ends = [*self.reading.values.values(), *(cell[0] for cell in cells)]
        return max((abs(approximate(end)) for end in ends if not is_infinite(end)), default=0.0)

    def form(self, source: Callable[[str], Box]) -> Description:
        """Return the description of a line below the lines of a source."""
        sources = [numbers_of(source(key), self.reading.working) for key in self.sources]
        return Description(self.spread, is_softmax(self.step), sources)

    @cached_property
    def own_form(self) -> Description:
        return self.form(self.context.printed_values)

    def numbers_of(self, box: Box) -> Numbers:
        """Return the entries of a box that were answered and are not hidden."""
        return numbers_of(box, self.reading.working, self.hidden, self.reading.values)

    @cached_property
    def right_form(self) -> Description:
        return self.form(self.context.right)

    @cached_property
    def numbers(self) -> Numbers:
        return self.numbers_of(_typed_box(self.step, self.reading))

    @cached_property
    def typed(self) -> float:
        return self.own_form.bits(self.numbers)

    @cached_property
    def free(self) -> float:
        """The length of as many free numbers with the digits of the line."""
        return 2 + sum(self.own_form.cost(x) for x in self.reading.values.values() if isinstance(x, fmpq))

    @cached_property
    def unstructured(self) -> float:
        """The length of as many free numbers with the digits of the right line."""
        weights, working = is_softmax(self.step), self.reading.working
        total = 2.0
        for i, row in enumerate(self.right_box):
            cells = [cell for j, cell in enumerate(row) if (i, j) in self.reading.values and (i, j) not in self.hidden]
            digits = [0 if _is_sure(cell) else decimals_of(cell, working) for cell in cells]
            costs = sorted(map(self.own_form.cost_of_digits, digits))
            total += sum(costs[:-1] if weights and len(costs) > 1 else costs)
        return total

    @cached_property
    def least(self) -> float:
        """The length from which a line shows work: a share of free numbers or, if not weights, of the right line."""
        enough, weights = GROUND * self.unstructured, is_softmax(self.step)
        right = Description(self.spread, weights).bits(self.numbers_of(self.right_box))
        return enough if weights else min(enough, SHOWN * right)

    @cached_property
    def copies_as_it_should(self) -> bool:
        """Return whether the rows of a line are rows of lines above, and so are those of the right one."""
        return self.own_form.copies(self.numbers) and self.right_form.copies(self.numbers_of(self.right_box))


def is_ground(context: MarkingContext, line: Line, explained: bool) -> bool:
    """Return whether later lines may be judged given this one (G). `explained` is true if a cause is named."""
    if line.reading is None or line.is_undefined:
        return line.reading is None
    if line.is_uninformative and not line.like_mistakes:
        lengths = Lengths(context, line)
        return lengths.typed >= GROUND * lengths.free
    if line.verdict != "wrong":
        return True
    typed = numbers_of(_typed_box(line.step, line.reading), line.reading.working)
    if explained and not (is_softmax(line.step) and _selects(typed)):
        return True
    lengths = Lengths(context, line)
    if _repeats_one_number(typed) and not _repeats_one_number(lengths.numbers_of(lengths.right_box)):
        return False
    if is_mostly_right(line, context.expected(line.step, context.likeliest)):
        return True
    return lengths.typed >= lengths.least or lengths.copies_as_it_should


def decided_share(context: MarkingContext, line: Line, accepted: Box) -> float:
    """Return which share of the bits that a line should have the step decides, if the line has too few decimals (C)."""
    lengths, paper = Lengths(context, line), context.on_paper(line.step)
    reading, form = lengths.reading, lengths.own_form
    boxes = [(0.0, accepted), (ANOTHER_WAY, paper), (ANOTHER_WAY, lengths.right_box)]
    holding = [way for way in boxes if may_print(reading, [way[1]])]
    left = min(price + left_open(reading, box, form) for price, box in holding or boxes)
    should, box = (form, paper) if context.has_ground(line.key) else (lengths.right_form, lengths.right_box)
    return (lengths.typed - left) / should.bits(lengths.numbers_of(box))


def has_no_value(reading: Reading, box: Box, among: Iterable[Where] | None = None) -> bool:
    """Return whether half of the finite entries or more, `among` some, have no value or no bound: any number follows
    (U).
    """
    values = {at: reading.values[at] for at in (reading.values if among is None else among)}
    cells = [box[i][j] for (i, j), typed in values.items() if not (is_infinite(typed) and is_hidden(box[i][j]))]
    unbounded = [cell is None or is_infinite(cell[0]) or is_infinite(cell[1]) for cell in cells]
    return bool(cells) and 2 * sum(unbounded) >= len(unbounded)


def copies_rows(line: Line) -> bool:
    """Return whether a line is zeros, or copies rows of what follows."""
    reading = line.reading
    return reading is not None and selects_rows_or_columns(numbers_of(_typed_box(line.step, reading), reading.working))


def _typed_box(step: Step, reading: Reading) -> Box:
    n, m = step.shape
    typed = reading.values
    return [[(typed[i, j],) * 2 if (i, j) in typed else None for j in range(m)] for i in range(n)]


def selects_rows_or_columns(numbers: Numbers) -> bool:
    """Return whether multiplication by a line gives zeros, or selects rows or columns."""
    return _selects(numbers) or _selects(_transposed(numbers))


def _selects(rows: Numbers) -> bool:
    known = [[x or 0 for x in row] for row in rows]
    zeros = all(x == 0 for row in known for x in row)
    return zeros or all(len(row) > 1 and set(row) <= {0, 1} and row.count(1) <= 1 for row in known)


def all_incorrect_entries(line: Line, should: Box) -> list[Where]:
    """Return the wrong entries of a line whose entries all follow from a mistake; entries with too few digits count as
    wrong.
    """
    splits = line.reading is not None and line.reading.has_coarse_entries
    return splits and incorrect_entries(line, line.reading, should) or line.cells  # type: ignore[arg-type]  # it was read


def _transposed(rows: Numbers) -> Numbers:
    return list(zip(*rows, strict=True))


def _same(row: Row, other: Row) -> bool:
    """Return whether a row copies another one, but for entries that cost nothing."""
    return len(row) == len(other) and all(x is None or x == y for x, y in zip(row, other, strict=True))


def _takes_from_each_row(numbers: Numbers, source: Numbers) -> bool:
    """Return whether a column has one entry of each row of a source."""
    return len(numbers) == len(source) > 1 and all(
        len(row) == 1 and row[0] in other for row, other in zip(numbers, source, strict=True)
    )


def _implied_by_sum(weights: Sequence[fmpq]) -> list[fmpq]:
    """Return the weights that follow from the others, because a row sums to 1.

    1.00 follows from 0.0003, but 0.0003 does not follow from 1.00.
    """
    error = abs(sum(weights, fmpq(0)) - 1)
    return [x for x in weights if error * power_of_ten(decimals_of((x, x), MOST_DIGITS)) <= len(weights)]


def _is_share(x: fmpq, count: int) -> bool:
    """Return whether a weight is 1/n, to its digits."""
    return bool(abs(x * count - 1) * 2 * power_of_ten(decimals_of((x, x), MOST_DIGITS)) <= count)


def numbers_of(box: Box, digits: int, hidden: Iterable[Where] = (), only: Iterable[Where] | None = None) -> Numbers:
    """Return the entries of a box as decimals; None for those that are hidden, or are not among `only`."""
    without, among = set(hidden), None if only is None else set(only)
    return [
        [
            None if (i, j) in without or among is not None and (i, j) not in among else _number(cell, digits)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(box)
    ]


def _number(cell: Interval, digits: int) -> fmpq | None:
    if cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
        return None
    rounded = to_decimals(cell, digits)
    assert rounded is not None
    low = rounded[0]
    if isinstance(low, fmpq):
        return low
    middle = fraction(low.mid())
    return None if middle is None else fmpq(round_rational(middle, digits, "half_even"), power_of_ten(digits))


def left_open(reading: Reading, box: Box, form: Description) -> float:
    """Return the bits that an enclosure leaves open of the digits of a line."""
    total = 0.0
    for (i, j), typed in reading.values.items():
        width = reading.left_open((i, j), box[i][j])
        if box[i][j] is None or width > 1:
            most = form.cost(typed) if isinstance(typed, fmpq) else 0.0
            total += most if box[i][j] is None else min(most, log2(width))
    return total


def incorrect_entries(line: Line, reading: Reading, should: Box) -> list[Where]:
    """Return the entries that are right neither to the working decimals of a reading nor to the line's figures."""
    fine = [at_working_precision(reading), *(other for other in line.readings if other.by_figures)]
    return [
        at
        for at in reading.values
        if not any(entry_is_compatible(other, habit, should, at) for other in fine for habit in HABITS)
    ]


def is_mostly_right(line: Line, should: Box) -> bool:
    """Return whether half of the entries or more are right; 0 or 1 throughout shows no work.

    Entries that are 0, 1 or hidden in any work do not count.
    """
    reading = line.reading
    assert reading is not None, "only lines with numbers are judged in this way"
    telling = {(i, j) for i, j in reading.values if not _is_sure(should[i][j])}
    right = telling.difference(incorrect_entries(line, reading, should))
    filler = any(all(typed == x for typed in reading.values.values()) for x in (0, 1))
    return bool(right) and not filler and 2 * len(right) >= len(telling)


def _repeats_one_number(numbers: Numbers) -> bool:
    """Return whether three or more entries are all the same number; of two, one may be a slip."""
    known = [x for row in numbers for x in row if x is not None]
    return len(known) > 2 and len(set(known)) == 1


def decimals_of(cell: Interval, most: int) -> int:
    """Return the decimals that an exact number needs, at most `most`; others need all of them."""
    return next((p for p in range(most) if has_decimals(cell, p)), most)


def _is_sure(cell: Interval) -> bool:
    return cell is not None and (is_infinite(cell[0]) or bool(cell[0] == cell[1]) and cell[0] in (0, 1))
