"""A lesson that a formula calls as if it were a function, in the form in which a step takes it."""

from __future__ import annotations

from ..errors import shorten
from ..formula.functions import functions
from ..formula.parser import LONGEST_PROPOSED
from ..formula.syntax_tree import Call, Text, Tree, unparse, walk
from ..lessons import LESSONS
from ..lessons.synonyms import LESSON_NAMES, OPTION_NAMES


def as_lesson(tree: Tree) -> str:
    """`attention is a lesson; did you mean {attention: {Q: Q, K: K, V: V}}?` where a formula calls one, or nothing."""
    for part in walk(tree):
        if isinstance(part, Call) and (lesson := _lesson(part.function)):
            return f"{shorten(part.function)} is a lesson, a step of its own{_form(lesson, part)}"
    return ""


def _lesson(function: str) -> str:
    """The lesson that a function's name stands for; nothing for names of functions and of nothing."""
    return "" if function in functions() else function if function in LESSONS else LESSON_NAMES.get(function, "")


def _form(lesson: str, call: Call) -> str:
    """A step of the lesson with the call's arguments, where these are as many as the inputs that it needs."""
    inputs = [one.name for one in LESSONS[lesson].inputs if not one.optional]
    given = [f"{name}: {_text(argument)}" for name, argument in zip(inputs, call.arguments, strict=False)]
    chosen = filter(None, [_option(lesson, name, value) for name, value in call.options])
    form = f"{{{lesson}: {{{', '.join([*given, *chosen])}}}}}"
    fits = len(call.arguments) == len(inputs) and len(form) <= LONGEST_PROPOSED
    return f"; did you mean {form}?" if fits else f": {{{lesson}: ...}}"


def _option(lesson: str, name: str, value: Tree) -> str:
    """An option as a lesson has it, for the name that a library gives it."""
    known = LESSONS[lesson]
    if known.option(name) or known.input(name):
        return f"{name}: {_text(value)}"
    meant = OPTION_NAMES.get(name, "")
    if ":" not in meant:
        return f"{meant}: {_text(value)}" if meant else ""
    return meant if unparse(value) == "1" else ""


def _text(tree: Tree) -> str:
    return tree.value if isinstance(tree, Text) else unparse(tree)
