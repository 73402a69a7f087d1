"""A beam search as a tree: the continuations at each time with their scores, the kept ones, and the best sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...arithmetic.matrix_types import entries, is_infinite
from ...formula.labels import shortened
from ...solution import StepResult
from ..document import Beam, Twig
from ..messages import solution as solution_messages
from ..part_scope import Scope

LONGEST, WIDEST = 10, 14  # largest numbers of times, and of words at a time, in a picture

Place = tuple[int, int]  # the row of a kept prefix, and the index of the word that follows it


def beam(scope: Scope, result: StepResult) -> Iterator[Beam]:
    """Yield the tree of a beam search at the step that selects its words; nothing for other steps or oversized trees.

    If the tree with all continuations is too wide, it shows the kept ones only.
    """
    if result.step.lesson != "beam_search" or result.step.base != "ids":
        return
    search = _Search(scope, result.name.removesuffix("ids"))
    if 1 < search.times <= LONGEST:
        for dropped in (True, False):
            levels = search.levels(dropped)
            if max(map(len, levels)) <= WIDEST:
                yield Beam(search.start, levels)
                return


class _Search:
    """The steps of one search: scores of continuations, and the kept ones."""

    def __init__(self, scope: Scope, name_prefix: str):
        self.scope = scope
        self.name_prefix = name_prefix
        self.times = next(t for t in range(1, 99) if f"{name_prefix}word_{t + 1}" not in scope.entries)
        first = scope.entries[f"{name_prefix}P_1"]
        self.words = tuple(map(shortened, first.columns)) if first.columns else None
        self.start = shortened(first.rows[0]) if first.rows else solution_messages.START
        self.kept = [self._places(t) for t in range(1, self.times + 1)]
        self.best = self._best()

    def levels(self, dropped: bool) -> tuple[tuple[Twig, ...], ...]:
        """Return the words of each time, grouped by the word they continue. `dropped` includes continuations that were
        not kept.
        """
        levels: list[tuple[Twig, ...]] = []
        parents = [0]  # position of each kept prefix in the level before
        for t, kept in enumerate(self.kept, 1):
            shown = self.scope.shown(f"{self.name_prefix}scores_{t}")
            n, m = shown.result.shape
            possible = {
                (i, j)
                for i in range(n)
                for j in range(m)
                if dropped and not (is_infinite(shown.rows[i][j]) or shown.is_zero(i, j))
            }
            places = sorted({*possible, *kept}, key=lambda place: (parents[place[0]], place[1]))
            levels.append(tuple(
                Twig(self._word(j), shown.text(i, j), parents[i], (i, j) in kept, (i, j) == self.best[t - 1]) for i,
                j in places
            ))  # fmt: skip
            parents = [places.index(place) for place in kept]
        return tuple(levels)

    def _word(self, j: int) -> str:
        return self.words[j] if self.words else str(j)

    def _places(self, t: int) -> list[Place]:
        """Return the kept continuations at a time, best first."""
        words = self._column(f"word_{t}")
        return list(zip(self._column(f"from_{t}") if t > 1 else [0] * len(words), words, strict=True))

    def _best(self) -> list[Place]:
        """Return the place of each word of the best sentence, its end tokens included."""
        at = self._column("chosen")[0] if f"{self.name_prefix}chosen" in self.scope.entries else 0
        places = []
        for kept in reversed(self.kept):
            places.append(kept[at])
            at = kept[at][0]
        return places[::-1]

    def _column(self, name: str) -> Sequence[int]:
        return [int(row[0].numerator) for row in entries(self.scope.shown(self.name_prefix + name).result.enclosure())]
