"""The bundled problems as a course from easy to hard: problems/syllabus.yml."""

from __future__ import annotations

from dataclasses import dataclass

from ..resources import folder
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml
from .yaml_file.yaml_reader import read_yaml

FILE = "syllabus.yml"  # no .yaml, which problems have


@dataclass(frozen=True, slots=True)
class Entry:
    """A bundled problem in its chapter: its topic, the minutes it takes by hand, and what to read before and after."""

    chapter: str
    name: str
    teaches: str
    minutes: int
    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    read: str = ""


def syllabus() -> list[Entry]:
    """Return every bundled problem, from easy to hard."""
    path = folder("problems") / FILE
    chapters = read_yaml(path.read_bytes(), str(path))
    return [
        _entry(_text(chapter, "chapter"), problem)
        for chapter in _items(chapters)
        for problem in _items(_at(chapter, "problems"))
    ]


def _entry(chapter: str, problem: Yaml) -> Entry:
    first, then = (
        tuple(item.text for item in _items(_at(problem, key)) if isinstance(item, Scalar)) for key in ("first", "then")
    )
    return Entry(
        chapter,
        _text(problem, "name"),
        _text(problem, "teaches"),
        int(_text(problem, "minutes")),
        first,
        then,
        _text(problem, "read"),
    )


def _at(tree: Yaml | None, key: str) -> Yaml | None:
    return tree.get(key) if isinstance(tree, Mapping) else None


def _text(tree: Yaml | None, key: str) -> str:
    value = _at(tree, key)
    return value.text if isinstance(value, Scalar) else ""


def _items(tree: Yaml | None) -> list[Yaml]:
    return list(tree.items) if isinstance(tree, Sequence) else []
