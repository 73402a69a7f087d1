"""A right answer is never marked wrong because of its form, and another number in the same form is never right: it is
read as it was meant, or a message names the form.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from attncalc.api import loads
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = loads("""title: Forms
given: {B: [[3, -5], [8, 11], [-2, 13]], c: [1, -3, 2]}
steps: {M: B / 8, v: c / 4, n: sum(B) / 16}
rounding: {digits: 3}
""")
M = [["0.375", "-0.625"], ["1", "1.375"], ["-0.25", "1.625"]]
V = ["0.25", "-0.75", "0.5"]


def decimal(x):
    return f"{float(x):g}"


# -- a number ----------------------------------------------------------------------------------------------------------

RAISED, LOWERED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"), str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
READ = {
    "full stop": lambda x: f"n = {decimal(x)}.", "quotes": lambda x: f'n = "{decimal(x)}"',
    "italic": lambda x: f"\N{MATHEMATICAL ITALIC SMALL N} = {decimal(x)}", "sum": lambda x: f"n = {decimal(x - 1)} + 1",
    "mixed": lambda x: f"n = {x // 1} + {x % 1}", "chain": lambda x: f"n = {x} = {x // 1} + {x % 1}",
    "quotient": lambda x: f"n = {x.numerator} / {x.denominator}", "divided": lambda x: f"n = {decimal(2 * x)} ÷ 2",
    "product": lambda x: f"n = {decimal(2 * x)} × 0.5", "star": lambda x: f"n = {decimal(2 * x)} * 0.5",
    "power": lambda x: f"n = {decimal(4 * x)} · 2^{{-2}}", "dollars": lambda x: f"n = ${decimal(x)}$",
    "closed": lambda x: f"$n = {decimal(x)}$.", "display": lambda x: rf"\[ n = {decimal(x)} \]",
    "equation": lambda x: rf"\begin{{equation}} n = {decimal(x)}. \end{{equation}}",
    "aligned": lambda x: rf"\begin{{align*}} n &= \frac{{{x.numerator}}}{{{x.denominator}}} = {decimal(x)} \end{{align*}}",
    "small digits": lambda x: "n = " + f"{x.numerator}/".translate(RAISED) + str(x.denominator).translate(LOWERED),
    "page": lambda x: f"n = ^{{{x.numerator}}}/_{{{x.denominator}}}",
    "times ten": lambda x: rf"$n = {decimal(10 * x)} \times 10^{{-1}}$",
    **{f"sign {sign!r}": lambda x, sign=sign: f"{sign} n = {decimal(x)}" for sign in ("-", "•", "∴", "=>", "→", "- [ ]", "- [x]", r"\item")},
    "item": lambda x: rf"\item[(a)] $n = {decimal(x)}$", "bold": lambda x: f"**n** = **{decimal(x)}**", "bold below": lambda x: f"n: **{decimal(x)}**",
    "all bold": lambda x: f"**n = {decimal(x)}**", "slanted": lambda x: f"*n* = *{decimal(x)}*.", "underlined": lambda x: f"n = __{decimal(x)}__",
    "comment": lambda x: f"n = {decimal(x)}  # done", "remark": lambda x: f"n = {decimal(x)} (rounded)", "bold and remark": lambda x: f"n = **{decimal(x)}** (final)",
    "tag": lambda x: rf"\begin{{equation}}" "\n" rf"n = {decimal(x)} \tag{{3}} \label{{e}}" "\n" rf"\end{{equation}}", "end of a row": lambda x: rf"$n = {decimal(x)}$ \\[2pt]",
    "lines": lambda x: rf"\begin{{align*}}" "\n" rf"n &= {x.numerator}/{x.denominator} \\" "\n" rf"  &= {decimal(x)}" "\n" rf"\end{{align*}}",
    "lines of fractions": lambda x: rf"n &= \frac{{{x.numerator}}}{{{x.denominator}}} \\" "\n" rf"&= {x.numerator}/{x.denominator} \\" "\n" rf"&\approx {decimal(x)} \nonumber \\",
    "lines without signs": lambda x: f"n = {x.numerator}/{x.denominator}\n  = {decimal(x)}",
    "dot ten": lambda x: rf"$n = {decimal(10 * x)}\,\cdot\,10^{{-1}}$",
}  # fmt: skip
OPEN = {
    "or": lambda x: f"n = 1.7 or {decimal(x)}", "slash": lambda x: f"n = {decimal(x)} / -{decimal(x)}",
    "x": lambda x: f"n = {decimal(x)} x 1", "mod": lambda x: f"n = {decimal(x)} mod 5", "or before": lambda x: f"n = or {decimal(x)}",
    "thin space": lambda x: rf"$n = {decimal(x)}\,00$", "mixed number": lambda x: f"n = {x // 1} {x % 1}", "mixed sign": lambda x: f"n = {x // 1} {'¾' if x % 1 == Fraction(3, 4) else x % 1}",
    "numbered": lambda x: f"n = {decimal(x)}\t(3)", "not equal": lambda x: f"n =/= {decimal(x)}",
    "crossed equals": lambda x: rf"n =\= {decimal(x)}", "two cells": lambda x: f"n = - {decimal(x)} -", "difference": lambda x: f"n = {decimal(x + 1)} - 1",
}  # fmt: skip


def verdicts(text, name="a.md"):
    """Return the verdict of each answered step, and whether something is reported."""
    bound = bind(read(text, name, lenient=True), PROBLEM, lenient=True)
    found = {step.step.key: step.verdict for step in check(PROBLEM, bound).steps if step.verdict != "missing"}
    return found, [piece.fault.message for piece in bound.unread]


@for_each("form", READ)
def test_a_number_is_read_as_it_was_meant(form):
    assert verdicts(READ[form](Fraction(7, 4))) == ({"n": "right"}, [])
    assert verdicts(READ[form](Fraction(11, 4)))[0].get("n") == "wrong"


@for_each("form", OPEN)
@for_each("value", [Fraction(7, 4), Fraction(11, 4)])
def test_a_number_with_two_readings_is_reported_and_not_marked(form, value):
    found, messages = verdicts(OPEN[form](value))
    assert found == {} and messages


@pytest.mark.parametrize("lines", ["n = 7/4\n  = 2.75", "n &= 28/16 \\\\\n &= 1.9", "n = 1.75\n= 2.5"])
def test_a_chain_over_lines_whose_numbers_differ_is_reported(lines):
    found, messages = verdicts(lines)
    assert found == {} and "differ on both sides" in messages[0]


PAIRS = (
    "$n=1.75$, $v=({})$",
    "**(1)** $n=1.75$\n\n**2.** $v=({})$",
    r"$n=1.75$\\$v=({})$",
    "**n = 1.75**; **v = [{}]**",
    "n = 1.75, v = [{}]",
    "n = **1.75**, v = **[{}]**",
)


@for_each("form", PAIRS)
def test_two_statements_on_a_line_are_read_each_by_itself(form):
    assert verdicts(form.format("0.25, -0.75, 0.5")) == ({"n": "right", "v": "right"}, [])
    assert verdicts(form.replace("1.75", "2.75").format("0.25, 7, 0.5"))[0] == {"n": "wrong", "v": "wrong"}


@for_each("name", ["a.yaml", "a.md"])
@for_each("chain", ["28/16 = 1.75", "sum(B)/16 = 1.75", "7/4 = 28/16 = 1.75", "1.7500 = 1.75"])
def test_a_chain_of_numbers_is_read_alike_in_each_format(chain, name):
    text = f"answers:\n  n: {chain}\n" if name == "a.yaml" else f"n: {chain}\n"
    assert verdicts(text, name) == ({"n": "right"}, [])
    assert verdicts(text.replace("= 1.75", "= 2.75"), name)[0].get("n") != "right"
    found, messages = verdicts(text.replace("n: ", "n: 5 = "), name)
    assert found == {} and "differ on both sides" in messages[0]


@pytest.mark.parametrize("before", ["", "Ada wrote:\n"])
def test_what_a_mail_quotes_is_no_answer(before):
    mail = f"Subject: answers\nContent-Type: text/plain\n\nn = 1.75\n\n{before}> n = 2.5\n> v = (1, 2, 3)\n"
    assert verdicts(mail, "a.eml") == ({"n": "right"}, [])
    assert verdicts(mail.replace("n = 1.75\n", "My answers:\n"), "a.eml")[0] == {"n": "wrong", "v": "wrong"}


# -- a matrix ----------------------------------------------------------------------------------------------------------

DASHES = "-−–—⁻˗➖\u2010\u2011\u2012"


def lines(rows, before="", between=" "):
    return "\n".join(before.format(k) + between.join(row) for k, row in enumerate(rows, 1))


def signed(sign):
    return lambda rows: "M:\n" + lines(rows).replace("-", sign)


def sheet(left, above, name="M"):
    """Return a CSV in which the name and the rows begin elsewhere."""
    return lambda rows: (
        "\n" * above + f"{',' * left}{name},,\n" + "".join(f"{',' * left},{','.join(row)}\n" for row in rows)
    )


MATRICES = {
    "items": lambda rows: "M:\n" + lines(rows, "{}. "),
    **{f"minus {sign!r}": signed(sign) for sign in DASHES},
    "in brackets": lambda rows: "M:\n" + lines(rows, "({}) "), "bracket": lambda rows: "M:\n" + lines(rows, "{}) "),
    "colon": lambda rows: "M:\n" + lines(rows, "{}: "), "row": lambda rows: "M:\n" + lines(rows, "row {}: "),
    "Row": lambda rows: "M =\n" + lines(rows, "Row {}  ", "  "), "bars": lambda rows: "M =\n" + "\n".join(f"| {' '.join(row)} |" for row in rows),
    "MATLAB": lambda rows: "M = " + "; ".join(", ".join(row) for row in rows),
    "a number below": lambda rows: f"M:\n{lines(rows)}\nn: 1.75", "a vector below": lambda rows: f"M:\n{lines(rows)}\nv: 0.25 -0.75 0.5",
    "full stop": lambda rows: f"M:\n{lines(rows)}.\n",
}  # fmt: skip
WRAPPED = (
    "\\documentclass[11pt]{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{}\n\\end{{document}}\n".format
)


def tabular(rows, rule=" \\\\ \\hline\n"):
    return (
        "\\begin{tabular}{cc}\n"
        + " & ".join(rows[0])
        + rule
        + " \\\\\n".join(map(" & ".join, rows[1:]))
        + "\n\\end{tabular}"
    )


def markdown(rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])) + "\n"


MATRICES |= {
    "name in a table": lambda rows: markdown([["M", ""], *rows]), "name in a tabular": lambda rows: WRAPPED(tabular([["$M$", ""], *rows])),
    "corner of a tabular": lambda rows: tabular([["M", "a", "b"], *(["xyz"[k], *row] for k, row in enumerate(rows))]),
    "formula in a heading": lambda rows: "### M = B/8\n\n" + markdown([["", ""], *rows]), "bold": lambda rows: "**M** = **[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]**",
    "TeX comments": lambda rows: WRAPPED("$M = \\begin{pmatrix}\n" + " \\\\ % 7, 8\n".join(map(" & ".join, rows)) + "\n\\end{pmatrix}$ % M = 3"),
}  # fmt: skip
MATRICES |= {
    "rows in round brackets": lambda rows: "M =\n" + "\n".join(f"( {'  '.join(row)} )" for row in rows),
    "name of a task": lambda rows: "Step 2: M\n" + lines(rows), "task with a dash": lambda rows: "Aufgabe 1 – M\n" + lines(rows),
    "item": lambda rows: "1. M\n" + lines(rows), "numbered heading": lambda rows: "## 2. M\n\n" + lines(rows),
    "bold number": lambda rows: "**(3)** M =\n" + lines(rows), "shape": lambda rows: "M (3 × 2):\n" + lines(rows),
    "shape before a sign": lambda rows: "M (3x2) = [" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]",
    "final answer": lambda rows: "Final answer for M:\n" + lines(rows), "remark on a name": lambda rows: "M (rounded to 3 d.p.):\n" + lines(rows),
    "paragraph": lambda rows: "\\paragraph{M.} We get \\[ M = \\begin{pmatrix}\n" + " \\\\\n".join(map(" & ".join, rows)) + "\n\\end{pmatrix} \\]",
    "underlined": lambda rows: "M\n=\n" + lines(rows), "name in a program": lambda rows: "The matrix M is\n" + lines(rows),
}  # fmt: skip
GRID = "+-------+--------+"
MATRICES |= {
    "grid": lambda rows: "M\n" + GRID + "\n" + "".join(f"| {' | '.join(row)} |\n{GRID}\n" for row in rows),
    "grid with a header": lambda rows: f"M =\n{GRID}\n| a | b |\n{GRID.replace('-', '=')}\n" + "".join(f"| {' | '.join(row)} |\n{GRID}\n" for row in rows),
    "framed": lambda rows: f"M:\n{GRID}\n| a | b |\n{GRID}\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows) + GRID,
    "Org": lambda rows: "M =\n| a | b |\n|---+---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows),
    "Org without a header": lambda rows: "M =\n|---+---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows) + "|---+---|",
    "list of R": lambda rows: "$M\n       [,1]   [,2]\n" + "".join(f"[{k},] {' '.join(row)}\n" for k, row in enumerate(rows, 1)) + "\n$n\n[1] 1.75\n",
    "Python's indices": lambda rows: "\n".join(f"M[{i}][{j}] = {x}" for i, row in enumerate(rows) for j, x in enumerate(row)),
    "colours": lambda rows: "\x1b[1mM = \x1b[0m" + "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]",
}  # fmt: skip
NAMED_OTHERWISE = {"M^T = {}": "M^T", "M <- {}": "M <-", "М = {}": "М", "Ṁ = {}": "Ṁ"}


@for_each("form", NAMED_OTHERWISE)
def test_a_matrix_with_another_name_is_reported_with_what_stands_before_it(form):
    found, messages = verdicts(form.format("[" + ", ".join(f"[{', '.join(row)}]" for row in M) + "]"))
    assert found == {} and f"found '{NAMED_OTHERWISE[form]}" in messages[0]


PARTS = {"M(1,1) = 0.375": "`M[0, 0] = 0.375`", "M row 1: 0.375, -0.625": "`M[0] = [1, 2]`", "M row 2 = [1, 1.375]": "`M[0] = [1, 2]`", "v(1) = 0.25": "`v[0] = 0.25`",
         "M column 1: 0.375, 1, -0.25": "`M[:, 0] = [1, 2]`", "v 0.25 -0.75 0.5": "`v = [[1, 2], [3, 4]]`", "n -> 1.75": "`n = 1.75`",
         "v = [0.25, -0.75 0.5]": "write -0.75, 0.5", "n = 1.75 % done": "35%", "n = 1.75[^1]": "footnote",
         "n = 7/2²": "2**3", "v = (0.25 0.75 0.5)": "comma missing"}  # fmt: skip


@for_each("text", PARTS)
def test_a_message_names_the_form_that_is_not_read(text):
    found, messages = verdicts(text)
    assert found == {} and PARTS[text] in messages[0]


@for_each("text", PARTS)
def test_the_example_of_a_message_is_read(text):
    """Its shape may be another than the step's, which only who answers knows."""
    example = PARTS[text].strip("`")
    if " = " in example:
        script = read(example, "a.md")
        assert [answer.step for answer in script.answers] == [example[0]] and not script.left


