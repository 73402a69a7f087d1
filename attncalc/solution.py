"""Solutions: a plan, its values, and their proven decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from flint import fmpq

from . import limits
from .arithmetic import rounding
from .arithmetic.balls import NeedsPrecision, decide, require_shorter
from .arithmetic.budget import guess_fraction
from .arithmetic.matrix_types import Entry, Matrix, entries, is_infinite, longest_exact, pack
from .arithmetic.rounding import Rounding, require_mode
from .arithmetic.working_precision import working_precision
from .certified_decimals import Decimals, Printer
from .errors import AttncalcError, UndecidedDigits, shorten
from .formula.index_base import row_and_column
from .plan import Step
from .step_values import Values

if TYPE_CHECKING:
    from fractions import Fraction

    from .problem.problem import Part, Problem


MOST_DIGITS = limits.DECIMALS.most
SYMPY_FIGURES = 50  # significant figures of a SymPy Float


class NotebookWriters:
    """The functions that render solutions, steps and reports in notebooks. `attncalc/__init__.py` sets them."""

    def __init__(self) -> None:
        self.html: Callable[[object], str | None] = lambda shown: None
        self.latex: Callable[[object], str | None] = lambda shown: None


PAGES = NotebookWriters()


class StepResult:
    """One solved step, with exact values or certified enclosures."""

    def __init__(self, step: Step, values: Values, shown: Rounding):
        self.step = step
        self.values = values
        self.shown = shown
        self._decimals: dict[tuple[int, str], Decimals] = {}
        self.name, self.formula, self.given = step.name, step.formula, step.given
        self.shape, self.rows, self.columns = step.shape, step.rows, step.columns

    def enclosure(self, bits: int = 128) -> Matrix:
        """Return the value as a python-flint matrix: `fmpq_mat` if exact, otherwise `arb_mat` with balls."""
        return self.values.enclosure(self.step.key, bits)

    def decimals(self, digits: int | None = None, mode: str | None = None) -> list[list[str]]:
        """Return the entries as texts, correctly rounded to `digits` decimals. Every digit is proven.

        If the last digit of an entry could not be proven, the warning UndecidedDigits names the entry.
        """
        printed = self.printed(digits, mode)
        if printed.undecided:
            import warnings

            entries = ", ".join(f"{self.name}[{i}, {j}]" for i, j in printed.undecided)
            which = "this entry" if len(printed.undecided) == 1 else "these entries"
            warning = f"the last digit of {which} could not be proven: {shorten(entries, 200)}"
            warnings.warn(warning, UndecidedDigits, stacklevel=2)
        return printed.texts

    def printed(self, digits: int | None = None, mode: str | None = None) -> Decimals:
        """Return the decimals and the list of undecided entries. Raises AttncalcError for invalid digits or modes."""
        key = (self.shown.digits if digits is None else digits, self.shown.mode if mode is None else mode)
        if not isinstance(key[0], int) or not 0 <= key[0] <= MOST_DIGITS:
            raise AttncalcError(f"digits: expected a whole number from 0 to {MOST_DIGITS:,}, found {key[0]!r}")
        require_mode(key[1])
        if key not in self._decimals:
            self._decimals[key] = Printer(self.values, self.step, *key).decimals()
        return self._decimals[key]

    def fractions(self) -> list[list[Fraction | None]]:
        """Return each entry as a Fraction if it is proven rational, otherwise None (also for −∞)."""
        from fractions import Fraction

        def convert(x: fmpq | None) -> Fraction | None:
            return None if x is None else Fraction(int(x.numerator), int(x.denominator))

        return [[convert(x) for x in row] for row in self.rationals()]

    def rationals(self) -> list[list[fmpq | None]]:
        """Return each entry as a python-flint fraction if it is proven rational, otherwise None."""
        return [
            [self._rational(x, i, j) for j, x in enumerate(row)]
            for i, row in enumerate(self.values.rows(self.step, 128))
        ]

    def _rational(self, x: Entry, i: int, j: int) -> fmpq | None:
        if isinstance(x, fmpq):
            return x
        if is_infinite(x):
            return None
        guess = guess_fraction(x)
        with working_precision(512):
            is_within = guess is not None and x.contains(guess)
        return guess if is_within and self.values.cells.equals(self.step.node, i, j, guess) else None

    def numpy(self) -> Any:
        """Return an array of the float64 nearest to each entry; −inf for masked entries."""
        import numpy

        from .certified_decimals import float64

        return numpy.array(float64(self.values, self.step), dtype=float)

    def closed(self) -> list[list[object]]:
        """Return each entry as a SymPy expression in closed form; None if no closed form is found."""
        from .arithmetic.exact import sympy_export

        return [
            [sympy_export.expression(self.values.cells.find(self.step.node, i, j)) for j in range(self.shape[1])]
            for i in range(self.shape[0])
        ]

    def sympy(self) -> Any:
        """Return a SymPy matrix of closed forms. An entry without a closed form is a Float of 50 correct figures.

        If 50 figures cannot be proven, the Float has the proven decimals.
        """
        import sympy

        from .certified_decimals import significant

        closed = self.closed()
        floats = (
            significant(self.values, self.step, SYMPY_FIGURES) if any(x is None for row in closed for x in row) else []
        )

        def number(i: int, j: int) -> object:
            text = floats[i][j]
            return sympy.Float(self.decimals(SYMPY_FIGURES)[i][j]) if text is None else sympy.Float(text, SYMPY_FIGURES)

        return sympy.Matrix(
            [[number(i, j) if x is None else x for j, x in enumerate(row)] for i, row in enumerate(closed)]
        )

    def tolist(self) -> list[list[str]]:
        """Return the entries as decimal texts, a list for each row."""
        return self.decimals()

    def __array__(self, dtype: object = None, copy: object = None) -> object:
        return self.numpy().astype(dtype or float)

    def __str__(self) -> str:
        rows = self.decimals()
        widths = [max(len(row[j]) for row in rows) for j in range(self.shape[1])]
        body = "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows)
        return f"{self.name} = {self.formula}\n{body}"

    def __repr__(self) -> str:
        return f"<step {self.name} = {self.formula}, {self.shape[0]} × {self.shape[1]}>"

    def _repr_html_(self) -> str | None:
        return PAGES.html(self)

    def _repr_latex_(self) -> str | None:
        return PAGES.latex(self)


class PartSolution:
    """The solved steps of one part."""

    def __init__(self, name: str | None, steps: list[StepResult], part: Part):
        self.name = name
        self.steps = steps
        self.part = part

    def __getitem__(self, name: str) -> StepResult:
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(f"no step {name}; there are {', '.join(s.name for s in self.steps)}")

    def __iter__(self) -> Iterator[StepResult]:
        return iter(self.steps)


class Solution:
    """A solved problem: `solution["masked"]["Z"]`, `solution["masked.Z"]`, or `solution["Z"]` if there is one part."""

    def __init__(self, problem: Problem, parts: list[PartSolution], values: Values, paper: bool):
        self.problem = problem
        self.parts = parts
        self.values = values
        self.paper = paper

    def _repr_html_(self) -> str | None:
        return PAGES.html(self) if self.values else None

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
        raise KeyError(f"there is no part or step {name}")


def rounding_on_paper(rounding_of: Callable[[Step], Rounding]) -> Callable[[Values, Step, Matrix], Matrix]:
    """Return a function that rounds a step's value before later steps use it, as a student does on paper."""

    def round_step(values: Values, step: Step, value: Matrix) -> Matrix:
        step_rounding = rounding_of(step)
        unit = rounding.power_of_ten(step_rounding.digits)
        rows = []
        for i, row in enumerate(entries(value)):
            line: list[Entry] = []
            for j, x in enumerate(row):
                if is_infinite(x):
                    line.append(x)
                    continue
                require_shorter(x, longest_exact(step.node), step.node, i, j)
                n = decide(values.cells, step.node, i, j, x, step_rounding.digits, step_rounding.mode)
                if n is None:
                    raise NeedsPrecision(f"how {row_and_column(i, j)} is rounded")
                line.append(fmpq(n, unit))
            rows.append(line)
        return pack(rows)

    return round_step
