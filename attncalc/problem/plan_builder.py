"""Builds a plan from names and trees, part by part: resolves names, and adds steps, lessons and pinned values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from math import ceil
from typing import NoReturn

from .. import limits
from ..arithmetic.budget import MOST_SECONDS, USUAL_BITS, Meter, work
from ..arithmetic.matrix_types import Rows, entries
from ..errors import (
    AttncalcError,
    Diagnostic,
    FormulaError,
    Location,
    OverBudget,
    did_you_mean,
    meant,
    shorten,
    size,
    warning_of,
)
from ..formula import operations as op
from ..formula.elaboration import NO_FUNCTION, canonical, check
from ..formula.functions import functions
from ..formula.parser import LONGEST_PROPOSED, RESERVED, is_name
from ..formula.syntax_errors import LATIN
from ..formula.syntax_tree import Binary, Call, Name, Number, Text, Tree, names, substitute, unparse, walk
from ..formula.typed_formula import Entry, Labels, Node
from ..lessons import LESSONS, fault_message
from ..lessons.lesson import without_head
from ..lessons.synonyms import LESSON_NAMES, OPTION_NAMES
from ..plan import Given, PartPlan, Plan, Step
from ..step_values import Values
from .error_recovery import Supposed
from .formula_sizes import Known


def as_lesson(tree: Tree) -> str:
    """Return `attention is a lesson; did you mean {attention: {Q: Q, K: K, V: V}}?` if a formula calls a lesson as a
    function. A call in a larger formula has no suggestion. Return an empty string for other formulas.
    """
    calls = [part for part in walk(tree) if isinstance(part, Call) and _lesson(part.function)]
    if not calls:
        return ""
    lesson = _lesson(calls[0].function)
    apart = f"; write a step with {{{lesson}: ...}}, and use the name of the step in this formula"
    form = _form(lesson, calls[0]) if calls == [tree] else apart
    return f"{shorten(calls[0].function)} is a lesson, not a function{form}"


def _lesson(function: str) -> str:
    """Return the lesson with the name of a function; an empty string for functions and unknown names."""
    return "" if function in functions() else function if function in LESSONS else LESSON_NAMES.get(function, "")


def _form(lesson: str, call: Call) -> str:
    """Return the suggestion of a lesson with the call's arguments, if each argument has a meaning in the lesson."""
    inputs = [source.name for source in LESSONS[lesson].inputs if not source.optional]
    forms = [[f"{name}: {_text(argument)}" for name, argument in zip(inputs, call.arguments, strict=False)]]
    for name, value in call.options:
        options = _options(lesson, name, value, call.function not in LESSONS)
        forms = [[*form, *([option] if option else [])] for form in forms for option in options]
    shown = [f"{{{lesson}: {{{', '.join(form)}}}}}" for form in forms]
    is_whole = len(call.arguments) == len(inputs) and not any(isinstance(a, Number) for a in call.arguments)
    fits = is_whole and shown and max(map(len, shown)) <= LONGEST_PROPOSED
    return meant(" or ".join(shown)) if fits else f": {{{lesson}: ...}}"


def _options(lesson: str, name: str, value: Tree, foreign: bool) -> list[str]:
    """Return an option of a call as an option of the lesson, with a text for each possible meaning.

    A text is empty if the option changes nothing. The list is empty if the option has no meaning. In a `foreign` call,
    scores are multiplied by `scale`, and a mask contains 0 and 1 or is added to the scores.
    """
    known, shown = LESSONS[lesson], _text(value)
    if shown == "none" or known.option(name) is None and shown in ("0", "0.0"):
        return [""]
    if foreign and name == "scale":
        match value:
            case Binary("/", Number("1"), divisor):
                return [f"scale: {unparse(divisor)}"]
        return [f"scale: {unparse(Binary('/', Number('1'), value))}"]
    if name == "attn_mask" and known.option("bias"):
        return [f"mask: {shown}", f"bias: {shown}"]
    if known.option(name) or known.input(name):
        return [f"{name}: {shown}"]
    other = OPTION_NAMES.get(name, "")
    if ":" in other:
        return [other] if shown == "1" else []
    return [f"{other}: {shown}"] if other else []


