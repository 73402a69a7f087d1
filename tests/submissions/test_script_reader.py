"""Answers as people type them: entries, formats, shapes. What is read, and every refusal at its place, stands in
`data/answers`.

`read.txt` holds texts in every format and what is read from them, `refused.txt` unclear ones and the exact faults,
`bind.txt`
answers to the problems `one.yaml` and `two.yaml` and where each number goes. A block is `=== name | file`, text, `>>>`, lines.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import tracemalloc
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from attncalc import AttncalcError, check, load
from attncalc.cli import main
from attncalc.formula.syntax_tree import unparse
from attncalc.lessons.small_problems import CASES
from attncalc.lessons.small_problems import problem as case
from attncalc.render import report_json
from attncalc.resources import problem_names
from attncalc.submissions.answer_file import blank
from attncalc.submissions.located_text import whole
from attncalc.submissions.number_parser import entry
from attncalc.submissions.script_reader import read, read_rows
from attncalc.submissions.step_matching import Bound, bind
from attncalc.submissions.submission import Answer, Script, Typed
from tests.support.laws import examples
from tests.support.sweeps import for_each
from tests.support.timing import takes_less_than

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = sorted((DATA / "examples").glob("*/*.problem.yaml"))
PROBLEMS = {name: load(DATA / "answers" / f"{name}.yaml") for name in ("one", "two")}


def blocks(name: str):
    found = []
    for block in (DATA / "answers" / name).read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, rest = block.partition("\n")
        text, _, lines = rest.partition(">>>\n")
        title, _, file = head.partition(" | ")
        found.append(pytest.param(file, text, lines.splitlines(), id=title))
    return found


def faults(error: AttncalcError, source: str) -> list[str]:
    return [str(fault).removeprefix(f"{source}:") for fault in error.faults]


# -- entries -----------------------------------------------------------------------------------------------------------


def one(text: str) -> Typed | None:
    return entry(whole(text, "f"))


@for_each(
    ("text", "value", "decimals", "significant"),
    [
        ("0.50", "1/2", 2, 2), ("-.5", "-1/2", 1, 1), ("5.", "5", 0, 1), ("+3", "3", 0, 1), ("−2.5", "-5/2", 1, 2),
        ("–1", "-1", 0, 1),
        ("1.5e-3", "3/2000", 4, 2), ("1.50E2", "150", 0, 3), ("1.5e3", "1500", -2, 2), ("0", "0", 0, None),
        ("-0.00", "0", 2, None),
        ("0.0500", "1/20", 4, 3), ("120", "120", 0, 3), ("007", "7", 0, 1), ("1e-1000", f"1/1{'0' * 1000}", 1000, 1),
        ("1/3", "1/3", None, None), ("-1 / 2", "-1/2", None, None), ("1.5/2", "3/4", 2, 2),
        ("2**10", "1024", None, None),
        ("0.5 + 0.25", "3/4", 2, 2), ("-(1/3 - 1)", "2/3", None, None), ("2^3", "8", None, None),
        ("abs(-2)", "2", None, None),
        ("1.5 × 10^-3", "3/2000", 4, 2), ("1.5·10⁻³", "3/2000", 4, 2), ("2*10**3", "2000", -3, 1),
        ("1.5 \\cdot 10^{-3}", "3/2000", 4, 2),
        ("50%", "1/2", 2, 2), ("33.3\\%", "333/1000", 3, 3), ("≈0.67", "67/100", 2, 2),
        ("\\approx 0.67", "67/100", 2, 2),
        ("$0.5$", "1/2", 1, 1), ("**0.50**", "1/2", 2, 2), ("`1`", "1", 0, 1), ("(0.5)", "1/2", 1, 1),
        ("{0.25}", "1/4", 2, 2),
        ("np.float64(0.5)", "1/2", 1, 1), ("\\mathbf{0.5}", "1/2", 1, 1), ("\\phantom{-}0.5", "1/2", 1, 1),
        ("-\\frac{1}{2}", "-1/2", None, None),
        ("\\frac12", "1/2", None, None), ("\\tfrac{0.5}{2}", "1/4", 2, 2),
    ],
)  # fmt: skip
def test_a_rational_is_exact_and_its_digits_are_counted(text, value, decimals, significant):
    typed = one(text)
    assert typed.value is not None and Fraction(int(typed.value.p), int(typed.value.q)) == Fraction(value)
    assert (typed.text, typed.decimals, typed.significant, typed.tree, typed.infinite) == (
        text,
        decimals,
        significant,
        None,
        0,
    )


@for_each(
    ("text", "formula"),
    [
        ("sqrt(2)/2", "sqrt(2) / 2"), ("e/(2*e + 1)", "e / (2 * e + 1)"), ("pi", "pi"), ("π", "pi"), ("e", "e"),
        ("-sqrt(2)", "-sqrt(2)"),
        ("√2/2", "sqrt(2) / 2"), ("2√3", "2 * sqrt(3)"), ("√(1/3)", "sqrt(1 / 3)"),
        ("e^2/(e^2+1)", "e ** 2 / (e ** 2 + 1)"),
        ("\\sqrt{2}", "sqrt(2)"), ("-\\frac{\\sqrt{2}}{2}", "-(sqrt(2) / 2)"), ("2\\sqrt{2}", "2 * sqrt(2)"),
        ("e^{-1}", "e ** -1"),
        ("\\frac{e^{\\sqrt{2}}}{1 + e^{\\sqrt{2}}}", "e ** sqrt(2) / (1 + e ** sqrt(2))"), ("2\\pi", "2 * pi"),
        ("\\sqrt[3]{2}", "2 ** (1 / 3)"),
        ("\\ln 2.5", "ln(2.5)"), ("\\ln\\frac{1}{2}", "ln(1 / 2)"), ("\\exp\\left(2\\right)", "exp(2)"),
        ("\\exp(1)", "exp(1)"), ("$\\ln(3)$", "ln(3)"), ("2 ** 0.5", "2 ** 0.5"), ("\\left(\\pi\\right)/4", "pi / 4"),
    ],
)  # fmt: skip
def test_other_constants_become_formulas(text, formula):
    typed = one(text)
    assert unparse(typed.tree) == formula
    assert (typed.text, typed.value, typed.decimals, typed.infinite) == (text, None, None, 0)


@for_each(
    "text",
    ["inf", "+inf", "∞", "Infinity", ".inf", "\\infty", "$\\infty$", "-inf", "−∞", "-∞", "- ∞", "-\\infty", "-.inf"],
)
def test_infinity_has_a_sign(text):
    assert_infinite(text)


@pytest.mark.parametrize("text", ["oo", "-oo", "- oo"])
def test_infinity_may_be_sympy_s(text):
    assert_infinite(text)


def assert_infinite(text):
    typed = one(text)
    assert (typed.infinite, typed.value, typed.tree, typed.decimals) == (-1 if text[0] in "-−" else 1, None, None, None)


@for_each("text", ["", "  ", "_", "___", "?", "~", "…", "...", "null", "$\\square$", "`_`", "\\_"])
def test_blanks_are_none(text):
    assert one(text) is None


# -- formats -----------------------------------------------------------------------------------------------------------


def shown(script: Script) -> list[str]:
    head = [f"{key}: {value}" for key in ("problem", "student", "computed", "note") if (value := getattr(script, key))]
    return head + [shown_answer(answer) for answer in script.answers]


def shown_answer(a: Answer) -> str:
    name = ".".join(filter(None, [a.part, unparse(a.where) if a.where else a.step]))
    rows = " | ".join(" ".join("_" if c is None else c.text.replace(" ", "") for c in row) for row in a.rows)
    more = [
        f"{word} {', '.join(labels)}"
        for word, labels in (("rows", a.row_labels), ("columns", a.column_labels))
        if labels
    ]
    more += ["printed"] * a.printed + [a.computed or ""] * bool(a.computed) + ["flat"] * a.flat
    return f"{a.place.line}:{a.place.column}: {name} = {rows}" + (f"  ({'; '.join(more)})" if more else "")


@for_each(("file", "text", "lines"), blocks("read.txt"))
def test_every_format_is_read(file, text, lines):
    assert shown(read(text, file)) == lines


@for_each(("file", "text", "lines"), blocks("refused.txt"), quick=16)
def test_what_is_unclear_is_refused_at_its_place(file, text, lines):
    with pytest.raises(AttncalcError) as told:
        read(text, file)
    assert faults(told.value, file) == lines


@for_each(("file", "text", "lines"), [*blocks("read.txt"), *blocks("bind.txt")])
def test_every_entry_stands_at_its_place(file, text, lines):
    source = text.splitlines()
    for answer in read(text, file.split()[-1]).answers:
        for typed in (cell for row in answer.rows for cell in row if cell):
            standing = source[typed.place.line - 1][typed.place.column - 1 :]
            assert standing.startswith((typed.text, "\\x32"))


@for_each(("file", "text", "lines"), blocks("read.txt"))
def test_line_ends_and_a_mark_of_byte_order_change_nothing(file, text, lines):
    assert shown(read(("\ufeff" + text).replace("\n", "\r\n").encode(), file)) == lines


# -- written in every format and read back -----------------------------------------------------------------------------

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,6})?(e-?[1-9])?", fullmatch=True)
ENTRIES = NUMBERS | st.sampled_from(["1/3", "-2/7", "inf", "-inf", "pi", "sqrt(2)/2", "_"])


@st.composite
def matrices(draw, entries=ENTRIES):
    rows, columns = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    return [[draw(entries) for _ in range(columns)] for _ in range(rows)]


def lists(rows, comma=", "):
    return "[" + comma.join("[" + comma.join(row) + "]" for row in rows) + "]"


def spaced(rows):
    return "\n".join(" ".join(row) for row in rows)


def indented(text):
    return "answers:\n  A: |\n" + "\n".join("    " + line for line in text.splitlines()) + "\n"


def table(rows):
    header = ["| " + " | ".join("" for _ in rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join(header + ["| " + " | ".join(row) + " |" for row in rows])


def latex(rows):
    return "\\begin{bmatrix}\n" + " \\\\\n".join(" & ".join(row) for row in rows) + "\n\\end{bmatrix}"


def numpy_print(rows):
    return "[" + "\n ".join("[" + " ".join(row) + "]" for row in rows) + "]"


def csv_cells(rows, sign=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sign)
    writer.writerow(["student", *(f"A[{i},{j}]" for i, row in enumerate(rows) for j in range(len(row)))])
    writer.writerow(["ann", *(cell for row in rows for cell in row)])
    return out.getvalue()


def csv_rows(rows):
    return "step,row,column,value\n" + "".join(
        f"A,{i},{j},{cell}\n" for i, row in enumerate(rows) for j, cell in enumerate(row)
    )


WRITERS = {
    "yaml": lambda rows: ("a.yaml", f"answers:\n  A: {lists(rows)}\n"),
    "yaml rows": lambda rows: ("a.yaml", "answers:\n  A:\n" + "".join(f"  - [{', '.join(row)}]\n" for row in rows)),
    "yaml block": lambda rows: ("a.yaml", indented(spaced(rows))),
    "yaml quoted": lambda rows: (
        "a.yaml",
        "answers: {A: " + lists([[f'"{cell}"' for cell in row] for row in rows]) + "}",
    ),
    "yaml table": lambda rows: ("a.yaml", indented(table(rows))),
    "yaml latex": lambda rows: ("a.yaml", indented(latex(rows))),
    "yaml numpy": lambda rows: ("a.yaml", indented(numpy_print(rows))),
    "json": lambda rows: (
        "a.json",
        '{"answers": {"A": ' + lists([[f'"{cell}"' for cell in row] for row in rows]) + "}}",
    ),
    "markdown": lambda rows: ("a.md", f"## A\n\n{table(rows)}\n"),
    "text": lambda rows: ("a.txt", f"A =\n{spaced(rows)}\n"),
    "latex": lambda rows: ("a.tex", f"$$\nA = {latex(rows)}\n$$\n"),
    "python": lambda rows: ("a.py", f"A = {lists(rows)}\n"),
    "numpy": lambda rows: ("a.txt", f"A = array({lists(rows, ', ')}, dtype=float32)\n"),
    "numpy print": lambda rows: ("a.txt", f"A:\n{numpy_print(rows)}\n"),
    "torch": lambda rows: ("a.txt", f"A = tensor({lists(rows)}, grad_fn=<SoftmaxBackward0>)\n"),
    "csv": lambda rows: ("a.csv", csv_cells(rows)),
    "tsv": lambda rows: ("a.tsv", csv_cells(rows, "\t")),
    "semicolons": lambda rows: ("a.csv", csv_cells(rows, ";")),
    "csv rows": lambda rows: ("a.csv", csv_rows(rows)),
}


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("name", WRITERS)
@examples(60, suppress_health_check=[HealthCheck.too_slow])
@given(rows=matrices())
def test_a_matrix_written_in_any_format_is_read_back(name, rows):
    source, text = WRITERS[name](rows)
    script = read(text, source)
    found = {}
    for answer in script.answers:
        index = answer.where and (int(answer.where.rows.text), int(answer.where.columns.text))
        for i, row in enumerate(answer.rows):
            for j, cell in enumerate(row):
                found[index or (i, j)] = cell and cell.text
    assert {key: cell for key, cell in found.items() if cell} == {
        (i, j): cell for i, row in enumerate(rows) for j, cell in enumerate(row) if cell != "_"
    }


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("kind", ["a.yaml", "a.json", "a.csv", "a.tsv", "a.md", "a.tex", "a.txt", "-"])
@examples(150)
@given(
    text=st.text(max_size=60)
    | st.lists(st.sampled_from(["A", "S =", "answers:", "\n", "\n  ", " ", ":", "[", "]", ",", "0.5", "-1", "|", "---",
                                "&", "\\\\", "\\begin{bmatrix}",
                                "\\end{bmatrix}", "tensor(", ")", "{", "}", "# ", "_", "?", "step,value", ";", "\t",
                                '"', "'", "0,5", "**", "$", "e", "A[0,1]"]),
               max_size=25).map("".join)
)  # fmt: skip
def test_any_text_is_read_or_refused(kind, text):
    try:
        script = read(text, kind)
        bind(script, PROBLEMS["one"])
    except AttncalcError as error:
        assert error.faults and all(fault.message for fault in error.faults)


PIECES = (
    *("[[1, 2], [3, 4]]", "tensor([[1., 2.]])", "array([[1, 2]], dtype=float32)", "{{1, 2}, {3, 4}}",
      "Matrix([[1, 2]])", "(1, 2)", "     [,1] [,2]\n[1,]  1 2", "2×2 Matrix{Float64}:\n 1.0 2.0"),
    *("\\begin{pmatrix}1 & 2\\\\\\end{pmatrix}", "=A1:B2", "'1.5'", "1{,}5", "0·67", "1\\frac{1}{2}", "1e999999999",
      "1E-7", "9" * 5_000, "9**9**9", "exp(exp(99))", "sqrt(2", "nan", "−∞", "×", "A \\approx"),
    *("[" * 300, "(" * 300, "{" * 300, "]" * 300, "\\frac" * 60, "&" * 300, "|" * 300, "\u202e", "\u200b", "\x1b[2J",
      "../../A", "__class__", "A[0][0][0]", "A" * 3_000, "computed: numpy", "student: ", "answers:\n  A: "),
    *("S = ", "A:", "Z", "\n", "\n", " ", ", ", ";", "\t", "---\n"),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["a.yaml", "a.json", "a.csv", "a.md", "a.tex", "-"])
@examples(80)
@given(text=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_law_mixed_prints_of_programs_are_read_or_refused_soon(kind, text):
    """Deep brackets, long numbers, prints of several programs in one file, hostile names: an answer or a fault, in five
    seconds of CPU time.
    """

    def mark() -> None:
        try:
            bind(read(text, kind), PROBLEMS["one"])
        except AttncalcError as error:
            assert error.faults and all(fault.message and str(fault).isprintable() for fault in error.faults)

    assert takes_less_than(5, mark)


# -- a class -----------------------------------------------------------------------------------------------------------


def read_scripts(text, source):
    """The scripts of a class; every fault of all of them at once."""
    scripts = [
        rows.script(lambda name: True)
        for rows in read_rows(text, f"{source}.csv" if not source.endswith(".csv") else source)
    ]
    if unread := [one.fault for script in scripts for one in script.unread]:
        raise AttncalcError(unread)
    return scripts


def test_a_line_a_student():
    text = 'student,Q[0,0],"A[0,1]",Z,note\nann,1.0,,5,late\n\nbob,2,_,[1 2],\n'
    scripts = read_scripts(text, "class.csv")
    assert [(s.student, s.note, [shown_answer(a).split(": ", 1)[1] for a in s.answers]) for s in scripts] == [
        ("ann", "late", ["Q[0, 0] = 1.0", "Z = 5"]),
        ("bob", "", ["Q[0, 0] = 2", "Z = 1 2  (printed; flat)"]),
    ]


def test_lines_of_steps_are_gathered_by_student():
    text = "student,step,row,column,value\nann,Q,0,0,1\nbob,Q,0,0,2\nann,Q,0,1,3\n"
    scripts = read_scripts(text, "class.csv")
    assert [(s.student, len(s.answers)) for s in scripts] == [("ann", 2), ("bob", 1)]


def test_every_fault_of_a_class_is_told():
    with pytest.raises(AttncalcError) as told:
        read_scripts("student,Q,Q\nann,1,1\nann,0.5?,1\n,y,1\n", "c.csv")
    assert faults(told.value, "c.csv") == [
        "1:11: expected each column once, found 'Q' again",
        "3:5: expected a number, found '0.5?'; is the number certain? Write only the number, or _ for a blank",
        "4:2: expected a number, found 'y'; an answer cannot contain names; "
        "write a number such as 0.67, -2/3, 1.5e-3 or sqrt(2)/2, or _ for a blank",
    ]


# -- on the problem ----------------------------------------------------------------------------------------------------


def bound_lines(bound: Bound) -> list[str]:
    lines = [f"note: {note}" for note in bound.notes]
    for filled in bound.steps:
        rows, columns = filled.step.shape
        grid = " | ".join(
            " ".join(filled.cells[i, j].text if (i, j) in filled.cells else "_" for j in range(columns))
            for i in range(rows)
        )
        more = ["partial"] * (filled.kind == "partial") + ["transposed"] * filled.transposed
        more += ["printed"] * filled.printed + [filled.computed or ""] * bool(filled.computed)
        lines.append(f"{filled.step.key} = {grid}" + (f"  ({'; '.join(more)})" if more else ""))
        lines += [f"  {note}" for note in filled.notes]
    return lines + [f"{key}: {said}" for key, said in bound.shapes.items()]


@for_each(("file", "text", "lines"), blocks("bind.txt"))
def test_answers_find_their_steps(file, text, lines):
    problem, source = file.split()
    try:
        found = bound_lines(bind(read(text, source), PROBLEMS[problem]))
    except AttncalcError as error:
        found = faults(error, source)
    assert found == lines


@examples(60)
@given(
    rows=st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=3, max_size=3), order=st.permutations(range(3))
)
def test_transposed_and_relabelled_answers_are_the_same_answer(rows, order):
    """V (3 × 4, rows the, cat, sat) as it stands, as its transpose, row by row in any order, and flat: the
    same cells.
    """
    words = ["the", "cat", "sat"]
    shuffled = f"{{rows: [{', '.join(words[i] for i in order)}], values: {lists([rows[i] for i in order])}}}"
    given_as = [
        lists(rows),
        lists([list(column) for column in zip(*rows)]),
        shuffled,
        "[" + ", ".join(cell for row in rows for cell in row) + "]",
    ]
    found = [bind(read(f"answers: {{V: {text}}}", "a.yaml"), PROBLEMS["one"]).find("V") for text in given_as]
    assert all(
        {cell: typed.text for cell, typed in one.cells.items()}
        == {(i, j): rows[i][j] for i in range(3) for j in range(4)}
        for one in found
    )
    assert [one.transposed for one in found] == [False, True, False, False]
    assert [bool(one.notes) for one in found] == [False, True, order != [0, 1, 2], True]


@for_each("path", EXAMPLES, ids=lambda path: path.name.removesuffix(".problem.yaml"), quick=12)
def test_published_answers_fit_without_a_word(path):
    source = path.name.replace("problem", "published")
    script = read((path.parent / source).read_text(encoding="utf-8"), source)
    bound = bind(script, load(path))
    assert script.answers and bound.steps
    assert (
        all(note == "flat list read as a column" for filled in bound.steps for note in filled.notes) and not bound.notes
    )


def _lines(problem, indent: str = "") -> str:
    """A whole matrix of ones for every step."""
    steps = ((step.key, [[1] * step.shape[1]] * step.shape[0]) for step in problem.plan.steps())
    return "".join(f"{indent}{key}: {rows}\n" for key, rows in steps)


@for_each("name", [*problem_names(), *CASES])
def test_no_line_is_dropped_where_steps_stand_at_the_top(name):
    problem = load(case(name) if name in CASES else name)
    flat, under = (
        bind(read(text, "a.yaml"), problem) for text in (_lines(problem), f"answers:\n{_lines(problem, '  ')}")
    )
    assert [one.step for one in flat.steps] == list(problem.plan.steps())
    assert [(one.step.key, *one.cells) for one in flat.steps] == [(one.step.key, *one.cells) for one in under.steps]


@for_each("answers", [
    {"normed": [[7, 7, 7], [7, 7, 7]]},
    {"normed": "7 7 7\n7 7 7"},
    {"normed": "tensor([[7., 7., 7.], [7., 7., 7.]])"},
    {"Y": [[1, 1, 1], [1, 1, 1]], "mean_square": "5"},
])  # fmt: skip
def test_a_flat_file_is_marked_as_the_same_lines_under_answers(answers):
    """`normed` is near `note`, a key of the file's header."""
    problem = {"given": {"X": [[1, 2, 3], [2, 0, 1]]}, "rounding": {"digits": 2}, "rms_norm": {}}
    flat, under = (report_json.write(check(problem, told)) for told in (answers, {"answers": answers}))
    assert flat == under and '"wrong"' in flat


