"""Attention as lines between words and a beam search as a tree: what they are drawn from, and that every medium shows
them whole.
"""

import io
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from attncalc import load, solve
from attncalc.explain.document import Arcs, Beam, Curve, Picture
from attncalc.explain.solution_document import solution_document
from attncalc.render import html, latex, markdown, typst
from attncalc.render.pictures import arcs, beam_tree, dispatch
from attncalc.render.terminal import styled_text, write
from attncalc.render.terminal.styled_text import PLAIN, PRETTY
from tests.support.laws import examples

WORDS = ["the", "cat", "<b>sat`"]
HEAD = {"title": "t", "given": {"Q": {"rows": WORDS, "values": [[1, 0], [0, 2], [1, 1]]},
                                "K": {"rows": ["le", "chat", "noir"], "values": [[1, 2], [0, 1], [1, 0]]},
                                "V": [[1], [2], [3]]}, "attention": {}, "rounding": {"digits": 3}}  # fmt: skip
LETTERS = "abcd"


def document(problem):
    solution = solve(load(problem))
    return solution_document(solution, solution.parts)


def found(problem, kind):
    return [block for block in document(problem).flat() if isinstance(block, kind)]


# -- attention between words -------------------------------------------------------------------------------------------


def test_weights_between_words_are_lines_with_their_printed_numbers():
    (one,) = found(HEAD, Arcs)
    printed = next(step for step in solve(load(HEAD)).parts[0].steps if step.name == "A").printed().texts
    assert one == Arcs(tuple(WORDS), ("le", "chat", "noir"), tuple(map(tuple, printed)))


def test_where_tokens_are_columns_the_lines_run_from_queries_to_keys_as_well():
    turned = {
        name: {"columns": one["rows"], "values": list(zip(*one["values"], strict=True))}
        for name, one in HEAD["given"].items()
        if name != "V"
    }
    columns = HEAD | {"vectors": "columns", "given": {**turned, "V": [[1, 2, 3]]}}
    assert found(columns, Arcs) == found(HEAD, Arcs)


@pytest.mark.parametrize(
    "change",
    [
        {"given": HEAD["given"] | {"Q": [[1, 0], [0, 2], [1, 1]]}},  # queries without words
        {"given": HEAD["given"] | {"Q": {"rows": ["the"], "values": [[1, 0]]}}},  # one query alone
        # More than a picture holds
        {"given": HEAD["given"] | {"Q": {"rows": [f"w{k}" for k in range(13)], "values": [[k, 1] for k in range(13)]}}},
    ],
)
def test_other_weights_have_none(change):
    assert not found(HEAD | change, Arcs)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=12))
@examples(60)
def test_larger_weights_have_no_thinner_lines_and_a_weight_of_0_has_none(thousandths):
    texts = tuple(f"{n / 1000:.3f}" for n in thousandths)
    drawn = dispatch.svg(Arcs(("q", "r"), tuple(f"k{k}" for k in range(len(texts))), (texts, texts)))
    lines = {
        told: float(thick) for thick, told in re.findall(r'stroke-width="([\d.]+)"><title>q → k\d+: ([\d.]+)<', drawn)
    }
    assert set(lines) == {text for text in texts if float(text) >= arcs.LEAST}
    by_size = sorted(lines, key=float)
    assert [lines[text] for text in by_size] == sorted(lines.values())


def test_the_words_of_the_picture_name_every_thickest_line():
    assert arcs.alt_text(Arcs(("a", "b"), ("x", "y"), (("0.50", "0.50"), ("0.10", "0.90")))).endswith(
        "a to x 0.50 and y 0.50; b to y 0.90"
    )


# -- the tree of a beam ------------------------------------------------------------------------------------------------


@st.composite
def searches(draw):
    """A beam search over a table of tenths: some words cannot follow some others."""
    words = draw(st.integers(2, 4))
    rows = []
    for _ in range(words):
        cuts = sorted(draw(st.lists(st.integers(0, 10), min_size=words - 1, max_size=words - 1)))
        rows.append([Fraction(b - a, 10) for a, b in zip([0, *cuts], [*cuts, 10], strict=True)])
    names = list(LETTERS[:words])
    options = {"width": draw(st.integers(1, words)), "most": draw(st.integers(2, 4)), "start_token": "a"}
    options |= {"end_token": "b"} if draw(st.booleans()) else {}
    options |= {"scores": "product"} if draw(st.booleans()) else {}
    options |= {"alpha": "1/2"} if draw(st.booleans()) and "scores" not in options else {}
    return {
        "title": "t",
        "given": {"P": {"rows": names, "columns": names, "values": [list(map(str, row)) for row in rows]}},
        "beam_search": options,
    }


@given(searches())
@examples(40)
def test_a_tree_tells_what_the_steps_do(problem):
    steps = {step.name: [[int(float(x)) for x in row] for row in step.printed().texts] for step in solve(load(problem)).parts[0].steps
             if step.step.base in ("beam", "ids")}  # fmt: skip
    trees = found(problem, Beam)
    times = sum(name.startswith("beam_") for name in steps)
    assert len(trees) == (times > 1)
    for one in trees:
        for t, level in enumerate(one.levels, 1):
            kept = sorted("".join(beam_tree._words(one, t - 1, k)) for k, twig in enumerate(level) if twig.kept)
            assert kept == sorted("".join(LETTERS[i] for i in row) for row in steps[f"beam_{t}"])
        best = "".join(twig.word for level in one.levels for twig in level if twig.best)
        assert best.startswith("".join(LETTERS[i] for i in steps["ids"][0])) and len(best) == len(one.levels)
        for room in (24, 80):
            assert all(
                styled_text.width(line) <= room
                for signs in (PLAIN, PRETTY)
                for line in beam_tree.lines_of(one, room, signs)
            )
        assert all(styled_text.plain(line).isascii() for line in beam_tree.lines_of(one, 80, PLAIN))


