"""Matrices as Word and phones write them: they are read as they are, with a wrong number as well."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({"given": {"X": [[1, -2], [0, 3]], "u": [3, -1, 2]}, "steps": {"T": "X / 4", "p": "u / 4"}})
VALUES = {"T": [["0.25", "-0.5"], ["0", "0.75"]], "p": [["0.75", "-0.25", "0.5"]]}


def joined(rows, between, end):
    return end.join(between.join(row) for row in rows)


def lists(rows):
    return f"[[{joined(rows, ', ', '], [')}]]"


FORMS = {  # the text of an answer, and of its value
    "Word": ("{} = {}", lambda rows: f"(■({joined(rows, '&', '@')}))"),
    "Word, square": ("{}={}", lambda rows: f"[■({joined(rows, '&', '@')})]"),
    "tick": ("✅ {} = {}", lists),
}


@for_each("form", FORMS)
@for_each("wrong", [None, "T", "p"])
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_a_copied_matrix_is_read_with_the_numbers_that_it_has(source, wrong, form):
    values = VALUES | ({wrong: [*VALUES[wrong][:-1], ["7", *VALUES[wrong][-1][1:]]]} if wrong else {})
    frame, value = FORMS[form]
    text = "\n\n".join(frame.format(step, value(rows)) for step, rows in values.items()) + "\n"
    bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
    assert not bound.unread and not bound.left, (text, bound.unread)
    for step, rows in values.items():
        texts = [typed.text.strip() for typed in bound.find(step).cells.values()]
        assert texts == [entry for row in rows for entry in row], text
