"""`python -m tests.bench.certificates [NUMBER] [SEED]`: all bundled problems and generated ones of every lesson, each
solved, certified and verified.

The problems are drawn before the generator's demands choose among them, so that ties, saturated rows and equal scores
occur. They take turns: lessons and families, then every mode of rounding, and every fourth is solved with rounded steps
(`--paper`). Ctrl+C ends it early, with the count so far. Exits with 1 where an entry is not proven, with the reasons.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain, count, islice
from pathlib import Path
from time import perf_counter
from typing import Any

from attncalc.api import load, solve
from attncalc.errors import AttncalcError
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.generator.rejection_search import Search
from attncalc.generator.request import FAMILIES, Request, specification
from attncalc.generator.search_result import Calibration
from attncalc.problem.random_stream import Stream
from attncalc.render.certificate import write
from attncalc.resources import problem_names
from attncalc.rounding_modes import MODES

ROOT = Path(__file__).parents[2]
KINDS = [(lesson, "") for lesson in RECIPES] + [
    (lesson, name) for name, family in FAMILIES.items() for lesson in family.lessons
]


@lru_cache(maxsize=1)
def verifier() -> dict[str, Any]:
    """verify.py as a file of its own, not as a module of attncalc."""
    return runpy.run_path(str(ROOT / "attncalc" / "verify.py"))


class Draws(Search):
    """The generator without what its demands need."""

    def calibrated(self) -> Calibration:
        return Calibration(0.0)


def problems(seed: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """What is solved, and whether with rounded steps, without end: draws of the generator before its demands choose
    among them.
    """
    searches = {kind: Draws(specification(Request(kind[0], seed=seed, family=kind[1]))) for kind in KINDS}
    for turn in count():
        for (lesson, family), search in searches.items():
            stream = Stream(seed, lesson, family, turn)
            words = search.words(stream)
            document = search.document(search.draw(stream), words)
            document["rounding"] |= {"mode": tuple(MODES)[turn % len(MODES)]}
            yield f"{lesson} {family}".strip(), document, turn % 4 == 3


def bundled() -> Iterator[tuple[str, Any, bool]]:
    """The problems that come with attncalc, with full and with rounded numbers."""
    return ((name, name, paper) for name in problem_names() for paper in (False, True))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = sys.argv[2] if len(sys.argv) > 2 else "certificates"
    entries, said = Counter[str](), Counter[str]()
    spent = Counter[str]()
    with suppress(KeyboardInterrupt):
        for name, document, paper in chain(bundled(), islice(problems(seed), number)):
            entries["problems"] += 1
            started = perf_counter()
            try:
                text = write(solve(load(document), paper=paper))
            except AttncalcError:  # a token without variance, for one: such draws have no solution
                entries["refused"] += 1
                continue
            written = perf_counter()
            report = verifier()["verify"](json.loads(text))
            spent["written"] += written - started
            spent["verified"] += perf_counter() - written
            entries["all"] += sum(step[1] for step in report.steps)
            entries["proven"] += sum(step[2] for step in report.steps)
            for finding in report.findings:
                said[f"{finding.verdict}: {finding.reason}"] += 1
                if finding.verdict == "wrong" or said[f"{finding.verdict}: {finding.reason}"] < 4:
                    print(f"{name}{' --paper' if paper else ''}: {finding}", json.dumps(document), flush=True)
    print(
        f"{entries['problems']:,} problems, {entries['refused']:,} of them without a solution; {entries['all']:,} entries, {entries['proven']:,} proven; {dict(said)}"
    )
    print(f"written in {spent['written']:.0f} s, verified in {spent['verified']:.0f} s")
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
