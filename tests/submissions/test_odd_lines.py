"""A script of four matrices with one line that is no part of an answer: it costs no other answer, and changes none."""

from __future__ import annotations

import io
import re
import zipfile
from fractions import Fraction
from html import escape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load
from attncalc.errors import AttncalcError
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import Bound, bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

PROBLEM = load({
    "given": {"Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 0], [0, 1], [1, 2], [2, 0]], "V": [[1, 2], [3, 4], [0, 1], [1, 0]]},
    "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(2)", "A": "softmax(S_scaled)", "Z": "A @ V"},
})  # fmt: skip
VALUES = {
    "S": ["1 0 1 2", "-3.5 1 2 0", "1 1 3.25 2"], "S_scaled": ["0.71 0 0.5 1.41", "-2.47 0.7 1 0", "0.2 0.4 2 1.5"],
    "A": ["0.25 0.25 0.3 0.2", "0.1 0.2 0.3 0.4", "0.5 0.1 0.1 0.3"], "Z": ["1.5 2", "-0.75 1", "2 3.5"],
}  # fmt: skip
FORMULAS = {"S": "QK^T", "S_scaled": "S/√2", "A": "softmax(S_scaled)", "Z": "A V"}


def _rows(rows, parting, first="", last=""):
    return [f"{first}{parting.join(row.split())}{last}" for row in rows]


FORMS = {
    "blanks": lambda rows: _rows(rows, "  "), "tabs": lambda rows: _rows(rows, "\t"),
    "commas": lambda rows: _rows(rows, ", "), "semicolons": lambda rows: _rows(rows, "; "),
    "other minus": lambda rows: [row.replace("-", "\u2011") for row in _rows(rows, ", ", "[", "]")],
    "list": lambda rows: ["[" + ", ".join(_rows(rows, ", ", "[", "]")) + "]"],
    "MATLAB": lambda rows: ["[" + "; ".join(rows) + "]"],
    "table": lambda rows: _rows(["k " * len(rows[0].split()), "--- " * len(rows[0].split()), *rows], " | ", "| ", " |"),
    "LaTeX": lambda rows: ["\\begin{bmatrix}", *_rows(rows, " & ", "", " \\\\"), "\\end{bmatrix}"],
    "brackets": lambda rows: [f"{a} {row} {b}" for a, row, b in zip("⎡⎢⎣", rows, "⎤⎥⎦", strict=True)],
}  # fmt: skip
HEADS = (
    "{} =", "{}:", "{} = {f} =", "{} = {f}", "### {}", "Hence {} =", "(b) {} =", "The matrix {}:", "The matrix ${}$:",
    "**{}** (rounded):",
)  # fmt: skip
LINES = (
    "d_k = 2", "√d_k = 1.414", "A_masked =", "S' =", "(rounded)", "Seite 2", "Name: Li Wei, 20231234", "row sums: 1 1 1",
    "exp(0) = 1", "e^1.41 = 4.10", "3.01 is rounded", "Exercise 2", "(c)", "[2 Punkte]", "λ=1", "i=1, j=2", "ans =",
    "答案：", "（四舍五入）", "Réponse :", "Kᵀ =", "q1 · k1 = 1", "2.03 / 5.06 = 0.40", "I am not sure", "t = 3 s", "---", "✓",
    "denominators: 5.06 6.1", "I think 3 is right", "Sent from my iPhone", "\\hline", "# comment", "[4 rows x 4 columns]",
)  # fmt: skip
CHANGES = (
    "* 10",
    "× 10",
    "×10^-3",
    "/ √2",
    "+ 1",
    "- 1",
    "^2",
    "%",
    "(1)",
    "·10⁻¹",
    "in %",
    "times 2",
    "alle Werte /100",
)


def script(form: str, head: str, line: str, step: str, where: str, blank: str) -> str:
    blocks = []
    for name, rows in VALUES.items():
        title, matrix = head.format(name, f=FORMULAS[name]), FORMS[form](rows)
        if name == step:
            match where:
                case "above":
                    title = f"{line}\n{title}"
                case "between":
                    matrix.insert(0, line)
                case "inside":
                    matrix.insert(len(matrix) - 1, line)
                case "below":
                    matrix.append(line)
                case "beside":
                    matrix[-1] += f" {line}"
                case "beside the first row":
                    matrix[0] += f" {line}"
        blocks.append("\n".join([title, *matrix]))
    return blank.join(blocks)


