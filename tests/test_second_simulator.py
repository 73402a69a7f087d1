"""The second simulator's students (second_simulator.py), marked: no honest line is called wrong, and a mistake is found
where it was made.
"""

from __future__ import annotations

import json
import random
import sys
from itertools import islice
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.bench.second import Examiner, honest_scripts, legal_otherwise, wrong_scripts


def assert_honest_scripts_pass(number, seed):
    examiner = Examiner()
    for task, student, method, left_out, script in islice(honest_scripts(random.Random(seed)), number):
        report = examiner.check(task, script, student.form)
        assert not report.refused, (task.text(), student, method, left_out, script, report.refused, report.said)


def share_found(number, seed):
    """Of the scripts with a mistake: those whose first wrong step is where it was made, or whose numbers some honest
    student writes.
    """
    examiner, found = Examiner(), 0
    for task, student, _, first, script in islice(wrong_scripts(random.Random(seed)), number):
        report = examiner.check(task, script, student.form)
        assert report.steps is not None, (task.text(), script, report.said)
        found += report.first_wrong == first or legal_otherwise(task, script, random.Random(seed))
    return found / number


def test_no_honest_script_is_refused():
    assert_honest_scripts_pass(60, "honest")


def test_the_first_wrong_step_is_where_the_mistake_was_made():
    assert share_found(40, "wrong") >= 0.9


@pytest.mark.slow
def test_no_honest_script_of_many_is_refused():
    assert_honest_scripts_pass(300, "many honest")


@pytest.mark.slow
def test_the_first_wrong_step_of_many():
    assert share_found(150, "many wrong") >= 0.95


FOLDED = """title: a scale that is a number
rounding: {digits: 2}
given: {Q: [[2, 1, 2]], K: [[2, -1, 0]], V: [[1]]}
attention: {scale: "3"}
"""
TIED = """title: two are largest
given: {logits: [[0.75, -0.5, 0.5, 0, 0.75]]}
next_word: {}
"""


def verdicts(tmp_path, problem, lines):
    from click.testing import CliRunner

    from attncalc.cli import cli

    (tmp_path / "problem.yaml").write_text(problem)
    (tmp_path / "answers.yaml").write_text(
        "answers:\n" + "".join(f"  {name}: {value}\n" for name, value in lines.items())
    )
    result = CliRunner().invoke(
        cli, ["check", str(tmp_path / "problem.yaml"), str(tmp_path / "answers.yaml"), "--to", "json"]
    )
    return {step["name"]: step["verdict"] for part in json.loads(result.output)["parts"] for step in part["steps"]}


def test_a_scale_that_is_a_number_may_be_folded_into_the_queries(tmp_path):
    """Q/3 kept to three decimals is 0.666, 0.333, 0.666, and so S_scaled is 0.999, which is cut to 0.99."""
    assert verdicts(tmp_path, FOLDED, {"S_scaled": "[[0.99]]"})["S_scaled"] == "right"
    assert verdicts(tmp_path, FOLDED, {"S_scaled": "[[0.97]]"})["S_scaled"] == "wrong"


@pytest.mark.parametrize("chosen, verdict", [(0, "right"), (4, "right"), (1, "wrong"), (2, "wrong"), (3, "wrong")])
def test_a_word_between_two_equally_probable_ones_is_wrong(tmp_path, chosen, verdict):
    lines = {"P": "[[0.2827, 0.0810, 0.2201, 0.1335, 0.2827]]", "next": chosen}
    assert verdicts(tmp_path, TIED, lines)["next"] == verdict