WORDS = ("problem", "student", "computed", "source", "note", "format", "answers")


@examples(100)
@given(st.dictionaries(
    st.sampled_from(WORDS).flatmap(lambda word: st.sampled_from([word, f"{word}s", word[1:], word[:-1], f"{word}_1", word.title()]))
    | st.sampled_from(["S", "norm", "rate", "normed", "scores", "name", "date"]),
    st.sampled_from(["1", "-inf", "[[1, 2]]", "[1, 2]", "Ada", "Ada 2", "tensor([1.])", "|\n  1 2\n  3 4", "{S: [[1]]}"]),
    min_size=1, max_size=4,
))  # fmt: skip
def test_every_line_of_an_answer_file_is_read_or_told(lines):
    """Whatever its key is near to: it is the header's, an answer, or reported."""
    script = read("".join(f"{key}: {value}\n" for key, value in lines.items()), "a.yaml", lenient=True)
    read_ = {answer.part or answer.step for answer in script.answers}
    told = [f"{one.step} {one.fault.message}" for one in script.unread]
    for key in lines.keys() - read_ - {*WORDS}:
        assert any(key in one for one in told), key
    for key in (lines.keys() & {*WORDS}) - read_:
        assert not lines[key].startswith(("[", "{")) or any(key in one for one in told), key


