"""Every form of an answer that is read gives the same entries at the same steps, and an unreadable piece costs itself."""

from __future__ import annotations

import io
import json
import zipfile
from email.message import EmailMessage
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.properties.workbooks import xlsx
from tests.support.laws import examples
from tests.support.sweeps import for_each

NAMES = ("S", "A", "Z", "H", "P", "Q_1", "S_scaled", "out2", "γ", "K", "V")
ENTRY = st.decimals(-99, 99, places=2).map(str)


def markdown(steps):
    return "\n".join(
        f"## {n}\n\n|  |  |\n|---|---|\n" + "".join(f"| {' | '.join(r)} |\n" for r in rows) for n, rows in steps
    )


def corner(steps):
    return "\n".join(
        f"| {n} | x | y |\n|---|---|---|\n" + "".join(f"| {'abc'[i]} | {' | '.join(r)} |\n" for i, r in enumerate(rows))
        for n, rows in steps
    )


def displayed(steps):
    return "$$ " + " \\quad ".join(f"{n} = {latex(rows)}" for n, rows in steps) + " $$"


def latex(rows):
    return r"\begin{pmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{pmatrix}"


def aligned(steps):
    lines = [f"{n} &= f(X) \\\\\n  &= {latex(rows)}" for n, rows in steps]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def tuples(steps):
    return (
        "Hi,\n\n" + "\n".join(f"{n} = {', '.join(f'({a}, {b})' for a, b in rows)}" for n, rows in steps) + "\n\nBest\n"
    )


def quoted(steps):
    return "".join(f"> {n} = [{', '.join(f'[{a}, {b}]' for a, b in rows)}]\n>\n" for n, rows in steps)


def separate(sign, point="."):
    def form(steps):
        lines = (f"{n}{sign}\n" + "".join(sign.join(row) + "\n" for row in rows) for n, rows in steps)
        return "".join(lines).replace(".", point)

    return form


def in_front(steps):
    return "".join(f"{n},{','.join(row)}\n" for n, rows in steps for row in rows)


def web(steps):
    table = "<table><tr>{}</tr></table>"
    return "<!doctype html><html><body>" + "".join(
        f"<h2>{n}</h2>\n" + table.format("</tr>\n<tr>".join("".join(f"<td>{x}</td>" for x in row) for row in rows))
        for n, rows in steps
    )


def web_corner(steps):
    return "<html><body>" + "".join(
        f"<table>\n<tr><th>{n}</th><th>x</th><th>y</th></tr>\n"
        + "".join(f"<tr><th>{'abc'[i]}</th><td>{'</td><td>'.join(row)}</td></tr>\n" for i, row in enumerate(rows))
        + "</table>"
        for n, rows in steps
    )


def notebook(steps):
    cells = []
    for k, (n, rows) in enumerate(steps):
        listed = "[" + ", ".join(f"[{a}, {b}]" for a, b in rows) + "]"
        if k % 2:
            cells.append({"cell_type": "markdown", "source": ["### Now\n", f"${n} = {latex(rows)}$"]})
        else:
            shown = [{"output_type": "execute_result", "data": {"text/plain": [f"array({listed})"]}}]
            cells.append(
                {
                    "cell_type": "code",
                    "source": f"# compute\n%time\n{n} = f(X) @ W\nassert {n}[0, 0] == 9\n{n}.round(2)",
                    "outputs": shown,
                }
            )
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def word(steps):
    def text(x):
        return f"<w:p><w:r><w:t>{x}</w:t></w:r></w:p>"

    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>{n}</w:t></w:r></w:p><w:tbl>'
        + "".join("<w:tr>" + "".join(f"<w:tc>{text(x)}</w:tc>" for x in row) + "</w:tr>" for row in rows)
        + "</w:tbl>"
        for n, rows in steps
    )
    return document(f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>')


def document(xml):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", xml)
    return file.getvalue()


FORMS = {
    "Markdown": ("a.md", markdown), "a corner": ("a.md", corner), "one display": ("a.md", displayed),
    "aligned": ("a.tex", aligned), "tuples": ("a.txt", tuples), "quoted": ("a.txt", quoted),
    "CSV": ("a.csv", separate(",")), "semicolons": ("a.csv", separate(";", ",")), "tabs": ("a.tsv", separate("\t")),
    "names in front": ("a.csv", in_front), "a page": ("a.html", web), "corners of a page": ("a.htm", web_corner),
    "a notebook": ("a.ipynb", notebook), "Word": ("a.docx", word),
}  # fmt: skip


@st.composite
def scripts(draw):
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, 4))]
    return [(name, [[draw(ENTRY), draw(ENTRY)] for _ in range(3)]) for name in names]


