"""A formula that repeats is the same as the steps that it unrolls to, in every command; its faults are told once."""

from __future__ import annotations

import json
from itertools import product

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, check, load, solve, verify
from attncalc.cli import cli
from attncalc.problem.sections.repeated_steps import MOST_TURNS
from attncalc.render.certificate import write
from tests.support.laws import examples
from tests.support.sweeps import for_each

GIVEN = {"x_0": "3/2", "A": [[2, 1], [1, 3]], "v": [[1], ["1/2"]], "X": [[1, 2], [3, 4], [5, 6]], "h": [["1", "0"]]}
# Formulas that repeat, and what one turn k of each is: {p} the turn before, {k} this one, {i} the turn from 0.
BLOCKS = [
    ({"x": {"formula": "(x + 2 / x) / 2"}}, {"x": "(x_{p} + 2 / x_{p}) / 2"}),
    ({"v": {"formula": "A @ v / norm(A @ v)"}}, {"v": "A @ {v} / norm(A @ {v})"}),
    ({"h": {"formula": "tanh(X[t - 1] + h @ A)", "counter": "t"}}, {"h": "tanh(X[{i}] + {h} @ A)"}),
    (
        {"descent": {"steps": {"g": "2 * A.T @ (A @ v - 1)", "v": "v - 0.01 * g * t"}, "counter": "t"}},
        {"g": "2 * A.T @ (A @ {v} - 1)", "v": "{v} - 0.01 * g_{k} * {k}"},
    ),
]


def by_hand(lines: dict[str, str], turns: int) -> dict[str, str]:
    """The steps that a person would write instead."""
    steps = {}
    for k in range(1, turns + 1):
        last = {name: name if k == 1 else f"{name}_{k - 1}" for name in "vh"}
        steps |= {f"{name}_{k}": line.format(p=k - 1, k=k, i=k - 1, **last) for name, line in lines.items()}
    return steps


@examples(24)
@given(st.sampled_from(BLOCKS), st.integers(1, 3))
def test_a_formula_that_repeats_is_what_it_unrolls_to(block, turns):
    repeated, lines = block
    ours = {key: value | {"repeat": turns} for key, value in repeated.items()}
    one, other = (load({"given": GIVEN, "steps": steps}) for steps in (ours, by_hand(lines, turns)))
    assert [(s.name, s.formula, s.shape) for s in one.plan.steps()] == [
        (s.name, s.formula, s.shape) for s in other.plan.steps()
    ]
    solution = solve(one)
    certificate = write(solution)
    assert certificate == write(solve(other))
    assert not verify.verify(json.loads(certificate)).findings
    answers = {step.name: solution[step.name].decimals(4) for step in one.plan.steps()}
    assert {step.verdict for step in check(one, {"answers": answers}).steps} == {"right"}


def test_an_error_in_one_turn_is_carried_through_the_others():
    problem = load({"given": GIVEN, "steps": {"x": {"formula": "(x + 2 / x) / 2", "repeat": 3}}})
    report = check(problem, {"answers": {"x_1": [["2.0000"]], "x_2": [["1.5000"]], "x_3": [["1.4167"]]}})
    assert [step.verdict for step in report.steps] == ["wrong", "carried", "carried"]


# Formulas of a matrix {x}, each the next step of a long chain: among them those that a mistake knows, and an alias.
LINKS = [
    "{x} / 2 + 1", "{x} + tanh({x})", "softmax({x} @ A)", "{x} - row_mean({x})", "{x} @ A / 3 + h", "-{x}", "{x}.T",
    "{x}", "({x} + 2 / {x}) / 2", "{x} / sqrt(2)", "keep({x}, causal(2, 2))", "softmax({x} @ {x}.T / sqrt(2)) @ {x}",
    "{x} + relu({x} @ A) @ A", "1 - {x} ** 2 / 40", "hstack({x}[:, 0], {x}[:, 1])",
]  # fmt: skip
WRITTEN = {"the last": (), "the middle too": (0.5,), "the ends too": (0, 0.99)}


@for_each("link, written, givens", list(product(LINKS, WRITTEN, ("exact", "rounded"))), quick=3, ci=6)
def test_law_what_can_be_solved_can_be_marked(link, written, givens):
    """A long chain of steps that a student leaves out is marked, with the right numbers and with wrong ones."""
    length = 2 * MOST_TURNS
    steps = {f"x_{k + 1}": link.format(x=f"x_{k}") for k in range(length)}
    matrices = {"x_0": [["0.5", 1], [2, 3]], "A": [["1/2", "1/3"], ["1/5", "1/7"]], "h": GIVEN["h"]}
    problem = load({"givens": givens, "given": matrices, "steps": steps, "asked": [f"x_{length}"]})
    solution = solve(problem)
    names = [f"x_{1 + int(share * (length - 1))}" for share in WRITTEN[written]] + [f"x_{length}"]
    right = {name: solution[name].decimals(4) for name in names}
    assert {step.verdict for step in check(problem, {"answers": right}).steps} == {"right"}
    wrong = right | {names[0]: [["7.1234"] * 2] * 2}
    assert check(problem, {"answers": wrong}).steps  # intervals of a long chain may be too wide for a verdict


