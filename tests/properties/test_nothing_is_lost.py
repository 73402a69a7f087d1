"""Each piece of a file is read, or listed: a line with a number that is no answer never vanishes, in any kind of file."""

import json
import re
import zipfile
from io import BytesIO

import pytest

from attncalc.api import loads
from attncalc.errors import AttncalcError
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import MOST_LEFT, bind
from tests.properties.workbooks import ods, ods_cell, ods_row, xlsx
from tests.support.sweeps import for_each

PROBLEM = loads("""title: Pieces
given: {B: [[3, -5], [8, 11], [-2, 13]], c: [1, -3, 2]}
steps: {M: B / 8, v: c / 4, n: sum(B) / 16}
rounding: {digits: 3}
""")
ANSWERS = ("n = 1.75", "v = [0.25, -0.75, 0.5]", "M = [[0.375, -0.625], [1, 1.375], [-0.25, 1.625]]")
UNREADABLE = (
    "(7.31, array([8]))", "it is 7.31", "∑ 7.31 ∵", "7.31;; 8 ;", "§ 7.31 §", "→ 7.31", "7.31 8 it is, 9", "so we get: 7.31", "? = 7.31",
    "Exercise 731", "{7.31}", "'7.31", "7.31 = 7.31", "...7.31...", "\\answer{7.31}", "see 7.31 = x = y",
)  # fmt: skip


def word(lines):
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        body = "".join(f"<w:p><w:r><w:t>{_escaped(line)}</w:t></w:r></w:p>" for line in lines)
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return out.getvalue()


def notebook(lines, form):
    cells = [{"cell_type": "markdown", "source": lines}]
    if form != "markdown":
        text = {"text": "\n\n".join(lines)} if form == "stream" else {"data": {"text/plain": "\n\n".join(lines)}}
        cells = [{"cell_type": "code", "source": "solve()", "outputs": [{"output_type": form, **text}]}]
    else:
        cells = [{"cell_type": "markdown", "source": "\n\n".join(lines)}]
    return json.dumps({"cells": cells, "nbformat": 4})


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


TEXTS = {
    "a.md": "\n".join, "b.md": "\n\n".join, "a.txt": "\n\n".join, "a.docx": word,
    "a.tex": lambda lines: "\\documentclass[11pt]{article}\n\\begin{document}\n" + "\n\n".join(lines) + "\n\\end{document}\n",
    "a.html": lambda lines: "<html><body>" + "".join(f"<p>{_escaped(line)}</p>" for line in lines) + "</body></html>",
    "b.html": lambda lines: "<html><body><pre>" + _escaped("\n\n".join(lines)) + "</pre></body></html>",
    "a.eml": lambda lines: "Subject: 731\nContent-Type: text/plain; charset=utf-8\n\n" + "\n\n".join(lines),
    "a.ipynb": lambda lines: notebook(lines, "markdown"), "b.ipynb": lambda lines: notebook(lines, "stream"),
    "c.ipynb": lambda lines: notebook(lines, "execute_result"),
}  # fmt: skip
SHEETS = {
    "a.csv": lambda cells: "\n".join(f'"{cell}"' if "," in cell else cell for cell in cells),
    "a.ods": lambda cells: ods("".join(ods_row(ods_cell(_escaped(cell))) for cell in cells)),
    "a.xlsx": lambda cells: xlsx(
        "".join(
            f'<row r="{k}"><c r="A{k}" t="inlineStr"><is><t>{_escaped(cell)}</t></is></c></row>'
            for k, cell in enumerate(cells, 1)
        )
    ),
}


def reported(data, name):
    """Return the verdicts, and all that is reported in one text."""
    try:
        bound = bind(read(data, name, lenient=True), PROBLEM, lenient=True)
    except AttncalcError as error:
        return {}, "\n".join(map(str, error.faults))
    found = {step.step.key: step.verdict for step in check(PROBLEM, bound).steps if step.verdict != "missing"}
    return found, "\n".join([*(str(piece.fault) for piece in bound.unread), *bound.notes])


@for_each("at", range(4), quick=120)
@for_each("line", UNREADABLE)
@for_each("name", TEXTS)
def test_law_a_line_with_a_number_in_a_text_is_read_or_listed(name, line, at):
    lines = [*ANSWERS[:at], line, *ANSWERS[at:]]
    found, messages = reported(TEXTS[name](lines), name)
    assert messages and set(found.values()) <= {"right"}


