"""The second simulator's students (second_simulator.py), marked: no honest line is called wrong, and a mistake is found
where it was made.
"""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest

from tests.bench.legal import is_written_by_a_hand
from tests.bench.second import Examiner, honest_scripts, wrong_scripts


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
        found += report.first_wrong == first or is_written_by_a_hand(task, script, random.Random(seed))
    return found / number


@pytest.mark.sweep(quick=0)
def test_no_honest_script_is_refused():
    assert_honest_scripts_pass(60, "honest")


@pytest.mark.sweep(quick=0)
def test_the_first_wrong_step_is_where_the_mistake_was_made():
    assert share_found(40, "wrong") >= 0.9


@pytest.mark.sweep(quick=0, ci=0)
@pytest.mark.slow
def test_no_honest_script_of_many_is_refused():
    assert_honest_scripts_pass(300, "many honest")


@pytest.mark.sweep(quick=0, ci=0)
@pytest.mark.slow
def test_the_first_wrong_step_of_many():
    assert share_found(150, "many wrong") >= 0.95


def test_a_hand_is_found_for_what_honest_students_write_and_none_for_what_no_rounding_explains():
    """The proof that the bench asks for, held against scripts of either kind; some methods the hands do not know."""
    rng = random.Random("hands")
    drawn = (one for one in honest_scripts(rng) if not one[2] and not one[3] and "float32" not in str(one[1].how))
    for task, student, _, _, script in islice(drawn, 4):
        assert is_written_by_a_hand(task, script, rng), (task.text(), student, script)
        name = next(n for n, rows in script.items() if n != "next" and any("." in x for row in rows for x in row))
        spoiled = [[x if "inf" in x else str(float(x) + 5) for x in row] for row in script[name]]
        assert not is_written_by_a_hand(task, script | {name: spoiled}, rng, tries=20)


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


ANGLES = """title: cosines
rounding: {digits: 2}
given: {X: [[0, 1, 0, 0], [1, 0, 2, 0]]}
positional_encoding: {}
"""


def test_an_entry_with_too_few_digits_makes_the_line_too_coarse(tmp_path):
    assert verdicts(tmp_path, ANGLES, {"PE": "[[0, 1, 0, 1], [0.84, 0.5, 0.01, 1]]"})["PE"] == "too_coarse"


@pytest.mark.parametrize("row", ["[0.84, 1, 0.01, 1]", "[0.84, 1, 0, 1]", "[1, 0.54, 0.01, 1]", "[0, 0.54, 0.01, 1]"])
def test_an_entry_that_keeps_no_figure_is_wrong(tmp_path, row):
    """1 for cos 1 = 0.54 and 0 for sin 1 = 0.84 are not rounded so far."""
    assert verdicts(tmp_path, ANGLES, {"PE": f"[[0, 1, 0, 1], {row}]"})["PE"] == "wrong"


def test_angles_to_two_decimals_are_right(tmp_path):
    assert verdicts(tmp_path, ANGLES, {"PE": "[[0, 1, 0, 1], [0.84, 0.54, 0.01, 1]]"})["PE"] == "right"


@pytest.mark.parametrize("chosen, verdict", [(0, "right"), (4, "right"), (1, "wrong"), (2, "wrong"), (3, "wrong")])
def test_a_word_between_two_equally_probable_ones_is_wrong(tmp_path, chosen, verdict):
    lines = {"P": "[[0.2827, 0.0810, 0.2201, 0.1335, 0.2827]]", "next": chosen}
    assert verdicts(tmp_path, TIED, lines)["next"] == verdict
