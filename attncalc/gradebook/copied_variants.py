"""Numbers of another version: who copies from a neighbour hands in lines that are right there, and wrong here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from flint import arb, fmpq

from ..api import solve
from ..arithmetic.matrix_types import Entry, Rows, entries, is_infinite
from ..errors import AttncalcError
from ..marking.report import Report, StepReport
from ..submissions.submission import Typed
from .answer_key import Key, Keyed, split_title

MOST_PAPERS = 26  # different ones: versions, and not a variant for each of a large class
TELLING = 4  # entries that are those of another paper, and not of this one
FINE = ("right", "missing", "granted")  # verdicts that make nobody suspicious


class Neighbours:
    """The papers of a key, each solved when it is first asked for."""

    def __init__(self, key: Key):
        self.key = key
        papers: dict[str | bytes, Keyed] = {}
        for variant in key.variants:
            if len(papers) <= MOST_PAPERS:
                papers.setdefault(split_title(variant.text)[1], variant)
        self.papers = papers if 1 < len(papers) <= MOST_PAPERS else {}
        self._values: dict[str, dict[str, Rows]] = {}  # by the paper's code, then by the step's key

    def told(self, report: Report, mine: Keyed) -> str:
        """What a person should know of a script whose first wrong lines are another paper's; empty of all others."""
        body = split_title(mine.text)[1]
        answered = [step for step in report.steps if step.line and step.verdict not in FINE]
        if body not in self.papers or not answered or answered[0].verdict != "wrong":
            return ""
        for paper in self.papers:
            if paper != body and self._is_of(answered, self.papers[paper], mine):
                other = self.papers[paper]
                name = f"version {other.version}" if other.version else f"the paper {other.code}"
                return f"{answered[0].step.key}: these are the numbers of {name}, and not of this paper"
        return ""

    def _is_of(self, answered: list[StepReport], other: Keyed, mine: Keyed) -> bool:
        """Whether all entries of the first line are the other paper's, and enough entries tell the two apart."""
        telling = 0
        for k, step in enumerate(answered):
            theirs, own = (self._of(paper, step.step.key) for paper in (other, mine))
            for (i, j), typed in step.line.filled.cells.items() if step.line else ():
                fits = _fits(typed, theirs, i, j)
                if k == 0 and not fits:
                    return False
                telling += fits and not _fits(typed, own, i, j)
        return telling >= TELLING

    def _of(self, paper: Keyed, step: str) -> Rows:
        """The entries of a step; none where the paper has no such step, or no such numbers."""
        if paper.code not in self._values:
            self._values[paper.code] = dict(self._worked_out(paper))
        return self._values[paper.code].get(step, [])

    def _worked_out(self, paper: Keyed) -> Iterator[tuple[str, Rows]]:
        with suppress(AttncalcError):  # a paper that is no problem tells nothing
            for result in (result for part in solve(self.key.problem(paper)).parts for result in part):
                with suppress(AttncalcError):
                    yield result.step.key, entries(result.enclosure())


def _fits(typed: Typed, rows: Rows, i: int, j: int) -> bool:
    """Whether an entry is typed there as some rounding leaves it."""
    if i >= len(rows) or j >= len(rows[i]):
        return False
    x: Entry = rows[i][j]
    if is_infinite(x) or typed.infinite or typed.value is None:
        return bool(is_infinite(x) and typed.infinite and (typed.infinite > 0) == (x > 0))
    unit = fmpq(10) ** -(typed.decimals or 0) if typed.decimals is not None else fmpq(0)
    return not abs(arb(x) - arb(typed.value)) > unit
