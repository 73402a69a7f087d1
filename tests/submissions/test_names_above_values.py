"""A name on a line of its own: the sign of equality and the value are on the next line."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({
    "given": {"X": [[1, -2], [0, 3]], "u": [3, -1, 2]},
    "steps": {"T": "X / 4", "p": "u / 4", "m": "sum(u) / 7", "h": "sum(u) / 5"},
})  # fmt: skip
VALUES = {
    "T": ("[[0.25, -0.5], [0, 0.75]]", "\\begin{pmatrix} 0.25 & -0.5 \\\\ 0 & 0.75 \\end{pmatrix}"),
    "p": ("[0.75, -0.25, 0.5]", "0.75 -0.25 0.5", "3/4, -1/4, 1/2"), "m": ("0.5714", "4/7", "(3 - 1 + 2)/7"), "h": ("0.8",),
}  # fmt: skip
COUNTS = {"T": 4, "p": 3, "m": 1, "h": 1}
NAMES = ("{}", "{}\n", "- {}", "* {}", "(a) {}", "`{}`", "**{}**", "${}$", "{} \\\\", "## {}", "### {}\n", "\\item {}", "\\paragraph{{{}}}")  # fmt: skip
SIGNS = ("= {}", "&= {}", "  = {}", "= {} \\\\", "≈ {}", "= a * b\n= {}", "= softmax(u)\n&= {}")


def texts_of(text: str, source: str) -> dict[str, list[str]]:
    bound = bind(read(text, source, lenient=True), PROBLEM, lenient=True)
    assert not bound.unread and not bound.shapes, (text, bound.unread, bound.shapes)
    return {filled.step.key: [typed.text for typed in filled.cells.values()] for filled in bound.steps}


@for_each("name", NAMES)
@for_each("sign", SIGNS, quick=40, ci=60)
@for_each("step", VALUES)
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_the_value_below_a_name_alone_is_its_value(source, step, sign, name):
    for value in VALUES[step]:
        if "≈" in sign and " " in value and "[" not in value:
            continue  # a row of approximate numbers
        written = f"{name.format(step)}\n{sign.format(value)}\n"
        others = "".join(f"{other} = {VALUES[other][0]}\n\n" for other in VALUES if other != step)
        for text in (
            written,
            f"{others}{written}",
            f"{written}\n{others}",
            f"\\begin{{align*}}\n{written}\\end{{align*}}",
        ):
            assert len(texts_of(text, source)[step]) == COUNTS[step], text


@for_each("step", ["T", "p", "m"])
@for_each("level", ["section*", "subsection", "paragraph"])
def test_law_a_matrix_in_the_line_of_its_heading_is_read(level, step):
    rows = {"T": "0.25 -0.5\n0 0.75", "p": "0.75, -0.25, 0.5", "m": "0.5714"}[step]
    texts = texts_of(f"\\{level}{{{step}}} {rows}\n\nh = 0.8\n", "a.tex")
    assert len(texts[step]) == COUNTS[step] and texts["h"] == ["0.8"]


@for_each("rest", ["about 0.57 I think", "see 0.5714", "no 0.5714 x"])
def test_law_numbers_behind_a_heading_that_are_not_read_are_named(rest):
    bound = bind(read(f"\\paragraph{{m}} {rest}\n\nh = 0.8\n", "a.tex", lenient=True), PROBLEM, lenient=True)
    assert any(rest in str(note) for note in (*bound.notes, *(piece.fault for piece in bound.unread)))


LABELS = (
    "Step {}", "step {}:", "{} is", "{} is:", "{} equals", "Task {}", "Result {}:", "Schritt {}", "Answer {}", "**Step {}**", "Step {}\n",
    "So {} is", "The answer for {} is",
)  # fmt: skip


@for_each("label", LABELS, quick=40, ci=60)
@for_each("step", ["T", "p", "m"])
@for_each("source", ["a.txt", "a.md", "a.tex"])
def test_law_a_step_called_in_words_above_its_values_is_read(source, step, label):
    rows = {"T": "0.25 -0.5\n0 0.75", "p": "0.75 -0.25 0.5", "m": "0.5714"}[step]
    for value in (rows, VALUES[step][0]):
        texts = texts_of(f"h = 0.8\n\n{label.format(step)}\n{value}\n", source)
        assert len(texts[step]) == COUNTS[step] and texts["h"] == ["0.8"]


@for_each("label", ["Step {}", "Step {}:", "Task {}", "Answer {}:"])
@for_each("letter", "abch")
def test_law_a_letter_that_may_count_steps_names_none(letter, label):
    problem = load({"given": {"u": [3, -1, 2]}, "steps": {letter: "sum(u) / 7", "y": "sum(u) / 5"}})
    text = f"y = 0.8\n\n{label.format(letter)}\n0.5714\n"
    bound = bind(read(text, "a.txt", lenient=True), problem, lenient=True)
    assert not bound.find(letter) and bound.unread


@for_each("bullet", ["", "- ", "* ", "• ", "+ ", "  - ", "◦ "])
@for_each("row", ["row {0}: {1}", "Row {0}: [{1}]", "row {0} = {1}", "Zeile {0}: {1}", "[{1}]", "[ {1} ],"])
@for_each("name", ["T =\n", "T:\n", "T:\n\n", "## T\n"])
def test_law_bullets_before_rows_are_no_signs_of_numbers(name, row, bullet):
    rows = "\n".join(f"{bullet}{row.format(k, values)}" for k, values in ((1, "0.25, -0.5"), (2, "0, 0.75")))
    assert texts_of(f"{name}{rows}\n\nh = 0.8\n", "a.md") == {"T": ["0.25", "-0.5", "0", "0.75"], "h": ["0.8"]}


@for_each("name", ["{}", "{}\n", "**{}**", "{}:", "{}:\n", "{} ="])
@for_each("row", ["row {}: ", "- row {}: ", "* Row {} = ", "Zeile {}: ", "ligne {} : ", "- Row {}: "])
@for_each("source", ["a.txt", "a.md"])
def test_law_rows_with_their_numbers_below_a_name_are_read(source, row, name):
    for rows in (["0.25 -0.5", "0 0.75"], ["[0.25, -0.5]", "[0, 0.75]"], ["0.25, -0.5", "0, 0.75"]):
        numbered = "\n".join(row.format(k) + entries for k, entries in enumerate(rows, 1))
        for below in ("", "\n\nm = 4/7\n"):
            texts = texts_of(f"{name.format('T')}\n{numbered}{below}", source)
            assert texts["T"] == ["0.25", "-0.5", "0", "0.75"]


@for_each(
    "ordinal", ["First: ", "1st: ", "Second, ", "Finally: ", "Zuerst: ", "(a) First: ", "Then: ", "2nd. ", "Result: "]
)
@for_each("sign", [": ", " = ", ":"])
@for_each("step", VALUES)
def test_law_an_ordinal_in_front_of_a_name_is_left_out(step, sign, ordinal):
    for value in VALUES[step]:
        assert len(texts_of(f"{ordinal}{step}{sign}{value}\n\nh = 0.8\n", "a.md")[step]) == COUNTS[step]