def _text(tree: Tree) -> str:
    return tree.value if isinstance(tree, Text) else unparse(tree)


SECONDS_SHOWN = 2e-5  # the time for writing an entry on a page
LONGEST_NAME = 100  # characters; longer names get no suggestion
EVERYTHING = "*"  # this element of `broken` means that no given could be read


class Budget:
    """The budget of a whole problem: the number of givens and steps, and the estimated seconds of work.

    Each step that is read spends the cost of its values at USUAL_BITS. The remaining seconds are for higher precision
    (`Plan.seconds`).
    """

    def __init__(self) -> None:
        self.steps = Meter(limits.STEPS.most)
        self.seconds = Meter(MOST_SECONDS)
        self.name, self.place = "", Location()

    @cached_property
    def trials(self) -> Budget:
        """A second budget, for steps that are read only for comparisons."""
        return Budget()

    def step(self, name: str, place: Location) -> None:
        """Count a given or a step. Raises OverBudget if a problem has too many."""
        self.name, self.place = name, place
        if not self.steps.take(1):
            self._stop(limits.STEPS.exceeded("more"))

    def spend(self, node: Node) -> None:
        """Count an operation. Raises OverBudget if a problem needs too much work."""
        self._take(work(node).seconds(USUAL_BITS))

    def attempt(self, node: Node) -> None:
        """Count an operation of a formula that is read only for a suggestion. Raises Known if the budget is used up."""
        if not self.seconds.take(work(node).planning):
            raise Known

    def show(self, node: Node) -> None:
        """Count the printed entries of a step. Raises OverBudget."""
        self._take(SECONDS_SHOWN * node.size)

    @property
    def left(self) -> tuple[float, float]:
        return self.steps.left, self.seconds.left

    def take(self, steps: float, seconds: float) -> None:
        """Count the cost of a part that reuses the steps of an earlier part."""
        self.steps.take(steps)
        self.seconds.take(seconds)

    def _take(self, seconds: float) -> None:
        if not self.seconds.take(seconds):
            spent = ceil(10 * (MOST_SECONDS - self.seconds.left)) / 10  # rounded up, to be above the limit
            self._stop(limits.SECONDS.exceeded(f"{spent:,.1f} s up to here"))

    def _stop(self, message: str) -> None:
        raise OverBudget(Diagnostic(f"{self.name}: {message}", self.place))


class Lookups:
    """All that a part has looked up outside its steps: names, used givens, and whether it has used numbers."""

    def __init__(self) -> None:
        self.names: dict[str, Given | Step | None] = {}
        self.used: set[str] = set()
        self.numbers = False

    def add(self, trial: Lookups) -> None:
        """Add the lookups of a trial. The formulas of a trial do not count as uses of givens."""
        self.names |= trial.names
        self.numbers |= trial.numbers


