"""Draws that surely fail, found in floating point before anything is judged exactly.

Most givens are drawn in vain, nearly all of them for a tie or for a weight near 1. So the steps that a given settles
are printed as one function of Python, made once for all draws, and a draw goes no further where that is sure which
demand is the first that is not met. Whatever lies near a bound, and all that the function does not know, is left to the
exact judgement: the same draws are kept, and the others fail for the same reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain

from flint import fmpq

from ..arithmetic.cells import Box, approximate
from ..arithmetic.matrices import is_infinite
from ..plan import Given, Step
from .drawn import Texts
from .floats import ZERO_WEIGHT, Entries, Lines, NotPrinted, formula, is_name
from .quality import LARGEST, SATURATED, STEEP, TIE
from .stages import Stage
from .texts import number
from .view import NumericView

MARGIN = 1e-4  # of a weight, and of the last digit's unit: far more than floating point is off by
MAX_DIGITS = 4  # with more of them a unit is too near to what floating point is off by


class Prefilter:
    """A look at what one stage settles, by the texts that are drawn and the numbers of earlier stages."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        code = _PrefilterCode(view, stages, turn, relaxed)
        self.known = code.known
        self.labelled = [given.name for given in code.drawn if given.rows]
        self.function = code.function()
        self.last: tuple[NumericView | None, list[float] | None] = None, []  # the earlier numbers of the view seen last

    def fault(self, drawn: Texts, before: NumericView | None) -> str | None:
        """The demand that is surely the first that a draw does not meet; None where that is not sure."""
        if self.function is None or any(len(set(map(tuple, drawn[name]))) < len(drawn[name]) for name in self.labelled):
            return None  # two tokens alike are told first
        if before is not None and before is not self.last[0]:
            self.last = before, self.numbers(before)
        numbers, known = [_float(text) for rows in drawn.values() for row in rows for text in row], self.last[1]
        if known is None or None in numbers:
            return None
        try:
            return self.function(numbers, known)
        except (ArithmeticError, ValueError):
            return None

    def numbers(self, view: NumericView) -> list[float] | None:
        """Those of earlier stages, None where one is not finite."""
        boxes = [view.paper(key) if on_paper else view.full(key) for key, on_paper in self.known]
        floats = {id(box): _floats(box) for box in boxes}  # what is not rounded is the same box on paper
        values = [floats[id(box)] for box in boxes]
        return None if None in values else list(chain(*values))  # type: ignore[arg-type]


