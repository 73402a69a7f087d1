"""Reports, plans and mistakes on every medium: what is said, what is marked, and what hints keep back.

After a change that is meant to be seen, `REGENERATE=1 pytest tests/explain/test_report_document.py` writes tests/golden/report/ anew:
read the difference.
"""

from __future__ import annotations

import io
import json
import math
import random
import re
import subprocess
from importlib import import_module
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.console import Console

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.cli.document_options import PAGES
from attncalc.explain.document import Cell, Document, Grid, Heading, Matrices, Sign, Table, Worked
from attncalc.explain.mistake_page import catalogue_document, mistake_document
from attncalc.explain.report_document import report_document
from attncalc.explain.report_messages import last_digits, summary
from attncalc.explain.solution_document import plan_document
from attncalc.formula.syntax_tree import Binary, Name, Number, unparse
from attncalc.marking.expected_values import CellReport
from attncalc.marking.report import check as mark
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.mistake import transpose_wording
from attncalc.mistakes.step_analysis import StepAnalysis
from attncalc.render import report_json
from attncalc.render.math.speech import matrix
from attncalc.render.terminal import write
from attncalc.resources import problem_names
from tests.support.pages import HOSTILE, golden, typed
from tests.support.scripts import Hand, script
from tests.support.sweeps import for_each

LOOK = {
    "title": "Three words look back",
    "given": {
        "X": {"rows": ["the", "cat", "sat"], "values": [[1, 0], [0, 1], [1, 1]]},
        "W_Q": [[1, 0], [0, 1]],
        "W_K": [[1, 1], [0, 1]],
        "W_V": [[1, 2], [3, 4]],
    },
    "self_attention": {"mask": "causal"},
}
ROOTS = {"given": {"x": [[2, 3, 5, 4]]}, "steps": {"A": "sqrt(x)"}}
TWO = {
    "title": "Two ways to look",
    "given": {"X": {"rows": ["the", "cat", "sat"], "values": [[1, 0], [0, 1], [1, 1]]}},
    "parts": {
        "open": {
            "title": "Attention without a mask",
            "points": 4,
            "given": {"W_V": [[1, 2], [3, 4]]},
            "rounding": {"digits": 2},
            "steps": {"S": "X @ X.T", "A": "softmax(S / sqrt(cols(X)))", "Z": "A @ X @ W_V"},
            "asked": ["S", "A", "Z"],
        },
        "masked": {
            "title": "With the look-ahead mask",
            "rounding": {"digits": 3},
            "points": {"A": 3, "Z": 2},
            "steps": {"S": "X @ X.T", "M": "keep(S, causal(3, 3))", "A": "softmax(M)", "Z": "A @ X"},
            "asked": ["A", "Z[2]"],
        },
    },
}
RIGHT = {
    "S": [[1, 0, 1], [1, 1, 2], [2, 1, 3]],
    "S_scaled": "0.71 0 0.71\n0.71 0.71 1.41\n1.41 0.71 2.12",
    "A": "1.00 0 0\n0.50 0.50 0\n0.28 0.14 0.58",
    "Z": "1.00 2.00\n2.00 3.00\n3.01 4.58",
}
SCALE = RIGHT | {
    "S_scaled": "0.50 0 0.50\n0.50 0.50 1.00\n1.00 0.50 1.50",
    "A": "1.00 0 0\n0.50 0.50 0\n0.31 0.19 0.51",
    "Z": "1.00 2.00\n2.00 3.00\n2.92 4.44",
}
SLIP = {"S": RIGHT["S"], "S_scaled": "0.71 0 0.71\n0.71 0.71 1.41\n1.41 0.17 2.12"}
ROWS = {"open": {"S": [[1, 0, 1], [0, 1, 1], [1, 1, 2]], "A": "0.57 0.21 0.21\n0.20 0.40 0.40\n0.16 0.16 0.67"}}
PARTS = {
    "open": {"S": [[1, 0, 1], [0, 1, 1], [1, 1, 3]], "A": "0.40 0.20 0.40\n0.20 0.40 0.40\n0.16 0.16 0.67",
        "Z": "2.60 4.00\n3.00 4.40\n3.33 5.00"},
    "masked": {"A": "1 0 0\n0.269 0.731 0\n0.212 0.212 0.576", "Z[2]": [0.788, 0.788]},
}  # fmt: skip
SCRIPTS = {
    "scale": (LOOK, {"student": "s-0417", "answers": SCALE}),
    "slip": (LOOK, {"answers": SLIP}),
    "right": (LOOK, {"answers": RIGHT}),
    "nothing": (LOOK, {"answers": {}}),
    "parts": (TWO, {"student": "Ada", "answers": PARTS}),
    "rows": (TWO, {"answers": ROWS}),
}