@for_each("key", ["Student", "studnet", "compute", "sources", "notes"])
def test_a_misspelt_key_of_a_flat_file_is_told(key):
    text = f"{key}: Ada Lovelace\nY: 1\n"
    with pytest.raises(AttncalcError, match=f"an answer file has no key '{key}'; did you mean"):
        read(text, "a.yaml")
    kept = read(text, "a.yaml", lenient=True)
    assert [answer.step for answer in kept.answers] == ["Y"] and len(kept.unread) == 1


# -- the blank file ----------------------------------------------------------------------------------------------------


@for_each("name", [*map(str, EXAMPLES), *problem_names()], ids=lambda name: Path(name).name, quick=10)
def test_a_blank_file_is_all_blank_and_asks_for_every_step(name):
    problem = load(name)
    text = blank(problem)
    empty = read(text, "blank.yaml")
    assert empty.problem == problem.name and empty.student is None
    assert (
        all(cell is None for answer in empty.answers for row in answer.rows for cell in row)
        and not bind(empty, problem).steps
    )
    filled = "".join(
        line.partition("  #")[0].replace("[_", "[1").replace(", _", ", 1").replace(": _", ": 1") + "\n"
        for line in text.splitlines()
    )
    bound = bind(read(filled, "blank.yaml"), problem)
    asked = {(part.name, asked.step) for part in problem.parts for asked in part.asked}
    assert {(one.part, one.step.name) for one in bound.steps} == asked
    assert not any(one.notes for one in bound.steps)


