"""Expands a lesson into the steps of a part. It checks the arguments, omits unneeded steps, and expands inner lessons
under their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from ..errors import AttncalcError, Diagnostic, Diagnostics, FormulaError, Location, did_you_mean, fold, shorten, size
from ..formula import operations as op
from ..formula.parser import RESERVED, parse
from ..formula.syntax_tree import Binary, Call, Name, Number, Transpose, Tree, names, rewrite, substitute, unparse, walk
from ..formula.typed_formula import Node
from ..lessons.lesson import (
    MASK_WORDS,
    STEP_PREFIX,
    Ask,
    Lesson,
    Recipe,
    Setting,
    Sub,
    Trace,
    Undeclared,
    fill_size,
    fill_slope,
    without_head,
    word_of,
)
from ..lessons.synonyms import MASK_NAMES, call_hint, hiding_warning, replacement_hint
from ..plan import Given, Step
from .formula_sizes import Known
from .plan_builder import PartBuilder


def used_names(recipe: str | Sub) -> set[str]:
    """Return the names in the formula of a recipe, or in the arguments of an inner lesson."""
    if isinstance(recipe, str):
        return {name.split(".")[0] for name in names(parse(recipe))}
    return {name for value in recipe.arguments.values() if isinstance(value, str) for name in used_names(value)}


def needed(recipes: list[Recipe], supplied: dict[str, Tree]) -> list[Recipe]:
    """Return the recipes that the last recipe needs. A step that the author supplies does not need other recipes."""
    if not supplied:
        return recipes
    known = dict(recipes)
    wanted: set[str] = set()
    stack = [recipes[-1][0]]
    while stack:
        name = stack.pop()
        if name in wanted or name not in known:
            continue
        wanted.add(name)
        if name not in supplied:
            stack.extend(used_names(known[name]))
            stack.extend(used.removeprefix(STEP_PREFIX) for used in used_names(known[name]))
    return [recipe for recipe in recipes if recipe[0] in wanted or recipe[0] in supplied]


SIZED = {"causal", "causal_strict", "band", "alibi", "sinusoidal", "ones", "zeros", "identity", "alibi_slopes",
    "links", "global_tokens"}  # fmt: skip


def place(formula: str, local: dict[str, Tree], produced: dict[str, Tree]) -> Tree:
    """Return the formula of a recipe with the lesson's arguments and the full names of the steps."""
    return substitute(substitute(parse(formula), local), produced)


def variants(name: str, numbered: bool, setting: Setting, before: tuple[str, ...]) -> list[str]:
    """Return `W_Q`, and those of `W_Q_1`, `W_Q_2`, ... that exist."""
    spellings = [name]
    if numbered:
        k = 1
        while any(f"{b}{name}_{k}" in setting.arguments or setting.find_given(f"{b}{name}_{k}") for b in before):
            spellings.append(f"{name}_{k}")
            k += 1
    return spellings


def fold_sizes(builder: PartBuilder, tree: Tree) -> Tree:
    """Replace causal(rows(S), cols(S)) by causal(4, 4), because people read numbers more easily."""

    def number(part: Tree) -> Tree:
        if isinstance(part, Call) and part.function in ("rows", "cols"):
            static = builder.check(part).static
            return part if static is None else Number(str(static), part.at)
        return part

    def fold(part: Tree) -> Tree | None:
        if isinstance(part, Call) and part.function in SIZED:
            options = tuple((name, rewrite(value, fold)) for name, value in part.options)
            return Call(part.function, tuple(number(a) for a in part.arguments), options, part.at)
        return None

    try:
        return rewrite(tree, fold)
    except (FormulaError, Known):
        return tree


def names_tokens(tree: Tree) -> bool:
    """Return whether a mask contains indices of tokens."""
    return any(isinstance(part, Call) and part.function in ("links", "global_tokens") for part in walk(tree))


def mask_fault(tree: Tree, find: Callable[[str], object]) -> str:
    """Return the error, with a suggestion, for an unknown mask such as `look_ahead`, `look-ahead`, `true` or
    `sliding_window(2)`. Return an empty string for other formulas.
    """
    match tree:
        case Name() | Binary() if word := MASK_NAMES.get(unparse(tree).replace(" - ", "-"), ""):
            return "" if find(unparse(tree)) else f"{unparse(tree)} is not a mask; did you mean {word}?"
        case Call(function, (width,), ()) if near := call_hint(function, unparse(width)):
            return f"there is no function {function}{near}"
    return ""


