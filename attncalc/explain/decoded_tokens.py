"""Decoded tokens: the kept beginnings of `beam_2`, and the sentence of `ids`."""

from __future__ import annotations

from collections.abc import Iterator

from ..arithmetic.matrix_types import entries
from ..formula.labels import shortened
from ..formula.typed_formula import Labels
from ..solution import StepResult
from .messages import solution as solution_messages
from .part_scope import Scope

_DECODERS = ("beam_search", "greedy_decode")


def decoded_words(scope: Scope, result: StepResult) -> Iterator[str]:
    """Yield the words of a decoder's step that holds numbers of labelled words."""
    step = result.step
    if step.lesson not in _DECODERS or step.base not in ("beam", "ids", "next"):
        return
    before = step.name.rpartition(".")[0]
    labels = _labels(scope, f"{before}." if before else "")
    if labels is None:
        return
    rows = [[int(x.numerator) for x in row] for row in entries(result.enclosure())]
    sentences = [" ".join(shortened(labels[i]) for i in row) for row in rows]
    yield solution_messages.kept(sentences) if step.base == "beam" else solution_messages.sentence(sentences[0])


def _labels(scope: Scope, before: str) -> Labels:
    """Return the words of the vocabulary: the column labels of the first probabilities."""
    entry = scope.entries.get(f"{before}P_1")
    return (entry.columns or entry.rows) if entry is not None else None
