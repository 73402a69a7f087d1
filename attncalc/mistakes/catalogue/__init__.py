"""Catalogue of mistakes, collected from `tables/`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ...formula.typed_formula import Node
from ..mistake import Mistake, with_role_in
from ..step_analysis import StepAnalysis
from . import (
    attention,
    blocks,
    complexity,
    heads,
    layers,
    norms,
    output,
    positions,
    projections,
    recent_models,
    relative_latent_recurrent,
    text_algorithms,
    training,
)

TABLES = (
    projections,
    attention,
    heads,
    positions,
    norms,
    blocks,
    layers,
    output,
    training,
    complexity,
    recent_models,
    relative_latent_recurrent,
    text_algorithms,
)


def nodes_of(codes: Iterable[str], site: StepAnalysis) -> list[Node]:
    """Return a step's formulas with the mistakes of these codes, such as conventions that an instructor accepts.
    Unknown codes are skipped.
    """
    return [node for code in codes if code in catalogue() for node in catalogue()[code].nodes(site)]


def applicable_mistakes(site: StepAnalysis) -> list[Mistake]:
    """Return all mistakes of the catalogue that fit a step; cached in its analysis."""
    if site.applicable is None:
        site.applicable = with_role_in(site, catalogue().values())
    mistakes: list[Mistake] = site.applicable
    return mistakes


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Mistake]:
    """Return all mistakes by code."""
    by_code: dict[str, Mistake] = {}
    for mistake in (m for table in TABLES for m in table.MISTAKES):
        assert mistake.code not in by_code, mistake.code
        by_code[mistake.code] = mistake
    return by_code
