"""Tables to type a class's answers into: written by attncalc, filled in by openpyxl or Python's csv as a person would,
and graded.
"""

import csv
import io
import json
import random
import sys
from datetime import date
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.cli import main
from attncalc.submissions.tables.xml_stream import as_shown
from tests.support.laws import examples

HEAD = """\
title: Masked heads
parts:
  q1:
    given: {{Q: {Q}, K: [[1, 1], [0, 1], [2, 0]], V: [[1, 2], [3, 4], [5, 7]]}}
    rounding: {{digits: 2}}
    attention: {{mask: causal}}
    asked: [S_masked, A, Z]
  q2_loss:
    given: {{P: [[{p}, 0.5], [0.25, 0.75]], ids: [0, 1]}}
    rounding: {{digits: 3}}
    steps: {{loss: "cross_entropy(P, ids)"}}
"""
QUERIES = ["[[1, 0], [0, 1], [1, 1]]", "[[2, 1], [1, 0], [0, 2]]", "[[0, 1], [2, 2], [1, 3]]"]
STUDENTS = ["00417", "s-2", "ada@example.org"]
CODES = ["K7Q2", "M3XX", "P9RA"]
MASKED = [(0, 1), (0, 2), (1, 2)]


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    papers = [
        {"code": code, "number": k, "student": who, "seed": "", "problem": HEAD.format(Q=Q, p=f"0.{k}")}
        for k, (code, who, Q) in enumerate(zip(CODES, STUDENTS, QUERIES), 1)
    ]
    path = tmp_path_factory.mktemp("exam") / "key.json"
    path.write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "Midterm", "sheet": "s.yaml", "variants": papers})
    )
    return path


@pytest.fixture(scope="module")
def right(key):
    """The right answer to every entry, by the paper's code and the name of the column."""
    found = {}
    for paper in json.loads(key.read_text())["variants"]:
        for part in attncalc.solve(attncalc.api.loads(paper["problem"])).parts:
            for step in part:
                for i, row in enumerate(step.decimals()):
                    for j, text in enumerate(row):
                        found[paper["code"], f"{step.step.key}[{i},{j}]"] = text
    return found


