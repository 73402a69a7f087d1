"""Prefilter: rejects draws in floating point before they are judged exactly.

Most givens are drawn in vain, nearly all of them for a tie or for a weight near 1. The steps of each stage are compiled
once to a Python function, which returns the first failed requirement if that is certain. Values near a bound, and
everything the function does not cover, are left to the exact judgement, so accepted draws and failures are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain

from flint import fmpq

from ...arithmetic.intervals.scalar import Box, approximate
from ...arithmetic.matrix_types import is_infinite
from ...plan import Given, Step
from ..draw_order import Stage
from ..literal_format import number
from ..numeric_view import NumericView
from ..requirements import LARGEST, SATURATED, STEEP, TIE
from ..search_result import Texts
from .codegen import ZERO_WEIGHT, Entries, Lines, NotPrinted, formula, is_name

MARGIN = 1e-4  # in weights and in units of the last digit: far above the floating-point error
MAX_DIGITS = 4  # beyond it a unit approaches the floating-point error


class Prefilter:
    """Prefilter of one stage: a function of the drawn texts and of the numbers of earlier stages."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        code = _PrefilterCode(view, stages, turn, relaxed)
        self.known = code.known
        self.labelled = [given.name for given in code.drawn if given.rows]
        self.function = code.function()
        self.last: tuple[NumericView | None, list[float] | None] = None, []  # the latest view and its earlier numbers

    def fault(self, drawn: Texts, before: NumericView | None) -> str | None:
        """Return the first requirement that a draw certainly fails, or None if that is undecided."""
        if self.function is None or any(len(set(map(tuple, drawn[name]))) < len(drawn[name]) for name in self.labelled):
            return None  # equal tokens are reported first
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
        """Return the numbers of earlier stages, or None if one is not finite."""
        boxes = [view.paper(key) if on_paper else view.full(key) for key, on_paper in self.known]
        floats = {id(box): _floats(box) for box in boxes}  # unrounded steps share one box
        values = [floats[id(box)] for box in boxes]
        return None if None in values else list(chain(*values))  # type: ignore[arg-type]


class _PrefilterCode:
    """Code of a stage's function: its steps, up to the first that cannot be printed."""

    def __init__(self, view: NumericView, stages: list[Stage], turn: int, relaxed: frozenset[str]):
        self.view, self.relaxed, self.stage = view, relaxed, stages[turn]
        self.known: list[tuple[str, bool]] = []  # inputs from earlier stages: key, and whether rounded step by step
        self.lines = Lines()
        self.values: dict[tuple[str, bool], Entries] = {}
        self.names = {name for stage in stages for name in stage.drawn}
        givens = {given.name: given for given in view.plan.givens}
        self.drawn = [givens[name] for name in self.stage.drawn]
        for given in self.drawn:
            self.values[given.key, False] = self.lines.matrix("drawn", given.shape)
        earlier: Set[str] = stages[turn - 1].keys if turn else frozenset()
        self.can_reject = False  # True once the code can reject a draw
        with suppress(NotPrinted):
            for entry in view.plan.entries.values():
                if isinstance(entry, Step) and entry.key in self.stage.keys and entry.key not in earlier:
                    self.print(entry)

    def function(self) -> Callable[[list[float | None], list[float]], str | None] | None:
        """Compile the function; None if it could never reject a draw."""
        return self.lines.function("drawn", "known") if self.can_reject else None

    def value(self, on_paper: bool, key: str) -> Entries:
        """Return the entries of a given or a step, exact or rounded step by step."""
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
        """Emit a step's numbers with its requirements, both exact and rounded step by step."""
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
        """Emit the checks for weights near 1 in rows with two entries or more; leave rows of nearly equal weights
        undecided.
        """
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
        """Emit code that leaves the prefilter (undecided) for entries that are large or may print as −0."""
        upper, lower = LARGEST - MARGIN, -(0.1**digits)
        self.leave_undecided(
            [f"not {-upper} < {x} < {upper} or {lower} < {x} < 0" for x in filter(is_name, chain(*rows))]
        )

    def ties(self, rows: Entries, digits: int) -> None:
        """Emit the check for numbers next to a rounding tie."""
        tolerance = approximate(TIE) - MARGIN
        if "ties" not in self.relaxed:
            self.reject(
                [f"{0.5 - tolerance} < {x} < {0.5 + tolerance}" for x in self.fractional_part(rows, digits)], "ties"
            )

    def fractional_part(self, rows: Entries, digits: int) -> list[str]:
        """Return the part of each entry beyond its last digit, in units of that digit."""
        return [self.lines.name(f"abs({x}) * {10.0**digits} % 1") for x in filter(is_name, chain(*rows))]

    def rounded(self, rows: Entries, digits: int) -> Entries:
        """Return the entries as they print; leave the prefilter (undecided) near a tie."""
        self.leave_undecided([f"{0.5 - MARGIN} < {x} < {0.5 + MARGIN}" for x in self.fractional_part(rows, digits)])
        unit = f"{10.0**digits}"
        return [
            [self.lines.name(f"({x} * {unit} + 0.5) // 1 / {unit}") if is_name(x) else x for x in row] for row in rows
        ]

    def reject(self, conditions: list[str], demand: str) -> None:
        """Emit a rejection if any of the conditions holds."""
        if conditions:
            self.can_reject = True
            self.lines.write(f"if {' or '.join(conditions)}: return {demand!r}")

    def leave_undecided(self, conditions: list[str]) -> None:
        """Emit a return without verdict if any of the conditions holds."""
        if conditions:
            self.lines.write(f"if {' or '.join(conditions)}: return None")


@lru_cache(maxsize=4096)
def _float(text: str) -> float | None:
    fraction = number(text)
    with suppress(OverflowError):
        return None if fraction is None else float(fraction)
    return None


def _floats(box: Box) -> list[float] | None:
    """Return the entries of a box as floats, or None if one is not finite."""
    ends = [cell[0] for row in box for cell in row if cell is not None]
    return None if any(map(is_infinite, ends)) else list(map(approximate, ends))
