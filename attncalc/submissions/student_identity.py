"""Whose a script is and what it answers, of a file that cannot be read otherwise: its top lines tell, or its name."""

from __future__ import annotations

import re

from ..problem.yaml_file.nodes import stated_encoding

TOP = 4_000  # bytes in which these lines stand
LONGEST = 100
_LINE = re.compile(  # at the beginning of a line, or of an item in JSON
    r"""(?:^[ \t#>*|-]*|[{,][ \t]*)["'*]*(student|problem)["'*]*[ \t]*[:=|][ \t*]*"""
    r"""("[^"\n]*"|'[^'\n]*'|[^\s"'][^\n,|{}"']*)""",
    re.IGNORECASE | re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 12  # of a file's name


def identity_lines(raw: bytes) -> dict[str, str]:
    """Return what the top lines say of `student` and `problem`, whatever the lines below them are."""
    fields: dict[str, str] = {}
    for line in _LINE.finditer(raw[:TOP].decode(stated_encoding(raw) or "utf-8", "replace")):
        text = line[2].split(" #")[0].strip(" \t\r;\"'*`")
        if text and text.isprintable() and len(text) <= LONGEST and "\N{REPLACEMENT CHARACTER}" not in text:
            fields.setdefault(line[1].lower(), text)
    return fields


def words_of(name: str) -> set[str]:
    """Yield every run of words in a file's name, as it is there: `midterm_s-0417_K7Q2` holds `s-0417` and `K7Q2`."""
    words = [word.span() for word in _WORD.finditer(name)][:MOST_WORDS]
    return {name[a:b].casefold() for k, (a, _) in enumerate(words) for _, b in words[k:]}
