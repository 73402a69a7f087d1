"""Examples of how an answer is written, for messages about forms that are not read, and the shape of such messages."""

from __future__ import annotations

import re

from ..errors import shorten

KEEP = "keep only the answers"
NUMBER, MATRIX = "0.5", "[[1, 2], [3, 4]]"
NOTHING = "expected answers, such as"  # begins the messages about a file without any
NO_ANSWERS = f"{NOTHING} `S = {MATRIX}`, found an empty file"
NOT_CLOSED = f"expected a closing bracket, as in `S = {MATRIX}`; found none for this bracket"
UNMATCHED = "this closing bracket has no opening bracket"
MORE_BEHIND = f"a matrix ends with its closing bracket, but more text follows; write only the matrix, such as {MATRIX}"
LONGEST = 300  # characters of a text that is looked at
ONLY_MATRIX = f"expected only a matrix, such as S = {MATRIX}; found more text {{}} it"
_SEVERAL = re.compile(r"[-+−]?[0-9.]+[\s,;&|]+[-+−]?[0-9.]|[\[|&]")


def beyond(limit: str, amount: str = "more", remedy: str = KEEP) -> str:
    """Return the message about a limit: what is expected, what was there, and what to do.

    >>> beyond("at most 9 rows", "12")
    'expected at most 9 rows, found 12; keep only the answers'
    """
    return f"expected {limit}, found {amount}; {remedy}"


def no_end(environment: str) -> str:
    """Return the message about an environment of LaTeX that does not end."""
    example = rf"\begin{{{environment}}} 1 & 2 \end{{{environment}}}"
    return rf"expected \end{{{environment}}} after the matrix, such as {example}; found none"


def as_written(name: str, text: str = "") -> str:
    """Return how an answer of this name is written: with a matrix if the text has several numbers."""
    return f"`{shorten(name)} = {MATRIX if _SEVERAL.search(text[:LONGEST]) else NUMBER}`"
