"""A value as a statement of free text has it, without marks and remarks around it."""

from __future__ import annotations

import re
from contextlib import suppress

from ...errors import AttncalcError
from ..located_text import UNREADABLE, Written
from ..number_parser import entry, looks_like_entry
from ..remarks import without_remark
from ..submission import Losses, Rows, Typed
from .detect import read_matrix

COMMENT = re.compile(r"(?<=\s)#.*$", re.MULTILINE)
LONGEST_HEAD = 300  # characters before a sign in which a name is looked for
_AROUND = " \t*`$"
_OPERAND = r"(?:sqrt\(|√ ?)?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\)?(?:\^\{?[-−]?[0-9]+\}?)?"
_ARITHMETIC = re.compile(rf"[-+−]? ?{_OPERAND}(?: *[+*/÷·⋅∙×] *{_OPERAND})+")
NUMBER = r"[-+−]?[0-9.]+(?:/[0-9.]+)?"
_OPENING = re.compile(r"(?:[\s$`]|\\[(\[]|\*\*(?=\s))+")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,2})(?=[^\s*_])(.+)(?<=[^\s*_])\1[.,;]?", re.DOTALL)  # of Markdown
_MOST_MARKS = 16  # around a value, one inside the other
# A line that may go on with an expression: numbers and signs of arithmetic, after names of functions are left out
_MATHEMATICS = re.compile(
    r"\\(?:[dt]?frac|sqrt|cdot|times|div|left|right|q?quad|ln|log|exp|pi|[,;! ])|\b(?:sqrt|exp|ln|log|pi)\b"
    r"|\be(?=[-+−]?[0-9])"
)
_FRAGMENT = re.compile(r"(?=.*[0-9%])(?!.*[0-9]\s+[-+−]?[0-9])[\s0-9.,%+\-−–*/·×÷⋅@^()√{}$&⁰¹²³⁴-⁹⁻\\]+")
_LISTED = re.compile(r"\(?[0-9]{1,2}[.)]")  # the number of an item, or of an equation
_ROUNDING = re.compile(r"\b(?:round|int|abs|floor|ceil)(?=\()")
# Signs that close a statement behind its value; the full stop of `2.` may be a decimal point
_CLOSING = re.compile(
    r"\\end\{(?:align|equation|displaymath|gather|aligned|gathered|split|eqnarray|document)\*?\}\Z"
    r"|\\\\(?:\[[^\]\n]{0,9}\])?\Z|\\(?:tag\*?|label)\{[^{}]*\}\Z|\\(?:nonumber|notag)\Z"
    r"|(?<!\\)\\[\])]\Z|(?<=[)}%$\]*`])\.\Z|(?:(?<=[./])|(?<=[eE][-+−]))([0-9]{1,40})\.\Z"
)


def _unclosed(written: Written) -> Written:
    """Return a value without the signs of Markdown, LaTeX and sentences that close its statement."""
    for _ in range(_MOST_MARKS):
        text = written.text
        emphasis, opening = _EMPHASIS.fullmatch(text), _OPENING.match(text)
        if emphasis:
            span = emphasis.span(2)
        else:
            span = (opening.end(), len(text)) if opening else (0, _without_closing(text))
        if span == (0, len(text)):
            break
        written = written.part(*span)
    return written


def _without_closing(text: str) -> int:
    """Return where the signs that close the statement of a value begin."""
    stop, before = len(text), -1
    while stop != before:
        before = stop
        while stop and text[stop - 1] in "$`*; \t\n":
            stop -= 1
        end = text[max(0, stop - 80) : stop]
        stop -= len(end) - len(_CLOSING.sub(r"\1", end))
    return stop


def remark_apart(written: Written) -> tuple[Written, str]:
    """Return a value without the signs and the remark behind it, `# done` or `(rounded)`, and the remark."""
    written = _unclosed(written)
    comment = COMMENT.search(written.text)
    if "\n" in written.text:
        return written, ""
    value = written.part(0, comment.start()) if comment else without_remark(written)
    return _unclosed(value), written.text[len(value.text) :].strip(" \t#.,;")


def expression(written: Written) -> Typed | None:
    """Return the number of a line that is one by itself, as 7 / 4 and 1 + 3/4 are; None for others."""
    if len(written.text) > LONGEST_HEAD or not _ARITHMETIC.fullmatch(written.text):
        return None
    with suppress(AttncalcError):
        return entry(written)
    return None


def is_fragment(line: str) -> bool:
    """Return whether a line may be a part of an expression: it has numbers and signs alone."""
    bare = _MATHEMATICS.sub("", line) if len(line) < LONGEST_HEAD else ""
    return bool(_FRAGMENT.fullmatch(bare)) and not _LISTED.fullmatch(line.strip())


def readable_rows(written: Written) -> Rows | None:
    """Return the entries of a matrix, None if one of them is not a number."""
    losses = Losses()
    try:
        rows = read_matrix(written).read(written, losses, "")
        losses.done()
    except AttncalcError:
        return None
    return rows


def without_marks(line: Written) -> Written:
    """Return a line without blanks and marks around it."""
    start = len(line.text) - len(line.text.lstrip(_AROUND))
    return line.part(start, start + len(line.text.strip(_AROUND)))


def is_attempt(text: str) -> bool:
    """Return whether a text was meant as a number: it begins like one, or has digits and no words."""
    return (
        looks_like_entry(text)
        or text.lower() == "nan"
        or bool(re.search(f"[0-9{UNREADABLE}]", text) and not re.search("[A-Za-z_]{2}|@", _ROUNDING.sub("", text)))
    )
