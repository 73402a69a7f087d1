"""The recogniser reads entries of digits and fonts that it was not trained on, and any array gives a reading."""

from __future__ import annotations

import re
import time
from collections import Counter
from functools import cache
from itertools import groupby, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.scan import HIGH_CONFIDENCE
from attncalc.scan.recogniser import ENTRY, HEIGHT, SIGNS, WIDTH, Reading, label_probabilities, normalised, read_entries
from tests.support.sweeps import for_each

FILE = Path(__file__).parents[1] / "data" / "scan" / "entries.npz"


def stored():
    """Return the pictures of entries, and the text and the kind of each."""
    with np.load(FILE) as data:
        ends = np.cumsum(data["shapes"].astype(int).prod(axis=1))[:-1]
        pictures = [p.reshape(s) for p, s in zip(np.split(data["pixels"], ends), data["shapes"])]
        return pictures, list(zip(data["texts"].tolist(), data["kinds"].tolist()))


PICTURES, EXPECTED = stored()


@cache
def readings():
    return read_entries(PICTURES)


def certain(found):
    return [reading.confidence >= HIGH_CONFIDENCE for reading in found]


def right(found):
    return [(reading.text, reading.kind) == entry for reading, entry in zip(found, EXPECTED)]


def box(height=50, width=88, paper=235, border=90):
    """Return the picture of an empty box."""
    picture = np.full((height, width), paper, np.uint8)
    if border is not None:
        picture[3:5, 3:-3] = picture[-5:-3, 3:-3] = border
        picture[3:-3, 3:5] = picture[3:-3, -5:-3] = border
    return picture


def test_entries_are_read():
    assert len(PICTURES) == 100 and len({kind for _, kind in EXPECTED}) == 3
    assert sum(right(readings())) >= 90
    assert sum(certain(readings())) >= 55
    assert not [
        (reading, entry)
        for reading, entry, good in zip(readings(), EXPECTED, right(readings()))
        if not good and reading.confidence >= HIGH_CONFIDENCE
    ]


def test_a_text_is_an_entry():
    texts = [reading.text for reading in readings() if reading.kind == "text"]
    assert all(ENTRY.fullmatch(text) for text in texts)
    assert all(re.fullmatch("[-0-9./]*(inf)?", text) for text in texts)
    assert not [reading for reading in readings() if reading.kind != "text" and reading.text]


@for_each("paper", [255, 235, 200, 160])
@for_each("border", [None, 0, 60, 130])
@for_each("noise", [0, 2, 6])
def test_an_empty_box_is_empty(paper, border, noise):
    shadow = np.linspace(1, 0.8, 88)[None, :]
    picture = box(paper=paper, border=border) * shadow + np.random.default_rng(1).normal(0, noise, (50, 88))
    (reading,) = read_entries([np.clip(picture, 0, 255).astype(np.uint8)])
    assert (reading.text, reading.kind) == ("", "empty")


def test_a_reading_does_not_depend_on_its_neighbours():
    again = [read_entries([picture])[0] for picture in PICTURES[:20]]
    assert [(r.text, r.kind) for r in again] == [(r.text, r.kind) for r in readings()[:20]]
    assert [r.confidence for r in again] == pytest.approx([r.confidence for r in readings()[:20]], abs=1e-3)
    assert read_entries([]) == []


def moved(picture, down, across):
    """Return the picture moved by some pixels, its edge repeated."""
    rows = np.clip(np.arange(picture.shape[0]) - down, 0, picture.shape[0] - 1)
    columns = np.clip(np.arange(picture.shape[1]) - across, 0, picture.shape[1] - 1)
    return picture[rows][:, columns]


CHANGES = {
    "up": lambda p: moved(p, -2, 0),
    "down": lambda p: moved(p, 2, 0),
    "left": lambda p: moved(p, 0, -2),
    "right": lambda p: moved(p, 0, 2),
    "darker": lambda p: (p * 0.8).astype(np.uint8),
    "fainter": lambda p: (90 + p * 0.6).astype(np.uint8),
    "brighter": lambda p: np.clip(p * 1.1, 0, 255).astype(np.uint8),
    "larger": lambda p: np.repeat(np.repeat(p, 2, axis=0), 2, axis=1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_certain_text_stays(change):
    changed = read_entries([CHANGES[change](picture) for picture in PICTURES])
    differing = [
        (before, after)
        for before, after in zip(readings(), changed)
        if before.confidence >= HIGH_CONFIDENCE and (before.text, before.kind) != (after.text, after.kind)
    ]
    assert not [pair for pair in differing if pair[1].confidence >= HIGH_CONFIDENCE]
    assert len(differing) <= 1


@given(
    shape=st.lists(st.integers(0, 70), max_size=4),
    kind=st.sampled_from([np.uint8, np.bool_, np.int16, np.float32, np.float64, np.complex64]),
    seed=st.integers(0, 99),
)
def test_any_array_has_a_reading(shape, kind, seed):
    (reading,) = read_entries([np.random.default_rng(seed).integers(0, 256, shape).astype(kind)])
    assert isinstance(reading, Reading) and 0 <= reading.confidence <= 1
    if kind is not np.uint8 or len(shape) != 2 or min(shape, default=0) < 8:
        assert reading == Reading("", 0.0, "unclear")


@pytest.mark.parametrize("shape", [(8, 20000), (20000, 8), (6000, 6000)])
def test_a_huge_picture_takes_no_long_time(shape):
    start = time.process_time()
    (reading,) = read_entries([np.random.default_rng(1).integers(0, 256, shape, np.uint8)])
    assert time.process_time() - start < 2
    assert 0 <= reading.confidence <= 1


def test_ink_is_normalised():
    picture = box(border=None)
    picture[20:30, 30:34] = 20
    ink = normalised(picture)
    assert ink.shape == (HEIGHT, WIDTH) and ink.min() == 0 and 0.95 < ink.max() <= 1
    assert 40 < ink.sum() < 60


def test_noise_is_not_read_with_high_confidence():
    random = np.random.default_rng(3)
    pictures = [random.integers(0, 256, (50, 88), np.uint8) for _ in range(40)]
    assert not any(
        reading.kind == "text" and reading.confidence >= HIGH_CONFIDENCE for reading in read_entries(pictures)
    )


@given(st.sampled_from([("1", 5), ("17", 2)]), st.data())
def test_the_probability_of_a_label_is_that_of_all_its_alignments(case, data):
    signs, length = case
    outputs = [SIGNS.index(sign) for sign in signs] + [len(SIGNS)]
    weights = [
        data.draw(st.lists(st.integers(1, 9), min_size=len(outputs), max_size=len(outputs))) for _ in range(length)
    ]
    probabilities = np.full((length, len(SIGNS) + 1), 1e-9, np.float32)
    probabilities[:, outputs] = np.array(weights) / np.sum(weights, axis=1, keepdims=True)
    expected = Counter()
    for alignment in product(outputs, repeat=length):
        label = "".join(SIGNS[sign] for sign, _ in groupby(alignment) if sign < len(SIGNS))
        expected[label] += float(np.prod(probabilities[range(length), alignment]))
    results = {label: p for label, p in label_probabilities(np.log(probabilities)).items() if p}
    assert results == pytest.approx(expected, rel=1e-3)
