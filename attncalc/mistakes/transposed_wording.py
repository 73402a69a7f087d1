"""Wording of mistakes for tokens as columns; the tables are worded for tokens as rows."""

from __future__ import annotations

import re

IMAGE_GROUPS = frozenset({"patches"})  # groups about the rows of an image
MASK_CODES = frozenset({"mask-transposed"})  # a mask stays query × key
_WORDS = {"row": "column", "rows": "columns", "along": "down", "side by side": "one below the other"}
_COUNTERPARTS = _WORDS | {counterpart: word for word, counterpart in _WORDS.items()}
_WORD = re.compile(
    r"\b(?:[Rr]ows?|[Cc]olumns?|side by side|one below the other|(?:along|down)(?= (?:the|each) (?:row|column)))\b"
)
_FACTOR = r"d?[A-Z](?:_[A-Za-z0-9]+)?ᵀ?(?![A-Za-z0-9_])"
_PRODUCT = re.compile(rf"(?<![A-Za-z0-9_]){_FACTOR}(?:(?: · | ){_FACTOR})+")


def transpose_wording(sentence: str) -> str:
    """Return a sentence for tokens as columns: rows and columns exchanged, factors in reverse order.

    Every matrix becomes its transpose, so the factors of a product are reversed and keep their transposition signs: Q ·
    Kᵀ becomes Kᵀ · Q.
    """
    return _PRODUCT.sub(_reverse_factors, _WORD.sub(_swap_word, sentence))


def _swap_word(match: re.Match[str]) -> str:
    word = _COUNTERPARTS[match[0].lower()]
    return word.capitalize() if match[0][0].isupper() else word


def _reverse_factors(match: re.Match[str]) -> str:
    sign = " · " if " · " in match[0] else " "
    return sign.join(reversed(match[0].split(sign)))
