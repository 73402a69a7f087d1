"""A course: its exercises in order, and the number of hints. It is plain data for `respond`.

    course: {"title": ..., "hints": 5, "groups": [group, ...]}
    group: {"title": ..., "first": [title of a group to do before, ...], "items": [exercise, ...]}
    exercise: {"id", "title", "about", "question", "source"}
    source of a lesson: {"generate": lesson, "with": its sizes and options, "relax": criteria not to meet}
    source of a problem: {"text": the file, "part": name or None}

The course sets the ids. The question of an exercise is optional. It is shown in the idea before the exercise. A source
can also have keys of a problem: `own` replaces keys of the problem, and `usual` adds those that are missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..generator.lesson_recipes import RECIPES, drawn_lessons
from ..lessons import LESSONS
from ..named_files import is_file, named_file
from ..problem.loader import build_problem
from ..problem.python_input import data_of
from ..problem.syllabus import chapters
from ..problem.yaml_file.nodes import Mapping, Sequence, Yaml, read_text, text_at
from ..problem.yaml_file.yaml_reader import read_yaml
from ..resources import bundled, problem_file, problem_names
from . import messages
from .task import Data

Course = Data
Item = Data
Source = Data

Tree = TypeVar("Tree", bound=Yaml)

EXERCISE_KEYS = ("about", "part", "question")  # keys of exercises that questions of an exam sheet do not have
LABELS = ("title", "about", "question")  # texts that an author writes for an exercise
LARGEST = 120  # most entries of a matrix that students type
OVERRIDE_KEYS = ("ask", "asked", "points", "rounding")  # keys of an exam sheet that override keys of the problem


def complete_course() -> Course:
    """Return all bundled exercises: the path "attention", then the lessons and the lecture problems of each chapter."""
    title, path = _bundled("attention")
    _, lectures = _bundled("lectures")
    groups, generated = [_group(title, [item for _, item in path])], _generated_lessons()
    for chapter in chapters():
        names = {entry.name for entry in chapter.problems}
        lessons = [_lesson(lesson) for lesson in chapter.lessons if lesson in generated]
        items = [*lessons, *(item for problem, item in lectures if problem in names)]
        groups.append(_group(chapter.title, items, chapter.first))
    return _course(messages.TITLE, groups)


def _generated_lessons() -> set[str]:
    return {*RECIPES, *drawn_lessons()}


def items_of(course: Course) -> dict[str, Item]:
    return {item["id"]: item for group in course["groups"] for item in group["items"]}


def _course(title: str, groups: list[Data]) -> Course:
    """Return a course. An exercise's id is made from its title, with a number if titles give the same id."""
    seen = Counter[str]()
    for item in (item for group in groups for item in group["items"]):
        words = re.sub(r"[\W_]+", "-", item["title"].casefold()).strip("-")[:60]
        seen[words] += 1
        item["id"] = words if seen[words] == 1 else f"{words}-{seen[words]}"
    return {"title": title, "hints": len(messages.HINT_KINDS), "groups": groups}


def _group(title: str, items: list[Item], first: Iterable[str] = ()) -> Data:
    return {"title": title, "first": [*first], "items": items}


def _bundled(name: str) -> tuple[str, list[tuple[str, Item]]]:
    """Return the title of a bundled path, and its exercises with their problem or lesson, without any check."""
    file = bundled("problems/paths")[name]
    tree = read_yaml(Path(file).read_text(encoding="utf-8"), file)
    assert isinstance(tree, Mapping), "bundled paths are mappings"
    data: Data = data_of(tree)
    entries = [(entry.get("problem") or entry["generate"], entry) for entry in data["path"]]
    return data["title"], [(source, item) for source, entry in entries for item in _items(entry, file)]


def _lesson(name: str, choices: dict[str, str] | None = None, overrides: Data | None = None) -> Item:
    lesson, source = LESSONS[name], {"generate": name, "with": choices or {}, "own": overrides or {}}
    return {"title": lesson.title, "about": lesson.doc, "source": source}


def course_at(name: str | None) -> Course:
    """Return the course of a file or of a name. Without a name, return the complete course. Raises AttncalcError."""
    if name is None:
        return complete_course()
    return course_of(name, read_text(read_bytes(name), name) if is_file(name, _meaning(name)) else None)


def _meaning(name: str) -> str | None:
    """Return what a name means if it is not a file; None if it means nothing."""
    if name in _generated_lessons():
        return f"the lesson {name}"
    return f"the bundled {name}" if name in _bundled_names() else None


def _bundled_names() -> list[str]:
    return [*bundled("problems/sheets"), *bundled("problems/paths"), "path", *problem_names()]


def course_of(name: str, text: str | None) -> Course:
    """Return the course of a name, or of a file's text (problem, exam sheet or path). Raises AttncalcError."""
    if text is None:
        return _course_by_name(name)
    tree = read_yaml(text, name)
    if isinstance(tree, Mapping) and "path" in tree:
        return _course_of_path(tree, name)
    if isinstance(tree, Mapping) and "questions" in tree:
        from ..exam.sheet.sheet_reader import read_sheet  # slow to import, and rarely needed

        read_sheet(text, name)
        return _course_of_entries(tree, "questions", name)
    items = _parts(text, name, {})
    return _course(items[0]["title"], [_group(items[0]["title"], items)])


