"""Markdown and plain text: formulas that GitHub renders, tables that keep their columns, and texts that stay texts."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from attncalc.formula.functions import functions
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Call, Name, Text
from attncalc.render.math.github_markdown import escape, formula, sentence, words
from attncalc.render.wrap import clean
from attncalc.resources import problem_names
from tests.support.pages import HOSTILE, SHOWN, golden, hostile, page
from tests.support.sweeps import for_each

PROBLEMS = [*problem_names(), "hostile"]
OURS = re.compile(r"</?span>|<!-- -->")
FENCE = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def markdown(problem):
    return page("markdown", hostile() if problem == "hostile" else problem)


@for_each("name", SHOWN, quick=2)
def test_golden(name):
    golden("markdown", name, ".md", page("markdown", *SHOWN[name]), SHOWN[name][0])


@for_each("name", ["masked-attention", "attention-brief", "softmax-full", "layer-norm"])
def test_golden_text(name):
    golden("text", name, ".txt", page("text", *SHOWN[name]), SHOWN[name][0])


# -- formulas ----------------------------------------------------------------------------------------------------------


@for_each("name", sorted(functions()))
def test_every_function_has_a_notation(name):
    arguments = tuple(Name("ABCDEF"[k]) for k, p in enumerate(functions()[name].parameters) if p.default is None) or (
        Name("A"),
    )
    text = formula(Call(name, arguments))
    assert all(argument.name in text for argument in arguments)
    assert "operatorname" not in text and text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("softmax(Q @ K.T / sqrt(d_k))", r"\mathrm{softmax}\left(\frac{Q\, K^{\top}}{\sqrt{d_{k}}}\right)"),
        ("keep(S, causal_strict(3, 3))", r"S \;\text{where}\; j \lt i,\; -\infty \;\text{elsewhere}"),
        ("row_mean(A)", r"\mathrm{rowmean}\left(A\right)"),
    ],
)
def test_notation(text, expected):
    assert formula(parse(text)) == expected


@for_each("text", HOSTILE)
def test_words_inside_a_formula_hold_no_command(text):
    inside = re.sub(r"\\(text\{[^{}\\$]*\}|backslash |hat\{\\ \}|[a-z]+ |[{}$#%&_])", "", words(text))
    assert inside == "" and "`" not in words(text) and formula(Text(text)) == words(text)


@for_each("problem", PROBLEMS, quick=3)
def test_formulas_stand_where_markdown_leaves_them_alone(problem):
    text = markdown(problem)
    fences = FENCE.findall(text)
    inline = re.findall(r"\$`[^`\n]*`\$", text)
    assert fences or inline
    rest = re.sub(r"\$`[^`\n]*`\$", "", FENCE.sub("", text))
    assert "$" not in rest.replace("<span>$</span>", "")
    assert not any(command in text for command in ("\\operatorname", "\\def", "\\newcommand", "\\require", "\\href"))
    for one in [*fences, *inline]:
        assert (
            "\n\n" not in one
            and one.count(r"\begin") == one.count(r"\end")
            and one.count(r"\left") == one.count(r"\right")
        )
    assert not re.search(r"[A-Za-z0-9]\$`|`\$[A-Za-z0-9]", text), "GitHub sees no formula beside a letter"


# -- texts -------------------------------------------------------------------------------------------------------------


def shown(text):
    """What a reader of rendered Markdown sees, where nothing but a paragraph of plain text may come out."""
    paragraph, inline, end = MarkdownIt("commonmark").enable("table").parse(text)
    assert (paragraph.type, end.type) == ("paragraph_open", "paragraph_close")
    assert {child.type for child in inline.children} <= {"text", "text_special", "html_inline"}
    return "".join(
        child.content for child in inline.children if child.type != "html_inline" or not OURS.fullmatch(child.content)
    )


@for_each("text", [*HOSTILE, "1.0000 stands", "+", "a_b", "_a", "* x", "0) y", "--- z", "|", "<!-- c -->", "[^1]: f"])
def test_text_stays_text(text):
    assert shown(escape(text)) == clean(text).strip()
    assert shown("before " + escape(text)) == f"before {clean(text).strip()}"


def test_a_sentence_has_its_powers_of_ten_as_formulas():
    assert sentence("by 7.9e-32 and -1.1e-66!") == r"by $`7.9 \cdot 10^{-32}`$ and $`-1.1 \cdot 10^{-66}`$!"


@for_each("problem", PROBLEMS, quick=2)
def test_tables_keep_their_columns(problem):
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown(problem))
    assert not [
        token
        for token in tokens
        if token.type in ("html_block", "code_block", "hr", "bullet_list_open", "ordered_list_open")
    ]
    widths, row = [], 0
    for token in tokens:
        row = {"tr_open": 0, "th_open": row + 1, "td_open": row + 1}.get(token.type, row)
        if token.type == "tr_close":
            widths[-1].add(row)
        elif token.type == "table_open":
            widths.append(set())
    assert all(len(table) == 1 for table in widths)
    assert len(widths) == len(re.findall(r"^\| :--- \|", markdown(problem), re.MULTILINE))


# -- plain text --------------------------------------------------------------------------------------------------------


@for_each("problem", PROBLEMS, quick=2)
def test_plain_text_is_80_wide_without_escapes(problem):
    text = page("text", hostile() if problem == "hostile" else problem)
    assert max(map(cell_len, text.splitlines())) <= 80
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text) and "--depth" not in text
