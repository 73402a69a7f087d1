"""Matches patterns with the formulas of a plan. The name of a step also matches the pattern of its formula."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from fractions import Fraction

from ...errors import AttncalcError, FormulaError
from ...formula.elaboration import check
from ...formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, names, rewrite
from ...formula.typed_formula import Node
from ...plan import Given, Plan, Step
from ..tree_rewriting import TreePath, canonical_call, constant, head_operation, is_root, signature

_COMMUTE = ("+", "*")
_JOINS = ("hstack", "vstack")
_ANY = Name("any_")
MAX_DEPTH = 40  # the largest number of names in a chain of names
MAX_NESTED = 12  # at this depth of recursion, formulas are parsed in the order of the plan

Bindings = dict[str, TreePath]
# Roles and patterns, by kind and outermost operation
Kinds = dict[str, dict[str, list[tuple[str, Tree]]]]


class Names:
    """The names that the formulas of each part can use."""

    def __init__(self, plan: Plan):
        self.plan = plan
        every = {g.name: g for g in plan.givens}
        across = {f"{part.name}.{s.name}": s for part in plan.parts for s in part.steps if part.name}
        self.scopes: dict[str | None, dict[str, Given | Step]] = {
            part.name: {**every, **across, **{g.name: g for g in part.givens}, **{s.name: s for s in part.steps}}
            for part in plan.parts
        }
        self.masked_trees: dict[tuple[str, Tree], Tree] = {}
        self.rotations: dict[tuple[str, Tree], Tree] = {}  # the formulas with turn(X, C, S) instead of products
        self.has_masks = any(isinstance(entry, Given) and entry.mask for entry in plan.entries.values())

    def tree(self, step: Step) -> Tree:
        """Return a step's formula in normal form: `keep(S, M == 0)` for `S + M`, and `causal(3, 3)` for a given causal
        mask.
        """
        if (turned := self.rotations.get((step.key, step.tree))) is not None:
            return turned
        if not self.has_masks or step.lesson:
            return step.tree
        key = step.key, step.tree
        if key not in self.masked_trees:
            self.masked_trees[key] = rewrite(step.tree, lambda tree: self.masked_scores(tree, step.part))
        return self.masked_trees[key]

    def masked_scores(self, tree: Tree, part: str | None) -> Tree | None:
        """Return `keep(scores, condition)` for a formula that applies a given mask; None for other formulas."""
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
            if entry is not None and mask is not None and mask.additive == added:
                sides = tuple(Number(str(side)) for side in entry.shape)
                condition = Call("causal", sides) if mask.causal else Binary("==", name, Number("0"))
                return Call(
                    "keep", (rewrite(scores, lambda node: self.masked_scores(node, part)), condition), options, tree.at
                )
        return None

    def find(self, part: str | None, name: str) -> Given | Step | None:
        return self.scopes[part].get(name)

    def translate(self, spot: TreePath, part: str | None) -> Tree | None:
        """Return the formula at a path, with the names that another part uses; None if that part cannot use a name."""
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
    """Matches patterns of several kinds with the formulas of one plan."""

    def __init__(self, plan: Plan, kinds: Kinds, names: Names | None = None):
        self.plan = plan
        self.kinds = kinds
        self.names = names or Names(plan)
        self.cache: dict[tuple[str, str, tuple[int, ...]], tuple[str, TreePath, Bindings] | None] = {}
        self.nested = 0  # the number of formulas whose parsing has not ended
        self.parsed_before: set[tuple[str, str]] = set()  # pairs of a kind and a step that were already parsed
        self.inner_kinds: dict[str, tuple[str, ...]] = {}

    def dereference(self, spot: TreePath) -> TreePath:
        """Return the path of the formula that a name means. If this formula is also a name, continue."""
        for _ in range(MAX_DEPTH):
            entry = self.names.find(spot.step.part, spot.tree.name) if isinstance(spot.tree, Name) else None
            if not isinstance(entry, Step):
                break
            spot = TreePath(entry, (), self.names.tree(entry))
        return spot

    def parse_as(self, kind: str, spot: TreePath) -> tuple[str, TreePath, Bindings] | None:
        """Return the role, the path and the bindings of the first pattern of a kind that matches, or None."""
        key = (kind, *spot.key)
        if key not in self.cache:
            self.cache[key] = None  # prevents infinite recursion
            root = self.dereference(spot)
            self.nested += 1
            try:
                if self.nested == MAX_NESTED:
                    self.parse_before(kind, root)
                for role, pattern in self.kinds[kind].get(head_operation(root.tree), self.kinds[kind].get("", [])):
                    bindings: Bindings | None = (
                        {}
                        if pattern == _ANY
                        else next(self.matches(pattern, spot if isinstance(pattern, Name) else root, {}), None)
                    )
                    if bindings is not None:
                        self.cache[key] = role, root, bindings
                        break
            finally:
                self.nested -= 1
        return self.cache[key]

    def parse_before(self, kind: str, root: TreePath) -> None:
        """Parse the parts of a formula, and all formulas before it, in the order of the plan. This avoids a deep
        recursion.
        """
        for key in self.plan.ancestors(root.step.key):
            step, inner = self.plan.entries[key], root.children()
            if isinstance(step, Given) or (kind, key) in self.parsed_before:
                continue
            if step is not root.step:
                self.parsed_before.add((kind, key))
                inner = [TreePath(step, (), self.names.tree(step))]
            spots = deque[TreePath]()
            while inner:
                spots.appendleft(inner.pop())
                inner += spots[0].children()
            for spot in spots:  # inner formulas first
                for inner_kind in self.kinds_in(kind):
                    self.parse_as(inner_kind, spot)

    def kinds_in(self, kind: str) -> tuple[str, ...]:
        """Return the kind, and all kinds that its patterns contain, directly or indirectly, in alphabetical order."""
        if kind not in self.inner_kinds:
            kinds, stack = {kind}, [kind]
            while stack:
                patterns = [pattern for rows in self.kinds[stack.pop()].values() for _, pattern in rows]
                named = {name.partition("#")[0].rstrip("_") for pattern in patterns for name in names(pattern)}
                nearer = {name for name in named if name in self.kinds} - kinds
                kinds |= nearer
                stack += nearer
            self.inner_kinds[kind] = tuple(sorted(kinds))
        return self.inner_kinds[kind]

    def matches(self, pattern: Tree, spot: TreePath, bindings: Bindings) -> Iterator[Bindings]:
        """Yield the bindings with which a pattern matches at a path. All matches of a name must be equal formulas."""
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
        """Yield the bindings with which the function, the options and the arguments of a call match."""
        function, options = canonical_call(spot.tree)  # type: ignore[arg-type]
        if function != pattern.function or any(options.get(name) != value for name, value in pattern.options):
            return
        arguments = pattern.arguments
        if function in _JOINS and len(arguments) == 1 and isinstance(arguments[0], Name):
            name = arguments[0].name[:-1]
            if all(self.may_bind(name, operand) for operand in inner):
                yield {**bindings, **{f"{name}#{k}": operand for k, operand in enumerate(inner)}}
        elif len(arguments) == len(inner):
            yield from self.match_all(list(zip(arguments, inner, strict=True)), bindings)

    def match_all(self, pairs: list[tuple[Tree, TreePath]], bindings: Bindings) -> Iterator[Bindings]:
        """Yield the bindings with which all (pattern, path) pairs match."""
        if not pairs:
            yield bindings
            return
        for extended in self.matches(*pairs[0], bindings):
            yield from self.match_all(pairs[1:], extended)

    def match_variable(self, pattern: str, spot: TreePath, bindings: Bindings) -> Iterator[Bindings]:
        """Yield the bindings with a variable bound to a path, if this is allowed. A bound variable needs an equal
        formula.
        """
        if pattern in bindings:
            if self.is_same_formula(bindings[pattern], spot):
                yield bindings
        elif pattern.endswith("_") and self.may_bind(pattern[:-1], spot):
            yield {**bindings, pattern: spot}

    def may_bind(self, name: str, spot: TreePath) -> bool:
        """Return whether a variable can be bound to a path. Its name may require a kind, a number, a root or a
        given.
        """
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
        """Return whether the formula is a single number."""
        match spot.tree:
            case Number() | Call("rows" | "cols", _):
                return True
            case Name(name):
                entry = self.names.find(spot.step.part, name)
                return entry is None or entry.shape == (1, 1)  # a name without an entry is the constant e or pi
            case Binary(operator, _, _) if operator != "@":
                return all(map(self.is_single, spot.children()))
            case Negate(_) | Call("sqrt" | "log" | "exp" | "abs", _):
                return self.is_single(spot.children()[0])
        node = self.checked_node(spot.tree, spot.step.part)
        return node is not None and node.size == 1

    def is_number(self, spot: TreePath, value: Fraction) -> bool:
        """Return whether the formula is a constant with this value."""
        if isinstance(spot.tree, Number):
            return spot.tree.text[-1:].isdigit() and spot.tree.value == value
        if not self.is_single(spot):
            return False
        node = self.checked_node(spot.tree, spot.step.part)
        return node is not None and node.static == value

    def is_same_formula(self, a: TreePath, b: TreePath) -> bool:
        """Return whether two paths lead to equal formulas. Names are replaced by their formulas."""
        pairs, seen = [(a, b)], set[tuple[object, object]]()
        while pairs:
            a, b = pairs.pop()
            if a.key == b.key or a.step.part == b.step.part and a.tree == b.tree:
                continue
            a, b = self.dereference(a), self.dereference(b)
            if a.key == b.key or (a.key, b.key) in seen:
                continue
            seen.add((a.key, b.key))
            if isinstance(a.tree, Name | Number | Text) or type(a.tree) is not type(b.tree):
                if a.tree != b.tree or a.step.part != b.step.part:
                    return False
                continue
            inner, other = a.children(), b.children()
            if len(inner) != len(other) or signature(a.tree) != signature(b.tree):
                return False
            pairs += reversed(list(zip(inner, other, strict=True)))
        return True

    def checked_node(self, tree: Tree, part: str | None) -> Node | None:
        """Return the formula with checked shapes; None if it is invalid in the part."""

        def resolve(name: str, place: int) -> Node:
            entry = self.names.find(part, name)
            if entry is None:
                raise FormulaError(f"{name} is not supported here", place)
            return entry.reference(name, place)

        try:
            return check(tree, resolve)
        except (FormulaError, AttncalcError):
            return None

    def operations(self, spot: TreePath, holes: set[tuple[str, tuple[int, ...]]]) -> int:
        """Return the number of operations in a formula, without the subformulas at `holes`."""
        if spot.key in holes:
            return 0
        return bool(head_operation(spot.tree)) + sum(self.operations(inner, holes) for inner in spot.children())
