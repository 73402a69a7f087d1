"""Patterns held against places in the formulas of a plan, through the names of other steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import AttncalcError, FormulaError
from ..formula.check import check
from ..formula.node import Node
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, rewrite
from ..plan import Given, Plan, Step
from .spots import Spot, beginning, constant, is_root, named, shell

_COMMUTE = ("+", "*")
_JOINS = ("hstack", "vstack")
_ANY = Name("any_")
DEEPEST = 40  # names that are followed one behind the other

Found = dict[str, Spot]
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
        self.masked: dict[tuple[str, Tree], Tree] = {}
        self.has_masks = any(isinstance(one, Given) and one.mask for one in plan.entries.values())

    def tree(self, step: Step) -> Tree:
        """A step's formula with `keep(S, M == 0)` for `S + M`, where M is a mask of 0 and −∞ that is given, and with
        `causal(3, 3)` for a given one that hides what comes later.
        """
        if not self.has_masks or step.lesson:
            return step.tree
        held = step.key, step.tree
        if held not in self.masked:
            self.masked[held] = rewrite(step.tree, lambda tree: self.kept(tree, step.part))
        return self.masked[held]

    def kept(self, tree: Tree, part: str | None) -> Tree | None:
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
                seen = Call("causal", sides) if mask.causal else Binary("==", name, Number("0"))
                return Call("keep", (rewrite(scores, lambda one: self.kept(one, part)), seen), options, tree.at)
        return None

    def find(self, part: str | None, name: str) -> Given | Step | None:
        """What a name stands for in a part, None where that part does not know it."""
        return self.scopes[part].get(name)

    def written(self, spot: Spot, part: str | None) -> Tree | None:
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
        self.known: dict[tuple[str, str, tuple[int, ...]], tuple[str, Spot, Found] | None] = {}

    def see(self, spot: Spot) -> Spot:
        """The formula itself, where a step's name stands for it."""
        for _ in range(DEEPEST):
            entry = self.names.find(spot.step.part, spot.tree.name) if isinstance(spot.tree, Name) else None
            if not isinstance(entry, Step):
                break
            spot = Spot(entry, (), self.names.tree(entry))
        return spot

    def parsed(self, kind: str, spot: Spot) -> tuple[str, Spot, Found] | None:
        """The first alternative of a kind that fits: its role, the place of its formula, and what its names
        stand for.
        """
        held = (kind, *spot.key)
        if held not in self.known:
            self.known[held] = None  # a formula is no part of itself
            root = self.see(spot)
            for role, pattern in self.kinds[kind].get(beginning(root.tree), self.kinds[kind].get("", [])):
                found: Found | None = (
                    {}
                    if pattern == _ANY
                    else next(self.fits(pattern, spot if isinstance(pattern, Name) else root, {}), None)
                )
                if found is not None:
                    self.known[held] = role, root, found
                    break
        return self.known[held]

    def fits(self, pattern: Tree, spot: Spot, found: Found) -> Iterator[Found]:
        """The ways in which a spot has the form of a pattern; what is `found` already must stand there again."""
        if isinstance(pattern, Name):
            yield from self.hole(pattern.name, spot, found)
            return
        if isinstance(pattern, Call) and pattern.function == "part":
            spot = self.see(spot)
            if isinstance(spot.tree, Index):
                yield from self.fits(pattern.arguments[0], spot.below()[0], found)
            return
        spot = self.see(spot)
        inner = spot.below()
        if (value := constant(pattern)) is not None:
            if self.is_number(spot, value):
                yield found
            return
        match pattern, spot.tree:
            case Binary(operator, p, q), Binary(other, _, _) if operator == other:
                for a, b in ((0, 1), (1, 0)) if operator in _COMMUTE else ((0, 1),):
                    for more in self.fits(p, inner[a], found):
                        yield from self.fits(q, inner[b], more)
            case (Negate(p), Negate(_)) | (Transpose(p), Transpose(_)):
                yield from self.fits(p, inner[0], found)
            case Call(), Call():
                yield from self.call(pattern, spot, inner, found)

    def call(self, pattern: Call, spot: Spot, inner: list[Spot], found: Found) -> Iterator[Found]:
        """The ways in which a function's call has the form of a pattern: the same function, options and arguments."""
        function, options = named(spot.tree)  # type: ignore[arg-type]
        if function != pattern.function or any(options.get(name) != value for name, value in pattern.options):
            return
        wanted = pattern.arguments
        if function in _JOINS and len(wanted) == 1 and isinstance(wanted[0], Name):
            name = wanted[0].name[:-1]
            if len(inner) > 1 and all(self.suits(name, each) for each in inner):
                yield {**found, **{f"{name}#{k}": each for k, each in enumerate(inner)}}
        elif len(wanted) == len(inner):
            yield from self.all(list(zip(wanted, inner, strict=True)), found)

    def all(self, pairs: list[tuple[Tree, Spot]], found: Found) -> Iterator[Found]:
        """The ways in which spots have the forms of patterns, one by one, with one meaning for each name."""
        if not pairs:
            yield found
            return
        for more in self.fits(*pairs[0], found):
            yield from self.all(pairs[1:], more)

    def hole(self, pattern: str, spot: Spot, found: Found) -> Iterator[Found]:
        """A name of a pattern at a spot: what it stands for already must stand here again; a new one must suit."""
        if pattern in found:
            if self.same(found[pattern], spot):
                yield found
        elif pattern.endswith("_") and self.suits(pattern[:-1], spot):
            yield {**found, pattern: spot}

    def suits(self, name: str, spot: Spot) -> bool:
        """Whether a spot may stand for a name: of the kind that it names, a number, a root of one, a given."""
        match name:
            case "number" | "divisor":
                return self.is_single(spot)
            case "root":
                return self.is_single(spot) and is_root(self.see(spot).tree)
            case "given":
                tree = spot.tree.operand if isinstance(spot.tree, Index | Transpose) else spot.tree
                return isinstance(tree, Name) and isinstance(self.names.find(spot.step.part, tree.name), Given)
        return name not in self.kinds or self.parsed(name, spot) is not None

    def is_single(self, spot: Spot) -> bool:
        """Whether a single number stands there."""
        match spot.tree:
            case Number() | Call("rows" | "cols", _):
                return True
            case Name(name):
                entry = self.names.find(spot.step.part, name)
                return entry is None or entry.shape == (1, 1)  # else e or pi
            case Binary(operator, _, _) if operator != "@":
                return all(map(self.is_single, spot.below()))
            case Negate(_) | Call("sqrt" | "log" | "exp" | "abs", _):
                return self.is_single(spot.below()[0])
        node = self.checked(spot.tree, spot.step.part)
        return node is not None and node.size == 1

    def is_number(self, spot: Spot, wanted: Fraction) -> bool:
        """Whether a constant of this value stands there."""
        if isinstance(spot.tree, Number):
            return spot.tree.text[-1:].isdigit() and spot.tree.value == wanted
        if not self.is_single(spot):
            return False
        node = self.checked(spot.tree, spot.step.part)
        return node is not None and node.static == wanted

    def same(self, a: Spot, b: Spot) -> bool:
        """Whether two spots hold the same formula, through names."""
        if a.key == b.key or a.step.part == b.step.part and a.tree == b.tree:
            return True
        a, b = self.see(a), self.see(b)
        if a.key == b.key:
            return True
        if isinstance(a.tree, Name | Number | Text) or type(a.tree) is not type(b.tree):
            return a.tree == b.tree and a.step.part == b.step.part
        inner, other = a.below(), b.below()
        return len(inner) == len(other) and shell(a.tree) == shell(b.tree) and all(map(self.same, inner, other))

    def checked(self, tree: Tree, part: str | None) -> Node | None:
        """A formula with its shapes, None where it has no meaning in a part."""

        def resolve(name: str, place: int) -> Node:
            found = self.names.find(part, name)
            if found is None:
                raise FormulaError(f"{name} is not known here", place)
            return found.reference(name, place)

        try:
            return check(tree, resolve)
        except (FormulaError, AttncalcError):
            return None

    def operations(self, spot: Spot, holes: set[tuple[str, tuple[int, ...]]]) -> int:
        """The operations of a formula, down to what its names stand for."""
        if spot.key in holes:
            return 0
        return bool(beginning(spot.tree)) + sum(self.operations(inner, holes) for inner in spot.below())
