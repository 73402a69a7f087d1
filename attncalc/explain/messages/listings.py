"""The sentences of lists, of pages on lessons, problems and mistakes, and of formula sheets, for changes and
translation.
"""

from __future__ import annotations

from ...errors import listed

LESSONS, PROBLEMS, FUNCTIONS = "Lessons", "Problems", "Functions"
MISTAKES, SLIPS = "Mistakes with a name", "slips (sign, copying, digits), in any step"

COURSE = (
    "A course from easy to hard. The minutes are for working by hand, with a calculator. To read more about one: "
    "attncalc problems NAME. To solve it: attncalc solve NAME."
)
COURSE_HEADS = ("name", "minutes", "what it teaches")
CHAPTER, BY_HAND, FIRST, THEN, READ, SOLUTION = (
    "chapter", "by hand", "first do", "then go on with", "source of the idea", "solution",
)  # fmt: skip
LESSON_HEADS = ("lesson", "what it works out")
FUNCTION_HEADS = ("function", "what it is")
INPUT_HEADS = ("name", "", "what it is")
OPTION_HEADS = ("name", "default", "what it chooses")
STEP_HEADS = ("name", "what it is")
SOURCE = "Source of the definition: {}"
WHY_HEADS = ("step", "why it is there, and what often goes wrong")

MISTAKE_HEADS = ("code", "what was probably done")
COMMON = "A common mistake: several public sources report it."
OCCASIONAL = "An occasional mistake: few public sources report it."
RIGHT, MISTAKEN = "the right formula", "with the mistake"

# The meanings of letters on a formula sheet
SYMBOLS = {
    "d_k": "the number of features of a key",
    "d": "the number of features, of a token or of a head",
    "n": "the number of tokens",
    "words": "the number of words in the vocabulary",
    "pos": "the position of a token, counted from 0; i counts from 0 to d/2 − 1",
}


def course_line(title: str, teaches: str, first: tuple[str, ...], then: tuple[str, ...]) -> str:
    """Return a problem's title, its subject, and the problems before and after it."""
    before = f" First do {listed(first)}." if first else ""
    after = f" Then go on with {listed(then)}." if then else ""
    return f"{title}. {teaches}{before}{after}".replace("?.", "?")


def same_as(doc: str, formula: str) -> str:
    """Return a function's description with the formula of its definition."""
    return f"{doc}; the same as {formula}" if formula else doc


def no_effect_when(when: str) -> str:
    """Return the condition under which a mistake has no effect."""
    return f"It does not show when {when}."


def purpose(why: str) -> str:
    """Return the purpose of a step, for the page of a mistake in it."""
    return f"What this step is for: {why}"


def lesson_of(name: str) -> str:
    """Return where the other steps are explained."""
    return f"All steps of its lesson: attncalc lessons {name}"
