"""Scans of a class: every page finds its paper, every picture shows what was drawn, and nothing bad stops the rest."""

from __future__ import annotations

import json
import random
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from attncalc import AttncalcError
from attncalc.exam.paper_build import exam
from attncalc.scan import HIGH_CONFIDENCE
from attncalc.scan.class_scan import ClassScan, scan
from attncalc.scan.positions import read_positions
from attncalc.scan.scan_folder import read_scans
from tests.support import scanner
from tests.support.called import called
from tests.support.sweeps import for_each

SHEET = """\
title: Quiz
seed: 5e81c70b3fa2964d5e81c70b3fa2964e
students: [s-1, s-2, s-3]
rounding: {digits: 2}
scan: true
questions:
  - {generate: attention, with: {tokens: 3, d_k: 2}, asked: [S], space: 0}
  - {ask: Which?, choices: [{right: this}, {wrong: that}, {wrong: these}], points: 1}
  - {ask: Why?, free_text: "", points: 2, space: 12cm}
  - {ask: Which are?, choices: [{right: this}, {right: that}], points: 1}
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("scanned")
    (home / "quiz.yaml").write_text(SHEET)
    exam(str(home / "quiz.yaml"), str(home / "out"), jobs=1)
    return home / "out"


@pytest.fixture(scope="session")
def key(folder) -> dict:
    return json.loads((folder / "key.json").read_text())


@pytest.fixture
def pages(folder, key) -> list[scanner.Page]:
    """Empty pages in the order of the papers."""
    shown = scanner.pages_of(folder, key)
    assert len(shown) == 6
    return shown


def read(folder: Path, files: list[Path], staged: Path) -> ClassScan:
    return scan(read_positions(str(folder / "key.json")), list(map(str, files)), str(staged), jobs=1)


def problems(result: ClassScan) -> str:
    return "\n".join(map(str, result.problems))


def number_of(record: dict) -> int:
    return int(Path(record["picture"]).name[:3])


def likeness(first: np.ndarray, second: np.ndarray) -> float:
    """How much the ink in two pictures is in the same places; at most 1."""
    first = cv2.resize(first, second.shape[::-1], interpolation=cv2.INTER_AREA)
    inks = [cv2.GaussianBlur(255.0 - image, (0, 0), 1.2)[3:-3, 3:-3].ravel() for image in (first, second)]
    return float(np.corrcoef(*inks)[0, 1])


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("seed", range(12))
def test_every_page_finds_its_paper_and_every_field_its_ink(folder, key, tmp_path, seed):
    rng = random.Random(seed)
    dpi = rng.choice((150, 200, 300))
    pages = [scanner.fill(page, rng) for page in scanner.pages_of(folder, key, dpi)]
    shuffled = rng.sample(pages, len(pages))
    scans = [scanner.badly_scanned(page.image, rng) for page in shuffled]
    files = [scanner.write_pdf(tmp_path / "a.pdf", scans[:3], dpi), tmp_path / "b.png", tmp_path / "c.tif"]
    Image.fromarray(scans[3]).save(files[1])
    first, *others = map(Image.fromarray, scans[4:])
    first.save(files[2], save_all=True, append_images=others)
    result = read(folder, files, tmp_path / "staged")
    assert not [p for p in result.problems if "crosses the border" not in p.message]
    assert len(result.scanned) == 3 and not result.incomplete and not result.unknown
    for page in pages:
        picture = cv2.imread(
            str(tmp_path / "staged" / "pages" / f"{page.code}-{page.number}.png"), cv2.IMREAD_GRAYSCALE
        )
        assert picture.shape == (1754, 1240)
    drawn = {(page.code, number): text for page in pages for number, text in page.drawn.items()}
    sheets = {(page.code, page.number): page.image for page in pages}
    for record in result.fields:
        text = drawn.get((record["paper"], number_of(record)), "")
        if record["kind"] == "tick":
            assert record["text"] == text and record["confidence"] > 0.9
        assert (record["ink"] > 0.001) == bool(text)
        if text and record["kind"] != "text":
            place = key["scan"]["papers"][record["paper"]]["fields"][number_of(record)]
            box = [round(length * dpi / 25.4) for length in place["box"]]
            drawing = sheets[record["paper"], record["page"]][box[1] : box[1] + box[3], box[0] : box[0] + box[2]]
            left, top, width, height = record["box"]
            page = cv2.imread(str(tmp_path / "staged" / "pages" / f"{record['paper']}-{record['page']}.png"), 0)
            shown = page[top : top + height, left : left + width]
            assert likeness(drawing, shown) > 0.8, record


def test_a_page_that_is_scanned_again_is_kept_and_different_ink_is_marked_by_nobody(folder, key, pages, tmp_path):
    rng = random.Random(3)
    first = scanner.fill(pages[0], rng, share=1)
    again = scanner.pages_of(folder, key)[0]
    changed = scanner.Page(first.code, 1, 150, first.image.copy(), first.fields)
    left, top, *_ = (round(length * 150 / 25.4) for length in dict(first.fields)[0]["box"])
    changed.image[top + 15 : top + 22, left + 20 : left + 80] = 40
    scans = [scanner.scanned(page.image, rng, angle=angle) for page, angle in ((first, 1), (first, -2))]
    same = read(folder, [scanner.write_pdf(tmp_path / "same.pdf", scans)], tmp_path / "same")
    paper = same.papers[first.code]
    assert [(each.page, each.differs, each.scanned.number) for each in paper.repeated] == [(1, False, 2)]
    assert paper.missing == [2] and problems(same) == f"paper {first.code} has no page 2"
    assert any(record["text"] for record in same.fields)
    for other in (changed, again):
        name = f"other-{other is again}"
        images = [scans[0], scanner.scanned(other.image, rng, angle=3)]
        result = read(folder, [scanner.write_pdf(tmp_path / f"{name}.pdf", images)], tmp_path / name)
        assert (
            f"{name}.pdf: page 2: page 1 of paper {first.code} was scanned again, with different writing"
            in problems(result)
        )
        assert {(record["text"], record["confidence"]) for record in result.fields} == {("", 0.0)}
        names = sorted(path.name for path in (tmp_path / name / "pages").iterdir())
        assert names == [f"{first.code}-1-2.png", f"{first.code}-1.png"]


def test_a_second_scan_with_other_pencil_writing_differs(folder, key, tmp_path):
    first, again = (scanner.pages_of(folder, key)[0] for _ in range(2))
    scanner.draw(again, 0, [(0.1, 0.5), (0.5, 0.2), (0.8, 0.8)], grey=190)
    scans = [scanner.scanned(page.image, random.Random(7)) for page in (first, again)]
    result = read(folder, [scanner.write_pdf(tmp_path / "a.pdf", scans)], tmp_path)
    assert "scanned again, with different writing" in problems(result)


CROSS = [(0.15, 0.15), (0.85, 0.85)], [(0.15, 0.85), (0.85, 0.15)]
TICKS = {  # what is drawn into a box, and whether it is ticked: None if a person should look
    "a cross": (CROSS, {}, True),
    "a long tick": ([[(0.2, 0.4), (0.4, 0.9), (1.4, -1.5)]], {}, True),
    "nothing": ([], {}, False),
    "a tick in pencil": (CROSS, {"grey": 190}, None),
    "a tick that was erased": (CROSS, {"grey": 205}, None),
    "a black box": ([[(0, 0.5), (1, 0.5)]], {"pen": 4.8}, None),
    "a tick that is crossed out": (
        [*CROSS, *([(-0.2, y), (1.2, 1 - y)] for y in (0, 0.2, 0.4, 0.6, 0.8, 1))],
        {},
        None,
    ),
}


@pytest.mark.parametrize("name", TICKS)
def test_what_is_in_a_box_is_a_tick(name, folder, key, tmp_path):
    lines, how, is_ticked = TICKS[name]
    page = scanner.pages_of(folder, key)[0]
    number = next(number for number, place in page.fields if place["kind"] == "tick")
    scanner.draw(page, number, *lines, **how)
    scans = [scanner.scanned(page.image, random.Random(8))]
    result = read(folder, [scanner.write_pdf(tmp_path / "a.pdf", scans)], tmp_path)
    (record,) = (record for record in result.fields if number_of(record) == number)
    is_certain = record["confidence"] >= HIGH_CONFIDENCE
    assert is_certain == (is_ticked is not None)
    assert record["text"] == ("" if is_ticked is False else "x")


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("seed", range(16))
def test_law_what_is_certain_on_a_tilted_page_is_what_was_written(seed, folder, key, tmp_path):
    """The page is read, or reported; and no box is read with certainty that is not where it was printed."""
    rng = random.Random(seed)
    page = scanner.fill(scanner.pages_of(folder, key)[0], rng, share=0.8)
    image = scanner.tilted(page.image, rng.choice((0, 2, 5, 9)), seed // 4 % 4, (None, 0, 2, 3)[seed % 4])
    result = read(folder, [scanner.write_pdf(tmp_path / "a.pdf", [scanner.scanned(image, rng, noise=2)])], tmp_path)
    assert len(result.unknown) + len(result.scanned) == 1
    if result.unknown:
        assert f"paper {page.code}, page 1" in problems(result) and not result.fields
    for record in result.fields:
        if record["confidence"] >= HIGH_CONFIDENCE:
            assert record["text"] == page.drawn.get(number_of(record), "").replace(",", "."), record


def test_an_entry_written_across_its_border_is_named_and_shown_whole(folder, pages, tmp_path):
    rng = random.Random(5)
    page = scanner.fill(pages[0], rng, share=0.4)
    number = next(number for number, place in page.fields if place["kind"] == "entry" and number not in page.drawn)
    scanner.strike(page, number)
    result = read(
        folder, [scanner.write_pdf(tmp_path / "a.pdf", [scanner.scanned(page.image, rng, angle=2)])], tmp_path
    )
    records = {number_of(record): record for record in result.fields}
    assert f"a.pdf: page 1: the writing in the entry {records[number]['column_name']} crosses" in problems(result)
    assert problems(result).count("across") <= 2
    assert records[number]["confidence"] <= 0.5
    other = next(n for n, record in records.items() if record["kind"] == "entry" and n != number)
    shapes = [cv2.imread(str(tmp_path / records[n]["picture"])).shape for n in (number, other)]
    assert shapes[0][0] > shapes[1][0] + 15


def test_two_pages_in_one_picture_are_both_read(folder, pages, tmp_path):
    image = np.hstack([pages[0].image, pages[3].image])
    Image.fromarray(scanner.scanned(image, random.Random(1))).save(tmp_path / "two.png")
    result = read(folder, [tmp_path / "two.png"], tmp_path / "staged")
    assert {(paper.code, *paper.pages) for paper in result.scanned} == {
        (pages[k].code, pages[k].number) for k in (0, 3)
    }


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", b"x")
    )


ENCRYPTED = b"""%%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[]/Count 0>> endobj
trailer <</Root 1 0 R/Size 3/ID[<00><00>]/Encrypt <</Filter/Standard/V 1/R 2/P -4/O(%b)/U(%b)>>>>
%%%%EOF""" % (b"a" * 32, b"b" * 32)
BAD = {
    "encrypted.pdf": (ENCRYPTED, "encrypted.pdf: the PDF is encrypted"),
    "damaged.pdf": (b"%PDF-1.7\nnothing else", "damaged.pdf: the PDF is damaged"),
    "bomb.png": (png(60_000, 60_000), "bomb.png: expected a picture of at most 100,000,000 pixels"),
    "large.png": (png(12_000, 12_000), "large.png: expected a picture of at most 100,000,000 pixels"),
    "broken.png": (png(1_000, 1_000), "broken.png: page 1: this page is damaged"),
    "text.png": (b"hello", "text.png: expected a PDF, or a picture in PNG, JPEG or TIFF"),
    "empty.jpg": (b"", "empty.jpg: expected a file of at most 4,000,000,000 bytes, found an empty file"),
    "folder": (None, "folder: expected a PDF or a picture, found a folder"),
}


@pytest.fixture(scope="module")
def bad_run(folder, key, tmp_path_factory):
    """A run of the command with every bad file, next to good pages."""
    home = tmp_path_factory.mktemp("bad")
    rng = random.Random(2)
    for name, (content, _) in BAD.items():
        (home / name).mkdir() if content is None else (home / name).write_bytes(content)
    pages = scanner.pages_of(folder, key)
    white = np.full((1754, 1240), 250, np.uint8)
    foreign = pages[2].image.copy()
    foreign[40:80, 1000:1130] = 255  # no code
    torn = pages[3].image.copy()
    torn[1500:], torn[:110, :900] = 255, 255  # three of four marks
    good = [scanner.scanned(page.image, rng) for page in pages[:2]]
    scanner.write_pdf(
        home / "good.pdf", [good[0], white, scanner.scanned(foreign, rng), scanner.scanned(torn, rng), good[1]]
    )
    whole = (home / "good.pdf").read_bytes()
    Image.fromarray(good[0]).save(home / "cut.jpg")
    (home / "cut.jpg").write_bytes((home / "cut.jpg").read_bytes()[:20_000])
    assert whole.startswith(b"%PDF")
    other = json.loads(json.dumps(key))
    for paper in other["scan"]["papers"].values():
        paper["codes"] = [code[:6] + "9999" for code in paper["codes"]]
    (home / "other.json").write_text(json.dumps(other))
    files = [str(home / name) for name in (*BAD, "cut.jpg", "good.pdf")]
    arguments = ["scan", str(folder / "key.json"), *files, "-o", str(home / "class"), "--jobs", "1", "--to", "json"]
    return home, called(*arguments)


@for_each("name", BAD)
def test_a_bad_file_is_named(bad_run, name):
    home, run = bad_run
    assert f"{home}/{BAD[name][1]}" in run[2]


def test_the_rest_is_read_and_nothing_is_lost(bad_run, pages, folder):
    home, run = bad_run
    assert run[0] == 1 and "Traceback" not in run[2]
    assert f"{home}/cut.jpg: page 1: this page is damaged" in run[2]
    assert f"{home}/good.pdf: page 3: no paper code can be read" in run[2]
    assert f"{home}/good.pdf: page 4: fewer than three of the marks" in run[2]
    data = json.loads((home / "class" / "scan.json").read_text())
    assert {*data["papers"][pages[0].code]["pages"]} == {"1", "2"}
    shown = [unknown["picture"] for unknown in data["unknown"]]
    assert len(shown) == 4 and sum(map(bool, shown)) == 2
    pictures = [*filter(None, shown), *(record["picture"] for record in data["fields"])]
    pictures += [picture for paper in data["papers"].values() for picture in paper["pages"].values()]
    assert all((home / "class" / name).is_file() for name in pictures)
    columns = {
        code: {field["column_name"]: "ABC" for field in paper["fields"]}
        for code, paper in json.loads((folder / "key.json").read_text())["scan"]["papers"].items()
    }
    scans = read_scans(str(home / "class"), columns)  # of the page on which answers are confirmed
    assert len(scans.fields) == len(data["fields"]) and {*scans.papers} == {*data["papers"]}
    assert json.loads(run[1])["counts"]["blank pages"] == 1


def drawing_without_end() -> bytes:
    """A PDF of 2 kB whose forms contain each other ten times: a page of a billion rectangles."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        b"<</Length 5>>stream\n/F Do\nendstream",
    ]
    for number in range(6, 15):
        inner, content = b"/Resources<</XObject<</F %d 0 R>>>>" % number, b"/F Do " * 10
        if number == 14:
            inner, content = b"", b"0 0 500 800 re f " * 10
        form = b"<</Type/XObject/Subtype/Form/BBox[0 0 595 842]%b/Length %d>>" % (inner, len(content))
        objects.append(form + b"stream\n%b\nendstream" % content)
    return (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj\n%b\nendobj\n" % each for each in enumerate(objects, 1))
        + b"trailer<</Root 1 0 R>>"
    )