def report_of(name):
    problem, answers = SCRIPTS[name]
    return check(load(problem), answers)


def document(name, hints=False):
    report = report_of(name)
    return report_document(report, solve(report.problem), hints)


def printed(doc, width=80, encoding="utf-8"):
    class Screen(io.StringIO):
        pass

    Screen.encoding = encoding
    console = Console(file=Screen(), width=width, legacy_windows=False, color_system=None)
    write(doc, console)
    return console.file.getvalue()


def page(medium, doc):
    return printed(doc) if medium == "terminal" else import_module(f"attncalc.render.{medium}").write(doc)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """problem.yaml, two.yaml and a script of each name; JSON is YAML."""
    monkeypatch.chdir(tmp_path)
    for name, (problem, answers) in SCRIPTS.items():
        (tmp_path / ("two.yaml" if problem is TWO else "problem.yaml")).write_text(json.dumps(problem))
        (tmp_path / f"{name}.yaml").write_text(json.dumps(answers))
    return tmp_path


# -- golden files ------------------------------------------------------------------------------------------------------


@for_each("name", SCRIPTS, quick=3, ci=True)
def test_golden_in_the_terminal(name):
    golden("report", name, ".txt", printed(document(name)), *SCRIPTS[name])


def test_golden_hints():
    golden("report", "scale-hints", ".txt", printed(document("scale", hints=True)), *SCRIPTS["scale"])


def test_golden_wide_and_ascii():
    golden("report", "scale-ascii-120", ".txt", printed(document("scale"), 120, "ascii"), *SCRIPTS["scale"])


@pytest.mark.parametrize("name", ["scale", "parts"])
def test_golden_markdown(name):
    golden("report", name, ".md", page("markdown", document(name)), *SCRIPTS[name])


def test_golden_html():
    body = re.search(r"<body>\n(.*)</body>", page("html", document("scale")), re.S)
    golden("report", "scale", ".html", body[1], *SCRIPTS["scale"])


def test_golden_typst_and_latex():
    for medium, ending in (("typst", ".typ"), ("latex", ".tex")):
        found = page(medium, document("scale"))
        start = found.index("Three words", found.index("Three words") + 5 * (medium == "typst"))
        golden("report", "scale", ending, found[start:], *SCRIPTS["scale"])


# -- what is said ------------------------------------------------------------------------------------------------------

SAID = {
    "scale": "s-0417: 7 of 8 points. 3 of 4 written steps are right, 2 of them given your earlier numbers. The first error is in S_scaled. 4 steps are implied.",
    "slip": "3.75 of 8 points. 1 of 2 written steps is right. The first error is in S_scaled. 2 steps are implied. 4 steps are unanswered.",
    "right": "No answered step is wrong. 8 of 8 points. Everything is right.",
    "nothing": "0 of 8 points. Nothing is answered yet.",
}


def test_a_mistake_in_a_step_that_is_left_out_is_told_as_made_there():
    scores = solve(LOOK)["S"].decimals(0)
    report = check(LOOK, {"answers": {"S": scores, "A": _masked_weights(scores)}})
    assert "The first error shows in A; it comes from S_scaled, which is left out." in summary(report, None)


