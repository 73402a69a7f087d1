"""The formulas of every lesson as patterns, drawn off the lessons themselves: what attncalc/mistakes/recognition/lesson_patterns.json holds.

    python -m tests.shapes      writes it anew

Each lesson is worked out on small problems, with every value of every option; of each step's formulas a pattern is
made, and equal ones are told once. In a pattern a step of the lesson stands by its name there, a given by its own, a
number that is not the same in all of them by `number`, and every row or column of a matrix by `part`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import yaml

from attncalc import AttncalcError, load
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import (
    Binary,
    Call,
    Index,
    Name,
    Negate,
    Number,
    Text,
    Transpose,
    Tree,
    substitute,
    unparse,
)
from attncalc.lessons import LESSONS
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.mistake import with_role_in
from attncalc.mistakes.recognition import lesson_patterns
from attncalc.mistakes.recognition.roles import recogniser_of
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.mistakes.tree_paths import head_operation, operands, signature
from attncalc.plan import Plan, Step
from attncalc.resources import mistake_examples, problem_file, problem_names
from tests.support.lesson_cases import CASES, needed, problem

FILE = Path(__file__).parents[1] / "attncalc" / "mistakes" / "recognition" / "lesson_patterns.json"
SMALL = ("0", "1", "2")  # numbers that belong to a formula, as the 1 of 1 - β
JOINS = ("hstack", "vstack")
Table = dict[str, dict]


def problems() -> Iterator[dict]:
    """Every lesson with every value of its options and without each input that it can do without, and the problems that
    come with attncalc.
    """
    for path in (*mistake_examples(), *(problem_file(name) for name in problem_names())):
        yield yaml.load(Path(path).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    for name, lesson in LESSONS.items():
        for more in (
            ({}, *({o.name: v} | needed(name, o.name, v) for o in lesson.options for v in o.documented_values))
            if name in CASES
            else ()
        ):
            yield problem(name, more)
        whole = problem(name) if name in CASES else {"given": {}}
        for left_out in {one.name for one in lesson.inputs if one.optional} & whole["given"].keys():
            yield whole | {"given": {key: value for key, value in whole["given"].items() if key != left_out}}


def plans() -> Iterator[tuple[dict, Plan]]:
    """The same, read; what a lesson refuses is left out."""
    for raw in problems():
        try:
            yield raw, load(raw).plan
        except AttncalcError:
            continue


def family(step: Step) -> str:
    return f"{step.part}:{step.name.rpartition('.')[0]}"


class Pattern:
    """The pattern of one step's formula; `aside` are the patterns of what it holds several of."""

    def __init__(self, step: Step, names: dict[str, Step]):
        self.step, self.names = step, names
        self.aside: dict[str, list[str]] = {}
        self.seen: dict[str, str] = {}
        self.tree = self.of(step.tree)

    def of(self, tree: Tree) -> Tree:
        match tree:
            case Name(name):
                return Name(self.variable(name))
            case Index(operand):
                return Call("part", (self.of(operand),))
            case Binary(operator, a, b):
                return self.chain(tree) or Binary(operator, self.of(a), self.of(b))
            case Negate(a):
                return Negate(self.of(a))
            case Transpose(a):
                return Transpose(self.of(a))
            case Call(function, arguments, options) if function in JOINS and len(arguments) > 1:
                inner = [self.of(one) for one in arguments]
                alike = self.each(inner, "each")
                return Call(function, (alike,) if alike else tuple(inner), options)
            case Call(function, arguments, options):
                return Call(
                    function,
                    tuple(self.of(one) for one in arguments),
                    tuple((n, v) for n, v in options if isinstance(v, Text | Number)),
                )
        return tree

    def variable(self, name: str) -> str:
        """A step of the same lesson by its name there; of several with one name each by a number."""
        step = self.names.get(name)
        if step is None or step.lesson is None:
            return f"{plain(name)}_"
        base = (
            step.base
            if (step.lesson, family(step)) == (self.step.lesson, family(self.step))
            else f"{step.lesson}__of__{step.base}"
        )
        same = [one for one, found in self.seen.items() if found == base and one != name]
        self.seen.setdefault(name, base)
        return f"{base}__{list(self.seen).index(name) + 1}_" if same or base == self.step.base else f"{base}_"

    def each(self, trees: list[Tree], word: str) -> Tree | None:
        """What stands for each of several formulas of one form."""
        forms = {wild(nameless(one)) for one in trees}
        if len(forms) > 1 or isinstance(trees[0], Number):
            return None
        if isinstance(trees[0], Name):
            return (
                Name(trees[0].name.partition("__")[0].rstrip("_") + "_")
                if trees[0].name.partition("__")[0].rstrip("_")
                else None
            )
        self.aside.setdefault(f"{word}_{self.step.base}", []).append(unparse(nameless(trees[0])))
        return Name(f"{word}_{self.step.base}_")

    def chain(self, tree: Binary) -> Tree | None:
        """A sum or a product of several formulas of one form, however many."""
        terms, left = [tree.right], tree.left
        while isinstance(left, Binary) and left.operator == tree.operator:
            terms, left = [left.right, *terms], left.left
        terms = [left, *terms]
        if tree.operator not in "+*" or len(terms) < 2 or any(isinstance(one, Number | Name) for one in terms):
            return None
        inner = [self.of(one) for one in terms]
        if (one := self.each(inner, "each")) is None:
            return None
        kind = f"chain_{self.step.base}"
        self.aside.setdefault(kind, []).extend(
            (unparse(Binary(tree.operator, one, one)), unparse(Binary(tree.operator, Name(f"{kind}_"), one)))
        )
        return Name(f"{kind}_")


