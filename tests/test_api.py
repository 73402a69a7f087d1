"""The functions that programs call: the words of the commands, and what the commands print."""

from __future__ import annotations

import doctest
import inspect
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import attncalc
from attncalc.cli import cli
from tests.support.sweeps import for_each

PROBLEM = "look-ahead-mask"
ANSWERS = {"student": "s-1", "answers": {"masked": {"S": [[9]]}}}


def run(*words: str) -> str:
    return CliRunner().invoke(cli, words, catch_exceptions=False).stdout


@for_each("name", ["load", "solve", "check", "generate", "grade"])
def test_the_functions_are_named_as_in_all(name):
    function = getattr(attncalc, name)
    assert name in attncalc.__all__ and inspect.getdoc(function) and function.__name__ == name


def test_types_come_along():
    assert (Path(attncalc.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize(("name", "own"), [("generate", ()), ("grade", ("files", "feedback", "absent_zero"))])
def test_a_function_takes_the_words_of_its_command(name, own):
    words = {option.name for option in import_module(f"attncalc.cli.{name}").command.params}
    taken = {
        p.name for p in inspect.signature(getattr(attncalc, name)).parameters.values() if p.kind is not p.VAR_KEYWORD
    }
    assert taken - words <= {"apart", "into", "watch", *own}


@pytest.mark.sweep(quick=0)
def test_generate_gives_what_the_command_prints():
    drawn = list(attncalc.generate("self_attention", seed=7, count=2, tokens=2))
    assert drawn[0].text == run("generate", "self_attention", "--seed", "7", "--tokens", "2")
    assert [one.number for one in drawn] == [1, 2] and drawn[0].text != drawn[1].text
    assert attncalc.solve(drawn[0].problem)["Z"].shape[0] == 2


def test_what_generate_cannot_do_is_told():
    with pytest.raises(attncalc.AttncalcError, match="does not have the option"):
        attncalc.generate("self_attention", wheels=4)


Z = [[1.0, 0.5], [0.25, 0.3]]
SAME = [Z, np.array(Z), np.float32(Z), [np.array(row) for row in Z], tuple(map(tuple, Z)), "[[1, 0.5], [0.25, 0.3]]",
        [[Fraction(str(x)) for x in row] for row in Z], [[Decimal(str(x)) for x in row] for row in Z]]  # fmt: skip


@for_each("written", SAME, ids=str)
def test_law_answers_in_python_data_are_read_as_givens_are(written):
    """An array of NumPy ended with the TypeError of another library."""
    problem = {"given": {"Z": written}, "steps": {"Y": "Z * 1"}}
    report = attncalc.check(problem, {"answers": {"Y": written}})
    assert [(step.step.name, step.verdict) for step in report.steps] == [("Y", "right")]


@for_each("written", [None, 3, b"", set(), {"answers": {"Y": {1}}}, {"answers": {"Y": 1j}},
                                     {"answers": {"Y": np.array([1j])}}, {"answers": {(1, 2): 3}}], ids=str)  # fmt: skip
def test_law_answers_that_are_not_data_raise_the_error_of_attncalc(written):
    with pytest.raises(attncalc.AttncalcError, match=r"answers.*expected .*, found|answers.*: expected"):
        attncalc.check({"given": {"Z": 1}, "steps": {"Y": "Z * 1"}}, written)


@pytest.mark.parametrize("words", [("export", "-", "--to", "moodle"), ("grade", "-", "pyproject.toml")])
def test_a_command_that_does_not_read_standard_input_says_so(words):
    result = CliRunner().invoke(cli, words, input="steps: {y: 1}")
    assert "does not read standard input" in str(result.exception)


@pytest.mark.parametrize("count", [0, -1])
def test_generate_without_a_variant_is_refused(count):
    with pytest.raises(attncalc.AttncalcError, match="count: expected a whole number of at least 1"):
        attncalc.generate("attention", count=count)


def test_grade_gives_what_the_command_prints(tmp_path):
    blank = tmp_path / "answers"
    blank.mkdir()
    for k in range(3):
        (blank / f"s-{k}.yaml").write_text(run("answers", PROBLEM), encoding="utf-8")
    grades = attncalc.grade(PROBLEM, [blank], feedback=True)
    assert attncalc.grade(PROBLEM, blank).rows == attncalc.grade(PROBLEM, str(blank)).rows
    printed = run("grade", PROBLEM, str(blank))
    assert grades.csv() == printed and len(grades.rows) == len(grades.pages()) == grades.figures().scripts == 3


@pytest.mark.sweep(quick=0)
def test_every_example_in_a_docstring_holds():
    root = Path(attncalc.__file__).parent
    files = [path for path in sorted(root.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    assert len(files) >= 8
    for path in files:
        assert doctest.testmod(import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))).failed == 0
