"""Writes lesson_patterns.json: the formulas of all lessons as patterns.

    python -m attncalc.mistakes.recognition.pattern_file      writes the file in some minutes

Each lesson is loaded with a small problem, and with every value of each option. The formula of each step becomes a
pattern, and equal patterns are stored once. In a pattern, steps and givens have their names in the lesson. `number`
means a number that differs between problems, and `part` means rows or columns of a matrix.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from ...errors import AttncalcError
from ...formula.parser import parse
from ...formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Text, Transpose, Tree, substitute, unparse
from ...lessons import LESSONS
from ...lessons.small_problems import CASES, needed, problem
from ...plan import Plan, Step
from ...problem.loader import build_problem
from ...problem.python_input import tree_of
from ...resources import bundled, mistake_examples
from ..catalogue import catalogue
from ..mistake import with_role_in
from ..step_analysis import StepAnalysis
from ..tree_rewriting import head_operation, operands, signature
from .roles import Recogniser

FILE = Path(__file__).with_name("lesson_patterns.json")
COMMAND = f"python -m {__package__}.{Path(__file__).stem}"
_SMALL = ("0", "1", "2")  # numbers that may belong to a formula, such as 1 in 1 - β
_JOINS = ("hstack", "vstack")
Patterns = dict[str, dict[str, list[str]]]  # texts of patterns, by lesson and step
Table = dict[str, Any]  # the content of the file


def problems() -> Iterator[dict[str, Any]]:
    """Yield the bundled problems, and each lesson with each value of its options, and without each of its optional
    inputs.
    """
    for path in (*mistake_examples(), *bundled("problems").values()):
        yield yaml.load(Path(path).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    for name, lesson in LESSONS.items():
        if name not in CASES:
            continue
        complete = problem(name)
        yield complete
        for option in lesson.options:
            for value in option.documented_values:
                yield problem(name, {option.name: value} | needed(name, option.name, value))
        for omitted in {entry.name for entry in lesson.inputs if entry.optional} & complete["given"].keys():
            yield complete | {"given": {key: value for key, value in complete["given"].items() if key != omitted}}


def plan_of(raw: dict[str, Any]) -> Plan:
    return build_problem(tree_of(raw), "", str(raw.get("title", "problem"))).plan


def plans() -> Iterator[tuple[dict[str, Any], Plan]]:
    """Yield the valid problems with their plans."""
    for raw in problems():
        try:
            yield raw, plan_of(raw)
        except AttncalcError:
            continue


def family(step: Step) -> str:
    """Return a key for one use of a lesson. All steps of this use have the same key."""
    return f"{step.part}:{step.name.rpartition('.')[0]}"


class Pattern:
    """The pattern of a step's formula. `aside` contains the patterns of repeated parts, by kind."""

    def __init__(self, step: Step, names: dict[str, Step]):
        self.step, self.names = step, names
        self.aside: dict[str, list[str]] = {}
        self.seen: dict[str, str] = {}
        self.tree = self.pattern(step.tree)

    def pattern(self, tree: Tree) -> Tree:
        """Return the pattern of a formula."""
        match tree:
            case Name(name):
                return Name(self.variable(name))
            case Index(operand):
                return Call("part", (self.pattern(operand),))
            case Binary(operator, a, b):
                return self.chain(tree) or Binary(operator, self.pattern(a), self.pattern(b))
            case Negate(a):
                return Negate(self.pattern(a))
            case Transpose(a):
                return Transpose(self.pattern(a))
            case Call(function, arguments, options) if function in _JOINS and len(arguments) > 1:
                inner = [self.pattern(argument) for argument in arguments]
                alike = self.each(inner, "each")
                return Call(function, (alike,) if alike else tuple(inner), options)
            case Call(function, arguments, options):
                kept = tuple((n, v) for n, v in options if isinstance(v, Text | Number))
                return Call(function, tuple(map(self.pattern, arguments)), kept)
        return tree

    def variable(self, name: str) -> str:
        """Return the variable for a name: the name of the step in its lesson, with a number if several steps have this
        name.
        """
        step = self.names.get(name)
        if step is None or step.lesson is None:
            return f"{plain(name)}_"
        is_own = (step.lesson, family(step)) == (self.step.lesson, family(self.step))
        base = step.base if is_own else f"{step.lesson}__of__{step.base}"
        same = [seen for seen, seen_base in self.seen.items() if seen_base == base and seen != name]
        self.seen.setdefault(name, base)
        return f"{base}__{list(self.seen).index(name) + 1}_" if same or base == self.step.base else f"{base}_"

    def each(self, trees: list[Tree], word: str) -> Tree | None:
        """Return a variable for several formulas with the same form; None if their forms differ."""
        forms = {wild(nameless(tree)) for tree in trees}
        if len(forms) > 1 or isinstance(trees[0], Number):
            return None
        if isinstance(trees[0], Name):
            base = trees[0].name.partition("__")[0].rstrip("_")
            return Name(f"{base}_") if base else None
        self.aside.setdefault(f"{word}_{self.step.base}", []).append(unparse(nameless(trees[0])))
        return Name(f"{word}_{self.step.base}_")

    def chain(self, tree: Binary) -> Tree | None:
        """Return a variable for a sum or a product of several formulas with the same form; None for other formulas."""
        terms: list[Tree] = [tree.right]
        left = tree.left
        while isinstance(left, Binary) and left.operator == tree.operator:
            terms, left = [left.right, *terms], left.left
        terms = [left, *terms]
        if tree.operator not in "+*" or len(terms) < 2 or any(isinstance(term, Number | Name) for term in terms):
            return None
        inner = [self.pattern(term) for term in terms]
        if (term := self.each(inner, "each")) is None:
            return None
        kind = f"chain_{self.step.base}"
        self.aside.setdefault(kind, []).extend(
            (unparse(Binary(tree.operator, term, term)), unparse(Binary(tree.operator, Name(f"{kind}_"), term)))
        )
        return Name(f"{kind}_")


