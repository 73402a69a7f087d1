"""A row of probabilities as bars with a length proportional to each probability."""

from __future__ import annotations

from collections.abc import Iterator

from ...formula.syntax_tree import Name
from ...solution import StepResult
from ..document import Bars
from ..part_scope import Scope

FEWEST, MOST = 3, 16  # words of a picture


def bars(scope: Scope, result: StepResult) -> Iterator[Bars]:
    """Yield the bars of a softmax over a vocabulary: a single row with column labels; nothing for other steps."""
    n, m = result.shape
    if result.step.node.operation == "softmax" and n == 1 and FEWEST <= m <= MOST and result.columns:
        yield Bars(Name(result.name), result.columns, tuple(scope.shown(result.name).printed.texts[0]))
