"""Two answers on one line: each step gets its own numbers, or a message says that the line is unclear."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({
    "given": {"X": [[1, -2], [0, 3]], "W": [[1, 2], [-1, 1]], "U": [[2, 1], [1, -3]], "u": [3, -1, 2], "b": [[2, 1]]},
    "steps": {"P": "X @ W", "R": "X @ U", "v": "u / 4", "c": "sum(u) / 7"},
})  # fmt: skip
MATRICES = {"P": [["3", "0"], ["-3", "3"]], "R": [["0", "7"], ["3", "-9"]], "v": [["0.75", "-0.25", "0.5"]]}
FORMS = {
    "lists": lambda rows: "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]",
    "MATLAB": lambda rows: "[" + "; ".join(" ".join(row) for row in rows) + "]",
    "latex": lambda rows: "\\begin{pmatrix} " + " \\\\ ".join(" & ".join(row) for row in rows) + " \\end{pmatrix}",
    "array": lambda rows: "np.array([" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "])",
}
READ = ("|", "//", "•", "<br>", "<br/>", "2)", "(2)", "b)", ",", ";", "and", "●", "| |")
UNCLEAR = (
    "/",
    "-",
    "--",
    "–",
    "—",
    "~",
    "Q2",
    "[^1]",
    "",
    "→ so",
    "1",
    ">",
    "#2",
    "~~",
    "§",
    "__",
    "…",
    "::",
    "!",
    "&",
    "2.",
    "·",
    "*",
    "+",
    "^",
    "×",
    "\\cdot",
    "· (b)",
    "* **",
)
GAPS = (" {} ", "{} ", " {}", "\t{}\t", "\N{NO-BREAK SPACE}{}\N{NO-BREAK SPACE}", "{}")
OTHERS = {"P": "R", "R": "v", "v": "P", "c": "P", "u": "v", "model": "R"}


def written(step: str, form: str) -> str:
    return "0.29" if step == "c" else FORMS[form](MATRICES.get(step, MATRICES["v"]))


@for_each("source", ["a.md", "a.txt", "a.tex"], quick=40, ci=60)
@for_each("form", FORMS)
@for_each("separator", [*READ, *UNCLEAR])
@for_each(("first", "second"), [*OTHERS.items(), *((b, a) for a, b in OTHERS.items())])
def test_law_no_step_gets_the_numbers_of_another_step_of_its_line(first, second, separator, form, source):
    for gap in GAPS:
        if first == "c" and separator == "2." and gap == "{} ":
            continue  # 0.292.
        text = f"{first} = {written(first, form)}{gap.format(separator)}{second} = {written(second, form)}\n"
        bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
        for name in {first, second} & {*MATRICES, "c"}:
            filled = bound.find(name)
            entries = [["0.29"]] if name == "c" else MATRICES[name]
            meant = {(i, j): entry for i, row in enumerate(entries) for j, entry in enumerate(row)}
            assert filled is None or {at: typed.text for at, typed in filled.cells.items()} == meant, text
            assert name not in bound.shapes, text
            is_noted = bound.unread or any(":1:" in note for note in bound.notes)
            assert filled is not None or is_noted, text
            assert filled is not None or separator not in READ or gap == "{}" or len(gap.strip()) < 4, text


VALUES = ("0.29", "2/7", "(3 - 1)/7", "sqrt(2)", "\\frac{2}{7}", "**0.29**", "`0.29`", "0.29 * 1")


@for_each("name", ["v", "{v}", "**{v}**", "`{v}`", "key", "(b) {v}"])
@for_each("sign", ["·", "*", "+", "^", "×", "⋅", "@", "\\cdot", "\\bullet"])
@for_each("value", VALUES)
def test_law_a_name_behind_a_value_and_a_sign_may_be_the_next_item(value, sign, name):
    """Neither is used if the name is of no other answer and of no given; a name of both is a factor of the working."""
    for step in ("v", "c") if name != "key" else ("key",):
        text = f"c = {value} {sign} {name.format(v=step)} = 0.75\n"
        bound = bind(read(text, "a.md", lenient=True), PROBLEM, lenient=True)
        assert bound.unread and not bound.steps, text
    if name != "key":
        for other in ("u", "v"):
            text = f"c = {value} {sign} {name.format(v=other)} = 0.75\n\nv = [0.75, -0.25, 0.5]\n"
            bound = bind(read(text, "a.md", lenient=True), PROBLEM, lenient=True)
            assert bound.find("c") and not bound.unread, text


EXACT = ("2/7", "(3 - 1)/7", "\\frac{2}{7}", "4/(7*2)", "sqrt(4)/7", "1-5/7", "(3 + 1)/(2*7)")
ROUNDED = ("0.29", "0.2857", "0.286")
OTHER = ("0.9", "3/7", "sqrt(2)", "(3 - 1)/8", "\\frac{3}{7}", "1/2+1/3", "2")


@for_each("first", [*EXACT, *ROUNDED])
@for_each("second", [*EXACT, *ROUNDED, *OTHER])
@for_each("sign", ["=", "≈", "==", "\\approx", ":="])
def test_law_of_two_values_in_a_chain_that_differ_neither_is_used(sign, second, first):
    for a, b in ((first, second), (second, first)):
        bound = bind(read(f"c = {a} {sign} {b}\n", "a.md", lenient=True), PROBLEM, lenient=True)
        assert bool(bound.find("c")) == (second not in OTHER) == (not bound.unread), (a, b)


@for_each("separator", READ)
def test_all_answers_of_a_script_may_be_on_one_line(separator):
    text = f" {separator} ".join(f"{name} = {written(name, 'lists')}" for name in (*MATRICES, "c"))
    bound = bind(read(text, "a.md"), PROBLEM)
    assert [step.step.name for step in bound.steps] == [*MATRICES, "c"] and not bound.unread


@for_each(
    "working",
    ["2 * X", "X @ [[1, 2], [-1, 1]]", "[[1, -2], [0, 3]] @ W", "[[3, 0], [-3, 3]] + b", "[[6, 0], [-6, 6]] / 2",
     "[[3, -3], [0, 3]]^T", "[[3, -3], [0, 3]].T", "[[1, -2], [0, 3]] [[1, 2], [-1, 1]]", "[[6, 0], [-6, 6]] / sqrt(4)",
     "[[3, 0], [-3, 3]]", "softmax([[3, 0], [-3, 3]]) W", "[[6, 0], [-6, 6]] - 3 I + b"],
)  # fmt: skip
def test_a_formula_with_a_matrix_is_the_working_of_its_line(working):
    bound = bind(read(f"P = {working} = {FORMS['lists'](MATRICES['P'])}\n", "a.md"), PROBLEM)
    assert [step.step.name for step in bound.steps] == ["P"] and not bound.shapes


@for_each("between", ["\\\\ &=", " \\\\ & =", "\\\\\n &=", " = "])
@for_each("environment", ["align", "align*", "eqnarray"])
def test_law_two_numbers_of_one_chain_in_latex_are_refused(environment, between):
    problem = load({"given": {"x": 3}, "steps": {"c": "x / 4"}})
    for first, second, is_read in (("0.75", "0.75", True), ("0.5", "0.75", False), ("0.75", "0.5", False)):
        text = f"\\begin{{{environment}}}c&={first}{between}{second}\\end{{{environment}}}\n"
        bound = bind(read(text, "a.tex", lenient=True), problem, lenient=True)
        assert bool(bound.find("c")) == is_read and bool(bound.unread) != is_read, text
