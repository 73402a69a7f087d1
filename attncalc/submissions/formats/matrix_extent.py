"""The lines of a text, and where a matrix among them ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from ..located_text import Written, line_bounds
from ..number_parser import is_crossed, looks_like_entry
from . import bracketed_lists, matrix_layouts, program_output
from .equality_chains import LIST
from .matrix_layouts import is_table_line

# What Python, R, MATLAB, Julia, Mathematica and notebooks write before a line
_PROMPT = re.compile(r"\s*(?:>>>|>{1,2}(?=[ \t])|julia>|(?:In|Out) ?\[[0-9]{0,4}\](?::=|:|=))[ \t]?")
COMMENT = re.compile(r"(?<=\s)#.*$", re.MULTILINE)
_NEXT = re.compile(rf"\r?\n[ \t]*(?={LIST.pattern})")


class Lines:
    """A text by its lines, read from the first to the last."""

    def __init__(self, written: Written):
        self.file = written
        self.starts, self.stops = line_bounds(written.text)
        self.line = 0  # the one that is read

    def begin(self) -> int:
        """Where the line begins, behind a prompt."""
        start = self.starts[self.line]
        prompt = _PROMPT.match(self.file.text, start, self.stops[self.line])
        return prompt.end() if prompt else start

    def here(self) -> Written:
        """The line that is read."""
        return self.file.part(self.begin(), self.stops[self.line])

    def at_line(self, line: int) -> Written:
        """One of the lines, as it is."""
        return self.file.part(self.starts[line], self.stops[line])

    def line_of(self, index: int) -> int:
        """The line in which a place lies."""
        return bisect_left(self.stops, index)

    def begins_frame(self) -> bool:
        """Whether the line that is read is the header of a print with names in front of its rows."""
        there = self.line + 1 < len(self.starts)
        following = self.file.text[self.starts[self.line + 1] : self.stops[self.line + 1]] if there else ""
        return there and program_output.is_frame(self.here().text, following)

    def extent(self, start: int) -> int:
        """Where the matrix ends: at its last bracket, at \\end, or with the last line that looks like its rows."""
        text = self.file.text
        line_end = self.stops[self.line]
        opening = text[start:line_end].lstrip("$ ")
        if opening.startswith(("{{", "((")):
            return self.end_of_line(bracketed_lists.closing(text, text.index(opening[0], start)))
        if program_output.begins_print(text[start:line_end]):
            return self.lines_while(lambda line: program_output.is_part(line) or is_row(line, 0.5))
        if self.begins_frame():
            count = len(opening.split())
            return self.lines_while(lambda line: program_output.is_frame_row(line, count))
        begin = matrix_layouts.BEGIN.search(text, start, line_end)
        if begin:
            end = text.find(f"\\end{{{begin[1]}}}", begin.end())
            return self.end_of_line(end) if end >= 0 else line_end
        if opening.startswith("[") or bracketed_lists.CALL.match(opening):
            return self.brackets_end(start)
        like = is_table_line if is_table_line(opening) else lambda text: is_row(text, 0.5)
        last = self.line
        count = len(opening.split())
        while last + 1 < len(self.starts):
            following = text[self.starts[last + 1] : self.stops[last + 1]]
            spoiled = any(map(looks_like_entry, following.split())) and len(following.split()) == count > 1
            if not following.strip() or not like(following) and not (spoiled and like is not is_table_line):
                break
            last += 1
        return self.stops[last]

    def lines_while(self, like: Callable[[str], bool]) -> int:
        """Where the last of the following lines of this kind ends; blank ones stand between them."""
        last = ahead = self.line
        while ahead + 1 < len(self.starts):
            ahead += 1
            following = self.file.text[self.starts[ahead] : self.stops[ahead]]
            if like(following):
                last = ahead
            elif following.strip():
                break
        return self.stops[last]

    def brackets_end(self, start: int) -> int:
        """Where brackets end that begin there, with the lists that follow on lines of their own.

        Raises AttncalcError for one that is not closed.
        """
        text = self.file.text
        closing = bracketed_lists.bracket_end(text, start)
        if closing is None:
            self.line = len(self.starts)
            raise self.file.fault("this bracket is not closed", max(start, text.find("[", start)))
        stop = self.end_of_line(closing)
        while (follows := _NEXT.match(text, stop)) and (more := bracketed_lists.bracket_end(text, follows.end())):
            stop = self.end_of_line(more)
        comment = COMMENT.search(text, closing, stop)
        return comment.start() if comment else stop

    def end_of_line(self, index: int) -> int:
        """The end of the line in which a place lies."""
        return self.stops[bisect_left(self.stops, index)]


def is_row(text: str, share: float) -> bool:
    """Whether enough of a line's words are numbers for it to be a row of a matrix."""
    words = re.split(r"[\s,;]+", text.strip().rstrip(",;"))
    numbers = sum(map(looks_like_entry, words))
    if numbers and (share < 1 or looks_like_entry(words[0])):
        words = [word for word in words if not is_crossed(word)]
        if share < 1 and not any(map(str.isalpha, text)):
            return True  # something stands there that is no number: a matrix with a fault, and no prose
    return numbers == len(words) or numbers > share * len(words) and numbers > 0
