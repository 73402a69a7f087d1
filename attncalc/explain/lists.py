"""Lists as Documents: functions, the lessons, one of them with its inputs, options and steps, and the problems that
come along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..errors import counted, listed
from ..lessons.base import Input, Lesson, Option
from ..problem.syllabus import Entry
from .document import Block, Document, Heading, Paragraph, Table
from .reasons import reason

LESSONS_TITLE, PROBLEMS_TITLE, FUNCTIONS_TITLE = "Lessons", "Problems", "Functions"
COURSE = (
    "A course from easy to hard. The minutes are for working by hand, with a calculator. To read more about one: "
    "attncalc problems NAME. To solve it: attncalc solve NAME."
)
COURSE_HEADS = ("name", "minutes", "what it teaches")


def lessons_document(lessons: Iterable[Lesson]) -> Document:
    """Every lesson by its name and what it works out."""
    return Document(
        [Heading(LESSONS_TITLE), _table(("lesson", "what it works out"), ((one.name, one.doc) for one in lessons))]
    )


def lesson_document(lesson: Lesson) -> Document:
    """One lesson: a table each for its inputs, its options with their defaults, its steps, and the reason for each
    step.
    """
    return Document([Heading(lesson.name), Paragraph(lesson.doc, "ask"), *_tables(lesson)])


def problems_document(entries: Iterable[tuple[Entry, str]]) -> Document:
    """The problems with their titles as a course, a table for each chapter: the name that `attncalc solve` takes,
    minutes, and what it teaches.
    """
    document = Document([Heading(PROBLEMS_TITLE), Paragraph(COURSE, "note")])
    for chapter, together in groupby(entries, key=lambda pair: pair[0].chapter):
        chosen = list(together)
        rows = tuple((entry.name, str(entry.minutes), _told(entry, title)) for entry, title in chosen)
        document.blocks += [
            Heading(chapter, 2, minutes(sum(entry.minutes for entry, _ in chosen))),
            Table(COURSE_HEADS, rows, frozenset({1}), frozenset({0})),
        ]
    return document


def problem_document(entry: Entry, title: str, parts: Iterable[str]) -> Document:
    """One of them: what it teaches, how long it takes by hand, what to read before and after, and what it asks."""
    rows = [("chapter", entry.chapter), ("by hand", minutes(entry.minutes)), ("first do", ", ".join(entry.first)),
            ("then go on with", ", ".join(entry.then)),
            ("source of the idea", entry.read), ("solution", f"attncalc solve {entry.name}")]  # fmt: skip
    asked = [Paragraph(text, "note", True) for text in parts]
    return Document(
        [Heading(title), Paragraph(entry.teaches, "ask"), *asked, Table(("", ""), tuple(row for row in rows if row[1]))]
    )


def minutes(count: int) -> str:
    """`45 minutes`, `1 hour 10 minutes`"""
    hours, rest = divmod(count, 60)
    told = [counted(hours, "hour")] * bool(hours) + [counted(rest, "minute")] * bool(rest)
    return " ".join(told)


def _told(entry: Entry, title: str) -> str:
    """What a problem teaches, and its neighbours on the way."""
    before = f" First do {listed(entry.first)}." if entry.first else ""
    after = f" Then go on with {listed(entry.then)}." if entry.then else ""
    return f"{title}. {entry.teaches}{before}{after}".replace("?.", "?")


def functions_document(functions: Iterable[tuple[str, str, str]]) -> Document:
    """Functions of the formula language: how each is called, what it is, and the formula that it stands for, where
    there is one.
    """
    rows = ((call, f"{doc}; the same as {formula}" if formula else doc) for call, doc, formula in functions)
    return Document([Heading(FUNCTIONS_TITLE), _table(("function", "what it is"), rows)])


def _tables(lesson: Lesson) -> Iterator[Block]:
    told = (
        ("inputs", ("name", "", "what it is"), [(one.name, _needed(one), one.doc) for one in lesson.inputs]),
        (
            "options",
            ("name", "default", "what it chooses"),
            [(one.name, one.default, _meaning(one)) for one in lesson.options],
        ),
        ("steps", ("name", "what it is"), list(lesson.steps.items())),
        (
            "why",
            ("step", "why it is there, and what often goes wrong"),
            [(step, reason(lesson.name, step)) for step in lesson.steps],
        ),
    )
    for title, heads, rows in told:
        if rows:
            yield Heading(title, 2)
            yield _table(heads, rows, 1 + ("default" in heads))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], typed: int = 1) -> Table:
    """Rows whose first entry, or first two, are to be typed into a file."""
    return Table(heads, tuple(rows), typed=frozenset(range(typed)))


def _needed(one: Input) -> str:
    return "optional" if one.optional else "named" if one.named else ""


def _meaning(option: Option) -> str:
    return option.doc + (f" ({', '.join(option.words)})" if option.words else "")