def _masked_weights(scores):
    """Of printed scores, to three decimals."""
    exponentials = [[math.exp(float(x)) * (j <= i) for j, x in enumerate(row)] for i, row in enumerate(scores)]
    return [[f"{x / sum(row):.3f}" for x in row] for row in exponentials]


@for_each("name", SAID)
def test_the_first_line_says_how_it_went(name):
    title, first = document(name).blocks[:2]
    assert (title.text, first.text) == ("Three words look back", SAID[name])


@pytest.mark.parametrize("name", ["three-words-look-back", "rotary-positions", "layer-norm-by-hand"])
def test_law_only_lines_that_earn_points_are_counted_as_right_given_earlier_numbers(name):
    """A step is answered by zeros, and the later lines follow from them."""
    problem = load(name)
    for step in problem.plan.steps():
        zeros = StepAnalysis(problem.plan, step, problem.columns).node(Binary("*", step.tree, Number("0")))
        try:
            report = mark(problem, script(problem, Hand(random.Random(1), 3, "half_up"), {step.key: zeros}))
        except (ZeroDivisionError, ValueError):
            continue
        said = re.search(
            r"(\d+) of \d+ steps? (?:is|are) right(?:, (?:(\d+) of them )?(given))?", summary(report, None)
        )
        counted = sum(bool(one.mark.earned) for one in report.steps if one.verdict == "carried")
        right = int(said[1]) if said else 0
        assert (int(said[2] or right) if said and said[3] else 0) == counted, step.key


def worked(name):
    return [
        (b.lead, b.entry, [(unparse(s.tree), s.exact) for s in b.stages])
        for b in document(name).blocks
        if isinstance(b, Worked)
    ]


ROOTS = {"given": {"x": [[2, 3, 5, 4]]}, "steps": {"A": "sqrt(x)"}}


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ([["1.41", "1.73", "2.23", "2"]], "[ 1.41  1.73  ✗2.23  2 ]  [ 1.41  1.73  →2.24  2 ]"),
        ([["1.42", "1.73", "2.24", "2"]], "[ ✗1.42  1.73  2.24  2 ]  [ →1.41  1.73  2.24  2 ]"),
    ],
)
def test_only_entries_of_other_digits_are_marked(typed, marked):
    """Of a line that is cut or a digit off."""
    assert marked in printed(report_document(check(load(ROOTS), {"answers": {"A": typed}}), solve(load(ROOTS))))


def test_the_solution_has_its_own_digits_where_another_number_was_accepted():
    """3.00 is accepted beside what follows from 2.60; the solution is 3.01 all the same."""
    (z,) = [block for block in document("parts").blocks if isinstance(block, Matrices)][2:]
    solution = z.items[2]
    assert [[cell.text for cell in row] for row in solution.cells[:2]] == [["2.60", "4.00"], ["3.01", "4.41"]]
    assert not any(cell.mark for row in solution.cells[:2] for cell in row)


def test_what_is_not_rounded_in_the_same_way_is_not_called_another_number():
    """An entry is never said to be what stands there already."""
    place = "A[{}, {}]".format
    cut = CellReport(0, 0, "0.41", "0.42", "0.42")
    led = CellReport(1, 0, "0.97", "0.97", "0.96")
    same = CellReport(1, 1, "2", "2.00", "2.00")
    more = {"0.42": "0.4153", "0.97": "0.97"}.get
    assert (
        last_digits([cut], [cut, led, same], place, lambda cell: more(cell.right), False)
        == "A[0, 0]: you wrote 0.41, but 0.4153 rounds to 0.42"
    )
    assert last_digits([cut], [cut, led, same], place, lambda cell: "", False) == "A[0, 0] is 0.42; you wrote 0.41"
    assert (
        last_digits([], [led, same], place, lambda cell: "", False)
        == "A[1, 0]: 0.97 is the right value, but your earlier numbers lead to 0.96"
    )
    assert "not all rounded in the same way" in last_digits([], [same], place, lambda cell: "", False)


