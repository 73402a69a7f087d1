"""Mistakes and pairs of mistakes. A mistake is a rewrite of a step's formula, with a description and advice.

A rewrite is a pair of formulas, `find` and `put`. A name that ends in `_` is a variable. Other names are steps or
inputs of the lesson (`Q`, `K`, `X`, `mask`, `unscaled`; see `step_analysis.py`). Rewrites are written for tokens as
rows, and are mirrored for tokens as columns. A new mistake is an entry in a file of `catalogue/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2

from ..formula.parser import parse
from ..formula.syntax_tree import Tree
from ..formula.typed_formula import Node
from .recognition.roles import RoleMatch
from .step_analysis import StepAnalysis, once
from .tree_rewriting import mirror

IMAGE_GROUPS = frozenset({"patches"})  # in these groups, sentences are about the rows of an image, not of tokens
MASK_CODES = frozenset({"mask-transposed"})  # their sentences are about the mask, which is always query × key
_WORDS = {"row": "column", "rows": "columns", "along": "down", "side by side": "one below the other"}
_COUNTERPARTS = _WORDS | {counterpart: word for word, counterpart in _WORDS.items()}
_WORD = re.compile(
    r"\b(?:[Rr]ows?|[Cc]olumns?|side by side|one below the other|(?:along|down)(?= (?:the|each) (?:row|column)))\b"
)
_FACTOR = r"d?[A-Z](?:_[A-Za-z0-9]+)?ᵀ?(?![A-Za-z0-9_])"
_PRODUCT = re.compile(rf"(?<![A-Za-z0-9_]){_FACTOR}(?:(?: · | ){_FACTOR})+")


MAX_PAIRS = 600


def transpose_wording(sentence: str) -> str:
    """Return a sentence for tokens as columns: rows and columns are exchanged, and factors are in reverse order. Q · Kᵀ
    becomes Kᵀ · Q, because each letter now means the transposed matrix.
    """
    return _PRODUCT.sub(_reverse_factors, _WORD.sub(_swap_word, sentence))


def _swap_word(match: re.Match[str]) -> str:
    word = _COUNTERPARTS[match[0].lower()]
    return word.capitalize() if match[0][0].isupper() else word


def _reverse_factors(match: re.Match[str]) -> str:
    sign = " · " if " · " in match[0] else " "
    return sign.join(reversed(match[0].split(sign)))


HIGH, MEDIUM, LOW = 4, 2, 1  # weights: several public sources report the mistake, one or two do, almost none does


@dataclass(frozen=True)
class Mistake:
    """A mistake of the catalogue.

    `steps` are the roles of the formulas in which it can occur. A role is the name of a step in a lesson. `same` is a
    condition under which the mistake does not change the numbers. If several lessons have a step with this name, the
    mistake is possible only in `lessons`.
    """

    code: str
    group: str
    steps: tuple[str, ...]
    done: str
    advice: str
    rewrites: tuple[tuple[str, str], ...] = ()
    weight: int = LOW
    same: str = ""
    build: Callable[[StepAnalysis, RoleMatch], Iterator[Tree]] | None = None
    lessons: tuple[str, ...] = ()

    def feedback(self, columns: bool = False) -> tuple[str, str]:
        """Return the description and the advice. `columns` is True if tokens are columns."""
        if not columns or self.group in IMAGE_GROUPS or self.code in MASK_CODES:
            return self.done, self.advice
        return transpose_wording(self.done), transpose_wording(self.advice)

    @cached_property
    def _rules(self) -> list[tuple[Tree, Tree]]:
        return [(parse(find), parse(put)) for find, put in self.rewrites]

    def changes(self, site: StepAnalysis) -> Iterator[tuple[RoleMatch, Tree]]:
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
        """Return whether the step's lesson is one of `lessons`. The result is True for a step that is not from a
        lesson.
        """
        return not self.lessons or site.step.lesson is None or site.step.lesson in self.lessons

    def trees(self, site: StepAnalysis) -> list[Tree]:
        """Return the formulas that the step has with this mistake, without duplicates."""
        formulas = (site.replace_part(part, new) for part, new in self.changes(site))
        return list(dict.fromkeys(tree for tree in formulas if tree != site.tree))

    def nodes(self, site: StepAnalysis) -> list[Node]:
        """Return the valid formulas that the step has with this mistake, with checked shapes."""
        return _nodes(site, self)


@once
def _nodes(site: StepAnalysis, mistake: Mistake) -> list[Node]:
    nodes = (site.node(tree) for tree in mistake.trees(site))
    return [node for node in nodes if node is not None]


def with_role_in(site: StepAnalysis, mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Return the mistakes that can occur in one of the roles of the step."""
    roles = {part.role for part in site.parts}
    return [mistake for mistake in mistakes if not roles.isdisjoint(mistake.steps)]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two mistakes, and the formula with both. `bits` is the code length that selects the pair from all pairs of the
    step.
    """

    first: Mistake
    second: Mistake
    node: Node
    bits: float


class Pairs:
    """The pairs of mistakes in a step. `min_bits` is a lower bound on their code lengths, which needs no formulas."""

    def __init__(self, site: StepAnalysis, mistakes: list[Mistake]):
        self.site = site
        self.mistakes = with_role_in(site, mistakes)
        self.singles = [(m, part, tree) for m in self.mistakes for part, tree in m.changes(site)]
        self.total = sum(m.weight for m, _, _ in self.singles) ** 2 / 2
        max_weight = max((m.weight for m in mistakes), default=1)
        self.min_bits = log2(self.total / max_weight**2) if self.singles else float("inf")

    @cached_property
    def pairs(self) -> list[Pair]:
        return list(self.distinct_pairs())

    def distinct_pairs(self) -> Iterator[Pair]:
        """Yield each formula with two mistakes once. Formulas that are right or have a single mistake are omitted."""
        site = self.site
        nodes: dict[Tree, Node | None] = {site.replace_part(part, tree): None for _, part, tree in self.singles}
        nodes[site.step.tree] = None
        seen: set[tuple[frozenset[str], Tree]] = set()
        for first, part, tree in self.singles:
            first_site = site.with_rewrite(part, replace(site.step, tree=site.replace_part(part, tree)))
            for second in with_role_in(first_site, self.mistakes):
                for combined in second.trees(first_site) if second.code != first.code else ():
                    if combined not in nodes:
                        nodes[combined] = first_site.node(combined)
                    node, key = nodes[combined], (frozenset((first.code, second.code)), combined)
                    if node is None or key in seen:
                        continue
                    seen.add(key)
                    yield Pair(first, second, node, log2(self.total / (first.weight * second.weight)))
                    if len(seen) > MAX_PAIRS:
                        return
