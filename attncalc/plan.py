"""A plan: named steps in order. Each step is a formula with checked shapes, which uses givens and earlier steps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from math import inf
from typing import NamedTuple

from .arithmetic.budget import MOST_SECONDS
from .arithmetic.matrix_types import Literals
from .errors import Location
from .formula import operations as op
from .formula.operations import needed, needs
from .formula.syntax_tree import Transpose, Tree, is_table, names, names_labels, walk
from .formula.typed_formula import Labels, Node, Shape, entry_place, is_fractional, position_labels


class NamedFormula:
    """The base class of givens and steps: a formula with checked shapes, a name, and a key."""

    __slots__ = ()
    key: str
    name: str
    node: Node

    @property
    def shape(self) -> Shape:
        return self.node.shape

    @property
    def rows(self) -> Labels:
        """The labels of the rows; None without labels."""
        return self.node.rows

    @property
    def columns(self) -> Labels:
        """The labels of the columns; None without labels."""
        return self.node.columns

    @property
    def display_labels(self) -> tuple[Labels, Labels]:
        return self.rows, self.columns

    def entry(self, i: int, j: int) -> str:
        """Return the name of the entry in row i and column j: `S[our, lives]`."""
        return self.name + self.entry_place(i, j)

    def entry_place(self, i: int, j: int) -> str:
        """Return the row and the column of an entry as text: `[our, lives]`."""
        return entry_place(self.shape, *self.display_labels, i, j)

    def reference(self, name: str, at: int = 0) -> Node:
        """Return a node that refers to this formula by `name`. `at` is the name's offset in the referring formula."""
        node = self.node
        return op.reference(self.key, node, name, at)


class Mask(NamedTuple):
    """The kind of a given mask: additive (0 and −∞) or boolean (0 and 1), and whether it is causal."""

    additive: bool
    causal: bool


@dataclass(eq=False, repr=False, slots=True)
class Given(NamedFormula):
    """A matrix of the problem file; `texts` holds its entries as the author wrote them.

    `nested` is True for a list of rows, which has two dimensions in NumPy even if it has one row.
    """

    key: str
    name: str
    node: Node
    part: str | None = None
    texts: tuple[tuple[str, ...], ...] | None = None
    place: Location = Location()
    nested: bool = False

    @property
    def mask(self) -> Mask | None:
        """The kind of mask, if the given is an additive mask or a boolean causal mask; None for other matrices."""
        rows = self.node.entries if isinstance(self.node, op.Literal) and self.node.size > 1 else ()
        if not rows or rows[0][0] not in (0, 1, -inf):  # most givens are not masks
            return None
        entries = set(chain.from_iterable(rows))
        hidden = -inf if -inf in entries else 0
        if hidden not in entries or not entries <= {hidden, 0 if hidden else 1}:
            return None
        causal = all((x != hidden) == (j <= i) for i, row in enumerate(rows) for j, x in enumerate(row))
        return Mask(additive=hidden != 0, causal=causal) if hidden or causal else None


@dataclass(eq=False, repr=False, slots=True)
class Step(NamedFormula):
    """One step of the computation.

    - `tree` is the formula that people read, and `node` the formula with checked shapes.
    - `given` is True if the value is pinned or supplied.
    - `means` is the author's description of the step, which an exam can print instead of its name.
    - `lesson` is the kind of its lesson, and `base` its name in the lesson (`A` for `head.A_1`).
    - `omits_rows` and `omits_columns`: the labels are results of earlier steps, so an empty form must not show them.
    """

    key: str
    name: str
    part: str | None
    tree: Tree
    formula: str
    node: Node
    given: bool = False
    lesson: str | None = None
    base: str = ""
    place: Location = Location()
    means: str = ""
    omits_rows: bool = False
    omits_columns: bool = False

    @property
    def states_result(self) -> bool:
        """Whether the formula lists the numbers of the result, so an exercise must not show it."""
        return is_table(self.tree)

    @property
    def blank_labels(self) -> tuple[Labels, Labels]:
        """The labels on an empty form."""
        return None if self.omits_rows else self.rows, None if self.omits_columns else self.columns

    @property
    def display_labels(self) -> tuple[Labels, Labels]:
        """The labels of the file. A position table without labels gets positions as labels."""
        if isinstance(self.tree, Transpose):
            return self.rows, self.columns or position_labels(self.tree.operand, self.shape[1])
        return self.rows or position_labels(self.tree, self.shape[0]), self.columns

    @property
    def is_pinned(self) -> bool:
        """True if the file gives a value instead of the formula. False for an argument of a lesson."""
        return self.given and bool(names(self.tree)) and not needs([self.node])

    @property
    def is_own(self) -> bool:
        """True if the formula is from the author, not from a lesson."""
        return self.lesson is None and not self.given


