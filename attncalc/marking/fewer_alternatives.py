"""Variants of a problem with some accepted alternatives removed. A script is marked under each and the best mark
counts, so that accepting an alternative never lowers a mark.

A wrong entry may be so near to an accepted alternative that it counts as that, with too few decimals; a line that
follows from it then no longer does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain, combinations

from ..problem.problem import Problem

MOST = 3  # conventions and formulas of which every choice is tried

# The part, None for all of them; a code, or a step and which of its formulas
Convention = tuple[int | None, str, int | None]


def with_fewer_alternatives(problem: Problem) -> Iterator[Problem]:
    """Yield the problem with each proper subset of its alternatives; of many, with none, with one, and with all but
    one.
    """
    conventions = list(_accepted(problem))
    counts = range(len(conventions)) if len(conventions) <= MOST else (0, 1, len(conventions) - 1)
    for chosen in chain.from_iterable(combinations(conventions, count) for count in counts):
        yield _accepting(problem, chosen)


def _accepted(problem: Problem) -> Iterator[Convention]:
    yield from ((None, code, None) for code in problem.accept)
    for k, part in enumerate(problem.parts):
        yield from ((k, code, None) for code in part.accept)
        yield from ((k, step, i) for step, nodes in part.alternatives.items() for i in range(len(nodes)))


def _accepting(problem: Problem, chosen: Collection[Convention]) -> Problem:
    parts = [
        replace(
            part,
            accept={code: place for code, place in part.accept.items() if (k, code, None) in chosen},
            alternatives={
                step: [node for i, node in enumerate(nodes) if (k, step, i) in chosen]
                for step, nodes in part.alternatives.items()
            },
        )
        for k, part in enumerate(problem.parts)
    ]
    accept = {code: place for code, place in problem.accept.items() if (None, code, None) in chosen}
    return replace(problem, accept=accept, parts=parts)
