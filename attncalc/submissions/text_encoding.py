"""The text of a table whatever saved it: UTF-8, UTF-16, or one of the older encodings of Western Europe, which are told
apart by what they hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..problem.yaml_file.nodes import LARGEST_FILE, known_content, place_in, read_text, stated_encoding
from .located_text import UNREADABLE

# In the order in which they are believed where several give words: Windows, older Macs, DOS.
_OLDER = {"cp1252": "Windows-1252 (Western Europe)", "mac_roman": "Mac Roman", "cp850": "DOS (code page 850)"}
_LONGEST_RUN = 3  # letters beyond ASCII in a row; more are another script read as Latin letters
BINARY = "expected text, found a binary file; type its contents into a text file and save that as UTF-8"
TYPE = "type the answers, such as S = [[1, 2], [3, 4]], into a text file, or save the document as .docx or .html"
SAVE = "save it as CSV UTF-8, or as .xlsx"
_OPENING, _INSIDE = "‚„‡†•‹", "’‘·–‑"  # punctuation that no word ends with, and that a word may hold
_PAGE = re.compile(r"(?m)^\f+")
_MARK = "\ufeff", "\u2060"  # a mark of byte order inside a text joins words, as the second character does
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")  # which a table cannot hold
_UNSEEN = re.compile("[\u00ad\u200b-\u200e\u202a\u202c\u202d\u2060-\u2066\u2068\u2069\ufeff]+")  # without width
_SOFT_HYPHEN, _NUMBER_BEHIND = "\u00ad", re.compile(r"\s*[.,]?[0-9]")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of a terminal
_BEFORE = re.compile(r"[\w+\-−–/^*.,%√∞]")  # what goes on with a number or a name behind it, and in front of it
_BEHIND = re.compile(r"[\w+\-−–/^*%√∞]|[.,][0-9]")
_TURNED = re.compile(  # what shows the rest of its line in another order
    "[\u061c\u200f\u202b\u202e\u2067][^\r\n\x85\u2028\u2029]*"
)
_WORD = re.compile(r"[^\s,;\"]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the name of its encoding in Python, and a note for a person unless it is UTF-8 or UTF-16."""

    text: str
    note: Diagnostic | None = None
    encoding: str = "utf-8"


def decoded_script(data: bytes | str, source: str) -> Decoded:
    """Return the text of a script. What cannot be decoded, and a character that no text has, becomes U+FFFD in its
    place; a page break and a vertical tab end a line.

    Raises AttncalcError for a file that is too large or not a text.
    """
    if isinstance(data, bytes) and len(data) <= LARGEST_FILE and (content := known_content(data)):
        raise AttncalcError(f"expected UTF-8 text, found {content}; {TYPE}", Location(source, 1, 1))
    _refuse_binary(data, source)
    read = _decoded(data, source, is_sure=False)
    return replace(read, text=read_text(_common(read.text), source))


def seen(text: str) -> str:
    """Return a text as a reader sees it: with blanks for characters that have no width. Those inside a number, a soft
    hyphen before one, and each digit that a change of direction may move, become U+FFFD. Those between letters stay.

    Some PDFs have a soft hyphen for a minus sign.
    """
    if text.isascii():
        return text

    def shown(signs: re.Match[str]) -> str:
        before, behind = text[signs.start() - 1 : signs.start()], text[signs.end() : signs.end() + 1]
        if before.isalpha() and behind.isalpha():
            return signs[0]
        is_inside = _BEFORE.fullmatch(before) and _BEHIND.match(text, signs.end())
        may_be_minus = _SOFT_HYPHEN in signs[0] and _NUMBER_BEHIND.match(text, signs.end())
        return (UNREADABLE if is_inside or may_be_minus else " ") * len(signs[0])

    return _UNSEEN.sub(shown, _TURNED.sub(lambda line: re.sub("[0-9]", UNREADABLE, line[0]), text))


def _refuse_binary(data: bytes | str, source: str) -> None:
    """Raise AttncalcError if more than a few of the first bytes are control characters."""
    if isinstance(data, str) or len(data) > LARGEST_FILE or stated_encoding(data) or _without_mark(data):
        return
    sample = data[:4096]
    if sum(byte < 32 and byte not in b"\t\n\v\f\r" for byte in sample) > 2 + len(sample) // 100:
        raise AttncalcError(BINARY, Location(source))


def _common(text: str) -> str:
    text = _PAGE.sub("", text.replace("\f\n", "\n")).replace("\f", "\n").replace("\v", "\n")
    text = _COLOUR.sub(lambda colour: "\u2060" * len(colour[0]), text)  # no width either
    return _CONTROL.sub(UNREADABLE, text).replace(*_MARK)