@pytest.fixture
def run(monkeypatch, capsys):
    def command(*words):
        monkeypatch.setattr(sys, "argv", ["attncalc", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return command


def marks(out):
    return {row["student"]: row for row in csv.DictReader(io.StringIO(out))}


def heads(sheet):
    """The row with the names of the columns, and where each of them is."""
    row = next(row for row in sheet.iter_rows() if row[0].value == "student")
    return row[0].row, {cell.value: cell.column for cell in row if cell.value}


def fill(book, right, typed=lambda text: text, only=lambda name: True):
    """Types the right answers into every entry that is empty."""
    for sheet in book.worksheets:
        top, columns = heads(sheet)
        for row in range(top + 1, sheet.max_row + 1):
            code = sheet.cell(row, columns["problem"]).value
            for name, column in columns.items():
                if "." in name and sheet.cell(row, column).value is None and only(name) and (code, name) in right:
                    sheet.cell(row, column).value = typed(right[code, name])
    return book


@pytest.fixture
def workbook(key, run, tmp_path):
    path = tmp_path / "class.xlsx"
    assert run("answers", key, "-o", path)[0] == 0
    return path


@pytest.fixture
def rows(key, run):
    _, out, _ = run("answers", key)
    return list(csv.reader(io.StringIO(out.removeprefix("\ufeff"))))


def save(path, rows, sign=",", encoding="utf-8"):
    with open(path, "w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=sign).writerows(rows)
    return path


def filled(rows, right, typed=lambda text: text):
    head, *body = rows
    code = head.index("problem")
    return [
        head,
        *(
            [cell or typed(right.get((row[code], name), "")) if "." in name else cell for name, cell in zip(head, row)]
            for row in body
        ),
    ]


def full(key, run, path):
    """Grading gives full marks for everybody, and nothing to say."""
    code, out, err = run("grade", key, path)
    assert (code, err) == (0, ""), err
    assert {who: (row["marks"], row["out_of"], row["variant"]) for who, row in marks(out).items()} == {
        who: ("4", "4", code) for who, code in zip(STUDENTS, CODES)
    }
    return out


# -- there and back ----------------------------------------------------------------------------------------------------


def test_a_workbook_asks_for_every_entry_and_no_other(workbook, right):
    book = openpyxl.load_workbook(workbook)
    assert book.sheetnames == ["Question 1", "Question 2"]
    named = set()
    for sheet in book.worksheets:
        top, columns = heads(sheet)
        named |= {name for name in columns if "." in name}
        assert [sheet.cell(row, 1).value for row in range(top + 1, sheet.max_row + 1)] == STUDENTS
        assert [sheet.cell(row, columns["problem"]).value for row in range(top + 1, sheet.max_row + 1)] == CODES
        assert sheet.freeze_panes == sheet.cell(top + 1, 3).coordinate
        assert all(cell.number_format == "@" for row in sheet.iter_rows(min_row=top) for cell in row)
        (check,) = sheet.data_validations.dataValidation
        assert check.type == "custom" and check.errorStyle == "warning" and len(check.formula1) <= 255
        assert sheet.cell(top + 1, 3).coordinate in check.sqref
    assert named == {
        name for _, name in right if name.partition("[")[0] in ("q1.S_masked", "q1.A", "q1.Z", "q2_loss.loss")
    }
    top, columns = heads(book["Question 1"])
    filled_in = {
        name: book["Question 1"].cell(top + 1, column).value for name, column in columns.items() if "." in name
    }
    expected = {f"q1.{step}[{i},{j}]": text for step, text in (("S_masked", "−∞"), ("A", "0")) for i, j in MASKED}
    assert {name: text for name, text in filled_in.items() if text} == expected


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "typed",
    [str, lambda text: text.replace(".", ","), lambda text: text.replace("-", "−"), float],
    ids=["points", "commas", "signs", "numbers"],
)
def test_the_key_typed_into_a_workbook_has_full_marks(key, run, workbook, right, typed):
    fill(openpyxl.load_workbook(workbook), right, lambda text: typed(text) if "inf" not in text else text).save(
        workbook
    )
    full(key, run, workbook)


SAVED = [
    (",", "utf-8", False),
    (";", "utf-8-sig", True),
    ("\t", "utf-16", True),
    (";", "utf-16-le", False),
    (",", "utf-8", True),
]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("sign", "encoding", "commas"), SAVED)
def test_the_key_typed_into_csv_has_full_marks_whatever_saves_it(
    key, run, rows, right, tmp_path, sign, encoding, commas
):
    typed = (lambda text: text.replace(".", ",")) if commas else str
    full(key, run, save(tmp_path / "class.csv", filled(rows, right, typed), sign, encoding))


@pytest.mark.sweep(quick=0)
def test_thousandths_with_commas_are_decimals_where_semicolons_part_cells(key, run, rows, right, tmp_path):
    """`1,234` alone could be a thousand, were the file not one of a spreadsheet that writes commas."""
    table = filled(rows, right, lambda text: text.replace(".", ","))
    head, first = table[0], table[1]
    loss = head.index("q2_loss.loss[0,0]")
    first[loss] = "1,234"
    code, out, err = run("grade", key, save(tmp_path / "class.csv", table, ";"))
    assert (code, err) == (0, "") and marks(out)["00417"]["q2_loss.loss"] == "0" and marks(out)["s-2"]["marks"] == "4"
    few = [[row[k] for k in (head.index("student"), loss)] for row in table]
    few[1:] = [[row[0], "1,234"] for row in few[1:]]
    assert "could not be read" not in run("grade", key, save(tmp_path / "few.csv", few, ";"))[1]
    assert run("grade", key, save(tmp_path / "few.csv", few, "\t"))[1].count("did you mean 1.234 or 1234?") == 3


def test_who_has_an_untouched_row_is_absent(key, run, workbook, rows, tmp_path):
    for path in (workbook, save(tmp_path / "class.csv", rows)):
        code, out, err = run("grade", key, path)
        assert (code, err) == (0, "3 students are absent: 00417, s-2, ada@example.org\n")
        for row in marks(out).values():
            assert (row["status"], row["marks"], row["out_of"], row["remarks"]) == ("absent", "", "", "")


@pytest.mark.sweep(quick=0)
def test_rows_and_columns_may_change_places(key, run, workbook, rows, right, tmp_path):
    expected = full(key, run, save(tmp_path / "class.csv", filled(rows, right)))
    draw = random.Random(5)
    head, *body = filled(rows, right)
    order = draw.sample(range(len(head)), len(head))
    mixed = [["a remark", *(row[k] for k in order)] for row in [head, *draw.sample(body, 3)]]
    again = full(key, run, save(tmp_path / "class.csv", mixed, ";"))
    assert {who: row["q1.A"] for who, row in marks(again).items()} == {
        who: row["q1.A"] for who, row in marks(expected).items()
    }
    book = fill(openpyxl.load_workbook(workbook), right)
    sheet = book["Question 1"]
    for row in sheet.iter_rows(min_row=1, max_row=1):
        row[0].value = None  # what to do
    sheet.insert_cols(2)
    sheet.cell(heads(sheet)[0], 2).value = "seen by"
    sheet.move_range(f"A{heads(sheet)[0] + 1}:{sheet.cell(heads(sheet)[0] + 1, sheet.max_column).coordinate}", rows=5)
    book.create_sheet("Notes").append(["K. was ill"])
    book.save(workbook)
    full(key, run, workbook)


# -- what is wrong in a table ------------------------------------------------------------------------------------------


def test_a_row_that_was_deleted_is_told(key, run, workbook, rows, right, tmp_path):
    table = filled(rows, right)
    code, out, err = run("grade", key, save(tmp_path / "class.csv", table[:-1]))
    assert (code, err) == (0, "the table has no row for 1 student of the key: ada@example.org\n") and len(
        marks(out)
    ) == 2
    book = fill(openpyxl.load_workbook(workbook), right)
    book["Question 2"].delete_rows(heads(book["Question 2"])[0] + 1)
    book.save(workbook)
    code, out, err = run("grade", key, workbook)
    assert code == 1 and "1 of 3 scripts should be checked by a person; see the columns status" in err
    assert (
        marks(out)["00417"]["remarks"].startswith("Question 2: this tab of the workbook has no row for this student")
        and marks(out)["00417"]["marks"] == "3"
    )
    assert marks(out)["s-2"]["marks"] == "4"


def test_a_column_that_was_deleted_is_told(key, run, rows, right, tmp_path):
    head = rows[0]
    gone = [head.index(name) for name in ("q1.Z[1,0]", "q2_loss.loss[0,0]")]
    path = save(
        tmp_path / "class.csv", [[cell for k, cell in enumerate(row) if k not in gone] for row in filled(rows, right)]
    )
    code, out, err = run("grade", key, path)
    said = (
        "the table has no column for q1.Z[1,0], q2_loss.loss[0,0], which the paper asks for (counted as not answered)"
    )
    assert code == 1 and err == f"{path}:1:1: {said} (3 students)\n"
    assert {row["q1.A"] for row in marks(out).values()} == {"1"} and {
        row["q2_loss.loss"] for row in marks(out).values()
    } == {"0"}


@pytest.mark.parametrize("tab", ["Question 1", "Question 3"])
def test_a_missing_column_is_told_where_it_is_missing(key, run, workbook, right, tab):
    """It was told at the first tab's header, which may have all of its columns."""
    book = fill(openpyxl.load_workbook(workbook), right)
    if tab not in book.sheetnames:  # the columns of Z on a tab of their own, behind those of the second question
        book.copy_worksheet(book["Question 1"]).title = tab
        for sheet, only in ((book["Question 1"], "q1.S"), (book[tab], "q1.Z")):
            _, columns = heads(sheet)
            for name in reversed([one for one in columns if "." in one and not one.startswith(only)]):
                sheet.delete_cols(columns[name])
    top, columns = heads(book[tab])
    gone = next(name for name in columns if "." in name)
    book[tab].delete_cols(columns[gone])
    book.save(workbook)
    code, _, err = run("grade", key, workbook)
    assert code == 1 and f"{workbook}, {tab}:{top}:1: the table has no column for {gone}, which" in err


def test_a_tab_that_is_left_aside_is_named(key, run, workbook, right):
    book = fill(openpyxl.load_workbook(workbook), right)
    top, columns = heads(book["Question 2"])
    for column in columns.values():
        book["Question 2"].cell(top, column).value = "?"
    book.save(workbook)
    code, _, err = run("grade", key, workbook)
    assert (
        code == 1 and err.startswith(f"{workbook}: the table has no column for q2_loss.") and "ignored because" in err
    )
    assert "Question 2" in err


def test_a_workbook_whose_students_are_called_otherwise_in_every_tab(key, run, right, tmp_path):
    """Their names were taken for their numbers: no override and no course system would have found them."""
    save(tmp_path / "list.csv", [["number", "name"], *zip(STUDENTS, ["Ada", "Bob", "Eve"])])
    path = tmp_path / "class.xlsx"
    assert run("answers", key, "--students", tmp_path / "list.csv", "-o", path)[0] == 0
    book = fill(openpyxl.load_workbook(path), right)
    for sheet in book:
        top, columns = heads(sheet)
        sheet.cell(top, columns["student"]).value = "Teilnehmer"
    book.save(path)
    code, out, err = run("grade", key, path)
    assert code == 1 and {who: row["marks"] for who, row in marks(out).items()} == dict.fromkeys(STUDENTS, "4")
    assert "no student of this table is in the key, so students are found by the codes of their papers" in err
    assert len(err.splitlines()) == 1 and "(3 students)" in err


def test_a_tab_without_the_column_of_students_is_a_fault(key, run, workbook, right):
    """It was dropped, and only the rows said so."""
    book = fill(openpyxl.load_workbook(workbook), right)
    top, columns = heads(book["Question 2"])
    book["Question 2"].cell(top, columns["student"]).value = "Teilnehmer"
    book.save(workbook)
    code, out, err = run("grade", key, workbook)
    fault = "expected the column 'student' in every tab, found no column of students in the tab 'Question 2'"
    assert code == 1 and err.startswith(f"{workbook}, Question 2:{top}:1: {fault}; call that column 'student'\n")
    assert {*marks(out)} == {"class"}


def test_the_key_of_another_exam_is_told_once(key, run, workbook, right, tmp_path):
    """Each line was told with an error of its own."""
    fill(openpyxl.load_workbook(workbook), right).save(workbook)
    data = json.loads(key.read_text())
    for paper in data["variants"]:
        paper["code"] = paper["code"][::-1]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data))
    code, out, err = run("grade", other, workbook)
    first, *rest = err.splitlines()
    assert code == 1 and "is it the key of a different exam?" in first and "has no variant 'K7Q2'" in first
    assert rest == ["3 of 3 scripts could not be graded"]
    assert all("the key has no variant" in row["remarks"] for row in marks(out).values())


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_list_of_students_and_a_table_of_marks_are_no_answers(key, run, workbook, right, tmp_path, ending):
    """Each line was told that it lacks the code of its paper, or that its marks are matrices of another shape."""
    lines = [["Student", "SIS User ID", "Section"], *([f"Ada {k}", who, "1"] for k, who in enumerate(STUDENTS))]
    path = tmp_path / f"list.{ending}"
    if ending == "csv":
        save(path, lines)
    else:
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
        book.save(path)
    code, _, err = run("grade", key, path)
    first, *rest = err.splitlines()
    assert code == 1 and ":1:1: expected columns of answers, found " in first and first.endswith("(3 students)")
    assert f"attncalc answers KEY --students list.{ending} -o class.xlsx" in first
    assert rest[0] == "3 of 3 scripts could not be graded"
    fill(openpyxl.load_workbook(workbook), right).save(workbook)
    assert run("grade", key, workbook, "-o", tmp_path / "marks.csv")[0] == 0
    code, _, err = run("grade", key, tmp_path / "marks.csv")
    assert code == 1 and err.splitlines() == [
        f"{tmp_path / 'marks.csv'}:1:1: expected answers, found a table of marks from attncalc grade (3 students)",
        "3 of 3 scripts could not be graded",
    ]


