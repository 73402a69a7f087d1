"""Worked lines agree with a calculator: what is typed from one side of a line, as it is printed, rounds to the next
side.

`calculator` reads the printed lines and shares no code with attncalc. Golden pages and examples in documents are read
as they are.
"""

import re
from pathlib import Path

import pytest
import yaml

from attncalc import load, solve
from attncalc.api import check as mark
from attncalc.exam import typeset
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import load_sheet
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain.report_document import report_document
from attncalc.explain.solution_document import solution_document
from attncalc.explain.solution_messages import BY_NAMES, MORE_DIGITS
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.generator.problem_writer import render
from attncalc.generator.rejection_search import Search
from attncalc.generator.request import Request, specification
from attncalc.render import markdown, text
from attncalc.resources import problem_names
from tests.explain.test_report_document import SCRIPTS
from tests.explain.test_report_document import document as report
from tests.support.calculator import Line, Result, _group, check, lines_of_markdown, lines_of_text, total
from tests.support.pages import GOLDEN, solved
from tests.support.sweeps import for_each

READERS = ((text, lines_of_text), (markdown, lines_of_markdown))
WAYS = [{}, {"explain": "full"}, {"paper": True}, {"exact": True}]
MOST_BY_NAMES = 0.03  # of all worked lines


def pages(problem, paper=False, exact=False, explain="steps"):
    """Each part's lines, read from its page of text and of Markdown, with the part's way to round."""
    solution = solved(problem, paper)
    for part in solution.parts:
        document = solution_document(solution, [part], None, exact, depth=9, explain=explain)
        for writer, reader in READERS:
            yield reader(writer.write(document)), part.part.rounding.mode


def faults(lines, mode="half_up"):
    return [
        (str(line), found.contradicted, found.signs)
        for line in lines
        if (found := check(line, mode)).contradicted or found.signs
    ]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("problem", problem_names())
def test_every_worked_line_agrees(problem, way):
    if way.get("explain") == "full" and problem in ("translate-two-words", "sparse-attention"):
        pytest.skip("as long as all the others, and its parts are those of other problems")
    for lines, mode in pages(problem, **way):
        assert not faults(lines, mode)


@pytest.mark.sweep(quick=0)
def test_hardly_a_line_goes_by_names_and_hardly_one_is_not_read():
    by_names = lines = unread = numbers = 0
    for problem in problem_names():
        solution = solve(load(problem))
        page = text.write(solution_document(solution, solution.parts, None, depth=9))
        found = lines_of_text(page)
        results = [check(line) for line in found]
        numbers += total(results)[0]
        unread += sum(not result.read for result in results)
        lines += sum(len(line.sides) > 1 for line in found)
        by_names += page.count(BY_NAMES[:30])
    assert numbers > 1_000 and lines > 500
    assert by_names < MOST_BY_NAMES * lines and unread < MOST_BY_NAMES * lines


@for_each(
    "path",
    [*sorted(GOLDEN.rglob("*.txt")), *sorted(GOLDEN.rglob("*.md"))],
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_golden_pages_agree(path):
    page = path.read_text(encoding="utf-8")
    if "ascii" in path.name:
        page = page.replace(" ~ ", " ≈ ").replace(" * ", " · ").replace("sqrt(", "√(")
    assert not faults((lines_of_markdown if path.suffix == ".md" else lines_of_text)(page))


@for_each("name", SCRIPTS, quick=1)
def test_reports_agree(name):
    for writer, reader in READERS:
        assert not faults(reader(writer.write(report(name))))


SHEET = """\
title: Quiz
seed: 7
questions:
  - generate: layer_norm
    with: {tokens: 2, d_model: 3}
  - problem: look-ahead-mask
  - problem: softmax.yaml
"""
SOFTMAX = "title: Softmax\ngiven: {S: [[1, 2, 4]]}\nrounding: {digits: 3}\nsteps: {R: S / sqrt(3), A: softmax(R), loss: '-log(A[0, 0])'}"


@pytest.mark.sweep(quick=0)
def test_solutions_of_exams_agree_and_say_once_that_their_numbers_are_unrounded(tmp_path):
    (tmp_path / "softmax.yaml").write_text(SOFTMAX)
    (tmp_path / "sheet.yaml").write_text(SHEET)
    sheet = load_sheet(str(tmp_path / "sheet.yaml"))
    (variant,) = make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students))
    source = typeset.latex([build_paper(sheet, variant)], True)
    assert source.count(MORE_DIGITS) == 1
    lines = [_group(source, m.end())[0] for m in re.finditer(r"\\sides(?=\{)", source)]
    found = lines_of_markdown("\n".join(f"$`{line}`$" for line in lines))
    assert total(map(check, found))[0] >= 20
    assert not faults(found)


