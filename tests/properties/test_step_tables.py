"""A student's table of steps: a fault costs its own cell, and no number is read as another step's."""

import csv
import io

import pytest
from openpyxl import Workbook

from attncalc.api import loads
from attncalc.errors import AttncalcError
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = loads("""title: Tables
rounding: {digits: 2}
given: {P: [[0.1, 0.7], [0.25, -0.5]], V: [[1, -2, 5], [4, 7, 3]]}
steps: {A: softmax(P), Z: V * V + 0.25, c: sum(V) / 7}
""")
A = [["0.35", "0.65"], ["0.68", "0.32"]]
Z = [["1.25", "4.25", "25.25"], ["16.25", "49.25", "9.25"]]
FORMS = {
    "name above": lambda name, rows: [[name], *rows],
    "name and sign": lambda name, rows: [[f"{name} ="], *rows],
    "name beside": lambda name, rows: [[name, *rows[0]], *(["", *row] for row in rows[1:])],
    "name beside each row": lambda name, rows: [[name, *row] for row in rows],
    "labels": lambda name, rows: [[name, *"xyz"[: len(rows[0])]], *([f"row {k}", *row] for k, row in enumerate(rows))],
    "flat": lambda name, rows: [[name, *(text for row in rows for text in row)]],
}
STATED = {
    "list": lambda name, rows: [[name, f"[{', '.join(f'[{chr(44).join(row)}]' for row in rows)}]"]],
    "tuple": lambda name, rows: [[name, f"({', '.join(f'({chr(44).join(row)})' for row in rows)})"]],
    "sign": lambda name, rows: [[name, "=", *rows[0]], *([name, "=", *row] for row in rows[1:])],
    "statement": lambda name, rows: [[f"{name} = [{', '.join(f'[{chr(44).join(row)}]' for row in rows)}]"]],
}
SPOILS = ("#NAME?", "O.35", "0.3.5", "?!")


def as_csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(), "a.csv"


def as_xlsx(rows):
    book, content = Workbook(), io.BytesIO()
    for i, row in enumerate(rows, 1):
        for j, text in enumerate(row, 1):
            if text:
                book.active.cell(i, j, float(text) if text.replace(".", "", 1).isdigit() else text)
    book.save(content)
    return content.getvalue(), "a.xlsx"


def verdicts(rows, write):
    """Return the verdict of each answered step, and the number of unread pieces."""
    bound = bind(read(*write(rows), lenient=True), PROBLEM, lenient=True)
    found = {step.step.key: step.verdict for step in check(PROBLEM, bound).steps if step.verdict != "missing"}
    return found, len(bound.unread)


@for_each("write", [as_csv, as_xlsx])
@for_each("second", ["name above", "name beside", "labels"])
@for_each("first", FORMS)
def test_steps_below_each_other_are_right(first, second, write):
    rows = [*FORMS[first]("Z", Z), [], *FORMS[second]("A", A), [], ["c", "2.57"]]
    assert verdicts(rows, write) == ({"A": "right", "Z": "right", "c": "right"}, 0)


