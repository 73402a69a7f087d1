"""Formula sheets: what each formula uses stands on the sheet too, and each lesson stands there once."""

from __future__ import annotations

import pytest

from attncalc import load, solve
from attncalc.exam import typeset
from attncalc.exam.paper import KNOWN, formula_sheet
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.translations import words_of
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain.document import Formula, Paragraph, Section
from attncalc.formula.syntax_tree import Call, Index, names, walk
from attncalc.lessons.small_problems import CASES, problem
from tests.support.sweeps import for_each

MASKS = {"causal", "causal_strict", "band"}


def lines(blocks, inside=""):
    """Each formula and each note with the section that it is in."""
    for block in blocks:
        if isinstance(block, Section):
            yield from lines(block.blocks, block.title)
        else:
            yield inside, block


def head(tree):
    """What a line is about: `A` of A[i, j], softmax of softmax(A)[i, j]."""
    return head(tree.operand) if isinstance(tree, Index) else tree.function if isinstance(tree, Call) else tree.name


def counters(line):
    """What counts the rows and columns of a line, and the terms of its sums."""
    sums = {
        part.function[-1] for part in walk(line.stages[0].tree) if isinstance(part, Call) and "sum_" in part.function
    }
    return sums | (names(line.name) - {head(line.name)})


def sheet_of(lesson):
    solution = solve(load(problem(lesson)))
    return formula_sheet(solution, [("Question 1", "", solution.parts[0])], words_of("en")), solution


@for_each("lesson", CASES, quick=8)
def test_what_a_formula_uses_stands_on_the_sheet(lesson):
    """Each name is a given, a step with its formula (in its section, or in the one that a note names), or is told in
    words; so is each function that not every reader knows.
    """
    sheet, solution = sheet_of(lesson)
    told = list(lines(sheet))
    formulas = [(inside, line) for inside, line in told if isinstance(line, Formula)]
    own = {}
    for inside, line in formulas:
        own.setdefault(inside, set()).add(head(line.name))
    for inside, note in told:
        if isinstance(note, Paragraph):
            own.setdefault(inside, set()).update(own[note.text.rpartition(" of ")[2].rstrip(".")])
    plan = solution.parts[0].part.plan
    known = {f"{inside}.{name}" for inside, some in own.items() for name in some} | own[""]
    known |= {name for some in own.values() for name in some if "." in name}  # in full, where a short one is another's
    known |= {given.name for given in (*solution.problem.plan.givens, *plan.givens)}
    assert {step.name for step in plan.steps if step.lesson and not step.given} <= known
    for inside, line in formulas:
        for stage in line.stages:
            assert names(stage.tree) - counters(line) <= known | own[inside], (inside, line)
    functions = own[""] | {
        part.tree.function
        for _, line in formulas
        for part in line.stages
        if isinstance(part.tree, Call)
        and any(isinstance(other.name, Index) and other.name.operand == line.name for _, other in formulas)
    }
    called = {
        part.function
        for _, line in formulas
        for one in line.stages
        for part in walk(one.tree)
        if isinstance(part, Call)
    }
    assert called <= KNOWN | MASKS | functions


@for_each("lesson", CASES, quick=3)
def test_signs_are_told_in_german_as_well(lesson):
    sheet, _ = sheet_of(lesson)
    assert {one.doc for one in sheet if isinstance(one, Formula)} - {""} <= {*words_of("de").sentences}


def made_of(text):
    made = read_sheet(text, "s.yaml")
    variants = make_variants_distinct(made, made.students, (draw_all(made, student) for student in made.students))
    return build_paper(made, next(iter(variants)))


def paper_of(text):
    return made_of(text).formulas


def test_each_lesson_stands_on_a_sheet_once():
    """A section like one before says which, and holds what is another; a question like one before says so."""
    told = paper_of(
        "formula_sheet: true\nquestions:\n  - {problem: encoder-layer-small}\n"
        "  - {generate: layer_norm}\n  - {generate: layer_norm, title: Again}\n"
    )
    sections = {
        (outer.title, inner.title): inner
        for outer in told
        if isinstance(outer, Section)
        for inner in outer.blocks
        if isinstance(inner, Section)
    }
    first = sections["Question 1 (a)", "attention"]
    assert all(isinstance(block, Formula) for block in first.blocks)
    *other, note = sections["Question 1 (b)", "attention"].blocks
    assert {head(line.name) for line in other} == {"Q_1", "K_1", "V_1", "Q_2", "K_2", "V_2"}
    assert note.text == "The other formulas are those of attention, Question 1 (a)."
    again = next(one for one in told if isinstance(one, Section) and one.doc == "Again")
    assert [block.text for block in again.blocks] == ["The formulas are those of Question 2."]


@pytest.mark.parametrize(
    ("more", "lesson", "columns"),
    [("", "layer_norm", 3), ("", "relative_attention", 1), ("large_print: true\n", "layer_norm", 1)],
)
def test_formulas_stand_side_by_side_where_each_has_the_room(more, lesson, columns):
    told = f"{more}formula_sheet: true\nquestions: [{{generate: {lesson}}}]\n"
    assert f"#formula-sheet(side-by-side: {columns})[" in typeset.typst([made_of(told)], False)


def test_a_formula_sheet_in_large_print_for_some_has_one_column(tmp_path):
    """It had two, in which a formula with a mask was shrunk to fit."""
    (tmp_path / "r.csv").write_text("number\ns-1\ns-2\n")
    text = "students: r.csv\nlarge_print: [s-2]\nformula_sheet: true\nquestions: [{generate: layer_norm}]\n"
    sheet = read_sheet(f"title: T\ncourse: C\nseed: 1\n{text}", str(tmp_path / "sheet.yaml"))
    variants = make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students))
    for paper, columns in zip([build_paper(sheet, one) for one in variants], (3, 1), strict=True):
        assert f"#formula-sheet(side-by-side: {columns})[" in typeset.typst([paper], False)


def test_one_question_needs_no_heading():
    assert not any(
        isinstance(block, Section) for block in paper_of("formula_sheet: true\nquestions: [{generate: layer_norm}]\n")
    )
