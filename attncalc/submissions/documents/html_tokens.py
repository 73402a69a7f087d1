"""The tags and the texts of a web page, in one pass over it. A longer page takes longer in proportion.

Tags are taken apart as the HTML standard says (section 13.2.5, Tokenization). What is not closed lasts to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from ..located_text import UNREADABLE

_ATTRIBUTE = r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+("[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+))?+"""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_MARKUP = re.compile(
    r"<!--(?s:.*?)(?:(?<=<!--)-?>|--!?>|\Z)"  # also the empty comments <!--> and <!--->
    r"|<!\[CDATA\[(?s:.*?)(?:\]\]>|\Z)"
    rf"|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?:{_ATTRIBUTE})*+[\s/]*+(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)"
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_LONG_REFERENCE = re.compile("&#[0-9]{8,}+;?")  # of no character that exists


class Tag(NamedTuple):
    """A tag: its name in small letters, its attributes, and as it stands in the page."""

    name: str
    attributes: list[tuple[str, str | None]]
    is_end: bool
    is_empty: bool  # `<br/>`, which begins and ends an element
    text: str


class Token(NamedTuple):
    """A tag, or a text without references to characters; its line counts from 1, its column from 0."""

    content: Tag | str
    line: int
    column: int


def tokens(page: str) -> Iterator[Token]:
    """Yield the tags and the texts of a page. Comments and what a script or a style holds are left out."""
    line, begin, done = 1, 0, 0  # of the line, and of what follows
    while done < len(page):
        markup = _MARKUP.search(page, done)
        start, stop = markup.span() if markup else (len(page), len(page))
        is_tag = bool(markup and markup["name"])
        if markup and (is_tag or not page.startswith("<!--", start)) and page[stop - 1] != ">":
            start = stop = len(page)  # a tag that is not closed is text
        for piece, first, is_text in ((page[done:start], done, True), (page[start:stop], start, False)):
            if piece and is_text:
                yield Token(_characters(piece), line, first - begin)
            elif piece and is_tag and markup:
                tag = _tag(piece, markup)
                yield Token(tag, line, first - begin)
                if not tag.is_end and not tag.is_empty and (raw := _RAW_END.get(tag.name)):
                    closed = raw.search(page, stop)
                    stop = closed.start() if closed else len(page)
                    piece = page[start:stop]
            if breaks := piece.count("\n"):
                line += breaks
                begin = first + piece.rindex("\n") + 1
        done = stop


def _tag(text: str, markup: re.Match[str]) -> Tag:
    stop = 1 + len(markup["end"]) + len(markup["name"])
    attributes = []
    for match in _ATTRIBUTES.finditer(text, stop, len(text) - 1):
        value, stop = match[2], match.end()
        if value is not None:
            value = _characters(value[1:-1] if value[:1] in ("'", '"') else value)
        attributes.append((match[1].lower(), value))
    return Tag(markup["name"].lower(), attributes, bool(markup["end"]), text.endswith("/>", stop), text)


def _characters(text: str) -> str:
    return unescape(_LONG_REFERENCE.sub(UNREADABLE, text))
