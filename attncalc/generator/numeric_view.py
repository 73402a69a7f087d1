"""Numeric view of a problem for its requirements: exact values, values rounded step by step, and printed numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from flint import arb, fmpq

from ..arithmetic.balls import decide
from ..arithmetic.intervals.decimals import OPEN, Units, texts, units
from ..arithmetic.intervals.intermediate_rounding import to_decimals
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, Interval, has_decimals
from ..arithmetic.working_precision import working_precision
from ..formula.typed_formula import Node
from ..mistakes.step_analysis import StepAnalysis
from ..plan import Given, Step
from ..problem.problem import Problem
from ..step_values import Values

BITS = 96


class NumericView:
    """Values of a problem's steps. `full` carries exact values on, `paper` rounded ones."""

    def __init__(self, problem: Problem, sites: dict[str, StepAnalysis] | None = None):
        self.problem = problem
        self.plan = problem.plan
        self.givens: list[Given] = problem.plan.givens
        self.parts = {step.key: part for part in problem.parts for step in part.plan.steps}
        # Returns the (mistake, step) pairs that no problem of this kind can name; called only when needed.
        self.nameless: Callable[[], frozenset[tuple[str, str]]] = frozenset
        self.sites: dict[str, StepAnalysis] = {} if sites is None else sites
        self._full: dict[str, Box] = {}
        self._paper: dict[str, Box] = {}
        self._units: dict[str, Units] = {}
        self._unrounded: dict[str, Box] = {}
        self._whole: dict[str, bool] = {}

    @cached_property
    def steps(self) -> list[Step]:
        """The steps that students work out."""
        parts = (part for part in self.problem.parts if part.asked or not part.asked_stated)
        return [step for part in parts for step in part.plan.steps if not step.given]

    def restrict(self, givens: list[Given], steps: list[Step]) -> NumericView:
        """Return a view of these givens and steps that shares all values."""
        view = NumericView.__new__(NumericView)
        view.__dict__.update(self.__dict__, givens=givens, steps=steps)
        return view

    def branch(self) -> NumericView:
        """Return a copy that starts with the values computed so far and leaves this view unchanged; for givens that are
        redrawn.
        """
        view = NumericView.__new__(NumericView)
        view.__dict__.update(self.__dict__)
        for values in ("_full", "_paper", "_units", "_unrounded", "_whole"):
            view.__dict__[values] = dict(self.__dict__[values])
        return view

    def site(self, step: Step) -> StepAnalysis:
        """Return the analysis of a step for mistakes."""
        if step.key not in self.sites:
            self.sites[step.key] = StepAnalysis(self.plan, step, self.problem.columns)
        return self.sites[step.key]

    def digits(self, step: Step) -> int:
        return self.parts[step.key].rounding.digits

    def full(self, key: str) -> Box:
        """Return the enclosure of a given's or a step's exact value."""
        if key not in self._full:
            for before in self.plan.unknown_before(key, self._full.__contains__):
                self.full(before)
            with working_precision(BITS):
                self._full[key] = evaluate(self.plan.entries[key].node, self.full)
        return self._full[key]

    def is_whole(self, key: str) -> bool:
        """True if all entries are integers, which are never rounded."""
        if key not in self._whole:
            self._whole[key] = all(_is_whole(cell) for row in self.full(key) for cell in row)
        return self._whole[key]

    def paper(self, key: str) -> Box:
        """Return the enclosure with every step rounded before it is carried on; the box of `full` itself if nothing was
        rounded.
        """
        if key not in self._paper:
            for before in self.plan.unknown_before(key, self._paper.__contains__):
                self.paper(before)
            entry, box = self.plan.entries[key], self.before_rounding(key)
            if isinstance(entry, Step) and not entry.given and not (box is self.full(key) and self.is_whole(key)):
                digits = self.digits(entry)
                if not all(has_decimals(cell, digits) for row in box for cell in row):
                    with working_precision(BITS):
                        box = [[to_decimals(cell, digits) for cell in row] for row in box]
            self._paper[key] = box
        return self._paper[key]

    def before_rounding(self, key: str) -> Box:
        """Return a step's enclosure from rounded inputs, unrounded itself; the box of `full` itself if no input was
        rounded.
        """
        if key not in self._unrounded:
            if all(self.paper(used) is self.full(used) for used in self.plan.dependencies[key]):
                self._unrounded[key] = self.full(key)
            else:
                with working_precision(BITS):
                    self._unrounded[key] = evaluate(self.plan.entries[key].node, self.paper)
        return self._unrounded[key]

    def units(self, step: Step) -> Units:
        """Return a step's printed entries, in units of the last digit."""
        if step.key not in self._units:
            self._units[step.key] = self.decide_units(step.node, self.full(step.key), self.digits(step))
        return self._units[step.key]

    def decide_units(self, node: Node, box: Box, digits: int) -> Units:
        """Return the printed entries of a formula, in units. Entries that the box leaves open are decided by formal
        proof: e^(ln 3) / 8 lies halfway between 0.37 and 0.38.
        """
        printed_units = units(box, digits)
        if not any(OPEN in row for row in printed_units):
            return printed_units
        cells = Values(self.plan).quick_cells
        rows = [list(row) for row in printed_units]
        undecided = [(i, j, box[i][j]) for i, row in enumerate(printed_units) for j, n in enumerate(row) if n == OPEN]
        with working_precision(BITS):
            for i, j, cell in undecided:
                n = cell and decide(cells, node, i, j, arb(cell[0]).union(arb(cell[1])), digits, "half_up")
                rows[i][j] = OPEN if n is None else int(n)
        return tuple(map(tuple, rows))

    def printed(self, step: Step) -> list[list[str]]:
        return texts(self.units(step), self.digits(step))


def _is_whole(cell: Interval) -> bool:
    return cell is not None and cell[0] is cell[1] and type(cell[0]) is fmpq and cell[0].denominator == 1
