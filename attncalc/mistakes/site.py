"""Where a mistake may happen: one step of a plan with the names around it, so that rewritten formulas can be checked."""

from __future__ import annotations

from functools import cached_property

from ..errors import AttncalcError, FormulaError
from ..formula.check import check
from ..formula.node import Node
from ..formula.parse import parse
from ..formula.tree import Binary, Name, Tree
from ..plan import Given, Plan, Step
from .pattern import Found, fit

_KEEP = parse("keep(s_, m_)")


class Site:
    """A step in its part. `roles` are the formulas that a mistake may name: the lesson's own Q, K, S, X, mask and the rest."""

    def __init__(self, plan: Plan, step: Step, columns: bool = False):
        self.plan = plan
        self.step = step
        self.columns = columns
        self.found: dict[str, list[Node]] = {}  # by the codes of mistakes that were asked for before

    @cached_property
    def names(self) -> dict[str, Given | Step]:
        """Every name that a formula of this step may use, and every other step of the part."""
        found: dict[str, Given | Step] = {}
        for part in self.plan.parts:
            if part.name == self.step.part:
                found |= {g.name: g for g in part.givens} | {s.name: s for s in part.steps}
            else:
                found |= {f"{part.name}.{s.name}": s for s in part.steps}
        return {g.name: g for g in self.plan.givens} | found

    @cached_property
    def before(self) -> str:
        """The lesson's own prefix: `attention.` in `attention.A_1`."""
        return self.step.name.rpartition(".")[0] + "." if "." in self.step.name else ""

    @cached_property
    def head(self) -> str:
        """The head's suffix: `_1` in `attention.A_1`."""
        own = self.step.name.rpartition(".")[2]
        return own[len(self.step.base) :] if own.startswith(self.step.base) else ""

    def sibling(self, base: str) -> Step | None:
        """The lesson's step of that name, of the same head where there are several."""
        for name in (f"{self.before}{base}{self.head}", f"{self.before}{base}"):
            found = self.names.get(name)
            if isinstance(found, Step):
                return found
        return None

    @cached_property
    def roles(self) -> Found:
        """What the plain names in a mistake's formula stand for here."""
        found: Found = {}
        for name, entry in self.names.items():
            if isinstance(entry, Given):
                found.setdefault(name, Name(name))
        for step in self.plan.steps():
            if step.part == self.step.part and step.name.startswith(self.before):
                own = step.name[len(self.before) :]
                if "." not in own and (own == step.base + self.head or own == step.base):
                    found[step.base] = Name(step.name)
        products = {name: _product(made.tree) for name in "QKV" if (made := self.sibling(name))}
        for token, projected in (("X", "Q"), ("memory", "K")):
            if product := products.get(projected):
                found[token] = product.right if self.columns else product.left
        # another projection in this one's place: K's for Q and Q's for K; V's for K and K's for V
        for role, pair in (("Q_instead", {"Q": "K", "K": "Q"}), ("V_instead", {"K": "V", "V": "K"})):
            if other := products.get(pair.get(self.step.base, "")):
                found[role] = other
        tokens = found.get("X")
        plain = self.names.get(tokens.name) if isinstance(tokens, Name) else None
        if isinstance(plain, Step) and plain.base == "X_pe" and isinstance(plain.tree, Binary):
            found["X_plain"] = plain.tree.left
        masked = self.sibling("S_masked")
        if masked is not None and (kept := fit(_KEEP, masked.tree)):
            found["unmasked"], found["mask"] = kept["s_"], kept["m_"]
        scaled = self.sibling("S_scaled")
        if scaled is not None and isinstance(scaled.tree, Binary):
            found["unscaled"], found["divisor"] = scaled.tree.left, scaled.tree.right
        return found

    def node(self, tree: Tree) -> Node | None:
        """The checked formula with the step's own shape; None where it has none here."""
        node = self.node_of(tree)
        return node if node is not None and node.shape == self.step.shape else None

    def node_of(self, tree: Tree) -> Node | None:
        """A checked formula of any shape."""
        try:
            return check(tree, self._resolve)
        except (FormulaError, AttncalcError):
            return None

    def _resolve(self, name: str, at: int) -> Node:
        found = self.names.get(name)
        if found is None or self.plan.order[found.key] >= self.plan.order[self.step.key]:
            raise FormulaError(f"{name} is not known here", at)
        return Node("ref", (), found.shape, found.rows, found.columns, (found.key,), found.node.static, found.node.bits, name, at)


def _product(tree: Tree) -> Binary | None:
    """The first matrix product in a projection: X W in X W + b."""
    if isinstance(tree, Binary):
        return tree if tree.operator == "@" else _product(tree.left)
    return None
