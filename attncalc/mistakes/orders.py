"""Equal orders of working: the same value by another route, each of which rounds differently on the way (rule R4).

One route leads through lines that were written down although the formula does not name them: a variance from the mean
above it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..formula.node import Node
from ..formula.parse import parse
from ..formula.tree import Binary, Name, Number, Tree, rewrite, walk
from ..plan import Step
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
    ("x_ ** (-1/2)", "1 / sqrt(x_)"),
    ("x_ ** (-3/2)", "1 / (x_ * sqrt(x_))"),
)
_PARSED = [(parse(find), parse(put)) for find, put in _ORDERS]


def equal_orders(site: Site) -> list[Node]:
    """Every formula that is equal to the step's own."""
    if site.orders is None:
        site.orders = list(_others(site))
    return site.orders


def _others(site: Site) -> Iterator[Node]:
    for find, put in _PARSED:
        if site.columns:
            find, put = mirror(find), mirror(put)
        for tree in replaced(site.step.tree, find, put, site.roles, exact=True):
            node = site.node(tree)
            if node is not None:
                yield node


# Functions of the formula language, and what a hand works out for them.
_BY_HAND = [
    (parse(find), parse(put))
    for find, put in (
        ("row_var(a_)", "row_mean((a_ - row_mean(a_)) ** 2)"),
        ("row_std(a_)", "sqrt(row_mean((a_ - row_mean(a_)) ** 2))"),
    )
]


def through_lines(site: Site, written: Collection[str]) -> list[Node]:
    """The formulas worked out from written lines (by their keys) that are parts of it and that it does not name."""
    if site.within is None:
        trees = (part for tree in (site.step.tree, *_by_hand(site)) for part in walk(tree))
        site.within = frozenset(step.key for part in trees for _, step in _lines(site, part))
    used = site.within.intersection(written)
    if used not in site.through:
        site.through[used] = list(_through(site, used))
    return site.through[used]


def _through(site: Site, written: Collection[str]) -> Iterator[Node]:
    def line(part: Tree) -> Tree | None:
        return next((Name(name) for name, step in _lines(site, part) if step.key in written), None)

    for tree in (site.step.tree, *_by_hand(site)):
        through = rewrite(tree, line)
        if through != tree and (node := site.node(through)) is not None:
            yield node


def _lines(site: Site, part: Tree) -> Iterator[tuple[str, Step]]:
    """The steps before a site, with their names, whose formula a part of one is."""
    lines = () if isinstance(part, Name | Number) else site.recogniser.lines[site.step.part].get(part, ())
    return ((name, step) for name, step in lines if site.is_before(step))


def _by_hand(site: Site) -> Iterator[Tree]:
    for find, put in _BY_HAND:
        turned = (mirror(find), mirror(put)) if site.columns else (find, put)
        yield from replaced(site.step.tree, *turned, {}, exact=True)


def associated(site: Site, written: Collection[str]) -> Iterator[Node]:
    """The product taken the other way round through a product that was left out: (A X) W for A V, where V is X W."""
    tree = site.step.tree
    if not (isinstance(tree, Binary) and tree.operator == "@"):
        return
    for other in (
        _through_right(tree, _left_out(site, tree.right, written)),
        _through_left(tree, _left_out(site, tree.left, written)),
    ):
        if other is not None and (node := site.node(other)) is not None:
            yield node


def _left_out(site: Site, name: Tree, written: Collection[str]) -> Binary | None:
    """The product that a name stands for, a step of the same part that was not written down."""
    step = site.names.get(name.name) if isinstance(name, Name) else None
    if not isinstance(step, Step) or step.given or step.key in written or step.part != site.step.part:
        return None
    return step.tree if isinstance(step.tree, Binary) and step.tree.operator == "@" else None


def _through_right(tree: Binary, inner: Binary | None) -> Binary | None:
    return inner and Binary("@", Binary("@", tree.left, inner.left), inner.right)


def _through_left(tree: Binary, inner: Binary | None) -> Binary | None:
    return inner and Binary("@", inner.left, Binary("@", inner.right, tree.right))
