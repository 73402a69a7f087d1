"""The empty form for a student's numbers shows no results."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attncalc import load
from attncalc.submissions.answer_file import blank
from tests.support.laws import examples
from tests.support.sweeps import for_each

WORDS = ["<s>", "red", "blue", "tea"]
ROWS = st.permutations(["0.1", "0.2", "0.3", "0.4"])


def form(rows):
    table = {"rows": WORDS, "columns": WORDS, "values": [list(row) for row in rows]}
    return blank(load({"given": {"P": table}, "beam_search": {"width": 2, "most": 3}}))


@examples(20)
@given(st.lists(ROWS, min_size=4, max_size=4))
def test_law_a_form_does_not_depend_on_the_numbers(rows):
    """The rows of scores_2 were labelled with the prefixes that the student should find."""
    assert form(rows) == form([["0.4", "0.3", "0.2", "0.1"]] * 4)


@for_each("label", WORDS)
def test_labels_of_givens_are_shown(label):
    assert label in form([["0.4", "0.3", "0.2", "0.1"]] * 4)
