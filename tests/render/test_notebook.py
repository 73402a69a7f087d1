"""Solutions, steps, reports and practice show themselves in a notebook."""

from __future__ import annotations

import re
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.practice.notebook import practice
from tests.support.sweeps import for_each

DOCS = Path(__file__).parents[2] / "docs"
TOKENS = {
    "title": "t",
    "given": {"X": {"rows": ["<script>", "$x$"], "values": [[1, 0], [0, "1/3"]]}},
    "steps": {"S": "X @ X.T", "A": "softmax(keep(S, causal(2, 2)))"},
}


def texts(html: str) -> str:
    root = ElementTree.fromstring(html)
    return " ".join("".join(part for element in root if element.tag != "style" for part in element.itertext()).split())


@for_each("problem", ["look-ahead-mask", "encoder-layer-small", "cross-entropy-loss", TOKENS], ids=str, quick=2)
def test_a_solution_shows_its_pages_content_without_a_page(problem):
    solution = solve(load(problem))
    shown = solution._repr_html_()
    assert solution.problem.title in texts(shown) and "<html" not in shown and "<script" not in shown
    assert all(
        f'aria-label="{step.name.replace("_", " ")}' in shown for step in solution.parts[0] if "." not in step.name
    )


@pytest.mark.parametrize(
    ("problem", "step", "latex"),
    [
        (
            TOKENS,
            "S",
            r"$$\displaystyle S = X\, X^{\top} \approx \begin{bmatrix} 1.0000 & 0.0000 \\ 0.0000 & 0.1111 \end{bmatrix}$$",
        ),
        (
            {"given": {"X": [[1, -2]]}, "steps": {"Y": "X / 4"}},
            "Y",
            r"$$\displaystyle Y = \frac{X}{4} = \begin{bmatrix} 0.25 & -0.50 \end{bmatrix}$$",
        ),
        (
            {"given": {"S": [[0, 5], [0, 0]]}, "steps": {"A": "softmax(keep(S, causal(2, 2)))"}},
            "A",
            r"\begin{bmatrix} 1.0 & \cdot \\ 0.5 & 0.5 \end{bmatrix}$$",
        ),
    ],
    ids=["rounded", "exact", "masked"],
)
def test_a_step_as_latex(problem, step, latex):
    assert solve(load({"title": "t"} | problem))[step]._repr_latex_().endswith(latex)


def test_a_step_as_html_is_its_formula_and_its_matrix():
    root = ElementTree.fromstring(solve(load(TOKENS))["A"]._repr_html_())
    cells = [["".join(cell.itertext()) for cell in row.iter("td")] for row in root.find(".//tbody")]
    assert cells == [["1.0000", "·"], ["0.4723", "0.5277"]]
    assert [head.get("aria-label") for head in root.find(".//tbody").iter("th")] == ["row 1: <script>", "row 2: $x$"]


def test_a_report_shows_itself_as_its_page():
    problem = {"title": "t", "given": {"X": [[1, 2]]}, "steps": {"Y": "X * 2"}}
    shown = check(problem, {"answers": {"Y": [[2, 9]]}})._repr_html_()
    assert "The first error is in Y." in texts(shown) and shown.count('class="wrong"') == 1 and "<html" not in shown


@pytest.mark.slow
def test_a_notebook_shows_what_the_guide_says(tmp_path):
    written = (DOCS / "how-to" / "notebooks.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```python\n(.*?)```", written, re.S) for line in block.splitlines() if line]
    solution, step, report, frame = (found["text/html"] for found in shown(lines, tmp_path) if found)
    assert "Three words look back" in texts(solution) and "<table" in step
    assert "The first error is in Q." in texts(report)
    assert re.search(r'<iframe src="http://127.0.0.1:[0-9]+/#token=', frame)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "cell", "seen"),
    [
        ("quarto/attention.qmd", r"```\{python\}\n(.*?)```", ["text/html", "text/latex"]),
        ("jupyter-book/attention.md", r"```\{code-cell\} python3\n(.*?)```", ["text/html"] * 3),
    ],
)
def test_examples_of_books_run(file, cell, seen, tmp_path):
    written = (DOCS / "examples" / file).read_text(encoding="utf-8")
    cells = [re.sub(r"(?m)^(#\|.*|:tags:.*)\n", "", one) for one in re.findall(cell, written, re.S)]
    found = shown([*cells, *re.findall(r"`\{python\} (.*?)`", written)], tmp_path)
    assert [kind in one for kind, one in zip(seen, found, strict=False)] == [True] * len(seen)
    assert found[len(cells) :] == [{"text/plain": "'0.28'"}] * (len(found) - len(cells))


def shown(cells, folder):
    """What the cells of a notebook show, each by media type."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    kept = "import os; os.environ['XDG_DATA_HOME'] = os.getcwd()"  # nobody's own progress
    notebook.cells.insert(0, nbformat.v4.new_code_cell(kept))
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [dict(cell.outputs[-1]["data"]) if cell.outputs else {} for cell in notebook.cells[1:]]


def test_practice_in_a_notebook_is_served_while_the_program_runs(tmp_path):
    frame = practice("self_attention", folder=str(tmp_path))
    page = urllib.request.urlopen(frame.address.partition("#")[0], timeout=30)
    policy = page.headers["content-security-policy"]
    assert page.status == 200 and "x-frame-options" not in page.headers
    assert "frame-ancestors http://localhost:* " in policy and "*." not in policy and "frame-ancestors *" not in policy
    with pytest.raises(AttncalcError, match="did you mean self_attention"):
        practice("self_atention", folder=str(tmp_path))


def test_floating_numbers_have_no_page():
    assert solve(load("look-ahead-mask"), arithmetic="floating")._repr_html_() is None
