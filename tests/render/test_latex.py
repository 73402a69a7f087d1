"""LaTeX: what users write is text and never a command, and the document compiles without overfull lines."""

from __future__ import annotations

import re
import subprocess

import pytest

from attncalc import load, solve
from attncalc.explain.document import ENTRYWISE
from attncalc.explain.solution_document import solution_document
from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Binary, Call, Name
from attncalc.render.latex import write
from attncalc.render.math.tex import escape, formula
from attncalc.resources import problem_names
from tests.support.pages import solved
from tests.support.sweeps import for_each

HOSTILE = [
    r"\input{/etc/passwd}",
    "$x$",
    "#1",
    "100 %",
    "a & b",
    "~^_{}",
    "<script>",
    "猫",
    "🙂",
    "\x1b[31m",
    "\\",
    "ß, é",
]


def page(problem: dict | str, **way: bool | int) -> str:
    solution = solved(problem)
    return write(solution_document(solution, solution.parts, **way))


def hostile_problem() -> dict:
    n = len(HOSTILE)
    rows = [[i, 1] for i in range(n)]
    return {
        "title": " ".join(HOSTILE),
        "ask": HOSTILE[0],
        "given": {"X": {"rows": HOSTILE, "values": rows}},
        "steps": {"A": "softmax(X @ X.T / 50)"},
    }


@for_each("text", HOSTILE)
def test_text_holds_no_command(text):
    escaped = escape(text)
    for harmless in (
        r"\textbackslash{}",
        r"\textasciicircum{}",
        r"\textasciitilde{}",
        r"\textless{}",
        r"\textgreater{}",
    ):
        escaped = escaped.replace(harmless, "")
    assert "\\input" not in escaped
    assert escaped.count("$") == escaped.count(r"\$")


@for_each("name", sorted(functions()))
def test_every_function_has_a_notation(name):
    arguments = tuple(Name("ABCDEF"[k]) for k, p in enumerate(functions()[name].parameters) if p.default is None) or (
        Name("A"),
    )
    text = formula(Call(name, arguments))
    assert all(argument.name in text for argument in arguments)
    assert text.count("{") == text.count("}") and "{}" not in text
    assert len(text.replace(" ", "")) > len("".join(argument.name for argument in arguments))


@for_each(
    ("text", "expected"),
    [
        ("Q @ K.T", r"Q\, K^{\top}"),
        ("A + B", "A + B"),
        ("A - B", "A - B"),
        ("A * B", r"A \cdot B"),
        ("A / B", r"\frac{A}{B}"),
        ("-A", "-A"),
        ("A ** 2", "{A}^{2}"),
        ("(-2) ** 2", r"{\left(-2\right)}^{2}"),
        ("(A / B) ** 2", r"{\left(\frac{A}{B}\right)}^{2}"),
        ("A * -2", r"A \cdot \left(-2\right)"),
        ("A[0]", "A[1]"),
        ("A[:, 0:2]", r"A[{:},\,1{:}2]"),
        ("keep(S, causal(3, 3))", r"S \;\text{where}\; j \le i,\; -\infty \;\text{elsewhere}"),
        ("keep(S, M, fill=-1e9)", r"S \;\text{where}\; M \neq 0,\; -10^{9} \;\text{elsewhere}"),
        ("hstack(Z_1, Z_2)", r"\left[Z_{1} \mid Z_{2}\right]"),
        ("maximum(maximum(a, b), 0)", r"\max\left(a,\, b,\, 0\right)"),
        ("exp(x)", "e^{x}"),
        ("sqrt(d_k)", r"\sqrt{d_{k}}"),
        ("relu(A)", r"\operatorname{ReLU}\left(A\right)"),
        ("row_mean(A)", r"\operatorname{rowmean}\left(A\right)"),
        ("cross_W_Q", r"{W_{Q}^{\text{cross}}}"),
        ("gamma * 7.9e-32", r"\gamma \cdot 7.9 \cdot 10^{-32}"),
    ],
)
def test_notation(text, expected):
    assert formula(parse(text)) == expected


def test_products_entry_by_entry_are_told_from_matrix_products():
    a, b, c = map(Name, "ABC")
    assert formula(Call(ENTRYWISE, (Binary("+", a, b), c))) == r"\left(A + B\right) \circ C"
    assert r"\circ" in page("layer-norm-by-hand")


