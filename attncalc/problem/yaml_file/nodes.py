"""The tree of a YAML file, with locations. A scalar remains a text, and never becomes a float. `yaml_reader.py` makes
the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ... import limits
from ...errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten

LARGEST_FILE = limits.FILE.most
ZIP = b"PK\x03\x04"  # the first bytes of spreadsheet files
_PICTURE = "a picture (type the contents into a text file)"
_OTHERS = (  # the first bytes of files that are not text
    (ZIP, "a workbook or another zip file (in a command, a class table comes after its key.json)"),
    (b"%PDF", "a PDF (type the contents into a text file)"),
    (b"{\\rtf", "a document in RTF"),
    (b"%!PS", "a document in PostScript"),
    (b"\xd0\xcf\x11\xe0", "an old or encrypted Office file"),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
)
MARKED = (  # byte order marks; longer marks come first, because they begin with shorter marks
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
DEEPEST = limits.NESTED_LISTS.most
MOST_NODES = limits.NODES.most
# The first and last character of each range of allowed characters
_CHARACTERS = (
    "\t\n",
    "\r\r",
    "\x20\x7e",
    "\x85\x85",
    "\xa0\ud7ff",
    "\ue000\ufefe",
    "\uff00\ufffd",
    "\U00010000\U0010ffff",
)

_COMMON = frozenset(map(chr, range(0x20, 0x7F))) | {"\n"}  # most texts contain only these characters


class Scalar(NamedTuple):
    """A text in a YAML file, and its style: `plain`, `single`, `double`, `block` or `folded`. `file` is the text of the
    whole file, and `start` the offset of the scalar in the file.
    """

    text: str
    place: Location
    style: str = "plain"
    file: str = ""
    start: int = 0

    @property
    def inside(self) -> Location:
        """The location of the first character of the text, after a quote or in a block. Its method `shifted` gives the
        location of each character.
        """
        if not self.file:
            return self.place
        first = (
            self.at(0)
            if self.style in ("block", "folded")
            else self.place.shifted(1)
            if self.style != "plain"
            else self.place
        )
        return Location(first.source, first.line, first.column, self.at)

    def at(self, character: int) -> Location:
        """Return the location of a character of the text. Only non-blank characters are counted, because YAML folds
        lines and decodes escapes.
        """
        if character == 0 and self.style == "plain":
            return self.place
        before = len("".join(self.text[:character].split()))
        behind = not self.text[character:].strip()
        for piece in self.pieces():
            if not _is_blank(piece[0]):
                before -= 1
                if before < 0 or before == 0 and behind:
                    return self.place_of(piece.end() if behind else piece.start())
        return self.place

    def offsets(self) -> list[int]:
        """Return the offsets in the file of all characters of the text, and of its end. `at` finds only one
        character.
        """
        pieces = (piece for piece in self.pieces() if not _is_blank(piece[0]))
        starts, last = [], self.begin()
        for character in self.text:
            if not character.isspace():
                piece = next(pieces, None)
                start, last = (piece.start(), piece.end()) if piece else (last, last)
                starts.append(start)
            else:
                starts.append(last)
        return [*starts, last]

    def pieces(self) -> Iterator[re.Match[str]]:
        """Yield the characters of the file from the start of the text. An escape is one piece."""
        return re.compile(_PIECES[self.style], re.DOTALL).finditer(self.file, self.begin())

    def begin(self) -> int:
        """Return the offset in the file of the text, after a quote or in a block."""
        if self.style in ("block", "folded"):
            return next(_REST_OF_LINE.finditer(self.file, self.start)).end()
        return self.start + (self.style != "plain")

    def place_of(self, index: int) -> Location:
        """Return the location of the character with this offset in the file."""
        breaks = list(re.compile(BREAK).finditer(self.file, self.start, index))
        if not breaks:
            return Location(self.place.source, self.place.line, self.place.column + index - self.start)
        return Location(self.place.source, self.place.line + len(breaks), index - breaks[-1].end() + 1)


# Patterns are compiled at first use, because most files have no error.
BREAK = "\r\n|[\n\r\x85\u2028\u2029]"
# JSON's escapes for a character above U+FFFF
PAIR = r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
_REST_OF_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*")
_PIECES = {
    "plain": ".",
    "block": ".",
    "folded": ".",
    "single": "''|.",
    "double": PAIR + r"|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)|.",
}


def _is_blank(piece: str) -> bool:
    r"""Return whether a character of the file, or an escape such as `\n`, is a blank."""
    if piece[0] != "\\" or len(piece) == 1:
        return piece.isspace()
    if re.fullmatch(PAIR, piece):
        return False
    return chr(int(piece[2:], 16)).isspace() if len(piece) > 2 else piece[1] in "ntvr _NLP\t\n\r"


class Sequence(NamedTuple):
    """A list with its location."""

    items: list[Yaml]
    place: Location


class Mapping(NamedTuple):
    """The keys of a mapping in the order of the file, with their values, and its location."""

    pairs: dict[str, tuple[Scalar, Yaml]]
    place: Location
    again: list[tuple[Scalar, Yaml]] | None = None  # duplicate keys and their values

    def __contains__(self, key: object) -> bool:
        return key in self.pairs

    def get(self, key: str) -> Yaml | None:
        return self.pairs[key][1] if key in self.pairs else None

    def items(self) -> Iterator[tuple[Scalar, Yaml]]:
        """Yield each key with its value, in order."""
        yield from self.pairs.values()

    def reject_unknown(
        self, known: list[str], what: str, faults: Diagnostics, instead: Callable[[str], str] = lambda name: ""
    ) -> None:
        """Add an error with a suggestion for each key that is not in `known`. `what` is the name of the mapping for the
        message. `instead` returns a suggestion for a key.
        """
        for key, _ in self.items():
            if key.text not in known:
                faults.add(
                    f"{what} has no key {shorten(key.text)!r}{instead(key.text) or did_you_mean(key.text, known)}",
                    key.place,
                )


Yaml = Scalar | Sequence | Mapping


def kind(tree: Yaml) -> str:
    match tree:
        case Scalar(""):
            return "nothing"
        case Scalar(text):
            return repr(shorten(text))
        case Sequence():
            return "a list" if tree.items else "an empty list"
        case Mapping():
            return "a mapping" if tree.pairs else "an empty mapping"


def mapping_at(tree: Mapping, key: str, holds: str, faults: Diagnostics) -> Mapping:
    """Return the mapping under a key; an empty mapping if the key is missing. If the value is not a mapping, add an
    error.
    """
    node = tree.get(key)
    if isinstance(node, Mapping):
        return node
    if node is not None:
        faults.add(f"{key}: expected a mapping {holds}, found {kind(node)}", node.place)
    return Mapping({}, tree.place)


def text_at(tree: Mapping, key: str, faults: Diagnostics) -> str:
    """Return the text under a key; an empty string if the key is missing. For a list or a mapping, add an error."""
    node = tree.get(key)
    if node is None:
        return ""
    if not isinstance(node, Scalar):
        faults.add(
            f"{key}: expected a text, found {kind(node)}; put quotes around text that contains a colon or a bracket",
            node.place,
        )
        return ""
    return node.text.strip()


def read_text(data: bytes | str, source: str) -> str:
    """Return the text of a file. Raises AttncalcError if the file is too large, or contains control characters."""
    text = _decode(data, source)
    odd = [text.index(c) for c in set(text) - _COMMON if not any(pair[0] <= c <= pair[1] for pair in _CHARACTERS)]
    if odd:
        at = min(odd)
        raise AttncalcError(f"expected text, found the character U+{ord(text[at]):04X}", place_in(text, at, source))
    return text


def _decode(data: bytes | str, source: str) -> str:
    if len(data) > LARGEST_FILE:
        raise AttncalcError(limits.FILE.exceeded("more"), Location(source))
    if isinstance(data, str):
        return data
    stated = stated_encoding(data)
    try:
        return data.decode(stated or "utf-8")
    except UnicodeDecodeError as error:
        if stated in ("utf-16", "utf-32"):
            message = f"expected {stated.upper()} text, found bytes in a different encoding; save the file as UTF-8"
            raise AttncalcError(message, Location(source)) from None
        before = error.object[: error.start].decode()  # without a byte order mark
        content = known_content(data) or "other bytes"
        raise AttncalcError(f"expected UTF-8 text, found {content}", place_in(before, len(before), source)) from None


def known_content(data: bytes) -> str | None:
    """Return the kind of a file that is not a text file, by its first bytes; None if it may be a text file."""
    return next((what for sign, what in _OTHERS if data.startswith(sign)), None)


def stated_encoding(data: bytes) -> str | None:
    """Return the encoding that a byte order mark states; None if there is no byte order mark."""
    return next((name for mark, name in MARKED if data.startswith(mark)), None)


def place_in(text: str, index: int, source: str) -> Location:
    """Return the location of the character with this offset in a file."""
    return Scalar(text, Location(source, 1, 1), file=text).place_of(index)
