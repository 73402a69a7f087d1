"""Mutation testing: one operator, constant, comparison or bound of the proof is changed at a time; do the tests notice?

    python -m tests.bench.mutations --files attncalc/arithmetic/intervals/scalar.py
    python -m tests.bench.mutations --sample 100 --seed 1 --results results.jsonl
    python -m tests.bench.mutations --files attncalc/arithmetic/rounding.py --tests tests/arithmetic/test_rounding.py
    python -m tests.bench.mutations --named

pytest collects the tests once, in a process that has imported everything. One run of them, in a fork, tells which lines
each test executes and how long it takes. Then the process is forked for each mutant: the fork puts the changed function
in place and runs the tests that execute the changed line, those that kill most for their time first, until one fails.
Constants and defaults, which are evaluated at import, are put into all modules that have imported them; for those of a
class a fork that has imported the libraries alone imports attncalc anew. A mutant on a line that no test executes has
survived; a test that takes ten times as long as before is a failure.

Results are kept in a file (`--results`), so that a run that was stopped goes on where it was; a mutant is known there
by the code around it, so that it is tried anew when its function changes. Mutants that change nothing (equivalent.yaml,
each with the reason) are not counted.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from .mutants import ROOT, File, Mutant, equivalent, put_in_place

PACKAGES = ("attncalc/arithmetic", "attncalc/certified_decimals.py", "attncalc/marking", "attncalc/submissions")
ARITHMETIC = [
    "tests/arithmetic",
    "tests/properties/test_certified_arithmetic.py",
    "tests/explain/test_closed_form_tree.py",
    "tests/properties/test_zeros.py",
]
# What belongs to a package; which of these a file needs is told by the lines that they execute.
TESTS = {
    "attncalc/arithmetic": ARITHMETIC,
    "attncalc/certified_decimals.py": [*ARITHMETIC, "tests/oracles/test_digits.py"],
    "attncalc/marking": ["tests/marking/test_evidence.py", "tests/marking/test_context.py", "tests/marking/test_diagnosis.py", "tests/marking/test_verdicts.py", "tests/marking/test_named_causes.py", "tests/marking/test_legality.py", "tests/arithmetic/test_carried.py",
                      "tests/properties/test_acceptance.py", "tests/marking/test_follow_through.py", "tests/oracles/test_examiner.py",
                      "tests/marking/test_report.py", "tests/explain/test_report_document.py", "tests/end_to_end/test_compared_marks.py",
                      "tests/mistakes/test_recognition.py", "tests/marking/test_slips.py", "tests/marking/test_line_enclosures.py", "tests/gradebook/test_regrade.py",
                      "tests/oracles/test_more_published_examples.py", "tests/marking/test_remembered_lines.py", "tests/problem/test_part_memo.py",
                      "tests/oracles/test_second_simulator.py", "tests/end_to_end/test_extremes.py",
                      "tests/explain/test_number_display.py", "tests/lessons/test_transformer_layers.py", "tests/properties/test_coarse_lines.py"],
    "attncalc/submissions": ["tests/submissions/test_script_reader.py", "tests/cli/test_solve.py", "tests/gradebook/test_entry_form.py",
                         "tests/gradebook/test_grade.py", "tests/exam/test_roster.py", "tests/end_to_end/test_bad_input.py",
                         "tests/submissions/test_number_parser.py", "tests/oracles/test_more_published_examples.py",
                         "tests/cli/test_schema.py"],
}  # fmt: skip
WIDE = ("test_told", "test_mark_rules", "test_outputs")
ANEW = "anew"  # told of a mutant for which attncalc must be imported anew
SLOWER, START = 10, 2.0  # a test may take so many times its time, and so many seconds more
MOST_MEMORY = 4 << 30


@dataclass
class Tests:
    """What one run of the tests has told: the seconds and the lines of each, by file; `most` seconds of them are run on
    a mutant.
    """

    most: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    kills: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that execute the changed line, the likeliest to notice soon first."""
        lines = set(mutant.lines)
        found = [
            t
            for t, files in self.lines.items()
            if (mutant.early and mutant.file in files) or lines.intersection(files.get(mutant.file, ()))
        ]
        near, far = self.kills[mutant.where], self.kills[mutant.file]
        found.sort(key=lambda t: (self.seconds[t] + 0.02) / (3 * near[t] + far[t] + 3 * is_own(t, mutant.file) + 0.05))
        spent = accumulate(self.seconds[t] for t in found)
        return [t for t, s in zip(found, spent, strict=True) if not self.most or s <= self.most or t == found[0]]

    def learn(self, mutant: Mutant, result: str, test: str, took: float) -> None:
        self._count(mutant.file, mutant.where, result, test)

    def _count(self, file: str, where: str, result: str, test: str) -> None:
        if result != "survived":
            self.kills[where][test] += 1
            self.kills[file][test] += 1

    def remember(self, results: Path | None) -> None:
        """What killed in earlier runs comes first again."""
        for key, result, test, _ in stored(results):
            self._count(*key.split(" | ")[:2], result, test)