def plain(name: str) -> str:
    """A given's name, without the part and the prefix that it stands in."""
    return re.sub(r"\W", "_", name.rpartition(".")[2])


def change(tree: Tree, to: object) -> Tree:
    new = to(tree)
    if new is not None:
        return new
    match tree:
        case Binary(_, a, b):
            return tree.but(left=change(a, to), right=change(b, to))
        case Negate(a) | Transpose(a) | Index(a):
            return tree.but(operand=change(a, to))
        case Call(_, arguments, _):
            return tree.but(arguments=tuple(change(one, to) for one in arguments))
    return tree


def wild(tree: Tree) -> Tree:
    """The form of a pattern: any number is as good as another."""
    return change(tree, lambda one: Number("0") if isinstance(one, Number) else None)


def nameless(tree: Tree) -> Tree:
    """Givens of several names are any formula."""
    return change(
        tree,
        lambda one: Name(re.sub(r"_\d+_$", "_", re.sub(r"__\d+_$", "_", one.name))) if isinstance(one, Name) else None,
    )


def merged(a: Tree, b: Tree) -> Tree | None:
    """One pattern for two of the same form, None where they are not; numbers that differ are any number."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a if a.value == b.value else Name("number_")
    if isinstance(a, Name) and isinstance(b, Name):
        return a if a == b or "number_" in (a.name, b.name) and a == b else None
    if {type(a), type(b)} == {Number, Name} and "number_" in (getattr(a, "name", ""), getattr(b, "name", "")):
        return Name("number_")
    if type(a) is not type(b) or signature(a) != signature(b):
        return None
    inner = [merged(x, y) for x, y in zip(operands(a), operands(b), strict=False)]
    if len(operands(a)) != len(operands(b)) or None in inner:
        return None
    match a:
        case Binary():
            return a.but(left=inner[0], right=inner[1])
        case Negate() | Transpose() | Index():
            return a.but(operand=inner[0])
        case Call():
            return a.but(arguments=tuple(inner))
    return a if a == b else None


def numbered(tree: Tree) -> Tree:
    """Numbers that no formula has of itself are any number."""
    return change(tree, lambda one: Name("number_") if isinstance(one, Number) and one.text not in SMALL else None)


def is_bare(tree: Tree) -> bool:
    """Whether a formula is a table of numbers, which has no shape of its own."""
    match tree:
        case Number() | Name("number_"):
            return True
        case Negate(a):
            return is_bare(a)
        case Call(function, arguments):
            return function in JOINS and all(map(is_bare, arguments))
    return False


def derived() -> Table:
    """The patterns of each lesson's steps by the lesson and the step's name there, and the mistakes that
    hang on them.
    """
    found: dict[str, dict[str, list[Tree]]] = {}
    hanging: dict[str, dict[str, set[str]]] = {}
    for raw, plan in plans():
        for lesson, base, code in lacking(raw, plan):
            hanging.setdefault(lesson, {}).setdefault(base, set()).add(code)
        for part in plan.parts:
            names = {step.name: step for step in part.steps}
            for step in part.steps:
                if not step.lesson or step.given:
                    continue
                pattern = Pattern(step, names)
                for base, trees in (
                    {step.base: [pattern.tree]} | {k: [parse(t) for t in v] for k, v in pattern.aside.items()}
                ).items():
                    kinds = found.setdefault(step.lesson, {}).setdefault(base, [])
                    for tree in trees:
                        put(kinds, numbered(tree))
    table = {
        lesson: {base: [unparse(t) for t in trees if not is_bare(t)] for base, trees in kinds.items()}
        for lesson, kinds in found.items()
    }
    patterns = {
        lesson: {base: texts for base, texts in sorted(kinds.items()) if texts}
        for lesson, kinds in sorted(table.items())
        if lesson in hanging
    }
    codes = {
        lesson: {base: sorted(found) for base, found in sorted(kinds.items())}
        for lesson, kinds in sorted(hanging.items())
    }
    return {"mistakes": codes, "beginnings": beginnings(patterns), "shapes": patterns}


def beginnings(patterns: Table) -> dict[str, list[str]]:
    """The steps with a pattern that begins with an operation, by the operation."""
    found: dict[str, list[str]] = {}
    for lesson, kinds in patterns.items():
        for base, texts in kinds.items():
            for head in (
                sorted({head_operation(parse(text)) for text in texts} - {""})
                if not base.startswith(("each_", "chain_"))
                else ()
            ):
                found.setdefault(head, []).append(f"{lesson}:{base}")
    return dict(sorted(found.items()))


def lacking(raw: dict, plan: Plan) -> Iterator[tuple[str, str, str]]:
    """The steps of lessons with each mistake that the grammar alone does not find once they are an author's
    formulas.
    """
    if len(plan.parts) != 1:
        return
    names = {step.name: Name(f"own{k}") for k, step in enumerate(plan.steps())}
    kept = {key: raw[key] for key in ("given", "vectors") if key in raw}
    try:
        other = load(
            {**kept, "steps": {names[step.name].name: unparse(substitute(step.tree, names)) for step in plan.steps()}}
        ).plan
    except AttncalcError:
        return
    told = {name for mistake in catalogue().values() for name in mistake.steps}
    columns = str(raw.get("vectors")) == "columns"
    with mock.patch.object(lesson_patterns, "_table", lambda: {"mistakes": {}, "beginnings": {}, "shapes": {}}):
        for step, own in zip(plan.steps(), other.steps(), strict=True):
            # Numbers times numbers have no shape of their own
            if step.lesson and step.base in told and "*" not in LESSONS[step.lesson].counts:
                yield from (
                    (step.lesson, step.base, code)
                    for code in codes(StepAnalysis(plan, step, columns)) - codes(StepAnalysis(other, own, columns))
                )
    recogniser_of.cache_clear()


def codes(site: StepAnalysis) -> set[str]:
    return {mistake.code for mistake in with_role_in(site, catalogue().values()) if mistake.nodes(site)}


def put(kinds: list[Tree], tree: Tree) -> None:
    for k, known in enumerate(kinds):
        if (both := merged(known, tree)) is not None:
            kinds[k] = both
            return
    kinds.append(tree)


def written(table: Table) -> str:
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(derived()), encoding="utf-8")