@for_each("line", UNREADABLE)
@for_each("name", TEXTS)
def test_law_a_script_of_one_line_that_is_no_answer_is_refused_or_lists_it(name, line):
    found, messages = reported(TEXTS[name]([line]), name)
    assert not found and messages


@for_each("at", range(3))
@for_each("line", UNREADABLE)
@for_each("name", SHEETS)
def test_law_a_cell_with_a_number_is_read_or_listed(name, line, at):
    cells = ["n", "1.75", "v", "0.25", "-0.75", "0.5"]
    cells.insert((0, 2, 6)[at], line)
    found, messages = reported(SHEETS[name](cells), name)
    assert messages or set(found.values()) != {"right"}


def test_many_lines_are_listed_by_their_number():
    lines = [f"it is 7.{k}" for k in range(9)]
    _, messages = reported("\n\n".join([*ANSWERS, *lines]), "a.md")
    assert messages.count("is not read as an answer") == MOST_LEFT and "4 more lines contain numbers" in messages


SHOWN = {
    "n, v": ["(1.75, array([ 0.25, -0.75,  0.5 ]))", "(np.float64(1.75), array([ 0.25, -0.75,  0.5 ]))", "(7/4, [0.25, -0.75, 0.5])",
             "(Fraction(7, 4), tensor([0.2500, -0.7500, 0.5000]))"],
    "print(n, v)": ["1.75 [ 0.25 -0.75  0.5 ]", "7/4 [0.25, -0.75, 0.5]"],
    "print(n)\nprint(v)": ["1.75\n[ 0.25 -0.75  0.5 ]"], "v, n": ["([0.25, -0.75, 0.5], 1.75)"],
}  # fmt: skip


@for_each(("code", "text"), [(code, text) for code, texts in SHOWN.items() for text in texts])
def test_several_values_that_a_cell_shows_are_those_of_its_names(code, text):
    def book(code, text):
        kind = {"text": text} if "print" in code else {"data": {"text/plain": text}}
        return json.dumps({"cells": [{"cell_type": "code", "source": code, "outputs": [kind]}]})

    assert reported(book(code, text), "a.ipynb") == ({"n": "right", "v": "right"}, "")
    found, messages = reported(book(re.sub(r"\bn\b", "n + 1", code), text), "a.ipynb")
    assert "n" not in found and messages  # a value without a name


@pytest.mark.parametrize("kind", ["text/markdown", "text/latex"])
def test_an_output_that_is_shown_in_another_form_is_read(kind):
    data = {"text/plain": "<IPython.core.display.Markdown object>", kind: "$n = 1.75$"}
    book = {"cells": [{"cell_type": "code", "source": "display(Markdown(text))", "outputs": [{"data": data}]}]}
    assert reported(json.dumps(book), "a.ipynb") == ({"n": "right"}, "")
    del data[kind]
    data["text/html"] = "<b>n = 1.75</b>"
    assert "expected an output as text" in reported(json.dumps(book), "a.ipynb")[1]


NEARBY = (
    "n, m = 2, 3", "n = input()", "(n := 2)", "for n in range(3): pass", "del n", "with f as n: pass", "f(n)", "exec('n = 2')",
    "def n(): pass", "import n", "v = [1]\nv.append(3)", "print(n)", "n", "'n = 2'", "if True: n = 2", "%time", "!ls", "n[0] = 2",
)  # fmt: skip


@for_each("beside", [f"{{}}\n{line}" for line in NEARBY] + ["%%script false\n{}", "%%time\n{}", "import n\n{}"])
def test_law_code_that_was_not_run_is_an_answer_only_if_each_statement_gives_a_name_what_is_typed(beside):
    def book(*codes):
        return json.dumps({"cells": [{"cell_type": "code", "source": code, "outputs": []} for code in codes]})

    typed = "n = 7 / 4\nv = [0.25, -0.75, 0.5]"
    assert reported(book(typed), "a.ipynb") == ({"n": "right", "v": "right"}, "")
    found, messages = reported(book(ANSWERS[2], beside.format("n = 1.75")), "a.ipynb")
    assert found == {"M": "right"} and "a.ipynb, cell 2:" in messages
    found, messages = reported(book("n = 1.75", beside.format("n = 2")), "a.ipynb")
    assert not found and "a.ipynb, cell 2:" in messages


