"""Plan + givens + arithmetic → Solution: every step's value, and decimals of it that are proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq, fmpz

from .arithmetic import rounding
from .arithmetic.certified import Certified, Entry, Matrix, Mixed, NeedsPrecision, decide, entries, is_exact, is_infinite, pack
from .arithmetic.exact import INFINITY, Cell, ExactCells, GiveUp, number
from .arithmetic.rounding import Rounding
from .errors import AttncalcError, Fault, FormulaError, Place
from .lessons import explained
from .plan import Given, Plan, Step

if TYPE_CHECKING:
    from fractions import Fraction

GUARD_BITS = 64
MOST_BITS = 1 << 17
MOST_BITS_TIMES_ENTRIES = 1 << 23
LARGEST_PRINTED = 4_000  # decimal digits before the point


@dataclass(slots=True)
class Decimals:
    """A step's entries as decimals. `nearly` holds how far an entry is from the round number that it prints as."""

    texts: list[list[str]]
    nearly: list[list[str | None]]
    undecided: list[tuple[int, int]]


class Values:
    """The values of a plan's givens and steps, worked out when asked for, at as many bits as the question needs."""

    def __init__(self, plan: Plan, settle: Callable[[Values, Step, Matrix], Matrix] | None = None):
        self.plan = plan
        self.settle = settle
        self.exact: dict[str, Matrix] = {}
        self.levels: dict[int, dict[str, Matrix]] = {}
        self.failed: dict[str, AttncalcError] = {}
        self.cells = ExactCells(self._cell)
        self.arithmetic = Certified(self.cells, plan.literals)
        self.most_bits = max(512, min(MOST_BITS, MOST_BITS_TIMES_ENTRIES // max(1, plan.size)))

    def at(self, key: str, bits: int) -> Matrix:
        """An enclosure of a step's value, worked out with at least so many bits."""
        if key in self.exact:
            return self.exact[key]
        while True:
            try:
                return self._level(key, bits)
            except NeedsPrecision:
                bits *= 2

    def _level(self, key: str, bits: int) -> Matrix:
        level = self.levels.setdefault(bits, {})
        if key in level:
            return level[key]
        known = {**level, **self.exact}
        with ctx.workprec(bits):
            for one in self.plan.behind(key):
                if one not in known:
                    known[one] = level[one] = self._work_out(one, known, bits)
        return known[key]

    def _work_out(self, key: str, known: dict[str, Matrix], bits: int) -> Matrix:
        """A step's value at so many bits. A step that has none is remembered with its fault, which later steps share."""
        if key in self.failed:
            raise self.failed[key]
        entry = self.plan.entries[key]
        try:
            value = self.arithmetic.evaluate(entry.node, known, bits)
            if self.settle is not None and isinstance(entry, Step):
                value = self.settle(self, entry, value)
        except FormulaError as error:
            self.failed[key] = AttncalcError(Fault(f"{entry.name}: {_said(entry, error)}", _within(entry, error.at)))
            raise self.failed[key] from None
        except NeedsPrecision as question:
            if 2 * bits <= self.most_bits:
                raise
            self.failed[key] = AttncalcError(Fault(f"{entry.name}: it could not be decided with {bits} bits {question}", entry.place))
            raise self.failed[key] from None
        if is_exact(value):
            self.exact[key] = value
        return value

    def _cell(self, key: str, i: int, j: int) -> Cell:
        """One entry of a step for formal proofs: its exact value, or its formula's."""
        if key in self.exact:
            value = self.exact[key]
            x = value.rows[i][j] if isinstance(value, Mixed) else value[i, j]
            return number(x) if isinstance(x, fmpq) else INFINITY[1 if x > 0 else -1]
        if self.settle is not None:
            raise GiveUp
        return self.cells.cell(self.plan.entries[key].node, i, j)


def _said(entry: Given | Step, error: FormulaError) -> str:
    return explained(error, entry.lesson, entry.base) if isinstance(entry, Step) else error.message


def _within(entry: Given | Step, at: int) -> Place:
    """The place of a step's formula; `at` counts only where the author wrote that formula in the file."""
    return entry.place.shifted(at) if isinstance(entry, Step) and entry.lesson is None else entry.place


class StepResult:
    """One solved step: exact where it can be, certified everywhere."""

    def __init__(self, step: Step, values: Values, shown: Rounding):
        self.step = step
        self.values = values
        self.shown = shown
        self._decimals: dict[tuple[int, str], Decimals] = {}

    name = property(lambda self: self.step.name)
    formula = property(lambda self: self.step.formula)
    shape = property(lambda self: self.step.shape)
    rows = property(lambda self: self.step.rows)
    columns = property(lambda self: self.step.columns)
    given = property(lambda self: self.step.given)

    def enclosure(self, bits: int = 128) -> Matrix:
        """The value as python-flint matrices: `fmpq_mat` where exact, `arb_mat` balls elsewhere."""
        return self.values.at(self.step.key, bits)

    def decimals(self, digits: int | None = None, mode: str | None = None) -> list[list[str]]:
        """The entries as texts, correctly rounded to so many decimals; every digit proven (see `printed` for the rest)."""
        return self.printed(digits, mode).texts

    def printed(self, digits: int | None = None, mode: str | None = None) -> Decimals:
        key = (self.shown.digits if digits is None else digits, mode or self.shown.mode)
        if key not in self._decimals:
            self._decimals[key] = _Printer(self.values, self.step, *key).decimals()
        return self._decimals[key]

    def fractions(self) -> list[list[Fraction | None]]:
        """Each entry as a Fraction where it is proven rational, None elsewhere (and for −∞)."""
        from fractions import Fraction

        def convert(x: fmpq | None) -> Fraction | None:
            return None if x is None else Fraction(int(x.numerator), int(x.denominator))

        return [[convert(x) for x in row] for row in self.rationals()]

    def rationals(self) -> list[list[fmpq | None]]:
        """The same as python-flint fractions."""
        return [[self._rational(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(entries(self.enclosure()))]

    def _rational(self, x: Entry, i: int, j: int) -> fmpq | None:
        if isinstance(x, fmpq):
            return x
        if is_infinite(x):
            return None
        guess = _simplest(x)
        if guess is not None and self.values.cells.equals(self.step.node, i, j, guess):
            return guess
        return None

    def numpy(self) -> Any:
        """A float64 array, each entry within one unit in the last place of the true value; −inf where masked."""
        import numpy

        return numpy.array([[_to_float(x) for x in row] for row in entries(self.enclosure(128))], dtype=float)

    def closed(self) -> list[list[Any]]:
        """Each entry as a SymPy expression in the form it was worked, or None where no closed form is in reach."""
        from .arithmetic import closed

        return [
            [closed.expression(self.values.cells.find(self.step.node, i, j)) for j in range(self.shape[1])]
            for i in range(self.shape[0])
        ]

    def sympy(self) -> Any:
        """A SymPy matrix of closed forms; an entry without one is a Float of 50 certified digits."""
        import sympy

        closed = self.closed()
        texts = None if all(x is not None for row in closed for x in row) else self.decimals(50)
        return sympy.Matrix(
            [
                [sympy.Float(texts[i][j], 50) if x is None and texts else x for j, x in enumerate(row)]
                for i, row in enumerate(closed)
            ]
        )

    def tolist(self) -> list[list[str]]:
        return self.decimals()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy().astype(dtype or float)

    def __str__(self) -> str:
        rows = self.decimals()
        widths = [max(len(row[j]) for row in rows) for j in range(self.shape[1])]
        body = "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows)
        return f"{self.name} = {self.formula}\n{body}"

    def __repr__(self) -> str:
        return f"<step {self.name} = {self.formula}, {self.shape[0]} × {self.shape[1]}>"


class _Printer:
    """Decides the decimals of one step, raising the precision only for the entries that ask for it."""

    def __init__(self, values: Values, step: Step, digits: int, mode: str):
        self.values = values
        self.step = step
        self.digits = digits
        self.mode = mode
        self.bits = int(digits * 3.33) + GUARD_BITS

    def decimals(self) -> Decimals:
        rows = entries(self.values.at(self.step.key, self.bits))
        whole: list[list[fmpz | None]] = [[self.first(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        open_cells = [(i, j) for i, row in enumerate(whole) for j, n in enumerate(row) if n is None and not is_infinite(rows[i][j])]
        undecided = self.retry(open_cells, whole, lambda x, i, j: self.first(x, i, j))
        finest = self.finest() if undecided else []
        for i, j in undecided:
            whole[i][j] = self.best(finest[i][j], i, j)
        texts = [
            [self.text(x, n) for x, n in zip(row, ns, strict=True)] for row, ns in zip(rows, whole, strict=True)
        ]
        return Decimals(texts, self.nearly(rows, whole), undecided)

    def text(self, x: Entry, n: fmpz | None) -> str:
        if n is None:
            return "inf" if x > 0 else "-inf"
        return rounding.decimal_text(n, self.digits)

    def first(self, x: Entry, i: int, j: int) -> fmpz | None:
        if is_infinite(x):
            return None
        if isinstance(x, arb):
            if x.is_finite() and abs(x) > arb(10) ** LARGEST_PRINTED:
                raise AttncalcError(
                    Fault(f"{self.step.name}: an entry is larger than 10^{LARGEST_PRINTED}; numbers that long are not printed", self.step.place)
                )
        elif x.numerator.bit_length() - x.denominator.bit_length() > LARGEST_PRINTED * 3.33:
            raise AttncalcError(
                Fault(f"{self.step.name}: an entry is larger than 10^{LARGEST_PRINTED}; numbers that long are not printed", self.step.place)
            )
        with ctx.workprec(self.bits):
            return decide(self.values.cells, self.step.node, i, j, x, self.digits, self.mode)

    def retry(
        self, cells: list[tuple[int, int]], results: list[list[Any]], ask: Callable[[Entry, int, int], Any]
    ) -> list[tuple[int, int]]:
        """Asks again with twice the bits until every cell has an answer; the cells that never get one come back."""
        start = self.bits
        while cells and self.bits * 2 <= self.values.most_bits:
            self.bits *= 2
            rows = entries(self.values.at(self.step.key, self.bits))
            still = []
            for i, j in cells:
                results[i][j] = ask(rows[i][j], i, j)
                if results[i][j] is None:
                    still.append((i, j))
            cells = still
        self.bits = start
        return cells

    def highest(self) -> int:
        """The most bits that `retry` came to."""
        bits = self.bits
        while bits * 2 <= self.values.most_bits:
            bits *= 2
        return bits

    def finest(self) -> list[list[Entry]]:
        """The entries at the most bits that `retry` came to."""
        return entries(self.values.at(self.step.key, self.highest()))

    def best(self, x: Entry, i: int, j: int) -> fmpz:
        """The likelier of two answers, for a cell that is then called undecided."""
        if isinstance(x, arb) and not (x.is_finite() and x.rad() * rounding.power_of_ten(self.digits) * 2 < 1):
            what = f"the digits of row {i}, column {j}" if self.step.node.size > 1 else "its digits"
            raise AttncalcError(Fault(f"{self.step.name}: {what} are out of reach, {self.highest()} bits do not tell them", self.step.place))
        return rounding.of_rational(_midpoint(x), self.digits, "half_up")

    def nearly(self, rows: list[list[Entry]], whole: list[list[fmpz | None]]) -> list[list[str | None]]:
        unit = rounding.power_of_ten(self.digits)
        result: list[list[Any]] = [[None] * len(row) for row in rows]
        open_cells = []
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                n = whole[i][j]
                if n is None or n % 10 and self.digits:
                    continue
                answer = self.distance(x, i, j, n, unit)
                result[i][j] = answer
                if answer is None:
                    open_cells.append((i, j))
        still_open = self.retry(open_cells, result, lambda x, i, j: self.distance(x, i, j, whole[i][j], unit))  # type: ignore[arg-type]
        finest = self.finest() if still_open else []
        for i, j in still_open:
            result[i][j] = self.bound(finest[i][j], whole[i][j], unit)  # type: ignore[arg-type]
        return [[answer or None for answer in row] for row in result]

    def distance(self, x: Entry, i: int, j: int, n: fmpz, unit: fmpz) -> str | None:
        """How far x is from the round number n/unit: "" for not at all (or too far to speak of), None for still open."""
        printed = fmpq(n, unit)
        with ctx.workprec(self.bits):
            gap = abs(x - printed)
            if not (n % unit == 0 and (self.digits or n == 0)) and not gap * unit * 100 < 1:
                return ""
            if isinstance(x, fmpq):
                return "" if gap == 0 else str(rounding.significant(gap))
            if gap.contains(0):
                return "" if gap.is_zero() or self.values.cells.equals(self.step.node, i, j, printed) else None
            return rounding.significant(gap)

    def bound(self, x: Entry, n: fmpz, unit: fmpz) -> str:
        """For an entry so near to a round number that no precision in reach parts them: a bound, as `<1e-4000`."""
        gap = abs(x - fmpq(n, unit))
        exponent = int((arb(gap).abs_upper().log() / arb(10).log()).ceil().mid().unique_fmpz() or 0)
        return f"<1e{max(exponent, -rounding.LARGEST_EXPONENT)}"


def _midpoint(x: Entry) -> fmpq:
    if isinstance(x, fmpq):
        return x
    mantissa, exponent = x.mid().man_exp()
    if exponent < -MOST_BITS:  # nearer to 0 than any digit that is asked for
        return fmpq(0)
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _simplest(x: arb) -> fmpq | None:
    """A fraction with a small denominator in the ball, if there is one: a guess that still needs its proof."""
    from fractions import Fraction

    if not x.is_finite() or abs(x) > 1 << 64:
        return None
    middle = _midpoint(x)
    near = Fraction(int(middle.numerator), int(middle.denominator)).limit_denominator(1_000_000)
    guess = fmpq(near.numerator, near.denominator)
    with ctx.workprec(512):
        return guess if x.contains(guess) else None


def _to_float(x: Entry) -> float:
    if isinstance(x, fmpq):
        return int(x.numerator) / int(x.denominator)
    return float(x)


class PartSolution:
    """The solved steps of one part."""

    def __init__(self, name: str | None, steps: list[StepResult], part: Any):
        self.name = name
        self.steps = steps
        self.part = part

    def __getitem__(self, name: str) -> StepResult:
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(f"no step {name}; there are {', '.join(s.name for s in self.steps)}")

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self.steps)


class Solution:
    """A solved problem: `solution["masked"]["Z"]`, `solution["masked.Z"]`, or `solution["Z"]` where there is one part."""

    def __init__(self, problem: Any, parts: list[PartSolution], values: Values, paper: bool):
        self.problem = problem
        self.parts = parts
        self.values = values
        self.paper = paper

    def __getitem__(self, name: str) -> Any:
        for part in self.parts:
            if part.name == name and name is not None:
                return part
        for part in self.parts:
            if part.name is None or len(self.parts) == 1:
                for step in part.steps:
                    if step.name == name:
                        return step
            if part.name is not None and name.startswith(part.name + "."):
                return part[name[len(part.name) + 1 :]]
        raise KeyError(f"no part or step {name}")


def settle_on_paper(rounding_of: Callable[[Step], Rounding]) -> Callable[[Values, Step, Matrix], Matrix]:
    """Every step rounded before it is carried on, as on paper."""

    def settle(values: Values, step: Step, value: Matrix) -> Matrix:
        how = rounding_of(step)
        unit = rounding.power_of_ten(how.digits)
        rows = []
        for i, row in enumerate(entries(value)):
            line: list[Entry] = []
            for j, x in enumerate(row):
                if is_infinite(x):
                    line.append(x)
                    continue
                n = decide(values.cells, step.node, i, j, x, how.digits, how.mode)
                if n is None:
                    raise NeedsPrecision(f"how row {i}, column {j} is rounded")
                line.append(fmpq(n, unit))
            rows.append(line)
        return pack(rows)

    return settle
