"""Formulas inside {...} and [...], where YAML would take their commas and brackets for its own."""

from __future__ import annotations

import re

# Inside {...} and [...] YAML takes the commas and brackets of a formula for its own: for its reader they are other
# signs.
_SIGNS, DISGUISED = ",[]{}:", "\ue000\ue001\ue002\ue003\ue004\ue005"
_DISGUISE, UNDISGUISED = str.maketrans(_SIGNS[:5], DISGUISED[:5]), str.maketrans(DISGUISED, _SIGNS)
_FLOW_PIECES = re.compile(r"""(?<![^\s,:\[{])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<!\S)\#[^\r\n]*|[\[\]{}()]""")


def disguised(text: str) -> str:
    """The text with the signs of what stands inside {...} or [...] in round brackets, or in square ones right behind a
    name, disguised.
    """
    pieces: list[str] = []
    flow = depth = done = start = 0
    for piece in _FLOW_PIECES.finditer(text):
        sign = piece[0]
        if len(sign) > 1:  # a quoted text or a comment
            continue
        if depth:
            depth += (sign in "([{") - (sign in ")]}")
            if not depth:
                pieces += [text[done:start], text[start : piece.end()].translate(_DISGUISE)]
                done = piece.end()
        elif (
            sign == "("
            and flow
            or sign == "["
            and flow
            and (text[piece.start() - 1].isalnum() or text[piece.start() - 1] in "_')")
        ):
            depth, start = 1, piece.start()
        elif sign in "[{":
            flow += 1
        elif sign in "]}":
            flow = max(0, flow - 1)
    return "".join([*pieces, text[done:]])


def unclosed(text: str) -> int | None:
    """Where the innermost bracket stands that is opened and not closed; None where there is none."""
    open_brackets: list[re.Match[str]] = []
    for piece in _FLOW_PIECES.finditer(text):
        if piece[0] in ("[", "{", "("):
            open_brackets.append(piece)
        elif open_brackets and open_brackets[-1][0] + piece[0] in ("[]", "{}", "()"):
            open_brackets.pop()
    return open_brackets[-1].start() if open_brackets else None


def with_colons(text: str) -> str:
    """The text with the colons inside a line that is for people disguised: `ask: Compute: (a) the weights`."""
    text_line = r"(?m)^( *(?:- +)?(?:title|ask|note|source|answer|license): +)([^\s\"'|>&*!{\[#%@`][^\r\n]*)$"
    return re.sub(text_line, lambda line: line[1] + re.sub(r":(?=\s|$)", DISGUISED[5], line[2]), text)