def is_own(test: str, file: str) -> bool:
    """Whether a test is in a file of the changed module's name, or in one that looks at everything."""
    name = Path(test.partition("::")[0]).stem
    return name in WIDE or name == f"test_{Path(file).stem}"


def stored(results: Path | None) -> list[Any]:
    """The rows of a file of results."""
    return [json.loads(row) for row in results.read_text("utf-8").splitlines()] if results and results.exists() else []


# -- one run that tells lines and times --------------------------------------------------------------------------------


def traced(run: Callable[[], Any], files: dict[str, str]) -> dict[str, list[int]]:
    """Which lines of which files are executed by `run`."""
    seen: dict[str, set[int]] = defaultdict(set)

    def local(name: str) -> Callable[..., Any]:
        add = seen[name].add

        def line(frame: Any, event: str, argument: Any) -> Any:
            add(frame.f_lineno)
            return line

        return line

    tracers = {path: local(name) for path, name in files.items()}
    sys.settrace(lambda frame, event, argument: tracers.get(frame.f_code.co_filename))
    try:
        run()
    finally:
        sys.settrace(None)
    return {name: sorted(lines) for name, lines in seen.items() if lines}


def passes(item: Any, after: Any) -> bool:
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=after))


def measured(items: list[Any], tell: Callable[[Any], None]) -> int:
    """Tells of each test whether it passes without any change, its seconds and its lines."""
    names = [str(p.relative_to(ROOT)) for p in (ROOT / "attncalc").rglob("*.py")]
    files = {str(ROOT / name): name for name in names if name.startswith(PACKAGES)}
    for item, after in zip(items, [*items[1:], None], strict=False):
        good: list[bool] = []
        start = time.process_time()
        lines = traced(lambda: good.append(passes(item, after)), files)  # noqa: B023 - called at once
        tell([item.nodeid, good[0], time.process_time() - start, lines])
    return 0


@cache
def code_hash(folder: str) -> str:
    """Of all that tests share: the program, or the helpers of the tests."""
    paths = [
        p for p in sorted((ROOT / folder).rglob("*.py")) if not p.name.startswith("test_") and "bench" not in p.parts
    ]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


@cache
def test_hash(file: str) -> str:
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest()


def state(test: str, examples: int, seed: int) -> str:
    """All that decides which lines a test executes."""
    return f"{test_hash(test.partition('::')[0])[:16]} {code_hash('attncalc')[:16]} {code_hash('tests')[:16]} {examples} {seed}"


# -- running -----------------------------------------------------------------------------------------------------------

Tell = Callable[[Any], None]
OPTIONS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "-o", "addopts=", "-m",
           "not slow", "--tb=no", "--hypothesis-profile", "mutants"]  # fmt: skip


