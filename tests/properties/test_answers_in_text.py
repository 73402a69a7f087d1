"""A right answer in a text is right or listed as unread, whatever stands around it; it is never called wrong."""

import re

import pytest

from attncalc.api import loads
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = loads("""title: Text
rounding: {digits: 2}
given: {P: [[0.1, 0.7], [0.25, -0.5]], V: [[1, -2, 5], [4, 7, 3]]}
steps: {A: softmax(P), Z: V * V + 0.25, c: sum(V) / 7}
""")
ROWS = ("1.25 4.25 25.25", "16.25 49.25 9.25")
ROWS_IN_BRACKETS = "[[1.25, 4.25, 25.25], [16.25, 49.25, 9.25]]"
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


@for_each("below", BELOW)
@for_each("remark", BEHIND_A_ROW)
@for_each("row", [0, 1])
def test_rows_with_remarks_are_right_or_unread(row, remark, below):
    rows = [text + remark * (k == row) for k, text in enumerate(ROWS)]
    found, unread = verdicts("\n".join(["Z =", *rows, below, "", "The end."]))
    assert "wrong" not in found.values()
    assert found.get("Z") == "right" or unread & {1, 2, 3, 4}
    if re.match(r"c [=≈]", below):
        assert found.get("c") == "right" or 4 in unread


@for_each("name", NAMES)
@for_each("typed", SCALARS)
def test_a_number_in_any_form_is_right_or_unread(typed, name):
    found, unread = verdicts(f"{name} = {typed}\n")
    assert found.get("c") in ("right", "truncated") or 1 in unread and "c" not in found


@for_each("typed", ["3", "2.75 (18/7)", "1.9", "25.7 %"])
def test_another_number_in_a_sentence_is_listed(typed):
    found, unread = verdicts(f"I think c = {typed}\n\nc = 2.57\n")
    assert 1 in unread or found.get("c") != "right"


@for_each("name", ["A_{11}", "A_{1,1}", "A_11", "A11", "A_{12}", "A_1"])
def test_entries_counted_as_in_books_are_listed(name):
    found, unread = verdicts(f"{name} = 0.35\n\nc = 2.57\n")
    assert found == {"c": "right"} and unread == {1}


@pytest.mark.parametrize("name", ["B", "scores2", "Xi"])
def test_a_script_whose_names_are_all_unknown_is_not_read(name):
    _, unread = verdicts(f"{name} = [[0.35, 0.65], [0.68, 0.32]]\n")
    assert unread == {1}


@for_each("stroke", ["~~{}~~", "\\sout{{{}}}", "\\cancel{{{}}}", "<del>{}</del>", "<s>{}</s>"])
@for_each("line", ["c = {} 2.57", "{} c = 2.57", "c = 2.57\n{}"])
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


PIECES = (
    "+ 1",
    "/ 7",
    "·2",
    "× 10^-3",
    "%",
    "\\cdot 5.14",
    "\\times 2",
    "* 2",
    "(1 + 2)",
    "3",
    "^2",
    "- 1",
    "− 1",
    "e-3",
)


@for_each("gap", ["\n", "\n  ", " \\\\\n &\\quad ", "\n\n"])
@for_each("piece", PIECES)
def test_an_expression_that_may_go_on_in_another_line_is_not_read_in_part(piece, gap):
    found, unread = verdicts(f"c = 0.57{gap}{piece}\n\nZ = {ROWS_IN_BRACKETS}\n")
    if gap != "\n\n" or piece not in ("(1 + 2)", "3", "e-3"):
        assert found == {"Z": "right"} and unread


@for_each("operator", ["+", "-", "·", "@", "\\cdot"])
@for_each("form", ["Z = {0} {1}\n{0}", "Z = {0}\n{1} {0}", "Z = {0}\n  {1} 0.5", "Z = 2 {1}\n{0}"])
def test_a_matrix_with_a_term_in_another_line_is_not_read_in_part(form, operator):
    found, unread = verdicts(form.format(ROWS_IN_BRACKETS, operator))
    assert not found and unread