X = "(x + 2 / x) / 2"
FAULTS = {
    "a count that is none": ({"x": {"formula": X, "repeat": "ten"}}, ["whole number from 1 to 100, found 'ten'"]),
    "too many": ({"x": {"formula": X, "repeat": MOST_TURNS + 1}}, ["at most 100 times; found 101"]),
    "none at all": ({"x": {"formula": X, "repeat": 0}}, ["found '0'"]),
    "no count": ({"x": {"formula": X}}, ["x: x is not defined yet"]),
    "a counter alone": (
        {"x": {"formula": X, "counter": "t"}},
        ["repeat: expected a whole number from 1 to 100, found"],
    ),
    "words alone": (
        {"x": {"means": "the root"}},
        ["x: expected the keys `formula:` and `means:`, found only `means:`"],
    ),
    "words that are none": ({"x": {"formula": "A", "means": ["a"]}}, ["means: expected a text, found a list"]),
    "words of a turn that are none": ({"x": {"repeat": 2, "formula": X, "means": {}}}, ["means: expected a text"]),
    "words beside another key": ({"y": {"formula": "A", "meaning": "a"}}, ["did you mean means?"]),
    "a fault beside words": ({"y": {"formula": "A @", "means": "a"}}, ["y: expected a formula"]),
    "no formula": ({"x": {"repeat": 2}}, ["expected one of the keys formula: and steps:, found neither"]),
    "both": ({"x": {"repeat": 2, "formula": X, "steps": {"x": X}}}, ["found both"]),
    "another key": ({"x": {"repeat": 2, "formula": X, "count": 2}}, ["no key 'count'; did you mean counter?"]),
    "no start": (
        {"z": {"repeat": 2, "formula": "z + 1"}},
        ["a given or an earlier step called z_0 or z; found neither"],
    ),
    "a taken counter": (
        {"x": {"repeat": 2, "formula": X, "counter": "A"}},
        ["a name that the problem does not use yet,"],
    ),
    "a fault in each turn": ({"x": {"repeat": 9, "formula": "x + A @ X"}}, ["inner sizes"]),
    "a fault in a later turn": (
        {"x": {"repeat": 9, "formula": "hstack(x, A[0:1])[:, 0:2] @ A + X[0:2]"}},
        ["x_2: hstack"],
    ),
    "a proposal in the names of the file": ({"v": {"repeat": 2, "formula": "v @ A"}}, ["did you mean v.T @ A "]),
    "no proposal with a counter's number": (
        {"v": {"repeat": 2, "formula": "X[t - 1] @ v.T", "counter": "t"}},
        ["the inner sizes 2 and 1 must agree"],
    ),
    "a fault in the syntax": ({"x": {"repeat": 9, "formula": "x +"}, "y": "x_9 + 1"}, ["x: expected a formula"]),
    "the name alone": ({"v": {"repeat": 2, "formula": "A @ v"}, "y": "v + 1"}, ["with the values v_1 to v_2; did you"]),
    "a name twice": ({"x_2": "1 + x_0", "x": {"repeat": 3, "formula": X}}, ["an earlier step has this name"]),
    "a bad name": ({"x y": {"repeat": 2, "formula": "1"}}, ["a step's name may contain only letters"]),
}


@for_each("case", FAULTS)
def test_a_fault_is_told_once(case):
    steps, expected = FAULTS[case]
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": steps})
    assert len(error.value.faults) == len(expected), error.value
    assert all(said in str(error.value) for said in expected), error.value


FILE = """\
title: Newton
draw: {x_0: 1 × 1 integers 1..9}
steps:
  x: {formula: (x + 2 / x) / 2, repeat: 2}
"""


def test_variants_of_it_are_drawn(tmp_path):
    file = tmp_path / "newton.yaml"
    file.write_text(FILE, encoding="utf-8")
    run = CliRunner().invoke(cli, ["generate", str(file), "--seed", "3"])
    assert run.exit_code == 0, run.output
    assert "repeat: 2" in run.output
    (tmp_path / "drawn.yaml").write_text(run.output, encoding="utf-8")
    assert [step.formula for step in load(tmp_path / "drawn.yaml").plan.steps()] == [
        "(x_0 + 2 / x_0) / 2",
        "(x_1 + 2 / x_1) / 2",
    ]


@pytest.mark.slow
def test_papers_of_it_are_written(tmp_path):
    (tmp_path / "newton.yaml").write_text(FILE, encoding="utf-8")
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text("title: Exam\nvariants: 2\nseed: 1\nquestions:\n  - problem: newton.yaml\n", encoding="utf-8")
    run = CliRunner().invoke(cli, ["exam", str(sheet), "-o", str(tmp_path / "out")])
    assert run.exit_code == 0, run.output
    names = [[step.name for step in load(path).plan.steps()] for path in (tmp_path / "out").glob("variant-*.yaml")]
    assert names == [["x_1", "x_2"]] * 2
