"""Steps that are written as mappings in the file.

A step can have a description: `S: {formula: Q @ K.T, means: the scores}`. A step can be repeated: `x: {formula: (x + 2
/ x) / 2, repeat: 3}` gives x_1, x_2 and x_3, and each is computed from the previous x.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ... import limits
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, shorten
from ...formula.parser import is_name
from ...formula.syntax_tree import Binary, Index, Name, Number, Tree, rewrite, unparse, walk, whole
from ..plan_builder import PartBuilder, name_fault
from ..yaml_file.nodes import Mapping, Scalar, Yaml, kind, text_at
from .formulas import read_formula

MOST_TURNS = limits.TURNS.most
KEYS = ("formula", "means", "steps", "repeat", "counter")
WORDED = ("formula", "means")


class Line(NamedTuple):
    """A repeated formula: its name without a number, its tree, its location, its text and its description."""

    name: str
    tree: Tree
    place: Location
    text: str
    means: str


class Repeated(NamedTuple):
    """Formulas that are repeated together, `turns` times. `counter` is the name of the repetition's number, from 1."""

    lines: list[Line]
    turns: int
    counter: str

    @property
    def names(self) -> set[str]:
        return {line.name for line in self.lines}

    def turn(self, k: int, builder: PartBuilder) -> list[Line]:
        """Return the steps of repetition k.

        The name of an earlier line means its value in this repetition. The name of this line or of a later line means
        its value in the previous repetition. Raises AttncalcError if the first repetition has no start value.
        """
        unrolled: list[Line] = []
        for line in self.lines:
            now = {earlier.name for earlier in self.lines[: len(unrolled)]}

            def change(part: Tree, line: Line = line, now: set[str] = now) -> Tree | None:
                match part:
                    case Binary("+" | "-" as sign, Name(self.counter), Number(text)) if text.isdecimal():
                        return whole(k + int(text) if sign == "+" else k - int(text), part.at)
                    case Name(self.counter):
                        return whole(k, part.at)
                if not isinstance(part, Name) or part.name not in self.names:
                    return None
                if part.name in now:
                    return Name(f"{part.name}_{k}", part.at)
                return Name(f"{part.name}_{k - 1}" if k > 1 else start(part, line, builder), part.at)

            unrolled.append(line._replace(name=f"{line.name}_{k}", tree=rewrite(line.tree, change)))
        return unrolled

    @property
    def counter_warnings(self) -> dict[str, list[str]]:
        """The warnings about `A[t]` with the counter t, by line. The counter counts from 1, but indices count from
        0.
        """
        counter, first = Name(self.counter), Binary("-", Name(self.counter), Number("1"))
        indices = {line.name: [part for part in walk(line.tree) if isinstance(part, Index)] for line in self.lines}
        before = {part.operand for parts in indices.values() for part in parts if first in (part.rows, part.columns)}
        warnings: dict[str, list[str]] = {}
        for name, parts in indices.items():
            for part in parts if self.counter else ():
                if counter in (part.rows, part.columns) and part.operand not in before and name not in warnings:
                    meant = unparse(rewrite(part, lambda item: first if item == counter else None))
                    operand = shorten(unparse(part.operand))
                    what = f"{self.counter} counts from 1, and the indices of {operand} count from 0"
                    warnings[name] = [f"{what}; to begin with the first entry, write {shorten(meant)}"]
        return warnings

    def as_typed(self, k: int, error: AttncalcError) -> list[Diagnostic]:
        """Return the errors of repetition k. Suggestions contain the names in the file. If there is a counter,
        suggestions are removed, because they would contain the number k instead of the counter.
        """
        typed = {f"{name}_{at}": name for name in self.names for at in (k, k - 1)}

        def change(fault: Diagnostic) -> Diagnostic:
            fault_text, before, proposal = fault.message.rpartition("; did you mean ")
            if not before:
                row = re.search(rf"(\w+)_{self.counter} is not defined$", fault.message) if self.counter else None
                hint = f"; for row {self.counter} of {row[1]}, write {row[1]}[{self.counter} - 1]" if row else ""
                return fault._replace(message=fault.message + hint)
            if self.counter:
                return fault._replace(message=fault_text)
            return fault._replace(
                message=fault_text + before + re.sub(r"[\w']+", lambda m: typed.get(m[0], m[0]), proposal)
            )

        return [change(fault) for fault in error.faults]


