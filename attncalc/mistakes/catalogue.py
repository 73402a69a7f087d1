"""The catalogue of mistakes, put together of the tables in `tables/`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..formula.node import Node
from .model import Mistake, fitting
from .site import Site
from .tables import (
    attention,
    blocks,
    costs,
    heads,
    layers,
    modern,
    norms,
    output,
    positions,
    projections,
    states,
    training,
    words,
)

TABLES = (projections, attention, heads, positions, norms, blocks, layers, output, training, costs, modern, states,
    words)  # fmt: skip


def nodes_of(codes: Iterable[str], site: Site) -> list[Node]:
    """A step's formulas by some mistakes, such as the conventions that an instructor accepts; unknown codes are left
    out.
    """
    return [node for code in codes if code in catalogue() for node in catalogue()[code].nodes(site)]


def usual(site: Site) -> list[Mistake]:
    """All mistakes of the catalogue that fit a step, found once."""
    if site.usual is None:
        site.usual = fitting(site, catalogue().values())
    found: list[Mistake] = site.usual
    return found


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Mistake]:
    """All mistakes by their codes."""
    found: dict[str, Mistake] = {}
    for mistake in (m for table in TABLES for m in table.MISTAKES):
        assert mistake.code not in found, mistake.code
        found[mistake.code] = mistake
    return found
