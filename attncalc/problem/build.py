"""From names and trees to a plan: scopes, steps, lessons and pinned values of one part after another."""

from __future__ import annotations

from ..errors import AttncalcError, Fault, FormulaError, Place, did_you_mean, shorten, size
from ..formula.check import check
from ..formula.node import Node, Shape
from ..formula.parse import RESERVED, is_name, parse
from ..formula.tree import Call, Name, Number, Tree, names, rewrite, substitute, unparse
from ..lessons.base import OWN, Lesson, Recipe, Setting
from ..plan import Convention, Given, PartPlan, Step

MOST_STEPS = 2_000
MOST_ENTRIES = 4_000_000
MOST_PRODUCTS = 200_000_000


class Budget:
    """How much a whole problem may ask for; what goes beyond is refused before anything is worked out."""

    def __init__(self) -> None:
        self.steps = 0
        self.entries = 0
        self.products = 0

    def spend(self, node: Node) -> None:
        self.steps += 1
        stack, seen = [node], set()
        while stack:
            one = stack.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            self.entries += one.size
            if one.operation == "matmul":
                self.products += one.size * one.args[0].shape[1]
            stack.extend(one.args)
        if self.steps > MOST_STEPS:
            raise FormulaError(f"a problem has at most {MOST_STEPS:,} steps")
        if self.entries > MOST_ENTRIES or self.products > MOST_PRODUCTS:
            raise FormulaError(
                f"this problem is too large: at most {MOST_ENTRIES:,} entries and {MOST_PRODUCTS:,} products in all its steps"
            )