LISTS = {  # names and answers in a table
    "Markdown": lambda pairs: markdown([["step", "answer"], *pairs]), "tabular": lambda pairs: WRAPPED(tabular([["Step", "Answer"], *pairs])),
    "no header": lambda pairs: tabular(pairs), "empty header": lambda pairs: markdown([["", ""], *pairs]), "bold": lambda pairs: markdown([["**Name**", "**Value**"], *([f"**{a}**", f"**{b}**"] for a, b in pairs)]),
    "below a heading": lambda pairs: "## Answers\n\n" + markdown([["step", "result"], *pairs]),
    "dollars": lambda pairs: tabular([["quantity", "value"], *([f"${a}$", f"${b}$"] for a, b in pairs)]),
}  # fmt: skip


@for_each("vector", ["[0.25, -0.75, 0.5]", "(0.25, -0.75, 0.5)", "0.25, -0.75, 0.5"])
@for_each("form", LISTS)
def test_a_table_of_names_and_answers_is_read(form, vector):
    for pairs in ([["n", "1.75"], ["v", vector]], [["v", vector], ["n", "7/4"]]):
        assert verdicts(LISTS[form](pairs)) == ({"n": "right", "v": "right"}, [])
    assert verdicts(LISTS[form]([["n", "2.75"], ["v", vector]]))[0] == {"n": "wrong", "v": "right"}
    found, messages = verdicts(LISTS[form]([["n", "about 2"], ["v", vector]]))
    assert found.get("v", "right") == "right" and "n" not in found and messages