def forked(work: Callable[[Tell], int]) -> Iterator[Any]:
    """Does `work` in a fork: yields what it tells, and at last its exit code (below 0: the signal that ended it)."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 3
        try:
            os.close(reading)
            os.setpgid(0, 0)
            errors, nothing = os.dup(2), os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            code = work(lambda told: os.write(writing, (json.dumps(told) + "\n").encode()) and None)
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:
            os.write(errors, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        yield from map(json.loads, pipe)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what it may have left; itself it has ended, or closed the pipe
    yield os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def limit(seconds: float) -> None:
    """Ends this process after so much time of its own, or some more by the clock."""
    signal.setitimer(signal.ITIMER_PROF, START + SLOWER * seconds)
    signal.alarm(int(10 * (START + SLOWER * seconds)))


def tried(work: Callable[[Tell], int]) -> tuple[str, str, float]:
    """What came of a mutant, the last test that was begun, and the seconds."""
    start = time.monotonic()
    *begun, code = forked(work)
    return (
        "survived" if code == 0 else "killed" if code > 0 else "timeout",
        begun[-1] if begun else "import",
        time.monotonic() - start,
    )


class Bench:
    """A pytest plugin: instead of running the collected tests once, runs them on every mutant. Tells the tests, then
    each result.
    """

    def __init__(self, asked: argparse.Namespace, todo: Iterable[Mutant], tests: Tests, tell: Tell):
        self.asked, self.todo, self.tests, self.tell = asked, todo, tests, tell

    def pytest_runtestloop(self, session: Any) -> bool:
        self.measure(session.items)
        self.tell([self.tests.seconds, self.tests.lines, self.failing])
        items = {item.nodeid: item for item in session.items}
        gc.collect()
        gc.freeze()
        for mutant in self.todo:
            order = [items[test] for test in self.tests.of(mutant)]
            result = tried(self.trial(mutant, order)) if order else ("survived", "", 0.0)
            if result[1] != ANEW:
                self.tests.learn(mutant, *result)
                self.tell([mutant.key, *result])
        return True

    def trial(self, mutant: Mutant, order: list[Any]) -> Callable[[Tell], int]:
        """The tests in this order on the changed function, to the first that fails."""
        code = file_of(mutant.file).changed(mutant)

        def work(tell: Tell) -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            if not put_in_place(importlib.import_module(module_name(mutant.file)), mutant, code):
                tell(ANEW)
                return 1
            for item, after in zip(order, [*order[1:], None], strict=True):
                tell(item.nodeid)
                limit(self.tests.seconds[item.nodeid])
                if not passes(item, after):
                    return 1
            return 0

        return work

    def measure(self, items: list[Any]) -> None:
        asked = self.asked
        kept = asked.results.with_suffix(".lines.json") if asked.results else None
        states = {item.nodeid: state(item.nodeid, asked.examples, asked.seed) for item in items}
        stored = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
        found = {test: two for test, (made, *two) in stored.items() if states.get(test) == made}
        todo = [item for item in items if item.nodeid not in found]
        *told, code = forked(lambda tell: measured(todo, tell))
        self.failing = [test for test, good, *_ in told if not good]  # as it is: such a test cannot tell anything
        if code:
            self.tell([f"the tests end with {code}"])
            os._exit(2)
        told = [row for row in told if row[1]]
        found |= {test: two for test, _, *two in told}
        self.tests.seconds = {test: seconds for test, (seconds, _) in found.items()}
        self.tests.lines = {test: lines for test, (_, lines) in found.items()}
        if kept:
            kept.write_text(json.dumps({test: (states[test], *two) for test, two in found.items()} | {
                test: row for test, row in stored.items() if test not in states}), encoding="utf-8")  # fmt: skip


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from changed code; as a pytest plugin, runs the chosen tests in their order."""

    def __init__(self, mutant: Mutant, tests: Tests, tell: Tell):
        self.name, self.origin = module_name(mutant.file), str(ROOT / mutant.file)
        self.code = file_of(mutant.file).changed(mutant)
        self.order = {test: k for k, test in enumerate(tests.of(mutant))}
        self.seconds, self.tell = tests.seconds, tell

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return importlib.util.spec_from_loader(name, self, origin=self.origin) if name == self.name else None

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        module.__file__ = self.origin
        exec(self.code, module.__dict__)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell(nodeid)
        limit(self.seconds[nodeid])


def session(asked: argparse.Namespace, files: list[str], plugin: Any) -> int:
    import pytest

    return int(pytest.main(["-x", *OPTIONS, f"--hypothesis-seed={asked.seed}", *files], plugins=[plugin]))


def anew(asked: argparse.Namespace, mutant: Mutant, tests: Tests) -> Callable[[Tell], int]:
    """The tests on a module that is changed before it is imported."""

    def work(tell: Tell) -> int:
        plugin = Changed(mutant, tests, tell)
        sys.meta_path.insert(0, plugin)
        signal.alarm(120)  # for the import
        return session(asked, list(dict.fromkeys(test.partition("::")[0] for test in plugin.order)), plugin)

    return work


def warm(examples: int) -> None:
    """Imports what takes long and is not changed."""
    import flint  # noqa: F401
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import sympy  # noqa: F401
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile("mutants", max_examples=examples, deadline=None, database=None,
                              phases=[Phase.explicit, Phase.generate],
                              suppress_health_check=list(HealthCheck))  # fmt: skip
    os.chdir(ROOT)
    # Without optional programs, so that no test makes itself such a PATH
    os.environ["PATH"] = str(Path(sys.executable).parent)
    assert not any(name.split(".")[0] == "attncalc" for name in sys.modules), (
        "attncalc must be imported by the forks alone"
    )