def test_one_entry_is_worked_out_both_ways():
    yours, right = worked("scale")
    assert yours == ("yours", "S_scaled[the, the]", [("1 / 2", True), ("0.50", True)])
    assert right[:2] == ("correct", "S_scaled[the, the]") and right[2][0] == ("1 / sqrt(2)", True)


def test_without_a_cause_what_was_typed_stands_for_itself():
    yours, right = worked("rows")
    assert yours == ("yours", "A[the, the]", [("0.57", True)]) and right[2][-1] == ("0.40", False)


def test_formulas_have_sizes_as_numbers():
    assert "S_scaled = S / √2" in printed(document("scale")) and "cols" not in printed(document("rows"))


def test_what_comes_next_is_told_where_nothing_is_wrong():
    assert "Q = X · W_Q   next step" in printed(document("nothing"))
    assert "comes next" not in printed(document("slip"))


def test_marks_stand_in_a_table_where_some_are_lost():
    (table,) = (block for block in document("scale").blocks if isinstance(block, Table))
    assert [(", ".join(map(unparse, row[0])), row[2]) for row in table.rows] == [
        ("Q, K, V", "3 of 3"), ("S", "1 of 1"), ("S_scaled", "0 of 1"), ("S_masked", "1 of 1"), ("A, Z", "2 of 2"),
    ]  # fmt: skip
    assert not any(isinstance(block, Table) for name in ("right", "nothing") for block in document(name).blocks)


@for_each("name", SCRIPTS)
def test_every_heading_has_words(name):
    assert all(block.text for block in document(name).blocks if isinstance(block, Heading))


@for_each("width", [40, 60, 80, 100, 120, 200], quick=3)
@for_each("name", SCRIPTS)
def test_no_line_is_wider_than_the_terminal(name, width):
    assert max(cell_len(line) for line in printed(document(name), width).splitlines()) <= width


# -- hints -------------------------------------------------------------------------------------------------------------


@for_each("medium", ["terminal", *(one for one in PAGES if one != "pdf")], quick=3)
def test_hints_keep_the_right_numbers_back(medium):
    told, hinted = (
        re.search(r"0\.71|2\.12|0\.28|4\.58|0\.7071", body_of(page(medium, document("scale", hints))))
        for hints in (False, True)
    )
    assert told and not hinted


def body_of(text):
    """A page without its style and font."""
    return text[text.index("<body>") :] if "<body>" in text else text


def test_hints_in_json():
    data = json.loads(report_json.write(report_of("scale"), hints=True))
    cells = [cell for part in data["parts"] for step in part["steps"] for cell in step["cells"]]
    assert cells and all(cell["right"] is None and cell["from_own"] is None for cell in cells)
    assert "0.71" in report_json.write(report_of("scale"))


# -- wrong entries, and what belongs there -----------------------------------------------------------------------------

ENTRIES = {
    "terminal": ("✗1.5", "→1.5"),
    "text": ("✗1.5", "→1.5"),
    "latex": (r"\wrong{1.5}", r"\should{1.5}"),
    "typst": ('wrong("1.5")', 'should("1.5")'),
    "markdown": (r"\boxed{1.5}", r"\mathbf{1.5}"),
    "html": (
        'class="wrong"><span class="heard">wrong </span>1.5',
        'class="should"><span class="heard">should be </span>1.5',
    ),
}


def marked(mark, columns=None):
    grid = Grid(Name("yours"), ((Cell("1.5", None, mark), Cell("2")),), None, columns)
    return Document([Heading("t"), Matrices((grid,))])


@for_each("medium", ENTRIES)
def test_wrong_entries_differ_without_colour(medium):
    wrong, should = ENTRIES[medium]
    pages = [body_of(page(medium, marked(mark))) for mark in ("wrong", "should", "")]
    assert [wrong in one for one in pages] == [True, False, False]
    assert [should in one for one in pages] == [False, True, False]


