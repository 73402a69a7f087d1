"""Formulas in every medium: brackets where a reader would otherwise read another number, masks in words, names of all
kinds.
"""

from __future__ import annotations

import re

import pytest

from attncalc import load, solve
from attncalc.explain import report_messages
from attncalc.explain.solution_document import solution_document
from attncalc.explain.textbook_formulas import SIGNS
from attncalc.formula.functions import functions
from attncalc.formula.parser import OPERATORS, parse
from attncalc.formula.syntax_tree import COMPARISONS, Call, Name, Number
from attncalc.render import pdf
from attncalc.render.math import github_markdown, mathml, sentence_markup, single_line, speech, tex, typst_formula
from attncalc.render.math.printer import NAMES as FUNCTIONS
from tests.support.sweeps import for_each

SETTERS = [
    single_line.UNICODE,
    single_line.ASCII,
    speech.SPEECH,
    tex.TEX,
    github_markdown.GITHUB,
    typst_formula.TYPST,
    mathml.MATHML,
]


@for_each("setter", SETTERS)
@for_each("name", [report_messages.FOLLOWS, report_messages.NEXT])
def test_names_of_several_words_keep_their_spaces(setter, name):
    """Inside \\mathrm TeX drops them: "expectedfromyournumbers"."""
    told = setter.formula(Name(name))
    assert name in told and "mathrm" not in told


MEDIA = {
    "unicode": single_line.formula,
    "ascii": single_line.ASCII.formula,
    "tex": tex.formula,
    "typst": typst_formula.formula,
    "markdown": github_markdown.formula,
    "spoken": speech.formula,
}
BRACKETS = {
    "1e-7**2": {
        "unicode": "(10⁻⁷)²", "ascii": "(1e-7)^2", "tex": r"{\left(10^{-7}\right)}^{2}", "typst": "(10^(-7))^(2)",
        "markdown": r"{\left(10^{-7}\right)}^{2}", "spoken": "(1 times 10 to the power of minus 7) to the power of 2",
    },
    "2.5e-7**2": {"unicode": "(2.5·10⁻⁷)²", "tex": r"{\left(2.5 \cdot 10^{-7}\right)}^{2}",
        "typst": "(2.5 dot 10^(-7))^(2)"},
    "3/2.5e-7": {
        "unicode": "3 / (2.5·10⁻⁷)", "tex": r"\frac{3}{2.5 \cdot 10^{-7}}",
        "spoken": "3 over (2.5 times 10 to the power of minus 7)",
    },
    "1/3/2e-7": {"unicode": "1 / 3 / (2·10⁻⁷)"},
    "3/1e-7": {"unicode": "3 / 10⁻⁷", "spoken": "3 over (1 times 10 to the power of minus 7)"},
    "2.5e-7/3": {"unicode": "2.5·10⁻⁷ / 3"},
    "3*2e-7": {"unicode": "3 · 2·10⁻⁷"},
    "x**1e-7": {"unicode": "x^(10⁻⁷)", "tex": "{x}^{10^{-7}}"},
    "sqrt(2e-7)": {"unicode": "√(2·10⁻⁷)", "tex": r"\sqrt{2 \cdot 10^{-7}}"},
    "sqrt(2)**2": {"unicode": "(√2)²", "tex": r"{\sqrt{2}}^{2}"},
    "a - 2e-7": {"unicode": "a − 2·10⁻⁷"},
    "-2e-7 * x": {"unicode": "−2·10⁻⁷ · x"},
    "exp(x)**2": {"unicode": "exp(x)²", "tex": r"{\left(e^{x}\right)}^{2}", "typst": "(e^(x))^(2)"},
    "exp(X).T": {"unicode": "exp(X)ᵀ", "tex": r"\left(e^{X}\right)^{\top}", "typst": "(e^(X))^top"},
    "a * b % c + 1": {"unicode": "((a · b) mod c) + 1", "tex": r"\left(\left(a \cdot b\right) \bmod c\right) + 1",
        "typst": "((a dot b) mod c) + 1", "spoken": "((a times b) modulo c) plus 1"},
    "-a // 2 * x": {"unicode": "⌊−a / 2⌋ · x", "ascii": "floor(-a / 2) * x"},
    "X.T**2": {"unicode": "(Xᵀ)²", "tex": r"{\left(X^{\top}\right)}^{2}"},
}  # fmt: skip