def bound(text: str) -> Bound:
    return bind(read(text, "a.md", lenient=True), PROBLEM, lenient=True)


def _number(typed) -> Fraction | None:
    return None if typed.value is None else Fraction(int(typed.value.p), int(typed.value.q))


def is_right(found: Bound, step: str) -> bool | None:
    """Whether a step is read as it was meant; None if it is not read."""
    if (filled := found.find(step)) is None:
        return None
    meant = {(i, j): Fraction(text) for i, row in enumerate(VALUES[step]) for j, text in enumerate(row.split())}
    read_ = {at: _number(typed) for at, typed in filled.cells.items()}
    return read_.items() <= meant.items()


DRAWN = {
    "form": st.sampled_from([*FORMS]), "head": st.sampled_from(HEADS), "step": st.sampled_from([*VALUES]),
    "blank": st.sampled_from(["\n\n", "\n"]),
    "where": st.sampled_from(["above", "between", "inside", "below", "beside", "beside the first row"]),
}  # fmt: skip


@examples(250)
@given(line=st.sampled_from(LINES + CHANGES), **DRAWN)
def test_law_no_answer_is_read_as_another(line, **drawn):
    """A step is read as it was meant, or not at all: then a message says so, and it is not marked as a wrong shape."""
    found = bound(script(line=line, **drawn))
    for step in VALUES:
        assert is_right(found, step) is not False, step
        if step != drawn["step"]:
            assert step not in found.shapes, step


@examples(250)
@given(line=st.sampled_from(LINES), **DRAWN)
def test_law_a_line_costs_no_other_answer(line, **drawn):
    usual = bound(script(**drawn | {"line": "", "where": ""}))
    found = bound(script(line=line, **drawn))
    beside = {*VALUES} - {drawn["step"]}
    if drawn["where"] == "above" and drawn["blank"] == "\n":  # it is below the matrix above
        beside -= {[*VALUES][[*VALUES].index(drawn["step"]) - 1]}
    assert {step for step in beside if usual.find(step)} <= {step for step in beside if found.find(step)}


def word(text: str) -> bytes:
    """A Word document with a paragraph for each line."""
    lines = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in text.split("\n")
    )
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as document:
        namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        document.writestr(
            "word/document.xml", f'<w:document xmlns:w="{namespace}"><w:body>{lines}</w:body></w:document>'
        )
    return archive.getvalue()


UNKNOWN = ("R", "R =", "R:", "masked", "**R**", "S_foo", "β", "R1 =", "Scores of R:", "masked scores:")


PARAGRAPHS = DRAWN | {"form": st.sampled_from(["blanks", "commas", "semicolons", "list"])}


@examples(150)
@given(line=st.sampled_from(LINES), **PARAGRAPHS)
def test_law_paragraphs_of_a_document_are_read_as_the_lines_of_a_text(line, **drawn):
    paragraphs_are_read_as_lines(line=line, **drawn)


@for_each("form", ["blanks", "commas", "semicolons"])
@for_each("line", UNKNOWN)
def test_law_a_name_that_no_step_has_tears_paragraphs_apart_as_it_does_lines(form, line):
    for where in ("inside", "between", "below"):
        paragraphs_are_read_as_lines(form=form, head="{} =", line=line, step="S", where=where, blank="\n\n")


def paragraphs_are_read_as_lines(**drawn) -> None:
    text = script(**drawn)
    lines, paragraphs = bound(text), bind(read(word(text), "a.docx", lenient=True), PROBLEM, lenient=True)
    assert {*lines.shapes} == {*paragraphs.shapes}
    assert [is_right(lines, step) for step in VALUES] == [is_right(paragraphs, step) for step in VALUES]


@for_each("form", FORMS)
@for_each("head", HEADS)
def test_every_form_is_read_below_every_heading(form, head):
    found = bound(script(form, head, "", "S", "", "\n\n"))
    assert [is_right(found, step) for step in VALUES] == [True] * 4, found.unread


