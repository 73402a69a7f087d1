"""A course: which exercises there are, in which order, and how far hints go. Plain data, which a server and a static site hand to `respond`.

    {"title": ..., "hints": 5, "groups": [{"title": ..., "items": [{"id", "title", "about", "source"}]}]}
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ..exam.beside import beside
from ..generator.recipe import RECIPES
from ..lessons import LESSONS
from ..problem.file import build_problem
from ..problem.text import Mapping, Scalar, Sequence, read_text, read_yaml, text_at
from ..resources import folder, problem_file, problem_names
from . import texts
from .tasks import plain, specified

Course = dict[str, Any]

LARGEST = 120  # entries of the largest matrix that is typed by hand
MOST_ITEMS = 200


def whole_course() -> Course:
    """Everything that comes with attncalc: the path, every lesson that has a generator, and the problems of the list."""
    path = [{"id": name, "title": title, "about": about, "source": _filled(source)} for name, title, about, source in texts.PATH]
    lessons = [{"id": f"lesson:{name}", **_lesson(name)} for name in RECIPES]
    problems = [
        {"id": _joined(f"problem:{name}", part), "title": title, "about": "", "source": _filled({"problem": name, "part": part})}
        for name, part, title in texts.PROBLEMS
    ]
    groups = ((texts.PATH_TITLE, path), (texts.LESSONS_TITLE, lessons), (texts.PROBLEMS_TITLE, problems))
    return {"title": texts.TITLE, "hints": len(texts.RUNGS), "groups": [{"title": title, "items": items} for title, items in groups]}


def _lesson(name: str) -> dict[str, Any]:
    return {"title": name.replace("_", " ").capitalize(), "about": LESSONS[name].doc, "source": {"generate": name, "with": {}}}


def _filled(source: dict[str, Any]) -> dict[str, Any]:
    """A source with the text of its problem in place of the name."""
    return {"text": _text(source["problem"]), "part": source.get("part")} if "problem" in source else source


def _text(name: str) -> str:
    file = problem_file(name)
    if file is None:
        near = did_you_mean(name, problem_names()) or "; `attncalc problems` lists them"
        raise AttncalcError(f"expected a bundled problem, found {shorten(name)!r}{near}")
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def _joined(item: str, part: str | None) -> str:
    return f"{item}/{part}" if part else item


def problem_items(text: str, source: str, item: str, title: str = "", about: str = "") -> list[dict[str, Any]]:
    """One exercise for each part of a problem that is not too large to be typed."""
    faults = Diagnostics()
    tree = read_yaml(text, source, faults)
    problem = build_problem(tree, source, item, faults)
    found = []
    for part in problem.parts:
        name = f"{item}/{part.name}" if len(problem.parts) > 1 else item
        words = part.title or (part.name or "").replace("_", " ")
        told = f"{title or problem.title}: {words}" if len(problem.parts) > 1 else title or problem.title
        if any(not step.given for step in part.plan.steps) and all(step.node.size <= LARGEST for step in part.plan.steps):
            found.append({"id": name, "title": told, "about": about or shorten(part.ask or problem.ask, 160),
                          "source": {"data": plain(tree), "part": part.name}})  # fmt: skip
    if not found:
        raise AttncalcError(Diagnostic("expected a problem with a step to calculate", Location(source)))
    return found


def course_of(name: str, text: str | None) -> Course:
    """The course of one lesson, or of the text of a file: a problem, an exam sheet, or a path of one's own."""
    if text is None:
        return _only(whole_course(), name)
    course: Course = {"title": texts.TITLE, "hints": len(texts.RUNGS), "groups": []}
    tree = read_yaml(text, name)
    if isinstance(tree, Mapping) and ("questions" in tree or "path" in tree):
        return _of_sheet(tree, course, name)
    items = problem_items(text, name, "problem")
    return course | {"title": items[0]["title"], "groups": [{"title": items[0]["title"], "items": items}]}


