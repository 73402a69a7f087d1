"""XML text that every reader accepts."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Return the text with U+FFFD for characters that XML cannot represent."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def as_text(root: ET.Element) -> str:
    """Return an indented XML file as text."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
