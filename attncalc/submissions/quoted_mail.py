"""The pieces of another mail that a mail quotes: the lines with > below `Ann wrote:`, and all below the header of
another mail.
"""

from __future__ import annotations

import re

_LINES = r"(?:^[ \t]*>.*\n?)+"
_QUOTE = re.compile(f"(?m){_LINES}")
_WROTE = re.compile(
    r"(?im)^.{0,300}\b(?:wrote|writes|schrieb|schreibt|(?:a|à) écrit|escribió|escreveu|ha scritto|schreef)\b.{0,200}:"
    rf"[ \t\r]*\n\s*{_LINES}"
)
_HEADER = re.compile(
    r"(?im)^[ \t>]*(?:-{3,} ?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht"
    r"|message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht) ?-{3,}"
    r"|\*{0,2}(?:from|von|de|da|van):.{1,300}\n[ \t>]*\*{0,2}"
    r"(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden):)"
)


def quoted(text: str) -> list[tuple[int, int]]:
    """Return where each piece of another mail begins and ends."""
    header = _HEADER.search(text)
    last = header.start() if header else len(text)
    spans = [(last, len(text))] if header else []
    if wrote := _WROTE.search(text, 0, last):
        more = (lines.span() for lines in _QUOTE.finditer(text, wrote.end(), last))
        spans = [wrote.span(), *more, *spans]
    return spans
