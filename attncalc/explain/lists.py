"""Lists as Documents: functions, the lessons, one of them with its inputs, options and steps, and the problems that come along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..lessons.base import Input, Lesson, Option
from .document import Block, Document, Heading, Paragraph, Table
from .reasons import reason

LESSONS_TITLE, PROBLEMS_TITLE, FUNCTIONS_TITLE = "Lessons", "Problems", "Functions"


def lessons_document(lessons: Iterable[Lesson]) -> Document:
    """Every lesson by its name and what it works out."""
    return Document([Heading(LESSONS_TITLE), Table(("lesson", "what it works out"), tuple((one.name, one.doc) for one in lessons))])


def lesson_document(lesson: Lesson) -> Document:
    """One lesson: a table each for its inputs, its options with their defaults, its steps, and the reason for each step."""
    return Document([Heading(lesson.name), Paragraph(lesson.doc, "ask"), *_tables(lesson)])


def problems_document(titles: Iterable[tuple[str, str]]) -> Document:
    """Problems by the name that `attncalc solve` takes, and their titles."""
    return Document([Heading(PROBLEMS_TITLE), Table(("name", "title"), tuple(titles))])


def functions_document(functions: Iterable[tuple[str, str, str]]) -> Document:
    """Functions of the formula language: how each is called, what it is, and the formula that it stands for, where there is one."""
    rows = tuple((call, f"{doc} = {formula}" if formula else doc) for call, doc, formula in functions)
    return Document([Heading(FUNCTIONS_TITLE), Table(("function", "what it is"), rows)])


def _tables(lesson: Lesson) -> Iterator[Block]:
    told = (
        ("inputs", ("name", "", "what it is"), [(one.name, _needed(one), one.doc) for one in lesson.inputs]),
        ("options", ("name", "default", "what it chooses"), [(one.name, one.default, _meaning(one)) for one in lesson.options]),
        ("steps", ("name", "what it is"), list(lesson.steps.items())),
        ("why", ("step", "why it is there, and what often goes wrong"), [(step, reason(lesson.name, step)) for step in lesson.steps]),
    )
    for title, heads, rows in told:
        if rows:
            yield Heading(title, 2)
            yield Table(heads, tuple(rows))


def _needed(one: Input) -> str:
    return "optional" if one.optional else "named" if one.named else ""


def _meaning(option: Option) -> str:
    return option.doc + (f" ({', '.join(option.words)})" if option.words else "")
