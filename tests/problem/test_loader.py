"""The problem file: givens, labels, parts, pins, asked, points, rounding, and the schema that editors use."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

from attncalc import AttncalcError, load, solve
from attncalc.problem.json_schema import problem_schema
from attncalc.problem.loader import read_problem
from attncalc.resources import problem_file, problem_names
from tests.support.sweeps import for_each

EXAMPLES = sorted((Path(__file__).parents[1] / "data" / "examples").glob("*/*.problem.yaml"))


def read(text: str):
    return read_problem(text, "problem.yaml", "problem")


def given_value(entry: str) -> Fraction | None:
    problem = read(f"given: {{x: {entry}}}\nsteps: {{y: x}}")
    return solve(problem)["y"].fractions()[0][0]


@for_each(
    ("written", "value"),
    [
        ("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), ("-2e-3", Fraction(-1, 500)), ("−5", Fraction(-5)),
        ("'1 - 2'", Fraction(-1)), ("2e+1", Fraction(20)), ("sqrt(4)", Fraction(2)), ("log2(8)", Fraction(3)),
        ("e/(2*e + 1)", None), (".5", Fraction(1, 2)), ("5.", Fraction(5)), ("+3", Fraction(3)), ("pi", None),
        ("007", Fraction(7)),
        ("0.1 + 0.2", Fraction(3, 10)), ("1e-400", Fraction(1, 10**400)), ("'1/3'", Fraction(1, 3)),
    ],
)  # fmt: skip
def test_numbers_are_read_as_written(written, value):
    assert given_value(written) == value


def test_forms_of_a_matrix():
    problem = read(
        """
given:
  lists: [[1, 2], [3, 4]]
  flat: [1, 2, 3]
  number: 7
  block: |
    1/2  -1
    0.25  −∞
  labelled: {rows: [on, no], columns: [yes, "null"], values: [[1, 2], [3, 4]]}
  formula: 0.5 * identity(2)
  entries: [[sqrt(2) * sqrt(2), ln(3)], [number, 1]]
steps:
  a: lists
  b: flat
  c: block
  d: labelled
  e_: formula
  f: entries
"""
    )
    solution = solve(problem)
    assert solution["a"].shape == (2, 2)
    assert solution["b"].shape == (1, 3)
    assert solution["c"].decimals(2) == [["0.50", "-1.00"], ["0.25", "-inf"]]
    assert solution["d"].rows == ("on", "no") and solution["d"].columns == ("yes", "null")
    assert solution["e_"].fractions()[1] == [0, Fraction(1, 2)]
    assert solution["f"].fractions() == [[2, None], [7, 1]]


def test_labels_travel_through_a_lesson():
    solution = solve(load("transformers-transforming-our-lives"))
    words, target = ("Transformers", "transforming", "our", "lives"), ("For", "sure")
    cross = solution["cross"]
    assert cross["Q"].rows == target and cross["K"].rows == words
    assert cross["S"].rows == target and cross["S"].columns == words
    assert cross["A"].columns == words and cross["Z"].rows == target
    assert cross["Z"].columns is None


def test_parts_use_earlier_parts_and_givens_of_their_own():
    solution = solve(
        read(
            """
given: {X: [[1, 2]]}
parts:
  first:
    steps: {Y: X * 2}
  second:
    given: {Z: [[5, 5]], X: [[0, 1]]}
    steps: {W: first.Y + Z, V: X}
"""
        )
    )
    assert solution["second"]["W"].decimals(0) == [["7", "9"]]
    assert solution["second.V"].decimals(0) == [["0", "1"]]


def test_a_pinned_step_is_given_and_carried_on():
    solution = solve(
        read("given: {S: [[1, 2]], V: [[1], [2]]}\nattention: {S: S, V: V, scale: none}\npin: {A: [[0.25, 0.75]]}")
    )
    assert solution["A"].given and solution["A"].decimals(2) == [["0.25", "0.75"]]
    assert solution["Z"].decimals(2) == [["1.75"]]
    assert [s.name for s in solution.parts[0].steps] == ["S", "A", "Z"]


def test_a_lesson_under_a_name_of_the_authors():
    solution = solve(
        read(
            """
