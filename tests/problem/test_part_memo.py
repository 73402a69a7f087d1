"""What variants of a problem have in common is found once: whatever was read or marked before, each comes out as if it
were alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError
from attncalc.gradebook.answer_key import Key, KeyVariant
from attncalc.gradebook.script_discovery import Task
from attncalc.gradebook.script_grader import Grader
from attncalc.mistakes.recognition.roles import recogniser_of
from attncalc.plan import _prototype
from attncalc.problem import loader
from attncalc.problem.loader import read_problem
from attncalc.resources import problem_file, problem_names
from tests.support.laws import examples
from tests.support.sweeps import for_each

BUNDLED = [Path(problem_file(name)) for name in problem_names()]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
LABEL = re.compile(r"(?<=rows: \[)\w+")


def forget():
    """As in a new process."""
    loader._STORED.clear()
    recogniser_of.cache_clear()
    _prototype.cache_clear()


def read(text):
    """All that reading tells: the faults, or the plan with its places, what it counts on, and the warnings."""
    try:
        problem = read_problem(text.encode(), "problem.yaml", "problem")
    except AttncalcError as error:
        return list(map(str, error.faults))
    known = {}
    return (
        [
            (
                part.name,
                part.lessons,
                part.conventions,
                [(*step_of(step), node_of(step.node, known)) for step in part.steps],
            )
            for part in problem.plan.parts
        ],
        [(part.asked, part.points, part.rounding) for part in problem.parts],
        list(map(str, problem.warnings)),
    )


def step_of(step):
    places = [str(step.place.shifted(k)) for k in (0, 3)]
    return step.key, step.name, step.part, step.tree, step.formula, step.given, step.lesson, step.base, places


def node_of(node, known):
    """A formula with all that is checked of it."""
    if id(node) not in known:
        inside = tuple(node_of(one, known) for one in node.args)
        known[id(node)] = hash(
            (
                node.word,
                node.shape,
                node.rows,
                node.columns,
                tuple(node.parameters.values()),
                node.static,
                node.bits,
                node.name,
                node.at,
                node.shared,
                inside,
            )
        )
    return known[id(node)]


@given(st.data())
@examples(200)
def test_what_was_read_before_changes_no_reading(data):
    text = data.draw(st.sampled_from(BUNDLED)).read_text()
    numbers = list(NUMBER.finditer(text))
    chosen = (
        data.draw(st.lists(st.sampled_from(numbers), max_size=6, unique_by=lambda match: match.start()))
        if numbers
        else []
    )
    other = text
    for match in sorted(chosen, key=lambda match: -match.start()):
        new = data.draw(
            st.sampled_from(["0", "1", "-7", "0.125", "3/4", "inf", "x", "2.000000000000000000000000001", "1e400"])
        )
        other = other[: match.start()] + new + other[match.end() :]
    if data.draw(st.booleans()):
        other = LABEL.sub("elsewhere", other)
    forget()
    alone = read(other)
    forget()
    read(text)
    assert read(other) == alone


ONE = "given: {A: [[1, 2], [3, 4]], k: 1}\nsteps: {B: A ** k, C: 'A[k, 0]'}"
NESTED = "given: {A: [[1, 2], [3, 4]], x: [[1, 2]]}\nvectors: columns\nsteps: {B: A + x}"
COUNTED = [  # numbers and brackets that decide what is read, or whether it is refused
    (ONE, ONE.replace("k: 1", "k: 0")),
    (ONE, ONE.replace("k: 1", "k: 2")),
    (ONE, ONE.replace("[3, 4]", "[3, 4], [5, 6]").replace("k: 1", "k: 2")),
    (NESTED, NESTED.replace("[[1, 2]]", "[1, 2]")),  # only the flat list has a warning
    (
        "given: {step: [1, 2, 3], d_model: 4, warmup: 2}\nlearning_rate: {}",
        "given: {step: [1, -2, 3], d_model: 4, warmup: 2}\nlearning_rate: {}",
    ),
    (
        "given: {P: [[1/2, 1/2], [1, 0]]}\nbeam_search: {width: 1, most: 2}",
        "given: {P: [[1/2, 3/4], [1, 0]]}\nbeam_search: {width: 1, most: 2}",
    ),
]


@for_each(("text", "other"), COUNTED)
def test_numbers_that_count_are_looked_at_each_time(text, other):
    forget()
    alone = read(other)
    forget()
    before = read(text)
    assert read(other) == alone != before
    assert read(text) == before


PAPER = """\
given:
  X: {{rows: [{words}], values: [[{numbers}], [0, 1, 1], [1, 0, 1]]}}
  W_Q: [[1, 0], [0, 1], [1, 1]]
  W_K: [[0, 1], [1, 0], [1, -1]]
  W_V: [[1, 2], [0, 1], [2, 0]]
rounding: {{digits: 2}}
steps: {{Q: X @ W_Q, K: X @ W_K, V: X @ W_V, S: Q @ K.T, S_scaled: S / sqrt({width}), A: softmax(S_scaled), Z: A @ V, own: 'Z["{named}"]'}}
asked: [S, A, Z, own]
points: 8
"""
PAPERS = [
    PAPER.format(words=words, numbers=numbers, width=width, named=named)
    for words, numbers, width, named in (
        ("we, like, tea", "1, 1, 0", "cols(K)", "like"),
        ("you, like, it", "1, 0, 2", "cols(K)", "like"),
        ("like, we, all", "0, 2, 1", "cols(K)", "like"),
        ("we, like, tea", "2, 1/2, 1", "2", "tea"),
        ("we, like, tea", "1.25, 0, 0", "cols(K)", "like"),
    )
]
# As the second paper's student works them who forgets the scale, and one who exchanges two rows.
SCRIPTS = [
    "S: [[4, 1, 5], [1, 0, 1], [3, 1, 4]]\nA: [[0.27, 0.01, 0.72], [0.42, 0.16, 0.42], [0.26, 0.04, 0.70]]",
    "S: [[1, 2, 2], [0, 1, 1], [1, 1, 2]]\nA: [[0.20, 0.40, 0.40], [0.20, 0.40, 0.40], [0.25, 0.25, 0.50]]\nown: [[2, 2]]",
]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("order", [range(len(PAPERS)), range(len(PAPERS) - 1, -1, -1)])
def test_variants_marked_one_after_the_other_are_marked_as_if_alone(tmp_path, order):
    for k, text in enumerate(SCRIPTS):
        (tmp_path / f"{k}.yaml").write_text(f"answers:\n  {text.replace(chr(10), chr(10) + '  ')}\n")
    rows = {}
    for alone in (True, False):
        forget()
        for number in order:
            if alone:
                forget()
            key = Key("key.json", "", [KeyVariant("", 1, None, PAPERS[number], "key.json: A", "A")])
            grader = Grader(key, [], "markdown")
            rows[alone, number] = [
                grader.grade(Task(str(tmp_path / f"{k}.yaml"), None, "somebody")) for k in range(len(SCRIPTS))
            ]
    assert all(rows[True, number] == rows[False, number] for number in order)
    assert any(row.codes for row in rows[False, 1])


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(loader, "MOST_STEPS", 30)
    forget()
    for path in BUNDLED[:12]:
        read(path.read_text())
    assert 0 < sum(len(one.steps) for known in loader._STORED.values() for one in known) <= 30
