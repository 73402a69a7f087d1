"""Pictures of handwritten entries → texts, by a small convolutional network that NumPy evaluates.

`tests/bench/train_recogniser.py` makes `weights.npz`, and docs/validation/recogniser.md has the measured errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Kind = Literal["text", "empty", "crossed out", "unclear"]

HEIGHT, WIDTH = 56, 96  # pixels of a picture as the network sees it
SIGNS = "0123456789-./∞infX?"  # X: a crossed-out number, ?: a sign of no entry; the last output is no sign
STRIDES = ((2, 2), (2, 1), (2, 1), (1, 1), (2, 1), (1, 1), (1, 1), (1, 1), (1, 1))  # of each layer, down and across
MOST_PIXELS = 1024  # of a side; of a larger picture some rows and columns are left out
FAINTEST = 60.0  # grey levels between paper and ink; less counts as faint ink
BATCH = 64
ENTRY = re.compile(r"-?(∞|inf|\d+(\.\d*)?|\.\d+|\d+/\d+)|-")


@dataclass(frozen=True)
class Reading:
    """What a picture shows; `confidence` is the share of right readings among those with the same evidence."""

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
            for number, reading in zip(readable, _decoded(log_probabilities(inputs)), strict=True):
                results[number] = reading
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
    """Return the brightness of the paper: a plane through the brighter half, so a shadow does not count as ink."""
    sample = grey[::2, ::2]
    rows, columns = np.nonzero(sample >= np.median(sample))
    places = np.stack([np.ones(len(rows)), rows * 2.0, columns * 2.0], axis=1)
    level, down, across = np.linalg.lstsq(places.T @ places, places.T @ sample[rows, columns], rcond=None)[0]
    plane = level + down * np.arange(grey.shape[0])[:, None] + across * np.arange(grey.shape[1])[None, :]
    return np.asarray(plane, np.float32)


@cache
def _resampling(size: int, new: int) -> Floats:
    """Return the matrix that resamples `size` pixels to `new` ones with a triangular filter."""
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
    """Convolve pictures × rows × columns × channels; a kernel as high as the picture leaves one row."""
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


def _decoded(logs: Floats) -> Iterator[Reading]:
    labels = best_labels(logs)
    confidences = _confidences(label_evidence(logs, labels))
    for label, confidence in zip(labels, confidences, strict=True):
        yield reading_of("".join(SIGNS[sign] for sign in label), float(confidence))


def best_labels(logs: Floats) -> list[list[int]]:
    """Return the signs of the best path, without repetitions."""
    blank = len(SIGNS)
    labels = []
    for path in logs.argmax(axis=2):
        changed = np.concatenate([[True], path[1:] != path[:-1]])
        labels.append([int(sign) for sign in path[changed & (path != blank)]])
    return labels


def label_evidence(logs: Floats, labels: list[list[int]]) -> Floats:
    """Return the logarithm of the probability of each label, all its alignments together."""
    blank = len(SIGNS)
    longest = max(len(label) for label in labels)
    states = np.full((len(labels), 2 * longest + 1), blank)
    for row, label in zip(states, labels, strict=True):
        row[1 : 2 * len(label) : 2] = label
    may_skip = np.zeros(states.shape, bool)
    may_skip[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    emitted = np.take_along_axis(logs, states[:, None, :].repeat(logs.shape[1], axis=1), axis=2)
    never = np.float32(-1e9)
    total = np.full(states.shape, never, np.float32)
    total[:, :2] = emitted[:, 0, :2]
    for step in range(1, logs.shape[1]):
        before = np.pad(total, ((0, 0), (2, 0)), constant_values=never)
        skipped = np.where(may_skip, before[:, :-2], never)
        total = np.logaddexp(np.logaddexp(total, before[:, 1:-1]), skipped) + emitted[:, step]
    ends = np.array([2 * len(label) for label in labels])
    rows = np.arange(len(labels))
    last = np.where(ends > 0, total[rows, ends - 1], never)
    return np.asarray(np.logaddexp(total[rows, ends], last), np.float32)


def _confidences(evidence: Floats) -> npt.NDArray[np.float64]:
    """Return the measured share of right readings for evidence, from a table of `weights.npz`."""
    weights = stored_weights()
    return np.interp(evidence, weights["evidence"], weights["confidence"])


def reading_of(label: str, confidence: float) -> Reading:
    """Turn signs into a reading; of a crossed-out number with a new one, only the new one counts."""
    if not label:
        return Reading("", confidence, "empty")
    if set(label) == {"X"}:
        return Reading("", confidence, "crossed out")
    text = label.lstrip("X")
    if not ENTRY.fullmatch(text):
        return Reading("", 0.0, "unclear")
    return Reading(text.replace("∞", "inf"), confidence, "text")
