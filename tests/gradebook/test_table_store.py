"""The table of a class while answers are typed into it: a save changes the typed cells, and nothing else."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.errors import AttncalcError
from attncalc.gradebook.answer_key import read_key
from attncalc.gradebook.entry_form import form_of
from attncalc.gradebook.grade import grade
from attncalc.gradebook.table_store import TypedTable
from tests.support.laws import examples

PAPER = "parts: {q1: {given: {X: [[1, 2, 0.5]]}, steps: {Y: 2 * X, Z: Y + X}}}\n"
CODES = {"ada": "K7Q2", "bob": "M3XX", "eve": "P9RA"}
ENTRIES = [f"q1.{step}[0,{k}]" for step in "YZ" for k in range(3)]
CELLS = st.sampled_from(
    ["", "", "2", "4", "1", " 3 ", "0.5", '"1,5"', '"1,234"', '"0,5"', "_", " ", '" "', '"a ""b"""', "no"]
)
SAVES = st.tuples(
    st.sampled_from([*CODES]),
    st.dictionaries(st.sampled_from(ENTRIES), st.sampled_from(["2", "0.5", "1/3", "-1.25", "", "a;b"]), min_size=1),
)


def key_in(folder):
    papers = [{"code": code, "number": k, "student": who, "problem": PAPER, "own": []}
              for k, (who, code) in enumerate(CODES.items(), 1)]  # fmt: skip
    path = folder / "key.json"
    path.write_text(json.dumps({"format": 1, "kind": "attncalc key", "title": "Quiz", "variants": papers}))
    return read_key(str(path))


@st.composite
def tables(draw):
    """Rows of any length, with cells that have no name, columns without one, and students who come twice or never."""
    entries = draw(st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=3, unique=True))
    others = draw(st.lists(st.sampled_from(["note", "", "seen by"]), max_size=3))
    columns = draw(st.permutations([*entries, *others, *draw(st.sampled_from([[], ["problem"]]))]))
    rows = [["student", *(f'"{name}"' if name else "" for name in columns)]]
    for who in draw(st.lists(st.sampled_from([*CODES, "ada"]), max_size=4)):
        cells = [CODES[who] if name == "problem" else draw(CELLS) for name in columns]
        rows.append([who, *cells, *draw(st.lists(CELLS, max_size=3))][: draw(st.integers(1, len(columns) + 4))])
    return rows


def cells_of(text, sign, end):
    """The cells of a table as they are written; no cell here has a line break."""
    cell = re.compile(rf'("(?:[^"]|"")*"|[^{sign}]*)(?:{sign}|$)')
    return [cell.findall(f"{line}{sign}")[:-1] for line in text.split(end) if line.strip(f"{sign} ")]


def name_of(table, column):
    """The name of a column; none for a blank one, and to the right of the header."""
    return table[0][column].strip('" ') if column < len(table[0]) else ""


def is_blank(cell):
    return not cell.strip('" ')


def marks_of(folder, path, without):
    """What each other student got, and why a row could not be read."""
    rows = grade(str(folder / "key.json"), [str(path)]).rows
    others = [row for row in rows if row.student in {*CODES} - {without}]
    return [(row.student, row.earned, row.marks, row.error, row.unread) for row in others]


