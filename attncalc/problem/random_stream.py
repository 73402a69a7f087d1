"""Random numbers that are the same on every machine and in every version of Python: SHA-256 in counter mode."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from struct import Struct
from typing import TypeVar

T = TypeVar("T")
WORDS = 1 << 32
_BLOCK = Struct(">8I")  # the format of a digest as eight words


class Stream:
    """The random numbers that belong to a name. Different names have independent random numbers."""

    def __init__(self, *name: object):
        self.key = "/".join(map(str, name)).encode()
        self.counter = 0
        self.words: list[int] = []

    def word(self) -> int:
        """Return the next 32 bits."""
        if not self.words:
            block = hashlib.sha256(self.key + b"#%d" % self.counter).digest()
            self.words.extend(_BLOCK.unpack(block)[::-1])
            self.counter += 1
        return self.words.pop()

    def below(self, n: int) -> int:
        """Return a random integer from 0 to n − 1. All are equally likely, because words that cause a bias are
        skipped.
        """
        limit = WORDS - WORDS % n
        while True:
            word = self.words.pop() if self.words else self.word()
            if word < limit:
                return word % n

    def choice(self, items: Sequence[T]) -> T:
        """Return a random item. All items are equally likely."""
        return items[self.below(len(items))]

    def choices(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` random items, drawn independently."""
        n = len(items)
        limit, chosen = WORDS - WORDS % n, list[T]()
        while len(chosen) < count:
            word = self.words.pop() if self.words else self.word()
            if word < limit:
                chosen.append(items[word % n])
        return chosen

    def sparse(self, items: Sequence[T], nothing: T, count: int) -> list[T]:
        """Return a list of `count` elements. About half of them are `nothing`, and the others are random items."""
        n, entries, words = len(items), list[T](), self.words
        limit = WORDS - WORDS % n
        while len(entries) < count:
            word = words.pop() if words else self.word()
            if word % 2 == 0:
                entries.append(nothing)
                continue
            word = words.pop() if words else self.word()
            while word >= limit:
                word = self.word()
            entries.append(items[word % n])
        return entries

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher-Yates)."""
        order = list(items)
        for k in range(len(order) - 1, 0, -1):
            other = self.below(k + 1)
            order[k], order[other] = order[other], order[k]
        return order