def test_a_tree_with_too_many_words_has_those_alone_that_are_kept():
    wide = [f"w{k}" for k in range(8)]
    rows = [
        [
            Fraction(1, 8) + (Fraction(k + 1, 100) if j == k else -Fraction(k + 1, 100) if j == (k + 1) % 8 else 0)
            for j in range(8)
        ]
        for k in range(8)
    ]
    table = {"rows": wide, "columns": wide, "values": [list(map(str, row)) for row in rows]}
    (tree,) = found(
        {"title": "t", "given": {"P": table}, "beam_search": {"width": 2, "most": 3, "start_token": "w0"}}, Beam
    )
    assert [len(level) for level in tree.levels] == [2, 2, 2] and "dropped" not in dispatch.svg(tree).split("</style>")[
        1
    ]


# -- in every medium ---------------------------------------------------------------------------------------------------


BEAM = {"title": "t", "given": {"P": {"rows": ["```", "<b>"], "columns": ["```", "<b>"],
        "values": [["0.4", "0.6"], ["0.9", "0.1"]]}},
        "beam_search": {"width": 2, "most": 2}, "rounding": {"digits": 3}}  # fmt: skip


def test_pages_and_papers_draw_both_with_words_for_those_who_hear_them():
    page = html.write(document(HEAD))
    assert "the to chat" not in page and 'class="arcs"' in page and "&lt;b&gt;sat`" in page and "<b>sat" not in page
    (drawn,) = re.findall(r'<svg [^>]*class="beam".*?</svg>', html.write(document(BEAM)), re.DOTALL)
    assert "&lt;b&gt;" in drawn and "<b>" not in drawn
    assert "lines from queries to keys" in typst.write(document(HEAD)) and "tree of the beam search" in typst.write(
        document(BEAM)
    )
    assert r"\includegraphics" not in latex.write(document(BEAM))


WORDS_AND_STEPS = {
    "title": "t",
    "parts": {
        "words": {"given": {"logits": {"columns": [r"\input{x}", "50%", "$x$"], "values": [[1, 2, 0]]}},
                  "next_word": {}},
        "rate": {"given": {"step": [[1, 2, 3, 4, 16]]}, "learning_rate": {"d_model": 16, "warmup": 4}},
    },
}  # fmt: skip


def test_latex_draws_by_its_own_commands_and_no_word_is_one_of_them():
    """A space between two commands would move the second, so each line ends in a sign that leaves it out."""
    told = latex.write(document(WORDS_AND_STEPS)) + latex.write(document(BEAM))
    shown = re.findall(r"\\begin\{picture\}.*?\\end\{picture\}%", told, re.DOTALL)
    bars, curve, tree = shown
    assert all(line.endswith("%") for one in shown for line in one.splitlines())
    assert bars.count(r"\rule{") == 3 and r"\input" not in bars and r"50\%}" in bars and r"\$x\$" in bars
    assert curve.count(r"\circle*") == 5 and r"\emph{step}" in curve
    twigs = [twig for one in found(BEAM, Beam) for level in one.levels for twig in level]
    assert tree.count(r"\framebox") == 1 + sum(twig.kept for twig in twigs)
    assert tree.count(r"\qbezier") == 2 * len(twigs) + len({(twig.kept, twig.best) for twig in twigs})
    assert all(one.count("{") - one.count(r"\{") == one.count("}") - one.count(r"\}") for one in shown)


def test_the_tree_stands_in_text_where_no_picture_can():
    file = io.StringIO()
    write(document(BEAM), Console(file=file, width=60))
    assert re.search(r"```\n +├─ ```  −0\.916\n +│  └─ <b>  .*\n +└─ <b>  .*✓\n +└─ ```  .*✓\n", file.getvalue())
    text = markdown.write(document(BEAM))
    assert re.search(r"```text\n'''\n├─ '''  .*\n│  └─ <b>[^`]*✓\n```\n", text)


def test_every_picture_has_a_file_that_draws_it():
    assert set(Picture.__args__) <= set(dispatch.FILES)


OWN_RATE = {"given": {"t": [[1, 2, 3, 4, 16]]}, "steps": {"lr": "minimum(t, 4) / 100"}}


@pytest.mark.parametrize("problem, below", [(WORDS_AND_STEPS, "step"), (OWN_RATE, "t")])
def test_both_axes_of_a_curve_say_what_they_count(problem, below):
    """The rate beside it, its steps below it: in text, on the page, in print and as a picture of its own."""
    file = io.StringIO()
    write(document(problem), Console(file=file, width=80))
    rows = file.getvalue().splitlines()
    beside = next(k for k, row in enumerate(rows) if re.match(r" *lr [│|]", row))
    assert any(row.strip() == below for row in rows[beside:])
    (drawn,) = found(problem, Curve)
    for told in (dispatch.svg(drawn), html.write(document(problem))):
        assert all(f">{word}</text>" in told for word in ("lr", below))
    told = latex.write(document(problem))
    assert all(rf"\emph{{{word}}}" in told for word in ("lr", below))