@for_each("bar", ["--", "---", "----", "────", "____", "——"])
@for_each("form", [
    "    18\nc = {0}\n     7", "c = 18\n    {0}\n     7", "c =\n18\n{0}\n7", "c = 18\n{0}\n7", "      18\nc = - {0}\n      7",
    "     18\nc = {0} = 2.57\n      7", "```\n     18\nc = {0}\n      7\n```", "     18\nc ≈ {0}\n      7",
])  # fmt: skip
def test_a_fraction_over_several_lines_is_not_read_in_part(form, bar):
    found, unread = verdicts(form.format(bar))
    assert found.get("c") in (None, "right") and (unread or "c" in found)


@pytest.mark.parametrize("above", ["     2", "       -3"])
def test_an_exponent_in_the_line_above_is_not_dropped(above):
    found, unread = verdicts(f"{above}\nc = 3\n")
    assert not found and unread


BETWEEN = ("---", "\n---\n", "", "# 2", "and 3 more", "- item 2", "Z = ...", "\n7", "\n\n12")


@for_each("line", BETWEEN)
def test_what_is_no_part_of_an_expression_leaves_the_answer_above_it(line):
    found, _ = verdicts(f"c = 2.57\n{line}\nA =\n0.35 0.65\n0.68 0.32\n")
    assert found == {"c": "right", "A": "right"}


COMMENTS = (
    "\\begin{comment}\n{0}\n\\end{comment}", "  \\begin{comment}\n{0}\n  \\end{comment}", "<!-- {0} -->", "<!--\n{0}\n-->",
    "\\iffalse\n{0}\n\\fi",
)  # fmt: skip


@for_each("comment", COMMENTS)
@for_each("line", ["c = 3", "Z = [[1, 2, 3], [4, 5, 6]]", "$Z = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$"])
@for_each("form", ["{0}\nc = 2.57", "c = 2.57\n\n{0}\n"])
def test_a_comment_is_no_answer_and_is_noted(form, line, comment):
    script = read(form.format(comment.replace("{0}", line)), "a.md", lenient=True)
    bound = bind(script, PROBLEM, lenient=True)
    assert [step.verdict for step in check(PROBLEM, bound).steps if step.step.name == "c"] == ["right"]
    assert len(bound.steps) == 1 and "is a comment" in str(script.crossed[0]) and not bound.unread


def test_what_follows_the_end_of_a_document_is_no_answer():
    text = "\\begin{document}\nc = 2.57\n\\end{document}\nc = 3\n"
    assert verdicts(text) == ({"c": "right"}, set())


SHOWS = re.compile(r"such as|[Ww]rite|did you mean|written|type it|delete one")
UNREADABLE = (
    "c = 2·57", "c = 2 4/7", "c = 2.5.7", "c = |-2.57|", "c = 2.57×10-3", "c = <2.57", "c = 2.57j", "c = 0x1F",
    "c = --2", "c = 2.(57)", "c = 2.57 ± 0.01", "c = f(2)", "c = round(2.567, 2)", "c = 2½", "c = 2:57", "c = 2,570", "c = 3!",
    "Z = [[1, 2, 3], [4, 5, 6]] * 2", "Z = 2 [[1, 2, 3], [4, 5, 6]]", "The matrix that I found is, I think, [[1, 2, 3], [4, 5, 6]]", "Z =\nsee the picture\n", "Z =\n1 2 3\n4 5 6 7\n", "Z =\n1 2 3\n+ 1\n",
    "c =\n18\n--\n7\n", "c = 1.57 +\n1",
)  # fmt: skip


@for_each("text", UNREADABLE)
def test_a_message_about_a_form_shows_how_it_is_written(text):
    bound = bind(read(f"{text}\n\nA = [[0.5, 0.5], [0.5, 0.5]]\n", "a.md", lenient=True), PROBLEM, lenient=True)
    messages = [piece.fault.message for piece in bound.unread] + [*bound.shapes.values()]
    assert [step.step.key for step in bound.steps] == ["A"]
    assert messages and all(map(SHOWS.search, messages))


@pytest.mark.parametrize("typed", ["２．５７", "１８/７", "＋２．５７"])
def test_full_width_signs_are_read_as_plain_ones(typed):
    assert verdicts(f"ｃ ＝ {typed}\n")[0] == {"c": "right"}
