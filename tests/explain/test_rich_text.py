"""Emphasis and formulas in what authors write: nothing that was typed reaches a medium as a command of it, and all
words stay.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.explain.inline_math import COMMANDS as READ
from attncalc.explain.inline_math import FUNCTIONS, SIGNS, UnknownFormula, maths
from attncalc.explain.rich_text import Emphasis, Maths, Plain, Strong, prose, unreadable_formulas
from attncalc.render.html import Html
from attncalc.render.latex import LatexMedium
from attncalc.render.markdown import _Markdown
from attncalc.render.math import single_line
from attncalc.render.math.inline import LineTerms
from attncalc.render.pdf import by_latex, by_typst
from attncalc.render.typst import TypstMedium
from tests.support.called import called
from tests.support.laws import examples
from tests.support.pages import HOSTILE
from tests.support.sweeps import for_each

# What LaTeX is given for formulas and for escaped words; a command that is none of these was typed by somebody.
COMMANDS = {*(name for name in SIGNS if name.isalpha()), *FUNCTIONS, *(
    ["frac", "sqrt", "mathrm", "text", "mathbb", "mathbf", "boldsymbol", "textbf", "emph", "textbackslash",
     "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "symbol", "texttt", "left", "right",
     "operatorname", "surd", "infty", "varepsilon", "varsigma", "neg", "cdot", "le", "ge", "approx", "to", "top",
     "begin", "end", "bmatrix", "sum", "mid", "lfloor", "rfloor", "lceil", "rceil", "max", "min", "log", "ln", "sin",
     "cos", "tanh", "exp", "det", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
     "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta",
     "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "bigl", "bigr", "lvert", "rvert",
     "lVert", "rVert", "dots", "ldots", "middle", "overline", "circ", "ne", "times", "div", "Rightarrow", "rightarrow",
     "Bigl", "Bigr", "big", "quad", "qquad", "odot", "vert", "Vert", "ast", "ell", "prime", "partial", "nabla", "star",
     "textstyle", "displaystyle", "underline", "leftarrow", "lt", "gt", "lnot", "land", "lor", "wedge", "vee", "mathit",
     "mathsf", "hat", "tilde", "relax", "enspace", "thinspace", "operatornamewithlimits", "limits"]
)}  # fmt: skip
NOT_OURS = [
    "input",
    "write",
    "def",
    "immediate",
    "openout",
    "csname",
    "catcode",
    "include",
    "read",
    "loop",
    "href",
    "url",
    "usepackage",
    "newcommand",
]
PIECES = ["$", "*", "**", "\\", "{", "}", "^", "_", "\\sqrt", "\\frac", "\\alpha", "\\input{x}", "\\write18{ls}", "<b>",
          "#x", "`", "x", "d_k", "2", " ",
          "K^T", "softmax(S)", "&", "%", "@", "]", "\"", "\n", "\\mathbb{R}", "\\text{a b}", "'", "≤", "é", "=", "(",
          ")", ",", "\\left(", "\\end"]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@for_each("text, line, tex", [
    ("$d_k$", "d_k", "$d_{k}$"),
    ("$S = Q @ K.T$", "S = Q · Kᵀ", r"$S=Q\, K^{\top}$"),
    (r"$Q K^\top$", "QKᵀ", r"$Q{K}^{\top }$"),
    ("$QK^T$", "QKᵀ", r"$Q{K}^{\top }$"),
    (r"$X \in \mathbb{R}^{n \times d}$", "X ∈ ℝ^(n × d)", r"$X\in {\mathbb{R}}^{n\times d}$"),
    (r"$\frac{1}{\sqrt{d_k}}$", "1/√d_k", r"$\frac{1}{\sqrt{{d}_{k}}}$"),
    (r"$x_i^2 \leq \alpha$", "x_i² ≤ α", r"${x}_{i}^{2}\le \alpha $"),
    (r"$\mathbf{W}_Q$", "W_Q", r"${\mathbf{W}}_{Q}$"),
    (r"$d_{model} = \text{d model}$", "d_model = d model", r"${d}_{model}=\text{d model}$"),
    ("$e^{-x}$", "e^(−x)", "${e}^{-x}$"),
])  # fmt: skip
def test_formulas_in_sentences(text, line, tex):
    (piece,) = prose(text)
    assert isinstance(piece, Maths)
    assert LineTerms(single_line.UNICODE).set(piece.terms) == line
    assert LatexMedium().prose(text) == tex


@for_each("text", [
    "costs $5 and $6", "2 * 3 * 4", "a*b*c", "$ x $", "$$", "****", "**", r"$\input{/etc/passwd}$", r"$\write18{ls}$",
    r"$\def\x{y}$", "$x^$", "${$",
    "$}$", "$x^1^2$", "$^2$", r"$\mathbb{7}$", r"$\text{\input{x}}$", r"$\unknown$", "$" + "x" * 400 + "$",
    "$" + "{" * 40 + "}" * 40 + "$", "$#$",
])  # fmt: skip
def test_what_is_no_mark_and_no_known_formula_stands_as_it_was_typed(text):
    assert prose(text) == (Plain(text),)


def test_strong_and_emphasised_words():
    assert prose("is **not *so* $x$**, *yes*") == (
        Plain("is "), Strong((Plain("not "), Emphasis((Plain("so"),)), Plain(" "), *prose("$x$"))), Plain(", "),
        Emphasis((Plain("yes"),)),
    )  # fmt: skip
    assert prose(r"\*no\* \$x\$") == tuple(map(Plain, ("*no", "* ", "$x", "$")))


@given(texts)
@examples(400)
def test_no_command_that_was_typed_reaches_latex(text):
    told = LatexMedium().prose(text).replace(r"\textbackslash{}", "")
    found = set(re.findall(r"\\([A-Za-z]+)", told))
    assert found <= COMMANDS and not found & {*NOT_OURS}
    assert told.count("$") % 2 == told.count(r"\$") % 2


@given(texts)
@examples(400)
def test_a_page_has_no_tag_but_ours(text):
    told = Html().prose(text)
    assert not re.sub(r"</?(strong|em|math|mrow|m[a-z]+)( [a-z]+=\"[^\"<>]*\")*>", "", told).count("<")


@given(texts)
@examples(400)
def test_known_formulas_are_read_and_all_else_is_refused(text):
    try:
        terms = maths(text)
    except UnknownFormula:
        return
    assert (
        LineTerms(single_line.ASCII).set(terms).isascii()
        or not text.isascii()
        or "\N{RIGHT SINGLE QUOTATION MARK}" in text
    )


@given(texts)
@examples(200)
def test_words_stay(text):
    said = "".join(_words(prose(text)))
    assert not prose(text) or set(re.sub(r"[\s$*\\]", "", said)) <= {*text}


def _words(pieces):
    for piece in pieces:
        if isinstance(piece, Plain):
            yield piece.text
        elif isinstance(piece, Strong | Emphasis):
            yield from _words(piece.inside)


def test_long_texts_are_read_in_the_time_of_their_length():
    for unit in ("*a ", "**a ", "$a ", "*a **b ", "$a*b**c ", "\\$"):
        assert prose(unit * (20_000 // len(unit)))
        assert prose(unit * 200_000)


TRIED = [*HOSTILE, "".join(PIECES), *(rf"$\{name}$" for name in [*SIGNS, *NOT_OURS]),
         r"$f(x) = \frac{(a, b; c]}{\sqrt{[x)}}$ **b** *i*", r"$|x|$ and $\|x\|$",
         r"$\alpha_{ij} = \text{softmax}(s_{ij}), i \le n; x' - 1 / 2!$", "$softmax(Q @ K.T / sqrt(d_k))$",
         "$-x^{n+1} * 2$", "$A[0, 1:2]$"]  # fmt: skip


def test_typst_sets_every_known_sign_and_every_hostile_word():
    told = [f"#block({TypstMedium().prose(text)})" for text in TRIED]
    head = '#set document(title: "T")\n#let maths(said, it) = math.equation(alt: said, it.body)\n'
    assert by_typst(head + "\n".join(told)).startswith(b"%PDF")


@pytest.mark.needs("pdflatex")
def test_latex_sets_every_known_sign_and_every_hostile_word():
    body = "\n\n".join(LatexMedium().prose(text) for text in TRIED)
    page = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{lmodern,amsmath,amssymb,graphicx,xcolor}"
    assert by_latex(f"{page}\\begin{{document}}\n{body}\n\\end{{document}}").startswith(b"%PDF")


def test_markdown_keeps_marks_of_lists_and_headings_out():
    write = _Markdown().prose
    assert (
        write("- no list **x**").startswith("\\- no list <strong>x</strong>")
        and write("see $d_k$. So") == "see $`d_{k}`$. So"
    )


@for_each("command", sorted(READ - {*SIGNS} | {one for one in SIGNS if one.isalpha()}))
def test_every_command_that_counts_as_known_is_read(command):
    texts = [rf"$x \{command}{arguments}$" for arguments in ("", "{R}", "{R}{R}", " R")]
    assert any(isinstance(prose(text)[0], Maths) and not [*unreadable_formulas(text)] for text in texts)


@for_each("text, found", [
    (r"is $\sqrtt{d}$ and $\foo$", [(4, "sqrtt"), (20, "foo")]), (r"$5 and $\alphaa$", [(8, "alphaa")]),
    (r"$\frac{1}$", [(0, "")]), (r"$5 and $10 and \foo", []), (r"\$\foo$", []), ("$x +$ and $2 $", []), (r"$\alpha$", []),
])  # fmt: skip
def test_a_formula_that_stays_as_it_was_typed_is_found_with_its_command(text, found):
    assert [*unreadable_formulas(text)] == found


def test_the_exam_warns_once_of_such_a_formula_with_its_place(tmp_path):
    """It was printed raw on every paper, in any place of the sheet where formulas may stand."""
    sheet = tmp_path / "s.yaml"
    sheet.write_text(r"""instructions: ["Use $\\sqrtt{2}$"]
questions:
  - ask: What is $\foo$?
    choices:
      - right: "$\\inn$"
      - {wrong: b, because: "$5 and $\\sqrt{x}$"}
""")
    code, _, told = called("exam", sheet, "-o", tmp_path / "out", "--to", "latex", "--jobs", 2)
    said = ", so it is printed as typed"
    lines = [line for line in told.splitlines() if said in line]
    assert code == 0 and len(lines) == 3
    assert lines[0] == rf"{sheet}:1:22: warning: \sqrtt is unknown{said}; did you mean \sqrt?"
    assert lines[1].startswith(rf"{sheet}:3:19: warning: \foo is unknown") and lines[2].startswith(f"{sheet}:5:18: ")
