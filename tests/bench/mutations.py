"""Mutation testing: one operator, constant, comparison or bound of the proof is changed at a time; do the tests notice?

    python -m tests.bench.mutations --files attncalc/arithmetic/cells.py
    python -m tests.bench.mutations --sample 300 --seed 1 --jobs 2
    python -m tests.bench.mutations --named

A process that has imported everything but attncalc is forked for each mutant; the fork imports attncalc with the one changed module and
runs the tests that belong to it (TESTS), the fastest first, until one fails or the time is up. The named mutants always come first. What
survived is printed with its place and its change. Results are kept in a file (`--results`), so that a run that was stopped goes on
where it was; a mutant is known there by the code around it, so that it is tried anew when its function changes. Mutants that change nothing
(equivalent.yaml, each with the reason) are not counted.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib.abc
import importlib.util
import io
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")
PACKAGES = ("attncalc/arithmetic", "attncalc/decimals.py", "attncalc/mark", "attncalc/answers")
LAWS = "tests/arithmetic"
# What belongs to a file, the fastest first; the first prefix that fits.
TESTS = {
    "attncalc/arithmetic/interval.py": [f"{LAWS}/test_interval.py", f"{LAWS}/test_working.py", f"{LAWS}/test_program.py"],
    "attncalc/arithmetic/cells.py": [f"{LAWS}/test_cells.py", f"{LAWS}/test_interval.py", f"{LAWS}/test_working.py"],
    "attncalc/arithmetic/working.py": [f"{LAWS}/test_working.py", f"{LAWS}/test_program.py"],
    "attncalc/arithmetic/rounding.py": [f"{LAWS}/test_rounding.py", "tests/test_arithmetic.py"],
    "attncalc/arithmetic/decisions.py": [f"{LAWS}/test_certified.py", f"{LAWS}/test_rounding.py", "tests/test_arithmetic.py"],
    "attncalc/arithmetic/exact.py": [f"{LAWS}/test_exact.py", f"{LAWS}/test_certified.py", "tests/test_arithmetic.py"],
    "attncalc/arithmetic/formal.py": [f"{LAWS}/test_formal.py", f"{LAWS}/test_exact.py", "tests/test_arithmetic.py"],
    "attncalc/arithmetic/floating.py": [f"{LAWS}/test_floating.py"],
    "attncalc/arithmetic/closed.py": [f"{LAWS}/test_closed.py", "tests/test_closed_forms.py", "tests/test_arithmetic.py"],
    "attncalc/arithmetic": [f"{LAWS}/test_certified.py", f"{LAWS}/test_interval.py", "tests/test_arithmetic.py"],
    "attncalc/decimals.py": [f"{LAWS}/test_decimals.py", "tests/test_arithmetic.py", "tests/test_digits.py"],
    "attncalc/mark/accept.py": [f"{LAWS}/test_carried.py", "tests/test_examiner.py", "tests/test_marking.py", "tests/test_report.py"],
    "attncalc/mark": ["tests/test_examiner.py", "tests/test_marking.py", "tests/test_report.py"],
    "attncalc/answers": ["tests/test_answers.py", "tests/test_outputs.py"],
}


@dataclass(frozen=True)
class Mutant:
    """One change: `old` becomes `new` in the function `where` of a file; `at` counts equal changes there."""

    file: str
    where: str
    old: str
    new: str
    at: int
    line: int
    context: str  # the function's code, hashed

    @property
    def key(self) -> str:
        return " | ".join((self.file, self.where, self.old, self.new, str(self.at), self.context))


# file, function, what stands there, what is put there: changes that once passed every test, or that undo a proof
NAMED = [
    ("attncalc/arithmetic/interval.py", "_Run._round", "unit / 2", "unit / 8"),
    ("attncalc/arithmetic/working.py", "Working.kept", "unit / 2", "unit / 8"),
    ("attncalc/arithmetic/working.py", "Working.kept", "unit / 20", "unit / 80"),
    ("attncalc/arithmetic/cells.py", "power", "sound(ends[1], ends[0])", "sound(ends[0], ends[1])"),
    ("attncalc/mark/accept.py", "_entry", "unit / 10", "unit / 1000"),
    ("attncalc/arithmetic/interval.py", "_Run._one_hot", "ignore is None or cell[0] != ignore", "True"),
    ("attncalc/arithmetic/exact.py", "ExactCells.named", "ignore is not None and q == ignore", "False"),
    ("attncalc/arithmetic/certified.py", "Run._one_hot", "x == ignore", "False"),
    ("attncalc/arithmetic/floating.py", "_one_hot", "ids.reshape(-1, 1) != ignore", "ids.reshape(-1, 1) == ids.reshape(-1, 1)"),
    ("attncalc/mark/accept.py", "", "20", "2000"),
    ("attncalc/mark/accept.py", "", "2", "200"),
]

SWAPS: dict[type, list[type]] = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult], ast.FloorDiv: [ast.Mult], ast.Mod: [ast.Mult],
    ast.Pow: [ast.Mult], ast.LShift: [ast.RShift], ast.RShift: [ast.LShift], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd],
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
    ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "least": "most", "most": "least", "any": "all", "all": "any", "lower": "upper", "upper": "lower",
         "floor": "ceil", "ceil": "floor", "low": "high", "high": "low"}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every small change of one node of the tree."""
    if isinstance(node, ast.BinOp) and not _is_text(node):
        for other in SWAPS.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPS[type(node.op)][0](), node.values)
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in SWAPS.get(type(op), ()):
                yield ast.Compare(node.left, [*node.ops[:k], other(), *node.ops[k + 1 :]], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
        if node.value not in (0, 1):
            yield ast.Constant(node.value * 100)
    if isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], ast.Load())
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], ast.Load())


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, (ast.JoinedStr, ast.Constant)) and not isinstance(getattr(side, "value", 0), (int, float))
               for side in (node.left, node.right))  # fmt: skip