given: {X: [[1, 0], [0, 1]], W_Q: identity(2), W_K: identity(2), W_V: identity(2)}
steps:
  X_pe: X + sinusoidal(2, 2)
  head: {self_attention: {X: X_pe, mask: causal}}
  out: head.Z * 2
asked: ["head.Z[0]", out]
"""
        )
    )
    names = [s.name for s in solution.parts[0].steps]
    assert names[1:4] == ["head.Q", "head.K", "head.V"] and names[-1] == "out"
    assert [a.step for a in solution.parts[0].part.asked] == ["head.Z", "out"]


def test_asked_points_and_rounding():
    problem = read(
        """
given: {S: [[1, 2], [3, 4]]}
rounding: {digits: 2, mode: half_even, carry: printed}
steps: {A: softmax(S), B: "A[0]"}
asked: ["A[1]", B]
points: {A: 2, B: 1.5}
"""
    )
    part = problem.parts[0]
    assert [(a.step, a.rows) for a in part.asked] == [("A", (1,)), ("B", None)]
    assert part.total_points == Fraction(7, 2)
    assert (part.rounding.digits, part.rounding.mode, part.carry) == (2, "half_even", "printed")


def test_python_data_and_numpy_arrays_are_givens():
    array = np.array([[0.1, 0.2]])
    shortest = solve({"given": {"x": array}, "steps": {"y": "x"}})
    assert shortest["y"].fractions() == [[Fraction(1, 10), Fraction(1, 5)]]
    binary = solve(load({"given": {"x": array}, "steps": {"y": "x"}}, floats="binary"))
    assert binary["y"].fractions() == [[Fraction(0.1), Fraction(0.2)]]
    single = solve({"given": {"x": np.float32(0.1) * np.ones((1, 1), dtype=np.float32)}, "steps": {"y": "x"}})
    assert single["y"].fractions() == [[Fraction(1, 10)]]
    mixed = solve({"given": {"x": [[1, "1/3"], [Fraction(2, 7), -np.inf]]}, "steps": {"y": "x"}})
    assert mixed["y"].fractions() == [[1, Fraction(1, 3)], [Fraction(2, 7), None]]


def test_givens_may_be_rounded_and_the_solution_says_so():
    assert read("givens: rounded\ngiven: {S: [[0.5, 1]]}\nsteps: {A: softmax(S)}").rounded_givens


SCHEMA = jsonschema.Draft202012Validator(problem_schema())


@pytest.mark.sweep(quick=0)
def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(problem_schema())
    json.dumps(problem_schema())


@for_each("path", [*(Path(problem_file(name)) for name in problem_names()), *EXAMPLES], ids=lambda p: p.stem, quick=20)
def test_the_schema_accepts_good_files(path):
    assert list(SCHEMA.iter_errors(yaml.safe_load(path.read_text(encoding="utf-8")))) == []


@for_each(
    "text",
    [
        "titel: x\nsteps: {A: softmax(S)}", "given: {pi: 1}\nsteps: {A: pi}", "vectors: diagonal\nsteps: {A: '1'}",
        "self_attention: {scal: none}", "attention: {mask_at: nowhere}", "rounding: {digits: -1}\nsteps: {A: '1'}",
        "steps: {A: {no_lesson: {}}}", "parts: {a: {stps: {A: '1'}}}",
    ],
)  # fmt: skip
def test_the_schema_and_the_reader_refuse_the_same(text):
    assert list(SCHEMA.iter_errors(yaml.safe_load(text)))
    with pytest.raises(AttncalcError):
        read(text)


FIRST = "three-words-look-back"  # the guides write it from scratch, with no line more than it needs


@for_each("name", problem_names(), quick=6)
def test_every_problem_that_comes_along_solves_with_its_source(name):
    problem = load(name)
    assert problem.title != name and (problem.source or problem.note or name == FIRST)
    for part in solve(problem).parts:
        for step in part.steps:
            assert step.printed().undecided == []
