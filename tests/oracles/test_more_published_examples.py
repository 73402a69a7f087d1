"""More published examples, each as one would write it from the format's description alone: what the author printed and
what `check` says.

`printed` is what an independent reader (mpmath, 60 digits) found of each line, `carried` where the line follows from
the author's own lines before; `verdicts` is what `check` says. They need not be the same word, but must not contradict
each other.
"""

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from flint import fmpq

from attncalc import AttncalcError, load, solve
from attncalc.arithmetic.exact import exact_evaluator, exponential_sums, quotient_form
from attncalc.cli import cli
from attncalc.submissions.script_reader import read
from tests.support.sweeps import for_each

DATA = Path(__file__).parents[1] / "data"
NAMES = sorted(path.stem for path in (DATA / "published").glob("*.yaml"))
MAY_BE = {
    "agrees": {"right", "too_coarse"},
    "truncated": {"truncated", "right"},
    "last-digit": {"last_digit", "right"},
    "wrong": {"wrong", "carried"},
    "wrong, carried": {"carried", "right"},
}


@cache
def published(name):
    return yaml.load((DATA / "published" / f"{name}.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)


def checked(problem, answers):
    """What `check --to json` says: the first wrong step, and the steps by name."""
    found = json.loads(CliRunner().invoke(cli, ["check", str(problem), str(answers), "--to", "json"]).stdout)
    return found["first_wrong"], {
        f"{part['name']}.{step['name']}" if part["name"] else step["name"]: step
        for part in found["parts"]
        for step in part["steps"]
    }


@pytest.mark.sweep(quick=3, ci=True)
@pytest.mark.parametrize("name", NAMES)
def test_each_printed_line_gets_its_verdict(name, tmp_path):
    data = published(name)
    for kind in ("problem", "answers"):
        (tmp_path / f"{kind}.yaml").write_text(data[kind], encoding="utf-8")
    first_wrong, steps = checked(tmp_path / "problem.yaml", tmp_path / "answers.yaml")
    assert {step: steps[step]["verdict"] for step in data["verdicts"]} == data["verdicts"]
    assert (first_wrong or "null") == data["first_wrong"]
    if "mistake" in data:
        assert data["mistake"] in {mistake["code"] for mistake in steps[first_wrong]["mistakes"]}


@for_each("name", NAMES)
def test_no_verdict_contradicts_the_independent_reader(name):
    data = published(name)
    assert data["printed"].keys() == data["verdicts"].keys()
    assert not {step: kind for step, kind in data["printed"].items() if data["verdicts"][step] not in MAY_BE[kind]}


def test_one_unit_off_is_told_from_a_slip():
    """16.65 is three units from what the printed weights give, and five from the right 16.60: a slip, whatever the
    weights may have been.
    """
    stem = DATA / "examples" / "attention" / "39-c-test-comment-16.65"
    assert checked(f"{stem}.problem.yaml", f"{stem}.published.yaml")[0] == "Z"


def test_whole_numbers_are_right_where_the_sheet_asks_no_digits(tmp_path):
    problem, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    problem.write_text(
        "given: {pairs: 417557, batch: 128, area: 200}\nsteps: {batches: pairs / batch, root: sqrt(area)}\n"
    )
    answers.write_text("answers: {batches: 3262, root: 14}\n")
    assert {name: step["verdict"] for name, step in checked(problem, answers)[1].items()} == {
        "batches": "right",
        "root": "right",
    }


def test_long_exponents_count_towards_the_effort_of_a_proof():
    """Exponents of ninety terms are merged pair by pair, which a meter of products alone would let run for a minute."""
    long = quotient_form.number(fmpq(1))
    for k in range(90):
        long = quotient_form.add(long, quotient_form.atom("sin", k))
    power = exact_evaluator.exponential(long)
    exponential_sums.METER.left = 1_000
    quotient_form.multiply(power, power)
    assert exponential_sums.METER.left <= 1_000 - 90


def test_what_follows_from_a_slip_in_whole_numbers_is_carried_not_right(tmp_path):
    """One off is no rounding where nothing was rounded."""
    problem, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    problem.write_text("given: {x: [1, 2]}\nparts:\n  a: {steps: {Y: x * 2}}\n  b: {steps: {R: a.Y + 1}}\n")
    answers.write_text("answers: {a: {Y: [2, 5]}, b: {R: [3, 6]}}\n")
    first_wrong, steps = checked(problem, answers)
    assert first_wrong == "a.Y" and steps["b.R"]["verdict"] == "carried"


def test_a_line_that_is_no_cut_of_its_value_is_not_called_cut(tmp_path):
    """e^√2/(1 + e^√2) = 0.804430: 0.80444 may come from an exponential that was cut, but nobody cut 0.804430 to
    0.80444.
    """
    problem, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    problem.write_text(
        "given: {S: [[sqrt(2), 0]], T_: [[0.70710678, 0]]}\nparts:\n  a: {steps: {A: softmax(S)}}\n  b: {steps: {A: softmax(T_)}}\n"
    )
    answers.write_text("answers: {a: {A: [0.80444, 0.19556]}, b: {A: [0.6697, 0.3302]}}\n")
    steps = checked(problem, answers)[1]
    assert steps["a.A"]["verdict"] in {"right", "last_digit"} and steps["b.A"]["verdict"] == "truncated"


def test_a_comma_before_three_digits_may_mean_thousands(tmp_path):
    answers = tmp_path / "a.yaml"
    answers.write_text("answers: {bytes: '57,344', ratio: '7,00'}\n")
    with pytest.raises(AttncalcError) as refused:
        read(answers.read_bytes(), "a.yaml")
    assert "found '57,344'; did you mean 57.344 or 57344?" in str(refused.value)
    assert "7,00" not in str(refused.value)  # which is 7.00 and nothing else


@pytest.mark.parametrize(
    ("step", "typed"),
    [
        ("A", "[[0.27, 0.27, 0.46], [0.33, 0.33, 0.33], [0.33, 0.33, 0.33]]"),  # to base 2 the last is 0.449
        ("A", "[[0.38, 0.24, 0.38], [0.23, 0.38, 0.38], [0.26, 0.26, 0.49]]"),
    ],
)
def test_a_mistake_is_not_named_whose_numbers_are_other_ones(tmp_path, step, typed):
    """Only with everything on the way rounded as roughly as may be would another base come near these."""
    problem, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    problem.write_text(
        "given: {Q: [[1, 0], [0, 1], [1, 1]], K: [[1, 0], [0, 1], [1, 1]], V: [[1, 0], [0, 1], [1, 1]]}\nattention: {}\n"
    )
    answers.write_text(f"answers: {{{step}: {typed}}}\n")
    found = checked(problem, answers)[1][step]
    assert found["verdict"] == "wrong"
    assert not {m["code"] for m in found["mistakes"]} & {"softmax-base-2", "softmax-base-10", "softmax-twice"}


def test_an_accepted_convention_that_is_none_is_an_error(tmp_path):
    problem = tmp_path / "p.yaml"
    problem.write_text(
        "given: {Q: [[1, 0]], K: [[1, 0]], V: [[1, 2]]}\nattention: {}\naccept: [nonsense, scale-forgoten]\n"
    )
    with pytest.raises(AttncalcError) as error:
        load(problem)
    assert f"{problem}:3:10: accept: expected the code of a mistake, found 'nonsense'" in str(error.value)
    assert "did you mean scale-forgotten?" in str(error.value)


@pytest.mark.parametrize("start", ["S_scaled: scores", "S: scores, scale: none", "S_scaled: scores, bias: alibi(1/2)"])
def test_a_masked_lesson_may_start_at_any_scores(start):
    """The mask and the bias take their sizes from the scores that are there."""
    sheet = yaml.safe_load(
        f"given: {{scores: [[1, 2], [3, 4]], V: [[1, 0], [0, 1]]}}\nattention: {{{start}, mask: causal}}"
    )
    assert solve(load(sheet))["A"].decimals(4)[0] == ["1.0000", "0.0000"]
