"""What lists, pages of lessons, problems and mistakes, and formula sheets say: change or translate it here."""

from __future__ import annotations

from ..errors import listed

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

# What the letters of a formula sheet count
SYMBOLS = {
    "d_k": "the number of features of a key",
    "d": "the number of features, of a token or of a head",
    "n": "the number of tokens",
    "words": "the number of words in the vocabulary",
    "pos": "the position of a token, counted from 0; i counts from 0 to d/2 − 1",
}


def course_line(title: str, teaches: str, first: tuple[str, ...], then: tuple[str, ...]) -> str:
    """What a problem teaches, and its neighbours on the way."""
    before = f" First do {listed(first)}." if first else ""
    after = f" Then go on with {listed(then)}." if then else ""
    return f"{title}. {teaches}{before}{after}".replace("?.", "?")


def same_as(doc: str, formula: str) -> str:
    """What a function is, and the formula that it stands for."""
    return f"{doc}; the same as {formula}" if formula else doc


def no_effect_when(when: str) -> str:
    """When a mistake changes nothing."""
    return f"It does not show when {when}."


def purpose(why: str) -> str:
    """Why a step is there, below the mistake in it."""
    return f"What this step is for: {why}"


def lesson_of(name: str) -> str:
    """Where the other steps are explained."""
    return f"All steps of its lesson: attncalc lessons {name}"
