"""Equivalent formulas of a step. They have the same value, but other intermediate results, which are rounded (rule R4).
Some of them use the student's lines for other steps, such as the line for the mean in a variance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Name, Number, Tree, rewrite, walk
from ..formula.typed_formula import Node
from ..plan import Step
from .step_analysis import StepAnalysis, once
from .tree_rewriting import mirror, rewrite_parts

# (find, put): a name without `_` at its end means a step or an input of the lesson.
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


@once
def equal_orders(site: StepAnalysis) -> list[Node]:
    """Return equivalent formulas of a step that have other intermediate results."""
    formulas: list[Node] = []
    for find, put in _PARSED:
        if site.columns:
            find, put = mirror(find), mirror(put)
        for tree in rewrite_parts(site.step.tree, find, put, site.roles, exact=True):
            node = site.node(tree)
            if node is not None:
                formulas.append(node)
    return formulas


# Functions of the formula language and their definitions.
_EXPANSIONS = [
    (parse(find), parse(put))
    for find, put in (
        ("row_var(a_)", "row_mean((a_ - row_mean(a_)) ** 2)"),
        ("row_std(a_)", "sqrt(row_mean((a_ - row_mean(a_)) ** 2))"),
    )
]


def formulas_through_lines(site: StepAnalysis, written: Collection[str]) -> list[Node]:
    """Return the formulas in which steps replace equal subformulas. `written` contains the keys of the steps that the
    student has written.
    """
    return _rewrite_through(site, _inner_steps(site).intersection(written))


@once
def _inner_steps(site: StepAnalysis) -> frozenset[str]:
    """Return the keys of the earlier steps whose formulas are parts of this step's formula."""
    trees = (part for tree in (site.step.tree, *_expanded_forms(site)) for part in walk(tree))
    return frozenset(step.key for part in trees for _, step in _lines(site, part))


@once
def _rewrite_through(site: StepAnalysis, written: frozenset[str]) -> list[Node]:
    formulas: list[Node] = []

    def line(part: Tree) -> Tree | None:
        return next((Name(name) for name, step in _lines(site, part) if step.key in written), None)

    for tree in (site.step.tree, *_expanded_forms(site)):
        rewritten_tree = rewrite(tree, line)
        if rewritten_tree != tree and (node := site.node(rewritten_tree)) is not None:
            formulas.append(node)
    return formulas


def _lines(site: StepAnalysis, part: Tree) -> Iterator[tuple[str, Step]]:
    """Return (name, step) of the earlier steps whose formula equals `part`."""
    lines = () if isinstance(part, Name | Number) else site.recogniser.lines[site.step.part].get(part, ())
    return ((name, step) for name, step in lines if site.is_before(step))


def _expanded_forms(site: StepAnalysis) -> Iterator[Tree]:
    for find, put in _EXPANSIONS:
        rule = (mirror(find), mirror(put)) if site.columns else (find, put)
        yield from rewrite_parts(site.step.tree, *rule, {}, exact=True)


def reassociate(site: StepAnalysis, written: Collection[str]) -> Iterator[Node]:
    """Yield products in another order if the student has not written a factor: (A X) W for A V, where V is X W."""
    tree = site.step.tree
    if not (isinstance(tree, Binary) and tree.operator == "@"):
        return
    for product in (
        _associate_right(tree, _omitted_product(site, tree.right, written)),
        _associate_left(tree, _omitted_product(site, tree.left, written)),
    ):
        if product is not None and (node := site.node(product)) is not None:
            yield node


def _omitted_product(site: StepAnalysis, name: Tree, written: Collection[str]) -> Binary | None:
    """Return the formula of a step if it is a product that the student has not written; otherwise None."""
    step = site.names.get(name.name) if isinstance(name, Name) else None
    if not isinstance(step, Step) or step.given or step.key in written or step.part != site.step.part:
        return None
    return step.tree if isinstance(step.tree, Binary) and step.tree.operator == "@" else None


def _associate_right(tree: Binary, inner: Binary | None) -> Binary | None:
    return inner and Binary("@", Binary("@", tree.left, inner.left), inner.right)


def _associate_left(tree: Binary, inner: Binary | None) -> Binary | None:
    return inner and Binary("@", inner.left, Binary("@", inner.right, tree.right))
