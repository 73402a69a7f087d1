"""Attention weights between tokens as lines from each query to its keys."""

from __future__ import annotations

from collections.abc import Iterator

from ...solution import StepResult
from ..document import Arcs
from ..number_display import is_weights
from ..part_scope import Scope

FEWEST, MOST = 2, 12  # tokens of a picture
WEIGHTS = ("A", "A_masked")


def arcs(scope: Scope, result: StepResult) -> Iterator[Arcs]:
    """Yield the arcs of an attention step whose queries and keys have labels; nothing for other steps."""
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    if result.step.base not in WEIGHTS or not is_weights(result.step) or not queries or not keys:
        return
    printed = scope.shown(result.name).printed
    if all(FEWEST <= len(words) <= MOST for words in (queries, keys)) and not printed.undecided:
        texts = zip(*printed.texts, strict=True) if scope.columns else printed.texts
        yield Arcs(tuple(queries), tuple(keys), tuple(map(tuple, texts)))