def test_the_folder_of_an_exam_in_place_of_its_key(key, run, workbook):
    code, _, err = run("grade", key.parent, workbook)
    assert code == 2 and err.endswith(f"found a folder; did you mean {key}?\n")


def test_a_student_whom_the_key_does_not_know_is_told_in_one_place(key, run, workbook, rows, right, tmp_path):
    stranger = ["s-99", "", *filled(rows, right)[1][2:]]
    path = save(tmp_path / "class.csv", [*filled(rows, right), stranger])
    book = fill(openpyxl.load_workbook(workbook), right)
    for page in book:
        page.cell(page.max_row + 1, 1).value = "s-99"
    book.save(workbook)
    for table in (path, workbook):
        code, out, err = run("grade", key, table)
        said = next(line for line in err.splitlines() if "expected the code of the paper" in line)
        assert code == 1 and said.endswith("the key has no student 's-99'") and said.count(table.name) == 1
        assert marks(out)["s-99"]["status"] == "not graded" and marks(out)["00417"]["marks"] == "4"


@pytest.mark.parametrize("headings", [("who", "which"), ("", "")])
def test_a_table_without_students_and_codes_is_told_once(key, run, rows, right, tmp_path, headings):
    """It was told once a line that a student is expected there, and no column was named."""
    head, *lines = filled(rows, right)
    path = save(tmp_path / "class.csv", [[*headings, *head[2:]], *lines])
    code, out, err = run("grade", key, path)
    said = "expected a column student, or a column problem with the code of each paper, found "
    assert code == 1 and err.count(said) == 1 and "(3 students)" in err and "q1.S_masked[0,0]" in err
    assert all(row["status"] == "not graded" for row in csv.DictReader(io.StringIO(out)))


