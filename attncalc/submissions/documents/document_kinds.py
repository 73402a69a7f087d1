"""Web pages, Word documents, e-mails and notebooks as free text. Every line knows where it is from.

A table becomes one of Markdown, a heading a heading. What has no place in such a text is a fault, such as merged cells.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from ...errors import AttncalcError, Location
from ...problem.yaml_file.nodes import ZIP, known_content
from ..tables.xml_stream import Limit, reason
from ..text_encoding import TYPE
from .laid_out_text import Relaid
from .mail import read_mail
from .notebook import read_notebook
from .web_page import read_page
from .word_document import WORD, read_word

_OTHER_FORM = "expected {}, found {}; {}"
_AGAIN = "open it and save it again, or paste its text into a .md file, such as S = [[1, 2], [3, 4]]"


def is_relaid(data: str | bytes, source: str) -> bool:
    """Return whether a file is a web page, a Word document, an e-mail or a notebook, by its beginning or its name."""
    return bool(_form(data, source))


def is_mail(data: str | bytes, source: str) -> bool:
    """Return whether a file is an e-mail, by its name."""
    return _form(data, source) == ".eml"


_PAGE = re.compile(r"\ufeff?\s*<(?:!doctype html|html|table|body)\b", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z!/]")
_BOOK = re.compile(r"\ufeff?\s*\{[^{]{0,200}\"(?:cells|nbformat)\"\s*:")
_HEAD = 5_000  # characters by which a form is known


def _form(data: str | bytes, source: str) -> str:
    """Return the ending of the form that a file has, whatever it is called; empty for other files."""
    named = PurePath(source).suffix.lower()
    if isinstance(data, bytes) and data.startswith(ZIP):
        return ".docx" if WORD.encode() in data else named if named in _FORMS else ""
    head = data[:_HEAD].decode("utf-8", "replace") if isinstance(data, bytes) else data[:_HEAD]
    if _PAGE.match(head):
        return ".html"
    if _BOOK.match(head) and '"cell_type"' in head:
        return ".ipynb"
    if named in (".html", ".htm") and not _TAG.search(
        data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    ):
        return ""  # a text without a tag
    return named if named in _FORMS else ""


def relaid(data: str | bytes, source: str) -> Relaid:
    """Return the text of such a file. Raises AttncalcError if it is none, or larger than people make."""
    document = Relaid(source)
    kind, lay = _FORMS.get(_form(data, source), _FORMS[".html"])
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if content := known_content(raw) if not raw.startswith(ZIP) else None:
        raise AttncalcError(_OTHER_FORM.format(kind, content, TYPE), Location(source))
    try:
        lay(data, document)
    except AttncalcError:
        raise
    except Limit as error:
        raise AttncalcError(str(error), Location(source)) from None
    except Exception as error:  # whatever a damaged file makes of a reader
        is_text = not raw.startswith(ZIP) and b"\0" not in raw[:_HEAD] and kind != _FORMS[".ipynb"][0]
        content = "a text" if is_text else f"something else ({reason(error)})"
        remedy = "change the ending of its name to .md" if is_text else _AGAIN
        raise AttncalcError(_OTHER_FORM.format(kind, content, remedy), Location(source)) from None
    return document


_FORMS = {
    ".ipynb": ("a notebook (.ipynb)", read_notebook),
    ".html": ("a web page (.html)", read_page),
    ".htm": ("a web page (.html)", read_page),
    ".docx": ("a Word document (.docx)", read_word),
    ".eml": ("an e-mail (.eml)", read_mail),
}
