"""Equal orders of working: the same value by another route, each of which rounds differently on the way (rule R4)."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula.node import Node
from ..formula.parse import parse
from .pattern import mirror, replaced
from .site import Site

# (find, put): a plain name is the lesson's own step or input.
_ORDERS = (
    ("s_ / sqrt(d_)", "s_ * (1 / sqrt(d_))"),
    ("S / d_", "(Q / d_) @ K.T"),
    ("S / d_", "Q @ (K / d_).T"),
    ("Q @ K.T / d_", "(Q / d_) @ K.T"),
    ("Q @ K.T / d_", "Q @ (K / d_).T"),
    ("row_var(a_)", "row_mean(a_ ** 2) - row_mean(a_) ** 2"),
    ("e_ / row_sum(e_)", "e_ * (1 / row_sum(e_))"),
    ("(a_ - m_) / sqrt(v_)", "(a_ - m_) * (1 / sqrt(v_))"),
)
_PARSED = [(parse(find), parse(put)) for find, put in _ORDERS]


def equal_orders(site: Site) -> Iterator[Node]:
    """The step's own formula, then every equal one."""
    yield site.step.node
    for find, put in _PARSED:
        if site.columns:
            find, put = mirror(find), mirror(put)
        for tree in replaced(site.step.tree, find, put, site.roles, exact=True):
            node = site.node(tree)
            if node is not None:
                yield node