class PartBuilder:
    """Builds the plan of a part. `outer` contains the problem's givens, and `earlier` the steps of earlier parts, by
    `part.step`.
    """

    def __init__(
        self,
        name: str | None,
        outer: dict[str, Given],
        earlier: dict[str, Step],
        columns: bool,
        budget: Budget,
        used: set[str],
        matlab: bool = False,
    ):
        self.matlab = matlab
        self.plan = PartPlan(name)
        self.outer = outer
        self.earlier = earlier
        self.pins: dict[str, tuple[Node, Location]] = {}
        self.columns = columns
        self.budget = budget
        self.used = used  # the keys of the givens that formulas have used
        self.givens: dict[str, Given] = {}
        self.steps: dict[str, Step] = {}
        self.later: set[str] = set()
        self.lesson_at_top = ""  # the lesson of the part, while it is read; the steps under `steps:` are read later
        self.repeated: dict[str, int] = {}  # names of repeated formulas, and the number of their repetitions
        self.broken: set[str] = set()
        self.lookups = Lookups()
        self.values: Values | None = None  # the values of the steps that traces have requested
        self.answers: dict[tuple[str, int], int] = {}  # the requested integers, by step and row
        self.original: PartBuilder | None = None  # the builder with which a trial is compared
        self.warnings: list[Diagnostic] = []

    @cached_property
    def supposed(self) -> Supposed:
        """The suggestions for faulty steps, which most parts do not need."""
        from .lints import other_meanings  # imported here, because few parts need it

        supposed = Supposed(self, self.budget.attempt, other_meanings)
        known = (*self.outer.values(), *self.givens.values())
        supposed.one_dimensional |= {given.name: "" for given in known if given.nested}
        return supposed

    @property
    def formulas(self) -> list[tuple[str, Tree, Labels, Labels]]:
        """The names, formulas and labels of the steps."""
        return [(step.name, step.tree, step.rows, step.columns) for step in self.plan.steps]

    def trial(self, budget: Budget, original: PartBuilder | None = None) -> PartBuilder:
        """Return a builder with the same names, whose steps are only compared with the steps of `original`. They do not
        become steps of the part, and cause neither warnings nor uses of givens.
        """
        trial = PartBuilder(self.plan.name, self.outer, self.earlier, self.columns, budget, set())
        trial.pins, trial.givens, trial.steps, trial.later = self.pins, dict(self.givens), dict(self.steps), self.later
        trial.repeated, trial.broken = self.repeated, set(self.broken)
        trial.plan.steps += self.plan.steps
        trial.plan.lessons |= self.plan.lessons
        trial.original = original
        return trial

    # -- scope -------------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Given | Step | None:
        """Return the step of this part, the given of the part or of the problem, or the step of an earlier part with
        this name. Return None if the name is unknown.
        """
        if name in self.steps:
            return self.steps[name]
        entry = self.lookups.names[name] = self.givens.get(name) or self.outer.get(name) or self.earlier.get(name)
        return entry

    def with_results(self, tree: Tree) -> Tree:
        """Replace the name of a lesson in a formula by its last step: `head` by `head.Z`."""
        named = [
            name
            for name in names(tree)
            if name in self.plan.lessons and not self.is_broken(name) and self.find(name) is None
        ]
        return (
            substitute(tree, {name: Name(result) for name in named if (result := self.result(name))}) if named else tree
        )

    def result(self, lesson: str) -> str:
        """Return the last step of a lesson with this name in the part; an empty string if there is none."""
        return next((step for step in reversed(self.steps) if step.startswith(f"{lesson}.")), "")

    def find_given(self, name: str) -> bool:
        """Return whether a given or a step has this name, even if it is faulty."""
        return any(name in known for known in (self.givens, self.outer, self.steps, self.broken))

    def is_broken(self, name: str) -> bool:
        """Return whether an error was reported for this name, for its lesson, for the step of all heads, or for all
        givens.
        """
        return not self.broken.isdisjoint({EVERYTHING, name, name.split(".")[0], without_head(name)})

    def known(self) -> list[str]:
        """Return all names that a formula may use at this point of the file."""
        return [*self.steps, *self.givens, *self.outer, *self.earlier]

    def names(self) -> list[str]:
        """Return the names of all givens and steps, including faulty ones."""
        return [*self.known(), *sorted(self.broken)]

    def resolve(self, name: str, at: int) -> Node:
        """Return a reference to the given or step with this name. Raises FormulaError with a similar name for an
        unknown name, and Known for a name whose error was already reported.
        """
        if name in self.repeated and not self.is_broken(name):  # the given with this name is only the start value
            last = f"{shorten(name)}_{self.repeated[name]}"
            message = f"{shorten(name)} is a repeated step, with the values {shorten(name)}_1 to {last}"
            raise FormulaError(message, at, proposal=meant(last))
        entry = self.find(name)
        if entry is not None:
            if isinstance(entry, Given):
                self.used.add(entry.key)
                self.lookups.used.add(entry.key)
            return entry.reference(name, at)
        if self.is_broken(name):
            raise Known
        shown = shorten(name)
        if name == "e":  # no given or step is called e, so it is Euler's number
            raise FormulaError("e is not defined", at)
        if name.endswith("'") and self.find(base := name.rstrip("'")):
            is_transpose = (len(name) - len(base)) % 2  # in MATLAB, X'' is X
            hint = f"; the transpose is {shorten(base)}.T" if is_transpose else ""
            raise FormulaError(f"{shown} is not defined{hint}", at)
        if name == "none":
            message = (
                "`none` can only be the value of an option; an index [None] adds a dimension, "
                "but matrices have only two dimensions"
            )
            raise FormulaError(message, at)
        if name in self.later and self.lesson_at_top:
            moved = f"{{{self.lesson_at_top}: {{...}}}}"
            message = f"{shown} is not defined yet, because a lesson at the top comes before all steps"
            raise FormulaError(f"{message}; write it as a named step after {shown}, such as result: {moved}", at)
        if name in self.later:
            raise FormulaError(f"{shown} is not defined yet; a formula can use only earlier givens and steps", at)
        if name.split(".")[0] in {"np", "torch", "math"}:
            raise FormulaError(
                f"{shown}: a formula can use only the functions of attncalc, such as exp, sqrt and softmax; "
                f"remove the name of the module",
                at,
            )
        if name in functions():
            raise FormulaError(f"{shown} is a function; write {functions()[name].signature}", at)
        pieces = name.split(".")
        if len(pieces) == 2 and all(map(self.find, pieces)):
            raise FormulaError(f"{shown} is not defined", at, proposal=meant(" @ ".join(pieces)))
        from .suggestions import WIDTHS, respelled  # imported here, because only an error needs it

        near = next((meant(spelling) for spelling in respelled(name) if self.find(spelling)), "")
        near = near or ("" if name in WIDTHS else did_you_mean(name, self.known()))
        raise FormulaError(f"{shown} is not defined", at, proposal=near)

    def numbers(self, tree: Tree) -> Sequence[Sequence[Entry]] | None:
        """Return the entries of a formula if they are numbers in the file, otherwise None."""
        entry = self.find(tree.name) if isinstance(tree, Name) else None
        try:
            node = entry.node if entry else self.check(tree)
        except (Known, FormulaError):
            return None
        if isinstance(node, op.Literal):
            self.lookups.numbers |= entry is not None and node.static is None
            return node.entries
        return None if node.static is None else [[node.static]]

    def check(self, tree: Tree, typed: bool = False) -> Node:
        """Return a formula with checked shapes. Raises FormulaError if the shapes do not fit."""
        return check(tree, self.resolve, self.budget.spend, typed)

    # -- givens and steps ----------------------------------------------------------------------------------------------

    def add_given(self, given: Given) -> None:
        """Add a given that only this part uses."""
        self.givens[given.name] = given
        if given.nested and given.node.shape[0] == 1:
            self.supposed.one_dimensional[given.name] = ""
        self.note_look_alike(given.name, given.place)
        self.plan.givens.append(given)

    def add_step(
        self,
        name: str,
        tree: Tree,
        place: Location,
        lesson: str | None = None,
        base: str = "",
        given: bool = False,
        labels: tuple[Labels, Labels] | None = None,
        means: str = "",
        operand: Location | None = None,
    ) -> None:
        """Add a step. If there is an error, the name is marked as faulty, so that later steps cause no further errors.
        An error in the formula is reported at `operand`, if given.
        """
        where = place
        if lesson is None:
            tree = self.with_results(tree)
        try:
            self.budget.step(name, place)
            self._name_is_free(name, tree, place)
            where = operand or place
            node = self.check(tree, typed=lesson is None)
            self.budget.show(node)
            if labels is not None:
                node.rows, node.columns = (
                    inherited if stated is None else stated or None
                    for stated, inherited in zip(labels, (node.rows, node.columns), strict=True)
                )
            tree = canonical(tree)
            if name in self.pins:
                node, given = self._pinned(name, node), True
        except Known:
            from .lints import doubts  # imported here, because few parts need it

            self.broken.add(name)
            if lesson is None and (behind := self.supposed.behind(name, tree, doubts)):
                raise behind.of(name, place.shifted(behind.at)) from None
            return
        except FormulaError as error:
            if lesson is None:
                error = self.supposed.proposed(name, tree, error)
            elif not given:  # a formula that the author cannot change
                error = type(error)(error.description, error.at)
            self.broken.add(name)
            where = where if lesson else place.shifted(error.at)
            raise error.of(name, where, _with_where(error, tree, lesson, base)) from None
        except AttncalcError:
            self.broken.add(name)
            raise
        if lesson is None:
            from .lints import warnings  # imported here, because only the author's steps need it
            from .names_and_labels import mislabelled

            self.warn(name, place, [*warnings(name, tree, self.supposed), *mislabelled(node)])
            self.note_look_alike(name, place)
        key = f"{self.plan.name}.{name}" if self.plan.name else name
        step = Step(key, name, self.plan.name, tree, unparse(tree), node, given, lesson, base or name, place, means)
        self.steps[name] = step
        self.plan.steps.append(step)

    def omit_result_labels(self, first: int) -> None:
        """Omit labels in the answer forms of the steps from index `first`, because they depend on results. Labels that
        givens or earlier steps also have are kept.
        """
        earlier = [*self.outer.values(), *self.givens.values(), *self.plan.steps[:first]]
        known = {labels for entry in earlier for labels in (entry.rows, entry.columns)}
        for step in self.plan.steps[first:]:
            step.omits_rows, step.omits_columns = step.rows not in known, step.columns not in known

    @cached_property
    def latin(self) -> dict[str, str]:
        """The names of the file, by their spelling with only Latin letters."""
        return {name.translate(LATIN): name for name in self.known()}

    def note_look_alike(self, name: str, place: Location) -> None:
        """Warn about a name that looks like another name, such as A with a Greek letter."""
        near = self.latin.setdefault(name.translate(LATIN), name)
        if near != name:
            letter = next(a if b.isascii() else b for a, b in zip(name, near, strict=True) if a != b)
            text = (
                f"this name looks like {near}, but one of the two names contains the Greek letter {letter}; "
                f"attncalc treats them as different names"
            )
            self.warn(name, place, [text])

    def warn(self, name: str, place: Location, texts: list[str]) -> None:
        """Add warnings about a step."""
        self.warnings += [warning_of(name, text, place) for text in texts]

    def _name_is_free(self, name: str, tree: Tree, place: Location) -> None:
        """Raise AttncalcError for a step whose name already has another meaning."""

        def refuse(reason: str) -> NoReturn:
            raise FormulaError(reason).of(name, place)

        if name in self.steps:
            refuse("an earlier step has this name; choose a different name for the step")
        lesson = name.partition(".")[0]
        if lesson != name and any(earlier.startswith(f"{lesson}.") for earlier in self.earlier):
            if lesson in self.broken:
                raise Known
            self.broken.add(lesson)
            refuse(
                f"an earlier part called {lesson} has steps with the same names; choose a different name for the lesson"
            )
        clash = self.givens.get(name) or self.outer.get(name)
        if clash and not (isinstance(tree, Name) and tree.name == name):
            refuse("a given already has this name; choose a different name for the step")
        if name == "T" and self.plan.name in self.outer:
            refuse(f"{self.plan.name}.T is the transpose of a given; choose a different name for the step")

    def _pinned(self, name: str, node: Node) -> Node:
        pinned, place = self.pins[name]
        if pinned.shape != node.shape:
            raise AttncalcError(
                f"pin: {name} is {size(node.shape)}, but the value under `pin:` is {size(pinned.shape)}", place
            )
        pinned.rows, pinned.columns = node.rows, node.columns
        return pinned

    def labels(self, tree: Tree) -> tuple[Labels, Labels]:
        """Return the labels of a formula's rows and columns."""
        node = self.check(tree)
        return node.rows, node.columns

    def whole_value(self, name: str, row: int = 0) -> int:
        """Return the integer in a row of a step, because the next step of a trace depends on it. A trial uses the
        integer of the original builder. Raises AttncalcError if the formulas of the trial are different.
        """
        self.lookups.numbers = True
        if name not in self.steps:
            raise AttncalcError([])
        if self.original is not None:
            if (
                self.original.formulas[: len(self.plan.steps)] != self.formulas
                or (name, row) not in self.original.answers
            ):
                raise AttncalcError([])
            return self.original.answers[name, row]
        before = PartPlan(None, list(dict.fromkeys(self.earlier.values())))
        plan = Plan([*self.outer.values(), *self.givens.values()], [before, self.plan], self.budget.seconds.left)
        self.values = Values(plan, before=self.values)
        answer = int(entries(self.values.enclosure(self.steps[name].key, 128))[row][0].numerator)
        self.answers[name, row] = answer
        return answer

    def enclosures(self, tree: Tree) -> Rows | None:
        """Return the certified entries of a formula over givens and earlier steps; None if the formula has an error or
        no value.
        """
        with suppress(Known, AttncalcError, FormulaError):
            node = self.check(tree)
            self.lookups.numbers |= node.static is None and bool(op.needed(node))
            step = Step("value of a formula", "", None, tree, "", node)  # a step in a file cannot have this key
            parts = [PartPlan(None, list(dict.fromkeys(self.earlier.values()))), self.plan, PartPlan(None, [step])]
            plan = Plan([*self.outer.values(), *self.givens.values()], parts, self.budget.seconds.left)
            return entries(Values(plan).enclosure(step.key, USUAL_BITS))
        return None