@pytest.mark.sweep(quick=0)
def test_the_table_of_another_exam_is_told(key, run, rows, right, tmp_path):
    table = filled(rows, right)
    other = [[cell.replace("q1.", "q7.").replace("q2_loss.loss", "q8.Y") for cell in table[0]], *table[1:]]
    path = save(tmp_path / "class.csv", other)
    code, out, err = run("grade", key, path)
    assert (
        code == 1
        and "3 of 3 scripts could not be graded" in err
        and all(row["status"] == "not graded" for row in marks(out).values())
    )
    assert f"{path}:1:1: expected columns such as q1.S_masked[0,0], found student, " in err
    assert err.count("is this the table of a different exam?") == 1 and "exam? (3 students)" in err
    codes = [[*row] for row in table]
    codes[2][1] = "ZZZZ"
    code, out, err = run("grade", key, save(path, codes))
    assert code == 1 and f"{path}:3:1: the key has no variant 'ZZZZ'" in err and marks(out)["00417"]["marks"] == "4"
    beside = [[*table[0], "q9.Z[0,0]"], *([*row, "1"] for row in table[1:])]
    code, out, err = run("grade", key, save(path, beside))
    place = len(",".join(f'"{name}"' if "," in name else name for name in table[0])) + 3
    said = (
        f"{path}:1:{place}: this paper does not ask for q9.Z[0,0], which is ignored; is this the table of a "
        "different exam? (3 students)"
    )
    assert code == 1 and said in err.splitlines() and {row["marks"] for row in marks(out).values()} == {"4"}