def test_wrong_entries_in_tables_and_for_the_ear():
    assert "| ✗ 1.5 | 2 |" in page("markdown", marked("wrong", ("a", "b")))
    assert "| **1.5** | 2 |" in page("markdown", marked("should", ("a", "b")))
    assert [matrix(marked(mark).blocks[1].items[0]) for mark in ("wrong", "should")] == [
        "yours (1 by 2): row 1: wrong 1.5, 2",
        "yours (1 by 2): row 1: should be 1.5, 2",
    ]


def test_every_mark_in_latex_has_its_macro():
    source = page("latex", document("scale"))
    assert {"\\wrong", "\\should"} <= set(re.findall(r"\\def(\\\w+)", source))


def test_matrices_beside_each_other_are_all_tables_in_markdown():
    """And those of an equation stand in it, up to the result."""
    first, second = (Grid(Name(name), ((Cell("1"), Cell("2")),), None, ("a", "b")) for name in "AB")
    tables = [
        page("markdown", Document([Matrices((first, Sign(sign), second))])).count("| :--- |") for sign in ("", "=")
    ]
    assert tables == [2, 1]


# -- every medium ------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize("target", ["terminal", "json", *PAGES])
def test_a_report_on_every_medium(target, files, monkeypatch, capfdbinary):
    out = typed(["check", "problem.yaml", "scale.yaml", "--to", target], monkeypatch, capfdbinary, code=1)
    assert len(out) > 800 and (target == "pdf" or b"scale-without-root" in out)


@pytest.mark.parametrize(
    ("ending", "start"),
    [(".tex", b"\\doc"), (".typ", b"#set"), (".pdf", b"%PDF"), (".html", b"<!"), (".md", b"# "), (".json", b"{")],
)
def test_the_ending_of_a_report_says_what_is_written(ending, start, files, monkeypatch, capfdbinary):
    typed(["check", "problem.yaml", "right.yaml", "-o", f"report{ending}"], monkeypatch, capfdbinary)
    assert (files / f"report{ending}").read_bytes().lower().startswith(start.lower())


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["check", "problem.yaml", "right.yaml", "-o", "a.svg"],
         f"-o: expected one of .json, {', '.join(PAGES.values())}, found .svg"),
        (["plan", "problem.yaml", "--fragment"], "--fragment works only with --to latex; found --to terminal"),
        (["mistakes", "--to", "svg"], f"--to: expected one of terminal, json, {', '.join(PAGES)}, found 'svg'"),
        (["mistakes", "--to", "html", "--template", "nowhere"],
         "nowhere: expected a folder of templates, found nothing"),
    ],
)  # fmt: skip
def test_what_no_report_can_be(argv, told, files, monkeypatch, capfdbinary):
    assert typed(argv, monkeypatch, capfdbinary, code=2) == [told]


def test_a_page_of_hostile_words():
    words = [word.replace("\n", " ") for word in HOSTILE if word != "\x1b[31m"]
    problem = {
        "title": " ".join(words),
        "parts": {
            "p": {
                "title": words[0],
                "given": {"X": {"rows": words, "values": [[k, 1] for k in range(len(words))]}},
                "steps": {"Y": "X / 4"},
            }
        },
    }
    report = check(
        load(problem), {"student": words[9], "answers": {"p": {"Y": [[k / 2, 0.25] for k in range(len(words))]}}}
    )
    doc = report_document(report, solve(report.problem))
    pages = {medium: page(medium, doc) for medium in ("terminal", *PAGES)}
    assert pages["pdf"].startswith(b"%PDF")
    ElementTree.fromstring(pages["html"].partition("<!DOCTYPE html>")[2].strip())
    assert "<script>" not in pages["html"] and "<script>" not in pages["markdown"]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("problem", ["look-ahead-mask", "two-heads-joined", "translate-two-words"])
