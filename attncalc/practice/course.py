"""A course: which exercises there are, in which order, and how far hints go. Plain data, which a server and a static
site hand to `respond`.

    {"title": ..., "hints": 5, "groups": [{"title": ..., "items": [{"id", "title", "about", "source"}]}]}
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..generator.recipe import RECIPES, drawn_lessons
from ..lessons import LESSONS
from ..problem.data import data_of
from ..problem.file import build_problem
from ..problem.model import Part
from ..problem.read import read_yaml
from ..problem.text import Mapping, Scalar, Sequence, read_text, text_at
from ..resources import folder, problem_file, problem_names
from . import texts

Course = dict[str, Any]
Item = dict[str, Any]

LARGEST = 120  # entries of the largest matrix that is typed by hand
OWN = ("about", "part")  # what an exercise of a path says beside what a question of a sheet does
REPLACED = ("ask", "asked", "points", "rounding")  # what a sheet says in place of the problem


def whole_course() -> Course:
    """Everything that comes with attncalc: the path, every lesson that has a generator, and the problems of the
    lectures.
    """
    lessons = [_lesson(name) for name in LESSONS if name in _drawn()]
    return _course(texts.TITLE, [_bundled("attention"), (texts.LESSONS_TITLE, lessons), _bundled("lectures")])


def _drawn() -> set[str]:
    """The lessons that have a generator."""
    return {*RECIPES, *drawn_lessons()}


def items_of(course: Course) -> list[Item]:
    """The exercises of all groups of a course."""
    return [item for group in course["groups"] for item in group["items"]]


def _course(title: str, groups: list[tuple[str, list[Item]]]) -> Course:
    """Items get their ids here: the words of their titles, and a number where the same ones come again."""
    seen: dict[str, int] = {}
    for item in (item for _, items in groups for item in items):
        words = re.sub(r"[\W_]+", "-", item["title"].casefold()).strip("-")[:60]
        seen[words] = seen.get(words, 0) + 1
        item["id"] = words if seen[words] == 1 else f"{words}-{seen[words]}"
    return {
        "title": title,
        "hints": len(texts.RUNGS),
        "groups": [{"title": title, "items": items} for title, items in groups],
    }


def _bundled(name: str) -> tuple[str, list[Item]]:
    """A path that comes with attncalc, which is known to be sound: nothing is worked out before it is practised."""
    file = folder("problems") / "paths" / f"{name}.yaml"
    tree = data_of(read_yaml(file.read_text(encoding="utf-8"), str(file)))
    return tree["title"], [item for entry in tree["path"] for item in _items(entry, str(file))]


def _lesson(name: str, **asked: Any) -> Item:
    title, source = name.replace("_", " "), {"generate": name, "with": {}, **asked}
    for plain, spelt in texts.SPELT.items():
        title = title.replace(plain, spelt)
    return {"title": title[0].upper() + title[1:], "about": LESSONS[name].doc, "source": source}


def course_at(name: str) -> Course:
    """The course of a file, or of a name: a lesson, a problem, a sheet or a path. Raises AttncalcError."""
    return course_of(name, read_text(read_bytes(name), name) if os.path.isfile(name) else None)


def course_of(name: str, text: str | None) -> Course:
    """The course of one lesson, or of the text of a file: a problem, an exam sheet, or a path of one's own. Raises
    AttncalcError.
    """
    if text is None:
        return _named(name)
    tree = read_yaml(text, name)
    if isinstance(tree, Mapping) and "path" in tree:
        return _of_path(tree, name)
    if isinstance(tree, Mapping) and "questions" in tree:
        from ..exam.sheet import read_sheet  # slow to import, and seldom needed

        read_sheet(text, name)
        return _of_entries(tree, "questions", name)
    items = _parts(text, name)
    return _course(items[0]["title"], [(items[0]["title"], items)])


def _named(name: str) -> Course:
    """Only the exercises of a lesson, of a bundled problem, sheet or path; `path` is the one from a dot product to a
    decoder layer.
    """
    home = folder("problems")
    files = {file.stem: file for place in ("sheets", "paths") for file in sorted((home / place).glob("*.yaml"))}
    files["path"] = home / "paths" / "attention.yaml"
    if name in _drawn():
        return _course(texts.TITLE, [(texts.LESSONS_TITLE, [_lesson(name)])])
    file = problem_file(name) or files.get(name)
    if file is None:
        near = did_you_mean(name, [*files, *_drawn(), *problem_names()])
        there = near or "; `attncalc lessons` and `attncalc problems` list them"
        raise AttncalcError(f"expected a lesson, a problem, a sheet or a path, found {shorten(name)!r}{there}")
    return course_of(str(file), Path(file).read_text(encoding="utf-8"))


def _of_path(tree: Mapping, source: str) -> Course:
    """A path: its exercises are questions as in an exam sheet, and are checked as such; `hints: 0..5` says how far
    hints go.
    """
    from ..exam.sheet import questions_of

    faults = Diagnostics()
    tree.reject_unknown(["format", "title", "hints", "rounding", "path"], "a path", faults)
    hints, most = tree.get("hints"), len(texts.RUNGS)
    if hints is not None and not (
        isinstance(hints, Scalar) and re.fullmatch("[0-9]", hints.text) and int(hints.text) <= most
    ):
        faults.add(f"hints: expected a whole number from 0 to {most}", hints.place)
    node = tree.pairs["path"][1]
    if isinstance(node, Sequence):
        node = Sequence([_without(item, OWN) if isinstance(item, Mapping) else item for item in node.items], node.place)
    pairs = {**_without(tree, ("hints",)).pairs, "questions": (tree.pairs["path"][0], node)}
    try:
        questions_of(Mapping(pairs, tree.place), source)
    except AttncalcError as error:
        faults.extend(error)
    faults.raise_any()
    course = _of_entries(tree, "path", source)
    return course | {"hints": int(hints.text)} if isinstance(hints, Scalar) else course


def _without(tree: Mapping, words: tuple[str, ...]) -> Mapping:
    return Mapping({word: pair for word, pair in tree.pairs.items() if word not in words}, tree.place)


def _of_entries(tree: Mapping, key: str, source: str) -> Course:
    title = text_at(tree, "title", Diagnostics()) or texts.TITLE
    whole = data_of(tree)
    usual = {"rounding": whole["rounding"]} if "rounding" in whole else {}
    return _course(title, [(title, [item for entry in whole[key] for item in _items(entry, source, usual)])])


def _items(entry: Any, source: str, usual: Any = None) -> Iterator[Item]:
    """The exercises of one question: generate: with:, problem:, or each one of one_of:."""
    if "one_of" in entry:
        outer = {key: value for key, value in entry.items() if key != "one_of"}
        for inner in entry["one_of"]:
            yield from _items(outer | inner, source, usual)
        return
    if "generate" not in entry and "problem" not in entry:
        return  # ticked, or marked by hand
    told = {word: entry[word] for word in ("title", "about") if word in entry}
    own = {word: entry[word] for word in REPLACED if word in entry}
    if "generate" in entry:
        asked = {"with": entry.get("with") or {}, "own": (usual or {}) | own}
        yield _lesson(entry["generate"], **asked) | told
        return
    text = _text(entry["problem"], source)
    if "title" in entry and usual is None:  # bundled: nothing is worked out before it is practised
        found = [{"about": "", **told, "source": {"text": text, "part": entry.get("part")}}]
    else:
        found = _parts(text, entry["problem"], entry.get("part"), entry.get("title", ""))
    for item in found:
        item["source"] |= {"own": own, "usual": usual or {}}
        yield item


def _text(name: str, source: str) -> str:
    """The text of a problem beside a path, else of a bundled one. Raises AttncalcError."""
    from ..exam.beside import beside

    path = beside(source, name, "problem", Location(source))
    file = path if os.path.isfile(path) else problem_file(name.removesuffix(".yaml"))
    assert file is not None, "the sheet's reader has looked for it"
    return read_text(read_bytes(file), file)


def _parts(text: str, source: str, only: str | None = None, title: str = "") -> list[Item]:
    """One exercise for each part of a problem, or for one alone, that is not too large to be typed. Raises
    AttncalcError.
    """
    faults = Diagnostics()
    problem = build_problem(read_yaml(text, source, faults), source, source, faults)
    faults.raise_any()
    title, found = title or problem.title or problem.name, []
    for part in problem.parts:
        words = part.title or (part.name or "").replace("_", " ")
        if only in (None, part.name) and _is_typed(part):
            named = f"{title}: {words}" if len(problem.parts) > 1 and only is None else title
            about = shorten(part.ask or problem.ask, 160)
            found.append({"title": named, "about": about, "source": {"text": text, "part": part.name}})
    if not found:
        near = did_you_mean(only, [part.name or "" for part in problem.parts]) if only else ""
        raise AttncalcError(Diagnostic(f"expected a problem with a step to calculate{near}", Location(source)))
    return found


def _is_typed(part: Part) -> bool:
    steps = part.plan.steps
    return any(not step.given for step in steps) and all(step.node.size <= LARGEST for step in steps)
