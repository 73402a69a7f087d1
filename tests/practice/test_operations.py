"""Practice: from request to response without HTTP, and the server's doors."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import date, timedelta
from math import cos, sin
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import errors, load, solve
from attncalc.errors import AttncalcError
from attncalc.explain.faded_examples import LEVELS, steps_left
from attncalc.explain.reasons import sections
from attncalc.generator.distinguishability import certify
from attncalc.generator.lesson_recipes import drawn_lessons
from attncalc.generator.numeric_view import NumericView
from attncalc.mistakes.catalogue import catalogue
from attncalc.practice import exercise_drawing, messages
from attncalc.practice import learner_model as records
from attncalc.practice.exercise_list import complete_course, course_of, items_of
from attncalc.practice.operations import prepare_responses, respond, respond_text
from attncalc.practice.server import App
from attncalc.problem.python_input import data_of
from attncalc.problem.yaml_file.yaml_reader import read_yaml
from attncalc.render.math import mathml
from attncalc.resources import bundled
from tests.support.laws import examples
from tests.support.sweeps import for_each

HEAD = "title: A head\ngiven: {Q: [[1, 0], [2, 1]], K: [[1, 1], [0, 2]], V: [[1, 2], [3, 5]]}\nrounding: {digits: 2}\nattention: {}\n"
COURSE = course_of("head.yaml", HEAD)
DATA = data_of(read_yaml(HEAD, "head.yaml"))
ALL = complete_course()
ITEMS = [item["id"] for group in ALL["groups"] for item in group["items"]]
QUICK = ["one-dot-product", "scores-to-weights", "an-encoder-layer", "the-look-ahead-mask", "the-next-word-2"]
SEEN = {"encoder-layer", "cached-attention", "beam-search"}  # of the lessons that are drawn from a file
DRAWN = {item["id"] for item in items_of(ALL).values() if item["source"].get("generate") in drawn_lessons()}
DAY, LATER = "2026-11-22", "2026-11-23"


def ask(do, course=COURSE, **request):
    found = respond(course, json.loads(json.dumps({"do": do, **request})))
    assert "faults" not in found, found["faults"]
    return found


def faults(do, course=COURSE, **request):
    return respond(course, {"do": do, **request})["faults"]


@pytest.fixture(scope="module")
def task():
    return ask("new", item="a-head")["task"]


@pytest.fixture(scope="module")
def right(task):
    return {step["name"]: step["cells"] for step in ask("change", task=task)["steps"]}


def wrong_scale(right):
    """Scores divided by d_k instead of its root, and the rest from these."""
    scaled = [[f"{float(x) / 2:.2f}" for x in row] for row in right["S"]]
    return {"S": right["S"], "S_scaled": scaled}


def marks(item):
    if item in QUICK:
        return ()
    return (pytest.mark.slow, pytest.mark.exhaustive) if item in DRAWN - SEEN else pytest.mark.slow


# -- rehearsal ---------------------------------------------------------------------------------------------------------


PATH = [item["id"] for item in ALL["groups"][0]["items"]]


@examples(8)
@given(
    chosen=st.lists(st.sampled_from(PATH[:11]), min_size=1, max_size=5, unique=True),
    seed=st.text("0123456789", min_size=1),
)
def test_a_rehearsal_has_chosen_exercises_for_half_an_hour(chosen, seed):
    found = ask("rehearse", ALL, items=chosen, seed=seed)
    names = [task["task"]["item"] for task in found["tasks"]]
    minutes = [task["minutes"] for task in found["tasks"]]
    assert names == [name for name in chosen if name in names] and names
    assert sum(minutes) <= found["minutes"] == 30 or (len(minutes) == 1 and found["minutes"] == minutes[0])
    for task in found["tasks"]:
        assert task["task"]["number"] > 0 and task["level"] == LEVELS, "new numbers, and all steps to do"
        assert not any("cells" in step for step in task["steps"]), "no answer is on the page"


def test_a_rehearsal_of_no_exercise_or_an_unknown_one_is_refused():
    assert faults("rehearse", ALL, items=[]) == ["choose at least one exercise"]
    assert faults("rehearse", ALL, items=["one-dot-produkt"])[0].startswith("there is no exercise one-dot-produkt")


# -- exercises ---------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("item", [pytest.param(one, marks=marks(one)) for one in ITEMS])
def test_every_exercise_is_solved_by_its_own_numbers(item):
    made = ask("new", ALL, item=item, seed="s")
    numbers = {step["name"]: step["cells"] for step in ask("change", ALL, task=made["task"])["steps"]}
    found = ask("check", ALL, task=made["task"], answers=numbers)
    assert found["done"] and not found["mistakes"], found
    assert all("cells" not in step for step in made["steps"] if step["blank"]), "a blank step shows no numbers"


@pytest.mark.sweep(quick=0)
def test_another_one_has_other_numbers_of_the_same_kind(task):
    seen = {
        json.dumps(ask("new", item="a-head", number=k, seed=s)["task"]["data"]["given"]) for k in range(3) for s in "ab"
    }
    assert len(seen) == 5  # number 0 is the problem itself, whatever the seed
    assert ask("new", item="a-head", number=2, seed="a") == ask("new", item="a-head", number=2, seed="a")
    for text in seen:
        assert all(x.lstrip("-").isdigit() for rows in json.loads(text).values() for row in rows for x in row)


FIXED = {"masked-scores-je-vais-bien", "the-position-table-for-three-words"}  # they have masks and positions alone
WRITTEN_OUT = [
    one for one in ITEMS if "text" in (source := items_of(ALL)[one]["source"]) and "draw:" not in source["text"]
]


@pytest.mark.sweep(quick=1, ci=4)
@pytest.mark.parametrize("item", WRITTEN_OUT)
def test_another_one_is_as_good_an_exercise(item):
    """A token of zeros, or the same one twice, leaves nothing to work out; and it is to tell mistakes apart."""

    def idle(data):
        for name, rows in ((name, _rows(one)) for name, one in data.get("given", {}).items()):
            lined = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)
            for side, lines in (("row", rows), ("column", [*zip(*rows, strict=True)])) if lined else ():
                if len(lines[0]) > 1 and any({*line} <= {"0"} for line in lines):
                    yield name, side, "zeros"
                if len(lines[0]) > 1 and len({*map(tuple, lines)}) < len(lines):
                    yield name, side, "again"

    def told(data):
        found = certify(NumericView(load(data))).codes("separated")
        return len(found)

    written = ask("new", ALL, item=item)["task"]["data"]
    for number, seed in ((1, "a"), (2, "b"), (3, "c"), (1, "2"), (1, "3")):
        found = respond(ALL, {"do": "new", "item": item, "number": number, "seed": seed})
        if item in FIXED:
            assert found["faults"] == ["no new numbers were found for this exercise"]
            return
        data = found["task"]["data"]
        assert {*idle(data)} <= {*idle(written)}
        assert 2 * told(data) >= told(written)


@pytest.mark.sweep(quick=2, ci=4)
@pytest.mark.parametrize("seed", "abcdefgh")
def test_a_file_of_ones_own_is_never_drawn_without_a_sense(seed):
    """The first file of the README: of 48 draws 32 had a token of zeros, 23 the same token twice, 9 scores of zeros."""
    course = course_of("first.yaml", FIRST)
    written = certify(NumericView(load(ask("new", course, item="three-words-look-back")["task"]["data"]))).codes(
        "separated"
    )
    for number in range(1, 5):
        data = ask("new", course, item="three-words-look-back", number=number, seed=seed)["task"]["data"]
        assert {*written} <= {*certify(NumericView(load(data))).codes("separated")}
        given = data["given"]
        for lines in (
            [*zip(*rows, strict=True)] if down else rows for rows in map(_rows, given.values()) for down in (0, 1)
        ):
            assert len({*map(tuple, lines)}) == len(lines) and all(any(x != "0" for x in line) for line in lines)


def _rows(given):
    return given["values"] if isinstance(given, dict) else given


FIRST = """title: Three words look back
given:
  X: {rows: [the, cat, sat], values: [[1, 0], [0, 1], [1, 1]]}
  W_Q: [[1, 0], [0, 1]]
  W_K: [[1, 1], [0, 1]]
  W_V: [[1, 2], [3, 4]]
