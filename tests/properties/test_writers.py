"""Numbers that any writer puts down in any format are read as the same numbers, or each piece that is not is reported."""

from __future__ import annotations

import json
from fractions import Fraction
from html import escape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.properties.test_forms import document
from tests.support.laws import examples

NAMES = ("S", "S_scaled", "A", "Z", "Q", "K", "V", "out", "P_1", "scores")
BEFORE = [
    "",
    "So ",
    "The matrix ",
    "scaled ",
    "The transpose of ",
    "The sum of A and ",
    "1. ",
    "- ",
    "we get ",
    "masked ",
]
BEHIND = ["", " (final)", " (transposed)", "  # done", ", as above", " <- check", " A", " / 2", " (2 decimals)", "."]
SIGNS = [" = ", ": ", " is ", " =\n", ":\n\n", " ≈ ", " is:\n", " := ", " := A K = "]


def lists(rows):
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def semicolons(rows):
    return "[" + "; ".join(" ".join(row) for row in rows) + "]"


def german(rows):
    return "[" + ", ".join("[" + "; ".join(row) + "]" for row in rows) + "]"


def tuples(rows):
    return "(" + ", ".join("(" + ", ".join(row) + ")" for row in rows) + ")"


def pmatrix(rows):
    return "\\begin{pmatrix}" + " \\\\ ".join(" & ".join(row) for row in rows) + "\\end{pmatrix}"


def lines(rows, sign=" "):
    return "\n".join(sign.join(row) for row in rows)


def numpy(rows):
    return "array([" + ",\n       ".join("[" + ", ".join(row) + "]" for row in rows) + "])"


MATRICES = [lists, semicolons, german, tuples, pmatrix, lines, numpy, lambda rows: lines(rows, "; ")]


def pipes(rows, header=None):
    head = header or [""] * len(rows[0])
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def free(draw, steps):
    pieces = []
    for name, rows in steps:
        before, sign, behind = (draw(st.sampled_from(all_of)) for all_of in (BEFORE, SIGNS, BEHIND))
        form = draw(st.sampled_from(MATRICES))
        is_number = len(rows) == len(rows[0]) == 1 and behind == " / 2"  # a quotient is another number
        pieces.append(f"{before}{name}{sign}{form(rows)}{'' if is_number else behind}")
    return "a.md", draw(st.sampled_from(["\n", "\n\n", "\n\nSome words.\n\n"])).join(pieces)


def markdown(draw, steps):
    tops = ["## {}", "**{}**", "Table 1: {}", "{} =", "## Scaled scores {}", "## K\n\nTable 2: {}", "The {} matrix is:"]
    tables = (f"{draw(st.sampled_from(tops)).format(name)}\n\n{pipes(rows)}\n" for name, rows in steps)
    return "a.md", "\n".join(tables)


def row_of_matrices(draw, steps):
    return "a.md", pipes(
        [[name, lists(rows)] for name, rows in steps], draw(st.sampled_from([None, ["Step", "Matrix"]]))
    )


def page(draw, steps):
    tops = ["<h2>{}</h2><table>", "<table><caption>{}</caption>", "<h2>K</h2><table><caption>Table 3: {}</caption>"]
    tops += ["<p>{} =</p><table>", "<h2>{}</h2><table><caption>after scaling</caption>"]
    return "a.html", "<html><body>" + "".join(
        draw(st.sampled_from(tops)).format(name)
        + "".join("<tr>" + "".join(f"<td>{escape(x)}</td>" for x in row) + "</tr>\n" for row in rows)
        + "</table>"
        for name, rows in steps
    )


