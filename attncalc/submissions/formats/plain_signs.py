"""A free text in the signs that its readers know: one kind of minus, numbers without blanks, rows without words."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from unicodedata import normalize

from ..located_text import DASHES, Written, line_bounds
from ..remarks import remark_in
from ..step_names import GREEK
from .stated_values import LONGEST_HEAD, NUMBER

MOST_LINES = 50_000
_GAP = re.compile(r"\s*[,;]\s*|\s+")  # between the entries of a row
_ROW_AND_WORDS = re.compile(rf"(\s*{NUMBER}(?:(?:\s*[,;]\s*|\s+){NUMBER})+)(?:[ \t]+([^\d\s.+−-][^\d]*))?\s*")
_SPACE = r"(?:[ ~]|\\[,;:! ]){0,4}"  # of LaTeX as well
_POWER = re.compile(
    r"(?<=[0-9.])(?: [x×·*] ?|[x×·*] )10(?=\^|\*\*|[⁰¹²³⁴-⁹⁻])|(?<=[0-9.])x10(?=\^)"
    rf"|(?<=[0-9.]){_SPACE}\\(?:times|cdot)(?![a-z]){_SPACE}10(?=\^)"
)
_GREEK = re.compile(rf"\\(?:var)?({'|'.join(GREEK)})(?![A-Za-z])")
_PRIME = re.compile(r"(?<=[\w)}])\^(?:\{((?:\\prime ?)+)\}|\\prime(?![A-Za-z]))")
_ACCENT = re.compile(
    r"\\(?:wide)?(hat|bar|tilde)(?![A-Za-z]) ?(\{ ?(\\(?:mathbf|mathrm|boldsymbol|bm)\{)?)?([^\W\d_])(?(3)\})(?(2) ?\})"
)
# What Word copies for a matrix
_WORD_MATRIX = re.compile(r"[(\[]?■\(([^()\n]*)\)[)\]]?")
_NEW_SIGNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_POWER, lambda _: "×10"),  # 2.4×10^3 for `2.4 x 10^3`, so that a number is one word
    (_GREEK, lambda letter: GREEK[letter[1]]),
    (_PRIME, lambda primes: "'" * primes[0].count("prime")),
    (_ACCENT, lambda accent: f"{accent[4]}_{accent[1]}"),
    (_WORD_MATRIX, lambda rows: "\\begin{matrix}" + rows[1].replace("@", r"\\") + "\\end{matrix}"),
)
_QUOTED = re.compile(r"(?m)^[ \t]{0,3}(?:>{1,2}[ \t])+(?!>)")  # of an e-mail that is answered
# １ is 1 and ＝ is =, and 𝑛 of an editor of formulas is n
_SAME_SIGNS = {
    sign: plain
    for sign in (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800), ord("ℎ"))
    if len(plain := normalize("NFKC", chr(sign))) == 1
}
_MINUS = re.compile(rf"[\u2010\u2011\u2012﹣]|(?<![^\s\[({{&|,;=:$])[–{DASHES}](?=[0-9.√\\∞])")  # each is a minus
_NESTED_INDEX = re.compile(r"(?<=\w)(\[ ?[0-9]{1,4} ?)\]\[(?= ?[0-9]{1,4} ?\]\s*[=≈:])")  # M[0][1] = of Python
_BULLET = r"[ \t]{0,8}[-*•+‣◦▪●](?=[ \t])"
_ROW = r"[ \t]*(?i:row|zeile|ligne|fila)[ \t]*#?[0-9]{1,4}[ \t]*"
_ENTRIES = r"[ \t]*[-+−]?\.?[0-9][^\[\]\n]*"
_END = r"[ \t]*,?[ \t]*\r?(?:\n|\Z)"
_BULLETS = re.compile(  # of rows; one list alone may have a minus in front
    rf"(?m)^{_BULLET}(?={_ROW}[:=])|(?:^{_BULLET}[ \t]*\[{_ENTRIES}\]{_END}){{2,}}"
)
_BULLET_SIGN = re.compile(r"(?m)^[ \t]{0,8}[-*•+‣◦▪●](?=[ \t]|\Z)")
_ROW_EQUALS = re.compile(rf"(?m)^({_ROW})=(?=[ \t]*\[?[ \t]*[-+−]?\.?[0-9])")
_LABELLED_LIST = re.compile(rf"(?m)^({_ROW}:[ \t]*)\[({_ENTRIES})\](?={_END})")
_LABELLED_ROW = re.compile(rf"{_ROW}:{_ENTRIES}")
_UNEQUAL = re.compile(r"=[/\\!]=")


def begins_labelled_row(line: str) -> bool:
    """Return whether a line begins with the number of a row and its entries: `row 1: 1 2`."""
    return bool(_LABELLED_ROW.match(line))


def _without_remarks(written: Written) -> tuple[Written, Remarks]:
    """Return a text with blanks for words beside a row that change no number, and these words by the place of their
    line. The row above or below has as many entries and nothing else.
    """
    lines = written.lines()
    rows = [_ROW_AND_WORDS.fullmatch(line.text) if len(line.text) < LONGEST_HEAD else None for line in lines]
    counts = [len(_GAP.split(row[1].strip())) if row else 0 for row in rows]
    remarks: Remarks = {}
    spans: list[tuple[int, int]] = []
    starts, _ = line_bounds(written.text)
    for k, (line, row) in enumerate(zip(lines, rows, strict=True)):
        others = {counts[j] for j in (k - 1, k + 1) if 0 <= j < len(rows) and (other := rows[j]) and not other[2]}
        if row and (words := row[2]) and counts[k] in others and remark_in(words):
            remarks[line.place.source, line.place.line] = words.strip()
            spans.append((starts[k] + row.start(2), starts[k] + row.end(2)))
    return written.blanked(spans) if spans else written, remarks


def _rewritten(written: Written, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Written:
    """Return a text with other signs for what matches a pattern. Each of them is where the match begins."""
    if not pattern.search(written.text):
        return written
    pieces, places, done = list[str](), array("L"), 0
    for match in pattern.finditer(written.text):
        pieces += [written.text[done : match.start()], new(match)]
        places.extend(range(done, match.start()))
        places.extend([match.start()] * len(pieces[-1]))
        done = match.end()
    pieces.append(written.text[done:])
    places.extend(range(done, len(written.text) + 1))
    return Written("".join(pieces), lambda k: written.at(places[min(k, len(places) - 1)]))


def _without_bullets(written: Written) -> Written:
    """Return a text with blanks for the bullets of rows and for the brackets behind `row 1:`, also for `row 1 =`."""
    if not (text := written.text) or "\n" not in text:
        return written
    text = _BULLETS.sub(lambda rows: _BULLET_SIGN.sub(lambda sign: " " * len(sign[0]), rows[0]), text)
    return Written(_LABELLED_LIST.sub(r"\1 \2 ", _ROW_EQUALS.sub(r"\1:", text)), written.at)


Remarks = dict[tuple[str | None, int], str]  # by file and line


def in_plain_signs(free: Written) -> tuple[Written, Remarks, frozenset[int]]:
    """Return a text in these signs, the words next to its rows that were left out, and where its quoted lines begin."""
    for pattern, new in _NEW_SIGNS:
        free = _rewritten(free, pattern, new)
    quoted = frozenset(sign.start() for sign in _QUOTED.finditer(free.text))
    free = _without_bullets(free.without(_QUOTED))
    text = _UNEQUAL.sub("≠  ", _MINUS.sub("−", free.text.translate(_SAME_SIGNS)))
    return *_without_remarks(Written(_NESTED_INDEX.sub(r"\1, ", text), free.at)), quoted