def test_a_cell_of_another_language_is_noted():
    cell = {
        "cell_type": "code",
        "source": "%%octave\nM = [0.375 -0.625; 1 1.375; -0.25 1.625]\nn = 1.75;",
        "outputs": [],
    }
    script = read(
        json.dumps({"cells": [cell, {"cell_type": "markdown", "source": ANSWERS[1]}]}), "a.ipynb", lenient=True
    )
    assert [answer.step for answer in script.answers] == ["v"] and "a.ipynb, cell 1:" in str(script.crossed[0])


@for_each("mark", ["---", "...", "...\n---", "---\n---", "--- # more", "\n...\n\n---\n"])
@for_each("first", ["{}", "---\n{}", "student: Ada\n{}", "answers:\n  {}"])
@for_each(("one", "other"), [("1.75", "2"), ("2", "1.75")])
def test_law_documents_of_one_file_are_read_as_one(mark, first, one, other):
    head = "answers:\n  " if "answers" in first else ""
    indent = "  " if head else ""
    text = f"{first.format(f'n: {one}')}\n{mark}\n{head}n: {other}\n{indent}v: [0.25, -0.75, 0.5]\n"
    found, messages = reported(text, "a.yaml")
    assert found == {"v": "right"} and "neither is used" in messages


def test_a_document_that_begins_on_the_line_of_its_mark_is_read():
    found, messages = reported("v: [0.25, -0.75, 0.5]\nn: 1.75\n--- n: 2\n", "a.yaml")
    assert "n" not in found and messages


TABBED = ("0.375\t-0.625", "1\t1.375", "-0.25\t1.625")


@for_each("name", ["a.txt", "a.md"])
@for_each("head", ["M =\n", "M =", "## M\n\n"])
@for_each(("before", "behind"), [("\t", ""), ("", "\t"), ("\t", "\t"), ("\t\t", ""), ("", "")])
def test_law_a_tab_around_every_row_is_no_entry(name, head, before, behind):
    rows = "\n".join(f"{before}{row}{behind}" for row in TABBED)
    assert reported(f"{head if before or head[-1:] != '=' else 'M = '}{rows}\n", name) == ({"M": "right"}, "")


@for_each("k", [1, 2])
@for_each("form", ["\t{}", "{}\t"])
def test_a_tab_around_one_row_is_not_taken_away(form, k):
    rows = [form.format(row) if i == k else row for i, row in enumerate([*TABBED, "8\t9"])]
    found, messages = reported("M =\n" + "\n".join(rows) + "\n", "a.txt")
    assert not found and "rows of equal length" in messages


@pytest.mark.parametrize(
    "text", ["v,'0.25,'-0.75,0.5\nn,1.75\n", "n,'1.75\nv,0.25,-0.75,'0.5\n", "n\n'1.75\n\nv\n'.25,-0.75,'.5\n"]
)
def test_the_apostrophe_of_a_spreadsheet_before_a_number_is_not_read(text):
    assert reported(text, "a.csv") == ({"n": "right", "v": "right"}, "")


ROWS = "0.375 -0.625\n1 1.375\n-0.25 1.625"


@for_each("words", ["some words", "Table v:", "then", "0.25 and more:"])
@for_each("second", ["0.25; -0.75; 0.5", "0.25 -0.75 0.5", "[0.25, -0.75, 0.5]", "7.5"])
@for_each("head", ["## M\n", "M =\n"])
def test_numbers_below_a_step_that_is_answered_are_listed(head, second, words):
    found, messages = reported(f"{head}{ROWS}\n\n{words}\n{second}\n", "a.md")
    assert found.get("M", "right") == "right" and messages


@for_each("verb", ["is", "equals", "ist"])
@for_each("head", ["## v\n0.25 -0.75 0.5\n\n", "v =\n0.25 -0.75 0.5\n\n", "## v\n[0.25, -0.75, 0.5]\n"])
def test_a_sentence_with_a_matrix_below_a_heading_is_of_its_own_step(head, verb):
    text = f"{head}The matrix M {verb} (0.375 -0.625; 1 1.375; -0.25 1.625)\n"
    assert reported(text, "a.md") == ({"v": "right", "M": "right"}, "")
