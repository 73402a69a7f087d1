"""`python -m tests.bench.ablation [words]`: each rule of marking switched off by itself, on the kept scripts.

Prints for each rule of `rules.yaml` how many scripts of the frozen behaviour then have another verdict or mark, and how
many have other causes alone. `words` choose the rules that contain one of them. A rule that fewer than three scripts
need is listed again at the end, with the reason why it stays.
"""

from __future__ import annotations

import argparse
import ast
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import yaml

from attncalc import AttncalcError
from attncalc.api import loads
from attncalc.marking.report import check
from attncalc.problem.problem import Problem
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import Bound, bind
from tests.frozen.behaviour import kept_scripts

from .mutants import changed_function, function_of, put_constants

RULES, PACKAGE = Path(__file__).with_name("rules.yaml"), "attncalc.marking"
ROOT = Path(__file__).resolve().parents[2]
NEEDED = 3  # kept scripts
Judgement = tuple[tuple[Any, ...], tuple[Any, ...]]  # verdicts and marks; causes


@dataclass(frozen=True)
class Rule:
    """A rule, and the change of a function or of a file's constants that switches it off."""

    kind: str
    rule: str
    file: str
    old: str
    new: str
    where: str = ""
    kept: str = ""  # why it stays if few scripts need it

    @property
    def module(self) -> types.ModuleType:
        return import_module(f"{PACKAGE}.{self.file.removesuffix('.py').replace('/', '.')}")

    @property
    def path(self) -> Path:
        return ROOT / PACKAGE.replace(".", "/") / self.file

    def changed_source(self) -> str:
        """The file's text with the change."""
        text = self.path.read_text(encoding="utf-8")
        begin, end = 0, len(text)
        if self.where:
            lines, node = text.splitlines(keepends=True), _definition(ast.parse(text), self.where)
            begin, end = (len("".join(lines[:count])) for count in (node.lineno - 1, node.end_lineno or node.lineno))
        if text.count(self.old, begin, end) != 1:
            raise SystemExit(f"{RULES.name}: {self.rule}: {self.file} {self.where} has {self.old!r} not once")
        return text[:begin] + text[begin:end].replace(self.old, self.new) + text[end:]

    def switch_off(self) -> None:
        """Change the rule's function, or its constant in every module that imported it."""
        code, module = compile(self.changed_source(), str(self.path), "exec"), self.module
        if self.where:
            function_of(module, self.where).__code__ = changed_function(code, self.where)
            return
        fresh = types.ModuleType(module.__name__)
        fresh.__dict__.update(__file__=module.__file__, __package__=module.__package__)
        sys.modules[fresh.__name__] = fresh  # its dataclasses look themselves up
        exec(code, fresh.__dict__)
        sys.modules[fresh.__name__] = module
        put_constants(module, fresh)


def _definition(tree: ast.AST, where: str) -> ast.stmt:
    for name in where.split("."):
        tree = next(node for node in ast.iter_child_nodes(tree) if getattr(node, "name", None) == name)
    assert isinstance(tree, ast.stmt)
    return tree


def rules(words: Sequence[str] = ()) -> list[Rule]:
    """The rules of the table whose kind or name contains one of some words."""
    rows = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    table = [Rule(**{"where" if key == "in" else key: value for key, value in row.items()}) for row in rows]
    return [rule for rule in table if not words or any(word in f"{rule.kind}: {rule.rule}" for word in words)]


@dataclass(frozen=True)
class Script:
    name: str
    problem: Problem
    bound: Bound


def scripts(names: str = "") -> list[Script]:
    """The kept scripts that can be read, each bound to its problem."""
    known: dict[str, Problem] = {}
    bound = []
    for row in kept_scripts():
        if not row["name"].startswith(names):
            continue
        try:
            problem = known.setdefault(row["problem"], loads(row["problem"]))
            text = row["answers"].encode("utf-8")
            bound.append(Script(row["name"], problem, bind(read(text, f"answers.{row['ending']}"), problem)))
        except AttncalcError:
            continue
    return sorted(bound, key=lambda script: script.name.startswith("honest"))  # wrong ones need the most rules