ask: Compute masked self-attention.
self_attention: {mask: causal}
"""


OWN = ("title: My own\ndraw: {Q: 2 × 2 integers -2..2, K: 2 × 2 integers -2..2}\ndemand: ['Q[0, 0] != K[0, 0]']\n"
       "steps: {S: Q @ K.T}\n")  # fmt: skip


def test_a_file_that_draws_its_numbers_draws_them_here_as_well(tmp_path):
    (tmp_path / "own.yaml").write_text(OWN)
    for course in (course_of("own.yaml", OWN), course_of(str(tmp_path / "p.yaml"), "path: [{problem: own.yaml}]")):
        made = [ask("new", course, item="my-own", number=k, seed=seed) for k in range(3) for seed in "ab"]
        given = [one["task"]["data"]["given"] for one in made]
        assert len({json.dumps(one) for one in given}) == 6
        assert all(one["Q"][0][0] != one["K"][0][0] for one in given), "the author's demand"
        assert ask("change", course, task=made[0]["task"], given={"Q": [["7", "7"], ["7", "7"]]})["steps"]


@pytest.mark.sweep(quick=3, ci=5)
@pytest.mark.parametrize("item, code", [
    ("masked-self-attention", "mask-filled-with-zero"), ("masked-self-attention", "mask-after-softmax"),
    ("masked-self-attention", "scores-transposed"), ("self-attention", "scale-forgotten"), ("two-heads", "softmax-base-2"),
])  # fmt: skip
@pytest.mark.parametrize("seed", ["5", "13"])
def test_whoever_falls_into_the_trap_again_is_told_so(item, code, seed):
    """Numbers on which it would be told otherwise, or even pass as right, are no trap."""
    for number in range(6, 10):
        new = ask("new", ALL, item=item, number=number, seed=seed, trap=code, level=1)
        task = new["task"]
        verdicts = certify(NumericView(load(task["data"]))).verdicts
        made = next(one for one in verdicts if one.code == code and one.kind == "separated")
        less = ask("show", ALL, task=task, level=max(1, new["level"] - 1))
        left, fewer = ([one["blank"] for one in shown["steps"] if one["name"] == made.step] for shown in (new, less))
        assert left == [True] and (new["level"] == 1 or fewer == [False]), "it is left to do, and no more than needed"
        data = {**task["data"], "pin": {made.step: [*map(list, made.printed)]}}
        after = {step["name"]: step["cells"] for step in ask("change", ALL, task={**task, "data": data})["steps"]}
        found = ask("check", ALL, task=task, answers=after)
        assert code in found["mistakes"] and not found["done"]


def test_the_same_trap_again_shows_that_mistake():
    made = ask("new", item="a-head", number=1, seed="q", trap="scale-without-root")
    numbers = {step["name"]: step["cells"] for step in ask("change", task=made["task"])["steps"]}
    found = ask("check", task=made["task"], answers=wrong_scale(numbers))
    assert list(found["mistakes"]) == ["scale-without-root"] and found["first"] == "S_scaled"


@for_each("count", range(1, 25))
def test_fading_goes_from_the_last_step_to_all(count):
    left = [steps_left(count, level) for level in range(1, LEVELS + 1)]
    assert left[0] == 1 and left[-1] == count and left == sorted(left)


def test_what_is_worked_out_needs_no_answer(task, right):
    shown = ask("show", task=task, level=1)
    assert [step["blank"] for step in shown["steps"]] == [False, False, False, True]
    assert shown["steps"][0]["cells"] == right["S"] and "cells" not in shown["steps"][-1]
    assert ask("check", task=task, level=1, answers={"Z": right["Z"]})["done"]
    # At a higher level, before less was left to do
    typed = {**right, "S": [["7", "7"], ["7", "7"]], "A": [["7", ""], ["", ""]]}
    assert ask("check", task=task, level=1, answers=typed)["done"]
    assert ask("hint", task=task, level=1, answers=typed, step="Z", hint_level=4)["hints"][-1]["cells"] == right["Z"]


@pytest.mark.sweep(quick=0)
def test_another_name_for_a_matrix_is_nothing_to_do():
    first = ask("new", ALL, item="an-encoder-layer", level=1)
    last_part = first["task"] | {"stage": 1}
    made = ask("show", ALL, task=last_part, level=1)
    assert {step["name"]: (step["blank"], "cells" in step) for step in made["steps"][-3:]} == {
        "norm2.var": (False, True), "norm2.normed": (True, False), "norm2.Y": (False, False)}  # fmt: skip
    numbers = {step["name"]: step["cells"] for step in ask("change", ALL, task=last_part)["steps"]}
    answers = {step["name"]: numbers[step["name"]] for step in made["steps"] if step["blank"]}
    assert ask("check", ALL, task=last_part, level=1, answers=answers)["done"]
    made, task = first, first["task"]
    numbers = {step["name"]: step["cells"] for step in ask("change", ALL, task=task)["steps"]}
    answers = {step["name"]: numbers[step["name"]] for step in made["steps"] if step["blank"]}
    assert ask("check", ALL, task=task, level=1, answers=answers)["done"]
    off = {"norm1.normed": [["1"] * 4, *numbers["norm1.normed"][1:]]}
    last = ask("hint", ALL, task=task, answers=off, step="ffn.hidden", hint_level=4)["hints"][-1]
    assert (
        last["says"] == "These numbers are calculated from your own earlier answers."
        and last["cells"] != numbers["ffn.hidden"]
    )
    found = ask("check", ALL, task=task, answers={**off, "ffn.hidden": last["cells"]})["steps"]
    assert {one["name"]: one["verdict"] for one in found}["ffn.hidden"] == "carried"


# -- verdicts and hints ------------------------------------------------------------------------------------------------


def test_the_first_error_and_what_follows_from_it(task, right):
    answers = wrong_scale(right)
    pinned = {**task["data"], "pin": {"S_scaled": answers["S_scaled"]}}
    answers["A"] = _solved(pinned)["A"].decimals(2)
    found = {one["name"]: one for one in ask("check", task=task, answers=answers)["steps"]}
    assert [found[name]["verdict"] for name in ("S", "S_scaled", "A", "Z")] == ["right", "wrong", "carried", "missing"]
    assert found["S_scaled"]["label"] == "first error" and found["A"]["label"] == "correct, given your earlier numbers"


def _solved(data):
    return solve(load(data))


def test_hints_are_a_ladder_that_ends_in_the_numbers(task, right):
    answers = wrong_scale(right)
    shown_hints = ask("hint", task=task, answers=answers, step="S_scaled", hint_level=4)["hints"]
    assert [one["kind"] for one in shown_hints] == ["where", "done", "advice", "entry", "numbers"]
    cause = catalogue()["scale-without-root"]
    assert shown_hints[0]["cells"] and "scaled" in shown_hints[0]["says"]
    assert [shown_hints[k]["says"] for k in (1, 2)] == [mathml.sentence(text) for text in (cause.done, cause.advice)]
    assert "<math>" in shown_hints[3]["line"] and shown_hints[4]["cells"] == right["S_scaled"]
    first = ask("hint", task=task, answers=answers, step="S_scaled", hint_level=0)
    assert first["hints"] == shown_hints[:1] and right["S_scaled"][1][0] not in json.dumps(first)


def test_the_ladder_begins_with_what_the_page_does_not_show_yet(task, right):
    """Where every entry is wrong there is no place to look at."""
    answers = {"S": [["9", "8"], ["7", "6"]]}
    first = ask("hint", task=task, answers=answers, step="S", hint_level=0)["hints"][0]
    assert first["kind"] == "done", first
    assert faults("hint", {**COURSE, "hints": 1}, task=task, answers=answers, step="S", hint_level=0)
    answers["S"][0][0] = right["S"][0][0]
    assert ask("hint", task=task, answers=answers, step="S", hint_level=0)["hints"][0]["kind"] == "where"


@pytest.mark.parametrize("step, said", [("S_scaled", ""), ("S", "The first error is in")])
def test_the_first_error_is_named_beside_other_steps_alone(task, right, step, said):
    found = ask("check", task=task, answers=wrong_scale(right), step=step)
    assert found["first"] == "S_scaled" and found["message"].startswith(said) and bool(said) == bool(found["message"])


def test_hints_tell_of_numbers_with_more_decimals_than_are_shown(task, right):
    told = {
        name: json.dumps(ask("hint", task=task, answers={}, step=name, hint_level=2)) for name in ("S_scaled", "A", "S")
    }
    assert ["the program keeps more decimals" in told[name] for name in ("S_scaled", "A", "S")] == [False, True, False]
    own = ask("hint", task=task, answers={"S_scaled": right["S_scaled"]}, step="A", hint_level=2)
    assert "the program keeps more decimals" not in json.dumps(own), "the student's own lines are taken as they stand"


@pytest.mark.parametrize("step, rows", [("A", [["0.65", "0.33"], ["0.5", "0.5"]]), ("S", [["1", "2", "3"]])])
def test_no_cause_is_told_for_numbers_that_nothing_explains(task, right, step, rows):
    """Not even rounding too early: the marker has tried it on numbers that are close."""
    done = ask("hint", task=task, answers={**right, step: rows}, step=step, hint_level=1)["hints"][-1]
    assert done["kind"] == "done" and done["says"] == messages.NO_CAUSE


@pytest.mark.parametrize("i, j", [(0, 0), (1, 0)])
def test_two_entries_that_changed_places_are_told_as_such(task, right, i, j):
    rows = [list(row) for row in right["S"]]
    rows[i][j], rows[i][j + 1] = rows[i][j + 1], rows[i][j]
    found = ask("check", task=task, answers={"S": rows}, step="S")
    assert "are swapped." in found["steps"][0]["cause"] and not found["mistakes"]
    assert "are swapped." in ask("hint", task=task, answers={"S": rows}, step="S", hint_level=1)["hints"][-1]["says"]


def test_hints_go_on_from_the_students_own_numbers(task, right):
    answers = wrong_scale(right)
    numbers = ask("hint", task=task, answers=answers, step="A", hint_level=4)["hints"][-1]["cells"]
    assert numbers != right["A"]
    assert {one["name"]: one["verdict"] for one in ask("check", task=task, answers={**answers, "A": numbers})["steps"]}[
        "A"
    ] == "carried"


def test_hints_name_the_students_own_numbers_only_where_they_are_used(task, right):
    def says(step, answers):
        return [
            word in json.dumps(ask("hint", task=task, answers=answers, step=step, hint_level=4))
            for word in ("from your own earlier", "are calculated from your own")
        ]

    assert says("S_scaled", {}) == [False, False] and says("S_scaled", {"S": right["S"]}) == [True, True]
    assert says("Z", {"S": right["S"]}) == [False, False], "Z is made from A and V"


def test_an_instructor_says_how_far_hints_go(task):
    short = {**COURSE, "hints": 2}
    assert not ask("hint", short, task=task, step="A", hint_level=0)["more"]
    assert len(ask("hint", short, task=task, step="A", hint_level=4)["hints"]) == 1, (
        "an empty step has no cause to tell"
    )
    assert faults("hint", {**COURSE, "hints": 0}, task=task, step="A", hint_level=0)


@for_each(
    "typed, verdict",
    [
        ("y", "unread"),
        ("1e999999999", "unread"),
        ("", "missing"),
        ("x", "missing"),
        ("0,1,2", "unread"),
        ("<b>", "unread"),
    ],
)
def test_odd_entries_cost_their_step_alone(task, right, typed, verdict):
    cells = [right["S"][0], [right["S"][1][0], typed]]
    found = ask("check", task=task, answers={"S": cells})["steps"]
    assert found[0]["verdict"] == verdict and found[1]["verdict"] == "missing"
    label = "S[2, 2]: expected a number, found" if verdict == "unread" else "Some entries of this"
    assert found[0]["label"].startswith(label)


@for_each("typed, says", [
    ("4" * 1200, "S[2, 2]: expected a number, found '444"), ("4" * 4800, "S[2, 2]: expected a number of at most 1000 digits"),
    ("nan", "S[2, 2]: expected a number, found 'nan'; inf and -inf are numbers here, but nan is not; leave the entry empty"),
    ("O", "S[2, 2]: expected a number, found 'O'; did you mean the digit 0 instead of the letter O?"), ("4" * 400, "first error"),
    ("½", "first error"), ("1,234.5", "S[2, 2]: expected a number, found '1,234.5'; write thousands"),
])  # fmt: skip
def test_the_entry_that_cannot_be_read_is_named(task, right, typed, says):
    cells = [right["S"][0], [right["S"][1][0], typed]]
    found = ask("check", task=task, answers={"S": cells})["steps"][0]
    assert found["verdict"] == ("wrong" if says == "first error" else "unread"), "it is no mistake"
    assert found["label"].startswith(says), found["label"][:200]
    if says != "first error":
        hint = ask("hint", task=task, answers={"S": cells}, step="S", hint_level=0)["hints"][0]["says"]
        assert hint.endswith("or are not numbers."), "it is not empty"


def test_an_odd_entry_in_a_part_of_a_problem():
    made = ask("new", ALL, item="an-encoder-layer")
    name, (n, m) = next((one["name"], one["shape"]) for one in made["steps"] if one["blank"])
    found = ask("check", ALL, task=made["task"], answers={name: [["1/"] * m] * n})["steps"]
    assert (
        {one["name"]: one["label"] for one in found}[name]
        .partition(": ")[2]
        .startswith("expected a number, found '1/'")
    )


def test_masked_entries_may_stay_empty():
    made = ask("new", ALL, item="the-look-ahead-mask")
    numbers = {step["name"]: step for step in ask("change", ALL, task=made["task"])["steps"]}
    blank = {
        name: [
            ["" if [i, j] in step["hidden"] else x for j, x in enumerate(row)] for i, row in enumerate(step["cells"])
        ]
        for name, step in numbers.items()
    }
    assert any("" in row for row in blank["A"])
    assert ask("check", ALL, task=made["task"], answers=blank)["done"]
    visible = [["", *row[1:]] for row in blank["A"]]
    assert (
        ask("check", ALL, task=made["task"], answers={**blank, "A": visible})["steps"][1]["label"]
        == "Some entries of this step are still empty."
    )


def test_an_empty_step_is_not_told_what_was_done(task):
    shown_hints = ask("hint", task=task, step="A", hint_level=3)
    assert [one["kind"] for one in shown_hints["hints"]] == ["where", "advice", "entry", "numbers"] and not shown_hints[
        "more"
    ]


def test_a_mistake_counts_wherever_the_sheet_is_checked(task, right):
    """Where the sheet is filled first and checked at its end, the first error stands above."""
    named = {"scale-without-root": mathml.sentence("You divided by d_k instead of √d_k (or divided by √d_k twice)")}
    made = {**right, **wrong_scale(right)}
    for name in ("S_scaled", "A", "Z"):
        found = ask("check", task=task, answers=made, step=name, progress={}, day=DAY)
        assert found["first"] == "S_scaled" and named.items() <= found["mistakes"].items()
        assert found["progress"]["mistakes"].keys() == found["mistakes"].keys()


def test_what_was_done_is_a_heading_that_keeps_names():
    first = {records.title(code).split()[0] for code in records.named_mistakes()}
    assert {"You", "The"} <= first and not any(word.islower() for word in first)
    assert records.title("scores-gradient-transposed") == "You transposed dS"


def test_a_line_that_went_on_from_a_corrected_error_is_no_mistake(task, right):
    made = wrong_scale(right) | {"A": [["0.62", "0.38"], ["0.62", "0.38"]]}
    later = {**made, "S_scaled": right["S_scaled"]}
    assert ask("check", task=task, answers=later)["mistakes"], "typed so, it is one"
    corrected = ask("check", task=task, answers=later, before=made)
    assert corrected["first"] == "A" and not corrected["mistakes"]


def test_nothing_is_called_right_that_is_not_there(task, right):
    assert ask("check", task=task, answers={})["message"] == "4 to do."
    assert ask("check", task=task, answers={"S": right["S"]})["message"] == "Everything is right so far. 3 to do."


@pytest.mark.sweep(quick=2, ci=2)
@pytest.mark.parametrize("name", ["S", "S_scaled", "A", "Z"])
def test_an_entry_alone_says_nothing_about_a_mistake(task, right, name):
    """5 where the scores are 5 is no sign that weights were forgotten: a cause may be said of it, but does not count."""
    n, m = len(right[name]), len(right[name][0])
    for typed in {text for rows in right.values() for row in rows for text in row}:
        for i, j in ((i, j) for i in range(n) for j in range(m)):
            rows = [[typed if (row, column) == (i, j) else "" for column in range(m)] for row in range(n)]
            found = ask(
                "check", task=task, level=1 if name == "Z" else LEVELS, answers={name: rows}, progress={}, day=DAY
            )
            assert not found["mistakes"] and not found["progress"]["mistakes"] and not found["done"]


SCALE = "<mi>d</mi><mi>k</mi>"


@pytest.mark.parametrize("item", [pytest.param(one, marks=marks(one)) for one in ITEMS])
def test_every_question_has_one_right_answer(item):
    page = ask("new", ALL, item=item, level=LEVELS)
    shown = page["conventions"] + " ".join(step["meaning"] + step["formula"] for step in page["steps"])
    for question in filter(None, (step["question"] for step in page["steps"])):
        answers, said = question["answers"], question["feedback"]
        assert SCALE in shown or SCALE not in str(question), "a question uses only symbols of the page"
        for answer in answers:
            sides = re.findall(r"^Only (row|column)|in a different (row|column)", f"{answer}\n{said[answer]}", re.M)
            assert len({side for pair in sides for side in pair if side}) < 2, "an entry outside a column is in another"
        assert len(set(answers)) == len(answers) > 2 and {*answers} == {*said} and question["right"] in answers
        right = [one for one in answers if said[one].startswith("Right. ")]
        assert right == [question["right"]] and all(said[one].startswith("Not quite") for one in {*answers} - {*right})
        assert len({*said.values()}) == len(answers), "each wrong answer is told why it is wrong"


def test_questions_of_the_table():
    new = ask("new", ALL, item="two-heads", level=LEVELS)
    asked = {step["name"]: step["question"]["text"] for step in new["steps"]}
    assert asked["Z"].startswith("Suppose that your only mistake is that you copy column 4 of"), (
        "concatenated heads are no mean of V"
    )
    for key, table in sections("questions").items():
        text, *answers = table.values()
        answers, said = zip(*(one.split(" | ") for one in answers), strict=True)
        assert len({*answers}) == len({*said}) == 4 and text.endswith("?"), key
        assert all(one.endswith(".") for one in said), key


@for_each("mask, row", [
    ("none", "row 3"), ("causal", "row 3"), ("[[1, 1, 0], [0, 1, 0], [0, 0, 1]]", "row 1"),
    ("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", ""),
])  # fmt: skip
def test_questions_ask_of_a_row_that_sees_several(mask, row):
    """Where one weight is 1, the mean of the values is the value with the largest weight."""
    course = course_of("masked.yaml", "given: {Q: [[1], [2], [1]], K: [[1], [0], [2]], V: [[1, 2], [3, 5], [0, 4]]}\n"
                                      f"attention: {{mask: '{mask}'}}\n")  # fmt: skip
    asked = []
    for number in range(5):
        steps = ask("new", course, item="masked-yaml", number=number, level=LEVELS)["steps"]
        asked += [step["question"]["text"] for step in steps if step["name"] in "AZ" and step["question"]]
    in_words = [text for text in asked if not text.startswith("Suppose")]
    assert all(row in text or text.startswith("Which column") for text in in_words) and bool(in_words) == bool(row)


@pytest.mark.parametrize("more, asked", [
    ("format: 1\nvectors: columns\nattention: {}", {"A": "Suppose that your only mistake", "Z": "Suppose that your only mistake"}),
    ("attention: {axis: columns}", {"A": "Suppose that your only mistake"}),
    ("attention: {scale: 3}", {"S_scaled": "Suppose that your only mistake"}),
])  # fmt: skip
def test_questions_have_a_right_answer_whatever_is_chosen(more, asked):
    """Of columns that sum to 1 no row is asked, and of a scale of its own no root."""
    course = course_of(
        "own.yaml", f"given: {{Q: [[1, 2], [2, 0]], K: [[1, 1], [0, 2]], V: [[1, 2], [3, 5]]}}\n{more}\n"
    )
    steps = ask("new", course, item="own-yaml", level=LEVELS)["steps"]
    found = {step["name"]: step["question"]["text"] for step in steps}
    assert all(found[name].startswith(text) for name, text in asked.items()), found


def test_an_authors_words_are_set_as_on_a_page():
    text = HEAD.replace("title: A head", "title: A head\nask: Find **all** of $Q K^T$, *not* <b>S</b>.")
    asked = ask("new", course_of("head.yaml", text), item="a-head")["ask"]
    assert (
        "<strong>all</strong>" in asked and "<em>not</em>" in asked and "<mi>Q</mi>" in asked and "&lt;b&gt;" in asked
    )


def test_a_task_says_what_was_chosen_in_words():
    course = course_of("head.yaml", HEAD.replace("attention: {}", "attention: {mask: causal, mask_at: scores}"))
    told = ask("new", course, item="a-head")["conventions"]
    assert "the mask is applied before scaling" in told and "mask_at" not in told and "mask: causal (each query" in told


def test_what_to_do_for_a_softmax_is_said_in_words(task):
    assert "exponential of each score" in json.dumps(ask("hint", task=task, step="A", hint_level=1))
    assert "exponential of each score" not in json.dumps(ask("hint", task=task, step="Z", hint_level=1))


def test_beside_a_softmax_stand_its_exponentials():
    steps = {step["name"]: step["uses"] for step in ask("new", ALL, item="scores-to-weights")["steps"]}
    assert steps == {"E": ["S"], "A": ["E"]}


# -- the playground ----------------------------------------------------------------------------------------------------


def test_a_given_is_changed_and_everything_follows(task):
    changed = {"Q": [["1/2", "0"], ["0", "sqrt(2)"]]}
    found = {step["name"]: step["cells"] for step in ask("change", task=task, given=changed)["steps"]}
    data = {**task["data"], "given": {**task["data"]["given"], **changed}}
    assert found["A"] == _solved(data)["A"].decimals(2) and found["Z"] == _solved(data)["Z"].decimals(2)


def test_sliders_change_the_lessons_options(task):
    masked = {
        step["name"]: step["cells"]
        for step in ask("change", task=task, options={"mask": "causal(offset=0)", "scale": "2 * (sqrt(2))"})["steps"]
    }
    told = [
        next(
            step["meaning"] for step in ask("change", task=task, options=options)["steps"] if step["name"] == "S_scaled"
        )
        for options in ({}, {"scale": "3"}, {"scale": "2 * (sqrt(2))"})
    ]
    assert ["msqrt" in text for text in told] == [True, False, False] and "divided by the scale" in told[1]
    assert masked["A"][0] == ["1.00", "0"] and masked["S_masked"][0][1] == "-inf"
    assert "S_scaled" in masked


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "item", ["an-encoder-layer", "a-decoder-layer", "alibi-a-penalty-that-grows-with-distance", "the-mask-j-i"]
)
def test_sliders_work_wherever_they_are_shown(item):
    made = ask("new", ALL, item=item)["task"]
    choices = ask("change", ALL, task=made)["choices"]
    divisor = "1" if choices["scale"] == "none" else choices["scale"]
    for options in ({"scale": f"1.25 * ({divisor})"}, {"scale": "3"}, {"mask": "causal(offset=1)"}):
        if set(options) <= set(choices):
            assert ask("change", ALL, task=made, options=options)["steps"]


def test_an_entry_says_what_made_it(task):
    found = ask("explain", task=task, step="S", row=1, column=0)
    assert found["sources"] == {"Q": [[1, 0], [1, 1]], "K": [[0, 0], [0, 1]]} and found["line"].startswith("<math>")
    assert ask("explain", task=task, step="A", row=0, column=1)["sources"] == {"S_scaled": [[0, 0], [0, 1]]}


# -- progress ----------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_a_mistake_is_met_fixed_and_kept(task, right):
    made = ask("check", task=task, answers=wrong_scale(right), progress={}, day=DAY)["progress"]
    assert made["mistakes"]["scale-without-root"]["met"] == 1
    again = ask("check", task=task, answers=wrong_scale(right), progress=made, day=DAY)["progress"]
    assert again["mistakes"]["scale-without-root"]["met"] == 1, "the same slip checked twice"
    same = ask("check", task=task, answers=right, progress=again, day=DAY)["progress"]
    assert same["mistakes"]["scale-without-root"]["fixed"] is None, "correcting it is not yet another problem"
    trap = ask("next", progress=same, day=DAY, seed="p")
    assert trap == ask("new", item="a-head", number=1, seed="p", trap="scale-without-root") | {
        "message": messages.REVEALED
    }

    def solved(progress, number, day, hinted=False):
        other = ask("new", item="a-head", number=number, seed="p", trap="scale-without-root")
        numbers = {step["name"]: step["cells"] for step in ask("change", task=other["task"])["steps"]}
        return ask("check", task=other["task"], answers=numbers, progress=progress, day=day, hinted=hinted)["progress"]

    assert solved(same, 1, DAY, hinted=True)["mistakes"]["scale-without-root"]["fixed"] is None
    fixed = solved(same, 1, DAY)
    assert (
        fixed["mistakes"]["scale-without-root"]["fixed"] == DAY and not ask("progress", progress=fixed, day=DAY)["due"]
    )
    assert ask("progress", progress=fixed, day=LATER)["due"] == ["scale-without-root"]
    assert solved(fixed, 2, DAY)["mistakes"]["scale-without-root"]["kept"] is None
    kept = solved(fixed, 2, LATER)
    assert (
        kept["mistakes"]["scale-without-root"]["kept"] == LATER
        and not ask("progress", progress=kept, day="2027-01-01")["due"]
    )


def test_causes_that_fit_equally_well_are_told_as_alternatives():
    """With four columns, the exponent i/d gives the same numbers as the base 100."""
    task = ask("new", ALL, item="positions", level=LEVELS)["task"]
    rows = [[f"{f(p / 10 ** (j // 2)):.2f}" for j, f in enumerate((sin, cos, sin, cos))] for p in range(3)]
    told = ask("hint", task=task, level=LEVELS, answers={"PE": rows}, step="PE", hint_level=1)["hints"][1]["says"]
    assert told.startswith("Two explanations fit these numbers equally well: It looks as if")


def test_a_slip_counts_and_other_numbers_of_its_exercise_mend_it(task, right):
    slipped = {**right, "Z": [[f"-{right['Z'][0][0]}", right["Z"][0][1]], right["Z"][1]]}
    found = ask("check", task=task, answers=slipped, progress={}, day=DAY)
    assert found["mistakes"] == {"sign": "The sign looks wrong"} and found["progress"]["mistakes"]["sign"]["met"] == 1
    assert ask("progress", progress=found["progress"], day=DAY)["mistakes"][0]["title"] == "The sign looks wrong"
    other = ask("new", item="a-head", number=1, seed="p", trap="sign")["task"]
    numbers = {step["name"]: step["cells"] for step in ask("change", task=other)["steps"]}
    after = ask("check", task=other, answers=numbers, progress=found["progress"], day=DAY)["progress"]
    assert after["mistakes"]["sign"]["fixed"] == DAY
    elsewhere = records.record_exercise(found["progress"], ["sign"], "another", "t", DAY, False, 1)
    assert elsewhere["mistakes"]["sign"]["fixed"] is None


def test_a_mistake_that_no_numbers_reveal_is_given_up_at_once(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        exercise_drawing, "draw_data", lambda source, seed, k: drawn.append(k) or json.loads(json.dumps(DATA))
    )
    with pytest.raises(AttncalcError, match="no new numbers"):
        exercise_drawing.with_trap({"text": HEAD}, "s", 3, "gamma-forgotten-on-the-way-back")
    assert drawn == [3]


@pytest.mark.parametrize(
    "item, code, number, told",
    [
        ("a-head", "scale-without-root", 1, messages.REVEALED),
        ("a-head", "gamma-forgotten-on-the-way-back", 1, messages.NOT_REVEALED),  # which no numbers of a head show
        ("another", "scale-without-root", 0, messages.NOT_REVEALED),  # of another course
    ],
)
def test_what_is_due_is_practised_on_what_there_is(item, code, number, told):
    progress = records.record_mistakes(records.clean(None), [code], item, "t", DAY)
    found = ask("next", progress=progress, day=LATER, seed="p")
    assert (found["task"]["item"], found["task"]["number"], found["message"]) == ("a-head", number, told)


@for_each(
    "after, done, item",
    [
        ("", [], 0),
        (ITEMS[1], [1], 2),
        (ITEMS[1], [1, 2], 3),
        (ITEMS[-1], [0], 1),  # from the start again
        ("no exercise", [], 0),
    ],
)
def test_the_next_exercise_comes_after_the_one_that_is_open(after, done, item):
    progress = records.clean(None) | {"items": {ITEMS[k]: {"done": 1} for k in done}}
    assert ask("next", ALL, after=after, progress=progress, day=DAY)["task"]["item"] == ITEMS[item]


def due_day(progress):
    """Return the first day on which the only exercise is due, and its distance from the last day in days."""
    last = date.fromisoformat(progress["items"]["a-head"]["last"])
    for days in range(400):
        day = (last + timedelta(days)).isoformat()
        if ask("progress", progress=progress, day=day)["again"] == ["a-head"]:
            return day, days
    raise AssertionError("never due")


@given(st.lists(st.booleans(), min_size=1, max_size=12))
@examples(20)
def test_an_exercise_is_due_again_after_growing_intervals(hinted):
    progress, day, before = records.clean(None), DAY, 0
    for k, hint in enumerate(hinted):
        progress = records.record_exercise(progress, [], "a-head", f"task {k}", day, hint, 1)
        day, days = due_day(progress)
        assert days == (1 if hint or before == 0 else 6 if before == 1 else min(365, days))
        assert hint or before < 6 or days == 365 or 2.3 * before < days < 2.7 * before
        before = 0 if hint else days
    found = ask("next", progress=progress, day=day, seed="p")
    assert found["task"]["item"] == "a-head" and found["task"]["number"] == len(hinted)
    assert found["message"] == messages.DUE_AGAIN


@pytest.mark.parametrize("last", ["9999-12-31", "0001-01-01"])
def test_every_date_of_a_file_is_accepted(last):
    progress = {"version": 1, "mistakes": {}, "items": {"a-head": {"done": 3, "streak": 10**9, "last": last}}}
    assert ask("progress", progress=progress, day=DAY)["again"] == (["a-head"] if last < DAY else [])


@pytest.mark.parametrize("item, minutes", [("one-dot-product", (1, 3)), ("a-decoder-layer", (30, 90))])
def test_an_exercise_says_how_long_it_takes(item, minutes):
    shown = ask("new", ALL, item=item, level=LEVELS)
    assert minutes[0] <= shown["minutes"] <= minutes[1]
    assert ask("show", ALL, task=shown["task"], level=1)["minutes"] <= shown["minutes"]


def test_chapters_come_after_the_chapters_that_they_need():
    titles = [group["title"] for group in ALL["groups"]]
    for k, group in enumerate(ALL["groups"]):
        assert group["items"] and {*group["first"]} <= {*titles[:k]}


def test_more_is_left_to_do_as_it_goes_well():
    one = records.record_exercise(records.clean(None), [], "item", "task", DAY, False, 1)
    assert one["items"]["item"] == {"done": 1, "streak": 1, "level": 2, "last": DAY, "task": "task"}
    assert records.record_exercise(one, [], "item", "task", DAY, False, 1) == one, (
        "finished again by another press of Check"
    )
    assert records.record_exercise(one, [], "item", "task", LATER, False, 1)["items"]["item"]["done"] == 2
    assert records.record_exercise(one, [], "item", "t2", DAY, False, 1)["items"]["item"]["streak"] == 1
    assert records.record_exercise(one, [], "item", "t2", DAY, True, 2)["items"]["item"]["level"] == 1
    assert records.record_exercise(one, [], "item", "t2", DAY, False, LEVELS)["items"]["item"]["level"] == LEVELS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab-1é<\ud800", max_size=8),
    lambda x: (
        st.lists(x, max_size=3)
        | st.dictionaries(
            st.sampled_from(["version", "mistakes", "items", "met", "last", "scale-without-root", "level", "done"]),
            x,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@examples(200)
@given(JSON)
def test_any_file_of_progress_is_read_or_dropped(data):
    found = records.clean(data)
    assert records.clean(found) == found
    records.overview(found, DAY)
    records.record_exercise(
        records.record_mistakes(found, ["scale-without-root"], "i", "t", DAY), [], "i", "t", DAY, False, 1
    )


PROGRESS = st.lists(st.tuples(st.booleans(), st.sampled_from(["scale-without-root", "sign", "a"]),
                              st.sampled_from([DAY, LATER]), st.sampled_from("tu")), max_size=5)  # fmt: skip


def progress_of(events):
    """The progress after some mistakes and exercises."""
    made = records.clean(None)
    for is_done, name, day, task in events:
        made = (records.record_exercise(made, [], name, task, day, False, 1) if is_done or name == "a" else
                records.record_mistakes(made, [name], "a", task, day))  # fmt: skip
    return made


@examples(100)
@given(PROGRESS, PROGRESS)
def test_an_import_adds_and_takes_nothing_away(mine, other):
    """In any order, and as often as one likes."""
    mine, other = progress_of(mine), progress_of(other)
    both = ask("progress", progress=mine, imported=other, day=LATER)["progress"]
    assert both == ask("progress", progress=other, imported=mine, day=LATER)["progress"]
    assert both == ask("progress", progress=both, imported=other, day=LATER)["progress"] == records.clean(both)
    for part in (mine, other):
        for kind, count in (("mistakes", "met"), ("items", "done")):
            assert all(both[kind][name][count] >= record[count] for name, record in part[kind].items())


@for_each("data", [{}, [], 3, "x", {"version": 1}, {"version": 2, "mistakes": {}, "items": {}},
                                  {"version": 1, "mistakes": [], "items": {}}])  # fmt: skip
def test_a_file_that_is_no_progress_changes_nothing(data):
    assert (
        "no progress saved by attncalc" in faults("progress", progress=records.clean(None), imported=data, day=DAY)[0]
    )


# -- pasting -----------------------------------------------------------------------------------------------------------

WRITTEN = {
    "LaTeX": "\\begin{bmatrix}\n1 & -2 & 3.5 \\\\\n4 & 5 & 6\n\\end{bmatrix}",
    "LaTeX in a line": "$\\begin{pmatrix}1&-2&3.5\\\\4&5&6\\end{pmatrix}$",
    "rows of LaTeX": "1 & -2 & 3.5 \\\\ 4 & 5 & 6",
    "NumPy": "array([[ 1. , -2. ,  3.5],\n       [ 4. ,  5. ,  6. ]])",
    "a print": "[[ 1.  -2.   3.5]\n [ 4.   5.   6. ]]",
    "PyTorch": "tensor([[ 1.0, -2.0, 3.5],\n        [ 4.0, 5.0, 6.0]], dtype=torch.float64)",
    "a spreadsheet": "1\t-2\t3.5\r\n4\t5\t6\r\n",
    "decimal commas": "1\t-2\t3,5\n4\t5\t6",
    "decimal commas in CSV": "1;-2;3,5\n4;5;6",
    "labels": "\tthe\tcat\tsat\na\t1\t-2\t3,5\nb\t4\t5\t6",
    "MATLAB": "[1 -2 3.5; 4 5 6]",
    "rows": "1 -2 3.5; 4 5 6",
    "lists": "[[1, -2, 3.5], [4, 5, 6]]",
    "Mathematica": "{{1, -2, 3.5}, {4, 5, 6}}",
    "Markdown": "| 1 | -2 | 3.5 |\n| 4 | 5 | 6 |",
    "Markdown without a header": "| 1 | -2 | 3.5 |\n|---|:-:|---|\n| 4 | 5 | 6 |",
    "Markdown with one": "| a | b | c |\n|---|---|---|\n| 1 | -2 | 3.5 |\n| 4 | 5 | 6 |",
    "a real minus": "1 −2 3.5\n4 5 6",
    "all in a row": "1, -2, 3.5, 4, 5, 6",
}


@for_each("text", WRITTEN.values(), ids=WRITTEN)
def test_a_pasted_matrix_fills_its_grid(text):
    found = ask("paste", text=text, shape=[2, 3], row=0, column=0)
    assert not found["message"]
    numbers = {(i, j): float(one.replace("−", "-")) for i, j, one in found["cells"]}
    assert numbers == {(i, j): (1, -2, 3.5, 4, 5, 6)[3 * i + j] for i in range(2) for j in range(3)}


@for_each("text", WRITTEN.values(), ids=WRITTEN)
@for_each("row, column, fits", [(0, 0, 4), (1, 1, 1), (0, 1, 2)])
def test_pasted_numbers_without_a_place_are_told(text, row, column, fits):
    """Numbers in a single row fill the entries from the first on, as its ends are not known."""
    found = ask("paste", text=text, shape=[2, 2], row=row, column=column)
    count = 4 if text == WRITTEN["all in a row"] else fits
    assert len(found["cells"]) == count and f": {6 - count} do not fit" in found["message"]


@for_each("text, says", [
    ("0,5 1,2", "did you mean 0.5?"), ("\\begin{bmatrix} 1 & 2", "expected \\end{bmatrix}"), ("[[1, 2], [3", ""),
    ("hello there", "found 'there'"), ("1 2 hello 4", "found 'hello'"), ("1 nan", "nan is not;"), ("1 O", "the digit 0"),
    ("1,00, 0,00\n0,11, 0,89", "commas are both decimal marks and separators here"),
    ("1,0, 0,5, 2,5", "commas are both decimal marks and separators here"),
])  # fmt: skip
def test_what_cannot_be_read_fills_nothing(text, says):
    said = faults("paste", text=text, shape=[2, 2], row=0, column=0)
    assert len(said) == 1 and says in said[0] and said[0].startswith("Nothing was pasted: ")


@examples(100)
@given(
    st.text("0123456789 ,;.-[](){}\\&|\t\nabe", max_size=40),
    st.lists(st.integers(1, 4), min_size=2, max_size=2),
    st.integers(0, 5),
)
def test_any_text_is_pasted_or_refused(text, shape, at):
    found = respond(COURSE, {"do": "paste", "text": text, "shape": shape, "row": at, "column": 0})
    assert (
        all(found["faults"]) if "faults" in found else all(i < shape[0] and j < shape[1] for i, j, _ in found["cells"])
    )


# -- requests that are none --------------------------------------------------------------------------------------------


@examples(200)
@given(
    st.sampled_from(["new", "show", "check", "hint", "explain", "change", "progress", "next", "nothing"]),
    st.dictionaries(
        st.sampled_from(
            [
                "item",
                "task",
                "answers",
                "step",
                "hint_level",
                "row",
                "column",
                "level",
                "given",
                "options",
                "progress",
                "day",
            ]
        ),
        JSON,
    ),
)
def test_any_request_is_answered_or_refused(do, fields):
    status, _, body = send(Path(), body=json.dumps({"do": do, **fields}).encode())
    assert status == 200 and isinstance(json.loads(body), dict)


@for_each("text", [b"", b"[]", b"{", b'{"do": 3}', b"[" * 10_000, b'{"do": "sho"}', b"\xff"])
def test_what_is_no_request_is_told(text):
    assert json.loads(respond_text(COURSE, text))["faults"]


@for_each("item", ["../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "problem/../problem", "head.yaml"])
def test_a_path_inside_a_request_is_no_exercise(item):
    assert faults("new", item=item)[0].startswith("there is no exercise")
    assert faults("check", task={"data": {"given": {"X": item}, "steps": {"S": f"open({item!r})"}}, "part": None})


# -- courses -----------------------------------------------------------------------------------------------------------


def test_a_path_of_ones_own(tmp_path):
    (tmp_path / "mine.yaml").write_text(HEAD)
    text = "title: Week 1\nhints: 3\npath:\n- {generate: layer_norm, with: {tokens: 1}, title: Norms}\n- {problem: mine.yaml, about: By hand.}\n- problem: look-ahead-mask\n"
    course = course_of(str(tmp_path / "path.yaml"), text)
    assert course["hints"] == 3 and [item["title"] for item in course["groups"][0]["items"]] == [
        "Norms",
        "A head",
        "The look-ahead mask on a table of scaled scores",
    ]
    assert course["groups"][0]["items"][1]["about"] == "By hand."
    assert ask("new", course, item=course["groups"][0]["items"][1]["id"])["title"] == "A head"


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize("text, says", [
    ("path: []", "a list of questions"), ("path:\n- {generate: layer_nrm}", "did you mean layer_norm?"),
    ("path:\n- {problem: ../x.yaml}", "in a different folder"),
    ("path:\n- {generate: layer_norm, with: {tokens: x}}", "tokens: expected a whole number"),
    ("path:\n- {generate: layer_norm, wiht: {}}", "did you mean with?"),
    ("path:\n- {generate: layer_norm, with: {entries: odd}}", "odd"), ("path:\n- 3", "expected a question .a mapping"),
    ("hint: 3\npath:\n- {problem: next-word}", "did you mean hints?"),
    ("hints: 9\npath:\n- {generate: layer_norm}", "hints: expected a whole number from 0 to 5, found '9'"),
])  # fmt: skip
def test_a_path_with_faults(tmp_path, text, says):
    with pytest.raises(AttncalcError, match=says.replace("?", r"\?")):
        course_of(str(tmp_path / "p.yaml"), text)


@for_each(
    "name, first",
    [
        ("quiz", "generate"),
        ("rms_norm", "generate"),
        ("encoder_layer", "generate"),
        ("look-ahead-mask", "text"),
        ("path", "text"),
        ("lectures", "text"),
    ],
    quick=1,
)
def test_courses_by_name(name, first):
    course = course_of(name, None)
    assert first in course["groups"][0]["items"][0]["source"] and len(course["groups"]) == 1
    with pytest.raises(AttncalcError, match="did you mean"):
        course_of(f"{name}x", None)


@pytest.mark.parametrize("name, file", [("path", "attention"), ("lectures", "lectures")])
def test_a_bundled_path_is_what_its_file_is_as_ones_own(name, file):
    path = bundled("problems/paths")[file]
    found, own = course_of(name, None), course_of(path, Path(path).read_text(encoding="utf-8"))
    assert [[*items_of(course)] for course in (found, own)] == [[*items_of(own)]] * 2
    for item, same in zip(items_of(found).values(), items_of(own).values()):
        assert item["title"] == same["title"] and item["about"] in ("", same["about"])
        assert exercise_drawing.draw_data(item["source"], "1", 0) == exercise_drawing.draw_data(same["source"], "1", 0)


def test_a_part_of_a_problem_is_not_warned_of_givens_of_others(monkeypatch):
    told = []
    monkeypatch.setattr(errors, "_listeners", [told.append])
    course_of("lectures", None)
    assert not told


@pytest.mark.sweep(quick=0)
def test_a_sheet_says_what_is_asked_and_how_it_is_rounded(tmp_path):
    text = ("rounding: {digits: 3}\nquestions:\n- {generate: attention, title: One, asked: [S, Z], points: {S: 2, Z: "
            "1}, ask: Do it.}\n"
            "- {problem: look-ahead-mask, title: Two, points: 4}\n- {problem: next-word.yaml, rounding: {digits: 1}, "
            "asked: [p]}\n")  # fmt: skip
    (tmp_path / "next-word.yaml").write_text(
        HEAD.replace("attention: {}", "steps: {p: softmax(Q)}").replace("rounding: {digits: 2}\n", "")
    )
    course = course_of(str(tmp_path / "s.yaml"), text)
    one, two, three = (ask("new", course, item=item["id"]) for item in course["groups"][0]["items"])
    assert (one["ask"], one["digits"], two["digits"], three["digits"]) == ("Do it.", 3, 2, 1), (
        "a problem's own rounding counts more than the sheet's"
    )
    assert {step["name"]: step["exam"] for step in one["steps"] if step["name"] in ("S", "A", "Z")} == {
        "S": "2 points", "A": "not asked: optional", "Z": "1 point"}  # fmt: skip
    assert "4 points" in two["conventions"]
    numbers = {step["name"]: step["cells"] for step in ask("change", course, task=one["task"])["steps"]}
    found = ask("check", course, task=one["task"], answers={name: numbers[name] for name in "SZ"})
    assert found["done"] and found["message"] == "Everything is right."
    wrong = ask("check", course, task=one["task"], answers={"S": numbers["S"], "Z": numbers["Z"], "A": numbers["S"]})
    assert not wrong["done"] and wrong["first"] == "A", "what is written all the same is judged"


# -- the server --------------------------------------------------------------------------------------------------------

HOST = "127.0.0.1:8123"


@pytest.mark.parametrize("name", ["look-ahead-mask", "rms_norm"])
def test_what_is_made_while_the_page_loads_is_what_it_gets(name):
    course = course_of(name, None)
    app, made = App(lambda: course, HOST, None), prepare_responses(course)
    app.prepare()
    assert [json.loads(text)["do"] for text in made] == ["course", "new"]
    assert [app.respond(text.encode()) for text in made] == [*made.values()]


def send(tmp_path, method="POST", path="/respond", body=b'{"do": "course"}', **headers):
    app = App(lambda: COURSE, HOST, str(tmp_path / "data"), "secret")
    usual = {"host": HOST, "origin": f"http://{HOST}", "x-token": "secret", "content-type": "application/json"}
    chosen = {
        k: v for k, v in {**usual, **{k.replace("_", "-"): v for k, v in headers.items()}}.items() if v is not None
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def keep(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(k.encode(), v.encode()) for k, v in chosen.items()],
    }
    asyncio.run(app(scope, receive, keep))
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


def test_the_page_gets_its_answers(tmp_path):
    status, headers, body = send(tmp_path)
    assert status == 200 and json.loads(body)["title"] == "A head"
    status, headers, body = send(tmp_path, "GET", "/", b"")
    policy = headers[b"content-security-policy"].decode()
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'nonce="{nonce}"' in body.decode() and "default-src 'none'" in policy and "unsafe" not in policy
    assert nonce not in send(tmp_path, "GET", "/", b"")[2].decode(), "a new one for every page"
    assert "$" not in body.decode() and 'data-settings="{&quot;server&quot;: true}"' in body.decode()


@pytest.mark.parametrize("what, status", [
    ({"host": "evil.example"}, 403), ({"host": "localhost:8123"}, 403), ({"host": "127.0.0.1"}, 403),
    ({"host": None}, 403),
    ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403), ({"origin": None}, 403),
    ({"origin": f"https://{HOST}"}, 403),
    ({"x_token": None}, 403), ({"x_token": "Secret"}, 403), ({"x_token": ""}, 403),
    ({"content_type": "application/x-www-form-urlencoded"}, 415), ({"content_type": "text/plain"}, 415),
    ({"content_type": None}, 415),
    ({"body": b"x" * 400_001}, 413), ({"method": "GET"}, 404), ({"method": "PUT"}, 404),
    ({"path": "/../../etc/passwd", "method": "GET"}, 404),
    ({"path": "/server.py", "method": "GET"}, 404), ({"path": "//etc/passwd", "method": "GET"}, 404),
    ({"method": "GET", "path": "/", "host": "evil.example"}, 403),
    ({"method": "GET", "path": "/", "host": "evil.example:8123"}, 403), ({"path": "/progress", "x_token": None}, 403),
])  # fmt: skip
def test_foreign_requests_are_refused(tmp_path, what, status):
    assert send(tmp_path, **what)[0] == status and not (tmp_path / "data").exists()


def test_progress_that_cannot_be_stored_is_reported(tmp_path):
    (tmp_path / "data").write_text("a file where the folder is to be")
    status, _, body = send(tmp_path, path="/progress", body=b'{"progress": {}}')
    (fault,) = json.loads(body)["faults"]
    assert status == 200 and "could not be stored" in fault and "Errno" not in fault


def test_progress_is_a_file_of_this_user(tmp_path):
    made = records.record_mistakes(records.clean(None), ["scale-without-root"], "problem", "t", DAY)
    body = json.dumps({"progress": {**made, "evil": "x", "mistakes": {**made["mistakes"], "../../x": {}}}}).encode()
    assert json.loads(send(tmp_path, path="/progress", body=body)[2])["progress"] == made
    assert json.loads(send(tmp_path, path="/progress", body=b"{}")[2])["progress"] == made
    assert [file.name for file in (tmp_path / "data").iterdir()] == ["progress.json"]
    (tmp_path / "data" / "progress.json").write_text("[" * 100_000)
    assert json.loads(send(tmp_path, path="/progress", body=b"{}")[2])["progress"] == records.clean(None)
