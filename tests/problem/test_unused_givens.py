"""Givens that nothing uses: refused where they look like an option, told where they may be slips of the pen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.lessons import LESSONS
from attncalc.lessons.small_problems import CASES, needed
from attncalc.render.certificate import write
from attncalc.resources import problem_names
from tests.support.called import called
from tests.support.sweeps import for_each

# Values that givens called like an option may have.
GIVEN = {"mask": [[1]], "src_mask": [[1]], "memory_mask": [[1]], "bias": [[1]]}
OPTIONS = [
    (name, option.name)
    for name, lesson in LESSONS.items()
    for option in lesson.options
    if option.name not in CASES[name][1]
]


@for_each(("lesson", "option"), OPTIONS, quick=10)
def test_a_given_called_like_an_option_is_refused_with_the_right_form(lesson, option):
    givens, arguments = CASES[lesson]
    with pytest.raises(AttncalcError) as refused:
        load({"given": givens | {option: GIVEN.get(option, 2)}, lesson: arguments})
    (fault,) = refused.value.faults
    form = re.search(
        rf"{option} is an option of {lesson}, but a given cannot set an option; write {lesson}: "
        rf"\{{{option}: (.+)\}}, or",
        fault.message,
    )
    assert form
    kind = LESSONS[lesson].option(option).kind
    if kind == "formula" and option not in ("bias", "dropout"):  # the form that the message shows works
        shares = ("rate", "beta_1", "beta_2")  # from 0 to 1
        value = 1 if option in ("start_token", "end_token", "ignore", "top_p") else "1/2" if option in shares else 2
        problem = {
            "given": givens | {option: value},
            lesson: arguments | {option: form[1]} | needed(lesson, option, form[1]),
        }
        unused = [warning for warning in load(problem).warnings if "has no effect:" not in warning.message]
        assert not any(option in warning.message.split() for warning in unused)


USED = {"X": [[1, 2], [3, 4]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]]}


@for_each(("given", "said"), [
    ({"b_QQ": [1, 2]}, "no lesson and no step uses the given b_QQ; did you mean b_Q?"),
    ({"d_kk": 4}, "no lesson and no step uses the given d_kk; did you mean d_k?"),
    ({"zebra": 4}, "no lesson and no step uses the given zebra"),
    ({"a": 1, "zebra": "a + 1"}, "no lesson and no step uses the given zebra"),
])  # fmt: skip
def test_what_nothing_uses_gets_a_warning(given, said):
    (warning,) = load({"given": USED | given, "self_attention": {}}).warnings
    assert warning.message.endswith(said)


def test_what_is_used_anywhere_gets_none():
    """By another part, in a formula, a pin, another given, an option, or as an input that a count may do without."""
    parts = {
        "one": {"self_attention": {"mask": "mask"}},
        "two": {"self_attention": {}},
        "three": {"steps": {"Y": "X * s"}},
    }
    assert load({"given": USED | {"mask": [[1, 0], [1, 1]], "h": 1, "s": "h / 2"}, "parts": parts}).warnings == []
    assert load({"given": {"tokens": 2, "d_model": 4, "d_ff": 8, "heads": 2}, "count_operations": {}}).warnings == []


@for_each("name", problem_names(), quick=10)
def test_no_problem_that_comes_along_has_a_given_that_nothing_uses(name):
    assert load(name).warnings == []


PROBLEM = "title: P\ngiven:\n  X: [[1, 2], [3, 5]]\n  gama: [1, 1]\nlayer_norm: {}\n"
WARNING = "warning: no lesson and no step uses the given gama; did you mean gamma?\n"
COMMANDS = [
    "solve p.yaml", "solve p.yaml --to json", "solve p.yaml --paper -o page.html", "solve p.yaml --certificate c.json",
    "plan p.yaml", "answers p.yaml", "lint p.yaml --to json", "check p.yaml a.yaml", "grade p.yaml a.yaml",
    "grade p.yaml a.yaml b.yaml --jobs 2", "export p.yaml --to moodle", "export p.yaml --to canvas -o q.zip",
    "exam sheet.yaml", "exam sheet.yaml -o papers --jobs 1", "exam sheet.yaml -o papers --to latex --jobs 2",
    "stress sheet.yaml -n 2", "verify given.json p.yaml", "solve p.yaml p.yaml --step variance",
]  # fmt: skip


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """A problem with a given that nothing uses, and what goes with it."""
    monkeypatch.chdir(tmp_path)
    files = {
        "p.yaml": PROBLEM, "a.yaml": "student: a\nanswers:\n  mean: [[1.5], [4]]\n",
        "b.yaml": "student: b\nanswers:\n  mean: [[1.5], [4]]\n",
        "sheet.yaml": "title: S\nvariants: 2\nseed: 1\nquestions:\n  - problem: p.yaml\n  - generate: layer_norm\n",
        "given.json": write(solve(load({"title": "P", "given": {"X": [[1, 2], [3, 5]], "gama": [1, 1]},
            "layer_norm": {}}))),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_tells_warnings_once_on_standard_error(words, beside):
    """lint prints warnings in its report."""
    _, out, err = called(*words.split())
    warned = [line for line in err.splitlines(keepends=True) if "gama" in line]
    is_report = words.startswith("lint")
    assert warned == ([] if is_report else [f"p.yaml:4:9: {WARNING}"])
    assert "warning: no lesson" not in out and (not is_report or "uses the given gama" in out)


def test_nobody_is_told_twice_nor_of_another_command(beside):
    for _ in range(2):
        assert WARNING in called("plan", "p.yaml")[2]
    assert called("plan", "look-ahead-mask")[2] == ""


def test_equal_warnings_at_two_places_are_two_warnings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = "{given: {x: [1, 2, 3]}, steps: {w: x.sum(0)}}"
    Path("p.yaml").write_text(f"parts:\n  a: {part}\n  b: {part}\n")
    _, out, err = called("solve", "p.yaml", "--to", "json")
    assert [line.partition(": warning: w: ")[0] for line in err.splitlines()] == ["p.yaml:2:41", "p.yaml:3:41"]
    assert [warning["code"] for warning in json.loads(out)["warnings"]] == ["formula", "formula"]


def test_json_carries_the_warnings(beside):
    told = json.loads(called("solve", "p.yaml", "--to", "json")[1])["warnings"]
    assert told[-1] == {
        "part": None,
        "step": None,
        "code": "unused-given",
        "message": WARNING.removeprefix("warning: ").strip(),
    }