def test_a_report_works_an_entry_out_in_as_many_digits_as_were_typed():
    problem = load({"title": "t", "given": {"S": [[1, 2]]}, "steps": {"A": "S / sqrt(2)"}})
    found = mark(problem, {"answers": {"A": [["0.70710678", "1.41431399"]]}})
    page = text.write(report_document(found, solve(problem)))
    assert "1.41421356" in page.partition("correct: ")[2]
    assert not faults(lines_of_text(page))


@for_each("lesson", sorted(RECIPES), quick=0)
def test_generated_problems_agree(lesson):
    for number in (1, 2):
        agree_on(lesson, number)


@pytest.mark.sweep(quick=0, ci=0)
@pytest.mark.slow
@pytest.mark.parametrize("lesson", sorted(RECIPES))
def test_many_generated_problems_agree(lesson):
    for number in range(3, 7):
        agree_on(lesson, number)


def agree_on(lesson, number):
    search = Search(specification(Request(lesson, seed="calculator")))
    problem = yaml.load(render(search, search.variant(number)), yaml.BaseLoader)
    for lines, mode in pages(problem):
        assert not faults(lines, mode)


# -- the calculator itself ---------------------------------------------------------------------------------------------

CONTRADICTED = {
    "loss ≈ −ln(0.020) ≈ 3.933": ["3.933"],
    "A ≈ exp(15.59) ≈ 5888178.58": ["5888178.58"],
    "loss ≈ (3.933 + 3.543) / 2 ≈ 7.475 / 2 ≈ 3.738": ["7.475"],
    "A ≈ 4.113 / (4.113 + 2.028) ≈ 4.113 / 6.142 ≈ 0.670": ["6.142"],
    "x = 2·10⁻³ / 3 ≈ 6.68·10⁻⁴": ["6.68·10⁻⁴"],
    "x = −1 / 3 ≈ 0.333": ["0.333"],
}
CONFIRMED = [
    "loss ≈ −ln(0.01959) ≈ 3.933", "x = 3 / √2 = 3 · √2 / 2 ≈ 2.1213 / 1 = 2.1213", "x = 2 / 3 ≈ 0.6667",
    "x = −0.5² + (−0.5)² = 0", "x = max(1 / 3, 0.25) = 1 / 3 ≈ 0.3333", "x = 2·10⁻³ / 3 ≈ 6.67·10⁻⁴", "x = |1 − 3| = 2",
    "x = ⌈ln(64) / ln(3)⌉ ≈ ⌈3.7856⌉ = 4", "x = (1 + 2 + … 5 more … + 3) / 4 ≈ 7.1234",
]  # fmt: skip


@for_each("text, wrong", CONTRADICTED.items())
def test_the_calculator_contradicts(text, wrong):
    (line,) = lines_of_text("    " + text)
    assert [one.partition(" ")[0] for one in check(line).contradicted[: len(wrong)]] == wrong


@for_each("text", CONFIRMED)
def test_the_calculator_confirms(text):
    (line,) = lines_of_text("    " + text)
    found = check(line)
    assert found.read and not found.contradicted and not found.signs


def test_the_calculator_reads_tex_as_text():
    (line,) = lines_of_markdown(
        r"$`P\text{[a, 2]} = \frac{e^{3}}{e^{0} + e^{3}} \approx \frac{20.0855}{1 + 20.0855} \approx 9.526 \cdot 10^{-1}`$"
    )
    assert check(line) == Result(5, [], [])
    assert (
        not check(Line("x", [("=", "1 / 2"), ("≈", "0.5")])).contradicted
        and check(Line("x", [("=", "1 / 2"), ("≈", "0.5")])).signs
    )
    assert check(Line("x", [("=", "1 / 3"), ("=", "0.333")])).signs == ["= 0.333"]


@for_each("page", sorted((Path(__file__).parents[2] / "docs").glob("*/*.md")), ids=lambda page: page.stem)
def test_guides_agree(page):
    assert not faults([line for line in lines_of_text(page.read_text(encoding="utf-8")) if "[" in line.head])