def decoded(data: bytes | str, source: str) -> Decoded:
    """Return the text of a file. Raises AttncalcError if it is too large, or in an unknown encoding."""
    read = _decoded(data, source, is_sure=True)
    return replace(read, text=read_text(read.text.replace(*_MARK), source))


def decoded_table(data: bytes | str, source: str) -> Decoded:
    """Return the text of a table. A character that no text has becomes U+FFFD, so that only its cell is unreadable.
    Raises AttncalcError for a file that is too large or binary, or in an unknown encoding.
    """
    _refuse_binary(data, source)
    read = _decoded(data, source, is_sure=True)
    text = _NO_TEXT.sub(UNREADABLE, read.text.replace("\f", " ").replace("\v", " "))
    return replace(read, text=read_text(text.replace(*_MARK), source))


def _decoded(data: bytes | str, source: str, is_sure: bool) -> Decoded:
    """Return the text of a file without a mark at its beginning. What cannot be decoded becomes U+FFFD, unless the text
    must be sure.
    """
    if isinstance(data, str):
        return Decoded(data.removeprefix("\ufeff"))
    if len(data) > LARGEST_FILE:
        return Decoded(read_text(data, source))  # which refuses it
    encoding = stated_encoding(data) or _without_mark(data)
    try:
        return Decoded(data.decode(encoding or "utf-8").removeprefix("\ufeff"), encoding=encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding and is_sure:
            message = f"expected {encoding.upper()} text, found bytes in a different encoding; {SAVE}"
            raise AttncalcError(message, Location(source)) from None
        try:
            if not encoding:
                return _older(data, source, error.start)
        except AttncalcError:
            if is_sure:
                raise
        return Decoded(data.decode(encoding or "utf-8", "replace").removeprefix("\ufeff"))


def _without_mark(data: bytes) -> str | None:
    """Return the kind of UTF-16 without a mark: of commas, digits and line breaks, the first or second byte is 0."""
    first, second = (data[k:4096:2].count(0) for k in (0, 1))
    if len(data) % 2 or max(first, second) < max(2, min(len(data), 4096) // 20):  # a few may be in any text
        return None
    return None if first == second else "utf-16-be" if first > second else "utf-16-le"


def _older(data: bytes, source: str, first: int) -> Decoded:
    """Return the text in the older encoding that gives the fewest signs which no word holds."""
    readings: dict[str, tuple[int, str]] = {}
    for name in _OLDER:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:  # Windows-1252 has gaps
            continue
        readings[name] = sum(1 for _ in _oddities(text)), text
    name = min(readings, key=lambda encoding: readings[encoding][0])  # the first of equals
    text = readings[name][1]
    if (odd := next(_oddities(text), None)) is not None:
        around = (word[0] for word in _WORD.finditer(text) if word.start() <= odd < word.end())
        wrong = shorten(next(around, text[odd]))
        message = f"expected UTF-8 text, found bytes of a different encoding, which would be read as {wrong!r}; {SAVE}"
        raise AttncalcError(message, place_in(text, odd, source))
    word = next((word for word in _WORD.finditer(text) if not word[0].isascii()), None)
    example = f", for example {shorten(word[0])!r}" if word else ""
    note = f"warning: this file is not UTF-8 and was read as {_OLDER[name]}{example}; if words look wrong, {SAVE}"
    return Decoded(
        read_text(text, source), Diagnostic(note, place_in(text, word.start() if word else first, source)), name
    )


def _oddities(text: str) -> Iterator[int]:
    """Yield where a sign stands that no word holds: a symbol within one, a capital letter behind a small one, a long
    run of letters beyond ASCII.
    """
    run = 0
    for k, sign in enumerate(text):
        run = run + 1 if sign > "\x7f" and sign.isalpha() else 0
        if sign <= "\x7f":
            continue
        before, behind = text[k - 1 : k], text[k + 1 : k + 2]
        kind = unicodedata.category(sign)
        is_within = any(other.isalpha() or other > "\x7f" for other in (before, behind))
        is_symbol = kind[0] == "C" or kind[0] in "SN" and is_within
        is_symbol |= (
            kind[0] == "P" and before.isalpha() and (sign in _OPENING or sign not in _INSIDE and behind.isalpha())
        )
        is_capital = kind == "Lu" and (before.islower() or before.isalpha() and behind.islower())
        if run > _LONGEST_RUN or is_symbol or is_capital:
            yield k
