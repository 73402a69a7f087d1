"""What marking tells of scripts with one thing wrong each, in a table: verdicts, causes with their bits, and the
entries that differ.

The scripts are those of an independent hand (scripts.py), which knows what was done; the table keeps how strongly each
cause is held, which are told together, and what stands beside a wrong entry. After a change that is meant to be seen,
`REGENERATE=1 pytest -k golden` writes tests/data/told/ anew: read the difference.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from mpmath import mp

from attncalc import load
from attncalc.marking.report import check
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.submissions.step_matching import Bound
from tests.support.scripts import Hand, filled, script
from tests.support.sweeps import few

TOLD = Path(__file__).parents[1] / "data" / "told"
ROUNDED = {"digits": 2}
HEAD = {"given": {"Q": [[1, 0, 2], [0, 1, 1]], "K": [[1, 1, 0], [0, 1, 2], [2, 0, 1]], "V": [[1, 2], [3, 4], [5, 7]]}}
PROBLEMS = {
    "attention": HEAD | {"rounding": ROUNDED, "attention": {"mask": "causal"}},
    "accepted": HEAD | {"rounding": ROUNDED, "attention": {}, "accept": ["scale-forgotten"]},
    "alternatives": HEAD
    | {
        "rounding": ROUNDED,
        "steps": {"S": "Q @ K.T", "R": "S / sqrt(cols(K))", "A": "softmax(R)", "Z": "A @ V"},
        "accept": [{"R": "S / cols(K)"}, {"A": "softmax(S)"}, {"R": "S / 2"}],
    },
    "whole": {
        "given": {"A": [[1, 2], [3, 4]], "B": [[2, 0], [1, 3]]},
        "steps": {"C": "A @ B", "D": "C / 2 - A", "E": "D @ B.T"},
    },
    "norm": {
        "given": {"X": [[1, 2, 4], [3, -1, 0]], "F": [[0, 1, 0], [1, 1, 5]]},
        "rounding": {"digits": 3},
        "add_norm": {"sublayer": "F"},
    },
    "loss": {
        "given": {"logits": [[2, 1, 0], [0, 1, 3]], "targets": [0, 1]},
        "rounding": {"digits": 4},
        "cross_entropy": {},
    },
    "chain": {
        "given": {"x": [[0.3, 1.7, 2.2]]},
        "rounding": {"digits": 3},
        "steps": {"a": "exp(x)", "b": "a / sum(a)", "c": "-log(b)", "d": "total(b * c)"},
    },
    "small": {
        "given": {"x": [["0.0125", "0.004", "-0.0031"]]},
        "rounding": {"digits": 7},
        "steps": {"y": "x * x", "z": "y - x / 3", "w": "exp(z) - 1"},
    },
    "turned": {"given": {"X": [[1, 2, 0, 1], [3, -1, 2, 2]]}, "rounding": ROUNDED, "rotary": {}},
}
# Formulas in the place of a step's own: a constant, or an earlier line, in too few digits.
EARLY = {
    "given": {"x": [["0.3", "1.7", "2.25"], ["1.1", "0.4", "-0.8"]]}, "rounding": {"digits": 3},
    "steps": {"y": "x * sqrt(2)", "z": "softmax(y)", "w": "exp(z) * pi", "v": "row_sum(w) / 3"},
}  # fmt: skip
COARSE = [{"y": "x * 1.4"}, {"y": "x * 1.41"}, {"w": "exp(z) * 3.1"}, {"w": "exp(z) * 3.14"},
    {"w": "exp(z) * 3.142"}] + [
    {step: formula.replace("?", str(digits))} for digits in (1, 2)
    for step, formula in (("z", "softmax(floor(y * 10 ** ? + 0.5) / 10 ** ?)"),
                          ("w", "exp(floor(z * 10 ** ? + 0.5) / 10 ** ?) * pi"),
                          ("v", "row_sum(floor(w * 10 ** ? + 0.5) / 10 ** ?) / 3"),
                          ("w", "floor(exp(z) * 10 ** ? + 0.5) / 10 ** ? * pi"))]  # fmt: skip
HANDS = [
    {"digits": 2, "habit": "half_up", "carry": "print"},
    {"digits": 3, "habit": "half_even", "carry": "full"},
    {"digits": 4, "habit": "cut", "carry": "print", "hidden": "cut"},
    {"digits": 2, "habit": "half_up", "carry": "guard", "hidden": "half_up"},
    {"digits": 7, "habit": "half_up", "carry": "print"},
]
MISTAKES = 9  # of each problem


def hand(k):
    return Hand(random.Random(k), **HANDS[k % len(HANDS)])


def mistaken(problem):
    """Scripts with one mistake of the catalogue: all lines are written, or every other one, or the last alone."""
    steps = list(problem.plan.steps())
    sites = [(step, mistake, node) for step in steps for mistake in catalogue().values()
             for node in mistake.nodes(StepAnalysis(problem.plan, step, problem.columns))]  # fmt: skip
    for k, (step, mistake, node) in enumerate(few(sites, MISTAKES)):
        written = {one.key for one in (steps, steps[::-2], steps[-1:])[k % 3]}
        try:
            yield (
                f"{mistake.code} in {step.key}",
                script(problem, hand(k), {step.key: node}, lambda entry, written=written: entry.key in written),
            )
        except (ZeroDivisionError, ValueError, KeyError, TypeError):
            continue  # a formula that the hand does not know, or that has no value


def otherwise(problem):
    """Honest scripts, some by what the problem accepts, all lines written or only every other one."""
    steps = list(problem.plan.steps())
    for part in problem.parts:
        for name, nodes in [("", [None]), *part.alternatives.items()]:
            for k, node in enumerate(nodes):
                key = next((step.key for step in steps if step.name == name), "")
                for written in (steps, steps[::-2]):
                    keys = {one.key for one in written}
                    yield (
                        f"by formula {k + 1} of {key or 'none'}",
                        script(problem, hand(k), {key: node} if node else {}, lambda one, keys=keys: one.key in keys),
                    )


def coarse(problem):
    """Scripts of EARLY in which something was rounded too early, worked with few and with many digits."""
    for formulas in COARSE if problem.title == "early" else ():
        other = load(EARLY | {"steps": EARLY["steps"] | formulas})
        nodes = {step.key: step.node for step in other.plan.steps() if step.name in formulas}
        for digits in (2, 3, 6):
            yield (
                f"{formulas} to {digits}",
                script(problem, Hand(random.Random(1), digits, "half_up", carry="print"), nodes),
            )


def changed(problem, k, change):
    """An honest script one line of which is changed, the others worked from what is right."""
    bound = script(problem, hand(k))
    lines = list(bound.steps)
    line = lines[k % len(lines)]
    rows = [[mp.mpf(0)] * line.step.shape[1] for _ in range(line.step.shape[0])]
    for (i, j), one in line.cells.items():
        rows[i][j] = mp.inf * one.infinite if one.value is None else mp.mpf(int(one.value.p)) / int(one.value.q)
    change(rows)
    lines[k % len(lines)] = filled(line.step, rows, hand(k).digits)
    return line.step.key, Bound(bound.script, problem, tuple(lines))


def other_sign(rows):
    rows[0][0] = -rows[0][0] or mp.mpf(1)


def exchanged(rows):
    rows[0].reverse()


def one_more(rows):
    rows[-1][-1] += 1


def tens(rows):
    rows[0] = [x * 10 for x in rows[0]]


def a_little(rows):
    for row in rows:
        row[:] = [x * mp.mpf("1.004") for x in row]


def slipped(problem):
    for k, change in enumerate((other_sign, exchanged, one_more, tens, a_little) * 2):
        key, bound = changed(problem, k, change)
        yield f"{change.__name__} in {key}", bound


def cells(step):
    return "; ".join(f"[{c.row},{c.column}] {c.typed} right {c.right} follows {c.from_own}" for c in step.cells[:3])


def told(problem, bound):
    report = check(problem, bound)
    yield f"  {report.earned} of {report.out_of}"
    for step in report.steps:
        if step.verdict not in ("right", "missing"):
            causes = ", ".join(
                f"{c.code} at {c.at and c.at.key} {c.bits:.1f} {c.accuracy_reason or ''}".strip() for c in step.causes
            )
            yield f"  {step.step.key}: {step.verdict}, {step.mark.earned} of {step.mark.out_of} | {causes} | {cells(step)}"


PROBLEMS["early"] = EARLY


@pytest.mark.sweep(quick=1, ci=True)
@pytest.mark.parametrize("name", PROBLEMS)
def test_golden_table_of_what_is_told(name):
    problem = load({"title": name} | PROBLEMS[name])
    lines = [
        line
        for what, bound in (*mistaken(problem), *otherwise(problem), *coarse(problem), *slipped(problem))
        for line in (what, *told(problem, bound))
    ]
    path = TOLD / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if os.environ.get("REGENERATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