_Value = TypeVar("_Value")
_ONE = Number("1")
ENTRYWISE = frozenset("+-*/")  # operators that may broadcast an operand
_WORDS: dict[str, Tree] = dict.fromkeys(("none", "true", "false"), _ONE)  # words that are allowed instead of formulas
_TAKEN = {*RESERVED, *_WORDS, *MASK_WORDS}  # names in recipes that mean neither inputs nor steps


def expand(
    builder: PartBuilder,
    lesson: Lesson,
    arguments: dict[str, Tree],
    places: dict[str, Location],
    place: Location,
    prefix: str = "",
    inside: bool = False,
) -> str:
    """Add a lesson's steps to the part, and return the name of the last step.

    `prefix` is the lesson's name in the part. If the lesson is `inside` another lesson, its inputs are only its
    arguments, never givens.
    """
    if inside:
        return _Expansion(builder, lesson, arguments, places, place, prefix, inside).run()
    first = len(builder.plan.steps)
    before, earlier, broken = builder.trial(builder.budget.trials), builder.plan.conventions, set(builder.broken)
    builder.plan.conventions = []
    last = _Expansion(builder, lesson, arguments, places, place, prefix).run()
    is_whole = builder.broken == broken  # otherwise, faulty steps would be compared
    for name in _stated(lesson, arguments, places) if is_whole else ():
        absent = {name: Name("none")} if lesson.input(lesson.declared_name(name)) else {}  # no given is used
        left = {other: tree for other, tree in arguments.items() if other != name} | absent
        there = {other: its for other, its in places.items() if other != name}
        trial = before.trial(before.budget, builder)
        with suppress(AttncalcError, FormulaError, Known):  # the lesson may need this option
            _Expansion(trial, lesson, left, there, place, prefix).run()
            if _is_idle(lesson.declared_name(name), word_of(arguments[name]), builder, trial):
                builder.warn(prefix or lesson.name, places[name], [_IDLE.format(name)])
        builder.lookups.add(trial.lookups)
    if is_whole and (idle := _idle_masking(builder, first, arguments, places)):
        option, text = idle
        builder.warn(prefix or lesson.name, places[option], [text])
    if "mask" in places:
        warnings = [hiding_warning(unparse(arguments["mask"])), *_odd_masks(builder, first)]
        builder.warn(prefix or lesson.name, places["mask"], [f"mask: {text}" for text in warnings if text][:1])
    builder.plan.conventions = list(dict.fromkeys((*earlier, *builder.plan.conventions)))
    return last


_IDLE = (
    "{0} has no effect: all steps are the same without this option; remove the option, or add the input that it needs"
)


def _stated(lesson: Lesson, arguments: dict[str, Tree], places: dict[str, Location]) -> list[str]:
    """Return the options and optional inputs that the file states with values other than the default."""
    stated = []
    for name in places:
        declared = lesson.declared_name(name)
        option, source = lesson.option(declared), lesson.input(declared)
        is_matrix = source is not None and source.optional and not source.demand  # a count describes a model
        default = option.default if option and not option.ends else "none" if is_matrix else None
        if default is not None and word_of(arguments[name]) != default:
            stated.append(name)
    return stated


def _is_idle(name: str, value: str, stated: PartBuilder, unstated: PartBuilder) -> bool:
    """Return whether an option has no effect: without the option, formulas, labels and conventions are the same. A
    convention that only repeats the option's value is not an effect.
    """
    choices, chosen = ({(c.option, c.value) for c in b.plan.conventions} for b in (stated, unstated))
    same = stated.formulas == unstated.formulas
    return same and (name, value) not in chosen and choices <= chosen | {(name, value)}


_EMPTYING = {"bias", "axis"}  # with these options, all scores of a query can be −∞ although its mask has a 1