def test_a_plan_names_every_step(problem):
    solution = solve(load(problem))
    doc = plan_document(solution, solution.parts)
    rows = [row for block in doc.blocks if isinstance(block, Table) for row in block.rows]
    named = [unparse(row[0][0]) for row in rows]
    assert all(step.name in named for part in solution.parts for step in part.steps)
    assert all(re.fullmatch(r"\d+ × \d+", row[1]) for row in rows)
    for medium in PAGES:
        assert page(medium, doc)


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("problem", problem_names())
def test_a_plan_works_nothing_out(problem, monkeypatch):
    solution = solve(load(problem))
    monkeypatch.setattr("attncalc.step_values.Values.enclosure", None)
    assert plan_document(solution, solution.parts).blocks


def test_plans_and_mistakes_as_they_are_typed(files, monkeypatch, capfdbinary):
    assert b"| $`Q`$ | 3 \xc3\x97 2 | $`X\\, W_{Q}`$ |" in typed(
        ["plan", "problem.yaml", "--to", "markdown"], monkeypatch, capfdbinary
    )
    assert b"S / sqrt(cols(K))" in typed(["plan", "problem.yaml"], monkeypatch, capfdbinary)
    typed(["mistakes", "scale-forgotten", "-o", "scale.pdf"], monkeypatch, capfdbinary)
    assert (files / "scale.pdf").read_bytes().startswith(b"%PDF")


@for_each("medium", PAGES, quick=1)
def test_the_catalogue_on_every_medium(medium):
    text = page(medium, catalogue_document())
    assert medium == "pdf" or all(code in text.replace("\\", "") for code in catalogue())


def test_a_mistake_is_marked_in_its_example():
    doc = mistake_document(catalogue()["scale-forgotten"])
    inputs, matrices = (block for block in doc.blocks if isinstance(block, Matrices))
    assert [str(grid.name.name) for grid in inputs.items if isinstance(grid, Grid)] == ["S"]
    assert {cell.mark for row in matrices.items[-1].cells for cell in row} <= {"wrong", ""}
    assert "✗" in printed(doc) and "cols" not in printed(doc)
    assert "All steps of its lesson: attncalc lessons self_attention" in printed(doc)


