"""Reads `draw:`, `demand:` and `relax:` of a file. Each error has its location."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...errors import AttncalcError, Diagnostics, FormulaError, Location, counted, did_you_mean, shorten
from ...formula.parser import parse
from ..entry_distributions import Kind, kind
from ..entry_distributions import words as said_words
from ..plan_builder import name_fault
from ..random_givens import KEYS, LARGEST_SIZE, LONGEST, MOST_DRAWN, Draw, Draws, Labels, Relation, with_words
from ..random_stream import Stream
from ..yaml_file.nodes import Mapping, Scalar, Sequence, Yaml
from ..yaml_file.nodes import kind as kind_of

# Demands in words that every draw meets, and the codes with which `relax:` removes them.
ALWAYS = {
    "no ties": "ties", "unsaturated": "saturated", "not saturated": "saturated", "no saturation": "saturated",
    "not uniform": "uniform", "no uniform rows": "uniform",
}  # fmt: skip
_SIZE = r"(\d{1,9})\s*(?:×|x|\*|by)\s*(\d{1,9})"
_SIZE_FIRST = re.compile(rf"{_SIZE}\b[,:]?\s*(.*)", re.DOTALL)
_SIZE_LAST = re.compile(rf"(.*?),?\s+{_SIZE}", re.DOTALL)


def read_draws(tree: Mapping, faults: Diagnostics) -> Draws:
    """Read the random givens of a file. Each error has its location."""
    draws = Draws(tree)
    node, stated = tree.get("draw"), tree.get("given")
    if not isinstance(node, Mapping) or not node.pairs:
        faults.add(
            f"draw: expected a mapping from names to sizes and distributions, found "
            f"{kind_of(node) if node else 'nothing'}",
            draws.place,
        )
        faults.raise_any()
    assert isinstance(node, Mapping)
    if len(node.pairs) > MOST_DRAWN:
        faults.add(f"expected at most {MOST_DRAWN} random givens", node.place)
    for key, value in list(node.items())[:MOST_DRAWN]:
        if fault := name_fault(key.text, "given"):
            faults.add(fault, key.place)
        elif isinstance(stated, Mapping) and key.text in stated:
            faults.add(
                f"{shorten(key.text)} is under draw: and under given:; remove the name from one of these keys",
                key.place,
            )
        else:
            try:
                draws.drawn.append(_draw(key.text, value))
            except AttncalcError as error:
                faults.extend(error)
    for given in draws.texts:
        if with_words(tree, {given.name: [given.name, ""]}) == tree:
            message = (
                f"{given.name}: expected a lesson that uses these words, such as byte_pair_merges: "
                f"{{words: {given.name}}}, found none"
            )
            faults.add(message, node.pairs[given.name][1].place)
    draws.relaxed = [(given.text, given.place) for given in _scalars(tree.get("relax"), "relax", faults)]
    draws.relations = list(_relations(tree.get("demand"), {text for text, _ in draws.relaxed}, faults))
    faults.raise_any()
    return draws


def _draw(name: str, value: Yaml) -> Draw:
    """Read `3 × 4 integers -2..2`, or a mapping with labels."""
    if isinstance(value, Scalar):
        return Draw(name, *_sized(name, value))
    if not isinstance(value, Mapping):
        raise AttncalcError(
            f"{name}: expected a text such as `2 × 3 integers -2..2`, or a mapping, found {kind_of(value)}", value.place
        )
    faults = Diagnostics()
    value.reject_unknown(list(KEYS), f"the random givens of {name}", faults)
    faults.raise_any()
    entries = value.get("entries")
    if not isinstance(entries, Scalar):
        raise AttncalcError(f"{name}: expected the key entries:, such as `entries: integers -2..2`", value.place)
    (n, m), drawn = _sized(name, entries)
    if isinstance(size := value.get("size"), Scalar):
        if not (match := re.fullmatch(_SIZE, size.text.strip())):
            raise AttncalcError(f"{name}: expected a size such as 3 × 4, found {kind_of(size)}", size.place)
        n, m = _in_bounds(name, int(match[1]), int(match[2]), size.place)
    rows, n = _labels(name, "rows", value.get("rows"), n)
    columns, m = _labels(name, "columns", value.get("columns"), m)
    for axis, labels, count in (("rows", rows, n), ("columns", columns, m)):
        if labels is not None and not labels.fits(count):
            there = f"{counted(len(labels.words), 'label')} for {counted(count, axis[:-1])}"
            raise AttncalcError(f"{name}: expected as many labels as {axis}; found {there}", value.pairs[axis][1].place)
    _try(name, drawn, (n, m), entries.place)
    return Draw(name, (n, m), drawn, rows, columns)


def _sized(name: str, value: Scalar) -> tuple[tuple[int, int], Kind]:
    text = value.text.strip()
    n = m = "1"
    if len(text) > LONGEST:
        raise AttncalcError(f"{name}: expected at most {LONGEST} characters, found {len(text):,}", value.place)
    if match := _SIZE_FIRST.fullmatch(text):
        n, m, text = match.groups()
    elif match := _SIZE_LAST.fullmatch(text):
        text, n, m = match.groups()
    size = _in_bounds(name, int(n), int(m), value.place)
    if not text.strip():
        message = f"{name}: expected a size and a distribution, found {shorten(value.text.strip())!r}"
        raise AttncalcError(f"{message}; did you mean {n} × {m} integers -2..2?", value.place)
    try:
        drawn = said_words(text) or kind(text)
    except AttncalcError as error:
        message = error.faults[0].message.removeprefix("entries: ")
        raise AttncalcError(f"{name}: {message}", value.place) from None
    _try(name, drawn, size, value.place)
    return size, drawn


def _try(name: str, drawn: Kind, size: tuple[int, int], place: Location) -> None:
    """Raise AttncalcError for an impossible draw, such as five rising entries from four numbers."""
    try:
        drawn.matrix(Stream("attncalc", "try"), *size)
    except AttncalcError as error:
        raise AttncalcError(f"{name}: {error.faults[0].message.removeprefix('entries: ')}", place) from None


def _in_bounds(name: str, n: int, m: int, place: Location) -> tuple[int, int]:
    if not (1 <= n <= LARGEST_SIZE and 1 <= m <= LARGEST_SIZE):
        raise AttncalcError(f"{name}: expected sizes from 1 to {LARGEST_SIZE}, found {n} × {m}", place)
    return n, m


def _labels(name: str, axis: str, node: Yaml | None, count: int) -> tuple[Labels | None, int]:
    """Return labels and their number, from a list, from `{from: [...]}`, or from a number."""
    if node is None:
        return None, count
    if isinstance(node, Scalar) and re.fullmatch(r"[0-9]{1,5}", node.text):
        return None, _in_bounds(name, int(node.text), 1, node.place)[0]
    inside = node.get("from") if isinstance(node, Mapping) and list(node.pairs) == ["from"] else node
    if (
        not isinstance(inside, Sequence)
        or not inside.items
        or not all(isinstance(item, Scalar) for item in inside.items)
    ):
        message = f"{name}: {axis}: expected a list of labels, {{from: [...]}} or a number, found {kind_of(node)}"
        raise AttncalcError(message, node.place)
    words = tuple(item.text for item in inside.items if isinstance(item, Scalar))
    if inside is not node:
        return Labels(words, drawn=True), count
    return Labels(words), len(words) if count == 1 else count


def _relations(node: Yaml | None, relaxed: set[str], faults: Diagnostics) -> Iterator[Relation]:
    """Yield the demands that are formulas. `unsaturated` and `no ties` always apply, unless `relax:` removes them."""
    for text in _scalars(node, "demand", faults):
        if always := ALWAYS.get(text.text.strip()):
            if always in relaxed:
                faults.add(
                    f"demand: {text.text.strip()} contradicts relax: [{always}]; remove one of the two", text.place
                )
            continue
        try:
            yield Relation(text.text.strip(), parse(text.text), text.inside)
        except FormulaError as error:
            message = _words_meant(text.text) or f"demand: {error.message}"
            faults.add(message, text.inside.shifted(error.at))


def _words_meant(text: str) -> str:
    """Return the message about an unknown demand in words; an empty string if the text does not consist of words."""
    if not re.fullmatch(r"[a-z]+(?: [a-z]+)+", text.strip()):
        return ""
    near = did_you_mean(text.strip(), list(ALWAYS))
    return (
        f"demand: expected a formula, or a condition such as `no ties` or `unsaturated`, "
        f"found {shorten(text.strip())!r}{near}"
    )


def _scalars(node: Yaml | None, key: str, faults: Diagnostics) -> list[Scalar]:
    items = node.items if isinstance(node, Sequence) else [] if node is None else [node]
    scalars = [item for item in items if isinstance(item, Scalar)]
    for item in items:
        if not isinstance(item, Scalar):
            faults.add(f"{key}: expected a text, found {kind_of(item)}", item.place)
    return scalars
