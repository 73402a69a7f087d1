"""A script in free text: Markdown, LaTeX, a program's output. Headings and lines such as `S =` name what follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ...errors import AttncalcError, Diagnostic, Location, shorten
from ...formula.syntax_tree import Index, Tree
from ..answer_examples import MORE_BEHIND, NO_ANSWERS, NOT_CLOSED, NOTHING, ONLY_MATRIX, UNMATCHED, as_written, beyond
from ..answer_file import HEADER, arithmetic
from ..closed_form_numbers import same_numbers
from ..located_text import Written, whole
from ..nearby_words import (
    HEADINGS,
    STEPS,
    NearbyText,
    any_of,
    in_words,
    is_label,
    other_value,
    quoted,
    refers,
    retracted,
    unlisted_words,
)
from ..number_parser import entry, looks_like_entry
from ..remarks import LONGEST_PHRASE, headed, is_denied, is_given_up, is_of_another, is_remark, is_scale, remark_in
from ..step_names import also_named, named_so, step_name
from ..submission import Answer, Left, Losses, Script, Typed
from ..text_grid import is_signed
from . import bracketed_lists, matrix_layouts, program_output
from .detect import read_matrix
from .equality_chains import (
    LIST,
    Chain,
    NotClosed,
    before_matrix,
    begins_literal,
    begins_sign,
    behind_decoration,
    chains,
    more_behind,
    value_of,
)
from .matrix_headings import NAME, WRAPPED_NAME, as_tree, formula_before, plain_name
from .matrix_layouts import is_table_line
from .plain_signs import MOST_LINES, Remarks, begins_labelled_row, in_plain_signs
from .stated_values import (
    LONGEST_HEAD,
    NUMBER,
    expression,
    is_attempt,
    is_fragment,
    readable_rows,
    remark_apart,
    without_marks,
)
from .text_lines import (
    APPROXIMATE_ROW,
    COUNT,
    EQUALS,
    HEADING,
    ITEM,
    MARKS,
    NAMED,
    SAID,
    Lines,
    ends_rows,
    is_row,
    is_spoiled_row,
)

LOWEST = 7  # the level of a heading that is a line of its own
_ITEM_SIGN = re.compile(ITEM)
_PHRASED = re.compile(rf"{ITEM}{MARKS} ?([^=:≈\n]{{2,60}}?)()\s*{MARKS}\s*{EQUALS}{MARKS}\s*")
_SIGN = re.compile("[=:≈]")
_PRINTED = re.compile(rf"\s*({NAME})\s+(?=\[\s*\[|{bracketed_lists.CALL.pattern})")  # print("A", A)
_HEAD = re.compile(rf"{ITEM}{MARKS} ?(head #?[0-9]+){MARKS}\s*:?{MARKS}\s*", re.IGNORECASE)
_TASK = rf"(?:{any_of(STEPS)}\s+[0-9]{{1,2}}[a-z]?\s*[:.)–-]\s*)?"
_KIND = rf"{any_of(STEPS | {'part', 'teil', 'matrix'})}\s+"
_ALONE = re.compile(
    rf"{ITEM}{_TASK}[*`$]+({NAME})[*`$]+\s*|\s*{_TASK}\$?(?:print\()?({NAME})\)?\s*"
    rf"|\s*{COUNT}\s+((?:[A-ZΑ-Ω]|[A-Za-z]\w*[_.]\w[\w.]*|[A-Za-z][0-9]{{1,2}}))\s*"
)
_SECTION = re.compile(r" {0,9}\\((?:sub){0,2})(?:section|paragraph)\*?\{([^{}]{0,200})\}(.*)")
_HEADED = re.compile(rf"(?:{_KIND}|{COUNT}\s+)?{MARKS}({NAME}){MARKS}\s*[:=]?\s*", re.IGNORECASE)
_HEADED_FORMULA = re.compile(rf"(?:{_KIND})?{MARKS}({NAME}){MARKS}\s*:?=\s*(.{{1,200}})", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:```.*|~~~.*|---+|=+|\$\$|\\\[|\\\]|\\(?:begin|end)\{(?:align|equation|displaymath|document|table|center)\*?\}(?:\[\w*!?\])?"
    r"|\\centering|\\label\{[^{}]*\})?"
)
_LAYOUT = re.compile(  # a line of commands of LaTeX or HTML that only set what follows
    r"(?:\\(?:noindent|(?:small|med|big)skip|par|hfill|small|footnotesize|scriptsize|normalsize|displaystyle|left|right|quad"
    r"|[vh]space\*?\{[^{}]*\}|begin\{\w+\*?\}|end\{\w+\*?\}|label\{[^{}]*\}|item|[,;!\[\]()\\])|[${}&\s]|</?\w+>|\[[htbp!H]+\])+"
)
_SHOWN = re.compile(  # `print(S)`, `np.round(S, 2)`, `S.round(2)`
    rf"(?:(?:print|display|disp)\()?(?:(?:(?:np|torch)\.)?round\()?({NAME})(?:\.round\([0-9]?\))?"
    r"(?:, ?[0-9])?\){0,2};?"
)
# How a name ends the text before a sign
_TRAILING = re.compile(rf"(?<![\w.\\^/*]){MARKS}{WRAPPED_NAME}{MARKS}\s*$")
_BEFORE_SIGN = re.compile(rf"{ITEM}{MARKS} ?{WRAPPED_NAME}{MARKS}\s*(?:\\\\)?\s*")
_WORD_BEFORE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s+$")
_ONLY_NAME = re.compile(rf"{MARKS}\s*{WRAPPED_NAME}\s*{MARKS}")
_ONLY_LETTER = re.compile(rf"{ITEM}{MARKS}[A-ZΑ-Ωα-ω](?:_\w+|[0-9]{{1,2}})?{MARKS}:?{MARKS}")  # as steps are called
_PART_OF = re.compile(
    r"(?i)\b(?:row|column|col|line|entry|zeile|spalte)\b[^=:]{0,20}\b(?:of|von)(?: the)?(?: matrix)?[ *`$]*$"
)
_LINE_OF = (
    "expected the whole matrix {0}, or a slice such as {0}[0] for its first row; "
    "found a row, column or entry that is named in words"
)
_OTHER_NUMBERS = (
    "expected only the name of a step before its matrix, found {!r}, which may be another matrix; write `{} =` "
    "on its own line, or the name that the problem uses"
)
_CAPTION = re.compile(
    r"\s*(?:(Table:)|\\caption\{|(?=(?:Table|Tab\.|Tabelle|Tableau)\s*[0-9]))\s*"
    r"(?:(?:Table|Tab\.|Tabelle|Tableau)\s*[0-9]{1,3}\s*(?:[:.–—-]\s*|$))*(.*?)\}?\s*"
)
_CAPTION_NAME = re.compile(rf"{MARKS}({NAME}){MARKS}\s*(?:(?:=|≈|:).*)?")
_ELSE = re.compile(r"(?i)(?-i:\b(?:[A-Z]|[A-Za-z]+_\w+)\b)|softmax|mask|scal|transp|before|after|without|norm|ed\b")
_STATED = re.compile(  # `loss > 1.23`, `S(1,2) = 7`, `S row 1: 1 0 1`
    rf"(?<![\w.\\^/*])({NAME})\s*(?:\(\s*[0-9]+\s*(?:,\s*[0-9]+\s*)?\)\s*[=:≈]|,? (?:row|column) [0-9]+\s*[:=]"
    r"|is|are|[-=]+>|<-+|→|←|⇒|<|>|≤|≥)?\s*([-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?![\w^])"
)
_PART_BEHIND = re.compile(r"\s*\(\s*[0-9]+\s*(?:,\s*([0-9]+)\s*)?\)|,?\s+(row|column)\s+[0-9]")
_STATED_ROW = re.compile(rf"(?i)\b(?:row|column) [0-9]+ of ({NAME})\s*[:=]\s*([-+−]?[0-9.]+)")
_ANY_NAME = re.compile(rf"(?<![\w.\\]){NAME}")
_SUBJECT = re.compile(rf"{ITEM}{MARKS}({NAME})(?=\s*[^\w\s().]|\s+\()")
_ARTICLE = re.compile(r"A\s+(?!is\b|row\b|column\b)[a-z]")
_ANY_NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![\w])")
_BRACKETED = re.compile(r"[\[(]\s*\S*[0-9]")
_HAS_NUMBER = re.compile(r"(?<![\w.])[-+−]?\.?[0-9]")
_DIGIT = re.compile(r"(?<!\w)[0-9]|[¼-¾⅐-⅞\N{REPLACEMENT CHARACTER}]")  # of a number, not of a name
_NO_NAME = f"{NOTHING} a line `S =` and a matrix below it"
_NOT_READ = "expected an answer such as {} on its own line, found {!r}"
_NOT_BELOW = "expected rows of numbers right below {}, such as {}; found {!r}"
_OF_CHAIN = (
    "expected {0} on its own line, such as {2}; found it in a chain of equalities with {1}, so only {1} gets the value"
)
_MORE_ROWS = (
    "expected only rows of numbers right below the name of the step, such as `S =` and `1 2`; found {!r} next to them"
)
_PARTED = "expected the matrix right below {0}, such as {0} = [[1, 2], [3, 4]]; found {1!r} between them"
_WHICH = "expected only the name of a step before this matrix, such as `S =`; found {!r}; which step is it?"
_SCALED = (
    "expected the numbers of {} as they are, such as 0.35 or 35%; found {!r} next to them, which may change them; "
    "none is used"
)
_DENIED = (
    "expected an answer, found {!r}, which says that this is not the answer; write only `{} =` before the matrix "
    "that counts"
)
_UNEVEN = "expected rows of equal length, found {} and {} entries; write a blank as _, and a remark on its own line"
_WORKING = "working"  # `A = softmax(S)`: how it is found; a matrix may follow or not
_PERCENT = "expected a percent sign after each number, such as 35%, or no percent sign; found one after the matrix"
_REQUIRED_NAME = "expected the name of a step before this matrix, such as `S =`; found none"
_OTHER_NAME = "expected only the name of a step and a sign before this matrix, such as `S =`; found {!r}"
_UNKNOWN_FORMULA = "expected the name of a step before this matrix, such as `S =`; found the formula {}"
_CROSSING = re.compile(r"\s[/×]\s")  # signs that may cross a cell out
_WHOLE_MATRIX = re.compile(r"[$` ]*(?:\[\s*\[|\\begin\{(?:\w?matrix|array))")
_ROW_OF_MATRICES = (
    "expected a name and a matrix in a row of this table, such as | S | [[1, 2]] |; "
    "or write `S =` and the matrix outside the table"
)
_ROW_FIRST = re.compile(rf"{NUMBER}(?:\s*[,;]\s*|\s+){NUMBER}(?=\s)")  # a row of a matrix, before words
_NUMBER_BEHIND = re.compile(r"\s+\(?[-+−]?\.?[0-9]")
_BETWEEN_BARS = re.compile(r"\|[^|]*\|")
_ABSOLUTE = "expected a number, found {!r}, an absolute value or a table of one cell; write `{} = 2.57`"
_IN_SENTENCE = (
    "expected a name, a sign and the matrix on their own line, such as `S = [[1, 2], [3, 4]]`; found a matrix in "
    "a sentence"
)
_ALONE_ON_LINE = "expected an answer on its own line, such as {}; found a sentence"
_TWO_MATRICES = (
    "expected the same numbers on both sides of the equals sign, found two matrices that differ; "
    "write {} with one matrix"
)
_TWO_NUMBERS = (
    "expected one number, found numbers that differ on both sides of an equals sign; write {} with one number"
)
_END = re.compile(r"\\end\{\w{1,20}\*?\}[\s$]*\Z")
_TWO_FORMS = re.compile(rf"({NUMBER}) +\( *[=≈]? *({NUMBER}) *\)")
_NAMELESS = re.compile(r"\[\s?\[\s?[-+−]?[0-9.]|\\begin\{(?:\w?matrix|array)")
_QUESTION = re.compile(  # `# Question 1 (8 points)`, as on the papers of an exam
    r"(?i)[ \t]*(?:#{1,6}[ \t]+|\\(?:sub){0,2}section\*?\{)?\**"
    rf"(?:(?:{any_of(HEADINGS)})[ \t]*([1-9][0-9]?)|(?-i:q)([1-9][0-9]?))"
    r"(?:[ \t]*[.:)–-](?:[ \t][^=≈:0-9\[\]|]{0,80})?|[ \t]*\([^()=]{0,40}\))?\**[}:]?[ \t]*"
)
_NUMBER_ALONE = re.compile(r"[ \t]*(?:#{1,6}[ \t]+([1-9][0-9]?)[.):]?|\(?([1-9][0-9]?)[.)])[ \t]*")
_STARS = re.compile(r"\*{1,3}")
_OPERATOR_FIRST = re.compile(r"(?:[-+−–*/·×÷⋅^@%]|\\(?:cdot|times|div)(?![a-z]))\s*")
_OPERATOR_LAST = re.compile(r"(?:[-+−–*/·×÷⋅^@(]|\\(?:cdot|times|div))[\s$\\&]*$")
_LINE_BEGIN = re.compile(r"^(?:[\s$&]|\\q?quad(?![a-z]))+")
_BAR = re.compile(r"\s*[-–—─_=]{2,}\s*")
_ENDS_WITH_BAR = re.compile(r"[=≈]\s*[-+−]?\s*[-–—─_]{2,}\s*$")
_GOES_ON = (
    "expected the whole answer in one line, such as `{0} = 18/7` or `{0} = 1.57 + 1`; found {1!r} above or below it, "
    "which could belong to the answer"
)


@dataclass(slots=True)
class _Name:
    """A step that was named, or its formula written, and whose matrix is still to come; `fault` is what is wrong if
    none comes, `place` where. `label` is a name before a colon in front of it, `rivals` what else may name the step,
    and `is_prose` says that it is inside a sentence.
    """

    text: Written
    fault: str = ""
    formula: Tree | None = None
    label: str | None = None
    rivals: tuple[str | Tree, ...] = ()
    factors: tuple[str, ...] = ()
    is_prose: bool = False
    spoken: tuple[str, ...] = ()  # the word right before the name in a sentence, which may be a factor
    is_unknown: bool = False  # a formula without a meaning
    doubt: str = ""  # why its matrix may be another one's
    place: Written | None = None
    is_begun: bool = False  # a matrix begins beside the name and is not read; what is below may be the rest of it
    between: Written | None = None  # a line below the name that nothing was made of
    line: int = -1  # the line from which it waits for its matrix
    number: int | None = None  # the answer that its value goes on with
    is_calculated: bool = False  # a formula without words is behind its sign
    working: Written | None = None  # what is behind its sign if that may be words instead of a formula

    @property
    def step(self) -> str:
        """The name of the step, without words and marks around it."""
        return named_so(self.text.text) or plain_name(self.text.text)

    def refusal(self, message: str) -> AttncalcError:
        """Return a fault that tells the name as it is written."""
        return self.text.fault(message.format(shorten(self.text.text)))


class _Heading(NamedTuple):
    """A heading: its level, the step or the part that it names, and its text."""

    level: int
    name: str | None
    text: Written


@dataclass(slots=True)
class _Recent:
    """The answer that a line `= [[...` goes on with: its name, where it is in the list, and after which line."""

    name: _Name | None
    number: int


def read_free(free: str | Written, source: str, lenient: bool = False, nameless: str = "") -> Script:
    """Return the script in a free text; `nameless` begins the names of nameless matrices. Raises AttncalcError."""
    free, remarks, quotes = in_plain_signs(whole(free, source) if isinstance(free, str) else free)
    if not free.text.strip():
        raise AttncalcError(NO_ANSWERS, Location(source, 1, 1))
    if free.text.count("\n") + free.text.count("\r") > MOST_LINES:
        raise AttncalcError(beyond(f"a text of at most {MOST_LINES:,} lines"), Location(source))
    return _Reader(free, source, Losses(lenient), nameless, remarks, quotes).script()


class _Reader(Lines):
    def __init__(
        self, written: Written, source: str, losses: Losses, nameless: str, remarks: Remarks, quotes: frozenset[int]
    ):
        super().__init__(written)
        self.nameless = nameless
        self.remarks = remarks  # beside rows, by the places of their lines
        self.quotes = quotes  # where lines with the sign of a quotation begin
        self.is_quoted = False  # whether the last answer begins in such a line
        self.source = source
        self.losses = losses
        self.headings: list[_Heading] = []
        self.pending: _Name | None = None
        self.about: dict[str, Written] = {}
        self.answers: list[Answer] = []
        self.doubts: list[Answer] = []
        self.recent: _Recent | None = None
        self.below = -1  # the line right below the last block of rows
        self.above = -2  # the last line of which nothing was made
        self.is_bare_above = False  # whether a table without a name is right above
        self.unclear: Written | None = None  # the last line below a heading that may name another matrix
        self.paragraph = 0  # the first answer since the last blank line
        self.words_above: Written | None = None  # the last line of words of which nothing was made
        self.scale: Written | None = None  # a line that may change the numbers of the next answer
        self.left: dict[int, Left] = {}  # by their lines
        self.end = -1  # the line right below the last answer
        self.blanks: list[Diagnostic] = []  # `m = ?` and `m = —`
        self.label: Written | None = None  # the line above the next answers if it ends with a colon
        self.retractions: list[NearbyText] = []  # of the answers that follow
        self.values: list[int] = []  # where the values of the line begin
        self.question = ""  # the part of an exam that the last heading `Question 1` names
        self.has_questions = any(_QUESTION.fullmatch(line.text) for line in written.lines())  # else `1.` may be one

    def script(self) -> Script:
        while self.line < len(self.starts):
            before, recent, state, waiting = self.line, self.recent, self.state(), self.pending
            last, self.values = self.answers[-1:], []
            listed, answered_before, results = len(self.losses.unread), len(self.answers), self.results()
            doubted = len(self.doubts)
            try:
                self.step()
            except AttncalcError as error:
                self.losses.extend(self.whose(before, waiting), error)
            if self.scale is not None and len(self.answers) > answered_before:
                scale, self.scale = self.scale, None
                self.spoil(scale, answered_before)
            if len(self.losses.unread) > listed and len(self.answers) == answered_before:
                self.above = self.line - 1  # the last line of what was not read
            if self.line <= before + 1 and self.state() == state:
                self.left_over(before)
            elif self.above < before:
                self.above = -2
            if waiting is not None and self.pending is waiting:
                self.keep_between(waiting, before)
            if self.line == before and not _NOTHING.fullmatch(self.at_line(before).text.strip()):
                self.is_bare_above = False
            if self.recent is recent and not _NOTHING.fullmatch(self.at_line(before).text.strip()):
                self.recent = None
            self.line = max(self.line, before + 1)
            if self.answers and (len(self.answers) > answered_before or self.answers[-1] is not last[0]):
                self.doubt_quote(answered_before - 1, before, headed(self.answers[-1].step) == "answer")
                self.end = self.line
                self.is_quoted = self.starts[before] in self.quotes
                self.put_nearby(before, min(answered_before, len(self.answers) - 1), waiting)
            if self.results() == results:
                self.note_words(before)
                doubts = [doubt for doubt in self.doubts[doubted:] if not doubt.explains]
                self.keep_left(range(before, self.line), tuple(doubts))
            if self.pending is not None and self.pending is not waiting:
                self.pending.line = before
            if not self.line_text(before):
                self.paragraph = len(self.answers)
        self.drop_pending()
        about = {name: cell.text.strip().strip("\"'*`,") or None for name, cell in self.about.items()}
        computed = self.losses.guarded("", partial(arithmetic, about.get("computed"), self.about.get("computed")))
        unread = self.losses.done()
        if not self.answers and not unread and not self.doubts:
            message = "expected a matrix, such as Q = [[1, 0], [0, 1]]" if self.nameless else _NO_NAME
            first = next(iter(self.left.values()), None)
            if first is None:
                raise AttncalcError(f"{message}; found none", Location(self.source, 1, 1))
            raise AttncalcError(f"{message}; found {shorten(first.text)!r}", first.place)
        problem, student, note = (about.get(name) for name in ("problem", "student", "note"))
        return Script(
            problem, student, computed, tuple(self.answers), self.source, note or "", unread, {}, tuple(self.doubts),
            crossed=tuple(self.blanks), left=tuple(self.left.values()),
        )  # fmt: skip

    def put_nearby(self, first: int, number: int, waiting: _Name | None) -> None:
        """Note the words beside the answers from this one on, which were read from this line on."""
        begin = self.begin(first)
        lines = self.file.part(begin, self.stops[self.line - 1])
        value = min(self.values, default=begin) - begin
        nearby = [*self.retractions, unlisted_words(lines, value)]
        nearby += [
            unlisted_words(Written(words, line.at), 0) for line in lines.lines() if (words := self.remark_at(line))
        ]
        if waiting is not None and 0 <= waiting.line < first and self.pending is None:
            named = self.here(waiting.line)
            nearby.append(unlisted_words(named, len(named.text)))
        nearby += [quoted(heading.text) for heading in self.headings]
        nearby += [quoted(self.label)] if self.label is not None else []
        self.retractions = []
        texts = [text for text in nearby if text is not None]
        self.answers[number:] = [answer.with_nearby(*texts) for answer in self.answers[number:]]

    def remark_at(self, row: Written) -> str:
        """Return the words that were left out next to a row."""
        return self.remarks.get((row.place.source, row.place.line), "")

    def note_words(self, k: int) -> None:
        """Note a line of which nothing was made if it takes the answer above back, or says whose the next ones are."""
        line = self.here(k).trimmed()
        if not line.text or HEADING.fullmatch(line.text):
            return
        self.label = line if is_label(line.text) else None
        retraction = retracted(line)
        if retraction is not None and self.answers:
            self.answers[-1] = self.answers[-1].with_nearby(retraction)
        elif retraction is not None and self.pending is None:  # else the words take the place of its value
            self.retractions.append(retraction)

    def whose(self, k: int, waiting: _Name | None) -> str:
        """Return the step that a line names, or else that waited for it, or else that the heading names."""
        line, start = self.here(k), self.begin(k)
        if named := NAMED.match(line.text):
            return plain_name(named[1] or named[2])
        if sign := _SIGN.search(line.text):
            with suppress(AttncalcError):
                name = self.head(Chain((start, start + sign.start())))
                if name is not None and name.formula is None and not name.is_unknown:
                    return name.step
        return waiting.step if waiting is not None else self.headed

    def state(self) -> tuple[object, ...]:
        """Return all that changes if anything is made of a line."""
        losses = len(self.losses.unread), len(self.losses.faults.faults)
        return len(self.answers), len(self.doubts), losses, id(self.pending), len(self.headings), len(self.about)

    def results(self) -> tuple[object, ...]:
        """Return all that changes if a line is read as an answer, as a heading or about the script, or is reported."""
        losses = len(self.losses.unread), len(self.losses.faults.faults)
        return self.answers[-1:], losses, self.headings[-1:], len(self.about), self.question

    def keep_left(self, lines: range, doubts: tuple[Answer, ...]) -> None:
        """Keep the lines that may be answers and of which nothing was made but these doubts."""
        for k in lines:
            line = self.at_line(k).trimmed()
            if _may_answer(line.text):
                self.doubt_quote(len(self.answers) - 1, k)
                self.doubt_other_value(k)
                self.left[k] = Left(line.text, line.place, doubts)

    def doubt_other_value(self, k: int) -> None:
        """Note a line right below an answer that gives another value in words."""
        if not self.answers or k != self.end:
            return
        last, line = self.answers[-1], self.at_line(k).trimmed()
        if (value := other_value(line, last.step)) is None:
            return
        cells, typed = [each for row in last.rows for each in row if each], None
        with suppress(AttncalcError):
            typed = entry(value)
        if typed is None or not any(_is_repeated(typed, each) for each in cells):
            self.answers[-1] = last.with_nearby(NearbyText(line))

    def doubt_quote(self, number: int, k: int, may_be_answer: bool = True) -> None:
        """Note a line that is not quoted below an answer that is, if it may be the answer instead."""
        if self.is_quoted and may_be_answer and self.starts[k] not in self.quotes:
            self.answers[number] = self.answers[number].with_nearby(NearbyText(self.at_line(k).trimmed()))

    def left_over(self, k: int) -> None:
        """Note a line of which nothing was made: a row or a unit of a matrix, or a name with a number in a sentence."""
        line = self.here(k)
        text = line.text.strip()
        if _NOTHING.fullmatch(text) or len(text) > LONGEST_HEAD:
            return
        if is_scale(text):
            self.note_scale(k)
            return
        if text.endswith(":") and is_given_up(text):
            self.put_heading(LOWEST, None, line.trimmed())
        words = text.split()
        is_below = k == self.below and self.answers and self.answers[-1].rows
        is_of_rows = len(words) == len(self.answers[-1].rows[0]) > 1 if is_below else False
        if is_below and (is_of_rows or _BRACKETED.match(text) or any(map(looks_like_entry, words))):
            self.below += 1
            self.explain(line)
            self.note_names(line)
            return
        self.above = k
        self.note_numbers_below(line)
        if self.headings and (text.endswith((":", "=", "≈")) and set(_ELSE.findall(text)) - {self.headings[-1].name}):
            self.unclear = line.trimmed() if self.named_heading else None
        self.note_names(line)

    def note_numbers_below(self, line: Written) -> None:
        """Note the names in the words above numbers of which nothing was made: `M equals` above `(1 2), (3 4)`."""
        if len(_ANY_NUMBER.findall(line.text)) < 2:
            self.words_above = line
            return
        heading = self.named_heading
        for words in filter(None, (self.words_above, heading and heading.text)):
            for name, _ in _names_in(words):
                example = as_written(name.text, line.text)
                self.doubt(_Name(name), _NOT_BELOW.format(shorten(name.text), example, shorten(line.text.strip())))

    def note_names(self, line: Written) -> None:
        """Note the names of a sentence, or of a heading, that has numbers as well."""
        text = line.text.strip()
        if len(text) > LONGEST_HEAD or not _HAS_NUMBER.search(text):
            return
        stated = {match[1]: match[2] for how in (_STATED, _STATED_ROW) for match in how.finditer(line.text)}
        for written, end in _names_in(line):
            typed, name = None, written.text.partition("[[")[0]
            if written.text in stated:
                with suppress(AttncalcError):
                    typed = entry(Written(stated[written.text], line.at))
            if line.text.startswith("[", end):
                self.losses.extend(name, line.fault(NOT_CLOSED, end))
                continue
            is_one = name in stated and len(_ANY_NUMBER.findall(line.text, end)) == 1
            example = f"`{shorten(name)} = {stated[name]}`" if is_one else as_written(name, line.text[end:])
            example = _part_of(name, line.text, end, stated.get(name, "0.5")) or example
            message = _NOT_READ.format(example, shorten(text))
            self.doubt(_Name(written.part(0, len(name))), message, typed)

    def note_scale(self, k: int) -> None:
        """Spoil the answers that a line with a unit or a factor may be of: the one that it touches, or else both."""
        is_apart = [not self.line_text(j) for j in (k - 1, k + 1)]
        line = self.at_line(k).trimmed()
        below = self.at_line(self.filled_below(k) or k).text
        is_last = bool(self.answers) and bool(HEADING.fullmatch(below))  # of its section
        if not is_last and (not is_apart[1] or is_apart[0]):
            self.scale = line
        if not is_apart[0] or is_apart[1]:
            first = min(self.paragraph, len(self.answers) - 1) if not is_apart[0] else len(self.answers) - 1
            step = self.answers[-1].step if self.answers else ""
            self.spoil(
                line, next((j for j in range(max(first, 0), len(self.answers)) if self.answers[j].step == step), 0)
            )

    def spoil(self, line: Written, first: int) -> None:
        """Take back the answers from this one on, whose numbers a line may change."""
        for step in dict.fromkeys(answer.step for answer in self.answers[first:]):
            self.losses.extend(step, line.fault(_SCALED.format(shorten(step), shorten(line.text))))
        del self.answers[first:]
        self.recent, self.below = None, -1

    def keep_between(self, waiting: _Name, k: int) -> None:
        """Keep a line between a name and its matrix, which may be another one's, unless it goes on with the name."""
        line = self.here(k).trimmed()
        shown = _SHOWN.fullmatch(line.text)
        goes_on = is_remark(line.text) or shown and shown[1] == waiting.text.text
        if not goes_on and not _NOTHING.fullmatch(line.text) and not _LAYOUT.fullmatch(line.text):
            waiting.between = line

    def explain(self, line: Written, message: str = "") -> None:
        """Note why the last matrix may have another shape than is asked: by itself, a line that may be a row."""
        message = message or _MORE_ROWS.format(shorten(line.text.strip()))
        last = self.answers[-1]
        fault = line.fault(message).faults[0]
        self.doubts.append(replace(last, rows=((None,),), doubt=fault, explains=True))

    # -- one line ----------------------------------------------------------------------------------------------------

    def step(self) -> None:
        line = self.here()
        if _NOTHING.fullmatch(line.text.strip()) or is_scale(line.text):
            return
        if self.heads_question(line):
            return
        if heading := HEADING.fullmatch(line.text):
            text = line.group(heading, 2).trimmed()
            is_formula = self.heading(len(heading[1]), Written(text.text.rstrip("# "), text.at))
            if _SIGN.search(text.text) and not is_formula:
                self.note_names(text)
            return
        if section := _SECTION.fullmatch(line.text):
            self.heading(1 + len(section[1]) // 3, line.group(section, 2).trimmed())
            self.behind_heading(line.group(section, 3))
            return
        if (caption := _CAPTION.fullmatch(line.text)) and self.caption(line, caption):
            return
        if (is_table_line(line.text) or matrix_layouts.is_tabular(line.text)) and self.table(self.begin()):
            return
        if (head := _HEAD.fullmatch(line.text)) and not self.next_begins_matrix():
            self.heading(LOWEST, line.group(head, 1))
            return
        named = NAMED.match(line.text) or self.phrased(line) or _PRINTED.match(line.text)
        if named is None and self.begins_matrix(line) and not self.begins_chain(line):
            self.matrix(self.begin())
        elif named and named.re is _PRINTED:
            self.expect(_Name(line.group(named, 1)))
            self.matrix(self.begin() + named.end())
        elif named and named[3] == ":":
            self.colon(line, named)
        elif not self.statements(self.begin()):
            self.words(line)

    def words(self, line: Written) -> None:
        """Read a line without a sign: a name alone, or words."""
        if self.pending is None and (plain := _BEFORE_SIGN.fullmatch(line.text)) and self.next_begins_sign():
            self.expect(_Name(line.group(plain, 1, 2)))
        elif alone := _ALONE.fullmatch(line.text):
            self.alone(line.group(alone, 1, 2, 3), is_certain=bool(alone[1]))
        elif named_so(without_marks(line).text):
            self.alone(without_marks(line), is_certain=False)
        elif nameless := _NAMELESS.search(line.text):
            raise self.of_sentence(self.begin() + nameless.start())

    def heads_question(self, line: Written) -> bool:
        """Take the heading of a question of an exam; the number of an item is one if nothing else may be."""
        question = _QUESTION.fullmatch(line.text)
        if not (self.has_questions or self.awaits() or self.below == self.line) and self.next_is_named():
            question = _NUMBER_ALONE.fullmatch(line.text)
        if question is None or self.next_begins_matrix():
            return False
        self.drop_pending()
        self.question, self.headings = f"q{next(filter(None, question.groups()))}", []
        return True

    def behind_heading(self, rest: Written) -> None:
        """Read what is in the line of a heading behind it: statements, or the matrix of the step that it names."""
        start = self.begin() + len(self.here().text) - len(rest.text)
        if self.statements(start):
            return
        if self.begins_matrix(rest):
            self.matrix(start)
        elif _may_answer(rest.text):
            self.left[self.line] = Left(rest.text, rest.place)

    def alone(self, name: Written, is_certain: bool) -> None:
        """Read a line that is a name alone, of the matrix below it."""
        if is_certain or self.next_begins_matrix() or self.ahead(lambda: begins_labelled_row(self.here().text)):
            self.expect(_Name(name))
        else:
            self.note_unread_below(name)

    def note_unread_below(self, name: Written) -> None:
        """Note a name without a sign if numbers below it are not read."""
        below = self.line_text(self.filled_below(self.line) or -1)
        if _may_answer(below) and not ends_rows(below):
            called = named_so(name.text) or name.text
            message = _NOT_BELOW.format(shorten(called), as_written(called, below), shorten(below))
            self.doubt(_Name(name), message)

    def phrased(self, line: Written) -> re.Match[str] | None:
        """Return the match of a line that calls a step by a phrase or a formula: `attention weights:`, `QKᵀ =`."""
        sign = _SIGN.search(line.text, 0, LONGEST_PHRASE)  # without one a long line would be tried at every place
        match = _PHRASED.match(line.text) if sign else None
        return match if match and named_so(match[1]) else None

    def heading(self, level: int, text: Written) -> bool:
        """Take a heading. Return whether it is a name with its formula, `M = B / 8`."""
        self.drop_pending()
        self.unclear = None
        formula = _HEADED_FORMULA.fullmatch(text.text)
        is_formula = formula is not None and _is_formula(formula[2])
        named = formula if is_formula else _HEADED.fullmatch(text.text)
        name = text.group(named, 1) if named else text
        self.put_heading(level, plain_name(named[1]) if named else named_so(text.text), name)
        if self.named_heading and self.next_begins_sign():
            self.expect(_Name(name))
        elif self.named_heading and not self.next_begins_matrix():
            self.note_unread_below(name)
        return is_formula

    def put_heading(self, level: int, name: str | None, text: Written) -> None:
        self.headings = [*(heading for heading in self.headings if heading.level < level), _Heading(level, name, text)]

    @property
    def named_heading(self) -> _Heading | None:
        """The last heading if it names a step or a part."""
        return self.headings[-1] if self.headings and self.headings[-1].name else None

    @property
    def headed(self) -> str:
        """What the last heading names; empty if it names nothing."""
        return (self.named_heading and self.named_heading.name) or ""

    def caption(self, line: Written, match: re.Match[str]) -> bool:
        """Take the caption of a table as its name, rather than the heading above. Return False if it is of no table."""
        text = without_marks(line.group(match, 2))
        named = _CAPTION_NAME.fullmatch(text.text)
        name = text.group(named, 1) if named else text
        is_known = bool(named or named_so(text.text))
        if not self.next_begins_matrix():
            if self.recent is not None and is_known:  # of the table above
                last = self.answers[self.recent.number]
                rival = plain_name(name.text) if named else named_so(text.text)
                self.answers[self.recent.number] = replace(last, rivals=(*last.rivals, *filter(None, [rival])))
            return False
        heading = self.named_heading.name if self.named_heading else None
        others = {other_name for other_name in _ELSE.findall(text.text) if other_name != heading}
        if not text.text or not is_known and heading and not others:
            return True
        is_of_next = match[1] or not self.is_bare_above
        whose = name if is_of_next and is_known else line.trimmed()
        self.expect(_Name(whose, doubt="" if is_of_next else _WHICH.format(shorten(whose.text))))
        return True

    def table(self, start: int) -> bool:
        """Read a table of names and answers, `| S | [[1, 2]] |`, or one whose first row is the name of its matrix.

        Return False for others.
        """
        written = self.file.part(start, self.extent(start))
        whole_rows = [[cell for cell in row if cell.text] for row in matrix_layouts.table_rows(written)]
        if not (rows := [row for row in whole_rows if row]):
            return False
        last = self.line_of(start + len(written.text.rstrip())) + 1
        has_matrices = any(_WHOLE_MATRIX.match(cell.text) for row in rows for cell in row)
        has_header = len(rows) > 1 and not any(map(_may_answer, (cell.text for cell in rows[0])))
        is_headed = has_header and len(rows[0]) == 2 and self.heads_answers(*rows)
        if has_matrices or is_headed or not self.awaits() and not has_header and all(map(_is_answer, rows)):
            self.drop_pending()
            for row in rows[has_header:]:
                self.losses.guarded(row[0].text, partial(self.row_of_answers, row))
        elif (
            self.pending is None
            and has_header
            and whole_rows[0]
            and len(rows[0]) == 1 < len(rows[1])
            and _is_name(rows[0][0])
        ):
            self.put(_name_in(rows[0][0]), matrix_layouts.without_first_row(written), True, None)
        else:
            return False
        self.line = last
        return True

    def heads_answers(self, header: list[Written], *rows: list[Written]) -> bool:
        """Return whether a header says that names and answers are below it, and no name waits for the table."""
        has_names, has_answers = headed(header[0].text) == "step", headed(header[1].text) == "answer"
        if self.pending is not None or not has_names and self.awaits():
            return False
        values = (row[1].text.lstrip("$*` ") for row in rows if len(row) == 2)
        return has_answers or has_names and any(looks_like_entry(text) or text[:1] in ("[", "(") for text in values)

    def row_of_answers(self, row: list[Written]) -> None:
        """Read a row of a table with a name and an answer."""
        if len(row) != 2 or not _is_name(row[0]):
            raise row[0].fault(_ROW_OF_MATRICES)
        value, remark = remark_apart(row[1])
        self.put(_name_in(row[0]), value, False, None, remark=remark)

    def colon(self, line: Written, named: re.Match[str]) -> None:
        """Read a line that begins with a name and a colon: its matrix, a heading for what follows, or a sentence."""
        name, rest = line.group(named, 1, 2), line.part(named.end(), len(line.text))
        if not self.answers and name.text.lower() in HEADER:
            self.about.setdefault(name.text.lower(), rest)
            if name.text.lower() == "note":
                self.note_names(rest)
            return
        start = self.begin() + named.end()
        chains, _ = self.chains(start)
        if chains and not chains[0].has_no_sign:
            self.statements(start, name)
            return
        bare = rest.text.strip("$*` \\")
        if not bare and self.next_is_named():
            self.drop_pending()
            self.doubt(_Name(name), f"expected a matrix after {shorten(name.text)}, found the name of another step")
            self.put_heading(LOWEST, plain_name(name.text) if named.re is NAMED else named_so(name.text), name)
            return
        called = _Name(name)
        if (inner := NAMED.match(line.text, named.end())) and inner[3] == ":":  # First: c: 0.5
            called, start = self.labelled(_Name(line.group(inner, 1, 2)), name), self.begin() + inner.end()
        self.scalar(called, start, self.stops[self.line], is_sentence=True, is_last=True)

    # -- chains of equalities ------------------------------------------------------------------------------------------

    def chains(self, start: int) -> tuple[list[Chain], int]:
        """Return the statements of the line that is read. Raises AttncalcError for a matrix that is not closed."""
        try:
            return chains(self.whole, start, self.stops[self.line])
        except NotClosed as error:
            self.pending = None
            raise self.not_closed(error) from None

    def statements(self, start: int, label: Written | None = None) -> bool:
        """Read the statements of a line, each by itself; False if it has none."""
        chains, stop = self.chains(start)
        if not chains:
            return False
        last = self.line_of(stop) + 1
        for k, chain in enumerate(chains):
            self.losses.guarded("", partial(self.statement, chain, label, k == 0, k == len(chains) - 1))
        self.line = max(self.line, last)
        return True

    def statement(self, chain: Chain, label: Written | None, is_first: bool, is_last: bool) -> None:
        """Read one chain of equalities: find its name and its value."""
        text, recent = self.file.text, self.recent
        number, is_bare = None, False
        if is_first and label is None and not text[behind_decoration(text, *chain.head) : chain.head[1]].strip(" -"):
            name, self.pending, is_bare = self.pending, None, True
            if name is not None and chain.has_no_sign and name.is_begun:
                name.doubt = name.fault
            if name is None and recent is not None and not chain.has_no_sign:
                name, number = recent.name, recent.number
        elif chain.has_no_sign:
            raise self.of_sentence(chain.members[0][0])
        else:
            name = self.owner(chain, label, is_first)
        if name is not None:
            name.factors += chain.factors
        if name is not None and (any(chain.matrices) or _HAS_NUMBER.search(text, *chain.members[-1])):
            self.note_others_of(name, chain)
        self.losses.guarded(
            name.step if name else self.headed, partial(self.value, name, chain, number, is_bare, is_last)
        )

    def note_others_of(self, name: _Name, chain: Chain) -> None:
        """Note the other names of a chain, A in `S = A = [[...]]`: the value is that of the first name alone."""
        for span in chain.members[:-1]:
            member = without_marks(self.file.part(*span))
            if _ONLY_NAME.fullmatch(member.text) and plain_name(member.text) != plain_name(name.text.text):
                message = _OF_CHAIN.format(shorten(member.text), shorten(name.text.text), as_written(member.text, "["))
                self.doubt(_Name(member), message)

    def value(self, name: _Name | None, chain: Chain, number: int | None, is_bare: bool, is_last: bool) -> None:
        """Read the value of a chain: the last member that is a matrix alone, else its last member, else it is still to
        come.

        `number` is the answer that the chain goes on with. `is_bare` says that the line begins with the sign or with
        the matrix.
        """
        first = next((inner[0][0] for inner in chain.matrices if inner), None)
        if first is not None and name is not None and name.is_unknown:
            raise name.refusal(_UNKNOWN_FORMULA)
        if first is not None and name is None and not is_bare:
            raise self.of_sentence(first)
        if doubt := chain.doubt or (name.doubt if name is not None and first is not None else ""):
            self.drop_pending()
            if first is None and name is not None:
                self.doubt_all(name, chain, doubt)
                return
            raise self.file.fault(doubt, chain.head[0])
        values = {k: value for k in range(len(chain.members)) if (value := value_of(self.file.text, chain, k))}
        if values:
            if self.pending is not None and (name is None or self.pending.text.text != name.text.text):
                self.drop_pending()
            self.pending = None
            of_last = max(values)
            self.values += [start for start, _ in values.values()]
            *earlier, last = (self.file.part(*span) for span in values.values())
            behind = chain.matrices[of_last][0][1], chain.members[of_last][1]
            self.require_end(name, chain.head[0], *behind)
            remark = remark_in(self.file.text[slice(*behind)])
            if name is not None:
                name.rivals = (*name.rivals, *self.behind_value(name, chain, of_last))
            self.require_whole(name, behind[0], chain.members[-1][1], is_number=False)
            self.put(name, last, False, number, earlier, remark)
            self.below = self.line_of(max(behind[0] - 1, 0)) + 1
            if 0 <= self.above == self.line_of(chain.head[0]) - 1:  # a row of the matrix may stand there
                self.explain(self.at_line(self.above))
        elif name is None and first is not None:
            self.put(None, self.file.part(first, chain.members[-1][1]).trimmed(), False, None)
        elif name is None or name.is_unknown:
            head = self.file.part(*chain.head)
            if self.answers and self.answers[-1].place.line == head.place.line:  # `loss = 0.41, -ln 0.11 = 2.17`
                self.explain(head)
        elif chain.matrices[-1]:
            end = self.file.part(chain.matrices[-1][-1][1], chain.members[-1][1])
            if _OPERATOR_LAST.search(end.text):
                raise self.goes_on(name, end.text.strip())
            self.wait_for(self.of_working(name, chain))
        else:
            self.refuse_matrix_before(name, chain)
            self.one_number(name, chain)
            a, b = chain.members[-1]
            if is_bare and name.is_calculated:  # `n = sum(B) / 16`, and `= 1.75` below it
                name = replace(name, fault="")
            self.scalar(name, a, b, is_sentence=False, is_last=is_last, number=number)

    def require_end(self, name: _Name | None, first: int, end: int, stop: int) -> None:
        """Raise AttncalcError for an operator or a percent sign behind a matrix whose statement begins there. Stars
        end bold type if it has begun in the statement.
        """
        text = self.file.text[end:stop].strip()
        if (stars := _STARS.match(text)) and self.file.text.count(stars[0], first, end) % 2:
            text = text[stars.end() :]
        if _OPERATOR_LAST.search(text):
            raise self.goes_on(name, text)
        if text.strip(" $*`") == "%":
            raise self.file.fault(_PERCENT, end)

    def refuse_matrix_before(self, name: _Name, chain: Chain) -> None:
        """Raise AttncalcError for a matrix with a number beside it, or a row, before the number of a chain: either may
        be the answer, as in `S = [[1, 2]] 0.5 + 0.5 = 1`.
        """
        text = self.file.text
        for (a, b), inner in zip(chain.members[:-1], chain.matrices[:-1], strict=True):
            is_nearby = inner and not before_matrix(text, a, inner[0][0]) and _NUMBER_BEHIND.match(text, inner[0][1], b)
            if is_nearby or not inner and _ROW_FIRST.match(text[a:b].lstrip()):
                raise name.text.fault(MORE_BEHIND)

    def doubt_all(self, name: _Name, chain: Chain, message: str) -> None:
        """Note the names of a chain without matrices: none of them has its number."""
        self.doubt(name, message)
        for a, b in chain.members[:-1]:
            part = self.file.part(a, b)
            if match := _TRAILING.search(part.text):
                self.doubt(_Name(part.group(match, 1, 2)), message)

    def behind_value(self, name: _Name, chain: Chain, of_last: int) -> list[str | Tree]:
        """Return the names and formulas behind the last matrix of a chain. Raises AttncalcError for a number there."""
        rivals: list[str | Tree] = []
        for (a, b), inner in zip(chain.members[of_last + 1 :], chain.matrices[of_last + 1 :], strict=True):
            part = without_marks(self.file.part(a, b))
            bare = part.text.strip("\\ $*`&.;")
            if inner or bare and is_attempt(bare):
                raise name.refusal(_TWO_MATRICES)
            if not bare:
                message = "expected a matrix or a formula after this equals sign, found nothing"
                self.losses.extend(name.step, self.file.fault(message, max(0, a - 1)))
            elif _ONLY_NAME.fullmatch(bare):
                rivals.append(plain_name(bare))
            elif (tree := as_tree(bare)) is not None:
                rivals.append(tree)
        return rivals

    def one_number(self, name: _Name, chain: Chain) -> None:
        """Raise AttncalcError if two numbers of one chain differ, `1.23 = 5`, or exact ones, `1.23 = sqrt(2)`."""
        numbers: list[Typed] = []
        for a, b in (chain.head, *chain.members):  # `n: 5 = 1.75`
            with suppress(AttncalcError):
                bare = _END.sub("", self.file.text[a:b]).strip("$*`& .,;").rstrip("\\ ")
                typed = entry(Written(bare, self.file.part(a, b).at))
                if typed is not None and not typed.is_expression and not typed.text.isalpha():  # e may be a given
                    numbers.append(typed)
        last = numbers[-1] if numbers else None
        if any(
            not same_numbers(((number,),), ((last,),)) or number.decimals == 0 and number.value != last.value
            for number in numbers
            if last is not None
        ):
            raise name.refusal(_TWO_NUMBERS)

    def owner(self, chain: Chain, label: Written | None, is_first: bool) -> _Name | None:
        """Return the name of a chain: the first one in it. A formula before that name may name another step."""
        name = self.head(chain)
        if name is not None and name.formula is None and not name.rivals and not name.is_unknown:
            return self.labelled(name, label, is_first) if label is not None else name
        rivals: tuple[str | Tree, ...] = name.rivals if name is not None else ()
        if name is not None and name.formula is not None:
            rivals = (name.formula,)
        if label is not None and is_first:
            return _Name(label, rivals=rivals)
        for (a, b), inner in zip(chain.members, chain.matrices, strict=True):
            part = self.file.part(a, b).trimmed()
            if not inner and (match := _ONLY_NAME.fullmatch(part.text.rstrip("\\& "))):
                return _Name(part.group(match, 1, 2), rivals=rivals)
        return name

    def labelled(self, name: _Name, label: Written, is_first: bool = True) -> _Name:
        """Return a name with a label before a colon in front of it, which may be a part or another step."""
        name.label = plain_name(label.text)
        if is_first and not _HEAD.fullmatch(name.label):
            name.rivals, name.doubt = (name.label,), self.denied(label, name.text.text)
        return name

    def head(self, chain: Chain) -> _Name | None:
        """Return the name, the phrase or the formula before the first sign; None for other texts. A phrase is also its
        own rival, since a name may follow.
        """
        text, (a, b) = self.file.text, chain.head
        start = max(behind_decoration(text, a, b), b - LONGEST_HEAD)
        line = self.file.part(start, b)
        if plain := _BEFORE_SIGN.fullmatch(line.text):
            return _Name(line.group(plain, 1, 2))
        item = _ITEM_SIGN.match(line.text)
        bare = without_marks(line.part(item.end() if item else 0, len(line.text)))
        if step := named_so(bare.text):
            return _Name(bare, rivals=(step, *filter(None, [also_named(bare.text)])))
        trailing = _TRAILING.search(line.text)
        if trailing is None:
            begin = formula_before(line.text)
            phrase = without_marks(line.part(begin, len(line.text))) if begin is not None else line.part(0, 0)
            step = named_so(phrase.text)
            return _Name(phrase, rivals=(step,), is_prose=True) if step else None
        named = line.group(trailing, 1, 2)
        if _PART_OF.search(line.text[: trailing.start()]):
            raise line.fault(_LINE_OF.format(named.text))
        shift = item.end() if item else 0
        begin = formula_before(line.text[shift : trailing.start()])
        if begin is None:
            before = line.text[: trailing.start()]
            spoken = _WORD_BEFORE.search(before)
            doubt = self.denied(line.part(0, trailing.start()).trimmed(), named.text)
            if is_of_another(before):
                doubt = _OTHER_NUMBERS.format(shorten(" ".join(line.text.split()[-4:])), named.text)
            return _Name(named, is_prose=True, spoken=(spoken[1],) if spoken else (), doubt=doubt)
        written = line.part(shift + begin, trailing.end(1 if trailing[1] else 2)).trimmed()
        if step := named_so(without_marks(written).text):
            return _Name(without_marks(written), rivals=(step,))
        tree = as_tree(written.text)
        return _Name(written, "", tree, is_unknown=tree is None)

    def denied(self, before: Written, name: str) -> str:
        """Return why the named matrix is not an answer; empty if the words before the name do not say so."""
        return _DENIED.format(shorten(before.text), shorten(name)) if is_denied(before.text) else ""

    def given_up(self, step: str) -> str:
        """Return why nothing below a heading such as `First attempt` is an answer; empty below others."""
        texts = (heading.text.text for heading in self.headings if is_given_up(heading.text.text))
        return next((_DENIED.format(shorten(text), shorten(step)) for text in texts), "")

    def of_working(self, name: _Name, chain: Chain) -> _Name:
        """Return the name, with what is wrong with the last member, which is more than a matrix."""
        (a, b), inner = chain.members[-1], chain.matrices[-1]
        text, is_latex = self.file.text, self.file.text.startswith("\\begin", inner[0][0])
        at = more_behind(text, inner[0][1], b) or inner[0][1]
        fault = UNMATCHED if text[at : at + 1] == "]" else ONLY_MATRIX.format("after") if is_latex else MORE_BEHIND
        if before_matrix(text, a, inner[0][0]):
            at, fault = behind_decoration(text, a, b), ONLY_MATRIX.format("before")
        name.fault, name.place, name.is_begun = fault, self.file.part(at, b), True
        return name

    def wait_for(self, name: _Name) -> None:
        """Keep a name until its matrix comes."""
        if self.pending is None or self.pending.text.text != name.text.text:
            self.drop_pending()
        else:  # `A = exp(S) ...` was how it is found
            self.left.pop(self.pending.line, None)
        self.pending = name

    def scalar(self, name: _Name, a: int, b: int, is_sentence: bool, is_last: bool, number: int | None = None) -> None:
        """Read a member without a matrix in brackets: a number, rows that begin in this line, working, or nothing.
        `number` is the answer that it goes on with.
        """
        value, remark = remark_apart(self.file.part(a, b).trimmed())
        bare = value.text.strip("$*`& ")
        reason, typed = "", None
        if len(bare) > 1 and not is_sentence and _OPERATOR_LAST.search(bare):
            raise self.goes_on(name, bare)
        if _BETWEEN_BARS.fullmatch(bare):
            raise name.text.fault(_ABSOLUTE.format(shorten(bare), shorten(name.text.text)))
        if forms := _TWO_FORMS.fullmatch(bare):
            self.require_whole(name, a, b, is_number=True)
            self.values.append(a)
            self.put(name, self.one_form(name, value, forms), False, None)
            return
        if bare and not self.begins_value(value):
            try:
                typed = entry(Written(value.text.rstrip("$*` .;\t"), value.at))
            except AttncalcError as error:
                if is_sentence and len(bare.split()) > 1:
                    if refers(bare):
                        self.doubt(name, _NOT_READ.format(as_written(name.text.text, bare), shorten(bare)))
                    return
                reason = error.faults[0].message if is_attempt(bare) or _ROW_FIRST.match(bare) else _WORKING
        if name.is_prose:
            if bare and reason != _WORKING:
                with suppress(AttncalcError):
                    typed = entry(value)
                self.doubt(name, _ALONE_ON_LINE.format(as_written(name.text.text, bare)), typed)
            elif reason == _WORKING or not bare and self.next_begins_matrix():
                if bare and as_tree(bare) is None and _HAS_NUMBER.search(bare):
                    self.doubt(name, _NOT_READ.format(as_written(name.text.text, bare), shorten(bare)))
                self.wait_for(replace(name, fault=_WORKING))
            return
        if not name.text.text or name.fault:
            return
        is_calculated = reason == _WORKING and as_tree(bare) is not None
        if reason == _WORKING and not is_calculated:
            self.doubt(name, _NOT_READ.format(as_written(name.text.text, bare), shorten(bare)))
        is_begun = bool(_ROW_FIRST.match(bare))
        name = replace(name, fault=reason, is_begun=is_begun, number=number, is_calculated=is_calculated)
        self.wait_for(replace(name, working=value if is_calculated and in_words(value) else None))
        if bare and not reason:
            start = a + len(self.file.text[a:b]) - len(self.file.text[a:b].lstrip())
            if is_last:
                self.line = self.line_of(start)
                self.matrix(start)
            else:
                self.pending = None
                self.values.append(start)
                self.put(name, value, is_row(value.text, 0.5), number, remark=remark)

    def one_form(self, name: _Name, value: Written, forms: re.Match[str]) -> Written:
        """Return one of two forms in which a number is typed, `3/4 (0.75)`. Raises AttncalcError if they differ."""
        start = value.text.index(forms[0])
        both = value.part(start, start + len(forms[0]))
        first, second = (entry(both.group(forms, k)) for k in (1, 2))
        if not same_numbers(((first,),), ((second,),)):
            raise name.refusal(_TWO_NUMBERS)
        return both.group(forms, 1)

    def doubt(self, name: _Name, message: str, typed: Typed | None = None, words: NearbyText | None = None) -> None:
        """Note a text that is not read, and is a fault if it names a step, and if these words are no names."""
        with suppress(AttncalcError):
            part, step, where, place = self.name_of(name, name.text)
            fault, more = Diagnostic(message, place), (words,) if words else ()
            self.doubts.append(
                Answer(part, step, where, ((typed,),), place=place, loose=True, doubt=fault, nearby=more)
            )

    # -- matrices ------------------------------------------------------------------------------------------------------

    def begins_value(self, value: Written) -> bool:
        text = value.text.lstrip("$ ")
        if is_signed(text):
            return False
        return (
            program_output.begins_print(text)
            or begins_literal(f"{text} ", 0, len(text))
            or is_table_line(text)
            or is_row(text, 0.5)
        )

    def begins_matrix(self, line: Written) -> bool:
        """Return whether a line without a name is the beginning of a matrix; prose is left alone."""
        text = line.text.strip().lstrip("$ ")
        if program_output.begins_print(line.text):
            return True
        if begins_literal(f"{text} ", 0, len(text)) or is_table_line(text):
            return True
        if text.startswith("["):
            return self.pending is not None
        if matrix_layouts.BEGIN.match(text.removeprefix("\\left").lstrip("[(|. ")):
            return True
        if is_row(text, 0.5 if self.awaits() else 1.0):
            return not SAID.match(text)
        return self.awaits() and (self.begins_frame() or self.is_first_of_rows(text))

    def is_first_of_rows(self, text: str) -> bool:
        """Return whether rows stand right below a line that may be one, but cannot be read."""
        count = len(text.split())
        for k in range(self.line + 1, min(self.line + 9, len(self.starts))):
            below = self.at_line(k).text
            if not is_spoiled_row(text, count) or len(below.split()) != count:
                return False
            if is_row(below, 0.5):
                return True
            text = below
        return False

    def awaits(self) -> bool:
        return self.pending is not None or self.named_heading is not None

    def next_begins_matrix(self) -> bool:
        return self.ahead(lambda: self.begins_matrix(self.here()) or self.begins_frame())

    def next_begins_sign(self) -> bool:
        """Return whether the next line that may say something begins with a sign of equality."""

        def begins() -> bool:
            start, stop = behind_decoration(self.file.text, self.begin(), self.stops[self.line]), self.stops[self.line]
            is_row = APPROXIMATE_ROW.fullmatch(self.here().text.strip())
            return start < stop and begins_sign(self.file.text, start) and not is_row

        return self.ahead(begins)

    def next_is_named(self) -> bool:
        """Return whether the next line that is not blank is a statement of its own, or names what follows it."""
        return self.ahead(lambda: bool(NAMED.match(self.here().text) or self.phrased(self.here())))

    def ahead(self, test: Callable[[], bool]) -> bool:
        """Return whether a test holds at the next line that may say something."""
        line, self.line = self.line, self.line + 1
        while self.line < len(self.starts) and _NOTHING.fullmatch(self.here().text.strip()):
            self.line += 1
        holds = self.line < len(self.starts) and test()
        self.line = line
        return holds

    def begins_chain(self, line: Written) -> bool:
        """Return whether a line begins with a sign of equality, or with a matrix in brackets or in LaTeX."""
        start = behind_decoration(self.file.text, self.begin(), self.stops[self.line])
        if APPROXIMATE_ROW.fullmatch(line.text.strip()):
            return False
        if start >= self.stops[self.line] or program_output.begins_print(line.text) or is_table_line(line.text):
            return False
        return begins_literal(self.file.text, start, self.stops[self.line]) or begins_sign(self.file.text, start)

    def matrix(self, start: int) -> None:
        """Read the matrix that begins there, and goes on behind it."""
        first, on_same_line = self.line, start > self.begin()
        name, self.pending = self.pending, None
        if name is not None and name.is_begun and not on_same_line:
            name.doubt = name.fault
        is_bare, self.is_bare_above = name is None or bool(name.doubt), False
        self.values.append(start)
        stop = self.extent(start)
        while self.line + 1 < len(self.starts) and self.starts[self.line + 1] < stop:
            self.line += 1
        self.line += 1
        written, remark = self.file.part(start, stop), ""
        if on_same_line or not program_output.is_indented(written.text):
            written, remark = remark_apart(written.trimmed())
        single = expression(written) if on_same_line else None  # S = 1 / 2
        signed = on_same_line and is_signed(written.text)  # S = - 0.67
        is_number = signed or single is not None and not _CROSSING.search(written.text)
        block = first + 1 < self.line or not is_number and is_row(written.text, 0.5) and len(written.text.split()) > 1
        self.is_bare_above = is_bare
        is_number |= single is not None or len(written.text.rstrip("\\& ").split()) == 1
        self.require_whole(name, start, stop, is_number)
        number = name.number if name is not None else None
        self.put(name, written, block, number, remark=remark, single=single)
        if remark:
            self.explain(written, _MORE_ROWS.format(shorten(remark)))
        if block:
            self.below = self.line
            self.explain_below()
            if self.above == first - 1:
                self.explain(self.at_line(self.above))
            lengths = {len(row) for row in self.answers[-1].rows}
            is_alone = len(written.text.split("\n", 1)[0].rstrip("\\& ").split()) == 1
            if first + 1 < self.line and is_alone and (on_same_line or "__" in written.text):
                below = self.at_line(first + 1).trimmed()
                called = self.answers[-1].step
                self.explain(below, _GOES_ON.format(shorten(called), shorten(below.text)))
            if len(lengths) > 1:
                self.explain(written, _UNEVEN.format(min(lengths), max(lengths)))
            if "\n\n" in written.text.replace("\r", "") or self.answers[-1].column_labels is not None:
                self.explain(written, _MORE_ROWS.format(shorten(written.text.split("\n", 1)[0])))

    def of_sentence(self, at: int) -> AttncalcError:
        """Return the fault of a matrix that has no name there; words before it make it a part of a sentence."""
        before = self.file.text[self.starts[self.line_of(at)] : at]
        if len(re.findall(r"[^\W\d_]{2,}", before)) > 1:
            return self.file.fault(_IN_SENTENCE, at)
        bare = before.strip("*`$\\[( \t")
        if (named := _ANY_NAME.match(bare)) and (example := _part_of(named[0], bare, named.end())):
            return self.file.fault(_NOT_READ.format(example, shorten(bare)), at)
        return self.file.fault(_OTHER_NAME.format(shorten(bare)) if bare else _REQUIRED_NAME, at)

    def explain_below(self) -> None:
        """Note a line right below rows that names nothing: more rows may follow it."""
        text, below = self.line_text(self.line), self.line_text(self.line + 1)
        is_nothing = _NOTHING.fullmatch(text) and not (text and is_row(below, 1.0))
        if text and not (is_nothing or ends_rows(text) or _ONLY_LETTER.fullmatch(text)):
            self.explain(self.at_line(self.line).trimmed())

    def require_whole(self, name: _Name | None, start: int, stop: int, is_number: bool) -> None:
        """Raise AttncalcError if a line above or below a value may belong to it: an expression that goes on, a fraction
        or a power over several lines. `is_number` says that it is a number alone, which any number may go on with.
        """
        first, last = self.line_of(start), self.line_of(max(start, stop - 1))
        above = self.at_line(first - 1).text
        column = start - self.starts[first]
        if is_number and (
            _ENDS_WITH_BAR.search(above) or is_fragment(above) and len(above) - len(above.lstrip()) > column > 0
        ):
            raise self.goes_on(name, above.strip())
        for k in range(last + 1, len(self.starts)):
            below = self.at_line(k).text
            if is_number and _BAR.fullmatch(below) and k == last + 1:
                last = k
            elif below.strip():
                begins = _LINE_BEGIN.sub("", below)
                operator = _OPERATOR_FIRST.match(begins)
                rest = begins[operator.end() :] if operator else ""
                if (
                    is_number and k == last + 1 and is_fragment(below)
                    or operator and (is_fragment(begins) or begins_literal(f"{rest} ", 0, len(rest)))
                ):  # fmt: skip
                    raise self.goes_on(name, below.strip())
                break

    def goes_on(self, name: _Name | None, fragment: str) -> AttncalcError:
        """Return the fault of an answer that other lines may belong to."""
        text = name.text if name is not None else self.at_line(min(self.line, len(self.starts) - 1)).trimmed()
        return text.fault(_GOES_ON.format(shorten(name.text.text) if name is not None else "c", shorten(fragment)))

    def put(
        self,
        name: _Name | None,
        written: Written,
        block: bool,
        number: int | None,
        earlier: Sequence[Written] = (),
        remark: str = "",
        single: Typed | None = None,
    ) -> None:
        """Read a matrix as an answer; `number` is the answer that it continues, `earlier` are others of its chain."""
        part, step, where, place = self.name_of(name, written)
        if name is not None:
            self.left.pop(name.line, None)
        between = name.between if name is not None else self.unclear
        if doubt := (name.doubt if name is not None else "") or self.given_up(step):
            raise (name.text if name is not None else written).fault(doubt)
        if between is not None:
            called = (name.text if name is not None else self.headings[-1].text).trimmed()
            self.unclear = None
            subject = _SUBJECT.match(between.text)  # no word, and no function
            fault = written.fault(_WHICH.format(shorten(between.text)))
            self.losses.extend(plain_name(subject[1]) if subject else "", fault)
            raise called.fault(_PARTED.format(shorten(called.text), shorten(between.text)))
        grid = read_matrix(written, block=block).with_points()
        rows = grid.read(written, self.losses, ".".join(filter(None, (part, step))))
        if rows == ((None,),) and (shown := without_marks(written)).text.strip("_"):
            text = shorten(shown.text)
            self.blanks.append(
                Diagnostic(f"{text!r} is read as a blank, so {shorten(step)} has no answer", shown.place)
            )
        before = [readable for answer in earlier if (readable := readable_rows(answer)) is not None]
        if number is not None:
            before.append(self.answers[number].rows)
        if any(not same_numbers(answer, rows) for answer in before):
            if number is not None:
                del self.answers[number:]
            message = _TWO_NUMBERS if [len(row) for row in rows] == [1] else _TWO_MATRICES
            raise Written(step, lambda k: place.shifted(k)).fault(message.format(shorten(step)))
        formula, flat = name.formula if name is not None else None, grid.flat and len(grid.rows) == 1
        rivals = (*name.rivals, *name.spoken) if name is not None and name.formula is None else ()
        if name is None and (heading := self.named_heading):
            rivals = (*rivals, *filter(None, [also_named(heading.text.text)]))
        rivals = (*rivals, *remark.split())
        if self.remarks and block:
            beside_rows = map(self.remark_at, written.lines())
            remark = "; ".join(filter(None, (remark, *beside_rows)))
        if (corner := _corner(written)) and corner.place != place:
            rivals = (*rivals, plain_name(corner.text))
        earlier_words: tuple[NearbyText, ...] = ()
        if number is not None:
            earlier_words = self.answers[number].nearby
            del self.answers[number:]
        self.answers.append(
            grid.answer(
                part, step, where, rows, place, flat=flat, loose=True, formula=formula, rivals=rivals,
                chained=len(before), remark=remark, single=single, nearby=earlier_words,
                factors=name.factors if name is not None else (),
            )
        )  # fmt: skip
        self.recent = _Recent(name, len(self.answers) - 1)
        if name is not None and self.headings and self.headings[-1].level == LOWEST:
            self.unclear = name.text

    # -- names ---------------------------------------------------------------------------------------------------------

    def name_of(self, name: _Name | None, matrix: Written) -> tuple[str | None, str, Index | None, Location]:
        outer, last = [heading.name.partition("[")[0] for heading in self.headings if heading.name], self.named_heading
        outer = [self.question, *outer] if self.question else outer
        if name is None:
            if self.nameless and last is None:
                called = sum(answer.step.startswith(f"{self.nameless}_") for answer in self.answers) + 1
                return None, f"{self.nameless}_{called}", None, matrix.place
            if last is None and (corner := _corner(matrix)):
                step, where = step_name(Written(plain_name(corner.text), corner.at))
                return ".".join(outer) or None, step, where, corner.place
            if last is None:
                if self.answers:
                    self.explain(matrix, _REQUIRED_NAME)
                above = self.line_text(self.above)
                raise matrix.fault(_WHICH.format(shorten(above)) if above else _REQUIRED_NAME)
            text, outer = last.text, outer[:-1]
        else:
            text = name.text
        if name is not None and name.label is not None:
            outer.append(name.label)
        if name is not None and name.formula is not None:
            return ".".join(outer) or None, text.text, None, text.place
        step, where = step_name(Written(plain_name(text.text), text.at))
        return ".".join(outer) or None, step, where, text.place

    def expect(self, name: _Name) -> None:
        """Keep a name whose matrix is still to come, and report the one before it."""
        self.drop_pending()
        self.pending = name

    def drop_pending(self) -> None:
        """Report a name whose matrix never came. Words may be a formula with names of the problem."""
        if self.pending is not None and self.pending.working is not None:
            text = self.pending.working
            message = _NOT_READ.format(as_written(self.pending.text.text, text.text), shorten(text.text))
            self.doubt(self.pending, message, words=in_words(text))
        elif self.pending is not None and self.pending.fault != _WORKING:
            place = self.pending.place or self.pending.text
            message = (
                self.pending.fault
                or f"expected a matrix after {shorten(self.pending.text.text)}, found nothing that can be read; write "
                f"{shorten(self.pending.text.text)} = 0.5 or {shorten(self.pending.text.text)} = [[1, 2], [3, 4]]"
            )
            self.losses.extend(self.pending.step, place.fault(message))
            self.left.pop(self.pending.line, None)
        self.pending = None


def _names_in(line: Written) -> Iterator[tuple[Written, int]]:
    """Yield the names in a line that is no statement, and where each ends; S' also without its prime, which may be a
    quotation mark.
    """
    for match in _ANY_NAME.finditer(line.text):
        if not _ARTICLE.match(line.text, match.start()):
            written = line.part(*match.span())
            bare = written.text.rstrip("'′’")
            yield written, match.end()
            if bare != written.text:
                yield written.part(0, len(bare)), match.end()


def _is_repeated(first: Typed, second: Typed) -> bool:
    """Return whether two numbers may be one; one that is rounded to a whole number may be many."""
    is_rounded = 0 not in (first.decimals, second.decimals)
    return same_numbers(((first,),), ((second,),)) and (is_rounded or first.value == second.value)


def _part_of(name: str, text: str, end: int, value: str = "0.5") -> str:
    """Return how the part of a step is written that is named behind its name there; nothing for other texts."""
    part = _PART_BEHIND.match(text, end)
    if part is None:
        return ""
    index = ":, 0" if part[2] == "column" else "0, 0" if part[1] else "0"
    return f"`{shorten(name)}[{index}] = {'[1, 2]' if part[2] else value}`, counted from 0,"


def _may_answer(line: str) -> bool:
    """Return whether a line has numbers that may be an answer: numbers of a layout are not."""
    return bool(_DIGIT.search(line)) and not (_NOTHING.fullmatch(line) or _LAYOUT.fullmatch(line))


def _is_formula(text: str) -> bool:
    """Return whether a text is a formula, and neither a number nor a matrix."""
    if as_tree(text) is None or LIST.search(text):
        return False
    with suppress(AttncalcError):
        return entry(whole(text.strip("*`$ "), "")) is None
    return True


def _is_name(cell: Written) -> bool:
    return bool(_ONLY_NAME.fullmatch(cell.text)) and not looks_like_entry(cell.text)


def _name_in(cell: Written) -> _Name:
    named = _ONLY_NAME.fullmatch(cell.text)
    return _Name(cell.group(named, 1, 2) if named else cell)


def _is_answer(row: list[Written]) -> bool:
    return len(row) == 2 and _is_name(row[0]) and _may_answer(row[1].text)


def _corner(matrix: Written) -> Written | None:
    """Return the name in the corner of a table; the header behind it has words alone, and so has the first column."""
    header, *body = matrix_layouts.table_rows(matrix) or [[]]
    if not body or not header or not _is_name(header[0]):
        return None
    if any(looks_like_entry(cell.text) for cell in (*header[1:], *(row[0] for row in body)) if cell.text):
        return None
    return _name_in(header[0]).text