UNREAD = [
    ("0.6?", "is the number certain?"),
    ("=1/3", "a formula"),
    (date(2026, 1, 3), "turned this number into a date;"),
    ("#NAME?", "an error value of the spreadsheet"),
    ("0.5.3", "more than one decimal point"),
    ("03.Jan", "turned this number into a date;"),
    ("Jan 03", "turned this number into a date;"),
    ("1. Mrz", "turned this number into a date;"),
    (True, "expected a number, found 'TRUE'"),
]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("typed", "says"), UNREAD)
def test_what_cannot_be_read_costs_its_entry_alone_and_is_told_with_its_place(key, run, workbook, right, typed, says):
    book = fill(openpyxl.load_workbook(workbook), right)
    top, columns = heads(book["Question 1"])
    cell = book["Question 1"].cell(top + 2, columns["q1.Z[2,1]"])
    cell.value = typed
    book.save(workbook)
    code, out, err = run("grade", key, workbook)
    assert code == 1 and f"{workbook}, Question 1:{cell.row}:{cell.column}: " in err and says in err
    assert {who: row["status"] for who, row in marks(out).items()} == dict(zip(STUDENTS, ["graded", "look", "graded"]))
    assert marks(out)["s-2"]["q1.A"] == "1" and float(marks(out)["s-2"]["q1.Z"]) < 1
    assert f"(Question 1, line {cell.row}, column {cell.column})" in marks(out)["s-2"]["remarks"]


@pytest.mark.sweep(quick=0)
def test_zeros_that_a_spreadsheet_dropped_are_found_again(key, run, rows, right, tmp_path):
    table = filled(rows, right)
    table[1][0:2] = ["417", ""]
    code, out, err = run("grade", key, save(tmp_path / "class.csv", table))
    row = marks(out)["00417"]
    assert (code, err) == (0, "") and row["marks"] == "4" and "the number 417 was read as 00417" in row["remarks"]


# -- numbers that a spreadsheet keeps ----------------------------------------------------------------------------------


@examples(300)
@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 18))
def test_a_number_of_fifteen_digits_is_read_as_it_was_typed(digits, places):
    number = Decimal(digits).scaleb(-places)
    assert Decimal(as_shown(float(str(number)))) == number


def test_binary_noise_is_no_digit():
    assert (
        as_shown(0.1 + 0.2) == "0.3"
        and as_shown(1 / 3) == "0.333333333333333"
        and as_shown(0.5, "0.00") == "0.50"
        and as_shown(12.5, "0.0") == "12.5"
    )


# -- other tables ------------------------------------------------------------------------------------------------------


def test_a_problem_s_table_is_csv_and_blank(run, tmp_path):
    (tmp_path / "p.yaml").write_text(HEAD.format(Q=QUERIES[0], p="0.5"))
    assert run("answers", tmp_path / "p.yaml", "-o", tmp_path / "blank.csv")[0] == 0
    head, line = csv.reader((tmp_path / "blank.csv").read_text().splitlines())
    assert head[0] == "student" and len(head) == len(line) and set(line[1:]) == {"_"}
    _code, out, _err = run("check", tmp_path / "p.yaml", tmp_path / "blank.csv", "--to", "json")
    assert {step["verdict"] for part in json.loads(out)["parts"] for step in part["steps"] if step["out_of"]} == {
        "missing"
    }


@pytest.mark.sweep(quick=0)
def test_a_list_of_students_makes_the_rows(run, tmp_path, right):
    (tmp_path / "p.yaml").write_text(HEAD.format(Q=QUERIES[0], p="0.1"))
    names = ['Ada, "A."', '=HYPERLINK("http://x")', "\\input{x}"]
    save(tmp_path / "list.csv", [["number", "name"], *(["s-1", names[0]], ["-2+3", names[1]], ["00417", names[2]])])
    for ending in ("csv", "xlsx"):
        path = tmp_path / f"class.{ending}"
        assert run("answers", tmp_path / "p.yaml", "--students", tmp_path / "list.csv", "-o", path)[0] == 0
        if ending == "xlsx":
            sheet = openpyxl.load_workbook(path)["Question 1"]
            assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}, (
                "no formula, whatever a student is called"
            )
            top = heads(sheet)[0]
            assert [sheet.cell(top + k, 2).value for k in (1, 2, 3)] == names
        else:
            cells = [cell for row in csv.reader(path.read_text("utf-8-sig").splitlines()) for cell in row]
            assert not any(cell.startswith(tuple("=+-@")) for cell in cells)
        code, out, err = run("grade", tmp_path / "p.yaml", path)
        absent = "3 students are absent: s-1, -2+3, 00417\n"
        assert (
            code == 0
            and err.endswith(absent)
            and [row["student"].lstrip("'") for row in csv.DictReader(io.StringIO(out))] == ["s-1", "-2+3", "00417"]
        )


