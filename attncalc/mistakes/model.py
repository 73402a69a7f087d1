"""A mistake is a rewrite of a step's formula, with what was probably done and what to do instead.

A rewrite is two formulas, `find` and `put`: a name that ends in `_` stands for whatever stands there, a plain name for
the lesson's own step or input (`Q`, `K`, `X`, `mask`, `unscaled`, see `site.py`). Rewrites are written for tokens as
rows; for tokens as columns they are turned round. To add a mistake, add an entry to one of the tables in `tables/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..formula.node import Node
from ..formula.parse import parse
from ..formula.tree import Tree
from .pattern import mirror
from .roles import Part
from .site import Site
from .turned import OF_THE_MASK, UPRIGHT, turned

HIGH, MEDIUM, LOW = 4, 2, 1  # how often it is reported: by several public sources, by one or two, hardly


@dataclass(frozen=True)
class Mistake:
    """One mistake. `steps` are the lessons' names of the steps where it happens, `same` says when it cannot be seen.

    `lessons` are those whose step is meant, where another lesson has a step of that name.
    """

    code: str
    group: str
    steps: tuple[str, ...]
    done: str
    advice: str
    rewrites: tuple[tuple[str, str], ...] = ()
    weight: int = LOW
    same: str = ""
    build: Callable[[Site, Part], Iterator[Tree]] | None = None
    lessons: tuple[str, ...] = ()

    def said(self, columns: bool = False) -> tuple[str, str]:
        """What was probably done and what to do, in words that fit tokens as rows or as columns."""
        if not columns or self.group in UPRIGHT or self.code in OF_THE_MASK:
            return self.done, self.advice
        return turned(self.done), turned(self.advice)

    @cached_property
    def _parsed(self) -> list[tuple[Tree, Tree]]:
        return [(parse(find), parse(put)) for find, put in self.rewrites]

    def changes(self, site: Site) -> Iterator[tuple[Part, Tree]]:
        """The formulas that the mistake makes of the parts of a step that play its roles."""
        for part in site.parts:
            if part.role not in self.steps or part.codes and self.code not in part.codes or not self.is_at_home(site):
                continue
            for find, put in self._parsed:
                if site.columns:
                    find, put = mirror(find), mirror(put)
                yield from ((part, new) for new in site.rewritten(part, find, put))
            if self.build:
                yield from ((part, new) for new in self.build(site, part))

    def is_at_home(self, site: Site) -> bool:
        """Whether a step's name means in its lesson what the mistake is about; an author's own step has its role by its
        shape.
        """
        return not self.lessons or site.step.lesson is None or site.step.lesson in self.lessons

    def trees(self, site: Site) -> list[Tree]:
        """The step's own formula with the mistake in it, each way once."""
        whole = (site.whole(part, new) for part, new in self.changes(site))
        return list(dict.fromkeys(tree for tree in whole if tree != site.tree))

    def nodes(self, site: Site) -> list[Node]:
        """The same, checked; a rewrite that has no value here is left out."""
        if self.code not in site.found:
            nodes = (site.node(tree) for tree in self.trees(site))
            site.found[self.code] = [node for node in nodes if node is not None]
        return site.found[self.code]


def fitting(site: Site, mistakes: Iterable[Mistake]) -> list[Mistake]:
    """The mistakes of some role that a part of the step plays."""
    roles = {part.role for part in site.parts}
    return [mistake for mistake in mistakes if not roles.isdisjoint(mistake.steps)]
