"""Reads a problem file into a checked Problem, or reports every error with its line and column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import le, sub
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .. import limits
from ..arithmetic.budget import MOST_SECONDS
from ..arithmetic.rounding import Rounding
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, counted, did_you_mean, shorten, warn
from ..formula import operations as op
from ..formula.compat.library_calls import ALIASES
from ..formula.functions import functions
from ..formula.parser import once
from ..formula.syntax_tree import Name, Number, Text, Tree
from ..lessons import LESSONS
from ..lessons.lesson import Lesson, Option, without_head
from ..lessons.synonyms import lesson_hint
from ..plan import Convention, Given, Plan, Step
from .file_kinds import refuse_large, refuse_others
from .formula_sizes import Known
from .lesson_expansion import expand
from .plan_builder import Budget, Lookups, PartBuilder, name_fault, near_name
from .problem import Part, Problem, Rubric
from .schema_keys import KEYS
from .sections.asked import (
    read_alternatives,
    read_asked,
    read_codes,
    read_pins,
    read_points,
    read_rounding,
    read_rubric,
    scalar_text,
    word_under,
    words_under,
)
from .sections.formulas import is_of_matlab, read_argument, read_formula, supposed_formula
from .sections.givens import read_givens
from .sections.repeated_steps import is_repeated, read_repeated, with_words
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind, text_at
from .yaml_file.yaml_reader import read_yaml

if TYPE_CHECKING:
    from .random_givens import Draws, Relation

EXAMPLE = (
    "warning: this problem has random numbers (draw:), and attncalc shows one example; "
    "`attncalc generate FILE` writes more"
)


def read_problem(data: bytes | str, source: str, name: str, quiet: bool = False) -> Problem:
    """Return the problem of a YAML text. With `quiet`, no warnings are sent. Raises AttncalcError with all errors."""
    faults = Diagnostics()
    refuse_large(data, "problem", source)
    return build_problem(read_yaml(data, source, faults), source, name, faults, quiet)


def build_problem(
    tree: Yaml, source: str, name: str, faults: Diagnostics | None = None, quiet: bool = False
) -> Problem:
    """Return the problem of a tree, which may come from a file or from Python data. `faults` contains the errors of the
    tree's reader. With `quiet`, no warnings are sent. Raises AttncalcError with all errors.
    """
    faults = faults or Diagnostics()
    if not isinstance(tree, Mapping):
        faults.add(f"expected a problem (a mapping with title:, given:, ...), found {kind(tree)}", tree.place)
        raise AttncalcError(faults.faults)
    refuse_others(tree, "problem")
    if "draw" in tree:
        from .random_givens import read_draws  # imported here, because few files have draws

        return _example(read_draws(tree, faults), source, name, faults, quiet)
    return Reader(tree, source, name, faults, quiet).problem()


EXAMPLES_SECONDS = 5 * MOST_SECONDS  # limit on the estimated work; the actual time is several times shorter


def _example(draws: Draws, source: str, name: str, faults: Diagnostics, quiet: bool) -> Problem:
    """Return the first drawn problem that meets the requirements of the file."""
    from .random_givens import check_relations

    unmet: list[Relation] = []
    seconds = 0.0  # estimated work so far
    for tree in draws.examples():
        problem = Reader(tree, source, name, faults, quiet=True).problem()
        check_relations(draws, problem.plan, faults)
        faults.raise_any()
        relation = draws.unmet(problem.plan)
        if relation is None:
            if not quiet:
                warn(problem.warnings)
            problem.draws = draws
            problem.warnings.append(Diagnostic(EXAMPLE, draws.place, code="drawn"))
            return problem
        unmet.append(relation)
        seconds += MOST_SECONDS - problem.plan.seconds
        if seconds > EXAMPLES_SECONDS:
            break
    worst = max(unmet, key=unmet.count)
    message = (
        f"demand: in {counted(len(unmet), 'attempt')}, no numbers met {shorten(worst.text)}; "
        f"change the entries, or write a condition "
        f"that is easier to meet"
    )
    raise AttncalcError(message, worst.place)


# -- sections and steps ------------------------------------------------------------------------------------------------


class Reader:
    """Reads the parts of a problem: givens, lessons and steps. Each error has its location."""

    def __init__(self, tree: Mapping, source: str, name: str, faults: Diagnostics, quiet: bool = False):
        self.faults = faults
        self.budget = Budget()
        self.used: set[str] = set()  # the keys of the givens that formulas use
        self.columns = False
        self.matlab = False  # whether a formula of the file is in MATLAB's notation
        self.broken: set[str] = set()  # givens, parts and steps whose errors were reported
        self.quiet = quiet  # whether no warnings are sent
        self.tree = tree
        self.source = source
        self.name = name
        self.givens: dict[str, Given] = {}
        self.earlier: dict[str, Step] = {}
        self.rounding = (Rounding(), "full", False)
        self.opened: list[Opened] = []
        self.warnings: list[Diagnostic] = []
        self.known = {*KEYS.at("problem", "part"), *LESSONS}

    def problem(self) -> Problem:
        """Return the whole problem. Raises AttncalcError with all errors."""
        one_part = "parts" not in self.tree
        known = sorted(self.known if one_part else KEYS.at("problem"))
        self.tree.reject_unknown(known, "a problem" if one_part else "a problem with parts:", self.faults, _meant)
        self.columns = word_under(self.tree, "vectors", ("rows", "columns"), "rows", self.faults) == "columns"
        if isinstance(meant := self.tree.get("givens"), Mapping) and "given" not in self.tree:
            self.faults.add(
                f"givens: expected rounded or exact, found {kind(meant)}; did you mean given:?", meant.place
            )
            pairs = {("given" if key == "givens" else key): pair for key, pair in self.tree.pairs.items()}
            self.tree = Mapping(pairs, self.tree.place)
        rounded = word_under(self.tree, "givens", ("rounded", "exact"), "exact", self.faults) == "rounded"
        if (version := self.tree.get("format")) is not None and scalar_text(version) != "1":
            self.faults.add(f"format: expected 1, found {kind(version)}", version.place)
        self.rounding = read_rounding(self.tree, self.faults)
        self.matlab = is_of_matlab(self.tree)
        outer = PartBuilder(None, {}, {}, self.columns, self.budget, self.used, self.matlab)
        read_givens(self.tree, outer, self.faults)
        self.givens, self.broken = outer.givens, outer.broken
        self.warnings += outer.warnings
        parts = self.parts(one_part)
        if not one_part:
            read_alternatives(self.tree, None, self.faults)
        if len(carries := {part.carry for part in parts}) > 1:
            self.faults.add(
                f"carry: expected the same value in all parts, found {' and '.join(sorted(carries))}", self.tree.place
            )
        problem = Problem(
            self.name,
            text_at(self.tree, "title", self.faults) or self.name,
            Plan(list(self.givens.values()), [part.plan for part in parts], self.budget.seconds.left),
            parts,
            self.columns,
            rounded,
            "" if one_part else text_at(self.tree, "ask", self.faults),
            text_at(self.tree, "note", self.faults),
            text_at(self.tree, "source", self.faults),
            text_at(self.tree, "license", self.faults),
            words_under(self.tree, "tags", self.faults),
            read_codes(self.tree),
        )
        if self.warnings:
            from .dimensions import merged  # imported here, because few files have warnings

            self.warnings = merged(self.warnings)
        if self.faults.faults:  # warnings are reported too, so that authors can correct everything after one run
            self.faults.faults += self.warnings
        self.faults.raise_any()
        givens = [*problem.plan.givens, *(given for part in problem.plan.parts for given in part.givens)]
        errors, problem.warnings = unused_givens(givens, self.used, self.opened)
        problem.warnings += self.warnings
        self.faults.faults += errors
        self.faults.raise_any()
        if not self.quiet:
            warn(problem.warnings)
        return problem

    def parts(self, one_part: bool) -> list[Part]:
        """Return all parts, in order."""
        if one_part:
            part = self.part(None, self.tree)
            return [part] if part else []
        node = self.tree.get("parts")
        if not isinstance(node, Mapping) or not node.pairs:
            typed = f", found {kind(node)}" if node else ""
            self.faults.add(
                f"parts: expected a mapping from part names to parts{typed}", node.place if node else self.tree.place
            )
            return []
        if len(node.pairs) > limits.PARTS.most:
            self.faults.add(limits.PARTS.exceeded(len(node.pairs)), node.place)
            return []
        parts = []
        for key, body in node.items():
            if fault := name_fault(key.text, "part"):
                self.faults.add(fault, key.place)
            if not isinstance(body, Mapping):
                self.broken.add(key.text)
                self.faults.add(
                    f"expected a part (a mapping with ask:, a lesson or steps:), found {kind(body)}", body.place
                )
            elif part := self.part(key.text, body):
                parts.append(part)
        return parts

    # -- one part ------------------------------------------------------------------------------------------------------

    def part(self, name: str | None, body: Mapping) -> Part | None:
        """Return a part with its givens and steps; None if it has an error."""
        if name is not None:
            body.reject_unknown(KEYS.at("part") + list(LESSONS), "a part", self.faults, _meant)
        builder = PartBuilder(name, self.givens, self.earlier, self.columns, self.budget, self.used, self.matlab)
        builder.broken |= self.broken
        if name is not None:
            read_givens(body, builder, self.faults)
        builder.pins = read_pins(body, builder, self.faults)
        sound = self.read_work(body, builder)
        self.warnings += builder.warnings
        if name is not None:
            self.earlier |= {f"{name}.{step.name}": step for step in builder.steps.values()}
            self.broken |= {f"{name}.{broken}" for broken in builder.broken - self.broken}
        if sound:
            for pinned, (_, place) in builder.pins.items():
                if pinned not in builder.steps and not builder.is_broken(pinned):
                    self.faults.add(
                        f"pin: no step is called {shorten(pinned)!r}{did_you_mean(pinned, list(builder.steps))}", place
                    )
        rounding, carry, stated = (
            read_rounding(body, self.faults) if "rounding" in body and name is not None else self.rounding
        )
        if not stated:  # some lessons, such as a learning rate, need more decimals
            lesson_digits = max((LESSONS[lesson].digits for lesson in builder.plan.lessons.values()), default=0)
            rounding = Rounding(max(rounding.digits, lesson_digits), rounding.mode)
        return Part(
            name,
            builder.plan,
            text_at(body, "ask", self.faults),
            text_at(body, "title", self.faults) if name is not None else "",
            text_at(body, "note", self.faults) if name is not None else "",
            text_at(body, "source", self.faults) if name is not None else "",
            words_under(body, "tags", self.faults) if name is not None else [],
            read_asked(body, builder, sound, self.faults),
            "asked" in body,
            read_points(body, builder, sound, self.faults),
            rounding,
            carry,
            stated,
            read_codes(body),
            read_alternatives(body, builder, self.faults) if sound else {},
            self.rubric(name, body),
            text_at(body, "answer", self.faults),
        )

    def rubric(self, name: str | None, body: Mapping) -> Rubric:
        """Return the rubric of a part. If the part has none, return the rubric of the file."""
        if name is None or "rubric" not in body:
            return read_rubric(body if name is None else self.tree, self.faults)
        return read_rubric(body, self.faults, read_rubric(self.tree, Diagnostics()))

    def read_work(self, body: Mapping, builder: PartBuilder) -> bool:
        """Read the lesson and the steps of a part, or reuse the steps of an equal part. Return False if attncalc cannot
        know all steps that the author wants.
        """
        if self.faults.faults or builder.broken or builder.pins:
            return self.work(body, builder)
        work = [(key, value) for key, value in body.items() if key.text in LESSONS or key.text == "steps"]
        reading = PartMemo(work, builder, self.opened)
        if reading.before:
            reading.take_over(reading.before)
            return True
        sound = self.work(body, builder)
        if sound and not self.faults.faults:
            reading.remember()
        return sound

    def work(self, body: Mapping, builder: PartBuilder) -> bool:
        """Read the lesson of a part, then its steps."""
        lessons = [(key, value) for key, value in body.items() if key.text in LESSONS]
        steps = body.get("steps")
        if not lessons and steps is None:
            others = [key.text for key, _ in body.items() if key.text not in KEYS.at("problem", "part")]
            if any(did_you_mean(name, list(LESSONS)) or _meant(name) for name in others):
                return False  # a misspelled lesson was already reported
            where = body.place if builder.plan.name else self.tree.place
            self.faults.add("expected a lesson (such as self_attention:) or steps:, found neither", where)
            return False
        if isinstance(steps, Mapping):
            builder.later = {key.text for key, _ in steps.items()}
        for key, _ in lessons[1:]:
            self.faults.add(
                f"a part can have only one lesson at the top; write {key.text} as a named step under steps:", key.place
            )
        for key, value in lessons[:1]:
            builder.lesson_at_top = key.text
            self.guarded(partial(self.read_lesson, key, value, builder))
            builder.lesson_at_top = ""
        if steps is not None and not isinstance(steps, Mapping):
            self.faults.add(
                f"steps: expected a mapping from names to formulas, found {kind(steps)}{_as_step(steps)}", steps.place
            )
            return False
        for key, value in steps.items() if steps else ():
            self.guarded(partial(self.read_step, key, value, builder))
            builder.later.discard(key.text)
        return len(lessons) < 2 and all(key.text in self.known for key, _ in body.items())

    def guarded(self, action: Callable[[], object]) -> None:
        """Run an action. If it raises AttncalcError, add the errors to `faults`."""
        try:
            action()
        except AttncalcError as error:
            self.faults.extend(error)

    def read_step(self, key: Scalar, value: Yaml, builder: PartBuilder) -> None:
        """Add a step of the file: a formula, a repeated step, or a lesson with a name."""
        if fault := name_fault(key.text, "step"):
            near = near_name(key.text)
            builder.broken |= {key.text, near}
            if isinstance(value, Scalar):
                builder.supposed.suppose(near, supposed_formula(value, near, builder.supposed.readings))
            raise AttncalcError(fault, key.place)
        if isinstance(value, Mapping) and is_repeated(value):
            self.read_turns(key, value, builder)
            return
        try:
            value, means = with_words(key.text, value)
        except AttncalcError:
            builder.broken.add(key.text)
            raise
        if isinstance(value, Mapping):
            lessons = [(k, v) for k, v in value.items() if k.text in LESSONS]
            if len(value.pairs) != 1 or not lessons:
                builder.broken.add(key.text)
                name = next(iter(value.pairs), "")
                near = "" if lessons else lesson_hint(name, LESSONS) or did_you_mean(name, list(LESSONS))
                mapping = f"{kind(value)} with {shorten(', '.join(value.pairs))!r}" if value.pairs else kind(value)
                raise AttncalcError(f"{key.text}: expected a formula or one lesson, found {mapping}{near}", value.place)
            self.read_lesson(*lessons[0], builder, prefix=key.text)
            return
        readings = once(builder.supposed.readings)
        try:
            tree = read_formula(value, key.text, readings, builder.supposed.module_names)
        except AttncalcError as error:
            builder.broken.add(key.text)
            meant = supposed_formula(value, key.text, readings)
            builder.supposed.suppose(key.text, meant)
            undefined = builder.supposed.undefined(meant) if meant is not None else None
            undefined_faults = [Diagnostic(f"{key.text}: {undefined.message}", value.place)] if undefined else []
            raise AttncalcError([*error.faults, *undefined_faults]) from None
        from .lints import listed, typed  # imported here, because lessons do not need it

        builder.add_step(key.text, tree, value.inside if isinstance(value, Scalar) else value.place, means=means)
        if isinstance(value, Sequence):
            builder.warn(key.text, value.place, listed(key.text, tree, builder.supposed))
        elif isinstance(value, Scalar):
            builder.warn(key.text, value.place, typed(key.text, tree, value.text, builder.supposed))

    def read_turns(self, key: Scalar, value: Mapping, builder: PartBuilder) -> None:
        """Add the steps of a repeated step, one repetition after another. Stop after a repetition with an error."""
        from .lints import typed

        repeated = read_repeated(key, value, builder)
        faults = Diagnostics()
        counter_warnings = repeated.counter_warnings
        for k in range(1, repeated.turns + 1):
            before = len(builder.warnings)
            try:
                turn = repeated.turn(k, builder)
            except AttncalcError as error:
                faults.extend(error)
                turn = []
            for line in turn:
                try:
                    builder.add_step(line.name, line.tree, line.place, means=line.means)
                    if line.text:
                        builder.warn(line.name, line.place, typed(line.name, line.tree, line.text, builder.supposed))
                        builder.warn(line.name, line.place, counter_warnings.get(line.name.rpartition("_")[0], []))
                except AttncalcError as error:
                    faults.extend(type(error)(repeated.as_typed(k, error)))
            if k > 1:  # the warnings of the first repetition apply to all
                del builder.warnings[before:]
            if faults.faults or not turn or any(line.name in builder.broken for line in turn):
                builder.broken |= repeated.names
                break
        builder.repeated |= dict.fromkeys(repeated.names, repeated.turns)
        faults.raise_any()

    def read_lesson(self, key: Scalar, value: Yaml, builder: PartBuilder, prefix: str = "") -> None:
        """Add the steps of a lesson. If there is an error, its steps are marked as faulty."""
        lesson = LESSONS[key.text]
        arguments: dict[str, Tree] = {}
        places: dict[str, Location] = {}
        faults = Diagnostics()
        if isinstance(value, Scalar) and not value.text:
            value = Mapping({}, value.place)
        if not isinstance(value, Mapping):
            self.break_lesson(lesson, builder, prefix)
            raise AttncalcError(
                f"{lesson.name}: expected a mapping of inputs and options ({{}} if there are none), "
                f"found {kind(value)}",
                value.place,
            )
        for name, argument in value.items():
            places[name.text] = argument.inside if isinstance(argument, Scalar) else argument.place
            option = lesson.option(name.text)
            try:
                word = option is not None and option.kind in ("word", "text")
                tree = read_argument(name, argument, word, builder.supposed.readings, builder.supposed.module_names)
                arguments[name.text] = builder.with_results(tree)
                if isinstance(argument, Scalar) and not isinstance(tree, Name | Text | Number):
                    from .lints import typed  # imported here, because most arguments are names

                    called = f"{prefix or lesson.name}: {name.text}"
                    builder.warn(called, argument.place, typed(called, tree, argument.text, builder.supposed))
            except AttncalcError as error:
                if option or lesson.input(name.text) or name.text in lesson.steps:
                    faults.extend(error)
                else:  # the error about the unknown argument is enough
                    arguments[name.text] = Name("none")
        self.opened.append(Opened(lesson, builder.plan.name, arguments))
        try:
            faults.raise_any()
            expand(builder, lesson, arguments, places, key.place, prefix)
        except AttncalcError:
            self.break_lesson(lesson, builder, prefix)
            raise
        except Known:  # the error of an input was already reported
            self.break_lesson(lesson, builder, prefix)

    def break_lesson(self, lesson: Lesson, builder: PartBuilder, prefix: str) -> None:
        """Mark the steps of a faulty lesson as faulty, so that formulas that use them cause no further errors."""
        builder.broken |= {prefix} if prefix else {without_head(step) for step in lesson.steps}


def _as_step(steps: Yaml) -> str:
    """Return `; did you mean A: softmax(S)?` if the author wrote the first step as A = softmax(S)."""
    items = steps.items if isinstance(steps, Sequence) else [steps]
    text = items[0].text[:500] if items and isinstance(items[0], Scalar) else ""
    match = re.match(r"\s*([^\s=]+)\s*=\s*(.+?)(?=\s+[^\s=]+\s*=[^=]|$)", text)
    return f"; did you mean {shorten(match[1])}: {shorten(match[2])}?" if match else ""


def _meant(key: str) -> str:
    """Return a suggestion for an unknown key: the name of a lesson, a step that calls this function, or another place
    in the file for this key.
    """
    if key in KEYS.at("problem") and key not in KEYS.at("part"):
        return f"; write {key}: at the top of the file, next to parts:"
    if LESSONS["self_attention"].option(key):
        in_formulas = "; to mask scores in a formula, write keep(S, causal(n, m))" if key == "mask" else ""
        return f"; {key} is an option of a lesson; write self_attention: {{{key}: ...}}{in_formulas}"
    if key in functions() or key in ALIASES:
        name = ALIASES.get(key, key)
        return f"; {name} is a function for formulas; write steps: {{A: {functions()[name].signature}}}"
    return lesson_hint(key, LESSONS)


# -- parts with equal steps --------------------------------------------------------------------------------------------


MOST_STEPS = 2_000  # the total number of stored steps

Work: TypeAlias = list[tuple[Scalar, Yaml]]  # the nodes of a part's lesson and steps
Look: TypeAlias = tuple[object, ...] | None


class StoredPart(NamedTuple):
    """The stored result of a part. `looks` contains the properties of the givens and earlier steps that the part looked
    up.
    """

    looks: dict[str, Look]
    steps: list[Step]
    conventions: list[Convention]
    lessons: dict[str, str]
    opened: list[Opened]
    used: set[str]
    cost: tuple[float, float]


class PartMemo:
    """Reuses the steps of an earlier part for a part with the same text and the same shapes.

    `before` is the stored result of this earlier part, or None.

    Variants of an exam sheet differ in the numbers of matrices and in the labels of rows. The steps do not depend on
    these numbers, so they are read once for each set of labels. Three kinds of parts are not stored:

    - parts that depend on numbers (probabilities that must sum to 1, decoding to the end token)
    - parts with an error
    - parts with pinned values
    """

    def __init__(self, work: Work, builder: PartBuilder, opened: list[Opened]):
        self.work = work
        self.builder = builder
        self.opened = opened
        self.key = (
            builder.plan.name, builder.columns, tuple(builder.givens), tuple(builder.outer), tuple(builder.earlier),
            *map(_content, _nodes(work)),
        )  # fmt: skip
        self.before = next(filter(self.suits, _STORED.get(self.key, ())), None)
        self.began = builder.budget.left, len(opened)
        builder.lookups = Lookups()

    def suits(self, read: StoredPart) -> bool:
        """Return whether a stored result fits this part: its names have equal properties, and the budget is large
        enough.
        """
        find, left = self.builder.find, self.builder.budget.left
        return all(_look(find(name)) == seen for name, seen in read.looks.items()) and all(map(le, read.cost, left))

    def take_over(self, read: StoredPart) -> None:
        """Add the steps of a stored result to the builder, with their locations in this file."""
        builder = self.builder
        places = {(place.line, place.column): place for node in _nodes(self.work) for place in _places(node)}
        builder.plan.steps += [replace(step, place=places[step.place.line, step.place.column]) for step in read.steps]
        builder.steps |= {step.name: step for step in builder.plan.steps}
        builder.plan.conventions += read.conventions
        builder.plan.lessons |= read.lessons
        builder.used |= read.used
        builder.budget.take(*read.cost)
        self.opened += read.opened

    def remember(self) -> None:
        """Store the result of this part. A part with warnings is not stored, so that equal parts get their warnings
        too.
        """
        plan, asked, budget = self.builder.plan, self.builder.lookups, self.builder.budget
        if asked.numbers or self.builder.warnings or len(plan.steps) > MOST_STEPS:
            return
        looks = {name: _look(entry) for name, entry in asked.names.items()}
        steps, seconds = map(sub, self.began[0], budget.left)
        read = StoredPart(
            looks,
            plan.steps[:],
            plan.conventions[:],
            dict(plan.lessons),
            self.opened[self.began[1] :],
            asked.used,
            (steps, seconds),
        )
        _STORED.setdefault(self.key, []).append(read)
        while sum(len(part.steps) for part in chain(*_STORED.values())) > MOST_STEPS:
            del _STORED[next(iter(_STORED))]


_STORED: dict[tuple[object, ...], list[StoredPart]] = {}  # the stored results, by the content of parts


def _nodes(work: Work) -> Iterator[Yaml]:
    """Yield all nodes of a part's lesson and steps. The nodes in this order, with `_content`, determine the text."""
    stack: list[Yaml] = [node for pair in reversed(work) for node in reversed(pair)]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Sequence):
            stack += reversed(node.items)
        elif isinstance(node, Mapping):
            stack += [inner for pair in reversed(node.pairs.values()) for inner in reversed(pair)]


