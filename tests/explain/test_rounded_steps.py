"""`carry: printed`: every command calculates with the rounded steps, as `--paper` does, and says so."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.lms import moodle
from attncalc.lms.quiz_export import quiz_of
from attncalc.rounding_modes import MODES
from tests.support.called import called
from tests.support.laws import examples

FILE = (
    "title: t\ngiven: {{A: 1}}\nrounding: {{digits: 1, carry: {carry}}}\nsteps: {{S: A / 3, T: S * 30}}\nask: Do it.\n"
)


@examples(50)
@given(digits=st.integers(0, 4), mode=st.sampled_from([*MODES]), a=st.integers(-99, 99), b=st.integers(1, 99))
def test_law_later_steps_use_what_the_file_prints(digits, mode, a, b):
    rounding = {"digits": digits, "mode": mode}
    file = {"given": {"A": f"{a}/{b}"}, "steps": {"S": "A / 7", "T": "S * 1000", "U": "T - S"}}
    stated = solve(load(file | {"rounding": rounding | {"carry": "printed"}}))
    by_option = solve(load(file | {"rounding": rounding}), paper=True)
    s, t, u = (Fraction(stated[name].decimals(digits)[0][0]) for name in "STU")
    assert (t, u) == (s * 1000, t - s)
    assert [stated[name].decimals(digits) for name in "STU"] == [by_option[name].decimals(digits) for name in "STU"]


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "p.yaml").write_text(FILE.format(carry="printed"))
    return tmp_path / "p.yaml"


def test_every_command_uses_the_rounded_numbers(problem, tmp_path):
    assert "= 0.3 · 30 = 9" in called("solve", problem)[1]
    assert called("solve", problem, "--certificate", tmp_path / "c.json")[0] == 0
    assert json.loads((tmp_path / "c.json").read_text())["carried"] is True
    assert called("verify", tmp_path / "c.json", problem)[0] == 0
    (tmp_path / "a.txt").write_text("S = 0.3\nT = 8\n")
    assert "correct: T = 0.3 · 30 = 9" in called("check", problem, tmp_path / "a.txt")[1]
    for right in ("9", "10"):  # a student who does not round is right too
        (tmp_path / "a.txt").write_text(f"S = 0.3\nT = {right}\n")
        assert "2 of 2 points" in called("check", problem, tmp_path / "a.txt")[1]
    text = moodle.write([quiz_of(load(str(problem)), "t")])[0]
    assert "continue with the rounded numbers" in text and text.index("%9.0:") < text.index("%10.0:")


def test_a_paper_asks_for_the_rounded_numbers(problem, tmp_path):
    (tmp_path / "s.yaml").write_text("title: t\nseed: 5\nquestions: [{problem: p.yaml}]\n")
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    paper = (tmp_path / "out" / "all-papers.tex").read_text()
    assert "Round to 1 decimal (half up). Round each step and continue with the rounded numbers." in paper


def test_closed_forms_and_parts_that_differ_are_refused(problem, tmp_path):
    code, _, message = called("solve", problem, "--exact")
    assert code == 2 and "--exact and a problem with `carry: printed` cannot be combined" in message
    (tmp_path / "d.yaml").write_text(
        "parts:\n  a: {rounding: {carry: printed}, steps: {S: 1/3}}\n  b: {steps: {S: 1/3}}\n"
    )
    code, _, message = called("solve", tmp_path / "d.yaml")
    assert code == 2 and "carry: expected the same value in all parts, found full and printed" in message