@dataclass
class Site:
    """A node that may be changed: where it stands, and how to put another in its place."""

    where: str
    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    context: str

    def put(self, other: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, other)
        else:
            getattr(self.parent, self.field)[self.index] = other


def sites(tree: ast.Module) -> Iterator[Site]:
    """Every node in a function or a constant; annotations, messages of exceptions, imports and docstrings are no arithmetic."""

    def walk(node: ast.AST, where: str, context: str) -> Iterator[Site]:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            where = f"{where}.{node.name}".lstrip(".")
            if isinstance(node, ast.FunctionDef):
                context = hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:8]
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "exc", "msg", "type_params"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Raise, ast.AnnAssign)) and not _has_value(child):
                    continue
                if isinstance(child, ast.AST):
                    if isinstance(child, ast.expr):
                        yield Site(where, child, node, field, index, context)
                    yield from walk(child, where, context)

    yield from walk(tree, "", "")


def _has_value(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def mutants(file: str) -> Iterator[tuple[Mutant, Site, ast.AST, ast.Module]]:
    """Every mutant of a file with its place in the file's tree, which `Site.put` changes."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    seen: Counter[tuple[str, str, str]] = Counter()
    for site in list(sites(tree)):
        for other in changes(site.node):
            old, new = ast.unparse(site.node), ast.unparse(other)
            at = seen[site.where, old, new]
            seen[site.where, old, new] += 1
            yield Mutant(file, site.where, old, new, at, getattr(site.node, "lineno", 0), site.context), site, other, tree


def named() -> list[Mutant]:
    """The named mutants that are still there; a name that fits nothing any more is a fault of the table."""
    found = []
    for file, where, old, new in NAMED:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        there = next((s for s in sites(tree) if s.where == where and ast.unparse(s.node) == old), None)
        if there is None:
            print(f"{file}: {where or 'the module'} has no {old!r} any more; NAMED in {Path(__file__).name} names it", file=sys.stderr)
            continue
        found.append(Mutant(file, where, old, new, 0, getattr(there.node, "lineno", 0), there.context))
    return found


def changed_module(mutant: Mutant) -> ast.Module:
    """The module's tree with the one change."""
    for found, site, other, tree in mutants(mutant.file):
        if found == mutant:
            site.put(other)
            return ast.fix_missing_locations(tree)
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    site = next(s for s in sites(tree) if s.where == mutant.where and ast.unparse(s.node) == mutant.old)
    site.put(ast.parse(mutant.new, mode="eval").body)
    return ast.fix_missing_locations(tree)


# -- running ------------------------------------------------------------------------------------------------------------------


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed tree."""

    def __init__(self, name: str, file: Path, tree: ast.Module):
        self.name, self.file, self.tree = name, file, tree

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, origin=str(self.file)) if name == self.name else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = str(self.file)
        exec(compile(self.tree, str(self.file), "exec"), module.__dict__)


def tests_of(file: str) -> list[str]:
    found = next(tests for prefix, tests in TESTS.items() if file.startswith(prefix))
    return [test for test in found if (ROOT / test).exists()]


def run_tests(file: str, tree: ast.Module | None, examples: int, seed: int) -> int:
    """In a fork of its own: the exit code of pytest on the tests of a file, of which one module was changed."""
    import pytest

    if tree is not None:
        name = file.removesuffix(".py").replace("/", ".")
        sys.meta_path.insert(0, _Changed(name, ROOT / file, tree))
    out = os.open(os.devnull, os.O_WRONLY)
    os.dup2(out, 1)
    os.dup2(out, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "-o", "addopts=", "-m", "not slow", "--tb=no"]
    with contextlib.redirect_stdout(io.StringIO()):
        return int(pytest.main([*options, "--hypothesis-profile", "mutants", f"--hypothesis-seed={seed}", *tests_of(file)]))


def warm(examples: int) -> None:
    """Imports what takes long and is not changed."""
    import flint  # noqa: F401
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import sympy  # noqa: F401
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile("mutants", max_examples=examples, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
                              suppress_health_check=list(HealthCheck))  # fmt: skip
    os.chdir(ROOT)
    assert not any(name.split(".")[0] == "attncalc" for name in sys.modules), "attncalc must be imported by the forks alone"


def run(todo: list[Mutant | str], jobs: int, limit: float, examples: int, seed: int) -> Iterator[tuple[Mutant | str, str, float]]:
    """`killed`, `timeout` or `survived` for each mutant (or for the tests of a file by its name) with the seconds that it took."""
    waiting, running = list(reversed(todo)), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            one = waiting.pop()
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                code = 1
                try:
                    tree = None if isinstance(one, str) else changed_module(one)
                    code = run_tests(one if isinstance(one, str) else one.file, tree, examples, seed)
                finally:
                    os._exit(code)
            running[pid] = (one, time.monotonic())
        time.sleep(0.02)
        for pid, (one, start) in list(running.items()):
            took = time.monotonic() - start
            done, status = os.waitpid(pid, os.WNOHANG)
            if done or took > limit:
                if not done:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                del running[pid]
                yield one, "timeout" if not done else "survived" if status == 0 else "killed", took


# -- the report ---------------------------------------------------------------------------------------------------------------


def equivalent() -> set[tuple[str, str, str, str]]:
    rows = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else []
    return {(row["file"], row["where"], row["old"], row["new"]) for row in rows or ()}


def python_files(names: list[str]) -> list[str]:
    paths = [path for name in names for path in (sorted((ROOT / name).glob("*.py")) if (ROOT / name).is_dir() else [ROOT / name])]
    return [str(path.relative_to(ROOT)) for path in paths if path.stat().st_size]


def chosen(arguments: argparse.Namespace) -> list[Mutant]:
    found = named()
    if arguments.named:
        return found
    same = equivalent()
    every = [m for file in python_files(arguments.files) for m, *_ in mutants(file) if (m.file, m.where, m.old, m.new) not in same]
    if arguments.sample and arguments.sample < len(every):
        every = random.Random(arguments.seed).sample(every, arguments.sample)
    return [m for m in found if any(m.file.startswith(name) for name in arguments.files)] + every


def package(file: str) -> str:
    return next(name for name in PACKAGES if file.startswith(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", default=list(PACKAGES), help="files or folders; all by default")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, drawn by the seed; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--examples", type=int, default=40, help="hypothesis's examples for a law")
    parser.add_argument("--limit", type=float, default=180, help="seconds for one mutant; one that takes longer counts as killed")
    parser.add_argument("--results", type=Path, help="a file of results, to go on with")
    parser.add_argument("--named", action="store_true", help="the named mutants alone")
    arguments = parser.parse_args()
    warm(arguments.examples)
    todo = chosen(arguments)
    known = {}
    if arguments.results and arguments.results.exists():
        known = dict(json.loads(line) for line in arguments.results.read_text(encoding="utf-8").splitlines())
    files = sorted({m.file for m in todo if m.key not in known})
    for file, result, _ in run(list(files), arguments.jobs, arguments.limit * 4, arguments.examples, arguments.seed):
        if result != "survived":
            sys.exit(f"{file}: its tests {tests_of(file)} do not pass as it is ({result})")
    results = {m: known[m.key] for m in todo if m.key in known}
    open_ = [m for m in todo if m.key not in known]
    for mutant, result, took in run(list(open_), arguments.jobs, arguments.limit, arguments.examples, arguments.seed):
        results[mutant] = result
        if result == "survived":
            print(f"{mutant.file}:{mutant.line}: {mutant.old}  ->  {mutant.new}   ({mutant.where or 'module'}, {took:.0f} s)", flush=True)
        if arguments.results:
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps([mutant.key, result]) + "\n")
    print()
    for name in PACKAGES:
        those = [result for m, result in results.items() if package(m.file) == name]
        if those:
            dead = sum(result != "survived" for result in those)
            print(f"{name}: {dead} of {len(those)} killed ({100 * dead / len(those):.1f} %), {those.count('timeout')} of them by the time limit")
    for m, result in results.items():
        if result == "survived" and m.key in known:
            print(f"{m.file}:{m.line}: {m.old}  ->  {m.new}   ({m.where or 'module'}, known)")


if __name__ == "__main__":
    main()
