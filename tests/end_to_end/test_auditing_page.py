"""docs/auditing.md stays true: it is made anew and compared, and its findings are held against what a person found
without attncalc.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

import pytest

from attncalc import load
from attncalc.api import check
from tests.support.sweeps import for_each

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(__file__).parents[1] / "data" / "examples"
STEMS = sorted(
    str(path.relative_to(EXAMPLES)).removesuffix(".published.yaml") for path in EXAMPLES.rglob("*.published.yaml")
)

# Lines that differ from the exact numbers and follow from printed ones all the same: a legal way to work, which a
# comparison with the exact result alone calls wrong.
LEGAL = {
    "attention/01-illustrated-self-attention", "attention/23-ust-lecture3-ex1", "attention/25-ust-lecture3-two-head",
}  # fmt: skip


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_auditing", ROOT / "docs" / "make_auditing.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.sweep(quick=0)
def test_the_page_is_what_check_finds(maker):
    assert (ROOT / "docs" / "auditing.md").read_text(encoding="utf-8") == maker.page(), (
        "python docs/make_auditing.py makes it anew"
    )


@cache
def verdicts(stem):
    report = check(load(EXAMPLES / f"{stem}.problem.yaml"), EXAMPLES / f"{stem}.published.yaml")
    return {step.step.key: step.verdict for step in report.steps if step.line}, report.first_wrong


def expected(stem):
    return json.loads((EXAMPLES / f"{stem}.expect.json").read_text(encoding="utf-8"))["steps"]


@for_each("stem", STEMS, quick=4)
def test_no_line_that_agrees_with_the_exact_numbers_is_refused(stem):
    found, _ = verdicts(stem)
    assert not [
        step for step, kind in expected(stem).items() if kind in ("agrees", "truncated") and found[step] == "wrong"
    ]


@for_each("stem", STEMS, quick=3)
def test_a_solution_that_a_person_found_wrong_is_found_wrong(stem):
    found, first = verdicts(stem)
    person = [step for step, kind in expected(stem).items() if kind == "wrong"]
    assert (first is not None) is bool(person and stem not in LEGAL)
    if first is not None:
        assert first.step.key == next(step for step in found if step in person)


def test_the_tables_of_the_slides():
    decks = EXAMPLES.parent / "decks"
    mask = check(load("look-ahead-mask"), decks / "look-ahead-mask.published.yaml")
    assert [(step.step.name, step.verdict) for step in mask.steps] == [("S_masked", "right"), ("A", "truncated")]
    softmax = check(load("hi-how-are-you"), decks / "hi-how-are-you.published.yaml")
    assert softmax.first_wrong.step.key == "scaled.A" and not softmax.first_wrong.causes