@pytest.mark.sweep(quick=0)
def test_lessons_inside_are_headings_and_long_ones_are_folded():
    text = page("translate-two-words")
    assert r"\blacktriangleright$ encoder}" in text and "--depth" not in text
    unfolded = page("encoder-layer-small")
    assert r"\blacktriangledown$ norm1}" in unfolded and r"\blacktriangleright" not in unfolded
    assert unfolded.count(r"\begin{inside}") == unfolded.count(r"\end{inside}") == 8


def test_a_masked_weight_is_no_tiny_one():
    text = page("transformers-transforming-our-lives")
    assert text.count(r"& \hidden") >= 6 and r"$\hidden$ exactly 0: masked" in text
    assert r"$7.9 \cdot 10^{-32}$" in text


def test_a_fraction_keeps_its_brackets():
    assert formula(parse("(A + B) * C")) == r"\left(A + B\right) \cdot C"
    assert formula(parse("A - (B - C)")) == r"A - \left(B - C\right)"
    assert formula(parse("-A ** 2")) == "-{A}^{2}"


LARGE = {"title": "t", "given": {"X": "identity(40)"}, "steps": {"Y": "X @ X / 3", "A": "softmax(Y)"}}


@pytest.mark.sweep(quick=1)
@pytest.mark.needs("pdflatex")
@pytest.mark.parametrize("way", [{}, {"exact": True}, {"depth": 9}], ids=str)
@pytest.mark.parametrize("problem", [*problem_names(), "hostile", "large"])
def test_it_compiles_without_overfull_lines(problem, way, tmp_path):
    chosen = {"hostile": hostile_problem(), "large": LARGE}.get(problem, problem)
    text = page(chosen, **way)
    if way and text == page(chosen):
        pytest.skip("the same page")
    (tmp_path / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]
    overfull = re.findall(r"Overfull .*?\((\d+\.\d+)pt", done.stdout)
    assert not [size for size in overfull if float(size) > 5], done.stdout


def in_a_document_with_equal_names(fragment):
    """Return a document that pastes a fragment twice and has commands and colours of the same names, used after it."""
    names = sorted({*re.findall(r"\\def\\([a-z]+)", fragment), "whole"} - {"cr", "endinside"})
    colours = re.findall(r"\\definecolor\{(\w+)\}", fragment)
    assert len(names) > 9 and len(colours) > 3
    commands = "".join(rf"\newcommand{{\{name}}}{{my {name}}}" for name in names)
    mine = "".join(rf"\definecolor{{{colour}}}{{gray}}{{0.123}}" for colour in colours)
    uses = "".join(
        rf"\edef\used{{\{name}}}\def\mine{{my {name}}}\ifx\used\mine\else\errmessage{{{name}}}\fi" for name in names
    )
    packages = r"\documentclass{article}\usepackage{amsmath,amssymb,graphicx,xcolor}"
    return (
        packages + commands + mine + r"\begin{document}" + uses + fragment + uses + fragment + uses + r"\end{document}"
    )


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("pdflatex", "lualatex")]
)
@pytest.mark.parametrize("fragment", [False, True])
def test_both_engines_set_hostile_words_and_fragments_twice(engine, fragment, tmp_path):
    solution = solve(load(hostile_problem()))
    text = write(solution_document(solution, solution.parts), fragment=fragment)
    if fragment:
        text = in_a_document_with_equal_names(text)
    (tmp_path / "page.tex").write_text(text, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]


@for_each(("text", "told"), [
    ("√2", r"$\sqrt{2}$"), ("by √d_k.", r"by $\sqrt{d_{k}}$."), ("√", r"$\sqrt{\ }$"),
    ("√٣", r"$\sqrt{\ }$\texttt{U+0663}"), ("√_", r"$\sqrt{\ }$\_"),
])  # fmt: skip
def test_a_root_in_a_sentence_reaches_over_what_it_is_of(text, told):
    assert escape(text) == told


def test_attention_is_drawn_as_lines_between_words():
    text = page("three-words-look-back")
    picture = text[text.index(r"\begin{picture}") : text.index(r"\end{picture}")]
    assert picture.count(r"\qbezier") == 2 * 6 + 3, "six weights that are not hidden, and the scale"
    assert all(picture.count(f"{word}}}") == 2 for word in ("the", "cat", "sat"))