@examples(150)
@given(
    rows=tables(),
    saves=st.lists(SAVES, min_size=1, max_size=3),
    sign=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_a_save_changes_the_typed_cells_alone(rows, saves, sign, end, mark, tmp_path_factory):
    """Every other cell is the same text and has the same name, or none as before, and others get the same points."""
    folder = tmp_path_factory.mktemp("table")
    form, path = form_of(key_in(folder)), folder / "class.csv"
    path.write_bytes((mark + end.join([sign.join(row) for row in rows] + [""])).encode())
    for who, cells in saves:
        before, graded = path.read_bytes(), marks_of(folder, path, who)
        old = cells_of(before.decode("utf-8-sig"), sign, end)
        try:
            TypedTable(str(path), form).save(who, "", CODES[who], cells, who)
        except AttncalcError:
            assert path.read_bytes() == before
            continue
        after = path.read_bytes()
        new = cells_of(after.decode("utf-8-sig"), sign, end)
        assert after.startswith(mark.encode()) and len(new) >= len(old)
        head = [name_of(new, j) for j in range(len(new[0]))]
        row = next((k for k, line in enumerate(old) if k and line[0] == who), len(old))
        for i, line in enumerate(old[1:], 1):
            for j, cell in enumerate(line):
                if not (i == row and j < len(head) and head[j] in {*cells, "problem"}):
                    assert new[i][j] == cell and (is_blank(cell) or name_of(new, j) == name_of(old, j))
        assert marks_of(folder, path, who) == graded


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("further", ["7", '"7"', ",7", "7,8"])
def test_a_new_column_names_no_cell_that_had_no_name(sign, further, tmp_path):
    """The save is refused, with the place of each such cell; cells that are there can be typed as before."""
    form, path = form_of(key_in(tmp_path)), tmp_path / "class.csv"
    lines = [["student", '"q1.Y[0,0]"'], ["ada", "1", *further.split(",")], ["bob", "1"], ["eve", "1", "0"]]
    path.write_text("".join(f"{sign.join(line)}\n" for line in lines))
    before = path.read_text()
    table = TypedTable(str(path), form)
    with pytest.raises(AttncalcError) as refused:
        table.save("bob", "", "", {"q1.Y[0,1]": "5"}, "bob")
    assert [fault.place.line for fault in refused.value.faults] == [2, 4] and path.read_text() == before
    assert "expected at most 2 cells, as in the header, found '7'; the new column" in str(refused.value)
    table.save("bob", "", "", {"q1.Y[0,0]": "5"}, "bob")
    assert path.read_text() == before.replace(f"bob{sign}1", f"bob{sign}5")


@pytest.mark.parametrize("typed", ["0.5", "1.25"])
def test_a_decimal_point_makes_no_thousands_of_another_student_s_comma(typed, tmp_path):
    """1,234 is 1.234 where semicolons part cells and no number has a point: the typed number then has a comma."""
    form, path = form_of(key_in(tmp_path)), tmp_path / "class.csv"
    path.write_text('student;problem;"q1.Y[0,0]"\nada;K7Q2;1,234\nbob;M3XX;\n')
    graded = marks_of(tmp_path, path, "bob")
    TypedTable(str(path), form).save("bob", "", "M3XX", {"q1.Y[0,0]": typed}, "bob")
    assert marks_of(tmp_path, path, "bob") == graded
    assert path.read_text().endswith(f'bob;M3XX;"{typed.replace(".", ",")}"\n')


# -- between two saves -------------------------------------------------------------------------------------------------


def entries_of(table):
    """What the table holds of each student."""
    return {(who, name): text for who, code in CODES.items() for name, text in table.cells(who, code).items()}


def disturb(kind, path, earlier, draw):
    """What another program does to the table."""
    lines = path.read_text().splitlines(keepends=True)
    if kind == "delete":
        path.unlink()
    elif kind == "restore":
        path.write_bytes(draw(st.sampled_from(earlier)))
    elif kind == "drop a row" and len(lines) > 1:
        del lines[draw(st.integers(1, len(lines) - 1))]
        path.write_text("".join(lines))
    elif kind == "change":
        path.write_text(path.read_text().replace("K7Q2,2", "K7Q2,77"))


@examples(150)
@given(data=st.data())
def test_what_was_saved_is_there_after_each_later_save_or_reported(data, tmp_path_factory):
    """Whatever another program does meanwhile; what it wrote itself stays, and where it did nothing, nothing is said."""
    folder = tmp_path_factory.mktemp("table")
    form, path = form_of(key_in(folder)), folder / "class.csv"
    header = ",".join(["student", "problem", *(f'"{name}"' for name in ENTRIES)])
    path.write_text(f"{header}\neve,P9RA,1,2,3,4,5,6\n")
    table, confirmed, earlier = TypedTable(str(path), form), {}, [path.read_bytes()]
    table.check()
    for _ in range(data.draw(st.integers(1, 4))):
        who = data.draw(st.sampled_from([*CODES]))
        cells = data.draw(st.dictionaries(st.sampled_from(ENTRIES), st.sampled_from(["2", "0.5", ""]), min_size=1))
        kind = data.draw(st.sampled_from(["", "delete", "restore", "drop a row", "change"]))
        before = entries_of(table)
        disturb(kind, path, earlier, data.draw)
        is_same = path.exists() and entries_of(table) == before
        notes = table.save(who, "", CODES[who], cells, who).notes
        confirmed |= {(who, name): text for name, text in cells.items()}
        earlier.append(path.read_bytes())
        found = entries_of(table)
        for (student, name), text in confirmed.items():
            now = found.get((student, name), "")
            if now != text:
                assert any(f"{name} of {student} was saved as {text or 'nothing'}" in note for note in notes)
                confirmed[student, name] = now
        assert kind != "delete" or all(found[place] == text for place, text in before.items() if place not in confirmed)
        assert not (is_same and notes) and (kind != "delete" or "was not there" in notes[0])


def test_a_hard_link_is_refused_and_a_symbolic_link_is_followed(tmp_path):
    """A save would part the two names of a file; a name that is added later keeps what was there, and this is reported."""
    form, path = form_of(key_in(tmp_path)), tmp_path / "class.csv"
    table = TypedTable(str(path), form)
    table.save("ada", "", "K7Q2", {ENTRIES[0]: "2"})
    (tmp_path / "soft.csv").symlink_to(path)
    soft = TypedTable(str(tmp_path / "soft.csv"), form)
    soft.check()
    soft.save("bob", "", "M3XX", {ENTRIES[0]: "2"})
    assert (tmp_path / "soft.csv").is_symlink() and "bob" in path.read_text()
    before = path.read_bytes()
    (tmp_path / "hard.csv").hardlink_to(path)
    for name in ("hard.csv", "class.csv", "soft.csv"):
        with pytest.raises(AttncalcError, match="a hard link"):
            TypedTable(str(tmp_path / name), form).check()
    saved = table.save("ada", "", "K7Q2", {ENTRIES[1]: "4"}, "ada")
    assert "a hard link" in saved.notes[0] and (tmp_path / "hard.csv").read_bytes() == before
    assert table.save("ada", "", "K7Q2", {ENTRIES[2]: "4"}, "ada").notes == []