def _only(course: Course, name: str) -> Course:
    """Only the exercises of a lesson or of a bundled problem; `path` is all of the path."""
    if name == "path":
        return course | {"groups": course["groups"][:1]}
    known = ["path", *RECIPES, *problem_names(), *_sheets()]
    if name in _sheets():
        return course_of(str(_sheets()[name]), _sheets()[name].read_text(encoding="utf-8"))
    if name in RECIPES:
        items = [{"id": name, **_lesson(name)}]
    elif name in known:
        items = problem_items(_text(name), name, name)
    else:
        there = did_you_mean(name, known) or "; `attncalc lessons` and `attncalc problems` list them"
        raise AttncalcError(f"expected a lesson, a problem, a sheet or a path, found {shorten(name)!r}{there}")
    return course | {"title": items[0]["title"], "groups": [{"title": items[0]["title"], "items": items}]}


def _sheets() -> dict[str, Path]:
    """The bundled exam sheets by their names."""
    return {file.stem: file for file in sorted((folder("problems") / "sheets").glob("*.yaml"))}


def _of_sheet(tree: Mapping, course: Course, source: str) -> Course:
    """The questions of an exam sheet, or the exercises of a path, in their order; `hints: 0..5` says how far hints go."""
    faults = Diagnostics()
    node = tree.get("path") or tree.get("questions")
    title = text_at(tree, "title", faults) or texts.TITLE
    items: list[dict[str, Any]] = []
    if "path" in tree:
        tree.reject_unknown(["format", "title", "hints", "path"], "a path", faults)
    if not isinstance(node, Sequence) or not node.items or len(node.items) > MOST_ITEMS:
        raise AttncalcError(Diagnostic(f"expected a list of 1 to {MOST_ITEMS} exercises", (node or tree).place))
    for item in node.items:
        try:
            if isinstance(item, Mapping) and "path" in tree:
                item.reject_unknown(["generate", "with", "problem", "title", "about"], "an exercise", faults)
            items += _entries(item, len(items) + 1, faults)
        except AttncalcError as error:
            faults.extend(error)
    rungs = tree.get("hints")
    most = len(texts.RUNGS)
    if isinstance(rungs, Scalar) and rungs.text.isdecimal() and int(rungs.text[:4]) <= most:
        course["hints"] = int(rungs.text[:4])
    elif rungs is not None and "path" in tree:
        faults.add(f"hints: expected a whole number from 0 to {most}", rungs.place)
    faults.raise_any()
    return course | {"title": title, "groups": [{"title": title, "items": items}]}


def _entries(node: Any, number: int, faults: Diagnostics) -> list[dict[str, Any]]:
    """The exercises of one question: generate: with:, problem:, or each one of one_of:."""
    if not isinstance(node, Mapping):
        raise AttncalcError(Diagnostic("expected an exercise (generate: or problem:)", node.place))
    if isinstance(several := node.get("one_of"), Sequence):
        return [one for k, inner in enumerate(several.items) for one in _entries(inner, number + k, faults)]
    lesson, problem = text_at(node, "generate", faults), text_at(node, "problem", faults)
    title, about = text_at(node, "title", faults), text_at(node, "about", faults)
    if problem:
        path = beside(node.place.source, problem, "problem", node.place)
        text = read_text(read_bytes(path), path) if os.path.isfile(path) else _text(problem.removesuffix(".yaml"))
        return problem_items(text, problem, f"{number}:{problem}", title, about)
    if lesson not in RECIPES:
        near = did_you_mean(lesson, list(RECIPES)) or f"; there are {', '.join(RECIPES)}"
        raise AttncalcError(Diagnostic(f"expected generate: with a lesson, or problem:, found {shorten(lesson)!r}{near}", node.place))
    chosen = node.get("with")
    given = plain(chosen) if isinstance(chosen, Mapping) else {}
    words = {name: text for name, text in given.items() if isinstance(text, str)}
    try:
        specified(lesson, words)
    except AttncalcError as error:
        raise AttncalcError(Diagnostic(one.message, node.place) for one in error.faults) from None
    own = _lesson(lesson)
    return [{"id": f"{number}:{lesson}", "title": title or own["title"], "about": about or own["about"],
             "source": {"generate": lesson, "with": words}}]  # fmt: skip
