"""`python -m tests.bench`: what attncalc costs, as ratios within one run, each goal with ✓ or ✗. Exits with 1 where one is missed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from . import grading, sides, spread
from .clock import race
from .memory import growth_of_memory, peak_of_a_stack

Times = dict[str, float]


class Goal(NamedTuple):
    """A ratio of two sides of a race (a number of its own where `below` is empty) that is at most `most`, or at least `least`."""

    what: str
    above: str
    below: str
    most: float | None = None
    least: float | None = None
    unit: str = "×"

    def row(self, times: Times) -> tuple[str, str, str, bool]:
        value = times[self.above] / (times[self.below] if self.below else 1)
        shown = f"{value:.{1 if value < 100 else 0}f} {self.unit}"
        if self.most is not None:
            return self.what, shown, f"≤ {self.most:g} {self.unit}", value <= self.most
        return self.what, shown, f"≥ {self.least:g} {self.unit}", value >= (self.least or 0)


ATTENTION = (
    Goal("enclosures / python-flint", "enclosures", "flint", most=3),
    Goal("digits decided / python-flint", "digits", "flint", most=4),
    Goal("mpmath / enclosures", "mpmath", "enclosures", least=5),
    Goal("SymPy exact, evaluated / enclosures", "sympy", "enclosures", least=100),
)
LARGE = (
    Goal("enclosures / python-flint", "enclosures", "flint", most=1.5),
    Goal("digits decided / python-flint", "digits", "flint", most=3),
)
ENCODER = (
    Goal("enclosures / NumPy float64", "enclosures", "numpy", most=40),
    Goal("digits decided / NumPy float64", "digits", "numpy", most=40),
    Goal("mpmath / digits decided", "mpmath", "digits", least=20),
)
MARKING = (
    Goal("a right script marked / the problem solved", "right", "solved", most=4),
    Goal("a random script marked / the problem solved", "random", "solved", most=10),
)
TRANSFORMER = (Goal("a right script marked / the problem solved", "right", "solved", most=15),)
PROCESS = (
    Goal("attncalc solve / import click, rich.console, rich.table", "solve", "imports", most=2.2),
    Goal("attncalc solve --exact / attncalc solve", "exact", "solve", most=2),
)
WIDTHS = (Goal("width 64 / width 8", "64", "8", most=9),)
STACK = (Goal("attncalc solve, peak of the process", "peak", "", most=300, unit="MB"),)
CLASS = (Goal("300 scripts of 300 variants / 300 scripts of one paper", "variants", "paper", most=1.8),)
DRAWN = (
    Goal("problems kept of those drawn to the end", "kept", "", least=30, unit="%"),
    Goal("a certified variant by whole draws / towards the demands", "whole", "towards", least=3.6),  # 54 s and 15 s for 1,000
)
PAGE = (Goal("attncalc solve --to pdf / import sympy", "pdf", "sympy", most=1.5),)
PAGES = (Goal("attncalc solve … -o pages.pdf / the same source compiled by Typst alone", "pdf", "typst", most=2),)
MANY = 100


def main() -> None:
    console = Console()
    memory = growth_of_memory()
    compiled()
    table = Table("", "measured", "goal", "", title=f"Ratios within this run, each side at its fastest, {sides.DIGITS} digits")
    missed = 0
    for title, goals, times in races():
        table.add_row(f"[bold]{title}")
        for what, value, goal, met in (goal.row(times) for goal in goals):
            table.add_row(f"  {what}", value, goal, "✓" if met else "✗")
            missed += not met
        table.add_section()
    console.print(table)
    growth = Table("encoder layers, digits decided", "cost", title="Growth, against the first line of each group")
    for what, times_as_much in grown():
        growth.add_row(what, f"{times_as_much:.1f} ×")
    console.print(growth)
    console.print(memory)
    sys.exit(1 if missed else 0)


def races() -> Iterator[tuple[str, tuple[Goal, ...], Times]]:
    yield "masked self-attention, 4 tokens × 3", ATTENTION, race(sides.attention(4, 3, "mpmath", "sympy"))
    yield "masked self-attention, 64 tokens × 64", LARGE, race(sides.attention(64, 64))
    yield "encoder layer, 8 tokens × 16, 4 heads, feed-forward 64", ENCODER, race(sides.encoder_and_peers(8, 16, 4, 64))
    yield "marking, encoder-layer-small: 58 steps", MARKING, race(sides.marking("encoder-layer-small"), rounds=5)
    transformer = sides.marking("translate-two-words")
    del transformer["random"]
    yield "marking, translate-two-words: 303 steps", TRANSFORMER, race(transformer, rounds=3)
    yield "encoder layer, 8 tokens, digits decided", WIDTHS, race({width: sides.encoder(8, int(width), 4, 4 * int(width))["digits"] for width in ("8", "64")})
    yield "encoder, 12 layers, 16 tokens × 32, inner width 128", STACK, {"peak": peak_of_a_stack()}
    yield "a whole process", PROCESS, race(sides.processes(), rounds=15)
    yield "masked self-attention drawn, 3 tokens, d_model 4, d_k 3", DRAWN, spread.costs(40)
    yield "a class of attention-midterm, one core", CLASS, graded(300)
    yield "a solved problem as PDF, a whole process", PAGE, race(sides.one_page())
    with tempfile.TemporaryDirectory() as folder:
        yield f"{MANY} solved problems as one PDF, a whole process", PAGES, race(sides.many_pages(MANY, Path(folder)), rounds=3)


def graded(scripts: int) -> Times:
    """Seconds of the processor for so many scripts of one paper, and of as many variants."""
    times = {}
    for name, variants in (("paper", 1), ("variants", scripts)):
        with tempfile.TemporaryDirectory() as folder:
            grading.write_class(Path(folder), scripts, variants)
            times[name] = min(grading.graded(Path(folder))[1] for _ in range(3))
    return times


def grown() -> Iterator[tuple[str, float]]:
    groups = (
        [(f"{tokens} tokens × 16", (tokens, 16, 4, 64, 1)) for tokens in (4, 8, 16, 32)],
        [(f"8 tokens × {width}", (8, width, 4, 4 * width, 1)) for width in (8, 16, 32, 64)],
        [(f"{layers} layers, 8 tokens × 16", (8, 16, 4, 64, layers)) for layers in (1, 2, 4, 8)],
    )
    for group in groups:
        times = race({what: sides.encoder(*sizes)["digits"] for what, sizes in group}, rounds=3)
        for what, _ in group:
            yield what, times[what] / times[group[0][0]]


def compiled() -> None:
    """Lets the started processes keep their compiled modules, as an installed package does, in a folder of their own."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="attncalc-bench-")
    subprocess.run([sys.executable, "-c", sides.COMMAND], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
