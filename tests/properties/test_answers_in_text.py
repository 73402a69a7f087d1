"""A right answer in a text is right or listed as unread, whatever stands around it; it is never called wrong."""

import re

import pytest

from attncalc.api import loads
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind

PROBLEM = loads("""title: Text
rounding: {digits: 2}
given: {P: [[0.1, 0.7], [0.25, -0.5]], V: [[1, -2, 5], [4, 7, 3]]}
steps: {A: softmax(P), Z: V * V + 0.25, c: sum(V) / 7}
""")
ROWS = ("1.25 4.25 25.25", "16.25 49.25 9.25")
BEHIND_A_ROW = (
    "",
    "  I hope this is right",
    "  # the last row",
    "  (1)",
    "     (eq. 2)",
    " <- check 3",
    " %",
    "   % rounded",
    " and that is it",
)
BELOW = (
    "",
    "c = 2.57",
    "c ≈ 2.57",
    "So c = 2.57 follows.",
    "A =\n0.35 0.65\n0.68 0.32",
    "There are 2 rows.",
    "(2)",
    "---",
)
SCALARS = ("2.57", "18/7", "18/7 (2.57)", "2.57 (18/7)", "2.57 (= 18/7)", "0.257 x 10^1", "0.257×10^1", "25.7 · 10^-1", "$2.57$", "**2.57**",
           "`2.57`", "18/7 = 2.57", "18/7 ≈ 2.57", "2.57.")  # fmt: skip
NAMES = ("c", "_c_", "__c__", "*c*", "**c**", "`c`", "$c$")


def verdicts(text):
    """Return the verdict of each answered step, and the lines of the pieces that are unread."""
    script = read(text, "a.md", lenient=True)
    bound = bind(script, PROBLEM, lenient=True)
    found = {step.step.key: step.verdict for step in check(PROBLEM, bound).steps if step.verdict != "missing"}
    return found, {piece.fault.place.line for piece in bound.unread}


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("remark", BEHIND_A_ROW)
@pytest.mark.parametrize("row", [0, 1])
def test_rows_with_remarks_are_right_or_unread(row, remark, below):
    rows = [text + remark * (k == row) for k, text in enumerate(ROWS)]
    found, unread = verdicts("\n".join(["Z =", *rows, below, "", "The end."]))
    assert "wrong" not in found.values()
    assert found.get("Z") == "right" or unread & {1, 2, 3, 4}
    if re.match(r"c [=≈]", below):
        assert found.get("c") == "right" or 4 in unread


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("typed", SCALARS)
def test_a_number_in_any_form_is_right_or_unread(typed, name):
    found, unread = verdicts(f"{name} = {typed}\n")
    assert found.get("c") in ("right", "truncated") or 1 in unread and "c" not in found


@pytest.mark.parametrize("typed", ["3", "2.75 (18/7)", "1.9", "25.7 %"])
def test_another_number_in_a_sentence_is_listed(typed):
    found, unread = verdicts(f"I think c = {typed}\n\nc = 2.57\n")
    assert 1 in unread or found.get("c") != "right"


@pytest.mark.parametrize("name", ["A_{11}", "A_{1,1}", "A_11", "A11", "A_{12}", "A_1"])
def test_entries_counted_as_in_books_are_listed(name):
    found, unread = verdicts(f"{name} = 0.35\n\nc = 2.57\n")
    assert found == {"c": "right"} and unread == {1}


@pytest.mark.parametrize("name", ["B", "scores2", "Xi"])
def test_a_script_whose_names_are_all_unknown_is_not_read(name):
    _, unread = verdicts(f"{name} = [[0.35, 0.65], [0.68, 0.32]]\n")
    assert unread == {1}


@pytest.mark.parametrize("stroke", ["~~{}~~", "\\sout{{{}}}", "\\cancel{{{}}}", "<del>{}</del>", "<s>{}</s>"])
@pytest.mark.parametrize("line", ["c = {} 2.57", "{} c = 2.57", "c = 2.57\n{}"])
def test_what_is_struck_through_in_a_text_is_no_answer(line, stroke):
    script = read(line.format(stroke.format("3")), "a.md", lenient=True)
    bound = bind(script, PROBLEM, lenient=True)
    assert [step.verdict for step in check(PROBLEM, bound).steps if step.step.name == "c"] == ["right"]
    assert "is crossed out" in str(script.crossed[0]) and not bound.unread


@pytest.mark.parametrize("chain", ["3 = 2.57", "1.2 = 2.57", "-2.57 = 2.57"])
def test_numbers_of_a_chain_that_differ_are_not_read(chain):
    found, unread = verdicts(f"c = {chain}\n")
    assert "c" not in found and unread == {1}


@pytest.mark.parametrize("frame", ["     [{}]\nZ =  [{}]", "     ⎡{}⎤\nZ =  ⎣{}⎦", "     |{}|\nZ =  |{}|"])
def test_a_name_beside_the_second_row_is_listed(frame):
    found, unread = verdicts(frame.format(*ROWS) + "\n\nc = 2.57\n")
    assert found.get("Z") in (None, "right") and found["c"] == "right"
    assert "Z" in found or unread
