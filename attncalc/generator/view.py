"""A problem's numbers as its quality is judged: exact values, values rounded step by step, and how they print."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from flint import arb, ctx, fmpq

from ..arithmetic.cells import Box, Interval, ends_within
from ..arithmetic.decisions import decide
from ..arithmetic.interval import evaluate
from ..arithmetic.prints import OPEN, Units, texts, units
from ..arithmetic.working import to_decimals
from ..formula.node import Node
from ..mistakes.site import StepAnalysis
from ..plan import Given, Step
from ..problem.model import Part, Problem
from ..values import Values

BITS = 96


class NumericView:
    """The steps of a problem. `full` carries exact values on, `paper` what is printed."""

    def __init__(self, problem: Problem, digits: int | None = None, sites: dict[str, StepAnalysis] | None = None):
        self.problem = problem
        self.plan = problem.plan
        self.givens: list[Given] = problem.plan.givens
        self.parts = {step.key: part for part in problem.parts for step in part.plan.steps}
        self.digits_override = digits
        # Tells the mistakes and steps where no problem of this kind has evidence for a name; asked where it decides.
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
        return [
            step
            for part in self.problem.parts
            for step in part.plan.steps
            if not step.given and self.is_asked(part, step)
        ]

    def restrict(self, givens: list[Given], steps: list[Step]) -> NumericView:
        """The same numbers, looked at in these givens and steps alone."""
        view = NumericView.__new__(NumericView)
        view.__dict__.update(self.__dict__, givens=givens, steps=steps)
        return view

    def branch(self) -> NumericView:
        """A view that begins with what is worked out here, and adds nothing to this one: for givens that are drawn
        again.
        """
        view = NumericView.__new__(NumericView)
        view.__dict__.update(self.__dict__)
        for values in ("_full", "_paper", "_units", "_unrounded", "_whole"):
            view.__dict__[values] = dict(self.__dict__[values])
        return view

    def site(self, step: Step) -> StepAnalysis:
        """A step as mistakes see it."""
        if step.key not in self.sites:
            self.sites[step.key] = StepAnalysis(self.plan, step, self.problem.columns)
        return self.sites[step.key]

    @staticmethod
    def is_asked(part: Part, step: Step) -> bool:
        """Whether a step counts: all do where nothing is stated."""
        return bool(part.asked) or not part.asked_stated

    def digits(self, step: Step) -> int:
        """The decimals that a step is printed with."""
        return self.parts[step.key].rounding.digits if self.digits_override is None else self.digits_override

    def full(self, key: str) -> Box:
        """The value of a given or a step before any rounding, as intervals."""
        if key not in self._full:
            with ctx.workprec(BITS):
                self._full[key] = evaluate(self.plan.entries[key].node, self.full)
        return self._full[key]

    def is_whole(self, key: str) -> bool:
        """Whether a value is made of whole numbers, which are never rounded."""
        if key not in self._whole:
            self._whole[key] = all(_is_whole(cell) for row in self.full(key) for cell in row)
        return self._whole[key]

    def paper(self, key: str) -> Box:
        """The values where every step is rounded before it is carried on; the very box of `full` where nothing was
        rounded.
        """
        if key not in self._paper:
            entry, box = self.plan.entries[key], self.before_rounding(key)
            if isinstance(entry, Step) and not entry.given and not (box is self.full(key) and self.is_whole(key)):
                digits = self.digits(entry)
                if not all(ends_within(cell, digits) for row in box for cell in row):
                    with ctx.workprec(BITS):
                        box = [[to_decimals(cell, digits) for cell in row] for row in box]
            self._paper[key] = box
        return self._paper[key]

    def before_rounding(self, key: str) -> Box:
        """The values of a step on paper, before it is rounded itself; the very box of `full` where nothing before it
        was rounded.
        """
        if key not in self._unrounded and all(self.paper(used) is self.full(used) for used in self.plan.uses[key]):
            self._unrounded[key] = self.full(key)
        if key not in self._unrounded:
            with ctx.workprec(BITS):
                self._unrounded[key] = evaluate(self.plan.entries[key].node, self.paper)
        return self._unrounded[key]

    def units(self, step: Step) -> Units:
        """A step's entries as they print, in units of the last digit."""
        if step.key not in self._units:
            self._units[step.key] = self.decide_units(step.node, self.full(step.key), self.digits(step))
        return self._units[step.key]

    def decide_units(self, node: Node, box: Box, digits: int) -> Units:
        """What the value of a formula prints as; where its box leaves that open, by formal proof: e^(ln 3) / 8 lies
        halfway between 0.37 and 0.38.
        """
        printed_units = units(box, digits)
        if not any(OPEN in row for row in printed_units):
            return printed_units
        cells = Values(self.plan).glance
        rows = [list(row) for row in printed_units]
        undecided = [(i, j, box[i][j]) for i, row in enumerate(printed_units) for j, n in enumerate(row) if n == OPEN]
        with ctx.workprec(BITS):
            for i, j, cell in undecided:
                n = cell and decide(cells, node, i, j, arb(cell[0]).union(arb(cell[1])), digits, "half_up")
                rows[i][j] = OPEN if n is None else int(n)
        return tuple(map(tuple, rows))

    def printed(self, step: Step) -> list[list[str]]:
        """The texts of a step's entries, n × m."""
        return texts(self.units(step), self.digits(step))


def _is_whole(cell: Interval) -> bool:
    return cell is not None and cell[0] is cell[1] and type(cell[0]) is fmpq and cell[0].denominator == 1