def _idle_masking(
    builder: PartBuilder, first: int, arguments: dict[str, Tree], places: dict[str, Location]
) -> tuple[str, str] | None:
    """Return an option that has no effect, and the warning about it. It is a mask that masks no score, or `empty_row`
    if no row is fully masked.

    If an entry of a mask is not known, return None. `first` is the index of the lesson's first step.
    """
    masks = [mask for step in builder.plan.steps[first:] for mask in _masks_of(step)]
    entries = [rows for mask in masks if (rows := builder.numbers(mask))]
    if not masks or len(entries) < len(masks):
        return None
    if "mask" in places and all(x != 0 for rows in entries for row in rows for x in row):
        return "mask", "mask: no score is masked, so the mask does not change any number"
    word = word_of(arguments.get("empty_row", Name("error")))
    may_be_empty = any(not any(row) for rows in entries for row in rows) or not arguments.keys().isdisjoint(_EMPTYING)
    if "empty_row" in places and word != "error" and not may_be_empty:
        return "empty_row", f"no query has all its keys masked, so empty_row: {word} does not change any number"
    return None


def _odd_masks(builder: PartBuilder, first: int) -> Iterator[str]:
    """Yield warnings about masks of a lesson with entries other than 0 and 1, such as the 2 in causal + padding.
    `first` is the index of the lesson's first step.
    """
    from .lints import of_either_mask  # imported here, because few masks are formulas

    for mask in (mask for step in builder.plan.steps[first:] for mask in _masks_of(step)):
        if not isinstance(mask, Name) and (warning := of_either_mask(mask, builder.supposed)):
            yield warning
        if any(entry not in (0, 1) for row in builder.supposed.entries(mask) for entry in row):
            yield f"{shorten(unparse(mask))} has entries other than 0 and 1, which count as 1"


def _masks_of(step: Step) -> Iterator[Tree]:
    """Yield the mask of scores or weights in a lesson's step, if there is one."""
    name = without_head(step.name).rpartition(".")[2]
    for part in walk(step.tree) if name in ("S_masked", "A_masked") else ():
        match part:
            case Call("keep", (_, mask)) | Binary("*", Name(), mask):
                yield mask.operand if isinstance(mask, Transpose) else mask


