"""Lists as Documents: functions, bundled problems, and lessons with inputs, options and steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..errors import counted, listed
from ..lessons.lesson import Input, Lesson, Option
from ..problem.syllabus import Entry
from .document import Block, Document, Heading, Paragraph, Table
from .reasons import reason

LESSONS, PROBLEMS, FUNCTIONS = "Lessons", "Problems", "Functions"

COURSE = (
    "A course from easy to hard. The minutes are for work by hand with a calculator. To read more about one: "
    "attncalc problems NAME. To solve it: attncalc solve NAME."
)
COURSE_HEADS = ("name", "minutes", "topic")
CHAPTER, BY_HAND, FIRST, THEN, READ, SOLUTION = (
    "chapter", "by hand", "first do", "then continue with", "source of the idea", "solution",
)  # fmt: skip
LESSON_HEADS = ("lesson", "result")
FUNCTION_HEADS = ("function", "what it is")
INPUT_HEADS = ("name", "", "what it is")
OPTION_HEADS = ("name", "default", "choice")
STEP_HEADS = ("name", "what it is")
SOURCE = "Source of the definition: {}"
WHY_HEADS = ("step", "its purpose, and common mistakes")

# The meanings of letters in the formulas of lessons
SYMBOLS = {
    "d_k": "the number of features of a key",
    "d": "the number of features, of a token or of a head",
    "n": "the number of tokens",
    "words": "the number of words in the vocabulary",
    "pos": "the position of a token, counted from 0; i counts from 0 to d/2 − 1",
}


def lessons_document(lessons: Iterable[Lesson]) -> Document:
    return Document([Heading(LESSONS), _table(LESSON_HEADS, ((lesson.name, lesson.doc) for lesson in lessons))])


def lesson_document(lesson: Lesson) -> Document:
    """Return the page of a lesson: its inputs, its options with defaults, its steps, and the reason for each step."""
    cited = [Paragraph(SOURCE.format(lesson.source), "source")] if lesson.source else []
    return Document([Heading(lesson.name), Paragraph(lesson.doc, "ask"), *cited, *_tables(lesson)])


def problems_document(entries: Iterable[tuple[Entry, str]]) -> Document:
    """Return the bundled problems as a course, with a table for each chapter: name, minutes and subject."""
    document = Document([Heading(PROBLEMS), Paragraph(COURSE, "note")])
    for chapter, together in groupby(entries, key=lambda pair: pair[0].chapter):
        chosen = list(together)
        rows = tuple(
            (entry.name, str(entry.minutes), _course_line(title, entry.teaches, entry.first, entry.then))
            for entry, title in chosen
        )
        document.blocks += [
            Heading(chapter, 2, minutes(sum(entry.minutes for entry, _ in chosen))),
            Table(COURSE_HEADS, rows, frozenset({1}), frozenset({0})),
        ]
    return document


def problem_document(entry: Entry, title: str, parts: Iterable[str]) -> Document:
    """Return the page of a bundled problem: subject, working time, problems before and after it, and questions."""
    rows = [(CHAPTER, entry.chapter), (BY_HAND, minutes(entry.minutes)),
            (FIRST, ", ".join(entry.first)), (THEN, ", ".join(entry.then)),
            (READ, entry.read), (SOLUTION, f"attncalc solve {entry.name}")]  # fmt: skip
    asked = [Paragraph(text, "note", True) for text in parts]
    return Document(
        [Heading(title), Paragraph(entry.teaches, "ask"), *asked, Table(("", ""), tuple(row for row in rows if row[1]))]
    )


def minutes(count: int) -> str:
    """Return `45 minutes`, `1 hour 10 minutes`."""
    hours, rest = divmod(count, 60)
    quantities = [counted(hours, "hour")] * bool(hours) + [counted(rest, "minute")] * bool(rest)
    return " ".join(quantities)


def functions_document(functions: Iterable[tuple[str, str, str]]) -> Document:
    """Return the functions of the formula language: signature, description, and defining formula if there is one."""
    rows = ((call, f"{doc}; the same as {formula}" if formula else doc) for call, doc, formula in functions)
    return Document([Heading(FUNCTIONS), _table(FUNCTION_HEADS, rows)])


def _tables(lesson: Lesson) -> Iterator[Block]:
    sections = (
        (
            "inputs",
            INPUT_HEADS,
            [(lesson_input.name, _requirement(lesson_input), lesson_input.doc) for lesson_input in lesson.inputs],
        ),
        ("options", OPTION_HEADS, [(option.name, option.default, _meaning(option)) for option in lesson.options]),
        ("steps", STEP_HEADS, list(lesson.steps.items())),
        ("why", WHY_HEADS, [(step, reason(lesson.name, step)) for step in lesson.steps]),
    )
    for title, heads, rows in sections:
        if rows:
            yield Heading(title, 2)
            yield _table(heads, rows, 1 + ("default" in heads))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], typed: int = 1) -> Table:
    """Return a table. Its first `typed` columns have the notation of problem files."""
    return Table(heads, tuple(rows), typed=frozenset(range(typed)))


def _requirement(lesson_input: Input) -> str:
    return "optional" if lesson_input.optional else "named" if lesson_input.named else ""


def _meaning(option: Option) -> str:
    return option.doc + (f" ({', '.join(option.words)})" if option.words else "")


def _course_line(title: str, teaches: str, first: tuple[str, ...], then: tuple[str, ...]) -> str:
    """Return a problem's title, its subject, and the problems before and after it."""
    before = f" First do {listed(first)}." if first else ""
    after = f" Continue with {listed(then)}." if then else ""
    return f"{title}. {teaches}{before}{after}".replace("?.", "?")
