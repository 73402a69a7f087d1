"""The number from which a variant is drawn, and its printed code, both by HMAC-SHA256.

A variant is drawn from the secret or the seed of its sheet and the student's number. Its code is drawn from another
random value or, if the sheet itself holds the secret or the seed, from what else is printed on the paper. So the code
says nothing of the secret or the seed.
"""

from __future__ import annotations

import hmac

from .sheet.model import Student

LETTERS = "CDFHJKMNPQRTVWXY"  # no vowels, so no words; none that is taken for another sign or for a digit
DIGITS = "2346789"
LENGTH = 4


def digest(key: bytes, *words: object) -> bytes:
    """Return 32 bytes that nobody can guess without the key; equal words give equal bytes."""
    return hmac.new(key, "/".join(map(str, words)).encode(), "sha256").digest()


def number(key: bytes, *words: object) -> int:
    """Return a number of 63 bits that nobody can guess without the key."""
    return int.from_bytes(digest(key, *words)[:8], "big") >> 1


def code(key: bytes, who: str, attempt: int = 0) -> str:
    """Return a code that begins with a letter and has a digit, so that no program reads it as a number or a word."""
    signs = LETTERS + DIGITS
    for k in range(1_000):
        random_bytes = digest(key, "code", who, attempt, k)
        text = LETTERS[random_bytes[0] % len(LETTERS)] + "".join(signs[b % len(signs)] for b in random_bytes[1:LENGTH])
        if any(sign in DIGITS for sign in text):
            return text
    raise AssertionError("a digit comes up")


def new_code(key: bytes, student: Student, used_codes: set[str]) -> str:
    """Return an unused code and add it to `used_codes`; codes of earlier students do not depend on later ones."""
    attempt = 0
    while (text := code(key, student.owner, attempt)) in used_codes:
        attempt += 1
    used_codes.add(text)
    return text