class PartBuilder:
    """Builds the plan of one part. `outer` are the problem's givens, `earlier` the steps of earlier parts by `part.step`."""

    def __init__(
        self,
        name: str | None,
        outer: dict[str, Given],
        earlier: dict[str, Step],
        pins: dict[str, tuple[Node, Place]],
        columns: bool,
        budget: Budget,
    ):
        self.plan = PartPlan(name)
        self.outer = outer
        self.earlier = earlier
        self.pins = pins
        self.columns = columns
        self.budget = budget
        self.own: dict[str, Given] = {}
        self.steps: dict[str, Step] = {}
        self.later: set[str] = set()
        self.broken: set[str] = set()

    # -- scope -------------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Given | Step | None:
        return self.steps.get(name) or self.own.get(name) or self.outer.get(name) or self.earlier.get(name)

    def find_given(self, name: str) -> bool:
        return name in self.own or name in self.outer or name in self.steps

    def known(self) -> list[str]:
        return [*self.steps, *self.own, *self.outer, *self.earlier]

    def resolve(self, name: str, at: int) -> Node:
        found = self.find(name)
        if found is not None:
            return Node(
                "ref", (), found.shape, found.rows, found.columns, (found.key,), found.node.static, found.node.bits, name, at
            )
        if name in self.broken:
            raise Known
        shown = shorten(name)
        if name in self.later:
            raise FormulaError(f"{shown} is used before it is defined; a formula uses only what stands before it", at)
        if name.split(".")[0] in {"np", "torch", "math"}:
            raise FormulaError(f"{shown}: the formula language has functions of its own, such as exp, sqrt and softmax", at)
        raise FormulaError(f"{shown} is not defined{did_you_mean(name, self.known())}", at)

    def check(self, tree: Tree) -> Node:
        return check(tree, self.resolve)

    # -- givens and steps ------------------------------------------------------------------------------------------------

    def add_given(self, given: Given) -> None:
        self.own[given.name] = given
        self.plan.givens.append(given)
        self.budget.spend(given.node)

    def add_step(self, name: str, tree: Tree, place: Place, lesson: str | None = None, base: str = "", given: bool = False) -> None:
        """One step; a fault in it is raised with the step's name, and names the step as broken so that later ones keep quiet."""
        try:
            self._name_is_free(name, tree)
            node = self.check(tree)
            if name in self.pins:
                node, given = self._pinned(name, node), True
            self.budget.spend(node)
        except Known:
            self.broken.add(name)
            return
        except FormulaError as error:
            self.broken.add(name)
            where = place if lesson else place.shifted(error.at)
            raise AttncalcError(Fault(f"{name}: {error.message}", where)) from None
        key = f"{self.plan.name}.{name}" if self.plan.name else name
        step = Step(key, name, self.plan.name, tree, unparse(tree), node, given, lesson, base or name, place)
        self.steps[name] = step
        self.plan.steps.append(step)

    def _name_is_free(self, name: str, tree: Tree) -> None:
        if name in self.steps:
            raise FormulaError("a step of this name stands before; names are used once in a part")
        clash = self.own.get(name) or self.outer.get(name)
        if clash and not (isinstance(tree, Name) and tree.name == name):
            raise FormulaError("a given of this name stands in the file; a step needs a name of its own")

    def _pinned(self, name: str, node: Node) -> Node:
        pinned, place = self.pins[name]
        if pinned.shape != node.shape:
            raise AttncalcError(
                Fault(f"pin: {name} is {size(node.shape)}, the pinned value is {size(pinned.shape)}", place)
            )
        pinned.rows, pinned.columns = node.rows, node.columns
        return pinned

    # -- lessons ---------------------------------------------------------------------------------------------------------

    def add_lesson(
        self, lesson: Lesson, arguments: dict[str, Tree], places: dict[str, Place], place: Place, prefix: str = ""
    ) -> None:
        """A lesson's steps, under `prefix` where the author gave it a name; what a supplied step makes needless is left out."""
        setting = Setting(lesson, arguments, self.columns, lambda tree: self.check(tree).shape, self.find_given)
        known = {*(i.name for i in lesson.inputs), *(o.name for o in lesson.options)}
        try:
            recipes = lesson.recipes(setting)
        except Known:
            return
        except FormulaError as error:
            self._reject_arguments(lesson, arguments, places, known, set(lesson.steps))
            raise AttncalcError(Fault(f"{prefix or lesson.name}: {error.message}", place)) from None
        produced = {name for name, _ in recipes}
        self._reject_arguments(lesson, arguments, places, known, produced)
        supplied = {name: arguments[name] for name in arguments if name in produced and not lesson.input(name)}
        recipes = _needed(recipes, supplied)
        self._check_inputs(lesson, setting, recipes, supplied, place, prefix)
        dot = f"{prefix}." if prefix else ""
        local: dict[str, Tree] = dict(setting.trees)
        local |= {name: Name(dot + name) for name, _ in recipes}
        own = {OWN + name: Name(dot + name) for name, _ in recipes}
        faults: list[Fault] = []
        for name, formula in recipes:
            tree = supplied[name] if name in supplied else substitute(substitute(parse(formula), local), own)
            try:
                folded = self._fold_sizes(tree)
                self.add_step(dot + name, folded, places.get(name, place), lesson.name, _base(name), given=name in supplied)
            except AttncalcError as error:
                faults += error.faults
        self.plan.conventions += setting.conventions
        if faults:
            raise AttncalcError(faults)

    def _reject_arguments(
        self, lesson: Lesson, arguments: dict[str, Tree], places: dict[str, Place], known: set[str], produced: set[str]
    ) -> None:
        faults = [
            Fault(
                f"{lesson.name} has no input, option or step called {shorten(name)!r}{did_you_mean(name, sorted(known | produced))}",
                places.get(name, Place()),
            )
            for name in arguments
            if not (lesson.input(name) or lesson.option(name) or name in produced)
        ]
        if faults:
            raise AttncalcError(faults)

    def _check_inputs(
        self, lesson: Lesson, setting: Setting, recipes: list[Recipe], supplied: dict[str, Tree], place: Place, prefix: str
    ) -> None:
        produced = {name for name, _ in recipes}
        faults = []
        missing: dict[str, None] = {}
        for name, formula in recipes:
            if name in supplied:
                continue
            for used in sorted(names(parse(formula))):
                if used not in produced and lesson.input(used) and not setting.has(used):
                    missing[used] = None
        for name in missing:
            near = did_you_mean(name, [n for n in self.known() if n not in produced])
            faults.append(Fault(f"{lesson.name} needs {name}; no given is called so{near}. Name one: {{{name}: ...}}", place))
        for name, _ in recipes:
            clash = not prefix and name not in supplied and (name in self.own or name in self.outer)
            if clash:
                other = "attention, which starts from Q, K and V" if name in ("Q", "K", "V") else f"{lesson.name}: {{{name}: {name}}}"
                faults.append(Fault(f"{name} is a given and also a step of {lesson.name}; rename the given, or use {other}", place))
        if faults:
            raise AttncalcError(faults)

    def _fold_sizes(self, tree: Tree) -> Tree:
        """causal(rows(S), cols(S)) as causal(4, 4): people read sizes more easily than formulas for them."""

        def number(part: Tree) -> Tree:
            if isinstance(part, Call) and part.function in ("rows", "cols"):
                static = self.check(part).static
                return part if static is None else Number(str(static), part.at)
            return part

        def fold(part: Tree) -> Tree | None:
            if isinstance(part, Call) and part.function in _SIZED:
                options = tuple((name, rewrite(value, fold)) for name, value in part.options)
                return Call(part.function, tuple(number(a) for a in part.arguments), options, part.at)
            return None

        try:
            return rewrite(tree, fold)
        except (FormulaError, Known):
            return tree

    def add_convention(self, option: str, value: str) -> None:
        self.plan.conventions.append(Convention(option, value, False))


class Known(Exception):
    """A formula uses a step whose own fault has been told already."""


_SIZED = {"causal", "causal_strict", "band", "alibi", "sinusoidal", "ones", "zeros", "identity"}


def _needed(recipes: list[Recipe], supplied: dict[str, Tree]) -> list[Recipe]:
    """The recipes on the way to the last one that a supplied step does not make needless."""
    if not supplied:
        return recipes
    formulas = dict(recipes)
    wanted: set[str] = set()
    stack = [recipes[-1][0]]
    while stack:
        name = stack.pop()
        if name in wanted or name not in formulas:
            continue
        wanted.add(name)
        if name not in supplied:
            stack.extend(names(parse(formulas[name])))
    return [recipe for recipe in recipes if recipe[0] in wanted or recipe[0] in supplied]


def _base(name: str) -> str:
    """`A` for `A_1`: the step's name without its head."""
    head = name.rsplit("_", 1)
    return head[0] if len(head) == 2 and head[1].isdigit() else name


def name_fault(name: str, what: str) -> str | None:
    """Why a given, a step or a part cannot be called so, or None."""
    if is_name(name):
        return None
    if name in RESERVED:
        return f"{name} is taken: {'the transpose' if name == 'T' else 'a constant'}; another name is required for this {what}"
    return f"a {what}'s name has ASCII letters, digits and underscores and is no Python keyword; {shorten(name)!r} stands there"


