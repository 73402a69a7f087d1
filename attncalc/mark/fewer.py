"""The problems that accept less than one does: what is accepted never costs a point, so a script is marked by all of
them, and the one that earns it the most counts.

An entry that is wrong may be near enough to what is accepted to be taken for it, with fewer decimals than it should
have; and a line that follows from it no longer does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain, combinations

from ..problem.model import Problem

MOST = 3  # conventions and formulas of which every choice is tried

# The part, None for all of them; a code, or a step and which of its formulas
Convention = tuple[int | None, str, int | None]


def with_fewer_alternatives(problem: Problem) -> Iterator[Problem]:
    """The same problem with each choice of what it accepts but all; of many with nothing, one, and all but one."""
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