def plain(name: str) -> str:
    """Return the name of a given without its part and prefix."""
    return re.sub(r"\W", "_", name.rpartition(".")[2])


def change(tree: Tree, to: Callable[[Tree], Tree | None]) -> Tree:
    """Replace each part for which `to` returns a tree. Options do not change."""
    new = to(tree)
    if new is not None:
        return new
    match tree:
        case Binary(_, a, b):
            return tree.but(left=change(a, to), right=change(b, to))
        case Negate(a) | Transpose(a) | Index(a):
            return tree.but(operand=change(a, to))
        case Call(_, arguments, _):
            return tree.but(arguments=tuple(change(argument, to) for argument in arguments))
    return tree


def wild(tree: Tree) -> Tree:
    """Return the form of a pattern, which is the pattern with 0 instead of each number."""
    return change(tree, lambda part: Number("0") if isinstance(part, Number) else None)


def nameless(tree: Tree) -> Tree:
    """Return the pattern without the numbers in the names of variables."""
    return change(
        tree,
        lambda part: (
            Name(re.sub(r"_\d+_$", "_", re.sub(r"__\d+_$", "_", part.name))) if isinstance(part, Name) else None
        ),
    )


def merged(a: Tree, b: Tree) -> Tree | None:
    """Return one pattern that replaces two patterns with the same form, otherwise None. Different numbers become
    `number_`.
    """
    if isinstance(a, Number) and isinstance(b, Number):
        return a if a.value == b.value else Name("number_")
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
    """Return the pattern with `number_` instead of each number that belongs to the problem."""
    return change(tree, lambda part: Name("number_") if isinstance(part, Number) and part.text not in _SMALL else None)


def is_bare(tree: Tree) -> bool:
    """Return whether a formula is a table of numbers, which cannot be identified by its form."""
    match tree:
        case Number() | Name("number_"):
            return True
        case Negate(a):
            return is_bare(a)
        case Call(function, arguments):
            return function in _JOINS and all(map(is_bare, arguments))
    return False


