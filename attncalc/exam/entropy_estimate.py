"""Estimate how many bits a seed or a secret has, if a person wrote it: the length of its shortest description.

A character costs the bits of its alphabet. A piece that was there before, or that every keyboard suggests, costs COPY
bits, however long it is: so repetitions, runs and leading zeros count for little.
"""

from __future__ import annotations

import re
from math import inf, log2

LEAST_BITS = 64  # of a seed or a secret
COPY = 16.0  # bits of a piece that is copied: which one, from where, and how long
LONGEST = 1_000  # characters that count
# The signs of a text without punctuation: digits, hexadecimal digits, letters of one case, letters and digits, all
_ALPHABETS = (
    (10, r"[0-9]*"),
    (16, r"[0-9a-f]*|[0-9A-F]*"),
    (26, r"[a-z]*|[A-Z]*"),
    (36, r"[0-9a-z]*|[0-9A-Z]*"),
    (62, r"[0-9A-Za-z]*"),
)
_ANY = 95
_ROWS = ("01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm")
_FAMILIAR = " ".join(word[::step] for row in _ROWS for word in (row, row.upper()) for step in (1, -1))


def bits(text: str) -> int:
    """Return about how many bits a program must guess to find a text."""
    text = text[:LONGEST]
    alphabet = log2(_alphabet_size(re.sub(r"[\W_]", "", text)))
    costs = {character: alphabet if character.isalnum() else log2(_ANY) for character in {*text}}
    few = dict.fromkeys(costs, log2(max(1, len(costs))))
    return int(min(_shortest(text, costs), sum(costs.values()) + _shortest(text, few)))


def is_phrase(text: str) -> bool:
    """Return whether a text is made of words, whose bits depend on whether the phrase is known.

    >>> is_phrase("To be or not to be"), is_phrase("5e81c70b3fa2964d"), is_phrase("hxqkvwzrtnmplcdgjs")
    (True, False, False)
    """
    words = re.findall(r"[^\W_]+", text)
    return len(words) > 1 and all(word.isalpha() and word[1:].islower() | (len(word) == 1) for word in words)


def _alphabet_size(text: str) -> int:
    return next((size for size, signs in _ALPHABETS if re.fullmatch(signs, text)), _ANY)


def _shortest(text: str, costs: dict[str, float]) -> float:
    """Return the bits of the shortest description of a text by single characters and copied pieces."""
    source, best, length = _FAMILIAR + text, [0.0, *[inf] * len(text)], 0
    for start, character in enumerate(text):
        best[start + 1] = min(best[start + 1], best[start] + costs[character])
        place, length = len(_FAMILIAR) + start, max(0, length - 1)
        # The longest piece from here that also begins earlier; the two may overlap
        while start + length < len(text) and source.find(source[place : place + length + 1], 0, place + length) >= 0:
            length += 1
        best[start + length] = min(best[start + length], best[start] + COPY)
    return best[-1]
