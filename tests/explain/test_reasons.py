"""The reason for each step of each lesson: none is missing, none is left over, and pages that can fold have all of
them.
"""

import io
import re

import pytest
from rich.console import Console

from attncalc import load, solve
from attncalc.explain import reasons
from attncalc.explain.document import Reason
from attncalc.explain.listings import lesson_document
from attncalc.explain.solution_document import solution_document
from attncalc.lessons import FILES, LESSONS
from attncalc.render import html, markdown, text
from attncalc.render.terminal import write
from tests.support.pages import document

COMMON = reasons.sections(reasons.COMMON)["*"]
OWN = [(file, names, steps) for file in sorted(set(FILES.values())) for names, steps in reasons.sections(file).items()]


WRITTEN = [*COMMON.items(), *((f"{names}: {step}", one) for _, names, steps in OWN for step, one in steps.items())]
OF_LAYOUT = r"[Rr]ows?|[Cc]olumns?|(?<=on the )(?:left|right)|\w+ᵀ · \w+|\w+ · \w+ᵀ"


def test_law_what_depends_on_the_layout_is_a_field():
    assert not [(step, text) for step, text in WRITTEN if re.search(rf"(?<![{{\w])(?:{OF_LAYOUT})\b", text)]


@pytest.mark.parametrize("name", LESSONS)
def test_every_step_of_every_lesson_has_a_reason(name):
    assert not [step for step in LESSONS[name].steps if not reasons.reason(name, step)]


def test_every_reason_is_a_few_sentences():
    odd = [
        (step, one)
        for step, one in ((step, text.format_map(reasons.ROW_FIELDS)) for step, text in WRITTEN)
        if len(re.findall(r"[.?](?= [A-Z√γβεI0-9−(]|$)", one)) not in (2, 3, 4) or not 60 <= len(one) <= 360
    ]
    assert not odd


def test_every_reason_is_one_of_a_step():
    known = {
        name: {re.sub(r"_\d+$", "", step) for step in lesson.steps} | set(lesson.steps)
        for name, lesson in LESSONS.items()
    }
    assert not [
        (name, step)
        for file, names, steps in OWN
        for name in names.split()
        for step in steps
        if step not in known[name] or FILES[name] != file
    ]
    shared = {
        re.sub(r"_\d+$", "", step)
        for name, lesson in LESSONS.items()
        for step in lesson.steps
        if not reasons.lesson_reason(name, step)
    }
    assert set(COMMON) == shared


def test_a_heads_output_is_not_told_as_that_of_all_heads():
    assert (
        reasons.reason("multi_head_attention", "Z_2")
        == reasons.reason("attention", "Z")
        != reasons.reason("multi_head_attention", "Z")
    )
    assert reasons.reason("attention", "no_step") == reasons.reason("no_lesson", "Z") == ""


def test_a_page_folds_each_reason_once_and_other_media_leave_it_out():
    page = document("self-attention-numerical")
    told = [block.text for block in page.flat() if isinstance(block, Reason)]
    assert (
        told
        and len(set(told)) == len(told)
        and all(one in told for one in (reasons.reason("self_attention", "S"), COMMON["S_scaled"]))
    )
    assert html.write(page).count('<details class="reason">') == len(told)
    assert "variance" not in text.write(page) and "variance" not in markdown.write(page)


def test_what_is_asked_for_by_name_is_told_with_its_reason():
    solution = solve(load("self-attention-numerical"))
    page = solution_document(solution, solution.parts, {"S_scaled"})
    file = io.StringIO()
    write(page, Console(file=file, width=200))
    assert COMMON["S_scaled"] in " ".join(
        file.getvalue().split()
    ) and '<details class="reason" open="open">' in html.write(page)


def test_the_page_of_a_lesson_has_them():
    assert any(
        COMMON["S_scaled"] in row
        for block in lesson_document(LESSONS["attention"]).blocks
        for row in getattr(block, "rows", ())
    )


@pytest.mark.parametrize("step, told", [
    ("S", "Columns belong to queries and rows to keys: Qᵀ · K would be the transpose."),
    ("dW_Q", "The input is transposed and is on the right: dQ · Xᵀ."),
])  # fmt: skip
def test_where_tokens_are_columns_the_reasons_say_so(step, told):
    assert told in reasons.reason("self_attention_gradients", step, columns=True)
    assert "row of the target" in reasons.reason("cross_entropy", "picked", columns=True)