def _course_by_name(name: str) -> Course:
    """Return the course of a lesson, or of a bundled problem, exam sheet or path. `path` is the path "attention"."""
    if name in _generated_lessons():
        return _course(messages.TITLE, [_group(messages.LESSONS_TITLE, [_lesson(name)])])
    files, paths = bundled("problems/sheets"), [*bundled("problems/paths"), "path"]
    if name in paths:
        title, path = _bundled("attention" if name == "path" else name)
        return _course(title, [_group(title, [item for _, item in path])])
    file = problem_file(name) or files.get(name)
    if file is None:
        near = did_you_mean(name, [*_bundled_names(), *_generated_lessons()])
        there = near or "; `attncalc lessons` and `attncalc problems` list them"
        raise AttncalcError(f"expected a lesson, a problem, a sheet or a path, found {shorten(name)!r}{there}")
    return course_of(file, Path(file).read_text(encoding="utf-8"))


def _course_of_path(tree: Mapping, source: str) -> Course:
    """Return the course of a path, checked like an exam sheet. `hints: 0..5` limits the hints."""
    from ..exam.sheet.field_reader import Fields
    from ..exam.sheet.sheet_reader import questions_of

    faults, most = Diagnostics(), len(messages.HINT_KINDS)
    tree.reject_unknown(["format", "title", "hints", "rounding", "path"], "a path", faults)
    hints = Fields(tree, source, faults).whole(tree.get("hints"), "hints", 0, most, most)
    word, node = tree.pairs["path"]
    if isinstance(node, Sequence):
        node = node._replace(items=[_without(item, *EXERCISE_KEYS) for item in node.items])
    sheet = Mapping(tree.pairs | {"questions": (word, node)}, tree.place)
    try:
        questions_of(_without(sheet, "hints"), source)
    except AttncalcError as error:
        faults.extend(error)
    faults.raise_any()
    return _course_of_entries(tree, "path", source) | {"hints": hints}


def _without(tree: Tree, *words: str) -> Tree:
    """Return a mapping without some keys. Return any other node unchanged."""
    if not isinstance(tree, Mapping):
        return tree
    return tree._replace(pairs={key: pair for key, pair in tree.pairs.items() if key not in words})


def _course_of_entries(tree: Mapping, key: str, source: str) -> Course:
    title = text_at(tree, "title", Diagnostics()) or messages.TITLE
    data: Data = data_of(tree)
    usual = {"rounding": data["rounding"]} if "rounding" in data else {}
    return _course(title, [_group(title, [item for entry in data[key] for item in _items(entry, source, usual)])])


def _items(entry: Data, source: str, usual: Data | None = None) -> Iterator[Item]:
    """Yield the exercises of a question: of generate:, of problem:, or of each alternative of one_of:. A choice or an
    essay has none. Without `usual` nothing is calculated.
    """
    if "one_of" in entry:
        several = entry.pop("one_of")
        yield from (item for inner in several for item in _items(entry | inner, source, usual))
        return
    labels = {word: entry[word] for word in LABELS if word in entry}
    overrides = {word: entry[word] for word in OVERRIDE_KEYS if word in entry}
    if "generate" in entry:
        yield {**_lesson(entry["generate"], entry.get("with"), (usual or {}) | overrides), **labels}
    elif "problem" in entry:
        for item in _problem_items(entry, labels, source, usual is None):
            item["source"] |= {"own": overrides, "usual": usual or {}}
            yield item


def _problem_items(entry: Data, labels: Data, source: str, is_bundled: bool) -> list[Item]:
    """Return the exercises of a problem in the folder of the path, or of a bundled problem. Raises AttncalcError."""
    from ..exam.sheet_files import resolve_sheet_file

    name, part = entry["problem"], entry.get("part")
    file = named_file(name, path=resolve_sheet_file(source, name, "problem", Location(source)))
    assert file is not None, "the sheet's reader has looked for it"
    text = read_text(read_bytes(file.path), file.source)
    if is_bundled and "title" in labels:
        return [{"about": "", **labels, "source": {"text": text, "part": part}}]
    return _parts(text, name, labels, part)


def _parts(text: str, source: str, labels: Data, only: str | None = None) -> list[Item]:
    """Return an exercise for each part of a problem whose matrices are small enough to type, or for the part `only`.
    Raises AttncalcError.
    """
    faults = Diagnostics()
    problem = build_problem(read_yaml(text, source, faults), source, source, faults)
    faults.raise_any()
    title, items = labels.get("title") or problem.title or problem.name, list[Item]()
    for part in problem.parts:
        words = part.title or (part.name or "").replace("_", " ")
        sizes = [step.node.size for step in part.plan.steps]
        has_work = any(not step.given for step in part.plan.steps)
        if only in (None, part.name) and has_work and max(sizes) <= LARGEST:
            item_title = f"{title}: {words}" if len(problem.parts) > 1 and only is None else title
            about = labels.get("about") or shorten(part.ask or problem.ask, 160)
            source_data = {"text": text, "part": part.name}
            items.append({**labels, "title": item_title, "about": about, "source": source_data})
    if not items:
        near = did_you_mean(only, [part.name or "" for part in problem.parts]) if only else ""
        raise AttncalcError(f"expected a problem with a step to calculate{near}", Location(source))
    return items