def _with_where(error: FormulaError, tree: Tree, lesson: str | None, base: str) -> str:
    called = as_lesson(tree) if error.message.startswith(NO_FUNCTION) else ""
    return called or fault_message(error, lesson, base)


def name_fault(name: str, what: str) -> str | None:
    """Return the reason why a given, a step or a part cannot have this name; None if the name is valid."""
    if is_name(name):
        return None
    if name in RESERVED:
        return f"{name} is a constant; choose a different name for this {what}"
    if name == "lambda":
        return f"lambda is a Python keyword; call this {what} λ or lam"
    before, sign, formula = name.partition("=")
    if sign and is_name(before.strip()) and formula.strip():
        return f"expected a colon after the name, found an equals sign{meant(f'{before.strip()}: {formula.strip()}')}"
    hint = f"; you can use {near}" if is_name(near := near_name(name)) else ""
    has = "may contain only letters (ASCII or Greek), digits, underscores and primes, and must not be a Python keyword"
    return f"a {what}'s name {has}; found {shorten(name)!r}{hint}"


def near_name(name: str) -> str:
    """Return a similar valid name: `W_2Q` for `W₂Q`, `d_model` for `d-model`, `φ` for `ϕ`."""
    from ..formula.compat.paper_notation import without_accents  # imported here, because most names are valid

    if len(name) > LONGEST_NAME:
        return ""
    for plain in (re.sub(r"([₀-₉ₐ-ₜ]+)", r"_\1", name), name):
        ascii_name = re.sub(r"[^\w']+", "_", unicodedata.normalize("NFKC", without_accents(plain))).strip("_")
        ascii_name = re.sub("_+", "_", ascii_name)
        if is_name(ascii_name):
            return ascii_name
    return ""
