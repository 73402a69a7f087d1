"""Lists as Documents: functions, lessons with inputs, options and steps, and the bundled problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..errors import counted
from ..lessons.lesson import Input, Lesson, Option
from ..problem.syllabus import Entry
from .document import Block, Document, Heading, Paragraph, Table
from .messages import listings as texts
from .reasons import reason


def lessons_document(lessons: Iterable[Lesson]) -> Document:
    """Return the list of lessons with their descriptions."""
    return Document(
        [Heading(texts.LESSONS), _table(texts.LESSON_HEADS, ((lesson.name, lesson.doc) for lesson in lessons))]
    )


def lesson_document(lesson: Lesson) -> Document:
    """Return the page of a lesson: tables of its inputs, options with defaults, steps, and the reason for each step."""
    cited = [Paragraph(texts.SOURCE.format(lesson.source), "source")] if lesson.source else []
    return Document([Heading(lesson.name), Paragraph(lesson.doc, "ask"), *cited, *_tables(lesson)])


def problems_document(entries: Iterable[tuple[Entry, str]]) -> Document:
    """Return the bundled problems as a course, a table for each chapter: name, minutes, and subject."""
    document = Document([Heading(texts.PROBLEMS), Paragraph(texts.COURSE, "note")])
    for chapter, together in groupby(entries, key=lambda pair: pair[0].chapter):
        chosen = list(together)
        rows = tuple(
            (entry.name, str(entry.minutes), texts.course_line(title, entry.teaches, entry.first, entry.then))
            for entry, title in chosen
        )
        document.blocks += [
            Heading(chapter, 2, minutes(sum(entry.minutes for entry, _ in chosen))),
            Table(texts.COURSE_HEADS, rows, frozenset({1}), frozenset({0})),
        ]
    return document


def problem_document(entry: Entry, title: str, parts: Iterable[str]) -> Document:
    """Return the page of a bundled problem: its subject, working time, neighbours in the course, and questions."""
    rows = [(texts.CHAPTER, entry.chapter), (texts.BY_HAND, minutes(entry.minutes)),
            (texts.FIRST, ", ".join(entry.first)), (texts.THEN, ", ".join(entry.then)),
            (texts.READ, entry.read), (texts.SOLUTION, f"attncalc solve {entry.name}")]  # fmt: skip
    asked = [Paragraph(text, "note", True) for text in parts]
    return Document(
        [Heading(title), Paragraph(entry.teaches, "ask"), *asked, Table(("", ""), tuple(row for row in rows if row[1]))]
    )


def minutes(count: int) -> str:
    """`45 minutes`, `1 hour 10 minutes`"""
    hours, rest = divmod(count, 60)
    quantities = [counted(hours, "hour")] * bool(hours) + [counted(rest, "minute")] * bool(rest)
    return " ".join(quantities)


def functions_document(functions: Iterable[tuple[str, str, str]]) -> Document:
    """Return the functions of the formula language: signature, description, and defining formula if there is one."""
    rows = ((call, texts.same_as(doc, formula)) for call, doc, formula in functions)
    return Document([Heading(texts.FUNCTIONS), _table(texts.FUNCTION_HEADS, rows)])


def _tables(lesson: Lesson) -> Iterator[Block]:
    sections = (
        (
            "inputs",
            texts.INPUT_HEADS,
            [(lesson_input.name, _requirement(lesson_input), lesson_input.doc) for lesson_input in lesson.inputs],
        ),
        ("options", texts.OPTION_HEADS, [(option.name, option.default, _meaning(option)) for option in lesson.options]),
        ("steps", texts.STEP_HEADS, list(lesson.steps.items())),
        ("why", texts.WHY_HEADS, [(step, reason(lesson.name, step)) for step in lesson.steps]),
    )
    for title, heads, rows in sections:
        if rows:
            yield Heading(title, 2)
            yield _table(heads, rows, 1 + ("default" in heads))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], typed: int = 1) -> Table:
    """Return a table whose first `typed` columns are typed into files."""
    return Table(heads, tuple(rows), typed=frozenset(range(typed)))


def _requirement(lesson_input: Input) -> str:
    return "optional" if lesson_input.optional else "named" if lesson_input.named else ""


def _meaning(option: Option) -> str:
    return option.doc + (f" ({', '.join(option.words)})" if option.words else "")
