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
from .site import StepAnalysis
from .turned import IMAGE_GROUPS, MASK_CODES, transpose_wording

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
    build: Callable[[StepAnalysis, Part], Iterator[Tree]] | None = None
    lessons: tuple[str, ...] = ()

    def feedback(self, columns: bool = False) -> tuple[str, str]:
        """What was probably done and what to do, in words that fit tokens as rows or as columns."""
        if not columns or self.group in IMAGE_GROUPS or self.code in MASK_CODES:
            return self.done, self.advice
        return transpose_wording(self.done), transpose_wording(self.advice)

    @cached_property
    def _rules(self) -> list[tuple[Tree, Tree]]:
        return [(parse(find), parse(put)) for find, put in self.rewrites]

    def changes(self, site: StepAnalysis) -> Iterator[tuple[Part, Tree]]:
        """The formulas that the mistake makes of the parts of a step that play its roles."""
        for part in site.parts:
            if (
                part.role not in self.steps
                or part.codes
                and self.code not in part.codes
                or not self.belongs_to_lesson(site)
            ):
                continue
            for find, put in self._rules:
                if site.columns:
                    find, put = mirror(find), mirror(put)
                yield from ((part, new) for new in site.rewrite_role(part, find, put))
            if self.build:
                yield from ((part, new) for new in self.build(site, part))

    def belongs_to_lesson(self, site: StepAnalysis) -> bool:
        """Whether a step's name means in its lesson what the mistake is about; an author's own step has its role by its
        shape.
        """
        return not self.lessons or site.step.lesson is None or site.step.lesson in self.lessons

    def trees(self, site: StepAnalysis) -> list[Tree]:
        """The step's own formula with the mistake in it, each way once."""
        formulas = (site.replace_part(part, new) for part, new in self.changes(site))
        return list(dict.fromkeys(tree for tree in formulas if tree != site.tree))

    def nodes(self, site: StepAnalysis) -> list[Node]:
        """The same, checked; a rewrite that has no value here is left out."""
        if self.code not in site.nodes_by_code:
            nodes = (site.node(tree) for tree in self.trees(site))
            site.nodes_by_code[self.code] = [node for node in nodes if node is not None]
        return site.nodes_by_code[self.code]


def with_role_in(site: StepAnalysis, mistakes: Iterable[Mistake]) -> list[Mistake]:
    """The mistakes of some role that a part of the step plays."""
    roles = {part.role for part in site.parts}
    return [mistake for mistake in mistakes if not roles.isdisjoint(mistake.steps)]