@examples(60)
@given(line=st.sampled_from(["correction:", "X =", "Softmax:", "Note: 10,2", "β:"]), step=st.sampled_from([*VALUES]),
       minus=st.sampled_from("-−–‑"), parting=st.sampled_from([";", "\t"]), at=st.integers(0, 4))  # fmt: skip
def test_law_a_line_in_a_table_costs_no_other_answer(line, step, minus, parting, at):
    """Cells with decimal commas and any minus, and a line of words that may hold a comma."""
    blocks = []
    for name, rows in VALUES.items():
        lines = [name, *(parting.join(row.replace(".", ",").replace("-", minus).split()) for row in rows)]
        blocks.append("\n".join([*lines[:at], line, *lines[at:]] if name == step else lines))
    found = bind(read("\n\n".join(blocks), "a.csv", lenient=True), PROBLEM, lenient=True)
    assert [is_right(found, name) for name in VALUES if name != step] == [True] * 3
    assert is_right(found, step) is not False and step not in found.shapes


@for_each("head", ["student", "Student", "name"])
@for_each("who", ["Bob", "S", "Q", "s-0417", "417", "Ada Lovelace"])
@for_each("problem", ["", "problem,homework\n"])
def test_law_a_csv_of_one_student_is_theirs_whatever_their_name(head, who, problem):
    script = read(f"{head},{who}\n{problem}Q\n1,2\n3,4\nK\n5,6\n7,8\n", "a.csv")
    assert script.student == who and [answer.step for answer in script.answers] == ["Q", "K"]


YAML_FORMS = {
    "list": lambda rows: [" [" + ", ".join(_rows(rows, ", ", "[", "]")) + "]"],
    "rows": lambda rows: ["", *(f"    - {row}" for row in _rows(rows, ", ", "[", "]"))],
    "block": lambda rows: [" |", *_rows(rows, " ", "    ")],
    "folded": lambda rows: [" [", *_rows(rows, ", ", "    [", "],"), "  ]"],
}  # fmt: skip
REMARKS = (
    "I think this is right", "Note to the marker: see page 2: there", "- not sure about this", "I don't know 'bout this",
    "I think A[0,0] = 9", "because the [scores are", "Sorry for the mess!", "see {next page", "*these are final*",
    "Das stimmt so: oder", "the next: step was hard\n  and it took long",
)  # fmt: skip


def yaml_script(form: str, head: bool, lines: dict[int, str]) -> str:
    """An answer file in YAML, with lines before the steps of these numbers."""
    written = {4: ""}
    for k, (name, rows) in enumerate(VALUES.items()):
        first, *more = YAML_FORMS[form](rows)
        written[k] = "\n".join([f"  {name}:{first}", *more]) + "\n"
    indent = "answers:\n" if head else ""
    text = indent + "".join(f"{lines[k]}\n{written[k]}" if k in lines else written[k] for k in range(5))
    return text if head else "\n".join(line.removeprefix("  ") for line in text.split("\n"))


@examples(150)
@given(form=st.sampled_from([*YAML_FORMS]), head=st.booleans(), indent=st.sampled_from(["", "  "]),
       lines=st.dictionaries(st.integers(0, 4), st.sampled_from(REMARKS), min_size=1, max_size=2))  # fmt: skip
def test_law_words_between_the_steps_of_a_file_cost_only_themselves(form, head, indent, lines):
    found = bind(
        read(yaml_script(form, head, {k: indent + line for k, line in lines.items()}), "a.yaml", lenient=True),
        PROBLEM,
        lenient=True,
    )
    assert [is_right(found, step) for step in VALUES] == [True] * 4, found.unread
    assert found.unread


BROKEN_KEYS = ("{} = ", "*{}: ", "- {}: ", "&{} = ", "%{}: ", "@{}: ", "`{}`: ", "{}:", "{} := ")


@examples(150)
@given(form=st.sampled_from([*YAML_FORMS]), head=st.booleans(), step=st.sampled_from([*VALUES]),
       key=st.sampled_from(BROKEN_KEYS))  # fmt: skip
