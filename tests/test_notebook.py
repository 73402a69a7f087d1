"""Solutions and steps show themselves in a notebook."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from attncalc import load, solve
from attncalc.api import check

TOKENS = {"title": "t", "given": {"X": {"rows": ["<script>", "$x$"], "values": [[1, 0], [0, "1/3"]]}}, "steps": {"S": "X @ X.T", "A": "softmax(keep(S, causal(2, 2)))"}}


def texts(html: str) -> str:
    root = ElementTree.fromstring(html)
    return " ".join("".join(part for element in root if element.tag != "style" for part in element.itertext()).split())


@pytest.mark.parametrize("problem", ["look-ahead-mask", "encoder-layer-small", "cross-entropy-loss", TOKENS], ids=str)
def test_a_solution_shows_its_pages_content_without_a_page(problem):
    solution = solve(load(problem))
    shown = solution._repr_html_()
    assert solution.problem.title in texts(shown) and "<html" not in shown and "<script" not in shown
    assert all(f'aria-label="{step.name.replace("_", " ")}' in shown for step in solution.parts[0] if "." not in step.name)


@pytest.mark.parametrize(
    ("problem", "step", "latex"),
    [
        (TOKENS, "S", r"$$\displaystyle S = X\, X^{\top} \approx \begin{bmatrix} 1.0000 & 0.0000 \\ 0.0000 & 0.1111 \end{bmatrix}$$"),
        ({"given": {"X": [[1, -2]]}, "steps": {"Y": "X / 4"}}, "Y", r"$$\displaystyle Y = \frac{X}{4} = \begin{bmatrix} 0.25 & -0.50 \end{bmatrix}$$"),
        ({"given": {"S": [[0, 5], [0, 0]]}, "steps": {"A": "softmax(keep(S, causal(2, 2)))"}}, "A", r"\begin{bmatrix} 1.0 & \cdot \\ 0.5 & 0.5 \end{bmatrix}$$"),
    ],
    ids=["rounded", "exact", "masked"],
)
def test_a_step_as_latex(problem, step, latex):
    assert solve(load({"title": "t"} | problem))[step]._repr_latex_().endswith(latex)


def test_a_step_as_html_is_its_formula_and_its_matrix():
    root = ElementTree.fromstring(solve(load(TOKENS))["A"]._repr_html_())
    cells = [["".join(cell.itertext()) for cell in row.iter("td")] for row in root.find(".//tbody")]
    assert cells == [["1.0000", "·"], ["0.4723", "0.5277"]]
    assert [head.get("aria-label") for head in root.find(".//tbody").iter("th")] == ["row 0: <script>", "row 1: $x$"]


def test_a_report_shows_itself_as_its_page():
    problem = {"title": "t", "given": {"X": [[1, 2]]}, "steps": {"Y": "X * 2"}}
    shown = check(problem, {"answers": {"Y": [[2, 9]]}})._repr_html_()
    assert "The first error is in Y." in texts(shown) and shown.count('class="wrong"') == 1 and "<html" not in shown


def test_floating_numbers_have_no_page():
    assert solve(load("look-ahead-mask"), arithmetic="floating")._repr_html_() is None
