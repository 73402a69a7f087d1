"""The order in which a problem is drawn and judged: after each given come the steps that it settles.

A draw that fails a demand at one of them keeps the givens before it and draws this one again, so that what is drawn
next is always drawn for numbers that are sound so far. A given is thus spread as it would be among whole draws that
begin alike and are sound up to there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..plan import Given, Plan, Step

PATIENCE = 6  # times that a given is drawn in vain before those before it are drawn again


@dataclass(slots=True)
class Stage:
    """Givens that are drawn together, and what they settle: `keys` of all that is settled by then, the new givens, the
    new steps asked.
    """

    drawn: tuple[str, ...]
    keys: set[str] = field(default_factory=set)
    givens: list[Given] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def settles(self, keys: set[str]) -> bool:
        """Whether the values of these keys are settled by now."""
        return keys <= self.keys


def stages_of(plan: Plan, drawn: Sequence[str], asked: Sequence[Step]) -> list[Stage]:
    """A stage for each drawn given, in their order; what depends on none of them belongs to the first."""
    stages = [Stage((name,)) for name in drawn]
    names = {name: turn for turn, name in enumerate(drawn)}
    turns: dict[str, int] = {}
    for key, entry in plan.entries.items():
        given_turn = names.get(entry.name, 0) if isinstance(entry, Given) and entry.part is None else 0
        turns[key] = max([given_turn, *(turns[used] for used in plan.uses[key])])
        for stage in stages[turns[key] :]:
            stage.keys.add(key)
    for given in plan.givens:
        stages[turns[given.key]].givens.append(given)
    for step in asked:
        stages[turns[step.key]].steps.append(step)
    return stages


class Retreat:
    """How far back a draw goes where a given was drawn in vain PATIENCE times: to the one before it, then one further
    each time that this does not lead past the place, and to the beginning in the end.
    """

    def __init__(self) -> None:
        self.tries = self.distance = self.furthest = 0

    def advance(self, done: int) -> None:
        """So many givens are sound now."""
        self.tries = 0
        if done > self.furthest:
            self.furthest, self.distance = done, 0

    def backtrack(self, done: int) -> int:
        """How many of the sound givens stay, now that the next was drawn in vain."""
        self.tries += 1
        if self.tries < PATIENCE:
            return done
        self.tries, self.distance = 0, self.distance + 1
        if self.distance <= done:
            return done - self.distance
        self.distance = self.furthest = 0
        return 0
