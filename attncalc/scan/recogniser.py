"""Reads pictures of handwritten entries with a small convolutional network, which NumPy evaluates.

`tests/bench/train_recogniser.py` makes `weights.npz`, and docs/validation/recogniser.md has the measured errors.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Kind = Literal["text", "empty", "crossed out", "unclear"]
Content = tuple[str, Kind]

HEIGHT, WIDTH = 56, 96  # pixels of a picture that the network reads
SIGNS = "0123456789-./∞infX?"  # X: a crossed-out number, ?: a sign that entries lack; the last output means no sign
# Strides of each layer, down and across
STRIDES = ((2, 2), (2, 1), (2, 1), (1, 1), (2, 1), (1, 1), (1, 1), (1, 1), (1, 1))
MOST_PIXELS = 1024  # pixels of a side; of a larger picture, some rows and columns are left out
FAINTEST = 60.0  # grey levels between paper and ink; a smaller difference is faint ink
BATCH = 64
LABELS = 6  # labels that the search keeps
LEAST_PROBABLE = 0.001  # probability; less probable signs are not tried
UNCLEAR: Content = ("", "unclear")
ENTRY = re.compile(r"-?(∞|inf|\d+(\.\d*)?|\.\d+|\d+/\d+)|-")


@dataclass(frozen=True)
class Reading:
    """The content of a picture. `confidence` is the share of right readings among readings with the same evidence."""

    text: str
    confidence: float
    kind: Kind


def read_entries(pictures: Sequence[npt.NDArray[np.uint8]]) -> list[Reading]:
    """Read grey pictures of boxes (0 is black) of about 14 by 8 mm."""
    readings: list[Reading] = []
    for start in range(0, len(pictures), BATCH):
        batch = pictures[start : start + BATCH]
        readable = [number for number, picture in enumerate(batch) if _is_picture(picture)]
        results = [Reading("", 0.0, "unclear")] * len(batch)
        if readable:
            inputs = np.stack([normalised(batch[number]) for number in readable])
            for number, logs in zip(readable, log_probabilities(inputs), strict=True):
                results[number] = reading_of(logs)
        readings += results
    return readings


def _is_picture(picture: npt.NDArray[np.uint8]) -> bool:
    return picture.ndim == 2 and picture.dtype == np.uint8 and min(picture.shape) >= 8


def normalised(picture: npt.NDArray[np.uint8]) -> Floats:
    """Return the ink, from 0 (paper) to 1, in a picture of HEIGHT by WIDTH pixels."""
    down, across = (-(-size // MOST_PIXELS) for size in picture.shape)
    grey = picture[::down, ::across].astype(np.float32)
    depth = _paper(grey) - grey
    darkest = max(1, depth.size // 200)
    reach = float(np.partition(depth, depth.size - darkest, axis=None)[-darkest:].mean())
    ink = np.clip(depth / max(reach, FAINTEST), 0, 1)
    scale = min(HEIGHT / ink.shape[0], WIDTH / ink.shape[1])
    rows, columns = (max(1, round(size * scale)) for size in ink.shape)
    small = _resampling(ink.shape[0], rows) @ ink @ _resampling(ink.shape[1], columns).T
    result = np.zeros((HEIGHT, WIDTH), np.float32)
    top, left = (HEIGHT - rows) // 2, (WIDTH - columns) // 2
    result[top : top + rows, left : left + columns] = small
    return result


def _paper(grey: Floats) -> Floats:
    """Return the brightness of the paper: a plane through the brighter half of the pixels, so that a shadow
    is not ink.
    """
    sample = grey[::2, ::2]
    rows, columns = np.nonzero(sample >= np.median(sample))
    places = np.stack([np.ones(len(rows)), rows * 2.0, columns * 2.0], axis=1)
    level, down, across = np.linalg.lstsq(places.T @ places, places.T @ sample[rows, columns], rcond=None)[0]
    plane = level + down * np.arange(grey.shape[0])[:, None] + across * np.arange(grey.shape[1])[None, :]
    return np.asarray(plane, np.float32)


@cache
def _resampling(size: int, new: int) -> Floats:
    """Return the matrix that resamples `size` pixels to `new` pixels with a triangular filter."""
    step = size / new
    centres = (np.arange(new) + 0.5) * step - 0.5
    weights = np.maximum(0, 1 - np.abs(np.arange(size)[None, :] - centres[:, None]) / max(1.0, step))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


# The network


@cache
def stored_weights() -> dict[str, Floats]:
    """Return the kernels and biases of the layers, and the table of confidences."""
    with np.load(Path(__file__).with_name("weights.npz"), allow_pickle=False) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def log_probabilities(inputs: Floats) -> Floats:
    """Return the logarithms of the probabilities of each sign: pictures × columns × signs."""
    weights = stored_weights()
    values = inputs[..., None]
    for number, stride in enumerate(STRIDES):
        values = _convolution(values, weights[f"kernel{number}"], weights[f"bias{number}"], stride)
        if number < len(STRIDES) - 1:
            np.maximum(values, 0, out=values)
    scores = values[:, 0]
    scores -= scores.max(axis=2, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=2, keepdims=True)), np.float32)


def _convolution(values: Floats, kernel: Floats, bias: Floats, stride: tuple[int, int]) -> Floats:
    """Convolve an array of pictures × rows × columns × channels. A kernel as high as the picture gives one row."""
    high, wide, channels, outputs = kernel.shape
    padding = 0 if high == values.shape[1] else high // 2
    values = np.pad(values, ((0, 0), (padding, padding), (wide // 2, wide // 2), (0, 0)))
    rows = (values.shape[1] - high) // stride[0] + 1
    columns = (values.shape[2] - wide) // stride[1] + 1
    windows = np.empty((len(values), rows, columns, high, wide, channels), np.float32)
    for down in range(high):
        for across in range(wide):
            windows[:, :, :, down, across] = values[
                :, down : down + rows * stride[0] : stride[0], across : across + columns * stride[1] : stride[1]
            ][:, :rows, :columns]
    flat = windows.reshape(-1, high * wide * channels) @ kernel.reshape(-1, outputs)
    return (flat + bias).reshape(len(values), rows, columns, outputs)


# From signs to a reading


def reading_of(logs: Floats) -> Reading:
    """Return the reading of a picture. An unclear reading has the confidence 0."""
    (text, kind), evidence = best_content(logs)
    if kind == "unclear":
        return Reading("", 0.0, "unclear")
    weights = stored_weights()
    return Reading(text, float(np.interp(evidence, weights["evidence"], weights["confidence"])), kind)


def best_content(logs: Floats) -> tuple[Content, float]:
    """Return the most probable text or kind, and the logarithm of its probability."""
    probabilities: defaultdict[Content, float] = defaultdict(float)
    for label, probability in label_probabilities(logs).items():
        if content := content_of(label):
            probabilities[content] += probability
    unclear = probabilities.pop(UNCLEAR, 0.0)
    if sum(probabilities.values()) <= unclear:
        return UNCLEAR, -np.inf
    content, probability = max(probabilities.items(), key=itemgetter(1))
    return content, float(np.log(probability))


def label_probabilities(logs: Floats) -> dict[str, float]:
    """Return probable labels and their probabilities.

    Neighbouring columns with the same sign are one sign, and columns without a sign separate signs. The search keeps
    the most probable labels of the columns so far (A. Graves, 2012, section 7.5.2: prefix search).
    """
    labels = {"": (1.0, 0.0)}  # label → probabilities that the last column has no sign, and that it has the last sign
    for *column, nothing in np.exp(logs).tolist():
        signs = {
            sign: probability for sign, probability in zip(SIGNS, column, strict=True) if probability > LEAST_PROBABLE
        }
        longer: defaultdict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        for label, (ended, open_) in labels.items():
            last = label[-1:]
            before = longer[label]
            longer[label] = before[0] + (ended + open_) * nothing, before[1] + open_ * signs.get(last, 0.0)
            for sign, probability in signs.items():
                before = longer[label + sign]
                total = ended if sign == last else ended + open_
                longer[label + sign] = before[0], before[1] + total * probability
        labels = dict(sorted(longer.items(), key=lambda item: -sum(item[1]))[:LABELS])
    return {label: sum(pair) for label, pair in labels.items()}


def content_of(label: str) -> Content | None:
    """Return the text and the kind of a label. If a new number follows a crossed-out number, only the new number
    counts.
    """
    if not label:
        return "", "empty"
    if set(label) == {"X"}:
        return "", "crossed out"
    if "?" in label:
        return UNCLEAR
    text = label.lstrip("X")
    return (text.replace("∞", "inf"), "text") if ENTRY.fullmatch(text) else None
