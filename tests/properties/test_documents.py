"""A right number in a web page, a Word document or a notebook is read as it is, or listed; no digits are joined."""

import json
import zipfile

import pytest

from attncalc.api import loads
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind

PROBLEM = loads("""title: Documents
rounding: {digits: 2}
given: {V: [[1, -2, 5], [4, 7, 3]], Q: [[1, -2], [3, 1]], K: [[2, 1], [-1, 3]]}
steps: {S: Q @ K.T, c: sum(V) / 7, n: -sum(V) / 7}
""")
S = [[0, -7], [7, 0]]
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def page(body, tmp_path):
    (tmp_path / "a.html").write_text(f"<html><body><p>{body}</p></body></html>", encoding="utf-8")
    return tmp_path / "a.html"


def word(body, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        text = f'<w:document xmlns:w="{W}" xmlns:m="{M}"><w:body><w:p>{body}</w:p></w:body></w:document>'
        archive.writestr("word/document.xml", text)
    return tmp_path / "a.docx"


def notebook(code, tmp_path):
    cells = [{"cell_type": "code", "source": code, "outputs": []}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return tmp_path / "a.ipynb"


def verdicts(path):
    """Return the verdict of each answered step, and whether something is unread."""
    bound = bind(read(path.read_bytes(), str(path), lenient=True), PROBLEM, lenient=True)
    found = {step.step.key: step.verdict for step in check(PROBLEM, bound).steps if step.verdict != "missing"}
    return found, bool(bound.unread)


def mtable(rows, minus):
    def cell(x):
        return f"<mn>{x}</mn>" if x >= 0 else f"<mrow><mo>{minus}</mo><mn>{-x}</mn></mrow>"

    return (
        "<mtable>"
        + "".join(f"<mtr>{''.join(f'<mtd>{cell(x)}</mtd>' for x in row)}</mtr>" for row in rows)
        + "</mtable>"
    )


FRACTION = "<mfrac><mn>18</mn><mn>7</mn></mfrac>"
RUN = "<m:r><m:t>{}</m:t></m:r>"
READ = {
    "fraction": ("c", page, f"c = <math>{FRACTION}</math>"),
    "row": ("c", page, f"<math><mrow><mi>c</mi><mo>=</mo>{FRACTION}</mrow></math>"),
    "KaTeX": ("c", page, f'<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>c</mi><mo>=</mo>{FRACTION}</mrow>'
              r'<annotation encoding="application/x-tex">c = \frac{18}{7}</annotation></semantics></math></span>'
              '<span class="katex-html" aria-hidden="true"><span>c=718</span></span></span>'),
    "negative": ("n", page, f"<math><mi>n</mi><mo>=</mo><mo>−</mo>{FRACTION}</math>"),
    "table": ("S", page, f"<math><mi>S</mi><mo>=</mo>{mtable(S, '−')}</math>"),
    "brackets": ("S", page, f"<math><mi>S</mi><mo>=</mo><mo>[</mo>{mtable(S, '-')}<mo>]</mo></math>"),
    "fence": ("S", page, f"<math><mi>S</mi><mo>=</mo><mfenced open='[' close=']'>{mtable(S, '-')}</mfenced></math>"),
    "crossed": ("c", page, "<math><mi>c</mi><mo>=</mo><menclose notation='updiagonalstrike'><mn>3</mn></menclose><mn>2.57</mn></math>"),
    "symbol minus": ("n", word, "<w:r><w:t>n = </w:t><w:sym w:font='Symbol' w:char='F02D'/><w:t>2.57</w:t></w:r>"),
    "symbol slash": ("c", word, "<w:r><w:t>c = 18</w:t><w:sym w:font='Symbol' w:char='F02F'/><w:t>7</w:t></w:r>"),
    "box": ("c", word, f"<m:oMath>{RUN.format('c=')}<m:borderBox><m:borderBoxPr><m:strikeH/></m:borderBoxPr><m:e>{RUN.format(3)}</m:e>"
            f"</m:borderBox>{RUN.format(2.57)}</m:oMath>"),
    "number": ("c", notebook, "c = 2.57"), "quotient": ("n", notebook, "n = -18 / 7"),
    "beside a matrix": ("S", notebook, "S = [[0, -7], [7, 0]]\nrng = default_rng(3)"),
}  # fmt: skip
LISTED = {
    "mixed": (page, f"c = <math><mn>2</mn>{FRACTION}</math>"),
    "unknown": (page, "c = <math><mmultiscripts><mn>2</mn><mn>57</mn></mmultiscripts></math>"),
    "margin": (word, "<w:r><w:t>c = 2.57</w:t><w:sym w:font='Symbol' w:char='F0B1'/><w:t>1</w:t></w:r>"),
    "letter": (word, "<w:r><w:t>c = 2</w:t><w:sym w:font='Wingdings' w:char='F061'/><w:t>57</w:t></w:r>"),
}


@pytest.mark.parametrize("name", READ)
def test_a_right_answer_in_a_document_is_right(name, tmp_path):
    step, write, body = READ[name]
    assert verdicts(write(body, tmp_path)) == ({step: "right"}, False)


@pytest.mark.parametrize("name", LISTED)
def test_what_has_two_readings_in_a_document_is_listed(name, tmp_path):
    write, body = LISTED[name]
    assert verdicts(write(body, tmp_path)) == ({}, True)
