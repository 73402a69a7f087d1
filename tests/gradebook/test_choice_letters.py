"""Letters of choices in free text: each is read, or the script is looked at."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.support.called import called
from tests.support.sweeps import for_each

SHEET = r"""
variants: 1
seed: 2026
rounding: {digits: 2}
questions:
  - {problem: own.yaml, asked: [A], points: 1}
  - {ask: Which?, choices: [{right: W_O}, {wrong: W_V}, {wrong: W_K}, {wrong: W_Q}], points: 1}
  - {ask: Which ones?, several: true, choices: [{right: W_V}, {right: W_K}, {wrong: x}, {wrong: y}], points: 1}
"""
STEP = "A = [[0.25, 0.50]]"
# {0} is the number in digits, {1} in words, {2} as an ordinal, {3} as a Roman number and {4} with a circle around it
READ = (
    "## {0}\n\n{L}", "## {0}.\n\n{L}", "**{0}**\n{L}", "## Question {1}\n\n{L}", "# {2} question\n\n{L}", "{2} Question: {L}", "{4}: {L}",
    "{4} {L}", "{4}\n{L}", "{3}. {L}", "{3}) {L}", "q_{0}: {L}", "$q_{0}$: {L}", "question_{0}: {L}", "q{0}_{L}", "Q{0}{L}", "No. {0}: {L}",
    "Nr. {0}: {L}", "#{0}: {L}", "Q.{0}: {L}", "Q-{0}: {L}", "{0} → {L}", "Question {1}: {L}", "QUESTION {1}\n{L}",
)  # fmt: skip
LOOKED_AT = (
    "{0} {L}", "{0},{L}", "{0};{L}", "{0}\t{L}", "{0}/ {L}", "{0}. W_O", "q[{0}]: {L}", "q[{0}] = {L}", "I choose {L} for question {0}.",
    "The answer to question {0} is {L}.", "Answers: {0}: {L}", "Quesiton {0}: {L}", "{L}) W_O", "☑ {L}", "- [x] {L}\n- [ ] D", "✓ {L}",
    "✓ q{0}: {L}", "First: q{0}: {L}", "> q{0}: {L}", "**q{0}: {L}**", "{2}: {L}", "{1}: {L}", "Answer: {L}", "MC: ({L})", "## Quiz\n\n{L}", "{L}",
    "{3}: {L}", "Answers: {0}{L}", "q{0}a", "pregunta dos: {L}", "Multiple choice\n\n({L})", "## Two or three\n\n\n{L} I think",
)  # fmt: skip
NUMBERS = {2: ("2", "two", "Second", "II", "②"), 3: ("3", "three", "Third", "III", "③")}
LETTERS = {2: "A", 3: "A"}


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    folder = tmp_path_factory.mktemp("letters")
    (folder / "own.yaml").write_text("given: {M: [[0.5, 1]]}\nsteps: {A: M / 2}\nrounding: {digits: 2}\nasked: [A]\n")
    (folder / "s.yaml").write_text(SHEET)
    assert called("exam", folder / "s.yaml", "-o", folder / "out", "--to", "latex")[0] == 0
    key = folder / "out" / "key.json"
    return folder, key, json.loads(key.read_text(encoding="utf-8"))["variants"][0]["code"]


def graded(exam, texts):
    folder, key, code = exam
    for k, text in enumerate(texts):
        (folder / f"s{k:03}.md").write_text(f"problem: {code}\n\n{text}\n", encoding="utf-8")
    _, out, _ = called("grade", key, *(folder / f"s{k:03}.md" for k in range(len(texts))))
    return list(csv.DictReader(io.StringIO(out)))


@for_each("number", NUMBERS)
@for_each("is_above", [True, False])
def test_law_a_letter_is_read_or_the_script_is_looked_at(is_above, number, exam):
    forms = [form.format(*NUMBERS[number], L="A") for form in (*READ, *LOOKED_AT)]
    other = f"q{5 - number}: A"
    rows = graded(
        exam, [f"{form}\n\n{other}\n\n{STEP}" if is_above else f"{STEP}\n\n{other}\n\n{form}" for form in forms]
    )
    for k, (form, row) in enumerate(zip(forms, rows, strict=True)):
        is_read = row[f"q{number}"] not in ("0", "") and row[f"q{5 - number}"] not in ("0", "")
        if k < len(READ):
            assert (is_read, row["status"]) == (True, "graded"), (form, row)
        else:
            assert is_read or row["status"] == "look", (form, row)
        assert row["q1.A"] == "1" or row["status"] == "look", (form, row)


@for_each("heads", ["## 1|## 2|## 3", "## Question one|## Question two|## Question three", "#1|#2|#3", "①|②|③"])
def test_a_paper_below_numbers_alone_is_read(heads, exam):
    first, second, third = heads.split("|")
    (row,) = graded(exam, [f"{first}\n\n{STEP}\n\n{second}\n\nA\n\n{third}\n\nA, B"])
    assert (row["marks"], row["status"]) == ("3", "graded"), row


def test_a_step_that_is_called_by_a_letter_is_no_letter_of_a_question(exam):
    texts = [STEP, "A =\n0.25 0.50", "## A\n\n0.25 0.50", "A:\n\n| 0.25 | 0.50 |", f"name: Ada B.\n{STEP}"]
    for text, row in zip(texts, graded(exam, [f"{text}\n\nq3: A, B" for text in texts]), strict=True):
        assert (row["q1.A"], row["q2"], row["status"]) == ("1", "0", "graded"), (text, row)
