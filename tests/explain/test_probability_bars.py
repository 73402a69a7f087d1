"""Probabilities of words as bars: what they are drawn from, how long they are, and that no line is wider than its
terminal.
"""

import io
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from attncalc.explain.document import Bars
from attncalc.explain.solution_document import solution_document
from attncalc.formula.syntax_tree import Name
from attncalc.render import html, typst
from attncalc.render.pictures import bars as drawn
from attncalc.render.terminal import styled_text, write
from attncalc.render.terminal.styled_text import PLAIN, PRETTY
from tests.support.laws import examples
from tests.support.pages import solved
from tests.support.sweeps import for_each

ROW = {
    "title": "t",
    "given": {"L": {"columns": ["a", "bb", "<c>"], "values": [["1", "0", "-1"]]}},
    "steps": {"P": "softmax(L)"},
    "rounding": {"digits": 3},
}


def document(problem):
    solution = solved(problem)
    return solution_document(solution, solution.parts)


def bars_of(problem):
    return [block for block in document(problem).flat() if isinstance(block, Bars)]


def test_a_softmax_over_words_has_bars_with_its_printed_numbers():
    (one,) = bars_of(ROW)
    assert one == Bars(Name("P"), ("a", "bb", "<c>"), ("0.665", "0.245", "0.090"))


@for_each(
    "change",
    [
        {"given": {"L": [["1", "0", "-1"]]}},  # no words
        {"given": {"L": {"columns": ["a", "b"], "values": [["1", "0"]]}}},  # two words need no picture
        # Weights of two queries are a map
        {"given": {"L": {"columns": ["a", "b", "c"], "values": [["1", "0", "2"], ["0", "1", "2"]]}}},
        {"steps": {"P": "L * 2"}},  # no probabilities
    ],
)
def test_other_steps_have_none(change):
    assert not bars_of(ROW | change)


@given(st.lists(st.integers(0, 1000), min_size=3, max_size=16), st.integers(40, 120), st.booleans())
@examples(200)
def test_longer_bars_are_more_probable_and_no_line_is_too_wide(thousandths, room, plain):
    one = Bars(
        Name("P"), tuple(f"word {k}" for k in range(len(thousandths))), tuple(f"{n / 1000:.3f}" for n in thousandths)
    )
    lines = [styled_text.plain(line) for line in drawn.lines_of(one, room, PLAIN if plain else PRETTY)]
    assert all(cell_len(line) <= room and line == line.rstrip() for line in lines)
    lengths = [len(re.search(r"[#█▏▎▍▌▋▊▉]*$", line)[0]) for line in lines]
    by_size = sorted(zip(thousandths, lengths, strict=True))
    assert all(a <= b for (_, a), (_, b) in pairwise(by_size))
    assert not plain or all(line.isascii() for line in lines)


def test_every_medium_that_draws_shows_each_word_and_number():
    page = html.write(document(ROW))
    label = re.search(r'class="bars"[^>]*aria-label="([^"]*)"', page)[1]
    assert label == "a 0.665; bb 0.245; &lt;c&gt; 0.090" and page.count("<rect") >= 3
    assert "a 0.665; bb 0.245; <c> 0.090" in typst.write(document(ROW))
    file = io.StringIO()
    write(document(ROW), Console(file=file, width=60))
    assert re.search(r"a  0\.665  █+▋?", file.getvalue()) and re.search(r"<c>  0\.090  █+", file.getvalue())