def test_law_a_broken_key_of_a_file_costs_only_its_step(form, head, step, key):
    """The step above it has all its rows, so that it is neither lost nor of another shape."""
    assume(key != "{}:" or form == "list")  # a blank is missing behind the colon
    text = yaml_script(form, head, {})
    text = re.sub(rf"(?m)^( *){step}: ?", lambda line: line[1] + key.format(step), text)
    found = bind(read(text, "a.yaml", lenient=True), PROBLEM, lenient=True)
    assert [is_right(found, name) for name in VALUES if name != step] == [True] * 3, found.unread
    assert is_right(found, step) is not False and found.unread


@for_each("form", YAML_FORMS)
def test_law_a_file_may_be_indented_with_tabs(form):
    text = re.sub(r"(?m)^(?:  )+", lambda blanks: "\t" * (len(blanks[0]) // 2), yaml_script(form, True, {}))
    found = bind(read(text, "a.yaml"), PROBLEM)
    assert [is_right(found, step) for step in VALUES] == [True] * 4


@examples(150)
@given(form=st.sampled_from([*YAML_FORMS]), head=st.booleans(), indent=st.sampled_from(["", "  ", "    "]),
       line=st.sampled_from(LINES + CHANGES + REMARKS), at=st.integers(0, 30))  # fmt: skip
def test_law_no_line_makes_a_file_another_answer(form, head, indent, line, at):
    """Anywhere, also in the middle of a matrix."""
    usual = yaml_script(form, head, {}).split("\n")
    text = "\n".join([*usual[:at], indent + line, *usual[at:]])
    try:
        found = bind(read(text, "a.yaml", lenient=True), PROBLEM, lenient=True)
    except AttncalcError:
        return
    assert all(is_right(found, step) is not False for step in VALUES), text


PARTS = (  # an answer file of two parts, and the step that its fault costs, if any
    ("  masked:\n    S: [[1, 2]\n    A: [[3, 4]]\n  causal:\n    S: [[5, 6]]\n    A: [[7, 8]]", "masked.S"),
    ("  masked:\n    S: [[1, 2]]\n    A: [[3, 4]\n  causal\n    S: [[5, 6]]\n    A: [[7, 8]]", "masked.A"),
    ("\tmasked:\n\t\tS: [[1, 2]]\n\t\tA: [[3, 4]\n\tcausal\n\t\tS: [[5, 6]]\n\t\tA: [[7, 8]]", "masked.A"),
    ("  masked:\n    S:\n    - [1, 2]\n    A: [[3, 4]]\n  causal:\n    S [[5, 6]]\n    A: [[7, 8]]", ""),
    (
        "  masked:\n    'S': [[1, 2]]\n    A: |\n      3 4\nmy page 2\n  causal:\n    S: [[5, 6]]\n    A: [[7, 8]",
        "causal.A",
    ),
)


@for_each(("text", "lost"), PARTS)
def test_a_fault_in_a_part_of_a_file_costs_only_its_step(text, lost):
    script = read(f"student: Ada\nanswers:\n{text}\n", "a.yaml", lenient=True)
    found = {f"{a.part}.{a.step}": [int(cell.text) for cell in a.rows[0]] for a in script.answers}
    meant = {"masked.S": [1, 2], "masked.A": [3, 4], "causal.S": [5, 6], "causal.A": [7, 8]}
    assert script.student == "Ada" and found == {name: row for name, row in meant.items() if name != lost}
    assert script.unread


def test_an_open_bracket_is_reported_where_it_opens():
    with pytest.raises(AttncalcError, match=r"a.yaml:1:4: the closing bracket is missing"):
        read("A: [[1, 0], [0.5, 0.5]\n", "a.yaml", lenient=True)


SPACED = {
    "below": lambda rows: "S =\n" + "\n".join(rows), "block": lambda rows: "S: |\n" + "".join(f"  {row}\n" for row in rows),
    "lists": lambda rows: f"S = [{', '.join(f'[{row}]' for row in rows)}]", "MATLAB": lambda rows: f"S = [{'; '.join(rows)}]",
    "prints": lambda rows: "S = [" + "\n     ".join(f"[{row}]" for row in rows) + "]",
}  # fmt: skip


@examples(150)
@given(form=st.sampled_from([*SPACED]), shape=st.tuples(st.integers(1, 3), st.integers(1, 4)), asked=st.tuples(
    st.integers(1, 4), st.integers(1, 8)), decimals=st.integers(1, 3), data=st.data())  # fmt: skip
def test_law_decimal_commas_between_blanks_are_read_by_the_shape_of_the_step(form, shape, asked, decimals, data):
    """As they were meant if that is the shape; otherwise they are reported, and are no matrix of a wrong shape."""
    n, m = shape
    assume(m > 1 or form in ("below", "block"))  # [0,5] has two entries
    tens = st.integers(0, 10 ** (decimals + 1))
    entries = [[Fraction(data.draw(tens), 10**decimals) for _ in range(m)] for _ in range(n)]
    rows = [" ".join(f"{float(x):.{decimals}f}".replace(".", ",") for x in row) for row in entries]
    meant = {(i, j): x for i, row in enumerate(entries) for j, x in enumerate(row)}
    may_be_thousands = decimals == 3 and all(x == 0 or x >= 1 for x in meant.values())
    for target in {shape, asked}:
        step = load({"given": {"X": [[1] * target[1]] * target[0]}, "steps": {"S": "X * 2"}})
        try:
            name = "a.yaml" if form == "block" else "a.txt"
            found = bind(read(SPACED[form](rows), name, lenient=True), step, lenient=True)
        except AttncalcError:
            assert may_be_thousands
            continue
        if filled := found.find("S"):
            cells = {at: _number(typed) for at, typed in filled.cells.items()}
            by_row = [cells[at] for at in sorted(cells)]
            assert cells == meant or target != shape and (target == shape[::-1] or by_row == [*meant.values()])
        else:
            assert found.unread and "S" not in found.shapes and (target != shape or may_be_thousands)


@examples(60)
@given(n=st.integers(2, 4), at=st.integers(0, 3), form=st.sampled_from(["lists", "MATLAB"]), data=st.data())
def test_law_a_blank_behind_the_last_comma_is_a_blank(n, at, form, data):
    at = min(at, n - 1)
    entries = [[f"0.{data.draw(st.integers(10, 99))}" for _ in range(n + 1)] for _ in range(n)]
    step = load({"given": {"X": [[1] * (n + 1)] * n}, "steps": {"S": "X * 2"}})

    def cells(blank: str):
        rows = [", ".join([*row[:-1], blank] if k == at else row) for k, row in enumerate(entries)]
        found = bind(read(SPACED[form](rows), "a.txt", lenient=True), step, lenient=True)
        assert not found.unread and not found.shapes
        return {place: typed.text for place, typed in found.find("S").cells.items()}

    assert cells("") == cells("_") == {
        (i, j): entries[i][j] for i in range(n) for j in range(n + 1) if (i, j) != (at, n)
    }  # fmt: skip


@given(st.lists(st.integers(-9_999, 9_999), min_size=3, max_size=3), st.sampled_from(["list", "rows"]))
@examples(60)
def test_law_decimal_commas_in_one_column_are_read_as_points_or_refused(hundredths, form):
    points = [f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02d}" for n in hundredths]

    def entries(texts):
        quoted = [f'"{text}"' for text in texts]
        return f"y: [{', '.join(quoted if form == 'list' else [f'[{text}]' for text in quoted])}]\n"

    try:
        script = read(entries([text.replace(".", ",") for text in points]), "a.yaml")
    except AttncalcError as error:
        assert "did you mean" in str(error) and not any(".0" in text for text in points), error
    else:
        (answer,) = script.answers
        read_as = [_number(typed) for row in answer.rows for typed in row]
        assert read_as == [Fraction(text) for text in points]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a.csv", "Z\nthe,1,2\ncat,2,3\nsat,3.02,4.60\n"),
        ("a.txt", "Z\nthe: 1 2\ncat: 2 3\nsat: 3.02 4.60\n"),
        ("a.yaml", "answers:\n  Z: {the: [1, 2], cat: [2, 3], sat: [3.02, 4.60]}\n"),
    ],
)
def test_the_label_of_a_row_is_not_called_a_misspelt_step(source, text):
    problem = load("three-words-look-back")
    with pytest.raises(AttncalcError) as refused:
        bind(read(text.encode(), source), problem)
    found = [fault.message for fault in refused.value.faults]
    assert sum("is the label of a row, not a step; write the rows without labels" in message for message in found) == 3
    assert not any("no step is called" in message for message in found)


