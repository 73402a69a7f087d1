"""A right number in a web page, a Word document or a notebook is read as it is, or listed; no digits are joined."""

import json
import zipfile

import pytest

from attncalc.api import loads
from attncalc.errors import AttncalcError
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind

PROBLEM = loads("""title: Documents
rounding: {digits: 2}
given: {V: [[1, -2, 5], [4, 7, 3]], Q: [[1, -2], [3, 1]], K: [[2, 1], [-1, 3]]}
steps: {S: Q @ K.T, c: sum(V) / 7, n: -sum(V) / 7, r: sqrt(sum(Q) - 1), p: sum(Q) ** 2}
""")
S = [[0, -7], [7, 0]]
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def page(body, tmp_path):
    (tmp_path / "a.html").write_text(f"<html><body><p>{body}</p></body></html>", encoding="utf-8")
    return tmp_path / "a.html"


def word(body, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        text = (
            f'<w:document xmlns:w="{W}" xmlns:m="{M}" xmlns:mc="{MC}"><w:body><w:p>{body}</w:p></w:body></w:document>'
        )
        archive.writestr("word/document.xml", text)
        archive.writestr("word/styles.xml", STYLES)
    return tmp_path / "a.docx"


def notebook(code, tmp_path):
    cells = [{"cell_type": "code", "source": code, "outputs": []}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return tmp_path / "a.ipynb"


def verdicts(path):
    """Return the verdict of each answered step, and whether something is unread."""
    try:
        script = read(path.read_bytes(), str(path), lenient=True)
    except AttncalcError as error:  # nothing else is in the file
        return {}, bool(error.faults)
    bound = bind(script, PROBLEM, lenient=True)
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


RUN = "<m:r><m:t>{}</m:t></m:r>"
STYLES = (
    f'<w:styles xmlns:w="{W}"><w:style w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>'
    '<w:style w:styleId="Older"><w:basedOn w:val="Old"/></w:style></w:styles>'
)


def run(text, look=""):
    return f"<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>"


def math(*pieces):
    return f"<m:oMath>{''.join(piece if piece.startswith('<') else RUN.format(piece) for piece in pieces)}</m:oMath>"


def part(name, *parts, about=""):
    """An object of a Word formula with its properties and parts."""
    inside = "".join(
        f"<m:{key}>{value if value.startswith('<') else RUN.format(value)}</m:{key}>" for key, value in parts
    )
    return f"<m:{name}><m:{name}Pr>{about}</m:{name}Pr>{inside}</m:{name}>"


def mathml(inside, name="c"):
    return f"<math><mi>{name}</mi><mo>=</mo>{inside}</math>"


BOX = f"<w:txbxContent><w:p>{run('c = 2.57')}</w:p></w:txbxContent>"
PICT = f"<w:pict><v:textbox xmlns:v='v'>{BOX}</v:textbox></w:pict>"
CHOICES = (
    f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{BOX}</w:drawing></mc:Choice>"
    f"<mc:Fallback>{PICT}</mc:Fallback></mc:AlternateContent></w:r>"
)
PICTURE = "<w:r><w:drawing><w:inline/></w:drawing></w:r>"
FRACTION = "<mfrac><mn>18</mn><mn>7</mn></mfrac>"
READ = {
    "white on blue": ("c", word, run("c = 2.57", "<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='4472C4'/>")),
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
    "text box": ("c", word, f"<w:r>{PICT}</w:r>"), "text box in two forms": ("c", word, CHOICES),
    "superscript": ("p", word, run("p = 3") + run("2", "<w:vertAlign w:val='superscript'/>")),
    "hidden run": ("c", word, run("c = 2.57") + run("9", "<w:vanish/>")),
    "struck run": ("c", word, run("c = ") + run("3", "<w:dstrike/>") + run("2.57")),
    "struck style": ("c", word, run("c = ") + run("3", "<w:rStyle w:val='Older'/>") + run("2.57")),
    "deleted": ("c", word, f"{run('c = ')}<w:del>{run('3')}</w:del><w:ins>{run('2.57')}</w:ins>"),
    "Word root": ("r", word, math("r=", part("rad", ("deg", ""), ("e", "2"), about="<m:degHide m:val='1'/>"))),
    "Word cube root": ("r", word, math("r=", part("rad", ("deg", "4"), ("e", "4")))),
    "Word power": ("p", word, math("p=", part("sSup", ("e", "3"), ("sup", "2")))),
    "Word power of a sum": ("p", word, math("p=", part("sSup", ("e", "1+2"), ("sup", "2")))),
    "Word phantom": ("c", word, math("c=", part("phant", ("e", "9"), about="<m:show m:val='0'/>"), "2.57")),
    "Word equations": ("c", word, math(part("eqArr", ("e", "c=2.57"), ("e", "x=3")))),
    "radical": ("r", page, mathml("<menclose notation='radical'><mn>2</mn></menclose>", "r")),
    "mroot": ("r", page, mathml("<mroot><mn>4</mn><mn>4</mn></mroot>", "r")),
    "msup": ("p", page, mathml("<msup><mn>3</mn><mn>2</mn></msup>", "p")),
    "msup of a sum": ("p", page, mathml("<msup><mrow><mn>1</mn><mo>+</mo><mn>2</mn></mrow><mn>2</mn></msup>", "p")),
    "circle": ("c", page, mathml("<menclose notation='circle'><mn>2.57</mn></menclose>")),
    "mphantom": ("c", page, mathml("<mphantom><mn>9</mn></mphantom><mn>2.57</mn>")),
    "sup": ("p", page, "p = 3<sup>2</sup>"), "raised": ("p", page, "p = 3<span style='vertical-align: super'>2</span>"),
    "display": ("c", page, "c = 2.57<span style='display:none'>9</span>"),
    "hidden": ("c", page, "c = 2.57<span hidden>9</span>"),
    "hidden class": ("c", page, "<style>i, .h { visibility: hidden }</style>c = 2.57<b class='a h'>9</b><i>8</i>"),
    "struck class": ("c", page, "<style>.x, .y { text-decoration: line-through }</style>c = <b class='y'>3</b> 2.57"),
    "digits of a page": ("c", page, "c = <span>2.5</span><span style='color: red'>7</span>"),
    "digits of a cell": ("S", page, "S =<table><tr><td>0</td><td>-<span>7.</span><span>0</span></td></tr><tr><td>7</td><td>0</td></tr></table>"),
    "runs of a page": ("c", page, "<span>c</span><span> = </span><span>2</span><span>.57</span>"),
    "cell of blocks": ("S", page, "S =<table><tr><td><div>0</div></td><td>-7</td></tr><tr><td>7</td><td>0</td></tr></table>"),
    "number": ("c", notebook, "c = 2.57"), "quotient": ("n", notebook, "n = -18 / 7"),
    "round": ("c", notebook, "c = round(2.57, 2)"), "ratio": ("c", notebook, "c = fractions.Fraction(18, 7)"),
    "ratio of text": ("n", notebook, "n = Fraction('-18/7')"), "decimal": ("c", notebook, "c = Decimal('2.57')"),
    "module": ("r", notebook, "r = math.sqrt(2)"), "rational": ("c", notebook, "c = sp.Rational(18, 7)"),
    "list of calls": ("S", notebook, "S = [[round(0.0, 2), -7], [math.sqrt(49), Fraction(0, 1)]]"),
    "beside a matrix": ("S", notebook, "S = [[0, -7], [7, 0]]\nrng = default_rng(3)"),
}  # fmt: skip
LISTED = {
    "digits of classes": (page, "c = <span class='a'>2.5</span><span class='b'>7</span>"),
    "digits in a class": (page, "c = <span class='a'><span>2</span><span>57</span></span>"),
    "mixed": (page, f"c = <math><mn>2</mn>{FRACTION}</math>"),
    "unknown": (page, "c = <math><mmultiscripts><mn>2</mn><mn>57</mn></mmultiscripts></math>"),
    "margin": (word, "<w:r><w:t>c = 2.57</w:t><w:sym w:font='Symbol' w:char='F0B1'/><w:t>1</w:t></w:r>"),
    "other font": (word, run("c = 2.57") + "<w:r><w:sym w:font='Wingdings' w:char='F031'/></w:r>"),
    "font of a run": (word, run("c = ") + run("2.57", "<w:rFonts w:ascii='Wingdings'/>")),
    "white": (word, run("c = 2.5") + run("7", "<w:color w:val='FFFFFF'/>")),
    "white on white": (
        word,
        run("c = 2.5") + run("7", "<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='auto'/>"),
    ),
    "shifted": (word, run("c = 2.5") + run("7", "<w:position w:val='8'/>")),
    "footnote": (word, run("c = 2.57") + run("1", "<w:vertAlign w:val='superscript'/>")),
    "picture": (word, run("c = 2") + PICTURE + run("57")),
    "ruby": (word, f"{run('c = 2')}<w:ruby>{run('57')}</w:ruby>"),
    "field": (word, "<w:r><w:t>c = 2</w:t><w:instrText> EQ x </w:instrText><w:t>57</w:t></w:r>"),
    "tab": (word, "<w:r><w:t>c = 2</w:t><w:ptab/><w:t>57</w:t></w:r>"),
    "formulas": (word, math("c=2") + math("57")),
    "Word bar": (word, math("c=2.5", part("bar", ("e", "7")))),
    "Word hat": (word, math("c=2.5", part("acc", ("e", "7")))),
    "Word pair": (word, math("c=", part("f", ("num", "18"), ("den", "7"), about="<m:type m:val='noBar'/>"))),
    "Word bars": (word, math("c=", part("d", ("e", "2.57"), about="<m:begChr m:val='|'/><m:endChr m:val='|'/>"))),
    "Word product": (word, math("p=3", part("d", ("e", "3")))),
    "Word list": (word, math("c=", part("d", ("e", "2"), ("e", "57")))),
    "Word limit": (word, math("c=2", part("limLow", ("e", "5"), ("lim", "7")))),
    "Word mixed": (word, math("c=2", part("f", ("num", "4"), ("den", "7")))),
    "long division": (page, mathml("<menclose notation='longdiv'><mn>2.57</mn></menclose>")),
    "top": (page, mathml("<mn>2.5</mn><menclose notation='top'><mn>7</mn></menclose>")),
    "mover": (page, mathml("<mn>2.5</mn><mover><mn>7</mn><mo>¯</mo></mover>")),
    "munder": (page, mathml("<munder><mn>2.57</mn><mtext>about</mtext></munder>")),
    "binomial": (page, mathml("<mfrac linethickness='0'><mn>18</mn><mn>7</mn></mfrac>")),
    "mark of a footnote": (page, "c = 2.57<sup>1</sup>"),
    "link": (page, "c = 257<sup><a href='#1'>1</a></sup>"),
    "overline": (page, "c = 2.5<span style='text-decoration: overline'>7</span>"),
    "image": (page, "c = 2<img src='point.png'>57"),
    "drawing": (page, "c = 2<svg><text>.</text></svg>57"),
    "element": (page, "c = 2<x-gap></x-gap>57"),
    "annotation": (page, "c = <ruby>2<rt>57</rt></ruby>"),
    "choice": (page, "c = <select><option>2<option selected>57</select>"),
    "halves": (page, "c = <span class='frac'><span>2</span><span>57</span></span>"),
    "boxes": (page, "c = <b style='display: inline-block'>2</b><b style='display: inline-block'>57</b>"),
    "changed number": (notebook, "c = 2.57\nc += 1"),
    "changed entry": (notebook, "S = [[0, -7], [7, 0]]\nS[0, 0] = 5"),
    "changed matrix": (notebook, "S = [[0, -7], [7, 0]]\nS = S * 2"),
    "two targets": (notebook, "c = r = 2.57\nx = 1"),
    "pair of numbers": (notebook, "c, r = 2.57, 1.41\nx = 1"),
    "annotated": (notebook, "c: float = 2.57\nx = 1"),
    "rounded": (notebook, "c = round(2.567, 2)\nx = 1"),
    "cut": (notebook, "c = int(2.57)\nx = round(1.0)"),
    "letter": (word, "<w:r><w:t>c = 2</w:t><w:sym w:font='Wingdings' w:char='F061'/><w:t>57</w:t></w:r>"),
}


@pytest.mark.sweep(quick=30)
@pytest.mark.parametrize("name", READ)
def test_a_right_answer_in_a_document_is_right(name, tmp_path):
    step, write, body = READ[name]
    assert verdicts(write(body, tmp_path)) == ({step: "right"}, False)


@pytest.mark.sweep(quick=30)
@pytest.mark.parametrize("name", LISTED)
def test_what_has_two_readings_in_a_document_is_listed(name, tmp_path):
    write, body = LISTED[name]
    assert verdicts(write(body, tmp_path)) == ({}, True)


@pytest.mark.parametrize(("fill", "is_shown"), [("4472C4", True), ("000000", True), ("FFFFFF", False), ("auto", False)])
def test_white_text_in_a_cell_is_read_if_the_cell_is_shaded(fill, is_shown, tmp_path):
    white = run("{}", "<w:color w:val='FFFFFF'/>")
    cells = "".join(
        f"<w:tc><w:tcPr><w:shd w:val='clear' w:fill='{fill}'/></w:tcPr><w:p>{white.format(x)}</w:p></w:tc>"
        for x in (0, -7)
    )
    plain = "".join(f"<w:tc><w:p>{run(x)}</w:p></w:tc>" for x in (7, 0))
    table = f"</w:p><w:p>{run('S =')}</w:p><w:tbl><w:tr>{cells}</w:tr><w:tr>{plain}</w:tr></w:tbl><w:p>"
    found, is_unread = verdicts(word(table, tmp_path))
    assert "wrong" not in found.values() and is_unread != is_shown


@pytest.mark.parametrize(
    ("name", "where"), [("footnotes", "a footnote"), ("endnotes", "an endnote"), ("comments", "a comment")]
)
def test_what_stands_outside_the_text_of_a_document_is_noted(name, where, tmp_path):
    path = word(run("c = 2.57"), tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            f"word/{name}.xml", f'<w:{name} xmlns:w="{W}"><w:footnote><w:p>{run("c = 3")}</w:p></w:footnote></w:{name}>'
        )
    script = read(path.read_bytes(), str(path), lenient=True)
    assert verdicts(path) == ({"c": "right"}, False) and f"'c = 3' is in {where}" in str(script.crossed[0])
