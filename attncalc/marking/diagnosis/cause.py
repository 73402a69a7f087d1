"""One explanation of a wrong line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...arithmetic.intervals.scalar import Box, Interval
from ...formula.syntax_tree import Name, Tree
from ...formula.typed_formula import Node
from ...mistakes.slip_catalogue import SLIPS
from ...plan import Step
from ..credit import Reason
from ..legality import provably_differ


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation of a wrong line: code, the probable mistake, what to do, where, and how sure that is."""

    code: str
    done: str
    advice: str
    bits: float
    box: Box | None = None
    node: Node | None = None  # the formula of a mistake of the catalogue, instead of its step's
    at: Step | None = None
    on_paper: tuple[Interval, ...] = ()  # its wrong entries, from the numbers on the paper
    also: str = ""  # the code of another, if several mistakes or slips together explain the line
    accuracy_reason: Reason | None = None  # why only the accuracy is lost (R6): inaccurate, or a slip in few entries
    copies: bool = False  # a mistake in the step itself that writes a typed line again
    seldom: bool = False  # a mistake that leads to the line only if a number was truncated

    @property
    def tree(self) -> Tree | None:
        """The formula of the mistake as it is written; None without a formula."""
        return None if self.node is None else self.node.tree or Name(self.node.name)

    def is_like(self, other: Cause) -> bool:
        """Return whether another mistake comes to the same numbers on the paper."""
        return bool(self.on_paper) and not any(map(provably_differ, self.on_paper, other.on_paper))


def happened_together(causes: Sequence[Cause]) -> bool:
    """Return whether several causes all happened: two mistakes, or slips in different entries."""
    several = len(causes) > 1 and all(cause.also for cause in causes)
    return several and (len(causes) == 2 or all(cause.node is None for cause in causes))


def slip_cause(
    code: str,
    step: Step,
    bits: float = 0.0,
    detail: str = "",
    box: Box | None = None,
    accuracy_reason: Reason | None = None,
) -> Cause:
    """Return a slip of the pen, or rounding too early, as a cause; `detail` says where."""
    slip = SLIPS[code]
    return Cause(
        code, slip.done.format(detail=detail), slip.advice, bits, box, at=step, accuracy_reason=accuracy_reason
    )
