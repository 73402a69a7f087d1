"""Matrices of 0 and 1 that say which query may look at which key, and rows of whole numbers."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import FormulaError, counted, shorten
from . import shape_rules as do
from .typed_formula import Node


def causal(strict: bool) -> Callable[..., Node]:
    """The builder of causal masks, n × m of 0 and 1: query i sees keys j ≤ i + offset, `strict` only j < i."""

    def build(n: int, m: int, offset: int = 0, at: int = 0) -> Node:
        return do.grid(n, m, lambda i, j: j < i if strict else j <= i + offset, at)

    return build


def band(n: int, m: int, left: int, right: int | None, at: int = 0) -> Node:
    """A mask of n × m with 1 where a key is at most `left` before its query or `right` after it."""
    to_right = left if right is None else right
    return do.grid(n, m, lambda i, j: -left <= j - i <= to_right, at)


def _pairs(text: str, sign: str, least: tuple[int, ...], what: str, at: int) -> list[tuple[int, ...]]:
    """The numbers of a text such as `0-3 1-4`, in groups of as many as there are bounds; each is below its
    own bound.
    """
    groups = []
    for word in text.split():
        numbers = word.split(sign) if sign else [word]
        if len(numbers) != len(least) or not all(n.isascii() and n.isdigit() and len(n) < 6 for n in numbers):
            raise FormulaError(f"{what}; found {shorten(word)!r}", at)
        groups.append(tuple(map(int, numbers)))
        for number, count in zip(groups[-1], least, strict=True):
            if number >= count:
                raise FormulaError(
                    f"there are {counted(count, 'token')}, 0 to {count - 1}; {number} stands in {shorten(word)!r}", at
                )
    return groups


def links(n: int, m: int, pairs: str, at: int = 0) -> Node:
    """A mask of n × m with 1 for each pair of query and key in a text such as "0-3 1-4". Raises FormulaError for other
    texts.
    """
    do.guard((n, m), at)
    linked = set(_pairs(pairs, "-", (n, m), 'links are pairs of query and key, such as "0-3 1-4"', at))
    return do.grid(n, m, lambda i, j: (i, j) in linked, at)


def global_tokens(n: int, m: int, tokens: str, at: int = 0) -> Node:
    """A mask of n × m with 1 in the rows and columns of the tokens in a text such as "0 5". Raises FormulaError for
    other texts.
    """
    do.guard((n, m), at)
    chosen = {token for (token,) in _pairs(tokens, "", (max(n, m),), 'global tokens are numbers, such as "0 5"', at)}
    return do.grid(n, m, lambda i, j: i in chosen or j in chosen, at)


def arange(a: int, b: int, at: int = 0) -> Node:
    """The row a, a + 1, …, b − 1, 1 × (b − a). Raises FormulaError where it would be empty."""
    if b <= a:
        raise FormulaError(f"arange(a, b) needs b larger than a; found {a} and {b}", at)
    return do.grid(1, b - a, lambda i, j: a + j, at)