class _PrefilterCode:
    """The function of a stage: the steps that it settles, up to one that cannot be printed."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        self.view, self.relaxed, self.stage = view, relaxed, stages[turn]
        self.known: list[tuple[str, bool]] = []  # what is used of earlier stages: keys, and whether as on paper
        self.lines = Lines()
        self.values: dict[tuple[str, bool], Entries] = {}
        self.names = {name for stage in stages for name in stage.drawn}
        givens = {given.name: given for given in view.plan.givens}
        self.drawn = [givens[name] for name in self.stage.drawn]
        for given in self.drawn:
            self.values[given.key, False] = self.lines.matrix("drawn", given.shape)
        earlier: Set[str] = stages[turn - 1].keys if turn else frozenset()
        self.can_reject = False  # of anything
        with suppress(NotPrinted):
            for entry in view.plan.entries.values():
                if isinstance(entry, Step) and entry.key in self.stage.keys and entry.key not in earlier:
                    self.print(entry)

    def function(self) -> Callable[[list[float | None], list[float]], str | None] | None:
        """It, None where it would never be sure."""
        return self.lines.function("drawn", "known") if self.can_reject else None

    def value(self, on_paper: bool, key: str) -> Entries:
        """The entries of a given or a step, exact or rounded step by step."""
        entry = self.view.plan.entries[key]
        if isinstance(entry, Given):
            on_paper = False
        if (key, on_paper) not in self.values:
            if isinstance(entry, Given) and (entry.part is not None or entry.name not in self.names):
                self.values[key, on_paper] = formula(entry.node, partial(self.value, False), self.lines)
            else:
                self.known.append((key, on_paper))
                self.values[key, on_paper] = self.lines.matrix("known", entry.shape)
        return self.values[key, on_paper]

    def print(self, step: Step) -> None:
        """A step's numbers with the demands on them, and the same where all that stands before is rounded."""
        digits, asked = self.view.digits(step), step in self.stage.steps
        if digits > MAX_DIGITS:
            raise NotPrinted
        exact = self.values[step.key, False] = formula(step.node, partial(self.value, False), self.lines)
        if asked and step.node.operation == "softmax":
            self.weights(exact, digits)
        if asked:
            self.sizes(exact, digits)
            self.ties(exact, digits)
        paper = formula(step.node, partial(self.value, True), self.lines)
        if asked and paper != exact:
            self.ties(paper, digits)
        self.values[step.key, True] = paper if step.given else self.rounded(paper, digits)

    def weights(self, rows: Entries, digits: int) -> None:
        """Weights near 1, of which there may be one in a row where others are seen; equal ones are not looked at."""
        maxima = []
        for row in rows:
            visible = ", ".join(x for x in row if x != ZERO_WEIGHT)
            if "," in visible:
                maxima.append(self.lines.name(f"max({visible})"))
                self.bound(maxima[-1], SATURATED)
                self.leave_undecided([f"{maxima[-1]} - min({visible}) < {0.1**digits + MARGIN}"])
        if maxima:
            self.bound(self.lines.name(f"min({', '.join(maxima)}, 1)"), STEEP)

    def bound(self, name: str, limit: fmpq) -> None:
        if "saturated" not in self.relaxed:
            self.reject([f"{name} > {approximate(limit) + MARGIN}"], "saturated")
            self.leave_undecided([f"{name} > {approximate(limit) - MARGIN}"])

    def sizes(self, rows: Entries, digits: int) -> None:
        """Large numbers, and those that print as −0, are not looked at."""
        upper, lower = LARGEST - MARGIN, -(0.1**digits)
        self.leave_undecided(
            [f"not {-upper} < {x} < {upper} or {lower} < {x} < 0" for x in filter(is_name, chain(*rows))]
        )

    def ties(self, rows: Entries, digits: int) -> None:
        """Numbers next to a tie."""
        near = approximate(TIE) - MARGIN
        if "ties" not in self.relaxed:
            self.reject([f"{0.5 - near} < {x} < {0.5 + near}" for x in self.fractional_part(rows, digits)], "ties")

    def fractional_part(self, rows: Entries, digits: int) -> list[str]:
        """What stands behind the last digit of each entry, in its units."""
        return [self.lines.name(f"abs({x}) * {10.0**digits} % 1") for x in filter(is_name, chain(*rows))]

    def rounded(self, rows: Entries, digits: int) -> Entries:
        """The entries as they print; a tie is not looked at."""
        self.leave_undecided([f"{0.5 - MARGIN} < {x} < {0.5 + MARGIN}" for x in self.fractional_part(rows, digits)])
        unit = f"{10.0**digits}"
        return [
            [self.lines.name(f"({x} * {unit} + 0.5) // 1 / {unit}") if is_name(x) else x for x in row] for row in rows
        ]

    def reject(self, conditions: list[str], demand: str) -> None:
        """A draw surely fails where one of these holds."""
        if conditions:
            self.can_reject = True
            self.lines.write(f"if {' or '.join(conditions)}: return {demand!r}")

    def leave_undecided(self, conditions: list[str]) -> None:
        """A draw is left to the exact judgement where one of these holds."""
        if conditions:
            self.lines.write(f"if {' or '.join(conditions)}: return None")


@lru_cache(maxsize=4096)
def _float(text: str) -> float | None:
    fraction = number(text)
    with suppress(OverflowError):
        return None if fraction is None else float(fraction)
    return None


def _floats(box: Box) -> list[float] | None:
    """The entries of a box, None where one is not finite."""
    ends = [cell[0] for row in box for cell in row if cell is not None]
    return None if any(map(is_infinite, ends)) else list(map(approximate, ends))