@pytest.mark.parametrize("second", ["what I did", "description", "comment"])
def test_a_table_of_steps_and_words_is_no_list_of_answers(second):
    text = markdown([["step", second], ["n", "I took the sum of B"], ["v", "a division by 4"]])
    assert verdicts(f"n = 1.75\n\n{text}\nv = (0.25, -0.75, 0.5)\n")[0] == {"n": "right", "v": "right"}


def test_a_table_of_labels_below_a_name_is_a_matrix():
    rows = [["token", "value"], ["the", "0.25"], ["cat", "-0.75"], ["sat", "0.5"]]
    for form in ("v =\n\n{}", "## v\n\n{}"):
        assert set(verdicts(form.format(markdown(rows)))[0]) == {"v"}


@pytest.mark.parametrize("head", ["## v\n\n", "v =\n\n", "**v**\n\n"])
def test_a_table_of_one_row_is_a_matrix_of_one_row(head):
    assert verdicts(head + markdown([V])) == ({"v": "right"}, [])
    assert verdicts(head + markdown([["0.25", "7", "0.5"]]))[0] == {"v": "wrong"}


UNSURE = {
    "slashes": lambda rows: "M = [" + " / ".join(" ".join(row) for row in rows) + "]",
    "sums": lambda rows: "M:\n" + "\n".join(" ".join(row) + " | 9" for row in rows),
    "words": lambda rows: "M:\n" + "\n".join(" ".join(row) + " ok" for row in rows),
    "column numbers": lambda rows: "M:\n1 2\n" + lines(rows),
}  # fmt: skip


