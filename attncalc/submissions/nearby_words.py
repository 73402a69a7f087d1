"""The words beside an answer. Those that change no number are listed; an answer with any other has to be looked at."""

from __future__ import annotations

import re
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

from ..errors import Diagnostic, shorten
from .located_text import Written

_READER = ConfigParser(interpolation=None)
_READER.read(Path(__file__).with_suffix(".ini"), encoding="utf-8")
_LISTS = {key: frozenset(words.casefold().split()) for key, words in _READER["words"].items()}
NUMBERS, RETRACTING, QUOTING = (_LISTS[key] for key in ("numbers", "retracting", "quoting"))
REFERRING, _GIVING, CORRECTING = _LISTS["referring"], _LISTS["giving"], _LISTS["correcting"]
HEADINGS, NUMBERED, ORDINALS, CLOSING = (_LISTS[key] for key in ("headings", "numbered", "ordinals", "closing"))
STEPS = HEADINGS | _LISTS["steps"]
PARTS, NEUTRAL = STEPS | _LISTS["parts"], STEPS | _LISTS["neutral"]
BEFORE, CHANGING, POINTING = NEUTRAL | _LISTS["before"], _LISTS["changing"], _LISTS["pointing"]


def any_of(words: frozenset[str]) -> str:
    """Return a pattern for one of these words in any case, the longest first."""
    longest_first = "|".join(sorted(words, key=len, reverse=True))
    return rf"(?i:{longest_first.replace('ss', '(?:ss|ß)')})"  # casefold writes ss for ß


def _phrases(key: str) -> re.Pattern[str]:
    phrases = (
        " ".join(phrase.split()).replace("*", ".{1,60}") for phrase in re.split(r"\s\|\s", _READER["words"][key])
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


_RETRACTING_PHRASE, _DENIED = _phrases("retracting_phrases"), _phrases("denied_retractions")
_QUOTING_PHRASE = _phrases("quoting_phrases")
# What LaTeX, HTML and programs write, which is no word of the student
_NO_WORDS = re.compile(
    r"\\(?:begin|end|label|ref|eqref|tag|hspace|vspace|text?color)\*?(?:\[[^\]\n]*\])?\{[^{}\n]*\}(?:\{[clr|@ ]*\})?"
    r"|\\[A-Za-z]+|<[^<>\n]{0,200}>|=\s?(?:True|False)\b|\b(?:is|are|as)? ?given by\b"
)
_LETTERS = r"[^\W\d_ªº²³¹¼-¾ʰ-˿ᴬ-ᵪ⁰-₟⅐-ↈ]+"  # without raised and lowered ones, and fractions
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})*")
_IDENTIFIER = re.compile(r"\w[\w.]*(?:['’][^\W\d_]+)?")
_ODD_SIGN = re.compile(
    r"[✗✘❌⛔🚫👎≠¬]|(?<!~)~~(?!~)|</?(?:del|s|strike)>|\\(?:sout|xout|[bhx]?cancel)(?![a-z])"
    r"|(?<=\s)#++(?=[^\n#=≈:]*[=≈:]\s*[-+−]?(?:[\[({]*[0-9.]|\\begin|[\w.]+\())"  # a number in a comment
)
_SENTENCE = re.compile(r"[.!?;]\s")
NEARBY = "nearby"  # the code of a fault that leaves the answer as it is
_VALUE = re.compile(
    r"\\[dt]?frac\{[^{}]*\}\{[^{}]*\}|\\?sqrt[({][^(){}]*[)}]|√[0-9.]+"
    r"|(?<![\w.])[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:\s?/\s?[0-9.]+)?(?!\w)"
)
LONGEST = 2_000  # characters of a line in which words are looked for


@dataclass(frozen=True, slots=True)
class NearbyText:
    """A text beside an answer. `words` are those that are not neutral; names of the problem are among them. A text
    without such words is reported in each case.
    """

    text: Written
    words: tuple[str, ...] = ()

    def fault(self, names: frozenset[str]) -> Diagnostic | None:
        """Return why a person has to look; None if all words are names of the problem."""
        if self.words and all(word in names or _is_product(word, names) for word in self.words):
            return None
        text = shorten(" ".join(self.text.text.split()), 80)
        return Diagnostic(
            f"expected only the answer, found {text!r} next to it; the answer counts without this text",
            self.text.place,
            code=NEARBY,
        )


def _is_product(word: str, names: frozenset[str]) -> bool:
    """Return whether a word is names of one letter without a sign between them, as in QK and XW."""
    return len(word) < 4 and word not in NUMBERS and word[0] in names and set(word) <= names | {"t"}


