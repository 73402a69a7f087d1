"""A row of probabilities as bars: each word as long as it is probable."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula.tree import Name
from ..solution import StepResult
from .document import Bars
from .scope import Scope

FEWEST, MOST = 3, 16  # words that are worth a picture, and that still make one


def bars(scope: Scope, result: StepResult) -> Iterator[Bars]:
    """The bars of a softmax over the words of a vocabulary: a single row whose columns have labels; nothing for other
    steps.
    """
    n, m = result.shape
    if result.step.node.operation == "softmax" and n == 1 and FEWEST <= m <= MOST and result.columns:
        yield Bars(Name(result.name), result.columns, tuple(scope.shown(result.name).printed.texts[0]))
