"""Lines between a name and a matrix, and next to a matrix: numbers are never counted for another step in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

MATRIX = [["1.25", "2.50"], ["3.75", "4.25"], ["5.75", "6.50"]]
OTHER = [["7.25", "0.50"], ["9.75", "8.25"], ["2.75", "3.50"]]
PROBLEM = load({"given": {"X": [[1, 2], [3, 4], [5, 6]]}, "steps": {"S": "X + 1", "A": "X + 2", "Z": "X + 3"}})
FORMS = {
    "rows": lambda rows: "\n".join(" ".join(row) for row in rows),
    "lists": lambda rows: "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]",
    "latex": lambda rows: "$$\\begin{bmatrix} " + " \\\\ ".join(" & ".join(row) for row in rows) + " \\end{bmatrix}$$",
    "table": lambda rows: "|  |  |\n|---|---|\n" + "\n".join("| " + " | ".join(row) + " |" for row in rows),
}


def read_as(text, source="a.md"):
    """Return the entries by step, the lines that are reported, and the notes."""
    try:
        bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
    except AttncalcError as error:
        return {}, [fault.place.line for fault in error.faults]
    rows = {
        step.step.name: [[step.cells[i, j].text if (i, j) in step.cells else "" for j in range(2)] for i in range(3)]
        for step in bound.steps
    }
    notes = [note for note in bound.notes if "is not read as an answer" not in note]  # of lines that take no part
    return rows, [*(piece.fault.place.line for piece in bound.unread), *notes]


# -- between a name and a matrix ---------------------------------------------------------------------------------------

NAMED = ("S =", "S:", "S = QKᵀ", "S = Q K^T =", "**S**:", "$$S=QK^T$$", "S = scores of", "S := Q @ K.T")
SUBJECTS = (
    "A", "S", "Z", "A (after softmax)", "A (rows sum to 1)", "S/√2", "softmax(S/√2)", "S'", "Ŝ", "\\frac{S}{\\sqrt2}", "exp(S)",
    "K^T", "V^T", "100*A", "exp values", "Now scaled", "After scaling", "Applying softmax", "the same with softmax", "(b)",
    "b) scaled scores", "Step 2", "Divide by $\\sqrt2$", "the weights of the mask", "Nun die Maske", "2. weights", "A ± 0.01",
)  # fmt: skip
ENDS = (" =", ":", ".", "", " are", " ≈", " = …", ": see below")


def between():
    """Lines that may begin something else: a formula, a name with words, a clause, an item, an image."""
    built = st.builds("{}{}".format, st.sampled_from(SUBJECTS), st.sampled_from(ENDS))
    return built | st.sampled_from(
        ("![](s.png)", "<img src=s.png>", "(scores)", "see my notes", "?", "→", "A, then:", "...")
    )


@pytest.mark.parametrize("form", FORMS)
@examples(40)
@given(
    name=st.sampled_from(NAMED), lines=st.lists(between(), min_size=1, max_size=2), gap=st.sampled_from(("\n", "\n\n"))
)
def test_law_a_matrix_behind_a_line_that_is_not_understood_is_not_the_one_above(name, lines, gap, form):
    text = gap.join([name, *lines, FORMS[form](MATRIX)])
    found, reported = read_as(text + "\n\nZ = [[7.25, 0.50], [9.75, 8.25], [2.75, 3.50]]\n")
    assert "S" not in found or lines[-1].startswith("S")
    assert reported or lines[-1].rstrip(" =:≈") in ("S", "A", "Z")


@for_each("source", ["a.md", "a.html"])
@for_each("line", ["Applying softmax:", "A with a mask:", "exp values =", "softmax(S) ="])
def test_law_a_line_below_a_heading_that_names_another_matrix_is_reported(line, source):
    text = f"## S\n\n{line}\n\n{FORMS['rows'](MATRIX)}\n"
    if source == "a.html":
        table = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in MATRIX)
        text = f"<h2>S</h2><p>{line}</p><table>{table}</table>"
    found, reported = read_as(text, source)
    assert not found and reported


REMARKS = ("(rounded)", "rounded to 2 decimals", "✓", "(auf 2 Stellen gerundet)")


@for_each("form", FORMS)
@for_each("line", ["", "```", *REMARKS, "= Q Kᵀ", "= softmax(Q)", "$$"])
def test_law_what_goes_on_with_a_name_or_is_a_remark_leaves_it_the_matrix(line, form):
    found, reported = read_as(f"S =\n{line}\n{FORMS[form](MATRIX)}\n")
    assert found == {"S": MATRIX} and not reported


LAYOUT = (
    "\\noindent",
    "\\begin{center}",
    "{\\small",
    "\\vspace{1em}",
    "<br>",
    "print(S)",
    "np.round(S, 2)",
    "S.round(2)",
)


@for_each("line", LAYOUT)
def test_law_a_line_that_only_sets_or_shows_the_matrix_leaves_it_the_name_above(line):
    found, reported = read_as(f"S = Q @ K.T\n{line}\n{FORMS['lists'](MATRIX)}\n")
    assert found == {"S": MATRIX} and not reported


@for_each("sign", [" =", ":"])
@for_each("remark", [" (rounded)", " [final]", ", rounded", " ✓", " (to 2 decimals)"])
def test_law_a_name_with_a_remark_is_the_name(remark, sign):
    text = f"S = QKᵀ\n\nA{remark}{sign}\n{FORMS['rows'](MATRIX)}\n"
    assert read_as(text) == ({"A": MATRIX}, [])


@pytest.mark.parametrize("k", [0, 1, 2])
def test_law_an_index_of_a_name_is_no_remark(k):
    found, reported = read_as("\n".join(f"A[{i}] = {' '.join(MATRIX[i])}" for i in sorted({0, k})))
    assert not reported and found["A"][0] == MATRIX[0] and found["A"][k] == MATRIX[k]


# -- behind a matrix ---------------------------------------------------------------------------------------------------

ROWS = {
    "rows": FORMS["rows"](MATRIX),
    "Julia": "3×2 Matrix{Float64}:\n" + "\n".join(f" {' '.join(row)}" for row in MATRIX),
    "R": "     [,1] [,2]\n" + "\n".join(f"[{k},] {' '.join(row)}" for k, row in enumerate(MATRIX, 1)),
}
NEXT = {
    "lists": "[[7.25, 0.50], [9.75, 8.25], [2.75, 3.50]]",
    "latex": "\\begin{bmatrix} 7.25 & 0.50 \\\\ 9.75 & 8.25 \\\\ 2.75 & 3.50 \\end{bmatrix}",
    "commas": "\\begin{bmatrix} 7,25 & 0,50 \\\\ 9,75 & 8,25 \\\\ 2,75 & 3,50 \\end{bmatrix}",
}


@for_each("item", ["", "- ", "* ", "(c) ", "2. "])
@for_each("gap", ["\n", "\n\n"])
@for_each("following", NEXT)
@for_each("rows", ROWS)
def test_law_a_line_that_names_another_step_ends_the_rows_above_it(rows, following, gap, item):
    found, reported = read_as(f"{item}S =\n{ROWS[rows]}{gap}{item}A = {NEXT[following]}\n")
    shown = {name: [[cell.replace(",", ".") for cell in row] for row in matrix] for name, matrix in found.items()}
    assert shown == {"S": MATRIX, "A": OTHER} and not reported


@for_each("line", ["Exercise 2", "page 2", "2 points", "max 9", "Aufgabe 3"])
def test_law_words_with_a_number_below_rows_are_no_row(line):
    assert read_as(f"S =\n{FORMS['rows'](MATRIX)}\n{line}\n") == ({"S": MATRIX}, [])
    found, reported = read_as(f"S =\n{FORMS['rows'](MATRIX[:2])}\n{line}\n")
    assert not found and reported


# -- a unit, and words that give an answer up --------------------------------------------------------------------------

SCALES = (
    "(in %)", "(×10⁻¹)", "(values in percent)", "(all divided by √2)", "in %", "1/√2 times", "[%]", "(x 10^-2)",
    "scaled by 1/√2", "(Angaben in Prozent)", "(\\times 10^{-1})",
)  # fmt: skip
PROSE = (
    "Divide by √2.",
    "Multiplied by V we get Z.",
    "(scaled dot-product attention)",
    "% final",
    "(I checked 3 times)",
)


def steps_in(pieces, gaps):
    """Return a text of these pieces, each with a gap behind it."""
    return "".join(f"{piece}{gap}" for piece, gap in zip(pieces, gaps, strict=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", SCALES)
@examples(20)
@given(gaps=st.lists(st.sampled_from(("\n", "\n\n")), min_size=3, max_size=3), k=st.integers(0, 2))
def test_law_a_unit_on_its_own_line_spoils_the_numbers_that_it_touches(gaps, k, line, form):
    pieces = [f"S =\n{FORMS[form](MATRIX)}", f"A =\n{FORMS[form](OTHER)}"]
    pieces.insert(k, line)
    touched = {0: {"S"}, 1: {"S", "A"} if gaps[0] == gaps[1] else {"S"} if gaps[0] == "\n" else {"A"}, 2: {"A"}}[k]
    found, reported = read_as(steps_in(pieces, gaps))
    if form != "table" or gaps[0] == "\n\n":  # a Markdown table ends with a blank line
        assert not touched & set(found) and reported
        assert set(found) == {"S", "A"} - touched


@for_each("line", [*PROSE, *REMARKS])
def test_words_that_tell_no_unit_spoil_nothing(line):
    found, _ = read_as(f"S =\n{FORMS['rows'](MATRIX)}\n{line}\n\nA =\n{FORMS['rows'](OTHER)}\n")
    assert found == {"S": MATRIX, "A": OTHER}


GIVEN_UP = (
    "Wrong", "My first (wrong) attempt", "old", "Not needed", "Draft", "Falsch", "Alt", "crossed out", "First attempt",
    "Do not grade",
)  # fmt: skip


@for_each("form", FORMS)
@for_each("frame", ["{}: S =", "{}:\nS =", "## {}\nS =", "{}:\n\nS ="])
@for_each("words", GIVEN_UP)
def test_law_an_attempt_that_is_given_up_is_no_answer_and_is_reported(words, frame, form):
    text = f"{frame.format(words)}\n{FORMS[form](MATRIX)}\n\n"
    found, reported = read_as(text)
    assert not found and reported
    found, reported = read_as(f"{text}## Final\n\nS =\n{FORMS[form](OTHER)}\n")
    assert found == {"S": OTHER} and reported


@for_each("words", ["Not", "Without mask:", "This is not", "Ohne Maske:", "Instead of"])
def test_law_words_that_deny_a_name_are_reported(words):
    found, reported = read_as(f"{words} S = {FORMS['lists'](MATRIX)}\n\nA = {FORMS['lists'](OTHER)}\n")
    assert found == {"A": OTHER} and reported


@for_each("words", ["Final answer:", "This is not hard, so", "Do not forget the mask:", "Corrected:", "(b)"])
def test_words_that_give_nothing_up_leave_the_answer(words):
    assert read_as(f"{words} S = {FORMS['lists'](MATRIX)}\n") == ({"S": MATRIX}, [])


# -- names without their numbers ---------------------------------------------------------------------------------------

UNREAD_ROWS = (
    "Row 1: 1.25 2.50", "* 1.25, 2.50", "1.25 2.50 (sum 10)", "1.25 2.50  # row 1", "[[**1.25**, 2.50], [3.75, 4.25]]", "( 1.25 2.50 )",
    "'1.25 2.50", "$mat(1, 2; 3, 4)$", "[[`1.25`, 2.50]]",
)  # fmt: skip


@for_each("gap", ["\n", "\n\n"])
@for_each("name", ["A", "The matrix A is", "print(A)", "## A", "attention weights A"])
@for_each("rows", UNREAD_ROWS)
def test_law_a_name_above_numbers_that_are_not_read_is_reported(rows, name, gap):
    found, reported = read_as(f"{name}{gap}{rows}\n\nS = {FORMS['lists'](MATRIX)}\n")
    assert found.pop("S") == MATRIX and (reported or found)
    assert read_as(f"{name}{gap}{rows}\n")[1] or found


@for_each("mark", ["#", "##", "### Step 3:", "#### (b)"])
@for_each("form", ["lists", "latex"])
def test_law_an_answer_in_a_heading_is_reported(form, mark):
    found, reported = read_as(f"{mark} A = {FORMS[form](MATRIX)}\n\nS = {FORMS[form](MATRIX)}\n")
    assert found == {"S": MATRIX} and reported == [1]


@for_each("line", ["S[[1,1]] = 1.25", "s11 = 1.25", "S11 = 1.25", "s_1_1 = 1.25"])
def test_law_an_entry_that_is_written_otherwise_is_reported(line):
    found, reported = read_as(f"{line}\n\nA = {FORMS['lists'](MATRIX)}\n")
    assert found == {"A": MATRIX} and reported == [1]


@pytest.mark.parametrize("line", ["A (after softmax):", "Table 1: A after softmax", "the weights (rows add up):"])
def test_a_header_of_a_table_is_no_name_and_the_line_above_is_shown(line):
    table = FORMS["table"](MATRIX).replace("|  |  |", "| k1 | k2 |")
    with pytest.raises(AttncalcError, match="such as") as caught:
        bind(read(f"{line}\n\n{table}\n", "a.md"), PROBLEM)
    assert "k1" not in str(caught.value) and line in str(caught.value)


@pytest.mark.parametrize("row", ["1.25 2.50; 3.75 4.25; 5.75 6.50", "1.25, 2.50; 3.75, 4.25; 5.75, 6.50;"])
def test_rows_between_semicolons_in_round_brackets_are_read(row):
    assert read_as(f"S = ({row})\n") == ({"S": MATRIX}, [])


@for_each("between", [" ", ", ", "; ", " and "])
def test_statements_with_round_brackets_on_one_line_are_read_each_by_itself_or_reported(between):
    first, second = ("(" + "; ".join(" ".join(row) for row in rows) + ")" for rows in (MATRIX, OTHER))
    found, reported = read_as(f"S = {first}{between}A = {second}\n")
    assert found == {"S": MATRIX, "A": OTHER} or not found and reported


@for_each("form", FORMS)
def test_what_a_notebook_prints_below_its_prompt_is_that_of_the_name(form):
    text = "".join(
        f"In [{k}]: {name}\nOut[{k}]:\n{FORMS[form](rows)}\n\n"
        for k, (name, rows) in enumerate([("S", MATRIX), ("A", OTHER)], 1)
    )
    assert read_as(text) == ({"S": MATRIX, "A": OTHER}, [])


def test_an_answer_in_a_note_is_reported():
    found, reported = read_as(f"Note: S = {FORMS['lists'](MATRIX)}\nA = {FORMS['lists'](OTHER)}\n")
    assert found == {"A": OTHER} and reported == [1]


INSIDE = (
    "b)",
    "http://x.org/1",
    "> quote",
    "≈ 0.5",
    "see page 3 for more",
    "percent",
    "times 10",
    "(in %)",
    "12:30",
    "…",
)


@for_each("k", [1, 2])
@for_each("line", INSIDE)
def test_law_a_line_between_rows_makes_no_wrong_shape(line, k):
    rows = [" ".join(row) for row in MATRIX]
    rows.insert(k, line)
    text = "S =\n" + "\n".join(rows) + f"\n\nA = {FORMS['lists'](OTHER)}\n"
    bound = bind(read(text, "a.md", lenient=True), PROBLEM, lenient=True)
    assert not bound.shapes and bound.unread


@pytest.mark.parametrize("sign", ["×", "/"])
def test_rows_with_crossed_cells_are_rows(sign):
    found, reported = read_as(f"S =\n1.25 {sign}\n{sign} 2.50\n3.75 4.25\n")
    assert found == {"S": [["1.25", ""], ["", "2.50"], ["3.75", "4.25"]]} and not reported
