"""The limits of problem files. Each message about a limit, and the table in docs/problem-files.md, is made from a row
here.
"""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """A limit: its rule (a sentence with `{most}`), the number, and the remedy for the author."""

    rule: str
    most: int
    remedy: str

    def __str__(self) -> str:
        return self.rule.format(most=f"{self.most:,}")

    def exceeded(self, amount: int | str) -> str:
        """Return the message about an amount above the limit.

        >>> PARTS.exceeded(201)
        'a problem can have at most 200 parts; found 201; split it into several files'
        """
        return f"{self}; found {amount if isinstance(amount, str) else f'{amount:,}'}; {self.remedy}"


_STEP = "move a part of it into a separate step"
_FILES = "split it into several files"
_ASKED = "list fewer steps under `asked:`"
_SMALLER = "use smaller matrices or fewer steps"

FILE = Limit("a file can have at most {most} bytes", 1_000_000, _FILES)
NODES = Limit("a file can have at most {most} entries, counting each alias in full", 300_000, _FILES)
NESTED_LISTS = Limit("lists and mappings can be nested at most {most} levels deep", 40, "a matrix is a list of rows")
PARTS = Limit("a problem can have at most {most} parts", 200, _FILES)
STEPS = Limit("a problem can have at most {most} givens and steps", 2_000, _FILES)
SECONDS = Limit("the estimated time for a problem is limited to {most} s", 10, _SMALLER)
TURNS = Limit("a step can repeat at most {most} times", 100, "continue in another step that starts from the last value")
SIDE = Limit("a matrix can have at most {most} rows and {most} columns", 4_096, "use a smaller size")
ENTRIES = Limit("a matrix can have at most {most} entries", 262_144, "use a smaller size")
INLINE = Limit("a matrix in a formula can have at most {most} entries", 400, "put it under `given:`")
FORMULA = Limit("a formula can have at most {most} characters", 4_000, _STEP)
BRACKETS = Limit("brackets can be nested at most {most} levels deep", 60, _STEP)
CHAIN = Limit("at most {most} operations can be nested", 240, _STEP)
NESTED_OPERATIONS = Limit("after expansion, at most {most} operations can be nested", 300, _STEP)
OPERATIONS = Limit("after expansion, a formula can have at most {most} operations", 100_000, _STEP)
DIGITS = Limit("a number can have at most {most} digits", 1_000, "write it with an exponent, such as 1.5e900")
EXPONENT = Limit(
    "the exponent after e must be from -{most} to {most}",
    1_000,
    "for a different exponent, write a power such as 10 ** 2000",
)
WHOLE = Limit("sizes, positions and shifts can be at most {most}", 10**9, "use a smaller whole number")
DECIMALS = Limit("a number can be rounded to at most {most} decimals", 1_000, "use fewer decimals")
PRINTED = Limit(
    "a printed number can have at most {most} digits before the decimal point", 4_000, "print its logarithm instead"
)
BITS = Limit(
    "a step can be computed with at most {most} bits of precision",
    1 << 17,
    "ask for fewer digits, or use less extreme numbers",
)
QUESTIONS = Limit("an exam sheet can have at most {most} questions", 50, "split it into several sheets")
DRAWN = Limit(
    "an exam sheet can have at most {most} questions, counting every alternative in one_of",
    500,
    "make the lists shorter",
)
ACCEPTED = Limit("accept: can have at most {most} items", 100, "list only alternatives that students have written")
CERTIFIED = Limit("a formula in a certificate can have at most {most} parts", 20_000, _STEP)

ALL = tuple(value for value in list(globals().values()) if isinstance(value, Limit))

# Limits of output, which do not concern the problem file
FORM = Limit("an answer file or a table to fill in can have at most {most} entries per paper", 100_000, _ASKED)
CLASS_FORM = Limit("a table to fill in can have at most {most} entries", 300_000, _ASKED)
COMMON_DENOMINATOR = Limit(
    "the common denominator of a file's marks can have at most {most} digits",
    100,
    "round the marks, such as 1/3 to 0.33",
)
CHANGES = Limit(
    "a file can contain at most {most} changes to a key",
    200,
    "change the exam sheet, and pass the sheet instead of the file",
)
QUIZ = Limit("a quiz can have at most {most} answer fields", 2_000, _ASKED)
EXPORT = Limit(
    "an export can have at most {most} entries, counting given and asked ones",
    100_000,
    "export the sources in several files, or ask for fewer steps",
)
RUN = Limit(
    "the problems in one run can take at most {most} s of processor time together", 10, "solve fewer of them at once"
)
PAGE = Limit(
    "a document can have at most {most} digits", 40_000_000, "print fewer digits with --part, --step or --digits"
)


def table() -> str:
    """Return the limits as a table in Markdown."""
    rows = "".join(f"| {limit} | {limit.remedy} |\n" for limit in ALL)
    return f"| limit | what to do |\n| --- | --- |\n{rows}"