def test_a_list_of_students_beside_a_key_without_them_asks_for_the_codes_of_their_papers(key, run, right, tmp_path):
    data = json.loads(key.read_text())
    for variant in data["variants"]:
        variant["student"] = None
    (tmp_path / "key.json").write_text(json.dumps(data))
    save(tmp_path / "list.csv", [["number", "name"], ["s-1", "Ada"], ["s-2", "Bob"]])
    code, out, err = run("answers", tmp_path / "key.json", "--students", tmp_path / "list.csv")
    head, *lines = csv.reader(io.StringIO(out.removeprefix("\ufeff")))
    assert (code, err) == (0, "") and head[:3] == ["student", "name", "problem"]
    assert [line[:3] for line in lines] == [["s-1", "Ada", ""], ["s-2", "Bob", ""]]
    lines[0][2] = "K7Q2"
    lines[0][3:] = [right.get(("K7Q2", name), "") for name in head[3:]]
    _code, out, _err = run("grade", tmp_path / "key.json", save(tmp_path / "class.csv", [head, lines[0]]))
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["variant"], row["marks"]) == ("K7Q2", row["out_of"])


def test_names_stand_beside_the_students_of_a_key(key, run, tmp_path):
    save(tmp_path / "list.csv", [["number", "name"], ["s-2", "Bob"], ["s-9", "Zed"]])
    _code, out, err = run("answers", key, "--students", tmp_path / "list.csv")
    lines = [row[:3] for row in csv.reader(io.StringIO(out.removeprefix("\ufeff")))]
    assert lines == [
        ["student", "name", "problem"],
        ["00417", "", "K7Q2"],
        ["s-2", "Bob", "M3XX"],
        ["ada@example.org", "", "P9RA"],
        ["s-9", "Zed", ""],
    ]
    assert (
        err
        == "warning: the key has no paper for 1 student on the class list (s-9); type the codes of the papers that they used\n"
    )


@pytest.mark.sweep(quick=0)
def test_papers_that_ask_for_other_entries(run, tmp_path):
    """A cell that a paper does not ask for is dark, and refuses what is typed."""
    texts = [
        HEAD.format(Q=QUERIES[0], p="0.1"),
        HEAD.format(Q=QUERIES[1], p="0.1").replace("asked: [S_masked, A, Z]", 'asked: ["Z[0]"]'),
    ]
    papers = [
        {"code": code, "number": k, "student": None, "seed": "", "problem": text}
        for k, (code, text) in enumerate(zip(CODES, texts))
    ]
    (tmp_path / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "", "variants": papers})
    )
    assert run("answers", tmp_path / "key.json", "-o", tmp_path / "c.xlsx")[0] == 0
    sheet = openpyxl.load_workbook(tmp_path / "c.xlsx")["Question 1"]
    top, columns = heads(sheet)
    checks = sheet.data_validations.dataValidation
    assert all(one.errorStyle == ("stop" if one.formula1 == "FALSE" else "warning") for one in checks)
    asked, refused = (
        [one.sqref for one in checks if (one.formula1 == "FALSE") == is_refused] for is_refused in (False, True)
    )
    assert all(
        one.formula1 == "FALSE" or next(iter(one.sqref.ranges)).coord.partition(":")[0] in one.formula1
        for one in checks
    )
    for name, column in columns.items():
        if "." in name:
            places = [sheet.cell(top + k, column).coordinate for k in (1, 2)]
            assert [any(place in one for one in asked) for place in places] == [True, name.startswith("q1.Z[0,")]
            assert [any(place in one for one in refused) for place in places] == [False, not name.startswith("q1.Z[0,")]


