"""A script in free text: Markdown, LaTeX, a program's output. Headings and lines such as `S =` name what
follows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..formula.tree import Index, Tree
from . import brackets, layouts, programs
from .entry import entry, looks_like_entry
from .extent import COMMENT, LIST, Lines, is_row
from .grid import is_signed
from .headings import NAME, WRAPPED_NAME, as_tree, formula_before, last_equation, plain_name
from .keys import COMPUTED, HEADER
from .layouts import is_table_line
from .losses import Losses
from .matrix import read_matrix
from .model import Answer, Script
from .names import named_so, step_name
from .written import Written

MOST_LINES = 50_000
LOWEST = 7  # the level of a heading that is a line of its own
_MARKS = r"(?:[*`$]|\\\(){0,4}"
_ITEM = r"\s*(?:(?:[-*+]|[0-9a-z]{1,2}[.)]|\([0-9a-z]{1,2}\))\s+)?"
_ITEM_SIGN = re.compile(_ITEM)
_EQUALS = r"(:=|&?=|:|&?≈|&?\\approx|&?\\simeq|~=)"
_NAMED = re.compile(rf"{_ITEM}{_MARKS} ?{WRAPPED_NAME}{_MARKS}\s*{_EQUALS}{_MARKS}\s*")
_PHRASED = re.compile(rf"{_ITEM}{_MARKS} ?([^=:≈\n]{{2,60}}?)()\s*{_MARKS}\s*{_EQUALS}{_MARKS}\s*")
_SIGN, LONGEST_PHRASE = re.compile("[=:≈]"), 120
_PRINTED = re.compile(rf"\s*({NAME})()(\s)\s*(?=\[\s*\[|{brackets.CALL.pattern})")  # print("A", A)
_HEAD = re.compile(rf"{_ITEM}{_MARKS} ?(head #?[0-9]+){_MARKS}\s*:?{_MARKS}\s*", re.IGNORECASE)
_ALONE = re.compile(rf"{_ITEM}[*`$]+({NAME})[*`$]+\s*|\s*(?:print\()?({NAME})\)?\s*")
_HEADING = re.compile(r" {0,3}(#{1,6}) (.*)")
_SECTION = re.compile(r" {0,9}\\((?:sub){0,2})(?:section|paragraph)\*?\{([^{}]{0,200})\}.*")
_HEADED = re.compile(rf"(?:(?:part|step|teil|matrix)\s+)?{_MARKS}({NAME}){_MARKS}\s*[:=]?\s*", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:```.*|~~~.*|---+|===+|\$\$|\\\[|\\\]|\\(?:begin|end)\{(?:align|equation|displaymath|document)\*?\})?"
)
_MATRIX = rf"(?:{LIST.pattern}|{brackets.CALL.pattern}|\\left|\\begin\{{(?:\w?matrix|array)|\|)"
# "so that A = [[..."
_INSIDE = re.compile(rf"(?<![\w.\\^/*]){_MARKS}{WRAPPED_NAME}{_MARKS}\s?{_EQUALS}{_MARKS}\s{{0,3}}(?={_MATRIX})")
_PART_OF = re.compile(
    r"(?i)\b(?:row|column|col|line|entry|zeile|spalte)\b[^=:]{0,20}\b(?:of|von)(?: the)?(?: matrix)?[ *`$]*$"
)
_AROUND = " \t*`$"
_WORKING = "working"  # `A = softmax(S)`: how it is found; a matrix may follow or not
_REQUIRED_NAME = "expected the name of a step before this matrix, such as `S =`; found none"
_NAMELESS = re.compile(r"\[\s?\[\s?[-+−]?[0-9.]|\\begin\{(?:\w?matrix|array)")
_TUPLES = re.compile(r"\[\s*\(\s*[-+−]?[0-9.]+\s*,")
_TUPLE = re.compile(r"[({] ?[-+−]?[0-9.]+ ?,")


@dataclass(slots=True)
class _Name:
    """A step that was named, or its formula written, and whose matrix is still to come; `fault` is what is wrong if
    none comes.
    """

    text: Written
    fault: str
    formula: Tree | None = None


def read_free(text: str, source: str, lenient: bool = False, nameless: str = "") -> Script:
    """The script in a free text; `nameless` begins the names of matrices that have none. Raises AttncalcError with all
    faults.
    """
    if not text.strip():
        raise AttncalcError(Diagnostic("expected answers, found an empty file", Location(source, 1, 1)))
    if text.count("\n") + text.count("\r") > MOST_LINES:
        raise AttncalcError(Diagnostic(f"a text has at most {MOST_LINES:,} lines; this one has more", Location(source)))
    return _Reader(text, source, Losses(lenient), nameless).script()


class _Reader(Lines):
    def __init__(self, text: str, source: str, losses: Losses, nameless: str = ""):
        super().__init__(text, source)
        self.nameless = nameless
        self.source = source
        self.losses = losses
        self.headings: list[tuple[int, str | None, Written]] = []
        self.pending: _Name | None = None
        self.about: dict[str, Written] = {}
        self.answers: list[Answer] = []

    def script(self) -> Script:
        while self.line < len(self.starts):
            before = self.line
            self.losses.guarded(self.pending.text.text if self.pending else "", self.step)
            self.line = max(self.line, before + 1)
        self.drop_pending()
        about = {name: cell.text.strip().strip("\"'*`") or None for name, cell in self.about.items()}
        if (computed := about.get("computed")) is not None and computed not in COMPUTED:
            said = f"computed: expected one of {', '.join(COMPUTED)}, found {shorten(computed)!r}"
            self.losses.extend("", self.about["computed"].fault(said))
            computed = None
        unread = self.losses.done()
        if not self.answers and not unread:
            said = "expected answers, such as a line `S =` and a matrix below it; found none"
            said = "expected a matrix, such as Q = [[1, 0], [0, 1]]; found none" if self.nameless else said
            raise AttncalcError(Diagnostic(said, Location(self.source, 1, 1)))
        problem, student, note = (about.get(name) for name in ("problem", "student", "note"))
        return Script(problem, student, computed, tuple(self.answers), self.source, note or "", unread)

    # -- one line ----------------------------------------------------------------------------------------------------

    def step(self) -> None:
        line = self.here()
        if _NOTHING.fullmatch(line.text.strip()):
            return
        if heading := _HEADING.fullmatch(line.text):
            text = line.part(heading.start(2), heading.end(2)).trimmed()
            self.heading(len(heading[1]), Written(text.text.rstrip("# "), text.at))
            return
        if section := _SECTION.fullmatch(line.text):
            self.heading(1 + len(section[1]) // 3, line.part(section.start(2), section.end(2)).trimmed())
            return
        if (head := _HEAD.fullmatch(line.text)) and not self.next_begins_matrix():
            self.heading(LOWEST, line.part(head.start(1), head.end(1)))
            return
        named = _NAMED.match(line.text) or self.phrased(line) or _PRINTED.match(line.text)
        if named is None and not self.begins_matrix(line):
            named = _INSIDE.search(line.text)
            if named and _PART_OF.search(line.text[: named.start()]):
                name = named[1] or named[2]
                raise line.fault(
                    f"expected {name} as a whole or a slice of it, such as {name}[0] for its first row; found "
                    "one line of it in words"
                )
            if named and (formula := self.formula(line, named)):
                self.drop_pending()
                self.pending = formula
                self.matrix(self.begin() + named.end())
                return
        if named:
            self.named(line, named)
        elif self.begins_matrix(line):
            self.matrix(self.begin())
        elif alone := _ALONE.fullmatch(line.text):
            group = 1 if alone[1] else 2
            if group == 1 or self.next_begins_matrix():
                self.drop_pending()
                self.pending = _Name(line.part(alone.start(group), alone.end(group)), "")
        elif named_so(_bare(line).text) and self.next_begins_matrix():
            self.drop_pending()
            self.pending = _Name(_bare(line), "")
        elif nameless := _NAMELESS.search(line.text):
            raise line.fault(_REQUIRED_NAME, nameless.start())

    def phrased(self, line: Written) -> re.Match[str] | None:
        """A line that calls a step by a phrase or a formula: `attention weights:`, `QKᵀ =`."""
        sign = _SIGN.search(line.text, 0, LONGEST_PHRASE)  # without one a long line would be tried at every place
        found = _PHRASED.match(line.text) if sign else None
        return found if found and named_so(found[1]) else None

    def formula(self, line: Written, named: re.Match[str]) -> _Name | None:
        """The formula that a name inside a line belongs to; None after prose."""
        item = _ITEM_SIGN.match(line.text)
        first = item.end() if item else 0
        start = formula_before(line.text[first : named.start()])
        if start is None:
            return None
        written = line.part(first + start, named.end(1 if named[1] else 2))
        if (tree := as_tree(written.text)) is None:
            raise written.fault(
                "expected the name of a step before this matrix, such as `S =`; found the formula "
                f"{shorten(written.text)}"
            )
        return _Name(written, "", tree)

    def heading(self, level: int, text: Written) -> None:
        self.drop_pending()
        self.headings = [h for h in self.headings if h[0] < level]
        named = _HEADED.fullmatch(text.text)
        name = text.part(named.start(1), named.end(1)) if named else text
        self.headings.append((level, plain_name(named[1]) if named else named_so(text.text), name))

    def named(self, line: Written, named: re.Match[str]) -> None:
        group = 1 if named[1] else 2
        name = line.part(named.start(group), named.end(group))
        rest = line.part(named.end(), len(line.text))
        if not self.answers and name.text.lower() in HEADER and named[3] == ":":
            self.about.setdefault(name.text.lower(), rest)
            return
        shift = last_equation(rest.text)
        value = rest.part(shift, len(rest.text)).trimmed()
        bare = value.text.strip("$*` \\")
        reason = ""
        if bare and not self.begins_value(value):
            single = Written(COMMENT.sub("", value.text).rstrip("$*` .;\t"), value.at)
            try:
                entry(single)
            except AttncalcError as error:
                if named[3] == ":" and len(bare.split()) > 1:
                    return  # a sentence
                reason = error.faults[0].message if _is_attempt(bare) else _WORKING
        if self.pending is None or self.pending.text.text != name.text:  # else `A = exp(S) ...` was how it is found
            self.drop_pending()
        self.pending = _Name(name, reason)
        if bare and not reason:
            start = self.begin() + named.end() + shift
            self.matrix(
                start
                + len(self.file.text[start : self.stops[self.line]])
                - len(self.file.text[start : self.stops[self.line]].lstrip())
            )

    # -- matrices ------------------------------------------------------------------------------------------------------

    def begins_value(self, value: Written) -> bool:
        text = value.text.lstrip("$ ")
        if is_signed(text):
            return False
        if programs.begins_print(text) or _TUPLE.match(text):
            return True
        return (
            text.startswith("[")
            or bool(brackets.CALL.match(text))
            or "\\begin{" in text
            or is_table_line(text)
            or is_row(text, 0.5)
        )

    def begins_matrix(self, line: Written) -> bool:
        """Whether a line without a name is the beginning of a matrix; prose is left alone."""
        text = line.text.strip().lstrip("$ ")
        if programs.begins_print(line.text):
            return True
        if text.startswith("["):
            return self.pending is not None or bool(LIST.match(text) or _TUPLES.match(text))
        if (
            brackets.CALL.match(text)
            or is_table_line(text)
            or layouts.BEGIN.match(text.removeprefix("\\left").lstrip("[(|. "))
        ):
            return True
        return is_row(text, 0.5 if self.awaits() else 1.0) or self.awaits() and self.begins_frame()

    def awaits(self) -> bool:
        return self.pending is not None or bool(self.headings and self.headings[-1][1])

    def next_begins_matrix(self) -> bool:
        line, self.line = self.line, self.line + 1
        while self.line < len(self.starts) and _NOTHING.fullmatch(self.here().text.strip()):
            self.line += 1
        found = self.line < len(self.starts) and (self.begins_matrix(self.here()) or self.begins_frame())
        self.line = line
        return found

    def matrix(self, start: int) -> None:
        """Reads the matrix that begins there, and goes on behind it."""
        first, beside = self.line, start > self.begin()
        name, self.pending = self.pending, None
        stop = self.extent(start)
        while self.line + 1 < len(self.starts) and self.starts[self.line + 1] < stop:
            self.line += 1
        self.line += 1
        written = self.file.part(start, stop).trimmed()
        written = Written(written.text.rstrip("$`*; \n"), written.at)
        part, step, where, place = self.name_of(name, written)
        signed = beside and is_signed(written.text)  # S = - 0.67
        grid = read_matrix(
            written,
            block=first + 1 < self.line or not signed and is_row(written.text, 0.5) and len(written.text.split()) > 1,
        )
        rows = grid.read(written, self.losses, ".".join(filter(None, (part, step))))
        formula, flat = name.formula if name is not None else None, grid.flat and len(grid.rows) == 1
        self.answers.append(grid.answer(part, step, where, rows, place, flat=flat, loose=True, formula=formula))

    # -- names ---------------------------------------------------------------------------------------------------------

    def name_of(self, name: _Name | None, matrix: Written) -> tuple[str | None, str, Index | None, Location]:
        outer = [heading.partition("[")[0] for _, heading, _ in self.headings if heading]
        if name is None:
            if self.nameless and not (self.headings and self.headings[-1][1]):
                called = sum(answer.step.startswith(f"{self.nameless}_") for answer in self.answers) + 1
                return None, f"{self.nameless}_{called}", None, matrix.place
            if not self.headings or self.headings[-1][1] is None:
                raise matrix.fault(_REQUIRED_NAME)
            text, outer = self.headings[-1][2], outer[:-1]
        else:
            text = name.text
        if name is not None and name.formula is not None:
            return ".".join(outer) or None, text.text, None, text.place
        step, where = step_name(Written(plain_name(text.text), text.at))
        return ".".join(outer) or None, step, where, text.place

    def drop_pending(self) -> None:
        """A name whose matrix never came."""
        if self.pending is not None and self.pending.fault != _WORKING:
            said = (
                self.pending.fault
                or f"expected a matrix after {shorten(self.pending.text.text)}, found nothing that can be read"
            )
            self.losses.extend(self.pending.text.text, self.pending.text.fault(said))
        self.pending = None


def _bare(line: Written) -> Written:
    """A line without blanks and marks around it."""
    start = len(line.text) - len(line.text.lstrip(_AROUND))
    return line.part(start, start + len(line.text.strip(_AROUND)))


def _is_attempt(text: str) -> bool:
    """Whether a text that is no number was meant as one: it begins like one, or has digits and no words."""
    return (
        looks_like_entry(text)
        or text.lower() == "nan"
        or bool(re.search("[0-9]", text) and not re.search("[A-Za-z_]{2}|@", text))
    )