class _Expansion:
    """Expands one lesson into the steps of a part."""

    def __init__(
        self,
        builder: PartBuilder,
        lesson: Lesson,
        arguments: dict[str, Tree],
        places: dict[str, Location],
        place: Location,
        prefix: str,
        inside: bool = False,
    ):
        self.builder = builder
        self.lesson = lesson
        arguments, places = (_with_declared_names(lesson, named) for named in (arguments, places))
        self.arguments = arguments if inside else _otherwise_written(builder, lesson, arguments) | arguments
        self.places = places
        self.place = place
        self.prefix = prefix
        self.dot = f"{prefix}." if prefix else ""
        self.inside = inside
        self.setting = Setting(
            lesson,
            self.arguments,
            builder.columns,
            lambda tree: builder.check(tree).shape,
            (lambda name: False) if inside else builder.find_given,
            lambda tree: builder.check(tree).static,
            builder.numbers,
            builder.labels,
        )

    def run(self) -> str:
        self.builder.plan.lessons[self.prefix] = self.lesson.name
        try:
            self.check_arguments()
        except AttncalcError as error:
            alone = self.builder.plan.name is None and not self.prefix and error.faults
            raise type(error)([*error.faults, *(self.left_out() if alone else ())]) from None
        if self.lesson.trace is not None:
            return self.drive(self.lesson.trace(self.setting))
        recipes = self.recipes()
        self.reject_arguments({name for name, _ in recipes})
        supplied = {
            name: self.arguments[name] for name, _ in recipes if name in self.arguments and not self.is_own(name)
        }
        recipes = needed(recipes, supplied)
        self.check_inputs(recipes, supplied)
        local = dict(self.setting.trees) | {name: Name(self.dot + name) for name, _ in recipes}
        produced: dict[str, Tree] = {STEP_PREFIX + name: Name(self.dot + name) for name, _ in recipes}
        faults = Diagnostics()
        last, independent = "", 0
        for name, recipe in recipes:
            if name == self.setting.found_from:
                independent = len(self.builder.plan.steps)
            try:
                last = self.add(name, recipe, supplied.get(name), local, produced)
            except AttncalcError as error:
                faults.extend(error)
                self.builder.broken.add(self.dot + name)
        self.say(local, produced)
        if independent:
            self.builder.omit_result_labels(independent)
        if faults.faults:
            raise AttncalcError([*faults.faults, *self.left_out()])
        return last

    def left_out(self) -> list[Diagnostic]:
        """Return hints about givens that the lesson uses only if an argument names them. Their absence may cause other
        errors.
        """
        named = [source.name for source in self.lesson.inputs if source.named and source.name not in self.arguments]
        message = "{1} uses the given {0} only if you name the given; did you mean {0}: {0}?"
        skipped = filter(self.setting.find_given, named)
        return [Diagnostic(message.format(name, self.lesson.name), self.place) for name in skipped]

    def say(self, local: dict[str, Tree], produced: dict[str, Tree]) -> None:
        """Add the conventions of this lesson to the part."""
        for convention in self.setting.conventions:
            if convention.option == "scale" and convention.is_default:  # its K means the K of this lesson
                convention = convention._replace(value=unparse(place(convention.value, local, produced)))
            self.builder.plan.conventions.append(convention)
        self.builder.warn(self.prefix or self.lesson.name, self.place, self.setting.warnings)
        if self.builder.original is None:
            self.note_small_divisor(self.setting.trees | local, produced)

    def note_small_divisor(self, local: dict[str, Tree], produced: dict[str, Tree]) -> None:
        """Warn about a divisor of scores between 0 and 1. Papers and libraries multiply scores by numbers of this size,
        such as 1 / √d_k.
        """
        for divisor in dict.fromkeys(self.setting.divisors):
            rows = self.builder.enclosures(place(divisor, local, produced))
            if rows and all(0 < x < 1 for row in rows for x in row):
                stated = shorten(unparse(self.setting.trees["scale"]))
                text = (
                    f"scale: the scores are divided by {stated}; to multiply them by this number, give its reciprocal"
                )
                where = self.places.get("scale", self.place)
                self.builder.warn(self.prefix or self.lesson.name, where, [f"{text}, such as scale: sqrt(d_k)"])
                return

    def drive(self, trace: Trace) -> str:
        """Add the recipes of a trace one by one, and send the values that the trace requests."""
        self.reject_arguments(set(self.lesson.steps))
        named: dict[str, Tree] = {}
        produced: dict[str, Tree] = {}
        last, answer, independent = "", None, 0  # the number of steps before the first step that depends on a result
        while True:
            try:
                item = next(trace) if answer is None else trace.send(answer)
            except StopIteration:
                self.say(named, produced)
                if independent:
                    self.builder.omit_result_labels(independent)
                return last
            except FormulaError as error:
                raise AttncalcError(self.fault(error)) from None
            if isinstance(item, Ask):
                answer = self.builder.whole_value(self.dot + item.step, item.row)
                independent = independent or len(self.builder.plan.steps)
                continue
            answer = None
            name, recipe = item
            named[name] = produced[STEP_PREFIX + name] = Name(self.dot + name)
            self.check_inputs([item], {})
            local = self.setting.trees | named
            last = self.add(name, recipe, None, local, produced)
            named[name] = produced[STEP_PREFIX + name] = local[name]

    def fault(self, error: FormulaError) -> Diagnostic:
        given = self.builder.find(error.about)
        place = given.place if isinstance(given, Given) and given.place.line else self.place
        place = self.places[error.about].shifted(error.at) if error.about in self.places else place
        names_itself = not self.prefix and error.message.startswith(self.lesson.name)
        return Diagnostic(
            error.message if names_itself else f"{self.prefix or self.lesson.name}: {error.message}", place
        )

    def check_arguments(self) -> None:
        """Check each argument separately. Raises AttncalcError with all errors and their locations."""
        steps = {without_head(step) for step in self.lesson.steps}
        faults = self.unknown({*self.lesson.steps, *(name for name in self.arguments if without_head(name) in steps)})
        reported = {name for name in self.places if self.formula_fault(name, steps, faults)}
        try:
            errors = self.setting.faults()
        except Known:
            errors = []
        faults.faults += [self.fault(error) for error in errors if error.about not in reported]
        faults.raise_any()

    def formula_fault(self, name: str, steps: set[str], faults: Diagnostics) -> bool:
        """Return whether the formula of an argument has an error, and add this error to `faults`."""
        option, tree, supposed = self.lesson.option(name), self.arguments[name], self.builder.supposed
        if option and (option.kind not in ("formula", "mask") or self.setting.repeats_default(name)):
            return False
        if any(without_head(used) in steps for used in names(tree)):
            return False
        if names_tokens(tree):  # indices of tokens can be checked only when the shape of the scores is known
            return False
        if option and option.kind == "mask" and (message := mask_fault(tree, self.builder.find)):
            faults.add(f"{name}: {message}", self.places[name])
            return True
        try:
            in_default = names(parse(option.default)) if option else set()  # d_k in sqrt(d_k)
            counts = {n: _ONE for n in in_default if self.lesson.input(n) and not self.setting.has(n)}
            sized = substitute(fill_size(fill_slope(tree, _ONE), _ONE, _ONE), _WORDS | counts)
            self.builder.check(sized)
        except Known:
            raise AttncalcError([]) from None
        except FormulaError as error:
            message = (error if option else supposed.proposed("", tree, error)).message
            if option and option.kind == "mask" and isinstance(tree, Name):
                typed = f"found {shorten(tree.name)!r}{did_you_mean(tree.name, option.examples)}"
                message = f"expected {', '.join(option.examples)} or a matrix of 0 and 1, {typed}"
            faults.add(f"{name}: {message}", self.places[name].shifted(error.at))
            return True
        if option and option.kind == "mask" and self.builder.numbers(tree) is None and supposed.is_added(sized):
            what = "a mask of 1 (keep) and 0 (mask), found negative numbers"
            faults.add(f"{name}: expected {what}{self.setting.as_bias(name)}", self.places[name])
            return True
        return False

    def recipes(self) -> list[Recipe]:
        try:
            return self.lesson.recipes(self.setting)
        except Known:
            raise AttncalcError([]) from None
        except FormulaError as error:
            self.reject_arguments(set(self.lesson.steps))
            raise AttncalcError(self.fault(error)) from None

    def add(
        self, name: str, recipe: str | Sub, supplied: Tree | None, local: dict[str, Tree], produced: dict[str, Tree]
    ) -> str:
        """Add a step or an inner lesson, and return the name of its result."""
        if supplied is not None:
            tree = supplied
        elif isinstance(recipe, Sub):
            result = self.open(name, recipe, local, produced)
            local[name] = produced[STEP_PREFIX + name] = Name(result)
            inside = f"{self.dot}{name}."  # formulas can also use steps of the inner lesson, as in prefill.K_1
            local |= {step[len(self.dot) :]: Name(step) for step in self.builder.steps if step.startswith(inside)}
            return result
        else:
            tree = self.placed(recipe, local, produced)
            self.refuse_stretched(recipe, local, produced)
        folded = fold_sizes(self.builder, tree)
        where = self.places.get(name) or self.place_of(recipe)
        operand = self.place_of_given(folded) if where is self.place else None
        labels, given = self.setting.labels.get(name), supplied is not None
        self.builder.add_step(
            self.dot + name, folded, where, self.lesson.name, without_head(name), given, labels, operand=operand
        )
        return self.dot + name

    def refuse_stretched(self, recipe: str, local: dict[str, Tree], produced: dict[str, Tree]) -> None:
        """Raise AttncalcError if a recipe would broadcast an input or a supplied step over a larger matrix. Only inputs
        with a declared shape may be broadcast, such as biases.
        """
        for part in walk(parse(recipe)):
            if not isinstance(part, Binary) or part.operator not in ENTRYWISE:
                continue
            for small, large in ((part.left, part.right), (part.right, part.left)):
                bare = small.operand if isinstance(small, Transpose) else small
                if unparse(bare) in self.lesson.repeated:
                    continue
                is_free = isinstance(bare, Name) and self.has_free_shape(bare.name)
                try:
                    node, other = (self.builder.check(place(unparse(x), local, produced)) for x in (small, large))
                except (FormulaError, Known):  # the error of this formula is reported elsewhere
                    continue
                less, more = node.shape, other.shape
                if less == more or any(m not in (1, n) for m, n in zip(less, more, strict=True)):
                    continue
                is_divisor = part.operator == "/" and small is part.right
                are_alike = self.is_product(node) and (self.is_product(other) or self.is_given(other))
                if is_free or are_alike and not is_divisor and not (less == (1, 1) and part.operator == "*"):
                    message = (
                        f"{unparse(bare)}: expected {size(more)}, the size of {unparse(large)}, found {size(less)}"
                    )
                    raise AttncalcError(self.fault(FormulaError(message, about=unparse(bare))))

    def is_given(self, node: Node) -> bool:
        return isinstance(node, op.Ref) and isinstance(self.builder.find(node.written), Given)

    def is_product(self, node: Node) -> bool:
        """Return whether a matrix comes from a matrix product, a softmax or one-hot rows, perhaps with entrywise
        operations.
        """
        match node:
            case op.Ref():
                entry = self.builder.find(node.written)
                return isinstance(entry, Step) and self.is_product(entry.node)
            case op.Entrywise():
                return any(arg.shape == node.shape and self.is_product(arg) for arg in node.args)
            case op.Transpose() | op.Stack():
                return any(map(self.is_product, node.args))
        return isinstance(node, op.MatMul | op.Softmax | op.OneHot)

    def has_free_shape(self, name: str) -> bool:
        """Return whether the name is a supplied step, or an input with neither a declared shape nor a condition for its
        numbers.
        """
        source = self.lesson.input(name)
        return name in self.arguments and not self.is_own(name) or bool(source and not source.shape + source.demand)

    def place_of(self, recipe: str | Sub) -> Location:
        """Return the location for errors in a step with this formula.

        It is the location of the only option of the file in the formula, or else of the only argument, or else of the
        lesson.
        """
        used = [name for name in sorted(used_names(recipe)) if name in self.places]
        options = [name for name in used if self.lesson.option(name)]
        return self.places[(options or used)[0]] if len(options or used) == 1 else self.place

    def place_of_given(self, tree: Tree) -> Location | None:
        """Return the location of the last given in a formula, for errors in shapes; None if the formula has no
        given.
        """
        entries = [self.builder.find(part.name) for part in walk(tree) if isinstance(part, Name)]
        given = [entry.place for entry in entries if isinstance(entry, Given) and entry.place.line]
        return given[-1] if given else None

    def open(self, name: str, sub: Sub, local: dict[str, Tree], produced: dict[str, Tree]) -> str:
        arguments = self.inherited(sub)
        for key, value in sub.arguments.items():
            arguments[key] = self.placed(value, local, produced) if isinstance(value, str) else value
        return expand(self.builder, sub.lesson, arguments, {}, self.place, self.dot + name, inside=True)

    def placed(self, formula: str, local: dict[str, Tree], produced: dict[str, Tree]) -> Tree:
        """Return the formula of a recipe with arguments and steps inserted. Raises AttncalcError if an option is `none`
        but must be a number. Raises Undeclared for a name that the lesson does not declare.
        """
        for name in names(parse(formula)):
            if "." in name and not self.builder.broken.isdisjoint({self.dot + name, self.dot + name.partition(".")[0]}):
                raise AttncalcError([])
            if name not in local and name not in produced and name not in _TAKEN and self.lesson.input(name) is None:
                if self.lesson.option(name) and name in self.arguments:  # the argument is none
                    message = f"{name}: expected a number, found none; remove {name} to use the default"
                    raise AttncalcError(self.fault(FormulaError(message, about=name)))
                raise Undeclared(self.lesson, name)
        return place(formula, local, produced)

    def inherited(self, sub: Sub) -> dict[str, Tree]:
        """Return the inputs that an inner lesson inherits. Earlier prefixes have priority (`cross_W_Q` before `W_Q`),
        and so have arguments over givens.
        """
        prefixed = [
            name
            for name in (*self.arguments, *self.builder.names())
            if sub.lesson.is_prefixed(name) and self.hands_on(name)
        ]
        arguments: dict[str, Tree] = {name: self.arguments.get(name, Name(name)) for name in prefixed}
        for wanted in sub.lesson.inputs:
            for name in variants(wanted.name, wanted.numbered, self.setting, sub.prefixes):
                for outer in (before + name for before in sub.prefixes):
                    if self.hands_on(outer):
                        arguments[name] = self.arguments.get(outer, Name(outer))
                        break
                else:
                    if wanted.optional and not wanted.named:
                        arguments[name] = Name("none")
        return {name: tree for name, tree in arguments.items() if name not in sub.hidden}

    def hands_on(self, name: str) -> bool:
        """Return whether this lesson passes an input to an inner lesson, even if the input is `none`."""
        return self.lesson.input(name) is not None and (name in self.arguments or self.setting.has(name))

    def is_own(self, name: str) -> bool:
        """Return whether the lesson has an input or an option with this name. A step may have the same name."""
        return self.lesson.input(name) is not None or self.lesson.option(name) is not None

    def reject_arguments(self, produced: set[str]) -> None:
        self.unknown(produced).raise_any()

    def unknown(self, produced: set[str]) -> Diagnostics:
        """Return the errors for arguments that are neither inputs nor options nor steps."""
        declared = {*(i.name for i in self.lesson.inputs), *(o.name for o in self.lesson.options)}
        known = {*declared, *produced}
        faults = Diagnostics()
        for name in self.arguments:
            if not self.is_own(name) and name not in produced:
                near = replacement_hint(name, declared, unparse(self.arguments[name])) or did_you_mean(
                    name, sorted(known)
                )
                near = near or f"; attncalc lessons {self.lesson.name} lists them"
                faults.add(
                    f"{self.lesson.name} has no input, option or step called {shorten(name)!r}{near}",
                    self.places.get(name, Location()),
                )
        return faults

    def check_inputs(self, recipes: list[Recipe], supplied: dict[str, Tree]) -> None:
        faults = []
        for name, _ in recipes:
            if not self.prefix and name not in supplied and (name in self.builder.givens or name in self.builder.outer):
                other = (
                    "attention, which starts from Q, K and V"
                    if name in ("Q", "K", "V")
                    else f"{self.lesson.name}: {{{name}: {name}}}"
                )
                faults.append(
                    Diagnostic(
                        f"{name} is the name of a given and of a step of {self.lesson.name}; "
                        f"rename the given, or write {other}",
                        self.place,
                    )
                )
        faults = faults or [self.missing(name) for name in self.missing_inputs(recipes, supplied)]
        if faults:
            raise AttncalcError([*faults, *self.left_out()])

    def missing_inputs(self, recipes: list[Recipe], supplied: dict[str, Tree]) -> list[str]:
        produced = {name for name, _ in recipes}
        missing: dict[str, int] = {}  # the index of the input of each missing name
        for name, recipe in recipes:
            for used in sorted(used_names(recipe)) if name not in supplied else []:
                wanted = self.lesson.input(used)
                if used not in produced and wanted and not self.setting.has(used):
                    missing[used] = self.lesson.inputs.index(wanted)
        return sorted(missing, key=missing.__getitem__)

    def missing(self, name: str) -> Diagnostic:
        free = [known for known in self.builder.known() if not self.lesson.input(known)]
        near = did_you_mean(name, free)
        where = f"{self.prefix}: " if self.prefix else ""
        what = f"{near} Write" if near else f". Add {name} under given:, or write"
        message = f"{where}{self.lesson.name} needs {name}, but no given has this name{what} which given to use: "
        return Diagnostic(f"{message}{{{name}: ...}}", self.place)


