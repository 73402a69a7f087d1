"""XML that every reader takes."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """The text with U+FFFD for what XML cannot hold."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def as_text(root: ET.Element) -> str:
    """An XML file as a text, indented."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
