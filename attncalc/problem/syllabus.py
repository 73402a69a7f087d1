"""The course in problems/syllabus.yml: the lessons and the bundled problems, from easy to hard."""

from __future__ import annotations

from dataclasses import dataclass

from ..resources import folder
from .yaml_file.nodes import Mapping, Scalar, Sequence, Yaml
from .yaml_file.yaml_reader import read_yaml

FILE = "syllabus.yml"  # .yml, because files with the ending .yaml are problems


@dataclass(frozen=True, slots=True)
class Entry:
    """A bundled problem in its chapter: its topic, the minutes for work by hand, and the problems before and after
    it.
    """

    chapter: str
    name: str
    teaches: str
    minutes: int
    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    read: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the course: the titles of the chapters before it, the names of its lessons, and its problems."""

    title: str
    first: tuple[str, ...]
    lessons: tuple[str, ...]
    problems: tuple[Entry, ...]


def chapters() -> list[Chapter]:
    """Return the course from easy to hard."""
    path = folder("problems") / FILE
    return [_chapter(tree) for tree in _items(read_yaml(path.read_bytes(), str(path)))]


def syllabus() -> list[Entry]:
    """Return every bundled problem, from easy to hard."""
    return [entry for chapter in chapters() for entry in chapter.problems]


def _chapter(tree: Yaml) -> Chapter:
    title = _text(tree, "chapter")
    problems = tuple(_entry(title, problem) for problem in _items(_at(tree, "problems")))
    return Chapter(title, _texts(tree, "first"), _texts(tree, "lessons"), problems)


def _entry(chapter: str, problem: Yaml) -> Entry:
    name, teaches, minutes, read = (_text(problem, key) for key in ("name", "teaches", "minutes", "read"))
    return Entry(chapter, name, teaches, int(minutes), _texts(problem, "first"), _texts(problem, "then"), read)


def _at(tree: Yaml | None, key: str) -> Yaml | None:
    return tree.get(key) if isinstance(tree, Mapping) else None


def _text(tree: Yaml | None, key: str) -> str:
    value = _at(tree, key)
    return value.text if isinstance(value, Scalar) else ""


def _texts(tree: Yaml | None, key: str) -> tuple[str, ...]:
    return tuple(item.text for item in _items(_at(tree, key)) if isinstance(item, Scalar))


def _items(tree: Yaml | None) -> list[Yaml]:
    return list(tree.items) if isinstance(tree, Sequence) else []