def step_called(name: str, names: Container[str]) -> str:
    """Return the full name of a step. If a lesson has one head, `attention.A` is `attention.A_1`."""
    is_only_head = name not in names and f"{name}_1" in names and f"{name}_2" not in names
    return f"{name}_1" if is_only_head else name


class Convention(NamedTuple):
    """A part's choice of a convention on which good sources differ: `mask: causal`. `doc` describes the option."""

    option: str
    value: str
    is_default: bool
    doc: str


@dataclass(eq=False, repr=False, slots=True)
class PartPlan:
    """The givens and steps of a part. `lessons` maps the name of an inserted lesson (`head`) to its kind."""

    name: str | None
    steps: list[Step] = field(default_factory=list)
    givens: list[Given] = field(default_factory=list)
    conventions: list[Convention] = field(default_factory=list)
    lessons: dict[str, str] = field(default_factory=dict)

    def step(self, name: str) -> Step | None:
        return next((s for s in self.steps if s.name == name), None)


@dataclass(eq=False, repr=False)
class Plan:
    """All parts of a problem in order. Keys (`given:X`, `masked.Q`) are unique in the whole plan."""

    givens: list[Given]
    parts: list[PartPlan]
    seconds: float = MOST_SECONDS  # time for its values, in addition to the first evaluation

    @cached_property
    def entries(self) -> dict[str, Given | Step]:
        """Every given and step by its key, in order of computation."""
        entries: dict[str, Given | Step] = {g.key: g for g in self.givens}
        for part in self.parts:
            entries |= {g.key: g for g in part.givens}
            entries |= {s.key: s for s in part.steps}
        return entries

    @property
    def numbers(self) -> list[Given]:
        """The givens whose entries are numbers, not formulas."""
        return [given for given in self._givens if isinstance(given.node, op.Literal)]

    @cached_property
    def _givens(self) -> list[Given]:
        return [entry for entry in self.entries.values() if isinstance(entry, Given)]

    @cached_property
    def order(self) -> dict[str, int]:
        """The index of each key in the order of computation, from 0."""
        return {key: i for i, key in enumerate(self.entries)}

    @cached_property
    def dependencies(self) -> dict[str, frozenset[str]]:
        """The keys that each given and step uses directly."""
        return {key: needed(entry.node) for key, entry in self.entries.items()}

    @cached_property
    def depths(self) -> dict[str, int]:
        """The number of inexact steps in the longest chain that ends in each key. Each inexact step may lose some
        precision.
        """
        depths: dict[str, int] = {}
        for key, entry in self.entries.items():
            below = max((depths[dependency] for dependency in self.dependencies[key]), default=0)
            depths[key] = below + 1 if below or not is_fractional(entry.node) else 0
        return depths

    @cached_property
    def prototype(self) -> Plan:
        """The plan that all variants of a problem share. Names, formulas and shapes are the same. Results that do not
        depend on numbers are cached in it.
        """
        return _prototype(_PlanForm(self))

    @cached_property
    def size(self) -> int:
        """The number of entries of all formulas and subformulas, weighted by the cost of their operations."""
        seen: set[int] = set()
        stack = [entry.node for entry in self.entries.values()]
        total = 0
        while stack:
            node = stack.pop()
            if id(node) not in seen:
                seen.add(id(node))
                total += node.size * node.cost
                stack.extend(node.args)
        return total

    @cached_property
    def literals(self) -> Literals:
        """The numbers in formulas, converted to the types of the arithmetic on first use."""
        return Literals()

    @cached_property
    def _orders(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def varying(self) -> frozenset[str]:
        """The keys of the givens and of the steps that depend on givens."""
        varying: set[str] = set()
        for key, dependencies in self.dependencies.items():
            if key.startswith("given:") or not varying.isdisjoint(dependencies):
                varying.add(key)
        return frozenset(varying)

    def steps(self) -> Iterator[Step]:
        for part in self.parts:
            yield from part.steps

    def ancestors(self, key: str) -> list[str]:
        """Return the key, and all keys on which it depends, in order of computation."""
        if key not in self._orders:
            self._orders[key] = self._ancestors(key)
        return self._orders[key]

    def definitions(self, key: str, hints: bool = False) -> list[Step]:
        """Return the author's steps, in order, that an exam must define so that a student can compute a step.

        Without `hints`, a description (`means`) defines its step, and the steps that this step uses are left out.
        """
        keys: set[str] = set()
        stack = [key]
        while stack:
            entry = self.entries[current := stack.pop()]
            if current not in keys and isinstance(entry, Step):
                keys.add(current)
                stack.extend(self.dependencies[current] if hints or not entry.means else ())
        ordered = (self.entries[k] for k in sorted(keys, key=self.order.__getitem__))
        return [entry for entry in ordered if isinstance(entry, Step) and entry.is_own]

    def unknown_before(
        self, key: str, known: Callable[[str], object], uses: Callable[[str], Iterable[str]] | None = None
    ) -> list[str]:
        """Return the keys with unknown values on which a key depends, in order of computation. The search stops at
        known keys. `uses` returns the keys that a key uses directly, if its formula is not that of the plan.

        A caller that computes these keys in order needs no recursion.
        """
        uses = uses or self.dependencies.__getitem__
        keys: set[str] = set()
        stack = [key]
        while stack:
            nearer = [k for k in uses(stack.pop()) if k not in keys and not known(k)]
            keys.update(nearer)
            stack.extend(nearer)
        return sorted(keys, key=self.order.__getitem__)

    def _ancestors(self, key: str) -> list[str]:
        keys: set[str] = set()
        stack = [key]
        while stack:
            current = stack.pop()
            if current not in keys:
                keys.add(current)
                stack.extend(self.dependencies[current])
        return sorted(keys, key=self.order.__getitem__)


class _PlanForm:
    """Everything in a plan except the numbers of matrices and the labels. Plans of one form share a prototype.

    Single numbers, additive masks, and labels that a formula uses belong to the form, because formulas depend on them.
    """

    def __init__(self, plan: Plan):
        by_label = any(names_labels(part) for step in plan.steps() for part in walk(step.tree))
        self.plan = plan
        self.parts = [(part.name, len(part.givens), len(part.steps)) for part in plan.parts]
        self.shapes = [
            (e.key, e.shape, e.node.static, (e.rows, e.columns) if by_label else None) for e in plan.entries.values()
        ]
        self.masks = [(e.key, mask) for e in plan.entries.values() if isinstance(e, Given) and (mask := e.mask)]
        self.formulas = [(step.tree, step.lesson, step.base, step.given) for step in plan.steps()]
        self.hash = hash((*self.parts, *self.shapes, *self.masks))

    def __eq__(self, other: object) -> bool:
        mine, its = (
            (x.parts, x.shapes, x.masks, x.formulas) if isinstance(x, _PlanForm) else None for x in (self, other)
        )
        return mine == its

    def __hash__(self) -> int:
        return self.hash


@lru_cache(maxsize=16)
def _prototype(form: _PlanForm) -> Plan:
    """Return the first plan with this form, with copies of its givens, because a generator changes the givens of the
    original.
    """
    return Plan([replace(given) for given in form.plan.givens], form.plan.parts)