@pytest.mark.slow
def test_a_page_that_takes_too_long_ends_its_process_and_the_rest_is_read(folder, tmp_path):
    (tmp_path / "endless.pdf").write_bytes(drawing_without_end())
    papers = sorted(map(str, folder.glob("paper-*.pdf")))
    key = read_positions(str(folder / "key.json"))
    result = scan(key, [str(tmp_path / "endless.pdf"), *papers], str(tmp_path / "staged"), jobs=2)
    assert "endless.pdf: page 1: this page takes too much time" in problems(result)
    assert len(result.scanned) == 3 and not result.incomplete


def test_a_folder_of_scans_is_not_replaced_silently(bad_run, folder):
    home, _ = bad_run
    before = sorted((path, path.stat().st_mtime_ns) for path in (home / "class").rglob("*"))
    arguments = ["scan", str(folder / "key.json"), str(home / "good.pdf"), "-o", str(home / "class"), "--jobs", "1"]
    code, _, err = called(*arguments)
    assert code == 2 and "--force" in err
    assert before == sorted((path, path.stat().st_mtime_ns) for path in (home / "class").rglob("*"))


def test_a_page_of_another_exam_is_not_read(bad_run, tmp_path):
    home, _ = bad_run
    result = scan(read_positions(str(home / "other.json")), [str(home / "good.pdf")], str(tmp_path), jobs=1)
    assert not result.scanned and "good.pdf: page 1: this is a page of a different exam" in problems(result)