ENTRIES = {  # a name, a place as formula.typed_formula names it, and the entry in Unicode, ASCII, speech, TeX and MathML
    ("Q", "[1, 2]"): ("Q₁,₂", "Q[1, 2]", "Q at 1, 2", "Q_{1,2}", "<msub><mi>Q</mi><mrow><mn>1</mn><mo>,</mo>"),
    ("Q", "[the, 2]"): ("Q[the, 2]", "Q[the, 2]", "Q at the, 2", r"Q_{\text{the, 2}}", "<mtext>the, 2</mtext>"),
    ("W_Q", "[12, 3]"): ("(W_Q)₁₂,₃", "W_Q[12, 3]", "W_Q at 12, 3", r"\left(W_{Q}\right)_{12,3}", "<mo>)</mo>"),
    ("phi_K", "[2]"): ("(φ_K)₂", "phi_K[2]", "phi_K at 2", r"\left(\phi_{K}\right)_{2}", "<mi>φ</mi>"),
    ("mean", "[3]"): ("mean₃", "mean[3]", "mean at 3", r"\mathrm{mean}_{3}", "<mi>mean</mi><mrow><mn>3</mn>"),
    ("x2", "[3]"): ("(x2)₃", "x2[3]", "x2 at 3", r"\left(\mathrm{x2}\right)_{3}", "<mi>x2</mi>"),
    ("A", "[[CLS], b]"): ("A[[CLS], b]", "A[[CLS], b]", "A at [CLS], b", r"A_{\text{[CLS], b}}", "[CLS], b"),
    ("loss", ""): ("loss", "loss", "loss", r"\mathrm{loss}", "<mi>loss</mi>"),
}  # fmt: skip
SENTENCES = {
    "divided by √d_k, so that": ["divided by ", Call("sqrt", (Name("d_k"),)), ", so that"],
    "W_Q, W_K and dW_V": [Name("W_Q"), ", ", Name("W_K"), " and ", Name("dW_V")],
    "fade by beta_1 at each": ["fade by ", Name("beta_1"), " at each"],
    "A[the, 2] is not 0 but 4.6e-04": [
        sentence_markup.EntryReference(Name("A"), "[the, 2]"),
        " is not 0 but ",
        Number("4.6e-04"),
    ],
    "Look again at S_scaled[[CLS], a].": [
        "Look again at ",
        sentence_markup.EntryReference(Name("S_scaled"), "[[CLS], a]"),
        ".",
    ],
    "is smaller than -2.000 by 1": ["is smaller than ", Number("-2.000"), " by 1"],
    "“d_k[1, 2]” and “-2” are words": ["“d_k[1, 2]” and “-2” are words"],
    "S[1,0] of a table, layer.Q_1, mask_at, a_b.yaml, x-2": ["S[1,0] of a table, layer.Q_1, mask_at, a_b.yaml, x-2"],
}


@for_each("name", ENTRIES)
def test_an_entry_has_its_indices_below_its_matrix(name):
    *told, mathml_piece = ENTRIES[name]
    entry = Name(name[0]), name[1]
    assert [one.entry_named(*entry) for one in (single_line.UNICODE, single_line.ASCII, speech.SPEECH, tex.TEX)] == told
    assert mathml_piece in mathml.MATHML.entry_named(*entry)


@for_each("sentence", SENTENCES)
def test_numbers_names_and_entries_of_a_sentence_are_formulas(sentence):
    assert list(sentence_markup.pieces(sentence)) == SENTENCES[sentence]


@pytest.mark.parametrize(("options", "rows", "columns"), [
    ("", "[pos 1, 3]", "[3, pos 1]"), (", start=1", "[pos 2, 3]", "[3, pos 2]"), (", start=k", "[2, 3]", "[3, 2]"),
])  # fmt: skip
def test_the_rows_of_a_position_table_are_its_positions(options, rows, columns):
    steps = {"P": f"sinusoidal(3, 4{options})", "T": f"sinusoidal(3, 4{options}).T"}
    P, T = load({"title": "t", "given": {"k": 2}, "steps": steps}).plan.parts[0].steps
    assert (P.entry_place(1, 2), T.entry_place(2, 1)) == (rows, columns) and P.rows is None


