"""The table of marks beside our own marking by hand in docs/marking.md says what `check` gives."""

from pathlib import Path

import numpy as np
import yaml

from attncalc import load, solve
from attncalc.api import check
from tests.support.sweeps import for_each

TESTS = Path(__file__).parents[1]
DATA = yaml.safe_load((TESTS / "data" / "compared_marks.yaml").read_text(encoding="utf-8"))
PAGE = (TESTS.parent / "docs" / "marking.md").read_text(encoding="utf-8")
PROBLEM = load(DATA["problem"])


def printed_by_python():
    """Every line in float64, as `print` shows it."""
    x, *weights = (np.array(DATA["problem"]["given"][name], dtype=float) for name in ("X", "W_Q", "W_K", "W_V"))
    q, k, v = (x @ w for w in weights)
    scores = q @ k.T
    scaled = scores / np.sqrt(2)
    masked = np.where(np.tril(np.ones((3, 3))) == 1, scaled, -np.inf)
    powers = np.exp(masked - masked.max(-1, keepdims=True))
    a = powers / powers.sum(-1, keepdims=True)
    lines = {"Q": q, "K": k, "V": v, "S": scores, "S_scaled": scaled, "S_masked": masked, "A": a, "Z": a @ v}
    return {name: [[repr(float(x)) for x in row] for row in rows] for name, rows in lines.items()}


def answers(script):
    if script.get("program"):
        return printed_by_python()
    if "only" in script:
        return script["only"]
    return {step.name: step.decimals(2) for step in solve(PROBLEM).parts[0].steps} | script["lines"]


def row(script):
    report = check(PROBLEM, {"answers": answers(script)})
    assert report.out_of == 16
    return f"| {script['what']} | {script['examiner']:g} | {float(report.earned):g} | {script['why']} |"


@for_each("script", DATA["scripts"], ids=[script["what"] for script in DATA["scripts"]])
def test_the_table_says_what_check_gives(script):
    assert row(script) in PAGE.splitlines()


def test_the_table_has_no_other_rows():
    table = PAGE.partition("## Comparison with our own marking by hand")[2].partition("\n## ")[0]
    assert len([line for line in table.splitlines() if line.startswith("| ")]) == len(DATA["scripts"]) + 2


def test_weights_of_whole_numbers_are_not_shown_by_what_follows_from_them():
    """Only an output that follows from the full weights shows a softmax behind them."""
    given = {"S": [[1, 0]], "V": [[4, 0], [0, 4]]}
    problem = load({"given": given, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)", "Z": "A @ V"}, "points": 4})
    for output, earned in ((["4.00", "0.00"], 0), (["2.92", "1.08"], 1.5)):
        report = check(problem, {"answers": {"A": [[1, 0]], "Z": [output]}})
        assert [step.verdict for step in report.steps] == ["too_coarse", "right"]
        assert report.steps[0].mark.earned == earned
