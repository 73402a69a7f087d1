"""Answers that were read from scans: what nobody confirmed is never in the table, and what is confirmed is there as it
was shown. In Chromium at the end.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.cli import main
from attncalc.data_entry.app import UNREADABLE
from attncalc.errors import AttncalcError
from attncalc.gradebook.grade import grade
from attncalc.scan.scan_folder import MOST_PIXELS, read_scans
from tests.data_entry.test_app import CODES, STUDENTS, ask, desk_of, key_file, marks, right  # noqa: F401 (a fixture)
from tests.support.audited import audited
from tests.support.browsing import chromium, page_of, server
from tests.support.laws import examples
from tests.support.scanned import png, scan_folder

COLUMNS = [f"q1.{step}[{i},{j}]" for step, across in (("S", 3), ("A", 3), ("Z", 2)) for i in range(3) for j in range(across)]  # fmt: skip


def table_of(folder):
    path = folder / "class.csv"
    if not path.exists():
        return {}
    rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    return {(row["problem"], name): text.lstrip("'") for row in rows for name, text in row.items() if name.startswith("q") and text}  # fmt: skip


def scanned(folder, written, **how):
    """The desk of a class with scans."""
    path = key_file(folder)
    scan_folder(folder / "scans", written, **how)
    return reopened(folder, path)


def reopened(folder, path=None):
    desk = desk_of(path or folder / "key.json")
    desk.add_scans(str(folder / "scans"))
    return desk


def group(desk, window="w", most=40):
    reply = ask(desk, "group", window=window, most=most)
    return [entry for shown in reply["groups"] for entry in shown["entries"]], reply["counts"]


def sent(entries):
    return [{name: entry[name] for name in ("paper", "column", "text")} for entry in entries]


READ = st.sampled_from(["0.28", "0,28", "-1.5", "1/3", "-inf", "", "7", "0.280"])
STEPS = st.lists(st.tuples(st.sampled_from(["confirm", "take out", "back", "type", "restart"]), st.integers(0, 5), READ), max_size=7)  # fmt: skip


@examples(40)
@given(data=st.data(), steps=STEPS)
def test_law_the_table_has_what_was_confirmed_or_typed_and_nothing_else(data, steps, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scans")
    places = [(code, column) for code in CODES[:2] for column in COLUMNS[:4]]
    written = {code: {column: data.draw(READ) for column in COLUMNS[:4]} for code in CODES[:2]}
    desk = scanned(folder, written, doubtful={data.draw(st.sampled_from(places))})
    expected, last = {}, None
    for do, count, text in steps:
        entries, _ = group(desk, most=6)
        if do in ("confirm", "take out"):
            out = entries[:count] if do == "take out" else []
            shown = [entry for entry in entries if entry not in out]
            last = {"entries": sent(shown), "out": sent(out)}
            assert ask(desk, "confirm", **last) == {"kept": []}
            expected |= {(entry["paper"], entry["column"]): entry["text"] for entry in shown}
        elif do == "back" and last:
            assert "faults" not in ask(desk, "reopen", **last)
            for entry in last["entries"]:
                if expected.get((entry["paper"], entry["column"])) == entry["text"]:
                    expected.pop((entry["paper"], entry["column"]))
            last = None
        elif do == "type":
            doubt = ask(desk, "doubt", window="w")["entry"]
            if doubt:
                place = doubt["paper"], doubt["column"]
                ask(desk, "save", student=doubt["student"], code=place[0], whose=doubt["student"],
                    cells={place[1]: text}, seen={place[1]: doubt["there"]})  # fmt: skip
                expected[place] = text.replace(",", ".").replace("-inf", "−∞")
        else:
            desk = reopened(folder)
        table = {place: text for place, text in table_of(folder).items() if place in places}
        assert table == {place: text for place, text in expected.items() if text}
        counts = ask(desk, "form")["counts"]
        assert counts["done"] == len(expected) and sum(counts[name] for name in ("certain", "doubtful", "done")) == len(places)  # fmt: skip


def everything_confirmed(desk):
    while (shown := group(desk))[0]:
        ask(desk, "confirm", entries=sent(shown[0]), out=[])
    return shown[1]


def test_confirmed_answers_are_graded(tmp_path, right):  # noqa: F811
    written = {code: right[code] | {"q3": "B"} for code in CODES}
    desk = scanned(tmp_path, written)
    entries, counts = group(desk)
    assert len({entry["text"] for entry in entries}) == 1 < len(entries)
    assert counts["certain"] == 3 * 25 and table_of(tmp_path) == {}
    assert everything_confirmed(desk)["done"] == 3 * 25
    rows = marks(tmp_path / "class.csv", tmp_path / "key.json")
    assert {who: (float(row.earned), row.status) for who, row in rows.items()} == dict.fromkeys(STUDENTS, (4.0, "look"))


def test_a_group_has_one_text_and_small_groups_share_a_screen(tmp_path):
    texts = ["1"] * 12 + ["0.5", "0.25", "0,5", "x7"]
    desk = scanned(tmp_path, {code: dict(zip(COLUMNS, texts)) for code in CODES})
    screens = []
    while groups := ask(desk, "group", window="w")["groups"]:
        screens.append([(shown["text"], len(shown["entries"])) for shown in groups])
        ask(desk, "confirm", entries=[each for shown in groups for each in sent(shown["entries"])], out=[])
    assert screens == [[("1", 36)], [("0.25", 3), ("0.5", 6)]], "x7 cannot be a number, so it is doubtful"
    assert ask(desk, "form")["counts"]["doubtful"] == 3


def test_two_windows_see_different_entries(tmp_path):
    desk = scanned(tmp_path, {code: dict.fromkeys(COLUMNS, "1") for code in CODES})
    first, second = (group(desk, window)[0] for window in ("a", "b"))
    assert not {(e["paper"], e["column"]) for e in first} & {(e["paper"], e["column"]) for e in second}
    assert group(desk, "a")[0] == first, "until they are confirmed"


def test_what_was_typed_meanwhile_is_not_replaced(tmp_path):
    desk = scanned(tmp_path, {code: {COLUMNS[0]: "1"} for code in CODES})
    entries, _ = group(desk)
    ask(desk, "save", student=STUDENTS[1], code=CODES[1], whose=STUDENTS[1], cells={COLUMNS[0]: "2"})
    assert ask(desk, "confirm", entries=sent(entries), out=[])["kept"] == [f"{CODES[1]} {COLUMNS[0]}"]
    typed = {code: text for (code, column), text in table_of(tmp_path).items() if column == COLUMNS[0]}
    assert typed == {CODES[0]: "1", CODES[1]: "2", CODES[2]: "1"}


def test_a_text_that_was_not_shown_is_refused(tmp_path):
    desk = scanned(tmp_path, {CODES[0]: {COLUMNS[0]: "1"}})
    (entry,), _ = group(desk)
    for change in ({"text": "2"}, {"column": "q9.X[0,0]"}, {"paper": "ZZZZ"}):
        assert ask(desk, "confirm", entries=sent([entry | change]), out=[])["faults"]
    assert table_of(tmp_path) == {}


def test_an_entry_that_nobody_can_read_is_reviewed(tmp_path):
    desk = scanned(tmp_path, {CODES[0]: {COLUMNS[0]: "1", COLUMNS[1]: "2"}}, doubtful={(CODES[0], COLUMNS[0])})
    everything_confirmed(desk)
    ask(desk, "save", student=STUDENTS[0], code=CODES[0], whose=STUDENTS[0], cells={COLUMNS[0]: UNREADABLE})
    assert ask(desk, "form")["counts"] == {"certain": 0, "doubtful": 0, "unreadable": 1, "done": 1, "nobody": []}
    assert ask(desk, "doubt", window="w", unreadable=True)["entry"]["column"] == COLUMNS[0]
    row = marks(tmp_path / "class.csv", tmp_path / "key.json")[STUDENTS[0]]
    assert row.status == "look" and UNREADABLE in " ".join(row.remarks)


def test_a_paper_without_a_student_waits_for_its_number(tmp_path):
    path = key_file(tmp_path, [None] * 3)
    scan_folder(tmp_path / "scans", {CODES[0]: {COLUMNS[0]: "1"}})
    desk = reopened(tmp_path, path)
    assert group(desk) == ([], {"certain": 0, "doubtful": 0, "unreadable": 0, "done": 0, "nobody": [CODES[0]]})
    ask(desk, "save", student="", code=CODES[0], whose="s-9", cells={})
    assert [entry["text"] for entry in group(desk)[0]] == ["1"]


@pytest.mark.parametrize(("ticked", "is_certain"), [("", False), ("A", True), ("A, B", True)])
def test_a_choice_without_a_tick_is_shown_with_its_page(ticked, is_certain, tmp_path):
    desk = scanned(tmp_path, {CODES[0]: {"q3": ticked}})
    _, counts = group(desk)
    assert (counts["certain"], counts["doubtful"]) == (is_certain, not is_certain)


@pytest.mark.parametrize("differs", [True, False])
def test_entries_of_a_page_whose_scans_differ_are_doubtful(differs, tmp_path):
    path = key_file(tmp_path)
    data = scan_folder(tmp_path / "scans", {CODES[0]: {COLUMNS[0]: "1"}})
    paper = data["papers"][CODES[0]]
    paper["again"] = [{"page": 1, "differs": differs, "picture": "pages/again.png"}]
    other = png([bytearray(b"\x80" * 9)] * 9)
    (tmp_path / "scans" / "pages" / "again.png").write_bytes(other)
    (tmp_path / "scans" / "scan.json").write_text(json.dumps(data))
    desk = reopened(tmp_path, path)
    assert len(group(desk)[0]) == (not differs)
    doubt = ask(desk, "doubt", window="w")["entry"]
    assert bool(doubt) == differs
    if differs:
        assert doubt["isTwice"] and doubt["scan"]["pages"] == [[1, 1], [1, 2]]
        shown = ask(desk, "picture", code=CODES[0], page=1, scan=2)["url"]
        assert b64decode(shown.partition(",")[2]) == other
    assert "faults" in ask(desk, "picture", code=CODES[0], page=1, scan=3)


def test_the_room_of_a_step_is_the_place_of_all_its_entries(tmp_path):
    """Answers without boxes are typed beside the page."""
    path = key_file(tmp_path)
    data = scan_folder(tmp_path / "scans", {CODES[0]: {COLUMNS[0]: ""}})
    data["fields"][0] |= {"kind": "text", "column_name": "q1.S"}
    (tmp_path / "scans" / "scan.json").write_text(json.dumps(data))
    paper = ask(reopened(tmp_path, path), "paper", student=STUDENTS[0], code=CODES[0])
    rooms = {name for name in paper["cells"] if name.startswith("q1.S[")}
    box = data["fields"][0]["box"]
    assert rooms and paper["scan"]["places"] == {room: [1, *box] for room in rooms}


# -- folders that are none ---------------------------------------------------------------------------------------------


def fault_of(folder, change):
    """The message about a folder whose scan.json was changed."""
    data = scan_folder(folder / "scans", {CODES[0]: {COLUMNS[0]: "1", "q3": "A"}})
    change(data, folder)
    (folder / "scans" / "scan.json").write_text(json.dumps(data))
    with pytest.raises(AttncalcError) as refused:
        reopened(folder, key_file(folder))
    return str(refused.value)


def field_with(**change):
    return lambda data, _: data["fields"][0].update(change)


def paper_with(**change):
    return lambda data, _: data["papers"][CODES[0]].update(change)


def linked(data, folder):
    (folder / "secret.png").write_bytes(png([bytearray(b"\0" * 9)] * 9))
    (folder / "scans" / "link.png").symlink_to(folder / "secret.png")
    data["fields"][0]["picture"] = "link.png"


WRONG = [
    (field_with(picture="../key.png"), "expected a file inside the folder"),
    (field_with(picture="/etc/hostname.png"), "expected a file inside the folder"),
    (field_with(picture="..\\key.png"), "expected a file inside the folder"),
    (field_with(picture="scan.json"), "expected the name of a .png file"),
    (field_with(picture=7), "expected the name of a .png file"),
    (field_with(picture="fields/none.png"), "'fields/none.png' does not exist"),
    (linked, "expected a file inside the folder"),
    (field_with(text="1" * 99), "at most 60 printable characters"),
    (field_with(text="\u202e1"), "printable"),
    (field_with(text=None, confidence=1e400), "confidence: expected a number from 0 to 1"),
    (field_with(confidence=True), "confidence: expected a number from 0 to 1"),
    (field_with(box=[0, 0, 10]), "box: expected four numbers"),
    (field_with(box=[0, 0, 10, 10**400]), "box: expected four numbers"),
    (field_with(page=2), "the paper K7Q2 has no page 2"),
    (field_with(page=10**30), "page: expected a number from 1 to 1,000"),
    (field_with(kind="entri"), "did you mean entry?"),
    (field_with(column_name="q1.S[0,3]"), "this paper has no entry 'q1.S[0,3]'; did you mean q1.S[0,2]?"),
    (lambda data, _: data["fields"][1].update(option="z"), "option: expected one of ABC, found 'Z'"),
    (field_with(paper="M3XX"), "the paper 'M3XX' is not listed under papers"),
    (paper_with(student=7), "expected a student and pages"),
    (paper_with(again=[{"page": 1, "differs": True, "picture": "../key.png"}]), "expected a file inside the folder"),
    (paper_with(again=7), "again: expected a list"),
    (paper_with(pages={"x": "a.png"}), "page: expected a number"),
    (lambda data, _: data["papers"].update(ZZZZ=data["papers"][CODES[0]]), "paper ZZZZ: the key has no paper with this code"),
    (lambda data, _: data.update(papers=[]), "expected the keys papers: and fields:"),
    (lambda data, _: data.update(version=2), "expected JSON with version: 1"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG, ids=range(len(WRONG)))
def test_a_folder_that_scan_did_not_write_is_refused_with_the_field(change, message, tmp_path):
    fault = fault_of(tmp_path, change)
    assert message in fault and len(fault.splitlines()) == 1  # the fields of a faulty paper are not reported again


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b'{"version": 1' + b"1" * 5000, b"\xff\xfe"])
def test_json_that_is_none_is_refused(content, tmp_path, monkeypatch, capsys):
    path = key_file(tmp_path)
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "scan.json").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["attncalc", "answers", str(path), "--page", "--no-browser", "--scans", "scans"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and capsys.readouterr().err.startswith("scans/scan.json: expected JSON")


def bomb():
    raw = bytearray(png([bytearray(b"\0" * 9)] * 9))
    raw[16:24] = (MOST_PIXELS).to_bytes(4, "big") + (2).to_bytes(4, "big")
    return bytes(raw)


@pytest.mark.parametrize("content", [b"", b"<svg/>", bomb()])
def test_a_picture_that_is_none_is_refused_when_it_is_shown(content, tmp_path):
    desk = scanned(tmp_path, {CODES[0]: {COLUMNS[0]: "1"}})
    (tmp_path / "scans" / "fields" / CODES[0] / "0.png").write_bytes(content)
    assert "expected a complete PNG picture" in ask(desk, "group", window="w", most=40)["faults"][0]
    (tmp_path / "scans" / "fields" / CODES[0] / "0.png").unlink()
    assert "this picture does not exist" in ask(desk, "group", window="w", most=40)["faults"][0]


@pytest.mark.parametrize(
    "content", [b"[]", b'{"version": 1}', b'{"version": 1, "blank": {"K7Q2": [1]}, "doubtful": {}}']
)
def test_a_file_of_decisions_that_is_another_is_left_alone(content, tmp_path):
    path = key_file(tmp_path)
    scan_folder(tmp_path / "scans", {CODES[0]: {COLUMNS[0]: "1"}})
    (tmp_path / "class.confirmed.json").write_bytes(content)
    with pytest.raises(AttncalcError, match="found something else"):
        reopened(tmp_path, path)
    assert (tmp_path / "class.confirmed.json").read_bytes() == content


def test_pages_of_another_exam_are_not_read(tmp_path):
    columns = {"K7Q2": {"q1.S[0,0]": ""}}
    scan_folder(tmp_path / "scans", {"M3XX": {"q1.S[0,0]": "1"}})
    with pytest.raises(AttncalcError, match="is it the key of a different exam") as refused:
        read_scans(str(tmp_path / "scans"), columns)
    assert len(refused.value.faults) == 1


# -- in the browser ----------------------------------------------------------------------------------------------------


def confirmed(page, count):
    page.wait_for_function(
        "text => document.querySelector('.progress').textContent.startsWith(text)", arg=f"{count} of"
    )


@pytest.mark.needs("chromium")
def test_scans_are_confirmed_by_keyboard_alone(tmp_path, right):  # noqa: F811
    """From groups to doubtful entries, to the table, to points. One entry was read as another number."""
    texts = {code: right[code] | {"q3": "B"} for code in CODES}
    odd, hard, lost = (CODES[1], "q1.S[0,0]"), (CODES[2], "q1.Z[1,1]"), (CODES[0], "q1.Z[2,0]")
    key = key_file(tmp_path)
    scan_folder(tmp_path / "scans", texts, doubtful={hard, lost}, misread={odd: "7", hard: "9.99"})
    command = ["answers", "key.json", "--page", "--no-browser", "-o", "class.csv", "--scans", "scans"]
    with chromium() as browser, server(tmp_path, *command) as address, page_of(browser, address) as page:
        taken = False
        presses = 0
        while not page.locator("#reading").count():
            page.wait_for_selector(".tile")
            before = page.locator(".groups").inner_text()
            tile = page.locator(f".tile[title^='{odd[0]} · S, row 1, column 1']")
            if tile.count() and not taken:
                audited(page, "groups")
                tile.focus()
                page.keyboard.press("ArrowLeft")
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Space")
                assert tile.get_attribute("aria-pressed") == "true"
                taken = True
            while page.locator(".groups").count() and page.locator(".groups").inner_text() == before:
                page.wait_for_timeout(300)
                page.keyboard.press("Enter")
                presses += 1
                page.wait_for_timeout(200)
        assert taken and presses < 12
        for _ in range(3):
            heading = page.locator("h1").inner_text()
            code = page.locator(".confirm .fine").first.inner_text().split(" · ")[-1]
            if code == lost[0]:
                page.keyboard.type("?")
            elif (code, "7") == (odd[0], page.locator("#reading").input_value()):
                page.keyboard.type(texts[code]["q1.S[0,0]"])
            else:
                assert page.locator("#reading").input_value() == "9.99"
                audited(page, "doubt")
                page.keyboard.type(texts[code]["q1.Z[1,1]"])
            page.keyboard.press("Enter")
            page.wait_for_function("was => document.querySelector('h1').textContent !== was", arg=heading)
        page.wait_for_selector(".paired .matrix")
        audited(page, "scanned-paper")
        assert page.locator("#stages button").all_inner_texts() == ["Groups0", "Doubtful0", "Cannot be read1", "Papers"]
    table = table_of(tmp_path)
    assert table == {(code, name): text for code in CODES for name, text in texts[code].items()} | {lost: UNREADABLE}
    rows = {row.student: row.status for row in grade(str(key), [str(tmp_path / "class.csv")]).rows}
    assert rows[STUDENTS[0]] == "look"


@pytest.mark.needs("chromium")
def test_a_held_key_confirms_one_screen_and_shift_enter_takes_it_back(tmp_path):
    key_file(tmp_path)
    scan_folder(tmp_path / "scans", {code: dict(zip(COLUMNS, ["1"] * 15 + ["2"] * 5)) for code in CODES})
    command = ["answers", "key.json", "--page", "--no-browser", "-o", "class.csv", "--scans", "scans"]
    with chromium() as browser, server(tmp_path, *command) as address, page_of(browser, address) as page:
        confirmed(page, 0)
        page.wait_for_timeout(400)
        page.keyboard.down("Enter")
        for _ in range(20):
            page.keyboard.down("Enter")
        confirmed(page, 40)
        page.wait_for_timeout(400)
        assert len(table_of(tmp_path)) == 40
        page.keyboard.up("Enter")
        page.keyboard.press("Shift+Enter")
        confirmed(page, 0)
        assert table_of(tmp_path) == {} and page.locator(".tile").count() == 40