REFUSED = [
    (["key", "-o", "x.yaml"], "x.yaml: expected a table (.xlsx or .csv) for the key of an exam"),
    (["key", "-o", "x.ods"], "x.ods: expected a file that ends in .xlsx, .csv or .yaml, found .ods"),
    (["key", "--part", "q3", "-o", "x.csv"], "--part: no part is called 'q3'; the parts are q1, q2_loss"),
    (["key", "--students", "nobody.csv"], "nobody.csv: the file cannot be read: No such file or directory"),
]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    ("words", "says"), REFUSED, ids=[says.split(":")[0] + str(k) for k, (_, says) in enumerate(REFUSED)]
)
def test_what_is_no_table(key, run, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("answers", *(key if word == "key" else word for word in words))
    assert (
        (code, out) == (2, "") and err.startswith(says) and len(err.splitlines()) == 1 and not list(tmp_path.iterdir())
    )


@pytest.mark.sweep(quick=0)
def test_questions_that_are_ticked_or_marked_by_hand_have_a_column(key, run, tmp_path, right):
    data = json.loads(key.read_text())
    own = [
        {"name": "q3", "kind": "free_text", "points": "2.5"},
        {
            "name": "q4",
            "kind": "choices",
            "points": "1",
            "right": ["B"],
            "choices": [{"letter": one, "text": one} for one in "ABC"],
        },
    ]
    for paper in data["variants"]:
        paper["own"] = own
    (tmp_path / "key.json").write_text(json.dumps(data))
    assert run("answers", tmp_path / "key.json", "-o", tmp_path / "c.xlsx")[0] == 0
    book = fill(openpyxl.load_workbook(tmp_path / "c.xlsx"), right)
    assert book.sheetnames == [f"Question {k}" for k in (1, 2, 3, 4)]
    assert [cell.value for cell in book["Question 3"]["C"]][3:5] == ["points, at most 2.5", "q3"]
    assert [cell.value for cell in book["Question 4"]["C"]][3:5] == ["letters, A to C", "q4"]
    told = [book[f"Question {k}"]["A1"].value for k in (1, 3, 4)]  # what is typed there, and nothing else
    wanted = ["Type what the student wrote: 0.50", "Type the points that you give", "Type the letters that"]
    assert [[words in one for words in wanted] for one in told] == [[k == n for n in range(3)] for k in range(3)]
    assert "at most 2.5" in told[1] and "Grey" not in "".join(told[1:]) and all("Dark" in one for one in told)
    for k, (points, letter) in enumerate([("2,5", "B"), ("1.5", "A"), ("0", "")]):
        book["Question 3"].cell(6 + k, 3).value, book["Question 4"].cell(6 + k, 3).value = points, letter
    book.save(tmp_path / "c.xlsx")
    code, out, err = run("grade", tmp_path / "key.json", tmp_path / "c.xlsx")
    assert (code, err) == (0, ""), err
    assert [row["marks"] for row in marks(out).values()] == ["7.5", "5.5", "4"]


def test_names_of_the_table_stand_beside_the_numbers_and_nowhere_else(key, run, right, tmp_path):
    """Whoever has two Anna Schmidts looked the numbers up all day. The report, for the class, has no names."""
    names = dict(zip(STUDENTS, ["Anna Schmidt", "Anna Schmidt", "Zoë, O'Neil"], strict=True))
    save(tmp_path / "list.csv", [["number", "name"], *names.items()])
    path = tmp_path / "class.xlsx"
    assert run("answers", key, "--students", tmp_path / "list.csv", "-o", path)[0] == 0
    fill(openpyxl.load_workbook(path), right).save(path)
    code, out, _ = run("grade", key, path, "--report", tmp_path / "r.md", "-o", tmp_path / "m.csv")
    assert code == 0 and out == "" and not any(name in (tmp_path / "r.md").read_text() for name in names.values())
    table = (tmp_path / "m.csv").read_text().removeprefix("\ufeff")
    assert {who: row["name"] for who, row in marks(table).items()} == names
    assert "100 %" in " ".join(run("compare", tmp_path / "m.csv", tmp_path / "m.csv")[1].split())
    assert "name" not in run("grade", key, tmp_path / "m.csv", "--for", "moodle")[1]


# -- tables that stand askew -------------------------------------------------------------------------------------------


def told_once(run, key, path, said):
    """That one table is not graded, and why, in one line."""
    code, out, err = run("grade", key, path)
    assert code == 1 and said in err and len(err.splitlines()) == 2, err
    assert err.splitlines()[1] == "1 of 1 script could not be graded" and len(out.splitlines()) == 2


@pytest.mark.parametrize(("head", "below"), [(",", ";"), (";", ","), (",", "\t"), ("\t", ","), (";", "\t")])
def test_a_header_with_another_sign_than_the_lines(key, run, rows, right, tmp_path, head, below):
    """The right header was quoted as wrong, and the answers were taken for a list of students."""
    table = filled(rows, right)
    parts = [(table[:1], head), (table[1:], below)]
    text = "".join(save(tmp_path / "part.csv", lines, sign).read_text() for lines, sign in parts)
    (tmp_path / "class.csv").write_text(text)
    name = {",": "commas", ";": "semicolons", "\t": "tabs"}[head]
    said = f"expected one separator in the whole file, found {name} in the header and a different one below"
    told_once(run, key, tmp_path / "class.csv", f"{tmp_path / 'class.csv'}:1:1: {said}")


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_a_table_on_its_side(key, run, rows, right, tmp_path, ending):
    turned = [list(line) for line in zip(*filled(rows, right))]
    path = tmp_path / f"class.{ending}"
    if ending == "xlsx":
        book = openpyxl.Workbook()
        for line in turned:
            book.active.append(line)
        book.save(path)
    else:
        save(path, turned, "\t" if ending == "tsv" else ",")
    said = "expected one line per student, found one column per student, and lines such as q1.S_masked[0,0]; transpose"
    told_once(run, key, path, said)


def test_a_class_in_a_file_whose_ending_is_one_students(key, run, rows, right, tmp_path):
    """The first column's head was taken for a student, or the table for a script of several."""
    table = filled(rows, right)
    (tmp_path / "class.md").write_text(
        "\n".join(f"| {' | '.join(line)} |" for line in [table[0], ["---"] * len(table[0]), *table[1:]])
    )
    told_once(run, key, tmp_path / "class.md", "class.md:1:1: expected one student's answers, found a class table")
    path = save(tmp_path / "class.txt", table, "\t")
    told_once(run, key, path, "found the answers of 3 students; a class table ends in .csv, .tsv, .xlsx")


def test_an_entry_with_two_numbers_is_told_with_its_column(key, run, rows, right, tmp_path):
    table = filled(rows, right)
    k = table[0].index("q1.A[1,0]")
    table[1][k] = "0.5 5.2"
    code, _, err = run("grade", key, save(tmp_path / "class.csv", table))
    assert code == 1 and "q1.A[1,0]: expected one number, found '0.5 5.2'" in err


# -- overrides of students whose numbers a spreadsheet changed ---------------------------------------------------------


def override(tmp_path, form, *students):
    """A file that sets q2_loss.loss of these students to 1/2, as each program saves it."""
    path = tmp_path / f"over.{form}"
    lines = [[who, "q2_loss.loss", "0,5", "seen"] for who in students]
    if form == "yaml":
        path.write_text("".join(f"- {{student: {a}, step: {b}, marks: '{c}'}}\n" for a, b, c, _ in lines))
    elif form == "csv":
        save(path, [["student", "step", "marks", "reason"], *lines], ";")
    else:
        book = openpyxl.Workbook()
        for line in [["student", "step", "marks", "reason"], *lines]:
            book.active.append([int(cell) if cell.isdigit() else cell for cell in line])
        book.save(path)
    return path


@pytest.mark.sweep(quick=8, ci=8)
@pytest.mark.parametrize("form", ["csv", "xlsx", "yaml"])
@pytest.mark.parametrize("typed", ["417", "0417", "00417", "000417"])
@pytest.mark.parametrize("in_table", ["417", "00417"])
def test_an_override_finds_its_student_as_the_table_does(key, run, rows, right, tmp_path, form, typed, in_table):
    """An override of 417 was lost where 00417 was meant, with exit code 0."""
    table = filled(rows, right)
    table[1][table[0].index("student")] = in_table
    over = override(tmp_path, form, typed)
    code, out, err = run("grade", key, save(tmp_path / "class.csv", table), "--overrides", over)
    assert (code, err) == (0, "") and marks(out)["00417"]["q2_loss.loss"] == "0.5"
    _, out, _ = run("grade", key, tmp_path / "class.csv", "--overrides", over, "--for", "moodle")
    assert next(csv.reader(out.splitlines()[1:2]))[:3] == ["00417", "", "3.5"]


@pytest.mark.parametrize("command", ["grade", "remark"])
def test_an_override_of_nobody_is_something_to_look_at(key, run, rows, right, tmp_path, command):
    table = save(tmp_path / "class.csv", filled(rows, right))
    (tmp_path / "changes.yaml").write_text("accept: [mask-forgotten]\n")
    words = [command, key, *[tmp_path / "changes.yaml"] * (command == "remark"), table, "--overrides"]
    code, _, err = run(*words, override(tmp_path, "csv", "s-3"))
    assert code == 1 and "there is no script from 's-3', so this override has no effect; did you mean s-2?" in err
    assert run(*words, override(tmp_path, "csv", "s-2"))[0] == 0
    code, out, err = run(*words, override(tmp_path, "csv", "417", "00417"))
    assert (code, out) == (2, "") and "the marks of 00417 for q2_loss.loss are set twice" in err


@pytest.mark.parametrize("students", [["0417", "00417"], ["417", "0417"]])
def test_a_number_that_may_be_two_students_is_nobodys(run, tmp_path, students):
    (tmp_path / "p.yaml").write_text("given: {X: [[2]]}\nsteps: {Y: X / 2}\npoints: {Y: 1}\n")
    save(tmp_path / "class.csv", [["student", "Y[0,0]"], *([who, "7"] for who in students)])
    save(tmp_path / "o.csv", [["student", "step", "marks"], ["000417", "Y", "1"]])
    code, out, err = run("grade", tmp_path / "p.yaml", tmp_path / "class.csv", "--overrides", tmp_path / "o.csv")
    assert code == 1 and "there is no script from '000417'" in err
    assert {who: row["marks"] for who, row in marks(out).items()} == dict.fromkeys(students, "0")


@pytest.mark.parametrize("named", ["417", "00417"])
@pytest.mark.parametrize("typed", ["417", "00417"])
def test_an_override_finds_a_student_who_handed_in_a_file(key, run, tmp_path, named, typed):
    (tmp_path / "a.yaml").write_text(f"student: {named}\nproblem: K7Q2\nanswers: {{q2_loss.loss: [[7]]}}\n")
    over = override(tmp_path, "csv", typed)
    code, out, err = run("grade", key, tmp_path / "a.yaml", "--overrides", over)
    assert (code, err, [*marks(out)]) == (0, "", ["00417"]) and marks(out)["00417"]["q2_loss.loss"] == "0.5"