def other(rows):
    return [[*rows[0]], ["7", rows[1][1]], [*rows[2]]]


@for_each("form", MATRICES)
def test_a_matrix_is_read_as_it_was_meant(form):
    found, messages = verdicts(MATRICES[form](M))
    assert found.pop("M") == "right" and {*found.values()} <= {"right"} and not messages
    assert verdicts(MATRICES[form](other(M)))[0]["M"] != "right"


ARRANGED = {
    "a column": lambda rows: "M = [" + ", ".join(f"[{cell}]" for row in rows for cell in row) + "]",
    "two signs": lambda rows: "M = [" + "\n".join("; ".join(row) for row in rows) + "]",
    "bullets": lambda rows: "M = np.array([" + "\n".join("- " + ",".join(row) for row in rows) + "])",
    "other brackets": lambda rows: "M = [" + "],\n[".join(",".join(f"**{cell}**" for cell in row) for row in rows) + "]",
    "equals": lambda rows: "M equals\n([" + "] ; [".join("  ".join(row) for row in rows) + "])\n\nn: 1.75",
    "arrows": lambda rows: "M\n```\n" + "\n".join("→ " + " & ".join(row) for row in rows) + "\n```\nn = 1.75",
    "step": lambda rows: "Step M:\n$$\n" + "\n".join(f"${row[0]}$ , {row[1]} \\\\" for row in rows) + "\n$$\nn = 1.75",
}  # fmt: skip


