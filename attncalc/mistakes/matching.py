"""Patterns held against places in the formulas of a plan, through the names of other steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import AttncalcError, FormulaError
from ..formula.check import check
from ..formula.node import Node
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, rewrite
from ..plan import Given, Plan, Step
from .spots import TreePath, canonical_call, constant, head_operation, is_root, signature

_COMMUTE = ("+", "*")
_JOINS = ("hstack", "vstack")
_ANY = Name("any_")
MAX_DEPTH = 40  # names that are followed one behind the other

Bindings = dict[str, TreePath]
# Patterns with their roles, by their kind and by the operation that they begin with
Kinds = dict[str, dict[str, list[tuple[str, Tree]]]]


class Names:
    """What the names in the formulas of each part stand for."""

    def __init__(self, plan: Plan):
        self.plan = plan
        every = {g.name: g for g in plan.givens}
        across = {f"{part.name}.{s.name}": s for part in plan.parts for s in part.steps if part.name}
        self.scopes: dict[str | None, dict[str, Given | Step]] = {
            part.name: {**every, **across, **{g.name: g for g in part.givens}, **{s.name: s for s in part.steps}}
            for part in plan.parts
        }
        self.masked_trees: dict[tuple[str, Tree], Tree] = {}
        self.has_masks = any(isinstance(entry, Given) and entry.mask for entry in plan.entries.values())

    def tree(self, step: Step) -> Tree:
        """A step's formula with `keep(S, M == 0)` for `S + M`, where M is a mask of 0 and −∞ that is given, and with
        `causal(3, 3)` for a given one that hides what comes later.
        """
        if not self.has_masks or step.lesson:
            return step.tree
        key = step.key, step.tree
        if key not in self.masked_trees:
            self.masked_trees[key] = rewrite(step.tree, lambda tree: self.masked_scores(tree, step.part))
        return self.masked_trees[key]

    def masked_scores(self, tree: Tree, part: str | None) -> Tree | None:
        """The scores that a given mask keeps; None for other formulas."""
        match tree:
            case Binary("+", a, b):
                pairs, added, options = [(a, b), (b, a)], True, ()
            case Call("keep", (a, b), options):
                pairs, added = [(a, b)], False
            case _:
                return None
        for scores, name in pairs:
            entry = self.find(part, name.name) if isinstance(name, Name) else None
            mask = entry.mask if isinstance(entry, Given) else None
            if entry is not None and mask is not None and mask.added == added:
                sides = tuple(Number(str(side)) for side in entry.shape)
                condition = Call("causal", sides) if mask.causal else Binary("==", name, Number("0"))
                return Call(
                    "keep", (rewrite(scores, lambda node: self.masked_scores(node, part)), condition), options, tree.at
                )
        return None

    def find(self, part: str | None, name: str) -> Given | Step | None:
        """What a name stands for in a part, None where that part does not know it."""
        return self.scopes[part].get(name)

    def translate(self, spot: TreePath, part: str | None) -> Tree | None:
        """A spot's formula as it would be written in a part; None where that part does not know its names."""
        if spot.step.part == part:
            return spot.tree
        unknown = False

        def change(tree: Tree) -> Tree | None:
            nonlocal unknown
            if not isinstance(tree, Name):
                return None
            entry = self.find(spot.step.part, tree.name)
            if isinstance(entry, Step) and entry.part == spot.step.part:
                return Name(f"{entry.part}.{entry.name}", tree.at)
            unknown = unknown or isinstance(entry, Given) and entry.part is not None
            return tree

        tree = rewrite(spot.tree, change)
        return None if unknown else tree