def test_the_blank_file_shows_shapes_labels_and_slices(monkeypatch, capsys):
    path = DATA / "answers" / "two.yaml"
    assert command(["answers", str(path)], monkeypatch, capsys) == (DATA / "answers" / "blank.yaml").read_text(
        encoding="utf-8"
    )
    only = command(["answers", str(path), "--part", "first"], monkeypatch, capsys)
    assert "first:" in only and "second:" not in only


def command(argv, monkeypatch, capsys, code=0):
    monkeypatch.setattr(sys, "argv", ["attncalc", *argv])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code or 0) == code
    return out if code == 0 else err


def test_the_blank_file_is_written_once(tmp_path, monkeypatch, capsys):
    path, problem = tmp_path / "answers.yaml", str(DATA / "answers" / "one.yaml")
    command(["answers", problem, "-o", str(path)], monkeypatch, capsys)
    assert len(read(path.read_text(encoding="utf-8"), path.name).answers) == 8
    assert "--force" in command(["answers", problem, "-o", str(path)], monkeypatch, capsys, code=2)


def test_a_problem_that_asks_nothing_or_too_much_has_no_blank_file():
    with pytest.raises(AttncalcError, match="nothing is asked"):
        blank(load({"given": {"X": 1}, "steps": {"Y": "X"}, "asked": []}))
    with pytest.raises(AttncalcError, match="at most 100,000 entries per paper; found 160,000; list fewer steps under"):
        blank(load({"given": {"X": 1}, "steps": {"Y": "zeros(400, 400)"}}))


