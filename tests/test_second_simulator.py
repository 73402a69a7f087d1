"""The second simulator's students (second_simulator.py), marked: no honest line is called wrong, and a mistake is found where it was made."""

from __future__ import annotations

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
    """Of the scripts with a mistake: those whose first wrong step is where it was made, or whose numbers some honest student writes."""
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
    assert_honest_scripts_pass(1000, "many honest")


@pytest.mark.slow
def test_the_first_wrong_step_of_many():
    assert share_found(400, "many wrong") >= 0.95