class Matching:
    """The patterns of some kinds, held against the formulas of one plan."""

    def __init__(self, plan: Plan, kinds: Kinds):
        self.plan = plan
        self.kinds = kinds
        self.names = Names(plan)
        self.cache: dict[tuple[str, str, tuple[int, ...]], tuple[str, TreePath, Bindings] | None] = {}

    def dereference(self, spot: TreePath) -> TreePath:
        """The formula itself, where a step's name stands for it."""
        for _ in range(MAX_DEPTH):
            entry = self.names.find(spot.step.part, spot.tree.name) if isinstance(spot.tree, Name) else None
            if not isinstance(entry, Step):
                break
            spot = TreePath(entry, (), self.names.tree(entry))
        return spot

    def parse_as(self, kind: str, spot: TreePath) -> tuple[str, TreePath, Bindings] | None:
        """The first alternative of a kind that fits: its role, the place of its formula, and what its names
        stand for.
        """
        key = (kind, *spot.key)
        if key not in self.cache:
            self.cache[key] = None  # a formula is no part of itself
            root = self.dereference(spot)
            for role, pattern in self.kinds[kind].get(head_operation(root.tree), self.kinds[kind].get("", [])):
                bindings: Bindings | None = (
                    {}
                    if pattern == _ANY
                    else next(self.matches(pattern, spot if isinstance(pattern, Name) else root, {}), None)
                )
                if bindings is not None:
                    self.cache[key] = role, root, bindings
                    break
        return self.cache[key]

    def matches(self, pattern: Tree, spot: TreePath, bindings: Bindings) -> Iterator[Bindings]:
        """The ways in which a spot has the form of a pattern; what is `found` already must stand there again."""
        if isinstance(pattern, Name):
            yield from self.match_variable(pattern.name, spot, bindings)
            return
        if isinstance(pattern, Call) and pattern.function == "part":
            spot = self.dereference(spot)
            if isinstance(spot.tree, Index):
                yield from self.matches(pattern.arguments[0], spot.children()[0], bindings)
            return
        spot = self.dereference(spot)
        inner = spot.children()
        if (value := constant(pattern)) is not None:
            if self.is_number(spot, value):
                yield bindings
            return
        match pattern, spot.tree:
            case Binary(operator, p, q), Binary(other, _, _) if operator == other:
                for a, b in ((0, 1), (1, 0)) if operator in _COMMUTE else ((0, 1),):
                    for extended in self.matches(p, inner[a], bindings):
                        yield from self.matches(q, inner[b], extended)
            case (Negate(p), Negate(_)) | (Transpose(p), Transpose(_)):
                yield from self.matches(p, inner[0], bindings)
            case Call(), Call():
                yield from self.match_call(pattern, spot, inner, bindings)

    def match_call(
        self, pattern: Call, spot: TreePath, inner: list[TreePath], bindings: Bindings
    ) -> Iterator[Bindings]:
        """The ways in which a function's call has the form of a pattern: the same function, options and arguments."""
        function, options = canonical_call(spot.tree)  # type: ignore[arg-type]
        if function != pattern.function or any(options.get(name) != value for name, value in pattern.options):
            return
        arguments = pattern.arguments
        if function in _JOINS and len(arguments) == 1 and isinstance(arguments[0], Name):
            name = arguments[0].name[:-1]
            if len(inner) > 1 and all(self.may_bind(name, operand) for operand in inner):
                yield {**bindings, **{f"{name}#{k}": operand for k, operand in enumerate(inner)}}
        elif len(arguments) == len(inner):
            yield from self.match_all(list(zip(arguments, inner, strict=True)), bindings)

    def match_all(self, pairs: list[tuple[Tree, TreePath]], bindings: Bindings) -> Iterator[Bindings]:
        """The ways in which spots have the forms of patterns, one by one, with one meaning for each name."""
        if not pairs:
            yield bindings
            return
        for extended in self.matches(*pairs[0], bindings):
            yield from self.match_all(pairs[1:], extended)

    def match_variable(self, pattern: str, spot: TreePath, bindings: Bindings) -> Iterator[Bindings]:
        """A name of a pattern at a spot: what it stands for already must stand here again; a new one must suit."""
        if pattern in bindings:
            if self.is_same_formula(bindings[pattern], spot):
                yield bindings
        elif pattern.endswith("_") and self.may_bind(pattern[:-1], spot):
            yield {**bindings, pattern: spot}

    def may_bind(self, name: str, spot: TreePath) -> bool:
        """Whether a spot may stand for a name: of the kind that it names, a number, a root of one, a given."""
        match name:
            case "number" | "divisor":
                return self.is_single(spot)
            case "root":
                return self.is_single(spot) and is_root(self.dereference(spot).tree)
            case "given":
                tree = spot.tree.operand if isinstance(spot.tree, Index | Transpose) else spot.tree
                return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)
        return name not in self.kinds or self.parse_as(name, spot) is not None

    def is_single(self, spot: TreePath) -> bool:
        """Whether a single number stands there."""
        match spot.tree:
            case Number() | Call("rows" | "cols", _):
                return True
            case Name(name):
                entry = self.names.find(spot.step.part, name)
                return entry is None or entry.shape == (1, 1)  # else e or pi
            case Binary(operator, _, _) if operator != "@":
                return all(map(self.is_single, spot.children()))
            case Negate(_) | Call("sqrt" | "log" | "exp" | "abs", _):
                return self.is_single(spot.children()[0])
        node = self.checked_node(spot.tree, spot.step.part)
        return node is not None and node.size == 1

    def is_number(self, spot: TreePath, value: Fraction) -> bool:
        """Whether a constant of this value stands there."""
        if isinstance(spot.tree, Number):
            return spot.tree.text[-1:].isdigit() and spot.tree.value == value
        if not self.is_single(spot):
            return False
        node = self.checked_node(spot.tree, spot.step.part)
        return node is not None and node.static == value

    def is_same_formula(self, a: TreePath, b: TreePath) -> bool:
        """Whether two spots hold the same formula, through names."""
        if a.key == b.key or a.step.part == b.step.part and a.tree == b.tree:
            return True
        a, b = self.dereference(a), self.dereference(b)
        if a.key == b.key:
            return True
        if isinstance(a.tree, Name | Number | Text) or type(a.tree) is not type(b.tree):
            return a.tree == b.tree and a.step.part == b.step.part
        inner, other = a.children(), b.children()
        return (
            len(inner) == len(other)
            and signature(a.tree) == signature(b.tree)
            and all(map(self.is_same_formula, inner, other))
        )

    def checked_node(self, tree: Tree, part: str | None) -> Node | None:
        """A formula with its shapes, None where it has no meaning in a part."""

        def resolve(name: str, place: int) -> Node:
            entry = self.names.find(part, name)
            if entry is None:
                raise FormulaError(f"{name} is not known here", place)
            return entry.reference(name, place)

        try:
            return check(tree, resolve)
        except (FormulaError, AttncalcError):
            return None

    def operations(self, spot: TreePath, holes: set[tuple[str, tuple[int, ...]]]) -> int:
        """The operations of a formula, down to what its names stand for."""
        if spot.key in holes:
            return 0
        return bool(head_operation(spot.tree)) + sum(self.operations(inner, holes) for inner in spot.children())
