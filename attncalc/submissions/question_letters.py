"""Questions that are ticked or answered in words, in free text: `q3: B`, `3. B`, and `Question 3` above `B`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import Diagnostic, shorten
from .located_text import Written, line_bounds
from .nearby_words import CLOSING, CORRECTING, HEADINGS, NEUTRAL, NUMBERED, NearbyText, any_of, retracted
from .remarks import LONGEST_PHRASE
from .submission import Unread

_TWO_TICKS = "expected one answer to this question, found {}; neither is used"
_TICKS = "expected the letters of this question on one line, such as `{}: A`; found {!r}"
_MAY_ANSWER = "{!r} may be the letter of a question, but is not read as an answer; write it as `q2: A`"
_WORD = any_of(HEADINGS | NUMBERED)
# Signs of Markdown and LaTeX, and what shows a list or a table
_DECORATION = re.compile(
    r"[*`$]+|__+|\\(?:(?:sub)*section\*?|textbf)\{|\\item(?![a-z])|[{}]|^[ \t]*(?:#{1,6}[ \t]|[-+•|][ \t])"
)
_NUMBERS = {
    text: k
    for texts in (
        "one two three four five six seven eight nine ten",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "i ii iii iv v vi vii viii ix x",
        "① ② ③ ④ ⑤ ⑥ ⑦ ⑧ ⑨ ⑩",
    )
    for k, text in enumerate(texts.split(), 1)
}
_DIGITS = "[1-9][0-9]?"
_HEAD = (  # `Question 2`, `q_2`, `No. 2`, `Question two`, `second question`, `2nd`, `2.`, `II.` and `②`
    rf"(?:\([ \t]*)?(?:(?P<word>(?:q|no|nr|\#|{_WORD})(?:[ \t.]*+(?:q|no|nr|\#)(?![^\W\d_]))?)[ \t._#-]*+"
    rf"(?P<named>{_DIGITS}|(?:{'|'.join(text for text in _NUMBERS if len(text) > 1)})(?![^\W_]))"
    rf"|(?P<ordinal>{'|'.join(text for text in _NUMBERS if len(text) > 4)})[ \t]+(?P<counted>{_WORD})"
    rf"|(?P<alone>{_DIGITS}(?=(?:st|nd|rd|th|[ \t]*[.:)|=→-]))|(?:i[iv]*|vi*)(?=[.)])|[①-⑩])(?:st|nd|rd|th)?)"
    r"(?:_?(?-i:(?=[A-H](?!\w)))|(?!\w|[.,][0-9]))"  # `q2_A` and `Q2A`
    r"(?:[ \t]*\([^()=]{2,40}\))?[ \t]*+(?P<sign>(?:[.:)=|-]|->|[→–—]){0,3})[ \t]*+"
)
_LETTER = r"(?:\([A-Za-z]\)|\[[A-Za-z]\]|[A-Za-z]\)?)(?![\w'’])"
_AND = r"(?:[ \t]*[,;/&+][ \t]*(?:(?:and|und|et|y)[ \t]+)?|[ \t]+(?:(?:and|und|et|y)[ \t]+)?)"
_LETTERS = rf"(?:{_LETTER}(?:{_AND}{_LETTER}(?![ \t]*[0-9]))*|(?-i:[A-H]{{2,6}})(?!\w))"
_PAIR = re.compile(rf"(?i)[ \t]*{_HEAD}(?P<letters>{_LETTERS})[ \t]*[.,;|!]?[ \t]*")
_HEADING = re.compile(rf"(?i)[ \t]*{_HEAD}(?P<title>.*)")
_NUMBER_HEADING = re.compile(rf"[ \t]*(?:#{{1,6}}[ \t]*|\*\*){_DIGITS}[ \t*]*")
_LABELLED = re.compile(
    r"(?i)[ \t|>]*(?P<label>(?:[^\W\d_]{2,20}[ \t,]+){0,5}(?:[^\W\d_]{2,20}[ \t]*[:,=-]+[ \t]*)?)"
    rf"(?P<letters>{_LETTERS})[ \t]*[.,;|!]?[ \t]*"
)
_MATRIX = re.compile(
    r"[ \t$*`>|]*(?:[\[(]?[-+−]?\.?[0-9]|\[[ \t]*\[|[=≈]|\\(?:begin|left|\[)|(?:array|tensor|np\.|torch\.))"
)
_STATEMENT = re.compile(r"[=≈]|:[ \t]*[-+−\[(]*[0-9]|[0-9]\.[0-9]|\[[ \t]*[-+−]?[0-9]|\\begin")
_ITEM = re.compile(r"[ \t>*|-]*\(?[0-9]{1,2}(?:[.):](?![0-9])|[ \t]*\|)")
_OPTION = re.compile(r"(?<![^\W_])[A-Ha-h](?![^\W_])")  # a letter alone that is probably one of an option
_LAST_LETTER = re.compile(r"(?:.{0,60}[\s:(])?([A-Z])[.)!\s]*")
_LONE_LETTER = re.compile(r"(?<![^\W\d_])(?:[A-H]{1,6}|[a-h](?=[)\]]|[\W_]*$))(?![^\W_]|['’])")
_NO_LETTER = re.compile(  # a formula, a matrix, and the lines about the script
    r"(?i)[^0-9]*[=≈]|.*(?:[=≈].*[0-9]|[0-9]\.[0-9]|\[[ \t]*\[|\\begin)|[\W_]*(?:student|problem|name)[\W_]*[:=|]"
)
_SENTENCE = re.compile(r"[ \t]+[a-z]")  # `3. A matrix is ...`


def lines_with_letters(file: Written) -> Iterator[Diagnostic]:
    """Yield the lines of which no letter was read, and that may answer a question with a letter."""
    lines = [line.trimmed() for line in file.lines() if line.text.strip()]
    below = [*(line.text for line in lines[1:]), ""]
    for line, next_line in zip(lines, below, strict=True):
        text = line.text[:LONGEST_PHRASE]
        is_name = _MATRIX.match(next_line) and not _ITEM.match(next_line)
        if _LONE_LETTER.search(text) and not is_name and not _NO_LETTER.match(text):
            yield Diagnostic(_MAY_ANSWER.format(shorten(text)), line.place)


def letters_of(file: Written, words: frozenset[str]) -> tuple[Written, dict[str, Written], list[Unread]]:
    """Return a free text without the lines that answer one of these questions, their answers, and the other lines that
    may answer one, or change an answer.
    """
    if not words:
        return file, {}, []
    reader = _Reader(file, words)
    reader.read()
    kept = {name: answer for name, answer in reader.answers.items() if name not in reader.unread}
    nearby = [Unread(name, fault) for name, fault in reader.nearby if name in kept]
    return file.blanked(sorted({*reader.spans})), kept, [*(Unread(*fault) for fault in reader.unread.items()), *nearby]


@dataclass(slots=True)
class _Reader:
    """The lines of a text, read one after the other. `current` is the question of the lines that follow."""

    file: Written
    words: frozenset[str]
    current: str | None = None
    closed: str | None = None  # the question above words such as `Thanks`
    above: tuple[int, int] | None = None  # the number alone above its letters
    answers: dict[str, Written] = field(default_factory=dict)
    unread: dict[str, Diagnostic] = field(default_factory=dict)
    nearby: list[tuple[str, Diagnostic]] = field(default_factory=list)
    maybe: dict[str, Written] = field(default_factory=dict)  # what answers a question unless it has an answer
    spans: list[tuple[int, int]] = field(default_factory=list)

    def read(self) -> None:
        names = "|".join(sorted(self.words, key=len, reverse=True))
        stated = re.compile(rf"(?i)[ \t]*+[-*]?[ \t]*+\**({names})\**[ \t]*[:=]\**[ \t]*(.*)")
        named = re.compile(
            rf"(?i)(?<![\w.])({names})(?!\w)|(?<!\w){_WORD}[ \t]+([0-9]{{1,2}})[ \t]*[:.)=-][ \t]*[a-z](?!\w)"
        )
        mentions: list[tuple[str, Written]] = []
        lines = self.file.lines()
        below = ""  # the next line that is not blank
        texts_below = [""] * len(lines)
        for k in range(len(lines) - 1, -1, -1):
            texts_below[k] = below
            below = lines[k].text if lines[k].text.strip() else below
        starts, _ = line_bounds(self.file.text)
        for k, (line, start) in enumerate(zip(lines, starts, strict=True)):
            if not line.text.strip():
                continue
            plain = _DECORATION.sub(lambda signs: " " * len(signs[0]), line.text)
            plain += ":" if _NUMBER_HEADING.fullmatch(line.text) else ""
            pairs = list(_pairs(plain)) if len(plain) <= LONGEST_PHRASE else []
            if (match := stated.fullmatch(line.text)) and len(pairs) < 2:
                self.state(match[1].lower(), line.group(match, 2), line, texts_below[k])
                self.spans.append((start, start + len(line.text)))
            elif pairs and not (len(pairs) == 1 and _begins_matrix(pairs[0]["letters"], texts_below[k])):
                if self.put_pairs(pairs, line, start) and "|" in line.text:
                    self.spans += _header_above(lines, starts, k)
            elif len(plain) > LONGEST_PHRASE or not self.heads(plain, line, start):
                others = dict.fromkeys((other[1] or f"q{other[2]}").lower() for other in named.finditer(line.text))
                mentions += [(other, line) for other in others]
                self.go_on(plain, line, start, texts_below[k])
        for name, line in mentions:
            if name in self.words and (name not in self.answers or re.search("[:=]", line.text)):
                self.report(name, line)
        for name, line in self.maybe.items():
            if name not in self.answers:
                self.report(name, line)

    def report(self, name: str, line: Written) -> None:
        self.unread.setdefault(name, Diagnostic(_TICKS.format(name, shorten(line.text.strip())), line.place))

    def state(self, name: str, answer: Written, line: Written, below: str) -> None:
        """Take the answer of a line `q3: B`, whose letters may be below it."""
        self.current = name
        if answer.text.strip(" \t*"):
            self.put(name, answer)
        if answer.text.strip(" \t*").endswith(",") and below and not _HEADING.match(below[:LONGEST_PHRASE]):
            self.unread.setdefault(name, Diagnostic(_TICKS.format(name, shorten(below.strip())), line.place))

    def put(self, name: str, answer: Written) -> None:
        """Take an answer. Another one with other letters is a fault of both."""
        first = self.answers.setdefault(name, answer)
        if _letters(first) != _letters(answer):
            both = f"{shorten(first.text)!r} in line {first.place.line} and {shorten(answer.text)!r} here"
            self.unread.setdefault(name, Diagnostic(_TWO_TICKS.format(both), answer.place))

    def put_pairs(self, pairs: list[re.Match[str]], line: Written, start: int) -> bool:
        """Take the answers of a line such as `3. B` and `Question 3: B`. The heading of a question stays. Return False
        for a line that answers none of the questions.
        """
        before = len(self.spans)
        for pair in pairs:
            if (name := _question(pair)) in self.words:
                self.put(name, line.part(*pair.span("letters")))
                is_heading = (_word(pair) or "").strip(" \t.").casefold() in HEADINGS and "_" not in pair[0]
                first = pair.start("letters" if is_heading else 0)
                self.spans.append((start + first, start + pair.end()))
        name = _question(pairs[-1])
        self.current = name if name in self.words else None
        return len(self.spans) > before

    def heads(self, plain: str, line: Written, start: int) -> bool:
        """Take a line that names a question whose letters may be below it. Return False for other lines."""
        heading = _HEADING.match(plain)
        if heading is None:
            return False
        name, title = _question(heading), heading["title"].strip()
        is_number = _word(heading) is None
        if title and (is_number or not heading["sign"].strip() or _STATEMENT.search(title)):
            if (pair := _PAIR.match(plain)) and name in self.words and _may_be_letters(pair):
                self.maybe.setdefault(name, line.trimmed())
                self.current = name
                return is_number
            self.current = None if is_number or name not in self.words else name
            return False
        self.current = name if name in self.words else None
        self.above = (start, start + len(line.text)) if self.current and is_number else None
        if self.current and not is_number and title:
            self.maybe.setdefault(name, line.trimmed())
        return True

    def other_letter(self, line: Written) -> NearbyText | None:
        """Return a line below an answer that ends with another letter: `I mean B`."""
        last = _LAST_LETTER.fullmatch(line.text)
        is_other = last and self.current and last[1].casefold() not in _letters(self.answers[self.current])
        return NearbyText(line.trimmed()) if is_other else None

    def go_on(self, plain: str, line: Written, start: int, below: str) -> None:
        """Read a line below a question: its letters, others, or words that take them back."""
        if self.current is None:
            return
        if line.text.lstrip().startswith("#") or _STATEMENT.search(plain):
            self.current = None
            return
        words = {*re.findall(r"[^\W\d_]{2,}", plain[:LONGEST_PHRASE].casefold())}
        is_signature = bool(words) or self.closed == self.current and re.fullmatch(r"[\W_]*[A-Z][\W_]*", plain)
        if is_signature and words <= CLOSING and self.current in self.answers:
            self.closed = self.current if words else None  # a letter below these words can be an initial
            if _OPTION.search(plain) and (fault := NearbyText(line.trimmed()).fault(frozenset())):
                self.nearby.append((self.current, fault))  # or the letter of another option
            return
        match = _LABELLED.fullmatch(plain) if len(plain) <= LONGEST_PHRASE else None
        if match and _begins_matrix(match["letters"], below):
            self.current = None
        elif match and {*re.findall(r"[^\W\d_]+", match["label"].casefold())} <= NEUTRAL | CORRECTING | NUMBERED:
            is_repeated = self.current in self.answers  # or it is the answer to another question
            self.put(self.current, line.part(*match.span("letters")))
            self.spans += [self.above] if self.above else []
            self.above = None
            self.spans += [] if is_repeated else [(start, start + len(line.text))]
        elif match:
            self.report(self.current, line)
        elif self.current not in self.answers:
            self.maybe.setdefault(self.current, line.trimmed())
        elif (nearby := retracted(line.trimmed()) or self.other_letter(line)) and (fault := nearby.fault(frozenset())):
            self.nearby.append((self.current, fault))


def _header_above(lines: list[Written], starts: list[int], k: int) -> Iterator[tuple[int, int]]:
    """Yield the lines right above a row of a table that are its header."""
    while k and "|" in lines[k - 1].text and not re.search("[0-9]", lines[k - 1].text):
        k -= 1
        yield starts[k], starts[k] + len(lines[k].text)


def _pairs(plain: str) -> Iterator[re.Match[str]]:
    """Yield the questions and letters of a line that has nothing else: `1. A  2. B`."""
    pairs, stop = [], 0
    while pair := _PAIR.match(plain, stop):
        pairs.append(pair)
        stop = pair.end()
    if stop == len(plain):
        yield from pairs


def _question(heading: re.Match[str]) -> str:
    number = (heading["named"] or heading["ordinal"] or heading["alone"]).casefold()
    return f"q{_NUMBERS.get(number, number)}"


def _word(heading: re.Match[str]) -> str | None:
    """Return the word of a heading that goes with its number, such as `Question`."""
    return heading["word"] or heading["counted"]


def _may_be_letters(pair: re.Match[str]) -> bool:
    """Return whether letters with a text behind them may be an answer: `3. B, because ...`, but not `3. A matrix`."""
    rest = pair.string[pair.end("letters") :]
    is_article = pair["letters"] in ("A", "a", "I") and _SENTENCE.match(rest)
    return not (is_article or rest.lstrip()[:1] in tuple("=≈:[(&^_'’·@*/+-−<>→←"))


def _begins_matrix(letters: str, below: str) -> bool:
    """Return whether a letter is the name of the matrix below it."""
    return not _ITEM.match(below) and bool(
        re.fullmatch(r"\w", letters) and (_MATRIX.match(below) or re.match(rf"[ \t$*`]*{letters}[ \t$*`]*[=≈:]", below))
    )


def _letters(answer: Written) -> list[str]:
    return sorted(re.findall(r"\w", re.sub(r"\b(?:and|und|et|y)\b", " ", answer.text.casefold())))