# -- hostile -----------------------------------------------------------------------------------------------------------

MANY = 900_000
HOSTILE = {
    "empty": ("a.yaml", ""), "blank": ("a.md", " \n \n"), "no cells": ("a.csv", "\n\n"),
    "binary": ("a", bytes(range(256)) * 9), "null": ("a.md", "A = 1\0"),
    "too long": ("a", "1" * 1_000_001), "digits": ("a.yaml", "answers: {A: " + "1" * MANY + "}"),
    "digits in text": ("a.md", "A = " + "1" * MANY),
    "lists": ("a.yaml", "answers: {A: " + "[" * 1000 + "]" * 1000 + "}"),
    "lists in a block": ("a.yaml", "answers:\n  A: |\n    " + "[" * MANY),
    "lists in text": ("a.md", "A = " + "[" * MANY), "lists in lines": ("a.md", "A =\n" + "[\n" * 40_000),
    "never closed": ("a.md", "S = [1\n" * 40_000),
    "aliases": ("a.yaml", "answers:\n  B0: &b0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(f"  B{k}: &b{k} "
        f"[{', '.join([f'*b{k - 1}'] * 9)}]\n" for k in range(1, 9))),
    "exponent": ("a.yaml", "answers: {A: 1e999999999}"), "power": ("a.yaml", "answers: {A: 9**9**9**9}"),
    "powers": ("a.yaml", "answers: {A: ((1.0000001**1000)**1000)**1000}"),
    "tower": ("a.yaml", "answers: {A: exp(exp(exp(exp(9))))}"),
    "brackets": ("a.yaml", "answers: {A: '" + "(" * 200 + "'}"),
    "signs": ("a.yaml", "answers: {A: '1" + "+-" * 140 + "1'}"),
    "dollars": ("a.md", "$" * MANY + "x"), "stars": ("a.md", "*" * MANY + "x"), "underscores": ("a.md", "_" * MANY),
    "spaces": ("a.md", "A = [" + " " * MANY + "x"),
    "hashes": ("a.md", "# " + " #" * (MANY // 2)), "bars": ("a.md", "A =\n" + "|" * MANY),
    "dashes": ("a.md", "A =\n-|" + " " * MANY + "x"),
    "behind a print": ("a.md", "A = tensor([1])" + " " * MANY + "x"),
    "keywords": ("a.md", "A = tensor([1]" + ", dtype=float32" * 50_000 + " x"),
    "TeX rows": ("a.tex", "A = \\begin{matrix}" + "\\\\[" * (MANY // 3) + "\\end{matrix}"),
    "TeX groups": ("a.tex", "A = \\begin{matrix}" + "{" * MANY + "\\end{matrix}"),
    "TeX fractions": ("a.tex", "A = \\begin{matrix}" + "\\frac" * 50 + "\\end{matrix}"),
    "TeX begins": ("a.tex", "A = " + "\\begin{matrix}" * (MANY // 15)),
    "csv brackets": ("a.csv", "[" * MANY), "csv quotes": ("a.csv", '"' * MANY), "csv commas": ("a.csv", "," * MANY),
    "csv names": ("a.csv", '"x,"' * (MANY // 4)),
    "csv lines": ("a.csv", "A =\n" + "[\n" * 40_000), "csv steps": ("a.csv", "S\n" * 50_000),
    "lines": ("a.md", "S\n" * (MANY // 2)), "names": ("a.md", "a." * (MANY // 2) + " ="),
    "indices": ("a.md", "a[" * (MANY // 2)),
    "faults": ("a.yaml", "answers: {A: [" + ", ".join(["0.6?"] * 100_000) + "]}"),
    "rows": ("a.yaml", "answers: {A: [" + ", ".join(["[1]"] * 5_000) + "]}"),
}  # fmt: skip


LARGE = {
    "a row of semicolons": ("a.txt", "S = [" + ";" * 900_000 + "]"), "a row of commas": ("a.md", "S = [[" + "," * 900_000 + "]]"),
    "in round brackets": ("a.md", "S = (" + "11;" * 100_000), "two signs": ("a.csv", "1;" * 50_000 + "1,5,5"),
    "semicolons": ("a.txt", "[" + ";" * 900_000), "rows": ("a.md", "S = [[" + "],[" * 300_000 + "]]"),
    "columns": ("a.md", "S =\n|" + "|" * 900_000), "one line": ("a.md", "$S = \\begin{bmatrix}1\\end{bmatrix}$ " * 25_000),
    "TeX columns": ("a.tex", "S = \\begin{bmatrix}" + "1&" * 400_000 + "\\end{bmatrix}"),
}  # fmt: skip


@pytest.mark.sweep(quick=1, ci=3)
@pytest.mark.parametrize("name", LARGE)
def test_a_large_text_takes_little_time_and_memory(name):
    source, text = LARGE[name]

    def read_it() -> None:
        with suppress(AttncalcError):
            read(text, source, lenient=True)

    tracemalloc.start()
    is_quick = takes_less_than(20, read_it)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert is_quick and most < 250_000_000


@for_each("quote", ['"', "'"])
@for_each("first", ["0.50", "-1", "1"])
def test_the_short_form_of_an_answer_file_is_read_from_standard_input(first, quote):
    text = f"S: [[1, {quote}{first}{quote}]]\nZ: [[{quote}{first}{quote}, 2]]\n"
    one, other = (read(text, source) for source in ("-", "mine.yaml"))
    assert [(a.step, [[cell.text for cell in row] for row in a.rows]) for a in one.answers] == [
        (a.step, [[cell.text for cell in row] for row in a.rows]) for a in other.answers
    ]


@for_each("name", HOSTILE, quick=1, ci=15)
def test_hostile_answers_are_refused_soon(name):
    source, text = HOSTILE[name]

    def refuse() -> None:
        with pytest.raises(AttncalcError) as refused:
            read(text, source)
        assert 1 <= len(refused.value.faults) <= 100

    assert takes_less_than(5, refuse)


@pytest.mark.sweep(quick=0)
def test_a_table_of_more_than_a_class_is_refused_soon():
    table = "student,S\n" + "".join(f"s{k},1\n" for k in range(10_001))

    def refuse() -> None:
        with pytest.raises(AttncalcError, match="expected at most 10,000 students, found"):
            read_scripts(table, "class.csv")

    assert takes_less_than(5, refuse)


# -- entries counted from 1 --------------------------------------------------------------------------------------------

_FORMS_OF_ENTRIES = {
    "a.txt": lambda cells: "\n".join(f"S[{i},{j}] = {value}" for (i, j), value in cells.items()),
    "a.csv": lambda cells: "\n".join(["step,row,column,value", *(f"S,{i},{j},{v}" for (i, j), v in cells.items())]),
    "b.csv": lambda cells: "\n".join(
        [",".join(["student", *(f'"S[{i},{j}]"' for i, j in cells)]), ",".join(["ann", *map(str, cells.values())])]
    ),
}


@pytest.mark.parametrize("source", _FORMS_OF_ENTRIES)
@given(places=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, unique=True))
def test_law_entries_that_may_be_counted_from_1_are_never_used(source, places):
    """An index one beyond the last, and no index 0, is a count from 1; within the matrix, free text is ambiguous."""
    text = _FORMS_OF_ENTRIES[source]({place: k for k, place in enumerate(places)})
    bound = bind(read(text, source, lenient=True), PROBLEMS["one"], lenient=True)
    is_over = any(3 in place for place in places)
    if is_over or source == "a.txt":
        assert bound.find("S") is None
        (unread,) = bound.unread
        assert ("are counted from 1" if is_over else "from 0 or from 1") in unread.fault.message
        assert "the first is S[0, 0]" in unread.fault.message
    else:
        assert set(bound.find("S").cells) == set(places)
        sides = [{place[axis] for place in places} for axis in (0, 1)]
        is_block = 1 < len(places) == len(sides[0]) * len(sides[1]) and all(max(side) == len(side) for side in sides)
        assert any("counted from 0, but none of your indices is 0" in note for note in bound.notes) == is_block


@pytest.mark.parametrize("source", _FORMS_OF_ENTRIES)
@given(places=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, unique=True))
def test_law_entries_with_an_index_0_are_read_as_they_stand(source, places):
    places = list(dict.fromkeys([(0, 1), *places]))
    text = _FORMS_OF_ENTRIES[source]({place: k for k, place in enumerate(places)})
    bound = bind(read(text, source, lenient=True), PROBLEMS["one"], lenient=True)
    assert set(bound.find("S").cells) == set(places) and not bound.unread


def test_rows_that_are_counted_from_1_are_never_used():
    text = "S[1] = [1, 2, 3]\nS[2] = [4, 5, 6]\nS[3] = [7, 8, 9]"
    bound = bind(read(text, "a.txt", lenient=True), PROBLEMS["one"], lenient=True)
    assert bound.find("S") is None and "the first is S[0])" in bound.unread[0].fault.message


@given(at=st.integers(0, 4), values=st.lists(st.integers(100, 999), min_size=5, max_size=5))
def test_law_a_number_that_its_decimal_comma_cuts_in_a_class_is_never_read(at, values):
    """One of ann's numbers has a comma without quotes, and her last one is missing: her row has as many cells as the
    others.
    """
    header = ",".join(["student", *(f'"S[0,{k}]"' for k in range(6))])
    others = [f"{name}{',0.125' * 6}" for name in ("bob", "cid", "dan")]
    hers = ",".join(f"0,{value}" if k == at else f"0.{value}" for k, value in enumerate(values))
    text = "\n".join([header, f"ann,{hers}", *others])
    (ann, *rest) = [rows.script(lambda name: True) for rows in read_rows(text, "class.csv")]
    assert [answer.where.columns.text for answer in ann.answers if answer.rows[0][0]] == [str(k) for k in range(at)]
    assert any("may be one number" in note.fault.message for note in ann.unread)
    assert all(len(script.answers) == 6 and not script.unread for script in rest)


@for_each("name", ["a.json", "a.yaml"])
@for_each("text", ["[[1, 0,], [3, 4]]", "[[1, 0], [3, 4],]", "[[1, 0], [3, 4]],", "[[1, 0], [3, 4]]},"])
def test_a_comma_after_the_last_entry_changes_nothing(text, name):
    """docs/answer-formats.md says so of JSON and of YAML."""
    (answer,) = read(f'{{"answers": {{"A": {text}{"" if "}" in text else "}"}}}'.encode(), name).answers
    assert [[typed.text for typed in row] for row in answer.rows] == [["1", "0"], ["3", "4"]]


@for_each("line", ["import numpy as np", "m = 2 * n", "from math import sqrt", "m = n.__abs__ if n else n"])
def test_code_that_leaves_the_typed_numbers_costs_no_answer(line):
    """A cell without output is read although it imports a module, or calculates another name."""
    cell = {"cell_type": "code", "source": f"n = 1.75\n{line}", "outputs": [], "metadata": {}, "execution_count": None}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    script = read(json.dumps(notebook).encode(), "a.ipynb", lenient=True)
    assert [[cell.text for cell in row] for answer in script.answers for row in answer.rows if answer.step == "n"] == [
        ["1.75"]
    ]