LABELLED = load({"given": {"X": [[6, -6], [-2, 3]]}, "steps": {"S": "X / 2", "A": "X + 1"}})
ROWS = [["3", "-3"], ["-1", "1.5"]]
WRITERS = {
    "a.md": lambda down, across, rows: "## S\n\n| | " + " | ".join(across) + " |\n|---|---|---|\n" + "\n".join(
        f"| {label} | {' | '.join(row)} |" for label, row in zip(down, rows, strict=True)),
    "a.csv": lambda down, across, rows: "S\n," + ",".join(across) + "\n" + "\n".join(
        f"{label},{','.join(row)}" for label, row in zip(down, rows, strict=True)),
    "a.txt": lambda down, across, rows: "S =\n" + "\n".join(
        f"{label} {' '.join(row)}" for label, row in zip(down, rows, strict=True)),
}  # fmt: skip


@for_each("source", WRITERS)
@for_each(("one", "other"), [("q", "k"), ("row", "col"), ("token ", "t"), ("x_", "y_"), ("Q", "K")])
def test_law_labels_that_the_problem_lacks_are_not_dropped_where_they_say_another_order(one, other, source):
    straight, turned = ([f"{one}{k}" for k in order] for order in ((1, 2), (2, 1)))
    across, back = ([f"{other}{k}" for k in order] for order in ((1, 2), (2, 1)))

    def found(down, over, rows):
        result = bind(read(WRITERS[source](down, over, rows) + "\n", source, lenient=True), LABELLED, lenient=True)
        assert "S" not in result.shapes
        step = result.find("S")
        return step and [[step.cells[i, j].text for j in range(2)] for i in range(2)], bool(result.unread)

    if " " not in one or source != "a.txt":
        assert found(straight, across, ROWS) == (ROWS, False)
        assert found(turned, across, ROWS[::-1]) == found(turned, across, ROWS) == (None, True)
    if source != "a.txt":
        assert found(straight, back, ROWS) == (None, True)
    if one in "qQ" and source != "a.txt":
        assert found(across, straight, ROWS) == (None, True)  # keys in the rows


