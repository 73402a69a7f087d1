"""Values of drawn texts."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from hashlib import sha256

from ..formula import shape_rules as do
from ..formula.elaboration import check
from ..formula.operations import literal
from ..formula.parser import parse
from ..formula.syntax_tree import Name
from ..formula.typed_formula import Node
from ..plan import Given
from .lesson_recipes import MAX_SORTED_ROWS
from .search_result import Texts


def literal_of(given: Given, rows: list[list[str]]) -> Node:
    """Return the matrix of a given as a node."""
    entries = [[number(text) for text in row] for row in rows]
    if all(isinstance(x, Fraction) for row in entries for x in row):
        return literal(tuple(map(tuple, entries)), given.rows, given.columns)  # type: ignore[arg-type]
    nodes = [[check(parse(text), _refuse_name) for text in row] for row in rows]
    return do.from_entries(nodes, given.rows, given.columns)


@lru_cache(maxsize=4096)
def number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


def _refuse_name(name: str, at: int) -> Node:
    raise KeyError(Name(name))


def canonical(entries: Texts) -> int:
    """Return a key that is equal for problems which differ only in the order of tokens or features of a matrix."""
    matrices = ((name, list(map(tuple, rows))) for name, rows in sorted(entries.items()))
    parts = [(name, tuple(sorted(rows) if len(rows) <= MAX_SORTED_ROWS else rows)) for name, rows in matrices]
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:8], "big")
