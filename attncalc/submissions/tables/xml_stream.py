"""The gate for workbooks: the XML files of an archive as a stream of elements, under limits that hold before anything
is unpacked or kept.

- An archive has few members, which are stored or deflated. Those that are read have a limited size together: zipfile
  never unpacks more of a member than the archive states.
- A document type is refused by the parser itself, in every encoding, so that no entity is ever defined.
- Tags are counted before the first one is parsed. The depth of elements is limited, and so are the bytes of a tag.

Readers ask for the children of an element and for its text. Nothing here calls itself for an element inside another.
"""

from __future__ import annotations

import functools
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.parsers import expat

from ...errors import shorten
from ..answer_examples import beyond


class Malformed(ValueError):
    """A file is not what its name says; the text is for people."""


_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (zipfile.BadZipFile, "a damaged archive"),
    (zlib.error, "a damaged archive"),
    (EOFError, "a truncated file"),
    (NotImplementedError, "an unknown compression"),
    (MemoryError, "more than fits into memory"),
    (RecursionError, "brackets or elements that are nested too deeply"),
    (RuntimeError, "a password-protected file"),  # as zipfile reports it
    (UnicodeError, "bytes that are not text"),
    (KeyError, "a file with a missing part"),
)


def reason(error: Exception) -> str:
    """Return what was found in place of a sound file, by the error that a reader of its format raised."""
    if isinstance(error, Malformed):
        return shorten(str(error), 100)
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, expat.ExpatError):
        return f"invalid XML at line {error.lineno}, column {error.offset + 1}"
    return next((words for kind, words in _REASONS if isinstance(error, kind)), "an invalid structure")


LARGEST_ARCHIVE = 20_000_000  # bytes
LARGEST = 40_000_000  # bytes of XML, unpacked
MOST_MEMBERS = 10_000
MOST_TAGS = 1_500_000  # of all members that are read: five for each cell that a table may have
DEEPEST = 100  # elements inside each other
LONGEST_TAG = 1_000_000  # bytes
LONGEST_TEXT = 32_767  # characters of a cell, as many as Excel keeps
_CHUNK = 1 << 16
_KIND = "mimetype"
_DIRECTORY = b"PK\1\2"  # begins the entry of each member

_EXTENSIONS = "urn:org:documentfoundation:"  # LibreOffice's, which repeat attributes under the same names
MOST_COLUMNS = 16_384  # of a table, as many as spreadsheets have

Start = tuple[str, dict[str, str]]  # an element's name without its namespace, and its attributes likewise
DIGITS = 15  # significant digits that a spreadsheet shows of a number
_DECIMALS = re.compile(r"#?,?#*0\.(0{1,30})")  # as many as Excel shows
_ZEROS = re.compile(r"0{2,30}")  # 00417 is shown in full


class Cell(NamedTuple):
    """The text of a cell, whether it is a number, what is crossed out in it, and whether it covers other cells."""

    text: str
    is_number: bool = False
    struck: str = ""
    is_merged: bool = False


Line = tuple[int, dict[int, Cell]]  # a row's number, and its cells that hold something by their columns, from 1
Table = tuple[str, Iterator[Line]]  # its name, and its lines, to be read before the next table


class Limit(Malformed):
    """A file is larger than any that people make."""