@for_each("form", ARRANGED)
def test_numbers_in_a_form_that_is_not_read_are_reported_and_not_wrong(form):
    found, messages = verdicts(ARRANGED[form](M))
    assert found.get("M", "right") == "right" and ("M" in found or messages), messages


REMARKS = ("(checked)", "<- ok", "my note", "// fine", "   rounded")
CHANGES = ("<- times ten", "or so", "(transposed)", "in percent", "3", "<- 0.4")


def with_words(rows, k, words):
    return "M:\n" + "\n".join(" ".join(row) + f" {words}" * (i == k) for i, row in enumerate(rows)) + "\nn: 1.75\n"


@for_each("k", range(3))
@for_each("words", REMARKS)
def test_words_beside_a_row_are_noted_and_cost_nothing(words, k):
    bound = bind(read(with_words(M, k, words), "a.md", lenient=True), PROBLEM, lenient=True)
    assert bound.find("M").notes == (f"the words after the matrix are not read: {words.strip()}",)
    assert verdicts(with_words(M, k, words)) == ({"M": "right", "n": "right"}, [])
    assert verdicts(with_words(other(M), k, words))[0]["M"] != "right"


@for_each("k", range(3))
@for_each("words", CHANGES)
def test_words_beside_a_row_that_may_change_it_are_reported(words, k):
    found, messages = verdicts(with_words(M, k, words))
    assert "M" not in found and messages


