"""`attncalc solve --to`, `--explain`, `--template` and `attncalc templates`, as they are typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import attncalc.render
from attncalc import limits, load, solve
from attncalc.cli import cli
from attncalc.cli.document_options import PAGES, PICTURES, Page
from attncalc.explain.document import Formula, Grid, Matrices, Paragraph, Worked
from attncalc.formula.syntax_tree import unparse
from attncalc.render import template_renderer
from attncalc.render.math.speech import formula
from attncalc.resources import folder, problem_names
from tests.support.called import called
from tests.support.pages import document, typed
from tests.support.sweeps import for_each

SMALL = "look-ahead-mask"


# -- what is written ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        (".tex", b"\\documentclass"),
        (".typ", b"#set document"),
        (".pdf", b"%PDF"),
        (".html", b"<!"),
        (".md", b"# "),
        (".json", b"{"),
        (".txt", b"\n "),
    ],
)
def test_the_ending_of_a_file_says_what_is_written(ending, start, tmp_path, monkeypatch, capfdbinary):
    path = tmp_path / f"solution{ending}"
    typed(["solve", SMALL, "-o", path], monkeypatch, capfdbinary)
    assert path.read_bytes().lower().startswith(start.lower())


@pytest.mark.parametrize("target", [*PAGES, "terminal", "json"])
@pytest.mark.parametrize("options", [[], ["--fade", "4"]])
def test_several_problems_share_one_limit_of_time(target, options, monkeypatch):
    """One problem has a limit of its own; the sum of several would have none."""
    monkeypatch.setattr(limits, "RUN", limits.RUN._replace(most=0))
    options = [*options, "--to", target] if target != "json" else ["--to", target]
    assert CliRunner().invoke(cli, ["solve", SMALL, *options]).exit_code == 0
    ended = CliRunner().invoke(cli, ["solve", SMALL, SMALL, *options])
    message = str(ended.exception) + ended.output
    assert ended.exit_code and "together; found " in message and "s used before problem 1 of 2; solve fewer" in message


def test_every_writer_is_listed():
    """`solution_json` and `certificate` write what programs read, and `terminal` prints on a screen of its own."""
    there = {
        path.stem for path in Path(attncalc.render.__file__).parent.glob("*.py") if "\ndef write(" in path.read_text()
    }
    assert there - {"terminal", "solution_json", "report_json", "certificate"} == {*PAGES, *PICTURES}, (
        "PAGES of cli/document_options.py"
    )


@pytest.mark.parametrize("target", PAGES)
def test_every_page_goes_to_standard_output(target, monkeypatch, capfdbinary):
    out = typed(["solve", SMALL, "--to", target], monkeypatch, capfdbinary)
    assert len(out) > 500 and (target == "pdf" or (out.endswith(b"\n") and not out.endswith(b"\n\n")))


@for_each("medium", [one for one in PAGES if one != "pdf"], quick=4)
@for_each("problem", [SMALL, "transformers-transforming-our-lives"])
def test_every_medium_has_the_title_and_every_number(problem, medium):
    """What a new writer must set at least: headings, and the matrices of all steps."""
    shown = document(problem)
    text = re.sub("[−\u2212]|minus", "-", Page(medium).render(shown))
    grids = [
        item for block in shown.flat() if isinstance(block, Matrices) for item in block.items if isinstance(item, Grid)
    ]
    numbers = {cell.text.strip("-−") for grid in grids for row in grid.cells for cell in row if cell.mark != "masked"}
    missing = {number for number in numbers if number[0].isdigit() and number not in text}
    assert shown.titles[0].split()[0] in text and not missing, f"{medium} does not show {sorted(missing)}"


def test_a_fragment_has_no_document_around_it(monkeypatch, capfdbinary):
    out = typed(["solve", SMALL, "--to", "latex", "--fragment"], monkeypatch, capfdbinary).decode()
    assert "documentclass" not in out and out.splitlines()[1] == r"\begingroup" and out.splitlines()[-1] == r"\endgroup"


def test_a_pdf_that_cannot_be_made_leaves_no_file(tmp_path, monkeypatch, capfdbinary):
    (tmp_path / "solution.typ").write_text('#panic("mine")')
    path = tmp_path / "solution.pdf"
    (line,) = typed(["solve", SMALL, "-o", path, "--template", tmp_path], monkeypatch, capfdbinary, code=2)
    assert "Typst cannot typeset this page" in line and "mine" in line and not path.exists()


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--fragment"], "--fragment works only with --to latex; found --to terminal"),
        (["--to", "pdf", "--fragment"], "--fragment works only with --to latex; found --to pdf"),
        (["--to", "typst", "--engine", "latex"], "--engine works only with --to pdf; found --to typst"),
        (["--to", "pdf", "--engine", "latx"], "--engine: expected one of typst, latex, found 'latx'; did you mean "
            "latex?"),
        (["--explain", "breif"], "--explain: expected one of brief, steps, full, found 'breif'; did you mean brief?"),
        (["--to", "text", "--template", "nowhere"], "nowhere: expected a folder of templates, found nothing"),
        (["--to", "text", "--template", ""], "--template: expected a folder of templates, found nothing"),
        (["--to", "text", "--template", "."], ".: expected a folder with at least one of solution.txt, found none of "
            "them; `attncalc templates text -o .` copies the bundled templates"),
    ],
)  # fmt: skip
def test_options_out_of_place_are_told(argv, told, tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    assert typed(["solve", SMALL, *argv], monkeypatch, capfdbinary, code=2) == [told]


# -- templates of one's own --------------------------------------------------------------------------------------------


def media():
    return sorted(path.name for path in folder("templates").iterdir())


def test_templates_say_where_they_are(monkeypatch, capfdbinary):
    lines = typed(["templates"], monkeypatch, capfdbinary).decode().splitlines()
    assert [line.split()[0] for line in lines] == media()


@pytest.mark.parametrize("medium", media())
def test_templates_are_copied_and_never_overwritten(medium, tmp_path, monkeypatch, capfdbinary):
    typed(["templates", medium, "-o", tmp_path / "mine"], monkeypatch, capfdbinary)
    ours = {path.name: path.read_bytes() for path in (folder("templates") / medium).iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()} == ours
    (tmp_path / "mine" / min(ours)).write_text("changed")
    lines = typed(["templates", medium, "-o", tmp_path / "mine"], monkeypatch, capfdbinary, code=2)
    assert len(lines) == len(ours) and all("does not replace it" in line for line in lines)
    assert (tmp_path / "mine" / min(ours)).read_text() == "changed"


def test_templates_are_changed_one_at_a_time(tmp_path, monkeypatch, capfdbinary):
    (tmp_path / "solution.tex").write_text('my page ((( title ))) ((* include "blocks.tex" *))')
    out = typed(["solve", SMALL, "--to", "latex", "--template", tmp_path], monkeypatch, capfdbinary).decode()
    assert out.startswith("my page The look-ahead mask") and "\\bordered" in out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{ ''.__class__.__mro__ }}", "the template fails: access to attribute '__class__' of 'str' object is unsafe"),
        ("\n{% for x in lines %}", "solution.txt:2"),
        ("{{ nothing }}", "the template fails: 'nothing' is undefined"),
        ("{% include 'other.txt' %}", "expected a template other.txt, found none"),
        ("{% include '../../../../etc/passwd' %}", "expected a template ../../../../etc/passwd, found none"),
        ("{{ 1 // 0 }}", "the template fails"),
    ],
)
def test_a_template_has_no_power_and_its_faults_are_told(text, told, tmp_path, monkeypatch, capfdbinary):
    (tmp_path / "solution.txt").write_text(text)
    (line,) = typed(["solve", SMALL, "--to", "text", "--template", tmp_path], monkeypatch, capfdbinary, code=2)
    assert told in line


# -- how much is explained ---------------------------------------------------------------------------------------------


def kinds(problem, explain, kind):
    return [block for block in document(problem, explain=explain).flat() if isinstance(block, kind)]


@for_each("problem", problem_names(), quick=3)
def test_brief_is_formulas_and_matrices(problem):
    assert kinds(problem, "brief", Worked) == []
    assert {p.role for p in kinds(problem, "brief", Paragraph)}.isdisjoint({"check"})
    assert len(kinds(problem, "brief", Formula)) == len(kinds(problem, "steps", Formula))
    assert all(len(block.items) == 1 or block.items[0].text == "given" for block in kinds(problem, "brief", Matrices))


@for_each("problem", ["look-ahead-mask", "two-heads-joined", "layer-norm-by-hand", "self-attention-numerical"], quick=1)
def test_full_works_every_entry(problem):
    full, steps = kinds(problem, "full", Worked), kinds(problem, "steps", Worked)
    assert len(full) > 3 * len(steps)
    assert {block.entry for block in steps} <= {block.entry for block in full}
    assert len({(block.entry, block.stages) for block in full}) > 2 * len(steps)


def test_full_leaves_out_what_the_mask_hides():
    problem = {"given": {"S": [[1, 2], [3, 4]]}, "steps": {"M": "keep(S, causal(2, 2))", "A": "softmax(M)"}}
    assert [block.entry for block in kinds(problem, "full", Worked) if block.entry[0] == "A"] == [
        "A[1, 1]",
        "A[2, 1]",
        "A[2, 2]",
    ]


def test_full_adds_closed_forms_that_are_the_certified_value():
    problem = {"given": {"S": [["sqrt(2)", 0, 1]]}, "steps": {"A": "softmax(S)"}}
    solved = solve(load({"title": "t", **problem, "rounding": {"digits": 12}}))
    for block in kinds(problem, "full", Worked):
        place = int(block.entry[2:-1]) - 1
        for stage in block.stages[:2]:
            formula = {"title": "t", "steps": {"x": unparse(stage.tree)}, "rounding": {"digits": 12}}
            assert solve(load(formula))["x"].decimals() == [[solved["A"].decimals()[0][place]]]


def test_a_softmax_shows_its_exponentials_and_their_sum():
    problem = {"given": {"S": [[1, 2]]}, "steps": {"A": "softmax(S)"}}
    (worked,) = kinds(problem, "steps", Worked)
    assert [formula(stage.tree) for stage in worked.stages][1:] == [
        "7.38906 over (2.71828 plus 7.38906)",
        "7.3891 over 10.1073",
        "0.7311",
    ]


def test_who_looks_where_is_told():
    texts = [p.text for p in kinds("two-heads-joined", "steps", Paragraph)]
    assert "“The” attends most to itself (0.8066); “sat” attends most to “The” (0.5760)" in texts
    assert not any("attends most" in text for text in (p.text for p in kinds("two-heads-joined", "brief", Paragraph)))


def test_an_equation_is_nearly_equal_from_its_first_rounded_side_on():
    from attncalc.explain.document import EquationSide
    from attncalc.formula.parser import parse

    stages = tuple(
        EquationSide(parse(side), exact) for side, exact in (("sqrt(2)", True), ("1.4142", False), ("sqrt(2)", True))
    )
    assert [exact for exact, _ in template_renderer.sides(stages)] == [True, False, False]


@pytest.mark.parametrize(("output", "message"), [("x.docx", "found .docx"), ("problem.yaml", "found .yaml")])
def test_an_output_that_is_no_output(output, message, tmp_path, monkeypatch):
    """An ending that says nothing, and the problem itself, which --force must not replace."""
    from attncalc.errors import AttncalcError

    monkeypatch.chdir(tmp_path)
    text = "given: {S: [[1, 2]]}\nsteps: {A: softmax(S)}\n"
    (tmp_path / "problem.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(AttncalcError, match=message):
        CliRunner().invoke(
            cli, ["solve", "problem.yaml", "-o", output, "--force"], catch_exceptions=False, standalone_mode=False
        )
    with pytest.raises(AttncalcError, match="expected a different file;"):
        CliRunner().invoke(
            cli,
            ["solve", "problem.yaml", "--to", "text", "-o", "problem.yaml", "--force"],
            catch_exceptions=False,
            standalone_mode=False,
        )
    assert (tmp_path / "problem.yaml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("first", "entry", "formula"),
    [
        (None, "Z[the, 2]", "X[1] · W[:, 1:2]"),
        ("1", "Z[the, 2]", "X[1] · W[:, 1:2]"),
        ("0", "Z[the, 1]", "X[0] · W[:, 0:2]"),
    ],
)
def test_rows_and_columns_are_counted_from_1_or_as_programs_count(tmp_path, first, entry, formula):
    """The two columns of a file's `W[:, 0:2]` are the first and the second; what JSON holds is the same."""
    path = tmp_path / "problem.yaml"
    path.write_text(
        "title: t\ngiven: {X: {rows: [the, cat], values: [[1, 2], [3, 4]]}, W: [[1, 2, 3], [4, 5, 6]]}\n"
        "steps: {Z: 'X[-2] @ W[:, 0:cols(X)]', one: 'Z[:, 1:2]'}\n"
    )
    asked = [] if first is None else ["--index", first]
    shown = called("solve", str(path), *asked)[1]
    assert f"{entry} = " in shown and f"Z = {formula}" in shown
    assert f"one = Z[:, {'1:2' if first == '0' else '2'}]" in shown
    assert called("solve", str(path), "--to", "json", *asked)[1] == called("solve", str(path), "--to", "json")[1]