@for_each("head", ["| | | | |", "| | mat | sofa | roof |", "| Input | mat | sofa | roof |"])
@for_each("order", [(1, 2, 3), (3, 1, 2)])
def test_law_labels_with_a_number_behind_their_word_are_labels_of_rows(order, head):
    problem = load({
        "given": {"X": {"values": [[1, 0, 2], [2, 3, 2], [2, 1, 3]], "rows": ["Input 1", "Input 2", "Input 3"], "columns": ["mat", "sofa", "roof"]}},
        "steps": {"Q": "X * 2"},
    })  # fmt: skip
    rows = {1: "2 | 0 | 4", 2: "4 | 6 | 4", 3: "4 | 2 | 6"}
    table = "\n".join([head, "|---|---|---|---|", *(f"| Input {k} | {rows[k]} |" for k in order)])
    bound = bind(read(f"## Q\n\n{table}\n", "a.md", lenient=True), problem, lenient=True)
    cells = bound.find("Q").cells
    assert [[cells[i, j].text for j in range(3)] for i in range(3)] == [row.split(" | ") for row in rows.values()]
    assert not bound.unread


def test_an_empty_cell_in_front_of_one_row_below_labels_is_no_label():
    problem = load(
        {"given": {"x": {"values": [[1, 2, 4]], "columns": ["mat", "sofa", "roof"]}}, "steps": {"P": "x / 8"}}
    )
    text = "## P\n\n| | mat | sofa | roof |\n|---|---|---|---|\n| | 0.125 | 0.25 | 0.5 |\n"
    bound = bind(read(text, "a.md"), problem)
    assert [typed.text for typed in bound.find("P").cells.values()] == ["0.125", "0.25", "0.5"] and not bound.unread


@for_each("first", ["[[-inf, -inf], [4, -inf]]", "[[−∞, −∞], [4, −∞]]", "[[∞, 1], [2, 3]]", "[-oo, 2]"])
def test_a_matrix_that_begins_with_an_infinity_is_an_answer_of_a_table(first):
    script = read(f'step,answer\nS,"[[1, 2], [3, 4]]"\nA,"{first}"\n', "a.csv")
    assert [answer.step for answer in script.answers] == ["S", "A"]