def _content(node: Yaml) -> tuple[object, ...]:
    """Return the text of a scalar, or the number of items of a list or mapping, and the location."""
    if isinstance(node, Scalar):
        return node.text, node.style, node.place.line, node.place.column
    count = len(node.items) if isinstance(node, Sequence) else len(node.pairs)
    return type(node), count, node.place.line, node.place.column


def _places(node: Yaml) -> list[Location]:
    return [node.place, node.inside] if isinstance(node, Scalar) else [node.place]


def _look(entry: Given | Step | None) -> Look:
    """Return the properties of a given or a step that other formulas depend on. Its numbers do not belong to them."""
    if entry is None:
        return None
    node = entry.node
    return (
        entry.key,
        type(entry),
        isinstance(entry, Given) and entry.nested,
        isinstance(node, op.Literal),
        node.shape,
        node.rows,
        node.columns,
        node.static,
        node.bits,
    )


# -- givens that nothing uses ------------------------------------------------------------------------------------------


_COUNTS_ALL = ("*",)  # marks a lesson of counts, which may not need every size, such as the number of heads


class Opened(NamedTuple):
    """A call of a lesson in the file: its part and its arguments."""

    lesson: Lesson
    part: str | None
    arguments: dict[str, Tree]


def unused_givens(
    givens: Iterable[Given], used: set[str], opened: Iterable[Opened]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the errors and the warnings about givens whose keys are not in `used`. An unused given is an error if a
    lesson has an option with its name, because the values of options never come from givens.
    """
    errors, warnings, calls = [], [], list(opened)
    for given in givens:
        if given.key in used:
            continue
        there = [call for call in calls if given.part in (None, call.part)]
        missed = next(
            (call for call in there if call.lesson.option(given.name) and given.name not in call.arguments), None
        )
        if missed:
            errors.append(Diagnostic(_as_option(missed.lesson, given), given.place))
        elif not any(call.lesson.counts == _COUNTS_ALL and call.lesson.input(given.name) for call in there):
            warnings.append(Diagnostic(_unused(given, there), given.place, code="unused-given"))
    return errors, warnings


def _as_option(lesson: Lesson, given: Given) -> str:
    option = lesson.option(given.name)
    assert option is not None
    return (
        f"{given.name} is an option of {lesson.name}, but a given cannot set an option; write {lesson.name}: "
        f"{{{given.name}: {_stated(option, given)}}}, or rename the given"
    )


def _stated(option: Option, given: Given) -> str:
    """Return the option's value for the suggestion: the name of the given, or the word or number in it."""
    if option.kind in ("formula", "mask"):
        return given.name
    text = given.texts[0][0] if given.texts and given.node.size == 1 else ""
    words = {"flag": ("true", "false"), "word": option.words}.get(option.kind)
    if words:
        return text if text in words else " or ".join(words)
    return shorten(text) or "..."


def _unused(given: Given, there: list[Opened]) -> str:
    lessons = [call.lesson for call in there]
    taking = next((lesson.name for lesson in lessons if (source := lesson.input(given.name)) and source.named), "")
    if taking:
        named = f"{given.name}: {given.name}"
        return f"warning: {taking} uses the given {given.name} only if you write {named}"
    known = [i.name for lesson in lessons for i in lesson.inputs] + [
        o.name for lesson in lessons for o in lesson.options
    ]
    near = did_you_mean(given.name, [name for name in dict.fromkeys(known) if name != given.name])
    return f"warning: no lesson and no step uses the given {shorten(given.name)}{near}"
