"""LaTeX: what users write is text and never a command, and the document compiles without overfull lines."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from attncalc import load, solve
from attncalc.explain.solution import solution_document
from attncalc.formula.functions import functions
from attncalc.formula.parse import parse
from attncalc.resources import problem_names
from attncalc.write.latex import escape, formula, write

HOSTILE = [r"\input{/etc/passwd}", "$x$", "#1", "100 %", "a & b", "~^_{}", "<script>", "猫", "🙂", "\x1b[31m", "\\", "ß, é"]


def page(problem: dict | str) -> str:
    solution = solve(load(problem))
    return write(solution_document(solution, solution.parts))


def hostile_problem() -> dict:
    n = len(HOSTILE)
    rows = [[i, 1] for i in range(n)]
    return {"title": " ".join(HOSTILE), "ask": HOSTILE[0], "given": {"X": {"rows": HOSTILE, "values": rows}}, "steps": {"A": "softmax(X @ X.T / 50)"}}


@pytest.mark.parametrize("text", HOSTILE)
def test_text_holds_no_command(text):
    escaped = escape(text)
    for harmless in (r"\textbackslash{}", r"\textasciicircum{}", r"\textasciitilde{}", r"\textless{}", r"\textgreater{}"):
        escaped = escaped.replace(harmless, "")
    assert "\\input" not in escaped
    assert escaped.count("$") == escaped.count(r"\$")


@pytest.mark.parametrize("name", sorted(functions()))
def test_every_function_has_a_notation(name):
    assert name.replace("_", r"\_") in formula(parse(f"{name}(A)")) or name in ("sqrt", "exp", "abs")


def test_a_fraction_keeps_its_brackets():
    assert formula(parse("(A + B) * C")) == r"\left(A + B\right) \cdot C"
    assert formula(parse("A - (B - C)")) == r"A - \left(B - C\right)"
    assert formula(parse("-A ** 2")) == "-{A}^{2}"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("problem", [*problem_names(), "hostile"])
def test_it_compiles_without_overfull_lines(problem, tmp_path):
    (tmp_path / "page.tex").write_text(page(hostile_problem() if problem == "hostile" else problem), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]
    assert "Overfull" not in done.stdout
