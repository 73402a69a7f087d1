"""An e-mail as free text: its body. Each attachment is a fault."""

from __future__ import annotations

import re
from contextlib import suppress
from email import message_from_bytes, policy
from typing import Any

from ...errors import AttncalcError, Diagnostic, Location, shorten
from ...problem.yaml_file.nodes import LARGEST_FILE
from ..answer_examples import beyond
from ..tables.xml_stream import Limit
from .laid_out_text import Relaid, text_of
from .web_page import read_page

_VERSIONS = "expected the same numbers in both versions of this email (text and HTML), found {} in only one of them"


def read_mail(data: str | bytes, document: Relaid) -> None:
    """Read the body of an e-mail, and note what is attached as faults; its headers are not answers."""
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > LARGEST_FILE:
        raise Limit(beyond(f"an email of at most {LARGEST_FILE:,} bytes", f"{len(raw):,}"))
    _check_headers(raw)
    mail = message_from_bytes(raw, policy=policy.default)
    body = mail.get_body(("plain", "html"))
    if body is None:
        message = "expected an email with a text body, found none; save the answers as text (.md)"
        raise AttncalcError(message, Location(document.source))
    inside = _read_body(body, document.source)
    document.lines, document.is_exact = inside.lines, inside.is_exact
    document.faults, document.crossed = inside.faults, inside.crossed
    page = mail.get_body(("html",))
    if page is not None and page is not body:
        differing = _decimals(inside) ^ _decimals(_read_body(page, document.source))
        if differing:
            document.faults.append(Diagnostic(_VERSIONS.format(min(differing)), Location(document.source)))
    for attachment in mail.iter_attachments():
        is_mail = attachment.get_content_maintype() == "message"
        name = shorten(attachment.get_filename() or ("a mail" if is_mail else attachment.get_content_type()), 60)
        example = "answers.eml" if is_mail else name
        message = f"the attachment {name!r} is not read; save it as a separate file, such as {example}"
        document.faults.append(Diagnostic(message, Location(document.source)))


def _read_body(body: Any, source: str) -> Relaid:
    """Return the text of a body: a plain one, or a web page."""
    inside = Relaid(f"{source}, body")
    content: Any = body.get_payload(decode=True)
    with suppress(LookupError, UnicodeDecodeError):  # another encoding than it says
        content = content.decode(body.get_content_charset("utf-8")).encode()
    if body.get_content_subtype() == "html":
        read_page(content, inside)
    else:
        inside.is_exact = True
        inside.add(text_of(content, inside).replace("\r\n", "\n"), Location(inside.source, 1, 1))
    return inside


def _decimals(document: Relaid) -> set[str]:
    """Return the numbers with decimals in a text; others may count its lists."""
    return {number for line in document.lines for number in re.findall(r"[0-9]+[.,][0-9]+", line.text)}


# The lines at the top, below a boundary, and of a mail inside another one
_HEADERS = re.compile(
    rb"(?mi)(?:\A|^--[^\r\n]*+\r?\n|^content-type: *+message/[^\r\n]*+\r?\n\r?\n)((?:[^\r\n]++(?:\r?\n|\Z))*+)"
)
_CONTENT_HEADER = re.compile(rb"(?mi)^content-[\w-]+:[^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+")
MOST_HEADER = 10_000  # bytes of one header about the content; the email package takes quadratic time


def _check_headers(raw: bytes) -> None:
    """Raise Limit for a header, also of a part, that the email package would parse for minutes."""
    lengths = (len(header[0]) for block in _HEADERS.finditer(raw) for header in _CONTENT_HEADER.finditer(block[1]))
    if (longest := max(lengths, default=0)) > MOST_HEADER:
        raise Limit(
            beyond(f"a header of at most {MOST_HEADER:,} bytes", f"{longest:,}", "save the answers as text (.md)")
        )