def run(asked: argparse.Namespace, package: str, todo: list[Mutant]) -> Iterator[tuple[Mutant, str, str, float]]:
    """Each mutant of a package with what came of it, the test that was the last, and the seconds."""
    tests, by_key, done = Tests(asked.most), {mutant.key: mutant for mutant in todo}, set()
    tests.remember(asked.results)
    told = forked(lambda tell: session(asked, asked.tests or TESTS[package], Bench(asked, todo, tests, tell)))
    first = next(told)
    if not isinstance(first, list) or len(first) != 3:
        sys.exit(f"{package}: {first}")
    tests.seconds, tests.lines, failing = first
    for test in failing:
        print(f"{test} is left out: it fails as it is", flush=True)
    print(
        f"{package}: {len(tests.seconds)} tests, {sum(tests.seconds.values()):.0f} s with their lines told", flush=True
    )
    for row in told:
        if isinstance(row, list):
            key, *result = row
            done.add(by_key[key])
            yield by_key[key], *result
    for mutant in todo:
        if mutant not in done and not asked.in_place:
            result = tried(anew(asked, mutant, tests)) if tests.of(mutant) else ("survived", "", 0.0)
            tests.learn(mutant, *result)
            yield mutant, *result


# -- the report --------------------------------------------------------------------------------------------------------


@cache
def file_of(name: str) -> File:
    return File(name)


def module_name(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def python_files(names: list[str]) -> list[str]:
    paths = [
        path
        for name in names
        for path in (sorted((ROOT / name).rglob("*.py")) if (ROOT / name).is_dir() else [ROOT / name])
    ]
    return [str(path.relative_to(ROOT)) for path in paths if path.stat().st_size]


def chosen(asked: argparse.Namespace) -> list[Mutant]:
    """The named mutants, then those of each file: all, or so many of each by the draw."""
    same, found = equivalent(), []
    for name in python_files(asked.files):
        file = file_of(name)
        every = [] if asked.named else [m for m in file.mutants if m.name not in same]
        if asked.sample:
            every = sorted(every, key=lambda m: m.drawn(asked.seed))[: asked.sample]
        found += [*file.named, *every]
    return found


def table(results: dict[Mutant, str]) -> Iterator[str]:
    """How many of each file's mutants were noticed."""
    for name in [*dict.fromkeys(m.file for m in results), ""]:
        those = [result for m, result in results.items() if m.file.startswith(name)]
        dead, late = sum(result != "survived" for result in those), those.count("timeout")
        yield f"{name or 'together'}: {dead} of {len(those)} killed ({100 * dead / len(those):.1f} %), {late} of them by the time limit"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", default=list(PACKAGES), help="files or folders; all by default")
    parser.add_argument(
        "--sample", type=int, default=0, help="so many mutants of each file, drawn by the seed; all by default"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw, and of hypothesis's examples")
    parser.add_argument("--examples", type=int, default=10, help="hypothesis's examples for a law that asks for 100")
    parser.add_argument("--results", type=Path, help="a file of results, to go on with")
    parser.add_argument("--again", action="store_true", help="try those that survived once more")
    parser.add_argument(
        "--most", type=float, default=0, help="seconds of tests for one mutant, for a first look; all by default"
    )
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="without the defaults of a class, for which all is imported anew, which takes seconds",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        help="these tests alone, such as those of one file; by default all that belong to the package",
    )
    parser.add_argument("--named", action="store_true", help="the named mutants alone")
    parser.add_argument("--list", action="store_true", help="print the survivors in the results and run nothing")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    warm(asked.examples)
    os.nice(15)
    known = {key: result for key, result, *_ in stored(asked.results)}
    todo = chosen(asked)
    results = {m: known[m.key] for m in todo if m.key in known and not (asked.again and known[m.key] == "survived")}
    for package in () if asked.list else PACKAGES:
        open_ = [m for m in todo if m not in results and m.file.startswith(package)]
        for mutant, result, test, took in run(asked, package, open_) if open_ else ():
            results[mutant] = result
            if result == "survived":
                print(f"{mutant}   {took:.0f} s", flush=True)
            if asked.results:
                with asked.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([mutant.key, result, test, round(took, 2)]) + "\n")
    print("\nSurvivors:", *(m for m, result in results.items() if result == "survived"), "", *table(results), sep="\n")


if __name__ == "__main__":
    main()