def test_files_without_a_page_are_an_error(bad_run, folder, tmp_path):
    home, _ = bad_run
    for names in (["damaged.pdf"], ["absent.pdf", "good.pdf"]):
        arguments = [str(home / name) for name in names]
        code, out, err = called("scan", folder / "key.json", *arguments, "-o", tmp_path / "o", "--jobs", "1")
        assert (code, out) == (2, "") and not (tmp_path / "o").exists()
        assert len(err.splitlines()) == 1 and names[0] in err


CHANGES = {
    "no section": (lambda scan: {"version": 2}, "expected version: 1"),
    "a box outside the page": (lambda scan: _with(scan, box=[205, 10, 20, 5]), "expected the positions"),
    "a box of texts": (lambda scan: _with(scan, box=["a", 1, 2, 3]), "expected the positions"),
    "a box that is no number": (lambda scan: _with(scan, box=[float("nan"), 1, 2, 3]), "expected the positions"),
    "an unknown kind": (lambda scan: _with(scan, kind="drawing"), "expected the positions"),
    "a page that is not there": (lambda scan: _with(scan, page=99), "expected the positions"),
    "an unknown paper": (lambda scan: scan | {"papers": {"../x": next(iter(scan["papers"].values()))}}, "expected the positions"),
    "three marks": (lambda scan: scan | {"marks": scan["marks"][:3]}, "expected the positions"),
    "papers in a list": (lambda scan: scan | {"papers": []}, "expected the positions"),
    "another page size": (lambda scan: scan | {"page": [1e9, 1e9]}, "expected the positions"),
    "codes of nothing": (lambda scan: scan | {"papers": {c: p | {"codes": ["x"]} for c, p in scan["papers"].items()}}, "expected the positions"),
}  # fmt: skip


