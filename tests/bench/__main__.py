"""`python -m tests.bench [words]`: what attncalc costs, as ratios within one run, each goal with ✓ or ✗. Exits with 1
where one is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import earlier, grading, papers, sides, spread
from .clock import Side, race
from .memory import growth_of_memory, peak_of_a_stack, peak_of_pages

Times = dict[str, float]


class Goal(NamedTuple):
    """A ratio of two sides of a race (a number of its own where `below` is empty) that is at most `most`, or at least
    `least`.
    """

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
    Goal("a right script marked / the problem solved", "right", "solved", most=20),
    Goal("a random script marked / a right one", "random", "right", most=8),
)
TRANSFORMER = (Goal("a right script marked / the problem solved", "right", "solved", most=20),)
PROCESS = (
    Goal("attncalc solve / import click, rich.console, rich.table", "solve", "imports", most=2.2),
    Goal("attncalc solve --exact / attncalc solve", "exact", "solve", most=2),
)
WIDTHS = (
    Goal("digits decided, width 64 / width 8", "64 digits", "8 digits", most=9),
    Goal("enclosures of as many bits, width 64 / width 8", "64 enclosures", "8 enclosures", most=9),
)
STACK = (Goal("attncalc solve, peak of the process", "peak", "", most=300, unit="MB"),)
CLASS = (Goal("300 scripts of 300 variants / 300 scripts of one paper", "variants", "paper", most=1.8),)
DRAWN = (
    Goal("problems kept of those drawn to the end", "kept", "", least=30, unit="%"),
    # 21 s for 1,000, on the machine where mpmath takes 0.476 ms
    Goal("a certified variant / masked self-attention, 4 × 3, by mpmath", "variant", "mpmath", most=45),
)
PAGE = (Goal("attncalc solve --to pdf / import sympy", "pdf", "sympy", most=1.5),)
PAGES = (Goal("attncalc solve … -o pages.pdf / the same source compiled by Typst alone", "pdf", "typst", most=2),)
PAGES_MEMORY = (Goal("attncalc solve … -o pages.pdf, peak of the process", "peak", "", most=1000, unit="MB"),)
EXAM = (Goal("attncalc exam, one core / Typst alone on its papers and solutions", "exam", "typst", most=3),)
AGAIN = (Goal("attncalc regrade / attncalc grade", "regrade", "grade", most=3),)
HALVED = tuple(
    Goal(f"attncalc {what} / the same of {earlier.COMMIT}", command, f"{command} {earlier.COMMIT}", most=0.5)
    for command, what in (("exam", "exam"), ("grade", "grade, with HTML pages"), ("regrade", "regrade"))
)
MANY, FEW = 100, 20


def main() -> None:
    """Tells each line as soon as it is measured; `words` choose the subjects whose titles have one of them."""
    words, missed = sys.argv[1:], 0
    compiled()
    print(f"Ratios within this run, each side at its fastest, {sides.DIGITS} digits")
    for title, goals, measured in SUBJECTS:
        if words and not any(word in title for word in words):
            continue
        print(title, flush=True)
        times = measured()
        for what, value, goal, met in (goal.row(times) for goal in goals):
            print(f"  {what:<72} {value:>10}   {goal:>9}   {'✓' if met else '✗'}", flush=True)
            missed += not met
    if not words:
        grown()
        print(growth_of_memory())
    sys.exit(1 if missed else 0)


def transformer() -> Times:
    both = sides.marking("translate-two-words")
    del both["random"]
    return race(both, rounds=3)


def in_folder(make: Callable[[int, Path], dict[str, Side]], count: int) -> Times:
    """The race of sides that write into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        return race(make(count, Path(folder)), rounds=3)


def graded(scripts: int) -> Times:
    """Seconds of the processor for so many scripts of one paper, and of as many variants."""
    times = {}
    for name, variants in (("paper", 1), ("variants", scripts)):
        with tempfile.TemporaryDirectory() as folder:
            grading.write_class(Path(folder), scripts, variants)
            times[name] = min(grading.graded(Path(folder))[1] for _ in range(3))
    return times


def grown() -> None:
    """The cost of encoder layers against the first of each group."""
    groups = (
        [(f"{tokens} tokens × 16", (tokens, 16, 4, 64, 1)) for tokens in (4, 8, 16, 32)],
        [(f"8 tokens × {width}", (8, width, 4, 4 * width, 1)) for width in (8, 16, 32, 64)],
        [(f"{layers} layers, 8 tokens × 16", (8, 16, 4, 64, layers)) for layers in (1, 2, 4, 8)],
    )
    for group in groups:
        times = race({what: sides.encoder(*sizes)["digits"] for what, sizes in group}, rounds=5)
        print("encoder layers: " + ", ".join(f"{what} {times[what] / times[group[0][0]]:.1f} ×" for what, _ in group))


SUBJECTS: tuple[tuple[str, tuple[Goal, ...], Callable[[], Times]], ...] = (
    ("masked self-attention, 4 tokens × 3", ATTENTION, lambda: race(sides.attention(4, 3, "mpmath", "sympy"))),
    ("masked self-attention, 64 tokens × 64", LARGE, lambda: race(sides.attention(64, 64))),
    (
        "encoder layer, 8 tokens × 16, 4 heads, feed-forward 64",
        ENCODER,
        lambda: race(sides.encoder_and_peers(8, 16, 4, 64)),
    ),
    (
        "encoder layer, 8 tokens",
        WIDTHS,
        lambda: race({f"{w} {what}": side for w in (8, 64) for what, side in sides.encoder(8, w, 4, 4 * w).items()}),
    ),
    ("stack of 12 encoder layers, 16 tokens × 32, inner width 128", STACK, lambda: {"peak": peak_of_a_stack()}),
    ("marking, encoder-layer-small: 58 steps", MARKING, lambda: race(sides.marking("encoder-layer-small"), rounds=5)),
    ("marking, translate-two-words: 303 steps", TRANSFORMER, transformer),
    ("a whole process", PROCESS, lambda: race(sides.processes())),
    ("a solved problem as PDF, a whole process", PAGE, lambda: race(sides.one_page(), rounds=5)),
    (f"{FEW} solved problems as one PDF, a whole process", PAGES, lambda: in_folder(sides.many_pages, FEW)),
    (f"{MANY} solved problems as one PDF: memory", PAGES_MEMORY, lambda: {"peak": peak_of_pages(MANY)}),
    ("masked self-attention drawn, 3 tokens, d_model 4, d_k 3", DRAWN, lambda: spread.costs(20)),
    ("a class of attention-midterm, one core", CLASS, lambda: graded(300)),
    ("a class of 50 marked again, one core", AGAIN, lambda: in_folder(papers.marked_again, 50)),
    (f"an exam of {FEW} papers, one core", EXAM, lambda: in_folder(papers.exam, FEW)),
    (
        f"an exam of {FEW} papers and a class of {earlier.SCRIPTS}, against {earlier.COMMIT}",
        HALVED,
        lambda: in_folder(earlier.commands, FEW),
    ),
)


def compiled() -> None:
    """Lets the started processes keep their compiled modules, as an installed package does, in a folder of
    their own.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="attncalc-bench-")
    subprocess.run([sys.executable, "-c", sides.COMMAND], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
