"""`python -m tests.bench.spread [count]`: what is drawn when random givens one after the other towards the demands,
beside whole draws.

Both keep only problems that meet every demand. For each measure stand the quartiles of both, and the largest distance
between their cumulative distributions, which two samples of the same kind exceed in one case of twenty by chance alone.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import quantiles
from time import process_time

from rich.console import Console
from rich.table import Table

from attncalc.generator.numeric_view import NumericView
from attncalc.generator.rejection_search import Search
from attncalc.generator.request import Request, specification
from attncalc.generator.search_result import DrawnVariant, Tally, Texts
from attncalc.problem.random_stream import Stream

from .clock import race
from .sides import attention

KINDS = (("self_attention", {"mask": "causal"}), ("attention", {}), ("layer_norm", {}))
COLLECTED = (100_000, 20, 20)  # how seldom the command looks for garbage
Values = dict[str, list[float]]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    console = Console(width=120)
    for lesson, options in KINDS:
        spec = specification(Request(lesson, {}, options, seed="spread"))
        towards = drawn(Search(spec), count)
        whole = drawn(WholeDraws(spec), count)
        for name, (_, said) in (("whole draws", whole), ("towards the demands", towards)):
            console.print(f"{lesson} {options or ''} {name}: {said}")
        table = Table(
            "",
            "whole draws",
            "towards the demands",
            "largest distance",
            title=f"chance: {1.36 * (2 / count) ** 0.5:.2f}",
        )
        for what in whole[0]:
            a, b = whole[0][what], towards[0][what]
            table.add_row(what, quartiles(a), quartiles(b), f"{distance(a, b):.2f}")
        console.print(table)


class WholeDraws(Search):
    """All random givens before any demand is asked, as it was until version 0.1."""

    def draw_problem(self, stream: Stream, tally: Tally, most: int) -> tuple[NumericView, Texts] | None:
        while tally.faults < most:
            entries = self.draw(stream)
            view = self.fill(entries)
            fault = next((fault for stage in self.stages if (fault := self.stage_fault(view, stage))), None)
            if fault is None:
                return view, entries
            tally.failed[fault] += 1
        return None


def costs(count: int) -> dict[str, float]:
    """Seconds of a certified variant of the first kind and of the numbers of masked self-attention by mpmath, taking
    turns, and the share of whole draws that is kept in percent.
    """
    spec = specification(Request(*KINDS[0][:1], {}, KINDS[0][1], seed="bench"))
    kept: list[float] = []

    def variants() -> None:
        search = Search(spec)  # a new one, since a search draws no variant twice
        list(search.variants(count))
        kept.append(100 * search.tally.share)

    seldom = gc.get_threshold()
    gc.set_threshold(*COLLECTED)
    times = race({"variants": variants, "mpmath": attention(4, 3, "mpmath")["mpmath"]}, rounds=5)
    gc.set_threshold(*seldom)
    return {"variant": times["variants"] / count, "mpmath": times["mpmath"], "kept": kept[0]}


def drawn(search: Search, count: int) -> tuple[Values, str]:
    """The measures of so many variants, and what they took."""
    found: Values = {}
    start = process_time()
    for variant in search.variants(count):
        for what, value in measures(search, variant):
            found.setdefault(what, []).append(value)
    tally = search.tally
    said = f"{100 * tally.share:.1f} % of {tally.draws:,} random problems met all requirements, {tally.redraws.total() / count:.1f} givens drawn again for each"
    return found, f"{said}, {1000 * (process_time() - start) / count:.0f} ms each"


def measures(search: Search, variant: DrawnVariant) -> Iterator[tuple[str, float]]:
    for name, rows in variant.entries.items():
        numbers = [Fraction(text) for row in rows for text in row]
        yield f"{name}: entries that are 0", numbers.count(Fraction(0)) / len(numbers)
        yield f"{name}: mean size", float(sum(map(abs, numbers)) / len(numbers))
    yield from sizes(search.fill(variant.entries))
    yield "work", variant.cost.total


def sizes(view: NumericView) -> Iterator[tuple[str, float]]:
    for step in view.steps:
        values = [abs(float(str(text))) for row in view.printed(step) for text in row if "inf" not in text]
        yield f"{step.name}: largest", max(values)


def quartiles(values: list[float]) -> str:
    return " ".join(f"{q:.2f}" for q in quantiles(values, n=4, method="inclusive"))


def distance(a: list[float], b: list[float]) -> float:
    """Kolmogorov and Smirnov's: the largest distance of two cumulative distributions."""
    below: Callable[[list[float], float], float] = lambda values, x: sum(v <= x for v in values) / len(values)  # noqa: E731
    return max(abs(below(a, x) - below(b, x)) for x in {*a, *b})


if __name__ == "__main__":
    main()