@for_each("write", [as_csv, as_xlsx])
@for_each("spoil", SPOILS)
@for_each("at", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_cell_that_cannot_be_read_costs_itself(at, spoil, write):
    rows = [list(row) for row in A]
    rows[at[0]][at[1]] = spoil
    found, unread = verdicts([["A"], *rows, [], ["c", "2.57"]], write)
    assert found == {"A": "right", "c": "right"} and unread == 1


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_title_is_listed_and_costs_nothing(write):
    assert verdicts([["Exercise 3"], ["A"], *A], write) == ({"A": "right"}, 1)


@for_each("name", ["S", "S =", "S;"])
@for_each("typed", [["0,96", "1,5"], ["5,1", "6"], ["7", "8,2"], ["-0,5", "1,5e-3"]])
def test_decimal_commas_between_semicolons_below_a_name_are_read(typed, name):
    rows = [typed, ["1,5", "2,5"], ["3,5", "4"]]
    script = read(f"{name}\n" + "\n".join(map(";".join, rows)) + "\n", "a.csv")
    found = [[[cell.text.replace(".", ",") for cell in row] for row in answer.rows] for answer in script.answers]
    assert found == [rows]


@for_each("write", [as_csv, as_xlsx])
@for_each("line", ["A (in %)", "(see note)", "A, then", "A?"])
def test_rows_below_a_name_that_cannot_be_read_are_of_no_other_step(line, write):
    found, unread = verdicts([["Z"], *Z, [line], *A, ["c", "2.57"]], write)
    assert "wrong" not in found.values() and unread
    assert found == {"Z": "right", "c": "right"}
    found, unread = verdicts([["A"], A[0], [line], A[1], ["c", "2.57"]], write)
    assert "wrong" not in found.values() and unread


def beside(*tables):
    """Return tables next to each other, with an empty column between them."""
    width = max(len(row) for table in tables for row in table)
    lines = [[table[k] if k < len(table) else [] for table in tables] for k in range(max(map(len, tables)))]
    return [[cell for row in line for cell in (*row, *[""] * (width + 1 - len(row)))] for line in lines]


def named(name):
    return lambda rows: [[name], *rows]


ARRANGED = {
    "from another cell": lambda rows: [[], [], ["", "", "A"], *(["", "", *row] for row in rows)],
    "name to the left": lambda rows: [["A"], *(["", *row] for row in rows)],
    "name far to the left": lambda rows: [["A"], *(["", "", *row] for row in rows)],
    "beside another step": lambda rows: beside([["A"], *rows], [["c"], ["2.57"]]),
    "between other steps": lambda rows: beside([["Z"], *Z], [["A"], *rows], [["c"], ["2.57"]]),
    "words beside": lambda rows: [["A"], [*rows[0], "my note"], rows[1]],
    "words below": lambda rows: [["A"], rows[0], [*rows[1], "", "looks fine"]],
    "numbers below": lambda rows: [["A"], *rows, [], ["9", "9"]], "more below": lambda rows: [["A"], *rows, [], *rows],
    "rows apart": lambda rows: [["A"], rows[0], [], rows[1]],
    **{name: named(name) for name in ("A = softmax(P)", "A (softmax(P))", "Step 2: A", "Part b) A =", "A:")},
}  # fmt: skip


@for_each("write", [as_csv, as_xlsx])
@for_each("form", ARRANGED)
def test_law_wherever_a_matrix_stands_it_is_read_as_it_was_meant(form, write):
    found, unread = verdicts(ARRANGED[form](A), write)
    assert found["A"] == "right" and {*found.values()} == {"right"} and not unread
    assert verdicts(ARRANGED[form]([["0.53", "0.65"], A[1]]), write)[0].get("A") != "right"


@for_each("write", [as_csv, as_xlsx])
@for_each(
    "rows",
    [
        [["A"], A[0], [], *A], [["A"], [*A[0], "× 10"], A[1]], [["A"], [*A[0], "or"], A[1]], [["A"], [*A[0], "?"], A[1]],
        [["A (in %)"], *A], [["A = 0.35"], *A],
    ],
)  # fmt: skip
def test_a_matrix_beside_which_something_else_stands_is_reported_and_not_wrong(rows, write):
    found, unread = verdicts(rows, write)
    assert found == {} and unread


def test_lines_without_a_student_are_not_called_students():
    with pytest.raises(AttncalcError, match="expected one line of answers below the header, found 2"):
        read(",,A,,c\n,,0.35,0.65,\n,,0.68,0.32\n", "a.csv")


@for_each("write", [as_csv, as_xlsx])
@for_each("header", [[], [["Step", "Answer"]], [["Schritt", "Ergebnis"]]])
@for_each("form", STATED)
def test_names_beside_their_matrices_are_read_with_a_header_or_without(form, header, write):
    for z, verdict in ((Z, "right"), ([["7", *Z[0][1:]], Z[1]], "wrong")):
        rows = [*header, *STATED[form]("Z", z), ["c", "2.57"], *STATED[form]("A", A)]
        assert verdicts(rows, write) == ({"Z": verdict, "c": "right", "A": "right"}, 0)


def test_a_formula_without_a_value_is_named():
    bound = bind(
        read(b"c\n=18/7\nZ\n1.25,4.25,25.25\n16.25,49.25,9.25\n", "a.csv", lenient=True), PROBLEM, lenient=True
    )
    assert [step.step.key for step in bound.steps] == ["Z"]
    assert [(piece.step, "a formula" in piece.fault.message) for piece in bound.unread] == [("c", True)]


@pytest.mark.parametrize("first", ["name", "student"])
def test_students_with_their_answers_are_no_steps(first):
    with pytest.raises(AttncalcError, match="student"):
        read(f"{first},answer\nAda,1.25\nBob,2.57\n".encode(), "a.csv")


@for_each("write", [as_csv, as_xlsx])
@for_each("second", FORMS)
@for_each("first", FORMS)
def test_steps_right_below_each_other_are_right(first, second, write):
    for z, verdict in ((Z, "right"), ([["7", *Z[0][1:]], Z[1]], "wrong")):
        rows = [*FORMS[first]("Z", z), *FORMS[second]("A", A), ["c", "2.57"]]
        found, unread = verdicts(rows, write)
        assert (
            found == {"Z": verdict, "A": "right", "c": "right"}
            or unread
            and "wrong" not in {*found.values()} - {verdict}
        )


@pytest.mark.parametrize("separator", [";", "\t"])
def test_lists_in_cells_do_not_change_the_sign_between_cells(separator):
    rows = [["Z"], *Z, [f"A = [{', '.join(f'[{chr(44).join(row)}]' for row in A)}]"], ["c", "2.57"]]
    text = "\n".join(separator.join(row) for row in rows)
    assert verdicts(rows, lambda _: (text.encode(), "a.csv"))[0] == {"Z": "right", "A": "right", "c": "right"}
