"""Files that repeat a few signs are read in a time in proportion to their length; broken ones are described in words."""

import io
import zipfile
from itertools import islice

import pytest

from attncalc.errors import AttncalcError
from attncalc.submissions.script_reader import read
from tests.properties.reading_time import cases, growth
from tests.properties.test_forms import document
from tests.properties.workbooks import archive, ods, ods_cell, ods_row, xlsx
from tests.support.called import called
from tests.support.sweeps import for_each

# In these a reader once took 8 s and more
SLOW = [
    ("text.txt", "["), ("text.txt", "[](x)"), ("output.ipynb", "["), ("page.html", "<!--"), ("page.html", "<![CDATA["),
    ("tag.html", "a=1 "), ("text.txt", " "), ("text.txt", "\n"), ("text.txt", "is \t"), ("style.html", "<style>"),
    ("style.html", "text-decoration"), ("formula.html", "<mrow>"), ("page.html", "<b aria-hidden=true>"),
    ("cell.html", "a<br>"), ("text.txt", "| student | "),
    ("name.yaml", "(<![CDATA[x"), ("older.csv", "a"), ("older.csv", "1-"),
]  # fmt: skip
DRAWN = list(islice(cases(1), 2_000))


@pytest.mark.sweep(quick=9, ci=True)
@pytest.mark.parametrize(("form", "signs"), SLOW)
def test_a_file_that_once_took_long_takes_time_in_proportion(form, signs):
    assert not growth(form, signs)


@pytest.mark.sweep(quick=6, ci=12)
@pytest.mark.parametrize(("form", "signs"), DRAWN)
def test_twice_the_signs_take_twice_the_time(form, signs):
    assert not growth(form, signs)


def compressed_kind():
    """An .ods whose first member is compressed."""
    plain = ods(ods_row(ods_cell("step") + ods_cell("value")) + ods_row(ods_cell("S") + ods_cell("[[1, 2]]")))
    with zipfile.ZipFile(io.BytesIO(plain)) as parts:
        return archive({name: parts.read(name) for name in parts.namelist()})


ROW = '<row><c t="inlineStr"><is><t>{}</t></is></c><c t="s"><v>{}</v></c></row>'
BROKEN = {
    "members.xlsx": (archive({f"{k:0>40}": "" for k in range(10_001)}), "expected a workbook of at most 10,000 files"),
    "large.xlsx": (xlsx() + bytes(20_000_001), "expected a workbook of at most 20 MB"),
    "type.docx": (
        document('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
        "a document type, which is not allowed in such a file",
    ),
    "members.docx": (archive({f"{k}": "" for k in range(10_001)}), "expected a Word document of at most 10,000 files"),
    "no-cells.ipynb": (b"[]", "an invalid structure"),
    "no-json.ipynb": (b"{", "invalid JSON at line 1, column 2"),
    "deep.ipynb": (b"[" * 100_000, "nested too deeply"),
    "no-part.xlsx": (archive({"xl/a": ""}), "a file with a missing part"),
    "no-xml.xlsx": (xlsx(sheet="<a"), "invalid XML at line 1"),
    "no-body.eml": (b"Content-Type: image/png\n\n", "expected an email with a text body, found none"),
}


@for_each("name", BROKEN)
def test_a_broken_file_is_described_in_words(name):
    data, message = BROKEN[name]
    with pytest.raises(AttncalcError) as caught:
        read(data, name, lenient=True)
    assert message in str(caught.value) and "Error" not in str(caught.value)


def test_check_reads_a_large_workbook_whole(tmp_path):
    """`check` and `grade` read as many bytes of a file."""
    path = tmp_path / "members.xlsx"
    path.write_bytes(BROKEN["members.xlsx"][0])
    assert path.stat().st_size > 1_000_000
    assert "expected a workbook of at most 10,000 files" in called("check", "translate-two-words", str(path))[2]


def test_a_compressed_kind_makes_no_other_workbook():
    assert [answer.step for answer in read(compressed_kind(), "a.ods").answers] == ["S"]


def test_a_text_that_is_missing_costs_only_its_cell():
    head = '<row><c t="inlineStr"><is><t>step</t></is></c><c t="inlineStr"><is><t>value</t></is></c></row>'
    strings = "<sst><si><t>[[1, 2]]</t></si></sst>"
    script = read(xlsx(head + ROW.format("S", 0) + ROW.format("A", 7), strings=strings), "a.xlsx", lenient=True)
    assert [answer.step for answer in script.answers if any(any(row) for row in answer.rows)] == ["S"]
    assert [lost.step for lost in script.unread] == ["A"]