def word(draw, steps):
    def paragraph(text, style=""):
        about = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{about}<w:r><w:t>{text}</w:t></w:r></w:p>"

    def table(rows):
        cells = ("".join(f"<w:tc>{paragraph(x)}</w:tc>" for x in row) for row in rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    style = draw(st.sampled_from(["Heading1", "Caption", "above", "below"]))
    body = ""
    for k, (name, rows) in enumerate(steps):
        caption = paragraph(f"Table {k}: {name}", "Caption")
        top = caption if style == "above" else "" if style == "below" else paragraph(name, style)
        body += top + table(rows) + (caption if style == "below" else "")
    return "a.docx", document(f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>')


def values(draw, steps):
    ways = [
        lists,
        lambda rows: f"'A K = {lists(rows)}'",
        lambda rows: f"'Z = {lists(rows)}'",
        lambda rows: json.dumps(rows),
    ]
    ways += [lambda rows: "|\n    " + lines(rows, draw(st.sampled_from([" ", "; ", ", "]))).replace("\n", "\n    ")]
    return "a.yaml", "answers:\n" + "".join(f"  {name}: {draw(st.sampled_from(ways))(rows)}\n" for name, rows in steps)


def cells(draw, steps):
    sign, kind = draw(st.sampled_from([",", ";", "\t"])), draw(st.integers(0, 4))
    text = ""
    for name, rows in steps:
        head = [str(k) for k in range(len(rows[0]))]
        named = [[str(i), *row] for i, row in enumerate(rows)]
        table = [
            [[name], *rows], [[name, *head], *named], [[name], ["", *head], *named], [[name, *["col"] * len(head)], *rows],
            [[name, *row] for row in rows],
        ][kind]  # fmt: skip
        text += "".join(sign.join(f'"{x}"' if sign in x else x for x in row) + "\n" for row in table)
    return "a.csv", text


def notebook(draw, steps):
    def printed(rows):
        return "[" + "\n ".join("[" + " ".join(row) + "]" for row in rows) + "]"

    names = [name for name, _ in steps]
    ways = ["\n".join(f"print({name})" for name in names), f"print({', '.join(names)})", "print(a)\nprint(b)"]
    ways += ["\n".join(f"print('{name} =', {name})" for name in names)]
    code = draw(st.sampled_from(ways))
    between = " " if code == ways[1] else "\n"
    shown = between.join((f"{name} = " if "'" in code else "") + printed(rows) for name, rows in steps)
    outputs = [{"output_type": "stream", "text": shown + "\n"}]
    return "a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": code, "outputs": outputs}]})


WRITERS = [free, markdown, row_of_matrices, page, word, values, cells, notebook]


@st.composite
def scripts(draw, writer):
    height, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    point = draw(st.sampled_from(".,"))
    digits = draw(st.integers(0, 3))
    number = st.decimals(-99, 99, places=digits).map(lambda x: str(x).replace(".", point))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=draw(st.integers(0, 5)) > 0))
    steps = [(name, [[draw(number) for _ in range(width)] for _ in range(height)]) for name in names]
    return steps, (height, width), *writer(draw, steps)


def said(steps):
    """The matrices that the writer put down of each step; there may be two that differ."""
    found = {}
    for name, rows in steps:
        numbers = [[Fraction(x.replace(",", ".")) for x in row] for row in rows]
        found[name] = [*(one for one in found.get(name, []) if one != numbers), numbers]
    return found


@pytest.mark.parametrize("writer", WRITERS)
@examples(400)
@given(data=st.data())
def test_law_what_is_written_is_read_as_the_same_numbers_or_reported(writer, data):
    steps, (height, width), source, text = data.draw(scripts(writer))
    assume("scaled scores" not in str(text).lower())  # which are another step, S_scaled
    given_rows = [[k + j for j in range(width)] for k in range(height)]
    problem = load({"given": {"X": given_rows}, "steps": {name: f"X + {k}" for k, name in enumerate(NAMES)}})
    try:
        bound = bind(read(text, source, lenient=True), problem, lenient=True)
    except AttncalcError:
        return  # all of the file is reported
    truth = said(steps)
    for filled in bound.steps:
        name = filled.step.name
        numbers = {cell: Fraction(int(typed.value.p), int(typed.value.q)) for cell, typed in filled.cells.items()}
        assert any(all(x == one[i][j] for (i, j), x in numbers.items()) for one in truth[name]), (text, name)
        assert len(truth[name]) == 1 or bound.unread, (text, name)
    assert not bound.shapes, (text, bound.shapes)  # a matrix of the right shape is not marked as one of another
    whole = {filled.step.name for filled in bound.steps if filled.kind == "whole"}
    assert set(truth) <= whole or bound.unread or bound.notes, text