@for_each("first", [0, 1])
@for_each("name", ["a.html", "a.csv", "a.md"])
def test_rows_and_columns_may_be_numbered(first, name):
    head = ["", str(first), str(first + 1)]
    for rows, verdict in ((M, "right"), (other(M), "wrong")):
        table = [head, *([str(first + k), *row] for k, row in enumerate(rows))]
        cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table)
        lines = "\n".join("| " + " | ".join(row) + " |" for row in (table[0], ["---"] * 3, *table[1:]))
        text = {"a.html": f"<html><body><h2>M</h2><table>{cells}</table></body></html>", "a.md": f"M =\n\n{lines}\n",
                "a.csv": "M\n" + "".join(",".join(row) + "\n" for row in table)}[name]  # fmt: skip
        assert verdicts(text, name)[0] == {"M": verdict}


def test_numbers_above_the_columns_are_asked_about():
    found, messages = verdicts("M:\n1 2\n" + lines(M))
    assert found == {} and "the column numbers" in messages[0]


@for_each("form", UNSURE)
def test_a_matrix_with_other_signs_is_reported_and_not_marked_wrong(form):
    found, messages = verdicts(UNSURE[form](M))
    assert found.get("M", "right") == "right" and messages
    assert verdicts(UNSURE[form](other(M)))[0].get("M") != "right"


@for_each("values", [V, ["0.25", "7", "0.5"]])
@for_each("between", [", ", "\n"])
def test_the_entries_of_a_vector_are_read_as_numpy_writes_them(between, values):
    verdict = verdicts(between.join(f"v[{k}] = {x}" for k, x in enumerate(values)))[0]["v"]
    assert (verdict == "right") == (values == V)
    found, messages = verdicts(between.join(f"v[{k}] = {x}" for k, x in enumerate(values, 1)))
    assert found == {} and "counted from 1" in messages[0]


def test_one_number_for_a_row_is_reported():
    found, messages = verdicts("M[0] = 0.375")
    assert found == {} and "M[0, 0]" in messages[0]


@pytest.mark.parametrize("signs", ["¼ -¾ ½", "¼, −¾, ½", "(¼) (-¾) (½)"])
def test_signs_of_fractions_are_numbers(signs):
    assert verdicts(f"v: {signs}") == ({"v": "right"}, [])


COMMAS = ("0,25", "-0.75", "1/2")  # one decimal comma among commas between entries
DOUBTFUL = [*(f"v = {opens}{', '.join(COMMAS[k:] + COMMAS[:k])}{closes}" for k in range(3)
              for opens, closes in ("[]", "()", ("", ""))),
            "v = 0.25 -0.75 0.5 (3)", "v = 0.25 (0.3) -0.75 0.5", "v =/= [0.25, -0.75, 0.5]"]  # fmt: skip


@for_each("text", DOUBTFUL)
def test_a_vector_with_two_readings_is_reported_and_not_marked(text):
    found, unread = verdicts(text)
    assert "v" not in found and unread


CALLED = ("Matrix {}:", "The matrix {} is", "the vector {} =", "Number {}:", "**Scalar {}**:")