def _with(scan: dict, **change: object) -> dict:
    copy = json.loads(json.dumps(scan))
    next(iter(copy["papers"].values()))["fields"][0] |= change
    return copy


@pytest.mark.parametrize("change", CHANGES)
def test_a_key_with_other_positions_is_refused(key, tmp_path, change):
    make, message = CHANGES[change]
    (tmp_path / "key.json").write_text(json.dumps(key | {"scan": make(key["scan"])}))
    with pytest.raises(AttncalcError, match=message):
        read_positions(str(tmp_path / "key.json"))


def test_a_key_without_positions_says_how_to_get_them(key, tmp_path):
    (tmp_path / "key.json").write_text(json.dumps({name: value for name, value in key.items() if name != "scan"}))
    with pytest.raises(AttncalcError, match="add `scan: true` to the exam sheet"):
        read_positions(str(tmp_path / "key.json"))


def test_missing_packages_are_named_with_their_command(folder, monkeypatch, tmp_path):
    monkeypatch.setattr("attncalc.cli.scan.PACKAGES", ("no_such_package",))
    code, _, err = called("scan", folder / "key.json", "a.pdf", "-o", tmp_path / "o")
    assert code == 2 and "pip install 'attncalc[scan]'" in err


def test_a_paper_to_try_a_scanner_is_written_and_can_be_scanned(tmp_path):
    code, out, err = called("scan", "--try", "-o", tmp_path / "trial")
    assert (code, err) == (0, "") and "print this paper" in out
    key = json.loads((tmp_path / "trial" / "key.json").read_text())
    (page,) = scanner.pages_of(tmp_path / "trial", key)
    scanner.fill(page, random.Random(1), share=1.0)
    scanner.write_pdf(tmp_path / "scan.pdf", [page.image])
    code, out, err = called("scan", tmp_path / "trial" / "key.json", tmp_path / "scan.pdf", "-o", tmp_path / "read")
    assert code == 0, err
    fields = json.loads((tmp_path / "read" / "scan.json").read_text())["fields"]
    assert {each["kind"] for each in fields} == {"entry", "tick"} and all(each["ink"] > 0.01 for each in fields)


@pytest.mark.parametrize("words", [("-o", "x"), ("key.json", "-o", "x"), ("--try", "key.json", "-o", "x")])
def test_a_scan_without_its_files_is_refused(words):
    code, out, err = called("scan", *words)
    assert (code, out) == (2, "") and "expected" in err
