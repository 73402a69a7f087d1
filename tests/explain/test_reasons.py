"""The reason for each step of each lesson: none is missing, none is left over, and pages that can fold have all of
them.
"""

import io
import re

import pytest
from rich.console import Console

from attncalc import AttncalcError, load, solve
from attncalc.explain import reasons
from attncalc.explain.document import Reason
from attncalc.explain.listings import lesson_document
from attncalc.explain.solution_document import solution_document
from attncalc.lessons import FILES, LESSONS
from attncalc.lessons.lesson import without_head
from attncalc.lessons.small_problems import needed, problem
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


def test_law_every_lesson_names_the_source_of_its_reasons():
    """A paper and its year, or the textbook, the definition or the calculus that they follow from."""
    assert not [
        name
        for name, lesson in LESSONS.items()
        if not re.search(r"\b(?:19|20)\d\d\b|Calculus|By definition|Jurafsky and Martin", lesson.source)
    ]


def test_every_reason_is_a_few_sentences():
    odd = [
        (step, one)
        for step, one in ((step, text.format_map(reasons.ROW_FIELDS)) for step, text in WRITTEN)
        if len(re.findall(r"[.?](?= [A-Z√γβεI0-9−(]|$)", one)) not in (2, 3, 4) or not 60 <= len(one) <= 360
    ]
    assert not odd


def test_every_reason_is_one_of_a_step():
    """Each key of a lesson's section is the reason of one of its steps, and each key of common.ini of some lesson."""
    idle = [
        (name, key)
        for file, names, steps in OWN
        for name in names.split()
        for key, text in steps.items()
        if FILES[name] != file
        or not any(
            reasons.lesson_reason(name, step) == text
            for step in LESSONS[name].steps
            if without_head(step) == without_head(key)
        )
    ]
    assert not idle
    shared = {
        without_head(step)
        for name, lesson in LESSONS.items()
        for step in lesson.steps
        if not reasons.lesson_reason(name, step)
    }
    assert set(COMMON) == shared


# -- a reason holds with every option of its lesson --------------------------------------------------------------------

SENTENCE_END = re.compile(r"(?<=[.?]) (?=[A-Z√γβεI0-9−(])")
# A sentence that speaks of another case, or of the usual one
CONDITION = re.compile(
    r"\b(?:with(?:out)?|if|unless|usual(?:ly)?|in (?:the|\w+'s) paper|in LLaMA|still)\b|\w: \w", re.I
)
# What a sentence says of a step: what the step's formula must have, and what it must not have
CLAIMS = [
    (r"no division|not divided|nothing is scaled", None, r"/|\* \(1 -"),
    (r"(?<!no )(?:division|divided) (?:is )?by (?:the )?(?:√|square root|scale)", r"/", None),
    (r"root of the number of features", r"/ sqrt\(", None),
    (r"along each row|each row has its own sum", None, r"_cols|_all|col_sum|total"),
    (r"mean is over", r"mean|/", None),
    (r"length stays|keeps its length", None, r"log\(factor\)|log\(\d"),
    (r"the gradient passes through unchanged", r"^[\w.]+$", None),
    (r"multiplied by the slope|passes the activation", r"tanh|capped|sigmoid|erf|keep", r"^A\w* \*"),
    (r"logarithms add up", r"log", None),
    (r"only the probability of the target", None, r"P_true"),
    (r"scores of a query into", r"softmax\(", None),
    (r"turns the sum of logarithms", r"exp|\*\*", None),
]  # fmt: skip


def formulas(name: str):
    """The steps of a lesson's small problem with each documented value of each option: lesson, step and formula."""
    values = [{option.name: one} | needed(name, option.name, one)
              for option in LESSONS[name].options for one in option.documented_values]  # fmt: skip
    for more in ({}, *values):
        try:
            parts = load(problem(name, more)).plan.parts
        except AttncalcError:
            continue
        yield from {
            (step.lesson, step.name.rpartition(".")[2], step.formula)
            for part in parts
            for step in part.steps
            if step.lesson
        }


@pytest.mark.sweep(quick=8)
@pytest.mark.parametrize("name", LESSONS)
def test_law_a_reason_agrees_with_the_formula_of_every_option(name):
    odd = set()
    for lesson, step, formula in formulas(name):
        for sentence in SENTENCE_END.split(reasons.reason(lesson, step)):
            for says, required, excluded in () if CONDITION.search(sentence) else CLAIMS:
                if re.search(says, sentence, re.I) and (
                    required and not re.search(required, formula) or excluded and re.search(excluded, formula)
                ):
                    odd.add((lesson, step, formula, sentence))
    assert not odd


NAMED_OPTION = re.compile(r"(?:[Ww]ith |; |, as )`?([a-z]\w*): ([\w+/]+)")


def test_law_a_reason_names_only_options_and_values_of_its_lesson():
    """A value that a lesson does not have is never named, so its sentence is on no page without it."""
    odd = [
        (name, step, option, value)
        for name, lesson in LESSONS.items()
        for step in lesson.steps
        for option, value in NAMED_OPTION.findall(reasons.reason(name, step))
        if value not in getattr(lesson.option(option), "documented_values", ())
    ]
    assert not odd


def test_law_the_first_sentence_of_a_reason_holds_by_itself():
    """Practice offers it as the right answer, so it is true whatever the options are, and refers to no other one."""
    firsts = [(step, SENTENCE_END.split(text)[0]) for step, text in WRITTEN]
    assert not [
        (step, first) for step, first in firsts
        if re.match(r"(?:With|Without) \w+: |It |They |So ", first)
    ]  # fmt: skip


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
    ("S", "Columns belong to queries, and rows belong to keys. Qᵀ · K would be the transpose of these scores."),
    ("dW_Q", "The transposed input is on the right: dQ · Xᵀ."),
])  # fmt: skip
def test_where_tokens_are_columns_the_reasons_say_so(step, told):
    assert told in reasons.reason("self_attention_gradients", step, columns=True)
    assert "row of the target" in reasons.reason("cross_entropy", "picked", columns=True)
