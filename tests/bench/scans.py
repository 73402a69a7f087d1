"""Measures a class of synthetic scans, from the papers to the confirmed entries (docs/validation/recogniser.md).

    pip install 'attncalc[scan]' scikit-image fonttools brotli
    python -m tests.bench.scans node_modules FOLDER 300    # papers

`tests/bench/train_recogniser.py` names the packages with the digits and fonts. Of these, only the digits and fonts of
the test are used. Each paper has entries of three tokens and questions to tick. Half of the papers are written in one
font each, the others with MNIST's digits. The scans are rotated by up to 5 degrees or turned, with 150 to 300 dpi,
shadows, folds, stray marks and strong JPEG.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from PIL import Image

from attncalc.data_entry.app import SCREEN, Item, items_of, screen
from attncalc.exam.paper_build import exam
from attncalc.scan import HIGH_CONFIDENCE
from attncalc.scan.scan_folder import read_scans
from tests.bench.recogniser_pictures import Hands, hands, text_of, write_entry
from tests.support import scanner

SHEET = """\
title: A class
variants: {papers}
seed: 5e81c70b3fa2964d5e81c70b3fa2964e
rounding: {{digits: 2}}
scan: true
questions:
  - {{generate: attention, with: {{tokens: 3, d_k: 2}}, asked: [S, A, Z]}}
  - {{generate: attention, with: {{tokens: 3, d_k: 2}}, asked: [S]}}
  - {{ask: Which?, choices: [{{right: this}}, {{wrong: that}}, {{wrong: these}}, {{wrong: none}}], points: 1}}
  - {{ask: Which are?, choices: [{{right: this}}, {{right: that}}, {{wrong: none}}], several: true, points: 1}}