def read_as(data, source, names):
    problem = load({
        "given": {"X": {"rows": ["a", "b", "c"], "columns": ["x", "y"], "values": [[1, 2], [3, 4], [5, 6]]}},
        "steps": {name: f"X + {k}" for k, name in enumerate(names)},
    })  # fmt: skip
    bound = bind(read(data, source, lenient=True), problem, lenient=True)
    found = {
        filled.step.name: [[filled.cells[i, j].text.replace(",", ".") for j in range(2)] for i in range(3)]
        for filled in bound.steps
        if filled.kind == "whole"
    }
    return found, bound.unread


@pytest.mark.parametrize("form", FORMS)
@examples(15)
@given(steps=scripts())
def test_law_every_form_gives_the_same_entries_at_the_same_steps(form, steps):
    source, write = FORMS[form]
    assert read_as(write(steps), source, [name for name, _ in steps]) == (dict(steps), ())


HOSTILE = [
    "B = [[1, 2], [3", "B = [[1, 2]]^T", "B = 2 [[1, 2]]", "B = \\begin{pmatrix} 1 & 2", "B = [[1, O], [l, 2], [3, 4]]",
    "[[1, 2], [3, 4]]", "B = [[1, 2]] C = [[3, 4]]", "I think B[0,0] = 9", "B = [[1, 2]] = [[3, 4]]", "B = 1,5 2,5 3,5",
    "B + C = [[1, 2], [3, 4]]", "C: B = [[1, 2], [3, 4], [5, 6]]", "row 1 of B = [[1, 2]]", "B = [[1, 2], 3]", "B = [1, 2]]",
    "B = array([[1, ..., 2]])", "B =\n|---|---|", "B = 0.5 ± 0.1", "B = [[]]", "B = ((1, 2), (3", "B = {{1, 2}, {3",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@examples(10)
@given(steps=scripts(), data=st.data())
def test_law_an_unreadable_piece_costs_itself_and_is_reported_with_its_line(piece, steps, data):
    pieces = [f"{n} = [{', '.join(f'[{a}, {b}]' for a, b in rows)}]" for n, rows in steps]
    k = data.draw(st.integers(0, len(pieces)))
    gap = data.draw(st.sampled_from(["\n\n", "\n\nSome words.\n\n"]))
    text = gap.join([*pieces[:k], piece, *pieces[k:]])
    line = text[: text.index(piece)].count("\n") + 1
    found, unread = read_as(text, "a.md", [*(name for name, _ in steps), "B", "C"])
    assert {name: rows for name, rows in found.items() if name not in ("B", "C")} == dict(steps)
    assert unread and all(line <= one.fault.place.line <= line + piece.count("\n") for one in unread)


@for_each(
    ("source", "data", "said"),
    [
        ("a.ipynb", "{", "expected a notebook"),
        ("a.ipynb", "[" * 100_000, "expected a notebook"),
        ("a.ipynb", '{"cells": 3}', "expected a notebook"),
        ("a.docx", b"PK\3\4 no", "expected a Word document"),
        ("a.docx", "S = 1\n", "found a text; change the ending of its name"),
        ("a.docx", b"%PDF-1.7\nS = 1\n", "found a PDF"),
        ("a.txt", b"%PDF-1.7\nS = 1\n", "found a PDF.*such as S ="),
        ("a.pdf", b"{\\rtf1 S = 1\\par}", "RTF.*such as S ="),
        ("a.txt", b"%!PS-Adobe-3.0\nS = 1\n", "PostScript"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old or encrypted Office file.*such as S ="),
        ("a.docx", document('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "a document type"),
        ("a.docx", document("<a>" * 5_000), "nested elements"),
        ("a.html", "<html><p>S =<table><tr><td colspan=2>1</td></tr></table>", "merged cells"),
        ("a.html", "<html><table><tr><td><table><tr><td>1</td></tr></table></td></tr></table>", "inside a table"),
        ("a.html", "<html>" + "<div>" * 50_000, "expected answers"),
        ("a.csv", "1,2\n3,4\n", "expected the name of a step"),
    ],
)
def test_files_of_these_forms_that_are_none_are_reported(source, data, said):
    with pytest.raises(AttncalcError, match=said):
        read(data, source)


@pytest.mark.parametrize("text", ["Z = \n1,2\n2,3\n3.01,4.58\n", "Z =\n1,2\n2; 3,5\n3,25; 4\n"])
def test_commas_of_a_block_are_told_by_all_its_lines(text):
    (answer,) = read(text, "a.md", lenient=True).answers
    rows = [[cell.text if cell else None for cell in row] for row in answer.rows]
    assert rows in ([["1", "2"], ["2", "3"], ["3.01", "4.58"]], [["1.2"], ["2", "3.5"], ["3.25", "4"]])


@for_each(
    ("code", "steps"),
    [
        ("print(Q)", ["Q"]),
        ("Q.round(2)", ["Q"]),
        ("print(Q)\nprint(K)", []),
        ("for x in (Q, K):\n    print(x)", []),
        ("Q\nK", ["K"]),
        ("print(Q @ K)", []),
        ("Q = f(1)\nprint('done')", []),
        ("Q = [[3, 4]]", ["Q"]),
    ],
)
def test_what_a_notebook_shows_belongs_to_the_one_name_that_is_shown(code, steps):
    shown = [{"output_type": "stream", "text": "[[1, 2]\n [3, 4]]\n"}]
    cell = {"cell_type": "code", "source": code, "outputs": shown if steps != ["Q"] or "=" not in code else []}
    script = read(json.dumps({"cells": [cell]}), "a.ipynb", lenient=True)
    assert [answer.step for answer in script.answers] == steps and bool(script.unread) == (not steps)


def test_faults_of_documents_name_the_cell_and_the_line():
    cell = {"cell_type": "markdown", "source": ["Words\n", "S = [[1, O]]"]}
    (one,) = read(json.dumps({"cells": [cell]}), "a.ipynb", lenient=True).unread
    assert str(one.fault).startswith("a.ipynb, cell 1:2:10: expected a number, found 'O'; did you mean the digit 0")


def struck_word(text):
    return f"<w:r><w:rPr><w:strike/></w:rPr><w:t>{text}</w:t></w:r>"


def word_page(paragraphs):
    body = "".join(f"<w:p>{inside}</w:p>" for inside in paragraphs)
    return document(f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>')


def struck_sheet(wrong, steps):
    rows = ""
    for name, matrix in steps:
        rows += f'<row><c t="inlineStr"><is><t>{name}</t></is></c></row>'
        for row in matrix:
            cells = (f"<is><r><rPr><strike/></rPr><t>{wrong}</t></r><r><t>{x}</t></r></is>" for x in row)
            rows += "<row>" + "".join(f'<c t="inlineStr">{cell}</c>' for cell in cells) + "</row>"
    return xlsx(rows + f'<row><c s="1" t="str"><v>{wrong}</v></c></row>', styles=STRUCK_STYLES)


STRUCK_STYLES = (
    "<styleSheet><fonts><font/><font><strike/></font></fonts><cellXfs><xf/><xf fontId='1'/></cellXfs></styleSheet>"
)
WAYS = [
    "<del>{}</del>", "<s>{}</s>", "<strike>{}</strike>", "<span style='text-decoration: line-through'>{}</span>",
    "<span class='c7'><span>{}</span></span>",
]  # fmt: skip


@pytest.mark.parametrize("way", [*WAYS, "docx", "xlsx"])
@examples(10)
@given(steps=scripts(), wrong=ENTRY)
def test_law_what_is_crossed_out_is_no_answer_and_is_noted(way, steps, wrong):
    names = [name for name, _ in steps]
    lists = [(n, f"{n} = [{', '.join(f'[{a}, {b}]' for a, b in rows)}]") for n, rows in steps]
    if way == "docx":
        runs = (
            pair
            for name, text in lists
            for pair in (struck_word(f"{name} = [[{wrong}]]"), f"<w:r><w:t>{text}</w:t></w:r>")
        )
        source, data = "a.docx", word_page(runs)
    elif way == "xlsx":
        source, data = "a.xlsx", struck_sheet(wrong, steps)
    else:
        style = "<html><style>.c7 { color: red; text-decoration: line-through }</style>"
        source, data = (
            "a.html",
            style + web([(n, [[way.format(wrong) + x for x in row] for row in rows]) for n, rows in steps]),
        )
    script = read(data, source, lenient=True)
    assert read_as(data, source, names) == (dict(steps), ())
    assert script.crossed and all(wrong in one.message and "crossed out" in one.message for one in script.crossed)


EXPRESSIONS = [
    "{n} = np.array({m}).T", "{n} = np.array({m}) * 2", "{n} = np.array({m}).round(1)", "{n} = 2*np.array({m})",
    "{n} = np.zeros((3, 2)) + np.array({m})", "if True:\n    {n} = {m}", "{n}: list = {m}",
    "{n} = {m}\n{n} = {n}.T", "{n} = {m}\n{n}[2][1] = 0.31", "{n} = {m}\n{n} *= 2",
]  # fmt: skip


@pytest.mark.parametrize("form", EXPRESSIONS)
@examples(10)
@given(steps=scripts(), data=st.data())
def test_law_an_expression_of_a_notebook_is_listed_with_its_line(form, steps, data):
    k = data.draw(st.integers(0, len(steps) - 1))
    listed = [(n, "[" + ", ".join(f"[{a}, {b}]" for a, b in rows) + "]") for n, rows in steps]
    codes = [(form if i == k else "{n} = {m}").format(n=n, m=m) for i, (n, m) in enumerate(listed)]
    cells = [{"cell_type": "code", "source": code, "outputs": []} for code in codes]
    cells.append({"cell_type": "markdown", "source": "out3 = [[1, 2], [3, 4], [5, 6]]"})
    found, unread = read_as(json.dumps({"cells": cells}), "a.ipynb", [*(name for name, _ in steps), "out3"])
    others = {name: rows for name, rows in steps if name != steps[k][0]} | {
        "out3": [["1", "2"], ["3", "4"], ["5", "6"]]
    }
    assert {name: rows for name, rows in found.items() if name != steps[k][0]} == others
    assert unread and all(f"cell {k + 1}:" in str(one.fault) for one in unread)


@examples(10)
@given(steps=scripts())
def test_law_a_form_that_is_filled_in_is_read(steps):
    page = web([(n, [[f"<input type=text value='{x}'>" for x in row] for row in rows]) for n, rows in steps])
    assert read_as(page, "a.html", [name for name, _ in steps]) == (dict(steps), ())


def as_lists(steps):
    return "\n".join(f"{n} = [{', '.join(f'[{a}, {b}]' for a, b in rows)}]" for n, rows in steps) + "\n"


def as_yaml(steps):
    return "".join(f"{n}: [{', '.join(f'[{a}, {b}]' for a, b in rows)}]\n" for n, rows in steps)


def sheet(steps):
    lines = [line for name, rows in steps for line in ([name], *rows)]
    cell = "<c t='inlineStr'><is><t>{}</t></is></c>"
    return xlsx("".join(f"<row>{''.join(map(cell.format, line))}</row>" for line in lines))


def mailed(text, encoding, kind="plain", attached=False):
    mail = EmailMessage()
    mail["Date"], mail["Subject"], mail["From"] = "Mon, 3 Feb 2025 10:11:12 +0100", "S = 5", "ada@example.org"
    mail.set_content(text, subtype=kind, cte=encoding, charset="utf-8")
    if attached:
        mail.add_attachment(b"PK", maintype="application", subtype="zip", filename="work.zip")
    return mail.as_bytes()


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("kind", ["plain", "html"])
@pytest.mark.parametrize("attached", [False, True])
@examples(5)
@given(steps=scripts())
def test_law_the_body_of_an_email_is_read_and_its_headers_are_not(encoding, kind, attached, steps):
    body = web(steps) if kind == "html" else f"Grüße\n\n{as_lists(steps)}"
    found, unread = read_as(mailed(body, encoding, kind, attached), "a.eml", [name for name, _ in steps])
    assert found == dict(steps) and ["work.zip" in one.fault.message for one in unread] == [True] * attached


WROTE = [
    "On Mon, 3 Feb 2025 at 10:11, Ann Lee <ann@x.org> wrote:", "Am 03.02.25 um 10:11 schrieb Ann Lee:", "Ann Lee wrote:",
    "On Mon, 3 Feb 2025 at 10:11, Ann Lee\n<ann@x.org> wrote:", "Le lun. 3 févr. 2025 à 10:11, Ann a écrit :",
    "> Ann Lee schrieb am 3. Februar 2025:\n", "El lun, 3 feb 2025 a las 10:11, Ann (ann@x.org) escribió:",
]  # fmt: skip
HEADERS = [
    "-----Original Message-----\nFrom: Ann\nTo: Bob", "From: Ann Lee\nSent: Monday, 3 February 2025 10:11",
    "---------- Forwarded message ---------\nFrom: Ann", "*Von:* Ann Lee\n*Gesendet:* Montag, 3. Februar 2025",
    "-----Ursprüngliche Nachricht-----", "________________\nFrom: Ann\nDate: 3 Feb 2025",
]  # fmt: skip


def in_a_page(text):
    return "<html><body><p>" + text.replace("<", "&lt;").replace("\n", "<br>\n") + "</p>"


def in_html_quotes(text):
    """Return a page whose lines with > are in an element instead."""
    lines = (f"<blockquote><p>{x[2:]}</p></blockquote>" if x.startswith("> ") else x for x in text.split("\n"))
    return "<html><body>" + "<br>\n".join(lines)


MAILED = {
    "a.txt": lambda text: text, "a.eml": lambda text: mailed(text, "8bit"), "a.html": in_a_page,
    "b.eml": lambda text: mailed(in_html_quotes(text), "base64", "html"),
    "a.docx": lambda text: word_page(f"<w:r><w:t>{escape(x)}</w:t></w:r>" for x in text.split("\n")),
}  # fmt: skip


@pytest.mark.sweep(quick=22, ci=22)
@pytest.mark.parametrize("begin", [*WROTE, *HEADERS])
@pytest.mark.parametrize("source", MAILED)
@examples(4)
@given(mine=scripts(), theirs=scripts(), is_above=st.booleans())
def test_law_what_a_mail_quotes_of_another_one_is_no_answer(begin, source, mine, theirs, is_above):
    """It is noted; a mail in which all answers are quoted is read."""
    names = list(dict(mine) | dict(theirs))
    sign = "> " if begin in WROTE else ""
    other = f"{begin}\n" + "".join(f"{sign}{line}\n" for line in as_lists(theirs).splitlines())
    answers = f"Hi,\n\n{as_lists(mine)}\n"
    data = MAILED[source](answers + other if is_above or begin in HEADERS else f"{other}\n{answers}")
    assert read_as(data, source, names) == (dict(mine), ())
    assert any("quoted from an email" in note.message for note in read(data, source, lenient=True).crossed)
    alone = MAILED[source](f"Hi,\nsee below.\n\n{other}")
    found, _ = read_as(alone, source, names)  # a date of its header may be listed
    assert found == dict(theirs) and not read(alone, source, lenient=True).crossed


@for_each("source", ["a.txt", "a.html", "a.docx"])
@for_each("word", ["Due: 3 Feb", "Room 7", "Date: 3 Feb 2025", "Feb 3: see below"])
def test_a_number_beside_a_quoted_mail_is_no_answer_of_the_mail(word, source):
    steps = [("S", [["1.25", "-2"], ["0.5", "4"], ["1", "2"]])]
    other = "Ann Lee wrote:\n" + "".join(f"> {line}\n" for line in as_lists(steps).splitlines())
    assert read_as(MAILED[source](f"Hi,\n{word}\n\n{other}"), source, ["S"])[0] == dict(steps)


@pytest.mark.parametrize("broken", ["S = [[1, 2], [3", "S = 2 [[1, 2]]", "S =\nsee the picture"])
def test_an_answer_that_cannot_be_read_is_not_replaced_by_a_quoted_one(broken):
    text = f"Hi,\n{broken}\n\nAnn Lee wrote:\n> S = [[1, 2], [3, 4], [5, 6]]\n"
    found, unread = read_as(text, "a.txt", ["S"])
    assert not found and unread


def test_a_long_line_of_a_mail_is_no_header():
    steps = [("S", [["1.25", "-2"], ["0.5", "4"], ["1", "2"]])]
    body = as_lists(steps) + "\nContent-Length: " + "x " * 10_000 + "\n"
    assert read_as(f"Subject: S\n\n{body}".encode(), "a.eml", ["S"]) == (dict(steps), ())
    with pytest.raises(AttncalcError, match="expected a header of at most 10,000 bytes, found"):
        read(f"Subject: S\nContent-Length: {'x ' * 10_000}\n\nS = [[1]]\n".encode(), "a.eml")


ODD = [b"Gr\xf6\xdfe", b"\0", b"\x0c", b"\x0b", b"\xfd\xff\xfe", b"\x1b"]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("source", ["a.txt", "a.md", "a.tex", "a.html", "a.eml"])
@examples(5)
@given(steps=scripts(), data=st.data())
def test_law_an_odd_character_costs_itself(odd, source, steps, data):
    steps = [step for step in steps if step[0] != "γ"]
    lines = ["Words: ", *(as_lists([step]).strip() for step in steps), "B = [[1, 2], [3, 4], [5, 6]]"]
    lines.insert(data.draw(st.integers(0, len(lines))), "@")
    text = "<html><p>" + "</p><p>".join(lines) if source == "a.html" else "\n" + "\n".join(lines)
    found, _ = read_as(text.encode().replace(b"@", odd), source, [*(name for name, _ in steps), "B"])
    assert found == {**dict(steps), "B": [["1", "2"], ["3", "4"], ["5", "6"]]}


UNSEEN = "\u00ad\u200b\u200d\u200e\u202a\u202d\u2060\u2066\ufeff"
TURNS = "\u061c\u200f\u202b\u202e\u2067"


@pytest.mark.parametrize("form", [*FORMS, "YAML", "xlsx"])
@examples(15)
@given(steps=scripts(), sign=st.sampled_from(UNSEEN + TURNS), data=st.data())
def test_law_a_character_without_width_is_ignored_or_costs_its_entry(form, steps, sign, data):
    """It is ignored in front of a number and refused inside; what changes the direction may move digits, and a soft
    hyphen may be a minus sign, as some PDFs have it.
    """
    source, write = {**FORMS, "YAML": ("a.yaml", as_yaml), "xlsx": ("a.xlsx", sheet)}[form]
    is_inside = data.draw(st.booleans())
    name, rows = steps[0]
    *above, (beside, last) = rows
    odd = f"{last[:-1]}{sign}{last[-1]}" if is_inside else f"{sign}{last}"
    names = [name for name, _ in steps]
    found, unread = read_as(write([(name, [*above, [beside, odd]]), *steps[1:]]), source, names)
    may_be_minus = sign == "\u00ad" and last[0] not in "-−"
    is_ignored = not is_inside and sign not in TURNS and not may_be_minus
    assert is_ignored == (not unread) and found == dict(steps if is_ignored else steps[1:])


@examples(20)
@given(steps=scripts())
def test_text_of_two_bytes_a_character_needs_no_mark(steps):
    text = as_lists(steps)
    for encoding in ("utf-16-le", "utf-16-be"):
        assert read_as(text.encode(encoding), "a.md", [name for name, _ in steps]) == (dict(steps), ())


def test_pages_begin_lines_and_an_odd_digit_costs_its_entry():
    text = b"S =\n1 0\n\x0c1 1\n2 1\n\x0cA = [[1, 0.\x005], [2, 3]]\n"
    script = read(text, "a.md", lenient=True)
    rows = {a.step: [[cell.text if cell else None for cell in row] for row in a.rows] for a in script.answers}
    assert rows == {"S": [["1", "0"], ["1", "1"], ["2", "1"]], "A": [["1", None], ["2", "3"]]}
    assert [str(one.fault).partition(": ")[0] for one in script.unread] == ["a.md:5:10"]


@for_each("called", ["a.txt", "a.pdf", "a.md", "a.docx", "a.html", "a.ipynb", "a.csv", "a"])
@for_each("form", ["a page", "Word", "a notebook"])
def test_a_file_is_read_by_what_it_holds_whatever_it_is_called(form, called):
    steps = [("S", [["1.25", "-2"], ["0.5", "4"]])]
    data = {"a page": web, "Word": word, "a notebook": notebook}[form](steps)
    script = read(data if isinstance(data, bytes) else data.encode(), called)
    assert [[[cell.text for cell in row] for row in answer.rows] for answer in script.answers] == [steps[0][1]]


@for_each("called", ["a.txt", "a.pdf", "a.html", "a.htm", "a.md"])
def test_a_text_is_read_whatever_it_is_called(called):
    (answer,) = read(b"S =\n1 2\n3 4\n", called).answers
    assert [[cell.text for cell in row] for row in answer.rows] == [["1", "2"], ["3", "4"]]
