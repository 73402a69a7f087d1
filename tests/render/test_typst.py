"""Typst and PDF: what users write is text and never a command, every formula can be heard, nothing stands beside the
page.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata
from itertools import accumulate

import pytest
import typst

from attncalc.errors import AttncalcError
from attncalc.explain.document import ENTRYWISE
from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Binary, Call, Name
from attncalc.render import pdf
from attncalc.render import typst as typst_source
from attncalc.render.math import speech
from attncalc.render.math.typst_formula import formula, quoted, sentence
from attncalc.render.typst import pair_blocks
from attncalc.render.typst_compiler import page_count
from attncalc.render.wrap import clean
from attncalc.resources import problem_names
from tests.support.called import called
from tests.support.pages import HOSTILE, SHOWN, golden, hostile, page
from tests.support.sweeps import for_each

LARGE = {"title": "t", "given": {"X": "identity(40)"}, "steps": {"Y": "X @ X / 3", "A": "softmax(Y)"}}
WIDE = {"title": "t", "given": {"X": "ones(2, 20)"}, "rounding": {"digits": 8}, "steps": {"Y": "X / 3"}}
EXACT = {"title": "t", "given": {"S": [["sqrt(2)", "1/3"], [0, "ln(3)"]]}, "steps": {"A": "softmax(S)", "Z": "A @ S"}}


WIDTHS = """
#let width(said, line, ..) = context [#metadata((widest(said).to-absolute().pt(), measure(math.equation(math.display(line.body))).width.pt())) <width>]
#let (formula, worked) = (width, width)
#let beside(kind, matrix, other) = matrix + other
"""


@for_each("name", problem_names(), quick=5)
def test_law_no_formula_is_wider_than_its_words_allow(name):
    """A formula that surely fits its line is not measured."""
    source = called("solve", name, "--to", "typst")[1]
    widths = pdf.typst_values(source.replace("\n#title(", f"\n{WIDTHS}#title(", 1), "<width>", alone=False)
    assert bool(widths) == ("\n#formula(" in source)
    assert all(width <= widest for widest, width in widths)


@for_each("name", SHOWN, quick=5)
def test_golden(name):
    """The page without its looks, which come before the title."""
    _, title, body = page("typst", *SHOWN[name]).partition("#title(")
    golden("typst", name, ".typ", title + body, SHOWN[name][0])


def calls():
    for name, function in sorted(functions().items()):
        arguments = tuple(Name("ABCDEF"[k]) for k, p in enumerate(function.parameters) if p.default is None) or (
            Name("A"),
        )
        yield pytest.param(Call(name, arguments), id=name)


@for_each("call", list(calls()))
def test_every_function_has_a_notation(call):
    for text in (formula(call), speech.formula(call)):
        assert all(argument.name in text for argument in call.arguments)
        assert "{}" not in text


def test_every_notation_is_typst():
    lines = [
        f"#math.equation(${formula(call.values[0])}$.body, alt: {quoted(speech.formula(call.values[0]))})"
        for call in calls()
    ]
    assert pdf.by_typst('#set document(title: "all")\n' + "\n\n".join(lines)).startswith(b"%PDF")


@for_each(
    ("text", "expected"),
    [
        ("softmax(Q @ K.T / sqrt(d_k)) @ V", 'op("softmax") (frac(Q thin K^top, sqrt(d_(k)))) thin V'),
        ("A - (B - C)", "A - (B - C)"),
        ("A * -2", "A dot (-2)"),
        ("(A / B) ** 2", "(frac(A, B))^(2)"),
        ("A[:, 0:2]", 'A[":"\\,1":"2]'),
        ("keep(S, causal(3, 3))", 'S quad "where" j <= i\\, -infinity "elsewhere"'),
        ("hstack(Z_1, Z_2)", "[Z_(1) mid(|) Z_(2)]"),
        ("maximum(maximum(a, b), 0)", "max (a\\, b\\, 0)"),
        ("cross_W_Q", 'W_(Q)^("cross")'),
        ("gamma * 7.9e-32", "gamma dot 7.9 dot 10^(-32)"),
        ("S_scaled_1 + W_Q_2", 'S_("scaled",1) + W_(Q,2)'),
    ],
)
def test_notation(text, expected):
    assert formula(parse(text)) == expected


def test_products_entry_by_entry_are_told_from_matrix_products():
    a, b, c = map(Name, "ABC")
    tree = Call(ENTRYWISE, (Binary("+", a, b), c))
    assert formula(tree) == "(A + B) compose C"
    assert speech.formula(tree) == "(A plus B) times entry by entry C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q @ K.T / sqrt(d_k)", "Q times K transposed over the square root of (d k)"),
        ("x ** 2 - 7.9e-32", "x to the power of 2 minus 7.9 times 10 to the power of minus 32"),
        ("-2.5 * inf", "minus 2.5 times infinity"),
    ],
)
def test_formulas_can_be_heard(text, expected):
    assert speech.formula(parse(text)) == expected


def test_matrices_are_heard_with_their_labels():
    text = page("typst", "look-ahead-mask")
    assert re.search(r'"\w+ \(\d by \d\): columns [^"]*; \w+: ', text)


# -- texts -------------------------------------------------------------------------------------------------------------


def test_quotes_hold_any_text():
    source = f"#metadata(({', '.join(map(quoted, HOSTILE))})) <told>"
    told = typst.Compiler(source.encode()).query("<told>", field="value", one=True)
    assert json.loads(told) == [clean(text) for text in HOSTILE]


def test_a_sentence_has_its_powers_of_ten_as_formulas():
    assert (
        sentence("short of 7.9e-32!")
        == '"short of " + maths("7.9 times 10 to the power of minus 32", $7.9 dot 10^(-32)$) + "!"'
    )
    assert sentence("") == '""'


@pytest.mark.sweep(quick=0)
def test_nothing_that_users_write_is_obeyed():
    source = page("typst", hostile())
    assert pdf.by_typst(source).startswith(b"%PDF")
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', source.partition("#title(")[2])
    for word in ("panic", "input", "script", "猫", "item", "7 * 7"):
        assert word not in outside


@pytest.mark.parametrize("title", ["猫が 🙂", "‎עברית ไทย", "⠿ ♞ ᚠ ⟨ℵ⟩ → ∮ \ue000 \u0301x \u202e \ufffe", "𝔘𝔫 ½ ﬁ ﷽"])
def test_a_page_in_any_script(title):
    assert pdf.by_typst(page("typst", {"title": title, "given": {"x": 1}, "steps": {"y": "x / 3"}})).startswith(b"%PDF")


# -- pages -------------------------------------------------------------------------------------------------------------


def words(data, tmp_path):
    """The words of each page with their left and right ends, as pdftotext finds them."""
    (tmp_path / "page.pdf").write_bytes(data)
    told = subprocess.run(
        ["pdftotext", "-bbox", tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True
    ).stdout
    return [
        (float(left), float(right), word)
        for left, right, word in re.findall(r'xMin="([\d.]+)" yMin=\S+ xMax="([\d.]+)"[^>]*>([^<]*)<', told)
    ]


@pytest.mark.sweep(quick=1)
@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("problem", [*problem_names(), "hostile", "large", "wide", "exact"])
def test_every_problem_is_a_page_that_can_be_heard_and_nothing_stands_beside_it(problem, tmp_path):
    """PDF/UA-1 refuses a formula without words, and headings that skip a level."""
    chosen = {"hostile": hostile(), "large": LARGE, "wide": WIDE, "exact": EXACT}.get(problem, problem)
    explain = "full" if problem in ("exact", "look-ahead-mask") else "steps"
    data = pdf.by_typst(page("typst", chosen, explain=explain))
    assert b"pdfuaid" in data or b"/MarkInfo" in data
    found = words(data, tmp_path)
    margin, width = 62, 595.3
    assert len(found) > 10
    assert [word for word in found if word[0] < margin - 1 or word[1] > width - margin + 2] == []


HEADS = [
    ("transformers-transforming-our-lives", "masked"), ("three-words-look-back", None), ("strict-mask", "strict"),
    ("strict-mask", "usual"), ("key-value-cache", "whole"),
]  # fmt: skip


@for_each(("problem", "part"), HEADS, quick=1)
def test_the_solution_of_a_masked_head_fits_on_two_pages(problem, part):
    assert len(typst.compile(page("typst", problem, part).encode(), format="svg")) == 2


def test_what_belongs_to_a_matrix_may_stand_beside_it():
    kinds = ["formula", "matrices", "worked", "check", "picture", "formula", "matrices", "hidden", "matrices"]
    made = [{"kind": kind} for kind in kinds]
    told = [block["kind"] for block in pair_blocks(made)]
    beside = ["beside", "matrices", "between", "picture", "besides"]
    assert told[:8] == ["formula", *beside, "worked", "check"]
    assert told[8:] == ["formula", "beside", "matrices", "between", "hidden", "besides", "matrices"]


@pytest.mark.needs("pdftotext")
def test_what_stands_beside_the_page_is_found(tmp_path):
    page = '#set document(title: "t")\n#set page(paper: "a4", margin: 22mm)\n#pad(right: -50pt, align(right)[beside])'
    assert max(right for _, right, _ in words(pdf.by_typst(page), tmp_path)) > 540


def test_the_same_source_is_the_same_file():
    source = page("typst", "strict-mask")
    assert pdf.by_typst(source) == pdf.by_typst(source)


def test_what_typst_refuses_is_told_in_a_line():
    with pytest.raises(AttncalcError, match=r"Typst cannot typeset this page: .*panicked"):
        pdf.by_typst('#panic("no")')


def test_a_page_reads_no_other_file(tmp_path):
    (tmp_path / "secret").write_text("x")
    with pytest.raises(AttncalcError):
        pdf.by_typst(f'#set document(title: "t")\n#read("{tmp_path}/secret")')


EVERY_BLOCK = "".join(chr(code) for code in (*range(0xA1, 0xD800, 0x3D), *range(0xE000, 0x20000, 0x2F3)))


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("length", [1, 7, 80, len(EVERY_BLOCK)])
def test_law_signs_of_any_script_take_few_runs_and_codes_replace_those_without_a_glyph(length, monkeypatch):
    """Typst's message names the first text that it cannot show, so each such text would need a run of its own."""
    runs, coded = [], []
    compiled = pdf.compiled
    monkeypatch.setattr(pdf, "compiled", lambda *page, **options: runs.append(page) or compiled(*page, **options))
    for first in range(0, len(EVERY_BLOCK), max(length, len(EVERY_BLOCK) // 4)):
        signs = EVERY_BLOCK[first : first + length]
        lines = "\n\n".join(f"#{quoted(f'a{sign}b')}" for sign in signs)
        page = f'#set document(title: "t")\n{lines}'
        assert pdf.by_typst(page, unset=coded.append).startswith(b"%PDF")
        assert len(runs) <= 5
        marks = "".join(sign for sign in page if unicodedata.category(sign)[0] == "M")
        lacking = pdf.missing_glyphs("".join(sign for sign in page if not sign.isascii()))
        assert set(lacking) <= set("".join(coded)) <= set(lacking + marks)
        runs.clear()
        coded.clear()


# -- by LaTeX ----------------------------------------------------------------------------------------------------------


def test_latex_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(AttncalcError, match="pdflatex is not installed"):
        pdf.by_latex("")


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdflatex")
def test_latex_makes_the_same_pages():
    assert page("pdf", "strict-mask", engine="latex").startswith(b"%PDF")


@pytest.mark.needs("pdflatex")
def test_latex_has_no_shell_and_reads_no_other_file(tmp_path):
    (tmp_path / "secret").write_text("x")
    page = r"\documentclass{article}\begin{document}%s\end{document}"
    pdf.by_latex(page % rf"x\immediate\write18{{touch {tmp_path}/made}}")
    assert not (tmp_path / "made").exists()
    with pytest.raises(AttncalcError, match="pdflatex fails"):
        pdf.by_latex(page % rf"\input{{{tmp_path}/secret}}")


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdflatex")
def test_latex_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(pdf, "SECONDS", 1)
    with pytest.raises(AttncalcError, match="has not ended after 1 seconds"):
        pdf.by_latex(r"\documentclass{article}\begin{document}\loop\iftrue\repeat\end{document}")


def test_a_long_solution_is_set_within_limits_of_time_and_memory(tmp_path, monkeypatch):
    """A PDF takes memory for each of its numbers, so a long one is set in a process that has a limit."""
    steps = "".join(f"  A{k}: 'sinusoidal(30, 30) / {k + 2}'\n" for k in range(60))
    (tmp_path / "long.yaml").write_text(f"title: t\nsteps:\n{steps}", encoding="utf-8")
    monkeypatch.setattr("attncalc.processor_limit.MOST_MEMORY", 150_000_000)
    code, out, err = called("solve", tmp_path / "long.yaml", "--explain", "brief", "-o", tmp_path / "long.pdf")
    assert (code, out) == (2, "") and not (tmp_path / "long.pdf").exists()
    assert "expected a PDF that is typeset in 150 MB of memory, found one that needs more; write .html, or" in err
    assert called("solve", tmp_path / "long.yaml", "--step", "A7", "-o", tmp_path / "long.pdf")[0] == 0


def test_law_the_pdf_of_many_problems_has_the_pages_of_each_in_their_order(tmp_path, monkeypatch):
    """All at once took 4 GB for a hundred problems; so the problems of a long file are set one by one."""
    names = ["look-ahead-mask", "hi-how-are-you", "softmax-jacobian"] * 3
    first_pages, write = [], typst_source.write

    def noted(document, template=None, first_page=1):
        first_pages.append(first_page)
        return write(document, template, first_page)

    monkeypatch.setattr(pdf, "LONG", 30_000)
    monkeypatch.setattr(typst_source, "write", noted)
    assert called("solve", *names, "-o", tmp_path / "all.pdf")[0] == 0
    measured = len(first_pages) - len(names)
    assert measured <= 4, "a frame, and the few problems that show that the page is long"
    counts = []
    for name in names[:3]:
        assert called("solve", name, "-o", tmp_path / f"{name}.pdf")[0] == 0
        counts.append(page_count((tmp_path / f"{name}.pdf").read_bytes()))
    counts *= 3
    assert first_pages[measured : measured + len(names)] == list(accumulate([1, *counts[:-1]]))
    assert page_count((tmp_path / "all.pdf").read_bytes()) == sum(counts) > len(names)