@for_each("words", CALLED)
def test_a_step_may_be_called_by_its_kind_and_its_letter(words):
    for name, values, wrong in (("v", "0.25 -0.75 0.5", "0.25 7 0.5"), ("n", "1.75", "2.75")):
        assert verdicts(f"{words.format(name)}\n{values}\n") == ({name: "right"}, [])
        assert verdicts(f"{words.format(name)}\n{wrong}\n")[0] == {name: "wrong"}


REMARKS = ("(rounded)", "(2 d.p.)", "(to 3 decimal places)", "✓", "(correct to 2 dp)", "(final answer)", "(exact)")
REMARKED = {  # a number and a vector with a remark behind each
    "lines": (lambda n, v, remark: f"n = {n} {remark}\nv = [{', '.join(v)}] {remark}\n", "a.txt"),
    "tuples": (lambda n, v, remark: f"n: {n} {remark}\nv: ({', '.join(v)}) {remark}\n", "a.md"),
    "cells": (lambda n, v, remark: f'n,{n} {remark}\nv,"[{", ".join(v)}] {remark}"\n', "a.csv"),
    "header": (lambda n, v, remark: f'step,answer\nn,{n} {remark}\nv,"[{", ".join(v)}] {remark}"\n', "a.csv"),
    "next cell": (lambda n, v, remark: f"n,{n},{remark}\nv,{','.join(v)},{remark}\n", "a.csv"),
    "column": (lambda n, v, remark: f'step,answer,remark\nn,{n},{remark}\nv,"{", ".join(v)}",{remark}\n', "a.csv"),
    "YAML": (lambda n, v, remark: f'answers:\n  n: {n} {remark}\n  v: "[{", ".join(v)}] {remark}"\n', "a.yaml"),
    "table": (lambda n, v, remark: markdown([["step", "answer"], ["n", f"{n} {remark}"], ["v", f"[{', '.join(v)}] {remark}"]]), "a.md"),
    "page": (lambda n, v, remark: f"<p>n = {n} {remark}</p><p>v = [{', '.join(v)}] {remark}</p>", "a.html"),
}  # fmt: skip


@for_each("remark", REMARKS)
@for_each("form", REMARKED)
def test_a_remark_behind_an_answer_costs_nothing_in_each_format(form, remark):
    written, name = REMARKED[form]
    assert verdicts(written("1.75", V, remark), name) == ({"n": "right", "v": "right"}, [])
    assert verdicts(written("2.75", V, remark), name)[0] == {"n": "wrong", "v": "right"}


@for_each("remark", ["(times 2)", "(wrong)", "(3)", "(in %)", "(divided by 2)", "✗"])
@for_each("form", ["lines", "cells", "YAML"])
def test_a_remark_that_may_change_an_answer_is_reported(form, remark):
    written, name = REMARKED[form]
    found, messages = verdicts(written("1.75", V, remark), name)
    assert found == {} and messages


WORKINGS = ("sum(B) / 16", "(a + b) / c", "mean(B) * 6 / 16", "(some formula)")


@for_each("working", WORKINGS)
@for_each("more", ["", "  = 28/16\n"])
def test_a_number_below_its_formula_is_the_answer(working, more):
    assert verdicts(f"n = {working}\n{more}  = 1.75\nv = c / 4\n  = [0.25, -0.75, 0.5]\n") == (
        {"n": "right", "v": "right"},
        [],
    )
    assert verdicts(f"n = {working}\n  = 2.75\n")[0] == {"n": "wrong"}
    found, messages = verdicts(f"n = {working} with words\n  = 1.75\n")
    assert found == {} and messages


SHEETS = [["n", "v"], ["v", "n"], ["n", "n", "v"], ["v", "n", "n", "n"]]


@for_each("order", SHEETS)
@for_each("number", ["1,75", "1,750"])
def test_decimal_commas_of_a_sheet_are_known_by_its_semicolons(order, number):
    """Also if most of its lines have a single number."""
    written = {"n": f"n\n{number}\n", "v": "v\n0,25;-0,75;0,5\n"}
    assert verdicts("\n".join(map(written.__getitem__, order)), "a.csv") == ({"n": "right", "v": "right"}, [])
    assert verdicts("\n".join(map(written.__getitem__, order)).replace("0,25", "0,26"), "a.csv")[0]["v"] == "wrong"
