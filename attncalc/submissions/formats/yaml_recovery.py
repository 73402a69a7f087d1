"""YAML that is broken in one place: a lenient reader leaves out the step whose lines do not parse, and
reads the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from ...errors import AttncalcError, Diagnostics
from ...problem.yaml_file.nodes import Yaml
from ...problem.yaml_file.reader import read_yaml
from ..lenient_errors import Losses
from ..located_text import line_bounds, line_texts

MOST_CUTS = 20
LONGEST = 100_000  # characters of a script that is worth so many attempts
_KEY = re.compile(r"""([ ]*)(["']?)([A-Za-z_Α-Ωα-ω][\w.']*(?:\[[^\]\n]*\])?)\2[ ]*:(?=\s|$)""")
_WORD = re.compile(r"""([ ]*)["']?[A-Za-z_Α-Ωα-ω]""")


@dataclass(slots=True)
class _Piece:
    """The lines of a key, how far it is indented, and the step's name: the keys that stand around it and its own."""

    start: int
    stop: int
    indent: int
    name: str


def whole_tree(text: str, source: str, losses: Losses) -> tuple[str, Yaml]:
    """The tree of a text, and the text that it is of: in a lenient reader without the steps that break it. Raises
    AttncalcError.
    """
    for _ in range(MOST_CUTS):
        doubled = Diagnostics()
        try:
            tree = read_yaml(text, source, doubled if losses.lenient else None)
            losses.extend("", AttncalcError(doubled.faults))
            return text, tree
        except AttncalcError as error:
            if not losses.lenient or len(text) > LONGEST or (cut := _without(text, source, error)) is None:
                raise
            step, text = cut
            losses.extend(step, error)
    return text, read_yaml(text, source)


def _without(text: str, source: str, error: AttncalcError) -> tuple[str, str] | None:
    """The text without the step at the fault, or the one before it, whose bracket may be open: whichever lets more be
    read.
    """
    line = error.faults[0].place.line
    pieces = list(_pieces(text))
    at = next((k for k, piece in enumerate(pieces) if piece.start < line <= piece.stop), len(pieces) - 1)
    tried = []
    for order, k in enumerate((at, at - 1)):
        if k >= 0 and pieces[k].name != "answers":
            last = _end(text, pieces, k)
            cut = _blanked(text, pieces[k].start, last.stop)
            name = pieces[k].name if last is pieces[k] else f"{pieces[k].name} to {last.name.rpartition('.')[2]}"
            tried.append((_reach(cut, source), -order, name, cut))
    if not tried:
        return None
    _, _, step, cut = max(tried)
    return step, cut


def _end(text: str, pieces: list[_Piece], k: int) -> _Piece:
    """The last piece that goes with one: what stands inside it, or below a line that may have named another part."""
    own = pieces[k]
    lines = line_texts(text)[own.start + 1 : own.stop]
    indent = min([own.indent, *(len(found[1]) for line in lines if (found := _WORD.match(line)))])
    inside = list(takewhile(lambda piece: piece.indent > indent, pieces[k + 1 :]))
    return inside[-1] if inside else own


def _pieces(text: str) -> Iterator[_Piece]:
    """From each key to the next."""
    lines = line_texts(text)
    keys = [(k, len(found[1]), found[3]) for k, line in enumerate(lines) if (found := _KEY.match(line))]
    around: list[tuple[int, str]] = []
    for (start, indent, name), (stop, *_) in pairwise([*keys, (len(lines), 0, "")]):
        around = [*((i, n) for i, n in around if i < indent), (indent, name)]
        names = [n for _, n in around]
        yield _Piece(start, stop, indent, ".".join(names[1:] if names[0] == "answers" and len(names) > 1 else names))


def _blanked(text: str, start: int, stop: int) -> str:
    """The same text with those lines empty, so that the others stay where they are."""
    starts, stops = line_bounds(text)
    return (
        text[: starts[start]]
        + re.sub(r"[^\r\n\x85\u2028\u2029]", "", text[starts[start] : stops[stop - 1]])
        + text[stops[stop - 1] :]
    )


def _reach(text: str, source: str) -> float:
    """The line up to which the text can be read."""
    try:
        read_yaml(text, source, Diagnostics())
    except AttncalcError as error:
        return error.faults[0].place.line
    return float("inf")
