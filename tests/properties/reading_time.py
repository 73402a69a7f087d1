"""Files that repeat a few signs, in each form that answers come in, and how long it takes to read them.

`python -m tests.properties.reading_time 0 600` reads such files for 600 seconds; `test_reading_time.py` reads a sample.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Iterator
from xml.sax.saxutils import escape

from attncalc import load
from attncalc.errors import AttncalcError
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.properties.workbooks import archive, ods, ods_cell, ods_row, xlsx

SIGNS = (
    "[", "]", "(", ")", "{", "}", "<", ">", "<!--", "-->", "<b>", "<table>", "<tr>", "<td>", "<td", "</", "</b>", "<math>",
    "<mrow>", "<style>", "<script>", "<![CDATA[", "<?", "&", "&amp;", "&#", "|", "$", "\\begin{", "\\begin{bmatrix}", "\\end{",
    "\\", "\\\\", "1", "0.5", ",", ";", ":", " ", "\t", "S", "S=", "S = ", "=", "`", "```", "-", "*", "**", "_", "^", "\n", "\r\n",
    "\u0301", "é", "[[1,2],", "1 ", "'", '"', "#", "# ", "~~", ".", "/", "x", "a ", "\\frac{", "\\text{", "\\(", "\\[",
    "sqrt(", "array(", "np.array(", "style=", 'class="', "x=1 ", "%", "!", "> ", "- ", "e", "≈", "and ", "is ", "of ", "the ",
    "row ", "head 1", "S:", "S: ", "1/2", "Table: ", "~", "@", "student", "answers:", "&nbsp;", "\x0c", "(1,", "{{1,",
    "1×10^3 ", "(1;", "1,5;", "(in %)\n", "\ufffd", "\u2028", "… ", "|-", "|1",
)  # fmt: skip
LENGTH = 40_000  # characters, and then twice as many
SHORT = 0.4  # seconds that are never too long
LONG = 4.0  # seconds that are always too long; at 10 s reading ends, so that the time cannot grow
MOST_GROWTH = 3.0  # of the time, where twice the length takes twice the time
MEASUREMENTS = 3


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _notebook(**cell: object) -> str:
    return json.dumps({"cells": [{"source": "S", **cell}]})


def _output(text: str) -> str:
    shown = {"text/plain": text, "text/html": "<table>"}
    return _notebook(cell_type="code", outputs=[{"output_type": "execute_result", "data": shown}])


def _escaped(text: str) -> str:
    return escape("".join(sign for sign in text if sign.isprintable() or sign == "\n"))


def _letter(text: str) -> bytes:
    paragraphs = "".join(f"<w:p><w:r><w:t>{_escaped(line)}</w:t></w:r></w:p>" for line in f"S = {text}".split("\n"))
    xml = f'<w:document xmlns:w="w"><w:body>{paragraphs}</w:body></w:document>'
    return archive({"word/document.xml": xml})


def _sheet(text: str) -> bytes:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'.format
    return xlsx("".join(f"<row>{cell('S')}{cell(_escaped(line))}</row>" for line in text.split("\n")))


def _opendocument(text: str) -> bytes:
    return ods("".join(ods_row(ods_cell("S") + ods_cell(_escaped(line))) for line in text.split("\n")))


FORMS = {
    "text.txt": lambda text: text,
    "matrix.md": lambda text: f"S =\n[[1, 2], [3, {text}]]",
    "after.md": lambda text: f"S = {text}",
    "table.md": lambda text: f"S =\n| a | b |\n|---|---|\n|{text}",
    "program.py": lambda text: text,
    "latex.tex": lambda text: f"$S = {text}",
    "page.html": lambda text: f"<html><body><p>S = {text}",
    "cell.html": lambda text: f"<html><table><tr><td>1<td>{text}",
    "tag.html": lambda text: f"<html><p {text}",
    "formula.html": lambda text: f"<html><math><mrow>{text}",
    "style.html": lambda text: f"<html><style>{text}</style><p class=a>S = 1",
    "markdown.ipynb": lambda text: _notebook(cell_type="markdown", source=text),
    "code.ipynb": lambda text: _notebook(cell_type="code", source=text, outputs=[]),
    "output.ipynb": _output,
    "mail.eml": lambda text: f"Subject: x\nContent-Type: text/plain; charset=utf-8\n\n{text}",
    "header.eml": lambda text: f"Subject: {text}\n\nS = 1",
    "plain.csv": lambda text: text,
    "cell.csv": lambda text: 'student,S[0,0]\nada,"' + text.replace('"', '""') + '"\n',
    "header.csv": lambda text: f"student,{text}\nada,1\n",
    "older.csv": lambda text: f"student,name\nada,{text} é".encode("cp1252", "replace"),
    "plain.yaml": lambda text: text,
    "value.yaml": lambda text: f"answers:\n  S: {_quoted(text)}\n",
    "name.yaml": lambda text: f"answers:\n  {_quoted(text)}: 1\n",
    "letter.docx": _letter,
    "sheet.xlsx": _sheet,
    "sheet.ods": _opendocument,
}
PROBLEM = load("translate-two-words")


def seconds(form: str, text: str) -> float:
    """Return the processor time that it takes to read a file and to find its steps."""
    content = FORMS[form](text)
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    gc.collect()
    gc.disable()  # its rounds take longer, the more objects earlier tests have left
    begin = time.process_time()
    try:
        bind(read(data, form, lenient=True), PROBLEM, lenient=True)
    except AttncalcError as error:
        str(error)
    finally:
        gc.enable()
    return time.process_time() - begin


def growth(form: str, signs: str) -> str:
    """Return what is wrong with the time that such a file takes; empty if twice the length takes twice the time.

    Another process can slow one measurement, so each of several must find the fault.
    """
    once, twice = (signs * max(1, length // len(signs)) for length in (LENGTH, 2 * LENGTH))
    for _ in range(MEASUREMENTS):
        first = second = seconds(form, once)
        if first < SHORT or first < LONG and (second := seconds(form, twice)) < MOST_GROWTH * first:
            return ""
    return f"{form}, {signs!r}: {first:.2f} s, and {second:.2f} s for twice as many"


def cases(seed: int) -> Iterator[tuple[str, str]]:
    """Yield forms, and signs that are repeated: one to four of them."""
    numbers = random.Random(seed)
    while True:
        signs = "".join(numbers.choice(SIGNS) for _ in range(numbers.choice((1, 2, 2, 3, 3, 4))))
        yield numbers.choice(list(FORMS)), signs


if __name__ == "__main__":
    end = time.monotonic() + float(sys.argv[2])
    for k, case in enumerate(cases(int(sys.argv[1]))):
        if time.monotonic() > end:
            print(k, "files")
            break
        if slow := growth(*case):
            print(slow, flush=True)
