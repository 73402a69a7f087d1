"""`check` lists the steps that it counts, says first that no answered step is wrong, and marks what can be read."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from attncalc import AttncalcError, check
from attncalc.cli import cli

PROBLEM = """\
given: {Q: [[1, 0], [0, 1]], K: [[1, 1], [0, 1]], V: [[1, 2], [3, 4]]}
attention: {scale: none}
"""
S, A = "S: [[1, 0], [1, 1]]", "A: [[0.73, 0.27], [0.50, 0.50]]"


@pytest.fixture
def checked(tmp_path):
    def run(problem, answers, *more, name="a.yaml"):
        (tmp_path / "p.yaml").write_text(problem, encoding="utf-8")
        (tmp_path / name).write_text(answers, encoding="utf-8")
        found = CliRunner().invoke(cli, ["check", str(tmp_path / "p.yaml"), str(tmp_path / name), *more])
        return found.exit_code, " ".join(found.stdout.split()) if not more else json.loads(found.stdout), found.stderr

    return run


def test_a_right_script_with_steps_left_out_hears_first_that_nothing_is_wrong(checked):
    code, page, _ = checked(PROBLEM, f"answers:\n  {S}\n  {A}\n")
    assert code == 1 and "No answered step is wrong. 2 of 3 points." in page
    assert "Counted: S, A and Z. To choose the steps, list them in the problem file, for example asked: [Z]." in page
    assert page.index("No answered") < page.index("1 step is unanswered")


def test_the_steps_that_the_file_asks_are_the_ones_that_count(checked):
    code, page, _ = checked(PROBLEM + "asked: [S, A]\n", f"answers:\n  {S}\n  {A}\n")
    assert code == 0 and "Counted: S and A, as the problem file asks (asked:)." in page
    assert "No answered step is wrong. 2 of 2 points. Everything is right." in page


def test_a_wrong_script_and_an_empty_one_hear_nothing_of_the_kind(checked):
    for answers in ("S: [[1, 9], [1, 1]]", "A: [[0.61, 0.39], [0.50, 0.50]]"):
        assert "No answered step is wrong" not in checked(PROBLEM, f"answers:\n  {answers}\n")[1]
    assert "No answered step is wrong" not in checked(PROBLEM, "answers: {}\n")[1]


def test_an_unreadable_piece_costs_itself_and_ends_with_2(checked, tmp_path):
    text = "S = [[1, 0], [1, 1]]\nA = [[0.73, 0.27], [0.50, 0.5O]]\nZ = [[1.54, 2.54], [2, 3]]\n"
    code, data, err = checked(PROBLEM, text, "--to", "json", name="a.md")
    assert code == 2 and err.endswith(
        "a.md:2:27: expected a number, found '0.5O'; did you mean the digit 0 instead of the letter O?\n"
    )
    assert {step["name"]: step["verdict"] for step in data["parts"][0]["steps"]} | {"A": ""} == {
        "S": "right",
        "A": "",
        "Z": "right",
    }
    assert [(one["step"], one["line"], one["column"]) for one in data["unread"]] == [("A", 2, 27)]
    assert data["counted"] == ["S", "A", "Z"]
    with pytest.raises(AttncalcError):
        check(tmp_path / "p.yaml", tmp_path / "a.md")