def test_what_the_mask_hides_is_a_dot_in_the_example_of_a_mistake():
    doc = mistake_document(catalogue()["mask-after-softmax"])
    right = next(grid for block in doc.blocks if isinstance(block, Matrices) for grid in block.items[:1]
                 if isinstance(grid, Grid) and grid.name.name == "right")  # fmt: skip
    assert [cell.mark for cell in right.cells[0]] == ["", "masked", "masked"]
    assert "−∞" in printed(mistake_document(catalogue()["mask-forgotten"]))


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdflatex")
@pytest.mark.parametrize("what", ["scale", "parts", "plan", "catalogue"])
def test_latex_compiles_without_overfull_lines(what, tmp_path):
    solution = solve(load("translate-two-words"))
    made = {"plan": lambda: plan_document(solution, solution.parts), "catalogue": catalogue_document}
    source = page("latex", made.get(what, lambda: document(what))())
    (tmp_path / "page.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]
    assert not re.findall(r"Overfull .*?\((?:[5-9]|\d\d+)\.\d+pt", done.stdout), done.stdout


# -- several problems in one document ----------------------------------------------------------------------------------


def test_several_problems_make_one_document(files, monkeypatch, capfdbinary):
    both = ["solve", "problem.yaml", "two.yaml", "--explain", "brief"]
    found = {
        to: typed([*both, "--to", to], monkeypatch, capfdbinary).decode()
        for to in ("markdown", "typst", "latex", "html", "json")
    }
    assert re.findall(r"^# (.*)$", found["markdown"], re.M) == ["Three words look back", "Two ways to look"]
    assert found["typst"].count("#pagebreak()") == 1 and '"Three words look back, and 1 more"' in found["typst"]
    assert found["latex"].count(r"\clearpage") == 1
    assert re.findall(r'<a href="#(problem-\d)">([^<]*)</a>', found["html"]) == [
        ("problem-1", "Three words look back"),
        ("problem-2", "Two ways to look"),
    ]
    assert [one["title"] for one in json.loads(found["json"])] == ["Three words look back", "Two ways to look"]


def test_one_problem_has_no_page_break_and_json_of_its_own(files, monkeypatch, capfdbinary):
    assert b"pagebreak" not in typed(["solve", "problem.yaml", "--to", "typst"], monkeypatch, capfdbinary)
    assert (
        json.loads(typed(["solve", "problem.yaml", "--to", "json"], monkeypatch, capfdbinary))["title"]
        == "Three words look back"
    )


def test_the_faults_of_all_problems_are_told(files, monkeypatch, capfdbinary):
    lines = typed(
        ["solve", "problem.yaml", "nowhere.yaml", "nothing.yaml", "-o", "all.pdf"], monkeypatch, capfdbinary, code=2
    )
    assert any("nowhere.yaml" in line for line in lines) and any("nothing.yaml" in line for line in lines)
    assert not (files / "all.pdf").exists()


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdftotext")
def test_each_problem_begins_a_page(files, monkeypatch, capfdbinary):
    typed(["solve", "problem.yaml", "two.yaml", "problem.yaml", "-o", "all.pdf"], monkeypatch, capfdbinary)
    text = subprocess.run(
        ["pdftotext", "-layout", "all.pdf", "-"], cwd=files, capture_output=True, check=True
    ).stdout.decode()
    firsts = [page.strip().splitlines()[0] for page in text.split("\f") if page.strip()]
    assert [line for line in firsts if line in (LOOK["title"], TWO["title"])] == [
        LOOK["title"],
        TWO["title"],
        LOOK["title"],
    ]


def test_errors_of_answers_stay_errors(files, monkeypatch, capfdbinary):
    (files / "bad.yaml").write_text("answers: {S: 1 2 x}")
    with pytest.raises(AttncalcError):
        check(load(LOOK), str(files / "bad.yaml"))
    assert typed(["check", "problem.yaml", "bad.yaml", "-o", "report.pdf"], monkeypatch, capfdbinary, code=2)
    assert not (files / "report.pdf").exists()


@for_each(("answers", "said"), [
    ({"S": [[1, 0], [1, 1], [2, 1]]}, "expected 3 × 3, found 3 × 2"),
    ({"S": 5, "Z": [["1.00", "2.00"], ["2.00", "3.00"], ["2.92", "4.44"]]}, "expected 3 × 3, found 1 × 1"),
    ({"S[0]": [1, 0]}, "“S[0]”: expected 1 × 3, found 1 × 2"),
    ({"S": [[1, 0, 1], [1, 1], [1, 2, 3]]}, "row 2 has 2 entries, row 1 has 3"),
    ({"S": "1 0 1\n1 1 2 3\n1 2 3\n"}, "row 2 has 4 entries, row 1 has 3"),
])  # fmt: skip
def test_a_matrix_of_the_wrong_shape_is_the_first_error(answers, said):
    report = check(load(LOOK), {"answers": answers})
    shown = printed(report_document(report, solve(load(LOOK))))
    assert report.first_wrong.step.name == "S" and said in shown and "first error" in shown
    assert json.loads(report_json.write(report))["first_wrong"] == "S"


# -- sentences ---------------------------------------------------------------------------------------------------------


def told(problem, answers):
    """The report on answers, in the terminal's words."""
    out = io.StringIO()
    found = load({"rounding": {"digits": 2}} | problem)
    write(
        report_document(check(found, {"answers": answers}), solve(found)),
        Console(file=out, width=200, color_system=None),
    )
    return out.getvalue()


def test_rows_are_counted_or_named():
    plain = {"given": {"S": [[1, 2], [3, 0]]}, "steps": {"A": "softmax(S)"}}
    assert "Look again at rows 1 and 2 of A." in told(plain, {"A": [["0.35", "0.65"], ["0.61", "0.39"]]})
    assert "Look again at row 2 of A." in told(plain, {"A": [["0.27", "0.73"], ["0.61", "0.39"]]})
    named = {"given": {"S": {"rows": ["we", "two"], "values": [[1, 2], [3, 0]]}}, "steps": {"A": "softmax(S)"}}
    assert "Look again at the row “two” of A." in told(named, {"A": [["0.27", "0.73"], ["0.61", "0.39"]]})


def test_no_index_is_too_large_or_has_decimals():
    page = told({"given": {"logits": [[1, 4, 2]]}, "next_word": {}}, {"next": "2.00"})
    assert "Look again at next." in page and "→1 " not in page and "→1\n" in page


def test_two_mistakes_at_once_are_not_told_as_two_explanations():
    norm = {"given": {"X": [[1, 3, 5, -1], [2, 2, 0, 4]], "gamma": [2, 1, 1, 3], "beta": [0, 1, -1, 2]}}
    normed = [["-0.45", "0.45", "1.34", "-1.34"], ["0.00", "0.00", "-1.41", "1.41"]]
    page = told(norm | {"layer_norm": {"eps": 0}}, {"normed": normed, "Y": normed})
    assert "Two mistakes together explain these numbers:" in page and "explanations" not in page
    assert "(beta-forgotten)" in page and "(gamma-forgotten)" in page


@pytest.mark.parametrize(("typed_", "count"), [
    (["-2034.00", "404.00", "8062.00"], "Two"), (["-20342.00", "4041.60", "81092.00"], "Three"),
])  # fmt: skip
def test_slips_in_different_entries_are_mistakes_at_once(typed_, count):
    x = [[1017, 2020, 4031]] if count == "Two" else [[10171, 20208, 40951]]
    page = told({"given": {"x": x}, "steps": {"y": "x * 2"}}, {"y": [typed_]})
    assert f"{count} mistakes together explain these numbers:" in page and "explanations" not in page


def test_a_negative_number_is_not_said_to_be_itself():
    tokens = {"given": {"X": [[-2, -1], [-1, -3]]}, "positional_encoding": {}}
    page = told(tokens, {"PE": [["0.00", "1.00"], ["0.84", "0.54"]], "X_pe": [[-2, -1], [-1, -3]]})
    assert "(X_pe)₂,₁ = −1\n" in page


COLUMNS = {"vectors": "columns", "given": {"Q": [[1, 0, 2], [2, 1, -1]], "K": [[1, 0, 2], [3, 1, 0]]}}


@pytest.mark.parametrize(
    ("steps", "answers", "words"),
    [
        ({"S": "K.T @ Q"}, {"S": [[7, 2, 2], [3, 1, 0], [-1, -1, 4]]},
         "computed Qᵀ · K. Columns belong to queries, rows to keys: Kᵀ · Q."),
        ({"S": "K.T @ Q", "A": "softmax_cols(S)"}, {"S": [[7, 3, -1], [2, 1, -1], [2, 0, 4]],
          "A": [["0.98", "0.02", "0.00"], ["0.71", "0.26", "0.04"], ["0.12", "0.02", "0.87"]]},
         "took the softmax along the rows. Each query's weights sum to 1: take the softmax down each column."),
    ],
)  # fmt: skip
def test_where_tokens_are_columns_the_advice_is_for_columns(steps, answers, words):
    assert words in told(COLUMNS | {"steps": steps}, answers)


def test_law_advice_for_columns_turned_once_more_is_that_for_rows():
    for mistake in catalogue().values():
        done, advice = mistake.feedback(columns=True)
        turn = transpose_wording if (done, advice) != mistake.feedback() else str
        assert (turn(done), turn(advice)) == mistake.feedback() == (mistake.done, mistake.advice)


def test_a_line_with_a_fraction_among_its_decimals_still_shows_the_habit():
    problem = load({"given": {"x": [[1, 2]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3"}})
    assert check(problem, {"y": [["0.33", "2/3"]]}).habit == {"digits": 2, "habit": "round"}
    assert check(problem, {"y": [["1/3", "2/3"]]}).habit == {"digits": None, "habit": None}