def _with_declared_names(lesson: Lesson, arguments: dict[str, _Value]) -> dict[str, _Value]:
    """Return the arguments with the declared names of inputs and options. If a file uses both names, both are kept."""
    names_used = {name: lesson.declared_name(name) for name in arguments}
    return {name if names_used[name] in arguments else names_used[name]: value for name, value in arguments.items()}


def _otherwise_written(builder: PartBuilder, lesson: Lesson, arguments: dict[str, Tree]) -> dict[str, Tree]:
    """Return givens for inputs that the file spells differently, such as W_q or Wq for W_Q, if exactly one given
    fits.
    """
    spellings: dict[str, list[str]] = {}
    for given in (*builder.givens, *builder.outer):
        if lesson.input(given) or lesson.option(given) or given in lesson.steps:
            continue
        split = re.fullmatch(r"(.*?)_?(\d*)", given)
        before, number = split.groups() if split else (given, "")
        for wanted in lesson.inputs:
            name = wanted.name if fold(given) == fold(wanted.name) else f"{wanted.name}_{number}"
            fits = name == wanted.name or wanted.numbered and number and fold(before) == fold(wanted.name)
            if given in wanted.also:
                spellings.setdefault(wanted.name, []).append(given)
            elif fits and not wanted.named and (not wanted.optional or "_" in wanted.name):
                spellings.setdefault(name, []).append(given)
    return {
        name: Name(given[0])
        for name, given in spellings.items()
        if len(given) == 1 and name not in arguments and not builder.find_given(name)
    }