def test_entries_inside_formulas_are_named_alike_and_blocks_keep_their_brackets():
    told = {"P[0, 1] * b": "P₁,₂ · b", "W_Q[1, 0]": "(W_Q)₂,₁", "W_Q[:, 0:2]": "W_Q[:, 1:2]", "K[1]": "K[2]"}
    assert {text: single_line.formula(parse(text)) for text in told} == told
    assert tex.formula(parse("P[0, 1] ** 2")) == "{P_{1,2}}^{2}"


@for_each(
    ("formula", "medium", "expected"),
    [(formula, medium, text) for formula, media in BRACKETS.items() for medium, text in media.items()],
)
def test_brackets_stand_where_a_number_would_be_read_wrongly(formula, medium, expected):
    assert MEDIA[medium](parse(formula)) == expected


@for_each("formula", ["1e-7**2", "2.5e-7**2", "exp(x)**2", "(1/3)**2", "X.T**2", "(-2)**2", "(x**2)**3"])
def test_a_base_of_several_signs_stands_in_brackets_in_mathml(formula):
    assert mathml.formula(parse(formula)).startswith("<msup><mrow><mo>(</mo>")


@for_each("setter", SETTERS)
def test_every_function_has_a_name_or_a_form_and_nothing_else_has(setter):
    assert set(FUNCTIONS) | set(setter.forms) | {"keep"} == set(functions()) | SIGNS
    assert set(setter.signs) <= set(FUNCTIONS)


@for_each("name", sorted(FUNCTIONS.keys() & functions().keys()))
def test_law_the_printed_name_of_a_function_can_be_typed(name):
    """What a page shows is the name of the function, or a spelling that the formula language reads as it."""
    needed = [part for part in functions()[name].signature.partition("(")[2][:-1].split(", ") if "=" not in part]
    typed, printed = (parse(f"{called}({', '.join(needed)})") for called in (name, FUNCTIONS[name]))
    assert typed == printed or (name, FUNCTIONS[name]) == ("log", "ln")


@for_each("medium", MEDIA)
@for_each("operator", [*OPERATORS.values(), *COMPARISONS])
def test_every_operator_has_a_sign(operator, medium):
    """`operators` of the dialect, or a case of `MathPrinter.formula`, has it."""
    printed = MEDIA[medium](parse(f"a {operator} b"))
    assert "a" in printed and "b" in printed and printed != MEDIA[medium](parse(f"b {operator} a"))


FRACTIONS = {
    "a * (b/c)": {
        "tex": r"a \cdot \frac{b}{c}",
        "html": "<mrow><mi>a</mi><mo>·</mo><mfrac><mi>b</mi><mi>c</mi></mfrac></mrow>",
    },
    "(a/b)**2": {"tex": r"{\left(\frac{a}{b}\right)}^{2}"},
    "-(a/b)": {
        "tex": r"-\frac{a}{b}",
        "html": '<mrow><mo form="prefix">−</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>',
    },
}


@for_each(
    ("formula", "medium", "expected"),
    [(f, medium, text) for f, media in FRACTIONS.items() for medium, text in media.items()],
)
def test_a_fraction_bar_keeps_its_parts_together(formula, medium, expected):
    assert {**MEDIA, "html": mathml.formula}[medium](parse(formula)) == expected


MASKS = {
    "causal(2, 3)": "j ≤ i",
    "causal(2, 3, offset=0)": "j ≤ i",
    "causal(2, 3, offset=2)": "j ≤ i + 2",
    "causal(2, 3, 1)": "j ≤ i + 1",
    "causal(2, 3, offset=-1)": "j ≤ i − 1",
    "causal_strict(3, 3)": "j < i",
    "band(2, 3, 1)": "|i − j| ≤ 1",
    "band(2, 3, 1, 1)": "|i − j| ≤ 1",
    "band(2, 3, 1, 0)": "−1 ≤ j − i ≤ 0",
    "band(2, 3, 0, right=2)": "0 ≤ j − i ≤ 2",
}


