"""Acceptance of one line: the rule, the theorem, and its proof.

**Legal** (R1). A line y = f(x) is legal when there are numbers x that earlier lines may have carried, a way of working (`Working`, an
equal order of the formula), and one habit h (rounding with any tie rule, cutting, floor), so that every entry is t = h(f̃(x)), where
f̃ is f with its unwritten values kept to at least the line's decimals and as many significant figures (a whole step that is left out, to
the line's decimals: it may have been a line on scratch paper). Carried on is t itself, the
full value f̃(x), or the full value rounded (cut) to at least one digit more.

**Theorem.** A script whose lines are all legal is never refused.

**Proof**, by induction over the lines. *Hypothesis*: the box of each earlier line holds what it carried. (i) Interval evaluation is
inclusive: for the way of working that was used, the enclosure F of f over the boxes holds f̃(x) for these x, since each unwritten value
lies within one unit of its last place of the true one, which `Working.kept` adds. (ii) f̃(x) prints as t by habit h, so it lies in the
preimage t ⊖ U of h. Hence F meets t ⊖ U in every entry, and since a line is refused only where, for every way of working and every
habit, some entry's F is proven to miss t ⊖ U, it is not refused. (iii) The carried value is t, or lies in
(t ⊖ U) ∩ (F ⊕ U/10): rounding or cutting f̃(x) to one digit more moves it by at most U/10, and never out of the closed t ⊖ U,
whose ends are numbers of that many digits. `carried` answers the hull of both for the fattest way of working over all equal orders,
joined over all habits that it allows, so the box holds what was carried, which is the hypothesis for the next line. ∎

Where an entry has no bound (a logarithm of an interval around 0) F is unbounded and refuses nothing: the line is `weak`. A program's print
(`computed: float32`) is read with a relative error beside the unit. Refusing what is not legal is a matter of how thin F is: a union
over ways of working, each thin, never one fat hull (R4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flint import fmpq

from ..arithmetic.cells import Box, Cell, approximate, hull, within
from ..arithmetic.matrices import is_infinite
from ..arithmetic.working import FULL, Working
from ..records import dataclass, field
from .reading import HABITS, Reading, Where

NEVER_SEEN = fmpq(-1_000)  # a finite number so low stands for −∞ in a masked score
WEAK_UNITS = 20
WEAK_FEW = 2


@dataclass(frozen=True, slots=True)
class Accepted:
    """A legal way to have come to the line."""

    reading: Reading
    habit: str
    working: Working
    box: Box
    weak: bool = False


@dataclass(slots=True)
class Refused:
    """No legal way: the entries that fail in the way that fails in the fewest, and that way's enclosure."""

    reading: Reading
    cells: list[Where] = field(default_factory=list)
    box: Box = field(default_factory=list)


Enclose = Callable[[Working], "Iterable[Box]"]  # one box for each equal order of the formula


def workings(digits: int, exponentials: bool, products: bool) -> Iterator[Working]:
    """The ways to keep what is not written down, the likeliest first."""
    yield FULL
    for habit in ("round", "cut", "floor"):
        for shifted in (False, True) if exponentials else (False,):
            yield Working(digits, habit, shifted)
    if products:
        for habit in ("round", "cut", "floor"):
            for shifted in (False, True) if exponentials else (False,):
                yield Working(digits, habit, shifted, products=True)


def accept(readings: list[Reading], enclose: Enclose, exponentials: bool, products: bool) -> Accepted | Refused:
    """The first legal way that explains the whole line, or the refusal of all of them."""
    refused: Refused | None = None
    for reading in readings:
        for working in workings(reading.digits, exponentials, products):
            for box in enclose(working):
                for habit in HABITS:
                    failing = fails(reading, habit, box)
                    if not failing:
                        return Accepted(reading, habit, working, box, _weak(reading, box))
                    if refused is None or len(failing) < len(refused.cells):
                        refused = Refused(reading, failing, box)
            if working is FULL and hopeless(reading, enclose, products):
                break
    assert refused is not None
    return refused