"""
MARGIN, BOX = 24, (165, 94)  # pixels around a box of `write_entry`, and the size of this box
SCREEN_TIME, PICTURE_TIME, TYPED_TIME = 1.0, 0.25, 2.0  # seconds; assumptions
NOTICED = 1 / 3  # of the odd pictures in a group
DPI = (150, 200, 300)


def write(page: scanner.Page, everybody: Hands, hand: int, random: np.random.Generator, rng: Random) -> dict[int, Any]:
    """Write into the fields of a page, and return the text of each entry and whether each box is ticked."""
    fonts = everybody.fonts
    own = Hands(everybody.digits, [fonts[hand // 2 % len(fonts)]])
    source = "written" if hand % 2 else "font"
    truth: dict[int, Any] = {}
    ticks = [number for number, place in page.fields if place["kind"] == "tick"]
    ticked = {number for number in ticks if rng.random() < 0.35}
    scale = page.dpi / 25.4
    for number, place in page.fields:
        left, top, width, height = (length * scale for length in place["box"])
        if place["kind"] == "entry":
            ink, label, kind, _ = write_entry(own, random, source, harsh=False)
            truth[number] = [text_of(label) if kind in ("text", "corrected") else "", kind]
            factors = width / BOX[0], height / BOX[1]
            size = tuple(round(side * factor) for side, factor in zip(ink.shape[::-1], factors))
            strength = cv2.resize(ink, size, interpolation=cv2.INTER_AREA) / 255.0 * rng.uniform(0.65, 1)
            x, y = round(left - MARGIN * factors[0]), round(top - MARGIN * factors[1])
            part = page.image[y : y + size[1], x : x + size[0]]
            part[:] = np.minimum(part, 255 - strength[: part.shape[0], : part.shape[1]] * 230).astype(np.uint8)
        elif place["kind"] == "tick":
            truth[number] = number in ticked
    kept = page.fields
    page.fields = [(number, place) for number, place in kept if number in ticked]
    scanner.fill(page, rng, share=1.0)
    page.fields = kept
    return truth


def worn(image: np.ndarray, rng: Random) -> np.ndarray:
    """Add folds and stray marks."""
    image = image.copy()
    height, width = image.shape
    for _ in range(rng.choice((0, 0, 1, 2))):
        start = rng.uniform(0, height)
        end = start + rng.uniform(-0.05, 0.05) * height
        layer = np.zeros_like(image)
        cv2.line(layer, (0, round(start)), (width, round(end)), 255, max(1, width // 800), cv2.LINE_AA)
        image = np.clip(image - cv2.GaussianBlur(layer, (0, 0), width / 900) * rng.uniform(0.1, 0.4), 0, 255)
        image = image.astype(np.uint8)
    for _ in range(rng.choice((0, 0, 0, 2))):  # stray marks, outside of the fields in most cases
        x, y, length = rng.uniform(0, width), rng.uniform(0, height), width / 60
        end = round(x + rng.uniform(-length, length)), round(y + rng.uniform(-length, length))
        cv2.line(image, (round(x), round(y)), end, 90, max(1, width // 900), cv2.LINE_AA)
    return image


def draw(packages: Path, folder: Path, papers: int) -> None:
    """Write the papers, their scans and what is written in them."""
    (folder / "sheet.yaml").write_text(SHEET.format(papers=papers))
    exam(str(folder / "sheet.yaml"), str(folder / "made"), jobs=1)
    key = json.loads((folder / "made" / "key.json").read_text())
    everybody = hands(packages, folder, "test")
    scans = folder / "scans"
    scans.mkdir()
    truth: dict[str, dict[int, Any]] = {}
    for hand, code in enumerate(key["scan"]["papers"]):
        rng, random = Random(hand), np.random.default_rng([7, hand])
        one = {"scan": {"papers": {code: key["scan"]["papers"][code]}}}
        truth[code] = {}
        for page in scanner.pages_of(folder / "made", one, rng.choice(DPI)):
            truth[code] |= write(page, everybody, hand, random, rng)
            image = scanner.badly_scanned(worn(page.image, rng), rng)
            Image.fromarray(image).save(scans / f"{rng.randrange(10**9):09}.jpg", quality=90, dpi=(page.dpi, page.dpi))
    (folder / "truth.json").write_text(json.dumps(truth))


def read(folder: Path) -> tuple[int, float, float]:
    """Scan with one process, and return the pages, the seconds of the processor and the megabytes."""
    files = sorted(str(path) for path in (folder / "scans").iterdir())
    command = ["attncalc", "scan", str(folder / "made" / "key.json"), *files, "-o", str(folder / "class")]
    subprocess.run([sys.executable, "-m", *command, "--jobs", "1", "--force"], stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return len(files), used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / max(whole, 1):.2%})"


def report(folder: Path, pages: int, seconds: float, megabytes: float) -> None:
    truth = json.loads((folder / "truth.json").read_text())
    data = json.loads((folder / "class" / "scan.json").read_text())
    found = sum(len(paper["pages"]) for paper in data["papers"].values())
    print(f"pages that found their paper: {share(found, pages)}")
    ticks = entries = right_ticks = wrong = high = high_wrong = 0
    texts: dict[str, str] = {}
    for field in data["fields"]:
        written = truth[field["paper"]][str(int(Path(field["picture"]).name[:3]))]
        if field["kind"] == "tick":
            ticks += 1
            right_ticks += bool(field["text"]) == written
        elif field["kind"] == "entry":
            text, kind = written
            texts[field["picture"]] = text if kind not in ("illegible", "overwritten") else "?"
            is_wrong = field["text"] != text
            entries += 1
            wrong += is_wrong
            is_high = field["confidence"] >= HIGH_CONFIDENCE
            high += is_high
            high_wrong += is_high and is_wrong
    print(f"boxes read right: {share(right_ticks, ticks)}")
    print(f"entries read wrong: {share(wrong, entries)}")
    print(f"entries with high confidence: {share(high, entries)}")
    print(f"entries read wrong with high confidence: {share(high_wrong, entries)}")
    confirm(folder, texts, len(truth))
    print(f"processor time of a page: {seconds / pages:.3f} s, so {150 * 5 * seconds / pages:.0f} s for 150 x 5 pages")
    print(f"memory of the process: {megabytes:.0f} MB")


def confirm(folder: Path, texts: dict[str, str], papers: int) -> None:
    """Confirm all entries as an assistant does who sees one odd picture in three."""
    rng = Random(1)
    columns: dict[str, dict[str, str]] = {}  # with the letters that can be ticked
    for field in json.loads((folder / "class" / "scan.json").read_text())["fields"]:
        letters = columns.setdefault(field["paper"], {})
        letters[field["column_name"]] = letters.get(field["column_name"], "") + field["option"]
    items = items_of(read_scans(str(folder / "class"), columns), lambda text: text).values()
    certain = {item.place: item for item in items if item.is_certain}
    doubtful = [item for item in items if not item.is_certain]
    screens = keys = left_wrong = 0
    seconds = 0.0

    def is_odd(item: Item) -> bool:
        return item.kind == "entry" and texts[item.fields[0].picture] != item.text

    while certain:
        shown = [item for group in screen(certain.values(), SCREEN) for item in group]
        screens += 1
        keys += 1
        seconds += SCREEN_TIME + PICTURE_TIME * len(shown)
        for item in shown:
            del certain[item.place]
            if is_odd(item) and rng.random() < NOTICED:
                doubtful.append(item)
                keys += 1
            else:
                left_wrong += is_odd(item)
    for item in doubtful:
        typed = texts[item.fields[0].picture] if is_odd(item) else ""
        seconds += SCREEN_TIME + PICTURE_TIME + (TYPED_TIME if typed else 0)
        keys += 1 + len(typed)
    print(f"entries wrong after confirming: {share(left_wrong, len(texts))}")
    print(f"to confirm a paper: {seconds / papers:.1f} s, {keys / papers:.1f} keys, {screens / papers:.2f} screens")
    print(
        f"all entries typed: {TYPED_TIME * len(texts) / papers:.0f} s for a paper; {len(doubtful) / papers:.1f} doubtful"
    )


def main() -> None:
    packages, folder, papers = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(exist_ok=True)
    if not (folder / "truth.json").exists():
        draw(packages, folder, papers)
    report(folder, *read(folder))


if __name__ == "__main__":
    main()
