"""The lines of a free text: which of them name a step, which are rows, and where a matrix ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from ...errors import AttncalcError
from ..located_text import Written, line_bounds
from ..nearby_words import ORDINALS, any_of
from ..number_parser import is_crossed, is_spoiled, looks_like_entry
from ..remarks import is_scale
from ..step_names import named_so
from . import program_output
from .equality_chains import NotClosed, Text, begins_literal
from .matrix_headings import WRAPPED_NAME
from .matrix_layouts import is_table_line

# What Python, R, MATLAB, Julia, Mathematica and notebooks write before a line
_PROMPT = re.compile(r"\s*(?:>>>|>{1,2}(?=[ \t])|julia>|(?:In|Out) ?\[[0-9]{0,4}\](?::=|:|=))[ \t]?")
_PLAIN_WORD = re.compile(r"\(?[^\W\d_]+\)?")


class Lines:
    """A text by its lines, read from the first to the last."""

    def __init__(self, written: Written):
        self.file = written
        self.whole = Text(written.text)
        starts, stops = line_bounds(written.text)
        self.starts, self.stops = sorted([*starts, *self.whole.cuts]), sorted([*stops, *self.whole.cuts])
        self.line = 0  # the one that is read

    def begin(self, k: int | None = None) -> int:
        """Return where a line begins, behind a prompt: the one that is read, or line k."""
        k = self.line if k is None else k
        prompt = _PROMPT.match(self.file.text, self.starts[k], self.stops[k])
        return prompt.end() if prompt else self.starts[k]

    def here(self, k: int | None = None) -> Written:
        """Return a line without its prompt: the one that is read, or line k."""
        return self.file.part(self.begin(k), self.stops[self.line if k is None else k])

    def at_line(self, line: int) -> Written:
        """Return one of the lines, as it is; one that is not there is empty."""
        is_there = 0 <= line < len(self.starts)
        return self.file.part(self.starts[line], self.stops[line]) if is_there else self.file.part(0, 0)

    def line_text(self, k: int) -> str:
        """Return a line by its number, without the blanks around it; empty if it is not there."""
        return self.at_line(k).text.strip()

    def filled_below(self, k: int) -> int | None:
        """Return the next line below line k that is not blank."""
        return next((j for j in range(k + 1, len(self.starts)) if self.line_text(j)), None)

    def line_of(self, index: int) -> int:
        return bisect_left(self.stops, index)

    def begins_frame(self) -> bool:
        """Return whether the line that is read is the header of a print with names in front of its rows."""
        return program_output.is_frame(self.here().text, self.at_line(self.line + 1).text)

    def extent(self, start: int) -> int:
        r"""Return where the matrix ends: at its last bracket, at \end, or with the last line that may be a row."""
        text = self.file.text
        line_end = self.stops[self.line]
        opening = text[start:line_end].lstrip("$ ")
        if program_output.begins_print(text[start:line_end]):
            return self.lines_while(
                lambda line: program_output.is_part(line) or is_row(line, 0.5) and not _ROW_NAME.match(line)
            )
        if opening and begins_literal(text, line_end - len(opening), len(text)):
            return self.end_of_line(self.literal_end(line_end - len(opening)))
        if self.begins_frame():
            count = len(opening.split())
            return self.lines_while(lambda line: program_output.is_frame_row(line, count))
        like = is_table_line if is_table_line(opening) else lambda text: is_row(text, 0.5)
        last = self.line
        count = len(opening.split())
        while last + 1 < len(self.starts):
            following = self.at_line(last + 1).text
            factor = _FACTOR_LINE.fullmatch(following)
            is_named = _ROW_NAME.match(following) and not _ROW_NAME.match(opening)
            if ends_rows(following) or is_named or factor and factor[1] not in text[start : self.stops[last]]:
                break
            is_more = like(following)
            if like is not is_table_line and following.strip():
                is_more = is_more or self.is_spoiled_at(last + 1, count)
            if not following.strip() or not is_more:
                break
            last += 1
        if last == self.line and like is not is_table_line and (count > 1 or start == self.begin()):
            last = self.last_of_spread(count)
        return self.stops[last]

    def is_spoiled_at(self, k: int, count: int) -> bool:
        """Return whether a line is at the place of a row and cannot be read as one. With words in it, as in
        `see above` and `Exercise 2`, it is one only if a row follows.
        """
        line = self.line_text(k)
        words = line.split()
        if not any(map(_is_word, words)):
            return is_spoiled_row(line, count)
        below = self.line_text(k + 1)
        is_between = len(below.split()) == count and is_row(below, 1.0) and not named_so(line)
        may_be_row = len(words) == count or all(map(_PLAIN_WORD.fullmatch, words))
        return is_between and may_be_row and 1 < len(words) <= count

    def last_of_spread(self, count: int) -> int:
        """Return the last of the rows alone between blank lines."""
        last = k = self.line
        while (k := self.filled_below(k) or 0) > last + 1:
            line = self.line_text(k)
            if self.line_text(k + 1) or not is_row(line, 1.0) or len(line.split()) != count:
                break
            last = k
        return last

    def lines_while(self, like: Callable[[str], bool]) -> int:
        """Return where the last of the following lines of this kind ends; blank ones may separate them."""
        last = ahead = self.line
        while ahead + 1 < len(self.starts):
            ahead += 1
            following = self.at_line(ahead).text
            if ends_rows(following):
                break
            if like(following):
                last = ahead
            elif following.strip():
                break
        return self.stops[last]

    def literal_end(self, start: int) -> int:
        """Return where a matrix in brackets or of LaTeX ends. Raises AttncalcError for one that is not closed."""
        try:
            return self.whole.literal_end(start, self.stops[self.line])
        except NotClosed as error:
            raise self.not_closed(error) from None

    def not_closed(self, error: NotClosed) -> AttncalcError:
        """Return the fault of a matrix that is not closed, and go on behind its lines."""
        self.line = self.line_of(error.stop) + 1
        return self.file.fault(error.message, error.start)

    def end_of_line(self, index: int) -> int:
        return self.stops[bisect_left(self.stops, index)]


def ends_rows(line: str) -> bool:
    """Return whether a line ends the rows above it: it names a step, is a heading, or tells a unit."""
    is_chain = line.lstrip(" \t&").startswith(("=", "≈", "\\approx")) and not APPROXIMATE_ROW.fullmatch(line.strip())
    return bool(_STATEMENT.match(line) or SAID.match(line) or HEADING.fullmatch(line)) or is_chain or is_scale(line)


def _is_word(text: str) -> bool:
    """Return whether a text is a word, and no entry that was typed badly."""
    return bool(_PLAIN_WORD.fullmatch(text)) and len(text) > 1 and not (looks_like_entry(text) or is_spoiled(text))


def is_spoiled_row(text: str, count: int) -> bool:
    """Return whether a line has as many words as the row next to it, and they may be unreadable entries."""
    words = text.split()
    return len(words) == count > 1 and (any(map(looks_like_entry, words)) or all(map(is_spoiled, words)))


def is_row(text: str, share: float) -> bool:
    """Return whether enough of a line's words are numbers for it to be a row of a matrix."""
    words = re.split(r"[\s,;]+", text.strip().rstrip(",;"))
    numbers = sum(map(looks_like_entry, words))
    if numbers and (share < 1 or looks_like_entry(words[0])):
        words = [word for word in words if not is_crossed(word)]
        if share < 1 and not any(map(str.isalpha, text)):
            return True  # an entry that cannot be read: a matrix with a fault, not prose
    return numbers == len(words) or numbers > share * len(words) and numbers > 0