def hopeless(reading: Reading, enclose: Enclose, products: bool) -> bool:
    """Whether not even the fattest way of working, which holds all others, comes to the line by some habit."""
    boxes = enclose(Working(reading.digits, "any", products=products))
    return all(fails(reading, habit, box) for box in boxes for habit in HABITS)


def fails(reading: Reading, habit: str, box: Box, slack: fmpq = fmpq(0)) -> list[Where]:
    """The entries that the box proves not to print so."""
    return [at for at in reading.values if not fits(reading, habit, box, at, slack)]


def fits(reading: Reading, habit: str, box: Box, at: Where, slack: fmpq = fmpq(0)) -> bool:
    cell, typed = box[at[0]][at[1]], reading.values[at]
    if cell is not None and is_infinite(cell[0]) and is_infinite(cell[1]):
        return bool(typed == cell[0]) or bool(cell[0] < 0 and typed <= NEVER_SEEN)
    if is_infinite(typed):
        return cell is None or bool(cell[1 if typed > 0 else 0] == typed)
    return not reading.preimage(at, habit, slack).refuses(cell)


def _weak(reading: Reading, box: Box) -> bool:
    """Whether some entry would have passed with almost any digits: many units are open, or some that are much of the line's size."""
    sizes = [abs(approximate(value)) for value in reading.values.values() if not is_infinite(value)]
    size = max(sizes, default=0.0)
    for (i, j), unit in reading.units.items():
        cell, typed = box[i][j], reading.values[i, j]
        if cell is None or is_infinite(typed) and not is_infinite(cell[0]):
            return True
        if not unit or is_infinite(cell[0]):
            continue
        width = cell[1] - cell[0]
        if not width < WEAK_UNITS * unit or width > WEAK_FEW * unit and approximate(width) > size / 2:
            return True
    return False


def carried(reading: Reading, boxes: list[Box], weights: bool) -> Box | None:
    """What a line may carry on by one reading, None where no habit fits; `boxes` are the fattest enclosures, one an equal order."""
    fat = boxes[0]
    for box in boxes[1:]:
        fat = joined(fat, box)
    habits = [habit for habit in HABITS if not fails(reading, habit, fat)]
    if not habits:
        return None
    result = [list(row) for row in fat]
    for at in reading.values:
        i, j = at
        result[i][j] = _entry(reading, habits, at, fat[i][j], weights)
    return result


def joined(a: Box, b: Box) -> Box:
    """The hull of two boxes, entry by entry."""
    return [[hull(x, y) for x, y in zip(left, right, strict=True)] for left, right in zip(a, b, strict=True)]


def _entry(reading: Reading, habits: list[str], at: Where, cell: Cell, weights: bool) -> Cell:
    typed, unit = reading.values[at], reading.units[at]
    if cell is not None and is_infinite(cell[0]) and is_infinite(cell[1]):
        return cell
    if is_infinite(typed) or unit == 0:
        return typed, typed
    if cell is not None and cell[0] == typed and cell[1] == typed:
        return typed, typed  # it ends within these digits: print, full value and guard digits are one
    images = [reading.preimage(at, habit) for habit in habits]
    low, high = min(p.low for p in images), max(p.high for p in images)
    if weights:
        low, high = max(low, min(fmpq(0), typed)), min(high, max(fmpq(1), typed))
    guard = None if cell is None else (cell[0] - unit / 10, cell[1] + unit / 10)
    return hull(within(guard, low, high), (typed, typed))


def restart(reading: Reading, otherwise: Box, wide: bool) -> Box:
    """What a line that does not follow may carry on: its print or, `wide`, whatever prints so; else what should have been there."""
    result = [list(row) for row in otherwise]
    for i, j in reading.values:
        typed = reading.values[i, j]
        images = [reading.preimage((i, j), habit) for habit in HABITS] if wide and not is_infinite(typed) else []
        result[i][j] = (min(p.low for p in images), max(p.high for p in images)) if images else (typed, typed)
    return result
