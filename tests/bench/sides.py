"""What is measured: each subject is a race of sides, all from X to Z (or to the end of the layer), warm, without
printing.

The plan is built beforehand, as the other side's matrices are: reading a file is no part of it. Every call works all
values out anew.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attncalc import load
from attncalc.arithmetic.rounding import Rounding
from attncalc.marking.report import check
from attncalc.problem.problem import Problem
from attncalc.solution import StepResult
from attncalc.step_values import Values
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import Bound, bind
from tests.support.scripts import Hand, script

from . import peers, samples
from .clock import Side

DIGITS = 30
BITS = 163  # of enclosures, ours and flint's: 30 digits, and 64 bits for what is lost on the way
IMPORTS = "import click, rich.console, rich.table"
SOLVE = "import sys; sys.argv[:1] = ['attncalc', 'solve']; from attncalc.__main__ import main; main()"
PAGE = "import sys; sys.argv = ['attncalc', 'solve', 'look-ahead-mask', '--to', 'pdf']; from attncalc.__main__ import main; main()"
COMPILE = (
    "import sys, typst; typst.compile(sys.argv[1], root=sys.argv[2], ignore_system_fonts=True, pdf_standards='ua-1')"
)
COMMAND = "import sys; sys.argv = ['attncalc', 'solve', 'transformers-transforming-our-lives']; from attncalc.__main__ import main; main()"
EXACT = COMMAND.replace("our-lives'", "our-lives', '--exact'")


def attention(tokens: int, width: int, *others: str) -> dict[str, Side]:
    """Masked self-attention: ours to enclosures and to decided digits, flint written directly, and `others`."""
    given = samples.attention_givens(tokens, width)
    sides: dict[str, Side] = ours(samples.attention(tokens, width))
    for name, peer, argument in (
        ("flint", peers.FLINT, BITS),
        ("mpmath", peers.MPMATH, DIGITS),
        ("sympy", peers.SYMPY, DIGITS),
    ):
        if name == "flint" or name in others:
            sides[name] = call(peer.attention, *map(peer.matrix, given.values()), argument)
    return sides


def encoder(tokens: int, width: int, heads: int, inner: int, layers: int = 1) -> dict[str, Side]:
    """Encoder layers, ours alone."""
    return ours(samples.encoder(tokens, width, heads, inner, layers))


def encoder_and_peers(tokens: int, width: int, heads: int, inner: int) -> dict[str, Side]:
    given = {name.removesuffix("_l1"): rows for name, rows in samples.encoder_givens(tokens, width, inner).items()}
    sides = encoder(tokens, width, heads, inner)
    for name, peer, arguments in (("numpy", peers.NUMPY, (heads,)), ("mpmath", peers.MPMATH, (heads, DIGITS))):
        assert peer.encoder is not None
        sides[name] = call(peer.encoder, {key: peer.matrix(rows) for key, rows in given.items()}, *arguments)
    return sides


def marking(name: str) -> dict[str, Side]:
    """A problem that comes along, solved to 3 decimals in every step, and two scripts of it marked: a right one and a
    random one.
    """
    problem, rng = load(name), random.Random(1)
    right = script(problem, Hand(rng, 3, "half_up"))
    return {
        "solved": lambda: [
            StepResult(step, values, Rounding(3)).printed()
            for values in [Values(problem.plan)]
            for step in problem.plan.steps()
        ],
        "right": call(check, problem, right),
        "random": call(check, problem, at_random(problem, right, rng)),
    }


def at_random(problem: Problem, right: Bound, rng: random.Random) -> Bound:
    """A script that answers every line of another, each entry by any number."""
    answers = {part.name: {} for part in problem.parts} if len(problem.parts) > 1 else {}
    for filled in right.steps:
        n, m = filled.step.shape
        into = answers.get(filled.step.part, answers)
        into[filled.step.name] = [[f"{rng.uniform(-3, 3):.3f}" for _ in range(m)] for _ in range(n)]
    return bind(read(json.dumps({"answers": answers}).encode(), "random.json"), problem)


def processes() -> dict[str, Side]:
    return {"solve": call(run, COMMAND), "exact": call(run, EXACT), "imports": call(run, IMPORTS)}


def one_page() -> dict[str, Side]:
    """A problem that comes along as PDF, from its file on, beside what SymPy alone takes to be imported."""
    return {"pdf": call(run, PAGE), "sympy": call(run, "import sympy")}


def many_pages(count: int, folder: Path) -> dict[str, Side]:
    """So many problem files as one PDF, and the same Typst source compiled by Typst's package alone."""
    files = attention_files(count, folder)
    source = folder / "pages.typ"
    run(SOLVE, *files, "-o", str(source))
    return {
        "pdf": call(run, SOLVE, *files, "-o", str(folder / "pages.pdf"), "--force"),
        "typst": call(run, COMPILE, str(source), str(folder)),
    }


def attention_files(count: int, folder: Path) -> list[str]:
    """Write so many problem files, and return their paths."""
    files = [str(folder / f"{k}.yaml") for k in range(count)]
    for k, file in enumerate(files):
        problem = {"title": f"Problem {k}", **samples.attention(4, 3, f"problem {k}")}
        Path(file).write_text(json.dumps(problem), encoding="utf-8")
    return files


def run(code: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)


def ours(problem: dict[str, Any]) -> dict[str, Side]:
    plan = load(problem).plan
    step = plan.parts[0].steps[-1]
    return {
        "enclosures": lambda: Values(plan).enclosure(step.key, BITS),
        "digits": lambda: StepResult(step, Values(plan), Rounding(DIGITS)).printed(),
    }


def call(function: Callable[..., object], *arguments: Any) -> Side:
    return lambda: function(*arguments)