MARKS = r"(?:[*`$]|\\[(\[]){0,4}"
COUNT = r"(?:[0-9a-z]{1,2}[.)]|\([0-9a-z]{1,2}\))"
_ORDINAL = rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)|{any_of(ORDINALS)})[,.:]"
ITEM = (
    rf"\s*(?:(?:[-*+•‣◦▪●∴⇒→➤✅✔✓☑]|=>|(?:\*\*)?{COUNT}(?:\*\*)?|{_ORDINAL})\s+(?:\[[ xX✓]?\]\s+)?"
    r"|[0-9]{1,2}[.)](?=[^\W\d_])"
    r"|\\item(?![a-z])(?:\[[^\]\n]{0,20}\])?\s*)?"
)
EQUALS = r"(:=|&?=|:|&?≈|&?\\approx|&?\\simeq|~=)"
NAMED = re.compile(rf"{ITEM}{MARKS} ?{WRAPPED_NAME}{MARKS}\s*{EQUALS}{MARKS}\s*")
_STATEMENT = re.compile(rf"{ITEM}{MARKS} ?{WRAPPED_NAME}{MARKS}\s*(?::=|=|≈|\\approx)")
_ROW_NAME = re.compile(rf"{ITEM}{MARKS}{WRAPPED_NAME}{MARKS}\s*:")  # the label of a row only if all have one
SAID = re.compile(  # `Hence A = 1 0 1` and `The matrix A is (1 0; 0 1)` are sentences, not rows
    r"[*`$]*[^\W\d_][^=≈\n]{0,300}(?:=|≈|[^\W\d_] (?:is|are|equals|ist|sind) )"
)
HEADING = re.compile(r" {0,3}(#{1,6}) (.*)")
APPROXIMATE_ROW = re.compile(r"≈ ?[-+−]?[0-9.]+(?:[ \t,;]+≈ ?[-+−]?[0-9.]+)+")
_FACTOR_LINE = re.compile(r"\s*([×*·⋅/÷]) *[-+−]?[0-9.]+\s*")  # not a row with a cell that is crossed out
