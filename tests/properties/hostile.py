"""Problem files from a grammar of every function of the language, with huge, tiny, nearly equal and deeply nested
arguments; and a command run on each of them within bounds of memory and of processor time.

`python -m tests.properties.hostile 0 5000 FOLDER` runs that many; `test_budget.py` runs a sample.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import attncalc.cli.document_options
import attncalc.cli.solve
import attncalc.explain.closed_form_tree
import attncalc.explain.solution_document
import attncalc.render.certificate
import attncalc.render.html
import attncalc.render.latex
import attncalc.render.markdown
import attncalc.render.terminal  # noqa: F401 - a child then has what it needs
from attncalc.errors import FormulaError
from attncalc.formula import operations as op
from attncalc.formula.elaboration import check
from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from attncalc.formula.typed_formula import Node
from tests.support.called import called

MEMORY, SECONDS = 1_000_000_000, 20
A_CHILD = 40  # files that one process runs

NUMBERS = (
    "0", "1", "-1", "2", "1/3", "-7/5", "0.1", "1e30", "-1e30", "1e300", "1e1000", "-1e1000", "1e-30", "1e-1000", "-inf",
    "262537412640768744", "640320", "2 ** 10**10", "2 ** -10**12", "10 ** 12", "10 ** (10 ** 12)", "2 ** (2 ** 70)",
    "1e9 * ln(2)", "ln(3)", "sqrt(2)", "sqrt(2) + 1e-60", "exp(pi * sqrt(163))", "pi", "e", "1 + 1e-40", "1 - 1e-40", "exp(100)",
    "exp(1e9)", "exp(-1e9)", "sqrt(3 + 2*sqrt(2)) - sqrt(2)", "0.999999999999999999999999", "2 ** 0.5", "1e1000 / 3", "22/7",
    "123456789012345678901234567890", "3 ** 3000", "(1/3) ** 3000", "1000003 * 1000033 / 999983", "79228162514264337593543950319",
)  # fmt: skip
PLAIN = NUMBERS[:9]
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "<", "==", ">=", "!=")
WHOLES = ("0", "1", "2", "3", "-1", "5", "64", "4096", "4097", "1000000000", "10 ** 12", "2 ** 70")
TEXTS = ('"0-1 1-0"', '"0 1"', '"0"', '"9-9"')
INDICES = (
    "0",
    "0:1",
    ":, 0",
    "0, 0",
    "-1",
    "::2",
    "::-1",
    "1::-1",
    ":, ::2",
    "[0, 0, 1]",
    ":, [1, 0]",
    "[0] * 3",
    "[-1, 0], 0",
    "[0, 9]",
    "0:0",
    "::0",
    "::1000000000",
    "99999999999:",
)
SOLVERS = (
    "inverse({0})",
    "det({0})",
    "solve({0}, {1})",
    "inverse({0}) @ {1}",
    "det({0} - det({1}))",
    "solve({0}, inverse({1}))",
)
LARGE = (
    "zeros(512, 512)",
    "identity(400)",
    "ones(64, 64) / 3",
    "identity(64) * sqrt(2)",
    "ones(4096, 64)",
    "ones(1, 4096)",
    "sinusoidal(200, 64)",
    "alibi_slopes(4096)",
    "tile(X, 50, 50)",
    "repeat(X, 100)",
    "exp(identity(100) / 7)",
    "one_hot(argsort(ones(1, 500)), 500)",
)
AROUND = (
    "{0} @ {0}",
    "{0} * {0}",
    "{0} / 3 + {0}",
    "exp({0})",
    "softmax({0} @ {0}.T)",
    "log(1 + exp({0}))",
    "sort({0})",
    "argsort({0})",
    "cumsum({0})",
    "round({0}, 3)",
    "{0} ** (1/3)",
    "{0} ** 8",
    "layer_norm({0})",
    "std({0})",
    "{0}.T",
    "entropy(softmax({0}))",
    "erf({0})",
    "{0}[::2]",
    "{0} @ {0} @ {0}",
    "sum({0})",
    "prod({0})",
    "cumprod({0})",
    "top_k({0}, 3)",
    "rank({0})",
    "det({0})",
    "inverse({0})",
    "floor({0} * 1e30)",
)
MODES = ("half_up", "half_even", "truncate")
OUTPUTS = (
    (), (), ("--exact",), ("--paper",), ("--explain", "full"), ("--explain", "full", "--exact"), ("--digits", "0"),
    ("--digits", "60"), ("--digits", "1000"), ("--to", "html"), ("--to", "html", "--explain", "full"), ("--to", "latex"),
    ("--to", "json"), ("--to", "json", "--exact"), ("--to", "typst", "--paper"), ("--to", "markdown", "--digits", "12"),
    ("--certificate", "{certificate}"),
)  # fmt: skip


ANSWERS = {
    "solve": (0,),
    "lint": (0, 1),
    "plan": (0,),
    "answers": (0,),
    "check": (0, 1),
}  # exit codes of commands that give an answer
COMMANDS = tuple(ANSWERS)


class Hostile(NamedTuple):
    """A file and the words of the command that works it out, `solve` if they name none."""

    text: str
    words: tuple[str, ...]


class Grammar:
    """Formulas over the givens X and Y (2 × 2), v (1 × 2) and s (1 × 1), and over earlier steps."""

    def __init__(self, one: random.Random):
        self.one = one
        self.names = ["X", "Y", "X", "v", "s"]

    def number(self) -> str:
        return self.one.choice(PLAIN if self.one.random() < 0.4 else NUMBERS)

    def formula(self, depth: int) -> str:
        one = self.one
        chance = one.random()
        if depth <= 0 or chance < 0.12:
            return one.choice(self.names) if one.random() < 0.75 else f"({self.number()})"
        if chance < 0.4:
            operator = one.choice(OPERATORS)
            return f"({self.formula(depth - 1)} {operator} {self.formula(depth - 1)})"
        if chance < 0.44:
            return f"-{self.formula(depth - 1)}" if one.random() < 0.5 else f"({self.formula(depth - 1)}).T"
        if chance < 0.46:
            return f"({self.formula(depth - 1)})[{one.choice(INDICES)}]"
        if chance < 0.49:
            return one.choice(SOLVERS).format(self.formula(depth - 1), self.formula(depth - 1))
        name = one.choice(list(functions()))
        if chance < 0.52:
            inside = self.formula(depth - 1)
            for _ in range(one.choice((3, 8, 20, 40))):
                inside = self.call(name, inside)
            return inside
        return self.call(name)

    def large(self) -> str:
        """A formula over matrices with many entries, or one of very many pieces."""
        one = self.one
        made = one.choice(LARGE)
        if one.random() < 0.3:
            piece, count = one.choice((made, "X", "v", "s")), one.choice((2, 40, 250, 600))
            made = f"{one.choice(('vstack', 'hstack'))}({', '.join([piece] * count)})"
        for _ in range(one.randint(0, 3)):
            around = one.choice(AROUND)
            made = around.format(made if len(made) < 200 else "X") if around.count("{0}") > 1 else around.format(made)
        return made

    def repeated(self, k: int) -> str:
        """A step that repeats itself or the two of X and Y, perhaps with its turn in it."""
        one = self.one
        turns = one.choice((1, 2, 3, 10, 40, 100, 100, 101))
        if one.random() < 0.5:
            name = one.choice(("X", "v", "s"))
            return f"  {name}: {{formula: '{self.fitting(1, {'X': 2, 'v': 1, 's': 0}[name])}', repeat: {turns}}}"
        counter = one.random() < 0.6
        self.names += ["t", "t"] if counter else []
        lines = ", ".join(f"{name}: '{self.fitting(2, 2)}'" for name in ("X", "Y"))
        self.names = [name for name in self.names if name != "t"]
        return f"  R{k}: {{steps: {{{lines}}}, repeat: {turns}{', counter: t' if counter else ''}}}"

    def fitting(self, depth: int, steps: int) -> str:
        """A formula that has a shape."""
        drawn = (self.formula(self.one.randint(1, depth)) for _ in range(20))
        return next((text for text in drawn if fits(text, steps)), "X")

    def call(self, name: str, first: str = "") -> str:
        """A call of a function, its first matrix given or drawn."""
        function, one = functions()[name], self.one
        if function.variadic:
            return (
                f"{name}({', '.join([first or self.formula(1), *(self.formula(1) for _ in range(one.randint(0, 2)))])})"
            )
        words = []
        for parameter in function.parameters:
            if parameter.default is not None and one.random() < 0.6:
                continue
            match parameter.kind:
                case "whole":
                    word = one.choice(WHOLES[:5] if one.random() < 0.85 else WHOLES)
                case "word":
                    word = f'"{one.choice(parameter.words)}"'
                case "text":
                    word = one.choice(TEXTS)
                case "scalar" | "positive":
                    word = "s" if one.random() < 0.3 else f"({self.number()})"
                case _:
                    word, first = first or self.formula(1), ""
            words.append(word if parameter.default is None else f"{parameter.name}={word}")
        return f"{name}({', '.join(words)})"


def hostile(index: int) -> Hostile:
    """The file of a number, the same every time; most of its formulas fit."""
    one = random.Random(index)
    grammar = Grammar(one)

    def matrix(n: int, m: int) -> str:
        same = grammar.number() if one.random() < 0.2 else ""
        rows = [[f'"{same or grammar.number()}"' for _ in range(m)] for _ in range(n)]
        return "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"

    lines = [
        "title: t",
        f"rounding: {{digits: {one.choice((0, 2, 4, 4, 10, 60))}, mode: {one.choice(MODES)}}}",
        "given:",
        f"  X: {matrix(2, 2)}",
        f"  Y: {matrix(2, 2)}",
        f"  v: {matrix(1, 2)}",
        f"  s: {matrix(1, 1)}",
        "steps:",
    ]
    for k in range(one.randint(1, 3)):
        chance = one.random()
        formula = grammar.large() if chance < 0.12 else grammar.fitting(4, k)
        lines.append(f"  A{k}: '{formula}'")
        grammar.names.append(f"A{k}")
    if one.random() < 0.15:
        lines.append(grammar.repeated(len(grammar.names)))
    if one.random() < 0.04:
        lines.insert(lines.index("steps:"), f"  L: '{one.choice(LARGE)}'")
        lines.append(f"  L: {{formula: '{one.choice(AROUND).format('L')}', repeat: {one.choice((3, 20, 100))}}}")
    return Hostile("\n".join(lines) + "\n", one.choice(OUTPUTS))


def fits(text: str, steps: int) -> bool:
    """Whether a formula over the givens has a shape; one over earlier steps is tried in the file itself."""
    shapes = (
        {"X": (2, 2), "Y": (2, 2), "v": (1, 2), "s": (1, 1)} | {f"A{k}": (2, 2) for k in range(steps)} | {"t": (1, 1)}
    )

    def resolve(name: str, at: int) -> Node:
        if name not in shapes:
            raise FormulaError("unknown", at)
        return op.Ref(name, shapes[name], bits=200, name=name)

    try:
        check(parse(text), resolve)
    except FormulaError:
        return False
    return True


# -- within bounds -----------------------------------------------------------------------------------------------------


ROOT = Path(__file__).parents[2]


class Fault(NamedTuple):
    """A file that broke a bound, and how its run ended."""

    case: Case
    how: str


Case = int | tuple[str, tuple[str, ...]]  # a number of the grammar, or a file and its words


def answered(solution: dict[str, Any], spoiled: bool) -> str:
    """The right answers to all steps as a file, in the spoiled ones a third of the numbers replaced."""
    one, lines = random.Random(1), []
    for part in solution["parts"]:
        for step in part["steps"]:
            rows = [
                [
                    one.choice(("0", "1", "-0.37", "2.5", "1e9")) if spoiled and one.random() < 0.3 else text
                    for text in row
                ]
                for row in step["decimal"]
            ]
            lines.append(f"{step['name']}: [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]\n")
    return "".join(lines)


def outcome(case: Case, folder: Path) -> tuple[int, str]:
    """Runs one file: its exit code, and "" where it ends with an answer or a message."""
    text, words = hostile(case) if isinstance(case, int) else case
    path = folder / f"{case if isinstance(case, int) else 'case'}.yaml"
    path.write_text(text, encoding="utf-8")
    path.with_suffix(".json").unlink(missing_ok=True)
    command, *words = words if words and words[0] in COMMANDS else ("solve", *words)
    try:
        if command == "check":
            code, out, err = called("solve", path, "--to", "json")
            if code:  # nothing to answer
                return code, "" if code == 2 and err.strip() else f"exit code {code}: {err[-300:]}"
            answers = path.with_suffix(".answers.yaml")
            answers.write_text(answered(json.loads(out), spoiled="random" in words), encoding="utf-8")
            words = [str(answers)]
        code, out, err = called(command, path, *(word.format(certificate=path.with_suffix(".json")) for word in words))
        if code == 0 and "--certificate" in words and path.with_suffix(".json").exists():
            is_proven = "could not be proven" not in out
            code, out, err = called("verify", path.with_suffix(".json"))
            if code == 1 and out and not is_proven:
                return code, ""  # verify may settle a tie that solve printed as not proven
    except BaseException:
        return -1, "a traceback: " + traceback.format_exc()[-600:]
    if code in ANSWERS[command] and out or code == 2 and err.strip() and "has an internal error" not in err:
        return code, ""
    return code, f"exit code {code}: {err[-300:]}"


def _child(cases: list[Case], folder: Path) -> None:
    """Runs files one after the other and reports each on standard output before the next begins."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    report = os.dup(1)
    for case in cases:
        used = resource.getrusage(resource.RUSAGE_SELF)
        before = used.ru_utime + used.ru_stime
        resource.setrlimit(resource.RLIMIT_CPU, (int(before) + SECONDS + 1, resource.RLIM_INFINITY))
        code, fault = outcome(case, folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        spent = used.ru_utime + used.ru_stime - before
        os.write(report, f"{code}\t{spent:.2f}\t{used.ru_maxrss}\t{' '.join(fault.split())[:1500]}\n".encode())


class Run(NamedTuple):
    """What many files came to: faults, exit codes, seconds, and the most memory of a process in kilobytes."""

    faults: list[Fault]
    codes: list[int]
    seconds: list[float]
    memory: int


def run(cases: list[Case], folder: Path) -> Run:
    """Runs files in new processes, each file within the bounds of memory and of processor time."""
    left, result = list(cases), Run([], [], [], 0)
    while left:
        done = subprocess.run(
            [sys.executable, "-m", "tests.properties.hostile", str(folder)],
            input=json.dumps(left[:A_CHILD]), capture_output=True, text=True, cwd=ROOT,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            code, spent, peak, how = line.split("\t")
            result.codes.append(int(code))
            result.seconds.append(float(spent))
            result = result._replace(memory=max(result.memory, int(peak)))
            case = left.pop(0)
            if how:
                result.faults.append(Fault(case, how))
        if done.returncode and left:
            ended = signal.Signals(-done.returncode).name if done.returncode < 0 else f"status {done.returncode}"
            result.faults.append(Fault(left.pop(0), f"the process ended by {ended}: {done.stderr[-300:]}"))
    return result


def main() -> None:
    """Runs the files of a range, or as a child those that standard input lists."""
    if len(sys.argv) == 2:
        listed = [case if isinstance(case, int) else (case[0], tuple(case[1])) for case in json.load(sys.stdin)]
        _child(listed, Path(sys.argv[1]))
        return
    first, last, home = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    home.mkdir(parents=True, exist_ok=True)
    codes: list[int] = []
    seconds: list[float] = []
    faults = memory = 0
    for start in range(first, last, A_CHILD):
        done = run(list(range(start, min(start + A_CHILD, last))), home)
        for case, how in done.faults:
            print(case, how, flush=True)
        codes, seconds = codes + done.codes, seconds + done.seconds
        faults, memory = faults + len(done.faults), max(memory, done.memory)
        print(
            f"{len(codes)} files, {codes.count(0)} answers, {codes.count(2)} messages, {faults} faults, at most "
            f"{memory // 1_000} MB and {max(seconds, default=0)} s, {sum(seconds) / max(1, len(seconds)):.3f} s on average",
            flush=True,
        )


if __name__ == "__main__":
    main()