class Parts:
    """The members of an archive, `called` as people call such a file. Raises Limit, Malformed, zipfile's and expat's
    errors, and KeyError for a member that is not there.
    """

    def __init__(self, data: bytes, called: str):
        self.called = called
        if len(data) > LARGEST_ARCHIVE:
            raise Limit(beyond(f"{called} of at most {_millions(LARGEST_ARCHIVE)}", f"{len(data):,} bytes"))
        if data.count(_DIRECTORY) > MOST_MEMBERS:  # before zipfile makes an object of each
            raise Limit(beyond(f"{called} of at most {MOST_MEMBERS:,} files"))
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = frozenset(self._archive.namelist())
        self._size = self._tags = 0

    @property
    def kind(self) -> bytes:
        """The kind of document that an archive of OpenDocument states; empty for others."""
        if _KIND not in self.names:
            return b""
        with self._archive.open(self._member(_KIND)) as file:
            return file.read(_CHUNK // 8).strip()

    def _member(self, name: str) -> zipfile.ZipInfo:
        info = self._archive.getinfo(name)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others allocate what they like
            raise Malformed("an unknown compression")
        return info

    def xml(self, name: str) -> Xml:
        """Return a member that is XML, to be read once. All that are read share one limit."""
        info = self._member(name)
        self._size += max(info.file_size, _CHUNK // 8)
        if self._size > LARGEST:
            raise Limit(beyond(f"{self.called} of at most {_millions(LARGEST)} when unpacked", f"{self._size:,} bytes"))
        self._tags += sum(chunk.count(b"<") for chunk in self._chunks(info))
        if self._tags > MOST_TAGS:
            raise Limit(beyond(f"{self.called} of at most {MOST_TAGS:,} XML tags"))
        return Xml(self._events(info))

    def _chunks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        with self._archive.open(info) as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def _events(self, info: zipfile.ZipInfo) -> Iterator[Start | str | None]:
        """Yield the start of an element, a piece of text, or None for the end of an element."""
        waiting: list[Start | str | None] = []
        depth = 0

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > DEEPEST:
                raise Limit(beyond(f"at most {DEEPEST} nested elements"))
            kept = {_local(key): value for key, value in attributes.items() if not key.startswith(_EXTENSIONS)}
            waiting.append((_local(name), kept))

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            waiting.append(None)

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, waiting.append
        read = 0
        for chunk in self._chunks(info):
            read += len(chunk)
            parser.Parse(chunk, False)
            if read - parser.CurrentByteIndex > LONGEST_TAG:
                raise Limit(beyond(f"a tag of at most {LONGEST_TAG:,} bytes"))
            yield from waiting
            waiting.clear()
        parser.Parse(b"", True)
        yield from waiting


class Xml:
    """The elements of one file, in their order."""

    def __init__(self, events: Iterator[Start | str | None]):
        self._events = events
        self._depth = 0

    def children(self) -> Iterator[Start]:
        """Yield the children of the element that has begun last. What is not read of a child is passed over."""
        depth = self._depth
        for event in self._events:
            if isinstance(event, tuple):
                self._depth += 1
                if self._depth == depth + 1:
                    yield event
            elif event is None:
                self._depth -= 1
                if self._depth < depth:
                    return

    def find(self, first: str, *path: str) -> Iterator[dict[str, str]]:
        """Yield the attributes of each element on a path of names from here, in which * is any name."""
        for name, attributes in self.children():
            if first in ("*", name):
                yield from self.find(*path) if path else (attributes,)

    def text(self) -> str:
        """Return all text of the element that has begun last."""
        return self.parted_text(lambda _: False)[0]

    def parted_text(
        self, is_struck: Callable[[Start], bool], without: tuple[str, ...] = (), blanks: str = ""
    ) -> tuple[str, str]:
        """Return the text of the element that has begun last without that of elements that are crossed out, and the
        latter text. Elements of the names `without` are left out. One called `blanks` stands for as many spaces as its
        attribute c says.
        """
        depth, kept, struck, length = self._depth, [""], [""], 0
        aside = crossed = 0  # the depths of the elements that are left out, and crossed out
        for event in self._events:
            piece = ""
            if isinstance(event, tuple):
                self._depth += 1
                if event[0] in without and not aside:
                    aside = self._depth
                elif is_struck(event) and not crossed:
                    crossed = self._depth
                elif event[0] == blanks:
                    piece = " " * number(event[1].get("c", ""), 100, 1)
            elif event is None:
                self._depth -= 1
                if self._depth < depth:
                    break
                aside = aside if self._depth >= aside else 0
                crossed = crossed if self._depth >= crossed else 0
            else:
                piece = event
            if piece and not aside:
                (struck if crossed else kept).append(piece)
                length += len(piece)
                if length > LONGEST_TEXT:
                    raise Limit(beyond(f"at most {LONGEST_TEXT:,} characters in a cell"))
        return "".join(kept), "".join(struck)


def require_column(column: int) -> None:
    """Raise Limit for a column that no spreadsheet has."""
    if not 0 < column <= MOST_COLUMNS:
        raise Limit(beyond(f"a table of at most {MOST_COLUMNS:,} columns"))


def number(text: str, most: int, otherwise: int) -> int:
    """Return a whole number of an attribute, at most so large; `otherwise` if it is none."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 20 else otherwise


def _refuse_doctype(*_: object) -> None:
    raise Malformed("a document type, which is not allowed in such a file")


@functools.lru_cache(1_000)  # a file has few names
def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _millions(size: int) -> str:
    return f"{size // 10**6:,} MB"


def as_shown(value: float, style: str = "General") -> str:
    """Return a number with at most 15 significant digits, with the decimals or zeros that the format shows.

    >>> as_shown(0.1 + 0.2), as_shown(0.5, "0.00"), as_shown(417.0, "00000")
    ('0.3', '0.50', '00417')
    """
    if isinstance(value, int) or value.is_integer() and abs(value) < 10**DIGITS:
        text = str(int(value))
    else:
        text = format(value, f".{DIGITS}g")
    if _ZEROS.fullmatch(style) and text.isdigit():
        return text.zfill(len(style))
    shown = _DECIMALS.fullmatch(style)
    if shown and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        whole, _, behind = text.partition(".")
        return f"{whole}.{behind:0<{len(shown[1])}}"
    return text
