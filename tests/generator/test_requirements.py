"""Whatever is drawn can be worked out, and what cannot is told: by generate, exam, stress and lint."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from attncalc import load, solve
from attncalc.api import check
from attncalc.cli import cli
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.generator.lint import lint
from attncalc.generator.rejection_search import Search, rebuild
from attncalc.generator.request import Request, specification
from attncalc.generator.requirements import unsolvable_steps
from tests.support.sweeps import for_each

# Entries among which rows of zeros and tokens without variance are common, and every demand let go that keeps them out
# by chance.
POOR = (
    "degenerate",
    "saturated",
    "uniform",
    "large",
    "negative-zero",
    "ties",
    "separation",
    "named",
    "weak",
    "work",
    "duplicates",
)
NORMS = ("rms_norm", "layer_norm", "add_norm", "layer_norm_gradients")


def drawn(lesson: str, seed: str, count: int, **more):
    search = Search(specification(Request(lesson, seed=seed, **more)))
    return [rebuild(search, variant) for variant in search.variants(count)]


def norms_by_numpy(problem) -> None:
    """The variance or mean square of every token is far from 0, worked out apart from the numbers of the file."""
    givens = {
        given.name: np.array([[float(text) for text in row] for row in given.texts]) for given in problem.plan.givens
    }
    tokens = givens["X"] + givens.get("F", 0)
    spread = (tokens**2).mean(1) if "rms_norm" in problem.plan.parts[0].lessons.values() else tokens.var(1)
    assert (spread > 1e-9).all()


@for_each("lesson", NORMS, quick=1)
def test_no_token_is_drawn_that_no_norm_can_divide(lesson):
    for seed in range(3):
        poor = {"sizes": {"d_model": 2}, "options": {"eps": "0"}, "entries": "sparse -1..1", "relax": POOR}
        for problem in drawn(lesson, str(seed), 8, **poor):
            assert unsolvable_steps(problem) == {}
            norms_by_numpy(problem)


@pytest.mark.sweep(quick=0)
@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["rms_norm", "layer_norm"])
@pytest.mark.parametrize("seed", (0,))
def test_120_variants_of_a_seed_can_be_worked_out(lesson, seed):
    for problem in drawn(lesson, str(seed), 120):
        assert unsolvable_steps(problem) == {}
        norms_by_numpy(problem)


@for_each("lesson", RECIPES, quick=1)
def test_the_key_as_printed_gets_full_marks(lesson):
    for problem in drawn(lesson, "key", 2):
        report = check(problem, {"answers": {step.name: step.decimals() for step in solve(problem).parts[0].steps}})
        assert report.passed and report.earned == report.out_of


ZEROS = "given: {X: [[0, 0], [1, 2]]}\nrms_norm: {}\n"


def run(*words):
    return CliRunner().invoke(cli, words)


def test_exam_stress_and_lint_tell_what_cannot_be_worked_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zeros.yaml").write_text(ZEROS)
    (tmp_path / "sheet.yaml").write_text("variants: 2\nquestions: [{problem: zeros.yaml}]\n")
    said = "division by zero: row 1 of sqrt(mean_square) is 0; the entries there are all 0; set eps above 0"
    told = run("exam", "sheet.yaml")
    assert str(told.exception).count(said) == str(told.exception).count("variant ") == 2
    told = run("stress", "sheet.yaml", "-n", "2")
    assert told.exit_code == 1 and "cannot be computed" in told.stdout and said in " ".join(told.stdout.split())
    told = run("lint", "zeros.yaml")
    assert told.exit_code == 1 and said in " ".join(told.stdout.split())


@pytest.mark.sweep(quick=0)
def test_what_no_draw_can_meet_is_told(monkeypatch):
    monkeypatch.setattr("attncalc.generator.rejection_search.SEARCH_SECONDS", 1)
    poor = {"sizes": {"d_model": 1}, "options": {"eps": "0"}, "relax": POOR}
    with pytest.raises(
        Exception,
        match=r"did not meet the requirement `workable` \(every step has a value\); try different entries, sizes or digits$",
    ):
        drawn("layer_norm", "1", 1, **poor)


def test_a_problem_of_ones_own_is_solved_before_it_is_called_workable():
    assert unsolvable_steps(load({"given": {"X": [[1, 2]]}, "rms_norm": {}})) == {}
    assert set(unsolvable_steps(load({"given": {"X": [[0, 0]]}, "rms_norm": {}}))) == {"normed", "Y"}


ROTATED = "hstack({0}[:, 0:1] * a - {0}[:, 1:2] * b, {0}[:, 0:1] * b + {0}[:, 1:2] * a)"


@for_each("angle", ["1/2", "1", "2", "ln(3)", "sqrt(2)"])
@for_each(("score", "is_told"), [("0", False), ("1/10000", False), ("-1/10000", True)])
def test_only_a_negative_number_is_told_as_a_negative_zero(angle, score, is_told):
    """Query and key turned by the same angle keep their product, which is exactly the first entry of the query."""
    steps = {"a": f"cos({angle})", "b": f"sin({angle})", "Q": ROTATED.format("q"), "K": ROTATED.format("k")}
    given = {"q": [[score, "2"]], "k": [["1", "0"]]}
    problem = load({"given": given, "steps": steps | {"S": "Q @ K.T"}, "rounding": {"digits": 3}})
    findings = lint(problem).findings
    assert [f.step for f in findings if f.demand == "negative-zero"] == ["S"] * is_told
