"""Lists of students as spreadsheets and course systems save them: encodings, workbooks, exports, and what is wrong in
them.

The files are made by Python's codecs, its csv module and openpyxl, which share nothing with the reader.
"""

import csv
import io
import zipfile
from datetime import date

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import errors
from attncalc.errors import AttncalcError
from attncalc.exam.roster import read_roster
from tests.support.called import called
from tests.support.laws import examples
from tests.support.sweeps import for_each

PEOPLE = [("00417", "Müller", "Jörg"), ("s-2", "Gärtner", "Zoë"), ("1003", "O'Brien", "Renée")]
HEAD = ["Matrikelnummer", "Nachname", "Vorname"]
EXPECTED = [(number, f"{first} {last}") for number, last, first in PEOPLE]


@pytest.fixture
def told(monkeypatch):
    found = []
    monkeypatch.setattr(errors, "_listeners", [])
    errors.listen(lambda warning: found.append(str(warning)))
    return found


def roster(data, name="list.csv"):
    return [
        (one.number, one.name) for one in read_roster(data if isinstance(data, bytes) else data.encode(), name, 10_000)
    ]


def faults(data, name="list.csv"):
    with pytest.raises(AttncalcError) as refused:
        roster(data, name)
    return str(refused.value).splitlines()


def as_csv(rows, sign=",", end="\r\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator=end).writerows(rows)
    return out.getvalue()


def as_workbook(*sheets, formats=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for k, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Table {k + 1}")
        for row in rows:
            sheet.append(row)
        for cell, style in formats:
            sheet[cell].number_format = style
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def as_opendocument(before, tables):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        names = " ".join(f'xmlns:{name}="{OPEN}{name}:1.0"' for name in ("office", "table", "text"))
        archive.writestr(
            "content.xml",
            f"{before}<office:document-content {names}><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>",
        )
    return out.getvalue()


def test_a_workbook_of_libreoffice(told):
    row = "<table:table-row{}>{}</table:table-row>".format
    text = "<table:table-cell office:value-type='string'{}><text:p>{}</text:p></table:table-cell>".format
    number = (
        "<table:table-cell office:value-type='float' office:value='{}'><text:p>{}</text:p></table:table-cell>".format
    )
    empty = "<table:table-cell table:number-columns-repeated='{}'/>".format
    rows = [
        row("", text("", "Course <text:s text:c='2'/>list")), row(" table:number-rows-repeated='3'", empty(16384)),
        row("", empty(2) + text("", "Matrikelnummer") + text("", "Name")),
        row("", empty(2) + number("417", "00417") + text("", "Ada<text:span> L.</text:span>")),
        row("", empty(2) + number("1003", "1003") + text("", "Bob") + empty(16380)),
        row(" table:number-rows-repeated='1048569'", empty(16384)),
    ]  # fmt: skip
    data = as_opendocument("", f"<table:table table:name='List'>{''.join(rows)}</table:table>")
    assert roster(data, "list.ods") == [("00417", "Ada L."), ("1003", "Bob")] and told == []
    again = as_opendocument(
        "", "<table:table>" + "".join([*rows[:4], rows[3].replace("Ada", "Cyd")]) + "</table:table>"
    )
    assert faults(again, "list.ods") == [
        "list.ods:7:3: the student '00417' is listed twice; remove this line or line 6"
    ]


# -- what saved them ---------------------------------------------------------------------------------------------------

UNICODE = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
OLDER = ["cp1252", "latin-1", "mac_roman", "cp850"]


@pytest.mark.sweep(quick=6)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", UNICODE + OLDER)
def test_one_list_in_every_encoding(encoding, sign, told):
    assert roster(as_csv([HEAD, *PEOPLE], sign).encode(encoding)) == EXPECTED
    older = [line.startswith("list.csv:2:7: warning: this file is not UTF-8") and "'Müller'" in line for line in told]
    assert older == [True] * (encoding in OLDER)


OTHER_SCRIPTS = [
    ("cp1250", "Łukasz Wójcik"),
    ("cp1251", "Иванов"),
    ("cp1253", "Παπαδόπουλος"),
    ("gb18030", "李小龙王伟"),
    ("cp1251", "ИВАНОВА"),
]


@for_each(("encoding", "name"), OTHER_SCRIPTS)
def test_an_encoding_that_cannot_be_told_is_not_guessed(encoding, name):
    (said,) = faults(f"number,name\ns-1,{name}\n".encode(encoding))
    assert (
        said.startswith("list.csv:2:")
        and "expected UTF-8 text, found bytes of a different encoding" in said
        and said.endswith("save it as CSV UTF-8, or as .xlsx")
    )


def test_a_workbook_is_read_as_a_table(told):
    assert roster(as_workbook([HEAD, *PEOPLE]), "list.xlsx") == EXPECTED
    assert roster(as_workbook([["About this file"]], [["Course list"], [], HEAD, *PEOPLE]), "list.xlsx") == EXPECTED
    numbers = as_workbook(
        [["number", "name"], [417, "Ada"], [1003.0, "Bob"], ["00005", "Cyd"]], formats=[("A2", "00000")]
    )
    assert roster(numbers, "list.xlsx") == [("00417", "Ada"), ("1003", "Bob"), ("00005", "Cyd")] and told == []


@pytest.mark.sweep(quick=0)
def test_a_workbook_that_is_none():
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", " " * 45_000_000)
    odt = io.BytesIO()
    with zipfile.ZipFile(odt, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    whole = as_workbook([HEAD, *PEOPLE])
    for data, says in [
        (large.getvalue(), "expected a workbook of at most 40 MB when unpacked, found 45,000,000 bytes"),
        (odt.getvalue(), "expected a table as .xlsx or .csv, found a different kind of archive; save it as .xlsx"),
        (as_opendocument("<!DOCTYPE x [<!ENTITY a 'b'>]>", ""), "expected a workbook (.ods), found a damaged file"),
        (as_opendocument("", "<table:table><table:table-row>"), "expected a workbook (.ods), found a damaged file"),
        (
            b"\xd0\xcf\x11\xe0 old",
            "expected a table as .xlsx or .csv, found an old or encrypted Excel file (.xls); save it as .xlsx",
        ),
        (b"S: [[1, 2], [3, 4]]", "expected a workbook, found a different kind of file; save it as .xlsx"),
        (bytes(range(256)), "expected a workbook, found a different kind of file; save it as .xlsx"),
        (b"%PDF-1.7", "expected a table as .xlsx or .csv, found a PDF"),
        (whole[: len(whole) // 2], "expected a table as .xlsx or .csv, found a damaged archive"),
    ]:
        (said,) = faults(data, "list.xlsx")
        assert said.startswith(f"list.xlsx: {says}")
    (said,) = faults(zipped.getvalue(), "list.xlsx")  # a workbook without a sheet
    assert said == "list.xlsx:1:1: expected students; the file is empty"


CELLS = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"], exclude_characters="\u00ad\xa0"), max_size=12
)


@examples(150)
@given(
    st.lists(
        st.tuples(st.from_regex("[a-z]{1,3}-[0-9]{1,4}", fullmatch=True), CELLS, CELLS),
        min_size=1,
        max_size=6,
        unique_by=lambda one: one[0],
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(UNICODE),
    st.booleans(),
)
def test_whatever_names_are_written_they_are_read_back(people, sign, encoding, stated):
    names = [(number, " ".join(f"{first} {last}".split())) for number, last, first in people]
    text = ("sep=" + sign + "\r\n") * stated + as_csv([["ID number", "Surname", "First name(s)"], *people], sign)
    assert [(number, " ".join(name.split())) for number, name in roster(text.encode(encoding))] == names
    if all("\ufffe" not in cell and not cell.startswith("=") for row in people for cell in row):
        assert [
            (number, " ".join(name.split()))
            for number, name in roster(as_workbook([["ID number", "Surname", "First name(s)"], *people]))
        ] == names


# -- exports -----------------------------------------------------------------------------------------------------------

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (3051),Current Score
,,,,,Manual Posting,(read only)
    Points Possible,,,,,10,(read only)
"Lovelace, Ada",301,s-1,ada@example.org,A,9,90
"Hopper, Grace",302,,grace@example.org,A,8,80
"Student, Test",399,,59d2c1a0,A,,
"""
MOODLE = """\
Vorname,Nachname,ID-Nummer,Institution,Abteilung,E-Mail-Adresse,"Aufgabe: Blatt 1 (Punkte)"
Ada,Lovelace,1001,,,ada@example.org,"9,00"
Grace,Hopper,,,,grace@example.org,"8,00"
Gesamtdurchschnitt,,,,,,"8,50"
"""
EXPORTS = [
    (CANVAS, [("s-1", "Lovelace, Ada"), ("grace@example.org", "Hopper, Grace")], [
        "list.csv:5:21: warning: the number of 'Hopper, Grace' is missing", "list.csv:6:"]),
    (MOODLE, [("1001", "Ada Lovelace"), ("grace@example.org", "Grace Hopper")],
     ["list.csv:3:14: warning: the number of 'Grace Hopper' is missing"]),
    ("\tBlackboard\r\nLast Name\tFirst Name\tUsername\tStudent ID\r\n\"Lovelace\"\t\"Ada\"\t\"ada1\"\t\"1001\"\r\n",
     [("1001", "Ada Lovelace")], []),
    ("OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n#00417,#ada,Lovelace,Ada,a@x.org,#\n",
     [("00417", "Ada Lovelace")], []),
    ("First Name,Last Name,SID,Email,Sections\nAda,Lovelace,1001,a@x.org,1\n", [("1001", "Ada Lovelace")], []),
    ("startHISsheet\nMatrikelnummer;Nachname;Vorname\nmtknr;nachname;vorname\n1001;Lovelace;Ada\nendHISsheet\n",
     [("1001", "Ada Lovelace")], []),
    ("Attention 1, group B\n\nMatrikel-Nr.;Name\n1001;Ada\n", [("1001", "Ada")], []),
    ('number,name\n"=""00417""",Ada\n="00418",Bob\n\'00419,Cyd\n',
     [("00417", "Ada"), ("00418", "Bob"), ("00419", "Cyd")], []),
    ("ID number,First name,Last name,Email address\n,Ada,L,ada@x\n,Bob,M,bob@x\n",
     [("ada@x", "Ada L"), ("bob@x", "Bob M")], ["list.csv:2:1: warning: this column is empty"]),
    ("number,name\n1,Ada\n2,Bob\n1,Ada\n", [("1", "Ada"), ("2", "Bob")],
     ["list.csv:4:1: warning: 'Ada' (1) is already listed in line 2 and gets only one paper"]),
    ("number,name\n1,Ada\u202eB\n\u200e2,\u0646\u0627\u0645\u200c\u0647\n",
        [("1", "AdaB"), ("2", "\u0646\u0627\u0645\u200c\u0647")], [
        "list.csv:2:1: warning: the name 'Ada\ufffdB' contains invisible characters (U+202E); attncalc removes them",
        "list.csv:3:1: warning: the number"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "students", "says"), EXPORTS)
def test_what_course_systems_export(text, students, says, told):
    assert roster(text) == students
    assert len(told) == len(says) and all(any(line.startswith(one) for line in told) for one in says), told


HEADERS = {
    "Full name,Student number": ("Ada Lovelace", "1"),
    "Prénom,Nom de famille,Numéro d’étudiant": ("Ada", "Lovelace", "1"),
    "Nom,Prénom,N° étudiant": ("Lovelace", "Ada", "1"),
    "Nombre,Apellido(s),Número de ID,Dirección de correo": ("Ada", "Lovelace", "1", "a@x"),
    "Nome,Cognome,Matricola": ("Ada", "Lovelace", "1"), "Nome,Sobrenome,Matrícula": ("Ada", "Lovelace", "1"),
    "Voornaam,Achternaam,Studentnummer": ("Ada", "Lovelace", "1"),
    "Förnamn;Efternamn;ID-nummer": ("Ada", "Lovelace", "1"),
    "Imię,Nazwisko,Numer indeksu": ("Ada", "Lovelace", "1"), "Jméno,Příjmení,ID číslo": ("Ada", "Lovelace", "1"),
    "Ad,Soyad,Öğrenci No": ("Ada", "Lovelace", "1"),
    "Etunimi,Sukunimi,Opiskelijanumero": ("Ada", "Lovelace", "1"),
    "Имя,Фамилия,Номер студенческого билета": ("Ada", "Lovelace", "1"),
    "姓名,学号": ("Ada Lovelace", "1"), "氏名,学籍番号": ("Ada Lovelace", "1"), "이름,학번": ("Ada Lovelace", "1"),
    "MATRIKEL-NR.;NACHNAME;VORNAME": ("1", "Lovelace", "Ada"),
}  # fmt: skip


@for_each("head", HEADERS, quick=6)
def test_columns_are_known_in_many_languages(head):
    sign = ";" if ";" in head else ","
    assert roster(f"{head}\n{sign.join(HEADERS[head])}\n") == [("1", "Ada Lovelace")]


# -- what is wrong in them ---------------------------------------------------------------------------------------------


def test_every_fault_is_told_at_once_with_its_place():
    rows = [
        ["number", "name"],
        ["1", "Ada"],
        ["1", "Bob"],
        ["", "Cyd"],
        ["1.23E+11", "Dee"],
        [123456789012345678, "Eve"],
    ]
    says = [
        "3:1: the student '1' is listed twice; remove this line or line 2",
        "4:1: expected a student's number for 'Cyd', found nothing",
        "5:1: expected a student's number, found '1.23E+11', which a spreadsheet has shortened; export the column as text",
    ]
    assert faults(as_csv(rows[:-1])) == [f"list.csv:{line}" for line in says]
    says.append(
        "6:1: expected a student's number, found '1.23456789012346e+17', which a spreadsheet has shortened; export "
        "the column as text"
    )
    assert faults(as_workbook(rows), "list.xlsx") == [f"list.xlsx:{line}" for line in says]


@pytest.mark.parametrize("count", [1, 21, 150])
def test_every_line_with_a_substitute_has_its_warning(count, told):
    """A list of more than 20 was cut, so that nobody saw which other students had no number."""
    rows = [["number", "name", "email"], ["1", "Ada", ""], *(["", f"S {k}", f"s{k}@x.org"] for k in range(count))]
    roster(as_csv(rows))
    assert [line.split(":")[1] for line in told] == [str(k + 3) for k in range(count)]
    assert all("is missing; 's" in line for line in told)


HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1+1",
    "@SUM(1)",
    "\\input{/etc/passwd}",
    "$(rm -rf /)",
    "<script>",
    "#let x = 1",
    "../../x",
    "%00",
    "a\tb",
]


@for_each("name", HOSTILE)
def test_hostile_names_stay_text(name):
    assert roster(as_csv([["number", "name"], ["s-1", name]])) == [("s-1", " ".join(name.split()))]


@examples(150)
@given(st.binary(max_size=60), st.sampled_from([b"", b"PK\3\4", b"\xff\xfe", b"number,name\n", b"sep=;\n"]))
def test_any_bytes_are_read_or_refused(data, before):
    try:
        roster(before + data)
    except AttncalcError as error:
        assert all(str(fault).startswith("list.csv") for fault in error.faults)


def test_a_workbook_s_dates_and_flags_are_texts():
    assert roster(as_workbook([["number", "name"], ["1", date(2026, 1, 3)], ["2", True]])) == [
        ("1", "2026-01-03"),
        ("2", "TRUE"),
    ]


@examples(120)
@given(st.data())
def test_a_damaged_workbook_is_read_or_refused(data):
    """Some bytes of one of the files inside are others, or the file is missing."""
    whole = zipfile.ZipFile(io.BytesIO(as_workbook([HEAD, *PEOPLE, ["=1+1", 0.5, date(2026, 1, 3)]])))
    chosen = data.draw(st.sampled_from(sorted(whole.namelist())))
    content = bytearray(whole.read(chosen))
    for _ in range(data.draw(st.integers(1, 3))):
        at, length = data.draw(st.integers(0, max(0, len(content) - 1))), data.draw(st.integers(0, 6))
        content[at : at + length] = data.draw(
            st.one_of(st.sampled_from([b"<", b">", b"&", b'"', b"9", b"\0"]), st.binary(max_size=4))
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in whole.namelist():
            if name != chosen or data.draw(st.integers(0, 9)):
                archive.writestr(name, bytes(content) if name == chosen else whole.read(name))
    try:
        roster(out.getvalue(), "list.xlsx")
    except AttncalcError as error:
        assert all(str(fault).startswith("list.xlsx") for fault in error.faults)


LANGUAGES = """
title: Quiz
seed: two languages
language: {language}
students: {students}
round: 1
questions:
  - {{generate: self_attention, points: 4, asked: [S, A]}}
  - {{choices: [{{right: yes}}, {{wrong: no}}], ask: Right?, points: 1}}
"""


@pytest.mark.parametrize(("column", "versions"), [("language", "versions: 2\n"), ("Sprache", "")])
def test_a_student_has_the_paper_of_the_language_in_the_roster(tmp_path, column, versions):
    (tmp_path / "class.csv").write_text(f"number,name,{column}\n0417,Ada,de\n0418,Alan,\n0419,Grace,en\n0420,Mei,xx\n")
    (tmp_path / "plain.csv").write_text("number,name\n0417,Ada\n0418,Alan\n0419,Grace\n0420,Mei\n")
    exams = {"mixed": ("en", "class.csv"), "en": ("en", "plain.csv"), "de": ("de", "plain.csv")}
    files = {}
    for name, (language, students) in exams.items():
        (tmp_path / "quiz.yaml").write_text(LANGUAGES.format(language=language, students=students) + versions)
        code, _, err = called("exam", tmp_path / "quiz.yaml", "-o", tmp_path / name, "--to", "latex")
        assert code == 0 and ("the language 'xx' is unknown" in err) == (name == "mixed")
        files[name] = {path.name: path.read_text() for path in (tmp_path / name).iterdir()}
    papers = sorted(name for name in files["en"] if name.startswith("paper-"))
    for name, language in zip(papers, ["de", "en", "en", "en"], strict=True):
        assert files["mixed"][name] == files[language][name]
    assert files["mixed"]["key.json"] == files["en"]["key.json"]
    own = {name for name in files["mixed"] if name.startswith("solution-01")}
    for name in files["en"]:
        if name.startswith("solution-"):
            assert files["mixed"][name] == files["de" if name in own else "en"][name]
    assert {"all-papers.tex", "all-papers-de.tex"} <= {*files["mixed"]} and "all-papers-en.tex" not in files["mixed"]


@for_each(
    "line",
    ["root:x:0:0:root:/root:/bin/bash", "import os  # 1", "x = [1, 2]", "# Notes 2", "This 1 sentence is no student, and it is long",
     "<p>1</p>", "title: 3"],
)  # fmt: skip
@for_each("others", [[], ["00417"], ["00417", "00418"]])
def test_law_a_text_without_a_header_is_a_list_only_if_each_line_may_be_a_student(line, others):
    said = faults("\n".join([*others, line]).encode(), "list.txt")
    assert said and all(message.startswith("list.txt:") for message in said)


@for_each("line", ["00417", "'00417", "#00417", "s-17", "ada+1@uni.example", "K7Q2 3", "Ada Lovelace 2", "u_17"])
def test_a_line_without_a_header_may_be_a_number_a_login_or_a_name(line):
    assert len(roster(f"{line}\n00999\n".encode(), "list.txt")) == 2
