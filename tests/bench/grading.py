"""A class graded by one command: `python -m tests.bench.grading [--scripts 300] [--variants 300]`.

Every student has a paper of `attention-midterm` (or shares one, with fewer variants) and works by hand to two decimals:
of a hundred, 45 make no mistake, 40 make one of the catalogue somewhere and carry it on, 10 slip in one entry, 5 write
a number that nothing explains. The whole process on one core, from its start to the table, the report and a feedback
page for everybody.
"""

import argparse
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attncalc.exam.paper_build import key
from attncalc.exam.sheet.sheet_reader import read_sheet, sheet_data
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.problem.loader import read_problem
from tests.support.scripts import Hand, script

GOAL = 5.0  # seconds for 300 scripts
KINDS = ("right",) * 45 + ("mistake",) * 40 + ("slip",) * 10 + ("odd",) * 5


def write_class(folder: Path, scripts: int, variants: int, sheet: str = "attention-midterm", seed: int = 1) -> None:
    """key.json, and a file for each student in scripts/."""
    data, source = sheet_data(sheet)
    read = read_sheet(re.sub(rb"variants: \d+", b"variants: %d" % variants, data), source)
    drawn = list(make_variants_distinct(read, read.students, (draw_all(read, student) for student in read.students)))
    (folder / "key.json").write_bytes(key(read, drawn))
    (folder / "scripts").mkdir()
    problems = [read_problem(v.problem, v.name, v.code) for v in drawn]
    rng = random.Random(seed)
    for k in range(scripts):
        one, variant = problems[k % variants], drawn[k % variants]
        (folder / "scripts" / f"s-{k:04}.yaml").write_text(_script(rng, one, variant.code, f"s-{k:04}"))


def _script(rng: random.Random, one, code: str, student: str) -> str:
    kind = rng.choice(KINDS)
    bound = script(one, Hand(rng, 2, "half_up"), _mistake(rng, one) if kind == "mistake" else {})
    asked = {part.name: {a.step for a in part.asked} for part in one.parts}
    written = [f for f in bound.steps if f.step.name in asked[f.step.part]]
    spoiled = rng.choice(written) if kind in ("slip", "odd") else None
    lines = [f"problem: {code}", f"student: {student}", "answers:"]
    part = None
    for filled in written:
        if filled.step.part != part:
            part = filled.step.part
            lines.append(f"  {part}:")
        n, m = filled.step.shape
        rows = [[filled.cells[i, j].text for j in range(m)] for i in range(n)]
        if filled is spoiled:
            i, j = rng.randrange(n), rng.randrange(m)
            rows[i][j] = (
                _slipped(rng, rows[i][j])
                if kind == "slip"
                else f"{float(rows[i][j]) + rng.choice((0.37, -1.2, 2.5)):.2f}"
            )
        lines.append(f"    {filled.step.name}: [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]")
    return "\n".join(lines) + "\n"


def _mistake(rng: random.Random, one) -> dict:
    """A formula of the catalogue in the place of one step's own."""
    steps = [step for step in one.plan.steps() if not step.given]
    for _ in range(50):
        step = rng.choice(steps)
        nodes = [
            node
            for mistake in catalogue().values()
            for node in mistake.nodes(StepAnalysis(one.plan, step, one.columns))
        ]
        found = {step.key: rng.choice(nodes)} if nodes else {}
        try:
            texts = [
                typed.text
                for filled in script(one, Hand(rng, 2, "half_up"), found).steps
                for typed in filled.cells.values()
            ]
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            continue
        if found and not any(text == "nan" or len(text) > 12 for text in texts):
            return found
    return {}


def _slipped(rng: random.Random, text: str) -> str:
    """The sign lost, or two neighbouring digits exchanged."""
    places = [k for k in range(len(text) - 1) if text[k].isdigit() and text[k + 1].isdigit() and text[k] != text[k + 1]]
    if text.startswith("-") or not places:
        return text.removeprefix("-") if text.startswith("-") else f"-{text}"
    k = rng.choice(places)
    return text[:k] + text[k + 1] + text[k] + text[k + 2 :]


def graded(folder: Path) -> tuple[float, float]:
    """Seconds on the clock, and of the processor, of one whole process."""
    command = [sys.executable, "-m", "attncalc", "grade", "key.json", "scripts", "--jobs", "1", "--force"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    more = ["-o", "marks.csv", "--report", "class.html", "--feedback", "feedback"]
    subprocess.run([*command, *more], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--scripts", type=int, default=300)
    options.add_argument("--variants", type=int)
    options.add_argument("--keep", type=Path, help="an empty folder for the class")
    told = options.parse_args()
    goal = GOAL * told.scripts / 300
    missed = False
    for variants in [told.variants] if told.variants else [1, 30, told.scripts]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = told.keep or Path(temporary)
            write_class(folder, told.scripts, variants)
            clock, cpu = min(graded(folder) for _ in range(3))
        missed |= cpu > goal
        print(
            f"{told.scripts} scripts of {variants} variants: {clock:.2f} s, {cpu:.2f} s of them computing, {1000 * cpu / told.scripts:.1f} ms a script"
        )
    sys.exit(missed)


if __name__ == "__main__":
    main()