def judgement(script: Script) -> Judgement:
    """Verdicts with marks, and causes, of all steps of a script."""
    report = check(script.problem, script.bound)
    marks = tuple((step.step.name, step.verdict, step.mark.earned) for step in report.steps)
    causes = tuple(tuple(sorted(cause.code for cause in step.causes)) for step in report.steps)
    report.context.release()
    return marks, causes


class Ablation:
    """The kept scripts with their judgements, and the functions that each of them calls."""

    def __init__(self, kept: list[Script]):
        self.scripts = kept
        self.called: list[set[tuple[str, str]]] = []
        self.judgements: list[Judgement] = []

    def measure(self, jobs: int) -> None:
        for result, called in _forked(self._judged, len(self.scripts), jobs):
            self.judgements.append(result)
            self.called.append(called)

    def _judged(self, number: int) -> tuple[Judgement, set[tuple[str, str]]]:
        called: set[tuple[str, str]] = set()

        def note(frame: types.FrameType, event: str, argument: Any) -> None:
            called.add((frame.f_code.co_filename, frame.f_code.co_name))

        sys.settrace(note)
        try:
            return judgement(self.scripts[number]), called
        finally:
            sys.settrace(None)

    def without(self, rule: Rule, jobs: int, enough: int | None = None) -> tuple[list[str], list[str]]:
        """The names of the scripts with another verdict or mark, and of those with other causes alone; at most
        `enough`.
        """
        function = (str(rule.path), rule.where.rpartition(".")[2])
        numbers = [k for k, called in enumerate(self.called) if not rule.where or function in called]

        def changed(at: int) -> str:
            try:
                marks, causes = judgement(self.scripts[numbers[at]])
            except Exception:  # a rule without which marking fails is needed
                return "marks"
            old = self.judgements[numbers[at]]
            return "marks" if marks != old[0] else "causes" if causes != old[1] else ""

        found: dict[str, list[str]] = {"marks": [], "causes": [], "": []}
        for number, kind in zip(numbers, _forked(changed, len(numbers), jobs, rule.switch_off), strict=True):
            found[kind].append(self.scripts[number].name)
            if enough is not None and len(found["marks"]) + len(found["causes"]) >= enough:
                break
        return found["marks"], found["causes"]


_WORK: Callable[[int], Any]


def _forked(
    work: Callable[[int], Any], count: int, jobs: int, before: Callable[[], None] | None = None
) -> Iterator[Any]:
    """Yield the results of work on 0, 1, ... in order, by processes that share what is known here."""
    global _WORK
    _WORK = work
    with get_context("fork").Pool(jobs, before) as pool:
        yield from pool.imap(_called, range(count), chunksize=8)


def _called(number: int) -> Any:
    return _WORK(number)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ablation", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--scripts", default="", help="only the scripts whose names begin so")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--enough", type=int, help="stop a rule after so many changed scripts")
    parser.add_argument("--names", action="store_true", help="print the names of the scripts that change")
    options = parser.parse_args()
    chosen = rules(options.words)
    ablation = Ablation(scripts(options.scripts))
    ablation.measure(options.jobs)
    print(f"{len(chosen)} rules, {len(ablation.scripts)} scripts")
    print(f"{'kind: rule':<84} {'marks':>6} {'causes':>6}", flush=True)
    seldom = []
    for rule in chosen:
        marks, causes = ablation.without(rule, options.jobs, options.enough)
        print(f"{rule.kind + ': ' + rule.rule:<84} {len(marks):>6} {len(causes):>6}", flush=True)
        if options.names:
            print("".join(f"    {name}\n" for name in [*marks, *(f"{name} (causes)" for name in causes)]), end="")
        if len(marks) + len(causes) < NEEDED and rule.kind != "speed":
            seldom.append(rule)
    print(f"{len(seldom)} rules that fewer than {NEEDED} scripts need")
    for rule in seldom:
        print(f"{rule.kind + ': ' + rule.rule:<84} {rule.kept or 'no reason to keep it'}")


if __name__ == "__main__":
    main()
