"""A line below an answer that gives another value in words: the answer counts, and a person has to look."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({
    "given": {"X": [[1, -2], [0, 3]], "u": [3, -1, 2]},
    "steps": {"T": "X / 4", "p": "u / 4", "m": "sum(u) / 7"},
})  # fmt: skip
VALUES = {"T": "[[0.25, -0.5], [0, 0.75]]", "p": "[0.75, -0.25, 0.5]", "m": "0.5714"}
FRAMES = (
    "=> {}", "i.e. {}", "i.e., {}", "(or {})", "→ {}", "so {step} = {}", "P.S. {step} = {}", "\\implies {step} = {}", "{} = {step}",
    "{step} is really {}", "\\boxed{{{}}}", "\\underline{{{}}}", "\\Rightarrow {}", "The value is {}", "which gives {}", "so it is {}.",
    "that is, {}", "das heißt {}", "oder {}", "thus we get {}",
)  # fmt: skip
NAMES = ("Corrected", "Correction", "New", "Better", "no", "EDIT", "Final", "Final answer", "Answer", "Result", "{step}_new", "{step}_final")  # fmt: skip
OTHER = ("0.9", "9/10", "sqrt(2)", "\\frac{3}{5}", "-0.5714", ".9")
WORDS = ("Page 3", "(4 decimals)", "rounded to 4 decimals", "Question 2", "so the sum is 3", "(3 points)", "m was rounded to 4 decimals", "d = 5",
         "max = 2.5", "which has 2 rows", "3 of 4 done")  # fmt: skip


def looked_at(step: str, line: str, source: str) -> bool:
    others = "".join(f"\n\n{name} = {value}" for name, value in VALUES.items() if name != step)
    bound = bind(read(f"{step} = {VALUES[step]}\n{line}{others}\n", source, lenient=True), PROBLEM, lenient=True)
    return bool(bound.unread)


@for_each("frame", [*FRAMES, *(f"{name}: {{}}" for name in NAMES), *(f"{name} = {{}}" for name in NAMES)])
@for_each("value", OTHER, quick=60, ci=90)
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_another_value_below_an_answer_is_reported(source, value, frame):
    assert looked_at("m", frame.format(value, step="m"), source)


@for_each("frame", [*FRAMES, *(f"{name}: {{}}" for name in NAMES if "{" not in name)])
@for_each("value", ["0.5714", "0.571", "4/7", "\\frac{4}{7}"])
def test_law_the_same_value_below_an_answer_costs_nothing(value, frame):
    if frame == "→ {}":
        return  # may be a row
    is_claimed = "{step} =" in frame or "= {step}" in frame or "{step} is" in frame
    assert not looked_at("m", frame.format(value, step="m"), "a.txt") or is_claimed


@for_each("line", WORDS)
@for_each("step", ["m"])
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_numbers_in_words_below_an_answer_cost_nothing(source, step, line):
    assert not looked_at(step, line, source)


@for_each(
    "line",
    ["Final answer: [[5, 5], [5, 6]]", "Answer: [[5, 5], [5, 6]]", "entry (1,1) is 9", "^T", "^{T}", "so it is 9/10"],
)
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_other_entries_below_a_matrix_are_reported(source, line):
    assert looked_at("T", line, source)
