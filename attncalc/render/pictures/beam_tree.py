"""A beam search as a tree, in lines of text and as a picture. Each word follows the word that it continues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from rich.cells import cell_len

from ...explain.document import Beam, Twig
from ..math.mathml import clean
from ..math.single_line import number
from ..terminal.styled_text import STYLES, Signs, Styled, run, truncate
from ..wrap import clean as cleaned
from ..wrap import shorten_labels
from .geometry import bezier_path

# Pixels: a row, a box, a letter, the margin, and the distance between words
HIGH, BOX, LETTER, MARGIN, BETWEEN = 26, 20, 8.3, 5, 36
FOOT, NARROW = 30, 400  # height and least width of the legend
LONGEST, NARROWEST = 14, 3  # letters of a word: at most, and at least in a narrow terminal
BRANCHES = {False: ("├─ ", "└─ ", "│  "), True: ("+- ", "`- ", "|  ")}
KEPT, DROPPED, BEST = "kept", "dropped", "the sentence that the search finds"


def alt_text(beam: Beam) -> str:
    """Return the alternative text: the kept words of each time step, and the best sentence."""
    times = []
    for t, level in enumerate(beam.levels, 1):
        kept = ", ".join(
            f"{' '.join(_words(beam, t - 1, k))} {number(twig.score)}" for k, twig in enumerate(level) if twig.kept
        )
        times.append(f"kept at time {t}: {kept}")
    best = " ".join(twig.word for level in beam.levels for twig in level if twig.best)
    return clean("; ".join([f"tree of the beam search from {beam.start}", *times, f"found: {best}"]))


def _words(beam: Beam, level: int, k: int) -> list[str]:
    """Return the words on the path to a word of the tree."""
    twig = beam.levels[level][k]
    return [*(_words(beam, level - 1, twig.parent) if level else []), twig.word]


# -- in lines of text --------------------------------------------------------------------------------------------------


def lines_of(beam: Beam, room: int, signs: Signs) -> list[Styled]:
    """Return a line with the score of each kept word, below the word that it continues. The best sentence is marked."""
    first = run(cleaned(beam.start, signs.plain), STYLES["label"])
    return [truncate(line, room) for line in (first, *_branches(beam, 0, 0, "", room, signs))]


def _branches(beam: Beam, level: int, parent: int, before: str, room: int, signs: Signs) -> Iterator[Styled]:
    if level == len(beam.levels):
        return
    inside = [k for k, twig in enumerate(beam.levels[level]) if twig.kept and twig.parent == parent]
    branch, last, through = BRANCHES[signs.plain]
    for k in inside:
        twig = beam.levels[level][k]
        yield _line(twig, before + (last if k == inside[-1] else branch), room, signs)
        yield from _branches(beam, level + 1, k, before + ("   " if k == inside[-1] else through), room, signs)


def _line(twig: Twig, before: str, room: int, signs: Signs) -> Styled:
    score, mark = signs.notation.number(twig.score), f"  {signs.check.rstrip(':')}" if twig.best else ""
    most = max(NARROWEST, min(LONGEST, room - cell_len(before + score + mark) - 2))
    (word,) = shorten_labels([cleaned(twig.word, signs.plain)], [most], signs.cut)
    named = (word, STYLES["strong" if twig.best else ""])
    return (before, STYLES["dim"]), named, (f"  {score}", ""), (mark, STYLES["check"])


# -- as a picture ------------------------------------------------------------------------------------------------------


class Box(TypedDict):
    """A word of the tree with its score."""

    x: float
    y: float
    wide: float
    word: str
    score: str
    looks: str


class Edge(TypedDict):
    """A line between words."""

    path: str
    looks: str


class Layout(TypedDict):
    """The positions of words and of the lines between them, and the size of the picture, in pixels."""

    boxes: list[Box]
    edges: list[Edge]
    legend: list[tuple[str, str]]
    box: float
    foot: float
    width: float
    height: float


def layout(beam: Beam) -> Layout:
    """Return the positions of words and of the lines between them, and the size of the picture, in pixels."""
    rows = max(map(len, beam.levels))
    boxes = [_box(float(MARGIN), _middle(0, 1, rows), _width([beam.start]), clean(beam.start), "", "root")]
    before, edges = boxes, list[Edge]()
    for level in beam.levels:
        x = before[0]["x"] + before[0]["wide"] + BETWEEN
        words = shorten_labels([clean(twig.word) for twig in level], [LONGEST] * len(level), "…")
        wide = max(_width([word, number(twig.score)]) for word, twig in zip(words, level, strict=True))
        level_boxes = [
            _box(x, _middle(k, len(level), rows), wide, word, number(twig.score), _twig_class(twig))
            for k, (word, twig) in enumerate(zip(words, level, strict=True))
        ]
        edges += [_edge(before[twig.parent], box) for twig, box in zip(level, level_boxes, strict=True)]
        boxes, before = boxes + level_boxes, level_boxes
    height, width = HIGH * rows + 2 * MARGIN, before[0]["x"] + before[0]["wide"] + MARGIN
    return {
        "boxes": boxes, "edges": edges, "legend": _legend(beam),
        "box": BOX, "foot": height + FOOT / 2, "height": height + FOOT, "width": max(width, NARROW),
    }  # fmt: skip


def _middle(k: int, count: int, rows: int) -> float:
    """Return the vertical position of a word. Levels with fewer words are centred."""
    return MARGIN + HIGH * (k + (rows - count) / 2 + 0.5)


def _width(texts: list[str]) -> float:
    return LETTER * (sum(map(cell_len, texts)) + len(texts) - 1) + 18


def _box(x: float, y: float, wide: float, word: str, score: str, looks: str) -> Box:
    return {"x": x, "y": y, "wide": wide, "word": word, "score": score, "looks": looks}


def _edge(start: Box, end: Box) -> Edge:
    return {"path": bezier_path((start["x"] + start["wide"], start["y"]), (end["x"], end["y"])), "looks": end["looks"]}


def _twig_class(twig: Twig) -> str:
    return "best" if twig.best else "kept" if twig.kept else "dropped"


def _legend(beam: Beam) -> list[tuple[str, str]]:
    """Return the meanings of the kinds of lines in the tree."""
    seen = {_twig_class(twig) for level in beam.levels for twig in level}
    return [(words, looks) for words, looks in ((KEPT, "kept"), (DROPPED, "dropped"), (BEST, "best")) if looks in seen]