def unlisted_words(line: Written, value: int) -> NearbyText | None:
    """Return the words of a line that are not neutral: before this place the words of a calculation are, too."""
    text = line.text
    shown = _NO_WORDS.sub(lambda match: " " * len(match[0]), text)
    spans = [match.span() for pattern in (_ODD_SIGN, _QUOTING_PHRASE) for match in pattern.finditer(text)]
    words = [text[slice(*span)] for span in spans]
    for identifier in _IDENTIFIER.finditer(shown):
        if re.search(r"[\d_]", identifier[0]):
            continue
        for word in _WORD.finditer(identifier[0]):
            plain = word[0].casefold().replace("’", "'")
            is_letter = len(plain) == 1 and (plain.isascii() or "α" <= plain <= "ω")
            if not is_letter and plain not in (BEFORE if identifier.start() < value else NEUTRAL):
                spans.append((identifier.start() + word.start(), identifier.start() + word.end()))
                words.append(plain)
    if not spans:
        return None
    return NearbyText(line.part(min(spans)[0], max(stop for _, stop in spans)), tuple(words))


def in_words(text: Written) -> NearbyText | None:
    """Return a text in the place of a number if it has words that are not those of a calculation: `four sevenths`."""
    all_words = (word[0] for word in _WORD.finditer(_NO_WORDS.sub(" ", text.text[:LONGEST])))
    words = {word.casefold() for word in all_words if len(word) > (3 if word.isupper() else 1)}  # QK is a product
    more = {"n/a"} if text.text.strip(" .").casefold() == "n/a" else words - BEFORE | words & (NUMBERS | REFERRING)
    return NearbyText(text, tuple(sorted(more))) if more else None


def refers(text: str) -> bool:
    """Return whether a text in the place of a number says only where the number is: `see above`."""
    words = {word[0].casefold() for word in _WORD.finditer(text[:LONGEST])}
    return bool(words & REFERRING) and words <= NEUTRAL | REFERRING and not re.search("[0-9]", text)


def retracted(line: Written) -> NearbyText | None:
    """Return the line if its words take an answer back, or change it."""
    text = _DENIED.sub(" ", line.text[:LONGEST].casefold().replace("’", "'"))
    words = {word[0] for word in _WORD.finditer(text)}
    names = {*_IDENTIFIER.findall(line.text[:LONGEST])} - {"I", "a"}
    has_name = any(len(word) == 1 or re.search(r"[\d_]", word) for word in names)
    is_about = bool(words & POINTING) or has_name or len(words) < 3
    is_retracted = words & RETRACTING or words & CHANGING and is_about or any(map(_is_elsewhere, _SENTENCE.split(text)))
    return NearbyText(line) if is_retracted or _RETRACTING_PHRASE.search(text) or _ODD_SIGN.search(text) else None


def _is_elsewhere(sentence: str) -> bool:
    """Return whether a sentence says that an answer is at another place: `see the next page`, `corrected below`."""
    words = {word[0] for word in _WORD.finditer(sentence)}
    is_sent = words & _LISTS["elsewhere"] and words & _LISTS["sending"] and not words & QUOTING
    is_other = words & _LISTS["preferred"] and words & _LISTS["versions"]
    return bool(is_sent or words & _LISTS["placed"] and (is_other or words & _LISTS["again"]))


def other_value(line: Written, name: str) -> Written | None:
    """Return the one number of a line that gives a value in words, `so it is 0.9`, or names the answer above."""
    if len(line.text) > LONGEST or len(values := list(_VALUE.finditer(line.text))) != 1:
        return None
    names = {*_IDENTIFIER.findall(line.text)}
    words = (word.strip(".") for word in _IDENTIFIER.findall(_VALUE.sub(" ", line.text)))
    others = {word.casefold() for word in words if word != name}
    is_exact = not re.fullmatch(r"[-+−]?[0-9]+\.?", values[0][0])
    is_one = others <= _GIVING and (is_exact or name in names)
    return line.part(*values[0].span()) if is_one else None


def is_label(text: str) -> bool:
    """Return whether a line says what is below it: it ends with a colon."""
    return text.rstrip("*_` \t").endswith(":")


def quoted(heading: Written) -> NearbyText | None:
    """Return a heading, or a line that ends with a colon, that says that the numbers below it are no answers."""
    words = {word[0].casefold() for word in _WORD.finditer(heading.text[:LONGEST])}
    others = words & (QUOTING | RETRACTING | CHANGING)
    is_quoted = others and (is_label(heading.text) or words <= others | NEUTRAL)
    return NearbyText(heading, tuple(sorted(others))) if is_quoted else None
