"""The catalogue of mistakes, with a file for each subject. A new file needs an entry in `FILES`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module

from ...formula.typed_formula import Node
from ..mistake import Mistake, Pairs, with_role_in
from ..step_analysis import StepAnalysis, once

# The files of the catalogue, in the order of its groups
FILES = (
    "projections", "attention_head", "heads", "positions", "norms", "sublayers", "output", "training",
    "complexity", "recent_methods", "relative_latent_recurrent", "words",
)  # fmt: skip


def nodes_of(codes: Iterable[str], site: StepAnalysis) -> list[Node]:
    """Return a step's formulas with each of these mistakes, which may be accepted conventions. Unknown codes are
    ignored.
    """
    return [node for code in codes if code in catalogue() for node in catalogue()[code].nodes(site)]


@once
def applicable_mistakes(site: StepAnalysis) -> list[Mistake]:
    """Return the mistakes of the catalogue that are possible in a step."""
    return with_role_in(site, catalogue().values())


@once
def mistake_pairs(site: StepAnalysis) -> Pairs:
    """Return the pairs of mistakes in a step."""
    return Pairs(site, list(catalogue().values()))


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Mistake]:
    """Return all mistakes by code."""
    by_code: dict[str, Mistake] = {}
    for mistake in (m for file in FILES for m in import_module(f".{file}", __package__).MISTAKES):
        assert mistake.code not in by_code, mistake.code
        by_code[mistake.code] = mistake
    return by_code