def pattern_table() -> Table:
    """Return the content of the file: patterns by lesson and step, and the mistakes that only these patterns find."""
    trees_by_step: dict[str, dict[str, list[Tree]]] = {}
    codes_by_step: dict[str, dict[str, set[str]]] = {}
    for raw, plan in plans():
        for lesson, base, code in missed_mistakes(raw, plan):
            codes_by_step.setdefault(lesson, {}).setdefault(base, set()).add(code)
        for part in plan.parts:
            names = {step.name: step for step in part.steps}
            for step in part.steps:
                if not step.lesson or step.given:
                    continue
                pattern = Pattern(step, names)
                kinds = trees_by_step.setdefault(step.lesson, {})
                put(kinds.setdefault(step.base, []), numbered(pattern.tree))
                for kind, texts in pattern.aside.items():
                    for text in texts:
                        put(kinds.setdefault(kind, []), numbered(parse(text)))
    patterns: Patterns = {}
    for lesson in sorted(codes_by_step):
        texts_by_step = {
            base: [unparse(tree) for tree in trees if not is_bare(tree)]
            for base, trees in trees_by_step[lesson].items()
        }
        patterns[lesson] = {base: texts for base, texts in sorted(texts_by_step.items()) if texts}
    mistakes = {
        lesson: {base: sorted(codes) for base, codes in sorted(kinds.items())}
        for lesson, kinds in sorted(codes_by_step.items())
    }
    return {"mistakes": mistakes, "beginnings": beginnings(patterns), "shapes": patterns}


def beginnings(patterns: Patterns) -> dict[str, list[str]]:
    """Return the steps by the outermost operations of their patterns."""
    steps: dict[str, list[str]] = {}
    for lesson, kinds in patterns.items():
        for base, texts in kinds.items():
            for head in (
                sorted({head_operation(parse(text)) for text in texts} - {""})
                if not base.startswith(("each_", "chain_"))
                else ()
            ):
                steps.setdefault(head, []).append(f"{lesson}:{base}")
    return dict(sorted(steps.items()))


def missed_mistakes(raw: dict[str, Any], plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Yield lesson, step and code for each mistake that the patterns in roles.py do not find in an author's
    formulas.
    """
    if len(plan.parts) != 1:
        return
    names: dict[str, Tree] = {step.name: Name(f"own{k}") for k, step in enumerate(plan.steps())}
    steps = {cast(Name, names[step.name]).name: unparse(substitute(step.tree, names)) for step in plan.steps()}
    try:
        author_plan = plan_of({key: raw[key] for key in ("given", "vectors") if key in raw} | {"steps": steps})
    except AttncalcError:
        return
    steps_with_mistakes = {name for mistake in catalogue().values() for name in mistake.steps}
    columns = str(raw.get("vectors")) == "columns"
    grammar = Recogniser(author_plan, columns, with_lesson_patterns=False)
    for step, author_step in zip(plan.steps(), author_plan.steps(), strict=True):
        # the form of a product of numbers does not identify a step
        if step.lesson and step.base in steps_with_mistakes and "*" not in LESSONS[step.lesson].counts:
            author_site = StepAnalysis(author_plan, author_step, columns, recogniser=grammar)
            for code in codes(StepAnalysis(plan, step, columns)) - codes(author_site):
                yield step.lesson, step.base, code


def codes(site: StepAnalysis) -> set[str]:
    """Return the codes of the mistakes that are possible in a step."""
    return {mistake.code for mistake in with_role_in(site, catalogue().values()) if mistake.nodes(site)}


def put(kinds: list[Tree], tree: Tree) -> None:
    """Add a pattern to the patterns of a step, or merge it with a pattern of the same form."""
    for k, known in enumerate(kinds):
        if (both := merged(known, tree)) is not None:
            kinds[k] = both
            return
    kinds.append(tree)


def written(table: Table) -> str:
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(pattern_table()), encoding="utf-8")
