"""Reads the formulas of a problem file as trees, from a text or from a list with a small matrix."""

from __future__ import annotations

from collections.abc import Iterator

from ... import limits
from ...errors import AttncalcError, Diagnostics, FormulaError
from ...formula.parser import Reading, Readings, meant, parse
from ...formula.syntax_tree import Call, Name, Number, Source, Text, Tree
from ...lessons import LESSONS
from ...lessons.lesson import Lesson
from ..yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind
from .givens import read_cells

_WORDS = {"true", "false", "none"}


def read_formula(
    value: Yaml, name: str, readings: Readings | None = None, matrices: frozenset[str] = frozenset()
) -> Tree:
    """Read a formula, or a small matrix in a list, as a tree. For `matrices`, see `parse`."""
    if isinstance(value, Sequence):
        return read_inline(value, name, readings, matrices)
    if not isinstance(value, Scalar):
        raise AttncalcError(f"{name}: expected a formula, found {kind(value)}", value.place)
    try:
        return parse(value.text, readings, matrices)
    except FormulaError as error:
        raise error.of(name, value.inside.shifted(error.at)) from None


def read_inline(
    value: Sequence, name: str, readings: Readings | None = None, matrices: frozenset[str] = frozenset()
) -> Tree:
    """Read a matrix such as `[[1, 0], [1, 1]]` instead of a formula. Raises AttncalcError with all errors."""
    cells = read_cells(value, name)
    if (count := len(cells) * len(cells[0])) > limits.INLINE.most:
        raise AttncalcError(f"{name}: {limits.INLINE.exceeded(count)}", value.place)
    faults = Diagnostics()

    def entry(cell: Scalar) -> Tree:
        try:
            return _truth(cell) or read_formula(cell, name, readings, matrices)
        except AttncalcError as error:
            faults.extend(error)
            return Name(cell.text)

    matrix = _joined([[entry(cell) for cell in row] for row in cells])
    faults.raise_any()
    return matrix


def supposed_formula(value: Yaml, name: str, readings: Readings) -> Tree | None:
    """Return the suggested formula for a text that cannot be parsed; None if there is no suggestion."""
    if not isinstance(value, Scalar | Sequence):
        return None
    try:
        if isinstance(value, Scalar):
            return _only(meant(value.text, readings))
        cells = [[_truth(cell) or _only(meant(cell.text, readings)) for cell in row] for row in read_cells(value, name)]
    except (AttncalcError, FormulaError):
        return None
    whole = [[entry for entry in row if entry is not None] for row in cells]
    return _joined(whole) if whole == cells else None


def read_argument(name: Scalar, argument: Yaml, word: bool, readings: Readings, matrices: frozenset[str]) -> Tree:
    """Read the value of a lesson's input or option: a formula, or a word."""
    if isinstance(argument, Sequence) and not word:
        return read_inline(argument, name.text, readings, matrices)
    if not isinstance(argument, Scalar):
        raise AttncalcError(f"{name.text}: expected a formula or a word, found {kind(argument)}", argument.place)
    plain = argument.text.lower() if argument.text in ("True", "False") else argument.text
    if word or plain in _WORDS:
        return Name(plain) if plain in _WORDS else Text(argument.text)
    return read_formula(argument, name.text, readings, matrices)


def _only(readings: list[Reading]) -> Tree | None:
    """Return the formula of the first reading if all readings have the same shape, otherwise None."""
    return readings[0].tree if len({reading.shape for reading in readings}) == 1 else None


def _joined(cells: list[list[Tree]]) -> Tree:
    rows = [Call("hstack", tuple(row)) for row in cells]
    return Call("vstack", tuple(rows)) if len(rows) > 1 else rows[0].copied_from(Source(listed=True))


def _truth(cell: Scalar) -> Tree | None:
    """Return 1 for true and 0 for false; None for other texts."""
    word = cell.text.lower()
    return Number(str(int(word == "true"))) if word in ("true", "false") else None


def is_of_matlab(problem: Mapping) -> bool:
    """Return whether a formula of a problem has MATLAB's notation. Then the other formulas probably have it too."""
    from ...formula.compat.paper_notation import has_signs_of_matlab

    parts = problem.get("parts")
    inside = [body for _, body in parts.items()] if isinstance(parts, Mapping) else []
    names: set[str] = set()
    texts: list[str] = []
    for body in [problem, *inside]:
        for key, value in body.items() if isinstance(body, Mapping) else ():
            if key.text in ("given", "steps") and isinstance(value, Mapping):
                names |= {name.text for name, _ in value.items()}
            if key.text in LESSONS:
                names |= {*LESSONS[key.text].steps, *(source.name for source in LESSONS[key.text].inputs)}
            if key.text == "steps" or key.text in LESSONS:
                texts += _formulas(value, LESSONS.get(key.text))
            elif key.text == "given" and isinstance(value, Mapping):
                texts += [each.text for _, each in value.items() if isinstance(each, Scalar)]
    return any(has_signs_of_matlab(text, names) for text in texts)


def _formulas(node: Yaml, lesson: Lesson | None) -> Iterator[str]:
    """Yield the texts under a node that can be formulas. Single words and texts for people are omitted."""
    match node:
        case Scalar(text):
            yield text
        case Mapping():
            for key, value in node.items():
                option = lesson.option(key.text) if lesson else None
                if key.text != "means" and (option is None or option.kind not in ("word", "text")):
                    yield from _formulas(value, LESSONS.get(key.text))
        case Sequence(items):
            for item in items:
                yield from _formulas(item, None)
