"""Order of drawing: each given is followed by the steps that it determines.

A draw that fails at one of them keeps the earlier givens and redraws this one. The next given is therefore always drawn
for sound numbers, and its distribution is that of complete draws with an equal sound beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..plan import Given, Plan, Step

PATIENCE = 6  # failures of a given after which earlier givens are redrawn


@dataclass(slots=True)
class Stage:
    """Givens that are drawn together, and the entries they determine.

    `keys` are all entries determined so far; `givens` and `steps` are the new ones.
    """

    drawn: tuple[str, ...]
    keys: set[str] = field(default_factory=set)
    givens: list[Given] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def settles(self, keys: set[str]) -> bool:
        """True if the values of these keys are determined so far."""
        return keys <= self.keys


def stages_of(plan: Plan, drawn: Sequence[str], asked: Sequence[Step]) -> list[Stage]:
    """Return a stage for each drawn given, in order; entries independent of the draw belong to the first."""
    stages = [Stage((name,)) for name in drawn]
    names = {name: turn for turn, name in enumerate(drawn)}
    turns: dict[str, int] = {}
    for key, entry in plan.entries.items():
        given_turn = names.get(entry.name, 0) if isinstance(entry, Given) and entry.part is None else 0
        turns[key] = max([given_turn, *(turns[used] for used in plan.dependencies[key])])
        for stage in stages[turns[key] :]:
            stage.keys.add(key)
    for given in plan.givens:
        stages[turns[given.key]].givens.append(given)
    for step in asked:
        stages[turns[step.key]].steps.append(step)
    return stages


class Retreat:
    """Backtracking after PATIENCE failures of a given: by one given, then one more each time without progress, finally
    to the start.
    """

    def __init__(self) -> None:
        self.tries = self.distance = self.furthest = 0

    def advance(self, done: int) -> None:
        """Record that `done` givens are sound."""
        self.tries = 0
        if done > self.furthest:
            self.furthest, self.distance = done, 0

    def backtrack(self, done: int) -> int:
        """Return the number of sound givens to keep after the next one failed."""
        self.tries += 1
        if self.tries < PATIENCE:
            return done
        self.tries, self.distance = 0, self.distance + 1
        if self.distance <= done:
            return done - self.distance
        self.distance = self.furthest = 0
        return 0
