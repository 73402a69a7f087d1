"""`python -m tests.bench.second`: the second simulator's students, marked through the command line, and what was said
of them.

Prints honest scripts that were refused (each kept as a pair of files with --keep), wrong scripts that nobody objected
to, the first wrong step, the named causes with precision and recall, scripts shuffled among problems, and what trivial
lines earn.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from attncalc.cli import cli
from tests.support import second_simulator as simulator
from tests.support.second_mistakes import CODES, MISTAKES, Mistake
from tests.support.second_simulator import Rows, Student, Task

from .legal import is_written_by_a_hand

REFUSED = {"wrong", "carried", "last_digit"}


@dataclass
class Report:
    """What `check` said. `steps` is None where the script could not be read."""

    said: str
    steps: dict[str, dict[str, Any]] | None
    first_wrong: str | None = None

    @property
    def refused(self) -> list[str]:
        if self.steps is None:
            return ["not read"]
        return [f"{name} {step['verdict']}" for name, step in self.steps.items() if step["verdict"] in REFUSED]

    @property
    def named(self) -> list[str]:
        """The best-supported cause of the first wrong step; several where they cannot be told apart."""
        return [one["code"] for one in (self.steps or {}).get(self.first_wrong or "", {}).get("mistakes", [])]


class Examiner:
    """Runs `attncalc check PROBLEM ANSWERS --to json`, with the two files in a folder of their own."""

    def __init__(self, keep: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="second-simulator-"))
        self.keep, self.kept = keep, 0

    def files(self, task: Task, script: dict[str, Rows], form: str, folder: Path, stem: str) -> tuple[Path, Path]:
        ending, text = simulator.written(script, form)
        problem, answers = folder / f"{stem}.problem.yaml", folder / f"{stem}.answers.{ending}"
        problem.write_text(task.text(), encoding="utf-8")
        answers.write_text(text, encoding="utf-8")
        return problem, answers

    def check(self, task: Task, script: dict[str, Rows], form: str) -> Report:
        problem, answers = self.files(task, script, form, self.folder, "script")
        result = CliRunner().invoke(cli, ["check", str(problem), str(answers), "--to", "json"])
        if result.exit_code not in (0, 1) or not result.output.startswith("{"):
            return Report(f"{result.exception}", None)
        document = json.loads(result.output)
        steps = {step["name"]: step for part in document["parts"] for step in part["steps"]}
        return Report("", steps, document["first_wrong"] and document["first_wrong"].rpartition(".")[2])

    def show(self, what: str, task: Task, script: dict[str, Rows], form: str) -> None:
        print(what)
        if self.keep and self.kept < 200:
            self.kept += 1
            self.keep.mkdir(parents=True, exist_ok=True)
            problem, answers = self.files(task, script, form, self.keep, f"{self.kept:03d}")
            print(f"  attncalc check {problem} {answers}")


def until_stopped(number: int) -> Iterator[int]:
    """0, 1, ...; Ctrl-C ends it early, and what was counted is printed."""
    stopped: list[int] = []
    held = signal.signal(signal.SIGINT, lambda *_: stopped.append(1))
    try:
        yield from takewhile(lambda _: not stopped, range(number))
    finally:
        signal.signal(signal.SIGINT, held)


def honest_scripts(rng: random.Random) -> Iterator[tuple[Task, Student, list[str], list[str], dict[str, Rows]]]:
    while True:
        task = simulator.draw_task(rng)
        student = simulator.draw_student(rng, task)
        method, left_out = simulator.draw_method(rng, task)
        script = simulator.work(task, student.hand(task, method, left_out))
        if script:
            yield task, student, method, left_out, script


def wrong_scripts(rng: random.Random) -> Iterator[tuple[Task, Student, Mistake, str, dict[str, Rows]]]:
    """Scripts with one mistake that shows: some line prints otherwise than the same hand prints it without
    the mistake.
    """
    while True:
        mistake = rng.choice(MISTAKES)
        task = simulator.draw_task(rng, rng.choice(mistake.lessons.split()))
        student = simulator.draw_student(rng, task)
        # Its cells do not show the shape
        student.form = "yaml" if mistake.operation == "append" and student.form == "csv" else student.form
        right, wrong = (simulator.work(task, student.hand(task, [], []), one) for one in (None, mistake))
        if not right or not wrong:
            continue
        first = next((name for name in wrong if wrong[name] != right.get(name)), None)
        late = mistake.name.startswith("weights put") and not (first or "").startswith("A")
        if first is not None and not late:
            yield task, student, mistake, first, wrong


def honest(examiner: Examiner, number: int, rng: random.Random) -> None:
    drawn, refused = Counter[str](), Counter[str]()
    scripts = honest_scripts(rng)
    for _ in until_stopped(number):
        task, student, method, left_out, script = next(scripts)
        report = examiner.check(task, script, student.form)
        ways = [
            student.kind,
            *(f"  {one}" for one in method),
            *(["  lines left out"] if left_out else []),
            *(["  columns"] if task.columns else []),
        ]
        drawn.update([*ways, f"    {student.form}", "all"])
        if report.refused:
            refused.update([*ways, f"    {student.form}", "all"])
            examiner.show(
                f"refused: {task.lesson} {student} {method} {left_out}: {report.refused} {report.said}",
                task,
                script,
                student.form,
            )
    for way in sorted(drawn):
        print(f"{way:<28} {drawn[way]:>6} honest, {refused[way]:>4} refused")


def wrong(examiner: Examiner, number: int, rng: random.Random) -> None:
    counted, named_of, made_of, right_of = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    others: dict[str, Counter[str]] = defaultdict(Counter)
    scripts = wrong_scripts(rng)
    for _ in until_stopped(number):
        task, student, mistake, first, script = next(scripts)
        codes = CODES.get(mistake.name, "").split()
        report = examiner.check(task, script, student.form)
        known = "in the catalogue" if codes else "not in the catalogue"
        counted[known] += 1
        made_of[mistake.name] += 1
        if report.steps is None:
            counted["not read"] += 1
            examiner.show(f"not read: {mistake.name}: {report.said}", task, script, student.form)
        elif report.first_wrong is None and not any("last_digit" in one for one in report.refused):
            legal = is_written_by_a_hand(task, script, random.Random(mistake.name))
            counted["nothing called wrong, legal number for number" if legal else "nothing called wrong"] += 1
            if not legal:
                verdicts = {name: step["verdict"] for name, step in report.steps.items()}
                examiner.show(
                    f"nothing called wrong: {mistake.name} at {first}, {student}: {verdicts}",
                    task,
                    script,
                    student.form,
                )
        else:
            counted["first wrong step found"] += report.first_wrong == first
            if report.first_wrong != first:
                examiner.show(
                    f"another step: {mistake.name} at {first}, found {report.first_wrong}", task, script, student.form
                )
            best = report.named[:1]
            named_of.update(best)
            if not best:
                counted[f"no cause named, {known}"] += 1
            elif set(codes) & set(report.named):
                counted["mistake named"] += 1
                right_of[mistake.name] += 1
                named_of.update({best[0]: -1})
            else:
                counted[f"another cause named, {known}"] += 1
                others[mistake.name].update(best)
                examiner.show(
                    f"another cause: {mistake.name} at {first} ({student.kind}), named {report.named}",
                    task,
                    script,
                    student.form,
                )
    print_wrong(counted, made_of, right_of, named_of, others)


def print_wrong(
    counted: Counter[str],
    made: Counter[str],
    right: Counter[str],
    wrongly: Counter[str],
    others: dict[str, Counter[str]],
) -> None:
    for what, times in sorted(counted.items()):
        print(f"{what:<46} {times:>6}")
    code_made, code_right = Counter[str](), Counter[str]()
    for name, times in made.items():
        code = CODES.get(name, "").split()[:1]
        code_made.update({code[0]: times} if code else {})
        code_right.update({code[0]: right[name]} if code else {})
    print(f"\n{'cause':<36} {'made':>5} {'named':>5} {'recall':>7} {'precision':>9}")
    for code in sorted(set(code_made) | {one for one, times in wrongly.items() if times}):
        named = code_right[code] + wrongly[code]
        recall = f"{code_right[code] / code_made[code]:.0%}" if code_made[code] else "-"
        print(
            f"{code:<36} {code_made[code]:>5} {code_right[code]:>5} {recall:>7} {f'{code_right[code] / named:.0%}' if named else '-':>9}"
        )
    print(
        "\nnot in the catalogue: "
        + "; ".join(
            f"{one.name} ({made[one.name]}{name_others(others[one.name])})" for one in MISTAKES if one.name not in CODES
        )
    )


def name_others(codes: Counter[str]) -> str:
    return "".join(f", {times} as {code}" for code, times in codes.items())


def shuffled(examiner: Examiner, number: int, rng: random.Random) -> None:
    """Each script handed in for another problem of its lesson with the same shapes: a cause named there is named by
    chance.
    """
    waiting: dict[tuple[Any, ...], tuple[dict[str, Rows], str]] = {}
    counted, by_chance, marked = Counter[str](), Counter[str](), 0
    for task, student, _, _, script in honest_scripts(rng):
        shape = (
            task.lesson,
            task.columns,
            str(task.options),
            *((name, len(rows), len(rows[0])) for name, rows in script.items()),
        )
        if shape in waiting:
            other, form = waiting.pop(shape)
            report = examiner.check(replace(task, digits=None), other, form)
            marked += 1
            counted["with a wrong step"] += report.first_wrong is not None
            by_chance.update(report.named[:1])
            if report.named:
                examiner.show(f"shuffled: {report.first_wrong} named {report.named}", task, other, form)
            if marked == number:
                break
        else:
            waiting[shape] = (script, student.form)
    print(
        f"{marked} shuffled scripts, {counted['with a wrong step']} with a wrong step, a cause named in {by_chance.total()}: {dict(by_chance)}"
    )


TRIVIAL = {
    "zeros": lambda rows: [["0" for _ in row] for row in rows],
    "equal": lambda rows: [["1" for _ in row] for row in rows],
    "one-hot": lambda rows: [[str(int(j == 0)) for j, _ in enumerate(row)] for row in rows],
    "identity": lambda rows: [[str(int(i == j)) for j, _ in enumerate(row)] for i, row in enumerate(rows)],
}


def bought(examiner: Examiner, number: int, rng: random.Random) -> None:
    """One early line is trivial, and what follows is worked from it. Against what is earned stand the lines that print
    the right numbers.
    """
    earned: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    while sum(map(len, earned.values())) < number:
        task = simulator.draw_task(rng, rng.choice(["attention", "self_attention", "cross_attention"]))
        task.options.pop("mask", None)
        task.digits = 2
        hand = Student("paper", {"habit": "half up", "carry": "print", "spare": None, "digits": 2}, "yaml").hand
        right = simulator.work(task, hand(task, [], []))
        line = rng.choice([name for name in ("Q", "S", "A") if right and name in right])
        how = rng.choice(list(TRIVIAL))
        forced = simulator.work(task, simulator.forced(hand(task, [], []), line, TRIVIAL[how]))
        if not right or not forced or forced == right:
            continue
        report = examiner.check(task, forced, "yaml")
        points = points_of(report)
        if points:
            fair = sum(points[name][1] for name in forced if forced[name] == right[name])
            earned[line, how].append(
                (sum(one for one, _ in points.values()), fair, sum(most for _, most in points.values()))
            )
    for (line, how), shares in sorted(earned.items()):
        got, fair, most = (sum(column) for column in zip(*shares, strict=True))
        print(
            f"{line + ' is ' + how:<22} {len(shares):>4} scripts: {got / most:>5.0%} of the points, its right lines are worth {fair / most:.0%}"
        )


def points_of(report: Report) -> dict[str, tuple[float, float]]:
    return {
        name: (float(step["marks"] or 0), float(step["out_of"] or 0)) for name, step in (report.steps or {}).items()
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("honest", 300), ("wrong", 300), ("shuffled", 100), ("bought", 100)):
        options.add_argument(f"--{name}", type=int, default=number, metavar="N")
    options.add_argument("--seed", default="second")
    options.add_argument("--keep", type=Path, help="a folder for the scripts that surprise")
    wanted = options.parse_args()
    examiner = Examiner(wanted.keep)
    for part in (honest, wrong, shuffled, bought):
        if number := getattr(wanted, part.__name__):
            print(f"\n--- {part.__name__}, {number} scripts, seed {wanted.seed!r}")
            part(examiner, number, random.Random(f"{wanted.seed} {part.__name__}"))


if __name__ == "__main__":
    main()