def start(part: Name, line: Line, builder: PartBuilder) -> str:
    """Return the name of the given or the earlier step with the start value: x_0, otherwise x. Raises AttncalcError if
    neither exists.
    """
    for name in (f"{part.name}_0", part.name):
        if builder.find(name) is not None:
            return name
        if builder.is_broken(name):
            raise AttncalcError([])
    shown = shorten(part.name)
    message = (
        f"{line.name}: expected a start value, a given or an earlier step called {shown}_0 or {shown}; found neither"
    )
    raise AttncalcError(message, line.place.shifted(part.at))


def is_repeated(value: Mapping) -> bool:
    """Return whether a mapping is a repeated step, not a lesson."""
    return any(key in value for key in ("repeat", "counter"))


def with_words(name: str, value: Yaml) -> tuple[Yaml, str]:
    """Return the formula and the description of a step such as `{formula: Q @ K.T, means: the scores}`. Return any
    other node unchanged, without a description. Raises AttncalcError if the description is not a text.
    """
    if not isinstance(value, Mapping) or not {*value.pairs} & {*WORDED}:
        return value, ""
    faults = Diagnostics()
    value.reject_unknown(list(WORDED), f"the step {name}", faults)
    means, formula = text_at(value, "means", faults), value.get("formula")
    if formula is None:
        faults.add(f"{name}: expected the keys `formula:` and `means:`, found only `means:`", value.place)
    faults.raise_any()
    assert formula is not None
    return formula, means


def read_repeated(key: Scalar, value: Mapping, builder: PartBuilder) -> Repeated:
    """Read the mapping of a repeated step. Raises AttncalcError with all errors."""
    faults = Diagnostics()
    value.reject_unknown(list(KEYS), "a step that repeats", faults)
    steps, formula = value.get("steps"), value.get("formula")
    pairs = {word: value.pairs[word] for word in WORDED if word in value}
    given: list[tuple[Scalar, Yaml]] = [(key, Mapping(pairs, value.place))] if formula is not None else []
    if (steps is None) == (formula is None):
        faults.add(
            f"{key.text}: expected one of the keys formula: and steps:, found {'both' if steps else 'neither'}",
            value.place,
        )
    elif isinstance(steps, Mapping) and steps.pairs:
        given = list(steps.items())
    elif steps is not None:
        faults.add(f"{key.text}: expected a mapping from names to formulas, found {kind(steps)}", steps.place)
    lines = [line for name, value_node in given if (line := _line(name, value_node, builder, faults))]
    counter = value.get("counter")
    repeated = Repeated(lines, _turns(key, value, faults), counter.text if isinstance(counter, Scalar) else "")
    taken = builder.find(repeated.counter) is not None or repeated.counter in {name.text for name, _ in given}
    if counter is not None and (taken or not is_name(repeated.counter)):
        message = f"counter: expected a name that the problem does not use yet, found {kind(counter)}"
        faults.add(f"{key.text}: {message}", counter.place)
    if faults.faults:
        builder.broken |= {key.text, *(name.text for name, _ in given)}
    faults.raise_any()
    return repeated


def _line(name: Scalar, value: Yaml, builder: PartBuilder, faults: Diagnostics) -> Line | None:
    if fault := name_fault(name.text, "step"):
        faults.add(fault, name.place)
        return None
    try:
        value, means = with_words(name.text, value)
        tree = read_formula(value, name.text, builder.supposed.readings, builder.supposed.module_names)
    except AttncalcError as error:
        faults.extend(error)
        return None
    text, place = (value.text, value.inside) if isinstance(value, Scalar) else ("", value.place)
    return Line(name.text, tree, place, text, means)


def _turns(key: Scalar, value: Mapping, faults: Diagnostics) -> int:
    count = value.get("repeat")
    text = count.text if isinstance(count, Scalar) else ""
    if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= MOST_TURNS:
        return int(text)
    if text.isdecimal() and int(text[:10]) > MOST_TURNS and count is not None:
        faults.add(f"{key.text}: repeat: {limits.TURNS.exceeded(shorten(text))}", count.place)
        return 0
    typed = "nothing" if count is None else kind(count)
    place = value.place if count is None else count.place
    faults.add(f"{key.text}: repeat: expected a whole number from 1 to {MOST_TURNS}, found {typed}", place)
    return 0