@for_each(("mask", "words"), MASKS.items())
def test_a_mask_is_told_as_what_it_lets_through(mask, words):
    """The inequality, read by Python for each query and key, is the mask."""
    assert single_line.formula(parse(f"keep(S, {mask})")) == f"S where {words}, −∞ elsewhere"
    rows = solve(load({"title": "t", "given": {"x": 1}, "steps": {"M": mask}}))["M"].decimals(0)
    python = words.replace("−", "-").replace("≤", "<=").replace("|i - j|", "abs(i - j)")
    assert rows == [
        [str(int(eval(python, {"abs": abs}, {"i": i, "j": j}))) for j in range(len(rows[0]))] for i in range(len(rows))
    ]
    for medium in (tex.formula, typst_formula.formula, github_markdown.formula, mathml.formula, speech.formula):
        assert "causal" not in medium(parse(f"keep(S, {mask})"))


NAMES = re.findall(
    r"\w+",
    """
alpha beta gamma delta epsilon eps varepsilon zeta eta theta vartheta iota kappa lam mu nu xi omicron rho sigma tau upsilon phi varphi
chi psi omega Gamma Delta Sigma sum int dot frac top op upright text infinity oo thin med quad wide sect let set show none auto true
calc math sym emoji x i j k l d dif upper x_ x_1 x_a_b W_Q_2 eps_1 alpha_t theta_in cross_W_Q in_W_1 X2 N_x_y beta2 le ge mod lim sin2
exp1 page here today color rgb grid table
""",
)


def every_name():
    """A page on which each of these names is a given, in a product, in a power and in an exponential."""
    steps = {f"r{i}": f"{name}*M + exp({name}).T + {name}**2" for i, name in enumerate(NAMES)}
    solution = solve(load({"title": "t", "given": dict.fromkeys(NAMES, "2.5") | {"M": [[1, 2]]}, "steps": steps}))
    return solution_document(solution, solution.parts)


@pytest.mark.sweep(quick=0)
def test_every_name_can_be_set_by_typst():
    assert pdf.write(every_name()).startswith(b"%PDF")


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdflatex")
def test_every_name_can_be_set_by_latex():
    assert pdf.write(every_name(), engine="latex").startswith(b"%PDF")


@for_each("formula, told", [
    ("argmax_rows(P)", {"unicode": "argmaxⱼ(P)", "ascii": "argmax_j(P)",
                        "tex": r"\operatorname{argmax}_{j}\left(P\right)",
                        "typst": 'op("argmax")_(j) (P)', "markdown": r"\mathrm{argmax}_{j}\left(P\right)",
                        "spoken": "argmax over j of (P)"}),
    ("best(P, 12)", {"unicode": "top₁₂(P)", "ascii": "top_12(P)", "typst": 'op("top")_(12) (P)',
     "spoken": "the top 12 of (P)"}),
    ("best_rows(P, 2)", {"unicode": "row(top₂(P))",
     "tex": r"\operatorname{row}\left(\operatorname{top}_{2}\left(P\right)\right)"}),
    ("best_columns(P, k=n)", {"unicode": "column(top_n(P))", "ascii": "column(top_n(P))"}),
])  # fmt: skip
def test_what_decoding_chooses_is_set_as_mathematics(formula, told):
    assert {name: MEDIA[name](parse(formula)) for name in told} == told


@for_each(
    ("name", "expected"),
    [
        ("mean_square", r"\text{mean}\_\text{square}"),
        ("look_ahead", r"\text{look}\_\text{ahead}"),
        ("S_scaled", r"S_{\text{scaled}}"),
        ("tgt_1", r"\mathrm{tgt}_{1}"),
        ("gamma_max", r"\gamma_{\text{max}}"),
    ],
)
def test_words_with_a_stroke_between_them_are_no_name_with_an_index(name, expected):
    assert github_markdown.formula(Name(name)) == expected


@for_each(
    ("formula", "expected"),
    [
        ("0 + arange(0, 3)", "y = [0 1 2]"),
        ("(1 + arange(0, 2)).T", "y = [1 2]ᵀ"),
        ("arange(-1, 2) * x", "y = [−1 0 1] · x"),
        ("2 + arange(0, 9)", "y = arange(2, 11)"),
        ("x + arange(0, 3)", "y = [2 3 4]"),
        ("1 / 2 + arange(0, 3)", "y = 1/2 + arange(0, 3)"),
    ],
)
def test_whole_numbers_in_a_row_are_written_one_by_one(formula, expected):
    solution = solve({"title": "t", "given": {"x": 2}, "steps": {"y": formula}})
    told = [block for block in solution_document(solution, solution.parts).blocks if hasattr(block, "stages")]
    assert f"y = {single_line.formula(told[0].stages[0].tree)}" == expected
